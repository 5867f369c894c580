"""Behavioural testing as a method: a system passes if it translates a pair and its edit equally well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from os import PathLike
from typing import Any, ClassVar, Self

from mtassay.data.errors import ServiceError, UsageError
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.method import Method, Read
from mtassay.data.nouns import (
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
    original_of,
)
from mtassay.data.settings import option, setting
from mtassay.measures.check_run import check_names
from mtassay.measures.judge import OURS, Opinion, Reason, TranslationJudge, open_judge
from mtassay.measures.metric import Metric
from mtassay.measures.polarity import AnnotatedAnswer, Polarity, find_polarity
from mtassay.methods.basis import (
    CHECKS_BESIDE,
    CRITICAL,
    JUDGE_OPTION,
    RepeatSettings,
    answer_of,
    ask_judge,
    checked_basis,
    checked_note,
    sign,
)
from mtassay.methods.behavior.behavior_evidence import (
    AnsweredPair,
    CaseEvidence,
    beyond_chance,
    count_findings,
    missing_output,
    skipped_case,
)
from mtassay.methods.behavior.behavior_view import BehaviorView
from mtassay.methods.behavior.case_files import read_material, read_outputs_of
from mtassay.methods.behavior.case_generation import make_cases
from mtassay.methods.behavior.edit_search import words_of
from mtassay.methods.behavior.pair_quality import PAIR_QUESTIONS
from mtassay.methods.behavior.pairs import cases_of, edited_id
from mtassay.methods.behavior.pass_rates import pass_rates
from mtassay.methods.behavior.recipe import Recipe
from mtassay.methods.behavior.translation_quality import (
    Translated,
    as_translated,
    best_quality,
    check_filter,
    filter_threshold,
    measure_names,
    measures,
    qualities,
    quality_name,
    unequal_pairs,
)
from mtassay.methods.behavior.verdict_thresholds import (
    PAPER,
    JudgedPair,
    Thresholds,
    calibrated_thresholds,
    judge_pair,
    thresholds_for,
)
from mtassay.methods.repeats import base_name, require_enough, set_apart, signed_repeats
from mtassay.nlp.annotation import Annotation

_OF_THE_PAPER = ("quality", "min_quality", "max_change", "signed")
"""Settings of the paper's judge; any of them selects this judge."""


