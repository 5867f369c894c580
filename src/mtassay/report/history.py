"""The history of a system in every format: a table for each score, and its line drawn."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.courses import History, ScoreCourse
from mtassay.display import Cell, Figure, Point, Series, Table
from mtassay.report.run import Form, render_tables
from mtassay.report.table import to_tsv
from mtassay.texts.marks import json_text, p_text, signed

__all__ = ["history_figures", "history_tables", "render_history"]


def render_history(history: History, form: Form = "text", *, width: int = 80, color: bool = False) -> str:
    """All courses in this format."""
    if form == "json":
        return json_text(history.record(), indent=2)
    if form == "tsv":
        return to_tsv(_rows(history))
    mark = "*" if form == "text" and not color else ""
    return render_tables(history_tables(history, mark=mark), form, width=width, color=color)


def history_tables(history: History, *, mark: str = "") -> list[Table]:
    """One table for each score: its value in every run, and how it changed from the run before."""
    tables = [_table(course, history.alpha, mark) for course in history.courses]
    if tables:
        sign = mark or "Bold"
        about = (
            "Change: from the run above, on what counts in both, with its 95 % interval. "
            f"{sign}: p < {history.alpha:g} (two-sided approximate randomization, corrected for all changes "
            "shown)."
        )
        last = tables[-1]
        tables[-1] = Table(last.header, last.rows, last.title, [*last.notes, about])
    return tables


def _table(course: ScoreCourse, alpha: float, mark: str) -> Table:
    several = len({point.system for point in course.points}) > 1
    rows: list[list[Cell | str]] = []
    for point in course.points:
        score, change = point.score, point.change
        decimals = score.decimals
        value = "–" if score.value is None else f"{score.value:.{decimals}f}"
        ends = "" if score.low is None else f"[{score.low:.{decimals}f}–{score.high:.{decimals}f}]"
        bold = change is not None and change.p is not None and change.p < alpha
        delta = Cell(signed(change.delta, decimals) + mark * bold if change else "", strong=bold)
        moved = f"[{signed(change.low, decimals)}, {signed(change.high, decimals)}]" if change else ""
        name = [point.run, *([point.system] if several else [])]
        rows.append([*name, f"{score.n:,}", value, ends, delta, p_text(change.p) if change else "", moved])
    header = ["Run", *(["system"] if several else []), "n", _label(course), "95 %", "change", "p", "95 %"]
    return Table(header, rows, f"{course.method} · {course.test_set} · {_title(course)}")


def _label(course: ScoreCourse) -> str:
    return course.points[-1].score.label or course.name


def _title(course: ScoreCourse) -> str:
    return _label(course) if course.group == "all" else f"{_label(course)}, {course.group}"


def history_figures(history: History) -> list[Figure]:
    """A line for each score over the runs, with intervals; scores of one test set stand side by side."""
    figures = []
    by_set: dict[tuple[str, str], list[ScoreCourse]] = {}
    for course in history.courses:
        if len(course.points) > 1:
            by_set.setdefault((course.method, course.test_set), []).append(course)
    for (method, test_set), courses in by_set.items():
        by_name: dict[str, list[ScoreCourse]] = {}
        for course in courses:
            by_name.setdefault(course.name, []).append(course)
        panels = [_lines(group) for group in by_name.values()]
        title = f"{', '.join(history.systems)} · {method} · {test_set}"
        note = "Bars: 95 % intervals."
        figures.append(Figure("panels", title=title, note=note, panels=panels, columns=1))
    return figures


def _lines(courses: Sequence[ScoreCourse]) -> Figure:
    """The groups of one score, one line each."""
    series = [
        Series(
            course.group if len(courses) > 1 else _label(course),
            [
                Point(place, p.score.value, p.score.low, p.score.high)
                for place, p in zip(course.places, course.points, strict=True)
            ],
        )
        for course in courses
    ]
    return Figure("lines", series, y_label=_label(courses[0]), rows=courses[0].places)


_COLUMNS = ("method", "test_set", "name", "group", "run", "system", "started", "value", "n", "low", "high")
_MOVED = ("delta", "low", "high", "p")


def _rows(history: History) -> Table:
    """One point a row, for programs and spreadsheets."""
    rows = []
    for course in history.courses:
        for point in course.points:
            about = {**{k: getattr(course, k) for k in _COLUMNS[:4]}, "run": point.run}
            about |= {"system": point.system, "started": point.started}
            about |= {k: getattr(point.score, k) for k in ("value", "n", "low", "high")}
            moved = [getattr(point.change, k) if point.change else None for k in _MOVED]
            rows.append(["" if v is None else str(v) for v in (*about.values(), *moved)])
    return Table([*_COLUMNS, "change", "change_low", "change_high", "p"], rows)
