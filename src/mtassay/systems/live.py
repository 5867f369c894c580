"""The common base of all live engines: limits, language codes, one output for every request."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from mtassay.data.errors import BusyError, UsageError
from mtassay.data.grouping import gathered
from mtassay.data.languages import Language, Pair, parse_language
from mtassay.data.nouns import Output, Request, System
from mtassay.runtime.http_calls import field, name_variables


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How a service may be asked. `None` means no limit.

    A call has up to `batch` requests with `batch_characters` characters in total; `in_flight` calls run at
    the same time. A call with a temporary failure gets `attempts` in all, of `timeout` seconds each.
    """

    batch: int = 1
    batch_characters: int | None = None
    in_flight: int = 4
    calls_per_second: float | None = None
    characters_per_second: float | None = None
    attempts: int = 5
    timeout: float = 60.0


@dataclass(frozen=True, kw_only=True)
class LiveSystem(System):
    """An engine that is asked for every translation.

    The fields of a subclass are its options. `translate` gets one batch within `limits` and makes one call.
    The caller is responsible for retries, waiting and caching. It raises `BusyError`, `RejectedError` or
    `ClosedError`, or gives an `Output` with an error for a single request. `signature` names everything that
    may change an answer, and no secret.
    """

    scheme: ClassVar[str]
    """The word before the colon in `NAME=scheme:rest`."""
    subject: ClassVar[str]
    """The field for the rest of the spec, up to a `?` before further options."""

    name: str
    pair: Pair

    @property
    def engine(self) -> str:
        """The kind of system, as the records of a judge name it."""
        return getattr(self, "scheme", "")

    @property
    def limits(self) -> Limits:
        """The limits of this engine."""
        return Limits()

    @property
    def is_sampled(self) -> bool:
        """Whether repeated answers to the same text may differ."""
        return False

    def characters_read(self, request: Request) -> int:
        """Number of characters that the engine reads for a request, including its prompt."""
        return len(request.text or "")

    def check_key(self) -> None:
        """Raise `ClosedError` if the environment lacks the key that every call needs. Nothing is asked."""

    @property
    def program(self) -> str:
        """A fingerprint of the program or model, if it is visible here and not in the signature."""
        return ""


class Answer(NamedTuple):
    """An engine's answer to one text: a translation, or `None` with the reason in `error`."""

    text: str | None
    error: str | None = None
    meta: Mapping[str, Any] = {}


def answer_each(requests: Sequence[Request], ask: Callable[[list[str]], Sequence[Answer]]) -> list[Output]:
    """One output per request, in order. `ask` gets the usable texts and returns an answer to each.

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
    return [Output(r.id, *(answer or next(rest))) for r, answer in zip(requests, fixed, strict=True)]


def ask_once(requests: Sequence[Request], ask: Callable[[list[str]], object], *, what: str) -> list[Output]:
    """One output per request, in order. `ask` gets the non-blank texts and returns their translations.

    A blank text has a blank translation and is not sent, since most services then refuse the whole batch. A
    request without text gets an output without one.

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
    """The field of each item of a JSON list, or `None` if the answer is not a list."""
    return [field(item, name) for item in answer] if isinstance(answer, list) else None


def is_traditional(language: Language) -> bool:
    """Whether this is Chinese in traditional characters.

    >>> [is_traditional(Language("zh", region=region)) for region in ("TW", "CN", None)]
    [True, False, False]
    """
    return language.code == "zh" and not language.matches(Language("zh", script="Hans"))


def signature(scheme: str, **parts: object) -> str:
    """Scheme and non-empty parts, in the given order.

    >>> signature("deepl", to="DE", formality=None, context=False)
    'deepl|to:DE'
    """
    said = (f"{key}:{value}" for key, value in parts.items() if value not in (None, "", False, ()))
    return name_variables("|".join([scheme, *said]))


