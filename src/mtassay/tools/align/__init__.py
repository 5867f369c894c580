"""Word alignment: which words of a source and a translation belong together."""

from mtassay.tools.align.choose import aligner_names, open_aligner
from mtassay.tools.align.nouns import Links, WordAligner, Words
from mtassay.tools.align.pharaoh import PharaohAligner, read_pharaoh
from mtassay.tools.align.symmetrize import SYMMETRIZATIONS

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
