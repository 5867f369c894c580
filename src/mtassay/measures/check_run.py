"""Selects checks, runs them on outputs of systems, and makes one finding for each unit and check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.data.errors import UsageError
from mtassay.data.languages import parse_language
from mtassay.data.method import Evidence
from mtassay.data.nouns import Finding, Output, Run, RunContext, Segment
from mtassay.data.registry import each_named, find, make, names, suggest, tags
from mtassay.measures.check import GROUPS, SEVERITIES, Alarm, Check, CheckContext, Severity, Unit
from mtassay.runtime.processes import map_in_processes, process_count

DETECTOR = "check:"
"""The prefix of the detector names of findings."""
DEFAULT, ALL, NONE = "default", "all", "none"
BATCH = 4096
"""The number of units that a worker checks at a time."""
_ENOUGH_FOR_A_FORK = 300_000  # characters
# Rules that a user sets apply even if a reference violates them.
_ABOVE_REFERENCES = ("terms", "style")


@dataclass(frozen=True, slots=True)
class CheckMark(Evidence):
    """A place in source or output (character offsets); `id` is set only for another text."""

    side: str = "output"
    start: int = 0
    end: int = 0
    id: str = ""

    def written(self) -> tuple[str, ...]:
        return ("side", "start", "end")


@dataclass(frozen=True, slots=True)
class CheckEvidence(Evidence):
    """The problem that a check found in a unit: reason, severity, place, and certain corrections.

    `file`, `key` and `line` are the text's origin. `ignored` is the reason why no action is needed.
    """

    why: str = ""
    severity: Severity = "major"
    group: str = ""
    marks: Sequence[CheckMark] = ()
    fix: str | None = None
    file: str = ""
    key: str = ""
    line: int | None = None
    ignored: str = ""

    def written(self) -> tuple[str, ...]:
        return ("why", "severity")

    def spans(self, side: str) -> list[tuple[int, int]]:
        """The marked places in the source or in the output."""
        return [(mark.start, mark.end) for mark in self.marks if mark.side == side and not mark.id]

    def elsewhere(self) -> dict[str, list[tuple[int, int]]]:
        """The marked places in other texts' outputs in the document, by text id."""
        places: dict[str, list[tuple[int, int]]] = {}
        for mark in self.marks:
            if mark.id:
                places.setdefault(mark.id, []).append((mark.start, mark.end))
        return places


def id_of(finding: Finding) -> str:
    """The id of the check that made a finding; empty for other findings.

    >>> id_of(Finding("1", "nmt", "check:numbers")), id_of(Finding("1", "nmt", "judge"))
    ('numbers', '')
    """
    return finding.detector.removeprefix(DETECTOR) if finding.detector.startswith(DETECTOR) else ""


def severity_of(finding: Finding) -> Severity | None:
    """The severity of a check's finding; `None` for other findings and for those that do not fail."""
    if not id_of(finding) or finding.verdict != "fail":
        return None
    return CheckEvidence.of(finding).severity


# Choice -----------------------------------------------------------------------------------------------------


class ChosenChecks(NamedTuple):
    """The checks to run, and the reasons why other requested checks do not run."""

    checks: list[Check]
    not_run: dict[str, str]


def check_names(value: str | Iterable[str]) -> tuple[str, ...]:
    """Read names of checks, separated by commas or in a list; `UsageError` for an unknown name.

    A group means its checks, and a severity its default checks. `default`, `all` and `none` refer to all.

    >>> check_names("numbers, negation"), check_names(["none"])
    (('numbers', 'negation'), ('none',))
    >>> check_names("nubmers")
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: No check 'nubmers'. Near: numbers, names.
    """
    texts = [value] if isinstance(value, str) else value
    given = tuple(
        dict.fromkeys(name.strip().lower() for text in texts for name in text.split(",") if name.strip())
    )
    available = [*names("check"), *GROUPS, *SEVERITIES, DEFAULT, ALL, NONE]
    for name in given:
        if name not in available:
            raise UsageError(f"No check '{name}'. {suggest(name, available)}")
    return given


