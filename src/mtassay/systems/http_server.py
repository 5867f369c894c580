"""Any translation server over HTTP: a template says what to send, and where the translations are."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from mtassay.data.errors import BusyError, InputError, UsageError
from mtassay.data.formats.textfiles import check_file, load_json
from mtassay.data.languages import Language, Pair, parse_language
from mtassay.data.nouns import Output, Request
from mtassay.runtime.http_calls import Secret, call_json, check_address, endpoint_of, excerpt, secret_from
from mtassay.systems.chat_translator import LANGUAGES, fill, language_values, names_in
from mtassay.systems.live import Limits, LiveSystem, ask_once, signature

_STEP = re.compile(r"\.([^.\[\]$*\s]+)|\[(\d{1,9})\]|\[(\*)\]")

Steps = tuple[str | int, ...]
"""Keys, positions, and `*` in brackets as the text `[*]`."""

EACH = "[*]"


def parse_path(text: str) -> Steps | None:
    """The steps of a path, or `None` if it is invalid. `$` alone is the whole answer.

    >>> parse_path("data.translations[*].text"), parse_path("$"), parse_path("a..b")
    (('data', 'translations', '[*]', 'text'), (), None)
    """
    if not text:
        return None
    rest = text[1:] if text.startswith("$") else text if text.startswith("[") else f".{text}"
    steps: list[str | int] = []
    while rest:
        match = _STEP.match(rest)
        if not match:
            return None
        steps.append(match[1] or (int(match[2]) if match[2] else EACH))
        rest = rest[match.end() :]
    return tuple(steps) if steps.count(EACH) <= 1 else None


def look_up(answer: Any, path: Steps) -> Any:
    """The value at a path: a list for a path with `[*]`. `KeyError` if there is no such place.

    >>> look_up({"data": [{"text": "eins"}, {"text": "zwei"}]}, ("data", "[*]", "text"))
    ['eins', 'zwei']
    """
    for number, step in enumerate(path):
        if step == EACH:
            if not isinstance(answer, list):
                raise KeyError(step)
            return [look_up(item, path[number + 1 :]) for item in answer]
        named = isinstance(step, str) and isinstance(answer, dict) and step in answer
        if not named and not (isinstance(step, int) and isinstance(answer, list) and step < len(answer)):
            raise KeyError(step)
        answer = answer[step]
    return answer


@dataclass(frozen=True, kw_only=True)
class RequestTemplate:
    """A template for calls. `limits` are fields of `Limits`; `many` tells if one call takes several texts."""

    path: str
    url: str
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    answer: Steps = ()
    index: Steps | None = None
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
        """The address to call; `url` replaces the template's."""
        values = {name: quote(value, safe="") for name, value in self.codes(pair).items()}
        text = url or self.url
        kept = {name: f"${{{name}}}" for name in names_in(text) if name not in values}
        return check_address(fill(text, {**values, **kept}), what=f"http:{Path(self.path).name}")

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
    """All texts in a part of the template, with their places."""
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
    """Put values into a template."""

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
        """Repeat an item with `${each}` for each text."""
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


_TEXTS = ("text", "texts", "each")
_ALLOWED = {
    "url": LANGUAGES,
    "headers": LANGUAGES,
    "parameters": (*LANGUAGES, "text", "texts", "context"),
    "body": (*LANGUAGES, *_TEXTS, "context"),
}
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_LIMITS = ("batch", "batch_characters", "in_flight")
_RATES = ("calls_per_second", "characters_per_second", "timeout")
_KEYS = ("url", "method", "headers", "parameters", "body", "answer", "index", "languages", "busy", "closed")


