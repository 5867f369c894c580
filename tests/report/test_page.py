"""The report as a page and as Markdown: what it says, what a cell leads to, that nothing breaks out."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import mtassay
from mtassay.app import reports
from mtassay.app.page.charts import drawing, figure_table, shade
from mtassay.app.page.contents import Page, Proof, changes_part, page_of
from mtassay.app.page.decision import DecidedRun, Recommendation, decide
from mtassay.app.page.page_html import LONGEST, render_markdown, render_page
from mtassay.app.page.sentences import CaseSelection, PageCases
from mtassay.data.display import (
    AnswerView,
    Block,
    CaseView,
    Figure,
    Headline,
    Leaderboard,
    Line,
    Point,
    Series,
    Standing,
    Table,
)
from mtassay.data.method import view_of
from mtassay.data.nouns import Comparison, Finding, Output, Result, Review, Run, Score, Segment
from mtassay.data.subjects import subjects_in
from mtassay.runtime.workspace import Workspace

ITEMS = ("false-friends-nouns-1", "false-friends-nouns-2")
HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "]]><!--",
    "{{ 7 * 7 }}",
    "a\u202eb\u2066c",
    "\x1b[31mred\x07",
    "[x](javascript:alert(1)) | y",
    "'><b onclick=1>",
)


class Elements(HTMLParser):
    """Counts the elements of a page, and keeps its text and its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def toy_run(systems: list[str], texts: list[str], **more: Any) -> Run:
    """A run of a method that is not installed: one detector, to which all outputs of the first fail."""
    segments = [Segment(str(n), text, (text,)) for n, text in enumerate(texts)]
    findings = [
        Finding(s.id, system, "lengths", "fail" if system == systems[0] else "pass", 0.5, {"why": s.source})
        for system in systems
        for s in segments
    ]
    scores = [Score("short", system, "all", 50.0, len(texts), 20.0, 80.0) for system in systems]
    outputs = {system: [Output(s.id, s.source) for s in segments] for system in systems}
    return Run("1", "toy", {}, systems, "2026-01-01", {}, Result(scores, **more), findings, segments, outputs)


def unpacked(page: str, key: str = "r0") -> Any:
    """The sentences in a page, as its script reads them."""
    packed = re.search(rf'id="data-{key}">([^<]*)<', page)
    assert packed
    return json.loads(gzip.decompress(base64.b64decode(packed[1])))


@pytest.fixture(scope="module")
def suite_run() -> Run:
    """Two items of one category: a system with one right and one wrong, and one with both wrong."""
    outputs = {
        "half": ["Ambos os pais são médicos.", "Ela devolveu o livro à livraria."],
        "none": ["Ambos os parentes são médicos.", "Ela devolveu o livro à livraria."],
    }
    return mtassay.suite("en-pt", outputs, item=list(ITEMS)).record


# What it says ----------------------------------------------------------------------------------------------


def test_a_run_of_a_stranger_is_told_with_its_scores_failures_and_sentences() -> None:
    page = render_page(page_of([toy_run(["nmt"], ["One two.", "Three four."])]))
    assert "short: nmt 50 [20–80], n = 2." in re.sub(r"</?b>", "", page).replace("\u00a0", " ")
    assert "nmt fails 2 of 2 by lengths." in page
    record = unpacked(page)
    assert record["systems"] == ["nmt"]
    assert [case[0] for case in record["cases"]] == ["0", "1"]
    assert record["labels"][:2] == ["source", "reference"]
    assert record["cases"][0][1][0] == [0, "One two."]


def test_headlines_carry_the_difference_its_interval_p_and_n(suite_run: Run) -> None:
    told = [h.text for h in mtassay.Run(suite_run).headlines()]
    better = next(text for text in told if "share of correct items" in text)
    assert "50.0 % against 0.0 %, +50.0 points [" in better
    assert "n = 2 items" in better
    assert "none is worst at False friends: 0.0 % correct [0.0–65.8], n = 2." in " ".join(told)


def test_the_weakest_group_is_the_one_whose_interval_ends_first() -> None:
    from mtassay.methods.headlines import weakest

    scores = [
        Score("rate", "nmt", "one case", 0.0, 1, 0.0, 79.3),
        Score("rate", "nmt", "many cases", 20.0, 100, 13.3, 28.9),
        Score("rate", "nmt", "good", 95.0, 100, 88.8, 97.8),
        Score("rate", "other", "good", 100.0, 100, 96.3, 100.0),
    ]
    (headline,) = weakest(scores, lambda score, value, how: f"{score.group} {value} {how}")
    assert (headline.text, headline.system) == ("many cases 20.0 [13.3–28.9], n = 100", "nmt")


