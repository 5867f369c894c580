"""A plan: systems, test sets and suites by name, and the steps that test them; read from one YAML file."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, cast

from mtassay.app.page.decision import PRIORITIES
from mtassay.app.plans.plan_schema import (
    BUDGET,
    PAIR,
    SECTIONS,
    STEP,
    TEST_SET,
    PlanEntry,
    read_entries,
    step_options,
    suite_field,
)
from mtassay.data.errors import MtassayError, UsageError
from mtassay.data.formats.suite_files import own_suites
from mtassay.data.formats.textfiles import FilePath
from mtassay.data.language_packs import missing_pack
from mtassay.data.languages import parse_pair
from mtassay.data.method import Method
from mtassay.data.registry import find, names, suggest
from mtassay.data.settings import build, is_live
from mtassay.runtime.executors import EXECUTORS
from mtassay.systems.roster import named

DEFAULT = "mtassay.yaml"
"""The default name of a plan."""

REPORTS = (".html", ".md")
"""The possible endings of a report."""
MOST_ENTRIES = 1_000
"""Largest number of entries of each section of a plan."""
MOST_SYSTEMS = 300
"""Largest number of systems of one step. All pairs are compared, which needs gigabytes at this size."""
_SCHEME = re.compile(r"([a-z][\w-]+):")


@dataclass(frozen=True)
class PlanSystem:
    """A system of a plan: one file, folder or engine for everything, or a file for each test set or suite."""

    name: str
    entry: PlanEntry
    what: str | Mapping[str, str]
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Files by name, if a language model is tested with each of several prompts."""

    def for_target(self, target: str) -> dict[str, str]:
        """Return files or engines for a test set or suite, by name; a folder means all files in it."""
        what = self.what if isinstance(self.what, str) else self.what.get(target, "")
        if not what:
            return {}
        if self.prompts:
            sign = "&" if "?" in what else "?"
            return {f"{self.name}-{key}": f"{what}{sign}prompt={file}" for key, file in self.prompts.items()}
        return named([what]) if self.is_folder(target) else {self.name: what}

    def is_folder(self, target: str) -> bool:
        """Whether a folder of outputs provides it; its files are in no chosen order."""
        what = self.what if isinstance(self.what, str) else self.what.get(target, "")
        return bool(what) and not is_live(what) and Path(what).is_dir()


@dataclass(frozen=True)
class PlanTestSet:
    """A test set of a plan: everything in one place (`where`), or one file for each part of it."""

    name: str
    entry: PlanEntry
    where: str | None = None
    source: str | None = None
    references: tuple[str, ...] = ()
    documents: str | None = None
    entities: str | None = None
    pair: str = ""
    texts: tuple[str | Sequence[str], ...] = ()
    """The sources of a stress set: texts, or clean texts, each with its noisy version."""

    @property
    def files(self) -> list[str]:
        """Return all files that it is read from; references of a whole test set are names and no files."""
        parts = [self.where, self.source, self.documents, self.entities]
        return [part for part in parts if part] + ([] if self.where else list(self.references))


@dataclass(frozen=True)
class PlanStep:
    """One step of a plan: a method, its parameters as they were written, and its data."""

    name: str
    entry: PlanEntry
    method: str
    parameters: Mapping[str, Any]
    test_set: PlanTestSet | None = None
    suite: str | None = None
    suite_name: str = ""
    systems: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """Return the name of the test set or suite."""
        return self.test_set.name if self.test_set else self.suite_name

    @property
    def method_class(self) -> type[Method]:
        """Return its method."""
        return cast("type[Method]", find("method", self.method))


@dataclass(frozen=True)
class PlanBudget:
    """The limits of each live engine, for all steps together.

    Prices are for a million characters, or, if there are two, for a million tokens read and written.
    """

    max_calls: int | None = None
    max_characters: int | None = None
    max_seconds: float | None = None
    prices: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    currency: str = ""


