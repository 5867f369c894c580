"""What each method tells of its outputs, so that failures can be compared with passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mtassay.data.method import view_of
from mtassay.data.nouns import Finding, Ledger, Output, Result, Run, Segment
from mtassay.methods.score.judged import score_tails


def run_of(method: str, findings: Sequence[Finding], segments: Sequence[Segment]) -> Run:
    outputs = {"nmt": [Output(segment.id, f"output {segment.id}") for segment in segments]}
    return Run("1", method, {}, ["nmt"], "", {}, Result(), findings, segments, outputs)


def test_by_default_one_failing_finding_makes_a_failure_and_detectors_that_only_flag_are_clues() -> None:
    tags = {"category": "Words", "entities_origin": "gold", "note": "?"}
    segments = [Segment("1", "A.", tags=tags), Segment("2", "B.")]
    findings = [
        Finding("1", "nmt", "judge", "pass", evidence={"clues": ["meaning"]}),
        Finding("1", "nmt", "check:empty", "fail"),
        Finding("2", "nmt", "judge", "undecided"),
    ]
    first, second = view_of(run_of("unknown", findings, segments)).observations()
    assert (first.verdict, first.source, first.output) == ("fail", "A.", "output 1")
    assert first.traits == (("category", "Words"),)
    assert first.clues == ("meaning", "check:empty")
    assert second.verdict == "undecided"


def test_of_an_issue_those_outputs_fail_that_the_judge_has_reasons_against() -> None:
    segments = [
        Segment("1", "An original."),
        *(Segment(f"1/{n}", f"Variant {n}.", tags={"original": "1"}) for n in range(3)),
    ]
    evidence = {
        "status": "suspicious",
        "threshold": 1.0,
        "distances": {"1/0": 5.0, "1/1": 0.0, "1/2": 3.0},
        "variants": [{"id": "1/0", "reasons": ["a word is missing"]}],
        "label": {},
    }
    findings = [
        Finding("1", "nmt", "invariance:text", "fail", 5.0, evidence),
        Finding("1/1", "nmt", "polarity", "fail", 1.0, {"why": "it says no"}),
    ]
    run = run_of("invariance", findings, segments)
    seen = {o.segment_id: o for o in view_of(run).observations()}
    assert {key: o.verdict for key, o in seen.items()} == {
        "1": "undecided",
        "1/0": "fail",
        "1/1": "fail",
        "1/2": "undecided",
    }
    assert {o.family for o in seen.values()} == {"An original."}
    assert (seen["1/1"].traits, seen["1/1"].clues) == ((), ("polarity",))


def test_the_tag_that_a_run_groups_by_counts_and_how_a_segment_was_made_does_not() -> None:
    segment = Segment("1", tags={"topic": "sport", "entities_origin": "gold"})
    run = run_of("score", [], [segment])
    run = replace(run, parameters={"by": "topic"})
    (observation,) = view_of(run).observations()
    assert observation.traits == (("topic", "sport"),)


def test_what_people_said_of_a_variant_comes_before_what_the_method_found() -> None:
    evidence = {
        "status": "cleared",
        "threshold": 1.0,
        "distances": {"1/0": 5.0},
        "variants": [{"id": "1/0"}],
        "label": {"1/0": "correct", "1": "mistranslation"},
    }
    segments = [Segment("1", "An original."), Segment("1/0", "A variant.", tags={"original": "1"})]
    run = run_of("invariance", [Finding("1", "nmt", "invariance:text", "pass", 5.0, evidence)], segments)
    seen = {o.segment_id: o.verdict for o in view_of(run).observations()}
    assert seen == {"1": "fail", "1/0": "pass"}


def test_a_behavioural_case_is_about_the_edited_source() -> None:
    evidence = {
        "status": "edit broke it",
        "capability": "noun",
        "source": "A dog.",
        "edited_source": "A cat.",
        "edited_output": "Um cão.",
        "pseudo_reference": "Um gato.",
    }
    run = run_of("behavior", [Finding("1", "nmt", "behavior", "fail", evidence=evidence)], [])
    (observation,) = view_of(run).observations()
    assert (observation.source, observation.output, observation.references) == (
        "A cat.",
        "Um cão.",
        ("Um gato.",),
    )
    assert (observation.family, observation.traits) == ("A dog.", (("capability", "noun"),))


def test_of_several_systems_the_lowest_tenth_is_held_against_the_others() -> None:
    """Unit 0 is hard for both; unit 19 is hard for a alone."""
    ids = [str(n) for n in range(20)]
    values = {"a": np.full(20, 50.0), "b": np.full(20, 50.0)}
    values["a"][[0, 19]], values["b"][0] = (1.0, 20.0), 1.0
    ledgers = {
        name: Ledger("m", name, ids, column[:, None], lambda sums: sums[..., 0], {})
        for name, column in values.items()
    }
    tails = score_tails(ledgers, {})
    assert {name: own.lowest for name, own in tails.items()} == {"a": {"19"}, "b": set()}
    assert {name: own.highest for name, own in tails.items()} == {"a": set(), "b": {"19"}}


def test_tenths_are_taken_among_texts_of_about_the_same_length() -> None:
    """Scores of the short half vary three times as much, and would fill both tails."""
    rng = np.random.default_rng(1)
    ids = [str(n) for n in range(400)]
    scores = np.concatenate([rng.normal(50, 30, 200), rng.normal(50, 10, 200)])[:, None]
    ledger = Ledger("m", "a", ids, scores, lambda sums: sums[..., 0], {})
    lengths = {unit: 5 if n < 200 else 90 for n, unit in enumerate(ids)}
    tails = score_tails({"a": ledger}, lengths)["a"]
    for tail in (tails.lowest, tails.highest):
        assert sum(int(unit) < 200 for unit in tail) == sum(int(unit) >= 200 for unit in tail) == 20
