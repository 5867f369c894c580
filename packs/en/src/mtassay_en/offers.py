"""Offers of words and names that may replace others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.nlp.annotation import Annotation, Token
from mtassay.nlp.plain_places import keeps_genitive, name_places
from mtassay_en.inflections import joined_preposition
from mtassay_en.lexicon_entries import BilingualLexicon, LexiconEntry, Substitute, says_gender, word_set
from mtassay_en.word_context import Place, goes_with_words_before, left_alone, opens_sentence, possible_cells

_AWAY = {"go": "here", "come": "there"}
"""Places that cannot follow a verb of motion."""
_NEVER_DENIED = frozenset(("incredibly", "quite", "relatively", "slightly", "surprisingly"))
"""Adverbs of degree that cannot follow `not`."""
_BETWEEN = frozenset(("DET", "ADJ", "NUM", "PRON", "ADV"))


def goes_with_sentence(language: str, annotation: Annotation, place: Place, after: str) -> bool:
    """Whether another word fits the rest of the sentence."""
    tokens = annotation.tokens
    before = tokens[place[0] - 1] if place[0] else None
    if language == "pt":  # `a aquela` is written `àquela`
        word = before.text.lower() if before is not None else ""
        first = after.split(" ")[0]
        return not word or joined_preposition(word, first) == f"{word} {first}"
    if language != "en":
        return True
    word = after.lower()
    if word in word_set("sure") and any(token.text == "?" for token in tokens[place[1] :]):
        return False
    if word in _NEVER_DENIED and any(token.text in ("not", "n't", "n’t") for token in tokens[: place[0]]):
        return False
    governor = _head(tokens, place[0])
    if governor is not None and _AWAY.get(governor.lemma) == word:
        return False
    preposition = _preposition(tokens, place[0])
    if preposition == "on" and tokens[place[1] - 1].text in word_set("on"):
        return word in word_set("on")
    return (
        preposition not in ("in", "into")
        or word not in word_set("on")
        or tokens[place[1] - 1].text in word_set("on")
    )


def _head(tokens: Sequence[Token], number: int) -> Token | None:
    """The head of a token."""
    head = tokens[number].head
    return tokens[head] if 0 <= head < len(tokens) and head != number else None


def _preposition(tokens: Sequence[Token], number: int) -> str:
    """The preposition before a noun with its article and adjectives; empty without one."""
    number -= 1
    while number >= 0 and tokens[number].pos in _BETWEEN:
        number -= 1
    return tokens[number].text.lower() if number >= 0 and tokens[number].pos == "ADP" else ""


_BARE = frozenset(("instrument", "sport", "subject"))
"""Groups of nouns that may have no article in Portuguese if they have one in English: `toca piano`."""
_MOVABLE = frozenset(("certainty", "ever", "focus", "frequency", "middle", "never", "simply"))
"""Groups of adverbs that describe a verb and stay near it."""


def stand_alike(
    languages: tuple[str, str], pair: ReadPair, entry: LexiconEntry, place: Place, partner: Place
) -> bool:
    """Whether a word of the source and its translation have the same role in their sentences."""
    if set(languages) != {"en", "pt"}:
        return True
    sides = [(pair.source, place), (pair.reference, partner)]
    links = pair.links
    if languages[0] == "pt":
        sides.reverse()
        links = frozenset((b, a) for a, b in links)
    (english, here), (portuguese, there) = sides
    if entry.part == "NOUN" and entry.group not in _BARE:
        return not (_has_the(english.tokens, here) and _is_bare(portuguese.tokens, there))
    if entry.part == "ADV" and entry.group in _MOVABLE:
        return _of_one_verb(english.tokens, here[0], portuguese.tokens, there, links)
    return True


def _has_the(tokens: Sequence[Token], place: Place) -> bool:
    return place[0] > 0 and tokens[place[0] - 1].text.lower() == "the" and tokens[place[1] - 1].tag == "NN"


def _is_bare(tokens: Sequence[Token], place: Place) -> bool:
    """Whether a verb is directly before a noun without an article: `ouve rádio`."""
    return place[0] > 0 and tokens[place[0] - 1].pos == "VERB"


def _of_one_verb(
    english: Sequence[Token],
    number: int,
    portuguese: Sequence[Token],
    there: Place,
    links: frozenset[tuple[int, int]],
) -> bool:
    """Whether two adverbs belong to the same verb, according to the aligner.

    For example, they do not in `he also learned to sing` and `aprendeu a cantar também`.
    """
    verb = english[number].head
    linked = {b for a, b in links if a == verb and portuguese[b].pos in ("VERB", "AUX")}
    if verb < 0 or english[verb].pos != "VERB" or not linked:
        return True
    near = [i for i in (there[0] - 1, there[1]) if 0 <= i < len(portuguese)]
    verbs = [i for i in near if portuguese[i].pos in ("VERB", "AUX")]
    return not verbs or any(
        i in linked or (portuguese[i].relation.startswith("aux") and portuguese[i].head in linked)
        for i in verbs
    )


@dataclass(frozen=True, slots=True)
class Offer:
    """A place in both texts (character offsets) with its substitutes by group.

    `labels` has a part of speech, and the kind of entity if it is one. `kind` is the first group of the
    lexicon, or the kind of number.
    """

    start: int
    end: int
    reference_start: int
    reference_end: int
    head: int
    kind: str
    labels: tuple[str, ...]
    substitutes: tuple[Substitute, ...]

    def after(self, other: Offer | None) -> Offer:
        """Add this offer to an earlier offer for the same place, if there is one."""
        if other is None:
            return self
        if (other.reference_start, other.reference_end) != (self.reference_start, self.reference_end):
            return other
        written = {substitute.source for substitute in other.substitutes}
        more = tuple(one for one in self.substitutes if one.source not in written)
        return replace(other, substitutes=other.substitutes + more)

    def spans(self) -> list[AlignedSpan]:
        """The place as aligned spans, one for each label."""
        place = (self.start, self.end, self.reference_start, self.reference_end)
        return [AlignedSpan(*place, label, self.head) for label in self.labels]


def head_of(annotation: Annotation, start: int, end: int) -> int:
    """The number of the head of the tokens in this character range; -1 without one."""
    inside = [i for i, token in enumerate(annotation.tokens) if token.start < end and token.end > start]
    for i in inside:
        if annotation.tokens[i].head not in inside:
            return i
    return inside[0] if inside else -1


def fitted(form: str, written: str) -> str:
    """Capitalise a form if the replaced word is capitalised, as at the start of a sentence.

    >>> fitted("slowly", "Quickly"), fitted("slowly", "quickly")
    ('Slowly', 'slowly')
    """
    return form[:1].upper() + form[1:] if written[:1].isupper() else form


def name_offers(languages: tuple[str, str], pair: ReadPair) -> list[Offer]:
    """Return an offer for each name that `name_places` finds, in order."""
    return [
        Offer(*place[:7], tuple(Substitute(*both) for both in place.others))
        for place in name_places(languages, (pair.source, pair.reference))
    ]


_LONGEST = 4
_NEAR = 3
_ENTITIES = {
    "month": "DATE", "weekday": "DATE", "season": "DATE", "city": "GPE", "country": "GPE", "state": "GPE",
    "continent": "LOC", "nationality": "NORP", "people": "NORP", "language": "LANGUAGE",
    "holiday": "DATE", "ordinal": "ORDINAL",
}  # fmt: skip


class _Side:
    """One text of a pair with all its word sequences, as written and in lower case."""

    def __init__(self, language: str, annotation: Annotation) -> None:
        self.language = language
        self.annotation = annotation
        self.places: defaultdict[str, list[Place]] = defaultdict(list)
        count = len(annotation.tokens)
        for first in range(count):
            for after in range(first + 1, min(first + _LONGEST, count) + 1):
                self.places[self.text((first, after)).lower()].append((first, after))

    def text(self, place: Place) -> str:
        return self.annotation.text[self.start(place) : self.end(place)]

    def start(self, place: Place) -> int:
        return self.annotation.tokens[place[0]].start

    def end(self, place: Place) -> int:
        return self.annotation.tokens[place[1] - 1].end

    def spelled(self, place: Place, form: str) -> bool:
        """Whether this form is here; capitals may differ only at the start of a sentence."""
        written = self.text(place)
        return written == form or (
            written == fitted(form, written) and opens_sentence(self.annotation, place[0])
        )

    def written(self, place: Place, form: str) -> str:
        """A form as written here; extra capitals are allowed only at the start of a sentence."""
        starts = opens_sentence(self.annotation, place[0])
        return fitted(form, self.text(place)) if starts else form

    def hits(self, part: str, forms: Iterable[str]) -> list[tuple[str, Place]]:
        """The places of an entry's forms, with the form; if some overlap, the longest.

        Words that the annotator reads as another part of speech are left out.
        """
        found = [(form, place) for form in set(forms) for place in self.places.get(form.lower(), ())]
        kept: list[tuple[str, Place]] = []
        # `mais antiga` contains `antiga`; the longest form counts.
        for form, place in sorted(
            found, key=lambda item: (item[1][0] - item[1][1], item[0] != self.text(item[1]), item)
        ):
            if all(place[1] <= other[0] or place[0] >= other[1] for _, other in kept):
                kept.append((form, place))
        others, tokens = _OTHER_PARTS.get(part, frozenset()), self.annotation.tokens
        return [
            (form, place)
            for form, place in kept
            if self.spelled(place, form) and tokens[place[0]].pos not in others
        ]


_OTHER_PARTS = {
    "VERB": frozenset(("ADJ", "AUX", "NOUN")),  # `did not`, `comida`
    "NOUN": frozenset(("VERB",)),
    "PRON": frozenset(("SCONJ",)),  # `told me that`
    "DET": frozenset(("SCONJ",)),
}


def word_offers(lexicon: BilingualLexicon, languages: tuple[str, str], pair: ReadPair) -> list[Offer]:
    """Return an offer for each source word that the lexicon can replace in both texts, in order.

    A word that occurs twice in a text is left out, unless the aligner links its places.
    """
    source, reference = _Side(languages[0], pair.source), _Side(languages[1], pair.reference)
    by_place: dict[Place, Offer] = {}
    for entry in lexicon.having(source.places):
        hits = source.hits(entry.part, entry.source.values())
        for hit, partner in _partners(pair, hits, reference.hits(entry.part, entry.reference.values())):
            if not _go_together(pair, entry, hit[1], partner[1]):
                continue
            if not stand_alike(languages, pair, entry, hit[1], partner[1]):
                continue
            offer = _offer(lexicon, entry, (source, *hit), (reference, *partner))
            if offer is not None:
                by_place[hit[1]] = offer.after(by_place.get(hit[1]))
    # If two overlap, the longer one counts.
    kept: list[Place] = []
    for place in sorted(by_place, key=lambda p: (p[0] - p[1], p)):
        if all(place[1] <= other[0] or place[0] >= other[1] for other in kept):
            kept.append(place)
    return [by_place[place] for place in sorted(kept)]


_Hit = tuple[str, Place]


def _partners(pair: ReadPair, hits: Sequence[_Hit], others: Sequence[_Hit]) -> list[tuple[_Hit, _Hit]]:
    """Pairs of hits: the only hits of both texts, or hits that are linked only with each other.

    A word that is more frequent in one text is left out: `those who know and those who don't`.
    """
    if len(hits) != len(others):
        return []
    if len(hits) == 1:
        return [(hits[0], others[0])]
    linked = [(hit, other) for hit in hits for other in others if _are_linked(pair, hit[1], other[1])]
    return [both for both in linked if sum(both[0] is a or both[1] is b for a, b in linked) == 1]


def _are_linked(pair: ReadPair, place: Place, other: Place) -> bool:
    return any(place[0] <= a < place[1] and other[0] <= b < other[1] for a, b in pair.links)


def _go_together(pair: ReadPair, entry: LexiconEntry, place: Place, partner: Place) -> bool:
    """Whether two places can be translations of each other: by the aligner or by their position.

    Names and nouns may move far, but a verb or a small word far from its place belongs to something else.
    """
    linked = [(a, b) for a, b in pair.links if place[0] <= a < place[1] or partner[0] <= b < partner[1]]
    if linked:
        return any(place[0] <= a < place[1] and partner[0] <= b < partner[1] for a, b in linked)
    moved = abs(place[0] / len(pair.source.tokens) - partner[0] / len(pair.reference.tokens))
    return abs(place[0] - partner[0]) <= _NEAR or moved <= {"NAME": 1.0, "NOUN": 0.5}.get(entry.part, 0.25)


def _offer(
    lexicon: BilingualLexicon,
    entry: LexiconEntry,
    word: tuple[_Side, str, Place],
    partner: tuple[_Side, str, Place],
) -> Offer | None:
    cells = entry.cells(word[1], partner[1])
    for number, (side, _, place) in enumerate((word, partner)):
        if left_alone(side.language, side.annotation, place, entry):
            return None
        cells = possible_cells(side.language, number, side.annotation, place, cells)
    if not cells:
        return None
    return _offer_with(word[0], partner[0], word[2], partner[2], entry, lexicon.substitutes(entry, cells))


def _offer_with(
    source: _Side,
    reference: _Side,
    place: Place,
    other: Place,
    entry: LexiconEntry,
    substitutes: list[Substitute],
) -> Offer | None:
    kept: dict[str, Substitute] = {}
    for substitute in substitutes:
        after = source.written(place, substitute.source), reference.written(other, substitute.reference)
        if source.language == "en" and _hides_gender(entry, substitute):
            continue
        if _fits(source, place, after[0], substitute, 0) and _fits(reference, other, after[1], substitute, 1):
            kept.setdefault(after[0], Substitute(*after, substitute.entry))  # one translation is enough
    if not kept:
        return None
    kind = entry.group.split(" ")[0]
    if entry.part == "DET":  # `in this` becomes `in that`: the determiner is edited, not the preposition
        head = place[1] - 1
    else:
        head = head_of(source.annotation, source.start(place), source.end(place))
    label = _label(entry, source.annotation.tokens[head])
    labels = (label, _ENTITIES[kind]) if kind in _ENTITIES else (label,)
    return Offer(
        source.start(place), source.end(place), reference.start(other), reference.end(other),
        head, entry.group, labels, tuple(kept.values()),
    )  # fmt: skip


def _label(entry: LexiconEntry, head: Token) -> str:
    """The label of a word; a month is always a name, and `last week` is an adverb phrase."""
    if entry.part == "NAME":
        return "PROPN"
    if entry.part == "ADV" and head.pos != "ADV":
        return "ADVP"
    return head.pos or entry.part


def _hides_gender(entry: LexiconEntry, substitute: Substitute) -> bool:
    """Whether English would no longer show the gender of the translation: `cousin` for `prima`."""
    assert substitute.entry is not None
    before, after = (next(iter(one.source.values())) for one in (entry, substitute.entry))
    return says_gender(before) and not says_gender(after)


def _fits(side: _Side, place: Place, after: str, substitute: Substitute, number: int) -> bool:
    """Whether a substitute fits: it is not in the sentence yet and fits the words before it."""
    assert substitute.entry is not None
    forms = substitute.entry.reference if number else substitute.entry.source
    if not keeps_genitive(side.annotation.text, side.start(place), side.end(place), after):
        return False
    if side.language == "en" and not goes_with_words_before(
        side.annotation.tokens, place, after, part=substitute.entry.part, forms=forms
    ):
        return False
    if not goes_with_sentence(side.language, side.annotation, place, after):
        return False
    return not any(form.lower() in side.places for form in forms.values())
