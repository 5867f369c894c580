"""The judge: does a translation hold an error, how likely is that, and why.

For a language pair whose weights a pack has, clues are added up by a logistic model that was trained on
labelled outputs (`models/judge`). For all others there are rules: what a default detector of the pair
suspects is wrong, and so is an output far from its reference, or with a negation that its reference does not
have. Between right and wrong the judge says that it does not know.
"""

from __future__ import annotations

import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple, SupportsIndex

from mtassay.data.language_packs import missing_pack, pack_file
from mtassay.data.languages import Pair
from mtassay.data.nouns import Verdict
from mtassay.measures.clues import ClueFinder
from mtassay.measures.detector import (
    AnnotatedAnswer,
    Clue,
    PairDetector,
    Suspicion,
    installed_detectors,
    open_detectors,
)
from mtassay.measures.likelihood import CONTRASTS, LIKELIHOODS
from mtassay.measures.polarity import find_polarity
from mtassay.nlp.encoder import Encoder, encoder_version, is_installed, open_encoder, unit
from mtassay.nlp.normalisation import plain_marks

__all__ = [
    "Opinion",
    "Reason",
    "RuleJudge",
    "TrackRecord",
    "TrainedJudge",
    "TranslationJudge",
    "Weights",
    "is_trained",
    "open_judge",
]


class TrackRecord(NamedTuple):
    """How a judge did on labelled outputs that had no part in how it judges.

    Of `n` outputs by an `engine`, `wrong` hold an error; it called `failed` of all and `caught` of the wrong
    ones wrong, and left `undecided` open.
    """

    engine: str
    n: int
    wrong: int
    failed: int
    caught: int
    undecided: int

    def tell(self) -> str:
        """The same in words.

        >>> TrackRecord("nmt", 300, 100, 75, 60, 80).tell()
        'sees 6 of 10 errors of nmt, and 8 of 10 that it reports are errors (n = 300)'
        """
        seen, right = (round(10 * self.caught / max(whole, 1)) for whole in (self.wrong, self.failed))
        return (
            f"sees {seen} of 10 errors of {self.engine}, and {right} of 10 that it reports are errors "
            f"(n = {self.n})"
        )


class Reason(NamedTuple):
    """One line that speaks for an error: the clue's name, how much it adds (in logits), what it is about."""

    name: str
    weight: float
    why: str
    words: tuple[str, ...] = ()


class Opinion(NamedTuple):
    """What the judge makes of one output: `reasons` are those for an error, strongest first.

    `probability` is that of an error; `None` where there are only rules. `kind` names the weights.
    """

    verdict: Verdict
    probability: float | None = None
    reasons: tuple[Reason, ...] = ()
    kind: str = ""

    def with_threshold(self, fail: float) -> Opinion:
        """The same where an answer is called wrong from the probability `fail` on; below, it is not.

        >>> [Opinion(v, p).with_threshold(0.6).verdict for v, p in (("fail", 0.5), ("undecided", 0.7))]
        ['undecided', 'fail']
        """
        if self.probability is None:
            return self
        if self.probability >= fail:
            return self._replace(verdict="fail")
        return self._replace(verdict="undecided") if self.verdict == "fail" else self

    @property
    def why(self) -> str:
        """The reasons in a line."""
        return "; ".join(reason.why for reason in self.reasons)


class TranslationJudge(ABC):
    """Gives its opinion of outputs in one language pair."""

    pair: Pair

    @abstractmethod
    def judge(self, answers: Sequence[AnnotatedAnswer]) -> list[Opinion]:
        """One opinion for each answer, in order."""

    @property
    @abstractmethod
    def signature(self) -> str:
        """What its opinions depend on."""

    @abstractmethod
    def known(self, opinions: Sequence[Opinion], *, engine: str = "") -> str:
        """What is known of how well it judges outputs of an engine, where these are its opinions of them.

        An empty `engine` is one that is not known.
        """

    def can_use_back(self, opinion: Opinion) -> bool:
        """Whether a translation back would change what it goes by, where this is its opinion without one."""
        return False


