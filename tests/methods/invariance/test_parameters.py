"""Invariance from parameters and saved runs to variants: what is not said, what is noted, what is refused."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import mtassay as mt
from mtassay.data.errors import InputError, UsageError
from mtassay.data.nouns import EDITED, Result, Run, Segment, original_of
from mtassay.methods.engine import execute
from mtassay.methods.invariance import variants as generating
from mtassay.methods.invariance.invariance_answers import edit_between
from mtassay.methods.invariance.invariance_method import InvarianceMethod
from mtassay.runtime.workspace import Workspace
from mtassay.systems.roster import Stored
from tests.fake_annotator import FakeAnnotator
from tests.fakes import MemoryContext

SENTENCES = ["I see a small dog today .", "Yes .", "The small house is cold ."]
POS = {"see": "VERB", "is": "VERB", "a": "DET", "the": "DET"}
POS |= dict.fromkeys(("small", "young", "brown", "cold"), "ADJ")


@dataclass
class NotingTools(MemoryContext):
    """Tools that keep what is noted."""

    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A table of substitutes, on a machine with a language tool for sources and no encoder."""
    monkeypatch.setattr(generating, "open_annotator", lambda *_, **__: FakeAnnotator("en", pos=POS))
    monkeypatch.setattr(generating, "is_installed", lambda: False)
    path = tmp_path / "table.tsv"
    path.write_text("ADJ\tsmall\tyoung:70 brown:60\n", encoding="utf-8")
    return f"file:{path}"


def method(**given: object) -> InvarianceMethod:
    return InvarianceMethod.resolve({"pair": "en-pt", "structure": "tokens", "checks": "none", **given})


def test_a_saved_run_gives_its_method_back(tmp_path: Path, table: str) -> None:
    chosen = method(threshold=2, top=1, pos="adj", substitutes=table, seed=7, alpha=0.1, reviews=False)
    done = execute(chosen, [Segment("1", SENTENCES[0])], [Stored("nmt", {})])
    Workspace(tmp_path / "w.db").save_run(done)
    saved = Workspace(tmp_path / "w.db").run("last")
    assert InvarianceMethod.resolve({"checks": "none"}, saved) == chosen
    old = {key: saved.parameters[key] for key in ("pair", "structure", "threshold", "top", "filters")}
    again = InvarianceMethod.resolve({}, Run("1", "invariance", old, [], "", {}, Result()))
    assert (again.threshold, again.top, again.pos) == (2, 1, ("noun", "adj"))


def test_names_are_texts_or_lists() -> None:
    assert method(filters=" Judge").filters == method(filters=["judge"]).filters == ("judge",)
    assert method(filters="none").filters == ()
    assert method(checks=("negation", "numbers")).checks == ("negation", "numbers")
    assert method(relations="same-output").relations == ("same-output",)
    assert method(pos="noun,ADJ").pos == ("noun", "adj")


def test_presets_are_thresholds_of_the_structure() -> None:
    assert [method(structure=name, preset="sure").threshold for name in ("raw", "tokens")] == [29, 7]
    assert method(preset="sure", threshold=1).threshold == 1
    with pytest.raises(UsageError, match=r"No preset 'all'\. Available: wide, sure\."):
        method(preset="all")


def test_variants_are_made_with_notes_and_refusals(table: str) -> None:
    context = NotingTools()
    chosen = method(substitutes=table)
    made = chosen.generate(chosen.read(SENTENCES), context)
    assert [s.id for s in made.segments if original_of(s) == "1"] == ["1/3-young", "1/3-brown"]
    assert made.refused == [{"id": "2", "source": "Yes .", "reason": "one word only"}]
    assert context.notes == ["variants are not ranked in context: pip install 'mtassay[use]'"]
    assert chosen.generate(made.segments, context) == made, "nothing is made twice"
    nothing = chosen.generate([Segment("1", "Cold dogs see cold houses .")], context)
    assert nothing.refused[0]["reason"] == "no substitute fits"
    assert context.notes[-1].startswith(
        f"no row of {table} is for a word of these sentences that may change;"
    )
    assert chosen.generate(nothing.segments, MemoryContext()) == nothing, "it says why it has none"


