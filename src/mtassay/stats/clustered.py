"""How many independent trials a share is worth, when its observations come in clusters."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

from mtassay.stats.tails import t_tail

__all__ = ["effective_trials", "small_sample_factor"]


def effective_trials(
    share: float, variance: float, *, least: float, most: float = math.inf, otherwise: float | None = None
) -> float:
    """The number of independent trials that would give a share the variance it has, within two bounds.

    With it, intervals for plain shares (Wilson's, or those of a macro average) serve clustered ones too.
    `otherwise` (default: `least`) is taken where the variance says nothing: it is nan or 0, or the share is
    0 or 1.

    >>> effective_trials(0.8, 0.016, least=1)
    10.0
    >>> effective_trials(1.0, 0.0, least=7)
    7
    """
    spread = share * (1 - share)
    if not (variance > 0 and spread > 0):
        return least if otherwise is None else otherwise
    return round(min(max(spread / variance, least), most), 9)


@cache
def small_sample_factor(clusters: int, *, level: float = 0.95) -> float:
    """What to multiply effective trials by where their variance was estimated from so few clusters.

    It widens an interval as Student's t with `clusters` - 1 degrees of freedom does a normal one: the square
    of the normal over Student's quantile. 1 in the limit; for fewer than two clusters there is no factor: 1.

    >>> round(small_sample_factor(5), 3), round(small_sample_factor(1000), 3)
    (0.498, 0.998)
    """
    if clusters < 2:
        return 1.0
    low, high = 0.0, 1e4
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        if float(t_tail(middle, clusters - 1)) > (1 - level) / 2:
            low = middle
        else:
            high = middle
    return (NormalDist().inv_cdf((1 + level) / 2) / high) ** 2
