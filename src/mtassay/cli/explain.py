"""`mtassay explain`: one case with every output, all evidence, all decisions, and its history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Annotated, Any

import typer

from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    WorkspaceOption,
    echo,
    open_workspace,
    print_json,
    print_tables,
)
from mtassay.cli.explain_issues import with_issues
from mtassay.cli.review.screen import Screen, match_spans, rule_lines
from mtassay.core import Finding, Review, Run
from mtassay.errors import UsageError
from mtassay.report.behavior import reason_of
from mtassay.report.behavior_failures import LABEL, case_block, cases_table
from mtassay.report.findings import why
from mtassay.report.invariance import variant_lines
from mtassay.report.table import Table
from mtassay.reviews.cases import Answer, CaseStory, status_of, tell_case
from mtassay.reviews.subjects import SHORT
from mtassay.texts.marks import marked, printable, wrapped


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("explain", context_settings={"allow_extra_args": True})(explain)


def explain(
    context: typer.Context,
    case: Annotated[str, typer.Argument(metavar="CASE", help="The id of a segment or suite item.")],
    run: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="A saved run. Default: the newest that has the case."),
    ] = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Show one case with all there is to know.

    Every system's output, why it was judged so, what people decided, and what earlier runs said. Equal
    outputs that were judged alike are shown once. What a rule matched is marked. Runs are saved with --save.

    \b
    Examples:
    mtassay explain negation-001
    mtassay explain negation-001 --run 20260131
    mtassay explain 17 -f json
    """
    if context.args:
        raise UsageError("Give one case; its run goes with --run: mtassay explain CASE --run RUN")
    store = open_workspace(workspace)
    story = with_issues(tell_case(store, case, run=run), store)
    if output_format is OutputFormat.json:
        print_json(_record(story))
    elif output_format is OutputFormat.text:
        _print_story(story)
    else:
        print_tables([_answer_table(story), _history_table(story)], output_format)


def _is_judged(answer: Answer) -> bool:
    """Whether a behavioural case has all that its block shows."""
    return any(finding.detector == "behavior" and "status" in finding.evidence for finding in answer.findings)


def _print_story(story: CaseStory) -> None:
    screen = Screen.here()
    tags = story.segment.tags if story.segment else {}
    names = [story.case_id, *(str(tags[key]) for key in ("category", "phenomenon") if key in tags)]
    if "original" in tags:
        edit = tags.get("edit") or {}
        changed = f": {edit.get('before')} → {edit.get('after')}" if edit else ""
        names.append(f"from {tags['original']}{changed}")
    echo(wrapped(" · ".join(names), width=screen.width))
    echo(f"run {story.run.id} · {story.run.method}\n")
    # A block of a behavioural case has its texts.
    if story.segment and not all(map(_is_judged, story.answers)):
        for line in screen.case(tags, story.segment.source, story.segment.references):
            echo(line)
    for number, answer in enumerate(story.answers):
        if _is_judged(answer):
            echo(("\n" if number else "") + _block(answer, story.run, screen))
            continue
        echo()
        for line in _answer_lines(answer, screen):
            echo(line)
    if len(story.history) > 1:
        echo()
        print_tables([_history_table(story)], OutputFormat.text)


def _block(answer: Answer, run: Run, screen: Screen) -> str:
    """A behavioural case as `mtassay behavior judge` prints it, then why, and what people decide about."""
    from mtassay.cli.behavior.thresholds import compared

    screen = replace(screen, label=LABEL)
    finding = replace(answer.findings[0], system=", ".join(answer.systems))
    block = case_block(finding, width=screen.width, color=screen.color)
    lines = [block]
    if why_so := compared(run, finding.evidence):
        lines.append(screen.line("  why", why_so))
    if answer.asked:
        lines.append(screen.line("  subject", f"{answer.asked.id[:SHORT]}, the output to the edited source"))
    return "\n".join([*lines, *_review_lines(answer, screen)])


def _answer_lines(answer: Answer, screen: Screen) -> list[str]:
    head = f"{_standing(answer)} · {', '.join(answer.systems)}"
    if answer.asked:
        head += f" · subject {answer.asked.id[:SHORT]}"
    lines = [wrapped(head, width=screen.width, indent="  ", first="")]
    evidence: Mapping[str, Any] = answer.findings[0].evidence if answer.findings else {}
    for text in answer.subject.outputs if answer.subject else ():
        lines.append(screen.line("  output", text, match_spans(text, evidence)))
    for finding in answer.findings:
        reasons = [_why(finding), *rule_lines(finding.evidence), *variant_lines(finding.evidence)]
        if reasons[0].startswith("matches ") and len(reasons) > 1:
            del reasons[0]  # the rules say the same, and where
        lines += [screen.line("" if number else "  why", reason) for number, reason in enumerate(reasons)]
    return [*lines, *_review_lines(answer, screen)]


