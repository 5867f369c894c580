"""Seeded ways to spoil a file: bytes, lines and cells, values of JSON."""

from __future__ import annotations

import gzip
import json
import random
import re
from typing import Any

# Pieces that mean something to one of the readers, so that what is spoilt gets past its front door.
PIECES: tuple[bytes, ...] = (
    b"\n", b"\r", b"\r\n", b"\n\n", b"\t", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80",
    b"<", b">", b"</seg>", b"<seg id='1'>", b"&", b"&#0;", b"&#xD800;", b"&x;", b"<!--", b"]]>",
    b"<![CDATA[", b"<?x?>", b"{", b"}", b"[", b"]", b"(", b")", b'"', b"'", b'""', b"null", b"true", b"1",
    b"-1", b"0", b"-", b",", b";", b":", b": ", b"- ", b"|", b"#", b"None", b"NaN", b"Infinity", b"1e999",
    b"1e-999", b"9" * 400, b"9" * 5000, b"\\ud800", b"\\u0000", b"\\udfff\\ud800", b"_xD800_", b"_x0000_",
    b'"id": 1', b"${text\n}", b"${", b"{{", b"}}", b"{{dog}}", b"(?R)?a", b"(a+)+$", b"\\w{900}",
    b"(?<=a*)b", b"\\p{Lu}", b"&a", b"*a", b"!!python/object:os.system", b"<<: ",
    b"<!DOCTYPE x [<!ENTITY x 'y'>]>", b"<!ENTITY % x SYSTEM 'file:///etc/passwd'>",
    b"0001-01-01T00:00:00+14:00", b"9999-12-31T23:59:59-14:00", b"=1+1", b"$a$", b"$\\frac$", b"../x",
    b"%s", b"%n", b"\x1b[2J", b"~", b"p", "é😀\u2028\u202e\u200f".encode(), "ı".encode(), "ﷺ".encode(),
    "\U0010fffe".encode(), "٣".encode(), "①".encode(), "²".encode(), b"<x id='1'/>", b"<ph>{0}</ph>",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 1e308, 10**30, "", " ", "x", "\n", "\0", "\ud800", "1", [], {}, [None],
    [[]], {"": ""}, {"a": [{}]}, ["a", 1], "nan", "9" * 5000,
)  # fmt: skip


def spoil(data: bytes, name: str, random_: random.Random, others: list[bytes]) -> bytes:
    """The file, spoilt in one to four ways."""
    for _ in range(random_.choice((1, 1, 1, 2, 3, 4))):
        way = random_.choice(
            (_insert, _insert, _remove, _replace, _repeat, _cut, _lines, _cells, _splice, _digits)
        )
        if random_.random() < 0.35 and name.endswith((".json", ".jsonl")):
            way = _json
        if random_.random() < 0.25 and name.endswith((".xml", ".tmx", ".xlf", ".xliff", ".tbx", ".sgm")):
            way = _tags
        data = way(data, random_, others)[: 2**20]
    if random_.random() < 0.02:
        data = gzip.compress(data, mtime=0)
    return data


def _place(data: bytes, random_: random.Random) -> int:
    return random_.randint(0, len(data))


def _insert(data: bytes, random_: random.Random, others: list[bytes]) -> bytes:
    at = _place(data, random_)
    piece = random_.choice(PIECES) * random_.choice((1, 1, 1, 1, 2, 40, 3000))
    return data[:at] + piece + data[at:]


def _replace(data: bytes, random_: random.Random, others: list[bytes]) -> bytes:
    at = _place(data, random_)
    return data[:at] + random_.choice(PIECES) + data[at + random_.randint(1, 12) :]


def _remove(data: bytes, random_: random.Random, others: list[bytes]) -> bytes:
    at = _place(data, random_)
    return data[:at] + data[at + random_.choice((1, 1, 2, 5, 30, 200)) :]


