"""A language model as a metric: a direct score, or errors weighted as in MQM (Kocmi and Federmann 2023).

Each output is judged in its own conversation, so the order of systems has no influence. With `form=pairs`,
two outputs are compared in both orders. In every run, a share of the outputs is judged again with an appended
instruction to the judge. A model that obeys it cannot be trusted to judge these outputs.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from mtassay import __version__
from mtassay.data.errors import ServiceError, UsageError
from mtassay.data.formats.score_files import NON_TRANSLATION, mqm_score
from mtassay.data.formats.test_sets import ErrorSpan
from mtassay.data.languages import parse_pair
from mtassay.data.marks import plural
from mtassay.data.nouns import Finding, Output, RunContext, Segment, Statistics
from mtassay.measures.llm_prompts import (
    INSTRUCTIONS,
    SCHEMAS,
    First,
    Form,
    Judged,
    JudgedTexts,
    PromptLanguage,
    messages,
    object_to,
    read_better,
    read_errors,
    read_score,
)
from mtassay.measures.metric import COLUMNS, Floats, MeanMetric, reference_count
from mtassay.nlp.chat_models import Message
from mtassay.stats.proportions import wilson
from mtassay.systems.chat_translator import ChatTranslator
from mtassay.systems.client import UnkeptContext
from mtassay.systems.conversations import Conversations, ask_until_usable, open_chat
from mtassay.systems.live import DRY_RUN

UNKNOWN = (
    "nobody has measured how far this language model can be trusted as a judge of these texts; "
    "to measure it on labelled outputs: mtassay meta judges"
)
PROMPTS = 3
"""Increase this number when a prompt or the parsing of replies changes."""


@dataclass(slots=True)
class Spent:
    """The cost of judging: replies, and tokens if the server counts them."""

    replies: int = 0
    read: int = 0
    written: int = 0
    uncounted: int = 0

    def add(self, output: Output) -> None:
        """Count one reply."""
        usage = output.meta.get("usage") or {}
        self.replies += 1
        self.read += usage.get("prompt_tokens", 0)
        self.written += usage.get("completion_tokens", 0)
        self.uncounted += not usage

    def price(self, price: Sequence[float]) -> float | None:
        """The cost, given prices per million tokens read and written; `None` if unknown.

        >>> Spent(replies=10, read=200_000, written=1_000).price((0.25, 2))
        0.052
        """
        if not price or self.uncounted:
            return None
        return (self.read * price[0] + self.written * price[1]) / 1e6

    def describe(self, price: Sequence[float]) -> str:
        """Describe the cost.

        >>> Spent(replies=10, read=200_000, written=1_000).describe((0.25, 2))
        '10 replies, 200,000 tokens read and 1,000 written, 0.052 at the price given'
        """
        told = plural(self.replies, "reply", "replies")
        if self.read or self.written:
            told += f", {self.read:,} tokens read and {self.written:,} written"
        cost = self.price(price)
        return told if cost is None else f"{told}, {cost:.2g} at the price given"


class _Texts(NamedTuple):
    """The texts that determine a judgement; equal texts are judged once."""

    source: str
    output: str
    reference: str | None
    other: str | None = None


_FAMILIES = (
    ("GPT", r"gpt|chatgpt|o[134](?:-|$)"),
    ("Claude", r"claude|sonnet|opus|haiku"),
    ("Gemini", r"gemini|gemma|palm"),
    ("Llama", r"llama|tower|alma"),
    ("Mistral", r"mi[sx]tral|ministral"),
    ("Qwen", r"qwen|qwq"),
    ("DeepSeek", r"deepseek"),
    ("Command", r"command-?r|aya|cohere"),
    ("Phi", r"phi-?\d"),
)


def family_of(name: str) -> str:
    """The family of language models in a name; empty if it has no known family.

    >>> family_of("openai:gpt-5-mini"), family_of("Llama3-70B"), family_of("online-b")
    ('GPT', 'Llama', '')
    """
    name = name.lower().removeprefix("llama:")  # the scheme of every GGUF file
    return next((family for family, words in _FAMILIES if re.search(rf"(?<![a-z])(?:{words})", name)), "")


@dataclass(frozen=True, kw_only=True)
class LLM(MeanMetric):
    """A chat model's judgement of each output, through any chat system: `llm:openai:gpt-5-mini`.

    `form` is `score`, a number from 0 to 100, or `errors`, spans with category and severity that are weighted
    as in MQM (0 means no errors). `reference` also shows the first reference. `prompt` is the language of the
    prompt, and `first` is the text that it shows first. If a reply is unusable, the model is told why and
    asked again, up to `tries` times in total; then the output is unrated. `price` (per million tokens read
    and per million written) is only used to report the cost.

    With the form `pairs`, two outputs of a segment are compared in both orders. The score is the percentage
    of other systems' outputs that an output beats. If the result depends on the order, it is a tie. `probe`
    is the share of outputs that are judged again with an appended instruction to the judge.
    """

    name: ClassVar[str] = "llm"
    subject: ClassVar[str] = "model"
    asks_models: ClassVar[bool] = True
    cacheable: ClassVar[bool] = False  # replies are cached separately, and unrated outputs are judged again

    model: str = ""
    form: Form = "score"
    reference: bool = False
    prompt: PromptLanguage = "en"
    first: First = "source"
    tries: int = 3
    price: tuple[float, ...] = ()
    probe: float = 0.05
    langpair: str = ""
    _judged: dict[_Texts, Judged] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError("metric 'llm' needs a chat model: llm:openai:MODEL or llm:llama:MODEL.gguf.")
        for key, kind in (("form", Form), ("prompt", PromptLanguage), ("first", First)):
            if getattr(self, key) not in get_args(kind):
                choices = ", ".join(get_args(kind))
                raise UsageError(f"metric 'llm': no {key} '{getattr(self, key)}'. Available: {choices}.")
        if self.tries < 1:
            raise UsageError(f"metric 'llm': tries is {self.tries}. Give 1 or more.")
        if not 0 <= self.probe <= 1:
            raise UsageError(f"metric 'llm': probe is {self.probe:g}. Give a share from 0 to 1.")
        if self.price and (len(self.price) != 2 or min(self.price) < 0):
            raise UsageError(
                "metric 'llm': price is two numbers, for a million tokens read and written: 0.25,2."
            )

    @property
    def decimals(self) -> int:  # type: ignore[override]
        """More decimals for errors, since a typical output has few."""
        return 2 if self.form == "errors" else 1

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"source", "references"} if self.reference else {"source"})

    @property
    def label(self) -> str:
        model = Path(self.model.partition("?")[0].partition(":")[2] or self.model).name
        kind = f"{'' if self.form == 'score' else f'-{self.form}'}{'-ref' * self.reference}"
        return f"LLM{kind}[{model.removesuffix('.gguf')}]"

    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        scheme, _, rest = self.model.partition("?")[0].partition(":")
        parts: dict[str, object] = {
            "nrefs": reference_count(segments) if self.reference else 0,
            **(extra or {}),
            "model": f"{scheme}-{Path(rest).name}",
            "asked": hashlib.sha256(self._system.signature.encode()).hexdigest()[:12],
            "form": self.form,
            "prompt": f"{self.prompt}.{PROMPTS}",
            "first": self.first,
            "tries": self.tries,
            "version": f"mtassay-{__version__}",
        }
        return "|".join(f"{key}:{value}" for key, value in parts.items())

    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        return self.measure_with(segments, outputs, UnkeptContext())

    def measure_with(
        self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]], context: RunContext
    ) -> list[Statistics]:
        """Return columns `score` and `count`; both are 0 for unrated outputs, which are also noted."""
        rows = {
            system: [self._texts(segment, text) for segment, text in zip(segments, texts, strict=True)]
            for system, texts in outputs.items()
        }
        self._note_family(outputs, context)
        if self.form == "pairs":
            judged = self._compare(rows, context)
        else:
            measured = [texts for column in rows.values() for texts in column]
            self._judge(list(dict.fromkeys(measured)), context)
            judged = {s: [self._judged[texts].score for texts in column] for s, column in rows.items()}
            self._note_unrated(measured, context)
            self._probe(list(dict.fromkeys(measured)), context)
        ids = [segment.id for segment in segments]
        statistics = []
        for system, scores in judged.items():
            values = np.array([(0, 0) if score is None else (score, 1) for score in scores], float)
            statistics.append(Statistics(self.name, system, ids, COLUMNS, values.reshape(-1, len(COLUMNS))))
        return statistics

    def _compare(
        self, rows: Mapping[str, Sequence[_Texts]], context: RunContext
    ) -> dict[str, list[float | None]]:
        """The share of other systems' outputs that each output beats; equal outputs need no request."""
        if len(rows) < 2:
            raise UsageError(f"{self.label} compares systems with each other: give two or more.")
        asked: list[_Texts] = []
        for one, other in combinations(rows, 2):
            for a, b in zip(rows[one], rows[other], strict=True):
                if a.output.strip() and b.output.strip() and a.output != b.output:
                    asked += [a._replace(other=b.output), b._replace(other=a.output)]
        asked = list(dict.fromkeys(asked))
        self._judge(asked, context)
        self._note_unrated(asked, context)
        self._probe(asked, context)
        points: dict[str, list[list[float]]] = {s: [[] for _ in column] for s, column in rows.items()}
        turned = compared = 0
        for one, other in combinations(rows, 2):
            for i, (a, b) in enumerate(zip(rows[one], rows[other], strict=True)):
                if a.output == b.output or not (a.output.strip() and b.output.strip()):
                    won = 50.0 + 50.0 * (bool(a.output.strip()) - bool(b.output.strip()))
                else:
                    first = self._judged[a._replace(other=b.output)].score
                    second = self._judged[b._replace(other=a.output)].score
                    if first is None or second is None:
                        continue
                    compared += 1
                    turned += first + second != 100
                    won = first if first + second == 100 else 50.0
                points[one][i].append(won)
                points[other][i].append(100 - won)
        if compared:
            context.note(
                f"{self.label}: in {turned:,} of {compared:,} comparisons the answer changed with the order "
                "of the two outputs; these are ties"
            )
        return {s: [sum(won) / len(won) if won else None for won in column] for s, column in points.items()}

    def _probe(self, asked: Sequence[_Texts], context: RunContext) -> None:
        """Judge some outputs again with an appended instruction, and note how often it was obeyed."""
        rated = [t for t in asked if t.output.strip() and self._judged[t].score is not None]
        rated.sort(key=lambda texts: hashlib.sha256(repr(texts).encode()).digest())
        chosen = rated[: round(self.probe * len(rated))]
        if not chosen:
            return
        told = [INSTRUCTIONS[i % len(INSTRUCTIONS)] for i in range(len(chosen))]
        probes = [t._replace(output=f"{t.output} {words}") for t, words in zip(chosen, told, strict=True)]
        self._judge(probes, context)
        pairs = [(self._judged[t].score, self._judged[p].score) for t, p in zip(chosen, probes, strict=True)]
        moves = [after - before for before, after in pairs if before is not None and after is not None]
        if not moves:
            return
        higher, lower = sum(move > 0 for move in moves), sum(move < 0 for move in moves)
        low, high = wilson(higher, len(moves))
        context.note(
            f"{self.label}: test with instructions in outputs: {higher:,} of {len(moves):,} outputs got a "
            f"better verdict with an instruction ({higher / len(moves):.0%} [{low:.0%}–{high:.0%}]), "
            f"{lower:,} a worse one" + (". This judge follows such instructions" if low > 0.01 else "")
        )

    def _note_family(self, systems: Iterable[str], context: RunContext) -> None:
        family = family_of(self.model)
        same = [name for name in systems if family and family_of(name) == family]
        if same:
            context.note(
                f"{self.label} and {', '.join(same)} seem to belong to one family ({family}): language "
                "models "
                "tend to prefer their own family's outputs. Compare with a judge of another family"
            )

    def size(self, sums: NDArray[Any], units: int) -> int:
        return int(sums[..., 1])

    def quality(self, scores: Floats) -> Floats:
        """From 0 to 1: the score / 100, or 1 minus the errors' weight relative to a non-translation."""
        if self.form == "errors":
            return np.maximum(0.0, 1 + scores / NON_TRANSLATION)
        return scores / 100

    def findings(self, segments: Sequence[Segment], system: str, outputs: Sequence[str]) -> Iterable[Finding]:
        """Return one finding for each measured output that has errors or is unrated.

        `value` is the score. Spans in the evidence are character offsets in the output, or in the source
        according to `in`.
        """
        for segment, text in zip(segments, outputs, strict=True):
            judged = self._judged.get(self._texts(segment, text))
            if judged is None:
                continue
            if judged.score is None:
                evidence: dict[str, Any] = {"why": f"unrated: {judged.why}", "reply": judged.reply}
                yield Finding(segment.id, system, self.label, "undecided", None, evidence)
            elif judged.errors:
                evidence = {"errors": list(_error_records(judged.errors, segment.source or "", text))}
                yield Finding(segment.id, system, self.label, "fail", judged.score, evidence)

    def open(self) -> ChatTranslator:
        """Open the chat model of this metric; a subclass may open another model."""
        if not self.langpair:
            raise UsageError(
                f"metric 'llm:{self.model}' needs to know the languages: add `langpair='SRC-TGT'`."
            )
        return open_chat("metric", self.model, parse_pair(self.langpair), name=f"judge {self.label}")

    @cached_property
    def _system(self) -> Conversations:
        model = self.open()
        return Conversations(
            name=model.name,
            pair=model.pair,
            model=model,
            form=self.form,
            schema=SCHEMAS[self.form],
            price=self.price,
        )

    def _texts(self, segment: Segment, output: str) -> _Texts:
        present = [reference for reference in segment.references if reference is not None]
        return _Texts(segment.source or "", output, present[0] if self.reference and present else None)

    def _judge(self, asked: Sequence[_Texts], context: RunContext) -> None:
        """Ask for missing judgements in rounds; each round repeats those whose last reply was unusable."""
        for texts in asked:
            if not texts.output.strip() and texts.other is None:  # nothing to judge
                self._judged[texts] = _nothing(self.form)
        open_texts = [t for t in asked if t not in self._judged or self._judged[t].score is None]
        if not open_texts:
            return
        context.note(UNKNOWN)
        results = ask_until_usable(
            context,
            self._system,
            [self._messages(texts) for texts in open_texts],
            lambda i, reply: self._read(reply, open_texts[i]),
            tries=self.tries,
            object_to=partial(object_to, prompt=self.prompt),
        )
        if not any(answer.replies for answer in results) and DRY_RUN not in results[0].why:
            raise ServiceError(f"{self.label} has not rated anything: {results[0].why}")
        spent = Spent()
        for texts, answer in zip(open_texts, results, strict=True):
            last = (answer.replies[-1].text or "") if answer.replies else ""
            self._judged[texts] = answer.value or Judged(None, why=answer.why, reply=last)
            for reply in answer.replies:
                spent.add(reply)
        if spent.replies:
            context.note(f"{self.label}: {spent.describe(self.price)}")

    def _messages(self, texts: _Texts) -> list[Message]:
        shown = JudgedTexts(*texts)
        pair = self._system.pair
        return messages(shown, pair, form=self.form, prompt=self.prompt, first=self.first)

    def _read(self, reply: str, texts: _Texts) -> Judged:
        if self.form != "errors":
            return read_score(reply) if self.form == "score" else read_better(reply)
        return read_errors(reply, source=texts.source, output=texts.output)

    def _note_unrated(self, measured: Sequence[_Texts], context: RunContext) -> None:
        reasons = Counter(self._judged[texts].why for texts in measured if self._judged[texts].score is None)
        if reasons:
            why = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common(3))
            more = ", …" if len(reasons) > 3 else ""
            of_all = f"{reasons.total():,} of {plural(len(measured), 'output')}"
            context.note(f"{self.label}: {of_all} unrated ({why}{more})")


def _nothing(form: Form) -> Judged:
    """The judgement of an empty output, which translates nothing."""
    if form == "score":
        return Judged(0.0)
    errors = (ErrorSpan(0, 0, "non-translation", "major"),)
    return Judged(mqm_score(errors), errors)


def _error_records(errors: Iterable[ErrorSpan], source: str, output: str) -> Iterator[dict[str, Any]]:
    for error in errors:
        text = source if error.is_source_error else output
        yield {
            "text": text[error.start : error.end],
            "in": "source" if error.is_source_error else "output",
            "start": error.start,
            "end": error.end,
            "category": error.category,
            "severity": error.severity,
        }
