"""`mtassay suite scramble`, and `convert` with `--hidden`, as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mtassay.data.formats.suite_files import read_suite, write_suite
from mtassay.data.formats.suite_items import Item, Rule, Suite
from tests.cli.conftest import Run

WORDS = ("cat", "dog", "cow", "hen", "cat", "fox")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A suite of six items, two of which have the same source, and a file of distractors."""
    items = []
    for place, word in enumerate(WORDS):
        rule = Rule(f"{{{{m{place}}}}}")
        phenomenon = "pq"[place % 2]
        items.append(
            Item(f"i{place}", "en-pt", "Animals", phenomenon, f"The {word}.", positive_regex=(rule,))
        )
    suite = Suite(
        items, langpair="en-pt", macros={f"m{place}": f"macro{place}" for place in range(len(WORDS))}
    )
    write_suite(tmp_path / "s.yaml", suite)
    lines = ["A tree.", "", "The cat.", "A bush.", "A rose."]
    (tmp_path / "d.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def answer(folder: Path) -> list[str]:
    """What a provider sends back: every line with its number, so that equal sources differ."""
    lines = (folder / "send" / "source.txt").read_text(encoding="utf-8").splitlines()
    return [f"{number} {line}" for number, line in enumerate(lines)]


def test_outputs_find_their_items_again(run: Run, folder: Path) -> None:
    done = run("suite", "scramble", "s.yaml", "-o", "send", "--distractors", "d.txt")
    assert done.returncode == 0, done.stderr
    assert "Send send/source.txt: 9 lines (6 items, 3 distractors)." in done.stdout
    assert "1 line of d.txt left out: empty" in done.stderr
    assert "1 line of d.txt left out: in the suite" in done.stderr
    assert [path.name for path in (folder / "send").iterdir()] == ["source.txt"]
    returned = answer(folder)
    (folder / "r.txt").write_text("\r\n".join(returned) + "\r\n", encoding="utf-8")
    done = run(
        "suite", "scramble", "s.yaml", "--restore", "send.key.json", "-t", "nmt=r.txt", "-o", "out",
        "-s", "send/source.txt",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [
        line.split("\t") for line in (folder / "out" / "nmt.tsv").read_text(encoding="utf-8").splitlines()
    ]
    assert rows[0] == ["id", "output"]
    assert [row[0] for row in rows[1:]] == [f"i{place}" for place in range(6)]
    assert [row[1].split(" ", 1)[1] for row in rows[1:]] == [f"The {word}." for word in WORDS]
    assert len({row[1] for row in rows[1:]}) == 6
    others = (folder / "out.distractors" / "nmt.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[0] for line in others] == ["line", "1", "4", "5"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "out"], "Give the suite to scramble"),
        (["s.yaml", "-o", "out", "-t", "a=b.txt"], "-t and --source are for --restore KEY"),
        (["--restore", "k.json", "-o", "out"], "What came back? Add -t NAME=returned.txt."),
        (["--restore", "k.json", "-o", "out", "-t", "a=fake:copy"], "is a live engine"),
    ],
)
def test_what_is_missing_is_one_line(run: Run, folder: Path, words: list[str], message: str) -> None:
    done = run("suite", "scramble", *words)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr


def test_the_seed_is_secret_unless_one_is_given(run: Run, folder: Path) -> None:
    for name in ("a", "b"):
        run("suite", "scramble", "s.yaml", "-o", name)
    seeds = [json.loads((folder / f"{name}.key.json").read_text(encoding="utf-8"))["seed"] for name in "ab"]
    assert seeds[0] != seeds[1]
    run("suite", "scramble", "s.yaml", "-o", "c", "--seed", "7", "--key", "k.json")
    assert json.loads((folder / "k.json").read_text(encoding="utf-8"))["seed"] == 7


def test_a_key_is_never_overwritten(run: Run, folder: Path) -> None:
    run("suite", "scramble", "s.yaml", "-o", "send")
    before = (folder / "send.key.json").read_bytes()
    done = run("suite", "scramble", "s.yaml", "-o", "send")
    assert done.returncode == 2
    assert "send.key.json is there already" in done.stderr
    assert (folder / "send.key.json").read_bytes() == before


def test_only_the_chosen_items_are_sent(run: Run, folder: Path) -> None:
    run(
        "suite",
        "scramble",
        "s.yaml",
        "-o",
        "send",
        "--phenomenon",
        "p",
        "--distractors",
        "d.txt",
        "--ratio",
        "0.7",
    )
    assert len(answer(folder)) == 5  # 3 items and 0.7 x 3 = 2.1 distractors


def test_what_came_back_wrong_is_refused_or_said(run: Run, folder: Path) -> None:
    run("suite", "scramble", "s.yaml", "-o", "send")
    sent = (folder / "send" / "source.txt").read_text(encoding="utf-8").splitlines()
    (folder / "short.txt").write_text("\n".join(sent[1:]) + "\n", encoding="utf-8")
    (folder / "odd.txt").write_text("\n".join(["", sent[1], "x\ty", *sent[3:]]) + "\n", encoding="utf-8")
    (folder / "latin.txt").write_bytes("é\n".encode("latin-1") * 6)
    (folder / "moved.txt").write_text("\n".join(reversed(sent)) + "\n", encoding="utf-8")
    done = run("suite", "scramble", "--restore", "send.key.json", "-t", "short.txt", "-o", "out")
    assert (done.returncode, "short.txt: 5 lines, but 6 were sent" in done.stderr) == (2, True)
    done = run("suite", "scramble", "--restore", "send.key.json", "-t", "latin.txt", "-o", "out")
    assert (done.returncode, "latin.txt line 1: byte 0xE9" in done.stderr) == (2, True)
    done = run(
        "suite", "scramble", "--restore", "send.key.json", "-t", "odd.txt", "-o", "out", "-s", "moved.txt"
    )
    assert (done.returncode, "this is not what was sent" in done.stderr) == (2, True)
    assert not (folder / "out").exists()
    done = run("suite", "scramble", "--restore", "send.key.json", "-t", "odd.txt", "-o", "out")
    assert done.returncode == 0
    assert "odd: 1 empty line, the first line 1" in done.stderr
    assert "odd: 4 of 6 lines untranslated: equal to the source" in done.stderr
    assert "odd: tabs become spaces in 1 output of out/odd.tsv" in done.stderr


def test_a_suite_that_changed_since_is_seen(run: Run, folder: Path) -> None:
    run("suite", "scramble", "s.yaml", "-o", "send")
    (folder / "r.txt").write_text("\n".join(answer(folder)) + "\n", encoding="utf-8")
    text = (folder / "s.yaml").read_text(encoding="utf-8").replace("The dog.", "A dog.")
    (folder / "s.yaml").write_text(text, encoding="utf-8")
    done = run("suite", "scramble", "--restore", "send.key.json", "-t", "r.txt", "-o", "out", "s.yaml")
    assert done.returncode == 2
    assert "s.yaml: what was sent for 1 item is not the source any more, the first 'i1'" in done.stderr


def test_a_split_shows_nothing_of_what_is_held_back(run: Run, folder: Path) -> None:
    done = run("suite", "convert", "s.yaml", "p.yaml", "--hidden", "h.yaml", "--seed", "1")
    assert done.returncode == 0, done.stderr
    public, hidden = read_suite(folder / "p.yaml"), read_suite(folder / "h.yaml")
    assert (len(public.items), len(hidden.items)) == (4, 2)  # of 3 items each, 1.5 is rounded down
    text = (folder / "p.yaml").read_text(encoding="utf-8")
    for item in hidden.items:
        assert not item.public
        assert item.id not in text
        assert f"macro{item.id[1:]}" not in text
    assert "Animals       6       4       2" in done.stdout
    done = run("suite", "convert", "s.yaml", "s.yaml", "--hidden", "h.yaml")
    assert (done.returncode, "must be three files" in done.stderr) == (2, True)
    done = run("suite", "convert", "s.yaml", "q.yaml", "--hidden", "i.yaml", "--hold-back", "1")
    assert (done.returncode, "between 0 and 1" in done.stderr) == (2, True)


def test_a_split_counts_in_numbers(run: Run, folder: Path) -> None:
    done = run("suite", "convert", "s.yaml", "p.yaml", "--hidden", "h.yaml", "-f", "json")
    counts = {"items": 6, "public": 4, "hidden": 2}
    assert json.loads(done.stdout) == [
        {"category": "Animals", **counts},
        {"category": "all", **counts},
    ]


def test_a_split_is_not_written_over_another_unasked(run: Run, folder: Path) -> None:
    split = ("suite", "convert", "s.yaml", "p.yaml", "--hidden", "h.yaml")
    assert run(*split, "--seed", "1").returncode == 0
    before = [(folder / name).read_bytes() for name in ("p.yaml", "h.yaml")]
    done = run(*split, "--seed", "2")
    assert done.returncode == 2
    assert "p.yaml is there already. Choose another name, or add --force." in done.stderr
    assert [(folder / name).read_bytes() for name in ("p.yaml", "h.yaml")] == before
    (folder / "p.yaml").unlink()
    assert "h.yaml is there already" in run(*split, "--seed", "2").stderr
    assert not (folder / "p.yaml").exists()
    assert run(*split, "--seed", "2", "--force").returncode == 0
    assert [(folder / name).read_bytes() for name in ("p.yaml", "h.yaml")] != before


def test_lines_that_seem_to_have_changed_places_are_written_only_if_asked(run: Run, folder: Path) -> None:
    items = [Item(f"i{n}", "en-pt", "Years", "p", f"It was in 19{n}.") for n in range(10, 19)]
    write_suite(folder / "years.yaml", Suite(items, langpair="en-pt"))
    assert run("suite", "scramble", "years.yaml", "-o", "send").returncode == 0
    sent = (folder / "send" / "source.txt").read_text(encoding="utf-8").splitlines()
    good = [line.replace("It was in", "Foi em") for line in sent]
    (folder / "good.txt").write_text("\n".join(good) + "\n", encoding="utf-8")
    (folder / "moved.txt").write_text("\n".join([*good[1:], good[0]]) + "\n", encoding="utf-8")
    words = (
        "suite",
        "scramble",
        "--restore",
        "send.key.json",
        "-t",
        "good.txt",
        "-t",
        "moved.txt",
        "-o",
        "out",
    )
    done = run(*words)
    assert done.returncode == 2
    assert "moved: only 0 of 9 lines with numbers have them in their output" in done.stderr
    assert "The lines of moved do not seem to be in the order in which they were sent" in done.stderr
    assert not (folder / "out").exists()
    assert run(*words, "--force").returncode == 0
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["good.tsv", "moved.tsv"]