_LEAST = 0.1
"""A clue that adds less, in logits, is no reason."""
_MOST = 4
_EMPTY = Opinion("fail", 1.0, (Reason("empty", math.inf, "the output is empty"),))


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic model for answers of one kind.

    `clues` has for each the weight and its usual value. An answer is called wrong from the probability `fail`
    on, and right below `passes`. `tested` says that `records` are of sentences kept apart for a test, and not
    by cross-validation. `experts` is of an engine whose outputs experts annotated: how many it reported, and
    in how many of these they found an error.
    """

    bias: float
    clues: Mapping[str, tuple[float, float]]
    fail: float
    passes: float
    records: tuple[TrackRecord, ...] = ()
    tested: bool = False
    experts: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Weights:
        """Read from the file."""
        clues = {name: (weight, usual) for name, (weight, usual) in record["clues"].items()}
        records = tuple(TrackRecord(**entry) for entry in record["records"])
        reported, confirmed = record.get("experts", (0, 0))
        return cls(
            record["bias"], clues, record["fail"], record["passes"], records, record["tested"],
            (reported, confirmed),
        )  # fmt: skip

    def opinion(self, clues: Mapping[str, Clue]) -> Opinion:
        """What these clues come to."""
        parts = {name: weight * (clues[name].value - usual) for name, (weight, usual) in self.clues.items()}
        probability = 1 / (1 + math.exp(-self.bias - sum(parts.values())))
        if probability >= self.fail:
            verdict: Verdict = "fail"
        else:
            verdict = "pass" if probability < self.passes else "undecided"
        reasons = [
            Reason(name, round(part, 3), clues[name].why, clues[name].words)
            for name, part in sorted(parts.items(), key=lambda item: -item[1])
            if part >= _LEAST and clues[name].why
        ]
        return Opinion(verdict, round(probability, 4), tuple(reasons[:_MOST]))


@dataclass(frozen=True)
class TrainedJudge(TranslationJudge):
    """Adds up clues; the weights depend on whether there is a reference, and what else is at hand.

    That is what translation models on this machine say: much of a translation like theirs, of any other only
    how it stands to its reference; or else a translation back.
    """

    pair: Pair
    finder: ClueFinder
    weights: Mapping[str, Weights]
    content: str

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        # Another process opens it for itself, once: its lists of words are large.
        if is_installed() and self.finder.encoder is open_encoder():
            return _reopen_judge, (self.pair,)
        return super().__reduce_ex__(protocol)

    def judge(self, answers: Sequence[AnnotatedAnswer]) -> list[Opinion]:
        """One opinion for each answer, in order."""
        clues = self.finder.find(answers)
        opinions = []
        for answer, own in zip(answers, clues, strict=True):
            kind = kind_of(answer, own)
            opinion = self.weights[kind].opinion(own) if _says_something(answer) else _EMPTY
            opinions.append(opinion._replace(kind=kind))
        return opinions

    @property
    def signature(self) -> str:
        """The language pair, digests of weights and translation models, and the encoder's release."""
        models = self.finder.likelihoods
        read_with = f"-models-{models.signature}" if models else ""
        return f"trained-{self.pair}-{self.content}-marks{read_with}{_release()}"

    def can_use_back(self, opinion: Opinion) -> bool:
        """Where there are weights for it: not where translation models read along."""
        return f"{opinion.kind}+back" in self.weights

    def known(self, opinions: Sequence[Opinion], *, engine: str = "") -> str:
        """The engine's own record for the kind of answers that most of these are; else those of others."""
        kinds = [opinion.kind for opinion in opinions] or list(self.weights)
        ((kind, _),) = Counter(kinds).most_common(1)  # of several the first, whatever Python's seed
        weights = self.weights[kind]
        how = "on sentences kept apart, with" if weights.tested else "by cross-validation on"
        if own := [record for record in weights.records if record.engine == engine]:
            return f"The judge {own[0].tell()}: measured on this engine, {how} labels of language models."
        told = "; ".join(record.tell() for record in weights.records)
        reported, confirmed = weights.experts
        experts = f" Of a third one, experts found errors in {confirmed} of {reported} outputs it reported."
        return (
            f"How often the judge is right about your engine is unknown. Measured on {self.pair} outputs of "
            f"another one, {how} labels of language models, it {told}.{experts if reported else ''}"
        )


def _says_something(answer: AnnotatedAnswer) -> bool:
    return bool(plain_marks(answer.output.text).strip())


def _release() -> str:
    """Which release of the encoder is installed, for a signature."""
    return f"-use-{encoder_version()}" if is_installed() else ""


def kind_of(answer: AnnotatedAnswer, clues: Mapping[str, Clue]) -> str:
    """What weights an answer with these clues is judged with."""
    kind = "reference" if any(map(str.strip, answer.references)) else "source"
    if LIKELIHOODS[0] in clues:
        return f"{kind}+models"
    if CONTRASTS[0] in clues:
        return f"{kind}+contrast"
    return kind if answer.back is None else f"{kind}+back"


