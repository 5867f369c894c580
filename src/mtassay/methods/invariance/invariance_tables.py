"""The results of an invariance run: issues, counts for each system, variants and their cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from mtassay.data.display import Block, Cell, Line, Look, Table
from mtassay.data.marks import differing, find_words, marked, printable, wrapped
from mtassay.data.nouns import Finding, Run, Segment, original_of
from mtassay.methods.invariance.invariance_evidence import ISSUE, IssueEvidence, is_about_original
from mtassay.stats.proportions import wilson

USUAL = 10
"""Default number of issues shown for each system."""
_REASONS = 5  # reasons named in a note


def issues_in(run: Run) -> list[Finding]:
    """The findings that are issues, by probability of an error and then by distance, highest first.

    Equal findings keep the order of the run.
    """
    issues = [f for f in run.findings if is_about_original(f) and IssueEvidence.of(f).is_issue]
    return sorted(issues, key=lambda f: (-(IssueEvidence.of(f).probability or 0.0), -(f.value or 0.0)))


def issue_block(finding: Finding, *, show_system: bool = True) -> Block:
    """Show one issue: the original, then each reported variant.

    In the outputs of variants, differences from the output of the original are marked.
    """
    evidence = IssueEvidence.of(finding)
    source, output = evidence.source, evidence.output
    names = [finding.case_id, finding.system if show_system else "", evidence.status, _far(finding)]
    lines = [Line("source", source, find_words(source, [variant.before for variant in evidence.shown]))]
    lines.append(Line("output", output))
    lines += _why(evidence.reasons)
    for variant in evidence.shown:
        lines.append(Line(None, variant.change))
        lines.append(Line("output", variant.output, differing(output, variant.output)[1]))
        if variant.differences:
            lines.append(Line("differs", "; ".join(variant.differences)))
        lines += _why(variant.reasons)
    return Block(lines, " · ".join(filter(None, names)))


def _why(reasons: Sequence[str]) -> list[Line]:
    return [Line("why", "; ".join(reasons))] if reasons else []


def issue_blocks(run: Run, look: Look) -> list[Block]:
    """The farthest issues of each system, and how many are left out."""
    most = USUAL if look.cases is None else look.cases
    several = len(run.systems) > 1
    blocks = []
    for system in run.systems if most else ():
        issues = [finding for finding in issues_in(run) if finding.system == system]
        blocks += [issue_block(finding, show_system=several) for finding in issues[:most]]
        if left := len(issues) - most if len(issues) > most else 0:
            more = f"{left:,} more issue{'s' * (left != 1)}{f' of {system}' if several else ''}"
            blocks.append(Block(title=f"… and {more}: --issues {len(issues)}"))
    return blocks


def issues_table(run: Run) -> Table:
    """A table of issues: a row for each original, followed by a row for each reported variant."""
    rows: list[list[Cell | str]] = []
    for finding in issues_in(run):
        evidence = IssueEvidence.of(finding)
        output = evidence.output
        about = [marked(finding.case_id), finding.system, evidence.status]
        rows.append([*about, "", "", marked(evidence.source), marked(output), ""])
        for variant in evidence.shown:
            change = marked(f"{variant.before} → {variant.after}")
            texts = [marked(variant.source), marked(variant.output, differing(output, variant.output)[1])]
            differences = marked("; ".join(variant.differences))
            rows.append(
                [marked(variant.id), *about[1:], change, f"{variant.distance:g}", *texts, differences]
            )
    header = ["pair", "system", "status", "change", "distance", "source", "output", "differs"]
    return Table(header, rows, title=f"Issues: {len(issues_in(run)):,}")


def summary_table(run: Run) -> Table:
    """Count each system's originals, compared variants and issues, with the share of originals with an issue.

    The notes say why originals were skipped or failed, and why variants were left out.
    """
    rows: list[list[Cell | str]] = []
    notes = ["Issues: their number, of the compared originals, and in percent with Wilson's 95 % interval."]
    settled = [
        status for status in ("confirmed", "cleared") if any(_statuses(run, s)[status] for s in run.systems)
    ]
    for system in run.systems:
        about = [f for f in run.findings if f.system == system and is_about_original(f)]
        verdicts = Counter(finding.verdict for finding in about)
        statuses = _statuses(run, system)
        compared = verdicts["pass"] + verdicts["fail"]
        issues = sum(statuses[status] for status in ISSUE)
        variants = sum(IssueEvidence.of(finding).compared or 0 for finding in about)
        row = [
            system,
            f"{len(about):,}",
            f"{variants:,}",
            f"{issues:,}/{compared:,}",
            *_share(issues, compared),
        ]
        row += [f"{statuses[status]:,}" for status in settled]
        rows.append([*row, f"{verdicts['skipped']:,}", f"{verdicts['error']:,}"])
        notes += _reasons(system, about)
    if settled:
        notes.insert(
            1,
            "Confirmed: issues in which reviewers found an error. Cleared: issues in which they found none.",
        )
    header = ["System", "originals", "variants", "issues", "%", "95 %", *settled, "skipped", "failed"]
    return Table(header, rows, notes=notes)


def corpus_table(segments: Sequence[Segment]) -> Table | None:
    """The lengths of the originals in words (table 1 of the paper); `None` if most have no spaces."""
    sentences = [
        (segment.source or "").split()
        for segment in segments
        if original_of(segment) is None and (segment.source or "").strip()
    ]
    sizes = [len(words) for words in sentences]
    if not sizes or 2 * sum(size > 1 for size in sizes) <= len(sizes):
        return None
    row = [
        f"{len(sizes):,}",
        f"{min(sizes):,}–{max(sizes):,}" if min(sizes) < max(sizes) else f"{sizes[0]:,}",
        f"{sum(sizes) / len(sizes):.1f}",
        f"{sum(sizes):,}",
        f"{len({word for words in sentences for word in words}):,}",
    ]
    header = ["Sentences", "words each", "mean", "words", "distinct"]
    return Table(header, [row], title="Source text", notes=["Words are split at spaces."])


def seconds_table(seconds: Mapping[str, float]) -> Table:
    """The duration of each step and its share of the total (table 5 of the paper)."""
    total = sum(seconds.values())
    rows = [[step, f"{time:.1f}", f"{100 * time / total:.0f}"] for step, time in seconds.items() if total]
    rows.append(["all", f"{total:.1f}", "100"])
    return Table(["Step", "seconds", "%"], rows, title="Time")


_EXAMPLES = 3  # cases named for each check


def companion_table(run: Run) -> Table | None:
    """How many pairs each check and relation flags, by system, and the percentage; `None` without any."""
    scores = [score for score in run.result.scores if score.name == "flagged"]
    if not scores:
        return None
    flag_scores = {(score.group, score.system): score for score in scores}
    rows: list[list[Cell | str]] = []
    for check in dict.fromkeys(score.group for score in scores if score.value != 0):
        row: list[Cell | str] = [check]
        for system in run.systems:
            score = flag_scores.get((check, system))
            if score is None or score.value is None:
                row += ["not run", "", ""]
            else:
                count = round(score.value * score.n / 100)
                row += [f"{count:,}", *_share(count, score.n)]
        flagged = (f.case_id for f in run.findings if f.detector == check and f.verdict == "fail")
        rows.append([*row, ", ".join(map(printable, list(dict.fromkeys(flagged))[:_EXAMPLES]))])
    header = [*(part for system in run.systems for part in (system, "%", "95 %")), "first"]
    sizes = ", ".join(f"{s}: {max(score.n for score in scores if score.system == s):,}" for s in run.systems)
    notes = [
        f"How many pairs of source and output each check flags, of all originals and variants ({sizes})."
    ]
    quiet = len({score.group for score in scores}) - len(rows)
    notes += [f"{quiet:,} of them flagged nothing and are not shown."] if quiet else []
    return Table(["Check", *header], rows, "Checks and relations", notes)


def variant_lines(finding: Finding) -> list[str]:
    """The variants reported with an issue and their outputs, as lines for a list of reasons."""
    return [
        line
        for variant in IssueEvidence.of(finding).shown
        for line in (
            f"{variant.change}{': ' if variant.differences else ''}{'; '.join(variant.differences)}",
            f"  {variant.output}",
        )
    ]


def changed_lines(segments: Sequence[Segment], *, width: int, color: bool) -> Iterator[str]:
    """Lines for a terminal: each original with its replaced words and substitutes, or why it has none."""
    changes: dict[str, dict[str, list[str]]] = {}
    for segment in segments:
        if edit := segment.tags.get("edit"):
            by_word = changes.setdefault(str(segment.tags["original"]), {})
            by_word.setdefault(str(edit["before"]), []).append(str(edit["after"]))
    for segment in segments:
        if original_of(segment) is not None:
            continue
        first = f"{segment.id}  "
        yield wrapped(segment.source or "", width=width, indent=" " * 4, first=first, color=color)
        for before, after in changes.get(segment.id, {}).items():
            yield wrapped(f"{before} → {', '.join(after)}", width=width, indent=" " * 8, first=" " * 4)
        if reason := segment.tags.get("skip"):
            yield wrapped(f"skipped: {reason}", width=width, indent=" " * 8, first=" " * 4)


def variants_table(segments: Sequence[Segment]) -> Table:
    """A table of variants: the id, the change, and the whole text."""
    rows = [
        [segment.id, f"{edit['before']} → {edit['after']}", printable(segment.source or "")]
        for segment in segments
        if (edit := segment.tags.get("edit"))
    ]
    return Table(["Variant", "change", "source"], rows)


def cost_table(segments: Sequence[Segment]) -> Table:
    """Count the texts and characters that an engine has to translate."""
    kinds = {
        "originals": [s for s in segments if original_of(s) is None and not s.tags.get("skip")],
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


def _far(finding: Finding) -> str:
    evidence = IssueEvidence.of(finding)
    of = "" if evidence.threshold is None else f" (threshold {evidence.threshold:g})"
    shown, compared = len(evidence.shown), evidence.compared
    among = "" if compared is None else f", {shown} of {compared} variants shown"
    likely = "" if evidence.probability is None else f"error {evidence.probability:.0%} likely, "
    return f"{likely}distance {finding.value or 0:g}{of}{among}"


def _statuses(run: Run, system: str) -> Counter[str]:
    about = (f for f in run.findings if f.system == system and is_about_original(f))
    return Counter(IssueEvidence.of(finding).status for finding in about)


def _share(count: int, n: int) -> list[str]:
    """The percentage and its interval."""
    if n == 0:
        return ["–", ""]
    low, high = wilson(count, n)
    return [f"{100 * count / n:.1f}", f"[{100 * low:.0f}–{100 * high:.0f}]"]


def _reasons(system: str, about: Sequence[Finding]) -> list[str]:
    """Why a system's originals and variants were not compared, the most frequent reason first."""
    reasons: dict[str, Counter[str]] = {}
    for finding in about:
        evidence = IssueEvidence.of(finding)
        if finding.verdict in ("skipped", "error"):
            word = "skipped" if finding.verdict == "skipped" else "failed"
            reason = evidence.reason or evidence.why or "no reason given"
            reasons.setdefault(word, Counter())[reason] += 1
        for word, entries in (
            ("variants not compared", evidence.unread),
            ("variants left out by a filter", evidence.filtered),
        ):
            for entry in entries:
                reasons.setdefault(word, Counter())[entry.why] += 1
    return [f"{marked(system, limit=40)}, {word}: {_listed(counts)}." for word, counts in reasons.items()]


def _listed(counts: Counter[str]) -> str:
    named = [f"{marked(reason, limit=120)} ({count:,})" for reason, count in counts.most_common(_REASONS)]
    others = counts.total() - sum(count for _, count in counts.most_common(_REASONS))
    return "; ".join([*named, *([f"other reasons ({others:,})"] if others else [])])
