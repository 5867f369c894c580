"""What metrics of ours hardly count: measured with errors that were put into good translations.

The table beside this module was made by `bench/blindspots.py`; what one's own test set says comes from
`mtassay meta blindspots`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from mtassay.core import Score

__all__ = ["TABLE", "blindspots_note", "hardly_sees", "known_blindspots"]

TABLE = Path(__file__).with_name("data") / "blindspots.json"

_CRITICAL = frozenset({"negation", "number", "name"})
_LEAST_CRITICAL, _LEAST = 10.0, 2.5


def hardly_sees(score: Score) -> bool:
    """Whether the loss by one kind of error is so small that the metric hardly counts it.

    Errors in negations, numbers and names make a translation say something else: for them that is less than
    10 % of what an unrelated text loses. For all others it is 2.5 %, half of what one word of a sentence of
    twenty is. The upper end of the interval counts.

    >>> hardly_sees(Score("loss", "use", "negation", 4.8, 284, 4.1, 5.5))
    True
    >>> hardly_sees(Score("loss", "use", "number", 9.7, 110, 8.0, 11.4))
    False
    """
    limit = _LEAST_CRITICAL if score.group in _CRITICAL else _LEAST
    return score.name == "loss" and score.high is not None and score.high < limit


@cache
def known_blindspots() -> dict[str, dict[str, int]]:
    """For each metric, by its class and settings, the kinds of errors that it hardly sees, each with n."""
    if not TABLE.exists():
        return {}
    spots: dict[str, dict[str, int]] = json.loads(TABLE.read_text(encoding="utf-8"))["spots"]
    return spots


_PLURALS = {
    "negation": "wrong negations",
    "number": "wrong numbers",
    "name": "wrong names",
    "wrong word": "wrong words",
    "word order": "wrong word order",
    "agreement": "broken agreement",
    "untranslated": "untranslated words",
    "dropped word": "dropped words",
    "doubled word": "doubled words",
    "omission": "omissions",
}


def blindspots_note(metrics: Iterable[tuple[str, str]]) -> str:
    """What a reader of scores should know of these metrics, each a name and its label; empty where nothing.

    A name is what was asked for, as `use:against=source`; settings that were not measured are not known.

    >>> blindspots_note([("chrf", "chrF2")]).partition(" (n")[0]
    'chrF2 hardly counts wrong negations'
    """
    told = []
    for name, label in metrics:
        if spots := known_blindspots().get(name):
            kinds = [f"{_PLURALS[kind]} (n = {n:,})" for kind, n in spots.items()]
            told.append(f"{label} hardly counts {_listed(kinds)}")
    return f"{'; '.join(told)}: mtassay meta blindspots." if told else ""


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
