"""COMET models: which checkpoint is meant, and the official package on tiny models that nobody trained."""

from __future__ import annotations

import gc
import logging
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtassay.data.errors import InputError, ServiceError, UsageError
from mtassay.data.nouns import Segment
from mtassay.measures.comet import COMET, local_checkpoint


def checkpoint_folder(folder: Path, *names: str, hparams: bool = True) -> Path:
    (folder / "checkpoints").mkdir(parents=True)
    for name in names:
        (folder / "checkpoints" / name).write_bytes(b"abc")
    if hparams:
        (folder / "hparams.yaml").write_text("class_identifier: regression_metric\n", encoding="utf-8")
    return folder


def test_a_name_is_no_path() -> None:
    assert local_checkpoint("Unbabel/wmt22-comet-da") is None


def test_a_linked_checkpoint_keeps_the_folder_of_the_link(tmp_path: Path) -> None:
    folder = checkpoint_folder(tmp_path / "snapshot")
    (tmp_path / "blob").write_bytes(b"abc")
    link = folder / "checkpoints" / "model.ckpt"
    link.symlink_to(tmp_path / "blob")
    assert local_checkpoint(str(folder)) == link.parent.resolve() / "model.ckpt"


@pytest.mark.parametrize(
    ("names", "hparams", "model", "message"),
    [
        ((), True, "", "no checkpoint (.ckpt) in it. Give the path of one file."),
        (("a.ckpt", "b.ckpt"), True, "", "2 checkpoints (.ckpt) in it. Give the path of one file."),
        ((), True, "x.ckpt", "no such checkpoint. Give a .ckpt file, its folder, or a model's name."),
        (
            ("a.ckpt",),
            False,
            "checkpoints/a.ckpt",
            "no hparams.yaml one folder above. Keep FOLDER/hparams.yaml",
        ),
    ],
)
def test_a_path_without_a_usable_checkpoint_says_what_is_wrong(
    tmp_path: Path, names: tuple[str, ...], hparams: bool, model: str, message: str
) -> None:
    path = checkpoint_folder(tmp_path / "mine", *names, hparams=hparams) / model
    with pytest.raises(InputError) as caught:
        local_checkpoint(str(path))
    assert str(caught.value).startswith(f"{path}: {message}")


ALPHABET = "abcdefghijklmnopqrstuvwxyz .,?"

SEGMENTS = [
    Segment("1", "das haus ist alt.", ("the house is old.", "that house is old.")),
    Segment("2", "wo ist er?", ("where is he?", "where did he go?")),
    Segment("3", "", ("", "nothing")),
]
OUTPUTS = {
    "a": ["the house is old.", "where is it?", ""],
    "b": ["old is the house, and it is very, very big.", "where is it?", "something"],
}


