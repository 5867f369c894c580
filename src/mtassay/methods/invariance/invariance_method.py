"""Invariance as a method: an original and its variants are a case, and far translations are an issue."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.segment_files import read_segments
from mtassay.data.languages import Pair, name_of, parse_pair
from mtassay.data.method import Method
from mtassay.data.nouns import (
    EDITED,
    Case,
    Finding,
    Generated,
    Judgement,
    Output,
    Question,
    Result,
    Run,
    RunContext,
    Segment,
    Verdict,
    original_of,
)
from mtassay.data.registry import find, names
from mtassay.data.settings import setting
from mtassay.measures.check import Check, CheckContext, Unit
from mtassay.measures.check_run import DETECTOR, check_names, choose_checks, run_checks
from mtassay.measures.judge import OURS, Opinion, TranslationJudge, has_models, open_judge
from mtassay.measures.polarity import AnnotatedAnswer, Suspicion
from mtassay.methods.basis import (
    CHECKS,
    JUDGE_OPTION,
    RepeatSettings,
    SettledOutputs,
    answer_of,
    ask_judge,
    missing,
    reasons_of,
    sign,
)
from mtassay.methods.invariance.invariance_answers import (
    answered,
    cases_of,
    is_made,
    read_texts,
    right_ones,
    texts_of,
    with_edits,
)
from mtassay.methods.invariance.invariance_evidence import METHOD, IssueEvidence, LeftOutVariant, ShownVariant
from mtassay.methods.invariance.invariance_view import InvarianceView
from mtassay.methods.invariance.issues import (
    QUESTION,
    Far,
    Issue,
    VariantRanking,
    count_findings,
    find_issues,
    labels_of,
    rank,
    stability,
    standing,
    subject_of,
)
from mtassay.methods.invariance.relations import (
    AnsweredCase,
    ComparedPair,
    PhraseRelation,
    Relation,
    default_relations,
    find_suspicions,
    open_relations,
)
from mtassay.methods.invariance.structures import Structure, open_structure
from mtassay.methods.invariance.substitutes import asks_models
from mtassay.methods.invariance.variants import VariantSettings, make_variants
from mtassay.methods.repeats import beyond_noise, require_enough, signed_repeats
from mtassay.nlp.annotation import Annotation, Annotator, Layer
from mtassay.nlp.annotators import advice, check_annotator, open_annotator
from mtassay.nlp.identification import foreign_language, tokenization_of
from mtassay.stats.resampling import fixed_seed

_OF_ISSUES = frozenset(("threshold", "preset", "filters", "structure"))
"""The settings that define an issue; if some are given, the others have no default."""
PARSED, WORDS = "dependency", "tokens"
"""The default structures with and without a parser of the target language."""
_PART = 0.75
"""The part of a preset's threshold to use with the judge, since the judge drops correct outputs."""

_VERDICTS: dict[str, Verdict] = {
    "suspicious": "fail",
    "confirmed": "fail",
    "cleared": "pass",
    "stable": "pass",
}


@dataclass(frozen=True)
class SystemDistances:
    """All distances of one system; `filtered` has the filter and the unfiltered distance, by variant.

    `opinions` are the judge's opinions by pair, if it was asked.
    """

    rankings: Sequence[VariantRanking]
    filtered: Mapping[str, Far]
    opinions: Mapping[str, Opinion] = field(default_factory=dict)

    @cached_property
    def by_original(self) -> dict[str, VariantRanking]:
        """Rankings by the id of the original."""
        return {ranking.original: ranking for ranking in self.rankings}


