"""The forms of English, German, Chinese and Portuguese words, from entries of the lexicon files."""

from __future__ import annotations

import re
from functools import cache

_SYLLABLE = re.compile(r"[aeiouy]+")
_LONG_ENDINGS = ("ful", "less", "ous", "ing", "ed", "ive", "ant", "ent", "al", "ic")
_DOUBLED = re.compile(r"[^aeiou][aeiou][bdgmnprt]$")
_CELLS = {
    "NN": "sg", "NNS": "pl", "NNP": "sg", "NNPS": "pl",
    "VB": "base", "VBP": "base", "VBZ": "pres3", "VBD": "past", "VBN": "part", "VBG": "ing",
    "JJ": "", "JJR": "more", "JJS": "most",
}  # fmt: skip


def english_forms(part: str, text: str) -> dict[str, str]:
    """The forms of a word by cell; the first form is used for look-up.

    >>> english_forms("NOUN", "city"), english_forms("NOUN", "mouse, mice"), english_forms("NOUN", "rice, -")
    ({'sg': 'city', 'pl': 'cities'}, {'sg': 'mouse', 'pl': 'mice'}, {'sg': 'rice'})
    >>> english_forms("VERB", "stop")
    {'base': 'stop', 'pres3': 'stops', 'past': 'stopped', 'part': 'stopped', 'ing': 'stopping'}
    >>> english_forms("VERB", "buy, bought")["part"], english_forms("ADJ", "old, older, oldest")["most"]
    ('bought', 'oldest')
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
    """The cell of a Penn Treebank tag; `None` if it has none."""
    return _CELLS.get(tag)


def takes_more(adjective: str) -> bool:
    """Whether an adjective or adverb is compared with `more` and `most`, by its length and ending.

    >>> [takes_more(word) for word in ("famous", "interesting", "rich", "lazy")]
    [True, True, False, False]
    """
    return len(_SYLLABLE.findall(adjective)) > 2 or adjective.endswith(_LONG_ENDINGS)


def _with_s(word: str) -> str:
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if re.search(r"(?:s|x|z|ch|sh)$", word) else "s")


def _stem(word: str) -> str:
    """The stem before `-ing`; short words double a final consonant."""
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


# The forms of German words, from entries of the lexicon files: `der Hund, Hunde`, `kaufen, …`.


_ARTICLES = {"der": "m", "die": "f", "das": "n"}


def german_forms(part: str, text: str) -> dict[str, str]:
    """The forms of a word by cell; the first form is used for look-up.

    A noun's `sg` is nominative, accusative and dative. The genitive of masculines and neuters is left out,
    and so are nouns with other declensions. Adjectives have a cell for each ending.

    >>> german_forms("NOUN", "der Hund, Hunde")
    {'sg m': 'Hund', 'pl': 'Hunde', 'pl dative': 'Hunden'}
    >>> german_forms("VERB", "kaufen, kaufte, gekauft")
    {'inf': 'kaufen', 'past sg': 'kaufte', 'past pl': 'kauften', 'part': 'gekauft'}
    >>> list(german_forms("ADJ", "klein").values())
    ['klein', 'kleine', 'kleinen', 'kleiner', 'kleines', 'kleinem']
    >>> german_forms("NAME", "Frankreich"), german_forms("NAME", "die Schweiz"), german_forms("ADV", "oft")
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


# The forms of Chinese words, from entries of the lexicon files: nouns follow their measure word.


def chinese_forms(part: str, text: str) -> dict[str, str]:
    """The only form of a word; a noun's cell is the measure word that may come before it.

    >>> chinese_forms("NOUN", "只 猫"), chinese_forms("ADJ", "红")
    ({'只': '猫'}, {'': '红'})
    """
    first, _, second = text.partition(" ")
    return {first: second} if second else {"": first}


# The forms of Portuguese words, from entries of the lexicon files: `o pão, pães`, `abrir, part=aberto`.


