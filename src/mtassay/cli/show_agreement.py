"""Prints and draws how well metrics agree with people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mtassay.cli.common import OutputFormat, echo, print_json, print_tables
from mtassay.core import Result, Score
from mtassay.display import Table
from mtassay.meta.correlate import Correlations, Settings
from mtassay.meta.material import Material
from mtassay.meta.rater import Rater
from mtassay.report.correlations import agreement_tables, shown, sweep_table
from mtassay.report.plots import Dot, Line, LinePoint, Panel, plot_lines, plot_panels
from mtassay.report.run import score_rows


@dataclass(frozen=True, slots=True)
class Agreement:
    """What went in and what came out: `main` for `raters`, `swept` for the n-gram lengths in `orders`."""

    material: Material
    settings: Settings
    raters: Sequence[Rater]
    humans: Sequence[Rater]
    orders: Sequence[Rater]
    main: Correlations
    swept: Correlations

    def print(self, form: OutputFormat) -> None:
        """All of it in this format."""
        result = Result([*self.main.result.scores, *self.swept.result.scores], counts=self.main.result.counts)
        notes = list(dict.fromkeys([*self.material.notes, *self.main.notes, *self.swept.notes]))
        if form is OutputFormat.json:
            print_json({**result.as_dict(), "notes": notes})
            return
        if form is OutputFormat.tsv:
            print_tables([score_rows(result)], form)
            return
        if form is OutputFormat.text:
            echo(f"{' · '.join(self._facts())}\n")
        tables = self._tables()
        last = tables[-1]
        tables[-1] = Table(last.header, last.rows, last.title, [*last.notes, *notes])
        print_tables(tables, form)
        if form is not OutputFormat.latex:
            self._print_signatures(result)

    def draw(self, path: Path) -> None:
        """The sweep where there is one, else every metric against every human score."""
        if self.orders:
            plot_lines(
                path,
                [self._line(human) for human in self.humans],
                x_label="n-gram length",
                y_label="prediction error (%)",
                title=f"What BLEU leaves unexplained of human scores ({self._size()})",
                note="filled: the lowest" + ("; band: 95 % interval" if len(self.humans) <= 2 else ""),
            )
        else:
            plot_panels(path, [self._panels(human) for human in self.humans if self._panels(human)])

    def _facts(self) -> list[str]:
        count = len(self.material.systems)
        facts = [*self.material.facts, f"{count} system{'s' * (count != 1)}", f"{self.settings.level} level"]
        if self.settings.level == "segment" and self.settings.grouping != "none":
            facts.append(f"by {self.settings.grouping}")
        return facts

    def _tables(self) -> list[Table]:
        tables = []
        if self.main.result.scores:
            labels = {rater.name: rater.label for rater in self.raters}
            labels |= {human.name: f"{human.label} (people)" for human in self.humans}
            unit = "systems" if self.settings.level == "system" else "translations"
            tables += agreement_tables(self.main.result, labels, unit=unit)
        if self.orders:
            orders = {rater.name: int(rater.name.rpartition("=")[2]) for rater in self.orders}
            title = "BLEU by n-gram length: prediction error in %, and Pearson's r"
            tables.append(sweep_table(self.swept.result, orders, title))
        return tables

    def _print_signatures(self, result: Result) -> None:
        """Metrics' own signatures, once; those of the sweep differ by the order only."""
        chosen = [*self.raters, *self.orders[-1:]]
        lines = [f"{rater.label}|{rater.signature}" for rater in chosen if rater.signature]
        if lines:
            echo()
        for line in dict.fromkeys(lines):
            echo(line)

    def _line(self, human: Rater) -> Line:
        errors = {
            score.name: score
            for score in self.swept.result.scores
            if score.system == human.name and score.group == "prediction_error"
        }
        found = [(int(rater.name.rpartition("=")[2]), errors[rater.name]) for rater in self.orders]
        return Line(human.label, [LinePoint(x, s.value, s.low, s.high) for x, s in found])

    def _panels(self, human: Rater) -> list[Panel]:
        return [self._panel(rater, human) for rater in self.raters if rater is not human]

    def _panel(self, rater: Rater, human: Rater) -> Panel:
        pearson = next(
            score
            for score in self.main.result.scores
            if (score.name, score.system, score.group) == (rater.name, human.name, "pearson")
        )
        by = self.settings.grouping
        what = "Pearson" if self._is_named() or by == "none" else f"Pearson by {by}"
        dots = self._dots(rater, human)
        return Panel(rater.label, human.label, f"{what} {shown(pearson)}", dots, self._is_named())

    def _dots(self, rater: Rater, human: Rater) -> list[Dot]:
        if self._is_named():
            rows = zip(self.material.systems, rater.points, human.points, strict=True)
            dots = [Dot(name, float(x), float(y)) for name, x, y in rows]
        elif rater.segments is None or human.segments is None:
            return []
        else:
            pairs = zip(rater.segments.ravel().tolist(), human.segments.ravel().tolist(), strict=True)
            dots = [Dot("", x, y) for x, y in pairs]
        return [dot for dot in dots if not (math.isnan(dot.x) or math.isnan(dot.y))]

    def _is_named(self) -> bool:
        return self.settings.level == "system"

    def _size(self) -> str:
        scores: list[Score] = list(self.swept.result.scores)
        n = max((score.n for score in scores), default=0)
        return f"{n:,} {'systems' if self.settings.level == 'system' else 'translations'}"
