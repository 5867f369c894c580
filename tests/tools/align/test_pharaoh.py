"""Links from a user's file: read exactly, found again, and one line for every mistake."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import InputError, MtassayError
from mtassay.nlp.links import PharaohAligner, parse_links, read_pharaoh

PAIRS = [(["the", "sea"], ["o", "mar"]), (["rain"], ["a", "chuva"]), ([], ["oi"])]


@pytest.fixture
def write(tmp_path):
    def write(content, name="links.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_lines_are_the_pairs_in_order(write):
    aligner = PharaohAligner(write("0-0 1-1\n0-1\n\n"))
    assert aligner.align(PAIRS) == [{(0, 0), (1, 1)}, {(0, 1)}, set()]


@pytest.mark.parametrize("content", ["0-0\r\n\r\n", "0-0\n\n", "0-0\n \n", b"\xef\xbb\xbf0-0\n\n"])
def test_line_ends_blanks_and_a_byte_order_mark_do_not_matter(write, content):
    assert read_pharaoh(write(content)) == [{(0, 0)}, set()]


MISTAKES = {
    "0-0\n0:1\n\n": r"links\.txt line 2: '0:1' is no link\. Write SOURCE-TARGET",
    "0-0 1\n\n\n": r"links\.txt line 1: '1' is no link",
    "0-0\n٣-١\n\n": r"line 2: '٣-١' is no link",
    "0-0\n0--1\n\n": r"line 2: '0--1' is no link",
    "0-0\n1-0\n\n": r"links\.txt line 2: link 1-0, but the pair has 1 source and 2 target words",
    "0-0\n\n0-0\n": r"line 3: link 0-0, but the pair has 0 source and 1 target words",
    "0-0\n": r"links\.txt has 1 lines for 3 pairs\. Give one line per pair",
    b"\xff\n": r"links\.txt: is not UTF-8 text",
}


@pytest.mark.parametrize(("content", "message"), MISTAKES.items(), ids=map(repr, MISTAKES))
def test_a_mistake_is_one_line_that_says_where(write, content, message):
    with pytest.raises(MtassayError, match=message) as caught:
        PharaohAligner(write(content)).align(PAIRS)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.txt: cannot be read \(No such file"):
        PharaohAligner(tmp_path / "none.txt")


@given(st.frozensets(st.tuples(st.integers(0, 99), st.integers(0, 99))))
def test_links_that_are_written_are_read_again(links):
    assert parse_links(" ".join(f"{i}-{j}" for i, j in links)) == links
