"""Finds, loads and runs models of the official COMET package, without its terminal messages."""

from __future__ import annotations

import gc
import hashlib
import io
import logging
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar, get_args

import numpy as np

from mtassay import __version__
from mtassay.data.errors import InputError, MissingExtraError, ServiceError, UsageError
from mtassay.data.nouns import Segment, Statistics
from mtassay.measures.metric import COLUMNS, Floats, MeanMetric, reference_count

WINDOW = 2048
"""The number of texts to tokenise at once, before they are batched by their numbers of tokens."""

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Batch:
    """Texts to encode at once: tokens padded to the longest text, and a mask without the padding."""

    texts: Sequence[str]
    tokens: Any
    mask: Any


def encode(model: Any, texts: Iterable[str], *, most_tokens: int, device: str) -> tuple[dict[str, int], Any]:
    """Return each distinct text's row number, and rows from `model.get_sentence_embedding` (float32).

    A batch has at most `most_tokens` tokens (with padding), or one text. Call this in inference mode.
    """
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    # Longest first, so that a batch that does not fit into memory fails at once.
    distinct = sorted(dict.fromkeys(texts), key=len, reverse=True)
    windows = (distinct[start : start + WINDOW] for start in range(0, len(distinct), WINDOW))
    prepared = (list(_batches(model, window, most_tokens, device)) for window in windows)
    weights = _layer_weights(model)
    rows: dict[str, int] = {}
    vectors = []
    # Exclude cuDNN's attention, which plans again for every batch shape and is not faster.
    attention = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
    with sdpa_kernel(attention):
        for batch in (batch for batches in ahead(prepared) for batch in batches):
            tokens = batch.tokens.to(device, non_blocking=True)
            mask = batch.mask.to(device, non_blocking=True)
            if weights is None:
                vectors.append(model.get_sentence_embedding(tokens, mask).float())
            else:
                vectors.append(_pool_and_mix(model, weights, tokens, mask))
            rows.update(zip(batch.texts, range(len(rows), len(rows) + len(batch.texts)), strict=True))
    return rows, torch.cat(vectors)


