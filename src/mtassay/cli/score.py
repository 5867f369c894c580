"""`mtassay score`: corpus metrics with intervals, significance and clusters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from mtassay.caller import Budget
from mtassay.cli.common import (
    AlphaOption,
    FormatOption,
    MaxCallsOption,
    MaxCharactersOption,
    OutputFormat,
    PairOption,
    QuietOption,
    SeedOption,
    SystemOption,
    WorkspaceOption,
    cache_workspace,
    check_targets,
    pair_of,
    say,
    workspace_path,
)
from mtassay.cli.given import exit_if_failed, open_systems, stored_system
from mtassay.cli.progress import Progress
from mtassay.cli.show import findings_with_texts, print_run
from mtassay.core import Segment, System
from mtassay.engine import Execution, execute
from mtassay.errors import UsageError
from mtassay.formats import read_segments, read_test_set, write_jsonl, write_tsv
from mtassay.formats.entities import read_entities
from mtassay.languages import Pair
from mtassay.methods.score import ScoreMethod
from mtassay.metrics.base import Metric
from mtassay.options import build, split_specs
from mtassay.stats import default_seed
from mtassay.store import Workspace


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("score", short_help="Which system is better, and is the difference real?")(score)


def score(
    system: SystemOption = None,
    reference: Annotated[
        list[Path] | None,
        typer.Option(
            "--reference", "-r", help="Reference translation; with --test-set the name of one. Repeat."
        ),
    ] = None,
    source: Annotated[Path | None, typer.Option("--source", "-s", help="Source text.")] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="NAMES",
            help="Metrics with options: bleu,chrf++,nee:unit=segment,ter. Default: bleu,chrf.",
        ),
    ] = None,
    langpair: PairOption = None,
    test_set: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="Everything in one place: an mt-metrics-eval folder, a JSONL/TSV/XML/TMX/XLIFF file, "
            "or a sacreBLEU test set such as wmt22.",
        ),
    ] = None,
    documents: Annotated[
        Path | None, typer.Option(help="Document id per line, or 'domain<TAB>document'.")
    ] = None,
    entities: Annotated[
        Path | None, typer.Option(help="The reference with its named entities marked, for the metric nee.")
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="TAG", help="Also score each domain, document or other tag apart.")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="NAME", help="The system to compare with. Default: the first.")
    ] = None,
    test: Annotated[
        Literal["bootstrap", "randomization"], typer.Option(help="How two systems are compared.")
    ] = "bootstrap",
    samples: Annotated[int, typer.Option(min=100, help="Bootstrap resamples.")] = 1000,
    trials: Annotated[int, typer.Option(min=100, help="Trials of the randomization test.")] = 10000,
    correction: Annotated[
        Literal["none", "bonferroni", "holm", "bh"],
        typer.Option(help="Correct p-values for the number of pairs."),
    ] = "none",
    alpha: AlphaOption = 0.05,
    seed: SeedOption = None,
    pairs: Annotated[bool, typer.Option("--pairs", help="Show all pairs, not only the baseline's.")] = False,
    guards: Annotated[bool, typer.Option(help="Look for empty, copied, wrong-language… outputs.")] = True,
    segment_scores: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one score per segment (TSV; JSONL by ending).")
    ] = None,
    findings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the segments worth a look, with evidence (JSONL)."),
    ] = None,
    max_calls: MaxCallsOption = None,
    max_characters: MaxCharactersOption = None,
    save: Annotated[bool, typer.Option("--save", help="Keep the run in the workspace.")] = False,
    cache: Annotated[bool, typer.Option(help="Reuse statistics measured before.")] = True,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Score systems against references: which one is better, and is the difference real?

    BLEU, chrF and TER equal sacreBLEU's to the last digit and carry its signature. All pairs of systems
    are tested; a new rank begins where all systems above differ from all below.

    \b
    Examples:
    mtassay score -s src.txt -r ref.txt -t old=old.txt -t new=new.txt -l en-de
    mtassay score -r refA.txt -r refB.txt -t outputs/ -m bleu,chrf++,ter -f md
    mtassay score --test-set wmt23/ -l en-de -m bleu --by domain
    """
    pair = pair_of(langpair)
    metrics = _metrics(metric, pair)
    check_targets(segment_scores, findings)
    outputs: dict[str, list[str | None]] = {}
    labels: dict[str, str] = {}
    if test_set is None:
        segments = read_segments(source, reference or [], documents=documents, pair=pair)
    else:
        segments, outputs, labels = _read_test_set(test_set, pair, source, reference, documents)
        chosen = [name for name in system or [] if name in outputs]
        outputs = {name: outputs[name] for name in chosen} if chosen else outputs
        system = [name for name in system or [] if name not in chosen]
    systems: list[System] = [stored_system(name, texts, segments) for name, texts in outputs.items()]
    systems += open_systems(system or [], segments, pair)
    if not systems:
        raise UsageError("There is no system to score: add -t NAME=FILE.")
    if entities is not None:
        segments = read_entities(entities, segments)
    method = ScoreMethod(
        metrics=metrics,
        baseline=_baseline(baseline, systems),
        pair=(str(pair.source), str(pair.target)) if pair else None,
        test=test,
        samples=samples,
        trials=trials,
        seed=seed if seed is not None else default_seed(),
        alpha=alpha,
        correction=correction,
        by=by,
        guards=guards,
        evidence=save or findings is not None,
        labels=labels,
    )
    store = Workspace(workspace_path(workspace)) if save else cache_workspace(workspace) if cache else None
    with Progress(quiet=quiet) as progress:
        budget = Budget(calls=max_calls, characters=max_characters)
        execution = execute(method, segments, systems, workspace=store, budget=budget, report=progress.report)
        if save and store:
            execution.save(store)
    if segment_scores is not None:
        _write_segment_scores(segment_scores, execution, metrics)
    if findings is not None:
        write_jsonl(findings, findings_with_texts(execution.run.findings, segments, execution.outputs))
    print_run(execution.run, output_format, all_pairs=pairs, facts=_facts(segments, pair))
    if save:
        place = f" --workspace {workspace}" if workspace else ""
        say(f"mtassay: saved; see it again: mtassay runs show {execution.run.id}{place}")
    exit_if_failed(systems, execution.outputs)


