"""Finds forms of the same word by dictionary, or by stem for unknown words."""

from __future__ import annotations

import marshal
import os
import re
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeVar

from mtassay.data.language_packs import cache_folder, release_of
from mtassay.data.languages import parse_language
from mtassay.data.words import read_table

_DICTIONARIES = {"no": "nb", "hr": "hbs", "sr": "hbs", "bs": "hbs", "fil": "tl"}
"""simplemma's names of languages, if they differ from the code."""

_TABLES = read_table(Path(__file__).parent / "data" / "word_forms.toml")
_STEMMERS: Mapping[str, str] = _TABLES["stemmers"]
_LINKS = {code: tuple(links.split()) for code, links in _TABLES["links"].items()}
"""Languages that write compounds as one word, and letters that may link the parts."""

_ENDINGS = ("e", "n", "s", "en", "er", "es", "em", "ern")
_PLURALS = ("s", "es")
"""Plural endings of loan words, which dictionaries often miss: Jobs, Services."""

_CAPITAL_NOUNS = frozenset({"de", "lb"})
_LETTERS = str.maketrans("ёЁ", "еЕ")
Value = TypeVar("Value")
_SHORTEST_PART = 3


def fold(text: str) -> str:
    """Return one spelling for all ways to write a word: upper and lower case, composed or not, ё.

    >>> fold("Straße") == fold("STRASSE"), fold("Счёт")
    (True, 'счет')
    """
    folded = text.casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFC", folded).translate(_LETTERS)


class MadeOnce(dict[str, Value]):
    """A cache with a value for each word; it is emptied when it becomes too large."""

    def __init__(self, make: Callable[[str], Value], most: int = 300_000) -> None:
        self._make, self._most = make, most

    def __missing__(self, word: str) -> Value:
        if len(self) >= self._most:
            self.clear()
        value = self[word] = self._make(word)
        return value


@lru_cache(maxsize=8)
def word_forms(language: str) -> WordForms:
    """Return the forms of a language, shared by all callers in this process; "" means no language."""
    return WordForms(language)