@dataclass(frozen=True)
class Plan:
    """All contents of a plan, checked as far as possible without reading the files it names.

    Language pairs, gates and baselines are kept as written.
    """

    path: str
    pair: str
    systems: Mapping[str, PlanSystem]
    test_sets: Mapping[str, PlanTestSet]
    suites: Mapping[str, str]
    steps: Mapping[str, PlanStep]
    budget: PlanBudget = field(default_factory=PlanBudget)
    priorities: Sequence[str] = ()
    gates: Sequence[PlanEntry] = ()
    baselines: Mapping[str, PlanEntry] = field(default_factory=dict)
    """Baselines of gates, by the name of the step."""
    repeated: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The steps that were written once and run for each of `pairs`, by their original name."""
    executor: str = "local"
    ray_address: str | None = None
    report: str = ""
    """The report's file, from the folder of the plan; empty for none."""

    def place(self, step: PlanStep, error: MtassayError) -> MtassayError:
        """Locate an error of a step: at a parameter, at a system, or at the step.

        The message names that place: a parameter by its value, a system by its file.
        """
        message = str(error)
        if message.startswith(f"{self.path} line "):
            return error
        for key, part in step.entry.parts().items():
            if f" {key} is " in message or any(f"'{text}'" in message for text in part.scalars() if text):
                return part.wrong(error)
        for system in self.systems.values():
            if any(message.startswith(f"{text}:") for text in system.entry.scalars()):
                return system.entry.wrong(error)
        return step.entry.wrong(error)

    def pair_of(self, step: PlanStep) -> str | None:
        """Return the language pair of a step."""
        return (step.test_set.pair if step.test_set else "") or self.pair or None

    def about(self, step: PlanStep) -> dict[str, dict[str, Any]]:
        """Return the plan's facts on a step's systems besides their paths: prices, prompts, priorities."""
        about: dict[str, dict[str, Any]] = {}
        for key, system in self.systems.items():
            for place, name in enumerate(system.for_target(step.target)):
                facts: dict[str, Any] = {"priorities": list(self.priorities)} if self.priorities else {}
                if key in self.budget.prices:
                    facts |= {"price": list(self.budget.prices[key]), "currency": self.budget.currency}
                if system.prompts:
                    facts |= {"model": key, "prompt": list(system.prompts)[place]}
                if facts:
                    about[name] = facts
        return about

    def systems_of(self, step: PlanStep, only: Collection[str] = ()) -> dict[str, str]:
        """Return the systems of a step, by name; with `only`, no more than these."""
        answering = [
            (entry_name, name, what)
            for entry_name, system in self.systems.items()
            for name, what in system.for_target(step.target).items()
        ]
        if step.systems:
            answering = [entry for wanted in step.systems for entry in answering if wanted in entry[:2]]
        by_name: dict[str, str] = {}
        for entry_name, name, what in answering:
            if by_name.get(name, what) != what:
                clash = f"two systems are called '{name}'. Rename one, or choose with 'systems:' in steps"
                raise self.systems[entry_name].entry.error(clash)
            if not only or name in only or entry_name in only:
                by_name[name] = what
        if len(by_name) > MOST_SYSTEMS:
            what = f"{step.entry.name} has {len(by_name):,} systems, and can have {MOST_SYSTEMS}"
            raise step.entry.error(f"{what}. Choose some with 'systems:', or do it in several steps")
        return by_name


