"""Snapshots: all of one system of a run that a later run is held against, and files of them, baselines."""

from __future__ import annotations

import base64
import hashlib
import json
import lzma
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mtassay.core import Finding, Ledger, Run, Score, Segment, Verdict, original_of
from mtassay.errors import InputError, UsageError
from mtassay.method import method_of
from mtassay.texts.marks import json_text

__all__ = [
    "NO_OUTPUT",
    "Snapshot",
    "UnitSums",
    "only_system",
    "read_baseline",
    "text_digests",
    "write_baseline",
]

NO_OUTPUT = "output"
"""The detector that tells of outputs that are not there."""
_SETTINGS_OF_LOOK = frozenset({"baseline", "against_best", "facts", "suite_path", "labels", "trials", "seed"})


def text_digests(segments: Iterable[Segment]) -> dict[str, str]:
    """Another one for any other text of a unit: a segment, an original with its edits, or a document."""
    texts: dict[str, Any] = {}
    for segment in segments:
        text = repr((segment.id, segment.source, segment.references)).encode("utf-8", "surrogatepass")
        for unit in filter(None, dict.fromkeys((segment.id, original_of(segment), segment.document))):
            texts.setdefault(unit, hashlib.blake2b(digest_size=4)).update(text)
    return {unit: digest.hexdigest() for unit, digest in texts.items()}


@dataclass(frozen=True, slots=True, eq=False)
class UnitSums:
    """The sums of every unit under one score."""

    ids: Sequence[str]
    values: NDArray[Any]
    column_names: Sequence[str] = ()


