"""Reading test sets and outputs in the formats of the field, and writing ours: see `docs/formats.md`."""

from mtassay.data.formats.jsonl import segment_record, write_jsonl
from mtassay.data.formats.localisation import LocalisationFile, read_localisation
from mtassay.data.formats.segment_files import read_outputs, read_references, read_segments, read_stream
from mtassay.data.formats.tables import Stream, write_tsv
from mtassay.data.formats.test_sets import ErrorSpan, MtmeFolder, Scores, TestSet, read_mtme, read_test_set
from mtassay.data.formats.textfiles import read_lines, write_lines

__all__ = [
    "ErrorSpan",
    "LocalisationFile",
    "MtmeFolder",
    "Scores",
    "Stream",
    "TestSet",
    "read_lines",
    "read_localisation",
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
