"""The tables of a behavioural run: pass rates, statuses of the cases, places of errors.

They correspond to tables 4, 5 and 7 of Wu, Liu, Yeung (2023).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mtassay.data.display import Cell, Figure, Point, Series, Table
from mtassay.data.marks import marked, plural, printable
from mtassay.data.nouns import Finding, Result, Run, Score
from mtassay.methods.behavior.behavior_blocks import SHORT
from mtassay.methods.behavior.behavior_evidence import CaseEvidence
from mtassay.methods.behavior.case_generation import GeneratedCases
from mtassay.methods.behavior.pass_rates import ALL, PASS_RATE, SURVIVED, UNDECIDED
from mtassay.methods.behavior.verdict_thresholds import MOVED

__all__ = [
    "PASS_RATE",
    "broken_table",
    "capabilities_in",
    "generated_tables",
    "pass_rate_table",
    "position_table",
    "ranked_systems",
    "rate_figure",
    "status_table",
]

_RARE = ("edit ignored", "edit improved it", "undecided", "skipped", "error")
_REASONS = 5  # reasons that a note names
_RANK = "rank: over all cases. A new rank begins where all above differ significantly from all below."


def capabilities_in(result: Result, *, name: str = PASS_RATE) -> list[str]:
    """The capabilities in the order of the scores, `all` last; only `all` if there is one capability."""
    groups = dict.fromkeys(score.group for score in result.scores if score.name == name)
    named = [group for group in groups if group != ALL]
    return [*named, ALL] if len(named) > 1 else named or list(groups)


def _ranks(result: Result, name: str) -> list[list[Cell | str]]:
    """Return the last row of a table: the rank of each system over all cases; empty without ranks."""
    ranks = {s: c.rank for c in result.clusters if (c.name, c.group) == (name, ALL) for s in c.systems}
    systems = ranked_systems(result, name=name)
    return [["rank", "", *(str(ranks.get(system, "–")) for system in systems)]] if ranks else []


def ranked_systems(result: Result, *, name: str = PASS_RATE) -> list[str]:
    """Sort the systems; the best over all cases is first."""
    ranked = [s for c in result.clusters if (c.name, c.group) == (name, ALL) for s in c.systems]
    rated = dict.fromkeys(score.system for score in result.scores if score.name == name)
    return list(dict.fromkeys((*(s for s in ranked if s in rated), *rated)))


def pass_rate_table(
    result: Result, *, alpha: float = 0.05, mark: str = "", caution: str = "", has_ranks: bool = True
) -> Table:
    """Pass rates (percent, with 95 % intervals) by capability and system, the best systems first.

    `n` is the number of cases that passed or failed; it is a range if systems differ. In each row, systems
    that are not significantly worse than the best one are bold; `mark` follows them where bold cannot be
    shown. `caution` is the last note; without `has_ranks`, this table has no ranks.
    """
    systems = ranked_systems(result)
    scores = {(s.group, s.system): s for s in result.scores if s.name == PASS_RATE}
    several = len(systems) > 1
    rows: list[list[Cell | str]] = []
    for group in capabilities_in(result):
        sizes = [scores[group, system].n for system in systems]
        best = _best(result, group, alpha) if several else set()
        row: list[Cell | str] = [
            Cell(printable(group), strong=group == ALL),
            f"{sizes[0]:,}" if len(set(sizes)) == 1 else f"{min(sizes):,}–{max(sizes):,}",
        ]
        for system in systems:
            strong = system in best
            behind = mark if strong else " " * len(mark) if several else ""
            row.append(Cell(_percent(scores[group, system], behind), strong=strong))
        rows.append(row)
    ranks = _ranks(result, PASS_RATE) if has_ranks else []
    rows += ranks
    notes = ["Percent of the n settled cases that pass. In brackets: Wilson's 95 % interval."]
    if several:
        bold = f"Bold ({mark})" if mark else "Bold"
        notes.append(
            f"{bold}: the best of the row, and all not significantly worse (randomization, two-sided, "
            f"corrected for all comparisons of the table, p < {alpha:g})."
        )
        notes += [_RANK] if ranks else []
    notes += _about_undecided(result, systems)
    notes += [caution] if caution else []
    return Table(["Capability", "n", *map(printable, systems)], rows, notes=notes)


def rate_figure(result: Result, *, name: str = PASS_RATE, title: str = "") -> Figure:
    """Draw capabilities by system: a dot for each rate of this name, with its 95 % interval."""
    systems = ranked_systems(result, name=name)
    scores = {(s.group, s.system): s for s in result.scores if s.name == name}
    groups = [g for g in capabilities_in(result, name=name) if name == PASS_RATE or scores[g, systems[0]].n]
    rows = {g: f"{g}  ({max(scores[g, system].n for system in systems):,})" for g in groups}
    series = [
        Series(system, [Point(row, (s := scores[g, system]).value, s.low, s.high) for g, row in rows.items()])
        for system in systems
    ]
    heads = [rows[ALL]] if ALL in rows and len(rows) > 1 else []
    note = "Bars: Wilson's 95 % intervals. In parentheses: cases."
    return Figure(
        "dots",
        series,
        title,
        x_label=f"{name} (%)",
        note=note,
        rows=list(rows.values()),
        heads=heads,
        groups=["" if group == ALL else group for group in rows],
    )


def broken_table(result: Result) -> Table | None:
    """How often the edit breaks a translation, by capability and system, if all originals are good."""
    systems = ranked_systems(result, name=SURVIVED)
    cells = {(score.group, score.system): score for score in result.scores if score.name == SURVIVED}
    groups = [group for group in dict.fromkeys(group for group, _ in cells) if cells[group, systems[0]].n]
    if not groups:
        return None
    rows: list[list[Cell | str]] = [
        [
            printable(group),
            f"{cells[group, systems[0]].n:,}",
            *(_percent(_reversed(cells[group, system])) for system in systems),
        ]
        for group in groups
    ]
    ranks = _ranks(result, SURVIVED)
    notes = [
        "How often the edit breaks a translation, in percent of n cases, with Wilson's 95 % interval. Only "
        "cases whose original no system translates wrongly count. Undecided cases do not count as broken.",
        *([_RANK] if ranks else []),
    ]
    return Table(["Capability", "n", *map(printable, systems)], [*rows, *ranks], "Broken by the edit", notes)


def _reversed(score: Score) -> Score:
    """Return the scores as shares of the other outcome (1 minus each value)."""
    if score.value is None or score.low is None or score.high is None:
        return score
    return replace(score, value=100 - score.value, low=100 - score.high, high=100 - score.low)


def status_table(run: Run) -> Table:
    """Count the cases of each system by status; the notes say why cases were skipped or failed.

    Rare statuses that no system has are omitted.
    """
    counts = run.result.counts
    kinds = [k for k in SHORT if k not in _RARE or any(c.get(k, 0) for c in counts.values())]
    rows: list[list[Cell | str]] = [
        [printable(system), f"{row.get('cases', 0):,}", *(f"{row.get(kind, 0):,}" for kind in kinds)]
        for system, row in counts.items()
    ]
    meanings = {
        "original is bad": "Bad original: the translation of the original is already bad.",
        "edit broke it": "Broke: only the translation of the edit is bad.",
        "edit ignored": "Ignored: the edit is provably not translated, however good the original.",
        "edit improved it": "Improved: the edit is translated much better than the original; the paper's "
        "rule fails this, too.",
        "undecided": "Undecided: the judge could not decide; not in the pass rate.",
        "skipped": "Skipped: there was nothing to judge.",
        "error": "Failed: the system gave no output.",
    }
    notes = [" ".join(text for kind, text in meanings.items() if kind in kinds)]
    notes += _reasons(run)
    return Table(["System", "cases", *(SHORT[kind] for kind in kinds)], rows, notes=notes)


def position_table(scores: Iterable[Score], findings: Iterable[Finding]) -> Table | None:
    """The percentage of errors at the edit, by capability and system (table 7); `None` without errors.

    `scores` come from `error_positions` and cover the cases whose place of error is known. The notes have the
    number of the other cases, which is counted from the findings.
    """
    by_cell = {(score.group, score.system): score for score in scores}
    systems = list(dict.fromkeys(system for _, system in by_cell))
    groups = [group for group in dict.fromkeys(group for group, _ in by_cell) if group != ALL]
    if not by_cell:
        return None
    rows: list[list[Cell | str]] = []
    for group in [*groups, ALL] if len(groups) > 1 else groups:
        cells = [by_cell.get((group, system)) for system in systems]
        shown = ["–" if cell is None else f"{_percent(cell)} ({cell.n:,})" for cell in cells]
        rows.append([Cell(printable(group), strong=group == ALL), *shown])
    failed = [(f.system, CaseEvidence.of(f)) for f in findings if f.verdict == "fail"]
    places = [(system, evidence.where) for system, evidence in failed if evidence.status in MOVED]
    unknown = Counter(system for system, where in places if where not in ("at the edit", "elsewhere"))
    notes = [
        "How often the error is at the edit, in percent. Only cases count that fail by their edit and "
        "whose place of error is known (number in parentheses). In brackets: Wilson's 95 % interval."
    ]
    if unknown:
        counts = ", ".join(f"{printable(system)} {count:,}" for system, count in unknown.items())
        notes.append(f"Failed cases that are not counted, because the place is unknown: {counts}.")
    return Table(["Capability", *map(printable, systems)], rows, "Where the errors are", notes)


def generated_tables(generated: GeneratedCases) -> list[Table]:
    """Return a table of the cases of each capability and, if edits were dropped, a table of the reasons."""
    tables = [_cases_table(generated)]
    if generated.dropped:
        tables.append(_dropped_table(generated))
    return tables


def _cases_table(generated: GeneratedCases) -> Table:
    names = generated.capabilities
    cases = Counter(case.capability for case in generated.cases)
    dropped = Counter(drop.capability for drop in generated.dropped)
    no_place = {name: generated.without[name, "no place to edit"] for name in names}
    no_case = {name: generated.without[name, "no result"] for name in names}
    columns = (cases, generated.asked, dropped, no_case, no_place)
    rows: list[list[Cell | str]] = [[name, *(f"{column[name]:,}" for column in columns)] for name in names]
    if len(names) > 1:
        sums = [sum(column[name] for name in names) for column in columns[:3]]
        rows.append([Cell("all", strong=True), *(f"{n:,}" for n in sums), "", ""])
    notes = [
        f"Of {plural(generated.sources, 'source')}. Each edit that was tried became a case or was dropped. "
        "No case: all edits of the source were dropped; no place: nothing to edit."
    ]
    reasons = Counter(segment.reason for segment in generated.left_out)
    if reasons:
        notes.append("Left out: " + ", ".join(f"{why} ({n:,})" for why, n in reasons.most_common()) + ".")
    return Table(["Capability", "cases", "tried", "dropped", "no case", "no place"], rows, notes=notes)


def _dropped_table(generated: GeneratedCases) -> Table:
    drops = generated.drops
    totals = Counter(drop.reason for drop in generated.dropped)
    shown = [name for name in generated.capabilities if any(drops[name, reason] for reason in totals)]
    rows: list[list[Cell | str]] = [
        [reason, f"{total:,}", *(f"{drops[name, reason]:,}" for name in shown)]
        for reason, total in totals.most_common()
    ]
    return Table(["Dropped because", "all", *shown], rows)


def _best(result: Result, group: str, alpha: float) -> set[str]:
    """The systems with the highest rate, and those that do not differ significantly from one of them.

    Clusters would not do: systems in between can put a clearly worse system into the cluster of the best.
    """
    rates = {s.system: s.value for s in result.scores if (s.name, s.group) == (PASS_RATE, group)}
    top = max((value for value in rates.values() if value is not None), default=None)
    first = {system for system, value in rates.items() if value is not None and value == top}
    near = {
        (pair.a, pair.b)
        for pair in result.comparisons
        if (pair.name, pair.group) == (PASS_RATE, group) and pair.p is not None and pair.p >= alpha
    }
    return first | {b for a, b in near if a in first} | {a for a, b in near if b in first}


def _about_undecided(result: Result, systems: Sequence[str]) -> list[str]:
    shares = {s.system: s for s in result.scores if (s.name, s.group) == (UNDECIDED, ALL)}
    texts = [f"{printable(s)} {_percent(shares[s])} % of {shares[s].n:,}" for s in systems if s in shares]
    return [f"Undecided cases, not counted in these rates: {'; '.join(texts)}."] if texts else []


def _reasons(run: Run) -> list[str]:
    """Why cases were skipped or failed, the most frequent reason first; equal reasons share a line."""
    reasons: dict[tuple[str, str], Counter[str]] = {}
    for finding in run.findings:
        if finding.verdict in ("skipped", "error", "undecided"):
            key = finding.system, SHORT[finding.verdict]
            reasons.setdefault(key, Counter())[CaseEvidence.of(finding).unsettled] += 1
    systems: dict[str, list[str]] = {}
    for (system, word), counts in reasons.items():
        systems.setdefault(f"{word}: {_listed(counts)}.", []).append(marked(system, limit=40))
    everybody = len(run.result.counts) if len(run.result.counts) > 1 else 0
    return [
        f"{'all systems' if len(names) == everybody else ', '.join(names)}, {summary}"
        for summary, names in systems.items()
    ]


def _listed(counts: Mapping[str, int]) -> str:
    common = Counter(counts).most_common(_REASONS)
    named = [f"{marked(reason, limit=120)} ({count:,})" for reason, count in common]
    others = sum(counts.values()) - sum(count for _, count in common)
    return "; ".join([*named, *([f"other reasons ({others:,})"] if others else [])])


def _percent(score: Score, behind: str = "") -> str:
    if score.value is None or score.low is None or score.high is None:
        return f"–{behind}"
    return f"{score.value:.1f}{behind or ' '}[{score.low:.0f}–{score.high:.0f}]"
