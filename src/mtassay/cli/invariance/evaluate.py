"""`mtassay invariance evaluate`: how good the issues are, by what people said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    PairOption,
    QuietOption,
    SystemOption,
    WorkspaceOption,
    cache_workspace,
    print_json,
    print_tables,
    say,
)
from mtassay.cli.invariance.inputs import Material, WhereArgument, asked, read_material
from mtassay.cli.invariance.judging import JUDGING, Judging, judging, side_by_side
from mtassay.core import Tools
from mtassay.engine import EngineTools
from mtassay.errors import UsageError
from mtassay.formats.reviews import read_reviews
from mtassay.methods.invariance.evaluation import (
    Evaluation,
    Rate,
    SweepPoint,
    evaluate,
    precision_of,
    sweep,
)
from mtassay.methods.invariance.evaluation_tables import (
    accuracy_table,
    new_errors_table,
    precision_table,
    sweep_figure,
    sweep_table,
    types_table,
    unreported_table,
)
from mtassay.methods.invariance.labels import QUESTION, labels_of
from mtassay.methods.invariance.method import InvarianceMethod
from mtassay.methods.invariance.tables import seconds_table
from mtassay.report.figures import check_plot, draw
from mtassay.report.progress import Progress
from mtassay.reviews import decide
from mtassay.store import Workspace


@dataclass(frozen=True)
class Measurement:
    """One system and structure against the labels; no variant is farther than `farthest`."""

    evaluation: Evaluation
    sweep: Sequence[SweepPoint]
    farthest: float


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("evaluate", short_help="How many issues are errors, by what reviewers said.")(evaluate_issues)


@judging
def evaluate_issues(
    where: WhereArgument = "last",
    system: SystemOption = None,
    langpair: PairOption = None,
    judging: Judging = JUDGING,
    structure: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Structures to evaluate side by side: raw,dependency. Default: the run's, or dependency.",
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Reviews (JSONL or TSV). Default: those in the workspace."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw issues and accuracy by threshold (.svg or .png)."),
    ] = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """How good the issues are, by what people said: top-1 to top-K accuracy, errors, kinds, thresholds.

    An issue is right if its original or one of its K farthest variants is wrongly translated. Label pairs
    with 'mtassay review next'. Issues without enough labels are counted and left out of the accuracy. What
    is not said (structure, threshold, filters …) is as in the saved run.

    \b
    Examples:
    mtassay invariance evaluate last --structure raw,dependency
    mtassay invariance evaluate variants.jsonl -l en-pt -t nmt=out.jsonl --labels reviews.jsonl
    """
    if plot:
        check_plot(plot)
    ways = side_by_side(judging, structure)
    if plot and len(ways.structures or ()) > 1:
        raise UsageError("One structure can be drawn at a time: give --structure NAME with --plot.")
    material = read_material(where, system, langpair, workspace)
    store = cache_workspace(workspace)
    decisions = _decisions(labels, store)
    if not decisions:
        where_from = str(labels) if labels else "the workspace"
        raise UsageError(f"There are no labels in {where_from}. Label issues first: mtassay review next")
    with Progress(quiet=quiet) as progress:
        tools = EngineTools(store, progress.report)
        methods = ways.methods(material.pair, material.parameters)
        measured = _measure(methods, material, decisions, tools)
        flagged = _precision(methods[0], material, decisions, tools)
        tools.keep()
        seconds = tools.seconds
    if plot:
        (name, first), *others = measured.items()
        if others:
            raise UsageError("One system can be drawn at a time: give one with -t.")
        marks = [first.evaluation.threshold]
        draw(sweep_figure(first.sweep, marks=marks, title=name, farthest=first.farthest), plot)
    _print(measured, flagged, seconds, output_format)


def _decisions(labels: Path | None, store: Workspace | None) -> dict[str, str]:
    """What people decided, by subject; disputed and open ones are left out."""
    if labels is not None:  # rows without a name are one person's: who it is does not matter here
        reviews = [row.review for row in read_reviews(labels, reviewer="unnamed").rows]
    else:
        reviews = store.reviews(QUESTION) if store else []
    decided = decide(review for review in reviews if review.question == QUESTION)
    return {subject: d.answer for (subject, _), d in decided.items() if d.answer is not None}


def _measure(
    methods: Sequence[InvarianceMethod], material: Material, decisions: Mapping[str, str], tools: Tools
) -> dict[str, Measurement]:
    """Each structure against the labels; with several systems, each system's."""
    measured = {}
    several = len(material.systems) > 1
    for method in methods:
        cases, outputs = asked(method, material, tools)
        for system, answered in method.compare(cases, outputs, tools).items():
            rankings = method.measure(answered, tools).rankings
            known = labels_of([answer for each in answered for answer in each.answers], decisions)
            name = f"{system}, {method.structure}" if several else method.structure
            measured[name] = Measurement(
                evaluate(rankings, known, threshold=method.threshold, top=method.top),
                sweep(rankings, known),
                max((far.distance for each in rankings for far in each.variants), default=0.0),
            )
    return measured


def _precision(
    method: InvarianceMethod, material: Material, decisions: Mapping[str, str], tools: Tools
) -> dict[str, Rate]:
    """How many of the pairs that each companion detector flags are wrong."""
    cases, outputs = asked(method, material, tools)
    rates = {}
    for system, answered in method.compare(cases, outputs, tools).items():
        known = labels_of([answer for each in answered for answer in each.answers], decisions)
        for name, ids in method.flagged(answered, tools).items():
            rates[f"{system}, {name}" if len(material.systems) > 1 else name] = precision_of(ids, known)
    return rates


def _print(
    measured: Mapping[str, Measurement],
    flagged: Mapping[str, Rate],
    seconds: Mapping[str, float],
    form: OutputFormat,
) -> None:
    if form is OutputFormat.json:
        print_json(
            {
                "structures": {
                    name: {**asdict(each.evaluation), "sweep": [asdict(point) for point in each.sweep]}
                    for name, each in measured.items()
                },
                "detectors": {name: asdict(rate) for name, rate in flagged.items()},
                "seconds": dict(seconds),
            }
        )
        return
    evaluations = {name: each.evaluation for name, each in measured.items()}
    tables = [
        accuracy_table(evaluations),
        new_errors_table(evaluations),
        types_table(evaluations),
        unreported_table(evaluations),
        *([precision_table(flagged)] if flagged else []),
    ]
    if len(measured) == 1:
        tables += [sweep_table(each.sweep, title="By threshold") for each in measured.values()]
    tables.append(seconds_table(seconds))
    print_tables(tables, form)
    if len(measured) > 1:
        say("mtassay: accuracy by threshold: give one --structure and one system")
