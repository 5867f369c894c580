"""Where a word for a time must be left alone, in any language: other words say which time it is."""

from __future__ import annotations

import re
from functools import cache

from mtassay.methods.behavior.infill.lexicon.english_context import Place
from mtassay.methods.behavior.infill.lexicon.entries import LANGUAGES, PARTS, Entry, rows_of
from mtassay.tools.annotate.annotation import Annotation

__all__ = ["contradicts_time"]

_IN_DAY = frozenset(("every", "meal", "part of day", "past day"))
"""The groups with words for a part of the day, such as `this morning`, and with what is done in one."""
_CLOCK = re.compile(
    r"\bo['’]clock\b|\b(?:half|quarter) (?:past|to)\b|\d ?[ap]\.?m\b|\d:\d\d\b"
    r"|\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirty) (?:in the|at night)\b"
    r"|\bhoras\b|\d ?h(?:\d\d)?\b|\bàs? \w+(?: e \w+)? da\b|\bUhr\b|\bhalb \w|\bViertel (?:vor|nach)\b"
    r"|[\d一二三四五六七八九十两]点",
    re.IGNORECASE,
)
_SPANS = frozenset((
    "holiday", "month", "part of day", "season", "short time", "time span", "weekday", "weekday short",
))  # fmt: skip
_MORE_SPANS = frozenset(("decade", "time", "weekend", "vez", "década", "Mal", "Wochenende"))
_MONTHS = frozenset(("month",))


def contradicts_time(language: str, annotation: Annotation, place: Place, entry: Entry) -> bool:
    """Whether another word here would not go with the times that the sentence names."""
    if entry.group in _IN_DAY:  # `half past seven in the morning`
        return _CLOCK.search(annotation.text) is not None
    if entry.group == "month":  # `from December 22 to January 4`
        months = _forms(language, _MONTHS)
        return sum(not months.isdisjoint(_spellings(token.text)) for token in annotation.tokens) > 1
    if entry.group == "order" and place[1] < len(annotation.tokens):  # `last Tuesday` is no last one
        after = annotation.tokens[place[1]].text
        return after in _MORE_SPANS or after in _forms(language, _SPANS)
    return False


def _spellings(word: str) -> tuple[str, str]:
    """As it is, and as it would be inside a sentence: `Maio` may be `maio`, but `may` is no month."""
    return word, word[:1].lower() + word[1:]


@cache
def _forms(language: str, groups: frozenset[str]) -> frozenset[str]:
    """All forms of the words of these groups."""
    return frozenset(
        form
        for name in ("calendar", "measures")
        for _, row in rows_of(name)
        if row["group"] in groups and row.get(language)
        for form in LANGUAGES[language](PARTS[name], row[language]).values()
    )
