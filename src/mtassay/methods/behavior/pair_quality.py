"""Quality of generated pairs, rated by people and by a measure, as in table 2 of Wu, Liu, Yeung (2023).

People rate the fluency of the source (SSF), the fluency of the target (TSF) and the adequacy of the
translation (TA) from 1 to 3. They also rate the original pairs, and the pairs of another infiller.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mtassay.data.display import Cell, Line, Table
from mtassay.data.errors import UsageError
from mtassay.data.marks import printable
from mtassay.data.nouns import Question, Result, Review, RunContext, Score, Segment
from mtassay.data.run_view import AskedPair
from mtassay.data.subjects import Decision, Pending, Subject, caution_of_models, decide
from mtassay.measures.metric import Metric
from mtassay.methods.behavior.pairs import BehaviorCase, cases_of
from mtassay.methods.behavior.translation_quality import ENCODER, as_translated, qualities, quality_name
from mtassay.stats import proportions, rater_agreement
from mtassay.stats.proportions import effective_trials

_SCALE = {"1": "unsatisfied", "2": "fair", "3": "satisfied"}
_FLUENCY = (
    "Satisfied: fluent, sensible and easy to understand. Fair: small mistakes in grammar, repetition, or "
    "content that goes against common sense. Unsatisfied: broken, or hard to understand."
)
_ADEQUACY = (
    "Does the target say all that the source says, and no more? Satisfied: everything is translated, in the "
    "same tense and structure. Fair: little is missing, tense or structure differ, or something was added. "
    "Unsatisfied: much is missing, or it is about something else. How fluent it is does not matter."
)
PAIR_QUESTIONS = {
    name: Question(name, text, _SCALE, is_blind=True, is_of_runs=False)
    for name, text in (
        ("ssf", f"How good is the source as a text? {_FLUENCY}"),
        ("tsf", f"How good is the target as a text? {_FLUENCY}"),
        ("ta", _ADEQUACY),
    )
}
"""Source and target fluency and adequacy, after the instructions in table 12 of Wu, Liu, Yeung (2023)."""
_SHOWN = {"ssf": ("source",), "tsf": ("target",), "ta": ("source", "target")}
ORIGINALS = "Ref"
"""The paper's name for the original pairs."""
ALPHA = "alpha"
_LOWEST, _HIGHEST = 1, 3
_SEED = 12345  # for the order in which people rate the pairs of a run

Decisions = Mapping[tuple[str, str], Decision]


class RatedPair(NamedTuple):
    """A source and any translation of it; the id is the id of the case or of the segment."""

    id: str
    source: str
    reference: str

    @property
    def subject(self) -> Subject:
        """The exact texts that the ratings are about."""
        return Subject(self.id, (self.source,), (self.reference,))


def edited_pairs(cases: Iterable[BehaviorCase]) -> list[RatedPair]:
    """Return the edited source and the pseudo-reference of each case, in order."""
    return [RatedPair(case.id, case.edited_source, case.pseudo_reference) for case in cases]


def original_pairs(cases: Iterable[BehaviorCase]) -> list[RatedPair]:
    """Return the pairs that the cases were made from, each once, in order."""
    return list(dict.fromkeys(RatedPair(case.segment_id, case.source, case.reference) for case in cases))


def cases_in(segments: Iterable[Segment]) -> list[BehaviorCase]:
    """Return the cases of a saved run that have an edit and references."""
    return [
        BehaviorCase(
            case.id,
            case.segment_id,
            str(case.tags["capability"]),
            str(case.sources[0]),
            str(case.expect["references"][0]),
            str(case.sources[1]),
            str(case.expect["references"][1]),
            tuple(case.expect["changes"]),
            tuple(case.expect["reference_changes"]),
        )
        for case in cases_of(segments)
        if case.skip is None
    ]


def sets_of(
    named: Iterable[tuple[str, str, Sequence[BehaviorCase]]], *, originals: bool = True
) -> dict[str, list[RatedPair]]:
    """Return the pairs of cases by the name of their set, all originals first."""
    cases_by_name: dict[str, Sequence[BehaviorCase]] = {}
    for name, written, cases in named:
        if name in cases_by_name or name == ORIGINALS:
            raise UsageError(f"Two sets are called '{name}'. Give them different names: NAME={written}")
        cases_by_name[name] = cases
    every = [case for cases in cases_by_name.values() for case in cases]
    sets = {ORIGINALS: original_pairs(every)} if originals else {}
    return sets | {name: edited_pairs(cases) for name, cases in cases_by_name.items()}


def chosen_questions(names: Sequence[str]) -> list[Question]:
    """Return the questions with these names, or all three without names."""
    if unknown := [name for name in names if name not in PAIR_QUESTIONS]:
        raise UsageError(f"No question '{unknown[0]}' about pairs. Available: {', '.join(PAIR_QUESTIONS)}.")
    return [PAIR_QUESTIONS[name] for name in dict.fromkeys(names) or PAIR_QUESTIONS]


