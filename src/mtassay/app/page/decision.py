"""Recommendations after a test: which system to ship, with what certainty and risks, and the next step.

All sentences are made here, so a page, Markdown and the terminal show the same ones.
"""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from mtassay.data.display import Headline, Leaderboard
from mtassay.data.marks import plural
from mtassay.data.method import view_of
from mtassay.data.nouns import Comparison, Finding, Run
from mtassay.data.registry import find, names
from mtassay.data.run_view import SEVERITIES
from mtassay.measures.check_run import id_of, severity_of, severity_of_check
from mtassay.measures.metric import worth_of
from mtassay.methods.headlines import FEW, FEW_NOTE, unranked
from mtassay.methods.paired_scores import NO_OUTPUT

QUALITY, NO_CRITICAL, TERMINOLOGY = "quality", "no-critical-errors", "terminology"
_APART = "apart"
COST, LATENCY = "cost", "latency"
PRIORITIES = (QUALITY, NO_CRITICAL, TERMINOLOGY, COST, LATENCY)
"""The possible criteria of a choice."""
DEFAULT = (QUALITY, NO_CRITICAL)
_TERM_CHECKS = ("term-missing", "term-forbidden", "do-not-translate", "term-drift")
_RISKS = 3
_WEAK = "Not sure"
_UNSURE = "Not sure which is better"
_FEW_OF = 4  # a quarter of the measures or fewer is weak evidence
_ALPHA = 0.05
_LESS = 0.9  # a price or a time that is less by a tenth counts
_NAMED = 6  # systems named in a sentence
MORE_CRITICAL = "More critical errors"
_GONE = {
    "": "Left texts unanswered",
    _APART: "Not compared with the others",
    QUALITY: "Significantly worse than another system, and better by no measure",
    NO_CRITICAL: MORE_CRITICAL,
    TERMINOLOGY: "More wrong terms",
    COST: "More expensive",
    LATENCY: "Slower",
}
"""Why a system is out, by criterion."""
_DECIDES = {
    NO_CRITICAL: "Fairly sure: it has significantly fewer critical errors. Outputs with one",
    TERMINOLOGY: "Fairly sure: it has significantly fewer wrong terms. Outputs with one",
    COST: "Sure: it is cheaper. Price of a million characters",
    LATENCY: "Sure: it is faster. Seconds for a text",
}
_DIFFER = {True: "The difference is significant.", False: "The difference is not significant."}
_RATINGS = 196
"""Sentences to rate so that 5 of 100 points show: 80 % power, 5 % level, a deviation of 25 points."""


class DecidedRun(NamedTuple):
    """One run behind a decision, with its name."""

    name: str
    run: Run
    headlines: Sequence[Headline]

    @classmethod
    def of(cls, name: str, run: Run) -> DecidedRun:
        """Return a run with its headlines."""
        return cls(name, run, view_of(run).headlines())


class Risk(NamedTuple):
    """A risk, and the number of the run that shows it."""

    headline: Headline
    place: int


@dataclass(frozen=True)
class Recommendation:
    """A recommendation: `system` is empty if none can be recommended."""

    advice: str
    system: str = ""
    sure: Sequence[str] = ()
    risks: Sequence[Risk] = ()
    next_step: str = ""
    command: str = ""
    priorities: str = ""
    leaders: Sequence[str] = ()
    """The remaining candidates, the first one first."""
    no_risk: str = ""
    """Why no risk is named, if there are none."""
    others: Sequence[str] = ()
    """Why each other system is not chosen."""
    out: Mapping[str, str] = field(default_factory=dict)
    """Each of them with its reason in a few words."""

    def lines(self) -> list[str]:
        """Return all of it as sentences, for a terminal; the command is the last line."""
        risks = [f"Risk: {text}" for text in (*(r.headline.text for r in self.risks), self.no_risk) if text]
        following = f"Next: {self.next_step}" if self.next_step else ""
        command = f"  {self.command}" if self.command else ""
        sure, others = " ".join(self.sure), " ".join(self.others)
        told = [self.advice, sure, *risks, others, self.priorities, following, command]
        return [line for line in told if line]


