"""`mtassay suite generate` as a person runs it."""

from __future__ import annotations

import json
from pathlib import Path

from mtassay.data.formats.suite_files import read_suite
from tests.cli.conftest import Run

TEMPLATE = """\
langpair: en-pt
category: Verbs
match: {case: ignore}
slots:
  subject: [{en: I, as: 1s}, {en: she, as: 3s}]
  verb: [{en: write, pt: escrever}, {en: write, id: pen, pt: escrever}]
tables:
  pt: {escrever: {preterite: {1s: escrevi, 3s: escreveu}, present: {1s: escrevo, 3s: escreve}}}
templates:
  - phenomenon: Past
    source: "{subject} {verb.en|past} a letter."
    positive_regex: \\b{verb.pt|pt(preterite, subject.as)}\\b
    negative_regex: \\b{verb.pt|pt(not preterite, subject.as)}\\b
"""


def template(folder: Path, text: str = TEMPLATE) -> Path:
    path = folder / "t.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_suite_is_written_and_written_again_the_same(run: Run, tmp_path: Path) -> None:
    template(tmp_path)
    done = run("suite", "generate", "t.yaml", "-o", "s.yaml")
    assert (done.returncode, done.stdout) == (0, "s.yaml: 2 items of 1 template.\n")
    assert done.stderr == "mtassay: 2 left out: their source was there before\n"
    first = (tmp_path / "s.yaml").read_bytes()
    run("suite", "generate", "t.yaml", "-o", "s.yaml")
    assert (tmp_path / "s.yaml").read_bytes() == first
    assert [item.id for item in read_suite(tmp_path / "s.yaml").items] == ["past-i-write", "past-she-write"]


def test_a_dry_run_shows_what_would_be_made_and_writes_nothing(run: Run, tmp_path: Path) -> None:
    template(tmp_path)
    done = run("suite", "generate", "t.yaml", "--dry-run", "-o", "s.yaml")
    assert done.returncode == 0
    assert "past                 4         0           2            0      2" in done.stdout
    assert "  + \\bescreveu\\b\n  - \\bescreve\\b" in done.stdout
    assert not (tmp_path / "s.yaml").exists()
    record = json.loads(run("suite", "generate", "t.yaml", "--dry-run", "-f", "json").stdout)
    assert (record["items"], record["templates"][0]["duplicates"]) == (2, 2)


def test_a_generated_suite_judges(run: Run, tmp_path: Path) -> None:
    template(tmp_path)
    run("suite", "generate", "t.yaml", "-o", "s.yaml")
    outputs = "id\toutput\npast-i-write\tEscrevi uma carta.\npast-she-write\tEla escreve uma carta.\n"
    (tmp_path / "a.tsv").write_text(outputs, encoding="utf-8")
    record = json.loads(run("suite", "run", "s.yaml", "-t", "a.tsv", "-f", "json").stdout)
    assert {name: record["counts"]["a"][name] for name in ("correct", "incorrect", "undecided")} == {
        "correct": 1,
        "incorrect": 1,
        "undecided": 0,
    }


def test_work_of_people_is_kept_and_never_dropped_unasked(run: Run, tmp_path: Path) -> None:
    template(tmp_path)
    run("suite", "generate", "t.yaml", "-o", "s.yaml")
    path = tmp_path / "s.yaml"
    text = path.read_text(encoding="utf-8").replace(
        "  source: I wrote a letter.\n", "  source: I wrote a letter.\n  positive_tokens: [Escrevi.]\n"
    )
    path.write_text(text, encoding="utf-8")
    done = run("suite", "generate", "t.yaml", "-o", "s.yaml")
    assert "kept what people added to 1 item of s.yaml" in done.stderr
    assert "Escrevi." in path.read_text(encoding="utf-8")
    template(tmp_path, TEMPLATE.replace("a letter", "the letter"))
    done = run("suite", "generate", "t.yaml", "-o", "s.yaml")
    assert done.returncode == 2
    assert "work of people is in 1 item no longer made (past-i-write)" in done.stderr
    assert run("suite", "generate", "t.yaml", "-o", "s.yaml", "--overwrite").returncode == 0
    assert "Escrevi." not in path.read_text(encoding="utf-8")


def test_an_inflector_may_lie_beside_the_template(run: Run, tmp_path: Path) -> None:
    (tmp_path / "forms.py").write_text(
        "def form(lemma, feature):\n    return [lemma + feature]\n", encoding="utf-8"
    )
    template(tmp_path, TEMPLATE.replace("{verb.en|past}", "{verb.en|own(-ed)}"))
    done = run("suite", "generate", "t.yaml", "-o", "s.yaml", "--inflector", "own=forms:form")
    assert done.returncode == 0, done.stderr
    assert read_suite(tmp_path / "s.yaml").items[0].source == "I write-ed a letter."
    done = run("suite", "generate", "t.yaml", "-o", "s.yaml", "--inflector", "own=forms:nothing")
    assert done.returncode == 2
    assert done.stderr.startswith("mtassay: Cannot load --inflector own=forms:nothing:")


def test_mistakes_are_one_line(run: Run, tmp_path: Path) -> None:
    template(tmp_path)
    for words, part in (
        (["t.yaml"], "Add -o SUITE.yaml, or --dry-run"),
        (["none.yaml", "--dry-run"], "none.yaml: cannot read: No such file"),
        (["t.yaml", "-o", "t.yaml"], "t.yaml is the template file"),
        (["t.yaml", "-o", "s.txt"], "a suite file ends in .yaml"),
        (["t.yaml", "-o", "s.yaml", "--max-items", "1"], "t.yaml: the templates make more than 1 items"),
    ):
        done = run("suite", "generate", *words)
        assert done.returncode == 2, words
        assert part in done.stderr
        assert len(done.stderr.splitlines()) <= 2  # the duplicates, and the mistake
