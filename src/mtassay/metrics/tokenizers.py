"""Splits text into words as sacreBLEU does, and borrows its signatures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from mtassay.core import Segment
from mtassay.errors import MissingExtraError, ServiceError, UsageError
from mtassay.metrics.base import reference_count

DEFAULTS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
"""Which tokeniser sacreBLEU takes for a target language; 13a for all others."""

UNSPACED = ("zh", "ja", "th", "lo", "km", "my", "bo")
"""Languages that have no spaces between words."""
SPLITTING = ("char", "spm", "flores101", "flores200")
"""Tokenisers that need no spaces, whatever the language."""

_SPACED_13A = '!"#$%&()*+/:;<=>?@[\\]^_`{|}~'
_NUMERIC = re.compile(r"[0-9][\.,-]|[\.,][0-9]")
_RULES_13A = (
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


def split_words(texts: Sequence[str], tokenizer: str, *, lowercase: bool = False) -> list[list[str]]:
    """The words of each text.

    >>> split_words(["It cost $1,000.50, he said."], "13a")
    [['It', 'cost', '$', '1,000.50', ',', 'he', 'said', '.']]
    """
    if tokenizer == "13a":
        return _split_13a(texts, lowercase=lowercase)
    tokenize = _sacrebleu_tokenizer(tokenizer)
    words = {text: tokenize((text.lower() if lowercase else text).rstrip()).split() for text in set(texts)}
    return [words[text] for text in texts]


def tokenizer_signature(tokenizer: str) -> str:
    """What sacreBLEU writes after `tok:`; some tokenisers add the version of their model."""
    return tokenizer if tokenizer == "13a" else str(_sacrebleu_tokenizer(tokenizer).signature())


def _split_13a(texts: Sequence[str], *, lowercase: bool) -> list[list[str]]:
    # Each line stands between spaces, so no rule can see beyond it and many lines can be done as one text.
    lines = [text if "\n" not in text else _unwrap(text) for text in texts]
    joined = " " + " \n ".join(lines) + " "
    if lowercase:
        joined = joined.lower()
    joined = joined.replace("<skipped>", "")
    for escaped, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        joined = joined.replace(escaped, character)
    for character in _SPACED_13A:
        joined = joined.replace(character, f" {character} ")
    lines = joined.split("\n")
    is_numeric = list(map(_NUMERIC.search, lines))
    # Where no digit is beside a point, comma or dash, the rules split off every point and comma.
    plain = "\n".join(line for line, numeric in zip(lines, is_numeric, strict=True) if not numeric)
    plain = plain.replace(".", " . ").replace(",", " , ")
    others = "\n".join(line for line, numeric in zip(lines, is_numeric, strict=True) if numeric)
    for rule, replacement in _RULES_13A:
        others = rule.sub(replacement, others)
    plain_lines, numeric_lines = iter(plain.split("\n")), iter(others.split("\n"))
    return [next(numeric_lines if numeric else plain_lines).split() for numeric in is_numeric]


def _unwrap(text: str) -> str:
    return text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")


@cache
def _sacrebleu_tokenizer(name: str) -> Any:
    bleu = import_module("sacrebleu.metrics.bleu")
    if name not in bleu.BLEU.TOKENIZERS:
        raise UsageError(f"No tokeniser '{name}'. Available: {', '.join(bleu.BLEU.TOKENIZERS)}.")
    extra = name.removesuffix("-mecab")
    try:
        return bleu._get_tokenizer(name)()
    except ImportError as error:
        if not name.endswith("-mecab"):
            raise UsageError(f"tokeniser '{name}' needs: pip install sentencepiece") from error
        raise MissingExtraError(f"tokeniser '{name}'", package=f"sacrebleu[{extra}]", extra=extra) from error
    except RuntimeError as error:  # sacreBLEU's word for a missing MeCab package
        raise MissingExtraError(f"tokeniser '{name}'", package=f"sacrebleu[{extra}]", extra=extra) from error
    except OSError as error:
        raise ServiceError(f"tokeniser '{name}' could not get its model: {error}") from error


_CALLER_KEYS = ("bs", "ar", "seed", "test", "lang", "origlang", "subset")


def sacre_signature(
    segments: Sequence[Segment],
    settings: Mapping[str, object],
    *,
    extra: Mapping[str, object] | None = None,
) -> str:
    """sacreBLEU's own signature: what it would print with these settings.

    >>> sacre_signature([Segment("1", None, ("a",))], {"case": "mixed"}, extra={"bs": 1000}).split("|v")[0]
    'nrefs:1|bs:1000|case:mixed'
    """
    added = {key: (extra or {}).get(key) for key in _CALLER_KEYS}
    parts = {"nrefs": reference_count(segments), **added, **settings, "version": sacrebleu_version()}
    shown = ((key, _show(value)) for key, value in parts.items() if value is not None)
    return "|".join(f"{key}:{value}" for key, value in shown)


@cache
def sacrebleu_version() -> str:
    """The version of the sacreBLEU that our numbers equal and whose tokenisers we use."""
    from importlib.metadata import version  # loads what reads e-mail

    return version("sacrebleu")


def reference_streams(segments: Sequence[Segment]) -> list[list[str | None]]:
    """One list per reference, as long as the segments; `None` where a segment lacks that reference."""
    width = max((len(segment.references) for segment in segments), default=0)
    return [[s.references[i] if i < len(s.references) else None for s in segments] for i in range(width)]


def _show(value: object) -> object:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
