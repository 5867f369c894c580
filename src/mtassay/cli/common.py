"""What several commands share: options, systems on the command line, the workspace, printing."""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.cli.terminal import shows_bold, terminal_width
from mtassay.core import Output
from mtassay.errors import UsageError, WorkspaceError
from mtassay.languages import Pair, parse_pair
from mtassay.options import is_live
from mtassay.report.table import Table, to_latex, to_markdown, to_text, to_tsv
from mtassay.stats import default_seed
from mtassay.store import DEFAULT, Workspace
from mtassay.texts.marks import printable


class OutputFormat(StrEnum):
    """How a table is printed."""

    text = "text"
    json = "json"
    tsv = "tsv"
    md = "md"
    latex = "latex"


FormatOption = Annotated[OutputFormat, typer.Option("--format", "-f", help="How to print the result.")]
PairOption = Annotated[
    str | None,
    typer.Option(
        "--langpair", "-l", metavar="SRC-TGT", help="Language pair: en-de, deen, eng_Latn-deu_Latn."
    ),
]
WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        metavar="FILE",
        help=f"The workspace file. Default: $MTASSAY_WORKSPACE or {DEFAULT}.",
        show_default=False,
    ),
]
SystemOption = Annotated[
    list[str] | None,
    typer.Option(
        "--system",
        "-t",
        metavar="NAME=WHAT",
        help="A system: a file of outputs, a folder of such files, or a live engine as scheme:rest "
        "(see 'mtassay systems list'). NAME is optional. Repeat.",
    ),
]
EngineOption = Annotated[
    list[str] | None,
    typer.Option(
        "--system",
        "-t",
        metavar="NAME=SCHEME:REST",
        help="A live engine (see 'mtassay systems list'). NAME is optional. Repeat.",
    ),
]
MaxCallsOption = Annotated[
    int | None, typer.Option("--max-calls", min=0, help="Stop asking a live engine after so many calls.")
]
MaxCharactersOption = Annotated[
    int | None,
    typer.Option("--max-characters", min=0, help="Stop asking a live engine after so many characters."),
]
AlphaOption = Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level of significance.")]
SeedOption = Annotated[
    int | None, typer.Option(min=0, help="Seed of all draws. Default: $SACREBLEU_SEED or 12345.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]

_SCHEME = r"[a-z][\w-]+:"  # a drive has one letter only


def fixed_seed(chosen: int | None) -> int:
    """The seed to use. Where none is set, one is drawn here, so that all draws of a command share it."""
    seed = chosen if chosen is not None else default_seed()
    return secrets.randbits(31) if seed is None else seed


def pair_of(text: str | None) -> Pair | None:
    """The language pair, where one was given."""
    return None if text is None else parse_pair(text)


def name_and_rest(text: str) -> tuple[str, str]:
    """Splits `NAME=FILE`; a bare file is named after its stem, a bare engine after its scheme.

    >>> name_and_rest("nmt=out/new.txt"), name_and_rest("out/Online-A.txt")
    (('nmt', 'out/new.txt'), ('Online-A', 'out/Online-A.txt'))
    >>> name_and_rest("gpt=openai:gpt-5-mini?temperature=0")
    ('gpt', 'openai:gpt-5-mini?temperature=0')
    """
    if is_live(text):
        return text.partition(":")[0], text
    name, equals, rest = text.partition("=")
    if not equals or Path(text).exists() or re.match(rf"{_SCHEME}[^=]*\?", text):
        _check_scheme(text)
        return Path(text.removesuffix(".gz")).stem, text
    if not name or not rest:
        raise UsageError(f"'{text}' is no system. Write NAME=FILE, FILE or NAME=scheme:rest.")
    _check_scheme(rest)
    return name, rest


def _check_scheme(what: str) -> None:
    """What looks like an engine must be one, or else a file."""
    if ":" not in what and is_live(f"{what}:") and not Path(what).exists():
        raise UsageError(f"There is no file '{what}'. For the live engine write {what}:")
    if re.match(_SCHEME, what) and not is_live(what) and not Path(what).exists():
        scheme = what.partition(":")[0]
        raise UsageError(f"There is no file '{what}' and no engine '{scheme}'. See: mtassay systems list")


def named(texts: Sequence[str]) -> dict[str, str]:
    """Systems by name, in order; a folder stands for all files in it, and a name may stand only once."""
    systems: dict[str, str] = {}
    for name, rest in map(name_and_rest, (part for text in texts for part in _files(text))):
        if name in systems:
            raise UsageError(f"Two systems are called '{name}'. Tell them apart: -t NAME={rest}")
        systems[name] = rest
    return systems


def _files(text: str) -> list[str]:
    folder = Path(text)
    if not folder.is_dir():
        return [text]
    files = sorted(str(file) for file in folder.iterdir() if file.is_file() and file.name[0] != ".")
    if not files:
        inside = ", ".join(sorted(each.name for each in folder.iterdir() if each.is_dir())[:5])
        what = f"only folders ({inside}): give one of them" if inside else "nothing"
        raise UsageError(f"There are no files in the folder {text}, {what}.")
    return files


def workspace_path(chosen: Path | None) -> Path:
    """The chosen file, the one of the environment, or the default in this folder."""
    return chosen or Path(os.environ.get("MTASSAY_WORKSPACE", DEFAULT))


def open_workspace(chosen: Path | None) -> Workspace:
    """The workspace, which must be there already."""
    path = workspace_path(chosen)
    if not path.exists():
        raise UsageError(f"There is no workspace {path} yet: add --save to a command, or give --workspace.")
    return Workspace(path)


def cache_workspace(chosen: Path | None) -> Workspace | None:
    """The workspace, or `None` where there is none and none can be made: a score does not need it."""
    path = workspace_path(chosen)
    try:
        return Workspace(path)
    except WorkspaceError:
        if chosen is not None or path.exists():
            raise
        return None


def echo(text: str = "") -> None:
    """Print to standard output."""
    sys.stdout.write(text + "\n")


def say(text: str) -> None:
    """Print a line to standard error."""
    sys.stderr.write(printable(text) + "\n")


def say_failures(outputs: Mapping[str, Sequence[Output]]) -> bool:
    """Say what engines did not translate, and why; True if there is any."""
    failed = {name: [o for o in answers if o.error is not None] for name, answers in outputs.items()}
    for name, errors in failed.items():
        if errors:
            count = f"{len(errors):,} of {len(outputs[name]):,}"
            say(f"mtassay: {name}: {count} not translated, the first because {errors[0].error}")
    return any(failed.values())


def check_targets(*paths: Path | None) -> None:
    """Files that will be written at the end: better to say now that there is no such folder."""
    for path in paths:
        if path is not None and not path.parent.is_dir():
            raise UsageError(f"There is no folder {path.parent} to write {path.name} into.")


def refuse_existing(*paths: Path | None, force: bool = False, otherwise: str = "add --force") -> None:
    """Say that a file is there before anything is written over it; `otherwise` is what to do instead."""
    for path in paths:
        if path is not None and path.exists() and not force:
            raise UsageError(f"{path} is there already. Choose another name, or {otherwise}.")


def plural(number: int, word: str, many: str = "") -> str:
    """A number with its word.

    >>> plural(1, "item"), plural(1200, "item"), plural(2, "category", "categories")
    ('1 item', '1,200 items', '2 categories')
    """
    return f"{number:,} {word if number == 1 else many or word + 's'}"


def print_json(value: Any) -> None:
    """Print as indented JSON."""
    echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_tables(tables: Iterable[Table], form: OutputFormat) -> None:
    """Print tables one after another."""
    for i, table in enumerate(tables):
        if i:
            echo()
        if form is OutputFormat.md:
            echo(to_markdown(table))
        elif form is OutputFormat.latex:
            echo(to_latex(table))
        elif form is OutputFormat.tsv:
            echo(to_tsv(table))
        else:
            echo(to_text(table, width=terminal_width(), color=shows_bold()))
