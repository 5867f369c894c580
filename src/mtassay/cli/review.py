"""`mtassay review`: what rules could not settle, people do."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.api import access, curation, open_workspace
from mtassay.api.campaigns import adjudicate, answer
from mtassay.api.exchange import ExchangeForm, export_as, export_tasks
from mtassay.api.people import (
    ReviewerAgreement,
    agreement,
    audit,
    decide,
    import_reviews,
    pending,
    reviewer_name,
    reviews,
    shown_record,
    told,
)
from mtassay.cli import campaigns
from mtassay.cli.common import (
    FormatOption,
    LimitOption,
    OutputFormat,
    ReviewerOption,
    SeedOption,
    WorkspaceOption,
    check_targets,
    echo,
    plural,
    print_json,
    print_tables,
    refuse_existing,
    say,
    screen_here,
)
from mtassay.cli.interruption import CTRL_C
from mtassay.cli.session import Session, read_key, read_line
from mtassay.display import Table
from mtassay.errors import UsageError
from mtassay.formats.reviews import ENDINGS, write_records
from mtassay.formats.suite import read_suite
from mtassay.reviews import Decision, Question, Subject, told_answer
from mtassay.reviews.queue import Order, Pending
from mtassay.reviews.subjects import SHORT
from mtassay.store import DEFAULT, Workspace
from mtassay.texts.marks import marked, printable, wrapped
from mtassay.web.server import PORT, serve

app = typer.Typer(no_args_is_help=True)
app.add_typer(campaigns.app, name="campaign")

RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's id, the beginning of it, or 'last'.")
]
AllOption = Annotated[bool, typer.Option("--all", help="The outputs of all saved runs, each one once.")]
DoubleOption = Annotated[
    bool, typer.Option("--double", help="Also what others settled, to measure agreement.")
]
ShowSystemsOption = Annotated[
    bool, typer.Option("--show-systems", help="Name the systems. Reviewers should not know them.")
]
CategoryOption = Annotated[
    list[str] | None, typer.Option("--category", metavar="NAME", help="Only this category; * works. Repeat.")
]
PhenomenonOption = Annotated[
    list[str] | None,
    typer.Option("--phenomenon", metavar="NAME", help="Only this phenomenon; * works. Repeat."),
]
ItemOption = Annotated[
    list[str] | None, typer.Option("--item", metavar="ID", help="Only this item; * works. Repeat.")
]
SystemOption = Annotated[
    list[str] | None, typer.Option("--system", metavar="NAME", help="Only what this system gave. Repeat.")
]
SampleOption = Annotated[
    int | None, typer.Option("--sample", min=1, metavar="N", help="So many of them, drawn by --seed.")
]
OrderOption = Annotated[
    Order,
    typer.Option(
        "--order",
        help="Items that need the fewest answers first (fair), outputs of most systems, or as in the run.",
    ),
]
SettledOption = Annotated[
    bool,
    typer.Option(
        "--settled",
        help="What was settled without people instead, blindly: a sample of 100, unless --sample says more.",
    ),
]
QuestionOption = Annotated[
    str | None,
    typer.Option(
        "--question",
        metavar="NAME",
        help="Ask this of all outputs: entities, mqm, esa, adequacy, fluency, informativeness, da.",
    ),
]
CampaignOption = Annotated[
    str | None, typer.Option("--campaign", metavar="NAME", help="A campaign of several reviewers, or 'last'.")
]
AdjudicateOption = Annotated[
    bool, typer.Option("--adjudicate", help="With --campaign: settle what its reviewers see differently.")
]
AUDIT_SAMPLE = 100


def register(parent: typer.Typer) -> None:
    """Add the commands to the command line."""
    parent.add_typer(app, name="review")


@app.callback()
def options() -> None:
    """Settle what rules could not: look at outputs and decide."""


@app.command("next")
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
        str | None,
        typer.Option("--suite", metavar="SUITE", help="Take the newest run of this suite; show its rules."),
    ] = None,
    as_list: Annotated[
        bool, typer.Option("--list", help="Print what is open instead of asking; so does --format.")
    ] = False,
    settled: SettledOption = False,
    category: CategoryOption = None,
    phenomenon: PhenomenonOption = None,
    item: ItemOption = None,
    system: SystemOption = None,
    sample: SampleOption = None,
    seed: SeedOption = None,
    order: OrderOption = "fair",
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Decide on open outputs, one key for each.

    Open is what no rule of a suite settles, or rules of both kinds claim, what is shown with an issue of
    an invariance run, what fails in a behaviour run, and what reviewers dispute. Equal outputs of several
    systems come once, and items that need the fewest answers first. Every answer is kept at once: stop
    whenever you like, and go on with the same command. Without a terminal it prints a list. --settled asks
    about verdicts that were reached without people, and ends with how many of them are right.

    \b
    Examples:
    mtassay review next
    mtassay review next --reviewer anna --limit 20
    mtassay review next --all --double
    mtassay review next --suite en-pt
    mtassay review next --category Negation --system nmt
    mtassay review next --settled --sample 100
    mtassay review next --question da --sample 50
    mtassay review next --campaign spring --reviewer anna
    mtassay review next --campaign spring --reviewer dora --adjudicate
    mtassay review next --format tsv > open.tsv
    """
    store = open_workspace(workspace)
    name = reviewer_name(reviewer)
    if campaign is not None:
        _next_of_campaign(store, campaign, name, adjudicates, as_list, output_format, workspace)
        return
    if adjudicates:
        raise UsageError("--adjudicate goes with --campaign NAME.")
    content = read_suite(suite) if suite else None
    choice = _choice(category, phenomenon, item, system, sample or _usual(settled), seed, workspace)
    choice["suite"] = content
    queue = pending(
        run,
        reviewer=name,
        every_run=every_run,
        double=double,
        question=question,
        settled=settled,
        order=order,
        **choice,
    )
    shown = queue.waiting[:limit]
    if output_format is not OutputFormat.text:
        _print(shown, output_format, show_systems=show_systems)
    elif settled and not queue.waiting:
        print_tables([audit(run, **choice).table()], output_format)
    elif not queue.waiting:
        where = "any run" if every_run else f"run {queue.run}" if queue.run else "this run"
        echo(f"Nothing is open for {name} in {where} ({queue.total:,} outputs were).")
    elif as_list or not (sys.stdin.isatty() and sys.stdout.isatty()):
        _print_list(shown, len(queue.waiting), show_systems=show_systems)
    else:
        session = Session(
            store,
            name,
            shown,
            screen_here(),
            read_key,
            read_line,
            echo,
            double=double,
            show_systems=show_systems,
            items={item.id: item for item in content.items} if content else {},
            write_rule=_rule_writer(suite, name, queue.run, workspace) if suite else None,
        )
        echo(f"{len(queue.waiting):,} open for {name}{_summary(queue.waiting)}.")
        echo(f"\n{session.run()}")
        if settled:
            echo()
            print_tables([audit(run, **choice).table()], output_format)


