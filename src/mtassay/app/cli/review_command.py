"""`mtassay review`: open outputs, asked at the terminal or printed; reviews in files."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from mtassay.app.campaign_work import cards, still_open
from mtassay.app.cli import review_people
from mtassay.app.cli.frame import (
    FormatOption,
    LimitOption,
    OutputFormat,
    ReviewerOption,
    RunArgument,
    SeedOption,
    Values,
    WorkspaceOption,
    check_targets,
    echo,
    print_json,
    print_tables,
    refuse_existing,
    say,
    screen_here,
)
from mtassay.app.cli.review_people import ShowSystemsOption, choosing
from mtassay.app.cli.session import ask_here
from mtassay.app.exchange import ExchangeForm, export_as, export_tasks
from mtassay.app.reviewing import (
    ReviewerAgreement,
    agreement,
    decide,
    import_reviews,
    pending,
    reviewer_name,
    reviews,
    shown_record,
    told,
)
from mtassay.app.runs import open_workspace
from mtassay.data.display import Line, Table
from mtassay.data.errors import UsageError
from mtassay.data.formats.review_files import ENDINGS, write_records
from mtassay.data.marks import marked, plural, printable, wrapped
from mtassay.data.subjects import SHORT, Pending, told_answer
from mtassay.review.campaign_store import KeptAnswer
from mtassay.review.pending import Order

# Parts of the review commands: which run, which of its outputs, which question, which campaign.


AllOption = Annotated[bool, typer.Option("--all", help="The outputs of all saved runs, each only once.")]
DoubleOption = Annotated[
    bool, typer.Option("--double", help="Also show outputs that others answered, to measure agreement.")
]
OrderOption = Annotated[
    Order,
    typer.Option(
        "--order",
        help="What comes first: items that need few answers (fair), outputs that most systems gave, or the "
        "order of the run.",
    ),
]
QuestionOption = Annotated[
    str | None,
    typer.Option(
        "--question",
        metavar="NAME",
        help="Ask this question: one of the run, or about all outputs entities, mqm, esa, adequacy, fluency, "
        "informativeness, da.",
    ),
]
CampaignOption = Annotated[
    str | None, typer.Option("--campaign", metavar="NAME", help="A campaign of several reviewers, or 'last'.")
]
AdjudicateOption = Annotated[
    bool, typer.Option("--adjudicate", help="With --campaign: decide where its reviewers disagree.")
]


# `mtassay review export` and `import`: reviews in files, and sheets to fill in.


@choosing()
def export_reviews(
    run: RunArgument = "last",
    only_open: Annotated[
        bool, typer.Option("--open", help="Write the open outputs of RUN, with a column 'answer' to fill in.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="TSV, CSV or JSONL.")] = None,
    form: Annotated[
        ExchangeForm | None,
        typer.Option(
            "--as",
            help="For another program: entities (for nee), WMT's MQM files, mt-metrics-eval (mtme), WMT's "
            "ESA records, ratings (for meta correlate), corrections (to train on), Label Studio, Pearmut.",
        ),
    ] = None,
    question: QuestionOption = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    every_run: AllOption = False,
    reviewer: ReviewerOption = None,
    double: DoubleOption = False,
    show_systems: ShowSystemsOption = False,
    limit: LimitOption = None,
    choice: Values = {},  # noqa: B006
    order: OrderOption = "fair",
    workspace: WorkspaceOption = None,
) -> None:
    """Write reviews, or with --open a sheet to fill in.

    \b
    Examples:
    mtassay review export -o reviews.jsonl
    mtassay review export --open --reviewer anna -o for-anna.csv
    mtassay review export --open --question esa --as pearmut -o campaign.json
    mtassay review export last --as ratings -o ratings.tsv
    """
    if form is None and output is not None and not output.name.removesuffix(".gz").endswith(ENDINGS):
        raise UsageError(f"{output}: the ending says the format: {', '.join(ENDINGS)}.")
    chooses = (reviewer, double, show_systems, limit, *choice.values())
    if form is not None and not only_open:
        check_targets(output)
        refuse_existing(output, force=force)
        done = export_as(form, output or sys.stdout, run=run, question=question, workspace=workspace)
        if output is not None:
            say(f"mtassay: wrote {plural(done.records, 'record')} to {output}")
        if done.unsure:
            say(f"mtassay: left out {plural(done.unsure, 'answer')} 'unsure', as {form} has none")
        _say_unfinished(workspace)
        return
    if form not in (None, "labelstudio", "pearmut"):
        raise UsageError(f"--as {form} writes what people answered: leave --open out.")
    if not only_open and (run != "last" or every_run or any(chooses) or question):
        raise UsageError(
            "RUN and the options that choose outputs are for --open; without it, all reviews are written."
        )
    check_targets(output)
    refuse_existing(output, force=force)  # it may be a sheet with answers
    if only_open:
        name = (reviewer or "").strip()
        queue = pending(
            run,
            reviewer=name,
            every_run=every_run,
            double=double,
            question=question,
            order=order,
            **choice,
            workspace=workspace,
        )
        if form in ("labelstudio", "pearmut"):
            people = [name] if name else []
            count = export_tasks(form, output or sys.stdout, queue.waiting[:limit], reviewers=people)
            if output is not None:
                say(f"mtassay: wrote {plural(count, 'open output')} to {output}")
            return
        records = queue.records(show_systems=show_systems)[:limit]
    else:
        records = reviews(workspace=workspace)
    if not records:
        raise UsageError("Nothing is open." if only_open else "There are no reviews yet.")
    write_records(output or sys.stdout, records)
    if output is not None:
        what = plural(len(records), "open output" if only_open else "review")
        say(f"mtassay: wrote {what} to {output}")
        if only_open:
            say(f"mtassay: fill in the column 'answer', then: mtassay review import {output}")
    if not only_open:
        _say_unfinished(workspace)


def _say_unfinished(workspace: Path | None) -> None:
    for line in still_open(workspace=workspace):
        say(f"mtassay: {printable(line)}")


def import_file(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Reviews or a filled-in sheet: TSV, CSV, JSONL; or JSON of Label Studio or Pearmut.",
        ),
    ],
    reviewer: Annotated[
        str | None,
        typer.Option(
            "--reviewer",
            metavar="NAME",
            help="Who answered, if the file does not say. Default: $MTASSAY_REVIEWER or your login name.",
        ),
    ] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Read reviews or a filled-in sheet.

    If one row is wrong, nothing is added. Rows without an answer are left out.

    \b
    Examples:
    mtassay review import for-anna.tsv
    mtassay review import sheet.tsv --reviewer ben
    """
    done = import_reviews(file, reviewer=reviewer, workspace=workspace)
    echo(str(done))
    if reviewer is None and done.unsigned:
        answers = plural(done.unsigned, "answer")
        say(f"mtassay: the file does not say who gave {answers}: taken as {done.reviewer}'s")


