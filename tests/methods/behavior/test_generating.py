"""Cases of a parallel text: what is made, what is dropped and counted, and that a seed decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Edit, Segment, apply_edits
from mtassay.measures.metric import Metric
from mtassay.methods.behavior.capability import open_capability
from mtassay.methods.behavior.case_generation import FILTERED, GeneratedCases, Helpers, generate
from mtassay.methods.behavior.infiller import Filled, Infiller, Masked, Rejected
from mtassay.methods.behavior.objections import Blocklist
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.methods.behavior.recipe import Recipe, draw_places
from mtassay.nlp.links import Links, WordAligner, Words
from tests.fake_annotator import FakeAnnotator
from tests.methods.behavior.fakes import Memory, Shared

PAIR = parse_pair("en-pt")
# The two sides have the same words in the same order; all that is not in here is a noun.
POS = {"the": "DET", "saw": "VERB", "in": "ADP", "old": "ADJ", "new": "ADJ"}
SEGMENTS = [
    Segment("a", "the cat saw the dog in the house", ("the cat saw the dog in the house",)),
    Segment("b", "the bird saw the tree", ("the bird saw the tree",)),
    Segment("c", "the man saw the old ship", ("the man saw the old ship",)),
    Segment("d", "the cook saw", ("the cook saw",)),
]


class Diagonal(WordAligner):
    """Links each word with the one in the same place."""

    name = signature = "diagonal"

    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        return [frozenset((i, i) for i in range(min(map(len, pair)))) for pair in pairs]


@dataclass
class Numbering(Infiller):
    """Puts word and number in every place, on both sides; or refuses, answer by answer, as it is told."""

    refuses: Sequence[str] = ()
    same: bool = False
    asked: list[Masked] = field(default_factory=list)
    name = "numbering"
    signature = "numbering|1"

    def fill(self, masked: Sequence[Masked]) -> list[Filled | Rejected]:
        return [self._fill(one) for one in masked]

    def _fill(self, one: Masked) -> Filled | Rejected:
        number = len(self.asked)
        self.asked.append(one)
        why = self.refuses[number % len(self.refuses)] if self.refuses else ""
        if why:
            return Rejected(one, why, f"reply {number} about {one.pair.id}")
        word = "thing" if self.same else f"thing{number}"
        source, reference = one.pair.source.text, one.pair.reference.text
        here = tuple(Edit(s.start, s.end, source[s.start : s.end], word) for s in one.spans)
        there = tuple(
            Edit(s.reference_start, s.reference_end, reference[s.reference_start : s.reference_end], word)
            for s in one.spans
        )
        edited, pseudo = apply_edits(source, here), apply_edits(reference, there)
        return Filled(one, edited, pseudo, here, there, {"by": "number"})


def make(
    infiller: Infiller | None = None,
    *,
    segments: Sequence[Segment] = SEGMENTS,
    capabilities: str = "noun",
    blocked: Blocklist | None = None,
    quality_filter: dict[str, Metric] | None = None,
    annotator: FakeAnnotator | None = None,
    **chosen: object,
) -> GeneratedCases:
    helpers = Helpers(
        aligner=Diagonal(),
        source_annotator=annotator or FakeAnnotator("en", pos=POS),
        reference_annotator=FakeAnnotator("pt", pos=POS),
        quality_filter=quality_filter or {},
        blocked=blocked,
    )
    return generate(
        segments,
        PAIR,
        [open_capability(name) for name in capabilities.split(",")],
        infiller or Numbering(),
        Memory(),
        recipe=Recipe(**chosen),  # type: ignore[arg-type]
        helpers=helpers,
    )


def test_a_case_has_both_sides_edited_in_one_place_and_says_where_it_comes_from() -> None:
    made = make(segments=[SEGMENTS[3]], seed=7)
    [case] = made.cases
    assert (case.id, case.segment_id, case.capability) == ("d.noun", "d", "noun")
    assert (case.source, case.edited_source) == ("the cook saw", "the thing0 saw")
    assert case.pseudo_reference == "the thing0 saw"
    assert case.provenance == {
        "infiller": "numbering|1",
        "seed": 7,
        "aligner": "diagonal",
        "annotators": ["fake|en", "fake|pt"],
        "filter": "none",
        "labels": ["NOUN"],
        "number": 0,
        "by": "number",
    }


def test_the_first_word_is_edited_only_if_asked_for() -> None:
    segments = [Segment("x", "cats saw", ("cats saw",))]
    assert make(segments=segments).without == {("noun", "no place to edit"): 1}
    assert [case.edited_source for case in make(segments=segments, start=True).cases] == ["thing0 saw"]


def test_a_seed_decides_and_nothing_else_does() -> None:
    one, two, other = (make(seed=seed, per_segment=2).cases for seed in (1, 1, 2))
    assert one == two
    assert [case.edited_source for case in one] != [case.edited_source for case in other]


def test_what_is_drawn_of_a_source_does_not_depend_on_the_others() -> None:
    places = [
        {one.pair.id: one.spans for one in _asked(segments)} for segments in (SEGMENTS, reversed(SEGMENTS))
    ]
    assert places[0] == places[1]


def _asked(segments: Sequence[Segment]) -> list[Masked]:
    infiller = Numbering()
    make(infiller, segments=list(segments))
    return infiller.asked


@pytest.mark.parametrize(
    ("chosen", "by_source"),
    [
        ({}, {"a": 1, "b": 1, "c": 1, "d": 1}),
        ({"per_segment": 2}, {"a": 2, "b": 2, "c": 2, "d": 2}),
        ({"sample": 2}, 2),
        ({"max_cases": 3}, 3),
        ({"max_cases": 3, "per_segment": 5}, 3),
        ({"sample": 99, "max_cases": 99}, 4),
    ],
)
def test_as_many_cases_are_made_as_were_asked_for(
    chosen: dict[str, int], by_source: dict[str, int] | int
) -> None:
    made = make(**chosen)
    found = Counter(case.segment_id for case in made.cases)
    assert (found == by_source) if isinstance(by_source, dict) else (found.total() == by_source)
    assert len({case.id for case in made.cases}) == len(made.cases)
    assert [case.segment_id for case in made.cases] == sorted(case.segment_id for case in made.cases)


def test_where_few_cases_are_wanted_they_are_not_those_of_the_first_sources() -> None:
    first = {make(max_cases=1, seed=seed).cases[0].segment_id for seed in range(20)}
    assert first == {"a", "b", "c", "d"}


def test_no_more_is_asked_than_cases_are_wanted() -> None:
    assert make(max_cases=2).asked == {"noun": 2}


def test_a_place_that_fails_is_followed_by_another_until_the_attempts_are_used_up() -> None:
    made = make(Numbering(["no word"]), segments=SEGMENTS[:1], attempts=4)
    assert not made.cases
    assert made.drops == {("noun", "no word"): 4}
    assert made.without == {("noun", "no result"): 1}
    assert len({each.masked_source for each in made.dropped}) == 3, "three nouns, one of them twice"


def test_a_service_that_answers_nothing_is_asked_no_more() -> None:
    infiller = Numbering(["no reply"])
    made = make(infiller, capabilities="noun,verb", attempts=5)
    assert len(infiller.asked) == 4, "one round of four sources"
    assert made.without == {("noun", "no reply"): 4, ("verb", "no reply"): 4}


def test_a_dropped_edit_keeps_what_the_model_said_of_this_very_pair() -> None:
    made = make(Numbering(["no word", ""]), attempts=2)
    assert all(each.reply.endswith(f"about {each.segment_id}") for each in made.dropped)


def test_the_same_edit_is_made_once_over_all_capabilities() -> None:
    segments = [Segment("x", "the cat saw the dog now here again", ("the cat saw the dog now here again",))]
    made = make(Numbering(same=True), segments=segments, capabilities="noun,general", per_segment=20)
    edits = [case.edited_source for case in made.cases]
    assert len(edits) == len(set(edits))
    assert made.drops["noun", "same as another case"] > 0


def test_a_blocked_word_drops_a_case() -> None:
    made = make(Numbering(same=True), blocked=Blocklist.of(["thing"]))
    assert not made.cases
    assert set(made.drops) == {("noun", "blocked word")}


def test_pairs_that_are_not_equally_good_are_dropped_and_counted() -> None:
    # The reference has the words of the source, the pseudo-reference too: 1 and 1. With an infiller that says
    # something else in the reference, 1 and less.
    equal = {"shared": Shared(against="source")}
    assert len(make(quality_filter=equal, filter_beta=0.0).cases) == 4

    class Elsewhere(Numbering):
        def _fill(self, one: Masked) -> Filled | Rejected:
            answer = super()._fill(one)
            assert isinstance(answer, Filled)
            there = tuple(change._replace(after="other") for change in answer.reference_changes)
            pseudo = apply_edits(one.pair.reference.text, there)
            return Filled(one, answer.source, pseudo, answer.changes, there)

    made = make(Elsewhere(), quality_filter=equal, filter_beta=0.0, attempts=2)
    assert not made.cases
    assert made.drops == {("noun", FILTERED): 8}


def test_a_source_that_cannot_be_read_is_left_out_with_its_reason() -> None:
    made = make(segments=[*SEGMENTS, Segment("e", "the cat"), Segment("f", "", ("o gato",))])
    assert [(each.id, each.reason) for each in made.left_out] == [("e", "no reference"), ("f", "no source")]
    assert made.sources == 6


def test_an_edited_source_that_the_annotator_fails_on_is_one_dropped_edit() -> None:
    made = make(annotator=FakeAnnotator("en", pos=POS, fails_on="thing1"))
    assert made.drops == {("noun", "the annotator failed on it"): 1}
    assert len(made.cases) == 4


def test_a_capability_that_needs_more_than_the_annotator_gives_is_an_error() -> None:
    with pytest.raises(UsageError, match="Capability 'ner' needs entities of English"):
        make(capabilities="ner", annotator=FakeAnnotator("en", pos=POS, gives=["pos"]))


def test_an_infiller_that_knows_its_places_is_given_no_others() -> None:
    class Picky(Numbering):
        def spans(self, pair: ReadPair, *, start: bool = False, forms: bool = False) -> list[AlignedSpan]:
            return [AlignedSpan(4, 7, 4, 7, "NOUN", 1)]

    infiller = Picky()
    make(infiller, segments=SEGMENTS[:1], attempts=3, per_segment=2)
    assert {one.source for one in infiller.asked} == {"the <mask> saw the dog in the house"}
    assert [one.number for one in infiller.asked] == [0, 1]


def test_general_edits_several_places_that_are_apart_and_less_than_a_fifth_of_the_source() -> None:
    words = "the cat saw the dog and the bird saw the tree in the house of the old man and the new cook"
    infiller = Numbering()
    make(infiller, segments=[Segment("x", words, (words,))], capabilities="general", per_segment=9)
    assert {len(one.spans) for one in infiller.asked} & {2, 3}
    for one in infiller.asked:
        edited = sum(len(words[span.start : span.end].split()) for span in one.spans)
        assert edited < 0.2 * len(words.split())
        assert list(one.spans) == sorted(one.spans)
        assert "<mask> <mask>" not in one.source


def test_places_come_round_again_with_the_next_number() -> None:
    spans = [AlignedSpan(0, 1, 0, 1, "NOUN", 0), AlignedSpan(2, 3, 2, 3, "NOUN", 1)]
    [annotation] = FakeAnnotator("en").annotate(["a b"])
    pair = ReadPair("x", annotation, annotation, frozenset())
    drawn = draw_places(pair, spans, open_capability("noun"), seed=0)
    found = [next(drawn) for _ in range(6)]
    assert [place.number for place in found] == [0, 0, 1, 1, 2, 2]
    assert not list(draw_places(pair, [], open_capability("noun"), seed=0))


@given(
    refuses=st.lists(st.sampled_from(["", "no word", "mask left", "no reply"]), min_size=1, max_size=7),
    same=st.booleans(),
    per_segment=st.integers(1, 4),
    max_cases=st.none() | st.integers(1, 6),
    attempts=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_every_edit_that_was_tried_is_a_case_or_was_dropped_and_no_case_has_anothers_text(
    refuses: list[str], same: bool, per_segment: int, max_cases: int | None, attempts: int, seed: int
) -> None:
    made = make(
        Numbering(refuses, same=same),
        capabilities="noun,verb,general",
        per_segment=per_segment,
        max_cases=max_cases,
        attempts=attempts,
        seed=seed,
    )
    assert sum(made.asked.values()) == len(made.cases) + len(made.dropped)
    sources = {segment.id: segment for segment in SEGMENTS}
    for case in made.cases:
        assert case.source == sources[case.segment_id].source
        assert (case.reference,) == sources[case.segment_id].references
        assert apply_edits(case.source, case.changes) == case.edited_source
        assert apply_edits(case.reference, case.reference_changes) == case.pseudo_reference
    for capability in ("noun", "verb", "general"):
        have = {case.segment_id for case in made.cases if case.capability == capability}
        lacking = sum(n for (name, _), n in made.without.items() if name == capability)
        assert len(have) + lacking == len(SEGMENTS)


def test_a_place_that_nothing_can_come_of_is_tried_once() -> None:
    class Never(Numbering):
        def _fill(self, one: Masked) -> Filled | Rejected:
            self.asked.append(one)
            return Rejected(one, "no word", is_final=True)

    for capability, places in (("noun", 3), ("general", 1)):
        made = make(Never(), segments=SEGMENTS[:1], capabilities=capability, attempts=9)
        tried = [each.masked_source for each in made.dropped]
        assert len(tried) == len(set(tried)) == made.asked[capability] >= places
        assert made.without == {(capability, "no result"): 1}
