"""Texts with their named entities marked: inline, as IOB columns, or beside the text."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple, TypeGuard

from mtassay.data.errors import InputError
from mtassay.data.formats.textfiles import check_characters, load_json


class Entity(NamedTuple):
    """A name in a reference: its text, its type, and its characters from `start` up to `end`."""

    text: str
    type: str
    start: int
    end: int


class MarkedSpan(NamedTuple):
    """An entity from a file; if the file gives only its text, `start` and `end` are `None`."""

    type: str
    start: int | None
    end: int | None
    text: str | None = None


class LineReading(NamedTuple):
    """One way to read an annotated line; `text` is `None` if the file has only offsets."""

    text: str | None
    spans: Sequence[MarkedSpan]


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """One annotated sentence.

    `readings` are tried in order. `id` names the segment; without it, the order does. `reference` is the one
    to which offsets without a text refer. `note` is added to the message if no reading fits.
    """

    line: int | None
    readings: Sequence[LineReading]
    id: str | None = None
    reference: int = 0
    note: str = ""


def without_space(text: str) -> str:
    """Remove all white space: tokenised and plain text differ only in that."""
    return "".join(text.split())


def carry_over(spans: Sequence[MarkedSpan], text: str, other: str) -> list[MarkedSpan]:
    """Convert spans of `text` to spans of `other`, which must be equal up to white space.

    A span of only white space becomes empty, with equal ends.

    >>> carry_over([MarkedSpan("PER", 0, 9)], "O ' Brien said", "O'Brien  said")
    [MarkedSpan(type='PER', start=0, end=7, text=None)]
    """
    if not spans:
        return []
    ink_before = [0]
    for character in text:
        ink_before.append(ink_before[-1] + (not character.isspace()))
    places = [at for at, character in enumerate(other) if not character.isspace()]
    carried = []
    for span in spans:
        assert span.start is not None
        assert span.end is not None
        first, after = ink_before[span.start], ink_before[span.end]
        start, end = (places[first], places[after - 1] + 1) if first < after else (0, 0)
        carried.append(span._replace(start=start, end=end))
    return carried


_MARK = re.compile(
    r"""<(?P<close>/?)(?P<name>[A-Za-z][\w.-]*)
    (?P<attributes>(?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))*)\s*>""",
    re.VERBOSE,
)
_TYPE = re.compile(r"""\btype\s*=\s*["']?([^"'\s>|]+)""", re.IGNORECASE)
_MUC = frozenset({"ENAMEX", "TIMEX", "NUMEX"})


def parse_inline(lines: Sequence[str]) -> list[MarkedSentence]:
    """One annotation per line, in order; an empty line annotates an empty sentence.

    A tag is annotation if its name is upper case, or one of MUC's three in any case, and it has its
    partner in the same line, properly nested; all else is text. All nested entities are kept.

    >>> [annotation] = parse_inline(['<ORG>Bank of <LOC>Peru</LOC></ORG> <b>fell</b>'])
    >>> text, spans = annotation.readings[0]
    >>> text, [(span.type, span.start, span.end) for span in spans]
    ('Bank of Peru <b>fell</b>', [('ORG', 0, 12), ('LOC', 8, 12)])
    """
    return [_inline_annotation(number, line) for number, line in enumerate(lines, start=1)]


def has_tags(line: str) -> bool:
    """Whether any annotation is in the line."""
    return bool(_pairs(line)[0])


def _inline_annotation(number: int, line: str) -> MarkedSentence:
    pairs, alone = _pairs(line)
    readings = [_reading(line, pairs, escaped=False)]
    if "&" in line:
        readings.append(_reading(line, pairs, escaped=True))
    note = f"{alone[0].group()} has no partner" if alone else ""
    return MarkedSentence(number, readings, note=note)


Pair = tuple[re.Match[str], re.Match[str]]


def _pairs(line: str) -> tuple[list[Pair], list[re.Match[str]]]:
    """Opening tags with their closing ones, and the unmatched annotation tags."""
    opened: list[re.Match[str]] = []
    pairs: list[Pair] = []
    alone: list[re.Match[str]] = []
    for tag in _MARK.finditer(line):
        if not tag["name"].isupper() and tag["name"].upper() not in _MUC:
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


def _same_name(one: re.Match[str], other: re.Match[str]) -> bool:
    return one["name"].upper() == other["name"].upper()


def _reading(line: str, pairs: list[Pair], *, escaped: bool) -> LineReading:
    """The line without its annotation tags; `escaped` turns `&lt;` and similar into characters."""
    text, at = "", 0
    offsets: dict[int, int] = {}
    for tag in sorted((tag for pair in pairs for tag in pair), key=re.Match.start):
        piece = line[at : tag.start()]
        text += _unescaped(piece) if escaped else piece
        offsets[tag.start()] = len(text)
        at = tag.end()
    text += _unescaped(line[at:]) if escaped else line[at:]
    spans = [MarkedSpan(_type(start), offsets[start.start()], offsets[end.start()]) for start, end in pairs]
    return LineReading(text, sorted(spans, key=lambda span: (span.start, -(span.end or 0))))


def _unescaped(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:  # a character number with thousands of digits
        return text


def _type(tag: re.Match[str]) -> str:
    """MUC writes alternatives as "A|B"; the first one counts."""
    stated = _TYPE.search(tag["attributes"]) if tag["name"].upper() in _MUC else None
    return stated[1] if stated else tag["name"].upper()


_TAG = re.compile(r"O|(?P<prefix>[BIESLU])-(?P<type>\S+)")
_COMMENT = re.compile(r"#\s*+(?:[\w:.][\w:. ]*+|(?<= ))=")
_TEXT = re.compile(r"#\s*text\s*=\s?(.*)")
_JOINED_OR_EMPTY = re.compile(r"\d+[-.]\d+")


class _Row(NamedTuple):
    line: int
    cells: list[str]


class _Sentence(NamedTuple):
    text: str | None
    rows: list[_Row]


def parse_iob(lines: Sequence[str], path: str) -> list[MarkedSentence]:
    """One annotation per sentence, in order. Blank lines separate sentences, `# key = value` are comments.

    The tag is in the last column that has only tags. The token is in the first column, or in the second if
    the first one numbers the tokens. `I-` after `O` or another type starts an entity, as in IOB1; `E-`, `S-`,
    `L-` and `U-` are also read.
    """
    sentences = _sentences(lines)
    rows = [row for sentence in sentences for row in sentence.rows]
    if not rows:
        raise InputError("no tokens in the file", path=path)
    width = len(rows[0].cells)
    for row in rows:
        if len(row.cells) != width:
            raise InputError(f"{len(row.cells)} columns, expected {width}", path=path, line=row.line)
    numbered = width > 2 and all(_is_numbered(sentence.rows) for sentence in sentences)
    if numbered:
        sentences = [
            sentence._replace(
                rows=[row for row in sentence.rows if not _JOINED_OR_EMPTY.fullmatch(row.cells[0])]
            )
            for sentence in sentences
        ]
        rows = [row for sentence in sentences for row in sentence.rows]
    column = _tag_column(rows, width, path)
    return [_iob_annotation(sentence, column, 1 if numbered else 0) for sentence in sentences]


def looks_like_iob(lines: Sequence[str]) -> bool:
    """Whether the first lines that are neither blank nor comments all carry a tag."""
    rows = [row for sentence in _sentences(lines[:200]) for row in sentence.rows]
    return bool(rows) and all(
        len(row.cells) > 1 and any(map(_TAG.fullmatch, row.cells[1:])) for row in rows[:50]
    )


def _sentences(lines: Sequence[str]) -> list[_Sentence]:
    tabs = any("\t" in line and not _COMMENT.match(line) for line in lines)
    numbered = list(enumerate(lines, start=1))
    sentences = []
    for blank, group in groupby(numbered, key=lambda item: not item[1].strip()):
        if blank:
            continue
        text, rows = None, []
        for number, line in group:
            cells = line.split("\t") if tabs else line.split()
            if _is_comment(line, cells, tabs=tabs):
                stated = _TEXT.match(line)
                text = stated[1] if stated else text
            elif cells[0] != "-DOCSTART-":
                rows.append(_Row(number, cells))
        if rows:
            sentences.append(_Sentence(text, rows))
    return sentences


def _is_comment(line: str, cells: list[str], *, tabs: bool) -> bool:
    """Whether a line is a comment; a token may also start with "#"."""
    if not line.startswith("#"):
        return False
    if tabs:
        return "\t" not in line or " " in cells[0]
    return bool(_COMMENT.match(line)) or not _TAG.fullmatch(cells[-1])


def _is_numbered(rows: list[_Row]) -> bool:
    numbers = [row.cells[0] for row in rows if not _JOINED_OR_EMPTY.fullmatch(row.cells[0])]
    return numbers == [str(number) for number in range(1, len(numbers) + 1)]


def _tag_column(rows: list[_Row], width: int, path: str) -> int:
    tagged = {
        column: sum(_TAG.fullmatch(row.cells[column]) is not None for row in rows)
        for column in range(width - 1, 0, -1)
    }
    if not tagged:
        raise InputError("1 column, expected a token and its tag", path=path, line=rows[0].line)
    best = max(tagged, key=lambda column: tagged[column])
    for row in rows:
        if not _TAG.fullmatch(row.cells[best]):
            raise InputError(f"tag {row.cells[best]!r} is not O, B-TYPE or I-TYPE", path=path, line=row.line)
    return best


def _iob_annotation(sentence: _Sentence, tag_column: int, token_column: int) -> MarkedSentence:
    text = " ".join(row.cells[token_column] for row in sentence.rows)
    spans: Sequence[MarkedSpan] = list(_spans(sentence.rows, tag_column, token_column))
    if sentence.text is not None and without_space(sentence.text) == without_space(text):
        text, spans = sentence.text, carry_over(spans, text, sentence.text)
    return MarkedSentence(sentence.rows[0].line, [LineReading(text, spans)])


def _spans(rows: list[_Row], tag_column: int, token_column: int) -> Iterator[MarkedSpan]:
    """Offsets in the tokens joined by one space."""
    start, end, open_type, at = 0, 0, "", 0
    for row in rows:
        tag = _TAG.fullmatch(row.cells[tag_column])
        prefix, kind = (tag["prefix"], tag["type"]) if tag and tag["prefix"] else ("O", "")
        if open_type and (prefix in "OBSU" or kind != open_type):
            yield MarkedSpan(open_type, start, end)
            open_type = ""
        if kind and not open_type:
            start, open_type = at, kind
        end = at + len(row.cells[token_column])
        if open_type and prefix in "ESLU":
            yield MarkedSpan(open_type, start, end)
            open_type = ""
        at = end + 1
    if open_type:
        yield MarkedSpan(open_type, start, end)


def parse_jsonl(lines: Sequence[str], path: str) -> list[MarkedSentence]:
    """One annotation per line that is not blank, in order."""
    return [
        _standoff_annotation(_load(line, path, first_line=number), path, line=number, which="")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]


def parse_json(lines: Sequence[str], path: str) -> list[MarkedSentence]:
    """One annotation per element of the list in the file."""
    records = _load("\n".join(lines), path, first_line=1)
    if not isinstance(records, list):
        raise InputError(
            "expected a list of objects; one object per line is JSONL, name such a file .jsonl", path=path
        )
    return [
        _standoff_annotation(record, path, line=None, which=f"record {number}: ")
        for number, record in enumerate(records, start=1)
    ]


def is_json(text: str) -> bool:
    """Whether a text is a JSON object or list, complete."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        load_json(text)
    except ValueError:
        return False
    return True


def _load(text: str, path: str, *, first_line: int) -> Any:
    try:
        record = load_json(text)
        check_characters(record if "\\u" in text else None)
        return record
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", path=path, line=first_line + error.lineno - 1) from None
    except ValueError as error:
        raise InputError(f"not JSON that can be read: {error}", path=path, line=first_line) from None


def _standoff_annotation(record: Any, path: str, *, line: int | None, which: str) -> MarkedSentence:
    def wrong(what: str) -> InputError:
        return InputError(which + what, path=path, line=line)

    if not isinstance(record, dict) or not isinstance(record.get("entities"), list):
        raise wrong('expected an object with "entities", a list')
    text, identity, reference = record.get("text"), record.get("id"), record.get("reference", 0)
    if text is not None and not isinstance(text, str):
        raise wrong('"text" is not a string')
    if not _is_count(reference):
        raise wrong('"reference" is not a number counted from 0')
    if identity is not None and (isinstance(identity, bool) or not isinstance(identity, str | int)):
        raise wrong('"id" is neither a string nor a whole number')
    spans = []
    for problem, span in map(_span, record["entities"]):
        if problem or span is None:
            raise wrong(problem)
        if text is not None and span.end is not None and span.end > len(text):
            raise wrong(
                f"entity {span.start}–{span.end} ends after the text, which has {len(text)} characters"
            )
        spans.append(span)
    if text is not None:
        try:
            spans = list(locate(spans, text))
        except ValueError as error:
            raise wrong(str(error)) from None
    return MarkedSentence(
        line,
        [LineReading(text, spans)],
        id=None if identity is None else str(identity),
        reference=reference,
        note=which.rstrip(": "),
    )


def _span(entity: Any) -> tuple[str, MarkedSpan | None]:
    """The error message (empty if there is no error) and the span."""
    if not isinstance(entity, dict):
        return "an entity is not an object", None
    kind = entity.get("type", entity.get("label"))
    if not isinstance(kind, str) or not kind.strip():
        return f'entity {json.dumps(entity, ensure_ascii=False)} has no "type"', None
    start, end, text = entity.get("start"), entity.get("end"), entity.get("text")
    if text is not None and (not isinstance(text, str) or not text.strip()):
        return f'entity {json.dumps(entity, ensure_ascii=False)} has an empty "text"', None
    if start is None and end is None and text is not None:
        return "", MarkedSpan(kind, None, None, text)
    if not _is_count(start) or not _is_count(end) or not start < end:
        return f'entity {json.dumps(entity, ensure_ascii=False)} needs whole numbers "start" < "end"', None
    return "", MarkedSpan(kind, start, end, text)


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def locate(spans: Sequence[MarkedSpan], text: str) -> Iterator[MarkedSpan]:
    """Add offsets to spans. A span with only a text is its next occurrence; `ValueError` without one."""
    after: dict[str, int] = {}
    for span in spans:
        if span.start is None or span.end is None:
            assert span.text is not None
            start = text.find(span.text, after.get(span.text, 0))
            if start < 0:
                again = " again" if span.text in after else ""
                raise ValueError(f"entity {span.text!r} does not occur{again} in the text")
            after[span.text] = start + len(span.text)
            yield span._replace(start=start, end=start + len(span.text))
        elif span.text is not None and text[span.start : span.end] != span.text:
            raise ValueError(
                f"characters {span.start}–{span.end} are {text[span.start : span.end]!r}, not {span.text!r}"
            )
        else:
            yield span
