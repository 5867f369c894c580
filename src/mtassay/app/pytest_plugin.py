"""For pytest: the fixture `mtassay`, whose gates show the sentences that fail them.

The first test that uses the fixture loads the library, so other tests do not become slower.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

_HELP = {
    "mtassay_workspace": "The workspace of the fixture 'mtassay', from the root folder (default: a new one "
    "for every test).",
    "mtassay_baseline": "What gates of the fixture 'mtassay' compare with: a file of baselines, a run or a "
    "system.",
}
_KEY: pytest.StashKey[list[Any]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add two settings, for an ini file or the command line."""
    group = parser.getgroup("mtassay", "tests of machine translation")
    for name, what in _HELP.items():
        parser.addini(name, what, default="")
        group.addoption(f"--{name.replace('_', '-')}", metavar="WHAT", help=what)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "mtassay(workspace=…, baseline=…, alpha=…): a test of translation, and what its gates compare with",
    )


class BoundLibrary:
    """The library with a workspace: every function of `mtassay` that knows one uses it.

    `gate` compares with the baseline of the marker or the settings, and remembers its reports for pytest.
    """

    def __init__(self, workspace: Path, defaults: Mapping[str, Any], reports: list[Any]) -> None:
        self.workspace = workspace
        self._defaults = defaults
        self._reports = reports

    def gate(self, run: Any, *rules: Any, **options: Any) -> Any:
        """`mtassay.gate` with the baseline and the level of the settings."""
        import mtassay as library

        report = library.gate(run, *rules, **{"workspace": self.workspace, **self._defaults, **options})
        self._reports.append(report)
        return report

    def __getattr__(self, name: str) -> Any:
        import inspect

        import mtassay as library

        function = getattr(library, name)
        if not inspect.isfunction(function):
            return function
        parameters = inspect.signature(function).parameters
        takes = "workspace" in parameters or "options" in parameters
        return partial(function, workspace=self.workspace) if takes else function


@pytest.fixture
def mtassay(request: pytest.FixtureRequest, tmp_path: Path) -> BoundLibrary:
    """Bind the library to the workspace of the settings, or else to a new one."""
    marker = request.node.get_closest_marker("mtassay")
    chosen: dict[str, Any] = dict(marker.kwargs) if marker else {}
    if strange := chosen.keys() - {"workspace", "baseline", "alpha"}:
        raise pytest.UsageError(
            f"The marker mtassay has no '{min(strange)}'. Available: workspace, baseline, alpha."
        )
    root = request.config.rootpath
    place = chosen.pop("workspace", None) or _setting(request.config, "mtassay_workspace")
    baseline = chosen.pop("baseline", None) or _setting(request.config, "mtassay_baseline")
    if baseline:
        is_file = isinstance(baseline, str) and (root / baseline).is_file()
        chosen["baseline"] = root / baseline if is_file else baseline
    reports = request.node.stash.setdefault(_KEY, [])
    return BoundLibrary(root / place if place else tmp_path / "workspace.db", chosen, reports)


def _setting(config: pytest.Config, name: str) -> str:
    return str(config.getoption(name) or config.getini(name))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the gates of a failed test below it: those of the fixture, and those in its variables."""
    report = yield
    gates = sys.modules.get("mtassay.changes.gate_tables")
    if report.when == "call" and report.failed and gates is not None:
        found: list[Any] = [*item.stash[_KEY]] if _KEY in item.stash else []
        if call.excinfo is not None:
            for entry in call.excinfo.traceback:
                found += entry.locals.values()
        failed = [gate for gate in found if isinstance(gate, gates.GateReport) and not gate.passed]
        for gate in {id(gate): gate for gate in failed}.values():
            report.sections.append(("mtassay gate", str(gate)))
    return report
