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
GLOSSARY = (PROJECT / "docs" / "glossary.md").read_text(encoding="utf-8")
# That of the library wraps the one of the core.
TWICE = {"Run"}
NOUNS = (
    "Segment",
    "Case",
    "Output",
    "System",
    "Finding",
    "Review",
    "Score",
    "Comparison",
    "Cluster",
    "Run",
    "Edit",
)
"""The nouns of the core that users meet."""


def glossary() -> set[str]:
    """The words that the glossary explains."""
    rows = [line.split(" | ")[0] for line in GLOSSARY.splitlines() if line.startswith("| **")]
    return {word for row in rows for word in re.findall(r"\*\*(.+?)\*\*", row)}


def test_no_class_name_means_two_things() -> None:
    modules = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].add(str(path.relative_to(SOURCE)))
    assert {name: places for name, places in modules.items() if len(places) > 1 and name not in TWICE} == {}


@pytest.mark.parametrize("noun", [*(name.lower() for name in NOUNS), *KINDS])
def test_the_glossary_explains_every_noun_that_users_meet_and_every_kind(noun: str) -> None:
    assert noun in glossary() or noun.removesuffix("s") in glossary()


def test_the_nouns_are_those_of_the_core() -> None:
    assert all(isinstance(getattr(core, name), type) for name in NOUNS)


def test_the_glossary_stays_short() -> None:
    assert len([line for line in GLOSSARY.splitlines() if line.startswith("| **")]) <= 45
