"""How far each judge of translations can be trusted, on one's own texts: blind spots, thresholds, cost.

A judge is anything that gives a number or a verdict per output: a metric, a detector of a saved run, a list
of scores made elsewhere. Functions also take how to run metrics: `workspace`, `cache` and `quiet`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from mtassay import core
from mtassay.api import RunSettings, Texts, listed, read_test_texts
from mtassay.api.agreement import build_metrics
from mtassay.engine import EngineTools, translate
from mtassay.errors import UsageError
from mtassay.languages import Pair, parse_pair
from mtassay.meta.blindspots import BlindSpotSettings, look_for_blindspots, prepare
from mtassay.meta.corruptions import ERROR_KINDS
from mtassay.options import split_names
from mtassay.report.blindspots import BlindSpots
from mtassay.stats import fixed_seed
from mtassay.systems.roster import Given, open_systems

__all__ = ["blindspots"]

METRICS = "bleu,chrf,ter"


def blindspots(
    references: Texts | Sequence[Texts],
    source: Texts,
    output: Given | None = None,
    *,
    langpair: str,
    metrics: str | Sequence[str] | None = None,
    errors: str | Sequence[str] | None = None,
    most: int = 500,
    samples: int = 1000,
    seed: int | None = None,
    **options: Any,
) -> BlindSpots:
    """Which errors does a metric see? Put into good translations of one's own test set, one at a time.

    The good translations are an `output` where one is given, else the last of several references, which is
    then held against the others; a single reference is held against itself, where any change must lower
    a metric that compares words. `errors` are kinds of errors, all by default; `most` is how many texts are
    drawn.

    >>> found = blindspots(
    ...     [["The old bridge was closed in 2019."]], ["A ponte velha fechou em 2019."],
    ...     {"nmt": ["The old bridge closed in 2019."]}, langpair="pt-en", metrics="chrf", errors="number",
    ... )
    >>> [(r["name"], r["group"], r["value"]) for r in found.records() if r["name"] == "lower"]
    [('lower', 'number', 100.0)]
    """
    pair = parse_pair(langpair)
    specs = [metrics] if isinstance(metrics, str) else list(metrics or [METRICS])
    built = build_metrics(specs, str(pair.target))
    settings = BlindSpotSettings(
        most, tuple(split_names(errors)) or tuple(ERROR_KINDS), samples, fixed_seed(seed)
    )
    with RunSettings(**options).tools(output or ()) as tools:
        good = _good_texts(listed(references), source, output, pair, tools)
        tools.progress("putting errors in", 0, None)
        material = prepare(good.segments, good.texts, pair, settings)
        result = look_for_blindspots(built, material, settings, tools)
    if good.is_its_own:
        alone = "Texts are held against themselves: whatever compares words must notice any change. A second "
        alone += "reference (-r), or a good output (-t), asks more."
        result = replace(result, notes=[alone, *result.notes])
    return BlindSpots(result, material, settings, good.about, str(pair))


class _GoodTexts(NamedTuple):
    """Segments with the references to hold against, the texts to put errors into, and what these are."""

    segments: Sequence[core.Segment]
    texts: Sequence[str | None]
    about: str
    is_its_own: bool = False


def _good_texts(
    references: Sequence[Texts], source: Texts, output: Given | None, pair: Pair, tools: EngineTools
) -> _GoodTexts:
    if not references:
        raise UsageError("There is no reference: add -r FILE.")
    segments = read_test_texts(source, references, None, pair)
    if output:
        systems = open_systems(output, segments, pair)
        if len(systems) > 1:
            names = ", ".join(system.name for system in systems)
            raise UsageError(f"Errors are put into one output: choose one of {names}.")
        answers = translate(segments, systems, tools)[systems[0].name]
        return _GoodTexts(segments, [answer.text for answer in answers], f"the output of {systems[0].name}")
    count = len(segments[0].references)
    if count > 1:
        rest = [s._replace(references=s.references[:-1]) for s in segments]
        return _GoodTexts(rest, [s.references[-1] for s in segments], f"reference {count}")
    return _GoodTexts(segments, [s.references[0] for s in segments], "the reference itself", is_its_own=True)
