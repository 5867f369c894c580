"""Microsoft Translator (Azure AI Translator), as its "Text translation v3.0 reference" describes it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from mtassay.data.errors import ClosedError, ServiceError
from mtassay.data.languages import Language
from mtassay.data.nouns import Output, Request
from mtassay.runtime.http_calls import Secret, call_json, check_address, field, host_of, secret_from
from mtassay.systems.live import Limits, LiveSystem, ask_once, column, is_traditional, signature

# Errors with status 400 that every text gets: a category, a language or a pair that is not there.
_CLOSED = {
    "400002", "400003", "400006", "400019", "400021", "400023", "400035", "400036", "400042", "400075",
    "400079",
}  # fmt: skip

_CODES = {"no": "nb", "tl": "fil", "ku": "kmr", "ckb": "ku", "hmn": "mww", "tlh": "tlh-Latn"}
_SCRIPTS = {"sr": "Cyrl", "mn": "Cyrl"}
_VARIANTS = {"pt-PT", "fr-CA"}


@dataclass(frozen=True, kw_only=True)
class Microsoft(LiveSystem):
    """`microsoft:`, or `microsoft:CATEGORY` for a model of your own.

    The key is in AZURE_TEXT_TRANSLATION_APIKEY.
    """

    scheme: ClassVar[str] = "microsoft"
    subject: ClassVar[str] = "category"

    category: str = ""
    region: str | None = None
    url: str | None = None

    @property
    def limits(self) -> Limits:
        """1,000 texts and 50,000 characters a call ("Service limits")."""
        return Limits(batch=1000, batch_characters=50_000)

    @property
    def signature(self) -> str:
        return signature(
            self.scheme,
            host=host_of(self._endpoint),
            source=_code(self.pair.source),
            target=_code(self.pair.target, variant=True),
            category=self.category,
            adapter=1,
        )

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        return ask_once(requests, self._ask, what="Microsoft")

    def check_key(self) -> None:
        self._key()

    def _key(self) -> Secret:
        return secret_from("AZURE_TEXT_TRANSLATION_APIKEY", "AZURE_TRANSLATOR_KEY", what="Microsoft")

    def _ask(self, texts: list[str]) -> Any:
        key = self._key()
        headers: dict[str, str | Secret] = {"Ocp-Apim-Subscription-Key": key}
        if region := self.region or _environment("AZURE_TEXT_TRANSLATION_REGION", "AZURE_TRANSLATOR_REGION"):
            headers["Ocp-Apim-Subscription-Region"] = region
        parameters = {
            "api-version": "3.0",
            "from": _code(self.pair.source),
            "to": _code(self.pair.target, variant=True),
        }
        if self.category:
            parameters["category"] = self.category
        answer = call_json(
            f"{self._endpoint}/translate",
            body=[{"Text": text} for text in texts],
            headers=headers,
            parameters=parameters,
            timeout=self.limits.timeout,
            what="Microsoft",
            error_type=_error_type,
        )
        translations = column(answer, "translations")
        return translations and [field(entry, 0, "text") for entry in translations]

    @property
    def _endpoint(self) -> str:
        """A resource with its own domain serves other products too, each below its own path."""
        server = self.url or _environment("AZURE_TEXT_TRANSLATION_ENDPOINT")
        server = check_address(server or "https://api.cognitive.microsofttranslator.com", what="Microsoft")
        own = server.lower().endswith(".cognitiveservices.azure.com")
        return f"{server}/translator/text/v3.0" if own else server


def _environment(*variables: str) -> str | None:
    return next((value for variable in variables if (value := os.environ.get(variable))), None)


def _error_type(status: int, answer: Any) -> type[ServiceError] | None:
    """Its errors have six digits: the status and three more."""
    return ClosedError if status == 400 and str(field(answer, "error", "code")) in _CLOSED else None


def _code(language: Language, *, variant: bool = False) -> str:
    """Microsoft's code; only a target has a variant."""
    if language.code == "zh":
        return "zh-Hant" if is_traditional(language) else "zh-Hans"
    if variant and language.tag in _VARIANTS:
        return language.tag.lower()
    code = _CODES.get(language.code, language.code)
    script = language.script or _SCRIPTS.get(language.code)
    return f"{code}-{script}" if script else code
