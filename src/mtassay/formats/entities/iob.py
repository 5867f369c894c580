"""Entities as a tag per token, one token per line: IOB2 and its relatives, in CoNLL's or UNER's columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from mtassay.errors import InputError
from mtassay.formats.entities.records import Annotation, Reading, Span, carry_over, without_space

_TAG = re.compile(r"O|(?P<prefix>[BIESLU])-(?P<type>\S+)")
_COMMENT = re.compile(r"#\s*[\w:. ]+=")
_TEXT = re.compile(r"#\s*text\s*=\s?(.*)")
_JOINED_OR_EMPTY = re.compile(r"\d+[-.]\d+")


class _Row(NamedTuple):
    line: int
    cells: list[str]


class _Sentence(NamedTuple):
    text: str | None
    rows: list[_Row]


def parse_iob(lines: Sequence[str], path: str) -> list[Annotation]:
    """One annotation per sentence, in order. Blank lines separate sentences, `# key = value` are comments.

    The tag is the last column that holds nothing but tags. The token is the first column, or the second
    where the first one numbers the tokens. `I-` after `O` or another type starts an entity, as in IOB1;
    `E-`, `S-`, `L-` and `U-` are understood.
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
    return [_annotation(sentence, column, 1 if numbered else 0) for sentence in sentences]


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
    """A line may also start with "#" because that is its token."""
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


def _annotation(sentence: _Sentence, tag_column: int, token_column: int) -> Annotation:
    text = " ".join(row.cells[token_column] for row in sentence.rows)
    spans: Sequence[Span] = list(_spans(sentence.rows, tag_column, token_column))
    if sentence.text is not None and without_space(sentence.text) == without_space(text):
        text, spans = sentence.text, carry_over(spans, text, sentence.text)
    return Annotation(sentence.rows[0].line, [Reading(text, spans)])


def _spans(rows: list[_Row], tag_column: int, token_column: int) -> Iterator[Span]:
    """Offsets in the tokens joined by one space."""
    start, end, open_type, at = 0, 0, "", 0
    for row in rows:
        tag = _TAG.fullmatch(row.cells[tag_column])
        prefix, kind = (tag["prefix"], tag["type"]) if tag and tag["prefix"] else ("O", "")
        if open_type and (prefix in "OBSU" or kind != open_type):
            yield Span(open_type, start, end)
            open_type = ""
        if kind and not open_type:
            start, open_type = at, kind
        end = at + len(row.cells[token_column])
        if open_type and prefix in "ESLU":
            yield Span(open_type, start, end)
            open_type = ""
        at = end + 1
    if open_type:
        yield Span(open_type, start, end)
