"""Behavioural testing as a method: a system passes if it translates a pair and its edit equally well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from os import PathLike
from typing import Any, ClassVar, Literal, Self

from mtassay.core import (
    Case,
    Doubt,
    Finding,
    Flags,
    Generated,
    Judgement,
    Ledger,
    Observation,
    Output,
    Question,
    Result,
    Run,
    Segment,
    Tools,
    original_of,
)
from mtassay.detectors.judge import Opinion, TranslationJudge, is_trained, open_judge
from mtassay.display import PLAIN, Block, CaseView, Figure, Headline, Line, Table, View
from mtassay.errors import ServiceError, UsageError
from mtassay.languages import Pair, parse_pair
from mtassay.method import AskedPair, Method, Read
from mtassay.methods.basis import sign
from mtassay.methods.behavior.blocks import (
    answer_view,
    case_block,
    case_lines,
    cases_table,
    edit_blocks,
    failure_blocks,
    failures_table,
    worth_a_look,
)
from mtassay.methods.behavior.edit_search import find_by_meaning
from mtassay.methods.behavior.evidence import (
    AnsweredPair,
    CaseEvidence,
    count_findings,
    missing_output,
    observed,
    skipped_case,
)
from mtassay.methods.behavior.files import read_material, read_outputs_of
from mtassay.methods.behavior.generation import make_cases
from mtassay.methods.behavior.pair_quality import PAIR_QUESTIONS, pairs_in
from mtassay.methods.behavior.pairs import cases_of
from mtassay.methods.behavior.quality import (
    Translated,
    as_translated,
    best_quality,
    check_filter,
    filter_threshold,
    measure_names,
    measures,
    pair_differences,
    qualities,
    quality_name,
)
from mtassay.methods.behavior.rates import (
    ALL,
    PASS_RATE,
    error_positions,
    pass_rate_ledgers,
    pass_rates,
    sweep_run,
)
from mtassay.methods.behavior.recipe import Recipe
from mtassay.methods.behavior.tables import (
    pass_rate_figure,
    pass_rate_table,
    position_table,
    status_table,
    sweep_figure,
    sweep_table,
)
from mtassay.methods.behavior.thresholds import (
    EVIDENCE,
    MOVED,
    JudgedPair,
    Thresholds,
    calibrated_thresholds,
    caution,
    compared,
    is_blind,
    judge_pair,
    reconsider,
    thresholds_for,
    thresholds_of,
)
from mtassay.methods.headlines import Contest, weakest
from mtassay.methods.opinions import BACK_TRANSLATION, answer_of, ask_judge
from mtassay.metrics.base import Metric
from mtassay.metrics.blindspots import blindspots_note
from mtassay.options import option

__all__ = ["BehaviorMethod"]

JudgeName = Literal["evidence", "paper"]
_OF_THE_PAPER = ("quality", "alpha", "beta", "signed")
"""Settings of the paper's judge: to give one of them is to ask for it."""


