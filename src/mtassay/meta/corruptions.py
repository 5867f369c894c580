"""Errors put into good translations, one at a time, to see which of them a metric notices.

Every corruption is checked to be one: it differs from the text it was made of by more than spelling, it is no
reference, and another number, name or word that is put in stands in no text of the sentence. What only an
annotator can tell (parts of speech, names, forms) is left alone where there is none for the language.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

from mtassay.data.nouns import Edit
from mtassay.meta.challenge import flips, says_no
from mtassay.nlp.annotation import Annotation, Token, TokenSpan
from mtassay.nlp.numbers import read_numbers

ERROR_KINDS = {
    "negation": "yes becomes no, or no becomes yes",
    "number": "another number",
    "name": "another name of the same kind",
    "wrong word": "a noun, verb or adjective becomes another one in the same form",
    "word order": "two nouns in the same form change places",
    "agreement": "a word in another number, gender or person",
    "untranslated": "a word of the source in place of its translation",
    "dropped word": "a noun or verb is left out",
    "doubled word": "a word stands twice",
    "omission": "the last clause, or the ending, is left out",
}
"""All kinds of errors, and what is done."""


@dataclass(frozen=True)
class CorruptionSource:
    """A good translation to put errors into, annotated, with its source and its references.

    `links` says which word of the source each token stands for, where an aligner knows.
    """

    id: str
    source: str
    text: Annotation
    references: tuple[str, ...]
    links: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the text, its source and its references, in small letters."""
        return frozenset(w for text in (self.text.text, self.source, *self.references) for w in _words(text))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """All numbers of the same texts, as digits."""
        texts = (self.text.text, self.source, *self.references)
        return frozenset(number.digits for text in texts for number in read_numbers(text))


class Corruption(NamedTuple):
    """A text with one error: of which translation, what kind, and the change."""

    id: str
    kind: str
    text: str
    edit: Edit


class Corrupted(NamedTuple):
    """The corruptions, in order of the translations and kinds; and how many edits were refused, by why."""

    corruptions: list[Corruption]
    refused: Mapping[str, int]


def corrupt(
    sources: Sequence[CorruptionSource],
    language: str,
    *,
    kinds: Sequence[str] = tuple(ERROR_KINDS),
    seed: int | None = 12345,
) -> Corrupted:
    """At most one error of each kind in each translation, where the kind has a place in it.

    `language` is the code of the texts.
    """
    stock = _Stock.of(sources)
    refused: Counter[str] = Counter()
    corruptions = []
    for source in sources:
        for kind in kinds:
            # Each place has a seed of its own, so that one text more or less changes no other.
            rng = random.Random(f"{seed}|{source.id}|{kind}")
            offers = list(_MAKERS[kind](source, stock, language))
            rng.shuffle(offers)
            for offer in offers:
                edit = offer(rng) if callable(offer) else offer
                if edit is None:
                    continue
                text = _applied(source.text.text, edit)
                if why := _objection(source, text):
                    refused[why] += 1
                    continue
                corruptions.append(Corruption(source.id, kind, text, edit))
                break
    return Corrupted(corruptions, dict(refused))


def plain_annotation(text: str) -> Annotation:
    """Words and punctuation of a text that nobody annotated.

    >>> [token.text for token in plain_annotation("It's 3.5 km.").tokens]
    ['It', "'", 's', '3.5', 'km', '.']
    """
    tokens = [Token(m.group(), m.start(), m.end()) for m in _WORD.finditer(text)]
    return Annotation(text, tuple(tokens))


_WORD = re.compile(r"\d+(?:[.,]\d+)*|\w+|[^\w\s]")
_LETTERS = re.compile(r"[^\W\d_]+")
Offer = Edit | Callable[[random.Random], Edit | None]
_NAMES = {"PER": "PER", "PERSON": "PER", "LOC": "LOC", "GPE": "LOC", "ORG": "ORG"}
_CONTENT = ("NOUN", "VERB", "ADJ")


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _LETTERS.findall(text)]


def _key(text: str) -> str:
    """What is left of a text without case, punctuation and spaces."""
    return "".join(character for character in text.casefold() if character.isalnum())


def _objection(source: CorruptionSource, text: str) -> str:
    if _key(text) == _key(source.text.text):
        return "differs by spelling only"
    if any(_key(text) == _key(reference) for reference in source.references):
        return "is a reference"
    return ""


def _applied(text: str, edit: Edit) -> str:
    return text[: edit.start] + edit.after + text[edit.end :]


def _edit(text: str, start: int, end: int, after: str) -> Edit:
    return Edit(start, end, text[start:end], after)


def _replaced(source: CorruptionSource, token: Token, after: str) -> Edit:
    """Another word in place of a token, with a capital where that has one."""
    if token.text[:1].isupper() and not after[:1].isupper():
        after = after[:1].upper() + after[1:]
    return _edit(source.text.text, token.start, token.end, after)


def _one_of(source: CorruptionSource, token: Token, others: Sequence[Token], rng: random.Random) -> Edit:
    return _replaced(source, token, rng.choice(others).text)


