"""Reads a request template from a JSON file and says what is wrong in it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mtassay.errors import InputError, UsageError
from mtassay.languages import parse_language
from mtassay.packages import check_address
from mtassay.systems.answer_path import parse_path
from mtassay.systems.http_template import Template, strings_in
from mtassay.systems.placeholders import LANGUAGES, fill, names_in

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
_KEYS = ("url", "method", "headers", "parameters", "body", "answer", "languages", "busy", "closed")


def read_template(path: str) -> Template:
    """A template from a file; `InputError` with the file and the key where something is wrong in it."""
    content = _load(path)
    for key in content:
        if key not in (*_KEYS, *_LIMITS, *_RATES):
            known = ", ".join((*_KEYS, *_LIMITS, *_RATES))
            raise InputError(f"there is no key '{key}'. Available: {known}.", path=path)
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
    limits = _limits(path, content)
    return Template(
        path=path,
        url=content["url"],
        method=method,
        headers=content.get("headers", {}),
        parameters=content.get("parameters", {}),
        body=content.get("body"),
        answer=answer,
        languages=_languages(path, content.get("languages", {})),
        busy=_statuses(path, content, "busy"),
        closed=_statuses(path, content, "closed"),
        limits=limits,
        many=_many(path, content, limits.get("batch", 1)),
        digest=_digest(content),
    )


def _load(path: str) -> dict[str, Any]:
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8. Save it as UTF-8.", path=path) from None
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON: {error.msg}", path=path, line=error.lineno) from None
    except RecursionError:
        raise InputError("is too deep", path=path) from None
    if not isinstance(content, dict):
        raise InputError('must be an object: {"url": …, "body": …, "answer": …}', path=path)
    return content


def _check_names(path: str, content: Mapping[str, Any]) -> None:
    for part, allowed in _ALLOWED.items():
        for where, text in strings_in(content.get(part), part):
            for name in names_in(text):
                variable = part != "url" and _VARIABLE.fullmatch(name)
                if name not in allowed and not variable:
                    known = ", ".join(f"${{{known}}}" for known in allowed)
                    more = "" if part == "url" else ", or a variable of the environment in capitals"
                    raise InputError(
                        f"'{where}' cannot have ${{{name}}}. Available: {known}{more}.", path=path
                    )
                if name == "texts" and text != "${texts}":
                    raise InputError(f"'{where}': ${{texts}} is a list and must stand alone", path=path)


def _check_url(path: str, url: str) -> None:
    try:
        check_address(fill(url, dict.fromkeys(LANGUAGES, "xx")), what="'url'")
    except UsageError as error:
        raise InputError(str(error), path=path) from None


def _many(path: str, content: Mapping[str, Any], batch: int) -> bool:
    """Whether a call takes several texts."""
    parts = [*strings_in(content.get("body"), "body"), *strings_in(content.get("parameters"), "parameters")]
    names = {name for _, text in parts for name in names_in(text)}
    ways = [name for name in _TEXTS if name in names]
    if len(ways) != 1:
        found = " and ".join(f"${{{way}}}" for way in ways) or "none of them"
        raise InputError(
            f"'body' needs one of ${{text}}, ${{texts}} and ${{each}}; it has {found}", path=path
        )
    if "each" in names and any("each" in names_in(text) for text in _outside_lists(content.get("body"))):
        raise InputError("'body': ${each} must stand inside a list", path=path)
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
    """Changes with everything that can change an answer."""
    asked = {key: value for key, value in content.items() if key not in (*_LIMITS, *_RATES, "busy", "closed")}
    text = json.dumps(asked, sort_keys=True)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
