"""The tables that show a result to a person: systems by metric, groups, comparisons, guards, signatures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mtassay.core import Comparison, Result, Run, Score
from mtassay.display import Cell, Figure, Point, Series, Table
from mtassay.metrics.blindspots import blindspots_note

WHOLE = "all"
FEW = 30
"""Below so many units, resampling says little."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What each metric is called, and with how many decimals it is printed."""

    labels: Mapping[str, str]
    decimals: Mapping[str, int]

    @classmethod
    def of(cls, result: Result) -> _Look:
        return cls(
            {score.name: score.label or score.name for score in result.scores},
            {score.name: score.decimals for score in result.scores},
        )

    def label(self, name: str) -> str:
        return self.labels.get(name, name)

    def number(self, value: float | None, name: str) -> str:
        if value is None:
            return "–"
        shown = f"{value:.{self.decimals.get(name, 1)}f}"
        return shown.lstrip("-") if float(shown) == 0 else shown

    def spread(self, score: Score) -> str:
        """Half the width of the interval, as people write it."""
        if score.low is None or score.high is None:
            return ""
        return f"{self.number((score.high - score.low) / 2, score.name)}"


def _sizes(numbers: Sequence[int]) -> str:
    """One n for all systems, or the fewest and the most.

    >>> _sizes([60, 60]), _sizes([1200, 58])
    ('60', '58 to 1,200')
    """
    fewest, most = min(numbers), max(numbers)
    return f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"


def main_table(run: Run) -> Table:
    """Systems by metric: score, half-width of its 95 % interval, rank of its significance cluster."""
    result, look = run.result, _Look.of(run.result)
    whole = [score for score in result.scores if score.group == WHOLE]
    metrics = list(dict.fromkeys(score.name for score in whole))
    cells = {(score.name, score.system): score for score in whole}
    ranks = {
        (cluster.name, system): cluster.rank
        for cluster in result.clusters
        if cluster.group == WHOLE
        for system in cluster.systems
    }
    systems = _ordered_systems(result, metrics)
    header = ["System"]
    for metric in metrics:
        header += [look.label(metric), "±", "#"] if ranks else [look.label(metric), "±"]
    rows: list[list[Cell | str]] = []
    for system in systems:
        row: list[Cell | str] = [system]
        for metric in metrics:
            score = cells[metric, system]
            rank = ranks.get((metric, system))
            row += [Cell(look.number(score.value, metric), strong=rank == 1), look.spread(score)]
            row += [str(rank)] if rank else []
        rows.append(row)
    sizes = {metric: [cells[metric, system].n for system in systems] for metric in metrics}
    notes = [f"n: {', '.join(f'{look.label(metric)} {_sizes(n)}' for metric, n in sizes.items())}."]
    notes.append("±: half of the 95 % bootstrap interval.")
    if min(n for several in sizes.values() for n in several) < FEW:
        notes.append(f"Fewer than {FEW}: intervals and p-values say little.")
    if ranks:
        notes.append(f"#: rank; a new one where all above differ from all below (p < {_alpha(run):g}).")
    if note := blindspots_note((metric, look.label(metric)) for metric in metrics):
        notes.append(note)
    return Table(header, rows, notes=notes)


def group_tables(result: Result) -> list[Table]:
    """For each metric with groups (domains, entity types): systems by group."""
    look = _Look.of(result)
    tables = []
    for metric in dict.fromkeys(score.name for score in result.scores):
        parts = [s for s in result.scores if s.name == metric and s.group != WHOLE]
        groups = list(dict.fromkeys(score.group for score in parts))
        if not groups:
            continue
        cells = {(score.group, score.system): score for score in parts}
        systems = _ordered_systems(result, [metric])
        best = {
            (cluster.group, system)
            for cluster in result.clusters
            if cluster.name == metric and cluster.rank == 1
            for system in cluster.systems
        }
        rows: list[list[Cell | str]] = []
        for group in groups:
            row: list[Cell | str] = [group, str(cells[group, systems[0]].n)]
            for system in systems:
                score = cells[group, system]
                text = f"{look.number(score.value, metric)} ±{look.spread(score)}".strip(" ±")
                row.append(Cell(text, strong=(group, system) in best))
            rows.append(row)
        tables.append(Table(["Group", "n", *systems], rows, title=f"{look.label(metric)} by group"))
    return tables


def comparison_table(run: Run, *, all_pairs: bool = False) -> Table | None:
    """Every system against the baseline, the best first, metric by metric; or all pairs.

    `None` for a single system.
    """
    look, alpha = _Look.of(run.result), _alpha(run)
    whole = [comparison for comparison in run.result.comparisons if comparison.group == WHOLE]
    if not whole:
        return None
    baseline, title = _baseline(run, look)
    rows: list[list[Cell | str]] = []
    if all_pairs:
        title = "All pairs"
        for comparison in whole:
            cells = _comparison_cells(comparison, look, alpha)
            rows.append([f"{comparison.a} − {comparison.b}", look.label(comparison.name), *cells])
    for metric in [] if all_pairs else dict.fromkeys(comparison.name for comparison in whole):
        against = {
            shown.a: shown
            for comparison in whole
            if comparison.name == metric and baseline in (comparison.a, comparison.b)
            for shown in [comparison if comparison.b == baseline else _reversed(comparison)]
        }
        for system in _ordered_systems(run.result, [metric]):
            if system in against:
                cells = _comparison_cells(against[system], look, alpha)
                rows.append([system, look.label(metric), *cells])
    return Table(
        ["System", "metric", "Δ", "p", "detectable", "more needed"],
        rows,
        title=title,
        notes=[
            _about_p(run),
            "detectable: the smallest Δ that this test set shows with 80 % power. "
            "more needed: how many more segments would settle a Δ of this size.",
        ],
    )


