"""Tests machine translation: which system is better, at what, and the sentences that prove it.

Importing the package loads only names; modules are loaded when they are used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mtassay.app.history import compare, gate, history
    from mtassay.app.library import behavior, check, invariance, read, run, score, suite
    from mtassay.app.metric_agreement import correlate
    from mtassay.app.plans.plan_runs import run_plan
    from mtassay.app.reports import find_themes, write_report
    from mtassay.app.runs import Run, load
    from mtassay.app.translation import translate

__version__ = "1.0.0rc1"

__all__ = [
    "Run",
    "__version__",
    "behavior",
    "check",
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
    "compare": "mtassay.app.history",
    "correlate": "mtassay.app.metric_agreement",
    "find_themes": "mtassay.app.reports",
    "gate": "mtassay.app.history",
    "history": "mtassay.app.history",
    "load": "mtassay.app.runs",
    "run_plan": "mtassay.app.plans.plan_runs",
    "translate": "mtassay.app.translation",
    "write_report": "mtassay.app.reports",
}


if not TYPE_CHECKING:  # type checkers see only the names above, so they report misspelt names

    def __getattr__(name: str) -> Any:
        if name in __all__:
            return getattr(import_module(_ELSEWHERE.get(name, "mtassay.app.library")), name)
        raise AttributeError(f"module 'mtassay' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
