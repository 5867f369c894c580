"""The keywords of the library's functions, for type checkers and editors.

Each class has the fields of a dataclass, which defines and explains them; a test keeps the two equal. A
keyword that is left out has the default of the dataclass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from mtassay.app.history import Which
    from mtassay.app.reports import ReportForm
    from mtassay.data.formats.suite_items import Suite
    from mtassay.measures.given_scores import SegmentScore
    from mtassay.measures.metric import Metric
    from mtassay.methods.behavior.recipe import Recipe
    from mtassay.methods.score.score_statistics import Correction, Ranks, Unit
    from mtassay.methods.score.score_statistics import Test as ScoreTest
    from mtassay.methods.suite.accuracy import Test as SuiteTest
    from mtassay.runtime.executors import Executor
    from mtassay.systems.client import Tally


Names: TypeAlias = str | Sequence[str]
"""One name, or several."""
Metrics: TypeAlias = "str | Sequence[str] | Mapping[str, Metric]"
"""Metrics as text, `"bleu,chrf++"`, as a list of such texts, or by name."""
ScoreMetrics: TypeAlias = "Metrics | SegmentScore | Sequence[str | SegmentScore]"
"""The same; a function that gives a number for each segment is a metric, too."""

StyleRules: TypeAlias = Names | Mapping[str, str]
"""Rules of house style, as `"KEY=VALUE"` or by name."""
Ignored: TypeAlias = str | Sequence[Mapping[str, str]]
"""Findings to ignore: a file, or mappings with `file`, `key`, `check` and `reason`."""
AnySuite: TypeAlias = "str | PathLike[str] | Suite"
"""A file, the name of one that a language pack has (`en-pt`), or one in memory."""


class AskOptions(TypedDict, total=False):
    """How to run, for functions that name the workspace themselves."""

    save: bool
    temporary: bool
    max_calls: int | None
    max_characters: int | None
    max_seconds: float | None
    cache: bool
    fresh: bool
    quiet: bool | None
    listen: Callable[[str], None] | None
    creates: bool
    dry_run: bool
    spent: dict[str, Tally]
    executor: str | Executor[Any]
    ray_address: str | None
    about: Mapping[str, Mapping[str, Any]]


class RunOptions(AskOptions, total=False):
    """How to run: the fields of `mtassay.app.runs.RunSettings`."""

    workspace: str | PathLike[str] | None


class _ScoreOnly(TypedDict, total=False):
    """The fields that only `ScoreMethod` has."""

    metrics: ScoreMetrics | None
    baseline: str | None
    samples: int
    correction: Correction | None
    unit: Unit | None
    ranks: Ranks
    rank_incomplete: bool
    by: str | None
    evidence: bool
    against_best: bool
    labels: Mapping[str, str]


class ScoreOptions(RunOptions, _ScoreOnly, total=False):
    """The fields of `ScoreMethod`, and how to run."""

    repeat: int
    test: ScoreTest
    trials: int
    seed: int | None
    alpha: float
    checks: Names | None
    judge_by: str | None
    terms: Names | None


class ItemOptions(TypedDict, total=False):
    """The fields of `SuiteMethod` that choose items."""

    category: Names | None
    phenomenon: Names | None
    tag: Names | None
    item: Names | None
    approved: bool
    public: bool | None


class SuiteOptions(RunOptions, ItemOptions, total=False):
    """The fields of `SuiteMethod`, and how to run."""

    repeat: int
    items: Literal["fair", "settled", "both"]
    test: SuiteTest
    alpha: float
    trials: int
    seed: int | None
    checks: Names | None
    reviews: bool


class VariantOptions(TypedDict, total=False):
    """The fields of `VariantSettings` that only say how variants are made."""

    pos: Names
    per_sentence: int
    per_word: int
    longest: int
    ends: bool
    substitutes: str
    similarity: float


class IssueOptions(TypedDict, total=False):
    """The fields of `InvarianceMethod` that only say what an issue is."""

    structure: str | None
    threshold: float | None
    preset: Literal["wide", "sure"] | None
    top: int | None
    filters: Names | None
    relations: Names | None
    annotator: str | None


class InvarianceOptions(RunOptions, VariantOptions, IssueOptions, total=False):
    """The fields of `InvarianceMethod`, and how to run."""

    repeat: int
    judge_by: str | None
    checks: Names | None
    source_annotator: str | None
    seed: int | None
    alpha: float
    reviews: bool


class _CaseOnly(TypedDict, total=False):
    """The fields that only `Recipe` has."""

    capabilities: Names | None
    infill: str | None
    sample: int | None
    per_segment: int
    max_cases: int | None
    attempts: int
    start: bool
    filter: str | None
    filter_beta: float | None
    no_filter: bool
    aligner: str | None
    reference_annotator: str | None
    blocklist: str | Path | None


class RecipeOptions(RunOptions, _CaseOnly, total=False):
    """The fields of `Recipe`, which says how cases are made, and how to run."""

    seed: int | None
    source_annotator: str | None


class _BehaviorOnly(TypedDict, total=False):
    """The fields that only `BehaviorMethod` has."""

    quality: Metrics | None
    min_quality: float | None
    max_change: float | None
    calibrated: Mapping[str, Any] | str | None
    signed: bool
    direct: bool
    level: float
    recipe: Recipe | None


class BehaviorOptions(RecipeOptions, _BehaviorOnly, total=False):
    """The fields of `BehaviorMethod`, of `Recipe`, and how to run."""

    repeat: int
    judge_by: str | None
    checks: Names | None


class CheckOptions(RunOptions, total=False):
    """The fields of `CheckMethod`, and how to run."""

    checks: Names | None
    without: Names | None
    terms: Names | None
    style: StyleRules | None
    ignore: Ignored | None
    reviews: bool


class LookOptions(TypedDict, total=False):
    """The parts of a run that are shown: the fields of `mtassay.data.display.Look`."""

    detail: bool
    pairs: bool
    cases: int | None
    mark: str
    is_saved: bool
    examples: int
    between: Sequence[str]
    metric: str


class ReportOptions(TypedDict, total=False):
    """The keywords of `mtassay.write_report`."""

    form: ReportForm | None
    against: Which | None
    names: Sequence[str]
    title: str
    themes: bool
    workspace: str | PathLike[str] | None
    quiet: bool


class JudgeOptions(InvarianceOptions, _ScoreOnly, ItemOptions, _CaseOnly, _BehaviorOnly, total=False):
    """The fields of all our methods, to judge a run again with some of them; and how to run."""

    pair: str | tuple[str, str] | None
    suite: AnySuite
    test: ScoreTest | SuiteTest
    trials: int
    items: Literal["fair", "settled", "both"]
    without: Names | None
    terms: Names | None
    style: StyleRules | None
    ignore: Ignored | None
