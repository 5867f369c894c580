"""The basis of numbers besides outputs: texts and reviewers' decisions."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from mtassay import __version__, nlp
from mtassay.data.display import Cell, Table
from mtassay.data.marks import plural
from mtassay.data.nouns import DISPUTED, Finding, Output, Result, Run, RunContext, Segment, Verdict
from mtassay.data.questions import span_answer
from mtassay.data.run_view import RunView
from mtassay.data.settings import option, setting
from mtassay.data.subjects import Subject, is_model

if TYPE_CHECKING:
    from mtassay.measures.clues import JudgedAnswer
    from mtassay.measures.judge import Opinion, TranslationJudge

_SHOWN = 12  # digits of a digest that people see


@dataclass(frozen=True, slots=True)
class SettledOutputs:
    """How many outputs (of all systems) reviewers settled; `used` says whether these decisions count.

    `by_models` counts the settled outputs that only language models reviewed.
    """

    outputs: int
    settled: int = 0
    by_models: int = 0
    used: bool = True

    @classmethod
    def of(
        cls,
        subjects: Iterable[str],
        decisions: Mapping[str, str],
        reviewers: Mapping[str, Collection[str]],
        *,
        used: bool,
    ) -> Self:
        """Count the settled outputs; `subjects` has one subject for each output."""
        asked = list(subjects)
        settled = [subject for subject in asked if decisions.get(subject, DISPUTED) != DISPUTED]
        by_models = sum(all(map(is_model, reviewers[subject])) for subject in settled)
        return cls(len(asked), len(settled), by_models, used)

    def basis(self) -> dict[str, Any]:
        """Return the entry for the basis of a result."""
        return {"reviews": asdict(self)}

    @property
    def signed(self) -> str:
        """Return the part of a signature: the number of settled reviews, or that they were left out."""
        return str(self.settled) if self.used else "no"

    def describe(self) -> str:
        """A note for readers.

        >>> SettledOutputs(1428, 12, 3).describe()
        'Reviewers settled 12 of 1,428 outputs, language models alone 3 of these'
        >>> SettledOutputs(1428, 12, used=False).describe()
        'Without reviews: the decisions of reviewers about 12 of 1,428 outputs do not count'
        """
        models = f", language models alone {self.by_models:,} of these" if self.by_models else ""
        if not self.used:
            what = f"{self.settled:,} of {plural(self.outputs, 'output')}{models}"
            return f"Without reviews: the decisions of reviewers about {what} do not count"
        count = f"{self.settled:,}" if self.settled else "none"
        return f"Reviewers settled {count} of {plural(self.outputs, 'output')}{models}"


def sign(result: Result, context: RunContext, **parts: str) -> Result:
    """Put the basis (the texts and these parts) at the start of all signatures of the result.

    Twelve digits of each digest are shown.
    """
    texts = {"texts": context.texts[:_SHOWN]} if context.texts else {}
    head = "|".join(f"{key}:{value[:_SHOWN]}" for key, value in {**texts, **parts}.items())
    if not head:
        return result
    return replace(result, scores=[replace(s, signature=f"{head}|{s.signature}") for s in result.scores])


_SOME = 3  # systems in a line
_FEW_SYSTEMS = 4  # systems that fit side by side


def missing(output: Output, system: str) -> Finding:
    """Why there is nothing to judge: an engine failed, a file has no such output, or the output is blank."""
    verdict: Verdict = "skipped" if output.meta.get("skipped") else "error"
    reason = output.error if output.text is None else "the output is blank"
    return Finding(output.id, system, "output", verdict, evidence={"reason": reason})


def unanswered_counts(answers: Sequence[Output], unanswered: int) -> dict[str, int]:
    """Count why texts have no answer: the engine failed, it refused, or the output is missing or blank.

    >>> failed = [Output("1", None, "HTTP 500"), Output("2", None, "refused: I cannot"), Output("3", " ")]
    >>> unanswered_counts(failed, 3)
    {'error': 1, 'refused': 1, 'missing': 1}
    """
    failed = [a for a in answers if a.text is None and not a.meta.get("skipped")]
    refused = sum((answer.error or "").startswith("refused") for answer in failed)
    error = len(failed) - refused
    return {"error": error, "refused": refused, "missing": max(0, unanswered - error - refused)}


def unanswered_note(result: Result) -> str:
    """Name the systems that left texts without an answer, and the effect on scores; empty if none did.

    >>> unanswered_note(Result(basis={"unanswered": {"of": 1000, "systems": {"B": 12, "Online-X": 60}}}))
    'Without an answer: Online-X 60, B 12 of 1,000 segments. They count as empty outputs, and a system that \
leaves some out has no rank.'
    """
    if not (about := result.basis.get("unanswered")):
        return ""
    lacking = sorted(about["systems"].items(), key=lambda entry: -entry[1])
    more = f" and {len(lacking) - _SOME:,} more systems" if len(lacking) > _SOME else ""
    named = ", ".join(f"{system} {count:,}" for system, count in lacking[:_SOME])
    ranked = (
        "the systems still have ranks" if about.get("ranked") else "a system that leaves some out has no rank"
    )
    where = f"Without an answer: {named}{more} of {about['of']:,} segments."
    return f"{where} They count as empty outputs, and {ranked}."


def compared_basis(total: int, compared: int, lacking: Mapping[str, int]) -> dict[str, Any]:
    """Return the entry for the basis: how many of all items are compared, and how many each system lacks.

    Empty if all are compared. Only items that every system has are compared, so an item that one system lacks
    is removed for all systems.
    """
    if compared == total:
        return {}
    lacks = {system: count for system, count in lacking.items() if count}
    return {"compared": {"n": compared, "of": total, "lacking": lacks}}


def compared_note(result: Result, what: str = "segments", lacks: str = "lacks {}") -> str:
    """How many items were compared, and which systems lack most; empty if all were compared.

    >>> compared_note(Result(basis=compared_basis(1000, 930, {"A": 0, "B": 12, "Online-X": 60})))
    '930 of 1,000 segments compared: Online-X lacks 60, B 12'
    """
    if not (about := result.basis.get("compared")):
        return ""
    ranked = sorted(about["lacking"].items(), key=lambda entry: -entry[1])
    more = f" and {len(ranked) - _SOME:,} more systems some" if len(ranked) > _SOME else ""
    (first, most), *others = ranked[:_SOME]
    told = lacks.format(f"{most:,}")
    so = ", ".join([f"{first} {told}", *(f"{name} {count:,}" for name, count in others)])
    return f"{about['n']:,} of {about['of']:,} {what} compared: {so}{more}"


_AT_ONCE = 512  # answers that are judged in one batch

JUDGE_OPTION = (
    "The judge of the outputs: ours, a metric (comet, llm:MODEL) or scores:FILE. A metric needs 30 answers "
    "from people first."
)
"""The help of `--judge`; the option means the same in all methods."""


CHECKS = option(
    "Checks by name or group (form, meaning, conduct…), or default, all, none. Default: checks that proved "
    "reliable for these languages.",
    "--checks",
    metavar="NAMES",
    kind=str | None,
    in_signature=False,
)
"""The name of a method's option that is about checks."""
CRITICAL = ("critical",)
"""Checks whose alarms mean that other numbers are unreliable."""
CHECKS_BESIDE = option(
    "Checks by name, group or severity, or default, all, none. By default the critical ones: empty, copied, "
    "cut off and similar.",
    "--checks",
    metavar="NAMES",
    kind=str | None,
    in_signature=False,
)
"""The name of a method's option that runs additional checks."""


