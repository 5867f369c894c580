"""Words, names and places that the lexicon replaces on both sides, and those that it leaves alone."""

from __future__ import annotations

import pytest
from mtassay_en.lexicon_entries import load_lexicon
from mtassay_en.lexicon_infiller import lexicon_spans
from mtassay_en.offers import name_offers, word_offers

from mtassay.methods.behavior.pairs import ReadPair
from mtassay.nlp.annotation import Annotation

from .lexicon_sides import named, pair, side


def substitutes(read: ReadPair, word: str, languages: tuple[str, str] = ("en", "pt")) -> dict[str, str]:
    """What may mean a word of the source, with its translation; empty where the word is left alone."""
    for offer in word_offers(load_lexicon(*languages), languages, read):
        if read.source.text[offer.start : offer.end] == word:
            return {substitute.source: substitute.reference for substitute in offer.substitutes}
    return {}


def test_a_noun_keeps_gender_number_and_kind() -> None:
    read = pair(side("The/DT dogs/NNS sleep/VBP ./."), side("Os cachorros dormem ."))
    found = substitutes(read, "dogs")
    assert found["cats"] == "gatos"
    assert found["rabbits"] == "coelhos"
    assert "turtles" not in found  # `tartarugas` is feminine
    assert "trucks" not in found


def test_an_english_article_stays_right() -> None:
    read = pair(side("I ate/VBD an/DT orange/NN ./."), side("Comi uma laranja ."))
    assert "apple" in substitutes(read, "orange")
    assert "banana" not in substitutes(read, "orange")


def test_an_article_needs_a_word_that_can_be_counted() -> None:
    read = pair(side("She has/VBZ a/DT fever/NN ./."), side("Ela está com febre ."))
    assert "diarrhea" not in substitutes(read, "fever")
    read = pair(side("She has/VBZ fever/NN ./."), side("Ela está com febre ."))
    assert "diarrhea" in substitutes(read, "fever")


def test_more_needs_a_long_adjective() -> None:
    read = pair(side("a/DT more/RBR generous/JJ man/NN"), side("um homem mais generoso"))
    found = substitutes(read, "generous")
    assert found["intelligent"] == "inteligente"
    assert "kind" not in found  # `kinder`


def test_an_article_within_a_name_has_no_capital_inside_a_sentence() -> None:
    inside = pair(side("She likes/VBZ Japan/NNP ./."), side("她 喜欢 日本 。"))
    assert substitutes(inside, "Japan", ("en", "zh"))["the Philippines"] == "菲律宾"
    first = pair(side("Japan/NNP has/VBZ grown/VBN ./."), side("日本 发展 了 。"))
    assert substitutes(first, "Japan", ("en", "zh"))["The Philippines"] == "菲律宾"


def test_a_country_keeps_its_article() -> None:
    read = pair(side("She lives/VBZ in/IN Brazil/NNP ./."), side("Ela mora no Brasil ."))
    found = substitutes(read, "Brazil")
    assert found["Japan"] == "Japão"
    assert not {"China", "Cuba"} & set(found)  # `na China`, `em Cuba`


def test_a_city_has_its_name_in_either_language() -> None:
    read = pair(side("banks in/IN London/NNP"), side("bancos de Londres"))
    assert substitutes(read, "London")["Vienna"] == "Viena"


@pytest.mark.parametrize(
    ("article", "allowed", "refused"),
    [("o", "doctor", "nurse"), ("a", "doctor", ""), ("", "", "doctor")],
)
def test_the_article_tells_the_gender_of_a_noun_that_has_both(
    article: str, allowed: str, refused: str
) -> None:
    read = pair(side("The/DT dentist/NN came/VBD ./."), side(f"{article} dentista veio ."))
    found = substitutes(read, "dentist")
    assert not allowed or allowed in found
    assert not refused or refused not in found or found[refused].endswith("o")
    assert "cardiologist" in found  # it has both genders too


def test_an_adjective_agrees_with_its_noun() -> None:
    read = pair(side("two/CD red/JJ houses/NNS"), side("duas casas vermelhas"))
    assert substitutes(read, "red")["white"] == "brancas"


