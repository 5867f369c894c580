"""The judge: the probabilities of an error and a major error in a translation, and suspect words.

One judge covers all language pairs. It adds up clues (`clues.py`) with weights that were learned from errors
marked by people, in outputs of many systems, 17 language pairs and three data sources. `bench/judging.py`
trains and measures it; docs/studies/judges.md has the results. A pack may add evidence for its pair: for
en-pt, the likelihoods of two translation models (`likelihood.py`).

Raters are not equally strict, so its probabilities are those of a typical rater. Thirty or more answers from
your own reviewers recalibrate it (`JudgeCalibration`).
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.data.language_packs import missing_pack, pack_file
from mtassay.data.languages import Pair
from mtassay.data.nouns import RunContext, Verdict
from mtassay.data.words import plain_marks
from mtassay.measures.check import CheckContext, Unit
from mtassay.measures.check_run import CheckEvidence, choose_checks, id_of, run_checks
from mtassay.measures.clues import ClueFinder, Clues, JudgedAnswer, Suspect
from mtassay.measures.likelihood import Clue, Likelihoods, find_likelihoods
from mtassay.measures.polarity import find_polarity
from mtassay.nlp.encoder import encoder_version, is_installed, open_reader

OURS = "ours"
"""The name of the judge for all pairs."""
PRECISION, LIFT = 0.68, 1.5
"""The lowest expected share of errors among outputs called wrong, and its ratio to the usual share.

