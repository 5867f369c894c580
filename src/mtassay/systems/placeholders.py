"""`${name}` in prompts and request templates: which names there are, and their values."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mtassay.languages import Pair

_PLACEHOLDER = re.compile(r"\$\{([^{}]*)\}")

LANGUAGES = ("source", "target", "source_name", "target_name")
"""Names that stand for the language pair: tags (`pt-BR`) and English names (`Portuguese (Brazil)`)."""


def names_in(text: str) -> list[str]:
    """All names, in order.

    >>> names_in("${source}: ${text} costs 5$")
    ['source', 'text']
    """
    return _PLACEHOLDER.findall(text)


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with all values in place, in one pass: a value that looks like a placeholder stays as it is.

    >>> fill("${text} (${source})", {"text": "${source}", "source": "en"})
    '${source} (en)'
    """
    return _PLACEHOLDER.sub(lambda match: values[match[1]], text)


def language_values(pair: Pair) -> dict[str, str]:
    """The values of `LANGUAGES`."""
    return {
        "source": pair.source.tag,
        "target": pair.target.tag,
        "source_name": pair.source.name,
        "target_name": pair.target.name,
    }
