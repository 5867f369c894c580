"""What changed from one run to another, for every method: scores with paired tests, and cases by verdict.

Both runs are taken as their methods give them: ledgers for the scores, findings for the cases. Only cases
with the same texts in both are compared. All scores of a table are tested together (`stats.family`).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from mtassay import stats
from mtassay.core import Ledger, Run, Verdict
from mtassay.errors import UsageError
from mtassay.method import method_of
from mtassay.snapshots import NO_OUTPUT, Snapshot
from mtassay.texts.marks import plural

__all__ = [
    "LISTED",
    "CaseChange",
    "ChangeKind",
    "PairedScores",
    "RunChanges",
    "ScoreChange",
    "UnitChange",
    "case_changes",
    "case_texts",
    "check_comparable",
    "comparison_notes",
    "kind_of",
    "pair_systems",
    "why",
]

ChangeKind = Literal[
    "fixed",
    "broken",
    "still right",
    "still wrong",
    "newly settled",
    "newly open",
    "still open",
    "lost",
    "found",
]
"""What became of a case. Lost: there is no output any more; found: there was none before."""

LISTED: Mapping[ChangeKind, str] = {
    "broken": "Broken (correct before, incorrect now)",
    "lost": "Lost (no output any more)",
    "fixed": "Fixed (incorrect before, correct now)",
    "newly open": "Newly open (settled before)",
    "newly settled": "Newly settled (open before)",
    "found": "Found (no output before)",
}
"""What became of cases whose status changed, and what people call it."""

_SETTLED = {"pass": "right", "fail": "wrong"}
_ANSWERED = (*_SETTLED, "undecided")


def kind_of(old: Verdict | None, new: Verdict | None) -> ChangeKind:
    """What became of a case with these verdicts; without one there was nothing to judge.

    >>> kind_of("pass", "fail"), kind_of("undecided", "pass"), kind_of("pass", "error")
    ('broken', 'newly settled', 'lost')
    """
    had, has = old in _ANSWERED, new in _ANSWERED
    if had and not has:
        return "lost"
    if has and not had:
        return "found"
    if old in _SETTLED and new in _SETTLED:
        if old == new:
            return "still right" if old == "pass" else "still wrong"
        return "fixed" if new == "pass" else "broken"
    if old in _SETTLED:
        return "newly open"
    return "newly settled" if new in _SETTLED else "still open"


def pair_systems(
    run: Run, baseline: Sequence[Snapshot], *, systems: Sequence[str] = (), step: str = ""
) -> list[tuple[Snapshot, Snapshot]]:
    """Systems of a run, each with what it is held against: the one of its name, or the only one there is.

    The baseline itself, where it is a system of the same run, is held against nothing.
    """
    pairs = []
    for system in systems or run.systems:
        others = [b for b in baseline if (b.run, b.system) != (run.id, system)]
        old = next((b for b in others if b.system == system), None) or (
            others[0] if len(others) == 1 else None
        )
        if old is not None:
            pairs.append((old, Snapshot.of(run, system, step=step)))
        elif others:
            names = ", ".join(b.system for b in others)
            raise UsageError(f"Which system is '{system}' to be held against? Name one of: {names}.")
    return pairs


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """How one score moved, over the `n` units that count both times.

    `delta` is after minus before, with its 95 % interval; p is two-sided and corrected for all scores of the
    table. `fixed` and `broken` are units of a share: failed before and passed after, and the reverse. `None`
    stands where nothing can be said: no units, or no test.
    """

    name: str
    group: str
    n: int
    before: float | None
    after: float | None
    delta: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    fixed: int | None = None
    broken: int | None = None
    part: str = "group"
    higher_is_better: bool = True
    is_detail: bool = False
    label: str = ""
    decimals: int = 1

    @property
    def is_worse(self) -> bool:
        """Whether it moved the wrong way, by however little."""
        return self.delta is not None and (self.delta < 0) == self.higher_is_better and self.delta != 0

    @property
    def title(self) -> str:
        """What people call it.

        >>> ScoreChange("bleu", "all", 9, 1, 2, 1, label="BLEU").title
        'BLEU'
        """
        name = self.label or self.name.partition(":")[0]
        return name if self.group == "all" else f"{name}, {self.group}"


@dataclass(frozen=True, slots=True)
class CaseChange:
    """What became of one case by one detector."""

    case_id: str
    detector: str
    kind: ChangeKind
    old: Verdict | None
    new: Verdict | None


@dataclass(frozen=True, slots=True)
class UnitChange:
    """How much one unit moved under a metric."""

    unit: str
    name: str
    before: float
    after: float


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """One ledger in both runs, on the units that they share."""

    ledger: Ledger
    ids: Sequence[str]
    values: NDArray[Any]  # (units, new and old, columns)


class PairedScores:
    """The scores of two systems on the units they share: rows to test, and what each comes to."""

    def __init__(self, old: Snapshot, new: Snapshot) -> None:
        self.old, self.new = old, new
        self._pairs = [
            pair for ledger in new.ledgers if (pair := _paired(ledger, old, new)) is not None and pair.ids
        ]
        clusters = {pair.ledger.clusters.get(unit, unit): None for pair in self._pairs for unit in pair.ids}
        numbers = {cluster: number for number, cluster in enumerate(clusters)}
        self.changes: list[ScoreChange] = []
        self.rows: list[stats.PairedSums] = []
        looks = {score.name: score for score in new.scores}
        for pair in self._pairs:
            ledger = pair.ledger
            places = {unit: place for place, unit in enumerate(pair.ids)}
            units = np.array([numbers[ledger.clusters.get(unit, unit)] for unit in pair.ids], dtype=np.int64)
            for group, parts in ledger.groups.items():
                columns = ledger.columns.get(group)
                values = pair.values if columns is None else pair.values[:, :, list(columns)]
                row = stats.PairedSums(
                    values,
                    [np.array([places[u] for u in part if u in places], dtype=np.int64) for part in parts],
                    ledger.aggregate,
                    units,
                )
                change = _change(ledger, group, row)
                if change.n and change.delta is not None:
                    look = looks.get(ledger.name)
                    if look is not None:
                        change = replace(change, label=look.label, decimals=look.decimals)
                    self.changes.append(change)
                    self.rows.append(row)

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be compared."""
        return not self.rows

    def units_of(self, change: ScoreChange) -> set[str]:
        """The units that a score is of."""
        ledger = next(pair.ledger for pair in self._pairs if pair.ledger.name == change.name)
        return {unit for part in ledger.groups[change.group] for unit in part}

    def trials(self, *, trials: int, seed: int | None) -> NDArray[np.float32]:
        """After minus before of every row in every trial (trials, rows)."""
        return stats.paired_trials(self.rows, trials=trials, seed=seed)

    def tested(
        self, *, trials: int = 10000, seed: int | None = 12345, samples: int = 1000
    ) -> list[ScoreChange]:
        """The changes with p-values and intervals; details are a family of their own, as in a table."""
        table = self.trials(trials=trials, seed=seed)
        p = np.full(len(self.rows), np.nan)
        for is_detail in (False, True):
            places = [i for i, change in enumerate(self.changes) if change.is_detail == is_detail]
            if places:
                observed = np.array([self.changes[i].delta for i in places], dtype=np.float64)
                p[places] = stats.family_of(observed, table[:, places]).p
        tested = []
        for change, row, value in zip(self.changes, self.rows, p.tolist(), strict=True):
            low, high = self.interval(change, row, samples=samples, seed=seed)
            tested.append(replace(change, p=_defined(value), low=low, high=high))
        return tested

    def interval(
        self,
        change: ScoreChange,
        row: stats.PairedSums,
        *,
        level: float = 0.95,
        samples: int = 1000,
        seed: int | None = 12345,
    ) -> tuple[float | None, float | None]:
        """Of the change: Bonett & Price's for shares of independent units, else the paired bootstrap's."""
        parts = [part for part in row.parts if len(part)]
        used = np.concatenate(parts)
        if change.fixed is not None and len(np.unique(row.units[used])) == len(np.unique(used)):
            hits = row.values[:, 0, 0].astype(np.int64) - row.values[:, 1, 0]
            gained, lost = ([int(np.count_nonzero(hits[part] == sign)) for part in parts] for sign in (1, -1))
            low, high = stats.change_interval(gained, lost, [len(part) for part in parts], level=level)
            return 100 * float(low), 100 * float(high)
        resampled = []
        for number, part in enumerate(parts):
            _, places = np.unique(row.units[part], return_inverse=True)
            by_cluster = np.zeros((int(places.max()) + 1, *row.values.shape[1:]))
            np.add.at(by_cluster, places, row.values[part])
            own = None if seed is None else seed + number
            scores = stats.bootstrap_scores(by_cluster, row.aggregate, samples=samples, seed=own)
            resampled.append(scores[:, 0] - scores[:, 1])
        ends = stats.interval(np.mean(resampled, axis=0)[:, None], level=level)
        return _defined(float(ends[0][0])), _defined(float(ends[1][0]))

    def moved_units(self) -> list[UnitChange]:
        """How much each unit moved under each metric; units of shares have verdicts instead."""
        moved = []
        for pair in self._pairs:
            if pair.ledger.is_share:
                continue
            score = pair.ledger.unit_scores or pair.ledger.aggregate
            after, before = (np.asarray(score(pair.values[:, side])).tolist() for side in (0, 1))
            moved += [
                UnitChange(unit, pair.ledger.name, a, b)
                for unit, a, b in zip(pair.ids, before, after, strict=True)
                if a != b and not math.isnan(a + b)
            ]
        return moved


