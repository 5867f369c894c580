"""The judge beside the scores: how many outputs of each system look wrong, and which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mtassay.core import Finding, Run, Tools
from mtassay.display import Block, Cell, Line, Table, View
from mtassay.errors import UsageError
from mtassay.languages import Pair
from mtassay.methods.opinions import answer_of, ask_judge, reasons_of
from mtassay.metrics.measure import Corpus
from mtassay.stats import wilson
from mtassay.texts.marks import printable

__all__ = ["JUDGE", "judge_outputs", "judged_blocks", "judged_table", "reasons_table"]

JUDGE = "judge"
"""What its findings are called."""
LABEL = 12
"""The columns before the texts of an output."""
USUAL = 3
"""So many outputs that look wrong are shown of each system, unless somebody wants more or fewer."""


def judge_outputs(
    corpus: Corpus, pair: Pair | None, tools: Tools, *, back_translation: str | None = None
) -> list[Finding]:
    """One finding for each output whose source is there: its value is the probability of an error."""
    from mtassay.detectors.judge import open_judge  # large, and for this alone

    if pair is None:
        raise UsageError("--judge needs the languages: -l SRC-TGT.")
    rows = [n for n, segment in enumerate(corpus.segments) if (segment.source or "").strip()]
    if not rows:
        raise UsageError("--judge needs the sources: --source FILE.")
    judge = open_judge(pair)
    findings = []
    for system, texts in corpus.outputs.items():
        answers = [
            answer_of(
                corpus.segments[n].id,
                corpus.segments[n].source or "",
                texts[n],
                [reference for reference in corpus.segments[n].references if reference],
            )
            for n in rows
        ]
        opinions = ask_judge(judge, answers, tools, back_translation=back_translation)
        for answer, opinion in zip(answers, opinions, strict=True):
            evidence = {
                "why": opinion.why,
                "reasons": list(reasons_of(opinion)),
                "clues": [reason.name for reason in opinion.reasons],
            }
            findings.append(Finding(answer.id, system, JUDGE, opinion.verdict, opinion.probability, evidence))
    return findings


def judged_table(run: Run) -> Table | None:
    """Systems by how many of their outputs the judge calls wrong; `None` where it was not asked."""
    rows: list[list[Cell | str]] = []
    for system in run.systems:
        verdicts = [finding.verdict for finding in _findings(run, system)]
        wrong, n = verdicts.count("fail"), len(verdicts)
        if n:
            low, high = wilson(wrong, n)
            share = f"{100 * wrong / n:.1f} [{100 * low:.0f}–{100 * high:.0f}]"
            rows.append(
                [printable(system), f"{n:,}", f"{wrong:,}", share, f"{verdicts.count('undecided'):,}"]
            )
    if not rows:
        return None
    notes = ["Wrong: what the judge calls so, of the n outputs, in percent with Wilson's 95 % interval."]
    return Table(["System", "n", "wrong", "%", "undecided"], rows, "Outputs that look wrong", notes)


def reasons_table(run: Run) -> Table | None:
    """What speaks against outputs that look wrong, in how many of each system; most frequent first."""
    counts = {
        system: Counter(
            clue
            for finding in _findings(run, system)
            if finding.verdict == "fail"
            for clue in dict.fromkeys(finding.evidence.get("clues", ()))
        )
        for system in run.systems
    }
    clues = sorted(set().union(*counts.values()), key=lambda clue: -max(c[clue] for c in counts.values()))
    if not clues:
        return None
    rows = [[clue, *(f"{counts[system][clue]:,}" for system in run.systems)] for clue in clues]
    notes = ["In how many outputs that look wrong each clue speaks for an error; an output may have several."]
    header = ["Clue", *map(printable, run.systems)]
    return Table(header, rows, "Why they look wrong", notes)


def judged_blocks(run: Run, view: View) -> list[Block]:
    """The outputs of each system that are likeliest wrong, with the reasons, and how many more there are."""
    most = USUAL if view.cases is None else view.cases
    sources = {segment.id: segment for segment in run.segments}
    blocks = []
    for system in run.systems if most else ():
        wrong = [finding for finding in _findings(run, system) if finding.verdict == "fail"]
        wrong.sort(key=lambda finding: -(finding.value or 0.0))
        for finding in wrong[:most]:
            segment = sources[finding.case_id]
            likely = "" if finding.value is None else f"error {finding.value:.0%} likely"
            lines = [
                Line("source", segment.source or ""),
                *(Line("reference", reference) for reference in segment.references if reference),
                Line("output", run.text(finding.case_id, system) or ""),
            ]
            reasons: Sequence[str] = finding.evidence.get("reasons", ())
            lines += [Line("" if number else "why", why) for number, why in enumerate(reasons)]
            blocks.append(Block(lines, " · ".join(filter(None, (finding.case_id, system, likely))), LABEL))
        if left := len(wrong) - most if len(wrong) > most else 0:
            blocks.append(Block(title=f"… and {left:,} more of {system} that look{'s' * (left == 1)} wrong"))
    return blocks


def _findings(run: Run, system: str) -> list[Finding]:
    return [f for f in run.findings if (f.detector, f.system) == (JUDGE, system)]
