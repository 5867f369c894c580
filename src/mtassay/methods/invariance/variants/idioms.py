"""English words that no other word can stand for: parts of fixed phrases, quantities, light nouns."""

from __future__ import annotations

__all__ = ["FIXED_PHRASES", "LIGHT_WORDS"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FIXED_PHRASES: tuple[tuple[str, ...], ...] = tuple(
    tuple(phrase.split())
    for phrase in """
    free of charge; at no charge; in charge of; cats and dogs; pride and joy; holding the bag; give my best
    on the way; in the way; by the way; all the way; half way; no way; on my way; on his way; on her way
    in fact; in the end; at the end; by the end; at the same time; on time; in time; at times; at first
    at last; at least; at most; at best; at worst; at once; at all; at home; at work; at school
    at night; at hand; on hand; by hand; at risk; at stake; at large; at length; at will; at ease
    at peace; at war; in order; in order to; as well as; such as; a lot; a lot of; lots of; kind of
    sort of; a bit; a bit of; a little; a few; a couple of; a number of; a great deal; a good deal
    a pair of; plenty of; of course; in case; in any case; in this case; for example; for instance
    in general; in particular; in public; in private; in common; in advance; in addition; in charge
    in touch; in turn; in place; in favor; in favour; in front; in spite; in terms; in view; in light
    in detail; in short; in brief; in doubt; in love; in trouble; in danger; in bed; in hospital
    in prison; in stock; in use; in vain; in a hurry; in a row; in a way; in a sense; in the long run
    in the meantime; in the middle; in the first place; in the face of; in the wake of; in the course of
    in the light of; in the name of; on foot; on purpose; on board; on duty; on sale; on fire; on top
    on behalf; on account; on average; on the other hand; on the one hand; on the contrary; on the spot
    on the whole; on the basis; on the part of; on the verge of; on the edge of; on the side; on hold
    on track; on strike; on record; by accident; by chance; by mistake; by far; by heart; by means
    by no means; by virtue; by the time; for the time being; for sure; for good; for free; for sale
    for the sake of; for a while; for now; from time to time; from now on; from the start; so far
    as far as; as long as; as soon as; as a result; as a whole; as a rule; as a matter of fact; as usual
    out of order; out of date; out of the question; out of hand; out of control; out of place
    out of sight; out of breath; out of nowhere; up to date; take place; takes place; took place
    taken place; taking place; take part; takes part; took part; take care; takes care; took care
    take advantage; took advantage; take into account; took into account; take turns; make sure
    makes sure; made sure; make sense; makes sense; made sense; make fun; make a difference
    make up his mind; make up her mind; make up my mind; make a living; make friends; make room
    pay attention; paid attention; keep track; kept track; lose track; keep an eye; have fun; had fun
    have no idea; has no idea; had no idea; catch sight; give birth; gave birth; give way; gave way
    lose sight; come true; came true; go wrong; went wrong; fall short; fell short; run short
    bear in mind; keep in mind; side by side; step by step; day by day; one by one; face to face
    hand in hand; word for word; back and forth; once upon a time; more or less; sooner or later
    no matter; no longer; no wonder; no doubt; no idea; the fact that; the number of; the rest of
    the bottom line; the point is; the thing is; the other day; first of all; last but not least
    well known; long term; short term; high school; middle school; prime minister; real estate
    free trade; common sense; small talk; big deal; good luck; bad luck; good morning; good afternoon
    good evening; good night; happy birthday; merry christmas; dear sir; head over heels; piece of cake
    under the weather; over the moon; back of his hand; back of my hand; breathed a sigh
    a sigh of relief; under way; under control; under pressure; under construction; under review
    second half; first half; middle class; working class; human being; human beings; human rights
    civil war; world war; cold war; great depression; black hole; fast food; soft drink; dry cleaner
    public school; according to; due to; prior to; next to; close to; full of; because of; instead of
    regardless of; thanks to
    """.replace("\n", ";").split(";")
    if phrase.strip()
)
"""In small letters, word by word."""

LIGHT_WORDS = _words(
    """
    other another same such many few little much more most several own first second third fourth fifth
    sixth seventh eighth ninth tenth last next previous former latter following certain various different
    particular only very main mere sheer utter able unable due likely unlikely ready sure aware worth like
    unlike whole entire half double single sole past ago enough less least further else so-called lot lots
    bunch bit bits kind kinds sort sorts type types way ways fact facts case cases sake behalf lieu spite
    regard regards accordance order means number numbers amount amounts deal majority minority plenty rest
    remainder couple couples pair pairs dozen dozens score part parts side sides end ends top bottom front
    back middle time times moment moments instance example respect account terms view basis course thing
    things something anything everything nothing someone anyone everyone one ones hundred hundreds
    thousand thousands million millions billion billions percent percentage none both all any some each
    every either neither series species pm am
    """
)
"""Quantities, ordinals, pointing adjectives and nouns that carry grammar rather than meaning."""
