r"""Traps in the rules of one item that compile well: rules that undo each other or can never apply.

For example the same expression on both sides, an alternative that a negative expression always hits, or
`\b` between Chinese characters.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from itertools import product
from random import Random
from typing import Any, NamedTuple

from mtassay.data.errors import MtassayError
from mtassay.data.formats.suite_items import REGEX_FIELDS, RULE_FIELDS, Item, Rule, Suite, expand
from mtassay.data.languages import parse_pair
from mtassay.methods.suite.patterns import SearchedText, normalize
from mtassay.methods.suite.rule_judge import Judge
from mtassay.nlp.word_forms import fold, function_words

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
    """Sentences in the script of the target language; some and the empty text where we have none.

    >>> len(battery("en-de")), battery("en-th")[0]
    (8, '')
    """
    try:
        target = parse_pair(langpair).target.code
    except MtassayError:
        return _LATIN
    return ("", *_LATIN) if target in _OTHER_SCRIPTS.split() else _BY_LANGUAGE.get(target, _LATIN)


_LIMIT = 400
_CANDIDATES = "qñ7 ,;Q-"


class PatternExample(NamedTuple):
    """One alternative of an expression, with what is open in it filled in two ways."""

    first: str
    second: str

    @property
    def is_open(self) -> bool:
        """Whether something had to be filled in."""
        return self.first != self.second


def examples(pattern: str, *, limit: int = _LIMIT) -> list[PatternExample]:
    r"""One for each alternative; where there are more than `limit`, each single choice still occurs.

    Look-around and boundaries are left out: anyone who needs to know whether the expression matches the text
    must ask it. Nothing comes back for what Python's own syntax does not know.

    >>> [example.first for example in examples(r"\b(do|go)(es)? it\b")]
    ['do it', 'does it', 'go it', 'goes it']
    >>> examples("a.*b")
    [PatternExample(first='ab', second='akkb')]
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = re._parser.parse(pattern)  # type: ignore[attr-defined]
        first, second = (_Writer(filling, limit).sequence(parsed) for filling in (0, 1))
    except (re.error, RecursionError, OverflowError, ValueError):
        return []
    return list(dict.fromkeys(map(PatternExample, first, second)))


class _Writer:
    """Writes the alternatives of a parsed expression; both fillings give lists of one length and order."""

    def __init__(self, filling: int, limit: int) -> None:
        self._filling, self._limit = filling, limit

    def sequence(self, parts: Iterable[Any]) -> list[str]:
        texts = [""]
        for part in parts:
            texts = self._joined(texts, self._part(part))
        return texts

    def _joined(self, texts: list[str], ends: list[str]) -> list[str]:
        if len(texts) * len(ends) <= self._limit:
            return [start + end for start, end in product(texts, ends)]
        count = min(max(len(texts), len(ends)), self._limit)
        return [texts[n % len(texts)] + ends[n % len(ends)] for n in range(count)]

    def _part(self, part: Any) -> list[str]:
        kind, value = str(part[0]), part[1]
        if kind == "LITERAL":
            return [chr(value)]
        if kind in ("ANY", "NOT_LITERAL", "IN"):
            return self._class(kind, value)
        if kind == "BRANCH":
            return [text for branch in value[1] for text in self.sequence(branch)][: self._limit]
        if kind == "SUBPATTERN":
            return self.sequence(value[3])
        if kind == "ATOMIC_GROUP":
            return self.sequence(value)
        if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            return self._repeat(*value)
        if kind in ("AT", "ASSERT", "ASSERT_NOT"):
            return [""]
        raise ValueError(kind)

    def _repeat(self, low: int, high: Any, parts: Any) -> list[str]:
        if low > 50:
            raise ValueError("too long")
        if len(parts) == 1 and _is_open(parts[0]):
            count = min(low + 2, int(high)) if self._filling else low
            return ["".join(text * count for text in self.sequence(parts))]
        once = self.sequence(parts)
        return [text * count for count in dict.fromkeys((low, min(low + 1, int(high)))) for text in once]

    def _class(self, kind: str, value: Any) -> list[str]:
        if kind == "IN" and all(str(part[0]) == "LITERAL" for part in value):
            return [chr(code) for _, code in value]
        fits: Callable[[str], bool] = _test(kind, value)
        fitting = [character for character in _CANDIDATES if fits(character)]
        if not fitting and kind == "IN":
            fitting = [chr(part[1][0]) for part in value if str(part[0]) == "RANGE"]
        if not fitting:
            raise ValueError("nothing fits")
        if fitting[0] == "q":
            return ["qk"[self._filling]]
        return [fitting[min(self._filling, len(fitting) - 1)]]


