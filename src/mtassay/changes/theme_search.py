"""A theme: one cause of failures in a sentence, its significance, and the three clearest examples."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from mtassay.changes.theme_features import (
    LONGER,
    NEGATION_ADDED,
    SHORTER,
    Feature,
    FeatureKind,
    FeatureTable,
    words_in,
)
from mtassay.data.display import Block, Line, Span
from mtassay.data.marks import marked
from mtassay.data.nouns import Observation
from mtassay.stats.enrichment import Deals, Incidence, deviances, odds_ratio
from mtassay.stats.proportions import Interval

ALPHA = 0.02
"""The usual level: of fifty systems whose failures are random, one gets a theme."""
_FEWEST_FAMILIES = 3  # features of only one or two sentences are no theme
_ATTAINABLE = 3.1  # a feature that could not be this clear (one in a thousand) is not tested
_MOST = 8  # themes of one system
_TWIN, _NEAR = 0.7, 0.85  # features of one cause: the failures they share, how telling one is beside the best
_INSIDE = 0.6  # this share of a feature's failures within a theme makes it a part
_AROUND = 0.8  # and this share of a theme's failures in a feature
_OFTENER = 1.5  # so many times as often failures must have what the best outputs have too
_LARGE, _FEW_TRIALS = 400_000, 199
_RANKS = {kind: rank for rank, kind in enumerate(get_args(FeatureKind))}

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Cause(NamedTuple):
    """One cause: the feature that names it, other features of the same failures, and its corrected p.

    `units` are all outputs that have it, `fresh` those without an earlier cause. `twins` are equivalents of
    the name, clearest first. Of `parts`, each is within the cause or contains it.
    """

    feature: Feature
    units: Ints
    fresh: Ints
    p: float
    twins: Sequence[Feature]
    parts: Sequence[Feature]


def enough(failed: Sequence[bool]) -> bool:
    """Whether there are enough failures and passes for a search.

    >>> enough([True] * 5 + [False] * 5), enough([True] * 100)
    (True, False)
    """
    return min(sum(failed), len(failed) - sum(failed)) >= 5


def find_causes(
    observations: Sequence[Observation],
    table: FeatureTable,
    *,
    alpha: float = ALPHA,
    trials: int = 999,
    seed: int | None = 12345,
) -> list[Cause]:
    """Find the causes of failures, clearest first; each observation passed or failed.

    Each is significant at `alpha`, corrected for all tested features. Very many features get fewer trials.
    """
    failed = np.array([o.verdict == "fail" for o in observations])
    if not enough(failed.tolist()):
        return []
    numbers: dict[str, int] = {}
    families = np.array([numbers.setdefault(o.family or o.source, len(numbers)) for o in observations])
    groups = _rarer(_alike(table, families), failed, np.array([o.is_high for o in observations]) & ~failed)
    alive = np.ones(len(failed), bool)
    causes: list[Cause] = []
    while len(causes) < _MOST and enough(failed[alive].tolist()):
        step = _Step.of(groups, alive, failed)
        found = step.best(Deals(failed[alive], families[alive], trials, seed), alpha)
        if found is None:
            break
        leader, p = found
        named, twins, parts = step.around(leader, table)
        units = step.all_units(named)
        same = [table.features[i] for i in twins]
        causes.append(Cause(same[0], units, units[alive[units]], p, same, parts))
        alive[units] = False
        alive[step.all_units(leader)] = False
    return causes


class _Group(NamedTuple):
    """Features of exactly the same outputs."""

    members: list[int]
    units: Ints


def _alike(table: FeatureTable, families: Ints) -> list[_Group]:
    """Group features that have the same outputs, of enough families; the clearest kinds first."""
    by_units: dict[bytes, _Group] = {}
    for number, units in enumerate(table.units):
        group = by_units.setdefault(units.tobytes(), _Group([], units))
        group.members.append(number)
    groups = list(by_units.values())
    everything = Incidence.of([group.units for group in groups])
    owners = np.repeat(np.arange(len(groups)), [len(group.units) for group in groups])
    pairs = np.unique(owners * (int(families.max()) + 1) + families[everything.units])
    counts = np.bincount(pairs // (int(families.max()) + 1), minlength=len(groups))
    for group in groups:
        group.members.sort(key=lambda n: (_RANKS[table.features[n].kind], -len(table.features[n].name)))
    return [group for group, n in zip(groups, counts.tolist(), strict=True) if n >= _FEWEST_FAMILIES]


def _rarer(groups: Sequence[_Group], failed: Bools, best: Bools) -> Sequence[_Group]:
    """Remove features that are about as frequent in the best outputs as in failures: they are no causes."""
    if not best.any():
        return groups
    everything = Incidence.of([group.units for group in groups])
    among_best = everything.counts(best) / int(best.sum())
    often = among_best * _OFTENER > everything.counts(failed) / max(1, int(failed.sum()))
    return [group for group, is_often in zip(groups, often.tolist(), strict=True) if not is_often]


@dataclass(frozen=True, eq=False)
class _Step:
    """The search while some outputs are set aside."""

    groups: Sequence[_Group]
    incidence: Incidence
    failed: Bools
    deviance: NDArray[np.float64]
    failing: Ints

    @classmethod
    def of(cls, groups: Sequence[_Group], alive: Bools, failed: Bools) -> _Step:
        """Select features that could be significant among the remaining outputs."""
        places = np.cumsum(alive) - 1
        left = [places[group.units[alive[group.units]]] for group in groups]
        now = failed[alive]
        n, failures = len(now), int(now.sum())
        having = np.array([len(units) for units in left], dtype=np.int64)
        could = deviances(np.minimum(having, failures), having, failures, n) >= _ATTAINABLE
        kept = np.flatnonzero(could & (having >= _FEWEST_FAMILIES) & (having < n))
        incidence = Incidence.of([left[i] for i in kept.tolist()])
        failing = incidence.counts(now)
        return cls(
            [groups[i] for i in kept.tolist()],
            incidence,
            now,
            deviances(failing, having[kept], failures, n),
            failing,
        )

    def best(self, deals: Deals, alpha: float) -> tuple[int, float] | None:
        """The clearest group and its corrected p; `None` if chance explains it."""
        if not len(self.incidence):
            return None
        if len(self.incidence.units) > _LARGE:
            deals = Deals(deals.failed, deals.families, min(deals.trials, _FEW_TRIALS), deals.seed)
        best = int(self.deviance.argmax())
        most = math.floor(alpha * (deals.trials + 1))  # more deals than these are chance
        reached = deals.reaching(self.incidence, float(self.deviance[best]) - 1e-9, most=most)
        p = (reached + 1) / (deals.trials + 1)
        return (best, p) if p <= alpha else None

    def around(self, leader: int, table: FeatureTable) -> tuple[int, list[int], list[Feature]]:
        """The group that names the cause, its features and their equivalents, and the features within it."""
        mine = np.zeros(len(self.failed), bool)
        mine[self.incidence.units_of(leader)] = True
        shared = self.incidence.counts(mine & self.failed)
        size = int(shared[leader])
        jaccard = shared / (size + self.failing - shared)
        same = np.flatnonzero((jaccard >= _TWIN) & (self.deviance >= _NEAR * self.deviance[leader]))
        order = sorted(same.tolist(), key=lambda g: (_RANKS[self._kind(g, table)], -self.deviance[g]))
        named = order[0]
        twins = [member for group in order for member in self.groups[group].members]
        belongs = (shared >= _INSIDE * self.failing) | (shared >= _AROUND * size)
        inside = np.flatnonzero(belongs & (self.deviance >= _ATTAINABLE))
        rest = sorted(set(inside.tolist()) - set(order), key=lambda g: -self.deviance[g])
        return named, twins, [table.features[self.groups[group].members[0]] for group in rest]

    def _kind(self, group: int, table: FeatureTable) -> FeatureKind:
        return table.features[self.groups[group].members[0]].kind

    def all_units(self, group: int) -> Ints:
        """Return the outputs with this group, including those set aside."""
        return self.groups[group].units


EXAMPLES = 3
_PARTS = 8
_LABEL = 12
_OUTPUT_WORDS = ("contrast", "unexplained", "extra", "output")


@dataclass(frozen=True, slots=True)
class Theme:
    """A common feature of failures of a system.

    `sentence` names the cause: `failures` of all `of` failures have it, and `passes` of the `passing`
    outputs. `odds` is the odds ratio of failures to passes, with a prior, and `interval` its 95 % interval.
    `p` is corrected for all tested features. `parts` are the features that were merged into it, in words, and
    `examples` its clearest failures, marked.
    """

    system: str
    sentence: str
    failures: int
    of: int
    passes: int
    passing: int
    odds: float
    interval: Interval
    p: float
    parts: tuple[str, ...]
    examples: tuple[Block, ...]
    failures_called: str = "failures"
    best: int = 0
    of_best: int = 0
    """The number of best outputs by a metric that have it, if there is a metric."""
    failed: tuple[tuple[str, str], ...] = ()
    """The failed outputs that have it, each with its source."""

    def __str__(self) -> str:
        return self.sentence

    @property
    def cause(self) -> str:
        """The sentence without numbers, so it is the same for all systems with this cause."""
        told = _counts(self.failures, self.of, self.passes, self.passing, self.failures_called)
        return self.sentence.removesuffix(told)


def _counts(failures: int, of: int, passes: int, passing: int, called: str) -> str:
    return f": {failures:,} of {of:,} {called}, {passes:,} of {passing:,} other outputs"


def make_theme(
    system: str,
    cause: Cause,
    observations: Sequence[Observation],
    table: FeatureTable,
    right: Mapping[str, str] = MappingProxyType({}),
    failures_called: str = "failures",
) -> Theme:
    """A cause in words, with its numbers among all observations.

    `right` are outputs of other systems that pass, by source, each with the name of its system.
    """
    failed = np.array([o.verdict == "fail" for o in observations])
    failures, of = int(failed[cause.units].sum()), int(failed.sum())
    passes, passing = len(cause.units) - failures, len(failed) - of
    odds, interval = odds_ratio(failures, of, passes, passing)
    sentence = _name(cause, table) + _counts(failures, of, passes, passing, failures_called)
    features = list(dict.fromkeys([cause.feature, *cause.twins, *cause.parts]))
    parts = list(dict.fromkeys(_describe(feature, table) for feature in features))[:_PARTS]
    parts += _clues(cause, observations)
    examples = _examples(cause, observations, failed, table, right)
    numbers = (failures, of, passes, passing, odds, interval, cause.p)
    best = np.array([o.is_high and o.verdict == "pass" for o in observations])
    among = (int(best[cause.units].sum()), int(best.sum()))
    lost = tuple((observations[n].source, observations[n].output) for n in cause.units if failed[n])
    return Theme(system, sentence, *numbers, tuple(parts), examples, failures_called, *among, lost)


def _name(cause: Cause, table: FeatureTable) -> str:
    """The name of a cause: its best feature, and the matching feature of the other side if there is one."""
    first = cause.feature
    if first.kind in _OUTPUT_WORDS or first.kind == "missing":
        said = _output_word(cause, table) if first.kind in _OUTPUT_WORDS else _describe(first, table)
        source = next((f for f in cause.twins if f.kind == "source"), None)
        return f"{_describe(source, table)}, and {said}" if source else said
    said = _describe(first, table)
    if first.kind == "source":
        output = next((f for f in cause.twins if f.kind in (*_OUTPUT_WORDS, "missing")), None)
        return f"{said}, and {_describe(output, table)}" if output else said
    if word := _added_word(cause):
        return f"{_quoted(word.name)}{_gloss(word.name, table)} in the output, with no negation in the source"
    word = next((f for f in cause.twins if f.kind in _OUTPUT_WORDS), None)
    return f"{said}, mostly {_describe(word, table)}" if first.kind == "lost" and word else said


def _added_word(cause: Cause) -> Feature | None:
    """The negation, if the cause is a negation that the source does not have."""
    if cause.feature != Feature("lost", NEGATION_ADDED):
        return None
    return next((f for f in (*cause.twins, *cause.parts) if f.kind in _OUTPUT_WORDS), None)


def _output_word(cause: Cause, table: FeatureTable) -> str:
    """Describe an output word, the references' words in its place, and whether the source explains it."""
    first, around = cause.feature, (*cause.twins, *cause.parts)
    instead = [f.other for f in around if f.kind == "contrast" and f.name == first.name]
    said = f"{_quoted(first.name)}{_gloss(first.name, table)} in the output"
    if instead:
        said += f" where the reference has {' or '.join(map(_quoted, instead[:2]))}"
    elif first.kind == "extra":
        said += " that the reference does not have"
    if Feature("lost", NEGATION_ADDED) in around:
        return f"{said}, with no negation in the source"
    if Feature("unexplained", first.name) not in around:
        return said
    return f"{said}, and nothing in the source explains it"


