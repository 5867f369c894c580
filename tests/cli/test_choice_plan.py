"""Two language models, two prompts, three methods: from `init` to the page that says what to choose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.plans.test_discovery import write
from tests.systems.scripted import Script, Scripted
from tests.systems.server import Server

NAMES = [f"{a}{b}" for a in ("dog", "cat", "cow", "pig", "hen") for b in "abcdef"]
SOURCE = [f"The small {name} sees the old house today ." for name in NAMES]
SUITE = """\
langpair: en-pt
items:
- {id: a, category: Names, phenomenon: People, source: Ana sees Rui today, positive_regex: RUI TODAY}
- {id: b, category: Names, phenomenon: People, source: Eva sees Leo today, positive_regex: LEO TODAY}
"""

MODELS = {
    "large": Script(tokens=(30, 10)),
    "small": Script(tokens=(30, 10), noise=0.5, paraphrase=lambda text: " ".join(text.split()[:-3])),
}


def test_from_init_to_the_choice(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    write(tmp_path, source_txt=SOURCE, reference_txt=[text.upper() for text in SOURCE], suite_yaml=SUITE)
    write(
        tmp_path, prompts__plain_txt="Translate.\n---\n${text}", prompts__terse_txt="Be short.\n---\n${text}"
    )
    with Server(Scripted(MODELS)) as server:
        where = f"?url={server.url}/v1"
        made = run("init", "-t", f"large=openai:large{where}", "-t", f"small=openai:small{where}")
        assert made.returncode == 0, made.stderr
        plan = tmp_path / "mtassay.yaml"
        text = plan.read_text("utf-8")
        assert "prompts:\n  plain: prompts/plain.txt\n  terse: prompts/terse.txt\n" in text
        text = text.replace("# pair: en-de    # the languages", "pair: en-pt")
        text += "budget: {prices: {large: [2, 8], small: [0.1, 0.4]}, currency: EUR}\n"
        text = text.replace(
            "steps:\n", "steps:\n  invariance: {structure: tokens, checks: none, repeat: 5}\n"
        )
        plan.write_text(text, "utf-8")
        asked = run("run", "--dry-run", "-f", "json")
        assert asked.returncode == 0, asked.stderr
        assert not server.seen
        costs = json.loads(asked.stdout)["costs"]
        assert {cost["system"] for cost in costs} == {
            f"{model}-{prompt}" for model in MODELS for prompt in ("plain", "terse")
        }
        assert all(cost["price"] > 0 for cost in costs)
        done = run("run")
        assert done.returncode == 0, done.stderr + done.stdout
        page = (tmp_path / "mtassay.html").read_text("utf-8")
    for step in ("score", "suite", "invariance"):
        assert f"== {step} " in done.stdout
    assert "The choice" in page
    assert "EUR, 1 M characters" in page
    assert "is cheapest (" in page
    assert "Prompts" in page
    shown = run("runs", "show", "last", "-f", "md")
    assert "The choice" in shown.stdout  # a saved run still knows times, tokens and further answers
