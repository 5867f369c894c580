"""A Transformer of the size of Vaswani et al.'s base model in plain PyTorch, and how it translates.

usage: python models/transformer/network.py MODEL < SOURCES > OUTPUTS

MODEL is a folder that train.py wrote. Needs torch and sentencepiece. As a system of mtassay:
`-t "base=command:python models/transformer/network.py MODEL"`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import sentencepiece
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

PAD, UNKNOWN, BEGIN, END = 0, 1, 2, 3
BEAMS = 4
SHARD = 14 << 20  # bytes of a file of weights
GROUP = 64  # weights with a common scale when eight bits are kept of each


@dataclass(frozen=True)
class Shape:
    """The sizes of a network; the defaults are those of the base model (65 million with their vocabulary)."""

    vocabulary: int
    width: int = 512
    layers: int = 6
    heads: int = 8
    inner: int = 2048
    dropout: float = 0.2


class Attention(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads, self.dropout = shape.heads, shape.dropout / 2
        self.query = nn.Linear(shape.width, shape.width)
        self.key_value = nn.Linear(shape.width, 2 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None, *, causal: bool = False) -> Tensor:
        def split(y: Tensor) -> Tensor:
            return y.unflatten(-1, (self.heads, -1)).transpose(1, 2)

        key, value = map(split, self.key_value(memory).chunk(2, dim=-1))
        dropout = self.dropout if self.training else 0.0
        y = scaled_dot_product_attention(
            split(self.query(x)), key, value, attn_mask=mask, dropout_p=dropout, is_causal=causal
        )
        return self.out(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """Self-attention, attention to the source in a decoder, and two dense layers, all pre-normalised."""

    def __init__(self, shape: Shape, *, decoder: bool) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(shape.width) for _ in range(3 if decoder else 2))
        self.attention = Attention(shape)
        self.cross = Attention(shape) if decoder else None
        self.dense = nn.Sequential(
            nn.Linear(shape.width, shape.inner), nn.ReLU(), nn.Linear(shape.inner, shape.width)
        )
        self.drop = nn.Dropout(shape.dropout)

    def forward(self, x: Tensor, mask: Tensor, memory: Tensor | None = None) -> Tensor:
        y = self.norms[0](x)
        own = None if self.cross else mask
        x = x + self.drop(self.attention(y, y, own, causal=self.cross is not None))
        if self.cross:
            x = x + self.drop(self.cross(self.norms[2](x), memory, mask))
        return x + self.drop(self.dense(self.norms[1](x)))


class Transformer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)  # of both sides, and of the outputs
        self.encoder = nn.ModuleList(Layer(shape, decoder=False) for _ in range(shape.layers))
        self.decoder = nn.ModuleList(Layer(shape, decoder=True) for _ in range(shape.layers))
        self.last = nn.ModuleList(nn.LayerNorm(shape.width) for _ in range(2))
        self.drop = nn.Dropout(shape.dropout)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        nn.init.normal_(self.embedding.weight, std=shape.width**-0.5)

    def embed(self, ids: Tensor) -> Tensor:
        width = self.shape.width
        place = torch.arange(ids.shape[1], device=ids.device).float()[:, None]
        rate = torch.exp(torch.arange(0, width, 2, device=ids.device) * (-9.21034 / width))
        waves = torch.cat([torch.sin(place * rate), torch.cos(place * rate)], dim=1)
        return self.drop(self.embedding(ids) * width**0.5 + waves)

    def encode(self, sources: Tensor) -> tuple[Tensor, Tensor]:
        mask = (sources != PAD)[:, None, None, :]
        x = self.embed(sources)
        for layer in self.encoder:
            x = layer(x, mask)
        return self.last[0](x), mask

    def decode(self, targets: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        x = self.embed(targets)
        for layer in self.decoder:
            x = layer(x, mask, memory)
        return self.last[1](x)

    def loss(self, sources: Tensor, targets: Tensor, *, smoothing: float = 0.0) -> Tensor:
        """Mean cross-entropy of the target pieces; `targets` begin with BEGIN and end with END."""
        right = targets[:, 1:].flatten()
        logits = self.logits(sources, targets)
        return cross_entropy(logits, right, ignore_index=PAD, label_smoothing=smoothing)

    def logits(self, sources: Tensor, targets: Tensor) -> Tensor:
        """Of each piece of the targets but the first, all rows together."""
        states = self.decode(targets[:, :-1], *self.encode(sources))
        return (states @ self.embedding.weight.T).flatten(0, 1).float()


def padded(rows: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    longest = -(-max(map(len, rows)) // 8) * 8  # few shapes, which the kernels like
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows]).to(device)


def device_of(model: nn.Module) -> torch.device:
    return next(model.parameters()).device


def autocast(model: nn.Module) -> torch.autocast:
    kind = device_of(model).type
    return torch.autocast(kind, dtype=torch.bfloat16, enabled=kind == "cuda")


@torch.no_grad()
def beam_search(model: Transformer, rows: Sequence[Sequence[int]], *, beams: int = BEAMS) -> list[list[int]]:
    """The best output of each row of source pieces (with END), without END; length-normalised scores."""
    device = device_of(model)
    sources = padded(rows, device)
    memory, mask = model.encode(sources)
    memory, mask = (x.repeat_interleave(beams, dim=0) for x in (memory, mask))
    count, longest = len(rows), min(200, sources.shape[1] * 3 // 2 + 8)
    targets = torch.full((count * beams, 1), BEGIN, device=device)
    scores = torch.full((count, beams), -torch.inf, device=device)
    scores[:, 0] = 0.0
    over = torch.zeros(count, beams, dtype=torch.bool, device=device)
    lengths = torch.ones(count, beams, device=device)
    for _ in range(longest):
        states = model.decode(targets, memory, mask)[:, -1]
        steps = torch.log_softmax((states @ model.embedding.weight.T).float(), dim=-1).view(count, beams, -1)
        steps[..., [PAD, UNKNOWN, BEGIN]] = -torch.inf
        ended = torch.full_like(steps, -torch.inf)
        ended[..., PAD] = 0.0  # what is over stays as it is
        steps = torch.where(over[..., None], ended, steps)
        total = scores[..., None] + steps
        rank = total / (lengths + (~over).float())[..., None]
        best = rank.flatten(1).topk(beams, dim=1).indices
        origin, piece = best // steps.shape[-1], best % steps.shape[-1]
        scores = total.flatten(1).gather(1, best)
        lengths = lengths.gather(1, origin) + (~over.gather(1, origin)).float()
        index = (origin + torch.arange(count, device=device)[:, None] * beams).flatten()
        targets = torch.cat([targets[index], piece.view(-1, 1)], dim=1)
        over = over.gather(1, origin) | (piece == END)
        if over[:, 0].all():
            break
    first = targets.view(count, beams, -1)[:, 0].tolist()
    return [[piece for piece in row if piece not in (PAD, BEGIN, END)] for row in first]


@dataclass
class Translator:
    """A network and its pieces."""

    model: Transformer
    pieces: sentencepiece.SentencePieceProcessor

    def code(self, text: str) -> list[int]:
        return [*self.pieces.encode(text)[:198], END]

    def __call__(self, texts: Sequence[str], *, batch: int = 1024, beams: int = BEAMS) -> list[str]:
        self.model.eval()
        outputs = [""] * len(texts)
        coded = [self.code(text) for text in texts]
        order = sorted(range(len(texts)), key=lambda i: len(coded[i]))
        for start in range(0, len(order), batch):
            part = order[start : start + batch]
            with autocast(self.model):
                found = beam_search(self.model, [coded[i] for i in part], beams=beams)
            for i, row in zip(part, found, strict=True):
                outputs[i] = self.pieces.decode(row)
        return outputs


def eight_bits(weights: Tensor) -> tuple[Tensor, Tensor]:
    """Whole numbers from -127 to 127, and a scale for each GROUP of them."""
    groups = weights.float().reshape(-1, GROUP)
    scale = (groups.abs().amax(dim=1, keepdim=True) / 127).clamp(min=1e-12).half().float()
    return (groups / scale).round().clamp(-127, 127).to(torch.int8), scale.half()


def save(translator: Translator, folder: Path) -> None:
    """Eight bits a weight, in files below 16 MB. The model is left with the weights as they were kept."""
    folder.mkdir(parents=True, exist_ok=True)
    model = translator.model
    shards: list[dict[str, Tensor]] = [{}]
    size = 0
    for name, weights in model.state_dict().items():
        if weights.numel() % GROUP or weights.dim() < 2:
            kept = {name: weights.half()}
        else:
            numbers, scale = eight_bits(weights)
            kept = {name: numbers, f"{name}/scale": scale}
        size += sum(part.nbytes for part in kept.values())
        if size > SHARD:
            shards.append({})
            size = sum(part.nbytes for part in kept.values())
        shards[-1].update({key: part.cpu() for key, part in kept.items()})
    for number, shard in enumerate(shards):
        torch.save(shard, folder / f"weights-{number}.pt")
    (folder / "shape.json").write_text(json.dumps(asdict(model.shape)), encoding="utf-8")
    (folder / "pieces.model").write_bytes(translator.pieces.serialized_model_proto())
    model.load_state_dict(read_weights(folder, model))


def read_weights(folder: Path, model: Transformer) -> dict[str, Tensor]:
    stored: dict[str, Tensor] = {}
    for path in sorted(folder.glob("weights-*.pt")):
        stored.update(torch.load(path, map_location="cpu"))
    found = {}
    for name, like in model.state_dict().items():
        weights = stored[name].float()
        if f"{name}/scale" in stored:
            weights = weights * stored[f"{name}/scale"].float()
        found[name] = weights.reshape(like.shape)
    return found


def load(folder: Path) -> Translator:
    """Reads what `save` wrote."""
    shape = json.loads((folder / "shape.json").read_text(encoding="utf-8"))
    model = Transformer(Shape(**shape))
    model.load_state_dict(read_weights(folder, model))
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "pieces.model"))
    return Translator(model.to("cuda" if torch.cuda.is_available() else "cpu"), pieces)


if __name__ == "__main__":
    translator = load(Path(sys.argv[1]))
    for output in translator(sys.stdin.read().removesuffix("\n").split("\n")):
        print(output)
