"""What aligners that learn from sentence pairs share: a parallel file, and words as such files take them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from mtassay.compression import decompress
from mtassay.errors import InputError
from mtassay.tools.align.aligner import Words

__all__ = ["ParallelCorpus", "read_corpus", "writable"]

# Words that mean something else in the files of these tools.
_RESERVED = {"|||", "<eps>", ""}


class ParallelCorpus:
    """The pairs of a parallel file, in words, with a hash of their text."""

    def __init__(self, pairs: Sequence[tuple[Words, Words]], content: str) -> None:
        self.pairs = pairs
        self.content = content


def read_corpus(path: str | Path) -> ParallelCorpus:
    """A parallel file, plain or gzip: `source<TAB>target` or `source ||| target` per line.

    Words must stand apart with spaces, as they do in the pairs that are to be aligned. A pair with an empty
    side teaches nothing and is left out.
    """
    raw = _read(Path(path))
    try:
        lines = raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text.", path=path) from None
    pairs = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        sides = line.split("\t") if "\t" in line else line.split(" ||| ")
        if len(sides) != 2:
            raise InputError(
                f"{len(sides)} columns, expected 2. Write source<TAB>target, or source ||| target.",
                path=path,
                line=number,
            )
        source, target = sides[0].split(), sides[1].split()
        if source and target:
            pairs.append((source, target))
    return ParallelCorpus(pairs, hashlib.sha256(raw).hexdigest()[:12])


def writable(words: Words) -> str:
    """The words in lower case with a space between them, each as one word that the tools do not misread.

    >>> writable(["New York", "|||", "Sea"])
    'new_york _ sea'
    """
    clean = ("_".join(word.lower().split()) for word in words)
    return " ".join("_" if word in _RESERVED else word for word in clean).encode(errors="replace").decode()


def _read(path: Path) -> bytes:
    try:
        raw = path.read_bytes()
        return decompress(raw, path=path) if raw[:2] == b"\x1f\x8b" else raw
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error}).", path=path) from None
