"""A language model in a GGUF file, run by llama.cpp in this process; it answers as a `ChatClient` does."""

from __future__ import annotations

import importlib.util
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from mtassay.errors import BusyError, ClosedError, MissingExtraError, RejectedError, UsageError
from mtassay.packages import field as at
from mtassay.packages import fingerprint, load_package, package_version
from mtassay.tools.chat import ChatReply, Message

Runtime = Literal["xllamacpp", "llama-cpp-python"]
_MODULES: dict[Runtime, str] = {"xllamacpp": "xllamacpp", "llama-cpp-python": "llama_cpp"}
# One conversation at a time: answers to several at once depend on which ones share a batch.
_lock = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class GgufModel:
    """One file. `context` counts the tokens of prompt and reply together.

    `gpu_layers` is how many layers a GPU takes. `runtime` is the package that runs it; without one, the first
    that is installed. `threads` of 0 leaves the number to it.
    """

    path: str
    context: int = 4096
    max_tokens: int = 1024
    gpu_layers: int = 0
    threads: int = 0
    runtime: Runtime | None = None

    @property
    def what(self) -> str:
        """How errors name it."""
        return f"llama:{self.file.name}"

    @property
    def file(self) -> Path:
        """The file; `UsageError` where there is none."""
        file = Path(self.path).expanduser()
        if not file.is_file():
            raise UsageError(f"llama: no file '{file}'. Give a GGUF file: llama:MODEL.gguf.")
        with file.open("rb") as opened:
            if opened.read(4) != b"GGUF":
                raise UsageError(f"llama: '{file}' is no GGUF file.")
        return file

    @property
    def identity(self) -> dict[str, str]:
        """What answers, for a signature."""
        release = package_version(self._runtime, what="system 'llama'", extra="llama")
        return {
            "model": self.file.name,
            "content": fingerprint(self.file),
            "runtime": f"{self._runtime}-{release}",
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
        """The model's reply to a conversation; with `json_schema`, its text is JSON of that schema."""
        options = {"temperature": temperature, "seed": seed, "max_tokens": self.max_tokens}
        chosen = {name: value for name, value in options.items() if value is not None}
        with _lock:
            ask = self._ask_xllamacpp if self._runtime == "xllamacpp" else self._ask_llama_cpp_python
            answer = ask([dict(message) for message in messages], chosen, json_schema)
        error = at(answer, "error")
        if error is not None:
            raise _failure(self.what, error)
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

    def _ask_xllamacpp(
        self, messages: list[dict[str, str]], options: Mapping[str, Any], schema: Mapping[str, Any] | None
    ) -> Any:
        # What is left of the last prompt saves time and changes the last digits of a probability.
        request = {"messages": messages, "cache_prompt": False, **options}
        if schema is not None:
            request["response_format"] = {"type": "json_schema", "json_schema": {"schema": dict(schema)}}
        try:
            return self._model.handle_chat_completions(request)
        except (RuntimeError, ValueError) as error:
            raise RejectedError(f"{self.what}: {_one_line(error)}") from None

    def _ask_llama_cpp_python(
        self, messages: list[dict[str, str]], options: Mapping[str, Any], schema: Mapping[str, Any] | None
    ) -> Any:
        form = None if schema is None else {"type": "json_object", "schema": dict(schema)}
        self._model.reset()
        try:
            return self._model.create_chat_completion(messages, response_format=form, **options)
        except (RuntimeError, ValueError) as error:
            raise RejectedError(f"{self.what}: {_one_line(error)}") from None

    @cached_property
    def _runtime(self) -> Runtime:
        for runtime, module in _MODULES.items():
            if self.runtime in (None, runtime) and importlib.util.find_spec(module) is not None:
                return runtime
        raise MissingExtraError("system 'llama'", package=self.runtime or "xllamacpp", extra="llama")

    @cached_property
    def _model(self) -> Any:
        package = load_package(
            _MODULES[self._runtime], what="system 'llama'", package=self._runtime, extra="llama"
        )
        try:
            return (
                self._load_xllamacpp(package) if self._runtime == "xllamacpp" else self._load_other(package)
            )
        except (RuntimeError, ValueError, OSError) as error:
            raise ClosedError(f"{self.what} cannot be loaded: {_one_line(error)}") from None

    def _load_xllamacpp(self, package: Any) -> Any:
        settings = package.CommonParams()
        settings.model.path = str(self.file)
        settings.n_ctx = self.context
        settings.n_parallel = 1
        settings.n_gpu_layers = self.gpu_layers
        settings.verbosity = -1
        # It opens a port on this machine; nobody else is to ask there.
        settings.api_keys = [secrets.token_hex(16)]
        if self.threads:
            settings.cpuparams.n_threads = self.threads
        return package.Server(settings)

    def _load_other(self, package: Any) -> Any:
        return package.Llama(
            model_path=str(self.file),
            n_ctx=self.context,
            n_gpu_layers=self.gpu_layers,
            n_threads=self.threads or None,
            verbose=False,
        )


def _failure(what: str, error: Any) -> BusyError | RejectedError:
    message = f"{what}: {_one_line(at(error, 'message') or error)}"
    code = at(error, "code")
    return RejectedError(message) if isinstance(code, int) and 400 <= code < 500 else BusyError(message)


def _one_line(error: object) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
