"""Gates: rules that a run must keep to pass, held against a baseline where they compare.

Rules are of three kinds. **Limits** look at numbers as they are: `accuracy >= 80 %`, `lower bound of the pass
rate >= 0.9`, `undecided <= 5 %`, `no new entity misses`. **Alarms** fail on proof that something got worse:
`no phenomenon significantly worse`. All alarms of a gate are one family, tested one-sided by max-T on the
same cases (`stats.family`), so that a gate raises a false one in a share `alpha` of the cases at most,
however many rules it has. **Proofs** demand evidence that nothing was lost: `bleu not more than 0.5 lower, at
95 %`. A gate passes only if every proof holds, so each has its own level and none is corrected: what is worse
than the margin passes in 5 % of the cases at most (an intersection-union test, Berger 1982).
"""

from __future__ import annotations

from mtassay.gates.checks import Baseline, check_gates
from mtassay.gates.report import GateCheck, GateReport
from mtassay.gates.rules import Gate

__all__ = ["Baseline", "Gate", "GateCheck", "GateReport", "check_gates"]
