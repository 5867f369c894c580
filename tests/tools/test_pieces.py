"""Texts as pieces: the likeliest ones, from the file of a SentencePiece model."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from mtassay.nlp.marian import PieceModel, read_pieces

ENTRIES = [
    ("</s>", 0.0, 3), ("<unk>", 0.0, 2), ("▁", -5.0, 1), ("▁a", -2.0, 1), ("ab", -1.0, 1), ("a", -3.0, 1),
    ("b", -3.5, 1), ("▁ab", -4.0, 1), ("ba", -2.5, 1), ("bab", -4.25, 1),
]  # fmt: skip


def model() -> PieceModel:
    pieces, scores, types = zip(*ENTRIES, strict=True)
    return PieceModel(pieces, scores, types)


def as_file(entries: Iterable[tuple[str, float, int]]) -> bytes:
    """As SentencePiece writes it: a message for each piece, and others that nobody needs here."""
    data = b""
    for piece, score, kind in entries:
        text = piece.encode()
        message = b"\x0a" + bytes([len(text)]) + text + b"\x15" + struct.pack("<f", score)
        message += b"" if kind == 1 else b"\x18" + bytes([kind])
        data += b"\x0a" + bytes([len(message)]) + message
    return data + b"\x12\x02\x08\x01"


def test_a_rare_piece_is_rarer_and_an_unknown_one_has_a_rarity_too() -> None:
    pieces, scores, types = zip(("<unk>", 0.0, 2), ("▁a", -2.0, 1), ("ba", -12.5, 1), strict=True)
    assert [PieceModel(pieces, scores, types).rarity(n) for n in range(3)] == [4.0, 0.1, 8.5]


def test_a_file_is_read_with_scores_and_types(tmp_path: Path) -> None:
    path = tmp_path / "vocab.spm"
    path.write_bytes(as_file(ENTRIES))
    assert read_pieces(path) == model()


@given(st.text("ab", min_size=1, max_size=9))
def test_no_other_pieces_of_a_word_are_likelier(word: str) -> None:
    scores = {piece: score for piece, score, kind in ENTRIES if kind == 1}
    text = "▁" + word
    cuts = itertools.product([False, True], repeat=len(text) - 1)
    ways = []
    for cut in cuts:
        places = [0, *(n for n, is_cut in enumerate(cut, start=1) if is_cut), len(text)]
        parts = [text[a:b] for a, b in itertools.pairwise(places)]
        if all(part in scores for part in parts):
            ways.append(sum(scores[part] for part in parts))
    found = [ENTRIES[number][0] for number in model().split(word)]
    assert "".join(found) == text
    assert abs(sum(scores[piece] for piece in found) - max(ways)) < 1e-9


def test_unknown_letters_side_by_side_are_one_piece_and_what_is_not_printed_is_a_space() -> None:
    names = [ENTRIES[number][0] for number in model().split("a日本b \x07a\u200cb")]
    assert names == ["▁a", "<unk>", "b", "▁a", "▁", "b"]
    assert model().split("") == model().split(" \n ") == []
