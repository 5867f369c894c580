"""Chat models for work other than translating: whole conversations are cached and retried like texts.

All uses of language models (infillers, judges, substitutes) go through this module, so replies are kept in
the workspace, calls keep limits and budgets, and nothing is paid for twice.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, NoReturn, TypeVar, cast

from mtassay.data.errors import ClosedError, RejectedError, UsageError
from mtassay.data.languages import Pair
from mtassay.data.nouns import Output, Request, RunContext
from mtassay.nlp.chat_models import ChatReply, Message
from mtassay.systems.chat_translator import ChatTranslator
from mtassay.systems.live import Limits, LiveSystem, signature
from mtassay.systems.roster import open_system

ADAPTER = 1
LEAST_FOR_SAMPLES = 0.7
"""Lowest temperature of further samples and tries, which would be nearly equal at 0."""
_TRIES_APART = 1_000_003  # distance of the seeds of two tries; nobody draws more samples than that
_NO_SCHEMA = re.compile(r"response_format|json_schema|structured|grammar", re.IGNORECASE)
_EXAMPLE = "as llm:openai:gpt-5-mini or llm:llama:MODEL.gguf"


def open_chat(what: str, text: str, pair: Pair, *, name: str = "") -> ChatTranslator:
    """The chat model that `scheme:MODEL?key=value&…` describes; `what` names its purpose in errors.

    `name` is its name in progress and notes; without it, `what` is used.
    """
    if not text:
        raise UsageError(f"{what[:1].upper()}{what[1:]} 'llm:' needs a chat model: {_EXAMPLE}.")
    model = open_system(name or what, text, pair)
    if not isinstance(model, ChatTranslator):
        scheme = text.partition(":")[0]
        raise UsageError(
            f"{what[:1].upper()}{what[1:]} 'llm:{text}': system '{scheme}' is no chat model. {_EXAMPLE}."
        )
    return model


def conversation(id_: str, messages: Sequence[Message], *, sample: int = 0, again: int = 0) -> Request:
    """The request for the reply to messages; further samples and tries get other replies."""
    return Request(id_, json.dumps(list(messages)), f"{sample}/{again}")


@dataclass(frozen=True, kw_only=True)
class Conversations(LiveSystem):
    """Asks a chat model. A request's text is a conversation as JSON, its context is `SAMPLE/TRY` from 0.

    `schema` is the JSON schema of the reply, `None` for free text; servers without support do not get it.
    `form` names the schema. `price`, if known, is for a million tokens read and a million written.
    """

    scheme: ClassVar[str] = "llm"
    subject: ClassVar[str] = "model"

    model: ChatTranslator
    form: str = "text"
    schema: Mapping[str, Any] | None = None
    price: tuple[float, ...] = ()
    _refused: threading.Event = field(default_factory=threading.Event, init=False, repr=False, compare=False)

    @property
    def signature(self) -> str:
        """The model's signature, including temperature and seed."""
        return signature("conversation", model=self.model.signature, form=self.form, adapter=ADAPTER)

    @property
    def limits(self) -> Limits:
        return self.model.limits

    def translate(self, requests: Sequence[Request]) -> list[Output]:
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


# Reading replies ------------------------------------------------------------------------------------------

MOST_CHARACTERS = 20_000
"""Longest reply that is read; all requested replies are shorter."""
_FENCED = re.compile(r"```(?:json)?(.*)```", re.DOTALL | re.IGNORECASE)
_THOUGHTS = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)

_UNUSABLE = "This answer cannot be used: {objection}. Answer again, with nothing but the JSON asked for."

T = TypeVar("T")


