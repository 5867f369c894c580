"""Chat models for other work than translating: whole conversations are asked and answered as texts are.

What asks a language model (an infiller, a judge, substitutes) asks through this, so that replies are kept in
the workspace, calls keep to limits and budgets, and nothing is paid for twice.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, cast

from mtassay.core import Output, Request
from mtassay.errors import ClosedError, RejectedError, UsageError
from mtassay.languages import Pair
from mtassay.options import open_system
from mtassay.systems.live import Limits, LiveSystem, signature
from mtassay.tools.chat import ChatReply, Message

__all__ = ["Chat", "ChatSystem", "Conversations", "conversation", "open_chat"]

ADAPTER = 1
LEAST_FOR_SAMPLES = 0.7
"""Further samples and further tries are drawn at no lower temperature: at 0 they would be much the same."""
_TRIES_APART = 1_000_003  # between the seeds of two tries; more samples than that nobody draws
_NO_SCHEMA = re.compile(r"response_format|json_schema|structured|grammar", re.IGNORECASE)
_EXAMPLE = "as llm:openai:gpt-5-mini or llm:llama:MODEL.gguf"


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


def open_chat(what: str, text: str, pair: Pair, *, name: str = "") -> ChatSystem:
    """The chat model that `scheme:MODEL?key=value&…` describes; `what` needs it, for errors.

    `name` is what it is called in progress and notes, `what` where none is given.
    """
    if not text:
        raise UsageError(f"{what[:1].upper()}{what[1:]} 'llm:' needs a chat model: {_EXAMPLE}.")
    model = open_system(name or what, text, pair)
    if not hasattr(model, "chat"):
        scheme = text.partition(":")[0]
        raise UsageError(
            f"{what[:1].upper()}{what[1:]} 'llm:{text}': system '{scheme}' is no chat model. {_EXAMPLE}."
        )
    return cast("ChatSystem", model)


def conversation(id_: str, messages: Sequence[Message], *, sample: int = 0, again: int = 0) -> Request:
    """The request that asks for the reply to messages; further samples and tries draw anew."""
    return Request(id_, json.dumps(list(messages)), f"{sample}/{again}")


@dataclass(frozen=True, kw_only=True)
class Conversations(LiveSystem):
    """Asks a chat model conversations: a request's text is one, as JSON, its context `SAMPLE/TRY` from 0 on.

    `schema` is the JSON that the reply is held to, `None` for free text; a server that knows none is asked
    without. `form` names the schema.
    """

    scheme: ClassVar[str] = "llm"
    subject: ClassVar[str] = "model"

    model: ChatSystem
    form: str = "text"
    schema: Mapping[str, Any] | None = None
    _refused: threading.Event = field(default_factory=threading.Event, init=False, repr=False, compare=False)

    @property
    def signature(self) -> str:
        """The model's own; temperature and seed are among it."""
        return signature("conversation", model=self.model.signature, form=self.form, adapter=ADAPTER)

    @property
    def limits(self) -> Limits:
        """Those of the model."""
        return self.model.limits

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        """One reply per conversation, word for word."""
        return [self._ask(request) for request in requests]

    def _ask(self, request: Request) -> Output:
        messages: list[Message] = json.loads(request.text or "[]")
        if any("\ud800" <= c <= "\udfff" for message in messages for c in message["content"]):
            return Output(request.id, None, "the text is not valid Unicode")
        reply = self._complete(messages, *map(int, (request.context or "0/0").split("/")))
        meta = {"usage": dict(reply.usage), "finish_reason": reply.finish_reason, "model": reply.model}
        return Output(request.id, reply.text, meta={key: value for key, value in meta.items() if value})

    def _complete(self, messages: Sequence[Message], sample: int, again: int) -> ChatReply:
        temperature, seed = self.model.temperature, self.model.seed
        if sample or again:
            temperature = None if temperature is None else max(temperature, LEAST_FOR_SAMPLES)
            seed = (seed or 0) + sample + again * _TRIES_APART
        chat = self.model.chat
        if self.schema is not None and not self._refused.is_set():
            try:
                return chat.complete(
                    messages, temperature=temperature, seed=seed, json_schema=dict(self.schema)
                )
            except (RejectedError, ClosedError) as error:
                if not _NO_SCHEMA.search(str(error)):
                    raise
                self._refused.set()
        return chat.complete(messages, temperature=temperature, seed=seed)
