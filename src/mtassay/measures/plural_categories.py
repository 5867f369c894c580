"""The plural categories of languages, from Unicode CLDR 47 (as in Babel 2.18), and files that lack some."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from mtassay.measures.check import Alarm, Check, CheckContext, Unit
from mtassay.measures.unit_check import code_of, mark, quoted, words

CATEGORIES = ("zero", "one", "two", "few", "many", "other")

_CARDINAL = {
    "zero one two few many other": "ar cy kw",
    "one two few many other": "br ga gv mt",
    "one two few other": "dsb gd hsb sl",
    "one few many other": "be cs lt pl ru sk uk",
    "one few other": "bs hr ro sh shi sr",
    "one many other": "ca es fr it lld pt scn vec",
    "one two other": "he iu naq sat se sma smj smn sms",
    "zero one other": "blo ksh lag lv prg",
    "one other": (
        "af ak am an as asa ast az bal bem bez bg bho bn brx ce ceb cgg chr ckb csw da de doi dv ee el en"
        " eo et eu fa ff fi fil fo fur fy gl gsw gu guw ha haw hi hu hy ia io is jgo jmc ka kab kaj kcg kk"
        " kkj kl kn ks ksb ku ky lb lg lij ln mas mg mgo mk ml mn mr nah nb nd ne nl nn nnh no nr nso ny nyn"
        " om or os pa pap pcm ps rm rof rwk saq sc sd sdh seh si sn so sq ss ssy st sv sw syr ta te teo ti"
        " tig tk tl tn tr ts tzm ug ur uz ve vo vun wa wae xh xog yi zu"
    ),
    "other": (
        "bm bo dz hnj id ig ii ja jbo jv kde kea km ko lkt lo ms my nqo osa sah ses sg su th to tpi vi wo yo"
        " yue zh"
    ),
}
_ORDINAL = {
    "zero one two few many other": "cy",
    "one two few many other": "as bn gu hi or",
    "one two few other": "ca en gd mr",
    "one two many other": "mk",
    "one few many other": "az",
    "one many other": "ka kw sq",
    "few other": "be tk uk",
    "many other": "it kk lij lld sc scn vec",
    "one other": "bal fil fr ga hu hy lo mo ms ne ro sv tl vi",
}
# Only large round numbers or fractions need these; anyone who leaves them out loses next to nothing.
_OPTIONAL = {
    "many": words("ca es fr it lld pt scn vec cs sk lt he mt"),
    "other": frozenset(),
    "two": words("he br gv kw"),
    "zero": words("ar ksh lag blo"),
}


def cardinal_categories(code: str) -> frozenset[str]:
    """The categories of a plural in a language, by its code; empty if CLDR does not know the language.

    >>> sorted(cardinal_categories("ru")), sorted(cardinal_categories("ja"))
    (['few', 'many', 'one', 'other'], ['other'])
    """
    return _by_code("cardinal").get(code, frozenset())


def ordinal_categories(code: str) -> frozenset[str]:
    """The categories of ordinals (1st, 2nd) in a language; empty if CLDR does not know the language.

    >>> sorted(ordinal_categories("en")), sorted(ordinal_categories("de"))
    (['few', 'one', 'other', 'two'], ['other'])
    """
    known = cardinal_categories(code)
    return _by_code("ordinal").get(code, frozenset({"other"}) if known else frozenset())


def optional_categories(code: str) -> frozenset[str]:
    """Categories that translators may leave out, since few numbers need them.

    >>> sorted(optional_categories("fr"))
    ['many']
    """
    return frozenset(category for category, codes in _OPTIONAL.items() if code in codes)


@cache
def _by_code(kind: str) -> dict[str, frozenset[str]]:
    table = _CARDINAL if kind == "cardinal" else _ORDINAL
    return {code: frozenset(names.split()) for names, codes in table.items() for code in codes.split()}


class PluralForms(Check):
    """Plural forms that are units of their own, as in Android or Apple files: each category has its text.

    >>> facts = [{"plural": "one"}, {"plural": "other"}]
    >>> units = [Unit(str(i), "файл", "file", key=f"n[{i}]", facts=fact) for i, fact in enumerate(facts)]
    >>> [alarm.message for alarm in PluralForms().find(units, CheckContext("en", "ru"))]
    ["'n' lacks plural forms of the target language: few, many"]
    """

    id = "plural-forms"
    group = "form"
    severity = "major"
    about = "plural forms that the target language needs and a file lacks, or has without need"
    needs = frozenset()
    scope = "file"

    def applies(self, context: CheckContext) -> bool:
        """Only in languages whose plural CLDR knows."""
        return bool(cardinal_categories(code_of(context.target)))

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """The alarms, in the order of the units; a missing form is reported at the first one of its key."""
        code = code_of(context.target)
        known = cardinal_categories(code)
        messages: dict[tuple[str, str], list[int]] = {}
        for index, unit in enumerate(units):
            if unit.facts.get("plural") in CATEGORIES:
                group = str(unit.facts.get("group") or unit.key.partition("[")[0])
                if group:
                    messages.setdefault((unit.file, group), []).append(index)
        alarms = []
        for (file, group), indexes in messages.items():
            present = {str(units[index].facts["plural"]) for index in indexes if units[index].output.strip()}
            needed = known - optional_categories(code) - present
            if file.endswith((".po", ".pot", ".mo")):
                needed -= {"other"}  # gettext has no form for fractions
            # What has one form only is a text with a number, and no plural.
            first = next((index for index in indexes if units[index].output.strip()), None)
            if needed and len(indexes) > 1 and first is not None:
                names = ", ".join(category for category in CATEGORIES if category in needed)
                message = f"{quoted(group)} lacks plural forms of the target language: {names}"
                alarms.append(Alarm(first, message, mark("output", 0, len(units[first].output))))
            for index in indexes:
                category = str(units[index].facts["plural"])
                if category not in known and units[index].output.strip():
                    message = f"The target language has no plural form '{category}'"
                    alarms.append(Alarm(index, message, mark("output", 0, len(units[index].output)), "minor"))
        yield from sorted(alarms, key=lambda alarm: alarm.index)
