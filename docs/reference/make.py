"""Writes the pages of this folder from the code, so that they cannot differ from it; a test compares them.

usage: python docs/reference/make.py
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
import types
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import typer

import mtassay
import mtassay.app
from mtassay.app.cli.main import build_app
from mtassay.data.method import Method
from mtassay.data.registry import KINDS, find, names
from mtassay.data.settings import options_of
from mtassay.methods.behavior.recipe import Recipe

HERE = Path(__file__).resolve().parent
HEAD = "<!-- Made by docs/reference/make.py: change the code, and run it. -->\n\n"
WIDTH = 100
EVERYWHERE = {
    "output_format": "How to print the result: `text`, `json`, `tsv`, `md` or `latex`.",
    "workspace": "The workspace file. Default: `$MTASSAY_WORKSPACE`, or `.mtassay/workspace.db` here or in a "
    "folder above.",
    "quiet": "No progress on standard error.",
}
"""Options that most commands have, explained once."""
HELPERS = {"add_expression", "between", "flag_rows", "gather_labels", "number", "opened_run", "told"}
"""Functions that modules of `mtassay.app` lend each other; they are not for users."""


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
    found = list(commands())
    lines = [
        "# Commands",
        "",
        "Every command with every option. [What they are for](../README.md#reference).",
        "",
    ]
    for group in dict.fromkeys(name.split()[0] for name, _ in found):
        links = [f"[{name}](#{_anchor(f'mtassay {name}')})" for name, _ in found if name.split()[0] == group]
        lines.append(f"- {', '.join(links)}")
    lines += [
        "",
        "Three options mean the same wherever a command has them:",
        "",
        "| option | meaning |",
        "|---|---|",
    ]
    lines += [
        "| `-f`, `--format FORMAT` | " + EVERYWHERE["output_format"] + " |",
        "| `--workspace FILE` | " + EVERYWHERE["workspace"] + " |",
        "| `-q`, `--quiet` | " + EVERYWHERE["quiet"] + " |",
        "",
        "`mtassay COMMAND --help` shows the options most used, `--help-all` all of them."
        " `mtassay --version` prints the version; `mtassay --debug COMMAND` shows the traceback of an error.",
        "",
    ]
    for name, command in found:
        lines += [f"## mtassay {name}", "", *_help(command.help or "")]
        shown = [p for p in command.params if not getattr(p, "hidden", False) and p.name != "help"]
        rows = [
            f"| {_written(p)} | {_given(p)} | {_cell(_meaning(p))} |"
            for p in shown
            if p.name not in EVERYWHERE
        ]
        if rows:
            lines += ["| | default | meaning |", "|---|---|---|", *rows, ""]
        common = [f"`{p.opts[0]}`" for p in shown if p.name in EVERYWHERE]
        if common:
            lines += [f"{'Also' if rows else 'Options:'} {', '.join(common)}.", ""]
    return "\n".join(lines)


def commands() -> Iterator[tuple[str, Any]]:
    """All commands with their full names but those of `method run`, whose options are the methods' own."""

    def walk(prefix: str, command: Any) -> Iterator[tuple[str, Any]]:
        children = getattr(command, "commands", None)
        if not children:
            yield prefix, command
        for name, child in (children or {}).items():
            if not child.hidden:
                yield from walk(f"{prefix} {name}".strip(), child)

    for name, command in walk("", typer.main.get_command(build_app())):
        if not name.startswith("method run "):
            yield name, command


def library_page() -> str:
    """The public functions with their signatures, then those of the modules in `mtassay.app`."""
    lines = ["# The library", "", "`import mtassay as mt`. [How to use it](../library.md).", ""]
    for name in mtassay.__all__:
        value = getattr(mtassay, name)
        if inspect.isfunction(value):
            lines += [f"## mt.{name}", "", *_function(f"mt.{name}", value)]
    lines += ["## mt.Run", "", *_prose(inspect.getdoc(mtassay.Run) or ""), "", "| | |", "|---|---|"]
    for name, value in inspect.getmembers(mtassay.Run):
        if name[0] != "_" and (inspect.isfunction(value) or isinstance(value, property)):
            call = f"`{name}{_short(value) if inspect.isfunction(value) else ''}`"
            lines.append(f"| {_cell(call)} | {_cell(' '.join(_prose(inspect.getdoc(value) or '')[:1]))} |")
    lines += ["", "More, by what it is about:", "", *_modules()]
    return "\n".join(lines).rstrip("\n") + "\n"


def _modules() -> Iterator[str]:
    """What the modules in `mtassay.app` have besides the names of `mtassay` itself."""
    public = {getattr(mtassay, name) for name in mtassay.__all__}
    places = (mtassay.app, importlib.import_module("mtassay.app.plans"))
    for found in (
        entry for place in places for entry in pkgutil.iter_modules(place.__path__, f"{place.__name__}.")
    ):
        module = importlib.import_module(found.name)
        functions = {
            name: value
            for name in getattr(module, "__all__", dir(module))
            if inspect.isfunction(value := getattr(module, name)) and value not in public
            if hasattr(module, "__all__") or (value.__module__ == found.name and name[0] != "_")
            if name not in HELPERS and not name.startswith("pytest_")
        }
        # What takes the engine's own tools or settings is for the package itself.
        own = [
            name
            for name, value in functions.items()
            if not re.search(r"\b(Settings|EngineContext)\b", _short(value))
        ]
        if own:
            yield from [f"## {found.name}", "", *_prose(inspect.getdoc(module) or ""), ""]
        for name in own:
            yield from [f"### {name}", "", *_function(name, functions[name])]


