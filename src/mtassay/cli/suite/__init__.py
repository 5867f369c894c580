"""`mtassay suite`: linguistic test suites, from the first item to a comparison of systems."""

from __future__ import annotations

from mtassay.cli.groups import CommandGroup

register = CommandGroup(
    "suite",
    "Linguistic suites: what does a system get right?",
    {
        "new": "authoring",
        "add": "authoring",
        "approve": "authoring",
        "convert": "authoring",
        "list": "listing",
        "sample": "sample",
        "check": "check",
        "run": "run",
        "suggest": "suggest",
        "accept": "accept",
        "rejudge": "rejudge",
        "years": "years",
        "diff": "diff",
        "generate": "generate",
        "scramble": "secrecy",
        "split": "secrecy",
        "unscramble": "secrecy",
        "challenge": "challenge",
    },
).register
