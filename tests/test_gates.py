"""Gates: what a rule means, what it says of runs, how seldom it is wrong, and how it is told."""

from __future__ import annotations

import base64
import copy
import json
import lzma
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mtassay as mt
from mtassay.changes.gate_checks import check_gates
from mtassay.changes.gate_tables import Gate, GateReport
from mtassay.data.errors import InputError, MtassayError, UsageError
from mtassay.data.nouns import Run, Segment
from mtassay.methods.paired_scores import Snapshot, read_baseline, write_baseline
from tests.test_changes import ITEMS, SUITE, a_foreign_run, answers, suite_run


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("bleu >= 30", {"kind": "limit", "what": "bleu", "relation": ">=", "number": 30.0}),
        ("accuracy/Verb tense/aspect ≥ 80 %", {"what": "accuracy/Verb tense/aspect", "unit": "%"}),
        ("negation: lower bound of the pass rate >= 0.9", {"group": "negation", "side": "lower"}),
        ("Upper bound of flagged/length <= 3", {"side": "upper", "what": "flagged/length"}),
        ("undecided <= 5 %", {"kind": "limit", "what": "undecided", "number": 5.0, "unit": "%"}),
        ("no new entity misses", {"kind": "new", "what": "entity misses"}),
        ("no phenomenon significantly worse than the baseline", {"kind": "worse", "what": "phenomenon"}),
        ("No categories are significantly worse", {"what": "categories", "is_one": False}),
        ("BLEU not more than 0.5 lower, at 95 %", {"kind": "loss", "what": "BLEU", "level": 0.95}),
        ("ter not more than 1 higher than the baseline", {"kind": "loss", "number": 1.0, "level": None}),
        ("nee:unit=segment/LOC not significantly worse", {"is_one": True, "what": "nee:unit=segment/LOC"}),
        ({"rule": "bleu > 30", "step": "news", "system": "a"}, {"step": "news", "system": "a"}),
        ({"negation": "accuracy >= 90 %"}, {"group": "negation", "what": "accuracy"}),
        ("bleu not more than 0.5 lower, at 20 %", None),
        ("bleu is good", None),
        ("", None),
        ({"rule": "bleu > 30", "sistem": "a"}, None),
        ({"step": "a", "system": "b"}, None),
        (30, None),
    ],
)
def test_a_rule_means_what_it_says(text: Any, meaning: dict[str, Any] | None) -> None:
    if meaning is None:
        with pytest.raises(UsageError):
            Gate.parse(text)
        return
    gate = Gate.parse(text)
    assert {key: getattr(gate, key) for key in meaning} == meaning


OLD = suite_run(wrong="w0", open_="w9")
WORSE = suite_run(wrong="n0 n1 n2 n3 n4 n5 n6 n7", open_="w9")
"""All eight items of Negation › Simple broke; w0 was fixed. 10 of 19 settled items are right, or 11."""


def one(rule: str, new: mt.Run = WORSE, old: mt.Run | None = OLD) -> tuple[bool, str]:
    """Whether a rule is kept, and what was measured."""
    (check,) = mt.gate(new, rule, baseline=old).checks
    return check.passed, check.measured