def test_a_superlative_is_replaced_with_its_adverb() -> None:
    read = pair(side("the/DT oldest/JJS bridge/NN"), side("a ponte mais antiga"))
    assert substitutes(read, "oldest") == {"newest": "mais nova"}


def test_a_verb_keeps_person_and_tense() -> None:
    object_of = {"cars": ("dobj", "sold")}
    read = pair(side("They sold/VBD cars/NNS ./.", relations=object_of), side("Eles venderam carros ."))
    found = substitutes(read, "sold")
    assert next(iter(found.items())) == ("bought", "compraram")  # its nearest group comes first
    assert {form[-3:] for form in found.values()} == {"ram"}


def test_a_verb_without_its_object_is_left_alone() -> None:
    read = pair(side("They sold/VBD out/RP ./."), side("Eles venderam tudo ."))
    assert substitutes(read, "sold") == {}


def test_a_verb_with_its_preposition_is_left_alone() -> None:
    read = pair(side("She works/VBZ on/IN plans/NNS"), side("Ela trabalha em planos"))
    assert substitutes(read, "works") == {}
    read = pair(side("She waits/VBZ for/IN Mary/NNP"), side("Ela espera Mary"))
    assert substitutes(read, "waits") == {}
    read = pair(side("She works/VBZ in/IN Rome/NNP"), side("Ela trabalha em Roma"))
    assert substitutes(read, "works")["studies"] == "estuda"


def test_a_reflexive_verb_is_left_alone() -> None:
    object_of = {"doors": ("dobj", "opened")}
    read = pair(side("He opened/VBD doors/NNS", relations=object_of), side("Ele se abriu portas"))
    assert substitutes(read, "opened") == {}


@pytest.mark.parametrize(
    ("source", "reference", "word"),
    [
        ("The/DT dog/NN and/CC the/DT dog/NN", "O cachorro e o cachorro", "dog"),  # twice: a guess
        ("The/DT dog/NN sleeps/VBZ", "O gato dorme", "dog"),  # no translation of it
        ("in/IN Dog/NNP River/NNP", "em Cachorro River", "Dog"),  # a name
        ("He rains/VBZ cats/NNS and/CC dogs/NNS", "Chovem gatos e cachorros", "dogs"),  # an idiom
        ("dog-lover/NN dog/NN", "amigo de cachorro-quente", "dog"),  # part of a compound
        ("He may/MD come/VB", "Ele vem em maio", "may"),  # not the month
        ("cups/NNS of/IN coffee/NN", "xícaras de café", "cups"),  # an amount of something
        ("I love/VBP my/PRP$ town/NN", "Amo minha cidade", "my"),  # whose it is, the subject says
        ("I am/VBP almost/RB 30/CD", "quase tenho 30 anos", "almost"),  # not `cerca de tenho`
        ("this/DT is/VBZ the/DT only/JJ one/NN", "esta é a única", "this"),  # what was said before
        ("the/DT largest/JJS possible/JJ area/NN", "a maior área possível", "possible"),
        ("the/DT final/JJ is/VBZ near/RB", "o final está perto", "final"),  # a noun
        ("some/DT damage/NN", "alguns danos", "some"),  # which cannot be several
        ("an/DT old/JJ but/CC beautiful/JJ house/NN", "uma casa velha mas linda", "beautiful"),
        ("the/DT Seventh/JJ Seal/NNP", "o sétimo selo", "Seventh"),  # a title
    ],
)
def test_unsafe_words_are_left_alone(source: str, reference: str, word: str) -> None:
    assert substitutes(pair(side(source), side(reference)), word) == {}


@pytest.mark.parametrize(
    ("source", "reference", "languages"),
    [
        ("She always/RB looks/VBZ for/IN it/PRP", "Nem sempre ela procura", ("en", "pt")),
        ("She always/RB looks/VBZ for/IN it/PRP", "Sie sucht immer noch danach", ("en", "de")),
        ("It lasted/VBD long/JJ", "Das dauerte lange", ("en", "de")),
        ("I got/VBD a/DT new/JJ phone/NN", "我 换了 新 手机", ("en", "zh")),
    ],
)
def test_a_word_of_a_fixed_expression_is_left_alone(
    source: str, reference: str, languages: tuple[str, str]
) -> None:
    assert word_offers(load_lexicon(*languages), languages, pair(side(source), side(reference))) == []