def checked_basis(
    pair: tuple[str, str] | None,
    checks: Sequence[str],
    segments: Sequence[Segment],
    outputs: Mapping[str, Sequence[Output]],
    context: RunContext,
) -> dict[str, Any]:
    """Return the entry for the basis: how many outputs each check flags by system, and the first cases.

    It is for methods whose verdicts do not come from checks.
    """
    from mtassay.measures.check import CheckContext  # imported late: large, with all phrases and word lists
    from mtassay.measures.check_run import choose_checks, count_checks, id_of, run_checks, units_of
    from mtassay.measures.corpus import code_stamp

    if tuple(checks) == ("none",):
        return {}
    context.progress("checks", 0, None)
    languages = CheckContext(*(pair or (None, None)))
    chosen = choose_checks(checks, (), languages).checks
    stamps = [code_stamp(type(check).__module__) for check in chosen]
    asked = repr((__version__, pair, [check.id for check in chosen], stamps, segments, outputs))
    key = hashlib.sha256(f"checked all{asked}".encode("utf-8", "surrogatepass")).hexdigest()
    if (known := context.recall(key)) is not None:
        return dict(json.loads(known))
    units = {system: units_of(segments, answers) for system, answers in outputs.items()}
    found = run_checks(chosen, units, languages, run=context)
    counts = {s: {"segments": len(segments), **count_checks(findings)} for s, findings in found.items()}
    cases: dict[str, list[str]] = {}
    for system, findings in found.items():
        for finding in findings:
            cases.setdefault(id_of(finding), []).append(f"{finding.case_id} ({system})")
    basis = {"checks": counts, "flagged": dict(sorted(cases.items()))}
    context.remember(key, json.dumps(basis).encode())
    return basis