High probabilities are cautious: with a reference, people found an error in 76 to 78 % of these outputs.
"""
MOST = 0.72
"""An expected precision that is enough even if most outputs have an error."""
SURE = ("refusal", "obeyed", "wrong-language", "untranslated")
"""Checks whose alarm makes an output wrong, and the error critical."""
_GRAVE = ("placeholders", "message-format", "tags", "numbers")
"""Checks whose alarm makes an error critical if the judge calls the output wrong and the error major."""
SEVERITY = 2.0
"""The relative weight of severity, compared with level, in the log-odds of any error."""
RIGHT = 0.25
"""The largest probability of an error at which an output is called right."""
ENOUGH = 30
"""The number of human answers needed to recalibrate the judge."""


class Reason(NamedTuple):
    """One line of evidence for an error: the kind of clue, its weight, and the words that it names."""

    name: str
    weight: float
    why: str
    words: tuple[str, ...] = ()


class Opinion(NamedTuple):
    """A judge's opinion of one output; `reasons` speak for an error, strongest first.

    `probability` is the probability of an error and `major` that of a major error; `None` if the judge gives
    none. `kind` names the compared texts.
    """

    verdict: Verdict
    probability: float | None = None
    reasons: tuple[Reason, ...] = ()
    kind: str = ""
    major: float | None = None

    def with_threshold(self, fail: float) -> Opinion:
        """Return the opinion with the verdict "fail" only if the probability is at least `fail`.

        >>> [Opinion(v, p).with_threshold(0.6).verdict for v, p in (("fail", 0.5), ("undecided", 0.7))]
        ['undecided', 'fail']
        """
        if self.probability is None:
            return self
        if self.probability >= fail:
            return self._replace(verdict="fail")
        return self._replace(verdict="undecided") if self.verdict == "fail" else self

    @property
    def severity(self) -> str:
        """The severity of an output called wrong: "major" if this is more likely than not, else "minor".

        It is "critical" if a check is certain: a negation is lost or added, or the output is a refusal or in
        another language. It is also "critical" if the error is major and a number or a placeholder is wrong.
        """
        if self.verdict != "fail":
            return ""
        is_major = self.major is None or self.major >= 0.5
        if any(math.isinf(r.weight) or (is_major and r.name in _GRAVE) for r in self.reasons):
            return "critical"
        return "major" if is_major else "minor"

    @property
    def why(self) -> str:
        """The reasons on one line."""
        return "; ".join(reason.why for reason in self.reasons)


class JudgeCalibration(NamedTuple):
    """A recalibration of the judge's log-odds for one system and its reviewers, learned from `n` answers.

    >>> said, wrong = [0.2, 0.4, 0.6, 0.8] * 10, [False, False, False, True] * 10
    >>> fitted = JudgeCalibration.of(said, wrong)
    >>> [round(fitted(p), 2) for p in (0.2, 0.8)]
    [0.02, 0.63]
    """

    shift: float = 0.0
    slope: float = 1.0
    n: int = 0
    doubt: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The variance of the shift, the covariance, and the variance of the slope."""

    @classmethod
    def of(
        cls, probabilities: Sequence[float], wrong: Sequence[bool], *, usual: float = 1.0
    ) -> JudgeCalibration:
        """Fit a calibration to the judge's probabilities and people's answers about the same outputs.

        The slope is shrunk towards the `usual` slope, since few answers say more about the share of wrong
        outputs than about the quality of the judge's ranking.
        """
        x = np.array([logit(p) for p in probabilities])
        y = np.asarray(wrong, float)
        shift, slope, hessian, firm = (1 - usual) * float(x.mean()), usual, np.eye(2), 8 / usual**2
        for _ in range(50):
            p = 1 / (1 + np.exp(-(shift + slope * x)))
            w = p * (1 - p)
            gradient = np.array([(p - y).sum() + 0.05 * shift, ((p - y) * x).sum() + firm * (slope - usual)])
            hessian = np.array([[w.sum() + 0.05, (w * x).sum()], [(w * x).sum(), (w * x * x).sum() + firm]])
            step = np.linalg.solve(hessian, gradient)
            shift, slope = shift - float(step[0]), slope - float(step[1])
            if abs(step).max() < 1e-6:
                break
        doubt = np.linalg.inv(hessian)
        return cls(
            round(shift, 4), round(max(slope, 0.0), 4), len(y),
            (float(doubt[0, 0]), float(doubt[0, 1]), float(doubt[1, 1])),
        )  # fmt: skip

    def precision(self, probabilities: Sequence[float]) -> tuple[float, float]:
        """The likely range of the share of errors among the outputs called wrong.

        `probabilities` are the judge's probabilities for these outputs before recalibration. The range is two
        standard deviations on both sides, from the uncertainty of the fit and from chance.
        """
        x = np.array([logit(p) for p in probabilities])
        p = 1 / (1 + np.exp(-(self.shift + self.slope * x)))
        w = p * (1 - p)
        by_shift, by_slope = float(w.mean()), float((w * x).mean())
        shift, both, slope = self.doubt
        variance = by_shift**2 * shift + 2 * by_shift * by_slope * both + by_slope**2 * slope
        share, spread = float(p.mean()), 2 * math.sqrt(variance + float(w.mean()) / len(x))
        return max(share - spread, 0.0), min(share + spread, 1.0)

    def __call__(self, probability: float) -> float:
        """The recalibrated probability."""
        return _sigmoid(self.shift + self.slope * logit(probability))


class JudgeRecord(NamedTuple):
    """The judge's results on rated outputs, from documents and systems outside its training data.

    Of `n` outputs, `wrong` have an error. The judge reported `failed` outputs, of which `caught` are wrong.
    `auc` measures its ranking of outputs with a major error.
    """

    pair: str
    text: str
    raters: str
    kind: str
    n: int
    wrong: int
    failed: int
    caught: int
    auc: float

    def tell(self) -> str:
        """The record on one line.

        >>> JudgeRecord("de-en", "talks", "experts", "encoder", 204, 70, 50, 35, 0.7).tell()
        'de-en, talks, experts: 7 of 10 outputs it reports have an error; it reports 5 of 10 errors (n = 204)'
        """
        about = f"{self.pair}, {self.text}, {self.raters}"
        if self.failed < 10:
            return f"{about}: too few reports to say how many are right ({self.failed}), n = {self.n:,}"
        right, seen = (round(10 * self.caught / max(whole, 1)) for whole in (self.failed, self.wrong))
        return (
            f"{about}: {right} of 10 outputs it reports have an error; it reports {seen} of 10 errors "
            f"(n = {self.n:,})"
        )


