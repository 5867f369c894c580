"""A program of any quality: what it does wrong costs a batch, never a shifted row."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mtassay.data.errors import BusyError, ClosedError, UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Output, Request
from mtassay.systems.command import Command, stop_all

PAIR = parse_pair("en-pt-BR")

UPPER = "import sys\nfor line in sys.stdin:\n    print(line.rstrip('\\n').upper())\n"


def requests(*texts: str | None) -> list[Request]:
    return [Request(f"s{i}", text) for i, text in enumerate(texts, start=1)]


def system(command: str, *, timeout: float = 60.0) -> Command:
    return Command(name="a", pair=PAIR, command=command, timeout=timeout)


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], str]:
    """Writes a Python program and gives the command that runs it."""

    def write(body: str) -> str:
        path = tmp_path / "a program.py"
        path.write_text(body, encoding="utf-8")
        return f"'{sys.executable}' '{path}'"

    return write


def test_one_line_in_is_one_line_out(script: Callable[[str], str]) -> None:
    assert system(script(UPPER)).translate(requests("one", "two", "it's çà 日本 🙂")) == [
        Output("s1", "ONE"),
        Output("s2", "TWO"),
        Output("s3", "IT'S ÇÀ 日本 🙂"),
    ]


def test_empty_texts_and_empty_translations_keep_their_place(script: Callable[[str], str]) -> None:
    outputs = system(script(UPPER)).translate(requests("", "b", ""))
    assert [output.text for output in outputs] == ["", "B", ""]


def test_line_breaks_in_a_text_become_spaces_and_are_recorded(script: Callable[[str], str]) -> None:
    outputs = system(script(UPPER)).translate(requests("a\nb", "c", "d\r\ne\rf"))
    assert [output.text for output in outputs] == ["A B", "C", "D E F"]
    assert [dict(output.meta) for output in outputs] == [
        {"newlines": "replaced by spaces"},
        {},
        {"newlines": "replaced by spaces"},
    ]


def test_other_unicode_line_separators_do_not_split_an_answer(script: Callable[[str], str]) -> None:
    text = "a\u2028b\u0085c\x0bd\x0ce"
    assert system("cat").translate(requests(text, "x"))[0].text == text


def test_texts_that_cannot_be_sent_are_errors_of_their_own(script: Callable[[str], str]) -> None:
    outputs = system(script(UPPER)).translate(requests("a", None, "\ud800", "b"))
    assert [(output.text, output.error) for output in outputs] == [
        ("A", None),
        (None, "no source text"),
        (None, "the source text is not valid Unicode"),
        ("B", None),
    ]


def test_nothing_to_send_starts_no_program() -> None:
    assert system("no-such-program-7").translate(requests(None))[0].error == "no source text"
    assert system("no-such-program-7").translate([]) == []


def test_windows_line_ends_are_no_text(script: Callable[[str], str]) -> None:
    body = "import sys\nfor line in sys.stdin:\n    sys.stdout.write('x\\r\\n')\n"
    assert [output.text for output in system(script(body)).translate(requests("a", "b"))] == ["x", "x"]


def test_languages_are_filled_in() -> None:
    echo = system("sed 's/.*/{source}>{target}/'")
    assert echo.translate(requests("a"))[0].text == "en>pt-BR"
    assert echo.signature == "command|command:sed 's/.*/en>pt-BR/'|adapter:1"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("tr a-z A-Z | tr A B", "BB"),
        ("cat && true", "ab"),
        ("cat; true", "ab"),
        ("cat 2> /dev/null", "ab"),
        ('sed "s/a/${NOT_SET_HERE:-x}/"', "xb"),
        ("sed 's/a/?/'", "?b"),
        ("sed s/a/*/", "*b"),
    ],
)
def test_shell_operators_run_in_a_shell_and_nothing_else_does(command: str, expected: str) -> None:
    assert system(command).translate(requests("ab"))[0].text == expected


@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param(
            "import sys\nprint('x')\nprint('first', file=sys.stderr)\n"
            "print('no  model\\there', file=sys.stderr)\nsys.exit(3)",
            ["exit code 3", "lines: 1 for 2", "stderr: no model here"],
            id="crash",
        ),
        pytest.param(
            "raise ValueError('bad')", ["exit code 1", "lines: 0 for 2", "ValueError: bad"], id="traceback"
        ),
        pytest.param("import sys\nsys.stdin.read()\nprint('x')", ["exit code 0", "lines: 1 for 2"], id="few"),
        pytest.param("print('x\\ny\\nz')", ["exit code 0", "lines: 3 for 2"], id="many"),
        pytest.param("pass", ["lines: 0 for 2", "stderr: nothing"], id="nothing at all"),
        pytest.param(
            "import os\nprint('x\\ny', flush=True)\nos.kill(os.getpid(), 9)",
            ["signal 9 (SIGKILL)", "lines: 2 for 2"],
            id="killed although the lines are there",
        ),
        pytest.param(
            "import sys\nsys.stdout.buffer.write(b'ok\\n\\xff\\xfe\\n')", ["line 2", "not UTF-8"], id="bytes"
        ),
    ],
)
def test_a_program_that_fails_is_busy_and_says_how(
    script: Callable[[str], str], body: str, words: list[str]
) -> None:
    with pytest.raises(BusyError) as caught:
        system(script(body)).translate(requests("a", "b"))
    for word in words:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_program_that_hangs_is_ended_with_its_children(
    script: Callable[[str], str], tmp_path: Path
) -> None:
    note = tmp_path / "pids"
    body = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(note)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        "time.sleep(600)\n"
    )
    with pytest.raises(BusyError, match=r"did not end within 2 s; lines: 0 for 1"):
        system(script(body), timeout=2.0).translate(requests("a"))
    assert all(_ends(int(pid)) for pid in note.read_text().split())


def test_a_program_that_closes_its_output_and_stays_is_ended(script: Callable[[str], str]) -> None:
    body = "import os, time\nprint('x', flush=True)\nos.close(1)\ntime.sleep(600)\n"
    with pytest.raises(BusyError, match="did not end within 1 s"):
        system(script(body), timeout=1.0).translate(requests("a"))


def test_endless_output_is_stopped(script: Callable[[str], str]) -> None:
    with pytest.raises(BusyError, match="wrote more than"):
        system("yes").translate(requests("a"))


def test_big_batches_and_noisy_programs_do_not_block(script: Callable[[str], str]) -> None:
    # Two megabytes each way, answered only after all was read, and as much on stderr.
    body = (
        "import sys\nprint('n' * 2_000_000, file=sys.stderr)\n"
        "for line in sys.stdin.readlines():\n    sys.stdout.write(line.upper())\n"
    )
    texts = ["word " * 100 + str(i) for i in range(4000)]
    outputs = system(script(body)).translate(requests(*texts))
    assert [output.text for output in outputs] == [text.upper() for text in texts]


def test_a_program_that_does_not_read_its_input_does_not_block(script: Callable[[str], str]) -> None:
    texts = ["word " * 1000] * 200
    outputs = system(script("print('x\\n' * 200, end='')")).translate(requests(*texts))
    assert [output.text for output in outputs] == ["x"] * 200


@pytest.mark.parametrize("rest", [UPPER, "raise SystemExit(1)", "import time; time.sleep(600)"])
def test_no_process_is_left_unreaped(script: Callable[[str], str], tmp_path: Path, rest: str) -> None:
    body = f"import os\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n{rest}"
    with contextlib.suppress(BusyError):
        system(script(body), timeout=2.0).translate(requests("a"))
    with pytest.raises(ChildProcessError):
        os.waitpid(int((tmp_path / "pid").read_text()), os.WNOHANG)


def test_a_caller_that_gives_up_can_stop_all_programs() -> None:
    errors: list[Exception] = []

    def ask() -> None:
        try:
            system("sleep 600").translate(requests("a"))
        except BusyError as error:
            errors.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    while thread.is_alive():
        stop_all()
        time.sleep(0.05)
    assert "SIGKILL" in str(errors[0])


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("no-such-program-7 --to x", "no program 'no-such-program-7'"),
        ("no-such-program-7 | cat && no-such-program-8", "no-such-program-8"),
        ("/etc/passwd", "cannot be started"),
    ],
)
def test_a_missing_program_is_closed_and_named(command: str, words: str) -> None:
    with pytest.raises(ClosedError, match=words):
        system(command).translate(requests("a"))


@pytest.mark.parametrize(("command", "words"), [("", "no program"), ("  ", "no program"), ("cat 'a", "quot")])
def test_a_command_that_is_none_is_a_usage_error(command: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        system(command)


def test_keys_from_the_environment_never_show(
    script: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "k3y-0f-th3-pr0gram")
    body = "import os, sys\nprint('bad key', os.environ['SOME_API_KEY'], file=sys.stderr)\nsys.exit(1)"
    with pytest.raises(BusyError) as caught:
        system(script(body)).translate(requests("a"))
    assert "k3y-0f" not in str(caught.value)
    assert "bad key [hidden]" in str(caught.value)
    assert "k3y-0f" not in system("cat --key k3y-0f-th3-pr0gram").signature


def test_limits_ask_for_one_program_at_a_time_and_one_repeat() -> None:
    limits = system("cat").limits
    assert (limits.batch, limits.in_flight, limits.attempts) == (100, 1, 2)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("apertium") is None, reason="apertium is not installed")
def test_apertium_translates_every_line() -> None:
    outputs = Command(name="a", pair=parse_pair("en-es"), command="apertium -u eng-spa").translate(
        requests("The house is red.", "", "I have two cats.")
    )
    texts = [output.text for output in outputs]
    assert texts[:2] == ["La casa es roja.", ""]
    assert "gatos" in str(texts[2])


def _ends(pid: int) -> bool:
    """Whether this process is gone, or about to be collected by the system."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return True
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    return False
