"""Who may answer from elsewhere: people are invited with a link each, and can be shut out again.

The workspace keeps a digest of the secret in each link, never the secret.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

from mtassay.app.runs import open_workspace
from mtassay.data.errors import UsageError
from mtassay.runtime.workspace import Workspace
from mtassay.runtime.workspace_file import now_exactly

Role = Literal["reviewer", "admin"]
"""An admin sees the names of systems and what everybody said, and writes rules."""
Place = str | PathLike[str]

_LONGEST = 100  # characters of a name
_REVOKED = "revoked"  # a role: the row stays, so that the page stays closed after the last invitation is gone


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who answers questions, under the name that their reviews bear."""

    name: str
    role: Role = "reviewer"

    @property
    def is_admin(self) -> bool:
        """Whether they may see and do everything."""
        return self.role == "admin"


@dataclass(frozen=True, slots=True)
class Invitation:
    """Who was invited, and since when, in UTC."""

    person: Person
    since: str


def invite(name: str, *, admin: bool = False, workspace: Place | None = None) -> str:
    """Let somebody in; gives the secret of their link, which nobody can look up later.

    Who is invited again gets a new link, and the old one is worth nothing.
    """
    person = name.strip()
    if not person.isprintable() or not 1 <= len(person) <= _LONGEST:
        raise UsageError(f"Write a name of 1 to {_LONGEST} printable characters, such as 'anna'.")
    store = open_workspace(workspace)
    secret = secrets.token_urlsafe(32)
    role = "admin" if admin else "reviewer"
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM invitations WHERE name = ?", (person,))
        store.database.insert("invitations", [(person, role, _digest(secret), now_exactly())])
    return secret


def revoke(name: str, *, workspace: Place | None = None) -> None:
    """Shut somebody out at once; what they answered stays. A `UsageError` where nobody of the name was in.

    The page stays closed after the last one, until somebody is invited or `reopen` is called.
    """
    store = open_workspace(workspace)
    person = name.strip()
    with store.database.transaction() as connection:
        gone = connection.execute(
            "DELETE FROM invitations WHERE name = ? AND role != ?", (person, _REVOKED)
        ).rowcount
        if gone:
            store.database.insert("invitations", [(person, _REVOKED, "", now_exactly())])
    if not gone:
        names = ", ".join(entry.person.name for entry in _all(store)) or "nobody"
        raise UsageError(f"No invitation for '{name}'. Invited: {names}.")


def invitations(*, workspace: Place | Workspace | None = None) -> list[Invitation]:
    """Everybody who is invited, by name."""
    return _all(open_workspace(workspace))


def was_anybody_invited(store: Workspace) -> bool:
    """Whether invitations were ever made, revoked ones too: then everybody needs one."""
    return bool(store.database.select("SELECT 1 FROM invitations LIMIT 1"))


def reopen(*, workspace: Place | None = None) -> None:
    """Let everybody on this machine in again; a `UsageError` where somebody is still invited."""
    store = open_workspace(workspace)
    if invited := ", ".join(entry.person.name for entry in _all(store)):
        raise UsageError(
            f"Still invited: {invited}. Before you reopen the page: mtassay review invite NAME --revoke"
        )
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM invitations WHERE role = ?", (_REVOKED,))


def recognise(store: Workspace, secret: str) -> Person | None:
    """Whose secret it is; `None` where it was never given out, or is revoked."""
    digest = _digest(secret)
    found = None
    for name, role, stored, _ in _rows(store):
        if hmac.compare_digest(stored, digest):
            found = Person(name, role)
    return found


def _all(store: Workspace) -> list[Invitation]:
    return [Invitation(Person(name, role), since) for name, role, _, since in _rows(store)]


def _rows(store: Workspace) -> list[tuple[Any, ...]]:
    return store.database.read("invitations", "WHERE role != ? ORDER BY name", _REVOKED)


def _digest(secret: str) -> str:
    # 256 random bits cannot be guessed, so a fast hash without salt will do.
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
