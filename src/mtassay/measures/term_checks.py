"""Checks of terminology: missing, forbidden, wrongly translated and inconsistent terms."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple

from mtassay.data.formats.glossaries import Glossary, Term
from mtassay.measures.check import Alarm, Check, CheckContext, Mark, Need, Severity, Unit
from mtassay.nlp.term_matching import Lemmas, TermIndex, TermMatch, TermText, longest
from mtassay.nlp.word_forms import MadeOnce, fold, word_forms


@dataclass
class Concept:
    """A source term with its translations in a glossary; `accepted` has preferred translations first."""

    source: str
    case: bool = False
    accepted: list[str] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)
    is_kept: bool = False
    """Whether the term must stay untranslated."""

    def add(self, term: Term) -> None:
        """Add a row of the glossary."""
        if term.status == "do-not-translate":
            self.is_kept = True
            return
        targets = self.forbidden if term.status == "forbidden" else self.accepted
        if term.target not in targets:
            targets.append(term.target)

    @property
    def wanted(self) -> str:
        """The translations to use, for messages: 'Datei' or 'File'."""
        return " or ".join(f"'{target}'" for target in self.accepted[:3])


def concepts_of(terms: Iterable[Term], *, by_spelling: bool = False) -> list[Concept]:
    """Group terms by source, preferred translations first; `by_spelling` distinguishes `File` and `file`."""
    concepts: dict[str, Concept] = {}
    for term in sorted(terms, key=lambda term: term.status != "preferred"):
        key = term.source if term.case or by_spelling else fold(term.source)
        concepts.setdefault(key, Concept(term.source, term.case)).add(term)
    return list(concepts.values())


class Occurrence(NamedTuple):
    """A concept in a source text; `start` and `end` are character offsets."""

    concept: Concept
    start: int
    end: int

    @property
    def mark(self) -> Mark:
        """The place of the concept."""
        return Mark("source", self.start, self.end)


class TermBook:
    """Finds all concepts of a glossary in one pass over a text, in both languages.

    >>> terms = [Term("file", "Datei"), Term("file", "Dokument", "forbidden")]
    >>> book = TermBook(concepts_of(terms), "en", "de")
    >>> [occurrence] = book.occurrences("Delete all files.")
    >>> bool(book.translations(occurrence.concept, "Alle Dateien löschen."))
    True
    """

    def __init__(
        self,
        concepts: Sequence[Concept],
        source: str | None,
        target: str | None,
        *,
        lemmas: Lemmas | None = None,
    ) -> None:
        self._lemmas = lemmas
        self.source_forms, self.target_forms = word_forms(source or ""), word_forms(target or "")
        self.concepts = list(concepts)
        self._sources_known = MadeOnce(self._read_source, _MOST)  # several checks use it
        self._outputs_known = MadeOnce(self._read_output, _MOST)

    def occurrences(self, source: str) -> list[Occurrence]:
        """Find the concepts of a source text in order, each once; concepts inside longer ones do not count.

        Parts of compounds do not count either, since their translation is often different.
        """
        return self._sources_known[source]

    def _read_source(self, source: str) -> list[Occurrence]:
        first = {match.term: match for match in reversed(longest(self._sources.find(TermText(source))))}
        return [Occurrence(self._owners[n], m.start, m.end) for n, m in reversed(first.items())]

    def occurrences_of(self, concepts: Sequence[Concept], source: str) -> list[Occurrence]:
        """Find occurrences of some concepts in a source text, also inside each other."""
        first = {match.term: match for match in reversed(self._sources.find(TermText(source)))}
        found = ((concept, first.get(self._source_numbers[_written(concept)])) for concept in concepts)
        return [Occurrence(concept, match.start, match.end) for concept, match in found if match]

    def translations(self, concept: Concept, output: str) -> list[TermMatch]:
        """Find accepted translations in an output; `term` is the index in `concept.accepted`."""
        found = self._outputs_known[output]
        return [
            match._replace(term=place)
            for place, target in enumerate(concept.accepted)
            for match in found.get(self._numbers[target, concept.case], ())
        ]

    def _read_output(self, output: str) -> dict[int, list[TermMatch]]:
        found: dict[int, list[TermMatch]] = {}
        for match in self._targets.find(TermText(output, self._lemmas)):
            found.setdefault(match.term, []).append(match)
        return found

    def banned(self, output: str, concepts: Sequence[Concept]) -> list[tuple[Concept, str, TermMatch]]:
        """Find forbidden terms in an output: those of these concepts, and those forbidden everywhere.

        A forbidden term inside an accepted one (`Rechner` in `Taschenrechner`) does not count.
        """
        if not self._bans:
            return []
        allowed = {id(concept) for concept in concepts}
        found = []
        for match in longest(self._ban_index.find(TermText(output))):
            concept, target = self._bans[match.term]
            if concept.source and id(concept) not in allowed:
                continue
            accepted = [place for own in concepts if own.accepted for place in self.translations(own, output)]
            if not any(place.start <= match.start and match.end <= place.end for place in accepted):
                found.append((concept, target, match))
        return found

    @cached_property
    def _source_numbers(self) -> dict[tuple[str, bool], int]:
        """Number the source terms; keys are the term and whether its case matters."""
        return {key: number for number, key in enumerate(dict.fromkeys(map(_written, self.concepts)))}

    @cached_property
    def _owners(self) -> list[Concept]:
        return list({_written(concept): concept for concept in self.concepts}.values())

    @cached_property
    def _sources(self) -> TermIndex:
        exact = frozenset(number for (_, case), number in self._source_numbers.items() if case)
        sources = [source for source, _ in self._source_numbers]
        return TermIndex(sources, self.source_forms, exact=exact, is_strict=True, in_compounds=False)

    @cached_property
    def _numbers(self) -> dict[tuple[str, bool], int]:
        """Number the accepted translations; keys are the translation and whether its case matters."""
        targets = ((target, concept.case) for concept in self.concepts for target in concept.accepted)
        return {target: number for number, target in enumerate(dict.fromkeys(targets))}

    @cached_property
    def _targets(self) -> TermIndex:
        exact = frozenset(number for (_, case), number in self._numbers.items() if case)
        targets = [target for target, _ in self._numbers]
        if self._lemmas:
            self._lemmas.read(targets)
        return TermIndex(targets, self.target_forms, exact=exact, lemmas=self._lemmas)

    @cached_property
    def _bans(self) -> list[tuple[Concept, str]]:
        return [(concept, target) for concept in self.concepts for target in concept.forbidden]

    @cached_property
    def _ban_index(self) -> TermIndex:
        exact = frozenset(number for number, (concept, _) in enumerate(self._bans) if concept.case)
        targets = [target for _, target in self._bans]
        return TermIndex(targets, self.target_forms, exact=exact, is_strict=True)


def _written(concept: Concept) -> tuple[str, bool]:
    """The source term, and whether its spelling must match exactly (names that also are words: Apple)."""
    is_name = concept.is_kept and concept.source != concept.source.lower()
    return concept.source, concept.case or is_name


_MOST = 200_000


def term_book(context: CheckContext) -> TermBook:
    """Return the term book of a context's glossaries and languages, shared by all checks."""
    glossary: Glossary | None = context.terms
    if glossary is None:
        return TermBook((), context.source, context.target)
    concepts = concepts_of(glossary.for_pair(context.source, context.target))
    return TermBook(concepts, context.source, context.target)


