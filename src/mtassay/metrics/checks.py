"""Checks the texts of a corpus while it is measured: guards, and notes on inputs that are not what they seem.

What they need is loaded where they run, which for more than a little text is a process of their own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

from mtassay import __version__
from mtassay.core import Finding, Tools
from mtassay.metrics.base import Metric
from mtassay.metrics.measure import ENOUGH_FOR_A_FORK, Corpus, digest_of
from mtassay.packages import release_of
from mtassay.processes import computed_beside

if TYPE_CHECKING:
    from mtassay.metrics.guards import Guards

__all__ = ["checked"]


@contextmanager
def checked(
    corpus: Corpus, pair: tuple[str, str] | None, metrics: Mapping[str, Metric], tools: Tools
) -> Iterator[Callable[[], Guards]]:
    """`find_guard_hits` by a call, which tells `notes_on_inputs`, too; both are computed meanwhile.

    What the cache knows is not computed. Systems are judged beside each other. Where the run has workers,
    they compute it in the end.
    """
    for name, metric in metrics.items():
        corpus.usable(name, metric)  # who lacks references needs no other advice
    what = [__version__, release_of("py3langid"), str(pair), corpus.digest]
    what += [text for item in corpus.output_digests.items() for text in item]
    settings = [text for name, metric in metrics.items() for text in (name, repr(metric))]
    guards_key, notes_key = digest_of(["guards", *what]), digest_of(["inputs", *what, *settings])
    known_guards, known_notes = tools.recall(guards_key), tools.recall(notes_key)

    def compute() -> tuple[Guards | None, list[str] | None]:
        guards, notes = None, None
        if known_guards is None:
            from mtassay.metrics.guards import find_guard_hits

            guards = find_guard_hits(corpus.segments, corpus.outputs, pair=pair, tools=tools)
        if known_notes is None:
            from mtassay.metrics.plausibility import notes_on_inputs

            notes = notes_on_inputs(corpus.segments, corpus.outputs, pair=pair, metrics=metrics)
        return guards, notes

    def finish(found: tuple[Guards | None, list[str] | None]) -> Guards:
        guards, notes = found
        if guards is not None:
            tools.remember(guards_key, json.dumps(asdict(guards)).encode())
        if notes is not None:
            tools.remember(notes_key, json.dumps(notes).encode())
        for note in notes if notes is not None else json.loads(known_notes or b"[]"):
            tools.note(note)
        return guards if guards is not None else _unpack(known_guards or b"")

    is_known = known_guards is not None and known_notes is not None
    if is_known or corpus.size < ENOUGH_FOR_A_FORK or tools.workers > 1:
        yield lambda: finish(compute())
        return
    with computed_beside(compute) as answer:
        yield lambda: finish(answer())


def _unpack(kept: bytes) -> Guards:
    from mtassay.metrics.guards import Guards

    stored = json.loads(kept)
    findings = {name: [Finding(**finding) for finding in row] for name, row in stored["findings"].items()}
    return Guards(stored["counts"], findings, stored["unchecked"])
