"""NEE counts unique names per unit, and the reference itself scores 100."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.annotation_files import read_entities
from mtassay.data.formats.entity_markup import Entity, parse_inline
from mtassay.data.nouns import Segment
from mtassay.measures.corpus import Corpus, measure
from mtassay.measures.nee import NEE
from tests.fakes import MemoryContext


def segment(line: str, *, name: str = "1", document: str | None = None, paragraph: object = None) -> Segment:
    """A segment from its reference with inline tags."""
    text, spans = parse_inline([line])[0].readings[0]
    entities = tuple(Entity(text[span.start : span.end], span.type, span.start, span.end) for span in spans)
    tags = {"entities": entities} | ({} if paragraph is None else {"paragraph": paragraph})
    return Segment(name, None, (text,), document, tags)


def score(metric: NEE, segments: list[Segment], outputs: list[str]) -> float:
    [statistics] = metric.measure(segments, {"system": outputs})
    return float(metric.aggregate(statistics.values.sum(axis=0)))


DOCUMENT = [
    segment("<PER>Ana Sá</PER> left <LOC>Rio</LOC>", name="1", document="d", paragraph=1),
    segment("<PER>ANA SÁ</PER> found <LOC>Rio</LOC> hot", name="2", document="d", paragraph=1),
    segment("<LOC>Lima</LOC> and <LOC>Rio</LOC>", name="3", document="d", paragraph=2),
    segment("<LOC>Oslo</LOC>", name="4"),
]
OUTPUT = ["Ana Sa left", "She found Rio hot", "Lime and Rio", "Oslo"]


@pytest.mark.parametrize(
    ("unit", "ids", "rows"),
    [
        # matched, entities, matched:LOC, entities:LOC, matched:PER, entities:PER; counted by hand.
        ("segment", ["1", "2", "3", "4"],
         [[1, 2, 0, 1, 1, 1], [1, 2, 1, 1, 0, 1], [1, 2, 1, 2, 0, 0], [1, 1, 1, 1, 0, 0]]),
        ("paragraph", ["d/1", "d/2", "4"], [[2, 2, 1, 1, 1, 1], [1, 2, 1, 2, 0, 0], [1, 1, 1, 1, 0, 0]]),
        ("document", ["d", "4"], [[2, 3, 1, 2, 1, 1], [1, 1, 1, 1, 0, 0]]),
    ],
)  # fmt: skip
def test_names_are_unique_within_their_unit(unit, ids, rows):
    [statistics] = NEE(unit=unit).measure(DOCUMENT, {"s": OUTPUT})
    assert statistics.ids == ids
    assert statistics.columns == [
        "matched", "entities", "matched:LOC", "entities:LOC", "matched:PER", "entities:PER",
    ]  # fmt: skip
    assert statistics.values.tolist() == rows


def test_the_score_is_a_percentage_of_entities_with_one_group_per_type():
    metric = NEE()
    [statistics] = metric.measure(DOCUMENT, {"s": OUTPUT})
    sums = statistics.values.sum(axis=0)
    assert metric.aggregate(sums) == 75
    assert metric.size(sums, 2) == 4
    groups = metric.groups(statistics.columns)
    assert groups == {"LOC": [2, 3], "PER": [4, 5]}
    assert metric.aggregate(sums[groups["LOC"]]) == pytest.approx(200 / 3)
    assert metric.size(sums[groups["LOC"]], 2) == 3
    assert metric.aggregate(np.stack([[sums, sums]])).tolist() == [[75, 75]]


def test_a_unit_without_entities_has_no_score_and_changes_no_total():
    metric = NEE(unit="segment")
    segments = [segment("<LOC>Rio</LOC>", name="1"), segment("nothing", name="2")]
    [statistics] = metric.measure(segments, {"s": ["Rio", "nothing"]})
    assert metric.unit_scores(statistics.values)[0] == 100
    assert math.isnan(metric.unit_scores(statistics.values)[1])
    assert metric.aggregate(statistics.values.sum(axis=0)) == 100


def test_a_name_with_two_types_counts_once_in_the_whole_and_once_in_each():
    segments = [segment("<PER>Sydney</PER> saw <LOC>Sydney</LOC>")]
    [statistics] = NEE().measure(segments, {"s": ["Sydney"]})
    assert statistics.values.tolist() == [[1, 1, 1, 1, 1, 1]]


@pytest.mark.parametrize(
    ("match", "line", "output", "expected"),
    [
        ("exact", "<ORG>Bank of Peru</ORG>", "the Peru Bank", 0),
        ("partial", "<ORG>Bank of Peru</ORG>", "the Peru Bank", 80),  # 2 * 2 / (3 + 2)
        ("partial", "<PER>Omicron</PER>", "Omikron", 0),
        ("similar", "<PER>Gorbachev</PER>", "Gorbatschow", 100 * (1 - 4 / 11)),
        ("similar", "<PER>Ana</PER>", "nobody", 0),
    ],
)
def test_partial_and_similar_matches_earn_part_of_a_point(match, line, output, expected):
    assert score(NEE(match=match), [segment(line)], [output]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("switch", "line", "output"),
    [
        ("diacritics", "<LOC>São Tomé</LOC>", "Sao Tome"),
        ("case", "<ORG>NATO</ORG>", "Nato"),
        ("numbers", "<NUM>twenty-three</NUM> men", "23 men"),
        ("possessives", "<PER>Ana</PER> sang", "Ana's song"),
        ("possessives", "<PER>Ana's</PER> song", "Ana sang"),
    ],
)
def test_each_normalisation_of_the_paper_can_be_turned_off(switch, line, output):
    assert score(NEE(), [segment(line)], [output]) == 100
    assert score(NEE(**{switch: False}), [segment(line)], [output]) == 0


@pytest.mark.parametrize("line", ["<PER>Putin</PER>s Reise", "<NUM>twenty</NUM>-three", "<LOC>北</LOC>京"])
def test_annotation_may_cut_a_token(line):
    own = segment(line)
    assert score(NEE(), [own], [own.references[0]]) == 100


def test_a_cut_token_is_also_found_as_it_was_annotated():
    assert score(NEE(language="de"), [segment("<PER>Putin</PER>s Reise")], ["die Reise von Putin"]) == 100


def test_turning_numbers_on_can_lose_a_match_that_was_none():
    """In "twenty-three", "twenty" is no number of its own."""
    segments = [segment("<NUM>twenty</NUM> men")]
    assert score(NEE(numbers=False), segments, ["twenty-three men"]) == 100
    assert score(NEE(), segments, ["twenty-three men"]) == 0


def test_the_annotated_reference_is_the_one_that_counts():
    entity = Entity("Ana", "PER", 0, 3)
    tags = {"entities": [list(entity)], "entities_reference": 1}
    assert score(NEE(), [Segment("1", None, ("She left", "Ana left"), None, tags)], ["Ana"]) == 100


def test_entities_may_be_plain_objects_as_stored_files_hold_them():
    tags = {"entities": [{"text": "Ana", "type": "PER", "start": 0, "end": 3}]}
    assert score(NEE(), [Segment("1", None, ("Ana left",), None, tags)], ["Ana"]) == 100


@pytest.mark.parametrize(("references", "index"), [(("He left",), 0), (("Ana",), 1), ((None,), 0)])
def test_entities_that_are_not_in_their_reference_are_an_input_error(references, index):
    tags = {"entities": (Entity("Ana", "PER", 0, 3),), "entities_reference": index}
    with pytest.raises(InputError, match=r"segment '1': reference .* does not have 'Ana'"):
        score(NEE(), [Segment("1", None, references, None, tags)], ["Ana"])


def test_without_any_annotation_the_error_says_how_to_get_some():
    with pytest.raises(UsageError, match="`entities='FILE'`, or have a model find them"):
        score(NEE(), [Segment("1", None, ("Ana",))], ["Ana"])


def test_new_annotation_of_the_same_texts_gives_new_statistics():
    context = MemoryContext()
    for line, expected in (("<LOC>Rio</LOC> and Lima", 1), ("<LOC>Rio</LOC> and <LOC>Lima</LOC>", 2)):
        [statistics] = measure(NEE(), Corpus([segment(line)], {"s": ["Rio"]}), context)
        assert statistics.values[0, 1] == expected


def test_a_segment_may_have_the_name_of_a_document():
    segments = [segment("<LOC>Rio</LOC>", name="7", document="d"), segment("<LOC>Rio</LOC>", name="d")]
    [statistics] = NEE().measure(segments, {"s": ["Rio", "Rio"]})
    assert statistics.ids == ["d", "d (2)"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"unit": "line"}, "No unit 'line' in nee. Available: segment, paragraph, document"),
        ({"match": "fuzzy"}, "No match 'fuzzy' in nee. Available: exact, partial, similar"),
        ({"language": "klingonese"}, "No language 'klingonese'"),
    ],
)
def test_an_unknown_setting_names_the_choices(settings, message):
    with pytest.raises(UsageError, match=message):
        NEE(**settings)


def test_the_signature_says_all_that_changes_the_number():
    segments = [segment("<LOC>Rio</LOC>")]
    signature = NEE(language="por_Latn", case=False).signature(segments, extra={"bs": 1000})
    assert signature.startswith(
        "nrefs:1|bs:1000|entities:gold|unit:document|match:exact"
        "|diacritics:yes|case:no|numbers:yes|possessives:yes|names:yes|dates:yes|language:pt|version:mtassay-"
    )
    assert "language" not in NEE().signature(segments)


def test_findings_show_what_was_missed_and_what_stands_there_instead():
    segments = [
        segment("<PER>Ana</PER> met <PER>Gorbachev</PER> in <LOC>Rio</LOC>", name="1"),
        segment("<LOC>Rio</LOC>", name="2"),
    ]
    [finding] = NEE(unit="segment").findings(segments, "engine", ["Ana met GorbaČov there", "Rio"])
    assert (finding.case_id, finding.system, finding.detector, finding.verdict) == (
        "1",
        "engine",
        "nee",
        "fail",
    )
    assert finding.value == pytest.approx(1 / 3)
    gorbachev, rio = finding.evidence["missed"]
    # gorbachev, gorbacov: one deletion and one substitution in nine characters
    assert gorbachev == {
        "text": "Gorbachev", "type": "PER", "segment": "1", "credit": 0.0,
        "near": "GorbaČov", "similarity": pytest.approx(1 - 2 / 9),
    }  # fmt: skip
    assert (rio["text"], rio["near"], rio["similarity"]) == ("Rio", None, None)


def test_findings_of_a_document_name_the_segment_of_each_missed_name():
    [finding] = NEE().findings(DOCUMENT, "engine", OUTPUT)
    assert finding.case_id == "d"
    assert [(miss["text"], miss["segment"], miss["near"]) for miss in finding.evidence["missed"]] == [
        ("Lima", "3", "Lime")
    ]


words = st.sampled_from(
    ["Ana", "ANA's", "São", "sao", "twenty", "three", "-", "23", "1,234.5", "北京", "Müller", "Mueller", "’"]
)  # fmt: skip
texts = st.lists(words, min_size=1, max_size=8).map(" ".join) | st.text(min_size=1, max_size=30)
settings = st.fixed_dictionaries(
    {
        **{switch: st.booleans() for switch in ("diacritics", "case", "numbers", "possessives")},
        "unit": st.sampled_from(["segment", "document"]),
        "match": st.sampled_from(["exact", "partial", "similar"]),
        "language": st.sampled_from(["", "en", "pt", "fr", "tr", "zh"]),
    }
)


@st.composite
def annotated(draw: st.DrawFn, *, entities: int = 3) -> Segment:
    text = draw(texts)
    spans = draw(
        st.lists(
            st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted), max_size=entities
        )
    )
    found = tuple(Entity(text[a:b], draw(st.sampled_from("XY")), a, b) for a, b in spans)
    document = draw(st.sampled_from([None, "d"]))
    return Segment(draw(st.uuids().map(str)), None, (text,), document, {"entities": found})


@given(st.lists(annotated(), min_size=1, max_size=4), settings)
def test_the_annotated_reference_scores_one_hundred(segments, settings):
    metric = NEE(**settings)
    result = score(metric, segments, [segment.references[0] for segment in segments])
    assert math.isnan(result) or result == 100
    assert not list(metric.findings(segments, "s", [segment.references[0] for segment in segments]))


@given(annotated(entities=1), texts, settings, st.sampled_from(["diacritics", "case", "possessives"]))
def test_turning_a_switch_on_never_loses_a_match(segment, output, settings, switch):
    exact = settings | {"match": "exact"}
    off = score(NEE(**exact | {switch: False}), [segment], [output])
    on = score(NEE(**exact | {switch: True}), [segment], [output])
    assert math.isnan(on) or math.isnan(off) or on >= off


@given(annotated(), texts, settings)
def test_partial_and_similar_earn_at_least_what_exact_earns(segment, output, settings):
    scores = [
        score(NEE(**settings | {"match": match}), [segment], [output])
        for match in ("exact", "partial", "similar")
    ]
    assert all(math.isnan(value) or scores[0] <= value <= 100 for value in scores)


@given(st.lists(st.tuples(annotated(), texts, texts), min_size=1, max_size=4), settings)
def test_the_order_and_company_of_systems_change_nothing(rows, settings):
    segments = [row[0] for row in rows]
    outputs = {"a": [row[1] for row in rows], "b": [row[2] for row in rows]}
    metric = NEE(**settings)
    both = {statistics.system: statistics for statistics in metric.measure(segments, outputs)}
    turned = metric.measure(segments, dict(reversed(outputs.items())))
    assert [statistics.system for statistics in turned] == ["b", "a"]
    for statistics in [*turned, *metric.measure(segments, {"a": outputs["a"]})]:
        assert np.array_equal(statistics.values, both[statistics.system].values)


@given(st.lists(annotated(), min_size=1, max_size=3), settings)
def test_a_document_said_twice_has_the_same_names_once(segments, settings):
    metric = NEE(**settings | {"unit": "document"})
    segments = [segment._replace(document="d") for segment in segments]
    again = [segment._replace(id=segment.id + "'") for segment in segments]
    outputs = ["Ana in São 23"] * len(segments)
    [once] = metric.measure(segments, {"s": outputs})
    [twice] = metric.measure(segments + again, {"s": outputs * 2})
    assert np.array_equal(once.values, twice.values)


@pytest.mark.parametrize("language", ["en", "de", "zh"])
@pytest.mark.parametrize("match", ["exact", "partial", "similar"])
def test_gold_annotation_of_real_sentences_scores_itself_one_hundred(data_folder, language, match):
    path = data_folder / "ner" / f"uner-pud.{language}.iob2"
    segments = read_entities(path, [Segment(str(number)) for number in range(1000)], make_references=True)
    metric = NEE(unit="segment", match=match, language=language)
    [statistics] = metric.measure(segments, {"human": [segment.references[0] for segment in segments]})
    sums = statistics.values.sum(axis=0)
    assert metric.aggregate(sums) == 100
    assert metric.groups(statistics.columns).keys() == {"LOC", "ORG", "PER"}
    assert metric.size(sums, 1000) > 1000
