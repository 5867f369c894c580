"""Failure themes: the common features of a system's failures, across methods and runs.

Every judged output is an observation that failed or passed. Features that failures have more often (words on
both sides and their translation, phenomena, kinds of text) are tested together; features of the same failures
are one theme, with a sentence, the number of failures that it explains, and examples.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from mtassay.changes.theme_features import find_features
from mtassay.changes.theme_search import ALPHA, Theme, enough, find_causes, make_theme
from mtassay.data.errors import UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.method import view_of
from mtassay.data.nouns import Observation, Run
from mtassay.data.registry import named
from mtassay.data.run_view import joint_verdict
from mtassay.runtime.processes import can_fork, map_in_processes, process_count

__all__ = ["ALPHA", "Examined", "Theme", "Themes", "find_themes"]

_ENOUGH_FOR_A_FORK = 2000  # outputs


@dataclass(frozen=True, slots=True)
class Examined:
    """The material of one system's search.

    `left_out` are outputs that neither passed nor failed, by verdict; `features` is the number of tested
    features, 0 if there are too few failures or passes.
    """

    system: str
    failures: int
    passing: int
    left_out: Mapping[str, int]
    features: int
    failures_called: str = "failures"

    @property
    def note(self) -> str:
        """The material in a line."""
        left = ", ".join(f"{count:,} {verdict}" for verdict, count in self.left_out.items())
        said = "failed" if self.failures_called == "failures" else "are low-scoring"
        told = f"{self.failures:,} of {self.failures + self.passing:,} outputs {said}"
        told += f" ({left} left out)" if left else ""
        few = "too few failures or passes to look for themes" if not self.features else ""
        return f"{told}; {few or f'{self.features:,} features were looked at'}"


class Themes(list[Theme]):
    """The themes of each system, the clearest first, with the material and the definition of failure."""

    def __init__(
        self,
        themes: Sequence[Theme] = (),
        examined: Sequence[Examined] = (),
        failure: Sequence[str] = (),
        alpha: float = ALPHA,
    ) -> None:
        super().__init__(themes)
        self.examined = list(examined)
        self.failure = list(failure)
        self.alpha = alpha

    def of(self, system: str) -> list[Theme]:
        """The themes of one system."""
        return [theme for theme in self if theme.system == system]

    def by_output(self) -> dict[tuple[str, str, str], list[str]]:
        """The causes of each failed output, by system, source and output."""
        causes: dict[tuple[str, str, str], list[str]] = {}
        for theme in self:
            for source, output in theme.failed:
                causes.setdefault((theme.system, source, output), []).append(theme.cause)
        return causes


def find_themes(
    runs: Sequence[Run],
    *,
    systems: Sequence[str] = (),
    alpha: float = ALPHA,
    trials: int = 999,
    seed: int | None = 12345,
    report: Callable[[int, int], None] | None = None,
) -> Themes:
    """Find common features of each system's failures in these runs.

    `systems` chooses some by name; `*` matches anything. All runs are joined: an output to the same source
    counts once, and as failed if it failed in one run. Themes of one system are corrected for all tested
    features: with random failures, 1 - `alpha` of the systems get no theme. `report` is called with the
    number of finished systems and their total.
    """
    if not runs:
        raise UsageError("There is no run to look for themes in.")
    materials = _gather(runs)
    settled = {system: material.settled() for system, material in materials.items()}
    chosen = named(list(materials), systems, "name", lambda name: [name], has="system has")
    pair = _pair(runs)
    called = dict.fromkeys(view_of(run).failures() for run in runs)
    failures_called = next(iter(called)) if len(called) == 1 else "failures"
    this = os.getpid()

    def look(system: str) -> tuple[list[Theme], Examined]:
        if report is not None and os.getpid() == this:
            report(chosen.index(system), len(chosen))
        material, observations = materials[system], settled[system]
        failures = sum(o.verdict == "fail" for o in observations)
        features, themes = 0, []
        if enough([o.verdict == "fail" for o in observations]):
            table = find_features(observations, pair, by_metric=any(o.is_high for o in observations))
            features = len(table.features)
            causes = find_causes(observations, table, alpha=alpha, trials=trials, seed=seed)
            right = _right(system, materials) if causes else {}
            themes = [make_theme(system, c, observations, table, right, failures_called) for c in causes]
        passing = len(observations) - failures
        return themes, Examined(system, failures, passing, material.left_out(), features, failures_called)

    is_large = sum(map(len, settled.values())) > _ENOUGH_FOR_A_FORK
    looked = map_in_processes(look, chosen, processes=process_count() if is_large and can_fork() else 1)
    themes = [theme for found, _ in looked for theme in found]
    examined = [entry for _, entry in looked]
    failure = list(dict.fromkeys(f"{run.method}: {view_of(run).failure()}" for run in runs))
    return Themes(themes, examined, failure, alpha)


@dataclass(frozen=True, slots=True)
class _Material:
    """The observations of one system, by source and output."""

    by_texts: dict[tuple[str, str], list[Observation]] = field(default_factory=dict)
    untold: list[Observation] = field(default_factory=list)
    right: dict[str, str] = field(default_factory=dict)
    """By source, the first output that a run calls right, not only without evidence of an error."""
    doubted: set[str] = field(default_factory=set)
    """Sources with an output that did not pass, in any run or item."""

    def add(self, observation: Observation, *, claims_right: bool) -> None:
        """Add an observation, which is only counted without texts. `claims_right`: a pass means right."""
        if observation.source or observation.output:
            self.by_texts.setdefault((observation.source, observation.output), []).append(observation)
            if observation.verdict != "pass":
                self.doubted.add(observation.source)
            elif claims_right:
                self.right.setdefault(observation.source, observation.output)
        else:
            self.untold.append(observation)

    def settled(self) -> list[Observation]:
        """Return each output that passed or failed, once."""
        joint = [_joint(several) for several in self.by_texts.values()]
        return [observation for observation in joint if observation.verdict in ("pass", "fail")]

    def left_out(self) -> dict[str, int]:
        """Count those that neither passed nor failed, by verdict."""
        joint = [*(_joint(several) for several in self.by_texts.values()), *self.untold]
        return dict(Counter(o.verdict for o in joint if o.verdict not in ("pass", "fail")))


def _gather(runs: Sequence[Run]) -> dict[str, _Material]:
    """The observations of all runs, by system."""
    materials: dict[str, _Material] = {}
    for run in runs:
        for system in run.systems:
            materials.setdefault(system, _Material())
        view = view_of(run)
        claims_right = view.claims_right()
        for observation in view.observations():
            material = materials.setdefault(observation.system, _Material())
            material.add(observation, claims_right=claims_right)
    return materials


def _right(system: str, materials: Mapping[str, _Material]) -> dict[str, str]:
    """Return, by source, another system's right output with that system's name."""
    right: dict[str, str] = {}
    for other, material in materials.items():
        for source, output in material.right.items() if other != system else ():
            if source not in material.doubted:
                right.setdefault(source, f"{other}: {output.strip()}")
    return right


def _joint(several: Sequence[Observation]) -> Observation:
    """Join the verdicts of several runs on one output."""
    first = several[0]
    if len(several) == 1:
        return first
    return first._replace(
        verdict=joint_verdict([o.verdict for o in several]),
        references=tuple(dict.fromkeys(r for o in several for r in o.references)),
        family=next((o.family for o in several if o.family), ""),
        traits=tuple(dict.fromkeys(t for o in several for t in o.traits)),
        clues=tuple(dict.fromkeys(c for o in several for c in o.clues)),
    )


def _pair(runs: Sequence[Run]) -> tuple[str, str] | None:
    """Return the common languages of the runs that name them; `None` if they differ."""
    pairs = set()
    for run in runs:
        pair = run.parameters.get("pair") or run.parameters.get("langpair")
        if isinstance(pair, list | tuple) and len(pair) == 2:
            pair = f"{pair[0]}-{pair[1]}"
        if isinstance(pair, str):
            both = parse_pair(pair)
            pairs.add((str(both.source), str(both.target)))
    return pairs.pop() if len(pairs) == 1 else None
