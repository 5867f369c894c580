"""Suspects words of the source language in an output, and new words of a variant that stand untranslated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.detectors.answers import AnnotatedAnswer, ComparedPair
from mtassay.detectors.base import PairDetector, RelationDetector, Shared, Suspicion
from mtassay.detectors.counterparts import lexicon_of
from mtassay.detectors.vocabulary import TargetWords, small_words, target_words
from mtassay.languages import Pair
from mtassay.texts.identification import script_of
from mtassay.tools.align.table import AlignmentLexicon
from mtassay.tools.annotate.annotation import Annotation, Layer
from mtassay.tools.annotate.words import words_of

__all__ = ["Untranslated", "UntranslatedVariant", "Vocabularies"]

_LETTERS = 4
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
    defaults: ClassVar[frozenset[str]] = frozenset({"en-pt"})
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
