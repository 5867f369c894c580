"""Any program that reads one text per line and writes one translation per line."""

from __future__ import annotations

import os
import re
import shlex
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.core import Output, Request
from mtassay.errors import BusyError, ClosedError, UsageError
from mtassay.packages import Secret, redact
from mtassay.systems.answers import Answer, answer_each, signature
from mtassay.systems.live import Limits, LiveSystem
from mtassay.systems.process import Finished, run

ADAPTER = 1
_SHELL = re.compile(r"[|&;<>$`\n]")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_KEY_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
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
        """The command with its languages filled in. What the program itself does is not known here."""
        return signature("command", command=self._shown, adapter=ADAPTER)

    @property
    def limits(self) -> Limits:
        """One program at a time; a second attempt for a batch that crashed."""
        return Limits(batch=self.batch, in_flight=1, attempts=2, timeout=self.timeout)

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        """One line in and one line out per request; a line break inside a text is sent as a space."""
        return answer_each(requests, self._ask)

    def _ask(self, texts: Sequence[str]) -> list[Answer]:
        lines = self._run([_LINE_BREAK.sub(" ", text).encode() for text in texts])
        return [Answer(line, None, _meta(text)) for line, text in zip(lines, texts, strict=True)]

    def _run(self, lines: Sequence[bytes]) -> list[str]:
        stdin = b"".join(line + b"\n" for line in lines)
        try:
            # Nobody's translation is a hundred times as long as its source.
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
        said = finished.stderr.decode("utf-8", "replace").strip()
        last = redact(" ".join(said.splitlines()[-1].split()))[:200] if said else "nothing"
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
    def _shown(self) -> str:
        _learn_keys()
        return redact(self._filled)

    @property
    def _what(self) -> str:
        return f"command '{self._shown}'"


def _meta(text: str) -> dict[str, str]:
    return {"newlines": "replaced by spaces"} if _LINE_BREAK.search(text) else {}


def _split(stdout: bytes) -> list[bytes]:
    """Lines end with a line feed, the last one perhaps not; a carriage return before it is no text.

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
    """A program sees our environment and may repeat a key from it: make sure that none is shown."""
    for name, value in os.environ.items():
        if _KEY_NAME.search(name) and len(value) >= 8:
            Secret(value)
