"""Trains a small BERT to say which word is hidden: a substituter `fill-mask:FOLDER` for invariance tests.

usage: python models/infill/masked.py TEXT.txt.gz PIECES OUT [--minutes 5] [--tiny]

PIECES is a folder of vocabularies.py. OUT gets the folder that weights.py makes ready for `transformers`. One
sentence in a hundred is held out; the printed share is that of hidden whole words found there.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoTokenizer, BertConfig, BertForMaskedLM
from weights import keep

SIZE = {"hidden_size": 384, "num_hidden_layers": 5, "num_attention_heads": 6, "intermediate_size": 1536}
TINY = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128}
HIDDEN, LONGEST, TOKENS = 0.15, 96, 24_000
PEAK, WARM_UP = 5e-4, 800
SEED = 12345


def batches(rows: list[list[int]], tokens: int) -> Iterator[Tensor]:
    """Sentences of like length together, in random order, filled with 0."""
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]) + 3 * random.random())
    parts, start = [], 0
    while start < len(order):
        end = start + max(1, tokens // (len(rows[order[min(start + 64, len(order) - 1)]]) + 4))
        parts.append(order[start:end])
        start = end
    random.shuffle(parts)
    for part in parts:
        yield pad_sequence([torch.tensor(rows[i]) for i in part], batch_first=True)


def hide(ids: Tensor, starts: Tensor, mask: int, special: int, size: int) -> tuple[Tensor, Tensor]:
    """What is read and what is right: whole words are hidden, with all their pieces."""
    word = starts[ids].cumsum(dim=1)
    chosen = torch.rand(ids.shape[0], int(word.max()) + 1, device=ids.device) < HIDDEN
    chosen = chosen.gather(1, word) & (ids >= special)
    right = ids.masked_fill(~chosen, -100)
    kind = torch.rand(chosen.shape, device=ids.device)
    read = ids.masked_fill(chosen & (kind < 0.85), mask)
    other = torch.randint(special, size, ids.shape, device=ids.device)
    return torch.where(chosen & (kind > 0.95), other, read), right


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("texts", type=Path)
    parser.add_argument("pieces", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--tiny", action="store_true")
    arguments = parser.parse_args()
    random.seed(SEED)
    torch.manual_seed(SEED)
    torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for each shape of a batch
    began = time.monotonic()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pieces = AutoTokenizer.from_pretrained(arguments.pieces)
    texts = gzip.decompress(arguments.texts.read_bytes()).decode("utf-8").split("\n")
    if arguments.tiny:
        texts = texts[:4000]
    rows = pieces(texts, truncation=True, max_length=LONGEST, return_attention_mask=False)["input_ids"]
    held_out, rows = rows[::100], [row for number, row in enumerate(rows) if number % 100]
    names = pieces.convert_ids_to_tokens(list(range(len(pieces))))
    starts = torch.tensor([not name.startswith("##") for name in names], device=device).long()
    special = 1 + max(pieces.all_special_ids)
    shape = TINY if arguments.tiny else SIZE
    config = BertConfig(vocab_size=len(pieces), max_position_embeddings=256, type_vocab_size=2, **shape)
    model = BertForMaskedLM(config).to(device)
    size = sum(weights.numel() for weights in model.parameters())
    print(
        f"{len(rows):,} sentences, {size:,} parameters, ready after {time.monotonic() - began:.0f} s",
        flush=True,
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK, betas=(0.9, 0.98), weight_decay=0.01)
    start, step, done, epoch = time.monotonic(), 0, 0.0, 0

    def loss_of(ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        ids = ids.to(device)
        read, right = hide(ids, starts, pieces.mask_token_id, special, len(pieces))
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
            states = model.bert(read, attention_mask=(ids != pieces.pad_token_id).long())[0]
            logits = model.cls(states[right >= 0])
        right = right[right >= 0]
        return torch.nn.functional.cross_entropy(logits.float(), right), logits, right

    @torch.no_grad()
    def found() -> float:
        model.eval()
        hits = [
            (logits.argmax(dim=-1) == right).float()
            for _, logits, right in map(loss_of, batches(held_out, TOKENS))
        ]
        model.train()
        return torch.cat(hits).mean().item()

    model.train()
    while done < 1:
        epoch += 1
        for ids in batches(rows, TOKENS):
            done = (time.monotonic() - start) / 60 / arguments.minutes
            if done >= 1:
                break
            step += 1
            for group in optimizer.param_groups:
                group["lr"] = PEAK * min(step / WARM_UP, 1, 1.02 - done)
            loss = loss_of(ids)[0]
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        print(f"epoch {epoch}, step {step}: {found():.3f} found after {done:.2f} of the time", flush=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    keep(model.eval(), arguments.out)
    for path in arguments.pieces.iterdir():
        shutil.copy(path, arguments.out)
    figures = {
        "sentences": len(rows), "parameters": size, "epochs": epoch,
        "found": round(found(), 3), "seconds": round(time.monotonic() - began),
    }  # fmt: skip
    (arguments.out / "training.json").write_text(json.dumps(figures), encoding="utf-8")
    print(figures)


if __name__ == "__main__":
    main()
