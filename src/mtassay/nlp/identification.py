"""Identifies the language of a text, and the words that are typical of a language.

The model is py3langid, a naive Bayes classifier over byte n-grams (Lui and Baldwin, ACL 2012).
"""

from __future__ import annotations

import math
import os
import re
import shutil
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.data.language_packs import cache_folder, release_of
from mtassay.data.words import read_table

Ranking = Callable[[str], list[tuple[str, float]]]
"""A function that gives all language codes with scores, the most likely first."""

# Seconds after which an unfinished copy counts as abandoned
_AT_MOST = 3600
_PARTS = ("ptc", "pc", "classes", "nextmove", "row", "output")


@cache
def open_identifier(folder: Path | None = None) -> Ranking:
    """Return `py3langid.rank`, with a fast copy of its model from the folder, which is made if missing.

    The default folder is `mtassay` in the user's cache folder. If it cannot be written, or this version of
    py3langid has another model, the model is unpacked each time.
    """
    import py3langid

    rank: Ranking = py3langid.rank
    with suppress(ImportError, AttributeError, EOFError, OSError, RuntimeError, TypeError, ValueError):
        from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier
        from py3langid.modelio import load_model

        model = MODEL_DIR / MODEL_FILE
        copy = (folder or cache_folder()) / f"py3langid-{release_of('py3langid')}"
        if not copy.is_dir():
            _write(copy, dict(zip(_PARTS, map(np.asarray, load_model(model)), strict=True)))
        try:
            parts = {name: np.load(copy / f"{name}.npy", mmap_mode="r") for name in _PARTS}
        except (EOFError, OSError, ValueError):
            shutil.rmtree(copy, ignore_errors=True)  # the folder was cleaned; the next run writes it again
            raise
        rank = LanguageIdentifier(
            parts["ptc"],
            parts["pc"],
            parts["classes"].tolist(),
            memoryview(parts["nextmove"]),
            parts["output"].tolist(),
            tk_row=parts["row"].tolist(),
        ).rank
    return rank


