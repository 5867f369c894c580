"""Finds rules that are too loose: they accept outputs that cannot be a translation of their item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from random import Random
from typing import NamedTuple

from mtassay.data.errors import MtassayError
from mtassay.data.formats.suite_items import Item, Rule, Suite, expand
from mtassay.data.languages import parse_pair
from mtassay.methods.suite.patterns import SearchedText
from mtassay.methods.suite.rule_judge import Judge
from mtassay.nlp.word_forms import function_words

_LATIN = (
    "Yes",
    "Kto tam?",
    "47 + 5 = 52",
    "She sells sea shells by the sea shore.",
    "Gestern fuhr der Zug nach Köln um 8:15 Uhr ab; niemand stieg ein!",
    "« Où est passée l'église ? », dit-elle — puis elle partit…",
    "Minha avó (a mãe do meu pai) gosta de \"pão\", 'queijo' e “vinho”.",
    "Kahvia, „teetä“ ja maitoa, kiitos",
)
_CYRILLIC = (
    "Да",
    "Кто там?",
    "47 + 5 = 52 рубля",
    "Вчера поезд ушёл в 8:15; никто не сел!",
    "«Где бабушка?» — спросила она (шёпотом)…",
    "Кава, „чай“ і молоко, дякую",
    "Мой брат купил \"хлеб\", 'сыр' и “вино”.",
)
_CHINESE = (
    "是",
    "谁在那里？",
    "47 加 5 等于 52",
    "昨天火车八点十五分开走了；没有人上车！",
    "“奶奶在哪儿？”她问（小声地）……",
    "咖啡、茶，还有牛奶，谢谢。",
    "我哥哥买了 \"面包\", '奶酪' (便宜的): 真好! 是吗? 是——好; 走了.",
)
_BY_LANGUAGE = {**dict.fromkeys(("ru", "uk", "bg", "be", "mk", "kk"), _CYRILLIC), "zh": _CHINESE}
_OTHER_SCRIPTS = (
    "ja ko ar fa ur he yi hi bn mr ne ta te ml kn gu pa si th lo km my ka hy am el or as ps ug bo"
)


def battery(langpair: str) -> tuple[str, ...]:
    """Sentences in the script of the target language, and the empty text if we have no such sentences.

    >>> len(battery("en-de")), battery("en-th")[0]
    (8, '')
    """
    try:
        target = parse_pair(langpair).target.code
    except MtassayError:
        return _LATIN
    return ("", *_LATIN) if target in _OTHER_SCRIPTS.split() else _BY_LANGUAGE.get(target, _LATIN)


# An unrelated sentence is never right. Shuffled words or half a sentence may be right if one word decides:
# see `words_alone` of a suite.

_MANY = 2  # texts of other phenomena; a single text may share the topic
_TRIED = 100  # most texts to try
_FEWEST = 3  # items needed for a statement about their phenomenon


def shuffled(text: str, seed: int = 0) -> str:
    """The words of a text in another order, which depends on the seed; a single word stays unchanged.

    >>> shuffled("one two three four")
    'four two one three'
    """
    words = text.split()
    draw = Random(seed)
    order = words
    while order == words and len(set(words)) > 1:
        order = draw.sample(words, len(words))
    return " ".join(order) if order != words else text


def first_half(text: str) -> str:
    """The first half of a text, by words.

    >>> first_half("one two three four five")
    'one two'
    """
    words = text.split()
    return " ".join(words[: len(words) // 2])


_ORDERS = [partial(shuffled, seed=seed) for seed in range(5)]  # in one, words may stay together by chance
DAMAGES: dict[str, tuple[Sequence[Callable[[str], str]], str]] = {
    "accepts-shuffled": (_ORDERS, "with their words shuffled"),
    "accepts-half": ([first_half], "without their second half"),
}
"""Ways to damage a right output, by the code of the problem if a rule accepts the result."""


class Loose(NamedTuple):
    """A problem with its fault and advice; without an item, it is about a whole phenomenon."""

    code: str
    what: str
    item: Item | None = None
    rule: str = ""


def may_be_damaged(suite: Suite, item: Item) -> bool:
    """Whether the suite says that a single word decides, in any place."""
    name = item.phenomenon.casefold()
    return any(fnmatchcase(name, pattern.casefold()) for pattern in suite.words_alone)


def accepts(judge: Judge, item: Item, text: str, damages: Sequence[Callable[[str], str]]) -> bool:
    """Whether the rules accept most of the damaged texts; unchanged or empty texts do not count."""
    bad = [each for damage in damages if (each := damage(text)) not in ("", text)]
    passed = sum(judge.judge(item, each).status == "correct" for each in bad)
    return 2 * passed > len(bad)


@dataclass(frozen=True)
class LooseRules:
    """Tries a suite's compiling rules on texts that they must not accept; `short` cuts texts."""

    judge: Judge
    items: Sequence[Item]
    short: Callable[[str], str]

    def problems(self) -> Iterator[Loose]:
        """The problems of items first, then the problems of phenomena."""
        phenomena: dict[tuple[str, str], list[Item]] = {}
        for item in self.items:
            if item.positive_regex:
                yield from self._unrelated(item)
                if not may_be_damaged(self.judge.suite, item):
                    phenomena.setdefault((item.category, item.phenomenon), []).append(item)
        for names, items in phenomena.items():
            for code, (damages, how) in DAMAGES.items():
                tried = [item for item in items if item.references]
                passed = [i for i in tried if accepts(self.judge, i, i.references[0], damages)]
                if len(tried) >= _FEWEST and len(passed) > len(tried) / 2:
                    what = (
                        f"{' › '.join(names)}: {len(passed)} of {len(tried)} references stay correct {how}; "
                        "if one word decides here, name the phenomenon under 'words_alone', else make the "
                        f"rules longer: {passed[0].id}"
                    )
                    yield Loose(code, what)

    def _unrelated(self, item: Item) -> Iterator[Loose]:
        """Function words that decide alone, and unrelated sentences that are accepted."""
        try:
            empty = function_words(str(parse_pair(item.langpair).target))
        except MtassayError:
            empty = frozenset()
        surrounded = {word: SearchedText(f"Qz {word} qz.") for word in empty}
        together = SearchedText(" ".join(text.text for text in surrounded.values()))
        for rule in item.positive_regex:
            if not self._matches(item, rule, together):
                continue
            written = expand(rule.text, self.judge.suite.macros)
            for word, text in surrounded.items():
                is_name = word.upper() in written and word not in written and len(word) > 1  # WHO
                if not is_name and self._matches(item, rule, text) and self._is_correct(item, text.text):
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
        """References of other phenomena, sampled evenly if there are many."""
        texts = [
            other.references[0]
            for other in self.items
            if other.references and (other.category, other.phenomenon) != (item.category, item.phenomenon)
        ]
        return texts[:: len(texts) // _TRIED + 1]

    def _is_correct(self, item: Item, text: str) -> bool:
        return self.judge.judge(item, text).status == "correct"

    def _matches(self, item: Item, rule: Rule, text: SearchedText) -> bool:
        try:
            return self.judge.pattern(item, rule).search(text) is not None
        except TimeoutError:
            return False
