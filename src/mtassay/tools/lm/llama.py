"""A causal language model in a GGUF file, run by llama-cpp-python, which gives the numbers behind a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.errors import MissingExtraError, ServiceError, UsageError
from mtassay.packages import fingerprint, load_package, package_version
from mtassay.processes import core_count
from mtassay.tools.gguf import GgufModel
from mtassay.tools.lm.hub import CausalModel, Prediction, Row, readable

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LlamaCausal", "is_gguf", "llama_identity", "open_llama"]

_PACKAGE = "llama-cpp-python"
# Numbers for the whole vocabulary are kept at each position, so a long context is dear.
_CONTEXT = 512


def is_gguf(model: str) -> bool:
    """Whether this names a GGUF file."""
    return model.lower().endswith(".gguf")


def llama_identity(model: str, *, what: str) -> dict[str, object]:
    """What answers, for a signature: the file by name and content, and the release of the package."""
    file = GgufModel(path=model).file
    try:
        release = package_version(_PACKAGE, what=what, extra="")
    except MissingExtraError:
        raise _missing(what) from None
    return {"model": file.name, "content": fingerprint(file), "runtime": f"{_PACKAGE}-{release}"}


def open_llama(model: str, *, what: str) -> LlamaCausal:
    """The model in a GGUF file."""
    file = GgufModel(path=model).file
    try:
        package = load_package("llama_cpp", what=what, package=_PACKAGE, extra="")
    except MissingExtraError:
        raise _missing(what) from None
    # Its threads wait for each other busily: one that gets no core holds up all.
    threads = max(1, core_count() // 2)
    try:
        llama = package.Llama(
            model_path=str(file),
            n_ctx=_CONTEXT,
            n_batch=_CONTEXT,
            n_threads=threads,
            n_threads_batch=threads,
            logits_all=True,
            verbose=False,
        )
    except (RuntimeError, ValueError, OSError) as error:
        raise UsageError(f"{what}: '{file.name}' cannot be loaded: {_one_line(error)}.") from None
    return LlamaCausal(package, llama, what=what)


class LlamaCausal(CausalModel):
    """One loaded model; its rows are read one by one."""

    budget = _CONTEXT

    def __init__(self, package: Any, llama: Any, *, what: str) -> None:
        self._llama = llama
        self._what = what
        vocabulary = package.llama_model_get_vocab(llama.model)
        self.pieces = [
            package.llama_vocab_get_text(vocabulary, number).decode("utf-8", "replace")
            for number in range(llama.n_vocab())
        ]
        start = llama.token_bos() if llama.token_bos() >= 0 else llama.token_eos()
        if start < 0:
            raise UsageError(f"{what}: the model has no token that begins a text. Give another model.")
        self._start = int(start)

    def read(self, texts: Sequence[str]) -> list[Row | None]:
        """One row per text; `None` for a text that is too long."""
        return [self._row(text) if readable(text) else None for text in texts]

    def score(self, rows: Sequence[Row]) -> list[float]:
        """The log-probability of each row."""
        scores = []
        for row in rows:
            predicted = self._logarithms(row.tokens)[: row.at]
            scores.append(float(predicted[np.arange(row.at), row.tokens[1:]].sum()))
        return scores

    def predict(self, rows: Sequence[Row], *, among: Sequence[int], count: int) -> list[list[Prediction]]:
        """The most probable pieces after each row."""
        numbers = np.asarray(among, dtype=np.int64)
        predictions = []
        for row in rows:
            scores = self._logarithms(row.tokens)[row.at, numbers]
            best = np.argsort(-scores, kind="stable")[:count]
            predictions.append([Prediction(int(numbers[place]), float(scores[place])) for place in best])
        return predictions

    def _row(self, text: str) -> Row | None:
        tokens = self._llama.tokenize(text.encode("utf-8"), add_bos=False, special=False) if text else []
        row = (self._start, *tokens)
        return None if len(row) > _CONTEXT else Row(row, len(row) - 1)

    def _logarithms(self, tokens: Sequence[int]) -> NDArray[np.float64]:
        """The log-probability of each piece of the vocabulary after each of the tokens."""
        # What is left of the last text would save time and change the last digits.
        self._llama.reset()
        try:
            self._llama.eval(list(tokens))
        except (RuntimeError, ValueError) as error:
            raise ServiceError(f"{self._what} failed: {_one_line(error)}.") from error
        logits = np.asarray(self._llama.scores[: len(tokens)], dtype=np.float64)
        top = logits.max(axis=1, keepdims=True)
        log_probabilities: NDArray[np.float64] = (
            logits - top - np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
        )
        return log_probabilities


def _missing(what: str) -> UsageError:
    return UsageError(f"{what}: a GGUF file needs {_PACKAGE}. Install it: pip install {_PACKAGE}")


def _one_line(error: object) -> str:
    return " ".join(str(error).split())[:300].rstrip(".") or type(error).__name__
