"""How often a metric prefers the correct output of a pair (Macketanz et al. 2022, section 4.3).

Pairs of one item are not independent, so the item is the unit: its value is the share of its pairs in which
the correct output scores strictly higher. A tie is not right; it is counted apart. Every item counts the
same, however many pairs it has.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mtassay.data.formats.evaluation_files import ChallengePair
from mtassay.data.nouns import Comparison, Edit, Result, Score
from mtassay.nlp.annotation import Annotation, Token
from mtassay.stats import proportions
from mtassay.stats.comparisons import MACRO, MICRO, Compare, defined, exact, joined, permutation, ranked
from mtassay.stats.proportions import effective_trials, small_sample_factor

# Yes to no, and no to yes: how a text is made to say the opposite, by language.


_NO = {
    "en": r"\b(?:not|never|cannot|no|none|nobody|nothing|nowhere|neither|nor|without|hardly)\b|n['’]t\b",
    "pt": r"\b(?:não|nunca|jamais|nenhum\w*|ninguém|nem|nada|tampouco|sem)\b",
    "es": r"\b(?:no|nunca|jamás|ningún|ningun[oa]s?|nadie|ni|nada|tampoco|sin)\b",
    "it": r"\b(?:non|nessun\w*|niente|nulla|né|mai|neanche|nemmeno|neppure|senza)\b",
    "fr": r"\b(?:ne|pas|jamais|rien|aucune?|ni|sans|personne)\b|\bn['’]",
    "de": r"\b(?:nicht|kein\w{0,2}|nie|niemals|niemand\w{0,2}|nichts|weder|ohne|kaum)\b",
    "zh": r"不|没|無|无|未|非|别",
}
FLIPPED = tuple(_NO)
"""The languages that are known here."""

_FORMAL = re.compile(
    r"only|just|merely|simply|least|until|necessarily|all|every\w*|yet|so|too|sure"
    r"|só|apenas|somente|obstante|sólo|solo|solamente|soltanto|seulement|nur|bloß",
    re.IGNORECASE,
)
"""What follows a negation that denies something else, or nothing."""


def says_no(text: str, language: str) -> bool:
    """Whether anything in a text denies; never, in a language that is not known here.

    >>> says_no("She didn't come.", "en"), says_no("Ela veio.", "pt")
    (True, False)
    """
    pattern = _NO.get(language)
    return pattern is not None and re.search(pattern, text.casefold()) is not None


def flips(text: Annotation, language: str) -> Iterator[Edit]:
    """All single changes that turn a statement of the text round; none in a language that is not known.

    >>> [(edit.before, edit.after) for edit in flips(Annotation("他会来。"), "zh")]
    [('会', '不会')]
    """
    if language in _FLIPS and not text.text.rstrip().endswith(("?", "？")):
        yield from _FLIPS[language](text)


def _english(text: Annotation) -> Iterator[Edit]:
    tokens = text.tokens
    if says_no(text.text, "en"):
        for i, token in enumerate(tokens[1:], 1):
            behind = tokens[i + 1].text if i + 1 < len(tokens) else ""
            if token.lemma != "not" or tokens[i - 1].pos != "AUX" or _FORMAL.fullmatch(behind):
                continue
            whole = {"ca": "can", "wo": "will", "sha": "shall"}.get(tokens[i - 1].text.lower())
            if whole and token.text.lower() != "not":
                yield _edit(text, tokens[i - 1].start, token.end, whole)
            else:
                start = token.start - 1 if text.text[token.start - 1].isspace() else token.start
                yield _edit(text, start, token.end, "")
        return
    for i, token in enumerate(tokens):
        following = tokens[i + 1] if i + 1 < len(tokens) else None
        if following is None or not i:
            continue
        if token.pos == "AUX" and (token.tag == "MD" or token.features.get("VerbForm") == "Fin"):
            # "Is it": the subject comes behind, and "have to" takes another way.
            if following.text.lower() not in ("to", "until") and following.relation not in (
                "nsubj",
                "nsubjpass",
                "expl",
            ):
                yield _edit(text, token.end, token.end, " not")
        elif token.pos == "VERB" and token.tag in ("VBD", "VBZ") and token.relation in ("root", "ccomp"):
            joined = any(t.head == i and t.relation in ("conj", "aux", "auxpass", "neg") for t in tokens)
            if token.lemma.isalpha() and token.lemma != token.text and not joined:
                helper = "did" if token.tag == "VBD" else "does"
                yield _edit(text, token.start, token.end, f"{helper} not {token.lemma}")


def _before_the_verb(word: str, language: str) -> Callable[[Annotation], Iterator[Edit]]:
    """For languages that put one word before the finite verb and its pronouns: não, no, non."""

    def flip(text: Annotation) -> Iterator[Edit]:
        tokens = text.tokens
        if says_no(text.text, language):
            for i, token in enumerate(tokens[:-1]):
                following = tokens[i + 1]
                is_before_verb = following.pos in ("VERB", "AUX") or _is_clitic(following)
                if token.text.lower() == word and is_before_verb and (not i or tokens[i - 1].text != "se"):
                    yield _without(text, token, following)
            return
        for i, token in enumerate(tokens):
            if token.pos in ("VERB", "AUX") and token.features.get("VerbForm") == "Fin":
                # Of "has been made" the first verb is the one that is denied.
                if i and tokens[i - 1].pos == "AUX":
                    continue
                first = i
                while first and _is_clitic(tokens[first - 1]):
                    first -= 1
                yield _prefixed(text, tokens[first], word)

    return flip


def _is_clitic(token: Token) -> bool:
    return token.pos == "PRON" and "Nom" not in token.features.get("Case", "Nom")


def _without(text: Annotation, token: Token, following: Token) -> Edit:
    """Without a word, and with a capital behind it where it had one."""
    first = following.text[:1].upper() if token.text[:1].isupper() else following.text[:1]
    return _edit(text, token.start, following.start + 1, first)


def _prefixed(text: Annotation, token: Token, word: str) -> Edit:
    if token.start == 0 and token.text[:1].isupper():
        return _edit(text, 0, 1, f"{word.capitalize()} {token.text[:1].lower()}")
    return _edit(text, token.start, token.start, f"{word} ")


def _french(text: Annotation) -> Iterator[Edit]:
    tokens = text.tokens
    if says_no(text.text, "fr"):
        # One edit cannot take both parts out, but in between there is only the verb.
        for match in re.finditer(r"\b(?:ne |n['’])(\S+) pas\b(?! (?:seulement|que)\b)", text.text):
            yield _edit(text, match.start(), match.end(), match[1])
        return
    for i, token in enumerate(tokens):
        if token.pos in ("VERB", "AUX") and token.features.get("VerbForm") == "Fin":
            before = tokens[i - 1] if i else None
            if (
                before is None
                or _is_clitic(before)
                or before.pos == "AUX"
                or before.text.endswith(("'", "’"))
            ):
                continue
            ne = "n'" if token.text[:1].lower() in "aeiouéêhy" else "ne "
            yield _edit(text, token.start, token.end, f"{ne}{token.text} pas")


def _german(text: Annotation) -> Iterator[Edit]:
    if says_no(text.text, "de"):
        for match in re.finditer(
            r"\bnicht (?!nur\b|bloß\b|zuletzt\b)|\bk(?=ein(?:e|en|em|er|es)?\b)", text.text
        ):
            yield _edit(text, match.start(), match.end(), "")
        return
    for match in re.finditer(r"\bein(?=(?:e|en|em|er|es)? [\wÄÖÜäöüß])", text.text):
        yield _edit(text, match.start(), match.start(), "k")


def _chinese(text: Annotation) -> Iterator[Edit]:
    if says_no(text.text, "zh"):
        for match in re.finditer(r"不(?=[是会能可要想])|没(?=有)", text.text):
            yield _edit(text, match.start(), match.end(), "")
        return
    for match in re.finditer(
        r"(?<![总但要就还只可不])是(?!否)|(?<![机社开大])会(?![议员])|可以|(?<!只)能(?![力源够量])|有(?!些|的|人)",
        text.text,
    ):
        yield _edit(
            text, match.start(), match.end(), ("没" if match.group() == "有" else "不") + match.group()
        )


def _edit(text: Annotation, start: int, end: int, after: str) -> Edit:
    return Edit(start, end, text.text[start:end], after)


_FLIPS: dict[str, Callable[[Annotation], Iterator[Edit]]] = {
    "en": _english,
    "pt": _before_the_verb("não", "pt"),
    "es": _before_the_verb("no", "es"),
    "it": _before_the_verb("non", "it"),
    "fr": _french,
    "de": _german,
    "zh": _chinese,
}


# How often a metric prefers the correct output of a pair (Macketanz et al. 2022, section 4.3).


Floats = NDArray[np.float64]
Kind = Literal["reference-based", "reference-free"]
KINDS: tuple[Kind, ...] = ("reference-based", "reference-free")
ACCURACY, TIES, KENDALL = "accuracy", "ties", "kendall"


@dataclass(frozen=True, slots=True, eq=False)
class MetricScores:
    """What one metric gave to both outputs of each pair; higher is better, nan means no score."""

    name: str
    label: str
    kind: Kind
    correct: Floats
    incorrect: Floats
    signature: str = ""

    @property
    def missing(self) -> int:
        """How many pairs it cannot be judged by."""
        return int(np.isnan(self.correct - self.incorrect).sum())


@dataclass(frozen=True, slots=True)
class ChallengeSettings:
    """What makes a row, and how metrics are compared."""

    by: Literal["category", "phenomenon"] = "category"
    alpha: float = 0.05
    samples: int = 1000
    seed: int | None = 12345


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Shares (items, metrics) of an item's pairs, -1 where a metric has none; and how many pairs it has."""

    shares: Floats
    pairs: NDArray[np.int64]

    @classmethod
    def of(cls, items: NDArray[np.int64], values: Floats) -> _Table:
        """From the item (whole numbers from 0 up) and the values (pairs, metrics) of each pair, or nan."""
        scored = ~np.isnan(values)
        sums = np.zeros((int(items.max(initial=-1)) + 1, values.shape[1]))
        counts = np.zeros(sums.shape, dtype=np.int64)
        np.add.at(sums, items, np.where(scored, values, 0.0))
        np.add.at(counts, items, scored)
        return cls(np.where(counts > 0, sums / np.maximum(counts, 1), -1.0), counts)

    def of_items(self, rows: Sequence[int]) -> _Table:
        """The same for some of the items."""
        return _Table(self.shares[rows], self.pairs[rows])


