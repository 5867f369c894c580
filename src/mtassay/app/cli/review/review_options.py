"""What the review commands share: which run, which of its outputs, which question, which campaign."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from mtassay.app.cli.common import SeedOption
from mtassay.app.cli.frame import Command, grouped
from mtassay.review.pending import Order

__all__ = [
    "AUDIT_SAMPLE",
    "AdjudicateOption",
    "AllOption",
    "CampaignOption",
    "DoubleOption",
    "OrderOption",
    "QuestionOption",
    "RunArgument",
    "SettledOption",
    "ShowSystemsOption",
    "choosing",
    "usual_sample",
]

RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's id, the beginning of it, or 'last'.")
]
AllOption = Annotated[bool, typer.Option("--all", help="The outputs of all saved runs, each one once.")]
DoubleOption = Annotated[
    bool, typer.Option("--double", help="Also what others settled, to measure agreement.")
]
ShowSystemsOption = Annotated[
    bool, typer.Option("--show-systems", help="Name the systems. Reviewers should not know them.")
]
CategoryOption = Annotated[
    list[str] | None, typer.Option("--category", metavar="NAME", help="Only this category; * works. Repeat.")
]
PhenomenonOption = Annotated[
    list[str] | None,
    typer.Option("--phenomenon", metavar="NAME", help="Only this phenomenon; * works. Repeat."),
]
ItemOption = Annotated[
    list[str] | None, typer.Option("--item", metavar="ID", help="Only this item; * works. Repeat.")
]
SystemOption = Annotated[
    list[str] | None, typer.Option("--system", metavar="NAME", help="Only what this system gave. Repeat.")
]
SampleOption = Annotated[
    int | None, typer.Option("--sample", min=1, metavar="N", help="So many of them, drawn by --seed.")
]
OrderOption = Annotated[
    Order,
    typer.Option(
        "--order",
        help="Items that need the fewest answers first (fair), outputs of most systems, or as in the run.",
    ),
]
SettledOption = Annotated[
    bool,
    typer.Option(
        "--settled",
        help="What was settled without people instead, blindly: a sample of 100, unless --sample says more.",
    ),
]
QuestionOption = Annotated[
    str | None,
    typer.Option(
        "--question",
        metavar="NAME",
        help="Ask this of all outputs: entities, mqm, esa, adequacy, fluency, informativeness, da.",
    ),
]
CampaignOption = Annotated[
    str | None, typer.Option("--campaign", metavar="NAME", help="A campaign of several reviewers, or 'last'.")
]
AdjudicateOption = Annotated[
    bool, typer.Option("--adjudicate", help="With --campaign: settle what its reviewers see differently.")
]
AUDIT_SAMPLE = 100


def usual_sample(settled: bool) -> int | None:
    """How many outputs are drawn where nobody says it: all that are open, a sample of what is settled."""
    return AUDIT_SAMPLE if settled else None


def choosing(*, sample: int | None = None) -> Callable[[Command], Command]:
    """Gives a command the options that choose outputs, in the place of its parameter `choice`.

    They come as `pending` and `audit` take them. `sample` is how many are drawn where nobody says it.
    """
    options: dict[str, tuple[Any, Any]] = {
        "category": (CategoryOption, None),
        "phenomenon": (PhenomenonOption, None),
        "item": (ItemOption, None),
        "system": (SystemOption, None),
        "sample": (SampleOption, sample),
        "seed": (SeedOption, None),
    }
    names = ("category", "phenomenon", "item", "system")
    return grouped(
        "choice", options, lambda values: {**values, **{name: values[name] or () for name in names}}
    )