def test_many_systems_are_told_apart_from_the_best_by_what_was_tested() -> None:
    from mtassay.methods.headlines import Contest

    names = ["a", "b", "c"]
    scores = [
        Score("bleu", n, "all", v, 9, v - 1, v + 1) for n, v in zip(names, (30.0, 29.0, 20.0), strict=True)
    ]
    compared = [
        Comparison("bleu", "all", "a", "b", 1.0, 0.4),
        Comparison("bleu", "all", "a", "c", 10.0, 0.0001),
    ]
    run = Run("1", "toy", {}, names, "", {}, Result(scores, compared))
    (headline,) = Contest(run, "bleu", "all", "BLEU", "segment").headlines()
    assert headline.text == (
        "a has the best BLEU of 3: 30.0 [29.0–31.0], n = 9 segments. May be the best too: b. "
        "Not the best: c −10.0."
    )


def decided(wins: dict[str, list[str]], **how: Any) -> Recommendation:
    """What follows from measures of a, b and c; "a>b" says who is significantly better."""
    names, units = ["a", "b", "c"], how.pop("units", 90)
    headlines = []
    for label, pairs in wins.items():
        lost = {text[2] for text in pairs}
        compared = [
            Comparison(
                label,
                "all",
                x,
                y,
                1.0,
                0.5,
                more=90,
                better=x if f"{x}>{y}" in pairs else y if f"{y}>{x}" in pairs else "",
            )
            for x, y in (("a", "b"), ("a", "c"), ("b", "c"))
        ]
        standings = [Standing(n, "5", units, n not in lost, 5.0) for n in names]
        headlines.append(Headline(label, board=Leaderboard(label, "item", standings, True, compared)))
    return decide(
        [DecidedRun("toy", how.pop("run", None) or toy_run(names, ["One.", "Two."]), headlines)], **how
    )


@pytest.mark.parametrize(
    ("wins", "advice"),
    [
        ({"x": ["a>b", "a>c"], "y": []}, "Ship a."),
        ({"x": ["a>b", "a>c"], "y": ["c>b"]}, "Ship a."),
        ({"x": ["a>c"], "y": ["b>c"]}, "The data cannot decide between a and b."),
        (
            {"x": ["a>b", "a>c"], "y": ["b>a", "b>c"]},
            "The measures disagree about a and b, so the data cannot decide.",
        ),
        ({"x": [], "y": []}, "The data cannot decide between a, b and c."),
    ],
)
def test_the_advice_is_the_system_that_no_other_beats(wins: dict[str, list[str]], advice: str) -> None:
    assert decided(wins).advice == advice


def test_how_sure_is_told_by_measures_and_people() -> None:
    told = decided({"x": ["a>b", "a>c"], "y": ["a>c"]})
    assert told.sure[0] == (
        "Fairly sure: 1 of 2 measures finds it significantly better than b, the next best (x); "
        "none finds it worse."
    )
    assert "No ratings of these outputs by people are known." in told.sure


def test_one_measure_of_many_is_weak_evidence() -> None:
    told = decided({"x": ["a>b", "a>c"], **{name: [] for name in "wyz"}})
    assert told.advice == "Ship a, but the evidence is weak."
    assert told.sure[0].startswith("Not sure: 1 of 4 measures finds it significantly better than b")


def test_few_segments_are_weak_evidence() -> None:
    told = decided({"x": ["a>b", "a>c"]}, units=29)
    assert told.advice == "Ship a, but the evidence is weak."
    assert told.sure[:2] == [
        "Not sure: 1 of 1 measure finds it significantly better than b, the next best; none finds it worse.",
        "With fewer than 30 sentences or cases, intervals and p-values say little.",
    ]


def test_who_is_left_out_is_told_with_the_measures_that_say_so() -> None:
    told = decided({"x": ["a>c", "b>c"], "y": ["a>c"]})
    assert told.advice == "The data cannot decide between a and b."
    assert told.others == ["Significantly worse than another system, and better by no measure: c (x and y)."]


def test_what_is_ahead_without_all_answers_holds_the_advice_back() -> None:
    """What a system did not answer may be good or bad, so the next one is not recommended in its place."""
    references = [f"The {n} small dogs of the house saw {n} cats." for n in range(40)]
    good: list[str | None] = [None, *references[1:]]
    poor = [text.replace("small dogs", "old cows") for text in references]
    told = page_of(
        [mtassay.score({"good": good, "poor": poor}, [references], metrics="bleu").record]
    ).decision
    assert told.system == ""
    assert told.advice == "No advice yet: good left texts unanswered, with the best scores."
    assert told.sure[0] == "Texts left without an answer: good 1."
    assert told.next_step.startswith("have good answer all texts")
    behind = mtassay.score({"good": references, "poor": [None, *poor[1:]]}, [references], metrics="bleu")
    assert page_of([behind.record]).decision.advice == "Ship good."


