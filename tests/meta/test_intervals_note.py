"""The sentence on where intervals come from: one kind for a whole table."""

from __future__ import annotations

from mtassay.data.formats.score_files import ScoreColumn
from mtassay.meta.correlate import CorrelationSettings, correlate
from mtassay.meta.rated_material import Rater, RatingFrame, rater_from_column

FRAME = RatingFrame(["A", "B", "C"], ["1", "2"])
SETTINGS = CorrelationSettings(samples=100, trials=100)


def rater(name: str, *, rows: list[list[float]], points: list[float] | None = None) -> Rater:
    cells = {system: dict(zip(FRAME.ids, row, strict=True)) for system, row in zip("ABC", rows, strict=True)}
    return rater_from_column(ScoreColumn(name, dict(zip("ABC", points or [], strict=False)), cells), FRAME)


PEOPLE = rater("mqm", rows=[[1, 2], [2, 4], [3, 3]])
FITTING = rater("comet", rows=[[1, 3], [2, 3], [4, 3]])
UNFITTING = rater("BLEU", rows=[[1, 3], [2, 3], [4, 3]], points=[30, 10, 20])


def test_segments_are_drawn_where_all_raters_have_them() -> None:
    found = correlate([FITTING], [PEOPLE], frame=FRAME, settings=SETTINGS)
    assert {score.signature.rpartition("|")[2] for score in found.result.scores} == {"interval:segments"}
    assert found.notes[-1] == ("[ ]: 95 % interval; segments drawn again, the same ones for both, 100 times.")


def test_one_rater_without_them_makes_all_draw_systems_and_is_named() -> None:
    found = correlate([FITTING, UNFITTING], [PEOPLE], frame=FRAME, settings=SETTINGS)
    assert {score.signature.rpartition("|")[2] for score in found.result.scores} == {"interval:systems"}
    assert found.notes[-1] == (
        "[ ]: 95 % interval; systems drawn again, 100 times, since system scores of BLEU do not follow from "
        "scores of segments."
    )
