"""Files read block by block give the scores of files read whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay import score
from mtassay.data.errors import InputError, UsageError
from mtassay.methods.score import score_statistics as streaming

REFERENCES = [f"O trem {i} parte às {i % 24}:30 da estação {i % 7}." for i in range(500)]
SOURCES = [f"Train {i} leaves at {i % 24}:30 from station {i % 7}." for i in range(500)]
OUTPUTS = {
    "good": [line.replace("parte", "sai") for line in REFERENCES],
    "bad": [line.replace("às", "as").replace("estação", "casa") for line in REFERENCES],
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    texts = {"ref": REFERENCES, "src": SOURCES, **OUTPUTS}
    for name, lines in texts.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {name: tmp_path / f"{name}.txt" for name in texts}


@pytest.mark.parametrize("block", [64, 500, 1000])
def test_scores_are_those_of_all_lines_at_once(
    files: dict[str, Path], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "BLOCK", block)
    systems = {name: str(files[name]) for name in OUTPUTS}
    given = (systems, [str(files["ref"])], str(files["src"]))
    options = {"langpair": "en-pt", "metrics": "bleu,chrf,ter", "test": "bootstrap", "quiet": True}
    whole, streamed = score(*given, **options), score(*given, stream=True, **options)
    assert [(s.name, s.system, s.value, s.n, s.signature) for s in streamed.result.scores] == [
        (s.name, s.system, s.value, s.n, s.signature) for s in whole.result.scores
    ]
    for one, other in zip(streamed.result.scores, whole.result.scores, strict=True):
        assert one.low is not None
        assert other.low is not None
        assert one.high is not None
        assert other.high is not None
        assert one.low <= one.value <= one.high
        assert abs((one.high - one.low) - (other.high - other.low)) < 0.15 * (other.high - other.low) + 0.01
    assert [c.systems for c in streamed.result.clusters] == [c.systems for c in whole.result.clusters]
    assert streamed.result.counts == whole.result.counts
    assert "500 segments · 1 reference" in str(streamed)


@pytest.mark.parametrize("name", ["a.xlf", "a.po"])
def test_files_of_other_formats_are_refused(files: dict[str, Path], name: str) -> None:
    path = files["bad"].rename(files["bad"].with_name(name))
    with pytest.raises(InputError, match=rf"{name}: only plain lines are read here"):
        score({"bad": str(path)}, [str(files["ref"])], stream=True, quiet=True)


def test_files_of_unequal_length_are_refused(files: dict[str, Path]) -> None:
    files["bad"].write_text("Uma linha.\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"bad.txt: 1 lines, and .*ref.txt has 500"):
        score({"bad": str(files["bad"])}, [str(files["ref"])], stream=True, quiet=True)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"test": "sacrebleu-randomization"}, "by the bootstrap"),
        ({"by": "document"}, "no single segment"),
        ({"save": True}, "no run to save"),
    ],
)
def test_what_needs_all_segments_is_refused(
    files: dict[str, Path], options: dict[str, object], why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        score({"good": str(files["good"])}, [str(files["ref"])], stream=True, quiet=True, **options)
