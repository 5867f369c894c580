"""What holds after several reviews: one pure function of all that people answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from mtassay.core import Review

__all__ = ["UNSURE", "Decision", "decide", "review_now"]

UNSURE = "unsure"
"""The answer to any question of somebody who cannot tell. It settles nothing."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the reviews of one subject and question come to; `answer` is `None` while nothing is settled."""

    answer: str | None
    latest: Mapping[str, Review]
    """The newest review of each reviewer."""

    @property
    def ratings(self) -> dict[str, str]:
        """The answer of each reviewer who had one; `unsure` is none."""
        return {name: r.answer for name, r in self.latest.items() if r.answer != UNSURE}

    @property
    def is_disputed(self) -> bool:
        """Whether reviewers answered, and no answer has more than half of them."""
        return self.answer is None and bool(self.ratings)


def decide(reviews: Iterable[Review]) -> dict[tuple[str, str], Decision]:
    """What holds now, by subject and question.

    Of each reviewer the newest answer counts, and `unsure` is no answer. What more than half of them
    say holds; otherwise it is disputed, until somebody changes an answer or one more person decides.
    """
    latest: dict[tuple[str, str], dict[str, Review]] = {}
    for review in sorted(reviews, key=lambda review: review.at):
        latest.setdefault((review.subject, review.question), {})[review.reviewer] = review
    return {key: Decision(_majority(by_reviewer), by_reviewer) for key, by_reviewer in latest.items()}


def _majority(latest: Mapping[str, Review]) -> str | None:
    answers = Counter(review.answer for review in latest.values() if review.answer != UNSURE)
    if not answers:
        return None
    answer, votes = answers.most_common(1)[0]
    return answer if 2 * votes > answers.total() else None


def review_now(subject: str, question: str, answer: str, reviewer: str, *, note: str = "") -> Review:
    """A review given at this moment. The time is exact, so that a quick change of mind is a new review."""
    return Review(subject, question, answer, reviewer, note, datetime.now(UTC).isoformat())
