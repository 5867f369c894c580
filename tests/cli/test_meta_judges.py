"""`mtassay meta calibrate` and `judges` as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.formats.evaluation_files import FoundThreshold, write_thresholds
from mtassay.methods.behavior.verdict_thresholds import calibrated_thresholds
from tests.cli.conftest import Run

ENGLISH = [
    "The old bridge was closed.", "She sold three paintings.", "Nobody told the driver.", "Rain is expected.",
]  # fmt: skip


@pytest.fixture
def labelled(tmp_path: Path) -> list[object]:
    """80 outputs: half are nearly their reference, half lack words and are labelled wrong."""
    sources, references, outputs, labels = [], [], [], []
    for n in range(80):
        text = f"{ENGLISH[n % 4]} That was in {1900 + n}, on a cold day."
        is_wrong = n % 2 == 0
        sources.append(f"Satz {n}")
        references.append(text)
        outputs.append(" ".join(text.split()[: 5 - n % 3]) if is_wrong else text.replace("cold", "very cold"))
        labels.append(f"{n + 1}\tnmt\t{'ERR' if is_wrong else 'NOT'}")
    for name, lines in {"s.txt": sources, "r.txt": references, "o.txt": outputs}.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "l.tsv").write_text("id\tsystem\tlabel\n" + "\n".join(labels) + "\n", encoding="utf-8")
    return ["-s", "s.txt", "-r", "r.txt", "-t", "nmt=o.txt", "-l", "de-en", "--labels", "l.tsv"]


def test_thresholds_are_found_and_written_with_what_is_known(
    run: Run, labelled: list[object], tmp_path: Path
) -> None:
    done = run("meta", "calibrate", *labelled, "-m", "chrf,ter", "-o", "t.json")
    assert done.returncode == 0, done.stderr
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert "Labelled outputs: 80, of which 40 are wrong (50.0 %)." in done.stdout
    entries = json.loads((tmp_path / "t.json").read_text("utf-8"))["thresholds"]
    found = {entry["judge"]: entry for entry in entries}
    assert found["chrf"]["low_is_error"] is True
    assert 40 < found["chrf"]["threshold"] < 90
    assert found["chrf"]["parameters"]["alpha"] == pytest.approx(found["chrf"]["threshold"] / 100)
    # Of TER, less is better: what is above the threshold is wrong, and the quality is 1 less.
    assert found["ter"]["low_is_error"] is False
    assert 10 < found["ter"]["threshold"] < 60
    assert found["ter"]["parameters"]["alpha"] == pytest.approx(1 - found["ter"]["threshold"] / 100)
    assert found["chrf"]["known"].startswith("The judge sees 10 of 10 errors of nmt, and 10 of 10 that")


def test_what_is_told_apart_clearly_has_full_precision_and_recall(run: Run, labelled: list[object]) -> None:
    done = run("meta", "calibrate", *labelled, "-m", "chrf", "-f", "json")
    scores = {score["name"]: score for score in json.loads(done.stdout)["scores"]}
    assert (scores["precision"]["n"], scores["precision"]["value"]) == (40, 100.0)
    assert (scores["recall"]["n"], scores["recall"]["value"]) == (40, 100.0)


def test_a_wish_that_cannot_be_met_gives_no_threshold_and_no_file(
    run: Run, labelled: list[object], tmp_path: Path
) -> None:
    rows = "".join(f"{n + 1}\tnmt\t{'ERR' if n % 4 < 2 else 'NOT'}\n" for n in range(80))
    (tmp_path / "l.tsv").write_text("id\tsystem\tlabel\n" + rows, encoding="utf-8")
    done = run("meta", "calibrate", *labelled, "-m", "chrf", "-o", "t.json")
    assert done.returncode == 0, done.stderr
    assert "chrF2: no threshold gives 80 % on other outputs." in done.stdout
    assert not (tmp_path / "t.json").exists()


def test_judges_stand_side_by_side_and_told_apart(run: Run, labelled: list[object]) -> None:
    done = run("meta", "judges", *labelled, "-m", "chrf,bleu")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[1].split() == ["Judge", "flagged", "unlab.", "precision", "recall"]
    assert lines[3].split()[:6] == ["chrF2", "40", "0", "100.0", "[91–100]", "(40/40)"]
    assert ["Judge", "F1", "AUC", "κ"] in [line.split() for line in lines]
    assert "Differences between judges" in lines
    assert all(len(line) <= 80 for line in lines)


def test_a_list_of_another_judge_is_a_judge(run: Run, labelled: list[object], tmp_path: Path) -> None:
    rows = "".join(f"{n + 1}\tnmt\t{int(n % 2 == 0 and n % 10 != 4)}\n" for n in range(80))
    (tmp_path / "f.tsv").write_text("id\tsystem\tflagged\n" + rows, encoding="utf-8")
    done = run("meta", "judges", *labelled, "-m", "chrf", "--flagged", "other=f.tsv", "-f", "json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    values = {(s["name"], s["system"]): s["value"] for s in record["scores"]}
    assert values["precision", "other"] == 100
    assert values["recall", "other"] == pytest.approx(80)
    # 72 of 80 verdicts are right, by chance (32 · 40 + 48 · 40) / 80² = ½: (0.9 − 0.5) / 0.5.
    assert values["kappa", "other"] == pytest.approx(0.8)
    comparison = record["comparisons"][0]
    # The list has no scores, so verdicts are compared: it is wrong of 8 that chrF is right of.
    assert (comparison["name"], comparison["a"], comparison["delta"]) == (
        "right",
        "other",
        pytest.approx(-0.1),
    )


def test_behaviour_takes_calibrated_thresholds_and_says_what_is_known(run: Run, tmp_path: Path) -> None:
    known = "The judge finds 7 of 10 errors of nmt (n = 300)."
    entry = {"judge": "behavior", "threshold": 0.2, "low_is_error": False, "wished": 0.8, "known": known,
             "parameters": {"alpha": 0.8, "beta": 0.1}, "quality": "chrf"}  # fmt: skip
    (tmp_path / "t.json").write_text(
        json.dumps({"kind": "mtassay thresholds", "thresholds": [entry]}), encoding="utf-8"
    )
    edit = {"source": [{"start": 2, "end": 5, "before": "cat", "after": "dog"}],
            "reference": [{"start": 3, "end": 7, "before": "gato", "after": "cão"}]}  # fmt: skip
    case = {"id": "1", "capability": "noun", "source": "A cat.", "reference": "Um gato.", "edit": edit,
            "edited_source": "A dog.", "pseudo_reference": "Um cão."}  # fmt: skip
    (tmp_path / "c.jsonl").write_text(json.dumps(case) + "\n", encoding="utf-8")
    output = {"id": "1", "output": "Um gato.", "edited_output": "Um cão."}
    (tmp_path / "o.jsonl").write_text(json.dumps(output) + "\n", encoding="utf-8")
    common = ["c.jsonl", "-l", "en-pt", "-t", "nmt=o.jsonl", "--quality", "chrf", "--calibrated", "t.json"]
    done = run("behavior", "run", *common)
    assert done.returncode == 0, done.stderr
    assert "|alpha:0.8|beta:0.1|" in done.stdout
    assert "The judge finds 7 of 10 errors of nmt (n = 300)." in " ".join(done.stdout.split())
    # Other thresholds are not those that something is known of.
    again = run("behavior", "run", "last", "--min-quality", "0.5")
    assert "The judge finds" not in again.stdout
    other = run("behavior", "run", *common[:-4], "--quality", "ter", "--calibrated", "t.json")
    assert other.returncode == 2
    assert "t.json has no thresholds for 'ter'. It has some for: chrf." in other.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["calibrate"], "There is nothing to calibrate on"),
        (["judges", "--labels", "l.tsv"], "There is no judge: give saved runs, -m NAMES"),
    ],
)
def test_what_is_missing_is_told_in_one_line(
    run: Run, labelled: list[object], arguments: list[str], message: str
) -> None:
    done = run("meta", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_file_serves_the_first_judge_that_it_has_thresholds_for(tmp_path: Path) -> None:
    evidence = FoundThreshold("behavior", 0.6, False, 0.8, {"fail": 0.6}, "ours")
    use = FoundThreshold("use", 0.8, True, 0.8, {"alpha": 0.8}, "use")
    run_of_use = FoundThreshold("behavior 2", 0.2, False, 0.8, {"alpha": 0.7, "beta": 0.1}, "use")
    write_thresholds(tmp_path / "t.json", [evidence, use, run_of_use])
    first = calibrated_thresholds(tmp_path / "t.json", ["ours", "use"])
    assert (first["judge_by"], first["calibrated"]["parameters"]) == ("ours", {"fail": 0.6})
    assert "min_quality" not in first
    # What was found on a run knows beta too, and goes before a metric alone.
    paper = calibrated_thresholds(tmp_path / "t.json", ["use"])
    assert (paper["judge_by"], paper["min_quality"], paper["max_change"]) == ("paper", 0.7, 0.1)
    with pytest.raises(UsageError, match=r"no thresholds for 'comet'\. It has some for: ours, use"):
        calibrated_thresholds(tmp_path / "t.json", ["comet"])
