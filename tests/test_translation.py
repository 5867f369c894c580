"""Live engines, from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import mtassay as mt
from mtassay.app.translation import probe, translate_with
from mtassay.data.errors import ServiceError, UsageError


def test_a_failure_has_its_reason(tmp_path: Path) -> None:
    how = {"langpair": "en-pt", "workspace": tmp_path / "workspace.db"}
    found = translate_with(["One."], {"broken": "command:false"}, **how)
    assert found.outputs["broken"][0].error
    with pytest.raises(ServiceError, match="Nothing was translated"):
        mt.translate(["One."], "command:false", **how)


def test_a_file_is_no_engine() -> None:
    with pytest.raises(UsageError, match="no live engine"):
        translate_with(["One."], {"a": "outputs.txt"}, langpair="en-pt")


def test_an_engine_that_is_asked_twice_says_whether_it_changed() -> None:
    (found,) = probe(["fake:reverse"], langpair="en-pt", repeat=2)
    assert (found.answers, found.sentences, found.changed) == (True, 3, 0)
