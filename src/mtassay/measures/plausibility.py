"""Reports suspicious inputs of a score with a fix, and doubts about references with evidence.

Samples of lines show nearly all problems, and only suspicious files are read completely. A good test set
takes a few milliseconds for each system.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.data.languages import name_of, parse_language
from mtassay.data.nouns import Segment
from mtassay.measures.chrf import ChrF
from mtassay.measures.given_scores import Scores, are_of_people
from mtassay.measures.metric import Metric
from mtassay.measures.tokenizers import reference_streams
from mtassay.nlp.identification import (
    Tokenization,
    foreign_language,
    language_of_script,
    same_as,
    tokenization_of,
)

# Fewer lines can be aligned or equal by chance.
_FEWEST_LINES = 10
_FEWEST_EQUAL = 20
_NEARLY_ALL = 0.9
_MOST_PAIRS = 4


class _Side(NamedTuple):
    """The texts of one file (`None` is missing), with its display name."""

    name: str
    texts: Sequence[str | None]


class _Inputs(NamedTuple):
    """The texts of a test; source and references may be missing."""

    segments: Sequence[Segment]
    source: list[_Side]
    references: list[_Side]
    outputs: list[_Side]

    @property
    def all(self) -> list[_Side]:
        return [*self.source, *self.references, *self.outputs]


def notes_on_inputs(
    segments: Sequence[Segment],
    outputs: Mapping[str, Sequence[str]],
    *,
    pair: tuple[str, str] | None,
    metrics: Mapping[str, Metric],
) -> list[str]:
    """Return notes on inputs that make a score less trustworthy; usually empty.

    `outputs[system][i]` translates `segments[i]`; `metrics` has the metrics by specification.

    >>> segments = [Segment(str(i), None, (f"Das ist Satz {i} , und er ist gut .",)) for i in range(9)]
    >>> notes_on_inputs(segments, {}, pair=("en", "de"), metrics={})[0].partition(":")[0]
    'the reference has spaces before commas and full stops (9 of 9 lines)'
    """
    streams = reference_streams(segments)
    names = ["the reference"] if len(streams) == 1 else [f"reference {i + 1}" for i in range(len(streams))]
    has_source = any(segment.source is not None for segment in segments)
    inputs = _Inputs(
        segments,
        [_Side("the source", [segment.source for segment in segments])] if has_source else [],
        [_Side(name, texts) for name, texts in zip(names, streams, strict=True)],
        [_Side(name, texts) for name, texts in outputs.items()],
    )
    return [
        *_tables(inputs),
        *(_other_languages(inputs, pair) if pair else ()),
        *_unfit_metrics(inputs, metrics),
        *_tokenised(inputs),
        *_shifted(inputs, metrics),
        *_equal(inputs),
        *_blanks(inputs),
    ]


def _joined(names: Sequence[str], every: Sequence[_Side]) -> str:
    """List names; if there are more than two and as many as `every`, give only their number."""
    if len(names) > 2 and len(names) == len(every):
        return f"all {len(names)} outputs"
    shown = list(names[:3]) + ([f"{len(names) - 3} more"] if len(names) > 3 else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _tables(inputs: _Inputs) -> Iterator[str]:
    """Note lines with several columns that were read as one text."""
    for side in inputs.all:
        if not any("\t" in text for text in islice(filter(None, side.texts), 2 * _FEWEST_LINES)):
            continue
        texts = [text for text in side.texts if text]
        tabs = [text.strip().count("\t") for text in texts]
        columns = max(set(tabs), key=tabs.count) + 1
        if columns > 1 and tabs.count(columns - 1) >= _NEARLY_ALL * len(texts):
            first = "output:A<TAB>output:B" if side in inputs.outputs else "source<TAB>reference"
            yield (
                f"{side.name} has {columns} columns with tabs between them, scored as one text: give a file "
                f"with one of them, or call it .tsv, with a first line such as {first}"
                + (" and -t A=FILE -t B=FILE" if side in inputs.outputs else "")
            )


def _other_languages(inputs: _Inputs, pair: tuple[str, str]) -> Iterator[str]:
    """Note files in another language than the pair's."""
    source, target = (parse_language(code).code for code in pair)
    of_source = next((foreign_language(side.texts, source) for side in inputs.source), "")
    found: dict[str, list[_Side]] = {}
    for side in (*inputs.references, *inputs.outputs):
        if code := foreign_language(side.texts, target):
            found.setdefault(code, []).append(side)
    for code, sides in found.items():
        what = f"{name_of(code)}, not {name_of(target)}"
        names = [side.name for side in sides if side in inputs.references]
        wrong_outputs = [side.name for side in sides if side in inputs.outputs]
        if wrong_outputs:
            names.append(_joined(wrong_outputs, inputs.outputs))
        subject = " and ".join(names)
        verb = "reads" if len(sides) == 1 else "read"
        if names[0] == subject and wrong_outputs:
            is_copy = code in same_as(source)
            fix = "was it not translated?" if is_copy else f"is it the right file, and -l {source}-{target}?"
        elif code in same_as(source) and of_source in same_as(target):
            fix = f"the source reads as {name_of(of_source)}: is it -l {of_source}-{code}?"
            of_source = ""
        else:
            fix = f"is it -l {source}-{code}, or the wrong file?"
        yield f"{subject} {verb} as {what}: {fix}"
    if of_source:
        is_target = of_source in same_as(target)
        fix = "is it the right file?" if is_target else f"is it -l {of_source}-{target}, or the wrong file?"
        yield f"the source reads as {name_of(of_source)}, not {name_of(source)}: {fix}"


