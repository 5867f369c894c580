"""How it is shown which errors metrics see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mtassay.core import Score
from mtassay.display import Cell, Figure, Point, Series, Table
from mtassay.formats.challenge import ChallengePair
from mtassay.meta.blindspots import ALONE, LOSS, LOWER, TIES, BlindSpotSettings, Corruptible
from mtassay.metrics.blindspots import hardly_sees
from mtassay.report.assessments import Assessment
from mtassay.report.run import Form

__all__ = ["BlindSpots"]

_TITLES = {
    LOWER: "How often a corrupted text scores lower than the good one, in percent",
    LOSS: "How much one error takes off; 100: what an unrelated text loses",
    ALONE: "How well corrupted and good texts are told apart one by one (AUC)",
}


@dataclass(frozen=True, repr=False)
class BlindSpots(Assessment):
    """Metrics by kinds of errors; `base` says what the errors were put into, `pair` the languages."""

    material: Corruptible
    settings: BlindSpotSettings
    base: str
    pair: str

    def tables(self) -> list[Table]:
        return [self._table(LOWER, self._about_lower()), self._table(LOSS, self._about_loss()),
                self._table(ALONE, [*self._about_alone(), *self.result.notes])]  # fmt: skip

    def figures(self) -> list[Figure]:
        """The three tables as maps, the darker the blinder."""
        limits = {LOWER: (50.0, 100.0), LOSS: (0.0, 20.0), ALONE: (50.0, 100.0)}
        names = {
            LOWER: "ranked lower (%)",
            LOSS: "taken off (%)",
            ALONE: "told apart alone (AUC in %)",
        }
        sizes: dict[str, int] = {}
        for score in self._scores(LOWER):
            sizes[score.group] = max(sizes.get(score.group, 0), score.n)
        rows = {kind: f"{kind} ({n:,})" for kind, n in sizes.items()}
        return [
            Figure(
                "heat",
                [
                    Series(
                        label,
                        [Point(rows[s.group], _percent(s)) for s in self._scores(what) if s.label == label],
                    )
                    for label in self._labels
                ],
                title=f"{names[what]} · {self.pair}",
                rows=list(rows.values()),
                limits=limits[what],
            )
            for what in (LOWER, LOSS, ALONE)
        ]

    def record(self) -> dict[str, Any]:
        settings = asdict(self.settings)
        return {**self.result.as_dict(), "base": self.base, "pair": self.pair, "settings": settings,
                "refused": dict(self.material.corrupted.refused)}  # fmt: skip

    def corruptions(self) -> list[ChallengePair]:
        """All that was made, as a challenge set: for metrics that are run elsewhere, and to be read."""
        sources = {source.id: source for source in self.material.sources}
        pairs = []
        for corruption in self.material.corrupted.corruptions:
            source, edit = sources[corruption.id], corruption.edit
            # An item has one category, so what was made of a sentence is several.
            item = f"{corruption.id}.{corruption.kind.replace(' ', '-')}"
            change = f"{edit.before.strip() or '–'} → {edit.after.strip() or '–'}"
            reference = source.references[0] if source.references else None
            texts = (source.source, reference, source.text.text, corruption.text)
            pairs.append(ChallengePair(item, item, corruption.kind, change, *texts, self.pair))
        return pairs

    @property
    def _labels(self) -> list[str]:
        return list(dict.fromkeys(score.label for score in self.result.scores))

    def _scores(self, what: str) -> list[Score]:
        return [score for score in self.result.scores if score.name == what]

    def _head(self, form: Form) -> str:
        texts = len(self.material.sources)
        made = len(self.material.corrupted.corruptions)
        line = f"{self.pair} · errors put into {self.base} · {texts:,} texts, {made:,} corruptions"
        return f"% {line}" if form == "latex" else line

    def _table(self, what: str, notes: Sequence[str]) -> Table:
        cells = {(score.group, score.label): score for score in self._scores(what)}
        rows: list[list[Cell | str]] = []
        for kind in dict.fromkeys(kind for kind, _ in cells):
            scores = [cells[kind, label] for label in self._labels]
            row: list[Cell | str] = [kind, f"{max(score.n for score in scores):,}"]
            for score in scores:
                mark = ("*" if hardly_sees(score) else " ") if what == LOSS else ""
                row.append(Cell(f"{_shown(score)}{mark}", strong=hardly_sees(score)))
            rows.append(row)
        header = [f"{label} " if what == LOSS else label for label in self._labels]
        return Table(["Error", "n", *header], rows, _TITLES[what], notes)

    def _about_lower(self) -> list[str]:
        notes = ["Ties count half, so that 50 is blind. ±: half of the 95 % interval, here and below."]
        most: dict[str, Score] = {}
        for score in self._scores(TIES):
            if score.value is not None and score.value >= 20:
                most[score.label] = max(most.get(score.label, score), score, key=lambda s: s.value or 0)
        if most:
            told = ", ".join(f"{s.label} up to {s.value:.0f} % ({s.group})" for s in most.values())
            notes.append(f"Ties: {told}.")
        whole = {score.group: max(s.n for s in self._scores(LOWER) if s.group == score.group)
                 for score in self._scores(LOWER)}  # fmt: skip
        for label in self._labels:
            own = [s for s in self._scores(LOWER) if s.label == label]
            if any(s.n < whole[s.group] for s in own):
                sizes = f"{min(s.n for s in own):,} to {max(s.n for s in own):,}"
                notes.append(f"{label} has no score for some of the texts: its n is {sizes}.")
        return notes

    def _about_loss(self) -> list[str]:
        notes = [
            "100 is the mean loss where an output is replaced by that of another sentence. One word of a "
            "sentence of twenty is 5."
        ]
        if any(hardly_sees(score) for score in self._scores(LOSS)):
            notes.append(
                "Bold (*): the metric hardly counts it: less than 10 for negations, numbers and names, less "
                "than 2.5 for all others."
            )
        return notes

    def _about_alone(self) -> list[str]:
        return [
            "AUC: the probability that a good text scores above a corrupted one of another sentence, which "
            "is what a threshold needs. Chance: .5."
        ]


def _percent(score: Score) -> float | None:
    if score.value is None:
        return None
    return 100 * score.value if score.name == ALONE else score.value


def _shown(score: Score) -> str:
    if score.value is None:
        return "–"
    numbers = [score.value]
    if score.low is not None and score.high is not None:
        numbers.append((score.high - score.low) / 2)
    if score.name == ALONE:
        return " ±".join(f"{number:.2f}".replace("0.", ".") for number in numbers)
    return " ±".join(f"{number:.{score.decimals}f}".replace("-", "−") for number in numbers)