_NEAR, _FAR = 0.76, 0.55
"""Cosines with the reference: from the one on an output is right, below the other it is wrong."""


@dataclass(frozen=True)
class RuleJudge(TranslationJudge):
    """Calls wrong what a default detector suspects, and what is far from its reference; gives no probability.

    So it does where a negation is lost or added, and the references bear it out. An output without a
    reference, which nothing is suspected of, is undecided.
    """

    pair: Pair
    detectors: tuple[str, ...]
    encoder: Encoder | None = None

    def judge(self, answers: Sequence[AnnotatedAnswer]) -> list[Opinion]:
        """One opinion for each answer, in order."""
        numbered = [replace(answer, id=str(number)) for number, answer in enumerate(answers)]
        reasons: dict[int, list[Reason]] = {}
        for detector in open_detectors(self.detectors, self.pair):
            found: list[Suspicion] = detector.suspects(numbered) if isinstance(detector, PairDetector) else []
            for suspicion in found:
                reason = Reason(detector.name, 1.0, suspicion.why)
                reasons.setdefault(int(suspicion.id), []).append(reason)
        polarity = find_polarity(self.pair)
        for suspicion in polarity.contradictions(numbered) if polarity else ():
            reasons.setdefault(int(suspicion.id), []).append(Reason("polarity", 1.0, suspicion.why))
        cosines = self._cosines(answers)
        return [
            self._opinion(reasons.get(number, []), cosine) if _says_something(answer) else _EMPTY
            for number, (answer, cosine) in enumerate(zip(answers, cosines, strict=True))
        ]

    def _opinion(self, reasons: Sequence[Reason], cosine: float | None) -> Opinion:
        if cosine is not None and cosine < _NEAR:
            why = f"far from the reference in meaning (cosine {cosine:.2f})"
            reasons = [*reasons, Reason("meaning", _NEAR - cosine, why)]
        if any(reason.name != "meaning" for reason in reasons) or (cosine is not None and cosine < _FAR):
            return Opinion("fail", None, tuple(reasons))
        return Opinion(
            "pass" if cosine is not None and cosine >= _NEAR else "undecided", None, tuple(reasons)
        )

    def _cosines(self, answers: Sequence[AnnotatedAnswer]) -> list[float | None]:
        """With the nearest reference; `None` where there is none, or no encoder."""
        if self.encoder is None:
            return [None] * len(answers)
        texts = sorted({t for a in answers for t in (a.output.text, *a.references) if t.strip()})
        rows = dict(zip(texts, unit(self.encoder(texts)), strict=True)) if texts else {}
        cosines: list[float | None] = []
        for answer in answers:
            output = rows.get(answer.output.text)
            near = [float(rows[t] @ output) for t in answer.references if t in rows and output is not None]
            cosines.append(max(near, default=None))
        return cosines

    @property
    def signature(self) -> str:
        """The detectors, the cosines that count, and the encoder's release."""
        near = f"+cosine-{_FAR:g}-{_NEAR:g}{_release()}" if self.encoder else ""
        polarity = "+negation" if find_polarity(self.pair) else ""
        return f"rules-{'+'.join(self.detectors) or 'none'}{polarity}-marks{near}"

    def known(self, opinions: Sequence[Opinion], *, engine: str = "") -> str:
        """That nothing is known, and where a judge that was trained for the pair is to be had."""
        better = missing_pack("judges", str(self.pair), what="a trained one")
        told = f"The judge goes by rules; how many errors it sees is not measured for {self.pair}."
        return f"{told} {better}".strip()


def open_judge(pair: Pair, *, encoder: Encoder | None = None) -> TranslationJudge:
    """The trained judge of a pair if there is one and the sentence encoder is installed; else rules."""
    if encoder is None and is_installed():
        encoder = open_encoder("the judge")
    weights, path = _read_weights(str(pair)), pack_file("judges", str(pair))
    if weights and path and encoder is not None:
        content = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
        return TrainedJudge(pair, ClueFinder.open(pair, encoder=encoder), weights, content)
    return RuleJudge(pair, installed_detectors(pair), encoder)


@cache
def _reopen_judge(pair: Pair) -> TranslationJudge:
    return open_judge(pair)


def is_trained(pair: Pair) -> bool:
    """Whether the trained judge can serve this pair here."""
    return bool(_read_weights(str(pair))) and is_installed()


@cache
def _read_weights(pair: str) -> dict[str, Weights]:
    path = pack_file("judges", pair)
    if path is None:
        return {}
    return {kind: Weights.of(record) for kind, record in json.loads(path.read_text("utf-8")).items()}