@pytest.mark.parametrize(
    ("rule", "passed", "measured"),
    [
        ("accuracy/micro >= 57 %", True, "accuracy, micro 57.9"),
        ("accuracy/micro >= 58 %", False, "n 19"),
        ("accuracy/micro >= 0.58", False, "accuracy, micro 57.9"),
        ("words: the pass rate >= 1", True, "accuracy, Words 100.0 [70.1–100.0], n 9"),
        ("words: lower bound of the pass rate >= 0.7", True, "[70.1–100.0]"),
        ("words: lower bound of the pass rate >= 0.75", False, "[70.1–100.0]"),
        ("upper bound of accuracy/Negation <= 50", False, "accuracy, Negation 20.0 [5.7–51.0], n 10"),
        ("Words >= 90 %", True, "accuracy, Words 100.0"),
        ("undecided <= 5 %", True, "5.0 % [0.9–23.6], 1 of 20"),
        ("undecided < 1", False, "1 of 20"),
        ("undecided <= 1", True, "1 of 20"),
        ("incorrect <= 7", False, "8 of 20"),
        ("no new suite findings", False, "8 new, 1 gone"),
        ("no new findings", False, "8 new, 1 gone"),
        ("accuracy/micro not more than 36 lower", False, "accuracy, micro −36.84 (n 19)"),
        ("accuracy/micro not more than 37 lower", True, "accuracy, micro −36.84 (n 19)"),
        ("accuracy/micro not more than 37 lower, at 95 %", False, "at 95 % (n 19)"),
        ("words not significantly worse", True, "accuracy, Words +11.1 (88.9 → 100.0, n 9, p 1)"),
        ("simple not significantly worse", False, "accuracy, Simple −100.0 (100.0 → 0.0, n 8, p 0.00"),
        ("no phenomenon significantly worse", False, "1 of 3 phenomena"),
        ("no category significantly worse", False, "1 of 2 categories"),
        ("no scores significantly worse", False, "of 7 scores"),
    ],
)
def test_what_a_rule_says_of_a_run(rule: str, passed: bool, measured: str) -> None:
    outcome = one(rule)
    assert outcome[0] is passed
    assert measured in outcome[1]


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("bleu >= 30", "the run has no score 'bleu'."),
        ("xyz >= 30", "the run has no score 'xyz'. Available: accuracy:phenomenon, accuracy."),
        ("negatoin: accuracy >= 3", "no score 'accuracy of negatoin'. Near: Negation."),
        (
            "no domain significantly worse",
            "no 'domain' is compared. Available: categories, phenomena, scores.",
        ),
        ("no new entity misses", "no detector 'entity' judged the run. Available: suite findings."),
        ("undecided <= 0.5", "write a whole number, or a percentage such as 5 %"),
    ],
)
def test_a_rule_about_what_is_not_there_is_an_error_that_names_what_is(rule: str, says: str) -> None:
    with pytest.raises(UsageError) as error:
        one(rule)
    assert says in str(error.value)
    assert rule in str(error.value)


def test_a_rule_that_compares_needs_a_baseline() -> None:
    with pytest.raises(UsageError, match="needs a baseline: add `baseline='RUN'`"):
        one("no score significantly worse", old=None)


def test_a_bound_that_so_few_cases_cannot_reach_is_told() -> None:
    # Wilson's lower end with all of n passed is n / (n + 3.84): 0.9 takes 35.
    report = mt.gate(OLD, "negation: lower bound of the accuracy >= 0.9")
    assert report.checks[0].details == ["Negation: 10 cases reach 72.2 at most; it takes 35."]


def test_a_metric_where_lower_is_better_is_worse_when_it_rises() -> None:
    references = [f"The {n} cats sat on the {n * 7 % 11} mats." for n in range(40)]
    bad = [text.replace("cats", "dogs") for text in references]
    good, worse = (mt.score({"a": t}, [references], metrics="ter", samples=100) for t in (references, bad))
    assert one("ter not significantly worse", worse, good)[0] is False
    assert one("ter not significantly worse", good, worse)[0] is True
    assert one("ter not more than 1 higher, at 95 %", worse, good)[0] is False
    assert one("ter not more than 1 higher, at 95 %", good, worse)[0] is True


def test_a_proof_that_is_missing_for_want_of_segments_says_which_margin_could_be_shown() -> None:
    references = [f"The {n} cats sat on the {n * 7 % 11} mats." for n in range(40)]
    a = [text.replace("sat", "stood") if n % 2 else text for n, text in enumerate(references)]
    b = [text.replace("sat", "stood") if n % 2 == 0 else text for n, text in enumerate(references)]
    old, new = (mt.score({"nmt": t}, [references], metrics="bleu", samples=100) for t in (a, b))
    (check,) = mt.gate(new, "bleu not more than 1 lower, at 95 %", baseline=old).checks
    assert not check.passed
    assert "40 units do not prove it: two equal systems would pass with a margin of" in check.details[0]


