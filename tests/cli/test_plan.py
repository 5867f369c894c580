"""`mtassay init`, `run` and `plan`: from the files of a folder to results, again only what changed."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
import yaml

import mtassay
from mtassay.app.plans.plan_runs import run_plan
from mtassay.runtime.workspace import Workspace
from tests.cli.conftest import MAIN, Run
from tests.plans.test_discovery import ENGLISH, PORTUGUESE, TMX, write
from tests.plans.test_mistakes import SUITE

DATABASE = Path(".mtassay", "workspace.db")


def two_outputs(folder: Path) -> None:
    """What most people have: a source, a reference, and the outputs of two systems."""
    write(folder, source_txt=ENGLISH, reference_txt=PORTUGUESE, old_txt=[*PORTUGUESE[:2], "Foi."])
    write(folder, new_txt=PORTUGUESE)


def states(text: str) -> dict[str, str]:
    """The state of each step by its name, from what `mtassay run` prints."""
    return {
        match[1]: match[2]
        for match in re.finditer(r"^== (\S+?)(?: \(\w+\))? · .* · (\w+)$", text, re.MULTILINE)
    }


# The four folders that a plan must serve without a word ---------------------------------------------------


def test_two_outputs_and_a_reference(run: Run, tmp_path: Path) -> None:
    two_outputs(tmp_path)
    made = run("init")
    assert made.returncode == 0, made.stderr
    assert "test set 'test': source.txt, reference.txt (3 segments)" in made.stdout
    assert made.stdout.rstrip().endswith("Next: mtassay run")
    done = run("run")
    assert done.returncode == 0, done.stderr
    assert states(done.stdout) == {"score": "done"}
    assert re.search(r"^new +100\.0 ", done.stdout, re.MULTILINE)
    assert "Against old" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_nine_outputs_in_a_folder_are_held_against_the_best(run: Run, tmp_path: Path) -> None:
    outputs = {f"outputs__sys{n}_txt": PORTUGUESE[: n % 3] + ["Foi."] * (3 - n % 3) for n in range(8)}
    write(tmp_path, source_txt=ENGLISH, reference_txt=PORTUGUESE, outputs__best_txt=PORTUGUESE, **outputs)
    assert run("init").returncode == 0
    done = run("run")
    assert done.returncode == 0, done.stderr
    assert "Against best, the best by BLEU" in done.stdout


@pytest.mark.parametrize("layout", [pytest.param("as they came", marks=pytest.mark.slow), "side by side"])
def test_outputs_of_wmt22(run: Run, tmp_path: Path, data_folder: Path, layout: str) -> None:
    origin = data_folder / "wmt22" / "de-en"
    names = {"source.txt": "source.txt", "references/A.txt": "references/A.txt"}
    names |= {
        f"outputs/{path.name}": f"outputs/{path.name}" for path in sorted((origin / "outputs").iterdir())[:3]
    }
    if layout == "side by side":
        names = {name: name.replace("references/A", "ref").split("/")[-1] for name in names}
    for name, new in names.items():
        (tmp_path / new).parent.mkdir(exist_ok=True)
        (tmp_path / new).write_bytes((origin / name).read_bytes())
    made = run("init")
    assert "languages: de-en" in made.stdout
    done = run("run", "-f", "json")
    assert done.returncode == 0, done.stderr
    scores = json.loads(done.stdout)["steps"]["score"]["result"]["scores"]
    found = {score["system"]: score["value"] for score in scores if score["name"] == "bleu"}
    with (origin / "published-metrics.tsv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["metric"] == "bleu-A"]
    published = {row["system"]: float(row["score"]) for row in rows}
    assert len(found) == 3
    assert found == pytest.approx({system: published[system] for system in found}, abs=1e-9)


def test_a_folder_in_the_layout_of_mt_metrics_eval(run: Run, tmp_path: Path) -> None:
    write(tmp_path, **{"sources__en-pt_txt": ENGLISH, "references__en-pt_refA_txt": PORTUGUESE})
    write(tmp_path, **{f"system-outputs__en-pt__{name}_txt": PORTUGUESE for name in ("A", "B")})
    assert run("init").returncode == 0
    done = run("run")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^A +100\.0 ", done.stdout, re.MULTILINE)
    only = run("run", "--system", "B")
    assert not re.search(r"^A ", only.stdout, re.MULTILINE)
    assert states(run("run").stdout) == {"score": "unchanged"}
    write(tmp_path, **{"system-outputs__en-pt__B_txt": [*PORTUGUESE[:2], "Foi."]})
    assert states(run("run").stdout) == {"score": "done"}


def test_a_suite_and_a_live_engine(run: Run, tmp_path: Path) -> None:
    write(tmp_path, mine_yaml=SUITE)
    assert run("init", "-t", "nmt=fake:copy").returncode == 0
    done = run("run")
    assert done.returncode == 0, done.stderr
    assert states(done.stdout) == {"suite": "done"}
    assert re.search(r"^nmt +1 +0 +1 ", done.stdout, re.MULTILINE), "a copy of the source is incorrect"


def test_a_tmx_file(run: Run, tmp_path: Path) -> None:
    write(tmp_path, memory_tmx=TMX)
    assert run("init", "-t", "a=fake:upper", "-t", "b=fake:").returncode == 0
    done = run("run")
    assert done.returncode == 0, done.stderr
    assert "en-pt · 2 segments · 1 reference" in done.stdout


# init -----------------------------------------------------------------------------------------------------


def test_init_writes_over_nothing(run: Run, tmp_path: Path) -> None:
    two_outputs(tmp_path)
    (tmp_path / "mtassay.yaml").write_text("mine", encoding="utf-8")
    again = run("init")
    assert again.returncode == 2
    assert "already exists and was not changed" in again.stderr
    assert (tmp_path / "mtassay.yaml").read_text(encoding="utf-8") == "mine"


def test_init_in_an_empty_folder_says_what_to_put_there(run: Run, tmp_path: Path) -> None:
    nothing = run("init")
    assert nothing.returncode == 2
    assert "Put outputs and a reference.txt, a suite, or a TMX file there." in nothing.stderr
    assert not (tmp_path / "mtassay.yaml").exists()


def test_a_plan_without_systems_says_where_to_add_one(run: Run, tmp_path: Path) -> None:
    write(tmp_path, **{"news_src_txt": ["a b", "c d"], "news_ref_txt": ["e f", "g h"]})
    made = run("init")
    assert made.returncode == 0, made.stderr
    assert "Next: add a system to test under 'systems:'" in made.stdout
    done = run("run")
    assert done.returncode == 2
    assert re.search(r"mtassay.yaml line \d+: steps.score: no system answers for 'news'", done.stderr)


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_the_file_for_ci_runs_the_plan(run: Run, tmp_path: Path, service: str) -> None:
    two_outputs(tmp_path)
    assert run("init", "--ci", service).returncode == 0
    if service == "github":
        job = yaml.safe_load((tmp_path / ".github/workflows/mtassay.yml").read_text(encoding="utf-8"))
        assert job[True] == {"push": None, "pull_request": None}, "YAML 1.1 reads 'on' as true"
        steps = job["jobs"]["mtassay"]["steps"]
        assert all(("uses" in step) != ("run" in step) for step in steps)
        lines = [step["run"] for step in steps if "run" in step]
    else:
        lines = yaml.safe_load((tmp_path / ".gitlab-ci.yml").read_text(encoding="utf-8"))["mtassay"]["script"]
    assert lines[0].startswith("pip install mtassay")
    for line in lines[1:]:
        program, *words = line.split()
        assert program == "mtassay"
        done = run(*words)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""


# run ------------------------------------------------------------------------------------------------------

TWO_STEPS = """\
pair: en-pt
systems: {old: old.txt, nmt: 'fake:upper'}
test_sets:
  news: {source: source.txt, references: reference.txt}
