"""Masked language models that fill gaps, from the Hugging Face hub or a folder.

The caller makes the batches, since it knows all texts and can sort them by length.
"""

from __future__ import annotations

import logging
import unicodedata
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from mtassay.data.errors import ServiceError, UsageError
from mtassay.data.language_packs import fingerprint, load_package, package_version
from mtassay.data.words import plain_marks
from mtassay.runtime.http_calls import redact


class Gap(NamedTuple):
    """A text with one word left out: the parts before and after the word, with all spaces."""

    before: str
    after: str


class Row(NamedTuple):
    """A text as piece numbers; `at` is the position to predict."""

    tokens: tuple[int, ...]
    at: int


class Prediction(NamedTuple):
    """The number of a piece in the vocabulary, and its natural log-probability among all pieces."""

    piece: int
    score: float


class MaskedModel(ABC):
    """Predicts the piece in a gap, from both sides.

    `pieces` is the vocabulary in the model's own spelling, by number; special pieces are empty strings.
    `budget` is the largest number of pieces in a batch, including padding.
    """

    pieces: Sequence[str]
    budget: int

    @abstractmethod
    def read(self, gaps: Sequence[Gap]) -> list[Row | None]:
        """Return one row per gap, in order; `None` if the model cannot read the text (it may be too long)."""

    @abstractmethod
    def predict(self, rows: Sequence[Row], *, among: Sequence[int], count: int) -> list[list[Prediction]]:
        """Return for each row, in order, up to `count` pieces of `among` (numbers), most probable first."""


def by_length(lengths: Sequence[int], *, budget: int) -> list[list[int]]:
    """Group row numbers in batches, longest first, so that a lack of memory is noticed at once.

    A batch has at most `budget` pieces, counted as rows times the longest row; a longer row gets its own
    batch. Rows of equal length keep their order.

    >>> by_length([3, 9, 4, 4], budget=8)
    [[1], [2, 3], [0]]
    """
    batches: list[list[int]] = []
    longest = 0
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        if batches and (len(batches[-1]) + 1) * longest <= budget:
            batches[-1].append(row)
        else:
            batches.append([row])
            longest = lengths[row]
    return batches


_ADVICE = "Give the folder or the Hugging Face name of a masked language model."


def identity(model: str, *, what: str) -> dict[str, object]:
    """The model for a signature: name and content of a folder, or else only the name."""
    folder = Path(model).expanduser()
    files = sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []
    return {
        "model": folder.name if files else model,
        "content": fingerprint(*files) if files else None,
        "release": package_version("transformers", what=what, extra="transformers"),
    }


