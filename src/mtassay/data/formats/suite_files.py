"""Suites as files: YAML, JSONL and the DFKI's JSON, and what a format cannot hold."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.suite_items import (
    RULE_FIELDS,
    Item,
    Rule,
    Suite,
    check_length,
    dfki_text,
    expand,
    header_record,
    item_from_record,
    item_record,
    suite_from_dfki,
    suite_from_header,
)
from mtassay.data.formats.textfiles import (
    FilePath,
    check_characters,
    decode,
    load_json,
    open_for_writing,
    read_bytes,
    shown,
    split_lines,
)
from mtassay.data.formats.yaml_editing import suite_from_yaml, yaml_text
from mtassay.data.language_packs import missing_pack, pack_files

ENDINGS = (".yaml", ".yml", ".jsonl", ".json")


def own_suites() -> dict[str, Path]:
    """The suites that installed language packs have, by name."""
    return pack_files("suites")


def suite_advice(name: str) -> str:
    """What to do about a suite that is not there: the pack to install, or what there is."""
    if install := missing_pack("suites", name):
        return install
    return f"Suites of language packs: {', '.join(own_suites()) or 'none is installed'}."


def read_suite(where: FilePath) -> Suite:
    """The suite in a file, or that of a language pack by its name (`en-pt`) where there is no such file.

    Ids may repeat here: anyone who judges asks `mtassay.methods.suite` first.
    """
    path = Path(where)
    if not path.exists() and str(where) in own_suites():
        path = own_suites()[str(where)]
    elif not path.exists():
        raise UsageError(f"There is no suite file {where}. {suite_advice(str(where))}")
    ending = path.name.removesuffix(".gz")
    if not ending.endswith(ENDINGS):
        raise InputError(f"a suite file ends in {', '.join(ENDINGS)}", path=shown(where))
    return parse_suite(read_bytes(path), Path(ending).suffix, path=shown(where))


def parse_suite(data: bytes, ending: str, *, path: str) -> Suite:
    """The suite in the content of a file with this ending; `path` is for messages."""
    suite = _parsed_suite(data, ending, path)
    check_length(suite)
    return suite


def _parsed_suite(data: bytes, ending: str, path: str) -> Suite:
    if ending == ".jsonl":
        return _from_jsonl(data, path)
    if ending == ".json":
        return suite_from_dfki(_parsed(decode(data, path), path), path=path)
    return suite_from_yaml(decode(data, path), path=path)


def _from_jsonl(data: bytes, path: str) -> Suite:
    lines = list(_json_lines(data, path))
    header: dict[str, Any] = {}
    if lines and isinstance(lines[0][1], dict) and "source" not in lines[0][1]:
        header = lines.pop(0)[1]
    items = [
        item_from_record(
            record,
            path=path,
            line=number,
            langpair=str(header.get("langpair", "")),
            author=str(header.get("author", "")),
        )
        for number, record in lines
    ]
    return suite_from_header(header, items, path=path)


def _json_lines(data: bytes, path: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(split_lines(data, path), 1):
        if line.strip():
            yield number, _parsed(line, path, number)


def _parsed(text: str, path: str, line: int | None = None) -> Any:
    try:
        record = load_json(
            text, partial(json.loads, object_pairs_hook=partial(_object, path=path, line=line))
        )
        check_characters(record if "\\u" in text else None)
        return record
    except json.JSONDecodeError as error:
        place = line or error.lineno
        raise InputError(f"this is not JSON ({error.msg})", path=path, line=place) from None
    except ValueError as error:
        raise InputError(f"this is not usable JSON ({error})", path=path, line=line) from None


def _object(pairs: list[tuple[str, Any]], *, path: str, line: int | None) -> dict[str, Any]:
    """A JSON object. A key that occurs twice would lose a rule without a word."""
    record = dict(pairs)
    if len(record) < len(pairs):
        twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        name = f" in the item '{record['id']}'" if "id" in record else ""
        raise InputError(f"the key '{twice}' occurs twice{name}; join the two", path=path, line=line)
    return record


def suite_text(suite: Suite, ending: str) -> str:
    """The suite as the text of a file with this ending."""
    if ending == ".jsonl":
        records = [item_record(item, suite) for item in suite.items]
        return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in [header_record(suite), *records])
    return dfki_text(suite) if ending == ".json" else yaml_text(suite)


def write_suite(where: FilePath, suite: Suite) -> None:
    """Write a suite in the format of the file's ending. A kill leaves the old file or the new one."""
    path = Path(where)
    check_ending(path)
    write_text(path, suite_text(suite, path.suffix))