def _gloss(word: str, table: FeatureTable) -> str:
    """The source word that a word of the output usually translates, in brackets."""
    gloss = table.glosses.get(word, word)
    return "" if gloss == word else f" ({marked(gloss, limit=40)})"


def _describe(feature: Feature, table: FeatureTable) -> str:
    """A feature in words."""
    word = _quoted(feature.name)
    glossed = f"{word}{_gloss(feature.name, table)}"
    match feature.kind:
        case "contrast":
            return f"{glossed} in the output where the reference has {_quoted(feature.other)}"
        case "unexplained":
            return f"{glossed} in the output that nothing in the source explains"
        case "extra":
            return f"{word} in the output that the reference does not have"
        case "missing":
            return f"{word} of the reference missing in the output"
        case "source" | "output":
            return f"{word} in the {feature.kind}"
        case "trait":
            return f"{marked(feature.other, limit=40)} {word}"
    return feature.name


def _quoted(word: str) -> str:
    return f"'{marked(word, limit=80)}'"


def _clues(cause: Cause, observations: Sequence[Observation]) -> list[str]:
    """Return clues of at least half of its failures, at least twice as frequent as in other failures."""
    own = set(cause.units.tolist())
    inside = [o.clues for n, o in enumerate(observations) if o.verdict == "fail" and n in own]
    outside = [o.clues for n, o in enumerate(observations) if o.verdict == "fail" and n not in own]
    counts, others = (Counter(clue for clues in side for clue in clues) for side in (inside, outside))
    return [
        f"clue {_quoted(clue)} ({count:,} of {len(inside):,})"
        for clue, count in counts.most_common()
        if 2 * count >= len(inside) and 2 * others[clue] * len(inside) <= count * len(outside)
    ]


