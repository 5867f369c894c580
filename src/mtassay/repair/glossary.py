"""Corrections as fixed mappings, for an engine that takes a glossary: whole sentences, and edited words.

The first of the two repairs in section 5.2 of He, Meister and Su 2020.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TextIO

from mtassay.core import Edit, Segment
from mtassay.errors import InputError
from mtassay.formats import read_segments
from mtassay.formats.text import FilePath, write_lines
from mtassay.languages import Pair
from mtassay.repair.corrections import Correction
from mtassay.store import Workspace
from mtassay.tools.align import open_aligner
from mtassay.tools.align.aligner import Links, WordAligner

__all__ = ["GlossaryEntry", "RepairGlossary", "edits_in", "glossary_of", "make_glossary", "write_glossary"]

_WORD = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")


class GlossaryEntry(NamedTuple):
    """A source phrase and what it is always translated to."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class RepairGlossary:
    """Fixed mappings in the order of the corrections, each once: words first, then sentences.

    `unclear` source phrases have more than one translation among the corrections, so none is fixed.
    `is_aligned` says whether words could be looked for.
    """

    words: list[GlossaryEntry]
    sentences: list[GlossaryEntry]
    unclear: list[str]
    is_aligned: bool = False


def edits_in(segments: Iterable[Segment]) -> dict[str, Edit]:
    """The edits that made segments, by their ids; who was not made by the edit of one place is not there.

    >>> edit = {"start": 2, "end": 7, "before": "small", "after": "young"}
    >>> edits_in([Segment("7/1-young", tags={"original": "7", "edit": edit})])["7/1-young"].after
    'young'
    """
    edits = {}
    for segment in segments:
        edit = segment.tags.get("edit")
        if edit is None:
            continue
        if (
            not isinstance(edit, Mapping)
            or not all(type(edit.get(key)) is int for key in ("start", "end"))
            or not all(isinstance(edit.get(key), str) for key in ("before", "after"))
        ):
            raise InputError("'edit' must have start, end, before and after")
        pos = edit.get("pos")
        edits[segment.id] = Edit(
            edit["start"], edit["end"], edit["before"], edit["after"], pos if isinstance(pos, str) else ""
        )
    return edits


def glossary_of(
    corrections: Sequence[Correction],
    variants: FilePath | Workspace | None = None,
    *,
    pair: Pair | None = None,
) -> RepairGlossary:
    """What can be mapped, with the edits of a file of variants, or of all runs of a workspace.

    Words need the edits and the language pair, for which there is an aligner.
    """
    segments: list[Segment] = []
    if isinstance(variants, Workspace):
        segments = [segment for run in variants.runs() for segment in variants.segments(run.id)]
    elif variants is not None:
        segments = read_segments(variants, [])
    edits = edits_in(segments)
    aligner = open_aligner(pair) if edits and pair is not None else None
    return make_glossary(corrections, edits=edits, aligner=aligner)


def make_glossary(
    corrections: Sequence[Correction],
    *,
    edits: Mapping[str, Edit] | None = None,
    aligner: WordAligner | None = None,
) -> RepairGlossary:
    """What can be mapped. `edits` has the edits that made variants, by id.

    The edited word is mapped where the aligner links it to neighbouring words of the correction and the wrong
    output lacks them: then this word is what went wrong. Without `edits` or `aligner` only sentences are.
    """
    edited = [(c, edits[c.id]) for c in corrections if c.id in edits] if edits and aligner else []
    words: list[GlossaryEntry] = []
    if edited and aligner is not None:
        split = [(_words(c.source), _words(c.correction)) for c, _ in edited]
        links = aligner.align(split)
        for (correction, edit), (left, right), linked in zip(edited, split, links, strict=True):
            target = _translation_of(edit, left, right, linked, correction)
            if target is not None and not _holds(correction.output, target):
                words.append(GlossaryEntry(edit.after, target))
    sentences = [GlossaryEntry(_flat(c.source), _flat(c.correction)) for c in corrections]
    unclear = [*_ambiguous(words), *_ambiguous(sentences)]
    return RepairGlossary(_clear(words, unclear), _clear(sentences, unclear), unclear, aligner is not None)


def write_glossary(where: FilePath | TextIO, glossary: RepairGlossary) -> None:
    """One mapping per line: source phrase, tab, target phrase."""
    write_lines(where, (f"{source}\t{target}" for source, target in (*glossary.words, *glossary.sentences)))


def _translation_of(
    edit: Edit, left: Sequence[str], right: Sequence[str], links: Links, correction: Correction
) -> str | None:
    """What the edited word became, as it stands in the correction; `None` where the links do not show it."""
    places = [match.start() for match in _WORD.finditer(correction.source)]
    if edit.start not in places or left[places.index(edit.start)] != edit.after:
        return None
    linked = sorted(target for source, target in links if source == places.index(edit.start))
    if not linked or linked[-1] - linked[0] + 1 != len(linked):
        return None
    others = {target for source, target in links if source != places.index(edit.start)}
    if others & set(linked):
        return None
    spans = [match.span() for match in _WORD.finditer(correction.correction)]
    return correction.correction[spans[linked[0]][0] : spans[linked[-1]][1]]


def _clear(entries: Sequence[GlossaryEntry], unclear: Sequence[str]) -> list[GlossaryEntry]:
    return [entry for entry in dict.fromkeys(entries) if entry.source not in unclear]


def _ambiguous(entries: Sequence[GlossaryEntry]) -> list[str]:
    targets: dict[str, set[str]] = {}
    for source, target in entries:
        targets.setdefault(source, set()).add(target)
    return [source for source, translations in targets.items() if len(translations) > 1]


def _holds(text: str, phrase: str) -> bool:
    words, wanted = [w.lower() for w in _words(text)], [w.lower() for w in _words(phrase)]
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words)))


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _flat(text: str) -> str:
    return " ".join(text.split())
