"""Language codes and pairs in one normal form, whatever spelling a file or a person uses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from mtassay.data.errors import UsageError

# Languages by the script they are written in unless one says otherwise; "" where several are common.
# An entry is the normal code (ISO 639-1, else 639-3), further codes for it after "/" (639-3, 639-2/B,
# withdrawn ones, the individual language that means a macrolanguage, as `arb` for `ar`), and the name.
_LANGUAGES = {
    "": (
        "zh/zho/chi/cmn Chinese, yue Cantonese, sr/srp/scc Serbian, sh/hbs Serbo-Croatian, cr/cre Cree,"
        " oj/oji Ojibwa, pi/pli Pali, lzh Classical Chinese, wuu Wu Chinese, nan Min Nan Chinese,"
        " hak Hakka Chinese, rom Romany"
    ),
    "Latn": (
        "aa/aar Afar, af/afr Afrikaans, ak/aka Akan, an/arg Aragonese, ay/aym/ayr Aymara,"
        " az/aze/azj Azerbaijani, bm/bam Bambara, bi/bis Bislama, bs/bos Bosnian, br/bre Breton,"
        " ca/cat Catalan, ch/cha Chamorro, co/cos Corsican, cs/ces/cze Czech, cy/cym/wel Welsh,"
        " da/dan Danish, de/deu/ger German, ee/ewe Ewe, en/eng English, eo/epo Esperanto, es/spa Spanish,"
        " et/est/ekk Estonian, eu/eus/baq Basque, ff/ful Fulah, fi/fin Finnish, fj/fij Fijian,"
        " fo/fao Faroese, fr/fra/fre French, fy/fry Western Frisian, ga/gle Irish, gd/gla Scottish Gaelic,"
        " gl/glg Galician, gn/grn Guarani, gv/glv Manx, ha/hau Hausa, ho/hmo Hiri Motu, hr/hrv/scr Croatian,"
        " ht/hat Haitian Creole, hu/hun Hungarian, hz/her Herero, ia/ina Interlingua, id/ind/in Indonesian,"
        " ie/ile Interlingue, ig/ibo Igbo, ik/ipk Inupiaq, io/ido Ido, is/isl/ice Icelandic, it/ita Italian,"
        " jv/jav/jw Javanese, kg/kon Kongo, ki/kik Kikuyu, kj/kua Kuanyama, kl/kal Kalaallisut,"
        " kr/kau/knc Kanuri, ku/kur/kmr Kurdish, kw/cor Cornish, la/lat Latin, lb/ltz Luxembourgish,"
        " lg/lug Ganda, li/lim Limburgish, ln/lin Lingala, lt/lit Lithuanian, lu/lub Luba-Katanga,"
        " lv/lav/lvs Latvian, mg/mlg/plt Malagasy, mh/mah Marshallese, mi/mri/mao Maori,"
        " ms/msa/may/zsm Malay, mt/mlt Maltese, na/nau Nauru, nb/nob Norwegian Bokmål, nd/nde North Ndebele,"
        " ng/ndo Ndonga, nl/nld/dut Dutch, nn/nno Norwegian Nynorsk, no/nor Norwegian, nr/nbl South Ndebele,"
        " nv/nav Navajo, ny/nya Chichewa, oc/oci Occitan, om/orm/gaz Oromo, pl/pol Polish,"
        " pt/por Portuguese, qu/que/quy Quechua, rm/roh Romansh, rn/run Rundi, ro/ron/rum/mo Romanian,"
        " rw/kin Kinyarwanda, sc/srd Sardinian, se/sme Northern Sami, sg/sag Sango, sk/slk/slo Slovak,"
        " sl/slv Slovenian, sm/smo Samoan, sn/sna Shona, so/som Somali, sq/sqi/alb/als Albanian,"
        " ss/ssw Swati, st/sot Southern Sotho, su/sun Sundanese, sv/swe Swedish, sw/swa/swh Swahili,"
        " tk/tuk Turkmen, tl/tgl Tagalog, tn/tsn Tswana, to/ton Tongan, tr/tur Turkish, ts/tso Tsonga,"
        " tw/twi Twi, ty/tah Tahitian, uz/uzb/uzn Uzbek, ve/ven Venda, vi/vie Vietnamese, vo/vol Volapük,"
        " wa/wln Walloon, wo/wol Wolof, xh/xho Xhosa, yo/yor Yoruba, za/zha Zhuang, zu/zul Zulu,"
        " ace Acehnese, ach Acoli, ang Old English, arn Mapudungun, ast Asturian, ban Balinese,"
        " bar Bavarian, bbc Batak Toba, bbj Ghomala', bci Baoulé, bcl Central Bikol, bem Bemba, bew Betawi,"
        " bjn Banjar, bug Buginese, bzd Bribri, cak Kaqchikel, ceb Cebuano, cjk Chokwe, cni Asháninka,"
        " crh Crimean Tatar, csb Kashubian, dag Dagbani, dik Southwestern Dinka, din Dinka,"
        " dsb Lower Sorbian, dyu Dyula, efi Efik, ext Extremaduran, fil Filipino, fon Fon,"
        " frp Franco-Provençal, frr Northern Frisian, fur Friulian, fuv Nigerian Fulfulde, gaa Ga,"
        " gag Gagauz, gil Gilbertese, gsw Swiss German, haw Hawaiian, hch Huichol, hil Hiligaynon,"
        " hmn Hmong, hsb Upper Sorbian, iba Iban, ilo Iloko, jam Jamaican Creole, kaa Karakalpak,"
        " kab Kabyle, kac Kachin, kam Kamba, kbp Kabiyè, kea Kabuverdianu, kek Kekchi, kha Khasi,"
        " kln Kalenjin, kmb Kimbundu, kri Krio, ksh Kölsch, lad Ladino, lij Ligurian, liv Livonian,"
        " lld Ladin, lmo Lombard, ltg Latgalian, lua Luba-Lulua, luo Luo, lus Mizo, luy Luyia, mad Madurese,"
        " mas Maasai, meo Kedah Malay, mfe Morisyen, min Minangkabau, mos Mossi, mwl Mirandese, nah Nahuatl,"
        " nap Neapolitan, nds Low German, nhn Central Nahuatl, non Old Norse, nso Pedi, nus Nuer,"
        " nyn Nyankole, olo Livvi, oto Otomi, pag Pangasinan, pam Pampanga, pap Papiamento,"
        " pcm Nigerian Pidgin, pdc Pennsylvania German, pms Piedmontese, quc K'iche',"
        " rar Cook Islands Maori, rup Aromanian, scn Sicilian, sco Scots, sgs Samogitian,"
        " shp Shipibo-Conibo, sma Southern Sami, smj Lule Sami, smn Inari Sami, sms Skolt Sami,"
        " srn Sranan Tongo, stq Saterfriesisch, szl Silesian, taq Tamasheq, tar Central Tarahumara,"
        " tem Timne, teo Teso, tet Tetum, tiv Tiv, tlh Klingon, tok Toki Pona, tpi Tok Pisin, tum Tumbuka,"
        " tzo Tzotzil, umb Umbundu, vec Venetian, vep Veps, vls Vlaams, vro Võro, war Waray, yap Yapese,"
        " yua Yucateco, zza Zaza"
    ),
    "Cyrl": (
        "ab/abk Abkhazian, av/ava Avaric, ba/bak Bashkir, be/bel Belarusian, bg/bul Bulgarian,"
        " ce/che Chechen, cu/chu Church Slavonic, cv/chv Chuvash, kk/kaz Kazakh, kv/kom/kpv Komi,"
        " ky/kir Kyrgyz, mk/mkd/mac Macedonian, mn/mon/khk Mongolian, os/oss Ossetian, ru/rus Russian,"
        " tg/tgk Tajik, tt/tat Tatar, uk/ukr Ukrainian, ady Adyghe, alt Southern Altai, bua Buriat,"
        " inh Ingush, kbd Kabardian, kjh Khakas, krc Karachay-Balkar, kum Kumyk, lez Lezghian, mdf Moksha,"
        " mhr Eastern Mari, mrj Western Mari, myv Erzya, nog Nogai, rue Rusyn, sah Yakut, tyv Tuvan,"
        " udm Udmurt, xal Kalmyk"
    ),
    "Arab": (
        "ar/ara/arb Arabic, fa/fas/per/pes Persian, ks/kas Kashmiri, ps/pus/pbt Pashto, sd/snd Sindhi,"
        " ug/uig Uyghur, ur/urd Urdu, acm Mesopotamian Arabic, acq Ta'izzi-Adeni Arabic,"
        " aeb Tunisian Arabic, ajp South Levantine Arabic, apc Levantine Arabic, ars Najdi Arabic,"
        " ary Moroccan Arabic, arz Egyptian Arabic, azb South Azerbaijani, bal Baluchi, ckb Central Kurdish,"
        " glk Gilaki, lrc Northern Luri, mey Hassaniya Arabic, mzn Mazanderani, ota Ottoman Turkish,"
        " pnb Western Panjabi, prs Dari, skr Saraiki"
    ),
    "Deva": (
        "hi/hin Hindi, mr/mar Marathi, ne/nep/npi Nepali, sa/san Sanskrit, awa Awadhi, bho Bhojpuri,"
        " brx Bodo, doi/dgo Dogri, hne Chhattisgarhi, kok/knn Konkani, gom Goan Konkani, mag Magahi,"
        " mai Maithili, mwr Marwari, new Newari, raj Rajasthani"
    ),
    "Beng": "as/asm Assamese, bn/ben Bengali, bpy Bishnupriya, mni Manipuri",
    "Ethi": "am/amh Amharic, ti/tir Tigrinya, gez Geez, tig Tigre",
    "Hebr": "he/heb/iw Hebrew, yi/yid/ydd/ji Yiddish",
    "Tibt": "bo/bod/tib Tibetan, dz/dzo Dzongkha",
    "Mymr": "my/mya/bur Burmese, ksw S'gaw Karen, mnw Mon, shn Shan",
    "Grek": "el/ell/gre Greek, grc Ancient Greek, pnt Pontic",
    "Armn": "hy/hye/arm Armenian, hyw Western Armenian",
    "Geor": "ka/kat/geo Georgian, xmf Mingrelian",
    "Cans": "iu/iku Inuktitut",
    "Tfng": "tzm Central Atlas Tamazight, shi Tachelhit, zgh Standard Moroccan Tamazight",
    "Avst": "ae/ave Avestan",
    "Cher": "chr Cherokee",
    "Goth": "got Gothic",
    "Gujr": "gu/guj Gujarati",
    "Guru": "pa/pan Punjabi",
    "Jpan": "ja/jpn Japanese",
    "Khmr": "km/khm Khmer",
    "Knda": "kn/kan Kannada, tcy Tulu",
    "Kore": "ko/kor Korean",
    "Laoo": "lo/lao Lao",
    "Mlym": "ml/mal Malayalam",
    "Nkoo": "nqo N'Ko",
    "Olck": "sat Santali",
    "Orya": "or/ori/ory Odia",
    "Sinh": "si/sin Sinhala",
    "Syrc": "arc Aramaic, syr Syriac",
    "Taml": "ta/tam Tamil",
    "Telu": "te/tel Telugu",
    "Thaa": "dv/div Dhivehi",
    "Thai": "th/tha Thai",
    "Yiii": "ii/iii Sichuan Yi",
}

_SCRIPT_NAMES = {
    "Arab": "Arabic script", "Beng": "Bengali script", "Cans": "syllabics", "Cyrl": "Cyrillic",
    "Deva": "Devanagari", "Grek": "Greek script", "Hans": "Simplified", "Hant": "Traditional",
    "Hebr": "Hebrew script", "Latn": "Latin script", "Mtei": "Meitei script", "Tfng": "Tifinagh",
}  # fmt: skip

_REGION_NAMES = {
    "419": "Latin America", "AE": "United Arab Emirates", "AR": "Argentina", "AT": "Austria",
    "AU": "Australia", "BE": "Belgium", "BR": "Brazil", "CA": "Canada", "CH": "Switzerland", "CL": "Chile",
    "CN": "China", "CO": "Colombia", "CZ": "Czechia", "DE": "Germany", "DZ": "Algeria", "EG": "Egypt",
    "ES": "Spain", "FR": "France", "GB": "United Kingdom", "HK": "Hong Kong", "IE": "Ireland",
    "IN": "India", "IQ": "Iraq", "IT": "Italy", "JP": "Japan", "KE": "Kenya", "KR": "South Korea",
    "MA": "Morocco", "MD": "Moldova", "MO": "Macao", "MX": "Mexico", "NG": "Nigeria", "NL": "Netherlands",
    "NZ": "New Zealand", "PE": "Peru", "PK": "Pakistan", "PT": "Portugal", "RS": "Serbia", "RU": "Russia",
    "SA": "Saudi Arabia", "SG": "Singapore", "TR": "Türkiye", "TW": "Taiwan", "UA": "Ukraine",
    "US": "United States", "ZA": "South Africa",
}  # fmt: skip

# Countries that people write where a language is meant; only those that are no language code themselves.
_COUNTRY_SLIPS = {
    "cn": "zh", "cz": "cs", "dk": "da", "gb": "en", "gr": "el", "jp": "ja", "rs": "sr", "ua": "uk",
    "us": "en",
}  # fmt: skip

_CHINESE_SCRIPTS = {"CN": "Hans", "SG": "Hans", "TW": "Hant", "HK": "Hant", "MO": "Hant"}

_TAG = re.compile(r"([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|[0-9]{3}))?", re.IGNORECASE | re.ASCII)
_NAME = re.compile(r"[^\W\d_][\w' -]*")
_ARROW = re.compile(r"->|[:>→]")


@dataclass(frozen=True, slots=True)
class Language:
    """One language in normal form; make one with `parse_language`.

    `code` is the ISO 639-1 code where one exists, else the 639-3 one. `script` is `None` where the text
    is in the language's usual script, and `region` is `None` where nobody said.
    """

    code: str
    script: str | None = None
    region: str | None = None

    def __str__(self) -> str:
        return self.code

    @property
    def tag(self) -> str:
        """The BCP-47 tag.

        >>> parse_language("deu_Latn_de").tag, parse_language("zho_Hant").tag
        ('de-DE', 'zh-Hant')
        """
        return "-".join(part for part in (self.code, self.script, self.region) if part)

    @property
    def alpha3(self) -> str:
        """The ISO 639-3 code.

        >>> parse_language("de").alpha3
        'deu'
        """
        return _entries()[self.code].alpha3 if self.code in _entries() else self.code

    @property
    def name(self) -> str:
        """The English name, with script and region where they are stated.

        >>> parse_language("pt_BR").name, parse_language("zh-Hant").name, parse_language("hsb").name
        ('Portuguese (Brazil)', 'Chinese (Traditional)', 'Upper Sorbian')
        """
        name = _entries()[self.code].name if self.code in _entries() else self.code
        details = [
            names.get(part, part)
            for names, part in ((_SCRIPT_NAMES, self.script), (_REGION_NAMES, self.region))
            if part
        ]
        return f"{name} ({', '.join(details)})" if details else name

    def matches(self, other: Language) -> bool:
        """Whether both can mean the same text: equal codes, and no script or region that contradicts.

        >>> parse_language("pt").matches(parse_language("pt-BR"))
        True
        >>> parse_language("zh-TW").matches(parse_language("zh-Hans"))
        False
        """
        return (
            self.code == other.code
            and not _contradict(_script(self), _script(other))
            and not _contradict(self.region, other.region)
        )


@dataclass(frozen=True, slots=True)
class Pair:
    """A direction of translation. Its string form leaves script and region out: `en-pt`."""

    source: Language
    target: Language

    def __str__(self) -> str:
        return f"{self.source}-{self.target}"


def parse_language(text: str) -> Language:
    """A code, tag or English name in normal form; `UsageError` where it is none.

    >>> parse_language("ger") == parse_language("deu_Latn") == parse_language("German")
    True
    >>> parse_language("zh_TW")
    Language(code='zh', script=None, region='TW')
    >>> parse_language("cz")
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: No language 'cz'. Did you mean cs (Czech)?

    A language that is not in the table takes a code that ISO 639-3 keeps free for that, `qaa` to `qtz`.
    """
    language = _language(text.strip())
    if language is None:
        raise UsageError(f"No language {text!r}. {_advice(text.strip())}")
    return language


def parse_pair(text: str) -> Pair:
    """A language pair in normal form; `UsageError` where it is none, or could be two.

    >>> texts = ["de-en", "de_DE-en", "deu_Latn-eng_Latn", "deen", "deueng", "de-AT:en-US", "German-English"]
    >>> {str(parse_pair(text)) for text in texts}
    {'de-en'}
    >>> parse_pair("en-pt-BR").target.tag
    'pt-BR'

    `:`, `>`, `->` and `→` always separate the two. A hyphen does so too; with several hyphens, scripts
    must be written `Hant` and regions `BR`, so that `en-pt-BR` has one reading.
    """
    if not isinstance(text, str):
        raise UsageError(f"A language pair is a text such as en-de, not {text!r}.")
    readings = _readings(text.strip())
    if len(readings) == 1:
        return readings.pop()
    if readings:
        shown = " or ".join(sorted(f"{pair.source.tag}:{pair.target.tag}" for pair in readings))
        raise UsageError(f"Language pair {text!r} has several readings. Write {shown}.")
    halves = [half.strip() for half in (_ARROW.split(text) if _ARROW.search(text) else text.split("-"))]
    if len(halves) == 2:
        for half in halves:
            if _language(half) is None:
                raise UsageError(f"No language {half!r} in pair {text!r}. {_advice(half)}")
    raise UsageError(f"No language pair {text!r}. Write source and target, for example en-de or en:pt-BR.")


@dataclass(frozen=True, slots=True)
class _Entry:
    code: str
    alpha3: str
    name: str
    script: str


@cache
def _entries() -> dict[str, _Entry]:
    """Every known code, in lower case, with its language."""
    table = {}
    for script, entries in _LANGUAGES.items():
        for entry in entries.split(", "):
            codes, name = entry.strip().split(" ", 1)
            first, *more = codes.split("/")
            language = _Entry(first, (more or [first])[0], name, script)
            table.update(dict.fromkeys([first, *more], language))
    return table


@cache
def _codes_by_name() -> dict[str, str]:
    return {entry.name.casefold(): entry.code for entry in _entries().values()}


def _language(text: str) -> Language | None:
    match = _TAG.fullmatch(text)
    if match:
        code, script, region = match[1].lower(), match[2], match[3]
        entry = _entries().get(code)
        if entry is None and "qaa" <= code <= "qtz":
            entry = _Entry(code, code, code, "")
        if entry is not None:
            script = script.title() if script else None
            # FLORES writes Korean as Hang; its script with Hanja is Kore: nobody means a difference.
            usual = script == entry.script or (script, entry.script) == ("Hang", "Kore")
            return Language(entry.code, None if usual else script, region.upper() if region else None)
    named = _codes_by_name().get(text.casefold())
    return Language(named) if named else None


def _readings(text: str) -> set[Pair]:
    """All pairs that the text can mean."""
    halves = [half.strip() for half in _ARROW.split(text)]
    if len(halves) == 2:
        return _pairs([(halves[0], halves[1])])
    if text.count("-") == 1:
        source, target = text.split("-")
        return _pairs([(source, target)])
    if "-" in text:
        cuts = [i for i, character in enumerate(text) if character == "-"]
        ways = [(text[:i], text[i + 1 :]) for i in cuts]
        return _pairs([way for way in ways if all(map(_is_conventional, way))] or ways)
    if re.fullmatch(r"[a-z]{2,3}_[a-z]{2,3}", text):
        source, target = text.split("_")
        return _pairs([(source, target)])
    if re.fullmatch(r"[A-Za-z]{4,6}", text):
        return _pairs([(text[:i], text[i:]) for i in (2, 3) if 2 <= len(text) - i <= 3])
    return set()


def _pairs(ways: list[tuple[str, str]]) -> set[Pair]:
    parsed = [(_language(source.strip()), _language(target.strip())) for source, target in ways]
    return {Pair(source, target) for source, target in parsed if source and target}


def _is_conventional(text: str) -> bool:
    return bool(re.fullmatch(r"[a-z]{2,3}([-_][A-Z][a-z]{3})?([-_]([A-Z]{2}|\d{3}))?", text))


def _advice(text: str) -> str:
    slip = _COUNTRY_SLIPS.get(text.casefold())
    if slip:
        return f"Did you mean {slip} ({_entries()[slip].name})?"
    if len(text) > 3 and _NAME.fullmatch(text):
        near = get_close_matches(text.casefold(), _codes_by_name(), n=1)
        if near:
            code = _codes_by_name()[near[0]]
            return f"Did you mean {_entries()[code].name} ({code})?"
    return "Give an ISO 639 code (de, deu), a tag (pt-BR, zh-Hant) or an English name; qaa to qtz are free."


def _script(language: Language) -> str | None:
    if language.script is None and language.code == "zh":
        return _CHINESE_SCRIPTS.get(language.region or "")
    return language.script


def _contradict(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other


def name_of(code: str) -> str:
    """The English name, or the code itself where the name is unknown."""
    try:
        return parse_language(code).name
    except UsageError:
        return code
