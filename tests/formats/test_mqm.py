"""The weights of errors that people marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.data.errors import InputError
from mtassay.data.formats.score_files import mqm_score
from mtassay.data.formats.test_sets import ErrorSpan, read_mtme
from mtassay.data.languages import parse_pair


@pytest.mark.parametrize(
    ("category", "severity", "score", "expected"),
    [
        ("accuracy/mistranslation", "major", None, -5),
        ("Fluency/Grammar", "Minor", None, -1),
        ("fluency/punctuation", "minor", None, -0.1),
        ("fluency/punctuation", "major", None, -5),
        ("Non-translation!", "major", None, -25),
        ("non_translation", "minor", None, -25),
        ("accuracy/omission", "neutral", None, 0),
        ("source issue", "major", None, 0),
        ("accuracy/mistranslation", "major", 7.5, -7.5),
        ("anything", "critical", 10, -10),
    ],
)
def test_an_error_costs_its_weight(
    category: str, severity: str, score: float | None, expected: float
) -> None:
    assert mqm_score([ErrorSpan(0, 1, category, severity, score)]) == expected


def test_no_errors_is_a_plain_zero() -> None:
    assert str(mqm_score([])) == "0.0"


def test_an_unknown_severity_without_a_score_is_refused() -> None:
    with pytest.raises(InputError, match="'critical' has no weight"):
        mqm_score([ErrorSpan(0, 1, "accuracy", "critical")])


def test_our_weights_give_the_scores_that_wmt23_published(data_folder: Path) -> None:
    folder = read_mtme(data_folder / "wmt23-mtme", parse_pair("en-de"))
    ratings, published = folder.ratings("mqm.merged"), folder.human_scores("mqm", "seg")
    for system, column in published.items():
        for errors, score in zip(ratings[system], column, strict=True):
            if errors is None:
                assert score is None
            else:
                assert mqm_score(errors) == pytest.approx(score, abs=1e-9)
                unweighed = [error._replace(score=None) for error in errors]
                assert mqm_score(unweighed) == pytest.approx(score, abs=1e-9)
