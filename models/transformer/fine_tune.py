"""Fine-tunes what train.py made on corrected errors, as He, Meister, Su (2020) do and more carefully.

usage: python models/transformer/fine_tune.py DATA CORRECTIONS OUT MODEL [--also FILE …] [--seeds 3]
    [--beams 4] [--every 1]

CORRECTIONS is JSONL with `source` and `correction`; MODEL is the folder of train.py. Two recipes, one after
the other, with every seed:

paper    15 epochs on the corrections alone, the learning rate falling from 1e-4
careful  steps at a rate of 5e-5 without dropout; each sees all corrections and a thousand ordinary training
         pairs, of which the model is to say what it said before (Kullback-Leibler divergence). Every 20 steps
         it looks at the corrections and at BLEU on pairs that are no test pairs; in the end it has the
         weights with most outputs equal to their correction among those that lose at most 0.1 BLEU there

OUT gets `fine-tuned.jsonl`: the outputs of each for the sources of CORRECTIONS, of the test pairs and of
every FILE, and those of the model before; `--every 2` takes every second test pair and line only.
"""

from __future__ import annotations

import argparse
import copy
import gc
import json
import math
import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import torch
from network import BEAMS, PAD, Transformer, Translator, autocast, device_of, load, padded
from train import Pair, batch_loss, batches, coded, read_lines, split_data

EPOCHS, RATE, TOKENS = 15, 1e-4, 1_000
STEPS, EVERY, CAREFUL_RATE, MIXED, HOLD = 160, 20, 5e-5, 1_000, 2.0
TOLERANCE = 0.1
Pairs = Sequence[tuple[str, str]]


def bleu(outputs: Sequence[str], references: Sequence[str]) -> float:
    """BLEU to choose by; what is reported is measured with mtassay."""
    matched, possible, lengths = [0] * 4, [0] * 4, [0, 0]
    for output, reference in zip(outputs, references, strict=True):
        words = [re.findall(r"\w+|[^\w\s]", text) for text in (output, reference)]
        lengths = [total + len(text) for total, text in zip(lengths, words, strict=True)]
        for n in range(4):
            ours, theirs = (Counter(zip(*(w[i:] for i in range(n + 1)))) for w in words)  # noqa: B905
            matched[n] += sum((ours & theirs).values())
            possible[n] += sum(ours.values())
    precision = sum(math.log(max(m, 0.1) / max(p, 1)) for m, p in zip(matched, possible, strict=True)) / 4
    return 100 * math.exp(precision + min(0.0, 1 - lengths[1] / max(lengths[0], 1)))


def step(model: Transformer, optimizer: torch.optim.Optimizer, loss: torch.Tensor, rate: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def as_in_the_paper(translator: Translator, corrections: Pairs) -> dict[str, object]:
    model = translator.model
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), weight_decay=0.0)
    model.train()
    for epoch in range(EPOCHS):
        rows = list(batches(coded(corrections, translator.pieces), tokens=TOKENS))
        for number, batch in enumerate(rows):
            rate = RATE * (1 - (epoch + number / len(rows)) / EPOCHS)
            step(model, optimizer, batch_loss(model, batch, smoothing=0.0), rate)
    return {}


def divergence(model: Transformer, before: Transformer, batch: Sequence[Pair]) -> torch.Tensor:
    """How far what the model says of ordinary pairs is from what it said before."""
    sources, targets = (padded([pair[side] for pair in batch], device_of(model)) for side in (0, 1))
    with autocast(model):
        now = model.logits(sources, targets)
        with torch.no_grad():
            then = before.logits(sources, targets)
    real = targets[:, 1:].flatten() != PAD
    then, now = (torch.log_softmax(logits[real], dim=-1) for logits in (then, now))
    return (then.exp() * (then - now)).sum(dim=-1).mean()


def carefully(
    translator: Translator, corrections: Pairs, ordinary: Pairs, chosen: Pairs, beams: int
) -> dict[str, object]:
    model = translator.model
    before = copy.deepcopy(model).eval()
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), weight_decay=0.0)
    rows = coded(corrections, translator.pieces)
    looks: list[tuple[int, int, float]] = []  # steps, outputs equal to their correction, BLEU elsewhere
    best = before.state_dict()

    def look(steps: int) -> None:
        outputs = translator([source for source, _ in corrections], beams=beams)
        equal = sum(output == right for output, (_, right) in zip(outputs, corrections, strict=True))
        others = translator([source for source, _ in chosen], beams=1)
        looks.append((steps, equal, round(bleu(others, [target for _, target in chosen]), 2)))
        print(looks[-1], flush=True)

    def good() -> list[tuple[int, int, float]]:
        return [one for one in looks if one[2] >= looks[0][2] - TOLERANCE]

    look(0)
    for number in range(1, STEPS + 1):
        model.eval()  # no dropout
        mixed = coded(random.sample(list(ordinary), MIXED), translator.pieces)
        loss = batch_loss(model, rows, smoothing=0.0) + HOLD * divergence(model, before, mixed)
        step(model, optimizer, loss, CAREFUL_RATE * min(1, number / 20))
        if number % EVERY == 0:
            look(number)
            if max(good(), key=lambda one: (one[1], -one[0])) == looks[-1]:
                best = {name: weights.detach().clone() for name, weights in model.state_dict().items()}
            if looks[-1][1] == len(corrections):
                break
    model.load_state_dict(best)
    return {"looks": looks, "steps": max(good(), key=lambda one: (one[1], -one[0]))[0]}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("corrections", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--also", type=Path, nargs="*", default=[])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--beams", type=int, default=BEAMS)
    parser.add_argument("--every", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for each shape of a batch
    gc.disable()
    ordinary, chosen, test = split_data(arguments.data)
    lines = arguments.corrections.read_text(encoding="utf-8").splitlines()
    corrections = [(row["source"], row["correction"]) for row in map(json.loads, lines)]
    texts = [source for source, _ in [*corrections, *test[:: arguments.every]]]
    texts += [line for path in arguments.also for line in read_lines(path)[:: arguments.every]]
    texts = list(dict.fromkeys(texts))
    arguments.out.mkdir(parents=True, exist_ok=True)
    with (arguments.out / "fine-tuned.jsonl").open("w", encoding="utf-8") as file:

        def keep(name: str, translator: Translator, **facts: object) -> None:
            outputs = dict(zip(texts, translator(texts, beams=arguments.beams), strict=True))
            right = sum(outputs[source] == correction for source, correction in corrections)
            facts |= {"equal": right, "of": len(corrections), "at": round(time.monotonic() - start)}
            print(name, facts, flush=True)
            print(
                json.dumps({"name": name, **facts, "outputs": outputs}, ensure_ascii=False),
                file=file,
                flush=True,
            )

        start = time.monotonic()
        translator = load(arguments.model)
        before = {name: weights.clone() for name, weights in translator.model.state_dict().items()}
        keep("before", translator)
        for seed in range(1, arguments.seeds + 1):
            for recipe in ("careful", "paper"):
                random.seed(seed)
                torch.manual_seed(seed)
                translator.model.load_state_dict(before)
                began = time.monotonic()
                if recipe == "paper":
                    facts = as_in_the_paper(translator, corrections)
                else:
                    facts = carefully(translator, corrections, ordinary, chosen, arguments.beams)
                spent = round(time.monotonic() - began, 1)
                keep(f"{recipe}-{seed}", translator, seed=seed, recipe=recipe, seconds=spent, **facts)


if __name__ == "__main__":
    main()
