"""Documentation that cannot fall behind: every command, option, metric and link."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from mtassay.app.cli.main import COMMANDS, build_app
from mtassay.data.registry import names

PROJECT = Path(__file__).resolve().parent.parent
PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted((PROJECT / "docs").rglob("*.md"))]


def commands() -> Iterator[tuple[str, Any]]:
    """All commands with their full names."""

    def walk(prefix: str, command: Any) -> Iterator[tuple[str, Any]]:
        children = getattr(command, "commands", None)
        if not children:
            yield prefix, command
        for name, child in (children or {}).items():
            yield from walk(f"{prefix} {name}".strip(), child)

    found = walk("", typer.main.get_command(build_app()))
    # Those of `method run` have the options of their methods, which have pages of their own.
    yield from ((name, command) for name, command in found if not name.startswith("method run "))


def test_the_help_says_of_each_command_what_the_command_says_itself() -> None:
    whole = typer.main.get_command(build_app())
    told = {name: command.get_short_help_str(limit=200) for name, command in whole.commands.items()}
    assert told == COMMANDS
    assert max(map(len, COMMANDS.values())) <= 63  # of 80 columns


def test_any_method_can_be_run_by_its_name() -> None:
    assert "mtassay method run NAME" in (PROJECT / "docs" / "commands" / "method.md").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("name", "command"), list(commands()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_command_has_its_place_in_a_page_and_every_option_its_help(name: str, command: Any) -> None:
    page = PROJECT / "docs" / "commands" / f"{name.split()[0]}.md"
    assert f"mtassay {name}" in page.read_text(encoding="utf-8")
    assert not [parameter.opts for parameter in command.params if not parameter.help]


def test_the_documentation_is_read_in_a_day() -> None:
    """At 250 words a minute: four hours, the pages made from the code included."""
    words = sum(len(page.read_text(encoding="utf-8").split()) for page in (PROJECT / "docs").rglob("*.md"))
    assert words <= 60_000


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT)))
def test_a_merge_left_no_marks(page: Path) -> None:
    assert not re.search(r"^(?:<{7}|>{7}) ", page.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", names("metric"))
def test_every_metric_has_a_page(name: str) -> None:
    pages = [path.stem for path in (PROJECT / "docs" / "metrics").glob("*.md")]
    assert any(name in stem.split("-") for stem in pages)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target, place in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            there = page.parent / target if target else page
            assert there.exists(), f"{page.name}: {target}"
            assert not place or place in headings(there), f"{page.name}: {target}#{place}"


def headings(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    lines = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT)))
def test_options_in_examples_exist(page: Path) -> None:
    known = {
        option for _, command in commands() for p in command.params for option in (*p.opts, *p.secondary_opts)
    }
    for line in re.findall(r"^\$? ?mtassay (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
        for option in re.findall(r"(?<=\s)(--?[a-z][\w-]*)", line):
            assert option in known | {"--help", "--version", "--debug"}, f"{page.name}: {option}"


FOR_ENGINEERS = ["docs/overview.md", "docs/extending.md", "CONTRIBUTING.md"]


@pytest.mark.parametrize("page", FOR_ENGINEERS)
def test_files_that_are_named_exist(page: str) -> None:
    source = PROJECT / "src" / "mtassay"
    written = re.findall(r"`((?:\w+/)*\w+\.py|(?:\w+/){2,})`", (PROJECT / page).read_text(encoding="utf-8"))
    places = [PROJECT, source, *source.glob("methods/*/")]
    missing = {name for name in written if not any((place / name).exists() for place in places)}
    assert not missing
