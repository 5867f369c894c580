"""Reports from Python: saved or fresh runs as one page that opens anywhere, or as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Literal, cast

from mtassay import core
from mtassay.api.history import Which, find_snapshots, load_run
from mtassay.api.people import agreement
from mtassay.api.runs import workspace_path
from mtassay.api.themes import find_themes
from mtassay.changes import RunChanges, pair_systems
from mtassay.display import Table
from mtassay.errors import InputError, MtassayError, UsageError
from mtassay.formats.text import open_for_writing
from mtassay.method import method_of
from mtassay.packages import redact
from mtassay.report.page.contents import Page, changes_part, page_of
from mtassay.report.page.html import render_page
from mtassay.report.page.markdown import render_markdown
from mtassay.report.themes import theme_blocks
from mtassay.store import Workspace

__all__ = ["ReportForm", "write_changes", "write_report", "write_runs"]

ReportForm = Literal["html", "md"]
_ENDINGS: dict[str, ReportForm] = {".html": "html", ".htm": "html", ".md": "md", ".markdown": "md"}


def write_report(
    runs: Which | Sequence[Which],
    path: str | PathLike[str] = "report.html",
    *,
    form: ReportForm | None = None,
    against: Which | None = None,
    names: Sequence[str] = (),
    title: str = "",
    themes: bool = True,
    workspace: str | PathLike[str] | None = None,
    quiet: bool = False,
) -> Path:
    """Write one page about these runs: what matters first, tables, charts, and every sentence behind them.

    Runs are given as they are, by id, or as `RUN:SYSTEM`; `names` are what the page calls them. `form` is
    "html", one file that needs nothing else, or "md" for a pull request; by default the ending says it. With
    `against`, an earlier run or a file of baselines, it says what got worse since; without `themes`, not what
    failures have in common. Where it was written comes back.

    >>> import mtassay, tempfile
    >>> run = mtassay.suite("en-pt", {"nmt": ["Os parentes."]}, item="false-friends-nouns-1")
    >>> path = write_report(run, f"{tempfile.mkdtemp()}/report.html")
    >>> "nmt is worst at False friends: 0.0" in path.read_text(encoding="utf-8")
    True
    """
    several = isinstance(runs, Sequence) and not isinstance(runs, str)
    chosen = cast("Sequence[Which]", runs) if several else [cast("Which", runs)]
    if not chosen:
        raise UsageError("There is no run to report on: give one, or several.")
    records = [load_run(run, workspace=workspace) for run in chosen]
    changes = [] if against is None else _changes(records, against, workspace)
    return write_runs(
        records,
        path,
        form=form,
        names=names,
        title=title,
        changes=changes,
        themes=themes,
        workspace=workspace,
        quiet=quiet,
    )


def write_runs(
    runs: Sequence[core.Run],
    path: str | PathLike[str],
    *,
    form: ReportForm | None = None,
    names: Sequence[str] = (),
    title: str = "",
    changes: Sequence[RunChanges] = (),
    gates: Sequence[Table] = (),
    themes: bool = True,
    plan: str = "",
    workspace: str | PathLike[str] | None = None,
    quiet: bool = False,
) -> Path:
    """The same for runs that are at hand, with what is known besides."""
    target = Path(path)
    kind = _form(target, form)
    page = page_of(
        runs,
        names=names,
        title=title,
        changes=changes,
        gates=gates,
        themes=theme_blocks(find_themes(runs, quiet=quiet), examples=3 if kind == "html" else 1)
        if themes
        else (),
        agreement=_agreement(runs, workspace),
        plan=redact(plan),
    )
    return _write(page, target, kind)


def write_changes(changes: RunChanges, path: str | PathLike[str], *, form: ReportForm | None = None) -> Path:
    """What changed between two runs as a page: scores, and every changed case with both outputs."""
    target = Path(path)
    part = changes_part(changes)
    return _write(Page(part.title, (), (part,)), target, _form(target, form))


def _form(target: Path, form: ReportForm | None) -> ReportForm:
    if form is None:
        form = _ENDINGS.get(target.suffix.lower())
        if form is None:
            raise UsageError(f"{target}: a report ends in .html or .md, or say which it is: --format html")
    if not target.resolve().parent.is_dir():
        raise InputError("cannot write: there is no such folder", path=target)
    return form


def _write(page: Page, target: Path, form: ReportForm) -> Path:
    text = render_page(page) if form == "html" else render_markdown(page)
    with open_for_writing(target) as handle:
        handle.write(text)
    return target


def _changes(
    records: Sequence[core.Run], against: Which, workspace: str | PathLike[str] | None
) -> list[RunChanges]:
    """What changed in each of the runs that can be held against the earlier one."""
    found: list[RunChanges] = []
    refused = ""
    for record in records:
        try:
            snapshots = [
                snapshot
                for snapshot in find_snapshots(against, workspace=workspace, like=record)
                if snapshot.method == record.method and snapshot.run != record.id
            ]
            found += [RunChanges.of(old, new) for old, new in pair_systems(record, snapshots)]
        except MtassayError as error:
            refused = str(error)
    if not found:
        why = refused or "it is of another method"
        raise UsageError(f"No run of the report can be held against {against}: {why.rstrip('.')}.")
    return found


def _agreement(runs: Sequence[core.Run], workspace: str | PathLike[str] | None) -> list[Table]:
    """How far reviewers agree on what was asked about these runs; nothing where nobody can say."""
    path = workspace_path(workspace)
    if not path.exists():
        return []
    asked = dict.fromkeys(question.name for run in runs for question in method_of(run).asks)
    answered = {review.question for review in Workspace(path).reviews()}
    tables = []
    for name in asked:
        if name in answered:
            try:
                table, *_ = agreement(name, workspace=workspace).tables()
            except MtassayError:  # fewer than two reviewers
                continue
            tables.append(table)
    return tables
