"""Checks that compare the texts of one file: equal sources or outputs, forms of address, spelling."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

from mtassay.measures.address_forms import (
    AddressForm,
    find_address,
    find_old_spellings,
    find_variants,
    knows_address,
    spelled_twice,
    variants_of,
)
from mtassay.measures.check import Alarm, Check, CheckContext, Mark, Unit, code_of, language_of, mark, quoted
from mtassay.measures.document_checks import Use, both, minority, name_of, without_speech
from mtassay.nlp.word_forms import WordForms, word_forms

_FOLD = re.compile(r"[\W_]+")
# A speaker before the speech: (ANNA) Yes; or a reply, possibly by another person: @anna Yes.
_SPEAKER = re.compile(r"\s*(?:[(\[]([A-Z][^)\]]{0,30})[)\]]|(@)\w)")


def _fold(text: str) -> str:
    """A text without case, spaces and punctuation."""
    return _FOLD.sub(" ", text).casefold().strip()


class SameSource(Check):
    """One source with several translations in a file.

    >>> units = [Unit("1", "Datei öffnen", "Open file"), Unit("2", "Öffne Datei", "Open file")]
    >>> [alarm.message for alarm in SameSource().find(units, CheckContext("en", "de"))]
    ["The same source is translated as 'Datei öffnen' elsewhere (1)"]
    """

    id = "same-source"
    group = "consistency"
    severity = "minor"
    about = "one source with several translations in a file"
    scope = "file"

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """Return alarms in the order of the units; the most frequent (or first) translation is right."""
        groups: dict[tuple[str, str, object], list[int]] = {}
        for index, unit in enumerate(units):
            if unit.source and unit.output.strip():
                # In a PO file, texts that may differ have a context, which is the start of their keys.
                place = unit.key.removesuffix(unit.source) if unit.key.endswith(unit.source) else ""
                key = unit.file + place, unit.source.strip(), unit.facts.get("plural")
                groups.setdefault(key, []).append(index)
        alarms = []
        for (_, source, _), indexes in groups.items():
            if len(indexes) < 2 or not any(char.isalpha() for char in source):
                continue
            counts = Counter(units[index].output.strip() for index in indexes)
            if len(counts) == 1:
                continue
            usual, _ = counts.most_common(1)[0]
            at = next(index for index in indexes if units[index].output.strip() == usual)
            where = units[at]
            for index in indexes:
                unit = units[index]
                text = unit.output.strip()
                # A single word may need another ending: Ninguno, Ninguna.
                inflected = " " not in source and text[:-2] == usual[: len(text) - 2] and len(text) > 4
                # Human translations, if there are references, may also differ.
                if _fold(text) != _fold(usual) and not inflected and unit.output not in unit.references:
                    message = f"The same source is translated as {quoted(usual)} elsewhere ({name_of(where)})"
                    own, other = (Use(i, "", 0, len(units[i].output)) for i in (index, at))
                    alarms.append(Alarm(index, message, both(own, other)))
        yield from sorted(alarms, key=lambda alarm: alarm.index)


class SameTarget(Check):
    """Two sources with different meanings but the same output.

    >>> units = [Unit("1", "Anmelden", "Sign in"), Unit("2", "Anmelden", "Sign out")]
    >>> [alarm.message for alarm in SameTarget().find(units, CheckContext("en", "de"))]
    ["'Sign in' (1) has the same translation"]
    """

    id = "same-target"
    group = "consistency"
    severity = "minor"
    about = "sources with different meanings and the same translation"
    scope = "file"

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        english = code_of(context.source) in ("en", "")
        first: dict[str, list[int]] = {}
        for index, unit in enumerate(units):
            if not unit.source or not unit.output.strip() or unit.facts.get("plural") is not None:
                continue
            earlier = first.setdefault(unit.output.strip(), [])
            for other in earlier:
                source = units[other].source or ""
                if (
                    source != unit.source
                    and source.upper() != source.lower()
                    and _differ(source, unit.source, english=english)
                ):
                    message = f"{quoted(source)} ({name_of(units[other])}) has the same translation"
                    own, there = (Use(i, "", 0, len(units[i].output)) for i in (index, other))
                    yield Alarm(index, message, both(own, there))
                    break
            if len(earlier) < 8:
                earlier.append(index)


def _differ(one: str, two: str, *, english: bool) -> bool:
    """Whether two sources differ in an important word, so that they can rarely have one translation."""
    if _fold(one) == _fold(two):
        return False
    words_one, words_two = set(_fold(one).split()), set(_fold(two).split())
    only_one, only_two = words_one - words_two, words_two - words_one
    if len(only_one) == len(only_two) == 1:
        # Activer, désactiver; остановить, приостановить: a prefix and a word of more than four letters.
        short, long = sorted((*only_one, *only_two), key=len)
        if not english and len(short) > 4 and long.endswith(short) and " " in one:
            return True
    if not english:
        # It is unknown which words matter, so texts differ only if several words differ.
        return len(only_one) >= 2 and len(only_two) >= 2 and len(only_one) > len(words_one & words_two)
    if len(only_one) > 1 or len(only_two) > 1:
        return False
    return bool(only_one or only_two) and _opposed(only_one, only_two)


@cache
def _opposites() -> frozenset[frozenset[str]]:
    lines = (Path(__file__).parent / "data" / "opposites.txt").read_text("utf-8").splitlines()
    return frozenset(frozenset(line.split()) for line in lines)


def _opposed(only_one: set[str], only_two: set[str]) -> bool:
    pair = only_one | only_two
    if not only_one or not only_two:
        return bool(pair & {"not", "no", "never", "without", "none"})
    if all(word.isdigit() for word in pair):
        return True
    return pair in _opposites()


_WORDS = re.compile(r"\w+")
_NAME = re.compile(r"(?<=[\w,;] )[A-Z][a-z]{3,}\b")
_CAPITALISED = re.compile(r"\b[^\W\d_a-z]\w{2,}")


class NameDrift(Check):
    """A name of the source that most texts of a document keep, but one text spells differently.

    >>> texts = ["Then Cohren left.", "She saw Cohren."], ["Então Cohren saiu.", "Ela viu Coheren."]
    >>> units = [Unit(str(i), o, s, document="a") for i, (s, o) in enumerate(zip(*texts))]
    >>> [alarm.message for alarm in NameDrift().find(units, CheckContext("en", "pt"))]
    ["'Cohren' is 'Coheren' here and kept in 1 other place (0)"]
    """

    id = "name-drift"
    group = "consistency"
    severity = "major"
    about = "a name of the source that most texts of a document keep and one spells differently"
    scope = "file"
    needs = frozenset({"source", "document"})

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        documents: dict[tuple[str, str | None], list[int]] = {}
        for index, unit in enumerate(units):
            if unit.document is not None and unit.output.strip():
                documents.setdefault((unit.file, unit.document), []).append(index)
        alarms: list[Alarm] = []
        for rows in documents.values():
            texts = {index: units[index].source or "" for index in rows} if len(rows) > 1 else {}
            places: dict[str, dict[int, Unit]] = {}
            for index, text in texts.items():
                for word in set(_WORDS.findall(text)):
                    places.setdefault(word, {})[index] = units[index]
            forms = word_forms(code_of(context.target))
            for name in {name for text in texts.values() for name in _NAME.findall(text)}:
                if len(places[name]) > 1 and name.lower() not in places:
                    alarms += _drifting(name, places[name], forms)
            for name in {name for text in texts.values() for name in _ABBREVIATION.findall(text)}:
                if len(places[name]) > 2:
                    alarms += _abbreviated(name, places[name])
        yield from sorted(alarms, key=lambda alarm: alarm.index)


_ABBREVIATION = re.compile(r"\b[A-Z]{3,6}\b")
_CAPITALS = re.compile(r"(?<![^\W\d_])[A-ZÀ-ÞА-ЯЁ]{2,6}(?![a-rt-zß-ÿа-яёA-ZÀ-ÞА-ЯЁ])")


def _abbreviated(name: str, units: Mapping[int, Unit]) -> Iterator[Alarm]:
    """Find texts whose abbreviation differs from the one in most texts: RFS and SLR."""
    uses = []
    for index, unit in units.items():
        source = unit.source or ""
        if {word for word in _CAPITALS.findall(source) if word not in unit.output} <= {name}:
            found = [m for m in _CAPITALS.finditer(unit.output) if m[0] == name or m[0] not in source]
            # If the source has AEC and AIC, ECA translates the one with the same letters: AEC.
            others = {*map(_letters, _CAPITALS.findall(source))} - {_letters(name)}
            own = [m for m in found if m[0] == name] or [
                m for m in found if _abbreviates(m[0], name) and _letters(m[0]) not in others
            ]
            uses += [Use(index, own[0][0], *own[0].span())] if own else []
    few = minority(uses)
    if few is None:
        return
    usual, where = few.usual, f"{few.agreeing} other places ({name_of(units[few.usual.row])})"
    for use in few.others:
        yield Alarm(use.row, f"'{name}' is '{use.form}' here and '{usual.form}' in {where}", both(use, usual))


def _letters(word: str) -> str:
    return "".join(sorted(word))


def _abbreviates(word: str, name: str) -> bool:
    """Whether an abbreviation may translate another one, since it has most of its letters."""
    shared = (Counter(word) & Counter(name)).total()
    return word != name and abs(len(word) - len(name)) < 2 and 2 * shared > len(name)


_NO_NAME = re.compile("(?:ian|ese|ish|ern)$")
"""Words such as Asian or Western, whose translation depends on the words around them."""


def _drifting(name: str, units: Mapping[int, Unit], forms: WordForms) -> Iterator[Alarm]:
    """Find texts that slightly change a name, if at least as many texts keep it in any inflection."""
    if _NO_NAME.search(name):
        return
    # Endings change (Siso, Sisa; Marcus, Marka); the last vowel of a stem may also change (Kayel, Kayle).
    endless = re.sub("(?:[aeiou]s|[aeiouy])$", "", name)
    bare = re.sub("[aeiou](?=[^aeiou]$)", "", name)
    stems = (name[: max(4, len(name) - 2)], endless, bare, re.sub("c$", "k", endless))  # Atticus, Attika
    kept, others = [], []
    for index, unit in units.items():
        found = list(_CAPITALISED.finditer(unit.output))
        if own := next((m for m in found if m[0].startswith(stems)), None):
            kept.append(Use(index, name, *own.span()))
        elif near := next((m for m in found if _is_near(m[0], name)), None):
            # A known word of the language is a translation: Group, Gruppe.
            is_word = forms.knows(near[0]) or forms.knows(near[0].lower())
            if near[0] not in (unit.source or "") and not is_word:
                others.append(Use(index, near[0], *near.span()))
    if kept and len(kept) >= len(others):
        where = f"{len(kept)} other place{'s' * (len(kept) > 1)} ({name_of(units[kept[0].row])})"
        for use in others:
            message = f"'{name}' is {quoted(use.form)} here and kept in {where}"
            yield Alarm(use.row, message, both(use, kept[0]))


def _is_near(word: str, name: str) -> bool:
    """Whether a word is probably a name in another spelling, with any ending."""
    one, other = word[: len(name) + 1].lower(), name.lower()
    return one[0] == other[0] and SequenceMatcher(None, one, other).ratio() >= 0.7


class _Drift(Check):
    """A check for texts that disagree with the others of their file or document."""

    group = "consistency"
    severity = "minor"
    scope = "file"
    needs = frozenset()

    def _minority(
        self, units: Sequence[Unit], read: Callable[[str, str], list[AddressForm]]
    ) -> Iterator[tuple[int, AddressForm, str, tuple[Mark, Mark]]]:
        """Find units whose form differs from most of their file: index, place, usual form, and marks.

        If more than a third differ, the file has several voices, and only the first place of many texts
        counts. Each speaker of a conversation has their own voice.
        """
        groups: dict[tuple[str, str | None, str], list[tuple[int, list[AddressForm]]]] = {}
        place, speaker = None, ""
        for index, unit in enumerate(units):
            if (unit.file, unit.document) != place:
                place, speaker = (unit.file, unit.document), ""
            if who := _SPEAKER.match(unit.source or ""):
                speaker = who[1] or who[2]
            elif speaker == "@":
                speaker = ""
            if unit.output.strip():
                # A word that the source also has is a name or a command: `dir` is then not a pronoun.
                source = unit.source or ""
                found = [
                    item
                    for item in read(unit.output, source)
                    if item.text not in source.split()
                    and not _is_archive(item, source)
                    and not (item.name == "zh-Hant" and item.text in source)
                ]
                if found:
                    groups.setdefault((unit.file, unit.document, speaker), []).append((index, found))
        rows = []
        for group in groups.values():
            counts = Counter(name for _, found in group for name in {item.name for item in found})
            if len(counts) < 2:
                continue
            (usual, n), total = counts.most_common(1)[0], sum(counts.values())
            where, first = next((i, item) for i, found in group for item in found if item.name == usual)
            told = f"{quoted(first.text)} ({name_of(units[where])})"
            told = f"most texts here are {usual} ({n} of {total}), as {told}"
            other = Use(where, usual, first.start, first.end)
            others = [
                (index, item, told, both(Use(index, item.name, item.start, item.end), other))
                for index, found in group
                if (item := next((item for item in found if item.name != usual), None)) is not None
            ]
            rows += others if 3 * n >= 2 * total else others[: total >= 12]
        yield from sorted(rows, key=lambda row: row[0])


class AddressDrift(_Drift):
    """Texts whose form of address differs from the rest of their file.

    >>> outputs = ["Bitte warten Sie.", "Haben Sie Fragen?", "Gib dein Passwort ein."]
    >>> units = [Unit(str(i), output) for i, output in enumerate(outputs)]
    >>> [alarm.message for alarm in AddressDrift().find(units, CheckContext("en", "de"))]
    ["'Gib' is informal; most texts here are formal (2 of 3), as 'warten Sie' (0)"]
    """

    id = "address-drift"
    about = (
        "texts that address the reader formally in a file that is informal (du/Sie, tu/vous), or the reverse"
    )

    def applies(self, context: CheckContext) -> bool:
        """Whether the language's forms of address are known; a style rule `address` replaces this check."""
        return knows_address(code_of(context.target)) and "address" not in context.style

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        code = code_of(context.target)
        if not self.applies(context):
            return
        for index, item, told, marks in self._minority(
            units, lambda text, source: find_address(without_speech(text), code, source)
        ):
            if any(item.name in {f.name for f in find_address(r, code)} for r in units[index].references):
                continue
            yield Alarm(index, f"{quoted(item.text)} is {item.name}; {told}", marks)


