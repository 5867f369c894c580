"""The suite as a method (Macketanz et al. 2022): items are cases, rules and people judge their outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.segment_files import align, read_stream
from mtassay.data.formats.suite_files import read_suite
from mtassay.data.formats.suite_items import Item, Suite
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.marks import plural
from mtassay.data.method import Method, Read
from mtassay.data.nouns import Case, Finding, Judgement, Output, Question, Result, Run, RunContext, Segment
from mtassay.data.settings import setting
from mtassay.data.subjects import Subject, subjects_in
from mtassay.measures.check_run import check_names
from mtassay.methods.basis import (
    CHECKS_BESIDE,
    CRITICAL,
    RepeatSettings,
    SettledOutputs,
    checked_basis,
    checked_note,
    compared_basis,
    missing,
    sign,
)
from mtassay.methods.repeats import AGAIN, ALONE, signed_repeats, texts_of
from mtassay.methods.suite.accuracy import Grades, Test, accuracies, costliest, fair_items
from mtassay.methods.suite.authoring import Choice, select
from mtassay.methods.suite.rule_judge import (
    DETECTOR,
    STATUSES,
    Judge,
    VerdictEvidence,
    is_by_people,
    is_notable,
)
from mtassay.methods.suite.suite_tables import compared_items
from mtassay.methods.suite.suite_view import SuiteView
from mtassay.stats import resampling

QUESTION = "suite"
"""The review question about an output: is the phenomenon right? Answers are correct or incorrect."""

_NAMED = ("category", "phenomenon", "tag", "item")
CHOOSING = (*_NAMED, "approved", "public")
"""The fields that select items of the suite."""

_SOME = 5  # names in a note


def _names(what: str, metavar: str = "NAME") -> Any:
    """A field that selects items by name."""
    return setting((), what, metavar=metavar, kind=list[str] | None)


@dataclass(frozen=True)
class SuiteMethod(RepeatSettings, Method):
    """Judges outputs of the items of a suite and compares systems by their accuracy.

    `category`, `phenomenon`, `tag`, `item`, `approved` and `public` select items; by default all are judged.
    `items` says which items count: items that are settled for all systems (fair), items settled for each
    system, or both in turn. `test` compares each system with the best. Without `reviews`, only the rules of
    the file judge. `checks` are counted besides the verdicts.
    """

    name: ClassVar[str] = "suite"
    asks: ClassVar[Sequence[Question]] = (
        Question(QUESTION, "Is the phenomenon translated right?", {"c": "correct", "i": "incorrect"}),
    )
    view: ClassVar[type[SuiteView]] = SuiteView
    asks_alone: ClassVar[bool] = True

    suite: Suite
    category: tuple[str, ...] = _names("Only this category; * means anything. Repeat.")
    phenomenon: tuple[str, ...] = _names("Only this phenomenon; * means anything. Repeat.")
    tag: tuple[str, ...] = _names("Only items with this tag. Repeat.")
    item: tuple[str, ...] = _names("Only this item; * means anything. Repeat.", "ID")
    approved: bool = setting(False, "Only items that a second person approved.", "--approved")
    public: bool | None = setting(None, "Only public items, or only hidden ones.", "--public/--hidden")
    items: Literal["fair", "settled", "both"] = setting(
        "fair",
        "Count items that are settled for all systems (fair), or all that are settled for "
        "each one; or show both.",
    )
    test: Test = setting(
        "randomization",
        "How a system is compared with the best. randomization: two-sided, corrected for all "
        "comparisons of a table. z: one-tailed, uncorrected, as in Macketanz et al. 2022.",
    )
    alpha: float = setting(0.05, "Level of significance.", least=0.0001, most=0.5)
    trials: int = setting(10000, "Trials of the randomization test.", least=100)
    seed: int | None = setting(
        12345, "Seed of all draws. Default: $SACREBLEU_SEED or 12345.", default=None, least=0
    )
    checks: tuple[str, ...] = field(default=CRITICAL, metadata=CHECKS_BESIDE)
    reviews: bool = setting(True, "Use the decisions of reviewers to settle outputs.")

    @classmethod
    def resolve(cls, settings: Mapping[str, Any], run: Run | None = None) -> Self:
        """Return the parameters; `suite` may be a file, the name of a language pack's suite, or a `Suite`.

        Without `suite`, the file that the run names is read again; see `restore`.
        """
        values = dict(settings)
        for key in _NAMED:
            if (names := values.get(key)) is not None:
                values[key] = (names,) if isinstance(names, str) else tuple(names)
        if values.get("checks") is not None:
            values["checks"] = check_names(values["checks"])
        suite = values.get("suite")
        if suite is not None and not isinstance(suite, Suite):
            values["suite"] = read_suite(suite)
        elif suite is None and run is None:
            raise UsageError("There is no suite: give a file, or the name of a suite in a language pack.")
        if suite is not None and run is not None:
            run = replace(run, parameters={k: v for k, v in run.parameters.items() if k != "suite"})
        draws_anew = False
        if run is None and values.get("seed") is None:
            values["seed"] = resampling.default_seed()
            draws_anew = values["seed"] is None
        method = super().resolve(values, run)
        if draws_anew:
            method = replace(method, seed=None)
        if not method.suite.items:
            where = method.suite.path or method.suite.name or "The suite"
            raise UsageError(f"{where} has no items yet. Add one: mtassay suite add {where}")
        Judge(method.suite)  # ids must be unique, since outputs are matched by id
        assert method.chosen.items, "a choice of nothing is refused"
        return method

    @classmethod
    def restore(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Read the suite again from its file, which must exist and be unchanged."""
        saved = super().restore(parameters)
        saved.pop("samples", None)  # runs of version 0.1 have these
        if saved.get("test") not in get_args(Test):
            saved.pop("test", None)
        return saved | {"suite": _read_again(parameters)} if "suite" in saved else saved

    def parameters(self) -> dict[str, Any]:
        """The suite's name and origin, and the digest of everything that verdicts depend on."""
        return {
            **super().parameters(),
            "suite": repr(self.chosen),
            "suite_path": self.suite.path,
            "suite_digest": self.suite.digest,
            "facts": self.about,
        }

    @property
    def choice(self) -> Choice:
        """The selection of judged items."""
        return Choice(self.category, self.phenomenon, self.tag, self.item, self.approved, self.public)

    @cached_property
    def chosen(self) -> Suite:
        """The suite with only the selected items."""
        return select(self.suite, self.choice)

    @cached_property
    def segments(self) -> list[Segment]:
        """The items as segments."""
        return [segment_of(item) for item in self.chosen.items]

    @cached_property
    def pair(self) -> Pair | None:
        """The language pair, if all items have the same one."""
        pairs = {item.langpair for item in self.chosen.items}
        return parse_pair(pairs.pop()) if len(pairs) == 1 and "" not in pairs else None

    @cached_property
    def _judge(self) -> Judge:
        return Judge(self.chosen)

    def reader(self, segments: Sequence[Segment], context: RunContext) -> Read:
        """Return the reader of outputs; files have outputs by id, or one line per item of the whole suite.

        Ids that the suite does not have are left out and noted.
        """
        ids = [item.id for item in self.suite.items]
        id_set = set(ids)

        def read(path: str, name: str) -> Mapping[str, str | None]:
            stream = read_stream(path, role="output", pair=self.pair, system=name)
            if stream.ids is None:
                return dict(zip(ids, align(stream, ids, base="the suite"), strict=True))
            outputs = {key: text for key, text in zip(stream.ids, stream.texts, strict=True) if key in id_set}
            if not outputs:
                raise InputError(
                    f"no id matches the suite's ids ('{stream.ids[0]}', but there '{ids[0]}')",
                    path=stream.path,
                )
            if strangers := len(stream.ids) - len(outputs):
                context.note(f"{name}: {strangers:,} outputs left out: their ids are not in the suite")
            return outputs

        return read

    def cases(self, segments: Iterable[Segment], context: RunContext) -> list[Case]:
        self._judge.check()
        items = self._judge.items
        return [
            case_of(items[s.id]) if s.id in items else Case(s.id, s.id, (s.source,), skip="not in the suite")
            for s in segments
        ]

    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], context: RunContext
    ) -> Judgement:
        judge = self._judge
        known_decisions = context.decisions(QUESTION)
        decisions = known_decisions if self.reviews else {}
        subjects: dict[tuple[str, str], str] = {}  # of all outputs; empty ids without decisions
        asked = [case for case in cases if case.skip is None]
        findings: dict[str, list[Finding]] = {system: [] for system in outputs}
        for place, case in enumerate(asked):
            if place % 200 == 0:
                context.progress("judging", place, len(asked))
            # Systems often give identical outputs.
            cache: dict[str, tuple[str, VerdictEvidence, dict[str, Any]]] = {}
            for system, answers in outputs.items():
                text = answers[place].text
                if text is None:
                    findings[system].append(missing(answers[place], system))
                    continue
                if text not in cache:
                    evidence = judge.judge(judge.items[case.id], text).evidence
                    subject = subject_of(case, text).id if known_decisions else ""
                    cache[text] = subject, evidence, evidence.as_json()
                subjects[case.id, system], evidence, record = cache[text]
                share = self._share(case, texts_of(answers[place])) if AGAIN in answers[place].meta else None
                findings[system].append(
                    Finding(case.id, system, DETECTOR, evidence.verdict, share, evidence=record)
                )
        everything = _settled([f for of_system in findings.values() for f in of_system], subjects, decisions)
        reviewers = context.reviewers(QUESTION) if known_decisions else {}
        settled = SettledOutputs.of(subjects.values(), known_decisions, reviewers, used=self.reviews)
        segments = [segment_of(judge.items[case.id]) for case in asked]
        languages = (str(self.pair.source), str(self.pair.target)) if self.pair else None
        flagged = checked_basis(languages, self.checks, segments, outputs, context)
        return Judgement(
            everything,
            counts=_counts(everything, outputs),
            notes=[f"{' and '.join(names)} gave the same outputs." for names in _twins(outputs)],
            basis={"suite": self.suite.digest, **settled.basis(), **flagged, **self._context(asked, outputs)},
        )

    def _context(self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]]) -> dict[str, Any]:
        """Count items that rules find right in context and alone, among items settled in both."""
        counted = {}
        for system, answers in outputs.items():
            both = [
                (self._share(case, texts_of(answer)), self._share(case, answer.meta[ALONE]))
                for case, answer in zip(cases, answers, strict=True)
                if ALONE in answer.meta
            ]
            if pairs := [(a, b) for a, b in both if a is not None and b is not None]:
                counted[system] = {
                    "n": len(pairs),
                    "right": sum(a for a, _ in pairs),
                    "alone": sum(b for _, b in pairs),
                    "gained": sum(max(a - b, 0) for a, b in pairs),
                    "lost": sum(max(b - a, 0) for a, b in pairs),
                }
        return {"context": counted} if counted else {}

    def _share(self, case: Case, texts: Sequence[str]) -> float | None:
        """The share of an item's answers that rules find correct, among the answers that they settle."""
        judged = [self._judge.judge(self._judge.items[case.id], text).evidence.verdict for text in texts]
        settled = judged.count("pass") + judged.count("fail")
        return judged.count("pass") / settled if settled else None

    def score(self, judgement: Judgement, context: RunContext) -> Result:
        context.progress("significance", 0, None)
        judged_ids = {finding.case_id for finding in judgement.findings}
        cases = [case_of(item) for item in self.chosen.items if item.id in judged_ids]
        grades = grades_of(judgement.findings, cases, list(judgement.counts))
        told = self._told(judgement, grades, context)
        compare = partial(
            accuracies, grades, test=self.test, alpha=self.alpha, trials=self.trials, seed=self.seed
        )
        result = compare(items="settled" if self.items == "settled" else "fair")
        if self.items == "both":
            own = compare(items="settled")
            result = Result(
                scores=[*result.scores, *(_renamed(score) for score in own.scores)],
                comparisons=[*result.comparisons, *(_renamed(c) for c in own.comparisons)],
                clusters=[*result.clusters, *(_renamed(cluster) for cluster in own.clusters)],
            )
        told = replace(told, scores=result.scores, comparisons=result.comparisons, clusters=result.clusters)
        signed = SettledOutputs(**judgement.basis["reviews"]).signed
        digest = judgement.basis["suite"]
        return sign(told, context, suite=digest, reviews=signed, **signed_repeats(self.repeat))

    def _told(self, judgement: Judgement, grades: Grades, context: RunContext) -> Result:
        """The result without its numbers: counts, notes, and what it rests on."""
        settled = SettledOutputs(**judgement.basis["reviews"])
        about = f"{settled.describe()}; suite {judgement.basis['suite'][:12]}"
        notes = [f"{about}, texts {context.texts[:12]}." if context.texts else f"{about}."]
        notes += [*_open_questions(judgement.findings), *judgement.notes]
        cost = costliest(grades)
        if cost and cost.without > 1.1 * cost.fair and self.items != "settled":
            notes.append(
                f"{cost.system} leaves {plural(cost.unsettled, 'item')} open: without it "
                f"{cost.without:,} items could be compared instead of {cost.fair:,}."
            )
        basis = dict(judgement.basis)
        if self.items != "settled" and len(grades.systems) > 1:
            lacking = dict(zip(grades.systems, (grades.values < 0).sum(axis=0).tolist(), strict=True))
            basis |= compared_basis(len(grades.items), int(fair_items(grades).sum()), lacking)
        result = Result(counts=judgement.counts, notes=notes, basis=basis)
        if flagged := checked_note(result):
            notes.append(flagged)
        if note := compared_items(result):
            result = replace(result, notes=[note, *notes])
        return result

    @classmethod
    def settled(cls, run: Run, context: RunContext) -> Run:
        """Verdicts of reviewers as of now, and the accuracies with them; the rules are not applied again."""
        before = SettledOutputs(**run.result.basis.get("reviews", {"outputs": 0, "used": False}))
        decisions = context.decisions(QUESTION) if before.used else {}
        if not decisions and not before.settled:
            return run
        subjects = {place: subject.id for place, subject in subjects_in(run).items()}
        findings = _settled(run.findings, subjects, decisions)
        changed = sum(new is not old for new, old in zip(findings, run.findings, strict=True))
        if not changed:
            return run
        asked = [subjects[f.case_id, f.system] for f in findings if f.detector == DETECTOR]
        settled = SettledOutputs.of(asked, decisions, context.reviewers(QUESTION), used=True)
        counts = _counts(findings, run.result.counts)
        items = tuple(
            Item(s.id, "", s.tags["category"], s.tags["phenomenon"], s.source or "") for s in run.segments
        )
        names = ("items", "test", "alpha", "trials", "seed", "repeat")
        saved = Method.restore(run.parameters)
        method = cls(Suite(items), **{name: saved[name] for name in names if name in saved})
        basis = {key: value for key, value in run.result.basis.items() if key != "compared"}
        was = Judgement(run.findings, counts=run.result.counts, basis=run.result.basis)
        grades = grades_of(run.findings, [case_of(item) for item in items], list(counts))
        own_notes = method._told(was, grades, context).notes
        result = method.score(Judgement(findings, counts=counts, basis=basis | settled.basis()), context)
        since = f"{plural(changed, 'verdict')} changed since the test, by answers of reviewers."
        kept = [note for note in run.result.notes if note not in own_notes]
        return replace(run, findings=findings, result=replace(result, notes=[*kept, since, *result.notes]))

    @property
    def about(self) -> str:
        """The judged items in one line."""
        items, name = self.chosen.items, self.suite.name
        facts = [name] if name else []
        facts += [str(self.pair)] if self.pair and str(self.pair) not in name else []
        facts.append(plural(len(items), "item"))
        facts.append(plural(len({item.category for item in items}), "category", "categories"))
        phenomena = {(item.category, item.phenomenon) for item in items}
        facts.append(plural(len(phenomena), "phenomenon", "phenomena"))
        if drafts := sum(item.is_draft for item in items if item.author):
            facts.append(plural(drafts, "draft"))
        return " · ".join(facts)


