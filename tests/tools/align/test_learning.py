"""Aligners that learn from the pairs: real packages where they are installed, and a user's parallel file."""

from __future__ import annotations

import gzip

import pytest

from mtassay.data.errors import InputError
from mtassay.nlp import trained_aligners
from mtassay.nlp.trained_aligners import FastAligner, read_corpus

SOURCES = {"red": "vermelho", "blue": "azul", "cat": "gato", "dog": "cão", "sea": "mar", "sun": "sol"}
# Every word meets every other, so that only its own translation is always there.
TOY = [([a, b], [SOURCES[a], SOURCES[b]]) for a in SOURCES for b in SOURCES if a != b] * 4

ALIGNERS = [
    pytest.param(
        FastAligner,
        marks=pytest.mark.skipif(not trained_aligners.has_fast_align(), reason="needs systran-align"),
    ),
]


@pytest.mark.parametrize("kind", ALIGNERS)
def test_a_toy_language_is_learned(kind):
    found = kind().align(TOY)
    right = sum(links == {(0, 0), (1, 1)} for links in found)
    assert right >= 0.9 * len(TOY)


@pytest.mark.parametrize("kind", ALIGNERS)
def test_empty_sides_and_odd_words_keep_their_places(kind):
    odd = [([], ["mar"]), (["sea"], []), (["|||", "a b", "<eps>"], ["\u2028", "", "x"]), ([], [])]
    found = kind().align([*odd, *TOY])
    assert len(found) == len(odd) + len(TOY)
    assert found[0] == found[1] == found[3] == frozenset()
    assert all(i < 3 and j < 3 for i, j in found[2])
    assert {(0, 0), (1, 1)} in found[4:]


@pytest.mark.parametrize("kind", ALIGNERS)
def test_one_pair_alone_learns_from_the_users_file(kind, tmp_path):
    path = tmp_path / "toy.tsv"
    path.write_text("".join(f"{' '.join(a)}\t{' '.join(b)}\n" for a, b in TOY), encoding="utf-8")
    corpus = read_corpus(path)
    aligner = kind(corpus=corpus)
    assert aligner.align([(["Sea", "cat"], ["gato", "mar"])]) == [{(0, 1), (1, 0)}]
    assert corpus.content in aligner.signature
    assert aligner.signature != kind().signature


def test_a_parallel_file_is_read_in_each_of_its_shapes(tmp_path):
    expected = [(["the", "sea"], ["o", "mar"]), (["sun"], ["sol"])]
    for name, content in {
        "a.tsv": b"the sea\to mar\n\nsun\tsol\n\tnada\n",
        "a.txt": b"the sea ||| o mar\nsun ||| sol",
        "a.tsv.gz": gzip.compress(b"the sea\to mar\r\nsun\tsol\r\n"),
    }.items():
        (tmp_path / name).write_bytes(content)
        assert read_corpus(tmp_path / name).pairs == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\tb\na b\n", r"x line 2: 1 columns, expected 2\. Write source<TAB>target"),
        (b"a\tb\tc\n", r"x line 1: 3 columns, expected 2"),
        (b"\xff\xff", r"x: is not UTF-8 text"),
        (b"\x1f\x8b\x08", r"x: the compressed data is cut off or damaged"),
        (b"\x1f\x8bno no no no", r"x: the compressed data is cut off or damaged"),
    ],
)
def test_a_bad_parallel_file_is_one_line(tmp_path, content, message):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_corpus(tmp_path / "x")