@dataclass(frozen=True)
class InvarianceMethod(RepeatSettings, VariantSettings, Method):
    """Makes variants of sentences, and compares the translations of originals and their variants.

    An original has an issue if a variant's translation differs from its own by a distance strictly above
    `threshold` (default: the threshold of the structure's `preset`). The `top` farthest variants are shown.
    `filters` leave out variants whose distance has a harmless reason. `checks` look for single kinds of
    errors in the same translations, and `relations` compare the translations in other ways. If translation
    models help the judge (en-pt), the judge is the default filter, and three quarters of the threshold are
    enough; `judge_by` names another judge. `annotator` and `source_annotator` select language tools. Without
    `reviews`, people's labels of issues do not count.
    """

    name: ClassVar[str] = METHOD
    asks: ClassVar[Sequence[Question]] = (
        Question(
            QUESTION,
            "Is the translation right? If not, what is wrong: words are dropped (under) or added (over), "
            "something modifies the wrong word (modification), a word or phrase is wrong (mistranslation), "
            "the words are right but their relation is wrong (logic), or several of these?",
            {
                "c": "correct",
                "d": "under",
                "o": "over",
                "m": "modification",
                "w": "mistranslation",
                "l": "logic",
                "x": "several",
            },
            is_blind=True,
        ),
    )
    view: ClassVar[type[InvarianceView]] = InvarianceView

    pair: str
    structure: str = setting(
        "dependency",
        f"What is compared: {', '.join(names('structure'))}. Default: the saved run's, or dependency.",
        metavar="NAME",
        kind=str | None,
    )
    threshold: float = setting(
        4,
        "A larger distance than this is an issue. Default: the saved run's, or the preset's.",
        kind=float | None,
        least=0,
    )
    preset: Literal["wide", "sure"] | None = setting(
        None,
        "wide, the default: most issues (dependency: threshold 4). sure: fewer, more certain ones "
        "(dependency: 15).",
    )
    top: int = setting(
        3,
        "Show the K farthest variants of an issue. Default: the run's, or 3.",
        metavar="K",
        kind=int | None,
        least=1,
        in_signature=False,
        is_hidden=True,
    )
    filters: tuple[str, ...] = setting(
        (),
        "judge: leave out issues whose two outputs the judge finds right; or none.",
        metavar="NAMES",
        kind=list[str] | None,
    )
    checks: tuple[str, ...] = field(default=("default",), metadata=CHECKS)
    relations: tuple[str, ...] = setting(
        (),
        f"Also compare these relations, or none: {', '.join(names('relation'))}.",
        metavar="NAMES",
        kind=str | None,
    )
    annotator: str | None = setting(
        None, "Language tool for outputs: spacy, stanza:pt…", metavar="NAME", is_hidden=True
    )
    judge_by: str = setting(OURS, JUDGE_OPTION, "--judge-by", "--judge", metavar="NAME", kind=str | None)
    alpha: float = setting(
        0.05, "Level of significance.", least=0.0001, most=0.5, in_signature=False, is_hidden=True
    )
    reviews: bool = setting(
        True,
        "Use the answers of reviewers to clear or confirm issues.",
        "--reviews/--no-reviews",
        in_signature=False,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_enough(self.repeat)
        for name in self.filters:
            if name != "judge":
                raise UsageError(f"No filter '{name}'. Available: judge.")
        if not (math.isfinite(self.threshold) and self.threshold >= 0):
            raise UsageError(f"The threshold must be a number, 0 or more, not {self.threshold:g}.")
        if self.top < 1:
            raise UsageError("At least one variant of an issue must be shown: `top=1` or more.")

    @classmethod
    def resolve(cls, settings: Mapping[str, Any], run: Run | None = None) -> Self:
        """Return the parameters. Names may be text, as `noun,adj`; `none` selects nothing.

        Missing values come from the saved run. Its threshold and filters apply only to its structure; other
        structures use their defaults. From a run of another method, only the languages are taken.
        """
        explicit = {key: value for key, value in settings.items() if value is not None}
        saved = _saved(cls, run)
        own = str(saved.get("structure") or _usual_structure({**saved, **explicit}))
        structure = str(explicit.get("structure", own)).strip().lower()
        usual: Mapping[str, float] = find("structure", structure).thresholds
        others = ("preset", *(("threshold",) if "preset" in explicit else ()))
        for key in others if structure == own else (*others, "threshold", "filters"):
            saved.pop(key, None)
        values = {**saved, **explicit}
        is_usual = structure == PARSED and "pair" in values and not _OF_ISSUES & values.keys()
        if is_usual and has_models(parse_pair(values["pair"])):
            values |= {"filters": ("judge",), "threshold": usual["wide"] * _PART}
        if "judge_by" in explicit:
            values.setdefault("filters", ("judge",))
        values["structure"] = structure
        if "threshold" not in values:
            preset = values.get("preset", "wide")
            if preset not in usual:
                raise UsageError(f"No preset '{preset}'. Available: {', '.join(usual)}.")
            values["threshold"] = usual[preset]
        if "filters" in values:
            named = names_in(values["filters"])
            values["filters"] = () if named == ("none",) else named
        if "pos" in values:
            values["pos"] = names_in(values["pos"])
        if "checks" in values:
            values["checks"] = check_names(values["checks"])
        if "relations" in values:
            values["relations"] = _relations(values["relations"])
        elif "pair" in values:
            values["relations"] = default_relations(str(parse_pair(values["pair"])))
        values["seed"] = fixed_seed(values.get("seed"))
        return super().resolve(values)

    @classmethod
    def segments_of(cls, run: Run) -> Sequence[Segment]:
        """Return a run's segments; edited cases are variants, no matter which method made them."""
        if run.method == cls.name:
            return run.segments
        return with_edits(run.segments) if cls.takes(run) else super().segments_of(run)

    @classmethod
    def takes(cls, run: Run) -> bool:
        """Whether a run has something to compare: it is a run of this method, or its cases are edits."""
        edits = ((segment.id, original_of(segment)) for segment in run.segments)
        return run.method == cls.name or any(key == f"{original}{EDITED}" for key, original in edits)

    @property
    def asks_models(self) -> bool:
        return asks_models(self.substitutes)

    def require(self) -> None:
        """Require the structure, language tools for both languages, and what relations and the judge need."""
        _ = self.signature, self._source_annotator
        for relation in self._relations:
            relation.require()

    def read(self, sentences: Any) -> list[Segment]:
        """Read sentences from a file (`-` is standard input) or a list; segments are returned unchanged."""
        path = Path(sentences) if isinstance(sentences, str | PathLike) else None
        if path is not None:
            segments = read_segments(path, [], pair=self._pair)
        else:
            texts = enumerate(sentences, start=1)
            segments = [s if isinstance(s, Segment) else Segment(str(i), s) for i, s in texts]
        if not any((segment.source or "").strip() for segment in segments):
            raise InputError("there are no sentences in it" if path else "there are no sentences", path=path)
        return with_edits(segments)

    def generate(self, segments: Sequence[Segment], context: RunContext) -> Generated:
        """Make variants, and noun phrases if a relation needs them."""
        phrases = any(isinstance(relation, PhraseRelation) for relation in self._relations)
        return self.with_variants(segments, context, phrases=phrases)

    def with_variants(self, segments: Sequence[Segment], context: RunContext, *, phrases: bool) -> Generated:
        """Return segments with variants (made if missing), and why sentences have no variant."""
        generated = segments
        if not is_made(segments):
            self._look_over([segment.source for segment in segments], context)
            generated = make_variants(segments, self._pair, self, context, phrases=phrases)
        refused = [
            {"id": segment.id, "source": segment.source, "reason": str(segment.tags["skip"])}
            for segment in generated
            if original_of(segment) is None and segment.tags.get("skip")
        ]
        return Generated(generated, refused)

    def _look_over(self, sentences: Sequence[str | None], context: RunContext) -> None:
        """Note sentences that are in another language than the pair says, or tokenised."""
        if code := foreign_language(sentences, self._pair.source.code):
            context.note(f"the sentences look like {name_of(code)}, not {self._pair.source.name}: check -l")
        if sign := tokenization_of(sentences):
            context.note(sign.told_of("the text", len(sentences)))

    def cases(self, segments: Iterable[Segment], context: RunContext) -> list[Case]:
        cases = cases_of(segments)
        if cases and all(case.skip for case in cases):
            raise UsageError(f"There is no variant to compare: {cases[0].skip}.")
        return cases

    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], context: RunContext
    ) -> Judgement:
        if self.structure == WORDS and (way := _missing_parser(self.pair)):
            context.note(f"Only words are compared. A parser also sees which words belong together. {way}")
        known_decisions = context.decisions(QUESTION)
        decisions = known_decisions if self.reviews else {}
        subjects: list[str] = []  # needs all outputs, if there are decisions to count
        skipped = [case for case in cases if case.skip is not None]
        findings: list[Finding] = []
        counts: dict[str, dict[str, int]] = {}
        for system, material in self.compare(cases, outputs, context).items():
            measured = self.measure(material, context, system=system, above=self.threshold)
            issues = {issue.original: issue for issue in find_issues(measured.rankings, self.threshold)}
            system_findings = [self._skipped(case.id, system, str(case.skip)) for case in skipped]
            system_findings += self._without_answer(material, system)
            for answered_case in material:
                subjects += [subject_of(a) if known_decisions else "" for a in answered_case.answers]
                if answered_case.original is not None:
                    labels = labels_of(answered_case.answers, decisions)
                    system_findings.append(
                        self._finding(
                            answered_case, issues.get(answered_case.case.id), measured, system, labels
                        )
                    )
            counts[system] = count_findings(system_findings, material, len(issues))
            findings += [*system_findings, *self._suspicions(material, system, context)]
        reviewers = context.reviewers(QUESTION) if known_decisions else {}
        settled = SettledOutputs.of(subjects, known_decisions, reviewers, used=self.reviews)
        return Judgement(findings, counts=counts, basis=settled.basis())

    def score(self, judgement: Judgement, context: RunContext) -> Result:
        result = stability(
            judgement.findings,
            judgement.counts,
            detector=self.detector,
            companions=[*(f"{DETECTOR}{check.id}" for check in self._checks), *self.relations],
            phrase_companions=[r.name for r in self._relations if isinstance(r, PhraseRelation)],
            alpha=self.alpha,
            signature=self.signature,
        )
        settled = SettledOutputs(**judgement.basis["reviews"])
        notes = [f"{settled.describe()}."] if settled.settled else []
        return sign(replace(result, notes=notes, basis=judgement.basis), context, reviews=settled.signed)

    def compare(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], context: RunContext
    ) -> dict[str, list[AnsweredCase]]:
        """Annotate every system's answers as far as the structure and the relations need it."""
        read_output = self._reader(texts_of(outputs.values()), self._annotator, context, "reading outputs")
        sources = [source or "" for case in cases if case.skip is None for source in case.sources]
        read_source = self._reader(sources, self._source_annotator, context, "reading sources")
        return {
            system: answered(cases, answers, read_source=read_source, read_output=read_output)
            for system, answers in outputs.items()
        }

    def measure(
        self, material: Sequence[AnsweredCase], context: RunContext, *, system: str = "", above: float = 0
    ) -> SystemDistances:
        """Measure the distance of each variant. The judge is asked about variants farther than `above`."""
        pairs = [pair for answered_case in material for pair in answered_case.compared]
        context.progress("comparing", 0, None)
        distances = {
            pair.variant.id: distance
            for pair, distance in zip(pairs, self._structure.distances(pairs), strict=True)
        }
        filtered: dict[str, Far] = {}
        opinions: dict[str, Opinion] = {}
        for key in self._noise(material, distances):
            filtered[key] = Far("noise", distances[key])
            distances[key] = 0.0
        if "judge" in self.filters:
            far = [pair for pair in pairs if distances[pair.variant.id] > above]
            opinions = self._opinions(far, system, context)
            for variant in right_ones(far, opinions):
                filtered[variant] = Far("judge", distances[variant])
                distances[variant] = 0.0
        rankings = [
            rank(
                answered_case.case.id,
                [Far(p.variant.id, distances[p.variant.id]) for p in answered_case.compared],
            )
            for answered_case in material
            if answered_case.original is not None
        ]
        return SystemDistances(rankings, filtered, opinions)

    def _noise(self, material: Sequence[AnsweredCase], distances: Mapping[str, float]) -> list[str]:
        """Far variants that are not farther than the differences between repetitions of one sentence."""
        noise = []
        for case in material:
            compared = [pair for pair in case.compared if pair.repeats]
            if not any(distances[pair.variant.id] > self.threshold for pair in compared):
                continue
            tables = [self._far_apart(pair) for pair in compared]
            beyond = beyond_noise(tables, level=self.alpha)
            noise += [
                pair.variant.id
                for pair, is_beyond in zip(compared, beyond, strict=True)
                if not is_beyond and distances[pair.variant.id] > self.threshold
            ]
        return noise

    def _far_apart(self, pair: ComparedPair) -> NDArray[np.bool_]:
        """For each pair of answers to an original or its variant: whether they are beyond the threshold.

        The changed word adds a small distance to every pair of answers from both sentences. The same distance
        is added to pairs from one sentence; otherwise, noise near the threshold would look like an effect.
        """
        k = pair.repeats
        distances = np.zeros((2 * k, 2 * k))
        rows, columns = np.triu_indices(2 * k, 1)
        distances[rows, columns] = self._structure.distances(pair.repeated())
        distances += distances.T
        edit = min(distances[:k, k:].min(), self.threshold)
        for part in (slice(0, k), slice(k, None)):
            distances[part, part] += np.where(distances[part, part] > 0, edit, 0)
        return distances > self.threshold

    def _opinions(
        self, pairs: Sequence[ComparedPair], system: str, context: RunContext
    ) -> dict[str, Opinion]:
        """Ask the judge for its opinions of all outputs of these pairs, by id."""
        answers = {side.id: side for pair in pairs for side in (pair.original, pair.variant)}
        judged = [answer_of(a.id, a.source.text, a.output.text) for a in answers.values()]
        opinions = ask_judge(self._judge, judged, context, system=system, reviews=self.reviews)
        return dict(zip(answers, opinions, strict=True))

    @property
    def detector(self) -> str:
        """The names of the findings about issues."""
        return f"{self.name}:{self.structure}"

    @cached_property
    def signature(self) -> str:
        """Everything that the verdicts depend on, except for the systems."""
        from mtassay import __version__

        settings = {
            "structure": self._structure.signature,
            "threshold": f"{self.threshold:g}",
            "filters": "+".join(self.filters) or "none",
            "checks": f"{'+'.join(self.checks)}({len(self._checks)})" if self._checks else "none",
            "relations": "+".join(self.relations) or "none",
            **({"judge": self._judge.signature} if "judge" in self.filters else {}),
            "annotator": self._annotator.signature if self._annotator else "none",
            **signed_repeats(self.repeat),
            "version": f"mtassay-{__version__}",
        }
        # Values may contain bars, which must not look like the start of the next key.
        return "|".join(f"{key}:{value.replace('|', ',')}" for key, value in settings.items())

    @cached_property
    def _pair(self) -> Pair:
        return parse_pair(self.pair)

    @cached_property
    def _structure(self) -> Structure:
        return open_structure(self.structure)

    @cached_property
    def _judge(self) -> TranslationJudge:
        return open_judge(self._pair, self.judge_by)

    @cached_property
    def _relations(self) -> list[Relation]:
        return open_relations(self.relations)

    @cached_property
    def _check_context(self) -> CheckContext:
        return CheckContext(str(self._pair.source), str(self._pair.target))

    @cached_property
    def _checks(self) -> list[Check]:
        return choose_checks(self.checks, (), self._check_context).checks

    @cached_property
    def _annotator(self) -> Annotator | None:
        needs = self._structure.needs.union(*(relation.needs for relation in self._relations))
        try:
            return _open(str(self._pair.target), needs, self.annotator)
        except UsageError as error:
            if not self._structure.needs or self.annotator:
                raise
            raise UsageError(f"{error}; or compare only words: `structure='tokens'`") from None

    @cached_property
    def _source_annotator(self) -> Annotator | None:
        needs = frozenset[Layer]().union(*(r.needs_source for r in self._relations))
        return _open(str(self._pair.source), needs, self.source_annotator)

    def _reader(
        self, texts: Sequence[str], annotator: Annotator | None, context: RunContext, step: str
    ) -> Any:
        if annotator is None:
            return Annotation
        return read_texts(texts, annotator, context, step=step).__getitem__

    def _finding(
        self,
        answered_case: AnsweredCase,
        issue: Issue | None,
        measured: SystemDistances,
        system: str,
        labels: Mapping[str, str],
    ) -> Finding:
        assert answered_case.original is not None
        pairs = {pair.variant.id: pair for pair in answered_case.compared}
        ranking = measured.by_original[answered_case.case.id].variants
        shown = issue.variants[: self.top] if issue else ()
        evidence = IssueEvidence(
            status=standing(issue.pairs(self.top), labels) if issue else "stable",
            source=answered_case.original.source.text,
            output=answered_case.original.output.text,
            threshold=self.threshold,
            compared=len(pairs),
            distances=dict(ranking),
            variants=[self._shown(pairs[far.variant], far.distance, measured.opinions) for far in shown]
            if issue
            else None,
            label={key: labels[key] for key in issue.pairs(self.top) if key in labels} if issue else {},
            unread=[LeftOutVariant(unread.id, unread.why) for unread in answered_case.unread],
            filtered=[
                LeftOutVariant(key, measured.filtered[key].variant, measured.filtered[key].distance)
                for key, distance in ranking
                if key in measured.filtered and distance <= self.threshold
            ],
            probability=_likeliest(measured.opinions, issue.pairs(self.top) if issue else ()),
            reasons=_reasons(measured.opinions, answered_case.case.id) if issue else (),
        )
        verdict = _VERDICTS[evidence.status]
        return Finding(
            answered_case.case.id, system, self.detector, verdict, ranking[0].distance, evidence.as_json()
        )

    def _shown(self, pair: ComparedPair, distance: float, opinions: Mapping[str, Opinion]) -> ShownVariant:
        return ShownVariant(
            pair.variant.id,
            pair.variant.source.text,
            pair.variant.output.text,
            pair.edit.before,
            pair.edit.after,
            distance,
            self._structure.differences(pair),
            _reasons(opinions, pair.variant.id),
        )

    def _without_answer(self, material: Sequence[AnsweredCase], system: str) -> list[Finding]:
        return [
            missing(answered_case.absent, system)
            if answered_case.absent is not None
            else self._skipped(answered_case.case.id, system, answered_case.problem)
            for answered_case in material
            if answered_case.original is None
        ]

    def _skipped(self, case_id: str, system: str, reason: str) -> Finding:
        evidence = IssueEvidence(reason=reason).as_json()
        return Finding(case_id, system, self.detector, "skipped", evidence=evidence)

    def _suspicions(
        self, material: Sequence[AnsweredCase], system: str, context: RunContext
    ) -> list[Finding]:
        """The suspicions of checks and relations in the outputs that can be compared."""
        answers = {answer.id: answer for case in material for answer in case.answers}
        units = [
            Unit(key, answer.output.text, answer.source.text, answer.references)
            for key, answer in answers.items()
        ]
        context.progress("checks", 0, None)
        findings = run_checks(self._checks, {system: units}, self._check_context, run=context)[system]
        for relation in self._relations:
            context.progress("relations", 0, None)
            findings += [
                Finding(s.id, system, relation.name, "fail", s.value, _evidence(s, answers[s.id]))
                for s in find_suspicions(relation, material)
            ]
        return findings


