"""Numbers in digits: which marks separate groups and decimals, and one spelling per value."""

from __future__ import annotations

import re
import unicodedata

_DECIMAL_COMMA = {
    "af", "az", "be", "bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fr", "gl", "hr",
    "hu", "hy", "id", "is", "it", "ka", "kk", "lt", "lv", "mk", "nb", "nl", "nn", "no", "pl", "pt", "ro",
    "ru", "sk", "sl", "sq", "sr", "sv", "tr", "uk", "uz", "vi",
}  # fmt: skip
# Where a region writes numbers unlike its language.
_DECIMAL_POINT = {
    "de-ch", "de-li", "it-ch", "es-do", "es-gt", "es-hn", "es-mx", "es-ni", "es-pa", "es-pr", "es-sv",
    "es-us",
}  # fmt: skip

GROUPED_BY_SPACE = {
    "be", "bg", "ca", "cs", "es", "et", "fi", "fr", "hu", "hy", "ka", "kk", "lt", "lv", "nb", "nn", "no",
    "pl", "pt", "ru", "sk", "sl", "sv", "uk",
}  # fmt: skip
"""Languages where an ordinary space can separate thousands; a no-break space can in all."""

_MARK = "[.,'d]"
_ASCII_MARKS = {"，": ",", "．": ".", "٫": "d"}


def group_mark(language: str) -> str:
    """The mark, of "," and ".", that separates thousands. An unknown language counts like English.

    >>> group_mark("pt-BR"), group_mark("es-MX"), group_mark("")
    ('.', ',', ',')
    """
    tag = language.lower().replace("_", "-")
    return "." if tag.split("-")[0] in _DECIMAL_COMMA and tag not in _DECIMAL_POINT else ","


def canonical_number(number: str, *, language: str) -> str | None:
    """The value in ASCII digits with a decimal point and no idle zeros; `None` if it is no single value.

    >>> canonical_number("1.234,50", language="de"), canonical_number("1,234", language="de")
    ('1234.5', '1.234')
    >>> canonical_number("１２", language="ja"), canonical_number("12.05.2020", language="de")
    ('12', None)
    """
    text = "".join(_plain(character) for character in number)
    marks, parts = re.findall(_MARK, text), re.split(_MARK, text)
    if not marks:
        return _value(text, "")
    is_group = len(marks) == 1 and marks[0] == group_mark(language) and _are_groups(parts)
    if not is_group and marks[-1] in ".,d" and marks[-1] not in marks[:-1] and len(set(marks[:-1])) <= 1:
        *whole, fraction = parts
        return _value("".join(whole), fraction) if len(whole) == 1 or _are_groups(whole) else None
    return _value("".join(parts), "") if len(set(marks)) == 1 and _are_groups(parts) else None


def _plain(character: str) -> str:
    """ASCII digits and marks; "'" separates groups, "d" decimals, whatever the language."""
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    return "'" if character.isspace() or character in "’ʼ＇٬" else _ASCII_MARKS.get(character, character)


def _are_groups(parts: list[str]) -> bool:
    """Thousands, or lakhs and crores as in India."""
    first, *middle, last = parts
    lengths = {len(part) for part in middle}
    return 1 <= len(first) <= 3 and len(last) == 3 and first != "0" and (lengths <= {3} or lengths == {2})


def _value(whole: str, fraction: str) -> str:
    whole = whole.lstrip("0") or "0"
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole
