"""`mtassay suite unscramble`: check and restore what came back for a scrambled suite."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    check_targets,
    plural,
    print_json,
    print_tables,
    say,
)
from mtassay.display import Table
from mtassay.errors import InputError, UsageError
from mtassay.formats import read_lines
from mtassay.formats.suite import Suite, read_suite
from mtassay.formats.suite.files import write_text
from mtassay.formats.text import decode, read_bytes
from mtassay.methods.suite.returned import Returned, look_at
from mtassay.methods.suite.secrecy import Key, key_from_record, one_line, restore
from mtassay.options import is_live
from mtassay.systems.roster import named


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("unscramble", short_help="Restore what came back for a scrambled suite.")(unscramble)


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
    for folder in (output, distractors):
        check_targets(folder)
    if distractors is not None and distractors.resolve() == output.resolve():
        raise UsageError(
            "Distractors need a folder of their own: 'suite run -t FOLDER' takes all files in it."
        )
    read = _read_key(key)
    if source is not None:
        _check_source(read, source)
    if suite is not None:
        _check_suite(read, read_suite(suite))
    sent = [line.source for line in read.lines]
    returned = {name: read_lines(what) for name, what in systems.items()}
    restored = {name: restore(read, lines, path=systems[name]) for name, lines in returned.items()}
    found = {name: look_at(sent, lines) for name, lines in returned.items()}
    for name, each in found.items():
        _warn(name, each, len(sent))
    if not force and (moved := [name for name, each in found.items() if each.seems_moved]):
        raise UsageError(
            f"The lines of {', '.join(moved)} do not seem to be in the order in which they were sent, so "
            "nothing was written. If they are, add --force."
        )
    for name, result in restored.items():
        _write_tsv(output / f"{name}.tsv", "id\toutput", list(result.outputs.items()), name)
        if distractors is not None:
            _write_tsv(distractors / f"{name}.tsv", "line\toutput", list(result.distractors.items()), name)
    _show(read, found, output, output_format)


def _read_key(path: Path) -> Key:
    try:
        content = json.loads(decode(read_bytes(path), str(path)))
    except (json.JSONDecodeError, RecursionError):
        raise InputError("this is no key of 'mtassay suite scramble'", path=path) from None
    return key_from_record(content, path=str(path))


def _check_source(key: Key, path: Path) -> None:
    lines = read_lines(path)
    for number, (line, sent) in enumerate(zip(lines, key.lines, strict=False), 1):
        if line != sent.source:
            raise InputError(
                "this is not what was sent: lines were changed or moved, so outputs cannot be told apart",
                path=path,
                line=number,
            )
    if len(lines) != len(key.lines):
        raise InputError(f"{len(lines):,} lines, but {len(key.lines):,} were sent", path=path)


def _check_suite(key: Key, suite: Suite) -> None:
    now = {item.id: one_line(item.source) for item in suite.items}
    changed = [line.of for line in key.lines if line.kind == "item" and now.get(line.of) != line.source]
    if changed:
        raise InputError(
            f"what was sent for {plural(len(changed), 'item')} is not the source any more, "
            f"the first '{changed[0]}'",
            path=suite.path,
        )


def _warn(name: str, found: Returned, lines: int) -> None:
    if found.empty:
        say(f"mtassay: {name}: {plural(len(found.empty), 'empty line')}, the first line {found.empty[0]}")
    if found.copied:
        say(f"mtassay: {name}: {found.copied:,} of {plural(lines, 'line')} untranslated: equal to the source")
    if found.strangers:
        say(
            f"mtassay: {name}: {plural(len(found.strangers), 'line')} equal to the source of another line, "
            f"the first line {found.strangers[0]}. Were lines moved?"
        )
    if found.lengths_disagree:
        say(
            f"mtassay: {name}: the lengths of sources and outputs do not go together "
            f"(r = {found.correlation:.2f}). Were lines moved?"
        )
    if found.numbers_disagree:
        say(
            f"mtassay: {name}: only {found.kept:,} of {found.numbered:,} lines with numbers have them in "
            "their output. Were lines moved?"
        )


def _write_tsv(path: Path, header: str, rows: list[tuple[str, str]], name: str) -> None:
    """One row each; a tab in an output would be a column, so it becomes a space, which is said."""
    path.parent.mkdir(exist_ok=True)
    if tabs := sum("\t" in text for _, text in rows):
        say(f"mtassay: {name}: tabs become spaces in {plural(tabs, 'output')} of {path}")
    cells = [f"{key}\t{text.replace(chr(9), ' ')}\n" for key, text in rows]
    write_text(path, "".join([f"{header}\n", *cells]))


def _show(key: Key, found: dict[str, Returned], output: Path, form: OutputFormat) -> None:
    kinds = [line.kind for line in key.lines]
    counts = {
        name: {
            "lines": len(kinds),
            "items": kinds.count("item"),
            "distractors": kinds.count("distractor"),
            "empty": len(each.empty),
            "copied": each.copied,
        }
        for name, each in found.items()
    }
    if form is OutputFormat.json:
        records = {
            name: {
                **counts[name],
                "numbered": each.numbered,
                "numbers_kept": each.kept,
                "length_correlation": each.correlation,
                "file": str(output / f"{name}.tsv"),
            }
            for name, each in found.items()
        }
        print_json({"systems": records})
        return
    rows = [
        [name, *(f"{count:,}" for count in counts[name].values()), f"{each.kept:,} of {each.numbered:,}"]
        for name, each in found.items()
    ]
    header = ["System", *next(iter(counts.values())), "numbers kept"]
    print_tables([Table(header, rows)], form)