def _next_of_campaign(
    store: Workspace,
    campaign: str,
    name: str,
    adjudicates: bool,
    as_list: bool,
    output_format: OutputFormat,
    workspace: Path | None,
) -> None:
    """Ask at the terminal; without one, show the next output, which is this person's for a while."""
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if output_format is OutputFormat.text and is_terminal and not as_list:
        echo(campaigns.sit_down(store, campaign, name, adjudicates=adjudicates, workspace=workspace))
        return
    card = campaigns.next_for(campaign, name, adjudicates=adjudicates, workspace=workspace)
    if output_format is not OutputFormat.text:
        if output_format is not OutputFormat.json:
            raise UsageError("The next output of a campaign is printed as text or json.")
        print_json(None if card is None else campaigns.card_record(card))
    elif card is None:
        echo(f"Nothing is left for {name} in campaign '{campaign}'.")
    else:
        screen = screen_here()
        echo(screen.pending(card.pending, [], show_systems=False))
        echo(f"\n{screen.keys(card.pending.question)}")
        role = " --adjudicate" if adjudicates else ""
        said = f"mtassay review decide {card.subject.id[:SHORT]} ANSWER --campaign {card.campaign.name}{role}"
        echo(f"\nAnswer it: {said}")


def _usual(settled: bool) -> int | None:
    """How many outputs are drawn where nobody says it: all that are open, a sample of what is settled."""
    return AUDIT_SAMPLE if settled else None


