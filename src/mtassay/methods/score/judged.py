"""The judge's results besides scores: how many outputs of each system look wrong, and which."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from mtassay.data.display import Block, Cell, Headline, Line, Look, Span, Table
from mtassay.data.errors import UsageError
from mtassay.data.languages import Pair
from mtassay.data.marks import printable
from mtassay.data.method import Evidence
from mtassay.data.nouns import Finding, Ledger, Observation, Run, RunContext, Score, Segment, Verdict
from mtassay.data.run_view import traits_of
from mtassay.measures.check_run import CheckMark, id_of
from mtassay.measures.corpus import Corpus
from mtassay.methods.basis import answer_of, ask_judge, reasons_of
from mtassay.methods.headlines import weakest
from mtassay.stats.proportions import wilson

if TYPE_CHECKING:
    from mtassay.measures.judge import TranslationJudge


@dataclass(frozen=True, slots=True)
class MissedName(Evidence):
    """A named entity of the reference that is missing in the output; `near` is similar text in the output."""

    text: str = ""
    type: str = ""
    near: str = ""


@dataclass(frozen=True, slots=True)
class MarkedError(Evidence):
    """An error that a judge marked: from `start` to `end` in the output, or in the source for omissions."""

    text: str = ""
    start: int = 0
    end: int = 0
    category: str = ""
    severity: str = ""
    side: str = field(default="", metadata={"keys": ("in",)})


@dataclass(frozen=True, slots=True)
class SegmentEvidence(Evidence):
    """Reasons to look at a segment: a text, missing names, errors, or other facts.

    >>> SegmentEvidence.read({"missed": [{"text": "Lisbon", "type": "LOC", "near": "Lisboa"}]}).reason
    "missed Lisbon (LOC), near 'Lisboa'"
    >>> error = {"text": "gata", "start": 4, "end": 8, "category": "mistranslation", "severity": "major"}
    >>> SegmentEvidence.read({"errors": [error]}).reason
    "major mistranslation 'gata'"
    >>> SegmentEvidence.read({"length_ratio": 0.2}).reason
    'length ratio: 0.2'
    """

    why: str = field(default="", metadata={"keys": ("why", "reason")})
    missed: Sequence[MissedName] = ()
    errors: Sequence[MarkedError] = ()
    places: Sequence[CheckMark] = field(default=(), metadata={"keys": ("marks",)})
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        return replace(super(SegmentEvidence, cls).read(record), facts=record)

    def marks(self, *, of_source: bool = False) -> list[Span]:
        """Where errors are in the output or in the source."""
        marked: list[MarkedError | CheckMark] = [*self.errors, *self.places]
        return [(e.start, e.end) for e in marked if (e.side == "source") == of_source and e.end > e.start]

    @property
    def reason(self) -> str:
        """The reasons in one line."""
        if self.why:
            return self.why
        if self.missed:
            names = (f"{n.text} ({n.type})" + (f", near {n.near!r}" if n.near else "") for n in self.missed)
            return f"missed {'; '.join(names)}"
        if self.errors:
            return "; ".join(f"{e.severity} {e.category} {e.text!r}" for e in self.errors)
        return "; ".join(f"{key.replace('_', ' ')}: {value}" for key, value in self.facts.items())


JUDGE = "judge"
"""The name of the judge's findings."""
LABEL = 12
"""The columns before the texts of an output."""
USUAL = 3
"""Default number of outputs per system to show of those that look wrong."""


