"""A language model as infiller, the way of Wu, Liu, Yeung (2023), section 3.1: it fills both sides at once.

One request has one masked pair, and its reply is read against that pair alone. Where a reply is not what
was asked for, the model is told what was wrong and asked again, some times; then the reply is kept with the
reason.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from mtassay.core import Output, Request
from mtassay.errors import UsageError
from mtassay.methods.behavior import validating
from mtassay.methods.behavior.infill.base import Filled, Infiller, Masked, Rejected
from mtassay.methods.behavior.infill.conversations import Ask, ChatSystem, Conversations, ask_in_turn
from mtassay.methods.behavior.infill.gaps import adapted_changes, exact_changes, is_left
from mtassay.methods.behavior.infill.prompts import messages
from mtassay.methods.behavior.infill.replies import Sentences, read_reply, unquoted
from mtassay.methods.behavior.nouns import apply_changes

__all__ = ["LLMInfiller", "fit"]


class LLMInfiller(Infiller):
    """Fills masked pairs with a chat model.

    `ask` makes the calls. `tries` is how often one pair is asked at most, `adapted` the share of the
    reference's other words that the model may change, 0 to 1. `as_json` asks for JSON, else for the labels of
    the paper; `example` shows a pair that was filled.
    """

    name = "llm"

    def __init__(
        self,
        model: ChatSystem,
        *,
        ask: Ask = ask_in_turn,
        tries: int = 3,
        adapted: float = 0.5,
        as_json: bool = True,
        example: bool = True,
    ) -> None:
        if tries < 1 or not 0 <= adapted <= 1:
            raise UsageError("llm: tries must be 1 or more, and adapted from 0 to 1.")
        self.pair = model.pair
        self._system = Conversations(name=model.name, pair=model.pair, model=model, as_json=as_json)
        self._ask, self._tries, self._adapted, self._example = ask, tries, adapted, example

    @property
    def signature(self) -> str:
        """The model's, and what decides which replies are taken."""
        return f"{self._system.signature}|tries:{self._tries}|adapted:{self._adapted:g}"

    def fill(self, masked: Sequence[Masked]) -> list[Filled | Rejected]:
        """One answer for each masked pair, in order.

        A reason is one of those of `validating`, `reply not understood`, `reference adapted too much`, or
        `no reply`, where `Rejected.reply` is the service's error.
        """
        found: dict[int, Filled | Rejected] = {}
        waiting: dict[int, list[str]] = {i: [] for i in range(len(masked))}
        for count in range(1, self._tries + 1):
            requests = [self._request(i, masked[i], told) for i, told in waiting.items()]
            outputs = self._ask(self._system, requests)
            again: dict[int, list[str]] = {}
            for request, output in zip(requests, outputs, strict=True):
                assert output.id == request.id
                i = int(request.id)
                found[i] = answer = self._answer(masked[i], output)
                if isinstance(answer, Filled):
                    answer.facts["tries"] = count
                elif output.text is not None:
                    what = validating.told(answer.reason, masked[i], self.pair)
                    again[i] = [*waiting[i], what]
            waiting = again
            if not waiting:
                break
        return [found[i] for i in range(len(masked))]

    def _request(self, i: int, masked: Masked, objections: Sequence[str]) -> Request:
        conversation = messages(
            masked,
            self.pair,
            as_json=self._system.as_json,
            example=self._example,
            objections=objections,
        )
        return Request(str(i), json.dumps(conversation), f"{masked.number}/{len(objections)}")

    def _answer(self, masked: Masked, output: Output) -> Filled | Rejected:
        if output.text is None:
            return Rejected(masked, "no reply", output.error or "")
        sentences = read_reply(output.text, self.pair)
        if sentences is None:
            return Rejected(masked, "reply not understood", output.text)
        filled = fit(masked, sentences, adapted=self._adapted)
        if isinstance(filled, str):
            return Rejected(masked, filled, output.text)
        why = validating.objection(filled, pair=self.pair)
        if why is not None:
            return Rejected(masked, why, output.text)
        if output.meta.get("model"):
            filled.facts["model"] = output.meta["model"]
        return filled


def fit(masked: Masked, sentences: Sentences, *, adapted: float) -> Filled | str:
    """The filled pair that two sentences make of a masked one, or the reason why they make none."""
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
    edited = apply_changes(source, changes)
    text = sentences.reference
    exact = exact_changes(reference, reference_places, text)
    if exact is None and (text := unquoted(text)) != sentences.reference:
        exact = exact_changes(reference, reference_places, text)
    if exact is not None:
        return Filled(masked, edited, apply_changes(reference, exact), changes, exact, {"adapted": 0.0})
    found = adapted_changes(reference, reference_places, text)
    if found.share > adapted or adapted == 0:
        return "reference adapted too much"
    return Filled(masked, edited, text, changes, found.changes, {"adapted": round(found.share, 3)})
