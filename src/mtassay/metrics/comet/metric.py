"""COMET as a metric: what is scored, how scores spread back, and what the signature says."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from mtassay import __version__
from mtassay.core import Segment, Statistics
from mtassay.errors import InputError, UsageError
from mtassay.metrics.base import Floats, Metric, reference_count
from mtassay.metrics.comet.models import (
    CometSample,
    Precision,
    Predictor,
    load_predictor,
    local_checkpoint,
    missing_extra,
)

COLUMNS = ("score", "count")


@dataclass(frozen=True, kw_only=True)
class COMET(Metric):
    """The mean score of the segments, on the model's own scale (0 to 1 for the models since 2022).

    `model` is a name to download, a checkpoint file `….ckpt`, or the folder that holds `hparams.yaml` and
    `checkpoints/`. The score of a segment with several references is the mean over them. `batch_size` and
    `gpus` (0 or 1) change the speed only; `precision` `bf16` is faster on a GPU and less exact. References
    are checked when the model is known to read them, so `needs` names the source alone.
    """

    name: ClassVar[str] = "comet"
    decimals: ClassVar[int] = 4

    model: str = "Unbabel/wmt22-comet-da"
    batch_size: int = 16
    gpus: int = 0
    precision: Precision = "fp32"

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise UsageError(f"metric 'comet': batch_size is {self.batch_size}. Give 1 or more.")
        if self.gpus not in (0, 1):
            raise UsageError(f"metric 'comet': gpus is {self.gpus}. Give 0 for the processor or 1 for a GPU.")

        if self.precision not in get_args(Precision):
            raise UsageError(f"metric 'comet': no precision '{self.precision}'. Available: fp32, bf16.")

    @property
    def needs(self) -> frozenset[str]:
        """The source; a model that reads references says so when it is loaded."""
        return frozenset({"source"})

    @property
    def reads_references(self) -> bool:
        """Whether the model can take references; this loads it."""
        return self._predictor.references != "unused"

    @property
    def label(self) -> str:
        """`COMET`, with the model where it is another than the usual one."""
        return "COMET" if self.model == type(self).model else f"COMET[{Path(self.model).name}]"

    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        """Names the model and COMET's version; a local checkpoint also by the start of its SHA-256.

        The model is not loaded for this, so `nrefs` says what the segments have: a reference-free model
        ignores them.
        """
        has_references = all(_present(segment.references) for segment in segments)
        parts = {
            "nrefs": reference_count(segments),
            **(extra or {}),
            **self._model_parts,
            "refs": "mean" if has_references else "none",
            "precision": self.precision,
            "comet": self.package_version(),
            "version": f"mtassay-{__version__}",
        }
        return "|".join(f"{key}:{value}" for key, value in parts.items() if value is not None)

    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        """Columns `score` and `count` (always 1); samples that systems share are scored once."""
        for segment in segments:
            if segment.source is None:
                raise InputError(f"segment {segment.id}: metric 'comet' needs a source. Give the sources.")
        references = self._references(segments)
        samples = {
            system: [
                [CometSample(segment.source or "", text, reference) for reference in several]
                for segment, text, several in zip(segments, texts, references, strict=True)
            ]
            for system, texts in outputs.items()
        }
        distinct = list(dict.fromkeys(sample for rows in samples.values() for row in rows for sample in row))
        predicted = self._predictor.predict(distinct) if distinct else ()
        scores = dict(zip(distinct, predicted, strict=True))
        ids = [segment.id for segment in segments]
        return [
            Statistics(self.name, system, ids, COLUMNS, _mean_scores(rows, scores))
            for system, rows in samples.items()
        ]

    def aggregate(self, sums: NDArray[Any]) -> Floats:
        """The mean score; not a number where nothing was counted."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(sums[..., 0] / sums[..., 1], dtype=np.float64)

    def load(self) -> Predictor:
        """The model behind this metric; a subclass may bring another one."""
        return load_predictor(
            self.model, batch_size=self.batch_size, gpus=self.gpus, precision=self.precision
        )

    def package_version(self) -> str:
        """Which release of COMET computes the scores."""
        try:
            return version("unbabel-comet")
        except PackageNotFoundError as error:
            raise missing_extra() from error

    @cached_property
    def _predictor(self) -> Predictor:
        return self.load()

    @cached_property
    def _model_parts(self) -> dict[str, str]:
        checkpoint = local_checkpoint(self.model)
        if checkpoint is None:
            return {"model": self.model}
        with checkpoint.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"model": checkpoint.name, "sha256": digest[:12]}

    def _references(self, segments: Sequence[Segment]) -> Sequence[Sequence[str | None]]:
        references = [_present(segment.references) for segment in segments]
        if self._predictor.references == "required":
            for segment, several in zip(segments, references, strict=True):
                if not several:
                    raise InputError(
                        f"segment {segment.id}: COMET model '{self.model}' needs a reference. "
                        "Give references, or a reference-free model: comet:model=Unbabel/wmt22-cometkiwi-da."
                    )
        elif self._predictor.references == "unused" or not all(references):
            # A model that may read references must see them in every segment or in none.
            return [(None,)] * len(segments)
        return references


def _mean_scores(rows: Sequence[Sequence[CometSample]], scores: Mapping[CometSample, float]) -> Floats:
    values = np.ones((len(rows), len(COLUMNS)))
    values[:, 0] = [sum(scores[sample] for sample in row) / len(row) for row in rows]
    return values


def _present(references: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(reference for reference in references if reference is not None)
