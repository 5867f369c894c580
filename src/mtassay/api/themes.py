"""What the failures of a system have in common, from runs or from the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import cast

from mtassay import core
from mtassay.api.history import Which, load_run
from mtassay.api.runs import Run
from mtassay.report.progress import Progress
from mtassay.report.run import Form
from mtassay.report.themes import render_themes, themes_html
from mtassay.themes import ALPHA, Themes
from mtassay.themes import find_themes as themes_in

__all__ = ["ThemeList", "find_themes"]


class ThemeList(Themes):
    """Themes that print themselves as the command does."""

    def render(self, form: Form = "text", *, examples: int = 3, width: int = 80, color: bool = False) -> str:
        """The themes as text, json, tsv, md or latex, with so many examples of each at most."""
        return render_themes(self, form, examples=examples, width=width, color=color)

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        systems = len(self.examined)
        return f"<{len(self)} theme{'s' * (len(self) != 1)} of {systems} system{'s' * (systems != 1)}>"

    def _repr_html_(self) -> str:
        return themes_html(self)


def find_themes(
    runs: Which | Sequence[Which] = "last",
    *,
    systems: Sequence[str] | str = (),
    alpha: float = ALPHA,
    trials: int = 999,
    seed: int | None = 12345,
    workspace: str | PathLike[str] | None = None,
    quiet: bool = False,
) -> ThemeList:
    """What the failures of each system in one or several runs have in common, the most telling first.

    Runs are given as they are, by id, as `RUN:SYSTEM`, or by the name of a system, which stands for its
    newest run; those of one system are put together. `systems` chooses some by name. A theme is claimed at
    the level `alpha`, corrected for all that was looked at by `trials` deals of the failures.

    >>> from mtassay import suite
    >>> find_themes(suite("en-pt", {"nmt": ["Os pais."]}, item="false-friends-nouns-1"))
    <0 themes of 1 system>
    """
    is_list = isinstance(runs, Sequence) and not isinstance(runs, str)
    several = cast("Sequence[Which]", runs) if is_list else [cast("Which", runs)]
    records = [_record(run, workspace) for run in several]
    names = [systems] if isinstance(systems, str) else systems
    with Progress(quiet=quiet) as progress:
        found = themes_in(
            records,
            systems=names,
            alpha=alpha,
            trials=trials,
            seed=seed,
            told=lambda done, total: progress.report("looking for themes", done, total),
        )
    return ThemeList(found, found.examined, found.failure, found.alpha)


def _record(run: Which, workspace: str | PathLike[str] | None) -> core.Run:
    return run.record if isinstance(run, Run) else load_run(run, workspace=workspace)
