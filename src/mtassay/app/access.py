"""Access from other machines: each person is invited with a link, which can be revoked.

The workspace keeps a digest of the secret in each link, never the secret.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from os import PathLike
from typing import Any, Literal

from mtassay.app.runs import open_workspace
from mtassay.data.errors import UsageError
from mtassay.review.campaign_store import CampaignStore
from mtassay.runtime.database import now_exactly
from mtassay.runtime.workspace import Workspace

Role = Literal["reviewer", "admin"]
"""An admin sees the names of systems and everybody's answers, and writes rules."""
Place = str | PathLike[str]

_LONGEST = 100  # characters of a name
_REVOKED = "revoked"  # a role: the row stays, so that the page stays closed after the last invitation is gone


@dataclass(frozen=True, slots=True)
class Person:
    """A person who answers questions, under the name that their reviews have.

    With a `campaign` they see only this one.
    """

    name: str
    role: Role = "reviewer"
    campaign: str = ""

    @property
    def is_admin(self) -> bool:
        """Whether they may see and do everything."""
        return self.role == "admin"


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invited person, with the start and end of the invitation in UTC; `until` is empty without an end."""

    person: Person
    since: str
    until: str = ""


def invite(
    name: str,
    *,
    admin: bool = False,
    days: int | None = None,
    campaign: str = "",
    workspace: Place | None = None,
) -> str:
    """Invite somebody; return the secret of their link, which cannot be looked up later.

    A new invitation ends the person's old link. With `days`, the link ends after this time; with `campaign`,
    it leads only to that campaign.
    """
    person = name.strip()
    if not person.isprintable() or not 1 <= len(person) <= _LONGEST:
        raise UsageError(f"Write a name of 1 to {_LONGEST} printable characters, such as 'anna'.")
    if admin and campaign:
        raise UsageError("An admin sees all campaigns: give `admin` or `campaign`, not both.")
    store = open_workspace(workspace)
    if campaign:
        campaign = CampaignStore(store).campaign(campaign).name
    secret = secrets.token_urlsafe(32)
    role = "admin" if admin else "reviewer"
    until = "" if days is None else (datetime.now(UTC) + timedelta(days=days)).isoformat()
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM invitations WHERE name = ?", (person,))
        store.database.insert(
            "invitations", [(person, role, _digest(secret), now_exactly(), until, campaign)]
        )
    note_deed(store, person, f"was invited as {role}{f' to {campaign}' if campaign else ''}")
    return secret


def revoke(name: str, *, workspace: Place | None = None) -> None:
    """End a person's access at once; their answers stay. A `UsageError` for an unknown name.

    After the last invitation is revoked, the page is closed until somebody is invited or `reopen` is called.
    """
    store = open_workspace(workspace)
    person = name.strip()
    with store.database.transaction() as connection:
        gone = connection.execute(
            "DELETE FROM invitations WHERE name = ? AND role != ?", (person, _REVOKED)
        ).rowcount
        if gone:
            store.database.insert("invitations", [(person, _REVOKED, "", now_exactly(), "", "")])
    if not gone:
        names = ", ".join(entry.person.name for entry in invitations(workspace=store)) or "nobody"
        raise UsageError(f"No invitation for '{name}'. Invited: {names}.")
    note_deed(store, person, "was shut out")


def invitations(*, workspace: Place | Workspace | None = None) -> list[Invitation]:
    """Everybody who is invited, by name."""
    return [
        Invitation(Person(name, role, campaign), since, until)
        for name, role, _, since, until, campaign in _rows(open_workspace(workspace))
    ]


def was_anybody_invited(store: Workspace) -> bool:
    """Whether anybody was ever invited, even if revoked since: then everybody needs an invitation."""
    return bool(store.database.select("SELECT 1 FROM invitations LIMIT 1"))


def reopen(*, workspace: Place | None = None) -> None:
    """Allow access without invitation on this machine again; a `UsageError` if somebody is still invited."""
    store = open_workspace(workspace)
    if invited := ", ".join(entry.person.name for entry in invitations(workspace=store)):
        raise UsageError(
            f"Still invited: {invited}. Before you reopen the page: mtassay review invite NAME --revoke"
        )
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM invitations WHERE role = ?", (_REVOKED,))


def recognise(store: Workspace, secret: str) -> Person | None:
    """Return the person with this secret; `None` if it is unknown, revoked or expired."""
    digest = _digest(secret)
    found = None
    for name, role, stored, _, until, campaign in _rows(store):
        if hmac.compare_digest(stored, digest) and not (until and until <= now_exactly()):
            found = Person(name, role, campaign)
    return found


def note_deed(store: Workspace, person: str, deed: str) -> None:
    """Record an action in the journal: who came in, and what administrators changed."""
    with store.database.transaction():
        store.database.insert("journal", [(now_exactly(), person, deed)])


def journal(*, workspace: Place | Workspace | None = None) -> list[tuple[str, str, str]]:
    """Return the journal: when, who, and what, oldest first."""
    rows = open_workspace(workspace).database.read("journal", "ORDER BY rowid")
    return [(str(at), str(person), str(deed)) for at, person, deed in rows]


def _rows(store: Workspace) -> list[tuple[Any, ...]]:
    return store.database.read("invitations", "WHERE role != ? ORDER BY name", _REVOKED)


def _digest(secret: str) -> str:
    # 256 random bits cannot be guessed, so a fast hash without salt is safe.
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
