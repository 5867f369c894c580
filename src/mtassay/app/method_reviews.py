"""Edited pairs as test cases, and people's ratings of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Unpack, cast

from mtassay.app import library
from mtassay.app.arguments import Texts, known_keywords
from mtassay.app.library import saved_run
from mtassay.app.runs import RunSettings
from mtassay.app.settings_types import RecipeOptions, RunOptions
from mtassay.data.formats.review_files import read_reviews
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Result
from mtassay.methods.behavior.behavior_method import BehaviorMethod
from mtassay.methods.behavior.case_files import read_cases
from mtassay.methods.behavior.case_generation import GeneratedCases
from mtassay.methods.behavior.pair_quality import RatedPair, cases_in, pair_quality, sets_of
from mtassay.methods.behavior.translation_quality import default_filter, measures
from mtassay.stats.resampling import fixed_seed
from mtassay.systems.roster import name_and_rest


@known_keywords(RecipeOptions)
def make(
    source: Texts, reference: Texts | None, *, langpair: str, **options: Unpack[RecipeOptions]
) -> GeneratedCases:
    """Make cases of a parallel text, from files or lists; return them, and dropped ones with reasons.

    Parameters: those of `Recipe`, as `capabilities="noun,verb"`. The result's `check` raises an error if
    there are too few cases.
    """
    settings, recipe = RunSettings.split(options)
    method = BehaviorMethod.maker(langpair, recipe)
    generated = library.generate_with(
        method, lambda context: method.read(source, reference, context), settings
    )
    return cast("GeneratedCases", generated)


def read_sets(
    cases: str,
    against: Sequence[str] = (),
    *,
    originals: bool = True,
    workspace: str | PathLike[str] | None = None,
) -> dict[str, list[RatedPair]]:
    """Return pairs by maker, originals first; a set has its given name, or that of its file or run."""
    named = []
    for text in (cases, *against):
        name, rest = name_and_rest(text)
        run = saved_run(rest, BehaviorMethod, workspace)
        named.append((name, rest, read_cases(rest) if run is None else cases_in(run.segments)))
    return sets_of(named, originals=originals)


@known_keywords(RunOptions)
def measure(
    sets: Mapping[str, Sequence[RatedPair]],
    *,
    labels: str | PathLike[str] | None = None,
    quality: str | None = None,
    langpair: str | None = None,
    seed: int | None = None,
    **options: Unpack[RunOptions],
) -> Result:
    """Measure the quality of pairs: ratings of people, their agreement, and reference-free adequacy.

    `labels` is a file of ratings; by default those in the workspace count. `quality` are measures; `none`
    measures nothing.
    """
    pair = None if langpair is None else parse_pair(langpair)
    metrics = measures(quality or default_filter(), pair)
    asks_models = any(metric.asks_models for metric in metrics.values())
    with RunSettings(**options).context(is_live=asks_models) as context:
        if labels is not None:
            reviews = [row.review for row in read_reviews(Path(labels), reviewer="unknown").rows]
        else:
            reviews = context.workspace.reviews() if context.workspace else []
        return pair_quality(sets, reviews, metrics, context, seed=fixed_seed(seed))