def checked_note(result: Result) -> str:
    """Say what the checks flagged besides the verdicts; empty if they flagged nothing.

    >>> counts = {"a": {"segments": 9, "refusal": 4}, "b": {"segments": 9}}
    >>> checked_note(Result(basis={"checks": counts, "flagged": {"refusal": ["i1 (a)", "i2 (a)", "i3 (a)"]}}))
    'Checks (they change no verdict) found refusal: i1 (a), i2 (a), i3 (a) and 1 more.'
    """
    told = []
    for name, cases in result.basis.get("flagged", {}).items():
        some = cases[:_SOME]
        rest = sum(counts.get(name, 0) for counts in result.basis["checks"].values()) - len(some)
        told.append(f"{name}: {', '.join(some)}" + (f" and {rest:,} more" if rest else ""))
    return f"Checks (they change no verdict) found {'; '.join(told)}." if told else ""


def alarm_table(run: Run, counted: Mapping[str, Mapping[str, int]], *, detail: bool = False) -> Table | None:
    """How many of the `segments` of each system the checks flag, as a table; `None` without flags.

    With few systems or `detail`, there is a row for each check, the worst first; otherwise for each system.
    """
    from mtassay.measures.check import SEVERITIES
    from mtassay.measures.check_run import severity_of_check

    is_short = tuple(run.parameters.get("checks", ())) == CRITICAL
    short = ["Only critical checks were run; --checks default runs all."] * is_short
    # Empty answers also count as missing.
    counted = {
        system: {c: n for c, n in counts.items() if c != "empty" or n > counts.get("missing", 0)}
        for system, counts in counted.items()
    }
    found = dict.fromkeys(
        check for counts in counted.values() for check, n in counts.items() if check != "segments" and n
    )
    if not found:
        return None
    severity = {check: severity_of_check(check) for check in found}
    checks = sorted(found, key=lambda check: SEVERITIES.index(severity[check]))
    rows: list[list[Cell | str]] = []
    if detail or len(counted) <= _FEW_SYSTEMS:
        for check in checks:
            rows.append([check, severity[check], *(_share(counts, check) for counts in counted.values())])
        return Table(["Check", "severity", *counted], rows, "Findings of checks", short)
    levels = [level for level in SEVERITIES if level in severity.values()]
    for system, counts in counted.items():
        sums = [sum(counts.get(c, 0) for c in checks if severity[c] == level) for level in levels]
        often = sorted((c for c in checks if counts.get(c)), key=lambda check: -counts[check])[:2]
        most = ", ".join(f"{check} {counts[check]:,}" for check in often)
        rows.append([system, *(f"{n:,}" if n else "" for n in sums), most])
    n = max(counts["segments"] for counts in counted.values())
    notes = [f"Findings in {n:,} segments, by the severity of the check. The report names all of them."]
    return Table(["System", *levels, "most often"], rows, "Findings of checks", [*notes, *short])


