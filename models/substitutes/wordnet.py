"""Reads what is needed of WordNet 3.0: which words are nouns, and what kind of noun, verb or adjective."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
_BY_NUMBER = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
# Sentence frames of WordNet that have an object: "somebody ----s something" and its kin.
_TRANSITIVE = {8, 9, 10, 11, 14, 15, 16, 17, 18, 19, 20, 21, 24, 25, 30, 31}


@dataclass
class Entry:
    """A word in one part of speech, over all its senses, the most frequent one first."""

    kinds: list[int] = field(default_factory=list)  # lexicographer files: noun.person, adj.pert...
    synsets: list[str] = field(default_factory=list)
    placed: list[str] = field(default_factory=list)  # an adjective's: "a" only before a noun, "p" only after
    frames: set[bool] = field(default_factory=set)  # a verb's: with an object, without
    count: int = 0  # how often it was seen in the sense-tagged corpus
    by_kind: Counter[int] = field(default_factory=Counter)
    above: list[tuple[str, ...]] = field(default_factory=list)  # a noun's: from the root to each sense

    @cached_property
    def kind(self) -> int:
        """The most frequent kind, else that of the first sense."""
        return self.by_kind.most_common(1)[0][0] if self.by_kind else self.kinds[0]

    @cached_property
    def usual_kinds(self) -> frozenset[int]:
        """The most frequent kind, and those that have at least a fifth of its uses."""
        total = sum(self.by_kind.values())
        return frozenset({self.kind, *(kind for kind, n in self.by_kind.items() if 5 * n >= total)})


def depth_shared(a: Entry, b: Entry) -> float:
    """How much of the way from the root two nouns share, 0 to 1 (Wu and Palmer 1994).

    The first senses count in full; what only a second sense shares counts less.
    """
    best = 0.0
    for first, one in enumerate(a.above[:2]):
        for second, other in enumerate(b.above[:2]):
            shared = 0
            while shared < min(len(one), len(other)) and one[shared] == other[shared]:
                shared += 1
            best = max(best, 0.85 ** (first + second) * 2 * shared / (len(one) + len(other)))
    return best


def read_wordnet(folder: Path) -> dict[tuple[str, str], Entry]:
    """By word and part of speech (n, v, a, r); only single words in small letters, so no names."""
    entries: dict[tuple[str, str], Entry] = {}
    for name, part in PARTS.items():
        written = _written(folder / f"data.{name}", verbs=part == "v")
        for line in (folder / f"index.{name}").read_text(encoding="utf-8").splitlines():
            if line.startswith(" "):
                continue
            cells = line.split()
            word = cells[0]
            senses = [offset for offset in cells[-int(cells[2]) :] if word in written[offset].words]
            if not senses or not word.isalpha():
                continue
            entry = entries[word, part] = Entry()
            for offset in senses:
                synset = written[offset]
                entry.kinds.append(synset.kind)
                entry.synsets.append(part + offset)
                entry.placed.append(synset.words[word])
                entry.frames |= synset.frames
                if part == "n":
                    entry.above.append(_path(offset, written))
    for line in (folder / "cntlist.rev").read_text(encoding="utf-8").splitlines():
        key, _, count = line.split()
        word, _, rest = key.partition("%")
        number, kind, *_ = rest.split(":")
        entry_or_none = entries.get((word, _BY_NUMBER[number]))
        if entry_or_none is not None:
            entry_or_none.count += int(count)
            entry_or_none.by_kind[int(kind)] += int(count)
    return entries


@dataclass
class _Synset:
    kind: int
    words: dict[str, str]  # with the marker of an adjective's place, as "p"
    frames: set[bool]
    above: str | None  # the first hypernym


def _path(offset: str, synsets: dict[str, _Synset]) -> tuple[str, ...]:
    path = [offset]
    while (above := synsets[path[-1]].above) is not None:
        path.append(above)
    return tuple(reversed(path))


def _written(path: Path, *, verbs: bool) -> dict[str, _Synset]:
    synsets = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):
            continue
        cells = line.partition("|")[0].split()
        size = int(cells[3], 16)
        words = {}
        for word in cells[4 : 4 + 2 * size : 2]:
            word, _, marker = word.partition("(")
            words[word] = marker.rstrip(")")
        after = 4 + 2 * size
        pointers = 4 * int(cells[after])
        links = cells[after + 1 : after + 1 + pointers]
        above = next((links[at + 1] for at in range(0, pointers, 4) if links[at] in ("@", "@i")), None)
        frames = (
            {int(number) in _TRANSITIVE for number in cells[after + 3 + pointers :: 3]} if verbs else set()
        )
        synsets[cells[0]] = _Synset(int(cells[1]), words, frames, above)
    return synsets