def test_food_that_is_no_portion_is_replaced() -> None:
    read = pair(side("the/DT price/NN of/IN bread/NN"), side("o preço do pão"))
    assert substitutes(read, "bread")["rice"] == "arroz"


def test_a_compound_is_left_alone() -> None:
    parsed = {"dog": ("compound", "food")}
    read = pair(side("the/DT dog/NN food/NN", relations=parsed), side("a comida de cachorro"))
    assert substitutes(read, "dog") == {}


def test_what_stands_in_the_sentence_already_is_no_substitute() -> None:
    read = pair(side("a/DT cat/NN and/CC a/DT dog/NN"), side("um gato e um cachorro"))
    assert "cat" not in substitutes(read, "dog")
    assert "rabbit" in substitutes(read, "dog")


def test_the_aligner_has_a_say() -> None:
    source, reference = side("The/DT dog/NN sleeps/VBZ"), side("O cachorro dorme")
    assert substitutes(pair(source, reference, links=frozenset({(1, 1)})), "dog")
    assert not substitutes(pair(source, reference, links=frozenset({(1, 2), (2, 1)})), "dog")


def test_a_unit_is_replaced_only_after_a_number() -> None:
    counted = pair(side("three/CD days/NNS"), side("três dias"))
    assert substitutes(counted, "days")["months"] == "meses"
    assert substitutes(pair(side("clear/JJ days/NNS"), side("dias claros")), "days") == {}


def test_a_capital_at_the_start_of_a_sentence_is_kept() -> None:
    read = pair(side("Fortunately/RB he came/VBD"), side("Felizmente ele veio"))
    assert substitutes(read, "Fortunately")["Unfortunately"] == "Infelizmente"


def test_german_words_keep_gender_case_and_number() -> None:
    read = pair(side("He saw/VBD the/DT dog/NN"), side("Er sah den Hund"))
    found = substitutes(read, "dog", ("en", "de"))
    assert "cat" not in found  # `die Katze`
    dogs = pair(side("with/IN the/DT horses/NNS"), side("mit den Pferden"))
    assert substitutes(dogs, "horses", ("en", "de"))["pigs"] == "Schweinen"


def test_a_german_form_that_may_be_two_cases_needs_a_word_that_does_not_differ() -> None:
    read = pair(side("the/DT cats/NNS"), side("die Katzen"))
    found = substitutes(read, "cats", ("en", "de"))
    assert found["turtles"] == "Schildkröten"
    assert "dogs" not in found  # `Hunde`, but `Hunden` in the dative


def test_chinese_nouns_keep_their_measure_word() -> None:
    read = pair(side("two/CD cats/NNS"), side("两 只 猫"))
    found = substitutes(read, "cats", ("en", "zh"))
    assert found["dogs"] == "狗"
    horse = pair(side("a/DT horse/NN"), side("一 匹 马"))
    assert substitutes(horse, "horse", ("en", "zh")) == {}


def test_a_word_for_women_or_men_is_replaced_only_by_such_a_word() -> None:
    read = pair(side("My/PRP$ sister/NN came/VBD"), side("Minha irmã veio"))
    assert substitutes(read, "sister") == {"sister-in-law": "cunhada"}  # and not `cousin`, which may be a man
    read = pair(side("The/DT waitresses/NNS came/VBD"), side("As garçonetes vieram"))
    assert substitutes(read, "waitresses") == {}
    read = pair(side("My/PRP$ sister/NN came/VBD"), side("Meine Schwester kam"))
    assert "cousin" not in substitutes(read, "sister", ("en", "de"))