def _unfit_metrics(inputs: _Inputs, metrics: Mapping[str, Metric]) -> Iterator[str]:
    """Note metrics that cannot split the words of a language."""
    for side in (inputs.references or inputs.outputs)[:1]:
        language = language_of_script(
            "\n".join(text[:200] for text in side.texts[:: len(side.texts) // 40 + 1] if text)
        )
        if language:
            yield from filter(None, (metric.caution(language) for metric in metrics.values()))


def _tokenised(inputs: _Inputs) -> Iterator[str]:
    """Note files that are split into words or pieces; outputs with the same sign share a note."""
    total = len(inputs.segments)
    alike: dict[str, list[tuple[str, Tokenization]]] = {}
    for side in inputs.all:
        if sign := tokenization_of(side.texts):
            if side in inputs.outputs:
                alike.setdefault(sign.what, []).append((side.name, sign))
            else:
                yield sign.told_of(side.name, total)
    for found in alike.values():
        most = max((sign for _, sign in found), key=lambda sign: sign.lines)
        others = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        yield most.told_of(f"{found[0][0]}{others}", total)


def _equal(inputs: _Inputs) -> Iterator[str]:
    """Note pairs of files that are equal in nearly all lines that both have."""
    lines = [_hashes(side.texts) for side in inputs.all]
    alike = []
    for (one, a), (two, b) in combinations(zip(inputs.all, lines, strict=True), 2):
        has_both = (a != 0) & (b != 0)
        same, total = int(np.count_nonzero((a == b) & has_both)), int(np.count_nonzero(has_both))
        if total >= _FEWEST_EQUAL and same >= _NEARLY_ALL * total:
            alike.append((one, two, f"{same:,} of {total:,} lines"))
    for one, two, n in alike[:_MOST_PAIRS]:
        if one in inputs.outputs:
            yield f"{one.name} and {two.name} are the same in {n}: if they are two systems, check the files"
        elif two in inputs.outputs:
            yield f"{two.name} is {one.name} itself in {n}: is it the right file?"
        else:
            yield f"{one.name} and {two.name} are the same in {n}: give each file once"
    if len(alike) > _MOST_PAIRS:
        yield f"so are {len(alike) - _MOST_PAIRS:,} more pairs of files"


def _hashes(texts: Sequence[str | None]) -> NDArray[np.int64]:
    """Hash each line without surrounding spaces; 0 for an empty line."""
    stripped = [text.strip() if text else "" for text in texts]
    return np.fromiter(map(hash, stripped), np.int64, len(stripped))  # the hash of "" is 0


def _blanks(inputs: _Inputs) -> Iterator[str]:
    """Note lines that end in spaces, and files that end in blank lines."""
    found = {
        side.name: sum(map(str.isspace, [text[-1] for text in side.texts if text])) for side in inputs.all
    }
    many = {name: n for name, n in found.items() if n >= 0.1 * len(inputs.segments)}
    if many and len(inputs.segments) >= _FEWEST_LINES:
        outputs = [side.name for side in inputs.outputs if side.name in many]
        names = [name for name in many if name not in outputs]
        names += [_joined(outputs, inputs.outputs)] if outputs else []
        n = f"{'up to ' * (len(many) > 1)}{max(many.values()):,} of {len(inputs.segments):,}"
        yield (
            f"lines of {' and '.join(names)} end with spaces ({n}): BLEU, chrF and TER ignore them, other "
            "metrics may not. Remove them: sed -i 's/[[:space:]]*$//' FILE"
        )
    blank = 0
    for segment in reversed(inputs.segments):
        texts = [text for text in (segment.source, *segment.references) if text is not None]
        if not texts or any(text.strip() for text in texts):
            break
        blank += 1
    if blank:
        what = "segment is" if blank == 1 else f"{blank:,} segments are"
        yield (
            f"the last {what} blank in source and reference, but counted: remove the blank lines at the ends "
            "of all files"
        )


# The largest shift, the lines per place, and the number of places to search.
_FARTHEST = 5
_BLOCK = 10
_BLOCKS = 30
_BEGINNING = 300  # the number of characters that identify a line


class _Shift(NamedTuple):
    """Lines `first` to `last` (inclusive) belong `by` lines further down (up if negative)."""

    by: int
    first: int
    last: int


def _shifted(inputs: _Inputs, metrics: Mapping[str, Metric]) -> Iterator[str]:
    """Note outputs or references with lines that are shifted against the others."""
    if len(inputs.segments) < _FEWEST_LINES or not inputs.references:
        return
    anchor = inputs.references[0]
    lines = _Lines(anchor.texts)
    others = [*inputs.references[1:], *inputs.outputs]
    found = {side.name: shift for side in others if (shift := lines.shift_of(side.texts)) is not None}
    if not found:
        return
    metric = next((m for m in metrics.values() if m.needs == {"references"}), ChrF())
    by_shift: dict[int, list[_Side]] = {}
    for side in others:
        if side.name in found:
            by_shift.setdefault(found[side.name].by, []).append(side)
    for by, sides in by_shift.items():
        side, shift = sides[0], found[sides[0].name]
        lines_moved = range(shift.first, shift.last + 1)
        rows = [i for i in lines_moved if side.texts[i] and anchor.texts[i] and anchor.texts[i + by]]
        texts = [side.texts[i] or "" for i in rows]
        in_place, moved = (
            [inputs.segments[i]._replace(references=(anchor.texts[i + k],)) for i in rows] for k in (0, by)
        )
        # Shuffled lines gain less by chance; corrected lines of a bad system gain more.
        if len(rows) < _BLOCK or _score(ChrF(), moved, texts) < 1.75 * _score(ChrF(), in_place, texts):
            continue
        before, after = _score(metric, in_place, texts), _score(metric, moved, texts)
        # If all others are shifted up, the reference is shifted down.
        is_reference = len(sides) == len(others) > 1
        is_high = (by > 0) != is_reference
        first, last = (inputs.segments[i + (by if is_reference else 0)].id for i in (shift.first, shift.last))
        name = anchor.name if is_reference else _joined([s.name for s in sides], inputs.outputs)
        amount = f"{abs(by)} line{'s' * (abs(by) != 1)}"
        how, way = ("high", "down") if is_high else ("low", "up")
        why, other = ("missing", "too many") if is_high else ("too many", "missing")
        score = f"{metric.label} is {before:.{metric.decimals}f}, and {after:.{metric.decimals}f} moved {way}"
        either = "" if len(others) > 1 else f", or {other} in {anchor.name}"
        yield (
            f"{name}: lines {first} to {last} are {amount} too {how} (there {score}): "
            f"look for {amount} {why} before them{either}"
        )


def _score(metric: Metric, segments: Sequence[Segment], texts: Sequence[str]) -> float:
    (measured,) = metric.measure(segments, {"": texts})
    return float(metric.aggregate(measured.values.sum(axis=0, dtype=np.float64)))


class _Lines:
    """The lines of a reference, and their similarity to other lines by common words or characters."""

    def __init__(self, texts: Sequence[str | None]) -> None:
        self._texts = texts
        self._is_spaced = not language_of_script("\n".join(text[:100] for text in texts[:40] if text))
        self._features: dict[int, frozenset[str]] = {}

    def shift_of(self, texts: Sequence[str | None]) -> _Shift | None:
        """Where texts are beside the wrong lines; usually `None`."""
        n = len(texts)
        count = min(n // _BLOCK, _BLOCKS)
        starts = [i * (n - _BLOCK) // max(count - 1, 1) for i in range(count)]
        votes: dict[int, int] = {}
        for start in starts:
            rows = range(start, start + _BLOCK)
            features = [self._features_of(texts[i]) for i in rows]
            in_place = self._likeness(features, rows)
            if in_place < 2 * self._likeness(features, rows[::-1]):
                by = max(
                    _OFFSETS, key=lambda k: self._likeness(features, range(start + k, start + k + _BLOCK))
                )
                elsewhere = self._likeness(features, range(start + by, start + by + _BLOCK))
                if elsewhere > 1.5 * in_place + 0.05:
                    votes[by] = votes.get(by, 0) + 1
        return self._whole(texts, max(votes, key=lambda by: votes[by])) if votes else None

    def _whole(self, texts: Sequence[str | None], by: int) -> _Shift | None:
        """The run of lines whose similarity increases most with the lines `by` further down."""
        rows = range(max(0, -by), min(len(texts), len(texts) - by))
        best = total = 0.0
        first = begin = last = rows[0]
        for i in rows:
            features = self._features_of(texts[i])
            total += _alike(features, self._reference(i + by)) - _alike(features, self._reference(i))
            if total <= 0:
                total, begin = 0.0, i + 1
            elif total > best:
                best, first, last = total, begin, i
        return _Shift(by, first, last) if last - first + 1 >= _BLOCK else None

    def _likeness(self, features: Sequence[frozenset[str]], rows: Sequence[int]) -> float:
        return sum(_alike(a, self._reference(i)) for a, i in zip(features, rows, strict=True)) / len(features)

    def _reference(self, i: int) -> frozenset[str]:
        if i not in self._features:
            self._features[i] = self._features_of(self._texts[i] if 0 <= i < len(self._texts) else None)
        return self._features[i]

    def _features_of(self, text: str | None) -> frozenset[str]:
        if not text:
            return frozenset()
        beginning = text[:_BEGINNING]
        return frozenset(beginning.lower().split() if self._is_spaced else map("".join, pairwise(beginning)))


_OFFSETS = [k for k in range(-_FARTHEST, _FARTHEST + 1) if k]


def _alike(a: frozenset[str], b: frozenset[str]) -> float:
    return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0


# References -------------------------------------------------------------------------------------------------

_WORDS = 5  # shorter lines are equal by chance
_LEAST = 10  # equal lines needed for a note
_TIMES = 2.0  # lowest ratio to the next system's count
_SURE = 4.0  # standard errors
_HUMAN = re.compile(r"ref|human", re.IGNORECASE)


def reference_notes(
    segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]], metrics: Mapping[str, Metric]
) -> list[str]:
    """Note post-edited references, disagreement about the best system, and references rated low.

    >>> segments = [Segment(str(n), None, (f"one two three four five {n}",)) for n in range(40)]
    >>> texts = {"a": [s.references[0] for s in segments], "b": ["something else"] * 40}
    >>> reference_notes(segments, texts, {})
    ['The reference may be a post-edit of a: 40 of 40 longer lines are equal; next system: 0. \
Scores favour a.']
    """
    if len(outputs) < 2:
        return []
    count = max((len(segment.references) for segment in segments), default=0)
    notes = [note for place in range(count) if (note := _post_edit(segments, outputs, place, count))]
    if count > 1 and (note := _disagreement(segments, outputs, count)):
        notes.append(note)
    return [*notes, *(note for metric in metrics.values() if (note := _rated_low(metric, list(outputs))))]


def _post_edit(
    segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]], place: int, count: int
) -> str:
    lines = [(row, s.references[place]) for row, s in enumerate(segments) if len(s.references) > place]
    long = [(row, text) for row, text in lines if text and len(text.split()) >= _WORDS]
    equal = {system: sum(texts[row] == text for row, text in long) for system, texts in outputs.items()}
    (first, most), (_, second), *_ = sorted(equal.items(), key=lambda entry: -entry[1])
    # Lines that both have are the same sentences, so the two counts are nearly independent.
    if most < max(_LEAST, _TIMES * second) or most - second < _SURE * math.sqrt(most + second):
        return ""
    name = "The reference" if count == 1 else f"Reference {place + 1}"
    return (
        f"{name} may be a post-edit of {first}: {most:,} of {len(long):,} longer lines are equal; "
        f"next system: {second:,}. Scores favour {first}."
    )