def show_agreement(
    question: Annotated[
        str | None,
        typer.Option(
            "--question",
            metavar="NAME",
            help="Which question, by its name. Default: suite, or the only one with answers.",
        ),
    ] = None,
    disputed: Annotated[bool, typer.Option("--disputed", help="List outputs without a majority.")] = False,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Show how well reviewers agree with each other.

    Kappa and alpha are 1 for full agreement and 0 for chance.

    \b
    Examples:
    mtassay review next --double --reviewer ben
    mtassay review agreement --disputed
    """
    reviewer_agreement = agreement(question, seed=seed, workspace=workspace)
    if output_format is OutputFormat.json:
        print_json(reviewer_agreement.record(with_disputed=disputed))
        return
    table, *contested = reviewer_agreement.tables(with_disputed=disputed)
    print_tables([table], output_format)
    if not disputed:
        return
    echo()
    if output_format is OutputFormat.text:
        _print_disputed(reviewer_agreement)
    else:
        print_tables(contested, output_format)


def _print_disputed(reviewer_agreement: ReviewerAgreement) -> None:
    screen = screen_here()
    for subject, decision in reviewer_agreement.disputed:
        echo(f"{subject.id[:SHORT]} · {printable(subject.case_id)} · {told(decision)}")
        for source in subject.sources:
            echo(screen.line("  source", source or ""))
        for text in subject.outputs:
            echo(screen.line("  output", text))


@choosing()
def next_open(
    run: RunArgument = "last",
    every_run: AllOption = False,
    reviewer: ReviewerOption = None,
    campaign: CampaignOption = None,
    adjudicates: AdjudicateOption = False,
    question: QuestionOption = None,
    double: DoubleOption = False,
    show_systems: ShowSystemsOption = False,
    limit: LimitOption = None,
    suite: Annotated[
        str | None, typer.Option(metavar="SUITE", help="Use the newest run of this suite.")
    ] = None,
    as_list: Annotated[bool, typer.Option("--list", help="Print what is open and ask no questions.")] = False,
    choice: Values = {},  # noqa: B006
    order: OrderOption = "fair",
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Decide on open outputs, one key for each.

    An output is open if no rule or judge decides it, or if reviewers disagree. Answers are saved at once.
    Without a terminal it prints a list.

    \b
    Examples:
    mtassay review next
    mtassay review next --reviewer anna --limit 20
    mtassay review next --all --double
    mtassay review next --suite en-pt
    mtassay review next --category Negation --system nmt
    mtassay review next --question da --sample 50
    mtassay review next --campaign spring --reviewer anna
    mtassay review next --campaign spring --reviewer dora --adjudicate
    mtassay review next --format tsv > open.tsv
    """
    store = open_workspace(workspace)
    name = reviewer_name(reviewer)
    if campaign is not None:
        review_people.show_next(
            campaign, name, adjudicates=adjudicates, output_format=output_format, workspace=workspace
        )
        return
    if adjudicates:
        raise UsageError("--adjudicate goes with --campaign NAME.")
    queue = pending(
        run,
        reviewer=name,
        every_run=every_run,
        double=double,
        question=question,
        order=order,
        suite=suite,
        workspace=workspace,
        **choice,
    )
    shown = queue.waiting[:limit]
    if output_format is not OutputFormat.text:
        _print(shown, output_format, show_systems=show_systems)
    elif not queue.waiting:
        where = "any run" if every_run else f"run {queue.run}" if queue.run else "this run"
        echo(f"Nothing is open for {name} in {where} ({queue.total:,} outputs were).")
    elif as_list or not (sys.stdin.isatty() and sys.stdout.isatty()):
        _print_list(shown, len(queue.waiting), show_systems=show_systems)
    else:
        echo(f"{len(queue.waiting):,} open for {name}{_summary(queue.waiting)}.")
        ask_here(store, name, shown, double=double, show_systems=show_systems)


def _summary(queue: Sequence[Pending]) -> str:
    """Count each status; a blind question has its name instead."""
    kinds = Counter(p.question.name if p.question.is_blind else p.status for p in queue)
    if len(kinds) == 1 and queue[0].question.is_blind:
        return f" (question: {queue[0].question.name})"
    return ": " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())


