"""Which errors a metric sees: good translations held against the same with one error put in.

Three questions of each metric and kind of error. Does it rank the corrupted text below the good one? How much
does it take off, where 100 is what a translation of another sentence loses? And does it tell the two apart
where each stands alone, as any threshold has to?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import MtassayError, UsageError
from mtassay.data.languages import Pair
from mtassay.data.nouns import Result, RunContext, Score, Segment
from mtassay.measures.metric import Metric
from mtassay.meta.challenge import FLIPPED
from mtassay.meta.corruptions import ERROR_KINDS, Corrupted, CorruptionSource, corrupt, plain_annotation
from mtassay.meta.measurement import score_outputs
from mtassay.nlp.aligners import open_aligner
from mtassay.nlp.annotation import Annotation
from mtassay.nlp.annotators import open_annotator
from mtassay.stats import proportions, resampling
from mtassay.stats.correlation import auc

Floats = NDArray[np.float64]
LOWER, LOSS, ALONE, TIES = "lower", "loss", "auc", "ties"


@dataclass(frozen=True, slots=True)
class BlindSpotSettings:
    """How many translations are looked at, which errors are made, and how they and resamples are drawn."""

    most: int = 500
    kinds: tuple[str, ...] = tuple(ERROR_KINDS)
    samples: int = 1000
    seed: int | None = 12345


@dataclass(frozen=True, slots=True)
class Corruptible:
    """Good translations with what was put into them; `notes` say what could not be done, and why.

    `segments` have the references that the translations are held against, in the same order.
    """

    segments: Sequence[Segment]
    sources: Sequence[CorruptionSource]
    corrupted: Corrupted
    notes: Sequence[str]


def prepare(
    segments: Sequence[Segment], texts: Sequence[str | None], pair: Pair, settings: BlindSpotSettings
) -> Corruptible:
    """Errors of all kinds in good translations `texts` of the segments; those without words are left out.

    Of more than `settings.most` some are drawn.
    """
    if unknown := [kind for kind in settings.kinds if kind not in ERROR_KINDS]:
        raise UsageError(f"No kind of error '{unknown[0]}'. Available: {', '.join(ERROR_KINDS)}.")
    rows = [i for i, text in enumerate(texts) if text and any(map(str.isalnum, text))]
    if len(rows) > settings.most:
        drawn = np.random.default_rng(settings.seed).choice(len(rows), settings.most, replace=False)
        rows = [rows[i] for i in sorted(drawn)]
    if not rows:
        raise UsageError("There is no text to put errors into.")
    chosen = [segments[i] for i in rows]
    language = pair.target.code
    annotations, notes = _annotations([str(texts[i]) for i in rows], language)
    sources = [
        CorruptionSource(
            segment.id,
            segment.source or "",
            annotation,
            tuple(r for r in segment.references if r is not None),
        )
        for segment, annotation in zip(chosen, annotations, strict=True)
    ]
    if "untranslated" in settings.kinds:
        sources = _linked(sources, pair, notes)
    if "negation" in settings.kinds and language not in FLIPPED:
        notes.append(f"negation is left out: there are no rules for {pair.target.name}.")
    corrupted = corrupt(sources, language, kinds=settings.kinds, seed=settings.seed)
    if not corrupted.corruptions:
        raise UsageError(f"None of {len(rows):,} texts has a place for an error of these kinds.")
    return Corruptible(chosen, sources, corrupted, notes)


_ANNOTATED = ("negation", "name", "wrong word", "word order", "agreement", "untranslated")


def _annotations(texts: Sequence[str], language: str) -> tuple[list[Annotation], list[str]]:
    try:
        annotator = open_annotator(language)
    except MtassayError as error:
        return [plain_annotation(text) for text in texts], [f"{', '.join(_ANNOTATED)}: {error}"]
    found = annotator.annotate(texts)
    return [a if a.error is None else plain_annotation(a.text) for a in found], []


def _linked(sources: Sequence[CorruptionSource], pair: Pair, notes: list[str]) -> list[CorruptionSource]:
    """The same with the words of the source that an aligner links to one word alone."""
    try:
        aligner = open_aligner(pair)
        words = [[t.text for t in plain_annotation(source.source).tokens] for source in sources]
        found = aligner.align(
            [(own, [t.text for t in s.text.tokens]) for own, s in zip(words, sources, strict=True)]
        )
    except MtassayError as error:
        notes.append(f"untranslated words are left out: {error}")
        return list(sources)
    linked = []
    for source, own, links in zip(sources, words, found, strict=True):
        theirs = [a for a, _ in links], [b for _, b in links]
        one_to_one = {b: own[a] for a, b in sorted(links) if theirs[0].count(a) == theirs[1].count(b) == 1}
        linked.append(replace(source, links=one_to_one))
    return linked


def look_for_blindspots(
    metrics: Mapping[str, Metric],
    material: Corruptible,
    settings: BlindSpotSettings,
    context: RunContext,
) -> Result:
    """What each metric makes of the errors: scores with the metric as `system` and the kind as `group`.

    "lower" is in percent of the pairs in which the corrupted text scores lower, ties counting half, and
    "ties" how many tie; "loss" is the mean drop in percent of what an unrelated text drops; "auc" is how
    often a good text scores above a corrupted one of any sentence (0 to 1). n is pairs.
    """
    for name, metric in metrics.items():
        if metric.reads_ids:
            raise UsageError(
                f"metric '{name}' finds scores by id, and corrupted texts have none. Write them with "
                "`write`, and score that file, or give a file of scores with source and output."
            )
    place = {source.id: i for i, source in enumerate(material.sources)}
    corruptions = material.corrupted.corruptions
    bases = [source.text.text for source in material.sources]
    half = max(1, len(bases) // 2)
    # Neighbours are often of one document; half the test set away, nothing is.
    unrelated = [bases[(i + half) % len(bases)] for i in range(len(bases))]
    rows = [*range(len(bases)), *range(len(bases)), *(place[c.id] for c in corruptions)]
    texts = [*bases, *unrelated, *(c.text for c in corruptions)]
    segments = [material.segments[i] for i in rows]
    owners = np.array(rows[2 * len(bases) :], dtype=np.int64)
    kinds = np.array([c.kind for c in corruptions])
    scores: list[Score] = []
    for name, metric in metrics.items():
        values = score_outputs(name, metric, segments, texts, context)
        good, other = values[: len(bases)], values[len(bases) : 2 * len(bases)]
        bad = values[2 * len(bases) :]
        for kind in (kind for kind in settings.kinds if kind in kinds):
            chosen = kinds == kind
            scores += _scores(name, metric.label, kind, good, other, bad[chosen], owners[chosen], settings)
    return Result(scores, notes=list(material.notes))


def _scores(
    metric: str,
    label: str,
    kind: str,
    good: Floats,
    unrelated: Floats,
    bad: Floats,
    owners: NDArray[np.int64],
    settings: BlindSpotSettings,
) -> list[Score]:
    usable = ~np.isnan(good[owners] - bad)
    bad, owners = bad[usable], owners[usable]
    n = len(bad)
    if not n:
        return [Score(what, metric, kind, None, 0, label=label) for what in (LOWER, TIES, LOSS, ALONE)]
    drops = good[owners] - bad
    # What is equal but for rounding ties.
    tied = np.abs(drops) < 1e-9
    lower = float(((drops > 0) & ~tied).sum() + tied.sum() / 2)
    low, high = proportions.wilson(lower, n)
    shares = [
        Score(LOWER, metric, kind, 100 * lower / n, n, 100 * low, 100 * high, label=label, decimals=0),
        Score(TIES, metric, kind, 100 * float(tied.mean()), n, label=label),
    ]
    return [
        *shares,
        _loss(metric, label, kind, drops, good - unrelated, settings),
        _alone(metric, label, kind, good[owners], bad, owners),
    ]


def _loss(
    metric: str, label: str, kind: str, drops: Floats, whole: Floats, settings: BlindSpotSettings
) -> Score:
    whole = whole[~np.isnan(whole)]
    if not len(whole) or whole.mean() <= 0:
        return Score(LOSS, metric, kind, None, len(drops), label=label)
    drawn = np.random.default_rng(settings.seed).integers(0, len(drops), (settings.samples, len(drops)))
    # The drop of unrelated texts is the same for all kinds, and hardly uncertain beside that of one kind.
    low, high = resampling.interval(drops[drawn].mean(axis=1))
    unit = 100 / float(whole.mean())
    return Score(
        LOSS,
        metric,
        kind,
        unit * float(drops.mean()),
        len(drops),
        unit * float(low),
        unit * float(high),
        label=label,
    )


def _alone(metric: str, label: str, kind: str, good: Floats, bad: Floats, owners: NDArray[np.int64]) -> Score:
    """Of the same sentences, since those that have a place for an error may be longer than others."""
    area = auc(
        np.concatenate([good, bad]), np.arange(2 * len(bad)) < len(bad), np.concatenate([owners, owners])
    )
    low, high = area.interval()
    return Score(ALONE, metric, kind, area.value, len(bad), float(low), float(high), label=label, decimals=2)
