"""The options that say how variants are made, the same in every command that makes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from mtassay.cli.common import SeedOption, say
from mtassay.cli.frame import grouped
from mtassay.core import Segment
from mtassay.languages import Pair
from mtassay.methods.invariance.detectors import phrase_segments
from mtassay.methods.invariance.nouns import original_of
from mtassay.methods.invariance.variants.choose import open_substituter
from mtassay.methods.invariance.variants.generating import VariantSettings, generate
from mtassay.methods.invariance.variants.lexicon import Lexicon
from mtassay.stats import fixed_seed
from mtassay.tools.annotate import Annotation, open_annotator
from mtassay.tools.encoder import is_installed, open_encoder

__all__ = ["MAKING", "Making", "making"]

Report = Callable[[str, int, int | None], None]
_DEFAULTS = VariantSettings()


@dataclass(frozen=True)
class Making:
    """How variants are made."""

    settings: VariantSettings
    substitutes: str = "lexicon"
    annotator: str | None = None

    def variants(self, segments: Sequence[Segment], pair: Pair, report: Report) -> list[Segment]:
        """Each original followed by its variants."""
        language = str(pair.source)
        annotator = open_annotator(language, needs=("pos", "dependencies"), name=self.annotator)
        substituter = open_substituter(self.substitutes, language)
        encoder = open_encoder() if is_installed() else None
        if encoder is None:
            say("mtassay: variants are not ranked in context: pip install 'mtassay[use]'")
        made = generate(segments, annotator, substituter, self.settings, encoder=encoder, report=report)
        if isinstance(substituter, Lexicon) and not substituter.has_matched:
            say(
                f"mtassay: no row of {self.substitutes} is for a word of these sentences that may change;"
                " a row needs its inflection (English: NN, NNS, JJ …) and the word"
            )
        return made

    def with_phrases(self, segments: Sequence[Segment], pair: Pair) -> list[Segment]:
        """The same, each original's noun phrases after its variants, for the detector 'referential'."""
        annotator = open_annotator(str(pair.source), needs=("pos", "dependencies"), name=self.annotator)
        originals = [s for s in segments if original_of(s) is None and s.source]
        read: list[Annotation] = annotator.annotate([s.source or "" for s in originals])
        phrases: dict[str, list[Segment]] = {}
        for phrase in phrase_segments(originals, read):
            phrases.setdefault(str(original_of(phrase)), []).append(phrase)
        families: dict[str, list[Segment]] = {}
        for segment in segments:
            families.setdefault(original_of(segment) or segment.id, []).append(segment)
        return [s for key, group in families.items() for s in (*group, *phrases.get(key, []))]


MAKING = Making(_DEFAULTS)


_OPTIONS: dict[str, tuple[Any, Any]] = {
    "pos": (
        Annotated[
            str,
            typer.Option(metavar="NAMES", help="Parts of speech to change: noun, adj, verb, adv, propn."),
        ],
        ",".join(_DEFAULTS.pos),
    ),
    "variants": (
        Annotated[int, typer.Option(min=1, metavar="N", help="At most so many variants of a sentence.")],
        _DEFAULTS.per_sentence,
    ),
    "per_word": (
        Annotated[int, typer.Option(min=1, metavar="N", help="At most so many variants of a word.")],
        _DEFAULTS.per_word,
    ),
    "longest": (
        Annotated[int, typer.Option(min=2, metavar="WORDS", help="Leave out longer sentences.")],
        _DEFAULTS.longest,
    ),
    "ends": (
        Annotated[bool, typer.Option("--ends", help="Also change the first and the last word.")],
        _DEFAULTS.ends,
    ),
    "substitutes": (
        Annotated[
            str,
            typer.Option(
                metavar="WHAT",
                help="Where new words come from: lexicon (ours, English), file:TABLE.tsv, fill-mask:MODEL "
                "(the paper's way), causal:MODEL.",
            ),
        ],
        "lexicon",
    ),
    "similarity": (
        Annotated[
            float,
            typer.Option(min=0, max=1, help="How near a variant must be to its original (encoder cosine)."),
        ],
        _DEFAULTS.similarity,
    ),
    "source_annotator": (
        Annotated[
            str | None, typer.Option(metavar="NAME", help="Language tool for sources: spacy, stanza:en…")
        ],
        None,
    ),
    "seed": (SeedOption, None),
}


def _making(given: dict[str, Any]) -> Making:
    settings = VariantSettings(
        pos=tuple(name.strip().lower() for name in given["pos"].split(",") if name.strip()),
        per_word=given["per_word"],
        per_sentence=given["variants"],
        longest=given["longest"],
        ends=given["ends"],
        similarity=given["similarity"],
        seed=fixed_seed(given["seed"]),
    )
    return Making(settings, given["substitutes"], given["source_annotator"])


making = grouped("making", _OPTIONS, _making)
"""The command with these options in the place of its parameter `making`."""
