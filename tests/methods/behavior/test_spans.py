"""Spans that can be edited: consistent with the links on both sides, and restorable."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.methods.behavior.infiller import MASK, Masked
from mtassay.methods.behavior.pairs import ReadPair
from mtassay.methods.behavior.spans import MOST_WORDS, PHRASES, aligned_spans, candidates, keep_longest
from mtassay.nlp.annotation import Annotation, Token, TokenSpan
from tests.fake_annotator import FakeAnnotator

ENGLISH = FakeAnnotator(
    "en",
    pos={"she": "PRON", "the": "DET", "a": "DET", "new": "ADJ", "sold": "VERB", "in": "ADP", "Rio": "PROPN"},
    entities={"Rio": "LOC"},
)
PORTUGUESE = FakeAnnotator(
    "pt", pos={"ela": "PRON", "vendeu": "VERB", "a": "DET", "nova": "ADJ", "no": "ADP"}
)


def read(source: str, reference: str, links: str) -> ReadPair:
    """A pair with links as `0-0 1-2`."""
    pairs = (link.split("-") for link in links.split())
    return ReadPair(
        "1",
        ENGLISH.annotate([source])[0],
        PORTUGUESE.annotate([reference])[0],
        frozenset((int(i), int(j)) for i, j in pairs),
    )


def texts(pair: ReadPair, **options: bool) -> set[tuple[str, str]]:
    return {
        (pair.source.text[s.start : s.end], pair.reference.text[s.reference_start : s.reference_end])
        for s in aligned_spans(pair, **options)
    }


SHOP = ("She sold the new shop", "Ela vendeu a loja nova")


def test_words_and_phrases_that_align_both_ways_can_be_edited() -> None:
    pair = read(*SHOP, "0-0 1-1 2-2 3-4 4-3")
    assert texts(pair) == {
        ("sold", "vendeu"),
        ("sold the new shop", "vendeu a loja nova"),
        ("the", "a"),
        ("new", "nova"),
        ("shop", "loja"),
        ("new shop", "loja nova"),
        ("the new shop", "a loja nova"),
    }


def test_a_placeholder_is_nobodys_word() -> None:
    pair = read("She sold # NAME # in Rio", "Ela vendeu # NAME # no Rio", "0-0 1-1 2-2 3-3 4-4 5-5 6-6")
    assert ("Rio", "Rio") in texts(pair)
    assert not any("NAME" in both for here in texts(pair) for both in here)


@pytest.mark.parametrize(
    ("links", "gone", "left"),
    [
        ("0-0 1-1 2-2 3-3 3-4 4-3", ("shop", "loja"), ("new shop", "loja nova")),  # loja belongs to two words
        ("0-0 1-1 1-3 2-2 3-4 4-3", ("sold", "vendeu"), ("new", "nova")),  # sold leads to two places
        (
            "0-0 1-1 3-4 4-3",
            ("the new shop", "a loja nova"),
            ("new shop", "loja nova"),
        ),  # no link at the edge
        ("0-0 1-1 2-2 4-3 4-4", ("the new shop", "a loja nova"), ("shop", "loja nova")),  # new has no link
    ],
)
def test_a_span_with_a_link_that_leaves_it_is_no_span(
    links: str, gone: tuple[str, str], left: tuple[str, str]
) -> None:
    found = texts(read(*SHOP, links))
    assert gone not in found
    assert left in found


def test_a_small_word_inside_may_have_no_link() -> None:
    pair = read("She sold the new shop in Rio", "Ela vendeu a loja nova no Rio", "1-1 3-4 4-3 5-5 6-6")
    assert ("sold", "vendeu") in texts(pair)
    assert ("sold the new shop", "vendeu a loja nova") in texts(pair)


def test_the_first_word_of_the_text_is_left_alone_unless_asked_for() -> None:
    pair = read('"Shop sold', '"Loja vendeu', "0-0 1-1 2-2")
    assert texts(pair) == {("sold", "vendeu")}
    assert ("Shop", "Loja") in texts(pair, start=True)


def test_the_longest_of_all_that_overlap_is_kept() -> None:
    pair = read(*SHOP, "0-0 1-1 2-2 3-4 4-3")
    [kept] = keep_longest(aligned_spans(pair))
    assert pair.source.text[kept.start : kept.end] == "sold the new shop"


def test_an_entity_comes_once_as_a_word_and_once_as_its_kind() -> None:
    pair = read("She sold Rio", "Ela vendeu Rio", "0-0 1-1 2-2")
    labels = [span.label for span in aligned_spans(pair) if span.start == 9]
    assert labels == ["PROPN", "LOC"]


def test_no_span_begins_or_ends_inside_a_written_word() -> None:
    text = "Ana doesn't like Rio's sea"
    words = [("Ana", 0), ("does", 4), ("n't", 8), ("like", 12), ("Rio", 17), ("'s", 20), ("sea", 23)]
    tags = {"Rio": "NNP", "'s": "POS"}
    tokens = tuple(Token(w, at, at + len(w), pos="NOUN", tag=tags.get(w, "")) for w, at in words)
    side = Annotation(text, tokens)
    pair = ReadPair("1", side, side, frozenset((i, i) for i in range(len(words))))
    assert texts(pair) == {("like", "like"), ("Rio", "Rio"), ("sea", "sea")}


def test_chinese_words_have_no_space_between_them_and_are_spans() -> None:
    words = [("我", 0), ("喜欢", 1), ("商店", 3)]
    side = Annotation("我喜欢商店", tuple(Token(w, at, at + len(w), pos="NOUN") for w, at in words))
    pair = ReadPair("1", side, side, frozenset((i, i) for i in range(3)))
    assert texts(pair) == {("喜欢", "喜欢"), ("商店", "商店")}


def test_a_phrase_can_lack_its_outer_parts_but_never_a_part_of_one() -> None:
    # all the new shops in Rio: `shops` heads `all the new` and `in Rio`.
    words = ["all", "the", "new", "shops", "in", "Rio"]
    parts = ["DET", "DET", "ADJ", "NOUN", "ADP", "PROPN"]
    heads, relations = [3, 3, 3, -1, 3, 4], ["predet", "det", "amod", "root", "prep", "pobj"]
    tokens, place = [], 0
    for word, part, head, relation in zip(words, parts, heads, relations, strict=True):
        tokens.append(Token(word, place, place + len(word), pos=part, head=head, relation=relation))
        place += len(word) + 1
    annotation = Annotation(" ".join(words), tuple(tokens))
    phrases = {annotation.covered(span) for span in candidates(annotation) if span.label in PHRASES}
    assert phrases == {
        "all the new shops in Rio", "the new shops in Rio", "new shops in Rio", "shops in Rio",
        "all the new shops", "the new shops", "new shops", "in Rio",
    }  # fmt: skip


PARTS_OF_SPEECH = ["NOUN", "VERB", "ADJ", "DET", "ADP", "PUNCT", "NUM", "ADV", "AUX"]


@st.composite
def annotations(draw: st.DrawFn) -> Annotation:
    """Any tokens with any heads, loops among them, and some entities."""
    words = draw(
        st.lists(st.sampled_from(["a", "Rio", "don", "'t", "商店", "-", "19"]), min_size=1, max_size=8)
    )
    text, tokens = "", []
    for word in words:
        text += draw(st.sampled_from(["", " ", "  "]))
        tokens.append(
            Token(
                word,
                len(text),
                len(text) + len(word),
                pos=draw(st.sampled_from(PARTS_OF_SPEECH)),
                head=draw(st.integers(-1, len(words) - 1)),
                relation=draw(st.sampled_from(["amod", "nsubj", "det", "obj", "aux", "punct"])),
            )
        )
        text += word
    entity = draw(st.integers(0, len(words) - 1))
    return Annotation(text, tuple(tokens), (TokenSpan(entity, entity + 1, "ORG"),))


@st.composite
def pairs(draw: st.DrawFn) -> ReadPair:
    source, reference = draw(annotations()), draw(annotations())
    link = st.tuples(st.integers(0, len(source.tokens) - 1), st.integers(0, len(reference.tokens) - 1))
    return ReadPair("1", source, reference, draw(st.frozensets(link, max_size=10)))


def restored(masked: str, parts: list[str]) -> str:
    for part in parts:
        masked = masked.replace(MASK, part, 1)
    return masked


@given(pairs(), st.booleans())
def test_a_masked_pair_restores_to_the_original_pair(pair: ReadPair, start: bool) -> None:
    spans = tuple(keep_longest(aligned_spans(pair, start=start)))
    masked = Masked(pair, "general", spans, ("",) * len(spans))
    source, reference = pair.source.text, pair.reference.text
    others = sorted((s.reference_start, s.reference_end) for s in spans)
    assert masked.source.count(MASK) == masked.reference.count(MASK) == len(spans)
    assert restored(masked.source, [source[s.start : s.end] for s in spans]) == source
    assert restored(masked.reference, [reference[a:b] for a, b in others]) == reference


@given(pairs(), st.booleans())
def test_spans_are_in_range_and_consistent_with_the_links(pair: ReadPair, longest: bool) -> None:
    found = aligned_spans(pair, start=True)
    found = keep_longest(found) if longest else found
    for span in found:
        here = {i for i, t in enumerate(pair.source.tokens) if span.start <= t.start and t.end <= span.end}
        there = {
            j
            for j, t in enumerate(pair.reference.tokens)
            if span.reference_start <= t.start and t.end <= span.reference_end
        }
        assert 0 < len(here) <= MOST_WORDS
        assert span.head in here
        assert any(i in here and j in there for i, j in pair.links)
        assert all((i in here) == (j in there) for i, j in pair.links)
    if longest:
        for sides in ([s[:2] for s in found], sorted(s[2:4] for s in found)):
            assert all(a[1] <= b[0] for a, b in pairwise(sides))


@given(pairs())
def test_keeping_the_longest_drops_only_what_overlaps_something_at_least_as_long(pair: ReadPair) -> None:
    spans = aligned_spans(pair, start=True)
    kept = keep_longest(spans)
    for span in spans:
        over = [k for k in kept if k.start < span.end and span.start < k.end]
        assert over
        assert max(k.end - k.start for k in over) >= span.end - span.start


@given(pairs())
def test_the_start_is_only_left_alone_where_nobody_asked_for_it(pair: ReadPair) -> None:
    words = [token for token in pair.source.tokens if any(map(str.isalnum, token.text))]
    first = next(iter([*words, *pair.source.tokens]), None)
    more, fewer = aligned_spans(pair, start=True), aligned_spans(pair)
    assert fewer == [s for s in more if first is None or not s.start <= first.start < s.end]