_Form = tuple[str, str, tuple[tuple[str, str], ...]]


def _form(token: Token) -> _Form:
    return token.pos, token.tag, tuple(sorted(token.features.items()))


class _Stock(NamedTuple):
    """Words and names of all translations: by form, forms by lemma, names by kind and length."""

    words: Mapping[_Form, Sequence[Token]]
    forms: Mapping[tuple[str, str], Sequence[Token]]
    names: Mapping[tuple[str, int], Sequence[str]]

    @classmethod
    def of(cls, sources: Iterable[CorruptionSource]) -> _Stock:
        words: dict[_Form, dict[str, Token]] = defaultdict(dict)
        forms: dict[tuple[str, str], dict[str, Token]] = defaultdict(dict)
        names: dict[tuple[str, int], dict[str, None]] = defaultdict(dict)
        for source in sources:
            for number, token in enumerate(source.text.tokens):
                if token.pos and _is_word(token) and token.text.islower():
                    words[_form(token)].setdefault(token.text, token)
                    if number:
                        forms[token.pos, token.lemma].setdefault(token.text, token)
            for span in source.text.entities:
                if _is_name(source.text, span):
                    names[_NAMES[span.label], span.end - span.start][source.text.covered(span)] = None
        return cls(
            {form: list(tokens.values()) for form, tokens in words.items()},
            {lemma: list(tokens.values()) for lemma, tokens in forms.items()},
            {kind: list(texts) for kind, texts in names.items()},
        )


def _is_word(token: Token) -> bool:
    return len(token.text) > 1 and token.text.replace("-", "").isalpha()


def _is_name(text: Annotation, span: TokenSpan) -> bool:
    tokens = text.tokens[span.start : span.end]
    return span.label in _NAMES and all(t.text[:1].isupper() and _is_word(t) for t in tokens)


def _stands_apart(text: str, token: Token) -> bool:
    """Whether nothing is glued to a word but punctuation behind it."""
    before, after = text[token.start - 1 : token.start], text[token.end : token.end + 1]
    return (not before or before.isspace()) and (not after or after.isspace() or after in ".,;:!?")


def _negation(source: CorruptionSource, _: _Stock, language: str) -> Iterator[Offer]:
    # A text that is not as negative as its reference may be mended by a flip.
    if source.references and not any(
        says_no(reference, language) == says_no(source.text.text, language) for reference in source.references
    ):
        return
    yield from flips(source.text, language)


def _number(source: CorruptionSource, stock: _Stock, _: str) -> Iterator[Offer]:
    text = source.text.text
    for match in re.finditer(r"(?<![\w.,[-])\d+(?:[.,]\d+)*(?![\w\]-])", text):
        yield partial(_other_digits, source, match)
    for token in source.text.tokens:
        if token.pos == "NUM" and _is_word(token) and _stands_apart(text, token):
            others = [t for t in stock.words.get(_form(token), ()) if t.text not in source.words]
            if others:
                yield partial(_one_of, source, token, others)


def _other_digits(source: CorruptionSource, match: re.Match[str], rng: random.Random) -> Edit | None:
    """Another digit in one place; the first digit of a long number, such as a year, stays."""
    number = match.group()
    places = [i for i, sign in enumerate(number) if sign.isdigit()]
    for _ in range(10):
        place = rng.choice(places[1:] if len(places) > 2 else places)
        digits = [d for d in "123456789" if d != number[place]]
        other = number[:place] + rng.choice(digits) + number[place + 1 :]
        if not {n.digits for n in read_numbers(other)} <= source.numbers:
            return _edit(source.text.text, match.start(), match.end(), other)
    return None


def _name(source: CorruptionSource, stock: _Stock, _: str) -> Iterator[Offer]:
    for span in source.text.entities:
        if not _is_name(source.text, span):
            continue
        others = [
            name
            for name in stock.names[_NAMES[span.label], span.end - span.start]
            if not set(_words(name)) & source.words
        ]
        if others:
            yield partial(_another_name, source, span, others)


def _another_name(
    source: CorruptionSource, span: TokenSpan, others: Sequence[str], rng: random.Random
) -> Edit:
    return _edit(source.text.text, *source.text.characters(span), rng.choice(others))


def _wrong_word(source: CorruptionSource, stock: _Stock, language: str) -> Iterator[Offer]:
    for token in source.text.tokens:
        if token.pos not in _CONTENT or not token.text.islower() or len(token.text) < 4:
            continue
        if not _is_word(token) or not _stands_apart(source.text.text, token):
            continue
        others = [
            other
            for other in stock.words.get(_form(token), ())
            if len(other.text) >= 4
            and other.text not in source.words
            and other.lemma[:4] != token.lemma[:4]
            and (other.text[0] in "aeiou") == (token.text[0] in "aeiou")  # a, an; le, l'
            and other.relation == token.relation
        ]
        if others:
            yield partial(_one_of, source, token, others)


