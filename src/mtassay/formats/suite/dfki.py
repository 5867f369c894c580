"""The `items.json` of the DFKI test suite (Macketanz et al. 2022), read and written without loss.

Its file is one object whose "items" have one expression of each kind as a text (empty means none) and
tokens as lists. Names are kept as they are written, typos included.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mtassay.errors import InputError
from mtassay.formats.suite.macros import expand
from mtassay.formats.suite.nouns import REGEX_FIELDS, TOKEN_FIELDS, Item, Rule, Suite

__all__ = ["dfki_text", "suite_from_dfki"]

_TEXTS = ("id", "langpair", "category", "phenomenon")


def suite_from_dfki(content: Any, *, path: str) -> Suite:
    """The suite in the parsed content of such a file."""
    if not isinstance(content, Mapping) or not isinstance(content.get("items"), list):
        raise InputError('this is no suite: a JSON suite is an object with a list "items"', path=path)
    items = tuple(_item(record, number, path) for number, record in enumerate(content["items"], 1))
    pairs = {item.langpair for item in items}
    return Suite(
        items,
        langpair=pairs.pop() if len(pairs) == 1 else "",
        extra={key: value for key, value in content.items() if key != "items"},
        path=path,
    )


def _item(record: Any, number: int, path: str) -> Item:
    where = f"item {number}"
    if not isinstance(record, Mapping):
        raise InputError(f"{where} is no object", path=path)
    known = (*_TEXTS, "source_sentence", *REGEX_FIELDS, *TOKEN_FIELDS)
    for name in (*_TEXTS, "source_sentence"):
        if not isinstance(record.get(name), str):
            raise InputError(f"{where} has no text '{name}'", path=path)
    for name in REGEX_FIELDS:
        if not isinstance(record.get(name) or "", str):
            raise InputError(f"{where}: '{name}' is no text", path=path)
    for name in TOKEN_FIELDS:
        tokens = record.get(name) or []
        if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
            raise InputError(f"{where}: '{name}' is no list of texts", path=path)
    rules: dict[str, Any] = {
        **{name: (Rule(record[name]),) if record.get(name) else () for name in REGEX_FIELDS},
        **{name: tuple(map(Rule, record.get(name) or [])) for name in TOKEN_FIELDS},
    }
    return Item(
        **{name: record[name] for name in _TEXTS},
        source=record["source_sentence"],
        **rules,
        extra={key: value for key, value in record.items() if key not in known},
    )


def dfki_text(suite: Suite) -> str:
    """The file as its authors write it: macros expanded, expressions of one kind joined into one.

    It has no place for notes, authors, references, context and tags, nor for options of matching other
    than case.
    """
    records = [
        {
            **item.extra,
            **{name: getattr(item, name) for name in _TEXTS},
            "source_sentence": item.source,
            **{name: _joined(getattr(item, name), suite) for name in REGEX_FIELDS},
            **{name: [rule.text for rule in getattr(item, name)] for name in TOKEN_FIELDS},
        }
        for item in suite.items
    ]
    content = {**suite.extra, "items": records}
    return json.dumps(content, indent=2, separators=(", ", ": "), sort_keys=True)


def _joined(rules: tuple[Rule, ...], suite: Suite) -> str:
    """Several expressions as one; a single one as it is."""
    texts = [
        f"(?i:{text})" if (rule.case or suite.matching.case) == "ignore" else text
        for rule in rules
        if (text := expand(rule.text, suite.macros))
    ]
    return texts[0] if len(texts) == 1 else "|".join(f"(?:{text})" for text in texts)
