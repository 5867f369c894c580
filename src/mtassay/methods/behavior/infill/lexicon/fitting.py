"""Whether another word goes with its sentence, and whether two words stand alike on both sides."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.methods.behavior.infill.lexicon.context import Place
from mtassay.methods.behavior.infill.lexicon.entries import LexiconEntry
from mtassay.methods.behavior.infill.lexicon.portuguese import joined_preposition
from mtassay.methods.behavior.pairs import ReadPair
from mtassay.tools.annotate.annotation import Annotation, Token

__all__ = ["goes_with_sentence", "stand_alike"]

_SURE = frozenset((
    "apparently", "certainly", "clearly", "definitely", "evidently", "obviously", "probably", "surely",
))  # fmt: skip
"""Adverbs that say how sure an answer is, so that no question has them."""
_AWAY = {"go": "here", "come": "there"}
"""Where a verb of motion does not lead."""
_ON = frozenset((
    "avenue", "avenues", "beach", "beaches", "farm", "farms", "hill", "hills", "highway", "highways",
    "island", "islands", "mountain", "road", "roads", "street", "streets",
))  # fmt: skip
"""Places that English has `on` for, where it has `in` for others."""
_NEVER_DENIED = frozenset(("incredibly", "quite", "relatively", "slightly", "surprisingly"))
"""Degrees that no sentence with a `not` before them has."""
_BETWEEN = frozenset(("DET", "ADJ", "NUM", "PRON", "ADV"))


def goes_with_sentence(language: str, annotation: Annotation, place: Place, after: str) -> bool:
    """Whether another word can stand here for all that the rest of the sentence says."""
    tokens = annotation.tokens
    before = tokens[place[0] - 1] if place[0] else None
    if language == "pt":  # `a aquela` is written `àquela`
        word = before.text.lower() if before is not None else ""
        first = after.split(" ")[0]
        return not word or joined_preposition(word, first) == f"{word} {first}"
    if language != "en":
        return True
    word = after.lower()
    if word in _SURE and any(token.text == "?" for token in tokens[place[1] :]):
        return False
    if word in _NEVER_DENIED and any(token.text in ("not", "n't", "n’t") for token in tokens[: place[0]]):
        return False
    governor = _head(tokens, place[0])
    if governor is not None and _AWAY.get(governor.lemma) == word:
        return False
    preposition = _preposition(tokens, place[0])
    if preposition == "on" and tokens[place[1] - 1].text in _ON:
        return word in _ON
    return preposition not in ("in", "into") or word not in _ON or tokens[place[1] - 1].text in _ON


def _head(tokens: Sequence[Token], number: int) -> Token | None:
    """What a token hangs from."""
    head = tokens[number].head
    return tokens[head] if 0 <= head < len(tokens) and head != number else None


def _preposition(tokens: Sequence[Token], number: int) -> str:
    """The preposition before a noun with its article and adjectives; nothing where there is none."""
    number -= 1
    while number >= 0 and tokens[number].pos in _BETWEEN:
        number -= 1
    return tokens[number].text.lower() if number >= 0 and tokens[number].pos == "ADP" else ""


_BARE = frozenset(("instrument", "sport", "subject"))
"""The groups of nouns that Portuguese may have without an article where English has one: `toca piano`."""
_MOVABLE = frozenset(("certainty", "ever", "focus", "frequency", "middle", "never", "simply"))
"""The groups of adverbs that say something of a verb, near which they stand."""


def stand_alike(
    languages: tuple[str, str], pair: ReadPair, entry: LexiconEntry, place: Place, partner: Place
) -> bool:
    """Whether a word of the source and its translation do the same in their sentences."""
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
    """Whether a verb stands right before a noun, so that it has no article: `ouve rádio`."""
    return place[0] > 0 and tokens[place[0] - 1].pos == "VERB"


def _of_one_verb(
    english: Sequence[Token],
    number: int,
    portuguese: Sequence[Token],
    there: Place,
    links: frozenset[tuple[int, int]],
) -> bool:
    """Whether two adverbs go with the same verb, as far as the aligner knows.

    They do not in `he also learned to sing` and `aprendeu a cantar também`.
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