def limit_of(probabilities: Sequence[float]) -> float:
    """The lowest probability at which outputs of a file are called wrong.

    As many outputs as possible are called wrong, highest probability first. But at least 68 % of them must be
    expected to have an error, and at least 1.5 times the usual share (but at most 72 %). In a file with fewer
    than 30 outputs, each output must reach 68 %.

    >>> limit_of([0.5] * 10), limit_of([0.2] * 60 + [0.7] * 20 + [0.9] * 20), limit_of([0.6] * 40)
    (0.68, 0.7, 1.01)
    """
    if len(probabilities) < ENOUGH:
        return PRECISION
    ordered = np.sort(np.asarray(probabilities))[::-1]
    expected = np.cumsum(ordered) / np.arange(1, len(ordered) + 1)
    wanted = min(max(PRECISION, LIFT * float(ordered.mean())), MOST)
    # Report equal probabilities together, and no output that is more probably right.
    ends = np.append(ordered[:-1] != ordered[1:], True) & (ordered >= 0.5)
    enough = np.flatnonzero(ends & (expected >= wanted))
    return float(ordered[enough[-1]]) if len(enough) else 1.01


class TranslationJudge(ABC):
    """A judge of outputs in one language pair."""

    pair: Pair
    has_memory: ClassVar[bool] = False
    """Whether it stores answers itself; then it runs in this process, without the cache."""

    def lent(self, context: RunContext, system: str) -> TranslationJudge:
        """Return the judge with the engine's tools, for outputs of one system; by default unchanged."""
        return self

    def usual_slope(self, opinions: Sequence[Opinion]) -> float:
        """The slope towards which a calibration is shrunk; 1 if the log-odds already are those of errors."""
        return 1.0

    @abstractmethod
    def judge(self, answers: Sequence[JudgedAnswer]) -> list[Opinion]:
        """Return one opinion for each answer, in order; `decide` then adds verdicts."""

    @property
    @abstractmethod
    def signature(self) -> str:
        """Everything that its opinions depend on."""

    @abstractmethod
    def record(self, opinions: Sequence[Opinion]) -> str:
        """Describe in one line how often the judge agrees with people on such outputs, if this is known."""

    def decide(
        self, opinions: Sequence[Opinion], *, calibration: JudgeCalibration | None = None
    ) -> list[Opinion]:
        """Add verdicts: outputs are wrong if an error is likely enough, and more likely than usual here.

        Without a probability, the verdict remains. A calibration changes both probabilities in the same way.
        """
        if calibration is not None:
            opinions = [_bent(opinion, calibration) for opinion in opinions]
        given = [o.probability for o in opinions if o.probability is not None]
        limit = limit_of(given)
        return [
            opinion._replace(verdict="pass")
            if opinion.probability is not None and opinion.probability <= RIGHT
            else opinion.with_threshold(limit)
            for opinion in opinions
        ]


def _bent(opinion: Opinion, calibration: JudgeCalibration) -> Opinion:
    if opinion.probability is None:
        return opinion
    major = None if opinion.major is None else round(calibration(opinion.major), 4)
    return opinion._replace(probability=round(calibration(opinion.probability), 4), major=major)


