"""What commands and public functions say has not moved; `python -m tests.frozen --update` stores it again."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tests import frozen

pytestmark = pytest.mark.skipif(
    bool(missing := [name for name in frozen.NEEDED if find_spec(name) is None]),
    reason=f"needs packages that are not installed: {', '.join(missing)}",
)


def test_every_command_and_public_function_has_an_entry() -> None:
    assert frozen.uncovered() == []
    stored = {
        str(path.relative_to(frozen.STORE))
        for path in frozen.STORE.rglob("*")
        if path.suffix in (".txt", ".json") and path.parent.name != "plans"
    }
    assert stored == set(frozen.ENTRIES)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in frozen.SLOW)) for name in frozen.ENTRIES],
)
def test_it_is_as_it_was(name: str) -> None:
    moved = frozen.difference(name)
    assert not moved, f"{moved}\nIf that is meant: python -m tests.frozen --update {name}"
