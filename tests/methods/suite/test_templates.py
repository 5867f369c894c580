"""Templates: placeholders, conditions, tables, English verb phrases, and the items they make."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import InputError, MissingExtraError
from mtassay.data.formats.suite_files import suite_text
from mtassay.data.formats.suite_items import Item, Rule
from mtassay.data.formats.yaml_editing import suite_from_yaml
from mtassay.methods.suite.rule_judge import Judge
from mtassay.methods.suite.template_filling import Filler, article, inflect, verb_phrase
from mtassay.methods.suite.template_generation import (
    GeneratedSuite,
    carry_over,
    generate,
    templates_from_text,
)
from mtassay.methods.suite.templates import Argument, FormTable, InflectedForm

HEAD = """\
langpair: en-pt
category: Verbs
author: ana
slots:
  subject: [{en: I, person: 1s, as: 1s}, {en: you, person: 2s, as: [3s, 2s]}, {en: we, person: 1p, as: 1p}]
  verb: [{en: write, pt: escrever}]
tables:
  pt:
    escrever:
      present: {1s: escrevo, 2s: escreves, 3s: escreve, 1p: escrevemos}
      preterite: {1s: escrevi, 2s: escreveste, 3s: escreveu, 1p: escrevemos}
templates:
"""


def make(templates: str, *, head: str = HEAD, **options: object) -> GeneratedSuite:
    return generate(templates_from_text(head + templates, path="t.yaml"), **options)  # type: ignore[arg-type]


PAST = """\
  - phenomenon: Simple past
    source: "yesterday {subject} {verb.en|past} letters."
    positive_regex: \\b{verb.pt|pt(preterite, subject.as)}\\b
    negative_regex: \\b{verb.pt|pt(not preterite, subject.as)}\\b
