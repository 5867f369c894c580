"""A chat model in a GGUF file as a translator, in this process: no server, no key, no connection."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from mtassay.data.errors import UsageError
from mtassay.nlp.chat_models import GgufModel
from mtassay.systems.chat_translator import ChatTranslator, digest, judge_reply
from mtassay.systems.live import Answer, Limits, signature

ADAPTER = 1


@dataclass(frozen=True, kw_only=True)
class Llama(ChatTranslator):
    """`llama:MODEL.gguf`, run by xllamacpp.

    Prompt, examples and clean-up are those of the system `openai`. `context` is in tokens, prompt and
    reply together; `threads` of 0 leaves the number to the runtime.
    """

    scheme: ClassVar[str] = "llama"
    subject: ClassVar[str] = "model"

    model: str
    temperature: float = 0.0
    seed: int = 1
    max_tokens: int = 1024
    context: int = 4096
    gpu_layers: int = 0
    threads: int = 0
    prompt: str | None = None
    shots: str | None = None
    clean: bool = True

    def __post_init__(self) -> None:
        for name in ("max_tokens", "context"):
            if getattr(self, name) < 1:
                raise UsageError(f"llama: {name} is {getattr(self, name)}. Give 1 or more.")
        # Files are looked at here: a mistake in them should not wait for the first call.
        _ = self._model.file, self._prompt, self._shots

    @property
    def signature(self) -> str:
        """The file's content, the runtime's release, and all that changes a translation."""
        return signature(
            self.scheme,
            **self._model.identity,
            source=self.pair.source.tag,
            target=self.pair.target.tag,
            temperature=str(self.temperature),
            seed=str(self.seed),
            prompt=digest(self._prompt),
            shots=digest(self._shots) if self._shots else None,
            clean="yes" if self.clean else "no",
            adapter=ADAPTER,
        )

    @property
    def limits(self) -> Limits:
        """One text at a time."""
        return Limits(batch=1, in_flight=1, attempts=1, timeout=600.0)

    @property
    def chat(self) -> GgufModel:
        """The model itself, for other work than translating."""
        return self._model

    def _ask(self, text: str, context: str | None) -> Answer:
        messages = self._messages(text, context)
        reply = self._model.complete(messages, temperature=self.temperature, seed=self.seed)
        return judge_reply(reply, text, target=self.pair.target, cleaning=self.clean)

    @cached_property
    def _model(self) -> GgufModel:
        return GgufModel(
            path=self.model,
            context=self.context,
            max_tokens=self.max_tokens,
            gpu_layers=self.gpu_layers,
            threads=self.threads,
        )
