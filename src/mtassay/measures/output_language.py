"""Checks whether an output is a translation: empty, untranslated, in another language, or in two."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from mtassay.data.languages import name_of, parse_language
from mtassay.data.words import read_table, sound_distance
from mtassay.measures.check import Alarm, Check, CheckContext, Mark, Unit, code_of
from mtassay.measures.talk import note_labels, refusal_in, small_words, speaks_of_translation
from mtassay.nlp.identification import (
    LanguageVocabulary,
    can_identify,
    foreign_language,
    frequent_words,
    identify,
    is_unspaced,
    language_of,
    same_as,
    words_of,
)
from mtassay.nlp.word_forms import word_forms

_NOT_WORD = re.compile(r"[\W_]+")
_SAMPLE = 4_000
# Fewer translations are not enough to know the target language's words.
_FEWEST = 30
_LEARNED = 300
_ICU = re.compile(r",\s*(?:plural|select(?:ordinal)?)\s*,")
# The number of outputs to identify first; each takes 0.2 to 0.3 ms.
_FIRST_IDENTIFIED = 2_000
# If this share is foreign, the whole file is, and the rest is not identified.
_ALL_FOREIGN = 0.9
_LETTER = re.compile(r"[^\W\d_]")
_LETTERS = re.compile(r"[^\W\d_]+")
_MARKS = ".,;:!?\"'()[]{}*/„“”‘’«»…"
# Quoted text may stay in its language: a title, a slogan.
_QUOTED = re.compile(
    r"„[^“”\n]{1,200}[“”]|“[^”\n]{1,200}”|«[^»\n]{1,200}»|»[^«\n]{1,200}«"
    r"|\"[^\"\n]{1,200}\"|‘[^’\n]{4,200}’(?!\w)|(?<!\w)'[^'\n]{4,80}'(?!\w)"
    r"|&quot;(?:(?!&quot;).){1,200}&quot;|「[^」\n]{1,200}」|《[^》\n]{1,200}》"
)

# The beginning of an argument of an ICU message, and the text before each of its branches.
_ARGUMENT = re.compile(r"\{\s*\w+\s*(?:,\s*(?:plural|select|selectordinal)\s*,|,\s*\w+\s*(?=[,}]))")
_SELECTOR = re.compile(r"(?<![\w=])(?:=\d++|[A-Za-z_]\w*+)\s*+(?=\{)")

# Text in angle brackets may be a remark instead of a tag.
_SPOKEN_TAG = re.compile(r"<([^\W\d_]+(?: [^\W\d_]+){2,})>")

_TABLES = read_table(Path(__file__).parent / "data" / "scripts.toml")
_SCRIPTS: Mapping[str, str] = _TABLES["spans"]
_SCRIPTS_OF = {code: tuple(names.split()) for code, names in _TABLES["of"].items()}


def without_quotes(text: str) -> str:
    """Remove the parts of a text that may keep their language: quotes, and the words of ICU messages.

    >>> without_quotes("{n, plural, one {# dog} other {# dogs}}").split()
    ['{', '{#', 'dog}', '{#', 'dogs}}']
    """
    if "{" in text:
        text = _SELECTOR.sub(" ", _ARGUMENT.sub("{ ", text))
    return _QUOTED.sub(" . ", text)


def scripts_of(language: str | None) -> tuple[str, ...]:
    """The scripts of a language; Latin if the table does not have the language.

    >>> scripts_of("ja"), scripts_of("pt")
    (('Chinese', 'kana'), ('Latin',))
    """
    return _SCRIPTS_OF.get(language or "", ("Latin",))


def is_same_text(one: str, other: str) -> bool:
    """Whether two texts have the same letters and digits, as `fold` sees them.

    >>> is_same_text("„Straße 7“", "STRASSE 7"), is_same_text("Straße 7", "Straße 8")
    (True, False)
    """
    # The first and the last letters decide for nearly all texts.
    ends = (one[:1], other[:1], 0), (one.rstrip(_MARKS)[-1:], other.rstrip(_MARKS)[-1:], -1)
    for a, b, side in ends:
        if a.isalnum() and b.isalnum() and a.casefold()[side] != b.casefold()[side]:
            return False
    first, second = _FIRST_WORD.search(one), _FIRST_WORD.search(other)
    if first is None or second is None:
        return first is second
    if first[0][0].casefold()[0] != second[0][0].casefold()[0]:
        return False
    return fold(one) == fold(other)


_FIRST_WORD = re.compile(r"[^\W_]")


@lru_cache(maxsize=1 << 14)
def fold(text: str) -> str:
    """Return only the letters and digits of a text, in one case.

    >>> fold("„Straße 7“ - Ja!")
    'strasse7ja'
    """
    return _NOT_WORD.sub("", text).casefold()


@cache
def given_names() -> frozenset[str]:
    """Return first names of people."""
    return frozenset((_LOANS.parent / "given_names.txt").read_text(encoding="utf-8").split())


_LOANS = Path(__file__).parent / "data" / "loan_words.txt"


def is_loan(word: str) -> bool:
    """Whether translators of programs keep an English word in several languages: socket."""
    loans = _usual_loans()
    return word in loans or word.removesuffix("s") in loans


@cache
def _usual_loans() -> frozenset[str]:
    return frozenset(_LOANS.read_text(encoding="utf-8").split())


def knows_word(word: str, language: str) -> bool:
    """Whether a language has a word; true if a language in Latin letters has no dictionary."""
    if "Latin" not in scripts_of(language):
        return False
    forms = word_forms(language)
    return not forms.has_dictionary or forms.knows(word) or forms.knows(word.capitalize())


@lru_cache(maxsize=100_000)
def is_foreign_word(word: str, source: str, target: str) -> bool:
    """Whether the source language has the word and the target language does not."""
    # Opening a dictionary takes long, and a word of the target language needs no second dictionary.
    if knows_word(word, target):
        return False
    forms = word_forms(source)
    return forms.knows(word) or (len(word) > 9 and bool(forms.links) and forms.is_word(word.lower()))


_FAMILIES = (("de", "nl", "sv"), ("fr", "es", "it", "pt"), ("pl", "cs"))


@lru_cache(maxsize=10_000)
def is_international(word: str, source: str, target: str) -> bool:
    """Whether Germanic, Romance and Slavic languages share a word (festival, album), so others may too."""
    others = [[code for code in family if code not in (source, target)] for family in _FAMILIES]
    return all(
        any(word_forms(code).knows(form) for code in family for form in (word, word.capitalize()))
        for family in others
    )


_FIELD = re.compile(r"%(?:\d+\$)?[-+0-9.]*l{0,2}[a-zA-Z]")


def is_translatable(source: str) -> bool:
    """Whether the text has several words that are neither names nor codes.

    >>> [is_translatable(text) for text in ("Max Mustermann, Berlin", "Wir haben heute geschlossen")]
    [False, True]
    """
    source = _FIELD.sub(" ", source)
    words = words_of(_SPOKEN_TAG.sub(r" \1 ", source))
    # A character of an unspaced script is a third of a word; no name begins with a lower-case letter.
    common = sum(1 / 3 if is_unspaced(word) else 1 for word in words if not word[0].isupper())
    return len(words) >= 3 and (common >= 2 or _is_loud(source))


def _is_loud(text: str) -> bool:
    """Whether nearly all letters are capitals: HOW DARE YOU, Tom!"""
    return text.isupper() or 5 * sum(map(str.isupper, text)) > 4 * sum(map(str.isalpha, text)) > 40


class FileWords:
    """The target language's words, learned from a file's outputs."""

    def __init__(self, context: CheckContext) -> None:
        self.source = parse_language(context.source).code if context.source else None
        self._given = parse_language(context.target).code if context.target else None
        self.target = self._given
        self._units: Sequence[Unit] | None = None
        self._texts: list[tuple[str | None, str]] | None = None
        self.own: frozenset[str] = frozenset()
        self.foreign: frozenset[str] = frozenset()
        self.has_enough = False
        self.vocabulary = LanguageVocabulary([], [])
        self.is_stranger = False

    def learn(self, units: Sequence[Unit]) -> FileWords:
        """Learn from the references if there are any, else from the outputs, once for each file."""
        if self._units is units:
            return self
        self._units = units
        some = units[:: len(units) // _SAMPLE + 1]
        references = [unit.references[0] for unit in some if unit.references]
        # With references, all systems of a test set have the same words.
        texts = [(unit.source, unit.references[0] if unit.references else unit.output) for unit in some]
        if texts == self._texts:
            return self
        self._texts = texts
        outputs = references or [unit.output for unit in some]
        sources = [unit.source for unit in some if unit.source]
        self.has_enough = len(outputs) >= _FEWEST
        self.target = self._given
        if self.target is None or not (self.target in _SCRIPTS_OF or can_identify(self.target)):
            self.target = self._language_of(outputs, sources)
        self.vocabulary = LanguageVocabulary(sources, outputs, fewest=1 if references else 2)
        self.is_stranger = bool(self.target and not references and foreign_language(outputs, self.target))
        seen: Counter[str] = Counter()
        theirs: Counter[str] = Counter()
        if self.has_enough and not self.is_stranger:
            for unit in some:
                text = unit.references[0] if unit.references else unit.output
                in_source = set(_plain(unit.source or ""))
                theirs.update(in_source)
                seen.update(set(_plain(text)) - in_source)
        # Notes in the source language also have its words, but never as often as the sources.
        own = {word for word, n in seen.items() if n >= 2 and 2 * n > theirs[word]}
        self.own = frozenset(own | frequent_words().get(self.target or "", frozenset()))
        self.foreign = frequent_words().get(self.source or "", frozenset()) - self.own
        return self

    def _language_of(self, outputs: Sequence[str], sources: Sequence[str]) -> str | None:
        """The language of most texts, used if no language is given or the identifier does not know it."""
        found = language_of(outputs) or None
        # If every output equals its source, this is not the target language.
        return None if found is not None and found == language_of(sources) else found

    def leftovers(self, unit: Unit) -> list[bool]:
        """For each output word outside quotes, whether it is a common word of the source.

        Names, codes, and words of the target language do not count. May be empty if no word counts.
        """
        kept = _common_words(unit.source or "") - self.own
        # Few outputs have such a word, and finding runs of letters is faster than finding words.
        is_spaced = unit.output.isascii() or max(unit.output) < "\u0e00"
        if is_spaced and kept.isdisjoint(_LETTERS.findall(unit.output.lower())):
            return []
        words = [word.lower() for word in words_of(without_quotes(unit.output))]
        if kept.isdisjoint(words):
            return [False] * len(words)
        allowed = {word for text in unit.references for word in _plain(text)}
        return [word in kept and word not in allowed for word in words]


# Options and arguments of commands: -p, [-o OPTIONS], --nslist <ns,...>
_USAGE = re.compile(r"\[-?[^\[\]]{1,60}\]|(?<!\w)--?\w[\w-]*+(?:[= ]?<[^<>]{1,40}>)?")


# The usage line of a command, which translators often keep: dirs [-clpv] [+N].
_SYNOPSIS = re.compile(r"\w \[{1,2}[-+|]|\.\.\.\]|\[\w+ \.\.\.|\w=\w+\]")


@lru_cache(maxsize=1 << 14)
def _common_words(source: str) -> frozenset[str]:
    """The words of a source without names, in lower case."""
    is_upper = _is_loud(source)
    # The first word of a sentence is a name only if it also is one elsewhere.
    return frozenset(
        word.lower()
        for word in words_of(_USAGE.sub(" ", without_quotes(source) if "{" in source else source))
        if (is_upper or not word[0].isupper()) and word.isalpha()
    )


@lru_cache(maxsize=1 << 14)
def _parts_of(source: str) -> frozenset[str]:
    return frozenset(source.split())


def _plain(text: str) -> list[str]:
    return [word.strip(".,;:!?\"'()[]„“”‘’«»…") for word in text.lower().split()]


def file_words(units: Sequence[Unit], context: CheckContext) -> FileWords:
    """Return the words of a file, learned once for all checks."""
    return context.part(FileWords).learn(units)


def is_monolingual(context: CheckContext) -> bool:
    """Whether source and target are the same language, so that a copy may be right."""
    if context.source is None or context.target is None:
        return False
    return parse_language(context.target).code in same_as(parse_language(context.source).code)


# Letters and digits of any script; an underscore alone has no meaning.
_SAYS_SOMETHING = re.compile(r"[^\W_]")
_WHY = ("the output is empty", "the output is only punctuation")


def how_much(text: str) -> int:
    """3 if there are letters or digits, 2 if symbols (emoji, currency), 1 if only punctuation, 0 if nothing.

    >>> [how_much(text) for text in ("", " \\u200b ", "...", "❤️", "No")]
    [0, 0, 1, 2, 3]
    """
    if _SAYS_SOMETHING.search(text):
        return 3
    categories = {unicodedata.category(char)[0] for char in text}
    return 2 if "S" in categories else 1 if "P" in categories else 0


class Empty(Check):
    """Outputs without a letter, digit or symbol, although source and references have some."""

    id = "empty"
    group = "conduct"
    severity = "critical"
    about = "the output is empty"
    needs = frozenset()

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        for index, unit in enumerate(units):
            if _SAYS_SOMETHING.search(unit.output) or (amount := how_much(unit.output)) > 1:
                continue
            expected = [*unit.references] if unit.source is None else [unit.source, *unit.references]
            if all(how_much(text) > amount for text in expected) if expected else amount == 0:
                yield Alarm(index, _WHY[amount])


class _LanguageCheck(Check):
    group = "meaning"
    severity = "critical"
    scope = "file"

    def applies(self, context: CheckContext) -> bool:
        return not is_monolingual(context)


class Untranslated(_LanguageCheck):
    """Outputs that equal or nearly equal their source, although no reference does."""

    id = "untranslated"
    about = "the output is the source, untranslated"

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        words = file_words(units, context)
        for index, unit in enumerate(units):
            source, output = unit.source, unit.output
            if source and source[0] > "\u0400" and _is_spelled_out(source, output):
                where = Mark("output", 0, len(output))
                yield Alarm(index, "the output is the source in other letters, untranslated", (where,))
                continue
            if not source or not _share_beginnings(source, output):
                continue
            if is_same_text(source, output):
                if _SYNOPSIS.search(source):
                    continue
                is_plain = is_translatable(source) or _is_label(source, words.source, words.target)
                if not is_plain or _is_like_reference(unit) or _may_stay(unit, words.target):
                    continue
                if source.istitle() and source.split()[0] in given_names():
                    continue
                # Languages that share most words may have equal texts.
                if words.has_enough and 3 * words.vocabulary.leaning(output) > len(output.split()):
                    continue
                yield Alarm(
                    index, "the output is the source, untranslated", (Mark("output", 0, len(output)),)
                )
            elif _USAGE.search(source):
                continue
            elif (left := words.leftovers(unit)) and sum(left) >= 3 and sum(left) >= 0.7 * len(left):
                yield Alarm(
                    index,
                    f"{sum(left)} of {len(left)} words are untranslated",
                    (Mark("output", 0, len(output)),),
                )


def _is_spelled_out(source: str, output: str) -> bool:
    """Whether an output only transcribes a Cyrillic source in Latin letters, which is right for names."""
    there, here = words_of(source), words_of(output)
    if len(there) != len(here) or len(there) < 3 or not output.isascii() or not _SCRIPTED.search(source):
        return False
    pairs = list(zip(here, there, strict=True))
    alike = [one for one, two in pairs if sound_distance(one, two)[0] * 4 <= max(2, len(two))]
    return 4 * len(alike) >= 3 * len(pairs) and sum(map(str.islower, alike)) >= 2


_SCRIPTED = re.compile("[\u0400-\u04ff]{3}")


def _is_label(source: str, language: str | None, target: str | None) -> bool:
    """Whether a short text has at least two words, all only of the source language: Search settings."""
    parts = source.strip(" .…:!?").split()
    if (
        not 2 <= len(parts) <= 4
        or len(source) < 4
        or not language
        or not target
        or not parts[-1][1:].islower()
    ):
        return False
    return all(
        part.isalpha() and not is_loan(part.lower()) and is_foreign_word(part.lower(), language, target)
        for part in parts
    )


def _may_stay(unit: Unit, target: str | None) -> bool:
    """Whether a short copy has only words of the target language, or nouns that got a capital."""
    words, forms = words_of(unit.output), word_forms(target or "")
    if not forms.has_dictionary or not 0 < len({*words}) <= 4:
        return False
    if target == "de" and unit.output != unit.source and all(word[0].isupper() for word in words):
        return True
    return all(forms.knows(word.lower()) for word in words)


def _share_beginnings(source: str, output: str) -> bool:
    """Whether two texts share a word near the beginning; a fast test."""
    if source[:4].casefold() == output[:4].casefold():
        return True
    return not set(source[:60].split()).isdisjoint(output[:60].split())


def _is_like_reference(unit: Unit) -> bool:
    words = words_of(unit.output.lower())
    return any(
        fold(unit.output) == fold(reference) or sum(word in own for word in words) > 0.6 * len(words)
        for reference in unit.references
        for own in [set(words_of(reference.lower()))]
    )


class WrongLanguage(_LanguageCheck):
    """Outputs that are certainly in another language or script, unless a reference also is."""

    id = "wrong-language"
    about = "the output is in another language or script"
    needs = frozenset()

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """Return alarms. The file's words clear most outputs; the identifier must be certain about the rest.

        Answers that talk about translating are left to `refusal` and `chatter`. Without a language pair, the
        target language is that of the references, or of most outputs.
        """
        words = file_words(units, context)
        if words.target is None:
            return
        target = words.target
        outputs = [unit.output for unit in units]
        is_clear = words.has_enough and not words.is_stranger
        doubtful: Sequence[int] = words.vocabulary.doubtful(outputs) if is_clear else range(len(units))
        reasons: dict[int, str] = {}
        to_identify: list[int] = []
        for index in doubtful:
            unit = units[index]
            if not unit.output.strip() or (unit.source and is_same_text(unit.source, unit.output)):
                continue
            if script := wrong_script(unit, target):
                reasons[index] = f"is written in {script} letters, not in those of {name_of(target)}"
            elif (
                len(_LETTER.findall(unit.output)) >= 20
                and not _ICU.search(unit.output)
                and not (
                    # A short file has too few words.
                    is_clear
                    and len(units) >= _LEARNED
                    and words.vocabulary.accepts(unit.output, unit.source, unit.references)
                )
            ):
                to_identify.append(index)
        first = to_identify[:: len(to_identify) // _FIRST_IDENTIFIED + 1] if can_identify(target) else []
        for index in first:
            if reason := _why_wrong(units[index], target, words):
                reasons[index] = reason
        n = sum(index in reasons for index in first)
        rest = sorted({*to_identify}.difference(first)) if n else []
        if n >= _ALL_FOREIGN * len(first):
            reasons |= dict.fromkeys(rest, f"looks foreign, as {n:,} of {len(first):,} lines beside it are")
        elif rest:
            found = ((index, _why_wrong(units[index], target, words)) for index in rest)
            reasons |= {index: reason for index, reason in found if reason}
        for index in sorted(reasons):
            yield Alarm(index, reasons[index], (Mark("output", 0, len(outputs[index])),))


def _why_wrong(unit: Unit, target: str, words: FileWords) -> str:
    """Why an output is in the wrong language; empty if it may be right."""
    if _is_talk(unit):
        return ""
    guess = identify(unit.output, target)
    is_sure = guess.is_sure or (guess.probability >= 0.5 and guess.expected < 0.001)
    if not (is_sure and guess.excludes(target)) and not _has_words_of(guess.code, target, unit):
        return ""
    if any(identify(text, target).code in same_as(guess.code) for text in unit.references):
        return ""
    if sum(words.leftovers(unit)) >= 0.7 * len(words_of(unit.output)):
        return ""  # left to `untranslated`
    return f"looks like {name_of(guess.code)}, not {name_of(target)}"


def _has_words_of(code: str, target: str, unit: Unit) -> bool:
    """Whether another language has all words of an output and the target language lacks many of them."""
    own = {word for word in words_of(unit.output) if word.islower() and len(word) > 2}
    # Danish and Norwegian dictionaries are too small to distinguish the two.
    is_other = code_of(code) != "" and code not in same_as(target)
    if not is_other or {code, target} <= {"da", "nb", "nn", "no"} or len(own) < 4:
        return False
    other = word_forms(code)
    strange = [word for word in own if not knows_word(word, target)]
    return 3 * len(strange) >= len(own) > 0 and len(strange) > 1 and all(map(other.knows, own))


def _is_talk(unit: Unit) -> bool:
    lowered = unit.output[:1_500].lower()
    if (
        refusal_in(lowered)
        or note_labels().search(lowered)
        or ("```" in lowered and "```" not in (unit.source or ""))
    ):
        return True
    return speaks_of_translation(lowered) and not speaks_of_translation((unit.source or "").lower())


def wrong_script(unit: Unit, target: str) -> str | None:
    """The script of nearly all letters of the output, if the target language does not use this script."""
    letters = _LETTER.findall(unit.output[:300])
    if (
        target in ("zh", "yue")
        and len(letters) > 7
        and 4 * len(_KANA.findall(unit.output[:300])) > len(letters)
    ):
        return "Japanese"
    right = _letters_of(scripts_of(target))
    # A Chinese character counts as a word, since names in Latin letters are long.
    weight = 40 if target in ("zh", "ja", "yue") else 5
    if len(letters) < 8 or weight * len(right.findall("".join(letters))) > len(letters):
        return None
    if any(5 * len(right.findall(text)) < len(_LETTER.findall(text)) for text in unit.references):
        return None
    # Names and codes keep the letters of the source.
    own = set(words_of((unit.source or "").lower()))
    fresh = [word for word in words_of(unit.output.lower()) if word not in own]
    if len(fresh) < 3 and (not unit.source or not fresh or sum(map(len, fresh)) < 8):
        return None
    counts = {name: len(re.findall(f"[{span}]", "".join(letters))) for name, span in _SCRIPTS.items()}
    name, n = max(counts.items(), key=lambda item: item[1])
    return name if 2 * n > len(letters) else "Latin"


_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")


@cache
def _letters_of(scripts: tuple[str, ...]) -> re.Pattern[str]:
    spans = ["A-Za-z\u00aa-\u024f\u1e00-\u1eff" if name == "Latin" else _SCRIPTS[name] for name in scripts]
    return re.compile(f"[{''.join(spans)}]")


@cache
def _strange_letters(target: str) -> re.Pattern[str]:
    """Runs of letters in scripts that a language does not use; Latin letters are allowed in all languages."""
    spans = [span for name, span in _SCRIPTS.items() if name not in scripts_of(target) and name != "Greek"]
    return re.compile(
        f"[{''.join(spans)}]+|[\u0370-\u03ff]{{3,}}"
        if "Greek" not in scripts_of(target)
        else f"[{''.join(spans)}]+"
    )


class MixedLanguage(Check):
    """Outputs that contain some words of another language or letters of another script."""

    id = "mixed-language"
    group = "conduct"
    severity = "major"
    scope = "file"
    about = "a part of the output is in another language or script"

    def applies(self, context: CheckContext) -> bool:
        return not is_monolingual(context)

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        words = file_words(units, context)
        strange = _strange_letters(words.target) if words.target else None
        near = frozenset(small_words("near").get(words.target or "", "").split())
        for index, unit in enumerate(units):
            output, source = unit.output, unit.source or ""
            if strange and not output.isascii() and (alarm := _strange_script(index, unit, strange)):
                yield alarm
                continue
            if near and not near.isdisjoint(_LETTERS.findall(output.lower())):
                word = next(word for word in _LETTERS.findall(output) if word.lower() in near)
                if word not in words_of(source) and not is_same_text(source, output):
                    place = output.index(word)
                    yield Alarm(
                        index, f"{word!r} is of another language", (Mark("output", place, place + len(word)),)
                    )
                    continue
            common = _parts_of(source).intersection(output.split()) - words.own
            if len(common) < 2 or is_same_text(source, output):
                continue
            left = words.leftovers(unit)
            n = sum(left)
            if n < 0.7 * len(left) and (slang := _copied_slang(source, output, words.target)):
                yield Alarm(index, f"{slang} words are as in the source")
                continue
            if sum(map(str.islower, common)) < 2:
                continue
            if 2 <= n < 4 and 5 * n >= 2 * len(left) and self._are_strange(unit, left, words):
                yield Alarm(index, f"{n} of {len(left)} words are left in the source language")
            if n < 4 or n >= 0.7 * len(left):  # a word or two, or completely untranslated
                continue
            if n < 0.4 * len(left) and _longest_run(unit, words) < 4:
                continue
            if words.has_enough or _is_foreign(unit, words):
                yield Alarm(index, f"{n} of {len(left)} words are left in the source language")

    def _are_strange(self, unit: Unit, left: Sequence[bool], words: FileWords) -> bool:
        """Whether the untranslated words are in lower case and not in the target language's dictionary."""
        there = words_of(without_quotes(unit.output))
        source, target = words.source, words.target
        if not source or not target or len(there) != len(left) or _USAGE.search(unit.source or ""):
            return False
        own = [word for word, is_left in zip(there, left, strict=True) if is_left]
        if len(own) > len({*own}) or not any(is_foreign_word(word, source, target) for word in own):
            return False
        return all(
            word.islower() and len(word) > 3 and not is_loan(word) and not knows_word(word, target)
            for word in own
        )


