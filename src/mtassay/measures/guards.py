"""Checks that stand beside every score: empty, copied, wrong-language outputs; lost numbers and markup.

A cascade: the test set's own words clear nearly every line in a few microseconds, and only what looks
foreign is handed to a language identifier, which must be sure.

Every pattern runs in time linear in the text: repetitions are possessive, bounded, or start only where
a word starts.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import Any, ClassVar, NamedTuple

from mtassay.data.errors import InputError
from mtassay.data.languages import name_of, parse_language
from mtassay.data.nouns import Finding, RunContext, Segment
from mtassay.nlp.identification import (
    Guess,
    LanguageVocabulary,
    can_identify,
    identify,
    is_unspaced,
    same_as,
    script_of,
    words_of,
)
from mtassay.nlp.numbers import Number, NumbersOf, is_converted, western

__all__ = ["KINDS", "Guards", "find_guard_hits"]


# Letters and digits of any script; the underscore alone says nothing.
_SAYS_SOMETHING = re.compile(r"[^\W_]")

_WHY = ("the output is empty", "the output is only punctuation")


class Blank:
    """Outputs without a letter, digit or symbol, where neither the source nor a reference is like that."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments

    def hits(self, outputs: Sequence[str], candidates: Iterable[int]) -> dict[int, dict[str, Any]]:
        """Evidence by segment index, for those that have not plainly words of the target language."""
        return {
            index: {"why": _WHY[how_much(outputs[index])], "output": outputs[index][:80]}
            for index in candidates
            if not _SAYS_SOMETHING.search(outputs[index]) and self._is_broken(index, outputs[index])
        }

    def _is_broken(self, index: int, output: str) -> bool:
        """True if the output says less than the source and every reference do."""
        source, references = self._segments[index].source, self._segments[index].references
        expected = [text for text in (source, *references) if text is not None]
        amount = how_much(output)
        return amount < 2 and (all(how_much(text) > amount for text in expected) if expected else amount == 0)


def how_much(text: str) -> int:
    """3 if there are letters or digits, 2 if symbols (emoji, currency), 1 if only punctuation, 0 if nothing.

    >>> [how_much(text) for text in ("", " \\u200b ", "...", "❤️", "No")]
    [0, 0, 1, 2, 3]
    """
    if _SAYS_SOMETHING.search(text):
        return 3
    categories = {unicodedata.category(char)[0] for char in text}
    return 2 if "S" in categories else 1 if "P" in categories else 0


_NOT_WORD = re.compile(r"[\W_]+")


class Copied:
    """Outputs equal to their source up to case, spaces and punctuation, that no reference justifies."""

    def __init__(self, segments: Sequence[Segment], vocabulary: LanguageVocabulary) -> None:
        self._segments = segments
        self._vocabulary = vocabulary

    def hits(self, outputs: Sequence[str], candidates: Iterable[int]) -> dict[int, dict[str, Any]]:
        """Evidence by segment index, for those that are not plainly in the target language."""
        return {
            index: {"why": "the output is the source, untranslated", "output": outputs[index][:80]}
            for index in candidates
            if self._is_copied(index, outputs[index])
        }

    def _is_copied(self, index: int, output: str) -> bool:
        source, references = self._segments[index].source, self._segments[index].references
        return (
            source is not None
            and _begin_alike(output, source)
            and fold(output) == fold(source)
            and is_translatable(source)
            and not any(reference is not None and _is_close(output, reference) for reference in references)
            and self._vocabulary.leaning(output) <= 0
        )


def fold(text: str) -> str:
    """The letters and digits of a text alone, in one case.

    >>> fold("„Straße 7“ - Ja!")
    'strasse7ja'
    """
    return _NOT_WORD.sub("", text).casefold()


def is_translatable(source: str) -> bool:
    """True if the text has several words that are neither names nor codes.

    >>> [is_translatable(text) for text in ("Max Mustermann, Berlin", "Wir haben heute geschlossen")]
    [False, True]
    """
    words = words_of(source)
    # A character of an unspaced script is a third of a word; a lower-case letter begins no name.
    common = sum(1 / 3 if is_unspaced(word) else 1 for word in words if not word[0].isupper())
    return len(words) >= 3 and (common >= 2 or source.isupper())


