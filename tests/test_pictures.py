"""The pictures of the documentation show today's pages: `make pictures` makes them."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import PROJECT

pytest.importorskip("fastapi", reason="the review page needs fastapi: pip install 'mtassay[review]'")
IMAGES = PROJECT / "docs" / "images"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    """docs/images/make.py as a module: it is in no package."""
    spec = importlib.util.spec_from_file_location("make_pictures", IMAGES / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pictures_are_of_the_pages_as_they_are(maker: ModuleType, tmp_path: Path) -> None:
    made = maker.digests(maker.make_pages(tmp_path))
    kept = json.loads((IMAGES / "made_from.json").read_text(encoding="utf-8"))
    assert made == kept, "a page changed: make pictures"


def test_every_picture_is_made_and_used() -> None:
    pages = [PROJECT / "README.md", *(PROJECT / "docs").rglob("*.md")]
    used = {
        Path(found).name
        for page in pages
        for found in re.findall(r"!\[[^\]]*\]\(([^)]+\.png)\)", page.read_text(encoding="utf-8"))
    }
    kept = json.loads((IMAGES / "made_from.json").read_text(encoding="utf-8"))
    assert used == set(kept) == {path.name for path in IMAGES.glob("*.png")}
