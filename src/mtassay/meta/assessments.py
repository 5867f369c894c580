"""Results of comparing metrics and systems with people, ready for display."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from mtassay.data.display import Cell, Figure, Table
from mtassay.data.errors import UsageError
from mtassay.data.marks import json_text
from mtassay.data.nouns import Result
from mtassay.meta.agreement_tables import (
    agreement_figure,
    agreement_tables,
    metrics_table,
    sweep_figure,
    sweep_table,
)
from mtassay.meta.correlate import Correlations, CorrelationSettings
from mtassay.meta.error_spans import NAMES, spans_table
from mtassay.meta.rated_material import RatedMaterial, Rater
from mtassay.report.plots import draw
from mtassay.report.run_text import Form, render_tables, score_rows, to_html


@dataclass(frozen=True)
class Assessment(ABC):
    """A result with everything that is needed to show it."""

    result: Result

    @abstractmethod
    def tables(self) -> list[Table]:
        """All tables; the last table has the notes."""

    def records(self, what: str = "scores") -> list[dict[str, Any]]:
        """Scores, comparisons or clusters as plain records, for `pandas.DataFrame(found.records())`."""
        if what not in ("scores", "comparisons", "clusters"):
            raise UsageError(f"There are no '{what}'. Available: scores, comparisons, clusters.")
        return [asdict(entry) for entry in getattr(self.result, what)]

    def record(self) -> dict[str, Any]:
        """All data as JSON data."""
        return self.result.as_dict()

    def render(self, form: Form = "text", *, width: int = 80, color: bool = False) -> str:
        """Render all data as text, json, tsv, md or latex."""
        if form == "json":
            return json_text(self.record(), indent=2)
        if form == "tsv":
            return render_tables([score_rows(self.result)], form)
        body = render_tables(self.tables(), form, width=width, color=color)
        return "\n\n".join(filter(None, (self._head(form), body, self._foot(form))))

    def figures(self) -> list[Figure]:
        """The figures to draw."""
        return []

    def draw(self, path: Path) -> None:
        """Draw all figures in one file, as SVG or PNG."""
        draw(self.figures(), path)

    def _head(self, form: Form) -> str:
        """The text above the tables."""
        return ""

    def _foot(self, form: Form) -> str:
        """The text below the tables."""
        return ""

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        return "\n".join(map(to_html, self.tables()))


@dataclass(frozen=True, repr=False)
class AgreementAssessment(Assessment):
    """Agreement of metrics with people: `main` for `raters`, `swept` for n-gram lengths in `orders`.

    `among` is the agreement between metrics, if requested.
    """

    material: RatedMaterial
    settings: CorrelationSettings
    raters: Sequence[Rater]
    humans: Sequence[Rater]
    orders: Sequence[Rater]
    main: Correlations
    swept: Correlations
    among: Correlations

    def tables(self) -> list[Table]:
        tables = []
        if self.main.result.scores:
            labels = {rater.name: rater.label for rater in self.raters}
            labels |= {human.name: f"{human.label} (people)" for human in self.humans}
            tables += agreement_tables(self.main.result, labels, unit=self._unit)
            if self.main.result.clusters:
                tables[-1] = replace(tables[-1], notes=[*tables[-1].notes, self._ranks])
        if self.orders:
            orders = {rater.name: _order(rater) for rater in self.orders}
            title = "BLEU by n-gram length: prediction error in %, and Pearson's r"
            tables.append(sweep_table(self.swept.result, orders, title))
        if self.among.result.scores:
            names = {rater.name: rater.label for rater in self.raters}
            tables.append(metrics_table(self.among.result, names, unit=self._unit))
        if spans := spans_table([score for score in self.result.scores if score.name in NAMES]):
            tables.append(spans)
        return [*tables[:-1], replace(tables[-1], notes=[*tables[-1].notes, *self.result.notes])]

    def figures(self) -> list[Figure]:
        """The figure of the sweep if there is one, else figures of every metric against every human score."""
        if self.orders:
            orders = {rater.name: _order(rater) for rater in self.orders}
            labels = {human.name: human.label for human in self.humans}
            return [sweep_figure(self.swept.result, orders, labels, unit=self._unit)]
        systems = self.material.systems
        return [agreement_figure(self.main.result, self.raters, self.humans, systems, self.settings)]

    @property
    def _ranks(self) -> str:
        """An explanation of the ranks."""
        settings = self.settings
        if settings.test == "wmt":
            how = "as at WMT, one-sided and not corrected for the number of pairs: too bold"
        else:
            how = "two-sided, corrected for the number of pairs"
        return (
            "#: rank. A new rank begins with a metric that is significantly worse than one in the rank above "
            f"(permutation test, {how}; p ≤ {settings.alpha:g}, {settings.trials:,} trials)."
        )

    @property
    def _unit(self) -> str:
        return "systems" if self.settings.level == "system" else "translations"

    def _head(self, form: Form) -> str:
        if form != "text":
            return ""
        count = len(self.material.systems)
        facts = [*self.material.facts, f"{count} system{'s' * (count != 1)}", f"{self.settings.level} level"]
        if self.settings.level == "segment" and self.settings.grouping != "none":
            facts.append(f"by {self.settings.grouping}")
        return " · ".join(facts)

    def _foot(self, form: Form) -> str:
        """Signatures of metrics, each once; the signatures of the sweep differ only by the order."""
        chosen = [*self.raters, *self.orders[-1:]] if form != "latex" else []
        return "\n".join(dict.fromkeys(f"{r.label}|{r.signature}" for r in chosen if r.signature))


def _order(rater: Rater) -> int:
    return int(rater.name.rpartition("=")[2])


@dataclass(frozen=True, repr=False)
class RankingAssessment(Assessment):
    """Systems ranked by people's scores of segments, best first."""

    alpha: float

    def tables(self) -> list[Table]:
        result = self.result
        ranks = {system: cluster.rank for cluster in result.clusters for system in cluster.systems}
        rows: list[list[Cell | str]] = []
        for score in result.scores:
            half = "–" if score.low is None or score.high is None else f"{(score.high - score.low) / 2:.3f}"
            wins = result.counts[score.system]["wins"]
            value = Cell(f"{score.value:.3f}", strong=ranks[score.system] == 1)
            rows.append([score.system, value, half, f"{score.n:,}", str(wins), str(ranks[score.system])])
        notes = [
            f"wins: systems it is significantly better than (one-sided rank-sum test, p < {self.alpha:g}).",
            "#: rank. A new rank begins where all systems above are significantly better than all below.",
        ]
        return [Table(["System", result.scores[0].name, "±", "n", "wins", "#"], rows, notes=notes)]
