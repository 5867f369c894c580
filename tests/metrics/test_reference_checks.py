"""What speaks against references, and where people and metrics disagree."""

from __future__ import annotations

import json
import random
from pathlib import Path

import mtassay as mt
from mtassay.data.nouns import Segment
from mtassay.measures.metric import worth_of, worth_table
from mtassay.measures.plausibility import reference_notes

WORDS = ["river", "bridge", "old", "house", "sold", "north", "young", "couple", "paint", "blue"]


def lines(seed: int, count: int = 80) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=9)) for _ in range(count)]


def changed(texts: list[str], seed: int, share: float) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choice(WORDS) if rng.random() < share else w for w in t.split()) for t in texts]


def test_a_post_edit_of_one_system_is_named() -> None:
    a, b = lines(1), lines(2)
    reference = [text if n % 2 else changed([text], n, 0.3)[0] for n, text in enumerate(a)]
    segments = [Segment(str(n), None, (text,)) for n, text in enumerate(reference)]
    (note,) = reference_notes(segments, {"a": a, "b": b}, {})
    assert note.startswith("The reference may be a post-edit of a: ")
    assert not reference_notes(segments, {"b": b, "c": lines(3)}, {})


def test_references_that_disagree_about_the_best_are_named() -> None:
    first, second = lines(1), lines(2)
    segments = [Segment(str(n), None, pair) for n, pair in enumerate(zip(first, second, strict=True))]
    outputs = {"a": changed(first, 1, 0.5), "b": changed(second, 2, 0.5)}
    (note,) = reference_notes(segments, outputs, {})
    assert "a by reference 1" in note
    assert "b by reference 2" in note


def test_people_who_prefer_other_systems_and_rate_the_reference_low_are_heard(tmp_path: Path) -> None:
    reference = lines(1)
    outputs = {"near": changed(reference, 1, 0.1), "far": changed(reference, 2, 0.7)}
    means = {"near": 40, "far": 80, "refA": 60}
    rng = random.Random(3)
    rows = [
        {"system": system, "id": str(n + 1), "esa": mean + rng.gauss(0, 5)}
        for system, mean in means.items()
        for n in range(len(reference))
    ]
    path = tmp_path / "esa.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = mt.score(outputs, [reference], metrics=["bleu", f"scores:{path}"], trials=500, samples=100)
    notes = "\n".join(run.result.notes)
    assert (
        "BLEU and esa disagree about 1 of 1 pairs: BLEU prefers near over far; esa prefers the reverse."
        in notes
    )
    assert "People rate the translation 'refA' below systems by esa: far" in notes


def test_worth_has_counts_for_every_size_and_nothing_for_others() -> None:
    for delta in (0.1, -0.7, 1.5, 3.0, -9.0):
        worth = worth_of("BLEU", delta)
        assert worth is not None
        assert worth.n == worth.same + worth.undecided + worth.opposite > 0
        assert worth.sets >= 3
        assert 0 <= worth.low <= worth.same / worth.n <= worth.high <= 1
    assert worth_of("BLEU", 0.0) is None
    assert worth_of("COMET", 1.0) is None
    table = worth_table("bleu")
    assert table is not None
    assert len(table.rows) == 5
