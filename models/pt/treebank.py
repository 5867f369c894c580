"""Reads UD Portuguese-Bosque with its Universal NER layer as sentences of written words.

UD splits contractions and verbs with clitics into syntactic words (`do` is `de` + `o`, `disse-lhe` is
`disse` + `lhe`); spaCy's tokenizer does not. So the syntactic words of one written word become one again,
in the way of `spacy convert --merge-subtokens`: the word nearest to the root gives part of speech, head and
relation, the lemmas are joined by a blank, and the features are united.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Word:
    """One written word. `head` is an index in the sentence, its own for the root; `entity` an IOB2 tag."""

    text: str
    space_after: bool
    lemma: str
    pos: str
    features: str
    head: int
    relation: str
    entity: str


@dataclass(frozen=True, slots=True)
class _Row:
    form: str
    lemma: str
    pos: str
    features: str
    head: int  # from 1, 0 for the root
    relation: str
    misc: str


@dataclass(frozen=True, slots=True)
class _Written:
    """A written word and the syntactic words in it, counted from 1, the last one included."""

    text: str
    first: int
    last: int
    misc: str


def read_sentences(conllu: Path, iob2: Path) -> Iterator[list[Word]]:
    """The sentences of two files that hold the same syntactic words in the same order."""
    for lines, tagged in zip(_blocks(conllu), _blocks(iob2), strict=True):
        rows, written = _read_rows(lines)
        tags = [cells[1] for cells in tagged]
        if [row.form for row in rows] != [cells[0] for cells in tagged]:
            raise SystemExit(f"{iob2} differs from {conllu}: {' '.join(row.form for row in rows)}")
        yield merge(rows, written, tags)


def _blocks(path: Path) -> Iterator[list[list[str]]]:
    """The cells of each sentence; in IOB2 files without the number in front."""
    block: list[list[str]] = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if line.startswith("#"):
                continue
            if line:
                cells = line.split("\t")
                block.append(cells if len(cells) == 10 else cells[1:])
            elif block:
                yield block
                block = []
    if block:
        yield block


def _read_rows(lines: Iterable[Sequence[str]]) -> tuple[list[_Row], list[_Written]]:
    rows: list[_Row] = []
    written: list[_Written] = []
    for number, form, lemma, pos, _, features, head, relation, _, misc in lines:
        if "." in number:  # an elided word, which nobody wrote
            continue
        if "-" in number:
            first, last = map(int, number.split("-"))
            written.append(_Written(form, first, last, misc))
            continue
        rows.append(_Row(form, lemma, pos, "" if features == "_" else features, int(head), relation, misc))
        if not written or written[-1].last < len(rows):
            written.append(_Written(form, len(rows), len(rows), misc))
    return rows, written


def merge(rows: Sequence[_Row], written: Sequence[_Written], tags: Sequence[str]) -> list[Word]:
    """The written words of a sentence."""
    place = {part: index for index, each in enumerate(written) for part in range(each.first, each.last + 1)}
    words = []
    for index, each in enumerate(written):
        parts = range(each.first, each.last + 1)
        chief = min(parts, key=lambda part: _depth(rows, part))
        head = rows[chief - 1].head
        words.append(
            Word(
                text=each.text,
                space_after="SpaceAfter=No" not in each.misc,
                lemma=" ".join(rows[part - 1].lemma for part in parts),
                pos=rows[chief - 1].pos,
                features=unite(rows[part - 1].features for part in parts),
                head=place[head] if head else index,
                relation=rows[chief - 1].relation if head else "ROOT",
                entity="O",
            )
        )
    return _with_entities(words, _entity_spans(tags), place)


def _depth(rows: Sequence[_Row], part: int) -> int:
    depth = 0
    while rows[part - 1].head:
        part, depth = rows[part - 1].head, depth + 1
    return depth


def unite(features: Iterable[str]) -> str:
    """All features, in order of the alphabet, each with all its values."""
    values: dict[str, set[str]] = {}
    for one in features:
        for pair in filter(None, one.split("|")):
            name, _, value = pair.partition("=")
            values.setdefault(name, set()).update(value.split(","))
    return "|".join(f"{name}={','.join(sorted(values[name]))}" for name in sorted(values))


def _entity_spans(tags: Sequence[str]) -> list[tuple[int, int, str]]:
    """First and last syntactic word (from 1) and label."""
    spans: list[tuple[int, int, str]] = []
    for number, (before, tag) in enumerate(pairwise(["O", *tags]), start=1):
        label = tag[2:]
        if tag.startswith("I-") and before[2:] == label and spans:
            spans[-1] = (spans[-1][0], number, label)
        elif tag != "O":
            spans.append((number, number, label))
    return spans


def _with_entities(
    words: list[Word], spans: Sequence[tuple[int, int, str]], place: Mapping[int, int]
) -> list[Word]:
    """An entity that begins inside a contraction (`do` + `Brasil`) begins with the next word instead."""
    tagged = list(words)
    for first, last, label in spans:
        start, end = place[first], place[last]
        if start < end and place.get(first - 1) == start:
            start += 1
        if start < end and place.get(last + 1) == end:
            end -= 1
        for index in range(start, end + 1):
            if tagged[index].entity == "O":
                tag = f"{'B' if index == start else 'I'}-{label}"
                tagged[index] = replace(tagged[index], entity=tag)
    return tagged
