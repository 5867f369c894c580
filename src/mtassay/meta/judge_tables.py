"""Tables of the quality of judges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from mtassay.data.display import Cell, Table
from mtassay.data.formats.evaluation_files import FoundThreshold
from mtassay.data.nouns import Score
from mtassay.data.subjects import caution_of_models
from mtassay.meta.agreement_tables import detection_table
from mtassay.meta.assessments import Assessment
from mtassay.meta.judges import CalibratedJudge, CalibrationSettings, JudgeSummary
from mtassay.meta.labelled_detectors import Labels


@dataclass(frozen=True, repr=False)
class Calibration(Assessment):
    """Judges' thresholds for a wanted precision, with their results on held-out outputs."""

    judges: Sequence[CalibratedJudge]
    settings: CalibrationSettings
    labels: Labels
    systems: Sequence[str]

    def tables(self) -> list[Table]:
        scores = {(score.name, score.system): score for score in self.result.scores}
        rows: list[list[Cell | str]] = []
        for judge in self.judges:
            side = "≤" if judge.low_is_error else "≥"
            rows.append(
                [
                    judge.label,
                    "–" if judge.threshold is None else f"{side} {judge.threshold:.4g}",
                    f"{judge.held_out.hits + judge.held_out.alarms:,}",
                    _share(scores["precision", judge.name]),
                    _share(scores["recall", judge.name]),
                ]
            )
        title = f"Thresholds for a precision of {100 * self.settings.precision:g} %"
        return [Table(["Judge", "wrong if", "flagged", "precision", "recall"], rows, title, self._notes())]

    def thresholds(self) -> list[FoundThreshold]:
        """The thresholds in the form that `--calibrated FILE` reads."""
        engine = " and ".join(self.systems) if len(self.systems) < 3 else f"{len(self.systems)} systems"
        return [
            FoundThreshold(
                judge.name,
                judge.threshold,
                judge.low_is_error,
                judge.wished,
                dict(judge.parameters),
                judge.quality,
                f"The judge {judge.tell(engine)}{self._by()}.",
                f"{judge.n:,} labels, {self.labels.origin}",
            )
            for judge in self.judges
            if judge.threshold is not None
        ]

    def record(self) -> dict[str, Any]:
        judges = [{**asdict(judge), "held_out": judge.held_out._asdict()} for judge in self.judges]
        return {**self.result.as_dict(), "judges": judges, "settings": asdict(self.settings)}

    def _by(self) -> str:
        return ", by labels of language models" if caution_of_models(self.labels.reviewers) else ""

    def _notes(self) -> list[str]:
        notes = [
            _labelled(self.result.counts),
            "Flagged, precision and recall are for held-out outputs, in percent: each of the "
            f"{self.settings.folds} parts of the sources is judged with a threshold found on the others. In "
            "brackets: Wilson's 95 % interval.",
        ]
        for judge in self.judges:
            if judge.threshold is None:
                best = "" if judge.most is None else f" These labels support {100 * judge.most:g} %."
                notes.append(
                    f"{judge.label}: no threshold gives {100 * judge.wished:g} % on other outputs.{best}"
                )
        return [*notes, *_cautions(self.labels)]


@dataclass(frozen=True, repr=False)
class JudgeComparison(Assessment):
    """Judges on the same labelled outputs: each judge, and the significance of differences."""

    summaries: Sequence[JudgeSummary]
    names: Mapping[str, str]
    settings: CalibrationSettings
    labels: Labels

    def tables(self) -> list[Table]:
        tables = [self._alone()]
        if self.result.comparisons:
            tables.append(self._apart())
        return tables

    def record(self) -> dict[str, Any]:
        return {
            **self.result.as_dict(),
            "settings": asdict(self.settings),
            "unsettled": self.labels.unsettled,
            "reviewers": list(self.labels.reviewers),
        }

    def _notes(self) -> list[str]:
        notes = [_labelled(self.result.counts), *_cautions(self.labels)]
        if any(summary.is_calibrated for summary in self.summaries):
            notes.append(
                "A metric calls outputs wrong by a threshold for a precision of "
                f"{100 * self.settings.precision:g} %, found on other sources. Without such a threshold, it "
                "calls no output wrong."
            )
        return notes

    def _alone(self) -> Table:
        """A table of each judge's agreement with the labels."""
        table = detection_table(self.result, self.names, title="Judges", notes=self._notes())
        scores = {(score.name, score.system): score.value for score in self.result.scores}
        rows = [
            [*row, _number(scores["kappa", s.name], 2)]
            for row, s in zip(table.rows, self.summaries, strict=True)
        ]
        notes = ["κ: agreement of its verdicts with the labels, corrected for chance (Cohen)."]
        header = [*table.header, "κ"]
        return replace(table, header=header, rows=rows, notes=[*table.notes, *notes])

    def _apart(self) -> Table:
        n = {summary.name: summary.n for summary in self.summaries}
        rows: list[list[Cell | str]] = []
        for entry in self.result.comparisons:
            assert entry.delta is not None
            what = {"auc": "AUC", "right": "right"}[entry.name]
            if entry.more is None:
                labels = "–"
            else:
                labels = "enough" if entry.more == 0 else f"{n[entry.a] + entry.more:,}"
            p = "–" if entry.p is None else ("< .001" if entry.p < 0.001 else _number(entry.p, 3))
            shown = f"{entry.delta:+.3f}".replace("-", "−").replace("0.", ".")
            rows.append([self.names[entry.a], self.names[entry.b], what, shown, p, labels])
        notes = [
            "labels: how many labels are needed in total to show this difference (p < 0.05, two-sided, power "
            "80 %). by AUC: difference of areas. by right: difference of the shares of right verdicts "
            "(McNemar). p-values are not corrected for the number of pairs."
        ]
        return Table(["Judge", "and", "by", "Δ", "p", "labels"], rows, "Differences between judges", notes)


def _labelled(counts: Mapping[str, Mapping[str, int]]) -> str:
    sizes = {(entry["labelled"], entry["errors"]) for entry in counts.values()}
    if len(sizes) == 1:
        n, wrong = sizes.pop()
        verb = "is" if wrong == 1 else "are"
        return f"Labelled outputs: {n:,}, of which {wrong:,} {verb} wrong ({100 * wrong / max(n, 1):.1f} %)."
    told = "; ".join(f"{name}: {e['labelled']:,}, {e['errors']:,} wrong" for name, e in counts.items())
    return f"Labelled outputs. {told}."


def _cautions(labels: Labels) -> list[str]:
    notes = [caution] if (caution := caution_of_models(labels.reviewers)) else []
    if labels.unsettled:
        notes.append(f"Looked at and not settled (disputed, unsure or empty): {labels.unsettled:,}.")
    return notes


def _share(score: Score) -> str:
    if score.value is None or score.low is None or score.high is None:
        return "–"
    hits = round(score.value * score.n / 100)
    return f"{score.value:.1f} [{score.low:.0f}–{score.high:.0f}] ({hits:,}/{score.n:,})"


def _number(value: float | None, decimals: int) -> str:
    if value is None or math.isnan(value):
        return "–"
    return (
        f"{value:.{decimals}f}".replace("-", "−").replace("0.", ".", 1)
        if abs(value) < 1
        else f"{value:.{decimals}f}"
    )
