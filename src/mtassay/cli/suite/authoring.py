"""`mtassay suite new`, `add`, `approve`, `convert`: making and keeping suite files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.common import check_targets, echo, plural, refuse_existing, say
from mtassay.cli.suite.additions import AddOptions, new_items, wanted_items
from mtassay.cli.suite.inputs import SuiteArgument, warn_of_format
from mtassay.cli.suite.template import template
from mtassay.errors import UsageError
from mtassay.formats.suite import Item, Suite, read_suite, write_suite
from mtassay.formats.suite.editing import add_items, editable, set_fields
from mtassay.formats.suite.files import ENDINGS, write_text
from mtassay.formats.suite.losses import losses
from mtassay.languages import parse_pair
from mtassay.methods.suite.lint import lint
from mtassay.methods.suite.selection import Choice, select
from mtassay.people import reviewer_name

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
    if file.suffix not in (".yaml", ".yml"):
        raise UsageError(f"{file}: a new suite is YAML. Call it {file.with_suffix('.yaml')}.")
    check_targets(file)
    refuse_existing(file, otherwise=f"add to it: mtassay suite add {file}")
    write_text(file, template(str(file), name=name or file.stem, pair=str(parse_pair(langpair))))
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
    options = AddOptions(
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
    wanted = wanted_items(options, table)
    suite = add_items(file, lambda suite: new_items(suite, wanted, table))
    items = suite.items[len(suite.items) - len(wanted) :]
    warn_of_format(file)
    for item in items[:20]:
        echo(f"Added {item.id}: {item.source}")
    if len(items) > 20:
        echo(f"… and {len(items) - 20:,} more")
    _warn(suite, items)


def _warn(suite: Suite, items: tuple[Item, ...]) -> None:
    """What `suite check` would say of the new items alone."""
    for problem in lint(replace(suite, items=items), min_items=1):
        if problem.item and problem.severity != "info":
            say(f"mtassay: {problem.item}: {problem.code}: {problem.what}")


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
    chosen = select(read_suite(editable(file)), Choice(ids=ids)).items
    own = [item.id for item in chosen if item.author == name]
    if own:
        more = f" and {len(own) - 1} more" if len(own) > 1 else ""
        raise UsageError(f"{name} wrote {own[0]}{more}: another person must approve. Nothing was changed.")
    done = [item for item in chosen if not item.is_draft]
    open_ = [item for item in chosen if item.is_draft]
    if open_:
        set_fields(file, {item.id: {"approver": name} for item in open_})
    echo(f"Approved {len(open_):,} by {name}" + (f"; {len(done):,} approved before" if done else ""))


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
    if output.suffix not in ENDINGS:
        raise UsageError(f"{output}: a suite file ends in {', '.join(ENDINGS)}.")
    refuse_existing(output, force=force)
    content = read_suite(suite)
    lost = losses(content, output.suffix)
    write_suite(output, content)
    echo(f"Wrote {plural(len(content.items), 'item')} to {output}")
    for what, count in lost.items():
        number = "" if what.startswith("the ") else f": {count:,}"
        say(f"mtassay: {'changed' if what.endswith(')') else 'not'} in {output}: {what}{number}")
    if Path(suite).suffix in (".yaml", ".yml") and _has_comments(Path(suite)):
        say(f"mtassay: not in {output}: the comments of {suite}")


def _has_comments(path: Path) -> bool:
    return path.exists() and any(line.lstrip().startswith("#") for line in path.open(encoding="utf-8"))
