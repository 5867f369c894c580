"""BLEU, chrF and TER against sacreBLEU, over random texts, references and settings: all digits are equal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu.metrics as peer
from hypothesis import given, settings
from hypothesis import strategies as st

import mtassay as mt
from mtassay.data.nouns import Segment
from mtassay.measures.bleu import BLEU
from mtassay.measures.chrf import ChrF
from mtassay.measures.metric import Metric
from mtassay.measures.ter import TER

WORDS = (
    "a b c the The cat . , ! don't 1,000 3.14 x-y 10-fold &amp; &quot;hi&quot; <skipped> (so) "
    "naïve Straße 猫 が 好き … « » ’s … é é ＡＢ １２ \u00a0 \u2028 \x85 İ Σας"
)
words = st.sampled_from(WORDS.split(" "))
sentences = (
    st.lists(words, max_size=12).map(" ".join) | st.text(max_size=20) | st.text("a1.,-& \n", max_size=20)
)


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[str], list[list[str | None]]]:
    """Outputs, and reference streams where every segment keeps at least one reference."""
    size = draw(st.integers(1, 6))
    outputs = draw(st.lists(sentences, min_size=size, max_size=size))
    first = draw(st.lists(sentences, min_size=size, max_size=size))
    more = st.lists(st.none() | sentences, min_size=size, max_size=size)
    return outputs, [first, *draw(st.lists(more, max_size=2))]


def as_segments(references: list[list[str | None]]) -> list[Segment]:
    return [Segment(str(i), None, tuple(row)) for i, row in enumerate(zip(*references, strict=True), 1)]


def assert_equal(ours: Metric, theirs: Any, outputs: list[str], references: list[list[str | None]]) -> None:
    segments = as_segments(references)
    (measured,) = ours.measure(segments, {"x": outputs})
    statistics = theirs._extract_corpus_statistics(outputs, references)
    assert measured.values.tolist() == statistics
    expected = theirs.corpus_score(outputs, references)
    assert ours.aggregate(measured.values.sum(axis=0)) == expected.score
    assert ours.signature(segments) == str(theirs.get_signature())
    assert ours.label == expected.name


BLEU_SETTINGS = {
    "lowercase": st.booleans(),
    "tokenize": st.sampled_from(["13a", "intl", "zh", "char", "none"]),
    "effective_order": st.booleans(),
}


@given(
    corpora(),
    st.fixed_dictionaries(BLEU_SETTINGS),
    st.sampled_from(
        [("none", None), ("exp", None), ("floor", None), ("floor", 0.3), ("add-k", None), ("add-k", 2.5)]
    ),
)
def test_bleu_equals_sacrebleu(
    corpus: tuple[list[str], list[list[str | None]]], options: dict[str, Any], smoothing: tuple[Any, Any]
) -> None:
    method, value = smoothing
    ours = BLEU(smooth=method, smooth_value=value, **options)
    assert_equal(ours, peer.BLEU(smooth_method=method, smooth_value=value, force=True, **options), *corpus)


@given(corpora(), st.integers(1, 16))
def test_bleu_of_any_order_equals_sacrebleu(
    corpus: tuple[list[str], list[list[str | None]]], order: int
) -> None:
    outputs, references = corpus
    theirs = peer.BLEU(max_ngram_order=order, force=True)
    (measured,) = BLEU(order=order).measure(as_segments(references), {"x": outputs})
    assert measured.values.tolist() == theirs._extract_corpus_statistics(outputs, references)
    score = BLEU(order=order).aggregate(measured.values.sum(axis=0))
    assert score == theirs.corpus_score(outputs, references).score


@given(corpora())
def test_sentence_bleu_equals_sacrebleu(corpus: tuple[list[str], list[list[str | None]]]) -> None:
    outputs, references = corpus
    (measured,) = BLEU().measure(as_segments(references), {"x": outputs})
    theirs = peer.BLEU(effective_order=True, force=True)
    expected = [
        theirs.sentence_score(output, [r for r in row if r is not None]).score
        for output, row in zip(outputs, zip(*references, strict=True), strict=True)
    ]
    assert BLEU().unit_scores(measured.values).tolist() == expected


CHRF_SETTINGS = {
    "char_order": st.integers(1, 8),
    "word_order": st.integers(0, 3),
    "beta": st.integers(1, 3),
    "lowercase": st.booleans(),
    "whitespace": st.booleans(),
    "eps_smoothing": st.booleans(),
}


@given(corpora(), st.fixed_dictionaries(CHRF_SETTINGS))
def test_chrf_equals_sacrebleu(
    corpus: tuple[list[str], list[list[str | None]]], options: dict[str, Any]
) -> None:
    assert_equal(ChrF(**options), peer.CHRF(**options), *corpus)


@given(st.lists(st.text("ab", max_size=300), min_size=1, max_size=4), st.text("ab", max_size=300))
@settings(max_examples=30, deadline=None)
def test_long_repetitive_segments_are_clipped_like_sacrebleu(outputs: list[str], reference: str) -> None:
    references: list[list[str | None]] = [[reference] * len(outputs)]
    assert_equal(ChrF(), peer.CHRF(), outputs, references)
    spaced = [" ".join(text) for text in outputs]
    assert_equal(BLEU(), peer.BLEU(force=True), spaced, [[" ".join(reference)] * len(outputs)])


def test_a_vocabulary_too_large_for_one_key_is_still_counted_exactly() -> None:
    rng = np.random.default_rng(1)
    points = rng.choice(np.arange(0x4E00, 0x9F00), size=(600, 60))
    references: list[list[str | None]] = [["".join(map(chr, row)) for row in points]]
    outputs = ["".join(map(chr, np.where(rng.random(60) < 0.2, 0x4E00, row))) for row in points]
    assert_equal(ChrF(), peer.CHRF(), outputs, references)
    assert_equal(BLEU(tokenize="zh"), peer.BLEU(tokenize="zh"), outputs, references)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        # p1 = 5/6 and p2 = 3/5 (paper's formula by hand): exp(w1 ln p1 + w2 ln p2), no brevity penalty.
        ((0.5, 0.5), 100 * (5 / 6) ** 0.5 * (3 / 5) ** 0.5),
        ((1.0, 0.0), 100 * 5 / 6),
        ((0.2, 0.8), 100 * (5 / 6) ** 0.2 * (3 / 5) ** 0.8),
    ],
)
def test_weights_are_those_of_the_paper(weights: tuple[float, ...], expected: float) -> None:
    metric = BLEU(order=2, weights=weights)
    segments = [Segment("1", None, ("the cat sat on the mat",))]
    (measured,) = metric.measure(segments, {"x": ["the cat sat on a mat"]})
    assert metric.aggregate(measured.values.sum(axis=0)) == pytest.approx(expected)


def test_the_papers_example_of_the_best_match_length() -> None:
    """References of 12, 15 and 17 words: a candidate of 12 words has no brevity penalty."""
    references = tuple(" ".join(f"w{i}" for i in range(n)) for n in (12, 15, 17))
    (measured,) = BLEU().measure([Segment("1", None, references)], {"x": [references[0]]})
    assert measured.values[0, :2].tolist() == [12, 12]


@st.composite
def files(draw: st.DrawFn) -> list[list[str]]:
    """Lines of outputs and of one to three references, many of them empty."""
    size = draw(st.integers(1, 8))
    words = st.sampled_from(["the", "cat", ".", "sat", "!", "on", "Mats", "3.5"])
    line = st.just("") | st.lists(words, max_size=6).map(" ".join)
    lines = st.lists(line, min_size=size, max_size=size)
    return draw(st.lists(lines, min_size=2, max_size=4))


@given(files(), st.booleans())
def test_files_with_empty_references_score_as_sacrebleu_scores_them(
    tmp_path_factory: pytest.TempPathFactory, lines: list[list[str]], stream: bool
) -> None:
    folder = tmp_path_factory.mktemp("files")
    paths = [folder / f"{number}.txt" for number in range(len(lines))]
    for path, texts in zip(paths, lines, strict=True):
        path.write_text("".join(f"{text}\n" for text in texts))
    run = mt.score(
        {"x": paths[0]}, paths[1:], metrics="bleu,chrf,chrf++,ter", samples=100, checks="none", stream=stream
    )
    peers = [peer.BLEU(force=True), peer.CHRF(), peer.CHRF(word_order=2), peer.TER()]
    for score, theirs in zip(run.result.scores, peers, strict=True):
        assert score.value == theirs.corpus_score(lines[0], lines[1:]).score
        plain = [
            part for part in score.signature.split("|") if part.split(":")[0] not in ("bs", "ar", "seed")
        ]
        assert "|".join(plain) == str(theirs.get_signature())


def test_a_reference_that_json_calls_missing_is_no_reference(tmp_path: Path) -> None:
    (tmp_path / "ref.jsonl").write_text(
        '{"references": ["a b c d", null]}\n{"references": ["e f", "e g h"]}\n'
    )
    (tmp_path / "out.txt").write_text("a b\ne f\n")
    run = mt.score({"x": tmp_path / "out.txt"}, [tmp_path / "ref.jsonl"], metrics="bleu,ter", checks="none")
    theirs = [peer.BLEU(force=True), peer.TER()]
    references = [["a b c d", "e f"], [None, "e g h"]]
    expected = [one.corpus_score(["a b", "e f"], references).score for one in theirs]  # type: ignore[arg-type]
    assert [score.value for score in run.result.scores] == expected
    assert all(score.signature.startswith("nrefs:var|") for score in run.result.scores)


TER_SETTINGS = {name: st.booleans() for name in ("normalized", "no_punct", "asian_support", "case_sensitive")}


@given(corpora(), st.fixed_dictionaries(TER_SETTINGS))
def test_ter_equals_sacrebleu(
    corpus: tuple[list[str], list[list[str | None]]], options: dict[str, Any]
) -> None:
    assert_equal(TER(**options), peer.TER(**options), *corpus)


def test_an_order_that_sacrebleu_does_not_name_is_in_our_signature() -> None:
    segments = [Segment("1", None, ("a",))]
    theirs = peer.BLEU(max_ngram_order=2)
    theirs.corpus_score(["a"], [["a"]])
    names = str(theirs.get_signature()).split("|")
    assert BLEU(order=2).signature(segments).split("|") == [*names[:-1], "order:2", names[-1]]
