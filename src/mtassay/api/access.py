"""Who may answer from elsewhere: people are invited with a link each, and can be shut out again.

The workspace keeps a digest of the secret in each link, never the secret.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from os import PathLike
from typing import Literal

from mtassay.api import open_workspace
from mtassay.api.people import reviewer_name
from mtassay.errors import UsageError
from mtassay.store import Workspace, now_exactly

__all__ = ["Invitation", "Person", "Role", "invitations", "invite", "recognise", "revoke"]

Role = Literal["reviewer", "admin"]
"""An admin sees the names of systems and what everybody said, and writes rules."""
Place = str | PathLike[str]

_LONGEST = 100  # characters of a name


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
    person = reviewer_name(name)
    if len(person) > _LONGEST:
        raise UsageError(f"A reviewer's name has at most {_LONGEST} characters.")
    store = open_workspace(workspace)
    secret = secrets.token_urlsafe(32)
    role = "admin" if admin else "reviewer"
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM invitations WHERE name = ?", (person,))
        store.database.insert("invitations", [(person, role, _digest(secret), now_exactly())])
    return secret


def revoke(name: str, *, workspace: Place | None = None) -> None:
    """Shut somebody out at once; what they answered stays. A `UsageError` where nobody of the name was in."""
    store = open_workspace(workspace)
    with store.database.transaction() as connection:
        gone = connection.execute("DELETE FROM invitations WHERE name = ?", (name.strip(),)).rowcount
    if not gone:
        names = ", ".join(entry.person.name for entry in _all(store)) or "nobody"
        raise UsageError(f"No invitation for '{name}'. Invited: {names}.")


def invitations(*, workspace: Place | None = None) -> list[Invitation]:
    """Everybody who is invited, by name."""
    return _all(open_workspace(workspace))


def recognise(store: Workspace, secret: str) -> Person | None:
    """Whose secret it is; `None` where it was never given out, or is revoked."""
    digest = _digest(secret)
    found = None
    for name, role, stored, _ in store.database.read("invitations"):
        if hmac.compare_digest(stored, digest):
            found = Person(name, role)
    return found


def _all(store: Workspace) -> list[Invitation]:
    rows = store.database.read("invitations", "ORDER BY name")
    return [Invitation(Person(name, role), since) for name, role, _, since in rows]


def _digest(secret: str) -> str:
    # 256 random bits cannot be guessed, so a fast hash without salt will do.
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
