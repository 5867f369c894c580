"""What a review is about: a case and the outputs that somebody looked at, named by their hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

__all__ = ["SHORT", "Subject", "subject_from"]

SHORT = 10
"""How much of an id is shown to people; any unique beginning is understood."""


@dataclass(frozen=True)
class Subject:
    """What a person looks at: a case with its sources, and the outputs to them."""

    case_id: str
    sources: tuple[str | None, ...]
    outputs: tuple[str, ...]

    @cached_property
    def id(self) -> str:
        """The same for equal contents, on any machine."""
        content = json.dumps([self.case_id, self.sources, self.outputs], ensure_ascii=False)
        # Half a character becomes "?", as in the workspace: what is stored must have the same name.
        return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:20]


def subject_from(record: Mapping[str, Any]) -> Subject:
    """The subject in a record of the workspace or of a file."""
    return Subject(record["case_id"], tuple(record["sources"]), tuple(record["outputs"]))
