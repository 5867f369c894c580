"""`mtassay review next` on a real terminal: one key an answer, nothing lost, nothing dangerous shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.app import campaign_work
from mtassay.data.nouns import Review
from mtassay.runtime.workspace import Workspace
from tests.cli.reviewing import save_run
from tests.cli.terminal import Terminal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_run(tmp_path)
    return tmp_path


def review(folder: Path, *words: object, reviewer: str = "anna") -> Terminal:
    return Terminal(folder, "review", "next", "--order", "systems", *words, "--reviewer", reviewer)


def kept(folder: Path) -> list[Review]:
    return Workspace(folder / ".mtassay" / "workspace.db").reviews()


def answers(folder: Path) -> list[tuple[str, str]]:
    return [(entry.answer, entry.note) for entry in kept(folder)]


def test_each_output_is_shown_with_all_that_is_needed_and_answered_with_one_key(folder: Path) -> None:
    with review(folder) as terminal:
        first = terminal.wait_for("b back")
        assert "3 open for anna: 2 undecided, 1 conflict." in first
        assert "── 1 of 3 ─" in first
        assert "Negation · Negative concord · undecided · 2 systems · negation-1" in first
        assert "context    They all sat there." in first
        assert "source     [[Nobody]] said [[anything]]." in first
        assert "reference  Ninguém disse nada." in first
        assert "note       concord is obligatory" in first
        assert "output     Ninguém falou." in first
        terminal.press("i")
        second = terminal.wait_for("b back")
        assert "── 2 of 3 ─" in second
        assert "output     [[Ninguém disse nada]], ele [[disse algo]]." in second
        assert "'Ninguém disse nada' is right (positive regex: Ninguém disse nada)" in second
        assert "'disse algo' is wrong (negative regex: disse algo)" in second
        terminal.press("U")
        third = terminal.wait_for("b back")
        assert "settled    correct: Ele correu." in third
        assert "'correu' is right (positive regex: correu)" in third
        terminal.press("c")
        assert terminal.finish() == 0
        assert "3 answered (1 incorrect, 1 unsure, 1 correct), 0 left." in terminal.seen
        assert "alpha" not in terminal.seen
    assert answers(folder) == [("incorrect", ""), ("unsure", ""), ("correct", "")]
    with review(folder) as terminal:
        assert terminal.finish() == 0
        assert "Nothing is open for anna" in terminal.seen


def test_hostile_output_is_shown_escaped_and_short(folder: Path) -> None:
    with review(folder, "--show-systems") as terminal:
        terminal.press("s")
        terminal.press("s")
        shown = terminal.wait_for("b back")
        assert "1 system: beta" in shown
        assert r"Ele \x1b[2Jcorria \u202eriarroc muito" in shown
        assert "characters)…" in shown
        assert len(shown) < 4000
        terminal.press("q")
        assert terminal.finish() == 0
        assert "\u202e" not in terminal.seen
        assert "\x1b[2J" not in terminal.seen
        assert max(map(len, terminal.seen.splitlines())) <= 80
    assert kept(folder) == []


def test_going_back_changes_an_answer_and_keeps_the_first_one_too(folder: Path) -> None:
    with review(folder) as terminal:
        terminal.press("b")
        terminal.wait_for("This is the first one.")
        terminal.press("c")
        terminal.press("b")
        assert "you said   correct" in terminal.wait_for("b back")
        terminal.press("n")
        terminal.wait_for("note (goes with your answer): ")
        terminal.type("não é bem assim\n")
        terminal.press("i")
        assert "── 2 of 3 ─" in terminal.wait_for("b back")
        terminal.press("q")
        assert terminal.finish() == 0
        assert "1 answered (1 incorrect), 2 left." in terminal.seen
    assert answers(folder) == [("correct", ""), ("incorrect", "não é bem assim")]


def test_every_answer_is_kept_before_the_next_output_is_shown(folder: Path) -> None:
    with review(folder) as terminal:
        terminal.press("c")
        terminal.wait_for("── 2 of 3 ─")
        terminal.kill()
    assert answers(folder) == [("correct", "")]
    with review(folder) as terminal:
        assert "2 open for anna" in terminal.wait_for("── 1 of 2 ─")


def test_ctrl_c_stops_and_loses_nothing(folder: Path) -> None:
    with review(folder) as terminal:
        terminal.press("c")
        terminal.press("\x03")
        assert terminal.finish() == 0
        assert "1 answered (1 correct), 2 left." in terminal.seen
    assert answers(folder) == [("correct", "")]


def test_other_keys_arrows_and_pastes_answer_nothing_by_accident(folder: Path) -> None:
    with review(folder) as terminal:
        for keys in ("x", "\x1b[C", "é"):
            terminal.press(keys)
        terminal.press("ccc")  # of a paste only the first key counts
        terminal.wait_for("── 2 of 3 ─")
        terminal.press("\x04")
        assert terminal.finish() == 0
    assert answers(folder) == [("correct", "")]


def test_a_note_without_an_answer_is_not_lost_silently(folder: Path) -> None:
    with review(folder) as terminal:
        terminal.press("n")
        terminal.wait_for("answer): ")
        terminal.type("hm\n")
        terminal.press("q")
        assert terminal.finish() == 0
        assert "Not kept, because an answer is missing: the note 'hm'." in terminal.seen


def test_two_reviewers_at_once_are_not_asked_the_same_question_twice(folder: Path) -> None:
    with review(folder) as anna, review(folder, reviewer="ben") as ben:
        ben.wait_for("── 1 of 3 ─")
        anna.press("s")
        anna.press("c")
        anna.wait_for("── 3 of 3 ─")
        ben.press("c")
        assert "── 3 of 3 ─" in ben.wait_for("tense-1"), "anna has settled the second"
        ben.press("q")
        anna.press("q")
        assert (anna.finish(), ben.finish()) == (0, 0)
    assert [entry.reviewer for entry in kept(folder)] == ["anna", "ben"]


def test_a_list_can_be_had_on_a_terminal_too(folder: Path) -> None:
    with review(folder, "--list") as terminal:
        assert terminal.finish() == 0
        assert "3 open. Settle one: mtassay review decide" in terminal.seen


def test_marks_are_coloured_where_colours_are_wanted(folder: Path) -> None:
    with Terminal(folder, "review", "next", "--order", "systems", color=True) as terminal:
        assert "\x1b[1;36mNobody\x1b[0m said" in terminal.wait_for("b back")


def test_a_second_opinion_is_not_swayed_by_what_others_decided(folder: Path) -> None:
    with review(folder) as terminal:
        terminal.press("i")
        assert "settled    incorrect (by reviewers): Ninguém falou." in terminal.wait_for("b back")
        terminal.press("q")
        terminal.finish()
    with review(folder, "--double", reviewer="ben") as terminal:
        assert "output     Ninguém falou." in terminal.wait_for("b back")
        terminal.press("s")
        second = terminal.wait_for("b back")
        assert "── 2 of 3 ─" in second
        assert "settled" not in second


def test_a_campaign_is_answered_with_one_key_each_and_others_are_shown_in_the_end(folder: Path) -> None:
    path = folder / ".mtassay" / "workspace.db"
    campaign_work.create("spring", reviewers="anna,ben", adjudicators="dora", overlap=1, workspace=path)
    while card := campaign_work.cards("spring", "ben", workspace=path).next():
        campaign_work.cards("spring", "ben", workspace=path).answer(card.subject.id, "incorrect", note="so")
    with Terminal(folder, "review", "next", "--campaign", "spring", "--reviewer", "anna") as terminal:
        assert "── 1 of 3 ─" in terminal.wait_for("b back")
        terminal.press("c")
        second = terminal.wait_for("b back")
        assert "others   reviewer 1: incorrect (so)" in second
        assert "── 2 of 3 ─" in second
        terminal.press("b")
        assert "you said   correct" in terminal.wait_for("b back")
        terminal.press("i")
        terminal.wait_for("b back")
        terminal.press("c")
        terminal.wait_for("b back")
        terminal.press("c")
        assert terminal.finish() == 0
        assert "3 answered (1 incorrect, 2 correct), 0 left." in terminal.seen
    words = ("review", "next", "--campaign", "spring", "--adjudicate", "--reviewer", "dora")
    with Terminal(folder, *words) as terminal:
        assert "reviewer 2: correct" in terminal.wait_for("b back")
        terminal.press("i")
        terminal.wait_for("b back")
        terminal.press("q")
        assert terminal.finish() == 0
    assert [review.answer for review in kept(folder) if review.is_adjudication] == ["incorrect"]
