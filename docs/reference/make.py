"""Writes the pages of this folder from the code, so that they cannot differ from it; a test compares them.

usage: python docs/reference/make.py
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer

import mtassay
from mtassay.cli.main import build_app
from mtassay.method import Method
from mtassay.options import options_of
from mtassay.registry import KINDS, find, names

HERE = Path(__file__).resolve().parent
HEAD = "<!-- Made by docs/reference/make.py: change the code, and run it. -->\n\n"


def pages() -> dict[str, str]:
    """The pages by their names."""
    made = {
        "commands.md": commands_page(),
        "library.md": library_page(),
        "methods.md": methods_page(),
        "metrics.md": fields_page("metric", "Metrics", '`-m NAME:option=value:option=value`, `metrics="…"`'),
        "systems.md": fields_page("system", "Systems", "`-t NAME=scheme:REST?option=value&option=value`"),
        "kinds.md": kinds_page(),
    }
    return {name: HEAD + text for name, text in made.items()}


def commands_page() -> str:
    """Every command with its arguments and options."""
    lines = ["# Commands", ""]
    for name, command in commands():
        lines += [f"## mtassay {name}", "", *_help(command.help or ""), "| | meaning |", "|---|---|"]
        for parameter in command.params:
            if getattr(parameter, "hidden", False) or parameter.name == "help":
                continue
            lines.append(f"| {_written(parameter)} | {_cell(_meaning(parameter))} |")
        lines.append("")
    return "\n".join(lines)


def commands() -> Iterator[tuple[str, Any]]:
    """All commands with their full names; of `method run` only the first, for all have the same frame."""

    def walk(prefix: str, command: Any) -> Iterator[tuple[str, Any]]:
        children = getattr(command, "commands", None)
        if not children:
            yield prefix, command
        for name, child in (children or {}).items():
            yield from walk(f"{prefix} {name}".strip(), child)

    for name, command in walk("", typer.main.get_command(build_app())):
        if not name.startswith("method run "):
            yield name, command


def library_page() -> str:
    """The public functions with their signatures."""
    lines = ["# The library", "", "`import mtassay as mt`. [How to use it](../library.md).", ""]
    for name in mtassay.__all__:
        value = getattr(mtassay, name)
        if inspect.isfunction(value):
            lines += [f"## mt.{name}", "", f"```python\nmt.{name}{_signature(value)}\n```", ""]
            lines += [*_prose(inspect.getdoc(value) or ""), ""]
    lines += ["## mt.Run", "", *_prose(inspect.getdoc(mtassay.Run) or ""), "", "| | |", "|---|---|"]
    for name, value in inspect.getmembers(mtassay.Run):
        if name[0] != "_" and (inspect.isfunction(value) or isinstance(value, property)):
            call = f"`{name}{_signature(value) if inspect.isfunction(value) else ''}`"
            lines.append(f"| {call} | {_cell(' '.join(_prose(inspect.getdoc(value) or '')[:1]))} |")
    return "\n".join([*lines, ""])


def methods_page() -> str:
    """The parameters of every method."""
    lines = ["# Methods", "", "Parameters are keywords in Python and options of the commands.", ""]
    for name in names("method"):
        method: type[Method] = find("method", name)
        lines += [f"## {name}", "", *_prose(inspect.getdoc(method) or ""), ""]
        lines += ["| parameter | option | default | meaning |", "|---|---|---|---|"]
        for key, option in options_of(method).items():
            if not option.is_hidden:
                flags = ", ".join(f"`{flag}`" for flag in option.flags) or f"`--{key.replace('_', '-')}`"
                default = "" if option.default in (None, ()) else f"`{option.default}`"
                lines.append(f"| `{key}` | {flags} | {default} | {_cell(option.help)} |")
        lines.append("")
    return "\n".join(lines)


def fields_page(kind: str, title: str, written: str) -> str:
    """Everything of a kind whose fields are its options."""
    lines = [f"# {title}", "", f"Written {written}.", ""]
    for name in names(kind):
        cls = find(kind, name)
        lines += [f"## {name}", "", *_prose(inspect.getdoc(cls) or ""), ""]
        hints = get_type_hints(cls)
        rows = [
            f"| `{f.name}` | {_cell(_type(hints[f.name]))} | {_default(f)} |"
            for f in fields(cls)
            if f.init and f.metadata.get("option", True) and f.name not in ("name", "pair")
        ]
        if rows:
            lines += ["| option | type | default |", "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def kinds_page() -> str:
    """All names that the registry knows, by kind."""
    lines = [
        "# Names",
        "",
        "What the registry knows, and the entry point for more ([how](../extending.md)).",
        "",
    ]
    lines += ["| kind | entry point | names |", "|---|---|---|"]
    for kind in KINDS:
        lines.append(f"| {kind} | `mtassay.{kind}` | {', '.join(f'`{name}`' for name in names(kind))} |")
    return "\n".join([*lines, ""])


def _help(text: str) -> list[str]:
    """Help as Markdown: examples after a line with \\b are code."""
    plain, _, examples = text.partition("\b")
    lines = [*_prose(plain), ""]
    code = [line.strip() for line in examples.splitlines() if line.strip() and "Example" not in line]
    return [*lines, "```sh", *code, "```", ""] if code else lines


def _prose(text: str) -> list[str]:
    """Paragraphs, each a line; doctests are left to the code."""
    text = re.sub(r"(?ms)^\s*>>>.*?(?=\n\s*\n|\Z)", "", text)
    return [
        line for part in re.split(r"\n\s*\n", text.strip()) if part for line in (" ".join(part.split()), "")
    ][:-1]


def _written(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    flags = [*parameter.opts, *parameter.secondary_opts]
    metavar = f" {parameter.metavar}" if parameter.metavar else ""
    return (
        ", ".join(f"`{flag}`" for flag in flags[:-1])
        + (", " if flags[1:] else "")
        + f"`{flags[-1]}{metavar}`"
    )


def _meaning(parameter: Any) -> str:
    choices = getattr(parameter.type, "choices", None)
    said = parameter.help or ""
    return f"{said} One of: {', '.join(map(str, choices))}." if choices else said


def _signature(function: Any) -> str:
    shown = str(inspect.signature(function)).replace("'", "").replace("mtassay.", "")
    return re.sub(r"\(self(, )?", "(", shown)


def _type(hint: Any) -> str:
    if get_args(hint) and str(hint).startswith("typing.Literal"):
        return " or ".join(map(str, get_args(hint)))
    return str(getattr(hint, "__name__", hint)).replace("typing.", "") if not get_args(hint) else str(hint)


def _default(field: Any) -> str:
    if field.default is not MISSING:
        return "" if field.default is None else f"`{field.default}`"
    return "" if field.default_factory is not MISSING else "must be given"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main() -> None:
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
