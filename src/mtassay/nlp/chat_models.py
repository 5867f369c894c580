"""A chat model behind an OpenAI-compatible endpoint: hosted, vLLM, llama.cpp, Ollama."""

from __future__ import annotations

import os
import re
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from mtassay.data.errors import BusyError, ClosedError, RejectedError, ServiceError, UsageError
from mtassay.data.language_packs import fingerprint, load_package, package_version
from mtassay.runtime.http_calls import (
    Secret,
    call_json,
    check_address,
    endpoint_of,
    fill_variables,
    is_local,
    name_variables,
    secret_from,
)
from mtassay.runtime.http_calls import field as at

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
    """The model's reply. `finish_reason` comes from the server, or is `refusal` if the model refused.

    `usage` counts tokens (`prompt_tokens`, `completion_tokens`) if the server reports them. `model` is the
    exact model that answered, according to the server. `choices` is the number of replies; this is the first.
    """

    text: str
    finish_reason: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    model: str | None = None
    choices: int = 1


@dataclass(frozen=True, kw_only=True)
class ChatClient:
    """A model at an endpoint. A client makes one call at a time, and never retries.

    `url` is the address including `/v1`; the default is OPENAI_BASE_URL, or OpenAI's own address. `key` names
    the environment variable with the key; a server on this machine needs no key. `timeout` is in seconds.
    Values that are `None` are not sent.
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
            # Not shown, since it may be the key itself.
            raise UsageError(
                f"{self.what}: key names a variable of the environment, as OPENAI_API_KEY; it is not the key."
            )

    @property
    def what(self) -> str:
        """The model's name in errors."""
        return f"openai:{self.model}"

    @property
    def address(self) -> str:
        """The address of calls, without `/chat/completions`."""
        return check_address(
            self.url or os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI, what=self.what
        )

    @property
    def endpoint(self) -> str:
        """Host and path for a signature.

        >>> ChatClient(model="m", url="http://localhost:8080/v1/?key=1").endpoint
        'localhost:8080/v1'
        """
        return name_variables(endpoint_of(self.address).rstrip("/"))

    def complete(
        self,
        messages: Sequence[Message],
        *,
        temperature: float | None = 0.0,
        seed: int | None = None,
        json_schema: Mapping[str, Any] | None = None,
    ) -> ChatReply:
        """Return the reply to a conversation; with `json_schema`, its text is JSON of that schema."""
        options = {
            "temperature": temperature,
            "seed": seed,
            "max_tokens": self.max_tokens,
            "max_completion_tokens": self.max_completion_tokens,
            "reasoning_effort": self.reasoning_effort,
            "response_format": json_schema and _response_format(json_schema),
        }
        answer = call_json(
            _completions(fill_variables(self.address, what=self.what)),
            body={
                "model": self.model,
                "messages": list(messages),
                **{name: value for name, value in options.items() if value is not None},
            },
            headers=self.headers(),
            timeout=self.timeout,
            what=self.what,
            error_type=_error_type,
        )
        return _reply(answer, self.what)

    def headers(self) -> dict[str, str | Secret]:
        """The header with the key; `ClosedError` if a needed key is missing."""
        if is_local(self.address) and not os.environ.get(self.key, "").strip():
            return {}
        return {"Authorization": Secret(f"Bearer {secret_from(self.key, what=self.what).reveal()}")}


def _completions(address: str) -> str:
    """The address of calls; the path comes before a query, which some gateways need.

    >>> _completions("https://example.com/v1/?api-version=1")
    'https://example.com/v1/chat/completions?api-version=1'
    """
    parts = urlsplit(address)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/chat/completions"))


def _response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def _reply(answer: Any, what: str) -> ChatReply:
    choices = at(answer, "choices")
    # We ask for one reply; if there are more, take the one with the lowest index.
    first = [choice for choice in choices if not at(choice, "index")] if isinstance(choices, list) else []
    choice = at(first, 0)
    message = at(choice, "message")
    if not isinstance(message, dict):
        raise BusyError(f"{what} answered 0 replies to 1 prompt")
    reason = choice.get("finish_reason")
    refusal = message.get("refusal")
    text = _text(message.get("content"))
    if isinstance(refusal, str) and refusal:
        text, reason = text or refusal, "refusal"
    if text is None:
        raise BusyError(f"{what} sent a reply that is not text")
    return ChatReply(
        text=text,
        finish_reason=reason if isinstance(reason, str) else None,
        usage=_counts(at(answer, "usage")),
        model=_model(at(answer, "model")),
        choices=len(choices),
    )


