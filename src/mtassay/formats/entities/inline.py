"""Entities as tags in the sentence, one sentence per line."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from mtassay.formats.entities.records import Annotation, Reading, Span

_TAG = re.compile(
    r"""<(?P<close>/?)(?P<name>[A-Za-z][\w.-]*)
    (?P<attributes>(?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))*)\s*>""",
    re.VERBOSE,
)
_TYPE = re.compile(r"""\btype\s*=\s*["']?([^"'\s>|]+)""", re.IGNORECASE)
_MUC = frozenset({"ENAMEX", "TIMEX", "NUMEX"})


def parse_inline(lines: Sequence[str]) -> list[Annotation]:
    """One annotation per line, in order; an empty line annotates an empty sentence.

    A tag is annotation if its name is upper case, or one of MUC's three in any case, and it has its
    partner in the same line, properly nested; all else is text. Nested entities are all kept.

    >>> [annotation] = parse_inline(['<ORG>Bank of <LOC>Peru</LOC></ORG> <b>fell</b>'])
    >>> text, spans = annotation.readings[0]
    >>> text, [(span.type, span.start, span.end) for span in spans]
    ('Bank of Peru <b>fell</b>', [('ORG', 0, 12), ('LOC', 8, 12)])
    """
    return [_annotation(number, line) for number, line in enumerate(lines, start=1)]


def has_tags(line: str) -> bool:
    """Whether any annotation stands in the line."""
    return bool(_pairs(line)[0])


def _annotation(number: int, line: str) -> Annotation:
    pairs, alone = _pairs(line)
    readings = [_reading(line, pairs, escaped=False)]
    if "&" in line:
        readings.append(_reading(line, pairs, escaped=True))
    note = f"{alone[0].group()} has no partner" if alone else ""
    return Annotation(number, readings, note=note)


Pair = tuple[re.Match[str], re.Match[str]]


def _pairs(line: str) -> tuple[list[Pair], list[re.Match[str]]]:
    """Opening tags with their closing ones, and the annotation tags that are left over."""
    opened: list[re.Match[str]] = []
    pairs: list[Pair] = []
    alone: list[re.Match[str]] = []
    for tag in _TAG.finditer(line):
        if not _is_annotation(tag):
            continue
        if not tag["close"]:
            opened.append(tag)
        elif any(_same_name(start, tag) for start in opened):
            while not _same_name(opened[-1], tag):
                alone.append(opened.pop())
            pairs.append((opened.pop(), tag))
        else:
            alone.append(tag)
    return pairs, alone + opened


def _is_annotation(tag: re.Match[str]) -> bool:
    return tag["name"].isupper() or tag["name"].upper() in _MUC


def _same_name(one: re.Match[str], other: re.Match[str]) -> bool:
    return one["name"].upper() == other["name"].upper()


def _reading(line: str, pairs: list[Pair], *, escaped: bool) -> Reading:
    """The line without its annotation tags; `escaped` turns `&lt;` and the like into characters."""
    text, at = "", 0
    offsets: dict[int, int] = {}
    for tag in sorted((tag for pair in pairs for tag in pair), key=re.Match.start):
        piece = line[at : tag.start()]
        text += html.unescape(piece) if escaped else piece
        offsets[tag.start()] = len(text)
        at = tag.end()
    text += html.unescape(line[at:]) if escaped else line[at:]
    spans = [Span(_type(start), offsets[start.start()], offsets[end.start()]) for start, end in pairs]
    return Reading(text, sorted(spans, key=lambda span: (span.start, -(span.end or 0))))


def _type(tag: re.Match[str]) -> str:
    """MUC writes alternatives as "A|B"; the first one counts."""
    stated = _TYPE.search(tag["attributes"]) if tag["name"].upper() in _MUC else None
    return stated[1] if stated else tag["name"].upper()
