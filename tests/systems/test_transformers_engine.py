"""The transformers system on tiny models that are built here, and what is checked without the library."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from mtassay.data.errors import ClosedError, MissingExtraError, UsageError
from mtassay.data.languages import parse_language, parse_pair
from mtassay.data.nouns import Request
from mtassay.systems.live import find_code
from mtassay.systems.transformers_engine import Transformers
from tests.systems import tiny_models

NLLB = [
    "eng_Latn",
    "por_Latn",
    "srp_Cyrl",
    "arb_Arab",
    "pes_Arab",
    "zho_Hans",
    "zho_Hant",
    "swh_Latn",
    "tgl_Latn",
]
M2M = ["en", "pt", "zh", "no", "sr", "tl"]
MBART = ["en_XX", "pt_XX", "zh_CN", "ar_AR"]


@pytest.mark.parametrize(
    ("language", "codes", "expected"),
    [
        ("en", NLLB, "eng_Latn"),
        ("pt-BR", NLLB, "por_Latn"),
        ("fa", NLLB, "pes_Arab"),
        ("sw", NLLB, "swh_Latn"),
        ("zh", NLLB, "zho_Hans"),
        ("zh-Hant", NLLB, "zho_Hant"),
        ("zh-TW", NLLB, "zho_Hant"),
        ("fil", NLLB, "tgl_Latn"),
        ("pt-BR", M2M, "pt"),
        ("zh-CN", M2M, "zh"),
        ("pt-BR", MBART, "pt_XX"),
        ("zh", MBART, "zh_CN"),
    ],
)
def test_a_language_is_found_among_the_codes_of_a_model(
    language: str, codes: list[str], expected: str
) -> None:
    assert find_code(parse_language(language), codes, what="it", option="target_code") == expected


@pytest.mark.parametrize(("language", "codes"), [("de", NLLB), ("sr-Latn", NLLB), ("zh-TW", MBART)])
def test_a_language_that_a_model_does_not_have_is_a_usage_error(language: str, codes: list[str]) -> None:
    with pytest.raises(
        UsageError, match=r"it has no code that fits .* Give one that it knows: target_code=CODE"
    ):
        find_code(parse_language(language), codes, what="it", option="target_code")


@pytest.mark.parametrize(
    ("options", "words"),
    [({"model": ""}, "no model"), ({"batch": 0}, "batch is 0"), ({"beam_size": 0}, "beam_size is 0")],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        system(**{"model": "some/model", **options})


@pytest.mark.skipif(importlib.util.find_spec("transformers") is not None, reason="it is installed")
def test_a_missing_library_is_named_when_it_is_used() -> None:
    for use in (lambda: system("x").signature, lambda: system("x").translate([Request("1", "a")])):
        with pytest.raises(MissingExtraError, match=r"pip install 'mtassay\[transformers\]'"):
            use()


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a Marian, an NLLB and an M2M-100 model."""
    for package in ("torch", "transformers", "sentencepiece"):
        pytest.importorskip(package)
    folder = tmp_path_factory.mktemp("models")
    tiny_models.build_marian(folder / "marian")
    tiny_models.build_nllb(folder / "nllb")
    tiny_models.build_m2m(folder / "m2m")
    return folder


@pytest.mark.slow
class TestTinyModels:
    """Real library, random weights."""

    def test_a_batch_answers_as_its_texts_do_alone(self, models: Path) -> None:
        marian = system(models / "marian", max_length=12)
        batch = [
            Request(str(i), text) for i, text in enumerate(["house red cat.", "gato", "sun bread water."])
        ]
        together = [output.text for output in marian.translate(batch)]
        alone = [output.text for request in batch for output in marian.translate([request])]
        assert together == alone
        assert len(set(together)) == 3

    def test_texts_it_cannot_take_cost_only_themselves(self, models: Path) -> None:
        texts = ["gato", None, "", "water " * 80, "\udfff", "sun"]
        outputs = system(models / "marian", max_length=12).translate(
            [Request(str(i), text) for i, text in enumerate(texts)]
        )
        assert [output.error for output in outputs] == [
            None,
            "no source text",
            None,
            "the source has 81 tokens, and the model takes 64",
            "the source text is not valid Unicode",
            None,
        ]
        assert [output.id for output in outputs] == ["0", "1", "2", "3", "4", "5"]
        assert outputs[2].text == ""

    def test_a_translation_that_did_not_end_says_so(self, models: Path) -> None:
        output = system(models / "marian", max_length=2).translate([Request("1", "house red cat.")])[0]
        assert output.meta == {"cut": "at 2 tokens"}

    @pytest.mark.parametrize(
        ("model", "source", "target"), [("nllb", "eng_Latn", "por_Latn"), ("m2m", "__en__", "__pt__")]
    )
    def test_a_multilingual_model_is_told_both_languages(
        self, models: Path, model: str, source: str, target: str
    ) -> None:
        engine = system(models / model, max_length=8)
        output = engine.translate([Request("1", "house")])[0]
        loaded = engine._loaded
        assert loaded.tokenizer.convert_tokens_to_ids(source) == loaded.tokens("", ["house"])[0][0]
        assert loaded.first_token == loaded.tokenizer.convert_tokens_to_ids(target)
        assert output.text
        assert target not in output.text

    def test_codes_can_be_given_and_must_exist(self, models: Path) -> None:
        given = system(models / "nllb", target_code="zho_Hant", max_length=4)
        assert given.translate([Request("1", "house")])[0].error is None
        assert given._loaded.first_token == given._loaded.tokenizer.convert_tokens_to_ids("zho_Hant")
        with pytest.raises(UsageError, match="no language code 'xx_Xxxx'"):
            system(models / "nllb", target_code="xx_Xxxx").translate([Request("1", "house")])

    def test_the_signature_follows_what_answers(self, models: Path) -> None:
        one = system(models / "marian")
        assert one.signature == system(models / "marian", batch=2).signature
        assert one.signature != system(models / "marian", beam_size=3).signature
        before = one.signature
        (models / "marian" / "note.txt").write_text("trained again", encoding="utf-8")
        assert one.signature != before
        assert str(models) not in before

    def test_nothing_is_printed(self, models: Path, capfd: pytest.CaptureFixture[str]) -> None:
        capfd.readouterr()
        system(models / "marian", max_length=4).translate(
            [Request("1", "house"), Request("2", "water " * 80)]
        )
        assert capfd.readouterr() == ("", "")

    def test_a_folder_that_is_no_model_is_closed(self, models: Path) -> None:
        (models / "empty").mkdir()
        with pytest.raises(ClosedError, match="cannot be loaded") as caught:
            system(models / "empty").translate([Request("1", "house")])
        assert "\n" not in str(caught.value)


def system(model: str | Path, **options: Any) -> Transformers:
    return Transformers(name="t", pair=parse_pair("en-pt-BR"), model=str(model), **options)
