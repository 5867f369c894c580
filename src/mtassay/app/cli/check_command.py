"""`mtassay check`: what is wrong in translated texts, without references."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from mtassay.app import library
from mtassay.app.cli.frame import (
    FRAME,
    OutputFormat,
    PairOption,
    RunFrame,
    SystemOption,
    Values,
    check_targets,
    framed_but,
    parameters_of,
)
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.method import view_of
from mtassay.data.nouns import Run
from mtassay.measures.check import SEVERITIES
from mtassay.measures.check_run import severity_of
from mtassay.methods.check.check_method import CheckMethod
from mtassay.methods.check.check_view import CheckView
from mtassay.report.alarm_formats import to_github, to_junit, to_sarif

CheckFormat = Literal["text", "json", "tsv", "md", "latex", "sarif", "junit", "github"]
"""The formats of findings: those of tables, or for other tools."""
FailOn = Literal["critical", "major", "minor", "none"]
"""The least severity that makes the exit code 1."""
_FORMATS: Mapping[str, Callable[[Run], str]] = {"sarif": to_sarif, "junit": to_junit, "github": to_github}


@framed_but("output_format")
@parameters_of(CheckMethod)
def check(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE...]", help="Files with translations.")
    ] = None,
    system: SystemOption = None,
    source: Annotated[Path | None, typer.Option("--source", "-s", help="Source text.")] = None,
    reference: Annotated[
        list[Path] | None, typer.Option("--reference", "-r", help="Reference translation, if any. Repeat.")
    ] = None,
    langpair: PairOption = None,
    documents: Annotated[Path | None, typer.Option(help="Document of each line.")] = None,
    parameters: Values = {},  # noqa: B006
    cases: Annotated[
        int | None, typer.Option(min=0, help="How many findings to show in full for each system.")
    ] = None,
    findings: Annotated[Path | None, typer.Option(help="Write every finding with its place (JSONL).")] = None,
    fail_on: Annotated[
        FailOn, typer.Option(help="Exit with 1 if there are findings of at least this severity.")
    ] = "critical",
    output_format: Annotated[CheckFormat, typer.Option("--format", "-f", help="Output format.")] = "text",
    frame: RunFrame = FRAME,
) -> None:
    """Check translated texts: placeholders, numbers, terms, style, conduct of LLMs. Needs no references.

    \b
    Examples:
    mtassay check locale/de.xliff
    mtassay check -s en.txt -t nmt=de.txt -l en-de --terms glossary.csv
    mtassay check translations.tsv -l en-de --checks form,numbers -f sarif
    mtassay check -s en.txt -t nmt=de.txt -l en-de --fail-on major --findings found.jsonl
    """
    check_targets(findings)
    run = library.check(
        files or [],
        system or [],
        source,
        references=reference or [],
        langpair=langpair,
        documents=documents,
        **parameters,
        **frame.options,
    )
    if findings is not None:
        write_jsonl(findings, cast("CheckView", view_of(run.record)).finding_records())
    if write := _FORMATS.get(output_format):
        print(write(run.record))  # noqa: T201
    else:
        replace(frame, output_format=OutputFormat(output_format)).show(run, cases=cases)
    if fail_on != "none":
        bad = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
        if any(severity_of(finding) in bad for finding in run.findings):
            raise typer.Exit(1)
