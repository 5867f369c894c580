"""The guards of long test sets: workers find what one process finds, and nothing is looked for twice."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import pytest

from mtassay.data.nouns import Segment
from mtassay.measures.corpus import Corpus, checked
from mtassay.measures.guards import BATCH, find_guard_hits
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
SIZE = 2 * BATCH + 3


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
    context = Workers()
    spread = find_guard_hits(texts.segments, texts.outputs, pair=pair, context=context)
    assert spread == find_guard_hits(texts.segments, texts.outputs, pair=pair)
    assert context.steps == ["batch"] * 3
    kinds = ("empty", "copied", "missing_numbers", "missing_urls", "wrong_language")
    assert all(spread.counts["bad"][kind] for kind in kinds)


def test_what_was_found_before_is_not_looked_for_again() -> None:
    texts, context = corpus(references=True), Workers()
    with checked(texts, ("de", "en"), {}, context) as found:
        first = found()
    assert context.steps == ["batch"] * 3
    with checked(texts, ("de", "en"), {}, context) as found:
        assert found() == first
    assert context.steps == ["batch"] * 3
    # Other outputs are another question.
    other = Corpus(texts.segments, {"good": texts.outputs["good"]})
    with checked(other, ("de", "en"), {}, context) as found:
        assert not any(found().counts["good"].values())
    kept = [json.loads(value) for value in context.kept.values()]
    assert [bool(value["counts"]) for value in kept if isinstance(value, dict)] == [True, True]
