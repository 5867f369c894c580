"""Words that are in any text of a language and so say nothing about one: articles, pronouns, auxiliaries.

Words of negation that are more than a particle (nobody, nichts, nunca) are left out: they say much.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from mtassay.data.words import read_table
from mtassay.nlp.word_forms import fold


@cache
def _words() -> Mapping[str, str]:
    return read_table(Path(__file__).parent / "data" / "function_words.toml")


@cache
def function_words(language: str) -> frozenset[str]:
    """Those of a language, folded; none for a language that is not in the table.

    >>> "hat" in function_words("de"), "Haus" in function_words("de"), function_words("xx")
    (True, False, frozenset())
    """
    return frozenset(map(fold, _words().get(language.partition("-")[0], "").split()))


# Written with a vowel and spoken with a consonant, and the other way round.
_SPOKEN_CONSONANT = re.compile(r"uni(?!n|mp|ma)|unan|us[aeiu]|ut[ei]|uto|ura|eu|ewe|one\b|once|ubiq|ufo|ukul")
_SPOKEN_VOWEL = re.compile(r"[aeiou]|hour|honest|hono|heir|8|11\b|18\b")
_SPELT_WITH_A_VOWEL = "AEFHILMNORSX"  # an MRI
_ARTICLE = re.compile(r"\b(an?) (\w[\w'’-]*)", re.IGNORECASE)


def wants_an(word: str) -> bool:
    """Whether the article before this word is "an", by its sound.

    >>> [word for word in ("hour", "house", "union", "unimportant", "MRI", "NATO", "8") if wants_an(word)]
    ['hour', 'unimportant', 'MRI', '8']
    """
    if word.isupper() and len(word) < 4:  # longer ones are read as words: a NATO
        return word[0] in _SPELT_WITH_A_VOWEL
    small = word.lower()
    return _SPOKEN_VOWEL.match(small) is not None and _SPOKEN_CONSONANT.match(small) is None


def wrong_articles(text: str) -> int:
    """How often an English text has `a` for `an`, or the other way round.

    >>> wrong_articles("A actor met an old man and an woman.")
    2
    """
    return sum((m[1].lower() == "an") != wants_an(m[2]) for m in _ARTICLE.finditer(text))
