"""Folders in the layout of mt-metrics-eval."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.test_sets import ErrorSpan, read_mtme, read_test_set
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Segment
from tests.formats.conftest import Write

PAIR = parse_pair("en-de")
FILES = {
    "sources/en-de.txt": "one\ntwo\nthree\n",
    "sources/en-cs.txt": "one\n",
    "documents/en-de.docs": "news\td1\nnews\td1\nchat\td2\n",
    "references/en-de.refA.txt": "eins\nzwei\ndrei\n",
    "references/en-de.refB.txt": "ein\n\ndrei!\n",
    "references/en-cs.refA.txt": "jedna\n",
    "system-outputs/en-de/S.txt": "1\n2\n3\n",
    "system-outputs/en-de/refA.txt": "eins\nzwei\ndrei\n",
    "human-scores/en-de.mqm.seg.score": "S\t-1.5\nS\tNone\nS\t0\nrefA\t0\nrefA\t0\nrefA\t0\n",
    "human-scores/en-de.mqm.sys.score": "S -0.75\nrefA   0\n",
    "human-scores/en-de.mqm.doc.score": "S\t-1.5\nS\t0\nrefA\t0\nrefA\t0\n",
    "human-scores/en-de.mqm.domain.score": "chat\tS\t0\nnews\tS\t-1.5\nnews\trefA\t0\n",
    "human-scores/en-de.mqm.merged.seg.rating": (
        'S\t{"errors": [{"start": 0, "end": 1, "category": "style", "severity": "minor", "score": 1.5,'
        ' "is_source_error": false}]}\nS\tNone\nS\t{"errors": []}\trater7\n'
    ),
    "metric-scores/en-de/BLEU-refA.refB.sys.score": "S\t12.5\n",
}


@pytest.fixture
def folder(write: Write) -> Path:
    paths = [write(f"tiny/{name}", content) for name, content in FILES.items()]
    return paths[0].parent.parent


def test_segments_have_all_references_and_their_documents(folder: Path) -> None:
    test_set = read_mtme(folder, PAIR)
    assert test_set.name == "tiny"
    assert test_set.reference_names == ["refA", "refB"]
    assert test_set.segments == [
        Segment("1", "one", ("eins", "ein"), "d1", {"domain": "news"}),
        Segment("2", "two", ("zwei", None), "d1", {"domain": "news"}),
        Segment("3", "three", ("drei", "drei!"), "d2", {"domain": "chat"}),
    ]
    assert (test_set.documents, test_set.domains) == (["d1", "d2"], ["news", "chat"])


def test_a_reference_is_a_system_too_but_not_in_a_test_set(folder: Path) -> None:
    assert read_mtme(folder, PAIR).system_names == ["S", "refA"]
    assert read_mtme(folder, PAIR).output("refA") == ["eins", "zwei", "drei"]
    test_set = read_test_set(folder, pair=PAIR)
    assert test_set.outputs == {"S": ["1", "2", "3"]}
    assert test_set.reference_names == ["refA", "refB"]


def test_a_reference_that_nobody_wrote_is_taken_only_when_it_is_named(folder: Path, write: Write) -> None:
    write("tiny/references/en-de.synthetic_ref.txt", "1\n2\n3\n")
    assert read_test_set(folder, pair=PAIR).reference_names == ["refA", "refB"]
    named = read_test_set(folder, pair=PAIR, references=["synthetic_ref"])
    assert [segment.references for segment in named.segments] == [("1",), ("2",), ("3",)]
    with pytest.raises(UsageError, match=r"no reference 'refC'\. Available: refA, refB, synthetic_ref\."):
        read_test_set(folder, pair=PAIR, references=["refC"])


@pytest.mark.parametrize(
    ("level", "scores"),
    [
        ("sys", {"S": [-0.75], "refA": [0.0]}),
        ("domain", {"S": [-1.5, 0.0], "refA": [0.0, None]}),
        ("doc", {"S": [-1.5, 0.0], "refA": [0.0, 0.0]}),
        ("seg", {"S": [-1.5, None, 0.0], "refA": [0.0, 0.0, 0.0]}),
    ],
)
def test_an_unrated_unit_is_none_not_zero(
    folder: Path, level: str, scores: dict[str, list[float | None]]
) -> None:
    assert read_mtme(folder, PAIR).human_scores("mqm", level) == scores  # type: ignore[arg-type]


def test_error_spans_are_read_and_none_is_not_free_of_errors(folder: Path) -> None:
    test_set = read_mtme(folder, PAIR)
    assert test_set.rating_names == ["mqm.merged"]
    assert test_set.ratings("mqm.merged") == {
        "S": [[ErrorSpan(0, 1, "style", "minor", 1.5, False)], None, []]
    }


def test_a_metric_name_may_hold_several_references(folder: Path) -> None:
    test_set = read_mtme(folder, PAIR)
    assert test_set.metric_names == {"BLEU-refA.refB": ["sys"]}
    assert test_set.metric_scores("BLEU-refA.refB", "sys") == {"S": [12.5]}


def test_nothing_is_read_before_it_is_asked_for(folder: Path) -> None:
    (folder / "references" / "en-de.refB.txt").write_bytes(b"\xff")
    test_set = read_mtme(folder, PAIR)
    assert test_set.human_scores("mqm", "sys") == {"S": [-0.75], "refA": [0.0]}
    with pytest.raises(InputError, match="is not UTF-8"):
        _ = test_set.segments


@pytest.mark.parametrize("written", ["en-pt_BR", "eng-por", "en-pt"])
def test_the_pair_may_be_spelled_differently_in_file_names(write: Write, written: str) -> None:
    folder = write(f"set/sources/{written}.txt", "one\n").parent.parent
    assert read_mtme(folder, parse_pair("en-pt")).key == written


def test_a_pair_that_fits_two_files_must_be_said_more_clearly(write: Write) -> None:
    write("set/sources/en-pt_BR.txt", "one\n")
    folder = write("set/sources/en-pt_PT.txt", "one\n").parent.parent
    assert read_mtme(folder, parse_pair("en-pt_PT")).key == "en-pt_PT"
    with pytest.raises(UsageError, match=r"several files fit en-pt. Available: en-pt_BR, en-pt_PT\.$"):
        read_mtme(folder, parse_pair("en-pt"))


def test_what_is_not_there_is_refused_with_what_is(folder: Path, tmp_path: Path) -> None:
    test_set = read_mtme(folder, PAIR)
    with pytest.raises(UsageError, match=r"No system for en-de called 'T'. Available: S, refA\.$"):
        test_set.output("T")
    with pytest.raises(
        UsageError, match=r"called 'da' at level 'seg'. Available: mqm \(sys domain doc seg\)\.$"
    ):
        test_set.human_scores("da", "seg")
    with pytest.raises(UsageError, match=r"No ratings for en-de called 'x'. Available: mqm.merged\.$"):
        test_set.ratings("x")
    with pytest.raises(UsageError, match=r"no files for en-fr. Available: en-cs, en-de\.$"):
        read_mtme(folder, parse_pair("en-fr"))
    with pytest.raises(InputError, match="not an mt-metrics-eval folder"):
        read_mtme(tmp_path, PAIR)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("human-scores/en-de.mqm.seg.score", "S\tx\n", "line 1: 'x' is neither a number nor None"),
        ("human-scores/en-de.mqm.seg.score", "S\tnan\n", "line 1: 'nan' is neither a number nor None"),
        ("human-scores/en-de.mqm.seg.score", "S\t1\nS\n", "line 2: expected SYSTEM<TAB>SCORE"),
        ("human-scores/en-de.mqm.seg.score", "S\t1\nS\t1\n", "2 lines for system 'S', expected 3"),
        ("human-scores/en-de.mqm.domain.score", "law\tS\t1\n", "line 1: domain 'law' is not among"),
        ("human-scores/en-de.mqm.domain.score", "news\tS\t1\nnews\tS\t2\n", "line 2: a second score of 'S'"),
        ("human-scores/en-de.mqm.merged.seg.rating", "S\t{}\n", "line 1: not a rating, which is"),
        ("human-scores/en-de.mqm.merged.seg.rating", "S\n", "line 1: expected SYSTEM<TAB>RATING"),
        (
            "human-scores/en-de.mqm.merged.seg.rating",
            'S\t[{"start": 3, "end": 1, "category": "", "severity": ""}]\n',
            "line 1: not a rating",
        ),
        ("system-outputs/en-de/S.txt", "1\n", "1 segments, but"),
        ("documents/en-de.docs", "d1\nd1\nd2\n", "line 1: expected DOMAIN<TAB>DOCUMENT"),
        ("references/en-de.refA.txt", "eins\n", "1 segments, but"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(folder: Path, name: str, content: str, message: str) -> None:
    (folder / name).write_text(content, "utf-8")
    with pytest.raises(InputError, match=re.escape(message)):
        read_everything(folder)


def read_everything(folder: Path) -> None:
    test_set = read_mtme(folder, PAIR)
    assert test_set.segments
    for system in test_set.system_names:
        test_set.output(system)
    for name, levels in test_set.human_names.items():
        for level in levels:
            test_set.human_scores(name, level)
    for name in test_set.rating_names:
        test_set.ratings(name)


def test_a_real_folder_is_read_whole(data_folder: Path) -> None:
    folder = data_folder / "wmt23-mtme"
    read_everything(folder)
    test_set = read_mtme(folder, PAIR)
    assert len(test_set.segments) == 557
    assert len(test_set.documents) == 192
    # Paragraphs that nobody rated are the same 97 for every system.
    scores = test_set.human_scores("mqm", "seg")
    assert {sum(score is None for score in column) for column in scores.values()} == {97}


def test_real_system_scores_are_the_means_of_rated_segments(data_folder: Path) -> None:
    test_set = read_mtme(data_folder / "wmt23-mtme", PAIR)
    by_segment = test_set.human_scores("mqm", "seg")
    for system, (score,) in test_set.human_scores("mqm", "sys").items():
        rated = [value for value in by_segment[system] if value is not None]
        assert score == pytest.approx(sum(rated) / len(rated))


def test_real_error_spans_lie_within_their_texts(data_folder: Path) -> None:
    test_set = read_mtme(data_folder / "wmt23-mtme", PAIR)
    sources = [segment.source or "" for segment in test_set.segments]
    for system, column in test_set.ratings("mqm.merged").items():
        for source, output, errors in zip(sources, test_set.output(system), column, strict=True):
            for error in errors or []:
                assert error.end <= len(source if error.is_source_error else output or "")