def _without_asking(text: str | None) -> Answer | None:
    if text is None:
        return Answer(None, "no source text")
    if not text or text.isspace():
        return Answer("")
    if any("\ud800" <= character <= "\udfff" for character in text):
        return Answer(None, "the source text is not valid Unicode")
    return None


def _checked(texts: object, expected: int, what: str) -> list[str]:
    """Check that there is one translation for each text: a missing one would shift all others."""
    if not isinstance(texts, list):
        raise BusyError(f"{what} answered no translations for {expected} texts")
    if len(texts) != expected:
        raise BusyError(f"{what} answered {len(texts)} translations for {expected} texts")
    if not all(isinstance(text, str) for text in texts):
        count = sum(isinstance(text, str) for text in texts)
        raise BusyError(f"{what} answered {count} translations for {expected} texts")
    return texts


# If a code names a group of written languages, use the one that nearly everybody means.
_USUAL = {"no": "nb", "tl": "fil", "fil": "tl"}


def find_code(language: Language, codes: Iterable[str], *, what: str, option: str) -> str:
    """The model's code for this language; `UsageError` if it has none.

    A code with another script or region is no match. Of several matches, the code with the same script and
    region is used, else the first in the model's order.

    >>> nllb = ["eng_Latn", "zho_Hans", "zho_Hant", "arb_Arab", "nob_Latn"]
    >>> texts = ["en-US", "zh", "zh-TW", "ar", "no"]
    >>> [find_code(parse_language(text), nllb, what="it", option="target_code") for text in texts]
    ['eng_Latn', 'zho_Hans', 'zho_Hant', 'arb_Arab', 'nob_Latn']
    """
    languages = {code: parsed for code in codes if (parsed := _parse(code)) is not None}
    for wanted in (language, _usual(language)):
        fitting = [
            code for code, parsed in languages.items() if wanted is not None and wanted.matches(parsed)
        ]
        if fitting:
            script, region = language.script, language.region
            return max(fitting, key=lambda c: (languages[c].script == script, languages[c].region == region))
    raise UsageError(f"{what} has no code that fits {language.name}. Give one that it knows: {option}=CODE.")


def _parse(code: str) -> Language | None:
    try:
        language = parse_language(code)
    except UsageError:
        return None
    # mBART writes XX for no specific region.
    return Language(language.code, language.script) if language.region == "XX" else language


def _usual(language: Language) -> Language | None:
    code = _USUAL.get(language.code)
    return Language(code, language.script, language.region) if code else None


Ask = Callable[[Sequence[Request]], list[Output]]

_NUMBER = re.compile(r"^[ \t]*(?:\*\*)?\\?\[(\d{1,4})\\?\](?:\*\*)?:?", re.MULTILINE)
_BRACKET = re.compile(r"\[\d")
ALONE = "asked alone"
DRY_RUN = "this is a dry run"
"""The error of a request that was never sent."""


def numbered(texts: Sequence[str]) -> str:
    """Several texts as one, each behind its number.

    >>> numbered(["Good day.", "He left."])
    '[1] Good day.\\n[2] He left.'
    """
    return "\n".join(f"[{place}] {text.strip()}" for place, text in enumerate(texts, 1))


def read_numbered(reply: str | None, texts: Sequence[str]) -> list[str | None]:
    """The translation of each text, by its number from 1 on.

    It is `None` if its number is missing or repeated, or if it may contain the next text, whose number is
    missing or within a line.

    >>> read_numbered("[1] Guten Tag. Er ging.\\n[3] Ja.\\n**[4]** Nein.", ["Good day.", "He left.", "Yes.", "No."])
    [None, None, 'Ja.', 'Nein.']
    """  # noqa: E501
    n, reply = len(texts), reply or ""
    marks = [mark for mark in _NUMBER.finditer(reply) if 1 <= int(mark[1]) <= n]
    ends = [mark.start() for mark in marks[1:]] + [len(reply)]
    parts = zip(marks, ends, strict=False)
    found = gathered((int(mark[1]), reply[mark.end() : end].strip()) for mark, end in parts)
    return [
        found[place][0] or None
        if len(found.get(place, [])) == 1
        and (place == n or place + 1 in found)
        and len(_BRACKET.findall(found[place][0])) <= len(_BRACKET.findall(text))
        else None
        for place, text in enumerate(texts, 1)
    ]


