"""The tables of a result for people: systems by metric, groups, comparisons, checks, signatures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from mtassay.data.display import Cell, Figure, Point, Series, Table
from mtassay.data.marks import plural
from mtassay.data.nouns import Comparison, Result, Run, Score
from mtassay.measures.metric import worth_of
from mtassay.methods.headlines import FEW, FEW_NOTE, may_be_best, unranked
from mtassay.stats.comparisons import least_p

WHOLE = "all"
_FEW_DOCUMENTS = 20
_NAMED = 4  # systems in a note


@dataclass(frozen=True, slots=True)
class _MetricStyle:
    """The display names of metrics, and their numbers of decimals."""

    labels: Mapping[str, str]
    decimals: Mapping[str, int]
    incomplete: Collection[str] = ()

    @classmethod
    def of(cls, result: Result) -> _MetricStyle:
        return cls(
            {score.name: score.label or score.name for score in result.scores},
            {score.name: score.decimals for score in result.scores},
            unranked(result),
        )

    def label(self, name: str) -> str:
        return self.labels.get(name, name)

    def number(self, value: float | None, name: str) -> str:
        if value is None:
            return "–"
        shown = f"{value:.{self.decimals.get(name, 1)}f}"
        return shown.lstrip("-") if float(shown) == 0 else shown

    def value(self, score: Score) -> str:
        """The value, in parentheses if the system left texts without an answer."""
        number = self.number(score.value, score.name)
        return f"({number})" if score.system in self.incomplete and score.value is not None else number

    def spread(self, score: Score) -> str:
        """Half the width of the interval, as displayed."""
        if score.low is None or score.high is None:
            return ""
        return f"{self.number((score.high - score.low) / 2, score.name)}"


def _sizes(numbers: Sequence[int]) -> str:
    """One n for all systems, or the smallest and the largest.

    >>> _sizes([60, 60]), _sizes([1200, 58])
    ('60', '58 to 1,200')
    """
    fewest, most = min(numbers), max(numbers)
    return f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"


def main_table(run: Run) -> Table:
    """Systems by metric: score, half-width of the 95 % interval, rank; systems that may be best are bold."""
    result, style = run.result, _MetricStyle.of(run.result)
    whole = [score for score in result.scores if score.group == WHOLE]
    metrics = list(dict.fromkeys(score.name for score in whole))
    cells = {(score.name, score.system): score for score in whole}
    ranks = {
        (cluster.name, system): cluster.rank
        for cluster in result.clusters
        if cluster.group == WHOLE
        for system in cluster.systems
    }
    best = {(metric, system) for metric in metrics for system in best_systems(run, metric)}
    systems = ordered_systems(result, metrics[0])
    header = ["System"]
    shared = {metric: cells[metric, systems[0]].common_n for metric in metrics}
    answered = {metric: cells[metric, systems[0]].answered_n for metric in metrics}
    for metric in metrics:
        header += [style.label(metric), "±"]
        if (common_n := shared[metric]) is not None:
            header += ["n", f"same {common_n:,}"]
        if (answered_n := answered[metric]) is not None:
            header += [f"answered {answered_n:,}"]
        header += ["#"] * bool(ranks)
    rows: list[list[Cell | str]] = []
    for system in systems:
        row: list[Cell | str] = [system]
        for metric in metrics:
            score = cells[metric, system]
            rank = ranks.get((metric, system))
            row += [Cell(style.value(score), strong=(metric, system) in best), style.spread(score)]
            if shared[metric] is not None:
                row += [f"{score.n:,}", style.number(score.common, metric)]
            if answered[metric] is not None:
                row += [style.number(score.answered, metric)]
            row += [str(rank or "–")] * bool(ranks)
        rows.append(row)
    sizes = {m: [cells[m, s].n for s in systems if cells[m, s].n] or [0] for m in metrics}
    same_n = {n for several in sizes.values() for n in several}
    brackets = ["In parentheses: left texts without an answer."] * bool(style.incomplete)
    notes = [" ".join(["±: half of the 95 % interval.", *[_about_ranks(run)] * bool(ranks), *brackets])]
    if same_n != {len(run.segments)}:
        notes.insert(0, f"n: {', '.join(f'{style.label(m)} {_sizes(n)}' for m, n in sizes.items())}.")
    fewest = min(n for several in sizes.values() for n in several)
    if fewest < FEW and not few_note(result, _alpha(run)):
        notes.append(FEW_NOTE)
    return Table(header, rows, notes=notes)


def best_systems(run: Run, metric: str, group: str = WHOLE) -> list[str]:
    """The systems that may be the best by a metric; in runs of earlier versions, the systems of rank 1."""
    if "ranks" in run.parameters:
        return may_be_best(run.result, metric, group, alpha=_alpha(run))
    return [
        system
        for c in run.result.clusters
        if (c.name, c.group, c.rank) == (metric, group, 1)
        for system in c.systems
    ]


def _about_ranks(run: Run) -> str:
    """One line on the meaning of ranks."""
    if run.parameters.get("ranks", "wmt-clusters") == "wmt-clusters":
        return f"#: clusters as at WMT (p < {_alpha(run):g})."
    return "Bold, rank 1: may be the best."


def unit_note(result: Result, spread: float) -> str:
    """Note that whole documents were drawn, and how wide the interval by segments would be."""
    about, first = result.basis["unit"], result.scores[0]
    style = _MetricStyle.of(result)
    few = ", which is few: trust p-values more than intervals" if about["n"] < _FEW_DOCUMENTS else ""
    return (
        f"Intervals and tests draw whole documents: n = {about['n']:,} documents of {about['segments']:,} "
        f"segments{few}. {style.label(first.name)} of {first.system} is ±{style.spread(first)}; by segments "
        f"it would be ±{style.number(spread, first.name)} (--unit segment)."
    )


def few_note(result: Result, alpha: float) -> str:
    """Note that there are too few units for any significant difference; empty if there are enough."""
    about = result.basis.get("unit")
    n = about["n"] if about else max((score.n for score in result.scores), default=FEW)
    if least_p(n) < alpha or not result.comparisons:
        return ""
    units = plural(n, "document" if about else "segment")
    return f"{units} can never show a significant difference; use at least {FEW}."


def people_notes(result: Result, given: Sequence[str]) -> list[str]:
    """Notes on pairs of systems for which a metric and other scores (such as people's) disagree."""
    style = _MetricStyle.of(result)
    better: dict[str, dict[frozenset[str], str]] = {}
    for c in result.comparisons:
        if c.group == WHOLE:
            better.setdefault(c.name, {})[frozenset((c.a, c.b))] = c.better
    notes = []
    for people in given:
        for metric, own in better.items():
            if metric in given or people not in better:
                continue
            against = [
                (own[pair], other)
                for pair, other in better[people].items()
                if other and own.get(pair) and own[pair] != other
            ]
            if against:
                named = ", ".join(f"{mine} over {other}" for mine, other in against[:_NAMED])
                more = f" and {len(against) - _NAMED} more" if len(against) > _NAMED else ""
                notes.append(
                    f"{style.label(metric)} and {style.label(people)} disagree about {len(against):,} of "
                    f"{len(own):,} pairs: {style.label(metric)} prefers {named}{more}; "
                    f"{style.label(people)} prefers the reverse."
                )
    return notes


def coverage_notes(result: Result) -> list[str]:
    """For each metric, the systems that it does not rate, and numbers of scores if they differ."""
    notes = []
    for metric in dict.fromkeys(score.name for score in result.scores):
        scores = [score for score in result.scores if (score.name, score.group) == (metric, WHOLE)]
        if unrated := [score.system for score in scores if not score.n]:
            more = f" and {len(unrated) - _NAMED:,} more systems" if len(unrated) > _NAMED else ""
            named = ", ".join(unrated[:_NAMED])
            notes.append(f"{scores[0].label or metric} has no score of {named}{more}, so they have no rank.")
        scores = [score for score in scores if score.n]
        if not scores or (common_n := scores[0].common_n) is None:
            continue
        fewest = sorted(scores, key=lambda score: score.n)[:_NAMED]
        more = f" and {len(scores) - _NAMED:,} more" if len(scores) > _NAMED else ""
        sizes = ", ".join(f"{score.system} {score.n:,}" for score in fewest)
        ranks = (
            "A system without a score for every segment has no rank" if common_n else "So there are no ranks"
        )
        notes.append(
            f"Watch out: {scores[0].label or metric} has scores on different segments for different systems "
            f"({sizes}{more}), so their means cannot be compared. {common_n:,} segments have a score of "
            f"every system. {ranks}. Each difference uses the segments that both systems have."
        )
    return notes


def group_tables(run: Run) -> list[Table]:
    """A table of systems by group for each metric that has groups (domains, entity types)."""
    result, style = run.result, _MetricStyle.of(run.result)
    tables = []
    for metric in dict.fromkeys(score.name for score in result.scores):
        parts = [s for s in result.scores if s.name == metric and s.group != WHOLE]
        groups = list(dict.fromkeys(score.group for score in parts))
        if not groups:
            continue
        cells = {(score.group, score.system): score for score in parts}
        systems = ordered_systems(result, metric)
        best = {(group, system) for group in groups for system in best_systems(run, metric, group)}
        rows: list[list[Cell | str]] = []
        for group in groups:
            row: list[Cell | str] = [group, _sizes([cells[group, system].n for system in systems])]
            for system in systems:
                score = cells[group, system]
                text = f"{style.value(score)} ±{style.spread(score)}".strip(" ±")
                if score.common_n is not None:
                    text += f" (same {score.common_n:,}: {style.number(score.common, metric)})"
                row.append(Cell(text, strong=(group, system) in best))
            rows.append(row)
        tables.append(Table(["Group", "n", *systems], rows, title=f"{style.label(metric)} by group"))
    return tables


def comparison_table(run: Run, *, all_pairs: bool = False) -> Table | None:
    """Every system against the baseline, the best first, by metric; or all pairs.

    `None` for a single system.
    """
    style, alpha = _MetricStyle.of(run.result), _alpha(run)
    whole = [comparison for comparison in run.result.comparisons if comparison.group == WHOLE]
    if not whole:
        return None
    baseline, title = _baseline(run, style)
    with_n = any(score.common_n is not None for score in run.result.scores if score.group == WHOLE)
    rows: list[list[Cell | str]] = []
    measured: list[tuple[str, float | None]] = []
    if all_pairs:
        title = "All pairs"
        for comparison in whole:
            cells = _comparison_cells(comparison, style, alpha, with_n=with_n)
            rows.append([f"{comparison.a} − {comparison.b}", style.label(comparison.name), *cells])
            measured.append((comparison.name, comparison.delta))
    for metric in [] if all_pairs else dict.fromkeys(comparison.name for comparison in whole):
        against = {
            shown.a: shown
            for comparison in whole
            if comparison.name == metric and baseline in (comparison.a, comparison.b)
            for shown in [comparison if comparison.b == baseline else _reversed(comparison)]
            if comparison.n != 0
        }
        for system in ordered_systems(run.result, metric):
            if system in against:
                cells = _comparison_cells(against[system], style, alpha, with_n=with_n)
                rows.append([system, style.label(metric), *cells])
                measured.append((metric, against[system].delta))
    worths = [worth_of(style.label(name), delta) for name, delta in measured]
    with_people = any(worths)
    if with_people:
        rows = [[*row, w.short if w else "–"] for row, w in zip(rows, worths, strict=True)]
    header = ["System", "metric", *["n"] * with_n, "Δ", "p", "detectable", "more needed"]
    notes = [_about_p(run), "What the columns mean: mtassay explain columns"]
    return Table([*header, *["people"] * with_people], rows, title, notes)


def baseline_of(run: Run) -> str:
    """The system that the others are compared with: the named system, else the best or the first."""
    return _baseline(run, _MetricStyle.of(run.result))[0]


def _baseline(run: Run, style: _MetricStyle) -> tuple[str, str]:
    """The system that the others are compared with, and the title that names it."""
    if name := run.parameters.get("baseline"):
        return name, f"Against {name}"
    if not run.parameters.get("against_best") or not run.result.scores:
        return run.systems[0], f"Against {run.systems[0]}"
    metric = run.result.scores[0].name
    best = ordered_systems(run.result, metric)[0]
    return best, f"Against {best}, the best by {style.label(metric)}"


def _alpha(run: Run) -> float:
    return float(run.parameters.get("alpha", 0.05))


_TESTS = {
    "bootstrap": "p: paired bootstrap as in sacreBLEU (lenient; --test randomization is stricter)",
    "randomization": "p: randomization, two-sided",
    "sacrebleu-randomization": "p: approximate randomization as in sacreBLEU, which does not count ties",
}


def _about_p(run: Run) -> str:
    """Describe the test behind the p-values and its correction."""
    # Runs of earlier versions have sacreBLEU's tests, and do not name the bootstrap.
    test = run.parameters.get("test", "bootstrap")
    correction = run.parameters.get("correction", "none")
    corrected = {
        "none": "not corrected for the number of comparisons",
        "max-t": "corrected for all comparisons of this table (max-T)",
    }.get(correction, f"corrected for the number of comparisons ({correction})")
    several = len({(c.name, c.a, c.b) for c in run.result.comparisons if c.group == WHOLE}) > 1
    return f"{_TESTS[test]}{f'; {corrected}' if several else ''}."


def signature_lines(result: Result) -> list[str]:
    """One line per metric: its label and signature."""
    style = _MetricStyle.of(result)
    signatures = {score.name: score.signature for score in result.scores}
    return [f"{style.label(name)}|{signature}" for name, signature in signatures.items()]


def score_figures(result: Result) -> list[Figure]:
    """A figure for each metric: every system's score with its 95 % interval, the best first."""
    style = _MetricStyle.of(result)
    figures = []
    for metric in dict.fromkeys(score.name for score in result.scores):
        scores = {s.system: s for s in result.scores if (s.name, s.group) == (metric, WHOLE)}
        systems = ordered_systems(result, metric)
        sizes = _sizes([score.n for score in scores.values()])
        points = [Point(s, scores[s].value, scores[s].low, scores[s].high) for s in systems]
        figures.append(
            Figure(
                "dots",
                [Series(style.label(metric), points)],
                x_label=style.label(metric),
                rows=systems,
                note=f"Dots: scores with 95 % bootstrap intervals, n = {sizes}.",
            )
        )
    return figures


def ordered_systems(result: Result, metric: str) -> list[str]:
    """Sort systems by the clusters of a metric, best first; systems without a rank come last."""
    ranked = [
        system
        for cluster in result.clusters
        if cluster.name == metric and cluster.group == WHOLE
        for system in cluster.systems
    ]
    scored = [score.system for score in result.scores if score.name == metric and score.group == WHOLE]
    return list(dict.fromkeys([*ranked, *scored]))


def _reversed(comparison: Comparison) -> Comparison:
    delta = None if comparison.delta is None else -comparison.delta
    return replace(comparison, a=comparison.b, b=comparison.a, delta=delta)


def _comparison_cells(
    comparison: Comparison, style: _MetricStyle, alpha: float, *, with_n: bool
) -> list[Cell | str]:
    significant = comparison.p is not None and comparison.p < alpha
    delta = style.number(comparison.delta, comparison.name)
    if comparison.delta is not None and comparison.delta > 0:
        delta = f"+{delta}"
    p = "–" if comparison.p is None else f"{comparison.p:.4f}"
    more = "0" if significant else _many(comparison.more)
    return [
        *["–" if comparison.n is None else f"{comparison.n:,}"] * with_n,
        Cell(delta.replace("-", "−"), strong=significant),
        p + ("*" if significant else " "),
        style.number(comparison.detectable, comparison.name),
        more,
    ]


def _many(units: int | None) -> str:
    """Format a number of segments; nobody would translate more than a million for a test."""
    return "–" if units is None else f"{units:,}" if units <= 1_000_000 else "more than a million"
