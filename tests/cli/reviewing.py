"""A small suite with outputs that need a person, saved as a run."""

from __future__ import annotations

from pathlib import Path

from mtassay.data.formats.suite_files import read_suite
from mtassay.methods.engine import execute
from mtassay.methods.suite.suite_method import SuiteMethod, segment_of
from mtassay.runtime.workspace import Workspace
from mtassay.systems.roster import Stored

HOSTILE = "Ele \x1b[2Jcorria \u202eriarroc" + " muito" * 20_000

SUITE = """\
suite: Portuguese
langpair: en-pt
items:
  - id: negation-1
    category: Negation
    phenomenon: Negative concord
    source: Nobody said anything.
    focus: [Nobody, anything]
    context: [They all sat there.]
    references: [Ninguém disse nada.]
    note: concord is obligatory
    positive_regex: [Ninguém disse nada]
    negative_regex: [disse algo]
  - id: tense-1
    category: Verb tense
    phenomenon: Past
    source: He ran.
    positive_regex: [correu]
"""
OUTPUTS = {
    "alpha": ["Ninguém falou.", "Ele correu."],
    "beta": ["Ninguém falou.", HOSTILE],
    "gamma": ["Ninguém disse nada, ele disse algo."],
}
"""Open are three outputs: one of two systems, a conflict, and a hostile one."""


def save_run(folder: Path) -> None:
    """Judge the suite and keep the run in the folder's workspace; suite and outputs are there as files."""
    (folder / "suite.yaml").write_text(SUITE, encoding="utf-8")
    suite = read_suite(folder / "suite.yaml")
    systems = []
    for name, texts in OUTPUTS.items():
        outputs = dict(zip(("negation-1", "tense-1"), texts, strict=False))
        rows = "".join(f"{key}\t{text}\n" for key, text in outputs.items())
        (folder / f"{name}.tsv").write_text(f"id\toutput\n{rows}", encoding="utf-8")
        systems.append(Stored(name, dict(outputs)))
    segments = [segment_of(item) for item in suite.items]
    execution = execute(SuiteMethod(suite), segments, systems)
    Workspace(folder / ".mtassay" / "workspace.db").save_run(execution)
