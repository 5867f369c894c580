"""Tables of inflected forms: what a lemma looks like with these features."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from mtassay.methods.suite.templates.placeholders import Argument

__all__ = ["FormTable", "InflectedForm"]

_BETWEEN = re.compile(r"[\s;,]+")


def features_of(text: str) -> frozenset[str]:
    """Features are words in any order, with spaces or, as in UniMorph, semicolons between them."""
    return frozenset(word for word in _BETWEEN.split(text) if word)


@dataclass(frozen=True, slots=True)
class InflectedForm:
    """One form of a lemma."""

    features: frozenset[str]
    form: str


@dataclass(frozen=True, slots=True)
class FormTable:
    """The forms of each lemma, in the order of the file."""

    name: str
    entries: Mapping[str, Sequence[InflectedForm]]

    def __call__(self, lemma: str, arguments: Sequence[Argument]) -> list[str]:
        """The forms with these features; entries with more features count where none has just these.

        With a negated argument: those of the forms that no entry with its features has, whatever the rest of
        that entry, so that another tense that looks the same is no mistake. Only then may there be none.
        """
        if lemma not in self.entries:
            lemmas = ", ".join(list(self.entries)[:8])
            raise ValueError(f"the table '{self.name}' has no '{lemma}'. It has: {lemmas}")
        entries = self.entries[lemma]
        wanted = list(_combined(arguments))
        unwanted = [features_of(text) for a in arguments if a.negated for text in a.choices]
        if unwanted:
            out = {e.form for e in entries if any(features <= e.features for features in unwanted)}
            some = [e.form for e in entries if any(want <= e.features for want in wanted)]
            if not out or not some:
                raise ValueError(self._lacking(lemma, arguments))
            return _unique(form for form in some if form not in out)
        forms = [form for features in wanted for form in _with(entries, features)]
        if not forms:
            raise ValueError(self._lacking(lemma, arguments))
        return _unique(forms)

    def _lacking(self, lemma: str, arguments: Sequence[Argument]) -> str:
        asked = ", ".join(" or ".join(argument.choices) for argument in arguments)
        features = sorted({feature for entry in self.entries[lemma] for feature in entry.features})
        return (
            f"the table '{self.name}' has no form of '{lemma}' for '{asked}'. Features: {', '.join(features)}"
        )


def _combined(arguments: Sequence[Argument]) -> Iterator[frozenset[str]]:
    """One set of features for each way to take one choice of each argument that is not negated."""
    choices = [argument.choices for argument in arguments if not argument.negated]
    for chosen in product(*choices):
        yield frozenset().union(*map(features_of, chosen))


def _with(entries: Sequence[InflectedForm], features: frozenset[str]) -> list[str]:
    exact = [entry.form for entry in entries if entry.features == features]
    return exact or [entry.form for entry in entries if features <= entry.features]


def _unique(forms: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(forms))