def boards_of(tested: Sequence[DecidedRun]) -> list[tuple[int, Leaderboard]]:
    """Return the comparisons of systems by each measure, with the number of the run."""
    return [
        (place, headline.board)
        for place, one in enumerate(tested)
        for headline in one.headlines
        if headline.board is not None
    ]


def decide(
    tested: Sequence[DecidedRun],
    *,
    priorities: Sequence[str] = (),
    prices: Mapping[str, float] | None = None,
    latency: Mapping[str, float] | None = None,
    currency: str = "",
) -> Recommendation:
    """Recommend a system by these runs.

    Args:
        tested: The runs.
        priorities: The criteria, the most important first; by default quality, then no critical errors.
        prices: What a million characters cost, by system.
        latency: How many seconds a text takes, by system.
        currency: What prices are in.

    Returns:
        The recommendation with its reasons; one without a system where the data cannot decide.
    """
    choice = _Choice(tested, tuple(priorities) or DEFAULT, prices or {}, latency or {}, currency)
    if len(choice.systems) < 2:
        return _alone(choice)
    left = choice.left(choice.priorities)
    leaders = choice.ordered(left)
    first = leaders[0]
    if choice.incomplete.keys() >= set(choice.systems) or choice.ahead(first):
        return choice.unanswered(leaders)
    if len(left) == 1:
        sure = choice.sure(first)
        is_weak = choice.decided_by() == QUALITY and sure[0].startswith(_WEAK)
        following, command = (
            choice.what_would(choice.ordered(choice.systems)[:2]) if is_weak else choice.review(first)
        )
        advice, following = (
            f"Ship {first}{', but the evidence is weak' * is_weak}.",
            f"before you ship it, {following}",
        )
    else:
        sure = choice.open_reasons(leaders)
        following, command = choice.what_would(leaders)
        advice = f"The data cannot decide between {_joined(leaders)}."
        if choice.disagreeing(leaders):
            advice = f"The measures disagree about {_joined(leaders)}, so the data cannot decide."
    reasons, told, risks = [*sure, *choice.trade()], choice.told(), choice.risks(leaders)
    system, no_risk, others = first * (len(left) == 1), choice.faultless(leaders), choice.left_out()
    return Recommendation(
        advice, system, reasons, risks, following, command, told, leaders, no_risk, others, choice.out()
    )


def order_systems(tested: Sequence[DecidedRun], systems: Iterable[str]) -> list[str]:
    """Sort systems by the number of measures by which they may be the best, then by their places."""
    return _Choice(tested, DEFAULT).ordered(systems)


def _alone(choice: _Choice) -> Recommendation:
    system = next(iter(choice.systems), "")
    if not system:
        return Recommendation("Nothing was tested.")
    told = [h.text for one in choice.tested for h in one.headlines if h.kind == "better"][:2]
    advice = f"Only {system} was tested, so there is nothing to choose."
    if left := choice.incomplete[system]:
        advice += f" It left {plural(left, 'text')} without an answer."
    following, command = choice.review(system)
    return Recommendation(advice, "", [*told, choice.people()], choice.risks([system]), following, command)


