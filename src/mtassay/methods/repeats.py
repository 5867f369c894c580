"""Repeated requests to systems whose answers vary, to find which effects are noise.

`Output.meta["again"]` has the further answers to a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from mtassay.data.display import Table
from mtassay.data.errors import UsageError
from mtassay.data.nouns import Output, Request, Run, RunContext, Statistics, System
from mtassay.measures.metric import Metric
from mtassay.stats.proportions import change_interval
from mtassay.systems.live import Ask

AGAIN = "again"
LEAST = 5
"""Number of answers needed to show at the 5 % level that an effect on one sentence is not noise."""
_SHOWN = 3
_WIDTH = 28
_MOST_SPLITS = 2_000


def signed_repeats(repeat: int) -> dict[str, str]:
    """The entry for a signature."""
    return {"repeats": str(repeat)} if repeat > 1 else {}


def require_enough(repeat: int) -> None:
    """Raise an error if the repeats are so few that no single sentence could ever differ from noise."""
    if 1 < repeat < LEAST:
        raise UsageError(
            f"`repeat={repeat}` cannot separate findings from noise in a single sentence: "
            f"give {LEAST} or more, or 1."
        )


def ask_again(
    system: System, requests: Sequence[Request], *, context: RunContext, times: int
) -> list[Output]:
    """Return one output per request, in order; outputs of sampled systems also have further answers."""
    if times < 2 or not getattr(system, "is_sampled", False):
        return context.ask(system, requests)
    n = len(requests)
    asked = [request._replace(sample=sample) for sample in range(times) for request in requests]
    answers = context.ask(system, asked)
    return [
        first._replace(meta={**first.meta, AGAIN: [answers[i].text for i in range(n + place, times * n, n)]})
        for place, first in enumerate(answers[:n])
    ]


def texts_of(output: Output) -> list[str]:
    """All answers in order; repetitions without an answer are left out.

    >>> texts_of(Output("1", "Hallo.", meta={"again": ["Hallo.", None, "Hi."]}))
    ['Hallo.', 'Hallo.', 'Hi.']
    """
    return [text for text in (output.text, *output.meta.get(AGAIN, ())) if text is not None]


def times_asked(outputs: Mapping[str, Sequence[Output]]) -> int:
    """How often sampled systems were asked for a text; 1 if none was asked again."""
    return max((1 + len(o.meta.get(AGAIN, ())) for row in outputs.values() for o in row[:1]), default=1)


def each_time(outputs: Sequence[Output]) -> list[list[Output]]:
    """The outputs of each repetition; if a later request failed, the first answer is used."""
    times = times_asked({"": outputs})
    later = [
        [o._replace(text=o.meta[AGAIN][k] if o.meta[AGAIN][k] is not None else o.text) for o in outputs]
        for k in range(times - 1)
    ]
    return [list(outputs), *later]


# Scores -----------------------------------------------------------------------------------------------------

_MARK = "\0"


def set_apart(outputs: Mapping[str, Sequence[Output]]) -> dict[str, Sequence[Output]]:
    """Treat each repetition as a system of its own; all first answers come first."""
    later = {
        f"{name}{_MARK}{k}": row
        for name, answers in outputs.items()
        for k, row in enumerate(each_time(answers)[1:])
    }
    return {**outputs, **later}


def base_name(name: str) -> str:
    """The name of the system before it was split."""
    return name.partition(_MARK)[0]


def pool(
    measured: Sequence[Statistics], metric: Metric, times: int
) -> tuple[list[Statistics], dict[str, list[float]]]:
    """Return each system's statistics over all repetitions, and the score of each single repetition.

    The statistics of a segment are the sum over its repetitions. Systems that were asked once get the same
    weight, so that systems can be compared. Resampling draws all answers to a segment together, so an
    interval covers the variation of both sentences and answers.
    """
    if times < 2:
        return list(measured), {}
    by_system: dict[str, list[Statistics]] = {}
    for entry in measured:
        by_system.setdefault(base_name(entry.system), []).append(entry)
    pooled, each = [], {}
    for system, own in by_system.items():
        values = np.sum([entry.values for entry in own], axis=0) if len(own) > 1 else own[0].values * times
        pooled.append(replace(own[0], values=values))
        if len(own) > 1:
            pooled[-1] = replace(pooled[-1], signature=f"{own[0].signature}|repeats:{len(own)}")
            each[system] = [float(metric.aggregate(entry.values.sum(axis=0))) for entry in own]
    return pooled, each


# Single sentences -------------------------------------------------------------------------------------------


@cache
def _splits(k: int) -> NDArray[np.bool_]:
    """All ways to assign `k` of `2k` answers to the first text, or a sample; the true way is first."""
    if comb(2 * k, k) <= _MOST_SPLITS:
        chosen = np.array(list(combinations(range(2 * k), k)))
    else:
        draws = np.random.default_rng(12345).random((_MOST_SPLITS, 2 * k))
        draws[0] = np.arange(2 * k)
        chosen = np.argsort(draws, axis=1)[:, :k]
    splits = np.zeros((len(chosen), 2 * k), dtype=bool)
    np.put_along_axis(splits, chosen, True, axis=1)
    return splits


def excesses(far: NDArray[np.bool_]) -> NDArray[np.float64]:
    """For every split, how much more often answers to two texts are far apart than answers to one text.

    `far` says for each pair of `2k` answers whether they are far apart; the first `k` answers are to one
    text. A value is the share of far pairs across the texts minus the share within each text (the noise
    floor). The first value belongs to the true split; the others are the distribution by chance.

    >>> far = np.array([[i < 2 <= j or j < 2 <= i for j in range(4)] for i in range(4)])
    >>> excesses(far).tolist()[0]
    1.0
    """
    k = len(far) // 2
    z = _splits(k).astype(float)
    f = far.astype(float)
    within = np.einsum("si,ij,sj->s", z, f, z) + np.einsum("si,ij,sj->s", 1 - z, f, 1 - z)
    across = np.einsum("si,ij,sj->s", z, f, 1 - z)
    return np.asarray(across / k**2 - within / (2 * k * (k - 1)))


def beyond_noise(tables: Sequence[NDArray[np.bool_]], *, level: float = 0.05) -> list[bool]:
    """Which variants of a sentence differ from it by more than noise, at one level for all variants.

    Each variant gets a permutation test. Its p adds up, over all variants, the probability of such a large
    excess (Tarone 1990). So if only answers vary, a sentence is reported with a probability of at most
    `level`.
    """
    drawn = [excesses(far) for far in tables]
    return [
        own[0] > 0 and sum(float(np.mean(other >= own[0] - 1e-9)) for other in drawn) <= level
        for own in drawn
    ]


def most_fail(failed: int, times: int, *, level: float = 0.05) -> bool | None:
    """Whether significantly more than half of the repetitions fail (sign test); `None` if undecided.

    >>> most_fail(5, 5), most_fail(4, 5), most_fail(2, 5)
    (True, None, False)
    """
    if 2 * failed <= times:
        return False
    tail = sum(comb(times, i) for i in range(failed, times + 1)) / 2**times
    return True if tail <= level else None


# Display ----------------------------------------------------------------------------------------------------


def likeness(a: str, b: str) -> float:
    """The similarity of two texts, from 0 to 1: F1 of their character trigrams.

    >>> likeness("Good day.", "Good day."), likeness("abc", "xyz")
    (1.0, 0.0)
    """
    one, other = (Counter(f"  {t} "[i : i + 3] for i in range(len(t) + 1)) for t in (a, b))
    return 2 * (one & other).total() / (one.total() + other.total())


@dataclass(frozen=True, slots=True)
class Instability:
    """A system's repeated answers to one text."""

    id: str
    answers: tuple[str, ...]
    alike: float
    """The mean similarity of two answers."""


