"""What to label so that issues can be evaluated: those reported, and as many variants that were not."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from mtassay.methods.invariance.issues import Issue, Ranking

__all__ = ["blind_sample"]


def blind_sample(rankings: Sequence[Ranking], issues: Iterable[Issue], *, top: int, seed: int) -> list[str]:
    """The ids of pairs to label, shuffled so that the order says nothing.

    All pairs shown with an issue of any structure are among them, and as many variants as were shown, drawn
    from those that no structure reports. `rankings` are of one structure, for what was compared.
    """
    found = list(issues)
    shown = dict.fromkeys(pair for issue in found for pair in issue.pairs(top))
    reported = {far.variant for issue in found for far in issue.variants}
    others = [far.variant for r in rankings for far in r.variants if far.variant not in reported]
    draw = random.Random(seed)
    variants = sum(1 for pair in shown if pair in reported)
    chosen = [*shown, *draw.sample(sorted(others), min(variants, len(others)))]
    draw.shuffle(chosen)
    return chosen
