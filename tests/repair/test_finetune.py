"""Fine-tuning a tiny Marian model that the test builds."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from mtassay.data.errors import ClosedError, MissingExtraError, UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Request
from mtassay.meta.repair.training import Example, Lessons, Training, fine_tune
from mtassay.systems.transformers_engine import Transformers
from tests.systems import tiny_models

PAIR = parse_pair("en-pt")
LESSONS = [Example("house red.", "casa vermelha."), Example("sun water.", "lua rio.")]
EAGER = Training(epochs=30, learning_rate=0.02, batch=2)

HAS_TORCH = importlib.util.find_spec("torch") and importlib.util.find_spec("transformers")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for package in ("torch", "transformers", "sentencepiece"):
        pytest.importorskip(package)
    return tiny_models.build_marian(tmp_path_factory.mktemp("tiny") / "marian")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epochs": 0}, "Give 1 or more"),
        ({"batch": 0}, "Give 1 or more"),
        ({"learning_rate": 0.0}, "between 0 and 1"),
        ({"learning_rate": 3.0}, "between 0 and 1"),
    ],
)
def test_settings_that_cannot_train_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Training(**settings)


def test_an_epoch_has_all_corrections_and_its_own_draw_of_ordinary_pairs() -> None:
    ordinary = [Example(f"s{i}", f"t{i}") for i in range(50)]
    lessons = Lessons(LESSONS, ordinary, 10)
    epochs = [lessons.of_epoch(epoch, seed=1) for epoch in range(3)]
    for pairs in epochs:
        assert len(set(pairs)) == lessons.size == 12
        assert set(LESSONS) <= set(pairs) <= {*LESSONS, *ordinary}
    assert len({frozenset(pairs) for pairs in epochs}) == 3
    assert epochs[1] == lessons.of_epoch(1, seed=1) != lessons.of_epoch(1, seed=2)


@pytest.mark.parametrize(("ordinary", "mixed", "size"), [(0, 4, 2), (3, 0, 2), (3, 2, 4), (3, 9, 5)])
def test_no_more_is_mixed_in_than_there_is(ordinary: int, mixed: int, size: int) -> None:
    lessons = Lessons(LESSONS, [Example(str(i), "x") for i in range(ordinary)], mixed)
    assert lessons.size == len(lessons.of_epoch(0, seed=1)) == size


@pytest.mark.skipif(bool(HAS_TORCH), reason="torch is here")
def test_without_the_extra_the_error_names_it(tmp_path: Path) -> None:
    with pytest.raises(MissingExtraError, match=r"mtassay\[transformers\]"):
        fine_tune(tmp_path, Lessons(LESSONS), tmp_path / "new", EAGER, pair=PAIR)


@pytest.mark.slow
def test_a_model_learns_its_corrections_and_the_new_folder_translates(model: Path, tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []

    def report(step: str, done: int, total: int) -> None:
        assert "training" in step
        steps.append((done, total))

    losses = fine_tune(
        model, Lessons(LESSONS), tmp_path / "new", EAGER, pair=PAIR, facts={"n": 2}, report=report
    )
    assert losses[-1] < losses[0] / 4
    assert steps[-1] == (30, 30)
    engine = Transformers(name="new", pair=PAIR, model=str(tmp_path / "new"), max_length=10)
    outputs = engine.translate([Request(str(i), lesson.source) for i, lesson in enumerate(LESSONS)])
    assert [output.text for output in outputs] == [lesson.target for lesson in LESSONS]
    kept = json.loads((tmp_path / "new" / "repair.json").read_text(encoding="utf-8"))
    assert (kept["n"], kept["training"]["epochs"], len(kept["losses"])) == (2, 30, 30)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


@pytest.mark.slow
def test_the_learning_rate_falls_to_nothing(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    rates: list[float] = []
    original = torch.optim.AdamW.step

    def step(self: Any, *arguments: Any, **named: Any) -> Any:
        rates.append(self.param_groups[0]["lr"])
        return original(self, *arguments, **named)

    monkeypatch.setattr(torch.optim.AdamW, "step", step)
    fine_tune(
        model, Lessons(LESSONS), tmp_path / "new", Training(epochs=2, batch=1, learning_rate=0.01), pair=PAIR
    )
    assert rates == pytest.approx([0.01, 0.0075, 0.005, 0.0025])


@pytest.mark.slow
def test_a_folder_without_a_model_is_one_line(model: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ClosedError, match="cannot be loaded"):
        fine_tune(tmp_path / "empty", Lessons(LESSONS), tmp_path / "new", EAGER, pair=PAIR)


@pytest.mark.slow
def test_nothing_to_learn_is_refused(model: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to learn"):
        fine_tune(model, Lessons([]), tmp_path / "new", EAGER, pair=PAIR)
