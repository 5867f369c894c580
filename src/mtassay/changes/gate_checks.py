"""Checks runs against the rules of a gate, and against their baselines."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np

from mtassay.changes.change_tables import case_block, plural_of, unit_block
from mtassay.changes.gate_tables import Gate, GateCheck, GateReport
from mtassay.changes.run_changes import (
    CaseChange,
    case_changes,
    case_texts,
    check_comparable,
    comparison_notes,
    pair_systems,
)
from mtassay.data.display import Block, Line
from mtassay.data.errors import UsageError
from mtassay.data.marks import p_text, plural, signed
from mtassay.data.method import view_of
from mtassay.data.nouns import Finding, Ledger, Run, Score
from mtassay.data.registry import names
from mtassay.measures.check import SEVERITIES
from mtassay.measures.check_run import checks_of, severity_of
from mtassay.methods.paired_scores import CHECK, NO_OUTPUT, PairedScores, ScoreChange, Snapshot
from mtassay.stats import comparisons, family, proportions

Baseline = Run | Snapshot | Sequence[Snapshot]
"""The baseline of a run: another run, or stored values of some systems."""

_SHOWN = 3  # sentences of a rule that failed
_NAMED = 5  # groups of a rule that failed
_FINDS = re.compile(r" ?\b(finding|misse?|failure|error|issue|hit|flag)s?$")
_RELATIONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_VERDICTS = ("pass", "fail", "undecided", "skipped", "error")
_NO_ANSWER = ("missing", "error", "refused", "skipped")


def check_gates(
    gates: Sequence[Gate | str | Mapping[str, Any]],
    runs: Mapping[str, Run],
    baselines: Mapping[str, Baseline],
    *,
    alpha: float = 0.05,
    trials: int = 10000,
    samples: int = 1000,
    seed: int | None = 12345,
) -> GateReport:
    """Check whether runs keep the rules; runs and baselines are given by the names of their steps.

    A rule applies to every step that has its subject, and to every system but the baseline. A rule without
    any such step is an error.
    """
    rules = [Gate.parse(gate) for gate in gates]
    sides = [
        side
        for step, run in runs.items()
        for side in _sides(step, run, baselines.get(step), trials=trials, samples=samples, seed=seed)
    ]
    if not sides:
        raise UsageError("There is nothing to check: the run has no system besides the baseline.")
    checks: list[GateCheck | _Alarm] = []
    for rule in rules:
        own = [s for s in sides if rule.step in ("", s.step) and rule.system in ("", s.new.system)]
        if not own:
            raise UsageError(_nowhere(rule, sides))
        made: dict[str, list[GateCheck | _Alarm]] = {}
        problems: list[GateCheck] = []
        for side in own:
            try:
                made.setdefault(side.step, []).append(side.check(rule))
                side.is_used = True
            except _NotHereError as problem:
                problems.append(GateCheck(rule, side.step, side.new.system, False, str(problem)))
        if not any(made.values()):
            raise UsageError(f"'{rule.text}': {problems[0].measured}")
        # A step may lack the rule's subject, but if one of its systems has it, all must.
        checks += [check for of_step in made.values() for check in of_step]
        checks += [problem for problem in problems if made.get(problem.step)]
    if not any(rule.kind == "limit" and rule.what.lower() in _NO_ANSWER for rule in rules):
        checks += [check for side in sides if side.is_used and (check := side.unanswered()) is not None]
    alarms = [check for check in checks if isinstance(check, _Alarm)]
    p = _family(alarms, alpha)
    tests = {(id(alarm.side), row) for alarm in alarms for row in alarm.rows}
    settled = {id(alarm): alarm.settle(values, alpha) for alarm, values in zip(alarms, p, strict=True)}
    notes = [note for side in sides if any(rule.compares for rule in rules) for note in side.notes()]
    return GateReport(
        [settled[id(check)] if isinstance(check, _Alarm) else check for check in checks],
        list(dict.fromkeys(notes)),
        alpha,
        len(tests),
    )


class _NotHereError(Exception):
    """A run lacks the subject of a rule; the message says what the run has."""


def _nowhere(rule: Gate, sides: Sequence[_Side]) -> str:
    steps = ", ".join(dict.fromkeys(side.step for side in sides))
    systems = ", ".join(dict.fromkeys(side.new.system for side in sides))
    return (
        f"'{rule.text}' is for step '{rule.step}' and system '{rule.system}'. Steps: {steps}. "
        f"Systems: {systems}."
    )


def _sides(step: str, run: Run, baseline: Baseline | None, **how: Any) -> list[_Side]:
    """The systems of a run to check, each with its baseline."""
    if baseline is None:
        return [_Side(step, Snapshot.of(run, system, step=step), None, **how) for system in run.systems]
    snapshots = _snapshots(baseline)
    own = [s for s in snapshots if s.step in ("", step) and s.method == run.method]
    if snapshots and not own:
        check_comparable(snapshots[0], Snapshot.of(run, run.systems[0]))
    pairs = pair_systems(run, own or snapshots, step=step)
    return [_Side(step, new, old, **how) for old, new in pairs]


def _snapshots(baseline: Baseline) -> list[Snapshot]:
    if isinstance(baseline, Run):
        return [Snapshot.of(baseline, system) for system in baseline.systems]
    return [baseline] if isinstance(baseline, Snapshot) else list(baseline)


@dataclass(eq=False)
class _Side:
    """One system of one run, and its baseline."""

    step: str
    new: Snapshot
    old: Snapshot | None
    trials: int
    samples: int
    seed: int | None
    is_used: bool = False

    def check(self, rule: Gate) -> GateCheck | _Alarm:
        """Return the result of the rule; an alarm waits until all alarms are tested."""
        if rule.compares and self.old is None:
            raise UsageError(f"'{rule.text}' compares, so it needs a baseline: add `baseline='RUN'` or FILE.")
        looks = {"limit": self._limit, "new": self._new, "broken": self._broken, "loss": self._loss}
        if rule.kind in looks:
            return looks[rule.kind](rule)
        if rule.what.lower() in (CHECK, f"{CHECK}s") and all(c.part != CHECK for c in self.paired.changes):
            return self._result(rule, True, "no check flags anything")
        return _Alarm(rule, self, self._worse(rule))

    def unanswered(self) -> GateCheck | None:
        """Return a failed check if texts have no answer, which no rule limits; else `None`."""
        run, system = self._record, self.new.system
        gone = self.new.verdicts.get(NO_OUTPUT, {}).keys()
        before = self.old.verdicts.get(NO_OUTPUT, {}).keys() if self.old else set()
        streamed = run.result.basis.get("unanswered", {}).get("systems", {}) if not run.segments else {}
        if not (count := len(gone - before) or streamed.get(system, 0)):
            return None
        also = " that the baseline answered" if self.old else ""
        total = len(gone) or count
        measured = f"{plural(count, 'text')} without an answer{also}. To allow them: missing <= {total}"
        shown = [f for f in run.findings if (f.system, f.detector) == (system, NO_OUTPUT)][:_SHOWN]
        blocks = [self._finding_block(finding) for finding in shown if finding.case_id not in before]
        return self._result(Gate.parse("missing <= 0"), False, measured, blocks=blocks)

    def _result(self, rule: Gate, passed: bool, measured: str, *details: Any, **more: Any) -> GateCheck:
        return GateCheck(rule, self.step, self.new.system, passed, measured, *details, **more)

    def notes(self) -> list[str]:
        """Notes on the comparison for readers."""
        return comparison_notes(self.old, self.new, self.cases) if self.old else []

    @cached_property
    def paired(self) -> PairedScores:
        """The comparison of both sides by score."""
        return PairedScores(self._before, self.new, checks=True)

    @cached_property
    def cases(self) -> list[CaseChange]:
        """The comparison of both sides by case."""
        return case_changes(self._before, self.new)

    @property
    def names(self) -> tuple[str, str]:
        """The names of both sides."""
        old = self._before.system
        return ("old", "new") if old == self.new.system else (old, self.new.system)

    @property
    def _before(self) -> Snapshot:
        assert self.old is not None
        return self.old

    @property
    def _record(self) -> Run:
        assert self.new.record is not None
        return self.new.record

    # Limits ----------------------------------------------------------------------------------------------

    def _limit(self, rule: Gate) -> GateCheck:
        try:
            keys = self._keys(rule, [(s.name, s.group, s.n, s.label) for s in self._scores])
        except _NotHereError:
            if not rule.side and not rule.group and (counted := self._count(rule)) is not None:
                return counted
            raise
        scores = [s for s in self._scores if (s.name, s.group) in keys and s.value is not None]
        if not scores:
            raise _NotHereError("nothing was counted for it, so it has no value")
        failing = [score for score in scores if not self._keeps(score, rule)]
        shown = failing or scores
        units = [self._units(score.name, score.group) for score in failing]
        failed = (f for f in self._record.findings if f.system == self.new.system and f.verdict == "fail")
        wrong = [f for f in failed if any(f.case_id in ids for ids in units)]
        return self._result(
            rule,
            not failing,
            "; ".join(map(_score_text, shown[:_NAMED])),
            [text for score in failing if (text := self._too_few(score, rule))],
            blocks=[self._finding_block(finding) for finding in wrong[:_SHOWN]],
        )

    @property
    def _scores(self) -> list[Score]:
        """Return the scores of the run; pass rates are added for verdicts without a score."""
        names = {score.name for score in self.new.scores}
        lacking = [e for e in self.new.ledgers if e.is_share and e.name not in names]
        rates = [_pass_rate(ledger) for ledger in lacking if list(ledger.groups) == ["all"]]
        return [*self.new.scores, *rates]

    def _keeps(self, score: Score, rule: Gate) -> bool:
        side = {"": score.value, "lower": score.low, "upper": score.high}[rule.side]
        return side is not None and _RELATIONS[rule.relation](side, self._number(score, rule))

    def _is_share(self, score: Score) -> bool:
        return any(ledger.name == score.name and ledger.is_share for ledger in self.new.ledgers)

    def _number(self, score: Score, rule: Gate) -> float:
        """Return the limit in the unit of the score: a share may be written 90 %, 90 or 0.9."""
        is_fraction = self._is_share(score) and not rule.unit and rule.number <= 1
        return 100 * rule.number if is_fraction else rule.number

    def _too_few(self, score: Score, rule: Gate) -> str:
        """Return a note if the cases are too few to reach a lower bound even if all pass; else empty."""
        wanted = self._number(score, rule) / 100
        if rule.side != "lower" or not self._is_share(score) or not 0 < wanted < 1 or not score.n:
            return ""
        best = proportions.wilson(score.n, score.n).low
        if best >= wanted:
            return ""
        # Wilson's lower end with all of n passed is n / (n + z²).
        z = comparisons.critical_value(0.05)
        needed = math.ceil(z * z * wanted / (1 - wanted))
        return f"{score.group}: {score.n:,} cases reach {100 * best:.1f} at most; it takes {needed:,}."

    def _count(self, rule: Gate) -> GateCheck | None:
        """Check a rule about the number of cases with a verdict, or about another count of the run."""
        run, what = self._record, rule.what.lower().replace(" ", "_").replace("-", "_")
        system, beside = self.new.system, run.result.basis.get("checks", {})
        counted = {**beside.get(system, {}), **run.result.counts.get(system, {})}
        counts = {key.lower().replace("-", "_"): n for key, n in counted.items()}
        judged = [f for f in run.findings if f.system == self.new.system and f.verdict is not None]
        total = len({f.case_id for f in judged} if self._judges else run.segments)
        if what in _VERDICTS and self._judges:
            count = len({f.case_id for f in judged if f.verdict == what and self._is_judge(f)})
        elif (what := {"skipped": "missing"}.get(what, what)) in counts:
            count = counts[what]
        elif what == "missing":
            count = len(self.new.verdicts.get(NO_OUTPUT, ()))
        elif what.removeprefix("check.") in SEVERITIES or any(_is_about(f, what) for f in judged):
            count = len({f.case_id for f in judged if f.verdict == "fail" and _is_about(f, what)})
        elif (check := what.removeprefix("check.").replace("_", "-")) in names("check"):
            if check not in checks_of(run):
                raise _NotHereError(f"the check '{check}' was not run: add it to the `checks` of the step")
            count = 0
        else:
            return None
        if rule.unit == "" and rule.number != int(rule.number):
            raise UsageError(
                f"'{rule.text}' needs a number of cases: write a whole number, or a percentage such as 5 %."
            )
        value = 100 * count / total if rule.unit and total else float(count)
        passed = _RELATIONS[rule.relation](value, rule.number)
        low, high = proportions.wilson(count, total) if total else (0.0, 1.0)
        measured = f"{count:,} of {total:,}"
        if rule.unit:
            measured = f"{value:.1f} % [{100 * low:.1f}–{100 * high:.1f}], {measured}"
        found = [f for f in judged if f.verdict == what or _is_about(f, what)]
        blocks = [] if passed else [self._finding_block(f) for f in found[:_SHOWN]]
        return self._result(rule, passed, measured, blocks=blocks)

    @property
    def _judges(self) -> set[str]:
        """The detectors that find both right and wrong outputs."""
        return {
            name
            for name, verdicts in self.new.verdicts.items()
            if name != "output" and set(verdicts.values()) & {"pass", "undecided"}
        }

    def _is_judge(self, finding: Finding) -> bool:
        return finding.detector in self._judges or finding.detector == "output"

    def _units(self, name: str, group: str) -> set[str]:
        for ledger in self.new.ledgers:
            if ledger.name == name and group in ledger.groups:
                return {unit for part in ledger.groups[group] for unit in part}
        return set()

    def _finding_block(self, finding: Finding) -> Block:
        texts = case_texts(self.new, self.new, finding.case_id)
        lines = [Line("source", texts.source)] if texts.source else []
        lines.append(Line("output", "(no output)" if texts.new is None else texts.new))
        reasons = "; ".join(view_of(self._record).reasons(finding))
        return Block([*lines, *([Line("why", reasons)] if reasons else [])], finding.case_id)

    # What compares ---------------------------------------------------------------------------------------

    def _broken(self, rule: Gate) -> GateCheck:
        """Check for cases that passed before and now fail or have no output; open cases do not count."""
        passed = [case for case in self.cases if case.old == "pass"]
        if rule.group:
            units = self._units_of_group(rule.group)
            passed = [case for case in passed if case.case_id in units]
        broken = [case for case in passed if case.kind in ("broken", "lost")]
        lost = sum(case.kind == "lost" for case in broken)
        measured = f"{len(broken) - lost:,} broken" + (f", {lost:,} without an output now" if lost else "")
        blocks = self._blocks(broken)
        return self._result(rule, not broken, measured, blocks=blocks, more=self.more(len(broken), blocks))

    def _units_of_group(self, group: str) -> set[str]:
        named = [
            {unit for part in parts for unit in part}
            for ledger in self.new.ledgers
            for name, parts in ledger.groups.items()
            if name.lower() == group.lower()
        ]
        if not named:
            raise _NotHereError(f"the run has no group '{group}'")
        return named[0]

    def _new(self, rule: Gate) -> GateCheck:
        view = view_of(self._record)
        names = dict.fromkeys([*self.new.verdicts, *self._before.verdicts])
        known = [name for name in names if name != "output"]
        known += [ledger.name.partition(":")[0] for ledger in self.new.ledgers if not ledger.is_share]
        word = _FINDS.sub("", rule.what.replace("_", " "))
        called = {
            name: {
                _FINDS.sub("", text.lower().replace("_", " "))
                for text in (name, name.rpartition(":")[2], name.partition(":")[0], view.finds(name))
            }
            for name in dict.fromkeys(known)
        }
        wanted = {name for name, words in called.items() if word in words or not word}
        severe = {
            (f.detector, f.case_id)
            for f in self._record.findings
            if f.system == self.new.system and word in SEVERITIES and _is_about(f, word)
        }
        wanted |= {detector for detector, _ in severe}
        if not wanted and word not in SEVERITIES:
            available = sorted({view.finds(name) for name in known})
            raise _NotHereError(
                f"no detector '{word}' judged the run. Available: {', '.join(available) or 'none'}."
            )
        fresh = [c for c in self.cases if c.detector in wanted and c.new == "fail" and c.old != "fail"]
        if severe:
            fresh = [c for c in fresh if (c.detector, c.case_id) in severe]
        gone = sum(c.detector in wanted and c.old == "fail" and c.new != "fail" for c in self.cases)
        blocks = self._blocks(fresh)
        measured = f"{len(fresh):,} new, {gone:,} gone"
        return self._result(rule, not fresh, measured, blocks=blocks, more=self.more(len(fresh), blocks))

    def _loss(self, rule: Gate) -> GateCheck:
        failing, texts, details, blocks = False, [], [], []
        for place in self._places(rule):
            change, row = self.paired.changes[place], self.paired.rows[place]
            assert change.delta is not None
            good = 1 if change.higher_is_better else -1
            bound: float | None = good * change.delta
            fine = _visible(change.delta, _fine(change))
            text = f"{change.title} {signed(change.delta, fine)}"
            if rule.level is not None:
                how = {"samples": self.samples, "seed": self.seed}
                low, high = self.paired.interval(change, row, level=2 * rule.level - 1, **how)  # type: ignore[arg-type]
                end = low if good > 0 else high
                bound = None if end is None else good * end
                word = "at least" if good > 0 else "at most"
                text += f", {word} {signed(end, fine)} at {100 * rule.level:g} %"
            texts.append(f"{text} (n {change.n:,})")
            if bound is None or bound < -rule.number - 1e-9:
                failing = True
                if bound is not None and good * change.delta >= -rule.number:
                    reach = good * change.delta - bound
                    details.append(
                        f"{change.title}: the loss is within {rule.number:g}, but {change.n:,} units do not "
                        f"prove it: two equal systems would pass with a margin of {reach:.{_fine(change)}f}."
                    )
                blocks += self.proof(change)[0]
        return self._result(rule, not failing, "; ".join(texts[:_NAMED]), details, blocks[:_SHOWN])

    def _worse(self, rule: Gate) -> list[int]:
        """Return the rows that an alarm tests."""
        if rule.is_one:
            return self._places(rule)
        changes = self.paired.changes
        part = rule.what.lower()
        if part in ("score", "scores", "group", "groups", "metric", "metrics"):
            places = [i for i, change in enumerate(changes) if change.part != CHECK]
        else:
            places = [i for i, c in enumerate(changes) if part in (c.part, plural_of(c.part))]
            # The total, and averages over all groups, are not groups.
            places = [i for i in places if not self._is_whole(i)] or places
        if not places:
            parts = dict.fromkeys(plural_of(c.part) for c in changes if c.part != "group")
            raise _NotHereError(f"no '{part}' is compared. Available: {', '.join([*parts, 'scores'])}.")
        return places

    def _is_whole(self, place: int) -> bool:
        row = self.paired.rows[place]
        return self.paired.changes[place].n == len(row.values)

    def _places(self, rule: Gate) -> list[int]:
        changes = self.paired.changes
        if not changes:
            raise _NotHereError("the runs have no case with the same texts")
        keys = self._keys(rule, [(c.name, c.group, c.n, c.label) for c in changes])
        return [i for i, c in enumerate(changes) if (c.name, c.group) in keys]

    def _keys(self, rule: Gate, known: Sequence[tuple[str, str, int, str]]) -> set[tuple[str, str]]:
        """Return the scores of a rule, by name and group in any case; without a group, the widest one."""
        shares = {ledger.name for ledger in self.new.ledgers if ledger.is_share and ledger.higher_is_better}
        for what, group in _readings(rule):
            named = [key for key in known if _is_called(key, what, shares)]
            if group:
                named = [key for key in named if key[1].lower() == group.lower()]
            elif named:
                most = max(key[2] for key in named)
                named = [key for key in named if key[2] == most and not self._is_detail(key[0])]
            if named:
                first = [key for key in named if not self._is_detail(key[0])] or named
                return {(name, of) for name, of, _, _ in first}
        raise _NotHereError(self._no_such(rule, known))

    def _is_detail(self, name: str) -> bool:
        return any(ledger.name == name and ledger.is_detail for ledger in self.new.ledgers)

    def _no_such(self, rule: Gate, known: Sequence[tuple[str, str, int, str]]) -> str:
        names = dict.fromkeys(key[0] for key in known)
        groups = {key[1].lower(): key[1] for key in known}
        wanted = rule.group or rule.what.rpartition("/")[2]
        near = get_close_matches(wanted.lower(), [*groups, *names], n=3)
        meant = f"Near: {', '.join(groups.get(name, name) for name in near)}. " if near else ""
        about = f"{rule.what} of {rule.group}" if rule.group else rule.what
        return f"the run has no score '{about}'. {meant}Available: {', '.join(names) or 'none'}."

    def more(self, count: int, blocks: Sequence[Block]) -> str:
        """Return advice on how to see the sentences that are not shown; empty if all are shown."""
        if count <= len(blocks) or self.old is None:
            return ""
        runs = f"{self.old.run}:{self.old.system} {self.new.run}:{self.new.system}"
        return f"{count - len(blocks):,} more sentences: mtassay compare {runs} --all --examples {count}"

    def proof(self, change: ScoreChange) -> tuple[list[Block], int]:
        """Return the first sentences that show a loss (broken or fell most), and the number of all."""
        units = self.paired.units_of(change)
        if change.part == CHECK:
            flagged = [c for c in self.cases if c.detector == change.name and c.new == "fail" != c.old]
            return self._blocks(flagged), len(flagged)
        broken = [c for c in self.cases if c.kind in ("broken", "lost") and c.case_id in units]
        if change.fixed is not None and change.higher_is_better:
            return self._blocks(broken), len(broken)
        good = 1 if change.higher_is_better else -1
        fallen = [u for u in self.paired.moved_units() if u.name == change.name and u.unit in units]
        fallen.sort(key=lambda unit: good * (unit.after - unit.before))
        worst = [unit for unit in fallen if good * (unit.after - unit.before) < 0]
        shown = [unit_block(self._before, self.new, unit, names=self.names) for unit in worst[:_SHOWN]]
        return shown, len(worst)

    def _blocks(self, cases: Sequence[CaseChange]) -> list[Block]:
        return [case_block(self._before, self.new, case, names=self.names) for case in cases[:_SHOWN]]


def _is_about(finding: Finding, what: str) -> bool:
    """Whether a detector is this check, or one of this severity: `numbers`, `critical`, `check.critical`."""
    name = finding.detector.rpartition(":")[2].replace("-", "_")
    return what == name or what.removeprefix("check.") == severity_of(finding)


def _pass_rate(ledger: Ledger) -> Score:
    """Return the share of units that pass, with Wilson's interval."""
    passed, n = (int(total) for total in ledger.values.sum(axis=0))
    low, high = proportions.wilson(passed, n)
    value = 100 * passed / n if n else None
    return Score(ledger.name, ledger.system, "all", value, n, 100 * low, 100 * high)


