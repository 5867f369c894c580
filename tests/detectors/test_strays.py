"""What has no business in an output: words that are none, figures and signs that nobody wrote."""

from __future__ import annotations

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.languages import parse_pair
from mtassay.measures.detector import AnnotatedAnswer, PairDetector, open_detectors
from mtassay.measures.vocabulary import EDGE, TargetWords, small_words
from mtassay.nlp.annotation import Annotation


def why(detector: str, source: str, output: str, *references: str) -> list[str]:
    (opened,) = open_detectors([detector], parse_pair("en-pt"))
    assert isinstance(opened, PairDetector)
    answer = AnnotatedAnswer("1", Annotation(source), Annotation(output), references)
    return [suspicion.why for suspicion in opened.suspects([answer])]


@pytest.mark.parametrize(
    ("source", "output", "expected"),
    [
        ("The fiftieth edition opens.", "A quinquei edição abre.", ["no known word: quinquei"]),
        ("The house is old.", "A casa é velha.", []),
        # A name that the source has is known, with its possessive too.
        ("Haverly's bridge is old.", "A ponte de Haverly é velha.", []),
        ("", "", []),
    ],
)
def test_a_word_that_portuguese_does_not_have_is_suspected(
    source: str, output: str, expected: list[str]
) -> None:
    assert why("unknown-words", source, output) == expected


def test_a_word_that_a_reference_has_is_known() -> None:
    assert why("unknown-words", "A zyzzle.", "Um zizzolho.", "O zizzolho.") == []


def test_a_language_without_a_list_of_words_is_refused() -> None:
    with pytest.raises(UsageError, match="'unknown-words' has no list of words for de"):
        open_detectors(["unknown-words"], parse_pair("en-de"))


@pytest.mark.parametrize(
    ("source", "output", "expected"),
    [
        ("It costs six hundred.", "Custa seiscentos. (600)", ["nobody wrote (600)"]),
        ("In 1990 (1991) it rained.", "Em 1990 (1991) choveu.", []),
        ("It rained.", "Choveu (muito).", []),
    ],
)
def test_a_figure_in_parentheses_that_nobody_wrote_is_suspected(
    source: str, output: str, expected: list[str]
) -> None:
    assert why("added-figures", source, output) == expected


@pytest.mark.parametrize(
    ("source", "output", "expected"),
    [
        ("{n} songs in <i>it</i>", "As músicas em <i>isso</i>", ["lost: {n}"]),
        ("songs", "<b>músicas", ["new: <b>"]),
        ("{n} songs", "{n} músicas", []),
        ("{n} songs", "", []),
        ("5 < 6 and 7 > 6", "5 < 6 e 7 > 6", []),
    ],
)
def test_tags_and_placeholders_must_be_the_same(source: str, output: str, expected: list[str]) -> None:
    assert why("markup", source, output) == expected


def test_a_word_fits_better_where_its_neighbours_are_seen_with_it() -> None:
    counts = {"fica": 10, "no": 20, "não": 20, "sul": 10, EDGE: 40}
    words = TargetWords({}, counts, {("fica", "no"): 8, ("no", "sul"): 9}, sum(counts.values()))
    text = small_words("fica não sul")
    assert words.prefers("no", text, 2) > 1 > 0 > words.prefers("não", small_words("fica no sul"), 2)
    assert words.association("no", "sul") > 0 > words.association("não", "sul")


def test_a_negation_in_the_place_of_a_like_word_is_suspected_unless_the_source_denies_as_often() -> None:
    # 'not' keeps the plain rule quiet in the first; the second source denies as often as its output.
    both = "The trees are not in the south of Spain.", "As árvores não estão não sul da Espanha."
    reason = "'não sul' says no where 'no sul' would fit, and the source denies less often"
    assert why("polarity", *both) == [reason]
    assert why("polarity", "It is no bigger than a pea.", "O besouro não maior que uma ervilha.") == []
