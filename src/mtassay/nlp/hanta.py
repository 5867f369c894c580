"""HanTa (Wartena 2019): parts of speech and lemmas of German; no dependencies, no entities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from mtassay.data.errors import UsageError
from mtassay.data.language_packs import load_package
from mtassay.nlp.annotation import Advice, Annotation, Annotator, Layer, Token
from mtassay.nlp.annotators import read_each

# Numbers with their separators, words with hyphens and apostrophes inside, any other mark alone.
_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:[-’'][^\W_]+)*-?|\.\.\.|[^\w\s]|\w")
# By the longest beginning: the Stuttgart-Tübingen tags with HanTa's own endings, as in VV(FIN).
_POS = {
    "$": "PUNCT", "ADJ": "ADJ", "ADV": "ADV", "APPR": "ADP", "APPO": "ADP", "APZR": "ADP", "ART": "DET",
    "CARD": "NUM", "FM": "X", "ITJ": "INTJ", "KON": "CCONJ", "KOKOM": "CCONJ", "KOU": "SCONJ", "NE": "PROPN",
    "NN": "NOUN", "PDAT": "DET", "PIAT": "DET", "PPOSAT": "DET", "PRELAT": "DET", "PWAT": "DET",
    "PDS": "PRON", "PIS": "PRON", "PPER": "PRON", "PPOSS": "PRON", "PRELS": "PRON", "PRF": "PRON",
    "PWS": "PRON", "PROAV": "ADV", "PWAV": "ADV", "PTK": "PART", "PTKVZ": "ADP",
    "PTKANT": "INTJ", "TRUNC": "X", "VA": "AUX", "VM": "AUX", "VV": "VERB", "XY": "X",
}  # fmt: skip


def models(language: str) -> list[str]:
    """The German model, which the package carries."""
    return [""] if language == "de" and find_spec("HanTa") else []


def open_model(language: str, model: str) -> HantaAnnotator:
    """The model in the package; `model` may name the file of another one."""
    if language != "de":
        raise UsageError(f"Annotator 'hanta' reads 'de', not '{language}'.")
    tagger = load_package("HanTa.HanoverTagger", what="annotator 'hanta'", package="HanTa", extra="hanta")
    try:
        return HantaAnnotator(tagger.HanoverTagger(model or "morphmodel_ger.pgz"))
    except OSError as error:
        raise UsageError(f"HanTa cannot load {model!r}: {' '.join(str(error).split())}") from None


def advice(language: str, needs: frozenset[Layer]) -> Advice | None:
    """The package, which has the model in it."""
    if language != "de" or not needs <= HantaAnnotator.gives:
        return None
    return Advice("pip install 'mtassay[hanta]'", is_small=True)


class HantaAnnotator(Annotator):
    """A loaded tagger."""

    name = "hanta"
    language = "de"
    gives: frozenset[Layer] = frozenset(("tokens", "lemma", "pos"))

    def __init__(self, tagger: Any) -> None:
        self._tagger = tagger

    @property
    def signature(self) -> str:
        return f"hanta-{version('HanTa')}"

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        return read_each(texts, self._read)

    def _read(self, texts: list[str]) -> Iterable[Annotation]:
        for text in texts:
            places = [match.span() for match in _WORD.finditer(text)]
            tagged = self._tagger.tag_sent([text[start:end] for start, end in places])
            yield Annotation(
                text,
                tuple(
                    Token(text[start:end], start, end, lemma, universal(tag), tag)
                    for (start, end), (_, lemma, tag) in zip(places, tagged, strict=True)
                ),
            )


def universal(tag: str) -> str:
    """The universal part of speech of a German tag.

    >>> [universal(tag) for tag in ("VV(FIN)", "APPRART", "$.", "NNA", "nonsense")]
    ['VERB', 'ADP', 'PUNCT', 'NOUN', 'X']
    """
    for length in range(len(tag), 0, -1):
        if tag[:length] in _POS:
            return _POS[tag[:length]]
    return "X"