_GENDERS = {"o": "m", "a": "f", "os": "mp", "as": "fp"}
_PLURALS = (
    (r"ão$", "ões"), (r"m$", "ns"), (r"([rz])$", r"\1es"), (r"ês$", "eses"), (r"ás$", "ases"),
    (r"al$", "ais"), (r"^(.*[áéíóúâêô].*)[ei]l$", r"\1eis"), (r"el$", "éis"), (r"il$", "is"), (r"ol$", "óis"),
    (r"ul$", "uis"), (r"s$", "s"), (r"$", "s"),
)  # fmt: skip
# Endings after the stem, by conjugation: (a)r, (e)r, (i)r.
_ENDINGS = {
    "pres1sg": "o o o", "pres3sg": "a e e", "pres1pl": "amos emos imos", "pres3pl": "am em em",
    "pret1sg": "ei i i", "pret3sg": "ou eu iu", "pret1pl": "amos emos imos", "pret3pl": "aram eram iram",
    "impf3sg": "ava ia ia", "impf1pl": "ávamos íamos íamos", "impf3pl": "avam iam iam",
    "fut1sg": "arei erei irei", "fut3sg": "ará erá irá", "fut1pl": "aremos eremos iremos",
    "fut3pl": "arão erão irão", "cond3sg": "aria eria iria", "cond1pl": "aríamos eríamos iríamos",
    "cond3pl": "ariam eriam iriam", "subj3sg": "e a a", "subj1pl": "emos amos amos", "subj3pl": "em am am",
    "impfsubj3sg": "asse esse isse", "impfsubj1pl": "ássemos êssemos íssemos",
    "impfsubj3pl": "assem essem issem", "futsubj3sg": "ar er ir", "futsubj3pl": "arem erem irem",
    "inf": "ar er ir", "inf3pl": "arem erem irem", "inf1pl": "armos ermos irmos", "ger": "ando endo indo",
    "part": "ado ido ido",
}  # fmt: skip


def portuguese_forms(part: str, text: str) -> dict[str, str]:
    """The forms of a word by cell; the first form is used for look-up.

    >>> portuguese_forms("NOUN", "o pão, pães"), portuguese_forms("NOUN", "o arroz, -")
    ({'sg m': 'pão', 'pl m': 'pães'}, {'sg m': 'arroz'})
    >>> list(portuguese_forms("ADJ", "azul").values()), list(portuguese_forms("ADJ", "inglês").values())
    (['azul', 'azul', 'azuis', 'azuis'], ['inglês', 'inglesa', 'ingleses', 'inglesas'])
    >>> verb = portuguese_forms("VERB", "ficar")
    >>> verb["pret1sg"], verb["pret3sg"], verb["subj3pl"], verb["part pl f"]
    ('fiquei', 'ficou', 'fiquem', 'ficadas')
    >>> portuguese_forms("VERB", "dizer, only, pret3sg=disse, pret3pl=disseram")
    {'pret3sg': 'disse', 'pret3pl': 'disseram'}
    >>> portuguese_forms("NAME", "a França"), portuguese_forms("DET", "este, esta")
    ({'f': 'França'}, {'m': 'este', 'f': 'esta'})
    """
    first, *rest = [item.strip() for item in text.split(",")]
    if part == "NOUN":
        articles, _, word = first.partition(" ")
        plural = rest[0] if rest else _plural(word)
        by_cell: dict[str, str] = {}
        for article in articles.split("/"):
            by_cell |= {f"sg {_GENDERS[article]}": word, f"pl {_GENDERS[article]}": plural}
        return {cell: form for cell, form in by_cell.items() if form != "-"}
    if part == "ADJ":
        return _adjective(first, rest)
    if part == "VERB":
        return _verb(first, rest)
    if part == "DET":
        return dict(zip(("m", "f"), [first, *rest], strict=True)) if rest else {"m": first, "f": first}
    articles, _, word = first.partition(" ")
    if not word or articles.split("/")[0] not in _GENDERS:
        return {"": first}
    return {_GENDERS[article]: word for article in articles.split("/")}


def _plural(word: str) -> str:
    for pattern, ending in _PLURALS:
        changed, times = re.subn(pattern, ending, word, count=1)
        if times:
            return changed
    raise AssertionError(word)


