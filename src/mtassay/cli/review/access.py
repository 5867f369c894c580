"""`mtassay review invite` and `revoke`: who may open the review page."""

from __future__ import annotations

from typing import Annotated

import typer

from mtassay.api import access
from mtassay.cli.common import WorkspaceOption, echo, say
from mtassay.texts.marks import printable
from mtassay.web.server import PORT


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("invite")(invite_reviewer)
    app.command("revoke")(revoke_reviewer)


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
