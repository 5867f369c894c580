"""Commands about what changed: `compare`, `history`, `gate` and `themes`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.app import history as app_history
from mtassay.app.cli.frame import (
    AlphaOption,
    FormatOption,
    OutputFormat,
    QuietOption,
    SavedRunsArgument,
    SeedOption,
    WorkspaceOption,
    check_targets,
    echo,
    print_rendered,
    say,
    terminal,
)
from mtassay.app.reports import find_themes
from mtassay.changes.change_tables import (
    history_figures,
    render_changes,
    render_development,
    render_history,
)
from mtassay.changes.theme_search import ALPHA
from mtassay.data.errors import UsageError
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.marks import plural
from mtassay.methods.paired_scores import Snapshot, write_baseline
from mtassay.report.plots import check_plot, draw
from mtassay.stats.resampling import chosen_seed


def compare(
    old: Annotated[
        str | None,
        typer.Argument(
            metavar="[OLD]",
            help="A run's id, RUN:SYSTEM, a system (its newest run), or a baseline file. Default: the newest "
            "run before NEW with the same cases.",
        ),
    ] = None,
    new: Annotated[
        str, typer.Argument(metavar="[NEW]", help="The later run, written in the same way.")
    ] = "last",
    everything: Annotated[bool, typer.Option("--all", help="List every case that changed.")] = False,
    examples: Annotated[int, typer.Option(min=0, help="How many cases of each kind.")] = 5,
    detail: Annotated[bool, typer.Option("--detail", help="Also show every phenomenon.")] = False,
    findings: Annotated[
        Path | None, typer.Option(help="Write the cases whose verdict changed (JSONL).")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write a page (.html, .md).")] = None,
    alpha: AlphaOption = 0.05,
    trials: Annotated[int, typer.Option(min=100, help="Trials of the randomization test.")] = 10000,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Compare two saved runs of any method: scores, fixed and broken cases, the sentences.

    \b
    Examples:
    mtassay compare
    mtassay compare 20260801-101500-a1b2
    mtassay compare last:nmt-v1 last:nmt-v2 --detail
    mtassay compare baseline.json last --all -f md
    mtassay compare last:nmt-v1 last:nmt-v2 -o changes.html
    """
    check_targets(findings, output)
    changes = app_history.compare(
        old, new, alpha=alpha, trials=trials, seed=chosen_seed(seed), workspace=workspace
    )
    text = render_changes(
        changes, output_format.value, everything=everything, examples=examples, detail=detail, **terminal()
    )
    echo(text)
    if output is not None:
        from mtassay.app.reports import write_changes  # large, and seldom used

        say(f"mtassay: the page is {write_changes(changes, output)}")
    if findings is not None:
        write_jsonl(findings, changes.record()["cases"])


# `mtassay history`: how systems develop over their saved runs.


