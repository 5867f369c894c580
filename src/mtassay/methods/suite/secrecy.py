"""Keeps items secret from whoever translates them: mixed with distractors, shuffled, and restored by a key.

Macketanz et al. 2022, section 3.2, steps (a) and (b).
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from mtassay.errors import InputError, UsageError
from mtassay.formats.suite import Suite

__all__ = ["Key", "Line", "Restored", "key_from_record", "one_line", "restore", "scramble"]

VERSION = 1
Kind = Literal["item", "context", "distractor"]

# All that some program takes for the end of a line, and the tab, which ends a cell.
_BREAKS = re.compile("[\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is sent: what it is, of what (an item's id, a distractor's line number), and its text."""

    kind: Kind
    of: str
    source: str


@dataclass(frozen=True, slots=True)
class Key:
    """What undoes a scrambling; it must stay at home.

    `lines` are in the order in which they are sent, `ids` in the order of the suite, which `suite` names.
    """

    lines: tuple[Line, ...]
    ids: tuple[str, ...]
    seed: int
    suite: str = ""

    @property
    def digest(self) -> str:
        """Of the text that is sent."""
        return digest(line.source for line in self.lines)

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
    blocks: list[list[Line]] = []
    for item in suite.items:
        context = item.context if with_context else ()
        block = [
            *(Line("context", item.id, one_line(text)) for text in context),
            Line("item", item.id, one_line(item.source)),
        ]
        blocks.append(block)
    draw = random.Random(seed)
    numbers = list(distractors)
    if ratio is not None:
        wanted = round(ratio * len(suite.items))
        if wanted > len(numbers):
            raise UsageError(
                f"--ratio {ratio:g} asks for {wanted:,} distractors for {len(suite.items):,} items, and "
                f"there are {len(numbers):,}. Give more, or a lower ratio."
            )
        numbers = draw.sample(numbers, wanted)
    blocks += [[Line("distractor", number, distractors[number])] for number in numbers]
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
        lines = tuple(Line(line["kind"], str(line["of"]), str(line["source"])) for line in record["lines"])
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