def item_codes(pairs: Sequence[ChallengePair]) -> tuple[NDArray[np.int64], list[ChallengePair]]:
    """A whole number from 0 up for the item of each pair, and the first pair of each item."""
    first: dict[str, ChallengePair] = {}
    for pair in pairs:
        first.setdefault(pair.item, pair)
    places = {item: place for place, item in enumerate(first)}
    return np.array([places[pair.item] for pair in pairs], dtype=np.int64), list(first.values())


def grouped(keys: Sequence[str]) -> dict[str, list[list[int]]]:
    """The rows of each group in order of appearance, as one part; then all rows, and all groups as parts."""
    rows: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        rows.setdefault(key, []).append(row)
    return {
        **{key: [part] for key, part in rows.items()},
        MICRO: [list(range(len(keys)))],
        MACRO: [*rows.values()],
    }


def pairwise(
    pairs: Sequence[ChallengePair], metrics: Sequence[MetricScores], settings: ChallengeSettings
) -> Result:
    """Pairwise accuracy in percent of every metric in each group, then "micro" and "macro".

    Scores are named "accuracy:reference-based" or "accuracy:reference-free", by what the metric reads, with
    the metric as `system`, and n is the number of items. "ties" is the share of pairs with equal scores, in
    percent, and "kendall" (right − wrong) / all, from −1 to 1, with ties in "all" only. Comparisons and
    clusters are within one kind, by the exact paired test where every item has one pair, else by a paired
    permutation test over items, which the macro average always has.
    """
    codes, first = item_codes(pairs)
    groups = grouped([getattr(pair, settings.by) for pair in first])
    results = []
    for kind in KINDS:
        chosen = [metric for metric in metrics if metric.kind == kind]
        if not chosen:
            continue
        above = np.stack([metric.correct - metric.incorrect for metric in chosen], axis=1)
        for name, values in (
            (f"{ACCURACY}:{kind}", np.where(np.isnan(above), np.nan, above > 0)),
            (TIES, np.where(np.isnan(above), np.nan, above == 0)),
            (KENDALL, (np.sign(above) + 1) / 2),
        ):
            table = _Table.of(codes, values)
            for group, parts in groups.items():
                tables = [table.of_items(rows) for rows in parts]
                scores = [_score(name, group, metric, i, tables) for i, metric in enumerate(chosen)]
                results.append(Result(scores))
                if name.startswith(ACCURACY) and len(chosen) > 1:
                    compare = _comparison([part.shares for part in tables], settings)
                    results.append(ranked(scores, compare, alpha=settings.alpha))
    return joined(results)


