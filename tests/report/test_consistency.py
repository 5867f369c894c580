"""No text of a page contradicts another: bold, ranks, matrix, p-values, headlines and recommendation."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from tempfile import NamedTemporaryFile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mtassay as mt
from mtassay.app.page.contents import page_of
from mtassay.app.page.page_html import render_markdown, render_page
from mtassay.data.display import Cell, Look, Table
from mtassay.data.method import view_of
from mtassay.data.nouns import Run

WORDS = [
    "old",
    "house",
    "river",
    "bridge",
    "sold",
    "young",
    "couple",
    "north",
    "want",
    "paint",
    "blue",
    "the",
]
LABELS = {"BLEU": "bleu", "chrF2": "chrf", "TER": "ter"}


def run_of(seed: int, shares: list[float], units: int, **more: Any) -> Run:
    """Systems that get this share of words wrong."""
    rng = random.Random(seed)
    references = [" ".join(rng.choices(WORDS, k=rng.randint(4, 14))) for _ in range(units)]
    systems = {
        f"s{n}": [
            " ".join(rng.choice(WORDS) if rng.random() < share else word for word in text.split())
            for text in references
        ]
        for n, share in enumerate(shares)
    }
    how: dict[str, Any] = {"metrics": "bleu,chrf,ter", "trials": 300, "samples": 100, "checks": "none"}
    return mt.score(systems, [references], **how | more).record


def plain(cell: Cell | str) -> str:
    return cell.text if isinstance(cell, Cell) else cell


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def columns(table: Table) -> dict[str, dict[str, Cell]]:
    """By metric, the cell of each system."""
    found: dict[str, dict[str, Cell]] = {}
    for place, name in enumerate(table.header):
        if name in LABELS:
            found[name] = {row[0].text: row[place] for row in table.cells()}
    return found


def ranks(table: Table) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    metric = ""
    for place, name in enumerate(table.header):
        metric = name if name in LABELS else metric
        if name == "#":
            found[metric] = {row[0].text: row[place].text for row in table.cells()}
    return found


def check(run: Run) -> None:
    """All that the page says of who is best, against each other."""
    view = view_of(run)
    tables = view.tables(Look(pairs=True))
    bold = {m: {s for s, cell in own.items() if cell.strong} for m, own in columns(tables[0]).items()}
    first = {m: {s for s, rank in own.items() if rank == "1"} for m, own in ranks(tables[0]).items()}
    boards = {h.board.label: h for h in view.headlines() if h.board}
    for metric, best in bold.items():
        assert best
        assert first[metric] == best
        headline = boards[metric]
        assert headline.board
        assert {s.system for s in headline.board.standings if s.is_best} == best
        text = headline.text
        for system in run.systems:
            if f"May be the best too: {system}" in text or f"{system} has the best" in text:
                assert system in best
        if (also := re.search(r"May be the best too: ([^.]*)\.", text)) is not None:
            assert set(also[1].split(", ")) < best
        if (worse := re.search(r"Not the best: (.*)", text)) is not None:
            assert not best & set(re.findall(r"\bs\d\b", worse[1]))
        if "do not differ significantly" in text or "have the same" in text:
            assert len(best) == 2
        if " is better than " in text:
            assert best == {text.split()[0]}
    (pairs,) = [t for t in tables if t.title == "All pairs"]
    place = {name: pairs.header.index(name) for name in ("metric", "Δ", "p", "detectable")}
    worse_than: dict[str, set[tuple[str, str]]] = {metric: set() for metric in bold}
    for row in pairs.rows:
        a, b = plain(row[0]).split(" − ")
        metric, delta, p, detectable = (plain(row[place[name]]) for name in place)
        if p.endswith("*"):
            is_a_better = delta.startswith("+") != (metric == "TER")
            worse_than[metric].add((b, a) if is_a_better else (a, b))
        elif "–" not in (p, delta, detectable):  # what would show, and does not
            assert abs(number(delta)) <= number(detectable)
    for metric, own in ranks(tables[0]).items():
        for system, rank in own.items():
            assert rank == "–" or int(rank) == 1 + sum(loser == system for loser, _ in worse_than[metric])
    for table in tables:
        if (table.title or "").startswith("Who is significantly better"):
            metric = (table.title or "").split()[-1]
            order = [row[0].text.split()[1] for row in table.cells()]
            unbeaten = {o for o, row in zip(order, table.cells(), strict=True) if Cell("▼") not in row}
            assert (
                unbeaten - {s for s, rank in ranks(tables[0])[metric].items() if rank == "–"} == bold[metric]
            )
            beaten = {
                (a, b)
                for a, row in zip(order, table.cells(), strict=True)
                for b, cell in zip(order, row[1:], strict=True)
                if cell.text == "▼"
            }
            assert beaten == worse_than[metric]
            for i, a in enumerate(table.cells()):
                for j, b in enumerate(table.cells()):
                    assert {"▲": "▼", "▼": "▲"}.get(a[j + 1].text, a[j + 1].text) == b[i + 1].text
    page = page_of([run])
    glance = page.glance()
    assert glance is not None
    for row in glance.rows(glance.systems):
        signs = {name: cell.sign for name, cell in zip(glance.systems, row.cells, strict=True)}
        assert {name for name, sign in signs.items() if sign == "●"} == bold[row.label]
    everywhere = set.intersection(*bold.values())
    told = page.decision
    named = set(re.findall(r"\bs\d\b", told.advice.partition(".")[0]))
    assert everywhere <= named
    if told.system:
        assert named == {told.system}
    elif "disagree" not in told.advice and everywhere:
        assert all(bold[metric] & named for metric in bold)
    for sentence in told.sure:
        for system, by in re.findall(r"\b(s\d) \(([^)]*)\)", sentence) if "worse: " in sentence else ():
            for metric in re.split(", | and ", by):
                assert any(loser == system for loser, _ in worse_than[metric])
        if "finds a significant difference between them" in sentence:
            among = set(re.findall(r"\bs\d\b", told.advice))
            assert not any({*pair} <= among for own in worse_than.values() for pair in own)
        if found := re.search(r"(\d+) of \d+ measures? finds? it significantly better than (s\d)", sentence):
            won = [metric for metric, own in worse_than.items() if (found[2], told.system) in own]
            assert len(won) == int(found[1])
    assert "distinguished" not in render_page(page)
    assert "settled" not in render_markdown(page)


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 999),
    st.lists(st.sampled_from([0.3, 0.33, 0.36, 0.4, 0.5]), min_size=2, max_size=6),
    st.sampled_from([12, 60, 150]),
    st.booleans(),
)
def test_bold_ranks_matrix_headlines_and_recommendation_say_one_thing(
    seed: int, shares: list[float], units: int, by_document: bool
) -> None:
    with NamedTemporaryFile("w", suffix=".txt") as documents:
        documents.writelines(f"d{n // 4}\n" for n in range(units))
        documents.flush()
        check(run_of(seed, shares, units, **{"documents": documents.name} if by_document else {}))


@pytest.mark.parametrize("test", ["bootstrap", "sacrebleu-randomization"])
def test_so_they_do_with_the_tests_of_sacrebleu(test: str) -> None:
    for seed in range(2):
        check(run_of(seed, [0.3, 0.33, 0.36, 0.5], 100, test=test))


def test_clusters_of_wmt_have_their_own_name() -> None:
    run = run_of(3, [0.3, 0.32, 0.34, 0.36, 0.38], 150, ranks="wmt-clusters")
    (note,) = [note for note in view_of(run).tables()[0].notes if "#:" in note]
    assert note.endswith("#: clusters as at WMT (p < 0.05).")
    same = replace(run, parameters={**run.parameters, "ranks": "best"})
    assert columns(view_of(run).tables()[0]) == columns(view_of(same).tables()[0])


def test_three_segments_have_a_sentence_and_no_p_value() -> None:
    run = run_of(1, [0.1, 0.9], 3)
    assert all(comparison.p is None for comparison in run.result.comparisons)
    assert "3 segments can never show a significant difference; use at least 30." in run.result.notes
