"""Several language pairs and domains in one plan: each step for every pair, one level for all gates."""

from __future__ import annotations

from pathlib import Path

import pytest

import mtassay as mt
from mtassay.app.plans.plan_runs import check_plan
from mtassay.data.errors import MtassayError

PLAN = """\
pairs:
  en-pt:
    test_sets: {{news: pt.tsv}}
    systems: {{old: good.txt, new: pt-new.txt}}
  en-es:
    test_sets: {{news: es.tsv}}
    systems: {{old: good.txt, new: good.txt}}
domains: domain
steps:
  score: {{metrics: [bleu], samples: 100, checks: none}}
baseline: old
gates:
  - no domain significantly worse
  - {{rule: {rule}, step: score}}
report: no
"""
WORDS = [f"{start}{end}" for start in ("ba", "co", "du", "fe") for end in ("la", "me", "ni", "po", "ru")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two pairs with 40 lines each. The new system is worse in en-pt, in the domain 'law' alone."""
    right = [" ".join(WORDS[(i + k) % 20] for k in (0, 3, 7, 11, 13, 17)) + f" {i}." for i in range(40)]
    domains = ["law" if i % 2 else "news" for i in range(40)]
    rows = "".join(
        f"Line {i}.\t{text}\t{d}\n" for i, (text, d) in enumerate(zip(right, domains, strict=True))
    )
    for name in ("pt.tsv", "es.tsv"):
        (tmp_path / name).write_text(f"source\treference\tdomain\n{rows}", encoding="utf-8")
    worse = [
        f"{text[:9]} zzz yyy xxx." if d == "law" else text for text, d in zip(right, domains, strict=True)
    ]
    (tmp_path / "good.txt").write_text("\n".join(right) + "\n", encoding="utf-8")
    (tmp_path / "pt-new.txt").write_text("\n".join(worse) + "\n", encoding="utf-8")
    (tmp_path / "mtassay.yaml").write_text(PLAN.format(rule="bleu >= 10"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_step_is_done_for_each_pair_and_the_gate_names_pair_and_domain(folder: Path) -> None:
    done = mt.run_plan(quiet=True)
    assert [step.name for step in done.steps] == ["score-en-pt", "score-en-es"]
    assert [run.record.parameters["pair"] for run in done.runs.values()] == [["en", "pt"], ["en", "es"]]
    assert done.gates is not None
    failed = [check for check in done.gates.checks if not check.passed]
    assert [(check.step, check.gate.text) for check in failed] == [
        ("score-en-pt", "no domain significantly worse")
    ]
    assert [detail.partition(" −")[0] for detail in failed[0].details] == ["BLEU, law"]
    # One rule was written for `score`, and holds for both pairs.
    assert sum(check.gate.text == "bleu >= 10" for check in done.gates.checks) == 2


def test_a_step_is_chosen_by_the_name_it_was_written_with(folder: Path) -> None:
    assert len(mt.run_plan(only=["score"], quiet=True).steps) == 2
    assert [s.name for s in mt.run_plan(only=["score-en-es"], quiet=True).steps] == ["score-en-es"]


MISTAKES = {
    "a pair that is none": ("  en-es:", "  english:", "pairs.english"),
    "an unknown key": ("{news: es.tsv}", "{news: es.tsv}\n    suits: {}", "has no 'suits'"),
    "a test set beside the pairs": (
        "domains: domain",
        "test_sets: {more: es.tsv}",
        "belongs below each pair",
    ),
    "a test set that no pair has": ("metrics: [bleu]", "test_set: law, metrics: [bleu]", "no test set 'law'"),
}


@pytest.mark.parametrize(("old", "new", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told_in_one_line(folder: Path, old: str, new: str, message: str) -> None:
    plan = folder / "mtassay.yaml"
    text = plan.read_text(encoding="utf-8")
    assert old in text
    plan.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(MtassayError, match=r"^mtassay\.yaml line \d+: ") as told:
        check_plan()
    assert message in str(told.value)
    assert "\n" not in str(told.value)
