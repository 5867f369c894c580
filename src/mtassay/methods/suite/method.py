"""The suite as a method (Macketanz et al. 2022): items are cases, rules and people judge their outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Literal, Self

import numpy as np

from mtassay import stats
from mtassay.core import (
    Case,
    Doubt,
    Finding,
    Flags,
    Judgement,
    Ledger,
    Output,
    Question,
    Result,
    Run,
    Score,
    Segment,
    Tools,
)
from mtassay.display import PLAIN, AnswerView, Figure, Headline, Line, Table, View
from mtassay.errors import InputError, UsageError
from mtassay.formats import read_stream
from mtassay.formats.segments import align
from mtassay.formats.suite import Item, Suite, read_suite
from mtassay.languages import Pair, parse_pair
from mtassay.method import Method, Read
from mtassay.methods.basis import SettledOutputs, sign
from mtassay.methods.gaps import compared_basis, compared_note, missing
from mtassay.methods.headlines import Contest, weakest
from mtassay.methods.suite.accuracy import (
    Grades,
    Test,
    accuracies,
    accuracy_ledgers,
    costliest,
    fair_items,
    phenomenon_groups,
)
from mtassay.methods.suite.evidence import DETECTOR, STATUSES, VerdictEvidence, is_notable
from mtassay.methods.suite.judge import Judge
from mtassay.methods.suite.selection import Choice, select
from mtassay.methods.suite.tables import accuracy_figure, accuracy_tables, item_group, status_table
from mtassay.options import option
from mtassay.reviews import Subject
from mtassay.reviews.queue import subjects_in
from mtassay.texts.marks import find_words, plural

__all__ = ["CHOOSING", "QUESTION", "SuiteMethod", "case_of", "grades_of", "segment_of", "subject_of"]

QUESTION = "suite"
"""What reviewers are asked about an output: is the phenomenon right? They answer correct or incorrect."""

_NAMED = ("category", "phenomenon", "tag", "item")
CHOOSING = (*_NAMED, "approved", "public")
"""The fields that choose items of the suite."""

_SOME = 5  # names in a note


def _names(what: str, metavar: str = "NAME") -> Any:
    """A field that chooses items by names."""
    return field(default=(), metadata=option(what, metavar=metavar, kind=list[str] | None, default=None))


@dataclass(frozen=True)
class SuiteMethod(Method):
    """Judges outputs of the items of a suite, and compares systems by their accuracy.

    `category`, `phenomenon`, `tag`, `item`, `approved` and `public` choose items; else all are judged.
    `items` says which items count: those settled for all systems (fair), for each system those settled
    for it, or both, one after the other. `test` compares each system with the best. Without `reviews`,
    only the rules of the file judge.
    """

    name: ClassVar[str] = "suite"
    asks: ClassVar[Sequence[Question]] = (
        Question(QUESTION, "Is the phenomenon translated right?", {"c": "correct", "i": "incorrect"}),
    )

    suite: Suite
    category: tuple[str, ...] = _names("Only this category; * stands for anything. Repeat.")
    phenomenon: tuple[str, ...] = _names("Only this phenomenon; * stands for anything. Repeat.")
    tag: tuple[str, ...] = _names("Only items with this tag. Repeat.")
    item: tuple[str, ...] = _names("Only this item; * stands for anything. Repeat.", "ID")
    approved: bool = field(
        default=False, metadata=option("Only items that a second person approved.", "--approved")
    )
    public: bool | None = field(
        default=None, metadata=option("Only public items, or only hidden ones.", "--public/--hidden")
    )
    items: Literal["fair", "settled", "both"] = field(
        default="fair",
        metadata=option("Count items settled for all systems, for each its own, or show both."),
    )
    test: Test = field(
        default="randomization",
        metadata=option(
            "How a system is compared with the best: by randomization, two-sided and corrected for all "
            "comparisons of a table; or one-tailed and uncorrected: paired (exact, bootstrap), or as in "
            "Macketanz et al. 2022 (z, t)."
        ),
    )
    alpha: float = field(default=0.05, metadata=option("Level of significance.", least=0.0001, most=0.5))
    samples: int = field(default=1000, metadata=option("Bootstrap resamples.", least=100))
    trials: int = field(default=10000, metadata=option("Trials of the randomization test.", least=100))
    seed: int | None = field(
        default=12345,
        metadata=option("Seed of all draws. Default: $SACREBLEU_SEED or 12345.", default=None, least=0),
    )
    reviews: bool = field(default=True, metadata=option("Let what reviewers decided settle outputs."))

    @classmethod
    def resolve(cls, settings: Mapping[str, Any], run: Run | None = None) -> Self:
        """`suite` may be a file, the name of one that comes with mtassay, or a `Suite`.

        Where it is not given, the file that the run names is read again; see `restore`.
        """
        values = dict(settings)
        for key in _NAMED:
            if (names := values.get(key)) is not None:
                values[key] = (names,) if isinstance(names, str) else tuple(names)
        suite = values.get("suite")
        if suite is not None and not isinstance(suite, Suite):
            values["suite"] = read_suite(suite)
        elif suite is None and run is None:
            raise UsageError("There is no suite: give a file, or the name of one that comes with mtassay.")
        if suite is not None and run is not None:
            run = replace(run, parameters={k: v for k, v in run.parameters.items() if k != "suite"})
        draws_anew = False
        if run is None and values.get("seed") is None:
            values["seed"] = stats.default_seed()
            draws_anew = values["seed"] is None
        method = super().resolve(values, run)
        if draws_anew:
            method = replace(method, seed=None)
        if not method.suite.items:
            where = method.suite.path or method.suite.name or "The suite"
            raise UsageError(f"{where} has no items yet. Add one: mtassay suite add {where}")
        Judge(method.suite)  # ids must be unique: outputs are joined by them
        assert method.chosen.items, "a choice of nothing is refused"
        return method

    @classmethod
    def restore(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The suite is read from its file again, which must be there and unchanged."""
        saved = super().restore(parameters)
        return saved | {"suite": _read_again(parameters)} if "suite" in saved else saved

    def parameters(self) -> dict[str, Any]:
        """The suite by name, where it came from, and the digest of all that decides a verdict."""
        return {
            **super().parameters(),
            "suite": repr(self.chosen),
            "suite_path": self.suite.path,
            "suite_digest": self.suite.digest,
            "facts": self.about,
        }

    @property
    def choice(self) -> Choice:
        """Which items are judged."""
        return Choice(self.category, self.phenomenon, self.tag, self.item, self.approved, self.public)

    @cached_property
    def chosen(self) -> Suite:
        """The suite with these items alone."""
        return select(self.suite, self.choice)

    @cached_property
    def segments(self) -> list[Segment]:
        """The items as lines of a test set."""
        return [segment_of(item) for item in self.chosen.items]

    @cached_property
    def pair(self) -> Pair | None:
        """The language pair, where all items have the same."""
        pairs = {item.langpair for item in self.chosen.items}
        return parse_pair(pairs.pop()) if len(pairs) == 1 and "" not in pairs else None

    @cached_property
    def _judge(self) -> Judge:
        return Judge(self.chosen)

    def reader(self, segments: Sequence[Segment], tools: Tools) -> Read:
        """Files have outputs by id, or a line for each item of the whole suite.

        Ids that the suite does not have are left out, and noted.
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
                    f"no id is one of the suite's ('{stream.ids[0]}', but there '{ids[0]}')", path=stream.path
                )
            if strangers := len(stream.ids) - len(outputs):
                tools.note(f"{name}: {strangers:,} outputs left out: their ids are not in the suite")
            return outputs

        return read

    def cases(self, segments: Iterable[Segment], tools: Tools) -> list[Case]:
        self._judge.check()
        items = self._judge.items
        return [
            case_of(items[s.id]) if s.id in items else Case(s.id, s.id, (s.source,), skip="not in the suite")
            for s in segments
        ]

    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], tools: Tools
    ) -> Judgement:
        judge = self._judge
        known_decisions = tools.decisions(QUESTION)
        decisions = known_decisions if self.reviews else {}
        subjects: list[str] = []  # of all outputs, where there are decisions to count
        asked = [case for case in cases if case.skip is None]
        findings: dict[str, list[Finding]] = {system: [] for system in outputs}
        counts = {system: dict.fromkeys(STATUSES, 0) for system in outputs}
        for place, case in enumerate(asked):
            if place % 200 == 0:
                tools.progress("judging", place, len(asked))
            # Systems often agree to the letter.
            cache: dict[str, tuple[str, VerdictEvidence, dict[str, Any]]] = {}
            for system, answers in outputs.items():
                text = answers[place].text
                if text is None:
                    findings[system].append(none := missing(answers[place], system))
                    counts[system][str(none.verdict)] += 1
                    continue
                if text not in cache:
                    evidence = judge.judge(judge.items[case.id], text).evidence
                    subject = subject_of(case, text).id if known_decisions else ""
                    evidence = evidence.settled_by(decisions.get(subject))
                    cache[text] = subject, evidence, evidence.record()
                subject, evidence, record = cache[text]
                subjects.append(subject)
                findings[system].append(Finding(case.id, system, DETECTOR, evidence.verdict, evidence=record))
                counts[system][evidence.status] += 1
        everything = [finding for of_system in findings.values() for finding in of_system]
        reviewers = tools.reviewers(QUESTION) if known_decisions else {}
        settled = SettledOutputs.of(subjects, known_decisions, reviewers, used=self.reviews)
        return Judgement(
            everything,
            counts=counts,
            notes=[f"{' and '.join(names)} gave the same outputs." for names in _twins(outputs)],
            basis={"suite": self.suite.digest, **settled.basis()},
        )

    def score(self, judgement: Judgement, tools: Tools) -> Result:
        tools.progress("significance", 0, None)
        judged_ids = {finding.case_id for finding in judgement.findings}
        cases = [case_of(item) for item in self.chosen.items if item.id in judged_ids]
        grades = grades_of(judgement.findings, cases, list(judgement.counts))
        compare = partial(
            accuracies,
            grades,
            test=self.test,
            alpha=self.alpha,
            samples=self.samples,
            trials=self.trials,
            seed=self.seed,
        )
        result = compare(items="settled" if self.items == "settled" else "fair")
        if self.items == "both":
            own = compare(items="settled")
            result = Result(
                scores=[*result.scores, *(_renamed(score) for score in own.scores)],
                comparisons=[*result.comparisons, *(_renamed(c) for c in own.comparisons)],
                clusters=[*result.clusters, *(_renamed(cluster) for cluster in own.clusters)],
            )
        settled = SettledOutputs(**judgement.basis["reviews"])
        about = f"{settled.describe()}; suite {self.suite.digest[:12]}"
        notes = [f"{about}, texts {tools.texts[:12]}." if tools.texts else f"{about}."]
        notes += [*_open_questions(judgement.findings), *judgement.notes]
        cost = costliest(grades)
        if cost and cost.without > 1.1 * cost.fair and self.items != "settled":
            notes.append(
                f"{cost.system} leaves {cost.unsettled:,} items open: without it {cost.without:,} items "
                f"could be compared instead of {cost.fair:,}."
            )
        basis = dict(judgement.basis)
        if self.items != "settled" and len(grades.systems) > 1:
            lacking = dict(zip(grades.systems, (grades.values < 0).sum(axis=0).tolist(), strict=True))
            basis |= compared_basis(len(cases), int(fair_items(grades).sum()), lacking)
        result = replace(result, counts=judgement.counts, notes=notes, basis=basis)
        if note := _compared(result):
            result = replace(result, notes=[note, *notes])
        return sign(result, tools, suite=self.suite.digest, reviews=settled.signed)

    @property
    def about(self) -> str:
        """What is judged, in a line."""
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

    @classmethod
    def means(cls, run: Run) -> str:
        return "linguistic items"

    @classmethod
    def facts(cls, run: Run) -> str:
        return " · ".join(filter(None, (str(run.parameters.get("facts", "")), _compared(run.result))))

    @classmethod
    def headlines(cls, run: Run) -> list[Headline]:
        """By both averages; what each system is surest to be worst at is a category or a phenomenon."""
        alpha = float(run.parameters.get("alpha", 0.05))
        is_fair = run.parameters.get("items") != "settled"
        part = _fair_part(run) if is_fair else run
        told = [
            headline
            for group, label in (("micro", "share of correct items"), ("macro", "average over categories"))
            for headline in Contest(
                run, "accuracy", group, label, "item", alpha, suffix=" %", part=part
            ).headlines()
        ]
        categories = [
            s for s in run.result.scores if s.name == "accuracy" and s.group not in ("micro", "macro")
        ]
        phenomena = [s for s in run.result.scores if s.name == "accuracy:phenomenon"]
        groups = phenomenon_groups([Case(s.id, s.id, (s.source,), tags=s.tags) for s in run.segments])

        def place(score: Score) -> str:
            if score.name == "accuracy":
                return score.group
            return item_group(groups.get(score.group, ""), score.group)

        worst = weakest(
            [*categories, *phenomena],
            lambda s, value, how: f"{s.system} is worst at {s.group}: {value} % correct {how}.",
            group_of=place,
        )
        levels = [
            {
                headline.system: headline
                for headline in weakest(scores, partial(_of_level, what), group_of=place)
            }
            for scores, what in ((phenomena, "single phenomena"), (categories, "categories"))
        ]
        other_level = {
            first.system: next(
                (own[first.system] for own in levels if own.get(first.system, first).group != first.group),
                None,
            )
            for first in worst
        }
        return [
            *told,
            *(
                replace(first, text=first.text + (other.text if (other := other_level[first.system]) else ""))
                for first in worst
            ),
            *cls.open_headlines(run),
        ]

    @classmethod
    def groups_of(cls, run: Run, segment: Segment) -> list[str]:
        category, phenomenon = (str(segment.tags.get(key, "")) for key in ("category", "phenomenon"))
        return [category, item_group(category, phenomenon)] if category else []

    @classmethod
    def answer_view(
        cls, run: Run, output: Output | None, system: str, findings: Sequence[Finding]
    ) -> AnswerView:
        """Groups are of items, not of what one system made of them."""
        return replace(super().answer_view(run, output, system, findings), groups=())

    @classmethod
    def source_lines(cls, segment: Segment) -> list[Line]:
        """The words that carry the phenomenon are marked."""
        context = str(segment.tags.get("context") or "")
        first, *others = super().source_lines(segment) or [Line("source", "")]
        focus = find_words(first.text, list(segment.tags.get("focus", ())))
        return [*([Line("context", context)] if context else []), first._replace(marks=focus), *others]

    @classmethod
    def tables(cls, run: Run, view: View = PLAIN) -> list[Table]:
        return [status_table(run.result.counts), *accuracy_tables(run, view)]

    @classmethod
    def figures(cls, run: Run, view: View = PLAIN) -> list[Figure]:
        return [accuracy_figure(run, view, title=str(run.parameters.get("facts", "")))]

    @classmethod
    def signatures(cls, run: Run) -> list[str]:
        return [f"accuracy|{signature}" for signature in super().signatures(run)]

    @classmethod
    def advice(cls, run: Run, *, is_saved: bool) -> list[str]:
        counts = run.result.counts.values()
        if not (still_open := sum(c.get("undecided", 0) + c.get("conflict", 0) for c in counts)):
            return []
        subjects = subjects_in(run)
        different = {
            subjects[finding.case_id, finding.system]
            for finding in run.findings
            if finding.verdict == "undecided" and (finding.case_id, finding.system) in subjects
        }
        many = plural(still_open, "output")
        if 0 < len(different) < still_open:
            many += f" ({len(different):,} different)"
        how = f"mtassay review next {run.id}" if is_saved else "add --save, then: mtassay review next"
        return [
            f"{many} {'is' if still_open == 1 else 'are'} not settled. To settle: {how}",
            "or in a browser: mtassay review serve",
        ]

    @classmethod
    def title(cls, run: Run) -> str:
        return str(run.parameters.get("suite") or "").rpartition(" (")[0]

    @classmethod
    def test_set(cls, run: Run) -> str:
        """The suite by its name, though it may have grown since."""
        return cls.title(run) or super().test_set(run)

    @classmethod
    def ledgers(cls, run: Run, system: str) -> list[Ledger]:
        """Categories and their averages, and phenomena."""
        return accuracy_ledgers(run.findings, run.segments, system)

    @classmethod
    def doubts(cls, run: Run) -> list[Doubt]:
        """What no rule settles, or rules of both kinds claim, even if people settled it since."""
        with_evidence = [(f, VerdictEvidence.of(f.evidence, matches=False)) for f in run.findings]
        return [
            Doubt(f.case_id, f.system, evidence.by_rules, f.evidence)
            for f, evidence in with_evidence
            if evidence.by_rules in ("undecided", "conflict")
            and (f.verdict == "undecided" or evidence.rules_say)
        ]

    @classmethod
    def rules_file(cls, run: Run) -> str:
        return str(run.parameters.get("suite_path") or "")

    @classmethod
    def decided(cls, run: Run) -> list[Doubt]:
        """What rules alone say, also where people overruled them since."""
        said = [(f, VerdictEvidence.of(f.evidence, matches=False).by_rules) for f in run.findings]
        return [
            Doubt(f.case_id, f.system, status) for f, status in said if status in ("correct", "incorrect")
        ]

    @classmethod
    def flags_of(cls, detector: str, findings: Sequence[Finding], missing: Mapping[str, int]) -> Flags:
        """What people settled must not be held against their own words: the rules had left it open."""
        return super().flags_of(
            detector,
            [
                replace(f, verdict="undecided") if VerdictEvidence.of(f.evidence).rules_say else f
                for f in findings
            ],
            missing,
        )

    @classmethod
    def status(cls, findings: Sequence[Finding]) -> str:
        first = next((status for f in findings if (status := VerdictEvidence.of(f.evidence).status)), "")
        return first or super().status(findings)

    @classmethod
    def why(cls, finding: Finding) -> str:
        return (
            VerdictEvidence.of(finding.evidence).reason
            if finding.detector == DETECTOR
            else super().why(finding)
        )

    @classmethod
    def output_lines(cls, text: str, evidence: Mapping[str, Any]) -> list[Line]:
        """What rules matched is marked; the rules follow."""
        verdict = VerdictEvidence.of(evidence)
        return [Line("output", text, verdict.spans(text)), *(Line("", line) for line in verdict.lines())]

    @classmethod
    def reasons(cls, finding: Finding) -> list[str]:
        why, rules = cls.why(finding), VerdictEvidence.of(finding.evidence).lines()
        # The rules say the same, and where.
        return rules if why.startswith("matches ") and rules else [why, *rules]


def _read_again(parameters: Mapping[str, Any]) -> Suite:
    """The suite of saved parameters; what was judged must be what is in the file."""
    path = parameters.get("suite_path")
    if not path:
        raise UsageError(f"The run does not say where its suite is, {parameters['suite']}: give the suite.")
    try:
        suite = read_suite(path)
    except UsageError:
        raise UsageError(f"The suite of the run, {path}, is not there any more: give the suite.") from None
    if suite.digest != parameters.get("suite_digest"):
        raise UsageError(
            f"The suite {path} has changed since the run. To judge by it as it is now, give it, "
            f"or: mtassay suite rejudge {path}"
        )
    return suite


def grades_of(findings: Sequence[Finding], cases: Sequence[Case], systems: Sequence[str]) -> Grades:
    """What every system got on every case that was asked, from the findings of a run."""
    asked = [case for case in cases if case.skip is None]
    rows = {case.id: place for place, case in enumerate(asked)}
    columns = {system: place for place, system in enumerate(systems)}
    values = np.full((len(rows), len(columns)), -1, dtype=np.int8)
    grade = {"pass": 1, "fail": 0}
    for finding in findings:
        if finding.verdict in grade:
            values[rows[finding.case_id], columns[finding.system]] = grade[finding.verdict]
    return Grades(asked, list(columns), values)


def _of_level(what: str, score: Score, value: str, how: str) -> str:
    """What a system is worst at among categories, or among phenomena."""
    return f" Of {what} at {score.group}: {value} % {how}."


def _fair_part(run: Run) -> Run:
    """The run with nothing but the items that are settled for all systems."""
    settled = Counter(f.case_id for f in run.findings if f.verdict in ("pass", "fail"))
    findings = [f for f in run.findings if settled[f.case_id] == len(run.systems)]
    return replace(run, findings=findings)


def subject_of(case: Case, output: str) -> Subject:
    """What a review of this output is about."""
    return Subject(case.id, case.sources, (output,))


def _compared(result: Result) -> str:
    """How many items were compared, and who leaves the others open."""
    return compared_note(result, "items", "leaves {} open")


def _open_questions(findings: Sequence[Finding]) -> list[str]:
    """What a reader of the tables must know of the rules: conflicts, disputes, those that are too slow."""
    judged = [(f, VerdictEvidence.of(f.evidence, matches=False)) for f in findings if is_notable(f.evidence)]
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
    """Systems that answered everything alike: likely one system under two names."""
    same: dict[tuple[str | None, ...], list[str]] = {}
    for system, answers in outputs.items():
        same.setdefault(tuple(answer.text for answer in answers), []).append(system)
    return [names for texts, names in same.items() if len(names) > 1 and any(texts)]


def _renamed(entry: Any) -> Any:
    return replace(entry, name=f"{entry.name}:settled")


def segment_of(item: Item) -> Segment:
    """An item as a line of a test set."""
    return Segment(item.id, item.source, item.references, tags=_tags(item))


def case_of(item: Item) -> Case:
    """An item as something to ask."""
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
