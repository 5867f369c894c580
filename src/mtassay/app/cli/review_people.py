"""`mtassay review invite`, `serve` and `campaign`: access to the review page, and assignments."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.app import access, campaign_work
from mtassay.app.campaign_progress import report
from mtassay.app.cli.frame import (
    Command,
    FormatOption,
    OutputFormat,
    ReviewerOption,
    SeedOption,
    Values,
    WorkspaceOption,
    echo,
    grouped,
    print_json,
    print_record,
    print_tables,
    say,
    screen_here,
)
from mtassay.app.cli.interruption import CTRL_C
from mtassay.app.cli.session import ask_here
from mtassay.app.review_cards import Card
from mtassay.app.reviewing import shown_record
from mtassay.app.web.server import PORT
from mtassay.app.web.server import serve as serve_workspace
from mtassay.data.display import Table
from mtassay.data.errors import UsageError
from mtassay.data.marks import plural, printable
from mtassay.data.nouns import UNSURE
from mtassay.data.subjects import SHORT, told_answer
from mtassay.review.campaign_store import KeptAnswer
from mtassay.runtime.database import DEFAULT

ShowSystemsOption = Annotated[
    bool, typer.Option("--show-systems", help="Show system names. Reviewers should not know them.")
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
    list[str] | None, typer.Option("--system", metavar="NAME", help="Only outputs of this system. Repeat.")
]
SampleOption = Annotated[
    int | None, typer.Option("--sample", min=1, metavar="N", help="A random sample of N.")
]


def choosing() -> Callable[[Command], Command]:
    """Give a command the options that choose outputs, in the place of its parameter `choice`."""
    options: dict[str, tuple[Any, Any]] = {
        "category": (CategoryOption, None),
        "phenomenon": (PhenomenonOption, None),
        "item": (ItemOption, None),
        "system": (SystemOption, None),
        "sample": (SampleOption, None),
        "seed": (SeedOption, None),
    }
    names = ("category", "phenomenon", "item", "system")
    return grouped(
        "choice", options, lambda values: {**values, **{name: values[name] or () for name in names}}
    )


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("invite")(invite_reviewer)
    group = typer.Typer(no_args_is_help=True)
    group.callback()(_options)
    group.command("create")(create)
    group.command("show")(show)
    group.command("close")(close)
    app.add_typer(group, name="campaign")


def invite_reviewer(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="The name of the person to invite. Default: list who is invited."
        ),
    ] = None,
    admin: Annotated[
        bool, typer.Option("--admin", help="This person may see everything and write rules.")
    ] = False,
    address: Annotated[str, typer.Option(metavar="URL", help="For the link.")] = f"http://127.0.0.1:{PORT}",
    days: Annotated[int | None, typer.Option(min=1, help="The link ends after N days.")] = None,
    campaign: Annotated[str, typer.Option(metavar="NAME", help="The link opens only this campaign.")] = "",
    log: Annotated[bool, typer.Option("--log", help="Show who visited, and what admins changed.")] = False,
    revoke: Annotated[
        bool, typer.Option("--revoke", help="Cancel the invitation; answers are kept.")
    ] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Make a link that lets somebody open the review page, or cancel it (--revoke).

    Without a name it lists who is invited, or with --log who visited. A link is shown only once. A new
    invitation ends the old link. If the last invitation is taken back, the page stays closed.

    \b
    Examples:
    mtassay review invite anna
    mtassay review invite ben --admin --address https://review.example.org
    mtassay review invite ben --revoke
    mtassay review invite dora --days 14 --campaign spring
    mtassay review invite --log
    """
    if name is None or log:
        print_tables([_log(workspace) if log else _invited(workspace)], OutputFormat.text)
        return
    if revoke:
        access.revoke(name, workspace=workspace)
        echo(f"{printable(name.strip())} can no longer open the page; earlier answers are kept.")
        if not access.invitations(workspace=workspace):
            say("mtassay: nobody is invited any more, and the review page stays closed")
        return
    secret = access.invite(name, admin=admin, days=days, campaign=campaign, workspace=workspace)
    echo(f"{address.rstrip('/')}/enter/{secret}")
    say(f"mtassay: this is the link of {printable(name.strip())}; it is not shown again")


def _invited(workspace: Path | None) -> Table:
    rows = [
        [printable(i.person.name), i.person.role, printable(i.person.campaign), i.since[:10], i.until[:10]]
        for i in access.invitations(workspace=workspace)
    ]
    return Table(["name", "role", "campaign", "since", "until"], rows, "Invited")


