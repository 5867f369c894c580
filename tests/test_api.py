"""The library: files and texts alike, runs that show, judge and save themselves, errors in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mtassay as mt
from mtassay.data import nouns
from mtassay.data.display import Figure, Table
from mtassay.data.errors import InputError, MtassayError, ServiceError, UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Segment
from mtassay.systems.fake import Fake

REFERENCES = ["One cat.", "Two dogs.", "Three birds."]
OUTPUTS = {"good": REFERENCES, "bad": ["A cat.", "Dogs.", "Four fish."]}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MTASSAY_WORKSPACE", raising=False)
    return tmp_path


def a_run(**options: object) -> mt.Run:
    return mt.score(OUTPUTS, [REFERENCES], metrics="chrf", samples=100, **options)


def test_files_lists_and_mappings_give_the_same(elsewhere: Path) -> None:
    (elsewhere / "ref.txt").write_text("\n".join(REFERENCES) + "\n")
    (elsewhere / "bad.txt").write_text("\n".join(OUTPUTS["bad"]) + "\n")
    by_id = {str(number): text for number, text in enumerate(OUTPUTS["bad"], start=1)}
    runs = [
        mt.score({"bad": OUTPUTS["bad"]}, [REFERENCES], samples=100),
        mt.score({"bad": by_id}, [REFERENCES], samples=100),
        mt.score({"bad": "bad.txt"}, ["ref.txt"], samples=100),
        mt.score(["bad.txt"], Path("ref.txt"), samples=100),
        mt.run("score", mt.read(["", "", ""], [REFERENCES]), {"bad": by_id}, samples=100),
    ]
    assert len({str(run.result.scores) for run in runs}) == 1


def test_scoring_texts_leaves_nothing_behind(elsewhere: Path) -> None:
    a_run()
    assert list(elsewhere.iterdir()) == []


def test_a_live_engine_is_asked_once_and_remembered(elsewhere: Path) -> None:
    engine = Fake(name="fake", pair=parse_pair("en-de"), style="upper")
    for _ in range(2):
        assert mt.translate(["a b", "c"], engine, langpair="en-de") == ["A B", "C"]
    assert engine.counts.texts == 2
    assert (elsewhere / ".mtassay" / "workspace.db").exists()


def test_an_engine_that_fails_says_why(elsewhere: Path) -> None:
    closed = Fake(name="fake", pair=parse_pair("en-de"), closed_from=1)
    with pytest.raises(ServiceError, match="Nothing was translated, the first because"):
        mt.translate(["a"], closed, langpair="en-de")
    fake = Fake(name="fake", pair=parse_pair("en-de"), respond=lambda text: "" if text == "b" else text)
    run = mt.score({"fake": fake}, [["a", "b"]], ["a", "b"], metrics="chrf", samples=100)
    assert run.failures == {}


def test_records_are_plain(elsewhere: Path) -> None:
    run = a_run()
    for what in ("scores", "comparisons", "clusters", "findings", "outputs", "segments", "units", "refused"):
        json.dumps(run.records(what))
    assert [record["chrf"] for record in run.records("units") if record["system"] == "good"] == [100.0] * 3
    output, *_ = run.records("outputs")
    assert output == {
        **{"id": "1", "system": "good", "source": None, "reference": "One cat."},
        **{"output": "One cat.", "error": None},
    }
    with pytest.raises(UsageError, match=r"A run has no 'verdicts'. Available: scores, comparisons"):
        run.records("verdicts")


def test_a_run_shows_itself_in_every_format() -> None:
    run = a_run()
    assert str(run) == run.render("text")
    assert run.render("md").startswith("3 segments · 1 reference\n\n| System |")
    assert "\\begin{tabular}" in run.render("latex")
    few = "3 segments can never show a significant difference; use at least 30."
    assert json.loads(run.render("json"))["notes"] == [few]
    assert run.render("tsv").startswith("name\tsystem\t")
    assert "<table>" in run._repr_html_()
    assert repr(run) == f"<Run {run.id}: score of good, bad>"
    assert all(isinstance(table, Table) for table in run.tables(pairs=True))
    assert all(isinstance(figure, Figure) for figure in run.figures())


def test_a_saved_run_comes_back_and_can_be_judged_again() -> None:
    run = a_run(save=True)
    again = mt.load("last")
    assert (again.id, again.result) == (run.id, run.result)
    assert str(again).splitlines()[2:] == str(run).splitlines()[2:]
    judged = again.judge(test="randomization", trials=100)
    assert (judged.parameters["test"], judged.parameters["samples"]) == ("randomization", 100)
    assert [score.value for score in judged.result.scores] == [score.value for score in run.result.scores]
    assert again.records("units") == run.records("units")
    with pytest.raises(UsageError, match="comes from the workspace, which does not keep that"):
        again.records("refused")


def test_what_is_wrong_is_said_in_one_line() -> None:
    wrong: list[tuple[type[MtassayError], str, dict[str, object]]] = [
        (UsageError, "No metric 'blue'", {"metrics": "blue"}),
        (UsageError, "has no parameter 'sample'. Did you mean 'samples'", {"sample": 5}),
        (UsageError, "No system 'x' to take as the baseline", {"baseline": "x"}),
    ]
    for kind, message, options in wrong:
        with pytest.raises(kind, match=message):
            mt.score(OUTPUTS, [REFERENCES], **options)
    slips: list[tuple[str, dict[str, object]]] = [
        (
            r"score: test is 'foo'\. Choose from: randomization, bootstrap, sacrebleu-randomization\.",
            {"test": "foo"},
        ),
        (r"score: samples is 'many'\. It must be a whole number\.", {"samples": "many"}),
        (r"score: samples is -1\. It must be 100 or more\.", {"samples": -1}),
        (r"score: alpha is 5\. It must be 0\.5 or less\.", {"alpha": 5}),
        (r"A language pair is a text such as en-de, not \('en', 'pt'\)\.", {"langpair": ("en", "pt")}),
    ]
    for message, options in slips:
        with pytest.raises(UsageError, match=message):
            mt.score(OUTPUTS, [REFERENCES], **options)
    with pytest.raises(UsageError, match=r"No format 'html'\. Available: text, json, tsv, md, latex\."):
        a_run().render("html")
    with pytest.raises(
        UsageError, match=r"There is no file 'One cat\.'\. Texts in memory are given as a list"
    ):
        mt.score(OUTPUTS, REFERENCES)
    with pytest.raises(UsageError, match=r"There is no file 'Hello you'\. .* as a list: \['…'\]"):
        mt.translate("Hello you", "fake:upper", langpair="en-pt")
    with pytest.raises(UsageError, match=r"no engine 'gogle'"):
        mt.score({"a": "gogle:en-pt"}, [REFERENCES], langpair="en-pt")
    with pytest.raises(InputError, match="system 'a' has 1 texts for 3 segments"):
        mt.score({"a": ["x"]}, [REFERENCES])
    with pytest.raises(UsageError, match="There is no system to score"):
        mt.score({}, [REFERENCES])
    with pytest.raises(UsageError, match="There is no workspace"):
        mt.load("last")


def test_notes_are_told_to_who_listens_and_stand_in_the_result(elsewhere: Path) -> None:
    heard: list[str] = []
    rows = "id\toutput\nnegation-1\tx\nstranger\ty\n"
    (elsewhere / "a.tsv").write_text(rows)
    (elsewhere / "s.yaml").write_text(
        "suite: S\nlangpair: en-pt\nitems:\n"
        "  - {id: negation-1, category: N, phenomenon: P, source: No., positive_regex: [x]}\n"
    )
    run = mt.suite("s.yaml", {"a": "a.tsv"}, listen=heard.append)
    assert heard == ["a: 1 outputs left out: their ids are not in the suite"]
    assert run.notes[0] == heard[0]


def test_names_are_loaded_on_use_and_all_are_there() -> None:
    for name in mt.__all__:
        assert getattr(mt, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'blue'"):
        _ = mt.blue
    assert mt.run(
        "score", [Segment("1", "a", ("b",))], {"x": ["b"]}, metrics="chrf", samples=100
    ).systems == ["x"]


def test_a_script_is_run_once_however_many_processes_work(elsewhere: Path) -> None:
    (elsewhere / "script.py").write_text(
        "import threading, time\n"
        "import mtassay as mt\n"
        "threading.Thread(target=time.sleep, args=(5,), daemon=True).start()\n"
        "print('once')\n"
        "lines = [f'{i} ' + 'word and word ' * 9 for i in range(5000)]\n"
        "run = mt.score({'a': lines, 'b': lines}, [lines], metrics='chrf', samples=100)\n"
        "print(run.result.scores[0].value)\n"
    )
    environment = {**os.environ, "MTASSAY_PROCESSES": "2"}
    done = subprocess.run(
        [sys.executable, "script.py"], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout == "once\n100.0\n"
    assert done.stderr == ""


def test_a_run_that_was_saved_before_scores_had_labels_shows_them() -> None:
    old = nouns.Run(
        "r",
        "score",
        {"metrics": {"chrf:word_order=2": "ChrF(word_order=2)"}, "baseline": "a"},
        ["a"],
        "2026-01-01",
        {},
        nouns.Result([nouns.Score("chrf:word_order=2", "a", "all", 61.25, 3)]),
    )
    assert "chrF2++" in str(mt.Run(old))