def baseline_of(run: Run) -> str:
    """The system that the others are shown against: the one named, else the best or the first."""
    return _baseline(run, _Look.of(run.result))[0]


def _baseline(run: Run, look: _Look) -> tuple[str, str]:
    """The system that the others are shown against, and the title that says which one it is."""
    if name := run.parameters.get("baseline"):
        return name, f"Against {name}"
    if not run.parameters.get("against_best"):
        return run.systems[0], f"Against {run.systems[0]}"
    metric = run.result.scores[0].name
    best = _ordered_systems(run.result, [metric])[0]
    return best, f"Against {best}, the best by {look.label(metric)}"


def _alpha(run: Run) -> float:
    return float(run.parameters.get("alpha", 0.05))


_TESTS = {
    "bootstrap": "p: paired bootstrap, as sacreBLEU's, which is lenient; --test randomization is not",
    "randomization": "p: approximate randomization, two-sided",
    "sacrebleu-randomization": "p: approximate randomization as sacreBLEU's, which does not count ties",
}


def _about_p(run: Run) -> str:
    """Which test the p-values are from, and how far one may trust many of them."""
    # Runs of earlier versions have sacreBLEU's tests, and no word of them if it was the bootstrap.
    test = run.parameters.get("test", "bootstrap")
    correction = run.parameters.get("correction", "none")
    corrected = {
        "none": "not corrected for the number of comparisons",
        "max-t": "corrected for all comparisons of this table (max-T)",
    }.get(correction, f"corrected ({correction})")
    several = len({(c.name, c.a, c.b) for c in run.result.comparisons if c.group == WHOLE}) > 1
    return f"{_TESTS[test]}{f'; {corrected}' if several else ''}."


def guard_table(result: Result) -> Table | None:
    """Broken outputs per system; only what was found, `None` if nothing was."""
    kinds = [
        kind
        for kind in dict.fromkeys(kind for counts in result.counts.values() for kind in counts)
        if kind != "segments" and any(counts.get(kind) for counts in result.counts.values())
    ]
    systems = [system for system, counts in result.counts.items() if any(counts.get(kind) for kind in kinds)]
    if not kinds:
        return None
    rows: list[list[Cell | str]] = []
    for system in systems:
        counts = result.counts[system]
        total = counts["segments"] or 1
        cells = [
            f"{counts[kind]} ({100 * counts[kind] / total:.1f} %)" if counts.get(kind) else ""
            for kind in kinds
        ]
        rows.append([system, *cells])
    return Table(
        ["System", *(kind.replace("_", " ") for kind in kinds)], rows, title="Watch out: broken outputs"
    )


def signature_lines(result: Result) -> list[str]:
    """One line per metric: its label and signature."""
    look = _Look.of(result)
    signatures = {score.name: score.signature for score in result.scores}
    return [f"{look.label(name)}|{signature}" for name, signature in signatures.items()]


def score_figures(result: Result) -> list[Figure]:
    """For each metric a figure: every system's score with its 95 % interval, the best first."""
    look = _Look.of(result)
    figures = []
    for metric in dict.fromkeys(score.name for score in result.scores):
        scores = {s.system: s for s in result.scores if (s.name, s.group) == (metric, WHOLE)}
        systems = _ordered_systems(result, [metric])
        points = [Point(s, scores[s].value, scores[s].low, scores[s].high) for s in systems]
        figures.append(
            Figure(
                "dots",
                [Series(look.label(metric), points)],
                x_label=look.label(metric),
                rows=systems,
                note=f"Dots: scores with 95 % bootstrap intervals, n = {scores[systems[0]].n:,}.",
            )
        )
    return figures


def _ordered_systems(result: Result, metrics: Sequence[str]) -> list[str]:
    """Best first by the first metric's clusters and scores."""
    first = metrics[0]
    whole = [score for score in result.scores if score.name == first and score.group == WHOLE]
    ranked = [
        system
        for cluster in result.clusters
        if cluster.name == first and cluster.group == WHOLE
        for system in cluster.systems
    ]
    return ranked or [score.system for score in whole]


def _reversed(comparison: Comparison) -> Comparison:
    delta = None if comparison.delta is None else -comparison.delta
    return Comparison(
        comparison.name,
        comparison.group,
        comparison.b,
        comparison.a,
        delta,
        comparison.p,
        comparison.detectable,
        comparison.more,
    )


def _comparison_cells(comparison: Comparison, look: _Look, alpha: float) -> list[Cell | str]:
    significant = comparison.p is not None and comparison.p < alpha
    delta = look.number(comparison.delta, comparison.name)
    if comparison.delta is not None and comparison.delta > 0:
        delta = f"+{delta}"
    p = "–" if comparison.p is None else f"{comparison.p:.4f}"
    more = "settled" if significant else _many(comparison.more)
    return [
        Cell(delta.replace("-", "−"), strong=significant),
        p + ("*" if significant else " "),
        look.number(comparison.detectable, comparison.name),
        more,
    ]


def _many(units: int | None) -> str:
    """A number of segments; beyond a million nobody would translate them to see."""
    return "–" if units is None else f"{units:,}" if units <= 1_000_000 else "more than a million"