"""


def test_an_item_is_made_for_each_combination_with_rules_from_the_same_slots() -> None:
    generated = make(PAST)
    first, second, third = generated.suite.items
    assert first == Item(
        id="simple-past-i-write",
        langpair="en-pt",
        category="Verbs",
        phenomenon="Simple past",
        source="Yesterday I wrote letters.",
        positive_regex=(Rule(r"\bescrevi\b"),),
        negative_regex=(Rule(r"\bescrevo\b"),),
        author="ana",
        note="Template simple-past of t.yaml: subject i, verb write",
    )
    assert second.positive_regex == (Rule(r"\b(?:escreveu|escreveste)\b"),)
    # 1p: escrevemos is present and preterite alike, so there is no form left that would be wrong.
    assert third.positive_regex == (Rule(r"\bescrevemos\b"),)
    assert third.negative_regex == ()
    assert generated.counts[0].empty_rules == 1


def test_the_same_file_makes_the_same_suite_and_the_suite_reads_back() -> None:
    one, two = make(PAST).suite, make(PAST).suite
    assert suite_text(one, ".yaml") == suite_text(two, ".yaml")
    assert suite_from_yaml(suite_text(one, ".yaml"), path="s.yaml") == one


@pytest.mark.parametrize(
    ("features", "person", "subject", "expected"),
    [
        ("present", "3s", "", "writes"),
        ("present", "1p", "we", "we write"),
        ("past", "2s", "", "wrote"),
        ("future", "", "", "will write"),
        ("conditional perfect", "", "", "would have written"),
        ("present progressive", "1s", "I", "I am writing"),
        ("past progressive", "2p", "", "were writing"),
        ("past perfect progressive", "3p", "", "had been writing"),
        ("future perfect progressive", "", "", "will have been writing"),
        ("present perfect passive", "3s", "it", "it has been written"),
        ("present negative", "3s", "", "does not write"),
        ("past negative contracted", "1s", "I", "I didn't write"),
        ("future negative contracted", "", "she", "she won't write"),
        ("can negative", "", "", "cannot write"),
        ("must perfect", "", "", "must have written"),
        ("past question", "3s", "she", "did she write"),
        ("past perfect question negative", "3s", "she", "had she not written"),
        ("past perfect question negative contracted", "3s", "she", "hadn't she written"),
        ("present progressive question negative contracted", "1s", "I", "aren't I writing"),
        ("present progressive negative contracted", "1s", "I", "I'm not writing"),
        ("present perfect contracted", "3s", "he", "he's written"),
        ("present perfect contracted", "3s", "the man", "the man has written"),
        ("conditional contracted", "", "they", "they'd write"),
        ("imperative", "", "", "write"),
        ("imperative negative contracted", "", "", "don't write"),
        ("infinitive perfect", "", "", "to have written"),
        ("infinitive negative", "", "", "not to write"),
    ],
)
def test_english_verb_phrases(features: str, person: str, subject: str, expected: str) -> None:
    assert verb_phrase("write", features, person, subject) == expected


@pytest.mark.parametrize(
    ("features", "person", "subject", "expected"),
    [
        ("present", "1s", "I", "I am"),
        ("past negative", "3p", "they", "they were not"),
        ("present question", "3s", "she", "is she"),
        ("present contracted", "2s", "you", "you're"),
        ("imperative negative", "", "", "do not be"),
    ],
)
def test_to_be_needs_no_help_of_do(features: str, person: str, subject: str, expected: str) -> None:
    assert verb_phrase("be", features, person, subject) == expected


def test_a_main_verb_have_is_not_shortened() -> None:
    assert verb_phrase("have", "present contracted", "1s", "I") == "I have"
    assert verb_phrase("have", "present question", "3s", "he") == "does he have"


@pytest.mark.parametrize(
    ("features", "person", "subject", "part"),
    [
        ("presnt", "3s", "", "no tense or aspect 'presnt'"),
        ("perfect", "3s", "", "must name one tense"),
        ("present", "", "", "needs a person"),
        ("past question", "3s", "", "needs the subject"),
    ],
)
def test_a_verb_phrase_that_cannot_be_says_why(features: str, person: str, subject: str, part: str) -> None:
    with pytest.raises(ValueError, match=part):
        verb_phrase("write", features, person, subject)


def test_words_of_several_parts_inflect_where_they_should() -> None:
    assert inflect("give up", "VBD") == ["gave up"]
    assert inflect("bus stop", "NNS") == ["bus stops"]


def test_nothing_cannot_be_inflected() -> None:
    with pytest.raises(ValueError, match="there is no word to inflect"):
        inflect(" ", "VBD")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("user", "a user"),
        ("umbrella", "an umbrella"),
        ("one-way street", "a one-way street"),
        ("honest man", "an honest man"),
        ("European", "a European"),
        ("UN envoy", "a UN envoy"),
    ],
)
def test_the_article_goes_by_how_a_word_is_spoken(word: str, expected: str) -> None:
    assert article(word) == expected


COLUMNS = {"x": {"text": ("a.b",), "many": ("um", "uma"), "pattern": ("u(m|ma)",)}}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{x}", r"a\.b"),
        ("{x}?", r"(?:a\.b)?"),
        ("{x.many}", "(?:um|uma)"),
        ("{x.pattern}", r"u\(m\|ma\)"),
        ("{x.pattern|regex}", "(?:u(m|ma))"),
        (r"\d{2} {3,} {{macro}} \p{Lu}{x.text}", r"\d{2} {3,} {{macro}} \p{Lu}a\.b"),
        ("{'lit.'|capital}", r"Lit\."),
    ],
)
def test_values_in_expressions_are_escaped_unless_they_are_patterns(template: str, expected: str) -> None:
    assert Filler({}, {}).expression(template, COLUMNS) == expected


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1).filter(str.strip))
def test_an_inserted_value_matches_itself_whatever_it_is(value: str) -> None:
    pattern = Filler({}, {}).expression("^{x}$", {"x": {"text": (value,)}})
    item = Item("i", "en-pt", "c", "p", f"{value} in English", positive_regex=(Rule(pattern),))
    suite = make(PAST).suite
    assert Judge(suite).judge(item, value).status == "correct"


TABLE = FormTable(
    "pt",
    {
        "ler": [
            InflectedForm(frozenset({"V", "PST"}), "lia"),
            InflectedForm(frozenset({"V", "PST", "PFV"}), "leu"),
        ]
    },
)


def test_features_come_in_any_order_and_an_exact_entry_goes_first() -> None:
    assert TABLE("ler", [Argument(("PST;V",))]) == ["lia"]
    assert TABLE("ler", [Argument(("PST",))]) == ["lia", "leu"]
    assert TABLE("ler", [Argument(("PST",)), Argument(("PFV",), negated=True)]) == ["lia"]


def test_a_table_names_what_it_lacks() -> None:
    with pytest.raises(ValueError, match=r"the table 'pt' has no 'ver'. It has: ler"):
        TABLE("ver", [])
    with pytest.raises(ValueError, match=r"no form of 'ler' for 'FUT'. Features: PFV, PST, V"):
        TABLE("ler", [Argument(("FUT",))])


NOUNS = """\
langpair: en-pt
category: Agreement
slots:
  noun: [{en: house, pt: casa, gender: f}, {en: car, pt: carro, gender: m}]
  adjective: [{en: old, pt: velha, gender: f}, {en: old, id: old-m, pt: velho, gender: m}]
  color: [red, blue]