def test_a_word_for_anybody_may_become_one_that_says_what_the_reference_says() -> None:
    read = pair(side("My/PRP$ cousin/NN came/VBD"), side("Minha prima veio"))
    assert substitutes(read, "cousin") == {"sister": "irmã", "sister-in-law": "cunhada"}


def test_a_language_that_says_gender_may_be_the_source() -> None:
    read = pair(side("Minha irmã veio"), side("My/PRP$ sister/NN came/VBD"))
    assert substitutes(read, "irmã", ("pt", "en"))["prima"] == "cousin"


def test_an_apostrophe_after_a_plural_needs_another_plural_in_s() -> None:
    read = pair(side("the/DT cows/NNS '/POS milk/NN"), side("o leite das vacas"))
    assert "goats" in substitutes(read, "cows")
    assert "sheep" not in substitutes(read, "cows")
    read = pair(side("the/DT women/NNS 's/POS names/NNS"), side("os nomes das mulheres"))
    assert substitutes(read, "women") == {}  # `ladies's`


def names(
    source: Annotation, reference: Annotation, languages: tuple[str, str] = ("en", "pt")
) -> dict[str, set[str]]:
    """The names that are found, with their substitutes."""
    read = pair(source, reference)
    return {
        read.source.text[offer.start : offer.end]: {substitute.source for substitute in offer.substitutes}
        for offer in name_offers(languages, read)
    }


@pytest.mark.parametrize(
    ("source", "reference", "languages"),
    [
        ("Hans/NNP '/POS bicycle/NN", "a bicicleta de Hans", ("en", "pt")),
        ("Hans/NNP '/POS bicycle/NN", "Hans ' Fahrrad", ("en", "de")),
        ("the/DT bicycle/NN of/IN Hans/NNP", "Hans ' Fahrrad", ("en", "de")),
        ("Hans/NNP 's/POS bicycle/NN", "Hans ' Fahrrad", ("en", "de")),
    ],
)
def test_an_apostrophe_after_a_name_in_s_needs_another_such_name(
    source: str, reference: str, languages: tuple[str, str]
) -> None:
    found = names(side(source), side(reference), languages)
    assert found["Hans"] == {"Tomás", "Klaus", "Lars", "Jacques", "Boris", "Nils"}


def test_a_name_with_an_s_after_it_gets_none_in_s() -> None:
    found = names(side("Ivan/NNP 's/POS wife/NN"), side("a esposa de Ivan"))
    assert "Pablo" in found["Ivan"]
    assert "Hans" not in found["Ivan"]


def test_a_name_in_s_without_an_apostrophe_gets_any() -> None:
    assert {"Lars", "Ivan"} <= names(side("Hans/NNP came/VBD"), side("Hans veio"))["Hans"]


def test_a_given_name_keeps_its_gender_and_a_family_name_is_known_by_it() -> None:
    found = names(side("Denise/NNP Okafor/NNP came/VBD"), side("Denise Okafor veio"))
    assert {"Emily", "Sarah"} <= found["Denise"]
    assert not {"Tom", "Denise"} & found["Denise"]
    assert "Mensah" in found["Okafor"]


@pytest.mark.parametrize(
    ("source", "reference"),
    [
        ("Emperor/NNP Pedro/NNP II/NNP", "o imperador Pedro II"),
        ("in/IN Santa/NNP Marta/NNP", "em Santa Marta"),
        ("Mary/NNP came/VBD", "Maria veio"),
        ("Ana/NNP and/CC Ana/NNP", "Ana e Ana"),
    ],
)
def test_some_names_are_left_alone(source: str, reference: str) -> None:
    assert names(side(source), side(reference)) == {}


def test_a_name_in_a_firm_is_left_alone() -> None:
    source = named(side("at/IN Martha/NNP Industries/NNP"), 1, 3, "ORG")
    assert names(source, side("na Martha Industries")) == {}


def test_a_determiner_with_its_preposition_is_no_preposition() -> None:
    read = pair(
        side("He lives/VBZ in/IN this/DT house/NN", relations={"in": ("prep", "lives")}),
        side("Ele mora nesta casa"),
    )
    [span] = [
        span for span in lexicon_spans(read, "en-pt") if read.source.text[span.start :].startswith("in")
    ]
    assert span.label == "DET"
    assert read.source.tokens[span.head].text == "this"


