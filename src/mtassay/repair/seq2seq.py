"""A translation model of the transformers library that can be trained: its loss on pairs, and saving it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtassay.errors import ClosedError, UsageError
from mtassay.languages import Pair
from mtassay.packages import load_package
from mtassay.systems.live import find_code
from mtassay.systems.transformers_engine import codes_of

__all__ = ["Seq2Seq", "open_seq2seq"]

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
