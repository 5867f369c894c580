"""Capabilities that ask for another form of a verb: the past perfect, and negation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mtassay.data.nouns import Edit
from mtassay.methods.behavior.capabilities import is_verb
from mtassay.methods.behavior.capability import (
    HARDLY_SEEN,
    Capability,
    edited_places,
    head_token,
    span_text,
    tokens_at,
)
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.methods.behavior.spans import is_auxiliary, relation_of
from mtassay.nlp.annotation import Annotation, Token

# The auxiliaries of the perfect, by lemma: English, Portuguese, Spanish, French, Italian, German, Dutch.
_PERFECT = frozenset(
    ("have", "ter", "haver", "haber", "avoir", "être", "avere", "essere", "haben", "sein", "hebben", "zijn")
)
_PASTS = frozenset(("Past", "Imp", "Pqp"))


def finite_verbs(pair: ReadPair, aligned: Iterable[AlignedSpan]) -> list[AlignedSpan]:
    """For each finite verb, the shortest span that holds it with its auxiliaries and its negation, in order.

    An infinitive, a participle or an imperative without a finite form has none.
    """
    tokens = pair.source.tokens
    by_head: dict[int, AlignedSpan] = {}
    for span in aligned:
        head = head_token(pair, span)
        if head is None or span.label not in ("VERB", "AUX", "VP") or not is_verb(head):
            continue
        group = [span.head, *helpers_of(tokens, span.head)]
        inside = tokens_at(pair.source, (span.start, span.end))
        if not set(group) <= set(inside) or not any(_is_finite(tokens[i]) for i in group):
            continue
        shortest = by_head.get(span.head)
        if shortest is None or span.end - span.start < shortest.end - shortest.start:
            by_head[span.head] = span
    return sorted(by_head.values())


def helpers_of(tokens: Sequence[Token], verb: int) -> list[int]:
    """The numbers of the auxiliaries and the negation of a verb."""
    return [i for i, token in enumerate(tokens) if token.head == verb and _helps(token)]


def is_past_perfect(tokens: Sequence[Token], verb: int) -> bool:
    """Whether a verb is in the past perfect: `had gone`, `tinha ido`, `fora`, `war gegangen`."""
    if tokens[verb].features.get("Tense") == "Pqp":
        return True
    helpers = [tokens[i] for i in helpers_of(tokens, verb)]
    perfect = any(
        _PERFECT & set(token.lemma.split())
        and token.features.get("Tense") in _PASTS
        and token.features.get("VerbForm") != "Part"
        for token in helpers
    )
    return perfect and tokens[verb].features.get("VerbForm") == "Part"


def _helps(token: Token) -> bool:
    return is_auxiliary(token) or relation_of(token) == "neg" or token.features.get("Polarity") == "Neg"


def _is_finite(token: Token) -> bool:
    return token.features.get("VerbForm") == "Fin"


class Tense(Capability):
    """A finite verb that is not in the past perfect, with its auxiliaries."""

    name = "tense"
    about = "a verb is put into the past perfect"
    is_of_the_paper = True
    changes_form = True
    needs = frozenset({"pos", "features", "dependencies"})

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """The finite verbs in another tense, each with its auxiliaries and as little else as can be."""
        return [
            span for span in finite_verbs(pair, aligned) if not is_past_perfect(pair.source.tokens, span.head)
        ]

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """A verb in the past perfect."""
        return f'a verb or verb phrase in the past perfect tense, instead of "{span_text(pair, span)}"'

    def objection(
        self, edited: Annotation, changes: Sequence[Edit], *, original: Annotation | None = None
    ) -> str | None:
        """The edit must have a verb in the past perfect."""
        tokens = edited.tokens
        past = [i for i in range(len(tokens)) if is_past_perfect(tokens, i)]
        groups = [{i, *helpers_of(tokens, i)} for i in past]
        for change, place in zip(changes, edited_places(changes), strict=True):
            # The change may be in the auxiliaries alone.
            if not any(group & set(tokens_at(edited, place)) for group in groups):
                return f'"{change.after}" is not in the past perfect tense'
        return None


# Spanish `no` only before all else: `no` inside a Portuguese phrase is a preposition with its article.
_NEGATION = re.compile(
    r"\b(?:not|never|cannot|nicht|nie|niemals|kein(?:e[mnrs]?)?|não|nunca|jamais|ne|pas|non|niet|geen)\b"
    r"|n['’](?:t\b|\w)|^no\b|不|没|未|无",
    re.IGNORECASE,
)  # fmt: skip


def is_negated(text: str) -> bool:
    """Whether a verb phrase has a word of negation (English, German, Dutch, Romance languages, Chinese).

    >>> [is_negated(text) for text in ("did not go", "doesn't go", "foi no mar", "não foi", "没有去", "go")]
    [True, True, False, True, True, False]
    """
    return _NEGATION.search(text) is not None


class Negation(Capability):
    """A finite verb with its auxiliaries, which is negated or loses its negation."""

    name = "negation"
    about = "a statement is negated, or its negation goes"
    changes_form = True
    unseen_by = HARDLY_SEEN
    needs = frozenset({"pos", "features", "dependencies"})

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """The finite verbs, each with its auxiliaries, its negation and as little else as can be."""
        return finite_verbs(pair, aligned)

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """The same with the opposite sense."""
        text = span_text(pair, span)
        return f'"{text}" without its negation' if is_negated(text) else f'"{text}" negated'

    def objection(
        self, edited: Annotation, changes: Sequence[Edit], *, original: Annotation | None = None
    ) -> str | None:
        """Either what was there or what is there now must be negated, not both and not neither."""
        for change in changes:
            if is_negated(change.before) == is_negated(change.after):
                return f'"{change.after}" does not negate "{change.before}", or the reverse'
        return None
