"""Measures how well live engines are kept busy, and what an answer from the workspace costs.

usage: python bench/engine.py

A real HTTP server in a process of its own takes 100 ms for each request. A plain loop that asks for one text
after the other is the peer.
"""

from __future__ import annotations

import json
import multiprocessing
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path

from results import table, write_section

from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Request
from mtassay.runtime.workspace import Workspace
from mtassay.systems.client import translate_all
from mtassay.systems.fake import Fake
from mtassay.systems.http_server import Http

DELAY = 0.1
PAIR = parse_pair("en-de")


class Slow(BaseHTTPRequestHandler):
    """Takes its time and gives back what it got."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(DELAY)
        body = json.dumps({"translations": request["texts"]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def serve(pipe: Connection) -> None:
    ThreadingHTTPServer.request_queue_size = 128
    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    server.daemon_threads = True
    pipe.send(server.server_address[1])
    server.serve_forever(0.05)


def main() -> None:
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    port = ours.recv()
    with tempfile.TemporaryDirectory() as folder:
        parts = [throughput(Path(folder), port), overhead(Path(folder)), cached(Path(folder))]
    server.terminate()
    write_section("engine", "Live engines", "\n\n".join(parts))


def throughput(folder: Path, port: int) -> str:
    loop = engine(folder, port, 1)
    start = time.perf_counter()
    for i in range(20):
        loop.translate([Request("1", f"warm {i}")])
    sequential = 20 / (time.perf_counter() - start)
    rows: list[list[object]] = [
        ["plain loop", 20, round(sequential, 1), f"{100 * sequential * DELAY:.0f} %", "1.0 ×"]
    ]
    for in_flight in (4, 16, 64):
        count = 20 * in_flight
        workspace = Workspace(folder / f"{in_flight}.db")
        requests = [Request(str(i), f"text {in_flight} {i}") for i in range(count)]
        start = time.perf_counter()
        translate_all(engine(folder, port, in_flight), requests, answers=workspace)
        rate = count / (time.perf_counter() - start)
        possible = in_flight / DELAY
        share = f"{100 * rate / possible:.0f} %"
        name = f"mtassay, {in_flight} at a time, answers stored"
        rows.append([name, count, round(rate, 1), share, f"{rate / sequential:.1f} ×"])
    head = ["how", "texts", "texts per second", "of what is possible", "plain loop"]
    return f"A server that takes {1000 * DELAY:.0f} ms per request, one text each.\n\n{table(head, rows)}"


def overhead(folder: Path) -> str:
    """Processor seconds for an engine that answers at once, one text each: all that is left is ours."""
    best = 1e9
    for turn in range(3):
        workspace = Workspace(folder / f"overhead-{turn}.db")
        requests = [Request(str(i), f"a sentence of the usual length, number {i}") for i in range(5000)]
        start = time.process_time()
        translate_all(Fake(name="fake", pair=PAIR), requests, answers=workspace)
        best = min(best, time.process_time() - start)
    return (
        f"An engine that answers at once, 5,000 texts, one each, answers stored: {best:.2f} s of processor "
        f"time, {1e6 * best / 5000:.0f} µs per text (best of three)."
    )


def engine(folder: Path, port: int, in_flight: int) -> Http:
    path = folder / f"service-{in_flight}.json"
    template = {
        "url": f"http://127.0.0.1:{port}/",
        "body": {"texts": "${texts}"},
        "answer": "translations[*]",
        "batch": 1,
        "in_flight": in_flight,
    }
    path.write_text(json.dumps(template), encoding="utf-8")
    return Http(name="slow", pair=PAIR, template=str(path))


def cached(folder: Path) -> str:
    rows: list[list[object]] = []
    for count in (1_000, 10_000, 100_000):
        workspace = Workspace(folder / f"cached-{count}.db")
        fake = Fake(name="fake", pair=PAIR, batch=1000)
        requests = [Request(str(i), f"a sentence of the usual length, number {i}") for i in range(count)]
        translate_all(fake, requests, answers=workspace)
        start = time.process_time()
        translate_all(fake, requests, answers=workspace)
        rows.append([f"{count:,}", round(1e6 * (time.process_time() - start) / count, 1)])
    shown = table(["texts", "processor, µs per text"], rows)
    return f"Answers that are in the workspace already.\n\n{shown}"


if __name__ == "__main__":
    main()
