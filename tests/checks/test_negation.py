"""A negation that is on one side only."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mtassay.data.languages import parse_pair
from mtassay.measures.check import Alarm
from mtassay.measures.polarity import AnnotatedAnswer, find_polarity
from mtassay.nlp.annotation import Annotation
from tests.checks.build import alarms
from tests.checks.negated import NEGATED, Negated


def suspects(pair: str, source: str, output: str) -> list[Alarm]:
    return alarms("negation", source, output, pair=pair)


@pytest.mark.parametrize(
    ("pair", "source", "output"),
    [
        ("en-pt", "He is a master in chess.", "Ele é um mestre não xadrez."),
        ("en-pt", "She never sleeps here.", "Ela dorme aqui."),
        ("pt-en", "Ninguém viu o gato.", "Somebody saw the cat."),
        ("en-de", "Please do not open the door.", "Bitte öffnen Sie die Tür."),
        ("de-en", "Sie hat kein Auto.", "She has a car."),
        ("en-es", "The shop is open.", "La tienda no está abierta."),
        ("es-en", "Nadie vino a la cena.", "Everybody came to dinner."),
        ("en-fr", "He eats meat.", "Il ne mange pas de viande."),
        ("en-it", "I don’t know the road.", "Conosco la strada."),
        ("en-zh", "She did not come.", "她来了。"),
        ("zh-en", "我不知道。", "I know."),
        ("en-pt-BR", "We like the house.", "Nós não gostamos da casa."),
    ],
)
def test_a_negation_on_one_side_only_is_suspected(pair: str, source: str, output: str) -> None:
    assert len(suspects(pair, source, output)) == 1


@pytest.mark.parametrize(
    ("pair", "source", "output"),
    [
        # Portuguese 'no' is 'in the', and two negations are one.
        ("en-pt", "The cat sleeps in the garden.", "O gato dorme no jardim."),
        ("en-pt", "I saw nobody.", "Eu não vi ninguém."),
        ("en-es", "I saw nobody.", "No vi a nadie."),
        ("en-it", "Nobody came.", "Non è venuto nessuno."),
        ("en-pt", "He not only sings but also dances.", "Além de cantar, ele dança."),
        ("en-de", "It works, doesn't it?", "Es funktioniert doch?"),
        ("en-fr", "It is cold, isn't it?", "Il fait froid, n'est-ce pas ?"),
        ("en-de", "This is illegal.", "Das ist nicht erlaubt."),
        ("en-de", "That is not possible.", "Das ist unmöglich."),
        ("en-pt", "He left without a word.", "Ele saiu e não disse uma palavra."),
        ("en-pt", "She failed the exam.", "Ela não passou no exame."),
        ("en-zh", "The two rooms are different.", "两个房间不同。"),
        ("en-zh", "Is she at home?", "她是不是在家？"),
        ("en-zh", "Prices rise all the time.", "价格不断上涨。"),
        ("en-fr", "She took a step.", "Elle fit un pas."),
        ("en-es", "Room No. 5 is large.", "La habitación 5 es grande."),
        ("en-pt", "She never sleeps.", ""),
        ("en-pt", "", "Ela nunca dorme."),
    ],
)
def test_what_another_language_says_otherwise_is_left_alone(pair: str, source: str, output: str) -> None:
    assert suspects(pair, source, output) == []


def test_the_reason_names_the_words_and_the_side_that_has_none() -> None:
    (added,) = suspects("en-pt", "He is a master in chess.", "Ele é um mestre não xadrez.")
    (lost,) = suspects("en-de", "I have no car and never had one.", "Ich habe ein Auto.")
    assert added.message == "'não' is added: nothing in the source denies"
    assert lost.message == "'no', 'never' are lost: nothing in the output denies"
    assert [(mark.side, mark.start, mark.end) for mark in lost.marks] == [
        ("source", 7, 9),
        ("source", 18, 23),
    ]


@pytest.mark.parametrize("negated", NEGATED, ids=lambda negated: f"{negated.pair} {negated.source}")
def test_with_a_reference_only_the_negated_translation_contradicts_the_source(negated: Negated) -> None:
    polarity = find_polarity(parse_pair(negated.pair))
    assert polarity is not None
    answers = [
        AnnotatedAnswer(str(n), Annotation(negated.source), Annotation(output), (negated.right,))
        for n, output in enumerate((negated.right, negated.wrong))
    ]
    assert [suspicion.id for suspicion in polarity.contradictions(answers)] == ["1"]


def test_what_the_reference_says_too_is_no_contradiction() -> None:
    polarity = find_polarity(parse_pair("en-de"))
    assert polarity is not None
    closed = AnnotatedAnswer("1", Annotation("The shop is closed."), Annotation("Der Laden hat nicht auf."))
    assert polarity.compare(closed.source.text, closed.output.text) is not None
    assert polarity.contradictions([closed]) == []
    assert polarity.contradictions([replace(closed, references=("Der Laden ist nicht offen.",))]) == []
    assert find_polarity(parse_pair("en-da")) is None


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("Don't forget to lock the door.", "Denken Sie daran, die Tür abzuschließen."),
        ("Don't forget to lock the door.", "Vergessen Sie nicht, die Tür abzuschließen."),
        ("Don't hesitate to ask us.", "Fragen Sie uns jederzeit."),
        ("Make sure the lid isn't open.", "Achten Sie darauf, dass der Deckel geschlossen ist."),
        ("The parcel arrives in no time.", "Das Paket kommt im Nu an."),
    ],
)
def test_a_phrase_that_denies_in_form_alone_may_be_turned(source: str, output: str) -> None:
    assert alarms("negation", source, output, pair="en-de") == []