def test_new_entity_misses_are_known_by_what_people_call_them() -> None:
    entity = {"text": "Porto", "type": "LOC", "start": 15, "end": 20}
    segments = [
        Segment("1", "A Maria mora no Porto.", ("Maria lives in Porto.",), tags={"entities": [entity]}),
        Segment("2", "Ele saiu.", ("He left.",), tags={"entities": []}),
    ]
    right, wrong = (
        mt.run("score", segments, {"nmt": [text, "He left."]}, metrics="nee", samples=100, evidence=True)
        for text in ("Maria lives in Porto.", "Maria lives in Harbour.")
    )
    assert one("no new entity misses", wrong, right) == (False, "1 new, 0 gone")
    assert one("no new entity misses", right, wrong) == (True, "0 new, 1 gone")
    assert one("no new entity misses", right, replace(right, record=replace(right.record, id="other")))[0]


def test_a_system_of_the_same_run_can_be_the_baseline() -> None:
    run = mt.suite(SUITE, {"v1": answers(), "v2": answers(wrong="n0"), "v3": answers()})
    report = mt.gate(run, "no new findings", "accuracy/micro >= 90 %", baseline="v1")
    assert [(c.system, c.passed) for c in report.checks] == [
        ("v2", False), ("v3", True), ("v2", True), ("v3", True)
    ]  # fmt: skip
    assert [c.system for c in mt.gate(run, "no new findings", baseline="v1", systems=["v3"]).checks] == ["v3"]


def test_steps_have_their_own_runs_and_baselines_and_are_one_family() -> None:
    same = suite_run(wrong="w0", open_="w9").record
    runs, baselines = {"a": WORSE.record, "b": same}, {"a": OLD.record, "b": OLD.record}
    report = check_gates(["no phenomenon significantly worse"], runs, baselines)
    assert [(c.step, c.passed) for c in report.checks] == [("a", False), ("b", True)]
    assert report.tests == 6
    only = check_gates([{"rule": "no phenomenon significantly worse", "step": "b"}], runs, baselines)
    assert [c.step for c in only.checks] == ["b"]
    with pytest.raises(UsageError, match="Steps: a, b"):
        check_gates([{"rule": "accuracy >= 1", "step": "c"}], runs, {})


def test_a_rule_holds_where_its_score_is() -> None:
    score = mt.score({"nmt": ["One."]}, [["One."]], samples=100).record
    report = check_gates(["bleu >= 50", "words >= 50 %"], {"texts": score, "items": OLD.record}, {})
    assert [check.step for check in report.checks] == ["texts", "items"]


def swapped(run: Run, rng: np.random.Generator, systems: Sequence[str]) -> tuple[Run, Run]:
    """Two versions that are equally good: the outputs of two systems, swapped at random case by case."""
    coins = {segment.id: bool(rng.integers(2)) for segment in run.segments}
    first, second = (
        replace(
            run,
            id=f"version {side}",
            systems=["nmt"],
            findings=[
                replace(f, system="nmt")
                for f in run.findings
                if (systems.index(f.system) + coins[f.case_id]) % 2 == side
            ],
        )
        for side in (0, 1)
    )
    return first, second


@pytest.mark.parametrize(
    "rules",
    [
        ["accuracy/micro not significantly worse"],
        [f"{name} not significantly worse" for name in ("simple", "double", "nouns", "words", "negation")],
    ],
    ids=["one rule", "five rules"],
)
def test_equal_versions_raise_a_false_alarm_in_one_gate_of_twenty_at_most(rules: list[str]) -> None:
    texts = {
        "a": answers(wrong="n0 n1 n2 n3 d0 w0 w1 w2 w3"),
        "b": answers(wrong="n4 n5 n6 n7 d1 w4 w5 w6 w7"),
    }
    run = mt.suite(SUITE, texts, trials=100).record
    rng = np.random.default_rng(1)
    failed = 0
    for _ in range(200):
        old, new = swapped(run, rng, ["a", "b"])
        failed += not check_gates(rules, {"s": new}, {"s": old}, trials=400, seed=None).passed
    assert failed <= 17  # of 200 at a level of 5 %, more than 17 come with a probability of 1.5 %


