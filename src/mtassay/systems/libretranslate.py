"""LibreTranslate, as its documentation "API Usage" describes it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from mtassay.data.errors import ClosedError, ServiceError, UsageError
from mtassay.data.languages import Language
from mtassay.data.nouns import Output, Request
from mtassay.runtime.http_calls import Secret, call_json, check_address, endpoint_of, field, host_of
from mtassay.systems.live import Limits, LiveSystem, ask_once, is_traditional, signature

ADAPTER = 1
_PUBLIC = "https://libretranslate.com"
_CODES = {"no": "nb", "fil": "tl", "pt-BR": "pb"}
# What a server says with status 400, and what is so for every text.
_HOPELESS = ("API key", "is not supported", "is not available as a target language")


@dataclass(frozen=True, kw_only=True)
class LibreTranslate(LiveSystem):
    """`libretranslate:http://localhost:5000`; a key, where the server wants one, in LIBRETRANSLATE_API_KEY.

    `source_code` and `target_code` are sent in place of ours; `batch` is how many texts go into one call.
    """

    scheme: ClassVar[str] = "libretranslate"
    subject: ClassVar[str] = "url"

    url: str = _PUBLIC
    format: Literal["text", "html"] = "text"
    source_code: str | None = None
    target_code: str | None = None
    batch: int = 10

    def __post_init__(self) -> None:
        _ = self._address
        if self.batch < 1:
            raise UsageError(f"{self.scheme}: batch must be more than 0.")

    @property
    def limits(self) -> Limits:
        """A server of one's own has none unless it was started with some ("Arguments").

        The public one takes 80 translations a minute and 2,000 characters a call ("API plans"), and bans who
        asks for more.
        """
        if host_of(self._address) != host_of(_PUBLIC):
            return Limits(batch=self.batch)
        calls_per_second = 80 / 60 / self.batch
        return Limits(
            batch=self.batch, batch_characters=2_000, in_flight=1, calls_per_second=calls_per_second
        )

    @property
    def signature(self) -> str:
        return signature(
            self.scheme,
            endpoint=endpoint_of(self._address),
            **self._options,
            adapter=ADAPTER,
        )

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        return ask_once(requests, self._ask, what="LibreTranslate")

    def _ask(self, texts: list[str]) -> Any:
        key = os.environ.get("LIBRETRANSLATE_API_KEY", "").strip()
        answer = call_json(
            f"{self._address}/translate",
            body={"q": texts, **self._options, **({"api_key": Secret(key)} if key else {})},
            timeout=self.limits.timeout,
            what="LibreTranslate",
            error_type=_error_type,
        )
        return field(answer, "translatedText")

    @property
    def _address(self) -> str:
        address = (self.url or _PUBLIC).rstrip("/").removesuffix("/translate")
        return check_address(address, what=self.scheme)

    @property
    def _options(self) -> dict[str, str]:
        return {
            "source": self.source_code or _code(self.pair.source),
            "target": self.target_code or _code(self.pair.target),
            "format": self.format,
        }


def _error_type(status: int, answer: Any) -> type[ServiceError] | None:
    message = field(answer, "error")
    if status == 400 and isinstance(message, str) and any(part in message for part in _HOPELESS):
        return ClosedError
    return None


def _code(language: Language) -> str:
    """The codes of the models: servers of every version know them, and only new ones know `zh-Hant`."""
    if language.code == "zh":
        return "zt" if is_traditional(language) else "zh"
    return _CODES.get(language.tag) or _CODES.get(language.code) or language.code
