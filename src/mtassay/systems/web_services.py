"""Services with a key in a header: DeepL and Microsoft."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from mtassay.data.errors import ClosedError, RejectedError, ServiceError, UsageError
from mtassay.data.languages import Language
from mtassay.data.nouns import Output, Request
from mtassay.runtime.http_calls import Secret, call_json, check_address, field, host_of, secret_from
from mtassay.systems.live import Limits, LiveSystem, ask_once, column, is_traditional, signature

_SPAIN = {None, "ES"}


@dataclass(frozen=True, kw_only=True)
class DeepL(LiveSystem):
    """`deepl:` or `deepl:quality_optimized`, with the key in DEEPL_AUTH_KEY.

    With `context`, each text is sent alone, because DeepL accepts only one context per call.
    """

    scheme: ClassVar[str] = "deepl"
    subject: ClassVar[str] = "model_type"

    model_type: Literal["", "latency_optimized", "quality_optimized", "prefer_quality_optimized"] = ""
    formality: Literal["default", "more", "less", "prefer_more", "prefer_less"] | None = None
    glossary_id: str | None = None
    split_sentences: Literal["0", "1", "nonewlines"] | None = None
    preserve_formatting: bool = False
    context: bool = False
    url: str | None = None

    def __post_init__(self) -> None:
        _target(self.pair.target)

    @property
    def limits(self) -> Limits:
        """50 texts and 128 KiB a call ("Translate text"); a character may take four bytes."""
        return Limits(batch=1 if self.context else 50, batch_characters=30_000)

    @property
    def signature(self) -> str:
        # The key decides between api and api-free, and both give the same translations.
        host = host_of(self._server) if self._server else "api.deepl.com"
        return signature(self.scheme, host=host, **self._options, context=self.context, adapter=1)

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        contexts = {request.context for request in requests} if self.context else {None}
        if len(contexts) > 1:
            raise RejectedError("DeepL takes one context per call")
        context = next(iter(contexts), None)
        return ask_once(requests, lambda texts: self._ask(texts, context), what="DeepL")

    def check_key(self) -> None:
        self._key()

    def _key(self) -> Secret:
        return secret_from("DEEPL_AUTH_KEY", what="DeepL")

    def _ask(self, texts: list[str], context: str | None) -> Any:
        key = self._key()
        server = self._server or f"https://api{'-free' if key.reveal().endswith(':fx') else ''}.deepl.com"
        answer = call_json(
            f"{server}/v2/translate",
            body={"text": texts, **self._options, **({"context": context} if context else {})},
            headers={"Authorization": Secret(f"DeepL-Auth-Key {key.reveal()}")},
            timeout=self.limits.timeout,
            what="DeepL",
            closed=frozenset({456}),
            error_type=_error_type,
        )
        return column(field(answer, "translations"), "text")

    @property
    def _server(self) -> str | None:
        server = self.url or os.environ.get("DEEPL_SERVER_URL")
        return check_address(server, what="DeepL") if server else None

    @property
    def _options(self) -> dict[str, str | bool]:
        """Parameters of every request."""
        options = {
            "source_lang": _source(self.pair.source),
            "target_lang": _target(self.pair.target),
            "model_type": self.model_type,
            "formality": self.formality,
            "glossary_id": self.glossary_id,
            "split_sentences": self.split_sentences,
            "preserve_formatting": self.preserve_formatting,
        }
        return {key: value for key, value in options.items() if value}


def _error_type(status: int, answer: Any) -> type[ServiceError] | None:
    """Return `ClosedError` for a language that DeepL does not support, since every text would fail."""
    message = field(answer, "message")
    unknown = status == 400 and isinstance(message, str) and "_lang' not supported" in message
    return ClosedError if unknown else None


def _source(language: Language) -> str:
    """The code of a source language; sources have no variants."""
    return "NB" if language.code in ("no", "nb") else language.code.upper()


def _target(language: Language) -> str:
    """The code of a target language: English, Portuguese and Chinese need a variant, Spanish may have one."""
    if language.code == "en":
        return _variant(language, "US", "GB")
    if language.code == "pt":
        return _variant(language, "BR", "PT")
    if language.code == "zh":
        return "ZH-HANT" if is_traditional(language) else "ZH-HANS"
    if language.code == "es":
        return "ES" if language.region in _SPAIN else "ES-419"
    return _source(language)


def _variant(language: Language, *regions: str) -> str:
    region = language.region or regions[0]
    if region not in regions:
        choices = " or ".join(f"{language.code}-{choice}" for choice in regions)
        raise UsageError(f"DeepL does not translate into {language.tag}. Take {choices}.")
    return f"{language.code.upper()}-{region}"


# Microsoft Translator (Azure AI Translator), as its "Text translation v3.0 reference" describes it.


# Errors with status 400 for every text: an unknown category, language or pair.
_CLOSED = {
    "400002", "400003", "400006", "400019", "400021", "400023", "400035", "400036", "400042", "400075",
    "400079",
}  # fmt: skip

_MICROSOFT_CODES = {"no": "nb", "tl": "fil", "ku": "kmr", "ckb": "ku", "hmn": "mww", "tlh": "tlh-Latn"}
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
            source=_microsoft_code(self.pair.source),
            target=_microsoft_code(self.pair.target, variant=True),
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
            "from": _microsoft_code(self.pair.source),
            "to": _microsoft_code(self.pair.target, variant=True),
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
            error_type=_microsoft_error_type,
        )
        translations = column(answer, "translations")
        return translations and [field(entry, 0, "text") for entry in translations]

    @property
    def _endpoint(self) -> str:
        """Return the endpoint: a resource with its own domain has a separate path for each product."""
        server = self.url or _environment("AZURE_TEXT_TRANSLATION_ENDPOINT")
        server = check_address(server or "https://api.cognitive.microsofttranslator.com", what="Microsoft")
        own = server.lower().endswith(".cognitiveservices.azure.com")
        return f"{server}/translator/text/v3.0" if own else server


def _environment(*variables: str) -> str | None:
    return next((value for variable in variables if (value := os.environ.get(variable))), None)


def _microsoft_error_type(status: int, answer: Any) -> type[ServiceError] | None:
    """`ClosedError` by the six digits of an error: the status and three more."""
    return ClosedError if status == 400 and str(field(answer, "error", "code")) in _CLOSED else None


def _microsoft_code(language: Language, *, variant: bool = False) -> str:
    """Microsoft's code; only a target has a variant."""
    if language.code == "zh":
        return "zh-Hant" if is_traditional(language) else "zh-Hans"
    if variant and language.tag in _VARIANTS:
        return language.tag.lower()
    code = _MICROSOFT_CODES.get(language.code, language.code)
    script = language.script or _SCRIPTS.get(language.code)
    return f"{code}-{script}" if script else code
