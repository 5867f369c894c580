"""Any program on this machine as an engine: texts go in, translations come out."""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, ClassVar

from mtassay.data.errors import BusyError, ClosedError, UsageError
from mtassay.data.language_packs import fingerprint
from mtassay.data.nouns import Output, Request
from mtassay.runtime.http_calls import KEY_NAME, Secret, redact
from mtassay.runtime.processes import start_program
from mtassay.systems.live import Answer, Limits, LiveSystem, answer_each, signature

_BLOCK = 1 << 16
_STDERR_KEPT = 1 << 14
_running: set[subprocess.Popen[bytes]] = set()
_running_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of a program: `code` is negative for a signal; `stopped` says why we ended it, if we did."""

    code: int
    stdout: bytes
    stderr: bytes
    stopped: str | None = None


def run(arguments: Sequence[str], *, stdin: bytes, timeout: float, most: int) -> Finished:
    """Run a program to its end; `OSError` if it cannot be started.

    It is ended with all processes that it started after `timeout` seconds or `most` bytes of output. Only the
    end of stderr is kept.
    """
    _stop_all_at_exit()
    deadline = time.monotonic() + timeout
    held = start_program(arguments)
    process = held.process
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with _running_lock:
        _running.add(process)
    try:
        # Write and read at the same time: a full pipe on one side must not block the other.
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
            # A grandchild in another session may hold a pipe forever: do not wait for it.
            thread.join(timeout=1.0)
        return Finished(process.returncode, bytes(output.data), bytes(errors.data), stopped)
    except BaseException:
        _end(process)
        raise
    finally:
        held.release()
        with _running_lock:
            _running.discard(process)


def stop_all() -> None:
    """End every running program, for a caller that gives up; at exit this is automatic."""
    with _running_lock:
        processes = list(_running)
    for process in processes:
        _kill(process)


@cache
def _stop_all_at_exit() -> None:
    # Ctrl-C reaches us but not the sessions that we started.
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
    with suppress(subprocess.TimeoutExpired):
        if not reader.is_alive():
            process.wait(timeout=max(deadline - time.monotonic(), 0.0))
            return None
    return f"did not end within {timeout:g} s"


def _write(pipe: IO[bytes], data: bytes) -> None:
    # A program need not read all that it is given.
    with suppress(OSError), pipe:
        pipe.write(data)


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
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


ADAPTER = 1
_SHELL = re.compile(r"[|&;<>$`\n]")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_NOT_FOUND = {126, 127}


@dataclass(frozen=True, kw_only=True)
class Command(LiveSystem):
    """A program that is started once per batch, UTF-8 lines in and as many lines out.

    `{source}` and `{target}` in the text become the language tags (`en`, `pt-BR`). The text is split as a
    shell would and run without one, unless it holds `|`, `&`, `;`, `<`, `>`, `$` or a backtick: then
    `/bin/sh -c` runs it. `timeout` is in seconds for one batch.
    """

    scheme: ClassVar[str] = "command"
    subject: ClassVar[str] = "command"
    takes_options: ClassVar[bool] = False
    """The whole rest of the spec is the command: a `?` in it belongs to the program."""

    command: str
    batch: int = 100
    timeout: float = 300.0

    def __post_init__(self) -> None:
        try:
            empty = not shlex.split(self.command)
        except ValueError as error:
            if not _SHELL.search(self.command):
                raise UsageError(f"{self._what}: {error}. Check its quotes.") from None
            empty = False
        if empty:
            raise UsageError(
                f"system '{self.name}': no program. Write {self.name}=command:PROGRAM ARGUMENTS."
            )

    @property
    def signature(self) -> str:
        return signature("command", command=self._shown, adapter=ADAPTER)

    @property
    def limits(self) -> Limits:
        """One program at a time; a second attempt for a batch that crashed."""
        return Limits(batch=self.batch, in_flight=1, attempts=2, timeout=self.timeout)

    @property
    def program(self) -> str:
        files = [path for word in self._words if (path := _file(word)) is not None]
        try:
            return fingerprint(*files) if files else ""
        except OSError:
            return ""

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        """Write one line and read one line per request; a line break inside a text is sent as a space."""
        return answer_each(requests, self._ask)

    def _ask(self, texts: Sequence[str]) -> list[Answer]:
        lines = self._run([_LINE_BREAK.sub(" ", text).encode() for text in texts])
        return [
            Answer(line, None, {"newlines": "replaced by spaces"} if _LINE_BREAK.search(text) else {})
            for line, text in zip(lines, texts, strict=True)
        ]

    def _run(self, lines: Sequence[bytes]) -> list[str]:
        stdin = b"".join(line + b"\n" for line in lines)
        try:
            # No translation is a hundred times as long as its source.
            finished = run(self._arguments, stdin=stdin, timeout=self.timeout, most=100 * len(stdin) + 2**24)
        except FileNotFoundError:
            program = redact(self._arguments[0])
            raise ClosedError(
                f"{self._what}: no program '{program}'. Install it, or give its path."
            ) from None
        except OSError as error:
            raise ClosedError(f"{self._what}: it cannot be started: {error.strerror}.") from None
        answers = _split(finished.stdout)
        if finished.stopped or finished.code or len(answers) != len(lines):
            raise self._failure(finished, expected=len(lines), got=len(answers))
        return [self._decode(answer, number) for number, answer in enumerate(answers, start=1)]

    def _failure(self, finished: Finished, *, expected: int, got: int) -> BusyError | ClosedError:
        _learn_keys()
        stderr = finished.stderr.decode("utf-8", "replace").strip()
        last = redact(" ".join(stderr.splitlines()[-1].split()))[:200] if stderr else "nothing"
        how = finished.stopped or f"ended with {_ending(finished.code)}"
        message = f"{self._what} {how}; lines: {got} for {expected}; its last words on stderr: {last}"
        if self._in_shell and finished.code in _NOT_FOUND and not finished.stopped:
            return ClosedError(message)
        return BusyError(message)

    def _decode(self, answer: bytes, number: int) -> str:
        try:
            return answer.decode("utf-8")
        except UnicodeDecodeError as error:
            raise BusyError(
                f"{self._what}: line {number} of its answer is not UTF-8 ({error.reason})"
            ) from None

    @property
    def _filled(self) -> str:
        return self.command.replace("{source}", self.pair.source.tag).replace(
            "{target}", self.pair.target.tag
        )

    @property
    def _in_shell(self) -> bool:
        return _SHELL.search(self.command) is not None

    @property
    def _arguments(self) -> list[str]:
        return ["/bin/sh", "-c", self._filled] if self._in_shell else shlex.split(self._filled)

    @property
    def _words(self) -> list[str]:
        """Return the words of the command, without the syntax of a shell."""
        if not self._in_shell:
            return self._arguments
        lexer = shlex.shlex(os.path.expandvars(self._filled), posix=True, punctuation_chars="|&;<>()`$\n")
        lexer.whitespace_split = True
        lexer.commenters = ""
        try:
            return list(lexer)
        except ValueError:  # quotes that only a shell can pair
            return []

    @property
    def _shown(self) -> str:
        _learn_keys()
        return redact(self._filled)

    @property
    def _what(self) -> str:
        return f"command '{self._shown}'"


def _file(word: str) -> Path | None:
    """Return the file that a word of a command names by its path or as a program in the search path."""
    path = Path(word).expanduser()
    try:
        if not path.is_file():
            found = shutil.which(word)
            path = Path(found) if found else path
        return path if path.is_file() else None
    except (OSError, ValueError):
        return None


def _split(stdout: bytes) -> list[bytes]:
    """Lines end with a line feed, except perhaps the last; a carriage return before it is dropped.

    >>> _split(b"a\\r\\n\\nb"), _split(b"\\n"), _split(b"")
    ([b'a', b'', b'b'], [b''], [])
    """
    lines = stdout.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix(b"\r") for line in lines]


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"signal {-code}"


def _learn_keys() -> None:
    """Register the keys in our environment as secrets: a program sees them and may repeat one."""
    for name, value in os.environ.items():
        if KEY_NAME.search(name) and len(value) >= 8:
            Secret(value)