def _saved(method: type[InvarianceMethod], run: Run | None) -> dict[str, Any]:
    """The fields that a saved run gives; only the languages if the run used another method."""
    if run is None:
        return {}
    field_names = {f.name for f in fields(method)} if run.method == method.name else {"pair"}
    restored = method.restore(run.parameters)
    return {key: restored[key] for key in field_names if restored.get(key) is not None}


def _likeliest(opinions: Mapping[str, Opinion], pairs: Sequence[str]) -> float | None:
    """The highest probability of an error in these pairs; `None` if the judge gave no probability."""
    given = (opinions[pair].probability for pair in pairs if pair in opinions)
    return max((probability for probability in given if probability is not None), default=None)


def _reasons(opinions: Mapping[str, Opinion], pair: str) -> tuple[str, ...]:
    """Why the judge finds an output wrong; empty if it does not find it wrong."""
    opinion = opinions.get(pair)
    return reasons_of(opinion) if opinion and opinion.verdict == "fail" else ()


def names_in(value: str | Sequence[str]) -> tuple[str, ...]:
    """Split names at commas, without repetitions."""
    texts = [value] if isinstance(value, str) else value
    named = (name.strip().lower() for text in texts for name in text.split(","))
    return tuple(dict.fromkeys(filter(None, named)))


