"""Quality control of a campaign as at WMT: attention checks, a calibration round, rules of exclusion.

An attention check looks like an output. It is a damaged output, which nobody should find good, a human
reference, which nobody should find bad, or a repeated output, which should get the same answer. All reviewers
get all checks. Checks count nowhere else. In the calibration round at the start, everybody answers the same
outputs and sees the other answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from mtassay.data.display import Cell, Table
from mtassay.data.errors import UsageError
from mtassay.data.marks import printable
from mtassay.data.nouns import UNSURE, Question
from mtassay.data.questions import NumberQuestion, SpanQuestion, span_answer
from mtassay.data.subjects import Decision, Pending, Subject
from mtassay.stats.proportions import wilson

DAMAGED, REFERENCE, REPEATED, CALIBRATION = "damaged", "reference", "repeated", "calibration"
_CHECKS = (DAMAGED, REFERENCE, REPEATED)
_NO_MAJORITY = 0.5


def kind_of_check(status: str) -> str:
    """The kind of check with this status, empty for an output that is not a check.

    >>> kind_of_check("damaged:3f2a"), kind_of_check("undecided")
    ('damaged', '')
    """
    kind = status.partition(":")[0]
    return kind if kind in _CHECKS else ""


def is_counted(status: str) -> bool:
    """Whether answers with this status count: not those of checks and of the calibration round."""
    return not kind_of_check(status) and status != CALIBRATION


def with_checks(
    entries: Sequence[Pending], share: float, *, seed: int, calibration: int = 0
) -> list[Pending]:
    """Mark the first entries as calibration, and add attention checks as this share of the entries."""
    draw = Random(seed)
    chosen = {entry.subject for entry in draw.sample(entries, min(calibration, len(entries)))}
    marked = [replace(e, status=CALIBRATION) if e.subject in chosen else e for e in entries]
    if not share:
        return marked
    if entries[0].question.kind == "spans" and not entries[0].systems:
        raise UsageError("Attention checks are about outputs, not about references: leave them out.")
    checks: dict[str, Pending] = {}
    wanted = max(round(share * len(entries)), len(_CHECKS))
    order = draw.sample(entries, len(entries))
    for number, entry in enumerate(order * len(_CHECKS)):
        if len(checks) == wanted:
            break
        kind = _CHECKS[(number + number // len(order)) % len(_CHECKS)]
        text = _text_of(kind, entry, order[(number + 1) % len(order)])
        subject = Subject(entry.subject.case_id, entry.subject.sources, (*entry.subject.outputs[:-1], text))
        if text and all(subject != other.subject for other in entries):
            checks[subject.id] = replace(entry, subject=subject, status=f"{kind}:{entry.subject.id}")
    return [*marked, *checks.values()]


def _text_of(kind: str, entry: Pending, other: Pending) -> str:
    output = entry.subject.outputs[-1]
    if kind == DAMAGED:
        return damaged(output, other.subject.outputs[-1])
    if kind == REPEATED:
        return f"{output} "  # change one letter, so that it is asked again
    return next((text for text in entry.segment.references if text), "")


def damaged(text: str, other: str) -> str:
    """Replace the middle half of a text by words of another; by characters for scripts without spaces.

    >>> damaged("one two three four", "five six seven")
    'one five six four'
    """
    parts, blank = (text.split(), " ") if " " in text.strip() else (list(text), "")
    donor = other.split() if blank else list(other)
    half = max(len(parts) // 2, 1)
    start = (len(parts) - half) // 2
    return blank.join([*parts[:start], *donor[:half], *parts[start + half :]])


def quality(question: Question, answer: str) -> float:
    """Return the quality that an answer gives an output, from 0 to 1.

    >>> from mtassay.data.questions import find_question
    >>> quality(find_question("da"), "85"), quality(find_question("suite"), "incorrect")
    (0.85, 0.0)
    """
    if isinstance(question, NumberQuestion):
        return (float(answer) - question.low) / (question.high - question.low)
    if isinstance(question, SpanQuestion):
        read = span_answer(answer)
        if read.score is not None:
            return read.score / 100
        return 0.0 if any(span.severity in ("major", "critical") for span in read.spans) else 1.0
    return float(answer == "correct")


def passes(question: Question, kind: str, answer: str, original: str | None) -> bool | None:
    """Whether an answer to a check is right; `None` if that is unknown.

    `original` is the person's answer to the output from which the check was made.
    """
    if answer == UNSURE or original == UNSURE or (kind == REPEATED and original is None):
        return None
    value = quality(question, answer)
    if kind == REFERENCE:
        return value >= _NO_MAJORITY
    if kind == DAMAGED:
        is_worse = original is not None and value < quality(question, original)
        return value < _NO_MAJORITY or (is_worse and question.kind == "number")
    return not question.differ([answer, original or ""])


@dataclass(frozen=True, slots=True)
class CheckedReviewer:
    """One reviewer's quality: checks passed and seen, by kind, and agreement with the majority.

    `calibrated` of the `calibration` outputs got the same answer from this person as from most others.
    `why_excluded` is the rule that excludes this person, empty if none does.
    """

    reviewer: str
    passed: Mapping[str, int]
    asked: Mapping[str, int]
    calibrated: int = 0
    calibration: int = 0
    why_excluded: str = ""

    @property
    def share(self) -> tuple[float, float, float] | None:
        """The share of checks that were passed with Wilson's 95 % interval; `None` without any."""
        return _share(sum(self.passed.values()), sum(self.asked.values()))

    @property
    def consistency(self) -> tuple[float, float, float] | None:
        """The share of repeated outputs that got the same answer from this person."""
        return _share(self.passed[REPEATED], self.asked[REPEATED])


