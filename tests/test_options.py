"""Metric options on the command line, and what is said about wrong ones."""

from __future__ import annotations

from typing import Any

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.registry import find
from mtassay.data.settings import build, options_of, split_specs
from mtassay.measures.bleu import BLEU
from mtassay.measures.chrf import ChrF


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("bleu", BLEU()),
        ("BLEU", BLEU()),
        ("bleu:lowercase=yes", BLEU(lowercase=True)),
        ("bleu:order=2:weights=0.3,0.7", BLEU(order=2, weights=(0.3, 0.7))),
        ("bleu:smooth=floor:smooth_value=0.2", BLEU(smooth="floor", smooth_value=0.2)),
        ("bleu:tokenize=none:smooth_value=none", BLEU(tokenize="none", smooth_value=None)),
        ("chrf++", ChrF(word_order=2)),
        ("chrF++", ChrF(word_order=2)),
        ("chrf++:lowercase=yes", ChrF(word_order=2, lowercase=True)),
        ("chrf+:lowercase=ON:beta=1", ChrF(word_order=1, lowercase=True, beta=1)),
        ("chrf++:lowercase=false", ChrF(word_order=2)),
    ],
)
def test_a_spec_names_a_metric_and_its_options(spec: str, expected: object) -> None:
    assert build("metric", spec) == expected


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("blue", "No metric 'blue'. Available: bleu, chrf"),
        ("bleu:ordr=2", "has no option 'ordr=2'. Options (key=value): effective_order"),
        ("bleu:order=two", "bleu:order is 'two'. It must be a whole number."),
        ("bleu:lowercase=maybe", "Choose from: yes, no."),
        ("bleu:lowercase", "bleu:lowercase has no value. Write bleu:lowercase=yes."),
        ("chrf++:order=2", "metric 'chrf++' has no option 'order=2'"),
        ("bleu:order", "bleu:order has no value. Write bleu:order=…."),
        ("bleu:smooth=laplace", "Choose from: none, floor, add-k, exp."),
        ("bleu:order=0", "order is 0; it must be from 1 to 100"),
        ("bleu:order=99999999999", "order is 99999999999; it must be from 1 to 100"),
        ("chrf:char_order=101", "char_order must be from 1 to 100, word_order from 0 to 100, beta 1 or more"),
        ("chrf:word_order=101", "word_order from 0 to 100"),
        ("bleu:order=2:weights=0.5,0.6", "add up to 1.1; they must add up to 1"),
        ("bleu:order=2:weights=1", "weights must be 2 numbers"),
        ("bleu:tokenize=klingon:order=1", None),
    ],
)
def test_a_wrong_spec_is_answered_with_what_is_right(spec: str, message: str | None) -> None:
    if message is None:
        with pytest.raises(UsageError, match=r"No tokeniser 'klingon'\. Available: none, zh, 13a"):
            build("metric", spec).signature([])
        return
    with pytest.raises(UsageError) as raised:
        build("metric", spec)
    assert message in str(raised.value)


def test_commas_inside_a_value_do_not_end_a_spec() -> None:
    assert split_specs("bleu:order=2:weights=0.5,0.5, chrf,,ter") == [
        "bleu:order=2:weights=0.5,0.5",
        "chrf",
        "ter",
    ]


def test_a_default_fills_only_fields_that_exist() -> None:
    filled: Any = build("metric", "bleu", language="zh")
    assert filled.tokenizer == "zh"
    assert build("metric", "chrf", language="zh") == ChrF()


def test_an_unknown_method_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"No method 'x'\. Available: behavior, check, invariance, score"):
        find("method", "x")


def test_the_judge_has_one_name_in_all_methods() -> None:
    for method in ("score", "behavior", "invariance"):
        assert options_of(find("method", method))["judge_by"].flags == ("--judge-by", "--judge")