def _feminine(word: str) -> str:
    if word.endswith("o"):
        return word[:-1] + "a"
    return word[:-2] + "esa" if word.endswith("ês") else word


def _adjective(first: str, rest: list[str]) -> dict[str, str]:
    """Read `rest`: the feminine, if given, and `mais` if the adjective is also compared with it."""
    feminine = next((item for item in rest if item != "mais"), _feminine(first))
    plain = {"sg m": first, "sg f": feminine, "pl m": _plural(first), "pl f": _plural(feminine)}
    compared = {f"mais {cell}": f"mais {form}" for cell, form in plain.items()} if "mais" in rest else {}
    return plain | compared


def _verb(infinitive: str, rest: list[str]) -> dict[str, str]:
    """Read `rest`: irregular forms (`cell=form`), `part=-` for a missing form, `only` for no other forms."""
    irregular = dict(item.split("=") for item in rest if "=" in item)
    by_cell: dict[str, str] = {} if "only" in rest else _regular(infinitive, irregular) | irregular
    by_cell |= irregular
    participle = by_cell.pop("part", None)
    if participle and participle != "-":
        by_cell |= {f"part {cell}": form for cell, form in _adjective(participle, []).items()}
    return by_cell


def _regular(infinitive: str, irregular: dict[str, str]) -> dict[str, str]:
    stem, conjugation = infinitive[:-2], "aei".index(infinitive[-2])
    by_cell = {}
    for cell, endings in _ENDINGS.items():
        by_cell[cell] = _joined(stem, endings.split()[conjugation], conjugation)
    if conjugation and "pres1sg" in irregular:  # the present subjunctive follows the first person
        base = irregular["pres1sg"].removesuffix("o")
        by_cell |= {c: base + _ENDINGS[c].split()[conjugation] for c in ("subj3sg", "subj1pl", "subj3pl")}
    return by_cell


def _joined(stem: str, ending: str, conjugation: int) -> str:
    """Join stem and ending so that the last consonant keeps its sound: `fiquei`, `conheço`, `dirijo`."""
    front = ending[0] in "eéêií"
    if conjugation == 0 and front:
        for old, new in (("c", "qu"), ("g", "gu"), ("ç", "c")):
            if stem.endswith(old):
                return stem[:-1] + new + ending
    if conjugation and not front:
        for old, new in (("gu", "g"), ("c", "ç"), ("g", "j")):
            if stem.endswith(old):
                return stem.removesuffix(old) + new + ending
    return stem + ending


ARTICLES = ("o", "a", "os", "as")
POINTERS = (
    "este", "esta", "estes", "estas", "esse", "essa", "esses", "essas", "aquele", "aquela", "aqueles",
    "aquelas", "isto", "isso", "aquilo",
)  # fmt: skip
_PERSONS = ("ele", "ela", "eles", "elas")


@cache
def _contractions() -> dict[tuple[str, str], str]:
    """Contractions of a preposition with the next word."""
    joined = {("a", "o"): "ao", ("a", "a"): "à", ("a", "os"): "aos", ("a", "as"): "às"}
    for word in ARTICLES:
        joined |= {("em", word): f"n{word}", ("de", word): f"d{word}", ("por", word): f"pel{word}"}
    for word in (*POINTERS, *_PERSONS):
        joined |= {("em", word): f"n{word}", ("de", word): f"d{word}"}
    joined |= {("a", word): f"à{word[1:]}" for word in POINTERS if word.startswith("aqu")}
    return joined | {("com", "mim"): "comigo", ("com", "nós"): "conosco", ("com", "ti"): "contigo"}


def joined_preposition(preposition: str, word: str) -> str:
    """Write a preposition (one or more words) before a word, contracted if possible.

    >>> joined_preposition("perto de", "a"), joined_preposition("sem", "a"), joined_preposition("com", "mim")
    ('perto da', 'sem a', 'comigo')
    """
    *before, last = preposition.split(" ")
    return " ".join([*before, _contractions().get((last, word), f"{last} {word}".strip())])