def _paired(ledger: Ledger, old: Snapshot, new: Snapshot) -> _Pair | None:
    """The ledger on the units that have the same texts in both; `None` where the other run has no such."""
    before = old.sums.get(ledger.name)
    if before is None or list(before.column_names) != list(ledger.column_names):
        return None
    if before.values.shape[1:] != ledger.values.shape[1:]:
        return None
    places = {unit: place for place, unit in enumerate(before.ids)}
    shared = [
        (place, places[unit])
        for place, unit in enumerate(ledger.ids)
        if unit in places and old.digest(unit) == new.digest(unit)
    ]
    mine, theirs = ([pair[side] for pair in shared] for side in (0, 1))
    return _Pair(
        ledger,
        [ledger.ids[place] for place in mine],
        np.stack([np.asarray(ledger.values)[mine], np.asarray(before.values)[theirs]], axis=1),
    )


def _change(ledger: Ledger, group: str, row: stats.PairedSums) -> ScoreChange:
    after, before = row.scores().tolist()
    places = np.unique(np.concatenate(row.parts)) if row.parts else np.empty(0, dtype=np.int64)
    moved = row.values[places, 0, 0].astype(np.int64) - row.values[places, 1, 0] if ledger.is_share else None
    good = 1 if ledger.higher_is_better else -1
    delta = after - before
    return ScoreChange(
        ledger.name,
        group,
        len(places),
        _defined(before),
        _defined(after),
        _defined(delta),
        fixed=None if moved is None else int(np.count_nonzero(moved == good)),
        broken=None if moved is None else int(np.count_nonzero(moved == -good)),
        part=ledger.part,
        higher_is_better=ledger.higher_is_better,
        is_detail=ledger.is_detail,
    )