def _log(workspace: Path | None) -> Table:
    entries = access.journal(workspace=workspace)
    rows = [[at[:19], printable(who), printable(deed)] for at, who, deed in entries]
    return Table(["when (UTC)", "who", "what"], rows, "Journal")


NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The campaign's name, or 'last'.")]


def _options() -> None:
    """Ask several people independently, and see how well they agree."""


@choosing()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the campaign.")],
    runs: Annotated[list[str] | None, typer.Argument(metavar="[RUN]…", help="Saved runs.")] = None,
    reviewers: Annotated[
        str, typer.Option(metavar="NAMES", help="The names of the reviewers, such as anna,ben,carla.")
    ] = "",
    question: Annotated[
        str | None,
        typer.Option(
            "--question",
            metavar="NAME",
            help="The question. Default: the question of the runs. For any run: entities, mqm, esa, "
            "adequacy, fluency, informativeness, da.",
        ),
    ] = None,
    overlap: Annotated[
        float | None,
        typer.Option(
            "--overlap",
            min=0,
            max=1,
            help="The share of outputs that several people answer. Default: 0.2, or 0 with one reviewer.",
        ),
    ] = None,
    raters: Annotated[
        int, typer.Option("--raters", min=2, help="How many people answer each output of that share.")
    ] = 2,
    adjudicators: Annotated[str, typer.Option(metavar="NAMES", help="Who settles disagreements.")] = "",
    choice: Values = {},  # noqa: B006
    settled: Annotated[
        int, typer.Option(min=0, help="Also ask about N outputs that the rules or the judge decided.")
    ] = 0,
    attention: Annotated[
        float,
        typer.Option(
            "--attention",
            min=0,
            max=0.5,
            help="The share of attention checks: damaged outputs, references and repeats.",
        ),
    ] = 0.0,
    calibration: Annotated[
        int,
        typer.Option(
            "--calibration", min=0, metavar="N", help="The first N outputs are the same for all reviewers."
        ),
    ] = 0,
    exclude_below: Annotated[
        float,
        typer.Option(
            "--exclude-below",
            min=0,
            max=1,
            help="Exclude reviewers who pass a smaller share of the attention checks.",
        ),
    ] = 0.0,
    exclude_faster: Annotated[
        float,
        typer.Option(
            "--exclude-faster",
            min=0,
            metavar="SECONDS",
            help="Exclude reviewers who take less time for an answer.",
        ),
    ] = 0.0,
    side_by_side: Annotated[
        bool, typer.Option("--side-by-side", help="Show other systems' translations of the same sentence.")
    ] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Begin a campaign.

    Everybody gets the outputs in another order, and sees other answers only when all are in. Each output goes
    to one person who is free; a share of them, --overlap, goes to several (--raters). With --settled,
    reviewers cannot tell which outputs the rules had already decided. Attention checks look like outputs; who
    is out by the rules is in no agreement.

    \b
    Examples:
    mtassay review campaign create spring --reviewers anna,ben
    mtassay review campaign create da-1 --question da --reviewers anna,ben
    mtassay review campaign create audit --settled 100 --reviewers anna
    """
    made = campaign_work.create(
        name,
        runs or ["last"],
        reviewers=reviewers,
        question=question,
        adjudicators=adjudicators,
        overlap=overlap,
        raters=raters,
        settled=settled,
        attention=attention,
        calibration=calibration,
        exclude_below=exclude_below,
        exclude_faster=exclude_faster,
        side_by_side=side_by_side,
        workspace=workspace,
        **choice,
    )
    found = report(made.name, workspace=workspace)
    echo(
        f"Campaign '{printable(made.name)}' asks {made.question}: {plural(found.subjects, 'output')}, "
        f"{plural(found.wanted, 'answer')} of {plural(len(made.reviewers), 'reviewer')} wanted."
    )
    for line in found.cautions:
        say(f"mtassay: {printable(line)}")
    say("mtassay: people find it on the review page: mtassay serve")


def show(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="The campaign's name, or 'last'. Default: list all."),
    ] = None,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Show the progress of a campaign and its agreement; without a name, list all of them.

    \b
    Examples:
    mtassay review campaign show
    mtassay review campaign show spring
    mtassay review campaign show last --format json
    """
    if name is None:
        _list_campaigns(output_format, workspace)
        return
    found = report(name, seed=seed, workspace=workspace)
    print_record(found.record(), found.tables(), output_format)