def test_a_planted_regression_is_found_among_many_phenomena() -> None:
    report = mt.gate(WORSE, "no phenomenon significantly worse", baseline=OLD)
    (check,) = report.checks
    assert check.details == [next(d for d in check.details if "Simple −100.0" in d)]
    assert [block.title for block in check.blocks] == [f"n{n} · Negation › Simple" for n in range(3)]
    texts = {line.label: line.text for line in check.blocks[0].lines}
    assert texts["source"] == "Frase n0."
    assert (texts["old"], texts["new"]) == ("right n0", "wrong n0")


RULES = ("no phenomenon significantly worse", "undecided <= 5 %", "accuracy/micro >= 90 %")


def test_whatever_an_output_holds_no_escape_is_printed() -> None:
    odd = "wrong \x00 <b>&]]> \ud800 \uffff \x1b[31m"
    run = mt.suite(SUITE, {"nmt": answers() | {"n0": odd}}, trials=100)
    report = mt.gate(run, "accuracy/Negation >= 95 %")
    assert "\x1b" not in str(report) + report.markdown()


def test_markdown_has_the_verdict_the_table_and_the_sentences() -> None:
    text = mt.gate(WORSE, *RULES, baseline=OLD).markdown()
    assert text.startswith("### Translation gate failed, 2 of 3 checks\n")
    assert "| no phenomenon significantly worse | **FAILED** | 1 of 3 phenomena |" in text
    assert "<details><summary>no phenomenon significantly worse</summary>" in text
    assert "- new: **wrong** n0" in text


def test_a_report_is_true_when_all_is_kept_and_tells_the_rest_at_a_glance() -> None:
    assert mt.gate(OLD, "accuracy/micro >= 90 %")
    report = mt.gate(WORSE, *RULES, baseline=OLD)
    assert not report
    assert repr(report).startswith("<GateReport: failed, 2 of 3 checks; no phenomenon significantly worse:")
    assert all(len(line) <= 80 for line in str(report).splitlines())
    assert "corrected for all 3 tests of this gate (max-T)" in " ".join(str(report).split())
    record = report.record()
    assert (record["passed"], len(record["checks"])) == (False, 3)
    assert record["checks"][0]["cases"][0]["new"] == "wrong n0"


def test_a_method_that_is_not_installed_can_be_gated() -> None:
    old, new = a_foreign_run("pppp"), a_foreign_run("ppff", flags="0")
    report = check_gates(
        ["pass rate >= 80 %", "no new flagger findings", "toy score <= 5"], {"s": new}, {"s": old}
    )
    assert [check.passed for check in report.checks] == [False, False, False]


def test_nothing_to_check_is_no_pass() -> None:
    run = mt.suite(SUITE, {"only": answers()})
    with pytest.raises(UsageError, match="nothing to check"):
        mt.gate(run, "accuracy >= 1", baseline=run)
    assert len(ITEMS) == 20
    assert GateReport([]).summary == "passed, 0 checks"


def test_what_is_open_or_lost_now_is_in_no_comparison_and_told() -> None:
    new = suite_run(open_="n0 n1", lost="w1 w2 w3")
    report = mt.gate(new, "no category significantly worse", "missing <= 3", baseline=suite_run())
    assert report.passed
    told = "In no score that is compared: 3 cases without an output now, 2 cases settled before and open now."
    assert told in report.notes
    assert told.split(": ")[1] in " ".join(str(report).split())


def test_nobody_passes_by_what_was_left_out() -> None:
    new = suite_run(lost="w1 w2 w3")
    report = mt.gate(new, "no category significantly worse", "accuracy/micro >= 1 %", baseline=suite_run())
    (failed,) = report.failed
    assert failed.gate.text == "missing <= 0"
    assert failed.measured.startswith("3 texts without an answer that the baseline answered.")
    assert mt.gate(suite_run(), "no category significantly worse", baseline=new).passed
    again = suite_run(lost="w1 w2 w3")
    assert mt.gate(again, "no category significantly worse", baseline=new).passed


