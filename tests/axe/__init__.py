"""Barriers for people who do not see, hear or point: what axe finds in a page that is open in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

AXE = Path(__file__).parent / "axe.min.js"


def find_barriers(page: Any) -> list[str]:
    """Each barrier of any weight: what it is, and the beginning of the first element that has it."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [f"{entry['id']}: {entry['nodes'][0]['html'][:200]}" for entry in found]
