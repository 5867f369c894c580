"""Shows proposed rules: the open outputs of each item, the expressions, and the commands that accept them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from mtassay.cli.common import OutputFormat, echo, print_json, print_tables, terminal_width
from mtassay.cli.suite.evidence import subject_id
from mtassay.display import Table
from mtassay.methods.suite.suggest import Open, Suggestion
from mtassay.reviews.subjects import SHORT
from mtassay.texts.marks import printable, wrapped

__all__ = ["Found", "print_suggestions"]


@dataclass(frozen=True, slots=True)
class Found:
    """What is proposed for an item; its outputs with their systems; who says what of the disputed ones."""

    suggestion: Suggestion
    outputs: Mapping[str, Sequence[str]]
    disputed: Mapping[str, str]


def print_suggestions(
    found: Sequence[Found],
    command: Sequence[str],
    words: Sequence[str],
    form: OutputFormat,
    *,
    everything: bool = False,
    limit: int | None = None,
) -> None:
    """Print what was found; `command` accepts a rule, and `words` make it look at the same outputs.

    Expressions that settle nothing are counted and not shown, unless `everything` is.
    """
    useful = [replace(each, suggestion=each.suggestion.without_idle()) for each in found]
    shown = (found if everything else useful)[:limit]
    if form is OutputFormat.json:
        print_json([_record(each) for each in shown])
    elif form is OutputFormat.text:
        for each in shown:
            _print(each, command, words)
        _print_summary(found, shown)
    else:
        rows = [
            [each.suggestion.item.id, p.kind, p.pattern, f"{p.covers}/{p.of}", str(p.settles)]
            for each in shown
            for p in each.suggestion.proposals
        ]
        print_tables([Table(["Item", "kind", "pattern", "covers", "settles"], rows)], form)


def _record(found: Found) -> dict[str, Any]:
    suggestion = found.suggestion
    item = suggestion.item
    return {
        "item": item.id,
        "source": item.source,
        "proposals": [asdict(proposal) for proposal in suggestion.proposals],
        "why_not": suggestion.why_not,
        "undecided": [
            {
                "subject": subject_id(item, each.text),
                "output": each.text,
                "systems": found.outputs[each.text],
                "becomes": each.becomes,
                "nearest": asdict(each.nearest) if each.nearest else None,
            }
            for each in suggestion.undecided
        ],
        "disputed": [
            {
                "subject": subject_id(item, text),
                "output": text,
                "systems": found.outputs[text],
                "reviewers": said,
            }
            for text, said in found.disputed.items()
        ],
    }


def _print(found: Found, command: Sequence[str], words: Sequence[str]) -> None:
    width = terminal_width()
    suggestion = found.suggestion
    item = suggestion.item
    echo(f"{item.id} · {item.category} › {item.phenomenon}")
    echo(wrapped(item.source, width=width, indent="  "))
    for each in suggestion.undecided:
        _print_open(each, len(found.outputs[each.text]), width)
    for text, said in found.disputed.items():
        first = f"  disputed ({len(found.outputs[text])} ×): "
        echo(wrapped(text, width=width, indent=" " * 6, first=first))
        echo(f"    {printable(said)}; one more person decides:")
        echo(f"    mtassay review decide {subject_id(item, text)[:SHORT]} correct")
    if suggestion.why_not and suggestion.undecided:
        echo(f"  no expression: {suggestion.why_not}")
    for proposal in suggestion.proposals:
        side, answer = (
            ("positive", "--correct") if proposal.kind == "positive_regex" else ("negative", "--incorrect")
        )
        echo(f"  {side} {printable(proposal.pattern)}")
        echo(
            f"    matches {proposal.covers} of {proposal.of} known {answer[2:]} outputs and no other, "
            f"settles {proposal.settles} of {len(suggestion.undecided)}"
        )
        accept = [*command, item.id, answer, "--regex", proposal.pattern, *words]
        echo("    " + printable(shlex.join(accept)))
    left = [each.text for each in suggestion.undecided if each.becomes == "undecided"]
    if left:
        echo("  as a token, with --correct or --incorrect:")
    for text in left:
        echo("    " + shlex.join([*command, subject_id(item, text)[:SHORT], *words, "--correct"]))
    echo()


def _print_open(each: Open, systems: int, width: int) -> None:
    becomes = "" if each.becomes == "undecided" else f" → {each.becomes}"
    echo(wrapped(each.text, width=width, indent=" " * 6, first=f"  undecided{becomes} ({systems} ×): "))
    if each.nearest:
        known = each.nearest.known
        first = f"    nearest, {known.verdict} by {known.by}, {100 * each.nearest.similarity:.0f} % alike: "
        echo(wrapped(known.text, width=width, indent=" " * 6, first=first))


def _print_summary(found: Sequence[Found], shown: Sequence[Found]) -> None:
    """Counts of all that was found, and of what is not shown."""
    if not found:
        echo("Nothing is undecided.")
        return
    proposals = [proposal for each in found for proposal in each.suggestion.proposals]
    undecided = sum(len(each.suggestion.undecided) for each in found)
    disputed = sum(len(each.disputed) for each in found)
    settled = sum(each.suggestion.settles for each in found)
    useful = sum(proposal.settles > 0 for proposal in proposals)
    idle = len(proposals) - useful
    echo(
        f"Different undecided outputs: {undecided:,} (items: {len(found):,}). "
        f"Proposed expressions: {useful:,}; outputs they would settle: {settled:,}."
        + (f" Expressions that would settle none: {idle:,} (--all shows them)." if idle else "")
        + (f" Disputed: {disputed:,}." if disputed else "")
        + (f" Items shown: {len(shown):,}." if len(shown) < len(found) else "")
    )
