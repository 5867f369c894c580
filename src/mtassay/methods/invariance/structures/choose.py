"""The structures by name, and thresholds that serve."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mtassay.errors import UsageError
from mtassay.languages import Pair
from mtassay.methods.invariance.structures.base import Structure
from mtassay.methods.invariance.structures.counts import Constituency, Dependency
from mtassay.methods.invariance.structures.raw import Raw
from mtassay.methods.invariance.structures.tokens import Tokens
from mtassay.methods.invariance.structures.tree import Tree
from mtassay.methods.invariance.structures.triples import Triples

__all__ = ["PRESETS", "STRUCTURES", "open_structure"]

STRUCTURES: Mapping[str, str] = {
    "raw": "characters that differ",
    "tokens": "words that differ",
    "constituency": "phrases, counted by type",
    "dependency": "dependency relations, counted by type",
    "triples": "which word hangs on which, by which relation",
    "tree": "the ordered dependency tree",
    "closure": "translations of the same source words, by word alignment",
}
"""The names, each with what is compared."""

PRESETS: Mapping[str, Mapping[str, float]] = {
    "raw": {"wide": 14, "sure": 29},
    "tokens": {"wide": 3, "sure": 7},
    "constituency": {"wide": 2, "sure": 4},
    "dependency": {"wide": 4, "sure": 15},
    "triples": {"wide": 4, "sure": 14},
    "tree": {"wide": 3, "sure": 8},
    "closure": {"wide": 1, "sure": 4},
}
"""Thresholds by structure: `wide` finds most issues, `sure` fewer and surer ones.

Those of `dependency` are from He, Meister, Su 2020, section 4; the others were found on our own labelled
translations from English to Portuguese, see docs/invariance.md.
"""

_DISCOUNTABLE: Mapping[str, Callable[..., Structure]] = {
    "raw": Raw,
    "tokens": Tokens,
    "constituency": Constituency,
    "dependency": Dependency,
}


def open_structure(name: str, pair: Pair, *, discount: bool = False) -> Structure:
    """The structure with this name for outputs of a language pair.

    `discount` leaves the place of the edit out of the paper's distances and of `tokens`; the others leave it
    out anyway, so for them it changes nothing.

    >>> from mtassay.languages import parse_pair
    >>> open_structure("trees", parse_pair("en-pt"))
    Traceback (most recent call last):
    mtassay.errors.UsageError: No structure 'trees'. Available: closure, constituency, dependency, raw, tokens, tree, triples.
    """  # noqa: E501
    if name in _DISCOUNTABLE:
        return _DISCOUNTABLE[name](discount=discount)
    if name == "triples":
        return Triples()
    if name == "tree":
        return Tree()
    if name == "closure":
        return _open_closure(pair)
    raise UsageError(f"No structure '{name}'. Available: {', '.join(sorted(STRUCTURES))}.")


def _open_closure(pair: Pair) -> Structure:
    from mtassay.methods.invariance.structures.closure import WordClosures
    from mtassay.methods.invariance.structures.paraphrase import LANGUAGES, Paraphrase
    from mtassay.tools.align import open_aligner
    from mtassay.tools.encoder import encoder_version, is_installed, open_encoder

    paraphrase = None
    if is_installed() and pair.target.code in LANGUAGES:
        paraphrase = Paraphrase(open_encoder("structure 'closure'"), f"use-{encoder_version()}")
    return WordClosures(open_aligner(pair), paraphrase)
