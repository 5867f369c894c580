"""`mtassay meta correlate` as a person runs it: a process, its output, its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

REFERENCE = [
    "the old bridge was closed in spring",
    "she sold three paintings to the museum",
    "nobody had told the driver about it",
    "rain is expected in the north tonight",
    "the committee will meet again in June",
    "his second book took ten years to write",
]


@pytest.fixture
def files(tmp_path: Path) -> list[object]:
    """A reference and four outputs; the lines of each are one word shorter than those of the last."""
    (tmp_path / "ref.txt").write_text("\n".join(REFERENCE) + "\n", encoding="utf-8")
    arguments: list[object] = ["-r", "ref.txt"]
    for missing, name in enumerate("ABCD"):
        lines = [" ".join(line.split()[: 7 - missing]) for line in REFERENCE]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        arguments += ["-t", f"{name}={name}.txt"]
    by_system = "system,adequacy,fluency\nA.1,5,4\nB.2,4,5\nC.3,3,2\nD.4,1,3\nHUMAN,5,5\n"
    (tmp_path / "darpa.csv").write_text(by_system, encoding="utf-8")
    rows = [
        f"{name}\t{line}\t{5 - missing + line % 2}\n"
        for missing, name in enumerate("ABCD")
        for line in range(1, 7)
        if (name, line) != ("B", 3)
    ]
    (tmp_path / "da.tsv").write_text("system\tid\tda\n" + "".join(rows), encoding="utf-8")
    return arguments


def test_every_human_score_is_a_column_and_every_statistic_a_row(run: Run, files: list[object]) -> None:
    done = run("meta", "correlate", *files, "--human-scores", "darpa.csv", "-m", "bleu,chrf")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "6 segments · 1 reference · 4 systems · system level"
    assert lines[2].split() == ["metric", "adequacy", "#", "fluency", "#"]
    for label in ("Pearson", "Spearman", "Kendall", "pair acc.", "soft acc.", "error %"):
        assert any(line.startswith(label) and "BLEU" in line for line in lines)
    assert "Also in adequacy, fluency, but not here: HUMAN." in lines
    assert "Soft pairwise accuracy undefined: no scores per segment (adequacy, fluency)." in done.stdout
    assert "systems drawn again, 1,000 times, since system scores of adequacy, fluency" in " ".join(lines)
    assert "n. Pearson, Spearman, Kendall, error %: 4 systems; pair acc.: 6 pairs." in lines
    assert all(len(line) <= 80 for line in lines if not line.startswith(("BLEU|", "chrF2|")))


def test_json_names_metric_people_and_statistic(run: Run, files: list[object]) -> None:
    done = run("meta", "correlate", *files, "--human-scores", "da.tsv", "-m", "bleu", "-f", "json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [(s["name"], s["system"], s["group"]) for s in result["scores"]] == [
        ("bleu", "da", statistic)
        for statistic in (
            "pearson",
            "spearman",
            "kendall",
            "pairwise_accuracy",
            "soft_pairwise_accuracy",
            "prediction_error",
        )
    ]
    accuracy = result["scores"][3]
    assert (accuracy["value"], accuracy["n"]) == (1.0, 6)
    assert accuracy["signature"].startswith("nrefs:1|bs:1000|seed:12345|")
    assert accuracy["signature"].endswith("|interval:segments")
    assert result["counts"] == {
        "da": {"systems": 4, "unrated_systems": 0, "translations": 23, "unrated_translations": 1}
    }
    assert any("segments drawn again" in note for note in result["notes"])


@pytest.mark.parametrize(
    ("grouping", "pairs"),
    # Three systems have six translations and one five; five segments have four translations and one three.
    [("none", 23 * 22 // 2), ("item", 5 * 6 + 3), ("system", 3 * 15 + 10)],
)
def test_single_translations_can_be_compared(
    run: Run, files: list[object], grouping: str, pairs: int
) -> None:
    done = run(
        *("meta", "correlate", *files, "--human-scores", "da.tsv", "-m", "bleu", "--level", "segment"),
        *("--grouping", grouping, "-f", "json"),
    )
    scores = {score["group"]: score for score in json.loads(done.stdout)["scores"]}
    assert list(scores) == ["pearson", "spearman", "kendall", "acc_eq", "prediction_error"]
    assert scores["acc_eq"]["n"] == pairs
    assert {score["n"] for name, score in scores.items() if name != "acc_eq"} == {23}
    if grouping == "item":
        # Shorter is worse, for the metric as for people, within every segment.
        assert scores["acc_eq"]["value"] == 1


def test_the_sweep_shows_each_order_and_draws_it(run: Run, files: list[object], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    arguments = ["meta", "correlate", *files, "--human-scores", "darpa.csv", "--ngram-sweep", "1-6"]
    done = run(*arguments, "--plot", "sweep.svg")
    assert done.returncode == 0, done.stderr
    assert "BLEU by n-gram length: prediction error in %, and Pearson's r" in done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines()[5:11]] == [str(n) for n in range(1, 7)]
    # D has four words a line and C five.
    assert "Agreement undefined: no n-gram of this length matches (5 of D, 6 of C)." in done.stdout
    drawn = (tmp_path / "sweep.svg").read_text(encoding="utf-8")
    assert "adequacy" in drawn
    assert "n-gram length" in drawn
    names = {score["name"] for score in json.loads(run(*arguments, "-f", "json").stdout)["scores"]}
    assert names == {f"bleu:order={n}" for n in range(1, 7)}


def test_people_are_compared_with_people_without_any_output(run: Run, files: list[object]) -> None:
    done = run("meta", "correlate", "--human-scores", "darpa.csv", "--human-vs-human", "-f", "tsv")
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert rows[0][:8] == ["name", "system", "group", "value", "n", "low", "high", "signature"]
    pairs = {(row[0], row[1]) for row in rows[1:]}
    assert pairs == {("adequacy", "fluency"), ("fluency", "adequacy")}
    sizes = {row[2]: row[4] for row in rows[1:]}
    # HUMAN and A are equally adequate, HUMAN and B equally fluent; and nobody rated segments.
    assert (sizes["pearson"], sizes["pairwise_accuracy"], sizes["soft_pairwise_accuracy"]) == ("5", "9", "0")


def test_two_settings_of_a_metric_have_two_labels(run: Run, files: list[object]) -> None:
    specs = "bleu,bleu:tokenize=char"
    done = run("meta", "correlate", *files, "--human-scores", "da.tsv", "-m", specs)
    labels = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("Pearson")]
    assert labels == ["bleu"]
    assert any(line.split()[:1] == ["bleu:tokenize=char"] for line in done.stdout.splitlines())
    assert "bleu:tokenize=char|nrefs:1|" in done.stdout


def test_metrics_are_compared_with_each_other_without_people(run: Run, files: list[object]) -> None:
    done = run("meta", "correlate", *files, "-m", "bleu,chrf,ter", "--metric-vs-metric")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[3].split() == ["Metrics", "Pearson", "Kendall"]
    assert [line.split("  ")[0] for line in lines[5:8]] == ["BLEU – chrF2", "BLEU – TER", "chrF2 – TER"]
    assert "n: 4 systems." in lines
    # Fewer words are worse for all of them, TER's sign turned.
    assert lines[6].split()[-3:] == ["1.000", "[1.00,", "1.00]"]
    alone = run("meta", "correlate", *files, "-m", "bleu", "--metric-vs-metric")
    assert "There is only one metric: nothing to compare it with." in alone.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "two-sided, corrected for the number of pairs; p ≤ 0.05, 1,000 trials"),
        (["--test", "wmt", "--alpha", "0.1"], "as at WMT, one-sided and not corrected"),
    ],
)
def test_ranks_say_which_test_gave_them(
    run: Run, files: list[object], options: list[str], words: str
) -> None:
    done = run("meta", "correlate", *files, "--human-scores", "da.tsv", *options)
    assert words in " ".join(done.stdout.split())
    record = json.loads(
        run("meta", "correlate", *files, "--human-scores", "da.tsv", *options, "-f", "json").stdout
    )
    first = record["comparisons"][0]
    assert (first["name"], first["group"], {first["a"], first["b"]}) == ("da", "pearson", {"bleu", "chrf"})
    assert record["clusters"][0]["rank"] == 1


def test_segments_that_cannot_be_drawn_are_not_drawn(run: Run, files: list[object]) -> None:
    done = run("meta", "correlate", *files, "--human-scores", "darpa.csv", "--resample", "segments")
    assert "Segments cannot be resampled for adequacy, fluency" in done.stderr
    drawn = run("meta", "correlate", *files, "--human-scores", "da.tsv", "--resample", "systems")
    assert "[ ]: 95 % interval; systems drawn again, 1,000 times." in drawn.stdout


def test_scores_of_other_metrics_come_from_a_file(run: Run, files: list[object], tmp_path: Path) -> None:
    run("score", *files, "-m", "chrf", "--segment-scores", "segments.tsv")
    done = run(
        *("meta", "correlate", *files, "--human-scores", "da.tsv", "--metric-scores", "segments.tsv"),
        *("-m", "bleu", "-f", "json"),
    )
    assert done.returncode == 0, done.stderr
    assert {score["name"] for score in json.loads(done.stdout)["scores"]} == {"bleu", "chrf"}
    clash = run(
        *("meta", "correlate", *files, "--human-scores", "da.tsv", "--metric-scores", "segments.tsv"),
        *("-m", "chrf"),
    )
    assert "Two metrics are called 'chrf'" in clash.stderr


def test_a_scatter_plot_names_the_systems(run: Run, files: list[object], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = run("meta", "correlate", *files, "--human-scores", "darpa.csv", "--plot", "scatter.svg")
    assert done.returncode == 0, done.stderr
    drawn = (tmp_path / "scatter.svg").read_text(encoding="utf-8")
    for text in ("BLEU", "chrF2", "adequacy", "fluency", ">A<", ">D<"):
        assert text in drawn


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("md", "| Spearman | BLEU | **1.000 [1.00, 1.00]** | 1 |"),
        ("latex", "Spearman & BLEU & \\textbf{1.000 [1.00, 1.00]} & 1 \\\\"),
        ("tsv", "bleu\tda\tpairwise_accuracy\t1.0\t6\t1.0\t1.0\t"),
    ],
)
def test_every_format_shows_the_agreement(run: Run, files: list[object], form: str, expected: str) -> None:
    done = run("meta", "correlate", *files, "--human-scores", "da.tsv", "--format", form)
    assert expected in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "There are no human scores: add --human-scores FILE, or --mtme FOLDER."),
        (["--mtme", "."], "--mtme needs the language pair: add -l, for example -l en-de."),
        (["--mtme", ".", "-l", "en-de"], ".: not an mt-metrics-eval folder"),
        (
            ["--mtme", ".", "-l", "en-de", "-s", "x"],
            "--mtme already has test set and human scores: leave out -s.",
        ),
        (["--human-scores", "da.tsv"], "There is no system to measure: add -t NAME=FILE."),
        (["--human-scores", "da.tsv", "-t", "A=A.txt"], "There is nothing to measure against: add -r FILE"),
        (["--human-scores", "none.csv", "-r", "ref.txt", "-t", "A=A.txt"], "none.csv: cannot read"),
        (
            ["--human-scores", "da.tsv", "-r", "ref.txt", "-t", "X=A.txt"],
            "da rates none of these systems: X. Its names begin with: A, B, C.",
        ),
        (
            ["--human-scores", "da.tsv", "--human", "mqm", "-r", "ref.txt", "-t", "A=A.txt"],
            "No human score called 'mqm'. Available: da.",
        ),
        (["--human-scores", "da.tsv", "--human-vs-human"], "There is only one human score, da"),
        (["--human-scores", "da.tsv", "--plot", "a.pdf"], "a.pdf: plots are written as .svg or .png."),
        (["--human-scores", "da.tsv", "--ngram-sweep", "0-3"], "'0-3' are no n-gram lengths."),
        (["--human-scores", "da.tsv", "-m", "blue"], "No metric 'blue'."),
    ],
)
def test_a_mistake_is_one_line(run: Run, files: list[object], arguments: list[str], message: str) -> None:
    done = run("meta", "correlate", *arguments)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stderr.startswith("mtassay: ")
    assert message in done.stderr


def test_the_wmt23_folder_gives_the_published_agreement(run: Run, data_folder: Path) -> None:
    done = run(
        *("meta", "correlate", "--mtme", data_folder / "wmt23-mtme", "-l", "en-de", "-m", "bleu,chrf"),
        *("--human", "mqm", "--level", "system"),
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "en-de · 557 segments · reference refA · 12 systems · system level"
    assert lines[4].split()[:3] == ["Pearson", "BLEU", "0.917"]
    assert lines[5].split()[:2] == ["chrF2", "0.866"]
