"""Verbs with all that helps them: what is edited where the whole form of a verb changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mtassay.methods.behavior.candidates import is_auxiliary, relation_of
from mtassay.methods.behavior.capabilities.parts_of_speech import is_verb
from mtassay.methods.behavior.capabilities.places import head_token, tokens_at
from mtassay.methods.behavior.nouns import AlignedSpan, ReadPair
from mtassay.tools.annotate.nouns import Token

__all__ = ["finite_verbs", "helpers_of", "is_past_perfect"]

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
    found: dict[int, AlignedSpan] = {}
    for span in aligned:
        head = head_token(pair, span)
        if head is None or span.label not in ("VERB", "AUX", "VP") or not is_verb(head):
            continue
        group = [span.head, *helpers_of(tokens, span.head)]
        inside = tokens_at(pair.source, (span.start, span.end))
        if not set(group) <= set(inside) or not any(_is_finite(tokens[i]) for i in group):
            continue
        known = found.get(span.head)
        if known is None or span.end - span.start < known.end - known.start:
            found[span.head] = span
    return sorted(found.values())


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
