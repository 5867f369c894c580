"""The built-in substituter: a table of words that can replace each other, by inflection.

Each line of a table has three cells separated by tabs: the inflection key, the word in lower case (proper
names as written), and its substitutes, best first, as `word:score` separated by spaces. English keys are Penn
tags (`NNS`). Other keys are the universal part of speech and the word's values of gender, number, degree,
tense, mood, verb form and person, separated by bars: `NOUN|Fem|Plur`. Lines that begin with # are ignored.

The scores of English nouns and adjectives say how naturally a substitute reads, judged by a language model in
all kinds of sentences. A small network, `Cloze`, judges whether a substitute fits its place. For verbs and
adverbs, a second table has common neighbours, so that fixed phrases are not changed.
"""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.textfiles import read_bytes
from mtassay.data.language_packs import missing_pack, pack_file, pack_files
from mtassay.data.words import plain_text
from mtassay.methods.invariance.substitutes import Candidate, Substituter, WordPlace
from mtassay.nlp.annotation import Token

_HALF = 12  # words that the network reads on either side
_PADDING, _GAP, _FIRST, _LAST = range(4)
_HEADS = 4
_BATCH = 256
_TOKEN = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|[0-9]+|[^\w\s]")

Numbers = NDArray[np.float32]


class WordChoice(NamedTuple):
    """A text, the position of a word, the word itself, and its possible replacements."""

    text: str
    start: int
    word: str
    others: Sequence[str]


def token_numbers(text: str, words: Mapping[str, int]) -> list[tuple[int, int]]:
    """The position and number of each word or punctuation mark; unknown ones get the number of their kind.

    >>> token_numbers("A dog!", {"a": 5, "<unk>": 4, "!": 6})
    [(0, 5), (2, 4), (5, 6)]
    """
    plain = plain_text(text)
    return [(plain.places[m.start()], _number(m.group(), words)) for m in _TOKEN.finditer(plain.text)]


def tokens_around(text: str, start: int, words: Mapping[str, int]) -> list[int]:
    """The numbers of the words around a gap, which is the word that begins at `start`; 0 beyond the ends.

    >>> around = tokens_around("A dog barks.", 2, {"a": 5, "barks": 6, ".": 7})
    >>> around[10:17]
    [2, 5, 1, 6, 7, 3, 0]
    """
    tokens = token_numbers(text, words)
    numbers = [_FIRST, *(number for _, number in tokens), _LAST]
    gap = sum(begins <= start for begins, _ in tokens)
    around = [
        numbers[index] if 0 <= index < len(numbers) else _PADDING
        for index in range(gap - _HALF, gap + _HALF + 1)
    ]
    around[_HALF] = _GAP
    return around


def _number(token: str, words: Mapping[str, int]) -> int:
    number = words.get(token.lower())
    if number is not None:
        return number
    kind = "<num>" if token[0].isdigit() else "<name>" if token[0].isupper() else "<unk>"
    return words.get(kind, _PADDING)


class Cloze:
    """The network that judges words in their place; `digest` identifies its weights."""

    def __init__(self, words: Sequence[str], weights: Mapping[str, Numbers], *, digest: str = "") -> None:
        self.digest = digest
        self._words = {word: number for number, word in enumerate(words)}
        self._weights = weights

    def advantage(self, choices: Sequence[WordChoice]) -> list[list[float | None]]:
        """Return each other word's log odds (natural) against the present word, for each choice in order.

        Below 0 the present word is more likely; `None` if the network does not know a word.
        """
        answers: list[list[float | None]] = []
        for start in range(0, len(choices), _BATCH):
            batch = choices[start : start + _BATCH]
            gaps = self._read([tokens_around(choice.text, choice.start, self._words) for choice in batch])
            answers.extend(self._answer(choice, gap) for choice, gap in zip(batch, gaps, strict=True))
        return answers

    def _answer(self, choice: WordChoice, gap: Numbers) -> list[float | None]:
        numbers = [self._words.get(word.lower()) for word in (choice.word, *choice.others)]
        known = [number for number in numbers if number is not None]
        values = iter(self._weights["e.weight"][known] @ gap + self._weights["b"][known])
        logits = [None if number is None else float(next(values)) for number in numbers]
        was = logits[0]
        return [None if was is None or logit is None else logit - was for logit in logits[1:]]

    def _read(self, around: Sequence[Sequence[int]]) -> Numbers:
        """Compute a vector for each gap with a Transformer (Vaswani et al. 2017) that normalises first."""
        weights = self._weights
        numbers = np.array(around)
        x = weights["e.weight"][numbers] + weights["p"]
        unseen = np.where(numbers == _PADDING, np.float32(-1e4), np.float32(0))[:, None, None, :]
        layers = sum(name.startswith("n1.") and name.endswith("weight") for name in weights)
        for layer in range(layers):
            x = x + self._attend(self._norm(x, f"n1.{layer}"), layer, unseen)
            hidden = np.maximum(self._linear(self._norm(x, f"n2.{layer}"), f"f1.{layer}"), 0)
            x = x + self._linear(hidden, f"f2.{layer}")
        return self._linear(self._norm(x[:, _HALF], "n"), "out")

    def _attend(self, x: Numbers, layer: int, unseen: Numbers) -> Numbers:
        size, length, width = x.shape
        parts = self._linear(x, f"qkv.{layer}").reshape(size, length, 3, _HEADS, width // _HEADS)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        scores = query @ key.swapaxes(-1, -2) / np.sqrt(np.float32(width // _HEADS)) + unseen
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        return self._linear((shares @ value).swapaxes(1, 2).reshape(size, length, width), f"o.{layer}")

    def _linear(self, x: Numbers, name: str) -> Numbers:
        result: Numbers = x @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _norm(self, x: Numbers, name: str) -> Numbers:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + np.float32(1e-5))
        result: Numbers = scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return result


