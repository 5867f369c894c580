"""Words that tell texts apart: sequences of words that these texts have and those do not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from mtassay.formats.suite import Matching
from mtassay.methods.suite.patterns import escaped, normalize

__all__ = ["common_words", "pattern_of", "separate", "words_of"]

_LONGEST = 4  # words of a candidate
_ALTERNATIVES = 6  # of one expression
_ENOUGH = 400  # words of an output that are looked at
_NO_SPACES = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"  # scripts in which a character can be a word
_WORD = re.compile(rf"[{_NO_SPACES}]|[^\W{_NO_SPACES}]+(?:['’-][^\W{_NO_SPACES}]+)*")


def separate(
    mine: Sequence[str],
    others: Sequence[str],
    undecided: Sequence[str] = (),
    *,
    matching: Matching,
    common: Collection[str] = (),
) -> list[str]:
    r"""Sequences of words, one of which each text of `mine` has as far as possible, and none of `others` has.

    Greedy: first what covers most, also of the undecided ones; of equals the shortest. A `common` word by
    itself is never taken, and several of them only where nothing else is left.

    >>> separate(["Ele não viu nada."], ["Ele não viu algo."], matching=Matching())
    ['nada']
    """
    flags = re.IGNORECASE if matching.case == "ignore" else 0
    own, other, unsettled = ([normalize(t, matching) for t in texts] for texts in (mine, others, undecided))
    ordinary = {word.casefold() for word in common}
    candidates = {}
    for words in sorted({words for text in own for words in _sequences(text)}):
        if words.casefold() in ordinary:
            continue
        compiled = re.compile(_pattern(words), flags)
        if not any(compiled.search(text) for text in other):
            candidates[words] = compiled

    def worth(words: str) -> tuple[bool, int, int, int, int]:
        parts = _WORD.findall(words)
        compiled = candidates[words]
        return (
            any(part.casefold() not in ordinary for part in parts),
            sum(bool(compiled.search(text)) for text in left),
            sum(bool(compiled.search(text)) for text in unsettled),
            -len(parts),
            -len(words),
        )

    left = own
    chosen: list[str] = []
    while left and len(chosen) < _ALTERNATIVES:
        useful = [words for words, compiled in candidates.items() if any(map(compiled.search, left))]
        if not useful:
            break
        best = max(useful, key=worth)
        chosen.append(best)
        left = [text for text in left if not candidates[best].search(text)]
    return chosen


def _sequences(text: str) -> Iterator[str]:
    """All sequences of words that nothing but white space parts."""
    words = list(_WORD.finditer(text))[:_ENOUGH]
    for first, start in enumerate(words):
        end = start
        for word in words[first : first + _LONGEST]:
            if text[end.end() : word.start()].strip() and word is not start:
                break
            end = word
            yield text[start.start() : end.end()]


def _pattern(words: str) -> str:
    """An expression for whole words; where a script has no spaces, for the characters."""
    left, right = (r"\b" if not re.match(rf"[{_NO_SPACES}]", words[i]) else "" for i in (0, -1))
    return left + escaped(words) + right


def pattern_of(alternatives: Sequence[str]) -> str:
    """An expression that finds any of these sequences of words."""
    patterns = [_pattern(words) for words in alternatives]
    if len(patterns) == 1:
        return patterns[0]
    if all(pattern.startswith(r"\b") and pattern.endswith(r"\b") for pattern in patterns):
        return rf"\b(?:{'|'.join(pattern[2:-2] for pattern in patterns)})\b"
    return "|".join(patterns)


def words_of(text: str, matching: Matching) -> list[str]:
    """The words and marks of a text as they are compared: at most the first 400."""
    words = re.findall(r"\w+|[^\w\s]", normalize(text, matching))[:_ENOUGH]
    return [word.casefold() for word in words] if matching.case == "ignore" else words


def common_words(
    texts_by_item: Iterable[Iterable[str]], *, share: float = 0.01, least: int = 10
) -> frozenset[str]:
    """Words, in lower case, that stand in the outputs of many items and so say little about one.

    Many is this share of all items, and at least so many: what is frequent in a handful of items may well be
    what they are about.

    >>> sorted(common_words([["The cat"], ["the dog"], ["The end"], ["Rain"]], least=3))
    ['the']
    """
    counts: Counter[str] = Counter()
    total = 0
    for texts in texts_by_item:
        counts.update({word.casefold() for text in texts for word in _WORD.findall(text)})
        total += 1
    return frozenset(word for word, count in counts.items() if count >= max(least, share * total))
