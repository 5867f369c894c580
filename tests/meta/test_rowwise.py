"""Row by row the same numbers as one by one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.stats import correlation
from mtassay.stats import correlation_rows as resampled

SMALL = st.integers(-3, 3).map(float)
TABLES = st.integers(2, 6).flatmap(
    lambda width: st.lists(st.lists(SMALL, min_size=width, max_size=width), min_size=1, max_size=4)
)


@pytest.mark.parametrize(("single", "rows"), correlation.COEFFICIENTS.values(), ids=correlation.COEFFICIENTS)
@given(data=st.data())
def test_each_row_has_the_value_of_the_single_function(
    rows: resampled.Rowwise, single: Callable[..., float], data: st.DataObject
) -> None:
    x = np.array(data.draw(TABLES))
    y = np.array(
        data.draw(
            st.lists(
                st.lists(SMALL, min_size=x.shape[1], max_size=x.shape[1]), min_size=len(x), max_size=len(x)
            )
        )
    )
    expected = [single(a, b) for a, b in zip(x, y, strict=True)]
    assert rows(x, y).tolist() == pytest.approx(expected, nan_ok=True, abs=1e-9)


@pytest.mark.parametrize(
    "rows",
    [
        resampled.pearson_rows,
        resampled.spearman_rows,
        resampled.kendall_rows,
        resampled.pairwise_accuracy_rows,
    ],
)
def test_a_row_with_an_unrated_system_is_undefined(rows: resampled.Rowwise) -> None:
    x = np.array([[1.0, 2.0, np.nan], [1.0, 2.0, 3.0]])
    y = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    assert np.isnan(rows(x, y)).tolist() == [True, False]
