"""Safe display of any text in a terminal: all characters visible, no control codes, limited length."""

from __future__ import annotations

import json
import math
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from mtassay.data.display import Span
from mtassay.data.errors import UsageError

LIMIT = 1200
"""Largest number of characters shown of one text."""

_AROUND = 60  # characters shown on either side of a match in a long text
_SPANS = 5  # matches in a long text that are shown
_MARKS = ("[[", "]]")
# Inside a text these are escaped, so they can mean the marks until the lines are broken.
_BEGIN, _END = "\ue000", "\ue001"
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
# Many scripts need joiners between ordinary letters; the others are visible signs.
_KEPT = {"\u200c", "\u200d", *map(chr, range(0x0600, 0x0606)), "\u06dd", "\u070f", "\u08e2"}
_OURS = re.compile(r"(\n|\t|\x1b\[(?:0|1|1;36)m)")  # line ends and our own marks
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|\w+|[^\w\s]")  # scripts without spaces: each character
_LONG = 600  # words: in longer texts, only equal words at both ends are found


def plural(number: int, word: str, many: str = "") -> str:
    """A number with its word.

    >>> plural(1, "item"), plural(1200, "item"), plural(2, "category", "categories")
    ('1 item', '1,200 items', '2 categories')
    """
    return f"{number:,} {word if number == 1 else many or word + 's'}"


def signed(value: float | None, decimals: int = 1) -> str:
    """A change for a table.

    >>> signed(2.34), signed(-0.04), signed(-1.0), signed(None), signed(-0.0412, 2)
    ('+2.3', '0.0', '−1.0', '–', '−0.04')
    """
    if value is None:
        return "–"
    text = f"{value:+.{decimals}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def signed_ends(low: float | None, high: float | None, decimals: int = 1) -> str:
    """The interval of a change for a table; empty where there is none."""
    return "" if low is None else f"[{signed(low, decimals)}, {signed(high, decimals)}]"


def p_text(p: float | None) -> str:
    """A p-value for a table.

    >>> p_text(0.0312), p_text(0.00002), p_text(1.0), p_text(None)
    ('0.031', '<0.001', '1', '–')
    """
    if p is None:
        return "–"
    if p < 0.001:
        return "<0.001"
    return "1" if p > 0.9995 else f"{p:.3f}"


def p_stated(p: float | None) -> str:
    """A p-value in a sentence.

    >>> p_stated(0.0312), p_stated(0.00002)
    ('p = 0.031', 'p < 0.001')
    """
    return f"p = {p_text(p)}".replace("= <", "< ")


def printable(text: str) -> str:
    r"""Make every character of a text visible: write control and invisible characters as escapes.

    >>> print(printable("a\x1b[31mred\n\u202eoverride"))
    a\x1b[31mred\n\u202eoverride
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(character: str) -> str:
    if not _is_hidden(character):
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN and character not in _KEPT


def safe(text: str) -> str:
    r"""Make a page safe for a terminal: keep lines and our bold, escape all else that controls it or hides.

    >>> safe("\x1b[1mbold\x1b[0m\n\x1b]0;title\x07") == "\x1b[1mbold\x1b[0m\n\\x1b]0;title\\x07"
    True
    """
    parts = _OURS.split(text)
    if all(part.isprintable() for part in parts[::2]):
        return text
    return "".join(part if place % 2 else printable(part) for place, part in enumerate(parts))


def json_text(value: object, *, indent: int | None = None) -> str:
    r"""JSON that is safe in a terminal: control and invisible characters are written as JSON escapes.

    JSON has no NaN and no infinity, so both are written as `null`.

    >>> print(json_text({"a": "\u202ex\x9b"}))
    {"a": "\u202ex\u009b"}
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, indent=indent)
    return "\n".join(line if line.isprintable() else _json_line(line) for line in text.split("\n"))


def _json_line(line: str) -> str:
    return "".join(_json_escape(c) if _is_hidden(c) else c for c in line)


def _finite(value: Any) -> Any:
    """Return the value with `None` for numbers that JSON cannot write."""
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _json_escape(character: str) -> str:
    return "\\u007f" if character == "\x7f" else json.dumps(character)[1:-1]


def readable(name: str) -> str:
    r"""The name of a file, with escapes for bytes that are not UTF-8.

    >>> print(readable("caf\udce9.txt"))
    caf\xe9.txt
    """
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def file_name(name: str) -> str:
    """Return a name that is valid for a file in a folder; an error if it leads elsewhere or is hidden.

    >>> file_name("nmt-2")
    'nmt-2'
    """
    if not name or name.startswith(".") or re.search(r"[/\\:\0]", name) or not name.isprintable():
        raise UsageError(
            f"'{printable(name)}' cannot name a file. Give the system a plain name: `systems=['NAME=…']`"
        )
    return name


def marked(text: str, spans: Iterable[Span] = (), *, limit: int = LIMIT, color: bool = False) -> str:
    """The printable text on one line with marked parts; a long text is cut to its start, end and marks.

    >>> marked("He went to the bank.", [(15, 19)])
    'He went to the [[bank]].'
    >>> marked("x" * 100, limit=12)
    'xxxxxxxx …(90 characters)… xx'
    """
    return _with_marks(_prepared(text, spans, limit), color)