def _repeat(data: bytes, random_: random.Random, others: list[bytes]) -> bytes:
    start, end = sorted((_place(data, random_), _place(data, random_)))
    part = data[start : min(end, start + random_.choice((1, 5, 50, 5000)))]
    return data[:start] + part * random_.choice((2, 2, 3, 50, 2000)) + data[start:]


def _cut(data: bytes, random_: random.Random, others: list[bytes]) -> bytes:
    return data[: _place(data, random_)]


def _splice(data: bytes, random_: random.Random, others: list[bytes]) -> bytes:
    other = random_.choice(others)
    at = _place(other, random_)
    return (
        data[: _place(data, random_)]
        + other[at : at + random_.choice((10, 100, 1000))]
        + data[_place(data, random_) :]
    )


def _digits(data: bytes, random_: random.Random, others: list[bytes]) -> bytes:
    numbers = list(re.finditer(rb"\d+", data))
    if not numbers:
        return data
    number = random_.choice(numbers)
    new = random_.choice(
        (b"0", b"-1", b"1e400", b"99999999999999999999", b"1.5", b"", b"NaN", "٣".encode(), b"2" * 5000)
    )
    return data[: number.start()] + new + data[number.end() :]


def _lines(data: bytes, random_: random.Random, others: list[bytes]) -> bytes:
    lines = data.split(b"\n")
    first, second = random_.randrange(len(lines)), random_.randrange(len(lines))
    match random_.randrange(4):
        case 0:
            lines[first], lines[second] = lines[second], lines[first]
        case 1:
            lines.insert(first, lines[second])
        case 2:
            del lines[first]
        case _:
            lines[first] = b" " * random_.choice((1, 3, 100)) + lines[first]
    return b"\n".join(lines)


def _cells(data: bytes, random_: random.Random, others: list[bytes]) -> bytes:
    between = max((b"\t", b",", b";", b" "), key=data.count)
    lines = data.split(b"\n")
    row = random_.randrange(len(lines))
    cells = lines[row].split(between)
    cells[random_.randrange(len(cells))] = random_.choice((b"", *PIECES))
    if random_.random() < 0.3:
        cells.insert(random_.randrange(len(cells)), random_.choice(cells))
    lines[row] = between.join(cells)
    return b"\n".join(lines)


def _tags(data: bytes, random_: random.Random, others: list[bytes]) -> bytes:
    tags = list(re.finditer(rb"<[^<>]*>", data))
    if len(tags) < 2:
        return data
    one, other = random_.choice(tags), random_.choice(tags)
    match random_.randrange(4):
        case 0:
            return data[: one.start()] + other[0] + data[one.end() :]
        case 1:
            return data[: one.start()] + data[one.end() :]
        case 2:
            return data[: one.start()] + one[0] * random_.choice((2, 300)) + data[one.end() :]
        case _:
            spoilt = re.sub(
                rb"(\w+)=", random_.choice((rb"x\1=", rb"\1 \1=", rb"=", rb"\1")), one[0], count=1
            )
            return data[: one.start()] + spoilt + data[one.end() :]


def _json(data: bytes, random_: random.Random, others: list[bytes]) -> bytes:
    """One value of one record is another one, or gone."""
    text = data.decode("utf-8", "replace")
    lines = [text] if text.lstrip().startswith("[") or text.count("\n{") == 0 else text.split("\n")
    row = random_.randrange(len(lines))
    try:
        record = json.loads(lines[row])
    except (ValueError, RecursionError):
        return data
    nodes: list[Any] = [node for node in _containers(record) if node]
    if not nodes:
        return data
    node = random_.choice(nodes)
    key = random_.choice(list(node) if isinstance(node, dict) else range(len(node)))
    if isinstance(node, dict) and random_.random() < 0.25:
        value = node.pop(key)
        if random_.random() < 0.5:
            node[random_.choice((key.upper(), "x", "", f"{key} "))] = value
    else:
        node[key] = random_.choice(VALUES)
    lines[row] = json.dumps(record, ensure_ascii=random_.random() < 0.5)
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _containers(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return ([value] if isinstance(value, dict | list) else []) + [
        node for part in inner for node in _containers(part)
    ]