@dataclass(frozen=True)
class _Choice:
    """All the data for a choice between the systems of these runs."""

    tested: Sequence[DecidedRun]
    priorities: tuple[str, ...]
    prices: Mapping[str, float] = field(default_factory=dict)
    latency: Mapping[str, float] = field(default_factory=dict)
    currency: str = ""

    @cached_property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(system for one in self.tested for system in one.run.systems))

    @cached_property
    def boards(self) -> list[tuple[int, Leaderboard]]:
        return boards_of(self.tested)

    @cached_property
    def incomplete(self) -> Counter[str]:
        """Count the texts each system did not answer; systems that answered all are left out.

        If missing answers count in no score, texts that no system answered are left out.
        """
        found: Counter[str] = Counter()
        for one in self.tested:
            found.update(unranked(one.run.result))
            if "unanswered" not in one.run.result.basis:
                gone = [finding for finding in one.run.findings if finding.detector == NO_OUTPUT]
                times = Counter(finding.case_id for finding in gone)
                found.update(f.system for f in gone if times[f.case_id] < len(one.run.systems))
        return found

    def ahead(self, first: str) -> list[str]:
        """Return systems that left texts unanswered but have the better scores."""
        found = {system: [board for board, _ in self._pairs(system, first)] for system in self.incomplete}
        return [s for s, boards in found.items() if boards and all(b.is_ahead(s, first) for b in boards)]

    def unanswered(self, leaders: Sequence[str]) -> Recommendation:
        """Advise if no system answered all texts, or if a system that did not has the best scores."""
        ahead = self.ahead(leaders[0])
        lacking = ahead or list(self.incomplete)
        named = _joined([f"{system} {n:,}" for system, n in self.incomplete.most_common()])
        if leaders[0] in self.incomplete:
            advice, others = "No system answered all texts, so none is recommended.", []
        else:
            advice = f"No advice yet: {_joined(ahead)} left texts unanswered, with the best scores."
            others = [f"Nobody knows how good the missing outputs are. Of the others, {leaders[0]} is ahead."]
        following = (
            f"have {_joined(lacking)} answer all texts, and test again; or let missing outputs count as "
        )
        following += "empty ones: score --rank-incomplete."
        sure = [f"Texts left without an answer: {named}.", *others, *self.trade(), self.people()]
        order = self.ordered(self.systems)
        return Recommendation(advice, "", sure, self.risks(lacking), following, leaders=order)

    def trade(self) -> list[str]:
        """Recommend by quality, price and time together, as far as they are known."""
        told = [h.text for one in self.tested for h in one.headlines if h.kind == "choice"][:1]
        return [f"{text.removesuffix('.')}." for text in "".join(told).split(". ") if text]

    # Who is left --------------------------------------------------------------------------------------------

    def left(self, priorities: Iterable[str]) -> list[str]:
        """Return the systems that remain after all criteria in their order."""
        return self._stages(priorities)[-1][1]

    def _stages(self, priorities: Iterable[str]) -> list[tuple[str, list[str]]]:
        """The remaining systems after each criterion; at first, those compared that answered all texts."""
        left = self._compared()
        stages = [(_APART, left)]
        # A system that leaves texts unanswered is never recommended.
        left = [system for system in left if system not in self.incomplete] or left
        stages.append(("", left))
        for name in priorities:
            pairs = math.comb(len(left), 2)
            beaten = {b for b in left for a in left if a != b and self._beats(name, a, b, pairs)}
            left = [system for system in left if system not in beaten] or left
            stages.append((name, left))
        return stages

    def _compared(self) -> list[str]:
        """Return the systems that some measure compares with the one that is in most measures."""
        hub = max(self.systems, key=lambda system: sum(bool(b.standing(system)) for _, b in self.boards))
        beside = [system for system in self.systems if system == hub or self._pairs(hub, system)]
        return beside if len(beside) > 1 else self.systems

    def decided_by(self) -> str:
        """Return the criterion that left one system; empty if none did."""
        return next((name for name, left in self._stages(self.priorities) if len(left) == 1), "")

    def _gone(self) -> Iterable[tuple[str, Sequence[str], list[str]]]:
        """Yield each criterion, the systems before it, and those that it ruled out."""
        before = self.systems
        for name, left in self._stages(self.priorities):
            yield name, before, [system for system in before if system not in left]
            before = left

    def left_out(self) -> list[str]:
        """Return why each of the other systems is out, in a sentence for each reason."""
        return [
            f"{_GONE[name]}: {'; '.join(self._with_proof(name, system, before) for system in gone)}."
            for name, before, gone in self._gone()
            if gone
        ]

    def out(self) -> dict[str, str]:
        """Return the reason of each of the other systems in a few words."""
        order = [*self.left(self.priorities), *self.ordered(self.systems)]
        told = {}
        for name, before, gone in self._gone():
            n = math.comb(len(before), 2)
            for system in gone:
                better = [o for o in before if name == QUALITY and self._beats(name, o, system, n)]
                told[system] = f"worse than {min(better, key=order.index)}" if better else _GONE[name].lower()
        return told

    def _with_proof(self, name: str, system: str, before: Sequence[str]) -> str:
        """Return a system that a criterion ruled out, with the measures or counts for that."""
        proof = ""
        if name == QUALITY:
            pairs = [pair for other in before if other != system for pair in self._pairs(system, other)]
            proof = _joined(list(dict.fromkeys(b.label for b, p in pairs if p.better not in ("", system))))
        elif name in (COST, LATENCY):
            proof = f"{self._costs(name)[system]:,.2f}"
        elif name in (NO_CRITICAL, TERMINOLOGY):
            proof = f"{self._counts(name, [system])[system]:,}"
        return f"{system} ({proof})" if proof else system

    def _beats(self, priority: str, a: str, b: str, pairs: int) -> bool:
        """Whether a system is better than another by a criterion; for quality, it is worse by no measure.

        If errors are counted, the level is shared among all `pairs` of systems.
        """
        if priority == QUALITY:
            compared = self._pairs(a, b)
            # Where people see a difference, metrics do not count.
            by_people = {pair.better for board, pair in compared if board.is_people} - {""}
            winners = by_people or {pair.better for _, pair in compared}
            return a in winners and b not in winners
        if priority in (COST, LATENCY):
            known = self._costs(priority)
            return a in known and b in known and known[a] < _LESS * known[b]
        flagged = self._critical if priority == NO_CRITICAL else self._terms
        return has_fewer(flagged.get(a, set()), flagged.get(b, set()), pairs)

    def _counts(self, priority: str, systems: Iterable[str]) -> Mapping[str, float]:
        """Count the outputs that have such errors."""
        flagged = self._critical if priority == NO_CRITICAL else self._terms
        return {system: len(flagged.get(system, ())) for system in systems}

    def _costs(self, priority: str) -> Mapping[str, float]:
        return self.prices if priority == COST else self.latency

    def _pairs(self, a: str, b: str) -> list[tuple[Leaderboard, Comparison]]:
        return [(board, pair) for _, board in self.boards if (pair := board.pair(a, b)) is not None]

    @cached_property
    def _critical(self) -> dict[str, set[tuple[int, str]]]:
        return self._flagged(lambda finding: severity_of(finding) == "critical")

    @cached_property
    def _terms(self) -> dict[str, set[tuple[int, str]]]:
        return self._flagged(lambda finding: id_of(finding) in _TERM_CHECKS and finding.verdict == "fail")

    def _flagged(self, is_meant: Callable[[Finding], bool]) -> dict[str, set[tuple[int, str]]]:
        """Return the texts of each system with such a finding."""
        flagged: dict[str, set[tuple[int, str]]] = {}
        for place, one in enumerate(self.tested):
            for finding in one.run.findings:
                if is_meant(finding):
                    flagged.setdefault(finding.system, set()).add((place, finding.case_id))
        return flagged

    def ordered(self, systems: Iterable[str]) -> list[str]:
        """Sort systems by the number of measures by which they may be the best, then by their places."""
        return sorted(systems, key=lambda system: (-self._times_best(system), self._mean_place(system)))

    def _times_best(self, system: str) -> int:
        return sum(bool(s and s.is_best) for _, board in self.boards for s in [board.standing(system)])

    def _mean_place(self, system: str) -> float:
        places = [
            place
            for _, board in self.boards
            for place, standing in enumerate(board.standings)
            if standing.system == system
        ]
        return sum(places) / len(places) if places else math.inf

    def disagreeing(self, leaders: Sequence[str]) -> bool:
        """Whether two of them are better than each other by different measures."""
        return any(
            {a, b} <= {pair.better for _, pair in self._pairs(a, b)}
            for place, a in enumerate(leaders)
            for b in leaders[place + 1 :]
        )

    # How sure -----------------------------------------------------------------------------------------------

    def sure(self, first: str) -> list[str]:
        """Return sentences on how certain it is that this system is better than the next best."""
        if self.decided_by() not in (QUALITY, _APART, ""):
            return [*self._tie(first), self.people(first)]
        rival = self.ordered(system for system in self.systems if system != first)[0]
        pairs = self._pairs(first, rival)
        won = [board.label for board, pair in pairs if pair.better == first]
        lost = [board.label for board, pair in pairs if pair.better == rival]
        several = len(
            {place for place, b in self.boards if (p := b.pair(first, rival)) and p.better == first}
        )
        if not pairs:
            told = [f"No measure compares it with {rival}."]
        else:
            how = "Sure" if several > 1 and not lost else "Fairly sure"
            n = self._most_units(first, rival)
            people = [pair.better for board, pair in pairs if board.is_people and pair.n]
            is_safer = self._beats(NO_CRITICAL, first, rival, math.comb(len(self.systems), 2))
            is_unsure = len(won) * _FEW_OF <= len(pairs) and not is_safer
            if n < FEW or is_unsure or (people and first not in people):
                how = _WEAK
            finds = f"{len(won)} of {plural(len(pairs), 'measure')} find{'s' * (len(won) == 1)}"
            by = f" ({_joined(won)})" if won and len(won) < len(pairs) else ""
            worse = (
                f"{_joined(lost)} find{'s' * (len(lost) == 1)} it worse" if lost else "none finds it worse"
            )
            told = [f"{how}: {finds} it significantly better than {rival}, the next best{by}; {worse}."]
            told += [FEW_NOTE] * (n < FEW)
        told += self._told_critical([first, rival])
        return [*told, *self._worth(first, rival), *self._judge(), self.people(first, rival)]

    def _before(self, name: str) -> set[str]:
        """Return the remaining systems before this criterion."""
        stages = self._stages(self.priorities)
        return next((set(a) for (_, a), (now, _) in pairwise(stages) if now == name and len(a) > 1), set())

    def _tie(self, first: str) -> list[str]:
        """If quality did not decide the choice, return the numbers that did."""
        name = self.decided_by()
        left = self._before(name)
        rest = sorted((system for system in left if system != first), key=self.systems.index)
        numbers = self._costs(name) if name in (COST, LATENCY) else self._counts(name, left)
        told = ", ".join(
            f"{system} {numbers[system]:,.{2 * (name in (COST, LATENCY))}f}"
            for system in [first, *rest[: _NAMED - 1]]
            if system in numbers
        )
        unit = f" {self.currency}" if name == COST and self.currency else ""
        decides = f"{_DECIDES[name]}: {told}{unit}."
        if QUALITY not in self.priorities[: self.priorities.index(name)]:
            return [decides]
        return [decides, self._no_difference([first, *rest])]

    def open_reasons(self, leaders: Sequence[str]) -> list[str]:
        """Return the reasons why nothing can be recommended."""
        first, second = leaders[:2]
        won: dict[str, set[str]] = {}
        for place, a in enumerate(leaders):
            for b in leaders[place + 1 :]:
                for board, pair in self._pairs(a, b):
                    won.setdefault(pair.better, set()).add(board.label)
        better = [
            f"{name} is significantly better than another by {_joined(sorted(won[name]))}"
            for name in leaders
            if name in won
        ]
        told = f"{_UNSURE}: {'; '.join(better)}." if better else self._no_difference(leaders)
        worth = self._worth(first, second) if better else []
        told += f" {FEW_NOTE}" * (self._most_units(first, second) < FEW)
        return [told, *self._told_critical(leaders), *worth, *self._judge(), self.people(first, second)]

    def _no_difference(self, systems: Sequence[str]) -> str:
        """Tell that no measure finds a difference, and the smallest one it could find."""
        first, second = systems[:2]
        several = len(self.boards) > 1
        none = f"none of {len(self.boards):,} measures finds a" if several else "the only measure finds no"
        told = f"{_UNSURE}: {none} significant difference between them."
        for board, pair in self._pairs(first, second):
            if pair.detectable and self._most_units(first, second) >= FEW:
                least = f"{pair.detectable:.1f} or more"
                return f"{told} These texts can only show a difference in {board.label} of {least}."
        return told

    def _told_critical(self, systems: Sequence[str]) -> list[str]:
        """Count outputs with critical errors, if any; tell whether the difference is significant."""
        some = list(systems[:_NAMED])
        if not any(self._critical.get(system) for system in some):
            return []
        places = dict.fromkeys(place for flagged in self._critical.values() for place, _ in sorted(flagged))
        told = "; ".join(
            f"{self.tested[place].name}: " * (len(places) > 1)
            + ", ".join(f"{s} {sum(at == place for at, _ in self._critical.get(s, ())):,}" for s in some)
            for place in sorted(places)
        )
        pairs = math.comb(len(some), 2)
        differ = any(self._beats(NO_CRITICAL, a, b, pairs) for a in some for b in some if a != b)
        return [f"Outputs with a critical error: {told}. {_DIFFER[differ]}"]

    def _most_units(self, a: str, b: str) -> int:
        """Return the largest number of units on which two systems are compared."""
        boards = [board for board, _ in self._pairs(a, b)]
        return max((s.n for board in boards for s in board.standings if s.system in (a, b)), default=0)

    def _worth(self, first: str, second: str) -> list[str]:
        """Explain what such a difference means to people, by the first metric with known results."""
        for board, pair in self._pairs(first, second):
            worth = worth_of(board.label, pair.delta)
            if worth is not None and pair.delta is not None and board.is_ahead(first, second):
                return [
                    f"For other systems with such a difference in {board.label} ({abs(pair.delta):.1f}), "
                    f"people preferred the system with the better score in {worth.same} of {worth.n:,} pairs "
                    f"and the other system in {worth.opposite}; they saw no clear difference in "
                    f"{worth.undecided} (WMT22–24)."
                ]
        return []

    def _judge(self) -> list[str]:
        """Return the record of the judge, if it was asked."""
        starts = ("The judge is a program", "Nobody has measured the judge")
        told = [note for one in self.tested for note in one.run.result.notes if note.startswith(starts)]
        return told[:1]

    def people(self, first: str = "", second: str = "") -> str:
        """Return people's answers about these outputs, especially of two systems."""
        for board, pair in self._pairs(first, second):
            if board.is_people and pair.n:
                a, b = (board.standing(name) for name in (first, second))
                values = ", ".join(f"{s.system} {s.text.partition(' [')[0]}" for s in (a, b) if s)
                how = "significant" if pair.better else "not significant"
                n = f" ({plural(pair.n, 'segment')} rated for both)" if pair.n else ""
                return f"{board.label[:1].upper()}{board.label[1:]}: {values}; the difference is {how}{n}."
        reviews = [one.run.result.basis.get("reviews") or {} for one in self.tested]
        settled = sum(int(about.get("settled", 0)) for about in reviews)
        outputs = sum(int(about.get("outputs", 0)) for about in reviews)
        if settled:
            return f"People settled {settled:,} of {outputs:,} outputs."
        if labels := dict.fromkeys(board.label for _, board in self.boards if board.is_people):
            told = "People did not rate both" if first else "People scored these outputs"
            return f"{told}: see {_joined(list(labels))} at a glance."
        return "No ratings of these outputs by people are known."

    # What could go wrong ------------------------------------------------------------------------------------

    def risks(self, systems: Sequence[str]) -> list[Risk]:
        """Return all systems' critical errors, then the first system's worst weaknesses from several runs."""
        found: list[Risk] = []
        for system in systems:
            errors = [
                risk for place, one in enumerate(self.tested) for risk in _errors(place, one.run, system)
            ]
            weak = [
                Risk(
                    Headline(f"{h.text.partition('. Of ')[0].rstrip('.')}.", "weak", system, h.group, n=h.n),
                    place,
                )
                for place, one in enumerate(self.tested)
                for h in one.headlines
                if h.kind == "weak" and h.system == system
            ]
            found += errors
            found += sorted(weak, key=lambda risk: [r.place for r in found + weak].index(risk.place))
        places: Counter[int] = Counter()
        ranked = []
        seen = set()
        for number, risk in enumerate(found):
            about = risk.place, risk.headline.group.removeprefix("check:")
            if about in seen:  # told once, of the first system
                continue
            seen.add(about)
            ranked.append((_grade(risk.headline), places[risk.place], number, risk))
            places[risk.place] += 1
        return [risk for *_, risk in sorted(ranked, key=lambda entry: entry[:3])][:_RISKS]

    def faultless(self, systems: Sequence[str]) -> str:
        """Return a sentence if no risk is known."""
        if self.risks(systems):
            return ""
        did = "Checks found no critical or major error" if self._is_known(NO_CRITICAL) else "No check was run"
        asked = [list(one.run.parameters.get("checks") or ()) for one in self.tested if is_checked(one.run)]
        if asked and all(checks == ["critical"] for checks in asked):
            told = f"Checks found no critical error in {_joined(systems)}. They did not look for others"
            return f"{told}; all checks (checks: default) look for them."
        return f"{did}, so no risk is known."

    # What comes next ----------------------------------------------------------------------------------------

    def review(self, system: str) -> tuple[str, str]:
        """Tell what a person should check before a system is shipped, and the command for it."""
        waiting = {
            one.run.id: len({answer.segment_id for answer in view.waiting() if answer.system == system})
            for one in self.tested
            for view in [view_of(one.run)]
        }
        run = max(waiting, key=lambda run_id: waiting[run_id], default="")
        if not run or not waiting[run]:
            tied = self.decided_by() in (COST, LATENCY) and QUALITY in self.priorities
            return self._campaign(
                [system, *self.ordered(self._before(self.decided_by()) - {system})][: 1 + tied]
            )
        outputs = plural(waiting[run], "output")
        more = sum(waiting.values()) - waiting[run]
        other = f" {more:,} more wait in other runs." if more else ""
        text = f"look at {outputs} of {system}: they failed, or no rule could judge them.{other}"
        return text, f"mtassay review next {run} --system {shlex.quote(system)}"

    def what_would(self, leaders: Sequence[str]) -> tuple[str, str]:
        """Tell what would decide between systems whose difference is not significant."""
        first, second = leaders[:2]
        if (n := self._most_units(first, second)) < FEW:
            few = f"{plural(n, 'sentence')} {'is' if n == 1 else 'are'} too few, even for ratings by people"
            text = f"test on at least {FEW} sentences, better on several hundred: {few}."
            return text, ""
        pairs = [(board, pair) for board, pair in self._pairs(first, second) if pair.more]
        rated = [pair.n or 0 for board, pair in self._pairs(first, second) if board.is_people]
        text, command = self._campaign(leaders[:2])
        if max(rated, default=0) >= _RATINGS:
            pairs = [(board, pair) for board, pair in pairs if board.is_people] or pairs
            text = "choose by price or time: people have rated both, and saw no clear difference."
            if not (self.prices or self.latency):
                text = text.replace("time:", "time, which are not known here:")
            command = ""
        if pairs:
            board, pair = min(pairs, key=lambda entry: entry[1].more or 0)
            more = (
                f"{'ratings of' if board.is_people else 'a test on'} about {pair.more:,} more {board.unit}s"
            )
            text += f" If the difference in {board.label} is real, {more} would show it."
        if command and len(self.left(self.priorities)) > 1 and not self.disagreeing(leaders):
            text += (
                " If you must choose today, choose by price or keep your present system: no measure is "
                "against this."
            )
        return text, command

    def _campaign(self, systems: Sequence[str]) -> tuple[str, str]:
        """Suggest that people rate the outputs of the run with the most sentences."""
        texts = {place for place, board in self.boards if board.unit == "segment"}  # no items of a suite
        runs = [one.run for place, one in enumerate(self.tested) if place in texts or not texts]
        run = max(runs, key=lambda run: len(run.segments))
        n = min(_RATINGS, len(run.segments))
        points = math.ceil(5 * math.sqrt(_RATINGS / max(n, 1)))
        each = f" of each of {_joined(systems)} ({n * len(systems):,} outputs)"
        each = each if len(systems) > 1 else f" of {systems[0]}"
        text = f"have people rate {'all ' * (1 < n < _RATINGS)}{plural(n, 'sentence')}{each}, "
        text += f"enough to detect a difference of {points} points on a scale of 100."
        chosen = " ".join(f"--system {shlex.quote(system)}" for system in systems)
        command = f"mtassay review campaign create choice {run.id} --question da {chosen} --sample "
        return text, f"{command}{n * len(systems)} --reviewers NAME,NAME"

    # Priorities ---------------------------------------------------------------------------------------------

    def told(self) -> str:
        """Explain which priorities were used, what is unknown, and what another order would change."""
        unknown = [name for name in self.priorities if not self._is_known(name)]
        said = f"Priorities: {', then '.join(name.replace('-', ' ') for name in self.priorities)}."
        if unknown:
            names = _joined([f"'{name}'" for name in unknown]).replace("-", " ")
            said += f" Not used, because the values are not known: {names}."
        ours = self.left(self.priorities)
        for name in PRIORITIES:
            if name != self.priorities[0] and self._is_known(name):
                other = self.left([name, *(p for p in self.priorities if p != name)])
                if len(other) == 1 and other != ours:
                    return f"{said} With {name.replace('-', ' ')} first, the advice would be {other[0]}."
        if len(ours) == 1:
            said += " Another order would not change the advice."
            if self._is_known(COST) or self._is_known(LATENCY):
                said += " Prices and times that differ by less than a tenth count as equal."
        return said

    def _is_known(self, priority: str) -> bool:
        if priority == QUALITY:
            return bool(self.boards)
        if priority in (COST, LATENCY):
            return len(set(self._costs(priority)) & set(self.systems)) > 1
        found = {id_of(finding) for one in self.tested for finding in one.run.findings}
        if priority == TERMINOLOGY:
            return any(one.run.parameters.get("terms") for one in self.tested) or bool(
                found & set(_TERM_CHECKS)
            )
        return bool(found - {""}) or any(is_checked(one.run) for one in self.tested)