def _begin_alike(output: str, source: str) -> bool:
    """False where the beginnings already show that the two differ, which saves folding them."""
    one, two = fold(output[:16]), fold(source[:16])
    return one.startswith(two) or two.startswith(one)


def _is_close(output: str, reference: str) -> bool:
    """True if most words of the output stand in the reference too, as in a list of names."""
    words, vocabulary = words_of(output.lower()), set(words_of(reference.lower()))
    return fold(output) == fold(reference) or sum(word in vocabulary for word in words) > 0.6 * len(words)


BATCH = 4096
"""Segments that a worker looks at together."""

KINDS = (
    "empty",
    "copied",
    "wrong_language",
    "missing_numbers",
    "missing_urls",
    "missing_placeholders",
    "missing_tags",
)
"""What is looked for, in the order of the counts."""

Hits = dict[int, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Guards:
    """What the guards found, per system.

    `counts[system][kind]` is a number of segments, with every kind of `KINDS` present. `findings[system]`
    has one finding per segment and kind, in the order of the segments; its detector is `guard:KIND`.
    `unchecked[system]` is how many further segments looked foreign at first sight but were left out of
    the closer look, so `wrong_language` may be that much too low; a system that misses there has none.
    """

    counts: Mapping[str, Mapping[str, int]]
    findings: Mapping[str, Sequence[Finding]]
    unchecked: Mapping[str, int] = field(default_factory=dict)


def find_guard_hits(
    segments: Sequence[Segment],
    outputs: Mapping[str, Sequence[str]],
    *,
    pair: tuple[str, str] | None = None,
    context: RunContext | None = None,
) -> Guards:
    """Look for broken segments in each system's outputs; `outputs[system][i]` translates `segments[i]`.

    Where `context` has workers, they look at parts of a long test set.

    `pair` is (source language, target language) as ISO 639 codes, for example `("de", "en")`; without it
    the target language is what the references, or else most outputs, are written in. A check that needs
    the source leaves out segments whose source is `None`. Whatever a reference of the segment lacks, an
    output may lack too, so an output that equals a reference is never reported.

    >>> segments = [Segment("1", "Der Zug fährt um 16:47 Uhr ab.", ("The train leaves at 16:47.",))]
    >>> guards = find_guard_hits(segments, {"a": ["The train leaves at 16:57."]}, pair=("de", "en"))
    >>> guards.counts["a"]["missing_numbers"], guards.findings["a"][0].evidence["missing"]
    (1, ['47'])
    """
    for system, texts in outputs.items():
        if len(texts) != len(segments):
            raise InputError(f"system {system!r} has {len(texts)} outputs for {len(segments)} segments")
    learned = Learned.of(segments, outputs, pair=pair)
    check = partial(check_part, learned, pair)
    hits_by_system: dict[str, dict[str, Hits]] = {system: {kind: {} for kind in KINDS} for system in outputs}
    suspects: dict[str, list[int]] = {system: [] for system in outputs}
    batch = BATCH if context is not None and context.workers > 1 else len(segments) or 1
    starts = range(0, len(segments), batch)
    tasks = (
        (segments[i : i + batch], {system: texts[i : i + batch] for system, texts in outputs.items()})
        for i in starts
    )
    parts = map(check, tasks) if context is None or len(starts) == 1 else context.map(check, tasks)
    for start, part in zip(starts, parts, strict=True):
        for system, hits in part.hits.items():
            for kind, found in hits.items():
                hits_by_system[system][kind] |= {start + index: why for index, why in found.items()}
            suspects[system] += [start + index for index in part.suspects[system]]
    language = WrongLanguage(segments, outputs, learned, pair=pair)
    for system, foreign in language.hits(suspects).items():
        hits_by_system[system]["wrong_language"] = foreign
    return Guards(
        counts={system: {kind: len(hits[kind]) for kind in KINDS} for system, hits in hits_by_system.items()},
        findings={system: _findings(segments, system, hits) for system, hits in hits_by_system.items()},
        unchecked=language.unchecked,
    )


class CheckedPart(NamedTuple):
    """What some segments show of each system: evidence by kind and index, and lines that look foreign."""

    hits: dict[str, dict[str, Hits]]
    suspects: dict[str, list[int]]


def check_part(
    learned: Learned,
    pair: tuple[str, str] | None,
    task: tuple[Sequence[Segment], Mapping[str, Sequence[str]]],
) -> CheckedPart:
    """All checks on some segments and their outputs but the identification of languages."""
    segments, outputs = task
    is_monolingual = pair is not None and parse_language(pair[1]).code in same_as(
        parse_language(pair[0]).code
    )
    language = WrongLanguage(segments, outputs, learned, pair=pair)
    blank, copied, sources = Blank(segments), Copied(segments, learned.vocabulary), _Sources(segments)
    missing: dict[str, Numbers | Urls | Placeholders | Tags] = {
        "missing_numbers": Numbers(segments, pair=pair),
        "missing_urls": Urls(segments, sources),
        "missing_placeholders": Placeholders(segments, sources),
        "missing_tags": Tags(segments, sources),
    }
    part = CheckedPart({}, {})
    for system, texts in outputs.items():
        doubtful = language.doubtful(system)
        hits = {"empty": blank.hits(texts, doubtful), "copied": {}}
        if not is_monolingual:
            hits["copied"] = copied.hits(texts, doubtful)
        for kind, check in missing.items():
            # Nothing else is worth saying about a segment that is not there at all.
            hits[kind] = {i: why for i, why in check.hits(texts).items() if i not in hits["empty"]}
        part.hits[system] = hits
        rest = [i for i in doubtful if i not in hits["empty"] and i not in hits["copied"]]
        part.suspects[system] = language.suspects(system, rest)
    return part


def _findings(segments: Sequence[Segment], system: str, hits: Mapping[str, Hits]) -> list[Finding]:
    rows = sorted((index, KINDS.index(kind)) for kind in KINDS for index in hits[kind])
    return [
        Finding(
            case_id=segments[index].id,
            system=system,
            detector=f"guard:{KINDS[kind]}",
            verdict="fail",
            evidence=hits[KINDS[kind]][index],
        )
        for index, kind in rows
    ]


# Enough segments to know the words of a test set of any size.
_VOCABULARY_SEGMENTS = 20_000
# Distinct lines that are identified at most, all systems together; each takes 0.2 to 0.3 ms.
_MOST_IDENTIFIED = 2_000
# So many lines show the language of a whole file.
_FILE_LINES = 20


class Learned(NamedTuple):
    """What a test set shows of its languages: whose words are whose, and which systems write in others."""

    vocabulary: LanguageVocabulary
    strangers: frozenset[str]

    @classmethod
    def of(
        cls,
        segments: Sequence[Segment],
        outputs: Mapping[str, Sequence[str]],
        *,
        pair: tuple[str, str] | None,
    ) -> Learned:
        """From the references, or else from outputs: the words that those of several segments have."""
        step = len(segments) // _VOCABULARY_SEGMENTS + 1
        some = segments[::step]
        sources = [segment.source for segment in some if segment.source is not None]
        if any(reference is not None for segment in segments for reference in segment.references):
            given = ([text for text in segment.references if text is not None] for segment in some)
            return cls(LanguageVocabulary(sources, [texts[0] for texts in given if texts]), frozenset())
        strangers = _find_strangers(outputs, parse_language(pair[1]).code if pair else None)
        pool = [texts[::step] for system, texts in outputs.items() if system not in strangers]
        # Each word once per segment: ten systems that leave the same name untranslated are one witness.
        pooled = [" ".join(set(words_of("\n".join(texts)))) for texts in zip(*pool, strict=True)]
        return cls(LanguageVocabulary(sources, pooled, fewest=2), strangers)


def _find_strangers(outputs: Mapping[str, Sequence[str]], target: str | None) -> frozenset[str]:
    """Systems whose file as a whole is in another language; asked only where no reference shows it."""
    if target is None or not can_identify(target):
        return frozenset()
    files = {system: _sample(texts) for system, texts in outputs.items()}
    return frozenset(system for system, text in files.items() if _is_foreign(identify(text, target), target))


class WrongLanguage:
    """Lines that are surely in another language, where no reference of the segment is in that one too."""

    def __init__(
        self,
        segments: Sequence[Segment],
        outputs: Mapping[str, Sequence[str]],
        learned: Learned,
        *,
        pair: tuple[str, str] | None,
    ) -> None:
        self._segments = segments
        self._outputs = outputs
        self._vocabulary, self._strangers = learned
        self._expected = parse_language(pair[1]).code if pair else None
        self.unchecked: dict[str, int] = {}

    def doubtful(self, system: str) -> Sequence[int]:
        """The segments whose output is not plainly in the target language."""
        lines = self._outputs[system]
        return range(len(lines)) if system in self._strangers else self._vocabulary.doubtful(lines)

    def suspects(self, system: str, doubtful: Sequence[int]) -> list[int]:
        """Those of the doubtful lines that no words clear."""
        return [i for i in doubtful if system in self._strangers or not self._accepts(system, i)]

    def hits(self, suspects: Mapping[str, Sequence[int]]) -> dict[str, Hits]:
        """Evidence by system and segment index; the suspects are lines that no words have cleared."""
        lines = list(dict.fromkeys(self._outputs[s][i] for s, indices in suspects.items() for i in indices))
        if not lines:
            return {system: {} for system in suspects}
        target = self._target()
        n = min(len(lines), _MOST_IDENTIFIED)
        spread = [lines[k * len(lines) // n] for k in range(n)]
        guesses = {line: identify(line, target) for line in spread}
        hits_by_system: dict[str, Hits] = {system: {} for system in suspects}
        for system, indices in suspects.items():
            for index in indices:
                guess = guesses.get(self._outputs[system][index])
                if guess is None:
                    self.unchecked[system] = self.unchecked.get(system, 0) + 1
                elif why := self._why(guess, target, system, index):
                    hits_by_system[system][index] = {
                        "why": why,
                        "language": guess.code if guess.is_sure else None,
                        "expected": target,
                        "probability": round(guess.probability, 3),
                    }
        return hits_by_system

    def _why(self, guess: Guess, target: str, system: str, index: int) -> str | None:
        """Why the line is in the wrong language, or `None` if it may be right."""
        if not guess.excludes(target):
            return None
        if guess.is_sure:
            if self._has_reference_in(guess.code, index, target):
                return None
            return f"looks like {name_of(guess.code)}, not {name_of(target)}"
        script = script_of(self._outputs[system][index])
        expected = {script_of(reference) for reference in self._references(index)}
        if not expected or script in expected:
            return None
        return f"is written in {script.title()} script and not in {name_of(target)}"

    def _accepts(self, system: str, index: int) -> bool:
        """True if the words of the test set, or of what other systems made of the segment, clear the line."""
        line, source = self._outputs[system][index], self._segments[index].source
        references = self._references(index)
        if self._vocabulary.accepts(line, source, references):
            return True
        others = (texts[index] for name, texts in self._outputs.items() if name not in self._strangers)
        witnesses = [text for text in others if self._vocabulary.accepts(text, source, references)]
        return bool(witnesses) and self._vocabulary.accepts(line, source, [*references, *witnesses])

    def _target(self) -> str:
        """The target language as the identifier calls it."""
        if self._expected is not None and can_identify(self._expected):
            return self._expected
        references = [text for segment in self._segments for text in segment.references if text is not None]
        samples = [_sample(references)] if references else map(_sample, self._outputs.values())
        return Counter(identify(sample, "").code for sample in samples).most_common(1)[0][0]

    def _references(self, index: int) -> list[str]:
        return [text for text in self._segments[index].references if text is not None]

    def _has_reference_in(self, code: str, index: int, target: str) -> bool:
        return any(
            not self._vocabulary.accepts(reference, self._segments[index].source, ())
            and identify(reference, target).code in same_as(code)
            for reference in self._references(index)
        )


def _is_foreign(guess: Guess, target: str) -> bool:
    return guess.is_sure and guess.excludes(target)


def _sample(lines: Sequence[str]) -> str:
    """Beginnings of lines from all over the file."""
    return "\n".join(line[:200] for line in lines[:: len(lines) // _FILE_LINES + 1])


# Only ASCII, so that an address ends where unspaced Chinese or Japanese text goes on.
_URL = re.compile(r"(?<![A-Za-z0-9])(?i:https?://|ftp://|www\.)[A-Za-z0-9][!#-;=?-Z^_a-z~\[\]]*+")
_EMAIL = re.compile(r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]++@[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)++")
_PLACEHOLDER = re.compile(
    r"\$?\{\{?\s?(?:[A-Za-z_][\w.:-]{0,60}|[0-9]{1,3})\s?\}\}?"  # {name} {0} {{name}} ${NAME}
    r"|(?<![\w%])%(?:\(\w{1,60}\)|[0-9]{1,2}\$)?[-+#0]?[0-9]{0,3}(?:\.[0-9]{1,3})?(?:l?[dux]|[sif@])(?![\w%])"
    r"|#[A-Z][A-Z0-9_]{1,60}#"  # #NAME#, as in customer-service data
    r"|\[[A-Z][A-Z0-9_]{2,60}\]"  # [NAME]
)
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]{0,40})((?:\s[^<>]{0,400})?)/?>")
_TAG_ID = re.compile(r"""\b(?:id|rid|x)\s{0,3}=\s{0,3}["']?([^"'\s/>]{1,60})""")
# A segment with more kinds of items is no sentence; the bound keeps look-up linear.
_MOST_ITEMS = 200


class _Sources:
    """The sources of all segments as one text, to see at once which of them have something."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        texts = [segment.source or "" for segment in segments]
        self._text = "\n".join(texts)
        self._ends = list(accumulate(len(text) + 1 for text in texts))

    def with_any(self, marks: Iterable[str]) -> list[int]:
        """The segments whose source has one of the marks, in order; no mark has a line break."""
        indices: set[int] = set()
        for mark in marks:
            place = self._text.find(mark)
            while place >= 0:
                index = bisect_right(self._ends, place)
                indices.add(index)
                place = self._text.find(mark, self._ends[index])
        return sorted(indices)


class _Carried(ABC):
    """Items that each source, and each of its references, has; counted as often as they occur."""

    marks: ClassVar[tuple[str, ...]]
    """A source without any of these has no item, which is cheap to see."""
    noun: ClassVar[tuple[str, str]]

    def __init__(self, segments: Sequence[Segment], sources: _Sources | None = None) -> None:
        self._wanted: list[tuple[int, Counter[str]]] = []
        for index in (sources or _Sources(segments)).with_any(self.marks):
            items = Counter(self.items(segments[index].source or ""))
            wanted = Counter(dict(items.most_common(_MOST_ITEMS)))
            for reference in segments[index].references:
                if reference is not None and wanted:
                    wanted &= self._found(reference, wanted)
            if wanted:
                self._wanted.append((index, wanted))

    def hits(self, outputs: Sequence[str]) -> dict[int, dict[str, Any]]:
        """Evidence by segment index."""
        hits = {}
        for index, wanted in self._wanted:
            missing = wanted - self._found(outputs[index], wanted)
            if missing:
                items = sorted(missing.elements())
                noun = self.noun[len(items) > 1]
                hits[index] = {"why": f"{noun} missing: {', '.join(items)}", "missing": items}
        return hits

    @abstractmethod
    def items(self, text: str) -> list[str]:
        """All items of a text, each in one spelling."""

    def _found(self, text: str, wanted: Counter[str]) -> Counter[str]:
        """How often the text has the wanted items; nearly always it has them letter by letter."""
        if all(text.count(item) >= n for item, n in wanted.items()):
            return wanted
        return self.found(text, wanted)

    def found(self, text: str, wanted: Counter[str]) -> Counter[str]:
        """How often the text has the wanted items, in any spelling."""
        return Counter(self.items(text))


class Urls(_Carried):
    """URLs and e-mail addresses; one occurrence is enough."""

    marks = ("://", "www.", "WWW.", "@")
    noun = ("address", "addresses")

    def items(self, text: str) -> list[str]:
        """URLs and e-mail addresses without closing punctuation, in order.

        >>> Urls([]).items("Siehe https://a.example/b_(c)?x=1, (www.a.example) oder info@a.example.")
        ['https://a.example/b_(c)?x=1', 'www.a.example', 'info@a.example']
        """
        urls = [_without_end(match) for match in _URL.findall(text)]
        return list(dict.fromkeys([*urls, *_EMAIL.findall(text)]))

    def found(self, text: str, wanted: Counter[str]) -> Counter[str]:
        """An address is found wherever its letters stand; before `www.` it needs no `http://`."""
        folded = text.casefold()
        return Counter([item for item in wanted if _core(item) in folded])


class Placeholders(_Carried):
    """What a program fills in later: `{name}`, `%s`, `%(name)s`, `${NAME}`, `#NAME#`, `[NAME]`."""

    marks = ("{", "%", "#", "[")
    noun = ("placeholder", "placeholders")

    def items(self, text: str) -> list[str]:
        """Placeholders in order.

        >>> Placeholders([]).items("{0} of {{ total }}: %s, %1$d and %(name)s in ${HOME}, 100%ig, [NAME]")
        ['{0}', '{{total}}', '%s', '%1$d', '%(name)s', '${HOME}', '[NAME]']
        """
        if "://" in text or "www." in text.lower():
            text = _URL.sub(" ", text)
        return [re.sub(r"\s", "", match) for match in _PLACEHOLDER.findall(text)]


class Tags(_Carried):
    """XML and HTML tags; name, direction and id count, other attributes may be translated."""

    marks = ("<",)
    noun = ("tag", "tags")

    def items(self, text: str) -> list[str]:
        """Tags in order; `<br>` and `<br/>` are the same.

        >>> Tags([]).items('<p class="x">a <G id="1">b</G> <br /> 3 <4> x</p>')
        ['<p>', '<g id=1>', '</g>', '<br>', '</p>']
        """
        items = []
        for closing, name, attributes in _TAG.findall(text):
            identity = _TAG_ID.search(attributes) if attributes else None
            shown = f" id={identity[1]}" if identity else ""
            items.append(f"<{closing}{name.lower()}{shown}>")
        return items


def _core(url: str) -> str:
    url = url.casefold().rstrip("/")
    return re.sub(r"^https?://(?=www\.)", "", url)


def _without_end(url: str) -> str:
    """Leave out what closes the sentence, or a bracket that opened before the address."""
    return url.rstrip(".,;:!?'*_~" if "(" in url or "[" in url else ".,;:!?'*_~)]")


_DIGITS = re.compile(r"\d\d*+")
# People and systems spell these out, in words that differ by language.
_SPELLED_OUT = frozenset(map(str, [*range(21), *range(30, 101, 10), 24, 1000]))
# A segment with more is a table; the bound keeps look-up linear.
_MOST_NUMBERS = 200


class _Wanted(NamedTuple):
    numbers: list[Number]
    runs: frozenset[str]


class Numbers:
    """Numbers that the source and every reference have and the output lacks.

    A number that is usually spelled out counts only if the output has another one in its place, and
    where there is no reference a single digit does not count at all.
    """

    def __init__(self, segments: Sequence[Segment], *, pair: tuple[str, str] | None = None) -> None:
        self._segments = segments
        # What is read once of a text serves for all systems, which often agree.
        self._of_source = _NumbersOfTexts(pair[0] if pair else None).__getitem__
        self._of_target = _NumbersOfTexts(pair[1] if pair else None).__getitem__
        self._read: dict[int, _Wanted] = {}
        # All runs of digits of each source that has some: an output that has them all lacks no number.
        self._runs: list[tuple[int, set[str]]] = []
        for index, segment in enumerate(segments):
            if segment.source and _DIGITS.search(segment.source):
                self._runs.append((index, set(map(western, _DIGITS.findall(segment.source)))))

    def hits(self, outputs: Sequence[str]) -> dict[int, dict[str, Any]]:
        """Evidence by segment index; `instead` lists the output's numbers that nobody else has."""
        hits = {}
        for index, runs in self._runs:
            output = outputs[index]
            # Nearly always the same digits stand in the output, which is cheap to see.
            if _has_all(runs, output):
                continue
            numbers, runs_of_numbers = self._wanted(index)
            if _has_all(runs_of_numbers, output):
                continue
            source = self._of_source(self._segments[index].source or "")
            output_numbers = self._of_target(output)
            missing = [n for n in numbers if not output_numbers.has(n, source=source, words=False)]
            if not missing:
                continue
            instead = self._new_numbers(index, output_numbers)
            if not instead:
                missing = [number for number in missing if number.digits not in _SPELLED_OUT]
            # To read number words takes longest, so what they cannot change comes first.
            missing = [
                number
                for number in missing
                if not output_numbers.has(number, source=source)
                and not any(is_converted(number, other) for other in instead)
            ]
            if missing:
                shown = [number.shown for number in missing]
                noun = "numbers" if len(shown) > 1 else "number"
                hits[index] = {
                    "why": f"{noun} missing: {', '.join(shown)}",
                    "missing": shown,
                    "instead": [number.shown for number in instead],
                }
        return hits

    def _wanted(self, index: int) -> _Wanted:
        """The numbers that an output should have."""
        if index not in self._read:
            text, references = self._segments[index].source or "", self._segments[index].references
            source = self._of_source(text)
            numbers = list(dict.fromkeys(source.numbers))[:_MOST_NUMBERS]
            given = [reference for reference in references if reference is not None]
            if not given:
                numbers = [number for number in numbers if len(number.digits) > 1]
            for reference in given:
                if not _has_all(_runs(numbers), reference):
                    reference_numbers = self._of_target(reference)
                    # Where the reference has it in words, an output may have it in any.
                    numbers = [n for n in numbers if reference_numbers.has(n, source=source, words=False)]
            self._read[index] = _Wanted(numbers, _runs(numbers))
        return self._read[index]

    def _new_numbers(self, index: int, output: NumbersOf) -> list[Number]:
        """Numbers of the output that neither the source nor a reference has."""
        segment = self._segments[index]
        inputs = [self._of_source(segment.source)] if segment.source is not None else []
        inputs += [self._of_target(text) for text in segment.references if text is not None]
        numbers = dict.fromkeys(output.numbers[:_MOST_NUMBERS])
        return [number for number in numbers if not any(text.has(number) for text in inputs)]


class _NumbersOfTexts(dict[str, NumbersOf]):
    """The numbers of each text in one language, read when somebody asks for them."""

    def __init__(self, language: str | None) -> None:
        self._language = language

    def __missing__(self, text: str) -> NumbersOf:
        self[text] = numbers = NumbersOf(text, language=self._language)
        return numbers


def _runs(numbers: Sequence[Number]) -> frozenset[str]:
    return frozenset(run for number in numbers for run in _DIGITS.findall(number.shown))


def _has_all(runs: Iterable[str], text: str) -> bool:
    """True if each run of digits stands in the text by itself; False may mean that it is hard to see."""
    for run in runs:
        start = text.find(run)
        end = start + len(run)
        if start < 0 or text[end : end + 1].isdecimal() or (start and text[start - 1].isdecimal()):
            return False
    return True
