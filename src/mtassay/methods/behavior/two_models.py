"""Two models as infiller: one fills the source, the other fills the reference given the filled source.

It is similar to the baseline of Wu, Liu, Yeung (2023), table 2, with BART for the source and BiTIMT for the
reference. No other words change, and only the second model makes both texts agree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.data.errors import ServiceError, UsageError
from mtassay.data.language_packs import load_package
from mtassay.data.languages import Pair
from mtassay.data.nouns import Edit, RunContext, apply_edits
from mtassay.methods.behavior.infiller import MASK, Filled, Infiller, Masked, Rejected
from mtassay.nlp.language_models import (
    Gap,
    MaskedModel,
    Words,
    choose_device,
    first_line,
    identity,
    load_pretrained,
    open_masked,
    read_words,
    readable,
    where,
)
from mtassay.systems.live import signature

WHAT = "infiller 'models'"
LONGEST = 40  # pieces that are written after what is before a gap
REJOINED = 2  # words after the gap that must follow a filling


class TextWithGap(NamedTuple):
    """A text with one gap; `context` is the text that this text translates, empty if unknown."""

    before: str
    after: str
    context: str = ""


class Proposer(ABC):
    """Proposes fillings for a gap."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """The identity; equal identities mean equal proposals."""

    @abstractmethod
    def propose(self, gaps: Sequence[TextWithGap], *, count: int) -> list[list[str]]:
        """Return for each gap, in order, at most `count` fillings, best first; empty if nothing fits."""


class MaskedProposer(Proposer):
    """Proposes single whole words from BERT, XLM-R and similar models; the context comes first."""

    def __init__(self, model: str, *, loaded: MaskedModel | None = None, separator: str = "</s>") -> None:
        self._name, self._separator = model, separator
        self._given = loaded

    @property
    def identity(self) -> str:
        """The model by name, or by the content of its folder."""
        return _identity(self._name, self._given is not None)

    def propose(self, gaps: Sequence[TextWithGap], *, count: int) -> list[list[str]]:
        """Return the most probable words."""
        rows = self._model.read([Gap(f"{self._before(gap)}{gap.before}", gap.after) for gap in gaps])
        proposals: list[list[str]] = []
        for gap, row in zip(gaps, rows, strict=True):
            among = self._words.among(where(gap.before))
            predictions = [] if row is None else self._model.predict([row], among=among, count=count)[0]
            proposals.append([self._words.spelled[prediction.piece] for prediction in predictions])
        return proposals

    def _before(self, gap: TextWithGap) -> str:
        return f"{gap.context} {self._separator} " if gap.context else ""

    @cached_property
    def _model(self) -> MaskedModel:
        return self._given or open_masked(self._name, what=WHAT)

    @cached_property
    def _words(self) -> Words:
        return read_words(self._model.pieces)


class Seq2SeqProposer(Proposer):
    """Proposes phrases from a model that rewrites the whole text (BART), if the rest is unchanged."""

    def __init__(self, model: str) -> None:
        self._name = model

    @property
    def identity(self) -> str:
        """The model by name, or by the content of its folder."""
        return _identity(self._name, False)

    def propose(self, gaps: Sequence[TextWithGap], *, count: int) -> list[list[str]]:
        """Return the fillings of the best beams."""
        return [_fillings(gap, self._write(gap, count)) for gap in gaps]

    def _write(self, gap: TextWithGap, count: int) -> list[str]:
        tokenizer, model, torch = self._loaded
        text = f"{gap.before}{tokenizer.mask_token or MASK}{gap.after}"
        if gap.context:
            text = f"{gap.context} {tokenizer.sep_token or tokenizer.eos_token} {text}"
        # Some tokenizers give more than their model takes.
        read = tokenizer(text if readable(text) else "", return_tensors="pt", truncation=True)
        begun = tokenizer(gap.before.rstrip())["input_ids"]
        if begun[-1:] == [tokenizer.eos_token_id]:
            begun.pop()
        try:
            with torch.inference_mode():
                written = model.generate(
                    read["input_ids"].to(model.device),
                    attention_mask=read["attention_mask"].to(model.device),
                    decoder_input_ids=torch.tensor(
                        [[model.config.decoder_start_token_id, *begun]], device=model.device
                    ),
                    num_beams=count,
                    num_return_sequences=count,
                    do_sample=False,
                    max_new_tokens=LONGEST,
                )
        except (RuntimeError, IndexError) as error:
            raise ServiceError(f"{WHAT}: '{self._name}' failed: {first_line(error)}") from error
        return list(tokenizer.batch_decode(written, skip_special_tokens=True))

    @cached_property
    def _loaded(self) -> tuple[Any, Any, Any]:
        torch = load_package("torch", what=WHAT, package="torch", extra="transformers")
        tokenizer, model = load_pretrained(self._name, "AutoModelForSeq2SeqLM", what=WHAT)
        return tokenizer, model.to(choose_device(what=WHAT)).eval(), torch


def open_proposer(model: str) -> Proposer:
    """Open a proposer for a model: a model with a decoder rewrites texts, other models predict words."""
    package = load_package("transformers", what=WHAT, package="transformers", extra="transformers")
    try:
        folder = Path(model).expanduser()
        config = package.AutoConfig.from_pretrained(str(folder) if folder.is_dir() else model)
    except Exception as error:  # loading a file that is not a model can raise any error
        raise UsageError(f"{WHAT}: '{model}' cannot be loaded: {first_line(error)}") from None
    if config.is_encoder_decoder:
        return Seq2SeqProposer(model)
    return MaskedProposer(model)


def _fillings(gap: TextWithGap, texts: Sequence[str]) -> list[str]:
    """What each text has between what is before the gap and the first words after it."""
    before, after = gap.before.strip(), " ".join(gap.after.split()[:REJOINED])
    found = []
    for text in texts:
        start = len(before)
        end = text.find(after, start) if after else len(text)
        if text.startswith(before) and end > start:
            found.append(text[start:end].strip())
    return list(dict.fromkeys(filter(None, found)))


def _identity(name: str, is_given: bool) -> str:
    if is_given:
        return name
    parts = identity(name, what=WHAT)
    return "/".join(str(part) for part in parts.values() if part is not None)


ADAPTER = 2
PROPOSALS = 8
"""Number of fillings to try in order to find a new one."""


class TwoModels(Infiller):
    """Fills each mask of the source, then each of the reference, from left to right.

    Masks that are not filled yet have their original words meanwhile.
    """

    name = "models"
    argument = "SOURCE_MODEL,TARGET_MODEL"

    @classmethod
    def open(cls, pair: Pair, rest: str, context: RunContext) -> TwoModels:
        """Open two models by their folders or Hugging Face names."""
        source, comma, reference = rest.partition(",")
        if not comma or not source or not reference:
            raise UsageError(
                f"Infiller 'models:{rest}' needs two models: models:SOURCE_MODEL,TARGET_MODEL,"
                " as models:facebook/bart-large,xlm-roberta-large."
            )
        return cls(open_proposer(source.strip()), open_proposer(reference.strip()), pair)

    def __init__(self, source: Proposer, reference: Proposer, pair: Pair) -> None:
        self.pair = pair
        self._source, self._reference = source, reference

    @property
    def signature(self) -> str:
        """The identities of both models."""
        return signature(
            self.name, source=self._source.identity, reference=self._reference.identity, adapter=ADAPTER
        )

    def fill(self, masked: Sequence[Masked]) -> list[Filled | Rejected]:
        """Return one answer for each masked pair, in order; repetitions get the next best source filling."""
        sides = [_Side(one.pair.source.text, [(s.start, s.end) for s in one.spans]) for one in masked]
        _fill(sides, self._source, numbers=[one.number for one in masked])
        others = [
            _Side(
                one.pair.reference.text,
                [(s.reference_start, s.reference_end) for s in one.spans],
                context=side.filled(),
                failed=side.failed,
            )
            for one, side in zip(masked, sides, strict=True)
        ]
        _fill(others, self._reference, numbers=[0] * len(masked))
        return [_answer(*three) for three in zip(masked, sides, others, strict=True)]


@dataclass(slots=True)
class _Side:
    """One side of a pair, and its fillings so far."""

    text: str
    places: list[tuple[int, int]]
    context: str = ""
    failed: bool = False
    changes: list[Edit] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.places.sort()

    def filled(self) -> str:
        """The text with all fillings so far."""
        return apply_edits(self.text, self.changes)

    def gap(self) -> TextWithGap:
        """The text around the next place."""
        start, end = self.places[len(self.changes)]
        return TextWithGap(apply_edits(self.text[:start], self.changes), self.text[end:], self.context)

    def take(self, proposals: Sequence[str], number: int) -> None:
        """Fill the next place with the filling of this rank among the new ones."""
        start, end = self.places[len(self.changes)]
        before = self.text[start:end]
        new = [text for text in proposals if text.strip() and text.casefold() != before.casefold()]
        if number < len(new):
            self.changes.append(Edit(start, end, before, new[number]))
        else:
            self.failed = True


def _fill(sides: Sequence[_Side], proposer: Proposer, *, numbers: Sequence[int]) -> None:
    """Fill all places of all texts, one place of each text at a time."""
    while True:
        waiting = [
            (side, number if not side.changes else 0)
            for side, number in zip(sides, numbers, strict=True)
            if not side.failed and len(side.changes) < len(side.places)
        ]
        if not waiting:
            return
        count = PROPOSALS + max(number for _, number in waiting)
        proposed = proposer.propose([side.gap() for side, _ in waiting], count=count)
        for (side, number), proposals in zip(waiting, proposed, strict=True):
            side.take(proposals, number)


def _answer(masked: Masked, source: _Side, reference: _Side) -> Filled | Rejected:
    if source.failed:
        return Rejected(masked, "no filling of the source")
    if reference.failed:
        return Rejected(masked, "no filling of the reference", source.filled())
    return Filled(
        masked,
        source.filled(),
        reference.filled(),
        tuple(source.changes),
        tuple(reference.changes),
        {"adapted": 0.0},
    )
