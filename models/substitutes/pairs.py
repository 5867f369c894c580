"""Word pairs that are common: on the web, by the counts that wordsegment carries, or in our sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from itertools import chain
from pathlib import Path

from vocabulary import Form


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Before these, or after them, nearly any word stands: a pair says nothing.
_SILENT = _words(
    """
    a an the this that these those my your his her its our their and or but is are was were be been being
    am has have had do does did will would can could may might shall should must not no all any some every
    each i you he she it we they who which what if than as to
    """
)


def pairs(forms: Sequence[Form], seen: Set[tuple[str, str]]) -> Iterator[str]:
    """One line per left word: it, and the right words, in order; one of the two is among the forms.

    `seen` are neighbours in ordinary sentences. Where a noun is common, so is its other number.
    """
    known = {form.text for form in forms}
    numbers = _numbers(forms)
    right: dict[str, set[str]] = defaultdict(set)
    for first, second in chain(_web(), seen):
        if not (first.isalpha() and second.isalpha()) or {first, second} & _SILENT:
            continue
        if first in known or second in known:
            right[first].update(numbers.get(second, (second,)))
    for first in sorted(right):
        yield f"{first}\t{' '.join(sorted(right[first]))}"


def _web() -> Iterator[tuple[str, str]]:
    import wordsegment

    path = Path(wordsegment.__file__).parent / "bigrams.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        first, second = line.split("\t")[0].split()
        yield first, second


def _numbers(forms: Sequence[Form]) -> dict[str, tuple[str, ...]]:
    """Each noun's form with the singular and the plural."""
    by_lemma: dict[str, list[str]] = defaultdict(list)
    for form in forms:
        if form.part == "n":
            by_lemma[form.lemma].append(form.text)
    return {text: tuple(texts) for texts in by_lemma.values() for text in texts}
