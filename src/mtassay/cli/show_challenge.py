"""Prints and draws how metrics do on a challenge set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from mtassay.cli.common import OutputFormat, echo, print_json, print_tables
from mtassay.core import Comparison, Result
from mtassay.display import Table
from mtassay.formats.challenge import ChallengePair
from mtassay.languages import parse_pair
from mtassay.meta.challenge import ACCURACY, KINDS, Kind, MetricScores, Settings
from mtassay.meta.estimation import AREA
from mtassay.report.challenge import area_table, pairwise_figure, pairwise_table
from mtassay.report.figures import draw
from mtassay.report.run import score_rows

_TITLES: dict[Kind, str] = {
    "reference-based": "Metrics that read the reference",
    "reference-free": "Metrics that read the source alone",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """What went in and what came out."""

    pairs: Sequence[ChallengePair]
    metrics: Sequence[MetricScores]
    settings: Settings
    accuracy: Result
    areas: Result
    between: Comparison | None

    def print(self, form: OutputFormat) -> None:
        """All of it in this format."""
        result = Result(
            [*self.accuracy.scores, *self.areas.scores],
            [*self.accuracy.comparisons, *self.areas.comparisons, *([self.between] if self.between else [])],
            [*self.accuracy.clusters, *self.areas.clusters],
            {each.name: {"pairs": len(self.pairs), "missing": each.missing} for each in self.metrics},
        )
        if form is OutputFormat.json:
            metrics = [
                {"name": m.name, "label": m.label, "kind": m.kind, "signature": m.signature}
                for m in self.metrics
            ]
            print_json({**result.as_dict(), "metrics": metrics, "settings": asdict(self.settings)})
            return
        if form is OutputFormat.tsv:
            print_tables([score_rows(result)], form)
            return
        comment = "% " if form is OutputFormat.latex else ""
        echo(f"{comment}{self._facts()}\n")
        tables = self._tables()
        tables[-1] = replace(tables[-1], notes=[*tables[-1].notes, *self._notes()])
        print_tables(tables, form)
        signatures = [f"{m.label}|{m.signature}" for m in self.metrics if m.signature]
        if signatures:
            echo("\n" + "\n".join(f"{comment}{line}" for line in signatures))

    def draw(self, path: Path) -> None:
        """Pairwise accuracies."""
        draw(pairwise_figure(self.accuracy, self._labels), path)

    @property
    def _labels(self) -> dict[str, str]:
        return {each.name: each.label for each in self.metrics}

    def _facts(self) -> str:
        items = len({pair.item for pair in self.pairs})
        langpairs = [str(parse_pair(text)) for text in sorted({pair.langpair for pair in self.pairs} - {""})]
        with_reference = sum(pair.reference is not None for pair in self.pairs)
        facts = langpairs if len(langpairs) == 1 else []
        facts += [f"{items:,} items", f"{len(self.pairs):,} pairs", f"{with_reference:,} with a reference"]
        return " · ".join(facts)

    def _tables(self) -> list[Table]:
        settings = self.settings
        several = len({pair.item for pair in self.pairs}) < len(self.pairs)
        tables = [
            pairwise_table(
                self.accuracy,
                f"{ACCURACY}:{kind}",
                self._labels,
                by=settings.by,
                alpha=settings.alpha,
                title=_TITLES[kind],
                several=several,
            )
            for kind in KINDS
            if any(each.kind == kind for each in self.metrics)
        ]
        if self.areas.scores:
            tables.append(area_table(self.areas, AREA, self._labels, by=settings.by, alpha=settings.alpha))
        return tables

    def _notes(self) -> list[str]:
        notes = []
        if self.between and self.between.delta is not None and self.between.p is not None:
            a, b = (self._labels[name] for name in (self.between.a, self.between.b))
            p = "p < 0.001" if self.between.p < 0.001 else f"p = {self.between.p:.3f}"
            notes.append(
                f"With or without reference, on the items that both have: {a} is {self.between.delta:.1f} "
                f"points above {b} ({p})."
            )
        for each in self.metrics:
            expected = sum(pair.reference is None for pair in self.pairs) * (each.kind == "reference-based")
            if each.missing > expected:
                notes.append(f"{each.label}: {each.missing - expected:,} pairs without a score are left out.")
        return notes
