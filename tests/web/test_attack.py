"""The interface for programs under generated requests: none finds a bug of ours, answers are as described."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable

from mtassay.app import access
from mtassay.app.web.application import make_application
from mtassay.app.web.visits import Site
from tests.web.test_pages import run_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", ["POSITIVE", "NEGATIVE"])
def test_no_generated_request_breaks_the_interface(workspace: Path, kind: str) -> None:
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    secret = access.invite("anna", workspace=workspace)
    site = Site(workspace, "127.0.0.1", 8765, "lena", hosts=("testserver",))
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", make_application(site))
    run = run_of(workspace)
    seen: set[int] = set()

    def attack(case: Any) -> None:
        # Half of the requests are about what is there.
        if case.path_parameters and len(str(case.path_parameters)) % 2:
            case.path_parameters |= {"run": run, "question": "suite"}
        response = case.call(headers={"authorization": f"Bearer {secret}"})
        seen.add(response.status_code)
        assert response.status_code < 500, response.text
        if kind == "POSITIVE":
            case.validate_response(response)

    how = settings(
        max_examples=40,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    for operation in (result.ok() for result in schema.get_all_operations()):
        strategy = operation.as_strategy(generation_mode=schemathesis.GenerationMode[kind])
        try:
            how(given(case=strategy)(attack))()
        except (Unsatisfiable, pytest.skip.Exception):
            continue  # what takes nothing cannot be given anything wrong
    assert {200, 404} <= seen if kind == "POSITIVE" else 422 in seen