def _relations(value: str | Sequence[str]) -> tuple[str, ...]:
    chosen, available = names_in(value), names("relation")
    if chosen in ((), ("none",)):
        return ()
    for name in chosen:
        if name not in available:
            raise UsageError(f"No relation '{name}'. Available: {', '.join(available)}, none.")
    return chosen


def _evidence(suspicion: Suspicion, answer: AnnotatedAnswer) -> dict[str, Any]:
    texts = {"source": answer.source.text, "output": answer.output.text}
    return {"why": suspicion.why, **texts, **suspicion.evidence}


def _missing_parser(pair: str) -> str:
    """How to install a parser of the target language; empty if one is installed."""
    language, layers = parse_pair(pair).target, find("structure", PARSED).needs
    try:
        check_annotator(str(language), sorted(layers))
    except UsageError:
        return advice(language.code, layers)
    return ""


def _usual_structure(values: Mapping[str, Any]) -> str:
    """Use words if no parser of the target language is installed, unless the user named a structure."""
    is_open = "pair" in values and "structure" not in values and not values.get("annotator")
    return WORDS if is_open and _missing_parser(values["pair"]) else PARSED


def _open(language: str, needs: frozenset[Layer], name: str | None) -> Annotator | None:
    return open_annotator(language, needs=sorted(needs), name=name) if needs else None
