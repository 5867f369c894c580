"""Checks of broken outputs together: what is counted, what findings say, what is never reported."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Segment
from tests.checks.build import counts, findings

# German, each followed by its English reference; plain sentences that share few words with each other.
GERMAN_ENGLISH = """
Der Zug nach München fährt heute erst um 16:47 Uhr ab.
The train to Munich does not leave until 16:47 today.
Meine Schwester hat gestern ein Buch über die Stadt gekauft.
My sister bought a book about the city yesterday.
Bitte öffnen Sie die Datei {name} mit dem Programm.
Please open the file {name} with the program.
Wir haben im Jahr 1998 rund 12.500 Bäume gepflanzt.
We planted about 12,500 trees in the year 1998.
Mehr dazu steht auf https://beispiel.example/hilfe.
There is more about it at https://beispiel.example/hilfe.
Klicken Sie auf <b>Weiter</b>, um fortzufahren.
Click on <b>Next</b> to go on.
Die Kinder spielen im Park, während die Eltern reden.
The children play in the park while the parents talk.
Es ist sehr kalt und die Straße ist voller Schnee.
It is very cold and the street is full of snow.
Der Hund meines Großvaters schläft den ganzen Tag.
The dog of my grandfather sleeps all day.
Wir müssen entscheiden, was wir mit dem alten Haus tun.
We have to decide what to do with the old house.
"""
LINES = GERMAN_ENGLISH.strip().split("\n")
REFERENCES = LINES[1::2]
SEGMENTS = [Segment(str(i), source, (REFERENCES[i],)) for i, source in enumerate(LINES[::2])]


def broken(index: int, output: str) -> list[str]:
    """The reference outputs with one of them replaced."""
    return [output if i == index else text for i, text in enumerate(REFERENCES)]


def kinds_found(outputs: list[str], *, segments: list[Segment] = SEGMENTS) -> dict[str, int]:
    return counts(segments, {"s": outputs}, pair=("de", "en"))["s"]


@pytest.mark.parametrize(
    ("index", "output", "kind"),
    [
        (1, "", "empty"),
        (1, " \u200b\u00a0\u2060", "empty"),
        (1, "...", "empty"),
        (1, "Meine Schwester hat gestern ein Buch über die Stadt gekauft.", "untranslated"),
        (1, "meine schwester hat gestern ein buch über die stadt gekauft", "untranslated"),
        (8, "Die Kinder spielen im Park, während die Eltern reden.", "wrong-language"),
        (8, "Le chien de mon grand-père dort toute la journée.", "wrong-language"),
        (8, "Собака моего деда спит весь день.", "wrong-language"),
        (8, "我爷爷的狗整天都在睡觉。", "wrong-language"),
        (0, "The train to Munich does not leave until 16:57 today.", "numbers"),
        (3, "We planted about 15,200 trees in the year 1998.", "numbers"),
        (3, "We planted about 12,500 trees that year.", "numbers"),
        (4, "There is more about it at https://beispiel.example/help.", "urls"),
        (4, "There is more about it on our page.", "urls"),
        (2, "Please open the file {Name} with the program.", "placeholders"),
        (2, "Please open the file with the program.", "placeholders"),
        (5, "Click on <b>Next to go on.", "tags"),
        (5, "Click on < b >Next</ b > to go on.", "tags"),
    ],
)
def test_each_kind_of_breakage_is_found_and_nothing_else(index: int, output: str, kind: str) -> None:
    assert kinds_found(broken(index, output)) == {kind: 1}


@pytest.mark.parametrize(
    ("index", "output"),
    [
        (0, "Today's train to Munich only leaves at 4:47 pm."),
        (3, "In 1998 we planted roughly 12 500 trees."),
        (3, "We planted some 12.5 thousand trees in '98."),
        (4, "Read on at HTTPS://beispiel.example/hilfe/"),
        (5, "To continue, click <B>Next</B>."),
        (8, "Grandpa's dog is asleep from dawn to dusk."),
        (8, "Yes."),
    ],
)
def test_a_good_translation_in_other_words_is_not_reported(index: int, output: str) -> None:
    assert kinds_found(broken(index, output)) == {}


def test_findings_follow_the_texts() -> None:
    outputs = ["", *REFERENCES[1:8], REFERENCES[8], ""]
    outputs[3] = "We planted trees."
    found = findings(SEGMENTS, {"bad": outputs, "good": REFERENCES}, pair=("de", "en"))
    assert found["good"] == []
    assert [(f.case_id, f.detector) for f in found["bad"]] == [
        ("0", "check:empty"),
        ("3", "check:numbers"),
        ("9", "check:empty"),
    ]
    assert {(f.system, f.verdict) for f in found["bad"]} == {("bad", "fail")}


def test_evidence_says_what_is_missing_where_and_how_bad_that_is() -> None:
    outputs = broken(0, "The train to Munich does not leave until 16:57 today.")
    (finding,) = findings(SEGMENTS, {"s": outputs}, pair=("de", "en"))["s"]
    assert finding.evidence == {
        "why": "47 is missing; 57 is not in the source",
        "severity": "major",
        "group": "meaning",
        "marks": [
            {"side": "source", "start": 44, "end": 46},
            {"side": "output", "start": 44, "end": 46},
        ],
    }
    assert (SEGMENTS[0].source or "")[44:46] == "47"


def test_evidence_names_the_language() -> None:
    outputs = broken(8, "Le chien de mon grand-père dort toute la journée.")
    (finding,) = findings(SEGMENTS, {"s": outputs}, pair=("de", "en"))["s"]
    assert finding.evidence["why"] == "looks like French, not English"


def test_an_empty_output_is_counted_once() -> None:
    assert kinds_found([""] * len(SEGMENTS)) == {"empty": len(SEGMENTS)}


def test_an_empty_output_is_right_where_the_source_is_empty() -> None:
    assert kinds_found([""], segments=[Segment("1", "", ("Something.",))]) == {}


@pytest.mark.parametrize("missing", ["source", "references", "both"])
def test_an_empty_output_is_found_without_source_or_references(missing: str) -> None:
    segment = Segment(
        "1",
        None if missing != "references" else "Guten Tag.",
        () if missing != "source" else ("Good day.",),
    )
    assert kinds_found([""], segments=[segment]) == {"empty": 1}


def test_without_a_source_nothing_can_be_missing() -> None:
    segments = [segment._replace(source=None) for segment in SEGMENTS]
    outputs = broken(3, "We planted trees.")
    outputs[8] = "Le chien de mon grand-père dort toute la journée."
    assert kinds_found(outputs, segments=segments) == {"wrong-language": 1}


def test_a_reference_that_lacks_something_excuses_an_output() -> None:
    source = "Siehe <b>www.beispiel.example</b>, Seite 37: {0}"
    segment = Segment("1", source, (source.replace("Siehe", "See").replace("Seite", "page"), "See there."))
    assert kinds_found(["Look there."], segments=[segment]) == {}


def test_a_name_may_stay_as_it_is() -> None:
    segments = [Segment("1", "Anna Maria Schulze-Kling", ("Anna Maria Schulze-Kling",)), *SEGMENTS]
    assert kinds_found(["Anna Maria Schulze-Kling", *REFERENCES], segments=segments) == {}


def test_names_of_the_source_do_not_make_an_output_foreign() -> None:
    names = "Heinrich Müller-Lüdenscheidt, Jürgen Größenbach, Käthe Schönwälder"
    segments = [Segment("1", f"Es spielen {names}.", (f"With {names}.",)), *SEGMENTS]
    assert kinds_found([f"Cast: {names}", *REFERENCES], segments=segments) == {}


def test_a_translation_between_variants_of_one_language_may_equal_its_source() -> None:
    segments = [Segment("1", "The old house on the hill is empty.", ())]
    outputs = {"s": ["The old house on the hill is empty."]}
    assert counts(segments, outputs, pair=("en-GB", "en-US"))["s"] == {}


def test_an_unknown_language_is_named() -> None:
    with pytest.raises(UsageError, match="No language 'xx'"):
        findings(SEGMENTS, {"s": REFERENCES}, pair=("xx", "en"))


WORDS = st.sampled_from(["Haus", "the house", "狗", "三千", "...", "\u200b", "\n", "\ud800"])
NUMBERS = st.sampled_from(["1.000", "17", "３７", "٢٠", "15:30", "12.03.2020"])
MARKS = st.sampled_from(
    ["{name}", "%s", "<b>", "</b>", "<br/>", "#NAME#", "[NAME]", "{", "<", "%", "a@b.example"]
)
PIECES = WORDS | NUMBERS | MARKS | st.just("https://a.example/x")
TEXTS = st.lists(PIECES, max_size=6).map(" ".join) | st.text(max_size=30)
MAYBE_TEXTS = st.none() | TEXTS


@given(
    rows=st.lists(st.tuples(MAYBE_TEXTS, MAYBE_TEXTS, MAYBE_TEXTS, TEXTS), max_size=4),
    pair=st.sampled_from([None, ("de", "en"), ("en", "zh"), ("en", "qaa")]),
)
def test_no_text_makes_a_check_fail(rows: list[tuple[str | None, str | None, str | None, str]], pair) -> None:
    segments = [Segment(str(i), source, (one, two)) for i, (source, one, two, _) in enumerate(rows)]
    outputs = {"s": [row[3] for row in rows], "t": [""] * len(rows)}
    for own in findings(segments, outputs, pair=pair).values():
        assert len({(finding.case_id, finding.detector) for finding in own}) == len(own)


@given(rows=st.lists(st.tuples(MAYBE_TEXTS, TEXTS, TEXTS), max_size=4))
def test_a_reference_is_never_reported_as_an_output(rows: list[tuple[str | None, str, str]]) -> None:
    segments = [Segment(str(i), source, (one, two)) for i, (source, one, two) in enumerate(rows)]
    outputs = {"one": [row[1] for row in rows], "two": [row[2] for row in rows]}
    assert findings(segments, outputs, pair=("de", "en")) == {"one": [], "two": []}
