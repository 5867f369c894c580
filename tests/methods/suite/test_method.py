"""The suite as a method: verdicts, people's decisions, counts and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from mtassay.data.formats.suite_items import Item, Rule, Suite
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.method import view_of
from mtassay.data.nouns import Output, Request, Result, Review, Run, System
from mtassay.data.subjects import Subject
from mtassay.methods.engine import EngineContext, execute
from mtassay.methods.suite.suite_method import QUESTION, SuiteMethod, case_of, segment_of
from mtassay.runtime.workspace import Workspace
from mtassay.systems.live import LiveSystem
from mtassay.systems.roster import Stored

SUITE = Suite(
    (
        Item("n1", "en-pt", "Negation", "Negation", "Nobody came.", (Rule("ninguém"),), (Rule("alguém"),)),
        Item(
            "n2", "en-pt", "Negation", "Negation", "I never eat.", (Rule("nunca|jamais"),), (Rule("sempre"),)
        ),
        Item(
            "f1", "en-pt", "False friends", "Nouns", "A library.", (Rule("biblioteca"),), (Rule("livraria"),)
        ),
        Item("f2", "en-pt", "False friends", "Verbs", "He pretends.", (Rule("finge"),), (Rule("pretende"),)),
    ),
    name="small",
)
OUTPUTS = {
    "good": {"n1": "ninguém veio", "n2": "nunca como", "f1": "uma biblioteca", "f2": "ele finge"},
    "poor": {"n1": "ninguém e alguém", "n2": "sempre como", "f1": "uma estante", "f2": ""},
    "short": {"n1": "alguém veio", "n2": "nunca como", "f1": "livraria"},
}


def run(workspace: Workspace | None = None, names: Sequence[str] = tuple(OUTPUTS), **settings: object) -> Run:
    systems = [Stored(name, OUTPUTS[name]) for name in names]
    method = SuiteMethod(SUITE, **settings)  # type: ignore[arg-type]
    return execute(method, [segment_of(item) for item in SUITE.items], systems, EngineContext(workspace))


def values(result: Result, system: str, name: str = "accuracy") -> dict[str, tuple[float | None, int]]:
    return {s.group: (s.value, s.n) for s in result.scores if s.system == system and s.name == name}


def test_counts_hold_every_status() -> None:
    empty = {"correct": 0, "incorrect": 0, "undecided": 0, "conflict": 0, "skipped": 0, "error": 0}
    assert run().result.counts == {
        "good": {**empty, "correct": 4},
        "poor": {**empty, "incorrect": 2, "undecided": 1, "conflict": 1},
        "short": {**empty, "correct": 1, "incorrect": 2, "skipped": 1},
    }


def test_verdicts_are_pass_fail_and_undecided() -> None:
    found = {(f.case_id, f.system): f.verdict for f in run().findings if f.detector == "suite"}
    assert [found[item, "poor"] for item in ("n1", "n2", "f1", "f2")] == [
        "undecided",
        "fail",
        "undecided",
        "fail",
    ]


def test_only_items_settled_for_all_systems_are_compared() -> None:
    result = run().result
    assert values(result, "good") == {
        "Negation": (100, 1),
        "False friends": (None, 0),
        "micro": (100, 1),
        "macro": (100, 1),
    }
    assert values(result, "short")["micro"] == (100, 1)
    assert values(result, "poor")["micro"] == (0, 1)


def test_each_system_may_count_its_own_settled_items() -> None:
    result = run(items="settled").result
    assert values(result, "short")["Negation"] == (50, 2)
    assert values(result, "short")["macro"] == (25, 3)
    assert values(result, "short", "accuracy:phenomenon")["Nouns"] == (0, 1)


def test_both_ways_of_counting_can_be_had_at_once() -> None:
    result = run(items="both").result
    assert values(result, "short")["micro"] == (100, 1)
    assert values(result, "short", "accuracy:settled")["micro"] == (pytest.approx(100 / 3), 3)


def settle(workspace: Workspace, item_id: str, output: str, *answers: tuple[str, str]) -> None:
    item = next(item for item in SUITE.items if item.id == item_id)
    subject = Subject(item.id, case_of(item).sources, (output,))
    reviews = [
        Review(subject.id, QUESTION, answer, reviewer, at=f"2026-11-15T10:00:0{i}+00:00")
        for i, (reviewer, answer) in enumerate(answers)
    ]
    workspace.add_reviews(reviews, [subject])


@pytest.fixture
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return Workspace(tmp_path_factory.mktemp("workspace") / "w.db")


def test_a_review_settles_what_the_rules_cannot(workspace: Workspace) -> None:
    settle(workspace, "f1", "uma estante", ("ana", "incorrect"))
    settle(workspace, "n1", "ninguém e alguém", ("ana", "correct"))
    execution = run(workspace)
    assert execution.result.counts["poor"]["undecided"] == 0
    assert execution.result.counts["poor"]["conflict"] == 0
    (finding,) = (f for f in execution.findings if (f.case_id, f.system) == ("n1", "poor"))
    assert finding.verdict == "pass"
    assert finding.evidence["why"] == "reviewers settled this output"
    assert finding.evidence["rules_say"] == "conflict"


def test_a_review_holds_for_that_output_only(workspace: Workspace) -> None:
    settle(workspace, "f1", "uma outra estante", ("ana", "incorrect"))
    assert run(workspace).result.counts["poor"]["undecided"] == 1


@pytest.mark.parametrize(
    ("answers", "settled"),
    [
        ([("ana", "correct"), ("rui", "incorrect")], False),
        ([("ana", "correct"), ("rui", "incorrect"), ("eva", "correct")], True),
        ([("ana", "correct"), ("ana", "unsure")], False),
        ([("ana", "incorrect"), ("rui", "unsure")], True),
    ],
)
def test_disputed_outputs_stay_open(
    workspace: Workspace, answers: list[tuple[str, str]], settled: bool
) -> None:
    settle(workspace, "f1", "uma estante", *answers)
    assert (run(workspace).result.counts["poor"]["undecided"] == 0) == settled


def test_a_dispute_is_evidence(workspace: Workspace) -> None:
    settle(workspace, "f1", "uma estante", ("ana", "correct"), ("rui", "incorrect"))
    (finding,) = (f for f in run(workspace).findings if (f.case_id, f.system) == ("f1", "poor"))
    assert finding.verdict == "undecided"
    assert finding.evidence["why"] == "no rule applies; reviewers disagree"


def test_reviews_can_be_left_out(workspace: Workspace) -> None:
    settle(workspace, "f1", "uma estante", ("ana", "incorrect"))
    assert run(workspace, reviews=False).result.counts["poor"]["undecided"] == 1


@dataclass
class Listening(System):
    """Notes the context it is given."""

    name: str = "listening"
    heard: list[str | None] = field(default_factory=list)
    signature = "listening"

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        self.heard += [request.context for request in requests]
        return [Output(request.id, "x") for request in requests]


def test_sentences_before_the_source_go_along_as_context() -> None:
    item = Item("1", "en-pt", "C", "P", "It is red.", context=("I have a car.", "You know it."))
    system = Listening()
    execute(SuiteMethod(Suite((item,))), [segment_of(item)], [system])
    assert system.heard == ["I have a car. You know it."]


@dataclass(frozen=True, kw_only=True)
class Reading(LiveSystem):
    """Knows what *It* is only where it sees the car; translates sentence by sentence, and merges one."""

    name: str = "reading"
    pair: Pair = field(default_factory=lambda: parse_pair("en-pt"))
    signature = "reading"

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        assert {request.context for request in requests} == {None}
        return [Output(request.id, self.say(request.text or "")) for request in requests]

    def say(self, text: str) -> str:
        if "boat" in text:  # never right
            return "É azul."
        return "Eu tenho um carro. É vermelho." if "car." in text else "É vermelha."


def test_an_item_with_context_is_asked_with_and_without_it() -> None:
    right, wrong = (Rule("vermelho"),), (Rule("vermelha|azul"),)
    items = [
        Item(str(n), "en-pt", "C", "P", f"It is {n}.", right, wrong, context=(f"I have a {thing}.",))
        for n, thing in enumerate(("car", "car", "car", "boat"))
    ]
    items.append(Item("alone", "en-pt", "C", "P", "It is red.", right, wrong))
    run = execute(SuiteMethod(Suite(tuple(items))), list(map(segment_of, items)), [Reading()])
    assert [finding.verdict for finding in run.findings] == ["pass", "pass", "pass", "fail", "fail"]
    assert run.outputs["reading"][0].text == "É vermelho."
    table = next(t for t in view_of(run).tables() if t.title == "What context brings")
    assert table.rows == [["reading", "4", "75.0", "0.0", "+75.0 [-11.1 to +100.0]"]]


def test_a_saved_run_keeps_what_the_items_were_about(workspace: Workspace) -> None:
    workspace.save_run(run(workspace))
    tags: list[Mapping[str, object]] = [segment.tags for segment in workspace.segments("last")]
    assert tags[2] == {"category": "False friends", "phenomenon": "Nouns"}
    assert str(workspace.run("last").parameters["suite"]).startswith("small (4 items, ")
