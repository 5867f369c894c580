"""Runs checks over the outputs of systems: which ones, on what, and one finding for each unit and check."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from mtassay.data.errors import UsageError
from mtassay.data.languages import parse_language
from mtassay.data.method import Evidence
from mtassay.data.nouns import Finding, Output, RunContext, Segment
from mtassay.data.registry import each_named, find, make, names, suggest
from mtassay.measures.check import GROUPS, SEVERITIES, Alarm, Check, CheckContext, Severity, Unit
from mtassay.measures.check_records import is_on
from mtassay.measures.conduct import said
from mtassay.runtime.processes import map_in_processes, process_count

DETECTOR = "check:"
"""How the detectors of findings begin."""
DEFAULT, ALL, NONE = "default", "all", "none"
BATCH = 4096
"""Units that a worker looks at together."""
_ENOUGH_FOR_A_FORK = 300_000  # characters
# What a user asks for by name is wrong even where a reference has it.
_ABOVE_REFERENCES = ("terms", "style")


@dataclass(frozen=True, slots=True)
class CheckMark(Evidence):
    """A place in the source or the output, in characters."""

    side: str = "output"
    start: int = 0
    end: int = 0

    def written(self) -> tuple[str, ...]:
        return ("side", "start", "end")


@dataclass(frozen=True, slots=True)
class CheckEvidence(Evidence):
    """What a check says of a unit: why, how bad, where, and the right output where that is certain.

    `file`, `key` and `line` are where the text is from. `ignored` is the reason why nobody need act on it.
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
        """The marked places of one side."""
        return [(mark.start, mark.end) for mark in self.marks if mark.side == side]


def id_of(finding: Finding) -> str:
    """The check that a finding is of; empty where it is of something else.

    >>> id_of(Finding("1", "nmt", "check:numbers")), id_of(Finding("1", "nmt", "judge"))
    ('numbers', '')
    """
    return finding.detector.removeprefix(DETECTOR) if finding.detector.startswith(DETECTOR) else ""


def severity_of(finding: Finding) -> Severity | None:
    """How bad a finding of a check is; `None` for another one, and for one that does not fail."""
    if not id_of(finding) or finding.verdict != "fail":
        return None
    return CheckEvidence.of(finding).severity


# Which ------------------------------------------------------------------------------------------------------


class ChosenChecks(NamedTuple):
    """The checks that are run, and why others that were asked for are not."""

    checks: list[Check]
    not_run: dict[str, str]


def check_names(value: str | Iterable[str]) -> tuple[str, ...]:
    """Names of checks, separated by commas or in a list, each once; `UsageError` for an unknown one.

    A group means its checks; `default`, `all` and `none` are for all of them.

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
    available = [*names("check"), *GROUPS, DEFAULT, ALL, NONE]
    for name in given:
        if name not in available:
            raise UsageError(f"No check '{name}'. {suggest(name, available)}")
    return given


def choose_checks(
    given: str | Iterable[str], without: str | Iterable[str], context: CheckContext
) -> ChosenChecks:
    """The checks of these names that can be run, except for those of the names `without`.

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
    for name, kind in each_named("check"):
        is_named = name in wanted or kind.group in wanted
        if name in unwanted or kind.group in unwanted or not (is_named or {DEFAULT, ALL} & {*wanted}):
            continue
        if not is_named and ALL not in wanted and not is_on(kind, pair):
            continue
        check: Check = make("check", name)
        if reason := _why_not(check, context):
            not_run[name] = reason
        else:
            checks.append(check)
    return ChosenChecks(checks, not_run)


def _why_not(check: Check, context: CheckContext) -> str:
    if "terms" in check.needs and context.terms is None:
        return "no glossary: --terms FILE"
    if "style" in check.needs and not context.style:
        return "no style rule: --style KEY=VALUE"
    if not check.applies(context):
        return f"not for {context.source or 'unknown'}-{context.target or 'unknown'}"
    return ""


# On what ----------------------------------------------------------------------------------------------------


