"""Makes expressions from settled outputs, with words that only right or only wrong outputs have.

A candidate is a sequence of words around the place where right and wrong outputs differ, or two words that
occur in rules of the phenomenon, with any text between them. It must contain a meaningful word, begin and end
with such a word or at that place, and match no known output of the other kind. Then it is tried on texts that
it must not accept: outputs of other items, unrelated sentences, and (if the rules of the phenomenon refuse
them) shuffled words and half sentences.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import product

from mtassay.data.errors import MtassayError
from mtassay.data.formats.suite_items import REGEX_FIELDS, Item, Matching, Suite, expand
from mtassay.data.languages import parse_pair
from mtassay.methods.suite.patterns import escaped, normalize
from mtassay.methods.suite.pitfalls import DAMAGES, accepts, battery, may_be_damaged
from mtassay.methods.suite.rule_judge import Judge
from mtassay.nlp.table_aligner import lexicon_of
from mtassay.nlp.word_forms import fold, function_words, word_forms

_LONGEST = 6  # words in a sequence
_ALTERNATIVES = 6  # alternatives in an expression
_ENOUGH = 100  # words read from an output
_SIBLINGS = 3  # items needed to learn about the phenomenon
_LENIENT = 0.1  # share of these that may be exceptions
_LINKED = 0.1  # lowest probability of a translation
_COMMON = 0.75  # share of the outputs of a kind that have the decisive words
_GAP = " … "
_NO_SPACES = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"  # in these scripts, a character can be a word
_KANA = r"[\u3041-\u309f]+|[\u30a0-\u30ff]+"
_WORD = re.compile(rf"{_KANA}|[{_NO_SPACES}]|[^\W{_NO_SPACES}]+(?:['’-][^\W{_NO_SPACES}]+)*")
_ENDING = re.compile("[\u3400-\u9fff][\u3041-\u309f]")  # a character and the ending of a Japanese word
_ESCAPE = re.compile(r"\\[a-zA-Z]")
_CONTRACTION = re.compile(r"n['’]t$|['’]")  # don't, he's, l'église


@dataclass(frozen=True, slots=True)
class Focus:
    """The words that a rule of an item may use, and the texts that it must not match.

    `ordinary` words (folded) have little meaning alone; `is_named` marks the words that the item is about.
    `is_elsewhere` says whether an expression with some words matches a text that it must not match. The
    expression must not match the `damages` of a right output either.
    """

    ordinary: Collection[str] = ()
    is_named: Callable[[str], bool] = lambda word: False
    is_elsewhere: Callable[[re.Pattern[str], Sequence[str]], bool] = lambda pattern, words: False
    damages: Sequence[Callable[[str], str]] = ()

    def is_telling(self, word: str) -> bool:
        """Whether a word is meaningful: rules name it, or it is no function word, single letter or piece."""
        if self.is_named(word):
            return True
        parts = _CONTRACTION.split(word)
        return any(_is_long(part) and fold(part) not in self.ordinary for part in parts)

    def is_empty(self, word: str) -> bool:
        """Whether a word is too common or too short to decide alone, even if rules name it."""
        return fold(word) in self.ordinary or bool(re.fullmatch(f"[{_NO_SPACES}]", word))


def _is_long(word: str) -> bool:
    """Whether a text is long enough for a word; two digits or one character of another script are."""
    return len(word) > 2 or (word.isdigit() and len(word) > 1) or bool(re.match(f"[{_NO_SPACES}]", word))


def separate(
    mine: Sequence[str],
    others: Sequence[str],
    undecided: Sequence[str] = (),
    *,
    matching: Matching,
    focus: Focus | None = None,
    same: Sequence[str] = (),
) -> list[str]:
    """Return word sequences so that each text of `mine` has one, if possible, and no text of `others`.

    The search is greedy. It prefers sequences that cover most texts of `mine`, then of the `same` kind, then
    of `undecided`; then sequences with words that the item is about; then the shortest.

    >>> separate(["Ele não viu nada."], ["Ele não viu algo."], matching=Matching())
    ['nada']
    """
    focus = focus or Focus()
    own, other, unsettled, alike = (
        list(dict.fromkeys(normalize(text, matching) for text in texts))
        for texts in (mine, others, undecided, same or mine)
    )
    if {_folded(text) for text in alike} & {_folded(text) for text in other}:
        return []  # punctuation, case or spaces decide, so different words differ by chance
    found: dict[str, _Candidate] = {}
    decide = _Decisive(list(map(_folded, alike)), list(map(_folded, other)), focus)
    for words in sorted({words for text in own for words in _candidates(text, decide)}):
        candidate = _Candidate.of(words, matching, focus)
        if not candidate.matches_any(other) and not _is_refused(candidate, own, focus):
            found[words] = candidate
    left = own
    chosen: list[str] = []
    while left and len(chosen) < _ALTERNATIVES:
        useful = [candidate for candidate in found.values() if candidate.matches_any(left)]
        if not useful:
            break
        best = max(useful, key=lambda candidate: candidate.worth(left, alike, unsettled))
        chosen.append(best.words)
        left = [text for text in left if not best.pattern.search(text)]
    return chosen


@dataclass(frozen=True, slots=True)
class _Candidate:
    words: str
    parts: Sequence[str]
    pattern: re.Pattern[str]
    named: int
    whole: bool

    @classmethod
    def of(cls, words: str, matching: Matching, focus: Focus) -> _Candidate:
        flags = re.IGNORECASE if matching.case == "ignore" else 0
        parts = _WORD.findall(words)
        named = sum(map(focus.is_named, parts))
        whole = focus.is_telling(parts[0]) and focus.is_telling(parts[-1])
        return cls(words, parts, re.compile(_pattern(words), flags), named, whole)

    def matches_any(self, texts: Iterable[str]) -> bool:
        return any(map(self.pattern.search, texts))

    def worth(self, left: Sequence[str], alike: Sequence[str], unsettled: Sequence[str]) -> tuple[float, ...]:
        covered = [sum(bool(self.pattern.search(t)) for t in texts) for texts in (left, alike, unsettled)]
        is_gapped = _GAP in self.words
        return (*covered, self.whole, self.named, -is_gapped, -len(self.parts), -len(self.words))


def _is_refused(candidate: _Candidate, own: Sequence[str], focus: Focus) -> bool:
    """Whether a candidate would accept a text that it must not accept."""
    if focus.is_elsewhere(candidate.pattern, candidate.parts):
        return True
    covered = {text for text in own if candidate.pattern.search(text)}
    return candidate.matches_any({damage(text) for text in covered for damage in focus.damages} - covered)


def _folded(text: str) -> tuple[str, ...]:
    return tuple(map(fold, _WORD.findall(text)))


def _candidates(text: str, decisive: _Decisive) -> Iterator[str]:
    """Sequences of words around the difference between a text and the texts of the other kind.

    Words are separated only by white space; a gap is only between two words that the item's rules name.
    """
    words = list(_WORD.finditer(text))[:_ENOUGH]
    focus = decisive.focus
    telling = [focus.is_telling(word[0]) for word in words]
    places = [_trimmed(first, last, telling) for first, last in decisive.places([fold(w[0]) for w in words])]
    if len(places) == 2 and all(first == last for first, last in places):
        yield _GAP.join(words[first][0] for first, _ in places)
    for low, high in places if len(places) == 1 else ():
        ends = {low, high, 0, len(words) - 1}
        for first, last in product(range(low + 1), range(high, len(words))):
            gaps = (text[words[n].end() : words[n + 1].start()] for n in range(first, last))
            is_whole = all(telling[n] or n in ends for n in (first, last))
            is_alone = first == last and focus.is_empty(words[first][0])
            is_joined = last - first < _LONGEST and not any(map(str.strip, gaps))
            start = words[first].start()
            is_cut = telling[first] and start > 0 and bool(_ENDING.match(text, start - 1))
            if is_whole and is_joined and not (is_alone or is_cut) and any(telling[first : last + 1]):
                yield text[words[first].start() : words[last].end()]


def _trimmed(first: int, last: int, telling: Sequence[bool]) -> tuple[int, int]:
    """A place without outer words of little meaning, such as articles, unless all words are like this."""
    said = [n for n in range(first, last + 1) if telling[n]]
    return (said[0], said[-1]) if said else (first, last)


@dataclass(frozen=True, slots=True)
class _Decisive:
    """Where a text of one kind differs from all texts of the `other` kind; words are folded.

    If several words differ, prefer words that rules of the phenomenon name, and then words that texts of this
    kind share, since paraphrases vary and right words do not. Several places that are left are undecided.
    """

    alike: Sequence[Sequence[str]]
    other: Sequence[Sequence[str]]
    focus: Focus

    def places(self, words: Sequence[str]) -> list[tuple[int, int]]:
        """The first and last word of each place; several places only if all are named; empty if unsure."""
        seen = {word for text in self.other for word in text}
        found = [n for n, word in enumerate(words) if word not in seen]
        named = [n for n in found if self.focus.is_named(words[n])]
        share = {n: sum(words[n] in text for text in self.alike) / len(self.alike) for n in named or found}
        most = max(share.values(), default=0.0)
        runs = _runs([n for n in share if share[n] == most])
        if not found and len(self.alike) == 1:
            return self._moved(words)
        return runs if most >= _COMMON and (named or len(runs) == 1) else []

    def _moved(self, words: Sequence[str]) -> list[tuple[int, int]]:
        """The only place with another order than in the nearest other text, or with a missing word."""
        matchers = [SequenceMatcher(None, text, words, autojunk=False) for text in self.other]
        nearest = max(matchers, key=SequenceMatcher.ratio)
        changes = [(low, high) for tag, _, _, low, high in nearest.get_opcodes() if tag != "equal"]
        own = [(low, high - 1) for low, high in changes if high > low]
        cuts = [(low - 1, low) for low, high in changes if high == low and 0 < low < len(words)]
        return own if len(own) == 1 else cuts if len(cuts) == 1 and not own else []


def _runs(places: Iterable[int]) -> list[tuple[int, int]]:
    """Group numbers into runs, each with its first and last number.

    >>> _runs([1, 2, 4])
    [(1, 2), (4, 4)]
    """
    runs: list[tuple[int, int]] = []
    for n in places:
        first = runs.pop()[0] if runs and runs[-1][1] == n - 1 else n
        runs.append((first, n))
    return runs


def _pattern(words: str) -> str:
    """An expression for whole words, or for characters in a script without spaces."""
    parts = []
    for part in words.split(_GAP):
        left, right = (r"\b" if not re.match(rf"[{_NO_SPACES}]", part[i]) else "" for i in (0, -1))
        parts.append(left + escaped(part) + right)
    return ".*".join(parts)


def pattern_of(alternatives: Sequence[str]) -> str:
    r"""An expression that finds any of these sequences of words; " … " means any text.

    >>> pattern_of(["black cat", "grey … dog"])
    '\\b(?:black cat|grey\\b.*\\bdog)\\b'
    """
    patterns = [_pattern(words) for words in alternatives]
    if len(patterns) == 1:
        return patterns[0]
    if all(pattern.startswith(r"\b") and pattern.endswith(r"\b") for pattern in patterns):
        return rf"\b(?:{'|'.join(pattern[2:-2] for pattern in patterns)})\b"
    return "|".join(patterns)


_ALTERNATIVE = re.compile(r"(?:\\[^\w\s]|[^\\\[\](){}.*+?^$|])+")  # an expression without signs


def told_pattern(pattern: str, *, ignore_case: bool = False) -> str:
    r"""What an expression finds, in words; empty if it has signs that this cannot explain.

    >>> told_pattern(r"\bnunca\b"), told_pattern(r"\b(?:black cat|grey\b.*\bdog)\b")
    ("the word 'nunca', not 'Nunca'", "the words 'black cat', or the word 'grey' and later the word 'dog'")
    >>> told_pattern("nunc|já", ignore_case=True), told_pattern("nunca+")
    ("'nunc', also inside a longer word, or 'já', also inside a longer word, in capitals too", '')
    """
    grouped = re.fullmatch(r"(\\b|)\(\?:([^()]*)\)(\\b|)", pattern)
    before, inside, after = grouped.groups() if grouped else ("", pattern, "")
    told = []
    for alternative in inside.split("|"):
        said = []
        for part in f"{before}{alternative}{after}".split(".*"):
            text = part.removeprefix(r"\b").removesuffix(r"\b")
            if not _ALTERNATIVE.fullmatch(text):
                return ""
            is_whole = part == rf"\b{text}\b"
            text = re.sub(r"\\(.)", r"\1", text)
            words = "words" if " " in text else "word"
            said.append(f"the {words} '{text}'" if is_whole else f"'{text}'" + _INSIDE * text.isalpha())
        told.append(" and later ".join(said))
    other = text[:1].upper() + text[1:] if text[:1].islower() else text.lower()
    one = len(told) == len(said) == 1 and other != text
    case = f", also '{other}'" if ignore_case else f", not '{other}'"
    return ", or ".join(told) + (case if one else ", in capitals too" if ignore_case else "")


_INSIDE = ", also inside a longer word"


def whole_words(words: str, text: str) -> str:
    """The words of a text that contain this piece of it, each whole; the piece itself if there are none.

    >>> whole_words("unca vi", "Ela nunca viu.")
    'nunca viu'
    """
    start = text.find(words)
    found = [w for w in _WORD.finditer(text) if w.start() < start + len(words) and w.end() > start]
    return text[found[0].start() : found[-1].end()] if found and start >= 0 else words


def common_words(
    texts_by_item: Iterable[Iterable[str]], *, share: float = 0.01, least: int = 10
) -> frozenset[str]:
    """Words (folded) that are in the outputs of many items and so say little about a single item.

    "Many" is a share of all items, with a minimum, since words in only a few items may be their topic.

    >>> sorted(common_words([["The cat"], ["the dog"], ["The end"], ["Rain"]], least=3))
    ['the']
    """
    counts: Counter[str] = Counter()
    total = 0
    for texts in texts_by_item:
        counts.update(set(_folded(" ".join(texts))))
        total += 1
    return frozenset(word for word, count in counts.items() if count >= max(least, share * total))


class Background:
    """Facts of a whole suite for the rules of one item: common words, and texts of all other items."""

    def __init__(self, suite: Suite, outputs: Mapping[str, Iterable[str]]) -> None:
        self._judge = Judge(suite)
        self._spelt_out: dict[str, set[str]] = {}
        self._texts: list[tuple[str, str]] = [("", text) for text in battery(suite.langpair)]
        by_item = []
        for item in suite.items:
            tokens = (rule.text for rule in (*item.positive_tokens, *item.negative_tokens))
            texts = dict.fromkeys((*outputs.get(item.id, ()), *item.references, *tokens))
            by_item.append(texts)
            self._texts += [(item.source.strip(), normalize(text, suite.matching)) for text in texts]
        self._common = common_words(by_item)
        self._places: defaultdict[str, set[int]] = defaultdict(set)
        for place, (_, text) in enumerate(self._texts):
            for word in _WORD.findall(text)[: 4 * _ENOUGH]:
                self._places[fold(word)].add(place)

    def focus(self, item: Item) -> Focus:
        """The words that a new rule of this item may use, and the texts that it must not match."""
        try:
            pair = parse_pair(item.langpair)
        except MtassayError:
            pair = None
        target = str(pair.target).partition("-")[0] if pair else ""
        siblings = [
            other
            for other in self._judge.suite.items
            if (other.category, other.phenomenon) == (item.category, item.phenomenon) and other is not item
        ]
        # Most rules of a phenomenon contain function words; they count only if the item's rules have them.
        empty = function_words(target)
        counts = Counter(word for sibling in siblings for word in self._looked_at(sibling))
        named = {word for word, count in counts.items() if count > 1} - empty | self._looked_at(item)
        forms = word_forms(target)
        keys = {key for word in named for key in forms.keys(word)}
        lexicon, is_reverse = lexicon_of(pair) if pair else (None, False)
        about = [fold(word) for words in item.focus for word in _WORD.findall(words)]

        def is_named(word: str) -> bool:
            if keys.intersection(forms.keys(word)):
                return True
            if lexicon is None or not about:
                return False
            sides = ([fold(word)], about) if is_reverse else (about, [fold(word)])
            return bool(lexicon.look_up(*sides).min(axis=0).max() > _LINKED)

        def is_elsewhere(pattern: re.Pattern[str], words: Sequence[str]) -> bool:
            places = set.intersection(*(self._places.get(fold(word), set()) for word in words))
            source = item.source.strip()
            return any(self._texts[p][0] != source and pattern.search(self._texts[p][1]) for p in places)

        return Focus(
            self._common | empty,
            is_named,
            is_elsewhere,
            [] if may_be_damaged(self._judge.suite, item) else self._refused(siblings),
        )

    def _looked_at(self, item: Item) -> set[str]:
        """The words in the expressions of an item; the judge reports bad expressions."""
        if item.id not in self._spelt_out:
            words = self._spelt_out[item.id] = set()
            for rule in (rule for name in REGEX_FIELDS for rule in getattr(item, name)):
                with suppress(ValueError):
                    pattern = expand(rule.text, self._judge.suite.macros)
                    words |= {word for word in _folded(_ESCAPE.sub(" ", pattern)) if len(word) > 1}
        return self._spelt_out[item.id]

    def _refused(self, siblings: Sequence[Item]) -> list[Callable[[str], str]]:
        """The ways to damage a right output whose results nearly all of these items refuse."""
        known = [
            (item, texts[0])
            for item in siblings
            if (texts := (*item.references, *(rule.text for rule in item.positive_tokens)))
            and item.positive_regex
        ]
        if len(known) < _SIBLINGS:
            return []
        most = _LENIENT * len(known)
        damages = (ways[0] for ways, _ in DAMAGES.values())
        return [d for d in damages if sum(accepts(self._judge, *pair, [d]) for pair in known) <= most]
