"""Makes cases in rounds: a source without a case gets its next place in the next one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from mtassay.core import Tools
from mtassay.languages import Pair
from mtassay.methods.behavior.capabilities.base import Capability
from mtassay.methods.behavior.filtering import filter_cases
from mtassay.methods.behavior.generated import FILTERED, NO_REPLY, Dropped, GenerateSettings, Helpers
from mtassay.methods.behavior.infill.base import Filled, Infiller, Masked, Rejected
from mtassay.methods.behavior.nouns import AlignedSpan, BehaviorCase, ReadPair
from mtassay.methods.behavior.sampling import Place, draw_places
from mtassay.methods.behavior.validating import case_key, objection
from mtassay.tools.annotate import Annotation, Annotator

__all__ = ["Rounds"]


@dataclass
class _Slot:
    """A source that a capability still wants cases of."""

    order: int
    pair: ReadPair
    places: Iterator[Place]
    wanted: int
    attempts: int
    finished: set[tuple[AlignedSpan, ...]]
    cases: list[BehaviorCase] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        return self.attempts > 0 and len(self.cases) < self.wanted


@dataclass
class Rounds:
    """What has been made and dropped so far."""

    pair: Pair
    infiller: Infiller
    tools: Tools
    settings: GenerateSettings
    helpers: Helpers
    reader: Annotator
    facts: dict[str, Any]
    cases: list[BehaviorCase] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    dropped: list[Dropped] = field(default_factory=list)
    without: Counter[tuple[str, str]] = field(default_factory=Counter)
    seen: set[tuple[str, str]] = field(default_factory=set)
    is_silent: bool = False

    def make(
        self, capability: Capability, pairs: Sequence[ReadPair], spans: Sequence[Sequence[AlignedSpan]]
    ) -> None:
        """All cases of one capability, in rounds: a source without a case gets its next place in the next."""
        slots = []
        for order, (pair, aligned) in enumerate(zip(pairs, spans, strict=True)):
            fitting = capability.spans(pair, aligned)
            if not fitting:
                self.without[capability.name, "no place to edit"] += 1
                continue
            finished: set[tuple[AlignedSpan, ...]] = set()
            places = draw_places(pair, fitting, capability, seed=self.settings.seed, finished=finished)
            wanted = self.settings.per_segment
            slots.append(_Slot(order, pair, places, wanted, wanted * self.settings.attempts, finished))
        # Where not all are needed, those that come first must not be the first of the file.
        random.Random(f"{self.settings.seed}\0{capability.name}").shuffle(slots)
        most = self.settings.max_cases
        made = 0
        while waiting := [slot for slot in slots if slot.is_open][: None if most is None else most - made]:
            if self.is_silent:
                break
            self.tools.progress(f"cases for {capability.name}", made, None)
            made += self._round(capability, waiting)
        slots.sort(key=lambda slot: slot.order)
        for slot in slots:
            self.cases += slot.cases
            if not slot.cases:
                still_open = NO_REPLY if self.is_silent else "not needed"
                why = still_open if slot.is_open else "nothing came of it"
                self.without[capability.name, why] += 1

    def _round(self, capability: Capability, slots: Sequence[_Slot]) -> int:
        """One place of each source; how many cases came of them."""
        asked = [(slot, one) for slot in slots if (one := self._mask(capability, slot))]
        if not asked:
            return 0
        slots = [slot for slot, _ in asked]
        self.asked[capability.name] += len(asked)
        found: dict[str, tuple[_Slot, Filled, BehaviorCase]] = {}
        answers = self.infiller.fill([one for _, one in asked])
        # Where nobody answers any more, asking for other places only takes time.
        self.is_silent = all(isinstance(a, Rejected) and a.reason == NO_REPLY for a in answers)
        for slot, answer in self._checked(capability, slots, answers):
            case = self._case(capability, slot, answer)
            found[case.id] = (slot, answer, case)
        filtered = self._equally_good([case for _, _, case in found.values()])
        for key, (slot, answer, case) in found.items():
            if key in filtered:
                slot.cases.append(case)
            else:
                self._drop(answer.masked, FILTERED, answer)
        return len(filtered)

    def _mask(self, capability: Capability, slot: _Slot) -> Masked | None:
        """The next place of a source; `None` closes it, since all of its places are finished."""
        slot.attempts -= 1
        place = next(slot.places, None)
        if place is None:
            slot.attempts = 0
            return None
        told = tuple(capability.instruction(slot.pair, span) for span in place.spans)
        return Masked(slot.pair, capability.name, place.spans, told, place.number)

    def _checked(
        self, capability: Capability, slots: Sequence[_Slot], answers: Sequence[Filled | Rejected]
    ) -> Iterator[tuple[_Slot, Filled]]:
        """The answers that pass all checks."""
        filled = [answer for answer in answers if isinstance(answer, Filled)]
        annotations = iter(self.reader.annotate([answer.source for answer in filled]))
        for slot, answer in zip(slots, answers, strict=True):
            if isinstance(answer, Rejected):
                self._drop(answer.masked, answer.reason, reply=answer.reply)
                if answer.is_final:
                    slot.finished.add(answer.masked.spans)
                continue
            reason = self._objection(capability, answer, next(annotations))
            if reason is None:
                self.seen.add(case_key(answer))
                yield slot, answer
            else:
                self._drop(answer.masked, reason, answer)

    def _objection(self, capability: Capability, filled: Filled, read: Annotation) -> str | None:
        if read.error is not None:
            return "the annotator failed on it"
        return objection(
            filled,
            capability,
            pair=self.pair,
            source_annotation=read,
            blocked=self.helpers.blocked,
            seen=self.seen,
        )

    def _equally_good(self, cases: Sequence[BehaviorCase]) -> set[str]:
        if not self.helpers.quality_filter or not cases:
            return {case.id for case in cases}
        kept = filter_cases(
            cases, self.helpers.quality_filter, self.tools, filter_beta=self.settings.filter_beta
        ).kept
        return {case.id for case in kept}

    def _case(self, capability: Capability, slot: _Slot, filled: Filled) -> BehaviorCase:
        number = len(slot.cases) + 1
        again = f".{number}" if number > 1 else ""
        labels = [span.label for span in filled.masked.spans]
        return BehaviorCase(
            f"{slot.pair.id}.{capability.name}{again}",
            slot.pair.id,
            capability.name,
            slot.pair.source.text,
            slot.pair.reference.text,
            filled.source,
            filled.reference,
            filled.changes,
            filled.reference_changes,
            {**self.facts, "labels": labels, "number": filled.masked.number, **filled.facts},
        )

    def _drop(self, masked: Masked, reason: str, filled: Filled | None = None, *, reply: str = "") -> None:
        texts = (filled.source, filled.reference) if filled else ("", "")
        self.dropped.append(
            Dropped(masked.pair.id, masked.capability, reason, masked.source, masked.reference, *texts, reply)
        )