def test_what_would_decide_is_told_with_a_command() -> None:
    told = decided({"x": [], "y": []})
    assert told.system == ""
    assert "about 90 more items would show it" in told.next_step
    assert told.command.startswith(
        "mtassay review campaign create choice 1 --question da --system a --system b"
    )


def test_priorities_change_the_choice_and_say_so() -> None:
    wins = {"x": ["a>b", "a>c"]}
    prices = {"a": 20.0, "b": 1.0, "c": 5.0}
    assert decided(wins, prices=prices).priorities.endswith("With cost first, the advice would be b.")
    by_cost = decided(wins, prices=prices, priorities=["cost", "quality"])
    assert by_cost.advice == "Ship b."
    assert by_cost.sure[0] == "Sure: it is cheaper. Price of a million characters: b 1.00, a 20.00, c 5.00."
    by_latency = decided(
        wins, latency=dict.fromkeys("bc", 2.0) | {"a": 3.0}, priorities=["latency", "quality"]
    )
    assert by_latency.advice == "The data cannot decide between b and c."
    assert "Slower: a (3.00)." in by_latency.others
    assert (
        "Not used, because the values are not known: 'cost'"
        in decided(wins, priorities=["cost", "quality"]).priorities
    )


def test_fewer_critical_errors_decide_where_quality_does_not() -> None:
    texts = [f"Text {n}." for n in range(12)]
    critical = {"why": "x", "severity": "critical"}
    findings = [Finding(str(n), "b", "check:placeholders", "fail", None, critical) for n in range(9)]
    run = replace(toy_run(["a", "b"], texts), findings=findings)
    standings = [Standing(name, "5", 9, True, 5.0) for name in ("a", "b")]
    pair = Comparison("x", "all", "a", "b", 0.1, 0.8)
    headline = Headline("x", board=Leaderboard("x", "item", standings, True, [pair]))
    told = decide([DecidedRun("toy", run, [headline])])
    assert told.advice == "Ship a."
    assert told.sure[:2] == [
        "Fairly sure: it has significantly fewer critical errors. Outputs with one: a 0, b 9.",
        "Not sure which is better: the only measure finds no significant difference between them.",
    ]
    (risk,) = decide([DecidedRun("toy", replace(run, systems=["b"]), [])]).risks
    assert risk.headline.text == (
        "Critical errors in 9 of 12 outputs of b: placeholders that are missing, added, changed, or in an "
        "order that a program cannot read."
    )


def test_a_leaderboard_says_who_is_not_told_apart_from_the_best_and_what_was_not_tested() -> None:
    from mtassay.methods.headlines import Contest

    values = {"a": 30.0, "b": 29.0, "c": 20.0}
    scores = [Score("bleu", n, "all", v, 9, v - 1, v + 1) for n, v in values.items()]
    compared = [
        Comparison("bleu", "all", "a", "b", 1.0, 0.4),
        Comparison("bleu", "all", "c", "a", -10.0, 0.0001),
    ]
    for some, tested, best in ((compared, True, ["a", "b"]), (compared[1:], False, ["a"])):
        run = Run("1", "toy", {}, list(values), "", {}, Result(scores, some))
        (headline,) = Contest(run, "bleu", "all", "BLEU", "segment").headlines()
        assert headline.board
        assert headline.board.tested == tested
        assert [s.system for s in headline.board.standings if s.is_best] == best
        assert headline.board.standings[0].text == "30.0 [29.0–31.0]"


def test_decision_and_glance_stand_first_in_the_page_and_in_markdown(suite_run: Run) -> None:
    page = page_of([suite_run])
    html, text = render_page(page), render_markdown(page)
    assert html.index(page.decision.advice) < html.index("At a glance") < html.index('class="run"')
    assert text.index(page.decision.advice) < text.index("At a glance")
    assert "share of correct items (2 items)" in text
    assert len(" ".join(page.decision.lines()).split()) < 160


def test_at_a_glance_rows_are_measures_and_a_number_knows_its_sentences(suite_run: Run) -> None:
    glance = page_of([suite_run]).glance()
    assert glance is not None
    assert glance.table.header == ["Measure", "half", "none"]
    row = glance.rows(["half"])[0]
    assert (row.label, row.counted) == ("share of correct items", "2 items")
    assert row.cells[0].text == "50.0 %"
    assert row.cells[0].found == CaseSelection(system="half", n=2)