def pieces(text: str, spans: Sequence[Span] = (), *, limit: int = LIMIT) -> list[tuple[str, bool]]:
    """The same in parts, each with a flag that says whether it is marked.

    >>> pieces("He went to the bank.", [(15, 19)])
    [('He went to the ', False), ('bank', True), ('.', False)]
    """
    if not spans and len(text) <= limit:
        return [(printable(text), False)] if text else []
    parts: list[tuple[str, bool]] = []
    for outside in _prepared(text, spans, limit).split(_BEGIN):
        inside, end, rest = outside.rpartition(_END)
        parts += [(inside, True)] if end else []
        parts.append((rest, False))
    return [part for part in parts if part[0]]


def wrapped(
    text: str,
    spans: Iterable[Span] = (),
    *,
    width: int,
    indent: str = "",
    first: str | None = None,
    limit: int = LIMIT,
    color: bool = False,
) -> str:
    """The same in lines of this width in terminal columns, each after `indent`, the first after `first`."""
    room = max(width - display_width(indent), 20)
    lines = _lines(_prepared(text, spans, limit), room)
    starts = [indent if first is None else first, *[indent] * (len(lines) - 1)]
    joined = "\n".join(f"{start}{line}".rstrip() for start, line in zip(starts, lines, strict=True))
    return _with_marks(joined, color)


def find_words(text: str, words: Sequence[str]) -> list[Span]:
    """The first place of each word in the text: as a whole word if possible, else anywhere.

    >>> find_words("A man and his woman.", ["man", "woman", "child"])
    [(2, 5), (14, 19)]
    """
    spans = []
    for word in filter(None, words):
        places = [place for place in range(len(text)) if text.startswith(word, place)]
        whole = [place for place in places if _is_whole(text, place, place + len(word))]
        if places:
            start = (whole or places)[0]
            spans.append((start, start + len(word)))
    return spans


def differing(old: str, new: str) -> tuple[list[Span], list[Span]]:
    """The words of each text that are not in the other one, in their order.

    >>> differing("He read novels.", "He liked novellas.")
    ([(3, 14)], [(3, 17)])
    >>> differing("A dog.", "A dog barked.")
    ([], [(6, 12)])
    """
    before, after = ([match.span() for match in _WORD.finditer(text)] for text in (old, new))
    a, b = [old[slice(*span)] for span in before], [new[slice(*span)] for span in after]
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    rest = zip(reversed(a[start:]), reversed(b[start:]), strict=False)
    end = next((i for i, (x, y) in enumerate(rest) if x != y), min(len(a), len(b)) - start)
    inner_a, inner_b = a[start : len(a) - end], b[start : len(b) - end]
    if max(len(inner_a), len(inner_b)) > _LONG:
        blocks = [(0, len(inner_a), 0, len(inner_b))]
    else:
        codes = SequenceMatcher(None, inner_a, inner_b, autojunk=False).get_opcodes()
        blocks = [places for tag, *places in codes if tag != "equal"]  # type: ignore[misc]
    return (
        [_span(before[start + low : start + high]) for low, high, _, _ in blocks if low < high],
        [_span(after[start + low : start + high]) for _, _, low, high in blocks if low < high],
    )


def display_width(text: str) -> int:
    """Terminal columns: East Asian wide characters take two, combining marks none."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if character in (_BEGIN, _END):
        return len(_MARKS[0])
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _is_whole(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() or after.isalnum())


def _span(words: Sequence[Span]) -> Span:
    """From the first of these words to the last."""
    return words[0][0], words[-1][1]


def _prepared(text: str, spans: Iterable[Span], limit: int) -> str:
    """The shown parts of a text, printable, with the characters that mean marks."""
    merged = _merged((max(start, 0), min(end, len(text))) for start, end in spans)
    parts: list[str] = []
    at = 0
    for start, end in _shown(len(text), merged, limit):
        if start > at:
            parts.append(f" …({start - at:,} characters)… ")
        place = start
        for low, high in merged:
            low, high = max(low, start), min(high, end)
            if low < high:
                parts += [printable(text[place:low]), _BEGIN, printable(text[low:high]), _END]
                place = high
        parts.append(printable(text[place:end]))
        at = end
    return "".join(parts)


def _shown(length: int, spans: Sequence[Span], limit: int) -> list[Span]:
    """The parts of a long text to show."""
    if length <= limit:
        return [(0, length)]
    matches = [
        (max(start - _AROUND, 0), min(end, start + _AROUND, length) + min(_AROUND, length - end))
        for start, end in spans[:_SPANS]
    ]
    return _merged([(0, limit * 2 // 3), (length - limit // 6, length), *matches])


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Sort spans, join touching ones and drop empty ones."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _lines(text: str, width: int) -> list[str]:
    """The text broken at spaces, or inside a word that is wider than a line."""
    lines = [""]
    used = 0
    for word in text.split(" "):
        columns = display_width(word)
        if used and used + 1 + columns > width:
            lines.append("")
            used = 0
        elif lines != [""]:
            lines[-1] += " "
            used += 1
        if columns <= width - used:
            lines[-1] += word
            used += columns
            continue
        for character in word:
            if used + _columns(character) > width:
                lines.append("")
                used = 0
            lines[-1] += character
            used += _columns(character)
    return lines


def _with_marks(text: str, color: bool) -> str:
    begin, end = ("\x1b[1;36m", "\x1b[0m") if color else _MARKS
    return text.replace(_BEGIN, begin).replace(_END, end)
