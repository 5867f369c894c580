"""Repair: from errors that people confirmed to corrections, and from corrections to a better model.

Sections 4.7 and 5.2 of He, Meister and Su 2020, "Structure-Invariant Testing for Machine Translation":
reported errors, labelled with correct translations, are fixed mappings for an engine that takes such, and
data to fine-tune a model that can be trained.
"""