def test_systems_not_told_apart_are_named_up_to_twelve() -> None:
    from mtassay.methods.headlines import Contest

    for others, ending in ((12, "s12."), (13, "s12 and 1 more.")):
        names = [f"s{n}" for n in range(others + 1)]
        scores = [Score("bleu", name, "all", 30.0 - n, 9) for n, name in enumerate(names)]
        compared = [Comparison("bleu", "all", "s0", name, 1.0, 0.4) for name in names[1:]]
        run = Run("1", "toy", {}, names, "", {}, Result(scores, compared))
        (headline,) = Contest(run, "bleu", "all", "BLEU", "segment").headlines()
        assert headline.text.endswith(ending)


def test_a_phenomenon_that_is_surer_to_be_weak_comes_before_the_worst_category() -> None:
    """Wilson's intervals of 0 of 37 and of 6 of 17: even the upper end of the first is below the second's."""
    scores = [
        Score("accuracy", "nmt", "False friends", 35.3, 17, 17.3, 58.7),
        Score("accuracy", "nmt", "Verbs", 80.0, 400, 75.8, 83.6),
        Score("accuracy:phenomenon", "nmt", "Modal", 0.0, 37, 0.0, 9.4),
    ]
    segments = [Segment("1", "x", (), tags={"category": "Verbs", "phenomenon": "Modal"})]
    run = Run("1", "suite", {}, ["nmt"], "", {}, Result(scores), [], segments)
    (weak,) = [h for h in view_of(run).headlines() if h.kind == "weak"]
    assert weak.text == (
        "nmt is worst at Modal: 0.0 % correct [0.0–9.4], n = 37. "
        "Of categories at False friends: 35.3 % [17.3–58.7], n = 17."
    )
    assert (weak.group, weak.n) == ("Verbs › Modal", 37)


def test_a_button_says_how_many_of_its_sentences_count() -> None:
    headline = Headline("nmt is worst at x: 50.0 %, n = 1.", "weak", "nmt", "x", n=1)
    part = page_of([toy_run(["nmt"], ["One.", "Two."])]).parts[0]
    page = Page("t", [replace(part, proofs=[Proof(headline, CaseSelection(system="nmt", n=2))])])
    assert "Read 2 sentences, 1 of them counted" in render_page(page)


def test_what_waits_for_people_is_counted_with_its_systems() -> None:
    outputs = {"a": ["Ninguém sabe isto.", "Outra coisa."], "b": ["Ninguém sabe isto.", "Nada."]}
    for systems, told in ((["a", "b"], "4 outputs of 2 systems wait for people"), (["a"], "2 outputs wait")):
        run = mtassay.suite("en-pt", {name: outputs[name] for name in systems}, item=list(ITEMS)).record
        (waiting,) = [h.text for h in view_of(run).headlines() if "for people" in h.text]
        assert waiting.startswith(told)


def test_facts_are_words_even_where_they_begin_with_a_digit(suite_run: Run) -> None:
    page = render_page(page_of([suite_run]))
    rests = page[page.index("What it rests on</caption>") :].partition("</table>")[0]
    assert suite_run.id in rests
    assert 'class="n' not in rests


def test_several_runs_are_one_page_with_a_section_each(suite_run: Run) -> None:
    page = render_page(page_of([suite_run, toy_run(["half"], ["One."])], names=["suite", "toy"]))
    elements = Elements(page)
    assert elements.tags["h1"] == elements.tags["main"] == 1
    assert {"r0", "r1"} <= {
        value for tag, name, value in elements.attributes if (tag, name) == ("section", "id")
    }
    assert "half and none" in elements.text


def test_headings_descend_one_level_at_a_time(suite_run: Run) -> None:
    page = render_page(page_of([suite_run, toy_run(["half"], ["One."])]))
    levels = [int(level) for level in re.findall(r"<h(\d)", page.partition("<dialog")[0])]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_what_changed_lists_the_broken_case_with_both_outputs_and_what_differs() -> None:
    item = "false-friends-nouns-1"
    old, new = (mtassay.suite("en-pt", {"nmt": [text]}, item=item) for text in ("Os pais.", "Os parentes."))
    part = changes_part(mtassay.compare(old, new))
    (view,) = part.sentences.views
    assert view.groups[:2] == ["broken", "suite"]
    assert [answer.lines[0] for answer in view.answers] == [
        Line("output", "Os pais.", [(3, 7)]),
        Line("output", "Os parentes.", [(3, 11)]),
    ]
    page = render_page(Page("Changes", (), (part,)))
    assert "1 case broken" in page
    assert "Os <mark>parentes</mark>." in page
    assert "**parentes**" in render_markdown(Page("Changes", (), (part,)))


