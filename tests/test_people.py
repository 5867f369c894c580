"""What people decide, from Python: each in a few lines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mtassay.api import people
from mtassay.errors import UsageError
from mtassay.formats.reviews import write_records
from mtassay.formats.suite import Item, Suite
from tests.cli.reviewing import save_run


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    save_run(tmp_path)
    return tmp_path / ".mtassay" / "workspace.db"


def test_an_open_output_is_decided_and_waits_no_more(workspace: Path) -> None:
    queue = people.pending(reviewer="anna", workspace=workspace)
    first = queue.waiting[0]
    done = people.decide("correct", first.subject.id[:10], reviewer="anna", workspace=workspace)
    assert (done.answer, done.holds) == ("correct", "correct")
    assert len(people.pending(reviewer="ben", workspace=workspace).waiting) == len(queue.waiting) - 1
    assert len(people.pending(reviewer="ben", double=True, workspace=workspace).waiting) == queue.total


def test_an_output_is_named_by_run_case_and_system(workspace: Path) -> None:
    first = people.pending(workspace=workspace).waiting[0]
    place = {"run": first.run, "case": first.subject.case_id, "system": first.systems[0]}
    done = people.decide("i", **place, reviewer="anna", note="lost", workspace=workspace)
    assert done.subject == first.subject
    assert people.reviews(workspace=workspace)[0]["note"] == "lost"


def test_a_sheet_goes_round_and_comes_back(workspace: Path, tmp_path: Path) -> None:
    rows = people.pending(reviewer="anna", workspace=workspace).records()
    write_records(tmp_path / "sheet.tsv", [{**row, "answer": "correct"} for row in rows])
    done = people.import_reviews(tmp_path / "sheet.tsv", workspace=workspace)
    assert (done.added, done.known, done.empty) == (len(rows), 0, 0)
    assert not people.pending(workspace=workspace).waiting


def test_reviewers_who_disagree_are_shown(workspace: Path) -> None:
    for each in people.pending(workspace=workspace).waiting[:2]:
        people.decide("correct", each.subject.id, reviewer="anna", workspace=workspace)
        people.decide("incorrect", each.subject.id, reviewer="ben", workspace=workspace)
    found = people.agreement(workspace=workspace)
    assert (len(found.disputed), found.found[0].value) == (2, 0.0)
    assert [table.title for table in found.tables(with_disputed=True)] == ["", "Disputed"]


def test_the_newest_run_of_a_suite_is_one_that_asked_for_its_items(workspace: Path) -> None:
    first = people.pending(workspace=workspace).waiting[0]
    item = Item(first.subject.case_id, "en-pt", "C", "P", first.segment.source or "")
    mine = Suite((item,), path="mine.yaml")
    assert people.pending(suite=mine, workspace=workspace).run == first.run
    with pytest.raises(UsageError, match="no saved run of mine"):
        people.pending(suite=Suite((replace(item, source="Other."),), path="mine.yaml"), workspace=workspace)
