"""Language codes and pairs in one normal form, for any spelling in files or input."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from mtassay.data.errors import UsageError

# A line has the normal code (ISO 639-1, else 639-3), further codes for it after "/" (639-3, 639-2/B,
# withdrawn ones, the individual language that means a macrolanguage, as `arb` for `ar`), the script it is
# usually written in (empty if several are common), and the name.
_TABLE = Path(__file__).parent / "languages.tsv"

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

# Countries that people write instead of languages; only those that are not language codes themselves.
_COUNTRY_SLIPS = {
    "cn": "zh", "cz": "cs", "dk": "da", "gb": "en", "gr": "el", "jp": "ja", "rs": "sr", "ua": "uk",
    "us": "en",
}  # fmt: skip

_CHINESE_SCRIPTS = {"CN": "Hans", "SG": "Hans", "TW": "Hant", "HK": "Hant", "MO": "Hant"}

_CONVENTIONAL = re.compile(r"[a-z]{2,3}([-_][A-Z][a-z]{3})?([-_]([A-Z]{2}|\d{3}))?")
_TAG = re.compile(r"([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|[0-9]{3}))?", re.IGNORECASE | re.ASCII)
_NAME = re.compile(r"[^\W\d_][\w' -]*")
_ARROW = re.compile(r"->|[:>→]")


@dataclass(frozen=True, slots=True)
class Language:
    """One language in normal form; make one with `parse_language`.

    `code` is the ISO 639-1 code if there is one, else the 639-3 code. `script` is `None` for the language's
    usual script, and `region` is `None` if not stated.
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
        """The English name, with script and region if stated.

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
        """Whether both can mean the same text: equal codes, and no conflicting script or region.

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
    """Parse a code, tag or English name; `UsageError` if it is not one.

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
    """Parse a language pair; `UsageError` if it is not one or is ambiguous.

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
    """All known codes in lower case, with their languages."""
    table = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines()[1:]:
        codes, script, name = line.split("\t")
        first, *more = codes.split("/")
        table.update(dict.fromkeys([first, *more], _Entry(first, (more or [first])[0], name, script)))
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
            # FLORES writes Korean as Hang; the script with Hanja is Kore. Treat them as equal.
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
        return _pairs([way for way in ways if all(map(_CONVENTIONAL.fullmatch, way))] or ways)
    if re.fullmatch(r"[a-z]{2,3}_[a-z]{2,3}", text):
        source, target = text.split("_")
        return _pairs([(source, target)])
    if re.fullmatch(r"[A-Za-z]{4,6}", text):
        return _pairs([(text[:i], text[i:]) for i in (2, 3) if 2 <= len(text) - i <= 3])
    return set()


def _pairs(ways: list[tuple[str, str]]) -> set[Pair]:
    parsed = [(_language(source.strip()), _language(target.strip())) for source, target in ways]
    return {Pair(source, target) for source, target in parsed if source and target}


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
