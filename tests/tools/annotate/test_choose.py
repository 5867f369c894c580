"""The right annotator is chosen, and what is missing is named with the command that gets it."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from mtassay.data import registry
from mtassay.data.errors import MissingExtraError, UsageError
from mtassay.nlp.annotators import annotator_names, open_annotator
from tests.fake_annotator import FakeAnnotator

BACKENDS = {
    "spacy": "spacy",
    "stanza": "stanza",
}


class Nothing:
    """Finds none of the packages, as on a machine where they are not installed."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BACKENDS.values():
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@pytest.fixture
def bare(monkeypatch):
    """A machine where no language tool is installed."""
    for name in [name for name in sys.modules if name.partition(".")[0] in BACKENDS.values()]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Nothing(), *sys.meta_path])
    for name in ("spacy_pipeline", "stanza_pipeline"):
        monkeypatch.setattr(f"mtassay.nlp.{name}.find_spec", lambda name: None)


ADVICE = [
    ("pt", ("pos",), "Portuguese. Install one: pip install 'mtassay[spacy]'"),
    ("en", ("dependencies",), "pip install 'mtassay[spacy]' && python -m spacy download en_core_web_md"),
    ("German", ("entities",), "pip install 'mtassay[spacy]' && python -m spacy download de_core_news_md"),
    ("zh", ("pos", "entities"), "python -m spacy download zh_core_web_md"),
    ("cy", ("pos",), "pip install 'mtassay[stanza]' && python -c \"import stanza; stanza.download('cy')\""),
    ("en", ("constituents",), "gives constituents for English. Install one: pip install 'mtassay[stanza]'"),
]


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(("language", "needs", "expected"), ADVICE)
def test_without_any_tool_the_error_names_what_to_install(language, needs, expected):
    with pytest.raises(UsageError) as error:
        open_annotator(language, needs=needs)
    assert str(error.value).endswith(expected) or expected in str(error.value)
    assert "\n" not in str(error.value)


def test_where_the_package_is_installed_only_its_model_is_missing(monkeypatch):
    pytest.importorskip("spacy", reason="needs spaCy: pip install 'mtassay[spacy]'")
    monkeypatch.setattr("mtassay.nlp.spacy_pipeline.entry_points", lambda group: [])
    with pytest.raises(UsageError, match=r"Install one: python -m spacy download en_core_web_md$"):
        open_annotator("en", needs=("dependencies",))


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("name", "language", "extra"),
    [
        ("spacy:pt_core_news_sm", "pt", "spacy"),
        ("stanza:models", "pt", "stanza"),
    ],
)
def test_a_named_model_without_its_package_names_the_extra(name, language, extra):
    with pytest.raises(MissingExtraError, match=rf"pip install 'mtassay\[{extra}\]'"):
        open_annotator(language, name=name)


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("spacy", "through spacy. Install one: pip install 'mtassay[spacy]'"),
        ("stanza", "through stanza. Install one: pip install 'mtassay[stanza]'"),
    ],
)
def test_a_named_backend_that_has_nothing_says_so(name, expected):
    with pytest.raises(UsageError) as error:
        open_annotator("pt", name=name)
    assert expected in str(error.value)


def test_names_that_nobody_knows_are_answered_with_those_that_are():
    with pytest.raises(UsageError, match=r"No annotator 'x'. Available: spacy, stanza\."):
        open_annotator("pt", name="x:y")
    with pytest.raises(UsageError, match=r"No layer 'tree'. Available: constituents, dependencies, "):
        open_annotator("pt", needs=("tree",))
    with pytest.raises(UsageError, match="No language 'xx'"):
        open_annotator("xx")


@pytest.fixture
def two_fakes(monkeypatch):
    """Two backends in place of ours; the better one only tags."""
    opened = []

    def add(name, models, gives):
        module = ModuleType(name)
        module.models = lambda language: models if language == "pt" else []
        module.open_model = lambda language, model: (
            opened.append(f"{name}:{model}") or FakeAnnotator(language, gives=gives)
        )
        monkeypatch.setitem(sys.modules, f"mtassay.nlp.{name}", module)

    add("good", ["a", "b"], ("tokens", "pos"))
    add("other", ["c"], ("tokens", "pos", "dependencies"))
    ours = {name: f"mtassay.nlp.{name}" for name in ("good", "other")}
    monkeypatch.setitem(registry.ours(), "annotator", ours)
    return opened


def test_the_first_that_gives_all_is_taken_and_no_other_is_loaded(two_fakes):
    assert open_annotator("por_Latn", needs=("pos",)).language == "pt"
    assert two_fakes == ["good:a"]


def test_one_that_gives_less_is_passed_over(two_fakes):
    assert "dependencies" in open_annotator("pt", needs=("pos", "dependencies")).gives
    assert two_fakes == ["good:a", "good:b", "other:c"]


def test_a_named_model_that_gives_less_is_an_error_and_not_replaced(two_fakes):
    with pytest.raises(UsageError, match=r"fake\|pt does not give dependencies; it gives pos, tokens."):
        open_annotator("pt", name="good:z", needs=("dependencies",))
    assert two_fakes == ["good:z"]


def test_a_model_that_cannot_be_loaded_is_passed_over_and_named_in_the_end(two_fakes, monkeypatch):
    def broken(language, model):
        raise UsageError(f"{model} is broken.")

    monkeypatch.setattr(sys.modules["mtassay.nlp.good"], "open_model", broken)
    assert open_annotator("pt").language == "pt"
    with pytest.raises(UsageError, match=r"\(a is broken.\) \(b is broken.\)$"):
        open_annotator("pt", needs=("entities",))


def test_a_backend_of_another_package_is_found(monkeypatch, two_fakes):
    from importlib.metadata import EntryPoint, EntryPoints

    module = ModuleType("my_backend")
    module.models = lambda language: ["m"]
    module.open_model = lambda language, model: FakeAnnotator(language)
    monkeypatch.setitem(sys.modules, "my_backend", module)
    point = EntryPoint("mine", "my_backend", "mtassay.annotator")
    monkeypatch.setattr(registry, "_entry_points", lambda kind: EntryPoints([point]))
    assert annotator_names() == ["good", "other", "mine"]
    assert open_annotator("cy", needs=("entities",)).signature == "fake|cy"
    assert open_annotator("pt", name="mine").signature == "fake|pt"
