"""Runs all guards over all systems and counts what they found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mtassay.core import Finding, Segment
from mtassay.errors import InputError
from mtassay.languages import parse_language
from mtassay.metrics.guards.blank import Blank
from mtassay.metrics.guards.copied import Copied
from mtassay.metrics.guards.identify import same_as
from mtassay.metrics.guards.language import WrongLanguage
from mtassay.metrics.guards.markup import Placeholders, Tags, Urls
from mtassay.metrics.guards.numbers import Numbers

KINDS = (
    "empty",
    "copied",
    "wrong_language",
    "missing_numbers",
    "missing_urls",
    "missing_placeholders",
    "missing_tags",
)
"""What is looked for, in the order of the counts."""

Hits = dict[int, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Guards:
    """What the guards found, per system.

    `counts[system][kind]` is a number of segments, with every kind of `KINDS` present. `findings[system]`
    has one finding per segment and kind, in the order of the segments; its detector is `guard:KIND`.
    `unchecked[system]` is how many further segments looked foreign at first sight but were left out of
    the closer look, so `wrong_language` may be that much too low; a system that misses there has none.
    """

    counts: Mapping[str, Mapping[str, int]]
    findings: Mapping[str, Sequence[Finding]]
    unchecked: Mapping[str, int] = field(default_factory=dict)


def find_guard_hits(
    segments: Sequence[Segment],
    outputs: Mapping[str, Sequence[str]],
    *,
    pair: tuple[str, str] | None = None,
) -> Guards:
    """Look for broken segments in each system's outputs; `outputs[system][i]` translates `segments[i]`.

    `pair` is (source language, target language) as ISO 639 codes, for example `("de", "en")`; without it
    the target language is what the references, or else most outputs, are written in. A check that needs
    the source leaves out segments whose source is `None`. Whatever a reference of the segment lacks, an
    output may lack too, so an output that equals a reference is never reported.

    >>> segments = [Segment("1", "Der Zug fährt um 16:47 Uhr ab.", ("The train leaves at 16:47.",))]
    >>> guards = find_guard_hits(segments, {"a": ["The train leaves at 16:57."]}, pair=("de", "en"))
    >>> guards.counts["a"]["missing_numbers"], guards.findings["a"][0].evidence["missing"]
    (1, ['47'])
    """
    for system, texts in outputs.items():
        if len(texts) != len(segments):
            raise InputError(f"system {system!r} has {len(texts)} outputs for {len(segments)} segments")
    is_monolingual = pair is not None and parse_language(pair[1]).code in same_as(
        parse_language(pair[0]).code
    )
    language = WrongLanguage(segments, outputs, pair=pair)
    blank, copied = Blank(segments), Copied(segments, language.vocabulary)
    missing: dict[str, Numbers | Urls | Placeholders | Tags] = {
        "missing_numbers": Numbers(segments),
        "missing_urls": Urls(segments),
        "missing_placeholders": Placeholders(segments),
        "missing_tags": Tags(segments),
    }
    found: dict[str, dict[str, Hits]] = {}
    rest: dict[str, list[int]] = {}
    for system, texts in outputs.items():
        doubtful = language.doubtful(system)
        hits = {"empty": blank.hits(texts, doubtful), "copied": {}}
        if not is_monolingual:
            hits["copied"] = copied.hits(texts, doubtful)
        for kind, check in missing.items():
            # Nothing else is worth saying about a segment that is not there at all.
            hits[kind] = {i: why for i, why in check.hits(texts).items() if i not in hits["empty"]}
        found[system] = hits
        rest[system] = [i for i in doubtful if i not in hits["empty"] and i not in hits["copied"]]
    for system, foreign in language.hits(rest).items():
        found[system]["wrong_language"] = foreign
    return Guards(
        counts={system: {kind: len(hits[kind]) for kind in KINDS} for system, hits in found.items()},
        findings={system: _findings(segments, system, hits) for system, hits in found.items()},
        unchecked=language.unchecked,
    )


def _findings(segments: Sequence[Segment], system: str, hits: Mapping[str, Hits]) -> list[Finding]:
    rows = sorted((index, KINDS.index(kind)) for kind in KINDS for index in hits[kind])
    return [
        Finding(
            case_id=segments[index].id,
            system=system,
            detector=f"guard:{KINDS[kind]}",
            verdict="fail",
            evidence=hits[KINDS[kind]][index],
        )
        for index, kind in rows
    ]
