"""Runs checks on a few texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mtassay.data.nouns import Finding, Segment
from mtassay.measures.check import Alarm, CheckContext, Unit
from mtassay.measures.check_run import choose_checks, count_checks, run_checks, units_of

BROKEN = "empty,untranslated,wrong-language,numbers,urls,placeholders,tags"


def findings(
    segments: Sequence[Segment],
    outputs: Mapping[str, Sequence[str]],
    *,
    pair: tuple[str, str] | None = None,
    checks: str = BROKEN,
) -> dict[str, list[Finding]]:
    """What these checks find in the outputs of each system."""
    context = CheckContext(*(pair or (None, None)))
    units = {name: units_of(segments, texts) for name, texts in outputs.items()}
    return run_checks(choose_checks(checks, (), context).checks, units, context)


def counts(
    segments: Sequence[Segment],
    outputs: Mapping[str, Sequence[str]],
    *,
    pair: tuple[str, str] | None = None,
    checks: str = BROKEN,
) -> dict[str, dict[str, int]]:
    """How many outputs of each system each check flags."""
    found = findings(segments, outputs, pair=pair, checks=checks)
    return {system: count_checks(own) for system, own in found.items()}


def alarms(check: str, source: str, output: str, *references: str, pair: str = "") -> list[Alarm]:
    """What one check says of one text; nothing where it does not know the languages."""
    languages = pair.split("-", 1) if pair else (None, None)
    context = CheckContext(*languages)
    unit = Unit("1", output, source, references)
    return [alarm for one in choose_checks(check, (), context).checks for alarm in one.find([unit], context)]
