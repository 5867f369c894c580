"""Any web service that takes and gives JSON, as a small template file describes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from mtassay.core import Output, Request
from mtassay.errors import BusyError, UsageError
from mtassay.packages import call_json, check_address, excerpt, place
from mtassay.systems.answer_path import look_up
from mtassay.systems.answers import ask_once, signature
from mtassay.systems.http_reading import read_template
from mtassay.systems.http_template import Template
from mtassay.systems.live import Limits, LiveSystem
from mtassay.systems.placeholders import LANGUAGES, names_in

ADAPTER = 1


@dataclass(frozen=True, kw_only=True)
class Http(LiveSystem):
    """`http:TEMPLATE.json`; `url` takes the place of the template's address."""

    scheme: ClassVar[str] = "http"
    subject: ClassVar[str] = "template"

    template: str
    url: str | None = None

    def __post_init__(self) -> None:
        if self.template.startswith("//") or not self.template:
            raise UsageError(
                f"system '{self.name}': after http: comes a template file, not an address."
                f" Write {self.name}=http:service.json; the template has the address."
            )
        for name in names_in(self.url or ""):
            if name not in LANGUAGES:
                raise UsageError(f"{self._what}: url cannot have ${{{name}}}.")
        check_address(self._template.address(self.pair, self.url), what=self._what)

    @property
    def limits(self) -> Limits:
        """As the template says."""
        return Limits(**self._template.limits)

    @property
    def signature(self) -> str:
        codes = self._template.codes(self.pair)
        address = place(self._template.address(self.pair, self.url))
        return signature(
            self.scheme,
            endpoint=address.partition("://")[2],
            source=codes["source"],
            target=codes["target"],
            template=self._template.digest,
            adapter=ADAPTER,
        )

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        context = next((request.context for request in requests if request.context), None)
        return ask_once(requests, lambda texts: self._ask(texts, context), what=self._what)

    def _ask(self, texts: list[str], context: str | None) -> Any:
        template = self._template
        headers, parameters, body = template.request(texts, pair=self.pair, context=context, what=self._what)
        answer = call_json(
            template.address(self.pair, self.url),
            method=template.method,
            headers=headers,
            parameters=parameters,
            body=body,
            timeout=self.limits.timeout,
            what=self._what,
            closed=template.closed,
            busy=template.busy,
        )
        try:
            found = look_up(answer, template.answer)
        except KeyError as error:
            raise BusyError(f"{self._what} answered without {error}: {excerpt(str(answer))}") from None
        return found if isinstance(found, list) else [found]

    @property
    def _what(self) -> str:
        return f"http:{Path(self.template).name}"

    @cached_property
    def _template(self) -> Template:
        return read_template(self.template)