def _word_order(source: CorruptionSource, _: _Stock, __: str) -> Iterator[Offer]:
    tokens = source.text.tokens
    nouns = [
        i
        for i, token in enumerate(tokens)
        if token.pos in ("NOUN", "PROPN")
        and _is_word(token)
        and len(token.text) > 2
        and i
        # Of a compound, or a name of several words, no part is moved.
        and not any(
            0 <= j < len(tokens) and tokens[j].pos in ("NOUN", "PROPN", "NUM") for j in (i - 1, i + 1)
        )
        and _stands_apart(source.text.text, token)
    ]
    for place, i in enumerate(nouns):
        for j in nouns[place + 1 :]:
            first, second = tokens[i], tokens[j]
            between = tokens[i + 1 : j]
            if (
                _form(first) == _form(second)
                and first.lemma != second.lemma
                and second.relation != "conj"
                and not any(t.pos == "CCONJ" or t.text in ",;" for t in between)
                and any(t.pos in ("VERB", "AUX", "ADP") for t in between)
            ):
                text = source.text.text
                middle = text[first.end : second.start]
                yield _edit(text, first.start, second.end, f"{second.text}{middle}{first.text}")


_AGREEING = ("Number", "Gender", "Person")


def _agreement(source: CorruptionSource, stock: _Stock, _: str) -> Iterator[Offer]:
    for number, token in enumerate(source.text.tokens):
        if token.pos not in ("DET", "ADJ", "AUX", "VERB") or not _stands_apart(source.text.text, token):
            continue
        # A first word has a capital, and may have been read as another form.
        forms = stock.forms.get((token.pos, token.lemma), ()) if number else ()
        others = [other for other in forms if _disagrees(token, other)]
        if others:
            yield partial(_one_of, source, token, others)


def _disagrees(token: Token, other: Token) -> bool:
    """Whether a form differs in number, gender or person alone."""
    mine, theirs = token.features, other.features
    both = mine.keys() & theirs.keys()
    changed = {key for key in both if mine[key] != theirs[key]}
    extra = (mine.keys() ^ theirs.keys()) - {"Mood", *_AGREEING}
    only_agreeing = changed <= set(_AGREEING) and not extra
    return other.text != token.text.lower() and only_agreeing and bool(changed or mine.keys() ^ theirs.keys())


def _untranslated(source: CorruptionSource, _: _Stock, __: str) -> Iterator[Offer]:
    for number, word in source.links.items():
        token = source.text.tokens[number]
        if (
            token.pos in _CONTENT
            and min(len(token.text), len(word)) >= 4
            and word.isalpha()
            and _key(word)[:3] != _key(token.text)[:3]
            and _key(token.text) not in _key(word)
            and token.text.islower()
            and _stands_apart(source.text.text, token)
            and word.casefold()
            not in {w for text in (source.text.text, *source.references) for w in _words(text)}
        ):
            yield _replaced(source, token, word)


def _dropped_word(source: CorruptionSource, _: _Stock, __: str) -> Iterator[Offer]:
    tokens = source.text.tokens
    for i, token in enumerate(tokens):
        chosen = token.pos in ("NOUN", "VERB") if token.pos else len(token.text) > 4
        if chosen and _is_word(token) and i and _stands_apart(source.text.text, token):
            start = token.start - 1 if source.text.text[token.start - 1].isspace() else token.start
            yield _edit(source.text.text, start, token.end, "")


def _doubled_word(source: CorruptionSource, _: _Stock, __: str) -> Iterator[Offer]:
    for token in source.text.tokens:
        # "very very" and "had had" may be meant.
        if token.pos in ("", "NOUN", "VERB", "ADP", "DET", "SCONJ") and token.lemma not in ("have", "that"):
            text = token.text
            is_plain = _is_word(token) and text.islower() and _stands_apart(source.text.text, token)
            if is_plain:
                yield _edit(source.text.text, token.end, token.end, f" {text}")


def _omission(source: CorruptionSource, _: _Stock, __: str) -> Iterator[Offer]:
    """From a comma on, or else the last third; what ends the text stays."""
    tokens, text = source.text.tokens, source.text.text
    words = [i for i, token in enumerate(tokens) if token.text[:1].isalnum()]
    if len(words) < 7:
        return
    end = tokens[words[-1]].end
    cuts = [
        token.start
        for i, token in enumerate(tokens)
        if token.text in (",", ";", "–", "—") and 3 <= sum(word > i for word in words) <= 0.7 * len(words)
    ]
    if cuts:
        yield from (_edit(text, cut, end, "") for cut in cuts)
    else:
        last = tokens[words[-(len(words) // 3) - 1]]
        yield _edit(text, last.end, end, "")


_MAKERS: dict[str, Callable[[CorruptionSource, _Stock, str], Iterator[Offer]]] = {
    "negation": _negation,
    "number": _number,
    "name": _name,
    "wrong word": _wrong_word,
    "word order": _word_order,
    "agreement": _agreement,
    "untranslated": _untranslated,
    "dropped word": _dropped_word,
    "doubled word": _doubled_word,
    "omission": _omission,
}
