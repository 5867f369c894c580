"""Makes test cases from a parallel corpus: finds places to edit, fills them, and checks the results.

This is the pipeline of section 3 of Wu, Liu, Yeung (2023), for any infiller. Cases are made in rounds: each
round tries the next place of every source that has no case yet.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

from mtassay.data.errors import ServiceError, UsageError
from mtassay.data.languages import Language, Pair
from mtassay.data.marks import plural
from mtassay.data.nouns import Generated, RunContext, Segment
from mtassay.measures.metric import Metric
from mtassay.methods.behavior.capability import Capability, in_usual_order, open_capability
from mtassay.methods.behavior.infiller import Filled, Infiller, Masked, Rejected, open_infiller
from mtassay.methods.behavior.objections import Blocklist, case_key, objection, read_blocklist
from mtassay.methods.behavior.pairs import AlignedSpan, BehaviorCase, ReadPair, segments_of
from mtassay.methods.behavior.plain_infiller import PlainInfiller
from mtassay.methods.behavior.recipe import EditPlace, Recipe, default_infiller, draw_places, draw_segments
from mtassay.methods.behavior.spans import LeftOutSegment, aligned_spans, best_annotator, read_pairs
from mtassay.methods.behavior.translation_quality import as_translated, measures, quality_name, unequal_pairs
from mtassay.nlp.annotation import Annotation, Annotator
from mtassay.nlp.annotators import SpreadAnnotator, open_annotator
from mtassay.nlp.links import Links, WordAligner, open_aligner, read_pharaoh

FILTERED = "pairs not equally good"
"""Why the quality filter drops a case."""
NO_REPLY = "no reply"
"""The reason of an edit without a result because a service did not answer."""


@dataclass(frozen=True, kw_only=True)
class Helpers:
    """The tools of case generation; for a missing tool, the best installed one is used.

    `links` by segment id replace the aligner's links. `quality_filter` has reference-free metrics by name;
    without a metric nothing is filtered. `blocked` has words that no case may contain.
    """

    aligner: WordAligner | None = None
    links: Mapping[str, Links] | None = None
    source_annotator: Annotator | None = None
    reference_annotator: Annotator | None = None
    quality_filter: Mapping[str, Metric] = field(default_factory=dict)
    blocked: Blocklist | None = None


class Dropped(NamedTuple):
    """A masked pair that gave no case, and the reason; `reply` is the exact reply of a model."""

    segment_id: str
    capability: str
    reason: str
    masked_source: str
    masked_reference: str
    edited_source: str = ""
    pseudo_reference: str = ""
    reply: str = ""


@dataclass(frozen=True, kw_only=True)
class GeneratedCases(Generated):
    """The cases, by capability and then in the order of the segments, and counts of the process.

    `sources` is the number of sampled sources; `left_out` has those that could not be read. `asked` counts
    the masked pairs of each capability; each pair became a case or is in `dropped`. `without` counts the
    sources that have no case, by capability and reason.
    """

    cases: Sequence[BehaviorCase]
    capabilities: Sequence[str]
    sources: int
    left_out: Sequence[LeftOutSegment]
    asked: Counter[str]
    without: Counter[tuple[str, str]]

    @cached_property
    def dropped(self) -> list[Dropped]:
        """The masked pairs that gave no case."""
        return [Dropped(**record) for record in self.refused]

    @property
    def drops(self) -> Counter[tuple[str, str]]:
        """Count the dropped masked pairs, by capability and reason."""
        return Counter((drop.capability, drop.reason) for drop in self.dropped)

    @property
    def told(self) -> str:
        """The result in one line."""
        reasons = Counter(drop.reason for drop in self.dropped)
        why = ", ".join(f"{reason} {n:,}" for reason, n in reasons.most_common())
        dropped = f"; {len(self.dropped):,} dropped: {why}" if why else ""
        left_out = f"; {plural(len(self.left_out), 'source')} left out" if self.left_out else ""
        tried = plural(sum(self.asked.values()), "edit")
        return f"{plural(len(self.cases), 'case')} of {tried} that were tried{dropped}{left_out}"

    def check(self) -> None:
        """Raise an error if a language model did not answer or no case was made."""
        unanswered = [drop for drop in self.dropped if drop.reason == NO_REPLY]
        if unanswered:
            raise ServiceError(
                f"{plural(len(unanswered), 'edit')} without a reply, the first: {unanswered[0].reply}"
            )
        if not self.cases:
            raise UsageError(
                "There is no case: every edit was rejected, or there was nothing to edit. A language model "
                "edits any text: `infill='llm:…'`"
            )

    def record(self) -> dict[str, Any]:
        """All counts as JSON data, with the capabilities in the usual order."""
        cases, drops = Counter(case.capability for case in self.cases), self.drops
        return {
            "sources": self.sources,
            "left_out": [segment._asdict() for segment in self.left_out],
            "capabilities": {
                name: {
                    "cases": cases[name],
                    "tried": self.asked[name],
                    "dropped": {reason: n for (of, reason), n in drops.items() if of == name},
                    "without": {reason: n for (of, reason), n in self.without.items() if of == name},
                }
                for name in self.capabilities
            },
        }


@dataclass
class _Slot:
    """A source that still has to give a case for a capability."""

    order: int
    pair: ReadPair
    places: Iterator[EditPlace]
    wanted: int
    attempts: int
    finished: set[tuple[AlignedSpan, ...]]
    cases: list[BehaviorCase] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        return self.attempts > 0 and len(self.cases) < self.wanted


@dataclass
class Rounds:
    """The cases and dropped pairs so far."""

    pair: Pair
    infiller: Infiller
    context: RunContext
    recipe: Recipe
    helpers: Helpers
    reader: Annotator
    facts: dict[str, Any]
    cases: list[BehaviorCase] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    dropped: list[Dropped] = field(default_factory=list)
    without: Counter[tuple[str, str]] = field(default_factory=Counter)
    case_keys: set[tuple[str, str]] = field(default_factory=set)
    is_silent: bool = False

    def make(
        self, capability: Capability, pairs: Sequence[ReadPair], spans: Sequence[Sequence[AlignedSpan]]
    ) -> None:
        """Make all cases of one capability; each round tries the next place of each source without a case."""
        slots = []
        for order, (pair, aligned) in enumerate(zip(pairs, spans, strict=True)):
            fitting = capability.spans(pair, aligned)
            if not fitting:
                self.without[capability.name, "no place to edit"] += 1
                continue
            finished: set[tuple[AlignedSpan, ...]] = set()
            places = draw_places(pair, fitting, capability, seed=self.recipe.seed, finished=finished)
            per_segment = self.recipe.per_segment
            slots.append(
                _Slot(order, pair, places, per_segment, per_segment * self.recipe.attempts, finished)
            )
        # If not all sources are needed, choose them at random, not from the start of the file.
        random.Random(f"{self.recipe.seed}\0{capability.name}").shuffle(slots)
        most = self.recipe.max_cases
        count = 0
        while waiting := [slot for slot in slots if slot.is_open][: None if most is None else most - count]:
            if self.is_silent:
                break
            self.context.progress(f"cases for {capability.name}", count, None)
            count += self._round(capability, waiting)
        slots.sort(key=lambda slot: slot.order)
        for slot in slots:
            self.cases += slot.cases
            if not slot.cases:
                still_open = NO_REPLY if self.is_silent else "not needed"
                why = still_open if slot.is_open else "no result"
                self.without[capability.name, why] += 1

    def _round(self, capability: Capability, slots: Sequence[_Slot]) -> int:
        """Try one place of each source; return the number of cases."""
        asked = [(slot, masked) for slot in slots if (masked := self._mask(capability, slot))]
        if not asked:
            return 0
        slots = [slot for slot, _ in asked]
        self.asked[capability.name] += len(asked)
        by_id: dict[str, tuple[_Slot, Filled, BehaviorCase]] = {}
        answers = self.infiller.fill([masked for _, masked in asked])
        # If the service no longer answers, trying other places only takes time.
        self.is_silent = all(isinstance(a, Rejected) and a.reason == NO_REPLY for a in answers)
        for slot, answer in self._checked(capability, slots, answers):
            case = self._case(capability, slot, answer)
            by_id[case.id] = (slot, answer, case)
        filtered = self._equally_good([case for _, _, case in by_id.values()])
        for key, (slot, answer, case) in by_id.items():
            if key in filtered:
                slot.cases.append(case)
            else:
                self._drop(answer.masked, FILTERED, answer)
        return len(filtered)

    def _mask(self, capability: Capability, slot: _Slot) -> Masked | None:
        """Mask the next place of a source; `None` if all its places were tried, which closes the source."""
        slot.attempts -= 1
        place = next(slot.places, None)
        if place is None:
            slot.attempts = 0
            return None
        instructions = tuple(capability.instruction(slot.pair, span) for span in place.spans)
        return Masked(slot.pair, capability.name, place.spans, instructions, place.number)

    def _checked(
        self, capability: Capability, slots: Sequence[_Slot], answers: Sequence[Filled | Rejected]
    ) -> Iterator[tuple[_Slot, Filled]]:
        """Return the answers that pass all checks."""
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
                self.case_keys.add(case_key(answer))
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
            case_keys=self.case_keys,
        )

    def _equally_good(self, cases: Sequence[BehaviorCase]) -> set[str]:
        metrics = self.helpers.quality_filter
        if not metrics or not cases:
            return {case.id for case in cases}
        pairs = {
            c.id: (as_translated(c.source, c.reference), as_translated(c.edited_source, c.pseudo_reference))
            for c in cases
        }
        dropped = unequal_pairs(metrics, pairs, self.context, filter_beta=self.recipe.filter_beta)
        return pairs.keys() - dropped.keys()

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


_RECIPE, _HELPERS = Recipe(), Helpers()


def generate(
    segments: Sequence[Segment],
    pair: Pair,
    capabilities: Sequence[Capability],
    infiller: Infiller,
    context: RunContext,
    *,
    recipe: Recipe = _RECIPE,
    helpers: Helpers = _HELPERS,
) -> GeneratedCases:
    """Make cases for these capabilities without repeated edits; equal inputs and seeds give equal cases."""
    source_reader = helpers.source_annotator or _reader(infiller, pair.source)
    reference_reader = helpers.reference_annotator or _reader(infiller, pair.target)
    for capability in capabilities:
        if lacking := sorted(capability.needs - source_reader.gives):
            raise UsageError(
                f"Capability '{capability.name}' needs {' and '.join(lacking)} of {pair.source.name}, which "
                f"{source_reader.signature} does not give. Take another annotator, or leave it out."
            )
    chosen = draw_segments(segments, recipe.sample, seed=recipe.seed)
    links = helpers.links
    aligner = helpers.aligner
    if infiller.reader(pair.source.code):
        links = {segment.id: frozenset() for segment in chosen}
    else:
        aligner = aligner or open_aligner(pair)
    reading = read_pairs(
        chosen,
        pair,
        aligner=aligner,
        source_annotator=SpreadAnnotator(source_reader, context, step="reading sources"),
        reference_annotator=SpreadAnnotator(reference_reader, context, step="reading references"),
        links=links,
    )
    facts = {
        "infiller": infiller.signature,
        "seed": recipe.seed,
        "aligner": aligner.signature if aligner else "none",
        "annotators": [source_reader.signature, reference_reader.signature],
        "filter": quality_name(helpers.quality_filter) or "none",
    }

    @cache
    def spans(forms: bool) -> list[list[AlignedSpan]]:
        return [_spans(read, infiller, start=recipe.start, forms=forms) for read in reading.pairs]

    work = Rounds(pair, infiller, context, recipe, helpers, SpreadAnnotator(source_reader, context), facts)
    for capability in capabilities:
        work.make(capability, reading.pairs, spans(capability.changes_form))
    generated = GeneratedCases(
        segments=[segment for case in work.cases for segment in segments_of(case)],
        refused=[drop._asdict() for drop in work.dropped],
        cases=work.cases,
        capabilities=in_usual_order(capability.name for capability in capabilities),
        sources=len(chosen),
        left_out=reading.left_out,
        asked=work.asked,
        without=work.without,
    )
    return replace(generated, notes=[generated.told])


def make_cases(
    segments: Sequence[Segment], pair: Pair, recipe: Recipe, context: RunContext
) -> GeneratedCases:
    """Make cases with the tools that a recipe names; `context.ask` sends requests to a language model."""
    infiller = open_infiller(recipe.infill, pair, context)
    aligner, links = _aligner(recipe.aligner, segments, pair)
    helpers = Helpers(
        aligner=aligner,
        links=links,
        source_annotator=_annotator(pair.source, recipe.source_annotator) or _reader(infiller, pair.source),
        reference_annotator=_annotator(pair.target, recipe.reference_annotator),
        quality_filter=measures(recipe.filter, pair),
        blocked=read_blocklist(recipe.blocklist) if recipe.blocklist else None,
    )
    capabilities = [open_capability(name) for name in recipe.capabilities]
    left_out = list(recipe.left_out)
    if not recipe.are_named:
        left_out += [one.name for one in capabilities if infiller.lacks(type(one))]
        capabilities = [one for one in capabilities if one.name not in left_out]
        capabilities = _readable(capabilities, helpers, context)
    if recipe.infill == PlainInfiller.name:
        more = default_infiller(pair).lacks
        context.note(
            "only numbers and names of people are edited. For other words use a language model "
            f"(--infill llm:…){f', or the lexicon: {more}' if more else '.'}"
        )
    elif left_out:
        names = ", ".join(in_usual_order(left_out))
        context.note(f"without {names}, which the {recipe.infill} does not edit: --infill llm:… does")
    return generate(segments, pair, capabilities, infiller, context, recipe=recipe, helpers=helpers)


def _readable(capabilities: Sequence[Capability], helpers: Helpers, context: RunContext) -> list[Capability]:
    """Return the capabilities that the source's annotator supports, and report the others."""
    reader = helpers.source_annotator
    assert reader is not None
    unread = [one.name for one in capabilities if one.needs - reader.gives]
    if unread:
        context.note(f"without {', '.join(unread)}, for which {reader.signature} does not read enough")
    return [one for one in capabilities if one.name not in unread]