@pytest.mark.parametrize(
    ("source", "reference", "needed"),
    [
        ("He wants/VBZ to/TO go/VB", "Ele quer ir", "precisa"),
        ("They wanted/VBD to/TO go/VB", "Eles queriam ir", "precisavam"),
        ("He wants/VBZ bread/NN", "Ele quer pão", None),
        ("He wants/VBZ to/TO go/VB", "Ele quer que vá", None),
    ],
)
def test_a_verb_of_intent_is_replaced_before_an_infinitive(
    source: str, reference: str, needed: str | None
) -> None:
    found = substitutes(pair(side(source), side(reference)), source.split()[1].split("/")[0])
    assert found.get("needs", found.get("needed")) == needed


@pytest.mark.parametrize(
    ("source", "reference", "is_edited"),
    [
        ("He helped/VBD her/PRP", "Ele ajudou ela", True),
        ("He helped/VBD me/PRP", "Ele me ajudou", True),
        ("He kissed/VBD stones/NNS", "Ele beijou pedras", False),
    ],
)
def test_what_is_done_to_people_is_done_to_people_alone(source: str, reference: str, is_edited: bool) -> None:
    _, verb, object_ = (item.split("/")[0] for item in source.split())
    read = pair(side(source, relations={object_: ("dobj", verb)}), side(reference))
    assert bool(substitutes(read, verb)) is is_edited


def test_a_verb_without_object_is_left_alone_where_its_object_stands_before_it() -> None:
    song = side("the/DT song/NN you sang/VBD", relations={"sang": ("relcl", "song")})
    assert substitutes(pair(song, side("a música que você cantou")), "sang") == {}
    read = pair(side("Yesterday/RB you sang/VBD"), side("Ontem você cantou"))
    assert substitutes(read, "sang")["rested"] == "descansou"


def test_an_adjective_before_its_noun_becomes_one_that_can_stand_there() -> None:
    found = substitutes(pair(side("a/DT good/JJ lawyer/NN"), side("um bom/JJ advogado/NN")), "good")
    assert found["bad"] == "mau"
    assert "terrible" in found
    assert "ruim" not in found.values()  # not `um ruim advogado`


def test_a_month_is_a_name_whatever_a_tagger_says() -> None:
    read = pair(side("She came/VBD in/IN May/NN"), side("Ela veio em maio"))
    labels = [span.label for span in lexicon_spans(read, "en-pt") if read.source.text[span.start :] == "May"]
    assert labels == ["PROPN", "DATE"]


def test_a_word_that_can_only_go_is_never_put_in() -> None:
    entries = load_lexicon("en", "pt").entries
    still = next(entry for entry in entries if entry.source == {"": "still"})
    also = next(e for e in entries if e.group == "middle" and e.source == {"": "also"})
    lexicon = load_lexicon("en", "pt")
    assert "also" in {one.source for one in lexicon.substitutes(still, {("", "")})}
    assert "still" not in {one.source for one in lexicon.substitutes(also, {("", "")})}


def test_of_a_word_that_stands_twice_the_aligner_says_which_goes_with_which() -> None:
    source = side("The/DT red/JJ car/NN and/CC the/DT red/JJ bus/NN")
    reference = side("O carro vermelho e o ônibus vermelho")
    assert substitutes(pair(source, reference), "red") == {}
    linked = pair(source, reference, links=frozenset({(1, 2), (5, 6)}))
    assert substitutes(linked, "red")["blue"] == "azul"


def test_a_pronoun_becomes_another_where_nothing_hangs_from_it() -> None:
    def read(source: str, reference: str) -> ReadPair:
        annotation = side(source, relations={"that": ("dobj", "did")})
        tokens = tuple(t._replace(pos="PRON") if t.text == "that" else t for t in annotation.tokens)
        return pair(Annotation(annotation.text, tokens), side(reference))

    assert substitutes(read("He did/VBD that/DT", "Ele fez isso"), "that")["everything"] == "tudo"
    assert substitutes(read("He did/VBD that/DT work/NN", "Ele fez isso"), "that") == {}
    assert substitutes(read("He never/RB did/VBD that/DT", "Ele nunca fez isso"), "that") == {}


