"""What is installed here, what works for a language pair, and the line that installs what is missing."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Literal

from mtassay import __version__
from mtassay.display import Table
from mtassay.errors import MtassayError
from mtassay.languages import Language, Pair, parse_pair
from mtassay.metrics.tokenizers import DEFAULTS, tokenizer_signature
from mtassay.tools import encoder
from mtassay.tools.align import open_aligner
from mtassay.tools.annotate import Layer, open_annotator

__all__ = ["Check", "Extra", "check_pair", "extra_table", "installed_extras", "pair_table"]

_NEVER = {"dev"}  # extras that are for who works on mtassay itself


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional part of mtassay: `packages` with the versions that are here; `None` is not installed."""

    name: str
    packages: dict[str, str | None]

    @property
    def is_installed(self) -> bool:
        """Whether all of its packages are here."""
        return all(release is not None for release in self.packages.values())

    @property
    def install(self) -> str:
        """The line that installs it."""
        return f"pip install 'mtassay[{self.name}]'"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a language pair needs: what serves, or what to do where nothing does."""

    part: str
    state: Literal["works", "missing"]
    what: str
    used_by: str


def installed_extras() -> list[Extra]:
    """All extras that mtassay declares, in the order of the alphabet."""
    return [
        Extra(extra, {name: _version(name) for name in packages})
        for extra, packages in sorted(_packages("mtassay").items())
        if extra not in _NEVER
    ]


def _packages(package: str) -> dict[str, list[str]]:
    """What each extra of a package needs; an extra of another package stands for what that needs."""
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


def check_pair(pair: Pair | str) -> list[Check]:
    """What each part of mtassay has for a language pair, on this machine."""
    both = parse_pair(pair) if isinstance(pair, str) else pair
    source, target = both.source, both.target
    tokenizer = DEFAULTS.get(target.code, "13a")
    return [
        _check("tokeniser", "BLEU, TER", lambda: tokenizer_signature(tokenizer)),
        _annotator("source words and trees", "invariance, behavior", source, ("pos", "dependencies")),
        _annotator("target words", "behavior", target, ("pos",)),
        _annotator("target trees", "invariance: dependency, triples, tree", target, ("pos", "dependencies")),
        _annotator("source names", "behavior: ner", source, ("entities",)),
        _annotator("target names", "NEE without marked entities", target, ("entities",)),
        _check("word aligner", "behavior; invariance: closure", lambda: open_aligner(both).signature),
        _check("sentence encoder", "variants in context, behavior: use", lambda: _encoder()),
        _check("quality measure", "behavior", lambda: _judge()),
    ]


def extra_table(extras: Sequence[Extra]) -> Table:
    """Extras by what is installed of them; how to install the others."""
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


def pair_table(checks: Sequence[Check], pair: Pair) -> Table:
    """What serves a language pair, and what is missing for it."""
    rows = [[check.part, check.state, check.what, check.used_by] for check in checks]
    return Table(["Part", "state", "what serves, or what to do", "for"], rows, title=f"For {pair}")


def _annotator(part: str, used_by: str, language: Language, needs: Sequence[Layer]) -> Check:
    return _check(part, used_by, lambda: open_annotator(language.code, needs=needs).signature)


def _encoder() -> str:
    return f"{encoder.PACKAGE} {encoder.encoder_version()}"


def _judge() -> str:
    comet = _version("unbabel-comet")
    return f"comet (unbabel-comet {comet})" if comet else f"use ({_encoder()})"


def _check(part: str, used_by: str, serve: Callable[[], str]) -> Check:
    try:
        return Check(part, "works", serve(), used_by)
    except MtassayError as error:
        return Check(part, "missing", str(error), used_by)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