def _choice(
    category: list[str] | None,
    phenomenon: list[str] | None,
    item: list[str] | None,
    system: list[str] | None,
    sample: int | None,
    seed: int | None,
    workspace: Path | None,
) -> dict[str, Any]:
    """The options that choose outputs, as `pending` and `audit` take them."""
    return {
        "category": category or (),
        "phenomenon": phenomenon or (),
        "item": item or (),
        "system": system or (),
        "sample": sample,
        "seed": seed,
        "workspace": workspace,
    }


def _rule_writer(
    suite: str, reviewer: str, run: str, workspace: Path | None
) -> Callable[[Pending, str, bool], list[str]]:
    """Writes expressions into the suite as 'suite accept --regex' does."""

    def write_rule(entry: Pending, pattern: str, is_right: bool) -> list[str]:
        return curation.add_expression(
            suite,
            entry.subject.id,
            pattern,
            correct=is_right,
            reviewer=reviewer,
            run=run or None,
            workspace=workspace,
        )

    return write_rule


def _summary(queue: Sequence[Pending]) -> str:
    """How many of each status; a blind question has its name instead."""
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
        echo(screen.line("  source", entry.segment.source or ""))
        for text in entry.subject.outputs:
            echo(screen.line("  output" if entry.systems else "  text", text))
    more = "" if len(shown) == total else f", {len(shown):,} shown"
    first, question = shown[0].subject.id[:SHORT], shown[0].question
    answer_words = f"ANSWER --question {question.name}" if question.how else "correct"
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