"""


def test_conditions_choose_combinations() -> None:
    template = """\
templates:
  - phenomenon: P
    source: "the {adjective} {noun} is {color}."
    when: noun.gender = adjective.gender
    except: [noun = car and color = blue]
    references: "{noun.pt} {adjective.pt}"
"""
    generated = make(template, head=NOUNS)
    assert [item.id for item in generated.suite.items] == [
        "p-old-house-red",
        "p-old-house-blue",
        "p-old-m-car-red",
    ]
    assert generated.suite.items[0].references == ("Casa velha",)
    count = generated.counts[0]
    assert (count.combinations, count.excluded, count.items) == (8, 5, 3)


def test_a_condition_of_the_file_holds_where_its_slots_are_used() -> None:
    template = """\
when: [noun.gender != m]
templates:
  - {id: a, phenomenon: P, source: "the {noun}."}
  - {id: b, phenomenon: P, source: "the {color}."}
"""
    generated = make(template, head=NOUNS)
    assert [item.source for item in generated.suite.items] == ["The house.", "The red.", "The blue."]


def test_equal_sources_are_made_once_and_counted() -> None:
    template = 'templates:\n  - {phenomenon: P, source: "the {adjective} {noun}."}\n'
    count = make(template, head=NOUNS).counts[0]
    assert (count.combinations, count.duplicates, count.items) == (4, 2, 2)


@given(st.integers(0, 2**32), st.integers(1, 4))
def test_a_sample_is_part_of_the_whole_in_its_order(seed: int, number: int) -> None:
    whole = [item.id for item in make(PAST).suite.items]
    sample = [item.id for item in make(PAST, sample=number, seed=seed).suite.items]
    assert len(sample) == min(number, 3)
    assert sample == [item_id for item_id in whole if item_id in sample]
    assert make(PAST, sample=number, seed=seed).counts[0].sampled_out == 3 - len(sample)


def test_too_many_items_and_combinations_are_errors_that_say_what_to_do() -> None:
    with pytest.raises(InputError, match=r"t\.yaml: the templates make more than 2 items.*`sample=N`"):
        make(PAST, max_items=2)
    values = ", ".join(f"v{i}" for i in range(60))
    slots = "".join(f"  {name}: [{values}]\n" for name in "abc")
    head = f"langpair: en-pt\ncategory: C\nslots:\n{slots}templates:\n"
    with pytest.raises(InputError, match=r"'p' has 216,000 combinations \(60 a × 60 b × 60 c\)"):
        make("  - {phenomenon: P, source: '{a} {b} {c}'}\n", head=head)


@pytest.mark.parametrize(
    ("templates", "part"),
    [
        ("  - {phenomenon: P, source: '{verv.en}'}\n", "line 13: no slot 'verv'. Available: subject, verb"),
        ("  - {phenomenon: P, source: '{verb.xx}'}\n", "line 13: 'write' of 'verb' has no 'xx'"),
        ("  - {phenomenon: P, source: '{verb|pst}'}\n", "line 13: no function or table 'pst'"),
        ("  - {phenomenon: P, source: '{verb past}'}\n", "line 13: '{verb past}' is no placeholder"),
        ("  - {phenomenon: P, source: '{verb|pt(}'}\n", r"write |function or |function(argument, argument)"),
        ("  - {phenomenon: P, source: '{verb.pt|pt(future)}'}\n", "no form of 'escrever' for 'future'"),
        ("  - {phenomenon: P, source: '{verb|past(a, b)}'}\n", "line 13: 'past' cannot be called so"),
        ("  - {phenomenon: P, source: '{verb|past(VBG)}'}\n", "line 13: 'past' cannot be called so"),
        ("  - {phenomenon: P, source: '{verb}', wen: x}\n", "line 13: a template has no 'wen'. Available"),
        ("  - {phenomenon: P}\n", "line 13: a template has no text 'source'"),
        ("  - {phenomenon: P, source: '{verb}', when: verb}\n", "line 13: 'verb' is no condition"),
        ("  - {phenomenon: P, source: '{verb}', when: verb.x = 1}\n", "no value of 'verb' has 'x'"),
        ("  - {phenomenon: P, source: '{verb}', when: subject = I}\n", "which the template does not use"),
        ("  - {phenomenon: P, source: a}\n  - {phenomenon: P, source: b}\n", "two templates have the id 'p'"),
        ("  - {phenomenon: P, source: '{verb}', positive_regex: '('}\n", "missing )"),
        ("  - {phenomenon: P, source: a, source: b}\n", "line 13: the key 'source' stands twice"),
        ("  - [\n", "this is not YAML"),
        ("  - {phenomenon: P, source: &a [*a]}\n", "an alias (*) stands inside of what it stands for"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_with_its_place(templates: str, part: str) -> None:
    with pytest.raises(InputError) as error:
        make(templates)
    assert part in str(error.value)
    assert str(error.value).startswith("t.yaml")


def test_a_reference_that_its_own_rules_do_not_find_correct_is_named() -> None:
    template = PAST + '    references: "Ontem {verb.pt|pt(present, subject.as)} cartas."\n'
    assert make(template).doubtful == {
        "simple-past-i-write": "incorrect",
        "simple-past-you-write": "incorrect",
    }


def test_tables_and_slots_may_be_files_beside_the_template(tmp_path: Path) -> None:
    (tmp_path / "verbs.tsv").write_text("en\tpt\nsing\tcantar\n", encoding="utf-8")
    (tmp_path / "pt.tsv").write_text(
        "lemma\tform\tfeatures\ncantar\tcantou|cantava\tV;PST\n", encoding="utf-8"
    )
    text = """\