def _is_open(part: Any) -> bool:
    """Whether this means any of many characters."""
    kind, value = str(part[0]), part[1]
    return kind in ("ANY", "NOT_LITERAL") or (
        kind == "IN" and any(str(inner[0]) != "LITERAL" for inner in value)
    )


def _test(kind: str, value: Any) -> Callable[[str], bool]:
    if kind == "ANY":
        return lambda character: True
    if kind == "NOT_LITERAL":
        return lambda character: ord(character) != value
    return lambda character: _is_in(character, value)


def _is_in(character: str, parts: Any) -> bool:
    negated = str(parts[0][0]) == "NEGATE"
    return any(_fits(character, str(kind), value) for kind, value in parts) != negated


def _fits(character: str, kind: str, value: Any) -> bool:
    if kind == "LITERAL":
        return bool(ord(character) == value)
    if kind == "RANGE":
        return bool(value[0] <= ord(character) <= value[1])
    if kind == "CATEGORY":
        name = str(value).removeprefix("CATEGORY_")
        tests = {
            "WORD": character.isalnum() or character == "_",
            "DIGIT": character.isdigit(),
            "SPACE": character.isspace(),
        }
        return tests[name.removeprefix("NOT_")] != name.startswith("NOT_")
    return False


_HAN = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_BOUNDARY_BESIDE_HAN = re.compile(rf"\\b(?:\(\?:|[(\[])*[{_HAN}]|[{_HAN}][)\]?*+]*\\b")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
# Where an example may be in an output. What hits it in all of these hits it everywhere.
_SURROUNDINGS = (
    "{}",
    "Qz {} qz.",
    "“Qz, qz: qz {}, qz (qz)!” — qz? 7 qz; qz-qz qz",
    "Qz qz, {}: qz",
    "{} qz, qz: “qz” (qz) — qz? 7! ‘Qz’; qz-qz",
    "‘Qz’ qz, qz: “qz” (qz) — 7! Qz; qz? qz-qz {}",
    "qz{}qz",
)


class Pitfall(NamedTuple):
    """The code of a problem, what is wrong and what to do, and the text of the rule it is about."""

    code: str
    what: str
    rule: str


