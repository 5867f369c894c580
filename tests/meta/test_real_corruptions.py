"""Corruptions of real references: each keeps what it promises, whatever the sentence."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from mtassay.app.library import read_test_texts
from mtassay.data.errors import UsageError
from mtassay.data.languages import parse_pair
from mtassay.meta.blindspots import BlindSpotSettings, prepare
from mtassay.meta.corruptions import ERROR_KINDS
from mtassay.nlp.annotators import open_annotator

KINDS = tuple(kind for kind in ERROR_KINDS if kind != "untranslated")


def test_every_corruption_of_wmt_references_is_one(data_folder: Path) -> None:
    try:
        open_annotator("en")
    except UsageError as error:
        pytest.skip(str(error))
    folder, pair = data_folder / "wmt22" / "de-en", parse_pair("de-en")
    references = [folder / "references" / name for name in ("A.txt", "B.txt")]
    segments = read_test_texts(folder / "source.txt", references, None, pair)
    good = [segment.references[1] for segment in segments]
    rest = [segment._replace(references=segment.references[:1]) for segment in segments]
    material = prepare(rest, good, pair, BlindSpotSettings(most=300, kinds=KINDS))
    sources = {source.id: source for source in material.sources}
    counts = Counter(corruption.kind for corruption in material.corrupted.corruptions)
    assert set(counts) == set(KINDS)
    assert min(counts.values()) >= 40
    for corruption in material.corrupted.corruptions:
        source, edit = sources[corruption.id], corruption.edit
        text = source.text.text
        assert text[edit.start : edit.end] == edit.before
        assert corruption.text == text[: edit.start] + edit.after + text[edit.end :]
        assert corruption.text not in (text, *source.references)
        if corruption.kind in ("number", "name", "wrong word"):
            new = set(edit.after.lower().split())
            assert not new & {word for other in source.references for word in other.lower().split()}
        if corruption.kind in ("dropped word", "omission"):
            assert len(corruption.text.split()) < len(text.split())
