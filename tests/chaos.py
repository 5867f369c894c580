"""Chaos: one workspace, a server with random faults, kills, a full disk, locks and flipped bits; seeded.

    python -m tests.chaos --seconds 600 --seed 1

What must hold: no text is lost or wrong, none is paid twice but those that a kill cut off or that found no
room on the disk, no traceback, no exit code 70, and nothing hangs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

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
TRICKS = ("kill", "kill", "two", "lock", "disk", "none", "none")


@dataclass
class Tally:
    """What happened, and what should not have."""

    commands: int = 0
    kills: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """For a person."""
        faults = ", ".join(f"{name} {count}" for name, count in sorted(self.faults.items()))
        return [
            f"{self.commands} commands, {self.kills} killed; faults: {faults}",
            f"{len(self.answered):,} texts answered {self.answered.total():,} times",
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
        count = 2 if trick == "two" else 1
        running = [_start(folder, small_disk=trick == "disk") for _ in range(count)]
        if lock is not None:
            time.sleep(draw.uniform(0.1, 1.5))
            lock.close()
        if trick == "kill":
            time.sleep(draw.uniform(0.05, 2.5))
            running[0].send_signal(signal.SIGKILL)
            tally.kills += 1
            excused += BATCH * IN_FLIGHT
        codes = [_finish(process, tally, killed=trick == "kill") for process in running]
        tally.commands += count
        if codes == [0] * count:
            break
    else:
        tally.findings.append(f"seed {seed}: not finished after 60 commands")
    server.shutdown()
    server.server_close()
    _check(folder, seed, sources, before, excused, tally)
    _flip(folder, draw, tally)


def _start(folder: Path, *, small_disk: bool) -> subprocess.Popen[str]:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    return _mtassay(
        folder,
        ["translate", "-l", "en-de", "-t", "e=http:service.json", "source.txt", "-o", "out.txt", "-q"],
        preexec=limit if small_disk else None,
    )


def _mtassay(folder: Path, words: list[str], preexec: Any = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "mtassay", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        preexec_fn=preexec,
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
    """Rounds until the time is up, at least one."""
    tally = Tally()
    until = time.monotonic() + seconds
    while True:
        folder = Path(tempfile.mkdtemp(prefix="chaos-"))
        try:
            one_round(folder, seed, texts, tally)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        seed += 1
        if time.monotonic() > until:
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
