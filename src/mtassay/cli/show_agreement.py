"""Prints and draws how well metrics agree with people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mtassay.cli.common import OutputFormat, echo, print_json, print_tables
from mtassay.core import Result
from mtassay.display import Table
from mtassay.meta.correlate import Correlations, Settings
from mtassay.meta.material import Material
from mtassay.meta.rater import Rater
from mtassay.report.correlations import agreement_figure, agreement_tables, sweep_figure, sweep_table
from mtassay.report.figures import draw
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
            labels = {human.name: human.label for human in self.humans}
            draw(sweep_figure(self.swept.result, self._lengths, labels, unit=self._unit), path)
        else:
            systems = self.material.systems
            draw(agreement_figure(self.main.result, self.raters, self.humans, systems, self.settings), path)

    @property
    def _lengths(self) -> dict[str, int]:
        return {rater.name: int(rater.name.rpartition("=")[2]) for rater in self.orders}

    @property
    def _unit(self) -> str:
        return "systems" if self.settings.level == "system" else "translations"

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
            tables += agreement_tables(self.main.result, labels, unit=self._unit)
        if self.orders:
            title = "BLEU by n-gram length: prediction error in %, and Pearson's r"
            tables.append(sweep_table(self.swept.result, self._lengths, title))
        return tables

    def _print_signatures(self, result: Result) -> None:
        """Metrics' own signatures, once; those of the sweep differ by the order only."""
        chosen = [*self.raters, *self.orders[-1:]]
        lines = [f"{rater.label}|{rater.signature}" for rater in chosen if rater.signature]
        if lines:
            echo()
        for line in dict.fromkeys(lines):
            echo(line)
