"""Writes the pages of this folder from the code, so that they cannot differ from it; a test compares them.

usage: python docs/reference/make.py
"""

from __future__ import annotations

import inspect
import re
import sys
import types
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import mtassay
from mtassay.data.registry import KINDS, find, names

HERE = Path(__file__).resolve().parent
HEAD = "<!-- Made by docs/reference/make.py: change the code, and run it. -->\n\n"
WIDTH = 100


def pages() -> dict[str, str]:
    """The pages by their names."""
    made = {
        "library.md": library_page(),
        "metrics.md": fields_page("metric", "Metrics", '`-m NAME:option=value:option=value`, `metrics="…"`'),
        "systems.md": fields_page("system", "Systems", "`-t NAME=scheme:REST?option=value&option=value`"),
        "kinds.md": kinds_page(),
    }
    return {name: HEAD + text for name, text in made.items()}


def library_page() -> str:
    """The public functions with their signatures, and what a run offers."""
    lines = [
        "# The library",
        "",
        "`import mtassay as mt`. [How to use it](../library.md). Parameters: `help(mt.score)`.",
        "",
    ]
    for name in mtassay.__all__:
        value = getattr(mtassay, name)
        if inspect.isfunction(value):
            lines += [f"## mt.{name}", "", *_function(f"mt.{name}", value)]
    lines += ["## mt.Run", "", *_prose(inspect.getdoc(mtassay.Run) or ""), "", "| | |", "|---|---|"]
    for name, value in inspect.getmembers(mtassay.Run):
        if name[0] != "_" and (inspect.isfunction(value) or isinstance(value, property)):
            call = f"`{name}{_short(value) if inspect.isfunction(value) else ''}`"
            lines.append(f"| {_cell(call)} | {_cell(' '.join(_prose(inspect.getdoc(value) or '')[:1]))} |")
    return "\n".join(lines).rstrip("\n") + "\n"


def _function(name: str, value: Any) -> list[str]:
    return [
        _prose(inspect.getdoc(value) or "")[0],
        "",
        f"```python\n{name}{_signature(value, len(name))}\n```",
        "",
    ]


def fields_page(kind: str, title: str, written: str) -> str:
    """Everything of a kind whose fields are its options."""
    lines = [f"# {title}", "", f"Written {written}.", ""]
    for name in names(kind):
        cls = find(kind, name)
        lines += [f"## {name}", "", *_prose(inspect.getdoc(cls) or "")[:1], ""]
        hints = get_type_hints(cls)
        rows = [
            f"| `{f.name}` | {_cell(_type(hints[f.name]))} | {_default(f)} |"
            for f in fields(cls)
            if f.init and f.metadata.get("option", True) and f.name not in ("name", "pair", "outputs")
        ]
        if rows:
            lines += ["| option | what it takes | default |", "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def kinds_page() -> str:
    """All names that the registry knows, by kind."""
    lines = [
        "# Names",
        "",
        "All names in the registry, and the entry points for adding more ([how to](../extending.md)).",
        "",
    ]
    lines += ["| kind | entry point | names |", "|---|---|---|"]
    for kind in KINDS:
        lines.append(f"| {kind} | `mtassay.{kind}` | {', '.join(f'`{name}`' for name in names(kind))} |")
    return "\n".join([*lines, ""])


def _prose(text: str) -> list[str]:
    """Paragraphs, each a line; doctests are left to the code."""
    text = re.sub(r"(?ms)^\s*>>>.*?(?=\n\s*\n|\Z)", "", text)
    return [
        line for part in re.split(r"\n\s*\n", text.strip()) if part for line in (" ".join(part.split()), "")
    ][:-1]


def _value(default: Any) -> str:
    if default is None or default in ("", (), []):
        return ""
    if isinstance(default, bool):
        return "yes" if default else "no"
    return f"`{', '.join(map(str, default)) if isinstance(default, tuple | list) else default}`"


def _signature(function: Any, indent: int = 0) -> str:
    """The signature in one line, or where that is long, a parameter a line."""
    short = _short(function)
    if indent + len(short) <= WIDTH:
        return short
    inside, _, returned = short[1:].rpartition(") -> ")
    parts = re.split(r", (?=\*|\w+: |\w+ = )", inside)
    return "(\n" + "".join(f"    {part},\n" for part in parts) + f") -> {returned}"


def _short(function: Any) -> str:
    """The signature with hints as they are written in the code."""
    signature = inspect.signature(function)
    parts: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not any(part.startswith("*") for part in parts):
            parts.append("*")
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        parts.append(f"{stars}{parameter.name}: {_hint(parameter.annotation)}{default}")
    return f"({', '.join(parts)}) -> {_hint(signature.return_annotation)}"


def _hint(annotation: Any) -> str:
    written = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return re.sub(r"\b(?:mtassay|typing|collections\.abc|os)\.", "", written)


def _type(hint: Any) -> str:
    """What a field takes, in words: `yes or no`, `a number`, the choices."""
    if get_origin(hint) is Literal:
        return ", ".join(f"`{choice}`" for choice in get_args(hint) if choice != "")
    if get_origin(hint) in (Union, types.UnionType):
        return " or ".join(_type(part) for part in get_args(hint) if part is not type(None))
    if get_origin(hint) is tuple:
        return f"several, with commas: {_type(get_args(hint)[0])}"
    return {bool: "yes or no", int: "a whole number", float: "a number", str: "text"}.get(hint, str(hint))


def _default(field: Any) -> str:
    if field.default is not MISSING:
        return _value(field.default)
    return "" if field.default_factory is not MISSING else "must be given"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main() -> None:
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
