"""A served workspace without a server: requests go straight to the application."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the review page needs fastapi: pip install 'mtassay[review]'")

from fastapi.testclient import TestClient

from mtassay.app.web.application import make_application
from mtassay.app.web.visits import Site
from tests.cli.reviewing import save_run


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A suite with three open outputs: one of two systems, a conflict, and a hostile one."""
    save_run(tmp_path)
    return tmp_path / ".mtassay" / "workspace.db"


def client_of(
    workspace: Path, *, host: str = "127.0.0.1", show_systems: bool = False, hosts: tuple[str, ...] = ()
) -> TestClient:
    """Somebody's browser; each has its own cookies."""
    site = Site(workspace, host, 8765, "lena", show_systems, hosts)
    return TestClient(make_application(site), base_url=f"http://{host}:8765", raise_server_exceptions=False)


@pytest.fixture
def browser(workspace: Path) -> Iterator[TestClient]:
    """The browser of the local person, lena."""
    with client_of(workspace) as client:
        yield client
