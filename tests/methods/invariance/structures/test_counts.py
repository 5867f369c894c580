"""The paper's distances over counts."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from mtassay.methods.invariance.structures import Constituency, Dependency
from mtassay.nlp.annotation import Annotation, Token, TokenSpan
from tests.methods.invariance.structures.build import compared, parsed

RELATIONS = st.lists(st.sampled_from(["nsubj", "obj", "obl", "obl:agent", "root", "punct"]), max_size=12)


def related(relations: list[str]) -> Annotation:
    return Annotation(" ".join("x" * len(relations)), tuple(Token("x", 0, 1, relation=r) for r in relations))


def phrased(*labels: str) -> Annotation:
    return Annotation(
        "x", (Token("x", 0, 1),), constituents=tuple(TokenSpan(0, 1, label) for label in labels)
    )


@given(RELATIONS, RELATIONS)
def test_dependency_is_the_sum_of_absolute_differences_in_counts(a: list[str], b: list[str]) -> None:
    expected = sum(abs(Counter(a)[name] - Counter(b)[name]) for name in {*a, *b})
    there, back = Dependency().distances([compared(related(a), related(b)), compared(related(b), related(a))])
    assert there == back == expected
    assert Dependency().distances([compared(related(a), related(a))]) == [0]


def test_relations_of_the_paper_counted_by_hand() -> None:
    # As in its figure 5, subtypes are types of their own and the root counts. One nmod more (1), the case of
    # it (1), and the nsubj is a nsubj:pass (2).
    original = related(["nmod:poss", "nsubj", "aux", "root", "obj"])
    variant = related(["nmod:poss", "nsubj:pass", "aux", "root", "obj", "case", "nmod"])
    pair = compared(original, variant)
    assert Dependency().distances([pair]) == [4]
    assert Dependency().differences(pair) == [
        "case: 1, was 0",
        "nmod: 1, was 0",
        "nsubj: 0, was 1",
        "nsubj:pass: 1, was 0",
    ]


def test_the_largest_difference_comes_first() -> None:
    pair = compared(related(["obj"]), related(["obj", "nsubj", "nsubj", "amod"]))
    assert Dependency().differences(pair) == ["nsubj: 2, was 0", "amod: 1, was 0"]


def test_constituency_counts_phrases_by_type() -> None:
    # NP 2 to 1, PP 1 to 0, VP 1 to 2.
    pair = compared(phrased("S", "NP", "NP", "PP", "VP"), phrased("S", "NP", "VP", "VP"))
    assert Constituency().distances([pair]) == [3]
    assert Constituency().differences(pair) == ["NP: 1, was 2", "PP: 0, was 1", "VP: 2, was 1"]


def test_phrases_are_read_off_the_dependencies_where_nobody_looked_for_any() -> None:
    # "gatos dormem": NP, VP. "gatos dormem aqui": NP, VP, ADVP.
    short = parsed("gatos/gato/NOUN/2/nsubj dormem/dormir/VERB/0/root")
    long = parsed("gatos/gato/NOUN/2/nsubj dormem/dormir/VERB/0/root aqui/aqui/ADV/2/advmod")
    assert Constituency().differences(compared(short, long)) == ["ADVP: 1, was 0"]


def test_an_output_moves_a_phrase_without_any_distance() -> None:
    # "ontem fomos" and "fomos ontem": the paper's reason for not comparing characters.
    front = parsed("ontem/ontem/ADV/2/advmod fomos/ir/VERB/0/root")
    back = parsed("fomos/ir/VERB/0/root ontem/ontem/ADV/1/advmod")
    assert Dependency().distances([compared(front, back)]) == [0]
    assert Constituency().distances([compared(front, back)]) == [0]


def test_an_output_nobody_could_read_has_no_relations() -> None:
    assert Dependency().distances([compared(Annotation("?", error="choked"), related(["root"]))]) == [1]