def _share(counts: Mapping[str, int], check: str) -> str:
    n = counts.get(check, 0)
    return f"{n} ({100 * n / (counts['segments'] or 1):.1f} %)" if n else ""


def answer_of(
    key: str, source: str, output: str, references: Sequence[str] = (), others: Sequence[str] = ()
) -> JudgedAnswer:
    """Return the input of the judge; `others` are other systems' outputs for the same source."""
    from mtassay.measures.clues import JudgedAnswer  # imported late, since the judge is large

    return JudgedAnswer(key, source, output, tuple(references), tuple(others))


_ASKED = ("behavior", "place", "invariance", "mqm", "esa")
"""The review questions whose answers say whether an output has an error."""


def people_said(answers: Sequence[JudgedAnswer], context: RunContext) -> dict[str, bool]:
    """Whether people found an error in exactly these sources and outputs, by the id of the answer.

    Disputed decisions and decisions by language models only are left out.
    """
    wrong: dict[str, bool] = {}
    for question in _ASKED:
        if decisions := context.decisions(question):
            reviewers = context.reviewers(question)
            for subject, answer in decisions.items():
                if answer != DISPUTED and not all(map(is_model, reviewers.get(subject, ("",)))):
                    wrong[subject] = _means_error(answer)
    subjects = {a.id: Subject(a.id, (a.source,), (a.output,)).id for a in answers} if wrong else {}
    return {key: wrong[subject] for key, subject in subjects.items() if subject in wrong}


def _means_error(answer: str) -> bool:
    if answer.startswith("{"):
        return any(span.severity != "neutral" for span in span_answer(answer).spans)
    return answer != "correct"


def ask_judge(
    judge: TranslationJudge,
    answers: Sequence[JudgedAnswer],
    context: RunContext,
    *,
    system: str = "",
    reviews: bool = True,
) -> list[Opinion]:
    """Return one opinion for each answer of a system, in order; the note says how reliable the judge is.

    Equal answers are judged once, and earlier opinions are reused. `reviews` recalibrate the judge if they
    have at least about thirty decisions by people on these outputs.
    """
    from mtassay.measures.judge import ENOUGH, JudgeCalibration  # large

    judge = judge.lent(context, system)
    opinions = judge.judge(answers) if judge.has_memory else _recalled_or_asked(judge, answers, context)
    settled = people_said(answers, context) if reviews else {}
    said = [
        (opinion.probability, settled[answer.id])
        for answer, opinion in zip(answers, opinions, strict=True)
        if answer.id in settled and opinion.probability is not None
    ]
    calibration = None
    if len(said) >= ENOUGH:
        usual = judge.usual_slope(opinions)
        calibration = JudgeCalibration.of([p for p, _ in said], [wrong for _, wrong in said], usual=usual)
    asked, opinions = opinions, judge.decide(opinions, calibration=calibration)
    if answers:
        context.note(judge.record(opinions))
        of = f" for {system}" if system else ""
        if calibration:
            wrong = [
                before.probability
                for before, opinion in zip(asked, opinions, strict=True)
                if opinion.verdict == "fail" and before.probability is not None
            ]
            told = f"Probabilities{of}: recalibrated with {len(said)} answers of people."
            if wrong:
                low, high = calibration.precision(wrong)
                told += (
                    f" Of {len(wrong):,} outputs called wrong, {low:.0%} to {high:.0%} should have an error."
                )
            context.note(told)
        elif any(opinion.major is not None for opinion in opinions):  # metrics give no judgments
            more = f" ({len(said)} answers so far{of})" if said else ""
            context.note(
                f"Probabilities are for a typical rater. After {ENOUGH} answers of your own reviewers about "
                f"a system, they are recalibrated for it{more}."
            )
    return opinions