def judge_outputs(corpus: Corpus, pair: Pair | None, context: RunContext, name: str) -> list[Finding]:
    """Return one finding for each output with a source; its value is the probability of an error.

    Other systems' outputs for the same source are also used as evidence.
    """
    judge = require_judge(corpus.segments, pair, name)
    rows = [n for n, segment in enumerate(corpus.segments) if _has_source(segment)]
    findings = []
    for system, texts in corpus.outputs.items():
        rivals = [others for other, others in corpus.outputs.items() if other != system]
        answers = [
            answer_of(
                corpus.segments[n].id,
                corpus.segments[n].source or "",
                texts[n],
                [reference for reference in corpus.segments[n].references if reference],
                [others[n] for others in rivals if others[n]] if len(rivals) > 1 else (),
            )
            for n in rows
        ]
        opinions = ask_judge(judge, answers, context, system=system)
        for answer, opinion in zip(answers, opinions, strict=True):
            evidence: dict[str, Any] = {
                "why": opinion.why,
                "reasons": list(reasons_of(opinion)),
                "clues": [reason.name for reason in opinion.reasons],
            }
            if opinion.severity:
                evidence["severity"] = opinion.severity
            findings.append(Finding(answer.id, system, JUDGE, opinion.verdict, opinion.probability, evidence))
    return findings


def require_judge(segments: Sequence[Segment], pair: Pair | None, name: str) -> TranslationJudge:
    """Return the judge; raise an error if the languages, the sources or a tool are missing."""
    from mtassay.measures.judge import open_judge  # imported late: large, and only needed here

    if pair is None:
        raise UsageError("`judge_by` needs the languages: `langpair='SRC-TGT'`.")
    if not any(map(_has_source, segments)):
        raise UsageError("`judge_by` needs the sources: `source='FILE'`.")
    judge = open_judge(pair, name)
    _ = judge.signature  # raises an error if anything is missing
    return judge


def _has_source(segment: Segment) -> bool:
    return bool((segment.source or "").strip())


def judged_table(run: Run) -> Table | None:
    """Count the outputs of each system that the judge calls wrong; `None` if it was not asked."""
    rows: list[list[Cell | str]] = []
    for system in run.systems:
        verdicts = [finding.verdict for finding in _findings(run, system)]
        wrong, n = verdicts.count("fail"), len(verdicts)
        if n:
            low, high = wilson(wrong, n)
            share = f"{100 * wrong / n:.1f} [{100 * low:.0f}–{100 * high:.0f}]"
            rows.append(
                [printable(system), f"{n:,}", f"{wrong:,}", share, f"{verdicts.count('undecided'):,}"]
            )
    if not rows:
        return None
    notes = ["Wrong: outputs that the judge calls wrong. %: their share of n, with Wilson's 95 % interval."]
    return Table(["System", "n", "wrong", "%", "undecided"], rows, "Outputs that look wrong", notes)


def reasons_table(run: Run) -> Table | None:
    """Count the evidence against outputs that look wrong, by system; the most frequent comes first."""
    counts = {system: _clues(run, system) for system in run.systems}
    clues = sorted(set().union(*counts.values()), key=lambda clue: -max(c[clue] for c in counts.values()))
    if not clues:
        return None
    rows = [[clue, *(f"{counts[system][clue]:,}" for system in run.systems)] for clue in clues]
    notes = ["How many of the outputs that look wrong have each clue; an output may have several clues."]
    header = ["Clue", *map(printable, run.systems)]
    return Table(header, rows, "Why they look wrong", notes)


def judged_blocks(run: Run, look: Look) -> list[Block]:
    """Each system's outputs that are most probably wrong, with reasons, and how many are left out."""
    most = USUAL if look.cases is None else look.cases
    sources = {segment.id: segment for segment in run.segments}
    blocks = []
    for system in run.systems if most else ():
        wrong = [finding for finding in _findings(run, system) if finding.verdict == "fail"]
        wrong.sort(key=lambda finding: -(finding.value or 0.0))
        for finding in wrong[:most]:
            segment = sources[finding.case_id]
            likely = "" if finding.value is None else f"error {finding.value:.0%} likely"
            lines = [
                Line("source", segment.source or ""),
                *(Line("reference", reference) for reference in segment.references if reference),
                Line("output", run.text(finding.case_id, system) or ""),
            ]
            reasons: Sequence[str] = finding.evidence.get("reasons", ())
            lines += [Line("" if number else "why", why) for number, why in enumerate(reasons)]
            blocks.append(Block(lines, " · ".join(filter(None, (finding.case_id, system, likely))), LABEL))
        if left := len(wrong) - most if len(wrong) > most else 0:
            blocks.append(Block(title=f"… and {left:,} more of {system} that look{'s' * (left == 1)} wrong"))
    return blocks


