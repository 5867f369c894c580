"""A language model as infiller, as in Wu, Liu, Yeung (2023), section 3.1: it fills both sides at once.

Each request has one masked pair, and the reply is compared only with this pair. After an unusable reply, the
model is asked again and told the fault, up to a limit. Then the last reply is kept with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mtassay.data.errors import UsageError
from mtassay.data.languages import Pair
from mtassay.data.nouns import Output, Request, RunContext, apply_edits
from mtassay.methods.behavior.infill_prompts import (
    SCHEMA,
    Sentences,
    adapted_changes,
    exact_changes,
    is_left,
    messages,
    read_reply,
    unquoted,
)
from mtassay.methods.behavior.infiller import Filled, Infiller, Masked, Rejected
from mtassay.methods.behavior.objections import objection, told
from mtassay.systems.chat_translator import ChatTranslator
from mtassay.systems.conversations import Conversations, conversation, open_chat


class LLMInfiller(Infiller):
    """Fills masked pairs with a chat model.

    `context.ask` makes the calls. `tries` is the largest number of requests for one pair. `adapted` is the
    share (0 to 1) of the unmasked words of the reference that the model may change.
    """

    name = "llm"
    argument = "SYSTEM"

    @classmethod
    def open(cls, pair: Pair, rest: str, context: RunContext) -> LLMInfiller:
        """Open a chat model from `SYSTEM?key=value&…`; the infiller reads `tries` and `adapted` itself."""
        system, own = _own_options(rest)
        return cls(open_chat("infiller", system, pair), context, **own)

    def __init__(
        self, model: ChatTranslator, context: RunContext, *, tries: int = 3, adapted: float = 0.5
    ) -> None:
        if tries < 1 or not 0 <= adapted <= 1:
            raise UsageError("llm: tries must be 1 or more, and adapted from 0 to 1.")
        self.pair = model.pair
        self._system = Conversations(
            name=model.name, pair=model.pair, model=model, form="json", schema=SCHEMA
        )
        self._tools, self._tries, self._adapted = context, tries, adapted

    @property
    def signature(self) -> str:
        """The model's signature, and the settings that decide which replies are accepted."""
        return f"{self._system.signature}|tries:{self._tries}|adapted:{self._adapted:g}"

    def fill(self, masked: Sequence[Masked]) -> list[Filled | Rejected]:
        """Return one answer for each masked pair, in order.

        The reason of a rejection is one of `objections`, `reply not understood`, `reference adapted too much`
        or `no reply`. For `no reply`, `Rejected.reply` is the error of the service.
        """
        answers: dict[int, Filled | Rejected] = {}
        waiting: dict[int, list[str]] = {i: [] for i in range(len(masked))}
        for count in range(1, self._tries + 1):
            requests = [self._request(i, masked[i], complaints) for i, complaints in waiting.items()]
            outputs = self._tools.ask(self._system, requests)
            again: dict[int, list[str]] = {}
            for request, output in zip(requests, outputs, strict=True):
                assert output.id == request.id
                i = int(request.id)
                answers[i] = answer = self._answer(masked[i], output)
                if isinstance(answer, Filled):
                    answer.facts["tries"] = count
                elif output.text is not None:
                    complaint = told(answer.reason, masked[i], self.pair)
                    again[i] = [*waiting[i], complaint]
            waiting = again
            if not waiting:
                break
        return [answers[i] for i in range(len(masked))]

    def _request(self, i: int, masked: Masked, objections: Sequence[str]) -> Request:
        asked = messages(masked, self.pair, objections=objections)
        return conversation(str(i), asked, sample=masked.number, again=len(objections))

    def _answer(self, masked: Masked, output: Output) -> Filled | Rejected:
        if output.text is None:
            return Rejected(masked, "no reply", output.error or "")
        sentences = read_reply(output.text)
        if sentences is None:
            return Rejected(masked, "reply not understood", output.text)
        filled = fit(masked, sentences, adapted=self._adapted)
        if isinstance(filled, str):
            return Rejected(masked, filled, output.text)
        why = objection(filled, pair=self.pair)
        if why is not None:
            return Rejected(masked, why, output.text)
        if output.meta.get("model"):
            filled.facts["model"] = output.meta["model"]
        return filled


def fit(masked: Masked, sentences: Sentences, *, adapted: float) -> Filled | str:
    """Return the filled pair made from the two sentences of a reply, or the reason why they do not fit."""
    source, reference = masked.pair.source.text, masked.pair.reference.text
    if is_left(sentences.source, before=source) or is_left(sentences.reference, before=reference):
        return "mask left"
    places = sorted((span.start, span.end) for span in masked.spans)
    reference_places = sorted((span.reference_start, span.reference_end) for span in masked.spans)
    changes = exact_changes(source, places, sentences.source)
    if changes is None:
        changes = exact_changes(source, places, unquoted(sentences.source))
    if changes is None:
        return "source changed elsewhere"
    edited = apply_edits(source, changes)
    text = sentences.reference
    exact = exact_changes(reference, reference_places, text)
    if exact is None and (text := unquoted(text)) != sentences.reference:
        exact = exact_changes(reference, reference_places, text)
    if exact is not None:
        return Filled(masked, edited, apply_edits(reference, exact), changes, exact, {"adapted": 0.0})
    adaptation = adapted_changes(reference, reference_places, text)
    if adaptation.share > adapted or adapted == 0:
        return "reference adapted too much"
    return Filled(masked, edited, text, changes, adaptation.changes, {"adapted": round(adaptation.share, 3)})


def _own_options(text: str) -> tuple[str, dict[str, Any]]:
    """Split the system's text from the infiller's own options.

    >>> _own_options("openai:m?url=http://localhost/v1&adapted=0.2")
    ('openai:m?url=http://localhost/v1', {'adapted': 0.2})
    """
    head, _, settings = text.partition("?")
    kinds = {"tries": (int, "a whole number"), "adapted": (float, "a number")}
    own: dict[str, Any] = {}
    left = []
    for setting in filter(None, settings.split("&")):
        key, _, value = setting.partition("=")
        if key not in kinds:
            left.append(setting)
            continue
        kind, what = kinds[key]
        try:
            own[key] = kind(value)
        except ValueError:
            raise UsageError(f"llm: {key} is '{value}'. It must be {what}.") from None
    return (f"{head}?{'&'.join(left)}" if left else head), own
