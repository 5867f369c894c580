"""Checks whether a filled pair is the requested test case; they are the same for every infiller."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mtassay.data.errors import InputError
from mtassay.data.formats.textfiles import FilePath, read_lines, shown
from mtassay.data.languages import Pair
from mtassay.data.nouns import Edit, apply_edits
from mtassay.methods.behavior.capability import Capability
from mtassay.methods.behavior.infill_prompts import is_left
from mtassay.methods.behavior.infiller import Filled, Masked
from mtassay.nlp.annotation import Annotation
from mtassay.nlp.identification import can_identify, identify, script_of
from mtassay.nlp.word_forms import wrong_articles

_UNSPACED = re.compile("[⺀-鿿豈-﫿぀-ヿ฀-๿]")


@dataclass(frozen=True, slots=True)
class Blocklist:
    """Blocked words and phrases in any case; words in a script without spaces also match inside other words.

    >>> blocked = Blocklist.of(["darn", "坏话"])
    >>> blocked.word_in("Oh, DARN it"), blocked.word_in("He darned socks"), blocked.word_in("说坏话的人")
    ('darn', None, '坏话')
    """

    words: tuple[str, ...]
    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, words: Iterable[str]) -> Blocklist:
        """Make a blocklist of these words and phrases."""
        kept = tuple(dict.fromkeys(filter(None, (_plain(word) for word in words))))
        # Longer phrases first, since a message should name the longest match.
        forms = [_form(word) for word in sorted(kept, key=len, reverse=True)]
        return cls(kept, re.compile("|".join(forms)) if forms else None)

    def word_in(self, text: str) -> str | None:
        """The first blocked word of a text; `None` if there is no such word."""
        match = self.pattern.search(_plain(text)) if self.pattern else None
        return match.group() if match else None


def read_blocklist(path: FilePath) -> Blocklist:
    """Read a file with one word or phrase per line; lines that begin with `#` are comments."""
    lines = [line.strip() for line in read_lines(path)]
    blocked = Blocklist.of(line for line in lines if not line.startswith("#"))
    if not blocked.words:
        raise InputError("there is no word in it. Write one per line.", path=shown(path))
    return blocked


def _form(word: str) -> str:
    if _UNSPACED.search(word):
        return re.escape(word)
    return rf"(?<!\w){re.escape(word)}(?!\w)"


REASONS = (
    "mask left",
    "source changed elsewhere",
    "source unchanged",
    "reference unchanged",
    "reference not filled",
    "other language",
    "not fluent",
    "not the capability",
    "blocked word",
    "same as another case",
)
"""All results of `objection`, in the order of its checks."""

MOST_GROWTH = 2.0
"""The factor by which a text may grow at most, and the ratio of the two lengths may change at most."""
_ROOM = 40  # growth or shrinkage (characters) that is always allowed
_SHORTEST_TO_IDENTIFY = 20
_WORD = re.compile(r"\w+")
_LATIN = re.compile(r"[a-zà-öø-ÿ]")


def objection(
    filled: Filled,
    capability: Capability | None = None,
    *,
    pair: Pair | None = None,
    source_annotation: Annotation | None = None,
    blocked: Blocklist | None = None,
    case_keys: Collection[tuple[str, str]] = (),
) -> str | None:
    """Return why a filled pair is not a test case, one of `REASONS`; `None` if it is a test case.

    `source_annotation` annotates the edited source, for the capability's check. With `pair`, the language is
    checked besides the script. `case_keys` are the keys of existing cases. If an argument is missing, its
    check is skipped.
    """
    source, reference = filled.masked.pair.source.text, filled.masked.pair.reference.text
    if is_left(filled.source, before=source) or is_left(filled.reference, before=reference):
        return "mask left"
    if not _only_there(filled):
        return "source changed elsewhere"
    if not filled.changes or any(_same(change.before, change.after) for change in filled.changes):
        return "source unchanged"
    if _same(reference, filled.reference) or any(_same(c.before, c.after) for c in filled.reference_changes):
        return "reference unchanged"
    if not all(any(map(str.isalnum, change.after)) for change in filled.reference_changes):
        return "reference not filled"
    if _other_language(filled, pair):
        return "other language"
    if _not_fluent(filled) or _has_wrong_article(filled, pair):
        return "not fluent"
    if capability is not None and source_annotation is not None:
        original = filled.masked.pair.source
        wrong = capability.objection(source_annotation, filled.changes, original=original)
        if wrong is not None:
            return "not the capability"
    if blocked is not None and (blocked.word_in(filled.source) or blocked.word_in(filled.reference)):
        return "blocked word"
    return "same as another case" if case_key(filled) in case_keys else None


def case_key(filled: Filled) -> tuple[str, str]:
    """The key by which equal cases are found: the source and the edited source."""
    return _plain(filled.masked.pair.source.text), _plain(filled.source)


def told(reason: str, masked: Masked, pair: Pair) -> str:
    """Explain a reason to a language model, in a sentence that asks it to try again."""
    source, target = pair.source.name, pair.target.name
    originals = " and ".join(f'"{masked.pair.source.text[s.start : s.end]}"' for s in masked.spans)
    sentences = {
        "mask left": "A mask is still there. Fill in every mask, in both sentences.",
        "source changed elsewhere": (
            f"The filled {source} sentence differs from the given one outside of the mask."
            f" Copy it exactly and replace the mask alone: {masked.source}"
        ),
        "source unchanged": f"Do not fill in {originals}: that is the original. Choose something else.",
        "reference unchanged": f"The {target} translation must say what the filled {source} sentence says.",
        "reference not filled": f"Something must be in place of the mask in the {target} translation.",
        "reference adapted too much": (
            f"Too many other words of the {target} translation have changed."
            f" Keep it as it was, and replace the mask: {masked.reference}"
        ),
        "other language": f"One sentence must be in {source}, and its translation in {target}.",
        "not fluent": "A sentence repeats words, or is too long. Fill in a word or a short phrase.",
        "reply not understood": "The answer did not have the form that was asked for.",
    }
    return sentences.get(reason, f"That is not right: {reason}.")


def _only_there(filled: Filled) -> bool:
    """Whether the changes produce the edited source and are within the masked spans."""
    source = filled.masked.pair.source.text
    spans = [(span.start, span.end) for span in filled.masked.spans]
    inside = all(
        any(start <= change.start and change.end <= end for start, end in spans)
        and source[change.start : change.end] == change.before
        for change in filled.changes
    )
    return inside and apply_edits(source, filled.changes) == filled.source


def _other_language(filled: Filled, pair: Pair | None) -> bool:
    """Whether one of the texts changed its script, or certainly its language."""
    texts = filled.masked.pair
    source, target = (pair.source.code, pair.target.code) if pair else (None, None)
    return _is_foreign(texts.source.text, filled.source, filled.changes, source) or _is_foreign(
        texts.reference.text, filled.reference, filled.reference_changes, target
    )


def _is_foreign(before: str, after: str, changes: Sequence[Edit], code: str | None) -> bool:
    script = script_of(before)
    if script and script_of(after) not in ("", script):
        return True
    if any(_is_foreign_word(change, script) for change in changes):
        return True
    if code is None or len(after) < _SHORTEST_TO_IDENTIFY or not can_identify(code):
        return False
    guess = identify(after, code)
    return guess.is_sure and guess.excludes(code) and not identify(before, code).excludes(code)


def _is_foreign_word(change: Edit, script: str) -> bool:
    """Whether a filling has another script; Latin names and abbreviations are allowed in any text."""
    filling_script = script_of(change.after)
    if not filling_script or not script or filling_script in (script, script_of(change.before)):
        return False
    return filling_script != "LATIN" or bool(_LATIN.match(change.after))


def _not_fluent(filled: Filled) -> bool:
    """Whether a text now repeats a word, is far too long, or no longer fits the other text in length."""
    source, reference = filled.masked.pair.source.text, filled.masked.pair.reference.text
    for before, after in ((source, filled.source), (reference, filled.reference)):
        if not after.strip() or len(after) > max(MOST_GROWTH * len(before), len(before) + _ROOM):
            return True
        if _stutters(after) > _stutters(before):
            return True
    was, now = len(reference) / max(1, len(source)), len(filled.reference) / max(1, len(filled.source))
    off = abs(len(filled.reference) - was * len(filled.source))
    return off > _ROOM and not 1 / MOST_GROWTH <= now / max(was, 1e-9) <= MOST_GROWTH


def _has_wrong_article(filled: Filled, pair: Pair | None) -> bool:
    """Whether an English text now has `a` before a vowel or `an` before a consonant."""
    if pair is None:
        return False
    texts = filled.masked.pair
    sides = ((pair.source, texts.source, filled.source), (pair.target, texts.reference, filled.reference))
    return any(
        language.code == "en" and wrong_articles(after) > wrong_articles(before.text)
        for language, before, after in sides
    )


def _stutters(text: str) -> int:
    """Count words and punctuation marks that are repeated immediately."""
    words: list[str] = _WORD.findall(text.casefold())
    marks = re.findall(r"([^\w\s.!?…-])\s*\1", text)
    return len(marks) + sum(a == b for a, b in pairwise(words))


def _same(a: str, b: str) -> bool:
    return _plain(a) == _plain(b)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