def choose_device(*, what: str) -> str:
    """Return a GPU if PyTorch finds one, else `cpu`."""
    torch = load_package("torch", what=what, package="torch", extra="transformers")
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def readable(text: str) -> bool:
    """Whether a text is valid Unicode; half a character makes a tokenizer fail for the whole batch."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


class TransformersMasked(MaskedModel):
    """A model with its tokenizer; `longest` is its maximum number of pieces, including special pieces."""

    budget = 4096

    def __init__(self, what: str, tokenizer: Any, model: Any, torch: Any, device: str) -> None:
        self._what, self._tokenizer, self._model, self._torch, self._device = (
            *(what, tokenizer, model, torch, device),
        )
        positions = getattr(model.config, "max_position_embeddings", None)
        # RoBERTa and similar models number positions from 2.
        limits = [tokenizer.model_max_length, *([] if positions is None else [positions - 2])]
        self.longest = int(min(limits))
        # Same length as the model's output; special and unused pieces are empty.
        self.pieces = [""] * int(model.get_output_embeddings().weight.shape[0])
        special = set(tokenizer.all_special_ids)
        for piece, number in tokenizer.get_vocab().items():
            if number < len(self.pieces) and number not in special:
                self.pieces[number] = piece

    def read(self, gaps: Sequence[Gap]) -> list[Row | None]:
        """Return one row per gap; `None` for a text that is too long or contains a mask."""
        # Read the whole text at once, since the second part alone would look like the start of a sentence.
        texts = [f"{gap.before}{self._tokenizer.mask_token}{gap.after}" for gap in gaps]
        plain = [plain_marks(text) for text in texts if readable(text)]
        rows = iter(self._tokenizer(plain, verbose=False).input_ids if plain else [])
        return [self._row(next(rows)) if readable(text) else None for text in texts]

    def _row(self, tokens: list[int]) -> Row | None:
        mask = self._tokenizer.mask_token_id
        if len(tokens) > self.longest or tokens.count(mask) != 1:
            return None
        return Row(tuple(tokens), tokens.index(mask))

    def predict(self, rows: Sequence[Row], *, among: Sequence[int], count: int) -> list[list[Prediction]]:
        torch = self._torch
        numbers = torch.tensor(among, device=self._device)
        at = torch.tensor([row.at for row in rows], device=self._device)

        def only_there(module: Any, inputs: Any, output: Any) -> Any:
            states = output.last_hidden_state
            output.last_hidden_state = states[torch.arange(len(states), device=self._device), at].unsqueeze(1)
            return output

        # The output layer is slow for a large vocabulary, and only one position of each row is needed.
        hook = self._model.base_model.register_forward_hook(only_there)
        try:
            scores = self._logits(rows)[:, 0].float().log_softmax(-1)
        finally:
            hook.remove()
        top = scores[:, numbers].topk(min(count, len(among)), dim=-1)
        return [
            [Prediction(piece, value) for piece, value in zip(*row, strict=True)]
            for row in zip(numbers[top.indices].tolist(), top.values.tolist(), strict=True)
        ]

    def _logits(self, rows: Sequence[Row]) -> Any:
        """The model's output for a batch: rows, positions, pieces. Padding is at the end of a row."""
        torch, longest = self._torch, max(len(row.tokens) for row in rows)
        missing = [longest - len(row.tokens) for row in rows]
        # Any piece can be the padding, since it is never read.
        tokens = [[*row.tokens, *[row.tokens[0]] * short] for row, short in zip(rows, missing, strict=True)]
        mask = [[1] * (longest - short) + [0] * short for short in missing]
        try:
            with torch.inference_mode():
                return self._model(
                    input_ids=torch.tensor(tokens, device=self._device),
                    attention_mask=torch.tensor(mask, device=self._device),
                    return_dict=True,
                ).logits
        except (RuntimeError, IndexError) as error:
            raise ServiceError(f"{self._what} failed: {first_line(error)}") from error


def load_pretrained(name: str, kind: str, *, what: str, advice: str = "", **options: Any) -> tuple[Any, Any]:
    """Load a tokenizer and a model of this kind (`AutoModelForMaskedLM`); `UsageError` if this fails."""
    package = load_package("transformers", what=what, package="transformers", extra="transformers")
    folder = Path(name).expanduser()
    place = str(folder) if folder.is_dir() else name
    # Only the command line may print.
    package.logging.set_verbosity_error()
    package.logging.disable_progress_bar()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tokenizer = package.AutoTokenizer.from_pretrained(place)
            return tokenizer, getattr(package, kind).from_pretrained(place, **options)
    except Exception as error:  # a folder without a model can raise any error
        raise UsageError(
            f"{what}: '{name}' cannot be loaded: {first_line(error)} {advice}".rstrip()
        ) from None


def first_line(error: BaseException) -> str:
    """The first line of an error message, as a sentence."""
    lines = redact(str(error)).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(":. ") + "."


def open_masked(model: str, *, what: str, device: str | None = None) -> TransformersMasked:
    """Open the model in a folder or with this name; the default `device` is a GPU if there is one."""
    tokenizer, (loaded, report) = load_pretrained(
        model, "AutoModelForMaskedLM", what=what, advice=_ADVICE, output_loading_info=True
    )
    if report["missing_keys"]:
        # The library fills missing weights with random numbers, whose answers would be nonsense.
        raise UsageError(f"{what}: '{model}' has no masked language model head. {_ADVICE}")
    if tokenizer.mask_token_id is None:
        raise UsageError(f"{what}: '{model}' has no mask token. Give a masked language model, as BERT.")
    torch = load_package("torch", what=what, package="torch", extra="transformers")
    device = device or choose_device(what=what)
    return TransformersMasked(what, tokenizer, loaded.to(device).eval(), torch, device)


