"""Installed parts, whether they work for a language pair, and the command that installs missing ones."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any, Literal

from mtassay import __version__
from mtassay.app.translation import Kind, kinds
from mtassay.data.display import Table
from mtassay.data.errors import MtassayError
from mtassay.data.language_packs import OUR_PACKS, install_line, packs_for
from mtassay.data.languages import Language, Pair, parse_pair
from mtassay.data.method import Method
from mtassay.data.registry import each_named
from mtassay.data.settings import options_of
from mtassay.measures.check import CheckContext
from mtassay.measures.check_run import choose_checks, record_of
from mtassay.measures.tokenizers import DEFAULTS, tokenizer_signature
from mtassay.nlp import encoder
from mtassay.nlp.annotation import Layer
from mtassay.nlp.annotators import open_annotator
from mtassay.nlp.links import open_aligner

_NEVER = {"dev"}  # extras for developers of mtassay


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional part of mtassay: `packages` with the installed versions; `None` is not installed."""

    name: str
    packages: dict[str, str | None]

    @property
    def is_installed(self) -> bool:
        """Whether all of its packages are installed."""
        return all(release is not None for release in self.packages.values())

    @property
    def install(self) -> str:
        """The line that installs it."""
        return f"pip install 'mtassay[{self.name}]'"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that a language pair needs: the part that provides it, or the command to get one."""

    part: str
    state: Literal["works", "missing"]
    what: str
    used_by: str


@dataclass(frozen=True, slots=True)
class Parts:
    """All available names with descriptions: methods with their parameters, metrics, and kinds of engines."""

    methods: Mapping[str, str]
    parameters: Mapping[str, Sequence[str]]
    metrics: Mapping[str, str]
    systems: Sequence[Kind]

    def tables(self) -> list[Table]:
        """Return a table of each."""
        return [
            Table(["Method", "what it does"], [*map(list, self.methods.items())], title="Methods"),
            Table(["Metric", "what it is"], [*map(list, self.metrics.items())], title="Metrics (-m NAME)"),
            Table(
                ["Write", "what it is"],
                [[kind.write, kind.what] for kind in self.systems],
                title="Systems (-t NAME=…)",
            ),
        ]

    def record(self) -> dict[str, Any]:
        """Return all of it for a program."""
        return {
            "methods": [
                {"name": name, "about": about, "parameters": list(self.parameters[name])}
                for name, about in self.methods.items()
            ],
            "metrics": [{"name": name, "about": about} for name, about in self.metrics.items()],
            "systems": [kind._asdict() for kind in self.systems],
        }


def installed_parts() -> Parts:
    """Return the installed methods, metrics and engines, including those of other packages.

    >>> parts = installed_parts()
    >>> "score" in parts.methods, "bleu" in parts.metrics, len(parts.systems) > 10
    (True, True, True)
    """
    methods: dict[str, type[Method]] = dict(each_named("method"))
    return Parts(
        {name: _first_line(method) for name, method in methods.items()},
        {name: list(options_of(method, plain=True)) for name, method in methods.items()},
        {name: _first_line(metric) for name, metric in each_named("metric")},
        kinds(),
    )


def _first_line(cls: type) -> str:
    return (cls.__doc__ or "").strip().partition("\n")[0]


def installed_extras() -> list[Extra]:
    """Return all extras that mtassay declares, in alphabetical order."""
    return [
        Extra(extra, {name: _version(name) for name in packages})
        for extra, packages in sorted(_packages("mtassay").items())
        if extra not in _NEVER
    ]


def _packages(package: str) -> dict[str, list[str]]:
    """The needs of each extra of a package; an extra of another package means the needs of that extra."""
    by_extra: dict[str, list[str]] = {}
    for requirement in requires(package) or []:
        text, _, condition = requirement.partition(";")
        extra = re.search(r"extra\s*==\s*['\"]([\w.-]+)['\"]", condition)
        name = re.match(r"([\w.-]+)(?:\[([\w.-]+)\])?", text.strip())
        if extra is None or name is None:
            continue
        needed = [name.group(1)]
        if name.group(2) and _version(name.group(1)):
            needed += _packages(name.group(1)).get(name.group(2), [])
        packages = by_extra.setdefault(extra.group(1), [])
        packages += [dependency for dependency in needed if dependency not in packages]
    return by_extra


def check_pair(pair: Pair | str) -> list[Diagnosis]:
    """Return what each part of mtassay has for a language pair, on this machine."""
    both = parse_pair(pair) if isinstance(pair, str) else pair
    source, target = both.source, both.target
    tokenizer = DEFAULTS.get(target.code, "13a")
    return [
        *check_packs(both),
        _check("tokeniser", "BLEU, TER", lambda: tokenizer_signature(tokenizer)),
        _annotator("source words and trees", "invariance, behavior", source, ("pos", "dependencies")),
        _annotator("target words", "behavior", target, ("pos",)),
        _annotator("target trees", "invariance: dependency, constituency", target, ("pos", "dependencies")),
        _annotator("source names", "behavior: ner", source, ("entities",)),
        _annotator("target names", "NEE without marked entities", target, ("entities",)),
        _check("word aligner", "behavior", lambda: open_aligner(both).signature),
        _check("sentence encoder", "variants in context, behavior: use", lambda: _encoder()),
        _check("quality measure", "behavior", lambda: _judge()),
        _check("checks on by default", "check, score, invariance", lambda: _checks(both)),
    ]


def check_packs(pair: Pair | None = None) -> list[Diagnosis]:
    """Return installed language packs and our missing ones; with a pair, only the packs for it."""
    checks = []
    for code, pack in packs_for(pair).items():
        told = ", ".join(pack.parts) if pack else f"{install_line(code)} adds {OUR_PACKS[code].adds}"
        checks.append(Diagnosis(f"language pack {code}", "works" if pack else "missing", told, "all methods"))
    return checks


def extra_table(extras: Sequence[Extra]) -> Table:
    """List extras as installed or not, with the command that installs them."""
    rows = [
        [
            extra.name,
            ", ".join(f"{name} {release}" if release else name for name, release in extra.packages.items()),
            "installed" if extra.is_installed else extra.install,
        ]
        for extra in extras
    ]
    title = f"mtassay {__version__}, Python {platform.python_version()}"
    return Table(["Extra", "packages", "state"], rows, title=title)


def pair_table(checks: Sequence[Diagnosis], pair: Pair | None) -> Table:
    """All that supports a language pair, and all it lacks; without a pair, the language packs."""
    rows = [[check.part, check.state, check.what, check.used_by] for check in checks]
    return Table(
        ["Part", "state", "what is used, or what to do", "for"],
        rows,
        title=f"For {pair}" if pair else "Language packs",
    )


def _annotator(part: str, used_by: str, language: Language, needs: Sequence[Layer]) -> Diagnosis:
    return _check(part, used_by, lambda: open_annotator(language.code, needs=needs).signature)


def _encoder() -> str:
    release = encoder.encoder_version().partition("+")[0]
    return f"{encoder.PACKAGE} {release}"


def _checks(pair: Pair) -> str:
    """Return which are on, with their results on outputs that people labelled, where there are any."""
    context = CheckContext(str(pair.source), str(pair.target))
    records = [record_of(check.id, str(pair)) for check in choose_checks("default", (), context).checks]
    return "; ".join(record.tell() if record.fired else record.check for record in records)


def _judge() -> str:
    comet = _version("unbabel-comet")
    return f"comet (unbabel-comet {comet})" if comet else f"use ({_encoder()})"


def _check(part: str, used_by: str, serve: Callable[[], str]) -> Diagnosis:
    try:
        return Diagnosis(part, "works", serve(), used_by)
    except MtassayError as error:
        return Diagnosis(part, "missing", str(error), used_by)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
