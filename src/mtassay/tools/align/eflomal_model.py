"""eflomal: learns from the pairs themselves by sampling; slower than fast_align, and cleaner.

Östling and Tiedemann 2016, "Efficient Word Alignment with Markov Chain Monte Carlo".
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from mtassay.errors import ServiceError
from mtassay.packages import load_package
from mtassay.tools.align.aligner import Links, WordAligner, Words
from mtassay.tools.align.links import symmetrization
from mtassay.tools.align.pharaoh import parse_links
from mtassay.tools.align.training import ParallelCorpus, read_corpus, writable

__all__ = ["EflomalAligner", "is_installed"]

LONGEST = 1000  # words; eflomal's own limit is 1023


def is_installed() -> bool:
    """Whether the package is on this machine."""
    return find_spec("eflomal") is not None


class EflomalAligner(WordAligner):
    """Learns anew in each call, from the pairs of that call and those of `corpus`.

    So the links of a pair depend on the pairs that are asked with it; and since eflomal samples without a
    seed, two calls can differ in a few links. A pair longer than 1,000 words has no links.
    """

    name = "eflomal"
    argument: ClassVar[str] = "[FILE]"

    @classmethod
    def open(cls, pair: str, rest: str, symmetrize: str | None) -> WordAligner:
        """Learns from the parallel file `rest` too, if there is one."""
        corpus = read_corpus(rest) if rest else None
        return cls(corpus=corpus, symmetrize=symmetrize or "grow-diag-final-and")

    @classmethod
    def preference(cls, pair: str) -> float:
        """Better than fast_align, and worse than what needs not learn."""
        return 2 if is_installed() else 0

    def __init__(
        self, *, corpus: ParallelCorpus | None = None, symmetrize: str = "grow-diag-final-and"
    ) -> None:
        self._tool = load_package(
            "eflomal", what=f"word aligner '{self.name}'", package="eflomal", extra="eflomal"
        )
        self._corpus = corpus
        self._how = symmetrize
        self._symmetrize = symmetrization(symmetrize)

    @property
    def signature(self) -> str:
        """The release, the corpus and the settings; the pairs of a call are part of what it learns from."""
        corpus = self._corpus.content if self._corpus else "none"
        return f"eflomal|eflomal-{version('eflomal')}|corpus:{corpus}|{self._how}"

    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        """The links of each pair, in order."""
        full = [at for at, pair in enumerate(pairs) if all(0 < len(side) <= LONGEST for side in pair)]
        links: list[Links] = [frozenset()] * len(pairs)
        if not full:
            return links
        corpus_pairs = (
            [pair for pair in self._corpus.pairs if max(map(len, pair)) <= LONGEST] if self._corpus else []
        )
        all_pairs = [*(pairs[at] for at in full), *corpus_pairs]
        with TemporaryDirectory(prefix="mtassay-align-") as folder:
            forward, backward = (str(Path(folder) / name) for name in ("forward", "backward"))
            self._tool.Aligner().align(
                [writable(left) + "\n" for left, _ in all_pairs],
                [writable(right) + "\n" for _, right in all_pairs],
                links_filename_fwd=forward,
                links_filename_rev=backward,
            )
            ways = [_read_links(Path(path), len(full)) for path in (forward, backward)]
        for at, one, other in zip(full, *ways, strict=True):
            links[at] = self._symmetrize(one, other)
        return links


def _read_links(path: Path, count: int) -> list[Links]:
    """The first `count` lines, which are those of the pairs that were asked for."""
    lines = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
    if len(lines) < count:
        raise ServiceError("eflomal gave no links. Run it by itself to see why: eflomal-align --help.")
    return [parse_links(line) for line in lines[:count]]
