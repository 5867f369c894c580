"""Prepositions that take the place of others in English and Portuguese, with their contractions.

`in the garden` and `no jardim` become `behind the garden` and `atrás do jardim`: the article goes with the
new preposition. What a preposition can become depends on its object, so the object must be one that is
known: a place, a part of the body, a date, an event, a person.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from mtassay.methods.behavior.pairs import ReadPair
from mtassay.nlp.annotation import Annotation, Token
from mtassay_en.inflections import (
    ARTICLES,
    POINTERS,
    joined_preposition,
    split_preposition,
)
from mtassay_en.lexicon_entries import Substitute, rows_of, word_set
from mtassay_en.offers import Offer, fitted
from mtassay_en.word_context import is_idiom, opens_sentence


@dataclass(frozen=True, slots=True)
class _Relation:
    """A preposition in both languages, its group, and whether it can go, come in another's place, or both."""

    group: str
    english: str
    portuguese: str
    goes: bool
    comes: bool


@cache
def _relations() -> tuple[_Relation, ...]:
    return tuple(
        _Relation(row["group"], row["en"], row["pt"], row.get("use") != "in", row.get("use") != "out")
        for _, row in rows_of("relations")
    )


@cache
def _objects(kind: str) -> frozenset[str]:
    """The English words for objects of a kind."""
    return frozenset(w for _, row in rows_of("objects") if row["kind"] == kind for w in row["words"].split())


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A preposition with its object: token numbers, and what Portuguese contracts with it."""

    first: int
    after: int
    preposition: str
    object: int
    rest: str = ""


def preposition_offers(languages: tuple[str, str], pair: ReadPair) -> list[Offer]:
    """One offer for each preposition whose object has the same on the other side, in order."""
    if set(languages) != {"en", "pt"}:
        return []
    is_english = languages[0] == "en"
    english, portuguese = (pair.source, pair.reference) if is_english else (pair.reference, pair.source)
    links = pair.links if is_english else frozenset((b, a) for a, b in pair.links)
    offers = []
    for phrase in _english_phrases(english):
        other = _counterpart(portuguese, sorted(b for a, b in links if a == phrase.object))
        if other is None:
            continue
        substitutes = _substitutes(english, portuguese, phrase, other)
        if not substitutes:
            continue
        places = [
            (side.tokens[one.first].start, side.tokens[one.after - 1].end)
            for side, one in ((english, phrase), (portuguese, other))
        ]
        group, pairs = substitutes
        if not is_english:
            places.reverse()
            pairs = [Substitute(one.reference, one.source) for one in pairs]
        head = _head(pair.source, phrase if is_english else other)
        offers.append(Offer(*places[0], *places[1], head, group, ("ADP",), tuple(pairs)))
    return offers


def _head(annotation: Annotation, phrase: _Phrase) -> int:
    """The preposition itself: `of` in `because of`."""
    inside = range(phrase.first, phrase.after)
    return next((i for i in inside if annotation.tokens[i].pos == "ADP"), phrase.first)


def _english_phrases(annotation: Annotation) -> Iterator[_Phrase]:
    """The prepositions with an object, the longest that we know of those in a place."""
    tokens = annotation.tokens
    words = [token.text.lower() for token in tokens]
    known = {relation.english for relation in _relations()}
    number = 0
    while number < len(tokens):
        size = next((n for n in (3, 2, 1) if " ".join(words[number : number + n]) in known), 0)
        last = number + size - 1
        inside = range(number, number + size)
        thing = next(
            (i for i, t in enumerate(tokens) if t.relation == "pobj" and t.head in inside and i > last), None
        )
        is_one = any(tokens[i].pos in ("ADP", "SCONJ") and tokens[i].relation != "prt" for i in inside)
        if size and thing is not None and is_one and thing - last <= 5:
            yield _Phrase(number, number + size, " ".join(words[number : number + size]), thing)
        number += size or 1


_ADVERBS = frozenset(("cima", "baixo", "frente", "volta", "torno", "vez", "redor", "lado", "dentro", "fora"))
_CONTRACTED = (*ARTICLES, *POINTERS, "ele", "ela", "eles", "elas", "mim", "nós", "ti")
_BETWEEN = frozenset(("DET", "ADJ", "NUM", "PRON", "ADV", "PROPN"))


def _counterpart(annotation: Annotation, objects: Sequence[int]) -> _Phrase | None:
    """The preposition before an object in Portuguese, with the article that it may be contracted with."""
    tokens = annotation.tokens
    if not objects or objects[-1] - objects[0] >= 3:
        return None
    words = [token.text.lower() for token in tokens]
    known = {relation.portuguese for relation in _relations()}
    thing = objects[0]
    for number in range(thing, max(thing - 5, -1), -1):
        preposition, rest = split_preposition(words[number])
        is_preposition = tokens[number].pos == "ADP" or rest or number == thing
        size = next(
            (
                n
                for n in (3, 2, 1)
                if number - n + 1 >= 0 and " ".join([*words[number - n + 1 : number], preposition]) in known
            ),
            0,
        )
        if size and is_preposition and (rest or number < thing):
            if number + 1 < len(words) and words[number + 1] in _ADVERBS:  # `em cima da mesa`
                return None
            name = " ".join([*words[number - size + 1 : number], preposition])
            after = number + 1
            following = words[after] if after < len(words) else ""
            if not rest and following in _CONTRACTED:
                rest, after = following, after + 1
            return _Phrase(number - size + 1, after, name, thing, rest)
        if number < thing and tokens[number].pos not in _BETWEEN:
            return None
    return None


def _substitutes(
    english: Annotation, portuguese: Annotation, phrase: _Phrase, other: _Phrase
) -> tuple[str, list[Substitute]] | None:
    """The group of a pair of prepositions and what may take their place there."""
    is_fixed = is_idiom("en", english, (phrase.first, phrase.object + 1)) or is_idiom(
        "pt", portuguese, (other.first, other.after)
    )
    for relation in _relations():
        if (relation.english, relation.portuguese) != (phrase.preposition, other.preposition):
            continue
        # `em casa`, `for a week`, `com você`
        is_free = relation.group in ("home", "span") or english.tokens[phrase.object].pos == "PRON"
        if (is_fixed and not is_free) or _is_asked_for(portuguese, other):
            continue
        if not relation.goes or not _fits(english, phrase, relation.group):
            continue
        # `em esperanto`: a place has a capital
        is_name = english.tokens[phrase.object].pos == "PROPN"
        if is_name and relation.group in _ROUND_NAMES and portuguese.tokens[other.object].text.islower():
            continue
        before = portuguese.text[portuguese.tokens[other.first].start :]
        following = portuguese.tokens[other.after].text if other.after < len(portuguese.tokens) else ""
        substitutes = [
            Substitute(
                _like(target.english, english, phrase.first),
                fitted(joined_preposition(target.portuguese, other.rest), before)
                if opens_sentence(portuguese, other.first)
                else joined_preposition(target.portuguese, other.rest),
            )
            for target in _relations()
            if target.group == relation.group
            and target.comes
            and target.english != relation.english
            and f" {target.english} " not in f" {english.text.lower()} "
            and target.portuguese != relation.portuguese
            and not (target.portuguese == "sem" and following in ("uns", "umas"))
        ]
        if substitutes:
            return relation.group, substitutes
    return None


_ENTERING = frozenset(("acreditar", "confiar", "entrar", "mergulhar", "pensar", "transformar"))
"""Portuguese verbs that ask for `em`."""
_ENTERED = re.compile(r"entr(?:ar|ou|a|am|ei|ava|avam|aram|ando|ado|em|e|amos)")


def _is_asked_for(annotation: Annotation, phrase: _Phrase) -> bool:
    """Whether a verb right before a Portuguese preposition asks for it."""
    if not phrase.first or phrase.preposition != "em":
        return False
    before = annotation.tokens[phrase.first - 1]
    return before.lemma in _ENTERING or _ENTERED.fullmatch(before.text.lower()) is not None


_ROUND_NAMES = frozenset(("heading", "motion", "town"))
"""The groups of prepositions before names of places."""


def _like(text: str, annotation: Annotation, number: int) -> str:
    return fitted(text, annotation.tokens[number].text) if opens_sentence(annotation, number) else text


_PRONOUNS = frozenset(("me", "you", "him", "her", "us", "them"))
_CLOCKS = frozenset(("noon", "midnight", "o'clock", "o’clock", "dawn", "sunrise", "sunset"))
_PLACES = frozenset(("GPE", "LOC", "FAC"))


def _fits(annotation: Annotation, phrase: _Phrase, group: str) -> bool:
    """Whether the object of an English preposition, and what it hangs from, go with all of a group."""
    thing = _Object.of(annotation, phrase)
    if thing.before in _objects("unit"):  # `three weeks before the attack`
        return False
    if thing.word in ("that", "which", "what", "whom", "this", "it") or thing.governor.tag.startswith("W"):
        return False
    return _CONDITIONS[group](thing)


@dataclass(frozen=True, slots=True)
class _Object:
    """An object of a preposition: the word, its kinds as a name, what is around, and its governor."""

    word: str
    pos: str
    labels: frozenset[str]
    inner: frozenset[str]
    has_number: bool
    follows: str
    governor: Token
    phrase: _Phrase
    relation: str
    before: str
    is_perfect: bool

    @classmethod
    def of(cls, annotation: Annotation, phrase: _Phrase) -> _Object:
        tokens = annotation.tokens
        thing, first = tokens[phrase.object], tokens[phrase.first]
        inner = tokens[phrase.after : phrase.object]
        after = tokens[phrase.object + 1].text.lower() if phrase.object + 1 < len(tokens) else ""
        return cls(
            thing.text.lower(),
            thing.pos,
            frozenset(e.label for e in annotation.entities if e.start <= phrase.object < e.end),
            frozenset(token.text.lower() for token in inner),
            any(token.pos == "NUM" for token in inner),
            after,
            tokens[first.head] if first.head >= 0 else first,
            phrase,
            first.relation,
            tokens[phrase.first - 1].text.lower() if phrase.first else "",
            any(token.text.lower() in _HAVE for token in tokens[max(first.head - 3, 0) : max(first.head, 0)]),
        )

    @property
    def is_plain(self) -> bool:
        """Whether it has no article where a thing needs one: `at sea`, `in bed`."""
        return self.pos == "NOUN" and not self.inner and not self.word.endswith("s")

    def is_a(self, kind: str) -> bool:
        """Whether it is a word of this kind."""
        return self.word in _objects(kind)

    def hangs_from(self, kind: str) -> bool:
        """Whether a word of this kind asks for it."""
        return bool({self.governor.text.lower(), self.governor.lemma.lower()} & _objects(kind))

    @property
    def is_free(self) -> bool:
        """Whether nothing asks for just this preposition, and nothing after it belongs to it."""
        return self.governor.lemma.lower() not in word_set("governors") and self.follows not in ("of", "to")

    @property
    def is_storey(self) -> bool:
        return self.word == "floor" and not self.inner <= {"the", "a", "this", "that"}

    @property
    def is_person(self) -> bool:
        return self.word in _PRONOUNS or self.is_a("person") or "PERSON" in self.labels

    @property
    def is_named_place(self) -> bool:
        return bool(self.labels & _PLACES)

    @property
    def is_date(self) -> bool:
        is_year = self.word.isdigit() and len(self.word) == 4
        is_name = "DATE" in self.labels and self.pos == "PROPN" and not self.word.endswith("days")
        return (is_year or is_name) and self.inner.isdisjoint(("last", "next", "this", "every"))

    @property
    def is_event(self) -> bool:
        is_when = self.phrase.preposition not in ("in", "on", "at")
        return (
            self.is_a("event")
            and (is_when or bool(self.inner))
            and self.governor.lemma.lower() not in word_set("governors")
            and self.inner.isdisjoint(("this", "that", "last", "next", "every"))
        )


def _is_noun(thing: _Object) -> bool:
    return thing.pos in ("NOUN", "PROPN", "PRON")


_BE = frozenset(("is", "are", "was", "were", "'s", "be"))
_HAVE = frozenset(("have", "has", "had", "'ve", "’ve"))
_AMOUNTS = frozenset(("a", "an", "few", "many", "several"))

_CONDITIONS: dict[str, Callable[[_Object], bool]] = {
    "town": lambda o: o.is_free and (o.is_named_place or (o.is_a("area") and not o.is_plain)),
    "building": lambda o: o.is_free and o.is_a("building") and not o.is_plain,
    "surface": lambda o: o.is_free and o.is_a("surface") and not o.is_storey and not o.is_plain,
    "container": lambda o: o.is_free and o.is_a("container") and not o.is_plain,
    "body": lambda o: o.is_free and o.is_a("body"),
    "person place": lambda o: o.is_person,
    "date": lambda o: o.is_date,
    "clock": lambda o: (o.pos == "NUM" and "TIME" in o.labels) or o.word in _CLOCKS or ":" in o.word,
    "event": lambda o: o.is_event,
    "order": lambda o: o.pos in ("NOUN", "PROPN") and not o.is_a("unit") and "TIME" not in o.labels,
    "span": lambda o: (
        o.is_a("unit")
        and (o.has_number or bool(o.inner & _AMOUNTS))
        and o.follows != "of"
        and not o.is_perfect  # `I have lived here for a year`
    ),
    "company": lambda o: (
        o.governor.lemma.lower() not in word_set("governors")
        and o.pos != "NUM"
        and (o.is_person or o.governor.tag != "VBN")  # `equipped with`
        and o.inner.isdisjoint(("all", "any", "few", "less", "little", "more", "most", "much", "no"))
        and (o.pos != "PRON" or o.is_person)
        and not (o.governor.lemma == "go" and (o.phrase.preposition == "without" or not o.is_person))
    ),
    "benefit": lambda o: (
        o.is_person
        and o.governor.pos in ("VERB", "NOUN")
        and o.governor.lemma.lower() not in word_set("ask for")
        and o.follows != "to"
    ),
    "agent": lambda o: o.relation == "agent" and o.is_person and o.hangs_from("creation"),
    "address": lambda o: o.is_person and o.hangs_from("address"),
    "topic": lambda o: o.hangs_from("topic"),
    "contrast": lambda o: o.hangs_from("campaign"),
    "cause": _is_noun,
    "due": _is_noun,
    "exception": _is_noun,
    "addition": _is_noun,
    "motion": lambda o: o.hangs_from("motion") and (o.is_named_place or o.is_a("building") or o.is_a("area")),
    "heading": lambda o: (
        o.hangs_from("walk")
        and (o.is_named_place or ((o.is_a("building") or o.is_a("area")) and bool(o.inner)))
    ),
    "home": lambda o: o.word == "home" and not o.inner,
    "gift": lambda o: o.is_person and (o.hangs_from("gift") or o.before in _BE),
}