@cache
def open_cloze(language: str) -> Cloze | None:
    """Open the network of a language pack; `None` if it has no network.

    Matrices are stored as bytes, with one scale for each row.
    """
    path = pack_file("cloze", language)
    if path is None:
        return None
    data = path.read_bytes()
    with np.load(BytesIO(data)) as stored:
        arrays: dict[str, NDArray[Any]] = {name: stored[name] for name in stored.files}
    words = bytes(arrays.pop("words")).decode("utf-8").split("\n")
    weights = {
        name: (array * arrays[f"{name}:scale"] if f"{name}:scale" in arrays else array).astype(np.float32)
        for name, array in arrays.items()
        if not name.endswith(":scale")
    }
    return Cloze(words, weights, digest=sha256(data).hexdigest()[:12])


_MODIFIERS = frozenset(("amod", "compound", "nmod", "nn"))


class Pairs:
    """Common pairs of neighbouring words, by the left word; `digest` identifies the table.

    >>> pairs = Pairs({"white": "bread rice"})
    >>> pairs.common("white", "rice"), pairs.common("white", "rye")
    (True, False)
    """

    def __init__(self, right: dict[str, str], *, digest: str = "") -> None:
        self.digest = digest
        self._right = right
        self._sets: dict[str, frozenset[str]] = {}

    def common(self, left: str, right: str) -> bool:
        """Whether these two words (in lower case) are often neighbours."""
        if left not in self._sets:
            self._sets[left] = frozenset(self._right.get(left, "").split())
        return right in self._sets[left]

    def fits(self, place: WordPlace, word: str) -> bool:
        """Whether a word goes with its neighbours; common pairs and modifiers need a pair that is common.

        Words that go with nearly all words ("the", "and") are in no pair and have no influence.
        """
        tokens = place.sentence.tokens
        old, new = tokens[place.token].text.lower(), word.lower()
        for near in (place.token - 1, place.token + 1):
            if not 0 <= near < len(tokens):
                continue
            beside = tokens[near].text.lower()
            was, becomes = (
                ((beside, old), (beside, new)) if near < place.token else ((old, beside), (new, beside))
            )
            if self.common(*becomes):
                continue
            if self.common(*was) or _modifies(tokens, place.token, near):
                return False
        return True


def _modifies(tokens: Sequence[Token], one: int, other: int) -> bool:
    """Whether one of two tokens is the other's adjective or a part of its compound."""
    both = ((tokens[one], other), (tokens[other], one))
    return any(token.head == head and token.relation in _MODIFIERS for token, head in both)


@cache
def open_pairs(language: str) -> Pairs | None:
    """Open the common pairs of a language pack; `None` if it has no table."""
    path = pack_file("collocations", language)
    if path is None:
        return None
    data = gzip.decompress(path.read_bytes())
    lines = data.decode("utf-8").splitlines()
    return Pairs(dict(line.split("\t", 1) for line in lines), digest=sha256(data).hexdigest()[:12])


