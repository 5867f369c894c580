"""What people decide, from Python: each in a few lines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mtassay.app import reviewing
from mtassay.data.errors import UsageError
from mtassay.data.formats.review_files import write_records
from mtassay.data.formats.suite_items import Item, Suite
from tests.cli.reviewing import save_run


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    save_run(tmp_path)
    return tmp_path / ".mtassay" / "workspace.db"


def test_an_open_output_is_decided_and_waits_no_more(workspace: Path) -> None:
    queue = reviewing.pending(reviewer="anna", workspace=workspace)
    first = queue.waiting[0]
    done = reviewing.decide("correct", first.subject.id[:10], reviewer="anna", workspace=workspace)
    assert (done.review.answer, done.holds) == ("correct", "correct")
    assert len(reviewing.pending(reviewer="ben", workspace=workspace).waiting) == len(queue.waiting) - 1
    assert len(reviewing.pending(reviewer="ben", double=True, workspace=workspace).waiting) == queue.total


def test_an_output_is_named_by_run_case_and_system(workspace: Path) -> None:
    first = reviewing.pending(workspace=workspace).waiting[0]
    place = {"run": first.run, "case": first.subject.case_id, "system": first.systems[0]}
    done = reviewing.decide("i", **place, reviewer="anna", note="lost", workspace=workspace)
    assert done.subject == first.subject
    assert reviewing.reviews(workspace=workspace)[0]["note"] == "lost"


def test_a_sheet_goes_round_and_comes_back(workspace: Path, tmp_path: Path) -> None:
    rows = reviewing.pending(reviewer="anna", workspace=workspace).records()
    write_records(tmp_path / "sheet.tsv", [{**row, "answer": "correct"} for row in rows])
    done = reviewing.import_reviews(tmp_path / "sheet.tsv", workspace=workspace)
    assert (done.added, done.known, done.empty) == (len(rows), 0, 0)
    assert not reviewing.pending(workspace=workspace).waiting


def test_reviewers_who_disagree_are_shown(workspace: Path) -> None:
    for each in reviewing.pending(workspace=workspace).waiting[:2]:
        reviewing.decide("correct", each.subject.id, reviewer="anna", workspace=workspace)
        reviewing.decide("incorrect", each.subject.id, reviewer="ben", workspace=workspace)
    found = reviewing.agreement(workspace=workspace)
    assert (len(found.disputed), found.found[0].value) == (2, 0.0)
    assert [table.title for table in found.tables(with_disputed=True)] == ["", "Disputed"]


def test_the_newest_run_of_a_suite_is_one_that_asked_for_its_items(workspace: Path) -> None:
    first = reviewing.pending(workspace=workspace).waiting[0]
    item = Item(first.subject.case_id, "en-pt", "C", "P", first.segment.source or "")
    mine = Suite((item,), path="mine.yaml")
    assert reviewing.pending(suite=mine, workspace=workspace).run == first.run
    with pytest.raises(UsageError, match="no saved run of mine"):
        reviewing.pending(
            suite=Suite((replace(item, source="Other."),), path="mine.yaml"), workspace=workspace
        )
