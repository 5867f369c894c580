"""Compares the spans that we would edit with those that the authors of BTPGBT edited (Wu, Liu, Yeung 2023).

usage: python bench/behavior_spans.py [ALIGNER ...] [--show N]

An ALIGNER is what `open_aligner` takes as a name, or `given`: the links that come with the data; by default
given, encoder and table. Data: btpgbt from MTASSAY_DATA (6,862 tokenised pairs, `test.align`, and
for five capabilities the edited segment of each case). Tokens are as given; spaCy tags and parses the English
side, nothing the Chinese one. For each aligner, prints how long the extraction takes, how many spans there
are, the share of the authors' edits that we would allow too with its 95 % interval, and why not the others;
with --show N, N examples of each reason.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.data.errors import UsageError
from mtassay.methods.behavior.capability import open_capability
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.methods.behavior.spans import aligned_spans, candidates
from mtassay.nlp.annotation import Annotation, Token, with_phrases
from mtassay.nlp.links import Links, open_aligner, read_pharaoh
from mtassay.nlp.spacy_pipeline import annotation, load_pipeline, models
from mtassay.stats.proportions import wilson

PROJECT = Path(__file__).resolve().parent.parent
FOLDER = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data")) / "btpgbt"
NAMES = ["noun", "verb", "adjective", "adverb", "others"]
PARTS = {
    "noun": {"NOUN", "PROPN"},
    "verb": {"VERB"},
    "adjective": {"ADJ"},
    "adverb": {"ADV"},
    "others": {"NUM", "PRON", "DET", "AUX", "CCONJ", "SCONJ", "PART", "INTJ"},
}
ALIGNERS = ["given", "encoder", "table"]
SAME = "the same span on both sides"


class Edit(NamedTuple):
    """One edit of the authors: words by number on both sides, in the pair with this number."""

    capability: str
    pair: int
    words: range
    others: range


def main() -> None:
    arguments = sys.argv[1:]
    show = 0
    if "--show" in arguments:
        at = arguments.index("--show")
        show = int(arguments[at + 1])
        del arguments[at : at + 2]
    english, chinese = lines("test_en"), lines("test_zh")
    start = time.perf_counter()
    sources = read_english(english)
    references = [given_tokens(line) for line in chinese]
    print(f"{len(sources)} pairs annotated in {time.perf_counter() - start:.1f} s", flush=True)
    edits, lost = read_edits(english, chinese)
    print(f"{len(edits)} edits; not found again: {lost}")
    for name in arguments or ALIGNERS:
        start = time.perf_counter()
        try:
            links = align(name, sources, references)
        except UsageError as error:
            print(f"\n{name}: {error}")
            continue
        aligned = time.perf_counter() - start
        read = [
            ReadPair(str(number), *row)
            for number, row in enumerate(zip(sources, references, links, strict=True))
        ]
        start = time.perf_counter()
        spans = [aligned_spans(pair) for pair in read]
        extracted = time.perf_counter() - start
        print(f"\n{name}: aligned in {aligned:.1f} s, {sum(map(len, links))} links; ", end="")
        print(f"{sum(map(len, spans))} spans extracted in {extracted:.1f} s")
        report(read, spans, edits, show)


def lines(name: str) -> list[str]:
    return (FOLDER / name).read_text(encoding="utf-8").rstrip("\n").split("\n")


def read_english(texts: Sequence[str]) -> list[Annotation]:
    """spaCy's reading of the tokens as they are given."""
    from spacy.tokens import Doc

    pipeline = load_pipeline(models("en")[0])

    def documents() -> Iterator[Any]:
        yield from (Doc(pipeline.vocab, words=text.split()) for text in texts)

    return [with_phrases(annotation(document)) for document in pipeline.pipe(documents())]


def given_tokens(text: str) -> Annotation:
    tokens = tuple(Token(found[0], found.start(), found.end()) for found in re.finditer(r"\S+", text))
    return Annotation(text, tokens)


def read_edits(english: Sequence[str], chinese: Sequence[str]) -> tuple[list[Edit], int]:
    """All edits of the five capabilities, and how many could not be found again among the pairs."""
    originals = lines("wmt2122/test_en"), lines("wmt2122/test_zh")
    places = defaultdict(list)
    for number, (source, reference) in enumerate(zip(*originals, strict=True)):
        places[source.strip(), reference.strip()].append(number)
    edits, lost = [], 0
    for name in NAMES:
        rows = [lines(f"cases/{name}/{file}") for file in ("train_align", "old_en", "old_zh")]
        for made, source, reference in zip(*rows, strict=True):
            [(words, others, (here, there), *_)] = ast.literal_eval(made)
            numbers = [
                number
                for number in places[source.strip(), reference.strip()]
                if is_at(english[number].split(), here, words)
                and is_at(chinese[number].split(), there, others)
            ]
            if numbers:
                ranges = range(here[0], here[-1] + 1), range(there[0], there[-1] + 1)
                edits.append(Edit(name, numbers[0], *ranges))
            else:
                lost += 1
    return edits, lost


def is_at(words: Sequence[str], places: Sequence[int], wanted: str) -> bool:
    return max(places) < len(words) and [words[place] for place in places] == wanted.split()


