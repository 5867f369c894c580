"""What a finding says, for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["why"]


def why(evidence: Mapping[str, Any]) -> str:
    """The evidence of a finding in a line.

    >>> why({"why": "no rule applies", "status": "undecided"}), why({"length_ratio": 0.2})
    ('no rule applies', 'length ratio: 0.2')
    """
    if "why" in evidence:
        return str(evidence["why"])
    if "missed" in evidence:
        missed = [
            f"{name['text']} ({name['type']})" + (f", near {name['near']!r}" if name.get("near") else "")
            for name in evidence["missed"]
        ]
        return "missed " + "; ".join(missed)
    return "; ".join(f"{key.replace('_', ' ')}: {value}" for key, value in evidence.items())
