"""Changes from one run to another, in every format: scores, and the cases with both outputs."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import get_args

from mtassay.changes.development import Development
from mtassay.changes.run_changes import CaseChange, RunChanges, case_status, case_texts, source_lines, why
from mtassay.changes.trends import History, ScoreTrend
from mtassay.data.display import Block, Cell, Figure, Line, Point, Series, Table
from mtassay.data.marks import differing, json_text, marked, p_text, plural, printable, signed, signed_ends
from mtassay.data.method import view_of
from mtassay.methods.paired_scores import LISTED, ChangeKind, ScoreChange, Snapshot, UnitChange
from mtassay.report.run_text import (
    Form,
    block_markdown,
    block_text,
    escape_markdown,
    latex_comment,
    render_tables,
    to_tsv,
)

_KINDS = get_args(ChangeKind)
_TESTED = "two-sided approximate randomization on the same cases, corrected for all rows"


def render_changes(
    changes: RunChanges,
    form: Form = "text",
    *,
    everything: bool = False,
    examples: int = 5,
    detail: bool = False,
    width: int = 80,
    color: bool = False,
) -> str:
    """All changes in this format. `everything` lists more than losses, `detail` shows the finest groups.

    `examples` is the number of cases of each kind, and of units each way; `everything` removes the limit.
    """
    if form == "json":
        return json_text(changes.record(), indent=2)
    if form == "tsv":
        return to_tsv(_score_rows(changes))
    mark = "*" if form == "text" and not color else ""
    tables = change_tables(changes, detail=detail, mark=mark)
    if changes.cases:
        tables.append(kinds_table(changes))
    parts = [_words(_facts(changes), form, width)]
    parts.append(render_tables(tables, form, width=width, color=color))
    parts += [_words(note, form, width) for note in changes.notes]
    for kind in LISTED if everything else ("broken", "lost"):
        cases = [case for case in changes.cases if case.kind == kind]
        if not cases:
            if kind == "broken" and changes.cases:
                parts.append(_words("No case broke.", form, width))
            continue
        shown = cases if everything else cases[:examples]
        more = f"; the first {len(shown)}, --all lists them" if len(shown) < len(cases) else ""
        title = f"{LISTED[kind]}: {plural(len(cases), 'case')}{more}"
        if form in ("text", "md"):
            blocks = [case_block(changes.old, changes.new, case, names=changes.names) for case in shown]
            parts += [_words(title, form, width), *_blocks(blocks, form, width, color)]
        else:
            parts.append(render_tables([_case_table(changes, shown, title)], form))
    for title, units in _extremes(changes, examples):
        if form in ("text", "md"):
            blocks = [unit_block(changes.old, changes.new, unit, names=changes.names) for unit in units]
            parts += [_words(title, form, width), *_blocks(blocks, form, width, color)]
    return "\n\n".join(parts)


def change_tables(changes: RunChanges, *, detail: bool = False, mark: str = "") -> list[Table]:
    """Return a table of scores for each group.

    Without `detail`, only significant changes of the finest groups are shown.
    """
    by_name: dict[str, list[ScoreChange]] = {}
    for change in changes.scores:
        by_name.setdefault(change.name, []).append(change)
    single = [rows[0] for rows in by_name.values() if len(rows) == 1]
    tables = [_table(single, changes, "Score", mark)] if single else []
    for rows in by_name.values():
        if len(rows) > 1:
            moved = [row for row in rows if _is_significant(row, changes.alpha)]
            shown = rows if detail or not rows[0].is_detail else moved
            if shown or not rows[0].is_detail:
                tables.append(_table(shown, changes, rows[0].part.capitalize(), mark, hidden=rows))
            else:
                title = f"{plural_of(rows[0].part).capitalize()} that changed significantly, of {len(rows)}"
                tables.append(Table([rows[0].part.capitalize()], [], title))
    return tables


def plural_of(part: str) -> str:
    """The plural of a group's name for readers.

    >>> plural_of("phenomenon"), plural_of("category"), plural_of("capability"), plural_of("domain")
    ('phenomena', 'categories', 'capabilities', 'domains')
    """
    if part.endswith("non"):
        return f"{part[:-2]}a"
    return f"{part[:-1]}ies" if part.endswith("y") else f"{part}s"


def _is_significant(change: ScoreChange, alpha: float) -> bool:
    return change.p is not None and change.p < alpha


def _table(
    rows: Sequence[ScoreChange], changes: RunChanges, head: str, mark: str, hidden: Sequence[ScoreChange] = ()
) -> Table:
    """One row per score; `hidden` are all tested rows, if some are not shown."""
    is_share = any(row.fixed is not None for row in rows)
    cells: list[list[Cell | str]] = []
    for row in rows:
        bold = _is_significant(row, changes.alpha)
        name = (row.label or row.name) if head == "Score" else row.group
        values = ["–" if value is None else f"{value:.{row.decimals}f}" for value in (row.before, row.after)]
        interval = signed_ends(row.low, row.high, row.decimals)
        moved = ["" if count is None else f"{count:,}" for count in (row.fixed, row.broken)]
        delta = Cell(signed(row.delta, row.decimals) + (mark if bold else ""), strong=bold)
        cells.append(
            [name, f"{row.n:,}", *values, delta, p_text(row.p), *(moved if is_share else []), interval]
        )
    header = [head, "n", *changes.names, "change", "p", *(["fixed", "broken"] if is_share else []), "95 %"]
    title = "" if head == "Score" else (rows[0].label or rows[0].name.partition(":")[0])
    if rows[0].is_detail:
        title += f" by {rows[0].part}"
    sign = mark or "Bold"
    notes = [f"n: outputs that count in both runs. {sign}: p < {changes.alpha:g} ({_TESTED})."]
    if len(rows) < len(hidden):
        left = len(hidden) - len(rows)
        notes.append(
            f"The other {left} {plural_of(hidden[0].part)} did not change significantly; --detail shows them."
        )
    lower = [row.label or row.name for row in rows if not row.higher_is_better]
    if lower:
        notes.append(f"Lower is better: {', '.join(dict.fromkeys(lower))}.")
    return Table(header, cells, title, notes)


def kinds_table(changes: RunChanges) -> Table:
    """Count the cases of each kind; kinds without cases are left out.

    A row is a detector. If only one detector judged, a row is a group of its scores or the total.
    """
    counts: dict[str, Counter[str]] = {}
    for case in changes.cases:
        counts.setdefault(case.detector, Counter())[case.kind] += 1
    shown = [kind for kind in _KINDS if any(row[kind] for row in counts.values())]
    head, parts = "Cases", _parts(changes.new) if len(counts) == 1 else {}
    if parts:
        ((detector, everything),) = counts.items()
        head = f"Cases ({detector})"
        counts = {
            group: Counter(case.kind for case in changes.cases if case.case_id in units)
            for group, units in parts.items()
        }
        counts = {group: row for group, row in counts.items() if row} | {"all": everything}
    rows = [[name, *(f"{row[kind]:,}" for kind in shown)] for name, row in counts.items()]
    return Table([head, *shown], rows)


def _parts(snapshot: Snapshot) -> dict[str, set[str]]:
    """Return the units of each named group, from the first score that has such groups."""
    if snapshot.record is None:
        return {}
    ledger = next((e for e in snapshot.ledgers if e.part != "group" and not e.is_detail), None)
    groups = (
        {name: {u for part in parts for u in part} for name, parts in ledger.groups.items()} if ledger else {}
    )
    most = max(map(len, groups.values()), default=0)
    return {name: units for name, units in groups.items() if len(units) < most}


def case_block(old: Snapshot, new: Snapshot, case: CaseChange, *, names: tuple[str, str]) -> Block:
    """One case: source, both outputs with differences marked, and the reason for its verdict."""
    texts = case_texts(old, new, case.case_id)
    about = [case.case_id, *_tags(new, case.case_id)]
    detectors = (new.verdicts.keys() | old.verdicts.keys()) - {"output"}
    about += [case.detector] if len(detectors) > 1 else []
    lines = source_lines(old, new, case.case_id)
    lines += _text_lines(None, texts.old, texts.new, names, known=old.record is not None)
    reasons = {"why": why(new, case), f"why {names[0]}": "" if case.kind != "fixed" else why(old, case)}
    lines += [Line(label, reason) for label, reason in reasons.items() if reason]
    head = " · ".join(dict.fromkeys(about))
    if case.kind not in ("broken", "fixed"):
        head += f" · {case_status(old, case, case.old)} → {case_status(new, case, case.new)}"
    return Block(lines, head, label=_label([*(line.label or "" for line in lines), *reasons]))


def unit_block(old: Snapshot, new: Snapshot, unit: UnitChange, *, names: tuple[str, str]) -> Block:
    """One unit whose score by a metric changed: source, references and both outputs."""
    texts = case_texts(old, new, unit.unit)
    segments = new.record.segments if new.record else ()
    references = next((s.references for s in segments if s.id == unit.unit), ())
    lines = _text_lines(texts.source, texts.old, texts.new, names, known=old.record is not None)
    lines[1:1] = [Line("reference", text) for text in references if text]
    score = next((s for s in new.scores if s.name == unit.name), None)
    label, decimals = (score.label or unit.name, score.decimals) if score else (unit.name, 1)
    moved = f"{label} {unit.before:.{decimals}f} → {unit.after:.{decimals}f}"
    return Block(lines, f"{unit.unit} · {moved}", label=_label([*names, "source", "reference"]))


def _text_lines(
    source: str | None, old: str | None, new: str | None, names: tuple[str, str], *, known: bool
) -> list[Line]:
    before, after = differing(old, new) if old is not None and new is not None else ([], [])
    lines = [] if source is None else [Line("source", source)]
    if known:
        lines.append(Line(names[0], "(no output)" if old is None else old, before))
    lines.append(Line(names[1], "(no output)" if new is None else new, after))
    return lines


def _label(labels: Iterable[str]) -> int:
    return 4 + max(map(len, labels))


def _tags(snapshot: Snapshot, case_id: str) -> list[str]:
    """Return the finest groups of the case, with the names in its run or else in its scores."""
    if snapshot.record is not None:
        view = view_of(snapshot.record)
        segment = next((s for s in snapshot.record.segments if s.id == case_id), None)
        if segment and (groups := view.groups_of(segment)):
            return groups[-1:]
    fine = [ledger for ledger in snapshot.ledgers if ledger.part != "group"]
    chosen = [ledger for ledger in fine if ledger.is_detail] or fine
    return [
        group
        for ledger in chosen
        for group, parts in ledger.groups.items()
        if len(parts) == 1 and len(parts[0]) < len(ledger.ids) and case_id in parts[0]
    ]


def _extremes(changes: RunChanges, examples: int) -> list[tuple[str, list[UnitChange]]]:
    """The units with the largest falls and rises by the first metric."""
    if not changes.units or not examples:
        return []
    name = changes.units[0].name
    row = next(change for change in changes.scores if change.name == name)
    units = [unit for unit in changes.units if unit.name == name]
    good = 1 if row.higher_is_better else -1
    ranked = sorted(units, key=lambda unit: good * (unit.after - unit.before))
    worse = [unit for unit in ranked if good * (unit.after - unit.before) < 0]
    better = [unit for unit in reversed(ranked) if good * (unit.after - unit.before) > 0]
    label = row.label or name
    return [
        (f"{word} by {label}: {len(some):,}; the first {min(examples, len(some))}", some[:examples])
        for word, some in (("Worse", worse), ("Better", better))
        if some
    ]


def _blocks(blocks: Sequence[Block], form: Form, width: int, color: bool) -> list[str]:
    if form == "md":
        return [block_markdown(block) for block in blocks]
    return [block_text(block, width=width, color=color) for block in blocks]


def _case_table(changes: RunChanges, cases: Sequence[CaseChange], title: str) -> Table:
    rows = []
    for case in cases:
        texts = case_texts(changes.old, changes.new, case.case_id)
        old, new = differing(texts.old or "", texts.new or "")
        outputs = [marked(texts.old or "–", old), marked(texts.new or "–", new)]
        rows.append([case.case_id, case.detector, texts.source or "–", *outputs, why(changes.new, case)])
    return Table(["Case", "detector", "source", *changes.names, "why"], rows, title)


_COLUMNS = (
    "name", "group", "n", "before", "after", "delta", "low", "high", "p", "fixed", "broken",
)  # fmt: skip


def _score_rows(changes: RunChanges) -> Table:
    """One score per row, for programs and spreadsheets."""
    rows = [
        ["" if (value := getattr(change, key)) is None else str(value) for key in _COLUMNS]
        for change in changes.scores
    ]
    return Table(_COLUMNS, rows)


def _facts(changes: RunChanges) -> str:
    old, new = changes.old, changes.new
    same = old.system == new.system
    runs = [s.run if same else f"{s.run}:{s.system}" for s in (old, new)]
    return " · ".join([new.method, *([new.system] if same else []), " → ".join(runs)])


def _words(text: str, form: Form, width: int) -> str:
    if form == "text":
        return textwrap.fill(printable(text), width, break_on_hyphens=False)
    return latex_comment(text) if form == "latex" else escape_markdown(text)


def render_development(
    found: Development, form: Form = "text", *, width: int = 80, color: bool = False
) -> str:
    """Systems over groups, in this format."""
    if form == "json":
        return json_text(found.record(), indent=2)
    mark = "*" if form == "text" and not color else ""
    tables = render_tables(found.tables(mark=mark), form, width=width, color=color)
    return "\n\n".join([tables, *(_words(line, form, width) for line in found.remarks())])


def render_history(history: History, form: Form = "text", *, width: int = 80, color: bool = False) -> str:
    """All trends in this format."""
    if form == "json":
        return json_text(history.record(), indent=2)
    mark = "*" if form == "text" and not color else ""
    return render_tables(history_tables(history, mark=mark), form, width=width, color=color)


def history_tables(history: History, *, mark: str = "") -> list[Table]:
    """One table for each score: its value in every run, and its change since the run before."""
    tables = [_history_table(trend, history.alpha, mark) for trend in history.trends]
    if tables:
        sign = mark or "Bold"
        about = (
            "Change: from the run above, on the outputs that count in both, with its 95 % interval. "
            f"{sign}: p < {history.alpha:g} (two-sided approximate randomization, corrected for all changes "
            "shown)."
        )
        last = tables[-1]
        tables[-1] = Table(last.header, last.rows, last.title, [*last.notes, about])
    return tables


def _history_table(trend: ScoreTrend, alpha: float, mark: str) -> Table:
    several = len({point.system for point in trend.points}) > 1
    rows: list[list[Cell | str]] = []
    for point in trend.points:
        score, change = point.score, point.change
        decimals = score.decimals
        value = "–" if score.value is None else f"{score.value:.{decimals}f}"
        value = f"({value})" if point.unanswered else value
        ends = "" if score.low is None else f"[{score.low:.{decimals}f}–{score.high:.{decimals}f}]"
        bold = change is not None and change.p is not None and change.p < alpha
        delta = Cell(signed(change.delta, decimals) + mark * bold if change else "", strong=bold)
        moved = signed_ends(change.low, change.high, decimals) if change else ""
        name = [point.run, *([point.system] if several else [])]
        rows.append([*name, f"{score.n:,}", value, ends, delta, p_text(change.p) if change else "", moved])
    header = [
        "Run",
        *(["system"] if several else []),
        "n",
        _history_label(trend),
        "95 %",
        "change",
        "p",
        "95 %",
    ]
    notes = ["In parentheses: left texts without an answer."] * any(p.unanswered for p in trend.points)
    return Table(header, rows, f"{trend.method} · {trend.test_set} · {_title(trend)}", notes)


def _history_label(trend: ScoreTrend) -> str:
    return trend.points[-1].score.label or trend.name


def _title(trend: ScoreTrend) -> str:
    return _history_label(trend) if trend.group == "all" else f"{_history_label(trend)}, {trend.group}"


def history_figures(history: History) -> list[Figure]:
    """A line for each score over the runs, with intervals; scores of one test set are side by side."""
    figures = []
    by_set: dict[tuple[str, str], list[ScoreTrend]] = {}
    for trend in history.trends:
        if len(trend.points) > 1:
            by_set.setdefault((trend.method, trend.test_set), []).append(trend)
    for (method, test_set), trends in by_set.items():
        by_name: dict[str, list[ScoreTrend]] = {}
        for trend in trends:
            by_name.setdefault(trend.name, []).append(trend)
        panels = [_lines(group) for group in by_name.values()]
        title = f"{', '.join(history.systems)} · {method} · {test_set}"
        note = "Bars: 95 % intervals."
        figures.append(Figure("panels", title=title, note=note, panels=panels, columns=1))
    return figures


def _lines(trends: Sequence[ScoreTrend]) -> Figure:
    """The groups of one score, one line each."""
    series = [
        Series(
            trend.group if len(trends) > 1 else _history_label(trend),
            [
                Point(place, p.score.value, p.score.low, p.score.high)
                for place, p in zip(trend.places, trend.points, strict=True)
            ],
        )
        for trend in trends
    ]
    return Figure("lines", series, y_label=_history_label(trends[0]), rows=trends[0].places)