def _review_lines(answer: Answer, screen: Screen) -> list[str]:
    lines = [screen.line("  review", _review(review)) for review in answer.reviews]
    if answer.decision is not None:
        lines.append(screen.line("  holds", _holds(answer)))
    return lines


def _standing(answer: Answer) -> str:
    """What holds now and what the run said; of an issue both for the issue and for the original's output."""
    found = status_of(answer.findings)
    if answer.issue:
        before = f" (the run said {found})" if found != answer.issue else ""
        output = f" · its output: {answer.status} by reviewers" if answer.is_settled_by_people else ""
        return f"issue {answer.issue}{before}{output}"
    if answer.is_settled_by_people and answer.status != found:
        return f"{answer.status} by reviewers (the run said {found or 'nothing'})"
    return answer.status or "no finding"


def _why(finding: Finding) -> str:
    """What the finding says; a method of one detector need not be named."""
    said = reason_of(finding.evidence) if "capability" in finding.evidence else why(finding.evidence)
    if before := finding.evidence.get("rules_say"):
        said += f"; the rules say {before}"
    if "status" in finding.evidence or finding.detector == "output":
        return said
    value = "" if finding.value is None else f" {finding.value:.4g}"
    return f"{finding.detector}{value}: {said}" if said else f"{finding.detector}{value}"


def _review(review: Review) -> str:
    note = f" ({review.note})" if review.note else ""
    return f"{review.at[:16].replace('T', ' ')} {review.reviewer}: {review.answer}{note}"


def _holds(answer: Answer) -> str:
    decision = answer.decision
    assert decision is not None
    ratings = decision.ratings
    if decision.answer is not None:
        votes = sum(given == decision.answer for given in ratings.values())
        return f"{decision.answer} ({votes} of {len(ratings)} reviewers)"
    return "nothing: reviewers disagree" if ratings else "nothing: nobody was sure"


def _answer_table(story: CaseStory) -> Table:
    if story.run.method == "behavior":
        found = [replace(f, system=", ".join(a.systems)) for a in story.answers for f in a.findings]
        return cases_table(found, title=printable(story.case_id))
    rows = [
        [
            ", ".join(answer.systems),
            _standing(answer) if answer.issue else answer.status,
            "; ".join(_why(finding) for finding in answer.findings),
            " | ".join(map(printable, answer.subject.outputs)) if answer.subject else "",
        ]
        for answer in story.answers
    ]
    return Table(["systems", "status", "why", "output"], rows, title=printable(story.case_id))


def _history_table(story: CaseStory) -> Table:
    """The verdicts of all runs, newest first; a dash where a system was not in a run."""
    systems = dict.fromkeys(name for past in story.history for name in past.statuses)
    rows = [
        [marked(name, limit=40), *(_past(past.statuses, name) for past in story.history)] for name in systems
    ]
    header = ["system", *(past.run for past in story.history)]
    return Table(header, rows, title="All runs, newest first, as judged then")


def _past(statuses: Mapping[str, str], system: str) -> str:
    return statuses[system] or "no finding" if system in statuses else "–"


def _record(story: CaseStory) -> dict[str, Any]:
    segment = story.segment
    return {
        "case_id": story.case_id,
        "run": story.run.id,
        "method": story.run.method,
        "source": segment.source if segment else None,
        "references": list(segment.references) if segment else [],
        "tags": dict(segment.tags) if segment else {},
        "answers": [_answer_record(answer) for answer in story.answers],
        "history": [asdict(past) for past in story.history],
    }


def _answer_record(answer: Answer) -> dict[str, Any]:
    others = [f.evidence["edited_output"] for f in answer.findings if "edited_output" in f.evidence]
    return {
        "systems": list(answer.systems),
        "status": answer.status or None,
        "found": status_of(answer.findings) or None,
        "issue": answer.issue or None,
        "subject": answer.asked.id if answer.asked else None,
        "outputs": [*answer.subject.outputs, *others] if answer.subject else None,
        "findings": [asdict(finding) for finding in answer.findings],
        "reviews": [asdict(review) for review in answer.reviews],
        "disputed": answer.decision is not None and answer.decision.is_disputed,
    }
