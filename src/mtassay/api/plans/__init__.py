"""Plans from Python: all steps of a plan file, where nothing changed since last time without doing it again.

Everything that a plan names is relative to its folder, and so is the workspace unless one is given.
"""

from __future__ import annotations

from mtassay.api.plans.costs import PlanCosts, StepCost, plan_costs
from mtassay.api.plans.creation import NewPlan, init_plan
from mtassay.api.plans.execution import check_plan, run_plan
from mtassay.api.plans.outcome import PlanRun, StepRun

__all__ = [
    "NewPlan",
    "PlanCosts",
    "PlanRun",
    "StepCost",
    "StepRun",
    "check_plan",
    "init_plan",
    "plan_costs",
    "run_plan",
]
