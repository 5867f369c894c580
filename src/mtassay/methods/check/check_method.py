"""Checks as a method: a text with its translation is a case, and an alarm is a finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from mtassay.data.errors import UsageError
from mtassay.data.formats.glossaries import read_glossaries
from mtassay.data.formats.ignore_files import IGNORE_FILE, Ignore, ignores_of, read_ignores
from mtassay.data.languages import parse_pair
from mtassay.data.marks import plural
from mtassay.data.method import Method
from mtassay.data.nouns import (
    Case,
    Cluster,
    Comparison,
    Finding,
    Judgement,
    Output,
    Question,
    Result,
    Run,
    RunContext,
    Segment,
)
from mtassay.data.settings import setting
from mtassay.data.subjects import Subject
from mtassay.measures.check import SEVERITIES, CheckContext
from mtassay.measures.check_run import (
    CheckEvidence,
    ChosenChecks,
    check_names,
    choose_checks,
    count_checks,
    id_of,
    run_checks,
    units_of,
)
from mtassay.measures.house_style import check_style
from mtassay.methods.basis import CHECKS, missing
from mtassay.methods.check.check_view import ALARMS, QUESTION, RATE, CheckView, score_name
from mtassay.stats import proportions
from mtassay.stats.comparisons import clusters
from mtassay.stats.family import compare_rows

FALSE_ALARM, IGNORE, RIGHT = "false alarm", "ignore", "right"
_SETTLED = {FALSE_ALARM: "a false alarm, say reviewers", IGNORE: "ignored by reviewers"}
_TRIALS, _ALPHA = 10000, 0.05


@dataclass(frozen=True)
class CheckMethod(Method):
    """Looks at texts and their translations, and reports what is wrong, where and how badly.

    `checks` has names or groups of checks; by default, the checks that proved good for the languages are
    used. `without` excludes checks. `terms` are glossary files, `style` has house rules as `KEY=VALUE`.
    `ignore` lists findings that need no action, each with a reason: a file, or a list of mappings with
    `file`, `key`, `check` and `reason`. Without `reviews`, people's decisions about alarms do not count.
    """

    name: ClassVar[str] = "check"
    asks: ClassVar[Sequence[Question]] = (
        Question(
            QUESTION,
            "Is the alarm right? If it is right and nobody need act on it, ignore it, and say why in a note.",
            {"r": RIGHT, "f": FALSE_ALARM, "i": IGNORE},
        ),
    )
    view: ClassVar[type[CheckView]] = CheckView
    judges_files: ClassVar[bool] = True

    pair: str | None = None
    checks: tuple[str, ...] = field(default=("default",), metadata=CHECKS)
    without: tuple[str, ...] = setting(
        (), "Checks or groups to leave out.", "--without", "-x", metavar="NAMES", kind=list[str] | None
    )
    terms: tuple[str, ...] = setting(
        (), "A glossary: TBX, CSV or TSV. Repeat.", "--terms", metavar="FILE", kind=list[str] | None
    )
    style: tuple[str, ...] | Mapping[str, str] = setting(
        (), "A rule of house style. Repeat.", "--style", metavar="KEY=VALUE", kind=list[str] | None
    )
    ignore: Sequence[Mapping[str, str]] = setting(
        (),
        f"What to ignore, with reasons (YAML). Default: {IGNORE_FILE}, if there is one.",
        metavar="FILE",
        kind=str | None,
    )
    reviews: bool = setting(True, "Use the answers of reviewers about alarms.", "--reviews/--no-reviews")

    @classmethod
    def resolve(cls, settings: Mapping[str, Any], run: Run | None = None) -> Self:
        """Return the parameters. Names may be text, style rules a mapping, and findings to ignore a file.

        From a run of another method, only the languages are taken.
        """
        values = {key: value for key, value in settings.items() if value is not None}
        if run is not None and run.method != cls.name:
            pair = run.parameters.get("pair")
            values.setdefault("pair", "-".join(pair) if isinstance(pair, list | tuple) else pair)
            run = None
        if values.get("pair") is not None:
            pair = parse_pair(values["pair"])
            has_regions = (pair.source.tag, pair.target.tag) != (str(pair.source), str(pair.target))
            values["pair"] = f"{pair.source.tag}:{pair.target.tag}" if has_regions else str(pair)
        for key in ("checks", "without"):
            if key in values:
                values[key] = check_names(values[key])
        if "terms" in values:
            terms = values["terms"]
            values["terms"] = tuple(map(str, [terms] if isinstance(terms, str | PathLike) else terms))
        if "style" in values:
            rules = _style(values["style"])
            check_style(rules)
            values["style"] = tuple(f"{key}={value}" for key, value in rules.items())
        if "ignore" in values:
            values["ignore"] = _ignored(values["ignore"])
        elif run is None and Path(IGNORE_FILE).is_file():
            values["ignore"] = _ignored(IGNORE_FILE)
        return super().resolve(values, run)

    @classmethod
    def takes(cls, run: Run) -> bool:
        """Accept any run that has its texts."""
        return bool(run.segments)

    def require(self) -> None:
        """Read the glossaries, so that their faults are reported before systems are asked."""
        _ = self._chosen

    def cases(self, segments: Iterable[Segment], context: RunContext) -> list[Case]:
        return [Case(s.id, s.id, (s.source,), {"segment": s}, s.tags) for s in segments]

    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], context: RunContext
    ) -> Judgement:
        segments = [case.expect["segment"] for case in cases]
        context.progress("checks", 0, None)
        units = {system: units_of(segments, answers) for system, answers in outputs.items()}
        alarms = run_checks(self._chosen.checks, units, self._context, run=context)
        decisions = context.decisions(QUESTION) if self.reviews else {}
        by_id = {segment.id: segment for segment in segments}
        findings: list[Finding] = []
        counts: dict[str, dict[str, int]] = {}
        said: dict[str, Counter[str]] = {}
        for system, answers in outputs.items():
            texts = {unit.id: unit.output for unit in units[system]}
            own = []
            for finding in alarms[system]:
                segment = by_id[finding.case_id]
                subject = Subject(segment.id, (segment.source,), (texts[segment.id],)).id if decisions else ""
                answer = decisions.get(subject, "")
                if answer in (RIGHT, FALSE_ALARM, IGNORE):
                    said.setdefault(id_of(finding), Counter())[answer] += 1
                own.append(_settled(finding, self._reason(finding, segment) or _SETTLED.get(answer, "")))
            counts[system] = self._counts(own, len(answers), len(units[system]))
            looked_at = {unit.id for unit in units[system]}
            absent = [answer for answer in answers if answer.id not in looked_at]
            findings += [missing(answer, system) for answer in absent]
            if left := sum(bool(answer.meta.get("skipped")) for answer in absent):
                context.note(f"{system}: {plural(left, 'text')} not translated yet.")
            findings += own
        basis = {
            "checks": {"run": [c.id for c in self._chosen.checks], "not_run": self._chosen.not_run},
            **({"alarms_reviewed": {name: dict(answers) for name, answers in said.items()}} if said else {}),
        }
        return Judgement(findings, counts=counts, basis=basis)

    def score(self, judgement: Judgement, context: RunContext) -> Result:
        """The share of texts with a finding: by severity, for all checks together, and for each check."""
        checks = [check.id for check in self._chosen.checks]
        keys = [
            *((score_name(s), "all") for s in SEVERITIES),
            (ALARMS, "all"),
            *((RATE, name) for name in checks),
        ]
        flagged: dict[tuple[str, str], dict[str, set[str]]] = {
            key: {system: set() for system in judgement.counts} for key in keys
        }
        absent: set[tuple[str, str]] = set()
        for finding in judgement.findings:
            if finding.detector == "output":
                absent.add((finding.system, finding.case_id))
            elif finding.verdict == "fail":
                severity = CheckEvidence.of(finding).severity
                for key in ((score_name(severity), "all"), (ALARMS, "all"), (RATE, id_of(finding))):
                    flagged[key][finding.system].add(finding.case_id)
        texts = {system: counts["texts"] for system, counts in judgement.counts.items()}
        scores = [
            proportions.share_score(name, system, group, len(cases), texts[system])
            for (name, group), by_system in flagged.items()
            for system, cases in by_system.items()
        ]
        compared = [_compared(key, own, texts, absent) for key, own in flagged.items() if len(texts) > 1]
        return Result(
            scores,
            [comparison for one in compared for comparison in one.comparisons],
            [cluster for one in compared for cluster in one.clusters],
            judgement.counts,
            basis=judgement.basis,
        )

    def _reason(self, finding: Finding, segment: Segment) -> str:
        """The reason why the finding is ignored; empty if it is not."""
        evidence = CheckEvidence.of(finding)
        for entry in self._ignores:
            if entry.fits(evidence.file, evidence.key or segment.id, id_of(finding)):
                return entry.reason
        return ""

    def _counts(self, findings: Sequence[Finding], asked: int, texts: int) -> dict[str, int]:
        failing = [finding for finding in findings if finding.verdict == "fail"]
        severities = Counter(CheckEvidence.of(finding).severity for finding in failing)
        return {
            "texts": texts,
            "skipped": asked - texts,
            **{severity: severities[severity] for severity in SEVERITIES},
            "ignored": len(findings) - len(failing),
            **count_checks(failing),
        }

    @cached_property
    def _ignores(self) -> list[Ignore]:
        return ignores_of(self.ignore)

    @cached_property
    def _context(self) -> CheckContext:
        terms = read_glossaries(self.terms) if self.terms else None
        pair = None if self.pair is None else parse_pair(self.pair)
        languages = (None, None) if pair is None else (pair.source.tag, pair.target.tag)
        return CheckContext(*languages, terms=terms, style=_style(self.style))

    @cached_property
    def _chosen(self) -> ChosenChecks:
        """Return the checks to run; raise an error if a requested check is impossible or no check is left."""
        chosen = choose_checks(self.checks, self.without, self._context)
        if not chosen.checks:
            reasons = "; ".join(f"{name}: {why}" for name, why in chosen.not_run.items())
            raise UsageError(
                f"There is no check to run{f' ({reasons})' if reasons else ''}: change `checks`."
            )
        return chosen


def _style(given: Mapping[str, str] | Iterable[str] | str) -> dict[str, str]:
    """Read style rules, each written `KEY=VALUE`, by name."""
    if isinstance(given, Mapping):
        return {str(key): str(value) for key, value in given.items()}
    rules = {}
    for rule in [given] if isinstance(given, str) else given:
        key, equals, value = rule.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"`style`: '{rule}' is no rule. Write KEY=VALUE.")
        rules[key.strip()] = value.strip()
    return rules


def _ignored(given: Any) -> tuple[dict[str, str], ...]:
    entries = read_ignores(given) if isinstance(given, str | PathLike) else ignores_of(given)
    return tuple({key: value for key, value in entry._asdict().items() if value} for entry in entries)


def _settled(finding: Finding, reason: str) -> Finding:
    """Mark the finding as ignored if there is a reason."""
    if not reason:
        return finding
    evidence = replace(CheckEvidence.of(finding), ignored=reason)
    return replace(finding, verdict="skipped", evidence=evidence.as_json())


class _Compared(NamedTuple):
    comparisons: list[Comparison]
    clusters: list[Cluster]


def _compared(
    key: tuple[str, str],
    flagged: Mapping[str, set[str]],
    texts: Mapping[str, int],
    absent: Collection[tuple[str, str]],
) -> _Compared:
    """Compare all pairs of systems on the share of texts with a finding, with a randomization test.

    Texts without any finding do not change the p-values, so only the other texts are used.
    """
    systems = list(flagged)
    cases = sorted(set().union(*flagged.values()))
    rows = np.array(
        [[np.nan if (s, case) in absent else case in flagged[s] for s in systems] for case in cases], float
    ).reshape(-1, len(systems))
    shares = {system: len(own) / max(texts[system], 1) for system, own in flagged.items()}
    matrix = np.ones((len(systems), len(systems)))
    pairs = list(combinations(range(len(systems)), 2))
    if cases:
        compared = compare_rows(rows, [[np.arange(len(cases))]], trials=_TRIALS, alpha=_ALPHA)
        matrix = compared.p_matrix(0, len(systems))
    comparisons = [
        Comparison(
            *key, systems[a], systems[b], 100 * (shares[systems[a]] - shares[systems[b]]), float(matrix[a, b])
        )
        for a, b in pairs
    ]
    order = sorted(range(len(systems)), key=lambda place: shares[systems[place]])
    ranked, rank = [], 1
    for members in clusters(order, matrix, alpha=_ALPHA):
        ranked.append(Cluster(*key, rank, tuple(systems[place] for place in members)))
        rank += len(members)
    return _Compared(comparisons, ranked)
