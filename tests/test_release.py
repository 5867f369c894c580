"""What a release consists of agrees with itself: versions, the container, the workflow."""

from __future__ import annotations

import re
import tomllib

import yaml

import mtassay
from tests.conftest import PROJECT

SETTINGS = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKEFILE = (PROJECT / "Makefile").read_text(encoding="utf-8")


def test_all_files_name_one_version() -> None:
    citation = yaml.safe_load((PROJECT / "CITATION.cff").read_text(encoding="utf-8"))
    assert SETTINGS["version"] == mtassay.__version__ == citation["version"]


def test_the_container_installs_what_there_is() -> None:
    text = (PROJECT / "Containerfile").read_text(encoding="utf-8")
    [extras] = re.findall(r"/opt/mtassay\[([\w,-]+)\]", text)
    assert set(extras.split(",")) <= set(SETTINGS["optional-dependencies"])
    for path in re.findall(r"/opt/mtassay/([\w./-]+)", text):
        assert (PROJECT / path).exists(), path
    assert (PROJECT / "container.sh").stat().st_mode & 0o111


def test_the_workflow_calls_targets_that_there_are() -> None:
    workflow = yaml.safe_load((PROJECT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    targets = [step["run"].split()[1] for step in steps if step.get("run", "").startswith("make ")]
    assert targets == ["check", "test", "build"]
    assert all(re.search(rf"^{target}:", MAKEFILE, re.MULTILINE) for target in targets)


def test_the_changelog_is_at_most_two_screens() -> None:
    newest = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1]
    lines = sum(1 + len(line) // 100 for line in newest.splitlines())
    assert lines <= 100
