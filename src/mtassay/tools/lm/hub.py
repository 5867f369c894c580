"""Loads language models of the transformers library, from a folder or by their published name."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mtassay.errors import ServiceError, UsageError
from mtassay.packages import fingerprint, load_package, package_version, redact
from mtassay.tools.lm.nouns import Prediction, Row

__all__ = ["Loaded", "choose_device", "identity", "load", "readable"]

_HEADS = {"masked": "AutoModelForMaskedLM", "causal": "AutoModelForCausalLM"}
_ADVICE = "Give the folder or the Hugging Face name of a {kind} language model."


def identity(model: str, *, what: str) -> dict[str, object]:
    """What answers, for a signature: a folder by name and content, another model by name alone."""
    folder = Path(model).expanduser()
    files = sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []
    return {
        "model": folder.name if files else model,
        "content": fingerprint(*files) if files else None,
        "release": package_version("transformers", what=what, extra="transformers"),
    }


def choose_device(*, what: str) -> str:
    """A GPU if PyTorch sees one, else `cpu`."""
    torch = load_package("torch", what=what, package="torch", extra="transformers")
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def readable(text: str) -> bool:
    """Whether this is valid Unicode: half a character stops a tokenizer, and the whole batch with it."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A tokenizer and a model on its device; `longest` is how many pieces it takes, special ones included."""

    what: str
    tokenizer: Any
    model: Any
    torch: Any
    device: str
    longest: int

    def pieces(self) -> list[str]:
        """The vocabulary, by number, as long as the model's output; special and unused pieces are empty."""
        found: list[str] = [""] * int(self.model.get_output_embeddings().weight.shape[0])
        special = set(self.tokenizer.all_special_ids)
        for piece, number in self.tokenizer.get_vocab().items():
            if number < len(found) and number not in special:
                found[number] = piece
        return found

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The numbers of the pieces of each text, in order, with what the model puts around a text."""
        if not texts:
            return []
        found: list[list[int]] = self.tokenizer(list(texts), verbose=False).input_ids
        return found

    def best(self, rows: Sequence[Row], among: Sequence[int], count: int) -> list[list[Prediction]]:
        """For each row, the most probable pieces at its position."""
        torch = self.torch
        numbers = torch.tensor(among, device=self.device)
        at = torch.tensor([row.at for row in rows], device=self.device)

        def only_there(module: Any, inputs: Any, output: Any) -> Any:
            states = output.last_hidden_state
            output.last_hidden_state = states[torch.arange(len(states), device=self.device), at].unsqueeze(1)
            return output

        # The head is the dear part where the vocabulary is large, and one position of each row is wanted.
        hook = self.model.base_model.register_forward_hook(only_there)
        try:
            scores = self.logits(rows)[:, 0].float().log_softmax(-1)
        finally:
            hook.remove()
        found = scores[:, numbers].topk(min(count, len(among)), dim=-1)
        pieces = numbers[found.indices].tolist()
        return [
            [Prediction(piece, value) for piece, value in zip(*row, strict=True)]
            for row in zip(pieces, found.values.tolist(), strict=True)
        ]

    def logits(self, rows: Sequence[Row]) -> Any:
        """What the model says to a batch: rows, positions, pieces. Padding stands at the end of a row."""
        longest = max(len(row.tokens) for row in rows)
        missing = [longest - len(row.tokens) for row in rows]
        # Any piece can pad: nothing looks at it.
        tokens = [[*row.tokens, *[row.tokens[0]] * short] for row, short in zip(rows, missing, strict=True)]
        mask = [[1] * (longest - short) + [0] * short for short in missing]
        torch = self.torch
        try:
            with torch.inference_mode():
                return self.model(
                    input_ids=torch.tensor(tokens, device=self.device),
                    attention_mask=torch.tensor(mask, device=self.device),
                    return_dict=True,
                ).logits
        except (RuntimeError, IndexError) as error:
            raise ServiceError(f"{self.what} failed: {_first_line(error)}") from error


def load(model: str, *, kind: Literal["masked", "causal"], what: str, device: str | None) -> Loaded:
    """The model with its tokenizer; `UsageError` where it cannot be loaded or is of another kind."""
    package = load_package("transformers", what=what, package="transformers", extra="transformers")
    torch = load_package("torch", what=what, package="torch", extra="transformers")
    device = device or choose_device(what=what)
    folder = Path(model).expanduser()
    name = str(folder) if folder.is_dir() else model
    advice = _ADVICE.format(kind=kind)
    # Below the command line nothing is printed, by nobody.
    package.logging.set_verbosity_error()
    package.logging.disable_progress_bar()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tokenizer = package.AutoTokenizer.from_pretrained(name)
            loaded, report = getattr(package, _HEADS[kind]).from_pretrained(name, output_loading_info=True)
            loaded = loaded.to(device).eval()
    except Exception as error:  # what is no model fails in every way there is
        raise UsageError(f"{what}: '{model}' cannot be loaded: {_first_line(error)} {advice}") from None
    if report["missing_keys"]:
        # The library makes up what a file lacks: a head of random numbers would answer nonsense.
        raise UsageError(f"{what}: '{model}' has no {kind} language model head. {advice}")
    return Loaded(what, tokenizer, loaded, torch, device, _longest(tokenizer, loaded))


def _longest(tokenizer: Any, model: Any) -> int:
    positions = getattr(model.config, "max_position_embeddings", None)
    # RoBERTa and its kin count positions from 2.
    known = [tokenizer.model_max_length, *([] if positions is None else [positions - 2])]
    return int(min(known))


def _first_line(error: BaseException) -> str:
    lines = redact(str(error)).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(":. ") + "."
