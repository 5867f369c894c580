"""What a wrong output should have been, who says so, and where such corrections come from.

An output is wrong where the reviews of it come to an error. Its correction is, in this order, one that
somebody gave, a line `fix: …` in a reviewer's note, or what a stronger engine says, marked as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any, Literal, NamedTuple, TextIO, get_args

from mtassay import __version__
from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.jsonl import json_objects, write_jsonl
from mtassay.data.formats.review_files import read_reviews
from mtassay.data.formats.segment_files import read_stream
from mtassay.data.formats.tables import join_cell, split_cell
from mtassay.data.formats.textfiles import (
    FilePath,
    open_for_writing,
    read_bytes,
    shown,
    split_lines,
    write_lines,
)
from mtassay.data.formats.xml_files import XML_LANG
from mtassay.data.languages import Pair
from mtassay.data.nouns import UNSURE, Output, Request, Review, RunContext
from mtassay.data.questions import find_question
from mtassay.data.settings import is_live
from mtassay.data.subjects import Decision, Subject, decide
from mtassay.methods.engine import EngineContext
from mtassay.runtime.workspace import Workspace
from mtassay.systems.roster import name_and_rest, open_system

CORRECT = "correct"
"""The answer that finds no error; a question without it says nothing about errors."""

ENGINE = "engine "
"""What the name of an engine is behind, so that nobody takes its translation for a person's."""

