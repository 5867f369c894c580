"""Help fits on a screen, and --help-all has everything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from mtassay.app.cli.help_text import GROUPS, LINES, SECTIONS
from mtassay.app.cli.main import build_app
from tests.cli.conftest import Run

ROOT: Any = typer.main.get_command(build_app())


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*path, name))


ALL = dict(commands(ROOT))


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_help_fits_on_a_screen_and_help_all_has_every_option(run: Run, path: tuple[str, ...]) -> None:
    short, whole = run(*path, "--help"), run(*path, "--help-all")
    assert short.returncode == whole.returncode == 0
    lines = short.stdout.rstrip().splitlines()
    assert len(lines) <= LINES
    assert [line for line in lines + whole.stdout.splitlines() if len(line) > 80] == []
    if short.stdout.strip() != whole.stdout.strip():
        assert lines[-1].endswith(f": {' '.join(('mtassay', *path))} --help-all")
    written = whole.stdout.replace(",", " ").split()
    if not path or hasattr(ALL[path], "commands"):
        assert [name for name in ALL[path].commands if name not in written] == []
        return
    names = [name for parameter in ALL[path].params for name in (*parameter.opts, *parameter.secondary_opts)]
    assert [name for name in names if name.startswith("-") and name not in written] == []
    arguments = [parameter for parameter in ALL[path].params if parameter.param_type_name == "argument"]
    assert whole.stdout.count("Arguments:") == bool(arguments)


def test_every_command_is_in_one_section_and_every_grouped_option_is_one() -> None:
    listed = [name for section in SECTIONS.values() for name in section]
    assert sorted(listed) == sorted(ROOT.commands)
    grouped = [name for names in GROUPS.values() for name in names]
    assert len(set(grouped)) == len(grouped)
    known = {parameter.name for command in ALL.values() for parameter in command.params}
    assert [name for name in grouped if name not in known] == []


def test_a_mistake_still_names_the_nearest_option(run: Run) -> None:
    done = run("score", "--sytem", "a.txt")
    assert done.returncode == 2
    assert "--system" in done.stderr
