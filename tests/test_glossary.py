"""One word, one meaning: no class name is used twice, and the glossary has every noun of the core."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

from mtassay.data import nouns as core
from mtassay.data.registry import KINDS

PROJECT = Path(__file__).resolve().parent.parent
SOURCE = PROJECT / "src" / "mtassay"
# That of the library wraps the one of the core.
TWICE = {"Run"}
NOUNS = [
    name
    for name, value in vars(core).items()
    if isinstance(value, type) and value.__module__ == core.__name__ and name[0] != "_"
]


def glossary() -> set[str]:
    """The words that the glossary explains."""
    page = (PROJECT / "docs" / "glossary.md").read_text(encoding="utf-8")
    section = page
    rows = [line.split(" | ")[0] for line in section.splitlines() if line.startswith("| **")]
    return {word for row in rows for word in re.findall(r"\*\*(.+?)\*\*", row)}


def spaced(name: str) -> str:
    """`OpenAnswer` as people write it."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def test_no_class_name_means_two_things() -> None:
    modules = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].add(str(path.relative_to(SOURCE)))
    assert {name: places for name, places in modules.items() if len(places) > 1 and name not in TWICE} == {}


@pytest.mark.parametrize(
    "noun", [*(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower() for name in NOUNS), *KINDS]
)
def test_the_glossary_explains_every_noun_of_the_core_and_every_kind(noun: str) -> None:
    assert noun in glossary() or noun.removesuffix("s") in glossary()