def _readings(rule: Gate) -> Iterator[tuple[str, str]]:
    """Yield possible meanings of a rule as score and group; both names may contain a slash."""
    yield rule.what, rule.group
    if rule.group:
        return
    for place, character in enumerate(rule.what):
        if character == "/":
            yield rule.what[:place].strip(), rule.what[place + 1 :].strip()
    yield "pass rate", rule.what  # a group means its own pass rate


def _is_called(key: tuple[str, str, int, str], what: str, shares: set[str]) -> bool:
    name, _, _, label = key
    word = what.lower()
    if word in (name.lower(), label.lower(), name.partition(":")[0].lower(), name.rpartition(":")[2].lower()):
        return True
    return word in ("pass rate", "accuracy") and name in shares


def _fine(change: ScoreChange) -> int:
    """Format with one decimal more than in tables, since a limit may be finer."""
    return change.decimals + 1


def _score_text(score: Score) -> str:
    value = "–" if score.value is None else f"{score.value:.{score.decimals}f}"
    ends = "" if score.low is None else f" [{score.low:.{score.decimals}f}–{score.high:.{score.decimals}f}]"
    name = score.label or score.name.partition(":")[0]
    about = name if score.group == "all" else f"{name}, {score.group}"
    return f"{about} {value}{ends}, n {score.n:,}"


