"""`mtassay review`: what rules could not settle, people do."""

from __future__ import annotations

from mtassay.app.cli.groups import CommandGroup

register = CommandGroup(
    "review",
    "Settle what rules could not: look at outputs and decide.",
    {
        "next": "review_queue",
        "decide": "review_queue",
        "serve": "review_people",
        "invite": "review_people",
        "export": "review_sheets",
        "import": "review_sheets",
        "agreement": "review_sheets",
        "campaign": "review_people",
    },
).register
