"""`mtassay doctor`: what is installed, what works for a language pair, what is missing and how to get it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import typer

from mtassay import __version__
from mtassay.api.doctor import check_pair, extra_table, installed_extras, pair_table
from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    PairOption,
    echo,
    print_json,
    print_tables,
    terminal_width,
)
from mtassay.languages import parse_pair
from mtassay.texts.marks import wrapped


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("doctor", short_help="What is installed here, what works, what is missing.")(doctor)


def doctor(langpair: PairOption = None, output_format: FormatOption = OutputFormat.text) -> None:
    """What is installed, and with -l what works for a language pair; what is missing, and how to get it.

    Nothing is downloaded or changed. Language tools are opened to see whether they work, which takes seconds.

    \b
    Examples:
    mtassay doctor
    mtassay doctor -l en-pt
    """
    extras = installed_extras()
    pair = None if langpair is None else parse_pair(langpair)
    checks = [] if pair is None else check_pair(pair)
    if output_format is OutputFormat.json:
        record: dict[str, Any] = {
            "version": __version__,
            "extras": [{**asdict(e), "is_installed": e.is_installed, "install": e.install} for e in extras],
        }
        print_json(record if pair is None else {**record, "checks": [asdict(check) for check in checks]})
        return
    if output_format is not OutputFormat.text:
        print_tables([extra_table(extras), *([pair_table(checks, pair)] if pair else [])], output_format)
        return
    if pair is None:
        echo(f"{extra_table(extras).title}\n")
        for extra in extras:
            state = "installed" if extra.is_installed else extra.install
            _line(extra.name, f"{', '.join(filter(None, _packages(extra.packages)))}: {state}")
        echo("\nWhat works for a language pair: mtassay doctor -l en-pt")
        return
    echo(f"{pair_table(checks, pair).title}\n")
    for check in checks:
        mark = "✓" if check.state == "works" else "✗"
        _line(f"{mark} {check.part}", f"{check.what} (for {check.used_by})")


def _packages(packages: dict[str, str | None]) -> list[str]:
    return [f"{name} {version}" if version else name for name, version in packages.items()]


def _line(label: str, text: str) -> None:
    echo(wrapped(text, width=terminal_width(), indent=" " * 26, first=label.ljust(26)))