def test_themes_are_told_with_their_examples() -> None:
    theme = Block(
        [Line("output", "Ele não carro.", [(4, 7)])], "nmt says 'não' that nothing explains: 7 of 9."
    )
    page = page_of([toy_run(["nmt"], ["One."])], themes=[theme])
    text = render_page(page)
    assert text.count("nmt says &#39;não&#39; that nothing explains: 7 of 9.") == 1
    assert "Ele <mark>não</mark> carro." in text
    assert "nmt says 'não' that nothing explains: 7 of 9." in render_markdown(page)


# What a cell leads to --------------------------------------------------------------------------------------


def view(case_id: str, groups: list[str], **statuses: str) -> CaseView:
    """A case whose systems have these statuses; `bad` is a failure."""
    verdicts = {"bad": "fail", "good": "pass"}
    answers = [AnswerView(s, [Line("output", "x")], verdicts[word], word) for s, word in statuses.items()]
    return CaseView(case_id, [Line("source", "s" * 20)], answers, groups)


SENTENCES = PageCases.of(
    [
        view("1", ["Negation"], a="bad", b="good"),
        view("2", ["Negation"], a="bad", b="bad"),
        view("3", ["Names", "Names › People"], a="good", b="good"),
    ]
)


def test_a_cell_leads_to_the_cases_of_its_row_and_its_column() -> None:
    table = Table(
        ["Category", "n", "a", "b"], [["Negation", "2", "0.0", "50.0"], ["all", "3", "33.3", "66.7"]]
    )
    rows = SENTENCES.in_table(table)
    assert rows[0][0] is None
    assert rows[0][1:] == [CaseSelection("Negation", name, n=2) for name in ("", "a", "b")]
    assert rows[1][1:] == [CaseSelection("", name, n=3) for name in ("", "a", "b")]
    assert SENTENCES.in_table(Table(["Category", "a"], [["Verbs", "0.0"]])) == [[None, None]]  # no such group


def test_numbers_about_two_systems_lead_to_where_these_differ() -> None:
    table = Table(["Systems", "p"], [["a − b", "0.03"], ["a − c", "0.2"]], "Any two systems")
    assert [row[1] for row in SENTENCES.in_table(table)] == [
        CaseSelection(system="a", n=3, against="b"),
        None,
    ]
    table = Table(["System", "Δ"], [["b", "+1.0"]], "Against a, the best by BLEU")
    found = SENTENCES.in_table(table)[0][1]
    assert found == CaseSelection(system="b", n=3, against="a")
    assert SENTENCES.address(found) == ",,1,,,,0"


def test_what_checks_flag_beside_the_verdicts_has_its_sentences() -> None:
    flagged = {"numbers": [f"{SENTENCES.views[0].id} (a)"]}
    cases = PageCases.of(SENTENCES.views, flagged=flagged)
    (row,) = cases.in_table(Table(["Check", "severity", "a"], [["numbers", "major", "1 (33.3 %)"]]))
    assert row == [None, None, CaseSelection("numbers", "a", n=1)]


def test_rows_that_say_their_group_lead_there_and_averages_to_all() -> None:
    table = Table(["Group", "a"], [["· People", "100.0"], ["micro", "33.3"]], groups=["Names › People", ""])
    assert [row[1] for row in SENTENCES.in_table(table)] == [
        CaseSelection("Names › People", "a", n=1),
        CaseSelection("", "a", n=3),
    ]


def test_a_table_of_systems_by_status_leads_to_answers_of_that_status() -> None:
    table = Table(["System", "good", "bad", "other"], [["a", "1", "2", "0"]])
    (row,) = SENTENCES.in_table(table)
    assert row == [
        None,
        CaseSelection(system="a", status="good", n=1),
        CaseSelection(system="a", status="bad", n=2),
        None,
    ]


def test_a_map_leads_from_its_cells_to_sentences() -> None:
    figure = Figure(
        "heat",
        [Series("a [95 %]", [Point("Negation (2)", 0.0)], system="a")],
        rows=["Negation (2)"],
        groups=["Negation"],
    )
    assert SENTENCES.in_figure(figure) == [[CaseSelection("Negation", "a", n=2)]]