def instabilities(outputs: Sequence[Output]) -> list[Instability]:
    """Return one for each text that was asked again, the least stable first."""
    found = []
    for output in outputs:
        if AGAIN in output.meta and len(texts := texts_of(output)) > 1:
            pairs = Counter(tuple(sorted(pair)) for pair in combinations(texts, 2))
            alike = sum(likeness(*pair) * n for pair, n in pairs.items()) / pairs.total()
            found.append(Instability(output.id, tuple(dict.fromkeys(texts)), alike))
    return sorted(found, key=lambda entry: entry.alike)


def differing_parts(one: str, other: str) -> tuple[str, str]:
    """Shorten two texts for a table: they start at their first different word.

    >>> differing_parts("He took his old hat and left.", "He took his old cap and left.")
    ('…hat and left.', '…cap and left.')
    """
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    start = one.rfind(" ", 0, same) + 1
    cut = [f"{'…' * (start > 0)}{text[start:]}" for text in (one, other)]
    return tuple(text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…" for text in cut)  # type: ignore[return-value]


def repeat_tables(run: Run) -> list[Table]:
    """The stability of each system that was asked again, and its least stable sentences."""
    tables: list[Table] = []
    rows, sentences = [], []
    scores = run.result.basis.get("repeats", {}).get("scores", {})
    labels = {score.name: (score.label or score.name, score.decimals) for score in run.result.scores}
    for system, outputs in run.outputs.items():
        if not (found := instabilities(outputs)):
            continue
        changing = sum(len(entry.answers) > 1 for entry in found)
        ranges = []
        for metric in scores:
            each = scores[metric].get(system, ())
            decimals = labels.get(metric, (metric, 1))[1]
            low, high = (f"{end(each):.{decimals}f}" if each else "" for end in (min, max))
            ranges.append(f"{low}–{high}" if low != high else low)
        mean = sum(entry.alike for entry in found) / len(found)
        share = f"{changing:,} of {len(found):,} ({100 * changing / len(found):.1f} %)"
        rows.append([system, str(times_asked({system: outputs})), share, f"{100 * mean:.1f}", *ranges])
        sentences += [
            [
                system,
                entry.id,
                str(len(entry.answers)),
                f"{100 * entry.alike:.1f}",
                *differing_parts(*entry.answers[:2]),
            ]
            for entry in found[:_SHOWN]
            if len(entry.answers) > 1
        ]
    if rows:
        heads = [f"{labels.get(metric, (metric, 1))[0]}, each time" for metric in scores]
        header = ["System", "times asked", "sentences that change", "alike, %", *heads]
        tables.append(Table(header, rows, title="Asked again"))
    if sentences:
        header = ["System", "sentence", "answers", "alike, %", "one answer", "another"]
        tables.append(Table(header, sentences, title="Least stable sentences"))
    return tables


# Texts in context: asked once with the sentences before them, and once alone.

ALONE = "alone"


def ask_in_context(requests: Sequence[Request], ask: Ask) -> list[Output]:
    """One output per request, in order.

    A text is sent together with its context, so that every engine can use the context. If the text has
    n sentences, the output is the last n sentences of the answer. `meta` has the whole answer, and the answer
    to the text without its context.
    """
    inside = [place for place, request in enumerate(requests) if request.context]
    if not inside:
        return list(ask(requests))
    from mtassay.nlp.sentence_alignment import split_sentences  # imported late: compiles slow expressions

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
    """The effect of context on each system: the number of items that are right with and without context."""
    rows = []
    counted: Mapping[str, Mapping[str, float]] = run.result.basis.get("context", {})
    for system, c in counted.items():
        n, brought = c["n"], 100 * (c["gained"] - c["lost"]) / c["n"]
        low, high = map(float, change_interval([c["gained"]], [c["lost"]], [n]))
        told = f"{brought:+.1f} [{100 * low:+.1f} to {100 * high:+.1f}]"
        rows.append([system, f"{n:,}", f"{100 * c['right'] / n:.1f}", f"{100 * c['alone'] / n:.1f}", told])
    header = ["System", "items", "in context, %", "alone, %", "context brings"]
    return Table(header, rows, title="What context brings") if rows else None
