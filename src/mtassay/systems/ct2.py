"""A translation model converted for CTranslate2, with its SentencePiece models, in this process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from mtassay.data.errors import BusyError, ClosedError, UsageError
from mtassay.data.nouns import Output, Request
from mtassay.data.packages import fingerprint, load_package, package_version
from mtassay.runtime.http_calls import redact
from mtassay.systems.live import Answer, Limits, LiveSystem, answer_each, signature

ADAPTER = 1
_WHAT = "system 'ctranslate2'"
_SHARED_SPM = ("sentencepiece.bpe.model", "sentencepiece.model", "spm.model")
_loading = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class CTranslate2(LiveSystem):
    """`ctranslate2:FOLDER`, where the folder has `model.bin` and its SentencePiece models.

    `source_spm` and `target_spm` are SentencePiece models; without them, `source.spm` and `target.spm` or
    a shared model in the folder are taken. `source_prefix` and `target_prefix` are tokens put before the
    text and the translation (language codes), `source_suffix` one put after the text (`</s>`). `max_length`
    is in tokens of the translation.
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
        """The content of model and SentencePiece models, and all that changes a translation."""
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
        """One batch at a time, on all cores that CTranslate2 takes."""
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
                max_input_length=0,  # what is too long must not be cut in silence
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