_FIX = re.compile(r"^\s*fix\s*:\s*(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)


class WrongOutput(NamedTuple):
    """An output that people decided is wrong; `error` is the kind of error they found in it."""

    id: str
    source: str
    output: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Correction:
    """A wrong output and what it should have been.

    `by` is the name of a person, or "engine NAME". `error` is the kind of error, empty where nobody said.
    """

    id: str
    source: str
    output: str
    correction: str
    by: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The wrong outputs among those reviewed, in the order of their first review, and what reviewers wrote.

    `fixes` are the corrections in their notes. Of the rest, `right` outputs are correct, and for `unsettled`
    ones reviewers disagree or are unsure.
    """

    wrong: list[WrongOutput]
    fixes: list[Correction]
    right: int = 0
    unsettled: int = 0


@dataclass(frozen=True, slots=True)
class Corrected:
    """One correction for each wrong output that has one, in their order.

    `without` are those that have none; for `same` ones every proposal is the wrong output itself.
    """

    corrections: list[Correction]
    without: list[WrongOutput]
    same: list[WrongOutput]


@dataclass(frozen=True, slots=True)
class Gathered:
    """All corrections that could be found, and what they were found from.

    `wrong` are the outputs that reviews confirm, then those that somebody corrected without a review.
    `outputs` are those of a stronger engine that was asked, by its name, with what it did not translate.
    """

    confirmed: Confirmed
    wrong: list[WrongOutput]
    corrected: Corrected
    outputs: Mapping[str, Sequence[Output]]

    @property
    def corrections(self) -> list[Correction]:
        """One for each wrong output that has one."""
        return self.corrected.corrections

    @property
    def left(self) -> list[WrongOutput]:
        """What has no correction."""
        return [*self.corrected.without, *self.corrected.same]

    @property
    def is_whole(self) -> bool:
        """Whether the stronger engine, if there is one, translated everything it was asked for."""
        return all(output.error is None for outputs in self.outputs.values() for output in outputs)


def gather(
    reviews: FilePath | Workspace | None,
    *,
    question: str,
    corrections: Sequence[Correction] = (),
    stronger: str | None = None,
    pair: Pair | None = None,
    context: RunContext | None = None,
) -> Gathered:
    """Corrections of what reviews, in a file or a workspace, confirm to be wrong.

    `question` is the one that the reviews answer, `corrections` are those that come first. `stronger` names
    an engine as `NAME=scheme:rest`, or a file of its outputs; it is for outputs that nobody has corrected.
    `context` ask the engine: those of a workspace ask for nothing twice.

    >>> fix = Correction("1", "Hi.", "Alô.", "Olá.", "anna")
    >>> gather(None, question="suite", corrections=[fix]).corrections
    [Correction(id='1', source='Hi.', output='Alô.', correction='Olá.', by='anna', error='')]
    """
    if CORRECT not in find_question(question).keys.values():
        raise UsageError(f"The question '{question}' does not say which outputs are {CORRECT}.")
    confirmed = _confirmed(reviews, question, is_needed=not corrections)
    # Who corrects an output says that it is wrong, so it needs no review.
    confirmed_texts = {(wrong_output.source, wrong_output.output) for wrong_output in confirmed.wrong}
    more = [c for c in corrections if (c.source, c.output) not in confirmed_texts]
    wrong = [*confirmed.wrong, *(WrongOutput(c.id, c.source, c.output, c.error) for c in more)]
    first = Gathered(confirmed, wrong, correct(wrong, corrections, confirmed.fixes), {})
    if stronger is None or not first.left:
        return first
    name, what = name_and_rest(stronger)
    outputs: dict[str, Sequence[Output]] = {}
    if is_live(what):
        helpers = context or EngineContext(None, lambda step, done, total: None)
        asked = helpers.ask(open_system(name, what, pair), [Request(e.id, e.source) for e in first.left])
        outputs = {name: asked}
        texts = {output.id: output.text for output in asked}
    else:
        texts = _stored(what, first.left, name, pair)
    proposed = by_engine(first.left, texts, name)
    return Gathered(confirmed, wrong, correct(wrong, corrections, confirmed.fixes, proposed), outputs)


def _confirmed(reviews: FilePath | Workspace | None, question: str, *, is_needed: bool) -> Confirmed:
    if reviews is None:
        return Confirmed([], [])
    if not isinstance(reviews, Workspace):
        rows = read_reviews(reviews).rows
        subjects = {row.subject.id: row.subject for row in rows}
        return confirm([row.review for row in rows], subjects, question=question)
    confirmed = confirm(reviews.reviews(question), reviews.subjects(), question=question)
    if is_needed and not confirmed.wrong:
        raise UsageError(f"No review in {reviews.path} finds an error: mtassay review next")
    return confirmed


def _stored(path: str, wrong: Sequence[WrongOutput], name: str, pair: Pair | None) -> dict[str, str | None]:
    """Outputs by id. A file of lines cannot say which is which, so it must have one line for each."""
    stream = read_stream(path, role="output", pair=pair, system=name)
    ids = stream.ids or [wrong_output.id for wrong_output in wrong]
    if len(ids) != len(stream.texts):
        what = f"{len(stream.texts)} lines for {len(ids)} wrong outputs. Give a .jsonl or .tsv file with ids"
        raise InputError(what, path=path)
    return dict(zip(ids, stream.texts, strict=True))


def confirm(reviews: Sequence[Review], subjects: Mapping[str, Subject], *, question: str) -> Confirmed:
    """What holds of the reviews that answer this question. Wrong is what was decided and is not correct.

    A correction is a line `fix: …` in the note of somebody who found an error; the newest one counts.
    """
    wrong: list[WrongOutput] = []
    fixes: list[Correction] = []
    right = unsettled = 0
    answering = [review for review in reviews if review.question == question]
    for (subject_id, _), decision in decide(answering).items():
        if decision.answer is None:
            unsettled += 1
        elif decision.answer == CORRECT:
            right += 1
        else:
            subject = subjects[subject_id]
            wrong_output = WrongOutput(
                subject.case_id, subject.sources[0] or "", subject.outputs[0], decision.answer
            )
            wrong.append(wrong_output)
            if fix := _newest_fix(decision):
                fixes.append(Correction(*wrong_output[:3], fix[0], fix[1], wrong_output.error))
    return Confirmed(wrong, fixes, right, unsettled)


def fix_in(note: str) -> str | None:
    r"""The correction that a note holds, or `None`.

    >>> fix_in("the adjective is lost\nfix: Ela comprou um vaso azul.")
    'Ela comprou um vaso azul.'
    >>> fix_in("I would fix: nothing") is None
    True
    """
    fixes = _FIX.findall(note)
    return fixes[-1] if fixes else None


def correct(wrong: Iterable[WrongOutput], *proposals: Iterable[Correction]) -> Corrected:
    """For each wrong output the first proposal for it that is not the wrong output itself.

    A proposal is for an output with the same source and text, whatever its id.
    """
    by_texts: dict[tuple[str, str], list[Correction]] = {}
    for correction in (proposal for part in proposals for proposal in part):
        by_texts.setdefault((correction.source, correction.output), []).append(correction)
    corrected = Corrected([], [], [])
    for wrong_output in wrong:
        candidates = by_texts.get((wrong_output.source, wrong_output.output), [])
        real = [c for c in candidates if _plain(c.correction) != _plain(wrong_output.output)]
        if real:
            best = real[0]
            corrected.corrections.append(
                Correction(*wrong_output[:3], best.correction, best.by, wrong_output.error)
            )
        else:
            (corrected.same if candidates else corrected.without).append(wrong_output)
    return corrected


def by_engine(wrong: Iterable[WrongOutput], outputs: Mapping[str, str | None], name: str) -> list[Correction]:
    """What a stronger engine makes of the sources, by the ids of the wrong outputs, marked as such.

    A source without an output, or with a blank one, has no correction.
    """
    return [
        Correction(*wrong_output[:3], text, f"{ENGINE}{name}", wrong_output.error)
        for wrong_output in wrong
        if (text := outputs.get(wrong_output.id)) and text.strip()
    ]


def _newest_fix(decision: Decision) -> tuple[str, str] | None:
    """The correction and who wrote it."""
    for review in reversed([*decision.latest.values()]):
        if review.answer not in (CORRECT, UNSURE) and (fix := fix_in(review.note)):
            return fix, review.reviewer
    return None


def _plain(text: str) -> str:
    return " ".join(text.split())


COLUMNS = ("id", "source", "output", "correction", "by", "error")
"""What a correction is made of; `error` may be missing, and so may `id`, which is then the line's number."""

_NEEDED = ("source", "correction", "by")


def read_corrections(path: FilePath) -> list[Correction]:
    """The corrections of a file, in its order; a bad row is an `InputError` with its line.

    `by` says who corrected: a person's name, or "engine NAME". `output` may be empty. A row whose correction
    is empty is one that nobody has corrected yet: it is left out.
    """
    name = shown(path)
    ending = name.removesuffix(".gz")
    data = read_bytes(path)
    if ending.endswith(".tsv"):
        records = _from_tsv(data, name)
    elif ending.endswith((".jsonl", ".ndjson")):
        records = json_objects(split_lines(data, name), name)
    else:
        raise UsageError(f"{name}: a file of corrections ends in .jsonl or .tsv.")
    corrections = []
    first: dict[str, int] = {}
    for line, record in records:
        if "correction" in record and not str(record["correction"] or "").strip():
            continue
        correction = _correction(record, name, line)
        if correction.id in first:
            what = f"duplicate id {correction.id!r} (first on line {first[correction.id]})"
            raise InputError(what, path=name, line=line)
        first[correction.id] = line
        corrections.append(correction)
    if not corrections:
        raise InputError("it holds no correction", path=name)
    return corrections


def _correction(record: Mapping[str, Any], path: str, line: int) -> Correction:
    values = {key: record[key] for key in COLUMNS if record.get(key) is not None}
    for key, value in values.items():
        if key == "id" and isinstance(value, int) and not isinstance(value, bool):
            values[key] = str(value)
        elif not isinstance(value, str):
            raise InputError(f"'{key}' must be a text", path=path, line=line)
    for key in _NEEDED:
        if not values.get(key, "").strip():
            what = "'by' is empty: write who corrected it, or 'engine NAME'" if key == "by" else f"no '{key}'"
            raise InputError(f"{what}. Needed: {', '.join(_NEEDED)}", path=path, line=line)
    return Correction(**{"id": str(line), "output": "", **values})


def _from_tsv(data: bytes, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    header, *lines = split_lines(data, path)
    columns = [column.strip().lower() for column in header.split("\t")]
    if missing := [name for name in _NEEDED if name not in columns]:
        what = f"there is no column '{missing[0]}'. Needed: {', '.join(_NEEDED)}"
        raise InputError(what, path=path, line=1)
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise InputError(f"{len(cells)} columns, expected {len(columns)}", path=path, line=number)
        texts = (split_cell(cell)[0] or "" for cell in cells)
        yield number, dict(zip(columns, texts, strict=True))


ExportFormat = Literal["jsonl", "tsv", "tmx"]
FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def format_of(path: FilePath) -> ExportFormat:
    """What the ending of a file is for.

    >>> format_of("fixes.tmx"), format_of("fixes.jsonl.gz")
    ('tmx', 'jsonl')
    """
    ending = PurePath(str(path).removesuffix(".gz")).suffix.lower().removeprefix(".")
    for name in FORMATS:
        if ending == name:
            return name
    raise UsageError(f"{path}: its ending does not name a format. Take .jsonl, .tsv or .tmx.")


def check_export(form: ExportFormat, pair: Pair | None) -> None:
    """An error where a format needs to know the languages and does not."""
    if pair is None and form == "tmx":
        raise UsageError(f"The format '{form}' names the languages: add `langpair='SRC-TGT'`.")


def export(
    where: FilePath | TextIO,
    corrections: Sequence[Correction],
    form: ExportFormat,
    *,
    pair: Pair | None = None,
) -> None:
    """Write corrections in their order. `tmx` names the languages, so it needs the pair.

    JSONL and TSV keep everything, TMX who corrected and the kind of error. In TSV cells are written as in
    sheets of reviews; in TMX what XML cannot hold becomes a space.
    """
    check_export(form, pair)
    if form == "jsonl":
        write_jsonl(where, map(asdict, corrections))
    elif form == "tsv":
        _write_table(where, map(asdict, corrections))
    elif pair is not None:
        _write_tmx(where, corrections, pair)


def write_sheet(where: FilePath | TextIO, wrong: Iterable[WrongOutput]) -> None:
    """Write a sheet of wrong outputs, to fill in the columns 'correction' and 'by'."""
    _write_table(where, ({**entry._asdict(), "correction": "", "by": ""} for entry in wrong))


def _write_table(where: FilePath | TextIO, rows: Iterable[Mapping[str, str]]) -> None:
    """Cells that a spreadsheet would change, as a formula, have a backslash before them."""
    lines = ("\t".join(join_cell([row[column]]) for column in COLUMNS) for row in rows)
    write_lines(where, ["\t".join(COLUMNS), *lines])


def _write_tmx(where: FilePath | TextIO, corrections: Sequence[Correction], pair: Pair) -> None:
    from lxml import etree

    root = etree.Element("tmx", version="1.4")
    etree.SubElement(
        root,
        "header",
        {
            "creationtool": "mtassay",
            "creationtoolversion": __version__,
            "segtype": "sentence",
            "o-tmf": "mtassay",
            "adminlang": "en",
            "srclang": pair.source.tag,
            "datatype": "plaintext",
        },
    )
    body = etree.SubElement(root, "body")
    for correction in corrections:
        unit = etree.SubElement(body, "tu", tuid=_xml(correction.id))
        for name, text in (("x-by", correction.by), ("x-error", correction.error)):
            if text:
                etree.SubElement(unit, "prop", type=name).text = _xml(text)
        for language, text in ((pair.source, correction.source), (pair.target, correction.correction)):
            variant = etree.SubElement(unit, "tuv", {XML_LANG: language.tag})
            etree.SubElement(variant, "seg").text = _xml(text)
    etree.indent(root)
    with open_for_writing(where) as handle:
        handle.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        handle.write(etree.tostring(root, encoding="unicode") + "\n")


def _xml(text: str) -> str:
    return _NO_XML.sub(" ", text)
