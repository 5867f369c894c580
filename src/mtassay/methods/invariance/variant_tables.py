"""Tables of variants: which word was changed into which, and what it costs to translate them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mtassay.core import Segment
from mtassay.display import Table
from mtassay.texts.marks import printable, wrapped

__all__ = ["cost_table", "variant_lines", "variants_table"]


def variant_lines(segments: Sequence[Segment], *, width: int, color: bool) -> Iterator[str]:
    """For a terminal: each original with the words that take another one's place in it, or why none does."""
    changes: dict[str, dict[str, list[str]]] = {}
    for segment in segments:
        if edit := segment.tags.get("edit"):
            by_word = changes.setdefault(str(segment.tags["original"]), {})
            by_word.setdefault(str(edit["before"]), []).append(str(edit["after"]))
    for segment in segments:
        if "original" in segment.tags:
            continue
        first = f"{segment.id}  "
        yield wrapped(segment.source or "", width=width, indent=" " * 4, first=first, color=color)
        for before, after in changes.get(segment.id, {}).items():
            yield wrapped(f"{before} → {', '.join(after)}", width=width, indent=" " * 8, first=" " * 4)
        if reason := segment.tags.get("skip"):
            yield wrapped(f"skipped: {reason}", width=width, indent=" " * 8, first=" " * 4)


def variants_table(segments: Sequence[Segment]) -> Table:
    """A row for each variant: its id, the change, and the whole variant."""
    rows = [
        [segment.id, f"{edit['before']} → {edit['after']}", printable(segment.source or "")]
        for segment in segments
        if (edit := segment.tags.get("edit"))
    ]
    return Table(["Variant", "change", "source"], rows)


def cost_table(segments: Sequence[Segment]) -> Table:
    """How many texts and characters an engine would be asked for."""
    kinds = {
        "originals": [s for s in segments if "original" not in s.tags and not s.tags.get("skip")],
        "variants": [s for s in segments if "edit" in s.tags],
        "phrases": [s for s in segments if "phrase" in s.tags],
    }
    rows = [
        [kind, f"{len(part):,}", f"{sum(len(s.source or '') for s in part):,}"]
        for kind, part in kinds.items()
        if part or kind != "phrases"
    ]
    asked = [segment for part in kinds.values() for segment in part]
    rows.append(["all", f"{len(asked):,}", f"{sum(len(s.source or '') for s in asked):,}"])
    return Table(["To translate", "texts", "characters"], rows)