def test_the_example_of_a_weakness_is_a_failed_case_of_it() -> None:
    block = SENTENCES.example(CaseSelection("Negation", "b"))
    assert block is not None
    assert block.title == "2 · b · bad"


def test_beside_a_wrong_translation_stands_one_that_passes_of_another_system(suite_run: Run) -> None:
    """Both are wrong about the second item; the first item is right in one of the two."""
    page = page_of([suite_run])
    examples = {
        proof.headline.system: proof.example
        for part in page.parts
        for proof in part.proofs
        if proof.headline.kind == "weak"
    }
    assert examples["none"] is not None
    assert examples["none"].lines[-1] == Line("passes", "half: Ambos os pais são médicos.")
    assert examples["half"] is not None
    assert not [line for line in examples["half"].lines if line.label == "passes"]


def test_a_pass_that_claims_nothing_is_not_shown_as_right() -> None:
    page = page_of([toy_run(["bad", "good"], ["One two three four."])])
    (example,) = [
        proof.example for part in page.parts for proof in part.proofs if proof.headline.kind == "weak"
    ]
    assert example is not None
    assert [line.label for line in example.lines] == ["source", "reference", "output", "why"]


def test_addresses_are_the_numbers_that_the_script_looks_up() -> None:
    record = SENTENCES.record()
    address = SENTENCES.address(CaseSelection("Names", "b", "good"))
    group, _, system, status, *_ = address.split(",")
    assert record["groups"][int(group)][0] == "Names"
    assert record["systems"][int(system)] == "b"
    assert record["statuses"][int(status)] == ["good", "pass"]


def test_groups_findings_themes_and_documents_are_kinds_of_names() -> None:
    answer = AnswerView("a", [Line("output", "Oi.")], "fail", "bad", ["tags"], 0, "critical", {"BLEU": 3.0})
    cases = [CaseView("1", [Line("source", "Hi.")], [answer], ["Names"], "news")]
    record = PageCases.of(cases, themes={("a", "Hi.", "Oi."): ["greets"]}).record()
    assert record["groups"] == [["Names", 0], ["tags", 1], ["news", 3], ["greets", 2]]
    assert record["cases"][0][2:] == [[0, 2], [[0, 0, 0, [1, 3], [[1, "Oi."]], 0, [3.0]]]]
    assert record["values"] == ["BLEU"]


def test_a_cell_that_counts_something_else_opens_nothing() -> None:
    for count, found in (
        ("1", CaseSelection("Names", "b", n=1)),
        ("7", None),
        ("7.5", CaseSelection("Names", "b", n=1)),
    ):
        table = Table(["Group", "b"], [["Names", count]])
        assert PageCases.of([view("1", ["Names"], b="good")]).in_table(table) == [[None, found]]


def judged_run() -> Run:
    """Ten outputs of one system that the judge looked at: it said 10 % of five, and 90 % of five."""
    segments = [Segment(str(n), f"Source {n}.", (f"Text {n}.",)) for n in range(10)]
    found = [
        Finding(s.id, "nmt", "judge", "fail" if n >= 5 else "pass", 0.9 if n >= 5 else 0.1, {"why": ""})
        for n, s in enumerate(segments)
    ]
    outputs = {"nmt": [Output(s.id, f"Output {s.id}.") for s in segments]}
    made = ("2026-01-01", {}, Result([], []), found, segments, outputs)
    return Run("1", "score", {"pair": ["en", "pt"], "metrics": {}}, ["nmt"], *made)


def test_the_judge_is_compared_with_what_people_said_of_the_same_outputs(tmp_path: Path) -> None:
    run, store = judged_run(), Workspace(tmp_path / "w.db")
    subjects = [subject for (n, _), subject in subjects_in(run).items() if n in "015678"]
    span = {"start": 0, "end": 6, "label": "other", "severity": "major"}
    answers = ["", "", span, span, span, ""]
    store.add_reviews(
        [
            Review(subject.id, "mqm", json.dumps({"spans": [answer] if answer else []}), "anna")
            for subject, answer in zip(subjects, answers, strict=True)
        ],
        subjects,
    )
    text = render_page(page_of([run], said=reports.people_said_of([run], store.path)))
    assert "How right the judge" in text
    assert "expected an error in 63 % of 6 outputs, and people found one in 50 % [19–81]" in text
    assert "Nobody has checked" not in text
    rows = Elements(text).text
    assert "0 to 20 %, n = 2 outputs" in rows
    assert "80 to 100 %, n = 4 outputs" in rows
    numbers = text[text.index("How right the judge") :]
    found = re.findall(r'data-n="(\d+)"><bdi>(?:10|0 \[[^<]*|90|75 \[[^<]*)<', numbers)
    assert found[:4] == ["2", "2", "4", "4"]