class _TermCheck(Check):
    group: ClassVar[str] = "terms"
    severity: ClassVar[Severity] = "major"
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "terms"})

    def applies(self, context: CheckContext) -> bool:
        """Whether there is a glossary."""
        return context.terms is not None


def _occurrences(units: Sequence[Unit], book: TermBook) -> Iterator[tuple[int, Unit, list[Occurrence]]]:
    for index, unit in enumerate(units):
        if unit.source and unit.output and unit.output not in unit.references:
            occurrences = book.occurrences(unit.source)
            if occurrences:
                yield index, unit, occurrences


class TermMissing(_TermCheck):
    """Source terms whose translation is not in the output.

    >>> context = CheckContext("en", "de", terms=Glossary((Term("file", "Datei"),)))
    >>> [alarm.message for alarm in TermMissing().find([Unit("1", "Akten öffnen", "Open files")], context)]
    ["'file' should be 'Datei'"]
    """

    id: ClassVar[str] = "term-missing"
    about: ClassVar[str] = "a term is not translated as the glossary says"

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """Return one alarm per term; forbidden translations are left to `term-forbidden`."""
        book = context.part(term_book)
        for index, unit, occurrences in _occurrences(units, book):
            concepts = [occurrence.concept for occurrence in occurrences]
            banned: set[int] | None = None
            for occurrence in occurrences:
                concept = occurrence.concept
                if not concept.accepted or book.translations(concept, unit.output):
                    continue
                if concept.is_kept and _is_kept(occurrence, unit):
                    continue
                if banned is None:
                    banned = {id(own) for own, _, _ in book.banned(unit.output, concepts)}
                if id(concept) not in banned:
                    message = f"'{concept.source}' should be {concept.wanted}"
                    yield Alarm(index, message, (occurrence.mark,))


