"""Verbs that the lexicon puts into the past perfect, on both sides."""

from __future__ import annotations

import pytest
from mtassay_en.lexicon_infiller import LexiconInfiller
from mtassay_en.tenses import english_groups, portuguese_groups, tense_offers

from mtassay.data.errors import UsageError
from mtassay.methods.behavior.capabilities import Tense
from mtassay.methods.behavior.pairs import ReadPair
from mtassay.nlp.annotation import Annotation, Annotator
from mtassay.nlp.annotators import open_annotator


def annotator(language: str) -> Annotator:
    try:
        return open_annotator(language, needs=("pos", "features", "dependencies"), name="spacy")
    except UsageError:
        pytest.skip(f"no spaCy pipeline for {language}")


def in_past_perfect(annotation: Annotation, language: str) -> list[str]:
    """The text once for each verb that can be changed."""
    find = {"en": english_groups, "pt": portuguese_groups}[language]
    text = annotation.text
    return [text[: group.start] + group.after + text[group.end :] for group in find(annotation)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She bought a car.", ["She had bought a car."]),
        ("The dog ate the bread.", ["The dog had eaten the bread."]),
        ("He didn't see the man.", ["He hadn't seen the man."]),
        ("The house was also built in 1990.", ["The house had also been built in 1990."]),
        ("Tom often wore a hat.", ["Tom had often worn a hat."]),
        ("She was always happy.", ["She had always been happy."]),
        ("She is always happy.", []),
        ("Tom has already left the house.", []),
        ("She will buy a car.", []),
        ("Did she buy a car?", []),
        ("Buy a car!", []),
        ("If she bought a car, we would be happy.", []),
        ("She was not always happy.", ["She had not always been happy."]),
        ("She had bought a car.", []),
        ("She bought a car two years ago.", []),
    ],
)
def test_english_verbs(text: str, expected: list[str]) -> None:
    assert in_past_perfect(annotator("en").annotate([text])[0], "en") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ela comprou um carro.", ["Ela tinha comprado um carro."]),
        ("Eles escreveram uma carta.", ["Eles tinham escrito uma carta."]),
        ("Nós vimos a casa.", []),  # `ver` or `vir`
        ("Eu vi a casa.", ["Eu tinha visto a casa."]),
        ("A casa foi construída em 1990.", ["A casa tinha sido construída em 1990."]),
        ("Compramos um carro.", ["Tínhamos comprado um carro."]),
        ("Ela vai comprar um carro.", []),
        ("Ela quer que ele se meta nisso.", []),  # `metesse`
        ("Ela compra um carro.", []),
        ("Ela tinha comprado um carro.", []),
    ],
)
def test_portuguese_verbs(text: str, expected: list[str]) -> None:
    assert in_past_perfect(annotator("pt").annotate([text])[0], "pt") == expected


def test_both_verbs_must_be_linked_and_of_one_time() -> None:
    source = annotator("en").annotate(["She bought a car and he sold the house."])[0]
    reference = annotator("pt").annotate(["Ela comprou um carro e ele vendeu a casa."])[0]
    linked = ReadPair("1", source, reference, frozenset({(1, 1), (6, 6)}))
    changes = [
        (o.substitutes[0].source, o.substitutes[0].reference) for o in tense_offers(("en", "pt"), linked)
    ]
    assert changes == [("had bought", "tinha comprado"), ("had sold", "tinha vendido")]
    assert tense_offers(("en", "pt"), ReadPair("1", source, reference, frozenset())) == []
    present = annotator("pt").annotate(["Ela compra um carro e ele vendeu a casa."])[0]
    crossed = ReadPair("1", source, present, linked.links)
    assert len(tense_offers(("en", "pt"), crossed)) == 1


def test_the_only_verbs_of_both_sides_need_no_link() -> None:
    source = annotator("en").annotate(["She bought a car."])[0]
    reference = annotator("pt").annotate(["Ela comprou um carro."])[0]
    assert len(tense_offers(("en", "pt"), ReadPair("1", source, reference, frozenset()))) == 1


def test_the_only_verbs_do_not_go_together_where_one_is_linked_with_a_verb_that_is_not_finite() -> None:
    source = annotator("en").annotate(["He took the knight, attacking the king."])[0]
    reference = annotator("pt").annotate(["Ao tomar o cavalo, ele atacou o rei."])[0]
    words = [[token.text for token in side.tokens] for side in (source, reference)]
    taken = frozenset({(words[0].index("took"), words[1].index("tomar"))})
    assert tense_offers(("en", "pt"), ReadPair("1", source, reference, taken)) == []


def test_verbs_of_different_sentences_do_not_go_together() -> None:
    source = annotator("en").annotate(["I liked cheap cars. I was happy with it."])[0]
    reference = annotator("pt").annotate(["Era um homem simples. Isso me deixava feliz."])[0]
    verbs = ([t.text for t in source.tokens].index("was"), [t.text for t in reference.tokens].index("Era"))
    assert tense_offers(("en", "pt"), ReadPair("1", source, reference, frozenset({verbs}))) == []
    same = annotator("pt").annotate(["Gostava de carros baratos. Era feliz com isso."])[0]
    verbs = (verbs[0], [t.text for t in same.tokens].index("Era"))
    offers = tense_offers(("en", "pt"), ReadPair("1", source, same, frozenset({verbs})))
    assert [one.substitutes[0].reference for one in offers] == ["Tinha sido"]


def test_a_passive_is_known_by_its_participle_not_by_its_auxiliary() -> None:
    source = annotator("en").annotate(["The rules were based on trust."])[0]
    reference = annotator("pt").annotate(["As regras tinham base na confiança."])[0]
    words = [token.text for token in source.tokens]
    auxiliary = ReadPair("1", source, reference, frozenset({(words.index("were"), 2)}))
    assert tense_offers(("en", "pt"), auxiliary) == []
    participle = ReadPair("1", source, reference, frozenset({(words.index("based"), 2)}))
    assert len(tense_offers(("en", "pt"), participle)) == 1


def test_the_lexicon_edits_tense_where_it_knows_both_languages() -> None:
    assert not LexiconInfiller("en-pt").lacks(Tense)
    assert LexiconInfiller("en-de").lacks(Tense)
    assert LexiconInfiller("en-zh").lacks(Tense)
