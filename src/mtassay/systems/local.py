"""What engines on this machine share: an output for every request, and which package and files answered."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.core import Output, Request
from mtassay.errors import MissingExtraError, UsageError


class Answer(NamedTuple):
    """What an engine says to one text: a translation, or `None` with the reason in `error`."""

    text: str | None
    error: str | None = None
    meta: Mapping[str, Any] = {}


def answer_each(requests: Sequence[Request], ask: Callable[[list[str]], Sequence[Answer]]) -> list[Output]:
    """One output per request, in order. `ask` gets the texts that can be asked and gives an answer to each.

    A blank text has a blank translation and is not asked. No text, or one with half a character (a lone
    surrogate, which no encoding can write), is an error of that request.

    >>> requests = [Request("1", "ein"), Request("2", None), Request("3", " "), Request("4", chr(0xD800))]
    >>> for output in answer_each(requests, lambda texts: [Answer(text.upper()) for text in texts]):
    ...     print(output.id, output.text, output.error)
    1 EIN None
    2 None no source text
    3  None
    4 None the source text is not valid Unicode
    """
    fixed = [_without_asking(request.text) for request in requests]
    texts = [request.text or "" for request, answer in zip(requests, fixed, strict=True) if answer is None]
    answers = ask(texts) if texts else ()
    assert len(answers) == len(texts)
    rest = iter(answers)
    return [
        Output(request.id, *(answer or next(rest))) for request, answer in zip(requests, fixed, strict=True)
    ]


def _without_asking(text: str | None) -> Answer | None:
    if text is None:
        return Answer(None, "no source text")
    if not text or text.isspace():
        return Answer("")
    if any("\ud800" <= character <= "\udfff" for character in text):
        return Answer(None, "the source text is not valid Unicode")
    return None


def load_package(module: str, *, what: str, package: str, extra: str) -> Any:
    """The imported module, loaded where it is used and not before."""
    try:
        return import_module(module)
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]:
            raise MissingExtraError(what, package=package, extra=extra) from None
        raise UsageError(f"{what}: {package} is installed and cannot be loaded: {error}") from error


def package_version(package: str, *, what: str, extra: str) -> str:
    """The installed release, for a signature; `MissingExtraError` where there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        raise MissingExtraError(what, package=package, extra=extra) from None


def fingerprint(*paths: Path) -> str:
    """Twelve digits that change with the content of these files, so that a new model gets new answers.

    A file is read in full once per process, as long as its size and time stay the same.
    """
    digest = hashlib.blake2b(digest_size=6)
    for path in paths:
        status = path.stat()
        digest.update(_content(str(path), status.st_size, status.st_mtime_ns))
    return digest.hexdigest()


@lru_cache(maxsize=64)
def _content(path: str, size: int, modified: int) -> bytes:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "blake2b").digest()
