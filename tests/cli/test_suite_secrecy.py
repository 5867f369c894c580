"""`mtassay suite scramble`, `unscramble` and `split` as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mtassay.formats.suite import Item, Rule, Suite, read_suite, write_suite
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
    assert "1 lines of d.txt left out: they are empty" in done.stderr
    assert "1 lines of d.txt left out: they are items of the suite" in done.stderr
    assert [path.name for path in (folder / "send").iterdir()] == ["source.txt"]
    returned = answer(folder)
    (folder / "r.txt").write_text("\r\n".join(returned) + "\r\n", encoding="utf-8")
    done = run(
        "suite", "unscramble", "send.key.json", "-t", "nmt=r.txt", "-o", "out", "--distractors", "other",
        "--suite", "s.yaml", "-s", "send/source.txt",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [
        line.split("\t") for line in (folder / "out" / "nmt.tsv").read_text(encoding="utf-8").splitlines()
    ]
    assert rows[0] == ["id", "output"]
    assert [row[0] for row in rows[1:]] == [f"i{place}" for place in range(6)]
    assert [row[1].split(" ", 1)[1] for row in rows[1:]] == [f"The {word}." for word in WORDS]
    assert len({row[1] for row in rows[1:]}) == 6
    others = (folder / "other" / "nmt.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[0] for line in others] == ["line", "1", "4", "5"]


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
    done = run("suite", "unscramble", "send.key.json", "-t", "short.txt", "-o", "out")
    assert (done.returncode, "short.txt: 5 lines, but 6 were sent" in done.stderr) == (2, True)
    done = run("suite", "unscramble", "send.key.json", "-t", "latin.txt", "-o", "out")
    assert (done.returncode, "latin.txt line 1: byte 0xE9" in done.stderr) == (2, True)
    done = run("suite", "unscramble", "send.key.json", "-t", "odd.txt", "-o", "out", "-s", "moved.txt")
    assert (done.returncode, "this is not what was sent" in done.stderr) == (2, True)
    assert not (folder / "out").exists()
    done = run("suite", "unscramble", "send.key.json", "-t", "odd.txt", "-o", "out")
    assert done.returncode == 0
    assert "odd: 1 empty lines, the first line 1" in done.stderr
    assert "odd: 4 of 6 lines are their source, untranslated" in done.stderr
    assert "odd: 1 outputs have tabs, which become spaces in out/odd.tsv" in done.stderr


def test_a_suite_that_changed_since_is_seen(run: Run, folder: Path) -> None:
    run("suite", "scramble", "s.yaml", "-o", "send")
    (folder / "r.txt").write_text("\n".join(answer(folder)) + "\n", encoding="utf-8")
    text = (folder / "s.yaml").read_text(encoding="utf-8").replace("The dog.", "A dog.")
    (folder / "s.yaml").write_text(text, encoding="utf-8")
    done = run("suite", "unscramble", "send.key.json", "-t", "r.txt", "-o", "out", "--suite", "s.yaml")
    assert done.returncode == 2
    assert "s.yaml: 1 items are not what was sent any more, the first 'i1'" in done.stderr


def test_distractors_do_not_go_among_the_outputs(run: Run, folder: Path) -> None:
    run("suite", "scramble", "s.yaml", "-o", "send")
    done = run("suite", "unscramble", "send.key.json", "-t", "x=s.yaml", "-o", "out", "--distractors", "out")
    assert (done.returncode, "a folder of their own" in done.stderr) == (2, True)


def test_a_split_shows_nothing_of_what_is_held_back(run: Run, folder: Path) -> None:
    done = run("suite", "split", "s.yaml", "-o", "p.yaml", "--hidden", "h.yaml", "--seed", "1")
    assert done.returncode == 0, done.stderr
    public, hidden = read_suite(folder / "p.yaml"), read_suite(folder / "h.yaml")
    assert (len(public.items), len(hidden.items)) == (4, 2)  # of 3 items each, 1.5 is rounded down
    text = (folder / "p.yaml").read_text(encoding="utf-8")
    for item in hidden.items:
        assert not item.public
        assert item.id not in text
        assert f"macro{item.id[1:]}" not in text
    assert "Animals       6       4       2" in done.stdout
    done = run("suite", "split", "s.yaml", "-o", "s.yaml", "--hidden", "h.yaml")
    assert (done.returncode, "must be three files" in done.stderr) == (2, True)
    done = run("suite", "split", "s.yaml", "-o", "p.yaml", "--hidden", "h.yaml", "--hold-back", "1")
    assert (done.returncode, "between 0 and 1" in done.stderr) == (2, True)
