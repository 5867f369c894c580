"""The rules of a suite's item that are nearest to an output no rule settles."""

from __future__ import annotations

from difflib import SequenceMatcher

from mtassay.formats.suite import Item
from mtassay.texts.marks import marked

__all__ = ["nearest_rules"]

_EXPRESSIONS = 6
_TOKENS = 2
_LONG = 2000  # characters of an output that are compared


def nearest_rules(item: Item, text: str) -> list[str]:
    """All expressions of the item, up to a few, and of its tokens those most like this text.

    >>> from mtassay.formats.suite import Rule
    >>> tokens = (Rule("Ele correu."), Rule("Correu ele ontem."))
    >>> item = Item("1", "en-pt", "C", "P", "He ran.", (Rule("corr(eu|ia)"),), negative_tokens=tokens)
    >>> nearest_rules(item, "Ele corre.")[:2]
    ['positive regex: corr(eu|ia)', 'negative token: Ele correu.']
    """
    kinds = (("positive regex", item.positive_regex), ("negative regex", item.negative_regex))
    lines = [f"{kind}: {marked(rule.text, limit=200)}" for kind, rules in kinds for rule in rules]
    more = f"and {len(lines) - _EXPRESSIONS} more expressions"
    shown = [*lines[:_EXPRESSIONS], *([more] if len(lines) > _EXPRESSIONS else [])]
    tokens = [("positive token", rule.text) for rule in item.positive_tokens]
    tokens += [("negative token", rule.text) for rule in item.negative_tokens]
    ranked = sorted(tokens, key=lambda token: -_likeness(text, token[1]))
    return [*shown, *(f"{kind}: {marked(token, limit=200)}" for kind, token in ranked[:_TOKENS])]


def _likeness(a: str, b: str) -> float:
    return SequenceMatcher(None, a[:_LONG].split(), b[:_LONG].split(), autojunk=False).ratio()
