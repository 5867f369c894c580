"""Invariance as a method: an original and its variants are one case, far translations are an issue."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from mtassay.core import (
    Case,
    Doubt,
    Finding,
    Flags,
    Judgement,
    Output,
    Question,
    Result,
    Run,
    Segment,
    Tools,
    Verdict,
    original_of,
)
from mtassay.display import PLAIN, Block, Table, View
from mtassay.errors import InputError, UsageError
from mtassay.formats import read_segments
from mtassay.languages import Pair, parse_pair
from mtassay.method import Method
from mtassay.methods.invariance.answering import Answered, answered, texts_of
from mtassay.methods.invariance.asking import cases_of
from mtassay.methods.invariance.detectors import DEFAULT, Detector, Suspicion, find_suspicions, open_detectors
from mtassay.methods.invariance.filters import check_filters, read_twice, without_paraphrases
from mtassay.methods.invariance.issues import Far, Issue, Ranking, find_issues, rank
from mtassay.methods.invariance.labels import QUESTION, labels_of, standing
from mtassay.methods.invariance.nouns import Answer, Compared
from mtassay.methods.invariance.reading import read_texts
from mtassay.methods.invariance.stability import stability
from mtassay.methods.invariance.structures.base import Structure
from mtassay.methods.invariance.structures.choose import open_structure
from mtassay.methods.invariance.tables import (
    companion_table,
    issue_blocks,
    issues_table,
    seconds_table,
    summary_table,
    variant_lines,
)
from mtassay.methods.missing import missing
from mtassay.reviews import Subject
from mtassay.tools.annotate import Annotation, Annotator, Layer, open_annotator

__all__ = ["InvarianceMethod", "Measured"]

_VERDICTS: dict[str, Verdict] = {
    "suspicious": "fail",
    "confirmed": "fail",
    "cleared": "pass",
    "stable": "pass",
}


@dataclass(frozen=True)
class Measured:
    """All distances of one system; `filtered` has the filter and the distance before it, by variant."""

    rankings: Sequence[Ranking]
    filtered: Mapping[str, Far]

    @cached_property
    def by_original(self) -> dict[str, Ranking]:
        """The rankings by the id of their original."""
        return {ranking.original: ranking for ranking in self.rankings}


@dataclass(frozen=True)
class InvarianceMethod(Method):
    """Compares the translations of originals and their variants.

    An original has an issue if the distance of a variant's translation from its own is strictly larger than
    `threshold`; the `top` farthest variants are shown. `filters` leave out variants whose distance has a
    harmless reason, `detectors` look for single kinds of errors in the same translations. `annotator` and
    `source_annotator` ask for certain language tools. Without `reviews`, what people said of an issue does
    not count.
    """

    name: ClassVar[str] = "invariance"
    asks: ClassVar[Sequence[Question]] = (
        Question(
            QUESTION,
            "Is the translation right? If not, what is wrong: words are dropped (under) or added (over), "
            "something modifies the wrong word (modification), a word or phrase is wrong (mistranslation), "
            "the words are right but not how they go together (logic), or several of these?",
            {
                "c": "correct",
                "d": "under",
                "o": "over",
                "m": "modification",
                "w": "mistranslation",
                "l": "logic",
                "x": "several",
            },
            is_blind=True,
        ),
    )

    pair: str
    structure: str = "dependency"
    threshold: float = 4
    top: int = 3
    discount: bool = False
    filters: tuple[str, ...] = ()
    detectors: tuple[str, ...] = DEFAULT
    annotator: str | None = None
    source_annotator: str | None = None
    alpha: float = 0.05
    reviews: bool = True

    def __post_init__(self) -> None:
        check_filters(self.filters)
        if not (math.isfinite(self.threshold) and self.threshold >= 0):
            raise UsageError(f"The threshold must be a number, 0 or more, not {self.threshold:g}.")
        if self.top < 1:
            raise UsageError("At least one variant of an issue must be shown: --top 1 or more.")

    def read(self, sentences: Any) -> list[Segment]:
        """The sentences of a file, of a list, or segments as they are."""
        if isinstance(sentences, str | PathLike):
            segments = read_segments(Path(sentences), [], pair=self._pair)
        else:
            texts = enumerate(sentences, start=1)
            segments = [s if isinstance(s, Segment) else Segment(str(i), s) for i, s in texts]
        if not any((segment.source or "").strip() for segment in segments):
            raise InputError("there are no sentences in it", path=None)
        return segments

    def cases(self, segments: Iterable[Segment], tools: Tools) -> list[Case]:
        return cases_of(segments)

    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], tools: Tools
    ) -> Judgement:
        decisions = tools.decisions(QUESTION) if self.reviews else {}
        skipped = [case for case in cases if case.skip is not None]
        findings: list[Finding] = []
        counts: dict[str, dict[str, int]] = {}
        for system, material in self.compare(cases, outputs, tools).items():
            measured = self.measure(material, tools, above=self.threshold)
            issues = {issue.original: issue for issue in find_issues(measured.rankings, self.threshold)}
            found = [self._skipped(case.id, system, str(case.skip)) for case in skipped]
            found += self._without_answer(material, system)
            for each in material:
                if each.original is not None:
                    labels = labels_of(each.answers, decisions)
                    found.append(self._finding(each, issues.get(each.case.id), measured, system, labels))
            counts[system] = _counts(found, material, len(issues))
            findings += [*found, *self._suspicions(material, system, tools)]
        return Judgement(findings, counts=counts)

    def score(self, judgement: Judgement, tools: Tools) -> Result:
        return stability(
            judgement.findings,
            judgement.counts,
            detector=self.detector,
            companions=self.detectors,
            alpha=self.alpha,
            signature=self.signature,
        )

    def compare(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], tools: Tools
    ) -> dict[str, list[Answered]]:
        """Every system's answers, annotated as far as the structure and the detectors need it."""
        read_output = self._reader(texts_of(outputs.values()), self._annotator, tools, "reading outputs")
        sources = [source or "" for case in cases if case.skip is None for source in case.sources]
        read_source = self._reader(sources, self._source_annotator, tools, "reading sources")
        return {
            system: answered(cases, answers, read_source=read_source, read_output=read_output)
            for system, answers in outputs.items()
        }

    def measure(self, material: Sequence[Answered], tools: Tools, *, above: float = 0) -> Measured:
        """How far each variant of each original is. Filters look at those that are farther than `above`."""
        pairs = [pair for each in material for pair in each.compared]
        tools.progress("comparing", 0, None)
        distances = {
            pair.variant.id: distance
            for pair, distance in zip(pairs, self._structure.distances(pairs), strict=True)
        }
        filtered: dict[str, Far] = {}
        for name in self.filters:
            far = [pair for pair in pairs if distances[pair.variant.id] > above]
            for pair, distance in zip(far, self._again(name, far, distances, tools), strict=True):
                if distance < distances[pair.variant.id]:
                    filtered.setdefault(pair.variant.id, Far(name, distances[pair.variant.id]))
                    distances[pair.variant.id] = distance
        rankings = [
            rank(each.case.id, [Far(p.variant.id, distances[p.variant.id]) for p in each.compared])
            for each in material
            if each.original is not None
        ]
        return Measured(rankings, filtered)

    @classmethod
    def facts(cls, run: Run) -> str:
        return ""

    @classmethod
    def tables(cls, run: Run, view: View = PLAIN) -> list[Table]:
        times = seconds_table(run.seconds) if run.seconds else None
        return [table for table in (summary_table(run), companion_table(run), times) if table]

    @classmethod
    def blocks(cls, run: Run, view: View = PLAIN) -> list[Block]:
        return issue_blocks(run, view)

    @classmethod
    def cases_table(cls, run: Run, view: View = PLAIN) -> Table | None:
        return issues_table(run)

    @classmethod
    def record(cls, run: Run) -> dict[str, Any]:
        findings = [asdict(finding) for finding in run.findings if finding.verdict != "pass"]
        times = {"seconds": dict(run.seconds)} if run.seconds else {}
        return {**run.result.as_dict(), **times, "findings": findings}

    @classmethod
    def later(cls, run: Run) -> list[str]:
        return [f"as judged then; with later reviews: mtassay invariance judge {run.id}"]

    @classmethod
    def advice(cls, run: Run, *, is_saved: bool) -> list[str]:
        if not is_saved:
            return ["not kept; add --save to review issues and to try other structures without asking again"]
        lines = [f"other structures: mtassay invariance judge {run.id} --structure raw"]
        if any(counts["issues"] for counts in run.result.counts.values()):
            lines.append(f"which issues are errors? mtassay review next {run.id}")
        return lines

    @classmethod
    def doubts(cls, run: Run) -> list[Doubt]:
        """All outputs that are shown with an issue, the original's and the variants'."""
        return [
            Doubt(case_id, finding.system, "suspicious", finding.evidence)
            for finding in run.findings
            if finding.evidence.get("status") in ("suspicious", "confirmed", "cleared")
            for case_id in (finding.case_id, *(str(v["id"]) for v in finding.evidence.get("variants", ())))
        ]

    @classmethod
    def findings(cls, run: Run, case_id: str) -> list[Finding]:
        """A variant that is shown with an issue has a finding of its own, first."""
        own = super().findings(run, case_id)
        segment = next((segment for segment in run.segments if segment.id == case_id), None)
        original = None if segment is None else original_of(segment)
        if original is None:
            return own
        reported = (_reported(issue, case_id) for issue in super().findings(run, original))
        return [*filter(None, reported), *own]

    @classmethod
    def holds(cls, run: Run, case_id: str, system: str, decisions: Mapping[str, str]) -> str:
        """What labels make of an issue by now: one error in a pair that it shows confirms it."""
        issue = next(
            (f for f in cls.findings(run, case_id) if f.system == system and f.evidence.get("variants")), None
        )
        if issue is None:
            return ""
        sources = {segment.id: segment.source for segment in run.segments}
        shown = [
            Subject(case_id, (sources.get(case_id),), (run.text(case_id, system) or "",)),
            *(Subject(str(v["id"]), (v["source"],), (v["output"],)) for v in issue.evidence["variants"]),
        ]
        labels = {s.case_id: decisions[s.id] for s in shown if s.id in decisions}
        return standing([subject.case_id for subject in shown], labels)

    @classmethod
    def status(cls, findings: Sequence[Finding]) -> str:
        judged = next((f for f in findings if "status" in f.evidence), None)
        return str(judged.evidence["status"]) if judged else super().status(findings)

    @classmethod
    def why(cls, finding: Finding) -> str:
        evidence = finding.evidence
        if "status" not in evidence:
            return super().why(finding)
        if "why" in evidence:
            return str(evidence["why"])
        distances = [variant["distance"] for variant in evidence.get("variants", ())]
        far = (
            f"distance {max(distances):g}, beyond the threshold"
            if distances
            else "no variant beyond the threshold"
        )
        compared = int(evidence["compared"])
        return f"{far} of {evidence['threshold']:g}; {compared:,} variant{'s'[: compared != 1]} compared"

    @classmethod
    def reasons(cls, finding: Finding) -> list[str]:
        """The variants that were reported with an original follow."""
        return [cls.why(finding), *variant_lines(finding.evidence)]

    @classmethod
    def flags_of(cls, detector: str, findings: Sequence[Finding], missing: Mapping[str, int]) -> Flags:
        """A structure flags the variants that it shows; a companion detector the pairs that it suspects."""
        if not any("distances" in f.evidence or f.evidence.get("variants") for f in findings):
            return super().flags_of(detector, findings, missing)
        flagged: set[tuple[str, str]] = set()
        scores: dict[tuple[str, str], float] = {}
        silent = Counter(missing)
        for finding in findings:
            shown = {str(v["id"]): v.get("distance", 0.0) for v in finding.evidence.get("variants", ())}
            for variant, distance in {**shown, **finding.evidence.get("distances", {})}.items():
                scores[variant, finding.system] = float(distance)
            # What people cleared must not be held against their own words.
            if finding.verdict == "fail" or finding.evidence.get("status") == "cleared":
                flagged |= {(variant, finding.system) for variant in shown}
            elif finding.verdict != "pass":
                silent[str(finding.verdict)] += 1
        return Flags(detector, frozenset(flagged), scores, silent)

    @property
    def detector(self) -> str:
        """What the findings about issues are called."""
        return f"{self.name}:{self.structure}"

    @cached_property
    def signature(self) -> str:
        """All that the verdicts depend on, but for the systems."""
        from mtassay import __version__

        settings = {
            "structure": self._structure.signature,
            "threshold": f"{self.threshold:g}",
            "filters": "+".join(self.filters) or "none",
            "detectors": "+".join(self.detectors) or "none",
            "annotator": self._annotator.signature if self._annotator else "none",
            "version": f"mtassay-{__version__}",
        }
        # The parts of a value are signed with bars of their own, which must not look like the next key.
        return "|".join(f"{key}:{value.replace('|', ',')}" for key, value in settings.items())

    @cached_property
    def _pair(self) -> Pair:
        return parse_pair(self.pair)

    @cached_property
    def _structure(self) -> Structure:
        return open_structure(self.structure, self._pair, discount=self.discount)

    @cached_property
    def _detectors(self) -> list[Detector]:
        return open_detectors(self.detectors, self._pair)

    @cached_property
    def _annotator(self) -> Annotator | None:
        needs = self._structure.needs.union(*(detector.needs for detector in self._detectors))
        return _open(str(self._pair.target), needs, self.annotator)

    @cached_property
    def _source_annotator(self) -> Annotator | None:
        needs = self._structure.needs_source.union(*(d.needs_source for d in self._detectors))
        return _open(str(self._pair.source), needs, self.source_annotator)

    def _reader(self, texts: Sequence[str], annotator: Annotator | None, tools: Tools, step: str) -> Any:
        if annotator is None:
            return Annotation
        return read_texts(texts, annotator, tools, step=step).__getitem__

    def _again(
        self, name: str, pairs: Sequence[Compared], distances: Mapping[str, float], tools: Tools
    ) -> list[float]:
        """What a filter makes of these distances."""
        known = [distances[pair.variant.id] for pair in pairs]
        if name == "paraphrase":
            return without_paraphrases(pairs, known)
        if self._annotator is None or not self._structure.needs:
            raise UsageError(f"The filter 'parser' is not for '{self.structure}', which is not parsed.")
        annotator = self._annotator

        def read(texts: Sequence[str]) -> dict[str, Annotation]:
            return read_texts(texts, annotator, tools, step="reading again")

        return read_twice(pairs, known, self._structure, read)

    def _finding(
        self,
        each: Answered,
        issue: Issue | None,
        measured: Measured,
        system: str,
        labels: Mapping[str, str],
    ) -> Finding:
        assert each.original is not None
        pairs = {pair.variant.id: pair for pair in each.compared}
        evidence: dict[str, Any] = {
            "status": standing(issue.pairs(self.top), labels) if issue else "stable",
            "source": each.original.source.text,
            "output": each.original.output.text,
            "threshold": self.threshold,
            "compared": len(pairs),
            "distances": dict(measured.by_original[each.case.id].variants),
        }
        if issue:
            shown = issue.variants[: self.top]
            evidence["variants"] = [self._shown(pairs[far.variant], far.distance) for far in shown]
            evidence["label"] = {key: labels[key] for key in issue.pairs(self.top) if key in labels}
        if each.unread:
            evidence["unread"] = [{"id": unread.id, "why": unread.why} for unread in each.unread]
        far = measured.by_original[each.case.id].variants
        if left_out := [
            {"id": key, "why": measured.filtered[key].variant, "distance": measured.filtered[key].distance}
            for key, distance in far
            if key in measured.filtered and distance <= self.threshold
        ]:
            evidence["filtered"] = left_out
        verdict = _VERDICTS[evidence["status"]]
        return Finding(each.case.id, system, self.detector, verdict, far[0].distance, evidence)

    def _shown(self, pair: Compared, distance: float) -> dict[str, Any]:
        return {
            "id": pair.variant.id,
            "source": pair.variant.source.text,
            "output": pair.variant.output.text,
            "before": pair.edit.before,
            "after": pair.edit.after,
            "distance": distance,
            "differences": self._structure.differences(pair),
        }

    def _without_answer(self, material: Sequence[Answered], system: str) -> list[Finding]:
        return [
            missing(each.absent, system)
            if each.absent is not None
            else self._skipped(each.case.id, system, each.problem)
            for each in material
            if each.original is None
        ]

    def _skipped(self, case_id: str, system: str, reason: str) -> Finding:
        return Finding(case_id, system, self.detector, "skipped", evidence={"reason": reason})

    def flagged(self, material: Sequence[Answered], tools: Tools) -> dict[str, list[str]]:
        """The ids of the pairs that each companion detector suspects."""
        return {
            name: [suspicion.id for suspicion in found]
            for name, found in self._suspected(material, tools).items()
        }

    def _suspected(self, material: Sequence[Answered], tools: Tools) -> dict[str, list[Suspicion]]:
        found: dict[str, list[Suspicion]] = {}
        for number, detector in enumerate(self._detectors):
            tools.progress("companion detectors", number, len(self._detectors))
            found.setdefault(detector.name, []).extend(find_suspicions(detector, material))
        return found

    def _suspicions(self, material: Sequence[Answered], system: str, tools: Tools) -> list[Finding]:
        answers = {answer.id: answer for each in material for answer in each.answers}
        return [
            Finding(each.id, system, name, "fail", each.value, _evidence(each, answers[each.id]))
            for name, found in self._suspected(material, tools).items()
            for each in found
        ]


