"""Word alignment: which words of a source and a translation belong together."""

from mtassay.tools.align.aligner import Links, WordAligner, Words, aligner_names, open_aligner
from mtassay.tools.align.links import SYMMETRIZATIONS
from mtassay.tools.align.pharaoh import PharaohAligner, read_pharaoh

__all__ = [
    "SYMMETRIZATIONS",
    "Links",
    "PharaohAligner",
    "WordAligner",
    "Words",
    "aligner_names",
    "open_aligner",
    "read_pharaoh",
]
