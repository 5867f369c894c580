"""How to ask a web service for translations: a request with placeholders, and where its answer has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from mtassay.languages import Language, Pair
from mtassay.packages import Secret, secret_from
from mtassay.systems import answer_path
from mtassay.systems.placeholders import fill, language_values, names_in


@dataclass(frozen=True, kw_only=True)
class Template:
    """How to ask. `limits` are fields of `Limits`; `many` says whether one call takes several texts."""

    path: str
    url: str
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    answer: answer_path.Path = ()
    languages: Mapping[str, str] = field(default_factory=dict)
    busy: frozenset[int] = frozenset()
    closed: frozenset[int] = frozenset()
    limits: Mapping[str, Any] = field(default_factory=dict)
    many: bool = False
    digest: str = ""

    def codes(self, pair: Pair) -> dict[str, str]:
        """The values of the language placeholders, with the service's own codes."""
        values = language_values(pair)
        return {**values, "source": self._code(pair.source), "target": self._code(pair.target)}

    def address(self, pair: Pair, url: str | None) -> str:
        """Where to call; `url` takes the place of the template's."""
        values = {name: quote(value, safe="") for name, value in self.codes(pair).items()}
        return fill(url or self.url, values)

    def request(
        self, texts: Sequence[str], *, pair: Pair, context: str | None, what: str
    ) -> tuple[dict[str, Any], dict[str, Any], Any]:
        """Headers, parameters and body for these texts, with secrets from the environment."""
        values: dict[str, Any] = {**self.codes(pair), "context": context or "", "texts": list(texts)}
        if not self.many:
            values["text"] = texts[0]
        filler = _Filler(values, what)
        headers = {key: filler.fill(value, f"headers.{key}") for key, value in self.headers.items()}
        parameters = {key: filler.fill(value, f"parameters.{key}") for key, value in self.parameters.items()}
        return headers, parameters, filler.fill(self.body, "body")

    def _code(self, language: Language) -> str:
        return self.languages.get(language.tag) or self.languages.get(language.code) or language.tag


def strings_in(node: Any, where: str) -> Iterator[tuple[str, str]]:
    """All texts in a part of the template, with where they stand."""
    if isinstance(node, str):
        yield where, node
    elif isinstance(node, dict):
        for key, value in node.items():
            yield from strings_in(value, f"{where}.{key}")
    elif isinstance(node, list):
        for item in node:
            yield from strings_in(item, where)


@dataclass(frozen=True)
class _Filler:
    """Puts values into a template."""

    values: Mapping[str, Any]
    what: str

    def fill(self, node: Any, where: str) -> Any:
        if isinstance(node, str):
            return self._text(node, where)
        if isinstance(node, dict):
            return {key: self.fill(value, f"{where}.{key}") for key, value in node.items()}
        if isinstance(node, list):
            return [part for item in node for part in self._item(item, where)]
        return node

    def _item(self, item: Any, where: str) -> list[Any]:
        """An item with `${each}` comes once for each text."""
        if not any("each" in names_in(text) for _, text in strings_in(item, where)):
            return [self.fill(item, where)]
        return [
            _Filler({**self.values, "each": text}, self.what).fill(item, where)
            for text in self.values["texts"]
        ]

    def _text(self, text: str, where: str) -> Any:
        if text == "${texts}":
            return self.values["texts"]
        secrets = {
            name: secret_from(name, what=f"{self.what}: {where}").reveal()
            for name in names_in(text)
            if name not in self.values
        }
        filled = fill(text, {**self.values, **secrets})
        return Secret(filled) if secrets else filled