@pytest.mark.parametrize(
    ("source", "reference", "word", "expected"),
    [
        ("Tom/NNP already/RB left/VBD", "Tom já/RB saiu/VBD", "already", "sempre"),
        ("He is/VBZ more/RBR famous/JJ", "Ele é mais/RB famoso/JJ", "more", None),
        ("He already/RB knows/VBZ nothing/NN", "Ele já/RB não sabe/VBZ nada", "already", None),
    ],
)
def test_an_adverb_in_the_middle_needs_a_verb_and_nothing_that_denies_it(
    source: str, reference: str, word: str, expected: str | None
) -> None:
    found = substitutes(pair(side(source), side(reference)), word)
    assert found.get("always") == expected
    assert ("less" in found) is (word == "more")


@pytest.mark.parametrize(
    ("source", "relations", "reference", "word"),
    [
        # a path, a state, a direction: what the others of the group do not take
        ("He danced/VBD across/IN the/DT hall/NN", {"across": ("prep", "danced")},
         "Ele dançou no salão", "danced"),
        ("They told/VBD me to/TO rest/VB still/JJ", {}, "Mandaram-me descansar quieto/JJ", "rest"),
        ("She walks/VBZ home/RB", {}, "Ela caminha em casa", "walks"),
        ("She walks/VBZ here/RB", {}, "Ela caminha aqui", "walks"),
        # the object is a direct one in English alone
        ("He exchanged/VBD the/DT cars/NNS", {"cars": ("dobj", "exchanged")},
         "Ele trocou de carro", "exchanged"),
        ("He sold/VBD the/DT house/NN to/TO them/PRP", {"house": ("dobj", "sold"), "to": ("prep", "sold")},
         "Ele vendeu a casa a eles", "sold"),
        ("He bought/VBD us/PRP a/DT car/NN", {"us": ("dative", "bought"), "car": ("dobj", "bought")},
         "Ele comprou um carro", "bought"),
        ('"/`` It/PRP adds/VBZ sugar/NN "/``', {"sugar": ("dobj", "adds")}, '" Acrescenta açúcar "', "adds"),
        ("He did/VBD nothing/NN but/IN cry/VB", {"nothing": ("dobj", "did")}, "Ele fez nada mais que chorar",
         "did"),
        # nobody is needing to go
        # an adjective that is a noun
        ("A new/JJ old/JJ makes/VBZ sense/NN", {"old": ("nsubj", "makes")},
         "Um velho novo faz sentido", "old"),
        ("the/DT cold/JJ season/NN", {}, "a estação/NN de/IN frio/NN", "cold"),
        ("It will/MD soon/RB be/VB paid/VBN", {}, "Será pago em breve", "soon"),
        ("He comes/VBZ at/IN two/CD tomorrow/NN", {}, "Ele vem às duas de amanhã", "tomorrow"),
        # degrees and amounts
        ("He speaks/VBZ only/RB a/DT little/JJ", {}, "Ele fala só um/DT pouco", "only"),
        ("You can/MD go/VB almost/RB immediately/RB", {}, "Você pode ir quase imediatamente", "immediately"),
        ("I saw/VBD how/WRB late/RB it was/VBD", {}, "Vi como era tarde", "late"),
        ("He slept/VBD late/RB", {}, "Ele dormiu até tarde", "late"),
        ("He sings/VBZ even/RB in/IN winter/NN", {}, "Ele canta até mesmo no/IN inverno", "even"),
        ("It is/VBZ by/IN far/RB better/JJR", {}, "É muito melhor", "far"),
        # no article, or a preposition of its own
        ("the/DT first/JJ year/NN of/IN university/NN", {}, "o primeiro ano da universidade", "university"),
        ("He hears/VBZ the/DT radio/NN", {}, "Ele ouve/VB rádio/NN", "radio"),
        # verbs that need their question
        ("I know/VBP where/WRB she lives/VBZ", {"where": ("advmod", "lives"), "lives": ("ccomp", "know")},
         "Sei onde ela mora/VB", "where"),
    ],
)  # fmt: skip
def test_a_word_is_left_alone_where_something_goes_with_it_alone(
    source: str, relations: dict[str, tuple[str, str]], reference: str, word: str
) -> None:
    annotation = side(source, relations=relations)
    lemmas = {"lives": "live", "has": "have"}
    tokens = tuple(token._replace(lemma=lemmas.get(token.text, "")) for token in annotation.tokens)
    assert substitutes(pair(Annotation(annotation.text, tokens), side(reference)), word) == {}


