"""Rules that are too loose: they call correct what cannot be a translation of their item.

An unrelated sentence is never right. Shuffled words or half of a translation may be, where one word decides:
a suite names such phenomena under `words_alone`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from random import Random
from typing import NamedTuple

from mtassay.data.errors import MtassayError
from mtassay.data.formats.suite_items import Item, Suite, expand
from mtassay.data.languages import parse_pair
from mtassay.methods.suite.pitfalls import examples
from mtassay.methods.suite.rule_judge import Judge
from mtassay.nlp.function_words import function_words
from mtassay.nlp.word_forms import fold

_MANY = 2  # texts of other phenomena; a single one may share a topic
_TRIED = 100  # of them
_FEWEST = 3  # items that say something about their phenomenon


def shuffled(text: str) -> str:
    """The words of a text in another order, always the same one; a text of one word stays as it is.

    >>> shuffled("one two three four")
    'four two one three'
    """
    words = text.split()
    draw = Random(0)
    order = words
    while order == words and len(set(words)) > 1:
        order = draw.sample(words, len(words))
    return " ".join(order) if order != words else text


def first_half(text: str) -> str:
    """What is left of a text that is cut off in the middle, by words.

    >>> first_half("one two three four five")
    'one two'
    """
    words = text.split()
    return " ".join(words[: len(words) // 2])


DAMAGES: dict[str, tuple[Callable[[str], str], str]] = {
    "accepts-shuffled": (shuffled, "with their words shuffled"),
    "accepts-half": (first_half, "without their second half"),
}
"""What is done to a right output, by the problem that a rule has which accepts it."""


class Loose(NamedTuple):
    """A problem, what is wrong and what to do; without an item it is of a whole phenomenon."""

    code: str
    what: str
    item: Item | None = None
    rule: str = ""


def may_be_damaged(suite: Suite, item: Item) -> bool:
    """Whether the suite says that one word decides here, wherever it is."""
    name = item.phenomenon.casefold()
    return any(fnmatchcase(name, pattern.casefold()) for pattern in suite.words_alone)


def accepts(judge: Judge, item: Item, text: str, damage: Callable[[str], str]) -> bool:
    """Whether the rules call a damaged text correct; one that is no worse does not count."""
    bad = damage(text)
    return bad not in ("", text) and judge.judge(item, bad).status == "correct"


@dataclass(frozen=True)
class LooseRules:
    """The rules of a suite that compile, tried on what they must not accept; `short` cuts texts."""

    judge: Judge
    items: Sequence[Item]
    short: Callable[[str], str]

    def problems(self) -> Iterator[Loose]:
        """Those of items first, then those of phenomena."""
        phenomena: dict[tuple[str, str], list[Item]] = {}
        for item in self.items:
            if item.positive_regex:
                yield from self._unrelated(item)
                if not may_be_damaged(self.judge.suite, item):
                    phenomena.setdefault((item.category, item.phenomenon), []).append(item)
        for names, items in phenomena.items():
            for code, (damage, how) in DAMAGES.items():
                tried = [item for item in items if item.references]
                passed = [i for i in tried if accepts(self.judge, i, i.references[0], damage)]
                if len(tried) >= _FEWEST and len(passed) > len(tried) / 2:
                    what = (
                        f"{' › '.join(names)}: {len(passed)} of {len(tried)} references stay correct {how}; "
                        "if one word decides here, name the phenomenon under 'words_alone', else make the "
                        f"rules longer: {passed[0].id}"
                    )
                    yield Loose(code, what)

    def _unrelated(self, item: Item) -> Iterator[Loose]:
        """Function words that decide alone, and sentences that have nothing to do with the item."""
        try:
            empty = function_words(str(parse_pair(item.langpair).target))
        except MtassayError:
            empty = frozenset()
        for rule in item.positive_regex:
            for example in examples(expand(rule.text, self.judge.suite.macros)):
                word = example.first.strip()
                is_name = word.isupper() and len(word) > 1  # WHO
                if fold(word) in empty and not is_name and self._is_correct(item, f"Qz {word} qz."):
                    what = (
                        f"positive '{self.short(rule.text)}' takes any sentence with '{word}', a word of "
                        "nearly every text; say what is beside it"
                    )
                    yield Loose("accepts-unrelated", what, item, rule.text)
                    return
        found = [text for text in self._of_others(item) if self._is_correct(item, text)]
        if len(found) >= _MANY:
            what = (
                f"'{self.short(found[0])}' of another phenomenon is correct here, and {len(found) - 1} more; "
                "say what is beside the words"
            )
            yield Loose("accepts-unrelated", what, item)

    def _of_others(self, item: Item) -> Iterable[str]:
        """References of other phenomena, drawn evenly where there are many."""
        texts = [
            other.references[0]
            for other in self.items
            if other.references and (other.category, other.phenomenon) != (item.category, item.phenomenon)
        ]
        return texts[:: len(texts) // _TRIED + 1]

    def _is_correct(self, item: Item, text: str) -> bool:
        return self.judge.judge(item, text).status == "correct"
