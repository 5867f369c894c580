"""What translation models find of a translation: words that are unlikely, source words that got lost.

It is asked only of translations that the model would have made much the same: there its doubt tells errors.
What somebody else says well in other words is unlikely, too.

One model reads the output as a translation of the source, the other, of the opposite direction, reads the
source as a translation of the output: what an output does not say cannot be guessed from it. Where there is a
reference, what can be guessed from that shows what an output should have said.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from mtassay.detectors.answers import AnnotatedAnswer
from mtassay.detectors.clue import Clue
from mtassay.detectors.vocabulary import small_words
from mtassay.languages import Pair
from mtassay.tools.marian import ReadWord, TranslationModel, find_model, open_model

__all__ = ["LIKELIHOODS", "LOSSES", "Likelihoods", "find_likelihoods"]

LIKELIHOODS = (
    "unlikely", "unlikely-all", "unlikely-word", "unexpected", "doubt", "doubt-word",
    "unexplained", "unexplained-all", "unexplained-word",
)  # fmt: skip
"""The clues of every output, by name."""
LOSSES = ("lost", "lost-all")
"""Those of an output that has a reference."""

_OWN = 0.9  # so many of the words must be those that the model itself finds likeliest
_TELLING = 3.0  # a surprise, in logs, from which on a reason names the word: a probability below 5 %


@dataclass(frozen=True)
class Likelihoods:
    """Two translation models, one for each direction, and what they make of outputs."""

    there: TranslationModel
    back: TranslationModel
    signature: str

    def clues(
        self, answers: Sequence[AnnotatedAnswer], references: Sequence[str | None]
    ) -> list[dict[str, Clue]]:
        """The clues of each answer by name: none where the model would have said it otherwise.

        Those that need a reference are there where there is one.
        """
        sides = [(answer.source.text, answer.output.text) for answer in answers]
        outputs = self.there.read(sides)
        own = [number for number, words in enumerate(outputs) if _is_own(words)]
        turned = {(sides[n][1], sides[n][0]) for n in own}
        turned |= {(reference, sides[n][0]) for n in own if (reference := references[n])}
        asked = sorted(turned)
        sources = dict(zip(asked, self.back.read(asked), strict=True))
        found: list[dict[str, Clue]] = [{} for _ in answers]
        for number in own:
            (source, output), reference = sides[number], references[number]
            heard = sources[output, source]
            found[number] = _of_output(outputs[number]) | _of_source(heard)
            if reference:
                found[number] |= _of_loss(heard, sources[reference, source])
        return found


def _is_own(words: Sequence[ReadWord]) -> bool:
    """Whether nearly all words are those that the model finds likeliest."""
    likeliest = sum(word.surprise - word.expected < 1e-6 for word in words)
    return likeliest >= _OWN * len(words)


def _of_output(words: Sequence[ReadWord]) -> dict[str, Clue]:
    """How unlikely the words of the output are, and how little the model knows what should stand there."""
    total = sum(word.surprise for word in words)
    least = max(words, key=lambda word: word.surprise)
    strange = max(words, key=lambda word: word.surprise - word.expected)
    doubtful = max(words, key=lambda word: word.doubt)
    gap = strange.surprise - strange.expected
    return {
        "unlikely": Clue(total / len(words)),
        "unlikely-all": Clue(total),
        "unlikely-word": _about(least, least.surprise, "unlikely there, says a translation model: {}"),
        "unexpected": _about(
            strange, gap, f"a translation model expects {strange.instead!r} and not: {{}}", least=_TELLING
        ),
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
        "unexplained-word": _about(least, least.surprise, "hard to hear from the translation: {}"),
    }


def _of_loss(heard: Sequence[ReadWord], right: Sequence[ReadWord]) -> dict[str, Clue]:
    """How much better the words of the source can be guessed from the reference."""
    losses = [(word.surprise - best.surprise, word) for word, best in zip(heard, right, strict=True)]
    loss, word = max(losses, key=lambda entry: entry[0])
    return {
        "lost": _about(word, loss, "the reference says it, the output hardly: {}"),
        "lost-all": Clue(sum(max(loss, 0.0) for loss, _ in losses)),
    }


def _about(word: ReadWord, value: float, why: str, *, least: float = _TELLING) -> Clue:
    """A clue about one word, which it names where the value tells something."""
    shown = word.word.strip(".,;:!?\"'()")
    return Clue(value, why.format(shown) if shown and value >= least else "", tuple(small_words(shown)[1:-1]))


@cache
def find_likelihoods(pair: Pair) -> Likelihoods | None:
    """Models of both directions, where a package on this machine brings them; else `None`."""
    folders = find_model(pair), find_model(Pair(pair.target, pair.source))
    if folders[0] is None or folders[1] is None:
        return None
    names = "+".join(folder.name for folder in folders if folder is not None)
    signature = hashlib.sha256(names.encode()).hexdigest()[:8]
    return Likelihoods(open_model(folders[0]), open_model(folders[1]), signature)
