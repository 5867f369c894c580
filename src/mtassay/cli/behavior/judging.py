"""The options that say how translations are judged, the same in every command that judges them."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer

from mtassay.cli.frame import grouped
from mtassay.errors import ServiceError
from mtassay.languages import Pair
from mtassay.methods.behavior.filtering import check_filter
from mtassay.methods.behavior.method import BehaviorMethod
from mtassay.options import build, split_specs

__all__ = ["JUDGING", "Judging", "judging"]


@dataclass(frozen=True)
class Judging:
    """How translations are judged; the language pair is all that is missing."""

    quality: str | None = None
    filter: str | None = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def given(self) -> dict[str, bool]:
        """Which options differ from their defaults, by their names on the command line."""
        values = {"quality": self.quality, "filter": self.filter, **self.options}
        return {
            "--no-direct" if key == "direct" else f"--{key.replace('_', '-')}": value != _OPTIONS[key][1]
            for key, value in values.items()
        }

    def method(self, pair: Pair) -> BehaviorMethod:
        """The method with these options; thresholds that nobody knows are an error."""
        language = str(pair.target)
        quality = {
            spec: build("metric", spec, language=language)
            for spec in split_specs(self.quality or best_quality())
        }
        unequal = {spec: build("metric", spec) for spec in split_specs(self.filter or "")}
        check_filter(unequal)
        method = BehaviorMethod(str(pair), quality, filter=unequal, **self.options)
        try:
            _ = method.signature  # computes the thresholds, before anything is translated
        except ServiceError as error:
            raise ServiceError(f"{error} Or measure with the encoder: --quality use.") from None
        return method


JUDGING = Judging()


def best_quality() -> str:
    """COMET, as in the paper, where it is installed, else the sentence encoder."""
    try:
        version("unbabel-comet")
    except PackageNotFoundError:
        return "use"
    return "comet"


_OPTIONS: dict[str, tuple[Any, Any]] = {
    "quality": (
        Annotated[
            str | None,
            typer.Option(
                metavar="NAMES",
                help="How good a translation is: a metric, or several to average (use,chrf). Default: comet "
                "if installed, else use.",
            ),
        ],
        None,
    ),
    "alpha": (
        Annotated[
            float | None,
            typer.Option(min=0, max=1, help="An original of this quality is good. Default: the measure's."),
        ],
        None,
    ),
    "beta": (
        Annotated[
            float | None,
            typer.Option(min=0, max=1, help="An edit may move the quality by this. Default: the measure's."),
        ],
        None,
    ),
    "signed": (Annotated[bool, typer.Option("--signed", help="Only a loss of quality counts.")], False),
    "direct": (
        Annotated[
            bool,
            typer.Option(
                "--direct/--no-direct", help="Look for the edit in translations: is the error there?"
            ),
        ],
        True,
    ),
    "meaning": (
        Annotated[bool, typer.Option("--meaning", help="Look for it by meaning too, with the encoder.")],
        False,
    ),
    "filter": (
        Annotated[
            str | None,
            typer.Option(
                metavar="NAME",
                help="Skip cases whose two pairs are not equally good by this reference-free measure, as "
                "use:against=source.",
            ),
        ],
        None,
    ),
    "filter_beta": (
        Annotated[
            float | None,
            typer.Option(min=0, help="How much the two pairs may differ. Default: the measure's."),
        ],
        None,
    ),
    "level": (
        Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level of significance.")],
        0.05,
    ),
}

# Where cases are made, the filter has done its work: its options are then not among these.
_TO_METHOD = ("alpha", "beta", "signed", "direct", "meaning", "filter_beta", "level")


def _judging(given: dict[str, Any]) -> Judging:
    options = {key: given[key] for key in _TO_METHOD if key in given}
    return Judging(given["quality"], given.get("filter"), options)


judging = grouped("judging", _OPTIONS, _judging)
"""The command with these options in the place of its parameter `judging`."""
