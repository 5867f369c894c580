"""Which spellings of a name, number or date are one, and which are not: tables made by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.words import plain_marks, plain_text, spell_out_marks, strip_marks
from mtassay.nlp.normalisation import Normaliser
from mtassay.nlp.numerals import WORDS, canonical_number

SWITCHES = ("diacritics", "case", "numbers", "possessives", "names", "dates")
OFF = dict.fromkeys(SWITCHES, False)


def same(one: str, other: str, *, language: str = "", **switches: bool) -> bool:
    normaliser = Normaliser(language=language, **switches)
    ones, others = normaliser.renderings(one), normaliser.renderings(other)
    return any(rendering in others for rendering in ones)


@pytest.mark.parametrize(
    ("switch", "language", "one", "other"),
    [
        ("diacritics", "en", "à la carte", "a la carte"),  # the paper's own example
        ("diacritics", "pt", "São Tomé", "Sao Tome"),
        ("diacritics", "es", "Núñez", "Nunez"),
        ("diacritics", "fr", "Besançon", "Besancon"),
        ("diacritics", "ro", "Iași", "Iasi"),
        ("diacritics", "pl", "Łódź", "Lodz"),
        ("diacritics", "de", "Müller", "Muller"),
        ("diacritics", "de", "Müller", "Mueller"),
        ("diacritics", "de", "Weiß", "Weiss"),
        ("diacritics", "da", "Århus", "Aarhus"),
        ("diacritics", "da", "Århus", "Arhus"),
        ("diacritics", "da", "Jørgen", "Joergen"),
        ("diacritics", "tr", "Iğdır", "Igdir"),
        ("diacritics", "el", "Αθήνα", "Αθηνα"),
        ("diacritics", "ru", "Горбачёв", "Горбачев"),
        ("diacritics", "he", "יְרוּשָׁלַיִם", "ירושלים"),
        ("diacritics", "ar", "مُحَمَّد", "محمد"),
        ("diacritics", "ar", "أحمد", "احمد"),
        ("diacritics", "ar", "إيران", "ايران"),
        ("diacritics", "ar", "آسيا", "اسيا"),
        ("diacritics", "ar", "مصطفى", "مصطفي"),
        ("diacritics", "ar", "محـــمد", "محمد"),
        ("diacritics", "fa", "تهران کیش", "تهران كيش"),
        ("case", "en", "NATO", "Nato"),
        ("case", "de", "STRASSE", "Straße"),
        ("case", "el", "ΟΔΥΣΣΕΥΣ", "οδυσσευς"),
        ("case", "ru", "МОСКВА", "Москва"),
        ("numbers", "en", "twenty-three", "23"),
        ("numbers", "en", "Twenty three", "23"),
        ("numbers", "en", "2 million", "two million"),
        ("numbers", "en", "1,234.50", "1234.5"),
        ("numbers", "de", "1.234,5", "1234,50"),
        ("numbers", "fr", "3 000", "3000"),
        ("numbers", "fr", "3\u202f000", "3000"),
        ("numbers", "de", "3'000", "3.000"),
        ("numbers", "ar", "١٢٫٥", "12.5"),
        ("numbers", "hi", "१२", "12"),
        ("numbers", "en", "one hundred", "100"),
        ("numbers", "en", "one hundred and five", "105"),
        ("numbers", "en", "twelve hundred", "1,200"),
        ("numbers", "en", "2.5 million", "2,500,000"),
        ("numbers", "en", "two million three hundred thousand", "2,300,000"),
        ("numbers", "en", "$1.2bn", "$1,200,000,000"),
        ("numbers", "en", "3 lakh", "300,000"),
        ("numbers", "en", "a billion", "one billion"),
        ("numbers", "en", "21st", "twenty-first"),
        ("numbers", "en", "the 3rd time", "the third time"),
        ("numbers", "en", "105th", "one hundred and fifth"),
        ("numbers", "de", "1 000", "1000"),
        ("numbers", "de", "1 000", "1.000"),
        ("numbers", "de", "2,5 Millionen", "2.500.000"),
        ("numbers", "de", "3 Mrd", "3.000.000.000"),
        ("numbers", "de", "zweihundertdreiundvierzig", "243"),
        ("numbers", "de", "eine Million", "1.000.000"),
        ("numbers", "de", "neunzehnhundertvierundachtzig", "1984"),
        ("numbers", "de", "21. Jahrhundert", "einundzwanzigste Jahrhundert"),
        ("numbers", "fr", "quatre-vingt-dix-neuf mille un", "99 001"),
        ("numbers", "fr", "2,5 millions", "2 500 000"),
        ("numbers", "fr", "1er", "premier"),
        ("numbers", "fr", "21e", "vingt et unième"),
        ("numbers", "es", "doscientos treinta y un mil", "231.000"),
        ("numbers", "es", "mil millones", "1.000.000.000"),
        ("numbers", "es", "1.º", "primero"),
        ("numbers", "pt", "mil e uma noites", "1001 noites"),
        ("numbers", "pt", "um milhão", "1.000.000"),
        ("numbers", "pt", "1,5 bilhão", "1.500.000.000"),
        ("numbers", "pt", "21º", "vigésimo primeiro"),
        ("numbers", "it", "milleottocentosessantuno", "1861"),
        ("numbers", "it", "centottanta", "180"),
        ("numbers", "it", "duemila", "2.000"),
        ("numbers", "nl", "tweehonderdvijftigduizend", "250.000"),
        ("numbers", "ru", "двести тысяч", "200 000"),
        ("numbers", "ru", "3 млн", "3 000 000"),
        ("numbers", "zh", "二十一", "21"),
        ("numbers", "zh", "三千零五", "3005"),
        ("numbers", "zh", "二〇一九年", "2019年"),
        ("numbers", "zh", "250万", "2,500,000"),
        ("numbers", "zh", "250萬", "二百五十万"),
        ("numbers", "zh", "1.2亿", "一億二千万"),
        ("numbers", "zh", "２亿５０００万", "250000000"),
        ("numbers", "zh", "三个人", "3个人"),
        ("numbers", "zh", "第一", "第1"),
        ("numbers", "zh", "三十多人", "30多人"),
        ("numbers", "zh", "2亿千瓦时", "200000000千瓦时"),
        ("numbers", "zh", "百万", "一百万"),
        ("numbers", "zh", "200多万人", "200万人"),
        ("numbers", "zh", "3万5000", "35000"),
        ("numbers", "zh", "1.74亿90后", "174000000 90后"),
        ("numbers", "en", "a third time", "a 3rd time"),
        ("numbers", "en", "a first try", "a 1st try"),
        ("numbers", "ja", "三千五百円", "3500円"),
        ("numbers", "ja", "2兆円", "2,000,000,000,000円"),
        ("numbers", "ko", "5만", "50,000"),
        ("numbers", "ar", "٢٫٥ مليون", "2500000"),
        ("numbers", "hi", "5 लाख", "5,00,000"),
        ("numbers", "hi", "२ करोड़", "20000000"),
        ("numbers", "tr", "3 milyon", "3.000.000"),
        ("numbers", "sv", "2 miljoner", "2 000 000"),
        ("names", "fr", "Jean-Luc", "Jean Luc"),
        ("names", "en", "Dr. Who", "Dr Who"),
        ("names", "en", "St. Louis", "St Louis"),
        ("names", "en", "George W. Bush", "George W Bush"),
        ("names", "en", "Apple Inc.", "Apple Inc"),
        ("names", "en", "COVID-19", "COVID 19"),
        ("names", "en", "Paris–Dakar", "Paris Dakar"),
        ("names", "pt", "Sr. Silva", "Sr Silva"),
        ("names", "zh", "科瑞·舒爾曼", "科瑞舒爾曼"),
        ("names", "ja", "ジョン・スミス", "ジョンスミス"),
        ("dates", "en", "3 May 2024", "May 3, 2024"),
        ("dates", "en", "3 May 2024", "2024-05-03"),
        ("dates", "en", "May 3", "3 May"),
        ("dates", "en", "25/12/2023", "12/25/2023"),  # only one of them can be the month
        ("dates", "en-US", "5/3/2024", "May 3, 2024"),
        ("dates", "en-GB", "3/5/2024", "May 3, 2024"),
        ("dates", "en", "May, 2024", "May 2024"),
        ("dates", "de", "3. Mai 2024", "03.05.2024"),
        ("dates", "de", "3. Mai 2024", "2024-05-03"),
        ("dates", "fr", "3 août 2024", "03/08/2024"),
        ("dates", "es", "3 de mayo de 2024", "3/5/2024"),
        ("dates", "pt", "3 de maio de 2024", "3 maio 2024"),
        ("dates", "it", "3 maggio 2024", "03/05/2024"),
        ("dates", "ru", "3 мая 2024", "03.05.2024"),
        ("dates", "zh", "2024年5月3日", "2024-05-03"),
        ("dates", "ja", "5月3日", "5月3号"),
        ("dates", "ar", "3 مايو 2024", "2024-05-03"),
        ("possessives", "en", "Brazil's", "Brazil"),
        ("possessives", "en", "BRAZIL’S", "BRAZIL"),
        ("possessives", "en", "the Joneses'", "the Joneses"),
        ("possessives", "en", "2019's", "2019"),
    ],
)
def test_each_switch_by_itself_makes_two_spellings_one(switch, language, one, other):
    assert same(one, other, language=language)
    assert same(one, other, language=language, **{**OFF, switch: True})
    assert not same(one, other, language=language, **OFF)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "Joe", "Jo"),
        ("en", "Mueller", "Muller"),  # neither has a mark
        ("ru", "Йошкар", "Иошкар"),
        ("uk", "Київ", "Киів"),
        ("ja", "がく", "かく"),
        ("hi", "मोदी", "मद"),
        ("th", "กิน", "กน"),
        ("vi", "Hà", "Ha"),
        ("de", "Merkels", "Merkel"),  # the German genitive has no mark
        ("en", "1.234", "1,234"),
        ("de", "1.234", "1,234"),
        ("en", "12.05.2020", "12052020"),
        ("en", "1.000", "1,000"),
        ("en", "1.000", "1000"),
        ("de", "1.000", "1"),
        ("en", "1 000", "1000"),  # English does not group by plain spaces
        ("en", "one hundred and two hundred", "102 hundred"),
        ("en", "half a million", "half 1 million"),
        ("en", "a quarter of a million", "a quarter of 1 million"),
        ("en", "one hundred and a half", "101 half"),
        ("en", "a car", "1 car"),
        ("en", "two and a half million", "2 million"),
        ("en", "two point five million", "5 million"),
        ("en", "20 million", "200 million"),
        ("en", "5 m", "5 million"),
        ("en", "one, two", "12"),
        ("en", "nineteen eighty", "99"),
        ("en", "21", "21st"),
        ("en", "second", "2nd"),  # a moment
        ("en", "one third", "one 3rd"),
        ("en", "a third of all", "a 3rd of all"),
        ("en", "a twenty-second pause", "a 22nd pause"),
        ("en", "may 3", "3 May"),  # a verb
        ("en", "3/5/2024", "3 May 2024"),  # March in America
        ("en", "5/3/2024", "3 May 2024"),
        ("en", "31 February 2024", "2024-02-31"),
        ("en", "3 May 2024", "3 May 2023"),
        ("en", "3-5", "3 5"),
        ("en", "2019-20", "2019 20"),
        ("en", "Paris - London", "Paris London"),
        ("de", "achten", "8."),
        ("de", "erst", "1."),
        ("es", "un billón", "1.000.000.000"),  # a million millions
        ("es", "segundo", "2.º"),
        ("pt", "quarto", "4º"),
        ("pt", "dois e três", "23"),
        ("fr", "seconde", "2e"),
        ("it", "secondo", "2º"),
        ("ru", "один", "1"),
        ("zh", "四川", "4川"),
        ("zh", "万一", "10001"),
        ("zh", "几十万", "几100000"),
        ("zh", "三十几", "30几"),
        ("zh", "1.74亿90后", "174000090后"),
        ("zh", "三四十", "34十"),
        ("zh", "三四", "34"),
        ("zh", "一些", "1些"),
        ("zh", "一万二", "10002"),
        ("zh", "2兆", "2000000"),
        ("ja", "数十", "数10"),
        ("ko", "백만", "만"),
        ("ar", "آن", "أن"),
        ("ar", "علي", "على"),
        ("ar", "أمل", "آمل"),
        ("ar", "كتاب", "كتب"),
        ("en", "a hundred", "100"),
        ("pt", "uma", "1"),  # an article
        ("de", "ein", "1"),
        ("en", "twenty, three", "23"),
        ("en", "US", "U.S."),
        ("en", "New York", "Newyork"),
    ],
)
def test_different_names_stay_different(language, one, other):
    assert not same(one, other, language=language)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("O’Brien", "O'Brien"),
        ("Jean‑Paul", "Jean-Paul"),
        ("“Time”", '"Time"'),
        ("ＮＨＫ", "NHK"),
        ("cafe\u0301", "café"),
        ("科瑞·舒爾曼", "科瑞・舒爾曼"),
        ("ｶﾞﾝﾀﾞﾑ", "ガンダム"),
        ("한글", "한글"),
        ("\u200fירושלים", "ירושלים"),
        ("Mar\u00adburg", "Marburg"),
    ],
)
def test_the_same_characters_in_another_encoding_are_the_same_with_all_switches_off(one, other):
    assert same(one, other, **OFF)


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "O'Brien's U.S. trip", ["o", "'", "brien", "u", "s", "trip"]),
        ("fr", "l’Allemagne", ["l", "'", "allemagne"]),
        ("nl", "'s-Hertogenbosch", ["'", "s", "hertogenbosch"]),
        ("tr", "Paris'te", ["paris", "'", "te"]),
        ("en", "COVID-19 in 5% of 10km", ["covid", "19", "in", "5", "%", "of", "10", "km"]),
        ("zh", "在1945年10月NHK", ["在", "1945", "年", "10", "月", "nhk"]),
        ("th", "กรุงเทพ", ["ก", "รุ", "ง", "เ", "ท", "พ"]),
        ("ko", "오바마는", ["오", "바", "마", "는"]),
        ("fr", "quatre-vingt-dix-neuf vingt et un", ["99", "21"]),
        ("pt", "vinte e três mil e um", ["23001"]),
        ("en", "", []),
    ],
)
def test_words_are_split_as_their_script_asks(language, text, words):
    assert Normaliser(language=language).words(text) == words


@pytest.mark.parametrize(
    ("language", "numbers"),
    [
        ("en", {"zero": 0, "nineteen": 19, "ninety nine": 99, "nine hundred and ninety-nine": 999}),
        ("pt", {"vinte e um": 21, "dezasseis": 16, "quarenta e duas": 42, "cento e um": 101}),
        ("es", {"veintitrés": 23, "treinta y una": 31, "uno": 1, "novecientos noventa y nueve": 999}),
        (
            "fr",
            {"vingt et un": 21, "dix-sept": 17, "soixante et onze": 71, "quatre-vingts": 80, "septante": 70},
        ),
        ("de", {"einundzwanzig": 21, "dreißig": 30, "siebenundsiebzig": 77, "hunderteins": 101}),
        ("it", {"ventuno": 21, "ventitre": 23, "trentotto": 38, "diciassette": 17, "trecento": 300}),
        ("nl", {"eenentwintig": 21, "drieëntwintig": 23, "zesenzestig": 66, "honderdtien": 110}),
        ("ru", {"двадцать один": 21, "сто сорок": 140, "одна тысяча": 1000}),
        ("zh", {"十": None, "十七": 17, "一百零八": 108, "九千九百九十九": 9999, "十万七千": 107000}),
    ],
)
def test_number_words_have_their_values(language, numbers):
    normaliser = Normaliser(language=language)
    values = {words: normaliser.words(words.upper()) for words in numbers}
    assert values == {
        words: list(words) if value is None else [str(value)] for words, value in numbers.items()
    }


@pytest.mark.parametrize("language", sorted(WORDS))
def test_one_before_another_unit_is_two_numbers(language):
    """No language counts "three four"; what looks like it is a list, or a telephone number."""
    three = {"en": "three", "de": "drei", "fr": "trois", "es": "tres", "pt": "três", "it": "tre"}
    three |= {"nl": "drie", "ru": "три", "cs": "tři", "pl": "trzy"}
    normaliser = Normaliser(language=language)
    assert normaliser.words(f"{three[language]} {three[language]}") == ["3", "3"]


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "between one hundred and two hundred", ["between", "100", "and", "200"]),
        ("en", "one thousand and two thousand", ["1000", "and", "2000"]),
        ("pt", "entre mil e dois mil", ["entre", "1000", "e", "2000"]),
        ("en", "twenty, three", ["20", ",", "3"]),
        ("en", "20-30 million", ["20", "-", "30000000"]),
        ("de", "ein Hund", ["ein", "hund"]),
        ("de", "Er ist 21. Danach", ["er", "ist", "21", ".", "danach"]),
    ],
)
def test_a_number_ends_where_another_begins(language, text, words):
    assert Normaliser(language=language).words(text) == words


@pytest.mark.parametrize(
    ("language", "number", "value"),
    [
        ("en", "1,234", "1234"),
        ("en", "1,234,567.80", "1234567.8"),
        ("en", "1,00,000", "100000"),  # India
        ("en", "12,34", "12.34"),
        ("en", "007", "7"),
        ("en", "0.500", "0.5"),
        ("de", "0.500", "0.5"),
        ("de", "1.234.567", "1234567"),
        ("de", "1 000", "1000"),
        ("de", "1,234.5", "1234.5"),  # left as in English: there is one reading
        ("pt-BR", "1.234", "1234"),
        ("es-MX", "1,234", "1234"),
        ("es", "1,234", "1.234"),
        ("de-CH", "1'234.5", "1234.5"),
        ("ar", "١٬٢٣٤", "1234"),
        ("en", "1.2.3", None),
        ("en", "12.05.2020", None),
        ("en", "1,2,3", None),
        ("en", "1,234.567.8", None),
    ],
)
def test_numbers_have_one_spelling_per_value(language, number, value):
    assert canonical_number(number, language=language) == value


switches = st.fixed_dictionaries({switch: st.booleans() for switch in OFF})


@given(st.text(), switches, st.sampled_from(["", "en", "de", "pt", "fr", "tr", "vi", "zh"]))
def test_tokens_and_words_are_the_same_and_cover_what_they_say(text, switches, language):
    normaliser = Normaliser(language=language, **switches)
    tokens = normaliser.tokens(text)
    assert [token.text for token in tokens] == normaliser.words(text)
    spelled_out = [token.spelled_out for token in tokens]
    assert spelled_out in normaliser.renderings(text)
    dated = [token.text for token in normaliser.with_dates(tokens)]
    assert dated in normaliser.renderings(text)
    ends = [0, *(token.end for token in tokens)]
    assert all(end <= token.start < token.end for end, token in zip(ends, tokens, strict=False))


@given(st.integers(0, 10**9 - 1), st.sampled_from(["en", "de", "fr", "ru", "zh", "ar", "hi"]))
def test_grouping_changes_no_number_and_digits_of_any_script_are_the_same(value, language):
    normaliser = Normaliser(language=language)
    mark = {"de": ".", "fr": "\u202f", "ru": "\u00a0"}.get(language, ",")
    grouped = f"{value:,}".replace(",", mark)
    assert normaliser.words(grouped) == normaliser.words(str(value)) == [str(value)]
    arabic = str(value).translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩"))
    assert normaliser.words(arabic) == [str(value)]


@given(st.integers(2, 99_999_999))
def test_a_number_in_characters_equals_its_digits(value):
    assert Normaliser(language="zh").words(in_characters(value) + "元") == [str(value), "元"]


def in_characters(value: int) -> str:
    """As Chinese writes it, by the rules of the school book; one is left out before ten."""
    high, low = divmod(value, 10_000)
    if high:
        gap = "零" if 0 < low < 1000 else ""
        return f"{in_characters(high)}万{gap}{_section(low)}"
    text = _section(low)
    return text.removeprefix("一") if text.startswith("一十") else text


def _section(value: int) -> str:
    text, gap = "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = value // unit % 10
        if digit:
            text += ("零" if gap and text else "") + "一二三四五六七八九"[digit - 1] + name
        gap = not digit
    return text


@given(st.dates(), st.sampled_from(["de", "fr", "es", "pt", "it", "ru"]))
def test_a_day_in_digits_is_one_day_in_both_orders(day, language):
    if 1000 <= day.year < 3000:
        assert same(day.isoformat(), f"{day.day:02d}.{day.month:02d}.{day.year}", language=language)
        assert same(day.isoformat(), f"{day.day}/{day.month}/{day.year}", language=language)


@given(st.text())
def test_removing_marks_twice_changes_nothing_more(text):
    assert strip_marks(strip_marks(text)) == strip_marks(text)
    assert strip_marks(spell_out_marks(text)) == spell_out_marks(text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "On 3 May twenty-three people paid $2.5 million, 1,234 of it at 16:47 and one third later."),
        ("en", "2 million 3 hundred, 12.05.2020, the 21st, ٣٤ and x2"),
        ("de", "zweihundertdreiundvierzig Leute, 2,5 Mio. Euro am 3. Mai"),
        ("zh", "2亿5000万人，三千零五，90后 200多万 第3名"),
        ("", "no number here"),
        ("", ""),
    ],
)
def test_tokens_that_are_numbers_are_the_numbers_among_all_tokens(language: str, text: str) -> None:
    normaliser = Normaliser(dates=False, language=language)
    among_all = [(t.text, t.start, t.end) for t in normaliser.tokens(text) if t.text[0].isdecimal()]
    assert [(t.text, t.start, t.end) for t in normaliser.number_tokens(text)] == among_all


@pytest.mark.parametrize("language", ["de", "en", "it", "zh", "ru"])
def test_values_of_numbers_are_those_of_their_tokens(language: str) -> None:
    text = "Zweihundertdrei, twenty-three: 2.5 million on the 21st; 三万5000, centottanta, Dr. 7, 1,000."
    normaliser = Normaliser(language=language)
    values = normaliser.number_values(text)
    assert values == [token.text for token in normaliser.number_tokens(text)]
    assert len(values) > 4


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("I don’t, ‘really’", "I don't, 'really'"),
        ("„Ja“, «oui», “yes”", '"Ja", "oui", "yes"'),
        ("well\u2011known, 2010–2015", "well-known, 2010-2015"),
        ("he left—late", "he left - late"),
        ("he left — late", "he left - late"),
        ("—Não. 他走了——真的", "- Não. 他走了 -- 真的"),
        ("20\u00a0000\u202f%\u3000x", "20 000 % x"),
        ("a\u00adgain\u200b\ufeff", "again"),
        ("می\u200cروم `x` ･ 「はい」", "می\u200cروم `x` ･ 「はい」"),
    ],
)
def test_models_get_plain_marks(text: str, plain: str) -> None:
    assert plain_marks(text) == plain


@given(st.text(alphabet="ab é—–’“\u00a0\u00ad\u200b\u3000-'"))
def test_each_character_of_a_plain_text_knows_its_place(text: str) -> None:
    plain = plain_text(text)
    assert plain.text == plain_marks(text)
    assert plain_marks(plain.text) == plain.text
    assert [*plain.places] == sorted(plain.places)
    for at, letter in enumerate(plain.text):
        start, end = plain.original(at, at + 1)
        assert letter in plain_marks(text[start:end]) or (letter == " " and text[start:end] in "—―")
