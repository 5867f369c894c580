"""The metric `terms`: the share of terms that are translated as in a glossary, and their consistency."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.glossaries import Glossary, SegmentTerms, Term, read_glossaries, read_segment_terms
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Finding, Segment, Statistics
from mtassay.measures.metric import Floats, Metric, settings_signature
from mtassay.measures.term_checks import Concept, Occurrence, TermBook, concepts_of
from mtassay.nlp.annotators import open_annotator
from mtassay.nlp.term_matching import Lemmas, stands_anywhere
from mtassay.nlp.word_forms import word_forms

COLUMNS = ("hits", "terms")
CONSISTENCY = ("consistent", "repeated")


@dataclass(frozen=True, kw_only=True)
class Terms(Metric):
    """The percentage of source terms whose translation the output has: `terms:glossary.csv`.

    A term counts once per segment, with any preferred or allowed translation in any form. A term that must
    not be translated must be unchanged. The part `consistency` covers terms in several segments: how often
    the output uses the translation that its system uses most.

    Args:
        glossaries: One or more glossaries, or a `.jsonl` file with the terms of each segment.
        column: The column of the `.jsonl` file with the terms.
        match: `words` finds forms of the term, and German compounds with the term. `anywhere` is the rule of
            WMT25: any run of letters counts, as written or in dictionary forms.
        annotator: An annotator whose dictionary forms also count, as `stanza`; `best` is the best installed.
        langpair: The two languages.
    """

    name: ClassVar[str] = "terms"
    subject: ClassVar[str] = "glossaries"
    finds: ClassVar[str] = "term misses"
    cacheable: ClassVar[bool] = False  # measuring is faster than reading from the cache

    glossaries: tuple[str, ...] = ()
    column: str = "terms"
    match: Literal["words", "anywhere"] = "words"
    annotator: str = ""
    langpair: str = ""

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"source"})

    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        forms = word_forms(self._pair[1]).signature
        forms += f"+{self._lemmas.signature.replace('|', ' ')}" if self._lemmas else ""
        more = {**(extra or {}), "sha256": self._given.digest, "forms": forms}
        return settings_signature(self, segments, extra=more)

    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        book, found = self._found(segments)
        if self._lemmas:
            self._lemmas.read(text for texts in outputs.values() for text in texts)
        seen = Counter(concept.source for occurrences in found for concept, _, _ in occurrences)
        repeats = {source for source, count in seen.items() if count > 1}
        columns = (*COLUMNS, *CONSISTENCY) if repeats else COLUMNS
        ids = [segment.id for segment in segments]
        return [
            Statistics(
                self.name, system, ids, columns, self._values(book, found, texts, repeats)[:, : len(columns)]
            )
            for system, texts in outputs.items()
        ]

    def _values(
        self, book: TermBook, found: Sequence[list[Occurrence]], texts: Sequence[str], repeats: set[str]
    ) -> NDArray[np.float64]:
        values = np.zeros((len(found), 4))
        uses: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for row, (occurrences, text) in enumerate(zip(found, texts, strict=True)):
            for occurrence in occurrences:
                used = self._used(book, occurrence, text)
                values[row, :2] += used is not None, 1
                if occurrence.concept.source in repeats:
                    values[row, 3] += 1
                    if used is not None:
                        uses[occurrence.concept.source].append((row, used))
        for own in uses.values():
            usual, _ = Counter(target for _, target in own).most_common(1)[0]
            for row, target in own:
                values[row, 2] += target == usual
        return values

    def aggregate(self, sums: NDArray[Any]) -> Floats:
        """The percentage; nan without terms."""
        hits, terms = (np.asarray(sums[..., column], dtype=np.float64) for column in (0, 1))
        empty = terms == 0
        return np.where(empty, np.nan, 100 * hits / np.where(empty, 1, terms))

    def groups(self, columns: Sequence[str]) -> dict[str, list[int]]:
        return {"consistency": [2, 3]} if CONSISTENCY[0] in columns else {}

    def size(self, sums: NDArray[Any], units: int) -> int:
        return int(sums[..., 1].sum())

    def findings(self, segments: Sequence[Segment], system: str, outputs: Sequence[str]) -> Iterable[Finding]:
        book, found = self._found(segments)
        for segment, occurrences, text in zip(segments, found, outputs, strict=True):
            missed = [own for own in occurrences if self._used(book, own, text) is None]
            if missed:
                errors = [
                    {
                        "text": own.concept.source,
                        "start": own.start,
                        "end": own.end,
                        "category": "terminology",
                        "severity": "major",
                        "in": "source",
                    }
                    for own in missed
                ]
                why = "; ".join(f"'{own.concept.source}' should be {_wanted(own.concept)}" for own in missed)
                share = 1 - len(missed) / len(occurrences)
                yield Finding(segment.id, system, self.name, "fail", share, {"why": why, "errors": errors})

    def _used(self, book: TermBook, occurrence: Occurrence, text: str) -> str | None:
        """The right translation in an output; `None` if there is none."""
        concept = occurrence.concept
        if concept.is_kept and concept.source in text:
            return concept.source
        if self.match == "anywhere":
            forms = book.target_forms
            return next((target for target in concept.accepted if stands_anywhere(target, text, forms)), None)
        places = book.translations(concept, text)
        return concept.accepted[min(place.term for place in places)] if places else None

    def _found(self, segments: Sequence[Segment]) -> tuple[TermBook, list[list[Occurrence]]]:
        """The terms of each source, and the book with their translations."""
        given = self._given
        if isinstance(given, Glossary):
            book = TermBook(concepts_of(given.for_pair(*self._pair)), *self._pair, lemmas=self._lemmas)
            found = [book.occurrences(segment.source or "") for segment in segments]
        else:
            own = [concepts_of(self._terms_of(segment, given), by_spelling=True) for segment in segments]
            every = [concept for concepts in own for concept in concepts]
            book = TermBook(every, *self._pair, lemmas=self._lemmas)
            rows = zip(segments, own, strict=True)
            found = [self._listed(book, concepts, segment.source or "") for segment, concepts in rows]
        judged = [[own for own in row if own.concept.accepted or own.concept.is_kept] for row in found]
        return book, judged

    def _terms_of(self, segment: Segment, given: SegmentTerms) -> Sequence[Term]:
        terms = given.of(segment.id, segment.source)
        if terms is None:
            what = f"it has no terms for segment {segment.id!r}: {(segment.source or '')[:60]!r}"
            raise InputError(what, path=self.glossaries[0])
        return terms

    def _listed(self, book: TermBook, concepts: Sequence[Concept], source: str) -> list[Occurrence]:
        """The terms listed for a segment that occur in its source."""
        if self.match == "words":
            return book.occurrences_of(concepts, source)
        forms = book.source_forms
        return [Occurrence(own, 0, 0) for own in concepts if stands_anywhere(own.source, source, forms)]

    @cached_property
    def _pair(self) -> tuple[str, str]:
        if not self.langpair:
            raise UsageError("metric 'terms' needs the languages: give `langpair='SRC-TGT'`.")
        pair = parse_pair(self.langpair)
        return pair.source.tag, pair.target.tag

    @cached_property
    def _lemmas(self) -> Lemmas | None:
        if not self.annotator:
            return None
        name = None if self.annotator == "best" else self.annotator
        return Lemmas(open_annotator(self._pair[1], needs=("lemma",), name=name))

    @cached_property
    def _given(self) -> Glossary | SegmentTerms:
        if not self.glossaries:
            raise UsageError("metric 'terms' needs a glossary: give `terms=['FILE']`, or write terms:FILE.")
        if any(path.removesuffix(".gz").endswith((".jsonl", ".ndjson")) for path in self.glossaries):
            if len(self.glossaries) > 1:
                raise UsageError("metric 'terms' takes one .jsonl file with the terms of each segment.")
            return read_segment_terms(self.glossaries[0], column=self.column)
        return read_glossaries(self.glossaries)


def _wanted(concept: Concept) -> str:
    return concept.wanted or f"'{concept.source}'"