def test_a_judge_that_nobody_checked_comes_with_the_command_that_asks_people() -> None:
    text = render_page(page_of([judged_run()]))
    assert "How right the judge" not in text
    assert "To see how right it is: mtassay review campaign create judge 1 --question mqm" in text
    assert "Nobody has checked" not in render_page(page_of([toy_run(["nmt"], ["One."])]))


def test_marks_are_the_second_of_every_two_pieces() -> None:
    case = CaseView("1", [Line("source", "He went home.", [(0, 2), (8, 12)]), Line(None, "head")])
    assert PageCases.of([case]).record()["cases"][0][1] == [
        [0, "", "He", " went ", "home", "."],
        [-1, "head"],
    ]


def test_too_many_sentences_leave_out_those_that_pass_and_say_how_many() -> None:
    views = [view(str(n), [], a="good") for n in range(50)] + [view("bad", [], a="bad")]
    some = PageCases.of(views, most=600)
    assert some.views[0].id == "bad"
    assert some.left_out == 51 - len(some.views) > 0


# Charts ----------------------------------------------------------------------------------------------------

POINTS = [Point("noun", 40.0, 20.0, 60.0), Point("verb", 80.0, 70.0, 90.0)]
NUMBERS = [Point(1, 40.0, 20.0, 60.0), Point(2, 80.0, 70.0, 90.0, strong=True, label="two")]


@pytest.mark.parametrize(
    "figure",
    [
        Figure("dots", [Series("nmt", POINTS), Series("old", POINTS, hollow=True)], x_label="rate"),
        Figure("bars", [Series("asking", POINTS), Series("judging", POINTS)], unit="s"),
        Figure("lines", [Series("nmt", NUMBERS)], x_label="run", y_label="BLEU", level=50.0, marks=[1.5]),
        Figure("lines", [Series("nmt", POINTS)], rows=["noun", "verb"]),
        Figure("steps", [Series("nmt", NUMBERS)]),
        Figure("scatter", [Series("nmt", NUMBERS)]),
    ],
    ids=lambda figure: figure.kind,
)
def test_every_figure_is_drawn_with_its_numbers_and_no_style_of_its_own(figure: Figure) -> None:
    drawn = str(drawing(figure))
    elements = Elements(drawn)
    assert elements.tags["svg"]
    assert not [name for _, name, _ in elements.attributes if name.startswith(("style", "on"))]
    assert "80" in drawn
    values = [cell.text for row in figure_table(figure).cells() for cell in row]
    assert "40 [20–60]" in values


def test_a_dot_stands_where_its_value_is() -> None:
    figure = Figure("dots", [Series("nmt", [Point("a", 25.0)])], limits=(0, 100))
    (place,) = re.findall(r'<svg class="m s0" x="([\d.]+)%"', str(drawing(figure)))
    assert float(place) == pytest.approx(100 * 25 / 104, abs=0.01)  # there is some room at the upper end


def test_shades_are_stronger_for_lower_values() -> None:
    figure = Figure("heat", [Series("a", [Point("x", 50.0), Point("y", 75.0), Point("z", 100.0)])])
    assert [shade(figure, value) for value in (50.0, 75.0, 100.0, None)] == [8, 4, 0, 0]


# Nothing breaks out, nothing is endless -------------------------------------------------------------------


def test_hostile_texts_are_text_everywhere() -> None:
    systems = [*HOSTILE[:4], "nmt"]
    run = toy_run(systems, list(HOSTILE), notes=list(HOSTILE))
    clean = Elements(
        render_page(page_of([toy_run([f"s{n}" for n in range(5)], ["x"] * len(HOSTILE), notes=["n"])]))
    )
    page = render_page(page_of([run]))
    elements = Elements(page)
    for tag in ("script", "style", "img", "b", "iframe", "object", "link", "meta", "form"):
        assert elements.tags[tag] == clean.tags[tag], tag
    assert not [name for _, name, _ in elements.attributes if name.startswith("on") or name == "style"]
    assert "49" not in re.findall(r"\{\{.*?\}\}|>49<", page)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", page)
    assert "\\u202e" in page
    record = json.dumps(unpacked(page), ensure_ascii=False)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x1b]", record)
    assert "</script><script>" in record  # text, which the script of the page shows as text
    told = render_markdown(page_of([run]))
    assert "<script" not in told
    assert "](javascript" not in told.replace("\\](javascript", "")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", told)