def read_template(path: str) -> RequestTemplate:
    """Read a template from a file; `InputError` with the file and the key of a mistake."""
    content = _load(path)
    for key in content:
        if key not in (*_KEYS, *_LIMITS, *_RATES):
            keys = ", ".join((*_KEYS, *_LIMITS, *_RATES))
            raise InputError(f"there is no key '{key}'. Available: {keys}.", path=path)
    for key in ("headers", "parameters", "languages"):
        _check_texts(path, key, content.get(key, {}))
    for key in ("url", "answer", "method"):
        if not isinstance(content.get(key, "POST" if key == "method" else None), str):
            raise InputError(f"'{key}' must be a text", path=path)
    _check_names(path, content)
    _check_url(path, content["url"])
    method = content.get("method", "POST").upper()
    if method not in ("GET", "POST", "PUT"):
        raise InputError(f"'method' is '{method}'. Choose from: GET, POST, PUT.", path=path)
    if method == "GET" and content.get("body") is not None:
        raise InputError("'body' goes with POST or PUT. With GET, use 'parameters'.", path=path)
    answer = parse_path(content["answer"])
    if answer is None:
        raise InputError(
            f"'answer' is '{content['answer']}'. Write it as translations[*].text or data.text.", path=path
        )
    index = parse_path(content["index"]) if isinstance(content.get("index"), str) else None
    if "index" in content and (index is None or EACH not in index):
        raise InputError(f"'index' is '{content['index']}'. Write it as translations[*].index.", path=path)
    limits = _limits(path, content)
    return RequestTemplate(
        path=path,
        url=content["url"],
        method=method,
        headers=content.get("headers", {}),
        parameters=content.get("parameters", {}),
        body=content.get("body"),
        answer=answer,
        index=index,
        languages=_languages(path, content.get("languages", {})),
        busy=_statuses(path, content, "busy"),
        closed=_statuses(path, content, "closed"),
        limits=limits,
        many=_many(path, content, limits.get("batch", 1)),
        digest=_digest(content),
    )


