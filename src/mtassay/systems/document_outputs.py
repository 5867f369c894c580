"""Reads outputs with one text per document, and aligns their sentences with a test set's segments.

A folder with a file for each document, or JSON Lines with a document's id and its translation, as in WMT25.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from pathlib import Path

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.jsonl import PARTS, json_objects
from mtassay.data.formats.textfiles import read_bytes, read_lines, split_lines
from mtassay.data.languages import Pair
from mtassay.data.marks import plural
from mtassay.data.nouns import Segment
from mtassay.nlp import encoder, sentence_alignment
from mtassay.nlp.sentence_alignment import Link, align_sentences, character_features, split_sentences

DOCUMENT_KEYS = ("doc_id", "document", "document_id")
TEXT_KEYS = ("hypothesis", "output", "translation", "tgt_text", "text")
_SEGMENT_KEYS = ("id", "segment_id", "seg_id", "system")
ENCODED = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split())  # noqa: SIM905
_PLACE = re.compile(r"(?<=[,;:.!?，、；。！？])\s*|\s+")
_SHOWN = 5


@dataclass(slots=True)
class AlignedOutputs:
    """The output of each segment by its id, and notes on parts that do not match sentence by sentence."""

    outputs: dict[str, str | None] = field(default_factory=dict)
    omitted: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    aligned: int = 0
    by: str = ""

    def notes(self, name: str) -> list[str]:
        """Notes for the reader: the way of alignment, then each kind with its first sentences."""
        if not self.aligned:
            return []
        told = [f"{name}: sentences were aligned in {plural(self.aligned, 'document')}, by {self.by}"]
        for what, sentences in (
            ("without a translation in the output (a segment without one counts as empty)", self.omitted),
            ("that translate nothing in the source (they count with the segment before)", self.added),
            ("that translate several segments at once (they were divided by length)", self.merged),
            ("in another place than in the source", self.moved),
        ):
            if sentences:
                some = " | ".join(s if len(s) < 90 else f"{s[:90]}…" for s in sentences[:_SHOWN])
                told.append(f"{name}: {plural(len(sentences), 'sentence')} {what}: {some}")
        return told


def holds_documents(path: str) -> bool:
    """Whether a file or folder holds one text per document."""
    if Path(path).is_dir():
        return True
    if not path.endswith((".jsonl", ".ndjson", ".jsonl.gz")):
        return False
    first = next(json_objects(_lines(path), path), (0, {}))[1]
    text = first.get(_key(first, TEXT_KEYS), 0)
    return (
        isinstance(text, str | None) and _key(first, DOCUMENT_KEYS) != "" and not _key(first, _SEGMENT_KEYS)
    )


def read_document_outputs(path: str, segments: Sequence[Segment], pair: Pair | None) -> AlignedOutputs:
    """The output of each segment, from one text per document.

    A document with as many lines as segments is taken line by line. Any other document is aligned by
    sentences: with the source by the encoder if it knows both languages, else with the reference by
    characters.

    Args:
        path: A folder with a file for each document, or JSON Lines.
        segments: The test set; its segments must name their documents.
        pair: The language pair, where it is known.

    Returns:
        The outputs; a document that is not there has none.

    Raises:
        InputError: A document is repeated, or is not in the test set.
    """
    texts = _folder(path) if Path(path).is_dir() else _records(path)
    documents: dict[str, list[Segment]] = defaultdict(list)
    for segment in segments:
        if segment.document is None:
            raise UsageError(
                f"{path} holds a text for each document: say which lines are one, `documents='FILE'`."
            )
        documents[segment.document].append(segment)
    by_name = {_plain(name): name for name in documents}
    # WMT25 files have documents of many pairs; their names begin with the pair.
    pairs = {name.partition(PARTS)[0] for name in by_name}
    texts = {k: text for k, text in texts.items() if PARTS not in k or k.partition(PARTS)[0] in pairs}
    if unknown := [name for name in texts if _plain(name) not in by_name]:
        raise InputError(f"the test set has no document '{unknown[0]}'", path=path)
    result = AlignedOutputs(dict.fromkeys(segment.id for segment in segments))
    align = _aligner(pair, segments, result)
    for name, text in texts.items():
        own = documents[by_name[_plain(name)]]
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) == len(own):
            result.outputs |= {segment.id: line.strip() for segment, line in zip(own, lines, strict=True)}
        else:
            _put(own, text, align, result)
    return result


Align = Callable[[Sequence[Segment], Sequence[str]], tuple[list[int], list[str], list[Link]]]


def _aligner(pair: Pair | None, segments: Sequence[Segment], result: AlignedOutputs) -> Align:
    """Aligns sentences with a document's: the segment of each sentence, the texts, and the links."""
    codes = {pair.source.code, pair.target.code} if pair else set()
    has_source = all(segment.source for segment in segments)
    if pair and codes <= ENCODED and has_source and encoder.is_installed():
        result.by = "the sentence encoder"
        features = sentence_alignment.encoder_features(encoder.open_encoder())
        settings, of_reference = sentence_alignment.BY_ENCODER, False
    else:
        of_reference = any(segment.references for segment in segments)
        result.by = f"characters of the {'reference' if of_reference else 'source'}"
        features, settings = character_features, sentence_alignment.BY_CHARACTERS

    def align(own: Sequence[Segment], target: Sequence[str]) -> tuple[list[int], list[str], list[Link]]:
        texts = [next(filter(None, s.references), "") if of_reference else s.source or "" for s in own]
        units = [(i, sentence) for i, text in enumerate(texts) for sentence in split_sentences(text)]
        sentences = [sentence for _, sentence in units]
        return [i for i, _ in units], sentences, align_sentences(sentences, target, features, settings)

    return align