def read_plan(path: FilePath, *, called: str | None = None) -> Plan:
    """Read a plan. Each mistake is an error with its line and, if possible, a similar valid name.

    Files that it names are relative to the current folder; `called` is the file's name in messages.
    """
    name = called or str(path)
    if not Path(path).exists():
        raise UsageError(f"There is no plan {name}. Make one for the files of this folder: mtassay init")
    root = read_entries(path, called=name)
    parts = root.parts(SECTIONS)
    scopes = _scopes(parts)
    test_sets = {scope.named(key): s for scope in scopes for key, s in scope.test_sets.items()}
    suites = {scope.named(key): place for scope in scopes for key, place in scope.suites.items()}
    systems = _systems(parts, scopes)
    judges = {key: _judge(entry) for key, entry in _section(parts, "judges").items()}
    domains = parts["domains"].text() if "domains" in parts else ""
    steps = {}
    repeated: dict[str, list[str]] = {}
    for key, entry in _section(parts, "steps").items():
        for scope in _scopes_of(key, entry, scopes):
            step = _step(key, entry, scope, systems, judges, domains)
            steps[step.name] = step
            repeated.setdefault(key, []).append(step.name)
    for scope in scopes if "stress" in parts else ():
        for step in _stress_steps(parts["stress"], scope.pair or _pair(parts.get("pair")), scope, systems):
            steps[step.name] = step
            repeated.setdefault(step.name.removesuffix(f"-{scope.pair}"), []).append(step.name)
    if not steps:
        raise (parts.get("steps") or root).error("there are no steps: say what to do, as 'steps: {score: }'")
    return Plan(
        path=name,
        pair=_pair(parts.get("pair")),
        systems=systems,
        test_sets=test_sets,
        suites=suites,
        steps=steps,
        budget=_budget(parts["budget"], systems) if "budget" in parts else PlanBudget(),
        priorities=_priorities(parts.get("priorities")),
        gates=_gates(parts.get("gates")),
        baselines=_baselines(parts.get("baseline"), steps, repeated),
        repeated=repeated,
        executor=parts["executor"].choice(EXECUTORS, "executor") if "executor" in parts else "local",
        ray_address=parts["ray_address"].text() if "ray_address" in parts else None,
        report=_report(parts.get("report"), path),
    )


def _report(entry: PlanEntry | None, path: FilePath) -> str:
    """Return the file for the report; by default it is called like the plan."""
    if entry is not None:
        text = entry.text()
        if text.lower().endswith(REPORTS):
            if not Path(text).parent.is_dir():
                raise entry.error(f"report: there is no folder {Path(text).parent} to write it into")
            return text
        try:
            if not entry.switch():
                return ""
        except MtassayError:
            raise entry.error(f"report: '{text}' must end in .html or .md, or be yes or no") from None
    return str(Path(path).with_suffix(".html"))


def _section(parts: Mapping[str, PlanEntry], key: str) -> dict[str, PlanEntry]:
    entries = parts[key].parts() if key in parts else {}
    _check_size(parts.get(key), len(entries))
    return entries


def _check_size(entry: PlanEntry | None, n: int) -> None:
    if entry is not None and n > MOST_ENTRIES:
        what = f"{entry.name} has {n:,} entries, and can have {MOST_ENTRIES:,}"
        raise entry.error(f"{what}. Make several plans of it")


@dataclass(frozen=True)
class _Scope:
    """A part of a plan: all of it, or the text below one of `pairs`."""

    pair: str
    parts: Mapping[str, PlanEntry]
    test_sets: Mapping[str, PlanTestSet]
    suites: Mapping[str, str]

    @classmethod
    def of(cls, pair: str, parts: Mapping[str, PlanEntry]) -> _Scope:
        """Return the test sets and suites of a part of a plan; `pair` is empty for the whole plan."""
        test_sets = {key: _test_set(key, entry) for key, entry in _section(parts, "test_sets").items()}
        suites = {key: _suite_place(entry) for key, entry in _section(parts, "suites").items()}
        for key in test_sets.keys() & suites.keys():
            raise parts["suites"].parts()[key].error(f"a test set is called '{key}', too. Rename one")
        scope = cls(pair, parts, {}, suites)
        if not pair:
            return replace(scope, test_sets=test_sets)
        own = {key: replace(s, name=scope.named(key), pair=s.pair or pair) for key, s in test_sets.items()}
        return replace(scope, test_sets=own)

    def named(self, key: str) -> str:
        """Return the name in the whole plan of this pair's step, test set or suite."""
        return f"{key}-{self.pair}" if self.pair else key


def _scopes(parts: Mapping[str, PlanEntry]) -> list[_Scope]:
    """Return the pairs of a plan, or the plan itself if it has no `pairs`."""
    if "pairs" not in parts:
        return [_Scope.of("", parts)]
    for key in ("pair", "test_sets", "suites"):
        if key in parts:
            raise parts[key].error(f"with 'pairs', {key} belongs below each pair")
    scopes = []
    for pair, entry in _section(parts, "pairs").items():
        try:
            parse_pair(pair)
        except UsageError as error:
            raise entry.wrong(error) from None
        scopes.append(_Scope.of(pair, entry.parts(PAIR)))
    return scopes


