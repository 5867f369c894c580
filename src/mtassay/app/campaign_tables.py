"""How a campaign of reviewers goes: who answered how much and how fast, and agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from mtassay.data.display import Cell, Table
from mtassay.data.marks import printable
from mtassay.data.subjects import caution_of_models
from mtassay.review.campaigns import Campaign, Pace
from mtassay.review.quality_control import CheckedReviewer, checks_table

if TYPE_CHECKING:
    from mtassay.review.reviewer_agreement import AgreementCoefficient


LABELS = {
    "agreement": "agreement",
    "cohen": "Cohen's kappa",
    "fleiss": "Fleiss' kappa",
    "krippendorff": "Krippendorff's alpha",
}


@dataclass(frozen=True, slots=True)
class ReviewerProgress:
    """How far a reviewer is: answers given, how many of them unsure, subjects to come, and the pace."""

    reviewer: str
    answered: int
    unsure: int
    left: int
    pace: Pace


@dataclass(frozen=True, slots=True)
class CampaignReport:
    """Where a campaign is.

    Of `subjects`, `wanted` answers in all are asked for and `given` are there; `complete` have all of theirs.
    `to_adjudicate` wait for an adjudicator, `adjudicated` are settled by one. `groups` have the agreement by
    the name of a category or phenomenon. `scale` says what agreement means of ratings and of spans. `changed`
    are answers that somebody changed after they could see those of others: agreement is measured by what
    they had answered before. `cautions` are what may
    keep it from being done. `checked` is how each reviewer did in attention checks and calibration.
    """

    campaign: Campaign
    subjects: int
    wanted: int
    given: int
    complete: int
    to_adjudicate: int
    adjudicated: int
    progress: Sequence[ReviewerProgress]
    agreement: Sequence[AgreementCoefficient]
    groups: Mapping[str, Mapping[str, Sequence[AgreementCoefficient]]]
    scale: str = ""
    changed: int = 0
    cautions: Sequence[str] = ()
    checked: Sequence[CheckedReviewer] = ()

    def of_reviewer(self, name: str) -> CampaignReport:
        """What a reviewer may know: no name of another one, and of checks nothing before the end."""
        is_over = bool(self.campaign.closed) or self.given >= self.wanted
        return replace(
            self,
            progress=[entry for entry in self.progress if entry.reviewer == name],
            agreement=[e for e in self.agreement if e.measure in ("fleiss", "krippendorff")],
            cautions=(),
            checked=[entry for entry in self.checked if entry.reviewer == name] if is_over else (),
        )

    def record(self) -> dict[str, Any]:
        """All of it for a program."""
        record: dict[str, Any] = {
            "campaign": self.campaign.record(),
            "subjects": self.subjects,
            "answers_wanted": self.wanted,
            "answers_given": self.given,
            "complete": self.complete,
            "to_adjudicate": self.to_adjudicate,
            "adjudicated": self.adjudicated,
            "reviewers": [asdict(entry) for entry in self.progress],
            "changed_after_reveal": self.changed,
            "cautions": list(self.cautions),
            "agreement": [asdict(entry) for entry in self.agreement],
            "agreement_by": {
                part: {name: [asdict(entry) for entry in found] for name, found in by_name.items()}
                for part, by_name in self.groups.items()
            },
        }
        if self.checked:
            record["checks"] = [asdict(entry) | {"share": entry.share} for entry in self.checked]
        return record

    def tables(self) -> list[Table]:
        """Progress, agreement, agreement by phenomenon; what says nothing is left out."""
        tables = [self._progress()]
        if self.checked:
            campaign = self.campaign
            rules = [f"less than {100 * campaign.exclude_below:g} % of the checks passed"]
            rules = rules if campaign.exclude_below else []
            if campaign.exclude_faster:
                rules.append(f"less than {campaign.exclude_faster:g} s for an output (median)")
            tables.append(checks_table(self.checked, rules))
        if self.agreement:
            tables.append(self._agreement())
        tables += [self._by(part, by_name) for part, by_name in self.groups.items() if any(by_name.values())]
        return tables

    def _progress(self) -> Table:
        campaign = self.campaign
        rows: list[list[Cell | str]] = [
            [
                printable(entry.reviewer),
                f"{entry.answered:,}",
                f"{entry.left:,}",
                f"{entry.unsure:,}",
                "–" if entry.pace.seconds is None else _duration(entry.pace.seconds),
            ]
            for entry in self.progress
        ]
        state = f"closed on {campaign.closed[:10]}" if campaign.closed else "open"
        twice = f"{100 * campaign.overlap:g} % of them by {campaign.raters}"
        notes = [
            f"Question: {campaign.question}; {state}. {self.subjects:,} outputs, {twice} reviewers each.",
            f"Answers: {self.given:,} of {self.wanted:,}; outputs with all their answers: {self.complete:,}.",
            self._adjudication(),
            "To come: outputs that the reviewer can still get. Unsure: only of outputs with all their "
            "answers. "
            "Pace: the median time between two answers.",
            caution_of_models(campaign.reviewers, "Answers"),
            *map(printable, self.cautions),
        ]
        header = ["reviewer", "answered", "to come", "unsure", "pace"]
        return Table(header, rows, f"Campaign {printable(campaign.name)}", list(filter(None, notes)))

    def _adjudication(self) -> str:
        if not self.campaign.adjudicators and not self.adjudicated:
            disputed = f"Outputs on which reviewers disagree or are all unsure: {self.to_adjudicate:,}."
            return f"{disputed} There is no adjudicator."
        return f"To adjudicate: {self.to_adjudicate:,}; adjudicated: {self.adjudicated:,}."

    def _agreement(self) -> Table:
        remarks = sorted({f"{LABELS[e.measure]} is {e.remark}." for e in self.agreement if e.remark and e.n})
        notes = [
            self.scale,
            *remarks,
            "n: outputs that at least two of the reviewers in this row rated independently.",
            changed_note(self.changed),
        ]
        header = ["reviewers", "measure", "value", "95 % interval", "n"]
        return Table(header, agreement_rows(self.agreement), "Agreement", list(filter(None, notes)))

    def _by(self, part: str, by_name: Mapping[str, Sequence[AgreementCoefficient]]) -> Table:
        rows: list[list[Cell | str]] = []
        for name, found in by_name.items():
            measured = {entry.measure: entry for entry in found}
            if measured:
                share, alpha = measured.get("agreement"), measured["krippendorff"]
                rows.append(
                    [
                        printable(name),
                        "–" if share is None else number(share, share.value),
                        number(alpha, alpha.value),
                        between(alpha),
                        f"{alpha.n:,}",
                    ]
                )
        notes = ["–: undefined, as all ratings are the same."] if any("–" in row[1:3] for row in rows) else []
        header = [part, "agreement", "alpha", "95 % interval", "n"]
        return Table(header, rows, f"Agreement by {part}", notes)


def agreement_rows(found: Sequence[AgreementCoefficient]) -> list[list[Cell | str]]:
    """A row for each coefficient; pairs of reviewers with nothing in common are left out."""
    everyone = max((len(entry.reviewers) for entry in found), default=0)
    rows: list[list[Cell | str]] = []
    for entry in found:
        is_all = len(entry.reviewers) > 2 or entry.measure in ("fleiss", "krippendorff")
        if entry.n or (is_all and len(entry.reviewers) == everyone):
            who = "all" if is_all else printable(" × ".join(entry.reviewers))
            value = number(entry, entry.value)
            rows.append([who, LABELS[entry.measure], value, between(entry), f"{entry.n:,}"])
    return rows


def changed_note(count: int) -> str:
    """How many answers read otherwise since the reveal; empty for none."""
    if not count:
        return ""
    return f"Changed after the answers of others could be seen: {count:,}. The answers before count here."


def number(entry: AgreementCoefficient, value: float | None) -> str:
    """A coefficient as people write it, a share in percent; a dash for none."""
    if value is None:
        return "–"
    return _percent(value) if entry.measure == "agreement" else f"{value:.3f}"


def between(entry: AgreementCoefficient) -> str:
    """Its interval; empty for none."""
    if entry.low is None or entry.high is None:
        return ""
    return f"{number(entry, entry.low)} to {number(entry, entry.high)}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"
