"""Variants of a sentence that differ in one word: where to change, by what, and what must hold."""