def is_checked(run: Run) -> bool:
    """Whether errors from checks are findings; checks that change no verdict only have counts."""
    checks = run.parameters.get("checks") or ["none"]
    return "flagged" not in run.result.basis and list(checks) != ["none"]


def has_critical(run: Run) -> bool:
    """Whether checks found a critical error."""
    return any(severity_of(finding) == "critical" for finding in run.findings)


def with_more_critical(run: Run, compared: int) -> list[str]:
    """Return the systems with significantly more critical errors than another one of those compared."""
    systems = run.systems
    flagged = {
        s: {f.case_id for f in run.findings if f.system == s and severity_of(f) == "critical"}
        for s in systems
    }
    pairs = math.comb(compared, 2)
    return [s for s in systems if any(has_fewer(flagged[other], flagged[s], pairs) for other in systems)]


def _errors(place: int, run: Run, system: str) -> list[Risk]:
    """Return the checks that find critical errors in a system's answers, then major ones; most first."""
    texts = plural(len(run.outputs.get(system, ())) or len(run.segments), "output")
    flagged: dict[tuple[str, str], set[str]] = {}
    for f in run.findings:
        if f.system == system and severity_of(f) in SEVERITIES[:2]:
            flagged.setdefault((str(severity_of(f)), f.detector), set()).add(f.case_id)
    risks, seen = [], set[str]()
    for (severity, detector), cases in sorted(
        flagged.items(), key=lambda entry: (entry[0][0], -len(entry[1]))
    ):
        if cases <= seen:  # the same outputs, flagged by a graver check
            continue
        seen |= cases
        name = detector.removeprefix("check:")
        what = find("check", name).about if name in names("check") else name.replace("-", " ")
        text = f"{severity.capitalize()} errors in {len(cases):,} of {texts} of {system}: {what}."
        risks.append(Risk(Headline(text, "weak", system, detector, n=len(cases)), place))
    return risks


def _grade(risk: Headline) -> int:
    """Rank a risk, the gravest first: critical errors, weaknesses that a method finds, errors of checks."""
    if risk.text.startswith("Critical errors in "):
        return 0
    name = risk.group.removeprefix("check:")
    return 1 if name not in names("check") else 1 + SEVERITIES.index(severity_of_check(name))


def has_fewer(own: set[Any], others: set[Any], pairs: int) -> bool:
    """Whether one number is significantly smaller, corrected for the number of compared pairs."""
    fewer, more = len(others - own), len(own - others)
    return fewer > more and _sign_test(fewer, more) < _ALPHA / pairs


def _sign_test(a: int, b: int) -> float:
    """Return the two-sided p-value of such a split between both directions by chance.

    >>> round(_sign_test(9, 1), 4), _sign_test(2, 2)
    (0.0215, 1.0)
    """
    n, most = a + b, max(a, b)
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(most, n + 1)) / (1 << n))


def _joined(names: Sequence[str]) -> str:
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
