"""What an output may have in common with others: words on both sides, what became of them, kinds of text.

A feature is something that can be said of one output. Words are those of the first 2,000 characters of a
text, in small letters; in scripts without spaces a word is a character. Every expression is linear.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median, quantiles
from typing import Literal, NamedTuple

import numpy as np

from mtassay.core import Observation, Segment
from mtassay.detectors.polarity import NEGATIONS
from mtassay.display import Span
from mtassay.metrics.guards import find_guard_hits

__all__ = ["Feature", "FeatureKind", "FeatureTable", "find_features", "words_in"]

LONGEST = 2000
"""Characters of a text that are looked at."""
NEGATION_ADDED = "a negation in the output with no negation in the source"
_LONGEST_WORD = 40
_LONGEST_NAME = 80
_FEWEST = 3  # a word that fewer outputs have is no feature
_SAMPLE = 4000  # outputs that show which words belong together

FeatureKind = Literal[
    "contrast", "unexplained", "lost", "extra", "missing", "source", "output", "trait", "text"
]
"""What a feature is of, the most telling first:

- `contrast`: a word of the output stands where the reference has another one
- `unexplained`: a word of the output, and none of the source words that usually go with it
- `lost`: something that the output should have and has not (a number, a negation), or has and should not
- `extra`: a word of the output that no reference has (so often)
- `missing`: a word of the reference that the output does not have (so often)
- `source`, `output`: a word, or two neighbours, of that side
- `trait`: what is known of the segment: category, capability, document, tags
- `text`: what kind of text the source is: a question, long, with quotes
"""


class Feature(NamedTuple):
    """One feature: of `contrast`, `other` is the word of the reference; of `trait`, the kind of trait."""

    kind: FeatureKind
    name: str
    other: str = ""

    @property
    def is_pair(self) -> bool:
        """Whether it is of two neighbours."""
        return self.kind in ("source", "output") and " " in self.name


class FeatureTable(NamedTuple):
    """Features with the outputs that have each, by number, and what words of the output usually translate."""

    features: Sequence[Feature]
    units: Sequence[np.ndarray[tuple[int], np.dtype[np.int64]]]
    glosses: dict[str, str]


_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]++(?:['’][^\W\d_{_UNSPACED}]++)?")


def words_in(text: str) -> list[tuple[str, Span]]:
    """The words of a text in small letters, each with its place; what is too long for a word is none.

    >>> [word for word, _ in words_in("He didn't say: 你好, 4 GB!")]
    ['he', "didn't", 'say', '你', '好', '4', 'gb']
    """
    return [
        (match.group().lower().replace("’", "'"), match.span())
        for match in _WORD.finditer(text[:LONGEST])
        if match.end() - match.start() <= _LONGEST_WORD
    ]


def _words(text: str) -> list[str]:
    """The same without their places, which is faster."""
    words = _WORD.findall(text[:LONGEST].lower().replace("’", "'"))
    return [word for word in words if len(word) <= _LONGEST_WORD]


def find_features(observations: Sequence[Observation], pair: tuple[str, str] | None = None) -> FeatureTable:
    """All features that at least three of the observations have; `pair` is their languages, if known."""
    numbers: dict[Feature | tuple[str, ...], list[int]] = {}
    sources = [_words(o.source) for o in observations]
    outputs = [_words(o.output) for o in observations]
    for unit, observation in enumerate(observations):
        mine: set[tuple[str, ...]] = set()
        mine.update(_side("source", sources[unit]))
        mine.update(_side("output", outputs[unit]))
        if observation.references:
            mine.update(_against(outputs[unit], observation.references))
        mine.update(("trait", name[:_LONGEST_NAME], kind) for kind, name in observation.traits)
        for feature in mine:
            numbers.setdefault(feature, []).append(unit)
    together = _Together(sources, outputs)
    more: list[Iterable[tuple[int, Feature]]] = [
        together.unexplained(sources, outputs),
        _negations(observations, pair),
        _lost(observations, pair),
        _kinds(observations, sources, outputs),
    ]
    for found in more:
        for unit, feature in found:
            numbers.setdefault(feature, []).append(unit)
    kept = {key: units for key, units in numbers.items() if _FEWEST <= len(units) < len(observations)}
    features = [Feature(*key) for key in kept]  # type: ignore[arg-type]
    return FeatureTable(features, [np.array(units) for units in kept.values()], together.glosses)


def _side(side: str, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The words of one side, and its neighbours."""
    for word in words:
        yield side, word, ""
        if word.endswith("n't"):
            yield side, "n't", ""
    for one, two in pairwise(words):
        yield side, f"{one} {two}", ""