@dataclass(frozen=True, eq=False)
class _Alarm:
    """A rule that fails if one of these rows is significantly worse."""

    gate: Gate
    side: _Side
    rows: Sequence[int]

    def settle(self, p: Sequence[float], alpha: float) -> GateCheck:
        """The check, once the p-values of all alarms are known."""
        changes = [self.side.paired.changes[i] for i in self.rows]
        ranked = sorted(zip(p, changes, strict=True), key=lambda pair: pair[0])
        worse = [(value, c) for value, c in ranked if value < alpha and self._is_harm(c)]
        kind = plural_of(self.gate.what.lower().removesuffix("s"))
        kind = kind if self.gate.what.lower() not in [plural_of(c.part) for c in changes] else self.gate.what
        if worse:
            measured = f"{len(worse)} of {len(changes)} {kind}" if len(changes) > 1 else _loss_text(*worse[0])
        else:
            least, change = ranked[0]
            text = _loss_text(least, change)
            nearest = f"; nearest: {text}" if change.is_worse else ""
            measured = text if len(changes) == 1 else f"0 of {len(changes)} {kind}{nearest}"
        details = [_loss_text(value, c) for value, c in worse[:_NAMED]]
        within = [c for value, c in ranked if value < alpha and c.is_worse and not self._is_harm(c)]
        if within and not worse:
            names = ", ".join(c.title for c in within[:_NAMED])
            details.append(f"Significantly worse, but within the margin: {names}.")
            measured += f"; within the margin of {self._margin(within[0]):g}"
        proofs = [self.side.proof(c) for _, c in worse]
        blocks = list({block.title: block for shown, _ in proofs[:2] for block in shown}.values())
        return GateCheck(
            self.gate,
            self.side.step,
            self.side.new.system,
            not worse,
            measured,
            details,
            blocks,
            self.side.more(sum(count for _, count in proofs), blocks),
        )

    def _margin(self, change: ScoreChange) -> float:
        """Return the tolerated loss: 0 for a share, five units of the last digit shown for a metric."""
        if self.gate.margin is not None:
            return self.gate.margin
        return 0.0 if change.fixed is not None else 5 * 10.0**-change.decimals

    def _is_harm(self, change: ScoreChange) -> bool:
        return change.is_worse and abs(change.delta or 0.0) > self._margin(change)


