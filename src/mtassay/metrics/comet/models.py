"""The models of the official package: found, loaded and asked, with nothing of theirs on the terminal."""

from __future__ import annotations

import gc
import io
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from mtassay.errors import InputError, MissingExtraError, ServiceError, UsageError
from mtassay.metrics.comet.embeddings import encode

Precision = Literal["fp32", "bf16"]

TOKENS_ON_PROCESSOR, TOKENS_ON_GPU = 64, 1024
"""How many tokens each text of `batch_size` stands for: a processor is fastest with what its caches hold."""


class CometSample(NamedTuple):
    """What the model scores at once; `reference` is `None` for a model that reads none."""

    source: str
    output: str
    reference: str | None = None


@dataclass(frozen=True, kw_only=True)
class Predictor:
    """A loaded model: how it treats references, and one function to one score per sample, in order."""

    references: Literal["required", "optional", "unused"]
    predict: Callable[[Sequence[CometSample]], Sequence[float]]


def load_predictor(model: str, *, batch_size: int, gpus: int, precision: Precision = "fp32") -> Predictor:
    """The official model of this name, file or folder, ready to score; nothing it says reaches the terminal.

    What is in the local cache is used without asking the network.
    """
    checkpoint = local_checkpoint(model)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import comet
            import torch
            from comet.models import RegressionMetric
    except ImportError as error:
        raise missing_extra() from error
    device = _device(gpus)
    with _quiet():
        loaded = _load(comet, checkpoint or _download(comet, model))
        loaded.eval().to(device)
        # Reference-free models inherit from RegressionMetric but cannot score embeddings.
        by_embeddings = type(loaded) is RegressionMetric
        if by_embeddings and precision == "bf16":
            loaded.encoder.to(torch.bfloat16)  # what comes out of it is added up in single precision

    def predict(samples: Sequence[CometSample]) -> Sequence[float]:
        try:
            with _quiet():
                if by_embeddings:
                    return _predict_from_embeddings(loaded, samples, batch_size=batch_size, device=device)
                with torch.autocast(device, torch.bfloat16, enabled=precision == "bf16"):
                    return _predict(loaded, samples, batch_size=batch_size, gpus=gpus)
        except torch.OutOfMemoryError as error:
            raise ServiceError(
                f"COMET model '{model}' is out of GPU memory. Lower batch_size ({batch_size}) or give gpus 0."
            ) from error

    if loaded.requires_references():
        return Predictor(references="required", predict=predict)
    optional = "ref" in getattr(loaded.hparams, "input_segments", ())
    return Predictor(references="optional" if optional else "unused", predict=predict)


def local_checkpoint(model: str) -> Path | None:
    """The checkpoint file that `model` points to, or `None` if `model` is a name to download."""
    path = Path(model).expanduser()
    if path.is_dir():
        checkpoints = sorted(path.glob("checkpoints/*.ckpt")) or sorted(path.glob("*.ckpt"))
        if len(checkpoints) != 1:
            what = (
                f"{len(checkpoints)} checkpoints (.ckpt) in it"
                if checkpoints
                else "no checkpoint (.ckpt) in it"
            )
            raise InputError(f"{what}. Give the path of one file.", path=path)
        path = checkpoints[0]
    elif not path.exists() and path.suffix != ".ckpt" and not model.startswith((".", "/", "~")):
        return None
    if not path.is_file():
        raise InputError("no such checkpoint. Give a .ckpt file, its folder, or a model's name.", path=path)
    # A download cache holds links to files: resolve the folder, never the file.
    folder = path.parent.resolve()
    if not (folder.parent / "hparams.yaml").is_file():
        raise InputError(
            "no hparams.yaml one folder above. Keep FOLDER/hparams.yaml and FOLDER/checkpoints/NAME.ckpt.",
            path=path,
        )
    return folder / path.name


def _download(comet: Any, model: str) -> Path:
    cause: KeyError | None = None
    for local_files_only in (True, False):
        try:
            path = Path(comet.download_model(model, local_files_only=local_files_only))
        except KeyError as error:  # whatever went wrong, COMET says KeyError
            cause = error
            continue
        if path.is_file():  # an interrupted download leaves a folder without it
            return path
    raise ServiceError(
        f"Cannot download COMET model '{model}'. Check the name, the connection and (for gated models) the "
        "login; or download it on a connected machine and give the path of its .ckpt file as the model."
    ) from cause


def _load(comet: Any, checkpoint: Path) -> Any:
    for local_files_only in (True, False):
        try:
            return comet.load_from_checkpoint(str(checkpoint), local_files_only=local_files_only)
        except OSError as error:
            cause = error
        except Exception as error:
            raise InputError(f"not a COMET checkpoint ({_one_line(error)}).", path=checkpoint) from error
    raise ServiceError(
        f"{checkpoint}: cannot get the tokeniser of its encoder ({_one_line(cause)}). Score one sentence on "
        "a connected machine, then copy its Hugging Face cache here and set HF_HOME to it."
    ) from cause


def _predict(model: Any, samples: Sequence[CometSample], *, batch_size: int, gpus: int) -> Sequence[float]:
    names = ("src", "mt", "ref")
    records = [
        {name: text for name, text in zip(names, sample, strict=True) if text is not None}
        for sample in samples
    ]
    # Worker processes would write warnings past `_quiet`, and tokenising is not what takes the time.
    prediction = model.predict(records, batch_size=batch_size, gpus=gpus, progress_bar=False, num_workers=0)
    return list(prediction["scores"])


def _predict_from_embeddings(
    model: Any, samples: Sequence[CometSample], *, batch_size: int, device: str
) -> Sequence[float]:
    """What `model.predict` computes, encoding every distinct text once for all systems and references."""
    import torch

    texts = (text for sample in samples for text in sample if text is not None)
    most_tokens = batch_size * (TOKENS_ON_PROCESSOR if device == "cpu" else TOKENS_ON_GPU)
    with torch.inference_mode(), _uncollected():
        rows, embeddings = encode(model, texts, most_tokens=most_tokens, device=device)
        scores = []
        for start in range(0, len(samples), 4096):
            columns = zip(*samples[start : start + 4096], strict=True)
            source, output, reference = (embeddings[[rows[text] for text in column]] for column in columns)
            scores.append(model.estimate(source, output, reference)["score"])
    return [score for part in scores for score in part.tolist()]


def _device(gpus: int) -> str:
    import torch

    if gpus == 0:
        return "cpu"
    if torch.cuda.is_available():
        return "cuda"
    if torch.backends.mps.is_available():
        return "mps"
    raise UsageError("metric 'comet': gpus is 1, but PyTorch sees no GPU here. Give gpus 0.")


def missing_extra() -> MissingExtraError:
    """What to raise where the official package is not installed."""
    return MissingExtraError("metric 'comet'", package="unbabel-comet", extra="comet")


def _one_line(error: Exception) -> str:
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}".rstrip(": ")


@contextmanager
def _uncollected() -> Iterator[None]:
    """No garbage collection, which lists of tokens set off and which then looks through all of PyTorch."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps log lines, warnings and progress bars of the libraries below off the terminal."""
    level = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