def _load(path: str) -> dict[str, Any]:
    try:
        check_file(path)
        content = load_json(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8. Save it as UTF-8.", path=path) from None
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON: {error.msg}", path=path, line=error.lineno) from None
    except ValueError as error:  # a number of thousands of digits
        raise InputError(f"is not usable JSON: {error}", path=path) from None
    if not isinstance(content, dict):
        raise InputError('must be an object: {"url": …, "body": …, "answer": …}', path=path)
    return content


def _check_names(path: str, content: Mapping[str, Any]) -> None:
    for part, allowed in _ALLOWED.items():
        for where, text in strings_in(content.get(part), part):
            for name in names_in(text):
                if name not in allowed and not _VARIABLE.fullmatch(name):
                    choices = ", ".join(f"${{{choice}}}" for choice in allowed)
                    raise InputError(
                        f"'{where}' cannot have ${{{name}}}. Available: {choices}, or a variable of the "
                        "environment in capitals.",
                        path=path,
                    )
                if name == "texts" and text != "${texts}":
                    raise InputError(f"'{where}': ${{texts}} is a list and must be alone", path=path)


def _check_url(path: str, url: str) -> None:
    try:
        kept = {name: f"${{{name}}}" for name in names_in(url)}
        check_address(fill(url, {**kept, **dict.fromkeys(LANGUAGES, "xx")}), what="'url'")
    except UsageError as error:
        raise InputError(str(error), path=path) from None


def _many(path: str, content: Mapping[str, Any], batch: int) -> bool:
    """Whether a call takes several texts."""
    parts = [*strings_in(content.get("body"), "body"), *strings_in(content.get("parameters"), "parameters")]
    names = {name for _, text in parts for name in names_in(text)}
    ways = [name for name in _TEXTS if name in names]
    if len(ways) != 1:
        present = " and ".join(f"${{{way}}}" for way in ways) or "none of them"
        raise InputError(
            f"'body' needs one of ${{text}}, ${{texts}} and ${{each}}; it has {present}", path=path
        )
    if "each" in names and any("each" in names_in(text) for text in _outside_lists(content.get("body"))):
        raise InputError("'body': ${each} must be inside a list", path=path)
    if ways == ["text"] and batch > 1:
        raise InputError(
            f"'batch' is {batch}, and ${{text}} is one text. Use ${{texts}} or ${{each}}.", path=path
        )
    if "context" in names and batch > 1:
        raise InputError(f"'batch' is {batch}, and ${{context}} belongs to one text. Use batch 1.", path=path)
    return ways != ["text"]


def _outside_lists(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for value in node.values():
            yield from _outside_lists(value)


def _check_texts(path: str, key: str, value: Any) -> None:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise InputError(f"'{key}' must be an object of texts", path=path)


def _languages(path: str, languages: Mapping[str, str]) -> dict[str, str]:
    try:
        return {parse_language(key).tag: code for key, code in languages.items()}
    except UsageError as error:
        raise InputError(f"'languages': {error}", path=path) from None


def _statuses(path: str, content: Mapping[str, Any], key: str) -> frozenset[int]:
    codes = content.get(key, [])
    if not isinstance(codes, list) or not all(type(code) is int and 100 <= code <= 599 for code in codes):
        raise InputError(f"'{key}' must be a list of HTTP status codes", path=path)
    return frozenset(codes)


def _limits(path: str, content: Mapping[str, Any]) -> dict[str, Any]:
    limits = {key: content[key] for key in (*_LIMITS, *_RATES) if key in content}
    for key, value in limits.items():
        whole = key in _LIMITS
        if type(value) not in ((int,) if whole else (int, float)) or value <= 0:
            raise InputError(f"'{key}' must be a {'whole ' if whole else ''}number above 0", path=path)
    return limits


def _digest(content: Mapping[str, Any]) -> str:
    """A signature that changes with everything that can change an answer."""
    asked = {key: value for key, value in content.items() if key not in (*_LIMITS, *_RATES, "busy", "closed")}
    text = json.dumps(asked, sort_keys=True)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _places(answer: Any, template: RequestTemplate) -> list[int] | None:
    """The place of each text's translation, according to the answer, counted from 0 or 1.

    Without `index` in the template, an `index` beside each translation is used. `None` if neither exists.
    """
    path = template.index
    if path is None:
        if EACH not in template.answer:
            return None
        path = (*template.answer[: template.answer.index(EACH) + 1], "index")
    try:
        numbers = [str(number) for number in look_up(answer, path)]
    except KeyError:
        return None
    for first in (0, 1):
        expected = [str(number) for number in range(first, first + len(numbers))]
        if sorted(numbers) == sorted(expected):
            return [numbers.index(number) for number in expected]
    return None


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
            if name not in LANGUAGES and not _VARIABLE.fullmatch(name):
                raise UsageError(f"{self._what}: url cannot have ${{{name}}}.")
        self._template.address(self.pair, self.url)

    @property
    def limits(self) -> Limits:
        return Limits(**self._template.limits)

    @property
    def signature(self) -> str:
        codes = self._template.codes(self.pair)
        return signature(
            self.scheme,
            endpoint=endpoint_of(self._template.address(self.pair, self.url)),
            source=codes["source"],
            target=codes["target"],
            template=self._template.digest,
            adapter=ADAPTER,
        )

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        context = next((request.context for request in requests if request.context), None)
        return ask_once(requests, lambda texts: self._ask(texts, context), what=self._what)

    def check_key(self) -> None:
        self._template.request([""], pair=self.pair, context=None, what=self._what)

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
            translations = look_up(answer, template.answer)
        except KeyError as error:
            raise BusyError(f"{self._what} answered without {error}: {excerpt(str(answer))}") from None
        if not isinstance(translations, list):
            return [translations]
        places = _places(answer, template)
        if places is not None and len(places) == len(translations):
            return [translations[place] for place in places]
        if template.index is not None:
            raise BusyError(f"{self._what} does not give each text exactly one translation by 'index'")
        return translations

    @property
    def _what(self) -> str:
        return f"http:{Path(self.template).name}"

    @cached_property
    def _template(self) -> RequestTemplate:
        return read_template(self.template)
