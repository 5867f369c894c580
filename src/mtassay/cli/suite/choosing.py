"""The options that choose items of a suite, the same in every command that has them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

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


def choosing(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these options in the place of its parameter `choice`, which it gets filled in.

    An option that the command has itself, under the same name, is left to it.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters = inspect.signature(command).parameters
    chosen = [name for name in _OPTIONS if name not in parameters]
    written: list[inspect.Parameter] = []
    for parameter in parameters.values():
        if parameter.name != "choice":
            written.append(parameter.replace(annotation=hints[parameter.name]))
            continue
        for name in chosen:
            kind, default = _OPTIONS[name]
            written.append(inspect.Parameter(name, parameter.kind, default=default, annotation=kind))

    @wraps(command)
    def filled(**values: Any) -> None:
        given = {name: values.pop(name) for name in chosen}
        choice = Choice(
            categories=given["category"] or (),
            phenomena=given["phenomenon"] or (),
            tags=given["tag"] or (),
            ids=given.get("item") or (),
            approved=given["approved"],
            public=given["public"],
        )
        command(choice=choice, **values)

    del filled.__wrapped__  # or Typer would read the options of the command inside
    filled.__signature__ = inspect.Signature(written)  # type: ignore[attr-defined]
    filled.__annotations__ = {each.name: each.annotation for each in written}
    return filled