def _scopes_of(name: str, entry: PlanEntry, scopes: Sequence[_Scope]) -> Sequence[_Scope]:
    """Return the pairs of a step: those with the test set or suite that it names, or with any.

    A step that fits no pair is read for the first pair, which reports the mistake.
    """
    parts = entry.parts()
    for key in ("test_set", "suite"):
        if key in parts:
            target = parts[key].text()
            return [scope for scope in scopes if target in {**scope.test_sets, **scope.suites}] or scopes[:1]
    method = parts["method"].text() if "method" in parts else name
    if method not in names("method"):
        return scopes[:1]
    takes_suite = bool(suite_field(cast("type[Method]", find("method", method))))
    return [scope for scope in scopes if (scope.suites if takes_suite else scope.test_sets)] or scopes[:1]


def _systems(parts: Mapping[str, PlanEntry], scopes: Sequence[_Scope]) -> dict[str, PlanSystem]:
    """Return the systems of a plan: those for everything, and those of each pair."""
    targets = [scope.named(key) for scope in scopes for key in (*scope.test_sets, *scope.suites)]
    systems = {key: _system(key, entry, targets) for key, entry in _section(parts, "systems").items()}
    prompts = {key: entry.place() for key, entry in _section(parts, "prompts").items()}
    systems = {key: replace(s, prompts=prompts) if _is_promptable(s) else s for key, s in systems.items()}
    for scope in scopes:
        own = [*scope.test_sets, *scope.suites]
        for key, entry in _section(scope.parts, "systems").items() if scope.pair else ():
            if isinstance(getattr(systems.get(key), "what", None), str):
                raise entry.error(f"'{key}' is a system of the whole plan, too. Rename one")
            read = _system(key, entry, own)
            what = read.what if isinstance(read.what, Mapping) else dict.fromkeys(own, read.what)
            earlier = systems[key].what if key in systems else {}
            renamed = {scope.named(target): answers for target, answers in what.items()}
            systems[key] = replace(read, what={**cast("Mapping[str, str]", earlier), **renamed})
    return systems


def _is_promptable(system: PlanSystem) -> bool:
    """Whether this is a language model without its own prompt."""
    if not isinstance(system.what, str) or not is_live(system.what) or "prompt=" in system.what:
        return False
    return "prompt" in getattr(find("system", system.what.partition(":")[0]), "__dataclass_fields__", ())


def _pair(entry: PlanEntry | None) -> str:
    if entry is None or entry.is_empty:
        return ""
    pair = entry.text()
    try:
        parse_pair(pair)
    except UsageError as error:
        raise entry.wrong(error) from None
    return pair


def _test_set(name: str, entry: PlanEntry) -> PlanTestSet:
    if entry.is_text and not entry.is_empty:
        return PlanTestSet(name, entry, where=_whole(entry))
    parts = entry.parts(TEST_SET)
    if "where" in parts:
        if brought := [key for key in ("source", "documents") if key in parts]:
            raise parts[brought[0]].error(f"{entry.name}: 'where' already has {brought[0]}: leave one out")
        references = parts["references"].texts() if "references" in parts else []
    elif "source" not in parts and "references" not in parts:
        raise entry.error(f"{entry.name} has neither 'where' nor 'source' nor 'references'")
    else:
        references = [e.place() for e in parts["references"].entries()] if "references" in parts else []
    return PlanTestSet(
        name,
        entry,
        where=_whole(parts["where"]) if "where" in parts else None,
        references=tuple(references),
        pair=_pair(parts.get("pair")),
        source=_place(parts, "source"),
        documents=_place(parts, "documents"),
        entities=_place(parts, "entities"),
    )


def _whole(entry: PlanEntry) -> str:
    """Return a file or folder, or the name of a test set of sacreBLEU, which has no dot and no slash."""
    name = entry.text()
    return name if re.fullmatch(r"(wmt|iwslt|mtnt|multi30k)[\w+-]*", name) else entry.place("file or folder")


def _suite_place(entry: PlanEntry) -> str:
    return entry.place("suite", or_names=own_suites(), advice=missing_pack("suites", entry.text()))


