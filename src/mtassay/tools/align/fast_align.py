"""fast_align (systran-align): learns from the pairs themselves, so it wants thousands of them.

Dyer, Chahuneau and Smith 2013, "A Simple, Fast, and Effective Reparameterization of IBM Model 2".
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from mtassay.errors import UsageError
from mtassay.packages import load_package
from mtassay.tools.align.aligner import Links, WordAligner, Words
from mtassay.tools.align.training import ParallelCorpus, read_corpus, writable

__all__ = ["FastAligner", "is_installed"]

PACKAGE = "systran-align"


def is_installed() -> bool:
    """Whether the package is on this machine."""
    return find_spec("systran_align") is not None


class FastAligner(WordAligner):
    """Learns anew in each call, from the pairs of that call and those of `corpus`.

    So the links of a pair depend on the pairs that are asked with it. The package symmetrizes both directions
    itself, by grow-diag-final-and.
    """

    name = "fast-align"
    argument: ClassVar[str] = "[FILE]"

    @classmethod
    def open(cls, pair: str, rest: str, symmetrize: str | None) -> WordAligner:
        """Learns from the parallel file `rest` too, if there is one."""
        if symmetrize not in (None, "grow-diag-final-and"):
            raise UsageError(f"Word aligner '{cls.name}' cannot do '{symmetrize}', only grow-diag-final-and.")
        return cls(corpus=read_corpus(rest) if rest else None)

    @classmethod
    def preference(cls, pair: str) -> float:
        """The last resort."""
        return 1 if is_installed() else 0

    @classmethod
    def advice(cls, pair: str) -> str:
        """Its package, for any pair."""
        return "pip install 'mtassay[fast-align]', which learns from thousands of pairs"

    def __init__(self, *, corpus: ParallelCorpus | None = None, iterations: int = 5) -> None:
        self._tool = load_package(
            "systran_align", what=f"word aligner '{self.name}'", package=PACKAGE, extra="fast-align"
        )
        self._corpus = corpus
        self._iterations = iterations

    @property
    def signature(self) -> str:
        """The release, the corpus and the settings; the pairs of a call are part of what it learns from."""
        corpus = self._corpus.content if self._corpus else "none"
        return f"fast-align|{PACKAGE}-{version(PACKAGE)}|corpus:{corpus}|iterations:{self._iterations}"

    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        """The links of each pair, in order."""
        texts = [(writable(left), writable(right)) for left, right in pairs]
        full = [at for at, (left, right) in enumerate(texts) if left and right]
        links: list[Links] = [frozenset()] * len(pairs)
        if not full:
            return links
        corpus_texts = [
            (writable(left), writable(right)) for left, right in (self._corpus.pairs if self._corpus else ())
        ]
        with TemporaryDirectory(prefix="mtassay-align-") as folder:
            text, forward, backward = (str(Path(folder) / name) for name in ("text", "forward", "backward"))
            lines = [f"{left} ||| {right}\n" for left, right in [*corpus_texts, *(texts[at] for at in full)]]
            Path(text).write_text("".join(lines), encoding="utf-8", newline="\n")
            self._tool.generate_alignment_probabilities(
                text, forward, backward, iterations=self._iterations, favor_diagonal=True,
                optimize_tension=True, variational_bayes=True,
            )  # fmt: skip
            aligner = self._tool.Aligner(forward, backward)
            answers = aligner.align_batch(
                [texts[at][0].split(" ") for at in full], [texts[at][1].split(" ") for at in full]
            )
        for at, answer in zip(full, answers, strict=True):
            links[at] = frozenset((int(source), int(target)) for source, target in answer["alignments"])
        return links
