"""`mtassay suite new`, `add`, `approve`, `convert`: making and keeping suite files."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mtassay.api.people import reviewer_name
from mtassay.cli.common import check_targets, echo, plural, refuse_existing
from mtassay.cli.suite.options import SuiteArgument, say_all, warn_of_format
from mtassay.formats.suite import read_suite, write_suite
from mtassay.formats.suite.editing import editable
from mtassay.formats.suite.files import check_ending, losses_between
from mtassay.methods.suite.authoring import Draft, Wanted, add_drafts, begin, read_drafts
from mtassay.methods.suite.authoring import approve as approve_items

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The suite file.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("new", short_help="Begin a suite: a YAML file that explains itself.")(new)
    app.command("add")(add)
    app.command("approve", short_help="Say as a second person that items are right.")(approve)
    app.command("convert", short_help="Write a suite as YAML, JSONL or the DFKI's JSON.")(convert)


def new(
    file: FileArgument,
    langpair: Annotated[
        str, typer.Option("--langpair", "-l", metavar="SRC-TGT", help="Language pair: en-de, deen.")
    ],
    name: Annotated[str, typer.Option(help="What the suite is called. Default: the name of the file.")] = "",
) -> None:
    """Begin a suite: a YAML file that explains itself, without items yet.

    \b
    Example:
    mtassay suite new ours.yaml -l en-de --name "Our product"
    """
    check_targets(file)
    begin(file, langpair=langpair, name=name)
    echo(f"Made {file}. Now write the first item: mtassay suite add {file}")


def add(
    file: FileArgument,
    category: Annotated[str, typer.Option(help="The category, such as Negation.")] = "",
    phenomenon: Annotated[str, typer.Option(help="The phenomenon, such as Negative concord.")] = "",
    source: Annotated[str, typer.Option(help="The sentence that systems translate.")] = "",
    focus: Annotated[
        list[str] | None, typer.Option(help="Words of the source that carry the phenomenon. Repeat.")
    ] = None,
    positive: Annotated[
        list[str] | None, typer.Option(metavar="REGEX", help="An output with this is correct. Repeat.")
    ] = None,
    negative: Annotated[
        list[str] | None, typer.Option(metavar="REGEX", help="An output with this is incorrect. Repeat.")
    ] = None,
    reference: Annotated[list[str] | None, typer.Option(help="A correct translation. Repeat.")] = None,
    context: Annotated[
        list[str] | None, typer.Option(help="A sentence that stands before the source. Repeat.")
    ] = None,
    note: Annotated[str, typer.Option(help="What a reader should know.")] = "",
    author: Annotated[
        str | None, typer.Option(help="Who wrote it. Default: $MTASSAY_REVIEWER or the login name.")
    ] = None,
    item_id: Annotated[
        str, typer.Option("--id", help="Default: made from category, phenomenon and a number.")
    ] = "",
    table: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="FILE", help="Many items: a TSV whose columns are named like the fields."
        ),
    ] = None,
) -> None:
    """Add an item, or many from a table. The rest of the file stays as it is, comments too.

    Asks for what is missing when it runs in a terminal. In a table, several values of one cell are
    separated by " | "; an expression has a cell for itself.

    \b
    Examples:
    mtassay suite add my.yaml --category Negation --phenomenon Scope \\
        --source "Not all came." --positive "nicht alle" --negative "alle .*nicht"
    mtassay suite add my.yaml --from items.tsv
    """
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
    wanted: Wanted = read_drafts(table, draft) if table else [(None, _complete(draft))]
    added = add_drafts(file, wanted, table)
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
    ids: Annotated[list[str], typer.Argument(metavar="ID…", help="Items; * stands for anything.")],
    by: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Who approves. Default: $MTASSAY_REVIEWER or the login."),
    ] = None,
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
    output: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write: .yaml, .jsonl or .json (DFKI).")
    ],
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write a suite in another format: YAML, JSONL or the DFKI's JSON. Says what that cannot hold.

    \b
    Examples:
    mtassay suite convert items.json ours.yaml
    mtassay suite convert en-pt mine.yaml
    """
    check_targets(output)
    check_ending(output)
    refuse_existing(output, force=force)
    content = read_suite(suite)
    lost = losses_between(suite, content, output)
    write_suite(output, content)
    echo(f"Wrote {plural(len(content.items), 'item')} to {output}")
    say_all(lost)
