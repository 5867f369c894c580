"""Places where words can change; English fixed phrases, quantities and light nouns cannot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Edit
from mtassay.methods.invariance.substitute_lexicon import inflection
from mtassay.methods.invariance.substitutes import WordPlace, with_case
from mtassay.nlp.annotation import Annotation, Token
from mtassay.nlp.encoder import Encoder, unit
from mtassay.nlp.word_forms import wants_an


@cache
def _listed(name: str) -> frozenset[str]:
    """Read the lines of a file in this folder, in lower case."""
    return frozenset((Path(__file__).parent / name).read_text(encoding="utf-8").splitlines())


PARTS = {
    "noun": "NOUN",
    "adj": "ADJ",
    "verb": "VERB",
    "adv": "ADV",
    "propn": "PROPN",
    "num": "NUM",
}
"""The names of parts of speech in options, with their universal tags."""

# Relations to words that a word governs; another word rarely fits there.
_COMPLEMENTS = frozenset(("ccomp", "xcomp", "acl", "prt", "compound:prt", "dative", "iobj", "csubj", "fixed"))
_ABBREVIATION = re.compile(r"\s*\([^\W\d_a-z]\w*[^\W\d_a-z]s?\W")
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
    """Count the tokens except for punctuation and symbols.

    >>> words(Annotation("Hi, Ana!", (Token("Hi", 0, 2), Token(",", 2, 3), Token("Ana", 4, 7))))
    2
    """
    return sum(any(map(str.isalnum, token.text)) for token in sentence.tokens)


def changeable(
    sentence: Annotation, parts: frozenset[str], *, ends: bool = False, language: str = "en"
) -> list[WordPlace]:
    """Return the places of a sentence that can change, in order; `parts` are universal tags.

    Some words are left out: the first and the last token (including a full stop) unless `ends`; words with a
    digit, an inner capital or an odd character; entities and parts of names, unless proper names are wanted;
    fixed phrases, quantities and light nouns (only in English); words with a complement of their own ("the
    decision to go").
    """
    tokens = sentence.tokens
    named = _named(sentence) if "PROPN" not in parts else frozenset[int]()
    english = language == "en"
    fixed = _in_fixed_phrases(tokens) if english else frozenset[int]()
    light = _listed("light_words.txt") if english else frozenset[str]()
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
        and not _ABBREVIATION.match(sentence.text, tokens[index].end)
        and not _is_repeated(tokens, index)
        and not _needs_its_preposition(tokens, index)
    ]


def _plain(word: str) -> bool:
    """Whether a word has only letters, at least two, with a capital only at the start or everywhere."""
    return len(word) > 1 and word.isalpha() and (word[1:].islower() or word.isupper())


def _glued(sentence: Annotation, index: int) -> bool:
    """Whether the token is part of a longer written word: `well-known`, `don't`, `and/or`, `{name}`."""
    token = sentence.tokens[index]
    around = sentence.text[max(0, token.start - 1) : token.start] + sentence.text[token.end : token.end + 1]
    return any(mark in around for mark in "-–'’/_@#&{}[]<>=") or any(map(str.isalnum, around))


def _is_repeated(tokens: Sequence[Token], index: int) -> bool:
    """Whether the word is repeated in the sentence, so that changing only one would be inconsistent."""
    word = tokens[index].lemma.lower() or tokens[index].text.lower()
    return sum((token.lemma or token.text).lower() == word for token in tokens) > 1


def _named(sentence: Annotation) -> frozenset[int]:
    """Tokens of entities, and tokens that form a name with a proper noun: "Mayor Okafor"."""
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
    for phrase in sorted(_listed("fixed_phrases.txt")):
        words = tuple(phrase.split())
        by_first.setdefault(words[0], []).append(words)
    return by_first


def _needs_its_preposition(tokens: Sequence[Token], index: int) -> bool:
    """Whether an adjective or verb governs a preposition that other words may not take: "afraid of"."""
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
    """Return the edit that puts a word at a place; `None` if it does not fit.

    A word does not fit if it is not a single word of letters, if it already is in the sentence, or if an
    English article before it would have to change.

    >>> sentence = Annotation("A Dog barks.", (Token("A", 0, 1), Token("Dog", 2, 5, pos="NOUN")))
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
    small = {word.lower(), word.lower().removesuffix("s")}
    return any(small & {token.text.lower(), token.lemma.lower()} for token in sentence.tokens)


def _article_fits(place: WordPlace, after: str) -> bool:
    if place.token == 0:
        return True
    article = place.sentence.tokens[place.token - 1].text.lower()
    return article not in ("a", "an") or (article == "an") == wants_an(after)


def same_structure(original: Annotation, variant: Annotation, token: int) -> bool:
    """Whether two sentences have the same tags, heads and relations, and the word keeps its inflection.

    The new word must have another lemma and must not be a name unless the old word was.
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
