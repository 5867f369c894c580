"""Changes from one run to another, for every method: scores with paired tests, and cases by verdict.

Both runs are read through their methods: ledgers for the scores, findings for the cases. Only cases with the
same texts in both are compared. All scores of a table are tested together (`stats.family`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from mtassay.data.display import Line
from mtassay.data.errors import UsageError
from mtassay.data.marks import plural
from mtassay.data.method import view_of
from mtassay.data.nouns import Finding, Run, Verdict
from mtassay.methods.paired_scores import (
    _ANSWERED,
    LISTED,
    NO_OUTPUT,
    ChangeKind,
    PairedScores,
    ScoreChange,
    Snapshot,
    UnitChange,
    _paired,
    kind_of,
)


def pair_systems(
    run: Run, baseline: Sequence[Snapshot], *, step: str = ""
) -> list[tuple[Snapshot, Snapshot]]:
    """Pair each system of a run with its baseline: the system with the same name, or the only one.

    If the baseline is a system of the same run, it has no baseline itself.
    """
    pairs = []
    for system in run.systems:
        others = [b for b in baseline if (b.run, b.system) != (run.id, system)]
        old = next((b for b in others if b.system == system), None) or (
            others[0] if len(others) == 1 else None
        )
        if old is not None:
            pairs.append((old, Snapshot.of(run, system, step=step)))
        elif others:
            names = ", ".join(b.system for b in others)
            raise UsageError(f"Which system is '{system}' to be compared with? Name one of: {names}.")
    return pairs


@dataclass(frozen=True, slots=True)
class CaseChange:
    """The change of one case by one detector."""

    case_id: str
    detector: str
    kind: ChangeKind
    old: Verdict | None
    new: Verdict | None


@dataclass(frozen=True)
class RunChanges:
    """Changes between two systems or versions: those of scores and of each case, with notes for readers."""

    old: Snapshot
    new: Snapshot
    scores: Sequence[ScoreChange]
    cases: Sequence[CaseChange]
    units: Sequence[UnitChange]
    notes: Sequence[str]
    alpha: float = 0.05

    @classmethod
    def of(
        cls,
        old: Snapshot,
        new: Snapshot,
        *,
        alpha: float = 0.05,
        trials: int = 10000,
        samples: int = 1000,
        seed: int | None = 12345,
    ) -> Self:
        """Return all changes from one to the other; an error if they share no case."""
        check_comparable(old, new)
        paired = PairedScores(old, new)
        cases = case_changes(old, new)
        if paired.is_empty and not cases:
            raise UsageError(
                f"Runs {old.run} and {new.run} have no case with the same texts: nothing can be compared."
            )
        tested = paired.tested(trials=trials, seed=seed, samples=samples)
        scores = [*tested, *_untested(old, new, {(c.name, c.group) for c in tested})]
        return cls(old, new, scores, cases, paired.moved_units(), comparison_notes(old, new, cases), alpha)

    @property
    def names(self) -> tuple[str, str]:
        """Both names: those of the systems, or "old" and "new" if the names are equal."""
        same = self.old.system == self.new.system
        return ("old", "new") if same else (self.old.system, self.new.system)

    def kinds(self) -> dict[str, int]:
        """Count the cases of each kind."""
        return dict(Counter(case.kind for case in self.cases))

    def record(self) -> dict[str, Any]:
        """The JSON shape; `cases` are all those with a changed verdict."""
        sides = {
            side: {"run": s.run, "system": s.system, "method": s.method, "started": s.started}
            for side, s in (("old", self.old), ("new", self.new))
        }
        return {
            **sides,
            "alpha": self.alpha,
            "scores": [asdict(change) for change in self.scores],
            "kinds": self.kinds(),
            "cases": [self.case_record(case) for case in self.cases if case.kind in LISTED],
            "units": [asdict(unit) for unit in self.units],
            "notes": list(self.notes),
        }

    def case_record(self, case: CaseChange) -> dict[str, Any]:
        """Return one case; if the runs are available, with its texts and findings."""
        texts = case_texts(self.old, self.new, case.case_id)
        return {
            **asdict(case),
            "source": texts.source,
            "old_output": texts.old,
            "new_output": texts.new,
            "old_status": case_status(self.old, case, case.old),
            "new_status": case_status(self.new, case, case.new),
            "old_why": why(self.old, case),
            "new_why": why(self.new, case),
        }


@dataclass(frozen=True, slots=True)
class CaseTexts:
    """The sentences of a case: the request and both outputs; `None` where a run lacks them."""

    source: str | None
    old: str | None
    new: str | None


def case_texts(old: Snapshot, new: Snapshot, case_id: str) -> CaseTexts:
    """Return the sentences of a case; for an edit, the source is the edited one."""
    run = new.record or old.record
    segment = case_id if run is None else view_of(run).reviewed(case_id)
    source = new.sources.get(segment) or old.sources.get(segment)
    return CaseTexts(source, old.outputs.get(segment), new.outputs.get(segment))


def source_lines(old: Snapshot, new: Snapshot, case_id: str) -> list[Line]:
    """Return the request of a case as its run shows it: with context, and important words marked."""
    run = new.record or old.record
    if run is None:
        return []
    view = view_of(run)
    wanted = view.reviewed(case_id)
    segment = next((s for s in run.segments if s.id == wanted and s.source is not None), None)
    return [line for line in view.source_lines(segment) if line.label != "reference"] if segment else []


def status_word(run: Run, findings: Sequence[Finding]) -> str:
    """Return the verdict on an output in the method's own word: correct, conflict, pass."""
    return view_of(run).status(findings).partition(":")[0]


