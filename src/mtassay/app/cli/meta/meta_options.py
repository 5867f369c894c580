"""What the meta commands share: labels, outputs that are labelled, how metrics are measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.app.cli.common import (
    FormatOption,
    OutputFormat,
    PairOption,
    QuietOption,
    SeedOption,
    WorkspaceOption,
)
from mtassay.app.cli.frame import grouped

__all__ = ["MEASURING", "Measuring", "PrecisionOption", "measured", "outputs_labelled"]

SourceOption = Annotated[Path | None, typer.Option("--source", "-s", help="Source text, without a run.")]
ReferencesOption = Annotated[
    list[str] | None,
    typer.Option("--reference", "-r", metavar="FILE", help="Its reference, without a run. Repeat."),
]
OutputsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--system", "-t", metavar="NAME=FILE", help="Outputs that are labelled; of a run, only these systems."
    ),
]
LabelsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Reviews, or rows of id and label. Default: the reviews in the workspace."
    ),
]
QuestionOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="Reviews: which question. Default: the one of the run.")
]
ErrorOption = Annotated[
    list[str] | None,
    typer.Option(metavar="LABELS", help="Which answers or labels mean an error: under,over."),
]
PrecisionOption = Annotated[
    float, typer.Option(min=0.01, max=0.99, help="Of what is called wrong, this share must be wrong.")
]

_LABELLED = {
    "labels": (LabelsOption, None),
    "question": (QuestionOption, None),
    "error": (ErrorOption, None),
    "source": (SourceOption, None),
    "reference": (ReferencesOption, None),
    "system": (OutputsOption, None),
    "langpair": (PairOption, None),
}


def _labelled_outputs(values: Mapping[str, Any]) -> dict[str, Any]:
    """Which labels count and which outputs they are about, as the library takes them."""
    return {
        "labels": values["labels"],
        "question": values["question"],
        "errors": values["error"],
        "source": values["source"],
        "references": values["reference"] or (),
        "systems": values["system"] or (),
        "langpair": values["langpair"],
    }


outputs_labelled = grouped("labelled", _LABELLED, _labelled_outputs)


@dataclass(frozen=True)
class Measuring:
    """How metrics are measured and shown."""

    seed: int | None = None
    output_format: OutputFormat = OutputFormat.text
    workspace: Path | None = None
    quiet: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """The same for a function of the library."""
        return {"seed": self.seed, "workspace": self.workspace, "quiet": self.quiet, "creates": True}


MEASURING = Measuring()
measured = grouped(
    "how",
    {
        "seed": (SeedOption, None),
        "output_format": (FormatOption, OutputFormat.text),
        "workspace": (WorkspaceOption, None),
        "quiet": (QuietOption, False),
    },
    lambda values: Measuring(**values),
)
