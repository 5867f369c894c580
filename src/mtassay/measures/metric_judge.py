"""Any metric as a judge, and scores that were made elsewhere: the same frame as for our own judge.

A metric ranks outputs; it does not know which ones are wrong. So everything is undecided, the lowest quality
first, until thirty or more answers of people calibrate it (`JudgeCalibration`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mtassay.data.errors import InputError, UsageError
from mtassay.data.languages import Pair
from mtassay.data.nouns import Segment
from mtassay.data.settings import build
from mtassay.measures.clues import JudgedAnswer
from mtassay.measures.judge import JudgeCalibration, Opinion, Reason, TranslationJudge
from mtassay.measures.metric import Metric, as_qualities

_FILE = "scores:"


def open_metric_judge(pair: Pair, name: str) -> TranslationJudge:
    """`scores:FILE`, or a metric as `score` names it; one that does not exist is an error.

    >>> from mtassay.data.languages import parse_pair
    >>> open_metric_judge(parse_pair("en-de"), "chrf").signature
    'metric-chrf'
    """
    if name.startswith(_FILE):
        return ScoreJudge.read(pair, Path(name.removeprefix(_FILE)))
    metric: Metric = build("metric", name, language=str(pair.target), langpair=str(pair))
    if metric.asks_models:
        raise UsageError(
            f"`{name}` asks a model for every output. Score with it first, then judge by the scores: "
            f"`{_FILE}FILE`."
        )
    return MetricJudge(pair, name, metric)


class _Uncalibrated(TranslationJudge):
    """Says nothing before it is calibrated."""

    def decide(
        self, opinions: Sequence[Opinion], *, calibration: JudgeCalibration | None = None
    ) -> list[Opinion]:
        """Undecided, unless answers of people say what a score means."""
        return super().decide(opinions, calibration=calibration) if calibration else list(opinions)

    def record(self, opinions: Sequence[Opinion]) -> str:
        """That nobody has measured it here."""
        return (
            f"What {self.signature} calls wrong is not measured on {self.pair}: 30 or more answers in the "
            "review app calibrate it. Until then outputs are undecided, the worst first."
        )


@dataclass(frozen=True)
class MetricJudge(_Uncalibrated):
    """A metric of `score`, its quality turned round: the lower it is, the more likely an error."""

    pair: Pair
    name: str
    metric: Metric

    def judge(self, answers: Sequence[JudgedAnswer]) -> list[Opinion]:
        """One opinion for each answer, in order; without a reference that the metric needs, an error."""
        if "references" in self.metric.needs and not all(answer.references for answer in answers):
            raise UsageError(f"The judge `{self.name}` needs references.")
        segments = [Segment(str(n), a.source, a.references) for n, a in enumerate(answers)]
        (measured,) = self.metric.measure(segments, {"": [answer.output for answer in answers]})
        scores = self.metric.unit_scores(measured.values)
        return [
            _opinion(float(score), float(quality), self.metric.label)
            for score, quality in zip(scores, as_qualities(self.metric, scores), strict=True)
        ]

    @property
    def signature(self) -> str:
        return f"metric-{self.name}"


@dataclass(frozen=True)
class ScoreJudge(_Uncalibrated):
    """Scores of a file by the id of the output: two columns, tab between them, higher is better."""

    pair: Pair
    scores: Mapping[str, float]
    content: str

    @classmethod
    def read(cls, pair: Pair, path: Path) -> ScoreJudge:
        """Read the file; a line that is not an id and a number is an error with its place."""
        scores: dict[str, float] = {}
        text = path.read_text("utf-8") if path.is_file() else ""
        if not text.strip():
            raise InputError("there are no scores", path=path)
        for number, line in enumerate(text.splitlines(), start=1):
            key, _, value = line.partition("\t")
            try:
                scores[key] = float(value)
            except ValueError:
                raise InputError(f"line {number} is not an id, a tab and a score", path=path) from None
        return cls(pair, scores, hashlib.sha256(text.encode()).hexdigest()[:8])

    def judge(self, answers: Sequence[JudgedAnswer]) -> list[Opinion]:
        """One opinion for each answer, in order; what has no score is undecided without a probability."""
        if missing := [answer.id for answer in answers if answer.id not in self.scores]:
            raise UsageError(f"The file of scores has none for {missing[0]} ({len(missing):,} are missing).")
        highest, lowest = max(self.scores.values()), min(self.scores.values())
        span = (highest - lowest) or 1.0
        return [_opinion(self.scores[a.id], (self.scores[a.id] - lowest) / span, "score") for a in answers]

    @property
    def signature(self) -> str:
        return f"scores-{self.content}"


def _opinion(score: float, quality: float, label: str) -> Opinion:
    worse = round(1 - min(max(quality, 0.001), 0.999), 4)
    reason = Reason("metric", worse, f"{label} {score:.3g}")
    return Opinion("undecided", worse, (reason,), "metric")