@dataclass(frozen=True)
class Snapshot:
    """One system of a run, as far as a later run of it is held against: what a file of baselines keeps.

    `sums` are those of each ledger by name, `texts` digests by unit, `verdicts` those of each detector by
    case. `record` is the run itself, where it is at hand: it has the sentences.
    """

    run: str
    method: str
    system: str
    started: str
    parameters: Mapping[str, Any]
    scores: Sequence[Score]
    sums: Mapping[str, UnitSums]
    texts: Mapping[str, str]
    verdicts: Mapping[str, Mapping[str, Verdict]]
    step: str = ""
    record: Run | None = field(default=None, compare=False)

    @classmethod
    def of(cls, run: Run, system: str, *, step: str = "") -> Self:
        """That of one system of a run."""
        if system not in run.systems:
            raise UsageError(f"Run {run.id} has no system '{system}'. Available: {', '.join(run.systems)}.")
        verdicts: dict[str, dict[str, Verdict]] = {}
        for finding in run.findings:
            if finding.system == system and finding.verdict is not None:
                verdicts.setdefault(finding.detector, {})[finding.case_id] = finding.verdict
        return cls(
            run.id,
            run.method,
            system,
            run.started,
            {key: value for key, value in run.parameters.items() if key not in _SETTINGS_OF_LOOK},
            [score for score in run.result.scores if score.system == system],
            {
                entry.name: UnitSums(entry.ids, entry.values, entry.column_names)
                for entry in method_of(run).ledgers(run, system)
            },
            text_digests(run.segments),
            verdicts,
            step,
            run,
        )

    @cached_property
    def ledgers(self) -> list[Ledger]:
        """What its scores add up from; needs the run."""
        assert self.record is not None
        return method_of(self.record).ledgers(self.record, self.system)

    @cached_property
    def outputs(self) -> dict[str, str | None]:
        """What the system answered, by segment; nothing where the run is not at hand."""
        answers = self.record.outputs.get(self.system, ()) if self.record else ()
        return {answer.id: answer.text for answer in answers}

    @cached_property
    def sources(self) -> dict[str, str | None]:
        """What was asked, by segment; nothing where the run is not at hand."""
        return {segment.id: segment.source for segment in (self.record.segments if self.record else ())}

    @cached_property
    def families(self) -> dict[str, list[str]]:
        """The segments that belong to a case: itself, and what was made from it."""
        families: dict[str, list[str]] = {}
        for segment in self.record.segments if self.record else ():
            for case in filter(None, dict.fromkeys((segment.id, original_of(segment)))):
                families.setdefault(case, []).append(segment.id)
        return families

    @cached_property
    def _findings(self) -> dict[tuple[str, str], Finding]:
        findings = self.record.findings if self.record else ()
        return {(f.detector, f.case_id): f for f in findings if f.system == self.system}

    def finding(self, detector: str, case_id: str) -> Finding | None:
        """What a detector found about a case, or why there is nothing to judge."""
        return self._findings.get((detector, case_id)) or self._findings.get((NO_OUTPUT, case_id))

    def verdict(self, detector: str, case_id: str) -> Verdict | None:
        """What a detector says of a case."""
        missing = self.verdicts.get(NO_OUTPUT, {})
        return self.verdicts.get(detector, {}).get(case_id) or missing.get(case_id)

    def digest(self, unit: str) -> str | None:
        """That of its texts; of a paragraph, that of its document."""
        return self.texts.get(unit) or self.texts.get(unit.rpartition("/")[0])

    def as_dict(self) -> dict[str, Any]:
        """For a file: what a person compares is plain, what only a test needs is packed."""
        packed = {
            "texts": self.texts,
            "verdicts": self.verdicts,
            "sums": {
                name: {
                    "ids": list(sums.ids),
                    "values": sums.values.tolist(),
                    "columns": list(sums.column_names),
                }
                for name, sums in self.sums.items()
            },
        }
        scores: dict[str, dict[str, str]] = {}
        for score in self.scores:  # one a line, so that a person sees what a new baseline changes
            numbers = ("–" if x is None else f"{x:.4f}" for x in (score.value, score.low, score.high))
            scores.setdefault(score.name, {})[score.group] = f"{' '.join(numbers)} {score.n}"
        return {
            "step": self.step,
            "method": self.method,
            "system": self.system,
            "run": self.run,
            "started": self.started,
            "parameters": self.parameters,
            "scores": scores,
            "units": base64.b64encode(lzma.compress(json.dumps(packed).encode())).decode(),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """What `as_dict` gave."""
        packed = json.loads(lzma.decompress(base64.b64decode(record["units"])))
        sums = {
            name: UnitSums(entry["ids"], np.array(entry["values"]), entry["columns"])
            for name, entry in packed["sums"].items()
        }
        scores = [
            _score(name, record["system"], group, text)
            for name, groups in record["scores"].items()
            for group, text in groups.items()
        ]
        about = {key: record[key] for key in ("run", "method", "system", "started", "parameters", "step")}
        return cls(scores=scores, sums=sums, texts=packed["texts"], verdicts=packed["verdicts"], **about)


def _score(name: str, system: str, group: str, text: str) -> Score:
    """A score as `Snapshot.as_dict` writes it: value, ends of the interval, n."""
    *numbers, n = text.split()
    value, low, high = (None if number == "–" else float(number) for number in numbers)
    return Score(name, system, group, value, int(n), low, high)


def only_system(run: Run, system: str) -> Run:
    """The run with one of its systems alone."""
    if system not in run.systems:
        raise UsageError(f"Run {run.id} has no system '{system}'. Available: {', '.join(run.systems)}.")
    return replace(
        run,
        systems=[system],
        findings=[finding for finding in run.findings if finding.system == system],
        outputs={name: answers for name, answers in run.outputs.items() if name == system},
        statistics=[entry for entry in run.statistics if entry.system == system],
    )


_KIND = "mtassay baseline"


def write_baseline(path: Path, snapshots: Sequence[Snapshot]) -> None:
    """Keep systems of runs in a file, small enough for a repository, to hold later runs against."""
    record = {"kind": _KIND, "version": 1, "snapshots": [snapshot.as_dict() for snapshot in snapshots]}
    path.write_text(json_text(record, indent=1) + "\n", encoding="utf-8")


def read_baseline(path: Path) -> list[Snapshot]:
    """What `write_baseline` kept."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["kind"] != _KIND:
            raise ValueError("it is another kind of file")
        if record["version"] != 1:
            raise ValueError(f"it is of version {record['version']}, known here: 1; upgrade mtassay")
        return [Snapshot.from_dict(snapshot) for snapshot in record["snapshots"]]
    except (ValueError, KeyError, TypeError, lzma.LZMAError) as error:
        raise InputError(
            f"this is no baseline ({error}). Write one: mtassay gate RUN --write-baseline {path.name}",
            path=path,
        ) from None
