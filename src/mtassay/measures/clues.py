"""Clues: the numbers that the judge uses for any language pair.

An output is compared with its source, and with references and outputs of other systems if there are any.
Characters and numbers are compared, and single pieces if the sentence encoder is installed. Pieces with the
same meaning have similar states, in one language or two (as in BERTScore, Zhang et al. 2020). So a piece
without a counterpart on the other side is missing, added or wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.data.words import plain_marks
from mtassay.nlp.encoder import ReadText, WindowedEncoder
from mtassay.nlp.numbers import read_numbers

Floats = NDArray[np.float32]

MOST_OTHERS = 5
"""The largest number of other systems' outputs to compare with; more add little."""
_ORDERS = (1, 2, 3, 4, 6)
_WORD = re.compile(r"\w+|[^\w\s]")
_RARE = 9.0  # rarer pieces are content words or names
_LIKE = 0.5  # closer states have a similar meaning
_SUSPECTS = 3


class JudgedAnswer(NamedTuple):
    """One output with everything that the judge reads.

    `others` are other systems' outputs for the same source, which are probably right if they agree.
    """

    id: str
    source: str
    output: str
    references: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


class Suspect(NamedTuple):
    """A word without a counterpart: its side and its weight (rarity × distance)."""

    side: str
    word: str
    weight: float


@dataclass(frozen=True, slots=True)
class Clues:
    """The clues of one answer: numbers by name, the kind of compared texts, and suspect words.

    `kind` names the compared texts, as `"encoder+reference+others"`, or `"nothing"` if only the source.
    """

    kind: str
    values: Mapping[str, float]
    suspects: tuple[Suspect, ...] = ()


@dataclass(frozen=True)
class ClueFinder:
    """Computes the clues of answers; without an encoder, only clues that do not need it."""

    reader: WindowedEncoder | None = None

    def find(self, answers: Sequence[JudgedAnswer]) -> list[Clues]:
        """Compute the clues of each answer, in order; variants of quotes, dashes and spaces do not matter.

        >>> right = JudgedAnswer("1", "Das Haus ist klein.", "The house is small.", ("The house is small.",))
        >>> clues = ClueFinder().find([right])[0]
        >>> clues.kind, clues.values["grams-4"]
        ('reference', 1.0)
        """
        plain = [_with_plain_marks(answer) for answer in answers]
        texts = [text for a in plain for text in (a.source, a.output, *a.references, *a.others)]
        read = self.reader.read(texts) if self.reader else {}
        sides = {text: _Side.of(text) for text in set(texts)}
        return [self._clues(answer, sides, read) for answer in plain]

    def _clues(self, answer: JudgedAnswer, sides: Mapping[str, _Side], read: Mapping[str, ReadText]) -> Clues:
        output, source = sides[answer.output], sides[answer.source]
        reference = max(
            (sides[text] for text in answer.references if text.strip()),
            key=lambda side: _f_score(output.grams[4], side.grams[4]),
            default=None,
        )
        others = [sides[text] for text in answer.others if text.strip()][:MOST_OTHERS]
        has_states = answer.output in read and answer.source in read
        kind = [
            *(["encoder"] if has_states else []),
            *(["reference"] if reference else []),
            *(["others"] if others else []),
        ]
        values = _of_source(output, source)
        if reference:
            values |= _of_reference(output, source, reference)
        if others:
            values |= _of_others(output, others)
        suspects: tuple[Suspect, ...] = ()
        if has_states:
            texts = [text for text in answer.others if text.strip()][:MOST_OTHERS]
            found = _States(
                read[answer.output],
                read[answer.source],
                read[reference.text] if reference else None,
                [read[text] for text in texts],
            )
            values |= found.values()
            suspects = found.suspects()
        return Clues("+".join(kind) or "nothing", values, suspects)


@dataclass(frozen=True, slots=True)
class _Side:
    """The counts of a text's words, numbers and character n-grams."""

    text: str
    words: tuple[str, ...]
    numbers: Counter[str]
    grams: Mapping[int, Counter[str]]

    @classmethod
    def of(cls, text: str) -> _Side:
        letters = text.replace(" ", "")
        grams = {
            n: Counter(letters[start : start + n] for start in range(len(letters) - n + 1)) for n in _ORDERS
        }
        numbers = Counter(number.digits for number in read_numbers(text))
        return cls(text, tuple(_WORD.findall(text)), numbers, grams)

    @property
    def marks(self) -> int:
        return sum(not word.isalnum() for word in self.words)

    @property
    def capitals(self) -> int:
        return sum(word[0].isupper() for word in self.words)


