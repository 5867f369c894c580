"""The output of annotators: words, parts of speech, trees, phrases, entities.

Tokens are words as written. If Universal Dependencies split a written word (`do` = `de` + `o`), its token has
the values of the part nearest to the root; lemmas are joined by a space, and features are merged. So tokens
never overlap, and each is in the text.

Phrases from dependencies are an approximation: every noun, verb, adjective and adverb heads a phrase of its
adjacent dependents. So there are no clauses, no unary chains and no traces, and an attachment error of the
parser moves a phrase. This works with universal relations and with spaCy's English pipelines, where a
preposition heads its noun.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, NamedTuple, SupportsIndex

from mtassay.data.words import plain_text

Layer = Literal["tokens", "lemma", "pos", "features", "dependencies", "entities", "constituents"]
LAYERS: frozenset[Layer] = frozenset(
    ("tokens", "lemma", "pos", "features", "dependencies", "entities", "constituents")
)
_NOTHING: Mapping[str, str] = {}


class Token(NamedTuple):
    """A written word; `start` and `end` are character offsets, and `text` is exactly the text between.

    `pos` is a universal part of speech (`NOUN`), `tag` the model's own tag (`NNS`), and `features` the
    universal morphology (`{"Number": "Plur"}`, with several values joined by commas). `head` is the index of
    the token's head, or -1 for the root of a sentence. `relation` is the model's label (`root` for a root);
    it is universal except in spaCy's English and German pipelines. Missing values are empty (`head`: -1).
    """

    text: str
    start: int
    end: int
    lemma: str = ""
    pos: str = ""
    tag: str = ""
    features: Mapping[str, str] = _NOTHING
    head: int = -1
    relation: str = ""


class TokenSpan(NamedTuple):
    """Adjacent tokens from `start` to `end` (exclusive), with a label such as `PER` or `NP`."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """The whole annotation of one text.

    `entities` do not overlap and are in order. `constituents` are nested, longer before shorter; `None` means
    that the tool does not find constituents. If there is an `error` (the reason), there are no tokens.

    >>> tokens = (Token("Ana", 0, 3), Token("saw", 4, 7))
    >>> found = Annotation("Ana saw Rio.", tokens, (TokenSpan(0, 1, "PER"),))
    >>> found.covered(found.entities[0]), found.characters(TokenSpan(0, 2, "S"))
    ('Ana', (0, 7))
    """

    text: str
    tokens: tuple[Token, ...] = ()
    entities: tuple[TokenSpan, ...] = ()
    constituents: tuple[TokenSpan, ...] | None = None
    error: str | None = None

    def characters(self, span: TokenSpan) -> tuple[int, int]:
        """The start and end of a span in the text; an empty span has `(0, 0)`."""
        tokens = self.tokens[span.start : span.end]
        return (tokens[0].start, tokens[-1].end) if tokens else (0, 0)

    def covered(self, span: TokenSpan) -> str:
        """The text of a span, with its spaces."""
        start, end = self.characters(span)
        return self.text[start:end]


class Annotator(ABC):
    """A tool that reads texts in one language.

    `gives` has the layers that it fills; other layers are empty. `language` is a normal code, such as `pt`.
    """

    name: str
    language: str
    gives: frozenset[Layer]
    origin: tuple[str, str, str] | None = None
    """The backend, language and model, with which another process can open the same annotator."""

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        from mtassay.nlp.annotators import reopen_annotator

        return (reopen_annotator, self.origin) if self.origin else super().__reduce_ex__(protocol)

    @property
    @abstractmethod
    def signature(self) -> str:
        """Package, model and version: equal signatures mean equal annotations."""

    @abstractmethod
    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        """Return one annotation per text, in order.

        An empty or blank text has an empty annotation. If the tool fails on a text, its annotation has an
        `error`, and the other texts are still read.
        """

    def for_entities(self) -> Annotator:
        """Annotate only entities; the tool may skip other layers."""
        return self


class Word(NamedTuple):
    """A syntactic word. `head` is an index in the words of the same text, or -1 for a root."""

    start: int
    end: int
    lemma: str = ""
    pos: str = ""
    tag: str = ""
    features: Mapping[str, str] = {}
    head: int = -1
    relation: str = ""


def written_tokens(text: str, words: Sequence[Word]) -> tuple[Token, ...]:
    """Return one token for each place in the text; words that share a place or overlap are merged.

    >>> words = [
    ...     Word(0, 2, "de", "ADP", head=2, relation="case"),
    ...     Word(0, 2, "o", "DET", head=2, relation="det"),
    ...     Word(3, 6, "mar", "NOUN", relation="root"),
    ... ]
    >>> [(t.text, t.lemma, t.pos, t.head, t.relation) for t in written_tokens("do mar", words)]
    [('do', 'de o', 'ADP', 1, 'case'), ('mar', 'mar', 'NOUN', -1, 'root')]
    """
    groups: list[list[int]] = []
    end = -1
    for index, word in enumerate(words):
        if groups and word.start < end:
            groups[-1].append(index)
        else:
            groups.append([index])
        end = max(end, word.end)
    place = {index: number for number, group in enumerate(groups) for index in group}
    return tuple(_token(text, words, group, place) for group in groups)


def _token(text: str, words: Sequence[Word], group: Sequence[int], place: Mapping[int, int]) -> Token:
    # Use the part nearest to the root, since other parts may have their head in the same group.
    chief = words[min(group, key=lambda index: _depth(words, index))]
    start, end = words[group[0]].start, max(words[index].end for index in group)
    return Token(
        text=text[start:end],
        start=start,
        end=end,
        lemma=" ".join(filter(None, (words[index].lemma for index in group))),
        pos=chief.pos,
        tag=chief.tag,
        features=unite(words[index].features for index in group),
        head=place[chief.head] if chief.head >= 0 else -1,
        relation=chief.relation,
    )


def _depth(words: Sequence[Word], index: int) -> int:
    depth = 0
    while words[index].head >= 0 and depth <= len(words):
        index, depth = words[index].head, depth + 1
    return depth


def unite(several: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Merge features: all keys in alphabetical order, each with all its values.

    >>> unite([{"Number": "Sing"}, {"Gender": "Masc", "Number": "Plur"}])
    {'Gender': 'Masc', 'Number': 'Plur,Sing'}
    """
    values: dict[str, set[str]] = {}
    for features in several:
        for name, value in features.items():
            values.setdefault(name, set()).update(value.split(","))
    return {name: ",".join(sorted(values[name])) for name in sorted(values)}


