"""What BLEU, chrF and TER share with sacreBLEU (Post 2018): its signature, and its way with references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version

from mtassay.core import Segment
from mtassay.metrics.base import reference_count

_CALLER_KEYS = ("bs", "ar", "seed", "test", "lang", "origlang", "subset")


def sacre_signature(
    segments: Sequence[Segment],
    settings: Mapping[str, object],
    *,
    extra: Mapping[str, object] | None = None,
) -> str:
    """sacreBLEU's own signature: what it would print with these settings.

    >>> sacre_signature([Segment("1", None, ("a",))], {"case": "mixed"}, extra={"bs": 1000}).split("|v")[0]
    'nrefs:1|bs:1000|case:mixed'
    """
    added = {key: (extra or {}).get(key) for key in _CALLER_KEYS}
    parts = {"nrefs": reference_count(segments), **added, **settings, "version": sacrebleu_version()}
    shown = ((key, _show(value)) for key, value in parts.items() if value is not None)
    return "|".join(f"{key}:{value}" for key, value in shown)


@cache
def sacrebleu_version() -> str:
    """The version of the sacreBLEU that our numbers equal and whose tokenisers we use."""
    return version("sacrebleu")


def reference_streams(segments: Sequence[Segment]) -> list[list[str | None]]:
    """One list per reference, as long as the segments; `None` where a segment lacks that reference."""
    width = max((len(segment.references) for segment in segments), default=0)
    return [[s.references[i] if i < len(s.references) else None for s in segments] for i in range(width)]


def _show(value: object) -> object:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
