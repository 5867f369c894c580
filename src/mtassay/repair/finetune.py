"""Fine-tunes a translation model of the transformers library on corrections, with a falling learning rate."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.errors import ClosedError, UsageError
from mtassay.languages import Pair
from mtassay.packages import fingerprint, load_package
from mtassay.repair.seq2seq import Seq2Seq, open_seq2seq

__all__ = ["Example", "Lessons", "Training", "fine_tune", "working_folder"]

Report = Callable[[str, int, int], None]


class Example(NamedTuple):
    """A source and the translation to learn."""

    source: str
    target: str


@dataclass(frozen=True, kw_only=True)
class Training:
    """How to train. The learning rate falls in a straight line to 0 at the last step."""

    epochs: int = 15
    learning_rate: float = 1e-4
    batch: int = 16
    seed: int = 12345
    device: str = "cpu"
    prefix: str = ""

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.batch < 1:
            raise UsageError(f"epochs is {self.epochs} and batch {self.batch}. Give 1 or more of both.")
        if not 0 < self.learning_rate < 1:
            raise UsageError(f"The learning rate is {self.learning_rate:g}. Give one between 0 and 1.")


@dataclass(frozen=True, slots=True)
class Lessons:
    """What to learn in an epoch: all corrections, and `mixed` of the ordinary pairs, lest the model forget.

    The ordinary ones are drawn anew for each epoch, or the model would learn those few by heart.
    """

    corrections: Sequence[Example]
    ordinary: Sequence[Example] = ()
    mixed: int = 0

    @property
    def size(self) -> int:
        """How many pairs an epoch has."""
        return len(self.corrections) + min(self.mixed, len(self.ordinary))

    def of_epoch(self, epoch: int, *, seed: int) -> list[Example]:
        """The pairs of an epoch in their order, which depends on its number and the seed alone."""
        draw = random.Random(f"{seed}:{epoch}")
        pairs = [*self.corrections, *draw.sample(self.ordinary, min(self.mixed, len(self.ordinary)))]
        return draw.sample(pairs, len(pairs))


def working_folder(target: Path) -> Path:
    """Where a training that is not finished keeps what it has, beside the target."""
    return target.with_name(f"{target.name}.part")


def fine_tune(
    model: Path,
    lessons: Lessons,
    target: Path,
    training: Training,
    *,
    pair: Pair,
    facts: dict[str, Any] | None = None,
    report: Report | None = None,
) -> list[float]:
    """Train the model in folder `model` on the lessons and put the result into the new folder `target`.

    Gives the mean loss per token of each epoch. After each epoch the state is kept, so the same call after a
    stop goes on where it was; `target` appears all at once, when everything is in it. `facts` are written
    into it as repair.json.
    """
    torch = load_package("torch", what="repair", package="torch", extra="transformers")
    if not lessons.corrections:
        raise UsageError("There is nothing to learn: no correction.")
    torch.manual_seed(training.seed)
    learner = open_seq2seq(model, pair, device=training.device, prefix=training.prefix)
    optimizer = torch.optim.AdamW(learner.model.parameters(), lr=training.learning_rate, weight_decay=0.0)
    part = working_folder(target)
    state = _State(part, _digest(model, lessons, training, pair))
    losses = state.load(learner, optimizer)
    steps = -(-lessons.size // training.batch) * training.epochs
    for epoch in range(len(losses), training.epochs):
        # Draws depend on the epoch alone, so that a training that was stopped goes on as if it were not.
        torch.manual_seed(training.seed + epoch)
        pairs = lessons.of_epoch(epoch, seed=training.seed)
        done = epoch * steps // training.epochs
        total = tokens = 0.0
        learner.model.train()
        for start in range(0, len(pairs), training.batch):
            batch = pairs[start : start + training.batch]
            for group in optimizer.param_groups:
                group["lr"] = training.learning_rate * (1 - done / steps)
            loss, size = learner.loss([e.source for e in batch], [e.target for e in batch])
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learner.model.parameters(), 1.0)
            optimizer.step()
            done += 1
            total, tokens = total + loss.item() * size, tokens + size
            if report:
                report(f"training, epoch {epoch + 1} of {training.epochs}", done, steps)
        losses.append(total / tokens)
        state.save(learner, optimizer, losses)
    _finish(learner, part, target, {**(facts or {}), "training": asdict(training), "losses": losses})
    return losses


def _finish(learner: Seq2Seq, part: Path, target: Path, facts: dict[str, Any]) -> None:
    made = part / "model"
    shutil.rmtree(made, ignore_errors=True)
    learner.save(made)
    (made / "repair.json").write_text(
        json.dumps(facts, ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
    )
    made.rename(target)
    shutil.rmtree(part)


def _digest(model: Path, lessons: Lessons, training: Training, pair: Pair) -> str:
    """Of all that a training depends on: another one must not go on with its state."""
    files = fingerprint(*sorted(path for path in model.rglob("*") if path.is_file()))
    told = json.dumps([files, asdict(lessons), asdict(training), str(pair)], ensure_ascii=False)
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()


class _State:
    """What is kept after each epoch: weights, optimizer and losses, in one file that is replaced whole."""

    def __init__(self, folder: Path, digest: str) -> None:
        self._file = folder / "state.pt"
        self._digest = digest

    def load(self, learner: Seq2Seq, optimizer: Any) -> list[float]:
        """The losses of the epochs that are done; none where there is nothing, or of another training."""
        import torch

        if not self._file.exists():
            return []
        try:
            kept = torch.load(self._file, map_location=learner.device, weights_only=True)
        except Exception as error:  # a file that is none of ours fails in every way there is
            raise ClosedError(f"{self._file} cannot be read ({error}). Delete {self._file.parent}.") from None
        if kept["digest"] != self._digest:
            return []
        learner.model.load_state_dict(kept["model"])
        optimizer.load_state_dict(kept["optimizer"])
        return list(kept["losses"])

    def save(self, learner: Seq2Seq, optimizer: Any, losses: list[float]) -> None:
        import torch

        self._file.parent.mkdir(parents=True, exist_ok=True)
        new = self._file.with_suffix(".new")
        state = {
            "digest": self._digest,
            "model": learner.model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "losses": losses,
        }
        torch.save(state, new)
        new.replace(self._file)
