"""The file of findings that commands write where one is asked for."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from mtassay.core import Run
from mtassay.formats import write_jsonl

__all__ = ["FindingsOption", "write_findings"]

FindingsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Write every finding with its evidence there, over what it has (JSONL)."
    ),
]


def write_findings(path: Path | None, run: Run) -> None:
    """All findings as JSONL, if a file is asked for."""
    if path is not None:
        write_jsonl(path, [asdict(finding) for finding in run.findings])
