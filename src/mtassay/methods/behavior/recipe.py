"""Recipes for making cases; their fields are the options of every command that makes cases."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.data.errors import MtassayError, ServiceError, UsageError
from mtassay.data.languages import Pair
from mtassay.data.nouns import Segment
from mtassay.data.registry import in_pack, is_known
from mtassay.data.settings import build, setting, split_specs
from mtassay.measures.metric import Metric
from mtassay.methods.behavior.capability import (
    Capability,
    capability_names,
    open_capability,
    paper_capabilities,
)
from mtassay.methods.behavior.infiller import infiller_class
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.methods.behavior.translation_quality import (
    ENCODER,
    check_filter,
    default_filter,
    filter_threshold,
)
from mtassay.nlp.annotators import check_annotator
from mtassay.nlp.encoder import is_installed
from mtassay.nlp.links import best_aligner
from mtassay.stats.resampling import fixed_seed


class DefaultInfiller(NamedTuple):
    """The default infiller; `lacks` says what a better infiller needs."""

    name: str
    lacks: str = ""


def default_infiller(pair: Pair) -> DefaultInfiller:
    """Return the lexicon if it knows the pair and its tools are installed, else an infiller for any pair."""
    if not is_known("infiller", "lexicon"):
        return DefaultInfiller("plain", in_pack("infiller", "lexicon").strip())
    if not infiller_class("lexicon").serves(pair):
        return DefaultInfiller("plain")
    try:
        for language in (pair.source, pair.target):
            check_annotator(str(language), ("pos",))
        best_aligner(str(pair))
    except MtassayError as error:
        return DefaultInfiller("plain", str(error))
    return DefaultInfiller("lexicon")


def _capability_help() -> str:
    return f"What to test: {', '.join(capability_names())}; or all. Default: the paper's nine."


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What to test, which infiller edits, how many cases to make, and which cases count.

    `sample` sources are drawn (default: all). Each capability gets at most `per_segment` cases per source and
    at most `max_cases` in total. At most `attempts` places are tried for one case. `start` allows edits of
    the first word. `filter` has reference-free measures; two pairs that differ by more than `filter_beta`
    (default: the measure's own) are not equally good. If a tool is not named, the best installed one is used.
    `are_named` says whether the user named single capabilities; `left_out` has capabilities that the user did
    not name and the infiller never edits.

    `resolve` fills and checks all fields; a recipe made without it is not checked.
    """

    capabilities: tuple[str, ...] = setting(
        (), _capability_help, "--capabilities", "-c", metavar="NAMES", kind=list[str] | None
    )
    infill: str = setting(
        "lexicon",
        "What makes the edits: lexicon, plain (numbers and names, any pair), llm:SYSTEM "
        "(llm:openai:MODEL, llm:llama:FILE.gguf), or models:SOURCE_MODEL,TARGET_MODEL. Default: "
        "lexicon if it knows the pair, else plain.",
        metavar="WHO",
        kind=str | None,
    )
    sample: int | None = setting(None, "Draw N sources. Default: all.", metavar="N", least=1)
    per_segment: int = setting(1, "At most N cases for each source and capability.", metavar="N", least=1)
    max_cases: int | None = setting(None, "At most N cases for each capability.", metavar="N", least=1)
    attempts: int = setting(
        3, "Edits that are tried for one case, at most.", metavar="N", least=1, is_hidden=True
    )
    start: bool = setting(False, "Also edit the first word of a source.", "--start", is_hidden=True)
    seed: int = setting(
        12345, "Seed of all draws. Default: $SACREBLEU_SEED or 12345.", kind=int | None, least=0
    )
    filter: str = setting(
        "",
        f"Reference-free measure of the quality filter. Default: COMET-QE if installed, else {ENCODER}.",
        metavar="NAME",
        kind=str | None,
    )
    filter_beta: float | None = setting(
        None, "Drop cases whose two pairs differ by more than this. Default: the measure's.", least=0
    )
    no_filter: bool = setting(False, "No quality filter.", "--no-filter")
    aligner: str | None = setting(None, "Word aligner: table, encoder, pharaoh:FILE…", metavar="NAME")
    source_annotator: str | None = setting(
        None, "Language tool for sources: spacy, stanza:en…", metavar="NAME", is_hidden=True
    )
    reference_annotator: str | None = setting(
        None, "Language tool for references.", metavar="NAME", is_hidden=True
    )
    blocklist: str | None = setting(
        None, "Make no case with a word of this list (one per line).", metavar="FILE", kind=Path | None
    )
    left_out: tuple[str, ...] = ()
    are_named: bool = True

    @classmethod
    def resolve(cls, options: Mapping[str, Any], pair: Pair | None = None) -> Recipe:
        """Return a recipe with these fields, and defaults for the rest; impossible values raise an error.

        Capabilities are names or aliases, as a list or separated by commas, or `all`. The default infiller
        depends on the `pair`; without a pair it is the lexicon.
        """
        values = {key: value for key, value in options.items() if value is not None}
        field_names = [f.name for f in fields(cls)]
        if strange := [key for key in values if key not in field_names]:
            raise UsageError(f"A recipe has no '{strange[0]}'. Available: {', '.join(field_names)}.")
        if values.get("no_filter") and ("filter" in values or "filter_beta" in values):
            raise UsageError(
                "`no_filter=True` switches the filter off: leave out `filter` and `filter_beta`."
            )
        named, default = _capabilities(values.get("capabilities", ()))
        if "infill" not in values:
            values["infill"] = default_infiller(pair).name if pair else "lexicon"
        infill = values["infill"]
        infiller = infiller_class(infill)
        never = [n for n in named or default if infiller.never_edits(type(open_capability(n)))]
        if named and never:
            raise UsageError(f"The {infill} does not edit {', '.join(never)}: use `infill='llm:…'` for it.")
        values["capabilities"] = named or tuple(name for name in default if name not in never)
        values["left_out"] = tuple(never)
        values["are_named"] = bool(named)
        is_free = values.get("no_filter") or (infiller.is_exact and "filter_beta" not in values)
        values["filter"] = values.get("filter") or ("" if is_free else default_filter())
        values["seed"] = fixed_seed(values.get("seed"))
        if "blocklist" in values:
            values["blocklist"] = str(values["blocklist"])
        recipe = cls(**values)
        recipe._check_filter()
        return recipe

    @classmethod
    def restore(cls, kept: Mapping[str, Any]) -> Recipe:
        """The recipe of a saved run."""
        field_names = {f.name for f in fields(cls)}
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in kept.items()
            if key in field_names
        }
        return cls(**values)

    def parameters(self) -> dict[str, Any]:
        """The fields as JSON data, which `restore` can read."""
        return {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(self).items()}

    @property
    def metrics(self) -> dict[str, Metric]:
        """The measures of the filter by name; empty if nothing is filtered."""
        return {spec: build("metric", spec) for spec in split_specs(self.filter)}

    def _check_filter(self) -> None:
        if not self.filter:
            return
        if self.filter == ENCODER and not is_installed():
            raise UsageError(
                "The quality filter needs the sentence encoder: pip install 'mtassay[use]', "
                "or leave it out: `no_filter`."
            )
        try:
            check_filter(self.metrics)
        except ServiceError as error:
            raise ServiceError(f"{error} Or filter with the encoder: `filter='{ENCODER}'`.") from None
        filter_threshold(self.filter, self.filter_beta)


