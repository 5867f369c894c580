"""The runs of a workspace, with their segments, outputs, findings and statistics."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from typing import Any
from zipfile import BadZipFile

from mtassay.data.errors import UsageError
from mtassay.data.nouns import (
    Cluster,
    Comparison,
    Finding,
    Output,
    Result,
    Run,
    Score,
    Segment,
    Statistics,
    original_of,
)
from mtassay.runtime.database import (
    DamagedError,
    UnavailableError,
    WorkspaceFile,
    among,
    as_json,
    as_real,
    as_text,
    pack_statistics,
    unpack_statistics,
)

_FACTS = ("again", "alone", "seconds", "usage", "whole")
"""The keys of an answer's `meta` that are kept with a run."""
_BY_ID = "INDEXED BY segments_by_id"
_MOSTLY_EMPTY = 0.25  # the share of free space from which on the file is made smaller
_UNREADABLE = (DamagedError, ValueError, KeyError, TypeError, AttributeError, IndexError, BadZipFile)


class KeptRuns(WorkspaceFile):
    """Saved runs. `damaged` has the ids that `runs` could not read, with the reasons."""

    @cached_property
    def damaged(self) -> dict[str, str]:
        return {}

    @cached_property
    def _heads(self) -> dict[str, tuple[int | None, Run]]:
        return {}

    def save_run(self, run: Run, *, is_temporary: bool = False) -> None:
        """Store a run with its segments, outputs and findings; `Workspace.tidy` may delete temporary ones."""
        of_run = (
            *(run.id, run.method, as_json(run.parameters), as_json(run.systems), run.started),
            *(as_json(run.versions), as_json(run.result.as_dict())),
        )
        with self._database.transaction() as connection:
            self._database.insert("runs", [of_run])
            if is_temporary:
                connection.execute("INSERT INTO temporary_runs VALUES (?)", (run.id,))
            self._database.insert(
                "segments",
                (
                    (
                        run.id,
                        position,
                        s.id,
                        as_text(s.source),
                        as_json(s.references),
                        s.document,
                        as_json(s.tags),
                    )
                    for position, s in enumerate(run.segments)
                ),
            )
            self._database.insert(
                "outputs",
                (
                    (run.id, system, position, o.id, as_text(o.text), o.error)
                    for system, answers in run.outputs.items()
                    for position, o in enumerate(answers)
                ),
            )
            told = [
                (run.id, system, position, as_json(facts))
                for system, answers in run.outputs.items()
                for position, o in enumerate(answers)
                if o.meta and (facts := {key: o.meta[key] for key in _FACTS if key in o.meta})
            ]
            if told:
                self._database.insert("output_facts", told)
            written: dict[int, str] = {}  # keyed by the evidence itself, which equal outputs of a suite share
            self._database.insert(
                "findings",
                (
                    (
                        run.id,
                        f.case_id,
                        f.system,
                        f.detector,
                        f.verdict,
                        as_real(f.value),
                        written.get(id(f.evidence))
                        or written.setdefault(id(f.evidence), as_json(f.evidence)),
                    )
                    for f in run.findings
                ),
            )
            self._database.insert(
                "statistics",
                ((run.id, s.metric, s.system, s.signature, pack_statistics(s)) for s in run.statistics),
            )

    def runs(self) -> list[Run]:
        """All readable runs, saved last first, without findings, segments, outputs and statistics."""
        runs = []
        for run_id in self._ids():
            try:
                runs.append(self._head(run_id))
            except _UNREADABLE as error:
                self.damaged[run_id] = str(error)
        return runs

    def run(self, name: str, *, case: str | None = None) -> Run:
        """One complete run. The name may be the beginning or the end of an id, or `last`.

        With `case`, it has only this segment's family: the original and all its variants, with their outputs
        and findings.
        """
        run_id = self._run_id(name)
        with self._reading(run_id):
            head = self._head(run_id)
            segments, case_ids = self._segments(run_id, of=case), None
            if case is not None:
                case_ids = list(dict.fromkeys((case, *(segment.id for segment in segments))))
            rows = self._database.read(
                "findings",
                f"WHERE run = ? {among('case_id', case_ids)} ORDER BY rowid",
                run_id,
                *(case_ids or ()),
            )
            return replace(
                head,
                findings=[Finding(c, s, d, v, x, json.loads(e)) for _, c, s, d, v, x, e in rows],
                segments=segments,
                outputs=self._outputs(run_id, some=case_ids),
                statistics=self._statistics(run_id, case_ids),
            )

    def _head(self, run_id: str) -> Run:
        """Return a run without findings, segments, outputs and statistics; stored runs never change."""
        ((mark,),) = self._database.select("SELECT checksum FROM runs WHERE id = ?", run_id)
        known, head = self._heads.get(run_id, (None, None))
        if mark is None or known != mark or head is None:
            (row,) = self._database.read("runs", "WHERE id = ?", run_id)
            head = _run(row)
            self._heads[run_id] = (mark, head)
        return head

    @contextmanager
    def _reading(self, run_id: str) -> Iterator[None]:
        """Turn anything unreadable in a run into one error that names the run."""
        try:
            yield
        except _UNREADABLE as error:
            why = str(error).removeprefix(f"{self.path}: ").rstrip(".")
            raise DamagedError(
                f"{self.path}: run {run_id} cannot be read ({why}). Delete it: mtassay runs delete {run_id}"
            ) from error

    def _statistics(self, run_id: str, some: Collection[str] | None) -> list[Statistics]:
        """The measured values, in the order of measuring; with `some` only of these units."""
        measured = []
        for _, metric, system, signature, content in self._database.read(
            "statistics", "WHERE run = ? ORDER BY rowid", run_id
        ):
            entry = replace(unpack_statistics(content, metric, system), signature=signature)
            if some is not None:
                places = [place for place, unit in enumerate(entry.ids) if unit in some]
                ids = [entry.ids[place] for place in places]
                entry = replace(entry, ids=ids, values=entry.values[places])
            measured.append(entry)
        return measured

    def segments(self, name: str) -> list[Segment]:
        """The segments of a run, in order."""
        run_id = self._run_id(name)
        with self._reading(run_id):
            return self._segments(run_id)

    def segment(self, name: str, segment_id: str) -> Segment | None:
        """One segment of a run; `None` if the run has no such id."""
        run_id = self._run_id(name)
        with self._reading(run_id):
            rows = self._database.read("segments", f"{_BY_ID} WHERE run = ? AND id = ?", run_id, segment_id)
            return next(iter(_read_segments(rows)), None)

    def near(self, name: str, segment: Segment, *, reach: int) -> list[Segment]:
        """The segments of the same document, at most `reach` before and after this one."""
        run_id = self._run_id(name)
        with self._reading(run_id):
            rows = self._database.read(
                "segments", "WHERE run = ? AND document = ? ORDER BY position", run_id, segment.document
            )
            whole = _read_segments(rows)
        place = next((n for n, other in enumerate(whole) if other.id == segment.id), None)
        return [] if place is None else whole[max(place - reach, 0) : place + reach + 1]

    def _segments(self, run_id: str, *, of: str | None = None) -> list[Segment]:
        """The segments in order; with `of` only this segment's family: see `run`."""
        if of is None:
            return _read_segments(self._database.read("segments", "WHERE run = ? ORDER BY position", run_id))
        own = _read_segments(
            self._database.read("segments", f"{_BY_ID} WHERE run = ? AND id = ?", run_id, of)
        )
        roots = list({original_of(segment) or segment.id for segment in own})
        # Search for a tag as it is written; `_family` removes texts that only contain it.
        named = " OR ".join(["id = ?", "instr(tags, ?)"] * len(roots))
        values = [value for root in roots for value in (root, as_json(root))]
        if not roots:
            return []
        rows = self._database.read(
            "segments", f"WHERE run = ? AND ({named}) ORDER BY position", run_id, *values
        )
        return _family(_read_segments(rows), of)

    def outputs(self, name: str, *, some: Collection[str] | None = None) -> dict[str, list[Output]]:
        """The outputs of a run by system, in order of the cases; with `some` only for these segments."""
        run_id = self._run_id(name)
        with self._reading(run_id):
            return self._outputs(run_id, some=some)

    def _outputs(self, run_id: str, *, some: Collection[str] | None) -> dict[str, list[Output]]:
        outputs: dict[str, list[Output]] = {system: [] for system in self._head(run_id).systems}
        # Without this, SQLite reads all outputs in order instead of looking up a few.
        few = "" if some is None else "INDEXED BY outputs_by_id"
        rest = f"{few} WHERE run = ? {among('id', some)} ORDER BY system, position"
        rows = list(self._database.read("outputs", rest, run_id, *(some or ())))
        places = None if some is None else {row[2] for row in rows}
        of_these = f"WHERE run = ? {among('position', places)}"
        facts = {
            (system, position): json.loads(text)
            for _, system, position, text in self._database.read(
                "output_facts", of_these, run_id, *(places or ())
            )
        }
        for _, system, position, *values in rows:
            outputs[system].append(Output(*values)._replace(meta=facts.get((system, position), {})))
        return outputs

    def delete_run(self, name: str) -> str:
        """Delete a run with all its data, and free its space; return its id."""
        run_id = self._run_id(name)
        self._delete([run_id])
        return run_id

    def share_heads(self, heads: dict[str, tuple[int | None, Run]]) -> None:
        """Share a mapping with the constant parts of runs among objects that have the same file open."""
        self.__dict__["_heads"] = heads

    def keep_run(self, run_id: str) -> None:
        """Protect this run from automatic deletion, because something else depends on it."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM temporary_runs WHERE run = ?", (run_id,))

    def _delete(self, run_ids: Sequence[str]) -> None:
        """Delete these runs, and shrink the file if much of it is then free."""
        with self._database.transaction() as connection:
            connection.executemany("DELETE FROM runs WHERE id = ?", [(run_id,) for run_id in run_ids])
        if self._database.free_share > _MOSTLY_EMPTY:
            with suppress(UnavailableError):  # another program reads the file: do it next time
                self._database.vacuum()

    def runs_with(self, segment_id: str, source: str | None) -> list[str]:
        """The ids of all runs that have a segment of this id and source, newest first."""
        rows = self._database.select(
            "SELECT r.id FROM runs r JOIN segments s ON s.run = r.id AND s.id = ? AND s.source IS ? "
            "ORDER BY r.rowid DESC",
            *(segment_id, as_text(source)),
        )
        return [str(name) for (name,) in rows]

    def named(self, name: str) -> list[str]:
        """The ids of the runs that a name may mean: an id, its beginning or end, or `last` (saved last)."""
        ids = self._ids()
        if name == "last":
            return ids[:1]
        if not name:
            return []
        return [i for i in ids if i == name] or [i for i in ids if i.startswith(name) or i.endswith(name)]

    def _ids(self) -> list[str]:
        rows = self._database.select("SELECT id FROM runs ORDER BY rowid DESC")
        return [str(row[0]) for row in rows]

    def _run_id(self, name: str) -> str:
        matches = self.named(name)
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise UsageError(f"'{name}' could be any of {len(matches)} runs: {', '.join(matches[:5])}.")
        ids = self._ids()
        hint = f"Newest: {', '.join(ids[:5])}." if ids else "There are none yet."
        raise UsageError(f"No run '{name}' in {self.path}. {hint}")


def _read_segments(rows: Iterable[Sequence[Any]]) -> list[Segment]:
    return [
        Segment(id_, source, tuple(json.loads(references)), document, json.loads(tags))
        for _, _, id_, source, references, document, tags in rows
    ]


def _family(segments: Sequence[Segment], case: str) -> list[Segment]:
    """Return this segment's original with all its variants, in order."""
    roots = {original_of(segment) or segment.id for segment in segments if segment.id == case}
    return [segment for segment in segments if (original_of(segment) or segment.id) in roots]


def _run(row: Sequence[Any]) -> Run:
    run_id, method, parameters, systems, started, versions, result = row
    stored = json.loads(result)
    return Run(
        id=run_id,
        method=method,
        parameters=json.loads(parameters),
        systems=json.loads(systems),
        started=started,
        versions=json.loads(versions),
        result=Result(
            scores=[Score(**score) for score in stored["scores"]],
            comparisons=[Comparison(**comparison) for comparison in stored["comparisons"]],
            clusters=[Cluster(**{**c, "systems": tuple(c["systems"])}) for c in stored["clusters"]],
            counts=stored["counts"],
            notes=stored.get("notes", ()),
            basis=stored.get("basis", {}),
        ),
    )
