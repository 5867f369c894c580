"""Links a user brings in a Pharaoh file: one line per sentence pair, as `0-0 1-2 2-1`, counted from 0."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from mtassay.errors import InputError, UsageError
from mtassay.tools.align.aligner import Links, WordAligner, Words

__all__ = ["PharaohAligner", "ReversePharaohAligner", "parse_links", "read_pharaoh"]

_LINK = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


def parse_links(text: str, *, reverse: bool = False) -> Links:
    """The links of one line; `reverse` reads `target-source`. `ValueError` names what is no link.

    >>> sorted(parse_links("0-0 2-1", reverse=True))
    [(0, 0), (1, 2)]
    """
    links = set()
    for word in text.split():
        match = _LINK.fullmatch(word)
        if match is None:
            raise ValueError(word)
        one, other = int(match[1]), int(match[2])
        links.add((other, one) if reverse else (one, other))
    return frozenset(links)


def read_pharaoh(path: str | Path, *, reverse: bool = False) -> list[Links]:
    """The links of each line, in order; an empty line has none. `reverse` reads `target-source`."""
    return _parse(_read(path), path, reverse=reverse)


class PharaohAligner(WordAligner):
    """Answers from a file for a corpus: line n has the links of the n-th pair of `corpus`.

    `corpus` are the (source, target) pairs, in words, that the file was made for; a pair is found again by
    its words, whatever the order in which it is asked for. Without a corpus, the pairs of one call of `align`
    are the lines of the file, in order.
    """

    name = "pharaoh"
    argument: ClassVar[str] = "FILE"
    is_reverse: ClassVar[bool] = False

    @classmethod
    def open(cls, pair: str, rest: str, symmetrize: str | None) -> WordAligner:
        """The links in the file `rest`, whatever the pair."""
        if not rest:
            raise UsageError(f"Word aligner '{cls.name}' needs the file with the links: {cls.name}:FILE.")
        if symmetrize is not None:
            raise UsageError(
                f"Word aligner '{cls.name}' takes the links as they are; leave '{symmetrize}' out."
            )
        return cls(rest, reverse=cls.is_reverse)

    def __init__(
        self,
        path: str | Path,
        *,
        reverse: bool = False,
        corpus: Sequence[tuple[Words, Words]] | None = None,
    ) -> None:
        self._path = Path(path)
        raw = _read(path)
        self._lines = _parse(raw, path, reverse=reverse)
        self._signature = (
            f"pharaoh|content:{hashlib.sha256(raw).hexdigest()[:12]}{'|reverse' if reverse else ''}"
        )
        self._by_pair: dict[tuple[tuple[str, ...], tuple[str, ...]], Links] | None = None
        if corpus is not None:
            self._check_lines(len(corpus))
            all_links = self._in_order(corpus)
            # Equal pairs should have equal links; where a file disagrees with itself, its first line holds.
            self._by_pair = {}
            for pair, links in zip(corpus, all_links, strict=True):
                self._by_pair.setdefault(_key(pair), links)

    @property
    def signature(self) -> str:
        """The content of the file."""
        return self._signature

    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        """The links of each pair, in order; `InputError` where the file has none, or impossible ones."""
        if self._by_pair is None:
            self._check_lines(len(pairs))
            return self._in_order(pairs)
        return [self._recall(pair) for pair in pairs]

    def _recall(self, pair: tuple[Words, Words]) -> Links:
        assert self._by_pair is not None
        links = self._by_pair.get(_key(pair))
        if links is None:
            raise InputError(
                f"no line for '{_start(pair[0])}' / '{_start(pair[1])}'. Align it too, or leave it out.",
                path=self._path,
            )
        return links

    def _in_order(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        for line, (pair, links) in enumerate(zip(pairs, self._lines, strict=True), 1):
            for source, target in sorted(links):
                if source >= len(pair[0]) or target >= len(pair[1]):
                    raise InputError(
                        f"link {source}-{target}, but the pair has {len(pair[0])} source and {len(pair[1])}"
                        " target words. Words count from 0; is it target-source, or tokenised otherwise?",
                        path=self._path,
                        line=line,
                    )
        return list(self._lines)

    def _check_lines(self, pairs: int) -> None:
        if len(self._lines) != pairs:
            raise UsageError(
                f"{self._path} has {len(self._lines)} lines for {pairs} pairs. Give one line per pair."
            )


class ReversePharaohAligner(PharaohAligner):
    """For a file whose links are written target-source."""

    name = "pharaoh-reverse"
    is_reverse = True


def _read(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", path=path) from None


def _parse(raw: bytes, path: str | Path, *, reverse: bool) -> list[Links]:
    try:
        lines = raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text.", path=path) from None
    if lines[-1] == "":
        lines.pop()
    all_links = []
    for number, line in enumerate(lines, 1):
        try:
            all_links.append(parse_links(line, reverse=reverse))
        except ValueError as error:
            raise InputError(
                f"'{_start([str(error)])}' is no link. Write SOURCE-TARGET, from 0: 0-0 1-2.",
                path=path,
                line=number,
            ) from None
    return all_links


def _key(pair: tuple[Words, Words]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(pair[0]), tuple(pair[1])


def _start(words: Words) -> str:
    text = " ".join(words)
    return text if len(text) <= 30 else f"{text[:29]}…"