def between_kinds(
    pairs: Sequence[ChallengePair],
    metrics: Sequence[MetricScores],
    result: Result,
    settings: ChallengeSettings,
) -> Comparison | None:
    """The best metric of the one kind against the best of the other, on the items that both can be judged by.

    The best have the highest micro averages; `a` is the better of the two on their common items. `None`
    where there is only one kind, or no common item.
    """
    best = []
    for kind in KINDS:
        micro_scores = [
            score
            for score in result.scores
            if (score.name, score.group) == (f"{ACCURACY}:{kind}", MICRO) and score.value is not None
        ]
        if not micro_scores:
            return None
        name = max(micro_scores, key=lambda score: score.value or 0.0).system
        best.append(next(metric for metric in metrics if metric.name == name))
    above = np.stack([metric.correct - metric.incorrect for metric in best], axis=1)
    common = np.flatnonzero(~np.isnan(above).any(axis=1))
    if not len(common):
        return None
    codes, _ = item_codes([pairs[place] for place in common.tolist()])
    shares = _Table.of(codes, (above[common] > 0).astype(np.float64)).shares
    means = 100 * shares.mean(axis=0)
    a, b = (0, 1) if means[0] >= means[1] else (1, 0)
    p = float(_comparison([shares], settings)(a, [b])[0])
    return Comparison(ACCURACY, MICRO, best[a].name, best[b].name, float(means[a] - means[b]), p)


