"""Trains the network of `methods/invariance/substitute_lexicon.py` and writes it in bytes.

usage: python models/cloze/train.py DATA TAUGHT OUT

DATA is the folder of `prepare.py`, TAUGHT that of `teach.py`. The network learns two things at once: which
word stood in a gap of the sentences, and the differences that the language model found. OUT gets
`en.cloze.npz`, and `pairs.json` for `models/substitutes/judged.py`: each pair of words with how often it was
judged, the mean and the median. Minutes on a graphics card. Needs torch; chance is not fixed, so another run
gives other weights.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import mean, median

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from mtassay.methods.invariance.substitute_lexicon import token_numbers, tokens_around

HALF, WIDTH, HEADS, LAYERS, NEURONS = 12, 128, 4, 3, 512
SECONDS, BATCH, RATE = 125, 4096, 2e-3
LOWEST, HIGHEST, EACH = -12.0, 6.0, 3
TOKEN_START = 4  # what is below is padding, a gap or an end


class Network(nn.Module):
    """Its names are those of the stored weights."""

    def __init__(self, vectors: Tensor) -> None:
        super().__init__()
        self.e = nn.Embedding(len(vectors), WIDTH, padding_idx=0)
        self.e.weight.data = vectors * 0.3
        self.e.weight.data[0] = 0
        self.p = nn.Parameter(torch.randn(2 * HALF + 1, WIDTH) * 0.05)
        self.b = nn.Parameter(torch.zeros(len(vectors)))
        self.qkv = nn.ModuleList(nn.Linear(WIDTH, 3 * WIDTH) for _ in range(LAYERS))
        self.o = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS))
        self.f1 = nn.ModuleList(nn.Linear(WIDTH, NEURONS) for _ in range(LAYERS))
        self.f2 = nn.ModuleList(nn.Linear(NEURONS, WIDTH) for _ in range(LAYERS))
        self.n1 = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(LAYERS))
        self.n2 = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(LAYERS))
        self.n, self.out, self.drop = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.Dropout(0.1)

    def forward(self, around: Tensor) -> Tensor:
        """One vector for each gap."""
        x = self.drop(self.e(around) + self.p)
        size, length, _ = x.shape
        unseen = torch.zeros(around.shape, dtype=x.dtype, device=x.device).masked_fill(around == 0, -1e4)
        layers = zip(self.qkv, self.o, self.f1, self.f2, self.n1, self.n2, strict=True)
        for qkv, o, f1, f2, n1, n2 in layers:
            parts = qkv(n1(x)).reshape(size, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
            mask = unseen[:, None, None, :].expand(size, 1, length, length).to(parts.dtype)
            seen = functional.scaled_dot_product_attention(*parts, attn_mask=mask)
            x = x + self.drop(o(seen.transpose(1, 2).reshape(size, length, WIDTH)))
            x = x + self.drop(f2(functional.relu(f1(n2(x)))))
        return self.out(self.n(x[:, HALF]))


def main() -> None:
    folder, taught, out = map(Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    data = json.loads((folder / "data.json").read_text(encoding="utf-8"))
    numbers = {word: number for number, word in enumerate(data["vocab"])}
    lines = (taught / "teach.jsonl").read_text(encoding="utf-8").splitlines()
    around, words, differences = judged([json.loads(line) for line in lines], numbers, out)
    written = json.loads((taught / "gen.json").read_text(encoding="utf-8"))
    stream = running(written + data["tatoeba"], numbers)
    network = Network(torch.tensor(np.load(folder / "init.npz")["P"].astype(np.float32))).cuda()
    train(network, stream, around, words, differences)
    pack(network, data["vocab"], out / "en.cloze.npz")


def judged(taught: list, numbers: dict[str, int], out: Path) -> tuple[Tensor, Tensor, Tensor]:
    """For each place: what is around it, its word and three others, and the three differences."""
    pairs = defaultdict(list)
    around, words, differences = [], [], []
    for text, changes in taught:
        places = defaultdict(list)
        for start, word, other, difference in changes:
            places[start, word].append((other, difference))
            pairs[word, other].append(difference)
        for (start, word), others in places.items():
            others += [(word, 0.0)] * (EACH - len(others))
            around.append(tokens_around(text, start, numbers))
            words.append([numbers[word], *(numbers[other] for other, _ in others)])
            differences.append([min(max(value, LOWEST), HIGHEST) for _, value in others])
    rows = [[*pair, len(n), round(mean(n), 2), round(median(n), 2)] for pair, n in sorted(pairs.items())]
    (out / "pairs.json").write_text(json.dumps(rows), encoding="utf-8")
    return torch.tensor(around, dtype=torch.int16), torch.tensor(words), torch.tensor(differences)


def running(texts: list[str], numbers: dict[str, int]) -> Tensor:
    """All sentences in one row, with padding between."""
    row: list[int] = []
    for text in texts:
        row += [0] * HALF + [2, *(number for _, number in token_numbers(text, numbers)), 3]
    return torch.tensor(row + [0] * HALF, dtype=torch.int32).cuda()


def gaps(stream: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
    """What is around some words of the stream, up to the ends of their sentences, and those words."""
    chosen = places[torch.randint(len(places), (BATCH,), device="cuda")]
    around = stream[chosen[:, None] + torch.arange(-HALF, HALF + 1, device="cuda")].long()
    left, right = around[:, :HALF], around[:, HALF + 1 :]
    left[((left == 3) | (left == 0)).flip(1).cumsum(1).flip(1) > 0] = 0
    right[((right == 2) | (right == 0)).cumsum(1) > 0] = 0
    words = around[:, HALF].clone()
    around[:, HALF] = 1
    return around, words


def train(network: Network, stream: Tensor, around: Tensor, words: Tensor, differences: Tensor) -> None:
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.01, betas=(0.9, 0.98))
    places = torch.nonzero(stream >= TOKEN_START)[:, 0]
    began, step = time.time(), 0
    while (done := (time.time() - began) / SECONDS) < 1:
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, step / 200) * (0.5 * (1 + math.cos(math.pi * done)) + 0.01)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            seen, right = gaps(stream, places)
            logits = network(seen) @ network.e.weight.T + network.b
            batch = torch.randint(len(around), (BATCH,))
            vectors = network(around[batch].long().cuda())
        chosen, wanted = words[batch].cuda(), differences[batch].cuda()
        likely = (network.e(chosen) * vectors.float()[:, None]).sum(-1) + network.b[chosen]
        real = chosen[:, 1:] != chosen[:, :1]
        found = (likely[:, 1:] - likely[:, :1])[real]
        loss = functional.cross_entropy(logits.float(), right)
        loss = loss + 2 * functional.smooth_l1_loss(found, wanted[real])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        step += 1


def pack(network: Network, words: list[str], path: Path) -> None:
    """Matrices in bytes with a scale for each row; the rest in sixteen bits."""
    stored = {"words": np.frombuffer("\n".join(words).encode(), dtype=np.uint8)}
    for name, weights in network.state_dict().items():
        array = weights.float().cpu().numpy()
        if array.ndim < 2 or name == "p":
            stored[name] = array.astype(np.float16)
            continue
        scale = (np.abs(array).max(1, keepdims=True) / 127).astype(np.float16)
        scale[scale == 0] = 1
        stored[name] = np.clip(np.round(array / scale.astype(np.float32)), -127, 127).astype(np.int8)
        stored[f"{name}:scale"] = scale
    np.savez_compressed(path, **stored)


if __name__ == "__main__":
    main()
