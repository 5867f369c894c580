"""Finds the words of a pair that stand in the lexicon as translations of each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from mtassay.methods.behavior.infill.lexicon.context import left_alone, opens_sentence, possible_cells
from mtassay.methods.behavior.infill.lexicon.english import says_gender
from mtassay.methods.behavior.infill.lexicon.english_context import Place, goes_with_words_before
from mtassay.methods.behavior.infill.lexicon.entries import Entry, Lexicon, Substitute
from mtassay.methods.behavior.infill.lexicon.offers import Offer, fitted, head_of, keeps_genitive
from mtassay.methods.behavior.nouns import ReadPair
from mtassay.tools.annotate.annotation import Annotation

__all__ = ["word_offers"]

_LONGEST = 4
_NEAR = 3
_ENTITIES = {
    "month": "DATE", "weekday": "DATE", "season": "DATE", "city": "GPE", "country": "GPE", "state": "GPE",
    "continent": "LOC", "nationality": "NORP", "people": "NORP", "language": "LANGUAGE",
    "holiday": "DATE", "ordinal": "ORDINAL",
}  # fmt: skip


class _Side:
    """One side of a pair with all its word sequences, as written and in lower case."""

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
        """Whether this form stands here; its capital may differ only at the start of a sentence."""
        written = self.text(place)
        return written == form or (
            written == fitted(form, written) and opens_sentence(self.annotation, place[0])
        )

    def written(self, place: Place, form: str) -> str:
        """A form as it is written here: with a capital only where that comes from a sentence's start."""
        starts = opens_sentence(self.annotation, place[0])
        return fitted(form, self.text(place)) if starts else form

    def has_any(self, forms: Iterable[str]) -> bool:
        """Whether one of these forms stands here already."""
        return any(form.lower() in self.places for form in forms)

    def only_place(self, forms: Iterable[str]) -> tuple[str, Place] | None:
        """The one place where a form of an entry stands, with that form; `None` where it is not, or twice."""
        found = [(form, place) for form in set(forms) for place in self.places.get(form.lower(), ())]
        if not found:
            return None
        form, place = min(found, key=lambda item: (item[1][0] - item[1][1], item[0] != self.text(item[1])))
        # `mais antiga` holds `antiga`: the longest stands for all that it covers.
        if any(other[0] < place[0] or other[1] > place[1] for _, other in found):
            return None
        return (form, place) if self.spelled(place, form) else None


def word_offers(lexicon: Lexicon, languages: tuple[str, str], pair: ReadPair) -> list[Offer]:
    """One offer for each word of the source that the lexicon can replace on both sides, in order.

    A word that stands twice on a side is left out: which goes with which would be a guess.
    """
    source, reference = _Side(languages[0], pair.source), _Side(languages[1], pair.reference)
    found: dict[Place, Offer] = {}
    for entry in lexicon.having(source.places):
        here, there = source.only_place(entry.source.values()), reference.only_place(entry.reference.values())
        if here is None or there is None or here[1] in found:
            continue
        if not _go_together(pair, entry, here[1], there[1]):
            continue
        offer = _offer(lexicon, entry, (source, *here), (reference, *there))
        if offer is not None:
            found[here[1]] = offer
    # The longer one wins where two overlap.
    kept: list[Place] = []
    for place in sorted(found, key=lambda p: (p[0] - p[1], p)):
        if all(place[1] <= other[0] or place[0] >= other[1] for other in kept):
            kept.append(place)
    return [found[place] for place in sorted(kept)]


def _go_together(pair: ReadPair, entry: Entry, here: Place, there: Place) -> bool:
    """Whether two places can be translations of each other here: the aligner says so, or they stand alike.

    Names and nouns may move far; a verb or a small word far from its place belongs to something else.
    """
    linked = [(a, b) for a, b in pair.links if here[0] <= a < here[1] or there[0] <= b < there[1]]
    if linked:
        return any(here[0] <= a < here[1] and there[0] <= b < there[1] for a, b in linked)
    moved = abs(here[0] / len(pair.source.tokens) - there[0] / len(pair.reference.tokens))
    return abs(here[0] - there[0]) <= _NEAR or moved <= {"NAME": 1.0, "NOUN": 0.5}.get(entry.part, 0.25)


def _offer(
    lexicon: Lexicon, entry: Entry, here: tuple[_Side, str, Place], there: tuple[_Side, str, Place]
) -> Offer | None:
    cells = entry.cells(here[1], there[1])
    for number, (side, _, place) in enumerate((here, there)):
        if left_alone(side.language, side.annotation, place, entry):
            return None
        cells = possible_cells(side.language, number, side.annotation, place, cells)
    if not cells:
        return None
    return _made(here[0], there[0], here[2], there[2], entry, lexicon.substitutes(entry, cells))


def _made(
    source: _Side,
    reference: _Side,
    place: Place,
    other: Place,
    entry: Entry,
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
    head = head_of(source.annotation, source.start(place), source.end(place))
    kind = entry.group.split(" ")[0]
    label = source.annotation.tokens[head].pos or {"NAME": "PROPN"}.get(entry.part, entry.part)
    labels = (label, _ENTITIES[kind]) if kind in _ENTITIES else (label,)
    return Offer(
        source.start(place), source.end(place), reference.start(other), reference.end(other),
        head, entry.group, labels, tuple(kept.values()),
    )  # fmt: skip


def _hides_gender(entry: Entry, substitute: Substitute) -> bool:
    """Whether English would no longer say what its translation says: `sister`, but `cousin` and `prima`."""
    assert substitute.entry is not None
    before, after = (next(iter(one.source.values())) for one in (entry, substitute.entry))
    return says_gender(before) and not says_gender(after)


def _fits(side: _Side, place: Place, after: str, substitute: Substitute, number: int) -> bool:
    """Whether a substitute can stand here: it is not in the sentence yet, and the words before go with it."""
    assert substitute.entry is not None
    forms = substitute.entry.reference if number else substitute.entry.source
    if not keeps_genitive(side.annotation.text, side.start(place), side.end(place), after):
        return False
    if side.language == "en" and not goes_with_words_before(
        side.annotation.tokens, place, after, part=substitute.entry.part, forms=forms
    ):
        return False
    return not side.has_any(forms.values())
