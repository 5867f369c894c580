"""What translation models find of a translation: words that are unlikely, what differs from the reference.

One model reads the output as a translation of the source, the other, of the opposite direction, reads the
source as a translation of the output: what an output does not say cannot be guessed from it. Where there is a
reference, what can be guessed from that shows what an output should have said. This is asked only of
translations that the model would have made much the same: there its doubt tells errors. What somebody else
says well in other words is unlikely, too.

Who reads the target language as a source also tells whether an output says what its reference says, by
whomever both are: the words of the reference that nothing in the output is like, as the encoder sees them in
their context (as BERTScore does, Zhang et al. 2020), and the words of the source that would be come to
differently from the one and from the other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from mtassay.data.languages import Pair
from mtassay.measures.clues import JudgedAnswer
from mtassay.measures.polarity import small_words
from mtassay.nlp.marian import (
    ComparedWord,
    ReadWord,
    RepresentedText,
    TranslationModel,
    find_model,
    open_model,
)


class Clue(NamedTuple):
    """How much something speaks for an error, in words if it tells something, and which words it is about."""

    value: float
    why: str = ""
    words: tuple[str, ...] = ()


LIKELIHOODS = (
    "unlikely", "unlikely-all", "unlikely-word", "unexpected", "doubt", "doubt-word",
    "unexplained", "unexplained-all", "unexplained-word",
)  # fmt: skip
"""The clues of an output that the model would have made much the same, by name."""
LOSSES = ("lost", "lost-all")
"""Those of such an output that has a reference."""
CONTRASTS = ("missing", "missing-word", "apart", "apart-word")
"""Those of every output that has a reference."""

_OWN = 0.9  # so many of the words must be those that the model itself finds likeliest
_TELLING = 3.0  # a surprise, in logs, from which on a reason names the word: a probability below 5 %
_MISSING = 0.7  # a distance times a rarity from which on it does, as in half of all outputs
_APART = 0.4  # a distance from which on it does, as in four of ten


@dataclass(frozen=True)
class Likelihoods:
    """Two translation models, one for each direction, and what they make of outputs."""

    folders: tuple[Path, Path]
    signature: str

    # Read when they are asked for: many a run that is told again needs the signature alone.

    @cached_property
    def there(self) -> TranslationModel:
        """The model of the direction that is judged."""
        return open_model(self.folders[0])

    @cached_property
    def back(self) -> TranslationModel:
        """The model of the other direction."""
        return open_model(self.folders[1])

    def clues(
        self, answers: Sequence[JudgedAnswer], references: Sequence[str | None]
    ) -> list[dict[str, Clue]]:
        """The clues of each answer by name; fewer where the model would have said it otherwise.

        Those that need a reference are there where there is one. Of texts that are too long there are none:
        what comes behind the end of what is read would be missing.
        """
        texts = [(a.source, a.output, r or "") for a, r in zip(answers, references, strict=True)]
        read = [n for n, sides in enumerate(texts) if not any(map(self._is_too_long, sides))]
        found: list[dict[str, Clue]] = [{} for _ in answers]
        clues = self._clues([answers[n] for n in read], [references[n] for n in read])
        for number, own in zip(read, clues, strict=True):
            found[number] = own
        return found

    def _is_too_long(self, text: str) -> bool:
        return self.there.is_too_long(text) or self.back.is_too_long(text)

    def _clues(
        self, answers: Sequence[JudgedAnswer], references: Sequence[str | None]
    ) -> list[dict[str, Clue]]:
        found = self._compared(answers, references)
        sides = [(answer.source, answer.output) for answer in answers]
        outputs = self.there.read(sides)
        own = [number for number, words in enumerate(outputs) if _is_own(words)]
        turned = {(sides[n][1], sides[n][0]) for n in own}
        turned |= {(reference, sides[n][0]) for n in own if (reference := references[n])}
        asked = sorted(turned)
        sources = dict(zip(asked, self.back.read(asked), strict=True))
        for number in own:
            (source, output), reference = sides[number], references[number]
            words_read = sources[output, source]
            found[number] |= _of_output(outputs[number]) | _of_source(words_read)
            if reference:
                found[number] |= _of_loss(words_read, sources[reference, source])
        return found

    def _compared(
        self, answers: Sequence[JudgedAnswer], references: Sequence[str | None]
    ) -> list[dict[str, Clue]]:
        """How each answer is to its reference, as the model sees both that reads their language."""
        found: list[dict[str, Clue]] = [{} for _ in answers]
        sides = {n: (references[n] or "", answer.output) for n, answer in enumerate(answers)}
        sides = {n: pair for n, pair in sides.items() if all(map(str.strip, pair))}
        compared = self.back.compare([(*pair, answers[n].source) for n, pair in sides.items()])
        for number, (reference, output, words) in zip(sides, compared, strict=True):
            found[number] = _of_match(reference, output) | _of_ways(words)
        return found


def _is_own(words: Sequence[ReadWord]) -> bool:
    """Whether nearly all words are those that the model finds likeliest."""
    likeliest = sum(word.surprise - word.expected < 1e-6 for word in words)
    return likeliest >= _OWN * len(words)


def _of_output(words: Sequence[ReadWord]) -> dict[str, Clue]:
    """How unlikely the words of the output are, and how little the model knows what should be there."""
    total = sum(word.surprise for word in words)
    least = max(words, key=lambda word: word.surprise)
    strange = max(words, key=lambda word: word.surprise - word.expected)
    doubtful = max(words, key=lambda word: word.doubt)
    gap = strange.surprise - strange.expected
    instead = f"a translation model expects {strange.instead!r} and not: "
    return {
        "unlikely": Clue(total / len(words)),
        "unlikely-all": Clue(total),
        "unlikely-word": _about(least.word, least.surprise, "unlikely there, says a translation model: "),
        "unexpected": _about(strange.word, gap, instead),
        "doubt": Clue(sum(word.doubt for word in words)),
        "doubt-word": Clue(doubtful.doubt),
    }


def _of_source(words: Sequence[ReadWord]) -> dict[str, Clue]:
    """How hard it is to guess the words of the source from the output."""
    total = sum(word.surprise for word in words)
    least = max(words, key=lambda word: word.surprise)
    return {
        "unexplained": Clue(total / len(words)),
        "unexplained-all": Clue(total),
        "unexplained-word": _about(least.word, least.surprise, "hard to guess from the translation: "),
    }


def _of_loss(words_read: Sequence[ReadWord], right: Sequence[ReadWord]) -> dict[str, Clue]:
    """How much better the words of the source can be guessed from the reference."""
    losses = [(word.surprise - best.surprise, word) for word, best in zip(words_read, right, strict=True)]
    loss, word = max(losses, key=lambda entry: entry[0])
    return {
        "lost": _about(word.word, loss, "the reference says it, the output does not: "),
        "lost-all": Clue(sum(max(loss, 0.0) for loss, _ in losses)),
    }


def _of_match(reference: RepresentedText, output: RepresentedText) -> dict[str, Clue]:
    """How far the words of a reference are from what the output has nearest, rare ones counting more."""
    if not len(reference.vectors) or not len(output.vectors):
        return dict.fromkeys(CONTRASTS[:2], Clue(0.0))
    distances = 1 - (reference.vectors @ output.vectors.T).max(axis=1)
    weighted = distances * reference.rarities
    worst = int(weighted.argmax())
    word = reference.words[reference.word_of[worst]]
    why = "the output has nothing like the reference's: "
    return {
        "missing": Clue(float(weighted.sum() / reference.rarities.sum())),
        "missing-word": _about(word, float(weighted[worst]), why, least=_MISSING),
    }


def _of_ways(words: Sequence[ComparedWord]) -> dict[str, Clue]:
    """How differently the words of the source are come to from the output and from the reference."""
    worst = max(words, key=lambda word: word.distance)
    why = "output and reference say it differently: "
    return {
        "apart": Clue(sum(word.distance for word in words) / len(words)),
        "apart-word": _about(worst.word, worst.distance, why, least=_APART),
    }


def _about(word: str, value: float, why: str, *, least: float = _TELLING) -> Clue:
    """A clue about one word, which it names behind `why` where the value tells something."""
    shown = word.strip(".,;:!?\"'()")
    return Clue(value, why + shown if shown and value >= least else "", tuple(small_words(shown)[1:-1]))


@cache
def find_likelihoods(pair: Pair) -> Likelihoods | None:
    """Models of both directions, where a package on this machine brings them; else `None`."""
    there, back = find_model(pair), find_model(Pair(pair.target, pair.source))
    if there is None or back is None:
        return None
    signature = hashlib.sha256(f"{there.name}+{back.name}".encode()).hexdigest()[:8]
    return Likelihoods((there, back), signature)
