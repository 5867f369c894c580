"""What a wrong output should have been, who says so, and where such corrections come from.

An output is wrong where the reviews of it come to an error. Its correction is, in this order, one that
somebody gave, a line `fix: …` in a reviewer's note, or what a stronger engine says, marked as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from mtassay.data.display import Table
from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.review_files import read_reviews
from mtassay.data.formats.segment_files import read_stream
from mtassay.data.formats.textfiles import FilePath
from mtassay.data.languages import Pair
from mtassay.data.nouns import UNSURE, Comparison, Output, Request, Result, Review, RunContext, Score, Segment
from mtassay.data.questions import find_question
from mtassay.data.settings import is_live
from mtassay.data.subjects import Decision, Subject, decide
from mtassay.measures.bleu import BLEU
from mtassay.methods.engine import EngineContext
from mtassay.runtime.workspace import Workspace
from mtassay.stats.proportions import wilson
from mtassay.stats.resampling import bootstrap_scores, interval, paired_bootstrap
from mtassay.systems.roster import name_and_rest, open_system

CORRECT = "correct"
"""The answer that finds no error; a question without it says nothing about errors."""

ENGINE = "engine "
"""What the name of an engine is behind, so that nobody takes its translation for a person's."""

_FIX = re.compile(r"^\s*fix\s*:\s*(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)


class WrongOutput(NamedTuple):
    """An output that people decided is wrong; `error` is the kind of error they found in it."""

    id: str
    source: str
    output: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Correction:
    """A wrong output and what it should have been.

    `by` is the name of a person, or "engine NAME". `error` is the kind of error, empty where nobody said.
    """

    id: str
    source: str
    output: str
    correction: str
    by: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The wrong outputs among those reviewed, in the order of their first review, and what reviewers wrote.

    `fixes` are the corrections in their notes. Of the rest, `right` outputs are correct, and for `unsettled`
    ones reviewers disagree or are unsure.
    """

    wrong: list[WrongOutput]
    fixes: list[Correction]
    right: int = 0
    unsettled: int = 0


@dataclass(frozen=True, slots=True)
class Corrected:
    """One correction for each wrong output that has one, in their order.

    `without` are those that have none; for `same` ones every proposal is the wrong output itself.
    """

    corrections: list[Correction]
    without: list[WrongOutput]
    same: list[WrongOutput]


@dataclass(frozen=True, slots=True)
class Gathered:
    """All corrections that could be found, and what they were found from.

    `wrong` are the outputs that reviews confirm, then those that somebody corrected without a review.
    `outputs` are those of a stronger engine that was asked, by its name, with what it did not translate.
    """

    confirmed: Confirmed
    wrong: list[WrongOutput]
    corrected: Corrected
    outputs: Mapping[str, Sequence[Output]]

    @property
    def corrections(self) -> list[Correction]:
        """One for each wrong output that has one."""
        return self.corrected.corrections

    @property
    def left(self) -> list[WrongOutput]:
        """What has no correction."""
        return [*self.corrected.without, *self.corrected.same]

    @property
    def is_whole(self) -> bool:
        """Whether the stronger engine, if there is one, translated everything it was asked for."""
        return all(output.error is None for outputs in self.outputs.values() for output in outputs)


def gather(
    reviews: FilePath | Workspace | None,
    *,
    question: str,
    corrections: Sequence[Correction] = (),
    stronger: str | None = None,
    pair: Pair | None = None,
    context: RunContext | None = None,
) -> Gathered:
    """Corrections of what reviews, in a file or a workspace, confirm to be wrong.

    `question` is the one that the reviews answer, `corrections` are those that come first. `stronger` names
    an engine as `NAME=scheme:rest`, or a file of its outputs; it is for outputs that nobody has corrected.
    `context` ask the engine: those of a workspace ask for nothing twice.

    >>> fix = Correction("1", "Hi.", "Alô.", "Olá.", "anna")
    >>> gather(None, question="suite", corrections=[fix]).corrections
    [Correction(id='1', source='Hi.', output='Alô.', correction='Olá.', by='anna', error='')]
    """
    if CORRECT not in find_question(question).keys.values():
        raise UsageError(f"The question '{question}' does not say which outputs are {CORRECT}.")
    confirmed = _confirmed(reviews, question, is_needed=not corrections)
    # Who corrects an output says that it is wrong, so it needs no review.
    confirmed_texts = {(wrong_output.source, wrong_output.output) for wrong_output in confirmed.wrong}
    more = [c for c in corrections if (c.source, c.output) not in confirmed_texts]
    wrong = [*confirmed.wrong, *(WrongOutput(c.id, c.source, c.output, c.error) for c in more)]
    first = Gathered(confirmed, wrong, correct(wrong, corrections, confirmed.fixes), {})
    if stronger is None or not first.left:
        return first
    name, what = name_and_rest(stronger)
    outputs: dict[str, Sequence[Output]] = {}
    if is_live(what):
        helpers = context or EngineContext(None, lambda step, done, total: None)
        asked = helpers.ask(open_system(name, what, pair), [Request(e.id, e.source) for e in first.left])
        outputs = {name: asked}
        texts = {output.id: output.text for output in asked}
    else:
        texts = _stored(what, first.left, name, pair)
    proposed = by_engine(first.left, texts, name)
    return Gathered(confirmed, wrong, correct(wrong, corrections, confirmed.fixes, proposed), outputs)


def _confirmed(reviews: FilePath | Workspace | None, question: str, *, is_needed: bool) -> Confirmed:
    if reviews is None:
        return Confirmed([], [])
    if not isinstance(reviews, Workspace):
        rows = read_reviews(reviews).rows
        subjects = {row.subject.id: row.subject for row in rows}
        return confirm([row.review for row in rows], subjects, question=question)
    confirmed = confirm(reviews.reviews(question), reviews.subjects(), question=question)
    if is_needed and not confirmed.wrong:
        raise UsageError(f"No review in {reviews.path} finds an error: mtassay review next")
    return confirmed


def _stored(path: str, wrong: Sequence[WrongOutput], name: str, pair: Pair | None) -> dict[str, str | None]:
    """Outputs by id. A file of lines cannot say which is which, so it must have one line for each."""
    stream = read_stream(path, role="output", pair=pair, system=name)
    ids = stream.ids or [wrong_output.id for wrong_output in wrong]
    if len(ids) != len(stream.texts):
        what = f"{len(stream.texts)} lines for {len(ids)} wrong outputs. Give a .jsonl or .tsv file with ids"
        raise InputError(what, path=path)
    return dict(zip(ids, stream.texts, strict=True))


def confirm(reviews: Sequence[Review], subjects: Mapping[str, Subject], *, question: str) -> Confirmed:
    """What holds of the reviews that answer this question. Wrong is what was decided and is not correct.

    A correction is a line `fix: …` in the note of somebody who found an error; the newest one counts.
    """
    wrong: list[WrongOutput] = []
    fixes: list[Correction] = []
    right = unsettled = 0
    answering = [review for review in reviews if review.question == question]
    for (subject_id, _), decision in decide(answering).items():
        if decision.answer is None:
            unsettled += 1
        elif decision.answer == CORRECT:
            right += 1
        else:
            subject = subjects[subject_id]
            wrong_output = WrongOutput(
                subject.case_id, subject.sources[0] or "", subject.outputs[0], decision.answer
            )
            wrong.append(wrong_output)
            if fix := _newest_fix(decision):
                fixes.append(Correction(*wrong_output[:3], fix[0], fix[1], wrong_output.error))
    return Confirmed(wrong, fixes, right, unsettled)


def fix_in(note: str) -> str | None:
    r"""The correction that a note holds, or `None`.

    >>> fix_in("the adjective is lost\nfix: Ela comprou um vaso azul.")
    'Ela comprou um vaso azul.'
    >>> fix_in("I would fix: nothing") is None
    True
    """
    fixes = _FIX.findall(note)
    return fixes[-1] if fixes else None


def correct(wrong: Iterable[WrongOutput], *proposals: Iterable[Correction]) -> Corrected:
    """For each wrong output the first proposal for it that is not the wrong output itself.

    A proposal is for an output with the same source and text, whatever its id.
    """
    by_texts: dict[tuple[str, str], list[Correction]] = {}
    for correction in (proposal for part in proposals for proposal in part):
        by_texts.setdefault((correction.source, correction.output), []).append(correction)
    corrected = Corrected([], [], [])
    for wrong_output in wrong:
        candidates = by_texts.get((wrong_output.source, wrong_output.output), [])
        real = [c for c in candidates if _plain(c.correction) != _plain(wrong_output.output)]
        if real:
            best = real[0]
            corrected.corrections.append(
                Correction(*wrong_output[:3], best.correction, best.by, wrong_output.error)
            )
        else:
            (corrected.same if candidates else corrected.without).append(wrong_output)
    return corrected


def by_engine(wrong: Iterable[WrongOutput], outputs: Mapping[str, str | None], name: str) -> list[Correction]:
    """What a stronger engine makes of the sources, by the ids of the wrong outputs, marked as such.

    A source without an output, or with a blank one, has no correction.
    """
    return [
        Correction(*wrong_output[:3], text, f"{ENGINE}{name}", wrong_output.error)
        for wrong_output in wrong
        if (text := outputs.get(wrong_output.id)) and text.strip()
    ]


def _newest_fix(decision: Decision) -> tuple[str, str] | None:
    """The correction and who wrote it."""
    for review in reversed([*decision.latest.values()]):
        if review.answer not in (CORRECT, UNSURE) and (fix := fix_in(review.note)):
            return fix, review.reviewer
    return None


def _plain(text: str) -> str:
    return " ".join(text.split())


BEFORE, AFTER = "before", "after"
_WHAT = {"equal": "equal to the correction", "changed": "changed at all"}

Outcome = Literal["fixed", "right before", "changed", "same", "failed"]
"""What became of a wrong output. Only `fixed` ones were wrong before and equal the correction now."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """A correction and what the model says before and after; `None` where it gave no translation."""

    correction: Correction
    before: str | None
    after: str | None

    @property
    def outcome(self) -> Outcome:
        """`right before`: there was nothing to fix. `changed`: other than before, and not the correction."""
        if self.before is None or self.after is None:
            return "failed"
        wanted, before, after = (
            _plain_text(t) for t in (self.correction.correction, self.before, self.after)
        )
        if after == wanted:
            return "right before" if before == wanted else "fixed"
        return "same" if after == before else "changed"


def count_outcomes(repaired: Sequence[Repaired]) -> dict[Outcome, int]:
    """How many of each outcome, the good ones first; what does not occur is 0."""
    counts: dict[Outcome, int] = {"fixed": 0, "right before": 0, "changed": 0, "same": 0, "failed": 0}
    for repair in repaired:
        counts[repair.outcome] += 1
    return counts


def errors_fixed(repaired: Sequence[Repaired]) -> list[Score]:
    """Shares of the errors, with Wilson's interval: `equal` to the correction now, `changed` since before.

    Errors are corrections that the model did not give before already; one that it could not translate counts
    as an error that was not fixed. A better translation in other words is `changed` and not `equal`.
    """
    errors = [repair for repair in repaired if repair.outcome != "right before"]
    equal = sum(repair.outcome == "fixed" for repair in errors)
    changed = sum(repair.outcome in ("fixed", "changed") for repair in errors)
    return [_share("equal", equal, len(errors)), _share("changed", changed, len(errors))]


def compare_bleu(
    segments: Sequence[Segment],
    before: Sequence[str | None],
    after: Sequence[str | None],
    *,
    language: str = "",
    samples: int = 1000,
    seed: int | None = 12345,
) -> Result:
    """BLEU of both with 95 % bootstrap intervals, and the difference with its paired bootstrap p-value.

    Only segments that both translated are compared; `counts` says how many are missing.
    """
    kept = [i for i, pair in enumerate(zip(before, after, strict=True)) if None not in pair]
    counts = {BEFORE: {"missing": before.count(None)}, AFTER: {"missing": after.count(None)}}
    chosen = [segments[i] for i in kept]
    metric = BLEU(language=language)
    signature = metric.signature(segments, extra={"bs": samples, "seed": seed})
    if not kept:
        nothing = [
            Score(metric.name, system, "all", None, 0, signature=signature) for system in (BEFORE, AFTER)
        ]
        return Result(nothing, counts=counts)
    outputs: Mapping[str, list[str]] = {
        BEFORE: [before[i] or "" for i in kept],
        AFTER: [after[i] or "" for i in kept],
    }
    values = np.stack([statistics.values for statistics in metric.measure(chosen, outputs)], axis=1)
    whole = metric.aggregate(values.sum(axis=0))
    resampled = bootstrap_scores(values, metric.aggregate, samples=samples, seed=seed)
    low, high = interval(resampled)
    scores = [
        Score(
            metric.name, system, "all", float(whole[i]), len(kept), float(low[i]), float(high[i]), signature
        )
        for i, system in enumerate(outputs)
    ]
    p = float(paired_bootstrap(whole, resampled)[0, 1])
    delta = Comparison(metric.name, "all", AFTER, BEFORE, float(whole[1] - whole[0]), p)
    return Result(scores, [delta], counts=counts)


def fixed_table(repaired: Sequence[Repaired]) -> Table:
    """How many errors are gone, as a table."""
    rows = [
        [_WHAT[score.name], _count(score), _percent(score.value), _interval(score), str(score.n)]
        for score in errors_fixed(repaired)
    ]
    counts = count_outcomes(repaired)
    notes = ["n: errors, that is corrections which the model did not give before."]
    if counts["right before"]:
        notes.append(f"Not among them: {counts['right before']:,} that were right before.")
    if counts["failed"]:
        notes.append(f"Among them: {counts['failed']:,} that the model could not translate.")
    return Table(["Outputs now", "number", "share", "95 % interval", "n"], rows, notes=notes)


def bleu_table(bleu: Result) -> Table:
    """BLEU before and after, as a table."""
    rows = []
    for score in bleu.scores:
        ends = "–" if score.low is None or score.high is None else f"{score.low:.2f} to {score.high:.2f}"
        rows.append([score.system, "–" if score.value is None else f"{score.value:.2f}", ends, str(score.n)])
    notes = [f"Δ {c.delta:+.2f}, p = {c.p:.3f} (paired bootstrap)." for c in bleu.comparisons]
    if missing := {name: count["missing"] for name, count in bleu.counts.items() if count["missing"]}:
        missing_counts = ", ".join(f"{count:,} {name}" for name, count in missing.items())
        notes.append(f"Left out, without a translation: {missing_counts}.")
    notes += [bleu.scores[0].signature]
    return Table(["Validation", "BLEU", "95 % interval", "n"], rows, notes=notes)


def _share(name: str, count: int, n: int) -> Score:
    if not n:
        return Score(name, AFTER, "errors", None, 0)
    low, high = wilson(count, n)
    return Score(name, AFTER, "errors", count / n, n, float(low), float(high))


def _plain_text(text: str) -> str:
    return " ".join(text.split())


def _count(score: Score) -> str:
    return "–" if score.value is None else str(round(score.value * score.n))


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _interval(score: Score) -> str:
    return f"{_percent(score.low)} to {_percent(score.high)}" if score.low is not None else "–"
