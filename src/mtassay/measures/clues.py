"""Clues: what speaks for an error in a translation, each as a number with a line that a person can check.

Some are what a detector suspects. The others are measures: how an output stands to its source, to a
reference, to what comes back when it is translated back, and to what its language usually says.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mtassay.data.errors import UsageError
from mtassay.data.languages import Pair
from mtassay.data.nouns import Segment
from mtassay.measures.chrf import ChrF
from mtassay.measures.detector import AnnotatedAnswer, Clue, PairDetector, Suspicion, open_detectors
from mtassay.measures.likelihood import Likelihoods, find_likelihoods
from mtassay.measures.polarity import NEGATIONS
from mtassay.measures.vocabulary import TargetWords, small_words, target_words
from mtassay.nlp.annotation import Annotation
from mtassay.nlp.encoder import Encoder, Vectors, open_encoder, unit
from mtassay.nlp.normalisation import plain_marks, plain_text

__all__ = ["DETECTORS", "Clue", "ClueFinder"]

DETECTORS = ("polarity", "unknown-words", "untranslated", "repetition", "markup", "added-figures")
"""Those whose suspicions are clues, under the same names."""


class Rewording(NamedTuple):
    """Neighbouring words of a reference, and those that an output has in their place."""

    reference: tuple[str, ...]
    output: tuple[str, ...]


_FREQUENT = 5.6  # Zipf: words that are more frequent say little
_GONE = 0.6  # what a content word counts that the other side has nothing for, as a distance


@dataclass(frozen=True)
class ClueFinder:
    """Looks for all clues in translations of one language pair whose target language has a list of words."""

    pair: Pair
    words: TargetWords
    detectors: Sequence[PairDetector]
    encoder: Encoder
    likelihoods: Likelihoods | None = None

    @classmethod
    def open(cls, pair: Pair, *, encoder: Encoder | None = None) -> ClueFinder:
        """With translation models where there are any.

        `UsageError` for a pair that no list of words, or no list of negations, serves.
        """
        words = target_words(pair)
        if words is None:
            raise UsageError(f"There is no list of words for {pair.target}.")
        detectors = [d for d in open_detectors(DETECTORS, pair) if isinstance(d, PairDetector)]
        return cls(pair, words, detectors, encoder or open_encoder("the judge"), find_likelihoods(pair))

    def find(self, answers: Sequence[AnnotatedAnswer]) -> list[dict[str, Clue]]:
        """The clues of each answer by name, in order; without a reference or a way back, fewer.

        Texts are read with plain marks: what quotes, dashes and spaces they have is no matter here.
        """
        answers = [_with_plain_marks(answer) for answer in answers]
        right = self._nearest_references(answers)
        pairs = [
            _differences(text, a.output.text) if text else [] for a, text in zip(answers, right, strict=True)
        ]
        vectors = _Vectors(
            self.encoder,
            (
                text
                for answer, reference, stretches in zip(answers, right, pairs, strict=True)
                for text in (
                    answer.source.text,
                    answer.output.text,
                    reference,
                    answer.back,
                    *(" ".join(side) for stretch in stretches for side in stretch),
                )
            ),
        )
        suspected: dict[str, dict[int, Clue]] = {}
        for detector in self.detectors:
            suspected[detector.name] = {
                int(suspicion.id): _as_clue(suspicion) for suspicion in detector.suspects(_numbered(answers))
            }
        back = _chrf([a.back for a in answers], [a.source.text for a in answers])
        likeness = _chrf([a.output.text for a in answers], right)
        likely = self.likelihoods.clues(answers, right) if self.likelihoods else [{} for _ in answers]
        found = []
        for number, answer in enumerate(answers):
            clues = likely[number] | {name: hits.get(number, Clue(0.0)) for name, hits in suspected.items()}
            clues |= self._wording(answer, right[number])
            if reference := right[number]:
                clues |= self._against(answer, reference, pairs[number], vectors)
                clues["likeness"] = Clue(1 - likeness[number], _little_like(likeness[number]))
            if answer.back is not None:
                distance = vectors.distance(answer.source.text, answer.back)
                clues["back"] = Clue(distance, f"translated back it says: {answer.back}")
                clues["back-likeness"] = Clue(1 - back[number])
            clues["topic"] = Clue(vectors.distance(answer.source.text, answer.output.text))
            found.append(clues)
        return found

    def _nearest_references(self, answers: Sequence[AnnotatedAnswer]) -> list[str | None]:
        """Of each answer the reference that it is most like, by chrF++."""
        flat = [(n, text) for n, answer in enumerate(answers) for text in answer.references if text.strip()]
        scores = _chrf([answers[n].output.text for n, _ in flat], [text for _, text in flat])
        best: dict[int, tuple[float, str]] = {}
        for (number, text), score in zip(flat, scores, strict=True):
            best[number] = max(best.get(number, (-1.0, "")), (score, text), key=lambda pair: pair[0])
        return [best[n][1] if n in best else None for n in range(len(answers))]

    def _wording(self, answer: AnnotatedAnswer, reference: str | None) -> dict[str, Clue]:
        """How odd the output reads, and whether it says no oftener than the source, or the reference."""
        words = small_words(answer.output.text)
        neighbours = [
            (self.words.association(one, other), one, other)
            for one, other in pairwise(words)
            if one.isalpha() and other.isalpha()
        ]
        surprises = [(self.words.surprise(one, other), one, other) for one, other in pairwise(words)]
        clues = {"neighbours": Clue(0.0), "surprise": Clue(0.0)}
        if neighbours:
            lowest, one, other = min(neighbours)
            value = -sum(min(entry[0], 0.0) for entry in neighbours) / len(neighbours)
            why = f"rarely side by side: {one} {other}" if lowest < -1 else ""
            clues["neighbours"] = Clue(value, why, (one, other))
        if surprises:
            highest, one, other = max(surprises)
            clues["surprise"] = Clue(highest, "", (one, other))
        source = NEGATIONS.get(self.pair.source.code.partition("-")[0])
        target = NEGATIONS.get(self.pair.target.code.partition("-")[0])
        if source and target:
            says = target.count(answer.output.text)
            more = says > source.count(answer.source.text)
            if reference:
                oftener = says > target.count(reference)
                value = (oftener + (oftener and more)) / 2
                clues["negations"] = Clue(value, "it says no oftener than the reference" if value else "")
            else:
                clues["negations"] = Clue(float(more), "it says no oftener than the source" if more else "")
        return clues

    def _against(
        self, answer: AnnotatedAnswer, reference: str, stretches: Sequence[Rewording], vectors: _Vectors
    ) -> dict[str, Clue]:
        """How an output stands to its reference: by meaning, in its most different wording, and in forms."""
        distance = vectors.distance(reference, answer.output.text)
        clues = {"meaning": Clue(distance, f"far from the reference in meaning (cosine {1 - distance:.2f})")}
        worst = Clue(0.0)
        forms: list[str] = []
        for stretch in stretches:
            value = self._weight(stretch, vectors)
            if value > worst.value:
                worst = Clue(value, _told(stretch), (*stretch.output, *stretch.reference))
            if len(stretch.reference) == len(stretch.output):
                pairs = zip(stretch.reference, stretch.output, strict=True)
                forms += [f"{other} for {one}" for one, other in pairs if _are_other_forms(one, other)]
        clues["wording"] = worst
        words = tuple(word for form in forms for word in form.split(" for "))
        clues["forms"] = Clue(len(forms), f"another form: {', '.join(forms)}" if forms else "", words)
        return clues

    def _weight(self, stretch: Rewording, vectors: _Vectors) -> float:
        """How far apart both sides are in meaning, times how many content words there are."""
        counts = [sum(map(self._says_much, side)) for side in stretch]
        if not any(counts) or list(map(_stem, stretch.reference)) == list(map(_stem, stretch.output)):
            return 0.0
        if not stretch.reference or not stretch.output:
            return _GONE * sum(counts)
        return vectors.distance(*map(" ".join, stretch)) * max(counts)

    def _says_much(self, word: str) -> bool:
        return word[0].isalnum() and self.words.frequency(word) < _FREQUENT


class _Vectors:
    """The cosine distances of texts, all of which are encoded in one go."""

    def __init__(self, encoder: Encoder, texts: Iterable[str | None]) -> None:
        distinct = sorted({text for text in texts if text and text.strip()})
        vectors: Vectors = unit(encoder(distinct)) if distinct else np.empty((0, 1), np.float32)
        self._rows = dict(zip(distinct, vectors, strict=True))

    def distance(self, one: str, other: str) -> float:
        """1 minus the cosine; 1 where a text is empty."""
        if one not in self._rows or other not in self._rows:
            return 1.0
        return 1.0 - float(self._rows[one] @ self._rows[other])


def _differences(reference: str, output: str) -> list[Rewording]:
    """The stretches in which an output differs from its reference, forms of a word counting as one."""
    sides = [[word for word in small_words(text) if word[0].isalnum()] for text in (reference, output)]
    keys, other_keys = ([_stem(word) for word in side] for side in sides)
    stretches = []
    matcher = SequenceMatcher(None, keys, other_keys, autojunk=False)
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        there, here = sides[0][start:end], sides[1][other_start:other_end]
        if kind == "equal":
            both = zip(there, here, strict=True)
            stretches += [Rewording((one,), (other,)) for one, other in both if one != other]
        else:
            stretches.append(Rewording(tuple(there), tuple(here)))
    return stretches


def _stem(word: str) -> str:
    """The letters that forms of a word mostly share."""
    return word[: max(3, len(word) - 2)]


_ARTICLES = [{"o", "a", "os", "as"}, {"um", "uma"}, {"do", "da", "dos", "das"}, {"no", "na", "nos", "nas"},
             {"ao", "à", "aos", "às"}]  # fmt: skip


def _are_other_forms(one: str, other: str) -> bool:
    """Whether two words are one in different gender, number or person.

    >>> _are_other_forms("eliminado", "eliminada"), _are_other_forms("a", "o"), _are_other_forms("mar", "lar")
    (True, True, False)
    """
    if one == other:
        return False
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    if max(len(one), len(other)) - same > 2:
        return False
    return same >= 3 or any({one, other} <= forms for forms in _ARTICLES)


def _little_like(likeness: float) -> str:
    return f"little like the reference (chrF++ {100 * likeness:.0f})"


def _told(stretch: Rewording) -> str:
    here, there = " ".join(stretch.output), " ".join(stretch.reference)
    if not here:
        return f"missing: {there}"
    return f"{here!r} where the reference has {there!r}" if there else f"added: {here}"


def _chrf(outputs: Sequence[str | None], references: Sequence[str | None]) -> list[float]:
    """chrF++ of each output against its one reference, from 0 to 1; 0 where there is none."""
    scores = [0.0] * len(outputs)
    metric = ChrF(word_order=2)
    rows = [n for n, both in enumerate(zip(outputs, references, strict=True)) if None not in both]
    if rows:
        segments = [Segment(str(n), "", (references[n] or "",)) for n in rows]
        (measured,) = metric.measure(segments, {"": [outputs[n] or "" for n in rows]})
        for n, score in zip(rows, metric.unit_scores(measured.values).tolist(), strict=True):
            scores[n] = score / 100
    return scores


def _with_plain_marks(answer: AnnotatedAnswer) -> AnnotatedAnswer:
    return replace(
        answer,
        source=_plain(answer.source),
        output=_plain(answer.output),
        references=tuple(map(plain_marks, answer.references)),
        back=None if answer.back is None else plain_marks(answer.back),
    )


def _plain(annotation: Annotation) -> Annotation:
    """The annotation of the text with plain marks, its tokens at their new places."""
    text, places = plain_text(annotation.text)
    tokens = []
    for token in annotation.tokens:
        start, end = bisect_left(places, token.start), bisect_left(places, token.end)
        tokens.append(token._replace(text=text[start:end], start=start, end=end))
    return replace(annotation, text=text, tokens=tuple(tokens))


def _numbered(answers: Sequence[AnnotatedAnswer]) -> list[AnnotatedAnswer]:
    """The same with numbers for ids, which may repeat."""
    return [
        AnnotatedAnswer(str(n), answer.source, answer.output, answer.references)
        for n, answer in enumerate(answers)
    ]


def _as_clue(suspicion: Suspicion) -> Clue:
    texts: list[str] = []
    for value in suspicion.evidence.values():
        texts += [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return Clue(suspicion.value, suspicion.why, tuple(small_words(" ".join(texts))[1:-1]))
