"""Who reads each file of the corpus: commands as a person writes them, and readers of the library."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from mtassay.data.errors import MtassayError

Reader = Callable[[str], int]
"""Reads the file with this name in the current folder; gives an exit code."""

CORPUS = Path(__file__).parent / "corpus"
SCORE = "score -s source.txt -r reference.txt -t a=output.txt -m bleu,chrf -q --trials 100"


def command(line: str) -> Reader:
    """The command line with the file in the place of `@`."""

    def read(name: str) -> int:
        from mtassay.app.cli import main

        def fail(error: BaseException) -> int:
            raise error

        streams = sys.argv, sys.stdin, sys.stdout, sys.stderr, main.tell_bug
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        sys.argv = ["mtassay", *(word.replace("@", name) for word in line.split())]
        sys.stdin = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        sys.stdout = sys.stderr = out
        main.tell_bug = fail
        try:
            main.main()
        except SystemExit as stop:
            return int(stop.code or 0)
        finally:
            with suppress(ValueError):
                out.flush()
            sys.argv, sys.stdin, sys.stdout, sys.stderr, main.tell_bug = streams

    return read


def function(read: Callable[[str], Any]) -> Reader:
    """A function of the library; its own errors are an exit code."""

    def call(name: str) -> int:
        try:
            read(name)
        except MtassayError as error:
            return error.exit_code
        return 0

    return call


def _prompt(name: str) -> None:
    from mtassay.data.languages import parse_pair
    from mtassay.systems.chat_translator import read_prompt

    read_prompt(name).messages("a ${b}", pair=parse_pair("en-de"), context="c")


def _service(name: str) -> None:
    from mtassay.data.languages import parse_pair
    from mtassay.systems.http_server import read_template

    os.environ["MT_KEY"] = "a key that is none"
    template = read_template(name)
    for texts in (["a"], ["a", "b"]) if template.many else (["a"],):
        template.request(texts, pair=parse_pair("en-de"), context=None, what="it")


def _library(module: str, name: str, *more: Any) -> Reader:
    from importlib import import_module

    def read(path: str) -> None:
        getattr(import_module(module), name)(path, *more)

    return function(read)


def _iob(path: str) -> None:
    from mtassay.data.formats.annotation_files import read_entities
    from mtassay.data.formats.textfiles import read_lines
    from mtassay.data.nouns import Segment

    references = enumerate(read_lines("reference.txt"), 1)
    read_entities(path, [Segment(str(number), None, (text,)) for number, text in references])


_SUITE = [
    command(line)
    for line in (
        "suite check @",
        "suite list @",
        "suite convert @ made.yaml --force",
        "suite run @ -t a=short.txt -q --trials 100",
        "suite run @ -t a=short.txt -q --trials 100 -f json",
        "suite run @ -t a=short.txt -q --trials 100 -f latex",
    )
]
_SET = [
    command("score --test-set @ -l en-de -m bleu,chrf -q --trials 100"),
    command("score -s @ -r @ -t @ -l en-de -m chrf -q --trials 100"),
    command("translate -l en-de -t f=fake:reverse @ -q"),
]
_PAIRS = [command("score --test-set @ -l en-de -m bleu,chrf -q --trials 100 -t a=short.txt"), *_SET[1:]]
_JUDGE = "behavior run cases.jsonl -t a=outputs.jsonl -l en-de --quality chrf -q"
_JUDGE += " --min-quality 0.5 --max-change 0.2"
_NEE = f"{SCORE.replace('bleu,chrf', 'nee')} -l en-de --entities"
_DETECT = "meta judges --flagged d=flags.tsv --labels labels.tsv -q"
_REVIEWS = [command("review import @ --reviewer me"), command("review agreement")]
_SCORES = [
    command(
        "meta correlate -s source.txt -r reference.txt -t A=output.txt -t B=other.txt --human-scores @"
        " -m chrf -l en-de --samples 100 --trials 100 -q"
    )
]

READERS: dict[str, list[Reader]] = {
    "source.txt": [
        command(SCORE.replace("source.txt", "@")),
        command("translate -l en-de -t f=fake:reverse @ -q"),
    ],
    "reference.txt": [command(SCORE.replace("reference.txt", "@"))],
    "output.txt": [
        command(f"{SCORE.replace('output.txt', '@')} -f {form}")
        for form in ("text", "json", "tsv", "md", "latex")
    ],
    "short.txt": [command("suite run suite.yaml -t a=@ -q --trials 100")],
    "documents.txt": [command(f"{SCORE} --documents @")],
    "table.tsv": _SET,
    "records.jsonl": _SET,
    "wmt.xml": _SET,
    "set.sgm": _SET,
    "memory.tmx": _PAIRS,
    "one.xlf": _PAIRS,
    "two.xliff": _PAIRS,
    "plan.yaml": [command("run @ --check"), command("run @ --dry-run -q"), command("run @ -q")],
    "suite.yaml": _SUITE,
    "suite.json": _SUITE,
    "drafts.tsv": [command("suite add grown.yaml --from @")],
    "inline.txt": [command(f"{_NEE} @"), function(_iob)],
    "entities.jsonl": [command(f"{_NEE} @"), function(_iob)],
    "entities.json": [function(_iob)],
    "entities.iob2": [function(_iob)],
    "glossary.tsv": [command(f"{_NEE.replace('nee', 'nee:glossary=@')} inline.txt")],
    "glossary.tbx": [command(f"{_NEE.replace('nee', 'nee:glossary=@')} inline.txt")],
    "reviews.tsv": _REVIEWS,
    "reviews.csv": _REVIEWS,
    "reviews.jsonl": _REVIEWS,
    "scores.tsv": _SCORES,
    "scores.seg": _SCORES,
    "scores.jsonl": _SCORES,
    "scores.csv": _SCORES,
    "scores.rating": _SCORES,
    "cases.jsonl": [command(_JUDGE.replace("cases.jsonl", "@"))],
    "cases.tsv": [command(_JUDGE.replace("cases.jsonl", "@"))],
    "outputs.jsonl": [command(_JUDGE.replace("outputs.jsonl", "@"))],
    "links.pharaoh": [_library("mtassay.nlp.links", "read_pharaoh")],
    "prompt.txt": [function(_prompt)],
    "shots.tsv": [_library("mtassay.systems.chat_translator", "read_shots")],
    "service.json": [function(_service)],
    "flags.tsv": [command(_DETECT.replace("flags.tsv", "@"))],
    "labels.tsv": [command(_DETECT.replace("labels.tsv", "@"))],
    "blocklist.txt": [_library("mtassay.methods.behavior.objections", "read_blocklist")],
    "substitutes.tsv": [_library("mtassay.methods.invariance.substitute_lexicon", "read_lexicon")],
}


def lay_out(folder: Path) -> dict[str, bytes]:
    """Put the corpus into a folder, and what is made of it; gives all its files."""
    files = {path.name: path.read_bytes() for path in sorted(CORPUS.iterdir())}
    files["grown.yaml"] = files["suite.yaml"]
    files["other.txt"] = files["reference.txt"].replace(b"a", b"e")
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return files
