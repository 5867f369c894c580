"""`mtassay review serve`: the review page, served until somebody stops it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.common import ReviewerOption, say
from mtassay.cli.interruption import CTRL_C
from mtassay.cli.review.options import ShowSystemsOption
from mtassay.store import DEFAULT
from mtassay.web.server import PORT, serve


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("serve")(serve_page)


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