@pytest.mark.parametrize(
    ("source", "relations", "reference", "word", "allowed"),
    [
        ("He danced/VBD in/IN the/DT hall/NN", {"in": ("prep", "danced")},
         "Ele dançou no salão", "danced", "sang"),
        ("He wipes/VBZ the/DT cold/JJ table/NN", {}, "Ele limpa a mesa/NN fria/JJ", "cold", "hot"),
        ("He hears/VBZ the/DT radio/NN", {}, "Ele ouve/VB o/DT rádio/NN", "radio", "phone"),
        ("He plays/VBZ the/DT violin/NN", {}, "Ele toca/VB violino/NN", "violin", "piano"),
        ("the/DT old/JJ university/NN", {}, "a velha universidade", "university", "library"),
        ("my/PRP$ French/JJ teacher/NN", {}, "meu professor francês", "teacher", "librarian"),
        ("He slept/VBD late/RB", {}, "Ele dormiu tarde", "late", "early"),
        ("Tom/NNP already/RB saw/VBD it/PRP", {}, "Tom já/RB viu/VBD isso", "already", "probably"),
    ],
)  # fmt: skip
def test_the_same_word_is_replaced_where_nothing_goes_with_it_alone(
    source: str, relations: dict[str, tuple[str, str]], reference: str, word: str, allowed: str
) -> None:
    assert allowed in substitutes(pair(side(source, relations=relations), side(reference)), word)


def test_a_room_of_several_words_is_replaced_whole() -> None:
    read = pair(side("The/DT living/NN room/NN is/VBZ cold/JJ"), side("A sala de estar é fria"))
    assert substitutes(read, "living room")["kitchen"] == "cozinha"
    [offer] = [o for o in word_offers(load_lexicon("en", "pt"), ("en", "pt"), read) if o.kind == "room"]
    assert read.reference.text[offer.reference_start : offer.reference_end] == "sala de estar"


def test_big_is_no_greatness() -> None:
    read = pair(side("a/DT good/JJ person/NN"), side("uma boa/JJ pessoa/NN"))
    assert "grande" not in substitutes(read, "good").values()


def test_a_place_keeps_the_preposition_that_english_has_for_it() -> None:
    on = pair(side("snakes/NNS on/IN this/DT island/NN"), side("cobras nesta ilha"))
    assert substitutes(on, "island") == {}  # `in this region`
    of = pair(side("the/DT laws/NNS of/IN this/DT island/NN"), side("as leis desta ilha"))
    assert substitutes(of, "island")["province"] == "província"
    born = pair(side("born/VBN in/IN that/DT house/NN"), side("nascido naquela casa"))
    assert "farm" not in substitutes(born, "house")  # `on that farm`


def test_a_question_does_not_say_how_sure_its_answer_is() -> None:
    told = pair(side("Tom/NNP already/RB left/VBD ./."), side("Tom já/RB saiu/VBD ."))
    assert "probably" in substitutes(told, "already")
    asked = pair(side("Tom/NNP already/RB left/VBD ?/."), side("Tom já/RB saiu/VBD ?"))
    assert "often" in substitutes(asked, "already")
    assert not {"probably", "certainly"} & set(substitutes(asked, "already"))


