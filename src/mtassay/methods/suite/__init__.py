"""Linguistic test suites (Macketanz et al. 2022)."""
