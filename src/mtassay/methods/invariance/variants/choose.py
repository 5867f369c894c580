"""Chooses what proposes words: `lexicon`, `fill-mask:MODEL`, `causal:MODEL` or `file:PATH`."""

from __future__ import annotations

from mtassay.errors import UsageError
from mtassay.languages import parse_language
from mtassay.methods.invariance.variants.base import Substituter
from mtassay.methods.invariance.variants.lexicon import languages_with_lexicon, open_lexicon, read_lexicon

__all__ = ["WAYS", "open_substituter"]

WAYS = ("lexicon", "fill-mask:MODEL", "causal:MODEL", "file:PATH")


def open_substituter(text: str, language: str) -> Substituter:
    """What a person asked for, for sources in a language.

    >>> open_substituter("lexicon", "en").name
    'lexicon'
    >>> open_substituter("thesaurus", "en")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    mtassay.errors.UsageError: No substituter 'thesaurus'. Available: lexicon, fill-mask:MODEL, ...
    """
    code = parse_language(language).code
    way, _, rest = text.partition(":")
    if text == "lexicon":
        if code not in languages_with_lexicon():
            raise UsageError(
                f"No lexicon for '{code}' (there is one for {', '.join(languages_with_lexicon())})."
                " Take fill-mask:MODEL, as fill-mask:xlm-roberta-base, causal:MODEL,"
                " or a table of your own: file:PATH."
            )
        return open_lexicon(code)
    if way not in ("fill-mask", "causal", "file"):
        raise UsageError(f"No substituter '{text}'. Available: {', '.join(WAYS)}.")
    if not rest:
        wanted = "PATH, the file of a table" if way == "file" else "MODEL, a name or a folder"
        raise UsageError(f"Substituter '{text}' needs more: {way}:{wanted}.")
    if way == "file":
        return read_lexicon(rest)
    if way == "fill-mask":
        from mtassay.methods.invariance.variants.fill_mask import FillMask

        return FillMask(rest, code)
    from mtassay.methods.invariance.variants.causal import CausalLM

    return CausalLM(rest, code)
