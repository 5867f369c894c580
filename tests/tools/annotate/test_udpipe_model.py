"""A UDPipe model that the test trains on a sentence of ours: words that UD splits are one token."""

from __future__ import annotations

import pytest

from mtassay.data.errors import UsageError
from mtassay.nlp.annotators import open_annotator
from tests.tools.annotate.checks import assert_well_formed

ROWS = """\
1 Ela ela PRON _ Gender=Fem 2 nsubj _ _
2 viu ver VERB _ _ 0 root _ _
3 o o DET _ _ 4 det _ _
4 gato gato NOUN _ _ 2 obj _ _
5-6 do _ _ _ _ _ _ _ _
5 de de ADP _ _ 7 case _ _
6 o o DET _ Gender=Masc 7 det _ _
7 vizinho vizinho NOUN _ _ 4 nmod _ SpaceAfter=No
8 . . PUNCT _ _ 2 punct _ _

"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    udpipe = pytest.importorskip("ufal.udpipe", reason="needs UDPipe: pip install 'mtassay[udpipe]'")
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(ROWS.replace(" ", "\t") * 20)
    sentences, error = udpipe.Sentences(), udpipe.ProcessingError()
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        sentences.push_back(sentence)
        sentence = udpipe.Sentence()
    trained = udpipe.Trainer.train(
        "morphodita_parsito",
        sentences,
        udpipe.Sentences(),
        "epochs=2;batch_size=10;dimension=16",
        "models=1;guesser_suffix_rules=2;iterations=2",
        "iterations=2;hidden_layer=10;embedding_form=5;structured_interval=0",
        error,
    )
    assert not error.occurred(), error.message
    path = tmp_path_factory.mktemp("udpipe") / "tiny.udpipe"
    path.write_bytes(trained)
    return path


@pytest.mark.slow
def test_a_contraction_is_one_token_with_exact_offsets(model):
    annotator = open_annotator("pt", needs=("dependencies",), name=f"udpipe:{model}")
    first, strange = annotator.annotate(["Ela viu  o gato do vizinho.", "do\0vizinho 😀"])
    assert [(token.text, token.lemma, token.pos) for token in first.tokens] == [
        ("Ela", "ela", "PRON"),
        ("viu", "ver", "VERB"),
        ("o", "o", "DET"),
        ("gato", "gato", "NOUN"),
        ("do", "de o", "ADP"),
        ("vizinho", "vizinho", "NOUN"),
        (".", ".", "PUNCT"),
    ]
    assert first.tokens[4].features == {"Gender": "Masc"}
    for annotation in (first, strange):
        assert_well_formed(annotation, annotator)
    assert strange.tokens[-1].text == "😀"
    assert "|tiny|content:" in annotator.signature


@pytest.mark.slow
def test_a_file_that_is_no_model_says_so(tmp_path):
    pytest.importorskip("ufal.udpipe", reason="needs UDPipe: pip install 'mtassay[udpipe]'")
    (tmp_path / "a.udpipe").write_text("nothing")
    with pytest.raises(UsageError, match="is no UDPipe model"):
        open_annotator("pt", name=f"udpipe:{tmp_path / 'a.udpipe'}")
    with pytest.raises(UsageError, match="No UDPipe model"):
        open_annotator("pt", name="udpipe:nowhere.udpipe")
