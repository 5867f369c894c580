"""Scores of two systems on the same cases, with paired tests; they are used to compare runs.

The methods of both runs give ledgers for scores and findings for cases. Only cases with the same texts in
both runs are compared. All scores of a table are tested together (`stats.family`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import lzma
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.textfiles import check_file, largest, load_json
from mtassay.data.marks import json_text
from mtassay.data.method import view_of
from mtassay.data.nouns import Finding, Ledger, Run, Score, Segment, Verdict, original_of
from mtassay.stats import family, proportions, resampling

NO_OUTPUT = "output"
"""The name of the detector of missing outputs."""
CHECK = "check"
"""The display name of a rate of flagged outputs."""
Kind = TypeVar("Kind")
_SETTINGS_OF_LOOK = frozenset({"baseline", "against_best", "facts", "suite_path", "labels", "trials", "seed"})


def text_digests(segments: Iterable[Segment]) -> dict[str, str]:
    """The digest of the texts of each unit: a segment, an original with its edits, or a document."""
    texts: dict[str, Any] = {}
    for segment in segments:
        text = repr((segment.id, segment.source, segment.references)).encode("utf-8", "surrogatepass")
        for unit in filter(None, dict.fromkeys((segment.id, original_of(segment), segment.document))):
            texts.setdefault(unit, hashlib.blake2b(digest_size=4)).update(text)
    return {unit: digest.hexdigest() for unit, digest in texts.items()}


@dataclass(frozen=True, slots=True, eq=False)
class UnitSums:
    """The sums of all units for one score."""

    ids: Sequence[str]
    values: NDArray[Any]
    column_names: Sequence[str] = ()


@dataclass(frozen=True)
class Snapshot:
    """A system of a run with the data to compare a later run: the content of a baseline file.

    `sums` has the sums of each ledger by name, `texts` the digests by unit, and `verdicts` the verdicts by
    detector and case. `record` is the run, which has the sentences, if it is available.
    """

    run: str
    method: str
    system: str
    started: str
    parameters: Mapping[str, Any]
    scores: Sequence[Score]
    sums: Mapping[str, UnitSums]
    texts: Mapping[str, str]
    verdicts: Mapping[str, Mapping[str, Verdict]]
    step: str = ""
    record: Run | None = field(default=None, compare=False)

    @classmethod
    def of(cls, run: Run, system: str, *, step: str = "") -> Self:
        """Take the snapshot of one system of a run."""
        if system not in run.systems:
            raise UsageError(f"Run {run.id} has no system '{system}'. Available: {', '.join(run.systems)}.")
        verdicts: dict[str, dict[str, Verdict]] = {}
        for finding in run.findings:
            if finding.system == system and finding.verdict is not None:
                verdicts.setdefault(finding.detector, {})[finding.case_id] = finding.verdict
        return cls(
            run.id,
            run.method,
            system,
            run.started,
            {key: value for key, value in run.parameters.items() if key not in _SETTINGS_OF_LOOK},
            [score for score in run.result.scores if score.system == system],
            {
                entry.name: UnitSums(entry.ids, entry.values, entry.column_names)
                for entry in view_of(run).ledgers(system)
            },
            text_digests(run.segments),
            verdicts,
            step,
            run,
        )

    @cached_property
    def ledgers(self) -> list[Ledger]:
        """The counts and sums of the system's scores; needs the run."""
        assert self.record is not None
        return view_of(self.record).ledgers(self.system)

    @cached_property
    def outputs(self) -> dict[str, str | None]:
        """The system's outputs by segment; empty without the run."""
        answers = self.record.outputs.get(self.system, ()) if self.record else ()
        return {answer.id: answer.text for answer in answers}

    @cached_property
    def sources(self) -> dict[str, str | None]:
        """The sources by segment; empty without the run."""
        return {segment.id: segment.source for segment in (self.record.segments if self.record else ())}

    @cached_property
    def families(self) -> dict[str, list[str]]:
        """The segments of each case: the original and the segments made from it."""
        families: dict[str, list[str]] = {}
        for segment in self.record.segments if self.record else ():
            for case in filter(None, dict.fromkeys((segment.id, original_of(segment)))):
                families.setdefault(case, []).append(segment.id)
        return families

    @cached_property
    def _findings(self) -> dict[tuple[str, str], Finding]:
        findings = self.record.findings if self.record else ()
        return {(f.detector, f.case_id): f for f in findings if f.system == self.system}

    def finding(self, detector: str, case_id: str) -> Finding | None:
        """A detector's finding for a case, or the reason why there is nothing to judge."""
        return self._findings.get((detector, case_id)) or self._findings.get((NO_OUTPUT, case_id))

    def verdict(self, detector: str, case_id: str) -> Verdict | None:
        """A detector's verdict on a case."""
        missing = self.verdicts.get(NO_OUTPUT, {})
        return self.verdicts.get(detector, {}).get(case_id) or missing.get(case_id)

    def digest(self, unit: str) -> str | None:
        """The digest of a unit's texts; for a paragraph, the digest of its document."""
        return self.texts.get(unit) or self.texts.get(unit.rpartition("/")[0])

    def as_dict(self) -> dict[str, Any]:
        """The form in a file: values for people are plain, and values for tests are packed."""
        packed = {
            "texts": self.texts,
            "verdicts": self.verdicts,
            "sums": {
                name: {
                    "ids": list(sums.ids),
                    "values": sums.values.tolist(),
                    "columns": list(sums.column_names),
                }
                for name, sums in self.sums.items()
            },
        }
        scores: dict[str, dict[str, str]] = {}
        for score in self.scores:  # one per line, so that a diff shows the changes of a new baseline
            numbers = ("–" if x is None else f"{x:.4f}" for x in (score.value, score.low, score.high))
            scores.setdefault(score.name, {})[score.group] = f"{' '.join(numbers)} {score.n}"
        return {
            "step": self.step,
            "method": self.method,
            "system": self.system,
            "run": self.run,
            "started": self.started,
            "parameters": self.parameters,
            "scores": scores,
            "units": base64.b64encode(lzma.compress(json.dumps(packed).encode())).decode(),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read the result of `as_dict`; `ValueError` or `KeyError` names the fault."""
        about: dict[str, Any] = {
            key: _of(str, record[key], key) for key in ("run", "method", "system", "started", "step")
        }
        scores = [
            _score(name, about["system"], group, _of(str, text, f"scores.{name}.{group}"))
            for name, groups in _of(dict, record["scores"], "scores").items()
            for group, text in _of(dict, groups, f"scores.{name}").items()
        ]
        packed = _of(dict, _unpacked(_of(str, record["units"], "units")), "units")
        return cls(
            scores=scores,
            sums={name: _sums(entry) for name, entry in _of(dict, packed["sums"], "units").items()},
            texts=_among(None, packed["texts"]),
            verdicts={
                name: _among(get_args(Verdict), verdicts)
                for name, verdicts in _of(dict, packed["verdicts"], "units").items()
            },
            parameters=_of(dict, record["parameters"], "parameters"),
            **about,
        )


_WORDS = {"dict": "an object", "list": "a list", "str": "a text"}
_HUGE = 1e15  # beyond all scores and counts


def _of(kind: type[Kind], value: Any, what: str) -> Kind:
    if not isinstance(value, kind):
        raise ValueError(f"'{what}' must be {_WORDS[kind.__name__]}")
    return value


def _among(values: Sequence[Any] | None, texts: Any) -> dict[str, Any]:
    """Check that texts by name have one of these values, if values are given."""
    for text in _of(dict, texts, "units").values():
        if not isinstance(text, str) or (values is not None and text not in values):
            raise ValueError("'units' is damaged")
    return dict(texts)


def _unpacked(text: str) -> Any:
    reader = lzma.LZMADecompressor()
    content = reader.decompress(base64.b64decode(text, validate=True), max_length=largest())
    if not reader.eof:
        raise ValueError("'units' is cut off, or too large")
    return load_json(content.decode())


def _sums(entry: Any) -> UnitSums:
    """Read the sums of one score; tests need a row of numbers for each unit."""
    ids, columns = (_of(list, _of(dict, entry, "units")[key], "units") for key in ("ids", "columns"))
    rows = _of(list, entry["values"], "units")
    widths = {len(row) if isinstance(row, list) else None for row in rows}
    values = np.array(rows) if len(widths) < 2 else np.empty(0)
    if (
        not all(isinstance(text, str) for text in (*ids, *columns))
        or len(values) != len(ids)
        or (len(ids) and (values.ndim != 2 or values.dtype.kind not in "iuf"))
        or not (np.abs(values) < _HUGE).all()
    ):
        raise ValueError("'units' is damaged")
    return UnitSums(ids, values, columns)


def _score(name: str, system: str, group: str, text: str) -> Score:
    """Read a score as `Snapshot.as_dict` writes it: value, ends of the interval, n."""
    try:
        *numbers, n = text.split()
        value, low, high = (None if number == "–" else float(number) for number in numbers)
        count = int(n)
        if count < 0 or not all(x is None or abs(x) < _HUGE for x in (value, low, high, count)):
            raise ValueError(text)
    except ValueError:
        raise ValueError(f"'scores.{name}.{group}' is {text[:40]!r}: write VALUE LOW HIGH N") from None
    return Score(name, system, group, value, count, low, high)


def only_system(run: Run, system: str) -> Run:
    """Return the run with only one of its systems."""
    if system not in run.systems:
        raise UsageError(f"Run {run.id} has no system '{system}'. Available: {', '.join(run.systems)}.")
    return replace(
        run,
        systems=[system],
        findings=[finding for finding in run.findings if finding.system == system],
        outputs={name: answers for name, answers in run.outputs.items() if name == system},
        statistics=[entry for entry in run.statistics if entry.system == system],
    )


_KIND = "mtassay baseline"


def write_baseline(path: Path, snapshots: Sequence[Snapshot]) -> None:
    """Write systems of runs to a file that is small enough for a repository, to compare later runs with."""
    record = {"kind": _KIND, "version": 1, "snapshots": [snapshot.as_dict() for snapshot in snapshots]}
    path.write_text(json_text(record, indent=1) + "\n", encoding="utf-8")


def read_baseline(path: Path) -> list[Snapshot]:
    """Read a file from `write_baseline`."""
    try:
        check_file(path)
        record = json.loads(
            path.read_text(encoding="utf-8"), object_pairs_hook=_each_once, parse_constant=_no_number
        )
        if not isinstance(record, dict) or record.get("kind") != _KIND:
            raise ValueError("it is another kind of file")
        if record["version"] != 1:
            version = str(record["version"])[:40]
            raise ValueError(f"it is of version {version}, known here: 1; upgrade mtassay")
        snapshots = _of(list, record["snapshots"], "snapshots")
        return [Snapshot.from_dict(_of(dict, snapshot, "snapshots")) for snapshot in snapshots]
    except (ValueError, KeyError, lzma.LZMAError, EOFError, RecursionError, OverflowError) as error:
        why = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(
            f"this is no baseline ({why}). Write one: mtassay gate RUN --write-baseline {path.name}",
            path=path,
        ) from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"'{next(name for name in names if names.count(name) > 1)}' is there twice")
    return dict(pairs)


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


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
"""The possible changes of a case. Lost: its output is gone; found: it had no output before."""

LISTED: Mapping[ChangeKind, str] = {
    "broken": "Broken (correct before, incorrect now)",
    "lost": "Lost (no output any more)",
    "fixed": "Fixed (incorrect before, correct now)",
    "newly open": "Newly open (settled before)",
    "newly settled": "Newly settled (open before)",
    "found": "Found (no output before)",
}
"""Changes of cases to another status, and their display names."""

_SETTLED = {"pass": "right", "fail": "wrong"}
_ANSWERED = (*_SETTLED, "undecided")


def kind_of(old: Verdict | None, new: Verdict | None) -> ChangeKind:
    """Return how a case changed between two verdicts; without a verdict, there was nothing to judge.

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


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """The change of one score, over the `n` units that count in both runs.

    `delta` is after minus before, with its 95 % interval. p is two-sided and corrected for all scores of the
    table. For shares, `fixed` counts units that failed before and passed after, and `broken` the reverse.
    `None` means unknown, because there are no units or no test.
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
        """Whether the score is worse than before, by any amount."""
        return self.delta is not None and (self.delta < 0) == self.higher_is_better and self.delta != 0

    @property
    def title(self) -> str:
        """The display name of the score.

        >>> ScoreChange("bleu", "all", 9, 1, 2, 1, label="BLEU").title
        'BLEU'
        """
        name = self.label or self.name.partition(":")[0]
        if self.part == CHECK:
            name = f"% flagged by {self.name.rpartition(':')[2]}"
        return name if self.group == "all" else f"{name}, {self.group}"


@dataclass(frozen=True, slots=True)
class UnitChange:
    """The change of one unit's score under a metric."""

    unit: str
    name: str
    before: float
    after: float


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """A ledger in both runs, on the units that both have."""

    ledger: Ledger
    ids: Sequence[str]
    values: NDArray[Any]  # (units, new and old, columns)
    alone: tuple[int, int]  # number of units with a score only in the new run, and only in the old run


class PairedScores:
    """The scores of two systems on the units that both have: rows to test, and their values.

    Args:
        old: The earlier snapshot.
        new: The later snapshot; its run must be available.
        units: Only these units; by default all units that both have.
        names: Only these scores; by default all.
        checks: Whether to also count what each check flags; outputs without a flag count as right.
    """

    def __init__(
        self,
        old: Snapshot,
        new: Snapshot,
        *,
        units: Collection[str] | None = None,
        names: Collection[str] | None = None,
        checks: bool = False,
    ) -> None:
        self.old, self.new = old, new
        ledgers = [ledger for ledger in new.ledgers if names is None or ledger.name in names]
        pairs = [pair for ledger in ledgers if (pair := _paired(ledger, old, new, units=units)) is not None]
        pairs += _flag_rates(old, new) if checks else []
        self._pairs = [pair for pair in pairs if pair.ids]
        gone = [set(side.verdicts.get(NO_OUTPUT, ())) for side in (old, new)]
        self._left_out = [gone[0] - gone[1], gone[1] - gone[0]]
        clusters = {pair.ledger.clusters.get(unit, unit): None for pair in self._pairs for unit in pair.ids}
        numbers = {cluster: number for number, cluster in enumerate(clusters)}
        self.changes: list[ScoreChange] = []
        self.rows: list[family.PairedSums] = []
        looks = {score.name: score for score in new.scores}
        for pair in self._pairs:
            ledger = pair.ledger
            places = {unit: place for place, unit in enumerate(pair.ids)}
            swapped = np.array([numbers[ledger.clusters.get(u, u)] for u in pair.ids], dtype=np.int64)
            for group, parts in ledger.groups.items():
                columns = ledger.columns.get(group)
                values = pair.values if columns is None else pair.values[:, :, list(columns)]
                row = family.PairedSums(
                    values,
                    [np.array([places[u] for u in part if u in places], dtype=np.int64) for part in parts],
                    ledger.aggregate,
                    swapped,
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
        """Whether there is nothing to compare."""
        return not self.rows

    def units_of(self, change: ScoreChange) -> set[str]:
        """The units of a score."""
        ledger = next(pair.ledger for pair in self._pairs if pair.ledger.name == change.name)
        return {unit for part in ledger.groups[change.group] for unit in part}

    def with_test(
        self, change: ScoreChange, p: float, ends: tuple[float | None, float | None]
    ) -> ScoreChange:
        """Return the change with its p-value and its interval.

        Missing answers count as empty outputs, and no system may gain from them. If the better system left a
        text without an answer that the other answered, there is no test.
        """
        left_out = self._left_out[0 if change.is_worse else 1]
        if left_out and not left_out.isdisjoint(self.units_of(change)):
            return change
        return replace(change, p=_defined(p), low=ends[0], high=ends[1])

    def trials(self, *, trials: int, seed: int | None) -> NDArray[np.float32]:
        """After minus before for every row in every trial (trials, rows)."""
        return family.paired_trials(self.rows, trials=trials, seed=seed)

    def tested(
        self, *, trials: int = 10000, seed: int | None = 12345, samples: int = 1000
    ) -> list[ScoreChange]:
        """The changes with p-values and intervals; details are corrected separately, as in a table."""
        table = self.trials(trials=trials, seed=seed)
        p = np.full(len(self.rows), np.nan)
        for is_detail in (False, True):
            places = [i for i, change in enumerate(self.changes) if change.is_detail == is_detail]
            if places:
                observed = np.array([self.changes[i].delta for i in places], dtype=np.float64)
                p[places] = family.family_of(observed, table[:, places]).p
        tested = []
        for change, row, value in zip(self.changes, self.rows, p.tolist(), strict=True):
            tested.append(
                self.with_test(change, value, self.interval(change, row, samples=samples, seed=seed))
            )
        return tested

    def alone(self, group: str, *, trials: int = 10000, seed: int | None = 12345) -> ScoreChange:
        """The change of one group of the first score, tested separately."""
        place = next(i for i, change in enumerate(self.changes) if change.group == group)
        change, row = self.changes[place], self.rows[place]
        table = family.paired_trials([row], trials=trials, seed=seed)
        p = family.family_of(np.array([change.delta], dtype=np.float64), table).p
        return self.with_test(change, float(p[0]), self.interval(change, row, seed=seed))

    def interval(
        self,
        change: ScoreChange,
        row: family.PairedSums,
        *,
        level: float = 0.95,
        samples: int = 1000,
        seed: int | None = 12345,
    ) -> tuple[float | None, float | None]:
        """The interval of a change: Bonett & Price's for shares of independent units, else by bootstrap."""
        parts = [part for part in row.parts if len(part)]
        used = np.concatenate(parts)
        if change.fixed is not None and len(np.unique(row.units[used])) == len(np.unique(used)):
            hits = row.values[:, 0, 0].astype(np.int64) - row.values[:, 1, 0]
            gained, lost = ([int(np.count_nonzero(hits[part] == sign)) for part in parts] for sign in (1, -1))
            low, high = proportions.change_interval(gained, lost, [len(part) for part in parts], level=level)
            return 100 * float(low), 100 * float(high)
        resampled = []
        for number, part in enumerate(parts):
            _, places = np.unique(row.units[part], return_inverse=True)
            by_cluster = np.zeros((int(places.max()) + 1, *row.values.shape[1:]))
            np.add.at(by_cluster, places, row.values[part])
            own = None if seed is None else seed + number
            scores = resampling.bootstrap_scores(by_cluster, row.aggregate, samples=samples, seed=own)
            resampled.append(scores[:, 0] - scores[:, 1])
        ends = resampling.interval(np.mean(resampled, axis=0)[:, None], level=level)
        return _defined(float(ends[0][0])), _defined(float(ends[1][0]))

    def moved_units(self) -> list[UnitChange]:
        """The change of each unit under each metric, except for shares, whose units have verdicts instead."""
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


def _paired(
    ledger: Ledger, old: Snapshot, new: Snapshot, *, units: Collection[str] | None = None
) -> _Pair | None:
    """Pair a ledger on the units with equal texts in both runs; `None` if the old run lacks the ledger."""
    before = old.sums.get(ledger.name)
    if before is None or list(before.column_names) != list(ledger.column_names):
        return None
    if before.values.shape[1:] != ledger.values.shape[1:]:
        return None
    places = {unit: place for place, unit in enumerate(before.ids)}
    shared = [
        (place, places[unit])
        for place, unit in enumerate(ledger.ids)
        if unit in places and old.digest(unit) == new.digest(unit) and (units is None or unit in units)
    ]
    mine, theirs = ([pair[side] for pair in shared] for side in (0, 1))
    values = np.stack([np.asarray(ledger.values)[mine], np.asarray(before.values)[theirs]], axis=1)
    counted = resampling.counted_units(values, ledger.aggregate)
    both = counted.all(axis=1)
    lost = [int(side.sum() - both.sum()) for side in counted.T]
    return _Pair(
        ledger, [ledger.ids[mine[place]] for place in np.flatnonzero(both)], values[both], (lost[0], lost[1])
    )


def flagging(*snapshots: Snapshot) -> list[str]:
    """The detectors that only flag, such as checks; outputs without a flag count as right."""
    names = dict.fromkeys(name for snapshot in snapshots for name in snapshot.verdicts if name != NO_OUTPUT)
    return [n for n in names if all({*s.verdicts.get(n, {}).values()} <= {"fail"} for s in snapshots)]


def _flag_rates(old: Snapshot, new: Snapshot) -> list[_Pair]:
    """Count the outputs that each check flags, on segments with equal texts that both systems answered."""
    assert new.record is not None
    missing = {*old.verdicts.get(NO_OUTPUT, {}), *new.verdicts.get(NO_OUTPUT, {})}
    units = [
        segment.id
        for segment in new.record.segments
        if old.digest(segment.id) == new.digest(segment.id) and segment.id not in missing
    ]
    documents = {s.id: s.document for s in new.record.segments if s.document is not None}
    is_by_document = "unit" in new.record.result.basis
    pairs = []
    for name in flagging(old, new):
        flags = [{unit: unit in side.verdicts.get(name, {}) for unit in units} for side in (new, old)]
        more: dict[str, Any] = {"part": CHECK, "higher_is_better": False, "is_detail": True}
        clusters = documents if is_by_document else {}
        ledgers = [
            Ledger.of_shares(name, new.system, f, {"all": [units]}, clusters=clusters, **more) for f in flags
        ]
        pairs.append(_Pair(ledgers[0], units, np.stack([entry.values for entry in ledgers], axis=1), (0, 0)))
    return pairs


def _change(ledger: Ledger, group: str, row: family.PairedSums) -> ScoreChange:
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
