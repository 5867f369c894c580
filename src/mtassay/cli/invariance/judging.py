"""The options that say how translations are compared, the same in every command that compares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import typer

from mtassay.cli.common import AlphaOption
from mtassay.cli.frame import grouped
from mtassay.errors import UsageError
from mtassay.languages import Pair
from mtassay.methods.invariance.detectors import DEFAULT, DETECTORS, default_detectors
from mtassay.methods.invariance.filters import FILTERS
from mtassay.methods.invariance.method import InvarianceMethod
from mtassay.methods.invariance.structures.choose import PRESETS, STRUCTURES

__all__ = ["JUDGING", "Judging", "judging", "side_by_side"]


@dataclass(frozen=True)
class Judging:
    """How translations are compared; `None` is what was not said, `options` have fixed defaults."""

    structures: tuple[str, ...] | None = None
    threshold: float | None = None
    preset: str | None = None
    top: int | None = None
    discount: bool | None = None
    filters: tuple[str, ...] | None = None
    detectors: tuple[str, ...] | None = None
    annotator: str | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def methods(self, pair: Pair, run: Mapping[str, Any] | None = None) -> list[InvarianceMethod]:
        """A method for each structure, with these options.

        What was not said is as in `run`, the parameters of a saved run. Its threshold, discount and filters
        are made for its structure; other structures have their usual ones.
        """
        saved = run or {}
        own = str(saved.get("structure", "dependency"))
        return [
            self._as_in(saved if name == own else {key: saved[key] for key in _ANY if key in saved})._method(
                name, pair
            )
            for name in self.structures or (own,)
        ]

    def method(self, pair: Pair, run: Mapping[str, Any] | None = None) -> InvarianceMethod:
        """The same where there is one structure."""
        (method,) = self.methods(pair, run)
        return method

    def _as_in(self, saved: Mapping[str, Any]) -> Judging:
        filled: dict[str, Any] = {
            name: saved[name]
            for name in ("top", "discount", "annotator")
            if getattr(self, name) is None and name in saved
        }
        if self.filters is None and "filters" in saved:
            filled["filters"] = tuple(saved["filters"])
        if self.threshold is None and self.preset is None and "threshold" in saved:
            filled["threshold"] = saved["threshold"]
        return replace(self, **filled)

    def _method(self, structure: str, pair: Pair) -> InvarianceMethod:
        if structure not in STRUCTURES:
            raise UsageError(f"No structure '{structure}'. Available: {', '.join(STRUCTURES)}.")
        usual = PRESETS[structure][self.preset or "wide"]
        return InvarianceMethod(
            str(pair),
            structure=structure,
            threshold=usual if self.threshold is None else self.threshold,
            top=3 if self.top is None else self.top,
            discount=bool(self.discount),
            filters=self.filters or (),
            detectors=default_detectors(pair) if self.detectors is None else self.detectors,
            annotator=self.annotator,
            **self.options,
        )


JUDGING = Judging()
_ANY = ("top", "annotator")  # what a saved run says for structures other than its own, too

_OPTIONS: dict[str, tuple[Any, Any]] = {
    "structure": (
        Annotated[
            str | None,
            typer.Option(
                metavar="NAME",
                help=f"What is compared: {', '.join(STRUCTURES)}. Default: the saved run's, or dependency.",
            ),
        ],
        None,
    ),
    "threshold": (
        Annotated[
            float | None,
            typer.Option(
                min=0,
                help="A variant farther than this makes an issue. Default: the saved run's, or the preset's.",
            ),
        ],
        None,
    ),
    "preset": (
        Annotated[
            Literal["wide", "sure"] | None,
            typer.Option(
                help="wide, the default: most issues (dependency: 4); sure: fewer and surer (dependency: 15)."
            ),
        ],
        None,
    ),
    "top": (
        Annotated[
            int | None,
            typer.Option(
                min=1, metavar="K", help="Show the K farthest variants of an issue. Default: the run's, or 3."
            ),
        ],
        None,
    ),
    "discount": (
        Annotated[
            bool | None,
            typer.Option(
                "--discount/--no-discount", help="Leave out the place of the edit from the distance."
            ),
        ],
        None,
    ),
    "filter": (
        Annotated[
            list[str] | None,
            typer.Option(
                "--filter", metavar="NAMES", help=f"Against false alarms, or none: {', '.join(FILTERS)}."
            ),
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
    structure = given.get("structure")
    return Judging(
        None if structure is None else (structure.strip().lower(),),
        given["threshold"],
        given["preset"],
        given["top"],
        given["discount"],
        _filters(given["filter"]),
        _detectors(given["detectors"]),
        given["annotator"],
        {"alpha": given["alpha"], "reviews": given["reviews"]},
    )


def side_by_side(way: Judging, text: str | None) -> Judging:
    """The same for several structures, whose names are separated by commas; `None` for the usual one."""
    names = names_in(text or "")
    if text is not None and not names:
        raise UsageError(f"Name a structure. Available: {', '.join(STRUCTURES)}.")
    return replace(way, structures=tuple(dict.fromkeys(names)) or None)


def names_in(text: str) -> list[str]:
    """Names separated by commas."""
    return [name.strip().lower() for name in text.split(",") if name.strip()]


def _filters(texts: Sequence[str] | None) -> tuple[str, ...] | None:
    if texts is None:
        return None
    names = tuple(name for text in texts for name in names_in(text))
    return () if names == ("none",) else names


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
