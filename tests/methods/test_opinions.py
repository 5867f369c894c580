"""What the judge is asked: each answer once, and never again what it said before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mtassay.detectors.answers import AnnotatedAnswer
from mtassay.detectors.judge import Opinion, Reason, TranslationJudge
from mtassay.languages import Pair, parse_pair
from mtassay.methods.opinions import answer_of, ask_judge
from tests.fakes import MemoryTools


@dataclass
class CountingJudge(TranslationJudge):
    """Finds every output wrong that has an x, and keeps what it was asked."""

    name: str = "a"
    pair: Pair = field(default_factory=lambda: parse_pair("en-pt"))
    asked: list[str] = field(default_factory=list)

    def judge(self, answers: Sequence[AnnotatedAnswer]) -> list[Opinion]:
        self.asked += [answer.output.text for answer in answers]
        return [
            Opinion("fail", 0.9, (Reason("x", float("inf"), "an x: é", ("x", "y")),), "source")
            if "x" in answer.output.text
            else Opinion("pass", 0.1 if answer.references else None)
            for answer in answers
        ]

    @property
    def signature(self) -> str:
        return self.name

    def known(self, opinions: Sequence[Opinion]) -> str:
        return f"{len(opinions)} opinions"


ANSWERS = [
    answer_of("1", "one", "um"),
    answer_of("2", "two", "x"),
    answer_of("3", "one", "um"),
    answer_of("4", "one", "um", ["hum"]),
    answer_of("5", "two\ud800", "x"),
]


def test_equal_answers_are_judged_once_and_each_has_its_opinion() -> None:
    judge, tools = CountingJudge(), MemoryTools()
    opinions = ask_judge(judge, ANSWERS, tools)
    assert [opinion.verdict for opinion in opinions] == ["pass", "fail", "pass", "pass", "fail"]
    assert [opinion.probability for opinion in opinions] == [None, 0.9, None, 0.1, 0.9]
    assert judge.asked == ["um", "x", "um", "x"]


def test_what_a_judge_said_is_recalled_as_it_was_and_another_judge_is_asked() -> None:
    judge, tools = CountingJudge(), MemoryTools()
    first = ask_judge(judge, ANSWERS, tools)
    judge.asked.clear()
    assert ask_judge(judge, [*ANSWERS, answer_of("6", "six", "seis")], tools)[:5] == first
    assert judge.asked == ["seis"]
    other = CountingJudge("b")
    assert ask_judge(other, ANSWERS, tools) == first
    assert len(other.asked) == 4


def test_nothing_to_judge_asks_nobody() -> None:
    judge = CountingJudge()
    assert ask_judge(judge, [], MemoryTools()) == []
    assert judge.asked == []