def _system(name: str, entry: PlanEntry, targets: Collection[str]) -> PlanSystem:
    if entry.is_text and not entry.is_empty:
        return PlanSystem(name, entry, _answers(entry))
    parts = entry.parts(targets)
    if not parts:
        raise entry.error(f"{entry.name} has no file and no engine: write '{name}: FILE'")
    return PlanSystem(name, entry, {key: _answers(part) for key, part in parts.items()})


def _answers(entry: PlanEntry) -> str:
    """Return a file or folder of outputs, or a live engine."""
    what = entry.text()
    if is_live(what):
        return what
    if (scheme := _SCHEME.match(what)) and not Path(what).exists():
        engines = [name for name in names("system") if name != "stored"]
        raise entry.error(f"{entry.name}: there is no engine '{scheme[1]}'. {suggest(scheme[1], engines)}")
    if is_live(f"{what}:") and not Path(what).exists():
        raise entry.error(f"{entry.name}: there is no file {what}. For the live engine write '{what}:'")
    return entry.place("file or folder")


def _place(parts: Mapping[str, PlanEntry], key: str) -> str | None:
    return parts[key].place() if key in parts else None


def _judge(entry: PlanEntry) -> str:
    spec = entry.text()
    name = re.split(r"[:+]", spec)[0].lower()
    if name not in names("metric"):
        raise entry.error(f"{entry.name}: there is no metric '{name}'. {suggest(name, names('metric'))}")
    try:
        build("metric", spec)
    except MtassayError as error:
        raise entry.wrong(error) from None
    return spec


def _step(
    name: str,
    entry: PlanEntry,
    scope: _Scope,
    systems: Mapping[str, PlanSystem],
    judges: Mapping[str, str],
    domains: str,
) -> PlanStep:
    """Read a step, for one pair of the plan. `domains` is the tag by which results are distinguished."""
    parts = entry.parts()
    method = parts["method"].choice(names("method"), "method") if "method" in parts else name
    if method not in names("method"):
        what = f"{entry.name} needs a method, for there is none called '{name}': write 'method: NAME'"
        raise entry.error(f"{what}. {suggest(name, names('method'))}")
    cls = cast("type[Method]", find("method", method))
    takes_suite = bool(suite_field(cls))
    own = [key for key in STEP if key != ("test_set" if takes_suite else "suite")]
    options = step_options(cls)
    parts = entry.parts([*own, *options])
    written = {key: part.value(options[key]) for key, part in parts.items() if key not in own}
    if domains and "by" in options:
        written.setdefault("by", domains)
    step = PlanStep(
        scope.named(name),
        entry,
        method,
        {key: _with_judges(value, judges) for key, value in written.items()},
        systems=_chosen_systems(parts.get("systems"), systems, scope),
    )
    if takes_suite:
        suite_name = _target(entry, parts.get("suite"), [*scope.suites], "suite", also=own_suites())
        if suite_name in scope.suites:
            return replace(step, suite=scope.suites[suite_name], suite_name=scope.named(suite_name))
        return replace(step, suite=_suite_place(parts["suite"]), suite_name=suite_name)
    chosen = _target(entry, parts.get("test_set"), [*scope.test_sets], "test_set")
    return replace(step, test_set=scope.test_sets[chosen])


@cache
def stress_sets() -> Mapping[str, Mapping[str, Sequence[str | Sequence[str]]]]:
    """Return texts on which language models fail, by set name and language; we wrote all of them."""
    text = resources.files(__package__).joinpath("stress.json").read_text("utf-8")
    return cast("Mapping[str, Mapping[str, Sequence[str | Sequence[str]]]]", json.loads(text))


_OF_NOISE = {"structure": "tokens", "repeat": 5, "checks": "none", "relations": "none"}


