"""Where the reproduction of the papers reads its data and writes what it measured."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", ROOT.parent / "shared" / "data"))
DEMO = ROOT / "demo"
MEASURED = HERE / "measured"
IMAGES = ROOT / "docs" / "images" / "papers"
WORKSPACE = Path(os.environ.get("MTASSAY_BENCH_CACHE", "/tmp/mtassay-papers.db"))


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def rounded(value: Any) -> Any:
    """Numbers as they are kept: four digits after the point."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, Mapping):
        return {key: rounded(part) for key, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, list | tuple) else value


def write_part(name: str, measure: Callable[[], dict[str, Any]]) -> None:
    """Runs one part, and writes its figures and the seconds of processor time that they took."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    MEASURED.mkdir(exist_ok=True)
    began = time.process_time()
    found = rounded(measure())
    found["seconds"] = round(time.process_time() - began)
    text = json.dumps(found, ensure_ascii=False, indent=1)
    (MEASURED / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    print(f"{name}: {found['seconds']} s")