def choose_checks(
    given: str | Iterable[str], without: str | Iterable[str], context: CheckContext
) -> ChosenChecks:
    """Return the checks with these names that can run, except for the checks named in `without`.

    >>> context = CheckContext("en", "de")
    >>> chosen = choose_checks("numbers,empty", "empty", context)
    >>> [check.id for check in chosen.checks]
    ['numbers']
    """
    wanted, unwanted = check_names(given), check_names(without)
    pair = None
    if context.source is not None and context.target is not None:
        pair = f"{parse_language(context.source).code}-{parse_language(context.target).code}"
    checks: list[Check] = []
    not_run: dict[str, str] = {}
    # Loading unused checks takes longer than running many checks.
    every = not {DEFAULT, ALL}.isdisjoint(wanted)
    meant = {name for name, own in tags("check").items() if every or not {name, *own}.isdisjoint(wanted)}
    for name, kind in each_named("check", among=meant):
        is_named = name in wanted or kind.group in wanted
        is_meant = is_named or not {DEFAULT, ALL, kind.severity}.isdisjoint(wanted)
        if not is_meant or not {name, kind.group, kind.severity}.isdisjoint(unwanted):
            continue
        if not is_named and ALL not in wanted and not is_on(kind, pair):
            continue
        check: Check = make("check", name)
        if reason := _why_not(check, context):
            not_run[name] = reason
        else:
            checks.append(check)
    return ChosenChecks(checks, not_run)


def checks_of(run: Run) -> list[str]:
    """Return the checks that a run used; empty if its method runs no checks."""
    pair = run.parameters.get("pair") or run.parameters.get("langpair") or (None, None)
    languages = pair.split("-", 1) if isinstance(pair, str) else pair
    given, without = (run.parameters.get(key) or () for key in ("checks", "without"))
    return [check.id for check in choose_checks(given, without, CheckContext(*languages)).checks]


def _why_not(check: Check, context: CheckContext) -> str:
    if "terms" in check.needs and context.terms is None:
        return "no glossary: --terms FILE"
    if "style" in check.needs and not context.style:
        return "no style rule: --style KEY=VALUE"
    if not check.applies(context):
        return f"not for {context.source or 'unknown'}-{context.target or 'unknown'}"
    return ""


# Units ------------------------------------------------------------------------------------------------------


def units_of(segments: Sequence[Segment], outputs: Sequence[str | Output | None]) -> list[Unit]:
    """Turn segments and outputs into units for checks; a segment without an output has no unit.

    An answer that an adapter refused keeps its raw text, so that a check can name the problem. The segment's
    tags `file`, `key`, `line` and `facts` have the information from its file.
    """
    units = []
    for segment, answer in zip(segments, outputs, strict=True):
        text, facts = said(answer) if isinstance(answer, Output) else (answer, {})
        if text is None or (not text and "error" in facts and not _is_told(facts)):
            continue
        tags = segment.tags
        units.append(
            Unit(
                segment.id,
                text,
                segment.source,
                tuple(reference for reference in segment.references if reference is not None),
                segment.document,
                str(tags.get("file", "")),
                str(tags.get("key", "")),
                tags.get("line"),
                {**tags.get("facts", {}), **facts},
            )
        )
    return units


def said(output: Output) -> tuple[str, dict[str, Any]]:
    """Return the text of an engine's answer for checks, and the facts for `Unit.facts`.

    If the adapter did not accept the answer as a translation, the text is the raw answer.

    >>> said(Output("1", None, "refused: I'm sorry", {"raw": "I'm sorry."}))[0]
    "I'm sorry."
    """
    facts = dict(output.meta)
    if output.error is not None:
        facts["error"] = output.error
    return output.text if output.text is not None else str(facts.get("raw") or ""), facts


def _is_told(facts: Mapping[str, Any]) -> bool:
    """Whether the engine reports a problem with an answer that has no text."""
    reason = str(facts.get("finish_reason"))
    return str(facts.get("error") or "").startswith("refused") or reason in ("content_filter", "refusal")


