"""The forms of German words, from how the lexicon files write them: `der Hund, Hunde`, `kaufen, …`."""

from __future__ import annotations

__all__ = ["forms"]

_ARTICLES = {"der": "m", "die": "f", "das": "n"}


def forms(part: str, text: str) -> dict[str, str]:
    """The forms of a word by cell; the first is the one to look it up by.

    A noun's `sg` is nominative, accusative and dative; the genitive of masculines and neuters is left out, as
    are nouns that decline otherwise. Adjectives have one cell for each ending.

    >>> forms("NOUN", "der Hund, Hunde")
    {'sg m': 'Hund', 'pl': 'Hunde', 'pl dative': 'Hunden'}
    >>> forms("VERB", "kaufen, kaufte, gekauft")
    {'inf': 'kaufen', 'past sg': 'kaufte', 'past pl': 'kauften', 'part': 'gekauft'}
    >>> list(forms("ADJ", "klein").values())
    ['klein', 'kleine', 'kleinen', 'kleiner', 'kleines', 'kleinem']
    >>> forms("NAME", "Frankreich"), forms("NAME", "die Schweiz"), forms("ADV", "oft")
    ({'': 'Frankreich'}, {'f': 'Schweiz'}, {'': 'oft'})
    """
    first, *rest = [item.strip() for item in text.split(",")]
    article, _, word = first.partition(" ")
    if part == "NOUN":
        gender, plural = _ARTICLES[article], rest[0]
        dative = plural if plural[-1] in "ns-" else plural + "n"
        by_cell = {f"sg {gender}": word, "pl": plural, "pl dative": dative}
        return {cell: form for cell, form in by_cell.items() if form != "-"}
    if part == "ADJ":
        stem = rest[0] if rest else first
        endings = ("e", "en", "er", "es", "em")
        return {"": first} | {ending: (stem + ending).replace("ee", "e") for ending in endings}
    if part == "VERB":
        past, participle = rest
        plural = past + ("n" if past.endswith("e") else "en")
        return {"inf": first, "past sg": past, "past pl": plural, "part": participle}
    if part == "DET":
        return {ending: first + ending for ending in ("e", "en", "er", "es", "em")}
    return {_ARTICLES[article]: word} if word and article in _ARTICLES else {"": first}