def test_an_endless_line_is_cut_and_the_cut_is_said() -> None:
    page = render_page(page_of([toy_run(["nmt"], ["x" * 1_000_000])]))
    assert len(page) < 200_000
    assert "characters)… " in json.dumps(unpacked(page), ensure_ascii=False)
    assert len(render_markdown(page_of([toy_run(["nmt" * 300_000], ["x" * 1_000_000])]))) < LONGEST


def test_a_table_of_very_many_systems_has_an_end() -> None:
    systems = [f"system-{n}-{'x' * 90}" for n in range(700)]
    page = page_of([toy_run(systems, ["One."])])
    text, told = render_page(page), render_markdown(page)
    assert len(text.encode()) < 5_000_000
    assert "400 more rows" in text
    assert len(told) < LONGEST
    assert "more rows" in told


def test_the_policy_allows_the_pages_own_style_and_script_and_nothing_else() -> None:
    page = render_page(page_of([toy_run(["nmt"], ["One."])]))
    policy = next(
        value or ""
        for tag, name, value in Elements(page).attributes
        if (tag, name) == ("meta", "content") and "src" in str(value)
    )
    for tag in ("style", "script"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    outside = [v for _, name, v in Elements(page).attributes if name in ("src", "href") and v and v[0] != "#"]
    assert outside == ["data:,"]


# Markdown --------------------------------------------------------------------------------------------------


def test_markdown_has_headlines_first_and_one_table_a_run(suite_run: Run) -> None:
    told = render_markdown(page_of([suite_run]))
    assert told.startswith("# half and none\n\n**The data cannot decide between half and none.**")
    assert told.index("At a glance") < told.index("## suite") < told.index("none is worst at False friends")


def test_markdown_that_is_too_long_ends_with_whole_parts_and_says_so() -> None:
    told = render_markdown(page_of([toy_run(["nmt"], ["One."], notes=["note " * 150] * 9)]), longest=1500)
    assert len(told) <= 1500
    assert told.endswith("*Cut here: the page has all of it (mtassay report RUN -o report.html).*\n")


def test_a_system_that_no_measure_compares_is_no_choice() -> None:
    better = Comparison("BLEU", "all", "a", "b", 1.0, 0.01, better="a")
    both = [Standing("a", "6", 9, True, 6.0), Standing("b", "5", 9, False, 5.0)]
    told = [Headline("BLEU", board=Leaderboard("BLEU", "item", both, True, [better]))]
    alone = [
        Headline("chrF", board=Leaderboard("chrF", "item", [Standing("c", "9", 9, True, 9.0)], True, []))
    ]
    runs = [
        DecidedRun("both", toy_run(["a", "b"], ["One."]), told),
        DecidedRun("alone", toy_run(["c"], ["One."]), alone),
    ]
    assert decide(runs).advice == "Ship a."


def of_people(better: str) -> Headline:
    """What people say of systems a and b, on 300 sentences that they rated for both."""
    standings = [Standing("b", "0.1000", 300, True, 0.1), Standing("a", "-0.2000", 300, not better, -0.2)]
    pair = Comparison("z", "all", "b", "a", 0.3, 0.01 if better else 0.5, n=300, more=700, better=better)
    return Headline("z", board=Leaderboard("people's scores", "segment", standings, True, [pair], True))


def test_people_outweigh_metrics_and_what_they_said_is_told() -> None:
    metric = Comparison("x", "all", "a", "b", 2.0, 0.01, better="a")
    standings = [Standing("a", "7", 300, True, 7.0), Standing("b", "5", 300, False, 5.0)]
    told = [Headline("x", board=Leaderboard("x", "segment", standings, True, [metric])), of_people("b")]
    chosen = decide([DecidedRun("toy", toy_run(["a", "b"], ["One."]), told)])
    assert chosen.advice == "Ship b."
    said = (
        "People's scores: b 0.1000, a -0.2000; the difference is significant (300 segments rated for both)."
    )
    assert said in chosen.sure


def test_where_people_saw_no_difference_more_of_the_same_is_not_the_first_advice() -> None:
    chosen = decide([DecidedRun("toy", toy_run(["a", "b"], ["One."]), [of_people("")])])
    assert chosen.advice == "The data cannot decide between b and a."
    assert chosen.next_step.startswith("choose by price or time")
    assert "ratings of about 700 more segments would show it" in chosen.next_step


def test_a_few_sentences_ask_for_more_sentences() -> None:
    told = decided({"x": [], "y": []}, units=8)
    assert told.next_step.startswith("test on at least 30 sentences")
    assert told.no_risk == "No check was run, so no risk is known."
    assert "Risk: No check was run, so no risk is known." in told.lines()