def _aligner(
    name: str | None, segments: Sequence[Segment], pair: Pair
) -> tuple[WordAligner | None, dict[str, Links] | None]:
    """Return the aligner, and a file's links by segment id, since a sample has only some of the lines."""
    if name is None:
        return None, None
    aligner = open_aligner(pair, name=name)
    kind, _, path = name.partition(":")
    if kind != "pharaoh":
        return aligner, None
    links = read_pharaoh(path)
    if len(links) != len(segments):
        raise UsageError(f"{path} has {len(links):,} lines for {len(segments):,} pairs: one for each.")
    return aligner, {s.id: segment_links for s, segment_links in zip(segments, links, strict=True)}


def _annotator(language: Language, name: str | None) -> Annotator | None:
    return None if name is None else open_annotator(language.code, name=name)


def _reader(infiller: Infiller, language: Language) -> Annotator:
    """Return the infiller's own annotator, or else the best installed annotator."""
    return infiller.reader(language.code) or best_annotator(language)


def _spans(pair: ReadPair, infiller: Infiller, *, start: bool, forms: bool) -> list[AlignedSpan]:
    """All places that can be edited: the places that the infiller knows, or else all aligned places."""
    own = infiller.spans(pair, start=start, forms=forms)
    return aligned_spans(pair, start=start) if own is None else own
