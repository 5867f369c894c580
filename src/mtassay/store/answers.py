"""What live engines answered, kept for good, and who is asking for what."""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.core import Output, Request
from mtassay.database import UnavailableError, is_intact
from mtassay.errors import WorkspaceError
from mtassay.store.file import WorkspaceFile
from mtassay.store.values import AT_ONCE, as_json, as_text, now_exactly

__all__ = ["CLAIM_S", "KeptAnswers", "StoredAnswer"]

CLAIM_S = 600.0
"""How long others leave a text to the process that is asking for it, unless that has ended."""


class StoredAnswer(NamedTuple):
    """What a live engine answered, and when, in UTC; the output has no id.

    `program` is the fingerprint of the engine's program at that time, empty where it has none. `request` is
    what was asked; answers of early versions do not say it.
    """

    output: Output
    stored: str
    program: str = ""
    request: Request | None = None


class KeptAnswers(WorkspaceFile):
    """Answers of live engines, by what was asked of whom."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._waiting = AnswersBeside(path)
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        if not self.read_only:
            self._take_in()

    def find_answers(self, keys: Sequence[str], *, since: str = "") -> dict[str, StoredAnswer]:
        """The newest answer of live engines by key, of those that are not older than `since`."""
        answers: dict[str, StoredAnswer] = {}
        for start in range(0, len(keys), AT_ONCE):
            part = keys[start : start + AT_ONCE]
            marks = ",".join("?" * len(part))
            for row in self._database.rows(
                "answers", f"WHERE key IN ({marks}) AND stored >= ? ORDER BY id", *part, since
            ):
                if is_intact(row):  # what is damaged is asked again
                    answers[row[0]] = _stored_answer(row)
        return answers

    def answers_of(self, signature: str) -> list[StoredAnswer]:
        """The newest answer of one engine to each text that it was asked for, oldest first."""
        rows = self._database.rows(
            "answers",
            "WHERE id IN (SELECT MAX(id) FROM answers WHERE signature = ? AND source IS NOT NULL "
            "GROUP BY key) ORDER BY stored, id",
            signature,
        )
        return [_stored_answer(row) for row in rows if is_intact(row)]

    def keep_answers(
        self,
        signature: str,
        answers: Mapping[str, Output],
        *,
        requests: Mapping[str, Request],
        program: str = "",
    ) -> None:
        """Keep what a live engine answered to these requests, both by key, beside what it said before.

        Unlike the cache, answers are paid for and never dropped: where the file cannot be written they wait
        in a file beside it, and whoever opens the workspace next takes them in.
        """
        now = now_exactly()
        rows = [
            (
                *(key, signature, as_text(output.text), as_json(output.meta), now, program),
                *(as_text(requests[key].text), as_text(requests[key].context)),
            )
            for key, output in answers.items()
        ]
        try:
            self._put(rows)
        except UnavailableError:
            self._waiting.add(rows)
        else:
            self._take_in()

    def _put(self, rows: Sequence[Sequence[Any]]) -> None:
        with self._database.transaction() as connection:
            self._database.insert("answers", rows)
            connection.executemany("DELETE FROM claims WHERE key = ?", [(row[0],) for row in rows])

    def _take_in(self) -> None:
        """Put answers that wait beside the file into it."""
        if rows := self._waiting.rows():
            with suppress(UnavailableError):
                self._put(rows)
                self._waiting.clear()

    @property
    def waiting(self) -> int:
        """How many answers wait beside the file, because it could not be written."""
        return len(self._waiting.rows())

    def claim(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that nobody else is asking for; they are this one's to ask, for a while.

        A claim ends with its answer, when it is released, when its process is gone, or after its time.
        """
        now = time.time()
        theirs: set[str] = set()
        try:
            with self._database.transaction() as connection:
                for start in range(0, len(keys), AT_ONCE):
                    part = keys[start : start + AT_ONCE]
                    marks = ",".join("?" * len(part))
                    claims = connection.execute(
                        f"SELECT key, owner, until FROM claims WHERE key IN ({marks})", part
                    ).fetchall()
                    theirs |= {
                        k for k, who, until in claims if who != self._owner and until > now and _is_alive(who)
                    }
                connection.executemany(
                    "INSERT OR REPLACE INTO claims VALUES (?, ?, ?)",
                    [(key, self._owner, now + CLAIM_S) for key in keys if key not in theirs],
                )
        except UnavailableError:
            return set(keys)  # who cannot write cannot claim, and asks all the same
        return set(keys) - theirs

    def release(self, keys: Iterable[str]) -> None:
        """Let others ask for these keys: they got no answer here."""
        with suppress(WorkspaceError), self._database.transaction() as connection:
            connection.executemany(
                "DELETE FROM claims WHERE key = ? AND owner = ?", [(key, self._owner) for key in keys]
            )


class AnswersBeside:
    """Answers in a file beside the workspace, for as long as that cannot be written; JSON lines."""

    def __init__(self, workspace: Path) -> None:
        self._path = workspace.with_name(f"{workspace.name}-answers.jsonl")
        self._kept: list[list[Any]] = []

    def add(self, rows: Iterable[Sequence[Any]]) -> None:
        """Keep rows in memory, and on the disk as far as there is room."""
        new = [list(row) for row in rows]
        self._kept += new
        with suppress(OSError), self._path.open("a", encoding="utf-8") as file:
            file.writelines(f"{as_json(row)}\n" for row in new)
            file.flush()
            os.fsync(file.fileno())

    def rows(self) -> list[list[Any]]:
        """All that wait: of this process and of earlier ones. A line that was cut off is none."""
        rows = {json.dumps(row): row for row in self._kept}
        with suppress(OSError):
            for line in self._path.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError):
                    row = json.loads(line)
                    rows[json.dumps(row)] = row
        return list(rows.values())

    def clear(self) -> None:
        """They are where they belong."""
        self._kept = []
        self._path.unlink(missing_ok=True)


def _is_alive(owner: str) -> bool:
    """Whether the process of a claim may still be there; of another machine nobody knows."""
    host, process, _ = owner.rsplit(":", 2)
    if host != socket.gethostname():
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _stored_answer(row: Sequence[Any]) -> StoredAnswer:
    _, _, text, meta, stored, program, source, context, _ = row
    request = None if source is None else Request("", source, context)
    return StoredAnswer(Output("", text, None, json.loads(meta)), stored, program, request)