def _put(own: Sequence[Segment], text: str, align: Align, result: AlignedOutputs) -> None:
    """Assign the sentences of a document's translation to its segments."""
    target = split_sentences(text)
    owners, sentences, links = align(own, target)
    result.aligned += 1
    parts: list[list[tuple[int, str]]] = [[] for _ in own]
    at = 0
    highest = -1
    last: dict[int, int] = {}
    for link in links:
        told = " ".join(target[j] for j in link.target)
        if not link.target:
            result.omitted += [sentences[i] for i in link.source]
            continue
        if not link.source:
            result.added.append(told)
            continue
        if link.target[0] < highest:
            result.moved.append(told)
        highest = max(highest, link.target[-1])
        sizes = [
            (owner, sum(len(sentences[i]) for i in mine))
            for owner, mine in groupby(link.source, key=lambda i: owners[i])
        ]
        if len(sizes) > 1:
            result.merged.append(told)
        for (owner, _), part in zip(sizes, divide(told, [size for _, size in sizes]), strict=True):
            parts[owner].append((link.target[0], part))
            last[link.target[-1]] = at = owner
    # Added sentences go with the sentence before, so that metrics see them.
    for link in links:
        if not link.source:
            before = [j for j in last if j < link.target[0]]
            at = last[max(before)] if before else 0
            parts[at].append((link.target[0], " ".join(target[j] for j in link.target)))
    for segment, mine in zip(own, parts, strict=True):
        result.outputs[segment.id] = " ".join(part for _, part in sorted(mine, key=lambda entry: entry[0]))


def divide(text: str, sizes: Sequence[int]) -> list[str]:
    """Cut a text into parts in proportion to these sizes, between words, behind a mark if one is near.

    >>> divide("He slept, and she read.", [10, 10])
    ['He slept,', 'and she read.']
    """
    cuts, start = [], 0
    for share in list(accumulate(sizes))[:-1]:
        aim = len(text) * share / max(sum(sizes), 1)
        places = [m for m in _PLACE.finditer(text) if m.start() > start]
        if not places:
            break
        # A punctuation mark may be farther away than a space, by a tenth of the text.
        near = min(
            places,
            key=lambda m: (
                abs(m.start() - aim) - len(text) / 10 * (text[m.start() - 1] in ",;:.!?，、；。！？")
            ),
        )
        cuts.append((near.start(), near.end()))
        start = near.end()
    starts = [0, *(end for _, end in cuts)]
    ends = [*(begin for begin, _ in cuts), len(text)]
    parts = [text[a:b].strip() for a, b in zip(starts, ends, strict=True)]
    return parts + [""] * (len(sizes) - len(parts))


def _plain(name: str) -> str:
    """The name of a document in both files and test sets, without its domain before a tab."""
    return name.rpartition("\t")[2].strip()


def _key(record: Mapping[str, object], keys: Sequence[str]) -> str:
    return next((key for key in keys if key in record), "")


def _lines(path: str) -> list[str]:
    return list(split_lines(read_bytes(path), path))


def _folder(path: str) -> dict[str, str]:
    files = sorted(file for file in Path(path).iterdir() if file.is_file() and file.name[0] != ".")
    return {file.stem: "\n".join(read_lines(file)) if file.stat().st_size else "" for file in files}


def _records(path: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    counted: Counter[str] = Counter()
    for number, record in json_objects(_lines(path), path):
        name, text = record.get(_key(record, DOCUMENT_KEYS)), record.get(_key(record, TEXT_KEYS))
        if isinstance(name, str | int) and text is None and _key(record, TEXT_KEYS):
            continue  # no answer: the document has no outputs
        if not isinstance(name, str | int) or not isinstance(text, str):
            raise InputError(
                "a record needs the id of a document and its translation", path=path, line=number
            )
        counted[str(name)] += 1
        if counted[str(name)] > 1:
            raise InputError(f"the document '{name}' is there twice", path=path, line=number)
        texts[str(name)] = text
    return texts