def ask_documents(
    system: System, requests: Sequence[Request], documents: Mapping[str, str], ask: Ask
) -> list[Output]:
    """One output per request, in order.

    A system with `before` gets that many preceding segments of the document with their translations as
    context. A system with `together` gets that many numbered segments in one request, and again alone those
    without a clear answer. Documents are asked in parallel, each in its order.

    Args:
        system: The system.
        requests: What to ask. One that brings its own context keeps it.
        documents: The document of each request that is part of one, by its id.
        ask: Asks the system.
    """
    before, together = getattr(system, "before", 0), max(getattr(system, "together", 1), 1)
    chains: dict[str, list[int]] = {}
    if before or together > 1:
        for place, request in enumerate(requests):
            if request.context is None and request.id in documents and (request.text or "").strip():
                chains.setdefault(documents[request.id], []).append(place)
    inside = {place for places in chains.values() for place in places}
    loose = [place for place in range(len(requests)) if place not in inside]
    outputs = dict(zip(loose, ask([requests[place] for place in loose]), strict=True)) if loose else {}
    for start in range(0, max(map(len, chains.values()), default=0), together):
        parts = [(places[start : start + together], places[:start]) for places in chains.values()]
        parts = [(part, earlier) for part, earlier in parts if part]
        contexts = [_context(requests, outputs, earlier[-before:] if before else []) for _, earlier in parts]
        asked = [
            requests[part[0]]._replace(
                context=context,
                text=requests[part[0]].text
                if len(part) == 1
                else numbered([requests[place].text or "" for place in part]),
            )
            for (part, _), context in zip(parts, contexts, strict=True)
        ]
        alone: dict[int, str | None] = {}
        for (part, _), answer, context in zip(parts, ask(asked), contexts, strict=True):
            replied = answer.text is not None or "raw" in answer.meta
            texts = [requests[place].text or "" for place in part]
            divided = _divided(answer, texts) if len(part) > 1 and replied else [answer] * len(part)
            for place, output in zip(part, divided, strict=True):
                outputs[place] = output._replace(id=requests[place].id)
                if output.text is None and len(part) > 1 and replied:
                    alone[place] = context
        if alone:
            again = ask([requests[place]._replace(context=context) for place, context in alone.items()])
            for place, output in zip(alone, again, strict=True):
                meta = {**output.meta, ALONE: True}
                if spent := outputs[place].meta.get("usage"):  # counted with the request for several
                    meta["usage"] = dict(Counter(spent) + Counter(meta.get("usage", {})))
                outputs[place] = output._replace(meta=meta)
    return [outputs[place] for place in range(len(requests))]


def _context(requests: Sequence[Request], outputs: Mapping[int, Output], places: Sequence[int]) -> str | None:
    """Segments with their translations, one per line; `None` without any. A dry run has the same length."""
    texts = [requests[p].text if outputs[p].error == DRY_RUN else outputs[p].text for p in places]
    lines = [f"{requests[p].text} → {t}" for p, t in zip(places, texts, strict=True) if t is not None]
    return "\n".join(lines) or None


def _divided(answer: Output, texts: Sequence[str]) -> list[Output]:
    """Split an answer to several texts into one output per text; also split further answers.

    Seconds and tokens go with the first; the others cost nothing more.
    """
    later = [read_numbered(text, texts) for text in answer.meta.get("again", ())]
    divided = []
    for place, text in enumerate(read_numbered(answer.text, texts)):
        meta = {key: value for key, value in answer.meta.items() if not (place and key == "seconds")}
        if place and "usage" in meta:
            meta["usage"] = {}
        if later:
            meta["again"] = [answers[place] for answers in later]
        divided.append(Output("", text, None if text is not None else "not in the answer", meta))
    return divided
