"""Asks a chat model conversations as a live system, so that limits, retries and cache are the caller's."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from mtassay.core import Output, Request
from mtassay.errors import ClosedError, RejectedError, ServiceError
from mtassay.languages import Pair
from mtassay.methods.behavior.infill.prompts import SCHEMA
from mtassay.systems.answers import signature
from mtassay.systems.live import Limits, LiveSystem
from mtassay.tools.chat import ChatReply, Message

__all__ = ["Ask", "Chat", "ChatSystem", "Conversations", "ask_in_turn"]

ADAPTER = 1
LEAST_FOR_SAMPLES = 0.7
"""Further samples and further tries are drawn at no lower temperature: at 0 they would be much the same."""
_TRIES_APART = 1_000_003  # between the seeds of two tries; more samples than that nobody draws
_NO_SCHEMA = re.compile(r"response_format|json_schema|structured|grammar", re.IGNORECASE)

Ask = Callable[[LiveSystem, Sequence[Request]], Sequence[Output]]
"""Asks a system: one output per request, in order, with retries, limits and cache as the caller has them."""


class Chat(Protocol):
    """A chat model: `ChatClient` or `GgufModel`."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        temperature: float | None = 0.0,
        seed: int | None = None,
        json_schema: dict[str, Any] | None = None,
    ) -> ChatReply:
        """The reply to a conversation."""


class ChatSystem(Protocol):
    """A system that translates with a chat model, such as `openai:` and `llama:`; we use the model alone."""

    @property
    def name(self) -> str: ...
    @property
    def pair(self) -> Pair: ...
    @property
    def temperature(self) -> float | None: ...
    @property
    def seed(self) -> int | None: ...
    @property
    def signature(self) -> str: ...
    @property
    def limits(self) -> Limits: ...
    @property
    def chat(self) -> Chat: ...


@dataclass(frozen=True, kw_only=True)
class Conversations(LiveSystem):
    """Asks a chat model conversations: a request's text is one, as JSON, its context `SAMPLE/TRY` from 0 on.

    `as_json` holds the reply to a schema; a server that knows none is asked without.
    """

    scheme: ClassVar[str] = "llm"
    subject: ClassVar[str] = "model"

    model: ChatSystem
    as_json: bool = True
    _refused: threading.Event = field(default_factory=threading.Event, init=False, repr=False, compare=False)

    @property
    def signature(self) -> str:
        """The model's own; temperature and seed are among it."""
        return signature(
            "conversation",
            model=self.model.signature,
            form="json" if self.as_json else "text",
            adapter=ADAPTER,
        )

    @property
    def limits(self) -> Limits:
        """Those of the model."""
        return self.model.limits

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        """One reply per conversation, word for word."""
        return [self._ask(request) for request in requests]

    def _ask(self, request: Request) -> Output:
        conversation: list[Message] = json.loads(request.text or "[]")
        if any("\ud800" <= c <= "\udfff" for message in conversation for c in message["content"]):
            return Output(request.id, None, "the text is not valid Unicode")
        reply = self._complete(conversation, *map(int, (request.context or "0/0").split("/")))
        meta = {"usage": dict(reply.usage), "finish_reason": reply.finish_reason, "model": reply.model}
        return Output(request.id, reply.text, meta={key: value for key, value in meta.items() if value})

    def _complete(self, conversation: Sequence[Message], sample: int, again: int) -> ChatReply:
        temperature, seed = self.model.temperature, self.model.seed
        if sample or again:
            temperature = None if temperature is None else max(temperature, LEAST_FOR_SAMPLES)
            seed = (seed or 0) + sample + again * _TRIES_APART
        chat = self.model.chat
        if self.as_json and not self._refused.is_set():
            try:
                return chat.complete(
                    conversation, temperature=temperature, seed=seed, json_schema=dict(SCHEMA)
                )
            except (RejectedError, ClosedError) as error:
                if not _NO_SCHEMA.search(str(error)):
                    raise
                self._refused.set()
        return chat.complete(conversation, temperature=temperature, seed=seed)


def ask_in_turn(system: LiveSystem, requests: Sequence[Request]) -> list[Output]:
    """Asks one after the other and tries nothing twice; what fails has the reason as its error."""
    outputs: list[Output] = []
    for request in requests:
        try:
            outputs += system.translate([request])
        except ServiceError as error:
            outputs.append(Output(request.id, None, str(error)))
    return outputs
