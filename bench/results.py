"""Writes what was measured into `bench/RESULTS.md`: a section for each benchmark, with machine and date.

A section stands between two markers that name it. Who writes it again replaces it and leaves the others.
`MTASSAY_BENCH_RESULTS` names another file.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from mtassay.runtime.processes import core_count

PATH = Path(__file__).resolve().parent / "RESULTS.md"
HEAD = """# Results

What `make bench` measured last: a section for each benchmark, with its machine and date. Look at the \
ratios, whose two sides were measured in one run.
"""


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table. The first column is text, the others stand to the right; floats get two digits."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "--:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]
    return "\n".join(lines)


def write_section(name: str, title: str, text: str, *, path: Path | None = None) -> None:
    """Replace the section `name` of the file by this text, or put it at the end. Prints it, too."""
    path = path or Path(os.environ.get("MTASSAY_BENCH_RESULTS", PATH))
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    section = f"{begin}\n## {title}\n\n*{machine()}*\n\n{text.strip()}\n{end}\n"
    print(f"\n{title}\n\n{text.strip()}\n", flush=True)
    before = path.read_text(encoding="utf-8") if path.exists() else HEAD
    if begin in before:
        ahead, _, rest = before.partition(begin)
        _, _, after = rest.partition(f"{end}\n")
        content = ahead + section + after
    else:
        content = f"{before.rstrip()}\n\n{section}"
    path.write_text(content, encoding="utf-8")


def machine() -> str:
    """Date, processor, cores, Python, and how busy the machine is."""
    busy = f"load {os.getloadavg()[0]:.1f}, " if hasattr(os, "getloadavg") else ""
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, {_processor()}, {_cores()}, {busy}"
        f"{platform.system()}, Python {platform.python_version()}"
    )


def _cores() -> str:
    there = os.cpu_count() or 1
    ours = core_count()
    return f"{ours} cores" if ours == there else f"{ours} of {there} cores"


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
