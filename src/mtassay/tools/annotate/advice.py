"""Says which package and model to install for a language."""

from __future__ import annotations

from mtassay.tools.annotate.nouns import Layer

# The languages that spaCy trains pipelines for: https://spacy.io/models
_SPACY_NEWS = frozenset(
    ("ca", "da", "de", "el", "es", "fi", "fr", "hr", "it", "ja", "ko", "lt", "mk", "nb", "nl", "pl", "pt",
     "ro", "ru", "sl", "sv", "uk")
)  # fmt: skip
_SPACY_WEB = frozenset(("en", "zh"))
_SPACY_LAYERS: frozenset[Layer] = frozenset(
    ("tokens", "lemma", "pos", "features", "dependencies", "entities")
)
_LIGHT: dict[str, tuple[str, frozenset[Layer]]] = {
    "ru": ("natasha", _SPACY_LAYERS),
    "zh": ("lac", frozenset(("tokens", "lemma", "pos", "entities"))),
    "de": ("hanta", frozenset(("tokens", "lemma", "pos"))),
}


def advice(language: str, needs: frozenset[Layer], *, backend: str | None = None) -> str:
    """What a person types to get an annotator for a language (a normal code) that gives these layers.

    >>> print(advice("de", frozenset(["dependencies"])))
    Install one: pip install 'mtassay[spacy]' && python -m spacy download de_core_news_md
    >>> print(advice("de", frozenset(["pos"])))
    ... # doctest: +NORMALIZE_WHITESPACE
    Install one: pip install 'mtassay[spacy]' && python -m spacy download de_core_news_md;
    or the smaller: pip install 'mtassay[hanta]'
    """
    ways = []
    if backend in (None, "spacy") and needs <= _SPACY_LAYERS and (pipeline := official_pipeline(language)):
        ways.append(_spacy(language, pipeline))
    light, gives = _LIGHT.get(language, ("", frozenset()))
    if light and backend in (None, light) and needs <= gives:
        ways.append(f"{'or the smaller: ' if ways else ''}pip install 'mtassay[{light}]'")
    if backend == "stanza" or (not ways and backend is None):
        code = {"zh": "zh-hans"}.get(language, language)
        ways.append(
            f"pip install 'mtassay[stanza]' && python -c \"import stanza; stanza.download('{code}')\""
        )
    if backend == "udpipe":
        ways.append("pip install 'mtassay[udpipe]', and name a model file: udpipe:PATH")
    return f"Install one: {'; '.join(ways)}" if ways else "Choose another annotator, or none."


def official_pipeline(language: str) -> str | None:
    """The middle-sized pipeline that spaCy offers for a language, or `None`."""
    if language in _SPACY_WEB:
        return f"{language}_core_web_md"
    return f"{language}_core_news_md" if language in _SPACY_NEWS else None


def _spacy(language: str, pipeline: str) -> str:
    if language == "pt":  # its pipeline comes with mtassay
        return "pip install 'mtassay[spacy]'"
    return f"pip install 'mtassay[spacy]' && python -m spacy download {pipeline}"
