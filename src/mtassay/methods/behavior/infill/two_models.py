"""Two models as infiller: one fills the source, another the reference, given the filled source.

The baseline of Wu, Liu, Yeung (2023), table 2, in spirit: BART for the source, BiTIMT for the reference.
Neither side is adapted, and the second model alone sees to it that the sides agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mtassay.errors import UsageError
from mtassay.languages import Pair
from mtassay.methods.behavior.infill.base import Filled, Infiller, Masked, Rejected
from mtassay.methods.behavior.infill.proposers import Given, Proposer, open_proposer
from mtassay.methods.behavior.nouns import Change, apply_changes
from mtassay.systems.answers import signature

__all__ = ["TwoModels", "open_two_models"]

ADAPTER = 1
PROPOSALS = 8
"""How many fillings are looked at for one that is new."""


def open_two_models(text: str, pair: Pair) -> TwoModels:
    """Two models by their folders or Hugging Face names: `SOURCE_MODEL,TARGET_MODEL`."""
    source, comma, reference = text.partition(",")
    if not comma or not source or not reference:
        raise UsageError(
            f"Infiller 'models:{text}' needs two models: models:SOURCE_MODEL,TARGET_MODEL,"
            " as models:facebook/bart-large,xlm-roberta-large."
        )
    return TwoModels(open_proposer(source.strip()), open_proposer(reference.strip()), pair)


class TwoModels(Infiller):
    """Fills each mask of the source, then each of the reference, from left to right.

    A mask that is not filled yet holds its original words meanwhile.
    """

    name = "models"

    def __init__(self, source: Proposer, reference: Proposer, pair: Pair) -> None:
        self.pair = pair
        self._source, self._reference = source, reference

    @property
    def signature(self) -> str:
        """Both models."""
        return signature(
            self.name, source=self._source.identity, reference=self._reference.identity, adapter=ADAPTER
        )

    def fill(self, masked: Sequence[Masked]) -> list[Filled | Rejected]:
        """One answer for each masked pair, in order; repetitions take the next best filling of the source."""
        sides = [_Side(one.pair.source.text, [(s.start, s.end) for s in one.spans]) for one in masked]
        _fill(sides, self._source, numbers=[one.number for one in masked])
        others = [
            _Side(
                one.pair.reference.text,
                [(s.reference_start, s.reference_end) for s in one.spans],
                context=side.filled(),
                failed=side.failed,
            )
            for one, side in zip(masked, sides, strict=True)
        ]
        _fill(others, self._reference, numbers=[0] * len(masked))
        return [_answer(*three) for three in zip(masked, sides, others, strict=True)]


@dataclass(slots=True)
class _Side:
    """One side of a pair, and what has been put into it so far."""

    text: str
    places: list[tuple[int, int]]
    context: str = ""
    failed: bool = False
    changes: list[Change] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.places.sort()

    def filled(self) -> str:
        """The text with all that has been filled."""
        return apply_changes(self.text, self.changes)

    def gap(self) -> Given:
        """The text around the next place."""
        start, end = self.places[len(self.changes)]
        return Given(apply_changes(self.text[:start], self.changes), self.text[end:], self.context)

    def take(self, proposals: Sequence[str], number: int) -> None:
        """Put the first, second… new filling there."""
        start, end = self.places[len(self.changes)]
        before = self.text[start:end]
        new = [text for text in proposals if text.strip() and text.casefold() != before.casefold()]
        if number < len(new):
            self.changes.append(Change(start, end, before, new[number]))
        else:
            self.failed = True


def _fill(sides: Sequence[_Side], proposer: Proposer, *, numbers: Sequence[int]) -> None:
    """Fill all places of all sides, one place of each side at a time."""
    while True:
        waiting = [
            (side, number if not side.changes else 0)
            for side, number in zip(sides, numbers, strict=True)
            if not side.failed and len(side.changes) < len(side.places)
        ]
        if not waiting:
            return
        count = PROPOSALS + max(number for _, number in waiting)
        proposed = proposer.propose([side.gap() for side, _ in waiting], count=count)
        for (side, number), proposals in zip(waiting, proposed, strict=True):
            side.take(proposals, number)


def _answer(masked: Masked, source: _Side, reference: _Side) -> Filled | Rejected:
    if source.failed:
        return Rejected(masked, "no filling of the source")
    if reference.failed:
        return Rejected(masked, "no filling of the reference", source.filled())
    return Filled(
        masked,
        source.filled(),
        reference.filled(),
        tuple(source.changes),
        tuple(reference.changes),
        {"adapted": 0.0},
    )
