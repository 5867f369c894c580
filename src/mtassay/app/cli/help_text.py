"""The text of --help: options in groups, the most used first, at most a screen. --help-all prints all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

LINES = 40
"""Largest number of lines of --help."""
_WIDTH = 80
_COLUMN = 29  # column of the text about an option

GROUPS: Mapping[str, Sequence[str]] = {
    "Input": (
        *(
            "source",
            "reference",
            "langpair",
            "test_set",
            "documents",
            "entities",
            "run",
            "runs",
        ),
        *("labels", "human", "human_scores", "mtme", "suite", "sample"),
    ),
    "Systems": ("system", "baseline", "fresh", "max_calls", "max_characters", "deadline"),
    "What to measure": (
        *("metrics", "metric", "category", "phenomenon", "item", "tag", "structure", "threshold", "filters"),
        *("capabilities", "quality", "judge_by", "by", "checks", "without", "relations", "terms", "style"),
        *("ignore", "reviews", "items"),
        *("rule", "rules", "question", "per_sentence", "pos", "max_cases", "min_quality", "max_change"),
    ),
    "Options": (),
    "Statistics": (
        *("test", "alpha", "level", "correction", "samples", "trials", "resample", "folds", "precision"),
        "seed",
    ),
    "Output": (
        *("output", "output_format", "examples", "between", "pairs", "phenomena", "failures", "issues"),
        *("cases", "findings", "segment_scores", "plot", "report", "no_report", "no_themes", "title"),
        *("fail_on", "markdown", "force", "quiet"),
    ),
    "Workspace": ("no_save", "workspace", "reviewer"),
    "Advanced": (*("stream", "cache", "executor", "ray_address", "aligner"),),
}
"""Options by subject, the most used first; an option has one meaning in all commands.

An option that is not listed here is among the options of its command (Options), in the command's own order.
"""
SECTIONS: Mapping[str, Mapping[str, str]] = {
    "Start here": {
        "score": "Which system is better, and is the difference real?",
        "init": "Look at a folder, and write a plan for its files.",
        "run": "Run all steps of a plan. Unchanged steps are skipped.",
    },
    "Test": {
        "check": "What is wrong in translated texts? Needs no references.",
        "suite": "Linguistic suites: what does a system get right?",
        "invariance": "Metamorphic tests: change one word and see what else changes.",
        "behavior": "Behavioural tests: new cases from a parallel text.",
    },
    "Compare over time": {
        "compare": "What changed between two saved runs?",
        "history": "Follow systems over saved runs.",
        "gate": "Does a run keep the rules? For CI.",
        "themes": "What do the failures of a system have in common?",
        "report": "Write saved runs as one page that opens anywhere.",
    },
    "Review": {
        "serve": "The workspace in a browser: runs, reports, open reviews.",
        "review": "Decide where rules cannot: look at outputs and answer.",
        "explain": "Show one case with all its data.",
    },
    "Engines and files": {
        "translate": "Translate a file with live engines.",
        "doctor": "What is installed, what works, and does an engine answer?",
        "runs": "Show, export, back up and delete saved runs.",
    },
    "For metric developers": {
        "meta": "How good are the metrics themselves?",
        "method": "Run a method of another package by its name.",
    },
}
"""All commands by purpose, with the help's text on each."""
_USED = (
    *("source", "reference", "system", "langpair", "metrics", "metric", "suite", "output", "output_format"),
    *("question", "reviewer", "rule", "baseline", "checks", "terms", "fail_on", "no_save", "workspace"),
)
"""The first options of --help, if it cannot show all."""


