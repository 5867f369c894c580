"""The examples of docs/formats.md are files that we read as the page says."""

from __future__ import annotations

import json
import re

import pytest

from mtassay.data.formats.test_sets import read_ratings, read_test_set
from mtassay.data.languages import parse_language, parse_pair
from mtassay.data.nouns import Cluster, Comparison, Result, Score, Segment
from tests.conftest import PROJECT
from tests.formats.conftest import Write

PAGE = (PROJECT / "docs" / "formats.md").read_text("utf-8")


def blocks(heading: str) -> list[str]:
    """The code blocks of a section."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```(?:json)?\n(.*?)```", section, re.DOTALL)


@pytest.mark.parametrize(
    ("heading", "name", "pair", "segment", "outputs"),
    [
        (
            "TSV",
            "a.tsv",
            "en-de",
            Segment("a1", "The soup is hot.", ("Die Suppe ist heiß.", None), "menu", {"domain": "food"}),
            {"old": "Suppe heiß ist.", "new": "Die Suppe ist heiß."},
        ),
        (
            "JSON Lines",
            "a.jsonl",
            "en-de",
            Segment("a1", "The soup is hot.", ("Die Suppe ist heiß.", None), "menu", {"domain": "food"}),
            {"output": "Suppe heiß ist."},
        ),
        (
            "WMT XML",
            "a.xml",
            "en-de",
            Segment(
                "menu:1",
                "Enjoy!",
                ("Guten Appetit!",),
                "menu",
                {"domain": "food", "origlang": "en", "collection": "general"},
            ),
            {"old": "Genieße!"},
        ),
        (
            "SGML",
            "a.sgm",
            "en-de",
            Segment("menu:1", "Salt & pepper", (), "menu", {"origlang": "en", "genre": "food"}),
            {},
        ),
        ("TMX", "a.tmx", "en-pt", Segment("greeting", "Hello <b>you</b>!", ("Oi!",)), {}),
        ("XLIFF", "a.xlf", "en-de", Segment("menu.html:7", "Press OK", ("Drücken Sie OK",), "menu.html"), {}),
    ],
)
def test_an_example_is_read_as_the_page_says(
    write: Write, heading: str, name: str, pair: str, segment: Segment, outputs: dict[str, str]
) -> None:
    test_set = read_test_set(write(name, blocks(heading)[0]), pair=parse_pair(pair))
    assert test_set.segments[0] == segment
    assert {system: texts[0] for system, texts in test_set.outputs.items()} == outputs


def test_the_ratings_of_the_page_are_read(write: Write) -> None:
    ratings = read_ratings(write("a.seg.rating", blocks("mt-metrics-eval folders")[0]), units=3)
    assert [None if errors is None else len(errors) for errors in ratings["old"]] == [1, 0, None]


def test_the_result_of_the_page_has_our_keys() -> None:
    example = json.loads(blocks("Results")[0])
    result = Result(
        scores=[Score("bleu", "new", "all", 1.0, 1)],
        comparisons=[Comparison("bleu", "all", "new", "old", 1.0, 0.5)],
        clusters=[Cluster("bleu", "all", 1, ("new",))],
    ).as_dict()
    assert example.keys() == result.keys()
    for part in ("scores", "comparisons", "clusters"):
        assert example[part][0].keys() == result[part][0].keys()


def test_the_spellings_of_the_page_come_to_its_tags() -> None:
    section = PAGE.split("\n## Languages\n")[1].split("\n## ")[0]
    rows = [[re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[1:4]] for line in section.split("\n")]
    tables = [row for row in rows if len(row) == 3 and all(row)]
    assert len(tables) == 4
    for spellings, codes, tags in tables:
        for spelling in spellings:
            language = parse_language(spelling)
            assert (str(language), language.tag) == (codes[0], tags[0])
    pairs = re.findall(r"`([^`]+)`", section.split("Pairs: ")[1].split(". ")[0])
    assert {str(parse_pair(pair)) for pair in pairs} == {"en-de", "en-pt"}


def test_every_link_of_the_page_leads_somewhere() -> None:
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    anchors = {heading.lower().replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= anchors
