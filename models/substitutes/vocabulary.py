"""The inflected forms of common English words, with all that decides which may replace which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from counting import Usage
from lemminflect import getInflection, getLemma
from lists import FEMALE, MALE, NEVER, NEVER_ADJECTIVES
from wordfreq import zipf_frequency
from wordnet import Entry

TAGS = {
    "n": ("NN", "NNS"),
    "a": ("JJ", "JJR", "JJS"),
    "v": ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"),
    "r": ("RB",),
}
# Frequencies are Zipf's: 3 is once in a million words.
LEMMA, FORM, OFFERED = 3.3, 2.8, 3.6
PERSON = 18  # WordNet's number of this kind of noun


@dataclass(frozen=True, eq=False)
class Form:
    """One form of a word under one tag.

    `offered` says whether it may stand for others. `needs` is what a substitute must be able to do: be
    counted ("c"), go without an article ("m"), take an object ("t"), go without one ("i"); `can` is what
    it can do itself.
    """

    text: str
    tag: str
    lemma: str
    part: str
    entry: Entry
    offered: bool
    needs: frozenset[str]
    can: frozenset[str]

    def may_become(self, other: Form) -> bool:
        """Whether the other one may stand here."""
        mine, its = self.entry, other.entry
        return (
            self.lemma != other.lemma
            and self.text != other.text
            and (mine.kind in its.usual_kinds or its.kind in mine.usual_kinds)
            and self.needs <= other.can
            and _gender(self.lemma) == _gender(other.lemma)
            and not _same_word(self, other)
        )


def read_vocabulary(entries: dict[tuple[str, str], Entry], usage: Usage) -> list[Form]:
    """All forms of common words, in a fixed order."""
    forms = []
    for (lemma, part), entry in sorted(entries.items(), key=lambda item: item[0]):
        if zipf_frequency(lemma, "en") < LEMMA or len(lemma) < 3 or not lemma.isascii():
            continue
        if part == "r" and not lemma.endswith("ly"):
            continue  # the short adverbs (not, very, there) have places of their own
        if part == "n" and getLemma(lemma, upos="NOUN")[0] != lemma:
            continue  # a plural that WordNet lists by itself
        never = lemma in NEVER or (part == "a" and (lemma in NEVER_ADJECTIVES or _tied_to_its_place(entry)))
        lemma_share = _lemma_share(lemma, part, entries)
        needs, can = _nature(lemma, part, entry, usage)
        for text, tag in _forms(lemma, part):
            share = _share(text, part, lemma_share, usage)
            zipf = zipf_frequency(text, "en")
            if share < 0.1 or zipf < FORM:
                continue
            common = zipf >= (OFFERED if tag == TAGS[part][0] else OFFERED - 0.4)
            seen = sum(usage.tags.get(text, {}).get(tag, 0) for tag in TAGS[part])
            # A participle or gerund is a noun or adjective of its own only where it is often used so.
            enough = 3 if part in "na" and text.endswith(("ing", "ed")) else 1
            offered = not never and text not in NEVER and share >= 0.6 and common and seen >= enough
            plural = tag == "NNS"
            forms.append(
                Form(
                    text,
                    tag,
                    lemma,
                    part,
                    entry,
                    offered,
                    frozenset() if plural else needs,
                    frozenset("c") if plural else can,
                )
            )
    return forms


def _forms(lemma: str, part: str) -> Iterator[tuple[str, str]]:
    for tag in TAGS[part]:
        if tag in ("NN", "JJ", "VB", "VBP", "RB"):
            yield lemma, tag
            continue
        found = [form for form in getInflection(lemma, tag=tag) if form.isalpha() and form != lemma]
        if found:
            yield max(found, key=lambda form: zipf_frequency(form, "en")), tag


def _lemma_share(lemma: str, part: str, entries: dict[tuple[str, str], Entry]) -> float:
    """How much of the word's use is this part of speech, by WordNet; a sense never seen counts a half."""
    weight = {
        p: entry.count + len(entry.kinds) / 2 for p in TAGS if (entry := entries.get((lemma, p))) is not None
    }
    return weight[part] / sum(weight.values())


def _share(text: str, part: str, lemma_share: float, usage: Usage) -> float:
    """How much of the form's use is this part of speech: as tagged, smoothed by WordNet's."""
    tags = usage.tags.get(text, Counter())
    seen = sum(number for tag, number in tags.items() if tag in TAGS[part])
    return (seen + 5 * lemma_share) / (sum(tags.values()) + 5)


def _nature(lemma: str, part: str, entry: Entry, usage: Usage) -> tuple[frozenset[str], frozenset[str]]:
    """What a substitute must be able to do, and what the word itself can."""
    if part == "v":
        frames = frozenset("t" if transitive else "i" for transitive in entry.frames)
        return frames, frames
    if part != "n":
        return frozenset(), frozenset()
    if entry.kind == PERSON:
        return frozenset("c"), frozenset("c")
    counted = _counted(lemma, usage)
    needs = {"c"} if counted > 0.4 else {"m"}
    can = {letter for letter, can in (("c", counted > 0.25), ("m", counted < 0.55)) if can}
    return frozenset(needs), frozenset(can)


def _counted(lemma: str, usage: Usage) -> float:
    """The share of "a loaf" beside bare "bread"; where few are seen, a frequent plural helps to guess."""
    plural = next((text for text, tag in _forms(lemma, "n") if tag == "NNS"), "")
    gap = zipf_frequency(lemma, "en") - (zipf_frequency(plural, "en") if plural else 0)
    guess = 0.05 if gap > 2 else 0.4 if gap > 1.3 else 0.85
    one, bare = usage.one[lemma], usage.bare[lemma]
    return (one + 6 * guess) / (one + bare + 6)


def _tied_to_its_place(entry: Entry) -> bool:
    """Whether an adjective stands only before a noun, or only after a verb."""
    return entry.placed[0] in ("a", "p", "ip")


def _gender(lemma: str) -> str:
    return "f" if lemma in FEMALE else "m" if lemma in MALE else ""


def _same_word(a: Form, b: Form) -> bool:
    """Spellings of one word (grey, gray), and a word inside another (rain, rainfall; happy, unhappy)."""
    longer, shorter = sorted((a.lemma, b.lemma), key=len, reverse=True)
    if longer.startswith(shorter) or (longer.endswith(shorter) and len(shorter) > 4):
        return True
    return (
        bool({*a.entry.synsets} & {*b.entry.synsets})
        and SequenceMatcher(None, a.lemma, b.lemma).ratio() > 0.8
    )
