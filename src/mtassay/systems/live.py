"""What all live engines share: their limits, and how an option text becomes one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mtassay.core import System
from mtassay.languages import Pair


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How a service may be asked. `None` means no limit.

    `batch` requests of at most `batch_characters` characters together go into one call; `in_flight` calls
    run at the same time; a call that fails for now is tried `attempts` times in all, within `timeout`
    seconds each.
    """

    batch: int = 1
    batch_characters: int | None = None
    in_flight: int = 4
    calls_per_second: float | None = None
    characters_per_second: float | None = None
    attempts: int = 5
    timeout: float = 60.0


@dataclass(frozen=True, kw_only=True)
class LiveSystem(System):
    """An engine that is asked for every translation.

    The fields of a subclass are its options. `translate` gets one batch within `limits` and makes one
    call: no retries, no waiting, no cache, all of which are the caller's. It raises `BusyError`,
    `RejectedError` or `ClosedError`, or gives an `Output` with an error for a single request.
    `signature` names everything that may change an answer, and no secret.
    """

    scheme: ClassVar[str]
    """The word before the colon in `NAME=scheme:rest`."""
    subject: ClassVar[str]
    """The field that the rest fills, up to a `?` before further options."""

    name: str
    pair: Pair

    @property
    def limits(self) -> Limits:
        """How this engine may be asked."""
        return Limits()
