"""Takes the material of an analysis from single files, or from memory: a test set, outputs and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mtassay.core import Segment
from mtassay.errors import UsageError
from mtassay.formats import read_outputs
from mtassay.languages import Pair
from mtassay.meta.columns import ScoreColumn, chosen, column_of, merged
from mtassay.meta.material import Material, check_ids, matched, select
from mtassay.meta.reading import read_score_file

Scores = Sequence[str] | Mapping[str, Mapping[str, Any]]
"""Files of scores; or scores by their names, each as `column_of` takes them."""


def material_from_files(
    segments: Sequence[Segment],
    outputs: Mapping[str, str | Sequence[str | None]],
    human_files: Scores,
    *,
    humans: Sequence[str] = (),
    metric_files: Scores = (),
    exclude: Sequence[str] = (),
    pair: Pair | None = None,
) -> Material:
    """`outputs` are by system; `humans` names scores in `human_files`, and none means all of them.

    Without outputs, the systems are those that people rated.
    """
    ids = [segment.id for segment in segments]
    people, notes = _read(human_files, ids, humans)
    people = chosen(people, humans, what="human score")
    metrics, more = _read(metric_files, ids, ())
    available = list(outputs) or list(dict.fromkeys(name for column in people for name in column.systems))
    kept = select(available, (), exclude)
    if not kept:
        raise UsageError("No system is left.")
    found, unmatched = matched(people, kept, known=available)
    theirs, unscored = matched(metrics, kept, known=available)
    texts = {
        name: read_outputs(what, segments, system=name, pair=pair) if isinstance(what, str) else list(what)
        for name, what in outputs.items()
        if name in kept
    }
    references = max((len(segment.references) for segment in segments), default=0)
    facts = [str(pair)] if pair else []
    if segments:
        facts += [f"{len(segments):,} segments", f"{references} reference{'s' * (references != 1)}"]
    return Material(
        kept,
        segments,
        texts,
        found,
        theirs,
        [*notes, *more, *unmatched, *unscored],
        facts,
        {"lang": str(pair)} if pair else {},
    )


def _read(given: Scores, ids: Sequence[str], wanted: Sequence[str]) -> tuple[list[ScoreColumn], list[str]]:
    columns: list[ScoreColumn] = []
    notes: list[str] = []
    for path in given:
        if isinstance(given, Mapping):
            found = [column_of(path, given[path], ids)]
        else:
            found = read_score_file(path, ids=ids, wanted=wanted)
        for column in found:
            notes += check_ids(column, ids, path=path)
        columns += found
    return merged(columns), list(dict.fromkeys(notes))
