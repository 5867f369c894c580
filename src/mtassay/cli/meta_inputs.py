"""What the options of `mtassay meta` say about the material: one folder, or single files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mtassay.core import Segment
from mtassay.errors import UsageError
from mtassay.formats import read_segments
from mtassay.formats.entities import read_entities
from mtassay.languages import Pair
from mtassay.meta.columns import ScoreColumn, chosen
from mtassay.meta.files import material_from_files
from mtassay.meta.folder import material_from_folder
from mtassay.meta.material import Material
from mtassay.meta.reading import read_score_file
from mtassay.systems.roster import named


def split_names(texts: Sequence[str] | None) -> list[str]:
    """Names separated by commas, repeated or both."""
    return [name.strip() for text in texts or [] for name in text.split(",") if name.strip()]


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The options, names already split."""

    pair: Pair | None
    human_scores: Sequence[str]
    humans: Sequence[str]
    metric_scores: Sequence[str]
    systems: Sequence[str]
    exclude: Sequence[str]
    with_humans: bool
    references: Sequence[str]
    source: Path | None
    documents: Path | None
    entities: Path | None
    measured: bool
    """Whether any metric is run here, so that outputs are needed."""

    def from_folder(self, folder: Path) -> Material:
        clash = {"--human-scores": self.human_scores, "-s": self.source, "--documents": self.documents}
        given = [option for option, value in clash.items() if value]
        if given:
            raise UsageError(f"--mtme brings test set and human scores along: leave out {given[0]}.")
        if self.pair is None:
            raise UsageError("--mtme needs the language pair: add -l, for example -l en-de.")
        material = material_from_folder(
            folder,
            self.pair,
            humans=self.humans,
            metric_scores=self.metric_scores,
            references=split_names(self.references),
            systems=split_names(self.systems),
            exclude=self.exclude,
            with_humans=self.with_humans,
            with_outputs=self.measured,
        )
        if self.entities is None:
            return material
        return replace(material, segments=read_entities(self.entities, list(material.segments)))

    def from_files(self) -> Material:
        if not self.human_scores:
            raise UsageError("There are no human scores: add --human-scores FILE, or --mtme FOLDER.")
        if self.with_humans:
            raise UsageError("--with-humans is about the references of an --mtme FOLDER: leave it out.")
        if self.measured and not self.systems:
            raise UsageError("There is no system to measure: add -t NAME=FILE.")
        segments: list[Segment] = []
        if self.source or self.references:
            segments = read_segments(
                self.source, list(self.references), documents=self.documents, pair=self.pair
            )
        elif self.measured:
            raise UsageError("There is nothing to measure against: add -r FILE, -s FILE or both.")
        return material_from_files(
            read_entities(self.entities, segments) if self.entities else segments,
            named(self.systems),
            self.human_scores,
            humans=self.humans,
            metric_files=self.metric_scores,
            exclude=self.exclude,
            pair=self.pair,
        )


def read_human_column(
    path: str | None, folder: Path | None, human: str | None, pair: Pair | None
) -> ScoreColumn:
    """One human score of segments, from a file or from an mt-metrics-eval folder."""
    if (path is None) == (folder is None):
        raise UsageError("Give human scores one way: --human-scores FILE, or --mtme FOLDER with -l.")
    wanted = [human] if human else []
    if path is not None:
        columns = read_score_file(path, ids=(), wanted=wanted)
    elif pair is None:
        raise UsageError("--mtme needs the language pair: add -l, for example -l en-de.")
    else:
        columns = list(
            material_from_folder(
                Path(folder or ""), pair, humans=wanted, with_outputs=False, with_humans=True
            ).humans
        )
    column = chosen(columns, wanted, what="human score")[0]
    if not column.by_segment:
        raise UsageError(f"{column.name} rates whole systems; ranking needs scores of segments.")
    return column