def _copied_slang(source: str, output: str, target: str | None) -> int:
    """Count the words (except names) copied from the source, if at least three and 40 % of the output."""
    here = _unquoted_words(output)
    if target is None or len(here) < 4 or _USAGE.search(source):
        return 0
    is_loud, known = _is_loud(source), _known_words(source)
    copied = [
        small
        for word in here
        if (small := word.lower()) in known and word.isalpha() and (is_loud or word[0].islower())
    ]
    if 5 * len(copied) < 2 * len(here):  # nearly always; dictionaries are slower
        return 0
    copied = [word for word in copied if not is_loan(word) and not knows_word(word, target)]
    return len({*copied}) if 5 * len(copied) >= 2 * len(here) and len({*copied}) >= 3 else 0


def _unquoted_words(text: str) -> list[str]:
    return words_of(_BRACKETED.sub(" ", without_quotes(text)))


@lru_cache(maxsize=1 << 14)
def _known_words(source: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _unquoted_words(source))


_BRACKETED = re.compile(r"\[[^\]]{1,40}\]")


def _strange_script(index: int, unit: Unit, strange: re.Pattern[str]) -> Alarm | None:
    if not strange.search(unit.output):
        return None
    if 2 * sum(map(len, strange.findall(unit.output))) > len(_LETTER.findall(unit.output)):
        return None  # completely in another script
    allowed = "".join([unit.source or "", *unit.references])
    for match in strange.finditer(unit.output):
        if match.group() not in allowed and not set(match.group()) <= set(allowed):
            mark = Mark("output", match.start(), match.end())
            return Alarm(index, f"{match.group()[:40]!r} is in another script", (mark,))
    return None


def _longest_run(unit: Unit, words: FileWords) -> int:
    """Count the different words in the longest run of words copied from the source.

    Only spaces are between the words. Titles (a capital letter in the middle of a sentence) may be copied.
    """
    common = {word.lower() for word in words_of(unit.source or "") if word.isalpha()} - words.own
    longest, run, is_title, is_start = 0, set[str](), False, True
    for token in without_quotes(unit.output).split():
        word = token.strip(_MARKS)
        if word.lower() in common:
            if not run:
                is_title = word[:1].isupper() and not is_start
            run.add(word.lower())
            longest = max(longest, 0 if is_title else len(run))
        else:
            run = set()
            is_title = False
        if token != token.rstrip(_MARKS) or not word:
            run = set()
        is_start = token[-1] in ".!?:…"
    return longest


def _is_foreign(unit: Unit, words: FileWords) -> bool:
    return not words.foreign.isdisjoint(_plain(unit.output))
