"""Chooses the word aligner for a language pair from what is installed, or says what to install."""

from __future__ import annotations

from mtassay.errors import UsageError
from mtassay.languages import Pair, parse_pair
from mtassay.registry import find, is_known, names
from mtassay.tools.align.nouns import WordAligner

__all__ = ["aligner_names", "open_aligner"]


def aligner_names() -> list[str]:
    """What `open_aligner` takes as a name; FILE stands for a path.

    >>> aligner_names()
    ['table', 'encoder', 'fast-align', 'eflomal', 'pharaoh:FILE', 'pharaoh-reverse:FILE']
    """
    return [_written(name) for name in names("aligner")]


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
    kind, _, rest = (name or _best(code)).partition(":")
    if not is_known("aligner", kind) or (rest and not _aligner(kind).argument):
        raise UsageError(f"No word aligner '{name}'. Available: {', '.join(aligner_names())}.")
    return _aligner(kind).open(code, rest, symmetrize)


def _best(code: str) -> str:
    """The name of the one that is best for the pair; of equals the first."""
    best = max(names("aligner"), key=lambda name: _aligner(name).preference(code))
    if _aligner(best).preference(code) > 0:
        return best
    ways = filter(None, (_aligner(name).advice(code) for name in names("aligner")))
    raise UsageError(
        f"No word aligner for {code} on this machine. Install one: {', or '.join(ways)};"
        " or bring links as pharaoh:FILE."
    )


def _written(name: str) -> str:
    """The name with what must follow it."""
    argument = _aligner(name).argument
    return name if not argument or argument.startswith("[") else f"{name}:{argument}"


def _aligner(name: str) -> type[WordAligner]:
    found: type[WordAligner] = find("aligner", name)
    return found