class WordForms:
    """Gives keys of words in a language; two words are forms of one word if they share a key.

    Keys are the word itself, its dictionary form, and its stem if the dictionary does not have the word.

    >>> forms = word_forms("de")
    >>> bool(set(forms.keys("Häusern")) & set(forms.term_keys("Haus")))
    True
    """

    def __init__(self, language: str) -> None:
        self.language = parse_language(language).code if language else ""
        self._lemma, is_known = _dictionary(_DICTIONARIES.get(self.language, self.language))
        self._is_known = MadeOnce(is_known).__getitem__
        self.links = _LINKS.get(self.language)
        self._keys = MadeOnce(self._make)
        self._loose = MadeOnce(self._loosened)
        self._lemmas = MadeOnce(lambda word: fold(self._lemma(word) if self._lemma else word))
        self._parts = MadeOnce(self._is_made_of_words)

    @cached_property
    def _stem(self) -> Callable[[str], str] | None:  # loads slowly, and rarely needed
        return _stemmer(_STEMMERS.get(self.language, ""))

    @property
    def has_dictionary(self) -> bool:
        """Whether there is a dictionary for the language."""
        return self._lemma is not None

    def knows(self, word: str) -> bool:
        """Whether the dictionary has the word in any form; `False` without a dictionary."""
        return self._is_known(word)

    @property
    def signature(self) -> str:
        """The versions that the keys depend on: `simplemma-2.0.0+snowball-3.1.1`."""
        tools = [f"simplemma-{release_of('simplemma')}"] if self._lemma else []
        tools += [f"snowball-{release_of('snowballstemmer')}"] if self._stem else []
        return "+".join(tools) or "surface"

    def keys(self, word: str) -> tuple[str, ...]:
        """The keys of a word in a text; the word itself is first."""
        return self._keys[word]

    def term_keys(self, word: str) -> tuple[str, ...]:
        """The keys of a word of a term; Korean words have particles only in texts."""
        keys = self.keys(word)
        return keys[:1] if self._keeps_form(word) or _is_hangul(word) else keys

    def lemma(self, word: str) -> str:
        """The dictionary form, folded; the word itself if there is none."""
        return self._lemmas[word]

    def term_lemma(self, word: str) -> str:
        """The dictionary form of a word of a term, folded."""
        return fold(word) if self._keeps_form(word) else self.lemma(word)

    def _keeps_form(self, word: str) -> bool:
        """Whether a word of a term has no other forms.

        Abbreviations have no other forms. A capitalised word not in its dictionary form (`Seleccione`,
        `Orders`) is a label and means exactly this form, unless the language capitalises nouns.
        """
        if word.isupper() and len(word) > 1:
            return True
        is_label = word[:1].isupper() and self.language not in _CAPITAL_NOUNS
        return is_label and self._is_known(word) and self.lemma(word) != fold(word)

    def loose_keys(self, word: str) -> tuple[str, ...]:
        """More keys for lenient matching: the word without its possible ending."""
        return self._loose[word]

    def is_word(self, text: str) -> bool:
        """Whether a folded text is a word of the dictionary, or a compound of several."""
        return self._parts[text]

    def can_join(self, before: str, after: str, *, is_strict: bool) -> bool:
        """Whether a word may be between these two parts of a compound; both may be empty.

        Each part must have at least three letters without a linking element. With strict rules, each part
        must be a word.
        """
        if self.links is None:
            return False
        befores = [before] if before else []
        # Linking letters belong to the part before them: Standards-typ.
        befores += [before.removesuffix(link) for link in self.links if before.endswith(link)]
        afters = self._after(after) if after else []
        return all(
            any(len(part) >= _SHORTEST_PART and (not is_strict or self.is_word(part)) for part in parts)
            for whole, parts in ((before, befores), (after, afters))
            if whole
        )

    def _after(self, text: str) -> list[str]:
        return [text, *(text.removeprefix(link) for link in self.links or () if text.startswith(link))]

    def _is_listed(self, text: str) -> bool:
        return len(text) >= _SHORTEST_PART and (self._is_known(text) or self._is_known(text.capitalize()))

    def _is_made_of_words(self, text: str) -> bool:
        return self._is_listed(text) or any(
            self._is_listed(text[:cut]) and self._is_listed(rest)
            for cut in range(_SHORTEST_PART, len(text) - _SHORTEST_PART + 1)
            for rest in self._after(text[cut:])
        )

    def _loosened(self, word: str) -> tuple[str, ...]:
        keys = self.keys(word)
        endings = _ENDINGS if self.links is not None else _PLURALS
        stems = [keys[0].removesuffix(ending) for ending in endings if keys[0].endswith(ending)]
        return tuple(dict.fromkeys((*keys, *(stem for stem in stems if len(stem) >= _SHORTEST_PART))))

    def _make(self, word: str) -> tuple[str, ...]:
        surface = fold(word)
        if _is_hangul(word):
            return (surface, *(surface[:-n] for n in range(1, 4) if len(surface) - n > 1))
        if not surface.isalpha() or (self._lemma is None and self._stem is None):
            return (surface,)
        keys = [surface]
        if self._lemma:
            # At the start of a sentence, it may be a noun or another word: Offenen, Stufen.
            keys += [self.lemma(word), self.lemma(word.lower())]
        if self._stem and not (self._lemma and self._is_known(word)):
            keys.append(self._stem(surface))
        return tuple(dict.fromkeys(keys))


def _is_hangul(word: str) -> bool:
    return "\uac00" <= word[-1:] <= "\ud7a3"


Lemma = Callable[[str], str]


def _dictionary(code: str) -> tuple[Lemma | None, Callable[[str], bool]]:
    from simplemma import Lemmatizer
    from simplemma.strategies.default import DefaultStrategy
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES
    from simplemma.strategies.dictionary_lookup import DictionaryLookupStrategy
    from simplemma.utils import normalize_token

    if code not in SUPPORTED_LANGUAGES:
        return None, lambda word: False
    dictionaries = kept_dictionaries(cache_folder())
    lemmatizer = Lemmatizer(lemmatization_strategy=DefaultStrategy(dictionary_factory=dictionaries))
    lookup = DictionaryLookupStrategy(dictionaries)
    return (
        lambda word: lemmatizer.lemmatize(word, lang=code),
        lambda word: lookup.get_lemma(normalize_token(word), code) is not None,
    )


