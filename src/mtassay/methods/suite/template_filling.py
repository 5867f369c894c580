"""Fills the placeholders of a text with the records at hand: plainly, or escaped for an expression."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import product
from typing import Any, cast

from mtassay.data.errors import MissingExtraError, MtassayError, UsageError
from mtassay.methods.suite.patterns import escaped
from mtassay.methods.suite.templates import Argument, Call, Columns, FormTable, Placeholder, parse

__all__ = [
    "TAGS",
    "Filler",
    "Inflector",
    "NoFormError",
    "article",
    "capitalized",
    "inflect",
    "load_inflector",
    "verb_phrase",
]

TAGS = {
    "past": "VBD",
    "gerund": "VBG",
    "participle": "VBN",
    "third": "VBZ",
    "plural": "NNS",
    "comparative": "JJR",
    "superlative": "JJS",
}
"""Our names of the forms, and the tags of the Penn Treebank."""

_MODALS = ("can", "could", "may", "might", "must", "shall", "should", "will", "would")
_TENSES = {
    "present": "",
    "past": "",
    "future": "will",
    "conditional": "would",
    "imperative": "",
    "infinitive": "",
    **{modal: modal for modal in _MODALS},
}
_ASPECTS = ("simple", "perfect", "progressive", "passive", "negative", "question", "contracted")
_PERSONS = ("1s", "2s", "3s", "1p", "2p", "3p")
_BE = {"1s": ("am", "was"), "3s": ("is", "was")}
_NOT = {"will": "won't", "can": "can't", "shall": "shan't", "am": "am not", "may": "may not"}
_SHORT = {
    "am": "'m",
    "are": "'re",
    "is": "'s",
    "has": "'s",
    "have": "'ve",
    "had": "'d",
    "will": "'ll",
    "would": "'d",
}
_PRONOUNS = ("i", "you", "he", "she", "it", "we", "they")

# Written with a vowel and spoken with a consonant, and the other way round.
_SPOKEN_CONSONANT = re.compile(
    r"(?:uni(?![nm])|us[aeiu]|ut[ei]l|eu|ewe|one\b|once\b|ubiq|ufo|uk\b)", re.IGNORECASE
)
_SPOKEN_VOWEL = re.compile(r"(?:hour|honest|hono|heir)", re.IGNORECASE)
_SPELT_OUT = re.compile(r"[A-Z](?:[A-Z]|\b)")


def article(text: str) -> str:
    """The text with a or an before it, by how its first word is spoken.

    >>> [article(word) for word in ("letter", "apple", "hour", "university", "MP", "uninvited guest")]
    ['a letter', 'an apple', 'an hour', 'a university', 'an MP', 'an uninvited guest']
    """
    if _SPELT_OUT.match(text):
        vowel = text[0] in "AEFHILMNORSX"
    elif _SPOKEN_CONSONANT.match(text):
        vowel = False
    else:
        vowel = text[:1].lower() in tuple("aeiou") or bool(_SPOKEN_VOWEL.match(text))
    return f"{'an' if vowel else 'a'} {text}"


def inflect(lemma: str, tag: str) -> list[str]:
    """The forms of a word with this tag of the Penn Treebank, the most usual one first.

    >>> inflect("write", "VBD"), inflect("child", "NNS")
    (['wrote'], ['children'])
    """
    try:
        lemminflect: Any = import_module("lemminflect")
    except ImportError:
        raise MissingExtraError("English inflection", package="lemminflect", extra="templates") from None
    if not lemma.strip():
        raise ValueError("there is no word to inflect")
    word, space, rest = lemma.partition(" ")  # give up: the verb comes first
    if tag.startswith("N"):
        rest, space, word = lemma.rpartition(" ")  # bus stop: the noun comes last
        return [f"{rest}{space}{form}" for form in lemminflect.getInflection(word, tag)]
    return [f"{form}{space}{rest}" for form in lemminflect.getInflection(word, tag)]


@dataclass(frozen=True, slots=True)
class _Phrase:
    """The first word of a phrase, which changes places in questions, and the others."""

    first: str
    rest: tuple[str, ...]


def verb_phrase(lemma: str, features: str, person: str = "", subject: str = "") -> str:
    """A verb in a tense, with its subject where one is given.

    `features` are a tense (present, past, future, conditional, imperative, infinitive, or a modal verb)
    and any of perfect, progressive, passive, negative, question, contracted; `person` is 1s, 2s, 3s, 1p, 2p
    or 3p. A `ValueError` says what is unknown or missing.

    >>> verb_phrase("read", "past perfect progressive", "3s", "she")
    'she had been reading'
    >>> verb_phrase("write", "present question negative contracted", "3s", "he")
    "doesn't he write"
    """
    words = features.split()
    unknown = [word for word in words if word not in (*_TENSES, *_ASPECTS)]
    tenses = [word for word in words if word in _TENSES]
    if unknown or len(tenses) != 1:
        what = f"no tense or aspect '{unknown[0]}'" if unknown else f"'{features}' must name one tense"
        raise ValueError(f"{what}. Available: {', '.join((*_TENSES, *_ASPECTS))}")
    tense, wanted = tenses[0], frozenset(words)
    if tense in ("present", "past") and person not in _PERSONS:
        raise ValueError(f"the tense '{tense}' needs a person: {', '.join(_PERSONS)}, not '{person}'")
    if "question" in wanted and not subject:
        raise ValueError("a question needs the subject as a third argument")
    if tense == "infinitive":
        negation = "not to" if "negative" in wanted else "to"
        return " ".join([negation, *_bare(lemma, wanted)])
    phrase = _phrase(lemma, tense, wanted, person)
    return _ordered(phrase, wanted, subject, may_shorten=len(phrase.rest) > 0 or lemma == "be")


def _bare(lemma: str, wanted: frozenset[str]) -> list[str]:
    """The chain of verbs, its first one uninflected: have been reading."""
    auxiliaries = [
        (word, tag)
        for aspect, word, tag in (
            ("perfect", "have", "VBN"),
            ("progressive", "be", "VBG"),
            ("passive", "be", "VBN"),
        )
        if aspect in wanted
    ]
    chain, tag = [], ""
    for word, next_tag in [*auxiliaries, (lemma, "")]:
        chain.append(inflect(word, tag)[0] if tag else word)
        tag = next_tag
    return chain


def _phrase(lemma: str, tense: str, wanted: frozenset[str], person: str) -> _Phrase:
    chain = _bare(lemma, wanted)
    if modal := _TENSES[tense]:
        return _Phrase(modal, tuple(chain))
    if tense == "imperative":
        return _Phrase("do", tuple(chain)) if "negative" in wanted else _Phrase(chain[0], tuple(chain[1:]))
    if len(chain) == 1 and lemma != "be" and wanted & {"negative", "question"}:
        chain.insert(0, "do")
    return _Phrase(_finite(chain[0], tense, person), tuple(chain[1:]))


def _finite(verb: str, tense: str, person: str) -> str:
    if verb == "be":
        return _BE.get(person, ("are", "were"))[tense == "past"]
    if tense == "past":
        return inflect(verb, "VBD")[0]
    return inflect(verb, "VBZ")[0] if person == "3s" else verb


def _ordered(phrase: _Phrase, wanted: frozenset[str], subject: str, *, may_shorten: bool) -> str:
    """Subject, negation and verbs in their order."""
    first, rest = phrase.first, phrase.rest
    contracted, question, negative = (name in wanted for name in ("contracted", "question", "negative"))
    if contracted and not question and subject.lower() in _PRONOUNS:
        if negative and first == "am":
            return " ".join([f"{subject}'m not", *rest])
        if not negative and may_shorten and first in _SHORT:
            return " ".join([f"{subject}{_SHORT[first]}", *rest])
    if negative and contracted:
        first = "aren't" if question and first == "am" else _NOT.get(first, f"{first}n't")
    elif negative and question:
        rest = ("not", *rest)  # had she not read
    elif negative:
        first = "cannot" if first == "can" else f"{first} not"
    order = [first, subject, *rest] if question else [subject, first, *rest]
    return " ".join(word for word in order if word)


Function = Callable[[str, Sequence[Argument]], Sequence[str]]
Inflector = Callable[..., str | Sequence[str]]
"""A plain function of a lemma and texts, such as features; it gives one form or several."""

REGEX = "regex"


class NoFormError(ValueError):
    """All forms were excluded: there is nothing to look for."""


def capitalized(text: str) -> str:
    """With its first letter, after any quotes and signs, in upper case; a number first changes nothing.

    >>> capitalized("“he came.”"), capitalized("3 men came.")
    ('“He came.”', '3 men came.')
    """
    place = next((i for i, character in enumerate(text) if character.isalnum()), len(text))
    return text[:place] + text[place : place + 1].upper() + text[place + 1 :]


def load_inflector(text: str) -> tuple[str, Inflector]:
    """The name and the function of `NAME=MODULE:FUNCTION`; the module may be in this folder."""
    name, equals, where = text.partition("=")
    if not equals or not name or not where:
        raise UsageError(f"'{text}' must be NAME=VALUE.")
    module, _, function = where.partition(":")
    sys.path.insert(0, "")  # as with `python -m`
    try:
        return name, cast("Inflector", getattr(import_module(module), function))
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"Cannot load --inflector {text}: {error}. Write NAME=MODULE:FUNCTION.") from None
    finally:
        sys.path.remove("")


def plain(inflector: Inflector) -> Function:
    """A function of texts as one of arguments: called for each way to take one choice of each."""

    def call(lemma: str, arguments: Sequence[Argument]) -> list[str]:
        if any(argument.negated for argument in arguments):
            raise ValueError("'not' works in tables only")
        forms: list[str] = []
        for chosen in product(*(argument.choices for argument in arguments)):
            inflected = inflector(lemma, *chosen)
            forms += [inflected] if isinstance(inflected, str) else inflected
        return forms

    return call


BUILT_IN: Mapping[str, Inflector] = {
    "a": article,
    "capital": capitalized,
    "tense": verb_phrase,
    **{name: partial(inflect, tag=tag) for name, tag in TAGS.items()},
    **{tag: partial(inflect, tag=tag) for tag in TAGS.values()},
}


class Filler:
    """Knows all functions, and fills texts."""

    def __init__(self, tables: Mapping[str, FormTable], inflectors: Mapping[str, Inflector]) -> None:
        self._functions: dict[str, Function] = {name: plain(call) for name, call in BUILT_IN.items()}
        self._functions |= tables
        self._own = frozenset(inflectors)
        self._functions |= {name: plain(call) for name, call in inflectors.items()}

    def text(self, template: str, columns: Columns) -> str:
        """The text with the first form of each placeholder."""
        parts = []
        for piece in parse(template):
            if isinstance(piece, str):
                parts.append(piece)
                continue
            forms, _ = self._forms(piece, columns)
            parts.append(forms[0])
        return "".join(parts)

    def expression(self, template: str, columns: Columns) -> str:
        """The expression with all forms of each placeholder as alternatives, escaped unless `|regex` is last.

        A `NoFormError` says that no form is left of one.
        """
        parts = []
        for piece in parse(template):
            if isinstance(piece, str):
                parts.append(piece)
                continue
            forms, is_pattern = self._forms(piece, columns)
            joined = "|".join(form if is_pattern else escaped(form) for form in forms)
            alone = len(forms) == 1 and not (is_pattern and "|" in joined) and not piece.quantified
            parts.append(joined if alone else f"(?:{joined})")
        return "".join(parts)

    def _forms(self, placeholder: Placeholder, columns: Columns) -> tuple[Sequence[str], bool]:
        """The forms, and whether they are patterns."""
        if placeholder.literal is not None:
            forms: Sequence[str] = (placeholder.literal,)
        else:
            forms = _column(placeholder.slot, placeholder.column, columns)
        calls = placeholder.calls
        is_pattern = bool(calls) and calls[-1].name == REGEX
        for call in calls[:-1] if is_pattern else calls:
            arguments = [_resolved(argument, columns) for argument in call.arguments]
            forms = list(
                dict.fromkeys(form for lemma in forms for form in self._call(call, lemma, arguments))
            )
        if not forms:
            raise NoFormError(f"'{{{placeholder.text}}}' leaves no form")
        return forms, is_pattern

    def _call(self, call: Call, lemma: str, arguments: Sequence[Argument]) -> Sequence[str]:
        if call.name not in self._functions:
            available = ", ".join([*self._functions, REGEX])
            raise ValueError(f"no function or table '{call.name}'. Available: {available}")
        try:
            return self._functions[call.name](lemma, arguments)
        except TypeError as error:
            raise ValueError(f"'{call.name}' cannot be called so: {error}") from None
        except Exception as error:
            if call.name not in self._own or isinstance(error, MtassayError | ValueError):
                raise
            what = f"{type(error).__name__}: {error}"
            raise ValueError(f"'{call.name}' failed for '{lemma}' ({what})") from error


def _column(slot: str, column: str, columns: Columns) -> tuple[str, ...]:
    record = columns[slot]
    if not column:
        return next(iter(record.values()))
    if column not in record:
        raise ValueError(
            f"'{next(iter(record.values()))[0]}' of '{slot}' has no '{column}'. It has: {', '.join(record)}"
        )
    return record[column]


def _resolved(argument: Argument, columns: Columns) -> Argument:
    """With references to slots replaced by what the records at hand say."""
    choices: list[str] = []
    for choice in argument.choices:
        slot, _, column = choice.partition(".")
        choices += _column(slot, column, columns) if slot in columns else (choice,)
    return Argument(tuple(choices), argument.negated)
