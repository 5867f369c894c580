"""Word alignment: which words of a source and a translation belong together."""

from mtassay.tools.align.nouns import Links, WordAligner, Words

__all__ = ["Links", "WordAligner", "Words"]
