"""The CTranslate2 system on a tiny model that is built and converted here."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from mtassay.data.errors import ClosedError, MissingExtraError, UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Request
from mtassay.systems.local_engines import CTranslate2
from mtassay.systems.transformers_engine import Transformers
from tests.systems import tiny_models

PAIR = parse_pair("en-pt")
TEXTS = ["house red cat.", "gato", "sun bread water.", "lua rio livro casa vermelha."]


def requests(*texts: str | None) -> list[Request]:
    return [Request(str(i), text) for i, text in enumerate(texts)]


def system(model: Path, **options: Any) -> CTranslate2:
    return CTranslate2(name="c", pair=PAIR, model=str(model), **options)


def test_a_folder_without_a_model_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no model\.bin in"):
        _ = system(tmp_path).signature


def test_a_model_without_sentencepiece_says_what_to_give(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"x")
    with pytest.raises(UsageError, match=r"no SentencePiece model .*source\.spm.* Give it: source_spm=FILE"):
        _ = system(tmp_path).signature


@pytest.mark.parametrize("option", ["beam_size", "max_length", "batch"])
def test_numbers_below_one_are_refused(tmp_path: Path, option: str) -> None:
    with pytest.raises(UsageError, match=f"{option} is 0"):
        system(tmp_path, **{option: 0})


@pytest.mark.skipif(importlib.util.find_spec("ctranslate2") is not None, reason="it is installed")
def test_a_missing_package_is_named_when_it_is_used(tmp_path: Path) -> None:
    for name in ("model.bin", "source.spm", "target.spm"):
        (tmp_path / name).write_bytes(b"x")
    for use in (lambda: system(tmp_path).signature, lambda: system(tmp_path).translate(requests("a"))):
        with pytest.raises(MissingExtraError, match=r"pip install 'mtassay\[ctranslate2\]'"):
            use()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Marian model."""
    for package in ("torch", "transformers", "sentencepiece", "ctranslate2"):
        pytest.importorskip(package)
    return tiny_models.build_marian(tmp_path_factory.mktemp("models") / "marian")


@pytest.fixture(scope="module")
def converted(original: Path) -> Path:
    """The same model for CTranslate2."""
    from ctranslate2.converters import TransformersConverter

    folder = original.with_name("converted")
    TransformersConverter(str(original), copy_files=["source.spm", "target.spm"]).convert(str(folder))
    return folder


@pytest.mark.slow
class TestTinyModel:
    """Real library, random weights."""

    def test_it_answers_as_the_model_it_was_converted_from(self, original: Path, converted: Path) -> None:
        before = Transformers(name="t", pair=PAIR, model=str(original), beam_size=1, max_length=12)
        after = system(converted, source_suffix="</s>", beam_size=1, max_length=12)
        expected = [output.text for output in before.translate(requests(*TEXTS))]
        assert [output.text for output in after.translate(requests(*TEXTS))] == expected
        assert len(set(expected)) == len(TEXTS)

    def test_texts_it_cannot_take_cost_only_themselves(self, converted: Path) -> None:
        outputs = system(converted, max_length=12).translate(requests("gato", None, " ", "\ud800", "sun"))
        assert [output.error for output in outputs] == [
            None,
            "no source text",
            None,
            "the source text is not valid Unicode",
            None,
        ]

    def test_a_target_prefix_is_no_part_of_the_translation(self, converted: Path) -> None:
        plain = system(converted, target_prefix="▁house", beam_size=1, max_length=12)
        first = str(plain.translate(requests("gato"))[0].text).split()
        assert len(first) < 12

    def test_a_translation_that_did_not_end_says_so(self, converted: Path) -> None:
        output = system(converted, max_length=2).translate(requests("house red cat."))[0]
        assert output.meta == {"cut": "at 2 tokens"}

    def test_the_signature_follows_what_answers(self, converted: Path) -> None:
        one = system(converted)
        assert one.signature == system(converted, batch=2).signature
        assert one.signature != system(converted, source_suffix="</s>").signature
        assert str(converted) not in one.signature

    def test_a_broken_model_is_closed(self, converted: Path) -> None:
        broken = converted.with_name("broken")
        broken.mkdir()
        (broken / "model.bin").write_bytes(b"no model")
        spm = str(converted / "source.spm")
        with pytest.raises(ClosedError, match="cannot be loaded"):
            system(broken, source_spm=spm, target_spm=spm).translate(requests("a"))
