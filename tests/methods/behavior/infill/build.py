"""Masked pairs, chat models that say what a test wants, and a system around them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mtassay.data.languages import Pair, parse_pair
from mtassay.methods.behavior.infiller import Masked
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.nlp.annotation import Annotation
from mtassay.nlp.chat_models import ChatReply, Message
from mtassay.systems.live import Limits

EN_PT = parse_pair("en-pt")


def masked(
    source: str,
    reference: str,
    *words: tuple[str, str],
    capability: str = "noun",
    number: int = 0,
    id_: str = "1",
) -> Masked:
    """A pair with the first place of each word, on both sides, masked."""
    spans = tuple(
        AlignedSpan(
            start := source.index(word),
            start + len(word),
            there := reference.index(other),
            there + len(other),
            "NOUN",
            0,
        )
        for word, other in words
    )
    pair = ReadPair(id_, Annotation(source), Annotation(reference), frozenset())
    return Masked(pair, capability, spans, tuple(f'a noun other than "{word}"' for word, _ in words), number)


SHOP = masked("The shop is near the river.", "A loja fica perto do rio.", ("shop", "loja"))
BOTH = masked(
    "The shop is near the river.",
    "A loja fica perto do rio.",
    ("shop", "loja"),
    ("river", "rio"),
    capability="general",
)


def as_json(source: str, reference: str) -> str:
    """A reply as it was asked for."""
    return json.dumps({"filled_source": source, "filled_translation": reference}, ensure_ascii=False)


@dataclass
class Scripted:
    """A chat model that gives one reply after another, or asks a function for it; remembers all calls."""

    replies: Sequence[str | Exception] | Callable[[Sequence[Message]], str]
    calls: list[dict[str, Any]] = field(default_factory=list)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        temperature: float | None = 0.0,
        seed: int | None = None,
        json_schema: Mapping[str, Any] | None = None,
    ) -> ChatReply:
        """The next reply."""
        self.calls.append(
            {"messages": list(messages), "temperature": temperature, "seed": seed, "schema": json_schema}
        )
        reply = self.replies(messages) if callable(self.replies) else self.replies[len(self.calls) - 1]
        if isinstance(reply, Exception):
            raise reply
        return ChatReply(text=reply)


@dataclass
class Model:
    """What `openai:` and `llama:` are to the infiller."""

    chat: Any
    name: str = "fake"
    pair: Pair = EN_PT
    temperature: float | None = 0.0
    seed: int | None = None
    signature: str = "fake-model"
    limits: Limits = field(default_factory=Limits)