def _disagreement(segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]], count: int) -> str:
    """Note if single references disagree about the best system."""
    rows = [row for row, s in enumerate(segments) if len(s.references) == count and all(s.references)]
    texts = {system: [own[row] for row in rows] for system, own in outputs.items()}
    metric, told = ChrF(), []
    for place in range(count if rows else 0):
        single = [segments[row]._replace(references=(segments[row].references[place],)) for row in rows]
        measured = metric.measure(single, texts)
        values = metric.aggregate(
            np.stack([entry.values.sum(axis=0, dtype=np.float64) for entry in measured])
        )
        first, second = np.argsort(-values)[:2].tolist()
        names = list(texts)
        told.append(
            (names[first], f"{names[first]} by reference {place + 1} (+{values[first] - values[second]:.1f})")
        )
    if len({best for best, _ in told}) < 2:
        return ""
    return (
        f"References disagree about the best system ({metric.label}): {', '.join(text for _, text in told)}."
    )


def _rated_low(metric: Metric, systems: Sequence[str]) -> str:
    """Note if people rate a human translation below systems on the segments that both have."""
    if not isinstance(metric, Scores) or not are_of_people(metric.label, metric.file):
        return ""
    scores = metric.by_system(systems)
    sign = 1 if metric.higher_is_better else -1
    for name, own in metric.by_system([]).items():
        if not _HUMAN.match(name) or name in systems:
            continue
        better = []
        for system, theirs in scores.items():
            both = [unit for unit in own if unit in theirs]
            gaps = np.array([sign * (theirs[unit] - own[unit]) for unit in both])
            if len(both) >= 2 * _LEAST and gaps.mean() > 2 * gaps.std(ddof=1) / math.sqrt(len(both)):
                better.append(f"{system} {sign * gaps.mean():+.1f} (n = {len(both):,})")
        if better:
            more = f" and {len(better) - 3} more" if len(better) > 3 else ""
            return (
                f"People rate the translation '{name}' below systems by {metric.label}: "
                f"{', '.join(better[:3])}{more}. If it is the reference, scores reward being worse."
            )
    return ""
