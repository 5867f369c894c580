"""Amazon Translate, as its "API reference: TranslateText" describes it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

from mtassay.data.errors import BusyError, ClosedError, RejectedError, ServiceError, UsageError
from mtassay.data.languages import Language
from mtassay.data.nouns import Output, Request
from mtassay.runtime.http_calls import (
    Secret,
    call_json,
    check_address,
    field,
    fill_variables,
    host_of,
    secret_from,
)
from mtassay.systems.live import Limits, LiveSystem, ask_once, is_traditional, signature
from mtassay.systems.signatures import authorization

# All of these come with status 400; others are about the one text.
_BUSY = {
    "ThrottlingException", "Throttling", "TooManyRequestsException", "LimitExceededException",
    "RequestLimitExceeded", "ServiceUnavailableException", "InternalServerException",
}  # fmt: skip
_CLOSED = {
    "AccessDeniedException", "ExpiredTokenException", "IncompleteSignature", "InvalidSignatureException",
    "MissingAuthenticationToken", "MissingAuthenticationTokenException", "NotAuthorized", "OptInRequired",
    "RequestExpired",     "ResourceNotFoundException", "SubscriptionRequiredException",
    "UnknownOperationException", "UnrecognizedClientException", "UnsupportedLanguagePairException",
}  # fmt: skip

_CODES = {"nb": "no", "fil": "tl", "prs": "fa-AF"}
_VARIANTS = {"pt-PT", "fr-CA", "es-MX"}


@dataclass(frozen=True, kw_only=True)
class Amazon(LiveSystem):
    """`amazon:eu-west-1`, with the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."""

    scheme: ClassVar[str] = "amazon"
    subject: ClassVar[str] = "region"

    region: str = ""
    formality: Literal["FORMAL", "INFORMAL"] | None = None
    profanity: Literal["MASK"] | None = None
    brevity: Literal["ON"] | None = None
    terminology: tuple[str, ...] = ()
    url: str | None = None

    @property
    def limits(self) -> Limits:
        """One text of at most 10,000 bytes a call ("Guidelines and quotas")."""
        return Limits(batch=1, in_flight=8)

    @property
    def signature(self) -> str:
        return signature(
            self.scheme,
            host=host_of(self._server),
            source=_code(self.pair.source),
            target=_code(self.pair.target),
            **self._settings,
            terminology="+".join(self.terminology),
            adapter=1,
        )

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        return ask_once(requests, self._ask, what="Amazon")

    def _ask(self, texts: list[str]) -> Any:
        if len(texts) > 1:
            raise RejectedError("Amazon takes one text per call")
        body: dict[str, Any] = {
            "Text": texts[0],
            "SourceLanguageCode": _code(self.pair.source),
            "TargetLanguageCode": _code(self.pair.target),
        }
        if self._settings:
            body["Settings"] = self._settings
        if self.terminology:
            body["TerminologyNames"] = self.terminology
        content = json.dumps(body).encode()
        answer = call_json(
            f"{self._server}/",
            content=content,
            headers=self._headers(content),
            timeout=self.limits.timeout,
            what="Amazon",
            error_type=_error_type,
        )
        return [field(answer, "TranslatedText")]

    def check_key(self) -> None:
        self._headers(b"")

    def _headers(self, content: bytes) -> dict[str, str | Secret]:
        key_id = secret_from("AWS_ACCESS_KEY_ID", what="Amazon")
        key = secret_from("AWS_SECRET_ACCESS_KEY", what="Amazon")
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        headers = {
            "Content-Type": "application/x-amz-json-1.1",
            "Host": urlsplit(fill_variables(self._server, what=self.scheme)).netloc,
            "X-Amz-Date": moment,
            "X-Amz-Target": "AWSShineFrontendService_20170701.TranslateText",
        }
        if token := os.environ.get("AWS_SESSION_TOKEN", "").strip():
            headers["X-Amz-Security-Token"] = Secret(token).reveal()
        signed = authorization(
            "AWS4-HMAC-SHA256",
            key_id=key_id,
            key=key,
            scope=(moment[:8], self._region, "translate", "aws4_request"),
            moment=moment,
            headers=headers,
            content=content,
        )
        return {**headers, "Authorization": signed}

    @property
    def _region(self) -> str:
        for region in (self.region, os.environ.get("AWS_REGION"), os.environ.get("AWS_DEFAULT_REGION")):
            if region:
                return region
        raise UsageError("Amazon needs a region: amazon:eu-west-1, or AWS_REGION in the environment.")

    @property
    def _server(self) -> str:
        server = self.url or os.environ.get("AWS_ENDPOINT_URL_TRANSLATE")
        return check_address(server or f"https://translate.{self._region}.amazonaws.com", what="Amazon")

    @property
    def _settings(self) -> dict[str, str]:
        settings = {"Formality": self.formality, "Profanity": self.profanity, "Brevity": self.brevity}
        return {key: value for key, value in settings.items() if value}


def _error_type(status: int, answer: Any) -> type[ServiceError] | None:
    """The type may stand behind a name space: `com.amazon.coral.service#AccessDeniedException`."""
    kind = str(field(answer, "__type")).rpartition("#")[2]
    return BusyError if kind in _BUSY else ClosedError if kind in _CLOSED else None


def _code(language: Language) -> str:
    if language.code == "zh":
        return "zh-TW" if is_traditional(language) else "zh"
    return language.tag if language.tag in _VARIANTS else _CODES.get(language.code, language.code)
