"""Label Studio and Pearmut: what goes there comes back whole, and nothing in a text is more than text."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.annotation_platforms import (
    labeling_config,
    pearmut_annotations,
    pearmut_campaign,
    pearmut_item,
    task_of,
)
from mtassay.data.formats.review_files import read_reviews
from mtassay.data.nouns import Review
from mtassay.data.questions import AnswerSpan, SpanAnswer, find_question
from mtassay.data.subjects import Subject

AT = "2026-01-31T12:00:00+00:00"
HOSTILE = Subject(
    "=1+1", ('<script>alert(1)</script>\n😀 Ann\'s "cat"',), ("<img src=x onerror=y> 😀 a Ana\t=2",)
)
SPANS = SpanAnswer(
    (
        AnswerSpan(22, 23, "accuracy/mistranslation", "major"),
        AnswerSpan(26, 29, "fluency/grammar", "minor"),
        AnswerSpan(28, 31, "accuracy/omission", "major", "source"),
    )
)
ANSWERS = {
    "suite": "incorrect",
    "invariance": "mistranslation",
    "da": "87",
    "adequacy": "4",
    "entities": str(SpanAnswer((AnswerSpan(26, 29, "PER"),))),
    "mqm": str(SPANS),
    "esa": str(SpanAnswer((AnswerSpan(24, 25, "error", "minor"),), 61.0)),
}
NOTHING = {"mqm": str(SpanAnswer()), "entities": str(SpanAnswer()), "esa": str(SpanAnswer((), 100.0))}


def answered(question: str, answer: str, reviewer: str = "anna", *, final: bool = False) -> Review:
    return Review(HOSTILE.id, question, answer, reviewer, "=cmd|' /C calc'!A0", AT, final)


def read_back(path: Path, content: object) -> list[Review]:
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    rows = read_reviews(path).rows
    assert all(row.subject == HOSTILE for row in rows)
    return [row.review for row in rows]


@pytest.mark.parametrize("question", ANSWERS)
def test_answers_go_to_label_studio_and_come_back_whole(question: str, tmp_path: Path) -> None:
    reviews = [
        answered(question, ANSWERS[question]),
        answered(question, "unsure", "ben@example.org"),
        answered(question, ANSWERS[question], "dora", final=True),
    ]
    task = task_of(HOSTILE, find_question(question), reviews)
    assert read_back(tmp_path / "tasks.json", [task]) == reviews


@pytest.mark.parametrize("question", NOTHING)
def test_no_errors_go_to_both_and_come_back(question: str, tmp_path: Path) -> None:
    review = Review(HOSTILE.id, question, NOTHING[question], "anna", "", AT)
    asked = find_question(question)
    assert read_back(tmp_path / "t.json", [task_of(HOSTILE, asked, [review])]) == [review]
    if question != "entities":
        content = pearmut_annotations("c", asked, [(review, HOSTILE, "nmt")])
        assert read_back(tmp_path / "a.json", content) == [review]


@pytest.mark.parametrize("question", ["da", "adequacy", "mqm", "esa"])
def test_answers_go_to_pearmut_and_come_back_whole(question: str, tmp_path: Path) -> None:
    review = answered(question, ANSWERS[question])
    content = pearmut_annotations("c", find_question(question), [(review, HOSTILE, "nmt")])
    assert read_back(tmp_path / "annotations.json", content) == [review]


@pytest.mark.parametrize("question", ANSWERS)
def test_a_labeling_configuration_is_xml_that_offers_every_answer(question: str) -> None:
    asked = find_question(question)
    root = ElementTree.fromstring(labeling_config(asked))
    values = {element.get("value") for element in root.iter() if element.tag in ("Choice", "Label")}
    assert values >= set(asked.keys.values()) | set(getattr(asked, "labels", {}).values())
    names = {element.get("name") for element in root.iter()}
    results = task_of(HOSTILE, asked, [answered(question, ANSWERS[question])])["annotations"][0]["result"]
    assert {result["from_name"] for result in results} <= names
    assert {result["to_name"] for result in results} <= names


def test_what_label_studio_itself_writes_is_read(tmp_path: Path) -> None:
    task: dict[str, Any] = task_of(HOSTILE, find_question("entities"))
    # A browser counts the emoji twice; users are known by number; times end in Z.
    region = {"start": 27, "end": 30, "text": "Ana", "labels": ["PER"]}
    result = {"id": "Dx", "from_name": "labels", "to_name": "target", "type": "labels", "value": region}
    done = {"id": 1001, "result": [result], "was_cancelled": False, "created_at": "2026-01-31T12:00:00.5Z"}
    skipped = {"result": [], "was_cancelled": True, "completed_by": 11}
    task |= {"id": 1, "annotations": [{**done, "completed_by": 10}, skipped], "predictions": []}
    (tmp_path / "t.json").write_text(json.dumps([task]), encoding="utf-8")
    found = read_reviews(tmp_path / "t.json")
    (row,) = found.rows
    assert (row.review.reviewer, row.review.answer) == ("labelstudio-10", ANSWERS["entities"])
    assert found.left == {"skipped": 1}


@pytest.mark.parametrize(
    ("question", "kept", "left"),
    [
        ("mqm", ['{"spans": []}'], {"skipped": 1, "left as a draft": 1, "made by a model": 2}),
        ("entities", ['{"spans": []}'], {"skipped": 1, "left as a draft": 1, "made by a model": 2}),
        (
            "esa",
            [],
            {"skipped": 1, "left without a score": 1, "left as a draft": 1, "made by a model": 2},
        ),
        ("da", [], {"skipped": 1, "left empty": 1, "left as a draft": 1, "made by a model": 2}),
        ("suite", [], {"skipped": 1, "left empty": 1, "left as a draft": 1, "made by a model": 2}),
    ],
)
def test_nothing_marked_in_label_studio_is_an_answer_and_all_else_is_counted(
    question: str, kept: list[str], left: dict[str, int], tmp_path: Path
) -> None:
    task: dict[str, Any] = task_of(HOSTILE, find_question(question))
    submitted = {"result": [], "was_cancelled": False, "completed_by": 1, "created_at": AT}
    task["annotations"] = [{**submitted, "was_cancelled": True}, submitted]
    task |= {"drafts": [{"result": [], "user": "a"}], "predictions": [{"result": []}, {"result": []}]}
    (tmp_path / "t.json").write_text(json.dumps([task]), encoding="utf-8")
    found = read_reviews(tmp_path / "t.json")
    assert [row.review.answer for row in found.rows] == kept
    assert found.left == left
    assert len(found.rows) + found.empty == 5


def test_all_that_pearmut_wrote_is_kept_or_counted(tmp_path: Path) -> None:
    def entry(question: str, score: float | None, number: int | str) -> dict[str, Any]:
        item = pearmut_item(HOSTILE, find_question(question), "nmt")
        annotation = {"score": score, "error_spans": []}
        return {"item": [item], "user_id": "fox", "item_i": number, "annotation": [{"nmt": annotation}]}

    reset = {"user_id": "fox", "item_i": 3, "annotation": "__RESET__"}
    form = {"user_id": "fox", "item_i": "form_0", "annotation": "yes", "item": "Are you well?"}
    entries = [entry("mqm", None, 0), entry("esa", None, 1), entry("esa", 90, 2), entry("da", None, 4)]
    entries += [entry("esa", 5, 3), reset, form, entry("esa", 5, "welcome_0")]
    (tmp_path / "a.json").write_text(json.dumps({"c": entries}), encoding="utf-8")
    found = read_reviews(tmp_path / "a.json")
    assert [row.review.question for row in found.rows] == ["mqm", "esa"]
    assert found.left == {
        "left without a score": 1,
        "left empty": 1,
        "reset later": 1,
        "of a tutorial or a form": 2,
    }


def test_what_pearmut_itself_writes_is_read(tmp_path: Path) -> None:
    item = pearmut_item(HOSTILE, find_question("esa"), "nmt")
    target = item["tgt"]["nmt"]
    length = len(target.encode("utf-16-le")) // 2
    spans = [
        {"start_i": length, "end_i": length, "severity": "major", "category": None},
        {"start_i": target.index("a Ana") + 1, "end_i": target.index("a Ana") + 1, "severity": "minor"},
    ]
    entry = {
        **{"item": [item], "user_id": "swift-fox", "item_i": 0},
        "actions": [{"time": 1769860800.0, "action": "load"}, {"time": 1769860805.0, "action": "submit"}],
        "annotation": [{"nmt": {"score": 61, "sliders": None, "error_spans": spans, "textfield": None}}],
    }
    earlier = {**entry, "annotation": [{"nmt": {"score": 5, "error_spans": []}}]}
    reset = {"user_id": "swift-fox", "item_i": 0, "annotation": "__RESET__"}
    tutorial = {**earlier, "item_i": "welcome_0"}
    (review,) = read_back(tmp_path / "a.json", {"c": [tutorial, earlier, reset, entry]})
    assert (review.reviewer, review.at) == ("swift-fox", "2026-01-31T12:00:05+00:00")
    whole = len(HOSTILE.sources[0] or "")
    assert json.loads(review.answer) == {
        "spans": [
            {"start": 24, "end": 25, "label": "error", "severity": "minor"},
            {"start": 0, "end": whole, "label": "omission", "severity": "major", "side": "source"},
        ],
        "score": 61,
    }


def test_an_error_without_a_category_is_no_answer_to_mqm(tmp_path: Path) -> None:
    review = answered("mqm", ANSWERS["mqm"])
    task = task_of(HOSTILE, find_question("mqm"), [review])
    task["annotations"][0]["result"][0]["value"]["labels"] = []
    content = pearmut_annotations("c", find_question("mqm"), [(review, HOSTILE, "nmt")])
    content["c"][0]["annotation"][0]["nmt"]["error_spans"][0]["category"] = None
    for name, written in (("t.json", [task]), ("a.json", content)):
        (tmp_path / name).write_text(json.dumps(written), encoding="utf-8")
        with pytest.raises(InputError, match="22–23 of the target has no category"):
            read_reviews(tmp_path / name)


def test_a_campaign_for_pearmut_is_of_the_documented_shape_and_no_text_is_markup_there() -> None:
    question = find_question("mqm")
    made = pearmut_campaign("c", question, [pearmut_item(HOSTILE, question, "7")], reviewers=["anna"])
    ((item,),) = made["data"]
    assert made["info"]["protocol"] == "MQM"
    assert made["info"]["mqm_categories"]["accuracy"][:2] == ["addition", "omission"]
    assert made["info"]["mqm_categories"]["other"] == []
    assert list(item["tgt"]) == ["system 7"]  # digits alone would be sorted
    # What begins with a tag is taken for a picture or a film there.
    assert not item["src"].startswith("<")
    assert not item["tgt"]["system 7"].startswith("<")
    sliders = pearmut_campaign("c", find_question("fluency"), [])["info"]["sliders"]
    assert sliders == [{"name": "fluency", "min": 1, "max": 5, "step": 1}]
    for name in ("suite", "entities"):
        with pytest.raises(UsageError, match="it asks ratings, mqm and esa"):
            pearmut_campaign("c", find_question(name), [])


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "not JSON"),
        ('{"a": 1}', "these are neither tasks of Label Studio nor annotations of Pearmut"),
        ('[{"data": {}, "annotations": 5}]', "must be a list"),
        ('[{"data": {"question": "da"}}]', "'sources' must be a list of texts"),
        ('[{"data": {"question": "da"}, "annotations": [{"result": [7]}]}]', "an object with a 'value'"),
        ('{"c": [{"annotation": 5, "item": []}]}', "as many annotations as items"),
        ('{"c": [{"annotation": [{"m": 7}], "item": [{}]}]}', "annotation 1"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_another_file_is_refused_with_what_is_wrong(content: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=why):
        read_reviews(tmp_path / "x.json")


def test_a_text_that_was_changed_on_the_way_is_noticed(tmp_path: Path) -> None:
    task = task_of(HOSTILE, find_question("da"), [answered("da", "87")])
    task["data"]["outputs"] = ["another"]
    (tmp_path / "x.json").write_text(json.dumps([task]), encoding="utf-8")
    with pytest.raises(InputError, match="was changed"):
        read_reviews(tmp_path / "x.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every part of a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in inner for place in _places(part, (*path, key)))]


def _replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = _replaced(value[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize("question", ["suite", "da", "adequacy", "mqm", "esa"])
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_stands_in_the_file_it_is_read_or_refused(
    question: str, tmp_path: Path, data: st.DataObject
) -> None:
    review, asked = answered(question, ANSWERS[question]), find_question(question)
    contents: list[Any] = [[task_of(HOSTILE, asked, [review])]]
    if question != "suite":
        contents.append(pearmut_annotations("c", asked, [(review, HOSTILE, "nmt")]))
    content = data.draw(st.sampled_from(contents))
    place = data.draw(st.sampled_from(_places(content)))
    changed = _replaced(content, place, data.draw(JSON))
    (tmp_path / "x.json").write_text(json.dumps(changed), encoding="utf-8")
    with suppress(InputError, UsageError):
        read_reviews(tmp_path / "x.json", reviewer="anna")