def _loss_text(p: float, change: ScoreChange) -> str:
    decimals = _visible(change.delta, change.decimals)
    ends = [f"{value:.{decimals}f}" for value in (change.before, change.after) if value is not None]
    return (
        f"{change.title} {signed(change.delta, decimals)} ({' → '.join(ends)}, n {change.n:,}, p {p_text(p)})"
    )


def _visible(value: float | None, decimals: int) -> int:
    """Return decimals that show two digits of a change after leading zeros, six at most.

    >>> _visible(-1.24, 1), _visible(-0.0123, 1), _visible(0.0, 1)
    (1, 3, 1)
    """
    if not value or abs(value) >= 10 ** (1 - decimals):
        return decimals
    return min(6, max(decimals, 1 - math.floor(math.log10(abs(value)))))


def _family(alarms: Sequence[_Alarm], alpha: float) -> list[list[float]]:
    """One-sided p-values of all rows of all alarms, corrected together; each row counts once."""
    keys: dict[tuple[int, int], int] = {}
    for alarm in alarms:
        for row in alarm.rows:
            keys.setdefault((id(alarm.side), row), len(keys))
    if not keys:
        return []
    sides = {id(alarm.side): alarm.side for alarm in alarms}
    observed, trials = np.zeros(len(keys)), None
    columns: dict[int, np.ndarray[Any, Any]] = {}
    for number, side in sides.items():
        rows = sorted({row for owner, row in keys if owner == number})
        changes = [side.paired.changes[row] for row in rows]
        signs = np.array([-1.0 if c.higher_is_better else 1.0 for c in changes])
        chosen = [side.paired.rows[row] for row in rows]
        table = family.paired_trials(chosen, trials=side.trials, seed=side.seed) * signs
        for place, row in enumerate(rows):
            column = keys[number, row]
            observed[column] = max(0.0, signs[place] * float(changes[place].delta or 0.0))
            columns[column] = np.maximum(table[:, place], 0.0)
    trials = np.stack([columns[column] for column in range(len(keys))], axis=1)
    p = family.family_of(observed, trials, alpha=alpha).p
    return [[float(p[keys[id(alarm.side), row]]) for row in alarm.rows] for alarm in alarms]
