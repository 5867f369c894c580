"""Languages: a line in another one is found in many scripts, and close relatives are not confused."""

from __future__ import annotations

import pytest

from mtassay.data.nouns import Segment
from mtassay.measures import output_language
from tests.checks.build import counts

# One small story in many languages, line by line.
TEXTS = {
    "en": """
My sister bought a book about the history of the city.
The children play in the park while their parents talk.
It is very cold and the street is full of snow.
She works in a small office near the harbour.
We have to decide what to do with the old house.
""",
    "de": """
Meine Schwester hat ein Buch über die Geschichte der Stadt gekauft.
Die Kinder spielen im Park, während ihre Eltern reden.
Es ist sehr kalt und die Straße ist voller Schnee.
Sie arbeitet in einem kleinen Büro in der Nähe des Hafens.
Wir müssen entscheiden, was wir mit dem alten Haus machen.
""",
    "es": """
Mi hermana compró un libro sobre la historia de la ciudad.
Los niños juegan en el parque mientras sus padres hablan.
Hace mucho frío y la calle está llena de nieve.
Ella trabaja en una oficina pequeña cerca del puerto.
Tenemos que decidir qué hacer con la casa vieja.
""",
    "pt": """
Minha irmã comprou um livro sobre a história da cidade.
As crianças brincam no parque enquanto os pais conversam.
Está muito frio e a rua está cheia de neve.
Ela trabalha num escritório pequeno perto do porto.
Temos de decidir o que fazer com a casa velha.
""",
    "da": """
Min søster købte en bog om byens historie.
Børnene leger i parken, mens deres forældre taler sammen.
Det er meget koldt, og gaden er fuld af sne.
Hun arbejder på et lille kontor tæt på havnen.
Vi skal beslutte, hvad vi vil gøre med det gamle hus.
""",
    "no": """
Søsteren min kjøpte en bok om byens historie.
Barna leker i parken mens foreldrene snakker sammen.
Det er veldig kaldt, og gata er full av snø.
Hun jobber på et lite kontor like ved havna.
Vi må bestemme oss for hva vi skal gjøre med det gamle huset.
""",
    "hr": """
Moja sestra je kupila knjigu o povijesti grada.
Djeca se igraju u parku dok njihovi roditelji razgovaraju.
Vrlo je hladno i ulica je puna snijega.
Ona radi u malom uredu blizu luke.
Moramo odlučiti što ćemo učiniti sa starom kućom.
""",
    "sr": """
Moja sestra je kupila knjigu o istoriji grada.
Deca se igraju u parku dok njihovi roditelji razgovaraju.
Veoma je hladno i ulica je puna snega.
Ona radi u maloj kancelariji blizu luke.
Moramo da odlučimo šta ćemo da uradimo sa starom kućom.
""",
    "ru": """
Моя сестра купила книгу об истории города.
Дети играют в парке, пока их родители разговаривают.
Очень холодно, и улица полна снега.
Она работает в маленьком офисе рядом с портом.
Мы должны решить, что делать со старым домом.
""",
    "el": """
Η αδερφή μου αγόρασε ένα βιβλίο για την ιστορία της πόλης.
Τα παιδιά παίζουν στο πάρκο ενώ οι γονείς τους μιλούν.
Κάνει πολύ κρύο και ο δρόμος είναι γεμάτος χιόνι.
Δουλεύει σε ένα μικρό γραφείο κοντά στο λιμάνι.
Πρέπει να αποφασίσουμε τι θα κάνουμε με το παλιό σπίτι.
""",
    "zh": """
我姐姐买了一本关于这座城市历史的书。
孩子们在公园里玩，他们的父母在聊天。
天气很冷，街上到处都是雪。
她在港口附近的一间小办公室工作。
我们必须决定怎么处理这座老房子。
""",
    "zh-Hant": """
我姐姐買了一本關於這座城市歷史的書。
孩子們在公園裡玩，他們的父母在聊天。
天氣很冷，街上到處都是雪。
她在港口附近的一間小辦公室工作。
我們必須決定怎麼處理這座老房子。
""",
    "ja": """
姉は町の歴史についての本を買いました。
子どもたちは公園で遊び、親たちは話をしています。
とても寒くて、道は雪でいっぱいです。
彼女は港の近くの小さな事務所で働いています。
古い家をどうするか決めなければなりません。
""",
    "ko": """
누나는 도시의 역사에 관한 책을 샀다.
부모님이 이야기하는 동안 아이들은 공원에서 논다.
날씨가 매우 춥고 거리는 눈으로 가득하다.
그녀는 항구 근처의 작은 사무실에서 일한다.
우리는 오래된 집을 어떻게 할지 결정해야 한다.
""",
    "ar": """
اشترت أختي كتابا عن تاريخ المدينة.
يلعب الأطفال في الحديقة بينما يتحدث آباؤهم.
الجو بارد جدا والشارع مليء بالثلج.
تعمل في مكتب صغير بالقرب من الميناء.
علينا أن نقرر ماذا نفعل بالبيت القديم.
""",
    "th": """
พี่สาวของฉันซื้อหนังสือเกี่ยวกับประวัติศาสตร์ของเมือง
เด็กๆ เล่นในสวนขณะที่พ่อแม่คุยกัน
อากาศหนาวมากและถนนเต็มไปด้วยหิมะ
เธอทำงานในสำนักงานเล็กๆ ใกล้ท่าเรือ
เราต้องตัดสินใจว่าจะทำอย่างไรกับบ้านเก่า
""",
}
STORY = {code: text.strip().split("\n") for code, text in TEXTS.items()}


