"""A language model as infiller, the way of Wu, Liu, Yeung (2023), section 3.1: it fills both sides at once.

One request has one masked pair, and its reply is read against that pair alone. Where a reply is not what
was asked for, the model is told what was wrong and asked again, some times; then the reply is kept with the
reason.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from mtassay.core import Output, Request
from mtassay.errors import ClosedError, RejectedError, ServiceError, UsageError
from mtassay.languages import Pair
from mtassay.methods.behavior.infill.base import Filled, Infiller, Masked, Rejected
from mtassay.methods.behavior.infill.gaps import adapted_changes, exact_changes, is_left
from mtassay.methods.behavior.infill.prompts import SCHEMA, messages
from mtassay.methods.behavior.infill.replies import Sentences, read_reply, unquoted
from mtassay.methods.behavior.nouns import apply_changes
from mtassay.methods.behavior.validating import objection, told
from mtassay.systems.answers import signature
from mtassay.systems.live import Limits, LiveSystem
from mtassay.tools.chat import ChatReply, Message

__all__ = ["Ask", "Chat", "ChatSystem", "Conversations", "LLMInfiller", "ask_in_turn"]

ADAPTER = 1
LEAST_FOR_SAMPLES = 0.7
"""Further samples of one place are drawn at no lower temperature: at 0 they would all be the same."""
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
    """Asks a chat model conversations: a request's text is one, as JSON, and its context the sample number.

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
        reply = self._complete(conversation, int(request.context or 0))
        meta = {"usage": dict(reply.usage), "finish_reason": reply.finish_reason, "model": reply.model}
        return Output(request.id, reply.text, meta={key: value for key, value in meta.items() if value})

    def _complete(self, conversation: Sequence[Message], number: int) -> ChatReply:
        temperature, seed = self.model.temperature, self.model.seed
        if number:
            temperature = None if temperature is None else max(temperature, LEAST_FOR_SAMPLES)
            seed = (seed or 0) + number
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


class LLMInfiller(Infiller):
    """Fills masked pairs with a chat model.

    `ask` makes the calls. `tries` is how often one pair is asked at most, `adapted` the share of the
    reference's other words that the model may change, 0 to 1. `as_json` asks for JSON, else for the labels of
    the paper; `example` shows a pair that was filled.
    """

    name = "llm"

    def __init__(
        self,
        model: ChatSystem,
        *,
        ask: Ask = ask_in_turn,
        tries: int = 3,
        adapted: float = 0.5,
        as_json: bool = True,
        example: bool = True,
    ) -> None:
        if tries < 1 or not 0 <= adapted <= 1:
            raise UsageError("llm: tries must be 1 or more, and adapted from 0 to 1.")
        self.pair = model.pair
        self._system = Conversations(name=model.name, pair=model.pair, model=model, as_json=as_json)
        self._ask, self._tries, self._adapted, self._example = ask, tries, adapted, example

    @property
    def signature(self) -> str:
        """The model's, and what decides which replies are taken."""
        return f"{self._system.signature}|tries:{self._tries}|adapted:{self._adapted:g}"

    def fill(self, masked: Sequence[Masked]) -> list[Filled | Rejected]:
        """One answer for each masked pair, in order.

        A reason is one of those of `validating`, `reply not understood`, `reference adapted too much`, or
        `no reply`, where `Rejected.reply` is the service's error.
        """
        found: dict[int, Filled | Rejected] = {}
        waiting: dict[int, list[str]] = {i: [] for i in range(len(masked))}
        for count in range(1, self._tries + 1):
            requests = [self._request(i, masked[i], objections) for i, objections in waiting.items()]
            outputs = self._ask(self._system, requests)
            again: dict[int, list[str]] = {}
            for request, output in zip(requests, outputs, strict=True):
                assert output.id == request.id
                i = int(request.id)
                found[i] = answer = self._answer(masked[i], output)
                if isinstance(answer, Filled):
                    answer.facts["tries"] = count
                elif output.text is not None:
                    what = told(answer.reason, masked[i], self.pair)
                    again[i] = [*waiting[i], what]
            waiting = again
            if not waiting:
                break
        return [found[i] for i in range(len(masked))]

    def _request(self, i: int, masked: Masked, objections: Sequence[str]) -> Request:
        conversation = messages(
            masked,
            self.pair,
            as_json=self._system.as_json,
            example=self._example,
            objections=objections,
        )
        return Request(str(i), json.dumps(conversation), str(masked.number))

    def _answer(self, masked: Masked, output: Output) -> Filled | Rejected:
        if output.text is None:
            return Rejected(masked, "no reply", output.error or "")
        sentences = read_reply(output.text, self.pair)
        if sentences is None:
            return Rejected(masked, "reply not understood", output.text)
        filled = fit(masked, sentences, adapted=self._adapted)
        if isinstance(filled, str):
            return Rejected(masked, filled, output.text)
        why = objection(filled, pair=self.pair)
        if why is not None:
            return Rejected(masked, why, output.text)
        if output.meta.get("model"):
            filled.facts["model"] = output.meta["model"]
        return filled


def fit(masked: Masked, sentences: Sentences, *, adapted: float) -> Filled | str:
    """The filled pair that two sentences make of a masked one, or the reason why they make none."""
    source, reference = masked.pair.source.text, masked.pair.reference.text
    if is_left(sentences.source, before=source) or is_left(sentences.reference, before=reference):
        return "mask left"
    places = sorted((span.start, span.end) for span in masked.spans)
    reference_places = sorted((span.reference_start, span.reference_end) for span in masked.spans)
    changes = exact_changes(source, places, sentences.source)
    if changes is None:
        changes = exact_changes(source, places, unquoted(sentences.source))
    if changes is None:
        return "source changed elsewhere"
    edited = apply_changes(source, changes)
    text = sentences.reference
    exact = exact_changes(reference, reference_places, text)
    if exact is None and (text := unquoted(text)) != sentences.reference:
        exact = exact_changes(reference, reference_places, text)
    if exact is not None:
        return Filled(masked, edited, apply_changes(reference, exact), changes, exact, {"adapted": 0.0})
    found = adapted_changes(reference, reference_places, text)
    if found.share > adapted or adapted == 0:
        return "reference adapted too much"
    return Filled(masked, edited, text, changes, found.changes, {"adapted": round(found.share, 3)})
