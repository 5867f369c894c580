"""What every annotator backend keeps: add a row to EXAMPLES and it is checked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from typing import Any, NamedTuple

import pytest

from mtassay.data.errors import MissingExtraError
from mtassay.data.registry import find, names
from mtassay.nlp.annotation import LAYERS, Annotator
from mtassay.nlp.annotators import Backend
from tests.tools.annotate.checks import assert_well_formed


class Example(NamedTuple):
    """The module of its package, and a model that can be asked for, whether there is one or not."""

    package: str
    language: str
    model: str = ""


EXAMPLES = {
    "spacy": Example("spacy", "pt", "pt_core_news_sm"),
    "stanza": Example("stanza", "pt", "models"),
}
LANGUAGES = ("pt", "en", "de", "ru", "zh", "cy")


@pytest.fixture(params=names("annotator"))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def backend(name: str) -> Backend:
    found: Backend = find("annotator", name)
    return found


class Without:
    """Finds every module but one package, as on a machine where that is not installed."""

    def __init__(self, package: str, finders: Sequence[Any]) -> None:
        self.package = package
        self.finders = finders

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] == self.package:
            return None
        found = (finder.find_spec(name, path, target) for finder in self.finders)
        return next(filter(None, found), None)


@pytest.fixture
def without_package(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package = EXAMPLES[name].package
    for module in [module for module in sys.modules if module.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "meta_path", [Without(package, sys.meta_path)])


def test_every_registered_annotator_is_checked() -> None:
    assert EXAMPLES.keys() >= set(names("annotator"))


def test_models_are_a_list_for_any_language(backend: Backend) -> None:
    for language in LANGUAGES:
        assert all(isinstance(model, str) for model in backend.models(language))


@pytest.mark.usefixtures("without_package")
def test_without_its_package_there_are_no_models(backend: Backend) -> None:
    assert [backend.models(language) for language in LANGUAGES] == [[]] * len(LANGUAGES)


@pytest.mark.usefixtures("without_package")
def test_without_its_package_a_named_model_says_what_to_install(name: str, backend: Backend) -> None:
    example = EXAMPLES[name]
    with pytest.raises(MissingExtraError, match=r"pip install 'mtassay\[") as caught:
        backend.open_model(example.language, example.model)
    assert "\n" not in str(caught.value)


def test_its_advice_is_a_command_or_nothing(backend: Backend) -> None:
    advise = getattr(backend, "advice", lambda *_: None)
    for language in LANGUAGES:
        for needs in (frozenset[str](), frozenset({"pos"}), LAYERS):
            way = advise(language, needs)
            assert way is None or way.startswith(("pip install 'mtassay[", "python -m spacy download "))


@pytest.mark.slow
def test_what_it_opens_is_an_annotator(name: str, backend: Backend) -> None:
    language = EXAMPLES[name].language
    models = backend.models(language)
    if not models:
        pytest.skip(f"no model of {name} for {language} here")
    annotator = backend.open_model(language, models[0])
    assert isinstance(annotator, Annotator)
    assert (annotator.name, annotator.language) == (name, language)
    assert annotator.gives <= LAYERS
    texts = ["Ana.", "", "3,5 %"]
    annotations = annotator.annotate(texts)
    assert [annotation.text for annotation in annotations] == texts
    for annotation in annotations:
        assert_well_formed(annotation, annotator)
