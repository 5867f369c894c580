"""`mtassay review`: what rules could not settle, people do."""

from __future__ import annotations

from mtassay.cli.groups import CommandGroup

register = CommandGroup(
    "review",
    "Settle what rules could not: look at outputs and decide.",
    {
        "next": "queue",
        "audit": "audit",
        "decide": "decision",
        "serve": "server",
        "invite": "access",
        "revoke": "access",
        "export": "sheets",
        "import": "sheets",
        "agreement": "agreement",
        "campaign": "campaigns",
    },
).register