class Tails(NamedTuple):
    """The units of a system with the lowest and with the highest scores."""

    lowest: Collection[str] = ()
    highest: Collection[str] = ()


def score_tails(ledgers: Mapping[str, Ledger], lengths: Mapping[str, int]) -> dict[str, Tails]:
    """Find the 10 % of each system's units with the lowest and the highest scores, by system.

    All ledgers have the same metric. With several systems, a score is compared with the mean of the others on
    the same unit, so a unit that is hard for all is not a failure of one. Scores of short texts vary most, so
    the 10 % are taken among texts of similar length. Units without a score are in neither set.

    >>> values = np.arange(20.0)[:, None]
    >>> ledger = Ledger("m", "a", [str(n) for n in range(20)], values, lambda sums: sums[..., 0], {})
    >>> sorted(score_tails({"a": ledger}, {})["a"].lowest)
    ['0', '1']
    """
    scores = {system: _unit_scores(ledger) for system, ledger in ledgers.items()}
    tails = {}
    for system, own in scores.items():
        rest = [by_unit for name, by_unit in scores.items() if name != system]
        below = dict(own)
        for unit in own if rest else ():
            others = [by_unit[unit] for by_unit in rest if unit in by_unit]
            below[unit] = own[unit] - sum(others) / len(others) if others else 0.0
        by_length = sorted(below, key=lambda unit: lengths.get(unit, 0))
        size = max(_LIKE, -(-len(by_length) // 10))
        low: set[str] = set()
        high: set[str] = set()
        for start in range(0, len(by_length), size):
            ranked = sorted(by_length[start : start + size], key=lambda unit: below[unit])
            tenth = len(ranked) // 10
            low |= {unit for unit in ranked[:tenth] if not rest or below[unit] < 0}
            high |= {unit for unit in ranked[len(ranked) - tenth :] if not rest or below[unit] > 0}
        tails[system] = Tails(low, high)
    return tails


_LIKE = 20  # fewest texts in a group of similar length


def _unit_scores(ledger: Ledger) -> dict[str, float]:
    """The score of each scored unit, with a sign so that higher is better."""
    sign = 1.0 if ledger.higher_is_better else -1.0
    values = (ledger.unit_scores or ledger.aggregate)(ledger.values)
    pairs = zip(ledger.ids, (sign * np.asarray(values)).tolist(), strict=True)
    return {unit: value for unit, value in pairs if not math.isnan(value)}


def unjudged_observations(run: Run, tails: Mapping[str, Tails]) -> list[Observation]:
    """The outputs of a run without a judge; those with a flag or with one of the lowest scores failed."""
    segments = {segment.id: segment for segment in run.segments}
    flags: dict[tuple[str, str], list[str]] = {}
    for finding in run.findings:
        if finding.verdict == "fail":
            flags.setdefault((finding.system, finding.case_id), []).append(finding.detector)
    observations = []
    for system, outputs in run.outputs.items():
        own = tails.get(system, Tails())
        for output in outputs:
            flagged = tuple(dict.fromkeys(flags.get((system, output.id), ())))
            segment = segments.get(output.id, Segment(output.id))
            verdict: Verdict = "fail" if flagged or output.id in own.lowest else "pass"
            observations.append(
                Observation(
                    output.id,
                    system,
                    "skipped" if output.text is None else verdict,
                    segment.source or "",
                    output.text or "",
                    tuple(reference for reference in segment.references if reference),
                    "",
                    traits_of(segment, run.parameters.get("by")),
                    flagged,
                    output.id in own.highest,
                )
            )
    return observations


def _findings(run: Run, system: str) -> list[Finding]:
    return [f for f in run.findings if (f.detector, f.system) == (JUDGE, system)]


_STATUSES = {"fail": "wrong", "pass": "right", "undecided": "undecided"}


def seen(findings: Sequence[Finding]) -> dict[str, Any]:
    """Summarise the findings about one output: its status by the judge, and its groups.

    Groups are checks, types of missing names, and clues of the judge, named as in the tables.
    """
    groups: dict[str, None] = {}
    status, verdict = "", ""
    for finding in findings:
        if finding.detector == JUDGE:
            verdict = str(finding.verdict or "")
            status = _STATUSES.get(verdict, verdict)
            groups |= dict.fromkeys(finding.evidence.get("clues", ()) if finding.verdict == "fail" else ())
        elif id_of(finding):
            groups[id_of(finding)] = None
        groups |= dict.fromkeys(name.type for name in SegmentEvidence.of(finding).missed)
    if status:
        return {"groups": list(groups), "status": status, "verdict": verdict}
    named = [name for name in groups if any(map(id_of, findings))]
    return {"groups": list(groups), "status": ", ".join(named) or ("missed names" if groups else "")}


def weak_headlines(run: Run) -> list[Headline]:
    """Each system's weaknesses: broken outputs, outputs that look wrong, groups with the lowest score."""
    told = []
    clues = {system: _clues(run, system) for system in run.systems}
    for system in run.systems:
        verdicts = [finding.verdict for finding in _findings(run, system)]
        if wrong := verdicts.count("fail"):
            text = f"{system}: {_share(wrong, len(verdicts))} of its outputs look wrong to the judge"
            others = {
                c: max((clues[s][c] for s in run.systems if s != system), default=0) for c in clues[system]
            }
            own = max(others, key=lambda clue: clues[system][clue] - others[clue], default="")
            if len(clues) > 1 and own and clues[system][own] > 2 * others[own] + _FEW:
                text += f", {clues[system][own]:,} for {own} (of no other system more than {others[own]:,})"
            told.append(Headline(f"{text}.", "weak", system, "wrong"))
    lowest = weakest(
        _grouped(run),
        lambda s, value, how: f"{s.system} has its lowest {s.label or s.name} in {s.group}: {value} {how}.",
    )
    return [*told, *lowest, *_broken_headlines(run)]


def _broken_headlines(run: Run) -> list[Headline]:
    """Each system's most frequent check finding, if it flags at least 1 % of the outputs."""
    told = []
    for system, counts in run.result.counts.items():
        total = counts.get("segments", 0)
        broken = {kind: n for kind, n in counts.items() if kind not in _NO_FAULT and 100 * n >= total > 0}
        if broken:
            kind = max(broken, key=lambda kind: broken[kind])
            text = f"{system}: {kind} flags {_share(broken[kind], total)} of its outputs."
            told.append(Headline(text, "weak", system, kind))
    return told


_FEW = 4  # a difference of this many outputs may be chance


def _clues(run: Run, system: str) -> Counter[str]:
    """For each clue, count the outputs that look wrong and have it as evidence."""
    wrong = [finding for finding in _findings(run, system) if finding.verdict == "fail"]
    return Counter(clue for f in wrong for clue in dict.fromkeys(f.evidence.get("clues", ())))


_NO_FAULT = ("segments", "error", "refused", "missing")


def _grouped(run: Run) -> list[Score]:
    """The scores of groups under the first metric that has group scores."""
    grouped = [score for score in run.result.scores if score.group != "all"]
    return [score for score in grouped if score.name == grouped[0].name]


def _share(count: int, n: int) -> str:
    low, high = wilson(count, n)
    return f"{count:,} of {n:,} ({100 * count / n:.1f} % [{100 * low:.1f}–{100 * high:.1f}])"
