"""`mtassay serve`, `invite` and `revoke` from the command line."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mtassay.app import access
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


@pytest.mark.parametrize("name", ["", " ", "\t\n", "an\x1bna", "an\nna", "an\u202ena", "a" * 101])
def test_nobody_is_invited_under_a_name_that_is_none(saved: Run, name: str) -> None:
    refused = saved("review", "invite", name)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == ("mtassay: Write a name of 1 to 100 printable characters, such as 'anna'.\n")


def test_an_empty_reviewer_is_not_the_login_name(saved: Run) -> None:
    refused = saved("serve", "--reviewer", "", "--port", "0")
    assert (refused.returncode, refused.stderr) == (
        2,
        "mtassay: Say who reviews: --reviewer NAME, or set MTASSAY_REVIEWER.\n",
    )


def test_a_revoked_person_is_named_and_a_stranger_is_an_error(saved: Run) -> None:
    saved("review", "invite", "anna")
    revoked = saved("review", "invite", "anna", "--revoke")
    assert revoked.stdout == "anna can no longer open the page; earlier answers are kept.\n"
    assert revoked.stderr == "mtassay: nobody is invited any more, and the review page stays closed\n"
    again = saved("review", "invite", "anna", "--revoke")
    assert (again.returncode, again.stderr) == (
        2,
        "mtassay: No invitation for 'anna'. Invited: nobody.\n",
    )


def test_serving_others_needs_an_invitation(saved: Run) -> None:
    refused = saved("serve", "--host", "0.0.0.0", "--port", "0")
    assert refused.returncode == 2
    assert "nobody is invited: mtassay review invite NAME --admin" in refused.stderr


def test_serving_needs_a_workspace(run: Run) -> None:
    refused = run("serve", "none.db")
    assert (refused.returncode, "There is no workspace none.db" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("invited", "who"),
    [
        (False, "everybody on this machine is its admin, as lena, until you invite somebody"),
        (True, "people need an invitation to open it (1 invited)"),
    ],
)
def test_the_page_says_where_it_is_and_who_may_open_it_until_ctrl_c(
    tmp_path: Path, invited: bool, who: str
) -> None:
    save_run(tmp_path)
    if invited:
        access.invite("anna", workspace=tmp_path / ".mtassay" / "workspace.db")
    command = [sys.executable, "-m", "mtassay", "serve", "--port", "0", "--reviewer", "lena"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "the review page is at http://127.0.0.1:" in process.stderr.readline()
        assert who in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr.read() == "mtassay: stopped; every answer that the page confirmed is kept\n"
