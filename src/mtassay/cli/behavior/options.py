"""The options and arguments that several behaviour commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.common import check_targets
from mtassay.errors import UsageError

__all__ = [
    "UNKEPT",
    "AgainstOption",
    "CasesArgument",
    "FailuresOption",
    "NeededPairOption",
    "OriginalsOption",
    "PlotOption",
    "ReferenceOption",
    "SourceOption",
    "WhereArgument",
    "check_files",
]

SourceOption = Annotated[Path, typer.Option("--source", "-s", metavar="FILE", help="Source text.")]
ReferenceOption = Annotated[
    Path, typer.Option("--reference", "-r", metavar="FILE", help="Its translation, the reference.")
]
NeededPairOption = Annotated[
    str, typer.Option("--langpair", "-l", metavar="SRC-TGT", help="Language pair: en-pt, eng_Latn-zho_Hans.")
]
WhereArgument = Annotated[
    str,
    typer.Argument(
        metavar="WHERE", help="A file of cases (then give -t and -l), or a saved run ('last', or its id)."
    ),
]
FailuresOption = Annotated[
    int, typer.Option(min=0, metavar="N", help="Print so many failed cases of each system; 0 for none.")
]
PlotOption = Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the pass rates (.svg or .png).")]
CasesArgument = Annotated[
    str, typer.Argument(metavar="CASES", help="A file of cases, or a saved run ('last', or its id).")
]
AgainstOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=CASES", help="Cases of another infiller, to compare with. Repeat."),
]
OriginalsOption = Annotated[
    bool, typer.Option("--originals/--no-originals", help="Also the pairs that the cases were made from.")
]

UNKEPT = "add --save to try other thresholds without asking again"
"""What to do with the answers of live engines that would be lost."""


def check_files(*paths: Path | None) -> None:
    """Files that will be written at the end: say now that one is a folder, or has none to be in."""
    check_targets(*paths)
    for path in paths:
        if path is not None and path.is_dir():
            raise UsageError(f"{path} is a folder: give the name of a file.")
