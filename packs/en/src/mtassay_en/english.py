"""The forms of English words, from how the lexicon files write them."""

from __future__ import annotations

import re

__all__ = ["cells_of_tag", "forms", "says_gender", "takes_more"]

_SYLLABLE = re.compile(r"[aeiouy]+")
_LONG_ENDINGS = ("ful", "less", "ous", "ing", "ed", "ive", "ant", "ent", "al", "ic")
_DOUBLED = re.compile(r"[^aeiou][aeiou][bdgmnprt]$")
_GENDERED = frozenset((
    "actress", "aunt", "boy", "boyfriend", "brother", "brother-in-law", "cameraman", "daughter", "duchess",
    "duke", "emperor", "father", "fiancé", "fiancée", "fisherman", "girl", "girlfriend", "godfather",
    "godmother", "granddaughter", "grandfather", "grandmother", "grandson", "guy", "husband", "king", "lady",
    "man", "mother", "nephew", "niece", "policeman", "prince", "princess", "queen", "sister",
    "sister-in-law", "son", "uncle", "waitress", "wife", "woman",
))  # fmt: skip
_CELLS = {
    "NN": "sg", "NNS": "pl", "NNP": "sg", "NNPS": "pl",
    "VB": "base", "VBP": "base", "VBZ": "pres3", "VBD": "past", "VBN": "part", "VBG": "ing",
    "JJ": "", "JJR": "more", "JJS": "most",
}  # fmt: skip


def forms(part: str, text: str) -> dict[str, str]:
    """The forms of a word by cell; the first is the one to look it up by.

    >>> forms("NOUN", "city"), forms("NOUN", "mouse, mice"), forms("NOUN", "rice, -")
    ({'sg': 'city', 'pl': 'cities'}, {'sg': 'mouse', 'pl': 'mice'}, {'sg': 'rice'})
    >>> forms("VERB", "stop")
    {'base': 'stop', 'pres3': 'stops', 'past': 'stopped', 'part': 'stopped', 'ing': 'stopping'}
    >>> forms("VERB", "buy, bought")["part"], forms("ADJ", "old, older, oldest")["most"], forms("ADV", "soon")
    ('bought', 'oldest', {'': 'soon'})
    """
    first, *rest = [item.strip() for item in text.split(",")]
    if part == "NOUN":
        plural = rest[0] if rest else _with_s(first)
        by_cell = {"sg": first, "pl": plural}
        return {cell: form for cell, form in by_cell.items() if form != "-"}
    if part == "VERB":
        past = rest[0] if rest else _with_ed(first)
        participle = rest[1] if len(rest) > 1 else past
        ing = _stem(first) + "ing"
        return {"base": first, "pres3": _with_s(first), "past": past, "part": participle, "ing": ing}
    return dict(zip(("", "more", "most"), [first, *rest], strict=False))


def cells_of_tag(tag: str) -> str | None:
    """The cell that a Penn Treebank tag means; `None` where it says nothing."""
    return _CELLS.get(tag)


def takes_more(adjective: str) -> bool:
    """Whether it is compared with `more` and `most`, by its length and ending.

    >>> [takes_more(word) for word in ("famous", "interesting", "rich", "lazy")]
    [True, True, False, False]
    """
    return len(_SYLLABLE.findall(adjective)) > 2 or adjective.endswith(_LONG_ENDINGS)


def says_gender(noun: str) -> bool:
    """Whether it is said of women only, or of men only; a singular.

    >>> says_gender("sister"), says_gender("cousin")
    (True, False)
    """
    return noun in _GENDERED


def _with_s(word: str) -> str:
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if re.search(r"(?:s|x|z|ch|sh)$", word) else "s")


def _stem(word: str) -> str:
    """What `-ing` is added to; a final stressed consonant of a short word is doubled."""
    if word.endswith("ie"):
        return word[:-2] + "y"
    if word.endswith("e") and not word.endswith("ee"):
        return word[:-1]
    short = len(re.findall(r"[aeiou]+", word)) == 1
    return word + word[-1] if short and _DOUBLED.search(word) else word


def _with_ed(word: str) -> str:
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ied"
    return _stem(word) + "ed" if not word.endswith("e") else word + "d"
