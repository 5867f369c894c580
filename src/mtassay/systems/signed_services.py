"""Services whose requests are signed: Amazon and Tencent."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import time
from collections.abc import Mapping, Sequence
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
    excerpt,
    field,
    fill_variables,
    host_of,
    secret_from,
)
from mtassay.systems.live import Limits, LiveSystem, ask_once, is_traditional, signature


def authorization(
    algorithm: str,
    *,
    key_id: Secret,
    key: Secret,
    scope: Sequence[str],
    moment: str,
    headers: Mapping[str, str],
    content: bytes,
    method: str = "POST",
    path: str = "/",
    query: str = "",
) -> str:
    """The value of the `Authorization` header.

    `scope` begins with the date and ends with the word that closes it, as in
    `20150830/us-east-1/iam/aws4_request`; both schemes derive the signing key by going through its parts.
    `moment` is the time as the scheme writes it, `headers` are those to sign, `query` is in canonical form.
    """
    names = sorted(headers, key=str.lower)
    signed = ";".join(name.lower() for name in names)
    lines = "".join(f"{name.lower()}:{headers[name].strip()}\n" for name in names)
    request = f"{method}\n{path}\n{query}\n{lines}\n{signed}\n{_digest(content)}"
    place = "/".join(scope)
    text = f"{algorithm}\n{moment}\n{place}\n{_digest(request.encode())}"
    derived = (algorithm.split("-")[0] + key.reveal()).encode()
    for part in (*scope, text):
        derived = hmac.digest(derived, part.encode(), "sha256")
    return (
        f"{algorithm} Credential={key_id.reveal()}/{place}, SignedHeaders={signed}, Signature={derived.hex()}"
    )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# Amazon Translate, as its "API reference: TranslateText" describes it.


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
    """The type may be behind a name space: `com.amazon.coral.service#AccessDeniedException`."""
    kind = str(field(answer, "__type")).rpartition("#")[2]
    return BusyError if kind in _BUSY else ClosedError if kind in _CLOSED else None


def _code(language: Language) -> str:
    if language.code == "zh":
        return "zh-TW" if is_traditional(language) else "zh"
    return language.tag if language.tag in _VARIANTS else _CODES.get(language.code, language.code)


# Tencent Machine Translation, as its documentation "TextTranslateBatch" (TMT 2018-03-21) describes it.


# A code has a family and may have a member: `FailedOperation.NoFreeAmount`. The longer one decides.
_ERRORS: dict[str, type[ServiceError]] = {
    "AuthFailure": ClosedError,
    "FailedOperation": BusyError,
    "FailedOperation.ErrorUserArea": ClosedError,
    "FailedOperation.LanguageRecognitionErr": RejectedError,
    "FailedOperation.NoFreeAmount": ClosedError,
    "FailedOperation.ServiceIsolate": ClosedError,
    "FailedOperation.StopUsing": ClosedError,
    "FailedOperation.UserHasNoFreeAmount": ClosedError,
    "FailedOperation.UserNotRegistered": ClosedError,
    "InternalError": BusyError,
    "InvalidAction": ClosedError,
    "LimitExceeded": ClosedError,
    "LimitExceeded.LimitedAccessFrequency": BusyError,
    "NoSuchVersion": ClosedError,
    "RequestLimitExceeded": BusyError,
    "ResourceUnavailable": BusyError,
    "UnauthorizedOperation": ClosedError,
    "UnknownParameter": ClosedError,
    "UnsupportedOperation.UnSupportedTargetLanguage": ClosedError,
    "UnsupportedOperation.UnsupportedLanguage": ClosedError,
    "UnsupportedOperation.UnsupportedSourceLanguage": ClosedError,
    "UnsupportedRegion": ClosedError,
}


@dataclass(frozen=True, kw_only=True)
class Tencent(LiveSystem):
    """`tencent:ap-singapore`, with the keys in TENCENTCLOUD_SECRET_ID and TENCENTCLOUD_SECRET_KEY."""

    scheme: ClassVar[str] = "tencent"
    subject: ClassVar[str] = "region"

    region: str = ""
    project: int = 0
    terms: tuple[str, ...] = ()
    url: str = "https://tmt.tencentcloudapi.com"

    @property
    def limits(self) -> Limits:
        """Less than 6,000 characters a call and 5 calls a second ("TextTranslateBatch")."""
        return Limits(batch=50, batch_characters=5_900, calls_per_second=5)

    @property
    def signature(self) -> str:
        return signature(
            self.scheme,
            host=host_of(self._server),
            region=self._region,
            source=_tencent_code(self.pair.source),
            target=_tencent_code(self.pair.target),
            terms="+".join(self.terms),
            adapter=1,
        )

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        return ask_once(requests, self._ask, what="Tencent")

    def _ask(self, texts: list[str]) -> Any:
        body: dict[str, Any] = {
            "Source": _tencent_code(self.pair.source),
            "Target": _tencent_code(self.pair.target),
            "ProjectId": self.project,
            "SourceTextList": texts,
        }
        if self.terms:
            body["TermRepoIDList"] = self.terms
        content = json.dumps(body).encode()
        answer = call_json(
            f"{self._server}/",
            content=content,
            headers=self._headers(content),
            timeout=self.limits.timeout,
            what="Tencent",
        )
        _raise_error(field(answer, "Response", "Error"))
        return field(answer, "Response", "TargetTextList")

    def check_key(self) -> None:
        self._headers(b"")

    def _headers(self, content: bytes) -> dict[str, str]:
        now = int(time.time())
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "Host": urlsplit(fill_variables(self._server, what=self.scheme)).netloc,
        }
        signed = authorization(
            "TC3-HMAC-SHA256",
            key_id=secret_from("TENCENTCLOUD_SECRET_ID", what="Tencent"),
            key=secret_from("TENCENTCLOUD_SECRET_KEY", what="Tencent"),
            scope=(time.strftime("%Y-%m-%d", time.gmtime(now)), "tmt", "tc3_request"),
            moment=str(now),
            headers=headers,
            content=content,
        )
        return {
            **headers,
            "Authorization": signed,
            "X-TC-Action": "TextTranslateBatch",
            "X-TC-Version": "2018-03-21",
            "X-TC-Timestamp": str(now),
            "X-TC-Region": self._region,
            "X-TC-Language": "en-US",
        }

    @property
    def _server(self) -> str:
        return check_address(self.url, what="Tencent")

    @property
    def _region(self) -> str:
        return self.region or os.environ.get("TENCENTCLOUD_REGION") or "ap-guangzhou"


def _raise_error(error: Any) -> None:
    """Errors come with status 200."""
    if error is None:
        return
    code = str(field(error, "Code"))
    kind = _ERRORS.get(code) or _ERRORS.get(code.split(".")[0]) or RejectedError
    raise kind(f"Tencent answered {excerpt(code)}: {excerpt(str(field(error, 'Message')))}")


def _tencent_code(language: Language) -> str:
    return "zh-TW" if is_traditional(language) else language.code
