"""Texts with sentences before them: asked as one text, judged in its last sentence, and asked alone too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mtassay.data.display import Table
from mtassay.data.nouns import Output, Request, Run
from mtassay.methods.repeats import AGAIN, texts_of
from mtassay.stats.proportions import change_interval
from mtassay.systems.live import Ask

ALONE = "alone"


def ask_in_context(requests: Sequence[Request], ask: Ask) -> list[Output]:
    """One output per request, in order.

    A text with context is sent together with it, so that every engine can use it; of the answer, so many of
    the last sentences count as the text has. `meta` keeps the whole answer, and what was answered to the
    text alone.
    """
    inside = [place for place, request in enumerate(requests) if request.context]
    if not inside:
        return list(ask(requests))
    from mtassay.nlp.sentence_alignment import split_sentences  # loads slow expressions

    def last(text: str | None, n: int) -> str | None:
        return None if text is None else " ".join(split_sentences(text)[-n:])

    asked = [r._replace(text=f"{r.context} {r.text}", context=None) if r.context else r for r in requests]
    answers = ask([*asked, *(requests[place]._replace(context=None) for place in inside)])
    for place, alone in zip(inside, answers[len(requests) :], strict=True):
        whole = answers[place]
        n = len(split_sentences(requests[place].text or ""))
        meta = {**whole.meta, "whole": whole.text, ALONE: texts_of(alone)}
        if AGAIN in meta:
            meta[AGAIN] = [last(text, n) for text in meta[AGAIN]]
        answers[place] = whole._replace(text=last(whole.text, n), meta=meta)
    return answers[: len(requests)]


def context_table(run: Run) -> Table | None:
    """What context brings to each system: how many items it gets right with and without it."""
    rows = []
    counted: Mapping[str, Mapping[str, float]] = run.result.basis.get("context", {})
    for system, c in counted.items():
        n, brought = c["n"], 100 * (c["gained"] - c["lost"]) / c["n"]
        low, high = map(float, change_interval([c["gained"]], [c["lost"]], [n]))
        told = f"{brought:+.1f} [{100 * low:+.1f} to {100 * high:+.1f}]"
        rows.append([system, f"{n:,}", f"{100 * c['right'] / n:.1f}", f"{100 * c['alone'] / n:.1f}", told])
    header = ["System", "items", "in context, %", "alone, %", "context brings"]
    return Table(header, rows, title="What context brings") if rows else None
