"""Fine-tunes what train.py made on corrected errors, as He, Meister, Su (2020) do and more carefully.

usage: python models/transformer/fine_tune.py DATA CORRECTIONS OUT MODEL [MODEL …] [--also FILE …]
    [--seeds 3] [--mixed 10] [--beams 4] [--every 1]

CORRECTIONS is JSONL with `source` and `correction`; MODEL is the folder of train.py (its files may lie in
several). Two recipes, one after the other, with every seed:

paper    15 epochs on the corrections alone, the learning rate falling from 1e-4
careful  half that rate, with label smoothing, and ten ordinary training pairs mixed in per correction, drawn
         anew in every epoch; then the weights go back towards those before, by steps of a quarter, until BLEU
         on pairs that are no test pairs is no more than 0.1 below what it was

OUT gets `fine-tuned.jsonl`: the outputs of each for the sources of CORRECTIONS, of the test pairs and of
every FILE, and those of the model before; `--every 10` takes every tenth test pair only.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import torch
from network import BEAMS, Translator, load
from train import SMOOTHING, batch_loss, batches, coded, split_data

EPOCHS, RATE, TOKENS = 15, 1e-4, 8_000
MIXED, TOLERANCE = 10, 0.1
SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)  # of the way from the weights before to those after
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


def fine_tune(
    translator: Translator,
    corrections: Pairs,
    ordinary: Pairs,
    chosen: Pairs,
    *,
    careful: bool,
    mixed_per_correction: int = MIXED,
) -> dict[str, object]:
    """Changes the model in place; what happened."""
    model = translator.model
    before = {name: weights.detach().clone() for name, weights in model.state_dict().items()}
    peak, smoothing = (RATE / 2, SMOOTHING) if careful else (RATE, 0.0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, betas=(0.9, 0.98), weight_decay=0.0)
    for epoch in range(EPOCHS):
        model.train()
        mixed = random.sample(list(ordinary), mixed_per_correction * len(corrections)) if careful else []
        rows = list(
            batches(
                coded([*corrections, *mixed], translator.pieces), tokens=TOKENS if careful else TOKENS // 8
            )
        )
        for number, batch in enumerate(rows):
            for group in optimizer.param_groups:
                group["lr"] = peak * (1 - (epoch + number / len(rows)) / EPOCHS)
            loss = batch_loss(model, batch, smoothing=smoothing)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    if not careful:
        return {}
    after = {name: weights.detach().clone() for name, weights in model.state_dict().items()}

    def look(share: float) -> float:
        model.load_state_dict({name: torch.lerp(before[name], after[name], share) for name in before})
        outputs = translator([source for source, _ in chosen], beams=1)
        return round(bleu(outputs, [target for _, target in chosen]), 2)

    looks = {0.0: look(0.0)}
    for share in SHARES:
        looks[share] = look(share)
        if looks[share] >= looks[0.0] - TOLERANCE:
            break
    return {"share": share, "chosen_bleu": looks}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("corrections", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("model", type=Path, nargs="+")
    parser.add_argument("--also", type=Path, nargs="*", default=[])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--mixed", type=int, default=MIXED)
    parser.add_argument("--beams", type=int, default=BEAMS)
    parser.add_argument("--every", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    ordinary, chosen, test = split_data(arguments.data)
    lines = arguments.corrections.read_text(encoding="utf-8").splitlines()
    corrections = [(row["source"], row["correction"]) for row in map(json.loads, lines)]
    texts = [source for source, _ in [*corrections, *test[:: arguments.every]]]
    for path in arguments.also:
        texts += path.read_text(encoding="utf-8").removesuffix("\n").split("\n")[:: arguments.every]
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
        translator = load(*arguments.model)
        before = {name: weights.clone() for name, weights in translator.model.state_dict().items()}
        keep("before", translator)
        for seed in range(1, arguments.seeds + 1):
            for recipe in ("careful", "paper"):
                random.seed(seed)
                torch.manual_seed(seed)
                translator.model.load_state_dict(before)
                began = time.monotonic()
                facts = fine_tune(
                    translator,
                    corrections,
                    ordinary,
                    chosen[:: 2 * arguments.every],
                    careful=recipe == "careful",
                    mixed_per_correction=arguments.mixed,
                )
                spent = round(time.monotonic() - began, 1)
                keep(f"{recipe}-{seed}", translator, seed=seed, recipe=recipe, seconds=spent, **facts)


if __name__ == "__main__":
    main()
