"""Two language models, two prompts, three methods: the page about the choice does what it says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.conftest import PROJECT
from tests.plans.test_discovery import write
from tests.systems.scripted import Script, Scripted
from tests.systems.server import Server

PAGE = (PROJECT / "docs" / "howto" / "choice.md").read_text("utf-8")
NAMES = [f"{a}{b}" for a in ("dog", "cat", "cow", "pig", "hen") for b in "abcdef"]
SOURCE = [f"The small {name} sees the old house today ." for name in NAMES]
SUITE = """\
langpair: en-pt
items:
- {id: a, category: Names, phenomenon: People, source: Ana sees Rui today, positive_regex: RUI TODAY}
- {id: b, category: Names, phenomenon: People, source: Eva sees Leo today, positive_regex: LEO TODAY}
"""

MODELS = {
    "gpt-5": Script(tokens=(30, 10)),
    "qwen3": Script(tokens=(30, 10), noise=0.5, paraphrase=lambda text: " ".join(text.split()[:-3])),
}
SYSTEMS = {f"{model}-{prompt}" for model in ("large", "small") for prompt in ("plain", "terse")}


def blocks(language: str = "") -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return [text for name, text in found if name == language]


def test_from_init_to_the_choice(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the prompt, the commands and the plan of the page; a scripted server answers for both models."""
    prompt, *others = blocks()
    commands = [line.partition(" #")[0].strip() for block in others for line in block.splitlines()]
    (shown,) = blocks("yaml")
    write(tmp_path, source_txt=SOURCE, reference_txt=[text.upper() for text in SOURCE], suite_yaml=SUITE)
    write(tmp_path, prompts__plain_txt=prompt, prompts__terse_txt="Be short.\n---\n${text}")
    with Server(Scripted(MODELS)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        assert [command.split()[1] for command in commands] == ["init", "run", "run"]
        init, dry, go = (
            [word.replace("http://localhost:8000", server.url) for word in shlex.split(command)[1:]]
            for command in commands
        )
        made = run(*init)
        assert made.returncode == 0, made.stderr
        assert "prompt 'terse': prompts/terse.txt" in made.stdout
        assert "Not used" not in made.stdout
        plan = tmp_path / "mtassay.yaml"
        written = plan.read_text("utf-8")
        for part in ("systems", "prompts"):  # the page shows what init has written, and adds the rest
            assert section(written, part) == section(shown, part).replace("http://localhost:8000", server.url)
        sets = section(written, "test_sets") + section(written, "suites")
        # Words of the server have no parse, and one case is enough of injections.
        shown = shown.replace("{repeat: 5}", "{repeat: 5, structure: tokens, checks: none}")
        plan.write_text(shown.replace("http://localhost:8000", server.url) + sets, "utf-8")
        asked = run(*dry, "-f", "json")
        assert asked.returncode == 0, asked.stderr
        assert not server.seen
        costs = json.loads(asked.stdout)["costs"]
        assert {cost["system"] for cost in costs} == SYSTEMS
        assert all((cost["price"] > 0) == cost["system"].startswith("large") for cost in costs)
        done = run(*go)
        assert done.returncode == 0, done.stderr + done.stdout
        page = (tmp_path / "mtassay.html").read_text("utf-8")
    for step in ("score", "suite", "invariance", "stress-injection"):
        assert f"== {step} " in done.stdout
    advice = done.stdout[done.stdout.rindex("\nscore ") :]
    assert re.search(r"^(Ship large-|The data cannot decide between large-)", advice, re.MULTILINE)
    assert "cheapest, " in " ".join(advice.split())  # one is, or two are: times differ from run to run
    for told in ("The choice", "EUR/1M", "cheapest, ", "Prompts", "Asked again"):
        assert told in page
    assert "The choice" in run("runs", "show", "last", "-f", "md").stdout or "stress" in done.stdout
    score = re.search(r"^score +score .* (\S+)$", done.stdout, re.MULTILINE)
    assert score
    # A saved run still knows times, tokens and further answers.
    assert "The choice" in run("runs", "show", score[1], "-f", "md").stdout


def section(plan: str, key: str) -> str:
    found = re.search(rf"^{key}:\n(?: .*\n)+", plan, re.MULTILINE)
    assert found, key
    return found[0]