langpair: en-pt
category: C
slots: {verb: verbs.tsv}
tables: {pt: pt.tsv}
templates: [{phenomenon: P, source: "she {verb.en|VBD}.", positive_regex: "{verb.pt|pt(PST V)}"}]
"""
    (item,) = generate(templates_from_text(text, path="t.yaml", folder=tmp_path)).suite.items
    assert (item.source, item.positive_regex) == ("She sang.", (Rule("(?:cantou|cantava)"),))
    (tmp_path / "pt.tsv").write_text("lemma\tfeatures\ncantar\tV\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"pt\.tsv line 2: no 'form'"):
        templates_from_text(text, path="t.yaml", folder=tmp_path)


def test_an_inflector_of_ones_own_is_a_function_of_texts() -> None:
    template = '  - {phenomenon: P, source: "{verb.pt|own(past, subject.person)}"}\n'
    made = make(template, inflectors={"own": lambda lemma, *features: f"{lemma}+{'+'.join(features)}"})
    assert made.suite.items[0].source == "Escrever+past+1s"


def test_what_people_added_survives_when_a_suite_is_generated_again() -> None:
    suite = make(PAST).suite
    text = suite_text(suite, ".yaml").replace(
        "  source: Yesterday I wrote letters.\n",
        "  source: Yesterday I wrote letters.\n  positive_tokens: [Ontem escrevi.]\n  approver: rui\n",
    )
    old = suite_from_yaml(text, path="s.yaml")
    kept = carry_over(old, suite)
    assert kept.suite == old
    assert (kept.items, kept.lost) == (1, ())
    changed = make(PAST.replace("letters.", "cards.")).suite
    assert carry_over(old, changed).lost == ("simple-past-i-write",)
    # An approval does not outlive a change of the rules; a token does.
    other = make(PAST.replace("    negative_regex", "    tags: [new]\n    negative_regex")).suite
    first = carry_over(old, other).suite.items[0]
    assert (first.approver, first.positive_tokens) == ("", (Rule("Ontem escrevi."),))


def test_the_paradigm_of_the_demo_is_correct_by_its_own_rules() -> None:
    from mtassay.methods.suite.template_generation import read_templates

    path = Path(__file__).parents[3] / "demo" / "suites" / "templates" / "verb-paradigm.en-pt.yaml"
    generated = generate(read_templates(path))
    # 5 persons x 6 verbs x 15 tenses, and the imperative of 6 verbs.
    assert len(generated.suite.items) == 456
    assert generated.doubtful == {}
    assert all(item.positive_regex and item.negative_regex for item in generated.suite.items)


def test_an_inflector_that_fails_is_named_with_the_word() -> None:
    template = '  - {phenomenon: P, source: "{verb.pt|own(x)}"}\n'
    with pytest.raises(InputError, match=r"t\.yaml line 13: 'own' failed for 'escrever' \(KeyError: 'x'\)"):
        make(template, inflectors={"own": lambda lemma, feature: {}[feature]})


def test_english_inflection_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lemminflect", None)
    with pytest.raises(
        MissingExtraError, match=r"needs lemminflect\. Install it: pip install 'mtassay\[templates\]'"
    ):
        make(PAST)
