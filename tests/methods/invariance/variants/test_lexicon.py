"""Tables of substitutes: ours and a user's."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mtassay.data.errors import InputError, UsageError
from mtassay.data.language_packs import pack_files
from mtassay.methods.invariance.substitute_lexicon import (
    Pairs,
    SubstituteLexicon,
    open_pairs,
    read_lexicon,
)
from mtassay.methods.invariance.substitutes import Candidate, WordPlace, open_substituter
from mtassay.nlp.annotation import Annotation, Token


def place(word: str, tag: str) -> WordPlace:
    return WordPlace(Annotation(word, (Token(word, 0, len(word), tag=tag),)), 0)


def test_a_table_of_ones_own_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("# mine\nNN\tdog\tcat:90 cow:50 hen\n\nNNP\tRio\tLima:10\n", encoding="utf-8")
    lexicon = read_lexicon(path)
    lexicon.substitutes([place("xx", "NN")], count=2)
    assert not lexicon.has_matched
    dogs, few, plural, name = lexicon.substitutes(
        [place("Dog", "NN"), place("xx", "NN"), place("dog", "NNS"), place("Rio", "NNP")], count=2
    )
    assert dogs == [Candidate("cat", 0.9), Candidate("cow", 0.5)]
    assert lexicon.has_matched
    assert few == plural == []
    assert name == [Candidate("Lima", 0.1)]
    assert lexicon.signature.startswith("file:mine.tsv|")


def test_another_table_has_another_signature(tmp_path: Path) -> None:
    one, other = tmp_path / "t.tsv", tmp_path / "u" / "t.tsv"
    other.parent.mkdir()
    one.write_text("NN\tdog\tcat\n", encoding="utf-8")
    other.write_text("NN\tdog\tcow\n", encoding="utf-8")
    assert read_lexicon(one).signature != read_lexicon(other).signature


def test_a_compressed_table_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv.gz"
    path.write_bytes(gzip.compress(b"NN\tdog\tcat:90\n"))
    [[candidate]] = read_lexicon(path).substitutes([place("dog", "NN")], count=5)
    assert candidate == Candidate("cat", 0.9)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"NN\tdog\tcat\nNN dog cat\n", "t.tsv line 2: 1 cells, expected 3 between tabs"),
        (b"NN\tdog\tcat:abc\n", "t.tsv line 1: 'abc' is no score; write hundredths: cat:70"),
        (b"NN\tdog\tcat:0.7\n", "t.tsv line 1: '0.7' is no score"),
        (b"# nothing\n", "t.tsv: no substitutes in it"),
        (b"NN\tdog\t\xff\n", "t.tsv: not UTF-8"),
    ],
)
def test_a_bad_table_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "t.tsv"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_lexicon(path)
    assert message in str(caught.value)


def test_every_row_of_our_tables_is_well_formed() -> None:
    for path in pack_files("substitutes").values():
        rows = gzip.decompress(path.read_bytes()).decode().splitlines()
        assert rows
        seen = set()
        for row in rows:
            key, word, cells = row.split("\t")
            assert (key, word) not in seen
            seen.add((key, word))
            words = [cell.rpartition(":")[0] for cell in cells.split()]
            scores = [int(cell.rpartition(":")[2]) for cell in cells.split()]
            assert word not in words
            assert all(other.isalpha() for other in words)
            assert len(set(words)) == len(words)
            assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("word", "tag", "one_of_them"),
    [
        ("bridge", "NN", "road"),
        ("trucks", "NNS", "cars"),
        ("white", "JJ", "black"),
        ("oldest", "JJS", "largest"),
        ("Monday", "NNP", "Friday"),
    ],
)
def test_our_english_table_knows_common_words(word: str, tag: str, one_of_them: str) -> None:
    [found] = open_substituter("lexicon", "en").substitutes([place(word, tag)], count=20)
    assert one_of_them in [candidate.word for candidate in found]


def test_the_ways_to_choose_are_named_where_there_is_no_lexicon() -> None:
    with pytest.raises(UsageError, match=r"No lexicon for 'ja'.*fill-mask:MODEL.*llm:MODEL.*file:PATH"):
        open_substituter("lexicon", "ja")


@pytest.mark.parametrize("text", ["thesaurus", "file:", "fill-mask", "llm:", ""])
def test_a_way_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        open_substituter(text, "en")


def test_a_file_is_chosen_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "a:b.tsv"
    path.write_text("NN\tdog\tcat\n", encoding="utf-8")
    assert open_substituter(f"file:{path}", "ja").substitutes([place("dog", "NN")], count=1)


@pytest.mark.parametrize(
    ("word", "kept"),
    [("bread", True), ("bicycle", False)],
)
def test_a_common_pair_must_stay_one(word: str, kept: bool) -> None:
    pairs = Pairs({"white": "rice bread"})
    sentence = Annotation("white rice", (Token("white", 0, 5), Token("rice", 6, 10)))
    assert pairs.fits(WordPlace(sentence, 1), word) is kept


def test_an_uncommon_pair_is_free_where_neither_modifies_the_other() -> None:
    sentence = Annotation("odd rice", (Token("odd", 0, 3), Token("rice", 4, 8)))
    assert Pairs({"white": "rice"}).fits(WordPlace(sentence, 1), "bicycle")


def test_our_pairs_know_the_plural_of_a_common_singular() -> None:
    pairs = open_pairs("en")
    assert pairs is not None
    assert pairs.common("electric", "car")
    assert pairs.common("electric", "cars")
    assert not pairs.common("electric", "soup")


def test_a_language_without_pairs_has_none() -> None:
    assert open_pairs("ja") is None


MODIFIED = Annotation(
    "odd rice", (Token("odd", 0, 3, tag="JJ", head=1, relation="amod"), Token("rice", 4, 8, tag="NN"))
)


@pytest.mark.parametrize(("score", "found"), [(79, ["bread"]), (80, ["tea", "bread"])])
def test_beside_its_modifier_a_word_must_be_common_or_very_near(score: int, found: list[str]) -> None:
    lines = {("NN", "rice"): f"tea:{score} bread:60"}
    lexicon = SubstituteLexicon(lines, signature="", pairs=Pairs({"odd": "bread"}))
    [candidates] = lexicon.substitutes([WordPlace(MODIFIED, 1)], count=9)
    assert [candidate.word for candidate in candidates] == found


def test_an_adjective_without_its_noun_needs_a_nearer_word() -> None:
    tokens = (Token("is", 0, 2, pos="AUX"), Token("late", 3, 7, pos="ADJ", tag="JJ", head=0))
    lexicon = SubstituteLexicon({("JJ", "late"): "early:70 slow:69"}, signature="", pairs=Pairs({}))
    [candidates] = lexicon.substitutes([WordPlace(Annotation("is late", tokens), 1)], count=9)
    assert [candidate.word for candidate in candidates] == ["early"]
