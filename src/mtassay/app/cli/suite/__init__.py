"""`mtassay suite`: linguistic test suites, from the first item to a comparison of systems."""

from __future__ import annotations

from mtassay.app.cli.groups import CommandGroup

register = CommandGroup(
    "suite",
    "Linguistic suites: what does a system get right?",
    {
        "add": "suite_authoring",
        "approve": "suite_authoring",
        "convert": "suite_authoring",
        "list": "suite_authoring",
        "check": "suite_authoring",
        "run": "suite_run",
        "suggest": "suite_rules",
        "accept": "suite_rules",
        "generate": "suite_authoring",
        "scramble": "suite_authoring",
    },
).register
