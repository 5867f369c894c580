"""Makes an answer of what a chat model replied: cleaned, checked, and with its faults recorded."""

from __future__ import annotations

from typing import Any

from mtassay.languages import Language
from mtassay.systems.answers import Answer
from mtassay.systems.reply_checks import find_refusal, find_warnings
from mtassay.systems.reply_cleanup import Cleaned, clean
from mtassay.tools.chat import ChatReply


def judge_reply(reply: ChatReply, source: str, *, target: Language, cleaning: bool) -> Answer:
    """The translation in a reply, or why there is none; what was taken off or looks odd is in `meta`.

    >>> reply = ChatReply(text="Translation: Guten Tag.", finish_reason="stop")
    >>> judge_reply(reply, "Good day.", target=Language("de"), cleaning=True).text
    'Guten Tag.'
    """
    meta: dict[str, Any] = {"usage": dict(reply.usage)} if reply.usage else {}
    cleaned = clean(reply.text, source, target=target) if cleaning else Cleaned(reply.text)
    if cleaned.text != reply.text:
        meta |= {"cleaned": list(cleaned.removed), "raw": reply.text}
    error = _unfinished(reply)
    if error is None and (refusal := find_refusal(cleaned.text, source, target=target)):
        error = f"refused: {refusal}"
    if error is not None:
        return Answer(None, error, {**meta, "raw": reply.text})
    if warnings := find_warnings(cleaned.text, source):
        meta["warning"] = "; ".join(warnings)
    return Answer(cleaned.text, None, meta)


def _unfinished(reply: ChatReply) -> str | None:
    """Why this is no whole reply, if it is none."""
    match reply.finish_reason:
        case "content_filter":
            return "refused: a content filter stopped the reply"
        case "refusal":
            return f"refused: {' '.join(reply.text.split())[:80]}"
        case "length":
            return "cut off at the limit of tokens: raise max_tokens"
        case "tool_calls" | "function_call":
            return "the model called a tool instead of translating"
    return None