def _examples(
    cause: Cause,
    observations: Sequence[Observation],
    failed: NDArray[np.bool_],
    table: FeatureTable,
    right: Mapping[str, str],
) -> tuple[Block, ...]:
    """Return the failures with the most features of the cause, each from a different family.

    Short texts come first; if length is the cause, the texts with the most unusual length.
    """
    own = dict.fromkeys([cause.feature, *cause.twins, *cause.parts])
    weights: dict[int, float] = {}
    for number, feature in enumerate(table.features):
        if feature in own:
            for unit in table.units[number].tolist():
                weights[unit] = weights.get(unit, 0) + (3 if feature in cause.twins else 1)
    units = [unit for unit in cause.fresh.tolist() if failed[unit] and not _is_right(observations[unit])]
    if cause.feature.name in (SHORTER, LONGER):
        sign = 1 if cause.feature.name == SHORTER else -1
        units.sort(key=lambda u: sign * len(observations[u].output) / len(observations[u].source))
    else:
        size = [len(o.source) + len(o.output) for o in observations]
        units.sort(key=lambda u: (-weights.get(u, 0), size[u]))
    chosen: dict[str, Observation] = {}
    for unit in units:
        observation = observations[unit]
        chosen.setdefault(observation.family or observation.source, observation)
        if len(chosen) == EXAMPLES:
            break
    marked_features = [*cause.twins, *filter(None, [_added_word(cause)])]
    words = {feature.name for feature in marked_features}
    features = [*marked_features, *(f for f in cause.parts if f.kind == "contrast" and f.name in words)]
    return tuple(_block(one, features, right.get(one.source, "")) for one in chosen.values())


