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
    if "compared" in evidence:
        return _about_variants(evidence)
    if "missed" in evidence:
        missed = [
            f"{name['text']} ({name['type']})" + (f", near {name['near']!r}" if name.get("near") else "")
            for name in evidence["missed"]
        ]
        return "missed " + "; ".join(missed)
    return "; ".join(f"{key.replace('_', ' ')}: {value}" for key, value in evidence.items())


def _about_variants(evidence: Mapping[str, Any]) -> str:
    """How far the translations of an original's variants are from its own.

    >>> _about_variants({"compared": 9, "threshold": 4, "variants": [{"distance": 7.0}, {"distance": 5.0}]})
    'distance 7, beyond the threshold of 4; 9 variants compared'
    """
    distances = [variant["distance"] for variant in evidence.get("variants", ())]
    far = (
        f"distance {max(distances):g}, beyond the threshold"
        if distances
        else "no variant beyond the threshold"
    )
    compared = int(evidence["compared"])
    return f"{far} of {evidence['threshold']:g}; {compared:,} variant{'s'[: compared != 1]} compared"
