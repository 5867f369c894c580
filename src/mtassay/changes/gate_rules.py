"""The rules of a gate: what a person writes, and what it says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Literal

from mtassay.data.errors import UsageError

RuleKind = Literal["limit", "loss", "worse", "new", "broken"]

_NUMBER = r"(?P<number>\d+(?:\.\d+)?) ?(?P<unit>%|points?|pp)?"
_THAN = r"(?: than (?:the )?baseline)?"
_WORSE = r"(?:worse|lower|higher|more frequent)"
_MARGIN = r"(?:,? by more than (?P<number>\d+(?:\.\d+)?)(?: points?)?)?"
_LIMIT = re.compile(
    rf"(?:(?P<side>lower|upper) bound of )?(?:the )?(?P<what>.{{1,200}}?) ?(?P<relation>>=|<=|>|<) ?{_NUMBER}"
)
_LOSS = re.compile(
    rf"(?:the )?(?P<what>.{{1,200}}?) not more than {_NUMBER} (?:lower|higher|worse){_THAN}"
    r"(?:,? at (?P<level>\d+(?:\.\d+)?) ?%)?"
)
_NONE_WORSE = re.compile(rf"no (?P<what>.{{1,200}}?) (?:(?:is|are) )?significantly {_WORSE}{_THAN}{_MARGIN}")
_NOT_WORSE = re.compile(
    rf"(?:the )?(?P<what>.{{1,200}}?) (?:(?:is|are) )?not significantly {_WORSE}{_THAN}{_MARGIN}"
)
_NEW = re.compile(rf"no new (?P<what>.{{1,200}}?){_THAN}")
_BROKEN = re.compile(r"no (?:broken (?:case|item)s?|(?:case|item) (?:broke|(?:is )?broken))")
_FORMS = (
    "SCORE >= NUMBER",
    "lower bound of SCORE >= NUMBER",
    "SCORE not more than X lower, at 95 %",
    "SCORE not significantly worse by more than X",
    "no GROUPS significantly worse",
    "no check significantly more frequent",
    "no new DETECTOR findings",
    "no broken cases",
    "undecided <= 5 %",
)
_FIELDS = ("rule", "step", "system")


@dataclass(frozen=True, slots=True)
class Gate:
    """One rule. `step` and `system` say where it holds; by default everywhere.

    >>> gate = Gate.parse("negation: lower bound of the pass rate >= 0.9")
    >>> gate.kind, gate.group, gate.side, gate.what, gate.number
    ('limit', 'negation', 'lower', 'pass rate', 0.9)
    >>> Gate.parse("no phenomenon significantly worse than the baseline").what
    'phenomenon'
    >>> Gate.parse("bleu goes up")
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: This is no rule: 'bleu goes up'. Write one of: SCORE >= NUMBER · lower \
bound of SCORE >= NUMBER · SCORE not more than X lower, at 95 % · SCORE not significantly worse by more than \
X · no GROUPS significantly worse · no check significantly more frequent · no new DETECTOR findings · no \
broken cases · undecided <= 5 %.
    """

    text: str
    kind: RuleKind
    what: str
    group: str = ""
    relation: str = ""
    number: float = 0.0
    unit: str = ""
    side: str = ""
    level: float | None = None
    margin: float | None = None
    """Of an alarm: the loss that does no harm; `None` for the usual one of each score."""
    is_one: bool = False
    """Of an alarm: whether it is about one score, not about all groups of a kind."""
    step: str = ""
    system: str = ""

    @classmethod
    def parse(cls, value: str | Mapping[str, Any] | Gate) -> Gate:
        """A rule as text, or a mapping with `rule` and where it holds: `step`, `system`."""
        if isinstance(value, Gate):
            return value
        if isinstance(value, Mapping):
            return cls._of_mapping(value)
        if not isinstance(value, str):
            raise UsageError(f"This is no rule: {value!r}. A rule is a text, such as 'bleu >= 30'.")
        text = " ".join(value.split())
        plain = text.rstrip(".").replace("≥", ">=").replace("≤", "<=").replace("\u00a0", " ")
        group, colon, rest = plain.partition(": ")
        rule = rest if colon else plain
        group = group if colon else ""
        if _BROKEN.fullmatch(rule.lower()):
            return cls(text, "broken", "broken cases", group)
        if match := _NEW.fullmatch(rule.lower()):
            return cls(text, "new", match["what"], group)
        if match := _NONE_WORSE.fullmatch(rule.lower()):
            return cls(text, "worse", match["what"], group, margin=_margin(match))
        if match := _match(_NOT_WORSE, rule):
            return cls(text, "worse", match["what"], group, margin=_margin(match), is_one=True)
        if match := _match(_LOSS, rule):
            level = None if match["level"] is None else float(match["level"]) / 100
            if level is not None and not 0.5 < level < 1:
                raise UsageError(f"'{text}': the level must lie between 50 and 100 %, as in 'at 95 %'.")
            return cls(text, "loss", match["what"], group, number=float(match["number"]), level=level)
        if match := _match(_LIMIT, rule):
            return cls(
                text,
                "limit",
                match["what"],
                group,
                match["relation"],
                float(match["number"]),
                match["unit"] or "",
                (match["side"] or "").lower(),
            )
        raise UsageError(f"This is no rule: '{text}'. Write one of: {' · '.join(_FORMS)}.")

    @classmethod
    def _of_mapping(cls, value: Mapping[str, Any]) -> Gate:
        if len(value) == 1 and "rule" not in value:  # YAML reads 'negation: accuracy >= 90 %' so
            ((key, rule),) = value.items()
            return cls.parse(f"{key}: {rule}")
        for key in value:
            if key not in _FIELDS:
                near = get_close_matches(str(key), _FIELDS, n=1)
                meant = f" Did you mean '{near[0]}'?" if near else ""
                raise UsageError(f"A rule has no '{key}'.{meant} Available: {', '.join(_FIELDS)}.")
        if "rule" not in value:
            raise UsageError("A rule needs the key 'rule', as in rule: 'bleu >= 30'.")
        step, system = (str(value.get(key) or "") for key in ("step", "system"))
        return replace(cls.parse(value["rule"]), step=step, system=system)

    @property
    def compares(self) -> bool:
        """Whether it needs a baseline."""
        return self.kind != "limit"


def _margin(match: re.Match[str]) -> float | None:
    return None if match["number"] is None else float(match["number"])


def _match(form: re.Pattern[str], rule: str) -> re.Match[str] | None:
    return re.fullmatch(form.pattern, rule, flags=re.IGNORECASE)