def _share(k: int, n: int) -> tuple[float, float, float] | None:
    """A share with Wilson's 95 % interval; `None` for 0 of 0."""
    return (k / n, *wilson(k, n)) if n else None


def checked_reviewers(
    question: Question,
    reviewers: Sequence[str],
    statuses: Mapping[str, str],
    decisions: Mapping[tuple[str, str], Decision],
    seconds: Mapping[str, float | None],
    *,
    exclude_below: float,
    exclude_faster: float,
) -> list[CheckedReviewer]:
    """Return each reviewer's quality in the checks; `subjects` have a status by their id.

    The rules of the campaign exclude a reviewer who passes less than the share `exclude_below`, or takes less
    than `exclude_faster` seconds for an output (the median).
    """

    def said(subject: str, name: str) -> str | None:
        decision = decisions.get((subject, question.name))
        review = decision.latest.get(name) if decision else None
        return review.answer if review else None

    found = []
    for name in reviewers:
        passed, asked = dict.fromkeys(_CHECKS, 0), dict.fromkeys(_CHECKS, 0)
        alike = calibration = 0
        for subject, status in statuses.items():
            answer = said(subject, name)
            if answer is None:
                continue
            if kind := kind_of_check(status):
                result = passes(question, kind, answer, said(status.partition(":")[2], name))
                asked[kind] += result is not None
                passed[kind] += bool(result)
            elif status == CALIBRATION and answer != UNSURE:
                others = [text for other in reviewers if other != name and (text := said(subject, other))]
                held = question.combine([text for text in others if text != UNSURE])
                calibration += held is not None
                alike += held is not None and not question.differ([answer, held])
        reviewer = CheckedReviewer(name, passed, asked, alike, calibration)
        pace = seconds.get(name)
        why = ""
        if reviewer.share is not None and reviewer.share[0] < exclude_below:
            why = f"passed less than {100 * exclude_below:g} % of the checks"
        elif pace is not None and pace < exclude_faster:
            why = f"took less than {exclude_faster:g} s for an output"
        found.append(replace(reviewer, why_excluded=why))
    return found


def checks_table(found: Iterable[CheckedReviewer], rules: Sequence[str]) -> Table:
    """The quality of each reviewer, by the campaign's own rules of exclusion."""
    rows: list[list[Cell | str]] = []
    for entry in found:
        cells = [f"{entry.passed[kind]:,} of {entry.asked[kind]:,}" for kind in _CHECKS]
        alike = f"{entry.calibrated:,} of {entry.calibration:,}"
        shares = [_told_share(entry.share), _told_share(entry.consistency)]
        rows.append([printable(entry.reviewer), *cells, *shares, alike, entry.why_excluded])
    header = ["reviewer", *_CHECKS, "passed", "again the same", CALIBRATION, "excluded"]
    notes = [
        "Number of damaged outputs called bad, references called good, and repeated outputs with the same "
        "answer as before. In brackets: Wilson's 95 % interval. Calibration: outputs with the same answer as "
        "most reviewers gave.",
        *(f"Excluded from agreement, by the rules set before: {rule}." for rule in rules),
    ]
    return Table(header, rows, "Attention checks and calibration", notes)


def _told_share(share: tuple[float, float, float] | None) -> str:
    if share is None:
        return "–"
    value, low, high = (100 * part for part in share)
    return f"{value:.0f} % [{low:.0f}–{high:.0f}]"