def _text(content: object) -> str | None:
    """The text of a message; `None` without text. Some servers mix text parts with other parts.

    >>> _text([{"type": "thinking", "thinking": []}, {"type": "text", "text": "eins"}]), _text(None), _text(1)
    ('eins', '', None)
    """
    if content is None:  # a filter, or reasoning used all tokens; the finish reason says which
        return ""
    if isinstance(content, list):
        parts = [at(part, "text") for part in content if at(part, "type") == "text"]
        return "".join(parts) if all(isinstance(part, str) for part in parts) else None
    return content if isinstance(content, str) else None


def _model(name: object) -> str | None:
    """The exact model; local servers may give the path of its file.

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
    """The error type if it says more than the HTTP status ("Error codes", OpenAI API documentation)."""
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


_RUNTIME = "xllamacpp"
_NEEDED = {"what": "system 'llama'", "extra": "llama"}
# One conversation at a time, since answers in a batch depend on each other.
_lock = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class GgufModel:
    """A model file. `context` is the maximum number of tokens of prompt and reply together.

    xllamacpp runs it. `gpu_layers` is the number of layers on a GPU. With `threads` of 0, xllamacpp chooses.
    """

    path: str
    context: int = 4096
    max_tokens: int = 1024
    gpu_layers: int = 0
    threads: int = 0

    @property
    def what(self) -> str:
        """The model's name in errors."""
        return f"llama:{self.file.name}"

    @property
    def file(self) -> Path:
        """The file; `UsageError` if it does not exist."""
        file = Path(self.path).expanduser()
        if not file.is_file():
            raise UsageError(f"llama: no file '{file}'. Give a GGUF file: llama:MODEL.gguf.")
        with file.open("rb") as opened:
            if opened.read(4) != b"GGUF":
                raise UsageError(f"llama: '{file}' is no GGUF file.")
        return file

    @property
    def identity(self) -> dict[str, str]:
        """The model, for a signature."""
        release = package_version(_RUNTIME, **_NEEDED)
        return {
            "model": self.file.name,
            "content": fingerprint(self.file),
            "runtime": f"{_RUNTIME}-{release}",
            "gpu_layers": str(self.gpu_layers),
            "context": str(self.context),
            "max_tokens": str(self.max_tokens),
        }

    def complete(
        self,
        messages: Sequence[Message],
        *,
        temperature: float | None = 0.0,
        seed: int | None = None,
        json_schema: Mapping[str, Any] | None = None,
    ) -> ChatReply:
        """Return the reply to a conversation; with `json_schema`, its text is JSON of that schema."""
        options = {"temperature": temperature, "seed": seed, "max_tokens": self.max_tokens}
        chosen = {name: value for name, value in options.items() if value is not None}
        # Reusing the last prompt saves time but changes the last digits of probabilities.
        request: dict[str, Any] = {
            "messages": [dict(message) for message in messages],
            "cache_prompt": False,
            **chosen,
        }
        if json_schema is not None:
            request["response_format"] = {"type": "json_schema", "json_schema": {"schema": dict(json_schema)}}
        with _lock:
            try:
                answer = self._model.handle_chat_completions(request)
            except (RuntimeError, ValueError) as error:
                raise RejectedError(f"{self.what}: {_one_line(error)}") from None
        if (refused := at(answer, "error")) is not None:
            raise _failure(self.what, refused)
        text, reason = (
            at(answer, "choices", 0, "message", "content"),
            at(answer, "choices", 0, "finish_reason"),
        )
        if not isinstance(text, str):
            raise BusyError(f"{self.what} answered 0 replies to 1 prompt")
        counts = {name: at(answer, "usage", name) for name in ("prompt_tokens", "completion_tokens")}
        return ChatReply(
            text=text,
            finish_reason=reason,
            usage={name: count for name, count in counts.items() if isinstance(count, int)},
        )

    @cached_property
    def _model(self) -> Any:
        package = load_package(_RUNTIME, package=_RUNTIME, **_NEEDED)
        settings = package.CommonParams()
        settings.model.path = str(self.file)
        settings.n_ctx = self.context
        settings.n_parallel = 1
        settings.n_gpu_layers = self.gpu_layers
        settings.verbosity = -1
        # It opens a port on this machine that no other program may use.
        settings.api_keys = [secrets.token_hex(16)]
        if self.threads:
            settings.cpuparams.n_threads = self.threads
        try:
            return package.Server(settings)
        except (RuntimeError, ValueError, OSError) as error:
            raise ClosedError(f"{self.what} cannot be loaded: {_one_line(error)}") from None


def _failure(what: str, error: Any) -> BusyError | RejectedError:
    message = f"{what}: {_one_line(at(error, 'message') or error)}"
    code = at(error, "code")
    return RejectedError(message) if isinstance(code, int) and 400 <= code < 500 else BusyError(message)


def _one_line(error: object) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
