"""TER against sacreBLEU, over random texts, references and settings: every digit must be equal."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import sacrebleu.metrics as peer
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import lib_ter

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Segment
from mtassay.measures import ter
from mtassay.measures.ter import TER, count_edits
from mtassay.runtime.processes import core_count, map_in_processes, process_count

WORDS = (
    "a b c d A the cat . , ! don't it's 1,000 3.14 10-fold &amp;quot; &lt;b&gt; (so) "
    "猫が好き。 カタ ＡＢ ！ İ \u00a0 \u2028 \n- \n"
)
texts = st.lists(st.sampled_from(WORDS.split(" ")), max_size=14).map(" ".join) | st.text(max_size=20)
switches = st.fixed_dictionaries(
    {name: st.booleans() for name in ("normalized", "no_punct", "asian_support", "case_sensitive")}
)


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[str], list[list[str | None]]]:
    """Outputs, and reference streams where every segment keeps at least one reference."""
    size = draw(st.integers(1, 5))
    outputs = draw(st.lists(texts, min_size=size, max_size=size))
    first = draw(st.lists(texts, min_size=size, max_size=size))
    more = st.lists(st.none() | texts, min_size=size, max_size=size)
    return outputs, draw(st.permutations([first, *draw(st.lists(more, max_size=2))]))


def word_pair(rng: random.Random, longest: int) -> tuple[list[str], list[str]]:
    """Words of a small vocabulary; the output is unrelated, or the reference with blocks moved or changed."""
    words = "abcdefghijklmnopqrstuvwxyz"[: rng.choice([1, 2, 4, 8, 26])]
    reference = rng.choices(words, k=rng.randint(0, longest))
    if rng.random() < 0.5:
        return rng.choices(words, k=rng.randint(0, longest)), reference
    output = list(reference)
    for _ in range(rng.randint(0, 6)):
        start = rng.randint(0, len(output))
        block = output[start : start + rng.randint(1, 6)]
        del output[start : start + len(block)]
        target = rng.randint(0, len(output))
        output[target:target] = rng.choice([block, block, [], [rng.choice(words)]])
    return output, reference


def as_segments(references: list[list[str | None]]) -> list[Segment]:
    return [Segment(str(i), None, tuple(row)) for i, row in enumerate(zip(*references, strict=True), 1)]


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        # Counted by hand from the definition: edits / reference words.
        ("the cat sat", "the cat sat", 0.0),
        ("The Cat sat", "the cat sat", 0.0),
        ("the dog sat", "the cat sat", 100 / 3),
        ("on the mat the cat sat", "the cat sat on the mat", 100 / 6),  # one shift
        ("the cat", "the cat sat down", 50.0),
        ("", "the cat", 100.0),
        ("a b c", "d", 300.0),  # one substitution and two deletions
        ("the cat", "", 100.0),  # no reference words: all wrong
        ("", "", 0.0),
    ],
)
def test_ter_counts_edits_per_reference_word(output: str, reference: str, expected: float) -> None:
    (measured,) = TER().measure([Segment("1", None, (reference,))], {"x": [output]})
    assert TER().unit_scores(measured.values).tolist() == [pytest.approx(expected)]


def test_of_several_references_the_nearest_gives_the_edits_and_all_give_the_length() -> None:
    segment = Segment("1", None, ("a b c d", None, "a x"))
    (measured,) = TER().measure([segment], {"x": ["a b"]})
    assert measured.columns == ("edits", "reference_length")
    assert measured.values.tolist() == [[1, 3]]


@given(corpora(), switches)
def test_ter_equals_sacrebleu(
    corpus: tuple[list[str], list[list[str | None]]], options: dict[str, bool]
) -> None:
    outputs, references = corpus
    ours, theirs = TER(**options), peer.TER(**options)
    segments = as_segments(references)
    (measured,) = ours.measure(segments, {"x": outputs})
    assert measured.values.tolist() == theirs._extract_corpus_statistics(outputs, references)
    expected = theirs.corpus_score(outputs, references)
    assert ours.aggregate(measured.values.sum(axis=0)) == expected.score
    assert ours.signature(segments) == str(theirs.get_signature())
    assert ours.label == expected.name
    assert ours.unit_scores(measured.values).tolist() == [
        theirs.sentence_score(output, [text for text in row if text is not None]).score
        for output, row in zip(outputs, zip(*references, strict=True), strict=True)
    ]


@pytest.mark.parametrize("beam", [1, 2, 3, 5, 8])
@pytest.mark.parametrize(("longest", "farthest", "most"), [(10, 50, 1000), (10, 50, 10), (2, 4, 1000)])
def test_beam_and_limits_of_the_search_are_those_of_sacrebleu(
    beam: int, longest: int, farthest: int, most: int
) -> None:
    """With narrow limits, short sentences run into what only long ones run into otherwise."""
    rng = random.Random(beam)
    ours = (
        patch.multiple(ter, BEAM=beam),
        patch.multiple(ter, LONGEST_SHIFT=longest, FARTHEST_SHIFT=farthest, MOST_CANDIDATES=most),
    )
    theirs = patch.multiple(
        lib_ter,
        _BEAM_WIDTH=beam,
        _MAX_SHIFT_SIZE=longest,
        _MAX_SHIFT_DIST=farthest,
        _MAX_SHIFT_CANDIDATES=most,
    )
    with ours[0], ours[1], theirs:
        for _ in range(200):
            output, reference = word_pair(rng, longest=24)
            expected = lib_ter.translation_edit_rate(output, reference)[0]
            assert count_edits(output, reference) == expected, (output, reference)


def test_sentences_longer_than_the_beam_equal_sacrebleu() -> None:
    rng = random.Random(0)
    for _ in range(25):
        output, reference = word_pair(rng, longest=90)
        expected = lib_ter.translation_edit_rate(output, reference)[0]
        assert count_edits(output, reference) == expected, (output, reference)


@pytest.mark.parametrize(("output", "reference"), [(1, 130), (2, 120), (130, 1), (3, 80), (80, 40)])
def test_very_unequal_lengths_equal_sacrebleu(output: int, reference: int) -> None:
    rng = np.random.default_rng(output)
    pair = tuple([str(word) for word in rng.integers(0, 40, size)] for size in (output, reference))
    assert count_edits(*pair) == lib_ter.translation_edit_rate(*pair)[0]


def test_the_signature_is_sacrebleus_with_what_the_caller_adds() -> None:
    segments = [Segment("1", None, ("a", "b")), Segment("2", None, ("a", None))]
    metric = TER(normalized=True, no_punct=True, asian_support=True, case_sensitive=True)
    shown = metric.signature(segments, extra={"seed": 12345, "bs": 1000})
    assert shown.rpartition("|version:")[0] == (
        "nrefs:var|bs:1000|seed:12345|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes"
    )


def test_aggregate_works_on_any_number_of_leading_axes() -> None:
    sums = np.array([[[1, 4], [0, 0]], [[3, 0], [3, 2]]])
    assert TER().aggregate(sums).tolist() == [[25.0, 0.0], [100.0, 150.0]]


def test_a_lower_ter_is_better() -> None:
    assert not TER.higher_is_better


def test_systems_are_measured_together_as_they_are_alone() -> None:
    segments = [Segment(str(i), None, (text,)) for i, text in enumerate(("a b c", "a b c", "d e"))]
    outputs = {"x": ["b c a", "a", "d e"], "y": ["b c a", "b c a", ""]}
    together = TER().measure(segments, outputs)
    assert [statistics.system for statistics in together] == ["x", "y"]
    for statistics in together:
        (alone,) = TER().measure(segments, {"x": outputs[statistics.system]})
        assert statistics.values.tolist() == alone.values.tolist()
        assert list(statistics.ids) == ["0", "1", "2"]


def die_in_a_worker(item: tuple[int, int]) -> int:
    number, parent = item
    if number == 7 and os.getpid() != parent:
        os._exit(1)
    time.sleep(0.01)  # so that others have time to take some
    return number * number


def fail(number: int) -> int:
    raise UsageError(f"no {number}")


@pytest.mark.parametrize("start_method", ["", "spawn"])
def test_processes_give_what_a_loop_gives(start_method: str) -> None:
    pairs = [(f"b a c {i}", (f"a b {i} c", f"{i}")) for i in range(40)]
    expected = [ter._fewest_edits(pair) for pair in pairs]
    found = map_in_processes(ter._fewest_edits, pairs, processes=2, start_method=start_method)
    assert found == expected


@pytest.mark.parametrize("start_method", ["", "spawn"])
def test_a_worker_that_dies_costs_no_result(start_method: str) -> None:
    items = [(number, os.getpid()) for number in range(20)]
    found = map_in_processes(die_in_a_worker, items, processes=2, start_method=start_method)
    assert found == [i * i for i in range(20)]


def process_of(number: int) -> int:
    time.sleep(0.01)
    return os.getpid()


@pytest.mark.parametrize("start_method", ["", "spawn"])
def test_work_is_shared_out(start_method: str) -> None:
    found = map_in_processes(process_of, range(40), processes=2, start_method=start_method)
    assert len(set(found)) == 2


def test_an_error_in_a_worker_reaches_the_caller() -> None:
    with pytest.raises(UsageError, match=r"no [0-3]"):
        map_in_processes(fail, range(4), processes=2)


def test_the_environment_sets_the_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTASSAY_PROCESSES", "3")
    assert process_count() == 3
    monkeypatch.setenv("MTASSAY_PROCESSES", "many")
    with pytest.raises(UsageError, match="MTASSAY_PROCESSES is 'many'"):
        process_count()
    monkeypatch.delenv("MTASSAY_PROCESSES")
    assert process_count() == core_count()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives a process some of the cores")
def test_only_the_cores_that_we_may_use_count() -> None:
    look = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); " + (
        "from mtassay.runtime.processes import core_count; print(core_count())"
    )
    shown = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert shown.stdout == "1\n"


def test_much_work_goes_to_processes_and_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    segments = [Segment(str(i), None, (f"a b c {i}",)) for i in range(20)]
    outputs = {"x": [f"c {i} a b" for i in range(20)]}
    (alone,) = TER().measure(segments, outputs)
    monkeypatch.setattr(ter, "ENOUGH_FOR_PROCESSES", 0)
    monkeypatch.setenv("MTASSAY_PROCESSES", "2")
    (spread,) = TER().measure(segments, outputs)
    assert spread.values.tolist() == alone.values.tolist()


@pytest.mark.parametrize("options", [{}, {"normalized": True, "case_sensitive": True}])
def test_a_real_system_equals_sacrebleu(data_folder: Path, options: dict[str, Any]) -> None:
    folder = data_folder / "wmt22" / "de-en"
    system = min((folder / "outputs").glob("*.txt"))
    files = (system, *(folder / "references" / f"{name}.txt" for name in "AB"))
    outputs, *references = (path.read_bytes().decode().split("\n")[:200] for path in files)
    (measured,) = TER(**options).measure(as_segments(references), {"x": outputs})
    theirs = peer.TER(**options)
    expected = theirs._extract_corpus_statistics(outputs, references)
    assert measured.values.tolist() == expected
    score = TER(**options).aggregate(measured.values.sum(axis=0))
    assert score == theirs._aggregate_and_compute(expected).score
