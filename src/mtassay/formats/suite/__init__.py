"""Linguistic test suites as files: see `docs/formats.md`."""

from mtassay.formats.suite.files import own_suites, read_suite, suite_text, write_suite
from mtassay.formats.suite.items import (
    OWN_MATCHING,
    PATTERNS,
    REGEX_FIELDS,
    RULE_FIELDS,
    TOKEN_FIELDS,
    VARIABLE,
    Item,
    Matching,
    Rule,
    RuleField,
    Suite,
    expand,
    longest_pattern,
    macros_in,
)

__all__ = [
    "OWN_MATCHING",
    "PATTERNS",
    "REGEX_FIELDS",
    "RULE_FIELDS",
    "TOKEN_FIELDS",
    "VARIABLE",
    "Item",
    "Matching",
    "Rule",
    "RuleField",
    "Suite",
    "expand",
    "longest_pattern",
    "macros_in",
    "own_suites",
    "read_suite",
    "suite_text",
    "write_suite",
]
