"""Reading test sets and outputs in the formats of the field, and writing ours: see `docs/formats.md`."""

from mtassay.formats.jsonl import segment_record, write_jsonl
from mtassay.formats.mtme import ErrorSpan, MtmeFolder, Scores, read_mtme
from mtassay.formats.segments import read_outputs, read_references, read_segments, read_stream
from mtassay.formats.table import Stream
from mtassay.formats.testsets import TestSet, read_test_set
from mtassay.formats.text import read_lines, write_lines
from mtassay.formats.tsv import write_tsv

__all__ = [
    "ErrorSpan",
    "MtmeFolder",
    "Scores",
    "Stream",
    "TestSet",
    "read_lines",
    "read_mtme",
    "read_outputs",
    "read_references",
    "read_segments",
    "read_stream",
    "read_test_set",
    "segment_record",
    "write_jsonl",
    "write_lines",
    "write_tsv",
]
