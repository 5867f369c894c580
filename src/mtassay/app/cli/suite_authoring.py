"""`mtassay suite add`, `approve`, `convert`, `list`, `check`: suite files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.app import curation
from mtassay.app.cli.common import (
    FormatOption,
    OutputFormat,
    SeedOption,
    check_targets,
    echo,
    print_json,
    print_tables,
    refuse_existing,
    say,
)
from mtassay.app.cli.frame import FRAME, RunFrame, framed_with
from mtassay.app.cli.suite_run import SuiteArgument, say_all, warn_of_format
from mtassay.app.reviewing import reviewer_name
from mtassay.data.display import Table
from mtassay.data.errors import MtassayError, UsageError
from mtassay.data.formats.suite_editing import editable
from mtassay.data.formats.suite_files import check_ending, losses_between, read_suite, write_suite
from mtassay.data.marks import plural
from mtassay.methods.suite.authoring import (
    Draft,
    Wanted,
    add_drafts,
    begin,
    contents,
    hold_back,
    overview,
    read_drafts,
)
from mtassay.methods.suite.authoring import approve as approve_items
from mtassay.stats.resampling import fixed_seed


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("add", short_help="Add items to a suite, or begin one.")(add)
    app.command("approve", short_help="Say as a second person that items are right.")(approve)
    app.command("convert", short_help="Write a suite in another format, or in two parts.")(convert)
    app.command("list", short_help="What a suite holds; or which suites there are.")(list_suites)
    app.command("check", short_help="Look for mistakes in a suite.")(check)


FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The suite file.")]


def add(
    file: FileArgument,
    category: Annotated[str, typer.Option(help="The category, such as Negation.")] = "",
    phenomenon: Annotated[str, typer.Option(help="The phenomenon, such as Negative concord.")] = "",
    source: Annotated[str, typer.Option(help="The sentence that systems translate.")] = "",
    focus: Annotated[list[str] | None, typer.Option(help="Words with the phenomenon. Repeat.")] = None,
    positive: Annotated[list[str] | None, typer.Option(metavar="REGEX", help="For correct outputs.")] = None,
    negative: Annotated[
        list[str] | None, typer.Option(metavar="REGEX", help="For incorrect outputs.")
    ] = None,
    reference: Annotated[list[str] | None, typer.Option(help="A correct translation. Repeat.")] = None,
    context: Annotated[list[str] | None, typer.Option(help="A sentence before the source. Repeat.")] = None,
    note: Annotated[str, typer.Option(help="What a reader should know.")] = "",
    author: Annotated[str | None, typer.Option(help="Default: $MTASSAY_REVIEWER or the login name.")] = None,
    item_id: Annotated[str, typer.Option("--id", help="Default: from phenomenon and number.")] = "",
    table: Annotated[
        Path | None, typer.Option("--from", help="Many items: a TSV with these columns.")
    ] = None,
    langpair: Annotated[
        str | None,
        typer.Option(
            "--langpair", "-l", metavar="SRC-TGT", help="Begin a new suite file for this language pair."
        ),
    ] = None,
) -> None:
    """Add an item, or many from a table. The rest of the file stays as it is, comments too.

    With --langpair it begins a new file. In a terminal it asks for what is missing.

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
    read_suite(editable(file))  # what is wrong with it is said before anything is asked
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
    warn_of_format(file)
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
    output: Annotated[Path, typer.Argument(metavar="OUT", help="A file: .yaml, .jsonl, .json (DFKI).")],
    hidden: Annotated[Path | None, typer.Option(help="Held-back items go into this file.")] = None,
    share: Annotated[float, typer.Option("--hold-back", min=0, max=1, help="Share to hold back.")] = 0.5,
    seed: SeedOption = None,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
    output_format: FormatOption = OutputFormat.text,
) -> None:
    """Write a suite in another format, and say what that cannot hold; or in two parts, one to hold back.

    \b
    Examples:
    mtassay suite convert items.json ours.yaml
    mtassay suite convert en-pt mine.yaml
    mtassay suite convert my.yaml public.yaml --hidden hidden.yaml --hold-back 0.5
    """
    targets = [output, *([hidden] if hidden else [])]
    check_targets(*targets)
    for path in targets:
        check_ending(path)
    places = [path.resolve() for path in (Path(suite), *targets)]
    if hidden and len(set(places)) < len(places):
        raise UsageError("The suite, the public and the hidden file must be three files.")
    # Another seed would hide other items, and those hidden before would be public.
    refuse_existing(*targets, force=force)
    whole = read_suite(suite)
    lost = losses_between(suite, whole, output)
    if hidden is None:
        write_suite(output, whole)
        echo(f"Wrote {plural(len(whole.items), 'item')} to {output}")
        say_all(lost)
        return
    halves = hold_back(whole, share, seed=fixed_seed(seed))
    write_suite(hidden, halves.hidden)
    write_suite(output, halves.public)
    say_all(lost)
    if halves.shown_twice:
        say(
            f"mtassay: {plural(len(halves.shown_twice), 'hidden item')} with a source that a public item has "
            f"too, the first '{halves.shown_twice[0]}'"
        )
    _print(halves.records(), output_format)


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
        typer.Option(metavar="CODES", help="Only these problems: bad-pattern,no-rule or error,warning."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", help="All but these problems: draft,no-rule or info."),
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
    problems = curation.check(suite, select=select or [], ignore=ignore or [], **frame.options)
    if frame.output_format is OutputFormat.json:
        print_json(problems.record())
    elif frame.output_format is OutputFormat.text:
        for line in problems.lines():
            echo(line)
    else:
        print_tables([problems.table()], frame.output_format)
    if problems.has_errors:
        raise typer.Exit(1)