@dataclass(frozen=True, slots=True)
class RulesBesideEachOther:
    """The rules of an item, all of which compile; `short` cuts texts for messages."""

    judge: Judge
    item: Item
    short: Callable[[str], str]

    def pitfalls(self) -> Iterator[Pitfall]:
        """All there are, those of single rules first."""
        yield from self._single_rules()
        yield from self._twice()
        on_both_sides = set()
        for pitfall in self._both_sides():
            on_both_sides.add(pitfall.rule)
            yield pitfall
        yield from self._hit_alternatives(on_both_sides)

    def _single_rules(self) -> Iterator[Pitfall]:
        for name in RULE_FIELDS:
            for rule in getattr(self.item, name):
                if rule.date and not _is_date(rule.date):
                    what = f"the date '{self.short(rule.date)}' is none; write it as 2026-11-15"
                    yield Pitfall("bad-date", what, rule.text)
                if name in REGEX_FIELDS and (match := _BOUNDARY_BESIDE_HAN.search(self._text(rule))):
                    what = (
                        f"'{self.short(rule.text)}' has a \\b beside '{match[0]}', but there is no boundary "
                        "between Chinese or Japanese characters; leave \\b out"
                    )
                    yield Pitfall("boundary-beside-han", what, rule.text)

    def _twice(self) -> Iterator[Pitfall]:
        for name in RULE_FIELDS:
            seen = set()
            for rule in getattr(self.item, name):
                if self._key(rule, name) in seen:
                    what = f"the {_kind(name)} '{self.short(rule.text)}' occurs twice; remove one"
                    yield Pitfall("rule-twice", what, rule.text)
                seen.add(self._key(rule, name))

    def _both_sides(self) -> Iterator[Pitfall]:
        negative = {self._key(rule, "negative_regex") for rule in self.item.negative_regex}
        for rule in self.item.positive_regex:
            if self._key(rule, "positive_regex") in negative:
                what = (
                    f"'{self.short(rule.text)}' is positive and negative, so what it matches is never "
                    "settled; remove one"
                )
                yield Pitfall("both-sides", what, rule.text)

    def _hit_alternatives(self, skipped: set[str]) -> Iterator[Pitfall]:
        """Alternatives of positive expressions that a negative one hits wherever they are."""
        for rule in self.item.positive_regex:
            if rule.text in skipped or not self.item.negative_regex:
                continue
            hits: dict[str, list[PatternExample]] = {}
            for example in examples(self._text(rule)):
                if negative := self._always_hit(rule, example):
                    hits.setdefault(negative.text, []).append(example)
            for negative_text, hit in hits.items():
                more = f" and {len(hit) - 1} more" if len(hit) > 1 else ""
                what = (
                    f"'{self.short(hit[0].first.strip())}'{more} of positive '{self.short(rule.text)}' is "
                    f"always hit by negative '{self.short(negative_text)}' too, so it settles nothing; "
                    "take it out of one"
                )
                yield Pitfall("hit-alternative", what, rule.text)

    def _always_hit(self, rule: Rule, example: PatternExample) -> Rule | None:
        """The first negative expression that matches in all surroundings in which the positive one does."""
        left = [*self.item.negative_regex]
        count = 0
        for surrounding in _SURROUNDINGS:
            for filled in dict.fromkeys(example):
                text = self._searched(surrounding.format(filled))
                if not filled.strip() or not self._matches(rule, text):
                    continue
                count += 1
                left = [negative for negative in left if self._matches(negative, text)]
                if not left:
                    return None
        return left[0] if count > 1 else None

    def _searched(self, text: str) -> SearchedText:
        return SearchedText(normalize(text, self.judge.suite.matching))

    def _matches(self, rule: Rule, text: SearchedText) -> bool:
        try:
            return self.judge.pattern(self.item, rule).search(text) is not None
        except TimeoutError:
            return False

    def _text(self, rule: Rule) -> str:
        return expand(rule.text, self.judge.suite.macros)

    def _key(self, rule: Rule, name: str) -> tuple[str, str, str]:
        """What makes two rules the same."""
        matching = self.judge.suite.matching
        case = rule.case or matching.case
        if name in REGEX_FIELDS:
            return self._text(rule), case, rule.engine
        text = normalize(rule.text, matching)
        return text.casefold() if case == "ignore" else text, case, ""


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return bool(_DATE.match(text))


def _kind(name: str) -> str:
    side, _, kind = name.partition("_")
    return f"{side} {'expression' if kind == 'regex' else 'token'}"


def similar_names(suite: Suite) -> Iterator[tuple[str, Item, str, str]]:
    """Names that differ from an earlier one in case or blanks only: the kind, the item, both names."""
    firsts: dict[tuple[str, str], str] = {}
    said = set()
    for item in suite.items:
        for kind, name in (("category", item.category), ("phenomenon", item.phenomenon), ("id", item.id)):
            first = firsts.setdefault((kind, "".join(name.split()).casefold()), name)
            if first != name and (kind, name) not in said:
                said.add((kind, name))
                yield kind, item, name, first


# Rules that are too loose call correct what cannot be a translation of their item. An unrelated sentence is
# never right; shuffled words or half of one may be, where one word decides: see `words_alone` of a suite.

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