_ALONE = 0.7  # lowest score of an adjective without a noun beside it
_FEATURES = ("Gender", "Number", "Degree", "Tense", "Mood", "VerbForm", "Person")
_PENN = re.compile(r"NNP?S?|JJ[RS]?|RB[RS]?|VB[DGNPZ]?|CD|IN|PRP\$?")  # Penn tags of words that may change


def inflection(token: Token) -> str:
    """The inflection key of a token; a substitute must have the same key.

    >>> inflection(Token("dogs", 0, 4, tag="NNS", pos="NOUN"))
    'NNS'
    >>> inflection(Token("casas", 0, 5, pos="NOUN", features={"Gender": "Fem", "Number": "Plur"}))
    'NOUN|Fem|Plur'
    """
    if _PENN.fullmatch(token.tag):
        return token.tag
    return "|".join((token.pos, *(token.features[name] for name in _FEATURES if name in token.features)))


_JUDGED = frozenset(("NN", "NNS", "JJ", "JJR", "JJS"))  # words whose scores come from a language model
_OF_THE_PLACE = 0.133  # weight, from a regression on variants that a language model labelled
# From _LEAST, a word must also go with its neighbours; from _SURE, it reads naturally without that.
_SURE, _LEAST = 0.88, 0.8


def naturalness(score: float, advantage: float) -> float:
    """The probability that a variant reads naturally, from 0 to 1.

    `score` comes from the table, for a place that favours neither word. `advantage` is the natural log of how
    much more likely the new word is in this place than the old word.

    >>> round(naturalness(0.8, 0.0), 2), round(naturalness(0.8, -10.0), 2)
    (0.8, 0.51)
    """
    score = min(max(score, 0.01), 0.99)
    return 1 / (1 + (1 - score) / score * math.exp(-_OF_THE_PLACE * advantage))


class SubstituteLexicon(Substituter):
    """A table of substitutes, and the conditions for a substitute.

    `lines` has the cells with substitutes by key and word; they are split when needed. With a `cloze`, nouns
    and adjectives must read naturally in their place, and their score is the probability of this. Other words
    must go with their neighbours in `pairs`, unless their score is at least `sure`. `has_matched` says
    whether any place so far had a row in the table.
    """

    name = "lexicon"
    about: ClassVar[str] = "words that can replace each other, in tables of a language pack"

    @classmethod
    def open(cls, rest: str, language: str) -> Substituter:
        if language not in languages_with_lexicon():
            if install := missing_pack("substitutes", language):
                raise UsageError(f"No lexicon for '{language}'. {install}")
            known = ", ".join(languages_with_lexicon()) or "no language"
            raise UsageError(
                f"No lexicon for '{language}' (there is one for {known})."
                " Take fill-mask:MODEL, as fill-mask:xlm-roberta-base, llm:MODEL,"
                " or a table of your own: file:PATH."
            )
        return open_lexicon(language)

    def __init__(
        self,
        lines: dict[tuple[str, str], str],
        *,
        signature: str,
        pairs: Pairs | None = None,
        cloze: Cloze | None = None,
        sure: float = 0.8,
    ) -> None:
        self._lines = lines
        self._pairs = pairs
        self._cloze = cloze
        self._sure = sure
        self._signature = signature
        self.has_matched = False

    @property
    def signature(self) -> str:
        """The origin of the table, and a digest of it and of the pairs."""
        return self._signature

    def substitutes(self, places: Sequence[WordPlace], *, count: int) -> list[list[Candidate]]:
        """Return the words of the table that fit their places."""
        candidates = [self._at(place) for place in places]
        if self._cloze is not None:
            judged = [number for number, place in enumerate(places) if inflection(_token(place)) in _JUDGED]
            chosen = _natural([(places[n], candidates[n]) for n in judged], self._cloze, self._pairs)
            for number, natural in zip(judged, chosen, strict=True):
                candidates[number] = natural
        return [words[:count] for words in candidates]

    def _at(self, place: WordPlace) -> list[Candidate]:
        token = _token(place)
        key = inflection(token)
        line = self._lines.get((key, token.text)) or self._lines.get((key, token.text.lower()), "")
        self.has_matched |= bool(line)
        candidates = [_candidate(cell) for cell in line.split()]
        if self._pairs is None or (self._cloze is not None and key in _JUDGED):
            return candidates
        return [candidate for candidate in candidates if self._goes(place, candidate, self._pairs)]

    def _goes(self, place: WordPlace, candidate: Candidate, pairs: Pairs) -> bool:
        if candidate.score >= self._sure:
            return True
        if _stands_alone(place) and candidate.score < _ALONE:
            return False
        return pairs.fits(place, candidate.word)