def _of_source(output: _Side, source: _Side) -> dict[str, float]:
    """The clues that need neither a reference nor an encoder."""
    long_words = {word.lower() for word in source.words if len(word) > 3 and word.isalpha()}
    copied = sum(word.lower() in long_words for word in output.words)
    ends = (side.text.rstrip()[-1:] in ".。!?！？" for side in (output, source))
    return {
        "length": float(np.log1p(len(output.text))),
        "source-length": float(np.log1p(len(source.text))),
        "ratio": float(np.log((len(output.text) + 1) / (len(source.text) + 1))),
        "repeated": 1 - len(set(output.words)) / max(1, len(output.words)),
        "numbers": float(source.numbers.total()),
        "numbers-lost": float((source.numbers - output.numbers).total()),
        "numbers-added": float((output.numbers - source.numbers).total()),
        "copied": copied / max(1, len(output.words)),
        "capitals": float(output.capitals - source.capitals),
        "marks": float(abs(output.marks - source.marks)),
        "source-marks": float(source.marks),
        "brackets": float(source.text.count("(") + source.text.count("（")),
        "end": float(next(ends) != next(ends)),
    }


def _of_reference(output: _Side, source: _Side, reference: _Side) -> dict[str, float]:
    """The differences from the reference, by characters, words and numbers."""
    found = {f"grams-{n}": _f_score(output.grams[n], reference.grams[n]) for n in _ORDERS}
    shared = (output.grams[4] & reference.grams[4]).total()
    lower = [Counter(map(str.lower, side.words)) for side in (output, reference)]
    copied = [word for word in set(output.words) & set(source.words) if len(word) > 3 and word.isalpha()]
    return found | {
        "grams-4-kept": shared / max(1, reference.grams[4].total()),
        "grams-4-right": shared / max(1, output.grams[4].total()),
        "words": _f_score(*lower),
        "words-lost": float(np.log1p((lower[1] - lower[0]).total())),
        "words-added": float(np.log1p((lower[0] - lower[1]).total())),
        "reference-ratio": float(np.log((len(output.text) + 1) / (len(reference.text) + 1))),
        "numbers-not-in-both": float((output.numbers - (reference.numbers | source.numbers)).total()),
        "numbers-lost-of-both": float(((reference.numbers & source.numbers) - output.numbers).total()),
        "copied-alone": float(sum(word not in reference.words for word in copied)),
        "reference-marks": float(abs(output.marks - reference.marks)),
        "reference-capitals": float(output.capitals - reference.capitals),
    }


def _of_others(output: _Side, others: Sequence[_Side]) -> dict[str, float]:
    """The agreement of an output with other systems' outputs, by characters."""
    scores = [_f_score(output.grams[4], other.grams[4]) for other in others]
    ratios = [np.log((len(output.text) + 1) / (len(other.text) + 1)) for other in others]
    return {
        "others-grams": float(np.mean(scores)),
        "others-nearest": max(scores),
        "others-ratio": float(np.mean(ratios)),
        "others-length": float(np.abs(ratios).mean()),
    }


