"""The capabilities by name. A package adds its own with an entry point in the group `mtassay.capability`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, cast

from mtassay.errors import UsageError
from mtassay.methods.behavior.capabilities.base import Capability

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

__all__ = ["ALIASES", "CAPABILITIES", "capability_names", "in_usual_order", "open_capability"]

CAPABILITIES = {
    "noun": "a noun or noun phrase becomes another",
    "verb": "a verb or verb phrase becomes another",
    "adjective": "an adjective or adjective phrase becomes another",
    "adverb": "an adverb or adverb phrase becomes another",
    "preposition": "a preposition or prepositional phrase becomes another",
    "others": "a number, pronoun, determiner or other small word becomes another",
    "tense": "a verb is put into the past perfect",
    "ner": "a named entity becomes another of the same kind",
    "general": "random words and phrases become others, less than 20 % of the source",
    "number": "a singular noun becomes plural, or the reverse",
    "negation": "a statement is negated, or its negation goes",
    "gender": "the only person in the source is of the other gender",
    "politeness": "a formal word becomes an informal one, or the reverse",
}
"""What each capability edits, in one line: the nine of the paper, then ours."""
ALIASES = {"adj": "adjective", "adv": "adverb", "prep": "preposition", "entity": "ner", "entities": "ner"}

_CLASSES = {
    "noun": "parts_of_speech:Noun", "verb": "parts_of_speech:Verb", "adjective": "parts_of_speech:Adjective",
    "adverb": "parts_of_speech:Adverb", "preposition": "parts_of_speech:Preposition",
    "others": "others:Others", "tense": "tense:Tense", "ner": "entities:Entity", "general": "general:General",
    "number": "number:Number", "negation": "negation:Negation", "gender": "gender:Gender",
    "politeness": "politeness:Politeness",
}  # fmt: skip


def capability_names() -> list[str]:
    """All capabilities, ours and those of other packages."""
    return [*CAPABILITIES, *sorted(_entry_points().names - CAPABILITIES.keys())]


def in_usual_order(names: Iterable[str]) -> list[str]:
    """Names of capabilities, each once, in the order of `CAPABILITIES`; those that it lacks come last.

    >>> in_usual_order(["sarcasm", "ner", "noun", "ner"])
    ['noun', 'ner', 'sarcasm']
    """
    rank = {name: number for number, name in enumerate(CAPABILITIES)}
    return sorted(dict.fromkeys(names), key=lambda name: rank.get(name, len(rank)))


def open_capability(name: str) -> Capability:
    """The capability of this name or alias, in any case; `UsageError` where there is none.

    >>> open_capability("adj").name, open_capability("NER").name
    ('adjective', 'ner')
    >>> open_capability("nouns")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    mtassay.errors.UsageError: No capability 'nouns'. Available: noun, verb, adjective, adverb, ...
    """
    wanted = name.strip().lower()
    wanted = ALIASES.get(wanted, wanted)
    if wanted in _CLASSES:
        module, _, kind = _CLASSES[wanted].partition(":")
        made = getattr(import_module(f"mtassay.methods.behavior.capabilities.{module}"), kind)
        return cast(Callable[[], Capability], made)()
    for point in _entry_points().select(name=name.strip()):
        return cast(Callable[[], Capability], point.load())()
    raise UsageError(f"No capability '{name}'. Available: {', '.join(capability_names())}.")


def _entry_points() -> EntryPoints:
    from importlib.metadata import entry_points  # slow to load, and seldom needed

    return entry_points(group="mtassay.capability")
