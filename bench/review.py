"""How fast the review page is: every page on a large run, and many reviewers at once while a run is judged.

`python bench/review.py pages` makes a run of 5,000 items by 18 systems (90,000 findings) and times each page.
`python bench/review.py crowd --seconds 60 --kills 10` lets twenty reviewers decide at once while runs are
judged into the same workspace, kills the server in between, and checks that no decision is lost or doubled.
`python bench/review.py users --people 50` lets many look and decide at once on one large run.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import httpx
from results import table, write_section

from mtassay.app import access
from mtassay.app.library import suite
from mtassay.data.formats.suite_items import Item, Rule, Suite
from mtassay.runtime.workspace import Workspace

WORDS = (
    "casa",
    "gato",
    "tempo",
    "mundo",
    "vida",
    "noite",
    "porta",
    "mesa",
    "livro",
    "cidade",
    "vento",
    "rio",
)


def make_suite(items: int) -> Suite:
    """Items of ten categories whose one rule settles about two thirds of the outputs."""
    made = [
        Item(
            f"item-{n:05d}",
            "en-pt",
            f"Category {n % 10}",
            f"Phenomenon {n % 90}",
            f"Sentence number {n} about a house.",
            (Rule(r"\bcasa\b"),),
            (Rule(r"\bgato\b"),),
        )
        for n in range(items)
    ]
    return Suite(tuple(made), name="bench")


def save_run(path: Path, content: Suite, systems: int, *, seed: int) -> str:
    """A run of random outputs, a third of which is equal among systems."""
    draw = random.Random(seed)
    outputs: dict[str, list[str]] = {f"system-{s:02d}": [] for s in range(systems)}
    for item in content.items:
        shared = " ".join(draw.sample(WORDS, 6))
        for texts in outputs.values():
            own = f"{' '.join(draw.sample(WORDS, 6))} {item.id}"
            texts.append(shared if draw.random() < 0.3 else own)
    return suite(content, outputs, save=True, workspace=path, quiet=True).id


class Server:
    """The page of a workspace in a process of its own, on a port that stays over restarts."""

    def __init__(self, path: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._command = [
            sys.executable,
            "-m",
            "mtassay",
            "serve",
            str(path),
            "--port",
            str(self.port),
        ]
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = subprocess.Popen(self._command, stderr=subprocess.DEVNULL)
        while True:
            try:
                httpx.get(f"{self.address}/static/review.css", timeout=1)
                return
            except httpx.HTTPError:
                time.sleep(0.05)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


MEASURED = ["what", "median, ms", "95th percentile", "most", "n"]


def milliseconds(name: str, times: list[float]) -> list[object]:
    """A row of what was measured."""
    ordered = sorted(times)
    p95 = ordered[min(int(0.95 * len(ordered)), len(ordered) - 1)]
    shown = (statistics.median(ordered), p95, ordered[-1])
    return [name, *(f"{1000 * value:.0f}" for value in shown), f"{len(ordered):,}"]


def pages(folder: Path, items: int, systems: int, rounds: int) -> None:
    """Time every page on a large run."""
    path = folder / "workspace.db"
    began = time.perf_counter()
    run = save_run(path, make_suite(items), systems, seed=1)
    judged = time.perf_counter() - began
    rows = []
    secret = access.invite("bench", admin=True, workspace=path)
    headers = {"authorization": f"Bearer {secret}"}
    with (
        Server(path) as server,
        httpx.Client(base_url=server.address, headers=headers, timeout=600) as client,
    ):
        queue = f"/runs/{run}/suite"
        began = time.perf_counter()
        client.get(queue).raise_for_status()
        first = time.perf_counter() - began
        settle(client, queue, 600)
        listed = f"/browse/{run}/suite"
        card = client.get(f"/api{queue}/next").json()["subject"]
        for name, address in (
            ("home", "/"),
            ("next card", queue),
            ("next card, of one phenomenon", f"{queue}?phenomenon=Phenomenon 7"),
            ("next card, second opinions", f"{queue}?double=1"),
            ("one card", f"{queue}/cards/{card}"),
            ("list, first page", listed),
            ("list, last page", f"{listed}?page=900"),
            ("list by system", f"{listed}?system=system-07"),
            ("list by text", f"{listed}?text=gato mesa"),
            ("list by answer", f"{listed}?answer=correct"),
            ("list by reviewer", f"{listed}?reviewer=bench"),
        ):
            times = []
            for _ in range(rounds):
                began = time.perf_counter()
                client.get(address).raise_for_status()
                times.append(time.perf_counter() - began)
            rows.append(milliseconds(name, times))
        rows.append(milliseconds("decision", settle(client, queue, 100)))
    told = (
        f"{items:,} items × {systems} systems, judged in {judged:.1f} s; the first card of the run took "
        f"{first:.1f} s, once; the workspace has {path.stat().st_size / 2**20:.0f} MiB."
    )
    write_section("review-pages", "Pages of the review app", f"{told}\n\n{table(MEASURED, rows)}")


def settle(client: httpx.Client, queue: str, count: int) -> list[float]:
    """Decide on the next outputs; the seconds that each decision took, without looking."""
    times = []
    cards = client.get(f"/api{queue}/cards?answer=open&limit=200").json()
    offset = 0
    while len(times) < count and cards["cards"]:
        for card in cards["cards"]:
            began = time.perf_counter()
            sent = {"answer": random.choice(["correct", "incorrect"])}
            client.post(f"/api{queue}/cards/{card['subject']}", json=sent).raise_for_status()
            times.append(time.perf_counter() - began)
        offset += 200
        cards = client.get(f"/api{queue}/cards?answer=open&limit=200").json()
    return times


def crowd(folder: Path, people: int, seconds: float, kills: int) -> None:
    """Let many decide at once while runs are judged and the server is killed; nothing may be lost."""
    path = folder / "workspace.db"
    content = make_suite(400)
    run = save_run(path, content, 6, seed=1)
    secrets = {f"p{n:02d}": access.invite(f"p{n:02d}", workspace=path) for n in range(people)}
    server = Server(path)
    acknowledged: dict[str, list[tuple[str, str]]] = {name: [] for name in secrets}
    times: list[float] = []
    troubles: Counter[str] = Counter()
    end = time.monotonic() + seconds

    def review(name: str, secret: str) -> None:
        queue = f"/api/runs/{run}/suite"
        headers = {"authorization": f"Bearer {secret}"}
        with httpx.Client(base_url=server.address, headers=headers, timeout=60) as client:
            after, number = random.randrange(1000), 0
            while time.monotonic() < end:
                card = persistent(client, "GET", f"{queue}/next?double=true&after={after}")
                if not card:
                    return
                after, number = card["position"], number + 1
                sent = {"answer": random.choice(["correct", "incorrect"]), "id": f"{name}-{number}"}
                began = time.perf_counter()
                persistent(client, "POST", f"{queue}/cards/{card['subject']}", sent)
                times.append(time.perf_counter() - began)
                acknowledged[name].append((card["subject"], sent["answer"]))

    def persistent(client: httpx.Client, method: str, address: str, sent: dict[str, str] | None = None):  # type: ignore[no-untyped-def]
        """Ask until there is an answer: a server that was killed comes back."""
        while True:
            try:
                response = client.request(method, address, json=sent)
            except httpx.HTTPError as error:
                troubles[type(error).__name__] += 1
                time.sleep(0.1)
                continue
            if response.status_code == 503:
                troubles["busy (503)"] += 1
                time.sleep(0.2)
                continue
            if response.status_code != 200:
                troubles[f"{response.status_code} {response.text[:100]}"] += 1
            return response.json()

    judged: list[str] = []

    def judge() -> None:
        while time.monotonic() < end:
            judged.append(save_run(path, content, 6, seed=len(judged) + 2))

    threads = [threading.Thread(target=review, args=pair) for pair in secrets.items()]
    threads.append(threading.Thread(target=judge))
    for thread in threads:
        thread.start()
    killed = 0
    while any(thread.is_alive() for thread in threads):
        if killed < kills and time.monotonic() > end - seconds * (1 - (killed + 1) / (kills + 1)):
            server.kill()
            killed += 1
            server.start()
        time.sleep(0.1)
    server.kill()
    kept = Counter((r.reviewer, r.subject, r.answer) for r in Workspace(path).reviews())
    said = Counter((name, *entry) for name, entries in acknowledged.items() for entry in entries)
    lost, doubled = sum((said - kept).values()), sum((kept - said).values())
    told = (
        f"{people} reviewers at once, {seconds:.0f} s, {len(judged)} runs judged beside them, the server "
        f"killed {killed} times: {sum(said.values()):,} decisions acknowledged, {lost} lost, "
        f"{doubled} doubled."
    )
    again = ", ".join(f"{name} {count:,}" for name, count in troubles.items()) or "none"
    text = f"{told} Requests that were tried again: {again}."
    rows = [milliseconds("decision", times)]
    write_section("review-crowd", "Many reviewers at once", f"{text}\n\n{table(MEASURED, rows)}")


def users(folder: Path, items: int, systems: int, people: int, seconds: float) -> None:
    """Let many look and decide at once on one large run; tells errors, lost answers and memory."""
    path = folder / "workspace.db"
    run = save_run(path, make_suite(items), systems, seed=1)
    secrets = [access.invite(f"p{n:02d}", admin=n == 0, workspace=path) for n in range(people)]
    times: dict[str, list[float]] = {"first page": [], "page with a card": [], "list": [], "decision": []}
    errors: Counter[int] = Counter()
    said: list[tuple[str, str, str]] = []
    sizes: list[int] = []

    def timed(client: httpx.Client, what: str, method: str, address: str, **sent: object) -> httpx.Response:
        began = time.perf_counter()
        response = client.request(method, address, **sent)  # type: ignore[arg-type]
        times[what].append(time.perf_counter() - began)
        errors[response.status_code] += response.status_code != 200
        return response

    def one(number: int, secret: str) -> None:
        queue, after = f"/runs/{run}/suite", number * 97
        headers = {"authorization": f"Bearer {secret}"}
        with httpx.Client(base_url=server.address, headers=headers, timeout=120) as client:
            while time.monotonic() < end:
                draw = random.random()
                if draw < 0.05:
                    timed(client, "first page", "GET", "/")
                elif draw < 0.2:
                    timed(client, "list", "GET", f"/browse/{run}/suite?page={random.randrange(1, 50)}")
                timed(client, "page with a card", "GET", f"{queue}?double=1&after={after}")
                card = client.get(f"/api{queue}/next?double=true&after={after}").json()
                after, answer = card["position"], random.choice(["correct", "incorrect"])
                sent = {"answer": answer}
                if timed(client, "decision", "POST", f"/api{queue}/cards/{card['subject']}", json=sent):
                    said.append((f"p{number:02d}", card["subject"], answer))

    with Server(path) as server:
        began = time.perf_counter()
        headers = {"authorization": f"Bearer {secrets[0]}"}
        httpx.get(f"{server.address}/runs/{run}/suite", headers=headers, timeout=600).raise_for_status()
        first = time.perf_counter() - began
        end = time.monotonic() + seconds
        threads = [threading.Thread(target=one, args=pair) for pair in enumerate(secrets)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            sizes.append(resident(server.process.pid))
            time.sleep(0.5)
    kept = Counter((r.reviewer, r.subject, r.answer) for r in Workspace(path).reviews())
    lost = sum((Counter(said) - kept).values())
    told = (
        f"{people} users for {seconds:.0f} s on {items * systems:,} findings: {sum(errors.values())} errors, "
        f"{lost} of {len(said):,} decisions lost, at most {max(sizes)} MiB in memory; the first card of the "
        f"run took {first:.1f} s."
    )
    rows = [milliseconds(name, measured) for name, measured in times.items() if measured]
    write_section("review-users", "Many users on a large run", f"{told}\n\n{table(MEASURED, rows)}")


def resident(pid: int) -> int:
    """How much memory a process holds, in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) // 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["pages", "crowd", "users"])
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--systems", type=int, default=18)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--kills", type=int, default=10)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.what == "pages":
            pages(Path(folder), given.items, given.systems, given.rounds)
        elif given.what == "users":
            users(Path(folder), given.items, given.systems, given.people, given.seconds)
        else:
            crowd(Path(folder), given.people, given.seconds, given.kills)


if __name__ == "__main__":
    main()
