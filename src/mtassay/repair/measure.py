"""What a repair brought: errors fixed, and BLEU on a validation set before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mtassay.core import Comparison, Result, Score, Segment
from mtassay.display import Table
from mtassay.metrics.bleu import BLEU
from mtassay.repair.corrections import Correction
from mtassay.stats import bootstrap_scores, interval, paired_bootstrap, wilson

__all__ = [
    "AFTER",
    "BEFORE",
    "Outcome",
    "Repaired",
    "bleu_table",
    "compare_bleu",
    "count_outcomes",
    "errors_fixed",
    "fixed_table",
]

BEFORE, AFTER = "before", "after"
_WHAT = {"equal": "equal to the correction", "changed": "changed at all"}

Outcome = Literal["fixed", "right before", "changed", "same", "failed"]
"""What became of a wrong output. Only `fixed` ones were wrong before and equal the correction now."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """A correction and what the model says before and after; `None` where it gave no translation."""

    correction: Correction
    before: str | None
    after: str | None

    @property
    def outcome(self) -> Outcome:
        """`right before`: there was nothing to fix. `changed`: other than before, and not the correction."""
        if self.before is None or self.after is None:
            return "failed"
        wanted, before, after = (_plain(t) for t in (self.correction.correction, self.before, self.after))
        if after == wanted:
            return "right before" if before == wanted else "fixed"
        return "same" if after == before else "changed"


def count_outcomes(repaired: Sequence[Repaired]) -> dict[Outcome, int]:
    """How many of each outcome, the good ones first; what does not occur is 0."""
    counts: dict[Outcome, int] = {"fixed": 0, "right before": 0, "changed": 0, "same": 0, "failed": 0}
    for repair in repaired:
        counts[repair.outcome] += 1
    return counts


def errors_fixed(repaired: Sequence[Repaired]) -> list[Score]:
    """Shares of the errors, with Wilson's interval: `equal` to the correction now, `changed` since before.

    Errors are corrections that the model did not give before already; one that it could not translate counts
    as an error that was not fixed. A better translation in other words is `changed` and not `equal`.
    """
    errors = [repair for repair in repaired if repair.outcome != "right before"]
    equal = sum(repair.outcome == "fixed" for repair in errors)
    changed = sum(repair.outcome in ("fixed", "changed") for repair in errors)
    return [_share("equal", equal, len(errors)), _share("changed", changed, len(errors))]


def compare_bleu(
    segments: Sequence[Segment],
    before: Sequence[str | None],
    after: Sequence[str | None],
    *,
    language: str = "",
    samples: int = 1000,
    seed: int | None = 12345,
) -> Result:
    """BLEU of both with 95 % bootstrap intervals, and the difference with its paired bootstrap p-value.

    Only segments that both translated are compared; `counts` says how many are missing.
    """
    kept = [i for i, pair in enumerate(zip(before, after, strict=True)) if None not in pair]
    counts = {BEFORE: {"missing": before.count(None)}, AFTER: {"missing": after.count(None)}}
    chosen = [segments[i] for i in kept]
    metric = BLEU(language=language)
    signature = metric.signature(segments, extra={"bs": samples, "seed": seed})
    if not kept:
        nothing = [
            Score(metric.name, system, "all", None, 0, signature=signature) for system in (BEFORE, AFTER)
        ]
        return Result(nothing, counts=counts)
    outputs: Mapping[str, list[str]] = {
        BEFORE: [before[i] or "" for i in kept],
        AFTER: [after[i] or "" for i in kept],
    }
    values = np.stack([statistics.values for statistics in metric.measure(chosen, outputs)], axis=1)
    whole = metric.aggregate(values.sum(axis=0))
    resampled = bootstrap_scores(values, metric.aggregate, samples=samples, seed=seed)
    low, high = interval(resampled)
    scores = [
        Score(
            metric.name, system, "all", float(whole[i]), len(kept), float(low[i]), float(high[i]), signature
        )
        for i, system in enumerate(outputs)
    ]
    p = float(paired_bootstrap(whole, resampled)[0, 1])
    delta = Comparison(metric.name, "all", AFTER, BEFORE, float(whole[1] - whole[0]), p)
    return Result(scores, [delta], counts=counts)


def fixed_table(repaired: Sequence[Repaired]) -> Table:
    """How many errors are gone, as a table."""
    rows = [
        [_WHAT[score.name], _count(score), _percent(score.value), _interval(score), str(score.n)]
        for score in errors_fixed(repaired)
    ]
    counts = count_outcomes(repaired)
    notes = ["n: errors, that is corrections which the model did not give before."]
    if counts["right before"]:
        notes.append(f"Not among them: {counts['right before']:,} that were right before.")
    if counts["failed"]:
        notes.append(f"Among them: {counts['failed']:,} that the model could not translate.")
    return Table(["Outputs now", "number", "share", "95 % interval", "n"], rows, notes=notes)


def bleu_table(bleu: Result) -> Table:
    """BLEU before and after, as a table."""
    rows = []
    for score in bleu.scores:
        ends = "–" if score.low is None or score.high is None else f"{score.low:.2f} to {score.high:.2f}"
        rows.append([score.system, "–" if score.value is None else f"{score.value:.2f}", ends, str(score.n)])
    notes = [f"Δ {c.delta:+.2f}, p = {c.p:.3f} (paired bootstrap)." for c in bleu.comparisons]
    if missing := {name: count["missing"] for name, count in bleu.counts.items() if count["missing"]}:
        missing_counts = ", ".join(f"{count:,} {name}" for name, count in missing.items())
        notes.append(f"Left out, for want of a translation: {missing_counts}.")
    notes += [bleu.scores[0].signature]
    return Table(["Validation", "BLEU", "95 % interval", "n"], rows, notes=notes)


def _share(name: str, count: int, n: int) -> Score:
    if not n:
        return Score(name, AFTER, "errors", None, 0)
    low, high = wilson(count, n)
    return Score(name, AFTER, "errors", count / n, n, float(low), float(high))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _count(score: Score) -> str:
    return "–" if score.value is None else str(round(score.value * score.n))


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _interval(score: Score) -> str:
    return f"{_percent(score.low)} to {_percent(score.high)}" if score.low is not None else "–"