def _stress_steps(
    entry: PlanEntry, pair: str, scope: _Scope, systems: Mapping[str, PlanSystem]
) -> Iterator[PlanStep]:
    """Make a step for each stress set: live engines translate it, and checks report their mistakes.

    Clean and noisy texts show how noise changes a translation, beyond the changes of a repeated request.
    """
    live = tuple(key for key, s in systems.items() if isinstance(s.what, str) and is_live(s.what))
    if not live or not pair:
        raise entry.error("stress needs a live engine under 'systems:', and 'pair: en-de'")
    source = parse_pair(pair).source.code
    for part in entry.entries():
        key = part.choice([*stress_sets()], "stress set")
        texts = stress_sets()[key]
        if source not in texts:
            raise part.error(f"the stress set '{key}' has no texts in '{source}': {', '.join(texts)}")
        name = scope.named(f"stress-{key}")
        test_set = PlanTestSet(name, part, pair=pair, texts=tuple(texts[source]))
        method, settings = ("check", {}) if isinstance(texts[source][0], str) else ("invariance", _OF_NOISE)
        yield PlanStep(name, part, method, settings, test_set=test_set, systems=live)


def _target(
    entry: PlanEntry, part: PlanEntry | None, choices: Sequence[str], key: str, also: Collection[str] = ()
) -> str:
    """Return the test set or suite of a step: the one it names, or the only one there is."""
    what = key.replace("_", " ")
    if part is not None:
        name = part.text()
        if key == "suite" and Path(name).is_file():
            return name
        return part.choice([*choices, *also], what, advice=missing_pack("suites", name))
    if len(choices) == 1:
        return choices[0]
    if not choices:
        raise entry.error(f"{entry.name} needs a {what}, and the plan has none: add one under '{key}s:'")
    raise entry.error(
        f"{entry.name} must say which {what} it is for: '{key}: NAME'. Available: {', '.join(choices)}"
    )


def _chosen_systems(
    entry: PlanEntry | None, systems: Mapping[str, PlanSystem], scope: _Scope
) -> tuple[str, ...]:
    """Return the systems that a step names; those included in a test set are found when it is read."""
    if entry is None:
        return ()
    if any(test_set.where for test_set in scope.test_sets.values()):
        return tuple(entry.texts())
    targets = ["", *map(scope.named, scope.test_sets)]
    inside = [name for system in systems.values() for t in targets for name in system.for_target(t)]
    return tuple(part.choice([*systems, *inside], "system") for part in entry.entries())


def _with_judges(value: Any, judges: Mapping[str, str]) -> Any:
    """Replace the names of judges in a value by the metrics that they are for."""
    if isinstance(value, list):
        return [_with_judges(part, judges) for part in value]
    if isinstance(value, str) and judges:
        return ",".join(judges.get(part.strip(), part) for part in value.split(","))
    return value


def _budget(entry: PlanEntry, systems: Mapping[str, PlanSystem]) -> PlanBudget:
    parts = entry.parts(BUDGET)
    whole = {
        key: int(parts[key].number(whole=True, least=0))
        for key in ("max_calls", "max_characters")
        if key in parts
    }
    prices = {}
    for name, part in parts["prices"].parts().items() if "prices" in parts else ():
        if name not in systems:
            raise part.error(f"{part.name}: there is no system '{name}'. {suggest(name, systems)}")
        prices[name] = tuple(price.number(least=0) for price in part.entries())
        if len(prices[name]) not in (1, 2):
            what = "a price is one number (a million characters) or two (a million tokens read, and written)"
            raise part.error(f"{part.name}: {what}")
    return PlanBudget(
        **whole,
        max_seconds=parts["max_seconds"].number(least=0.001) if "max_seconds" in parts else None,
        currency=parts["currency"].text() if "currency" in parts else "",
        prices=prices,
    )


def _priorities(entry: PlanEntry | None) -> list[str]:
    return [] if entry is None else [part.choice(PRIORITIES, "priority") for part in entry.entries()]


def _baselines(
    entry: PlanEntry | None, steps: Collection[str], repeated: Mapping[str, Sequence[str]]
) -> dict[str, PlanEntry]:
    if entry is None or entry.is_empty:
        return {}
    if entry.is_text:
        return dict.fromkeys(steps, entry)
    parts = entry.parts([*steps, *repeated])
    return {step: part for key, part in parts.items() for step in repeated.get(key, [key])}


def _gates(entry: PlanEntry | None) -> list[PlanEntry]:
    if entry is None:
        return []
    if not entry.is_list and not entry.is_empty:
        raise entry.error("gates must be a list, with '- ' before each rule")
    _check_size(entry, len(entry.entries()))
    return entry.entries()