def _defined(value: float) -> float | None:
    return value if math.isfinite(value) else None


@dataclass(frozen=True)
class RunChanges:
    """Two systems, or two versions of one: what moved, what became of each case, what a reader must know."""

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
        """All that changed from one to the other; an error where they have nothing in common."""
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
        """What the two are called: by their systems, or where these have one name as old and new."""
        same = self.old.system == self.new.system
        return ("old", "new") if same else (self.old.system, self.new.system)

    def kinds(self) -> dict[str, int]:
        """How many cases of each kind there are."""
        return dict(Counter(case.kind for case in self.cases))

    def record(self) -> dict[str, Any]:
        """The JSON shape; `cases` are all whose verdict changed."""
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
        """One case with its texts and what was found, as far as the runs are at hand."""
        texts = case_texts(self.old, self.new, case.case_id)
        return {
            **asdict(case),
            "source": texts.source,
            "old_output": texts.old,
            "new_output": texts.new,
            "old_why": why(self.old, case),
            "new_why": why(self.new, case),
        }


@dataclass(frozen=True, slots=True)
class CaseTexts:
    """The sentences of a case: what was asked, and both outputs; `None` where a run does not have them."""

    source: str | None
    old: str | None
    new: str | None


def case_texts(old: Snapshot, new: Snapshot, case_id: str) -> CaseTexts:
    """The sentences that a case is about: of an edit, the edited source."""
    run = new.record or old.record
    segment = case_id if run is None else method_of(run).reviewed(run, case_id)
    source = new.sources.get(segment) or old.sources.get(segment)
    return CaseTexts(source, old.outputs.get(segment), new.outputs.get(segment))


def why(snapshot: Snapshot, case: CaseChange) -> str:
    """What the detector says of the case in this run; empty where that is not known."""
    finding = snapshot.finding(case.detector, case.case_id)
    if finding is None or snapshot.record is None:
        return ""
    return "; ".join(method_of(snapshot.record).reasons(finding))


def check_comparable(old: Snapshot, new: Snapshot) -> None:
    """Refuse runs of two methods."""
    if old.method != new.method:
        raise UsageError(
            f"Run {old.run} is of '{old.method}' and run {new.run} of '{new.method}': only runs of one "
            "method can be compared."
        )


def case_changes(old: Snapshot, new: Snapshot) -> list[CaseChange]:
    """What became of every case with the same texts, by every detector that judged in one of the runs.

    A detector that only ever flags says by its silence that an output is right.
    """
    changes = []
    names = dict.fromkeys([*new.verdicts, *old.verdicts])
    missing = [set(s.verdicts.get(NO_OUTPUT, ())) for s in (old, new)]
    for detector in names:
        if detector == NO_OUTPUT and len(names) > 1:
            continue
        before, after = old.verdicts.get(detector, {}), new.verdicts.get(detector, {})
        flags_only = {*before.values(), *after.values()} == {"fail"}
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
    """The scores that both runs have and nothing is known of their units."""
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
    """What a reader must know: other settings, other texts, verdicts that moved though the output did not."""
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
    kinds: Counter[str] = Counter(case.kind for case in cases)
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


def _same_output(old: Snapshot, new: Snapshot, case: CaseChange) -> bool:
    units = new.families.get(case.case_id, ())
    return bool(units) and all(old.outputs.get(unit) == new.outputs.get(unit) for unit in units)


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _short(value: Any) -> str:
    text = "none" if value is None else value if isinstance(value, str) else _plain(value)
    return text if len(text) <= 24 else f"{text[:23]}…"
