"""Trains a Transformer base from English to Portuguese: a system under test whose faults can be mended.

usage: python models/transformer/train.py DATA OUT [--minutes 4.5] [--translate FILE …]
    [--pieces FILE] [--tiny]

DATA holds tatoeba-train.eng-por.tsv.gz and tatoeba-test.eng-por.tsv.gz (Tatoeba, CC BY 2.0 FR). Training
pairs whose source or target is in the test set are dropped. OUT gets the model, `test.tsv` (every sixth test
pair with its output) and `asked.tsv`, the lines of every FILE with theirs. `--tiny` trains a very small one
for seconds. Needs torch, sentencepiece and a GPU for the full size.

The size is that of Vaswani et al. (2017): six layers, width 512, eight heads, 2,048 inner units. The data
are 0.2 million short pairs where theirs were 4.5 million, hence the higher dropout; some are joined to longer
ones. The weights are the mean of the last epochs', where that is better than the last.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import math
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import sentencepiece
import torch
from network import BEGIN, END, Shape, Transformer, Translator, autocast, device_of, padded, save

SEED = 12345
VOCABULARY = 8_000
TOKENS = 32_000  # source and target pieces of a batch, padding included
LONGEST = 100  # pieces of a side; longer pairs are left out
PEAK, WARM_UP, SMOOTHING = 1e-3, 400, 0.1
AVERAGED = 5  # epochs
JOINED = 0.15  # share of pairs that another one is joined to

Pair = tuple[list[int], list[int]]


def read_pairs(path: Path) -> list[tuple[str, str]]:
    text = gzip.decompress(path.read_bytes()).decode("utf-8")
    return [(row[0], row[1]) for row in (line.split("\t") for line in text.split("\n") if line)]


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def split_data(data: Path) -> tuple[list[tuple[str, str]], list[tuple[str, str]], list[tuple[str, str]]]:
    """Pairs to learn from, to choose settings on, and to test on: three sets without a common sentence."""
    test, train = (read_pairs(data / f"tatoeba-{part}.eng-por.tsv.gz") for part in ("test", "train"))
    seen = {text for pair in test for text in pair}
    train = [pair for pair in train if not seen.intersection(pair)]
    learnt = {text for pair in train for text in pair}
    first: dict[str, str] = {}  # one reference for each source
    for source, target in test:
        if source not in learnt and target not in learnt:
            first.setdefault(source, target)
    pairs = list(first.items())
    return train, pairs[3::12], pairs[::6]


def learn_pieces(train: Sequence[tuple[str, str]], *, size: int) -> sentencepiece.SentencePieceProcessor:
    from io import BytesIO

    model = BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text for pair in train for text in pair),
        model_writer=model,
        model_type="unigram",
        vocab_size=size,
        character_coverage=1.0,
        byte_fallback=True,
        pad_id=0,
        unk_id=1,
        bos_id=2,
        eos_id=3,
        minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def coded(pairs: Sequence[tuple[str, str]], pieces: sentencepiece.SentencePieceProcessor) -> list[Pair]:
    """Pieces of both sides, without those pairs that are too long."""
    sides = [pieces.encode([pair[side] for pair in pairs]) for side in (0, 1)]
    rows = (([*s, END], [BEGIN, *t, END]) for s, t in zip(*sides, strict=True))
    return [row for row in rows if max(map(len, row)) <= LONGEST]


def joined(rows: Sequence[Pair]) -> list[Pair]:
    """Some pairs as one, by chance, so that longer sentences are known too."""
    waiting = random.sample(rows, len(rows))
    found: list[Pair] = []
    while waiting:
        source, target = waiting.pop()
        while waiting and random.random() < JOINED and len(target) + len(waiting[-1][1]) < LONGEST:
            more = waiting.pop()
            source, target = source[:-1] + more[0], target[:-1] + more[1][1:]
        found.append((source, target))
    return found


def batches(pairs: Sequence[Pair], *, tokens: int = TOKENS) -> Iterator[list[Pair]]:
    """Pairs of like length together, in random order; most batches have one of a few shapes."""
    alike: dict[tuple[int, int], list[Pair]] = defaultdict(list)
    for pair in random.sample(pairs, len(pairs)):
        alike[-(-len(pair[0]) // 8), -(-len(pair[1]) // 8)].append(pair)
    found: list[list[Pair]] = []
    rest: list[Pair] = []
    for widths, rows in sorted(alike.items()):
        size = max(1, tokens // (8 * sum(widths)))
        full = len(rows) - len(rows) % size
        found += [rows[start : start + size] for start in range(0, full, size)]
        rest += rows[full:]
    widest = [0, 0]
    part: list[Pair] = []
    for pair in rest:
        wider = [max(widest[side], len(pair[side])) for side in (0, 1)]
        if part and sum(wider) * (len(part) + 1) > tokens:
            found.append(part)
            part, wider = [], [len(pair[0]), len(pair[1])]
        part.append(pair)
        widest = wider
    random.shuffle(found)
    yield from [*found, part] if part else found


def batch_loss(model: Transformer, batch: Sequence[Pair], *, smoothing: float) -> torch.Tensor:
    device = device_of(model)
    sources, targets = (padded([pair[side] for pair in batch], device) for side in (0, 1))
    with autocast(model):
        return model.loss(sources, targets, smoothing=smoothing)


@torch.no_grad()
def held_out_loss(model: Transformer, pairs: Sequence[Pair]) -> float:
    model.eval()
    losses = [(batch_loss(model, part, smoothing=0.0).item(), len(part)) for part in batches(pairs)]
    return sum(loss * count for loss, count in losses) / sum(count for _, count in losses)


def learn(
    translator: Translator,
    train: Sequence[tuple[str, str]],
    chosen: Sequence[tuple[str, str]],
    minutes: float,
) -> tuple[int, float]:
    """The number of epochs, and the loss on the pairs to choose on."""
    model = translator.model
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=PEAK, betas=(0.9, 0.98), weight_decay=0.01, fused=True
    )
    rows = coded(train, translator.pieces)
    held_out = coded(chosen, translator.pieces)
    start, step, epoch = time.monotonic(), 0, 0
    kept: list[dict[str, torch.Tensor]] = []
    while (spent := (time.monotonic() - start) / 60) < minutes:
        epoch += 1
        model.train()
        for batch in batches(joined(rows)):
            step += 1
            spent = (time.monotonic() - start) / 60
            fall = 0.5 * (1 + math.cos(math.pi * min(spent / minutes, 1)))
            for group in optimizer.param_groups:
                group["lr"] = PEAK * max(0.02, min(step / WARM_UP, fall))
            loss = batch_loss(model, batch, smoothing=SMOOTHING)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if spent > minutes * 1.05:
                break
        kept = [*kept[1 - AVERAGED :], {name: w.detach().clone() for name, w in model.state_dict().items()}]
        loss = held_out_loss(model, held_out)
        print(f"epoch {epoch}, step {step}: held-out loss {loss:.3f} after {spent:.2f} min", flush=True)
    model.load_state_dict({name: sum(state[name] for state in kept) / len(kept) for name in kept[0]})
    mean = held_out_loss(model, held_out)
    print(f"mean of {len(kept)} epochs: held-out loss {mean:.3f}", flush=True)
    if mean > loss:
        model.load_state_dict(kept[-1])
    return epoch, round(min(mean, loss), 3)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=4.5)
    parser.add_argument("--translate", type=Path, nargs="*", default=[])
    parser.add_argument("--pieces", type=Path, help="pieces.model of an earlier training")
    parser.add_argument("--tiny", action="store_true")
    arguments = parser.parse_args()
    began = time.monotonic()
    random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_float32_matmul_precision("high")
    torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for each shape of a batch
    gc.disable()  # millions of small lists, and no cycles
    train, chosen, test = split_data(arguments.data)
    if arguments.tiny:
        train, chosen, test = train[::40], chosen[::10], test[::40]
    print(
        f"{len(train):,} pairs to learn from, {len(chosen):,} to choose on, {len(test):,} to test on",
        flush=True,
    )
    if arguments.pieces:
        pieces = sentencepiece.SentencePieceProcessor(model_file=str(arguments.pieces))
    else:
        pieces = learn_pieces(train, size=1_000 if arguments.tiny else VOCABULARY)
    small = {"width": 64, "layers": 2, "heads": 2, "inner": 128, "dropout": 0.1} if arguments.tiny else {}
    model = Transformer(Shape(vocabulary=len(pieces), **small))
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    size = sum(parameter.numel() for parameter in model.parameters())
    print(f"{size:,} parameters, ready after {time.monotonic() - began:.0f} s", flush=True)
    translator = Translator(model, pieces)
    epochs, loss = learn(translator, train, chosen, arguments.minutes)
    save(translator, arguments.out)
    asked = [line for path in arguments.translate for line in read_lines(path)]
    for name, rows in (("test.tsv", test), ("asked.tsv", [(line,) for line in dict.fromkeys(asked)])):
        outputs = translator([row[0] for row in rows])
        lines = ["\t".join([*row, output]) + "\n" for row, output in zip(rows, outputs, strict=True)]
        (arguments.out / name).write_text("".join(lines), encoding="utf-8")
    figures = {"pairs": len(train), "parameters": size, "held-out loss": loss, "epochs": epochs}
    figures["seconds"] = round(time.monotonic() - began)
    (arguments.out / "training.json").write_text(json.dumps(figures), encoding="utf-8")
    print(figures)


if __name__ == "__main__":
    main()