_EMPTY = Opinion("fail", 1.0, (Reason("empty", math.inf, "the output is empty"),), major=1.0)
_SIDES = {
    "output": "“{}” has no counterpart in the source{}",
    "source": "no words of the output match “{}” of the source",
    "reference": "no words of the output match “{}” of the reference",
}
_TELLING = {
    "numbers-not-in-both": "a number that is neither in the source nor in the reference",
    "numbers-lost-of-both": "a number of the source and the reference is missing",
    "repeated": "it repeats itself",
    "copied-alone": "words of the source are untranslated",
}
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """A linear model for one kind of answers, and the conversion of its sums into two probabilities.

    `clues` has the usual value and spread of each clue, and two weights per spread. One is for the severity
    of errors relative to the same rater's other marks, the other for the frequency of any error.
    """

    clues: Mapping[str, tuple[float, float, float, float]]
    any: tuple[float, float]
    major: tuple[float, float]

    @property
    def names(self) -> list[str]:
        """The clues in order."""
        return list(self.clues)

    def probabilities(self, values: Mapping[str, float]) -> tuple[float, float]:
        """The probabilities of any error and of a major error; a missing clue has its usual value."""
        severity = level = 0.0
        for name, (usual, spread, severe, often) in self.clues.items():
            if name in values:
                distance = min(max((values[name] - usual) / spread, -4.0), 4.0)
                severity += severe * distance
                level += often * distance
        any_error = _sigmoid(self.any[0] + self.any[1] * (level + SEVERITY * severity))
        return any_error, min(_sigmoid(self.major[0] + self.major[1] * severity), any_error)


def added_negations(words: Mapping[str, str], answer: JudgedAnswer, reference: str | None) -> float:
    """Whether an output has more negations than its source and its reference: 0, 0.5 or 1.

    `words` has two regular expressions for negations, in the `source` and the `target` language.

    >>> words = {"source": r"\\b(no|not)\\b", "target": r"\\bnão\\b"}
    >>> added_negations(words, JudgedAnswer("1", "He is in the city.", "Ele está não cidade."), None)
    1.0
    """
    says = len(re.findall(words["target"], answer.output, re.IGNORECASE))
    more = says > len(re.findall(words["source"], answer.source, re.IGNORECASE))
    if reference is None:
        return float(more)
    differs = says > len(re.findall(words["target"], reference, re.IGNORECASE))
    return (differs + (differs and more)) / 2


@dataclass(frozen=True)
class PairEvidence:
    """A pack's evidence for its pair: weights (log-odds) of the clues from translation models.

    `weights` has the words of negation, and a model for each kind of answers. The model's `base` scales the
    log-odds of the judge for all pairs before the clues are added.
    """

    models: Likelihoods
    weights: Mapping[str, Mapping[str, Any]]
    content: str

    def bend(
        self, answers: Sequence[JudgedAnswer], probabilities: Sequence[float]
    ) -> list[tuple[float, tuple[Reason, ...]] | None]:
        """The probability of each answer with this evidence, and its reasons; `None` without evidence."""
        plain = [
            answer._replace(source=plain_marks(answer.source), output=plain_marks(answer.output))
            for answer in answers
        ]
        references = [plain_marks(a.references[0]) if a.references else None for a in plain]
        bent: list[tuple[float, tuple[Reason, ...]] | None] = []
        for answer, clues, reference, probability in zip(
            plain, self.models.clues(plain, references), references, probabilities, strict=True
        ):
            value = added_negations(self.weights["negations"], answer, reference)
            clues = clues | {"negations": Clue(value, "more negations than the source" if value else "")}
            names = ["reference" if reference else "source", *([] if "unlikely" not in clues else ["own"])]
            model = self.weights.get("+".join(names))
            if model is None or not set(model["clues"]) <= set(clues):
                bent.append(None)
                continue
            parts = {name: w * (clues[name].value - usual) for name, (w, usual) in model["clues"].items()}
            total = model["bias"] + model["base"] * logit(probability) + sum(parts.values())
            reasons = tuple(
                Reason(name, round(part, 2), clues[name].why, clues[name].words)
                for name, part in sorted(parts.items(), key=lambda item: -item[1])
                if part >= 0.1 and clues[name].why
            )
            bent.append((_sigmoid(total), reasons[:3]))
        return bent


