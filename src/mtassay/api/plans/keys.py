"""What a step of a plan depends on, as a key: where that is known, the step need not be done again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, cast

from mtassay import __version__
from mtassay.api import (
    Work,
)
from mtassay.api.doctor import installed_extras
from mtassay.options import is_live, open_system
from mtassay.plans.plan import DEFAULT, Plan, PlanStep
from mtassay.registry import KINDS
from mtassay.store import Workspace
from mtassay.systems.live import LiveSystem

__all__ = ["earlier_run", "step_key"]


def earlier_run(store: Workspace, key: str) -> str:
    """The id of the run that a step with this key gave, if it is still there."""
    kept = store.recall(key)
    run_id = kept.decode() if kept else ""
    return run_id if run_id in store.named(run_id) else ""


def step_key(plan: Plan, step: PlanStep, work: Work, store: Workspace) -> str:
    """What a step depends on, as a digest: parameters, files, engines, versions, and what reviewers said."""
    systems = cast("Mapping[str, Any]", work.systems)
    files = [*(step.test_set.files if step.test_set else ()), *([step.suite] if step.suite else ())]
    files += [what for what in systems.values() if isinstance(what, str)]
    files += [part for value in step.parameters.values() for part in _possible_files(value)]
    plugins = [(kind, p.name, p.value, p.dist and p.dist.version) for kind in KINDS for p in _plugins(kind)]
    depends = {
        "mtassay": __version__,
        "method": work.method.name,
        "parameters": work.method.parameters(),
        "written": step.parameters,
        "pair": str(work.pair),
        "systems": {name: _identity(name, what, work) for name, what in systems.items()},
        "files": {name: digest for name in sorted({*files}) if (digest := _digest(Path(name)))},
        "packages": [extra.packages for extra in installed_extras()],
        "plugins": plugins,
        "reviews": [repr(review) for q in work.method.asks for review in store.reviews(q.name)],
    }
    text = json.dumps(depends, sort_keys=True, default=str, ensure_ascii=False)
    return f"plan:{hashlib.blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=20).hexdigest()}"


def _plugins(kind: str) -> Any:
    return entry_points(group=f"mtassay.{kind}")


def _identity(name: str, what: Any, work: Work) -> str:
    """What tells whether a system has changed: of an engine its signature and program; files count apart."""
    if isinstance(what, str) and is_live(what):
        system: LiveSystem = open_system(name, what, work.pair)
        return f"{system.signature}|{system.program}"
    return what if isinstance(what, str) else type(what).__name__


def _possible_files(value: Any) -> list[str]:
    """Every part of a parameter that is the name of a file, as in `nee:glossary=terms.tsv`."""
    if isinstance(value, list | tuple):
        return [part for entry in value for part in _possible_files(entry)]
    text = str(value)
    parts = [part for piece in text.split(",") for chunk in piece.split(":") for part in chunk.split("=")]
    return [part for part in (text, *parts) if _is_file(part)]


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # a text that cannot be the name of a file
        return False


def _digest(path: Path) -> str:
    """The digest of a file, or of all in a folder but hidden ones, plan and reports; empty without any."""
    digest = hashlib.blake2b(digest_size=20)
    try:
        if not path.exists():
            return ""
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            parts = file.relative_to(path).parts
            is_ours = file.name == DEFAULT or file.suffix == ".html"  # the plan and its report
            if file.is_file() and not is_ours and not any(part[0] == "." for part in parts):
                digest.update(f"{'/'.join(parts)}\0".encode())
                with file.open("rb") as handle:
                    digest.update(hashlib.file_digest(handle, "blake2b").digest())
    except (OSError, ValueError):
        return ""
    return digest.hexdigest()
