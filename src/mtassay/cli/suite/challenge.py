"""`mtassay suite challenge`: a challenge set for metrics and quality estimation from what a suite knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from mtassay.api import workspace_path
from mtassay.caller import Budget
from mtassay.cli.common import (
    FormatOption,
    MaxCallsOption,
    MaxCharactersOption,
    OutputFormat,
    QuietOption,
    SeedOption,
    SystemOption,
    WorkspaceOption,
    cache_workspace,
    check_targets,
    plural,
    print_json,
    print_tables,
    refuse_existing,
    say,
)
from mtassay.cli.frame import exit_if_failed
from mtassay.cli.suite.choosing import EVERYTHING, choosing
from mtassay.cli.suite.evidence import ask
from mtassay.cli.suite.inputs import Inputs, SuiteArgument, read_inputs
from mtassay.core import Output
from mtassay.errors import UsageError
from mtassay.formats.challenge import LINE_FILES, write_challenge, write_challenge_lines
from mtassay.methods.suite.challenge import Harvest, make_pairs, sort_outputs
from mtassay.methods.suite.judging import Judge
from mtassay.methods.suite.method import QUESTION, SuiteMethod
from mtassay.methods.suite.selection import Choice
from mtassay.report.challenge import harvest_table
from mtassay.report.progress import Progress
from mtassay.reviews import Subject, decide
from mtassay.stats import fixed_seed
from mtassay.store import Workspace


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("challenge", short_help="Make a challenge set to test metrics with.")(challenge)


@choosing
def challenge(
    suite: SuiteArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The challenge set to write (JSONL).")
    ],
    system: SystemOption = None,
    run: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="RUN", help="Take the outputs of this saved run too. Repeat."),
    ] = None,
    choice: Choice = EVERYTHING,
    per_item: Annotated[int, typer.Option(min=1, help="Most pairs of one item.")] = 1,
    lines: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Write source.txt, output.txt and reference.txt too, for other metrics."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
    reviews: Annotated[bool, typer.Option(help="Take what reviewers decided into account.")] = True,
    seed: SeedOption = None,
    max_calls: MaxCallsOption = None,
    max_characters: MaxCharactersOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Make a challenge set for metrics: does a metric prefer the correct output?

    Every item with a known correct and a known incorrect output gives pairs of both, and another correct
    output as the reference. Known are the tokens of the suite, what its rules say about the outputs of
    -t and --run, and what reviewers decided. Judge metrics by it with 'mtassay meta challenge'.

    \b
    Examples:
    mtassay suite challenge items.json -o challenge.jsonl
    mtassay suite challenge my.yaml -o c.jsonl -t outputs/ --per-item 4
    mtassay suite challenge my.yaml -o c.jsonl --run last --lines for-comet/
    """
    check_targets(output)
    refuse_existing(output, *((lines / name for name in LINE_FILES) if lines else ()), force=force)
    inputs = read_inputs(suite, choice)
    store = Workspace(workspace_path(workspace)) if run else cache_workspace(workspace)
    Judge(inputs.suite).check()  # a bad rule is said before an engine is asked
    known = _KnownOutputs.of(store, reviews=reviews)
    for name in run or []:
        known.add_run(store, name, inputs)
    systems = inputs.systems(system or [])
    budget = Budget(calls=max_calls, characters=max_characters)
    outputs = ask(inputs, systems, store=store, budget=budget, quiet=quiet)
    known.add(outputs)
    with Progress(quiet=quiet) as progress:
        found = sort_outputs(
            inputs.suite,
            known.outputs,
            decisions=known.decisions,
            subjects=known.subjects,
            report=partial(progress.report, "judging"),
        )
    drawn = fixed_seed(seed)
    harvests = [make_pairs(i, found[i.id], per_item=per_item, seed=drawn) for i in inputs.suite.items]
    pairs = [pair for harvest in harvests for pair in harvest.pairs]
    if not pairs:
        reasons = Counter(harvest.why_none for harvest in harvests)
        why = ", ".join(f"{count:,} have {reason}" for reason, count in reasons.most_common())
        raise UsageError(f"No item gives a pair: {why}. Add tokens, or outputs with -t or --run.")
    write_challenge(output, pairs)
    if lines is not None:
        write_challenge_lines(lines, pairs)
    _show(harvests, output_format)
    say(f"mtassay: wrote {output}; judge metrics by it: mtassay meta challenge {output}")
    exit_if_failed(systems, outputs)


def _show(harvests: Sequence[Harvest], form: OutputFormat) -> None:
    rows = [(h.item.category, [pair.reference is not None for pair in h.pairs], h.why_none) for h in harvests]
    if form is not OutputFormat.json:
        print_tables([harvest_table(rows)], form)
        return
    pairs = [has_reference for _, pairs, _ in rows for has_reference in pairs]
    print_json(
        {
            "items": len(rows),
            "items_with_pairs": sum(bool(pairs) for _, pairs, _ in rows),
            "pairs": len(pairs),
            "pairs_with_reference": sum(pairs),
            "items_without_pairs": dict(Counter(why for _, _, why in rows if why)),
        }
    )


@dataclass
class _KnownOutputs:
    """Outputs by system and item, and what people decided about them."""

    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    decisions: Mapping[str, str] = field(default_factory=dict)
    subjects: Sequence[Subject] = ()

    @classmethod
    def of(cls, store: Workspace | None, *, reviews: bool) -> _KnownOutputs:
        if store is None or not reviews:
            return cls()
        held = decide(store.reviews(QUESTION))
        decisions = {subject: d.answer for (subject, _), d in held.items() if d.answer}
        subjects = store.subjects() if decisions else {}
        return cls({}, decisions, [subjects[key] for key in decisions if key in subjects])

    def add_run(self, store: Workspace | None, name: str, inputs: Inputs) -> None:
        """The outputs of a saved run; those of another source than the item has today are left out."""
        assert store is not None
        found = store.run(name)
        if found.method != SuiteMethod.name:
            raise UsageError(f"Run {found.id} is not of 'mtassay suite run' but of '{found.method}'.")
        today = {item.id: item.source for item in inputs.suite.items}
        then = {segment.id: segment.source for segment in store.segments(found.id)}
        changed = {key for key in today.keys() & then.keys() if today[key] != then[key]}
        if changed:
            say(f"mtassay: run {found.id}: {plural(len(changed), 'item')} left out: another source today")
        self.add(store.outputs(found.id), without=changed)

    def add(self, outputs: Mapping[str, Sequence[Output]], *, without: Collection[str] = ()) -> None:
        """Outputs by system. Two systems of one name from different places are told apart by a number."""
        for system, answers in outputs.items():
            name, number = system, 2
            while name in self.outputs:
                name, number = f"{system}#{number}", number + 1
            self.outputs[name] = {o.id: o.text for o in answers if o.text is not None and o.id not in without}
