"""A theme: one cause of failures in a sentence, how sure it is, and the three clearest examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from mtassay.core import Observation
from mtassay.display import Block, Line, Span
from mtassay.stats import Interval, odds_ratio
from mtassay.texts.marks import marked
from mtassay.themes.features import NEGATION_ADDED, Feature, FeatureTable, words_in
from mtassay.themes.search import Cause

__all__ = ["Theme", "make_theme"]

EXAMPLES = 3
_PARTS = 8
_LABEL = 12
_OUTPUT_WORDS = ("contrast", "unexplained", "extra", "output")


@dataclass(frozen=True, slots=True)
class Theme:
    """What failures of a system have in common.

    `sentence` names the cause: `failures` of all `of` failures have it, and `passes` of the `passing`
    outputs. `odds` is how many times higher its odds are among failures, with a prior, and `interval` the
    95 % interval of that. `p` is corrected for all that was looked at. `parts` are the features that were
    merged into it, in words, and `examples` its clearest failures, marked.
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

    def __str__(self) -> str:
        return self.sentence

    @property
    def cause(self) -> str:
        """The sentence without its numbers: the same for all systems that fail for this reason."""
        return self.sentence.removesuffix(_counts(self.failures, self.of, self.passes, self.passing))


def _counts(failures: int, of: int, passes: int, passing: int) -> str:
    return f": {failures:,} of {of:,} failures, {passes:,} of {passing:,} other outputs"


def make_theme(
    system: str,
    cause: Cause,
    observations: Sequence[Observation],
    table: FeatureTable,
    right: Mapping[str, str] = MappingProxyType({}),
) -> Theme:
    """A cause in words, with its numbers among all observations.

    `right` are outputs of other systems that pass, by source, each with the name of its system.
    """
    failed = np.array([o.verdict == "fail" for o in observations])
    failures, of = int(failed[cause.units].sum()), int(failed.sum())
    passes, passing = len(cause.units) - failures, len(failed) - of
    odds, interval = odds_ratio(failures, of, passes, passing)
    sentence = _name(cause, table) + _counts(failures, of, passes, passing)
    features = list(dict.fromkeys([cause.feature, *cause.twins, *cause.parts]))
    parts = list(dict.fromkeys(_describe(feature, table) for feature in features))[:_PARTS]
    parts += _clues(cause, observations)
    examples = _examples(cause, observations, failed, table, right)
    return Theme(
        system, sentence, failures, of, passes, passing, odds, interval, cause.p, tuple(parts), examples
    )


def _name(cause: Cause, table: FeatureTable) -> str:
    """The cause: what names it best, the other side where that says the same, and what stood there."""
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
    """The negation, where the cause is one that the source does not have."""
    if cause.feature != Feature("lost", NEGATION_ADDED):
        return None
    return next((f for f in (*cause.twins, *cause.parts) if f.kind in _OUTPUT_WORDS), None)


def _output_word(cause: Cause, table: FeatureTable) -> str:
    """A word of the output, what the references have in its place, and that no one asked for it."""
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
    """Clues that half of its failures have, and at most half as many of the other ones."""
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
    """The failures that have most of what belongs to the cause, short ones first, each of another family."""
    own = dict.fromkeys([cause.feature, *cause.twins, *cause.parts])
    weights: dict[int, float] = {}
    for number, feature in enumerate(table.features):
        if feature in own:
            for unit in table.units[number].tolist():
                weights[unit] = weights.get(unit, 0) + (3 if feature in cause.twins else 1)
    units = [unit for unit in cause.fresh.tolist() if failed[unit]]
    units.sort(key=lambda u: (-weights.get(u, 0), len(observations[u].source) + len(observations[u].output)))
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


def _block(observation: Observation, features: Sequence[Feature], right: str) -> Block:
    """One failure, with what belongs to the cause marked on every side, and what is right where known."""
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
