"""Options that several commands share, written once and handed over as one value."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, get_type_hints

__all__ = ["Command", "grouped"]

Command = Callable[..., None]


def grouped(
    parameter: str, options: Mapping[str, tuple[Any, Any]], make: Callable[[dict[str, Any]], Any]
) -> Callable[[Command], Command]:
    """Gives a command these options in the place of one parameter, which gets what `make` makes of them.

    `options` are the annotation and default of each one, by name. One that the command has itself, under the
    same name, is left to it.
    """

    def decorate(command: Command) -> Command:
        hints = get_type_hints(command, include_extras=True)
        parameters = inspect.signature(command).parameters
        chosen = [name for name in options if name not in parameters]
        written: list[inspect.Parameter] = []
        for each in parameters.values():
            if each.name != parameter:
                written.append(each.replace(annotation=hints[each.name]))
                continue
            for name in chosen:
                kind, default = options[name]
                written.append(inspect.Parameter(name, each.kind, default=default, annotation=kind))

        @wraps(command)
        def filled(**values: Any) -> None:
            given = {name: values.pop(name) for name in chosen}
            command(**{parameter: make(given)}, **values)

        del filled.__wrapped__  # or Typer would read the options of the command inside
        filled.__signature__ = inspect.Signature(written)  # type: ignore[attr-defined]
        filled.__annotations__ = {each.name: each.annotation for each in written}
        return filled

    return decorate