suites: {mine: mine.yaml}
steps:
  score: {systems: [old, nmt], samples: 100}
  suite: {systems: nmt}
"""


@pytest.fixture
def planned(tmp_path: Path) -> Path:
    """A folder with a plan of two steps, one of them for an engine alone."""
    two_outputs(tmp_path)
    write(tmp_path, mine_yaml=SUITE, mtassay_yaml=TWO_STEPS)
    return tmp_path


def test_what_has_not_changed_is_not_done_again(run: Run, planned: Path) -> None:
    assert states(run("run").stdout) == {"score": "done", "suite": "done"}
    again = run("run")
    assert states(again.stdout) == {"score": "unchanged", "suite": "unchanged"}
    assert re.search(r"^old +\d", again.stdout, re.MULTILINE), "its numbers are shown all the same"
    assert len(Workspace(planned / DATABASE).runs()) == 2


@pytest.mark.parametrize(
    ("name", "right", "wrong", "changed"),
    [
        ("old.txt", "Foi.", "Era.", {"score"}),
        ("reference.txt", "velho", "idoso", {"score"}),
        ("mine.yaml", "positive_regex: não", "positive_regex: sei", {"suite"}),
        ("mtassay.yaml", "samples: 100", "samples: 200", {"score"}),
        ("mtassay.yaml", "fake:upper", "fake:copy", {"score", "suite"}),
        ("mtassay.yaml", "fake:upper", "fake:upper?delay=0.001", set()),
        ("mtassay.yaml", "steps:", "# a remark\nsteps:", set()),
    ],
)
def test_a_step_is_done_again_if_something_it_depends_on_changes(
    run: Run, planned: Path, name: str, right: str, wrong: str, changed: set[str]
) -> None:
    run("run")
    text = (planned / name).read_text(encoding="utf-8")
    assert right in text
    (planned / name).write_text(text.replace(right, wrong), encoding="utf-8")
    after = states(run("run").stdout)
    assert {step for step, state in after.items() if state == "done"} == changed


def test_a_file_that_only_a_parameter_names_counts_too(run: Run, planned: Path) -> None:
    write(
        planned,
        scores_tsv="system\tid\tscore\n"
        + "".join(f"{s}\t{i}\t1\n" for s in ("old", "nmt") for i in (1, 2, 3)),
    )
    plan = TWO_STEPS.replace("samples: 100", "samples: 100, metrics: 'scores:scores.tsv'")
    write(planned, mtassay_yaml=plan)
    first = run("run", "--only", "score")
    assert first.returncode == 0, first.stdout + first.stderr
    (planned / "scores.tsv").write_text(
        (planned / "scores.tsv").read_text(encoding="utf-8").replace("old\t1\t1", "old\t1\t9"),
        encoding="utf-8",
    )
    assert states(run("run", "--only", "score").stdout) == {"score": "done"}


def test_what_reviewers_say_counts_too(run: Run, planned: Path) -> None:
    first = run("run")
    assert re.search(r"^nmt +1 +0 +0 +1 ", first.stdout, re.MULTILINE), "undecided: no rule applies"
    run_id = next(entry.id for entry in Workspace(planned / DATABASE).runs() if entry.method == "suite")
    decided = run("review", "decide", run_id, "a", "nmt", "correct")
    assert decided.returncode == 0, decided.stderr
    again = run("run")
    assert states(again.stdout) == {"score": "unchanged", "suite": "done"}
    assert re.search(r"^nmt +1 +1 +0 +0 ", again.stdout, re.MULTILINE)


def test_a_judge_stands_for_a_metric_with_its_options(run: Run, planned: Path) -> None:
    plan = TWO_STEPS.replace("samples: 100", "samples: 100, metrics: [chrf, strict]")
    write(planned, mtassay_yaml=f"{plan}judges: {{strict: 'bleu:order=2'}}\n")
    steps = json.loads(run("run", "--only", "score", "-f", "json").stdout)["steps"]
    assert {score["name"] for score in steps["score"]["result"]["scores"]} == {"chrf", "bleu:order=2"}


def test_fresh_does_everything_again(run: Run, planned: Path) -> None:
    run("run")
    assert states(run("run", "--fresh").stdout) == {"score": "done", "suite": "done"}
    store = Workspace(planned / DATABASE)
    assert len(store.runs()) == 4


def test_a_run_that_was_deleted_is_made_again(run: Run, planned: Path) -> None:
    run("run")
    assert run("runs", "delete", "last").returncode == 0
    assert states(run("run").stdout) == {"score": "unchanged", "suite": "done"}


def test_only_chooses_steps_and_system_systems(run: Run, planned: Path) -> None:
    done = run("run", "--only", "score", "--system", "nmt")
    assert states(done.stdout) == {"score": "done"}
    assert not re.search(r"^old ", done.stdout, re.MULTILINE)
    assert "mtassay.yaml has no step 'scroe'. Near: score." in run("run", "--only", "scroe").stderr
    assert "mtassay.yaml has no system 'nmtt'. Near: nmt." in run("run", "--system", "nmtt").stderr


def test_a_dry_run_asks_nothing_and_says_what_it_would_cost(run: Run, planned: Path) -> None:
    write(planned, mtassay_yaml=TWO_STEPS + "budget: {prices: {nmt: 1000000}, currency: EUR}\n")
    dry = run("run", "--dry-run", "-f", "json")
    assert dry.returncode == 0, dry.stderr
    characters = sum(map(len, ENGLISH))
    first, second = json.loads(dry.stdout)["costs"]
    assert first == {
        **{"step": "score", "system": "nmt", "answered": 0, "calls": 3},
        **{"characters": characters, "price": float(characters)},
    }
    assert second["characters"] == len("I do not know.")
    assert not (planned / DATABASE).exists()
    assert "EUR" in run("run", "--dry-run").stdout
    run("run")
    assert "score, suite: unchanged, nothing would be done." in run("run", "--dry-run").stdout
    fresh = run("run", "--dry-run", "--fresh", "--only", "score", "-f", "json")
    assert json.loads(fresh.stdout)["costs"][0]["calls"] == 3


def test_answers_from_earlier_cost_nothing(run: Run, planned: Path) -> None:
    run("run", "--only", "score")
    write(planned, mtassay_yaml=TWO_STEPS.replace("samples: 100", "samples: 200"))
    [cost] = json.loads(run("run", "--dry-run", "--only", "score", "-f", "json").stdout)["costs"]
    assert (cost["answered"], cost["calls"]) == (3, 0)


def test_a_budget_is_for_all_steps_together(run: Run, planned: Path) -> None:
    write(planned, mtassay_yaml=TWO_STEPS + "budget: {max_calls: 3}\n")
    done = run("run")
    assert states(done.stdout) == {"score": "done", "suite": "incomplete"}
    assert "nmt: 1 of 1 not translated, the first because the budget of 3 calls is used up" in done.stdout
    assert done.returncode == 3
    write(planned, mtassay_yaml=TWO_STEPS)
    assert states(run("run").stdout) == {"score": "unchanged", "suite": "done"}


def test_a_step_that_fails_takes_no_other_with_it(run: Run, planned: Path) -> None:
    write(planned, short_txt=PORTUGUESE[:1], mtassay_yaml=TWO_STEPS.replace("old.txt", "short.txt"))
    done = run("run")
    assert states(done.stdout) == {"score": "failed", "suite": "done"}
    assert "mtassay.yaml line 2: systems.old: short.txt: 1 segments, but the test set has 3." in done.stdout
    assert done.returncode == 2


def test_an_engine_that_fails_makes_the_exit_code_3(run: Run, planned: Path) -> None:
    write(planned, mtassay_yaml=TWO_STEPS.replace("fake:upper", "fake:upper?closed_from=2"))
    done = run("run", "-f", "json")
    assert done.returncode == 3
    steps = json.loads(done.stdout)["steps"]
    assert steps["score"]["state"] == "incomplete"
    assert "not translated, the first because fake 'nmt': closed" in steps["score"]["errors"][0]


def test_a_mistake_in_the_plan_stops_before_anything_is_asked(run: Run, planned: Path) -> None:
    write(planned, mtassay_yaml=TWO_STEPS.replace("{systems: nmt}", "{systems: nmt, category: Nowhere}"))
    done = run("run")
    assert done.returncode == 2
    assert "mtassay.yaml line 8: steps.suite.category: No item has the category 'Nowhere'." in done.stderr
    assert done.stdout == ""
    assert not (planned / DATABASE).exists()


def test_a_plan_that_is_stopped_goes_on_where_it_was(run: Run, planned: Path) -> None:
    slow = TWO_STEPS.replace("suite: {systems: nmt}", "suite: {systems: slow}").replace(
        "'fake:upper'", "'fake:upper', slow: 'fake:upper?delay=30'"
    )
    write(planned, mtassay_yaml=slow)
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [*MAIN, "run"],
        cwd=planned,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "Bold, rank 1" in line:
                break
        while len(Workspace(planned / DATABASE).runs()) < 1:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == 130
    write(planned, mtassay_yaml=slow.replace("?delay=30", ""))
    assert states(run("run").stdout) == {"score": "unchanged", "suite": "done"}


def test_a_plan_elsewhere_is_run_in_its_folder(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tests" / "mt").mkdir(parents=True)
    two_outputs(tmp_path / "tests" / "mt")
    made = run("init", "tests/mt")
    assert "Next: mtassay run tests/mt/mtassay.yaml" in made.stdout
    assert states(run("run", "tests/mt/mtassay.yaml").stdout) == {"score": "done"}
    assert states(run("run", "tests/mt").stdout) == {"score": "unchanged"}
    assert (tmp_path / "tests" / "mt" / DATABASE).exists()
    assert not (tmp_path / DATABASE).exists()
    run("run", "tests/mt", "--workspace", "here.db")
    assert (tmp_path / "here.db").exists()


def test_a_variable_stands_for_a_place(run: Run, planned: Path) -> None:
    write(planned, mtassay_yaml=TWO_STEPS.replace("old.txt", "'${MT_OUTPUTS}/old.txt'"))
    assert run("run", "--only", "score", MT_OUTPUTS=str(planned)).returncode == 0


@pytest.mark.parametrize("form", ["md", "latex", "tsv"])
def test_every_format_has_every_step(run: Run, planned: Path, form: str) -> None:
    done = run("run", "-f", form)
    assert done.returncode == 0, done.stderr
    assert "score" in done.stdout
    assert "suite" in done.stdout


def test_gates_cannot_be_written_where_there_are_none(run: Run, planned: Path) -> None:
    done = run("run", "--markdown", "gates.md")
    assert done.returncode == 2
    assert "mtassay.yaml has no gates to write into gates.md." in done.stderr


@pytest.mark.parametrize(
    ("rule", "code"), [("bleu >= 1", 0), ("bleu >= 99", 1), ("bleu not more than 100 lower, at 95 %", 0)]
)
def test_a_gate_decides_about_the_exit_code(run: Run, planned: Path, rule: str, code: int) -> None:
    plan = TWO_STEPS.replace("nmt: 'fake:upper'", "new: new.txt").partition("suites:")[0]
    write(planned, mtassay_yaml=f"{plan}steps: {{score: }}\nbaseline: new\ngates:\n- {rule}\n")
    done = run("run", "--markdown", "gates.md")
    assert done.returncode == code, done.stdout + done.stderr
    assert rule in (planned / "gates.md").read_text(encoding="utf-8").replace("\\", "").replace("&gt;", ">")


def test_a_rule_that_is_none_is_told_with_its_line(run: Run, planned: Path) -> None:
    write(planned, mtassay_yaml=f"{TWO_STEPS}gates:\n- bleu >= 1\n- bleu is nice\n")
    done = run("run")
    assert done.returncode == 2
    assert "mtassay.yaml line 11: gates: " in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("words", [("--only", "score"), ("--system", "nmt")])
def test_gates_of_half_a_plan_are_not_checked_and_it_is_said(
    run: Run, planned: Path, words: tuple[str, ...]
) -> None:
    write(planned, mtassay_yaml=f"{TWO_STEPS}gates: ['bleu >= 99']\n")
    done = run("run", *words)
    assert done.returncode == 0
    assert "Gates were not checked: " in done.stdout


# plan -----------------------------------------------------------------------------------------------------


def test_check_says_what_is_in_the_plan(run: Run, planned: Path) -> None:
    done = run("run", "--check")
    assert done.stdout == "mtassay.yaml: 2 steps, 2 systems, 1 test set, 1 suite; no mistakes.\n"
    assert not (planned / DATABASE).exists()


def test_there_is_no_plan(run: Run) -> None:
    assert run("run").stderr == (
        "mtassay: There is no plan mtassay.yaml. Make one for the files of this folder: mtassay init\n"
    )


# The library ----------------------------------------------------------------------------------------------


def test_the_library_gives_runs_by_step(planned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(planned)
    done = mtassay.run_plan("mtassay.yaml")
    assert list(done.runs) == ["score", "suite"]
    assert done.runs["suite"].findings[0].verdict == "undecided"
    assert done.gates is None
    assert done.exit_code == 0
    assert "== score · news · done" in str(done)
    assert repr(run_plan()) == "<PlanRun mtassay.yaml: score unchanged, suite unchanged>"


def test_a_plan_says_where_work_is_computed_and_the_command_says_otherwise(run: Run, tmp_path: Path) -> None:
    two_outputs(tmp_path)
    assert run("init").returncode == 0
    plan = tmp_path / "mtassay.yaml"
    plan.write_text(plan.read_text("utf-8") + "\nexecutor: ray\nray_address: 127.0.0.1:1\n", encoding="utf-8")
    done = run("run", "--executor", "processes", MTASSAY_PROCESSES="2")
    assert done.returncode == 0, done.stderr
    assert states(done.stdout) == {"score": "done"}
    refused = run("run", "--fresh")
    assert refused.returncode in (2, 3)  # without the package, or where nobody listens
    assert "pip install 'mtassay[ray]'" in refused.stderr or "127.0.0.1:1 cannot be reached" in refused.stderr


def test_the_report_recommends_by_the_priorities_of_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    two_outputs(tmp_path)
    text = """pair: en-pt
