"""What a judge says of outputs that people are asked about: a run itself, a detector of it, or a metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mtassay.core import Question, Run, Tools
from mtassay.errors import UsageError
from mtassay.meta.measurement import score_outputs
from mtassay.method import method_of
from mtassay.metrics.base import Metric
from mtassay.reviews.campaigns import RIGHT
from mtassay.reviews.queue import Pending, subjects_in

__all__ = ["OWN_VERDICTS", "JudgeVerdicts", "detector_names", "metric_verdicts", "verdicts_of_runs"]

OWN_VERDICTS = "run"
"""The judge that is the run itself: what it settled without people."""


@dataclass(frozen=True, slots=True)
class JudgeVerdicts:
    """Verdict and score, where there is one, by subject; of scores, low ones may mean an error."""

    by_subject: Mapping[str, tuple[str, float | None]] = field(default_factory=dict)
    low_is_error: bool = False


def wrong_answer(question: Question) -> str:
    """The answer that stands for any error; a `UsageError` where nothing is right or wrong."""
    answers = list(question.keys.values())
    if RIGHT not in answers or len(answers) < 2:
        raise UsageError(f"A judge says right or wrong, and '{question.name}' asks something else.")
    return next(answer for answer in answers if answer != RIGHT)


def detector_names(runs: Sequence[Run]) -> list[str]:
    """The detectors of these runs."""
    return list(dict.fromkeys(flags.detector for run in runs for flags in method_of(run).flags(run)))


def verdicts_of_runs(runs: Sequence[Run], judge: str, question: Question) -> JudgeVerdicts:
    """What these runs settled by themselves (`run`), or what one of their detectors says."""
    wrong = wrong_answer(question)
    verdicts: dict[str, tuple[str, float | None]] = {}
    for run in runs:
        method, subjects = method_of(run), subjects_in(run)
        said: dict[tuple[str, str], tuple[str, float | None]] = {}
        if judge == OWN_VERDICTS:
            said = {(claim.segment_id, claim.system): (claim.status, None) for claim in method.decided(run)}
        for flags in method.flags(run):
            if flags.detector != judge:
                continue
            passed = {
                (finding.case_id, finding.system)
                for finding in run.findings
                if finding.detector == judge and finding.verdict == "pass"
            }
            for pair in passed | flags.scores.keys() | flags.flagged:
                verdict = wrong if pair in flags.flagged else RIGHT
                said[method.reviewed(run, pair[0]), pair[1]] = (verdict, flags.scores.get(pair))
        verdicts |= {subjects[pair].id: entry for pair, entry in said.items() if pair in subjects}
    return JudgeVerdicts(verdicts)


def metric_verdicts(
    name: str, metric: Metric, entries: Sequence[Pending], question: Question, tools: Tools, threshold: float
) -> JudgeVerdicts:
    """A metric, such as a language model, asked about each output; what it does not rate has no verdict."""
    wrong = wrong_answer(question)
    texts = [entry.subject.outputs[-1] for entry in entries]
    scores = score_outputs(name, metric, [entry.segment for entry in entries], texts, tools)
    return JudgeVerdicts(
        {
            entry.subject.id: (wrong if score < threshold else RIGHT, float(score))
            for entry, score in zip(entries, scores, strict=True)
            if score == score  # nan is unrated
        },
        low_is_error=True,
    )
