"""Drawing a segment twice is the same as having it twice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.stats import correlation as stats
from mtassay.stats.correlation_rows import weighted_pearson, weighted_spearman

SCORE = st.one_of(st.integers(-2, 2).map(float), st.just(float("nan")))


@st.composite
def draws(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    systems, segments = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    table = st.lists(
        st.lists(SCORE, min_size=segments, max_size=segments), min_size=systems, max_size=systems
    )
    weights = st.lists(st.integers(0, 3), min_size=segments, max_size=segments)
    return (
        np.array(draw(table)),
        np.array(draw(table)),
        np.array(draw(st.lists(weights, min_size=1, max_size=3)), dtype=np.uint8),
    )


@given(draws())
def test_weights_give_the_numbers_of_the_repeated_segments(
    drawn: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    x, y, weights = drawn
    found = {
        "pearson": weighted_pearson(x, y, weights),
        "spearman": weighted_spearman(x, y, weights),
    }
    for sample, row in enumerate(weights):
        places = np.repeat(np.arange(len(row)), row)
        for name, values in found.items():
            single = getattr(stats, name)(x[:, places], y[:, places])
            assert values[sample] == pytest.approx(single, nan_ok=True, abs=1e-9), name


def test_large_offsets_do_not_spoil_a_correlation() -> None:
    x = np.array([[1e6 + 1, 1e6 + 2, 1e6 + 4]])
    y = np.array([[1e6 + 2, 1e6 + 1, 1e6 + 4]])
    weights = np.array([[1, 1, 1]], dtype=np.uint8)
    assert weighted_pearson(x, y, weights)[0] == pytest.approx(stats.pearson(x, y), abs=1e-9)
