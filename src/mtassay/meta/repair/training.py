"""Fine-tunes a model on corrections."""

from __future__ import annotations

import json
import random
import shutil
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.data.display import Table
from mtassay.data.errors import ClosedError, InputError, UsageError
from mtassay.data.formats.test_sets import read_test_set
from mtassay.data.language_packs import load_package
from mtassay.data.languages import Pair
from mtassay.data.nouns import Request, Result, Segment
from mtassay.meta.repair.corrections import (
    Correction,
    Repaired,
    bleu_table,
    compare_bleu,
    count_outcomes,
    errors_fixed,
    fixed_table,
)
from mtassay.systems.client import Tally, translate_all
from mtassay.systems.live import find_code
from mtassay.systems.transformers_engine import Transformers, codes_of

_WHAT = "repair"
_IGNORED = -100  # what the library leaves out of a loss


@dataclass(frozen=True, slots=True)
class Seq2Seq:
    """A model with its tokenizer; weights are 32-bit, since small steps vanish in 16."""

    model: Any
    tokenizer: Any
    device: str
    prefix: str = ""

    def loss(self, sources: Sequence[str], targets: Sequence[str]) -> tuple[Any, int]:
        """The mean loss per token of the targets, and how many tokens they have."""
        texts = [f"{self.prefix} {source}" if self.prefix else source for source in sources]
        batch = self.tokenizer(
            texts, text_target=list(targets), padding=True, truncation=True, return_tensors="pt"
        ).to(self.device)
        labels = batch["labels"].masked_fill(batch["labels"] == self.tokenizer.pad_token_id, _IGNORED)
        inputs = {"input_ids": batch["input_ids"], "attention_mask": batch["attention_mask"]}
        return self.model(**inputs, labels=labels).loss, int((labels != _IGNORED).sum())

    def save(self, folder: Path) -> None:
        """All that the library needs to translate with it, in a new folder."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def open_seq2seq(folder: Path, pair: Pair, *, device: str = "cpu", prefix: str = "") -> Seq2Seq:
    """The model in a folder. A model of many languages is set to the pair."""
    package = load_package("transformers", what=_WHAT, package="transformers", extra="transformers")
    package.logging.set_verbosity_error()
    package.logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tokenizer = package.AutoTokenizer.from_pretrained(folder)
            model = package.AutoModelForSeq2SeqLM.from_pretrained(folder)
            model = model.float().to(device)
    except ImportError as error:
        raise UsageError(f"{_WHAT}: '{folder}' needs a package: {error}") from None
    except Exception as error:  # a folder that is no model fails in every way there is
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ClosedError(f"{_WHAT}: '{folder}' cannot be loaded: {reason}") from None
    if codes := codes_of(tokenizer):
        what = f"{_WHAT}: model '{folder}'"
        tokenizer.src_lang = find_code(pair.source, codes, what=what, option="source_code")
        tokenizer.tgt_lang = find_code(pair.target, codes, what=what, option="target_code")
    return Seq2Seq(model, tokenizer, device, prefix)


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
    """What to learn in an epoch: all corrections, and `mixed` of the ordinary pairs against forgetting.

    The ordinary ones are drawn again for each epoch, or the model would learn those few by heart.
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

    Gives the mean loss per token of each epoch. `target` appears all at once, when everything is in it;
    `facts` are written into it as repair.json.
    """
    torch = load_package("torch", what="repair", package="torch", extra="transformers")
    if not lessons.corrections:
        raise UsageError("There is no correction to train on.")
    torch.manual_seed(training.seed)
    learner = open_seq2seq(model, pair, device=training.device, prefix=training.prefix)
    optimizer = torch.optim.AdamW(learner.model.parameters(), lr=training.learning_rate, weight_decay=0.0)
    losses: list[float] = []
    steps = -(-lessons.size // training.batch) * training.epochs
    for epoch in range(training.epochs):
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
    _finish(learner, target, {**(facts or {}), "training": asdict(training), "losses": losses})
    return losses


def _finish(learner: Seq2Seq, target: Path, facts: dict[str, Any]) -> None:
    part = target.with_name(f"{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    learner.save(part)
    (part / "repair.json").write_text(
        json.dumps(facts, ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
    )
    part.rename(target)


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
        return [repair for repair in self.repaired if repair.outcome not in ("fixed", "right before")]

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
    file of ordinary pairs, of which `mix_ratio` for each correction are learned beside them, drawn again each
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
    """An error where there is no such model, or the new one would be in the place of another."""
    if not model.is_dir():
        raise UsageError(f"There is no folder {model}. Give a folder that transformers saved a model into.")
    if target.exists():
        raise UsageError(f"{target} is there already. Choose another folder.")


def _ordinary(path: Path, corrections: Sequence[Correction], pair: Pair) -> list[Example]:
    """Pairs to mix in; none may teach another translation of a corrected source."""
    sources = {correction.source for correction in corrections}
    ordinary = [
        Example(segment.source, segment.references[0])
        for segment in read_test_set(path, pair=pair).segments
        if segment.source and segment.references and segment.references[0] and segment.source not in sources
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

    # A model in training is asked again: what it said before in the workspace is of no use.
    outputs = {output.id: output.text for output in translate_all(engine, requests, report=tell)}
    return [outputs[str(i)] for i in range(len(sources))]


def _keep(folder: Path, record: dict[str, Any]) -> None:
    """Add what came out to what the training wrote down."""
    path = folder / "repair.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    new = folder / "repair.json.new"
    new.write_text(json.dumps({**facts, **record}, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    new.replace(path)
