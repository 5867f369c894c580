"""Errors of the library speak Python; the command line says the same with its options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mtassay as mt
from mtassay.app import method_reviews, rulebook
from mtassay.app.cli.main import main
from mtassay.data.errors import UsageError

SYSTEMS = {"a": ["Oi."], "b": ["Olá."]}
LIBRARY: Any = mt


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: LIBRARY.score(SYSTEMS, [["Olá."]], metrcs="chrf"), "'metrcs'. Did you mean 'metrics'?"),
        (lambda: LIBRARY.score(SYSTEMS, [["Olá."]], sav=True), "'sav'. Did you mean 'save'?"),
        (lambda: LIBRARY.score(SYSTEMS, [["Olá."]], langpiar="en-pt"), "Did you mean 'langpair'?"),
        (lambda: LIBRARY.suite("en-pt", SYSTEMS, categroy="Negation"), "Did you mean 'category'?"),
        (lambda: LIBRARY.invariance(["Hi."], SYSTEMS, langpair="en-pt", treshold=3), "'threshold'?"),
        (
            lambda: LIBRARY.behavior(["a"], ["b"], SYSTEMS, langpair="en-pt", capabilites=""),
            "'capabilities'?",
        ),
        (lambda: LIBRARY.run("score", ["Hi."], SYSTEMS, smaples=100), "Did you mean 'samples'?"),
        (lambda: LIBRARY.translate(["Hi."], "fake:", langpair="en-pt", frsh=True), "Did you mean 'fresh'?"),
        (lambda: LIBRARY.correlate(SYSTEMS, qiuet=True), "Did you mean 'quiet'?"),
        (lambda: LIBRARY.compare("last", alhpa=0.1), "Did you mean 'alpha'?"),
        (lambda: LIBRARY.load("last", workspce="w.db"), "Did you mean 'workspace'?"),
        (lambda: LIBRARY.write_report("last", titel="Ours"), "Did you mean 'title'?"),
        (lambda: LIBRARY.run_plan("p.yaml", onyl=["a"]), "Did you mean 'only'?"),
        (lambda: rulebook.check("en-pt", workspce="w.db"), "Did you mean 'workspace'?"),  # type: ignore[call-arg]
        (lambda: LIBRARY.score(SYSTEMS, [["Olá."]]).judge(smaples=100), "Did you mean 'samples'?"),
        (
            lambda: LIBRARY.load("last", zzz=1),
            "load() has no parameter 'zzz'. Available: method, name, workspace.",
        ),
    ],
)
def test_a_misspelt_keyword_is_one_line_with_the_nearest_name(call: Callable[[], Any], told: str) -> None:
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value).endswith(told)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: mt.score(["a.txt"], "r.txt", stream=True, test_set="wmt22"),
            "`stream=True` reads files of lines: leave out `test_set`, `documents`, `entities`.",
        ),
        (
            lambda: mt.score(["a.txt"], "r.txt", stream=True, by="domain"),
            "`stream=True` looks at no single segment: leave out `by`.",
        ),
        (lambda: mt.score({}, "r.txt"), "There is no system to score: add `systems=['NAME=FILE']`."),
        (lambda: mt.suite("en-pt", {}), "There is no system to judge: add `systems=['NAME=FILE']` or"),
        (
            lambda: mt.correlate(SYSTEMS, [["Olá."]]),
            "There are no human scores: add `human_scores='FILE'`, or",
        ),
        (
            lambda: method_reviews.make(["a"], ["b"], langpair="en-pt", no_filter=True, filter="use"),
            "`no_filter=True` switches the filter off: leave out `filter` and `filter_beta`.",
        ),
    ],
)
def test_an_error_of_the_library_names_parameters(
    call: Callable[[], Any], told: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.txt").write_text("Olá.\n")
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value).startswith(told)


def test_the_command_line_says_the_same_with_its_options(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "score -t a.txt -r r.txt --stream --test-set wmt22"
    monkeypatch.setattr("sys.argv", ["mtassay", *line.split()])
    with pytest.raises(SystemExit):
        main()
    told = "mtassay: --stream reads files of lines: leave out --test-set, --documents, --entities.\n"
    assert capsys.readouterr().err == told
