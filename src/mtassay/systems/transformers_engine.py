"""A Marian, NLLB, M2M-100, mBART or T5 model of the transformers library, in this process."""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from mtassay.data.errors import BusyError, ClosedError, UsageError
from mtassay.data.language_packs import fingerprint, load_package, package_version
from mtassay.data.nouns import Output, Request
from mtassay.runtime.http_calls import redact
from mtassay.systems.live import Answer, Limits, LiveSystem, answer_each, find_code, signature

ADAPTER = 1
_WHAT = "system 'transformers'"
_UNLIMITED = 1_000_000
# A tokenizer keeps its source language and padding as state, so one thread at a time.
_lock = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class Transformers(LiveSystem):
    """`transformers:FOLDER` or `transformers:NAME`, which the library downloads; `revision` pins it.

    Language codes follow from the language pair, unless `source_code` and `target_code` are set. `prefix` and
    a space are put before every text: `>>por<<` for Marian with many targets, `<2pt>` for MADLAD. A
    `beam_size` of `None` means the model's own, and `max_length` counts tokens of the translation. Nothing is
    sampled. `device` is `cpu`, `cuda`, `cuda:1` or `mps`.
    """

    scheme: ClassVar[str] = "transformers"
    subject: ClassVar[str] = "model"

    model: str
    revision: str | None = None
    source_code: str | None = None
    target_code: str | None = None
    prefix: str = ""
    beam_size: int | None = None
    max_length: int = 512
    device: str = "cpu"
    batch: int = 8

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError(f"{_WHAT}: no model. Write {self.name}=transformers:FOLDER-OR-NAME.")
        for name in ("beam_size", "max_length", "batch"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise UsageError(f"{_WHAT}: {name} is {value}. Give 1 or more.")

    @property
    def signature(self) -> str:
        folder = Path(self.model).expanduser()
        files = sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []
        return signature(
            "transformers",
            model=folder.name if files else self.model,
            content=fingerprint(*files) if files else None,
            revision=self.revision,
            pair=f"{self.pair.source.tag}:{self.pair.target.tag}",
            source_code=self.source_code,
            target_code=self.target_code,
            prefix=self.prefix,
            beam_size=self.beam_size,
            max_length=self.max_length,
            device=self.device,
            release=package_version("transformers", what=_WHAT, extra="transformers"),
            adapter=ADAPTER,
        )

    @property
    def limits(self) -> Limits:
        return Limits(batch=self.batch, in_flight=1, attempts=1, timeout=600.0)

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        """One output per request; `meta` says where a translation was cut at `max_length`.

        A text with too many tokens for the model is a separate error: if it were cut, its translation would
        look bad.
        """
        with _lock:
            return answer_each(requests, self._ask)

    def _ask(self, texts: list[str]) -> list[Answer]:
        loaded = self._loaded
        most = min(getattr(loaded.tokenizer, "model_max_length", None) or _UNLIMITED, _UNLIMITED)
        lengths = [len(ids) for ids in loaded.tokens(self.prefix, texts)]
        fitting = [text for text, length in zip(texts, lengths, strict=True) if length <= most]
        answers = iter(self._generate(fitting) if fitting else ())
        return [
            next(answers)
            if length <= most
            else Answer(None, f"the source has {length} tokens, and the model takes {most}")
            for length in lengths
        ]

    def _generate(self, texts: list[str]) -> list[Answer]:
        loaded, options = self._loaded, {}
        if self.beam_size is not None:
            options["num_beams"] = self.beam_size
        if loaded.first_token is not None:
            options["forced_bos_token_id"] = loaded.first_token
        try:
            inputs = loaded.tokenizer(
                loaded.prefixed(self.prefix, texts), return_tensors="pt", padding=True
            ).to(self.device)
            rows = loaded.model.generate(
                **inputs, max_new_tokens=self.max_length, do_sample=False, **options
            ).tolist()
            decoded = loaded.tokenizer.batch_decode(
                [loaded.without_start(row) for row in rows], skip_special_tokens=True
            )
        except (RuntimeError, ValueError, IndexError) as error:
            # Out of memory, or a text the model cannot take: the caller asks one by one.
            raise BusyError(f"{_WHAT}: {_first_line(error)}") from None
        if len(decoded) != len(texts):
            raise BusyError(f"{_WHAT} answered {len(decoded)} translations for {len(texts)} texts")
        return [
            Answer(text, None, {} if loaded.is_whole(row) else {"cut": f"at {self.max_length} tokens"})
            for text, row in zip(decoded, rows, strict=True)
        ]

    @cached_property
    def _loaded(self) -> _Loaded:
        package = load_package("transformers", what=_WHAT, package="transformers", extra="transformers")
        load_package("torch", what=_WHAT, package="torch", extra="transformers")
        name = str(Path(self.model).expanduser()) if Path(self.model).expanduser().is_dir() else self.model
        # Only the command line may print.
        package.logging.set_verbosity_error()
        package.logging.disable_progress_bar()
        logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tokenizer = package.AutoTokenizer.from_pretrained(name, revision=self.revision or "main")
                model = package.AutoModelForSeq2SeqLM.from_pretrained(name, revision=self.revision or "main")
                model = model.to(self.device).eval()
        except ImportError as error:
            raise UsageError(f"{_WHAT}: '{self.model}' needs a package: {_first_line(error)}") from None
        except Exception as error:  # a folder without a model fails in every possible way
            raise ClosedError(f"{_WHAT}: '{self.model}' cannot be loaded: {_first_line(error)}") from None
        return _Loaded(tokenizer, model, self._first_token(tokenizer))

    def _first_token(self, tokenizer: Any) -> int | None:
        """Set the source language, and return the token that begins a translation into the target."""
        codes = codes_of(tokenizer)
        if not codes and not self.target_code:
            return None
        what = f"{_WHAT}: model '{self.model}'"
        tokenizer.src_lang = self.source_code or find_code(
            self.pair.source, codes, what=what, option="source_code"
        )
        code = self.target_code or find_code(self.pair.target, codes, what=what, option="target_code")
        token = getattr(tokenizer, "lang_code_to_token", {}).get(code, code)
        number = tokenizer.convert_tokens_to_ids(token)
        if number is None or number == tokenizer.unk_token_id:
            raise UsageError(f"{what} has no language code '{code}'. It has, for example: {codes[:5]}.")
        return int(number)


@dataclass(frozen=True, slots=True)
class _Loaded:
    tokenizer: Any
    model: Any
    first_token: int | None

    def prefixed(self, prefix: str, texts: list[str]) -> list[str]:
        """The input of the tokenizer."""
        return [f"{prefix} {text}" if prefix else text for text in texts]

    def tokens(self, prefix: str, texts: list[str]) -> list[list[int]]:
        """The numbers of the tokens of each text."""
        ids: list[list[int]] = self.tokenizer(self.prefixed(prefix, texts), verbose=False).input_ids
        return ids

    def without_start(self, row: list[int]) -> list[int]:
        """Return the translation without its start tokens, such as a language code."""
        return row[2:] if self.first_token is not None and row[1:2] == [self.first_token] else row[1:]

    def is_whole(self, row: list[int]) -> bool:
        """Whether the model itself ended this translation."""
        ends = self.model.generation_config.eos_token_id
        return bool(set(row[1:]) & set(ends if isinstance(ends, list) else [ends]))


def codes_of(tokenizer: Any) -> list[str]:
    """The language codes that a tokenizer knows, in its order; empty for a model of one pair."""
    for name in ("lang_code_to_token", "lang_code_to_id"):
        if table := getattr(tokenizer, name, None):
            return list(table)
    if not hasattr(tokenizer, "src_lang"):
        return []
    special = getattr(tokenizer, "additional_special_tokens", None) or getattr(
        tokenizer, "extra_special_tokens", []
    )
    return [str(token) for token in special]


def _first_line(error: BaseException) -> str:
    lines = redact(str(error)).strip().splitlines()
    return lines[0] if lines else type(error).__name__
