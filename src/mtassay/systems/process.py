"""Runs a program once, bytes in and bytes out, within a time and a size, and leaves nothing running."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import IO

__all__ = ["Finished", "run", "stop_all"]

_BLOCK = 1 << 16
_STDERR_KEPT = 1 << 14
_running: set[subprocess.Popen[bytes]] = set()
_running_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Finished:
    """What a program left: `code` is negative for a signal; `stopped` says why we ended it, if we did."""

    code: int
    stdout: bytes
    stderr: bytes
    stopped: str | None = None


def run(arguments: Sequence[str], *, stdin: bytes, timeout: float, most: int) -> Finished:
    """The finished program; `OSError` where it cannot be started.

    It is ended, together with all that it started, after `timeout` seconds or once it has written `most`
    bytes. Of stderr only the end is kept.
    """
    _stop_all_at_exit()
    deadline = time.monotonic() + timeout
    # A session of its own, so that what the program starts can be ended with it.
    process = subprocess.Popen(
        arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with _running_lock:
        _running.add(process)
    try:
        # Written and read at the same time: a full pipe on one side must not block the other.
        writer = _start(_write, process.stdin, stdin)
        output, errors = _Kept(most=most), _Kept(most=_STDERR_KEPT)
        reader = _start(_read_all, process.stdout, output, process)
        listener = _start(_read_end, process.stderr, errors)
        stopped = _wait(process, reader, deadline, timeout)
        if stopped is not None:
            _end(process)
        elif output.full:
            stopped = f"wrote more than {most} bytes"
        for thread in (reader, listener, writer):
            # A grandchild in another session may hold a pipe for ever: do not wait for that.
            thread.join(timeout=1.0)
        return Finished(process.returncode, bytes(output.data), bytes(errors.data), stopped)
    except BaseException:
        _end(process)
        raise
    finally:
        with _running_lock:
            _running.discard(process)


def stop_all() -> None:
    """Ends every program that runs now, for a caller that gives up; at exit it happens by itself."""
    with _running_lock:
        processes = list(_running)
    for process in processes:
        _kill(process)


@cache
def _stop_all_at_exit() -> None:
    # Ctrl-C reaches us and not the sessions that we started.
    atexit.register(stop_all)


@dataclass(slots=True, kw_only=True)
class _Kept:
    most: int
    data: bytearray = field(default_factory=bytearray)
    full: bool = False


def _start(target: Callable[..., None], *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=target, args=arguments, daemon=True)
    thread.start()
    return thread


def _wait(
    process: subprocess.Popen[bytes], reader: threading.Thread, deadline: float, timeout: float
) -> str | None:
    reader.join(timeout=max(deadline - time.monotonic(), 0.0))
    try:
        if not reader.is_alive():
            process.wait(timeout=max(deadline - time.monotonic(), 0.0))
            return None
    except subprocess.TimeoutExpired:
        pass
    return f"did not end within {timeout:g} s"


def _write(pipe: IO[bytes], data: bytes) -> None:
    # A program need not read all that it is given.
    try:
        with pipe:
            pipe.write(data)
    except OSError:
        pass


def _read_all(pipe: IO[bytes], kept: _Kept, process: subprocess.Popen[bytes]) -> None:
    with pipe:
        while block := os.read(pipe.fileno(), _BLOCK):
            if len(kept.data) + len(block) > kept.most:
                kept.full = True
                _kill(process)
                return
            kept.data += block


def _read_end(pipe: IO[bytes], kept: _Kept) -> None:
    with pipe:
        while block := os.read(pipe.fileno(), _BLOCK):
            kept.data += block
            del kept.data[: -kept.most]


def _end(process: subprocess.Popen[bytes]) -> None:
    _kill(process)
    process.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is not None:
        return  # its number may belong to another program by now
    try:
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
