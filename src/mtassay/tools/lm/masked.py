"""Masked language models of the transformers library: BERT, RoBERTa, XLM-R and their kin."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.errors import UsageError
from mtassay.tools.lm.hub import Loaded, load, readable
from mtassay.tools.lm.nouns import Gap, MaskedModel, Prediction, Row

__all__ = ["TransformersMasked", "open_masked"]


def open_masked(model: str, *, what: str, device: str | None = None) -> TransformersMasked:
    """The model in a folder or of this name; `device` is a GPU if there is one, unless given."""
    loaded = load(model, kind="masked", what=what, device=device)
    if loaded.tokenizer.mask_token_id is None:
        raise UsageError(f"{what}: '{model}' has no mask token. Give a masked language model, as BERT.")
    return TransformersMasked(loaded)


class TransformersMasked(MaskedModel):
    """One loaded model."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self.pieces = loaded.pieces()
        self.budget = 4096

    def read(self, gaps: Sequence[Gap]) -> list[Row | None]:
        """One row per gap; `None` for a text that is too long, or has a mask of its own."""
        tokenizer = self._loaded.tokenizer
        # The whole text is read at once: a half of it alone would begin like a sentence.
        texts = [f"{gap.before}{tokenizer.mask_token}{gap.after}" for gap in gaps]
        rows = iter(self._loaded.tokens([text for text in texts if readable(text)]))
        return [self._row(next(rows)) if readable(text) else None for text in texts]

    def predict(self, rows: Sequence[Row], *, among: Sequence[int], count: int) -> list[list[Prediction]]:
        """The most probable pieces for the mask of each row."""
        return self._loaded.best(rows, among, count)

    def _row(self, tokens: list[int]) -> Row | None:
        mask = self._loaded.tokenizer.mask_token_id
        if len(tokens) > self._loaded.longest or tokens.count(mask) != 1:
            return None
        return Row(tuple(tokens), tokens.index(mask))
