"""Themes in every format: the numbers are there, and whatever an output holds is text and bounded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import mtassay as mt
from mtassay.app.cli.main import build_app
from mtassay.app.reports import find_themes
from mtassay.changes.theme_tables import numbers, render_themes, theme_blocks
from mtassay.changes.themes import Themes
from mtassay.data.nouns import Finding, Output, Result, Run, Segment
from mtassay.runtime.workspace import Workspace
from tests.themes.test_themes import run_of, texts

FORMS = ("text", "json", "tsv", "md", "latex")
HOSTILE = "<script>alert(1)</script> ]]> \u202eevil \x1b[31mred\x1b[0m =cmd() | `x` \\end{document}"


def planted(system: str = "nmt", *, word: str = "seato", more: str = "") -> Run:
    """Sixty sentences, of which the twenty with a bad word fail."""
    pairs = [(s, f"{o} {word if n < 20 else ''} {more}") for n, (s, o) in enumerate(texts(60, 1))]
    return run_of(pairs, range(20), name=system)


@pytest.mark.parametrize("form", FORMS)
def test_every_format_has_the_sentence_and_its_numbers(form: str) -> None:
    shown = find_themes(planted()).render(form)  # type: ignore[arg-type]
    assert "in the output: 20 of 20 failures, 0 of 40 other outputs" in " ".join(shown.split())


def test_the_json_of_themes_is_for_programs() -> None:
    record = json.loads(find_themes(planted()).render("json"))
    theme = record["themes"][0]
    assert (theme["failures"], theme["of"], theme["passes"], theme["passing"]) == (20, 20, 0, 40)
    assert theme["interval"][0] < theme["odds"] < theme["interval"][1]
    assert record["systems"] == [
        {
            "system": "nmt",
            "failures": 20,
            "passing": 40,
            "left_out": {},
            "features": record["systems"][0]["features"],
            "failures_called": "failures",
        }
    ]


def test_a_system_without_a_theme_is_said_to_have_none() -> None:
    shown = find_themes(run_of(texts(60, 1), range(0, 60, 4))).render()
    assert "nmt: 15 of 60 outputs failed" in shown
    assert "No theme." in " ".join(shown.split())


@pytest.mark.parametrize("form", FORMS)
def test_hostile_texts_are_text_in_every_format(form: str) -> None:
    run = planted(f"nmt {HOSTILE}", more=HOSTILE)
    segments = [replace_source(s, f"{s.source} {HOSTILE}") for s in run.segments]
    found = find_themes(replace(run, segments=segments))
    shown = found.render(form)  # type: ignore[arg-type]
    assert found
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    if form == "md":
        assert "<script>" not in shown
    if form == "tsv":
        assert not [cell for line in shown.splitlines() for cell in line.split("\t") if cell.startswith("=")]
    if form == "latex":
        lines = [line for line in shown.splitlines() if not line.startswith("%")]
        assert "\\end{document}" not in "\n".join(lines)


def replace_source(segment: Segment, source: str) -> Segment:
    return segment._replace(source=source)


def test_hostile_texts_are_text_in_a_notebook() -> None:
    shown = find_themes(planted(HOSTILE, more=HOSTILE))._repr_html_()
    assert "<script>" not in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize("form", FORMS)
def test_a_line_of_a_megabyte_is_bounded(form: str) -> None:
    shown = find_themes(planted(more="x" * 1_000_000)).render(form)  # type: ignore[arg-type]
    assert "20 of 20 failures" in shown
    assert len(shown) < 40_000


@pytest.mark.parametrize("form", ["text", "md", "latex"])
def test_two_thousand_systems_are_bounded(form: str) -> None:
    names = [f"system-{n}" for n in range(2_000)]
    run = Run(
        "1", "labels", {}, names, "", {}, Result(),
        [Finding("1", name, "x", "fail") for name in names],
        [Segment("1", "A source.")],
        {name: [Output("1", "An output.")] for name in names},
    )  # fmt: skip
    shown = render_themes(find_themes(run), form)  # type: ignore[arg-type]
    assert "1,980 more systems" in shown
    assert len(shown) < 10_000


def test_the_command_reads_saved_runs(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    Workspace(path).save_run(
        replace(planted(), id="20260101-000000-aaaa", started="2026-01-01T00:00:00+00:00")
    )
    done = CliRunner().invoke(
        build_app(["themes"]), ["themes", "last", "--workspace", str(path), "--examples", "1"]
    )
    assert done.exit_code == 0, done.output
    assert "'seato' in the output: 20 of 20 failures" in " ".join(done.output.split())
    assert "[[seato]]" in done.output
    assert max(map(len, done.output.splitlines())) <= 80


def test_a_score_without_a_judge_takes_its_lowest_tenth_for_failures() -> None:
    references = [output for _, output in texts(100, 2)]
    outputs = [f"zzz {text[:9]}" if n % 10 == 0 else text for n, text in enumerate(references)]
    sources = [source for source, _ in texts(100, 2)]
    run = mt.score({"a": outputs}, [references], sources, metrics="chrf", samples=100, checks="empty")
    found = mt.find_themes(run)
    assert (found.examined[0].failures, found.examined[0].passing) == (10, 90)
    assert found.failure == [
        "score: an output that a check flags, or in the lowest tenth by chrF2 of its outputs"
    ]
    assert found[0].sentence.startswith("an output much shorter than usual: 9 of 10")
    # Any word that the reference does not have lowers the score: that is no cause.
    assert not any("zzz" in theme.sentence for theme in found)


def test_themes_stand_in_the_report_of_every_form_unless_left_out(tmp_path: Path) -> None:
    told = "nmt: 'seato' in the output: 20 of 20 failures, 0 of 40 other outputs"
    page = mt.write_report(planted(), tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count(told.replace("'", "&#39;")) == 1  # with its examples
    assert page.index('id="themes"') < page.index("<mark>seato</mark>")
    assert "100 % [84–100] of the failures, 0 % of the other outputs" in page.replace("\u00a0", " ")
    assert page.count("Each failed output of any method or run counts once") == 1
    short = mt.write_report(planted(), tmp_path / "page.md").read_text(encoding="utf-8")
    assert told in short
    assert short.count("**seato**") == 1  # one example of it
    without = mt.write_report(planted(), tmp_path / "without.html", themes=False)
    assert "seato&#39; in the output" not in without.read_text(encoding="utf-8")


def test_the_first_themes_of_all_systems_stand_before_the_second_ones() -> None:
    found = find_themes([planted("a"), planted("b", word="kiruta")])
    second = [replace(theme, sentence="something else") for theme in found.of("a")]
    twice = Themes([*found.of("a"), *second, *found.of("b")], found.examined, found.failure)
    titles = [block.title.partition(":")[0] for block in theme_blocks(twice)]
    assert titles == ["a", "b", "a", ""]


def test_what_several_systems_have_in_common_is_told_once_with_the_numbers_of_each() -> None:
    found = find_themes([planted("nmt"), planted("b")])
    (theme,) = found.of("nmt")
    other = replace(theme, system="b", sentence=theme.sentence.replace("20 of 20", "9 of 20"), failures=9)
    block, _ = theme_blocks(Themes([theme, other], found.examined, found.failure))
    assert block.title == f"2 systems: {theme.cause}"
    assert [line.text.partition(" [")[0] for line in block.lines[:2]] == [
        "nmt: 20 of 20 failures, 100 %",
        "b: 9 of 20 failures, 45 %",
    ]
    assert [line.text.partition(" · ")[0] for line in block.lines if line.label == "case"] == ["nmt", "b"]


def test_the_p_of_a_theme_has_its_sign() -> None:
    theme = find_themes(planted())[0]
    assert numbers(replace(theme, p=0.003)).endswith("; p = 0.003")
    assert numbers(replace(theme, p=0.0001)).endswith("; p < 0.001")


def test_an_example_shows_a_right_output_of_another_system_where_a_run_calls_it_right() -> None:
    """The suite calls its passes correct; a pass of an unknown method claims nothing."""
    bad, good = planted("nmt"), planted("other", word="banko")
    passing = replace(good, findings=[replace(f, verdict="pass") for f in good.findings])
    evidence = {"status": "correct"}
    claiming = replace(
        passing, method="suite", findings=[replace(f, evidence=evidence) for f in passing.findings]
    )
    for run, shown in ((passing, False), (claiming, True)):
        (theme,) = find_themes([bad, run]).of("nmt")
        right = [line.text for block in theme.examples for line in block.lines if line.label == "passes"]
        assert bool(right) == shown
        assert all(text.startswith("other: ") and "banko" in text for text in right)


@pytest.mark.parametrize("output", ["the same", "another"])
def test_an_output_is_not_shown_as_passing_where_it_is_undecided_for_another_item(output: str) -> None:
    """Each source is in two items: the other system passes the one, and the other is undecided."""
    bad, good = planted("nmt"), planted("other", word="banko")
    again = [segment._replace(id=f"{segment.id}b") for segment in good.segments]
    first = good.outputs["other"]
    second = [o._replace(id=f"{o.id}b", text=o.text if output == "the same" else "?") for o in first]
    settled = [replace(f, verdict="pass", evidence={"status": "correct"}) for f in good.findings]
    open_ones = [replace(f, case_id=f"{f.case_id}b", verdict="undecided", evidence={}) for f in settled]
    run = replace(
        good,
        method="suite",
        findings=[*settled, *open_ones],
        segments=[*good.segments, *again],
        outputs={"other": [*first, *second]},
    )
    (theme,) = find_themes([bad, run]).of("nmt")
    assert not [line for block in theme.examples for line in block.lines if line.label == "passes"]


def test_a_negation_that_nobody_asked_for_is_marked_in_the_examples() -> None:
    """Two thirds of the failures say não and the others nunca, so that no one word is the cause."""
    words = {0: "nunca", 3: "não", 6: "não"}
    pairs = [(s, f"{o} {words.get(n % 9, '')}") for n, (s, o) in enumerate(texts(90, 1))]
    run = replace(run_of(pairs, range(0, 90, 3)), parameters={"pair": "en-pt"})
    theme = find_themes(run)[0]
    assert theme.failures > 20  # more than say não: some sources have a negation, the others none
    assert theme.sentence.startswith("'não' in the output")
    output = next(line for line in theme.examples[0].lines if line.label == "output")
    assert [output.text[a:b] for a, b in output.marks] == ["não"]