def _read_again(parameters: Mapping[str, Any]) -> Suite:
    """Read the suite of saved parameters; its judged part must be unchanged in the file."""
    path = parameters.get("suite_path")
    if not path:
        raise UsageError(f"The run does not say where its suite is, {parameters['suite']}: give the suite.")
    try:
        suite = read_suite(path)
    except UsageError:
        raise UsageError(f"The suite of the run, {path}, is not there any more: give the suite.") from None
    if suite.digest != parameters.get("suite_digest"):
        raise UsageError(
            f"The suite {path} has changed since the run. To judge with the present suite, name it: mtassay "
            f"suite run {path} --run RUN"
        )
    return suite


def _settled(
    findings: Iterable[Finding], subjects: Mapping[tuple[str, str], str], decisions: Mapping[str, str]
) -> list[Finding]:
    """Findings with the decisions about their outputs; the same ones where nothing changes."""
    settled = []
    for finding in findings:
        answer = decisions.get(subjects.get((finding.case_id, finding.system), ""))
        if finding.detector == DETECTOR and (answer or is_by_people(finding.evidence)):
            old = VerdictEvidence.of(finding)
            if (new := old.settled_by(answer)) != old:
                finding = replace(finding, verdict=new.verdict, evidence=new.as_json())
        settled.append(finding)
    return settled


