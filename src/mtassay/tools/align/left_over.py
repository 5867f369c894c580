"""Links words that a table left without a partner, where the sentence encoder finds them near."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.tools.align.encoder_similarity import WordVectors
from mtassay.tools.align.nouns import Links, Words

__all__ = ["link_left_over"]

NEAR = 0.5  # cosine; any two words have 0.35 on average
LETTERS = 4  # short words are near to all others


def link_left_over(
    pairs: Sequence[tuple[Words, Words]], found: Sequence[Links], vectors: WordVectors
) -> list[Links]:
    """The links of each pair, and those between words without a link that are each other's nearest."""
    free = [_free(pair, links) for pair, links in zip(pairs, found, strict=True)]
    vectors.learn(
        [pair[side][at] for pair, both in zip(pairs, free, strict=True) if all(both) for side in (0, 1)
         for at in both[side]]
    )  # fmt: skip
    return [
        links | _nearest(pair, both, vectors) if all(both) else links
        for pair, links, both in zip(pairs, found, free, strict=True)
    ]


def _free(pair: tuple[Words, Words], links: Links) -> tuple[list[int], list[int]]:
    """The words of both sides that carry meaning and have no link, by number."""
    left, right = pair
    sources, targets = {i for i, _ in links}, {j for _, j in links}
    return (
        [i for i, word in enumerate(left) if i not in sources and _has_meaning(word)],
        [j for j, word in enumerate(right) if j not in targets and _has_meaning(word)],
    )


def _has_meaning(word: str) -> bool:
    """Long enough; a character outside the alphabets, as in Chinese, says as much as two letters.

    >>> [_has_meaning(word) for word in ["from", "the", "海洋", "的", "19", "..."]]
    [True, False, True, False, True, False]
    """
    size = sum(2 if character >= "\u3040" else 1 for character in word if character.isalnum())
    return size >= LETTERS or any(character.isdigit() for character in word)


def _nearest(pair: tuple[Words, Words], free: tuple[list[int], list[int]], vectors: WordVectors) -> Links:
    left, right = pair
    rows, columns = free
    near = vectors.similarity([left[i] for i in rows], [right[j] for j in columns])
    best, back = near.argmax(axis=1).tolist(), near.argmax(axis=0).tolist()
    return frozenset(
        (rows[row], columns[column])
        for row, column in enumerate(best)
        if back[column] == row and near[row, column] >= NEAR
    )
