"""Numbers that the field published, recomputed from the outputs it published."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import sacrebleu.metrics as peer

from mtassay.data.formats.segment_files import read_segments
from mtassay.data.formats.textfiles import read_lines
from mtassay.measures.bleu import BLEU
from mtassay.measures.chrf import ChrF
from mtassay.measures.metric import Metric


@pytest.mark.parametrize("references", [("A",), ("B",), ("A", "B")], ids="+".join)
@pytest.mark.parametrize(
    ("metric", "column", "tolerance"),
    # The published chrF is from an older sacreBLEU, which counted white space differently.
    [(BLEU(), "bleu", 0.0005), (ChrF(), "chrf", 0.01)],
    ids=["bleu", "chrf"],
)
def test_wmt22_scores_equal_the_published_ones(
    data_folder: Path, references: tuple[str, ...], metric: Metric, column: str, tolerance: float
) -> None:
    folder = data_folder / "wmt22" / "de-en"
    segments = read_segments(
        folder / "source.txt", [folder / "references" / f"{name}.txt" for name in references]
    )
    outputs = {path.stem: read_lines(path) for path in sorted((folder / "outputs").iterdir())}
    measured = metric.measure(segments, outputs)
    scores = {s.system: float(metric.aggregate(s.values.sum(axis=0))) for s in measured}
    name = f"{column}-{'all' if len(references) > 1 else references[0]}"
    with (folder / "published-metrics.tsv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["metric"] == name]
    published = {row["system"]: float(row["score"]) for row in rows}
    assert scores == pytest.approx(published, abs=tolerance)
    assert len(scores) == 9

    theirs = peer.BLEU() if column == "bleu" else peer.CHRF()
    streams = [list(stream) for stream in zip(*(segment.references for segment in segments), strict=True)]
    for system in ("LT22", "Online-W"):
        assert scores[system] == theirs.corpus_score(outputs[system], streams).score
