"""What the numbers of methods rest on besides outputs: the texts, and what reviewers settled."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from mtassay.core import DISPUTED, Result, Tools
from mtassay.reviews import is_model
from mtassay.texts.marks import plural

__all__ = ["SettledOutputs", "sign"]

_SHOWN = 12  # digits of a digest that people see


@dataclass(frozen=True, slots=True)
class SettledOutputs:
    """How many of the `outputs` of all systems reviewers settled; `used` is whether that counted.

    `by_models` are those of them that no person had a say in: only language models reviewed them.
    """

    outputs: int
    settled: int = 0
    by_models: int = 0
    used: bool = True

    @classmethod
    def of(
        cls,
        subjects: Iterable[str],
        decisions: Mapping[str, str],
        reviewers: Mapping[str, Collection[str]],
        *,
        used: bool,
    ) -> Self:
        """Counted from the subjects of all outputs, one for each output."""
        asked = list(subjects)
        settled = [subject for subject in asked if decisions.get(subject, DISPUTED) != DISPUTED]
        by_models = sum(all(map(is_model, reviewers[subject])) for subject in settled)
        return cls(len(asked), len(settled), by_models, used)

    def basis(self) -> dict[str, Any]:
        """For the basis of a result."""
        return {"reviews": asdict(self)}

    @property
    def signed(self) -> str:
        """For a signature: how many reviews settled, or that they were left out."""
        return str(self.settled) if self.used else "no"

    def describe(self) -> str:
        """What a reader must know of it.

        >>> SettledOutputs(1428, 12, 3).describe()
        'Reviewers settled 12 of 1,428 outputs, language models alone 3 of these'
        >>> SettledOutputs(1428, 12, used=False).describe()
        'Without reviews: what reviewers settled, 12 of 1,428 outputs, does not count'
        """
        models = f", language models alone {self.by_models:,} of these" if self.by_models else ""
        if not self.used:
            what = f"{self.settled:,} of {plural(self.outputs, 'output')}{models}"
            return f"Without reviews: what reviewers settled, {what}, does not count"
        count = f"{self.settled:,}" if self.settled else "none"
        return f"Reviewers settled {count} of {plural(self.outputs, 'output')}{models}"


def sign(result: Result, tools: Tools, **parts: str) -> Result:
    """The result with what it rests on at the head of all signatures: the texts, and these parts.

    Of digests people see twelve digits.
    """
    texts = {"texts": tools.texts[:_SHOWN]} if tools.texts else {}
    head = "|".join(f"{key}:{value[:_SHOWN]}" for key, value in {**texts, **parts}.items())
    if not head:
        return result
    return replace(result, scores=[replace(s, signature=f"{head}|{s.signature}") for s in result.scores])
