"""The options that choose items of a suite, the same in every command that has them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mtassay.cli.frame import grouped
from mtassay.methods.suite.selection import Choice

__all__ = ["EVERYTHING", "choosing"]

EVERYTHING = Choice()

_Names = list[str] | None
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "category": (
        Annotated[
            _Names, typer.Option(metavar="NAME", help="Only this category; * stands for anything. Repeat.")
        ],
        None,
    ),
    "phenomenon": (
        Annotated[
            _Names, typer.Option(metavar="NAME", help="Only this phenomenon; * stands for anything. Repeat.")
        ],
        None,
    ),
    "tag": (Annotated[_Names, typer.Option(metavar="NAME", help="Only items with this tag. Repeat.")], None),
    "item": (
        Annotated[_Names, typer.Option(metavar="ID", help="Only this item; * stands for anything. Repeat.")],
        None,
    ),
    "approved": (
        Annotated[bool, typer.Option("--approved", help="Only items that a second person approved.")],
        False,
    ),
    "public": (
        Annotated[
            bool | None, typer.Option("--public/--hidden", help="Only public items, or only hidden ones.")
        ],
        None,
    ),
}


def _choice(given: dict[str, Any]) -> Choice:
    return Choice(
        categories=given["category"] or (),
        phenomena=given["phenomenon"] or (),
        tags=given["tag"] or (),
        ids=given.get("item") or (),
        approved=given["approved"],
        public=given["public"],
    )


choosing = grouped("choice", _OPTIONS, _choice)
"""The command with these options in the place of its parameter `choice`."""
