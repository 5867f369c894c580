"""Any metric as a judge: computed, from a model, or read from a file.

A metric ranks outputs but does not know which are wrong. So everything is undecided, with the lowest quality
first, until at least thirty answers from people calibrate the metric (`JudgeCalibration`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mtassay.data.errors import UsageError
from mtassay.data.languages import Pair
from mtassay.data.nouns import RunContext, Segment
from mtassay.data.registry import is_known, names
from mtassay.data.settings import build
from mtassay.measures.clues import JudgedAnswer
from mtassay.measures.judge import OURS, JudgeCalibration, Opinion, Reason, TranslationJudge, logit
from mtassay.measures.metric import Floats, Metric, as_qualities
from mtassay.systems.client import UnkeptContext


@dataclass(frozen=True)
class MetricJudge(TranslationJudge):
    """A judge that uses the metric `score`: a lower quality means a more likely error.

    `system` names the system of the outputs, since a file of scores may have rows by system and id.
    """

    pair: Pair
    name: str
    metric: Metric
    context: RunContext = field(default_factory=UnkeptContext)
    system: str = ""

    @classmethod
    def open(cls, pair: Pair, name: str) -> MetricJudge:
        """Open a metric as a judge: `comet`, `llm:MODEL`, `scores:FILE`.

        >>> from mtassay.data.languages import parse_pair
        >>> MetricJudge.open(parse_pair("en-de"), "chrf").signature.split("|")[0]
        'chrf-nrefs:var'
        """
        if not is_known("metric", name.partition(":")[0]):
            raise UsageError(
                f"No judge '{name}'. Available: {OURS}, or a metric: {', '.join(names('metric'))}."
            )
        return cls(pair, name, build("metric", name, language=str(pair.target), langpair=str(pair)))

    def lent(self, context: RunContext, system: str) -> MetricJudge:
        return replace(self, context=context, system=system) if self.has_memory else self

    @property
    def has_memory(self) -> bool:  # type: ignore[override]
        return self.metric.asks_models or self.metric.is_given

    def usual_slope(self, opinions: Sequence[Opinion]) -> float:
        """The slope that gives log-odds the usual spread, since metrics use only a part of their scale."""
        given = [logit(opinion.probability) for opinion in opinions if opinion.probability is not None]
        return 1 / max(float(np.std(given)), 0.05) if given else 1.0

    def judge(self, answers: Sequence[JudgedAnswer]) -> list[Opinion]:
        """Return one opinion for each answer, in order; raise an error if a needed reference is missing.

        Answers without a score are undecided and have no probability.
        """
        if "references" in self.metric.needs and not all(answer.references for answer in answers):
            raise UsageError(f"The judge `{self.name}` needs references.")
        segments = [Segment(a.id, a.source, a.references) for a in answers]
        outputs = {self.system: [answer.output for answer in answers]}
        (measured,) = self.metric.measure_with(segments, outputs, self.context)
        scores = self.metric.unit_scores(measured.values)
        return [
            _opinion(float(score), float(quality), self.metric.label)
            for score, quality in zip(scores, self._qualities(scores), strict=True)
        ]

    def _qualities(self, scores: Floats) -> Floats:
        """Qualities from 0 to 1; given scores may have any scale, so they are mapped to this range."""
        qualities = as_qualities(self.metric, scores)
        if self.metric.is_given:
            turned = qualities if self.metric.higher_is_better else qualities - 1
            qualities = 0.5 + 0.5 * turned / (1 + np.abs(turned))
        return qualities

    def decide(
        self, opinions: Sequence[Opinion], *, calibration: JudgeCalibration | None = None
    ) -> list[Opinion]:
        """Leave answers undecided until people's answers calibrate the scores."""
        return super().decide(opinions, calibration=calibration) if calibration else list(opinions)

    @property
    def signature(self) -> str:
        return f"{self.name.partition(':')[0]}-{self.metric.signature([])}"

    def record(self, opinions: Sequence[Opinion]) -> str:
        """Say that this judge has not been measured on the pair."""
        return (
            f"Nobody has measured from which score on {self.name} should call outputs wrong on {self.pair}. "
            "30 or more answers in the review app calibrate it. Until then, all outputs are undecided, "
            "and the worst come first."
        )


def _opinion(score: float, quality: float, label: str) -> Opinion:
    if math.isnan(score):
        return Opinion("undecided", None, (Reason("metric", 0.0, f"no {label}"),), "metric")
    worse = round(1 - min(max(quality, 0.001), 0.999), 4)
    return Opinion("undecided", worse, (Reason("metric", worse, f"{label} {score:.3g}"),), "metric")