def _list_campaigns(output_format: OutputFormat, workspace: Path | None) -> None:
    found = campaign_work.campaigns(workspace=workspace)
    if output_format is OutputFormat.json:
        print_json([campaign.record() for campaign in found])
        return
    if not found:
        echo("There are no campaigns yet. Make one: mtassay review campaign create NAME")
        return
    rows = [
        [
            printable(campaign.name),
            campaign.question,
            printable(", ".join(campaign.reviewers)),
            campaign.created[:10],
            f"closed {campaign.closed[:10]}" if campaign.closed else "open",
        ]
        for campaign in found
    ]
    print_tables([Table(["campaign", "question", "reviewers", "created", "state"], rows)], output_format)


def close(
    name: NameArgument,
    delete: Annotated[
        bool, typer.Option("--delete", help="Also delete the campaign; all answers are kept.")
    ] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """End a campaign. Its answers stay, and count.

    \b
    Examples:
    mtassay review campaign close spring
    mtassay review campaign close spring --delete
    """
    if delete:
        gone = campaign_work.delete(name, workspace=workspace)
        echo(f"Campaign '{printable(gone.name)}' is deleted; all answers are kept.")
        return
    ended = campaign_work.close(name, workspace=workspace)
    echo(f"Campaign '{printable(ended.name)}' is closed since {ended.closed[:19].replace('T', ' ')} UTC.")


def show_next(
    campaign: str, name: str, *, adjudicates: bool, output_format: OutputFormat, workspace: Path | None
) -> None:
    """Ask about open outputs of a campaign, or without a terminal show the next one."""
    if output_format not in (OutputFormat.text, OutputFormat.json):
        raise UsageError("The next output of a campaign is printed as text or json.")
    cards = campaign_work.cards(campaign, name, adjudicates=adjudicates, workspace=workspace)
    screen = screen_here()
    if output_format is OutputFormat.text and sys.stdin.isatty() and sys.stdout.isatty():
        ask_here(cards.store, name, [], cards=cards)
        return
    card = cards.next()
    if output_format is OutputFormat.json:
        print_json(None if card is None else _card_record(card))
    elif card is None:
        echo(f"Nothing is left for {name} in campaign '{campaign}'.")
    else:
        echo(screen.pending(card.pending, [], show_systems=False))
        echo(f"\n{screen.keys(card.pending.question)}")
        role = " --adjudicate" if adjudicates else ""
        about = f"{card.subject.id[:SHORT]} ANSWER --campaign {cards.campaign.name}{role}"
        echo(f"\nAnswer it: mtassay review decide {about}")


def told(done: KeptAnswer) -> list[str]:
    """Return the answers of others that somebody may see after their own."""
    return [
        f"  {printable(name)}: {printable(told_answer(done.question, review.answer, done.subject))}"
        + (f" ({printable(review.note)})" if review.note else "")
        for name, review in sorted(done.answers.items())
    ]


def _card_record(card: Card) -> dict[str, Any]:
    """Return the visible fields of a card, for a program."""
    record: dict[str, Any] = {
        "campaign": card.campaign.name if card.campaign else "",
        "text": card.question.text,
        "kind": card.question.kind,
        "answers": [*card.question.keys.values(), UNSURE],
        **shown_record(card.pending, with_case=False),
    }
    if others := card.answers:
        record["said"] = {name: review.answer for name, review in others.items()}
    return record


def serve(
    workspace: Annotated[
        Path | None,
        typer.Argument(
            metavar="[WORKSPACE]", help=f"The workspace file. Default: $MTASSAY_WORKSPACE or {DEFAULT}."
        ),
    ] = None,
    host: Annotated[str, typer.Option(metavar="HOST", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = PORT,
    reviewer: ReviewerOption = None,
    show_systems: ShowSystemsOption = False,
    known_as: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Another name of this server, such as the name of a proxy. Repeat."
        ),
    ] = None,
    reopen: Annotated[
        bool, typer.Option("--reopen", help="Let this machine open the page without a link again.")
    ] = False,
) -> None:
    """Open the workspace in a browser: saved runs, reports, history, and outputs to review.

    Only this machine can open it. Once you invite somebody, everybody needs a link. Ctrl-C stops it.

    \b
    Examples:
    mtassay serve
    mtassay serve --reviewer anna --port 9000
    mtassay serve --host 0.0.0.0 --known-as review.example.org
    """
    try:
        serve_workspace(
            workspace,
            host=host,
            port=port,
            reviewer=reviewer,
            show_systems=show_systems,
            hosts=known_as or (),
            reopen=reopen,
            listen=lambda note: say(f"mtassay: {note}"),
        )
    except KeyboardInterrupt:
        CTRL_C.settle()
        say("mtassay: stopped; every answer that the page confirmed is kept")