def case_status(snapshot: Snapshot, case: CaseChange, verdict: Verdict | None) -> str:
    """Return the verdict of one side of a case in the method's word, or plain without the run."""
    if case.detector == NO_OUTPUT:
        return "answered" if verdict == "pass" else "no answer"
    finding = snapshot.finding(case.detector, case.case_id)
    word = "" if finding is None or snapshot.record is None else status_word(snapshot.record, [finding])
    return word or verdict or "no output"


def why(snapshot: Snapshot, case: CaseChange) -> str:
    """The detector's reason for the case in this run; empty if unknown."""
    finding = snapshot.finding(case.detector, case.case_id)
    if finding is None or snapshot.record is None:
        return ""
    return "; ".join(view_of(snapshot.record).reasons(finding))


def check_comparable(old: Snapshot, new: Snapshot) -> None:
    """Refuse runs of two methods."""
    if old.method != new.method:
        raise UsageError(
            f"Run {old.run} is of '{old.method}' and run {new.run} of '{new.method}': only runs of one "
            "method can be compared."
        )


def case_changes(old: Snapshot, new: Snapshot) -> list[CaseChange]:
    """Return the change of each case with equal texts, for each detector that judged in one of the runs.

    For a detector that only flags, an output without a flag is right.
    """
    changes = []
    names = dict.fromkeys([*new.verdicts, *old.verdicts])
    missing = [set(s.verdicts.get(NO_OUTPUT, ())) for s in (old, new)]
    for detector in names:
        if detector == NO_OUTPUT and len(names) > 1:
            continue
        before, after = old.verdicts.get(detector, {}), new.verdicts.get(detector, {})
        # Outputs are answers, unless this detector says that there is none.
        flags_only = detector == NO_OUTPUT or {*before.values(), *after.values()} == {"fail"}
        asked = dict.fromkeys([*after, *before])
        if not flags_only:
            asked |= dict.fromkeys(case for gone in missing for case in sorted(gone) if case not in asked)
        for case in asked:
            if old.digest(case) != new.digest(case):
                continue
            verdicts = [s.verdict(detector, case) for s in (old, new)]
            if flags_only:
                verdicts = [verdict or "pass" for verdict in verdicts]
            kind = kind_of(*verdicts)
            if any(verdict in _ANSWERED for verdict in verdicts):
                changes.append(CaseChange(case, detector, kind, verdicts[0], verdicts[1]))
    return changes


