"""Suites as files: YAML, which is ours, and the DFKI's JSON, which is only read."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.suite_items import (
    Suite,
    check_length,
    suite_from_dfki,
)
from mtassay.data.formats.textfiles import (
    FilePath,
    check_characters,
    decode,
    load_json,
    open_for_writing,
    read_bytes,
    shown,
)
from mtassay.data.formats.yaml_editing import suite_from_yaml, yaml_text
from mtassay.data.language_packs import missing_pack, pack_files

OWN_ENDINGS = (".yaml", ".yml")
ENDINGS = (*OWN_ENDINGS, ".json")


def own_suites() -> dict[str, Path]:
    """The suites that installed language packs have, by name."""
    return pack_files("suites")


def suite_advice(name: str) -> str:
    """What to do about a suite that is not there: the pack to install, or what there is."""
    if install := missing_pack("suites", name):
        return install
    return f"Suites of language packs: {', '.join(own_suites()) or 'none is installed'}."


def suite_path(where: FilePath) -> Path:
    """The file of a suite: as it is given, or that of a language pack by its name."""
    path = Path(where)
    if not path.exists() and str(where) in own_suites():
        return own_suites()[str(where)]
    if not path.exists():
        raise UsageError(f"There is no suite file {where}. {suite_advice(str(where))}")
    return path


def read_suite(where: FilePath) -> Suite:
    """The suite in a file, or that of a language pack by its name (`en-pt`) where there is no such file.

    Ids may repeat here: anyone who judges asks `mtassay.methods.suite` first.
    """
    path = suite_path(where)
    ending = path.name.removesuffix(".gz")
    if not ending.endswith(ENDINGS):
        raise InputError(f"a suite file ends in {', '.join(ENDINGS)}", path=shown(where))
    return parse_suite(read_bytes(path), Path(ending).suffix, path=shown(where))


def parse_suite(data: bytes, ending: str, *, path: str) -> Suite:
    """The suite in the content of a file with this ending; `path` is for messages."""
    text = decode(data, path)
    if ending == ".json":
        suite = suite_from_dfki(_parsed(text, path), path=path)
    else:
        suite = suite_from_yaml(text, path=path)
    check_length(suite)
    return suite


def _parsed(text: str, path: str) -> Any:
    try:
        record = load_json(text, partial(json.loads, object_pairs_hook=partial(_object, path=path)))
        check_characters(record if "\\u" in text else None)
        return record
    except json.JSONDecodeError as error:
        raise InputError(f"this is not JSON ({error.msg})", path=path, line=error.lineno) from None
    except ValueError as error:
        raise InputError(f"this is not usable JSON ({error})", path=path) from None


def _object(pairs: list[tuple[str, Any]], *, path: str) -> dict[str, Any]:
    """A JSON object. A key that occurs twice would lose a rule without a word."""
    record = dict(pairs)
    if len(record) < len(pairs):
        twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        name = f" in the item '{record['id']}'" if "id" in record else ""
        raise InputError(f"the key '{twice}' occurs twice{name}; join the two", path=path)
    return record


def write_suite(where: FilePath, suite: Suite) -> None:
    """Write a suite as YAML. A kill leaves the old file or the new one."""
    check_ending(Path(where))
    write_text(Path(where), yaml_text(suite))


def copy_suite(where: FilePath, target: Path) -> Suite:
    """Write the suite of a file or a language pack into a file of one's own; comments of YAML stay."""
    check_ending(target)
    suite, path = read_suite(where), suite_path(where)
    is_yaml = path.name.removesuffix(".gz").endswith(OWN_ENDINGS)
    write_text(target, decode(read_bytes(path), str(path)) if is_yaml else yaml_text(suite))
    return suite


def check_ending(path: Path) -> None:
    """Refuse a file that would not be YAML."""
    if path.suffix not in OWN_ENDINGS:
        raise UsageError(f"{path}: a suite is written as {' or '.join(OWN_ENDINGS)}.")


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    with open_for_writing(path) as handle:
        handle.write(text)
