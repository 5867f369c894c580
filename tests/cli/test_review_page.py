"""`mtassay review serve`, `invite` and `revoke` from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.reviewing import save_run


@pytest.fixture
def saved(run: Run, tmp_path: Path) -> Run:
    save_run(tmp_path)
    return run


def test_an_invitation_is_a_link_that_is_shown_once(saved: Run) -> None:
    done = saved("review", "invite", "anna", "--address", "https://review.example.org/")
    link, secret = done.stdout.strip().rsplit("/", 1)
    assert (link, len(secret)) == ("https://review.example.org/enter", 43)
    assert "not shown again" in done.stderr


def test_a_revoked_person_is_named_and_a_stranger_is_an_error(saved: Run) -> None:
    saved("review", "invite", "anna")
    assert saved("review", "revoke", "anna").stdout == "anna is shut out; what they answered stays.\n"
    again = saved("review", "revoke", "anna")
    assert (again.returncode, again.stderr) == (
        2,
        "mtassay: No invitation for 'anna'. Invited: nobody.\n",
    )


def test_serving_others_needs_an_invitation(saved: Run) -> None:
    refused = saved("review", "serve", "--host", "0.0.0.0", "--port", "0")
    assert refused.returncode == 2
    assert "nobody is invited: mtassay review invite NAME --admin" in refused.stderr


def test_serving_needs_a_workspace(run: Run) -> None:
    refused = run("review", "serve", "none.db")
    assert (refused.returncode, "There is no workspace none.db" in refused.stderr) == (2, True)
