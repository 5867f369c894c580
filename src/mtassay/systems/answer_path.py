"""Where the translations stand in a JSON answer: `translations[*].text`, `[0].result`, `$`."""

from __future__ import annotations

import re
from typing import Any

_STEP = re.compile(r"\.([^.\[\]$*\s]+)|\[(\d{1,9})\]|\[(\*)\]")

Path = tuple[str | int, ...]
"""Keys, positions, and `*` in brackets as the text `[*]`."""

EACH = "[*]"


def parse_path(text: str) -> Path | None:
    """The steps of a path, or `None` where it is none. `$` alone is the whole answer.

    >>> parse_path("data.translations[*].text"), parse_path("$"), parse_path("a..b")
    (('data', 'translations', '[*]', 'text'), (), None)
    """
    if not text:
        return None
    rest = text[1:] if text.startswith("$") else text if text.startswith("[") else f".{text}"
    steps: list[str | int] = []
    while rest:
        match = _STEP.match(rest)
        if not match:
            return None
        steps.append(match[1] or (int(match[2]) if match[2] else EACH))
        rest = rest[match.end() :]
    return tuple(steps) if steps.count(EACH) <= 1 else None


def look_up(answer: Any, path: Path) -> Any:
    """What stands there: a list for a path with `[*]`. `KeyError` where there is no such place.

    >>> look_up({"data": [{"text": "eins"}, {"text": "zwei"}]}, ("data", "[*]", "text"))
    ['eins', 'zwei']
    """
    for number, step in enumerate(path):
        if step == EACH:
            if not isinstance(answer, list):
                raise KeyError(step)
            return [look_up(item, path[number + 1 :]) for item in answer]
        named = isinstance(step, str) and isinstance(answer, dict) and step in answer
        if not named and not (isinstance(step, int) and isinstance(answer, list) and step < len(answer)):
            raise KeyError(step)
        answer = answer[step]
    return answer
