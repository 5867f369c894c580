"""Takes off what chat models put around a translation.

Every rule looks at the source too: what the source has itself stays in the reply.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from mtassay.languages import Language

__all__ = ["Cleaned", "clean"]

_TAG = r"(?:think|thinking|reasoning)"
_THOUGHTS = re.compile(rf"(?:<({_TAG})>.*?</\1>\s*)+", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHTS = re.compile(rf".*</{_TAG}>\s*", re.DOTALL | re.IGNORECASE)
_ANY_THOUGHT = re.compile(rf"</?{_TAG}>", re.IGNORECASE)

_FENCE = re.compile(r"```(?:[\w+-]*[ \t]*\n)?((?:(?!```).)*?)\n?[ \t]*```", re.DOTALL)
_BOLD = re.compile(r"\*\*(?=\S)((?:(?!\*\*).)+)(?<=\S)\*\*", re.DOTALL)
_PAIRS = [('"', '"'), ("“", "”"), ("„", "“”"), ("”", "”"), ("«", "»"), ("»", "«"), ("「", "」"), ("『", "』")]
_QUOTED = [
    re.compile(rf"{opening}([^{opening}{closing}]*)[{closing}]", re.DOTALL) for opening, closing in _PAIRS
]
_QUOTE = re.compile(r"[\"“”„«»「」『』＂]")

_TRANSLATION = (
    r"(?:translat(?:ion|ed)|Übersetzung|traduction|traducción|tradução|traduzione|vertaling|перевод"
    r"|翻译|翻譯|译文|譯文|訳|翻訳|번역)"
)
_COURTESY = r"(?:sure|certainly|of course|absolutely|okay|ok|alright)\b"
_OPENING = (
    r"(?:here(?:['’]s| is| are)|below is|this is|the|hier ist|voici|aquí (?:está|tienes)|aqui está|ecco"
    r"|以下是|这是|以下は)"
)
_PREAMBLES = [
    # "Sure! Here is the German translation of your sentence:"
    rf"(?:{_COURTESY}[^\n:：]{{0,40}}?[,.!]\s*)?{_OPENING}[^\n:：]{{0,80}}?{_TRANSLATION}[^\n:：]{{0,80}}[:：]",
    # "Certainly, here you go:", alone on its line
    rf"{_COURTESY}[^\n:：]{{0,80}}[:：][ \t]*\n",
    # "Translation:", "German translation:", "Translated text:"
    rf"(?:[^\W\d_]+ ){{0,2}}{_TRANSLATION}(?: \w+){{0,2}} ?[:：]",
]


@dataclass(frozen=True)
class Cleaned:
    """A reply without what is not translation; `removed` names what was taken off, first things first."""

    text: str
    removed: tuple[str, ...] = ()


def clean(reply: str, source: str, *, target: Language) -> Cleaned:
    """The translation in a reply.

    >>> german = Language("de")
    >>> clean('<think>Hm.</think>Sure! Here is the translation:\\n\\n"Guten Tag."', "Hello.", target=german)
    Cleaned(text='Guten Tag.', removed=('thinking', 'preamble', 'quotes'))
    >>> clean('"Guten Tag."', '"Hello."', target=german)
    Cleaned(text='"Guten Tag."', removed=())
    """
    preamble = _preamble(target)
    steps: dict[str, Callable[[str], str]] = {}
    if not _ANY_THOUGHT.search(source):
        steps["thinking"] = _without_thoughts
    steps["preamble"] = lambda text: _without_preamble(text, source, preamble)
    if "```" not in source:
        steps["code fence"] = lambda text: _inside(_FENCE, text)
    if "**" not in source:
        steps["bold"] = lambda text: _inside(_BOLD, text)
    if not _QUOTE.search(source):
        steps["quotes"] = _without_quotes
    removed: list[str] = []
    text, before = reply.strip(), None
    while text != before:
        before = text
        for name, step in steps.items():
            shorter = step(text).strip()
            if shorter != text and name not in removed:
                removed.append(name)
            text = shorter
    if text != reply and not removed:
        removed.append("whitespace")
    return Cleaned(text, tuple(removed))


def _preamble(target: Language) -> re.Pattern[str]:
    """All preambles; "German:" is one where German is the target."""
    label = rf"{re.escape(target.name.partition(' (')[0])}[:：]"
    return re.compile(rf"(?:\*\*)?(?:{'|'.join([*_PREAMBLES, label])})(?:\*\*)?\s*", re.IGNORECASE)


def _without_preamble(text: str, source: str, preamble: re.Pattern[str]) -> str:
    # A colon that the source has may be a colon of the translation: "The new translation has a flaw: …".
    if _colons(text) <= _colons(source):
        return text
    match = preamble.match(text)
    return text[match.end() :] if match else text


def _colons(text: str) -> int:
    return text.count(":") + text.count("：")


def _without_thoughts(text: str) -> str:
    match = _THOUGHTS.match(text) or _END_OF_THOUGHTS.match(text)
    if match:
        return text[match.end() :]
    # Thoughts that never end have no translation after them.
    return "" if _ANY_THOUGHT.match(text) else text


def _without_quotes(text: str) -> str:
    for pattern in _QUOTED:
        inside = _inside(pattern, text)
        if inside != text:
            return inside
    return text


def _inside(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.fullmatch(text)
    return match[match.lastindex or 0] if match else text
