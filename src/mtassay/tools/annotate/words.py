"""Syntactic words, as Stanza and UDPipe give them, made into written ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mtassay.tools.annotate.nouns import Token


class Word(NamedTuple):
    """One syntactic word. `head` is an index among the words of the same text, -1 for a root."""

    start: int
    end: int
    lemma: str = ""
    pos: str = ""
    tag: str = ""
    features: Mapping[str, str] = {}
    head: int = -1
    relation: str = ""


def written_tokens(text: str, words: Sequence[Word]) -> tuple[Token, ...]:
    """One token for each place in the text; neighbours that stand in the same place, or overlap, are one.

    >>> words = [
    ...     Word(0, 2, "de", "ADP", head=2, relation="case"),
    ...     Word(0, 2, "o", "DET", head=2, relation="det"),
    ...     Word(3, 6, "mar", "NOUN", relation="root"),
    ... ]
    >>> [(t.text, t.lemma, t.pos, t.head, t.relation) for t in written_tokens("do mar", words)]
    [('do', 'de o', 'ADP', 1, 'case'), ('mar', 'mar', 'NOUN', -1, 'root')]
    """
    groups: list[list[int]] = []
    end = -1
    for index, word in enumerate(words):
        if groups and word.start < end:
            groups[-1].append(index)
        else:
            groups.append([index])
        end = max(end, word.end)
    place = {index: number for number, group in enumerate(groups) for index in group}
    return tuple(_token(text, words, group, place) for group in groups)


def _token(text: str, words: Sequence[Word], group: Sequence[int], place: Mapping[int, int]) -> Token:
    # The one nearest to the root: from any other part the way up could lead back into the same group.
    chief = words[min(group, key=lambda index: _depth(words, index))]
    start, end = words[group[0]].start, max(words[index].end for index in group)
    return Token(
        text=text[start:end],
        start=start,
        end=end,
        lemma=" ".join(filter(None, (words[index].lemma for index in group))),
        pos=chief.pos,
        tag=chief.tag,
        features=unite(words[index].features for index in group),
        head=place[chief.head] if chief.head >= 0 else -1,
        relation=chief.relation,
    )


def _depth(words: Sequence[Word], index: int) -> int:
    depth = 0
    while words[index].head >= 0 and depth <= len(words):
        index, depth = words[index].head, depth + 1
    return depth


def unite(several: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """All features, in order of the alphabet, each with all its values.

    >>> unite([{"Number": "Sing"}, {"Gender": "Masc", "Number": "Plur"}])
    {'Gender': 'Masc', 'Number': 'Plur,Sing'}
    """
    values: dict[str, set[str]] = {}
    for features in several:
        for name, value in features.items():
            values.setdefault(name, set()).update(value.split(","))
    return {name: ",".join(sorted(values[name])) for name in sorted(values)}


def parse_features(text: str | None) -> dict[str, str]:
    """The features of a CoNLL-U cell.

    >>> parse_features("Gender=Masc|Number=Sing"), parse_features("_"), parse_features(None)
    ({'Gender': 'Masc', 'Number': 'Sing'}, {}, {})
    """
    pairs = (pair.partition("=") for pair in (text or "").split("|"))
    return {name: value for name, _, value in pairs if value}


def without_loops(heads: Sequence[int]) -> list[int]:
    """The same heads, but the first word of every loop is a root: some parsers choose head by head.

    >>> without_loops([1, 2, 0, 3, 2, -1])
    [-1, 2, 0, -1, 2, -1]
    """
    free = list(heads)
    reaches_root: set[int] = set()
    for start in range(len(free)):
        path: list[int] = []
        index = start
        while index >= 0 and index not in reaches_root and index not in path:
            path.append(index)
            index = free[index]
        if index in path:
            free[min(path[path.index(index) :])] = -1
        reaches_root.update(path)
    return free
