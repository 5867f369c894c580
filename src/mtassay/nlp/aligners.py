"""What a word aligner is, and the one that serves a language pair best on this machine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from mtassay.data.errors import UsageError
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.registry import each_named, find, is_known
from mtassay.nlp.normalisation import plain_marks

Words = Sequence[str]
Links = frozenset[tuple[int, int]]
"""Pairs of a source word's and a target word's number, from 0."""


class WordAligner(ABC):
    """Says which words of two sentences belong together.

    `argument` says what is written after the name and a colon: `FILE` where it must be there, `[FILE]` where
    it may, nothing where it must not.
    """

    name: str
    argument: ClassVar[str] = ""

    @classmethod
    def open(cls, pair: str, rest: str, symmetrize: str | None) -> WordAligner:
        """The one for a pair in its normal form, as `en-pt`; `rest` is what is written after the colon.

        `symmetrize` names one of `SYMMETRIZATIONS`; `None` leaves it to the aligner.
        """
        if symmetrize is not None:
            raise UsageError(f"Word aligner '{cls.name}' has no symmetrization; leave '{symmetrize}' out.")
        return cls()

    @classmethod
    def preference(cls, pair: str) -> float:
        """How good it is for a pair on this machine: the highest is taken, 0 only where it is asked for.

        Ours say 5 for a table that was measured to be better than the encoder, 4 for the encoder, 3 for other
        tables, 2 and 1 for what learns from the pairs themselves.
        """
        return 0

    @classmethod
    def advice(cls, pair: str) -> str:
        """What a person types to get it, where no aligner is installed for a pair; empty to say nothing."""
        return ""

    @property
    @abstractmethod
    def signature(self) -> str:
        """Equal signatures mean equal links."""

    @abstractmethod
    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        """The links of each (source, target) pair, in order; an empty side has none."""


def lower_words(words: Words) -> list[str]:
    """The words as a table or a model knows them; one that plain marks leave nothing of stays as it is."""
    return [(plain_marks(word) or word).lower() for word in words]


def aligner_names() -> list[str]:
    """What `open_aligner` takes as a name; FILE means a path.

    >>> aligner_names()
    ['table', 'encoder', 'fast-align', 'eflomal', 'pharaoh:FILE', 'pharaoh-reverse:FILE']
    """
    return [_written(name) for name, _ in each_named("aligner")]


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
    kind, _, rest = (name or best_aligner(code)).partition(":")
    if not is_known("aligner", kind) or (rest and not _aligner(kind).argument):
        raise UsageError(f"No word aligner '{name}'. Available: {', '.join(aligner_names())}.")
    return _aligner(kind).open(code, rest, symmetrize)


def best_aligner(code: str) -> str:
    """The name of the one that is best for the pair; of equals the first."""
    usable = [name for name, _ in each_named("aligner")]
    best = max(usable, key=lambda name: _aligner(name).preference(code))
    if _aligner(best).preference(code) > 0:
        return best
    ways = filter(None, (_aligner(name).advice(code) for name in usable))
    raise UsageError(
        f"No word aligner for {code} on this machine. Install one: {', or '.join(ways)};"
        " or bring links as pharaoh:FILE."
    )


def _written(name: str) -> str:
    """The name with what must follow it."""
    argument = _aligner(name).argument
    return name if not argument or argument.startswith("[") else f"{name}:{argument}"


def _aligner(name: str) -> type[WordAligner]:
    aligner_type: type[WordAligner] = find("aligner", name)
    return aligner_type
