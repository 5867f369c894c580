"""Where a word of the lexicon must be left alone, in any language, and which of its forms stands there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from mtassay.methods.behavior.infill.lexicon.english import cells_of_tag
from mtassay.methods.behavior.infill.lexicon.english_context import Place, apart, is_unsafe_in_english
from mtassay.methods.behavior.infill.lexicon.entries import Entry, rows_of
from mtassay.methods.behavior.infill.lexicon.time_context import contradicts_time
from mtassay.tools.annotate.annotation import Annotation, Token

__all__ = ["left_alone", "opens_sentence", "possible_cells"]

_OPENING = frozenset(".!?:\"“”«»'‘’—–-(¿¡…>")
_JOINTS = frozenset("-/_@{}<>%&")
_CLITICS = frozenset(["se", "me", "te", "lhe", "lhes", "nos", "vos"])
_SPEECH = frozenset(("speech", "recall"))
_DEGREES = frozenset((
    "as", "how", "less", "more", "most", "quite", "so", "too", "very",
    "mais", "menos", "muito", "tão", "sehr", "zu", "很", "非常",
))  # fmt: skip
_LIMITS = frozenset(("already", "bereits", "erst", "just", "nur", "only", "schon"))
"""With these a small amount is expected, or a large one."""
_MASCULINE = frozenset([
    "o", "um", "do", "no", "ao", "pelo", "este", "esse", "aquele", "neste", "deste", "meu", "seu", "nosso",
    "nenhum",
])  # fmt: skip
_FEMININE = frozenset([
    "a", "uma", "da", "na", "à", "pela", "esta", "essa", "aquela", "nesta", "desta", "minha", "sua",
    "nossa", "nenhuma",
])  # fmt: skip
_PLACES = frozenset(("city", "country", "state", "continent"))
_LATE_DAY = re.compile(r"\b(?:29|30|31)\b")


def left_alone(language: str, annotation: Annotation, place: Place, entry: Entry) -> bool:
    """Whether the words around make an edit here unsafe in this language."""
    first, last = annotation.tokens[place[0]], annotation.tokens[place[1] - 1]
    text = annotation.text
    around = text[first.start - 1 : first.start], text[last.end : last.end + 1]
    if language != "zh" and (around[0] in _JOINTS or around[1] in _JOINTS):
        return True
    if any(found.start() < last.end and found.end() > first.start for found in _idioms(language, text)):
        return True
    if entry.group.split(" ")[0] in _PLACES and _in_longer_name(annotation.tokens, place):
        return True
    if entry.group == "month" and _LATE_DAY.search(text):  # not every month has it
        return True
    if contradicts_time(language, annotation, place, entry):
        return True
    if entry.group in _SPEECH and language != "zh" and not _quotes(annotation, place):
        return True
    before = annotation.tokens[place[0] - 1].text.lower() if place[0] else ""
    if entry.group == "frequency" and before in _DEGREES:
        return True
    if entry.group == "length" and any(token.text.lower() in _LIMITS for token in annotation.tokens):
        return True
    by_number = ("amount", "bound", "minimum") if language == "en" else ("amount",)
    if entry.group in by_number and not _counts(annotation.tokens, place[1]):
        return True
    if language == "en":
        return is_unsafe_in_english(annotation.tokens, place, entry)
    return language == "pt" and _unsafe_in_portuguese(annotation.tokens, place, entry)


def opens_sentence(annotation: Annotation, first: int) -> bool:
    """Whether a capital at this token may come from its being the first of a sentence."""
    return first == 0 or annotation.tokens[first - 1].text[-1:] in _OPENING


def possible_cells(
    language: str, side: int, annotation: Annotation, place: Place, cells: set[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Those of the cells that the reading of a word allows; `side` is 0 in the source.

    In English the tagger decides, in Portuguese the article where a word has both genders.
    """
    if language == "pt":
        before = annotation.tokens[place[0] - 1].text.lower() if place[0] else ""
        gender = "m" if before in _MASCULINE else "f" if before in _FEMININE else ""
        if gender:
            other = {"m": "f", "f": "m"}[gender]
            kept = {pair for pair in cells if pair[side].rpartition(" ")[2] != other}
            return kept if before != "a" or all(pair[side].startswith("sg") for pair in kept) else cells
        return cells
    if language != "en" or place[1] - place[0] > 1:
        return cells
    cell = cells_of_tag(annotation.tokens[place[0]].tag)
    if cell is None or all(pair[side] == "" for pair in cells):
        return cells
    return {pair for pair in cells if pair[side] == cell}


def _counts(tokens: Sequence[Token], number: int) -> bool:
    """Whether a number or a sum stands here."""
    if number >= len(tokens):
        return False
    token = tokens[number]
    return token.pos == "NUM" or any(c.isnumeric() or c in "$€£" for c in token.text)


def _in_longer_name(tokens: Sequence[Token], place: Place) -> bool:
    """Whether another part of a name stands next to it, as in `Vitória Régia` or `New England`."""
    for number, gap in ((place[0] - 1, place[0]), (place[1], place[1])):
        if 0 <= number < len(tokens) and not apart(tokens, gap) and tokens[number].pos == "PROPN":
            return tokens[number].text[:1].isupper() and tokens[gap - 1].end < tokens[gap].start
    return False


def _unsafe_in_portuguese(tokens: Sequence[Token], place: Place, entry: Entry) -> bool:
    before = tokens[place[0] - 1].text.lower() if place[0] else ""
    after = tokens[place[1]].text.lower() if place[1] < len(tokens) else ""
    if tokens[place[0]].pos in {"VERB": ("NOUN", "ADJ"), "NOUN": ("VERB",)}.get(entry.part, ()):
        return True  # `conversa` the noun and `conversa` the verb
    if entry.part == "VERB":
        return before in _CLITICS or after in _CLITICS
    if entry.group == "quality" and place[1] < len(tokens) and tokens[place[1]].pos == "NOUN":
        return True  # `um bom advogado`, but `um advogado ruim`
    return entry.part == "ADP" and after == "que"


def _quotes(annotation: Annotation, place: Place) -> bool:
    """Whether a verb of speech gives the words said, or `that` and a clause, and not a thing."""
    after = annotation.tokens[place[1]].text.lower() if place[1] < len(annotation.tokens) else ""
    return after in ("that", "que") or any(mark in annotation.text for mark in '"“”«»—')


def _idioms(language: str, text: str) -> list[re.Match[str]]:
    pattern = _idiom_pattern(language)
    return list(pattern.finditer(text)) if pattern else []


@cache
def _idiom_pattern(language: str) -> re.Pattern[str] | None:
    known = [row["idiom"] for _, row in rows_of("idioms") if row["language"] == language]
    edge = "" if language == "zh" else r"\b"
    return re.compile(rf"{edge}(?:{'|'.join(known)}){edge}", re.IGNORECASE) if known else None
