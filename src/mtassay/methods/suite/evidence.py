"""Why an output was judged as it was: the record that every finding of a suite carries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from mtassay.core import DISPUTED, Finding, Verdict
from mtassay.display import Span
from mtassay.texts.marks import marked, printable

__all__ = ["DETECTOR", "STATUSES", "VERDICTS", "Applied", "VerdictEvidence", "is_notable", "status_of"]

DETECTOR = "suite"
VERDICTS: Mapping[str, Verdict] = {
    "correct": "pass",
    "incorrect": "fail",
    "undecided": "undecided",
    "conflict": "undecided",
}
STATUSES = (*VERDICTS, "skipped", "error")
"""What can become of an item: what its output is judged to be, or why there is none."""


class Applied(NamedTuple):
    """A rule that applied: of which kind, what it matched and where, and what its author said."""

    kind: str
    rule: str
    match: str = ""
    span: Span = (0, 0)
    author: str = ""
    date: str = ""
    note: str = ""

    @property
    def is_token(self) -> bool:
        """Whether it is a whole output that a person settled."""
        return self.kind.endswith("tokens")

    def line(self) -> str:
        """Which rule it is, what it matched, and what its author said."""
        kind = self.kind.replace("_", " ")
        if self.is_token:
            line = f"{kind.removesuffix('s')}: this very output"
        else:
            line = f"{kind}: {marked(self.rule, limit=200)} matches '{marked(self.match, limit=100)}'"
        about = [printable(text) for text in (self.note, self.author, self.date) if text]
        return f"{line} ({', '.join(about)})" if about else line


@dataclass(frozen=True, slots=True)
class VerdictEvidence:
    """The status of an output and why; of an output that is not there, only why.

    `matches` are all rules that apply, tokens first; `timed_out` the rules that took too long. `rules_say` is
    the status that people overruled, and `disputed` that they do not agree.

    >>> VerdictEvidence.of({"status": "undecided", "why": "no rule applies"}).settled_by("correct").record()
    {'status': 'correct', 'why': 'reviewers settled this output', 'rules_say': 'undecided'}
    """

    status: str = ""
    why: str = ""
    matches: Sequence[Applied] = ()
    timed_out: Sequence[str] = ()
    rules_say: str = ""
    disputed: bool = False

    @classmethod
    def of(cls, record: Mapping[str, Any], *, matches: bool = True) -> Self:
        """Reads the evidence of a finding; without `matches` faster, for who only wants what it came to."""
        return cls(
            status=str(record.get("status") or ""),
            why=str(record.get("why") or record.get("reason") or ""),
            matches=[_applied(match) for match in record.get("matches", ())] if matches else (),
            timed_out=[str(rule) for rule in record.get("timed_out", ())],
            rules_say=str(record.get("rules_say") or ""),
            disputed=bool(record.get("disputed")),
        )

    def record(self) -> dict[str, Any]:
        """The same as plain values, without what says nothing."""
        record: dict[str, Any] = {"status": self.status, "why": self.why}
        if self.matches:
            record["matches"] = [_match_record(match) for match in self.matches]
        if self.timed_out:
            record["timed_out"] = list(self.timed_out)
        if self.rules_say:
            record["rules_say"] = self.rules_say
        if self.disputed:
            record["disputed"] = True
        return record

    @property
    def verdict(self) -> Verdict:
        """What the status means for the item."""
        return VERDICTS[self.status]

    @property
    def by_rules(self) -> str:
        """The status by the rules alone."""
        return self.rules_say or self.status

    @property
    def reason(self) -> str:
        """Why, and what the rules say where people said something else."""
        return f"{self.why}{f'; the rules say {self.rules_say}' if self.rules_say else ''}"

    def settled_by(self, answer: str | None) -> VerdictEvidence:
        """The evidence after people answered `correct` or `incorrect`, or could not agree."""
        if answer in ("correct", "incorrect"):
            before = self.status if self.status != answer else ""
            why = "reviewers settled this output"
            return VerdictEvidence(answer, why, self.matches, self.timed_out, rules_say=before)
        if answer == DISPUTED:
            why = f"{self.why}; reviewers disagree"
            return VerdictEvidence(self.status, why, self.matches, self.timed_out, disputed=True)
        return self

    def spans(self, text: str) -> list[Span]:
        """Where rules matched in this output.

        Rules see the text normalised. Where that moved a match it is looked for; if it is not to be found as
        it stands, it is not marked.
        """
        spans = []
        for match in self.matches:
            if match.is_token:
                continue  # a token is the whole output
            start, end = match.span
            if match.match and text[start:end] != match.match:
                start = text.find(match.match)
                end = start + len(match.match)
            if start >= 0:
                spans.append((start, end))
        return spans

    def lines(self) -> list[str]:
        """One line for each rule that matched, and for each that was too slow."""
        slow = [f"too slow: {marked(rule, limit=200)}" for rule in self.timed_out]
        return [*(match.line() for match in self.matches), *slow]


def is_notable(record: Mapping[str, Any]) -> bool:
    """Whether a reader of the tables must hear of it: rules or people disagree, or a rule took too long."""
    return record.get("status") == "conflict" or "disputed" in record or "timed_out" in record


def status_of(finding: Finding) -> str:
    """`correct`, `incorrect`, `undecided` or `conflict`; without an output `skipped` or `error`."""
    return (
        VerdictEvidence.of(finding.evidence, matches=False).status
        if finding.detector == DETECTOR
        else str(finding.verdict)
    )


def _applied(record: Mapping[str, Any]) -> Applied:
    start, end = record.get("span", (0, 0))
    return Applied(
        str(record.get("kind", "rule")),
        str(record.get("rule", "")),
        str(record.get("match", "")),
        (start, end),
        *(str(record.get(key) or "") for key in ("author", "date", "note")),
    )


def _match_record(match: Applied) -> dict[str, Any]:
    about = {key: value for key in ("author", "date", "note") if (value := getattr(match, key))}
    return {"kind": match.kind, "rule": match.rule, "match": match.match, "span": list(match.span), **about}