@dataclass(frozen=True)
class _Entry:
    """An option or argument in the help; options with a lower `rank` are preferred."""

    group: str
    label: str
    about: str
    rank: tuple[int, int]

    def lines(self, *, whole: bool) -> list[str]:
        """Return its lines; without `whole` the first sentence alone."""
        about = self.about if whole else _first_sentence(self.about)
        told = wrap(about, _WIDTH - _COLUMN, break_on_hyphens=False) or [""]
        if len(self.label) + 2 > _COLUMN - 2:
            return [f"  {self.label}", *(" " * _COLUMN + line for line in told if line)]
        first = f"  {self.label}".ljust(_COLUMN) + told[0]
        return [first.rstrip(), *(" " * _COLUMN + line for line in told[1:])]


class _Helpful:
    """A command whose help fits on a screen."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return its own options, and --help-all."""
        everything = TyperOption(
            param_decls=["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_everything,
            help="Show all options and stop.",
        )
        return [*super().get_params(ctx), everything]  # type: ignore[misc]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        formatter.write(f"{_page(self, ctx)}\n")


class HelpfulCommand(_Helpful, TyperCommand):
    """A command of the command line."""


class HelpfulGroup(_Helpful, TyperGroup):
    """A group of commands."""


def make_helpful(app: typer.Typer) -> None:
    """Give all commands below this one their help."""
    for command in app.registered_commands:
        command.cls = HelpfulCommand
    for group in app.registered_groups:
        group.cls = HelpfulGroup
        if group.typer_instance is not None:
            make_helpful(group.typer_instance)


def _print_everything(ctx: Any, parameter: Any, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        typer.echo(_page(ctx.command, ctx, everything=True))
        ctx.exit()


def _page(command: Any, ctx: Any, *, everything: bool = False) -> str:
    """Return the help of a command; if it is too long for a screen, without `everything` its beginning."""
    if isinstance(command, TyperGroup):
        return "\n".join(_group_page(command, ctx))
    entries = list(_entries(command, ctx))
    all_lines = [*_head(command, ctx, whole=True), *_listed(entries, whole=True)]
    if everything or len(all_lines) <= LINES:
        return "\n".join(all_lines)
    head = _head(command, ctx, whole=False)
    end = ["", f"All {len(entries)} options: {ctx.command_path} --help-all"]
    chosen: list[_Entry] = []
    for entry in sorted(entries, key=lambda entry: entry.rank):
        more = [each for each in entries if each in chosen or each is entry]  # in the order of the help
        if len(head) + len(_listed(more, whole=False)) + len(end) <= LINES:
            chosen.append(entry)
    shown = [entry for entry in entries if entry in chosen]
    return "\n".join([*head, *_listed(shown, whole=False), *end])


def _head(command: Any, ctx: Any, *, whole: bool) -> list[str]:
    """Return the syntax of the command, its purpose, and examples; without `whole` in short."""
    usage = f"Usage: {ctx.command_path} {' '.join(command.collect_usage_pieces(ctx))}"
    lines = wrap(usage, _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    paragraphs = (command.help or "").strip().split("\n\n")
    prose = [part for part in paragraphs if not part.startswith("\b")]
    for part in prose if whole else prose[:1]:
        lines += ["", *wrap(" ".join(part.split()), _WIDTH, break_on_hyphens=False)]
    for part in paragraphs:
        if part.startswith("\b"):
            title, *examples = part.removeprefix("\b").strip().splitlines()
            lines += ["", title]
            lines += [
                line
                for example in (examples if whole else examples[:2])
                for line in _example(example).splitlines()
            ]
    return lines


def _example(line: str) -> str:
    """Wrap a line for a shell, with a backslash where it continues."""
    parts = wrap(line.strip(), _WIDTH - 6, break_long_words=False, break_on_hyphens=False)
    return "  " + " \\\n    ".join(parts)


def _entries(command: Any, ctx: Any) -> Iterator[_Entry]:
    """Return all arguments and options of a command, in the order of the help."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    for number, argument in enumerate(arguments):
        about = getattr(argument, "help", None) or ""
        yield _Entry("Arguments", argument.make_metavar(ctx).strip("[]"), about, (0, number))
    options = [p for p in command.params if p.param_type_name == "option"]
    by_name = {str(option.name): option for option in options}
    listed = {name for names in GROUPS.values() for name in names}
    place = 0
    for group, names in GROUPS.items():
        own = [name for name in by_name if name not in listed] if group == "Options" else []
        for name in (*own, *(name for name in names if name in by_name)):
            option = by_name[name]
            place += 1
            is_used = option.required or name in _USED
            rank = 1 if is_used else 3 if group == "Advanced" else 2
            if getattr(option, "hidden", False):
                group_shown, rank = "Advanced", 4
            else:
                group_shown = group
            yield _Entry(group_shown, _label(option), _about(option, ctx), (rank, place))


def _label(option: Any) -> str:
    """How an option is written: `-s, --source FILE`."""
    label = ", ".join(sorted(option.opts, key=len))
    if option.secondary_opts:
        label += f" / {', '.join(option.secondary_opts)}"
    if option.is_flag:
        return label
    kinds = {"integer": "N", "integer range": "N", "float": "X", "float range": "X", "choice": "NAME"}
    kind = option.type.name
    value = option.metavar or kinds.get(kind, "FILE" if kind in ("path", "file") else "TEXT")
    return f"{label} {value}"


def _about(option: Any, ctx: Any) -> str:
    """Return the purpose of an option, its choices, and its default."""
    about = (option.help or "").strip()
    choices = getattr(option.type, "choices", ())
    if choices and not option.metavar:
        names = ", ".join(str(getattr(choice, "value", choice)) for choice in choices)
        about = f"{about.rstrip('.:')}: {names}."
    default = option.show_default if isinstance(option.show_default, str) else ""
    value = option.get_default(ctx, call=False)
    if not default and option.show_default and value not in (None, False, "", (), []) and not callable(value):
        default = _told_default(option, value)
    return f"{about} [{default}]" if default else about


def _told_default(option: Any, value: Any) -> str:
    if value is True:
        return str(option.opts[0]) if option.secondary_opts else ""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(getattr(value, "value", value))


def _first_sentence(text: str) -> str:
    """Return the first sentence of a text with its default.

    >>> _first_sentence("A system: a file of outputs (or a folder). NAME is optional. Repeat. [none]")
    'A system: a file of outputs (or a folder). [none]'
    """
    first = re.split(r"(?<=[.?!])\s+(?=[A-Z$])", text, maxsplit=1)[0]
    default = re.search(r" \[[^\[\]]*\]$", text)
    return first if default is None or first.endswith("]") else first + default.group()


def _listed(entries: Sequence[_Entry], *, whole: bool) -> list[str]:
    """Return the entries below the names of their groups."""
    lines: list[str] = []
    for group in ["Arguments", *GROUPS]:
        its = [entry for entry in entries if entry.group == group]
        if its:
            lines += ["", f"{group}:"]
            lines += [line for entry in its for line in entry.lines(whole=whole)]
    return lines


def _group_page(group: TyperGroup, ctx: Any) -> list[str]:
    """Return the commands of a group, in sections if it has some."""
    lines = wrap(f"Usage: {ctx.command_path} [OPTIONS] COMMAND …", _WIDTH)
    lines += ["", *wrap(" ".join((group.help or "").split()), _WIDTH)]
    commands = {name: group.commands[name] for name in group.list_commands(ctx)}
    width = max(map(len, commands), default=0) + 4
    listed = {name for names in SECTIONS.values() for name in names}
    sections = SECTIONS if listed <= set(commands) else {"Commands": list(commands)}
    for title, names in sections.items():
        lines += ["", f"{title}:"]
        for name in names:
            told = wrap(commands[name].get_short_help_str(limit=200), _WIDTH - width) or [""]
            lines.append(f"  {name}".ljust(width) + told[0])
            lines += [" " * width + line for line in told[1:]]
    if group.epilog:
        lines += ["", *wrap(" ".join(group.epilog.split()), _WIDTH)]
    return lines