@dataclass(frozen=True)
class BehaviorMethod(Method):
    """Holds translations of originals against references, and those of edits against pseudo-references.

    `judge_by` is "evidence", which adds up what speaks for an error in the translation of the edited source
    (`mtassay.detectors.judge`), where it was trained for the language pair, and "paper" where not; with
    `back_translation`, an engine, it has more to go by. The rest is about the paper's judge.

    `quality` are the metrics, by name, that are averaged to measure a translation. A case passes if the
    original has a quality of at least `alpha` and the edit moves it by at most `beta`; where these are not
    given, those of the measure count (see `thresholds`), or those in a file that `meta calibrate` wrote
    (`calibrated`). With `signed` only a loss of quality counts. With `filter`, a reference-free metric, cases
    are skipped whose two pairs differ in quality by more than `filter_beta`. `direct` looks for the edit in
    the translations: where it was provably ignored, the case fails whatever its quality; with `meaning` the
    sentence encoder helps to place errors, which finds a little more and takes its time. `level` is that of
    significance. A `recipe` says how cases are made of a parallel text; without one, the segments must be
    cases.
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
            "Where is the error: in what became of the edited words (edit), in another place (elsewhere), or "
            "in both? Correct: there is none.",
            {"c": "correct", "e": "edit", "w": "elsewhere", "x": "both"},
            is_blind=True,
            about="the output to the edited source",
        ),
        *PAIR_QUESTIONS.values(),
    )

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
    judge_by: JudgeName = field(
        default="paper",
        metadata=option(
            "evidence adds up what speaks for an error; paper compares qualities. Default: evidence where it "
            "was trained (en-pt) and nothing of paper is given.",
            "--judge",
            kind=JudgeName | None,
            default=None,
        ),
    )
    back_translation: str | None = field(default=None, metadata=BACK_TRANSLATION)
    alpha: float | None = field(
        default=None,
        metadata=option(
            "An original of this quality is good. Default: the measure's.",
            "--min-quality",
            old=("--alpha",),
            least=0,
            most=1,
        ),
    )
    beta: float | None = field(
        default=None,
        metadata=option(
            "An edit may move the quality by this. Default: the measure's.",
            "--max-change",
            old=("--beta",),
            least=0,
            most=1,
        ),
    )
    calibrated: Mapping[str, Any] | None = field(
        default=None,
        metadata=option(
            "Thresholds that 'mtassay meta calibrate' found for your engine.",
            "--thresholds",
            metavar="FILE",
            kind=str | None,
        ),
    )
    signed: bool = field(
        default=False, metadata=option("Only a loss of quality counts.", "--signed/--no-signed")
    )
    direct: bool = field(
        default=True,
        metadata=option("Look for the edit in translations: is the error there?", "--direct/--no-direct"),
    )
    meaning: bool = field(
        default=False,
        metadata=option("Look for it by meaning too, with the encoder.", "--meaning/--no-meaning"),
    )
    filter: Mapping[str, Metric] = field(
        default_factory=dict,
        metadata=option(
            "Skip cases whose two pairs are not equally good by this reference-free measure, as "
            "use:against=source.",
            metavar="NAME",
            kind=str | None,
            default=None,
        ),
    )
    filter_beta: float | None = field(
        default=None,
        metadata=option("How much the two pairs may differ. Default: the measure's.", least=0),
    )
    level: float = field(default=0.05, metadata=option("Level of significance.", least=0.0001, most=0.5))
    recipe: Recipe | None = None

    # Parameters ------------------------------------------------------------------------------------------

    @classmethod
    def resolve(cls, settings: Mapping[str, Any], run: Run | None = None) -> Self:
        """Measures may be given as text, `use,chrf`. Thresholds of a saved run hold for its measure alone.

        `recipe` is one, or `True` to make one of what is given besides: `filter` and `filter_beta` are then
        those of the recipe. Whatever only a recipe has makes one too.
        """
        values = {key: value for key, value in settings.items() if value is not None}
        if values.get("recipe") in (None, True):
            values |= {"recipe": values.get("recipe") or _asks_for_recipe(values)}
        if values["recipe"] is True:
            keys = {f.name for f in fields(Recipe)}
            values["recipe"] = Recipe.resolve({key: values.pop(key) for key in keys & values.keys()})
        elif not values["recipe"]:
            del values["recipe"]
        pair = parse_pair(str(values.get("pair") or (run.parameters["pair"] if run else "")))
        values["pair"] = str(pair)
        if run is not None:
            run = replace(run, parameters=_parameters_that_hold(run.parameters, values))
        if isinstance(values.get("calibrated"), str | PathLike):
            file = values.pop("calibrated")
            values = {**calibrated_thresholds(file, _judges_in_question(values, run)), **values}
        if "judge_by" not in values and (run is None or _asks_for_the_paper(values)):
            values["judge_by"] = _usual_judge(values, pair)
        if "quality" in values or run is None or not run.parameters.get("quality"):
            values["quality"] = measures(values.get("quality", best_quality()), pair)
        if "filter" in values:
            values["filter"] = measures(values["filter"], pair)
        method = super().resolve(values, run)
        check_filter(method.filter)
        try:
            _ = method.signature  # thresholds that nobody knows are an error before anything is translated
        except ServiceError as error:
            raise ServiceError(f"{error} Or measure with the encoder: --quality use.") from None
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
        """One that only makes cases, by what is given of a recipe."""
        return cls(str(parse_pair(pair)), {}, recipe=Recipe.resolve(options))

    # The flow --------------------------------------------------------------------------------------------

    def read(self, source: Any, reference: Any, tools: Tools) -> list[Segment]:
        """A parallel text, from files or lists of texts; without a reference, both sides of cases.

        Cases are a file of them, or segments as they are. Texts in another language are told of.
        """
        return read_material(source, reference, self._pair, tools)

    def generate(self, segments: Sequence[Segment], tools: Tools) -> Generated:
        """The cases of a parallel text by the recipe; segments that are cases already stay as they are."""
        if self.recipe is None or any(original_of(segment) is not None for segment in segments):
            return Generated(segments)
        return make_cases(segments, self._pair, self.recipe, tools)

    def reader(self, segments: Sequence[Segment], tools: Tools) -> Read:
        """Outputs of cases: those of the original and of the edit are in one record."""
        ids = {segment.id for segment in segments}
        return lambda path, name: read_outputs_of(ids, path, tools)

    def cases(self, segments: Iterable[Segment], tools: Tools) -> list[Case]:
        cases = cases_of(segments)
        if not self.filter:
            return cases
        limit = filter_threshold(quality_name(self.filter), self.filter_beta)
        asked = [case for case in cases if case.skip is None]
        differences = pair_differences(self.filter, [_pairs(case) for case in asked], tools)
        unequal = {
            case.id: f"its two pairs are not equally good: {d.quality:.3f} and {d.edited_quality:.3f}"
            for case, d in zip(asked, differences, strict=True)
            if not d.is_within(limit)
        }
        return [case._replace(skip=unequal[case.id]) if case.id in unequal else case for case in cases]

    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], tools: Tools
    ) -> Judgement:
        asked = [case for case in cases if case.skip is None]
        systems = list(outputs)
        items = [
            Translated(
                str(case.sources[side]),
                case.expect["references"][side],
                tuple(outputs[system][2 * number + side].text for system in systems),
            )
            for number, case in enumerate(asked)
            for side in range(2)
        ]
        measured = qualities(self.quality, items, systems, tools).reshape(-1, 2, len(systems))
        findings: list[Finding] = []
        counts: dict[str, dict[str, int]] = {}
        for column, system in enumerate(systems):
            system_findings = [skipped_case(case, system) for case in cases if case.skip is not None]
            answered: list[AnsweredPair] = []
            for number, case in enumerate(asked):
                both = outputs[system][2 * number : 2 * number + 2]
                absent = [side for side in range(2) if both[side].text is None]
                if absent:
                    system_findings.append(missing_output(case, system, absent[0], both[absent[0]]))
                else:
                    texts = (str(both[0].text), str(both[1].text))
                    quality, edited = measured[number, :, column].tolist()
                    answered.append(AnsweredPair(case, texts, (quality, edited)))
            system_findings += self._findings(answered, system, self._opinions(answered, tools), tools)
            counts[system] = count_findings(system_findings, len(cases))
            findings += system_findings
        return Judgement(findings, counts=counts)

    def score(self, judgement: Judgement, tools: Tools) -> Result:
        rates = pass_rates(
            judgement.findings,
            list(judgement.counts),
            judgement.counts,
            level=self.level,
            signature=self.signature,
        )
        return sign(rates, tools)

    def _opinions(self, answered: Sequence[AnsweredPair], tools: Tools) -> list[tuple[Opinion, Opinion]]:
        """The judge's opinions of both translations of each pair; none where the paper's judge is asked."""
        if self.judge_by == "paper":
            return []
        answers = [
            answer_of(
                f"{pair.case.id}/{side}", str(pair.case.sources[side]), pair.texts[side],
                [pair.case.expect["references"][side]],
            )
            for pair in answered
            for side in range(2)
        ]  # fmt: skip
        opinions = ask_judge(self._judge, answers, tools, back_translation=self.back_translation)
        if (limit := self._fails_from) is not None:
            opinions = [opinion.with_threshold(limit) for opinion in opinions]
        return list(zip(opinions[::2], opinions[1::2], strict=True))

    def _findings(
        self,
        answered: Sequence[AnsweredPair],
        system: str,
        opinions: Sequence[tuple[Opinion, Opinion]],
        tools: Tools,
    ) -> list[Finding]:
        name = quality_name(self.quality)
        if opinions:
            judged = [pair.judged_by(*both) for pair, both in zip(answered, opinions, strict=True)]
        else:
            alpha, beta = self.thresholds.alpha, self.thresholds.beta
            judged = [
                judge_pair(*pair.qualities, alpha=alpha, beta=beta, signed=self.signed) for pair in answered
            ]
        blind = [is_blind(name, pair.case.tags["capability"]) for pair in answered]
        has_edit: dict[int, bool | None] = {}
        if self.direct:
            doubtful = [i for i, verdict in enumerate(judged) if blind[i] or verdict.status != "passed"]
            has_edit = {i: answered[i].finds_edit() for i in doubtful}
            for i, pair in enumerate(answered):
                if pair.ignores_edit(self._pair):
                    judged[i], has_edit[i] = JudgedPair("edit ignored"), False
        if self.meaning:
            # The encoder cannot tell what it is blind to.
            unknown = [i for i, answer in has_edit.items() if answer is None and not blind[i]]
            tools.progress("looking for the edits", 0, None)
            has_edit |= zip(unknown, find_by_meaning([answered[i].sought for i in unknown]), strict=True)
        return [
            pair.finding(
                system,
                reconsider(judged[i], has_edit.get(i)) if blind[i] else judged[i],
                has_edit.get(i),
                opinions[i][1] if opinions else None,
            )
            for i, pair in enumerate(answered)
        ]

    @cached_property
    def _pair(self) -> Pair:
        return parse_pair(self.pair)

    @cached_property
    def _judge(self) -> TranslationJudge:
        return open_judge(self._pair)

    @property
    def _fails_from(self) -> float | None:
        """The probability from which on the judge by evidence calls a translation wrong, if calibrated."""
        fail = (self.calibrated or {}).get("parameters", {}).get("fail")
        return None if fail is None else float(fail)

    @cached_property
    def thresholds(self) -> Thresholds:
        """What is good and what is a difference, for this quality measure."""
        target = self._pair.target.code
        return thresholds_for(quality_name(self.quality), target=target, alpha=self.alpha, beta=self.beta)

    @cached_property
    def signature(self) -> str:
        """All that the verdicts depend on, but for the systems."""
        from mtassay import __version__

        settings: dict[str, object] = {"quality": quality_name(self.quality)}
        if self.judge_by == "evidence":
            settings |= {"judge": self._judge.signature, "back": self.back_translation or "none"}
            settings |= {} if self._fails_from is None else {"fail": f"{self._fails_from:g}"}
        else:
            settings |= {
                "alpha": f"{self.thresholds.alpha:g}",
                "beta": f"{self.thresholds.beta:g}",
                "signed": "yes" if self.signed else "no",
            }
        settings |= {
            "direct": ("meaning" if self.meaning else "words") if self.direct else "no",
            "filter": quality_name(self.filter) or "none",
        }
        if self.filter:
            settings["filter_beta"] = f"{filter_threshold(quality_name(self.filter), self.filter_beta):g}"
        for name, metric in {**self.quality, **self.filter}.items():
            settings[name] = f"[{metric.signature([])}]"
        settings["version"] = f"mtassay-{__version__}"
        return "|".join(f"{key}:{value}" for key, value in settings.items())

    # How a saved run shows itself ------------------------------------------------------------------------

    @classmethod
    def check_run(cls, run: Run) -> None:
        """An error if not one case could be judged, with what was in the way of the first."""
        if run.findings and all(finding.verdict == "skipped" for finding in run.findings):
            first = run.findings[0]
            why = CaseEvidence.of(first).lacks(first)
            raise UsageError(f"All cases were skipped, nothing is judged. The first: {why}.")

    @classmethod
    def observations(cls, run: Run) -> list[Observation]:
        """What was made of the edited sources; the cases of one sentence are a family."""
        return [observed(finding) for finding in run.findings]

    @classmethod
    def failure(cls, run: Run) -> str:
        return "a translation of an edited source that the judge calls wrong"

    @classmethod
    def means(cls, run: Run) -> str:
        return "edited sentences"

    @classmethod
    def facts(cls, run: Run) -> str:
        return ""

    @classmethod
    def headlines(cls, run: Run) -> list[Headline]:
        level = float(run.parameters.get("level", 0.05))
        told = Contest(run, PASS_RATE, ALL, "pass rate", "case", level, suffix=" %").headlines()
        rates = [s for s in run.result.scores if s.name == PASS_RATE and s.group != ALL]
        told += weakest(
            rates, lambda s, value, how: f"{s.system} is worst at {s.group}: {value} % pass {how}."
        )
        return [*told, *cls.open_headlines(run)]

    @classmethod
    def case_views(cls, run: Run) -> Iterable[CaseView]:
        """Every case: both sources with the edit marked, and both outputs of each system."""
        findings: dict[str, list[Finding]] = {}
        for finding in run.findings:
            findings.setdefault(finding.case_id, []).append(finding)
        for segment in run.segments:
            if about := findings.get(segment.id):
                lines = case_lines(about) or [Line("source", segment.source or "")]
                order = [f for system in run.systems for f in about if f.system == system]
                capability = CaseEvidence.of(about[0]).capability
                yield CaseView(segment.id, lines, [answer_view(f) for f in order], [capability])

    @classmethod
    def tables(cls, run: Run, view: View = PLAIN) -> list[Table]:
        parameters = run.parameters
        by_evidence = parameters.get("judge_by") == "evidence"
        warning = (
            ""
            if by_evidence
            else caution(
                "+".join(parameters.get("quality") or ()),
                str(parameters.get("pair", "")),
                alpha=parameters.get("alpha"),
                beta=parameters.get("beta"),
                direct=bool(parameters.get("direct", True)),
            )
        )
        known = (parameters.get("calibrated") or {}).get("known", "")
        blind = (
            "" if by_evidence else blindspots_note((name, name) for name in parameters.get("quality") or ())
        )
        warning = " ".join(filter(None, (known, warning, blind)))
        rates = pass_rate_table(
            run.result, alpha=float(parameters.get("level", 0.05)), mark=view.mark, caution=warning
        )
        positions = position_table(error_positions(run.findings), run.findings)
        tables = [table for table in (rates, status_table(run), positions) if table]
        if view.detail and not by_evidence:
            swept = sweep_run(run)
            tables.append(sweep_table(swept.scores, chosen=swept.chosen, title=swept.title))
        return tables

    @classmethod
    def figures(cls, run: Run, view: View = PLAIN) -> list[Figure]:
        figures = [pass_rate_figure(run.result, title=str(run.parameters.get("pair", "")))]
        if view.detail and run.parameters.get("judge_by") != "evidence":
            swept = sweep_run(run)
            figures.append(sweep_figure(swept.scores, chosen=swept.chosen, title=swept.title))
        return figures

    @classmethod
    def blocks(cls, run: Run, view: View = PLAIN) -> list[Block]:
        return failure_blocks(run, view)

    @classmethod
    def cases_table(cls, run: Run, view: View = PLAIN) -> Table | None:
        return failures_table(run, most=view.cases)

    @classmethod
    def finding_blocks(cls, run: Run) -> list[Block]:
        several = len(run.systems) > 1
        return [case_block(finding, show_system=several) for finding in worth_a_look(run)]

    @classmethod
    def findings_table(cls, run: Run, *, everything: bool) -> Table | None:
        shown = run.findings if everything else worth_a_look(run)
        return cases_table(shown, title=f"Findings: {len(shown):,}")

    @classmethod
    def record(cls, run: Run) -> dict[str, Any]:
        findings = [asdict(finding) for finding in run.findings if finding.verdict != "pass"]
        where = [asdict(score) for score in error_positions(run.findings)]
        return {**run.result.as_dict(), "positions": where, "findings": findings}

    @classmethod
    def advice(cls, run: Run, *, is_saved: bool) -> list[str]:
        is_swept = is_saved and run.parameters.get("judge_by") != "evidence"
        return [f"other thresholds: mtassay behavior sweep {run.id}"] if is_swept else []

    @classmethod
    def ledgers(cls, run: Run, system: str) -> list[Ledger]:
        """Pass rates of all cases and of each capability; cases made from one sentence hang together."""
        return pass_rate_ledgers([finding for finding in run.findings if finding.system == system], system)

    @classmethod
    def doubts(cls, run: Run) -> list[Doubt]:
        """What is judged is the translation of the edited source: of all cases that fail or are undecided."""
        edits = {original: s.id for s in run.segments if (original := original_of(s)) is not None}
        statuses = {"fail": "suspicious", "undecided": "undecided"}
        return [
            Doubt(edits.get(finding.case_id, ""), finding.system, statuses[finding.verdict])
            for finding in run.findings
            if finding.verdict in statuses
        ]

    @classmethod
    def decided(cls, run: Run) -> list[Doubt]:
        """The cases that passed or failed, by the translation of the edited source."""
        edits = {original: s.id for s in run.segments if (original := original_of(s)) is not None}
        answers = {"pass": "correct", "fail": "wrong"}
        return [
            Doubt(edits[f.case_id], f.system, answers[f.verdict])
            for f in run.findings
            if f.verdict in answers and f.case_id in edits
        ]

    @classmethod
    def reviewed(cls, run: Run, case_id: str) -> str:
        edits = (s.id for s in run.segments if original_of(s) == case_id)
        return next(edits, case_id)

    @classmethod
    def pairs(cls, run: Run, question: str) -> list[AskedPair]:
        """Edited and original pairs, mixed: who rates one does not know which it is."""
        return pairs_in(run.segments, question) if question in PAIR_QUESTIONS else []

    @classmethod
    def kin(cls, run: Run, segment_id: str, system: str) -> list[Block]:
        """Both sources with the edit marked, and the output to the original."""
        return edit_blocks(run, segment_id, system)

    @classmethod
    def case_of(cls, segment: Segment) -> str:
        return original_of(segment) or segment.id

    @classmethod
    def status(cls, findings: Sequence[Finding]) -> str:
        judged = [status for finding in findings if (status := CaseEvidence.of(finding).status)]
        return judged[0] if judged else super().status(findings)

    @classmethod
    def why(cls, finding: Finding) -> str:
        return CaseEvidence.of(finding).unsettled

    @classmethod
    def reasons(cls, finding: Finding) -> list[str]:
        """What the case was judged to be and what speaks for it; without a verdict, why not."""
        evidence = CaseEvidence.of(finding)
        if not evidence.status:
            return [cls.why(finding)]
        if evidence.probability is not None:
            return [f"{evidence.status}: {100 * evidence.probability:.0f} % likely wrong", *evidence.reasons]
        if evidence.quality is None or evidence.edited_quality is None:
            return [evidence.status]
        return [f"{evidence.status}: quality {evidence.quality:.2f}, edited {evidence.edited_quality:.2f}"]

    @classmethod
    def block(cls, run: Run, case_id: str, system: str) -> Block:
        """The case whole, and how its qualities stand to the thresholds; without a verdict, why not."""
        finding = next(f for f in cls.findings(run, case_id) if f.system == system)
        evidence = CaseEvidence.of(finding)
        if not evidence.status:
            return super().block(run, case_id, system)
        block = case_block(finding)
        if evidence.probability is not None or evidence.quality is None or evidence.edited_quality is None:
            return block
        signed = bool(run.parameters.get("signed"))
        so = compared(evidence.quality, evidence.edited_quality, thresholds_of(run), signed=signed)
        if evidence.edit_found is False:
            so += "; the edit was not found in the translation"
        return replace(block, lines=[*block.lines, Line("why", so)])

    @classmethod
    def flags_of(cls, detector: str, findings: Sequence[Finding], missing: Mapping[str, int]) -> Flags:
        """Scores are how likely the judge finds an error; by the paper's, how bad the original is.

        There they are 1 where the edit moved it, so the curve of a run shows what other alphas would do with
        its beta.
        """
        flags = super().flags_of(detector, findings, missing)
        with_evidence = [(finding, CaseEvidence.of(finding)) for finding in findings]
        if any(evidence.probability is not None for _, evidence in with_evidence):
            likely = {
                (finding.case_id, finding.system): 1.0
                if evidence.status == "edit ignored"
                else evidence.probability
                for finding, evidence in with_evidence
                if evidence.probability is not None
            }
            return replace(flags, scores={**flags.scores, **likely})
        scores = {
            (finding.case_id, finding.system): 1.0 if evidence.status in MOVED else 1.0 - evidence.quality
            for finding, evidence in with_evidence
            if evidence.quality is not None
        }
        return replace(flags, scores={**flags.scores, **scores}, one_less="alpha")


def _asks_for_recipe(values: Mapping[str, Any]) -> bool:
    """Whether something was given that only a recipe has."""
    own = {f.name for f in fields(BehaviorMethod)}
    return any(f.name in values and f.name not in own for f in fields(Recipe))


def _judges_in_question(values: Mapping[str, Any], run: Run | None) -> list[str]:
    """What thresholds are wanted for, best first: "evidence", or the quality of the paper's judge."""
    saved = run.parameters if run else {}
    names = measure_names(values["quality"]) if "quality" in values else list(saved.get("quality") or ())
    quality = "+".join(names or [best_quality()])
    judge = values.get("judge_by")
    if judge is None:
        judge = "paper" if _asks_for_the_paper(values) else saved.get("judge_by")
    return {"evidence": [EVIDENCE], "paper": [quality]}.get(str(judge), [EVIDENCE, quality])


def _usual_judge(values: Mapping[str, Any], pair: Pair) -> JudgeName:
    """The one that adds up evidence, if it was trained for the pair and nothing of the paper's is given."""
    return "evidence" if is_trained(pair) and not _asks_for_the_paper(values) else "paper"


def _asks_for_the_paper(values: Mapping[str, Any]) -> bool:
    """Whether a setting of the paper's judge is given; a switch that is off asks for nothing."""
    return any(values.get(name) not in (None, False) for name in _OF_THE_PAPER)


def _parameters_that_hold(saved: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a saved run, but for the thresholds of a measure that is given anew."""
    gone = {"quality": ("alpha", "beta", "calibrated"), "filter": ("filter_beta",)}
    dropped = {
        key
        for measure, keys in gone.items()
        if measure in values and list(measure_names(values[measure])) != list(saved.get(measure) or ())
        for key in keys
    }
    if "alpha" in values or "beta" in values:
        dropped.add("calibrated")
    return {key: value for key, value in saved.items() if key not in dropped}


def _pairs(case: Case) -> tuple[Translated, Translated]:
    original, edited = map(as_translated, map(str, case.sources), case.expect["references"])
    return original, edited
