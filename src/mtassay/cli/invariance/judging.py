"""The options that say how translations are compared, the same in every command that compares them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import typer

from mtassay.cli.common import AlphaOption
from mtassay.cli.grouping import grouped
from mtassay.errors import UsageError
from mtassay.languages import Pair
from mtassay.methods.invariance.detectors import DEFAULT, DETECTORS, default_detectors
from mtassay.methods.invariance.filters import FILTERS
from mtassay.methods.invariance.method import InvarianceMethod
from mtassay.methods.invariance.structures.choose import PRESETS, STRUCTURES

__all__ = ["JUDGING", "Judging", "judging", "names_in"]


@dataclass(frozen=True)
class Judging:
    """How translations are compared; the language pair is all that is missing."""

    structure: str
    threshold: float | None
    options: dict[str, Any]
    preset: str = "wide"
    detectors: tuple[str, ...] | None = None

    def of(self, structure: str) -> Judging:
        """The same with another structure."""
        return replace(self, structure=structure)

    def method(self, pair: Pair) -> InvarianceMethod:
        """The method with these options."""
        if self.structure not in STRUCTURES:
            raise UsageError(f"No structure '{self.structure}'. Available: {', '.join(STRUCTURES)}.")
        threshold = PRESETS[self.structure][self.preset] if self.threshold is None else self.threshold
        detectors = default_detectors(pair) if self.detectors is None else self.detectors
        return InvarianceMethod(
            str(pair), structure=self.structure, threshold=threshold, detectors=detectors, **self.options
        )


JUDGING = Judging("dependency", None, {})

_OPTIONS: dict[str, tuple[Any, Any]] = {
    "structure": (
        Annotated[str, typer.Option(metavar="NAME", help=f"What is compared: {', '.join(STRUCTURES)}.")],
        "dependency",
    ),
    "threshold": (
        Annotated[
            float | None,
            typer.Option(min=0, help="A variant farther than this makes an issue. Default: the preset's."),
        ],
        None,
    ),
    "preset": (
        Annotated[
            Literal["wide", "sure"],
            typer.Option(help="wide: most issues (dependency: 4); sure: fewer and surer (dependency: 15)."),
        ],
        "wide",
    ),
    "top": (
        Annotated[int, typer.Option(min=1, metavar="K", help="Show the K farthest variants of an issue.")],
        3,
    ),
    "discount": (
        Annotated[
            bool, typer.Option("--discount", help="Leave out the place of the edit from the distance.")
        ],
        False,
    ),
    "filter": (
        Annotated[
            list[str] | None,
            typer.Option("--filter", metavar="NAMES", help=f"Against false alarms: {', '.join(FILTERS)}."),
        ],
        None,
    ),
    "detectors": (
        Annotated[
            str | None,
            typer.Option(
                metavar="NAMES",
                help=f"Companion detectors, 'none' or 'all': {', '.join(DETECTORS)}. "
                f"Default: {', '.join(DEFAULT)}, as far as there are tools.",
                show_default=False,
            ),
        ],
        None,
    ),
    "annotator": (
        Annotated[
            str | None, typer.Option(metavar="NAME", help="Language tool for outputs: spacy, stanza:pt…")
        ],
        None,
    ),
    "alpha": (AlphaOption, 0.05),
    "reviews": (Annotated[bool, typer.Option(help="Let what reviewers said clear or confirm issues.")], True),
}


def _judging(given: dict[str, Any]) -> Judging:
    options = {
        "top": given["top"],
        "discount": given["discount"],
        "filters": tuple(name for text in given["filter"] or () for name in names_in(text)),
        "annotator": given["annotator"],
        "alpha": given["alpha"],
        "reviews": given["reviews"],
    }
    structure = given.get("structure", "dependency").strip().lower()
    return Judging(structure, given["threshold"], options, given["preset"], _detectors(given["detectors"]))


def names_in(text: str) -> list[str]:
    """Names separated by commas."""
    return [name.strip().lower() for name in text.split(",") if name.strip()]


def _detectors(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    names = names_in(text)
    if names in ([], ["none"]):
        return ()
    chosen = tuple(DETECTORS) if names == ["all"] else tuple(dict.fromkeys(names))
    for name in chosen:
        if name not in DETECTORS:
            raise UsageError(f"No detector '{name}'. Available: {', '.join(DETECTORS)}, none, all.")
    return chosen


judging = grouped("judging", _OPTIONS, _judging)
"""The command with these options in the place of its parameter `judging`."""
