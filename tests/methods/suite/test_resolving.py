"""What a suite's parameters may be given as, and a saved run as a method again."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.app import library, runs
from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.suite_files import read_suite
from mtassay.data.formats.suite_items import Suite
from mtassay.methods.suite.rule_judge import Applied, VerdictEvidence
from mtassay.methods.suite.suite_method import SuiteMethod

TEXT = """\
suite: Small
langpair: en-pt
items:
- {id: n1, category: Negation, phenomenon: Negation, source: Nobody came., positive_regex: inguém}
- {id: n2, category: Negation, phenomenon: Negation, source: I never eat., positive_regex: nunca}
- {id: f1, category: False friends, phenomenon: Nouns, source: A library., positive_regex: biblioteca}
"""
OUTPUTS = {"n1": "Ninguém veio.", "n2": "Eu como.", "f1": "Uma biblioteca."}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    (tmp_path / "s.yaml").write_text(TEXT, encoding="utf-8")
    return tmp_path / "s.yaml"


def test_a_suite_may_be_a_file_a_name_or_a_suite(path: Path) -> None:
    for given in (path, str(path), read_suite(path)):
        assert [item.id for item in SuiteMethod.resolve({"suite": given}).chosen.items] == ["n1", "n2", "f1"]
    assert str(SuiteMethod.resolve({"suite": "en-pt"}).pair) == "en-pt"


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        ({"category": "neg*"}, ["n1", "n2"]),
        ({"phenomenon": ["Nouns"]}, ["f1"]),
        ({"item": ("n1", "f1")}, ["n1", "f1"]),
        ({"public": True}, ["n1", "n2", "f1"]),
        ({"category": None, "approved": False}, ["n1", "n2", "f1"]),
    ],
)
def test_fields_choose_items(path: Path, given: dict[str, object], ids: list[str]) -> None:
    method = SuiteMethod.resolve({"suite": path, **given})
    assert [segment.id for segment in method.segments] == ids
    assert len(method.suite.items) == 3


def test_the_seed_is_that_of_the_environment(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text, seed in (("7", 7), ("none", None)):
        monkeypatch.setenv("SACREBLEU_SEED", text)
        assert SuiteMethod.resolve({"suite": path}).seed == seed
        assert SuiteMethod.resolve({"suite": path, "seed": 3}).seed == 3


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("langpair: en-pt\nitems: []\n", UsageError, "s.yaml has no items yet. Add one: mtassay suite add"),
        (TEXT.replace("id: n2", "id: n1"), InputError, "two items have the id 'n1'"),
    ],
)
def test_what_cannot_be_judged_is_refused(path: Path, text: str, error: type, message: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=message):
        SuiteMethod.resolve({"suite": "s.yaml"})


def test_a_method_needs_a_suite() -> None:
    with pytest.raises(UsageError, match="There is no suite"):
        SuiteMethod.resolve({})


def saved(**options: object) -> runs.Run:
    given = {"a": dict(OUTPUTS), "b": {**OUTPUTS, "n2": "nunca"}}
    return library.suite("s.yaml", given, save=True, workspace="w.db", quiet=True, **options)


def test_a_saved_run_becomes_its_method_again(path: Path) -> None:
    saved(category=["Negation"], test="z", seed=5, items="settled")
    run = runs.load(workspace="w.db")
    method = SuiteMethod.resolve({}, run.record)
    given = {"suite": path, "category": "Negation", "test": "z", "seed": 5, "items": "settled"}
    assert method == SuiteMethod.resolve(given)
    assert method.parameters() == run.parameters
    again = run.judge(alpha=0.1, workspace="w.db", quiet=True)
    assert (again.parameters["alpha"], again.parameters["test"]) == (0.1, "z")
    assert again.result.counts == run.result.counts


def test_the_name_of_the_suite_is_that_of_the_chosen_part(path: Path) -> None:
    parameters = SuiteMethod.resolve({"suite": "s.yaml", "category": "Negation"}).parameters()
    assert str(parameters["suite"]).startswith("Small (2 items, ")
    assert (parameters["suite_path"], parameters["suite_digest"]) == ("s.yaml", read_suite(path).digest)


def test_a_suite_that_changed_or_went_is_refused_unless_it_is_given(path: Path) -> None:
    saved()
    run = runs.load(workspace="w.db").record
    path.write_text(f"# a comment changes nothing\n{TEXT}", encoding="utf-8")
    assert SuiteMethod.resolve({}, run).suite == read_suite(path)
    path.write_text(TEXT.replace("nunca", "jamais"), encoding="utf-8")
    with pytest.raises(UsageError, match=r"The suite s\.yaml has changed since the run\. [^\n]*$"):
        SuiteMethod.resolve({}, run)
    assert SuiteMethod.resolve({"suite": "s.yaml"}, run).suite == read_suite(path)
    path.unlink()
    with pytest.raises(UsageError, match=r"The suite of the run, s\.yaml, is not there any more"):
        SuiteMethod.resolve({}, run)


def test_a_run_of_a_suite_in_memory_asks_for_the_suite(path: Path) -> None:
    suite = Suite(read_suite(path).items, name="memory")
    run = library.suite(suite, {"a": list(OUTPUTS.values())}, quiet=True)
    with pytest.raises(UsageError, match="does not say where its suite is, memory"):
        run.judge(alpha=0.1)
    assert run.judge(suite=suite, alpha=0.1).parameters["alpha"] == 0.1


@pytest.mark.parametrize(
    "given",
    [dict(OUTPUTS), list(OUTPUTS.values()), "out.tsv", "lines.txt", Path("out.tsv")],
    ids=["dict", "list", "file", "lines", "path"],
)
@pytest.mark.parametrize("kind", ["file", "suite"])
def test_outputs_may_be_texts_or_files(path: Path, given: object, kind: str) -> None:
    rows = "".join(f"{key}\t{text}\n" for key, text in OUTPUTS.items())
    Path("out.tsv").write_text(f"id\toutput\n{rows}", encoding="utf-8")
    Path("lines.txt").write_text("".join(f"{text}\n" for text in OUTPUTS.values()), encoding="utf-8")
    run = library.suite("s.yaml" if kind == "file" else read_suite(path), {"a": given}, quiet=True)
    assert (run.result.counts["a"]["correct"], run.result.counts["a"]["undecided"]) == (2, 1)


def test_live_engines_and_unknown_ids(path: Path) -> None:
    Path("out.tsv").write_text("id\toutput\nn1\tNinguém.\nzz\tX\n", encoding="utf-8")
    heard: list[str] = []
    run = library.suite(
        "s.yaml", ["out.tsv", "loud=fake:upper"], workspace="w.db", quiet=True, listen=heard.append
    )
    assert heard == ["out: 1 outputs left out: their ids are not in the suite"]
    assert heard[0] in run.notes
    assert run.result.counts["loud"]["undecided"] == 3


def test_evidence_is_read_as_it_was_written() -> None:
    match = Applied("positive_regex", "nada", "nada", (3, 7), author="ana", note="why")
    evidence = VerdictEvidence("correct", "matches", (match,), ["slow"])
    for each in (evidence, evidence.settled_by("incorrect"), evidence.settled_by("disputed")):
        assert VerdictEvidence.read(each.as_json()) == each
    assert VerdictEvidence.read({"reason": "no stored output"}).why == "no stored output"
