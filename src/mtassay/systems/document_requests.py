"""Asks a language model for documents: with the sentences before, or several sentences in one request."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from mtassay.data.nouns import Output, Request, System

Ask = Callable[[Sequence[Request]], list[Output]]

_NUMBERED = re.compile(r"^\[(\d{1,4})\][ \t]*(.*?)\s*(?=^\[\d{1,4}\]|\Z)", re.MULTILINE | re.DOTALL)
_ONCE = ("seconds", "usage")
"""What is said once of a request with several segments: it goes with the first."""


def numbered(texts: Sequence[str]) -> str:
    """Texts as one, each behind its number.

    >>> numbered(["Good day.", "He left."])
    '[1] Good day.\\n[2] He left.'
    """
    return "\n".join(f"[{place}] {' '.join(text.split())}" for place, text in enumerate(texts, 1))


def read_numbered(reply: str | None, n: int) -> list[str | None]:
    """The text behind each number from 1 to `n`; `None` where it is missing, or is there twice.

    >>> read_numbered("[1] Guten Tag.\\n[3] Ja.", 3)
    ['Guten Tag.', None, 'Ja.']
    """
    found: dict[int, list[str]] = {}
    for match in _NUMBERED.finditer(reply or ""):
        found.setdefault(int(match[1]), []).append(match[2])
    own = [found.get(place, []) for place in range(1, n + 1)]
    return [texts[0] or None if len(texts) == 1 else None for texts in own]


def ask_documents(
    system: System, requests: Sequence[Request], documents: Mapping[str, str], ask: Ask
) -> list[Output]:
    """One output per request, in order.

    A system with `before` gets so many preceding segments of the document as context, each with its
    translation; one with `together` gets so many segments in one request, numbered. What is missing in such
    an answer is asked alone. Documents are asked side by side, each in its order.

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
        alone: list[tuple[int, str | None]] = []
        for (part, _), answer, context in zip(parts, ask(asked), contexts, strict=True):
            if len(part) == 1 or answer.text is None:
                outputs |= {place: answer._replace(id=requests[place].id) for place in part}
                continue
            for place, output in zip(part, _divided(answer, len(part)), strict=True):
                outputs[place] = output._replace(id=requests[place].id)
                if output.text is None:
                    alone.append((place, context))
        if alone:
            again = ask([requests[place]._replace(context=context) for place, context in alone])
            outputs |= {place: output for (place, _), output in zip(alone, again, strict=True)}
    return [outputs[place] for place in range(len(requests))]


def _context(requests: Sequence[Request], outputs: Mapping[int, Output], places: Sequence[int]) -> str | None:
    """Segments with their translations, one per line; `None` without any."""
    lines = [f"{requests[p].text} → {outputs[p].text}" for p in places if outputs[p].text is not None]
    return "\n".join(lines) or None


def _divided(answer: Output, n: int) -> list[Output]:
    """The output of each of `n` segments that were asked together, further answers too."""
    later = [read_numbered(text, n) for text in answer.meta.get("again", ())]
    divided = []
    for place, text in enumerate(read_numbered(answer.text, n)):
        meta = {key: value for key, value in answer.meta.items() if not (place and key in _ONCE)}
        if later:
            meta["again"] = [texts[place] for texts in later]
        divided.append(Output("", text, None if text is not None else "not in the answer", meta))
    return divided
