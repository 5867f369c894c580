"""`mtassay suite scramble`, `unscramble` and `split`: keep items secret."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
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
from mtassay.cli.frame import Values
from mtassay.cli.suite.options import SuiteArgument, choosing, say_all
from mtassay.display import Table
from mtassay.errors import UsageError
from mtassay.formats.suite import read_suite, write_suite
from mtassay.methods.suite import secrecy
from mtassay.methods.suite.method import SuiteMethod
from mtassay.methods.suite.secrecy import SOURCE
from mtassay.methods.suite.selection import hold_back
from mtassay.options import is_live
from mtassay.stats import fixed_seed
from mtassay.systems.roster import named
from mtassay.texts.marks import file_name


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("scramble", short_help="Hide items among other sentences, for a provider.")(scramble)
    app.command("split", short_help="Items to publish, and items to hold back.")(split)
    app.command("unscramble", short_help="Restore what came back for a scrambled suite.")(unscramble)


@choosing()
def scramble(
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
    parameters: Values = {},  # noqa: B006
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
    content = SuiteMethod.resolve({"suite": suite, **parameters}).chosen
    others = secrecy.read_distractors(distractors, content) if distractors else secrecy.Distractors({})
    scrambled = secrecy.scramble(
        content,
        others.texts,
        seed=secrets.randbits(63) if seed is None else seed,
        ratio=ratio,
        with_context=with_context,
    )
    say_all([*others.remarks, *secrecy.scramble_remarks(content, scrambled)])
    secrecy.write_scrambled(scrambled, output, key_path)
    echo(
        f"Send {output / SOURCE}: {scrambled.describe()}.\n"
        f"Keep {key_path}. When it comes back:\n"
        f"  mtassay suite unscramble {key_path} -t NAME=returned.txt -o outputs"
    )


def unscramble(
    key: Annotated[Path, typer.Argument(metavar="KEY", help="The key that 'suite scramble' wrote.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder for NAME.tsv of each system.")
    ],
    system: Annotated[
        list[str] | None,
        typer.Option("--system", "-t", metavar="NAME=FILE", help="What came back from a system. Repeat."),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--source", "-s", help="The source as it came back, to check that it is what was sent."),
    ] = None,
    suite: Annotated[
        Path | None, typer.Option(metavar="SUITE", help="Check that the items still have the sources sent.")
    ] = None,
    distractors: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write the outputs of distractors here, too.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write outputs even if lines seem to have changed places.")
    ] = False,
    output_format: FormatOption = OutputFormat.text,
) -> None:
    """Restore what came back for a scrambled suite: one file of outputs by id for each system.

    Checks the number of lines, and says what is empty or copied from the source. If lines seem to have
    changed places, nothing is written.

    \b
    Example:
    mtassay suite unscramble send.key.json -t nmt=returned.txt -o outputs
    mtassay suite run en-pt -t outputs
    """
    systems = named(system or [])
    if not systems:
        raise UsageError("What came back? Add -t NAME=returned.txt.")
    if live := next((what for what in systems.values() if is_live(what)), None):
        raise UsageError(f"'{live}' is a live engine. Give the file that came back: -t NAME=returned.txt")
    check_targets(output, distractors)
    if distractors is not None and distractors.resolve() == output.resolve():
        raise UsageError(
            "Distractors need a folder of their own: 'suite run -t FOLDER' takes all files in it."
        )
    sent = secrecy.read_key(key)
    if source is not None:
        secrecy.check_sent(sent, source)
    if suite is not None:
        secrecy.check_suite(sent, read_suite(suite))
    results = secrecy.unscramble(sent, systems)
    for name, result in results.items():
        say_all(f"{name}: {remark}" for remark in result.returned.remarks(len(sent.lines)))
    if not force:
        secrecy.check_order(results)
    for name, result in results.items():
        _write(output, name, "id\toutput", result.restored.outputs)
        if distractors is not None:
            _write(distractors, name, "line\toutput", result.restored.distractors)
    if output_format is OutputFormat.json:
        print_json(secrecy.unscrambled_record(sent, results, output))
    else:
        print_tables([secrecy.unscrambled_table(sent, results)], output_format)


def _write(folder: Path, name: str, header: str, rows: Mapping[str, str]) -> None:
    path = folder / f"{file_name(name)}.tsv"
    if tabs := secrecy.write_rows(path, header, rows):
        say(f"mtassay: {name}: tabs become spaces in {plural(tabs, 'output')} of {path}")


def split(
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
    records = halves.records()
    if output_format is OutputFormat.json:
        print_json({"categories": records})
        return
    rows = [list(map(str, record.values())) for record in records]
    print_tables([Table(["Category", *list(records[0])[1:]], rows)], output_format)