class TermForbidden(_TermCheck):
    """Translations that the glossary forbids.

    >>> terms = (Term("mobile phone", "Handy", "forbidden"), Term("mobile phone", "Mobiltelefon"))
    >>> context = CheckContext("en", "de", terms=Glossary(terms))
    >>> units = [Unit("1", "Ihr Handy ist aus.", "Your mobile phone is off.")]
    >>> [alarm.message for alarm in TermForbidden().find(units, context)]
    ["'Handy' is forbidden. Use 'Mobiltelefon'"]
    """

    id: ClassVar[str] = "term-forbidden"
    about: ClassVar[str] = "a translation that the glossary forbids"
    needs: ClassVar[frozenset[Need]] = frozenset({"terms"})

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        book = context.part(term_book)
        everywhere = any(not concept.source for concept in book.concepts)
        for index, unit in enumerate(units):
            if not unit.output or unit.output in unit.references:
                continue
            occurrences = book.occurrences(unit.source) if unit.source else []
            if not everywhere and not any(occurrence.concept.forbidden for occurrence in occurrences):
                continue
            concepts = [occurrence.concept for occurrence in occurrences]
            marks = {id(occurrence.concept): occurrence.mark for occurrence in occurrences}
            for concept, target, place in book.banned(unit.output, concepts):
                advice = f". Use {concept.wanted}" if concept.accepted else ""
                own = (marks[id(concept)],) if id(concept) in marks else ()
                yield Alarm(
                    index, f"'{target}' is forbidden{advice}", (*own, Mark("output", place.start, place.end))
                )


class DoNotTranslate(_TermCheck):
    """Terms that must stay untranslated but were translated.

    >>> context = CheckContext("en", "de", terms=Glossary((Term("Apple", status="do-not-translate"),)))
    >>> units = [Unit("1", "Apfel ist groß.", "Apple is big."), Unit("2", "Ein Apfel.", "An apple.")]
    >>> [(alarm.index, alarm.message) for alarm in DoNotTranslate().find(units, context)]
    [(0, "'Apple' must not be translated")]
    """

    id: ClassVar[str] = "do-not-translate"
    about: ClassVar[str] = "a term that must stay as it is was changed"

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        book = context.part(term_book)
        if not any(concept.is_kept for concept in book.concepts):
            return
        for index, unit, occurrences in _occurrences(units, book):
            for occurrence in occurrences:
                concept = occurrence.concept
                if not concept.is_kept or _is_kept(occurrence, unit):
                    continue
                if concept.accepted and book.translations(concept, unit.output):
                    continue
                yield Alarm(index, f"'{concept.source}' must not be translated", (occurrence.mark,))


def _is_kept(occurrence: Occurrence, unit: Unit) -> bool:
    """Whether a word of the output begins with the term, spelled as in the source or the glossary.

    An ending may follow: Googles, Googlen.
    """
    written = (unit.source or "")[occurrence.start : occurrence.end]
    for term in (written, occurrence.concept.source):
        start = unit.output.find(term)
        while start >= 0:
            before = unit.output[start - 1 : start]
            if not (before.isalnum() and before.isascii() and term[:1].isalnum()):
                return True
            start = unit.output.find(term, start + 1)
    return False


class TermDrift(_TermCheck):
    """Terms that a document translates in several accepted ways.

    >>> terms = Glossary((Term("screen", "Bildschirm"), Term("screen", "Anzeige", "allowed")))
    >>> outputs = ["Bildschirm", "Der Bildschirm", "Eine Anzeige"]
    >>> units = [Unit(str(n), output, "screen") for n, output in enumerate(outputs)]
    >>> [alarm.message for alarm in TermDrift().find(units, CheckContext("en", "de", terms=terms))]
    ["'screen' is 'Anzeige' here and 'Bildschirm' in 2 other places"]
    """

    id: ClassVar[str] = "term-drift"
    severity: ClassVar[Severity] = "minor"
    about: ClassVar[str] = "one term is translated in several ways within a document"
    scope: ClassVar = "file"

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        book = context.part(term_book)
        uses: Mapping[tuple[str, int], list[_Use]] = defaultdict(list)
        for index, unit, occurrences in _occurrences(units, book):
            for occurrence in occurrences:
                if len(occurrence.concept.accepted) < 2:
                    continue
                places = longest(book.translations(occurrence.concept, unit.output))
                # Two translations in one output may both be right for two places of the source.
                if len({place.term for place in places}) == 1:
                    document = f"{unit.file}\n{unit.document or ''}"
                    uses[document, id(occurrence.concept)].append(_Use(index, occurrence, places[0]))
        alarms = []
        for own in uses.values():
            counts = Counter(use.place.term for use in own)
            usual, count = counts.most_common(1)[0]
            other = next(use for use in own if use.place.term == usual)
            alarms += [use.alarm(other, count) for use in own if use.place.term != usual]
        yield from sorted(alarms, key=lambda alarm: alarm.index)


class _Use(NamedTuple):
    row: int
    occurrence: Occurrence
    place: TermMatch

    def alarm(self, usual: _Use, count: int) -> Alarm:
        concept, place = self.occurrence.concept, usual.place
        where = "1 other place" if count == 1 else f"{count:,} other places"
        own, other = concept.accepted[self.place.term], concept.accepted[place.term]
        message = f"'{concept.source}' is '{own}' here and '{other}' in {where}"
        here = Mark("output", self.place.start, self.place.end)
        return Alarm(
            self.row, message, (self.occurrence.mark, here, Mark("output", place.start, place.end, usual.row))
        )
