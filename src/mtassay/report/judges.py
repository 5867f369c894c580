"""How it is shown what judges can be trusted with: thresholds that were found, and judges side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mtassay.core import Score
from mtassay.display import Cell, Table
from mtassay.formats.thresholds import FoundThreshold
from mtassay.meta.calibration import CalibratedJudge, CalibrationSettings
from mtassay.meta.detectors import Labels
from mtassay.meta.judges import CombinedJudges, JudgeSummary
from mtassay.report.assessments import Assessment
from mtassay.reviews import caution_of_models

__all__ = ["Calibration", "JudgeComparison"]


@dataclass(frozen=True, repr=False)
class Calibration(Assessment):
    """Thresholds of judges for a wished precision, with what they do on outputs that had no part in them."""

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
        """Those that were found, as `--thresholds FILE` reads them."""
        engine = " and ".join(self.systems) if len(self.systems) < 3 else f"{len(self.systems)} systems"
        return [
            FoundThreshold(
                judge.name,
                judge.threshold,
                judge.low_is_error,
                judge.wished,
                dict(judge.parameters),
                judge.quality,
                f"The judge {judge.record(engine).tell()}{self._by()}.",
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
            f"Flagged, precision and recall: on held-out outputs, in percent; each of {self.settings.folds} "
            "parts of the sources is judged by the threshold that the others lead to. In brackets: Wilson's "
            "95 % interval.",
        ]
        for judge in self.judges:
            if judge.threshold is None:
                best = "" if judge.most is None else f" It can be trusted for {100 * judge.most:g} % at most."
                notes.append(
                    f"{judge.label}: no threshold gives {100 * judge.wished:g} % on other outputs.{best}"
                )
        return [*notes, *_cautions(self.labels)]


@dataclass(frozen=True, repr=False)
class JudgeComparison(Assessment):
    """Judges of the same labelled outputs: alone, two together, and how sure the differences are."""

    summaries: Sequence[JudgeSummary]
    combined: Sequence[CombinedJudges]
    names: Mapping[str, str]
    settings: CalibrationSettings
    labels: Labels

    def tables(self) -> list[Table]:
        tables = [self._main()]
        if self.combined:
            tables.append(self._together())
        if self.result.comparisons:
            tables.append(self._apart())
        return tables

    def record(self) -> dict[str, Any]:
        return {**self.result.as_dict(), "settings": asdict(self.settings)}

    def _main(self) -> Table:
        scores = {(score.name, score.system): score for score in self.result.scores}
        rows: list[list[Cell | str]] = []
        for summary in self.summaries:
            own = {name: score for (name, judge), score in scores.items() if judge == summary.name}
            flagged = summary.cells.hits + summary.cells.alarms
            rows.append(
                [
                    self.names[summary.name],
                    f"{flagged:,}",
                    _plus(own["precision"]),
                    _plus(own["recall"]),
                    _plus(own.get("auc")),
                    _number(own["kappa"].value, 2),
                    _amount(own["seconds:1000"].value),
                    _amount(own["calls:1000"].value),
                    _amount(own["price:1000"].value),
                ]
            )
        header = ["Judge", "flagged", "precision", "recall", "AUC", "κ", "s", "calls", "price"]
        notes = [
            _labelled(self.result.counts),
            "±: half of the 95 % interval. κ: agreement of its verdicts with the labels, without chance "
            "(Cohen). s, calls, price: for 1,000 outputs, on this machine; –: not known.",
        ]
        if any(summary.is_calibrated for summary in self.summaries):
            notes.append(
                f"Metrics call wrong what a threshold for a precision of {100 * self.settings.precision:g} % "
                "says, found on other sources; where there is none, nothing."
            )
        return Table(header, rows, "Judges", [*notes, *_cautions(self.labels)])

    def _together(self) -> Table:
        areas = {summary.name: summary.area for summary in self.summaries}
        rows: list[list[Cell | str]] = []
        for pair in self.combined:
            alone = max(area.value for name in pair.names if (area := areas[name]) is not None)
            cells = [
                Cell(_number(area.value, 3) + ("*" if area.value > alone else " "), strong=area.value > alone)
                for area in (pair.by_ranks, pair.by_logistic)
            ]
            rows.append([" + ".join(self.names[name] for name in pair.names), _number(alone, 3), *cells])
        notes = ["AUC, on held-out sources for the logistic model. Bold (*): better than either judge alone."]
        return Table(["Two judges", "better one", "mean of ranks ", "logistic "], rows, "Together", notes)

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
            "labels: how many in all would tell the two apart (p < 0.05, two-sided, power 80 %), if they are "
            "as different as here. by AUC: difference of areas; by right: of shares of right verdicts "
            "(McNemar). p-values are not corrected for the number of pairs."
        ]
        return Table(["Judge", "and", "by", "Δ", "p", "labels"], rows, "Told apart", notes)


def _labelled(counts: Mapping[str, Mapping[str, int]]) -> str:
    sizes = {(entry["labelled"], entry["errors"]) for entry in counts.values()}
    if len(sizes) == 1:
        n, wrong = sizes.pop()
        return f"Labelled outputs: {n:,}, of which {wrong:,} are wrong ({100 * wrong / max(n, 1):.1f} %)."
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


def _plus(score: Score | None) -> str:
    if score is None or score.value is None or score.low is None or score.high is None:
        return "–"
    half = (score.high - score.low) / 2
    if score.name == "auc":
        return f"{_number(score.value, 2)} ±{_number(half, 2)}"
    return f"{score.value:.0f} ±{half:.0f}"


def _number(value: float | None, decimals: int) -> str:
    if value is None or math.isnan(value):
        return "–"
    return (
        f"{value:.{decimals}f}".replace("-", "−").replace("0.", ".", 1)
        if abs(value) < 1
        else f"{value:.{decimals}f}"
    )


def _amount(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 10 or value == 0 else f"{value:.2g}"