def _score(name: str, group: str, metric: MetricScores, column: int, tables: Sequence[_Table]) -> Score:
    """The mean over items, or over parts of such means; the interval needs no draws."""
    means, trials, n = [], [], 0
    for table in tables:
        shares = table.shares[:, column]
        counted = shares >= 0
        size = int(counted.sum())
        if size:
            variance = float(shares[counted].var(ddof=1)) / size if size > 1 else math.nan
            variance /= small_sample_factor(size)
            mean = float(shares[counted].mean())
            most = float(table.pairs[:, column].sum())
            means.append(mean)
            trials.append(effective_trials(mean, variance, least=size, most=most))
            n += size
    value = float(np.mean(means)) if means else math.nan
    correct = np.array(means) * trials
    if len(means) == 1:
        low, high = proportions.wilson(float(correct[0]), trials[0])
    else:
        low, high = map(float, proportions.macro_interval(correct, np.array(trials)))
    scale, shift = (2.0, -1.0) if name == KENDALL else (100.0, 0.0)
    value, low, high = (scale * number + shift for number in (value, low, high))
    return Score(name, metric.name, group, defined(value), n, defined(low), defined(high), metric.signature)


def _comparison(parts: Sequence[Floats], settings: ChallengeSettings) -> Compare:
    if len(parts) == 1 and np.isin(parts[0], (-1, 0, 1)).all():
        return exact(parts[0])
    return permutation(parts, samples=settings.samples, seed=settings.seed)
