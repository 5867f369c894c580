"""What a template file is made of: slots with records, tables of forms, templates of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mtassay.formats.suite import Suite
from mtassay.methods.suite.templates.conditions import Condition
from mtassay.methods.suite.templates.tables import FormTable

__all__ = ["ItemTemplate", "SlotRecord", "TemplateFile"]

Forms = tuple[str, ...]
"""One or more ways to say the same: texts take the first, expressions allow all."""


@dataclass(frozen=True, slots=True)
class SlotRecord:
    """One value of a slot: its columns in the order of the file, and its name in ids, unique in the slot."""

    name: str
    columns: Mapping[str, Forms]


@dataclass(frozen=True, slots=True)
class ItemTemplate:
    """An item with placeholders.

    `record` has the keys of an item; its texts know their line. An item is made for each combination of
    the records of `slots` for which all of `when` and none of `excluded` hold.
    """

    id: str
    record: Mapping[str, Any]
    slots: Sequence[str]
    when: Sequence[Condition] = ()
    excluded: Sequence[Condition] = ()
    line: int | None = None


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """Templates in the order of the file; `header` is the suite they make, without items."""

    header: Suite
    slots: Mapping[str, Sequence[SlotRecord]]
    tables: Mapping[str, FormTable]
    templates: Sequence[ItemTemplate]
    author: str = ""
    path: str = field(default="", compare=False)
