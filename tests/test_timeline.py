"""Versions and years, from the library."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay import api
from mtassay.api import timeline
from mtassay.errors import UsageError
from tests.cli.test_suite_years import RIGHT, SUITE, WRONG, YEARS

GROUPS = {
    year: {
        name: {key: (RIGHT if key in right.split() else WRONG)[key] for key in RIGHT}
        for name, right in systems.items()
    }
    for year, systems in YEARS.items()
}


@pytest.fixture(autouse=True)
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    return tmp_path / "suite.yaml"


def test_two_versions_in_memory() -> None:
    systems = {"old": {**RIGHT, "f1": WRONG["f1"]}, "new": {**RIGHT, "n2": WRONG["n2"]}}
    found = timeline.versions("suite.yaml", systems, gate="any")
    assert [step.kind for step in found.steps] == ["still right", "broken", "fixed"]
    assert found.gate is not None
    assert (found.gate.passed, found.opened, found.live) == (False, 0, {})
    assert [step.id for step in found.shown(["broken"])] == ["n2"]
    assert found.title("broken") == "Broken (correct before, incorrect now): 1 item"


def test_versions_of_a_saved_run() -> None:
    api.suite("suite.yaml", {"old": dict(WRONG), "new": dict(RIGHT)}, save=True, quiet=True)
    found = timeline.versions("suite.yaml", ["last:old", "last:new"])
    assert found.record()["kinds"] == {"fixed": 3}


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({"old": dict(RIGHT)}, "Give two versions, the old one first"),
        (["a.tsv", "b.tsv"], r"There is no file or folder a\.tsv, and no workspace"),
    ],
)
def test_versions_that_are_not_there(systems: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        timeline.versions("suite.yaml", systems)  # type: ignore[arg-type]


def test_years_in_memory() -> None:
    found = timeline.years("suite.yaml", GROUPS)
    assert {group: best.entry.name for group, best in found.best.items()} == {
        "y21": "Other",
        "y22": "ONLINE_A",
        "y23": "Online-A",
    }
    (course,) = found.courses
    assert [point.value for point in course.points] == [25, 50, 100]
    assert found.remarks()[0].startswith("Taken as one system: Online-A = ONLINE_A.")
    both = timeline.years("suite.yaml", GROUPS, alias={"Other": "Newname"}, systems=["other"])
    assert [course.system for course in both.courses] == ["Newname"]


def test_the_outputs_of_an_item_over_years() -> None:
    found = timeline.items_over_years("suite.yaml", GROUPS, item="n2", system="online-a")
    (item,) = found.items
    assert found.title == "Outputs of Online-A (ONLINE_A)"
    assert [(o.group, o.status) for o in item.outputs] == [
        ("y21", "incorrect"),
        ("y22", "correct"),
        ("y23", "correct"),
    ]
