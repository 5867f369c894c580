"""How it is shown which errors metrics see, and how good judges are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from mtassay.data.display import Cell, Figure, Point, Series, Table
from mtassay.data.formats.evaluation_files import ChallengePair, FoundThreshold
from mtassay.data.nouns import Score
from mtassay.data.subjects import caution_of_models
from mtassay.measures.metric import hardly_sees
from mtassay.meta.agreement_tables import curve_figure, detection_table
from mtassay.meta.assessments import Assessment
from mtassay.meta.blindspots import ALONE, LOSS, LOWER, TIES, BlindSpotSettings, Corruptible
from mtassay.meta.detect import Curve, CurvePoint, JudgedDetector, curve
from mtassay.meta.judges import CalibratedJudge, CalibrationSettings, CombinedJudges, JudgeSummary
from mtassay.meta.labelled_detectors import Labels
from mtassay.report.run_text import Form

_TITLES = {
    LOWER: "How often a corrupted text scores lower than the good one, in percent",
    LOSS: "How much one error takes off; 100: what an unrelated text loses",
    ALONE: "How well corrupted and good texts are told apart one by one (AUC)",
}


@dataclass(frozen=True, repr=False)
class BlindSpots(Assessment):
    """Metrics by kinds of errors; `base` says what the errors were put into, `pair` the languages."""

    material: Corruptible
    settings: BlindSpotSettings
    base: str
    pair: str

    def tables(self) -> list[Table]:
        return [self._table(LOWER, self._about_lower()), self._table(LOSS, self._about_loss()),
                self._table(ALONE, [*self._about_alone(), *self.result.notes])]  # fmt: skip

    def figures(self) -> list[Figure]:
        """The three tables as maps, the darker the blinder."""
        limits = {LOWER: (50.0, 100.0), LOSS: (0.0, 20.0), ALONE: (50.0, 100.0)}
        names = {
            LOWER: "ranked lower (%)",
            LOSS: "taken off (%)",
            ALONE: "told apart alone (AUC in %)",
        }
        sizes: dict[str, int] = {}
        for score in self._scores(LOWER):
            sizes[score.group] = max(sizes.get(score.group, 0), score.n)
        rows = {kind: f"{kind} ({n:,})" for kind, n in sizes.items()}
        return [
            Figure(
                "heat",
                [
                    Series(
                        label,
                        [Point(rows[s.group], _percent(s)) for s in self._scores(what) if s.label == label],
                    )
                    for label in self._labels
                ],
                title=f"{names[what]} · {self.pair}",
                rows=list(rows.values()),
                limits=limits[what],
            )
            for what in (LOWER, LOSS, ALONE)
        ]

    def record(self) -> dict[str, Any]:
        settings = asdict(self.settings)
        return {**self.result.as_dict(), "base": self.base, "pair": self.pair, "settings": settings,
                "refused": dict(self.material.corrupted.refused)}  # fmt: skip

    def corruptions(self) -> list[ChallengePair]:
        """All that was made, as a challenge set: for metrics that are run elsewhere, and to be read."""
        sources = {source.id: source for source in self.material.sources}
        pairs = []
        for corruption in self.material.corrupted.corruptions:
            source, edit = sources[corruption.id], corruption.edit
            # An item has one category, so what was made of a sentence is several.
            item = f"{corruption.id}.{corruption.kind.replace(' ', '-')}"
            change = f"{edit.before.strip() or '–'} → {edit.after.strip() or '–'}"
            reference = source.references[0] if source.references else None
            texts = (source.source, reference, source.text.text, corruption.text)
            pairs.append(ChallengePair(item, item, corruption.kind, change, *texts, self.pair))
        return pairs

    @property
    def _labels(self) -> list[str]:
        return list(dict.fromkeys(score.label for score in self.result.scores))

    def _scores(self, what: str) -> list[Score]:
        return [score for score in self.result.scores if score.name == what]

    def _head(self, form: Form) -> str:
        texts = len(self.material.sources)
        made = len(self.material.corrupted.corruptions)
        line = f"{self.pair} · errors put into {self.base} · {texts:,} texts, {made:,} corruptions"
        return f"% {line}" if form == "latex" else line

    def _table(self, what: str, notes: Sequence[str]) -> Table:
        cells = {(score.group, score.label): score for score in self._scores(what)}
        rows: list[list[Cell | str]] = []
        for kind in dict.fromkeys(kind for kind, _ in cells):
            scores = [cells[kind, label] for label in self._labels]
            row: list[Cell | str] = [kind, f"{max(score.n for score in scores):,}"]
            for score in scores:
                mark = ("*" if hardly_sees(score) else " ") if what == LOSS else ""
                row.append(Cell(f"{_shown(score)}{mark}", strong=hardly_sees(score)))
            rows.append(row)
        header = [f"{label} " if what == LOSS else label for label in self._labels]
        return Table(["Error", "n", *header], rows, _TITLES[what], notes)

    def _about_lower(self) -> list[str]:
        notes = ["Ties count half, so that 50 is blind. ±: half of the 95 % interval, here and below."]
        most: dict[str, Score] = {}
        for score in self._scores(TIES):
            if score.value is not None and score.value >= 20:
                most[score.label] = max(most.get(score.label, score), score, key=lambda s: s.value or 0)
        if most:
            told = ", ".join(f"{s.label} up to {s.value:.0f} % ({s.group})" for s in most.values())
            notes.append(f"Ties: {told}.")
        whole = {score.group: max(s.n for s in self._scores(LOWER) if s.group == score.group)
                 for score in self._scores(LOWER)}  # fmt: skip
        for label in self._labels:
            own = [s for s in self._scores(LOWER) if s.label == label]
            if any(s.n < whole[s.group] for s in own):
                sizes = f"{min(s.n for s in own):,} to {max(s.n for s in own):,}"
                notes.append(f"{label} has no score for some of the texts: its n is {sizes}.")
        return notes

    def _about_loss(self) -> list[str]:
        notes = [
            "100 is the mean loss where an output is replaced by that of another sentence. One word of a "
            "sentence of twenty is 5."
        ]
        if any(hardly_sees(score) for score in self._scores(LOSS)):
            notes.append(
                "Bold (*): the metric hardly counts it: less than 10 for negations, numbers and names, less "
                "than 2.5 for all others."
            )
        return notes

    def _about_alone(self) -> list[str]:
        return [
            "AUC: the probability that a good text scores above a corrupted one of another sentence, which "
            "is what a threshold needs. Chance: .5."
        ]


def _percent(score: Score) -> float | None:
    if score.value is None:
        return None
    return 100 * score.value if score.name == ALONE else score.value


def _shown(score: Score) -> str:
    if score.value is None:
        return "–"
    numbers = [score.value]
    if score.low is not None and score.high is not None:
        numbers.append((score.high - score.low) / 2)
    if score.name == ALONE:
        return " ±".join(f"{number:.2f}".replace("0.", ".") for number in numbers)
    return " ±".join(f"{number:.{score.decimals}f}".replace("-", "−") for number in numbers)


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
        """Those that were found, as `--calibrated FILE` reads them."""
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
            f"Flagged, precision and recall: on held-out outputs, in percent; each of {self.settings.folds} "
            "parts of the sources is judged by the threshold that the others lead to. In brackets: Wilson's "
            "95 % interval.",
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
    """Judges of the same labelled outputs: alone, two together, and how sure the differences are."""

    summaries: Sequence[JudgeSummary]
    combined: Sequence[CombinedJudges]
    names: Mapping[str, str]
    settings: CalibrationSettings
    labels: Labels

    @cached_property
    def curves(self) -> dict[str, Curve]:
        """Precision by recall, of each judge that gives scores."""
        curves = ((summary.name, curve(summary.judge)) for summary in self.summaries)
        return {name: found for name, found in curves if found is not None}

    def tables(self) -> list[Table]:
        tables = [self._alone()]
        if self.combined:
            tables.append(self._together())
        if self.result.comparisons:
            tables.append(self._apart())
        return tables

    def record(self) -> dict[str, Any]:
        drawn = {
            name: {"average_precision": found.average, "points": [point._asdict() for point in found.points]}
            for name, found in self.curves.items()
        }
        return {
            **self.result.as_dict(),
            "settings": asdict(self.settings),
            "unsettled": self.labels.unsettled,
            "reviewers": list(self.labels.reviewers),
            "curves": drawn,
        }

    def figures(self) -> list[Figure]:
        """Precision against recall."""
        scores = {(score.name, score.system): score.value for score in self.result.scores}
        marks = {}
        for name, label in self.names.items():
            precision, recall = scores["precision", name], scores["recall", name]
            if precision is not None and recall is not None:
                marks[label] = CurvePoint(0.0, 0, precision / 100, recall / 100)
        labels = [summary.judge.labels for summary in self.summaries if summary.n]
        shares = {sum(own.values()) / len(own) for own in labels}
        points = {self.names[name]: found.points for name, found in self.curves.items()}
        return [curve_figure(points, marks, share=shares.pop() if len(shares) == 1 else None)]

    def _notes(self) -> list[str]:
        notes = [_labelled(self.result.counts), *_cautions(self.labels)]
        if any(summary.is_calibrated for summary in self.summaries):
            notes.append(
                f"Metrics call wrong what a threshold for a precision of {100 * self.settings.precision:g} % "
                "says, found on other sources; where there is none, nothing."
            )
        return [*notes, *(self._best(s.judge) for s in self.summaries if self._is_chosen(s))]

    def _is_chosen(self, summary: JudgeSummary) -> bool:
        return summary.name in self.curves and not summary.is_calibrated

    def _best(self, judge: JudgedDetector) -> str:
        best = self.curves[judge.name].best
        where = f"{judge.complement} {1 - best.threshold:.3g}" if judge.complement else f"{best.threshold:g}"
        return (
            f"{self.names[judge.name]}: with another threshold F1 would be at most {100 * best.f1:.1f}, at "
            f"{where}, which is chosen on these very labels."
        )

    def _alone(self) -> Table:
        """Each judge by itself, with its agreement with the labels and, where it was measured, its cost."""
        table = detection_table(self.result, self.names, title="Judges", notes=self._notes())
        scores = {(score.name, score.system): score.value for score in self.result.scores}
        kinds = ("seconds:1000", "calls:1000", "price:1000")
        costs = kinds if any(summary.cost.outputs for summary in self.summaries) else ()
        rows = [
            [
                *row,
                _number(scores["kappa", s.name], 2),
                *(_amount(scores.get((kind, s.name))) for kind in costs),
            ]
            for row, s in zip(table.rows, self.summaries, strict=True)
        ]
        notes = ["κ: agreement of its verdicts with the labels, without chance (Cohen)."]
        if costs:
            notes.append("s, calls, price: for 1,000 outputs, on this machine; –: not known, or none.")
        header = [*table.header, "κ", *(("s", "calls", "price") if costs else ())]
        return replace(table, header=header, rows=rows, notes=[*table.notes, *notes])

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


def _amount(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 10 or value == 0 else f"{value:.2g}"
