"""Trains a small BART to write a sentence again with its gap filled: one half of the infiller `models:A,B`.

usage: python models/infill/seq2seq.py PIECES OUT [--texts FILE.txt.gz …] [--pairs FILE.tsv[.gz] …]
    [--minutes 5] [--tiny]

PIECES is the folder `infill` of vocabularies.py. With `--texts` the model reads `before<mask>after` of one
language, as BART (Lewis et al. 2020); with `--pairs` (source, target) `source</s>before<mask>after`, and it
fills the gap with what the source says, as BiTIMT (Xiao et al. 2022): the rest of the target is the
constraint. Some are joined to longer ones. OUT gets the folder that weights.py makes ready. The printed
shares are those of held-out sentences whose rest came back unchanged, and whose gap got the very words.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import random
import shutil
import string
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import AutoTokenizer, BartConfig, BartForConditionalGeneration
from weights import keep

SIZES = {
    "texts": {"d_model": 320, "layers": 4, "heads": 5},
    "pairs": {"d_model": 384, "layers": 4, "heads": 6},
    "tiny": {"d_model": 64, "layers": 2, "heads": 2},
}
BEGIN, PAD, END = 0, 1, 2
LENGTHS, LONGEST, TOKENS = (1, 1, 1, 1, 1, 1, 2, 2, 2, 3), 100, 24_000
COPIED = 0.1  # weight of the rest's pieces, that of the gap's being 1
JOINED = 0.3
PEAK, WARM_UP, SMOOTHING = 5e-4, 600, 0.05
SEED = 12345


class Coded(NamedTuple):
    """A text, the places where its words begin and end, and what it translates, all in pieces."""

    ids: list[int]
    words: list[tuple[int, int]]
    source: list[int]


class Gap(NamedTuple):
    """What is read and to be written, and where the gap is in it."""

    read: list[int]
    written: list[int]
    start: int
    end: int


def kinds(pieces: AutoTokenizer) -> list[str]:
    """Of each piece of the vocabulary: `first` of a word after a space, `more` of a word, or a `mark`."""
    found = []
    for name in pieces.convert_ids_to_tokens(list(range(len(pieces)))):
        spaced, text = name.startswith("Ġ"), name.removeprefix("Ġ")
        is_word = bool(text) and not all(c in string.punctuation for c in text)
        found.append(("first" if spaced else "more") if is_word else "mark")
    return found


def code(texts: Sequence[str], sources: Sequence[str], pieces: AutoTokenizer) -> list[Coded]:
    kind = kinds(pieces)
    coded = pieces(list(texts), add_special_tokens=False)["input_ids"]
    known = pieces(list(sources), add_special_tokens=False)["input_ids"] if sources else [[]] * len(texts)
    found = []
    for ids, source in zip(coded, known, strict=True):
        if not 2 < len(ids) + len(source) < LONGEST:
            continue
        words: list[tuple[int, int]] = []
        for place, piece in enumerate(ids):
            if kind[piece] == "first" or (not place and kind[piece] == "more"):
                words.append((place, place + 1))
            elif kind[piece] == "more" and words and words[-1][1] == place:
                words[-1] = (words[-1][0], place + 1)
        if words:
            found.append(Coded(ids, words, source))
    return found


def gap_in(one: Coded, mask: int, separator: int) -> Gap:
    first = random.randrange(len(one.words))
    last = first
    for _ in range(random.choice(LENGTHS) - 1):
        if last + 1 < len(one.words) and one.words[last + 1][0] == one.words[last][1]:
            last += 1
    start, end = one.words[first][0], one.words[last][1]
    before = [BEGIN, *one.source, separator] if one.source else [BEGIN]
    read = [*before, *one.ids[:start], mask, *one.ids[end:], END]
    return Gap(read, [BEGIN, *one.ids, END], start + 1, end + 1)


def joined(rows: list[Coded], space: int) -> list[Coded]:
    """Some of them joined in twos and threes, so that long ones are known too."""
    found, waiting = [], list(rows)
    random.shuffle(waiting)
    while waiting:
        parts = [waiting.pop()]
        while (
            waiting and random.random() < JOINED and sum(len(p.ids) + len(p.source) for p in parts) < LONGEST
        ):
            parts.append(waiting.pop())
        ids: list[int] = []
        words: list[tuple[int, int]] = []
        source: list[int] = []
        for part in parts:
            ids += [space] * bool(ids)
            source = [*source, *[space] * bool(source), *part.source]
            words += [(start + len(ids), end + len(ids)) for start, end in part.words]
            ids += part.ids
        found.append(Coded(ids, words, source))
    return found


def batches(rows: Sequence[Coded], mask: int) -> Iterator[list[Gap]]:
    """Gaps of like length together, in random order; most batches have one of a few shapes."""
    alike: dict[int, list[Gap]] = defaultdict(list)
    for row in random.sample(rows, len(rows)):
        gap = gap_in(row, mask, END)
        alike[-(-len(gap.read) // 8)].append(gap)
    parts = []
    for width, gaps in alike.items():
        size = max(1, TOKENS // (16 * width))
        parts += [gaps[start : start + size] for start in range(0, len(gaps), size)]
    random.shuffle(parts)
    yield from parts


def padded(rows: Sequence[list[int]], device: torch.device) -> Tensor:
    longest = -(-max(map(len, rows)) // 8) * 8
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows]).to(device)


def loss_of(model: BartForConditionalGeneration, batch: Sequence[Gap], device: torch.device) -> Tensor:
    read, right = padded([gap.read for gap in batch], device), padded([gap.written for gap in batch], device)
    given = torch.cat([torch.full_like(right[:, :1], END), right[:, :-1]], dim=1)
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
        logits = model(
            input_ids=read, attention_mask=(read != PAD).long(), decoder_input_ids=given, use_cache=False
        ).logits
    weights = torch.full(right.shape, COPIED, device=device)
    place = torch.arange(right.shape[1], device=device)[None]
    start, end = (torch.tensor([gap[side] for gap in batch], device=device)[:, None] for side in (2, 3))
    weights[(place >= start) & (place <= end)] = 1.0  # the piece after the gap too: where it ends
    weights[right == PAD] = 0.0
    losses = cross_entropy(
        logits.flatten(0, 1).float(), right.flatten(), reduction="none", label_smoothing=SMOOTHING
    )
    return (losses * weights.flatten()).sum() / weights.sum()


@torch.no_grad()
def shares(
    model: BartForConditionalGeneration, gaps: Sequence[Gap], device: torch.device
) -> dict[str, float]:
    model.eval()
    unchanged = same = 0
    for start in range(0, len(gaps), 250):
        batch = gaps[start : start + 250]
        read = padded([gap.read for gap in batch], device)
        out = model.generate(
            read, attention_mask=(read != PAD).long(), num_beams=1, do_sample=False, max_new_tokens=110
        )
        for gap, row in zip(batch, out.tolist(), strict=True):
            row = [piece for piece in row if piece not in (BEGIN, PAD, END)]
            before, after = gap.written[1 : gap.start], gap.written[gap.end : -1]
            rest = row[: len(before)] == before and row[len(row) - len(after) :] == after
            unchanged += rest and len(row) > len(before) + len(after)
            same += row == gap.written[1:-1]
    model.train()
    return {"unchanged": round(unchanged / len(gaps), 3), "same": round(same / len(gaps), 3)}


def read_lines(path: Path) -> list[str]:
    data = path.read_bytes()
    return (
        (gzip.decompress(data) if path.suffix == ".gz" else data)
        .decode("utf-8")
        .removesuffix("\n")
        .split("\n")
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pieces", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--texts", type=Path, nargs="*", default=[])
    parser.add_argument("--pairs", type=Path, nargs="*", default=[])
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--tiny", action="store_true")
    arguments = parser.parse_args()
    random.seed(SEED)
    torch.manual_seed(SEED)
    torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for each shape of a batch
    gc.disable()  # millions of small lists, and no cycles
    began = time.monotonic()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pieces = AutoTokenizer.from_pretrained(arguments.pieces)
    every = 50 if arguments.tiny else 1
    texts = [line for path in arguments.texts for line in read_lines(path)][::every]
    pairs = [line.split("\t")[:2] for path in arguments.pairs for line in read_lines(path)][::every]
    rows = code(texts, [], pieces) if texts else []
    rows += code([target for _, target in pairs], [source for source, _ in pairs], pieces) if pairs else []
    space = pieces(" ", add_special_tokens=False)["input_ids"][0]
    random.shuffle(rows)
    held_out = [gap_in(row, pieces.mask_token_id, END) for row in rows[:500]]
    rows = rows[500:]
    size = SIZES["tiny" if arguments.tiny else "pairs" if pairs else "texts"]
    heads = {f"{side}_attention_heads": size["heads"] for side in ("encoder", "decoder")}
    layers = {"encoder_layers": size["layers"], "decoder_layers": size["layers"] - 1}
    inner = {f"{side}_ffn_dim": 4 * size["d_model"] for side in ("encoder", "decoder")}
    model = BartForConditionalGeneration(
        BartConfig(
            vocab_size=len(pieces), d_model=size["d_model"], **heads, **layers, **inner,
            max_position_embeddings=512,
            bos_token_id=BEGIN, pad_token_id=PAD, eos_token_id=END, decoder_start_token_id=END,
            forced_bos_token_id=BEGIN, forced_eos_token_id=None, dropout=0.1,
        )
    ).to(device)  # fmt: skip
    count = sum(weights.numel() for weights in model.parameters())
    print(
        f"{len(rows):,} rows, {count:,} parameters, ready after {time.monotonic() - began:.0f} s", flush=True
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK, betas=(0.9, 0.98), weight_decay=0.01)
    start, step, done, epoch, loss = time.monotonic(), 0, 0.0, 0, torch.zeros(())
    model.train()
    while done < 1:
        epoch += 1
        for batch in batches(joined(rows, space), pieces.mask_token_id):
            done = (time.monotonic() - start) / 60 / arguments.minutes
            if done >= 1:
                break
            step += 1
            for group in optimizer.param_groups:
                group["lr"] = PEAK * min(step / WARM_UP, 1, 1.02 - done)
            loss = loss_of(model, batch, device)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        print(f"epoch {epoch}, step {step}: loss {loss.item():.3f} after {done:.2f} of the time", flush=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    keep(model, arguments.out)
    model.generation_config.save_pretrained(arguments.out)
    for path in arguments.pieces.iterdir():
        shutil.copy(path, arguments.out)
    figures = {"rows": len(rows), "parameters": count, "epochs": epoch, **shares(model, held_out, device)}
    figures["seconds"] = round(time.monotonic() - began)
    (arguments.out / "training.json").write_text(json.dumps(figures), encoding="utf-8")
    print(figures, flush=True)


if __name__ == "__main__":
    main()
