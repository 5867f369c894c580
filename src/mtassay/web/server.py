"""Serves the review page until it is stopped."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from os import PathLike

from mtassay.api import open_workspace
from mtassay.api.access import invitations
from mtassay.api.people import reviewer_name
from mtassay.errors import MissingExtraError, UsageError
from mtassay.web.hosts import is_loopback

__all__ = ["PORT", "serve"]

PORT = 8765


def serve(
    workspace: str | PathLike[str] | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    reviewer: str | None = None,
    show_systems: bool = False,
    hosts: Sequence[str] = (),
    listen: Callable[[str], None] = lambda line: None,
) -> None:
    """Serve the page of a workspace; `listen` is told where it is, as soon as it can be opened.

    On another `host` than this machine's own it refuses to start before somebody was invited. `hosts` are
    other names that the server goes by, as behind a proxy. Port 0 takes any that is free.
    """
    try:
        import uvicorn
        from fastapi import FastAPI  # noqa: F401
    except ImportError:
        raise MissingExtraError("the review page", package="fastapi and uvicorn", extra="review") from None
    from mtassay.web.application import make_application
    from mtassay.web.visits import Site

    store = open_workspace(workspace)
    people = invitations(workspace=store.path)
    if store.read_only:
        raise UsageError(f"{store.path} may not be written, so nothing can be answered.")
    if not is_loopback(host) and not people:
        raise UsageError(
            f"On {host} others can reach the page, and nobody is invited: mtassay review invite NAME --admin"
        )
    with _bound(host, port) as listener:
        site = Site(
            store.path,
            host,
            listener.getsockname()[1],
            reviewer_name(reviewer),
            show_systems,
            tuple(hosts),
        )
        application = make_application(site)
        config = uvicorn.Config(
            application,
            log_level="warning",
            access_log=False,  # addresses of invitations are secret
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=1,
            limit_concurrency=500,
        )

        class Server(uvicorn.Server):
            """Says where it is once Ctrl-C ends it well, not before."""

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                if not self.should_exit:  # else Ctrl-C came meanwhile, or it could not start
                    listen(site.address)

        Server(config).run(sockets=[listener])
        site.pool.close()
    store.close()


def _bound(host: str, port: int) -> socket.socket:
    """A socket that listens there; a `UsageError` where that cannot be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)  # who comes before the server is ready waits for it
    except OSError as error:
        listener.close()
        raise UsageError(
            f"Cannot serve on {host}, port {port} ({error.strerror or error}). Choose another: --port N"
        ) from None
    return listener