def _print_list(shown: Sequence[Pending], total: int, *, show_systems: bool) -> None:
    screen = screen_here()
    for entry in shown:
        record = shown_record(entry, with_case=False)
        count = plural(len(entry.systems), "system") if entry.systems else ""
        systems = ", ".join(entry.systems) if show_systems else count
        head = (entry.subject.id[:SHORT], record["status"], systems, record["phenomenon"], record["case_id"])
        echo(" · ".join(marked(part, limit=60) for part in head if part))
        lines = [Line("output" if entry.systems else "text", text) for text in entry.subject.outputs]
        is_pair = not (entry.question.is_of_runs or entry.question.how)
        for line in entry.lines if is_pair else [Line("source", entry.segment.source or ""), *lines]:
            echo(screen.line(f"  {line.label}", line.text))
    more = "" if len(shown) == total else f", {len(shown):,} shown"
    first, question = shown[0].subject.id[:SHORT], shown[0].question
    answer_words = "ANSWER" if question.how else next(iter(question.keys.values()))
    answer_words += "" if question.is_of_runs else f" --question {question.name}"
    echo(f"\n{total:,} open{more}. Settle one: mtassay review decide {first} {answer_words}")
    if question.how:
        echo(wrapped(f"ANSWER is {question.how}", width=screen.width))