def _function(name: str, value: Any) -> list[str]:
    return [
        f"```python\n{name}{_signature(value, len(name))}\n```",
        "",
        *_prose(inspect.getdoc(value) or ""),
        "",
    ]


def methods_page() -> str:
    """The parameters of every method."""
    lines = [
        "# Methods",
        "",
        "Parameters are keywords in Python and options of the commands. Without a default, a parameter is not"
        " set, or its meaning says what holds instead.",
        "",
    ]
    for name in names("method"):
        method: type[Method] = find("method", name)
        lines += [f"## {name}", "", *_prose(inspect.getdoc(method) or ""), "", *_parameters(method)]
        if name == "behavior":
            lines += ["### Making cases", "", *_prose(inspect.getdoc(Recipe) or ""), "", *_parameters(Recipe)]
    return "\n".join(lines)


def _parameters(cls: Any) -> Iterator[str]:
    """The options of a dataclass as a table."""
    yield from ["| parameter | option | default | meaning |", "|---|---|---|---|"]
    for key, option in options_of(cls).items():
        flags = ", ".join(f"`{flag}`" for written in option.flags for flag in written.split("/"))
        meaning = _sentences(option.told, _choices(option.kind), _bounds(option.least, option.most))
        written = "–" if option.is_hidden else flags  # a key of plans, and no option
        yield f"| `{key}` | {written} | {_value(option.default)} | {_cell(meaning)} |"
    yield ""


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
    examples = re.sub(r"\\\n\s*", "\\\n    ", "\n".join(line.strip() for line in examples.splitlines()))
    code = [line for line in examples.splitlines() if line.strip() and "Example" not in line]
    return [*lines, "```sh", *code, "```", ""] if code else lines


def _prose(text: str) -> list[str]:
    """Paragraphs, each a line; doctests are left to the code."""
    text = re.sub(r"(?ms)^\s*>>>.*?(?=\n\s*\n|\Z)", "", text)
    return [
        line for part in re.split(r"\n\s*\n", text.strip()) if part for line in (" ".join(part.split()), "")
    ][:-1]


def _anchor(heading: str) -> str:
    return heading.lower().replace(" ", "-")


def _written(parameter: Any) -> str:
    """How an argument or option is written: short form first, then the long ones with what they take."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    flags = sorted([*parameter.opts, *parameter.secondary_opts], key=lambda flag: flag.startswith("--"))
    taken = _taken(parameter)
    return ", ".join([*(f"`{flag}`" for flag in flags[:-1]), f"`{flags[-1]}{f' {taken}' if taken else ''}`"])


def _taken(parameter: Any) -> str:
    """What follows an option: its own word, or one for the type."""
    if parameter.metavar or parameter.is_flag:
        return parameter.metavar or ""
    kind = parameter.type.name
    word = {"choice": "WORD", "int": "N", "integer": "N", "float": "X", "path": "FILE", "file": "FILE"}
    return word.get(kind.removesuffix(" range"), "TEXT")


def _given(parameter: Any) -> str:
    """The default, where it is a value that one could have written."""
    if parameter.param_type_name == "argument":
        optional = not parameter.required and parameter.default in (None, "", ())
        return "may be left out" if optional else _value(parameter.default)
    if parameter.required:
        return "must be given"
    if parameter.is_flag:
        on = parameter.opts[0] if parameter.default is True else (parameter.secondary_opts or [""])[0]
        return f"`{on}`" if on and parameter.default is not None else ""
    return _value(parameter.default)


def _meaning(parameter: Any) -> str:
    choices = [str(choice) for choice in getattr(parameter.type, "choices", None) or ()]
    bounds = _bounds(getattr(parameter.type, "min", None), getattr(parameter.type, "max", None))
    repeat = "Repeat." if getattr(parameter, "multiple", False) else ""
    said = parameter.help or ""
    return _sentences(said, choices, bounds, "" if "Repeat" in said else repeat)


def _sentences(said: str, choices: list[str], *more: str) -> str:
    listed = f"One of: {', '.join(f'`{choice}`' for choice in choices)}." if choices else ""
    return " ".join(part for part in (said, listed, *more) if part)


def _choices(kind: Any) -> list[str]:
    """The words of a literal type, wherever it stands in the hint."""
    if get_origin(kind) is Literal:
        return [str(choice) for choice in get_args(kind)]
    return [word for part in get_args(kind) for word in _choices(part)]


def _bounds(least: float | None, most: float | None) -> str:
    if least is None and most is None:
        return ""
    if least is None or most is None:
        return f"At most {most:g}." if least is None else f"At least {least:g}."
    return f"From {least:g} to {most:g}."


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