def _metrics(specs: list[str] | None, pair: Pair | None) -> dict[str, Metric]:
    language = str(pair.target) if pair else ""
    wanted = [part for spec in specs or ["bleu,chrf"] for part in split_specs(spec)]
    if not wanted:
        raise UsageError("There is no metric: write -m bleu,chrf or leave -m out.")
    return {spec: build("metric", spec, language=language) for spec in wanted}


def _read_test_set(
    where: str, pair: Pair | None, source: Path | None, references: list[Path] | None, documents: Path | None
) -> tuple[list[Segment], dict[str, list[str | None]], dict[str, str]]:
    """Segments, outputs, and what goes into the signatures."""
    given = [option for option, value in (("-s", source), ("--documents", documents)) if value]
    if given:
        raise UsageError(f"--test-set brings source and documents along: leave out {given[0]}.")
    test_set = read_test_set(where, pair=pair)
    if references:
        test_set = test_set.with_references([str(name) for name in references])
    labels = {"test": test_set.name, "lang": str(pair)} if pair else {"test": test_set.name}
    return test_set.segments, test_set.outputs, labels


def _baseline(chosen: str | None, systems: Sequence[System]) -> str:
    names = [system.name for system in systems]
    if chosen is None:
        return names[0]
    if chosen not in names:
        raise UsageError(f"No system '{chosen}' to take as the baseline. Available: {', '.join(names)}.")
    return chosen


def _facts(segments: list[Segment], pair: Pair | None) -> str:
    """What was scored, in a line."""
    references = max((len(segment.references) for segment in segments), default=0)
    facts = [str(pair)] if pair else []
    facts += [f"{len(segments):,} segments", f"{references} reference{'s' * (references != 1)}"]
    return " · ".join(facts)


def _write_segment_scores(path: Path, execution: Execution, metrics: dict[str, Metric]) -> None:
    """One row per unit and system, with a column per metric that counts in the same units."""
    rows: dict[tuple[str, str], dict[str, object]] = {}
    for entry in execution.judgement.statistics:
        if entry.group == "all":
            values = metrics[entry.metric].unit_scores(entry.values).tolist()
            for unit, value in zip(entry.ids, values, strict=True):
                row = rows.setdefault((entry.system, unit), {"system": entry.system, "id": unit})
                row[entry.metric] = value
    columns = ["system", "id", *metrics]
    records = [{column: row.get(column) for column in columns} for row in rows.values()]
    if path.suffix == ".jsonl":
        write_jsonl(path, records)
    else:
        write_tsv(path, records, columns=columns)