def _write(folder: Path, parts: Mapping[str, NDArray[Any]]) -> None:
    """Write the whole file or nothing, even if several processes write at the same time."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    for left in folder.parent.glob("unpacking-*"):  # a process was killed, or is still writing
        if time.time() - left.stat().st_mtime > _AT_MOST:
            shutil.rmtree(left, ignore_errors=True)
    temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix="unpacking-"))
    try:
        for name, values in parts.items():
            with (temporary / f"{name}.npy").open("wb") as file:
                np.save(file, values)
                os.fsync(file.fileno())
        with suppress(OSError):  # another process was faster
            temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


# Scripts without spaces: Thai, Lao, Tibetan, Burmese, Khmer, kana, Chinese characters.
_UNSPACED = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
# Scripts that are used by only one language.
_LONELY_SCRIPTS = {
    "el": "\u0370-\u03ff", "hy": "\u0530-\u058f", "he": "\u0590-\u05ff", "ta": "\u0b80-\u0bff",
    "te": "\u0c00-\u0c7f", "kn": "\u0c80-\u0cff", "ml": "\u0d00-\u0d7f", "si": "\u0d80-\u0dff",
    "th": "\u0e00-\u0e7f", "lo": "\u0e80-\u0eff", "ka": "\u10a0-\u10ff", "km": "\u1780-\u17ff",
    "ko": "\uac00-\ud7a3",
}  # fmt: skip
_LETTER = re.compile(r"[^\W\d_]")
_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED}]")
_WORD_OR_CHARACTER = rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+"
_compiled = cache(re.compile)  # these take long to compile, and texts with spaces need none
_PUNCTUATION = "\\.,;:!?\"'()[]{}|/*„“”‚‘’«»‹›…·-–—、。，！？：；「」（）《》|¿¡،؟।"
# Links, handles, hashtags and tags have no language.
_NOISE = re.compile(r"https?://\S++|[@#]\w++|<[^<>]{1,400}>|\{[^{}]{1,60}\}")
_NOISE_MARKS = frozenset("/@#<{")
# A word belongs to a side if its frequencies on both sides have at least this ratio.
_RATIO = 4
_END = 80
_BLOCK = 4096  # lines
# The language of shorter lines is uncertain.
_FEWEST_LETTERS = 20


def words_of(text: str) -> list[str]:
    """Words without surrounding punctuation, or characters if the script has no spaces.

    >>> words_of("Don't panic: 42 狗狗 https://a.example")
    ["Don't", 'panic', '狗', '狗']
    """
    if not _NOISE_MARKS.isdisjoint(text):
        text = _NOISE.sub(" ", text)
    is_spaced = text.isascii() or not _UNSPACED_CHARACTER.search(text)
    words = text.split() if is_spaced else _compiled(_WORD_OR_CHARACTER).findall(text)
    stripped = [word if word.isalpha() else word.strip(_PUNCTUATION) for word in words]
    return [word for word in stripped if word.isalpha() or _LETTER.search(word)]


def is_unspaced(word: str) -> bool:
    """Whether this is a character of a script without spaces, which is only a part of a word."""
    return word >= "\u0e00" and _UNSPACED_CHARACTER.match(word) is not None


class LanguageVocabulary:
    """Words that are evidence for the target language, and words that are evidence for the source language.

    `targets` are texts in the target language, where a word must occur `fewest` times to count.
    """

    def __init__(self, sources: Sequence[str], targets: Sequence[str], *, fewest: int = 1) -> None:
        sample = _sample(targets)
        self._is_unspaced = _is_mostly(_UNSPACED, sample)
        scripts = () if _is_mostly("A-Za-z", sample) else _LONELY_SCRIPTS.values()
        self._script = next((script for script in scripts if _is_mostly(script, sample)), None)
        source, target = _count(sources), _count(targets)
        target_size, source_size = sum(target.values()), sum(source.values())
        ratio = _RATIO * target_size / max(source_size, 1)
        words = {word for word, n in target.items() if n >= fewest}
        self._right = {word for word in words if target[word] > ratio * source.get(word, 0)}
        self._wrong: set[str] = set()
        if fewest == 1 and 3 * sum(target[word] for word in self._right) < target_size:
            # The languages share most words, so the source's words say nothing about the target.
            self._right = words
        else:
            ratio = target_size / max(source_size, 1) / _RATIO
            self._wrong = {word for word, n in source.items() if ratio * n > target.get(word, 0)}

    def doubtful(self, lines: Iterable[str]) -> list[int]:
        """Return the lines that are not clearly in the target language; takes about 1 µs per line.

        This includes lines without words and lines that equal their source.
        """
        of_target = self._right.intersection
        # The end of a line is enough, and shows best if a system switched the language.
        ends = [line[-_END:] for line in lines]
        if self._is_unspaced:
            return [i for i in self._unclear(ends) if 2 * len(of_target(ends[i])) <= len(ends[i])]
        words = map(str.split, map(str.lower, ends))
        return [i for i, own in enumerate(words) if 5 * len(of_target(own)) <= 2 * len(own)]

    def _unclear(self, ends: Sequence[str]) -> Iterator[int]:
        """Find lines that may have too few different characters of the target language, by a quick check.

        Characters are in 256 classes; the number of occurring classes is a lower bound.
        """
        is_right = np.zeros(sys.maxunicode + 1, np.bool_)
        is_right[[ord(word) for word in self._right if len(word) == 1]] = True
        for start in range(0, len(ends), _BLOCK):
            block = ends[start : start + _BLOCK]
            sizes = np.fromiter(map(len, block), np.int64, len(block))
            codes = np.frombuffer("".join(block).encode("utf-32-le", "surrogatepass"), np.uint32)
            rows, right = np.repeat(np.arange(len(block)), sizes), is_right[codes]
            seen = np.zeros((len(block), 256), np.bool_)
            seen[rows[right], codes[right] & 255] = True
            yield from (start + np.flatnonzero(2 * np.count_nonzero(seen, axis=1) <= sizes)).tolist()

    def leaning(self, line: str) -> int:
        """The number of words for the target language minus those for the source language."""
        return sum((word in self._right) - (word in self._wrong) for word in words_of(line.lower()))

    def accepts(self, line: str, source: str | None, references: Collection[str]) -> bool:
        """Whether the line has too few words to judge, or enough words for the target language.

        A word that is also in the source counts for neither, unless it belongs to the source language. A word
        that only the references of the same segment have counts for the target language.
        """
        lowered = line.lower()
        if self._is_plain(lowered):
            return True
        words = words_of(lowered)
        if self._has_enough(sum(map(self._right.__contains__, words)), len(words)):
            return True
        sizes = [_size(word) for word in words]
        if sum(sizes) < _FEWEST_LETTERS:
            return True
        if self._script and _is_mostly(self._script, line):
            return True
        own_source = set(words_of(source.lower())) if source else set()
        own_references = set(chain.from_iterable(words_of(text.lower()) for text in references))
        right = total = letters = 0
        for word, size in zip(words, sizes, strict=True):
            if word in self._right or (word in own_references and word not in own_source):
                right += 1
            elif word in own_source and (word not in self._wrong or word in own_references):
                continue
            total += 1
            letters += size
        return letters < _FEWEST_LETTERS or self._has_enough(right, total)

    def _is_plain(self, lowered: str) -> bool:
        """Whether the parts between spaces are enough evidence; removing punctuation can only add more."""
        words = lowered.split()
        if self._is_unspaced or 3 * sum(map(self._right.__contains__, words)) < len(words):
            return False
        return _NOISE_MARKS.isdisjoint(lowered) and not _UNSPACED_CHARACTER.search(lowered)

    def _has_enough(self, right: int, total: int) -> bool:
        # Languages with a common script, such as Chinese and Japanese, share many characters.
        return 5 * right >= 3 * total if self._is_unspaced else 3 * right >= total


def _size(word: str) -> int:
    """The length in Latin letters; a Chinese character counts as three, a Korean character as two."""
    return 3 if is_unspaced(word) else 2 * len(word) if "\uac00" <= word < "\ud7a4" else len(word)


def _count(texts: Sequence[str]) -> dict[str, int]:
    """Count each lower-cased word; faster than `words_of` for each text."""
    text = "\n".join(texts).lower()
    counts: dict[str, int] = {}
    if _is_mostly(_UNSPACED, _sample(texts)):
        counts = {
            char: n
            for char, n in Counter(text).items()
            if _UNSPACED_CHARACTER.match(char) and _LETTER.match(char)
        }
        text = _compiled(f"[{_UNSPACED}][{_UNSPACED}]*").sub(" ", text)
    for word, n in Counter(text.split()).items():
        if not word.isalpha():
            word = word.strip(_PUNCTUATION)
            if not _LETTER.search(word):
                continue
        counts[word] = counts.get(word, 0) + n
    return counts


def _sample(texts: Sequence[str]) -> str:
    return "\n".join(text[:100] for text in texts[:40])


def _is_mostly(characters: str, text: str) -> bool:
    return 2 * len(re.findall(f"[{characters}]", text)) > len(_LETTER.findall(text))


_MOST_CHARACTERS = 600
_DATA = Path(__file__).parent / "data"


class Guess(NamedTuple):
    """A line's most likely language (code), its probability, and the expected language's probability."""

    code: str
    probability: float
    expected: float

    @property
    def is_sure(self) -> bool:
        """Whether the language is certain."""
        return self.code != "zxx" and self.probability >= 0.6

    def excludes(self, target: str) -> bool:
        """Whether the line is certainly not in the target language."""
        akin = any(self.code in group and target in group for group in _alike("akin"))
        if {self.code, target} == {"es", "pt"}:
            return self.expected < 0.01
        return self.expected < (0.005 if akin else 0.02)


def identify(text: str, target: str) -> Guess:
    """Guess the language of a text; variants that single lines cannot distinguish count together.

    >>> guess = identify("Der Hund schläft auf dem alten Sofa.", "en")
    >>> guess.code, guess.is_sure, guess.excludes("en")
    ('de', True, True)
    """
    text = text[:_MOST_CHARACTERS]
    ranking = open_identifier()(text)
    # The model's raw scores grow with the length; this scale turns them into good probabilities.
    scale = math.sqrt(len(text.encode(errors="replace")) or 1)
    best = ranking[0][1]
    weights = {code: math.exp(max((score - best) / scale, -700)) for code, score in ranking}
    total = sum(weights.values())
    first = ranking[0][0]

    def share(code: str) -> float:
        return sum(weights.get(variant, 0.0) for variant in same_as(code)) / total

    return Guess(first, share(first), share(target))


def can_identify(code: str) -> bool:
    """Whether the model knows the language, or a variant that single lines cannot distinguish from it."""
    return not {language for language, _ in open_identifier()("")}.isdisjoint(same_as(code))


def script_of(text: str) -> str:
    """The script of most letters by its Unicode name; Chinese characters and kana are one script.

    >>> script_of("Привет, Bob"), script_of("犬は寝る"), script_of("42")
    ('CYRILLIC', 'CJK', '')
    """
    scripts = Counter(unicodedata.name(char, "?").split()[0] for char in text[:200] if char.isalpha())
    scripts["CJK"] += scripts.pop("HIRAGANA", 0) + scripts.pop("KATAKANA", 0)
    script, n = scripts.most_common(1)[0]
    return script if n else ""


def language_of_script(text: str) -> str:
    """The language (code) that follows from the script of a text; empty if the script does not decide.

    >>> language_of_script("犬は寝る"), language_of_script("狗在睡觉"), language_of_script("The dog sleeps")
    ('ja', 'zh', '')
    """
    if text.isascii() or _is_mostly("A-Za-z", text):
        return ""
    if _is_mostly("\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff", text):
        kana, characters = (len(re.findall(f"[{script}]", text)) for script in (_KANA, "\u3400-\u9fff"))
        # Japanese sentences always have kana; Chinese sentences only in names of shops.
        return "ja" if 4 * kana > characters else "zh"
    return next((code for code, script in _WHOLE_SCRIPTS.items() if _is_mostly(script, text)), "")


_KANA = "\u3040-\u30ff"
_WHOLE_SCRIPTS = {**_LONELY_SCRIPTS, "my": "\u1000-\u109f", "bo": "\u0f00-\u0fff"}
# This number of lines from all parts of a file, and this length of each, show its language.
_FILE_LINES = 60
_LINE_CHARACTERS = 200


@cache
def _alike(how: str) -> Sequence[set[str]]:
    table = read_table(_DATA / "alike_languages.toml", lists=("same", "akin"))
    return [set(group.split()) for group in table[how]]


@cache
def frequent_words() -> Mapping[str, frozenset[str]]:
    """Typical words of each language, by code."""
    table = read_table(_DATA / "frequent_words.toml")
    return {code: frozenset(words.split()) for code, words in table.items()}


def foreign_language(texts: Sequence[str | None], expected: str) -> str:
    """The language that the texts certainly have instead of the expected one; empty otherwise.

    Frequent words and the script decide for nearly every file, without the identifier that loads slowly.

    >>> foreign_language(["Der Hund schläft auf dem alten Sofa, und wir sind sehr müde."] * 3, "en")
    'de'
    """
    sample = _file_sample(texts)
    words = sample.lower().split()
    frequent = Counter(filter(frequent_words().get(expected, frozenset()).__contains__, words))
    if len(frequent) >= 3 and 50 * frequent.total() >= len(words):
        return ""
    if sum(map(_size, words_of(sample))) < _FEWEST_LETTERS:
        return ""
    if by_script := language_of_script(sample):
        return "" if by_script in same_as(expected) else by_script
    if not can_identify(expected):
        return ""
    parts = [sample[start : start + _MOST_CHARACTERS] for start in range(0, len(sample), _MOST_CHARACTERS)]
    guesses = [identify(part, expected) for part in parts]
    foreign = Counter(guess.code for guess in guesses if guess.is_sure and guess.excludes(expected))
    # Nearly all parts must agree, since a file may have two languages.
    return next((code for code, n in foreign.items() if 5 * n >= 4 * len(guesses)), "")


def language_of(texts: Sequence[str | None]) -> str:
    """The common language (code) of texts; empty if it is unclear.

    >>> language_of(["Der Hund schläft auf dem alten Sofa, und wir sind sehr müde."] * 3), language_of(["42"])
    ('de', '')
    """
    sample = _file_sample(texts)
    words = sample.lower().split()
    if sum(map(_size, words_of(sample))) < _FEWEST_LETTERS:
        return ""
    if by_script := language_of_script(sample):
        return by_script
    frequent = {code: Counter(filter(own.__contains__, words)) for code, own in frequent_words().items()}
    first, second = sorted(frequent, key=lambda code: -frequent[code].total())[:2]
    if len(frequent[first]) >= 3 and frequent[first].total() > 3 * frequent[second].total():
        return first
    parts = [sample[start : start + _MOST_CHARACTERS] for start in range(0, len(sample), _MOST_CHARACTERS)]
    guesses = [identify(part, "en") for part in parts]
    codes = Counter(guess.code for guess in guesses if guess.is_sure)
    return next((code for code, n in codes.items() if 5 * n >= 4 * len(guesses)), "")


def _file_sample(texts: Sequence[str | None]) -> str:
    some = [text for text in texts[:: len(texts) // _FILE_LINES + 1] if text]
    return "\n".join(text[:_LINE_CHARACTERS] for text in some)


def same_as(code: str) -> set[str]:
    """The code, and the variants that single lines cannot distinguish from it."""
    return next((group for group in _alike("same") if code in group), {code})


_SAMPLE = 200
_SPACED_MARK = re.compile(r"\w [,.](?= |$)")
_PLAIN_MARK = re.compile(r"\w[,.](?= |$)")
_CHARACTERS = "\u3040-\u30ff\u3400-\u9fff"
# A name in Latin letters sometimes has a space beside it; a tokenised line has one after every word.
# Searching for the first character, and then checking what is before it, is several times faster.
_SPACED_CHARACTERS = re.compile(
    rf"[{_CHARACTERS}](?<![{_CHARACTERS}]{{2}})[{_CHARACTERS}]*+ (?:[{_CHARACTERS}]++ ){{2}}[{_CHARACTERS}]"
)
_CHARACTER = re.compile(f"[{_CHARACTERS}]")


class _Sign(NamedTuple):
    """A sign of tokenised lines, found in at least `share` of the lines that match `among`.

    A line without any of the `marks` cannot match, which can be checked fast.
    """

    what: str
    marks: Sequence[str]
    pattern: re.Pattern[str]
    fix: str
    share: float
    among: re.Pattern[str] | None = None

    def is_in(self, text: str) -> bool:
        """Whether a line has this sign."""
        return any(mark in text for mark in self.marks) and self.pattern.search(text) is not None


_DETOKENISE = "detokenise (sacremoses detokenize)"
_SIGNS = (
    _Sign(
        "pieces of SentencePiece ('▁')", ("▁",), re.compile("▁"), "join them (tr -d ' ' | tr '▁' ' ')", 0.5
    ),
    _Sign(
        "pieces of BPE ('@@ ')", ("@@",), re.compile("@@(?= |$)"), "join them (sed -E 's/@@( |$)//g')", 0.2
    ),
    _Sign(
        "words split by Moses ('@-@', '&quot;')",
        ["@-@", "&"],
        re.compile("@-@|&(?:quot|apos|#91|#93|#124);"),
        _DETOKENISE,
        0.05,
    ),
    _Sign(
        "spaces before commas and full stops",
        [" ,", " ."],
        _SPACED_MARK,
        _DETOKENISE,
        0.5,
        re.compile(f"{_SPACED_MARK.pattern}|{_PLAIN_MARK.pattern}"),
    ),
    _Sign(
        "spaces between Chinese or Japanese words",
        [" "],
        _SPACED_CHARACTERS,
        "take them out (tr -d ' ')",
        0.5,
        _CHARACTER,
    ),
)
# Fewer lines are an example and not a file.
_FEWEST = 5


class Tokenization(NamedTuple):
    """A sign of tokenised texts: what shows it, in how many lines, and the fix."""

    what: str
    lines: int
    fix: str

    def told_of(self, name: str, total: int) -> str:
        """A note for the user about these texts; `total` is their number."""
        return f"{name} has {self.what} ({self.lines:,} of {total:,} lines): {self.fix} first"


def tokenization_of(texts: Sequence[str | None]) -> Tokenization | None:
    """Return the first sign that texts are tokenised, or `None` without a sign.

    Only commas and full stops count, since French has a space before `?` and `:`.

    >>> tokenization_of(["The dog , old and tired , sleeps .", "It sleeps .", "No , it runs ."] * 2).lines
    6
    """
    some = [text for text in texts[:: len(texts) // _SAMPLE + 1] if text]
    together = "\n".join(some)
    for sign in _SIGNS:
        if not any(mark in together for mark in sign.marks):
            continue
        hits = sum(map(sign.is_in, some))
        if hits < _FEWEST:
            continue
        among = len(some) if sign.among is None else sum(sign.among.search(text) is not None for text in some)
        if hits >= sign.share * among:
            lines = sum(sign.is_in(text) for text in texts if text)
            return Tokenization(sign.what, lines, sign.fix)
    return None