def build_encoder(folder: Path) -> str:
    """A two-layer XLM-R with one token per letter and weights that nobody trained."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors
    from transformers import XLMRobertaConfig, XLMRobertaTokenizerFast

    pieces = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *ALPHABET]
    tokenizer = Tokenizer(models.WordLevel({piece: i for i, piece in enumerate(pieces)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    XLMRobertaTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    XLMRobertaConfig(
        vocab_size=len(pieces),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=66,
        initializer_range=0.5,  # of 0.02, texts would rarely differ in their scores
    ).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def build_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Saves an untrained COMET model of a kind in COMET's own folder layout, with nothing downloaded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("comet", reason="needs unbabel-comet: pip install 'mtassay[comet]'")
    import pytorch_lightning
    import torch
    from comet.models import str2model

    encoder = build_encoder(tmp_path_factory.mktemp("encoder"))

    def build(kind: str, **settings: Any) -> Path:
        folder = tmp_path_factory.mktemp(kind)
        torch.manual_seed(1)
        model = str2model[kind](
            pretrained_model=encoder,
            hidden_sizes=[8],
            load_pretrained_weights=False,
            local_files_only=True,
            **settings,
        )
        if model.layerwise_attention:  # nobody trained them: without this all layers count alike
            for number, parameter in enumerate(model.layerwise_attention.scalar_parameters):
                torch.nn.init.constant_(parameter, number / 4)
            torch.nn.init.constant_(model.layerwise_attention.gamma, 1.5)
        trainer = pytorch_lightning.Trainer(accelerator="cpu", logger=False, enable_checkpointing=False)
        trainer.strategy.connect(model)
        trainer.save_checkpoint(folder / "checkpoints" / "model.ckpt")
        (folder / "hparams.yaml").write_text(f"class_identifier: {kind}\n", encoding="utf-8")
        return folder

    return build


def official(folder: Path, output: str, segment: Segment, reference: str | None) -> float:
    """What COMET itself says about one output alone."""
    import comet

    model = comet.load_from_checkpoint(str(folder / "checkpoints" / "model.ckpt"), local_files_only=True)
    record = {"src": segment.source, "mt": output} | ({} if reference is None else {"ref": reference})
    return float(model.predict([record], gpus=0, progress_bar=False)["scores"][0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "settings", "reads_references"),
    [
        ("regression_metric", {}, True),
        ("regression_metric", {"layer_transformation": "sparsemax", "layer_norm": False}, True),
        ("regression_metric", {"layer_norm": False, "pool": "cls"}, True),
        ("regression_metric", {"layer_norm": False, "pool": "max"}, True),
        ("regression_metric", {"layer": 1, "pool": "cls"}, True),
        ("referenceless_regression_metric", {}, False),
        ("unified_metric", {"word_layer": 2, "input_segments": ["mt", "src"]}, False),
        ("unified_metric", {"word_layer": 2, "input_segments": ["mt", "src", "ref"]}, True),
    ],
)
def test_scores_are_those_of_the_official_package(
    build_model: Callable[..., Path], kind: str, settings: dict[str, Any], reads_references: bool
) -> None:
    folder = build_model(kind, **settings)
    measured = COMET(model=str(folder), batch_size=2).measure(SEGMENTS, OUTPUTS)
    ours = {statistics.system: statistics.values[:, 0] for statistics in measured}
    seen = set()
    for system, texts in OUTPUTS.items():
        for segment, text, score in zip(SEGMENTS, texts, ours[system], strict=True):
            references = segment.references if reads_references else (None,)
            theirs = [official(folder, text, segment, reference) for reference in references]
            assert score == pytest.approx(np.mean(theirs), abs=1e-5)
            seen.add(round(score, 5))
    assert len(seen) == 5, "two systems share one output, the other scores must differ or nothing is tested"


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"layer_norm": False}, {"layer_norm": False, "pool": "cls"}])
def test_texts_of_all_lengths_are_scored_in_batches_as_the_official_package_scores_them_alone(
    build_model: Callable[..., Path], settings: dict[str, Any]
) -> None:
    # Up to three times as long as the model reads, and one with the token that means padding.
    texts = [*((ALPHABET * 6)[length : 3 * length] for length in range(1, 60, 7)), "a<pad>b", "", "<pad>"]
    segments = [Segment(str(i), text[::-1], (text + "?",)) for i, text in enumerate(texts)]
    folder = build_model("regression_metric", **settings)
    (measured,) = COMET(model=str(folder), batch_size=2).measure(segments, {"a": texts})
    theirs = [
        official(folder, text, segment, segment.references[0])
        for text, segment in zip(texts, segments, strict=True)
    ]
    np.testing.assert_allclose(measured.values[:, 0], theirs, atol=1e-5)
    assert len({round(score, 4) for score in theirs}) > 8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("regression_metric", {}),
        ("regression_metric", {"layer_norm": False}),
        ("regression_metric", {"layer": 1, "pool": "cls"}),
        ("referenceless_regression_metric", {}),
        ("unified_metric", {"word_layer": 2, "input_segments": ["mt", "src"]}),
    ],
)
def test_half_the_precision_gives_nearly_the_same_scores(
    build_model: Callable[..., Path], kind: str, settings: dict[str, Any]
) -> None:
    folder = str(build_model(kind, **settings))
    full, half = (
        np.concatenate([one.values[:, 0] for one in metric.measure(SEGMENTS, OUTPUTS)])
        for metric in (COMET(model=folder), COMET(model=folder, precision="bf16"))
    )
    # bfloat16 has 8 significant bits.
    np.testing.assert_allclose(half, full, atol=0.03)
    assert (half != full).all()


@pytest.mark.slow
def test_a_system_is_measured_alike_alone_and_among_others(build_model: Callable[..., Path]) -> None:
    metric = COMET(model=str(build_model("regression_metric")))
    together = metric.measure(SEGMENTS, OUTPUTS)
    assert [statistics.system for statistics in together] == list(OUTPUTS)
    for statistics in together:
        (alone,) = metric.measure(SEGMENTS, {statistics.system: OUTPUTS[statistics.system]})
        np.testing.assert_allclose(alone.values, statistics.values, rtol=1e-5)
        assert list(statistics.ids) == ["1", "2", "3"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["regression_metric", "referenceless_regression_metric"])
def test_the_official_package_says_nothing_on_the_terminal(
    build_model: Callable[..., Path], kind: str
) -> None:
    # In a process of its own, because the import is what warns first.
    script = f"""
