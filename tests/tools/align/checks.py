"""What holds for every answer of every word aligner, and pairs to try it on."""

from __future__ import annotations

from hypothesis import strategies as st

WORDS = st.one_of(
    st.sampled_from(
        ["the", "sea", "o", "mar", "Ana", "ana", "não", "n't", ".", "1937", "海洋", "的", "dogs"]
    ),
    st.sampled_from(["", " ", "|||", "<eps>", "NULL", "~", "a b", "\0", "\ud800", "😀", "\u2028"]),
    st.text(max_size=8),
)
SIDES = st.lists(WORDS, max_size=7)
PAIRS = st.lists(st.tuples(SIDES, SIDES), max_size=6)


def assert_within(pairs, found):
    """One set of links per pair, each between words that are there."""
    assert len(found) == len(pairs)
    for (source, target), links in zip(pairs, found, strict=True):
        assert all(0 <= i < len(source) and 0 <= j < len(target) for i, j in links)