def cut(lengths: Sequence[int], most_tokens: int) -> Iterator[slice]:
    """Yield batches of sorted texts, with at most `most_tokens` tokens after padding to the longest.

    `lengths` are in descending order. A longer text is a batch of its own.

    >>> list(cut([9, 4, 4, 2, 1], 8))
    [slice(0, 1, None), slice(1, 3, None), slice(3, 7, None)]
    """
    start = 0
    while start < len(lengths):
        size = max(1, most_tokens // max(1, lengths[start]))
        yield slice(start, start + size)
        start += size


def ahead(items: Iterable[T]) -> Iterator[T]:
    """Yield the same items; a thread makes the next item while the caller uses the current one."""
    source = iter(items)
    with ThreadPoolExecutor(max_workers=1) as thread:
        upcoming = thread.submit(next, source, None)
        while (item := upcoming.result()) is not None:
            upcoming = thread.submit(next, source, None)
            yield item


def _batches(model: Any, texts: Sequence[str], most_tokens: int, device: str) -> Iterator[Batch]:
    import torch

    encoder = model.encoder
    # Same as `encoder.prepare_sample`, except for the padding, which depends on the batch.
    split = encoder.tokenizer(
        list(texts), truncation=True, max_length=encoder.max_positions - 2, return_attention_mask=False
    )["input_ids"]
    order = sorted(range(len(texts)), key=lambda i: len(split[i]), reverse=True)
    for part in cut([len(split[i]) for i in order], most_tokens):
        chosen = order[part]
        longest = len(split[chosen[0]])
        lengths = np.array([len(split[i]) for i in chosen])
        mask = np.arange(longest) < lengths[:, None]
        tokens = np.full(mask.shape, encoder.tokenizer.pad_token_id)
        tokens[mask] = np.concatenate([split[i] for i in chosen])
        tensors = [torch.from_numpy(tokens), torch.from_numpy(mask.astype(np.int64))]
        if device == "cuda":
            tensors = [tensor.pin_memory() for tensor in tensors]
        yield Batch([texts[i] for i in chosen], *tensors)


def _layer_weights(model: Any) -> list[float] | None:
    """The weight of each layer; `None` unless the layer mix and the pooling are weighted sums."""
    import torch

    mix = model.layerwise_attention
    if mix is None or mix.layer_norm or model.hparams.pool not in ("avg", "cls") or model.use_context:
        return None
    parameters = torch.cat(list(mix.scalar_parameters))
    weights: list[float] = (mix.gamma * mix.transform_fn(parameters, dim=0)).tolist()
    return weights


def _pool_and_mix(model: Any, weights: Sequence[float], tokens: Any, mask: Any) -> Any:
    """Pool before mixing the layers, which gives the same sum, but mixes only one vector per text."""
    import torch

    # A text may contain the padding token, which counts as a word without a vector.
    words = (mask * tokens.ne(model.encoder.tokenizer.pad_token_id))[..., None]
    counts = mask.sum(1, keepdim=True)

    def pool(layer: Any) -> Any:
        if model.hparams.pool == "cls":
            return layer[:, 0].float()
        return (layer * words.to(layer.dtype)).sum(1, dtype=torch.float32) / counts

    layers = model.encoder(tokens, mask)["all_layers"]
    return sum(weight * pool(layer) for weight, layer in zip(weights, layers, strict=True) if weight)


Precision = Literal["fp32", "bf16"]

TOKENS_ON_PROCESSOR, TOKENS_ON_GPU = 64, 1024
"""Tokens per text in `batch_size`; a CPU is fastest with batches that fit into its caches."""


class CometSample(NamedTuple):
    """One sample for the model; `reference` is `None` for a reference-free model."""

    source: str
    output: str
    reference: str | None = None


@dataclass(frozen=True, kw_only=True)
class Predictor:
    """A loaded model: whether it reads references, and a function with one score per sample, in order."""

    references: Literal["required", "optional", "unused"]
    predict: Callable[[Sequence[CometSample]], Sequence[float]]


def load_predictor(model: str, *, batch_size: int, gpus: int, precision: Precision = "fp32") -> Predictor:
    """Load the official model with this name, file or folder, without its terminal messages.

    A model in the local cache is used without network access.
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
        # Reference-free models inherit from RegressionMetric, but cannot score embeddings.
        by_embeddings = type(loaded) is RegressionMetric
        if by_embeddings and precision == "bf16":
            loaded.encoder.to(torch.bfloat16)  # its results are summed in single precision

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
    """Return the checkpoint file of `model`, or `None` if `model` is a name to download."""
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
    # A download cache has links to files, so resolve the folder, never the file.
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
        except KeyError as error:  # COMET raises KeyError for all failures
            cause = error
            continue
        if path.is_file():  # an interrupted download leaves a folder without this file
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
    # Worker processes would print warnings despite `_quiet`, and tokenising takes little time.
    prediction = model.predict(records, batch_size=batch_size, gpus=gpus, progress_bar=False, num_workers=0)
    return list(prediction["scores"])


def _predict_from_embeddings(
    model: Any, samples: Sequence[CometSample], *, batch_size: int, device: str
) -> Sequence[float]:
    """Score like `model.predict`, but encode every distinct text once for all systems and references."""
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
    """The error to raise if the official package is not installed."""
    return MissingExtraError("metric 'comet'", package="unbabel-comet", extra="comet")


def _one_line(error: Exception) -> str:
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}".rstrip(": ")


@contextmanager
def _uncollected() -> Iterator[None]:
    """Suspend garbage collection, since lists of tokens trigger it and it then scans all of PyTorch."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide log lines, warnings and progress bars of the libraries."""
    level = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)


