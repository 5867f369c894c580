"""An annotator that needs no model: words by a pattern, the rest by what it is told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from mtassay.nlp.annotation import LAYERS, Annotation, Annotator, Layer, Token, TokenSpan, phrase_spans
from mtassay.nlp.annotators import read_each

_WORD = re.compile(r"\w+(?:[-’']\w+)*|[^\w\s]")


class FakeAnnotator(Annotator):
    """Knows the part of speech of the words in `pos` and the label of those in `entities`.

    Any other word is a NOUN, any other mark PUNCT. The first VERB, else the first word, is the root; DET,
    ADJ, NUM and ADP depend on the next NOUN or PROPN, all others on the root. Lemmas are the words in small
    letters. A text that contains `fails_on` fails. `annotations` has texts whose annotation is given.

    >>> fake = FakeAnnotator("en", pos={"the": "DET", "sleeps": "VERB"}, entities={"Rio": "LOC"})
    >>> [found] = fake.annotate(["The cat sleeps."])
    >>> [(token.text, token.pos, token.head, token.relation) for token in found.tokens]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('The', 'DET', 1, 'det'), ('cat', 'NOUN', 2, 'nsubj'), ('sleeps', 'VERB', -1, 'root'),
     ('.', 'PUNCT', 2, 'punct')]
    """

    name = "fake"

    def __init__(
        self,
        language: str,
        *,
        pos: Mapping[str, str] | None = None,
        entities: Mapping[str, str] | None = None,
        annotations: Mapping[str, Annotation] | None = None,
        fails_on: str | None = None,
        gives: Iterable[Layer] = LAYERS,
    ) -> None:
        self.language = language
        self.gives = frozenset(gives)
        self._pos = dict(pos or {})
        self._entities = dict(entities or {})
        self._annotations = dict(annotations or {})
        self._fails_on = fails_on

    @property
    def signature(self) -> str:
        return f"fake|{self.language}"

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        return read_each(texts, lambda some: map(self._annotation, some))

    def _annotation(self, text: str) -> Annotation:
        if self._fails_on is not None and self._fails_on in text:
            raise ValueError(f"the fake fails on {self._fails_on!r}")
        if text in self._annotations:
            return self._annotations[text]
        places = [match.span() for match in _WORD.finditer(text)]
        words = [text[start:end] for start, end in places]
        parts = [self._part(word) for word in words]
        root = parts.index("VERB") if "VERB" in parts else 0
        tokens = []
        for index, (start, end) in enumerate(places):
            head = _head(index, parts, root)
            relation = _relation(index, parts[index], head, root)
            word = words[index]
            tokens.append(
                Token(word, start, end, word.lower(), parts[index], parts[index], {}, head, relation)
            )
        entities = tuple(
            TokenSpan(index, index + 1, self._entities[word])
            for index, word in enumerate(words)
            if word in self._entities
        )
        return Annotation(text, tuple(tokens), entities, phrase_spans(tokens))

    def _part(self, word: str) -> str:
        default = "NOUN" if word[0].isalnum() or word[0] == "_" else "PUNCT"
        return self._pos.get(word, self._pos.get(word.lower(), default))


def _head(index: int, parts: Sequence[str], root: int) -> int:
    if index == root:
        return -1
    if parts[index] in ("DET", "ADJ", "NUM", "ADP"):
        for later in range(index + 1, len(parts)):
            if parts[later] in ("NOUN", "PROPN"):
                return later
    return root


def _relation(index: int, part: str, head: int, root: int) -> str:
    if head < 0:
        return "root"
    if part in ("NOUN", "PROPN", "PRON"):
        return "nsubj" if index < root else "obj"
    relations = {
        "DET": "det",
        "ADJ": "amod",
        "NUM": "nummod",
        "ADP": "case",
        "ADV": "advmod",
        "PUNCT": "punct",
    }
    return relations.get(part, "dep")
