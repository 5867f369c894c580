"""Agreement of reviewers on a question: in percent, Cohen's and Fleiss' kappa, Krippendorff's alpha.

Labels agree if they are equal, and ratings if they differ by at most the tolerance of the question. For
ratings, kappa is weighted by squared differences, and alpha is that of intervals. In spans, each character is
a unit labelled with its marks, and whole texts are resampled.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtassay.data.display import Cell, Table
from mtassay.data.marks import printable
from mtassay.data.questions import COMMON_QUESTIONS, NumberQuestion, SpanQuestion, span_answer
from mtassay.data.subjects import Decision, Subject
from mtassay.stats.proportions import wilson
from mtassay.stats.rater_agreement import estimate_agreement, estimate_kappa

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AgreementCoefficient:
    """One coefficient on the `n` subjects that two or more of the reviewers rated, with its 95 % interval.

    `value` is `None` if it is undefined, and `remark` says why it is missing.
    """

    measure: str
    reviewers: tuple[str, ...]
    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    remark: str = ""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> AgreementCoefficient:
        """The coefficient from a JSON record."""
        return cls(**{**record, "reviewers": tuple(record["reviewers"])})


def agreements(
    decisions: Mapping[tuple[str, str], Decision],
    question: str,
    *,
    seed: int | None = 12345,
    subjects: Mapping[str, Subject] | None = None,
    with_pairs: bool = True,
) -> Iterator[AgreementCoefficient]:
    """Return coefficients of each pair of reviewers (agreement, cohen), then of all of them.

    Two reviewers have only one agreement. `unsure` and adjudications are no ratings. If a reviewer changed an
    answer, the newest one counts. Spans need their `subjects`, by id. Without `with_pairs` only the
    coefficients of all reviewers are given.
    """
    ratings = {s: d.ratings for (s, asked), d in decisions.items() if asked == question}
    yield from agreements_of(ratings, question, seed=seed, subjects=subjects, with_pairs=with_pairs)


def agreements_of(
    ratings: Mapping[str, Mapping[str, str]],
    question: str,
    *,
    seed: int | None = 12345,
    subjects: Mapping[str, Subject] | None = None,
    with_pairs: bool = True,
) -> Iterator[AgreementCoefficient]:
    """Return the same coefficients from answers by subject and reviewer."""
    reviewers = sorted({name for said in ratings.values() for name in said})
    if len(reviewers) < 2:
        return
    rated = {subject: said for subject, said in ratings.items() if len(said) > 1}
    scale = _Scale(rated, reviewers, COMMON_QUESTIONS.get(question), subjects or {})
    if with_pairs:
        for pair in combinations(range(len(reviewers)), 2):
            yield from _of_pair(scale, pair, (reviewers[pair[0]], reviewers[pair[1]]), seed)
    yield from _of_all(scale, tuple(reviewers), seed, with_observed=len(reviewers) > 2 or not with_pairs)


def agreements_by(
    decisions: Mapping[tuple[str, str], Decision],
    question: str,
    groups: Mapping[str, Collection[str]],
    *,
    seed: int | None = 12345,
    subjects: Mapping[str, Subject] | None = None,
) -> dict[str, list[AgreementCoefficient]]:
    """The agreement of all reviewers on each group of subjects; a group without double ratings is empty."""
    found: dict[str, list[AgreementCoefficient]] = {}
    for name, members in groups.items():
        inside = {about: decisions[about] for s in members if (about := (s, question)) in decisions}
        all_of_it = agreements(inside, question, seed=seed, subjects=subjects, with_pairs=False)
        found[name] = [entry for entry in all_of_it if entry.n]
    return found


def scale_note(question: str) -> str:
    """The meaning of agreement for a question with ratings or spans; empty for a choice.

    >>> scale_note("adequacy")
    'Agreement: at most 1 apart; kappa with quadratic weights, alpha of intervals.'
    """
    asked = COMMON_QUESTIONS.get(question)
    if isinstance(asked, NumberQuestion):
        apart = f"at most {asked.tolerance:g} apart"
        return f"Agreement: {apart}; kappa with quadratic weights, alpha of intervals."
    return "Agreement of characters, by what is marked there; texts are resampled." if asked else ""


class _Scale:
    """Ratings as numbers (reviewers, units), and the subject of each unit."""

    def __init__(
        self,
        rated: Mapping[str, Mapping[str, str]],
        reviewers: Sequence[str],
        question: Any,
        subjects: Mapping[str, Subject],
    ) -> None:
        self.is_number = isinstance(question, NumberQuestion)
        self.tolerance = float(question.tolerance) if self.is_number else 0.0
        self.sizes = {len(answers) for answers in rated.values()}
        self._codes: dict[str, float] = {}
        rows = {name: place for place, name in enumerate(reviewers)}
        columns: list[Floats] = [np.empty((len(reviewers), 0))]
        clusters: list[int] = []
        for number, (subject, answers) in enumerate(rated.items()):
            if isinstance(question, SpanQuestion):
                units = self._characters(answers, rows, question, subjects[subject])
            else:
                units = np.full((len(reviewers), 1), np.nan)
                for name, answer in answers.items():
                    units[rows[name], 0] = float(answer) if self.is_number else self._code(answer)
            columns.append(units)
            clusters += [number] * units.shape[1]
        self.values: Floats = np.concatenate(columns, axis=1)
        self.clusters = np.array(clusters, dtype=np.int64)

    def _code(self, label: str) -> float:
        return self._codes.setdefault(label, float(len(self._codes)))

    def _characters(
        self, answers: Mapping[str, str], rows: Mapping[str, int], question: SpanQuestion, subject: Subject
    ) -> Floats:
        """Each reviewer's marks at each character of the target, and of the source where it may be marked."""
        target, source = len(subject.outputs[-1]), len(subject.sources[-1] or "")
        units = np.full((len(rows), target + (source if question.has_source else 0)), np.nan)
        for name, answer in answers.items():
            marks: dict[int, list[str]] = {}
            for span in span_answer(answer).spans:
                begin = target if span.side == "source" else 0
                for place in range(begin + span.start, begin + span.end):
                    marks.setdefault(place, []).append(f"{span.label}\t{span.severity}")
            units[rows[name]] = self._code("")
            for place, labels in marks.items():
                units[rows[name], place] = self._code("\n".join(sorted(labels)))
        return units


