"""Capabilities that ask for another form of a word: grammatical number, gender, politeness."""

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
    heads_at,
    original_places,
    span_text,
    tokens_at,
)
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.methods.behavior.spans import is_auxiliary, keep_longest, relation_of
from mtassay.nlp.annotation import Annotation, Token

_OTHER_NUMBER = {"Sing": "plural", "Plur": "singular"}
# The verb agrees with these, and is outside the span.
_SUBJECTS = frozenset(("nsubj", "nsubjpass", "csubj", "expl", "root"))
# Such words agree with the noun, or count it.
_AGREEING = frozenset(("det", "amod", "nummod", "predet", "poss"))


class GrammaticalNumber(Capability):
    """Nouns that are no subject, with all words that agree with them inside the span."""

    name = "number"
    about = "a singular noun becomes plural, or the reverse"
    changes_form = True
    # COMET rarely sees a wrong number (Amrhein & Sennrich 2022).
    unseen_by = frozenset({"comet"}) | HARDLY_SEEN
    needs = frozenset({"pos", "features", "dependencies"})

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """For each such noun the shortest span, in order; a noun with a numeral is left out."""
        by_head: dict[int, AlignedSpan] = {}
        for span in aligned:
            if span.label in ("NOUN", "NP") and self._can_change(pair, span):
                shortest = by_head.get(span.head)
                if shortest is None or span.end - span.start < shortest.end - shortest.start:
                    by_head[span.head] = span
        return sorted(by_head.values())

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """The same in the other number."""
        head = head_token(pair, span)
        number = _OTHER_NUMBER.get(head.features.get("Number", "") if head else "", "other number")
        return f'the {number} of "{span_text(pair, span)}"'

    def objection(
        self, edited: Annotation, changes: Sequence[Edit], *, original: Annotation | None = None
    ) -> str | None:
        """The noun must be in another number than before; without the original, have one."""
        places = zip(changes, edited_places(changes), original_places(changes), strict=True)
        for change, place, before in places:
            numbers = _numbers_at(edited, place)
            other_numbers = {"Sing", "Plur"} - (_numbers_at(original, before) if original else set())
            if not numbers & other_numbers:
                return f'"{change.after}" is not in another number than "{change.before}"'
        return None

    @staticmethod
    def _can_change(pair: ReadPair, span: AlignedSpan) -> bool:
        head = head_token(pair, span)
        if head is None or head.features.get("Number") not in _OTHER_NUMBER or relation_of(head) in _SUBJECTS:
            return False
        below = [i for i, token in enumerate(pair.source.tokens) if token.head == span.head]
        agreeing = {i for i in below if relation_of(pair.source.tokens[i]) in _AGREEING}
        counted = any(relation_of(pair.source.tokens[i]) == "nummod" for i in below)
        return not counted and agreeing <= set(tokens_at(pair.source, (span.start, span.end)))


def _numbers_at(annotation: Annotation, place: tuple[int, int]) -> set[str]:
    nouns = [token for token in heads_at(annotation, place) if token.pos in ("NOUN", "PROPN")]
    return {token.features["Number"] for token in nouns if "Number" in token.features}


# English nouns have no gender that an annotator could tell.
_COUNTERPARTS = (
    "man woman, men women, boy girl, boys girls, father mother, fathers mothers, son daughter, sons daughters"
    ", brother sister, brothers sisters, husband wife, husbands wives, uncle aunt, king queen, sir madam"
    ", prince princess, actor actress, actors actresses, waiter waitress, grandfather grandmother"
    ", nephew niece, gentleman lady, gentlemen ladies, boyfriend girlfriend, spokesman spokeswoman"
)
_WORDS = {
    word: gender
    for pair in _COUNTERPARTS.split(", ")
    for word, gender in zip(pair.split(), ("Masc", "Fem"), strict=True)
}
_OTHER_GENDER = {"Masc": "female", "Fem": "male"}
_PEOPLE = frozenset(("PER", "PERSON"))


