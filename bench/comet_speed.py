"""Measures COMET against `predict` of unbabel-comet: the same model, texts and precision, in one run.

usage: python bench/comet_speed.py [--device cuda --size large] [--systems 18] [--segments 2000] [--json FILE]

The model has the architecture of Unbabel/wmt22-comet-da (`--size large`: XLM-R large, all layers mixed by
sparsemax, average pooling, an estimator of 3072 and 1024 units) with random weights, so it needs no download:
what a score costs does not depend on what the model learnt. Its tokeniser is trained here. `--size tiny` is
for trying it out on a processor. Texts are invented, as long as those of WMT22 de-en; hardly two systems have
an output in common, which is the worst case for us (of the outputs of WMT22 de-en, 71 % are distinct).

Their batch size and number of workers are the best of those tried on every ninth segment; ours is the
default, and what others give is shown beside it. Both sides score everything twice, and the faster time
counts: new shapes of batches cost time (in half the precision, cuDNN plans for each). What `predict` takes
for 16 rows (it starts a trainer and workers, and moves the model to the GPU and back) is not counted; our
time is all of `COMET.measure`. Models are loaded before. `--json` writes all numbers to a file.
"""

from __future__ import annotations

import argparse
import json
import logging
import platform
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from results import table, write_section

from mtassay.data.nouns import Segment
from mtassay.measures.comet import COMET

