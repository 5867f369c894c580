"""The documentation as a site: it builds without a warning, and what it shows comes from no other place."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.conftest import PROJECT

SITE = PROJECT / "docs" / "site"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    pytest.importorskip("material", reason="mkdocs-material, of the extra docs, is not installed")
    spec = importlib.util.spec_from_file_location("site_make", SITE / "make.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def leaves(entry: Any) -> list[str]:
    """The pages of a part of the navigation."""
    if isinstance(entry, str):
        return [entry]
    parts = entry.values() if isinstance(entry, dict) else entry
    return [page for part in parts for page in leaves(part)]


def test_every_page_has_one_place_in_the_navigation(maker: ModuleType) -> None:
    pages = [page for page in leaves(maker.navigation()) if page.startswith("docs/")]
    assert len(pages) == len(set(pages))
    assert set(pages) == {path.relative_to(PROJECT).as_posix() for path in (PROJECT / "docs").rglob("*.md")}


def test_the_navigation_is_sorted_as_the_index_is(maker: ModuleType) -> None:
    headings = re.findall(r"^## (.+)$", (PROJECT / "docs" / "README.md").read_text("utf-8"), re.MULTILINE)
    titles = [title for section in maker.navigation() for title in section]
    assert titles[0] == "Home"
    assert titles[1:] == [heading for heading in headings if heading in titles]
    assert {"Start here", "Tutorials", "How to", "Reference", "Studies"} <= set(titles)


@pytest.fixture(scope="module")
def site(maker: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    maker.make(folder)
    return folder


@pytest.mark.slow
def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 80
    loads = re.compile(
        r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"']?(?:https?:)?//|<link\b[^>]*https?://"
    )
    assert not [page.name for page in pages if loads.search(page.read_text(encoding="utf-8"))]


@pytest.mark.slow
def test_the_site_is_read_and_searched_from_a_folder(site: Path, chromium: Any) -> None:
    page = chromium.new_page(viewport={"width": 390, "height": 800})
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.goto((site / "docs" / "commands" / "score.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.set_viewport_size({"width": 1280, "height": 900})
    page.fill("input.md-search__input", "calibrate")
    page.wait_for_selector(".md-search-result__item", timeout=60_000)
    assert not [url for url in asked if url.startswith("http")]
    assert not wrong