def history(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM...|NAME=RUN...",
            help="A system, or several versions of one; * means anything. Or groups such as years, in "
            "order, each with a saved run.",
        ),
    ],
    score: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this score. Repeat.")] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            metavar="NAME",
            help="This group of the scores: a category, a capability… Repeat. Default: the widest.",
        ),
    ] = None,
    method: Annotated[str | None, typer.Option(metavar="NAME", help="Only runs of this method.")] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="With groups: follow this system. Repeat. Default: all that recur."
        ),
    ] = None,
    alias: Annotated[
        list[str] | None, typer.Option(metavar="OLD=NEW", help="A renamed system. Repeat.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the scores (.svg or .png).")] = None,
    alpha: AlphaOption = 0.05,
    trials: Annotated[int, typer.Option(min=100, help="Trials of the randomization test.")] = 10000,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Follow a system over its saved runs, or many systems over groups of runs, such as years.

    \b
    Examples:
    mtassay history nmt
    mtassay history nmt-v1 nmt-v2 nmt-v3 --plot versions.svg
    mtassay history 'nmt-*' --score accuracy --group Negation
    mtassay history 2021=1f0c 2022=ab12 2023=last --alias Lan-Bridge=Lan-BridgeMT
    """
    if plot:
        check_plot(plot)
    how: dict[str, Any] = {"alpha": alpha, "trials": trials, "seed": chosen_seed(seed)}
    runs = dict(map(_name_and_value, what)) if any("=" in text for text in what) else {}
    if runs and len(runs) < len(what):
        raise UsageError("Two groups have one name. Give each its own name: NAME=RUN.")
    if runs and (group or method):
        raise UsageError("--group and --method are for the runs of one system: leave them out.")
    names = dict(map(_name_and_value, alias or []))
    if runs:
        first = score[0] if score else None
        found = app_history.development(
            runs, systems=system or (), score=first, alias=names, workspace=workspace, **how
        )
        if plot:
            draw(found.figures(), plot)
        echo(render_development(found, output_format.value, **terminal()))
        return
    if system or alias:
        raise UsageError("--system and --alias are for groups: NAME=RUN for each.")
    trends = app_history.history(
        *what, scores=score or (), groups=group or (), method=method, workspace=workspace, **how
    )
    if not trends.trends:
        raise UsageError("No saved run of it has such a score. To see its scores: mtassay runs show RUN")
    if plot:
        if not (figures := history_figures(trends)):
            raise UsageError("There is nothing to draw: a line needs two runs on one test set.")
        draw(figures, plot)
    echo(render_history(trends, output_format.value, **terminal()))


def _name_and_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise UsageError(f"'{text}' must be NAME=VALUE.")
    return name, value


# `mtassay gate`: whether a saved run keeps its rules; for CI.


def gate(
    run: Annotated[
        str, typer.Argument(metavar="[RUN]", help="A run, RUN:SYSTEM, a system, or 'last'.")
    ] = "last",
    rule: Annotated[list[str] | None, typer.Option(metavar="RULE", help="A rule to check. Repeat.")] = None,
    rules: Annotated[Path | None, typer.Option("--rules", metavar="FILE", help="Rules, one a line.")] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="What to compare the run with: a run, RUN:SYSTEM, a system of this or an earlier run, or a "
            "file that --write-baseline made.",
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this system. Repeat. Default: all but the baseline."),
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option(help="Write the result as Markdown, for a pull request.")
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--write-baseline",
            metavar="FILE",
            help="If the run passes, save it in this small file as the baseline of later runs.",
        ),
    ] = None,
    alpha: AlphaOption = 0.05,
    trials: Annotated[int, typer.Option(min=100, help="Trials of the randomization test.")] = 10000,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Check a saved run of any method against rules; exit with 1 if one is not kept.

    \b
    Examples:
    mtassay gate last --rule 'bleu >= 30' --rule 'undecided <= 5 %'
    mtassay gate last --baseline nmt-v1 --rule 'no phenomenon significantly worse'
    mtassay gate last --baseline base.json --rules gates.txt
    mtassay gate last --write-baseline base.json
    """
    check_targets(markdown, keep)
    all_rules = [*(rule or []), *(app_history.read_rules(rules) if rules else [])]
    if not all_rules and keep is None:
        raise UsageError("There is no rule: add --rule 'bleu >= 30', --rules FILE, or --write-baseline FILE.")
    record = app_history.load_run(run, workspace=workspace)
    passed = True
    if all_rules:
        report = app_history.gate(
            record,
            *all_rules,
            baseline=baseline,
            systems=system or (),
            alpha=alpha,
            trials=trials,
            seed=chosen_seed(seed),
            workspace=workspace,
        )
        passed = report.passed
        print_rendered(report, output_format)
        if markdown is not None:
            markdown.write_text(report.markdown(), encoding="utf-8")
    if keep is not None and passed:
        names = system or list(record.systems)
        write_baseline(keep, [Snapshot.of(record, name) for name in names])
        say(f"mtassay: kept {plural(len(names), 'system')} of run {record.id} in {keep}", quiet=quiet)
    if not passed:
        raise typer.Exit(1)


# `mtassay themes`: what the failures of a system have in common.


def themes(
    runs: SavedRunsArgument = None,
    system: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this system. Repeat.")
    ] = None,
    examples: Annotated[int, typer.Option(min=0, max=3, help="How many examples of each theme.")] = 3,
    alpha: Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level of significance.")] = ALPHA,
    trials: Annotated[int, typer.Option(min=100, help="How often the test shuffles the failures.")] = 999,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """What do the failures of a system have in common? Words, phenomena, lost numbers…

    \b
    Examples:
    mtassay themes
    mtassay themes 20260801-101500-a1b2 last --system nmt
    mtassay themes last -f md --examples 1
    """
    found = find_themes(
        runs or "last",
        systems=system or (),
        alpha=alpha,
        trials=trials,
        seed=chosen_seed(seed),
        workspace=workspace,
    )
    echo(found.render(output_format.value, examples=examples, **terminal()))
