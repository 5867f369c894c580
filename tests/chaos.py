"""Chaos: a workspace, an engine with random faults, the review server, Ray; kills, full disks, locks, flipped
bits and clocks that jump; seeded.

    python -m tests.chaos --seconds 600 --seed 1

What must hold: no text is lost or wrong, none is paid twice but those that a kill cut off or that found no
room on the disk, no acknowledged answer of a reviewer is lost or there twice, results on Ray are those of one
process, no traceback, no exit code 70, and nothing hangs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from mtassay.app import access
from mtassay.app.library import suite
from mtassay.data.formats.suite_items import Item, Rule, Suite
from mtassay.runtime.workspace import Workspace

PATIENCE_S = 90
"""A command that takes longer than this hangs."""
BATCH, IN_FLIGHT = 4, 4
FAULTS = (
    "none",
    "none",
    "none",
    "none",
    "slow",
    "500",
    "429",
    "later",
    "cut",
    "prose",
    "fewer",
    "close",
    "drip",
)

ANY = ("-l", "en-de", "-t", "e=fake:")
TRICKS = ("kill", "kill", "two", "lock", "disk", "clock", "none", "none")
JUMPS = (-10 * 365 * 86_400, -3_600, -60, 60, 7_200, 5 * 365 * 86_400)
"""By how many seconds a clock is wrong, every other second."""
WORDS = ("one", "two", "three", "four", "five", "six", "seven")
CLOCK = """
import datetime, os, time
real, jump = time.time, float(os.environ.get("CHAOS_JUMP") or 0)
time.time = lambda: real() + jump * (int(time.monotonic()) % 2)
class Jumping(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)
datetime.datetime = Jumping
"""


@dataclass
class Tally:
    """What happened, and what should not have."""

    commands: int = 0
    kills: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    reviews: int = 0
    answered: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """For a person."""
        faults = ", ".join(f"{name} {count}" for name, count in sorted(self.faults.items()))
        return [
            f"{self.commands} commands, {self.kills} killed; faults: {faults}",
            f"{len(self.answered):,} texts answered {self.answered.total():,} times",
            f"{self.reviews:,} answers of reviewers",
            f"{len(self.findings)} findings",
            *self.findings,
        ]


class Server(ThreadingHTTPServer):
    """Answers texts in capitals, or fails in one of many ways."""

    daemon_threads = True

    def __init__(self, seed: int, tally: Tally) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.draw = random.Random(seed)
        self.tally = tally
        self.lock = threading.Lock()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no news."""


class Handler(BaseHTTPRequestHandler):
    """One call."""

    server: Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""

    def do_POST(self) -> None:
        """Fail as the dice say, or answer."""
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["q"]
        with self.server.lock:
            fault = self.server.draw.choice(FAULTS)
            self.server.tally.faults[fault] += 1
        answer = json.dumps({"out": [text.upper() for text in texts]}).encode()
        if fault == "slow":
            time.sleep(0.1)
        elif fault == "500":
            return self._send(500, b"no")
        elif fault == "429":
            return self._send(429, b"{}", {"Retry-After": "0"})
        elif fault == "later":
            return self._send(503, b"{}", {"Retry-After": self.server.draw.choice(["0.1", "soon", "-1"])})
        elif fault == "prose":
            return self._send(200, b"<html>" + b"x" * self.server.draw.randrange(5000))
        elif fault == "fewer":
            return self._send(200, json.dumps({"out": [text.upper() for text in texts[1:]]}).encode())
        elif fault == "close":
            self.close_connection = True
            self.connection.close()
            return None
        elif fault == "cut":
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer) + 50))
            self.end_headers()
            self.wfile.write(answer[:-3])
            self.close_connection = True
            return None
        elif fault == "drip":
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            for _ in range(60):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.1)
            self.close_connection = True
            return None
        with self.server.lock:
            self.server.tally.answered.update(texts)
        return self._send(200, answer)

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def one_round(folder: Path, seed: int, texts: int, tally: Tally) -> None:
    """A workspace from its first text to its last, whatever happens meanwhile."""
    draw = random.Random(seed)
    server = Server(seed, tally)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    template = {
        "url": f"http://127.0.0.1:{server.server_address[1]}/",
        "body": {"q": "${texts}"},
        "answer": "out",
        "batch": BATCH,
        "in_flight": IN_FLIGHT,
        "timeout": 2,
    }
    (folder / "service.json").write_text(json.dumps(template), encoding="utf-8")
    sources = [f"sentence {seed} number {i}, with ünïcode" for i in range(texts)]
    (folder / "source.txt").write_text("".join(f"{line}\n" for line in sources), encoding="utf-8")
    before, excused = tally.answered.copy(), 0
    for attempt in range(60):
        trick = draw.choice(TRICKS) if attempt < 30 else "none"
        tally.faults[f"trick {trick}"] += 1
        if trick == "disk":
            excused += texts  # what found no room anywhere may have to be asked again
        lock = _lock(folder) if trick == "lock" else None
        commands = 2 if trick == "two" else 1
        jump = draw.choice(JUMPS) if trick == "clock" else 0
        running = [_start(folder, small_disk=trick == "disk", jump=jump) for _ in range(commands)]
        if lock is not None:
            time.sleep(draw.uniform(0.1, 1.5))
            lock.close()
        if trick == "kill":
            time.sleep(draw.uniform(0.05, 2.5))
            running[0].send_signal(signal.SIGKILL)
            tally.kills += 1
            excused += BATCH * IN_FLIGHT
        codes = [_finish(process, tally, killed=trick == "kill") for process in running]
        tally.commands += commands
        if codes == [0] * commands:
            break
    else:
        tally.findings.append(f"seed {seed}: not finished after 60 commands")
    server.shutdown()
    server.server_close()
    _check(folder, seed, sources, before, excused, tally)
    _flip(folder, draw, tally)


