"""What of a language model's reply is the edited pair, and what else it changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from mtassay.core import Edit
from mtassay.languages import Pair
from mtassay.methods.behavior.infill.base import MASK
from mtassay.methods.behavior.infill.prompts import SOURCE_KEY, TRANSLATION_KEY, labels

__all__ = [
    "MOST_CHARACTERS",
    "Adapted",
    "Sentences",
    "adapted_changes",
    "exact_changes",
    "is_left",
    "places_of",
    "read_reply",
    "unquoted",
]


Place = tuple[int, int]

_LEFT = re.compile(
    r"<\s*+(?:/\s*+)?mask\s*+\d*+\s*+(?:/\s*+)?>|\[\s*+mask\s*+\d*+\s*+\]|<extra_id_\d+>|_{3,}", re.IGNORECASE
)
_UNSPACED = "⺀-鿿豈-﫿぀-ヿ가-힯฀-๿"
_PIECE = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|[^\w\s]")
_SPACED_LETTER = re.compile(rf"[^\W{_UNSPACED}]")
# A number of a mask stands where no text can have one.
_GAP = "\0"


@dataclass(frozen=True, slots=True)
class Adapted:
    """The edit of a text in which more was changed; `share` of its unmasked words, 0 to 1, was."""

    changes: tuple[Edit, ...]
    share: float


def is_left(text: str, *, before: str = "") -> bool:
    """Whether a text still has a mask, in any usual spelling, that was not in it `before`.

    >>> is_left("A <mask> barks"), is_left("A [MASK 2] barks"), is_left("A dog barks")
    (True, True, False)
    """
    old_masks = {mask.group().casefold() for mask in _LEFT.finditer(before)}
    return any(mask.group().casefold() not in old_masks for mask in _LEFT.finditer(text))


def places_of(masked: str) -> list[Place]:
    """Where the masks of a text stand."""
    return [mask.span() for mask in re.finditer(re.escape(MASK), masked)]


def exact_changes(text: str, places: Sequence[Place], filled: str) -> tuple[Edit, ...] | None:
    """The changes that make `filled` of `text`, one at each place; `None` if anything else changed.

    `places` are in order and do not overlap. All other characters must be the same; only spaces at the edges
    of a place may differ, where no two words run together, and those of `text` count. An empty filling is
    none. With several places a text can be read in more than one way: earlier ones are as short as can be.

    >>> exact_changes("A small dog barks", [(2, 7)], "A very young dog barks")
    (Edit(start=2, end=7, before='small', after='very young', pos=''),)
    >>> exact_changes("A small dog barks", [(2, 7)], "A young cat barks") is None
    True
    """
    edges = [0, *(edge for place in places for edge in place), len(text)]
    kept = [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    first, last = kept[0].lstrip().rstrip(), kept[-1].strip()
    filled = filled.strip()
    if not places or not filled.startswith(first) or not filled.endswith(last):
        return None
    stop = len(filled) - len(last)
    at, fills, glued = len(first), [], [first]
    for piece in kept[1:-1]:
        middle = piece.strip()
        # At least one character is the filling.
        fill_end = filled.find(middle, at + 1, stop) if middle else _next_space(filled, at, stop)
        if fill_end < 0:
            return None
        fills.append(filled[at:fill_end])
        at = fill_end + len(middle)
        glued.append(middle)
    fills.append(filled[at:stop] if at <= stop else "")
    for before, fill, after in zip(glued, fills, [*glued[1:], last], strict=True):
        if not fill.strip() or _run_together(before, fill) or _run_together(fill, after):
            return None
    return tuple(
        Edit(start, end, text[start:end], fill.strip())
        for (start, end), fill in zip(places, fills, strict=True)
    )


def adapted_changes(text: str, places: Sequence[Place], filled: str) -> Adapted:
    """The edits of a text in which the rest may have changed too, and how much of the rest did.

    The share counts unmasked words that are gone, and words that are new and not next to a place, against
    all unmasked words (characters of a script without spaces are words). Two places with nothing left
    between them share one change.

    >>> adapted = adapted_changes("o gato preto dorme bem", [(2, 6)], "a gata preta dorme bem")
    >>> adapted.changes[0].after, adapted.share
    ('a gata preta', 0.5)
    """
    before, starts, ends = _pieces(text, places)
    pieces = [(match.group(), *match.span()) for match in _PIECE.finditer(filled)]
    after = [word for word, _, _ in pieces]
    changes, moved = [], 0
    for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        gone = sum(piece != _GAP for piece in before[i:j])
        if gone == j - i:  # no place is here
            moved += max(gone, m - k)
            continue
        moved += gone
        start, end = starts[i], ends[j - 1]
        put = filled[pieces[k][1] : pieces[m - 1][2]] if m > k else ""
        changes.append(Edit(start, end, text[start:end], put))
    words = sum(piece != _GAP for piece in before)
    return Adapted(tuple(changes), min(1.0, moved / words) if words else 0.0)


def _pieces(text: str, places: Sequence[Place]) -> tuple[list[str], list[int], list[int]]:
    """The words of a text with a mark at each place, and where each begins and ends."""
    pieces, done = [], 0
    for start, end in places:
        pieces += [(m.group(), *m.span()) for m in _PIECE.finditer(text, done, start)]
        pieces.append((_GAP, start, end))
        done = end
    pieces += [(m.group(), *m.span()) for m in _PIECE.finditer(text, done)]
    return [w for w, _, _ in pieces], [s for _, s, _ in pieces], [e for _, _, e in pieces]


def _next_space(text: str, start: int, stop: int) -> int:
    """Where the first word after `start` ends; -1 if nothing follows it."""
    begin = start + len(text[start:stop]) - len(text[start:stop].lstrip())
    return next((i for i in range(begin + 1, stop) if text[i].isspace()), -1)


def _run_together(left: str, right: str) -> bool:
    """Whether two words of a script with spaces meet without one."""
    return bool(_SPACED_LETTER.match(left[-1:]) and _SPACED_LETTER.match(right[:1]))


MOST_CHARACTERS = 20_000
"""A longer reply is not read: no pair of sentences is that long."""

_QUOTES = ('""', "''", "“”", "‘’", "「」", "『』", "«»")


class Sentences(NamedTuple):
    """The filled source and the filled reference, as the model gave them."""

    source: str
    reference: str


def read_reply(text: str, pair: Pair) -> Sentences | None:
    """The two sentences of a reply; `None` unless there is exactly one pair of them.

    JSON may stand in prose or in a code block. Labels may come in either order, each once.

    >>> from mtassay.languages import parse_pair
    >>> read_reply('Sure! {"filled_source": "A cat.", "filled_translation": "Um gato."}', parse_pair("en-pt"))
    Sentences(source='A cat.', reference='Um gato.')
    >>> read_reply("Filled Portuguese: Um gato.\\nFilled English: A cat.", parse_pair("en-pt")).source
    'A cat.'
    >>> read_reply("A cat. Um gato.", parse_pair("en-pt")) is None
    True
    """
    if len(text) > MOST_CHARACTERS:
        return None
    candidates = set(_from_json(text, pair)) or set(_from_labels(text, pair))
    return candidates.pop() if len(candidates) == 1 else None


def unquoted(sentence: str) -> str:
    """A sentence without quotation marks around all of it.

    >>> unquoted('"A cat."'), unquoted('"No", he said, "not now"')
    ('A cat.', '"No", he said, "not now"')
    """
    inside = sentence[1:-1]
    if not inside or sentence[0] + sentence[-1] not in _QUOTES:
        return sentence
    return sentence if sentence[0] in inside or sentence[-1] in inside else inside.strip()


def _from_json(text: str, pair: Pair) -> Iterator[Sentences]:
    key_pairs = ((SOURCE_KEY, TRANSLATION_KEY), labels(pair))
    for record in _objects(text):
        for source_key, reference_key in key_pairs:
            source, reference = record.get(source_key), record.get(reference_key)
            if (
                isinstance(source, str)
                and isinstance(reference, str)
                and source.strip()
                and reference.strip()
            ):
                yield Sentences(source.strip(), reference.strip())


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """All JSON objects in a text that are not inside another one."""
    decoder = json.JSONDecoder(strict=False)
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, dict):
                yield value
        at = text.find("{", end)


def _from_labels(text: str, pair: Pair) -> Iterator[Sentences]:
    """The first line after each label; models like to set the label in bold."""
    by_label: dict[str, list[str]] = {label.casefold(): [] for label in labels(pair)}
    pattern = "|".join(re.escape(label) for label in labels(pair))
    matches = list(re.finditer(rf"({pattern})[*_ ]{{0,4}}[:：]", text, re.IGNORECASE))
    ends = [match.start() for match in matches] + [len(text)]
    for match, end in zip(matches, ends[1:], strict=True):
        lines = [line.strip("*_# \t\r") for line in text[match.end() : end].split("\n")]
        by_label[match.group(1).casefold()].append(next(filter(None, lines), ""))
    sources, references = (by_label[label.casefold()] for label in labels(pair))
    if len(sources) == len(references) == 1 and sources[0] and references[0]:
        yield Sentences(sources[0], references[0])