class _Task(NamedTuple):
    """Units to check, the checks to run, and the position of the first unit among the system's units.

    Without a system, the units are from several systems.
    """

    system: str | None
    checks: Sequence[Check]
    start: int
    units: Sequence[Unit]


def run_checks(
    checks: Sequence[Check],
    units: Mapping[str, Sequence[Unit]],
    context: CheckContext,
    *,
    run: RunContext | None = None,
    processes: int | None = None,
) -> dict[str, list[Finding]]:
    """Run checks on each system's outputs; return one finding for each unit and check, in order.

    Large work is done by the workers of the run, or else by `processes` processes (default: one per core). An
    output that equals a reference gets no alarm, except for terms and style.

    >>> units = {"nmt": [Unit("1", "Er hat Geld.", "He has 250 euros.")]}
    >>> context = CheckContext("en", "de")
    >>> found = run_checks(choose_checks("numbers", (), context).checks, units, context)
    >>> found["nmt"][0].detector, found["nmt"][0].evidence["why"]
    ('check:numbers', '250 is missing')
    """
    alone = [check for check in checks if check.scope == "unit" or _settles(check)]
    together = [check for check in checks if check not in alone]
    distinct, places = _distinct(units)
    # Checks of a whole file take longest, so they start first; they share their results about the file.
    tasks = [_Task(name, together, 0, own) for name, own in units.items() if together]
    tasks += [
        _Task(None, alone, i, distinct[i : i + BATCH]) for i in range(0, len(distinct) if alone else 0, BATCH)
    ]
    find = partial(_find, context)
    if run is not None and run.workers > 1:
        parts = list(run.map(find, tasks))
    else:
        size = sum(len(unit.output) for own in units.values() for unit in own)
        most = process_count() if processes is None else processes
        parts = map_in_processes(find, tasks, processes=min(most, max(1, size // _ENOUGH_FOR_A_FORK)))
    shared: dict[int, list[tuple[str, Alarm]]] = {}
    for task, part in zip(tasks, parts, strict=True):
        for name, alarm in part if task.system is None else ():
            shared.setdefault(task.start + alarm.index, []).append((name, alarm))
    order = {check.id: place for place, check in enumerate(checks)}
    by_id = {check.id: check for check in checks}
    findings: dict[str, list[Finding]] = {}
    for system, own in units.items():
        found = [
            pair for task, part in zip(tasks, parts, strict=True) if task.system == system for pair in part
        ]
        of_units: dict[str, list[Alarm]] = {}
        for index, place in enumerate(places[system]):
            for name, alarm in shared.get(place, ()):
                of_units.setdefault(name, []).append(replace(alarm, index=index))
        for name, given in of_units.items():
            found += [(name, alarm) for alarm in _settled(by_id[name], given, own)]
        alarms: dict[tuple[int, int, str], list[Alarm]] = {}
        for name, alarm in found:
            alarms.setdefault((alarm.index, order[name], name), []).append(alarm)
        findings[system] = [
            _finding(own, own[place], system, by_id[name], alarms[place, at, name])
            for place, at, name in sorted(alarms)
        ]
    return findings


def _settles(check: Check) -> bool:
    return type(check).settle is not Check.settle


def _settled(check: Check, alarms: Sequence[Alarm], units: Sequence[Unit]) -> Iterable[Alarm]:
    """Return the alarms that remain when the check sees all suitable units of the file."""
    if not _settles(check):
        return alarms
    places, own = _having(units, [_lacks(unit) for unit in units], _needs(check))
    at = {place: index for index, place in enumerate(places)}
    moved = [replace(alarm, index=at[alarm.index]) for alarm in alarms]
    return [_moved(alarm, places) for alarm in check.settle(moved, own)]


def _moved(alarm: Alarm, places: Sequence[int]) -> Alarm:
    """Convert the indices of an alarm from some units to all units; `places` has the mapping."""
    marks = tuple(m if m.index is None else replace(m, index=places[m.index]) for m in alarm.marks)
    return replace(alarm, index=places[alarm.index], marks=marks)


def _distinct(units: Mapping[str, Sequence[Unit]]) -> tuple[Sequence[Unit], Mapping[str, Sequence[int]]]:
    """Return distinct units, and the places of each system's units, since systems often agree."""
    if len(units) == 1:
        return next((own, {name: range(len(own))}) for name, own in units.items())
    distinct: list[Unit] = []
    places: dict[str, list[int]] = {name: [] for name in units}
    for start in range(0, max(map(len, units.values()), default=0), BATCH):
        known: dict[tuple[str, str], int] = {}  # copy for a part of the file, so that it stays small
        for name, own in units.items():
            for unit in own[start : start + BATCH]:
                place = known.setdefault((unit.id, unit.output), len(distinct))
                if place == len(distinct) or distinct[place] != unit:
                    place = len(distinct)
                    distinct.append(unit)
                places[name].append(place)
    return distinct, places


def _find(context: CheckContext, task: _Task) -> list[tuple[str, Alarm]]:
    """Find the alarms of each check, with indices in the task's units."""
    found = []
    # Checks share work on a file if they get the same list, so checks with equal units get one list.
    seen_by: dict[frozenset[str], tuple[Sequence[int], Sequence[Unit]]] = {}
    lacking = [_lacks(unit) for unit in task.units]
    for check in task.checks:
        needs = _needs(check)
        if needs not in seen_by:
            seen_by[needs] = _having(task.units, lacking, needs)
        places, own = seen_by[needs]
        if "document" in check.needs and not any(unit.document or unit.file for unit in own):
            continue
        find = check.each if task.system is None else check.find
        for alarm in find(own, context):
            unit = own[alarm.index]
            if unit.output not in unit.references or check.group in _ABOVE_REFERENCES:
                found.append((check.id, _moved(alarm, places)))
    return found


CREDITS = frozenset(("translator-credits", "translator_credits", "Your names", "Your emails"))
"""Source texts that ask for the names of the translators."""
_NOTHING: frozenset[str] = frozenset()


def _needs(check: Check) -> frozenset[str]:
    """The needs that a unit must meet for a check."""
    if check.id == "empty":
        return _NOTHING
    return frozenset({*check.needs, "told" if check.group == "conduct" else "output"})


def _lacks(unit: Unit) -> frozenset[str]:
    """The needs that a unit does not meet."""
    is_blank = not unit.output or unit.output.isspace()
    if not is_blank and unit.references and unit.source is not None and unit.source not in CREDITS:
        return _NOTHING  # true in most cases
    lacks = {
        "source": unit.source is None,
        "reference": not unit.references,
        "output": is_blank,
        "told": is_blank and not _is_told(unit.facts),
        "text": unit.source in CREDITS,
    }
    return frozenset(name for name, is_lacking in lacks.items() if is_lacking)


def _having(
    units: Sequence[Unit], lacking: Sequence[frozenset[str]], needs: frozenset[str]
) -> tuple[Sequence[int], Sequence[Unit]]:
    """The units that meet the needs, with their indices."""
    wanted = needs | {"text"}
    places = [i for i, lacks in enumerate(lacking) if not lacks or wanted.isdisjoint(lacks)]
    return (range(len(units)), units) if len(places) == len(units) else (places, [units[i] for i in places])


def _finding(
    units: Sequence[Unit], unit: Unit, system: str, check: Check, alarms: Sequence[Alarm]
) -> Finding:
    """Join all alarms of a check on a unit into one finding, with the worst severity."""
    severities = [alarm.severity or check.severity for alarm in alarms]
    marks = dict.fromkeys(mark for alarm in alarms for mark in alarm.marks)
    evidence = CheckEvidence(
        why="; ".join(dict.fromkeys(alarm.message for alarm in alarms)),
        severity=min(severities, key=SEVERITIES.index),
        group=check.group,
        marks=[
            CheckMark(m.side, m.start, m.end, "" if m.index is None else units[m.index].id) for m in marks
        ],
        fix=alarms[0].fix if len(alarms) == 1 else None,
        file=unit.file,
        key=unit.key,
        line=unit.line,
    )
    return Finding(unit.id, system, f"{DETECTOR}{check.id}", "fail", evidence=evidence.as_json())


def severity_of_check(name: str) -> Severity:
    """The usual severity of a check; missing or failed answers are critical."""
    return find("check", name).severity if name in names("check") else "critical"


def count_checks(findings: Iterable[Finding]) -> dict[str, int]:
    """Count the units that each check flags, in the order of the registry."""
    counted: dict[str, int] = {}
    for finding in findings:
        if (name := id_of(finding)) and finding.verdict == "fail":
            counted[name] = counted.get(name, 0) + 1
    order = {name: place for place, name in enumerate(names("check"))}
    return dict(sorted(counted.items(), key=lambda item: order.get(item[0], len(order))))


PATH = Path(__file__).parent / "data" / "checks.tsv"
RATIO = 3.0
FEWEST = 8
FEWEST_OF_A_PAIR = 20
SURE = 2.33
"""Standard deviations; with equal rates, fewer than 1 % of the checks exceed this."""
MOST_ALARMS = 0.01
"""The largest share of human translations that a check may flag."""
STRICTER = {"numbers": 0.003, "negation": 0.003}
ENOUGH = 1000
"""With this number of human translations into a language, only these are used."""
QUIET = 0.003
"""If a check of meaning flags a smaller share of human translations, it does not need the ratio."""
GOES_BY_PEOPLE = frozenset(("meaning",))
"""Groups with errors that people mark in any text; other errors, such as lost placeholders, are rare."""
GOES_BY_CATALOGUES = frozenset(("form", "style", "consistency"))
CATALOGUES = "catalogues"
"""The name of the origin of texts from programs."""


class CheckRecord(NamedTuple):
    """Counts of wrong, right and human translations in a pair, and of those that a check flags."""

    check: str
    pair: str
    origin: str
    wrong_fired: int = 0
    wrong: int = 0
    right_fired: int = 0
    right: int = 0
    human_fired: int = 0
    human: int = 0

    @property
    def fired(self) -> int:
        """The number of labelled outputs that the check flags."""
        return self.wrong_fired + self.right_fired

    @property
    def alarm_rate(self) -> float:
        """The share of human translations that the check flags; 0 without human translations."""
        return self.human_fired / self.human if self.human else 0.0

    def tell(self) -> str:
        """The counts in words.

        >>> CheckRecord("numbers", "en-zh", "x", 9, 1100, 4, 2000, 1, 900).tell()
        'numbers fires on 9 of 1,100 wrong, 4 of 2,000 right and 1 of 900 human translations'
        """
        wrong, right, human = (
            f"{fired:,} of {n:,}"
            for fired, n in (
                (self.wrong_fired, self.wrong),
                (self.right_fired, self.right),
                (self.human_fired, self.human),
            )
        )
        return f"{self.check} fires on {wrong} wrong, {right} right and {human} human translations"


def is_on(check: Check | type[Check], pair: str | None, records: Iterable[CheckRecord] | None = None) -> bool:
    """Whether a check is on by default in a pair; without a pair, all pairs decide together."""
    records = read_records() if records is None else records
    if check.group in GOES_BY_CATALOGUES:
        records = [record for record in records if record.origin == CATALOGUES]
    deciding = _deciding(check.id, pair, records)
    human = _added(check.id, "", deciding.human)
    rate = human.alarm_rate
    if rate >= STRICTER.get(check.id, MOST_ALARMS):
        return False
    if check.group not in GOES_BY_PEOPLE:
        return True
    labels = _added(check.id, "", deciding.labels)
    if labels.fired < FEWEST:
        return False
    pooled = _added(check.id, "", [record for record in records if record.check == check.id])
    is_quiet = human.human >= ENOUGH and rate < QUIET
    is_quiet = is_quiet and pooled.wrong_fired * pooled.right > pooled.right_fired * pooled.wrong
    return is_quiet or tells_wrong_from_right(deciding.labels)


def tells_wrong_from_right(records: Iterable[CheckRecord]) -> bool:
    """Whether a check flags wrong outputs significantly more often than right ones, at least three times.

    Raters are not equally strict, so rates are compared within each record and then combined (Mantel and
    Haenszel 1959).

    >>> [tells_wrong_from_right([CheckRecord("", "", "", n, 100, 4, 200)]) for n in (5, 6, 9)]
    [False, False, True]
    >>> strict, lenient = CheckRecord("", "", "", 45, 90, 5, 10), CheckRecord("", "", "", 0, 10, 0, 90)
    >>> tells_wrong_from_right([strict, lenient])
    False
    """
    among_wrong = among_right = surplus = variance = 0.0
    for row in records:
        if not row.wrong or not row.right:
            continue
        n = row.wrong + row.right
        among_wrong += row.wrong_fired * row.right / n
        among_right += row.right_fired * row.wrong / n
        surplus += row.wrong_fired - row.fired * row.wrong / n
        variance += row.fired * (n - row.fired) * row.wrong * row.right / (n * n * max(n - 1, 1))
    return among_wrong >= RATIO * among_right and surplus > SURE * sqrt(variance) > 0


class _Deciding(NamedTuple):
    """The records of labels and of human translations that decide about a check."""

    labels: list[CheckRecord]
    human: list[CheckRecord]


def _deciding(check: str, pair: str | None, records: Iterable[CheckRecord]) -> _Deciding:
    """The records of the pair or of its target language if there are enough, else all records."""
    own = [record for record in records if record.check == check]
    target = (pair or "").partition("-")[2].partition("-")[0]
    there = [record for record in own if record.pair == pair]
    human = [r for r in own if target and r.pair.partition("-")[2].partition("-")[0] == target]
    return _Deciding(
        there if _added(check, "", there).fired >= FEWEST_OF_A_PAIR else own,
        human if _added(check, "", human).human >= ENOUGH else own,
    )


def record_of(check: str, pair: str | None, records: Iterable[CheckRecord] | None = None) -> CheckRecord:
    """Sum the counts that decide. Labels and human translations are looked up separately.

    >>> rows = [CheckRecord("x", "en-de", "a", 9, 90, 1, 90, 0, 50)]
    >>> rows.append(CheckRecord("x", "en-fr", "b", human=2000))
    >>> record_of("x", "en-fr", rows)[3:], record_of("x", "en-de", rows)[3:]
    ((9, 90, 1, 90, 0, 2000), (9, 90, 1, 90, 0, 2050))
    """
    deciding = _deciding(check, pair, read_records() if records is None else records)
    human = _added(check, "", deciding.human)
    labels = _added(check, "", deciding.labels)
    return labels._replace(human_fired=human.human_fired, human=human.human)


def _added(check: str, pair: str, records: Iterable[CheckRecord]) -> CheckRecord:
    rows = list(records)
    pair = pair or (rows[0].pair if len({row.pair for row in rows}) == 1 else "all pairs")
    sums = [sum(numbers) for numbers in zip(*(row[3:] for row in rows), strict=True)] or [0] * 6
    return CheckRecord(check, pair, ", ".join(dict.fromkeys(row.origin for row in rows)), *sums)


@cache
def read_records(path: Path = PATH) -> tuple[CheckRecord, ...]:
    """Read the table."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return tuple(CheckRecord(row[0], row[1], row[2], *map(int, row[3:])) for row in rows)


def write_records(records: Iterable[CheckRecord], path: Path) -> None:
    """Write the table, sorted."""
    rows = ["\t".join(map(str, record)) for record in sorted(records)]
    path.write_text("\n".join(["\t".join(CheckRecord._fields), *rows, ""]), encoding="utf-8")
