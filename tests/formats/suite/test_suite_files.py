"""Suites are read and written without loss, in three formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import InputError, MtassayError, UsageError
from mtassay.data.formats.suite_files import copy_suite, read_suite, write_suite
from mtassay.data.formats.suite_items import Item, Matching, Rule, Suite
from mtassay.data.formats.yaml_editing import yaml_text

FULL = """\
suite: Beginners
langpair: en-pt
about: What it is for.
author: mlima
match: {case: ignore, unicode: NFC, whitespace: collapse}
macros:
  never: nunca|jamais
items:
  - id: negation-1
    category: Negation
    phenomenon: Negative concord
    source: Nobody said no.
    focus: [Nobody]
    positive_regex: no
    negative_regex:
      - yes
      - regex: nein(?=x)
        engine: regex
        case: exact
        author: jsilva
        date: 2026-11-15
        note: wrong language
    positive_tokens: [Ninguém disse não.]
    references:
      - Ninguém disse não.
    context: They sat there.
    approver: jsilva
    public: no
    tags: [demo, '2026']
  - {id: 007, langpair: en-de, category: Numbers, phenomenon: Digits, source: '1_000', author: x}
"""


def written(folder: Path, text: str, name: str = "suite.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_field_of_a_yaml_suite_is_read(tmp_path: Path) -> None:
    suite = read_suite(written(tmp_path, FULL))
    assert (suite.name, suite.langpair, suite.about) == ("Beginners", "en-pt", "What it is for.")
    assert suite.matching == Matching("ignore", "NFC", "collapse", "fold", "ignore", "incorrect")
    assert suite.macros == {"never": "nunca|jamais"}
    assert suite.items[0] == Item(
        "negation-1",
        "en-pt",
        "Negation",
        "Negative concord",
        "Nobody said no.",
        positive_regex=(Rule("no"),),
        negative_regex=(
            Rule("yes"),
            Rule("nein(?=x)", "jsilva", "2026-11-15", "wrong language", "exact", "regex"),
        ),
        positive_tokens=(Rule("Ninguém disse não."),),
        focus=("Nobody",),
        references=("Ninguém disse não.",),
        context=("They sat there.",),
        author="mlima",
        approver="jsilva",
        public=False,
        tags=("demo", "2026"),
    )
    assert suite.items[1] == Item("007", "en-de", "Numbers", "Digits", "1_000", author="x")
    assert [item.line for item in suite.items] == [9, 30]
    assert [item.is_draft for item in suite.items] == [False, True]


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)
RULES = st.lists(
    st.builds(Rule, WORDS, author=st.sampled_from(["", "a"]), case=st.sampled_from([None, "exact"])),
    max_size=2,
).map(tuple)
ITEMS = st.builds(
    Item,
    id=WORDS,
    langpair=st.sampled_from(["en-pt", "en-de"]),
    category=WORDS,
    phenomenon=WORDS,
    source=WORDS,
    positive_regex=RULES,
    negative_tokens=RULES,
    focus=st.lists(WORDS, max_size=2).map(tuple),
    note=st.one_of(st.just(""), WORDS),
    public=st.booleans(),
)


@given(items=st.lists(ITEMS, max_size=3), name=st.one_of(st.just(""), WORDS))
def test_what_is_written_is_read_again(
    items: list[Item], name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    suite = Suite(tuple(items), name=name, langpair="en-pt", matching=Matching(case="ignore"))
    path = tmp_path_factory.mktemp("suite") / "suite.yaml"
    write_suite(path, suite)
    assert read_suite(path) == suite
    assert yaml_text(read_suite(path)) == path.read_text(encoding="utf-8")


DFKI = {
    "items": [
        {
            "category": "Named entitiy",
            "comment": "kept",
            "id": "0001",
            "langpair": "deen",
            "negative_regex": "",
            "negative_tokens": ["We met Tim\\.", ""],
            "phenomenon": "Name",
            "positive_regex": "Tim",
            "positive_tokens": [],
            "source_sentence": "Wir trafen Tim. ",
        }
    ],
    "version": 3,
}


def test_a_dfki_file_is_read(tmp_path: Path) -> None:
    suite = read_suite(written(tmp_path, json.dumps(DFKI), "items.json"))
    assert suite.items[0].source == "Wir trafen Tim. "
    assert suite.items[0].negative_regex == ()
    assert suite.items[0].extra == {"comment": "kept"}


ITEM = "- id: a\n  category: C\n  phenomenon: P\n  source: S\n  langpair: en-pt\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("items:\n- id: a\n  source: x", "line 2: an item has no 'category'"),
        (f"items:\n{ITEM}  positiv_regex: x", "line 2: an item has no 'positiv_regex'. Available: id,"),
        ("itmes: []", "line 1: this is no suite: it needs a list 'items:' at the top"),
        ("suit: x\nitems: []", "line 1: a suite has no 'suit'. Available: suite,"),
        (
            f"items:\n{ITEM}  positive_regex: [[x]]",
            "line 2: 'positive_regex' must hold texts, or mappings with",
        ),
        (
            f"items:\n{ITEM}  positive_regex: {{regex: x, engine: perl}}",
            "line 2: 'engine: perl'. Available: re2,",
        ),
        (f"items:\n{ITEM}  public: perhaps", "line 2: 'public: perhaps'. Write true or false"),
        ("match: {case: lower}\nitems: []", "'match' has case: lower. Available: exact, ignore"),
        ("items: [", "line 2: this is not YAML"),
        ("items: &a [*a]", "line 1: an alias (*) is inside of what it is for"),
        ("just text", "line 1: this is no suite"),
        ("items:\n- text", "line 2: an item must be a mapping"),
        (
            f"items:\n{ITEM}  positive_regex: a\n  note: x\n  positive_regex: b",
            "line 9: the key 'positive_regex' occurs twice, first on line 7; join the two",
        ),
        ("suite: a\nsuite: b\nitems: []", "line 2: the key 'suite' occurs twice, first on line 1"),
        ("macros: {a: x, a: y}\nitems: []", "line 1: the key 'a' occurs twice"),
        (
            f"items:\n{ITEM}  positive_regex:\n  - às 15: 30",
            "line 2: 'positive_regex' must hold texts, or mappings with 'regex'. If 'às 15: …' is all one "
            "pattern with a colon, put it in single quotes",
        ),
        (
            f"items:\n{ITEM}  positive_regex:\n  - regex: às 15: 30",
            "line 8: this is not YAML (mapping values are not allowed in this context). If a colon belongs "
            "to a text or pattern, put it in single quotes",
        ),
        (f"items:\n{ITEM}  positive_regex:\n  - {{{{never}}}} vi", "put it in single quotes"),
        (f"items:\n{ITEM}  positive_regex:\n  - [ae]le", "put it in single quotes"),
        (f"items:\n{ITEM}  positive_regex:\n  - '[ae]le' vi", "put it in single quotes"),
        (f"items:\n{ITEM}  positive_regex:\n  - *le", "put it in single quotes"),
        (f"items:\n{ITEM}  references:\n  - 'He said: no'\n  - He said: no", "put it in single quotes"),
    ],
)
def test_a_bad_suite_is_one_line_that_says_where(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_suite(written(tmp_path, text))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", '{"items": [\n{"id": "1",', "line 2: this is not JSON"),
        ("a.json", "[]", "this is no suite"),
        ("a.json", '{"items": [{"id": "1", "id": "2"}]}', "the key 'id' occurs twice in the item '2'"),
        ("a.json", '{"items": [{"id": "1"}]}', "item 1 has no text 'langpair'"),
        ("a.txt", "x", "a suite file ends in .yaml, .yml, .json"),
    ],
)
def test_other_formats_say_where_too(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(MtassayError) as error:
        read_suite(written(tmp_path, text, name))
    assert message in str(error.value)


def test_our_formats_are_lenient_about_quotes_and_the_dfkis_is_exact(tmp_path: Path) -> None:
    ours = written(tmp_path, "items: []")
    theirs = written(tmp_path, '{"items": []}', "a.json")
    assert read_suite(ours).matching == Matching(quotes="fold", invisible="ignore", copies="incorrect")
    assert read_suite(theirs).matching == Matching()


def test_a_dfki_suite_stays_exact_when_it_becomes_one_of_ours(tmp_path: Path) -> None:
    theirs = read_suite(written(tmp_path, '{"items": []}', "a.json"))
    again = read_suite(written(tmp_path, yaml_text(theirs)))
    assert again.matching == theirs.matching


def test_a_file_that_is_not_there_names_the_suites_that_are() -> None:
    with pytest.raises(UsageError, match=r"There is no suite file en-xx\. Suites of language packs: "):
        read_suite("en-xx")


def test_dfki_items_survive_our_own_format(data_folder: Path, tmp_path: Path) -> None:
    suite = copy_suite(data_folder / "dfki" / "de-en" / "items.json", tmp_path / "suite.yaml")
    assert len(suite.items) == 2767
    again = read_suite(tmp_path / "suite.yaml")
    assert [i.source for i in again.items] == [i.source for i in suite.items]
    for kind in ("positive_regex", "negative_regex", "positive_tokens", "negative_tokens"):
        before = [[rule for rule in getattr(item, kind) if rule.text] for item in suite.items]
        assert [list(getattr(item, kind)) for item in again.items] == before