def test_what_is_denied_is_not_slight() -> None:
    read = pair(side("It is/VBZ n't/RB a/DT very/RB good/JJ car/NN"), side("Não é um carro muito/RB bom/JJ"))
    found = substitutes(read, "very")
    assert "particularly" in found
    assert not {"quite", "relatively", "slightly"} & set(found)


def test_nobody_goes_here_or_comes_there() -> None:
    def read(verb: str) -> ReadPair:
        annotation = side(f"They {verb}/VBD today/NN", relations={"today": ("npadvmod", verb)})
        lemmas = {"went": "go", "came": "come", "ate": "eat"}
        tokens = tuple(token._replace(lemma=lemmas.get(token.text, "")) for token in annotation.tokens)
        return pair(Annotation(annotation.text, tokens), side("Eles foram hoje"))

    assert set(substitutes(read("went"), "today")) == {"there"}
    assert set(substitutes(read("came"), "today")) == {"here"}
    assert set(substitutes(read("ate"), "today")) == {"here", "there"}


def test_an_adverb_must_go_with_the_same_verb_on_both_sides() -> None:
    source = side(
        "Tom/NNP also/RB learned/VBD to/TO sing/VB",
        relations={"also": ("advmod", "learned"), "sing": ("xcomp", "learned")},
    )

    links = frozenset({(1, 1), (2, 0), (4, 3)})
    near = pair(source, side("Aprendeu/VBD também/RB a/IN cantar/VB"), links=links)
    assert substitutes(near, "also")["always"] == "sempre"
    links = frozenset({(1, 3), (2, 0), (4, 2)})
    far = pair(source, side("Aprendeu/VBD a/IN cantar/VB também/RB"), links=links)
    assert substitutes(far, "also") == {}


def test_a_word_that_one_side_says_more_often_is_left_alone() -> None:
    who = {"know": ("relcl", "those"), "it": ("dobj", "know")}
    source = side("those/DT who/WP understand/VBP Tom/NNP and/CC those/DT who/WP do/VBP not", relations=who)
    twice = side("os que entendem Tom e os que não entendem")
    links = frozenset({(2, 2), (3, 3)})
    assert substitutes(pair(source, twice, links=links), "understand") == {}


def test_an_auxiliary_and_a_noun_are_no_other_times_of_a_verb() -> None:
    source = side("She did/VBD not/RB see/VB what/WP he did/VBD", relations={"what": ("dobj", "did")})
    tokens = [token._replace(pos="AUX" if n == 1 else token.pos) for n, token in enumerate(source.tokens)]
    tokens[5] = tokens[5]._replace(head=-1)
    tokens[4] = tokens[4]._replace(head=6)
    read = pair(Annotation(source.text, tuple(tokens)), side("Ela não viu o que ele fez"))
    assert "used" in substitutes(read, "did")
    food = side("She likes/VBZ to/TO eat/VB fish/NN", relations={"fish": ("dobj", "eat")})
    assert "prepare" in substitutes(pair(food, side("Ela gosta de comer comida/NN")), "eat")


def test_a_portuguese_preposition_is_not_left_apart_from_what_it_is_joined_with() -> None:
    read = pair(side("at/IN this/DT hour/NN"), side("a esta hora"))
    assert substitutes(read, "this") == {}  # `àquela hora`
    read = pair(side("for/IN this/DT house/NN"), side("para esta casa"))
    assert substitutes(read, "this")["that"] == "aquela"


def test_a_pronoun_is_left_alone_where_another_one_may_be_meant() -> None:
    def read(source: str, reference: str, word: str) -> ReadPair:
        annotation = side(source, relations={word: ("pobj", "like"), "it": ("dobj", "do")})
        tokens = tuple(t._replace(pos="PRON") if t.text in (word, "it") else t for t in annotation.tokens)
        return pair(Annotation(annotation.text, tokens), side(reference))

    assert substitutes(read("do/VB like/IN this/DT", "fazer isso", "this"), "this")
    assert substitutes(read("do/VB it/PRP like/IN this/DT", "fazer isso assim", "this"), "this") == {}
    described = read("like/IN something/NN very/RB nice/JJ", "como algo muito bonito", "something")
    assert substitutes(described, "something") == {}
