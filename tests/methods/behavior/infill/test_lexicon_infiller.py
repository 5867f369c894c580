"""The lexicon infiller: what it makes of masked pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mtassay_en.lexicon_infiller import LexiconInfiller, lexicon_spans

from mtassay.data.errors import UsageError
from mtassay.data.nouns import apply_edits
from mtassay.methods.behavior.infiller import Filled, Masked, Rejected
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair

from .lexicon_sides import pair, side

INFILLER = LexiconInfiller("en-pt")
READ = pair(
    side("On/IN Monday/NNP , Denise/NNP Reed/NNP bought/VBD three/CD red/JJ oranges/NNS in/IN London/NNP ./.",
         relations={"oranges": ("dobj", "bought")}),
    side("Na segunda-feira , Denise Reed comprou três laranjas vermelhas em Londres ."),
)  # fmt: skip
SPANS = [span for span in INFILLER.spans(READ) if span.label not in ("DATE", "PERSON", "CARDINAL", "GPE")]


def masked(*spans: AlignedSpan, number: int = 0, capability: str = "noun", read: ReadPair = READ) -> Masked:
    return Masked(read, capability, tuple(sorted(spans)), ("something else",) * len(spans), number)


def filled(answer: Filled | Rejected) -> Filled:
    assert isinstance(answer, Filled), answer
    return answer


def words(spans: Sequence[AlignedSpan]) -> list[tuple[str, str]]:
    return [
        (READ.source.text[s.start : s.end], READ.reference.text[s.reference_start : s.reference_end])
        for s in spans
    ]


def test_all_that_both_sides_share_is_offered() -> None:
    assert words(SPANS) == [
        ("Monday", "segunda-feira"), ("Denise", "Denise"), ("Reed", "Reed"), ("bought", "comprou"),
        ("three", "três"), ("red", "vermelhas"), ("oranges", "laranjas"), ("London", "Londres"),
    ]  # fmt: skip


def test_an_entity_comes_once_more_with_its_kind() -> None:
    labels = [
        span.label for span in INFILLER.spans(READ) if READ.source.text[span.start : span.end] == "London"
    ]
    assert labels == ["PROPN", "GPE"]


def test_the_first_word_is_left_out_unless_asked_for() -> None:
    read = pair(side("Slowly/RB he came/VBD"), side("Lentamente ele veio"))
    assert lexicon_spans(read, "en-pt") == []
    assert [span.start for span in lexicon_spans(read, "en-pt", start=True)] == [0]


def test_a_place_is_replaced_on_both_sides_and_nothing_else_changes() -> None:
    answer = filled(INFILLER.fill([masked(SPANS[-1])])[0])
    (here,), (there,) = answer.changes, answer.reference_changes
    assert (here.before, there.before) == ("London", "Londres")
    assert answer.source == READ.source.text.replace("London", here.after)
    assert answer.reference == READ.reference.text.replace("Londres", there.after)
    assert answer.facts == {"lexicon": ["city europe"]}


@given(st.sets(st.sampled_from(SPANS), min_size=1), st.integers(0, 3))
def test_any_set_of_places_is_filled_at_its_places_only(spans: set[AlignedSpan], number: int) -> None:
    request = masked(*spans, number=number)
    answer = INFILLER.fill([request])[0]
    if isinstance(answer, Rejected):
        assert answer.reason == "no other word in the lexicon"
        return
    assert answer.masked is request
    places = {(span.start, span.end) for span in spans}
    assert {(change.start, change.end) for change in answer.changes} == places
    assert apply_edits(READ.source.text, answer.changes) == answer.source
    assert apply_edits(READ.reference.text, answer.reference_changes) == answer.reference
    assert all(change.before != change.after for change in (*answer.changes, *answer.reference_changes))


def test_repetitions_differ_until_there_is_nothing_left() -> None:
    answers = INFILLER.fill([masked(SPANS[0], number=number) for number in range(6)])
    days = [answer.changes[0].after for answer in answers if isinstance(answer, Filled)]
    # The other days except for Saturday and Sunday, which are masculine in Portuguese.
    assert sorted(days) == ["Friday", "Thursday", "Tuesday", "Wednesday"]
    assert [answer.reason for answer in answers if isinstance(answer, Rejected)] == [
        "no other word in the lexicon"
    ] * 2


def test_repetitions_differ_in_the_reference_too() -> None:
    read = pair(
        side("He/PRP lives/VBZ in/IN a/DT small/JJ house/NN ./."), side("他 住 在 一 个 小 房子 里 。")
    )
    infiller = LexiconInfiller("en-zh")
    (span,) = infiller.spans(read)
    answers = infiller.fill([masked(span, number=number, read=read) for number in range(2)])
    assert filled(answers[0]).reference_changes[0].after == "大"  # as `big` or as `large`
    assert isinstance(answers[1], Rejected)


def test_the_same_request_gets_the_same_answer_and_order_is_kept() -> None:
    requests = [masked(span) for span in SPANS]
    first = INFILLER.fill(requests)
    again = LexiconInfiller("en-pt").fill(list(reversed(requests)))
    assert [filled(answer).source for answer in first] == [filled(a).source for a in reversed(again)]
    assert [answer.masked for answer in first] == requests


def test_a_phrase_is_edited_at_its_head() -> None:
    start, end = READ.source.text.index("three"), READ.source.text.index(" in ")
    there = READ.reference.text.index("três"), READ.reference.text.index(" em ")
    phrase = AlignedSpan(start, end, *there, "NP", 8)
    answer = filled(INFILLER.fill([masked(phrase)])[0])
    assert [change.before for change in answer.changes] == ["oranges"]


def test_an_entity_is_edited_where_it_is_of_its_kind() -> None:
    start, end = READ.source.text.index("Denise"), READ.source.text.index(" bought")
    there = READ.reference.text.index("Denise"), READ.reference.text.index(" comprou")
    answer = filled(INFILLER.fill([masked(AlignedSpan(start, end, *there, "PERSON", 0))])[0])
    assert answer.changes[0].before in ("Denise", "Reed")


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (masked(AlignedSpan(0, 2, 0, 2, "ADP", 0)), "not in the lexicon"),
        (masked(AlignedSpan(*SPANS[0][:2], *SPANS[-1][2:4], "NOUN", 1)), "not in the lexicon"),  # misaligned
        (masked(SPANS[3], capability="tense"), "no such edit in the lexicon"),
    ],
)
def test_what_cannot_be_right_is_rejected(request_: Masked, reason: str) -> None:
    answer = INFILLER.fill([request_])[0]
    assert isinstance(answer, Rejected)
    assert answer.reason == reason


def test_the_signature_names_the_pair() -> None:
    assert INFILLER.signature == LexiconInfiller("eng-por").signature
    assert INFILLER.signature != LexiconInfiller("pt-en").signature


@pytest.mark.parametrize("languages", [("en", "pt"), ("pt", "en")])
def test_our_corpus_gives_hundreds_of_cases(languages: tuple[str, str]) -> None:
    pytest.importorskip("spacy", reason="needs spaCy: pip install 'mtassay[spacy]'")
    from mtassay.nlp.annotators import open_annotator

    folder = Path(__file__).resolve().parents[4] / "demo" / "corpus" / "-".join(languages)
    texts = [
        (folder / name).read_text(encoding="utf-8").splitlines() for name in ("source.txt", "reference.A.txt")
    ]
    try:
        sides = [open_annotator(code).annotate(lines) for code, lines in zip(languages, texts, strict=True)]
    except UsageError as error:  # a model is not installed
        pytest.skip(str(error))
    infiller = LexiconInfiller("-".join(languages))
    requests = []
    for number, (source, reference) in enumerate(zip(*sides, strict=True)):
        read = ReadPair(str(number), source, reference, frozenset())
        places = {(span.start, span.end): span for span in infiller.spans(read, start=True)}
        requests += [Masked(read, "general", (span,), ("",)) for span in places.values()]
    answers = infiller.fill(requests)
    rejected = {answer.reason for answer in answers if isinstance(answer, Rejected)}
    assert rejected == {"no other word in the lexicon"}
    assert sum(isinstance(answer, Filled) for answer in answers) >= 250


@pytest.mark.parametrize(
    ("source", "reference", "after"),
    [
        ("He/PRP lives/VBZ in/IN a/DT small/JJ house/NN ./.", "Ele mora numa casa pequena .", "large"),
        # People are sick, and diets are not.
        ("A/DT healthy/JJ diet/NN helps/VBZ ./.", "Uma dieta saudável ajuda .", None),
    ],
)
def test_a_word_reads_naturally_in_its_place(source: str, reference: str, after: str | None) -> None:
    read = pair(side(source), side(reference))
    span = next(s for s in INFILLER.spans(read) if read.source.text[s.start : s.end] in ("small", "healthy"))
    answer = INFILLER.fill([masked(span, read=read)])[0]
    assert (answer.changes[0].after if isinstance(answer, Filled) else None) == after
