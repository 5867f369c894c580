"""Corpus metrics against references (Papineni et al. 2002)."""
