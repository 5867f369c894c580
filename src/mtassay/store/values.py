"""How values stand in the workspace: texts, numbers, JSON, packed statistics, times."""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from mtassay.core import Statistics

__all__ = [
    "AT_ONCE",
    "among",
    "as_json",
    "as_real",
    "as_text",
    "now_exactly",
    "pack_statistics",
    "texts_in",
    "unpack_statistics",
]

AT_ONCE = 500
"""Keys in one query."""


def pack_statistics(measured: Statistics) -> bytes:
    """Ids, columns and values; whole numbers in as few bytes as they need."""
    import numpy as np  # large, and for runs that measure only

    values = measured.values
    if np.issubdtype(values.dtype, np.integer) and values.size and values.min() >= 0:
        values = values.astype(np.min_scalar_type(values.max()))
    buffer = io.BytesIO()
    ids, columns = (np.frombuffer(_joined(texts), np.uint8) for texts in (measured.ids, measured.columns))
    np.savez(buffer, values=values, ids=ids, columns=columns)
    return buffer.getvalue()


def unpack_statistics(data: bytes, metric: str, system: str) -> Statistics:
    """The statistics of a system under a metric, out of what `pack_statistics` gave."""
    import numpy as np

    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        ids, columns = (_parted(arrays[name].tobytes()) for name in ("ids", "columns"))
        return Statistics(metric, system, ids, columns, arrays["values"])


def _joined(texts: Sequence[str]) -> bytes:
    return "\0".join(texts).encode("utf-8", "surrogatepass")


def _parted(data: bytes) -> list[str]:
    return data.decode("utf-8", "surrogatepass").split("\0")


def now_exactly() -> str:
    """This moment in UTC, to the microsecond, so that times compare as texts do."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def as_json(value: object) -> str:
    """A value as it is kept; what JSON cannot hold by its own description."""
    return json.dumps(value, ensure_ascii=False, default=_plain).encode("utf-8", "replace").decode()


def _plain(value: object) -> object:
    return asdict(value) if hasattr(value, "__dataclass_fields__") else str(value)  # type: ignore[call-overload]


def as_real(value: float | None) -> float | None:
    """A number as SQLite gives it back."""
    return None if value is None else float(value)


def as_text(text: str | None) -> str | None:
    """A text without lone surrogates, which a JSON file can hold and SQLite cannot."""
    return None if text is None else text.encode("utf-8", "replace").decode()


def among(column: str, values: Collection[str] | None) -> str:
    """The condition that a column has one of these values; none for `None`."""
    return "" if values is None else f"AND {column} IN ({','.join('?' * len(values))})"


def texts_in(value: Any) -> Iterator[str]:
    """All texts in what was JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)
