"""Splits text into words as in sacreBLEU, with its signatures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import MissingExtraError, ServiceError, UsageError
from mtassay.data.language_packs import release_of
from mtassay.data.nouns import Segment
from mtassay.data.words import read_table
from mtassay.measures.metric import reference_count

DEFAULTS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
"""sacreBLEU's tokeniser for a target language; 13a for all others."""

UNSPACED = ("zh", "ja", "th", "lo", "km", "my", "bo")
"""Languages without spaces between words."""
SPLITTING = ("char", "spm", "flores101", "flores200")
"""Tokenisers that need no spaces in any language."""


class SplitTexts(NamedTuple):
    """The words of all texts in one sequence, and the number of words in each text."""

    words: list[str]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]]) -> SplitTexts:
        """Make it from the words of each text."""
        return cls(list(chain.from_iterable(rows)), np.fromiter(map(len, rows), np.int64, len(rows)))

    @property
    def rows(self) -> list[list[str]]:
        """The words of each text."""
        return [self.words[start:end] for start, end in pairwise([0, *np.cumsum(self.lengths).tolist()])]


def split_words(texts: Sequence[str], tokenizer: str, *, lowercase: bool = False) -> list[list[str]]:
    """The words of each text.

    >>> split_words(["It cost $1,000.50, he said."], "13a")
    [['It', 'cost', '$', '1,000.50', ',', 'he', 'said', '.']]
    """
    return split_texts(texts, tokenizer, lowercase=lowercase).rows


def split_texts(texts: Sequence[str], tokenizer: str, *, lowercase: bool = False) -> SplitTexts:
    """Like `split_words`, in one sequence. Most tokenisers split all texts at once, which is much faster."""
    if lowercase:
        texts = [text.lower() for text in texts]
    if tokenizer in OURS:
        return OURS[tokenizer](texts) if texts else SplitTexts.of([])
    tokenize = _sacrebleu_tokenizer(tokenizer)
    words = {text: tokenize(text.rstrip()).split() for text in set(texts)}
    return SplitTexts.of([words[text] for text in texts])


def split_for_ter(
    texts: Sequence[str], *, normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool
) -> list[str]:
    """Split each text like Tercom's tokeniser, with one space between words."""
    if normalized:
        from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

        tokenizer = TercomTokenizer(normalized, no_punct, asian_support, case_sensitive)
        return [str(tokenizer(text.rstrip())) for text in texts]
    dropped = dict.fromkeys(map(ord, _TER_MARKS + _TER_ASIAN_MARKS * asian_support)) if no_punct else None
    cased = texts if case_sensitive else [text.lower() for text in texts]
    kept = cased if dropped is None else [text.translate(dropped) for text in cased]
    return [" ".join(text.split()) for text in kept]


_TER_MARKS = '.,?:;!"()'
_TER_ASIAN_MARKS = "、。〈〉《》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟｡｢｣､･・．，？：；！＂（）"


def tokenizer_signature(tokenizer: str) -> str:
    """The text after `tok:` in sacreBLEU's signature; some tokenisers add the version of their model."""
    return tokenizer if tokenizer in OURS else str(_sacrebleu_tokenizer(tokenizer).signature())


def _split_13a(texts: Sequence[str]) -> SplitTexts:
    joined = _lines([_unwrap(text) if "\n" in text else text for text in texts])
    joined = joined.replace("<skipped>", "")
    for escaped, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        joined = joined.replace(escaped, character)
    # sacreBLEU puts a space before and after the line; here a line break counts as a space.
    return _split_lines(joined, _kinds_of_13a(), ends=0)


def _unwrap(text: str) -> str:
    return text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")


def _split_zh(texts: Sequence[str]) -> SplitTexts:
    return _split_lines(_lines([text.strip() for text in texts]), _kinds_of_zh(), ends=_END)


def _split_intl(texts: Sequence[str]) -> SplitTexts:
    joined = _lines([text.rstrip() for text in texts])
    return _split_lines(joined, _kinds_of_intl("".join(set(joined))), ends=_END)


def _split_characters(texts: Sequence[str]) -> SplitTexts:
    return SplitTexts.of(["".join(text.split()) for text in texts])


def _split_at_spaces(texts: Sequence[str]) -> SplitTexts:
    return SplitTexts.of([text.split() for text in texts])


OURS: Mapping[str, Callable[[Sequence[str]], SplitTexts]] = {
    "13a": _split_13a,
    "zh": _split_zh,
    "intl": _split_intl,
    "char": _split_characters,
    "none": _split_at_spaces,
}
"""Our faster versions of tokenisers, with the same results."""


def _lines(texts: Sequence[str]) -> str:
    """Join texts with a line break after each; other line breaks are replaced."""
    joined = "\n".join([*texts, ""])
    if joined.count("\n") > len(texts):
        joined = "\n".join([*(text.replace("\n", " ") for text in texts), ""])
    return joined


