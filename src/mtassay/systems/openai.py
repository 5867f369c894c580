"""Chat models as translators, through OpenAI's API ("Create chat completion") or any that is like it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from mtassay.errors import RejectedError, UsageError
from mtassay.systems.chat import ChatTranslator, digest, judge_reply
from mtassay.systems.live import Answer, Limits, signature
from mtassay.tools.chat import ChatClient

ADAPTER = 1
# OpenAI's reasoning models refuse any temperature, so the default must not be sent to them.
_REASONING = re.compile(r"(?:o\d|gpt-5)(?:$|[-.])")


@dataclass(frozen=True, kw_only=True)
class OpenAI(ChatTranslator):
    """`openai:MODEL`, with the key in OPENAI_API_KEY; a server on this machine needs none.

    `url` is the address up to and with `/v1`, else that of OPENAI_BASE_URL; `key` names another variable
    for the key. `prompt` and `shots` are files. `temperature` of `None` sends none, as reasoning models
    want it; OpenAI's own get none by default. `clean` takes off what is not translation; what was taken
    off is in `Output.meta`.
    """

    scheme: ClassVar[str] = "openai"
    subject: ClassVar[str] = "model"

    model: str
    url: str | None = None
    key: str = "OPENAI_API_KEY"
    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    reasoning_effort: str | None = None
    prompt: str | None = None
    shots: str | None = None
    clean: bool = True
    in_flight: int = 8
    timeout: float = 120.0

    def __post_init__(self) -> None:
        if self.in_flight < 1 or self.timeout <= 0:
            raise UsageError(f"openai:{self.model}: in_flight and timeout must be more than 0.")
        if self.temperature == 0.0 and _REASONING.match(self.model):
            object.__setattr__(self, "temperature", None)
        # Files and addresses are checked here: a mistake in them should cost no call.
        _ = self._client.address, self._prompt, self._shots

    @property
    def limits(self) -> Limits:
        """One text per call; how many calls a minute is a matter of the account ("Rate limits")."""
        return Limits(batch=1, in_flight=self.in_flight, timeout=self.timeout)

    @property
    def signature(self) -> str:
        return signature(
            self.scheme,
            model=self.model,
            endpoint=self._client.endpoint,
            source=self.pair.source.tag,
            target=self.pair.target.tag,
            **self._settings,
        )

    @property
    def chat(self) -> ChatClient:
        """The model itself, for other work than translating."""
        return self._client

    def _ask(self, text: str, context: str | None) -> Answer:
        messages = self._messages(text, context)
        try:
            reply = self._client.complete(messages, temperature=self.temperature, seed=self.seed)
        except RejectedError as error:
            if "content_filter" in str(error):
                return Answer(None, f"refused: {error}")
            raise
        answer = judge_reply(reply, text, target=self.pair.target, cleaning=self.clean)
        if reply.model and reply.model != self.model:
            return answer._replace(meta={**answer.meta, "model": reply.model})
        return answer

    @cached_property
    def _client(self) -> ChatClient:
        return ChatClient(
            model=self.model,
            url=self.url,
            key=self.key,
            max_tokens=self.max_tokens,
            max_completion_tokens=self.max_completion_tokens,
            reasoning_effort=self.reasoning_effort,
            timeout=self.timeout,
        )

    @cached_property
    def _settings(self) -> dict[str, object]:
        """All options that can change an answer; as text, so that 0 is not left out."""
        sampling = ("temperature", "seed", "max_tokens", "max_completion_tokens", "reasoning_effort")
        chosen = {name: getattr(self, name) for name in sampling}
        return {
            **{name: str(value) for name, value in chosen.items() if value is not None},
            "prompt": digest(self._prompt),
            "shots": digest(self._shots) if self._shots else None,
            "clean": "yes" if self.clean else "no",
            "adapter": ADAPTER,
        }