class _States:
    """An output, its source, reference and other systems' outputs, compared by pieces."""

    def __init__(
        self, output: ReadText, source: ReadText, reference: ReadText | None, others: Sequence[ReadText]
    ) -> None:
        self.output, self.source, self.reference, self.others = output, source, reference, others
        self.to_source: Floats = output.states @ source.states.T
        self.to_reference: Floats | None = None
        if reference is not None:
            self.to_reference = output.states @ reference.states.T

    def values(self) -> dict[str, float]:
        output, source, reference = self.output, self.source, self.reference
        found = {
            "pieces": float(np.log1p(len(output.pieces))),
            "source-pieces": float(np.log1p(len(source.pieces))),
            "rarity": float(output.rarity.mean()),
            "source-rarity": float(source.rarity.mean()),
            "source-rare": _rare(source),
            "rare": _rare(output),
            "unknown": float(np.mean([piece.endswith("<unk>") for piece in output.pieces])),
            "source-cosine": float(output.vector @ source.vector),
        }
        found |= _matched(self.to_source, output.rarity, source.rarity, "source")
        if reference is not None and self.to_reference is not None:
            found |= _matched(self.to_reference, output.rarity, reference.rarity, "reference")
            found |= self._contrasts(reference, self.to_reference)
        if self.others:
            found |= self._agreement()
        return found

    def _contrasts(self, reference: ReadText, to_reference: Floats) -> dict[str, float]:
        """How an output differs from both source and reference, which says more than a single difference."""
        output, source = self.output, self.source
        between = source.states @ reference.states.T
        kept = self.to_source.max(0)
        lost = np.sort(np.clip(between.max(1) - kept, 0, None) * source.rarity)[::-1]
        either = np.maximum(self.to_source.max(1), to_reference.max(1))
        alone = np.sort((1 - either) * output.rarity)[::-1]
        # The counterpart of each source piece in both texts; in texts that agree, both have the same meaning.
        here = _softmax(self.to_source.T) @ output.states
        there = _softmax(between) @ reference.states
        lengths = np.sqrt(np.einsum("ij,ij->i", here, here) * np.einsum("ij,ij->i", there, there))
        same = np.einsum("ij,ij->i", here, there) / lengths
        apart = np.sort((1 - same) * source.rarity)[::-1]
        ours, theirs = Counter(output.pieces), Counter(reference.pieces)
        rarity = dict(
            zip((*output.pieces, *reference.pieces), (*output.rarity, *reference.rarity), strict=True)
        )
        missing = sum(rarity[piece] * n for piece, n in (theirs - ours).items())
        added = sum(rarity[piece] * n for piece, n in (ours - theirs).items())
        found = {
            "cosine": float(output.vector @ reference.vector),
            "cosine-gain": float((output.vector - reference.vector) @ source.vector),
            "reference-rarity": float(output.rarity.mean() - reference.rarity.mean()),
            "reference-rare": _rare(output) - _rare(reference),
            "pieces-ratio": float(np.log(len(output.pieces) / len(reference.pieces))),
            "pieces-lost": float(np.log1p(missing)),
            "pieces-added": float(np.log1p(added)),
            "pieces-lost-share": float(missing / reference.rarity.sum()),
            "pieces-added-share": float(added / output.rarity.sum()),
        }
        for name, sorted_weights in (("lost", lost), ("alone", alone), ("apart", apart)):
            found |= _summed(sorted_weights, name)
        found["apart-mean"] = float(np.average(same, weights=source.rarity))
        return found | self._rewordings(reference, to_reference, either)

    def _rewordings(self, reference: ReadText, to_reference: Floats, either: Floats) -> dict[str, float]:
        """The weights of the spans where the wording of output and reference differs."""
        output = self.output
        matcher = SequenceMatcher(None, output.pieces, reference.pieces, autojunk=False)
        nearest = to_reference.max(0)
        weights, replaced = [0.0], 0
        for kind, start, end, other_start, other_end in matcher.get_opcodes():
            ours, theirs = slice(start, end), slice(other_start, other_end)
            if kind == "replace":
                here = output.rarity[ours] @ output.states[ours]
                there = reference.rarity[theirs] @ reference.states[theirs]
                distance = 1 - float(here @ there) / float(
                    np.linalg.norm(here) * np.linalg.norm(there) + 1e-9
                )
                most = max(output.rarity[ours].sum(), reference.rarity[theirs].sum())
                weights.append(distance * float(most))
                replaced += max(end - start, other_end - other_start)
            elif kind == "delete":
                weights.append(float((1 - either[ours]) @ output.rarity[ours]))
            elif kind == "insert":
                weights.append(float((1 - nearest[theirs]) @ reference.rarity[theirs]))
        return {
            "rewording": float(np.log1p(sum(weights))),
            "rewording-worst": float(np.log1p(max(weights))),
            "rewordings": float(np.log1p(len(weights) - 1)),
            "replaced": float(np.log1p(replaced)),
            "same": matcher.ratio(),
        }

    def _agreement(self) -> dict[str, float]:
        """The agreement of an output with other systems' outputs: the means, and the most similar output."""
        rows = []
        for other in self.others:
            found = _matched(self.output.states @ other.states.T, self.output.rarity, other.rarity, "others")
            rows.append(found | {"others-cosine": float(self.output.vector @ other.vector)})
        means = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
        return means | {
            "others-nearest-cosine": max(row["others-cosine"] for row in rows),
            "others-nearest-match": max(row["others-f"] for row in rows),
            "others-least-lost": min(row["others-lost-all"] for row in rows),
        }

    def suspects(self) -> tuple[Suspect, ...]:
        """The words with the weakest counterparts, without repetitions, heaviest first."""
        output, source = self.output, self.source
        support = self.to_source.max(1)
        if self.to_reference is not None and self.reference is not None:
            support = np.maximum(support, self.to_reference.max(1))
        found = [*_words(output, (1 - support) * output.rarity, "output")]
        found += _words(source, (1 - self.to_source.max(0)) * source.rarity, "source")
        if self.to_reference is not None and self.reference is not None:
            lost = (1 - self.to_reference.max(0)) * self.reference.rarity
            found += _words(self.reference, lost, "reference")
        found.sort(key=lambda suspect: -suspect.weight)
        return tuple(found[:_SUSPECTS])


