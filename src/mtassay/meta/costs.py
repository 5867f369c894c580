"""What a judge costs while it runs: seconds, calls of live models, and their price."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from mtassay.core import Output, Request, System, Tools
from mtassay.systems.live import LiveSystem

__all__ = ["Cost", "CountingTools"]


@dataclass(frozen=True, slots=True)
class Cost:
    """Of judging `outputs`: `None` where it is not known.

    `price` is in whatever money the prices of a model were given in.
    """

    outputs: int
    seconds: float | None = None
    calls: int = 0
    price: float | None = None

    def per_thousand(self, amount: float | None) -> float | None:
        """The same for 1,000 outputs."""
        return None if amount is None or not self.outputs else 1000 * amount / self.outputs


@dataclass(slots=True)
class CountingTools(Tools):
    """Lends what other tools lend, and counts what is asked of live models.

    What was computed before is not recalled, so that the seconds are those of the work; answers of live
    models are, since they are paid for, and then the seconds say nothing.
    """

    tools: Tools
    calls: int = 0
    tokens: dict[str, int] = field(default_factory=lambda: {"prompt_tokens": 0, "completion_tokens": 0})
    uncounted: int = 0
    earlier: dict[str, int] = field(default_factory=dict)
    """How many answers of each live model are from before."""

    def progress(self, step: str, done: int, total: int | None) -> None:
        self.tools.progress(step, done, total)

    def recall(self, key: str) -> bytes | None:
        return None

    def remember(self, key: str, value: bytes) -> None:
        self.tools.remember(key, value)

    def decisions(self, question: str) -> Mapping[str, str]:
        return self.tools.decisions(question)

    def reviewers(self, question: str) -> Mapping[str, Collection[str]]:
        return self.tools.reviewers(question)

    def note(self, text: str) -> None:
        self.tools.note(text)

    def ask(self, system: System, requests: Sequence[Request]) -> list[Output]:
        outputs = self.tools.ask(system, requests)
        if isinstance(system, LiveSystem):
            self.calls += len(requests)
            origins = getattr(self.tools, "origins", {})
            self.earlier[system.name] = origins[system.name].earlier if system.name in origins else 0
            for output in outputs:
                usage = output.meta.get("usage") or {}
                self.uncounted += not usage
                for kind in self.tokens:
                    self.tokens[kind] += usage.get(kind, 0)
        return outputs

    def price(self, prices: Sequence[float]) -> float | None:
        """What the tokens cost at a price for a million read and a million written; `None` if unknown."""
        if not self.calls:
            return 0.0
        if len(prices) != 2 or self.uncounted:
            return None
        return (self.tokens["prompt_tokens"] * prices[0] + self.tokens["completion_tokens"] * prices[1]) / 1e6


@contextmanager
def timed(seconds: list[float]) -> Iterator[None]:
    """Append how long it takes."""
    began = time.perf_counter()
    try:
        yield
    finally:
        seconds.append(time.perf_counter() - began)