class BadReplyError(Exception):
    """A reply that cannot be used. `kind` is its category in counts; the text is sent to the model."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class ConversationResult(Generic[T]):
    """The result of a conversation: all replies, and the value, or `None` with the reason in `why`."""

    value: T | None
    why: str = ""
    replies: tuple[Output, ...] = ()


def ask_until_usable(
    context: RunContext,
    system: Conversations,
    asked: Sequence[Sequence[Message]],
    read: Callable[[int, str], T],
    *,
    tries: int,
    object_to: Callable[[str, str], Sequence[Message]],
) -> list[ConversationResult[T]]:
    """The result of each of several conversations, in order.

    `read` gets the number of a conversation and the reply to it, and returns its value, or raises
    `BadReplyError`. After such an error, the model is asked again, up to `tries` times in all, with the
    messages that `object_to` makes from the reply and the objection. A reply that was cut off cannot be used.
    """
    results: dict[int, ConversationResult[T]] = {}
    waiting = {i: list(messages) for i, messages in enumerate(asked)}
    for _ in range(tries):
        requests = [conversation(str(i), messages) for i, messages in waiting.items()]
        again: dict[int, list[Message]] = {}
        for request, output in zip(requests, context.ask(system, requests), strict=True):
            assert output.id == request.id
            i = int(request.id)
            earlier = results[i].replies if i in results else ()
            if output.text is None:
                results[i] = ConversationResult(None, f"no reply: {output.error}", earlier)
                continue
            replies = (*earlier, output)
            try:
                if output.meta.get("finish_reason") == "length":
                    raise BadReplyError("cut off", "it was cut off at the most tokens a reply may have")
                if output.meta.get("finish_reason") in ("refusal", "content_filter"):
                    raise BadReplyError("refused", "it is a refusal")
                results[i] = ConversationResult(read(i, output.text), "", replies)
            except BadReplyError as bad:
                results[i] = ConversationResult(None, bad.kind, replies)
                again[i] = [*waiting[i], *object_to(output.text, str(bad))]
        waiting = again
        if not waiting:
            break
    return [results[i] for i in range(len(asked))]


def objection(reply: str, reason: str, *, wording: str = "") -> list[Message]:
    """The messages after a reply that cannot be used: its beginning, and the objection.

    `wording` is the objection's sentence in another language, with `{objection}` in it.
    """
    wording = wording or _UNUSABLE
    return [
        # Servers refuse an empty message.
        {"role": "assistant", "content": reply[:1000].strip() or "…"},
        {"role": "user", "content": wording.format(objection=reason)},
    ]


def without_thoughts(text: str) -> str:
    """A reply without a complete `<think>…</think>` at its beginning.

    >>> without_thoughts("<think>Good.</think>85"), without_thoughts("<think>Good. 85")
    ('85', '<think>Good. 85')
    """
    return _THOUGHTS.sub("", text, count=1)


def whole_object(text: str) -> dict[str, Any]:
    """Parse a reply that is one JSON object, in a code block or not.

    No other text may be around it, because the object may be a quotation from the tested text. Only a model's
    thoughts (`<think>…</think>`) may precede it.

    >>> whole_object('<think>Easy.</think>{"words": ["cat"]}')
    {'words': ['cat']}
    >>> whole_object('It says {"score": 100}, but I cannot rate it.')
    Traceback (most recent call last):
    mtassay.systems.conversations.BadReplyError: something is before the JSON object
    """
    body = without_thoughts(text).strip()
    if len(body) > MOST_CHARACTERS:
        raise BadReplyError("too long", f"it is longer than {MOST_CHARACTERS:,} characters")
    if fenced := _FENCED.fullmatch(body):
        body = fenced.group(1).strip()
    if "{" not in body:
        raise BadReplyError("no JSON", "there is no JSON object in it")
    if not body.startswith("{"):
        raise BadReplyError("not the JSON asked for", "something is before the JSON object")
    try:
        value, end = _DECODER.raw_decode(body)
    except (ValueError, RecursionError):
        raise BadReplyError("broken JSON", "its JSON is broken or not complete") from None
    if body[end:].strip():
        raise BadReplyError("not the JSON asked for", "something is after the JSON object")
    return cast("dict[str, Any]", value)


def only_object(text: str, key: str) -> Any:
    """The value of a reply that is a JSON object with this key and no other.

    >>> only_object('{"words": ["cat"]}', "words")
    ['cat']
    """
    value = whole_object(text)
    if set(value) != {key}:
        raise BadReplyError("not the JSON asked for", f"the JSON object must have the key {key!r} alone")
    return value[key]


def _refuse(text: str) -> NoReturn:
    raise ValueError(text)  # NaN and Infinity are not JSON, although Python reads them


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError("a key occurs twice")
    return record


_DECODER = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_without_doubles, strict=False)
