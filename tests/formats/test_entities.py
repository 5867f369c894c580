"""Entity annotation in each format ends up on the right characters of the right reference."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import InputError
from mtassay.data.formats.annotation_files import read_entities
from mtassay.data.formats.entity_markup import Entity, parse_inline
from mtassay.data.nouns import Segment


def segments(*references: str | tuple[str | None, ...] | None) -> list[Segment]:
    """Segments "1", "2", … with one reference each, or several."""
    return [
        Segment(str(number), None, reference if isinstance(reference, tuple) else (reference,))
        for number, reference in enumerate(references, start=1)
    ]


def write(folder: Path, text: str, *, name: str = "entities.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def found(segment: Segment) -> list[tuple[str, str]]:
    """Text and type, after a check that the offsets say the same."""
    reference = segment.references[segment.tags["entities_reference"]]
    for entity in segment.tags["entities"]:
        assert reference[entity.start : entity.end] == entity.text
    return [(entity.text, entity.type) for entity in segment.tags["entities"]]


@pytest.mark.parametrize(
    ("line", "reference", "expected"),
    [
        ("<PER>Ana</PER> left <LOC>Porto</LOC>.", "Ana left Porto.", [("Ana", "PER"), ("Porto", "LOC")]),
        ('<ENAMEX TYPE="PERSON">Ana</ENAMEX> left.', "Ana left.", [("Ana", "PERSON")]),
        ("<enamex type=PERSON>Ana</enamex> left.", "Ana left.", [("Ana", "PERSON")]),
        ('<NUMEX TYPE="MONEY" ALT="$5">$5</NUMEX> due', "$5 due", [("$5", "MONEY")]),
        ("<TIMEX>May</TIMEX> came", "May came", [("May", "TIMEX")]),
        ('<ENAMEX TYPE="ORGANIZATION|LOCATION">Rio</ENAMEX>', "Rio", [("Rio", "ORGANIZATION")]),
        ('<PER id="7">Ana</PER> left', "Ana left", [("Ana", "PER")]),
        ("<PER> Ana </PER> left", "Ana left", [("Ana", "PER")]),
        ("<b>Bold</b> <PER>Ana</PER>", "<b>Bold</b> Ana", [("Ana", "PER")]),
        ("1 < 2, A<B> and <PER>Ana</PER>", "1 < 2, A<B> and Ana", [("Ana", "PER")]),
        ("<ORG>Bank of <LOC>Peru</LOC></ORG>", "Bank of Peru", [("Bank of Peru", "ORG"), ("Peru", "LOC")]),
        ("<ORG>A&amp;B</ORG> fell", "A&B fell", [("A&B", "ORG")]),
        ("<ORG>A&amp;B</ORG> fell", "A&amp;B fell", [("A&amp;B", "ORG")]),
        ("<ORG>A  B</ORG>\tfell", "A B fell", [("A B", "ORG")]),
        ("no names here", "no names here", []),
        ("<LOC>北京</LOC>很大", "北京很大", [("北京", "LOC")]),
    ],
)
def test_inline_tags_become_entities_and_other_markup_stays_text(tmp_path, line, reference, expected):
    [segment] = read_entities(write(tmp_path, line + "\n"), segments(reference))
    assert found(segment) == expected


def test_entities_are_records_with_offsets_and_say_where_they_come_from(tmp_path):
    path = write(tmp_path, "In <LOC>Porto</LOC>\n")
    [segment] = read_entities(path, [Segment("1", "Em Porto", ("In Porto",), "d", {"domain": "news"})])
    assert segment.tags == {
        "domain": "news",
        "entities": (Entity("Porto", "LOC", 3, 8),),
        "entities_reference": 0,
        "entities_origin": "gold",
    }


def test_the_annotated_reference_is_found_among_several(tmp_path):
    path = write(tmp_path, "<PER>Ana</PER> went home\n")
    [segment] = read_entities(path, segments((None, "Ana left", "Ana went home")))
    assert segment.tags["entities_reference"] == 2


def test_an_empty_line_annotates_an_empty_reference(tmp_path):
    first, second = read_entities(write(tmp_path, "\n<PER>Ana</PER>\n"), segments("", "Ana"))
    assert found(first) == []
    assert found(second) == [("Ana", "PER")]


def test_an_empty_line_leaves_a_segment_without_reference_unannotated(tmp_path):
    first, _ = read_entities(write(tmp_path, "\n<PER>Ana</PER>\n"), segments(None, "Ana"))
    assert "entities" not in first.tags


CONLL = "O\tO\nBrien\tB-PER\n,\tO\nNew\tB-LOC\nYork\tI-LOC\n\n#\tO\nRio\tI-LOC\nAna\tB-PER\nEva\tB-PER\n"
IN_CONLL = [[("Brien", "PER"), ("New York", "LOC")], [("Rio", "LOC"), ("Ana", "PER"), ("Eva", "PER")]]
UNER = (
    "# newdoc id = 1\n# sent_id = 1-1\n# text = New York's Ana\n1\tNew\tB-LOC\t-\tme\n2\tYork\tI-LOC\t-\tme\n"
    "3\t's\tO\t-\t-\n4\tAna\tB-PER\t-\tme\n\n# text = none\n1\tnone\tO\t-\t-\n\n"
)


@pytest.mark.parametrize(
    ("text", "references", "expected"),
    [
        (CONLL, ["O Brien, New York", "#Rio Ana Eva"], IN_CONLL),
        (CONLL.replace("\t", " "), ["O Brien , New York", "# Rio Ana Eva"], IN_CONLL),
        (UNER, ["New York's Ana", "none"], [[("New York", "LOC"), ("Ana", "PER")], []]),
        ("-DOCSTART- -X- O O\n\n7 CD B-NP O\nRio NNP I-NP B-LOC\n", ["7 Rio"], [[("Rio", "LOC")]]),
        ("A\tB-X\nB\tI-X\nC\tE-X\nD\tS-X\nE\tU-Y\n", ["ABC D E"], [[("ABC", "X"), ("D", "X"), ("E", "Y")]]),
        ("1-2\tdas\tO\n1\tde\tO\n2\tas\tO\n3\tAna\tB-P\n", ["de as Ana"], [[("Ana", "P")]]),
        ("北\tB-LOC\n京\tI-LOC\n大\tO\n", ["北京大"], [[("北京", "LOC")]]),
    ],
)
def test_iob_entities_are_found_whatever_the_spacing(tmp_path, text, references, expected):
    annotated = read_entities(write(tmp_path, text, name="x.iob2"), segments(*references))
    assert [found(segment) for segment in annotated] == expected
    assert [found(s) for s in read_entities(write(tmp_path, text), segments(*references))] == [
        found(segment) for segment in annotated
    ], "the format is found by content, too"


def test_iob_passes_over_segments_with_an_empty_reference(tmp_path):
    path = write(tmp_path, "Ana\tB-PER\n\nRio\tB-LOC\n")
    first, gap, last = read_entities(path, segments("Ana", "", "Rio"))
    assert (found(first), found(last)) == ([("Ana", "PER")], [("Rio", "LOC")])
    assert "entities" not in gap.tags


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"entities": [{"start": 3, "end": 8, "type": "LOC"}]}, [("Porto", "LOC")]),
        ({"entities": [{"start": 3, "end": 8, "label": "LOC", "text": "Porto"}]}, [("Porto", "LOC")]),
        ({"entities": [{"text": "Porto", "type": "LOC"}]}, [("Porto", "LOC")]),
        (
            {"text": "In  Porto, Porto", "entities": [{"start": 4, "end": 9, "type": "LOC"}]},
            [("Porto", "LOC")],
        ),
        (
            {"entities": [{"text": "Porto", "type": "LOC"}, {"text": "Porto", "type": "LOC"}]},
            [("Porto", "LOC"), ("Porto", "LOC")],
        ),
        (
            {"entities": [{"start": 3, "end": 8, "type": "A"}, {"start": 0, "end": 5, "type": "B"}]},
            [("In Po", "B"), ("Porto", "A")],
        ),
        ({"entities": []}, []),
    ],
)
@pytest.mark.parametrize("name", ["x.jsonl", "x.json", "x.txt"])
def test_standoff_records_give_offsets_or_texts(tmp_path, record, expected, name):
    lines = json.dumps([record]) if name == "x.json" else json.dumps(record) + "\n"
    [segment] = read_entities(write(tmp_path, lines, name=name), segments("In Porto, Porto"))
    assert found(segment) == expected


def test_standoff_ids_name_segments_in_any_order_and_may_leave_some_out(tmp_path):
    lines = '{"id": 3, "entities": [{"text": "Rio", "type": "LOC"}]}\n{"id": "1", "entities": []}\n'
    first, second, third = read_entities(
        write(tmp_path, lines, name="x.jsonl"), segments("Ana", "Eva", "Rio")
    )
    assert (found(first), found(third)) == ([], [("Rio", "LOC")])
    assert "entities" not in second.tags


def test_standoff_offsets_count_in_the_reference_they_name(tmp_path):
    line = '{"reference": 1, "entities": [{"start": 0, "end": 3, "type": "PER"}]}'
    [segment] = read_entities(write(tmp_path, line, name="x.jsonl"), segments(("She left", "Ana left")))
    assert segment.tags["entities_reference"] == 1
    assert found(segment) == [("Ana", "PER")]


def test_the_same_entity_twice_is_one(tmp_path):
    entity = {"start": 0, "end": 3, "type": "PER"}
    path = write(tmp_path, json.dumps([{"entities": [entity, entity]}]), name="x.json")
    [segment] = read_entities(path, segments("Ana"))
    assert found(segment) == [("Ana", "PER")]


def test_compressed_annotation_is_read(tmp_path):
    path = tmp_path / "x.iob2.gz"
    path.write_bytes(gzip.compress(b"Ana\tB-PER\n"))
    assert found(read_entities(path, segments("Ana"))[0]) == [("Ana", "PER")]


def test_references_are_made_from_the_annotation_only_if_asked(tmp_path):
    path = write(tmp_path, "<PER>Ana</PER> left\n")
    [made] = read_entities(path, [Segment("1", "Ana saiu")], make_references=True)
    assert made.references == ("Ana left",)
    assert found(made) == [("Ana", "PER")]
    with pytest.raises(InputError, match="line 1: segment '1' has no reference to annotate"):
        read_entities(path, [Segment("1", "Ana saiu")])


def test_a_made_reference_takes_the_untokenised_text_where_the_file_has_it(tmp_path):
    path = write(tmp_path, UNER, name="x.iob2")
    made = read_entities(path, [Segment("1"), Segment("2")], make_references=True)
    assert [segment.references for segment in made] == [("New York's Ana",), ("none",)]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.txt", "<PER>Ana</PER> went\n", "x.txt line 1: the annotated text is no reference"),
        ("x.txt", "<PER>Ana</PER>\n", "line 1: the annotated text is no reference"),
        ("x.txt", "<PER>Ana left\n", "line 1: .*<PER> has no partner"),
        ("x.txt", "<PER>Ana</LOC> left\n", "line 1: .*</LOC> has no partner"),
        ("x.txt", "<A>Ana<B> l</A>eft</B>\n", "line 1: .*<B> has no partner"),
        ("x.txt", "<PER></PER>Ana left\n", "line 1: an empty PER entity"),
        ("x.txt", "Ana left\nAna left\n", "x.txt: 2 annotated sentences for 1 segments"),
        ("x.iob2", "Ana\tB-PER\nleft\tX\n", "line 2: tag 'X' is not O, B-TYPE or I-TYPE"),
        ("x.iob2", "Ana\tB-PER\nleft\n", "line 2: 1 columns, expected 2"),
        ("x.iob2", "Ana\nleft\n", "line 1: 1 column, expected a token and its tag"),
        ("x.iob2", "# text = Ana\n", "x.iob2: no tokens in the file"),
        ("x.iob2", "Ana\tB-PER\nleft\tO\nnow\tO\n", "line 1: the annotated text is no reference"),
        ("x.jsonl", "{\n", "line 1: not JSON"),
        ("x.jsonl", "[]\n", 'line 1: expected an object with "entities"'),
        ("x.jsonl", '{"entities": [3]}', "line 1: an entity is not an object"),
        ("x.jsonl", '{"entities": [{"start": 0, "end": 3}]}', 'line 1: entity .* has no "type"'),
        ("x.jsonl", '{"entities": [{"start": 3, "end": 3, "type": "P"}]}', 'line 1: .*"start" < "end"'),
        ("x.jsonl", '{"entities": [{"start": true, "end": 3, "type": "P"}]}', "line 1: .*whole numbers"),
        ("x.jsonl", '{"entities": [{"start": 0, "end": 99, "type": "P"}]}', "line 1: .*has 8 characters"),
        ("x.jsonl", '{"entities": [{"text": "Eva", "type": "P"}]}', "line 1: .*'Eva' does not occur"),
        (
            "x.jsonl",
            '{"entities": [{"start": 0, "end": 3, "text": "Eva", "type": "P"}]}',
            "line 1: .*0–3 are 'Ana', not 'Eva'",
        ),
        ("x.jsonl", '{"id": "9", "entities": []}', "line 1: no segment has the id '9'"),
        ("x.jsonl", '{"id": "1", "entities": []}\n{"entities": []}', "line 2: this record has no id"),
        ("x.jsonl", '{"id": "1", "entities": []}\n{"id": 1, "entities": []}', "line 2: .*annotated twice"),
        ("x.jsonl", '{"reference": 1, "entities": []}', "line 1: .*has no reference 1"),
        ("x.json", '{"entities": []}', "x.json: expected a list of objects"),
        ("x.json", '[{"entities": []}, 3]', "x.json: record 2: expected an object"),
        ("x.json", '[\n{"entities": []\n', "x.json line 2: not JSON"),
    ],
)
def test_malformed_annotation_is_one_line_that_names_the_place(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message) as caught:
        read_entities(write(tmp_path, text, name=name), segments("Ana left"))
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        read_entities(tmp_path / "none.txt", segments("Ana"))


pieces = st.lists(
    st.tuples(
        st.sampled_from(["", "PER", "LOC"]), st.text(st.characters(exclude_characters="<&\n\r"), max_size=8)
    ),
    max_size=6,
)


@given(pieces)
def test_inline_tags_can_be_taken_out_of_any_text(pieces):
    line = "".join(f"<{kind}>{text}</{kind}>" if kind else text for kind, text in pieces)
    [annotation] = parse_inline([line])
    text, spans = annotation.readings[0]
    assert text == "".join(text for _, text in pieces)
    assert [(span.type, text[span.start : span.end]) for span in spans if span.start != span.end] == [
        piece for piece in pieces if piece[0] and piece[1]
    ]


@pytest.mark.parametrize(("language", "entities"), [("en", 1075), ("de", 1039), ("zh", 1139)])
def test_universal_ner_loads_on_plain_references(data_folder, language, entities):
    """The counts are those of the B- tags in the files (`cut -f3 FILE | grep -c ^B-`)."""
    path = data_folder / "ner" / f"uner-pud.{language}.iob2"
    made = read_entities(path, [Segment(str(number)) for number in range(1000)], make_references=True)
    assert sum(len(segment.tags["entities"]) for segment in made) == entities
    plain = [Segment(segment.id, None, segment.references) for segment in made]
    assert read_entities(path, plain) == made