def _counts(findings: Iterable[Finding], systems: Iterable[str]) -> dict[str, dict[str, int]]:
    """How many outputs of each system have which status."""
    counts = {system: dict.fromkeys(STATUSES, 0) for system in systems}
    for finding in findings:
        counts[finding.system][finding.evidence.get("status") or str(finding.verdict)] += 1
    return counts


def grades_of(findings: Sequence[Finding], cases: Sequence[Case], systems: Sequence[str]) -> Grades:
    """Every system's outcome on every case that was asked, from the findings of a run."""
    asked = [case for case in cases if case.skip is None]
    rows = {case.id: place for place, case in enumerate(asked)}
    columns = {system: place for place, system in enumerate(systems)}
    shares = any(finding.value is not None for finding in findings)
    values = np.full((len(rows), len(columns)), -1, dtype=np.float64 if shares else np.int8)
    grade = {"pass": 1, "fail": 0}
    for finding in findings:
        if finding.verdict in grade:
            share = grade[finding.verdict] if finding.value is None else finding.value
            values[rows[finding.case_id], columns[finding.system]] = share
    return Grades(asked, list(columns), values)


def subject_of(case: Case, output: str) -> Subject:
    """The review subject of this output."""
    return Subject(case.id, case.sources, (output,))


def _open_questions(findings: Sequence[Finding]) -> list[str]:
    """Notes for tables about conflicts, disputes and slow rules."""
    judged = [(f, VerdictEvidence.of(f)) for f in findings if is_notable(f.evidence)]
    conflicts = [f"{f.case_id} ({f.system})" for f, evidence in judged if evidence.status == "conflict"]
    disputed = list(dict.fromkeys(f.case_id for f, evidence in judged if evidence.disputed))
    slow = list(dict.fromkeys(f.case_id for f, evidence in judged if evidence.timed_out))
    notes = [f"Watch out: rules contradict each other: {_some(conflicts)}."] if conflicts else []
    if disputed:
        notes.append(f"Reviewers disagree: {_some(disputed)}. See: mtassay review agreement --disputed")
    if slow:
        notes.append(f"Rules took too long and settled nothing: {_some(slow)}.")
    return notes


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SOME} more" if len(names) > _SOME else ""
    return f"{', '.join(names[:_SOME])}{more}"


def _twins(outputs: Mapping[str, Sequence[Output]]) -> list[list[str]]:
    """Systems whose answers are all equal; they are probably one system with two names."""
    same: dict[tuple[str | None, ...], list[str]] = {}
    for system, answers in outputs.items():
        same.setdefault(tuple(answer.text for answer in answers), []).append(system)
    return [names for texts, names in same.items() if len(names) > 1 and any(texts)]


def _renamed(entry: Any) -> Any:
    return replace(entry, name=f"{entry.name}:settled")


def segment_of(item: Item) -> Segment:
    """Return an item as a segment."""
    return Segment(item.id, item.source, item.references, tags=_tags(item))


def case_of(item: Item) -> Case:
    """Return an item as a case."""
    return Case(item.id, item.id, (item.source,), tags=_tags(item))


def _tags(item: Item) -> dict[str, Any]:
    tags = {
        "category": item.category,
        "phenomenon": item.phenomenon,
        "focus": list(item.focus),
        "context": " ".join(item.context),
        "note": item.note,
        "tags": list(item.tags),
    }
    return {key: value for key, value in tags.items() if value}