def units_of(segments: Sequence[Segment], outputs: Sequence[str | Output | None]) -> list[Unit]:
    """Each segment with its output, as checks see them; where there is no output at all, there is no unit.

    An answer that an adapter refused is there as it came, so that a check can name what is wrong with it.

    What a file says of a text is in the tags `file`, `key`, `line` and `facts` of its segment.
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


def _is_told(facts: Mapping[str, Any]) -> bool:
    """Whether the engine itself says what is wrong with an answer, though there is no text."""
    reason = str(facts.get("finish_reason"))
    return str(facts.get("error") or "").startswith("refused") or reason in ("content_filter", "refusal")


class _Task(NamedTuple):
    """Units to look at, with the checks that look at them and where they begin among all of the system."""

    system: str
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
    """What the checks find in the outputs of each system: one finding for each unit and check, in order.

    Large work is done by the workers of the run, or else in `processes`, by default as many as there are
    cores. An output that equals a reference is not to blame, except for terms and style.

    >>> units = {"nmt": [Unit("1", "Er hat Geld.", "He has 250 euros.")]}
    >>> context = CheckContext("en", "de")
    >>> found = run_checks(choose_checks("numbers", (), context).checks, units, context)
    >>> found["nmt"][0].detector, found["nmt"][0].evidence["why"]
    ('check:numbers', '250 is missing')
    """
    alone = [check for check in checks if check.scope == "unit"]
    together = [check for check in checks if check.scope != "unit"]
    # What looks at a whole file takes longest, so it begins first; it shares what it learns of the file.
    tasks = [_Task(name, together, 0, own) for name, own in units.items() if together]
    for name, own in units.items():
        tasks += [
            _Task(name, alone, i, own[i : i + BATCH]) for i in range(0, len(own) if alone else 0, BATCH)
        ]
    find = partial(_find, context)
    if run is not None and run.workers > 1:
        parts = list(run.map(find, tasks))
    else:
        size = sum(len(unit.output) for own in units.values() for unit in own)
        most = process_count() if processes is None else processes
        parts = map_in_processes(find, tasks, processes=min(most, max(1, size // _ENOUGH_FOR_A_FORK)))
    order = {check.id: place for place, check in enumerate(checks)}
    by_id = {check.id: check for check in checks}
    findings: dict[str, list[Finding]] = {}
    for system, own in units.items():
        alarms: dict[tuple[int, int, str], list[Alarm]] = {}
        for task, part in zip(tasks, parts, strict=True):
            if task.system == system:
                for name, alarm in part:
                    alarms.setdefault((task.start + alarm.index, order[name], name), []).append(alarm)
        findings[system] = [
            _finding(own[place], system, by_id[name], alarms[place, at, name])
            for place, at, name in sorted(alarms)
        ]
    return findings


def _find(context: CheckContext, task: _Task) -> list[tuple[str, Alarm]]:
    """The alarms of each check, with places among the units of the task."""
    found = []
    # Checks that read a file together know it by its list, so those that see the same units get the same one.
    seen_by: dict[frozenset[str], tuple[Sequence[int], Sequence[Unit]]] = {}
    for check in task.checks:
        needs = frozenset({*check.needs, "told" if check.group == "conduct" else "output"})
        if check.id == "empty":
            needs = frozenset()
        if needs not in seen_by:
            having = [i for i, unit in enumerate(task.units) if _has(unit, needs)]
            is_all = len(having) == len(task.units)
            seen_by[needs] = having, task.units if is_all else [task.units[i] for i in having]
        places, own = seen_by[needs]
        if "document" in check.needs and not any(unit.document or unit.file for unit in own):
            continue
        for alarm in check.find(own, context):
            unit = own[alarm.index]
            if unit.output not in unit.references or check.group in _ABOVE_REFERENCES:
                found.append((check.id, replace(alarm, index=places[alarm.index])))
    return found


_CREDITS = frozenset(("translator-credits", "translator_credits", "Your names", "Your emails"))
"""Sources that ask for the names of the translators."""


def _has(unit: Unit, needs: Collection[str]) -> bool:
    return (
        unit.source not in _CREDITS
        and ("output" not in needs or bool(unit.output.strip()))
        and ("told" not in needs or bool(unit.output.strip()) or _is_told(unit.facts))
        and ("source" not in needs or unit.source is not None)
        and ("reference" not in needs or bool(unit.references))
    )


def _finding(unit: Unit, system: str, check: Check, alarms: Sequence[Alarm]) -> Finding:
    """One finding of all that a check says of a unit; the worst severity means all."""
    severities = [alarm.severity or check.severity for alarm in alarms]
    marks = dict.fromkeys(mark for alarm in alarms for mark in alarm.marks)
    evidence = CheckEvidence(
        why="; ".join(dict.fromkeys(alarm.message for alarm in alarms)),
        severity=min(severities, key=SEVERITIES.index),
        group=check.group,
        marks=[CheckMark(mark.side, mark.start, mark.end) for mark in marks],
        fix=alarms[0].fix if len(alarms) == 1 else None,
        file=unit.file,
        key=unit.key,
        line=unit.line,
    )
    return Finding(unit.id, system, f"{DETECTOR}{check.id}", "fail", evidence=evidence.as_json())


def severity_of_check(name: str) -> Severity:
    """The usual severity of a check; an answer that is missing or failed counts as critical."""
    return find("check", name).severity if name in names("check") else "critical"


def count_checks(findings: Iterable[Finding]) -> dict[str, int]:
    """How many units each check flags, in the order of the registry."""
    counted: dict[str, int] = {}
    for finding in findings:
        if (name := id_of(finding)) and finding.verdict == "fail":
            counted[name] = counted.get(name, 0) + 1
    order = {name: place for place, name in enumerate(names("check"))}
    return dict(sorted(counted.items(), key=lambda item: order.get(item[0], len(order))))