def _print(shown: Sequence[Pending], form: OutputFormat, *, show_systems: bool) -> None:
    records = [shown_record(entry, show_systems=show_systems, with_case=False) for entry in shown]
    if form is OutputFormat.json:
        print_json(records)
        return
    columns = ["subject", "status", "n_systems", "case_id", "phenomenon", "sources", "outputs"]
    columns += ["systems"] * show_systems
    rows = [[_cell(record[column]) for column in columns] for record in records]
    header = ["source" if c == "sources" else "output" if c == "outputs" else c for c in columns]
    print_tables([Table(header, rows)], form)


def _cell(value: object) -> str:
    return printable(" | ".join(map(str, value)) if isinstance(value, list) else str(value))


def decide_one(
    words: Annotated[
        list[str],
        typer.Argument(metavar="SUBJECT ANSWER", help="Or: RUN CASE SYSTEM ANSWER.", show_default=False),
    ],
    reviewer: ReviewerOption = None,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="A remark on the answer.")] = "",
    campaign: CampaignOption = None,
    adjudicates: AdjudicateOption = False,
    question: QuestionOption = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Decide on one output.

    SUBJECT is the id that 'review next' and 'explain' show. Answers about a suite: correct, incorrect,
    unsure; about invariance: correct, under, over, modification, mistranslation, logic, several, unsure;
    about behaviour: correct, wrong, unsure.

    \b
    Examples:
    mtassay review decide 3f2a9c correct
    mtassay review decide last negation-001 nmt incorrect --note "lost the negation"
    mtassay review decide last 17 nmt 85 --question da
    mtassay review decide 3f2a9c "PER: Maria Silva; LOC: Lisboa" --question entities
    mtassay review decide 3f2a9c correct --campaign spring --reviewer anna
    """
    if campaign is not None:
        if len(words) != 2:
            raise UsageError("Write: mtassay review decide SUBJECT ANSWER --campaign NAME")
        queue = cards(campaign, reviewer, adjudicates=adjudicates, workspace=workspace)
        kept = queue.answer(*words, note=note)
        _tell(kept, f"Subject {kept.subject.id[:SHORT]}")
        for line in review_people.told(kept):
            echo(line)
        return
    if adjudicates:
        raise UsageError("--adjudicate goes with --campaign NAME.")
    if len(words) == 2:
        place = {"subject": words[0]}
    elif len(words) == 4:
        place = dict(zip(("run", "case", "system"), words, strict=False))
    else:
        open_workspace(workspace)
        raise UsageError("Write: mtassay review decide SUBJECT ANSWER, or: RUN CASE SYSTEM ANSWER.")
    done = decide(words[-1], **place, question=question, reviewer=reviewer, note=note, workspace=workspace)
    _tell(done, f"Subject {done.subject.id[:SHORT]} (case {printable(done.subject.case_id)})")


def _tell(kept: KeptAnswer, about: str) -> None:
    """Print the answer, and the result so far."""
    said = told_answer(kept.question, kept.review.answer, kept.subject)
    holds = "waits for others"
    if kept.decision is not None:
        answer = kept.decision.answer
        holds = f"is now {kept.holds if answer is None else told_answer(kept.question, answer, kept.subject)}"
    echo(f"{kept.review.reviewer}: {said}. {about} {holds}.")


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("next")(next_open)
    app.command("decide")(decide_one)
    app.command("export")(export_reviews)
    app.command("import")(import_file)
    app.command("agreement")(show_agreement)
    review_people.register(app)