def _untested(old: Snapshot, new: Snapshot, tested: Collection[tuple[str, str]]) -> list[ScoreChange]:
    """Return the scores of both runs that have no data by unit."""
    names = {name for name, _ in tested}
    before = {(score.name, score.group): score for score in old.scores}
    changes = []
    for score in new.scores:
        earlier = before.get((score.name, score.group))
        if earlier is None or (score.name, score.group) in tested or score.name in names:
            continue
        if score.value is None or earlier.value is None:
            continue
        changes.append(
            ScoreChange(
                score.name,
                score.group,
                score.n,
                earlier.value,
                score.value,
                score.value - earlier.value,
                label=score.label,
                decimals=score.decimals,
            )
        )
    return changes


def comparison_notes(old: Snapshot, new: Snapshot, cases: Sequence[CaseChange]) -> list[str]:
    """Return notes on different settings, different texts, and new verdicts on unchanged outputs."""
    notes = []
    keys = dict.fromkeys([*old.parameters, *new.parameters])
    other = [
        f"{key} ({_short(old.parameters.get(key))} → {_short(new.parameters.get(key))})"
        for key in keys
        if _plain(old.parameters.get(key)) != _plain(new.parameters.get(key))
    ]
    if other:
        notes.append(f"Watch out: the runs differ in their settings: {', '.join(other)}.")
    shared = old.texts.keys() & new.texts.keys()
    changed = sum(old.texts[unit] != new.texts[unit] for unit in shared)
    alone = [
        f"{plural(len(s.texts.keys() - shared), 'text')} only in the {word} run"
        for s, word in ((old, "old"), (new, "new"))
        if s.texts.keys() - shared
    ]
    if changed:
        alone.insert(0, f"{plural(changed, 'text')} changed")
    if alone:
        notes.append(f"Not compared: {', '.join(alone)}.")
    for ledger in new.ledgers if new.record is not None else ():
        pair = _paired(ledger, old, new)
        only = [
            f"{plural(count, 'score')} only in the {word} run"
            for count, word in zip(pair.alone if pair else (), ("new", "old"), strict=False)
            if count
        ]
        if pair and only:
            notes.append(
                f"{ledger.name} is compared on the {len(pair.ids):,} units with a score in both runs; not "
                f"compared: {', '.join(only)}."
            )
    kinds: Counter[str] = Counter(case.kind for case in cases)
    if any(empty := [_counted_as_empty(old), _counted_as_empty(new)]):
        sides = zip(("old", "new"), (old, new), empty, strict=True)
        names = {word if old.system == new.system else s.system: len(units) for word, s, units in sides}
        left = ", ".join(f"{name} {n:,}" for name, n in names.items() if n)
        notes.append(
            f"Without an answer: {left}. They count as empty outputs. "
            "Where a system that left out more is ahead, nothing is tested."
        )
        kinds["lost"] = 0
    gone = [
        f"{plural(kinds[kind], 'case')} {what}"
        for kind, what in (("lost", "without an output now"), ("newly open", "settled before and open now"))
        if kinds[kind]
    ]
    if gone:
        notes.append(f"In no score that is compared: {', '.join(gone)}.")
    if old.record is not None and new.record is not None:
        moved = [case for case in cases if case.kind in LISTED and _same_output(old, new, case)]
        if moved:
            notes.append(
                f"{plural(len(moved), 'verdict')} changed though the output did not: rules, reviews or "
                "settings did."
            )
    return notes


def _counted_as_empty(snapshot: Snapshot) -> set[str]:
    """The units without an answer that still count in a score."""
    counted = {unit for sums in snapshot.sums.values() for unit in sums.ids}
    return counted.intersection(snapshot.verdicts.get(NO_OUTPUT, ()))


def _same_output(old: Snapshot, new: Snapshot, case: CaseChange) -> bool:
    units = new.families.get(case.case_id, ())
    return bool(units) and all(old.outputs.get(unit) == new.outputs.get(unit) for unit in units)


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _short(value: Any) -> str:
    text = "none" if value is None else value if isinstance(value, str) else _plain(value)
    return text if len(text) <= 24 else f"{text[:23]}…"
