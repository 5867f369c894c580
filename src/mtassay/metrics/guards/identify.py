"""Says which language a line is in, with a probability; loads its model when first asked.

The model is py3langid, a naive Bayes classifier over byte n-grams (Lui and Baldwin, ACL 2012).
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from typing import NamedTuple

from mtassay.errors import UsageError
from mtassay.languages import parse_language

# No line tells these apart.
_SAME = (
    {"bs", "hr", "sr", "sh"},
    {"id", "ms"},
    {"nb", "nn", "no"},
    {"zh", "yue", "wuu", "lzh"},
    {"ar", "ary", "arz", "acm", "apc", "ars", "aeb"},
    {"en", "pcm", "sco"},
    {"fa", "prs"},
    {"tl", "fil"},
    {"uz", "uzs"},
    {"ku", "sdh"},
    {"ht", "gcf", "gcr"},
    {"lv", "ltg"},
    {"el", "grc"},
    {"he", "hbo"},
    {"dz", "bo"},
    {"mr", "gom"},
    {"gn", "gug"},
)
# Alike enough that one line must speak very clearly.
_AKIN = (
    {"da", "nb", "nn", "no", "sv", "fo", "is"},
    {"es", "pt", "gl", "ca", "an", "ast", "ext", "oc", "it", "lij", "vec"},
    {"bs", "hr", "sr", "sh", "sl", "mk", "bg"},
    {"cs", "sk", "pl"},
    {"ru", "uk", "be", "bg"},
    {"id", "ms", "jv", "ace"},
    {"af", "nl", "fy"},
    {"de", "lb"},
    {"fr", "oc", "wa", "ht", "gcf", "gcr"},
    {"az", "tr", "tk", "crh"},
    {"ba", "tt", "kk", "ky"},
    {"hi", "mr", "ne", "sa", "gom"},
    {"as", "bn"},
    {"ur", "fa", "ps", "pnb"},
    {"xh", "zu", "st", "nso"},
    {"rw", "rn"},
    {"ga", "gd"},
)
_MOST_CHARACTERS = 600


class Guess(NamedTuple):
    """The likeliest language of a line, by code, with its probability and that of the expected language."""

    code: str
    probability: float
    expected: float

    @property
    def is_sure(self) -> bool:
        """True if the language has a name that one can rely on."""
        return self.code != "zxx" and self.probability >= 0.6

    def excludes(self, target: str) -> bool:
        """True if the line is surely not in the target language."""
        akin = any(self.code in group and target in group for group in _AKIN)
        return self.expected < (0.005 if akin else 0.02)


def identify(text: str, target: str) -> Guess:
    """Guess the language of a text; variants that no line tells apart count together.

    >>> guess = identify("Der Hund schläft auf dem alten Sofa.", "en")
    >>> guess.code, guess.is_sure, guess.excludes("en")
    ('de', True, True)
    """
    import py3langid

    text = text[:_MOST_CHARACTERS]
    ranking = py3langid.rank(text)
    # The model's raw scores grow with the text; this scale makes them good probabilities at any length.
    scale = math.sqrt(len(text.encode(errors="replace")) or 1)
    best = ranking[0][1]
    weights = {code: math.exp(max((score - best) / scale, -700)) for code, score in ranking}
    total = sum(weights.values())
    first = ranking[0][0]

    def share(code: str) -> float:
        return sum(weights.get(variant, 0.0) for variant in same_as(code)) / total

    return Guess(first, share(first), share(target))


def can_identify(code: str) -> bool:
    """True if the model knows the language or a variant that no line tells apart from it."""
    import py3langid

    return not {known for known, _ in py3langid.rank("")}.isdisjoint(same_as(code))


def script_of(text: str) -> str:
    """The script of most letters, by its Unicode name; characters and kana are one.

    >>> script_of("Привет, Bob"), script_of("犬は寝る"), script_of("42")
    ('CYRILLIC', 'CJK', '')
    """
    scripts = Counter(unicodedata.name(char, "?").split()[0] for char in text[:200] if char.isalpha())
    scripts["CJK"] += scripts.pop("HIRAGANA", 0) + scripts.pop("KATAKANA", 0)
    script, n = scripts.most_common(1)[0]
    return script if n else ""


def same_as(code: str) -> set[str]:
    """The code and those that no line tells apart from it."""
    return next((group for group in _SAME if code in group), {code})


def name_of(code: str) -> str:
    """The English name, or the code itself where the name is unknown."""
    try:
        return parse_language(code).name
    except UsageError:
        return code
