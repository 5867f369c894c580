"""A whole repair of a model: translate, fine-tune on corrections, translate again, tell what it brought."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mtassay.caller import Tally, translate_all
from mtassay.core import Request, Result, Segment
from mtassay.display import Table
from mtassay.errors import InputError, UsageError
from mtassay.formats import read_test_set
from mtassay.languages import Pair
from mtassay.repair.corrections import Correction
from mtassay.repair.finetune import Example, Lessons, Report, Training, fine_tune
from mtassay.repair.measure import (
    Repaired,
    bleu_table,
    compare_bleu,
    count_outcomes,
    errors_fixed,
    fixed_table,
)
from mtassay.systems.transformers_engine import Transformers

__all__ = ["Trained", "check_training", "train"]

_BATCH = 32


@dataclass(frozen=True, slots=True)
class Trained:
    """What became of each correction, and BLEU of the validation set, where there is one, before and after.

    `learned` is how many pairs an epoch had.
    """

    facts: dict[str, Any]
    repaired: list[Repaired]
    bleu: Result | None
    learned: int

    @property
    def left(self) -> list[Repaired]:
        """What the model still does not translate as it was corrected."""
        return [each for each in self.repaired if each.outcome not in ("fixed", "right before")]

    def tables(self) -> list[Table]:
        """Errors fixed, and the validation."""
        return [fixed_table(self.repaired), *([bleu_table(self.bleu)] if self.bleu else [])]

    def record(self) -> dict[str, Any]:
        """Everything, as JSON: facts, counts, shares, BLEU, and each error with its outcome."""
        return {
            **self.facts,
            "outcomes": count_outcomes(self.repaired),
            "errors_fixed": [asdict(score) for score in errors_fixed(self.repaired)],
            "validation": None if self.bleu is None else self.bleu.as_dict(),
            "errors": [
                {**asdict(r.correction), "before": r.before, "after": r.after, "outcome": r.outcome}
                for r in self.repaired
            ],
        }


def train(
    model: Path,
    corrections: Sequence[Correction],
    target: Path,
    training: Training,
    *,
    pair: Pair,
    mix: Path | None = None,
    mix_ratio: float = 4.0,
    validation: Sequence[Segment] = (),
    beam_size: int | None = None,
    report: Report | None = None,
) -> Trained:
    """Fine-tune the model in a folder on corrections, and put the new one into the folder `target`.

    The model translates the corrected sources, and those of the validation set, before and after. `mix` is a
    file of ordinary pairs, of which `mix_ratio` for each correction are learned beside them, drawn anew each
    epoch. The new folder appears when all is done, with repair.json: what it was made of and every outcome.
    """
    check_training(model, target)
    lessons = Lessons(
        [Example(c.source, c.correction) for c in corrections],
        _ordinary(mix, corrections, pair) if mix else [],
        round(mix_ratio * len(corrections)),
    )
    facts = {
        "corrections": len(corrections),
        "by": dict(Counter(c.by for c in corrections)),
        "mixed": lessons.size - len(corrections),
        "model": model.name,
        "pair": str(pair),
    }
    sources = [*(c.source for c in corrections), *(s.source for s in validation)]
    before = _translate("before", model, sources, pair, training, beam_size, report)
    fine_tune(model, lessons, target, training, pair=pair, facts=facts, report=report)
    after = _translate("after", target, sources, pair, training, beam_size, report)
    cut = len(corrections)
    repaired = [
        Repaired(c, was, now) for c, was, now in zip(corrections, before[:cut], after[:cut], strict=True)
    ]
    bleu = None
    if validation:
        bleu = compare_bleu(
            validation, before[cut:], after[cut:], language=pair.target.code, seed=training.seed
        )
    trained = Trained(facts, repaired, bleu, lessons.size)
    _keep(target, trained.record())
    return trained


def check_training(model: Path, target: Path) -> None:
    """An error where there is no such model, or the new one would stand in the place of another."""
    if not model.is_dir():
        raise UsageError(f"There is no folder {model}. Give one that transformers saved a model into.")
    if target.exists():
        raise UsageError(f"{target} is there already. Choose another folder.")


def _ordinary(path: Path, corrections: Sequence[Correction], pair: Pair) -> list[Example]:
    """Pairs to mix in; none may teach another translation of a corrected source."""
    known = {correction.source for correction in corrections}
    ordinary = [
        Example(segment.source, segment.references[0])
        for segment in read_test_set(path, pair=pair).segments
        if segment.source and segment.references and segment.references[0] and segment.source not in known
    ]
    if not ordinary:
        raise InputError("it holds no pair of source and translation to mix in", path=path)
    return ordinary


def _translate(
    name: str,
    folder: Path,
    sources: Sequence[str | None],
    pair: Pair,
    training: Training,
    beam_size: int | None,
    report: Report | None,
) -> list[str | None]:
    engine = Transformers(
        name=name,
        pair=pair,
        model=str(folder),
        device=training.device,
        prefix=training.prefix,
        beam_size=beam_size,
        batch=_BATCH,
    )
    # Texts of like length together, so that little is padded.
    order = sorted(range(len(sources)), key=lambda i: len(sources[i] or ""))
    requests = [Request(str(i), sources[i]) for i in order]

    def tell(tally: Tally) -> None:
        if report:
            report(f"translating {name}", tally.done, tally.total)

    # A model in training is asked anew: what it said before in the workspace is of no use.
    outputs = {output.id: output.text for output in translate_all(engine, requests, report=tell)}
    return [outputs[str(i)] for i in range(len(sources))]


def _keep(folder: Path, record: dict[str, Any]) -> None:
    """Add what came out to what the training wrote down."""
    path = folder / "repair.json"
    known = json.loads(path.read_text(encoding="utf-8"))
    new = folder / "repair.json.new"
    new.write_text(json.dumps({**known, **record}, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    new.replace(path)
