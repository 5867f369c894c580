"""A real pseudo-terminal with mtassay in it: type keys, and wait for what appears."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.cli.conftest import MAIN

PATIENCE = 60.0
"""Seconds after which a text that has not appeared will not. Only a failing test waits so long."""


def _control() -> None:
    """Make the terminal the one that Ctrl-C comes from, also where tests run in the background without it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Terminal:
    """mtassay with these words on a terminal of 80 columns, in this folder."""

    def __init__(self, folder: Path, *words: object, color: bool = False) -> None:
        self._controller, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
        environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        environment |= {"COLUMNS": "80", "PYTHONUTF8": "1"} | ({} if color else {"NO_COLOR": "1"})
        self.process = subprocess.Popen(
            [*MAIN, *map(str, words)],
            cwd=folder,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
            preexec_fn=_control,
            env=environment,
        )
        os.close(inside)
        self.seen = ""
        self._looked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._controller)

    def wait_for(self, text: str) -> str:
        """What appeared up to this text, since the last call."""
        until = time.monotonic() + PATIENCE
        while text not in self.seen[self._looked :]:
            assert self._read(until), f"{text!r} did not appear after:\n{self.seen[self._looked :]}"
        start = self._looked
        self._looked = self.seen.index(text, start) + len(text)
        return self.seen[start : self._looked]

    def ready(self) -> None:
        """Wait until it waits for a key: only then is what is typed not dropped."""
        self.wait_for("q quit")
        until = time.monotonic() + PATIENCE
        while termios.tcgetattr(self._controller)[3] & termios.ICANON:
            assert time.monotonic() < until, "it does not wait for a key"
            time.sleep(0.005)

    def type(self, keys: str) -> None:
        os.write(self._controller, keys.encode())

    def press(self, key: str) -> None:
        """Type one key once it is waited for."""
        self.ready()
        self.type(key)

    def finish(self) -> int:
        """The exit code, once it has ended by itself."""
        until = time.monotonic() + PATIENCE
        while self._read(until):
            pass
        return self.process.wait(timeout=PATIENCE)

    def kill(self) -> None:
        """kill -9."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def _read(self, until: float) -> bool:
        """Take what has appeared; False at the end of it all."""
        ready, _, _ = select.select([self._controller], [], [], max(until - time.monotonic(), 0))
        if not ready:
            return False
        with contextlib.suppress(OSError):  # what Linux says when the other side has closed
            data = os.read(self._controller, 65536)
            self.seen += data.decode("utf-8", "replace").replace("\r\n", "\n")
            return bool(data)
        return False
