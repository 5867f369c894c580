"""Items kept secret: hidden among other lines, and what came back for them.

Macketanz et al. 2022, section 3.2, steps (a) and (b).
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import correlation, mean, stdev
from typing import Any, Literal

from mtassay.data.display import Table
from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.suite_files import write_text
from mtassay.data.formats.suite_items import Suite
from mtassay.data.formats.textfiles import (
    FilePath,
    check_characters,
    decode,
    load_json,
    read_bytes,
    read_lines,
)
from mtassay.data.marks import plural

SOURCE = "source.txt"
"""The file that is sent."""

VERSION = 1
Kind = Literal["item", "context", "distractor"]

# All that some program takes for the end of a line, and the tab, which ends a cell.
_BREAKS = re.compile("[\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class SentLine:
    """One line that is sent: what it is, of what (an item's id, a distractor's line number), and its text."""

    kind: Kind
    of: str
    source: str


@dataclass(frozen=True, slots=True)
class Key:
    """What undoes a scrambling; it must stay at home.

    `lines` are in the order in which they are sent, `ids` in the order of the suite, which `suite` names.
    """

    lines: tuple[SentLine, ...]
    ids: tuple[str, ...]
    seed: int
    suite: str = ""

    @property
    def digest(self) -> str:
        """Of the text that is sent."""
        return digest(line.source for line in self.lines)

    def count(self, kind: Kind) -> int:
        """How many lines are of this kind."""
        return sum(line.kind == kind for line in self.lines)

    def describe(self) -> str:
        """How many lines are sent, and what they are."""
        context = self.count("context")
        return (
            f"{plural(len(self.lines), 'line')} ({plural(self.count('item'), 'item')}, "
            f"{plural(self.count('distractor'), 'distractor')}{f', {context:,} of context' * bool(context)})"
        )

    def record(self) -> dict[str, Any]:
        """The key as plain values, for a JSON file."""
        return {
            "mtassay": "scramble",
            "version": VERSION,
            "suite": self.suite,
            "seed": self.seed,
            "sha256": self.digest,
            "ids": list(self.ids),
            "lines": [asdict(line) for line in self.lines],
        }


@dataclass(frozen=True, slots=True)
class Restored:
    """The outputs of items by id, in the order of the suite, and those of distractors by line number."""

    outputs: Mapping[str, str]
    distractors: Mapping[str, str]


def one_line(text: str) -> str:
    """The text with a space for line breaks and tabs, since either would shift what comes after it.

    >>> one_line("He said:\\n\\tyes.\\n")
    'He said: yes.'
    """
    return _BREAKS.sub(" ", text).strip() if _BREAKS.search(text) else text


def digest(lines: Iterable[str]) -> str:
    """SHA-256 of lines as a UTF-8 text file has them."""
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def scramble(
    suite: Suite,
    distractors: Mapping[str, str],
    *,
    seed: int,
    ratio: float | None = None,
    with_context: bool = False,
) -> Key:
    """The items of a suite and the distractors in random order.

    `distractors` are texts by their line number; `ratio` takes so many for each item, by chance, `None` all.
    With context, the sentences before a source are sent in lines of their own, directly before it. Items with
    equal sources keep a line each. Line breaks and tabs within a source become spaces: see `one_line`.
    """
    blocks: list[list[SentLine]] = []
    for item in suite.items:
        context = item.context if with_context else ()
        block = [
            *(SentLine("context", item.id, one_line(text)) for text in context),
            SentLine("item", item.id, one_line(item.source)),
        ]
        blocks.append(block)
    draw = random.Random(seed)
    numbers = list(distractors)
    if ratio is not None:
        wanted = round(ratio * len(suite.items))
        if wanted > len(numbers):
            raise UsageError(
                f"`ratio` {ratio:g} asks for {wanted:,} distractors for {len(suite.items):,} items, and "
                f"there are {len(numbers):,}. Give more, or a lower ratio."
            )
        numbers = draw.sample(numbers, wanted)
    blocks += [[SentLine("distractor", number, distractors[number])] for number in numbers]
    draw.shuffle(blocks)
    ids = tuple(item.id for item in suite.items)
    return Key(tuple(line for block in blocks for line in block), ids, seed, repr(suite))


def key_from_record(record: Any, *, path: str) -> Key:
    """The key in the parsed content of its file; one that was changed by hand is an `InputError`."""
    if not isinstance(record, Mapping) or record.get("mtassay") != "scramble":
        raise InputError("this is no key of 'mtassay suite scramble'", path=path)
    if record.get("version") != VERSION:
        raise InputError(f"this key has version {record.get('version')}, known is {VERSION}", path=path)
    try:
        lines = tuple(
            SentLine(line["kind"], str(line["of"]), str(line["source"])) for line in record["lines"]
        )
        key = Key(lines, tuple(map(str, record["ids"])), int(record["seed"]), str(record["suite"]))
        sent = record["sha256"]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"this key is damaged ({type(error).__name__}: {error})", path=path) from None
    if key.digest != sent or sorted(key.ids) != sorted(line.of for line in lines if line.kind == "item"):
        raise InputError("this key was changed: its lines are not those that were sent", path=path)
    return key


def restore(key: Key, returned: Sequence[str], *, path: str) -> Restored:
    """Whose output each returned line is. Another number of lines than was sent is an `InputError`."""
    if len(returned) != len(key.lines):
        blank = sum(not line.strip() for line in returned)
        hint = f" {blank:,} of its lines are empty." if blank else ""
        raise InputError(
            f"{len(returned):,} lines, but {len(key.lines):,} were sent.{hint} Each line must be the "
            "translation of the same line of source.txt",
            path=path,
        )
    pairs = list(zip(key.lines, returned, strict=True))
    outputs = {line.of: text for line, text in pairs if line.kind == "item"}
    distractors = {line.of: text for line, text in pairs if line.kind == "distractor"}
    outputs = {item_id: outputs[item_id] for item_id in key.ids}
    return Restored(outputs, dict(sorted(distractors.items(), key=lambda entry: int(entry[0]))))


@dataclass(frozen=True, slots=True)
class Distractors:
    """Other sentences by their line number, and what was left out of their file, a line each."""

    texts: Mapping[str, str]
    remarks: Sequence[str] = ()


def read_distractors(path: FilePath, suite: Suite) -> Distractors:
    """The sentences of a file, without empty lines and without what the suite has too."""
    lines = {str(number): one_line(line) for number, line in enumerate(read_lines(path), 1)}
    sources = {item.source for item in suite.items}
    full = {number: line for number, line in lines.items() if line.strip()}
    usable = {number: line for number, line in full.items() if line not in sources}
    if not usable:
        raise InputError("there is no sentence to hide items among", path=path)
    counts = ((len(lines) - len(full), "empty"), (len(full) - len(usable), "in the suite"))
    return Distractors(usable, [f"{plural(n, 'line')} of {path} left out: {why}" for n, why in counts if n])


def scramble_remarks(suite: Suite, key: Key) -> list[str]:
    """What somebody should know who sends the items of this suite so."""
    remarks = []
    if not key.count("distractor"):
        remarks.append("nothing hides the items: add other sentences with --distractors FILE")
    if broken := sum(one_line(item.source) != item.source for item in suite.items):
        remarks.append(f"line breaks or tabs sent as spaces in the source of {plural(broken, 'item')}")
    contexts = sum(bool(item.context) for item in suite.items)
    if contexts and not key.count("context"):
        remarks.append(f"context of {plural(contexts, 'item')} not sent; --with-context sends it")
    return remarks


def write_scrambled(key: Key, folder: Path, key_path: Path) -> None:
    """Write the key, which stays at home, and then the folder to send."""
    folder.mkdir(exist_ok=True)
    write_text(key_path, json.dumps(key.record(), ensure_ascii=False, indent=1) + "\n")
    write_text(folder / SOURCE, "".join(f"{line.source}\n" for line in key.lines))


def read_key(path: Path) -> Key:
    """The key in a file; see `key_from_record`."""
    try:
        content = load_json(decode(read_bytes(path), str(path)))
        check_characters(content)
    except InputError:
        raise
    except ValueError:
        raise InputError("this is no key of 'mtassay suite scramble'", path=path) from None
    return key_from_record(content, path=str(path))


def check_sent(key: Key, path: FilePath) -> None:
    """An `InputError` where the source that came back is not what was sent."""
    lines = read_lines(path)
    for number, (line, sent) in enumerate(zip(lines, key.lines, strict=False), 1):
        if line != sent.source:
            raise InputError(
                "this is not what was sent: lines were changed or moved, so outputs cannot be told apart",
                path=path,
                line=number,
            )
    if len(lines) != len(key.lines):
        raise InputError(f"{len(lines):,} lines, but {len(key.lines):,} were sent", path=path)


def check_suite(key: Key, suite: Suite) -> None:
    """An `InputError` where items of the suite have another source today than was sent."""
    now = {item.id: one_line(item.source) for item in suite.items}
    changed = [line.of for line in key.lines if line.kind == "item" and now.get(line.of) != line.source]
    if changed:
        raise InputError(
            f"what was sent for {plural(len(changed), 'item')} is not the source any more, "
            f"the first '{changed[0]}'",
            path=suite.path,
        )


@dataclass(frozen=True, slots=True)
class Unscrambled:
    """What came back from one system: whose output each line is, and what is striking about the lines."""

    restored: Restored
    returned: Returned


def unscramble(key: Key, files: Mapping[str, str]) -> dict[str, Unscrambled]:
    """What came back from each system, by name; whether lines were moved is for `check_order` to say."""
    sent = [line.source for line in key.lines]
    by_system = {}
    for name, path in files.items():
        lines = read_lines(path)
        by_system[name] = Unscrambled(restore(key, lines, path=path), look_at(sent, lines))
    return by_system


def check_order(by_system: Mapping[str, Unscrambled]) -> None:
    """A `UsageError` where lines seem to have changed places."""
    if moved := [name for name, unscrambled in by_system.items() if unscrambled.returned.seems_moved]:
        raise UsageError(
            f"The lines of {', '.join(moved)} do not seem to be in the order in which they were sent, so "
            "nothing was written. If they are, add `force`."
        )


def write_rows(path: Path, header: str, rows: Mapping[str, str]) -> int:
    """One row each. A tab in an output would be a column, so it becomes a space; gives how many had any."""
    path.parent.mkdir(exist_ok=True)
    cells = [f"{key}\t{text.replace(chr(9), ' ')}\n" for key, text in rows.items()]
    write_text(path, "".join([f"{header}\n", *cells]))
    return sum("\t" in text for text in rows.values())


def unscrambled_record(key: Key, by_system: Mapping[str, Unscrambled], folder: Path) -> dict[str, Any]:
    """The JSON shape."""
    records = {
        name: {
            **_line_counts(key, unscrambled.returned),
            "numbered": unscrambled.returned.numbered,
            "numbers_kept": unscrambled.returned.kept,
            "length_correlation": unscrambled.returned.correlation,
            "file": str(folder / f"{name}.tsv"),
        }
        for name, unscrambled in by_system.items()
    }
    return {"systems": records}


def unscrambled_table(key: Key, by_system: Mapping[str, Unscrambled]) -> Table:
    """What came back from each system, in numbers."""
    rows = []
    for name, unscrambled in by_system.items():
        counts = [f"{count:,}" for count in _line_counts(key, unscrambled.returned).values()]
        rows.append([name, *counts, f"{unscrambled.returned.kept:,} of {unscrambled.returned.numbered:,}"])
    return Table(["System", *_line_counts(key, Returned()), "numbers kept"], rows)


def _line_counts(key: Key, returned: Returned) -> dict[str, int]:
    return {
        "lines": len(key.lines),
        "items": key.count("item"),
        "distractors": key.count("distractor"),
        "empty": len(returned.empty),
        "copied": returned.copied,
    }


_NUMBER = re.compile(r"\d[\d.,\u00a0\u202f]*\d")
_FEW_NUMBERS, _FEW_LINES = 4, 20
"""With fewer lines to go by, nothing is said about their order."""


@dataclass(frozen=True, slots=True)
class Returned:
    """What is striking about returned lines. Places count from 1.

    `empty` are the places of empty lines, `copied` counts lines equal to their source, `strangers` are
    places of lines that equal the source of another place. Of `numbered` sources with a number of two
    digits or more, `kept` have all of them in their output. `correlation` is Pearson's, of the lengths in
    characters; `None` where there are few lines or all are about equally long.
    """

    empty: tuple[int, ...] = ()
    copied: int = 0
    strangers: tuple[int, ...] = ()
    numbered: int = 0
    kept: int = 0
    correlation: float | None = None

    @property
    def numbers_disagree(self) -> bool:
        """Whether so few numbers are where they belong that lines must have changed places."""
        return self.numbered >= _FEW_NUMBERS and self.kept < self.numbered / 2

    @property
    def lengths_disagree(self) -> bool:
        """Whether long sources do not have long outputs, as translations of the same lines do."""
        return self.correlation is not None and self.correlation < 0.3

    @property
    def seems_moved(self) -> bool:
        """Whether numbers or lengths say that these are not the outputs of these sources, line by line."""
        return self.numbers_disagree or self.lengths_disagree

    def remarks(self, lines: int) -> list[str]:
        """What somebody should look at, given how many lines came back."""
        remarks = []
        if self.empty:
            remarks.append(f"{plural(len(self.empty), 'empty line')}, the first line {self.empty[0]}")
        if self.copied:
            remarks.append(f"{self.copied:,} of {plural(lines, 'line')} untranslated: equal to the source")
        if self.strangers:
            remarks.append(
                f"{plural(len(self.strangers), 'line')} equal to the source of another line, "
                f"the first line {self.strangers[0]}. Were lines moved?"
            )
        if self.lengths_disagree:
            remarks.append(
                "the lengths of sources and outputs do not go together "
                f"(r = {self.correlation:.2f}). Were lines moved?"
            )
        if self.numbers_disagree:
            remarks.append(
                f"only {self.kept:,} of {self.numbered:,} lines with numbers have them in their output. "
                "Were lines moved?"
            )
        return remarks


def look_at(sources: Sequence[str], returned: Sequence[str]) -> Returned:
    """What is striking about the outputs of these sources, both in the order in which they were sent.

    >>> look_at(["In 1999.", "No."], ["Em 1999.", ""])
    Returned(empty=(2,), copied=0, strangers=(), numbered=1, kept=1, correlation=None)
    """
    source_set = set(sources)
    empty, strangers = [], []
    copied = numbered = kept = 0
    for place, (source, output) in enumerate(zip(sources, returned, strict=True), 1):
        if not output.strip():
            empty.append(place)
        elif output == source:
            copied += 1
        elif output in source_set:
            strangers.append(place)
        if source_numbers := _numbers(source):
            numbered += 1
            kept += source_numbers <= _numbers(output)
    lengths = _correlation([len(text) for text in sources], [len(text) for text in returned])
    return Returned(tuple(empty), copied, tuple(strangers), numbered, kept, lengths)


def _correlation(sources: Sequence[int], outputs: Sequence[int]) -> float | None:
    # Templates make sentences of one length, whose translations say nothing by theirs.
    if len(sources) < _FEW_LINES or stdev(sources) < mean(sources) / 4 or stdev(outputs) == 0:
        return None
    return correlation(sources, outputs)


def _numbers(text: str) -> set[str]:
    """The digits of each number, whatever separates them: languages write 1,000.5 and 1.000,5."""
    return {re.sub(r"\D", "", number) for number in _NUMBER.findall(text)}