@dataclass(frozen=True)
class PeopleJudge(TranslationJudge):
    """The judge for all pairs, trained on people's labels; for some pairs, a pack adds evidence."""

    pair: Pair
    finder: ClueFinder
    weights: Mapping[str, Weights]
    evidence: PairEvidence | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return open_judge, (self.pair,)  # another process opens its own, since the encoder is large

    def judge(self, answers: Sequence[JudgedAnswer]) -> list[Opinion]:
        found = self.finder.find(answers)
        opinions = [self._opinion(clues) for clues in found]
        if self.evidence is not None:
            bent = self.evidence.bend(answers, [o.probability or 0.0 for o in opinions])
            for number, more in enumerate(bent):
                if more is not None:
                    opinions[number] = _joined(opinions[number], *more)
        return self._with_checks(answers, opinions)

    def _with_checks(self, answers: Sequence[JudgedAnswer], opinions: Sequence[Opinion]) -> list[Opinion]:
        """Add the results of registered checks, and contradictions to source and reference.

        A certain result raises the probability of an error at least to the share that people found for it,
        and enough to be called wrong in a small file. Other results only add a reason.
        """
        found = [
            _EMPTY if not plain_marks(answer.output).strip() else o
            for answer, o in zip(answers, opinions, strict=True)
        ]
        units = [Unit(str(n), a.output, a.source, a.references) for n, a in enumerate(answers)]
        context = CheckContext(str(self.pair.source), str(self.pair.target))
        checks = choose_checks((*SURE, *_GRAVE), (), context).checks
        for finding in run_checks(checks, {"": units}, context, processes=1)[""]:
            n, evidence = int(finding.case_id), CheckEvidence.of(finding)
            sides = {"source": answers[n].source, "output": answers[n].output}
            words = tuple(sides[mark.side][mark.start : mark.end] for mark in evidence.marks)
            name = id_of(finding)
            weight = math.inf if name in SURE else 1.0
            found[n] = _with_reason(found[n], Reason(name, weight, evidence.why, words), "sure")
        if (polarity := find_polarity(self.pair)) is not None:
            for n, answer in enumerate(answers):
                denied = polarity.contradict(answer.source, answer.output, answer.references)
                if denied is not None:
                    words = (*denied.source, *denied.output)
                    found[n] = _with_reason(
                        found[n], Reason("negation", math.inf, denied.why, words), "negated"
                    )
        return found

    def _opinion(self, clues: Clues) -> Opinion:
        weights = self.weights[clues.kind]
        any_error, major = weights.probabilities(clues.values)
        reasons = [
            Reason(name, clues.values[name], why)
            for name, why in _TELLING.items()
            if clues.values.get(name, 0) >= (0.5 if name == "repeated" else 1)
        ]
        reasons += [_suspected(suspect, clues.kind) for suspect in clues.suspects]
        if not reasons:
            reasons = [_farthest(clues)]
        return Opinion("undecided", round(any_error, 4), tuple(reasons[:4]), clues.kind, round(major, 4))

    @property
    def signature(self) -> str:
        encoder = f"-use-{encoder_version()}" if self.finder.reader else ""
        more = f"-{self.evidence.content}" if self.evidence else ""
        return f"people-{_digest()}{encoder}{more}"

    def record(self, opinions: Sequence[Opinion]) -> str:
        """The judge's record for the pair, or else for the most similar pairs."""
        kinds = Counter(opinion.kind for opinion in opinions if opinion.kind)
        kind = kinds.most_common(1)[0][0] if kinds else "encoder+reference"
        own = records_of(self.pair, kind)
        more = (
            f" {missing}" if (missing := missing_pack("judges", str(self.pair), what="more evidence")) else ""
        )
        if own and own[0].pair == f"{self.pair.source.code}-{self.pair.target.code}":
            told = "; ".join(record.tell() for record in own)
            return f"The judge is a program that looks for errors. Compared with people: {told}.{more}"
        near = "; ".join(record.tell() for record in own[:2])
        return f"Nobody has measured the judge on {self.pair}. The nearest: {near}.{more}"


def _with_reason(opinion: Opinion, reason: Reason, measured: str) -> Opinion:
    """Put a check's reason first; a certain check raises the probabilities to the shares found by people."""
    if opinion is _EMPTY:
        return opinion
    if math.isinf(reason.weight):
        any_error, major = _data()[measured]
        opinion = opinion._replace(
            probability=max(opinion.probability or 0.0, any_error, PRECISION),
            major=max(opinion.major or 0.0, major),
        )
    return opinion._replace(reasons=(reason, *opinion.reasons)[:4])