Where = Literal["start", "spaced", "glued"]

_MARKS = ("##", "▁", "Ġ")
_INSIDE = "'’-"


@dataclass(frozen=True, slots=True)
class Words:
    """The whole words of a vocabulary: their spelling by number, and the places where they can be.

    `spaced` has the numbers of words that follow a space. `glued` has the numbers of words that follow
    another character, for example a bracket, or in Chinese.

    >>> words = read_words(["▁house", "s", "▁", "house"])
    >>> [[words.spelled[piece] for piece in words.among(where(text))] for text in ("a ", "a (", "")]
    [['house'], ['s', 'house'], ['house', 's', 'house']]
    """

    spelled: Mapping[int, str]
    spaced: tuple[int, ...]
    glued: tuple[int, ...]

    def among(self, where: Where) -> tuple[int, ...]:
        """The numbers of the pieces that can begin a word at such a place."""
        if where == "start":
            # It depends on the model whether a text begins as if after a space.
            return tuple(dict.fromkeys((*self.spaced, *self.glued)))
        return self.spaced if where == "spaced" else self.glued


def where(before: str) -> Where:
    """Where a word after this text is: after a space, after another character, or first."""
    if not before:
        return "start"
    return "spaced" if before[-1].isspace() else "glued"


def read_words(pieces: Sequence[str]) -> Words:
    """Find the words of a vocabulary, which has the model's own spelling.

    >>> read_words(["[PAD]", "house", "##s", ","]).spelled
    {1: 'house'}
    >>> read_words(["ĠcafÃ©", "Ġ(", "s"]).spelled
    {0: 'café', 2: 's'}
    """
    # A marker that also is a rare letter of the vocabulary must not decide.
    counts = {mark: sum(piece.startswith(mark) for piece in pieces) for mark in _MARKS}
    mark = max(_MARKS, key=lambda mark: counts[mark])
    spelled: dict[int, str] = {}
    spaced, glued = [], []
    for number, piece in enumerate(pieces):
        marked = counts[mark] > 0 and piece.startswith(mark)
        text = piece.removeprefix(mark) if marked else piece
        if mark == "Ġ":
            text = _from_bytes(text)
        if not is_word(text) or (marked and mark == "##"):
            continue
        spelled[number] = text
        if marked or mark == "##" or counts[mark] == 0:
            spaced.append(number)
        if not marked:
            glued.append(number)
    return Words(spelled, tuple(spaced), tuple(glued))


def is_word(text: str) -> bool:
    """Whether a text has only letters and their diacritics, with apostrophes or hyphens only inside.

    >>> [is_word(text) for text in ("house", "d'água", "x-ray", "हिन्दी", "3rd", "-", "o'", "[PAD]", "")]
    [True, True, True, True, False, False, False, False, False]
    """
    letters = [unicodedata.category(character)[0] in "LM" for character in text]
    return (
        bool(letters)
        and text[0].isalpha()
        and letters[-1]
        and all(letter or character in _INSIDE for letter, character in zip(letters, text, strict=True))
    )


def _from_bytes(piece: str) -> str:
    """The text of a byte-level piece; empty if it is only a part of a character."""
    alphabet = _alphabet()
    try:
        return bytes(alphabet[character] for character in piece).decode("utf-8")
    except (KeyError, UnicodeDecodeError):
        return ""


@cache
def _alphabet() -> Mapping[str, int]:
    """The byte of each letter in a byte-level vocabulary, as in GPT-2 (Radford et al. 2019).

    Printable bytes represent themselves; the others follow in order from code point 256.
    """
    plain = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = [byte for byte in range(256) if byte not in plain]
    return {
        **{chr(byte): byte for byte in plain},
        **{chr(256 + place): byte for place, byte in enumerate(others)},
    }