systems: {old: old.txt, new: new.txt}
test_sets: {news: {source: source.txt, references: reference.txt}}
steps: {score: {metrics: chrf, samples: 100, trials: 100, checks: none}}
report: out.md
"""
    by_cost = "priorities: [cost]\nbudget: {prices: {old: 1, new: 2}}\n"
    for more, advice in (("", "cannot decide between"), (by_cost, "**Ship old.**")):
        Path("mtassay.yaml").write_text(text + more, encoding="utf-8")
        done = run_plan(tmp_path, quiet=True)
        assert done.report is not None
        assert advice in Path("out.md").read_text(encoding="utf-8")


def test_a_page_of_what_has_not_changed_stays_as_it_is(run: Run, planned: Path) -> None:
    plan = planned / "mtassay.yaml"
    plan.write_text(f"{plan.read_text(encoding='utf-8')}\nreport: out.md\n", encoding="utf-8")
    page = planned / "out.md"
    assert run("run").returncode == 0
    first = page.read_text(encoding="utf-8")
    page.write_text(f"mine\n{first}", encoding="utf-8")
    again = run("run")
    assert states(again.stdout) == dict.fromkeys(states(again.stdout), "unchanged")
    assert page.read_text(encoding="utf-8") == f"mine\n{first}"
    page.write_text("something else", encoding="utf-8")
    run("run")
    assert page.read_text(encoding="utf-8") == first
    plan.write_text(f"{plan.read_text(encoding='utf-8')}\npriorities: [cost]\n", encoding="utf-8")
    run("run")
    assert "Priorities: cost" in page.read_text(encoding="utf-8")