@dataclass(frozen=True, kw_only=True)
class COMET(MeanMetric):
    """The mean score of the segments, on the model's own scale (0 to 1 for the models since 2022).

    `model` is a name to download, a checkpoint file `….ckpt`, or the folder with `hparams.yaml` and
    `checkpoints/`. With several references, the score of a segment is the mean over them. `batch_size` and
    `gpus` (0 or 1) change only the speed; `precision` `bf16` is faster on a GPU and less exact. References
    are checked later, when it is known whether the model reads them, so `needs` has only the source.
    """

    name: ClassVar[str] = "comet"
    decimals: ClassVar[int] = 4

    model: str = "Unbabel/wmt22-comet-da"
    batch_size: int = 16
    gpus: int = 0
    precision: Precision = "fp32"

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise UsageError(f"metric 'comet': batch_size is {self.batch_size}. Give 1 or more.")
        if self.gpus not in (0, 1):
            raise UsageError(f"metric 'comet': gpus is {self.gpus}. Give 0 for the processor or 1 for a GPU.")

        if self.precision not in get_args(Precision):
            raise UsageError(f"metric 'comet': no precision '{self.precision}'. Available: fp32, bf16.")

    @property
    def needs(self) -> frozenset[str]:
        """Only the source; whether the model reads references is known after loading."""
        return frozenset({"source"})

    @property
    def reads_references(self) -> bool:
        """Whether the model can read references; this loads the model."""
        return self._predictor.references != "unused"

    @property
    def label(self) -> str:
        return "COMET" if self.model == type(self).model else f"COMET[{Path(self.model).name}]"

    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        """The model (a local checkpoint also by the start of its SHA-256), and COMET's version.

        The model is not loaded for this, so `nrefs` counts references even if the model ignores them.
        """
        has_references = all(_present(segment.references) for segment in segments)
        parts = {
            "nrefs": reference_count(segments),
            **(extra or {}),
            **self._model_parts,
            "refs": "mean" if has_references else "none",
            "precision": self.precision,
            "comet": self.package_version(),
            "version": f"mtassay-{__version__}",
        }
        return "|".join(f"{key}:{value}" for key, value in parts.items() if value is not None)

    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        """Return columns `score` and `count` (always 1); samples that systems share are scored once."""
        for segment in segments:
            if segment.source is None:
                raise InputError(f"segment {segment.id}: metric 'comet' needs a source. Give the sources.")
        references = self._references(segments)
        samples = {
            system: [
                [CometSample(segment.source or "", text, reference) for reference in several]
                for segment, text, several in zip(segments, texts, references, strict=True)
            ]
            for system, texts in outputs.items()
        }
        distinct = list(dict.fromkeys(sample for rows in samples.values() for row in rows for sample in row))
        predicted = self._predictor.predict(distinct) if distinct else ()
        scores = dict(zip(distinct, predicted, strict=True))
        ids = [segment.id for segment in segments]
        return [
            Statistics(self.name, system, ids, COLUMNS, _mean_scores(rows, scores))
            for system, rows in samples.items()
        ]

    def load(self) -> Predictor:
        """Load the model of this metric; a subclass may load another model."""
        return load_predictor(
            self.model, batch_size=self.batch_size, gpus=self.gpus, precision=self.precision
        )

    def package_version(self) -> str:
        """The installed version of COMET."""
        try:
            return version("unbabel-comet")
        except PackageNotFoundError as error:
            raise missing_extra() from error

    @cached_property
    def _predictor(self) -> Predictor:
        return self.load()

    @cached_property
    def _model_parts(self) -> dict[str, str]:
        checkpoint = local_checkpoint(self.model)
        if checkpoint is None:
            return {"model": self.model}
        with checkpoint.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"model": checkpoint.name, "sha256": digest[:12]}

    def _references(self, segments: Sequence[Segment]) -> Sequence[Sequence[str | None]]:
        references = [_present(segment.references) for segment in segments]
        if self._predictor.references == "required":
            for segment, several in zip(segments, references, strict=True):
                if not several:
                    raise InputError(
                        f"segment {segment.id}: COMET model '{self.model}' needs a reference. "
                        "Give references, or a reference-free model: comet:model=Unbabel/wmt22-cometkiwi-da."
                    )
        elif self._predictor.references == "unused" or not all(references):
            # A model that may read references needs them in all segments or in none.
            return [(None,)] * len(segments)
        return references


def _mean_scores(rows: Sequence[Sequence[CometSample]], scores: Mapping[CometSample, float]) -> Floats:
    values = np.ones((len(rows), len(COLUMNS)))
    values[:, 0] = [sum(scores[sample] for sample in row) / len(row) for row in rows]
    return values


def _present(references: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(reference for reference in references if reference is not None)
