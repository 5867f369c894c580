"""Finds a language among the codes that a multilingual model knows: `por_Latn`, `pt`, `pt_XX`."""

from __future__ import annotations

from collections.abc import Iterable

from mtassay.errors import UsageError
from mtassay.languages import Language, parse_language

# Where a code names a group of written languages, the one that nearly everybody means.
_USUAL = {"no": "nb", "tl": "fil", "fil": "tl"}


def find_code(language: Language, codes: Iterable[str], *, what: str, option: str) -> str:
    """The model's code for this language; `UsageError` where it has none.

    A script or region that contradicts is no match; among several, the one that says the same script and
    region wins, then the first in the model's order.

    >>> nllb = ["eng_Latn", "zho_Hans", "zho_Hant", "arb_Arab", "nob_Latn"]
    >>> texts = ["en-US", "zh", "zh-TW", "ar", "no"]
    >>> [find_code(parse_language(text), nllb, what="it", option="target_code") for text in texts]
    ['eng_Latn', 'zho_Hans', 'zho_Hant', 'arb_Arab', 'nob_Latn']
    """
    known = {code: parsed for code in codes if (parsed := _parse(code)) is not None}
    for wanted in (language, _usual(language)):
        fitting = [code for code, parsed in known.items() if wanted is not None and wanted.matches(parsed)]
        if fitting:
            return max(fitting, key=lambda code: _closeness(language, known[code]))
    raise UsageError(f"{what} has no code that fits {language.name}. Give one that it knows: {option}=CODE.")


def _parse(code: str) -> Language | None:
    try:
        language = parse_language(code)
    except UsageError:
        return None
    # mBART writes XX for no region in particular.
    return Language(language.code, language.script) if language.region == "XX" else language


def _usual(language: Language) -> Language | None:
    code = _USUAL.get(language.code)
    return Language(code, language.script, language.region) if code else None


def _closeness(wanted: Language, known: Language) -> tuple[bool, bool]:
    return wanted.script == known.script, wanted.region == known.region
