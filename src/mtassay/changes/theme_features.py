"""Features that outputs may share: words on both sides and their translation, kinds of text.

A feature is a property of one output. Words are those of the first 2,000 characters of a text, in lower case;
in scripts without spaces a word is a character. Every expression is linear.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache, reduce
from itertools import chain, pairwise
from operator import or_
from statistics import median, quantiles
from typing import Literal, NamedTuple

import numpy as np

from mtassay.data.display import Span
from mtassay.data.nouns import Observation, Segment
from mtassay.measures.check import CheckContext
from mtassay.measures.check_run import choose_checks, id_of, run_checks, units_of
from mtassay.measures.polarity import Negations, all_negations

LONGEST = 2000
"""Number of characters of a text that are used."""
NEGATION_ADDED = "a negation in the output with no negation in the source"
SHORTER, LONGER = "an output much shorter than usual", "an output much longer than usual"
_LONGEST_WORD = 40
_LONGEST_NAME = 80
_FEWEST = 3  # a word that fewer outputs have is no feature
_SAMPLE = 4000  # outputs that show which words belong together
_REMEMBERED = 10_000  # texts of which more than one system is asked

FeatureKind = Literal[
    "contrast", "unexplained", "lost", "extra", "missing", "source", "output", "trait", "text"
]
"""The kinds of features, from the clearest to the least clear:

- `contrast`: a word of the output in the place of another word of the reference
- `unexplained`: a word of the output without any source word that usually goes with it
- `lost`: something that is missing in the output or should not be there (a number, a negation)
- `extra`: a word that is in no reference, or more often in the output than in the references
- `missing`: a word of the reference that is missing in the output, or less frequent there
- `source`, `output`: a word, or two neighbours, of that side
- `trait`: a known property of the segment: category, capability, document, tag
- `text`: what kind of text the source is: a question, long, with quotes
"""


class Feature(NamedTuple):
    """One feature: for `contrast`, `other` is the word of the reference; for `trait`, the kind of trait."""

    kind: FeatureKind
    name: str
    other: str = ""

    @property
    def is_pair(self) -> bool:
        """Whether it is about two neighbouring words."""
        return self.kind in ("source", "output") and " " in self.name


Units = np.ndarray[tuple[int], np.dtype[np.int64]]
_STRETCH = 50  # segments; closer ones may be of one document


class FeatureTable(NamedTuple):
    """Features with the numbers of the outputs that have them, and the usual sources of output words."""

    features: Sequence[Feature]
    units: Sequence[Units]
    glosses: dict[str, str]


_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]++(?:['’][^\W\d_{_UNSPACED}]++)?")


def words_in(text: str) -> list[tuple[str, Span]]:
    """The words of a text in lower case, each with its place; too long words are left out.

    >>> [word for word, _ in words_in("He didn't say: 你好, 4 GB!")]
    ['he', "didn't", 'say', '你', '好', '4', 'gb']
    """
    return [
        (match.group().lower().replace("’", "'"), match.span())
        for match in _WORD.finditer(text[:LONGEST])
        if match.end() - match.start() <= _LONGEST_WORD
    ]


@lru_cache(maxsize=_REMEMBERED)
def _words(text: str) -> tuple[str, ...]:
    """The words without their places, which is faster."""
    words = _WORD.findall(text[:LONGEST].lower().replace("’", "'"))
    return tuple(word for word in words if len(word) <= _LONGEST_WORD)


@lru_cache(maxsize=_REMEMBERED)
def _counted(text: str) -> Counter[str]:
    """Count each word of a text; do not change the result."""
    return Counter(_words(text))


def find_features(
    observations: Sequence[Observation], pair: tuple[str, str] | None = None, *, by_metric: bool = False
) -> FeatureTable:
    """Find all features of at least three observations; `pair` is their languages, if known.

    With `by_metric`, a metric decides what fails. Then a word that only the output or only the reference has
    is no cause, since it lowers the score by itself. A word of the source that occurs in only two stretches
    of text is their topic.
    """
    sources = [_words(o.source) for o in observations]
    outputs = [_words(o.output) for o in observations]
    together = _Together(sources, outputs)
    found: dict[Feature, list[int]] = {}
    for unit, feature in chain(
        _against(observations, outputs, by_metric=by_metric),
        _traits(observations),
        together.unexplained(sources, outputs),
        _negations(observations, pair),
        _lost(observations, pair),
        _kinds(observations, sources, outputs),
    ):
        found.setdefault(feature, []).append(unit)
    kept = {feature: np.array(units) for feature, units in found.items() if len(units) >= _FEWEST}
    words = _side("source", sources)
    if by_metric:
        words = {f: own for f, own in words.items() if (np.diff(own) > _STRETCH).sum() + 1 >= _FEWEST}
    else:
        words |= _side("output", outputs)
    kept = {**words, **kept}
    some = {feature: units for feature, units in kept.items() if len(units) < len(observations)}
    return FeatureTable(list(some), list(some.values()), together.glosses)


def _side(side: Literal["source", "output"], texts: Sequence[Sequence[str]]) -> dict[Feature, Units]:
    """Return words and pairs of neighbours on one side that are in enough texts."""
    numbers: dict[str, int] = {}
    ids = np.array([numbers.setdefault(word, len(numbers)) for words in texts for word in words], np.int64)
    units = np.repeat(np.arange(len(texts)), [len(words) for words in texts])
    short = [number for word, number in numbers.items() if word.endswith("n't")]
    is_short = np.isin(ids, short)
    extra = np.full(int(is_short.sum()), numbers.setdefault("n't", len(numbers)) if short else 0)
    names = list(numbers)
    words = _by_number(np.concatenate([ids, extra]), np.concatenate([units, units[is_short]]), len(texts))
    often = np.zeros(len(names), bool)
    often[list(words)] = True
    # A pair of neighbours is in no more texts than each of its words.
    at = np.flatnonzero((units[1:] == units[:-1]) & often[ids[1:]] & often[ids[:-1]])
    keys, places = np.unique(ids[at] * len(names) + ids[at + 1], return_inverse=True)
    neighbours = _by_number(places, units[at], len(texts))
    features = {Feature(side, names[number]): own for number, own in words.items()}
    for place, own in neighbours.items():
        one, two = divmod(int(keys[place]), len(names))
        features[Feature(side, f"{names[one]} {names[two]}")] = own
    return features


def _by_number(numbers: Units, units: Units, n: int) -> dict[int, Units]:
    """Return the units of each number that is in enough of the `n` units."""
    pairs = np.unique(numbers * n + units)
    owners, starts, counts = np.unique(pairs // n, return_index=True, return_counts=True)
    return {
        owner: pairs[start : start + count] % n
        for owner, start, count in zip(owners.tolist(), starts.tolist(), counts.tolist(), strict=True)
        if count >= _FEWEST
    }


def _traits(observations: Sequence[Observation]) -> Iterator[tuple[int, Feature]]:
    """The known traits of the segment."""
    for unit, observation in enumerate(observations):
        for kind, name in dict.fromkeys((kind, name[:_LONGEST_NAME]) for kind, name in observation.traits):
            yield unit, Feature("trait", name, kind)


class _Difference(NamedTuple):
    """Words of an output that exceed all references, and missing words of the nearest reference."""

    extra: Counter[str]
    missing: Counter[str]
    nearest: Sequence[str]


def _difference(output: str, references: Sequence[str]) -> _Difference:
    counts, others = _counted(output), [_counted(reference) for reference in references]
    nearest, most = 0, others[0]
    if len(others) > 1:
        nearest = max(range(len(others)), key=lambda n: (counts & others[n]).total())
        most = reduce(or_, others)
    return _Difference(counts - most, others[nearest] - counts, _words(references[nearest]))


def _against(
    observations: Sequence[Observation], outputs: Sequence[Sequence[str]], *, by_metric: bool
) -> Iterator[tuple[int, Feature]]:
    """Differences of outputs from their references: replaced words, and extra or missing words."""
    differences = {u: _difference(o.output, o.references) for u, o in enumerate(observations) if o.references}
    extras, missed = (
        {word for word, count in Counter(chain.from_iterable(side)).items() if count >= _FEWEST}
        for side in (
            [difference.extra for difference in differences.values()],
            [difference.missing for difference in differences.values()],
        )
    )
    for unit, (extra, missing, nearest) in differences.items():
        if not by_metric:
            for word in extra:
                if word in extras:
                    yield unit, Feature("extra", word)
            for word in missing:
                if word in missed:
                    yield unit, Feature("missing", word)
        wanted = extra.keys() & extras
        if not wanted or not missing:
            continue
        after: dict[str, set[str]] = {}
        before: dict[str, set[str]] = {}
        framed = ["", *nearest, ""]
        for at in range(1, len(framed) - 1):
            if framed[at] in missing:
                after.setdefault(framed[at - 1], set()).add(framed[at])
                before.setdefault(framed[at + 1], set()).add(framed[at])
        framed = ["", *outputs[unit], ""]
        contrasts: dict[Feature, None] = {}
        for at in range(1, len(framed) - 1):
            if framed[at] in wanted:
                left, right = after.get(framed[at - 1], set()), before.get(framed[at + 1], set())
                for word in sorted(((left & right) or (left | right)) & missed):
                    if not _is_short_form(framed[at], word) and not _is_short_form(word, framed[at]):
                        contrasts[Feature("contrast", framed[at], word)] = None
        for feature in contrasts:
            yield unit, feature


def _is_short_form(short: str, word: str) -> bool:
    """Whether one is a short form of the other, as "I'm" and "am"; "can't" and "can" differ."""
    head, mark, tail = short.partition("'")
    return bool(mark) and (word.endswith(tail) or (word == head and not short.endswith("n't")))


class _Together:
    """Pairs of words of both sides by their co-occurrence: P(output word | source word) ≥ 0.5."""

    def __init__(self, sources: Sequence[tuple[str, ...]], outputs: Sequence[Sequence[str]]) -> None:
        step = len(sources) // _SAMPLE + 1
        sides = [_said(words) for words in sources[::step]]
        others = [set(words) for words in outputs[::step]]
        self._sources = Counter(word for side in sides for word in side)
        self._outputs = Counter(word for side in others for word in side)
        n = max(len(sides), 1)
        # A word in a third of the texts occurs together with everything.
        sources_kept = {w for w, c in self._sources.items() if _FEWEST <= c <= n / 3}
        outputs_kept = {w for w, c in self._outputs.items() if 2 * _FEWEST <= c <= n / 2}
        kept = [side & sources_kept for side in sides]
        beside: dict[str, list[frozenset[str]]] = {word: [] for word in sorted(outputs_kept)}
        for mine, other in zip(kept, others, strict=True):
            for word in other & outputs_kept:
                beside[word].append(mine)
        explaining: dict[str, set[str]] = {}
        self.glosses: dict[str, str] = {}
        for word, several in beside.items():
            best = 0.15
            least = max(0.5, 3 * self._outputs[word] / n)
            counts = Counter(chain.from_iterable(several))
            often = [
                (source, c)
                for source, c in counts.items()
                if c >= max(_FEWEST, least * self._sources[source])
            ]
            explaining[word] = {source for source, _ in often}
            for source, count in sorted(often):
                dice = 2 * count / (self._sources[source] + self._outputs[word])
                if dice > best:
                    best, self.glosses[word] = dice, source
        # If these words explain few of its occurrences, it has other sources that are not known.
        explained = Counter(
            word
            for w, mine in zip(others, sides, strict=True)
            for word in w & self.glosses.keys()
            if explaining[word] & mine
        )
        self._explaining = {w: explaining[w] for w in self.glosses if 2 * explained[w] >= self._outputs[w]}

    def unexplained(
        self, sources: Sequence[tuple[str, ...]], outputs: Sequence[Sequence[str]]
    ) -> Iterator[tuple[int, Feature]]:
        """Yield output words that have usual source words, but none of them in this source."""
        for unit, (source, output) in enumerate(zip(sources, outputs, strict=True)):
            there = _said(source)
            for word in set(output) & self._explaining.keys():
                if there.isdisjoint(self._explaining[word]):
                    yield unit, Feature("unexplained", word)


@lru_cache(maxsize=_REMEMBERED)
def _said(words: tuple[str, ...]) -> frozenset[str]:
    """Return the words, with all short negations (don't, isn't) as the same word."""
    return frozenset("not" if word.endswith("n't") else word for word in words)


def _negations(
    observations: Sequence[Observation], pair: tuple[str, str] | None
) -> Iterator[tuple[int, Feature]]:
    """Negations on one side without a match on the other, in languages whose negations are known."""
    sides = [all_negations().get(language.partition("-")[0]) for language in pair or ()]
    if len(sides) != 2:
        return
    source_side, target_side = sides
    for unit, observation in enumerate(observations):
        source, output = observation.source[:LONGEST], observation.output[:LONGEST]
        denies = bool(source_side and _denies(source_side, source))
        if denies:
            yield unit, Feature("text", "a negation in the source")
        if source_side is None or target_side is None or not source.strip() or not output.strip():
            continue
        if denies and not target_side.may_deny(output):
            yield unit, Feature("lost", "a negation of the source is not in the output")
        elif not denies and target_side.plain_in(output) and not source_side.may_deny(source):
            yield unit, Feature("lost", NEGATION_ADDED)


@lru_cache(maxsize=_REMEMBERED)
def _denies(side: Negations, text: str) -> bool:
    return bool(side.plain_in(text))


@lru_cache(maxsize=1)
def _languages(*pair: str) -> CheckContext:
    """Return the languages, once for all systems, so that checks load language data only once."""
    return CheckContext(*pair)


_CHECKS = "empty,untranslated,wrong-language,numbers,urls,placeholders,tags"
_NUMBER_LOST = "a number of the source is not in the output"
_DIGITS = re.compile(r"\d++")


def _lost(observations: Sequence[Observation], pair: tuple[str, str] | None) -> Iterator[tuple[int, Feature]]:
    """Yield the findings of checks, and figures that are only in the output."""
    segments = [
        Segment(str(unit), o.source[:LONGEST] or None, tuple(r[:LONGEST] for r in o.references))
        for unit, o in enumerate(observations)
    ]
    texts = [o.output[:LONGEST] for o in observations]
    # The check allows small numbers in words; but if all other texts have figures, the output needs some.
    without = {
        unit
        for unit, segment in enumerate(segments)
        if all(_DIGITS.search(text or "") for text in (segment.source, *segment.references))
        and not _DIGITS.search(texts[unit])
    }
    context = _languages(*(pair or ()))
    checks = {check.id: check for check in choose_checks(_CHECKS, (), context).checks}
    units = {"": units_of(segments, texts)}
    for finding in run_checks(list(checks.values()), units, context, processes=1)[""]:
        if id_of(finding) != "numbers":
            yield int(finding.case_id), Feature("lost", checks[id_of(finding)].about)
        else:
            without.add(int(finding.case_id))
    for unit in sorted(without):
        yield unit, Feature("lost", _NUMBER_LOST)
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


@lru_cache(maxsize=_REMEMBERED)
def _kinds_of(source: str) -> tuple[str, ...]:
    return tuple(name for name, pattern in _TEXTS.items() if pattern.search(source))


def _kinds(
    observations: Sequence[Observation], sources: Sequence[Sequence[str]], outputs: Sequence[Sequence[str]]
) -> Iterator[tuple[int, Feature]]:
    """Return the kind of source text, the length of both sides, and repeated or untranslated parts."""
    lengths = [len(words) for words in sources]
    ratios = [len(o.output) / len(o.source) for o in observations if o.source]
    fifths = quantiles(lengths, n=5) if len(lengths) > 1 else [0, 0, 0, 0]
    usual = median(ratios) if ratios else 1.0
    for unit, observation in enumerate(observations):
        source = observation.source[:LONGEST]
        for name in _kinds_of(source):
            yield unit, Feature("text", name)
        if observation.source and lengths[unit] > fifths[3] > fifths[0]:
            yield unit, Feature("text", f"a long source (more than {fifths[3]:.0f} words)")
        if observation.source and lengths[unit] < fifths[0] < fifths[3]:
            yield unit, Feature("text", f"a short source (fewer than {fifths[0]:.0f} words)")
        if observation.source and observation.output and lengths[unit] > 3:
            ratio = len(observation.output) / len(observation.source)
            if ratio < 0.7 * usual:
                yield unit, Feature("lost", SHORTER)
            if ratio > 1.4 * usual:
                yield unit, Feature("lost", LONGER)
        if any(one == two and not one.isdigit() for one, two in pairwise(outputs[unit])):
            yield unit, Feature("lost", "a word that occurs twice in a row in the output")
