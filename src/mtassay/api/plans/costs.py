"""What a plan would ask of live engines: calls, characters, money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike

from mtassay.api import (
    RunSettings,
    workspace_path,
)
from mtassay.api.plans.keys import earlier_run, step_key
from mtassay.api.plans.steps import check_names, chosen_steps, opened_plan, placed, prepare
from mtassay.api.runs import DryRun
from mtassay.caller import CallPlan
from mtassay.display import Table
from mtassay.errors import MtassayError
from mtassay.plans.plan import DEFAULT, Plan, PlanStep
from mtassay.report.run import Form, render_tables
from mtassay.store import Workspace
from mtassay.texts.marks import json_text

__all__ = ["PlanCosts", "StepCost", "plan_costs"]

_MILLION = 1_000_000


@dataclass(frozen=True)
class StepCost:
    """What one live engine would be asked in one step; `price` is `None` where the plan does not know it."""

    step: str
    system: str
    answered: int
    calls: int
    characters: int
    price: float | None = None


@dataclass(frozen=True, repr=False)
class PlanCosts:
    """What a plan would ask of live engines; prints itself as a table."""

    plan: Plan
    costs: Sequence[StepCost]
    unchanged: Sequence[str] = ()
    is_open: bool = False
    """Whether more may be asked, by what the answers are."""

    def table(self) -> Table:
        """A row for each step and engine, and their sums; prices only where there are any."""
        currency = self.plan.budget.currency
        priced = any(cost.price is not None for cost in self.costs)
        header = ["Step", "system", "answered before", "calls", "characters"]
        rows = [
            [
                *(cost.step, cost.system, f"{cost.answered:,}"),
                *(f"{cost.calls:,}", f"{cost.characters:,}"),
                *([_money(cost.price)] if priced else []),
            ]
            for cost in self.costs
        ]
        if len(self.costs) > 1:
            sums = [sum(getattr(cost, key) for cost in self.costs) for key in _COUNTED]
            known = [cost.price for cost in self.costs if cost.price is not None]
            rows.append(["all", "", *(f"{n:,}" for n in sums), *([_money(sum(known))] if priced else [])])
        notes = [f"{', '.join(self.unchanged)}: unchanged, nothing would be done."] if self.unchanged else []
        notes += ["More may be asked, by what the answers are."] if self.is_open else []
        title = "What live engines would be asked" if rows else "Live engines that would be asked"
        return Table([*header, *([currency or "price"] if priced else [])], rows, title=title, notes=notes)

    def render(self, form: Form = "text", *, width: int = 80, color: bool = False) -> str:
        """The table as text, json, tsv, md or latex."""
        if form == "json":
            return json_text(
                {
                    "costs": [vars(cost) for cost in self.costs],
                    "unchanged": list(self.unchanged),
                    "is_open": self.is_open,
                },
                indent=2,
            )
        return render_tables([self.table()], form, width=width, color=color)

    def __str__(self) -> str:
        return self.render()


_COUNTED = ("answered", "calls", "characters")


def plan_costs(
    plan: str | PathLike[str] = DEFAULT,
    *,
    only: Sequence[str] = (),
    systems: Sequence[str] = (),
    fresh: bool = False,
    workspace: str | PathLike[str] | None = None,
    quiet: bool | None = None,
) -> PlanCosts:
    """What `run_plan` would ask of live engines: calls, characters, and the price where it is known.

    Nothing is asked. Methods that invent sentences do so here too, without the help of any engine.
    """
    costs: list[StepCost] = []
    unchanged = []
    is_open = False
    with opened_plan(plan, workspace) as (read, place):
        check_names(read, systems)
        store = Workspace(workspace_path(place)) if workspace_path(place).exists() else None
        for step in chosen_steps(read, only):
            work = prepare(read, step, systems)
            if isinstance(work, MtassayError):
                raise work
            with placed(read, step):
                if not fresh and store and earlier_run(store, step_key(read, step, work, store)):
                    unchanged.append(step.name)
                    continue
                try:
                    work.run(RunSettings(workspace=place, fresh=fresh, quiet=quiet, dry_run=True))
                except DryRun as dry:
                    costs += [_cost(read, step, name, calls) for name, calls in dry.plans.items()]
                    is_open = is_open or dry.is_open
        return PlanCosts(read, costs, unchanged, is_open)


def _cost(plan: Plan, step: PlanStep, system: str, asked: CallPlan) -> StepCost:
    price = plan.budget.prices.get(system)
    cost = asked.cost if price is None else price * asked.characters / _MILLION
    return StepCost(step.name, system, asked.known, asked.calls, asked.characters, cost)


def _money(price: float | None) -> str:
    return "?" if price is None else f"{price:,.2f}"