def _joined(opinion: Opinion, probability: float, reasons: tuple[Reason, ...]) -> Opinion:
    """Add a pack's evidence to the opinion; the share of major errors among errors does not change."""
    share = (opinion.major or 0.0) / max(opinion.probability or 0.0, 1e-9)
    return opinion._replace(
        probability=round(probability, 4),
        major=round(probability * share, 4),
        reasons=(*reasons, *opinion.reasons)[:4],
        kind=f"{opinion.kind}+models",
    )


def _suspected(suspect: Suspect, kind: str) -> Reason:
    also = " or the reference" if "reference" in kind else ""
    return Reason(
        suspect.side, suspect.weight, _SIDES[suspect.side].format(suspect.word, also), (suspect.word,)
    )


def _farthest(clues: Clues) -> Reason:
    likeness = clues.values.get("grams-4", clues.values.get("others-grams"))
    if likeness is not None:
        other = "reference" if "grams-4" in clues.values else "other systems' outputs"
        return Reason(
            "likeness", round(1 - likeness, 2), f"little like the {other} ({100 * likeness:.0f} % alike)"
        )
    ratio = math.exp(clues.values["ratio"])
    return Reason("length", round(abs(ratio - 1), 2), f"{ratio:.1f} times as long as the source")


def open_judge(pair: Pair, name: str = OURS) -> TranslationJudge:
    """Open a judge for a pair by name: ours, with a pack's evidence, or a metric (`metric_judge.py`)."""
    if name == OURS:
        return PeopleJudge(pair, ClueFinder(open_reader()), _weights(), _evidence(pair))
    from mtassay.measures.metric_judge import MetricJudge  # imported late, since it imports this module

    return MetricJudge.open(pair, name)


def has_models(pair: Pair) -> bool:
    """Whether translation models and a pack that help the judge in this pair are installed."""
    return _evidence(pair) is not None


@cache
def _data() -> dict[str, Any]:
    record: dict[str, Any] = json.loads(_text())
    return record


def _text() -> str:
    return files("mtassay.measures").joinpath("judge_weights.json").read_text("utf-8")


@cache
def _digest() -> str:
    return hashlib.sha256(_text().encode()).hexdigest()[:8]


@cache
def _weights() -> dict[str, Weights]:
    return {
        kind: Weights(
            {name: (u, spread, severe, often) for name, (u, spread, severe, often) in model["clues"].items()},
            (model["any"][0], model["any"][1]),
            (model["major"][0], model["major"][1]),
        )
        for kind, model in _data()["kinds"].items()
    }


def records_of(pair: Pair, kind: str) -> list[JudgeRecord]:
    """Return records of a pair and kind; without records, those of other pairs, the most similar first.

    Most similar are pairs with the same target language, then the same source language, then larger ones.
    """
    records = [JudgeRecord(*row) for row in _data()["records"]]
    kinds = [kind.removesuffix("+models"), "encoder+reference" if "reference" in kind else "encoder"]
    told = next((some for name in kinds if (some := [r for r in records if r.kind == name])), records)
    source, target = pair.source.code, pair.target.code
    if own := [record for record in told if record.pair == f"{source}-{target}"]:
        return own
    return sorted(
        told, key=lambda r: (not r.pair.endswith(f"-{target}"), not r.pair.startswith(f"{source}-"), -r.n)
    )


@cache
def _evidence(pair: Pair) -> PairEvidence | None:
    path, models = pack_file("judges", str(pair)), find_likelihoods(pair)
    if path is None or models is None or not is_installed():
        return None
    text = path.read_text("utf-8")
    content = f"{hashlib.sha256(text.encode()).hexdigest()[:8]}-{models.signature}"
    return PairEvidence(models, json.loads(text), content)


def _sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))


def logit(probability: float) -> float:
    p = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(p / (1 - p))