def parse_features(text: str | None) -> dict[str, str]:
    """Parse the features of a CoNLL-U cell.

    >>> parse_features("Gender=Masc|Number=Sing"), parse_features("_"), parse_features(None)
    ({'Gender': 'Masc', 'Number': 'Sing'}, {}, {})
    """
    pairs = (pair.partition("=") for pair in (text or "").split("|"))
    return {name: value for name, _, value in pairs if value}


_LABELS = {
    "NOUN": "NP", "PROPN": "NP", "PRON": "NP", "VERB": "VP", "AUX": "VP", "ADJ": "AP", "ADV": "ADVP",
}  # fmt: skip
# A word with one of these relations is part of another word's phrase, and heads no phrase.
_PARTS = {"case", "fixed", "flat", "compound", "mark", "cc", "aux", "auxpass", "cop"}
_SUBJECTS = {"nsubj", "csubj", "nsubjpass", "csubjpass", "expl"}
# Dependents that are not part of the phrase of their head.
_OUTSIDE = _SUBJECTS | {
    "case", "mark", "cc", "conj", "punct", "parataxis", "discourse", "vocative", "dislocated", "list", "dep",
}  # fmt: skip
# Dependents of a predicate noun or adjective that belong only to the verb phrase.
_VERBAL = {"cop", "aux", "auxpass", "advcl", "obl"}


def with_phrases(annotation: Annotation) -> Annotation:
    """Add phrases to the annotation, unless it already has constituents or failed."""
    if annotation.constituents is not None or annotation.error is not None:
        return annotation
    return replace(annotation, constituents=phrase_spans(annotation.tokens))


def phrase_spans(tokens: Sequence[Token]) -> tuple[TokenSpan, ...]:
    """The phrases of a parsed text (NP, VP, PP, AP, ADVP), from left to right, longer before shorter.

    >>> words = "She bought two houses in Rio".split()
    >>> parts = ["PRON", "VERB", "NUM", "NOUN", "ADP", "PROPN"]
    >>> above = [1, -1, 3, 1, 5, 3]
    >>> relations = ["nsubj", "root", "nummod", "obj", "case", "nmod"]
    >>> tokens = [
    ...     Token(w, 0, 0, pos=p, head=h, relation=r)
    ...     for w, p, h, r in zip(words, parts, above, relations, strict=True)
    ... ]
    >>> for span in phrase_spans(tokens):
    ...     print(span.label, words[span.start : span.end])
    NP ['She']
    VP ['bought', 'two', 'houses', 'in', 'Rio']
    NP ['two', 'houses', 'in', 'Rio']
    PP ['in', 'Rio']
    NP ['Rio']
    """
    children: list[list[int]] = [[] for _ in tokens]
    for index, token in enumerate(tokens):
        if token.head >= 0:
            children[token.head].append(index)
    below = [_below(index, children) for index in range(len(tokens))]
    spans = {
        span for index in range(len(tokens)) for span in _phrases_of(index, tokens, children[index], below)
    }
    return tuple(sorted(spans, key=lambda span: (span.start, -span.end, span.label)))