def _recalled_or_asked(
    judge: TranslationJudge, answers: Sequence[JudgedAnswer], context: RunContext
) -> list[Opinion]:
    from mtassay.nlp.annotators import batches  # large

    what = f"opinion|{__version__}|{_code(type(judge))}|{judge.signature}"
    keys = [f"{what}|{_digest(answer)}" for answer in answers]
    distinct = dict(zip(keys, answers, strict=True))
    opinions = {key: _unpack(kept) for key in distinct if (kept := context.recall(key)) is not None}
    waiting = [key for key in distinct if key not in opinions]
    context.progress("judging", len(opinions), len(distinct))
    parts = context.map(judge.judge, batches([distinct[key] for key in waiting], _AT_ONCE))
    for some, part in zip(batches(waiting, _AT_ONCE), parts, strict=True):
        for key, opinion in zip(some, part, strict=True):
            opinions[key] = opinion
            context.remember(key, json.dumps(opinion, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        context.progress("judging", len(opinions), len(distinct))
    return [opinions[key] for key in keys]


def code_files(judge: type[TranslationJudge]) -> list[Path]:
    """Return the files of the judge's code and of its models."""
    path = getattr(sys.modules.get(judge.__module__), "__file__", None)
    rooms = [Path(path).parent, Path(nlp.__file__).parent] if path else []
    return [file for room in rooms for file in sorted(room.glob("*.py"))]


@cache
def _code(judge: type[TranslationJudge]) -> str:
    """A digest of the dates and sizes of these files."""
    stamps = [f"{f.name}:{f.stat().st_mtime_ns}:{f.stat().st_size}" for f in code_files(judge)]
    return hashlib.blake2b("|".join(stamps).encode(), digest_size=8).hexdigest()


def _digest(answer: JudgedAnswer) -> str:
    return hashlib.blake2b(json.dumps(answer[1:]).encode(), digest_size=16).hexdigest()


def _unpack(kept: bytes) -> Opinion:
    from mtassay.measures.judge import Opinion, Reason  # large

    verdict, probability, reasons, kind, major = json.loads(kept.decode("utf-8", "surrogatepass"))
    told = tuple(Reason(name, weight, why, tuple(words)) for name, weight, why, words in reasons)
    return Opinion(verdict, probability, told, kind, major)


def reasons_of(opinion: Opinion) -> tuple[str, ...]:
    """Return the lines of evidence for an error in the form in which they are stored."""
    return tuple(reason.why for reason in opinion.reasons)


@dataclass(frozen=True, kw_only=True)
class RepeatSettings:
    """Settings for repeated requests to sampled systems."""

    repeat: int = setting(
        1,
        "Ask sampled systems this many times. Intervals then include what changes by chance.",
        metavar="K",
        least=1,
        most=50,
    )

    def parameters(self) -> dict[str, Any]:
        """The settings as parameters; empty if each system is asked once."""
        saved: dict[str, Any] = super().parameters()  # type: ignore[misc]
        return saved if self.repeat > 1 else {key: value for key, value in saved.items() if key != "repeat"}


def answer_tables(view: RunView) -> list[Table]:
    """Tables that help to choose a system, and tables of repetitions; empty if the answers are only texts."""
    outputs = view.run.outputs.values()
    if not view.run.result.basis.get("systems") and not any(o.meta for answers in outputs for o in answers):
        return []
    from mtassay.methods.choice import choice_tables
    from mtassay.methods.repeats import repeat_tables

    return [*choice_tables(view), *repeat_tables(view.run)]
