"""Whether an output keeps the names that no language translates: brands, models, handles, codes."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import ClassVar

from mtassay.data.languages import parse_language
from mtassay.measures.check import Alarm, Check, CheckContext, Mark, Severity, Unit
from mtassay.measures.output_language import scripts_of
from mtassay.measures.swapped_names import swapped_name
from mtassay.measures.unit_check import code_of

# A capital letter within a short word (iPhone, GitHub), letters with digits (A321, COVID-19), a handle.
# Longer ones are words that lost the space between them, shorter ones abbreviations (QoL).
_HANDLE = r"@[A-Za-z_]\w{1,30}"
_NAME = (
    r"[a-z]{1,2}[A-Z][a-z]{3,12}|[A-Z][a-z]{1,4}[A-Z][a-z]{2,4}|[A-Z][a-z]{3,8}[A-Z][A-Za-z]{0,2}"
    r"|[A-Z]{1,3}\d{3,5}[A-Z]?|[A-Z]{4,8}-\d{1,4}"
)
_BEFORE, _AFTER = r"(?<![\w@./:#&%~-])", r"(?![\w@/-]|\.\w)"
_SEPARATOR = re.compile(r"[\W_]+")


class Names(Check):
    """Brands, models, codes, handles, people and cities of the source that the output lacks or replaces."""

    id: ClassVar[str] = "names"
    group: ClassVar[str] = "meaning"
    severity: ClassVar[Severity] = "major"
    about: ClassVar[str] = "a name, code or handle of the source is missing or replaced"

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """One alarm for each unit, with all names that are missing.

        >>> unit = Unit("1", "Das iPad ist neu.", "The new iPhone is here.")
        >>> [alarm.message for alarm in Names().find([unit], CheckContext("en", "de"))]
        ["'iPhone' is missing"]
        """
        # Where the target has another script, names are spelled in it.
        is_latin = context.target is None or scripts_of(parse_language(context.target).code) == ("Latin",)
        name = re.compile(f"{_BEFORE}(?:{_HANDLE}{f'|{_NAME}' if is_latin else ''}){_AFTER}")
        code = code_of(context.target)
        can_swap = (
            bool(code) and context.source is not None and parse_language(context.source).code in ("en", "de")
        )
        for index, unit in enumerate(units):
            source, output = unit.source, unit.output
            if not source or not output or source.isupper() or source.isalnum():
                continue
            # Nearly every name is in the output as it is, which is cheap to see.
            missing = [match for match in _names_in(source, name) if match.group() not in output]
            if not missing:
                swapped = swapped_name(source, output, code) if can_swap else None
                if swapped and not any(swapped.other in reference for reference in unit.references):
                    places = source.find(swapped.name), output.find(swapped.other)
                    message = f"'{swapped.name}' became '{swapped.other}'"
                    ends = (
                        Mark("source", places[0], places[0] + len(swapped.name)),
                        Mark("output", places[1], places[1] + len(swapped.other)),
                    )
                    yield Alarm(index, message, ends)
                continue
            bare = _bare(output)
            missing = [match for match in missing if _bare(match.group()) not in bare]
            for reference in unit.references:
                own = _bare(reference)
                missing = [match for match in missing if _bare(match.group()) in own]
            if missing:
                names = list(dict.fromkeys(match.group() for match in missing))
                verb = "is" if len(names) == 1 else "are"
                marks = tuple(Mark("source", *match.span()) for match in missing)
                yield Alarm(index, f"{', '.join(map(repr, names[:5]))} {verb} missing", marks)


@lru_cache(maxsize=1 << 14)
def _names_in(source: str, name: re.Pattern[str]) -> Sequence[re.Match[str]]:
    return list(name.finditer(source))


def _bare(text: str) -> str:
    return _SEPARATOR.sub("", html.unescape(text)).casefold()