def review_round(folder: Path, seed: int, tally: Tally, *, kills: int = 5) -> None:
    """People answer while the server is killed, its disk is full or its clock jumps."""
    draw = random.Random(seed)
    path = folder / "reviews.db"
    items = [Item(str(n), "en-de", "all", "all", f"source {n}", (Rule("right"),)) for n in range(200)]
    outputs = {name: [f"output {n} of {name}" for n in range(200)] for name in ("a", "b")}
    run = suite(Suite(tuple(items), name="chaos"), outputs, save=True, workspace=path, quiet=True).id
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    said: list[tuple[str, str, str]] = []
    is_over = threading.Event()

    def review(name: str, secret: str) -> None:
        own, after, number = random.Random(f"{seed} {name}"), 0, 0
        headers = {"authorization": f"Bearer {secret}"}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=10) as client:
            while not is_over.is_set():
                number += 1
                sent = {"answer": own.choice(["correct", "incorrect"]), "id": f"{name}-{number}"}
                try:
                    card = client.get(f"/api/runs/{run}/suite/next?double=true&after={after}").json()
                    address = f"/api/runs/{run}/suite/cards/{card['subject']}"
                    while client.post(address, json=sent).status_code != 200:
                        time.sleep(0.1)
                        if is_over.is_set():
                            return
                except (httpx.HTTPError, KeyError, ValueError):
                    time.sleep(0.1)
                    continue
                after = card["position"]
                said.append((name, card["subject"], sent["answer"]))

    secrets = [(name, access.invite(name, workspace=path)) for name in ("anna", "ben", "carl")]
    people = [threading.Thread(target=review, args=pair) for pair in secrets]
    for thread in people:
        thread.start()
    for _ in range(kills):
        trick = draw.choice(["kill", "disk", "clock"])
        tally.faults[f"server: {trick}"] += 1
        room = path.stat().st_size + draw.randrange(20_000) if trick == "disk" else 0
        jump = draw.choice(JUMPS) if trick == "clock" else 0
        server = _mtassay(folder, ["serve", str(path), "--port", str(port)], room=room, jump=jump)
        time.sleep(draw.uniform(2, 6))
        server.kill()
        tally.kills += 1
        tally.commands += 1
        if "Traceback" in (errors := server.communicate()[1]):
            tally.findings.append(f"seed {seed}, server, {trick}: {errors.strip()[-300:]}")
    is_over.set()
    for thread in people:
        thread.join()
    kept = Counter((r.reviewer, r.subject, r.answer) for r in Workspace(path).reviews())
    lost = Counter(said) - kept
    tally.reviews += len(said)
    if lost:
        tally.findings.append(f"seed {seed}: {lost.total()} of {len(said)} answers of reviewers lost")
    # One more of each person may be kept whose acknowledgement nobody heard, at every kill.
    if (kept - Counter(said)).total() > kills * len(people):
        tally.findings.append(f"seed {seed}: answers of reviewers doubled")


def ray_round(folder: Path, seed: int, tally: Tally) -> None:
    """Scores on Ray, whose workers are killed, are those of one process."""
    draw = random.Random(seed)
    for name in ("source", "reference", "output"):
        lines = (" ".join(draw.choices(WORDS, k=15)) for _ in range(8_000))
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    files = ["-s", "source.txt", "-r", "reference.txt", "-t", "a=output.txt", "-l", "en-de"]
    words = ["score", *files, "-m", "bleu,chrf,ter", "-q", "-f", "json", "--no-cache"]
    scores = []
    for more in ([], ["--executor", "ray"]):
        command = _mtassay(folder, [*words, *more], mark=f"{os.getpid()} {seed}")
        if more:
            for _ in range(2):
                tally.kills += _kill_worker(f"{os.getpid()} {seed}", command, draw)
        printed, errors = command.communicate(timeout=4 * PATIENCE_S)
        tally.commands += 1
        tally.faults["ray"] += bool(more)
        if command.returncode or "Traceback" in errors:
            tally.findings.append(f"seed {seed}, {more}: exit code {command.returncode}: {errors[-300:]}")
            return
        scores.append(json.loads(printed)["scores"])
    if scores[0] != scores[1]:
        tally.findings.append(f"seed {seed}: other scores on Ray")