def check_ending(path: Path) -> None:
    """Refuse a file that no format of suites belongs to."""
    if path.suffix not in ENDINGS:
        raise UsageError(f"{path}: a suite file ends in {', '.join(ENDINGS)}.")


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    with open_for_writing(path) as handle:
        handle.write(text)


_NAMES = {
    "focus": "focus words",
    "context": "context sentences",
    "note": "notes",
    "author": "authors",
    "approver": "approvers",
    "public": "marks for hidden ones",
    "extra": "other fields",
}
_OF_RULES = {
    "author": "authors of rules",
    "date": "dates of rules",
    "note": "notes of rules",
    "case": "options for case of rules",
    "engine": "choices of engine of rules",
}


def losses(suite: Suite, ending: str) -> dict[str, int]:
    """How many items, or parts of the header, lose what; nothing where the format holds all of it.

    Expressions that are written in another way but match the same are counted too, and said to do so.
    """
    reread = parse_suite(suite_text(suite, ending).encode(), ending, path=suite.path)
    lost: Counter[str] = Counter()
    for name, what in (
        ("name", "the name"),
        ("about", "the description"),
        ("extra", "other fields at the top"),
    ):
        if getattr(suite, name) and getattr(suite, name) != getattr(reread, name):
            lost[what] += 1
    if suite.matching != reread.matching:
        lost["the options of matching"] += 1
    for old, new in zip(suite.items, reread.items, strict=True):
        lost.update(_of_item(old, new, suite))
    return dict(lost)


def losses_between(where: str, suite: Suite, target: Path) -> list[str]:
    """What of the suite in a file will not be in the target, one per line; comments of YAML are named too."""
    lines = []
    for what, count in losses(suite, target.suffix).items():
        number = "" if what.startswith("the ") else f": {count:,}"
        lines.append(f"{'changed' if what.endswith(')') else 'not'} in {target}: {what}{number}")
    if Path(where).suffix in (".yaml", ".yml") and _has_comments(Path(where)):
        lines.append(f"not in {target}: the comments of {where}")
    return lines


def _has_comments(path: Path) -> bool:
    return path.exists() and any(line.lstrip().startswith("#") for line in path.open(encoding="utf-8"))


def _of_item(old: Item, new: Item, suite: Suite) -> Counter[str]:
    lost: Counter[str] = Counter()
    for field in fields(Item):
        if (
            field.name not in RULE_FIELDS
            and field.compare
            and getattr(old, field.name) != getattr(new, field.name)
        ):
            lost[f"{_NAMES.get(field.name, field.name)} of items"] += 1
    for name in RULE_FIELDS:
        before, after = getattr(old, name), getattr(new, name)
        if before == after:
            continue
        for part in fields(Rule)[1:]:
            gone = sum(getattr(rule, part.name) != part.default for rule in before)
            if gone and not any(getattr(rule, part.name) != part.default for rule in after):
                lost[_OF_RULES[part.name]] += gone
        if blank := sum(not rule.text for rule in before):
            lost["empty rules, which judge nothing"] += blank
        elif len(before) != len(after):
            lost["lists of expressions joined into one (they match the same)"] += 1
        elif [expand(rule.text, suite.macros) for rule in before] != [rule.text for rule in before]:
            lost["expressions with their macros written out (they match the same)"] += 1
    return lost
