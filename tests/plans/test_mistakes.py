"""Every mistake in a plan is one line with the file, the line, and what to do or the nearest right word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mtassay.app.plans.plan_runs import check_plan
from mtassay.data.errors import MtassayError

GOOD = """\
pair: en-pt
systems:
  old: old.txt
  new: new.txt
test_sets:
  news: {source: source.txt, references: reference.txt}
suites:
  mine: suite.yaml
judges:
  strict: bleu:order=2
steps:
  score:
    metrics: [bleu, strict]
budget:
  max_calls: 10
"""
SUITE = """\
langpair: en-pt
items:
- {id: a, category: Negation, phenomenon: Plain, source: I do not know., positive_regex: não}
"""

MISTAKES = [
    ("an unknown section", "pair: en-pt", "par: en-pt", 1, "the plan has no 'par'. Near: pair, pairs."),
    (
        "a section twice",
        "budget:\n  max_calls: 10",
        "pair: en-de",
        14,
        "the key 'pair' occurs twice, first on line 1; join the two",
    ),
    ("no YAML", "pair: en-pt", "pair: [en-pt", 2, "this is not YAML"),
    (
        "an alias of itself",
        "budget:",
        "gates:\n- &rule {rule: *rule}\nbudget:",
        15,
        "an alias (*) is inside of what it is for, without end; write the text itself",
    ),
    (
        "ten thousand steps",
        "steps:\n",
        "steps:\n" + "".join(f"  s{i}: {{method: score}}\n" for i in range(9_999)),
        11,
        "steps has 10,000 entries, and can have 1,000. Make several plans of it",
    ),
    (
        "too many gates",
        "budget:",
        "gates:\n" + "- bleu >= 1\n" * 1001 + "budget:",
        14,
        "gates has 1,001 entries, and can have 1,000",
    ),
    (
        "too many systems of a step",
        "  old: old.txt\n",
        "".join(f"  s{i}: old.txt\n" for i in range(300)),
        311,
        "steps.score has 301 systems, and can have 300. Choose some with 'systems:'",
    ),
    ("a tab", "  old: old.txt", "\told: old.txt", 3, "this is not YAML"),
    ("a list for a section", "  old: old.txt\n  new: new.txt", "- old.txt", 2, "systems must be a mapping"),
    ("a text for a section", "  max_calls: 10", "  lots", 14, "budget must be a mapping, as 'name: value'"),
    ("an unknown language", "pair: en-pt", "pair: english-portugeese", 1, "pair: "),
    ("half a pair", "pair: en-pt", "pair: en", 1, "pair: "),
    (
        "a file that is not there",
        "old.txt",
        "odl.txt",
        3,
        "there is no file or folder odl.txt. Near: old.txt",
    ),
    ("an unknown engine", "old.txt", "depl:free", 3, "there is no engine 'depl'. Near: deepl."),
    ("an engine without its colon", "old.txt", "deepl", 3, "For the live engine write 'deepl:'"),
    ("an unknown option of an engine", "old.txt", "fake:upper?dely=1", 3, "has no option 'dely'"),
    ("a bad choice of an engine", "old.txt", "fake:lower", 3, "Choose from: reverse, upper, copy."),
    ("a system without anything", "old: old.txt", "old:", 3, "systems.old has no file and no engine"),
    (
        "outputs of an unknown test set",
        "old: old.txt",
        "old: {newz: old.txt}",
        3,
        "systems.old has no 'newz'. Near: news.",
    ),
    ("a missing variable", "old.txt", "${MTASSAY_NOWHERE}/old.txt", 3, "no variable 'MTASSAY_NOWHERE'"),
    ("an unnamed variable", "old.txt", "${}/old.txt", 3, "Write ${NAME}"),
    (
        "an unknown part of a test set",
        "source:",
        "sources:",
        6,
        "test_sets.news has no 'sources'. Near: source.",
    ),
    (
        "a reference that is not there",
        "references: reference.txt",
        "references: [reference.txt, refrence.txt]",
        6,
        "there is no file refrence.txt. Near: reference.txt",
    ),
    (
        "a test set of nothing",
        "{source: source.txt, references: reference.txt}",
        "{pair: en-pt}",
        6,
        "test_sets.news has neither 'where' nor 'source' nor 'references'",
    ),
    (
        "a test set twice",
        "{source: source.txt, references: reference.txt}",
        "{where: all.tsv, source: source.txt}",
        6,
        "'where' already has source: leave one out",
    ),
    (
        "a suite that is not there",
        "suite.yaml",
        "siute.yaml",
        8,
        "there is no suite siute.yaml. Near: suite.yaml",
    ),
    (
        "one name for two",
        "mine: suite.yaml",
        "news: suite.yaml",
        8,
        "a test set is called 'news', too. Rename one",
    ),
    ("an unknown metric as a judge", "bleu:order=2", "blue", 10, "there is no metric 'blue'. Near: bleu"),
    ("a bad option of a judge", "bleu:order=2", "bleu:ordr=2", 10, "metric 'bleu' has no option 'ordr=2'"),
    ("no steps", "steps:\n  score:\n    metrics: [bleu, strict]", "steps:", 11, "there are no steps"),
    (
        "an unknown method",
        "score:\n",
        "scores:\n",
        12,
        "there is none called 'scores': write 'method: NAME'. Near: score",
    ),
    (
        "a method that is none",
        "  metrics:",
        "  method: scroe\n    metrics:",
        13,
        "there is no method 'scroe'. Near: score",
    ),
    ("an unknown parameter", "metrics:", "metric:", 13, "steps.score has no 'metric'. Near: metrics."),
    ("an unknown metric", "[bleu, strict]", "[belu]", 13, "No metric 'belu'. Available: bleu"),
    (
        "a number that is none",
        "  metrics: [bleu, strict]",
        "  samples: many",
        13,
        "steps.score.samples must be a whole number, and is 'many'",
    ),
    (
        "too small a number",
        "  metrics: [bleu, strict]",
        "  samples: 3",
        13,
        "steps.score.samples must be 100 or more, and is 3",
    ),
    (
        "too large a number",
        "  metrics: [bleu, strict]",
        "  alpha: 0.7",
        13,
        "steps.score.alpha must be 0.5 or less, and is 0.7",
    ),
    (
        "no number at all",
        "  metrics: [bleu, strict]",
        "  alpha: nan",
        13,
        "steps.score.alpha must be a number, and is 'nan'",
    ),
    (
        "neither yes nor no",
        "  metrics: [bleu, strict]",
        "  rank_incomplete: perhaps",
        13,
        "steps.score.rank_incomplete must be yes or no, and is 'perhaps'",
    ),
    (
        "another choice",
        "  metrics: [bleu, strict]",
        "  test: boostrap",
        13,
        "there is no choice 'boostrap'. Near: bootstrap",
    ),
    (
        "nothing where a value is",
        "  metrics: [bleu, strict]",
        "  baseline:",
        13,
        "steps.score.baseline has no value: give one, or leave it out",
    ),
    (
        "an unknown test set",
        "  metrics:",
        "  test_set: newz\n    metrics:",
        13,
        "there is no test set 'newz'. Near: news.",
    ),
    (
        "a suite for who has none",
        "  metrics:",
        "  suite: mine\n    metrics:",
        13,
        "steps.score has no 'suite'.",
    ),
    (
        "an unknown suite",
        "score:\n    metrics: [bleu, strict]",
        "suite: {suite: mien}",
        12,
        "there is no suite 'mien'. Near: mine",
    ),
    (
        "an unknown system of a step",
        "  metrics:",
        "  systems: [odl]\n    metrics:",
        13,
        "there is no system 'odl'. Near: old.",
    ),
    (
        "a baseline that is none",
        "  metrics:",
        "  baseline: odl\n    metrics:",
        13,
        "No system 'odl' to take as the baseline. Available: old, new.",
    ),
    ("too few outputs", "old.txt", "short.txt", 3, "short.txt: 1 segments, but the test set has 2."),
    (
        "no system",
        "systems:\n  old: old.txt\n  new: new.txt",
        "systems:",
        10,
        "no system answers for 'news': add one",
    ),
    ("an unknown limit", "max_calls: 10", "max_call: 10", 15, "budget has no 'max_call'. Near: max_calls"),
    (
        "a limit below nothing",
        "max_calls: 10",
        "max_calls: -1",
        15,
        "budget.max_calls must be 0 or more, and is -1",
    ),
    ("a price of nobody", "max_calls: 10", "prices: {nwe: 3}", 15, "there is no system 'nwe'. Near: new."),
    (
        "a priority that does not exist",
        "budget:\n  max_calls: 10",
        "priorities: [qualty]",
        14,
        "there is no priority 'qualty'. Near: quality.",
    ),
    (
        "an unknown executor",
        "budget:\n  max_calls: 10",
        "executor: processs",
        14,
        "executor: there is no executor 'processs'. Near: processes.",
    ),
    (
        "gates that are no list",
        "  max_calls: 10",
        "gates: bleu >= 3",
        15,
        "gates must be a list, with '- ' before each rule",
    ),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with everything that a good plan names."""
    monkeypatch.chdir(tmp_path)
    files = {
        "source.txt": "I do not know.\nHello.\n",
        "reference.txt": "Não sei.\nOlá.\n",
        "old.txt": "Eu não sei.\nOlá.\n",
        "new.txt": "Não sei.\nOi.\n",
        "short.txt": "Não sei.\n",
        "all.tsv": "source\treference\nHello.\tOlá.\n",
        "suite.yaml": SUITE,
        "mtassay.yaml": GOOD,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_the_good_plan_has_no_mistake(folder: Path) -> None:
    assert list(check_plan().steps) == ["score"]


@pytest.mark.parametrize(
    ("right", "wrong", "line", "said"),
    [mistake[1:] for mistake in MISTAKES],
    ids=[mistake[0].replace(" ", "-") for mistake in MISTAKES],
)
def test_a_mistake_is_told_with_its_line(folder: Path, right: str, wrong: str, line: int, said: str) -> None:
    assert right in GOOD
    (folder / "mtassay.yaml").write_text(GOOD.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(MtassayError) as caught:
        check_plan()
    message = str(caught.value)
    assert re.match(rf"mtassay\.yaml line {line}: ", message), message
    assert said in message
    assert "\n" not in message
    assert caught.value.exit_code == 2