def _kill_worker(mark: str, command: subprocess.Popen[str], draw: random.Random) -> bool:
    """Kill a worker of the cluster that this command started, soon after it is there."""
    while command.poll() is None:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                is_worker = (process / "cmdline").read_bytes().startswith(b"ray::")
                if is_worker and f"CHAOS_MARK={mark}".encode() in (process / "environ").read_bytes():
                    time.sleep(draw.uniform(0, 1))
                    os.kill(int(process.name), signal.SIGKILL)
                    return True
            except OSError:
                continue
        time.sleep(0.1)
    return False


def _start(folder: Path, *, small_disk: bool, jump: float) -> subprocess.Popen[str]:
    words = ["translate", "-l", "en-de", "-t", "e=http:service.json", "source.txt", "-o", "out.txt", "-q"]
    return _mtassay(folder, words, room=60_000 if small_disk else 0, jump=jump)


def _mtassay(
    folder: Path, words: list[str], *, room: int = 0, jump: float = 0, mark: str = ""
) -> subprocess.Popen[str]:
    """A command, for which files may have no more than `room` bytes, and whose clock may jump."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    environment = {**os.environ, "CHAOS_MARK": mark}
    if jump:
        (folder / "clock").mkdir(exist_ok=True)
        (folder / "clock" / "sitecustomize.py").write_text(CLOCK, encoding="utf-8")
        environment |= {"PYTHONPATH": str(folder / "clock"), "CHAOS_JUMP": str(jump)}
    return subprocess.Popen(
        [sys.executable, "-m", "mtassay", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=environment,
        preexec_fn=limit if room else None,
    )


def _finish(process: subprocess.Popen[str], tally: Tally, *, killed: bool = False) -> int:
    try:
        _, errors = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        tally.findings.append(f"hangs: {process.args}")
        return -1
    if "Traceback" in errors or process.returncode == 70:
        tally.findings.append(f"exit code {process.returncode}: {errors.strip()[-300:]}")
    elif process.returncode not in (0, 1, 2, 3, 4) and not killed:
        tally.findings.append(f"exit code {process.returncode} of {process.args}")
    return process.returncode


def _lock(folder: Path) -> sqlite3.Connection | None:
    path = folder / ".mtassay" / "workspace.db"
    if not path.exists():
        return None
    connection = sqlite3.connect(path, isolation_level=None, timeout=0.2)
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.Error:
        connection.close()
        return None
    return connection


def _check(
    folder: Path, seed: int, sources: list[str], before: Counter[str], excused: int, tally: Tally
) -> None:
    lines = (
        (folder / "out.txt").read_text(encoding="utf-8").splitlines() if (folder / "out.txt").exists() else []
    )
    wrong = sum(a != b for a, b in zip(lines, [s.upper() for s in sources], strict=False))
    if len(lines) != len(sources) or wrong:
        tally.findings.append(f"seed {seed}: {len(lines)} lines of {len(sources)}, {wrong} wrong")
    twice = sum(max(tally.answered[text] - before[text] - 1, 0) for text in sources)
    if twice > excused:
        tally.findings.append(f"seed {seed}: {twice} texts paid twice, at most {excused} can be excused")


def _flip(folder: Path, draw: random.Random, tally: Tally) -> None:
    """A workspace with a flipped bit, or without its end, is read or refused in one line."""
    path = folder / ".mtassay" / "workspace.db"
    data = bytearray(path.read_bytes())
    for _ in range(3):
        damaged = bytearray(data)
        if draw.random() < 0.3:
            del damaged[draw.randrange(len(damaged)) :]
        else:
            damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
        (folder / "flipped.db").write_bytes(damaged)
        tally.faults["flip"] += 1
        for words in (["runs", "list"], ["runs", "show"], ["translate", *ANY, "source.txt"]):
            tally.commands += 1
            _finish(_mtassay(folder, [*words, "--workspace", "flipped.db"]), tally)


def chaos(seconds: float, seed: int, *, texts: int = 120) -> Tally:
    """Rounds until the time is up, at least one; every fourth one is of reviewers, every twelfth of Ray."""
    tally = Tally()
    until = time.monotonic() + seconds
    for number in count():
        folder = Path(tempfile.mkdtemp(prefix="chaos-"))
        try:
            if number % 4 == 1:
                review_round(folder, seed, tally)
            elif number % 12 == 2 and find_spec("ray") is not None:
                ray_round(folder, seed, tally)
            else:
                one_round(folder, seed, texts, tally)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        seed += 1
        if time.monotonic() > until:
            break
    return tally


def main() -> None:
    """Run it, print what happened, and stop with 1 where something should not have."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ["PYTHONUTF8"] = "1"
    tally = chaos(options.seconds, options.seed)
    print("\n".join(tally.lines()))
    raise SystemExit(bool(tally.findings))


if __name__ == "__main__":
    main()
