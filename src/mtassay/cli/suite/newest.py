"""Which saved run belongs to a suite, where a workspace has runs of several."""

from __future__ import annotations

from mtassay.core import Segment
from mtassay.formats.suite import Suite
from mtassay.store import Workspace

__all__ = ["newest_run", "same_items"]


def newest_run(store: Workspace, suite: Suite) -> str | None:
    """The id of the newest run that asked for an item of this suite; `None` if no run did."""
    runs = (run.id for run in store.runs() if run.method == "suite")
    return next((run for run in runs if same_items(store.segments(run), suite)), None)


def same_items(segments: list[Segment], suite: Suite) -> set[str]:
    """The ids of the items that asked then what they ask now: the id alone may be that of another suite."""
    sources = {item.id: item.source for item in suite.items}
    return {segment.id for segment in segments if sources.get(segment.id) == segment.source}
