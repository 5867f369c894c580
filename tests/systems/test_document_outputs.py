"""Outputs that are one text for each document: how they are found, aligned and scored."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from mtassay.app import library
from mtassay.data.errors import InputError, UsageError
from mtassay.data.nouns import Segment
from mtassay.nlp.sentence_alignment import align_sentences, split_sentences
from mtassay.systems.document_outputs import divide, holds_documents, read_document_outputs

SOURCES = [
    "The ferry left at nine with forty passengers.",
    "Nobody had told the captain about the fog.",
    "Near the island the engine stopped.",
    "A fisherman towed them back to the harbour.",
    "The company paid everyone a free breakfast.",
]
OUTPUTS = [
    "A balsa saiu às nove com quarenta passageiros.",
    "Ninguém tinha avisado o capitão sobre o nevoeiro.",
    "Perto da ilha o motor parou.",
    "Um pescador rebocou-os de volta para o porto.",
    "A empresa pagou a todos um pequeno-almoço grátis.",
]
ADDED = "Os bilhetes para o concerto esgotaram em dez minutos."


def segments() -> list[Segment]:
    """Two documents with the same sentences."""
    return [
        Segment(f"{document}{i}", source, (OUTPUTS[i],), document)
        for document in ("a", "b")
        for i, source in enumerate(SOURCES)
    ]


def links(target: list[str]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(link.source, link.target) for link in align_sentences(OUTPUTS, target)]


def test_every_kind_of_change_is_found() -> None:
    one, two, three, four, five = OUTPUTS
    straight = [((i,), (i,)) for i in range(5)]
    assert links(OUTPUTS) == straight
    assert links([one, two, four, five])[2] == ((2,), ())
    assert links([one, two, ADDED, three, four, five])[2] == ((), (2,))
    assert links([one, f"{two} {three}", four, five])[1] == ((1, 2), (1,))
    assert links([one, two, three, "Um pescador rebocou-os", "de volta para o porto.", five])[3] == (
        (3,),
        (3, 4),
    )
    assert links([one, three, two, four, five])[1:3] == [((1,), (2,)), ((2,), (1,))]
    assert links([]) == [((i,), ()) for i in range(5)]


def test_every_sentence_is_in_one_link() -> None:
    draw = random.Random(5)
    pool = [*OUTPUTS, ADDED]
    for _ in range(100):
        one, other = draw.choices(pool, k=draw.randrange(9)), draw.choices(pool, k=draw.randrange(40))
        found = align_sentences(one, other)
        assert sorted(i for link in found for i in link.source) == list(range(len(one)))
        assert sorted(j for link in found for j in link.target) == list(range(len(other)))


def test_a_long_document_is_aligned_in_windows() -> None:
    draw = random.Random(3)
    words = ["".join(draw.choices("abcdefghijklmnoprstuvz", k=draw.randint(2, 9))) for _ in range(900)]
    one = [" ".join(draw.choices(words, k=draw.randint(8, 20))) for _ in range(500)]
    kept = [i for i in range(500) if i % 23 and not 150 <= i < 240]  # a page is missing, and some sentences
    kept[60:62] = kept[61], kept[60]
    found = align_sentences(one, [one[i] for i in kept])
    assert sorted(i for link in found for i in link.source) == list(range(500))
    assert {(i, j) for link in found for i in link.source for j in link.target} == {
        (i, j) for j, i in enumerate(kept)
    }


@pytest.mark.parametrize("mark", ["؟", "۔", "।", "!", "…"])  # Arabic, Urdu, Hindi
def test_sentences_end_with_the_marks_of_their_script(mark: str) -> None:
    assert split_sentences(f"एक दो{mark} तीन चार{mark}") == [f"एक दो{mark}", f"तीन चार{mark}"]


def write(path: Path, **documents: str) -> str:
    records = [json.dumps({"doc_id": key, "hypothesis": text}) for key, text in documents.items()]
    path.write_text("\n".join(records) + "\n", encoding="utf-8")
    return str(path)


def test_documents_of_as_many_lines_score_as_lines_do(tmp_path: Path) -> None:
    outputs = [*OUTPUTS, *reversed(OUTPUTS)]
    path = write(tmp_path / "o.jsonl", a="\n".join(outputs[:5]), b="\n".join(outputs[5:]))
    (tmp_path / "documents.txt").write_text("a\n" * 5 + "b\n" * 5, encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text("\n".join(outputs[:5]), encoding="utf-8")
    (tmp_path / "folder" / "b.txt").write_text("\n".join(outputs[5:]), encoding="utf-8")
    run = library.score(
        {"lines": outputs, "documents": path, "folder": str(tmp_path / "folder")},
        [OUTPUTS * 2],
        SOURCES * 2,
        langpair="en-pt",
        documents=tmp_path / "documents.txt",
        metrics="bleu,chrf",
        samples=100,
        save=False,
    )
    values = {(score.name, score.system): score.value for score in run.result.scores if score.group == "all"}
    for metric in {name for name, _ in values}:
        assert values[metric, "lines"] == values[metric, "documents"] == values[metric, "folder"]


def test_a_running_text_is_aligned_and_what_is_odd_is_told(tmp_path: Path) -> None:
    one, two, three, four, five = OUTPUTS
    path = write(
        tmp_path / "o.jsonl", a=f"{one} {two} {four} {five}", b=f"{one} {two} {three} {ADDED} {four} {five}"
    )
    aligned = read_document_outputs(path, segments(), None)
    assert [aligned.outputs[f"a{i}"] for i in range(5)] == [one, two, "", four, five]
    assert [aligned.outputs[f"b{i}"] for i in range(5)] == [one, two, f"{three} {ADDED}", four, five]
    assert aligned.omitted == [three]  # as the reference has it
    assert aligned.added == [ADDED]
    notes = aligned.notes("nmt")
    assert notes[0] == "nmt: sentences were aligned in 2 documents, by characters of the reference"
    assert ADDED in notes[2]


def test_a_document_may_be_empty_or_without_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    records = [{"doc_id": "a", "output": None}, {"doc_id": "b", "output": " ".join(OUTPUTS)}]
    path.write_bytes("\r\n".join(map(json.dumps, records)).encode())
    assert holds_documents(str(path))
    aligned = read_document_outputs(str(path), segments(), None)
    assert [aligned.outputs[f"a{i}"] for i in range(5)] == [None] * 5
    assert [aligned.outputs[f"b{i}"] for i in range(5)] == OUTPUTS
    folder = tmp_path / "outputs"
    folder.mkdir()
    (folder / "a.txt").write_text("", "utf-8")
    aligned = read_document_outputs(str(folder), segments(), None)
    assert [aligned.outputs[f"a{i}"] for i in range(5)] == [""] * 5


def test_a_merged_sentence_is_divided(tmp_path: Path) -> None:
    one, two, three, four, five = OUTPUTS
    merged = f"{two.rstrip('.')}, e {three.lower()}"
    aligned = read_document_outputs(
        write(tmp_path / "o.jsonl", a=f"{one} {merged} {four} {five}"), segments(), None
    )
    assert aligned.merged == [merged]
    assert f"{aligned.outputs['a1']} {aligned.outputs['a2']}" == merged
    assert aligned.outputs["b0"] is None  # no such document
    assert divide("word", [3, 3, 3]) == ["word", "", ""]


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ('{"doc_id": "c", "output": "x"}', "no document 'c'"),
        (
            '{"doc_id": "a", "output": "x"}\n{"doc_id": "a", "output": "y"}',
            "line 2: the document 'a' is there twice",
        ),
        ('{"doc_id": "a", "output": "x"}\n{"doc_id": "b"}', "line 2: a record needs"),
    ],
)
def test_mistakes_name_their_line(tmp_path: Path, lines: str, error: str) -> None:
    path = tmp_path / "o.jsonl"
    path.write_text(lines, encoding="utf-8")
    assert holds_documents(str(path))
    with pytest.raises(InputError, match=error):
        read_document_outputs(str(path), segments(), None)


def test_files_of_wmt25_are_read_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test set of several pairs with people's scores; outputs of one pair and another, by document."""
    monkeypatch.chdir(tmp_path)
    name = "en-pt_PT_#_news_#_harbour"
    records = [
        {
            "scores": {"other": {"human1": 90, "errors1": []}},
            "src_text": source,
            "tgt_text": {"refA": OUTPUTS[i], "other": OUTPUTS[i].upper()},
            "doc_id": f"{name}_#_{i}",
        }
        for i, source in enumerate(SOURCES)
    ]
    foreign = {"src_text": "Čau.", "tgt_text": {"refA": "Hallo."}, "doc_id": "cs-de_DE_#_news_#_x_#_0"}
    test_set = tmp_path / "wmt25.jsonl"
    test_set.write_text("\n".join(json.dumps(r) for r in (foreign, *records)) + "\n", encoding="utf-8")
    outputs = [
        {"doc_id": "cs-de_DE_#_news_#_x", "hypothesis": "Hallo."},
        {"doc_id": name, "hypothesis": f"{OUTPUTS[0]} {OUTPUTS[1]}\n\n{' '.join(OUTPUTS[2:])}"},
    ]
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, outputs)) + "\n", encoding="utf-8")
    run = library.score(
        {"mine": "mine.jsonl", "other": "wmt25.jsonl"},
        ["wmt25.jsonl"],
        "wmt25.jsonl",
        langpair="en-pt",
        metrics="chrf",
        samples=100,
        save=False,
    )
    assert {score.system: score.value for score in run.result.scores if score.group == "all"}["mine"] == 100
    assert [output.text for output in run.outputs["other"]] == [text.upper() for text in OUTPUTS]
    assert run.record.segments[0].tags["domain"] == "news"
    with pytest.raises(InputError, match="several language pairs"):
        library.score({"mine": "mine.jsonl"}, ["wmt25.jsonl"], "wmt25.jsonl", metrics="chrf", save=False)


def test_segments_must_name_their_documents(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="documents="):
        read_document_outputs(write(tmp_path / "o.jsonl", a="x"), [Segment("1", "A dog.")], None)
