"""Detectors against labels: the numbers, the curve, and what is never taken for granted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.evaluation_files import FlagRow
from mtassay.data.nouns import Finding, Output, Result, Run, Score, Segment
from mtassay.data.questions import find_question
from mtassay.data.subjects import Subject, review_now
from mtassay.meta.detect import DetectionSettings, JudgedDetector, PairKey, detect
from mtassay.meta.labelled_detectors import (
    Labels,
    detector_of_rows,
    detectors_of_run,
    labels_from_file,
    labels_from_reviews,
)


def detector(hits: int, alarms: int, misses: int, rest: int, *, unlabelled: int = 0) -> JudgedDetector:
    """Made of so many labelled pairs of each kind, and of flagged ones without a label."""
    wrong = [True] * hits + [False] * alarms + [True] * misses + [False] * rest
    labels = {PairKey(str(number)): value for number, value in enumerate(wrong)}
    flagged = [PairKey(str(number)) for number in range(hits + alarms)]
    flagged += [PairKey(f"new {number}") for number in range(unlabelled)]
    return JudgedDetector("d", frozenset(flagged), labels)


def scores_of(*detectors: JudgedDetector) -> dict[str, Score]:
    return {score.name: score for score in detect(detectors).scores}


@pytest.mark.parametrize(
    ("cells", "precision", "recall"),
    [
        ((38, 8, 15, 39), 82.61, 71.70),  # table 6 of Wu, Liu, Yeung (2023), BTPGBT: 38 of 46 and of 53
        ((26, 49, 27, 0), 34.67, 49.06),  # Dep: 26 of 75 and of 53
    ],
)
def test_the_published_precision_and_recall_come_out(
    cells: tuple[int, int, int, int], precision: float, recall: float
) -> None:
    found = scores_of(detector(*cells))
    assert found["precision"].value == pytest.approx(precision, abs=0.005)
    assert found["recall"].value == pytest.approx(recall, abs=0.005)


def test_every_share_has_its_n_and_interval() -> None:
    found = scores_of(detector(3, 1, 2, 4))
    assert [(s.value, s.n) for s in found.values()] == [
        (75.0, 4),
        (60.0, 5),
        (pytest.approx(200 / 3), 10),  # 2 · 3 / (2 · 3 + 1 + 2)
    ]
    assert all(s.low is not None and s.value is not None and s.low < s.value for s in found.values())
    # Wilson's interval of 3 in 4.
    assert (found["precision"].low, found["precision"].high) == pytest.approx((30.06, 95.44), abs=0.01)


def test_flagged_pairs_without_a_label_are_counted_and_nothing_else() -> None:
    some, more = (detect([detector(3, 1, 2, 4, unlabelled=n)]) for n in (0, 5))
    assert some.scores == more.scores
    assert (more.counts["d"]["flagged"], more.counts["d"]["unlabelled"]) == (9, 5)


def test_who_flags_nothing_has_no_precision() -> None:
    found = scores_of(detector(0, 0, 2, 3))
    assert (found["precision"].value, found["precision"].n) == (None, 0)
    assert (found["recall"].value, found["f1"].value) == (0.0, 0.0)


def test_without_errors_there_is_no_recall() -> None:
    found = scores_of(detector(0, 0, 0, 3))
    assert (found["recall"].value, found["f1"].value) == (None, None)


@given(st.tuples(*[st.integers(0, 30)] * 4).filter(lambda cells: sum(cells[:3]) > 0), st.integers(0, 5))
def test_every_interval_holds_its_value(cells: tuple[int, int, int, int], seed: int) -> None:
    result = detect([detector(*cells)], settings=DetectionSettings(samples=200, seed=seed))
    for score in result.scores:
        if score.value is not None:
            assert score.low is not None
            assert score.high is not None
            assert -1e-9 <= score.low <= score.high <= 100 + 1e-9
            if score.name != "f1":  # a drawn interval need not hold the value of very few pairs
                assert score.low - 1e-9 <= score.value <= score.high + 1e-9


def scored(values: dict[str, float | None], wrong: str, *, low_is_error: bool = False) -> JudgedDetector:
    labels = {PairKey(name): name in wrong for name in values}
    scores = {PairKey(name): value for name, value in values.items() if value is not None}
    return JudgedDetector("d", frozenset(scores), labels, scores, low_is_error=low_is_error)


@pytest.mark.parametrize(
    ("values", "wrong"),
    [({"a": 0.5, "b": 0.5}, "a"), ({"a": 0.5, "b": None}, "a"), ({"a": 0.5, "b": 0.1}, "ab")],
)
def test_there_is_no_area_without_two_scores_and_both_kinds(
    values: dict[str, float | None], wrong: str
) -> None:
    flags = scored(values, wrong)
    assert "auc" not in scores_of(flags)


def test_the_area_counts_pairs_without_a_score_below_all_others() -> None:
    found = scores_of(scored({"a": 0.9, "b": 0.2, "c": None, "d": None}, wrong="ac"))
    # a is above b and d; c ties with d and is below b: 2.5 of 4.
    assert (found["auc"].value, found["auc"].n) == (0.625, 4)


RUN = Run(
    "r1",
    "behavior",
    {},
    ["alpha", "beta"],
    "2026-01-01",
    {},
    Result(),
    [
        Finding("1", "alpha", "behavior", "fail", 0.4),
        Finding("2", "alpha", "behavior", "pass", 0.1),
        Finding("3", "alpha", "behavior", "undecided"),
        Finding("4", "alpha", "output", "error", evidence={"reason": "no output"}),
        Finding("1", "beta", "behavior", "pass", 0.0),
        Finding("1", "alpha", "length", "fail", 2.0),
        Finding("9", "alpha", "note", None, 1.0),
    ],
    [Segment(f"{case}{edited}") for case in "1234" for edited in ("", "/edited")],
)


def test_each_detector_of_a_run_stands_apart() -> None:
    labels = Labels({PairKey("1"): True, PairKey("2"): True, PairKey("8"): True})
    first, second = detectors_of_run(RUN, labels, systems=["alpha"])
    assert (first.name, second.name) == ("behavior", "length")
    assert first.flagged == second.flagged == {PairKey("1", "alpha")}
    assert first.scores == {PairKey("1", "alpha"): 0.4, PairKey("2", "alpha"): 0.1}
    assert first.silent == {"undecided": 1, "error": 1}
    # Pair 8 is not in the run, so nobody could have found it.
    assert list(first.labels) == [PairKey("1", "alpha"), PairKey("2", "alpha")]


def test_the_score_of_a_behavioural_case_is_how_bad_its_original_is() -> None:
    findings = [
        Finding("1", "mt", "behavior", "fail", -0.1, {"status": "original is bad", "quality": 0.25}),
        Finding("2", "mt", "behavior", "fail", 0.4, {"status": "edit broke it", "quality": 0.75}),
        Finding("3", "mt", "behavior", "pass", 0.0, {"status": "passed", "quality": 0.75}),
    ]
    run = Run("r2", "behavior", {}, ["mt"], "2026-01-01", {}, Result(), findings)
    (found,) = detectors_of_run(run, Labels({PairKey("1"): True}))
    assert [found.scores[PairKey(name, "mt")] for name in "123"] == [0.75, 1.0, 0.25]


def test_variants_that_were_not_reported_have_a_score_too() -> None:
    findings = [
        Finding(
            "1",
            "mt",
            "raw",
            "fail",
            9,
            {"variants": [{"id": "1/a", "distance": 9}], "distances": {"1/a": 9, "1/b": 2}},
        ),
        Finding("2", "mt", "raw", "pass", 3, {"distances": {"2/a": 3}}),
    ]
    segments = [Segment(name) for name in ("1", "1/a", "1/b", "2", "2/a")]
    run = Run("r3", "invariance", {}, ["mt"], "2026-01-01", {}, Result(), findings, segments)
    (found,) = detectors_of_run(run, Labels({PairKey("2/a"): True}))
    assert found.flagged == {PairKey("1/a", "mt")}
    assert found.scores == {PairKey(name, "mt"): n for name, n in (("1/a", 9), ("1/b", 2), ("2/a", 3))}


def test_labels_may_name_the_edit_of_a_case() -> None:
    labels = Labels({PairKey("1/edited", "alpha"): True, PairKey("2/edited", "alpha"): False})
    first, _ = detectors_of_run(RUN, labels, systems=["alpha"])
    assert first.flagged == {PairKey("1/edited", "alpha")}
    assert scores_of(first)["precision"].value == 100.0


@pytest.mark.parametrize(
    "names",
    [
        ("1", "2", "1"),
        ("1/edited", "2/edited", "1/edited"),
        ("1", "2/edited", "1/edited"),
        ("1/edited", "2", "1"),
    ],
)
def test_labels_may_mix_the_names_of_cases_and_edits(names: tuple[str, str, str]) -> None:
    pairs = zip(names, ("alpha", "alpha", "beta"), (True, True, False), strict=True)
    labels = Labels({PairKey(name, system): wrong for name, system, wrong in pairs})
    found, _ = detectors_of_run(RUN, labels)
    counts = detect([found]).counts["behavior"]
    # The run flags case 1 of alpha, and misses its case 2.
    assert counts == {
        **{"flagged": 1, "unlabelled": 0, "labelled": 3, "errors": 2},
        **{"silent: error": 1, "silent: undecided": 1},
    }
    assert scores_of(found)["recall"].value == 50.0


def test_where_a_case_and_its_edit_are_labelled_the_edit_counts() -> None:
    labels = Labels({PairKey("1"): False, PairKey("1/edited"): True, PairKey("2"): False})
    found, _ = detectors_of_run(RUN, labels, systems=["alpha"])
    assert found.labels == {PairKey("1/edited", "alpha"): True, PairKey("2", "alpha"): False}
    assert detect([found]).counts["behavior"]["unlabelled"] == 0


def test_in_a_list_a_case_and_its_edit_are_two_pairs() -> None:
    labels = Labels({PairKey("1"): False, PairKey("1/edited"): True})
    found = detector_of_rows("list", [FlagRow(name, "", None, None, 1) for name in ("1", "1/edited")], labels)
    assert found.flagged == {PairKey("1"), PairKey("1/edited")} == set(found.labels)


def test_labels_without_a_system_fit_only_one_system() -> None:
    with pytest.raises(UsageError, match=r"'behavior' is about alpha, beta: choose one with --system"):
        detectors_of_run(RUN, Labels({PairKey("1"): True}))
    labels = Labels({PairKey("1", "alpha"): True, PairKey("1", "beta"): False})
    with pytest.raises(UsageError, match=r"about alpha, beta, and 'list' does not say which"):
        detector_of_rows("list", [FlagRow("1", "", None, None, 1)], labels)


def test_an_issue_flags_the_variants_it_shows_and_people_do_not_change_that() -> None:
    variants = [{"id": "7/1-young", "distance": 5.0}, {"id": "7/2-old", "distance": 3.0}]
    evidence = {"status": "cleared", "variants": variants}
    findings = [
        Finding("7", "nmt", "invariance:raw", "pass", 5.0, evidence),
        Finding("8", "nmt", "invariance:raw", "pass", 0.0, {"status": "stable"}),
    ]
    segments = [Segment(name) for name in ("7", "7/1-young", "7/2-old")]
    run = Run("r", "invariance", {}, ["nmt"], "", {}, Result(), findings, segments)
    (issues,) = detectors_of_run(run, Labels({PairKey("7/1-young"): False}))
    settled = Finding("9", "nmt", "suite", "fail", evidence={"rules_say": "conflict", "status": "incorrect"})
    (suite,) = detectors_of_run(
        Run("s", "suite", {}, ["nmt"], "", {}, Result(), [settled]), Labels({PairKey("9"): False})
    )
    assert issues.flagged == {PairKey("7/1-young", "nmt"), PairKey("7/2-old", "nmt")}
    assert issues.scores[PairKey("7/1-young", "nmt")] == 5.0
    assert (suite.flagged, suite.silent) == (frozenset(), {"undecided": 1})


def rows(*cells: tuple[str, float | None]) -> list[FlagRow]:
    return [FlagRow(name, "", score, None, line) for line, (name, score) in enumerate(cells, 1)]


@pytest.mark.parametrize(
    ("threshold", "low_is_error", "flagged"),
    [(None, False, "abc"), (0.5, False, "ab"), (0.5, True, "b")],
)
def test_a_threshold_says_what_a_list_flags(
    threshold: float | None, low_is_error: bool, flagged: str
) -> None:
    found = detector_of_rows(
        "d",
        rows(("a", 0.9), ("b", 0.5), ("c", None)),
        Labels({PairKey("a"): True}),
        threshold=threshold,
        low_is_error=low_is_error,
    )
    assert {key.id for key in found.flagged} == set(flagged)
    assert found.silent == {"unscored": 1}


def test_a_list_without_scores_has_no_threshold() -> None:
    with pytest.raises(UsageError, match="no scores"):
        detector_of_rows("d", rows(("a", None)), Labels({}), threshold=1.0)


def test_what_reviewers_dispute_is_no_label() -> None:
    first, second, third = (Subject(name, ("s",), ("o",)) for name in "123")
    reviews = [
        review_now(first.id, "suite", "incorrect", "anna"),
        review_now(second.id, "suite", "correct", "anna"),
        review_now(second.id, "suite", "incorrect", "ben"),
        review_now(third.id, "suite", "unsure", "anna"),
        review_now(third.id, "invariance", "under", "anna"),
    ]
    subjects = {subject.id: subject for subject in (first, second, third)}
    found = labels_from_reviews(reviews, subjects, find_question("suite"))
    assert (found.pairs, found.unsettled) == ({PairKey("1"): True}, 2)


def test_reviews_are_about_the_very_output_of_a_run() -> None:
    seen, other = Subject("1", ("s",), ("right",)), Subject("1", ("s",), ("wrong",))
    reviews = [
        review_now(seen.id, "suite", "correct", "anna"),
        review_now(other.id, "suite", "incorrect", "anna"),
    ]
    found = labels_from_reviews(reviews, {s.id: s for s in (seen, other)}, find_question("suite"))
    assert found.pairs == {}  # the id alone does not tell the two outputs apart
    outputs = {"a": [Output("1", "right")], "b": [Output("1", "wrong")], "c": [Output("1", "new")]}
    run = Run("r", "suite", {}, list(outputs), "", {}, Result(), (), [Segment("1", "s")], outputs)
    assert found.of_run(run).pairs == {
        PairKey("1", "a"): False,
        PairKey("1", "b"): True,
    }


def test_chosen_answers_mean_an_error() -> None:
    subject = Subject("1", ("s",), ("o",))
    reviews = [review_now(subject.id, "invariance", "under", "anna")]
    asked = find_question("invariance")
    for chosen, wrong in (((), True), (("under",), True), (("over",), False)):
        found = labels_from_reviews(reviews, {subject.id: subject}, asked, errors=chosen)
        assert found.pairs == {PairKey("1"): wrong}
    with pytest.raises(UsageError, match="'ugly' is no answer to 'invariance'"):
        labels_from_reviews(reviews, {subject.id: subject}, asked, errors=["ugly"])


def test_a_label_that_is_not_known_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.tsv"
    path.write_text("id\tlabel\n1\tERR\n2\tTOX\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"labels.tsv line 3: label 'TOX' is not known.*--error"):
        labels_from_file(path)
    assert labels_from_file(path, errors=["tox"]).pairs == {PairKey("1"): False, PairKey("2"): True}


def test_the_critical_errors_of_mlqe_are_read_as_they_are(data_folder: Path) -> None:
    path = data_folder / "errors" / "ende_majority_dev.tsv"
    if not path.exists():
        pytest.skip("the labelled translations are not among the data")
    found = labels_from_file(path)
    # 1,000 translations of the development set, 281 of them with a critical error.
    assert (len(found.pairs), sum(found.pairs.values()), found.unsettled) == (1000, 281, 0)