from mtassay.data.nouns import Segment
from mtassay.measures.comet import COMET
COMET(model={str(build_model(kind))!r}).measure([Segment("1", "a", ("b",))], {{"a": ["c"]}})
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["regression_metric", "referenceless_regression_metric"])
def test_logging_and_all_such_things_are_afterwards_what_they_were(
    build_model: Callable[..., Path], kind: str
) -> None:
    folder = build_model(kind)

    def state() -> tuple[object, ...]:
        return (logging.root.manager.disable, list(warnings.filters), sys.stdout, sys.stderr, gc.isenabled())

    before = state()
    COMET(model=str(folder)).measure(SEGMENTS, OUTPUTS)
    assert state() == before


@pytest.mark.slow
def test_the_signature_names_the_installed_release(build_model: Callable[..., Path]) -> None:
    folder = build_model("regression_metric")
    assert f"|comet:{version('unbabel-comet')}|" in COMET(model=str(folder)).signature(SEGMENTS)


@pytest.mark.slow
def test_a_file_that_is_no_checkpoint_is_one_line(build_model: Callable[..., Path]) -> None:
    folder = build_model("regression_metric")
    (folder / "checkpoints" / "model.ckpt").write_bytes(b"abc")
    with pytest.raises(InputError, match=r"model\.ckpt: not a COMET checkpoint \(.*\)\.$") as caught:
        COMET(model=str(folder)).measure(SEGMENTS, OUTPUTS)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_an_encoder_that_is_not_here_is_one_line(build_model: Callable[..., Path]) -> None:
    import torch

    folder = build_model("regression_metric")
    path = folder / "checkpoints" / "model.ckpt"
    checkpoint = torch.load(path, weights_only=False)
    checkpoint["hyper_parameters"]["pretrained_model"] = str(folder / "gone")
    torch.save(checkpoint, path)
    with pytest.raises(
        ServiceError, match=r"cannot get the tokeniser of its encoder .* set HF_HOME"
    ) as caught:
        COMET(model=str(folder)).measure(SEGMENTS, OUTPUTS)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_a_model_that_cannot_be_downloaded_says_what_to_do(build_model: Callable[..., Path]) -> None:
    with pytest.raises(ServiceError, match=r"^Cannot download COMET model 'no such model'\. .* \.ckpt file"):
        COMET(model="no such model").measure(SEGMENTS, OUTPUTS)  # no valid name, so no network is asked


@pytest.mark.slow
def test_a_gpu_that_is_not_there_is_refused(build_model: Callable[..., Path]) -> None:
    import torch

    if torch.cuda.is_available() or torch.backends.mps.is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(UsageError, match="PyTorch sees no GPU here"):
        COMET(model=str(build_model("regression_metric")), gpus=1).measure(SEGMENTS, OUTPUTS)
