"""What a number rests on besides answers: reviews, the suite, the texts, and who lacks what."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import mtassay as mt
from mtassay.app.reviewing import decide
from mtassay.data.formats.suite_files import read_suite
from mtassay.data.nouns import Result, Segment, texts_digest
from mtassay.methods.basis import compared_basis, compared_note
from mtassay.report.run_text import render_html
from tests.cli.conftest import Run

SUITE = """suite: S
langpair: en-pt
items:
  - {id: n-1, category: N, phenomenon: P, source: No., positive_regex: [não], negative_regex: [sim]}
  - {id: n-2, category: N, phenomenon: P, source: Never., positive_regex: [nunca]}
  - {id: n-3, category: N, phenomenon: Q, source: Nobody., positive_regex: [ninguém]}
"""
OUTPUTS = {"a": ["não", "jamais", "ninguém"], "b": ["sim", "jamais", "quem"]}


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two systems on three items: `jamais`, twice, and `quem` are undecided; the run is saved."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.yaml").write_text(SUITE, encoding="utf-8")
    for name, texts in OUTPUTS.items():
        (tmp_path / f"{name}.txt").write_text("\n".join([*texts, ""]), encoding="utf-8")
    mt.suite("s.yaml", ["a.txt", "b.txt"], save=True)
    return tmp_path


def judged(**how: object) -> mt.Run:
    return mt.suite("s.yaml", ["a.txt", "b.txt"], **how)  # type: ignore[arg-type]


def signed(run: mt.Run) -> dict[str, str]:
    (signature,) = {score.signature for score in run.result.scores}
    return dict(part.split(":", 1) for part in signature.split("|"))


def test_a_suite_says_how_many_outputs_reviewers_settled_in_notes_json_and_signature(suite: Path) -> None:
    before = judged()
    decide("correct", case="n-2", system="a", reviewer="anna")
    decide("incorrect", case="n-3", system="b", reviewer="model:reader-1")
    after = judged()
    # One output that both systems gave is two outputs.
    settled = {"outputs": 6, "settled": 3, "by_models": 1, "used": True}
    assert json.loads(after.render("json"))["basis"]["reviews"] == settled
    digest, texts = read_suite("s.yaml").digest, texts_digest(after.segments)
    assert after.result.basis["suite"] == digest
    assert after.result.basis["texts"] == texts
    about = f"suite {digest[:12]}, texts {texts[:12]}."
    assert f"Reviewers settled 3 of 6 outputs, language models alone 1 of these; {about}" in after.notes
    assert f"Reviewers settled none of 6 outputs; {about}" in before.notes
    assert (signed(before)["reviews"], signed(after)["reviews"]) == ("0", "3")
    assert (signed(after)["suite"], signed(after)["texts"]) == (digest[:12], texts[:12])


def test_without_reviews_differs_visibly(suite: Path, run: Run) -> None:
    decide("correct", case="n-2", system="a", reviewer="anna")
    words = ("suite", "run", "s.yaml", "-t", "a.txt", "-t", "b.txt")
    plain, without = run(*words).stdout, run(*words, "--no-reviews").stdout
    assert "Reviewers settled 2 of 6 outputs;" in plain
    assert "Without reviews: the decisions of reviewers about 2 of 6 outputs do not count" in without
    assert "|reviews:2|" in plain
    assert "|reviews:no|" in without
    assert json.loads(run(*words, "--no-reviews", "-f", "json").stdout)["basis"]["reviews"]["used"] is False


def test_another_rule_or_another_text_has_another_signature(suite: Path) -> None:
    first = signed(judged())
    (suite / "s.yaml").write_text(SUITE.replace("[nunca]", "[nunca, jamais]"), encoding="utf-8")
    rules = signed(judged())
    assert rules["suite"] != first["suite"]
    assert rules["texts"] == first["texts"]
    some = signed(judged(item="n-1"))
    assert some["suite"] == rules["suite"]
    assert some["texts"] != first["texts"]


def test_a_digest_is_of_ids_sources_and_references_and_their_order() -> None:
    one, two = Segment("1", "a", ("b", None)), Segment("2", "c")
    others = [
        [two, one],
        [one],
        [one._replace(id="3"), two],
        [one._replace(source="d"), two],
        [one._replace(references=("b",)), two],
        [one._replace(references=("b", "")), two],
    ]
    assert len({texts_digest(segments) for segments in [[one, two], *others]}) == 7
    assert texts_digest([one, two]) == texts_digest([one._replace(document="d"), two])


def test_invariance_says_how_many_outputs_reviewers_labelled(tmp_path: Path) -> None:
    texts = {"1": "Um cão.", "1/1-cat": "Um gato pequeno veio ontem."}
    edit = {"start": 2, "end": 5, "before": "dog", "after": "cat"}
    segments = [
        Segment("1", "A dog."),
        Segment("1/1-cat", "A cat.", tags={"original": "1", "edit": edit}),
    ]
    how = {"structure": "raw", "checks": "none", "workspace": tmp_path / "w.db", "langpair": "en-pt"}
    first = mt.invariance(segments, {"a": texts}, **how, save=True)
    assert first.notes == []
    place = {"workspace": tmp_path / "w.db", "system": "a"}
    decide("correct", case="1", reviewer="model:reader-1", **place)
    decide("mistranslation", case="1/1-cat", reviewer="anna", **place)
    second = mt.invariance(segments, {"a": texts}, **how)
    assert second.notes == ["Reviewers settled 2 of 2 outputs, language models alone 1 of these."]
    assert signed(second)["reviews"] == "2"
    third = mt.invariance(segments, {"a": texts}, **how, reviews=False)
    assert third.notes[0].startswith("Without reviews: the decisions of reviewers about 2 of 2 outputs")
    assert signed(third)["reviews"] == "no"
    assert signed(third)["texts"] == texts_digest(third.segments)[:12]


def test_the_header_says_who_left_how_many_texts_without_an_answer(run: Run, tmp_path: Path) -> None:
    texts = [f"text number {i}" for i in range(1, 11)]
    rows = [f"{i}\t{text}" for i, text in enumerate(texts, 1)]
    (tmp_path / "r.txt").write_text("\n".join([*texts, ""]), encoding="utf-8")
    (tmp_path / "a.txt").write_text("\n".join([*texts, ""]), encoding="utf-8")
    (tmp_path / "b.tsv").write_text("\n".join(["id\toutput", *rows[:6], ""]), encoding="utf-8")
    (tmp_path / "c.tsv").write_text("\n".join(["id\toutput", *rows[1:], ""]), encoding="utf-8")
    words = ("score", "-r", "r.txt", "-t", "a.txt", "-t", "b.tsv", "-t", "c.tsv")
    said = "Without an answer: b 4, c 1 of 10"
    text = run(*words).stdout
    assert text.startswith(f"10 segments · {said} · 1 reference\n")
    result = json.loads(run(*words, "-f", "json").stdout)
    assert any(said in note for note in result["notes"])
    assert result["basis"]["unanswered"] == {"of": 10, "systems": {"b": 4, "c": 1}, "ranked": False}
    assert {(score["n"], score["answered_n"]) for score in result["scores"]} == {(10, 5)}
    assert {system for cluster in result["clusters"] for system in cluster["systems"]} == {"a"}
    whole = run("score", "-r", "r.txt", "-t", "a.txt").stdout
    assert whole.startswith("10 segments · 1 reference\n")


def test_the_header_of_a_suite_says_so_too(suite: Path, run: Run) -> None:
    words = ("suite", "run", "s.yaml", "-t", "a.txt", "-t", "b.txt")
    head = re.sub(r"\s+", " ", run(*words).stdout)
    assert "2 phenomena · 1 of 3 items compared: b leaves 2 open, a 1 " in head
    settled = run(*words, "--items", "settled").stdout
    assert "compared" not in settled.partition("\n\n")[0]
    page = render_html(judged().record)
    assert page.count("1 of 3 items compared") == 1


def test_of_many_systems_those_that_lack_most_are_named() -> None:
    lacking = {name: place for place, name in enumerate("abcdef")}
    result = replace(Result(), basis=compared_basis(2000, 1990, lacking))
    assert compared_note(result) == (
        "1,990 of 2,000 segments compared: f lacks 5, e 4, d 3 and 2 more systems some"
    )


def test_the_signature_of_bleu_stays_that_of_sacrebleu_and_the_texts_have_a_line(tmp_path: Path) -> None:
    run = mt.score({"a": ["x y"]}, [["x y"]], metrics="bleu")
    assert "texts" not in run.result.scores[0].signature
    assert str(run).splitlines()[-1] == f"texts:{texts_digest(run.segments)[:12]}"