def _against(output: Sequence[str], references: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Where the output differs from its references: words that are extra or missing, and which for which."""
    counts = Counter(output)
    split = [_words(reference) for reference in references]
    all_counts = [Counter(words) for words in split]
    nearest = max(range(len(split)), key=lambda n: (counts & all_counts[n]).total())
    most: Counter[str] = Counter()
    for other in all_counts:
        most |= other
    extra = counts - most
    missing = all_counts[nearest] - counts
    for word in extra:
        yield "extra", word, ""
    for word in missing:
        yield "missing", word, ""
    if not extra or not missing:
        return
    after: dict[str, set[str]] = {}
    before: dict[str, set[str]] = {}
    framed = ["", *split[nearest], ""]
    for at in range(1, len(framed) - 1):
        if framed[at] in missing:
            after.setdefault(framed[at - 1], set()).add(framed[at])
            before.setdefault(framed[at + 1], set()).add(framed[at])
    framed = ["", *output, ""]
    for at in range(1, len(framed) - 1):
        if framed[at] in extra:
            left, right = after.get(framed[at - 1], set()), before.get(framed[at + 1], set())
            for word in (left & right) or (left | right):
                yield "contrast", framed[at], word


class _Together:
    """Which words of both sides go together, by how often they do: P(output word | source word) ≥ 0.5."""

    def __init__(self, sources: Sequence[Sequence[str]], outputs: Sequence[Sequence[str]]) -> None:
        step = len(sources) // _SAMPLE + 1
        pairs: Counter[tuple[str, str]] = Counter()
        sides = [set(_negating(words)) for words in sources[::step]]
        others = [set(words) for words in outputs[::step]]
        self._sources = Counter(word for side in sides for word in side)
        self._outputs = Counter(word for side in others for word in side)
        n = max(len(sides), 1)
        # Who is in every third text goes with everything.
        sources_kept = {w for w, c in self._sources.items() if _FEWEST <= c <= n / 3}
        outputs_kept = {w for w, c in self._outputs.items() if 2 * _FEWEST <= c <= n / 2}
        for side, other in zip(sides, others, strict=True):
            mine = side & sources_kept
            for word in other & outputs_kept:
                pairs.update([(word, source) for source in mine])
        self.explaining: dict[str, set[str]] = {}
        best: dict[str, float] = {}
        self.glosses: dict[str, str] = {}
        for (word, source), count in pairs.items():
            share = count / self._sources[source]
            if count >= _FEWEST and share >= 0.5 and share >= 3 * self._outputs[word] / n:
                self.explaining.setdefault(word, set()).add(source)
                dice = 2 * count / (self._sources[source] + self._outputs[word])
                if dice > best.get(word, 0.15):
                    best[word], self.glosses[word] = dice, source

    def unexplained(
        self, sources: Sequence[Sequence[str]], outputs: Sequence[Sequence[str]]
    ) -> Iterator[tuple[int, Feature]]:
        """Words of the output without any of the source words that go with them, for words that have some."""
        for unit, (source, output) in enumerate(zip(sources, outputs, strict=True)):
            there = set(_negating(source))
            for word in set(output) & self.glosses.keys():
                if not self.explaining[word] & there:
                    yield unit, Feature("unexplained", word)


def _negating(words: Sequence[str]) -> Iterator[str]:
    """The words, all short negations (don't, isn't) as one."""
    for word in words:
        yield "not" if word.endswith("n't") else word


def _negations(
    observations: Sequence[Observation], pair: tuple[str, str] | None
) -> Iterator[tuple[int, Feature]]:
    """Negations on one side that nothing on the other stands for, in languages whose negations are known."""
    sides = [NEGATIONS.get(language.partition("-")[0]) for language in pair or ()]
    if len(sides) != 2:
        return
    source_side, target_side = sides
    for unit, observation in enumerate(observations):
        source, output = observation.source[:LONGEST], observation.output[:LONGEST]
        denies = bool(source_side and source_side.plain_in(source))
        if denies:
            yield unit, Feature("text", "a negation in the source")
        if source_side is None or target_side is None or not source.strip() or not output.strip():
            continue
        if denies and not target_side.may_deny(output):
            yield unit, Feature("lost", "a negation of the source is not in the output")
        elif not denies and target_side.plain_in(output) and not source_side.may_deny(source):
            yield unit, Feature("lost", NEGATION_ADDED)


_GUARDS = {
    "empty": "the output is empty",
    "copied": "the output is the source, untranslated",
    "wrong_language": "the output is in another language",
    "missing_numbers": "a number of the source is not in the output",
    "missing_urls": "an address of the source is not in the output",
    "missing_placeholders": "a placeholder of the source is not in the output",
    "missing_tags": "a tag of the source is not in the output",
}
_DIGITS = re.compile(r"\d++")


def _lost(observations: Sequence[Observation], pair: tuple[str, str] | None) -> Iterator[tuple[int, Feature]]:
    """What the guards see, and figures that only the output has."""
    segments = [
        Segment(str(unit), o.source[:LONGEST] or None, tuple(r[:LONGEST] for r in o.references))
        for unit, o in enumerate(observations)
    ]
    texts = [o.output[:LONGEST] for o in observations]
    # The guard lets small numbers be spelled out; without any figure that a reference has too, all are lost.
    without = {
        unit
        for unit, segment in enumerate(segments)
        if all(_DIGITS.search(text or "") for text in (segment.source, *segment.references))
        and not _DIGITS.search(texts[unit])
    }
    for finding in find_guard_hits(segments, {"": texts}, pair=pair).findings[""]:
        kind = finding.detector.removeprefix("guard:")
        if kind != "missing_numbers":
            yield int(finding.case_id), Feature("lost", _GUARDS.get(kind, kind.replace("_", " ")))
        else:
            without.add(int(finding.case_id))
    for unit in sorted(without):
        yield unit, Feature("lost", _GUARDS["missing_numbers"])
    for unit, segment in enumerate(segments):
        known = "".join((segment.source or "", *(r or "" for r in segment.references)))
        if segment.source and any(figure not in known for figure in _DIGITS.findall(texts[unit])):
            yield unit, Feature("lost", "a figure in the output that the source does not have")


_TEXTS = {
    "a question in the source": re.compile(r"[?？؟]"),
    "a number in the source": re.compile(r"\d"),
    "quotes in the source": re.compile('["“”„«»「」『』]'),
    "brackets in the source": re.compile(r"[()\[\]（）]"),
    "an exclamation in the source": re.compile("[!！]"),
    "a colon or semicolon in the source": re.compile("[:;：；]"),
    "a word in capitals in the source": re.compile(r"\b[A-ZÀ-Þ]{2,40}\b"),
    "an address or link in the source": re.compile(r"https?://|www\.|\w@\w"),
    "markup in the source": re.compile(r"</?\w|\{\w{0,40}\}|%[sd]\b"),
    "a passive in the source": re.compile(
        r"\b(?:was|were|is|are|been|being|be)(?: \w{1,12}ly)? (?:\w{2,20}ed|made|done|taken|given|seen|held"
        r"|found|built|written|sold|sent|kept|told|known|shown|chosen|broken|brought|caught|paid)\b",
        re.IGNORECASE,
    ),
    "a condition in the source": re.compile(r"\b(?:if|unless|wenn|falls)\b", re.IGNORECASE),
    "a relative clause in the source": re.compile(r"\b(?:which|who|whom|whose)\b", re.IGNORECASE),
    "a comparison in the source": re.compile(r"\b(?:than|as \w{1,20} as)\b", re.IGNORECASE),
    "a name in the source": re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2}"),
}


def _kinds(
    observations: Sequence[Observation], sources: Sequence[Sequence[str]], outputs: Sequence[Sequence[str]]
) -> Iterator[tuple[int, Feature]]:
    """What kind of text the source is, how long both sides are, and what is repeated or left as it was."""
    lengths = [len(words) for words in sources]
    ratios = [len(o.output) / len(o.source) for o in observations if o.source]
    fifths = quantiles(lengths, n=5) if len(lengths) > 1 else [0, 0, 0, 0]
    usual = median(ratios) if ratios else 1.0
    for unit, observation in enumerate(observations):
        source = observation.source[:LONGEST]
        for name, pattern in _TEXTS.items():
            if pattern.search(source):
                yield unit, Feature("text", name)
        if observation.source and lengths[unit] > fifths[3] > fifths[0]:
            yield unit, Feature("text", f"a long source (more than {fifths[3]:.0f} words)")
        if observation.source and lengths[unit] < fifths[0] < fifths[3]:
            yield unit, Feature("text", f"a short source (fewer than {fifths[0]:.0f} words)")
        if observation.source and observation.output and lengths[unit] > 3:
            ratio = len(observation.output) / len(observation.source)
            if ratio < 0.7 * usual:
                yield unit, Feature("lost", "an output much shorter than usual")
            if ratio > 1.4 * usual:
                yield unit, Feature("lost", "an output much longer than usual")
        if any(one == two and not one.isdigit() for one, two in pairwise(outputs[unit])):
            yield unit, Feature("lost", "a word that stands twice in a row in the output")