@dataclass(frozen=True)
class BehaviorMethod(RepeatSettings, Method):
    """Compares each translation, before and after an edit, with its reference.

    `judge_by` is "ours" (`mtassay.measures.judge`, trained on decisions by people) or "paper", which compares
    two qualities. `quality`, `min_quality`, `max_change`, `calibrated` and `signed` are settings of the
    paper's judge, and any of them selects it. With the paper's judge, a case passes if the quality of the
    original is at least `min_quality` and the edit changes the quality by at most `max_change`. `filter` is a
    reference-free metric: a case is skipped if the qualities of its two pairs differ by more than
    `filter_beta`. With `direct`, a case fails at any quality if the edit was provably ignored or a negation
    was lost or added. `checks` are counted besides the verdicts. A `recipe` says how cases are made from a
    parallel text; without a recipe, the segments must be cases.
    """

    name: ClassVar[str] = "behavior"
    asks: ClassVar[Sequence[Question]] = (
        Question(
            "behavior",
            "Is the translation right? Wrong: it says something else, leaves something out or adds it, or "
            "cannot be understood.",
            {"c": "correct", "w": "wrong"},
            is_blind=True,
            about="the output to the edited source",
        ),
        Question(
            "place",
            "Where is the error: in the translation of the edited words (edit), elsewhere, or in both? "
            "Correct: there is none.",
            {"c": "correct", "e": "edit", "w": "elsewhere", "x": "both"},
            is_blind=True,
            about="the output to the edited source",
        ),
        *PAIR_QUESTIONS.values(),
    )
    view: ClassVar[type[BehaviorView]] = BehaviorView

    pair: str
    quality: Mapping[str, Metric] = field(
        metadata=option(
            "How good a translation is: a metric, or several to average (use,chrf). Default: comet "
            "if installed, else use.",
            metavar="NAMES",
            kind=str | None,
            default=None,
        )
    )
    judge_by: str = setting(
        PAPER,
        f"{JUDGE_OPTION} Also: paper, which compares two qualities. Default: ours, unless an option of "
        "paper is given.",
        "--judge-by",
        "--judge",
        metavar="NAME",
        kind=str | None,
    )
    min_quality: float | None = setting(
        None,
        "From this quality on, the translation of an original is good. Default: the measure's.",
        least=0,
        most=1,
    )
    max_change: float | None = setting(
        None, "The edit may change the quality by at most this. Default: the measure's.", least=0, most=1
    )
    calibrated: Mapping[str, Any] | None = setting(
        None,
        "Thresholds that 'mtassay meta calibrate' found for your engine.",
        metavar="FILE",
        kind=str | None,
    )
    signed: bool = setting(False, "Only a loss of quality counts.", "--signed/--no-signed")
    direct: bool = setting(
        True,
        "Look for the edited word in the translations, and for lost or added negations.",
        "--direct/--no-direct",
    )
    filter: Mapping[str, Metric] = field(
        default_factory=dict,
        metadata=option(
            "Skip cases whose two pairs are not equally good by this reference-free measure, such as "
            "use:against=source.",
            metavar="NAME",
            kind=str | None,
            default=None,
        ),
    )
    filter_beta: float | None = setting(
        None, "How much the two pairs may differ. Default: the measure's.", least=0
    )
    level: float = setting(0.05, "Level of significance.", least=0.0001, most=0.5, is_hidden=True)
    checks: tuple[str, ...] = field(default=CRITICAL, metadata=CHECKS_BESIDE)
    recipe: Recipe | None = None

    # Parameters ------------------------------------------------------------------------------------------

    @classmethod
    def resolve(cls, settings: Mapping[str, Any], run: Run | None = None) -> Self:
        """Return parameters. Measures may be text, `use,chrf`; saved thresholds apply only to their measure.

        `recipe` is a recipe, or `True` to make one from the other options; then `filter` and `filter_beta`
        belong to the recipe. An option that only a recipe has also makes a recipe.
        """
        values = {key: value for key, value in settings.items() if value is not None}
        if values.get("recipe") in (None, True):
            values |= {"recipe": values.get("recipe") or _asks_for_recipe(values)}
        pair = parse_pair(str(values.get("pair") or (run.parameters["pair"] if run else "")))
        if values["recipe"] is True:
            keys = {f.name for f in fields(Recipe)}
            values["recipe"] = Recipe.resolve({key: values.pop(key) for key in keys & values.keys()}, pair)
        elif not values["recipe"]:
            del values["recipe"]
        if "checks" in values:
            values["checks"] = check_names(values["checks"])
        values["pair"] = str(pair)
        if run is not None:
            run = replace(run, parameters=_parameters_that_hold(run.parameters, values))
        if isinstance(values.get("calibrated"), str | PathLike):
            file = values.pop("calibrated")
            values = {**calibrated_thresholds(file, _judges_in_question(values, run)), **values}
        if "judge_by" not in values and (run is None or _asks_for_the_paper(values)):
            values["judge_by"] = PAPER if _asks_for_the_paper(values) else OURS
        if "quality" in values or run is None or not run.parameters.get("quality"):
            values["quality"] = measures(values.get("quality", best_quality()), pair)
        if "filter" in values:
            values["filter"] = measures(values["filter"], pair)
        method = super().resolve(values, run)
        check_filter(method.filter)
        try:
            _ = method.signature  # unknown thresholds are an error before anything is translated
        except ServiceError as error:
            raise ServiceError(f"{error} Or measure with the encoder: `quality='use'`.") from None
        return method

    @classmethod
    def restore(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        saved = super().restore(parameters)
        recipe = parameters.get("recipe")
        pair = parse_pair(str(parameters["pair"]))
        return saved | {
            "quality": measures(parameters.get("quality") or (), pair),
            "filter": measures(parameters.get("filter") or (), pair),
            "recipe": None if recipe is None else Recipe.restore(recipe),
        }

    @property
    def asks_models(self) -> bool:
        return any(metric.asks_models for metric in (*self.quality.values(), *self.filter.values()))

    def parameters(self) -> dict[str, Any]:
        return super().parameters() | {"recipe": self.recipe.parameters() if self.recipe else None}

    @classmethod
    def maker(cls, pair: str, options: Mapping[str, Any]) -> Self:
        """Return a method that only makes cases, with these options of a recipe."""
        return cls(str(parse_pair(pair)), {}, recipe=Recipe.resolve(options, parse_pair(pair)))

    def require(self) -> None:
        """Require the quality measures and the judge."""
        require_enough(self.repeat)
        _ = self.signature

    @classmethod
    def check_run(cls, run: Run) -> None:
        """Raise an error if no case could be judged; it has the reason of the first case."""
        if run.findings and all(finding.verdict == "skipped" for finding in run.findings):
            first = run.findings[0]
            why = CaseEvidence.of(first).lacks(first)
            raise UsageError(f"All cases were skipped, nothing is judged. The first: {why}.")

    # Steps -----------------------------------------------------------------------------------------------

    def read(self, source: Any, reference: Any, context: RunContext) -> list[Segment]:
        """Read a parallel text from files or lists of texts; without a reference, both sides of cases.

        The input is a file of cases or plain segments. Texts in another language are reported.
        """
        return read_material(source, reference, self._pair, context)

    def generate(self, segments: Sequence[Segment], context: RunContext) -> Generated:
        """Make cases from a parallel text by the recipe; segments that already are cases stay unchanged."""
        if self.recipe is None or any(original_of(segment) is not None for segment in segments):
            return Generated(segments)
        return make_cases(segments, self._pair, self.recipe, context)

    def reader(self, segments: Sequence[Segment], context: RunContext) -> Read:
        """Return the reader of outputs; one record has the outputs for the original and the edit."""
        ids = {segment.id for segment in segments}
        return lambda path, name: read_outputs_of(ids, path, context)

    def cases(self, segments: Iterable[Segment], context: RunContext) -> list[Case]:
        cases = cases_of(segments)
        if not self.filter:
            return cases
        pairs = {case.id: _pairs(case) for case in cases if case.skip is None}
        unequal = {
            key: f"its two pairs are not equally good: {pair.original:.3f} and {pair.edited:.3f}"
            for key, pair in unequal_pairs(self.filter, pairs, context, filter_beta=self.filter_beta).items()
        }
        return [case._replace(skip=unequal[case.id]) if case.id in unequal else case for case in cases]

    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], context: RunContext
    ) -> Judgement:
        asked = [case for case in cases if case.skip is None]
        each_time = set_apart(outputs)
        systems = list(each_time)
        items = [
            Translated(
                str(case.sources[side]),
                case.expect["references"][side],
                tuple(each_time[system][2 * number + side].text for system in systems),
            )
            for number, case in enumerate(asked)
            for side in range(2)
        ]
        measured = qualities(self.quality, items, systems, context).reshape(-1, 2, len(systems))
        times: dict[str, list[list[Finding]]] = {}
        for column, name in enumerate(systems):
            system = base_name(name)
            system_findings = [skipped_case(case, system) for case in cases if case.skip is not None]
            answered: list[AnsweredPair] = []
            for number, case in enumerate(asked):
                both = each_time[name][2 * number : 2 * number + 2]
                absent = [side for side in range(2) if both[side].text is None]
                if absent:
                    system_findings.append(missing_output(case, system, absent[0], both[absent[0]]))
                else:
                    texts = (str(both[0].text), str(both[1].text))
                    quality, edited = measured[number, :, column].tolist()
                    answered.append(AnsweredPair(case, texts, (quality, edited)))
            opinions = self._opinions(answered, system, context)
            system_findings += self._findings(answered, system, opinions)
            times.setdefault(system, []).append(system_findings)
        by_system = {system: beyond_chance(own, level=self.level) for system, own in times.items()}
        counts = {system: count_findings(own, len(cases)) for system, own in by_system.items()}
        findings = [finding for own in by_system.values() for finding in own]
        segments = [
            Segment(
                edited_id(asked[i // 2].id) if i % 2 else asked[i // 2].id, item.source, (item.reference,)
            )
            for i, item in enumerate(items)
        ]
        languages = (str(self._pair.source), str(self._pair.target))
        flagged = checked_basis(languages, self.checks, segments, outputs, context)
        return Judgement(findings, counts=counts, basis=flagged)

    def score(self, judgement: Judgement, context: RunContext) -> Result:
        rates = pass_rates(
            judgement.findings,
            list(judgement.counts),
            judgement.counts,
            level=self.level,
            signature=self.signature,
        )
        rates = replace(rates, basis={**rates.basis, **judgement.basis})
        if flagged := checked_note(rates):
            rates = replace(rates, notes=[*rates.notes, flagged])
        return sign(rates, context, **signed_repeats(self.repeat))

    def _opinions(
        self, answered: Sequence[AnsweredPair], system: str, context: RunContext
    ) -> list[tuple[Opinion, Opinion]]:
        """The judge's opinions of both translations of each pair; empty if the paper's judge is used."""
        if self.judge_by == PAPER:
            return []
        answers = [
            answer_of(
                edited_id(pair.case.id) if side else pair.case.id,
                str(pair.case.sources[side]), pair.texts[side],
                [pair.case.expect["references"][side]],
            )
            for pair in answered
            for side in range(2)
        ]  # fmt: skip
        opinions = ask_judge(self._judge, answers, context, system=system)
        if (limit := self._fails_from) is not None:
            opinions = [opinion.with_threshold(limit) for opinion in opinions]
        return list(zip(opinions[::2], opinions[1::2], strict=True))

    def _findings(
        self, answered: Sequence[AnsweredPair], system: str, opinions: Sequence[tuple[Opinion, Opinion]]
    ) -> list[Finding]:
        if opinions:
            judged = [pair.judged_by(*both) for pair, both in zip(answered, opinions, strict=True)]
        else:
            alpha, beta = self.thresholds.alpha, self.thresholds.beta
            judged = [judge_pair(*p.qualities, alpha=alpha, beta=beta, signed=self.signed) for p in answered]
        denied = self._contradictions(answered) if self.direct else {}
        for i, (side, _) in denied.items():
            judged[i] = JudgedPair("edit broke it" if side else "original is bad")
        has_edit: dict[int, bool | None] = {}
        if self.direct:
            doubtful = [i for i, verdict in enumerate(judged) if verdict.status != "passed"]
            has_edit = {i: answered[i].finds_edit() for i in doubtful}
            for i, pair in enumerate(answered):
                if pair.ignores_edit(self._pair):
                    judged[i], has_edit[i] = JudgedPair("edit ignored"), False
        return [
            pair.finding(
                system,
                judged[i],
                has_edit.get(i),
                denied[i][1] if i in denied else opinions[i][1] if opinions else None,
                is_original_good=_is_good(pair, opinions[i][0])
                if opinions
                else judged[i].status != "original is bad",
            )
            for i, pair in enumerate(answered)
        ]

    def _contradictions(self, answered: Sequence[AnsweredPair]) -> dict[int, tuple[int, Opinion]]:
        """Pairs with too many or too few negations: the side (0 is the original's) and the reason."""
        if self._polarity is None:
            return {}
        found: dict[int, tuple[int, Opinion]] = {}
        for side in (1, 0):
            answers = [
                AnnotatedAnswer(
                    str(i),
                    Annotation(str(pair.case.sources[side])),
                    Annotation(pair.texts[side]),
                    tuple(pair.references(side)),
                )
                for i, pair in enumerate(answered)
            ]
            for suspicion in self._polarity.contradictions(answers):
                words = (*suspicion.evidence["source"], *suspicion.evidence["output"])
                reason = Reason("polarity", 1.0, suspicion.why, words)
                found[int(suspicion.id)] = side, Opinion("fail", None, (reason,))
        return found

    @cached_property
    def _pair(self) -> Pair:
        return parse_pair(self.pair)

    @cached_property
    def _polarity(self) -> Polarity | None:
        return find_polarity(self._pair)

    @cached_property
    def _judge(self) -> TranslationJudge:
        return open_judge(self._pair, self.judge_by)

    @property
    def _fails_from(self) -> float | None:
        """The lowest probability at which our judge calls a translation wrong, if it was calibrated."""
        fail = (self.calibrated or {}).get("parameters", {}).get("fail")
        return None if fail is None else float(fail)

    @cached_property
    def thresholds(self) -> Thresholds:
        """The thresholds for a good quality and for a difference in this quality measure."""
        target = self._pair.target.code
        return thresholds_for(
            quality_name(self.quality), target=target, alpha=self.min_quality, beta=self.max_change
        )

    @cached_property
    def signature(self) -> str:
        """Everything that the verdicts depend on, except for the systems."""
        from mtassay import __version__

        settings: dict[str, object] = {"quality": quality_name(self.quality)}
        if self.judge_by != PAPER:
            settings |= {"judge": self._judge.signature}
            settings |= {} if self._fails_from is None else {"fail": f"{self._fails_from:g}"}
        else:
            settings |= {
                "alpha": f"{self.thresholds.alpha:g}",
                "beta": f"{self.thresholds.beta:g}",
                "signed": "yes" if self.signed else "no",
                "polarity": "yes" if self.direct and self._polarity else "no",
            }
        settings |= {
            "direct": "words" if self.direct else "no",
            "filter": quality_name(self.filter) or "none",
        }
        if self.filter:
            settings["filter_beta"] = f"{filter_threshold(quality_name(self.filter), self.filter_beta):g}"
        for name, metric in {**self.quality, **self.filter}.items():
            settings[name] = f"[{metric.signature([])}]"
        settings["version"] = f"mtassay-{__version__}"
        return "|".join(f"{key}:{value}" for key, value in settings.items())


def _is_good(pair: AnsweredPair, opinion: Opinion) -> bool:
    """Whether the translation of an original has no known fault; a copy of the source counts as a fault."""
    return opinion.verdict != "fail" and words_of(pair.texts[0]) != words_of(str(pair.case.sources[0]))


def _asks_for_recipe(values: Mapping[str, Any]) -> bool:
    """Whether an option that only a recipe has was given."""
    own = {f.name for f in fields(BehaviorMethod)}
    return any(f.name in values and f.name not in own for f in fields(Recipe))


def _judges_in_question(values: Mapping[str, Any], run: Run | None) -> list[str]:
    """The judges whose thresholds may be used, best first: our judge, or the paper's quality measure."""
    saved = run.parameters if run else {}
    names = measure_names(values["quality"]) if "quality" in values else list(saved.get("quality") or ())
    quality = "+".join(names or [best_quality()])
    judge = values.get("judge_by")
    if judge is None:
        judge = PAPER if _asks_for_the_paper(values) else saved.get("judge_by")
    return {OURS: [OURS], PAPER: [quality]}.get(str(judge), [OURS, quality])


def _asks_for_the_paper(values: Mapping[str, Any]) -> bool:
    """Whether a setting of the paper's judge was given; a switch that is off does not count."""
    return any(values.get(name) not in (None, False) for name in _OF_THE_PAPER)


def _parameters_that_hold(saved: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a saved run, without the thresholds of a measure that the new values replace."""
    gone = {"quality": ("min_quality", "max_change", "calibrated"), "filter": ("filter_beta",)}
    dropped = {
        key
        for measure, keys in gone.items()
        if measure in values and list(measure_names(values[measure])) != list(saved.get(measure) or ())
        for key in keys
    }
    if "min_quality" in values or "max_change" in values:
        dropped.add("calibrated")
    return {key: value for key, value in saved.items() if key not in dropped}


def _pairs(case: Case) -> tuple[Translated, Translated]:
    original, edited = map(as_translated, map(str, case.sources), case.expect["references"])
    return original, edited
