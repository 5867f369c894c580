"""`mtassay suite scramble` and `split`: keep items secret."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    SeedOption,
    check_targets,
    echo,
    plural,
    print_json,
    print_tables,
    refuse_existing,
    say,
)
from mtassay.cli.suite.choosing import EVERYTHING, choosing
from mtassay.cli.suite.inputs import SuiteArgument, read_inputs
from mtassay.display import Table
from mtassay.errors import InputError, UsageError
from mtassay.formats import read_lines
from mtassay.formats.suite import Suite, read_suite, write_suite
from mtassay.formats.suite.files import write_text
from mtassay.methods.suite.secrecy import one_line, scramble
from mtassay.methods.suite.selection import Choice
from mtassay.methods.suite.splitting import hold_back
from mtassay.stats import fixed_seed

SOURCE = "source.txt"


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("scramble", short_help="Hide items among other sentences, for a provider.")(scramble_suite)
    app.command("split", short_help="Items to publish, and items to hold back.")(split_suite)


@choosing
def scramble_suite(
    suite: SuiteArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help=f"Folder to send: gets {SOURCE}.")
    ],
    key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Key file, to keep at home. Default: FOLDER.key.json."),
    ] = None,
    distractors: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Other sentences to hide the items among, one a line.")
    ] = None,
    ratio: Annotated[
        float | None,
        typer.Option(min=0, help="Distractors for each item, drawn by chance. Default: all of the file."),
    ] = None,
    with_context: Annotated[
        bool, typer.Option("--with-context", help="Send the context of an item in lines before it.")
    ] = False,
    choice: Choice = EVERYTHING,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of the order. Default: a secret one, written into the key."),
    ] = None,
) -> None:
    """Mix items with other sentences in random order, for a provider who must not know them.

    The folder is all that you send. The key says which line is which: keep it, nothing can be restored
    without it. A seed that others can guess would undo the order.

    \b
    Examples:
    mtassay suite scramble en-pt -o send --distractors news.en.txt
    mtassay suite scramble en-pt -o send --distractors news.en.txt --ratio 3 --category Negation
    """
    key_path = key or output.with_name(f"{output.name}.key.json")
    check_targets(output, key_path)
    refuse_existing(key_path, otherwise="move it away: what was sent with it can only be restored with it")
    if ratio is not None and distractors is None:
        raise UsageError("--ratio needs --distractors FILE.")
    inputs = read_inputs(suite, choice)
    others = _distractors(distractors, inputs.suite) if distractors else {}
    made = scramble(
        inputs.suite,
        others,
        seed=secrets.randbits(63) if seed is None else seed,
        ratio=ratio,
        with_context=with_context,
    )
    if not others:
        say("mtassay: nothing hides the items: add other sentences with --distractors FILE")
    broken = sum(one_line(each.source) != each.source for each in inputs.suite.items)
    if broken:
        say(f"mtassay: line breaks or tabs sent as spaces in the source of {plural(broken, 'item')}")
    contexts = sum(bool(each.context) for each in inputs.suite.items)
    if contexts and not with_context:
        say(f"mtassay: context of {plural(contexts, 'item')} not sent; --with-context sends it")
    output.mkdir(exist_ok=True)
    write_text(key_path, json.dumps(made.record(), ensure_ascii=False, indent=1) + "\n")
    write_text(output / SOURCE, "".join(f"{line.source}\n" for line in made.lines))
    kinds = [line.kind for line in made.lines]
    echo(
        f"Send {output / SOURCE}: {plural(len(kinds), 'line')} ({plural(kinds.count('item'), 'item')}, "
        f"{plural(kinds.count('distractor'), 'distractor')}{_contexts(kinds)}).\n"
        f"Keep {key_path}. When it comes back:\n"
        f"  mtassay suite unscramble {key_path} -t NAME=returned.txt -o outputs"
    )


def _contexts(kinds: Sequence[str]) -> str:
    number = kinds.count("context")
    return f", {number:,} of context" if number else ""


def _distractors(path: Path, suite: Suite) -> dict[str, str]:
    """Texts by line number. Empty lines, and items among them, are left out and counted."""
    lines = {str(number): one_line(line) for number, line in enumerate(read_lines(path), 1)}
    sources = {item.source for item in suite.items}
    full = {number: line for number, line in lines.items() if line.strip()}
    found = {number: line for number, line in full.items() if line not in sources}
    for left_out, why in ((len(lines) - len(full), "empty"), (len(full) - len(found), "in the suite")):
        if left_out:
            say(f"mtassay: {plural(left_out, 'line')} of {path} left out: {why}")
    if not found:
        raise InputError("there is no sentence to hide items among", path=path)
    return found


def split_suite(
    suite: SuiteArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PUBLIC", help="Suite file for the items to publish.")
    ],
    hidden: Annotated[Path, typer.Option(metavar="HIDDEN", help="Suite file for the items held back.")],
    share: Annotated[
        float, typer.Option("--hold-back", min=0, max=1, help="Share of every phenomenon to hold back.")
    ] = 0.5,
    seed: SeedOption = None,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
    output_format: FormatOption = OutputFormat.text,
) -> None:
    """Split a suite in two: items to publish and items to hold back, the same share of every phenomenon.

    The share is rounded to the nearest item, halves down, so a single item is published. Items that are
    'public: false' stay hidden and count. Items held back leave no rule, token or macro in the public file.

    \b
    Example:
    mtassay suite split my.yaml -o public.yaml --hidden hidden.yaml --hold-back 0.5
    """
    check_targets(output, hidden)
    whole = read_suite(suite)
    places = [path.resolve() for path in (Path(suite), output, hidden)]
    if len(set(places)) < len(places):
        raise UsageError("The suite, the public and the hidden file must be three files.")
    # Another seed would hide other items, and those hidden before would be public.
    refuse_existing(output, hidden, force=force)
    halves = hold_back(whole, share, seed=fixed_seed(seed))
    write_suite(hidden, halves.hidden)
    write_suite(output, halves.public)
    if halves.shown_twice:
        say(
            f"mtassay: {plural(len(halves.shown_twice), 'hidden item')} with a source that a public item has "
            f"too, the first '{halves.shown_twice[0]}'"
        )
    _show_split(halves.public, halves.hidden, output_format)


def _show_split(public: Suite, hidden: Suite, form: OutputFormat) -> None:
    shown, held = (Counter(item.category for item in suite.items) for suite in (public, hidden))
    rows = [(name, shown[name] + held[name], shown[name], held[name]) for name in shown + held]
    rows.append(("all", shown.total() + held.total(), shown.total(), held.total()))
    columns = ("category", "items", "public", "hidden")
    if form is OutputFormat.json:
        print_json({"categories": [dict(zip(columns, row, strict=True)) for row in rows]})
        return
    print_tables([Table(["Category", *columns[1:]], [list(map(str, row)) for row in rows])], form)