def test_a_system_that_has_nothing_a_rule_speaks_of_does_not_pass_beside_one_that_has() -> None:
    everything_open = " ".join(item.id for item in ITEMS if item.category == "Words")
    texts = {"old": answers(), "a": answers(), "b": answers(open_=everything_open)}
    run = mt.suite(SUITE, texts, items="settled")
    report = mt.gate(run, "words not significantly worse", "words >= 50 %", baseline="old")
    assert [(c.system, c.passed) for c in report.checks] == [
        ("a", True), ("b", False), ("a", True), ("b", False)
    ]  # fmt: skip


def test_a_test_that_two_rules_ask_for_counts_once() -> None:
    rules = ("no category significantly worse", "words not significantly worse")
    assert mt.gate(WORSE, *rules, baseline=OLD).tests == 2
    assert "corrected" not in str(mt.gate(WORSE, rules[1], baseline=OLD))


_WRONG = (None, True, -1, 1e308, 10**400, math.nan, "", "x", "nan nan nan 1", [], [[1], 2], {}, {"a": 1})


def _places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in inner:
        yield (*path, key)
        yield from _places(value, (*path, key))


def _spoilt(record: dict[str, Any], drawn: random.Random) -> str:
    """The file of a baseline with something in it that does not belong there, packed or not."""
    record = copy.deepcopy(record)
    chosen = drawn.choice(record["snapshots"])
    units = json.loads(lzma.decompress(base64.b64decode(chosen["units"])))
    root = drawn.choice([record, record, units])
    *path, last = drawn.choice(list(_places(root)))
    node = root
    for key in path:
        node = node[key]
    if drawn.random() < 0.2:
        del node[last]
    else:
        node[last] = copy.deepcopy(drawn.choice(_WRONG))
    if root is units:
        chosen["units"] = base64.b64encode(lzma.compress(json.dumps(units).encode())).decode()
    lines = json.dumps(record, indent=1).split("\n")
    if drawn.random() < 0.1:
        place = drawn.randrange(len(lines))
        lines.insert(place, lines[place])
    return "\n".join(lines)


def test_a_baseline_that_was_edited_badly_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    write_baseline(path, [Snapshot.of(OLD.record, system) for system in OLD.record.systems])
    record = json.loads(path.read_text("utf-8"))
    drawn = random.Random(1)
    refused = []
    for _ in range(400):
        path.write_text(_spoilt(record, drawn), encoding="utf-8")
        try:
            str(mt.gate(WORSE, *RULES, baseline=path, trials=100, samples=100))
        except MtassayError as error:
            refused.append(str(error))
    assert len(refused) > 200
    assert not [why for why in refused if "\n" in why]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[]", "it is another kind of file"),
        ('{"kind": "mtassay baseline", "version": 1}', "it has no 'snapshots'"),
        ('{"kind": "mtassay baseline", "version": 1, "snapshots": {}}', "'snapshots' must be a list"),
        ('{"kind": "mtassay baseline", "kind": 1}', "'kind' is there twice"),
        ('{"kind": NaN}', "NaN is no number"),
        ("[" * 100_000, "no baseline"),
    ],
)
def test_what_is_wrong_with_a_baseline_is_told(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "base.json").write_text(text)
    with pytest.raises(
        InputError, match=rf"base\.json: this is {'' if told == 'no baseline' else 'no baseline .'}{told}"
    ):
        read_baseline(tmp_path / "base.json")


def test_a_rule_about_a_check_holds_where_it_found_nothing_and_needs_it_to_be_run() -> None:
    source, reference = ["He has 250 euros."], [["Er hat 250 Euro."]]
    run = mt.score({"a": reference[0]}, reference, source, langpair="en-de", metrics="chrf", samples=100)
    assert next(c.measured for c in mt.gate(run, "tags <= 0", "refusal <= 1 %").checks) == "0 of 1"
    with pytest.raises(UsageError, match="'numbers' was not run"):
        mt.gate(run, "numbers <= 0")
