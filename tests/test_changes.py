"""What changed between two runs: numbers by hand, and equal to those of the methods themselves."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import mtassay as mt
from mtassay.app.history import find_snapshots
from mtassay.changes.run_changes import RunChanges
from mtassay.data import nouns
from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.suite_items import Item, Rule, Suite
from mtassay.data.method import view_of
from mtassay.data.nouns import Finding, Output, Result, Segment
from mtassay.measures.chrf import ChrF
from mtassay.methods.behavior.behavior_method import BehaviorMethod
from mtassay.methods.paired_scores import Snapshot, read_baseline, text_digests, write_baseline

ITEMS = [
    Item(f"{letter}{number}", "pt-en", category, phenomenon, f"Frase {letter}{number}.",
         positive_regex=(Rule("right"),), negative_regex=(Rule("wrong"),))
    for letter, category, phenomenon, count in (
        ("n", "Negation", "Simple", 8), ("d", "Negation", "Double", 2), ("w", "Words", "Nouns", 10)
    )
    for number in range(count)
]  # fmt: skip
SUITE = Suite(tuple(ITEMS), name="Small")


def answers(wrong: str = "", open_: str = "", lost: str = "") -> dict[str, str | None]:
    """All right, except for these items."""
    texts: dict[str, str | None] = {item.id: f"right {item.id}" for item in ITEMS}
    texts |= {key: f"wrong {key}" for key in wrong.split()} | dict.fromkeys(open_.split(), "what")
    return texts | dict.fromkeys(lost.split(), None)


def suite_run(system: str = "nmt", **how: str) -> mt.Run:
    return mt.suite(SUITE, {system: answers(**how)}, trials=100)


def row(changes: RunChanges, name: str, group: str) -> dict[str, object]:
    (record,) = [r for r in changes.record()["scores"] if (r["name"], r["group"]) == (name, group)]
    return dict(record)


def test_scores_are_compared_on_what_is_settled_both_times() -> None:
    old = suite_run(wrong="w0 w1", open_="n0", lost="n1")
    changes = mt.compare(old, suite_run(wrong="w1 w2 w3 d0", open_="w4"))
    negation, words = row(changes, "accuracy", "Negation"), row(changes, "accuracy", "Words")
    assert (negation["n"], negation["before"], negation["after"]) == (8, 100.0, 87.5)
    assert (words["n"], words["fixed"], words["broken"]) == (9, 1, 2)
    assert words["delta"] == pytest.approx(-100 / 9)
    micro, macro = row(changes, "accuracy", "micro"), row(changes, "accuracy", "macro")
    assert micro["delta"] == pytest.approx(-200 / 17)
    assert macro["delta"] == pytest.approx((-12.5 - 100 / 9) / 2)
    assert row(changes, "accuracy:phenomenon", "Double")["after"] == 50.0
    kinds = {case.case_id: case.kind for case in changes.cases if not case.kind.startswith("still")}
    assert kinds == {
        "n0": "newly settled", "n1": "found", "w0": "fixed", "w2": "broken", "w3": "broken",
        "d0": "broken", "w4": "newly open",
    }  # fmt: skip


def test_the_p_value_of_eight_broken_and_none_fixed_is_that_of_eight_coins() -> None:
    # All rows that move at all move by the same eight items: 2 · 0.5⁸.
    changes = mt.compare(suite_run(), suite_run(wrong="n0 n1 n2 n3 n4 n5 n6 n7"), trials=20000)
    assert row(changes, "accuracy", "micro")["p"] == pytest.approx(2 / 256, abs=0.002)
    assert row(changes, "accuracy", "Words")["p"] == 1.0


def test_it_says_the_same_as_the_comparison_inside_a_score() -> None:
    references = [f"The {n} cats sat on the {n * 7 % 11} mats in house {n}." for n in range(60)]
    a = [text.replace("sat", "stood") if n % 3 else text for n, text in enumerate(references)]
    b = [text.replace("mats", "rugs") if n % 2 else text for n, text in enumerate(references)]
    both = mt.score({"b": b, "a": a}, [references], trials=2000)
    one, other = (mt.score({name: texts}, [references]) for name, texts in (("a", a), ("b", b)))
    changes = mt.compare(one, other, trials=2000)
    for comparison in both.result.comparisons:
        mine = row(changes, comparison.name, "all")
        assert mine["delta"] == pytest.approx(comparison.delta)
        assert mine["p"] == pytest.approx(comparison.p, abs=0.02)
    assert changes.names == ("a", "b")
    moved = {unit.unit for unit in changes.units}
    assert moved == {str(n + 1) for n in range(60) if a[n] != b[n]}


def test_two_equal_runs_do_not_differ() -> None:
    changes = mt.compare(suite_run(wrong="w0"), suite_run(wrong="w0"))
    assert {r["p"] for r in changes.record()["scores"]} == {1.0}
    assert changes.kinds() == {"still right": 19, "still wrong": 1}


def test_a_text_that_changed_is_not_compared_and_told() -> None:
    sources = ["One.", "Two.", "Three."]
    old = mt.score({"a": ["1.", "2.", "3."]}, [sources], sources, samples=100)
    new = mt.score({"a": ["1.", "2.", "3."]}, [["One.", "Two!", "Three."]], sources, samples=100)
    changes = mt.compare(old, new)
    assert row(changes, "bleu", "all")["n"] == 2
    assert "Not compared: 1 text changed." in changes.notes
    with pytest.raises(UsageError, match="no case with the same texts"):
        mt.compare(old, mt.score({"a": ["4."]}, [["Four."]], ["Four."], samples=100))


def test_other_settings_and_other_rules_are_told() -> None:
    items = [replace(i, positive_regex=(Rule("never"),)) if i.id == "n0" else i for i in ITEMS]
    stricter = Suite(tuple(items), name="Small")
    changes = mt.compare(suite_run(), mt.suite(stricter, {"nmt": answers()}))
    assert any(
        note.startswith("Watch out: the runs differ in their settings: suite") for note in changes.notes
    )
    assert "1 verdict changed though the output did not: rules, reviews or settings did." in changes.notes


def test_runs_of_two_methods_cannot_be_compared() -> None:
    with pytest.raises(UsageError, match="only runs of one method"):
        mt.compare(suite_run(), mt.score({"a": ["x"]}, [["x"]], samples=100))


def test_a_file_of_baselines_is_as_good_as_the_run(tmp_path: Path) -> None:
    old, new = suite_run(wrong="w0 w1"), suite_run(wrong="w1 w2 w3")
    write_baseline(tmp_path / "base.json", [Snapshot.of(old.record, "nmt")])
    from_file = mt.compare(tmp_path / "base.json", new)
    whole = mt.compare(old, new)
    assert from_file.scores == whole.scores
    assert from_file.cases == whole.cases
    assert row(from_file, "accuracy", "Words")["broken"] == 2
    (kept,) = read_baseline(tmp_path / "base.json")
    (score,) = [s for s in kept.scores if s.group == "Words"]
    assert (score.value, score.n) == (80.0, 10)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "mtassay baseline", "version": 9}', "\x00"])
def test_what_is_no_baseline_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "base.json").write_text(text)
    with pytest.raises(InputError, match=r"base\.json: this is no baseline"):
        read_baseline(tmp_path / "base.json")


def a_foreign_run(verdicts: str, *, flags: str = "") -> nouns.Run:
    """A run of a method that is not installed: cases that pass (p), fail (f) or have no output (x)."""
    names = {"p": "pass", "f": "fail", "x": "error"}
    findings = [
        Finding(str(n), "nmt", "output" if v == "x" else "toy", names[v], evidence={"why": f"says {v}"})  # type: ignore[arg-type]
        for n, v in enumerate(verdicts)
    ]
    findings += [Finding(key, "nmt", "flagger", "fail") for key in flags.split()]
    return nouns.Run(
        f"r-{verdicts}-{flags}", "foreign", {}, ["nmt"], "2026-01-01", {},
        Result(scores=[nouns.Score("toy score", "nmt", "all", 10.0 * len(flags), 4)]), findings,
        [Segment(str(n), f"Source {n}.") for n in range(len(verdicts))],
        {"nmt": [Output(str(n), f"{v}.") for n, v in enumerate(verdicts)]},
    )  # fmt: skip


def test_any_method_is_compared_by_its_verdicts() -> None:
    changes = mt.compare(a_foreign_run("pppf", flags="0 1"), a_foreign_run("pfxp", flags="1 3"))
    rate = row(changes, "pass rate", "all")
    assert (rate["n"], rate["fixed"], rate["broken"], rate["delta"]) == (3, 1, 1, 0.0)
    kinds = {(c.detector, c.case_id): c.kind for c in changes.cases}
    assert kinds["toy", "1"] == "broken"
    assert kinds["toy", "2"] == "lost"
    assert kinds["flagger", "0"] == "fixed"
    assert kinds["flagger", "3"] == "broken"
    assert kinds["flagger", "1"] == "still wrong"
    untested = row(changes, "toy score", "all")
    assert (untested["delta"], untested["p"]) == (0.0, None)


def test_an_original_is_another_text_when_its_edit_is() -> None:
    segments = [Segment("1", "A dog."), Segment("1/edited", "A cat.", tags={"original": "1"})]
    other = [segments[0], segments[1]._replace(source="A cow.")]
    assert text_digests(segments)["1"] != text_digests(other)["1"]
    assert text_digests(segments) == text_digests(list(segments))


def test_what_is_meant_is_found(tmp_path: Path) -> None:
    place = tmp_path / "w.db"
    first = mt.suite(SUITE, {"v1": answers(), "v2": answers(wrong="n0")}, save=True, workspace=place)
    second = mt.suite(SUITE, {"v2": answers(wrong="n1")}, save=True, workspace=place)
    changes = mt.compare(first.id, "last", workspace=place)
    assert (changes.old.system, changes.new.system) == ("v2", "v2")
    assert mt.compare(f"{first.id}:v1", second.id, workspace=place).names == ("v1", "v2")
    assert mt.compare("v1", "v2", workspace=place).new.run == second.id
    assert find_snapshots("v2", workspace=place, like=second.record)[0].run == first.id
    assert find_snapshots("v2", workspace=place, like=first.record)[0].run == first.id
    assert mt.compare("v2", "last", workspace=place).kinds() == {"fixed": 1, "broken": 1, "still right": 18}
    with pytest.raises(
        UsageError, match=r"There is no run, system or file 'v3'\. Newest runs: .*Systems: v2, v1"
    ):
        mt.compare("v3", "v2", workspace=place)
    with pytest.raises(UsageError, match=r"has several systems: v1, v2\. Name one"):
        mt.compare(first, mt.suite(SUITE, {"other": answers()}))
    json.dumps(changes.record(), allow_nan=False)


def test_a_behavioural_case_says_what_it_was_judged_to_be() -> None:
    tags = {"original": "1", "capability": "noun"}
    edited = Segment("1/edited", "Dois cães.", ("Two dogs.",), tags=tags)
    segments = [Segment("1", "Dois gatos.", ("Two cats.",)), edited]
    method = BehaviorMethod("pt-en", {"chrf": ChrF()}, min_quality=0.2, max_change=0.3)
    old, new = (
        mt.run(method, segments, {"nmt": ["Two cats.", text]}) for text in ("Two dogs.", "Something else.")
    )
    (case,) = mt.compare(old, new).record()["cases"]
    assert (case["kind"], case["source"], case["new_output"]) == ("broken", "Dois cães.", "Something else.")
    assert ": quality 1.00, edited 0." in case["new_why"]


def test_the_library_has_a_function_for_the_history_of_a_system(tmp_path: Path) -> None:
    place = tmp_path / "w.db"
    for wrong in ("w0 w1", "w1"):
        mt.suite(SUITE, {"nmt": answers(wrong=wrong)}, save=True, workspace=place)
    found = mt.history("nmt", groups=["Words"], workspace=place)
    assert mt.history("nmt", workspace=place).systems == ["nmt"], "no module may take its name"
    (trend,) = found.trends
    assert [(point.score.value, point.score.n) for point in trend.points] == [(80.0, 10), (90.0, 10)]
    assert trend.points[1].change is not None
    assert (trend.points[1].change.fixed, trend.points[1].change.p) == (1, 1.0)


def test_what_the_judge_of_a_behavioural_case_saw_is_told() -> None:
    evidence = {"status": "edit broke it", "probability": 0.83, "reasons": ["a number is missing: 12"]}
    finding = Finding("1", "nmt", "behavior", "fail", evidence=evidence)
    view = view_of(nouns.Run("1", "behavior", {}, ["nmt"], "", {}, Result(), [finding]))
    assert view.reasons(finding) == ["edit broke it: 83 % likely wrong", "a number is missing: 12"]
