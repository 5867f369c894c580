"""`mtassay suite check`: what is wrong with a suite, before a system is judged by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    QuietOption,
    SystemOption,
    WorkspaceOption,
    cache_workspace,
    echo,
    plural,
    print_json,
    print_tables,
)
from mtassay.cli.suite.evidence import Evidence, ask, existing_workspace
from mtassay.cli.suite.inputs import Inputs, SuiteArgument
from mtassay.display import Table
from mtassay.errors import UsageError
from mtassay.formats.suite import Suite, own_suites, read_suite
from mtassay.methods.suite.lint import lint
from mtassay.methods.suite.problems import CODES, Problem, Severity
from mtassay.report.progress import Progress


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("check", short_help="Look for mistakes in a suite.")(check)


def check(
    suite: SuiteArgument,
    system: SystemOption = None,
    runs: Annotated[
        bool, typer.Option("--runs", help="Look for rules that applied to no output of all saved runs.")
    ] = False,
    min_items: Annotated[int, typer.Option(min=1, help="What a phenomenon should have at least.")] = 5,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", help="Only these problems: bad-pattern,no-rule or error,warning."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", help="All but these problems: draft,few-items or info."),
    ] = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Look for mistakes in a suite: patterns, tokens, duplicates, items that nothing can judge.

    Each problem is one line: where, how bad, its name, what is wrong and what to do. The exit code is 1 if
    there is an error, so that it can guard a repository.

    \b
    Examples:
    mtassay suite check my.yaml
    mtassay suite check my.yaml --select error --ignore duplicate-source
    mtassay suite check my.yaml -t outputs/ --select never-fires
    """
    chosen, left_out = _names(select), _names(ignore)
    content = read_suite(suite)
    outputs = _outputs(content, system, runs, workspace, quiet)
    with Progress(quiet=quiet) as progress:
        problems = lint(
            content,
            outputs=outputs,
            min_items=min_items,
            report=lambda done: progress.report("checking", done, len(content.items)),
        )
    problems = [p for p in problems if not chosen or {p.code, p.severity} & chosen]
    problems = [p for p in problems if not {p.code, p.severity} & left_out]
    _print(problems, content, _Lines(suite, content), output_format)
    if any(problem.severity == "error" for problem in problems):
        raise typer.Exit(1)


def _names(texts: Sequence[str] | None) -> set[str]:
    """Names of problems or severities, separated by commas."""
    known = (*CODES, "error", "warning", "info")
    names = {name.strip() for text in texts or () for name in text.split(",") if name.strip()}
    for name in names:
        if name not in known:
            raise UsageError(f"No problem '{name}'. Available: {', '.join(known)}.")
    return names


def _outputs(
    suite: Suite, systems: list[str] | None, runs: bool, workspace: Path | None, quiet: bool
) -> dict[str, list[str]] | None:
    evidence = Evidence()
    if systems and suite.items:
        inputs = Inputs(suite, suite)
        answers = ask(inputs, inputs.systems(systems), store=cache_workspace(workspace), quiet=quiet)
        evidence.add(answers)
    if runs:
        store = existing_workspace(workspace)
        saved = [run for run in store.runs() if run.method == "suite"] if store else []
        if store is None or not saved:
            raise UsageError(
                "There are no saved runs yet: add --save to 'mtassay suite run', or leave out --runs."
            )
        for run in saved:
            evidence.add_run(store, run.id, suite)
    return {item: list(texts) for item, texts in evidence.outputs.items()} if systems or runs else None


class _Lines:
    """Where in the file a problem is: at its rule if that can be found, else where the item begins."""

    def __init__(self, where: str, suite: Suite) -> None:
        path = Path(where) if Path(where).exists() else own_suites().get(where, Path(where))
        self._lines = []
        if path.suffix in (".yaml", ".yml", ".json"):
            self._lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        starts = sorted(item.line for item in suite.items if item.line)
        self._ends = dict(pairwise([*starts, len(self._lines) + 1]))
        self._ids = {
            line.split('"')[3]: number
            for number, line in enumerate(self._lines if path.suffix == ".json" else (), 1)
            if line.lstrip().startswith('"id": "')
        }

    def of(self, problem: Problem) -> int | None:
        start = problem.line
        if start is None:
            return self._ids.get(problem.item)
        if problem.rule:
            written = (problem.rule, problem.rule.replace("'", "''"), problem.rule.replace("\\", "\\\\"))
            for number in range(start, self._ends.get(start, start)):
                if any(text in self._lines[number - 1] for text in written):
                    return number
        return start


def _print(problems: Sequence[Problem], suite: Suite, lines: _Lines, form: OutputFormat) -> None:
    if form is OutputFormat.json:
        counts = Counter(problem.severity for problem in problems)
        found = [{**asdict(problem), "line": lines.of(problem)} for problem in problems]
        print_json({"path": suite.path, "items": len(suite.items), "counts": counts, "problems": found})
        return
    if form is not OutputFormat.text:
        rows = [[suite.path, str(lines.of(p) or ""), p.item, p.severity, p.code, p.what] for p in problems]
        print_tables([Table(["File", "line", "item", "severity", "code", "what"], rows)], form)
        return
    for problem in problems:
        line = lines.of(problem)
        place = f"{suite.path}{f':{line}' if line else ''}"
        item = f" {problem.item}" if problem.item else ""
        echo(f"{place}{item}: {problem.severity} {problem.code}: {problem.what}")
    echo(_summary(problems, suite))


def _summary(problems: Sequence[Problem], suite: Suite) -> str:
    items = plural(len(suite.items), "item")
    if not problems:
        return f"{items}: no problems found"
    counts = Counter(problem.severity for problem in problems)
    names: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "remark"}
    parts = [plural(counts[s], name) for s, name in names.items() if counts[s]]
    return f"{items}: {', '.join(parts)}"