def _matched(matrix: Floats, ours: Floats, theirs: Floats, name: str) -> dict[str, float]:
    """Match each piece of two texts with its best counterpart; rare pieces count more."""
    found: dict[str, float] = {}
    best, best_of_other = matrix.max(1), matrix.max(0)
    precision = float(np.average(best, weights=ours))
    recall = float(np.average(best_of_other, weights=theirs))
    found[f"{name}-p"], found[f"{name}-r"] = precision, recall
    found[f"{name}-f"] = 2 * precision * recall / (precision + recall + 1e-6)
    for side, nearest, rarity in (("added", best, ours), ("lost", best_of_other, theirs)):
        weights = (1 - nearest) * rarity
        found |= _summed(np.sort(weights)[::-1], f"{name}-{side}")
        found[f"{name}-{side}-none"] = float(np.log1p(rarity[nearest < _LIKE].sum()))
        found[f"{name}-{side}-row"] = float(np.log1p(np.convolve(weights, np.ones(3)).max()))
    forth, back = matrix.argmax(1), matrix.argmax(0)
    mutual = np.flatnonzero((back[forth] == np.arange(len(forth))) & (best > _LIKE))
    steps = np.diff(forth[mutual])
    found[f"{name}-mutual"] = len(mutual) / max(matrix.shape)
    found[f"{name}-turns"] = float((steps < 0).mean()) if len(steps) else 0.0
    found[f"{name}-jumps"] = float(np.log1p(np.abs(steps - 1).mean())) if len(steps) else 0.0
    return found


def _summed(weights: Floats, name: str) -> dict[str, float]:
    """Summarise sorted weights by four numbers: largest, second, sum of the first four, sum of all."""
    return {
        f"{name}-1": float(weights[0]),
        f"{name}-2": float(weights[1]) if len(weights) > 1 else 0.0,
        f"{name}-4": float(np.log1p(weights[:4].sum())),
        f"{name}-all": float(np.log1p(weights.sum())),
    }


def _words(text: ReadText, weights: Floats, side: str) -> Iterable[Suspect]:
    """The whole word around the heaviest piece of a text."""
    heaviest = int(weights.argmax())
    start = heaviest
    while start and not text.pieces[start].startswith("▁"):
        start -= 1
    end = heaviest + 1
    while end < len(text.pieces) and not text.pieces[end].startswith("▁"):
        end += 1
    if end - start > 6:  # in a language without spaces: the piece and its neighbours
        start, end = max(start, heaviest - 1), min(end, heaviest + 2)
    word = "".join(text.pieces[start:end]).replace("▁", " ").replace("<unk>", "�").strip()
    if any(map(str.isalnum, word)):
        yield Suspect(side, word, round(float(weights[heaviest]), 2))


def _rare(text: ReadText) -> float:
    return float(np.log1p(np.clip(text.rarity - _RARE, 0, None).sum()))


def _softmax(matrix: Floats) -> Floats:
    powers = np.exp(8 * matrix)
    shares: Floats = powers / powers.sum(1, keepdims=True)
    return shares


def _f_score(ours: Counter[Any], theirs: Counter[Any]) -> float:
    """The F-score of two counts: 1 if they are equal, 0 if they have nothing in common."""
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else 0.0


def _with_plain_marks(answer: JudgedAnswer) -> JudgedAnswer:
    return JudgedAnswer(
        answer.id,
        plain_marks(answer.source),
        plain_marks(answer.output),
        tuple(map(plain_marks, answer.references)),
        tuple(map(plain_marks, answer.others)),
    )
