"""Tells replies that are no translation, or more than one, from those that are.

The rules are few and err on the side of the translation: a sentence that apologises is translated with an
apology. What the source has itself is never held against the reply.
"""

from __future__ import annotations

import re

from mtassay.languages import Language

__all__ = ["find_refusal", "find_warnings"]

_CANNOT = (
    r"(?:can(?:no|['’])t|can not|am unable to|am not able to|won['’]t|will not|['’]m (?:unable|not able) to)"
)
_AI = r"as an? (?:ai\b|artificial intelligence|(?:large )?language model)"

# English where the translation should be in another language.
_APOLOGY = re.compile(
    r"\W*(?:"
    r"(?:i['’]?m|i am) (?:\w+ )?(?:sorry|afraid)\b"
    r"|(?:my apologies|sorry|i apologi[sz]e|unfortunately)\W+(?:but )?(?:i|as)\b"
    rf"|i ?{_CANNOT}\b"
    rf"|{_AI}"
    r")",
    re.IGNORECASE,
)

# What speaks of a request, in whatever language the translation should be.
_REFUSALS = [
    rf"i ?{_CANNOT} (?:\w+ )?(?:assist|help)(?: you)? with (?:that|this|your|the)\b",
    rf"i ?{_CANNOT} (?:\w+ )?(?:fulfil?l|comply with|complete|process) (?:this|that|your) (?:\w+ )?request",
    rf"i ?{_CANNOT} (?:\w+ )?(?:translate|provide a translation (?:of|for)) (?:this|that|the) (?:\w+ )?"
    r"(?:text|content|sentence|passage|message|request|material)",
    rf"{_AI}[^.\n]{{0,60}}\bi\b",
    r"tut mir leid\b[^.\n]{0,60} (?:helfen|behilflich sein|übersetzen|unterstützen)\b",
    r"désolée?\b[^.\n]{0,60} (?:peux|puis) pas [^.\n]{0,20}(?:aider|traduire|assister)\b",
    r"lo siento\b[^.\n]{0,60}no puedo [^.\n]{0,20}(?:ayudar|traducir|asistir)",
    r"(?:desculpe|sinto muito|lamento)\b[^.\n]{0,60}não posso [^.\n]{0,20}(?:ajud|traduzi|atende)",
    r"mi dispiace\b[^.\n]{0,60}non posso [^.\n]{0,20}(?:aiuta|tradur)",
    r"spijt me\b[^.\n]{0,60} (?:helpen|vertalen)\b",
    r"(?:извините|к сожалению)\b[^.\n]{0,60}не могу [^.\n]{0,20}(?:помочь|перевести)",
    r"(?:抱歉|对不起|對不起)[^。\n]{0,20}(?:无法|不能|無法)[^。\n]{0,10}(?:翻译|翻譯|协助|協助|帮|幫|提供|满足)",
    r"(?:申し訳|すみません)[^。\n]{0,40}(?:翻訳|手伝い|対応)[^。\n]{0,10}(?:できません|できかねます)",
]
_REFUSAL = re.compile(rf"(?:{'|'.join(_REFUSALS)})", re.IGNORECASE)

_NOTE = re.compile(
    r"(?:^|[\n(])\W*(?:please note|(?:translator['’]s )?notes?|explanation|breakdown|literal(?:ly| meaning)?"
    r"|anmerkung|hinweis|erklärung|nota|remarque|explicación|explicação|注|注意|说明|解释|備考)\s*[:：]",
    re.IGNORECASE,
)
_REMARK = re.compile(r"\n\W*(?:in )?(?:this|the|i|i['’]ve)\b[^\n]*\b(?:translat|phrase)", re.IGNORECASE)
_ALTERNATIVES = re.compile(
    r"(?:^|\n)\W*(?:option|alternative|version|variant)\b[^\n]{0,20}[:：]|(?:^|\n|[.!?。] )\W*alternatively\b"
    r"|(?:^|\n)\s*1[.)] [^\n]+\n+\s*2[.)] |(?:^|\n)\s*([-*•]) [^\n]+\n+\s*\1 "
    r"|\n\s*(?:or|oder|ou|o|或|または)\s*[:：]?\s*\n",
    re.IGNORECASE,
)
_ANY_LABEL = re.compile(r"\w\s*[:：]")
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")
_TIMES_LONGER = 4
_SLACK = 40


def find_refusal(reply: str, source: str, *, target: Language) -> str | None:
    """How a reply begins that refuses to translate, or `None`.

    >>> find_refusal("I'm sorry, but I can't assist with that.", "How do I do it?", target=Language("en"))
    "I'm sorry, but I can't assist with that."
    >>> find_refusal("I'm sorry, but I can't come.", "Bohužel nemohu přijít.", target=Language("en"))
    """
    start = " ".join(reply.split())
    if not start:
        return "the reply is empty"
    if _APOLOGY.search(source) or _REFUSAL.search(source):
        return None
    if _REFUSAL.search(start[:120]) or (target.code != "en" and _APOLOGY.match(start)):
        return start if len(start) <= 80 else f"{start[:80]}…"
    return None


def find_warnings(reply: str, source: str) -> list[str]:
    """What makes it likely that a cleaned reply is more than one translation of the source.

    >>> find_warnings("Guten Tag.\\n\\nNote: this is the formal greeting.", "Good day.")
    ['a note beside the translation', '2 lines for a source of one']
    """
    warnings = []
    if _ALTERNATIVES.search(reply) and not _ALTERNATIVES.search(source):
        warnings.append("several alternatives")
    note = _NOTE.search(reply) and not _ANY_LABEL.search(source)
    if note or (_REMARK.search(reply) and not _REMARK.search(source)):
        warnings.append("a note beside the translation")
    lines = _lines(reply)
    if lines > _lines(source) == 1:
        warnings.append(f"{lines} lines for a source of one")
    if _size(reply) > _TIMES_LONGER * _size(source) + _SLACK:
        warnings.append(f"{_size(reply) / max(_size(source), 1):.0f} times as long as the source")
    return warnings


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def _size(text: str) -> int:
    """Length in letters: a Chinese, Japanese or Korean character says about as much as three."""
    return len(text) + 2 * len(_WIDE.findall(text))