@cache
def kept_dictionaries(folder: Path) -> Any:
    """Open simplemma's dictionaries, read in place, with their indices stored in a folder.

    Making an index takes a second, which is longer than all other work for a few words.
    """
    from simplemma.strategies.dictionaries.dictionary_factory import CachingDictionaryFactory
    from simplemma.strategies.dictionaries.stream_dictionary_factory import StreamMap

    class KeptMap(StreamMap):  # type: ignore[misc]
        def __init__(self, language: str) -> None:
            copy = folder / f"simplemma-{release_of('simplemma')}-{language}"
            with suppress(OSError, EOFError, ValueError, TypeError):
                for name, value in zip(StreamMap.__slots__, marshal.loads(copy.read_bytes()), strict=True):
                    setattr(self, name, value)
                return
            super().__init__(language)
            with suppress(OSError, ValueError):  # If it cannot be stored, it is made again each time.
                copy.parent.mkdir(parents=True, exist_ok=True)
                beside = copy.with_name(f"{copy.name}-{os.getpid()}")
                beside.write_bytes(marshal.dumps([getattr(self, name) for name in StreamMap.__slots__]))
                beside.replace(copy)

    class KeptDictionaries(CachingDictionaryFactory):  # type: ignore[misc]
        def _get_dictionary_uncached(self, lang: str) -> Mapping[str, str]:
            dictionary: Mapping[str, str] = KeptMap(lang)
            return dictionary

    return KeptDictionaries()


def _stemmer(algorithm: str) -> Callable[[str], str] | None:
    if not algorithm:
        return None
    import snowballstemmer

    stemmer: Any = snowballstemmer.stemmer(algorithm)
    stem: Callable[[str], str] = stemmer.stemWord
    return stem


@cache
def _words() -> Mapping[str, str]:
    return read_table(Path(__file__).parent / "data" / "function_words.toml")


@cache
def function_words(language: str) -> frozenset[str]:
    """The entries of a language, folded; empty if the table does not have the language.

    >>> "hat" in function_words("de"), "Haus" in function_words("de"), function_words("xx")
    (True, False, frozenset())
    """
    return frozenset(map(fold, _words().get(language.partition("-")[0], "").split()))


# Words written with a vowel but spoken with a consonant, and the reverse.
_SPOKEN_CONSONANT = re.compile(r"uni(?!n|mp|ma)|unan|us[aeiu]|ut[ei]|uto|ura|eu|ewe|one\b|once|ubiq|ufo|ukul")
_SPOKEN_VOWEL = re.compile(r"[aeiou]|hour|honest|hono|heir|8|11\b|18\b")
_SPELT_WITH_A_VOWEL = "AEFHILMNORSX"  # an MRI
_ARTICLE = re.compile(r"\b(an?) (\w[\w'’-]*)", re.IGNORECASE)


def wants_an(word: str) -> bool:
    """Whether the article before this word is "an", judged by its sound.

    >>> [word for word in ("hour", "house", "union", "unimportant", "MRI", "NATO", "8") if wants_an(word)]
    ['hour', 'unimportant', 'MRI', '8']
    """
    if word.isupper() and len(word) < 4:  # longer abbreviations are spoken as words: a NATO
        return word[0] in _SPELT_WITH_A_VOWEL
    small = word.lower()
    return _SPOKEN_VOWEL.match(small) is not None and _SPOKEN_CONSONANT.match(small) is None


def wrong_articles(text: str) -> int:
    """Count places in an English text with `a` instead of `an`, or the reverse.

    >>> wrong_articles("A actor met an old man and an woman.")
    2
    """
    return sum((m[1].lower() == "an") != wants_an(m[2]) for m in _ARTICLE.finditer(text))