def test_sentences_that_are_not_what_they_seem_are_told_of(table: str) -> None:
    context = NotingTools()
    method(substitutes=table).generate(
        [Segment(str(i), "Der alte Hund schläft heute , und wir sind müde .") for i in range(5)], context
    )
    assert context.notes[:2] == [
        "the sentences look like German, not English: check -l",
        "the text has spaces before commas and full stops (5 of 5 lines): "
        "detokenise (sacremoses detokenize) first",
    ]


def test_noun_phrases_are_made_for_a_relation_of_these(table: str) -> None:
    chosen = method(substitutes=table, relations="referential")
    made = chosen.generate([Segment("1", SENTENCES[0])], NotingTools())
    assert [s.id for s in made.segments if "phrase" in s.tags] == ["1/np6-17"]


def test_sentences_are_read_from_files_lists_and_segments(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("A dog .\nA cat .\n", encoding="utf-8")
    segments = method().read(["A dog .", "A cat ."])
    assert [(s.id, s.source) for s in segments] == [("1", "A dog ."), ("2", "A cat .")]
    assert method().read(str(tmp_path / "s.txt")) == method().read(segments) == segments
    with pytest.raises(InputError, match="there are no sentences"):
        method().read([" "])


def test_the_library_finds_issues_in_a_list_of_sentences(table: str) -> None:
    run = mt.invariance(
        SENTENCES, {"nmt": "fake:upper"}, langpair="en-pt", workspace=":memory:",
        structure="raw", threshold=1, checks="none", substitutes=table,
    )  # fmt: skip
    assert run.result.counts["nmt"]["issues"] == 2
    assert [record["reason"] for record in run.records("refused")] == ["one word only"]
    assert "variants are not ranked in context: pip install 'mtassay[use]'" in run.notes
    wider = run.judge(threshold=100, workspace=":memory:", checks="none")
    assert wider.result.counts["nmt"]["issues"] == 0
    assert "seconds" in json.loads(run.render("json"))


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("A dog sees me.", "A cow sees you.", ("dog sees me", "cow sees you")),
        ("A dog.", "A dogs.", ("dog", "dogs")),
        ("A dog.", "A big dog.", ("", "big ")),
        ("A big dog.", "A dog.", ("big ", "")),
        ("我喜欢狗。", "我喜欢猫。", ("狗", "猫")),
        ("na na", "na na na", ("", " na")),
        ("same", "same", ("", "")),
        ("It cost 31,000 euros.", "It cost 32,000 euros.", ("31,000", "32,000")),
        ("The company's car.", "The baker's car.", ("company", "baker")),
        ("", "New.", ("", "New.")),
    ],
)
def test_one_edit_turns_a_text_into_another(before: str, after: str, changed: tuple[str, str]) -> None:
    edit = edit_between(before, after)
    assert (edit.before, edit.after) == changed
    assert before[edit.start : edit.end] == edit.before
    assert edit.apply(before) == after


def test_the_edits_of_another_method_are_variants() -> None:
    segments = [Segment("1", "A dog."), Segment(f"1{EDITED}", "A cow.", tags={"original": "1"})]
    parameters = {"pair": "en-pt", "alpha": 0.2}
    run = Run("7", "other", parameters, [], "", {}, Result(), segments=segments)
    assert InvarianceMethod.takes(run)
    assert InvarianceMethod.segments_of(run)[1].tags["edit"]["after"] == "cow"
    assert InvarianceMethod.resolve({"checks": "none"}, run).alpha == 0.05
    with pytest.raises(UsageError, match=r"Run 8 is of 'other', not of 'invariance'\."):
        InvarianceMethod.segments_of(Run("8", "other", {}, [], "", {}, Result()))