class Gender(Capability):
    """Third-person pronouns, and English nouns with a counterpart.

    Only where nothing else in the source shows a person's gender, and nobody is named: else the sentence
    would contradict itself.
    """

    name = "gender"
    about = "the only person in the source is of the other gender"
    changes_form = True
    unseen_by = HARDLY_SEEN
    needs = frozenset({"pos", "features"})

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """The word, where there is exactly one."""
        shown = [token for token in pair.source.tokens if _gender(token)]
        if len(shown) != 1 or any(entity.label in _PEOPLE for entity in pair.source.entities):
            return []
        place = shown[0].start, shown[0].end
        return [
            span for span in aligned if (span.start, span.end) == place and span.label in ("PRON", "NOUN")
        ]

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """The counterpart."""
        head = head_token(pair, span)
        other = _OTHER_GENDER.get(_gender(head) or "", "other-gender") if head else "other-gender"
        return f'the {other} counterpart of "{span_text(pair, span)}"'

    def objection(
        self, edited: Annotation, changes: Sequence[Edit], *, original: Annotation | None = None
    ) -> str | None:
        """The edit must show a gender, and another one than before; without the original, any."""
        places = zip(changes, edited_places(changes), original_places(changes), strict=True)
        for change, place, before in places:
            genders = _genders_at(edited, place)
            if not genders or (original and genders & _genders_at(original, before)):
                return f'"{change.after}" is not of another gender than "{change.before}"'
        return None


def _gender(token: Token) -> str | None:
    """`Masc` or `Fem`, of a person; `None` where it shows none."""
    if token.pos == "PRON" and token.features.get("Person") == "3":
        gender = token.features.get("Gender")
        return gender if gender in _OTHER_GENDER else None
    return _WORDS.get(token.text.lower()) if token.pos == "NOUN" else None


def _genders_at(annotation: Annotation, place: tuple[int, int]) -> set[str]:
    shown = (_gender(annotation.tokens[i]) for i in tokens_at(annotation, place))
    return {gender for gender in shown if gender}


# Formal and informal; only words whose change leaves the rest of the source right.
_PAIRS = (
    ("thank you", "thanks"), ("hello", "hi"), ("goodbye", "bye"),
    ("gentlemen", "guys"), ("mother", "mom"), ("father", "dad"), ("children", "kids"),
    ("您", "你"), ("您们", "你们"), ("o senhor", "você"), ("a senhora", "você"), ("os senhores", "vocês"),
    ("Ihnen", "dir"),
)  # fmt: skip
_FORMAL = frozenset(formal.casefold() for formal, _ in _PAIRS)
_INFORMAL = frozenset(informal.casefold() for _, informal in _PAIRS)


class Politeness(Capability):
    """Words of address and courtesy with a more or a less formal counterpart, from a short list.

    It has words of English, Chinese, Portuguese and German.
    """

    name = "politeness"
    about = "a formal word becomes an informal one, or the reverse"
    changes_form = True
    unseen_by = HARDLY_SEEN

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """Such words; of those that overlap, the longest."""
        return keep_longest(
            span for span in aligned if span_text(pair, span).casefold() in _FORMAL | _INFORMAL
        )

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """The counterpart."""
        text = span_text(pair, span)
        return f'a {"less" if text.casefold() in _FORMAL else "more"} formal way to say "{text}"'

    def objection(
        self, edited: Annotation, changes: Sequence[Edit], *, original: Annotation | None = None
    ) -> str | None:
        """A formal word must have become an informal one of the list, or the reverse."""
        for change in changes:
            wanted = _INFORMAL if change.before.casefold() in _FORMAL else _FORMAL
            if change.after.casefold() not in wanted:
                level = "informal" if wanted is _INFORMAL else "formal"
                return f'"{change.after}" is not a known {level} word for "{change.before}"'
        return None


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
