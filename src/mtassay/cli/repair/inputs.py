"""What `repair export` reads: reviews, the translations of a stronger engine, and the edits of variants."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mtassay.api import open_workspace, workspace_path
from mtassay.caller import Tally, translate_all
from mtassay.cli.common import cache_workspace, say_failures
from mtassay.core import Edit, Request
from mtassay.errors import InputError, UsageError
from mtassay.formats import read_segments, read_stream
from mtassay.formats.reviews import read_reviews
from mtassay.languages import Pair
from mtassay.methods.invariance.nouns import edit_of
from mtassay.options import is_live, open_system
from mtassay.repair.corrections import Confirmed, Correction, WrongOutput, by_engine, confirm
from mtassay.report.progress import Progress
from mtassay.systems.roster import name_and_rest

__all__ = ["Proposed", "confirmed_in", "edits_of", "proposals_of"]


class Proposed(NamedTuple):
    """What a stronger engine says; `is_whole` is false where it failed to translate a source."""

    corrections: list[Correction]
    is_whole: bool


def confirmed_in(reviews: Path | None, workspace: Path | None, question: str, *, needed: bool) -> Confirmed:
    """What reviews confirm; where they are not needed, no workspace means no reviews."""
    if reviews is not None:
        rows = read_reviews(reviews).rows
        return confirm(
            [row.review for row in rows], {row.subject.id: row.subject for row in rows}, question=question
        )
    if not needed and not workspace_path(workspace).exists():
        return Confirmed([], [])
    store = open_workspace(workspace)
    found = confirm(store.reviews(question), store.subjects(), question=question)
    if needed and not found.wrong:
        raise UsageError(f"No review in {store.path} finds an error: mtassay review next")
    return found


def proposals_of(
    text: str, wrong: Sequence[WrongOutput], pair: Pair | None, workspace: Path | None, *, quiet: bool
) -> Proposed:
    """What a stronger engine says to these sources: asked now, or in a file of its outputs."""
    name, what = name_and_rest(text)
    if not is_live(what):
        return Proposed(by_engine(wrong, _stored(what, wrong, name, pair), name), is_whole=True)
    engine = open_system(name, what, pair)
    requests = [Request(each.id, each.source) for each in wrong]
    with Progress(quiet=quiet) as progress:

        def report(tally: Tally) -> None:
            progress.report(tally.describe(name), tally.done, tally.total)

        outputs = translate_all(engine, requests, answers=cache_workspace(workspace), report=report)
    failed = say_failures({name: outputs})
    corrections = by_engine(wrong, {output.id: output.text for output in outputs}, name)
    return Proposed(corrections, is_whole=not failed)


def _stored(path: str, wrong: Sequence[WrongOutput], name: str, pair: Pair | None) -> dict[str, str | None]:
    """Outputs by id. A file of lines cannot say which is which, so it must have one line for each."""
    stream = read_stream(path, role="output", pair=pair, system=name)
    ids = stream.ids or [each.id for each in wrong]
    if len(ids) != len(stream.texts):
        what = f"{len(stream.texts)} lines for {len(ids)} wrong outputs. Give a .jsonl or .tsv file with ids"
        raise InputError(what, path=path)
    return dict(zip(ids, stream.texts, strict=True))


def edits_of(variants: Path | None, workspace: Path | None) -> dict[str, Edit]:
    """The edits that made variants, by their ids: those of a file, or of all saved runs."""
    if variants is not None:
        segments = read_segments(variants, [])
    elif workspace_path(workspace).exists():
        store = open_workspace(workspace)
        segments = [s for run in store.runs() if run.method == "invariance" for s in store.segments(run.id)]
    else:
        segments = []
    return {segment.id: edit_of(segment.tags) for segment in segments if "edit" in segment.tags}