def wrong_lines(pair: tuple[str, str], other: str, *, know_pair: bool = True) -> int:
    """How many of the last three lines are found if a system wrote them in another language."""
    source, target = STORY[pair[0]], STORY[pair[1]]
    segments = [Segment(str(i), text, (target[i],)) for i, text in enumerate(source)]
    outputs = {"s": [*target[:2], *STORY[other][2:]]}
    found = counts(segments, outputs, pair=pair if know_pair else None, checks="untranslated,wrong-language")[
        "s"
    ]
    assert found.get("untranslated", 0) == (3 if other == pair[0] else 0)
    return sum(found.values())


@pytest.mark.parametrize("know_pair", [True, False])
@pytest.mark.parametrize(
    ("source", "target", "other"),
    [
        ("de", "en", "de"),
        ("de", "en", "es"),
        ("de", "en", "zh"),
        ("de", "en", "ko"),
        ("en", "de", "da"),
        ("en", "ru", "de"),
        ("en", "zh", "en"),
        ("en", "zh", "ru"),
        ("zh", "ja", "zh"),
        ("ja", "zh", "ja"),
        ("en", "ja", "ko"),
        ("en", "ko", "ja"),
        ("en", "ar", "el"),
        ("en", "th", "de"),
        ("th", "en", "th"),
        ("en", "el", "ru"),
    ],
)
def test_lines_in_another_language_are_found(source: str, target: str, other: str, know_pair: bool) -> None:
    assert wrong_lines((source, target), other, know_pair=know_pair) == 3


@pytest.mark.parametrize(
    ("source", "target", "other"),
    [("en", "da", "no"), ("en", "no", "da"), ("en", "hr", "sr"), ("en", "sr", "hr"), ("en", "zh", "zh-Hant")],
)
def test_languages_that_one_line_hardly_tells_apart_are_not_confused(
    source: str, target: str, other: str
) -> None:
    assert wrong_lines((source, target), other) == 0


def test_spanish_is_found_in_a_portuguese_output_where_it_is_plain() -> None:
    assert wrong_lines(("en", "pt"), "es") > 0
    assert wrong_lines(("en", "pt"), "pt") == 0


@pytest.mark.parametrize("target", STORY)
def test_a_translation_is_never_foreign_to_its_own_language(target: str) -> None:
    # References and outputs share no line, so that words must be known from elsewhere.
    segments = [Segment(str(i), STORY["en"][i], (STORY[target][i - 1],)) for i in range(5)]
    found = counts(segments, {"s": STORY[target]}, pair=("en", target), checks="untranslated,wrong-language")
    assert target == "en" or found["s"] == {}


@pytest.mark.parametrize("know_pair", [True, False])
def test_a_source_that_was_never_translated_is_found_without_references(know_pair: bool) -> None:
    segments = [Segment(str(i), text, ()) for i, text in enumerate(STORY["de"])]
    found = counts(segments, {"s": STORY["de"]}, pair=("de", "en") if know_pair else None)
    assert found["s"]["untranslated"] == 5


def test_a_file_in_a_third_language_is_found_without_references() -> None:
    segments = [Segment(str(i), text, ()) for i, text in enumerate(STORY["de"])]
    outputs = {"right": STORY["en"], "wrong": STORY["es"]}
    assert counts(segments, outputs, pair=("de", "en")) == {"right": {}, "wrong": {"wrong-language": 5}}


def test_a_quotation_that_the_reference_leaves_as_it_is_may_stay_foreign() -> None:
    quotation = "Liberté, égalité, fraternité: c'est la devise de la République française."
    segments = [Segment("q", "Wahlspruch", (quotation.replace(":", ","),))]
    segments += [Segment(str(i), text, (STORY["en"][i],)) for i, text in enumerate(STORY["de"])]
    assert counts(segments, {"s": [quotation, *STORY["en"]]}, pair=("de", "en"))["s"] == {}


def test_a_target_that_cannot_be_identified_is_known_by_its_references() -> None:
    segments = [Segment(str(i), text, (STORY["pt"][i],)) for i, text in enumerate(STORY["en"])]
    outputs = {"s": [*STORY["pt"][:4], STORY["ru"][4]]}
    assert counts(segments, outputs, pair=("en", "qaa"))["s"] == {"wrong-language": 1}


@pytest.mark.parametrize("foreign", ["es", "zh"])
def test_in_a_long_foreign_file_a_sample_is_identified_and_all_is_reported(
    foreign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_language, "_FIRST_IDENTIFIED", 2)
    segments = [Segment(str(i), text, (STORY["en"][i],)) for i, text in enumerate(STORY["de"])]
    outputs = {"s": STORY[foreign], "t": STORY["en"]}
    assert counts(segments, outputs, pair=("de", "en")) == {"s": {"wrong-language": 5}, "t": {}}
