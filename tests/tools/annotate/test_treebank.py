"""The recipe for the Portuguese pipeline makes written words of syntactic ones, with their entities."""

from __future__ import annotations

import gzip
import importlib.util
import sys
from pathlib import Path

import pytest

RECIPE = Path(__file__).resolve().parents[3] / "models" / "pt"


@pytest.fixture(scope="module")
def treebank():
    spec = importlib.util.spec_from_file_location("pt_treebank", RECIPE / "treebank.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["pt_treebank"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["pt_treebank"]


# Of ours: in `da Ana` an entity begins inside the contraction; `Mar do Norte` has one in its middle.
CONLLU = """\
# text = Vi-a da Ana ao Mar do Norte.
1-2 Vi-a _ _ _ _ _ _ _ _
1 Vi ver VERB _ Person=1 0 root _ _
2 a ele PRON _ Gender=Fem|Person=3 1 obj _ _
3-4 da _ _ _ _ _ _ _ _
3 de de ADP _ _ 5 case _ _
4 a o DET _ Gender=Fem 5 det _ _
5 Ana Ana PROPN _ _ 1 obl _ _
6-7 ao _ _ _ _ _ _ _ _
6 a a ADP _ _ 8 case _ _
7 o o DET _ _ 8 det _ _
8 Mar Mar PROPN _ _ 1 obl _ _
8.1 elidido elidido VERB _ _ _ _ _ _
9-10 do _ _ _ _ _ _ _ _
9 de de ADP _ _ 11 case _ _
10 o o DET _ _ 11 det _ _
11 Norte Norte PROPN _ _ 8 nmod _ SpaceAfter=No
12 . . PUNCT _ _ 1 punct _ _

"""
TAGS = ["O", "O", "O", "B-PER", "I-PER", "O", "O", "B-LOC", "I-LOC", "I-LOC", "I-LOC", "O"]
FORMS = ["Vi", "a", "de", "a", "Ana", "a", "o", "Mar", "de", "o", "Norte", "."]


def write(folder: Path, tags=TAGS, forms=FORMS) -> tuple[Path, Path]:
    iob2 = "".join(
        f"{n} {form} {tag} - -\n" for n, (form, tag) in enumerate(zip(forms, tags, strict=True), 1)
    )
    paths = folder / "a.conllu.gz", folder / "a.iob2.gz"
    for path, text in zip(paths, (CONLLU, f"# text = x\n{iob2}\n"), strict=True):
        lines = (line if line.startswith("#") else line.replace(" ", "\t") for line in text.split("\n"))
        path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return paths


def test_contractions_and_clitics_are_one_word(treebank, tmp_path):
    [words] = treebank.read_sentences(*write(tmp_path))
    assert [(word.text, word.lemma, word.pos, word.head, word.relation) for word in words] == [
        ("Vi-a", "ver ele", "VERB", 0, "ROOT"),
        ("da", "de o", "ADP", 2, "case"),
        ("Ana", "Ana", "PROPN", 0, "obl"),
        ("ao", "a o", "ADP", 4, "case"),
        ("Mar", "Mar", "PROPN", 0, "obl"),
        ("do", "de o", "ADP", 6, "case"),
        ("Norte", "Norte", "PROPN", 4, "nmod"),
        (".", ".", "PUNCT", 0, "punct"),
    ]
    assert words[0].features == "Gender=Fem|Person=1,3"
    assert [word.space_after for word in words[-2:]] == [False, True]


def test_an_entity_that_begins_inside_a_contraction_begins_after_it(treebank, tmp_path):
    [words] = treebank.read_sentences(*write(tmp_path))
    assert [word.entity for word in words] == ["O", "O", "B-PER", "O", "B-LOC", "I-LOC", "I-LOC", "O"]


def test_files_that_do_not_belong_together_are_refused(treebank, tmp_path):
    with pytest.raises(SystemExit, match="differs from"):
        list(treebank.read_sentences(*write(tmp_path, forms=["Ouvi", *FORMS[1:]])))


def test_the_whole_treebank_can_be_read(treebank, data_folder):
    stem = data_folder / "ud" / "pt_bosque-dev"
    sentences = list(treebank.read_sentences(Path(f"{stem}.conllu.gz"), Path(f"{stem}.iob2.gz")))
    assert len(sentences) == 1172
    for words in sentences:
        assert [index for index, word in enumerate(words) if word.head == index and word.relation == "ROOT"]
        for word in words:
            for _ in words:
                word = words[word.head]
            assert word.relation == "ROOT"