# Kinds of characters: a word of its own; a mark, which is a word except within a number; a digit; a dash,
# which is a word after a digit; white space; the end of a line, if it is not a space.
_ALONE, _MARK, _DIGIT, _DASH, _SPACE, _END = 1, 2, 4, 8, 16, 32


def _split_lines(joined: str, table: NDArray[np.uint8], *, ends: int) -> SplitTexts:
    """Split lines into words by the table's entries for characters; the last entry is for all others.

    sacreBLEU's rules separate first a mark not after a digit, `([^0-9])([.,])`, then a mark not before a
    digit, `([.,])([^0-9])`, then a dash after a digit, `([0-9])(-)`. A match consumes both characters. So in
    a row of marks, the first rule separates every second mark. The second rule separates the rest, except for
    a last mark before a digit.
    """
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = table.take(points, mode="clip")
    breaks = np.flatnonzero(points == _LINE_BREAK)
    kinds[breaks] = _SPACE | ends
    alone = (kinds & _ALONE) != 0
    marks = np.flatnonzero(kinds & _MARK)
    if len(marks):
        # The character before the first one is the line break at the end.
        is_first = np.diff(marks, prepend=-2) != 1
        first = np.maximum.accumulate(np.where(is_first, marks, 0))
        is_even = (marks - first) % 2 == 0
        is_set_off = is_even == ((kinds[first - 1] & (_DIGIT | _END)) == 0)
        alone[marks] = is_set_off | ((kinds[marks + 1] & (_DIGIT | _END)) == 0)
    dashes = np.flatnonzero(kinds & _DASH)
    alone[dashes] = (kinds[dashes - 1] & _DIGIT) != 0
    is_parted = alone.copy()
    is_parted[:-1] |= alone[1:]
    gaps = np.flatnonzero(is_parted)
    spaced = np.repeat(points, is_parted.astype(np.int8) + np.int8(1))
    spaced[gaps + np.arange(1, len(gaps) + 1)] = ord(" ")
    is_space = (kinds & _SPACE) != 0
    begins = ~is_space
    begins &= np.roll(is_space | is_parted, 1)
    lengths = np.add.reduceat(begins, np.concatenate(([0], breaks[:-1] + 1)), dtype=np.int64)
    return SplitTexts(spaced.tobytes().decode("utf-32-le", "surrogatepass").split(), lengths)


_LINE_BREAK = ord("\n")


@cache
def _kinds_of_13a() -> NDArray[np.uint8]:
    kinds = np.zeros(0x3002, np.uint8)
    kinds[[point for point in range(0x3001) if chr(point).isspace()]] = _SPACE
    kinds[[ord(character) for character in '!"#$%&()*+/:;<=>?@[\\]^_`{|}~']] = _ALONE
    kinds[[ord("."), ord(",")]] = _MARK
    kinds[ord("0") : ord("9") + 1] = _DIGIT
    kinds[ord("-")] = _DASH
    return kinds


@cache
def _kinds_of_zh() -> NDArray[np.uint8]:
    kinds = np.zeros(0xFFF1, np.uint8)
    western = _kinds_of_13a()
    kinds[: len(western)] = western
    for span in read_table(Path(__file__).parent / "data" / "scripts.toml")["sacrebleu"]["chinese"].split():
        first, last = (int(code, 16) for code in span.split("-"))
        kinds[first : last + 1] |= _ALONE
    return kinds


def _kinds_of_intl(characters: str) -> NDArray[np.uint8]:
    """The kinds of these characters; not of all, since the package regex would classify a million."""
    import regex

    kinds = np.zeros(max(map(ord, characters)) + 2, np.uint8)
    for pattern, kind in ((r"\p{S}", _ALONE), (r"\p{P}", _MARK), (r"\p{N}", _DIGIT), (r"\s", _SPACE)):
        expression = regex if kind != _SPACE else re
        kinds[[ord(character) for character in expression.findall(pattern, characters)]] = kind
    return kinds


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
    except RuntimeError as error:  # sacreBLEU's error for a missing MeCab package
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
    """sacreBLEU's own signature for these settings.

    >>> sacre_signature([Segment("1", None, ("a",))], {"case": "mixed"}, extra={"bs": 1000}).split("|v")[0]
    'nrefs:1|bs:1000|case:mixed'
    """
    added = {key: (extra or {}).get(key) for key in _CALLER_KEYS}
    parts = {"nrefs": reference_count(segments), **added, **settings, "version": release_of("sacrebleu")}
    shown = ((key, _show(value)) for key, value in parts.items() if value is not None)
    return "|".join(f"{key}:{value}" for key, value in shown)


def reference_streams(segments: Sequence[Segment]) -> list[list[str | None]]:
    """One list per reference with an entry per segment; `None` if a segment lacks this reference."""
    width = max((len(segment.references) for segment in segments), default=0)
    return [[s.references[i] if i < len(s.references) else None for s in segments] for i in range(width)]


def _show(value: object) -> object:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
