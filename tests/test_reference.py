"""The pages of docs/reference say what the code says: `python docs/reference/make.py` writes them."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest

from tests.conftest import PROJECT

FOLDER = PROJECT / "docs" / "reference"


def load_generator() -> ModuleType:
    """docs/reference/make.py as a module: it is in no package."""
    spec = importlib.util.spec_from_file_location("make_reference", FOLDER / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES: dict[str, str] = load_generator().pages()


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_is_what_the_generator_writes(name: str) -> None:
    there = (FOLDER / name).read_text(encoding="utf-8")
    assert there == PAGES[name], f"{name} is out of date; run: python docs/reference/make.py"


def test_every_page_of_the_folder_is_made() -> None:
    assert sorted(path.name for path in FOLDER.glob("*.md")) == sorted(PAGES)


def test_a_long_signature_has_a_line_for_each_parameter() -> None:
    assert "\n    metrics: str | Sequence[str] | None = None,\n" in PAGES["library.md"]


def test_a_type_is_said_in_words() -> None:
    assert "typing." not in PAGES["systems.md"] + PAGES["metrics.md"]
    assert "| `split_sentences` | `0`, `1`, `nonewlines` |  |" in PAGES["systems.md"]