def to_rate(
    sets: Mapping[str, Sequence[RatedPair]],
    questions: Sequence[Question],
    *,
    sample: int | None = None,
    seed: int = 12345,
) -> list[Pending]:
    """Choose the pairs to rate for each question: at most `sample` of each set, with all sets mixed."""
    drawn = [pair for pairs in sets.values() for pair in shuffled(pairs, seed=seed)[:sample]]
    return [rating(pair, question) for question in questions for pair in shuffled(drawn, seed=seed)]


def rating(pair: RatedPair, question: Question) -> Pending:
    """Show a pair to rate, with only the text in question, since the other text would affect the rating."""
    texts = {"source": pair.source, "target": pair.reference}
    lines = [Line(label, texts[label]) for label in _SHOWN[question.name]]
    segment = Segment(pair.id, pair.source)
    return Pending(pair.subject, question, "", (), "unrated", segment, lines=lines)


def shuffled(pairs: Iterable[RatedPair], *, seed: int) -> list[RatedPair]:
    """Return each pair once, in an order that depends only on the pairs and the seed.

    So all raters get the same order, and the order does not reveal who made a pair.
    """
    ordered = sorted(set(pairs))
    random.Random(seed).shuffle(ordered)
    return ordered


def pairs_in(segments: Sequence[Segment], question: str) -> list[AskedPair]:
    """Return the pairs of a saved run for one question, each once, with original and edited pairs mixed."""
    cases = cases_in(segments)
    places = {pair: case.id for case in cases for pair in (*edited_pairs([case]), *original_pairs([case]))}
    asked = []
    for pair in shuffled(places, seed=_SEED):
        lines = rating(pair, PAIR_QUESTIONS[question]).lines
        asked.append(AskedPair(places[pair], pair.id, pair.source, pair.reference, lines))
    return asked


def pair_quality(
    sets: Mapping[str, Sequence[RatedPair]],
    reviews: Sequence[Review],
    metrics: Mapping[str, Metric],
    context: RunContext,
    *,
    seed: int | None = 12345,
) -> Result:
    """Return people's ratings of each set, their agreement, and the scores of any reference-free measures."""
    scores = mean_ratings(sets, reviews)
    scores += agreement([pair for pairs in sets.values() for pair in pairs], reviews, seed=seed)
    if metrics:
        scores += adequacy(sets, metrics, context, seed=seed)
    subjects = {pair.subject.id for pairs in sets.values() for pair in pairs}
    raters = {r.reviewer for r in reviews if r.subject in subjects and r.question in PAIR_QUESTIONS}
    caution = caution_of_models(raters, "Ratings")
    counts = {name: {"pairs": len(pairs)} for name, pairs in sets.items()}
    return Result(scores, counts=counts, notes=[caution] if caution else [])


def mean_ratings(
    sets: Mapping[str, Sequence[RatedPair]],
    reviews: Iterable[Review],
    *,
    questions: Sequence[str] = tuple(PAIR_QUESTIONS),
) -> list[Score]:
    """The mean rating of each set (as the score's system) by question, from 1 to 3, with its 95 % interval.

    A pair counts once, with the mean over its raters; `n` counts the rated pairs. Only the newest answer of
    each rater counts, and `unsure` does not count. The interval is Wilson's with an effective number of
    trials from the variance of the ratings, so it has a width even if all ratings are equal.
    """
    decisions = decide(reviews)
    return [
        _mean(question, name, _ratings(pairs, question, decisions))
        for question in questions
        for name, pairs in sets.items()
    ]


def agreement(
    pairs: Iterable[RatedPair],
    reviews: Iterable[Review],
    *,
    questions: Sequence[str] = tuple(PAIR_QUESTIONS),
    seed: int | None = 12345,
) -> list[Score]:
    """Krippendorff's ordinal alpha of the raters, one for each question (as the score's group).

    `n` counts the pairs with two or more raters. The value is `None` if no pair was rated twice or all
    ratings are the same. The interval comes from resampling pairs.
    """
    decisions = decide(reviews)
    chosen = list(dict.fromkeys(pairs))
    return [_alpha(question, chosen, decisions, seed) for question in questions]


def adequacy(
    sets: Mapping[str, Sequence[RatedPair]],
    metrics: Mapping[str, Metric],
    context: RunContext,
    *,
    seed: int | None = 12345,
) -> list[Score]:
    """Adequacy of the translations of each set by a reference-free measure, between 0 and 1.

    The name of a score is the name of the measure. The value is the mean over pairs, and its interval comes
    from resampling pairs; pairs without a value are not in `n`.
    """
    for name, metric in metrics.items():
        if metric.reads_references:
            raise UsageError(f"The quality '{name}' reads references. Take a reference-free one: {ENCODER}.")
    everything = [as_translated(pair.source, pair.reference) for pairs in sets.values() for pair in pairs]
    values = qualities(metrics, everything, ["reference"], context)[:, 0]
    scores, done = [], 0
    for name, pairs in sets.items():
        part = values[done : done + len(pairs)]
        part = part[~np.isnan(part)]
        done += len(pairs)
        low, high = proportions.bootstrap_interval(lambda drawn: float(drawn.mean()), [part], seed=seed)
        scores.append(
            _score(
                quality_name(metrics),
                name,
                "all",
                part.mean() if len(part) else math.nan,
                len(part),
                low,
                high,
            )
        )
    return scores


