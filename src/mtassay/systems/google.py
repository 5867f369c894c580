"""Google Cloud Translation, with a key or an access token."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from mtassay.data.errors import BusyError, ClosedError, ServiceError, UsageError
from mtassay.data.languages import Language
from mtassay.data.nouns import Output, Request
from mtassay.runtime.http_calls import Secret, call_json, check_address, field, host_of, secret_from
from mtassay.systems.live import Limits, LiveSystem, ask_once, column, is_traditional, signature

# Reasons that say more than the status 400 or 403 they come with.
_BUSY = {"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED"}
_CLOSED = {"keyInvalid", "API_KEY_INVALID", "dailyLimitExceeded"}
_VARIANTS = {"pt-PT", "fr-CA"}


@dataclass(frozen=True, kw_only=True)
class Google(LiveSystem):
    """`google:` (v2, key in GOOGLE_API_KEY) or `google:v3?project=my-project` (with an access token).

    `model` and `glossary` are only for v3: `general/nmt`, `general/translation-llm`, or your own, with the
    full name or the name within the project and location.
    """

    scheme: ClassVar[str] = "google"
    subject: ClassVar[str] = "version"

    version: Literal["v2", "v3"] = "v2"
    project: str | None = None
    location: str = "global"
    model: str | None = None
    glossary: str | None = None
    url: str = "https://translation.googleapis.com"

    def __post_init__(self) -> None:
        if self.version == "v2" and (self.model or self.glossary):
            raise UsageError(
                "google:v2 has no model and no glossary option. Take google:v3?project=my-project."
            )

        if self.version == "v3" and not self._project:
            raise UsageError(
                "google:v3 needs a project: google:v3?project=my-project, or GOOGLE_CLOUD_PROJECT."
            )

    @property
    def limits(self) -> Limits:
        """128 texts and 100 KB a call in v2, 1,024 and 30,000 code points in v3 ("Quotas and limits")."""
        if self.version == "v2":
            return Limits(batch=128, batch_characters=24_000)
        return Limits(batch=1024, batch_characters=30_000)

    @property
    def signature(self) -> str:
        v3 = {"location": self.location, "model": self._model, "glossary": self._glossary}
        return signature(
            f"{self.scheme}:{self.version}",
            host=host_of(self._server),
            source=_code(self.pair.source),
            target=_code(self.pair.target, variant=True),
            **(v3 if self.version == "v3" else {}),
            adapter=1,
        )

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        return ask_once(requests, self._ask_v2 if self.version == "v2" else self._ask_v3, what="Google")

    def check_key(self) -> None:
        self._key()

    def _key(self) -> Secret:
        name = "GOOGLE_API_KEY" if self.version == "v2" else "GOOGLE_OAUTH_ACCESS_TOKEN"
        return secret_from(name, what=f"google:{self.version}")

    def _ask_v2(self, texts: list[str]) -> Any:
        # As text, since answers in the default format HTML come with character references.
        body = {
            "q": texts,
            "source": _code(self.pair.source),
            "target": _code(self.pair.target, variant=True),
            "format": "text",
        }
        answer = self._call("/language/translate/v2", body, {"X-goog-api-key": self._key()})
        return column(field(answer, "data", "translations"), "translatedText")

    def _ask_v3(self, texts: list[str]) -> Any:
        body: dict[str, Any] = {
            "contents": texts,
            "mimeType": "text/plain",
            "sourceLanguageCode": _code(self.pair.source),
            "targetLanguageCode": _code(self.pair.target, variant=True),
        }
        if self._model:
            body["model"] = self._model
        if self._glossary:
            body["glossaryConfig"] = {"glossary": self._glossary}
        # A person's credentials, unlike a service account's, do not say which project pays.
        headers = {
            "Authorization": Secret(f"Bearer {self._key().reveal()}"),
            "x-goog-user-project": self._project,
        }
        answer = self._call(f"/v3/{self._place}:translateText", body, headers)
        return column(
            field(answer, "glossaryTranslations" if self._glossary else "translations"), "translatedText"
        )

    def _call(self, path: str, body: Any, headers: dict[str, Any]) -> Any:
        return call_json(
            self._server + path,
            body=body,
            headers=headers,
            timeout=self.limits.timeout,
            what="Google",
            error_type=_error_type,
        )

    @property
    def _server(self) -> str:
        return check_address(self.url, what="Google")

    @property
    def _project(self) -> str:
        return self.project or os.environ.get("GOOGLE_CLOUD_PROJECT", "")

    @property
    def _place(self) -> str:
        return f"projects/{self._project}/locations/{self.location}"

    @property
    def _model(self) -> str | None:
        return self._within("models", self.model)

    @property
    def _glossary(self) -> str | None:
        return self._within("glossaries", self.glossary)

    def _within(self, kind: str, name: str | None) -> str | None:
        return f"{self._place}/{kind}/{name}" if name and not name.startswith("projects/") else name


def _error_type(status: int, answer: Any) -> type[ServiceError] | None:
    """The error type for the reasons in an answer; the two versions give them in different places."""
    error = field(answer, "error")
    reasons = {str(field(error, "status"))}
    for place in ("errors", "details"):
        reasons |= set(map(str, column(field(error, place), "reason") or []))
    if reasons & _CLOSED:
        return ClosedError
    if reasons & _BUSY:
        return BusyError
    # A pair that Google does not have is an error for every text.
    return ClosedError if status == 400 and "language pair" in str(field(error, "message")).lower() else None


def _code(language: Language, *, variant: bool = False) -> str:
    """Google's code; only a target has a variant."""
    if language.code == "zh":
        return "zh-TW" if is_traditional(language) else "zh-CN"
    if variant and language.tag in _VARIANTS:
        return language.tag
    code = "no" if language.code in ("nb", "nn") else language.code
    return f"{code}-{language.script}" if language.script else code
