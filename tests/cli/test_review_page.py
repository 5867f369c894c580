"""`mtassay review serve`, `invite` and `revoke` from the command line."""

from __future__ import annotations

import signal
import subprocess
import sys
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


def test_ctrl_c_stops_the_page_and_says_so(tmp_path: Path) -> None:
    save_run(tmp_path)
    command = [sys.executable, "-m", "mtassay", "review", "serve", "--port", "0", "--reviewer", "lena"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "the review page is at http://127.0.0.1:" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr.read() == "mtassay: stopped; every answer that the page confirmed is kept\n"
