"""A chat model behind an OpenAI-compatible endpoint: hosted, vLLM, llama.cpp, Ollama."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from mtassay.errors import BusyError, ClosedError, RejectedError, ServiceError, UsageError
from mtassay.packages import Secret, call_json, check_address, is_local, place, secret_from
from mtassay.packages import field as at

OPENAI = "https://api.openai.com/v1"

_QUOTA = {
    "insufficient_quota",
    "billing_not_active",
    "billing_hard_limit_reached",
    "credit_balance_exhausted",
}
_NO_SUCH = {"unsupported_parameter", "unsupported_value", "model_not_found", "invalid_model"}
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")

Message = Mapping[str, str]
"""`{"role": "system" | "user" | "assistant", "content": …}`."""


@dataclass(frozen=True, kw_only=True)
class ChatReply:
    """What the model said. `finish_reason` is the server's word, or `refusal` where `text` is a refusal.

    `usage` counts tokens (`prompt_tokens`, `completion_tokens`) as far as the server tells; `model` is the
    exact model that it says has answered.
    """

    text: str
    finish_reason: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    model: str | None = None


@dataclass(frozen=True, kw_only=True)
class ChatClient:
    """One model at one endpoint. A client makes one call at a time, and retries nothing.

    `url` is the address up to and with `/v1`; without one it is that of OPENAI_BASE_URL, or OpenAI's own.
    `key` names the variable of the environment that holds the key; a server on this machine needs none.
    `timeout` is in seconds. What is `None` is not sent.
    """

    model: str
    url: str | None = None
    key: str = "OPENAI_API_KEY"
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    reasoning_effort: str | None = None
    timeout: float = 120.0

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError("openai: which model? Write openai:MODEL, for example openai:gpt-5-mini.")
        if self.url is not None:
            check_address(self.url, what=self.what)
        if not _VARIABLE.fullmatch(self.key):
            # Not shown: it may be the key itself.
            raise UsageError(
                f"{self.what}: key names a variable of the environment, as OPENAI_API_KEY; it is not the key."
            )

    @property
    def what(self) -> str:
        """How errors name it."""
        return f"openai:{self.model}"

    @property
    def address(self) -> str:
        """Where calls go, without `/chat/completions`."""
        return check_address(
            self.url or os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI, what=self.what
        )

    @property
    def endpoint(self) -> str:
        """Host and path for a signature.

        >>> ChatClient(model="m", url="http://localhost:8080/v1/?key=1").endpoint
        'localhost:8080/v1'
        """
        return place(self.address).partition("://")[2].rstrip("/")

    def complete(
        self,
        messages: Sequence[Message],
        *,
        temperature: float | None = 0.0,
        seed: int | None = None,
        json_schema: Mapping[str, Any] | None = None,
    ) -> ChatReply:
        """The model's reply to a conversation; with `json_schema`, its text is JSON of that schema."""
        options = {
            "temperature": temperature,
            "seed": seed,
            "max_tokens": self.max_tokens,
            "max_completion_tokens": self.max_completion_tokens,
            "reasoning_effort": self.reasoning_effort,
            "response_format": json_schema and _response_format(json_schema),
        }
        answer = call_json(
            _completions(self.address),
            body={
                "model": self.model,
                "messages": list(messages),
                **{name: value for name, value in options.items() if value is not None},
            },
            headers=self._headers(),
            timeout=self.timeout,
            what=self.what,
            error_type=_error_type,
        )
        return _reply(answer, self.what)

    def _headers(self) -> dict[str, str | Secret]:
        if is_local(self.address) and not os.environ.get(self.key, "").strip():
            return {}
        return {"Authorization": Secret(f"Bearer {secret_from(self.key, what=self.what).reveal()}")}


def _completions(address: str) -> str:
    """The path goes before the query that some gateways want.

    >>> _completions("https://example.com/v1/?api-version=1")
    'https://example.com/v1/chat/completions?api-version=1'
    """
    parts = urlsplit(address)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/chat/completions"))


def _response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def _reply(answer: Any, what: str) -> ChatReply:
    choices = at(answer, "choices")
    # One reply is asked for; where there are more, in whatever order, it is the first by its number.
    first = [choice for choice in choices if not at(choice, "index")] if isinstance(choices, list) else []
    choice = at(first, 0)
    message = at(choice, "message")
    if not isinstance(message, dict):
        raise BusyError(f"{what} answered 0 replies to 1 prompt")
    reason = choice.get("finish_reason")
    refusal = message.get("refusal")
    text = _text(message.get("content"))
    if isinstance(refusal, str) and refusal and not text:
        text, reason = refusal, "refusal"
    if text is None:
        raise BusyError(f"{what} answered a reply that is no text")
    return ChatReply(
        text=text,
        finish_reason=reason if isinstance(reason, str) else None,
        usage=_counts(at(answer, "usage")),
        model=_model(at(answer, "model")),
    )


def _text(content: object) -> str | None:
    """The text of a message; `None` where it is no text. Some servers give it in parts, with others between.

    >>> _text([{"type": "thinking", "thinking": []}, {"type": "text", "text": "eins"}]), _text(None), _text(1)
    ('eins', '', None)
    """
    if content is None:  # a filter, or reasoning that took all tokens: the finish reason says which
        return ""
    if isinstance(content, list):
        parts = [at(part, "text") for part in content if at(part, "type") == "text"]
        return "".join(parts) if all(isinstance(part, str) for part in parts) else None
    return content if isinstance(content, str) else None


def _model(name: object) -> str | None:
    """The exact model; some local servers give the whole path of its file.

    >>> _model("/home/me/m.gguf"), _model("C:\\\\models\\\\m.gguf"), _model("openai/gpt-5"), _model(None)
    ('m.gguf', 'm.gguf', 'openai/gpt-5', None)
    """
    if not isinstance(name, str):
        return None
    return re.split(r"[/\\]", name)[-1] if re.match(r"/|\w:", name) else name


def _counts(usage: object) -> dict[str, int]:
    if not isinstance(usage, dict):
        return {}
    names = ("prompt_tokens", "completion_tokens")
    return {name: usage[name] for name in names if isinstance(usage.get(name), int)}


def _error_type(status: int, answer: Any) -> type[ServiceError] | None:
    """Where the code of an error says more than the status ("Error codes", OpenAI API documentation)."""
    error = at(answer, "error")
    codes = {code for code in (at(error, "code"), at(error, "type")) if isinstance(code, str)}
    if status == 429 and codes & _QUOTA:
        return ClosedError
    if status in (400, 404, 422) and codes & _NO_SUCH:
        return ClosedError
    message = at(error, "message")
    if status == 403 and isinstance(message, str) and re.search(r"flagged|moderation", message):
        return RejectedError
    return None
