"""What every method keeps: add a row to EXAMPLES and it is checked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from markupsafe import escape

from mtassay.app.page.contents import page_of
from mtassay.app.page.page_html import render_page
from mtassay.app.page.sentences import PageCases
from mtassay.data.formats.suite_items import Item, Rule, Suite
from mtassay.data.marks import printable
from mtassay.data.method import Method, view_of
from mtassay.data.nouns import Edit, Run, Segment
from mtassay.data.registry import names
from mtassay.measures.bleu import BLEU
from mtassay.measures.chrf import ChrF
from mtassay.methods.behavior.behavior_method import BehaviorMethod
from mtassay.methods.behavior.pairs import edited_id
from mtassay.methods.check.check_method import CheckMethod
from mtassay.methods.engine import execute
from mtassay.methods.invariance.invariance_answers import variant_of
from mtassay.methods.invariance.invariance_method import InvarianceMethod
from mtassay.methods.score.score_method import ScoreMethod
from mtassay.methods.suite.suite_method import SuiteMethod
from mtassay.runtime.workspace import Workspace
from mtassay.systems.roster import Stored

METRICS = {"bleu": BLEU(), "chrf": ChrF()}
SUITE = Suite(
    (
        Item("a", "pt-en", "Numbers", "Words", "Um.", positive_regex=(Rule("One"),)),
        Item("b", "pt-en", "Numbers", "Words", "Dois gatos.", positive_regex=(Rule("Two"),)),
        Item("c", "pt-en", "Numbers", "Figures", "Não há 3.", (Rule("3"),), (Rule("three"),)),
        Item("d", "pt-en", "Negation", "Negation", "Sem referência."),
    )
)
EXAMPLES: dict[str, Method] = {
    "score": ScoreMethod(METRICS, samples=100, evidence=True),
    "score with randomization": ScoreMethod(METRICS, test="randomization", samples=100, trials=100),
    "score by document": ScoreMethod(METRICS, samples=100, by="document", correction="holm"),
    "suite": SuiteMethod(SUITE),
    "suite with z-test": SuiteMethod(SUITE, items="settled", test="z"),
    "invariance": InvarianceMethod("pt-en", structure="tokens", threshold=1, checks=()),
    "check": CheckMethod("pt-en", checks=("numbers", "empty", "untranslated")),
    "behavior": BehaviorMethod("pt-en", {"chrf": ChrF()}, min_quality=0.2, max_change=0.3),
    "behavior, signed": BehaviorMethod(
        "pt-en", {"chrf": ChrF()}, min_quality=0.2, max_change=0.3, signed=True
    ),
}
SEGMENTS = [
    Segment("a", "Um.", ("One.",), "d1"),
    Segment("b", "Dois gatos.", ("Two cats.", "A pair of cats."), "d1"),
    Segment("c", "Não há 3.", ("There are not 3.", None), "d2"),
    Segment("d", "Sem referência.", (), "d2"),
]
SYSTEMS = [
    Stored("good", {"a": "One.", "b": "Two cats.", "c": "There are not 3.", "d": "No reference."}),
    Stored("gap", {"a": "One.", "b": None, "c": "There are three", "d": ""}),
]
VARIANTS = [variant_of(segment, Edit(0, 2, segment.source[:2], "Ai"), 0) for segment in SEGMENTS]
EDITS = [
    segment._replace(
        id=edited_id(segment.id),
        source=f"{segment.source} Ai!",
        references=tuple(None if text is None else f"{text} Ay!" for text in segment.references),
        tags={"original": segment.id, "capability": "noun"},
    )
    for segment in SEGMENTS
]
MORE = {
    "behavior": [EDITS, [Stored("", {edit.id: "One." for edit in EDITS})] * 2],
    "invariance": [VARIANTS, [Stored("", {v.id: "One." for v in VARIANTS})] * 2],
}
"""What a method asks besides, by its name: segments, and what each system makes of them."""


def run(method: Method) -> Run:
    segments, answers = MORE.get(method.name, [[], [Stored("", {})] * 2])
    systems = [
        Stored(system.name, {**system.outputs, **more.outputs})
        for system, more in zip(SYSTEMS, answers, strict=True)
    ]
    return execute(method, [*SEGMENTS, *segments], systems)


@pytest.fixture(params=EXAMPLES.values(), ids=EXAMPLES.keys())
def execution(request: pytest.FixtureRequest) -> Run:
    return run(request.param)


def test_every_registered_method_is_checked() -> None:
    assert {method.name for method in EXAMPLES.values()} >= set(names("method"))


def test_the_result_has_the_one_shape_and_is_json(execution: Run) -> None:
    shape = json.loads(json.dumps(execution.result.as_dict(), allow_nan=False))
    assert shape.keys() == {"scores", "comparisons", "clusters", "counts", "notes", "basis"}
    for score in shape["scores"]:
        assert {"name", "system", "group", "value", "n", "low", "high", "signature"} <= score.keys()
    for comparison in shape["comparisons"]:
        assert {"name", "group", "a", "b", "delta", "p"} <= comparison.keys()
    assert shape["counts"].keys() == {"good", "gap"}


def test_what_a_system_did_not_answer_is_counted(execution: Run) -> None:
    counts = execution.result.counts
    kind = "missing" if "missing" in counts["gap"] else "skipped"
    assert counts["gap"][kind] > counts["good"].get(kind, 0)  # a blank output is no answer either
    gap = [score for score in execution.result.scores if score.system == "gap"]
    answered = [score.n if score.answered_n is None else score.answered_n for score in gap]
    assert all(n < len(SEGMENTS) for n in answered), "it has no output for b"


def test_a_missing_output_is_a_finding_with_its_reason(execution: Run) -> None:
    found = [f for f in execution.findings if f.detector == "output"]
    assert [(f.case_id, f.system, f.verdict, f.evidence["reason"]) for f in found if f.case_id != "d"] == [
        ("b", "gap", "skipped", "no stored output")
    ]
    # To `score` a blank output is a missing answer; other methods judge it as what it is.
    blank = [(f.system, f.verdict, f.evidence["reason"]) for f in found if f.case_id == "d"]
    assert blank == ([("gap", "error", "the output is blank")] if execution.method == "score" else [])


def test_every_pair_is_compared_and_every_system_that_answered_has_one_rank(execution: Run) -> None:
    result = execution.result
    empty = {(score.name, score.group) for score in result.scores if score.value is None}
    for name, group in {(score.name, score.group) for score in result.scores} - empty:
        pairs = [(c.a, c.b) for c in result.comparisons if (c.name, c.group) == (name, group)]
        assert pairs == [("good", "gap")]
        clustered = [s for c in result.clusters if (c.name, c.group) == (name, group) for s in c.systems]
        # A system that left texts without an answer has no rank by a metric.
        assert sorted(clustered) == (["good"] if "unanswered" in result.basis else ["gap", "good"])


@pytest.mark.parametrize("method", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_the_same_seed_gives_the_same_result(method: Method) -> None:
    one, two = (run(method).result for _ in range(2))
    assert one == two


def test_a_saved_run_comes_back_as_it_was(execution: Run, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w.db")
    workspace.save_run(execution)
    again = Workspace(tmp_path / "w.db")
    run = again.run("last")
    assert json.dumps(run.result.as_dict()) == json.dumps(execution.result.as_dict())
    assert [f.case_id for f in run.findings] == [f.case_id for f in execution.findings]
    assert [o.error for o in again.outputs(run.id)["gap"] if o.id == "b"] == ["no stored output"]
    assert again.segments(run.id)[2].references == ("There are not 3.", None)


@pytest.mark.parametrize("method", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_the_scores_of_a_saved_run_can_be_added_up_again_from_its_ledgers(
    method: Method, tmp_path: Path
) -> None:
    segments, answers = MORE.get(method.name, [[], [Stored("", {})] * 2])
    system = Stored("good", {**SYSTEMS[0].outputs, **answers[0].outputs})
    workspace = Workspace(tmp_path / "w.db")
    own = getattr(method, "segments", SEGMENTS)  # a suite brings its items along
    workspace.save_run(execute(method, [*own, *segments], [system]))
    saved = workspace.run("last")
    values = {(s.name, s.group): s.value for s in saved.result.scores if s.value is not None}
    ledgers = view_of(saved).ledgers("good")
    assert ledgers
    seen = set()
    for ledger in ledgers:
        places = {unit: place for place, unit in enumerate(ledger.ids)}
        for group, parts in ledger.groups.items():
            rows = [[places[unit] for unit in part if unit in places] for part in parts]
            columns = ledger.columns.get(group, range(ledger.values.shape[1]))
            sums = [ledger.values[part][:, list(columns)].sum(axis=0) for part in rows if part]
            if sums:
                mean = sum(float(ledger.aggregate(part)) for part in sums) / len(sums)
                assert mean == pytest.approx(values[ledger.name, group])
                seen.add((ledger.name, group))
    expected = {key for key in values if not key[0].endswith(":settled") and key[0] != "undecided"}
    assert seen == expected


def shown(execution: Run) -> Run:
    """The run as a method shows it: a suite brings its segments along, with categories."""
    segments = getattr(EXAMPLES[execution.method], "segments", None)
    return execution if segments is None else replace(execution, segments=segments)


def test_every_case_is_shown_with_what_each_system_answered(execution: Run) -> None:
    views = {view.id: view for view in view_of(shown(execution)).case_views()}
    assert list(views) == [segment.id for segment in SEGMENTS]
    for view in views.values():
        assert [answer.system for answer in view.answers] == ["good", "gap"]
        assert all(answer.lines for answer in view.answers)
    told = " ".join(line.text for line in views["b"].lines)
    assert "Dois gatos." in told
    answers = {answer.system: answer for answer in views["b"].answers}
    assert "no stored output" in " ".join(line.text for line in answers["gap"].lines)


def test_headlines_name_systems_and_groups_that_lead_to_cases(execution: Run) -> None:
    cases = PageCases.of(view_of(shown(execution)).case_views())
    headlines = view_of(shown(execution)).headlines()
    assert any(headline.kind == "better" for headline in headlines)
    for headline in headlines:
        assert headline.text.strip()
        if headline.group:
            assert cases.of_headline(headline) is not None, headline


def test_the_page_of_a_run_says_its_headlines(execution: Run) -> None:
    text = render_page(page_of([shown(execution)]))
    for headline in view_of(shown(execution)).headlines():
        for part in headline.text.split(": "):
            assert str(escape(printable(part[:30].rpartition(" ")[0]))) in text.replace("\u00a0", " ")
