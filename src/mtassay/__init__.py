"""Tests machine translation: which system is better, at what, and the sentences that prove it.

Importing this loads nothing but names; what is used is loaded when it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mtassay.api import Run, behavior, invariance, load, read, run, score, suite
    from mtassay.api.agreement import correlate
    from mtassay.api.history import compare, gate, history
    from mtassay.api.plans import run_plan
    from mtassay.api.reports import write_report
    from mtassay.api.themes import find_themes
    from mtassay.api.translation import translate

__version__ = "0.1.0"

__all__ = [
    "Run",
    "__version__",
    "behavior",
    "compare",
    "correlate",
    "find_themes",
    "gate",
    "history",
    "invariance",
    "load",
    "read",
    "run",
    "run_plan",
    "score",
    "suite",
    "translate",
    "write_report",
]
_ELSEWHERE = {
    "compare": "mtassay.api.history",
    "correlate": "mtassay.api.agreement",
    "find_themes": "mtassay.api.themes",
    "gate": "mtassay.api.history",
    "history": "mtassay.api.history",
    "run_plan": "mtassay.api.plans",
    "translate": "mtassay.api.translation",
    "write_report": "mtassay.api.reports",
}


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module(_ELSEWHERE.get(name, "mtassay.api")), name)
    raise AttributeError(f"module 'mtassay' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
