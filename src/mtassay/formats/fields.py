"""The names that TSV headers and JSONL keys may have, and what each of them holds."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from mtassay.formats.table import ColumnRole

Kind = Literal["id", "document", "system", "text", "tag"]

EXPECTED = "source, reference, output (or src, ref, mt, hypothesis, translation, target, text)"
"""For messages: what the text columns may be called."""

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(["id", "seg_id", "segment_id"], "id"),
    **dict.fromkeys(["document", "doc", "docid", "doc_id"], "document"),
    **dict.fromkeys(["system", "sysid"], "system"),
}
_ROLES: dict[str, ColumnRole] = {
    **dict.fromkeys(["source", "src"], "source"),
    **dict.fromkeys(["reference", "ref"], "reference"),
    **dict.fromkeys(["output", "mt", "hypothesis", "hyp", "translation"], "output"),
    **dict.fromkeys(["target", "tgt", "trg"], "target"),
    "text": "text",
}
_NAMED_REFERENCE = re.compile(r"(?:reference|ref)(?:[_:.-](.+)|([a-z]|[0-9]+))", re.IGNORECASE | re.DOTALL)
_NAMED_OUTPUT = re.compile(r"(?:output|mt|hypothesis|hyp|translation):(.+)", re.IGNORECASE | re.DOTALL)


class Field(NamedTuple):
    """What a column or key holds: `name` of a reference, system or tag, and the `role` of a text."""

    kind: Kind
    name: str = ""
    role: ColumnRole | None = None


@lru_cache(maxsize=1024)
def field_of(header: str) -> Field:
    """What a column with this header holds; upper and lower case are the same.

    >>> field_of("src"), field_of("Doc")
    (Field(kind='text', name='', role='source'), Field(kind='document', name='', role=None))
    >>> field_of("refA"), field_of("output:ONLINE-B").name
    (Field(kind='text', name='A', role='reference'), 'ONLINE-B')

    What has no meaning to us describes the segment.

    >>> field_of("domain")
    Field(kind='tag', name='domain', role=None)
    """
    name = header.strip()
    if name.lower() in _KINDS:
        return Field(_KINDS[name.lower()])
    if name.lower() in _ROLES:
        return Field("text", role=_ROLES[name.lower()])
    reference = _NAMED_REFERENCE.fullmatch(name)
    if reference:
        return Field("text", reference[1] or reference[2], "reference")
    output = _NAMED_OUTPUT.fullmatch(name)
    if output:
        return Field("text", output[1], "output")
    return Field("tag", header)