def _natural(
    proposals: Sequence[tuple[WordPlace, Sequence[Candidate]]], cloze: Cloze, pairs: Pairs | None
) -> list[list[Candidate]]:
    """Return for each place the words that read naturally there, best first.

    A noun before a noun is not replaced, since it is usually part of a compound ("chain reaction").
    """
    asked = [
        [] if _token(place).relation == "compound" else list(candidates) for place, candidates in proposals
    ]
    advantage = cloze.advantage(
        [
            WordChoice(place.sentence.text, _token(place).start, _token(place).text, [c.word for c in words])
            for (place, _), words in zip(proposals, asked, strict=True)
        ]
    )
    kept = []
    for (place, _), words, answers in zip(proposals, asked, advantage, strict=True):
        scores = {
            word.word: naturalness(word.score, more)
            for word, more in zip(words, answers, strict=True)
            if more is not None
        }
        fitting = [
            Candidate(word, score)
            for word, score in scores.items()
            if score >= _SURE or (score >= _LEAST and (pairs is None or pairs.fits(place, word)))
        ]
        kept.append(sorted(fitting, key=lambda word: (-word.score, word.word)))
    return kept


def _token(place: WordPlace) -> Token:
    return place.sentence.tokens[place.token]


class TableFile(SubstituteLexicon):
    """A substituter with a table from a file."""

    name = "file"
    about: ClassVar[str] = "a table of your own"
    argument: ClassVar[str] = "PATH"
    wants: ClassVar[str] = "the file of a table"

    @classmethod
    def open(cls, rest: str, language: str) -> Substituter:
        return read_lexicon(rest, kind=cls)


def _stands_alone(place: WordPlace) -> bool:
    """Whether the word is an adjective without a noun beside it, which no pair supports: "it is late"."""
    token = place.sentence.tokens[place.token]
    return token.pos == "ADJ" and token.head != place.token + 1


def open_lexicon(language: str) -> SubstituteLexicon:
    """Open the table of a language pack; `UsageError` if it has no table."""
    path = pack_file("substitutes", language)
    if path is None:
        raise UsageError(f"No lexicon for '{language}'. Available: {', '.join(languages_with_lexicon())}.")
    return read_lexicon(
        path, name=f"lexicon:{language}", pairs=open_pairs(language), cloze=open_cloze(language)
    )


def languages_with_lexicon() -> list[str]:
    """The installed languages that have a table, in order."""
    return list(pack_files("substitutes"))


def read_lexicon(
    path: str | Path,
    *,
    name: str | None = None,
    pairs: Pairs | None = None,
    cloze: Cloze | None = None,
    kind: type[SubstituteLexicon] = SubstituteLexicon,
) -> SubstituteLexicon:
    """Read a table from a file (gzip if named `.gz`); `name` is the table's name in the signature.

    Without `pairs` and `cloze`, neighbouring words have no influence.
    """
    data = read_bytes(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("not UTF-8; save the table as UTF-8", path=path) from None
    lines: dict[tuple[str, str], str] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        cells = line.rstrip("\r").split("\t")
        if len(cells) == 3:
            if name is None:  # our own tables are checked when they are built
                _check_scores(cells[2], path, number)
            lines[cells[0], cells[1]] = cells[2]
        elif line.strip() and not line.startswith("#"):
            raise InputError(
                f"{len(cells)} cells, expected 3 between tabs: inflection, word, substitutes",
                path=path,
                line=number,
            )
    if not lines:
        raise InputError("no substitutes in it", path=path)
    parts = [name or f"file:{Path(path).name}", sha256(data).hexdigest()[:12]]
    if pairs is not None:
        parts.append(f"pairs:{pairs.digest}")
    if cloze is not None:
        parts.append(f"cloze:{cloze.digest}")
    return kind(lines, signature="|".join(parts), pairs=pairs, cloze=cloze)


def _check_scores(cell: str, path: str | Path, line: int) -> None:
    for word, colon, score in (entry.rpartition(":") for entry in cell.split()):
        if colon and not score.isdecimal():
            raise InputError(f"{score[:40]!r} is no score; write hundredths: {word}:70", path=path, line=line)


def _candidate(cell: str) -> Candidate:
    """Split `tunnel:69` into a word and its score; a word without a number has score 0."""
    word, colon, score = cell.rpartition(":")
    if colon and score.isdecimal():
        return Candidate(word, int(score) / 100)
    return Candidate(cell, 0.0)
