"""Tencent Machine Translation, as its documentation "TextTranslateBatch" (TMT 2018-03-21) describes it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlsplit

from mtassay.data.errors import BusyError, ClosedError, RejectedError, ServiceError
from mtassay.data.languages import Language
from mtassay.data.nouns import Output, Request
from mtassay.runtime.http_calls import (
    call_json,
    check_address,
    excerpt,
    field,
    fill_variables,
    host_of,
    secret_from,
)
from mtassay.systems.live import Limits, LiveSystem, ask_once, is_traditional, signature
from mtassay.systems.signatures import authorization

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
            source=_code(self.pair.source),
            target=_code(self.pair.target),
            terms="+".join(self.terms),
            adapter=1,
        )

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        return ask_once(requests, self._ask, what="Tencent")

    def _ask(self, texts: list[str]) -> Any:
        body: dict[str, Any] = {
            "Source": _code(self.pair.source),
            "Target": _code(self.pair.target),
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


def _code(language: Language) -> str:
    return "zh-TW" if is_traditional(language) else language.code