class SpellingVariant(_Drift):
    """Words of a variant (pt-BR, en-GB) that is not the target's or not used in most of the file.

    >>> units = [Unit("1", "Choose a colour")]
    >>> [alarm.message for alarm in SpellingVariant().find(units, CheckContext("de", "en-US"))]
    ["'colour' is en-GB, the target is en-US"]
    """

    id = "spelling-variant"
    about = "words of another spelling variant (en-GB/en-US, pt-BR/pt-PT …), old spellings, mixed spellings"

    def applies(self, context: CheckContext) -> bool:
        """Whether the language's variants are known."""
        code = code_of(context.target)
        return variants_of(code) is not None or code in ("fr", "ja", "ru")

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        if self.applies(context):
            alarms = [*self._of_variants(units, context), *_old(units, context), *_mixed(units, context)]
            yield from sorted(alarms, key=lambda alarm: alarm.index)

    def _of_variants(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        code = code_of(context.target)
        wanted = variant_of(context.style.get("variant") or context.target)
        if wanted is None:
            for index, item, told, marks in self._minority(units, lambda text, _: find_variants(text, code)):
                yield Alarm(index, f"{quoted(item.text)} is {item.name}; {told}", marks)
            return
        for index, unit in enumerate(units):
            source = unit.source or ""
            wrong = [
                item
                for item in find_variants(unit.output, code)
                if item.name != wanted and not _is_archive(item, source)
            ]
            wrong = [
                item
                for item in wrong
                if item.text not in source or (code == "zh" and code_of(context.source) != "ja")
            ]
            if wrong and not any(wrong[0].text in reference for reference in unit.references):
                places = tuple(Mark("output", item.start, item.end) for item in wrong[:5])
                message = f"{quoted(wrong[0].text)} is {wrong[0].name}, the target is {wanted}"
                yield Alarm(index, message, places)


_HABIT = 20


def _old(units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
    """Find old spellings; if a file has many, they are intended, and only the first is reported."""
    code = code_of(context.target)
    found: dict[str, list[Alarm]] = {}
    for index, unit in enumerate(units):
        items = [
            item for item in find_old_spellings(unit.output, code) if item.text not in (unit.source or "")
        ]
        if items and not any(items[0].text in reference for reference in unit.references):
            where = mark("output", items[0].start, items[0].end)
            told = "is written with œ" if code == "fr" else "is an old spelling"
            alarm = Alarm(index, f"{quoted(items[0].text)} {told}", where)
            found.setdefault(unit.file, []).append(alarm)
    for alarms in found.values():
        yield from alarms[:1] if len(alarms) >= _HABIT else alarms


def _mixed(units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
    """Find words with two spellings in a file; the rarer spelling is reported."""
    code = code_of(context.target)
    places: dict[tuple[str, str], dict[str, list[tuple[int, int]]]] = {}
    for index, unit in enumerate(units if code in ("ja", "ru") else ()):
        for key, word, start in spelled_twice(unit.output, code):
            places.setdefault((unit.file, key), {}).setdefault(word, []).append((index, start))
    for spellings in places.values():
        if len(spellings) != 2:
            continue
        (rare, where), (usual, others) = sorted(spellings.items(), key=lambda item: len(item[1]))
        n, other = len(others), len(where)
        # If both are common, the file has no rule.
        if n >= 3 * other or (n > other == 1):
            for index, start in where:
                message = f"{quoted(rare)} is written {quoted(usual)} elsewhere ({n} of {n + other})"
                there = Use(others[0][0], "", others[0][1], others[0][1] + len(usual))
                yield Alarm(index, message, both(Use(index, "", start, start + len(rare)), there))


def _is_archive(item: AddressForm, source: str) -> bool:
    """Whether `arquivo` means an archive, as in Portugal, and not a file, as in Brazil."""
    return item.text.lower().startswith("arquivo") and "archiv" in source.lower()


def variant_of(tag: str | None) -> str | None:
    """The variant that a language tag names; `None` if it names no known variant.

    >>> variant_of("en_GB"), variant_of("zh-TW"), variant_of("pt")
    ('en-GB', 'zh-Hant', None)
    """
    language = language_of(tag)
    if language is None or variants_of(language.code) is None:
        return None
    if language.code == "zh":
        if language.script in ("Hans", "Hant"):
            return f"zh-{language.script}"
        return {"TW": "zh-Hant", "HK": "zh-Hant", "MO": "zh-Hant", "CN": "zh-Hans", "SG": "zh-Hans"}.get(
            language.region or ""
        )
    british = {"GB": "en-GB", "AU": "en-GB", "NZ": "en-GB", "IE": "en-GB", "ZA": "en-GB", "IN": "en-GB"}
    if language.code == "es" and language.region not in (None, "ES"):
        return "es-419"
    regions = {
        "en": {**british, "US": "en-US"},
        "es": {"ES": "es-ES"},
        "de": {"DE": "de-DE", "AT": "de-DE", "CH": "de-CH", "LI": "de-CH"},
        "pt": {"BR": "pt-BR", "PT": "pt-PT", "AO": "pt-PT", "MZ": "pt-PT"},
    }
    return regions[language.code].get(language.region or "")