def _of_pair(
    scale: _Scale, pair: tuple[int, int], names: tuple[str, str], seed: int | None
) -> Iterator[AgreementCoefficient]:
    first, second = (scale.values[place] for place in pair)
    both = ~np.isnan(first) & ~np.isnan(second)
    same = np.abs(first[both] - second[both]) <= scale.tolerance
    n = len(np.unique(scale.clusters[both]))
    if n == len(same):
        low, high = wilson(int(same.sum()), n)
        value = float(same.mean()) if n else math.nan
    else:  # characters of one text form a cluster
        whole = estimate_agreement(scale.values[list(pair)], clusters=scale.clusters, seed=seed)["agreement"]
        value, low, high, n = whole
    yield _agreement("agreement", names, value, n, (low, high))
    kappa = estimate_kappa(first, second, weighted=scale.is_number, clusters=scale.clusters, seed=seed)
    yield _agreement("cohen", names, kappa.value, kappa.n, (kappa.low, kappa.high))


def _of_all(
    scale: _Scale, names: tuple[str, ...], seed: int | None, *, with_observed: bool
) -> Iterator[AgreementCoefficient]:
    level = "interval" if scale.is_number else "nominal"
    found = estimate_agreement(scale.values, level=level, clusters=scale.clusters, seed=seed)  # type: ignore[arg-type]
    n = found["krippendorff"].n
    for measure, estimate in found.items():
        if measure == "agreement" and not with_observed:
            continue
        if measure == "fleiss" and len(scale.sizes) > 1:
            remark = f"not given: subjects have from {min(scale.sizes)} to {max(scale.sizes)} ratings"
            yield AgreementCoefficient("fleiss", names, None, n, remark=remark)
        else:
            yield _agreement(measure, names, estimate.value, n, (estimate.low, estimate.high))


def _agreement(
    measure: str, reviewers: tuple[str, ...], value: float, n: int, interval: tuple[float, float]
) -> AgreementCoefficient:
    low, high = (None if math.isnan(end) else float(end) for end in interval)
    if math.isnan(value):
        remark = "undefined: all ratings are the same" if n else "undefined: no subject in common"
        return AgreementCoefficient(measure, reviewers, None, n, remark=remark)
    return AgreementCoefficient(measure, reviewers, float(value), n, low, high)


# As tables ------------------------------------------------------------------------------------------------


LABELS = {
    "agreement": "agreement",
    "cohen": "Cohen's kappa",
    "fleiss": "Fleiss' kappa",
    "krippendorff": "Krippendorff's alpha",
}


def agreement_table(
    found: Sequence[AgreementCoefficient],
    *,
    title: str = "",
    first: Sequence[str] = (),
    how: str = "rated",
    changed: int = 0,
    last: Sequence[str] = (),
) -> Table:
    """The coefficients with their meaning, between the notes `first` and `last`; empty notes are left out."""
    remarks = {f"{LABELS[e.measure]} is {e.remark}." for e in found if e.remark and e.n}
    notes = [
        *first,
        *sorted(remarks),
        f"n: outputs that two or more of the line's reviewers {how}.",
        f"Changed after the answers of others could be seen: {changed:,}. The answers before count here."
        * bool(changed),
        *last,
    ]
    header = ["reviewers", "measure", "value", "95 % interval", "n"]
    return Table(header, agreement_rows(found), title, list(filter(None, notes)))


def agreement_rows(found: Sequence[AgreementCoefficient]) -> list[list[Cell | str]]:
    """One row per coefficient; pairs of reviewers with nothing in common are left out."""
    everyone = max((len(entry.reviewers) for entry in found), default=0)
    rows: list[list[Cell | str]] = []
    for entry in found:
        is_all = len(entry.reviewers) > 2 or entry.measure in ("fleiss", "krippendorff")
        if entry.n or (is_all and len(entry.reviewers) == everyone):
            who = "all" if is_all else printable(" × ".join(entry.reviewers))
            value = number(entry, entry.value)
            rows.append([who, LABELS[entry.measure], value, between(entry), f"{entry.n:,}"])
    return rows


def number(entry: AgreementCoefficient, value: float | None) -> str:
    """A coefficient as text, a share in percent; a dash if undefined."""
    if value is None:
        return "–"
    return f"{100 * value:.1f} %" if entry.measure == "agreement" else f"{value:.3f}"


def between(entry: AgreementCoefficient) -> str:
    """Its interval as text; empty if undefined."""
    if entry.low is None or entry.high is None:
        return ""
    return f"{number(entry, entry.low)} to {number(entry, entry.high)}"