SIZES = {
    "large": {
        "hidden_size": 1024,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "intermediate_size": 4096,
    },
    "tiny": {"hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 256},
}
PACKAGES = ("torch", "transformers", "tokenizers", "pytorch-lightning", "torchmetrics", "unbabel-comet")
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
SEED = 12345


@dataclass(frozen=True)
class Corpus:
    """Invented segments, and outputs of invented systems."""

    segments: list[Segment]
    outputs: dict[str, list[str]]

    def every(self, step: int) -> Corpus:
        """Only some of the segments."""
        return Corpus(self.segments[::step], {name: texts[::step] for name, texts in self.outputs.items()})

    def records(self) -> list[dict[str, str]]:
        """What `predict` reads, system by system."""
        return [
            {"src": segment.source or "", "mt": text, "ref": segment.references[0] or ""}
            for texts in self.outputs.values()
            for segment, text in zip(self.segments, texts, strict=True)
        ]

    def texts(self) -> list[str]:
        """All texts as often as `predict` encodes them."""
        return [text for record in self.records() for text in record.values()]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--size", choices=list(SIZES), default="tiny")
    parser.add_argument("--systems", type=int, default=18)
    parser.add_argument("--segments", type=int, default=2000)
    parser.add_argument("--precisions", nargs="+", default=["fp32", "bf16"])
    parser.add_argument("--theirs", nargs="+", type=int, default=[16, 64, 256], help="batch sizes to try")
    parser.add_argument("--workers", nargs="+", type=int, default=[2, 8], help="their workers to try")
    parser.add_argument("--ours", nargs="+", type=int, default=[8, 32], help="batch sizes beside 16")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    adapted = adapt()
    corpus = invent(options.systems, options.segments)
    with tempfile.TemporaryDirectory() as folder:
        model = build_model(Path(folder), options.size, corpus, device=options.device)
        work = count_work(model, corpus)
        say(f"{work}")
        measured = [compare(model, corpus, work, precision, options) for precision in options.precisions]
    numbers = {
        "device": device_name(options.device),
        "packages": {name: version(name) for name in PACKAGES} | {"python": platform.python_version()},
        "adapted": adapted,
        "size": options.size,
        "systems": options.systems,
        "segments": options.segments,
        "work": work,
        "measured": measured,
    }
    if options.json:
        options.json.write_text(json.dumps(numbers, indent=1), encoding="utf-8")
    write_section("comet", "COMET on a GPU" if options.device == "cuda" else "COMET", report(numbers))


def adapt() -> list[str]:
    """Makes unbabel-comet run with newer packages than it asks for; says what had to be changed."""
    import comet.encoders.xlmr as encoders
    import transformers

    if int(transformers.__version__.split(".")[0]) < 5:
        return []

    def forward(self: Any, input_ids: Any, attention_mask: Any, **_: Any) -> dict[str, Any]:
        states = self.model(
            input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=True, return_dict=True
        )
        return {
            "sentemb": states.last_hidden_state[:, 0, :],
            "wordemb": states.last_hidden_state,
            "all_layers": states.hidden_states,
            "attention_mask": attention_mask,
        }

    encoders.XLMREncoder.forward = forward
    return [
        "XLMREncoder.forward: outputs by name, since transformers 5 leaves out the pooled one, which is None"
    ]


def invent(systems: int, segments: int) -> Corpus:
    """Texts of invented words: lengths as in WMT22 de-en, words as frequent as their ranks (Zipf)."""
    generator = random.Random(SEED)
    syllables = [a + b for a in "bdfgklmnprstvwz" for b in ("a", "e", "i", "o", "u", "en", "ar", "ist")]
    words = [
        "".join(generator.choices(syllables, k=generator.choice([1, 2, 2, 3, 3, 4]))) for _ in range(20_000)
    ]
    weights = np.cumsum(1 / np.arange(1, len(words) + 1)).tolist()

    def draw(count: int) -> list[str]:
        return generator.choices(words, cum_weights=weights, k=count)

    def translate(reference: Sequence[str], noise: float) -> str:
        output: list[str] = []
        for word in reference:
            kind = generator.random() / noise
            output += [word] if kind > 1 else draw(1) if kind > 0.4 else draw(2) if kind > 0.2 else []
        return " ".join([*output, *draw(1)]) + "."

    references = [draw(max(1, min(130, round(generator.lognormvariate(2.7, 0.53))))) for _ in range(segments)]
    rows = [
        Segment(str(i), " ".join(draw(max(1, round(0.87 * len(text))))) + ".", (" ".join(text) + ".",))
        for i, text in enumerate(references)
    ]
    outputs = {
        f"system{number}": [translate(text, 0.2 + number / 60) for text in references]
        for number in range(systems)
    }
    return Corpus(rows, outputs)


def build_model(folder: Path, size: str, corpus: Corpus, *, device: str) -> Path:
    """A checkpoint in COMET's layout, with random weights that spread scores as those of trained models."""
    import pytorch_lightning
    import torch
    from comet.models import RegressionMetric
    from transformers import XLMRobertaConfig

    say("tokeniser")
    encoder = train_tokenizer(folder / "encoder", corpus.texts()[::7])
    XLMRobertaConfig(
        vocab_size=250_002, max_position_embeddings=514, type_vocab_size=1, layer_norm_eps=1e-5, **SIZES[size]
    ).save_pretrained(encoder)
    say("weights")
    torch.manual_seed(SEED)
    model = RegressionMetric(
        pretrained_model=str(encoder),
        load_pretrained_weights=False,
        local_files_only=True,
        pool="avg",
        layer="mix",
        layer_transformation="sparsemax",
        layer_norm=False,
        hidden_sizes=[3072, 1024],
    ).eval()
    with torch.no_grad():
        for parameter in model.layerwise_attention.scalar_parameters:
            parameter.normal_(std=0.05)
        model.to(device)
        records = corpus.every(20).records()[:400]
        inputs = model.prepare_sample(records, stage="predict")
        scores = model(**{name: values.to(device) for name, values in inputs.items()})["score"]
        last = [part for part in model.estimator.ff if isinstance(part, torch.nn.Linear)][-1]
        scale = 0.1 / scores.std()
        last.weight *= scale
        last.bias.copy_(0.8 - scale * (scores.mean() - last.bias))
        model.cpu()
    trainer = pytorch_lightning.Trainer(accelerator="cpu", logger=False, enable_checkpointing=False)
    trainer.strategy.connect(model)
    trainer.save_checkpoint(folder / "model" / "checkpoints" / "model.ckpt")
    (folder / "model" / "hparams.yaml").write_text("class_identifier: regression_metric\n", encoding="utf-8")
    return folder / "model"


def train_tokenizer(folder: Path, texts: Sequence[str]) -> Path:
    """A tokeniser of XLM-R's kind: a unigram model of pieces, special tokens where XLM-R has them."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(
        texts, trainers.UnigramTrainer(vocab_size=8000, special_tokens=list(SPECIAL), unk_token="<unk>")
    )
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    names = ("bos_token", "pad_token", "eos_token", "unk_token", "mask_token")
    settings = dict(zip(names, SPECIAL, strict=True)) | {
        "cls_token": "<s>",
        "sep_token": "</s>",
        "tokenizer_class": "XLMRobertaTokenizerFast",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


def count_work(model: Path, corpus: Corpus) -> dict[str, float]:
    """Texts, tokens and floating-point operations (two for a multiplication and an addition), no padding."""
    loaded = load(model)
    config = loaded.encoder.model.config
    texts = corpus.texts()
    distinct = list(dict.fromkeys(texts))
    lengths = dict(zip(distinct, map(len, loaded.encoder.tokenizer(distinct)["input_ids"]), strict=True))
    weights = (
        config.num_hidden_layers
        * config.hidden_size
        * (4 * config.hidden_size + 2 * config.intermediate_size)
    )

    def operations(used: Sequence[str]) -> float:
        tokens = [lengths[text] for text in used]
        attention = 4 * config.num_hidden_layers * config.hidden_size * sum(n * n for n in tokens)
        return 2.0 * weights * sum(tokens) + attention

    rows = len(texts) // 3
    estimator = 2.0 * rows * sum(parameter.numel() for parameter in loaded.estimator.parameters())
    return {
        "rows": rows,
        "texts": len(texts),
        "distinct_texts": len(distinct),
        "tokens": sum(lengths[text] for text in texts),
        "distinct_tokens": sum(lengths.values()),
        "operations": operations(texts) + estimator,
        "distinct_operations": operations(distinct) + estimator,
    }


def compare(
    model: Path, corpus: Corpus, work: dict[str, float], precision: str, options: Any
) -> dict[str, Any]:
    """Both sides in one precision, and how far their scores are apart."""
    theirs, their_scores = their_side(model, corpus, precision, options)
    ours, our_scores = our_side(model, corpus, precision, options)
    seconds, our_seconds = min(theirs["seconds"]), min(ours[COMET.batch_size])
    differences = np.abs(our_scores - their_scores)
    return {
        "precision": precision,
        "theirs": theirs,
        "ours": ours,
        "their_seconds": seconds,
        "our_seconds": our_seconds,
        "ratio": seconds / our_seconds,
        "ratio_with_our_best": seconds / min(map(min, ours.values())),
        "peak": peak_rate(precision, options.device),
        "our_rate": work["distinct_operations"] / our_seconds,
        "their_rate": work["operations"] / seconds,
        "largest_difference": float(differences.max()),
        "mean_difference": float(differences.mean()),
        "spread": float(np.std(their_scores)),
    }


def their_side(
    model: Path, corpus: Corpus, precision: str, options: Any
) -> tuple[dict[str, Any], NDArray[np.float64]]:
    """Seconds of `predict` with the best of its settings, and its scores."""
    import torch

    loaded = load(model)
    if precision == "bf16":
        loaded.encoder.to(torch.bfloat16)  # its estimator takes single precision, so only this fits
    trial, records = corpus.every(9).records(), corpus.records()

    def predict(rows: Any, size: int, workers: int) -> tuple[float, Any]:
        gpus = int(options.device == "cuda")
        return timed(
            lambda: loaded.predict(rows, batch_size=size, gpus=gpus, num_workers=workers, progress_bar=False)[
                "scores"
            ]
        )

    start_up = min(predict(trial[:16], 16, options.workers[0])[0] for _ in range(2))
    trials = {}
    for size in options.theirs:
        for workers in options.workers:
            trials[size, workers] = len(trial) / (predict(trial, size, workers)[0] - start_up)
            say(f"{precision} unbabel-comet {size, workers}: {trials[size, workers]:,.0f} rows/s")
    best = max(trials, key=lambda settings: trials[settings])
    rounds = [predict(records, *best) for _ in range(2)]
    seconds = [round_seconds - start_up for round_seconds, _ in rounds]
    say(f"{precision} unbabel-comet {best}: {seconds} s")
    numbers = {
        "start_up": start_up,
        "trial_rows": len(trial),
        "trial_rows_per_second": {
            f"batches of {size}, {n} workers": rate for (size, n), rate in trials.items()
        },
        "best": best,
        "seconds": seconds,
    }
    return numbers, np.array(rounds[0][1])


def our_side(
    model: Path, corpus: Corpus, precision: str, options: Any
) -> tuple[dict[int, list[float]], NDArray[np.float64]]:
    """Seconds of all of `COMET.measure` for each batch size, and its scores."""
    trial = corpus.every(9)
    seconds = {}
    for size in sorted({COMET.batch_size, *options.ours}):
        metric = COMET(
            model=str(model),
            gpus=int(options.device == "cuda"),
            precision=precision,  # type: ignore[arg-type]
            batch_size=size,
        )
        metric.measure(trial.segments, trial.outputs)
        rounds = [timed(lambda: metric.measure(corpus.segments, corpus.outputs)) for _ in range(2)]  # noqa: B023
        seconds[size] = [round_seconds for round_seconds, _ in rounds]
        scores = np.concatenate([one.values[:, 0] for one in rounds[0][1]])
        say(f"{precision} mtassay {size}: {seconds[size]} s")
    return seconds, scores


def peak_rate(precision: str, device: str) -> float:
    """Operations a second of one large matrix product in this precision: what this device can do at best."""
    import torch

    size = 8192 if device == "cuda" else 1024
    kind = torch.bfloat16 if precision == "bf16" else torch.float32
    left, right = (torch.randn(size, size, device=device, dtype=kind) for _ in range(2))
    times = [timed(lambda: left @ right)[0] for _ in range(12)][2:]
    return 2.0 * size**3 / float(np.median(times))


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds until all is done, on the GPU, too; and what came out."""
    import torch

    def finish() -> None:
        if torch.cuda.is_available():
            torch.cuda.synchronize()

    finish()
    start = time.perf_counter()
    result = work()
    finish()
    return time.perf_counter() - start, result


def load(model: Path) -> Any:
    """The model as the official package loads it."""
    import comet

    return comet.load_from_checkpoint(str(model / "checkpoints" / "model.ckpt"), local_files_only=True)


def device_name(device: str) -> str:
    """The GPU's name, or that of the processor's kind."""
    import torch

    return str(torch.cuda.get_device_name()) if device == "cuda" else platform.machine()


def report(numbers: dict[str, Any]) -> str:
    """The section of RESULTS.md."""
    work, packages = numbers["work"], numbers["packages"]
    head = [
        "precision",
        "unbabel-comet, s",
        "mtassay, s",
        "ratio",
        "our share of the peak",
        "theirs",
        "apart",
    ]
    return "\n\n".join(
        [
            f"{numbers['systems']} systems × {numbers['segments']:,} segments on {numbers['device']}: "
            f"unbabel-comet encodes {work['texts']:,} texts, mtassay the {work['distinct_texts']:,} distinct "
            f"ones ({work['distinct_tokens'] / work['distinct_texts']:.0f} tokens each).",
            table(head, [row(one) for one in numbers["measured"]]),
            *(details(one) for one in numbers["measured"]),
            "In bf16 both sides cast the encoder alone: unbabel-comet's estimator does not take bfloat16.",
            "Versions: "
            + ", ".join(f"{name} {number}" for name, number in packages.items())
            + ". "
            + ("Adapted: " + "; ".join(numbers["adapted"]) + "." if numbers["adapted"] else ""),
            "`python bench/comet_speed.py --device cuda --size large` repeats it; its first lines say how.",
        ]
    )


def row(one: dict[str, Any]) -> list[object]:
    """What was measured in one precision."""
    return [
        one["precision"],
        one["their_seconds"],
        one["our_seconds"],
        f"{one['ratio']:.1f} ×",
        f"{one['our_rate'] / one['peak']:.0%}",
        f"{one['their_rate'] / one['peak']:.0%}",
        f"{one['largest_difference']:.0e}",
    ]


def details(one: dict[str, Any]) -> str:
    """How it was measured, in a paragraph."""
    theirs = one["theirs"]
    trials = ", ".join(f"{name}: {rate:,.0f}" for name, rate in theirs["trial_rows_per_second"].items())
    ours = ", ".join(f"{size}: {first:.2f} and {again:.2f}" for size, (first, again) in one["ours"].items())
    first, again = theirs["seconds"]
    return (
        f"**{one['precision']}**: unbabel-comet on {theirs['trial_rows']:,} rows, rows a second with {trials}"
        f"; with the best of these {first:.2f} and {again:.2f} s for all rows, {theirs['start_up']:.2f} s to "
        f"start not counted. mtassay by `batch_size`, seconds, {ours}: {one['ratio_with_our_best']:.1f} × as "
        f"fast with the best. The peak is one large matrix product, {one['peak'] / 1e12:,.1f} TFLOP/s; "
        f"mtassay has {one['our_rate'] / 1e12:,.1f} by arithmetic, padding not counted. Scores spread by "
        f"{one['spread']:.2f} (standard deviation) and are {one['mean_difference']:.0e} apart on average, "
        f"{one['largest_difference']:.0e} at most."
    )


def say(what: str) -> None:
    """One line of progress, on standard error."""
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
