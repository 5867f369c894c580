"""Reports from Python: saved or fresh runs as one self-contained page, or as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from html import escape
from os import PathLike
from pathlib import Path
from typing import Literal, cast

from mtassay import __version__
from mtassay.app.arguments import known_keywords
from mtassay.app.history import Which, find_baseline, find_snapshots, load_run
from mtassay.app.page.contents import Page, changes_part, decide_costs, page_of
from mtassay.app.page.decision import DecidedRun, Recommendation
from mtassay.app.page.page_html import render_markdown, render_page
from mtassay.app.reviewing import agreement
from mtassay.app.runs import workspace_path
from mtassay.changes.gate_checks import check_gates
from mtassay.changes.run_changes import RunChanges, pair_systems
from mtassay.changes.theme_search import ALPHA
from mtassay.changes.theme_tables import render_themes, theme_blocks
from mtassay.changes.themes import Themes
from mtassay.changes.themes import find_themes as themes_in
from mtassay.data import nouns
from mtassay.data.display import Table
from mtassay.data.errors import InputError, MtassayError, UsageError
from mtassay.data.formats.textfiles import open_for_writing
from mtassay.data.method import view_of
from mtassay.methods.basis import answer_of, people_said
from mtassay.methods.engine import EngineContext
from mtassay.report.run_text import Form, Progress
from mtassay.runtime.http_calls import redact
from mtassay.runtime.workspace import Workspace


class ThemeList(Themes):
    """Themes that print themselves as the command does."""

    def render(self, form: Form = "text", *, examples: int = 3, width: int = 80, color: bool = False) -> str:
        """Return the themes as text, json, tsv, md or latex, with at most this many examples of each."""
        return render_themes(self, form, examples=examples, width=width, color=color)

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        systems = len(self.examined)
        return f"<{len(self)} theme{'s' * (len(self) != 1)} of {systems} system{'s' * (systems != 1)}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.render())}</pre>"


@known_keywords()
def find_themes(
    runs: Which | Sequence[Which] = "last",
    *,
    systems: Sequence[str] | str = (),
    alpha: float = ALPHA,
    trials: int = 999,
    seed: int | None = 12345,
    workspace: str | PathLike[str] | None = None,
    quiet: bool = False,
) -> ThemeList:
    """Find common features of the failures of each system in one or several runs, the most telling first.

    Args:
        runs: One or several runs, ids, `RUN:SYSTEM`, or names of systems, which mean their newest runs. Runs
            of one system are joined.
        systems: Only these systems.
        alpha: The level of significance of a theme, corrected for all tested features.
        trials: Number of random assignments of failures for this correction.
        seed: Seed of all draws.
        workspace: The file of saved runs; by default the nearest one.
        quiet: Show no progress.

    Returns:
        The themes of each system.

    Raises:
        UsageError: There is no such run or system.

    >>> from mtassay import suite
    >>> find_themes(suite("en-pt", {"nmt": ["Os pais."]}, item="false-friends-nouns-1"))
    <0 themes of 1 system>
    """
    is_list = isinstance(runs, Sequence) and not isinstance(runs, str)
    several = cast("Sequence[Which]", runs) if is_list else [cast("Which", runs)]
    records = [load_run(run, workspace=workspace) for run in several]
    names = [systems] if isinstance(systems, str) else systems
    with Progress(quiet=quiet) as progress:
        found = themes_in(
            records,
            systems=names,
            alpha=alpha,
            trials=trials,
            seed=seed,
            report=lambda done, total: progress.report("looking for themes", done, total),
        )
    return ThemeList(found, found.examined, found.failure, found.alpha)


ReportForm = Literal["html", "md"]
_ENDINGS: dict[str, ReportForm] = {".html": "html", ".htm": "html", ".md": "md", ".markdown": "md"}


@known_keywords()
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

    Args:
        runs: One or several: as they are, ids, or `RUN:SYSTEM`.
        path: The file to write.
        form: `"html"`, a self-contained file, or `"md"` for a pull request; by default by the ending of the
            file.
        against: An earlier run or a file of baselines: the page then says what got worse since.
        names: What the page calls the runs.
        title: Its title.
        themes: Include common features of failures.
        workspace: The file of saved runs; by default the nearest one.
        quiet: Show no progress.

    Returns:
        Where it was written.

    Raises:
        UsageError: There is no such run.

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
    write_runs(
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
    return Path(path)


def write_runs(
    runs: Sequence[nouns.Run],
    path: str | PathLike[str],
    *,
    form: ReportForm | None = None,
    names: Sequence[str] = (),
    title: str = "",
    changes: Sequence[RunChanges] = (),
    gates: Sequence[Table] = (),
    themes: bool = True,
    plan: str = "",
    priorities: Sequence[str] = (),
    workspace: str | PathLike[str] | None = None,
    quiet: bool = False,
    keep: bool = False,
) -> Recommendation:
    """Write the page of runs in memory, with other known facts; return the page's advice.

    With `keep`, a file that ends with the digest of all the page's data stays unchanged.
    """
    target = Path(path)
    kind = _form(target, form)
    agreed, said = _agreement(runs, workspace), people_said_of(runs, workspace)
    sides = [(s.run, s.system, s.started) for change in changes for s in (change.old, change.new)]
    about = [(run.id, run.said) for run in runs]
    made_of = [__version__, about, names, title, sides, gates, themes, plan, agreed, said]
    mark = f"<!-- {blake2b(repr(made_of).encode(), digest_size=16).hexdigest()} -->\n" if keep else ""
    if keep and target.exists() and target.read_bytes().endswith(mark.encode()):
        return decide_costs([DecidedRun.of(*one) for one in zip(names, runs, strict=True)], priorities)
    found = find_themes(runs, quiet=quiet) if themes else Themes()
    page = page_of(
        runs,
        names=names,
        title=title,
        changes=changes,
        gates=gates,
        themes=theme_blocks(found, examples=3 if kind == "html" else 1),
        in_themes=found.by_output() if kind == "html" else None,
        agreement=agreed,
        plan=redact(plan),
        priorities=priorities,
        said=said,
    )
    _write(page, target, kind, mark)
    return page.decision


def report_page(
    runs: Sequence[str],
    *,
    against: str | None = None,
    rules: Sequence[str] = (),
    themes: bool = False,
    workspace: str | PathLike[str] | None = None,
) -> Page:
    """The page of saved runs, compared with an earlier one, with the results of these rules of a gate."""
    records = [load_run(run, workspace=workspace) for run in runs]
    found = find_themes(records, quiet=True) if themes else Themes()
    kept = {r.id: find_baseline(against, workspace=workspace, like=r) for r in records} if against else {}
    return page_of(
        records,
        changes=_changes(records, against, workspace) if against else (),
        gates=[check_gates(rules, {r.id: r for r in records}, kept).table()] if rules else (),
        themes=theme_blocks(found, examples=3),
        in_themes=found.by_output(),
        agreement=_agreement(records, workspace),
        said=people_said_of(records, workspace),
    )


def write_changes(changes: RunChanges, path: str | PathLike[str], *, form: ReportForm | None = None) -> Path:
    """Write the changes between two runs as a page: scores, and every changed case with both outputs."""
    target = Path(path)
    part = changes_part(changes)
    return _write(Page(part.title, (), (part,)), target, _form(target, form))


def _form(target: Path, form: ReportForm | None) -> ReportForm:
    if form is None:
        form = _ENDINGS.get(target.suffix.lower())
        if form is None:
            raise UsageError(f"{target}: a report ends in .html or .md, or say which it is: `form='html'`")
    if not target.resolve().parent.is_dir():
        raise InputError("cannot write: there is no such folder", path=target)
    return form


def _write(page: Page, target: Path, form: ReportForm, mark: str = "") -> Path:
    text = render_page(page) if form == "html" else render_markdown(page)
    with open_for_writing(target) as handle:
        handle.write(text + mark)
    return target


def _changes(
    records: Sequence[nouns.Run], against: Which, workspace: str | PathLike[str] | None
) -> list[RunChanges]:
    """Compare each of the runs with the earlier one, where that is possible."""
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
        raise UsageError(f"No run of the report can be compared with {against}: {why.rstrip('.')}.")
    return found


def people_said_of(
    runs: Sequence[nouns.Run], workspace: str | PathLike[str] | None
) -> dict[str, dict[nouns.Pair, bool]]:
    """Return whether people found an error in an output, by run, segment and system."""
    found: dict[str, dict[nouns.Pair, bool]] = {}
    if (path := workspace_path(workspace)).exists():
        context = EngineContext(Workspace(path))
        for run in runs:
            sources = {segment.id: segment.source or "" for segment in run.segments}
            for system, outputs in run.outputs.items():
                given = [output for output in outputs if output.text is not None and output.id in sources]
                answers = [answer_of(o.id, sources[o.id], o.text or "") for o in given]
                for key, is_wrong in people_said(answers, context).items():
                    if f"{key}{nouns.EDITED}" not in sources:  # else the edited one is judged
                        found.setdefault(run.id, {})[key.removesuffix(nouns.EDITED), system] = is_wrong
    return found


def _agreement(runs: Sequence[nouns.Run], workspace: str | PathLike[str] | None) -> list[Table]:
    """Return how far reviewers agree on these runs' questions; empty where this cannot be measured."""
    path = workspace_path(workspace)
    if not path.exists():
        return []
    answered = {review.question for review in Workspace(path).reviews()}
    asked = dict.fromkeys(q.name for run in runs for q in view_of(run).asks if q.name in answered)
    tables: list[Table] = []
    for name in asked:
        with suppress(MtassayError):  # fewer than two reviewers
            tables += agreement(name, workspace=workspace).tables()[:1]
    return tables
