"""What engines share: one output per request, and the form of a signature."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from mtassay.core import Output, Request
from mtassay.errors import BusyError
from mtassay.languages import Language
from mtassay.packages import field


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


def ask_once(requests: Sequence[Request], ask: Callable[[list[str]], object], *, what: str) -> list[Output]:
    """One output per request, in order. `ask` gets the texts that are there and gives their translations.

    A blank text has a blank translation and is not sent: most services refuse it, and the batch with it.
    A request without text gets an output without one.

    >>> requests = [Request("1", "ein"), Request("2", None), Request("3", " ")]
    >>> outputs = ask_once(requests, lambda texts: [text.upper() for text in texts], what="it")
    >>> [output.text for output in outputs]
    ['EIN', None, '']
    """
    texts = [request.text for request in requests if request.text and not request.text.isspace()]
    answers = iter(_checked(ask(texts), len(texts), what) if texts else [])
    outputs = []
    for request in requests:
        if request.text is None:
            outputs.append(Output(request.id, None, "no source text"))
        elif not request.text or request.text.isspace():
            outputs.append(Output(request.id, ""))
        else:
            outputs.append(Output(request.id, next(answers)))
    return outputs


def column(answer: Any, name: str) -> Any:
    """The field of each item of a JSON list, or `None` where the answer is no list."""
    return [field(item, name) for item in answer] if isinstance(answer, list) else None


def is_traditional(language: Language) -> bool:
    """Whether this is Chinese in traditional characters.

    >>> [is_traditional(Language("zh", region=region)) for region in ("TW", "CN", None)]
    [True, False, False]
    """
    return language.code == "zh" and not language.matches(Language("zh", script="Hans"))


def signature(scheme: str, **parts: object) -> str:
    """Scheme and parts that say something, in the order given.

    >>> signature("deepl", to="DE", formality=None, context=False)
    'deepl|to:DE'
    """
    return "|".join(
        [scheme, *(f"{key}:{value}" for key, value in parts.items() if value not in (None, "", False, ()))]
    )


def _without_asking(text: str | None) -> Answer | None:
    if text is None:
        return Answer(None, "no source text")
    if not text or text.isspace():
        return Answer("")
    if any("\ud800" <= character <= "\udfff" for character in text):
        return Answer(None, "the source text is not valid Unicode")
    return None


def _checked(texts: object, expected: int, what: str) -> list[str]:
    """The translations, if there is one for each text: a missing one would shift all that follow."""
    if not isinstance(texts, list):
        raise BusyError(f"{what} answered no translations for {expected} texts")
    if len(texts) != expected:
        raise BusyError(f"{what} answered {len(texts)} translations for {expected} texts")
    if not all(isinstance(text, str) for text in texts):
        found = sum(isinstance(text, str) for text in texts)
        raise BusyError(f"{what} answered {found} translations for {expected} texts")
    return texts
