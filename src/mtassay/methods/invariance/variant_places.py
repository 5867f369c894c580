"""English words that no other word can stand for: parts of fixed phrases, quantities, light nouns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Edit
from mtassay.methods.invariance.substitute_lexicon import inflection
from mtassay.methods.invariance.substitutes import WordPlace, with_case
from mtassay.nlp.annotation import Annotation, Token
from mtassay.nlp.encoder import Encoder, unit
from mtassay.nlp.function_words import wants_an


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FIXED_PHRASES: tuple[tuple[str, ...], ...] = tuple(
    tuple(phrase.split())
    for phrase in """
    free of charge; at no charge; in charge of; cats and dogs; pride and joy; holding the bag; give my best
    on the way; in the way; by the way; all the way; half way; no way; on my way; on his way; on her way
    in fact; in the end; at the end; by the end; at the same time; on time; in time; at times; at first
    at last; at least; at most; at best; at worst; at once; at all; at home; at work; at school
    at night; at hand; on hand; by hand; at risk; at stake; at large; at length; at will; at ease
    at peace; at war; in order; in order to; as well as; such as; a lot; a lot of; lots of; kind of
    sort of; a bit; a bit of; a little; a few; a couple of; a number of; a great deal; a good deal
    a pair of; plenty of; of course; in case; in any case; in this case; for example; for instance
    in general; in particular; in public; in private; in common; in advance; in addition; in charge
    in touch; in turn; in place; in favor; in favour; in front; in spite; in terms; in view; in light
    in detail; in short; in brief; in doubt; in love; in trouble; in danger; in bed; in hospital
    in prison; in stock; in use; in vain; in a hurry; in a row; in a way; in a sense; in the long run
    in the meantime; in the middle; in the first place; in the face of; in the wake of; in the course of
    in the light of; in the name of; on foot; on purpose; on board; on duty; on sale; on fire; on top
    on behalf; on account; on average; on the other hand; on the one hand; on the contrary; on the spot
    on the whole; on the basis; on the part of; on the verge of; on the edge of; on the side; on hold
    on track; on strike; on record; by accident; by chance; by mistake; by far; by heart; by means
    by no means; by virtue; by the time; for the time being; for sure; for good; for free; for sale
    for the sake of; for a while; for now; from time to time; from now on; from the start; so far
    as far as; as long as; as soon as; as a result; as a whole; as a rule; as a matter of fact; as usual
    out of order; out of date; out of the question; out of hand; out of control; out of place
    out of sight; out of breath; out of nowhere; up to date; take place; takes place; took place
    taken place; taking place; take part; takes part; took part; take care; takes care; took care
    take advantage; took advantage; take into account; took into account; take turns; make sure
    makes sure; made sure; make sense; makes sense; made sense; make fun; make a difference
    make up his mind; make up her mind; make up my mind; make a living; make friends; make room
    pay attention; paid attention; keep track; kept track; lose track; keep an eye; have fun; had fun
    have no idea; has no idea; had no idea; catch sight; give birth; gave birth; give way; gave way
    lose sight; come true; came true; go wrong; went wrong; fall short; fell short; run short
    bear in mind; keep in mind; side by side; step by step; day by day; one by one; face to face
    hand in hand; word for word; back and forth; once upon a time; more or less; sooner or later
    no matter; no longer; no wonder; no doubt; no idea; the fact that; the number of; the rest of
    the bottom line; the point is; the thing is; the other day; first of all; last but not least
    well known; long term; short term; high school; middle school; prime minister; real estate
    free trade; common sense; small talk; big deal; good luck; bad luck; good morning; good afternoon
    good evening; good night; happy birthday; merry christmas; dear sir; head over heels; piece of cake
    under the weather; over the moon; back of his hand; back of my hand; breathed a sigh
    a sigh of relief; under way; under control; under pressure; under construction; under review
    second half; first half; middle class; working class; human being; human beings; human rights
    civil war; world war; cold war; great depression; black hole; fast food; soft drink; dry cleaner
    public school; according to; due to; prior to; next to; close to; full of; because of; instead of
    regardless of; thanks to
    """.replace("\n", ";").split(";")
    if phrase.strip()
)
"""In small letters, word by word."""

LIGHT_WORDS = _words(
    """
    other another same such many few little much more most several own first second third fourth fifth
    sixth seventh eighth ninth tenth last next previous former latter following certain various different
    particular only very main mere sheer utter able unable due likely unlikely ready sure aware worth like
    unlike whole entire half double single sole past ago enough less least further else so-called lot lots
    bunch bit bits kind kinds sort sorts type types way ways fact facts case cases sake behalf lieu spite
    regard regards accordance order means number numbers amount amounts deal majority minority plenty rest
    remainder couple couples pair pairs dozen dozens score part parts side sides end ends top bottom front
    back middle time times moment moments instance example respect account terms view basis course thing
    things something anything everything nothing someone anyone everyone one ones hundred hundreds
    thousand thousands million millions billion billions percent percentage none both all any some each
    every either neither series species pm am
    """
)
"""Quantities, ordinals, pointing adjectives and nouns that carry grammar rather than meaning."""


PARTS = {
    "noun": "NOUN",
    "adj": "ADJ",
    "verb": "VERB",
    "adv": "ADV",
    "propn": "PROPN",
    "num": "NUM",
}
"""The names of the parts of speech that can be asked for, with their universal tags."""

# What ties a word to the words it governs: another one seldom fits there.
_COMPLEMENTS = frozenset(("ccomp", "xcomp", "acl", "prt", "compound:prt", "dative", "iobj", "csubj", "fixed"))
_NAME_PARTS = frozenset(("compound", "flat", "flat:name", "appos", "nmod"))


def universal_parts(names: Sequence[str]) -> frozenset[str]:
    """The universal tags of some parts of speech.

    >>> sorted(universal_parts(["noun", "ADJ"]))
    ['ADJ', 'NOUN']
    >>> universal_parts(["nuon"])
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: No part of speech 'nuon'. Available: noun, adj, verb, adv, propn, num.
    """
    for name in names:
        if name.lower() not in PARTS:
            raise UsageError(f"No part of speech '{name}'. Available: {', '.join(PARTS)}.")
    return frozenset(PARTS[name.lower()] for name in names)


def words(sentence: Annotation) -> int:
    """How many tokens are words: all but punctuation and symbols.

    >>> words(Annotation("Hi, Ana!", (Token("Hi", 0, 2), Token(",", 2, 3), Token("Ana", 4, 7))))
    2
    """
    return sum(any(map(str.isalnum, token.text)) for token in sentence.tokens)


def changeable(
    sentence: Annotation, parts: frozenset[str], *, ends: bool = False, language: str = "en"
) -> list[WordPlace]:
    """The places of a sentence, in order; `parts` are universal tags.

    Left out: the first and the last token (a full stop counts) unless `ends`; words with a digit, a capital
    inside or any odd character; entities and parts of names, unless proper names are asked for; fixed
    phrases, quantities and light nouns (known for English only); words that bring a complement of their own
    ("the decision to go").
    """
    tokens = sentence.tokens
    named = _named(sentence) if "PROPN" not in parts else frozenset[int]()
    english = language == "en"
    fixed = _in_fixed_phrases(tokens) if english else frozenset[int]()
    light = LIGHT_WORDS if english else frozenset[str]()
    tied = frozenset(token.head for token in tokens if token.relation in _COMPLEMENTS)
    inside = range(len(tokens)) if ends else range(1, len(tokens) - 1)
    return [
        WordPlace(sentence, index)
        for index in inside
        if tokens[index].pos in parts
        and _plain(tokens[index].text)
        and index not in named
        and index not in fixed
        and index not in tied
        and tokens[index].text.lower() not in light
        and not _glued(sentence, index)
        and not _needs_its_preposition(tokens, index)
    ]


def _plain(word: str) -> bool:
    """Letters only, at least two, and capitals only at the front or everywhere."""
    return len(word) > 1 and word.isalpha() and (word[1:].islower() or word.isupper())


def _glued(sentence: Annotation, index: int) -> bool:
    """Whether it is part of a longer written word: `well-known`, `don't`, `and/or`, `{name}`."""
    token = sentence.tokens[index]
    around = sentence.text[max(0, token.start - 1) : token.start] + sentence.text[token.end : token.end + 1]
    return any(mark in around for mark in "-–'’/_@#&{}[]<>=") or any(map(str.isalnum, around))


def _named(sentence: Annotation) -> frozenset[int]:
    """Tokens of entities, and those that make up a name with a proper noun: "Mayor Okafor"."""
    tokens = sentence.tokens
    named = {index for entity in sentence.entities for index in range(entity.start, entity.end)}
    for index, token in enumerate(tokens):
        if token.relation in _NAME_PARTS and token.head >= 0 and abs(token.head - index) == 1:
            pair = (index, token.head)
            if any(tokens[member].pos == "PROPN" for member in pair):
                named.update(pair)
    return frozenset(named)


def _in_fixed_phrases(tokens: Sequence[Token]) -> frozenset[int]:
    small = [token.text.lower() for token in tokens]
    indices: set[int] = set()
    by_first = _phrases()
    for index, word in enumerate(small):
        for phrase in by_first.get(word, ()):
            if tuple(small[index : index + len(phrase)]) == phrase:
                indices.update(range(index, index + len(phrase)))
    return frozenset(indices)


@cache
def _phrases() -> dict[str, list[tuple[str, ...]]]:
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for phrase in FIXED_PHRASES:
        by_first.setdefault(phrase[0], []).append(phrase)
    return by_first


def _needs_its_preposition(tokens: Sequence[Token], index: int) -> bool:
    """Whether an adjective or verb governs a preposition that another one may not: "afraid of"."""
    token = tokens[index]
    if token.pos == "ADJ":
        nexts = tokens[index + 1 : index + 2]
        return any(
            after.head == index and after.relation in ("prep", "obl", "case") and after.text.lower() != "than"
            for after in nexts
        )
    if token.pos == "VERB":
        return any(
            after.head == index and after.relation == "prep" for after in tokens[index + 1 : index + 2]
        )
    return False


def fit(place: WordPlace, word: str, *, language: str = "en") -> Edit | None:
    """The edit that puts a word there; `None` where it does not fit.

    It does not fit if it is odd (not one word of letters), if it is the same word or one that already
    stands in the sentence, or if an English article before it would have to change.

    >>> from mtassay.nlp.annotators import FakeAnnotator
    >>> [sentence] = FakeAnnotator("en").annotate(["A Dog barks."])
    >>> fit(WordPlace(sentence, 1), "cat")
    Edit(start=2, end=5, before='Dog', after='Cat', pos='NOUN')
    >>> fit(WordPlace(sentence, 1), "owl") is None
    True
    """
    token = place.sentence.tokens[place.token]
    after = with_case(word, token.text)
    if not word.isalpha() or _stands(place.sentence, word):
        return None
    if language == "en" and not _article_fits(place, after):
        return None
    return Edit(token.start, token.end, token.text, after, token.pos)


def _stands(sentence: Annotation, word: str) -> bool:
    small = word.lower()
    return any(small in (token.text.lower(), token.lemma.lower()) for token in sentence.tokens)


def _article_fits(place: WordPlace, after: str) -> bool:
    if place.token == 0:
        return True
    article = place.sentence.tokens[place.token - 1].text.lower()
    return article not in ("a", "an") or (article == "an") == wants_an(after)


def same_structure(original: Annotation, variant: Annotation, token: int) -> bool:
    """Whether both have the same parts of speech, heads and relations, and the word its inflection.

    The word must have another lemma, and must not have become a name.
    """
    if variant.error is not None or len(original.tokens) != len(variant.tokens):
        return False
    if any(
        (one.pos, one.head, one.relation) != (other.pos, other.head, other.relation)
        for one, other in zip(original.tokens, variant.tokens, strict=True)
    ):
        return False
    before, after = original.tokens[token], variant.tokens[token]
    if inflection(before) != inflection(after):
        return False
    if before.lemma and before.lemma.lower() == after.lemma.lower():
        return False
    return _is_named(variant, token) <= _is_named(original, token)


def similarities(encoder: Encoder, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """The cosine of each pair of texts, in order; every text is encoded once."""
    if not pairs:
        return []
    place = {text: index for index, text in enumerate(dict.fromkeys(text for pair in pairs for text in pair))}
    vectors = unit(encoder(list(place)))
    return [float(vectors[place[one]] @ vectors[place[other]]) for one, other in pairs]


def _is_named(sentence: Annotation, token: int) -> bool:
    return any(entity.start <= token < entity.end for entity in sentence.entities)
