"""The released data of Wu, Liu, Yeung (2023) as our cases and outputs.

usage: python bench/behavior_data.py TARGET [FOLDER]

Writes TARGET/cases.jsonl and TARGET/SYSTEM.jsonl, for `mtassay behavior run`. FOLDER is btpgbt in
MTASSAY_DATA unless given.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.nouns import Edit
from mtassay.methods.behavior.case_files import changes_between, write_cases
from mtassay.methods.behavior.pairs import BehaviorCase, edited_id

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data")) / "btpgbt"
SYSTEMS = ("google", "azure", "deepl", "tencent", "chat", "trans")


def convert(folder: Path, target: Path) -> None:
    """Writes cases.jsonl and one file of outputs for each system."""
    cases, outputs = read_btpgbt(folder)
    target.mkdir(parents=True, exist_ok=True)
    write_cases(target / "cases.jsonl", cases)
    for system, texts in outputs.items():
        write_outputs(target / f"{system}.jsonl", cases, texts)
    print(f"{len(cases):,} cases and the outputs of {len(outputs)} systems are in {target}.")


def write_outputs(where: Path, cases: Sequence[BehaviorCase], outputs: Mapping[str, str | None]) -> None:
    """One JSON record per case, from outputs by segment id; `null` where there is none."""
    write_jsonl(
        where,
        (
            {"id": c.id, "output": outputs.get(c.id), "edited_output": outputs.get(edited_id(c.id))}
            for c in cases
        ),
    )


def read_btpgbt(folder: Path) -> tuple[list[BehaviorCase], dict[str, dict[str, str | None]]]:
    """The cases of all capabilities that are there, and each system's outputs by segment id."""
    originals = {name: _lines(folder / "wmt2122" / name) for name in ("test_en", "test_zh", *SYSTEMS)}
    place: dict[tuple[str, str], int] = {}
    for number, pair in enumerate(zip(originals["test_en"], originals["test_zh"], strict=True)):
        place.setdefault(tuple(map(_squeezed, pair)), number)  # type: ignore[arg-type]
    cases: list[BehaviorCase] = []
    outputs: dict[str, dict[str, str | None]] = {system: {} for system in SYSTEMS}
    for capability in sorted(path.name for path in (folder / "cases").iterdir()):
        names = ("old_en", "old_zh", "test_en", "test_zh", "train_align", *SYSTEMS)
        rows = [_lines(folder / "cases" / capability / name) for name in names]
        for number, (source, reference, edited, pseudo, edit, *answers) in enumerate(zip(*rows, strict=True)):
            where = place[_squeezed(source), _squeezed(reference)]
            case = _case(
                f"{capability}-{number + 1}", capability, source, reference, edited, pseudo, edit, where
            )
            cases.append(case)
            for system, answer in zip(SYSTEMS, answers, strict=True):
                outputs[system][case.id] = originals[system][where]
                outputs[system][edited_id(case.id)] = answer
    return cases, outputs


def change_at(before: str, after: str, start: int, end: int) -> Edit | None:
    """What became of `start` to `end` of a text in which more may have changed; `None` if nothing did.

    >>> change_at("the red car is fast", "a blue car was fast", 4, 7)
    Edit(start=0, end=7, before='the red', after='a blue', pos='')
    """
    touching = [
        change for change in changes_between(before, after) if change.start < end and start < change.end
    ]
    if not touching:
        return None
    first, last = touching[0], touching[-1]
    if first is last:
        return first
    between = changes_between(before, after)
    inside = between[between.index(first) : between.index(last) + 1]
    text, done = "", first.start
    for change in inside:
        text += before[done : change.start] + change.after
        done = change.end
    return Edit(first.start, last.end, before[first.start : last.end], text)


def _case(
    name: str, capability: str, source: str, reference: str, edited: str, pseudo: str, edit: str, where: int
) -> BehaviorCase:
    """The edit in the reference is what became of the words that they masked there."""
    masked = ast.literal_eval(edit)[0][1].replace(" ", "")
    start = reference.find(masked)
    change = change_at(reference, pseudo, start, start + len(masked)) if masked and start >= 0 else None
    return BehaviorCase(
        name,
        str(where + 1),
        capability,
        source,
        reference,
        edited,
        pseudo,
        changes_between(source, edited),
        (change,) if change else (),
        {"infiller": "btpgbt", "edit": edit},
    )


def _lines(path: Path) -> list[str]:
    """The lines; the last one may lack its line break."""
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def _squeezed(text: str) -> str:
    """Without spaces, which tokenisers and detokenisers put at will."""
    return "".join(text.split())


if __name__ == "__main__":
    convert(Path(sys.argv[2]) if len(sys.argv) > 2 else DATA, Path(sys.argv[1]))