def _capabilities(specs: str | Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split capabilities into those named one by one and those of a whole set.

    >>> _capabilities("adj,noun"), _capabilities(["ner"])
    ((('adjective', 'noun'), ()), (('ner',), ()))
    """
    texts = [specs] if isinstance(specs, str) else specs
    names = [name.strip() for text in texts for name in text.split(",") if name.strip()]
    if [name.lower() for name in names] == ["all"]:
        return (), tuple(capability_names())
    named = tuple(dict.fromkeys(open_capability(name).name for name in names))
    return named, () if named else paper_capabilities()


_IDLE = 20  # draws in a row without a new place, after which no place is left


class EditPlace(NamedTuple):
    """Spans that are edited together, in order; `number` counts earlier equal places."""

    spans: tuple[AlignedSpan, ...]
    number: int


def draw_segments(segments: Sequence[Segment], sample: int | None, *, seed: int) -> list[Segment]:
    """Draw at most `sample` of the segments (default: all), in their order.

    >>> [s.id for s in draw_segments([Segment(str(i)) for i in range(9)], 3, seed=1)]
    ['1', '2', '8']
    """
    if sample is None or sample >= len(segments):
        return list(segments)
    chosen = random.Random(seed).sample(range(len(segments)), sample)
    return [segments[number] for number in sorted(chosen)]


def draw_places(
    pair: ReadPair,
    spans: Sequence[AlignedSpan],
    capability: Capability,
    *,
    seed: int,
    finished: Collection[tuple[AlignedSpan, ...]] = (),
) -> Iterator[EditPlace]:
    """Yield places in random order, each once before any is repeated; endless unless there is no place.

    The order depends only on the seed, the capability and the segment's id, not on other segments. Places in
    `finished` (which may grow during the iteration) are not repeated. It ends when all are finished.
    """
    draw = random.Random(f"{seed}\0{capability.name}\0{pair.id}")
    times: Counter[tuple[AlignedSpan, ...]] = Counter()
    idle = 0
    while spans and idle < _IDLE:
        idle += 1
        order = draw.sample(spans, len(spans))
        if capability.spans_at_once > 1:
            groups = [_together(pair, order, capability)]
        else:
            groups = [(span,) for span in order]
        for group in groups:
            if group in finished:
                continue
            idle = 0
            yield EditPlace(group, times[group])
            times[group] += 1


def _together(
    pair: ReadPair, order: Sequence[AlignedSpan], capability: Capability
) -> tuple[AlignedSpan, ...]:
    """Choose as many separate spans as the capability allows in its share of the source."""
    most = capability.most_of_source * _words(pair, 0, len(pair.source.text))
    chosen: list[AlignedSpan] = []
    edited = 0
    for span in order:
        words = _words(pair, span.start, span.end)
        fits = not chosen or edited + words <= most
        if fits and all(_are_apart(pair, span, other) for other in chosen):
            chosen.append(span)
            edited += words
        if len(chosen) == capability.spans_at_once:
            break
    return tuple(sorted(chosen))


def _words(pair: ReadPair, start: int, end: int) -> int:
    """Count the words of the source from `start` to `end`, without punctuation marks."""
    return sum(
        start <= token.start and token.end <= end and any(map(str.isalnum, token.text))
        for token in pair.source.tokens
    )


def _are_apart(pair: ReadPair, a: AlignedSpan, b: AlignedSpan) -> bool:
    """Whether text separates two spans in both languages, since masks in a row cannot be told from one."""
    return _has_between(pair.source.text, (a.start, a.end), (b.start, b.end)) and _has_between(
        pair.reference.text, (a.reference_start, a.reference_end), (b.reference_start, b.reference_end)
    )


def _has_between(text: str, a: tuple[int, int], b: tuple[int, int]) -> bool:
    first, second = sorted((a, b))
    return bool(text[first[1] : second[0]].strip())
