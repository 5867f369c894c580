"""What the judge is asked: each answer once, and never again what it said before."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from mtassay.data.languages import Pair, parse_pair
from mtassay.data.nouns import DISPUTED
from mtassay.data.subjects import Subject
from mtassay.measures.clues import JudgedAnswer
from mtassay.measures.judge import Opinion, PeopleJudge, Reason, TranslationJudge
from mtassay.methods.basis import answer_of, ask_judge, code_files, people_said
from tests.fakes import MemoryContext


@dataclass
class CountingJudge(TranslationJudge):
    """Finds every output wrong that has an x, and keeps what it was asked."""

    name: str = "a"
    pair: Pair = field(default_factory=lambda: parse_pair("en-pt"))
    asked: list[str] = field(default_factory=list)

    def judge(self, answers: Sequence[JudgedAnswer]) -> list[Opinion]:
        self.asked += [answer.output for answer in answers]
        return [
            Opinion("fail", 0.9, (Reason("x", float("inf"), "an x: é", ("x", "y")),), "source", 0.5)
            if "x" in answer.output
            else Opinion("pass", 0.1 if answer.references else None)
            for answer in answers
        ]

    @property
    def signature(self) -> str:
        return self.name

    def record(self, opinions: Sequence[Opinion]) -> str:
        return f"{len(opinions)} opinions"


@dataclass
class NotingContext(MemoryContext):
    """Keeps what was told; people answered the question `behavior`, or language models did."""

    told: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    reviewer: str = "anna"

    def decisions(self, question: str) -> Mapping[str, str]:
        return self.answers if question == "behavior" else {}

    def reviewers(self, question: str) -> Mapping[str, Collection[str]]:
        return {key: [self.reviewer] for key in self.decisions(question)}

    def note(self, text: str) -> None:
        self.told.append(text)


ANSWERS = [
    answer_of("1", "one", "um"),
    answer_of("2", "two", "x"),
    answer_of("3", "one", "um"),
    answer_of("4", "one", "um", ["hum"]),
    answer_of("5", "two\ud800", "x"),
]


def test_equal_answers_are_judged_once_and_each_has_its_opinion() -> None:
    judge, context = CountingJudge(), MemoryContext()
    opinions = ask_judge(judge, ANSWERS, context)
    assert [opinion.verdict for opinion in opinions] == ["pass", "fail", "pass", "pass", "fail"]
    assert [opinion.probability for opinion in opinions] == [None, 0.9, None, 0.1, 0.9]
    assert judge.asked == ["um", "x", "um", "x"]


def test_what_a_judge_said_is_recalled_as_it_was_and_another_judge_is_asked() -> None:
    judge, context = CountingJudge(), MemoryContext()
    first = ask_judge(judge, ANSWERS, context)
    judge.asked.clear()
    assert ask_judge(judge, [*ANSWERS, answer_of("6", "six", "seis")], context)[:5] == first
    assert judge.asked == ["seis"]
    other = CountingJudge("b")
    assert ask_judge(other, ANSWERS, context) == first
    assert len(other.asked) == 4


def test_opinions_are_kept_for_the_code_of_the_judge_and_of_the_models_that_it_reads_with() -> None:
    names = {file.name for file in code_files(PeopleJudge)}
    assert {"judge.py", "clues.py", "likelihood.py", "marian.py", "encoder.py"} <= names


def test_thirty_answers_of_people_recalibrate_the_judge_and_the_note_says_so() -> None:
    judge, context = CountingJudge(), NotingContext()
    answers = [answer_of(str(n), f"source {n}", "um" if n % 4 else "x", ["um"]) for n in range(40)]
    (first, *_) = ask_judge(judge, answers, context)
    assert first.verdict == "fail"
    assert context.told[1].startswith("Probabilities are for a typical rater.")
    for answer in answers[:30]:
        context.answers[Subject(answer.id, (answer.source,), (answer.output,)).id] = "correct"
    (first, *_) = ask_judge(judge, answers, context, system="nmt")
    assert first.verdict != "fail"
    assert context.told[3].startswith("Probabilities for nmt: recalibrated with 30 answers of people.")
    (first, *_) = ask_judge(judge, answers, context, reviews=False)
    assert first.verdict == "fail"
    context.reviewer = "model:reader-1"  # language models are no people
    (first, *_) = ask_judge(judge, answers, context)
    assert first.verdict == "fail"


@pytest.mark.parametrize(
    ("answer", "is_wrong"),
    [
        ("correct", False),
        ("under", True),
        ('{"spans": []}', False),
        ('{"spans": [{"start": 0, "end": 1, "label": "other", "severity": "neutral"}]}', False),
        ('{"spans": [{"start": 0, "end": 1, "label": "other", "severity": "minor"}]}', True),
        (DISPUTED, None),
    ],
)
def test_answers_to_all_questions_say_whether_there_is_an_error(answer: str, is_wrong: bool | None) -> None:
    context = NotingContext(answers={Subject("1", ("one",), ("um",)).id: answer})
    assert people_said(ANSWERS, context).get("1") == is_wrong


def test_nothing_to_judge_asks_nobody() -> None:
    judge = CountingJudge()
    assert ask_judge(judge, [], MemoryContext()) == []
    assert judge.asked == []