@app.command("audit")
def show_audit(
    run: RunArgument = "last",
    category: CategoryOption = None,
    phenomenon: PhenomenonOption = None,
    item: ItemOption = None,
    system: SystemOption = None,
    sample: SampleOption = AUDIT_SAMPLE,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Show how many verdicts are right that were reached without people.

    On a sample drawn at random, by the answers of people who did not see the verdicts: those of 'review
    next --settled', or of a sheet from 'review export --settled'.

    \b
    Examples:
    mtassay review next --settled --sample 100
    mtassay review audit
    mtassay review audit last --category Negation --format json
    """
    result = audit(run, **_choice(category, phenomenon, item, system, sample, seed, workspace))
    if output_format is OutputFormat.json:
        print_json(result.record())
        return
    print_tables([result.table()], output_format)
    if output_format is OutputFormat.text and result.wrong:
        screen = screen_here()
        echo(f"\nVerdicts that people find wrong: {len(result.wrong):,}")
        for entry in result.wrong:
            echo(f"\n{printable(entry.subject.case_id)} · {entry.status} by the rules")
            echo(screen.line("  source", entry.segment.source or ""))
            for text in entry.subject.outputs:
                echo(screen.line("  output", text))


@app.command("decide")
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

    A later answer of the same reviewer replaces the earlier one, which stays in the history. SUBJECT is
    the id that 'review next' and 'explain' show, or its beginning. CASE of a behaviour run means the output
    to its edited source. Answers about a suite: correct, incorrect, unsure; about invariance: correct, under,
    over, modification, mistranslation, logic, several, unsure; about behaviour: correct, wrong, unsure.

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
        act = adjudicate if adjudicates else answer
        subject, text = words
        kept = act(campaign, subject, text, reviewer_name(reviewer), note=note, workspace=workspace)
        said = told_answer(kept.question, kept.review.answer, kept.subject)
        holds = "waits for others"
        if kept.decision is not None:
            holds = f"is now {_held(kept.question, kept.decision, kept.subject)}"
        echo(f"{kept.review.reviewer}: {said}. Subject {kept.subject.id[:SHORT]} {holds}.")
        for line in campaigns.told(kept):
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
    about = f"Subject {done.subject.id[:SHORT]} (case {printable(done.subject.case_id)})"
    said = told_answer(done.question, done.answer, done.subject)
    echo(f"{done.reviewer}: {said}. {about} is now {_held(done.question, done.decision, done.subject)}.")


def _held(question: Question, decision: Decision, subject: Subject) -> str:
    if decision.answer is None:
        return "disputed" if decision.is_disputed else "still open"
    return told_answer(question, decision.answer, subject)


@app.command("serve")
def serve_page(
    workspace: Annotated[
        Path | None,
        typer.Argument(
            metavar="[WORKSPACE]", help=f"The workspace file. Default: $MTASSAY_WORKSPACE or {DEFAULT}."
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help="Where to listen; others need an invitation.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, metavar="N", help="Which port; 0 takes a free one.")
    ] = PORT,
    reviewer: ReviewerOption = None,
    show_systems: ShowSystemsOption = False,
    known_as: Annotated[
        list[str] | None,
        typer.Option(
            "--known-as", metavar="NAME", help="Another name of this server, as of a proxy. Repeat."
        ),
    ] = None,
) -> None:
    """Serve the review page: what waits, in a browser.

    Without invitations only this machine can open the page, and whoever does is its admin, under the name of
    --reviewer. Once somebody is invited, everybody needs a link. Stop it with Ctrl-C; every answer is kept
    as soon as the page says so.

    \b
    Examples:
    mtassay review serve
    mtassay review serve --reviewer anna --port 9000
    mtassay review serve --host 0.0.0.0 --known-as review.example.org
    """
    try:
        serve(
            workspace,
            host=host,
            port=port,
            reviewer=reviewer,
            show_systems=show_systems,
            hosts=known_as or (),
            listen=lambda address: say(f"mtassay: the review page is at {address} (Ctrl-C stops it)"),
        )
    except KeyboardInterrupt:
        CTRL_C.settle()
        say("mtassay: stopped; every answer that the page confirmed is kept")


@app.command("invite")
def invite_reviewer(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose answers they will be.")],
    admin: Annotated[
        bool, typer.Option("--admin", help="May also see systems and everybody's answers, and write rules.")
    ] = False,
    address: Annotated[
        str, typer.Option("--address", metavar="URL", help="Where the page is, for the link.")
    ] = f"http://127.0.0.1:{PORT}",
    workspace: WorkspaceOption = None,
) -> None:
    """Make a link that lets somebody into the review page.

    It is shown once: the workspace keeps only what is needed to recognise it. Who is invited again gets a new
    link, and the old one is worth nothing.

    \b
    Examples:
    mtassay review invite anna
    mtassay review invite ben --admin --address https://review.example.org
    """
    secret = access.invite(name, admin=admin, workspace=workspace)
    echo(f"{address.rstrip('/')}/enter/{secret}")
    say(f"mtassay: this is the link of {printable(name.strip())}; it is not shown again")


@app.command("revoke")
def revoke_reviewer(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who was invited.")],
    workspace: WorkspaceOption = None,
) -> None:
    """Take an invitation back, at once.

    What the person answered stays.

    \b
    Examples:
    mtassay review revoke anna
    """
    access.revoke(name, workspace=workspace)
    echo(f"{printable(name.strip())} is shut out; what they answered stays.")


@app.command("export")
def export_reviews(
    run: RunArgument = "last",
    only_open: Annotated[
        bool, typer.Option("--open", help="A sheet of what is open in RUN, to fill in the column 'answer'.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="TSV, CSV, XLSX or JSONL by its ending. Default: stdout."
        ),
    ] = None,
    form: Annotated[
        ExchangeForm | None,
        typer.Option(
            "--as",
            help="For another program: entities (for nee), WMT's MQM files, mt-metrics-eval (mtme), ratings "
            "(for meta correlate), Label Studio, Pearmut.",
        ),
    ] = None,
    question: QuestionOption = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    every_run: AllOption = False,
    reviewer: ReviewerOption = None,
    double: DoubleOption = False,
    show_systems: ShowSystemsOption = False,
    limit: LimitOption = None,
    settled: SettledOption = False,
    category: CategoryOption = None,
    phenomenon: PhenomenonOption = None,
    item: ItemOption = None,
    system: SystemOption = None,
    sample: SampleOption = None,
    seed: SeedOption = None,
    order: OrderOption = "fair",
    workspace: WorkspaceOption = None,
) -> None:
    """Write reviews, or a sheet to fill in.

    Reviews carry the texts they are about. --open writes a sheet of what is open instead, and --settled one
    of what was settled without people, for 'review audit'. The options below that choose outputs are for
    these. With --reviewer the sheet leaves out what this person has answered, and bears the name.

    \b
    Examples:
    mtassay review export -o reviews.jsonl
    mtassay review export --open --reviewer anna -o for-anna.xlsx
    mtassay review export --settled --sample 100 -o audit.csv
    mtassay review export --open --question esa --as pearmut -o campaign.json
    mtassay review export last --as ratings -o ratings.tsv
    """
    if form is None and output is not None and not output.name.removesuffix(".gz").endswith(ENDINGS):
        raise UsageError(f"{output}: the ending says the format: {', '.join(ENDINGS)}.")
    only_open = only_open or settled
    choosing = (reviewer, double, show_systems, limit, category, phenomenon, item, system, sample, seed)
    if form is not None and not only_open:
        check_targets(output)
        refuse_existing(output, force=force)
        count = export_as(form, output or sys.stdout, run=run, question=question, workspace=workspace)
        if output is not None:
            say(f"mtassay: wrote {plural(count, 'record')} to {output}")
        return
    if form not in (None, "labelstudio", "pearmut"):
        raise UsageError(f"--as {form} writes what people answered: leave --open out.")
    if not only_open and (run != "last" or every_run or any(choosing) or question):
        raise UsageError("RUN and the options that choose outputs are for --open; reviews are written all.")
    check_targets(output)
    refuse_existing(output, force=force)  # it may be a sheet that somebody has filled in
    if only_open:
        name = (reviewer or "").strip()
        queue = pending(
            run,
            reviewer=name,
            every_run=every_run,
            double=double,
            question=question,
            settled=settled,
            order=order,
            **_choice(category, phenomenon, item, system, sample or _usual(settled), seed, workspace),
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


@app.command("import")
def import_file(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Reviews or a filled sheet: TSV, CSV, XLSX, JSONL; or JSON of Label Studio or Pearmut.",
        ),
    ],
    reviewer: Annotated[
        str | None,
        typer.Option(
            "--reviewer",
            metavar="NAME",
            help="Who answered, where the file does not say. Default: $MTASSAY_REVIEWER or your login name.",
        ),
    ] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Read reviews, or a sheet filled in.

    The file is one that 'review export' wrote, here or elsewhere. Rows without an answer are left out.
    What is there already is not added again, and one bad row means that nothing is. Answers without a
    date get that of the file.

    \b
    Examples:
    mtassay review import for-anna.tsv
    mtassay review import sheet.tsv --reviewer ben
    """
    done = import_reviews(file, reviewer=reviewer, workspace=workspace)
    echo(f"{done.added:,} added, {done.known:,} already there, {done.empty:,} left empty.")
    if reviewer is None and done.unsigned:
        answers = plural(done.unsigned, "answer")
        say(f"mtassay: the file does not say who gave {answers}: taken as {done.reviewer}'s")


@app.command("agreement")
def show_agreement(
    question: Annotated[
        str | None,
        typer.Option(
            "--question",
            metavar="NAME",
            help="Which question, by its name. Default: suite, or the only one with answers.",
        ),
    ] = None,
    disputed: Annotated[
        bool, typer.Option("--disputed", help="List the outputs on which there is no majority.")
    ] = False,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Show how far reviewers agree.

    There is a line for each pair of them, and for all. Each reviewer's newest answer counts, and unsure
    is no rating. Kappa and alpha are 1 for full agreement and 0 for what chance would give.

    \b
    Examples:
    mtassay review next --double --reviewer ben
    mtassay review agreement
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
