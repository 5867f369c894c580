"""Keeps a model of `transformers` in eight bits a weight, and makes the usual folder of it again.

usage: python models/infill/weights.py FOLDER …
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
import transformers

GROUP = 64  # weights with a common scale
NAME = "weights-8.pt"


def keep(model: transformers.PreTrainedModel, folder: Path) -> None:
    """Writes what `restore` reads."""
    model.config.architectures = [type(model).__name__]
    model.config.save_pretrained(folder)
    kept: dict[str, torch.Tensor] = {}
    seen: set[int] = set()
    for name, weights in model.state_dict().items():
        if weights.data_ptr() in seen:  # tied to another
            continue
        seen.add(weights.data_ptr())
        if weights.dim() < 2 or weights.numel() % GROUP:
            kept[name] = weights.half().cpu()
            continue
        groups = weights.float().reshape(-1, GROUP)
        scale = (groups.abs().amax(dim=1, keepdim=True) / 127).clamp(min=1e-7).half()
        kept[name] = (groups / scale.float()).round().clamp(-127, 127).to(torch.int8).cpu()
        kept[f"{name}/scale"] = scale.cpu()
    torch.save(kept, folder / NAME)


def restore(folder: Path) -> transformers.PreTrainedModel:
    """Reads the weights, and writes them so that `from_pretrained` finds them."""
    config = transformers.AutoConfig.from_pretrained(folder)
    model = getattr(transformers, config.architectures[0])(config)
    kept = torch.load(folder / NAME, map_location="cpu")
    found = {}
    for name, weights in model.state_dict().items():
        if name in kept:
            scale = kept.get(f"{name}/scale")
            numbers = kept[name].float()
            found[name] = (numbers if scale is None else numbers * scale.float()).reshape(weights.shape)
    model.load_state_dict(found, strict=False)
    model.tie_weights()
    model.save_pretrained(folder)
    return model


if __name__ == "__main__":
    for each in sys.argv[1:]:
        restore(Path(each))
