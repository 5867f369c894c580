"""py3langid's identifier, opened from a copy of its model that need not be unpacked.

The model is 5 MB as it is installed and 68 MB in memory, and to unpack it takes 0.4 s, most often for a dozen
lines. So it is unpacked once, into the user's cache folder, and mapped from there, which reads what is used.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtassay.packages import release_of

__all__ = ["Ranking", "open_identifier"]

Ranking = Callable[[str], list[tuple[str, float]]]
"""All languages by code with their scores, the likeliest first."""

# Seconds after which nobody is unpacking any more.
_AT_MOST = 3600
_PARTS = ("ptc", "pc", "classes", "nextmove", "row", "output")


@cache
def open_identifier(folder: Path | None = None) -> Ranking:
    """`py3langid.rank`, at once where the folder has a copy of its model; else one is put there.

    The folder is `mtassay` in the user's cache folder unless another is given. Where it cannot be written, or
    where py3langid is of a version that has another model, the model is unpacked each time.
    """
    import py3langid

    rank: Ranking = py3langid.rank
    with suppress(ImportError, AttributeError, EOFError, OSError, RuntimeError, TypeError, ValueError):
        from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier
        from py3langid.modelio import load_model

        model = MODEL_DIR / MODEL_FILE
        copy = (folder or _cache_folder()) / f"py3langid-{release_of('py3langid')}"
        if not copy.is_dir():
            _write(copy, dict(zip(_PARTS, map(np.asarray, load_model(model)), strict=True)))
        try:
            parts = {name: np.load(copy / f"{name}.npy", mmap_mode="r") for name in _PARTS}
        except (EOFError, OSError, ValueError):
            shutil.rmtree(copy, ignore_errors=True)  # somebody cleaned up in it: the next run writes it anew
            raise
        rank = LanguageIdentifier(
            parts["ptc"],
            parts["pc"],
            parts["classes"].tolist(),
            memoryview(parts["nextmove"]),
            parts["output"].tolist(),
            tk_row=parts["row"].tolist(),
        ).rank
    return rank


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "mtassay"


def _write(folder: Path, parts: Mapping[str, NDArray[Any]]) -> None:
    """All of it or nothing, also where several processes write it at the same time."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    for left in folder.parent.glob("unpacking-*"):  # by a process that was killed, or is at it
        if time.time() - left.stat().st_mtime > _AT_MOST:
            shutil.rmtree(left, ignore_errors=True)
    temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix="unpacking-"))
    try:
        for name, values in parts.items():
            with (temporary / f"{name}.npy").open("wb") as file:
                np.save(file, values)
                os.fsync(file.fileno())
        with suppress(OSError):  # another process was faster
            temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
