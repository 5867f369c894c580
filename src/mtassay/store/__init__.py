"""The workspace: one SQLite file with runs, their outputs and findings, reviews, and the cache."""

from __future__ import annotations

from mtassay.store.answers import StoredAnswer
from mtassay.store.file import DEFAULT
from mtassay.store.values import now_exactly, pack_statistics, unpack_statistics
from mtassay.store.workspace import Purged, Workspace

__all__ = [
    "DEFAULT",
    "Purged",
    "StoredAnswer",
    "Workspace",
    "now_exactly",
    "pack_statistics",
    "unpack_statistics",
]
