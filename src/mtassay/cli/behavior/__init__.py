"""`mtassay behavior`: edit a pair on both sides, and see whether the translation stays as good."""

from __future__ import annotations

from mtassay.cli.groups import CommandGroup

register = CommandGroup(
    "behavior",
    "Behavioural tests: new cases with pseudo-references from a parallel text, pass rates by capability.",
    {
        "run": "run",
        "generate": "generate",
        "judge": "judge",
        "sweep": "sweep",
        "sample": "sample",
        "rate": "rate",
        "quality": "quality",
    },
    short="Behavioural tests: new cases from a parallel text.",
).register