def _below(index: int, children: Sequence[Sequence[int]]) -> frozenset[int]:
    """A token and everything that depends on it; also ends if the parse has a loop."""
    subtree, waiting = {index}, [index]
    while waiting:
        for child in children[waiting.pop()]:
            if child not in subtree:
                subtree.add(child)
                waiting.append(child)
    return frozenset(subtree)


def _phrases_of(
    head: int, tokens: Sequence[Token], children: Sequence[int], below: Sequence[frozenset[int]]
) -> Iterable[TokenSpan]:
    token = tokens[head]
    label = _LABELS.get(token.pos)
    if token.pos == "ADP" and any(_relation(tokens[child]) in ("pobj", "pcomp") for child in children):
        yield _span(head, below[head], tokens, "PP")
    if label is None or _relation(token) in _PARTS:
        return
    inside = [child for child in children if _relation(tokens[child]) not in _OUTSIDE]
    core = inside if label == "VP" else [c for c in inside if _relation(tokens[c]) not in _VERBAL]
    yield _span(head, {head}.union(*(below[child] for child in core)), tokens, label)
    if label != "VP" and any(_relation(tokens[child]) == "cop" for child in children):
        yield _span(head, {head}.union(*(below[child] for child in inside)), tokens, "VP")
    parts = {head}.union(*(below[child] for child in core))
    joined = [child for child in children if _relation(tokens[child]) in ("conj", "cc")]
    if any(_relation(tokens[child]) == "conj" for child in joined):
        commas = [child for child in children if tokens[child].pos == "PUNCT"]
        yield _span(head, parts.union(*(below[c] for c in (*joined, *commas))), tokens, label)
    marks = [child for child in children if _relation(tokens[child]) == "case"]
    if marks and label != "VP":
        yield _span(head, parts.union(*(below[child] for child in marks)), tokens, "PP")


def _relation(token: Token) -> str:
    """The relation without its subtype: `nsubj` for `nsubj:pass`."""
    return token.relation.partition(":")[0]


def _span(head: int, inside: Iterable[int], tokens: Sequence[Token], label: str) -> TokenSpan:
    """The contiguous span of these tokens around the head, without punctuation at its ends."""
    members = set(inside)
    start, end = head, head + 1
    while start - 1 in members:
        start -= 1
    while end in members:
        end += 1
    while start < head and tokens[start].pos == "PUNCT":
        start += 1
    while end - 1 > head and tokens[end - 1].pos == "PUNCT":
        end -= 1
    return TokenSpan(start, end, label)


Words = Sequence[Token]

# Chinese, Japanese, Thai… have no spaces between words, so each character is a word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)


@cache
def _plain_pattern() -> re.Pattern[str]:
    return re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+(?:['\-][^\W{_UNSPACED}]+)*|[^\w\s]")


def words_of(annotation: Annotation) -> Words:
    """The tokens, or without tokens: words, single marks and, in unspaced scripts, characters.

    >>> [word.text for word in words_of(Annotation("Don't, 你好!"))]
    ["Don't", ',', '你', '好', '!']
    """
    return annotation.tokens or plain_words(annotation.text)


def words_of_both(original: Annotation, variant: Annotation) -> tuple[Words, Words]:
    """The words of two texts, split in the same way; if one has no tokens, both use `plain_words`."""
    if original.tokens and variant.tokens:
        return original.tokens, variant.tokens
    return plain_words(original.text), plain_words(variant.text)


def plain_words(text: str) -> Words:
    """Words, single marks and, in unspaced scripts, characters, exactly as in the text.

    >>> [word.text for word in plain_words("He’s co\u2011operating")]
    ['He’s', 'co\u2011operating']
    """
    plain = plain_text(text)
    places = [plain.original(*match.span()) for match in _plain_pattern().finditer(plain.text)]
    return [Token(text[start:end], start, end) for start, end in places]
