"""Named parts of patterns that repeat across items: `{{name}}` stands for the macro of that name."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["expand", "macros_in"]

_MACRO = re.compile(r"\{\{\s*([\w-]+)\s*\}\}")


def macros_in(pattern: str) -> list[str]:
    """The names of the macros that stand in a pattern, in order."""
    return _MACRO.findall(pattern)


def expand(pattern: str, macros: Mapping[str, str], *, within: tuple[str, ...] = ()) -> str:
    r"""The pattern with every macro written out as a group. A `ValueError` names one that is unknown.

    >>> expand(r"\b{{never}} vi", {"never": "nunca|jamais"})
    '\\b(?:nunca|jamais) vi'
    """
    if "{{" not in pattern:
        return pattern

    def written_out(found: re.Match[str]) -> str:
        name = found[1]
        if name in within:
            raise ValueError(f"the macro '{name}' contains itself")
        if name not in macros:
            known = f"Available: {', '.join(macros)}" if macros else "There are none in this suite"
            raise ValueError(f"no macro '{name}'. {known}")
        return f"(?:{expand(macros[name], macros, within=(*within, name))})"

    return _MACRO.sub(written_out, pattern)
