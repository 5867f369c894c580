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

from mtassay.caller import translate_all
from mtassay.core import Request
from mtassay.languages import parse_pair
from mtassay.store import Workspace
from mtassay.systems.fake import Fake
from mtassay.systems.http import Http

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
        throughput(Path(folder), port)
        cached(Path(folder))
    server.terminate()


def throughput(folder: Path, port: int) -> None:
    loop = engine(folder, port, 1)
    start = time.perf_counter()
    for i in range(20):
        loop.translate([Request("1", f"warm {i}")])
    sequential = 20 / (time.perf_counter() - start)
    print(f"\nA server that takes {1000 * DELAY:.0f} ms per request, one text each\n")
    print("| how | texts | texts per second | of what is possible | plain loop |")
    print("|---|--:|--:|--:|--:|")
    print(f"| plain loop | 20 | {sequential:.1f} | {100 * sequential * DELAY:.0f} % | 1.0 × |")
    for in_flight in (4, 16, 64):
        count = 20 * in_flight
        workspace = Workspace(folder / f"{in_flight}.db")
        requests = [Request(str(i), f"text {in_flight} {i}") for i in range(count)]
        start = time.perf_counter()
        translate_all(engine(folder, port, in_flight), requests, answers=workspace)
        rate = count / (time.perf_counter() - start)
        possible = in_flight / DELAY
        print(
            f"| mtassay, {in_flight} at a time, answers stored | {count} | {rate:.1f} "
            f"| {100 * rate / possible:.0f} % | {rate / sequential:.1f} × |"
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


def cached(folder: Path) -> None:
    print("\nAnswers that are in the workspace already\n")
    print("| texts | µs per text |\n|--:|--:|")
    for count in (1_000, 10_000, 100_000):
        workspace = Workspace(folder / f"cached-{count}.db")
        fake = Fake(name="fake", pair=PAIR, batch=1000)
        requests = [Request(str(i), f"a sentence of the usual length, number {i}") for i in range(count)]
        translate_all(fake, requests, answers=workspace)
        start = time.perf_counter()
        translate_all(fake, requests, answers=workspace)
        print(f"| {count:,} | {1e6 * (time.perf_counter() - start) / count:.1f} |")


if __name__ == "__main__":
    main()
