"""Whether the characters of an output are right: no mojibake, no entities, nothing invisible."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from mtassay.measures.check import Alarm, Check, CheckContext, Mark, Severity, Unit

# Bytes of UTF-8 read as Windows-1252 or Latin-1, which no language writes: Ã©, â€™, Ð¿Ñ€.
_MOJIBAKE = re.compile(
    r"Ã[\u0080-\u00bf\u0152-\u0178\u2013-\u2122]|â€[\u0080-\u00bf\u0152-\u0178\u2013-\u2122]"
    r"|Â[\u00a0-\u00bf](?=\s|$|\w)"
    r"|(?:[ÐÑ][\u0080-\u00bf\u0152-\u0178\u2013-\u2122]){2,}|(?:Å[\u0080-\u00bf\u0152-\u0178]"
    r"|Ä[\u0080-\u00bf\u0152-\u0178]){2,}"
    r"|(?:[äåæçèé][\u0080-\u00bf\u0152-\u0178\u2013-\u2122]{2}){2,}"
)
_ENTITY = re.compile(
    r"&(?:quot|apos|amp|lt|gt|nbsp|#\d{2,5}|#x[0-9a-fA-F]{2,5}|[aeiouAEIOUcnCN](?:acute|grave|uml|circ"
    r"|tilde|cedil));"
)
_ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}")
# Not the joiners U+200C and U+200D, with which Persian, Hindi and emoji are spelled.
_INVISIBLE = re.compile("[\ufeff\u200b\u2060\u00ad\u202a-\u202e\u2066-\u2069]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")


# What all of these have, which is cheap to see.
_ODD = re.compile(
    "[\ufffd\ufeff\u200b\u2060\u00ad\u202a-\u202e\u2066-\u2069\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]"
    "|[ÃâÂÐÑÅÄäåæçèé][\u0080-\u00bf\u0152-\u0178\u2013-\u2122]"
)


class Encoding(Check):
    """Mojibake, lost characters, entities, invisible and control characters."""

    id: ClassVar[str] = "encoding"
    group: ClassVar[str] = "form"
    severity: ClassVar[Severity] = "major"
    about: ClassVar[str] = "characters are broken, escaped or invisible"

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """One alarm for each unit; where entities or invisible characters are all, the fix takes them out.

        >>> units = [Unit("1", "Tom &amp; Anna", "Tom & Anna"), Unit("2", "cafÃ©", "coffee")]
        >>> [(alarm.message, alarm.fix) for alarm in Encoding().find(units, CheckContext("en", "de"))]
        [("'&amp;' is escaped", 'Tom & Anna'), ("'Ã©' is text in a wrong encoding", None)]
        """
        for index, unit in enumerate(units):
            output, source = unit.output, unit.source or ""
            if "&" in output and (match := _ENTITY.search(output)) and not _ENTITY.search(source):
                fix = html.unescape(output)
                mark = Mark("output", *match.span())
                yield Alarm(index, f"{match.group()!r} is escaped", (mark,), severity="minor", fix=fix)
                continue
            if "\\u" in output and (match := _ESCAPED.search(output)) and not _ESCAPED.search(source):
                yield Alarm(index, f"{match.group()!r} is escaped", (Mark("output", *match.span()),))
                continue
            if (output.isascii() and output.isprintable()) or not _ODD.search(output):
                continue
            if "\ufffd" in output and "\ufffd" not in source:
                place = output.index("\ufffd")
                yield Alarm(index, "a character is lost (\ufffd)", (Mark("output", place, place + 1),))
            elif match := _CONTROL.search(output):
                if not _CONTROL.search(source):
                    name = f"U+{ord(match.group()):04X}"
                    yield Alarm(index, f"the control character {name}", (Mark("output", *match.span()),))
            elif match := _INVISIBLE.search(output):
                if not _INVISIBLE.search(source) and not any(map(_INVISIBLE.search, unit.references)):
                    name = f"U+{ord(match.group()):04X}"
                    fix = _INVISIBLE.sub("", output)
                    mark = Mark("output", *match.span())
                    yield Alarm(index, f"the invisible character {name}", (mark,), severity="minor", fix=fix)
            elif (match := _MOJIBAKE.search(output)) and match.group() not in source:
                message = f"{match.group()!r} is text in a wrong encoding"
                yield Alarm(index, message, (Mark("output", *match.span()),))