def _is_right(observation: Observation) -> bool:
    """Whether the output equals a reference except for case and punctuation, so it shows no problem."""
    said = [word for word, _ in words_in(observation.output)]
    return any(said == [word for word, _ in words_in(text)] for text in observation.references)


def _block(observation: Observation, features: Sequence[Feature], right: str) -> Block:
    """One failure, with the features of the cause marked on every side, and the right text if known."""
    source, output, reference = set[str](), set[str](), set[str]()
    for feature in features:
        if feature.kind == "source":
            source.update(feature.name.split())
        elif feature.kind == "missing":
            reference.add(feature.name)
        elif feature.kind in _OUTPUT_WORDS:
            output.update(feature.name.split())
            reference.update(filter(None, [feature.other]))
    lines = [Line("source", observation.source, _places(observation.source, source))]
    lines += [Line("reference", text, _places(text, reference)) for text in observation.references[:1]]
    lines += [Line("output", observation.output, _places(observation.output, output))]
    lines += [Line("passes", right)] if right else []
    if observation.clues:
        lines.append(Line("clues", ", ".join(observation.clues)))
    return Block(lines, observation.segment_id, _LABEL)


def _places(text: str, words: Iterable[str]) -> list[Span]:
    wanted = set(words)
    return [span for word, span in words_in(text) if word in wanted]
