"""Clues from translation models: unlikely words of an output, and differences from the reference.

One model reads the output as a translation of the source. Another model, for the opposite direction, reads
the source as a translation of the output: missing content cannot be predicted from the output, but from a
reference. These clues are only computed for translations that are similar to the model's own. For these, its
uncertainty shows errors; otherwise, good translations in other words would also be unlikely.

The model that reads the target language also compares any output with its reference. It finds words of the
reference without a similar word in the output, by the encoder's states in context (as in BERTScore, Zhang et
al. 2020). It also finds words of the source that it would predict differently from the two texts.
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
    """Evidence for an error: a value, a message if it is strong enough, and the words concerned."""

    value: float
    why: str = ""
    words: tuple[str, ...] = ()


LIKELIHOODS = (
    "unlikely", "unlikely-all", "unlikely-word", "unexpected", "doubt", "doubt-word",
    "unexplained", "unexplained-all", "unexplained-word",
)  # fmt: skip
"""Names of the clues for an output that is similar to the model's own translation."""
LOSSES = ("lost", "lost-all")
"""More clues for such an output with a reference."""
CONTRASTS = ("missing", "missing-word", "apart", "apart-word")
"""The clues for every output with a reference."""

_OWN = 0.9  # share of words that must be the model's first choice
_TELLING = 3.0  # surprise (nats) from which a reason names the word: a probability below 5 %
_MISSING = 0.7  # distance times rarity from which it does, as in half of all outputs
_APART = 0.4  # distance from which it does, as in 4 of 10 outputs


@dataclass(frozen=True)
class Likelihoods:
    """Two translation models, one for each direction, that compute clues of outputs."""

    folders: tuple[Path, Path]
    signature: str

    # Loaded on demand, since a run from the cache often needs only the signature.

    @cached_property
    def there(self) -> TranslationModel:
        """The model of the judged direction."""
        return open_model(self.folders[0])

    @cached_property
    def back(self) -> TranslationModel:
        """The model of the other direction."""
        return open_model(self.folders[1])

    def clues(
        self, answers: Sequence[JudgedAnswer], references: Sequence[str | None]
    ) -> list[dict[str, Clue]]:
        """Return each answer's clues by name; there are fewer if the model would translate differently.

        Some clues need a reference. Texts that are too long for the model have no clues.
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
        """Compare each answer with its reference by the model that reads their language."""
        found: list[dict[str, Clue]] = [{} for _ in answers]
        sides = {n: (references[n] or "", answer.output) for n, answer in enumerate(answers)}
        sides = {n: pair for n, pair in sides.items() if all(map(str.strip, pair))}
        compared = self.back.compare([(*pair, answers[n].source) for n, pair in sides.items()])
        for number, (reference, output, words) in zip(sides, compared, strict=True):
            found[number] = _of_match(reference, output) | _of_ways(words)
        return found


def _is_own(words: Sequence[ReadWord]) -> bool:
    """Whether nearly all words are the model's first choice."""
    likeliest = sum(word.surprise - word.expected < 1e-6 for word in words)
    return likeliest >= _OWN * len(words)


def _of_output(words: Sequence[ReadWord]) -> dict[str, Clue]:
    """Clues from improbable words of the output, and from the model's uncertainty."""
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
    """Clues from words of the source that are hard to predict from the output."""
    total = sum(word.surprise for word in words)
    least = max(words, key=lambda word: word.surprise)
    return {
        "unexplained": Clue(total / len(words)),
        "unexplained-all": Clue(total),
        "unexplained-word": _about(least.word, least.surprise, "hard to guess from the translation: "),
    }


def _of_loss(words_read: Sequence[ReadWord], right: Sequence[ReadWord]) -> dict[str, Clue]:
    """Clues from words of the source that are easier to predict from the reference than from the output."""
    losses = [(word.surprise - best.surprise, word) for word, best in zip(words_read, right, strict=True)]
    loss, word = max(losses, key=lambda entry: entry[0])
    return {
        "lost": _about(word.word, loss, "the reference says it, the output does not: "),
        "lost-all": Clue(sum(max(loss, 0.0) for loss, _ in losses)),
    }


def _of_match(reference: RepresentedText, output: RepresentedText) -> dict[str, Clue]:
    """Clues from distances of a reference's words to the closest output word; rare words count more."""
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
    """Clues from words of the source that the model predicts differently from output and reference."""
    worst = max(words, key=lambda word: word.distance)
    why = "output and reference say it differently: "
    return {
        "apart": Clue(sum(word.distance for word in words) / len(words)),
        "apart-word": _about(worst.word, worst.distance, why, least=_APART),
    }


def _about(word: str, value: float, why: str, *, least: float = _TELLING) -> Clue:
    """A clue about one word; if its value is at least `least`, it has a message: `why` and the word."""
    shown = word.strip(".,;:!?\"'()")
    return Clue(value, why + shown if shown and value >= least else "", tuple(small_words(shown)[1:-1]))


@cache
def find_likelihoods(pair: Pair) -> Likelihoods | None:
    """Find the models of both directions; `None` if no installed package has them."""
    there, back = find_model(pair), find_model(Pair(pair.target, pair.source))
    if there is None or back is None:
        return None
    signature = hashlib.sha256(f"{there.name}+{back.name}".encode()).hexdigest()[:8]
    return Likelihoods((there, back), signature)