def _reported(issue: Finding, variant: str) -> Finding | None:
    """What a finding about an original says of this variant, if it is among those shown with it."""
    shown = next((each for each in issue.evidence.get("variants", ()) if each["id"] == variant), None)
    if shown is None:
        return None
    distance, differences = float(shown["distance"]), list(shown.get("differences", ()))
    threshold = issue.evidence.get("threshold")
    beyond = "" if threshold is None else f", beyond the threshold of {threshold:g}"
    why = f"distance {distance:g} from the output to {issue.case_id}{beyond}"
    evidence = {
        "status": "reported",
        "original": issue.case_id,
        "threshold": threshold,
        "differences": differences,
        "why": ": ".join(filter(None, [why, "; ".join(differences)])),
    }
    return Finding(variant, issue.system, issue.detector, "fail", distance, evidence)


def _evidence(suspicion: Suspicion, answer: Answer) -> dict[str, Any]:
    texts = {"source": answer.source.text, "output": answer.output.text}
    return {"why": suspicion.why, **texts, **suspicion.evidence}


def _open(language: str, needs: frozenset[Layer], name: str | None) -> Annotator | None:
    return open_annotator(language, needs=sorted(needs), name=name) if needs else None


def _counts(found: Sequence[Finding], material: Sequence[Answered], issues: int) -> dict[str, int]:
    """What became of the originals, of which there is one finding each, and how much was compared."""
    verdicts = Counter(finding.verdict for finding in found)
    return {
        "originals": len(found),
        "variants": sum(len(each.compared) for each in material),
        "pairs": sum(len(each.answers) for each in material),
        "issues": issues,
        "pass": verdicts["pass"],
        "fail": verdicts["fail"],
        "skipped": verdicts["skipped"],
        "error": verdicts["error"],
        "unread": sum(len(each.unread) for each in material),
        "filtered": sum(len(finding.evidence.get("filtered", ())) for finding in found),
    }
