"""The page of the papers: every number of ours on it comes from a file that a run wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
REPRODUCE = PROJECT / "bench" / "reproduce"
PAGE = PROJECT / "docs" / "studies" / "papers.md"


def _page(measured: Path, target: Path) -> str:
    """The page made of these files."""
    code = (
        f"import sys; sys.path.insert(0, {str(REPRODUCE)!r}); import page; from pathlib import Path; "
        f"page.MEASURED, page.PAGE, page.ROOT = Path({str(measured)!r}), Path({str(target)!r}), "
        f"Path({str(target.parent)!r}); page.main()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    return target.read_text(encoding="utf-8")


def test_the_page_is_what_its_files_give(tmp_path: Path) -> None:
    assert _page(REPRODUCE / "measured", tmp_path / "papers.md") == PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("part", ["score", "suite", "invariance", "behavior"])
def test_a_part_that_was_not_measured_is_left_out(part: str, tmp_path: Path) -> None:
    folder = tmp_path / "measured"
    folder.mkdir()
    for path in (REPRODUCE / "measured").glob("*.json"):
        if path.stem != part:
            (folder / path.name).write_bytes(path.read_bytes())
    assert _page(folder, tmp_path / "papers.md").count("\n## ") == 3


def test_a_number_that_was_measured_anew_changes_the_page(tmp_path: Path) -> None:
    folder = tmp_path / "measured"
    folder.mkdir()
    for path in (REPRODUCE / "measured").glob("*.json"):
        (folder / path.name).write_bytes(path.read_bytes())
    found = json.loads((folder / "score.json").read_text(encoding="utf-8"))
    found["wmt22"]["scores"]["nee"]["HUMAN-B"] = 12.34
    (folder / "score.json").write_text(json.dumps(found), encoding="utf-8")
    assert "Ours: 12.3 %" in _page(folder, tmp_path / "papers.md")
