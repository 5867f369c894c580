"""Linguistic test suites as files: see `docs/formats.md`."""

from mtassay.formats.suite.files import own_suites, read_suite, suite_text, write_suite
from mtassay.formats.suite.macros import expand
from mtassay.formats.suite.nouns import RULE_FIELDS, Item, Matching, Rule, RuleField, Suite

__all__ = [
    "RULE_FIELDS",
    "Item",
    "Matching",
    "Rule",
    "RuleField",
    "Suite",
    "expand",
    "own_suites",
    "read_suite",
    "suite_text",
    "write_suite",
]