def align(name: str, sources: Sequence[Annotation], references: Sequence[Annotation]) -> Sequence[Links]:
    if name == "given":
        # Target-source, and words count from 1.
        found = read_pharaoh(FOLDER / "test.align")
        return [frozenset((i - 1, j - 1) for j, i in links) for links in found]
    pairs = [
        ([token.text for token in source.tokens], [token.text for token in reference.tokens])
        for source, reference in zip(sources, references, strict=True)
    ]
    return open_aligner("en-zh", name=name).align(pairs)


def report(
    read: Sequence[ReadPair], spans: Sequence[Sequence[AlignedSpan]], edits: Sequence[Edit], show: int
) -> None:
    reasons: dict[str, Counter[str]] = {name: Counter() for name in NAMES}
    capable: Counter[str] = Counter()
    examples = defaultdict(list)
    for edit in edits:
        pair, found = read[edit.pair], spans[edit.pair]
        reason = why_not(pair, found, edit)
        reasons[edit.capability][reason] += 1
        if reason == SAME:
            mine = [span for span in found if words_of(pair, span) == edit.words]
            fits = bool(open_capability(edit.capability).spans(pair, mine))
            capable[edit.capability] += fits
            if not fits:
                inside = any(PARTS[edit.capability] & {pair.source.tokens[i].pos} for i in edit.words)
                reason += ", but not as its head" if inside else ", but tagged otherwise"
                reasons[edit.capability][reason] += 1
        if reason != SAME:
            examples[reason].append(shown(pair, edit))
    for name in NAMES:
        n = reasons[name][SAME]
        total = sum(count for reason, count in reasons[name].items() if ", but" not in reason)
        print(f"{name:>10}: allowed {share(n, total)}, for the same capability {share(capable[name], total)}")
    total = len(edits)
    n = sum(counts[SAME] for counts in reasons.values())
    print(f"{'all':>10}: allowed {share(n, total)}, for the same capability {share(capable.total(), total)}")
    print(f"    {'':<58}" + "".join(f"{name:>10}" for name in NAMES) + f"{'all':>8}")
    for reason, count in sum(reasons.values(), Counter[str]()).most_common():
        print(f"    {reason:<58}" + "".join(f"{reasons[name][reason]:>10}" for name in NAMES) + f"{count:>8}")
        for example in examples[reason][:: max(1, len(examples[reason]) // show)][:show] if show else ():
            print(f"        {example}")


def share(count: int, total: int) -> str:
    low, high = wilson(count, total)
    return f"{100 * count / total:5.1f} % ({100 * low:.1f}-{100 * high:.1f}, {count} of {total})"


def why_not(pair: ReadPair, spans: Sequence[AlignedSpan], edit: Edit) -> str:
    """Whether we have the authors' span, or why not."""
    mine = [span for span in spans if words_of(pair, span) == edit.words]
    if any(others_of(pair, span) == edit.others for span in mine):
        return SAME
    if mine:
        return "the same source, another span of the reference"
    words, others = edit.words, edit.others
    linked = {i for i, _ in pair.links}
    if not any((i, j) in pair.links for i in words for j in others):
        return "the two are not linked"
    if any(i in words and j not in others for i, j in pair.links):
        there = [j for i, j in pair.links if i in words]
        if any(i not in words and min(there) <= j <= max(there) for i, j in pair.links):
            return "the source is also linked elsewhere"
    if any(i not in words and j in others for i, j in pair.links):
        return "the reference is also linked elsewhere"
    if words[0] not in linked or words[-1] not in linked:
        return "a word at the edge has no link"
    if not any((span.start, span.end) == (words[0], words[-1] + 1) for span in candidates(pair.source)):
        return "no word or phrase for us"
    if words[0] <= next(i for i, t in enumerate(pair.source.tokens) if any(map(str.isalnum, t.text))):
        return "the start of the sentence"
    return "a content word inside has no link"


def words_of(pair: ReadPair, span: AlignedSpan) -> range:
    return tokens_between(pair.source, span.start, span.end)


def others_of(pair: ReadPair, span: AlignedSpan) -> range:
    return tokens_between(pair.reference, span.reference_start, span.reference_end)


def tokens_between(side: Annotation, start: int, end: int) -> range:
    inside = [i for i, token in enumerate(side.tokens) if token.start >= start and token.end <= end]
    return range(inside[0], inside[-1] + 1)


def shown(pair: ReadPair, edit: Edit) -> str:
    source = [f"{t.text}/{t.pos}" for t in pair.source.tokens]
    here = source[max(0, edit.words[0] - 3) : edit.words[-1] + 4]
    there = " ".join(t.text for t in pair.reference.tokens[edit.others[0] : edit.others[-1] + 1])
    links = sorted(
        (pair.source.tokens[i].text, pair.reference.tokens[j].text)
        for i, j in pair.links
        if i in edit.words or j in edit.others
    )
    words = " ".join(pair.source.tokens[i].text for i in edit.words)
    return f"{edit.capability}: [{words} | {there}] in {' '.join(here)}; links {links}"


if __name__ == "__main__":
    main()
