"""From what a language model predicts for a place to words that can stand there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from mtassay.methods.invariance.variants.base import Candidate, Place
from mtassay.methods.invariance.variants.places import with_case
from mtassay.tools.lm.hub import Gap, LanguageModel, Prediction, Row, by_length
from mtassay.tools.lm.vocabulary import Where, Words, where

__all__ = ["DIGITS", "best", "gap_at", "predict_words"]

DIGITS = 4
"""How many decimals of a log-probability count: the last bits depend on what else is in the batch."""


def gap_at(place: Place) -> Gap:
    """The text around the word at a place."""
    token = place.sentence.tokens[place.token]
    return Gap(place.sentence.text[: token.start], place.sentence.text[token.end :])


def predict_words(
    model: LanguageModel, words: Words, places: Sequence[Place], rows: Sequence[Row | None], *, count: int
) -> list[list[Candidate]]:
    """For each place, in order, at most `count` words that the model predicts from its row; `[]` without one.

    They are spelled for the place, and never the word that stands there already. Scores are
    log-probabilities. `words` are those of the model's vocabulary.
    """
    # A batch has one set of words to choose from: those that follow a space, or those that do not.
    alike: dict[Where, list[tuple[int, Row]]] = defaultdict(list)
    for number, (place, row) in enumerate(zip(places, rows, strict=True)):
        if row is not None:
            alike[where(gap_at(place).before)].append((number, row))
    predicted: dict[int, list[Prediction]] = {}
    for position, numbered in alike.items():
        among = words.among(position)
        for batch in by_length([len(row.tokens) for _, row in numbered], budget=model.budget):
            chosen = [numbered[member] for member in batch]
            # More than asked for: the word itself comes back too, and words in several cases.
            answers = model.predict([row for _, row in chosen], among=among, count=3 * (count + 1))
            predicted |= {number: answer for (number, _), answer in zip(chosen, answers, strict=True)}
    return [
        best(_spelled(place, predicted.get(number, []), words), count=count)
        for number, place in enumerate(places)
    ]


def _spelled(place: Place, predictions: Sequence[Prediction], words: Words) -> list[Candidate]:
    like = place.sentence.tokens[place.token].text
    found: dict[str, Candidate] = {}
    for piece, score in predictions:
        word = with_case(words.spelled[piece], like)
        if word.casefold() != like.casefold():
            # Best first: a second spelling of the same word is the less probable one.
            found.setdefault(word, Candidate(word, score))
    return list(found.values())


def best(candidates: Iterable[Candidate], *, count: int) -> list[Candidate]:
    """The best `count`, best first, with rounded scores; ties in alphabetical order."""
    rounded = [Candidate(word, round(score, DIGITS)) for word, score in candidates]
    return sorted(rounded, key=lambda candidate: (-candidate.score, candidate.word))[:count]
