"""The bilingual lexicon: groups of words of one kind, with their forms in both languages.

The files in `lexicon` have one sense per row: its group, then the word in each language. The words of a group
can replace each other in a sentence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mtassay.data.errors import InputError, UsageError
from mtassay_en.inflections import chinese_forms, english_forms, german_forms, portuguese_forms

DATA = Path(__file__).parent / "lexicon"
LANGUAGES = {
    "en": english_forms, "pt": portuguese_forms, "de": german_forms, "zh": chinese_forms,
}  # fmt: skip
PARTS = {
    "people": "NOUN",
    "things": "NOUN",
    "measures": "NOUN",
    "adjectives": "ADJ",
    "verbs": "VERB",
    "adverbs": "ADV",
    "determiners": "DET",
    "pronouns": "PRON",
    "calendar": "NAME",
    "places": "NAME",
}
"""The files with the part of speech of their words; a `NAME` has one form, and a gender if needed."""


@dataclass(frozen=True, slots=True)
class LexiconEntry:
    """A sense: its forms in both languages by cell, and its group with the part of speech.

    `use` is `out` for a word that can only be replaced, and `in` for one that can only be a substitute.
    """

    part: str
    group: str
    source: dict[str, str]
    reference: dict[str, str]
    use: str = ""

    def cells(self, source: str, reference: str) -> set[tuple[str, str]]:
        """Possible cells of a source form and a reference form; empty if they are not a pair."""
        return {
            (a, b)
            for a, form in self.source.items()
            if form == source
            for b, other in self.reference.items()
            if other == reference and _same_number(a, b)
        }

    def form(self, cells: tuple[str, str]) -> tuple[str, str] | None:
        """The forms of both languages in these cells; `None` if one is missing."""
        a, b = self.source.get(cells[0]), self.reference.get(cells[1])
        return None if a is None or b is None else (a, b)


@dataclass(frozen=True, slots=True)
class Substitute:
    """A substitute for a pair of words, in both languages."""

    source: str
    reference: str
    entry: LexiconEntry | None = None


class BilingualLexicon:
    """All entries of a language pair."""

    def __init__(self, entries: list[LexiconEntry]) -> None:
        self.entries = entries
        self._by_source: defaultdict[str, list[LexiconEntry]] = defaultdict(list)
        self._groups: defaultdict[tuple[str, str], list[LexiconEntry]] = defaultdict(list)
        for entry in entries:
            self._groups[entry.part, entry.group].append(entry)
            for form in set(entry.source.values()):
                self._by_source[form.lower()].append(entry)

    def having(self, sequences: Iterable[str]) -> list[LexiconEntry]:
        """Entries with a form in these (lower-case) word sequences of a source."""
        by_identity = {id(entry): entry for text in sequences for entry in self._by_source.get(text, ())}
        return [entry for entry in by_identity.values() if entry.use != "in"]

    def group_of(self, entry: LexiconEntry) -> list[LexiconEntry]:
        """Other words of the entry's group that can be substitutes."""
        return [
            other
            for other in self._groups[entry.part, entry.group]
            if other.use != "out" and not _share_a_form(entry, other)  # a synonym, or another sense
        ]

    def substitutes(self, entry: LexiconEntry, cells: set[tuple[str, str]]) -> list[Substitute]:
        """Other words of the group with one form in all these cells, in each language.

        An ambiguous form (`cut`) is replaced only by a word with equal forms in all of its cells.
        """
        substitutes = []
        for other in self.group_of(entry):
            pairs = {other.form(cell) for cell in cells}
            pair = pairs.pop() if len(pairs) == 1 else None
            if pair is not None:
                substitutes.append(Substitute(*pair, other))
        return substitutes


@cache
def load_lexicon(source: str, reference: str) -> BilingualLexicon:
    """Load the lexicon from one language to another, such as `en` to `pt`."""
    for code in (source, reference):
        if code not in LANGUAGES:
            raise UsageError(
                f"The lexicon infiller does not know '{code}'. Available: {', '.join(LANGUAGES)}."
                " For other languages use a language model: `infill='llm:…'`"
            )
    entries = []
    for name, part in PARTS.items():
        for line, row in rows_of(name):
            words = row.get(source), row.get(reference)
            if not (words[0] and words[1]):
                continue
            try:
                forms = LANGUAGES[source](part, words[0]), LANGUAGES[reference](part, words[1])
            except (KeyError, ValueError, IndexError):
                raise InputError(f"cannot read {words}", path=DATA / f"{name}.tsv", line=line) from None
            entries.append(LexiconEntry(part, row["group"], *forms, row.get("use", "")))
    return BilingualLexicon(entries)


@cache
def near_groups() -> frozenset[str]:
    """Groups whose words may share a translation, so that an old word in a translation proves nothing."""
    lines = (DATA / "near_groups.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


@cache
def word_set(name: str) -> frozenset[str]:
    """Return the words that `word_sets.txt` lists under a name.

    >>> "gigantic" in word_set("extremes")
    True
    """
    return _word_sets()[name]


@cache
def _word_sets() -> dict[str, frozenset[str]]:
    lines = (DATA.parent / "word_sets.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.partition(": ") for line in lines if not line.startswith("#"))
    return {name: frozenset(words.split(", ")) for name, _, words in rows}


def says_gender(noun: str) -> bool:
    """Whether a singular noun means only women, or only men.

    >>> says_gender("sister"), says_gender("cousin")
    (True, False)
    """
    return noun in word_set("gendered")


def rows_of(name: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Read the rows of a data file with line numbers (from 1); lines with `#` are skipped."""
    lines = (DATA / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    columns = lines[0].split("\t")
    for number, line in enumerate(lines[1:], start=2):
        if line.strip() and not line.startswith("#"):
            yield number, dict(zip(columns, line.split("\t"), strict=False))


def _same_number(a: str, b: str) -> bool:
    """Whether two cells of nouns agree in number, if both languages mark it."""
    numbers = {cell.split(" ")[0] for cell in (a, b)}
    return len(numbers & {"sg", "pl"}) < 2


def _share_a_form(a: LexiconEntry, b: LexiconEntry) -> bool:
    return a is b or not (
        set(a.source.values()).isdisjoint(b.source.values())
        and set(a.reference.values()).isdisjoint(b.reference.values())
    )
