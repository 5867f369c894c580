"""Suspects outputs that lost or changed a number or a name of the source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.data.errors import UsageError
from mtassay.data.language_packs import missing_pack
from mtassay.data.languages import Pair
from mtassay.data.nouns import Segment
from mtassay.measures.coverage import Counterparts, lexicon_of
from mtassay.measures.detector import (
    AnnotatedAnswer,
    ComparedPair,
    PairDetector,
    RelationDetector,
    Shared,
    Suspicion,
)
from mtassay.measures.guards import Numbers
from mtassay.measures.name_matches import Haystack, forms_of
from mtassay.measures.vocabulary import TargetWords, small_words, target_words
from mtassay.nlp.annotation import Annotation, Layer, TokenSpan, words_of
from mtassay.nlp.identification import script_of
from mtassay.nlp.normalisation import Normaliser
from mtassay.nlp.table_aligner import AlignmentLexicon

__all__ = [
    "AddedFigures",
    "Entities",
    "Markup",
    "NumbersDetector",
    "UnknownWords",
    "Untranslated",
    "UntranslatedVariant",
    "Vocabularies",
]


class NumbersDetector(PairDetector):
    """The guard that `score` has, without references: a number is found regrouped, rounded or in words, too.

    The value is how many numbers are missing.
    """

    name: ClassVar[str] = "numbers"
    about: ClassVar[str] = "a number is missing or changed"

    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """In the order of the answers; an empty output is left to the detector of under-translation."""
        read = [answer for answer in answers if answer.output.text.strip()]
        guard = Numbers([Segment(answer.id, answer.source.text) for answer in read])
        hits = guard.hits([answer.output.text for answer in read])
        return [
            Suspicion(read[index].id, f"{why['why']}{_instead(why)}", len(why["missing"]), dict(why))
            for index, why in sorted(hits.items())
        ]


def _instead(why: dict[str, list[str]]) -> str:
    return f"; new: {', '.join(why['instead'])}" if why["instead"] else ""


_NAMES = frozenset(("PER", "PERSON", "LOC", "GPE", "ORG", "FAC", "NORP"))


@dataclass(frozen=True)
class Entities(PairDetector):
    """Names that stand nowhere in the output: not as written or nearly so, and not translated.

    A name may also be written in another script, which nothing here can read; so one is missing only if the
    output has fewer names than the source besides. `near` is the cosine from which a word may be the name's
    translation. The value is how many names are missing.
    """

    pair: Pair
    counterparts: Counterparts
    near: float = 0.5
    name: ClassVar[str] = "entities"
    about: ClassVar[str] = "a name is missing"
    needs: ClassVar[frozenset[Layer]] = frozenset(("pos",))
    needs_source: ClassVar[frozenset[Layer]] = frozenset(("pos", "entities"))

    @classmethod
    def open(cls, shared: Shared) -> Entities:
        return cls(shared.pair, shared.part(Counterparts))

    def require(self) -> None:
        self.counterparts.require()

    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """In the order of the answers."""
        suspicions = []
        for answer in answers:
            if names := self._missing(answer):
                why = f"look for the name{'s' * (len(names) > 1)}: {', '.join(names)}"
                suspicions.append(Suspicion(answer.id, why, len(names), {"missing": names}))
        return suspicions

    def _missing(self, answer: AnnotatedAnswer) -> list[str]:
        source, output = answer.source, answer.output
        names = [span for span in source.entities if span.label in _NAMES and _is_name(source, span)]
        if not names or not output.tokens:
            return []
        haystack = Haystack([output.text], Normaliser(language=str(self.pair.target)))
        missing = [
            span
            for span in names
            if not self._is_written(source.covered(span), haystack)
            and not self._is_near(source, span, output)
        ]
        # Each name of the output that none of the found ones stands for may be a missing one.
        spare = _count_names(output) - (len(names) - len(missing))
        if len(missing) <= max(spare, 0):
            return []
        return list(dict.fromkeys(source.covered(span) for span in missing))

    def _is_written(self, name: str, haystack: Haystack) -> bool:
        forms = forms_of(Normaliser(language=str(self.pair.source)).tokens(name), name)
        return any(
            haystack.holds([form]) or haystack.overlap(form) > 0 or haystack.nearest(form) for form in forms
        )

    def _is_near(self, source: Annotation, span: TokenSpan, output: Annotation) -> bool:
        tokens = source.tokens[span.start : span.end]
        words = [token for token in output.tokens if token.text[0].isalnum()]
        return bool(words) and bool(self.counterparts.strengths(tokens, words).max() >= self.near)


def _is_name(source: Annotation, span: TokenSpan) -> bool:
    """Taggers call many things names at the beginning of a sentence; a name has a word that says so."""
    return any(token.pos == "PROPN" for token in source.tokens[span.start : span.end])


def _count_names(output: Annotation) -> int:
    """Names next to each other are one."""
    is_name = [token.pos == "PROPN" for token in output.tokens]
    return sum(name and not previous for previous, name in zip([False, *is_name], is_name, strict=False))


_LETTERS = 4
_SEEN = 1.25  # Zipf; a word below this frequency is as good as unknown


@dataclass(frozen=True)
class UnknownWords(PairDetector):
    """Words that the target language does not have and that stand in neither source nor reference.

    A word of four letters or more counts that a list of words does not have, or as one of the rarest. The
    value is how many.
    """

    words: TargetWords
    name: ClassVar[str] = "unknown-words"
    about: ClassVar[str] = "words that are none in the target language"

    @classmethod
    def open(cls, shared: Shared) -> UnknownWords:
        """`UsageError` for a language without a list of words."""
        words = shared.part(target_words)
        if words is None:
            install = missing_pack("words", str(shared.pair.target))
            raise UsageError(
                f"Detector 'unknown-words' has no list of words for {shared.pair.target}. {install}".strip()
            )
        return cls(words)

    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """In the order of the answers."""
        suspicions = []
        for answer in answers:
            known = {
                word.removesuffix("'s")
                for text in (answer.source.text, *answer.references)
                for word in small_words(text)
            }
            words = [word for word in dict.fromkeys(small_words(answer.output.text)) if word not in known]
            strange = [word for word in words if self._is_strange(word)]
            if strange:
                why = f"no known word: {', '.join(strange)}"
                suspicions.append(Suspicion(answer.id, why, len(strange), {"unknown": strange}))
        return suspicions

    def _is_strange(self, word: str) -> bool:
        return word.isalpha() and len(word) >= _LETTERS and self.words.frequency(word) < _SEEN


_FIGURE = re.compile(r"\(\s*[\d.,:]+\s*\)")


class AddedFigures(PairDetector):
    """A figure in parentheses that is in neither source nor reference. The value is how many."""

    name: ClassVar[str] = "added-figures"
    about: ClassVar[str] = "a figure in parentheses that nobody wrote"

    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """In the order of the answers."""
        suspicions = []
        for answer in answers:
            known = " ".join((answer.source.text, *answer.references))
            figures = [f for f in _FIGURE.findall(answer.output.text) if f not in known]
            if figures:
                why = f"nobody wrote {', '.join(figures)}"
                suspicions.append(Suspicion(answer.id, why, len(figures), {"added": figures}))
        return suspicions


_TAG = re.compile(r"<[^<>\s][^<>]*>|\{[^{}]*\}|%[sd]\b|\$\{?\w+\}?(?<!\d)")


class Markup(PairDetector):
    """Tags and placeholders (`<b>`, `{name}`, `%s`) that are not the same in source and output.

    The value is how many.
    """

    name: ClassVar[str] = "markup"
    about: ClassVar[str] = "a tag or placeholder is lost, changed or new"

    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """In the order of the answers; an empty output is left to others."""
        suspicions = []
        for answer in answers:
            if not answer.output.text.strip():
                continue
            there = Counter(_TAG.findall(answer.source.text))
            here = Counter(_TAG.findall(answer.output.text))
            lost, new = sorted((there - here).elements()), sorted((here - there).elements())
            if lost or new:
                parts = [f"lost: {' '.join(lost)}"] * bool(lost) + [f"new: {' '.join(new)}"] * bool(new)
                evidence = {"lost": lost, "new": new}
                suspicions.append(Suspicion(answer.id, "; ".join(parts), len(lost) + len(new), evidence))
        return suspicions


_RUN = 3

# The tables know some ten thousand words, so a word that is not there proves little (*viral* is Portuguese,
# too). What a language's own words never look like proves more; only loans do, and these are few.
_ALIEN = {"pt": r"[kwy]|sh|th|ck|ph|ee|oo|([bcdfglmnptz])\1|[bcdfghjkpqtvxn]$|[bcdfgkptz]le$|[^aeiou]s$"}
_LOANS = {
    "pt": frozenset(
        (
            "backup", "bacon", "ballet", "banner", "blog", "boom", "bullying", "byte", "camping",
            "chat", "check", "chef", "chip", "coach", "cookie", "cool", "cowboy", "crash", "delivery",
            "design", "designer", "desktop", "doping", "download", "drink", "drive", "drone", "email",
            "feedback", "fitness", "flash", "freelancer", "funk", "game", "gospel", "hacker", "hall",
            "hardware", "hashtag", "hobby", "hotspot", "iceberg", "indoor", "internet", "jazz", "jeans",
            "joystick", "kart", "ketchup", "kiwi", "laptop", "layout", "leasing", "link", "lobby",
            "lockdown", "login", "marketing", "merchandising", "mouse", "network", "notebook",
            "offline", "offshore", "online", "outdoor", "outlet", "password", "performance", "piercing",
            "pixel", "pizza", "playback", "player", "playlist", "podcast", "premium", "punk", "ranking",
            "rappel", "reality", "reggae", "remake", "replay", "rock", "royalty", "rugby", "scanner",
            "script", "shopping", "shorts", "show", "skate", "slogan", "smartphone", "smoking",
            "software", "spin", "spoiler", "spray", "sprint", "staff", "stalker", "stand", "standard",
            "startup", "status", "stent", "streaming", "stress", "surf", "sushi", "swab", "tablet",
            "thriller", "ticket", "topless", "trailer", "upgrade", "upload", "webcam", "website",
            "whisky", "wifi", "workshop", "yoga",
        )
    )
}  # fmt: skip
# A word of the source that is rarer than this on the Zipf scale is hardly one of the target language.
_RARE = 2.25


@dataclass(frozen=True)
class Vocabularies:
    """What words each language has, as far as a translation table and a list of words know them."""

    lexicon: AlignmentLexicon | None
    reverse: bool = False
    target: str = ""
    words: TargetWords | None = None

    @classmethod
    def of(cls, pair: Pair) -> Vocabularies:
        """Those of a pair; without a table and a list nothing is known."""
        return cls(*lexicon_of(pair), str(pair.target).partition("-")[0], target_words(pair))

    def is_foreign(self, word: str) -> bool:
        """Whether the source language has the word and the target language does not.

        By a list, that is one it hardly has; by the table, one that it knows in the source language alone.
        """
        if self.words is not None and self.words.frequency(word) < _RARE:
            return True
        if self.lexicon is None:
            return False
        sides = (self.lexicon.sources, self.lexicon.targets)
        source, target = sides[::-1] if self.reverse else sides
        return word in source and word not in target and not self._may_be_target(word)

    def _may_be_target(self, word: str) -> bool:
        """Whether the target language may well have the word though the table has never seen it there."""
        if word in _LOANS.get(self.target, frozenset()):
            return True
        alien = _ALIEN.get(self.target)
        return alien is not None and re.search(alien, word) is None


@dataclass(frozen=True)
class Untranslated(PairDetector):
    """Words that stand in source and output alike, and are neither names nor loans.

    A word of four or more small letters that nobody tagged as a name counts where the output is written in
    another script, or where the target language does not have it; else three such words in a row. What a
    reference has, too, is right. The value is how many.
    """

    vocabularies: Vocabularies
    name: ClassVar[str] = "untranslated"
    about: ClassVar[str] = "words of the source language stand in the output"
    needs_source: ClassVar[frozenset[Layer]] = frozenset(("pos",))

    @classmethod
    def open(cls, shared: Shared) -> Untranslated:
        return cls(shared.part(Vocabularies.of))

    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """In the order of the answers."""
        suspicions = []
        for answer in answers:
            right = {word for text in answer.references for word in small_words(text)}
            if words := [word for word in self._copied(answer.source, answer.output) if word not in right]:
                why = f"untranslated: {', '.join(words)}"
                suspicions.append(Suspicion(answer.id, why, len(words), {"untranslated": words}))
        return suspicions

    def _copied(self, source: Annotation, output: Annotation) -> list[str]:
        words = {token.text for token in words_of(source) if token.pos not in ("PROPN", "NUM")}
        copied = [word.text for word in words_of(output) if word.text in words and _is_common(word.text)]
        if not copied:
            return []
        if script_of(output.text) != script_of(source.text):
            return list(dict.fromkeys(copied))
        foreign = [word for word in copied if self.vocabularies.is_foreign(word)]
        return list(dict.fromkeys([*foreign, *_runs(source, output)]))


@dataclass(frozen=True)
class UntranslatedVariant(RelationDetector):
    """The variant's output has the new word as it is; the original's does not have the old one.

    Only a word in small letters with three or more of them counts. Where both languages share a script, many
    words are the same in both; then only one that the table knows in the source language alone. The value
    is 1.
    """

    vocabularies: Vocabularies
    name: ClassVar[str] = "untranslated-variant"
    about: ClassVar[str] = "the variant's new word stands untranslated, the old one did not"

    @classmethod
    def open(cls, shared: Shared) -> UntranslatedVariant:
        return cls(shared.part(Vocabularies.of))

    def suspects(self, compared: Sequence[ComparedPair]) -> list[Suspicion]:
        """In the order given."""
        suspicions = []
        for pair in compared:
            before, after = pair.edit.before, pair.edit.after
            if self._is_copied(pair, before, after):
                why = f"{after!r} stands untranslated, while {before!r} was translated"
                suspicions.append(Suspicion(pair.variant.id, why, 1.0, {"before": before, "after": after}))
        return suspicions

    def _is_copied(self, pair: ComparedPair, before: str, after: str) -> bool:
        if len(after) < 3 or not (after.isalpha() and after.islower()):
            return False
        outputs = pair.original.output, pair.variant.output
        if not _has(outputs[1], after) or _has(outputs[0], after) or _has(outputs[0], before):
            return False
        return script_of(outputs[1].text) != script_of(after) or self.vocabularies.is_foreign(after)


def _is_common(word: str) -> bool:
    return len(word) >= _LETTERS and word.isalpha() and word.islower()


def _runs(source: Annotation, output: Annotation) -> list[str]:
    """Runs of words that both have, all in small letters and one of them long."""
    text = f" {' '.join(word.text for word in words_of(source))} "
    words = [word.text for word in words_of(output)]
    runs = []
    for start in range(len(words) - _RUN + 1):
        run = words[start : start + _RUN]
        is_plain = all(word.isalpha() and word.islower() for word in run)
        if is_plain and any(map(_is_common, run)) and f" {' '.join(run)} " in text:
            runs.append(" ".join(run))
    return runs


def _has(text: Annotation, word: str) -> bool:
    return any(token.text.casefold() == word.casefold() for token in words_of(text))
