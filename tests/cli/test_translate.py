"""`mtassay translate` and `mtassay systems` as a person runs them, against real servers and programs."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.cli.conftest import MAIN, Run
from tests.systems.server import Reply, Seen, Server, hang_up, json_reply, not_json, status, truncated

KEY = "sk-very-secret-4711"


def echo(seen: Seen) -> Reply:
    return json_reply({"translations": [f"«{text}»" for text in seen.body["texts"]]})


def template(folder: Path, server: Server, *, batch: int = 10, in_flight: int = 4) -> Path:
    path = folder / "service.json"
    path.write_text(
        json.dumps(
            {
                "url": f"{server.url}/translate",
                "headers": {"X-Key": "${TEST_SERVICE_KEY}"},
                "body": {"texts": "${texts}", "from": "${source}", "to": "${target}"},
                "answer": "translations[*]",
                "batch": batch,
                "in_flight": in_flight,
            }
        ),
        encoding="utf-8",
    )
    return path


def lines(folder: Path, count: int) -> Path:
    path = folder / "source.txt"
    path.write_text("".join(f"sentence {i}\n" for i in range(count)), encoding="utf-8")
    return path


def test_a_misbehaving_service_still_gives_every_line(run: Run, tmp_path: Path) -> None:
    faults = [
        *(status(429, retry_after=0.2), status(429), status(500), not_json(), hang_up()),
        *(truncated({"translations": ["x"] * 10}), json_reply({"translations": ["too", "few"]}), status(503)),
    ]
    with Server(echo) as server:
        server.then(*faults)
        service = template(tmp_path, server)
        done = run(
            *("translate", "-l", "en-de", "-t", f"s=http:{service}", lines(tmp_path, 100), "-o", "out.txt"),
            TEST_SERVICE_KEY=KEY,
        )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.txt").read_text("utf-8") == "".join(f"«sentence {i}»\n" for i in range(100))
    assert server.seen[0].header("X-Key") == KEY


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a POSIX signal")
def test_a_killed_run_asks_for_nothing_that_was_stored(run: Run, tmp_path: Path) -> None:
    killed = threading.Event()

    def echo_until_killed(seen: Seen) -> Reply:
        if len(server.seen) > 150:
            killed.wait(60)
        return echo(seen)

    with Server(echo_until_killed) as server:
        service = template(tmp_path, server, batch=5)
        command = ["translate", "-l", "en-de", "-t", f"s=http:{service}", str(lines(tmp_path, 2000))]
        environment = {**os.environ, "TEST_SERVICE_KEY": KEY}
        process = subprocess.Popen(
            [*MAIN, *command, "-o", "out.txt"], cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 60
        while len(server.seen) < 151 and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        killed.set()
        asked_before = len(server.seen)
        database = sqlite3.connect(tmp_path / ".mtassay" / "workspace.db")
        stored = {text.strip("«»") for (text,) in database.execute("SELECT text FROM answers")}
        database.close()
        done = run(*command, "-o", "out.txt", TEST_SERVICE_KEY=KEY)
    assert done.returncode == 0, done.stderr
    assert 150 < asked_before < 400, "it was killed in the middle"
    assert 0 < len(stored) < 2000
    # A killed process may leave a request without its body.
    asked = Counter(text for seen in server.seen if seen.body for text in seen.body["texts"])
    assert {text: asked[text] for text in stored} == dict.fromkeys(stored, 1)
    assert set(asked) == {f"sentence {i}" for i in range(2000)}
    assert (tmp_path / "out.txt").read_text("utf-8").count("\n") == 2000


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is a POSIX signal")
def test_ctrl_c_is_answered_in_one_line(tmp_path: Path) -> None:
    engine = "x=fake:upper?delay=0.05&in_flight=1"
    process = subprocess.Popen(
        [*MAIN, "translate", "-l", "en-de", "-t", engine, str(lines(tmp_path, 2000)), "-o", "out.txt"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    workspace = tmp_path / ".mtassay" / "workspace.db"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        time.sleep(0.2)
        if workspace.exists():
            time.sleep(1)
            break
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.splitlines()[-1].startswith("mtassay: stopped.")


def test_what_cannot_be_translated_is_counted_and_makes_exit_code_3(run: Run, tmp_path: Path) -> None:
    def picky(seen: Seen) -> Reply:
        return status(400, {"error": "no"}) if "sentence 1" in seen.body["texts"] else echo(seen)

    with Server(picky) as server:
        service = template(tmp_path, server)
        source = lines(tmp_path, 3)
        done = run("translate", "-l", "en-de", "-t", f"s=http:{service}", source, TEST_SERVICE_KEY=KEY)
    assert done.stdout == "«sentence 0»\n\n«sentence 2»\n"
    assert done.returncode == 3
    assert "s: 1 of 3 not translated, the first because" in done.stderr


def test_no_key_ever_shows(run: Run, tmp_path: Path) -> None:
    with Server(lambda seen: status(403, {"error": f"bad key {seen.header('X-Key')}"})) as server:
        service = template(tmp_path, server)
        arguments = ("translate", "-l", "en-de", "-t", f"s=http:{service}", lines(tmp_path, 3), "--debug")
        done = run(*arguments, TEST_SERVICE_KEY=KEY)
        checked = run(
            *("doctor", "-l", "en-de", "-t", f"s=http:{service}", "--format", "json"),
            TEST_SERVICE_KEY=KEY,
        )
    assert server.seen, "the service was asked"
    for text in (done.stdout, done.stderr, checked.stdout, checked.stderr):
        assert KEY not in text
    assert "[hidden]" in done.stderr
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


def test_a_budget_stops_and_the_same_command_goes_on(run: Run, tmp_path: Path) -> None:
    with Server(echo) as server:
        service = template(tmp_path, server, in_flight=1)
        command = ["translate", "-l", "en-de", "-t", f"s=http:{service}", str(lines(tmp_path, 50))]
        first = run(*command, "--max-calls", 2, TEST_SERVICE_KEY=KEY)
        assert first.returncode == 3
        assert "30 of 50 not translated, the first because the budget of 2 calls is used up" in first.stderr
        assert run(*command, TEST_SERVICE_KEY=KEY).returncode == 0
    assert len(server.seen) == 5


def test_several_engines_write_one_file_each(run: Run, tmp_path: Path) -> None:
    source = lines(tmp_path, 2)
    done = run("translate", "-l", "en-de", "-t", "up=fake:upper", "-t", "fake:copy", source, "-o", "outs/")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "outs" / "up.txt").read_text() == "SENTENCE 0\nSENTENCE 1\n"
    assert (tmp_path / "outs" / "fake.txt").read_text() == "sentence 0\nsentence 1\n"


def test_a_live_engine_is_scored_like_a_file(run: Run, tmp_path: Path) -> None:
    source = lines(tmp_path, 5)
    done = run(
        *("score", "-l", "en-de", "-s", source, "-r", source, "-m", "chrf", "--format", "json"),
        *("-t", "same=fake:copy", "-t", "reversed=fake:reverse"),
    )
    assert done.returncode == 0, done.stderr
    scores = {score["system"]: score["value"] for score in json.loads(done.stdout)["scores"]}
    assert scores["same"] > scores["reversed"]


def test_a_live_engine_that_fails_is_said_in_score_too(run: Run, tmp_path: Path) -> None:
    source = lines(tmp_path, 4)
    basic = ("score", "-l", "en-de", "-s", source, "-r", source, "-m", "chrf", "-t", "fake:copy")
    part = run(*basic, "-t", "x=fake:upper?fail_every=2&in_flight=1")
    assert part.returncode == 3
    assert "x: 2 of 4 not translated, the first because fake 'x': call 2 is rejected" in part.stderr
    none = run(*basic, "-t", "y=fake:reverse?closed_from=1")
    assert none.returncode == 3
    assert "system 'y' has not translated anything: fake 'y': closed" in none.stderr


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("source.txt", "source.txt is the source itself"),
        ("x.csv", "cannot write '.csv'"),
        ("nowhere/x.txt", "There is no folder nowhere"),
    ],
)
def test_an_output_that_cannot_be_is_refused_before_anything_is_asked(
    run: Run, tmp_path: Path, output: str, message: str
) -> None:
    source = lines(tmp_path, 2)
    done = run("translate", "-l", "en-de", "-t", "fake:upper", source, "-o", output)
    assert done.returncode == 2
    assert message in done.stderr
    assert source.read_text() == "sentence 0\nsentence 1\n"


def test_a_file_that_cannot_be_read_is_not_sent(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.resx"
    path.write_text("<root><data/></root>", encoding="utf-8")
    for command in (["translate"], ["doctor"]):
        refused = run(*command, path, "-l", "en-de", "-t", "fake:upper")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr.startswith(f"mtassay: {path}: .NET resource files are not read.")


HOSTED = {
    "deepl:": "DeepL needs a key: set DEEPL_AUTH_KEY",
    "google:": "google:v2 needs a key: set GOOGLE_API_KEY",
    "microsoft:": "Microsoft needs a key: set AZURE_TEXT_TRANSLATION_APIKEY or AZURE_TRANSLATOR_KEY",
    "openai:gpt-5-mini": "openai:gpt-5-mini needs a key: set OPENAI_API_KEY",
    "http:service.json": "http:service.json: headers.X-Key needs a key: set TEST_SERVICE_KEY",
}


@pytest.mark.parametrize(
    "command",
    [
        "translate -l en-pt source.txt -o new -t",
        "translate -l en-pt no-such-file.txt -t",
        "score -l en-pt -s source.txt -r source.txt -t",
        "suite run en-pt -t",
        "run -q -t",
    ],
)
@pytest.mark.parametrize("engine", HOSTED)
def test_an_engine_without_its_key_is_an_error_before_anything_is_done(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, command: str
) -> None:
    for text in HOSTED.values():
        for variable in text.partition("set ")[2].split(" or "):
            monkeypatch.delenv(variable, raising=False)
    with Server(echo) as server:
        template(tmp_path, server)
        lines(tmp_path, 3)
        plan = f'pair: en-pt\nsystems: {{e: "{engine}"}}\nsteps: {{suite: {{suite: en-pt}}}}\n'
        (tmp_path / "mtassay.yaml").write_text(plan, encoding="utf-8")
        done = run(*command.split(), "e" if command.startswith("run") else f"e={engine}")
        assert server.seen == []
    told = done.stdout if command.startswith("run") else done.stderr
    assert HOSTED[engine] in " ".join(told.split())
    assert done.stderr.count("\n") <= 1
    assert done.returncode == 2
    assert not (tmp_path / "new").exists()


def test_what_an_engine_answered_before_needs_no_key(run: Run, tmp_path: Path) -> None:
    with Server(echo) as server:
        service = template(tmp_path, server)
        source = lines(tmp_path, 3)
        command = ("translate", "-l", "en-de", "-t", f"s=http:{service}", source)
        first = run(*command, TEST_SERVICE_KEY=KEY)
        again = run(*command)
        assert (again.returncode, again.stdout) == (0, first.stdout)
        lines(tmp_path, 4)
        more = run(*command)
        assert (more.returncode, more.stdout) == (2, "")
        assert "X-Key needs a key: set TEST_SERVICE_KEY in the environment" in more.stderr


def test_systems_are_listed_and_checked(run: Run) -> None:
    listed = json.loads(run("doctor", "--format", "json").stdout)["systems"]
    assert {"openai", "deepl", "command", "fake", "stored"} <= {row["system"] for row in listed}
    assert all(row["what"] for row in listed)
    checked = run("doctor", "-l", "en-de", "-t", "fake:upper", "--repeat", 3, "--format", "json")
    (row,) = json.loads(checked.stdout)
    assert (row["answers"], row["changed"], row["first"]) == (True, 0, "GOOD MORNING.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-t", "x=fake:upper"], "say what to translate with -l SRC-TGT"),
        (["-l", "en-de"], "There is no engine to ask"),
        (["-l", "en-de", "-t", "x=file.txt"], "'file.txt' is no live engine"),
        (["-l", "en-de", "-t", "x=fake:loud"], "Choose from: reverse, upper, copy."),
        (["-l", "en-de", "-t", "x=fake:upper?speed=2"], "system 'fake' has no option 'speed'"),
        (["-l", "en-de", "-t", "x=http:"], "system 'http' needs a template"),
        (["-l", "en-de", "-t", "x=http:nowhere.json"], "nowhere.json"),
    ],
)
def test_a_mistake_is_answered_in_one_line(
    run: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    done = run("translate", *arguments, lines(tmp_path, 2))
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
