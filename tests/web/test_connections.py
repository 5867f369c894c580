"""Strangers and their connections, on real sockets: they shut nobody out, and none of them stays."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from mtassay.app import access
from mtassay.app.web.application import make_application
from mtassay.app.web.server import Connection
from mtassay.app.web.visits import Site
from tests.web.test_pages import fields, run_of

DOCS = Path(__file__).resolve().parents[2] / "docs"

REQUEST = b"GET /api/me HTTP/1.1\r\nHost: 127.0.0.1\r\n"
BODY = b"POST /leave HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\ncsrf="


class Hasty(Connection):
    """Gives strangers half a second."""

    stranger_s = 0.5


class HastyWithAll(Hasty):
    """Gives invited people no more."""

    idle_s = 0.5


class Crowded(Connection):
    """Has room for few strangers."""

    most_of_address = 2
    most_strangers = 3


@contextmanager
def serving(application: Any, connection: type[Connection]) -> Iterator[int]:
    """The port of a server in this process."""
    server = uvicorn.Server(uvicorn.Config(application, http=connection, ws="none", log_level="error"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


def page(workspace: Path) -> Any:
    return make_application(Site(workspace, "127.0.0.1", 8765, "lena"))


def connected(port: int, *, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=20, source_address=(source, 0))


def status_of(client: HTTPConnection, secret: str) -> int:
    client.request("GET", "/api/me", headers={"authorization": f"Bearer {secret}"})
    response = client.getresponse()
    response.read()
    return response.status


def wait_for_end(client: socket.socket, drip: bytes = b"") -> bool:
    """Send byte after byte until the other side ends it; whether it did within 20 s."""
    client.settimeout(0.1)
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            client.sendall(drip)
            if not client.recv(65_536):
                return True
        except TimeoutError:
            continue
        except ConnectionError:
            return True
    return False


def test_six_hundred_strangers_shut_no_invited_person_out(workspace: Path) -> None:
    secret = access.invite("anna", workspace=workspace)
    command = [sys.executable, "-m", "mtassay", "serve", str(workspace), "--port", "0"]
    with ExitStack() as stack:
        process = stack.enter_context(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
        stack.callback(process.kill)
        assert process.stderr is not None
        port = int(re.findall(r":(\d+)/", process.stderr.readline())[0])
        earlier = HTTPConnection("127.0.0.1", port, timeout=20)
        assert status_of(earlier, secret) == 200
        kept = earlier.sock
        for begun in (b"", REQUEST, BODY) * 200:
            stranger = stack.enter_context(connected(port))
            stranger.sendall(begun)
        assert status_of(earlier, secret) == 200
        assert earlier.sock is kept
        for _ in range(3):  # people behind one proxy have the address of the strangers
            assert status_of(HTTPConnection("127.0.0.1", port, timeout=20), secret) == 200
        assert status_of(HTTPConnection("127.0.0.1", port, timeout=20), "guessed") == 401


@pytest.mark.parametrize(
    ("begun", "drip"),
    [
        (b"", b""),
        (REQUEST, b""),
        (REQUEST + b"X: ", b"x"),
        (BODY, b""),
        (BODY, b"x"),
        (REQUEST + b"\r\n", b""),
    ],
    ids=["idle", "headers", "slow headers", "body", "slow body", "refused"],
)
def test_no_connection_of_a_stranger_stays(workspace: Path, begun: bytes, drip: bytes) -> None:
    access.invite("anna", workspace=workspace)
    with serving(page(workspace), Hasty) as port, connected(port) as stranger:
        stranger.sendall(begun)
        assert wait_for_end(stranger, drip)


def test_the_connection_of_an_invited_person_stays_until_they_are_revoked(workspace: Path) -> None:
    secret = access.invite("anna", workspace=workspace)
    with serving(page(workspace), Hasty) as port:
        client = HTTPConnection("127.0.0.1", port, timeout=20)
        assert status_of(client, secret) == 200
        kept = client.sock
        time.sleep(3 * Hasty.stranger_s)
        assert status_of(client, secret) == 200
        assert client.sock is kept
        access.revoke("anna", workspace=workspace)
        assert status_of(client, secret) == 401
        assert wait_for_end(kept)


@pytest.mark.parametrize(
    ("begun", "drip"), [(b"", b""), (REQUEST + b"X: ", b"x")], ids=["idle", "slow headers"]
)
def test_an_invited_person_sends_the_next_request_in_time(workspace: Path, begun: bytes, drip: bytes) -> None:
    secret = access.invite("anna", workspace=workspace)
    with serving(page(workspace), HastyWithAll) as port, connected(port) as client:
        client.sendall(REQUEST + f"Authorization: Bearer {secret}\r\n\r\n".encode())
        assert client.recv(65_536).startswith(b"HTTP/1.1 200")
        client.sendall(begun)
        assert wait_for_end(client, drip)


def test_a_slow_download_of_an_invited_person_is_not_cut() -> None:
    size = 30_000_000

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope["state"]["recognised"](True)
            head = [(b"content-length", str(size).encode())]
            await send({"type": "http.response.start", "status": 200, "headers": head})
            await send({"type": "http.response.body", "body": bytes(size)})

    with serving(application, HastyWithAll) as port:
        client = HTTPConnection("127.0.0.1", port, timeout=20)
        client.request("GET", "/")
        time.sleep(3 * HastyWithAll.idle_s)
        assert len(client.getresponse().read()) == size
        client.close()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one loopback address")
def test_the_oldest_stranger_makes_room_first_of_the_same_address(workspace: Path) -> None:
    with serving(page(workspace), Crowded) as port, ExitStack() as stack:
        first, second, third, elsewhere, last = (
            stack.enter_context(connected(port, source=source))
            for source in ("127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.3")
        )
        assert wait_for_end(first)  # the third of one address
        assert wait_for_end(second)  # the fourth in all
        for client in (third, elsewhere, last):
            client.sendall(REQUEST + b"\r\n")
            assert client.recv(65_536).startswith(b"HTTP/1.1 200")


def test_nginx_as_documented_lets_invited_people_in_over_https(workspace: Path, tmp_path: Path) -> None:
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    openssl = shutil.which("openssl")
    if nginx is None or openssl is None:
        pytest.skip("needs nginx and openssl")
    key, certificate = tmp_path / "review.key", tmp_path / "review.pem"
    made = f"req -x509 -newkey rsa:2048 -nodes -subj /CN=review.example.org -keyout {key} -out {certificate}"
    subprocess.run([openssl, *made.split()], check=True, capture_output=True)
    (server,) = re.findall(r"```nginx\n(.*?)```", (DOCS / "howto/reviewers.md").read_text("utf-8"), re.S)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    secret = access.invite("anna", workspace=workspace)
    site = Site(workspace, "127.0.0.1", 8765, "lena", hosts=("review.example.org",))
    with serving(make_application(site), Connection) as behind:
        for written, here in (
            ("443", f"127.0.0.1:{port}"),
            ("/etc/ssl/review.pem", str(certificate)),
            ("/etc/ssl/review.key", str(key)),
            ("127.0.0.1:8765", f"127.0.0.1:{behind}"),
        ):
            server = server.replace(written, here)
        parts = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        places = "".join(f"{part}_temp_path {tmp_path}/{part};" for part in parts)
        top = (
            f"daemon off; master_process off; pid {tmp_path}/pid; error_log {tmp_path}/error.log; events {{}}"
        )
        configuration = f"{top}\nhttp {{ access_log off; {places}\n{server} }}"
        (tmp_path / "nginx.conf").write_text(configuration, "utf-8")
        proxy = subprocess.Popen([nginx, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")])
        try:
            address = f"https://127.0.0.1:{port}"
            host = {"host": "review.example.org"}
            with httpx.Client(base_url=address, headers=host, verify=False) as browser:  # its own certificate
                wait_until_open(port)
                assert browser.get("/api/me").status_code == 401
                entered = browser.get(f"/enter/{secret}")
                assert "; secure" in entered.headers["set-cookie"].lower()
                secret_of_site = entered.headers["set-cookie"].split(";")[0]
                signed_in = {"cookie": secret_of_site}
                assert browser.get("/api/me", headers=signed_in).json()["name"] == "anna"
                form = fields(browser.get(f"/runs/{run_of(workspace)}/suite", headers=signed_in).text)
                action, form = form.pop("action"), {**form, "answer": "correct"}
                for origin, status in (("https://evil.example", 403), ("https://review.example.org", 303)):
                    sent = browser.post(action, data=form, headers={"origin": origin, **signed_in})
                    assert sent.status_code == status
        finally:
            proxy.terminate()
            proxy.wait()


def wait_until_open(port: int) -> None:
    """Wait until something listens there."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)
    raise AssertionError(f"nothing listens on port {port}")
