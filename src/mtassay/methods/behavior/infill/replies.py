"""Reads what a language model replied: two sentences, as JSON or after the labels it was asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from mtassay.languages import Pair
from mtassay.methods.behavior.infill.prompts import SOURCE_KEY, TRANSLATION_KEY, labels

__all__ = ["MOST_CHARACTERS", "Sentences", "read_reply", "unquoted"]

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
    found = set(_from_json(text, pair)) or set(_from_labels(text, pair))
    return found.pop() if len(found) == 1 else None


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
    ways = ((SOURCE_KEY, TRANSLATION_KEY), labels(pair))
    for found in _objects(text):
        for source_key, reference_key in ways:
            source, reference = found.get(source_key), found.get(reference_key)
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
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(found, dict):
                yield found
        at = text.find("{", end)


def _from_labels(text: str, pair: Pair) -> Iterator[Sentences]:
    """The first line after each label; models like to set the label in bold."""
    found: dict[str, list[str]] = {label.casefold(): [] for label in labels(pair)}
    pattern = "|".join(re.escape(label) for label in labels(pair))
    matches = list(re.finditer(rf"({pattern})[*_ ]{{0,4}}[:：]", text, re.IGNORECASE))
    ends = [match.start() for match in matches] + [len(text)]
    for match, end in zip(matches, ends[1:], strict=True):
        lines = [line.strip("*_# \t\r") for line in text[match.end() : end].split("\n")]
        found[match.group(1).casefold()].append(next(filter(None, lines), ""))
    sources, references = (found[label.casefold()] for label in labels(pair))
    if len(sources) == len(references) == 1 and sources[0] and references[0]:
        yield Sentences(sources[0], references[0])