def _ratings(pairs: Sequence[RatedPair], question: str, decisions: Decisions) -> list[dict[str, int]]:
    """The ratings of each rated pair, by rater."""
    scale = {answer: int(key) for key, answer in PAIR_QUESTIONS[question].keys.items()}
    ratings = []
    for pair in pairs:
        decision = decisions.get((pair.subject.id, question))
        if decision is not None and decision.ratings:
            ratings.append({rater: scale[answer] for rater, answer in decision.ratings.items()})
    return ratings


def _mean(question: str, name: str, ratings: Sequence[Mapping[str, int]]) -> Score:
    n = len(ratings)
    if n == 0:
        return Score(question, name, "all", None, 0)
    width = _HIGHEST - _LOWEST
    shares = np.array([(np.mean(list(by_rater.values())) - _LOWEST) / width for by_rater in ratings])
    share = float(shares.mean())
    variance = float(shares.var(ddof=1)) / n if n > 1 else math.nan
    trials = effective_trials(share, variance, least=n)
    low, high = proportions.wilson(share * trials, trials)
    return _score(
        question, name, "all", *(_LOWEST + width * share, n), _LOWEST + width * low, _LOWEST + width * high
    )


def _alpha(question: str, pairs: Sequence[RatedPair], decisions: Decisions, seed: int | None) -> Score:
    twice = [by_rater for by_rater in _ratings(pairs, question, decisions) if len(by_rater) > 1]
    raters = sorted({rater for by_rater in twice for rater in by_rater})
    rows = np.array([[by_rater.get(rater, np.nan) for by_rater in twice] for rater in raters])
    if not twice:
        return Score(ALPHA, "raters", question, None, 0)
    value = rater_agreement.ordinal_alpha(rows)
    low, high = proportions.bootstrap_interval(rater_agreement.ordinal_alpha, [rows], seed=seed)
    return _score(ALPHA, "raters", question, value, len(twice), low, high)


def _score(name: str, system: str, group: str, value: float, n: int, low: float, high: float) -> Score:
    numbers = (None if math.isnan(number) else float(number) for number in (value, low, high))
    shown, below, above = numbers
    return Score(name, system, group, shown, n, below, above)


_HEADS = {"ssf": "SSF", "tsf": "TSF", "ta": "TA"}


def pair_quality_table(result: Result) -> Table:
    """The table of mean ratings and measures by set, with 95 % intervals and n; the agreement is last.

    It is laid out as table 2 of Wu, Liu, Yeung (2023). A missing rating is a dash.
    """
    scores = {(score.name, score.system): score for score in result.scores if score.name != ALPHA}
    measures = [n for n in dict.fromkeys(name for name, _ in scores) if n not in _HEADS]
    rows: list[list[Cell | str]] = []
    for name, counts in result.counts.items():
        row: list[Cell | str] = [printable(name), f"{counts['pairs']:,}"]
        row += [_cell(scores.get((rating, name)), 2) for rating in _HEADS]
        row += [_cell(scores.get((measure, name)), 3, whole=counts["pairs"]) for measure in measures]
        rows.append(row)
    alphas = {score.group: score for score in result.scores if score.name == ALPHA}
    if any(score.value is not None for score in alphas.values()):
        rows.append(["alpha", "", *(_cell(alphas.get(r), 2) for r in _HEADS), *("" for _ in measures)])
    header = ["Pairs", "pairs", *_HEADS.values(), *measures]
    return Table(header, rows, notes=_notes(result, alphas, measures))


def _notes(result: Result, alphas: dict[str, Score], measures: list[str]) -> list[str]:
    notes = [
        "SSF, TSF: fluency of source and target; TA: adequacy. Means over pairs of the ratings, from 1 "
        "(unsatisfied) to 3 (satisfied); in brackets the 95 % interval, in parentheses the pairs rated."
    ]
    notes += result.notes
    if not any(score.n for score in result.scores if score.name in _HEADS):
        notes.append("Nobody has rated any of these pairs yet: see 'mtassay behavior rate'.")
    if any(score.value is not None for score in alphas.values()):
        notes.append(
            "alpha: how far raters agree (Krippendorff's, ordinal; 1 fully, 0 as by chance), on the pairs of "
            "all sets that two or more rated."
        )
    undefined = [_HEADS[name] for name, score in alphas.items() if score.n and score.value is None]
    if undefined:
        notes.append(f"alpha of {', '.join(undefined)} is undefined: all ratings are the same.")
    if measures:
        notes.append(
            f"{', '.join(measures)}: adequacy by a measure that reads no reference, the mean over all pairs."
        )
    return notes


def _cell(score: Score | None, decimals: int, *, whole: int | None = None) -> str:
    """A mean, its interval and its n; n is omitted if it counts all pairs."""
    if score is None or score.value is None:
        return "–"
    text = f"{score.value:.{decimals}f}"
    if score.low is not None and score.high is not None:
        text += f" [{score.low:.{decimals}f}–{score.high:.{decimals}f}]"
    return text if score.n == whole else f"{text} ({score.n:,})"
