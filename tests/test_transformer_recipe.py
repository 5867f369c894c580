"""The recipe of models/transformer, with a network small enough to learn a few pairs by heart."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("sentencepiece")
pytestmark = pytest.mark.slow

RECIPE = Path(__file__).resolve().parent.parent / "models" / "transformer"
PAIRS = [
    ("The dog sleeps.", "O cão dorme."),
    ("The cat sleeps.", "O gato dorme."),
    ("The dog eats.", "O cão come."),
    ("The cat eats bread.", "O gato come pão."),
]


@pytest.fixture
def translator(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A network that learnt the pairs."""
    monkeypatch.syspath_prepend(str(RECIPE))
    import torch
    import train
    from network import Shape, Transformer, Translator

    torch.manual_seed(1)
    pieces = train.learn_pieces(PAIRS * 5, size=280)
    small = Shape(len(pieces), width=32, layers=1, heads=2, inner=64, dropout=0.0)
    made = Translator(Transformer(small), pieces)
    rows = train.coded(PAIRS, pieces)
    optimizer = torch.optim.Adam(made.model.parameters(), lr=5e-3)
    for _ in range(150):
        loss = train.batch_loss(made.model, rows, smoothing=0.0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    yield made
    for name in ("network", "train"):
        sys.modules.pop(name, None)


def test_what_was_learnt_is_translated_and_survives_being_kept(translator: Any, tmp_path: Path) -> None:
    from network import load, save

    sources, targets = zip(*PAIRS, strict=True)
    assert translator(sources) == list(targets)
    save(translator, tmp_path)
    # Saving rounds the weights to eight bits, of the model available too.
    assert load(tmp_path)(sources) == translator(sources) == list(targets)


def test_texts_come_back_in_their_order(translator: Any) -> None:
    sources, targets = zip(*reversed(PAIRS), strict=True)
    assert translator(sources, batch=2) == list(targets)
