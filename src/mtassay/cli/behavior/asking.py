"""Asks a language model that fills, with the workspace as its memory and one budget for all rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mtassay.caller import Budget, Tally, translate_all
from mtassay.core import Output, Request
from mtassay.errors import WorkspaceError
from mtassay.store import Workspace
from mtassay.systems.live import LiveSystem

__all__ = ["Asker"]


@dataclass
class Asker:
    """Calls as a function: see `mtassay.methods.behavior.infill.conversations.Ask`.

    What was answered before comes from the workspace, so a stopped run goes on where it was.
    """

    workspace: Workspace | None
    report: Callable[[str, int, int | None], None]
    calls: int | None = None
    characters: int | None = None

    def __call__(self, system: LiveSystem, requests: Sequence[Request]) -> list[Output]:
        """One output per request, in order."""
        if self.workspace and self.workspace.read_only:
            raise WorkspaceError(
                f"{self.workspace.path} may not be written: answers of {system.name} would be lost."
            )
        spent = Tally(0)

        def tell(tally: Tally) -> None:
            nonlocal spent
            spent = tally
            self.report(tally.describe(system.name), tally.done, tally.total)

        budget = Budget(calls=self.calls, characters=self.characters)
        outputs = translate_all(system, requests, answers=self.workspace, budget=budget, report=tell)
        self.calls = _left(self.calls, spent.calls)
        self.characters = _left(self.characters, spent.characters)
        return outputs


def _left(budget: int | None, spent: int) -> int | None:
    return None if budget is None else max(budget - spent, 0)
