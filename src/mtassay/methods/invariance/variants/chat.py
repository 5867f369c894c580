"""Words that a chat model proposes for a place, where no masked model is at hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from mtassay.caller import UnkeptTools
from mtassay.core import Tools
from mtassay.languages import Pair, parse_language
from mtassay.methods.invariance.variants.base import Candidate, Substituter, WordPlace
from mtassay.methods.invariance.variants.places import with_case
from mtassay.systems.conversations import (
    BadReplyError,
    Conversations,
    ask_until_usable,
    objection,
    only_object,
    open_chat,
)
from mtassay.tools.chat import Message

__all__ = ["ChatSubstitutes"]

TRIES = 2
PROMPT = 1
"""Counts up when the words of the prompt, or what is taken from a reply, change."""
_KEY = "words"
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {_KEY: {"type": "array", "items": {"type": "string"}}},
    "required": [_KEY],
    "additionalProperties": False,
}
_TASK = (
    "In the {language} sentence below, the {kind} between [[ and ]] is to be replaced. Give {count} other "
    "{language} words, the best first, each of which can stand there alone: a single word, the same part of "
    "speech in the same grammatical form, none that stands in the sentence already, so that the sentence is "
    'still grammatical and plausible. Answer with nothing but JSON: {{"words": [WORD, …]}}.\n\n{sentence}'
)
_KINDS = {
    "NOUN": "noun",
    "ADJ": "adjective",
    "VERB": "verb",
    "ADV": "adverb",
    "PROPN": "name",
    "NUM": "number",
}


@dataclass(frozen=True)
class ChatSubstitutes(Substituter):
    """Proposes what a chat model says could stand in place of a word, one conversation for a place.

    `model` is a chat system as in `llm:openai:gpt-5-mini`, `language` the one of the sources. The order is
    the model's; the score says no more than that. Replies are kept where `lent` gave tools to keep them.
    """

    model: str
    language: str
    tools: Tools = field(default_factory=UnkeptTools, repr=False, compare=False)
    name: str = field(default="llm", init=False, repr=False)
    about: ClassVar[str] = "what a chat model says could stand in the word's place"
    argument: ClassVar[str] = "MODEL"
    wants: ClassVar[str] = "a chat model as openai:gpt-5-mini or llama:MODEL.gguf"
    asks_models: ClassVar[bool] = True

    @classmethod
    def open(cls, rest: str, language: str) -> Substituter:
        substituter = cls(rest, language)
        _ = substituter._system  # a mistake in the model is told at once
        return substituter

    def lent(self, tools: Tools) -> Substituter:
        return ChatSubstitutes(self.model, self.language, tools)

    @property
    def signature(self) -> str:
        """The model's, and the release of the prompt."""
        return f"{self._system.signature}|prompt:{PROMPT}|tries:{TRIES}"

    def substitutes(self, places: Sequence[WordPlace], *, count: int) -> list[list[Candidate]]:
        """For each place, in order, at most `count` words, best first; `[]` where no reply could be used.

        They are spelled for the place, and never the word that stands there already. How many places got no
        usable reply is noted.
        """
        if not places or count < 1:
            return [[] for _ in places]
        heard = ask_until_usable(
            self.tools,
            self._system,
            [self._messages(place, count) for place in places],
            lambda i, reply: _read(reply, places[i], count),
            tries=TRIES,
            object_to=objection,
        )
        reasons = Counter(answer.why for answer in heard if answer.value is None)
        if reasons:
            why = ", ".join(f"{number:,} {reason}" for reason, number in reasons.most_common(3))
            self.tools.note(
                f"{self._system.name}: no words for {reasons.total():,} of {len(places):,} places ({why})"
            )
        return [answer.value or [] for answer in heard]

    @cached_property
    def _system(self) -> Conversations:
        language = parse_language(self.language)
        name = f"llm:{self.model.partition('?')[0]}"
        model = open_chat("substituter", self.model, Pair(language, language), name=name)
        return Conversations(name=model.name, pair=model.pair, model=model, form="words", schema=SCHEMA)

    def _messages(self, place: WordPlace, count: int) -> list[Message]:
        sentence, token = place.sentence, place.sentence.tokens[place.token]
        shown = f"{sentence.text[: token.start]}[[{token.text}]]{sentence.text[token.end :]}"
        text = _TASK.format(
            language=parse_language(self.language).name,
            kind=_KINDS.get(token.pos, "word"),
            count=count,
            sentence=shown,
        )
        return [{"role": "user", "content": text}]


def _read(reply: str, place: WordPlace, count: int) -> list[Candidate]:
    """The words of a reply, spelled for the place; what cannot be one word of it is left out."""
    listed = only_object(reply, _KEY)
    if not isinstance(listed, list) or not all(isinstance(word, str) for word in listed):
        raise BadReplyError("not the JSON asked for", '"words" is no list of words')
    like = place.sentence.tokens[place.token].text
    words = dict.fromkeys(with_case(word.strip(), like) for word in listed if word.strip().isalpha())
    others = [word for word in words if word.casefold() != like.casefold()]
    if not others:
        raise BadReplyError("no other word", "there is no other single word in it")
    return [Candidate(word, float(-order)) for order, word in enumerate(others[:count])]
