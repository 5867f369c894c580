"""The lexicon infiller: fills each masked place with a substitute from the lexicon, chosen by a hash."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from mtassay.data.languages import Pair, parse_pair
from mtassay.data.nouns import Edit, RunContext, apply_edits
from mtassay.methods.behavior.capabilities import Preposition
from mtassay.methods.behavior.capability import Capability, capability_class
from mtassay.methods.behavior.infiller import Distinct, Filled, Infiller, Masked, Rejected
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.methods.invariance.substitute_lexicon import SubstituteLexicon, open_lexicon
from mtassay.methods.invariance.substitutes import WordPlace
from mtassay_en.lexicon_entries import DATA, LANGUAGES, Substitute, load_lexicon, near_groups
from mtassay_en.number_edits import number_offers
from mtassay_en.offers import Offer, name_offers, word_offers

_QUANTITIES = frozenset(("CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME", "QP"))

_JUDGED = {"NOUN": 0.0, "VERB": 0.75, "ADJ": 0.0, "ADV": 0.65}
"""Parts of speech whose words must read naturally in their place, with the lowest score."""
_GO_ANYWHERE = frozenset((
    "amount", "currency", "frequency", "growth", "motion up", "nationality", "nationality other", "ordinal",
    "outcome", "side", "wish",
))  # fmt: skip
"""The groups whose words can always replace each other."""

_RULES = 10
"""Increase this number when a change of the code changes the substitutes."""


class LexiconInfiller(Infiller):
    """Replaces numbers, names and words by others of their kind, in pairs of known languages.

    It changes only the place in both texts, and offers no edit if anything else would have to change. So the
    pseudo-reference is as correct as the reference.
    """

    name = "lexicon"

    def __init__(self, pair: Pair | str) -> None:
        self.pair = parse_pair(pair) if isinstance(pair, str) else pair
        self._languages = self.pair.source.code, self.pair.target.code
        load_lexicon(*self._languages)

    @classmethod
    def open(cls, pair: Pair, rest: str, context: RunContext) -> LexiconInfiller:
        """Open the lexicon of these two languages."""
        return cls(pair)

    @classmethod
    def serves(cls, pair: Pair) -> bool:
        """Whether both languages have tables."""
        return {pair.source.code, pair.target.code} <= LANGUAGES.keys()

    @classmethod
    def never_edits(cls, capability: type[Capability]) -> bool:
        """Whether a capability is not possible: there are no prepositions and no other forms of a word."""
        return capability.changes_form or capability.name == Preposition.name

    @classmethod
    def distinct(cls, provenance: Mapping[str, Any]) -> Distinct:
        """Words of a group differ in meaning, unless they may share a translation."""
        kinds = provenance.get("lexicon")
        if not isinstance(kinds, list | tuple) or not kinds:
            return Distinct(False, False)
        exclusive = [str(kind) not in near_groups() for kind in kinds]
        return Distinct(any(exclusive), all(exclusive))

    @property
    def signature(self) -> str:
        """The signature: the pair, the contents of the lexicon files, and the rules for unsafe words."""
        return f"lexicon:{'-'.join(self._languages)}:{_contents()}:{_RULES}"

    def fill(self, masked: Sequence[Masked]) -> list[Filled | Rejected]:
        """Return one answer per masked pair, in order; equal pairs, places and numbers get equal answers."""
        return [self._fill(one) for one in masked]

    def spans(self, pair: ReadPair, *, start: bool = False, forms: bool = False) -> list[AlignedSpan]:
        """The places of a pair that the lexicon can fill: see `lexicon_spans`."""
        return [] if forms else lexicon_spans(pair, self.pair, start=start)

    def _fill(self, masked: Masked) -> Filled | Rejected:
        capability = capability_class(masked.capability)
        if capability is not None and self.never_edits(capability):
            return Rejected(masked, "no such edit in the lexicon", is_final=True)
        changes, others, kinds = [], [], []
        offers = lexicon_offers(self._languages, masked.pair)
        used: set[str] = set()
        for span in masked.spans:
            offer = _offer_at(offers, span)
            if offer is None:
                return Rejected(masked, "not in the lexicon", is_final=True)
            substitute = _choice(offer, masked, used, self._languages)
            if substitute is None:
                return Rejected(masked, "no other word in the lexicon", is_final=True)
            used |= {substitute.source.lower(), substitute.reference.lower()}
            changes.append(_change(masked.pair.source.text, offer.start, offer.end, substitute.source))
            others.append(
                _change(
                    masked.pair.reference.text,
                    offer.reference_start,
                    offer.reference_end,
                    substitute.reference,
                )
            )
            kinds.append(_group(substitute) or offer.kind)
        changes.sort()
        others.sort()
        return Filled(
            masked,
            apply_edits(masked.pair.source.text, changes),
            apply_edits(masked.pair.reference.text, others),
            tuple(changes),
            tuple(others),
            {"lexicon": kinds},
        )


def lexicon_spans(pair: ReadPair, languages: Pair | str, *, start: bool = False) -> list[AlignedSpan]:
    """The places that the lexicon can edit, in order; a place that is an entity is repeated as an entity.

    The lexicon has both sides as translations of each other, so no aligner is needed. `start` allows the
    first word of the source.
    """
    both = parse_pair(languages) if isinstance(languages, str) else languages
    offers = lexicon_offers((both.source.code, both.target.code), pair)
    first = next((token.start for token in pair.source.tokens if token.text[:1].isalnum()), 0)
    return [span for offer in offers if start or offer.start > first for span in offer.spans()]


def lexicon_offers(languages: tuple[str, str], pair: ReadPair) -> list[Offer]:
    """All edits that the lexicon offers for a pair, in order; places do not overlap."""
    kept: list[Offer] = []
    for offers in (
        number_offers(languages, pair),
        word_offers(load_lexicon(*languages), languages, pair),
        name_offers(languages, pair),
    ):
        kept += [offer for offer in offers if all(_apart(offer, other) for other in kept)]
    return sorted(kept, key=lambda offer: offer.start)


def _apart(a: Offer, b: Offer) -> bool:
    source_apart = a.end <= b.start or a.start >= b.end
    return source_apart and (a.reference_end <= b.reference_start or a.reference_start >= b.reference_end)


def _offer_at(offers: Sequence[Offer], span: AlignedSpan) -> Offer | None:
    """The offer for a span: the same place, or else the head of a longer phrase, inside it in both texts."""
    inside = [
        offer
        for offer in offers
        if span.start <= offer.start
        and offer.end <= span.end
        and span.reference_start <= offer.reference_start
        and offer.reference_end <= span.reference_end
    ]
    for offer in inside:
        if (offer.start, offer.end) == (span.start, span.end):
            return offer
    for fits in (
        lambda offer: offer.head == span.head,
        lambda offer: span.label in offer.labels[1:],
        lambda offer: span.label in _QUANTITIES and offer.labels[0] == "NUM",
    ):
        fitting = next(filter(fits, inside), None)
        if fitting is not None:
            return fitting
    return None


def _choice(offer: Offer, masked: Masked, used: set[str], languages: tuple[str, str]) -> Substitute | None:
    """The substitute for this repetition; each is used once, in an order that depends on the texts.

    The first group comes first. If two have the same translation (`big` and `large`), one is left out, since
    they test the same. English words that do not read naturally here are also left out.
    """
    seed = f"{masked.pair.source.text}\0{masked.pair.reference.text}\0{offer.start}"
    free = [s for s in offer.substitutes if s.source.lower() not in used and s.reference.lower() not in used]
    rank = {group: n for n, group in enumerate(dict.fromkeys(_group(one) for one in offer.substitutes))}
    ordered = sorted(
        _natural(free, offer, masked.pair, languages),
        key=lambda s: (
            rank[_group(s)],
            hashlib.sha256(f"{seed}\0{s.source}\0{s.reference}".encode()).digest(),
        ),
    )
    first: dict[str, Substitute] = {}
    for substitute in ordered:
        first.setdefault(substitute.reference, substitute)
    return [*first.values()][masked.number] if masked.number < len(first) else None


def _natural(
    substitutes: Sequence[Substitute], offer: Offer, pair: ReadPair, languages: tuple[str, str]
) -> list[Substitute]:
    """Substitutes whose English word reads naturally here, according to the table of substitutes."""
    if "en" not in languages or all(_goes_anywhere(one) for one in substitutes):
        return list(substitutes)
    is_source = languages[0] == "en"
    side, start = (pair.source, offer.start) if is_source else (pair.reference, offer.reference_start)
    number = next(i for i, token in enumerate(side.tokens) if token.start == start)
    scores = {
        candidate.word.lower(): candidate.score
        for candidate in _table().substitutes([WordPlace(side, number)], count=1000)[0]
    }
    return [one for one in substitutes if _goes_anywhere(one) or _fits(one, scores, is_source)]


def _fits(one: Substitute, scores: Mapping[str, float], is_source: bool) -> bool:
    score = scores.get((one.source if is_source else one.reference).lower())
    return score is not None and one.entry is not None and score >= _JUDGED[one.entry.part]


def _goes_anywhere(substitute: Substitute) -> bool:
    entry = substitute.entry
    return entry is None or entry.part not in _JUDGED or entry.group in _GO_ANYWHERE


@lru_cache(maxsize=1)
def _table() -> SubstituteLexicon:
    return open_lexicon("en")


def _group(substitute: Substitute) -> str:
    return substitute.entry.group if substitute.entry else ""


def _change(text: str, start: int, end: int, after: str) -> Edit:
    return Edit(start, end, text[start:end], after)


@lru_cache(maxsize=1)
def _contents() -> str:
    """A fingerprint of the data files."""
    digest = hashlib.sha256()
    for path in sorted([*DATA.glob("*.tsv"), *DATA.glob("*.txt")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
