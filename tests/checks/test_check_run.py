"""Checks of long files: workers find what one process finds, and nothing is looked for twice."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import pytest

import mtassay as mt
from mtassay.data.errors import UsageError
from mtassay.data.nouns import Segment
from mtassay.measures import check_run
from mtassay.measures.check import CheckContext, Unit
from mtassay.measures.check_run import check_names, choose_checks, count_checks, run_checks, units_of
from mtassay.measures.corpus import Corpus, checked
from tests.checks.build import BROKEN
from tests.fakes import MemoryContext

Batch = TypeVar("Batch")
Answer = TypeVar("Answer")

SOURCES = ["Der Zug fährt um 16:47 Uhr ab.", "Siehe www.a.example für mehr.", "Wir haben heute geschlossen."]
REFERENCES = ["The train leaves at 16:47.", "See www.a.example for more.", "We are closed today."]
WRONG = [
    "The train leaves at 16:57.",
    "See there for more.",
    "Wir haben heute geschlossen.",
    "",
    "Мы сегодня закрыты, и завтра тоже закрыты.",
]
BATCH = 200
SIZE = 2 * BATCH + 3


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is large for real is done to a small file."""
    monkeypatch.setattr(check_run, "BATCH", BATCH)
    monkeypatch.setattr(check_run, "_ENOUGH_FOR_A_FORK", 1_000)


class Workers(MemoryContext):
    """Two workers, to whom everything is sent."""

    @property
    def workers(self) -> int:
        return 2

    def map(self, function: Callable[[Batch], Answer], batches: Iterable[Batch]) -> Iterator[Answer]:
        for batch in batches:
            self.steps.append("batch")
            yield pickle.loads(pickle.dumps(function))(pickle.loads(pickle.dumps(batch)))


def corpus(*, references: bool) -> Corpus:
    segments = [
        Segment(str(i), SOURCES[i % 3], (REFERENCES[i % 3],) if references else ()) for i in range(SIZE)
    ]
    good = [REFERENCES[i % 3] for i in range(SIZE)]
    # Breakage on both sides of where parts meet.
    bad = [WRONG[i % 5] if i % BATCH < 12 or i % BATCH > BATCH - 12 else text for i, text in enumerate(good)]
    return Corpus(segments, {"good": good, "bad": bad})


@pytest.mark.parametrize("references", [True, False])
@pytest.mark.parametrize("pair", [("de", "en"), None])
def test_workers_find_what_one_process_finds(pair: tuple[str, str] | None, references: bool) -> None:
    texts = corpus(references=references)
    context = CheckContext(*(pair or (None, None)))
    checks = choose_checks(BROKEN, (), context).checks
    units = {name: units_of(texts.segments, own) for name, own in texts.outputs.items()}
    workers = Workers()
    spread = run_checks(checks, units, context, run=workers)
    assert spread == run_checks(checks, units, context, processes=1)
    assert spread == run_checks(checks, units, context, processes=2)
    # The whole file of each system, and three parts of the texts that either has.
    assert workers.steps == ["batch"] * 5
    kinds = ("empty", "untranslated", "numbers", "urls", "wrong-language")
    assert all(count_checks(spread["bad"])[kind] for kind in kinds)


def test_what_was_found_before_is_not_looked_for_again() -> None:
    texts, context = corpus(references=True), Workers()
    with checked(texts, ("de", "en"), [BROKEN], {}, context) as found:
        first = found()
    done = len(context.steps)
    with checked(texts, ("de", "en"), [BROKEN], {}, context) as found:
        assert found() == first
    assert len(context.steps) == done
    # Other outputs are another question.
    other = Corpus(texts.segments, {"good": texts.outputs["good"]})
    with checked(other, ("de", "en"), [BROKEN], {}, context) as found:
        assert found() == {"good": []}
    assert len(context.steps) > done


def test_a_check_is_named_by_its_id_its_group_or_all() -> None:
    context = CheckContext("en", "de")

    def chosen(names: str, without: str = "") -> list[str]:
        return [check.id for check in choose_checks(names, without, context).checks]

    assert chosen("numbers,empty") == ["empty", "numbers"]
    assert "placeholders" in chosen("form")
    assert "placeholders" not in chosen("form", "placeholders")
    assert set(chosen("default")) <= set(chosen("all"))
    assert chosen("none") == []
    with pytest.raises(UsageError, match=r"No check 'numbes'\. Near: numbers"):
        check_names("numbes")


def test_who_asks_for_a_check_that_cannot_be_run_is_told_why() -> None:
    assert choose_checks("negation", (), CheckContext("en", "da")).not_run == {"negation": "not for en-da"}


def test_several_alarms_of_one_check_are_one_finding() -> None:
    context = CheckContext("en", "de")
    checks = choose_checks("placeholders,tags", (), context).checks
    unit = Unit("1", "Hallo", "<b>{name}</b> {count}", file="de.json", key="a.b", line=7)
    found = run_checks(checks, {"s": [unit]}, context)["s"]
    assert [finding.detector for finding in found] == ["check:placeholders", "check:tags"]
    assert {(f.evidence["file"], f.evidence["key"], f.evidence["line"]) for f in found} == {
        ("de.json", "a.b", 7)
    }


def test_a_suite_counts_what_checks_flag_and_keeps_its_verdicts() -> None:
    item = "false-friends-nouns-1"
    refused = {"gpt": ["I'm sorry, but I cannot translate this text."], "nmt": ["Ambos os pais são médicos."]}
    run = mt.suite("en-pt", refused, item=item)
    plain = mt.suite("en-pt", refused, item=item, checks="none")
    counted = run.record.result.basis["checks"]
    assert counted["gpt"]["refusal"] == 1
    assert "refusal" not in counted["nmt"]
    assert [finding.verdict for finding in run.findings] == [finding.verdict for finding in plain.findings]
    assert "Findings of checks" in str(run)
    assert f"refusal: {item} (gpt)" in str(run)
    assert "Findings of checks" not in str(plain)
