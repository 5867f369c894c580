"""An audit: how far people agree with what a run settled without them, on a sample drawn at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from mtassay.display import Cell, Table
from mtassay.reviews.queue import Pending
from mtassay.reviews.subjects import Decision, caution_of_models
from mtassay.stats.proportions import wilson

__all__ = ["Audit", "AuditRow", "TrackRecord", "audit_of"]

RIGHT = "correct"


class TrackRecord(NamedTuple):
    """How a judge did on labelled outputs that had no part in how it judges.

    Of `n` outputs by an `engine`, `wrong` hold an error; it called `failed` of all and `caught` of the wrong
    ones wrong, and left `undecided` open.
    """

    engine: str
    n: int
    wrong: int
    failed: int
    caught: int
    undecided: int

    def tell(self) -> str:
        """The same in words.

        >>> TrackRecord("nmt", 300, 100, 75, 60, 80).tell()
        'sees 6 of 10 errors of nmt, and 8 of 10 that it reports are errors (n = 300)'
        """
        seen, right = (round(10 * self.caught / max(whole, 1)) for whole in (self.wrong, self.failed))
        return (
            f"sees {seen} of 10 errors of {self.engine}, and {right} of 10 that it reports are errors "
            f"(n = {self.n})"
        )


@dataclass(frozen=True, slots=True)
class AuditRow:
    """How many of the `n` verdicts of one kind people find right, with Wilson's 95 % interval in percent."""

    verdict: str
    n: int
    right: int
    low: float | None
    high: float | None

    @property
    def share(self) -> float | None:
        """In percent; `None` without any."""
        return 100 * self.right / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class Audit:
    """What people say of a sample of `drawn` out of `settled` verdicts, by verdict and for all of them.

    `reviewers` are those whose answers count; `disputed` is what they do not agree on, `unsure` what nobody
    could tell, and `wrong` are the outputs whose verdict people find wrong.
    """

    rows: Sequence[AuditRow]
    drawn: int
    settled: int
    disputed: int
    unsure: int
    reviewers: Sequence[str]
    wrong: Sequence[Pending]

    @property
    def answered(self) -> int:
        """How many of the sample count."""
        return self.rows[-1].n

    def record(self) -> dict[str, Any]:
        """All of it for a program."""
        return {
            "verdicts": [{**asdict(row), "share": row.share} for row in self.rows],
            "drawn": self.drawn,
            "settled": self.settled,
            "disputed": self.disputed,
            "unsure": self.unsure,
            "reviewers": list(self.reviewers),
            "wrong": [
                {
                    "subject": entry.subject.id,
                    "case_id": entry.subject.case_id,
                    "verdict": entry.status,
                    "source": entry.segment.source,
                    "output": entry.subject.outputs[-1],
                }
                for entry in self.wrong
            ],
        }

    def table(self) -> Table:
        """The verdicts of the run, and how many of them are right."""
        rows: list[list[Cell | str]] = [
            [
                row.verdict,
                f"{row.n:,}",
                f"{row.right:,}",
                "–" if row.share is None else f"{row.share:.1f} %",
                "" if row.low is None else f"[{row.low:.1f}, {row.high:.1f}]",
            ]
            for row in self.rows
        ]
        left = self.drawn - self.answered - self.disputed - self.unsure
        rest = {"not answered yet": left, "disputed": self.disputed, "unsure": self.unsure}
        open_ones = ", ".join(f"{count:,} {what}" for what, count in rest.items() if count)
        notes = [
            f"A sample of {self.drawn:,} of the {self.settled:,} outputs that were settled without people"
            f"{f'; {open_ones}' if open_ones else ''}.",
            "Equal outputs count once. 95 %: Wilson's interval.",
        ]
        if self.reviewers:
            names = ", ".join(self.reviewers)
            notes.append(f"By {names}, who did not see the verdicts.")
            notes.append(caution_of_models(self.reviewers, "Answers"))
        header = ["Verdict", "n", "right", "share", "95 %"]
        return Table(header, rows, "Audit of the verdicts", list(filter(None, notes)))


def audit_of(
    sample: Sequence[Pending], decisions: Mapping[tuple[str, str], Decision], *, settled: int
) -> Audit:
    """What the decisions say of the verdicts in a sample of `settled` ones.

    A verdict is right if it and people both say `correct`, or both something else.
    """
    counts: dict[str, list[int]] = {verdict: [0, 0] for verdict in dict.fromkeys(e.status for e in sample)}
    disputed = unsure = 0
    reviewers: dict[str, None] = {}
    wrong = []
    for entry in sample:
        decision = decisions.get((entry.subject.id, entry.question.name))
        if decision is None:
            continue
        if decision.is_disputed:
            disputed += 1
        elif decision.answer is None:
            unsure += 1
        else:
            is_right = (decision.answer == RIGHT) == (entry.status == RIGHT)
            counts[entry.status][0] += 1
            counts[entry.status][1] += is_right
            reviewers |= dict.fromkeys(decision.voices)
            if not is_right:
                wrong.append(entry)
    rows = [_row(verdict, *pair) for verdict, pair in sorted(counts.items())]
    rows.append(_row("all", sum(row.n for row in rows), sum(row.right for row in rows)))
    return Audit(rows, len(sample), settled, disputed, unsure, list(reviewers), wrong)


def _row(verdict: str, n: int, right: int) -> AuditRow:
    if not n:
        return AuditRow(verdict, 0, 0, None, None)
    low, high = wilson(right, n)
    return AuditRow(verdict, n, right, 100 * low, 100 * high)
