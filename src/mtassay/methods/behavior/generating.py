"""Makes test cases of a parallel corpus: reads it, finds the places to edit, has them filled and checked.

The pipeline of section 3 of Wu, Liu, Yeung (2023), for any infiller.
"""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.core import Segment, Tools
from mtassay.errors import UsageError
from mtassay.languages import Pair
from mtassay.methods.behavior.capabilities.base import Capability
from mtassay.methods.behavior.generated import Generated, GenerateSettings, Helpers
from mtassay.methods.behavior.infill.base import Infiller
from mtassay.methods.behavior.nouns import AlignedSpan, ReadPair
from mtassay.methods.behavior.quality import quality_name
from mtassay.methods.behavior.reading import best_annotator
from mtassay.methods.behavior.rounds import Rounds
from mtassay.methods.behavior.sampling import draw_segments
from mtassay.methods.behavior.spans import aligned_spans, read_pairs
from mtassay.tools.align import open_aligner
from mtassay.tools.annotate import Annotation, Annotator

__all__ = ["generate"]

AT_ONCE = 64
"""Texts that are annotated between two words about the progress."""

_SETTINGS, _HELPERS = GenerateSettings(), Helpers()


def generate(
    segments: Sequence[Segment],
    pair: Pair,
    capabilities: Sequence[Capability],
    infiller: Infiller,
    tools: Tools,
    *,
    settings: GenerateSettings = _SETTINGS,
    helpers: Helpers = _HELPERS,
) -> Generated:
    """Cases for these capabilities, no edit twice; the same input and seed give the same ones."""
    source_reader = helpers.source_annotator or best_annotator(pair.source)
    reference_reader = helpers.reference_annotator or best_annotator(pair.target)
    for capability in capabilities:
        if lacking := sorted(capability.needs - source_reader.gives):
            raise UsageError(
                f"Capability '{capability.name}' needs {' and '.join(lacking)} of {pair.source.name}, which "
                f"{source_reader.signature} does not give. Take another annotator, or leave it out."
            )
    aligner = helpers.aligner or open_aligner(pair)
    chosen = draw_segments(segments, settings.sample, seed=settings.seed)
    reading = read_pairs(
        chosen,
        pair,
        aligner=aligner,
        source_annotator=_Telling(source_reader, tools, "reading sources"),
        reference_annotator=_Telling(reference_reader, tools, "reading references"),
        links=helpers.links,
    )
    facts = {
        "infiller": infiller.signature,
        "seed": settings.seed,
        "aligner": aligner.signature,
        "annotators": [source_reader.signature, reference_reader.signature],
        "filter": quality_name(helpers.quality_filter) or "none",
    }
    work = Rounds(pair, infiller, tools, settings, helpers, source_reader, facts)
    spans = [_spans(read, infiller, start=settings.start) for read in reading.pairs]
    for capability in capabilities:
        work.make(capability, reading.pairs, spans)
    return Generated(work.cases, len(chosen), reading.left_out, work.asked, work.dropped, work.without)


def _spans(pair: ReadPair, infiller: Infiller, *, start: bool) -> list[AlignedSpan]:
    """All places that can be edited: those that the infiller knows, else all that are aligned."""
    own = infiller.spans(pair, start=start)
    return aligned_spans(pair, start=start) if own is None else own


class _Telling(Annotator):
    """An annotator that says how far it is."""

    def __init__(self, annotator: Annotator, tools: Tools, step: str) -> None:
        self.name, self.language, self.gives = annotator.name, annotator.language, annotator.gives
        self._annotator, self._tools, self._step = annotator, tools, step

    @property
    def signature(self) -> str:
        return self._annotator.signature

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        read: list[Annotation] = []
        for start in range(0, len(texts), AT_ONCE):
            self._tools.progress(self._step, start, len(texts))
            read += self._annotator.annotate(texts[start : start + AT_ONCE])
        return read
