"""Builds the documentation as a site in site/: the same Markdown files, sorted as docs/README.md sorts them.

The pages link to each other, and to files beside docs/, as they lie in a checkout; so what the site needs is
copied into one folder with the same shape, and no link has to be changed.
"""

from __future__ import annotations

import logging
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

PROJECT = Path(__file__).resolve().parent.parent.parent
INDEX = "docs/README.md"
BESIDE = ("README.md", "LICENSE")
ANY_LINK = re.compile(r"\]\(([^)#\s]+)")
LINK = re.compile(r"\[([^\]]+)\]\(([^)#\s]+\.md)\)")


def main() -> None:
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    try:
        make(PROJECT / "site")
    except Abort as error:
        sys.exit(str(error))
    print(f"The site is in {PROJECT / 'site' / 'index.html'}")  # noqa: T201


def make(target: Path) -> None:
    """Build the site; a link that leads nowhere, or a page that docs/README.md does not name, is an error."""
    settings = str(Path(__file__).with_name("mkdocs.yml"))
    with tempfile.TemporaryDirectory() as folder:
        stage(Path(folder))
        build(load_config(settings, docs_dir=folder, site_dir=str(target), nav=navigation()))


def stage(folder: Path) -> None:
    """Copy docs/, the pages beside it, and whatever of the project these link to."""
    waiting = [path for path in (PROJECT / "docs").rglob("*") if path.is_file()]
    waiting += [PROJECT / name for name in BESIDE]
    while waiting:
        path = waiting.pop()
        target = folder / path.relative_to(PROJECT)
        if target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        if path.suffix == ".md":
            linked = [(path.parent / link).resolve() for link in ANY_LINK.findall(path.read_text("utf-8"))]
            waiting += [file for file in linked if file.is_file() and file.is_relative_to(PROJECT)]


def navigation() -> list[dict[str, Any]]:
    """The sections of docs/README.md with the pages they link to; a row of a table is a section too."""
    text = (PROJECT / INDEX).read_text(encoding="utf-8")
    sections: list[dict[str, Any]] = [{"Home": ["README.md", {"All documentation": INDEX}]}]
    seen = {INDEX}
    for section in text.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        pages: list[dict[str, Any]] = []
        for line in body.split("\n"):
            links = []
            for name, link in LINK.findall(line):
                if (page := where(link)) not in seen:
                    links += [{name: page}, *neighbours(page)]
                    seen.add(page)
            if line.startswith("|") and links:
                only = links[0].popitem()[1] if len(links) == 1 else links
                pages.append({capital(line.split("|")[1].strip()): only})
            else:
                pages += [{capital(name): page} for link in links for name, page in link.items()]
        sections += [{title: pages}] if pages else []
    return sections


def neighbours(page: str) -> list[dict[str, str]]:
    """The other pages of a folder of docs/, by their headings, where a page is the folder's index."""
    path = PROJECT / page
    if path.name != "README.md" or not page.startswith("docs/"):
        return []
    others = sorted(other for other in path.parent.glob("*.md") if other != path)
    heads = [other.read_text(encoding="utf-8").split("\n")[0] for other in others]
    return [
        {head.lstrip("# ").partition(":")[0]: other.relative_to(PROJECT).as_posix()}
        for head, other in zip(heads, others, strict=True)
    ]


def where(target: str) -> str:
    """The place of a page that docs/README.md links to, seen from the project."""
    return (PROJECT / "docs" / target).resolve().relative_to(PROJECT).as_posix()


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


if __name__ == "__main__":
    main()
