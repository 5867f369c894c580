"""How much of a name an output has: exactly, by tokens, by letters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.measures.name_matches import Form, Haystack, forms_of
from mtassay.nlp.normalisation import Normaliser
from tests.texts.test_distance import textbook_distance

NORMALISER = Normaliser()


def form(text: str) -> Form:
    return forms_of(NORMALISER.tokens(text), text)[0]


def haystack(*texts: str) -> Haystack:
    return Haystack(texts, NORMALISER)


@pytest.mark.parametrize(
    ("name", "texts", "held"),
    [
        ("New York", ["in new york today"], True),
        ("New York", ["New Yorkers"], False),
        ("New York", ["York New"], False),
        ("New York", ["it is new", "York is old"], False),  # not across segments
        ("York", ["New-York"], True),
        ("Müller", ["Herr Mueller"], True),
        ("Mueller", ["Herr Müller"], True),
        ("Zürich", ["Zurich"], True),
        ("北京", ["他在北京住"], True),
        ("北京", ["北方的京"], False),
        ("Rio", [""], False),
        ("Rio", [], False),
    ],
)
def test_a_name_is_held_when_its_tokens_stand_together(name, texts, held):
    forms = forms_of(NORMALISER.tokens(name), name)
    assert haystack(*texts).holds(forms) is held


@pytest.mark.parametrize(
    ("name", "text", "f1"),
    [
        # F1 = 2 * shared / (tokens of the name + tokens of the window)
        ("Bank of Peru", "the Bank of Peru fell", 1.0),
        ("Bank of Peru", "the Peru Bank fell", 2 * 2 / (3 + 2)),
        ("Bank of Peru", "the bank fell", 2 * 1 / (3 + 1)),
        ("Bank of Peru", "the Bank in Peru fell", 2 * 2 / (3 + 3)),
        ("Bank of Peru", "one of many", 0.0),  # "of" identifies nothing
        ("Bank of Peru", "nothing", 0.0),
        ("Duran Duran", "Duran sang", 2 * 1 / (2 + 1)),  # one token counts once
        ("two days", "after three days", 2 * 1 / (2 + 1)),  # no capital: all words identify
        ("科瑞·舒爾曼", "舒爾曼說", 2 * 3 / (5 + 3)),  # what joins a name does not count
        ("北京", "北方", 0.0),  # one character alone identifies nothing
    ],
)
def test_partial_credit_is_the_best_token_f1(name, text, f1):
    assert haystack(text).overlap(form(name)) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("name", "text", "similarity"),
    [
        ("Gorbachev", "Herr Gorbatschow kam", 1 - 4 / 11),
        ("Omicron", "the Omikron wave", 1 - 1 / 7),
        ("Al Qaeda", "of Alqaida cells", 1 - 2 / 8),
        ("New York", "in New Jork", 1 - 1 / 8),
        ("Kyiv", "to Kiev", 1 - 2 / 4),
        ("Paris", "to Rome", None),
        ("Paris", "", None),
    ],
)
def test_similarity_is_one_minus_edits_per_character(name, text, similarity):
    near = haystack(text).nearest(form(name))
    assert (near and near.similarity) == (similarity and pytest.approx(similarity))


def test_the_nearest_place_is_given_by_its_tokens():
    near = haystack("nothing here", "the old Omikron wave").nearest(form("Omicron"))
    assert near is not None
    assert (near.sentence, near.start, near.width) == (1, 2, 1)


words = st.lists(st.sampled_from(["Ana", "Eva", "Rio", "of", "de", "the", "x", "xy", "京", "-"]), max_size=7)


@given(words.filter(bool), words)
def test_partial_credit_equals_a_search_over_all_windows(name, text):
    wanted = form(" ".join(name))
    output = haystack(" ".join(text))
    [tokens] = output.sentences
    least = 2 if len(wanted.tokens) > 1 and all(len(anchor) == 1 for anchor in wanted.anchors) else 1
    best = 0.0
    for start in range(len(tokens)):
        for end in range(start + 1, len(tokens) + 1):
            window, left, shared = tokens[start:end], list(wanted.tokens), []
            for token in window:
                if token in left:
                    left.remove(token)
                    shared.append(token)
            if len(shared) >= least and wanted.anchors & set(shared):
                best = max(best, 2 * len(shared) / (len(wanted.tokens) + len(window)))
    assert output.overlap(wanted) == pytest.approx(best)


@given(words.filter(bool), words)
def test_the_nearest_window_equals_a_search_without_shortcuts(name, text):
    wanted = form(" ".join(name))
    output = haystack(" ".join(text))
    [tokens] = output.sentences
    size = len(wanted.tokens)
    joiner = "" if all(len(token) == 1 for token in wanted.tokens) else " "
    slack = max(1, size // 4)
    text = joiner.join(wanted.tokens)
    windows = [
        joiner.join(tokens[start : start + width])
        for width in range(max(1, size - slack), size + slack + 1)
        for start in range(len(tokens) - width + 1)
    ]
    similarities = [1 - textbook_distance(text, other) / max(len(text), len(other)) for other in windows]
    best = max(similarities, default=0.0)
    near = output.nearest(wanted)
    assert (near.similarity if near else None) == (pytest.approx(best) if best >= 0.5 else None)
