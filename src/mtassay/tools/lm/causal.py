"""Causal language models of the transformers library: GPT-2, Llama, Qwen and their kin."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.errors import UsageError
from mtassay.tools.lm.hub import Loaded, load, readable
from mtassay.tools.lm.nouns import CausalModel, Prediction, Row

__all__ = ["TransformersCausal", "open_causal"]

# The model says a number for each piece of the vocabulary at each position: half a gigabyte at most.
_NUMBERS = 2**27


def open_causal(model: str, *, what: str, device: str | None = None) -> TransformersCausal:
    """The model in a folder or of this name; `device` is a GPU if there is one, unless given."""
    loaded = load(model, kind="causal", what=what, device=device)
    tokenizer = loaded.tokenizer
    start = tokenizer.eos_token_id if tokenizer.bos_token_id is None else tokenizer.bos_token_id
    if start is None:
        raise UsageError(f"{what}: '{model}' has no token that begins a text. Give another model.")
    return TransformersCausal(loaded, int(start))


class TransformersCausal(CausalModel):
    """One loaded model. A text begins with `start`, so that its first piece has a probability too."""

    def __init__(self, loaded: Loaded, start: int) -> None:
        self._loaded = loaded
        self._start = start
        self.pieces = loaded.pieces()
        self.budget = min(8192, max(256, _NUMBERS // len(self.pieces)))

    def read(self, texts: Sequence[str]) -> list[Row | None]:
        """One row per text; `None` for a text that is too long."""
        found = iter(self._loaded.tokens([text for text in texts if readable(text)]))
        return [self._row(next(found)) if readable(text) else None for text in texts]

    def score(self, rows: Sequence[Row]) -> list[float]:
        """The log-probability of each row."""
        torch = self._loaded.torch
        logits = self._loaded.logits(rows)
        found = []
        for (tokens, last), numbers in zip(rows, logits, strict=True):
            said = numbers[:last].float()
            came = torch.tensor(tokens[1:], device=said.device, dtype=torch.long)
            right = said.gather(-1, came.unsqueeze(-1)).squeeze(-1)
            found.append(float((right - said.logsumexp(-1)).double().sum()))
        return found

    def predict(self, rows: Sequence[Row], *, among: Sequence[int], count: int) -> list[list[Prediction]]:
        """The most probable pieces after each row."""
        return self._loaded.best(rows, among, count)

    def _row(self, tokens: list[int]) -> Row | None:
        row = tuple(tokens) if tokens[:1] == [self._start] else (self._start, *tokens)
        return None if len(row) > self._loaded.longest else Row(row, len(row) - 1)
