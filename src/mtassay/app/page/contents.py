"""The contents of a page in their order, without layout: headlines, runs, and the data behind them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from mtassay.app.page.answer_figures import calibration, distributions, with_answered
from mtassay.app.page.decision import (
    MORE_CRITICAL,
    DecidedRun,
    Recommendation,
    boards_of,
    decide,
    has_critical,
    is_checked,
    order_systems,
    with_more_critical,
)
from mtassay.app.page.sentences import CaseSelection, PageCases
from mtassay.changes.change_tables import change_tables, kinds_table
from mtassay.changes.run_changes import RunChanges, case_texts, why
from mtassay.data.display import (
    LIKELY,
    AnswerView,
    Block,
    CaseView,
    Figure,
    Headline,
    Leaderboard,
    Line,
    Look,
    Table,
)
from mtassay.data.grouping import gathered
from mtassay.data.marks import differing, p_stated, plural, signed
from mtassay.data.method import Method, method_of, view_of
from mtassay.data.nouns import Origin, Pair, Run, original_of
from mtassay.methods.choice import MeasuredCosts, measured_costs
from mtassay.methods.headlines import matrix_table
from mtassay.methods.paired_scores import LISTED

_WIDE = 6  # systems side by side; the rest is folded


class GlanceCell(NamedTuple):
    """One number at a glance: the length of its bar, from 0 to 100, its sign, and the cases behind it.

    A measure with negative values has no bar.
    """

    text: str
    found: CaseSelection | None = None
    bar: int | None = 0
    sign: str = ""
    ends: str = ""


_NOT_TESTED = GlanceCell("–")


class GlanceRow(NamedTuple):
    """One measure: its subject, its number of units, and a cell for each system."""

    part: RunPart
    label: str
    counted: str
    cells: Sequence[GlanceCell]


@dataclass(frozen=True)
class Glance:
    """All measures of a page by all systems: rows are measures, columns are systems."""

    boards: Sequence[tuple[RunPart, Leaderboard]]
    systems: Sequence[str]
    costs: MeasuredCosts
    out: Mapping[str, str]

    @property
    def legend(self) -> str:
        """The meanings of the signs."""
        says = "● and ▼ are about one row: ● no other system is significantly better in it; ▼ another one is."
        if any(reason.startswith("worse than") for reason in self.out.values()):
            says += " A system is out if the one named is significantly better in some row and worse in none"
            if any(board.is_people for _, board in self.boards):
                says += "; where people see a difference, only their row counts"
            says += ". A system with ▼ stays in if it is the better of the two in another row."
        incomplete = any(s.text.startswith("(") for _, board in self.boards for s in board.standings)
        says += " In parentheses: left texts without an answer." * incomplete
        missing = any(not board.standing(name) for _, board in self.boards for name in self.systems)
        return says + " –: not tested." * missing

    @property
    def parts(self) -> list[list[str]]:
        """Return the systems in groups that fit side by side."""
        return [list(self.systems[n : n + _WIDE]) for n in range(0, len(self.systems), _WIDE)]

    def rows(self, systems: Sequence[str]) -> list[GlanceRow]:
        """Return a row for each measure, with these systems."""
        rows = []
        for part, board in self.boards:
            values = [s.value for s in board.standings if s.value is not None]
            most = max((100.0, *values) if values and max(values) > 1 else (1.0,))
            is_drawn = min(values, default=0.0) >= 0
            cells = []
            for name in systems:
                if (standing := board.standing(name)) is None:
                    cells.append(_NOT_TESTED)
                    continue
                pairs = [pair for pair in board.pairs if name in (pair.a, pair.b)]
                lost = any(pair.better and pair.better != name for pair in pairs)
                is_tested = all(pair.p is not None for pair in pairs) and len(pairs) == len(values) - 1 > 0
                value, _, ends = standing.text.partition(" [")
                bar = round(100 * min(1.0, (standing.value or 0.0) / most)) if is_drawn else None
                sign = "▼" if lost else "●" if standing.is_best or (is_tested and value[0] != "(") else ""
                found = part.sentences.of_system(name, standing.n, measure=board.label)
                cells.append(GlanceCell(value, found, bar, sign, f"[{ends}" if ends else ""))
            tested = f"{part.title}: " if len({part.key for part, _ in self.boards}) > 1 else ""
            rows.append(GlanceRow(part, board.label, f"{tested}{_counted(board)}", cells))
        return [*rows, *self._critical_rows(systems), *self._cost_rows(systems)]

    def _critical_rows(self, systems: Sequence[str]) -> list[GlanceRow]:
        """Return a row for each run in which checks looked for critical errors."""
        rows = []
        for part in {part.key: part for part, _ in self.boards}.values():
            found = {name: part.sentences.of_severity(name, "critical") for name in part.run.systems}
            if not is_checked(part.run):
                continue
            if has_critical(part.run) and not any(cell.n for cell in found.values()):
                continue  # its sentences do not say how bad an error is
            n = len(part.sentences.views)
            out = {name for name, reason in self.out.items() if reason == MORE_CRITICAL.lower()}
            # If errors ruled a system out, all are tested at the level of the decision.
            compared = len(self.systems) - len(self.out) + len(out) if out else len(part.run.systems)
            more = out.union(with_more_critical(part.run, compared))
            own = {
                name: GlanceCell(f"{cases.n:,}", cases, round(100 * cases.n / n), "▼" * (name in more))
                for name, cases in found.items()
            }
            cells = [own.get(name, _NOT_TESTED) for name in systems]
            rows.append(GlanceRow(part, "outputs with a critical error", f"of {n:,}", cells))
        return rows

    def _cost_rows(self, systems: Sequence[str]) -> list[GlanceRow]:
        """Return price and time, where they are known."""
        part = self.boards[0][0]
        named = "price" + f", {self.costs.currency}" * bool(self.costs.currency)
        known = (
            (named, "of a million characters", self.costs.prices),
            ("time", "seconds a text, the median", self.costs.latency),
        )
        rows = []
        for label, unit, values in known:
            most = max(values.values(), default=0.0) or 1.0
            own = {
                name: GlanceCell(f"{value:,.2f}", part.sentences.of_system(name), round(100 * value / most))
                for name, value in values.items()
            }
            cells = [own.get(name, _NOT_TESTED) for name in systems]
            rows += [GlanceRow(part, label, unit, cells)] if not values.keys().isdisjoint(systems) else []
        return rows

    @property
    def table(self) -> Table:
        """Return the same as a table of text."""
        rows = [
            [f"{row.label} ({row.counted})", *(f"{c.text} {c.ends} {c.sign}".strip() for c in row.cells)]
            for row in self.rows(self.systems)
        ]
        notes = [self.legend]
        if untested := [board.label for _, board in self.boards if not board.tested]:
            notes.append(f"Not every difference from the best was tested: {', '.join(untested)}.")
        header = [f"{name} (out: {self.out[name]})" if name in self.out else name for name in self.systems]
        return Table(["Measure", *header], rows, "At a glance", notes)

    def matrices(self) -> list[tuple[RunPart, Table]]:
        """Return tables of significant differences by each measure, and numbers for each pair of systems."""
        header = ["Systems", "measure", "difference", "p", "significantly better"]
        found = []
        for part in {part.key: part for part, _ in self.boards}.values():
            boards = [board for own, board in self.boards if own is part]
            rows = []
            for board, pair in ((one, pair) for one in boards for pair in one.pairs):
                p = "–" if pair.p is None else p_stated(pair.p).removeprefix("p ").removeprefix("= ")
                rows.append([f"{pair.a} − {pair.b}", board.label, signed(pair.delta, 2), p, pair.better])
            tables = [Table(header, rows, PAIRS), *(matrix_table(board, self.systems) for board in boards)]
            found += [(part, table) for table in tables if table]
        return found

    def rivals(self) -> tuple[RunPart, CaseSelection, str] | None:
        """Return the sentences in which the first two systems differ most."""
        a, b = [*self.systems, ""][:2]
        for part, board in self.boards:
            found = board.pair(a, b) and part.sentences.of_system(a, against=b, measure=board.label)
            if isinstance(found, CaseSelection):
                return part, found, f"Read where {a} and {b} differ most"
        return None


PAIRS = "Any two systems"


def _counted(board: Leaderboard) -> str:
    """Return the number of units: one number, or the fewest and the most."""
    counts = [standing.n for standing in board.standings]
    fewest = "" if min(counts) == max(counts) else f"{min(counts):,} to "
    return f"{fewest}{plural(max(counts), board.unit)}"


_EXAMPLES = 5  # each way, where systems differ
_CASES = 3  # of each system, to be read first
_FEW_ROWS = 25  # a longer table is folded
_NAMES = 3  # systems in a title


@dataclass(frozen=True)
class Proof:
    """A headline with the cases behind it, one of them with full texts."""

    headline: Headline
    found: CaseSelection | None = None
    example: Block | None = None


@dataclass(frozen=True)
class RunPart:
    """One run: its headlines, its figures and tables, cases to read, and how it was made."""

    key: str
    title: str
    run: Run
    about: str
    facts: str
    proofs: Sequence[Proof]
    figures: Sequence[Figure]
    tables: Sequence[Table]
    detail: Sequence[Figure | Table]
    blocks: Sequence[Block]
    differences: Sequence[Table | Block]
    made: Sequence[Table]
    signatures: Sequence[str]
    sentences: PageCases
    unchecked: str = ""
    """How people can check the judge, if nobody has checked it."""

    def is_folded(self, table: Table) -> bool:
        """Whether a table is too long to show at once, or a map shows the same."""
        maps = [figure for figure in self.figures if figure.kind == "heat"]
        return len(table.rows) > _FEW_ROWS or any(
            len(figure.places) == len(table.rows) > 1 for figure in maps
        )


@dataclass(frozen=True)
class ChangesPart:
    """Changes from an earlier run: sentences on what got worse, the scores, and every changed case."""

    key: str
    title: str
    sentences_told: Sequence[str]
    tables: Sequence[Table]
    notes: Sequence[str]
    sentences: PageCases


@dataclass(frozen=True)
class Page:
    """All contents of a page."""

    title: str
    parts: Sequence[RunPart]
    changes: Sequence[ChangesPart] = ()
    themes: Sequence[Table | Block] = ()
    gates: Sequence[Table] = ()
    agreement: Sequence[Table] = ()
    plan: str = ""
    priorities: Sequence[str] = ()
    history: Sequence[Figure | Table] = ()

    @property
    def systems(self) -> list[str]:
        """Return the systems of all runs, in order."""
        return list(dict.fromkeys(system for part in self.parts for system in part.run.systems))

    @cached_property
    def tested(self) -> list[DecidedRun]:
        """Return the basis of the decision."""
        return [DecidedRun(p.title, p.run, [proof.headline for proof in p.proofs]) for p in self.parts]

    @cached_property
    def decision(self) -> Recommendation:
        """Return the recommendation."""
        return decide_costs(self.tested, self.priorities)

    def risks(self) -> list[tuple[RunPart, Proof]]:
        """Return risks, each with the sentence that proves it."""
        found: list[tuple[RunPart, Proof]] = []
        for headline, place in self.decision.risks:
            part = self.parts[place]
            shown = [proof.example.lines[0].text for _, proof in found if proof.example]
            found.append((part, _proof(headline, part.sentences, view_of(part.run).claims_right(), shown)))
        return found

    def glance(self) -> Glance | None:
        """Return all systems by all measures; nothing with fewer than two systems."""
        boards = [(self.parts[place], board) for place, board in boards_of(self.tested)]
        names = dict.fromkeys(s.system for _, board in boards for s in board.standings)
        leaders = [name for name in self.decision.leaders if name in names]
        rest = [name for name in order_systems(self.tested, names) if name not in leaders]
        costs = measured_costs(one.run for one in self.tested)
        return Glance(boards, [*leaders, *rest], costs, self.decision.out) if boards else None


def decide_costs(tested: Sequence[DecidedRun], priorities: Sequence[str]) -> Recommendation:
    """Recommend a system by these runs, their prices and times, and their plan's priorities."""
    known = measured_costs(one.run for one in tested)
    costs = {"prices": known.prices, "latency": known.latency}
    planned = (f.get("priorities") for o in tested for f in o.run.result.basis.get("systems", {}).values())
    chosen = priorities or next(filter(None, planned), ())
    return decide(tested, priorities=chosen, **costs, currency=known.currency)


def page_of(
    runs: Sequence[Run],
    *,
    names: Sequence[str] = (),
    title: str = "",
    changes: Sequence[RunChanges] = (),
    themes: Sequence[Table | Block] = (),
    in_themes: Mapping[tuple[str, str, str], Sequence[str]] | None = None,
    gates: Sequence[Table] = (),
    agreement: Sequence[Table] = (),
    plan: str = "",
    priorities: Sequence[str] = (),
    said: Mapping[str, Mapping[Pair, bool]] | None = None,
) -> Page:
    """Return the page of these runs; `names` are what they are called, by default their methods' names.

    `themes` are common features of failures, `in_themes` the outputs of each theme, `gates` the results of a
    plan's rules, `agreement` that of reviewers, and `plan` the text of the runs' plan. `priorities` are the
    most important criteria for the choice of a system. `said` has, by the run's id, whether people found an
    error in an output.
    """
    methods = [run.method for run in runs]
    called = list(names) or [
        run.method if methods.count(run.method) == 1 else f"{run.method} · {run.id}" for run in runs
    ]
    parts = [
        run_part(run, f"r{place}", name, in_themes, (said or {}).get(run.id, {}))
        for place, (run, name) in enumerate(zip(runs, called, strict=True))
    ]
    changed = [changes_part(entry, f"c{place}") for place, entry in enumerate(changes)]
    what = title or _title(runs)
    return Page(what, parts, changed, themes, gates, agreement, plan, priorities)


def run_part(
    run: Run,
    key: str = "r0",
    name: str = "",
    in_themes: Mapping[tuple[str, str, str], Sequence[str]] | None = None,
    said: Mapping[Pair, bool] | None = None,
) -> RunPart:
    """Return one run, shown as its method prefers."""
    view = view_of(run)
    cases = with_answered(_with_answers(run, view.case_views()), said or {})
    sentences = PageCases.of(cases, themes=in_themes, flagged=_flagged(run))
    claims_right = view.claims_right()
    proofs = [_proof(headline, sentences, claims_right) for headline in view.headlines()]
    plain, detail = Look(cases=_CASES), Look(cases=_CASES, detail=True)
    figures = [figure for figure in view.figures(plain) if figure.kind != "panels" or figure.panels]
    is_fitted = any("recalibrated with" in note for note in run.result.notes)
    if calibrated := calibration(sentences.views, said or {}, is_fitted=is_fitted):
        figures.append(calibrated)
    tables = view.tables(plain)
    more: list[Figure | Table] = [f for f in view.figures(detail) if f not in figures]
    more += distributions(sentences.views)
    more += [table for table in view.tables(detail) if table not in tables]
    several = len(run.systems) > 1
    differences = view.differences(Look(examples=_EXAMPLES)) if several else []
    return RunPart(
        key,
        name or run.method,
        run,
        _about(run),
        view.facts(),
        proofs,
        figures,
        tables,
        more,
        [block for block in view.blocks(plain) if block.lines],
        differences,
        list(_made(run, any(table.title == "Time" for table in tables))),
        view.signatures(),
        sentences,
        "" if calibrated or LIKELY not in sentences.measures else _unchecked(run),
    )


def _unchecked(run: Run) -> str:
    """Tell how people can check the judge."""
    command = f"review campaign create judge {run.id} --question mqm --sample 100 --reviewers NAME,NAME"
    command = f"review next {run.id}" if view_of(run).asks else command
    return f"Nobody has checked the judge on these outputs yet. To see how right it is: mtassay {command}"


def _with_answers(run: Run, cases: Iterable[CaseView]) -> Iterator[CaseView]:
    """Add reviewers' answers about the outputs of each case, and about outputs of its edited sources."""
    if not run.said:
        yield from cases
        return
    families = gathered((original_of(segment) or segment.id, segment.id) for segment in run.segments)
    for case in cases:
        ids = families.get(case.id, [case.id])
        answers = [
            replace(answer, lines=[*answer.lines, *(Line("reviewers", text) for text in told)])
            for answer in case.answers
            for told in [[text for id_ in ids for text in run.said.get((id_, answer.system), ())]]
        ]
        yield replace(case, answers=answers)


def _flagged(run: Run) -> dict[str, Sequence[str]]:
    """Return outputs that checks flag without a verdict, by check; runs of early versions name only some."""
    counts = run.result.basis.get("checks", {}).values()
    flagged: Mapping[str, Sequence[str]] = run.result.basis.get("flagged", {})
    return {
        check: cases
        for check, cases in flagged.items()
        if len(cases) == sum(count.get(check, 0) for count in counts)
    }


def _about(run: Run) -> str:
    """Return the method's own description; empty if it is no longer installed."""
    method = method_of(run)
    return "" if method is Method else (method.__doc__ or "").strip().partition("\n")[0]


def _proof(headline: Headline, sentences: PageCases, claims_right: bool, shown: Sequence[str] = ()) -> Proof:
    found = sentences.of_headline(headline)
    if found is None or headline.kind != "weak":
        return Proof(headline, found)
    return Proof(headline, found, sentences.example(found, with_right=claims_right, shown=shown))


def _title(runs: Sequence[Run]) -> str:
    systems = list(dict.fromkeys(system for run in runs for system in run.systems))
    if not systems:
        return "Report"
    named = " and ".join(filter(None, (", ".join(systems[:-1]), systems[-1])))
    given = [pair for run in runs if (pair := run.parameters.get("pair"))]
    pairs = dict.fromkeys(pair if isinstance(pair, str) else "-".join(pair) for pair in given)
    about = named if len(systems) <= _NAMES else f"{len(systems):,} systems"
    return f"{about}, {next(iter(pairs))}" if len(pairs) == 1 else about


# What a run rests on ---------------------------------------------------------------------------------------


def _made(run: Run, has_times: bool) -> Iterable[Table]:
    """The origin of a run: its date, versions, texts, seeds and settings; answers and their ages."""
    basis: Mapping[str, Any] = run.result.basis
    about = [["run", run.id], ["method", run.method], ["started", run.started]]
    about += [[name, version] for name, version in run.versions.items()]
    digests = {"texts": "digest of the texts", "suite": "digest of the suite"}
    about += [[label, str(basis[key])] for key, label in digests.items() if basis.get(key)]
    if reviews := basis.get("reviews"):
        settled = f"{reviews.get('settled', 0):,} of {reviews.get('outputs', 0):,} outputs"
        models = f", {reviews['by_models']:,} by language models alone" if reviews.get("by_models") else ""
        about.append(["settled by reviewers", f"{settled}{models}"])
    yield Table(["", "value"], about, "What it rests on")
    if answers := basis.get("answers"):
        origins = {name: Origin(**origin) for name, origin in answers.items()}
        rows = [
            [name, f"{o.answers:,}", f"{o.earlier:,}", o.oldest[:10], o.newest[:10], f"{o.other_program:,}"]
            for name, o in origins.items()
        ]
        header = ["System", "answers", "from earlier", "oldest", "newest", "by another version"]
        yield Table(header, rows, "Answers of live engines")
    if run.seconds and not has_times:
        rows = [[step, f"{seconds:.1f}"] for step, seconds in run.seconds.items()]
        yield Table(["Step", "seconds"], [*rows, ["all", f"{sum(run.seconds.values()):.1f}"]], "Time")
    settings = [
        [key, _setting(value)] for key, value in run.parameters.items() if value not in (None, (), [], {}, "")
    ]
    yield Table(["Parameter", "value"], settings, "Parameters")


def _setting(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_setting(inner)}" for key, inner in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


# What changed ----------------------------------------------------------------------------------------------


def changes_part(changes: RunChanges, key: str = "c0") -> ChangesPart:
    """Return the changes from one run to another."""
    tables = change_tables(changes, detail=False)
    if changes.cases:
        tables.append(kinds_table(changes))
    old, new = changes.old, changes.new
    same = old.system == new.system
    names = f"{new.system}: {old.run} → {new.run}" if same else f"{old.system} → {new.system}"
    return ChangesPart(
        key, f"{new.method} · {names}", worse(changes), tables, changes.notes, PageCases.of(_changed(changes))
    )


def worse(changes: RunChanges) -> list[str]:
    """Tell what got worse and what got better, in sentences, significant changes first."""
    moved = [c for c in changes.scores if c.delta and c.p is not None and c.p < changes.alpha]
    told = []
    for is_worse, word in ((True, "Worse"), (False, "Better")):
        some = [c for c in moved if c.is_worse == is_worse]
        names = [
            f"{c.title} {signed(c.delta, c.decimals)} [{signed(c.low, c.decimals)} to "
            f"{signed(c.high, c.decimals)}], n = {c.n:,}"
            for c in some[:_EXAMPLES]
        ]
        if names:
            more = f"; and {len(some) - len(names)} more" if len(some) > len(names) else ""
            told.append(f"{word}: {'; '.join(names)}{more}.")
    if not told:
        told.append("No score changed significantly.")
    kinds = changes.kinds()
    counted = [plural(kinds[kind], f"case {kind}", f"cases {kind}") for kind in LISTED if kinds.get(kind)]
    if changes.cases:
        told.append(f"{', '.join(counted) or 'No case changed'}.")
    return told


def _changed(changes: RunChanges) -> Iterable[CaseView]:
    """Return cases with a changed verdict, and units that changed most by the first metric."""
    verdicts = {"broken": ("pass", "fail"), "fixed": ("fail", "pass")}
    run = changes.new.record or changes.old.record
    segments = {segment.id: segment for segment in (run.segments if run else ())}
    order = list(LISTED)
    listed = [case for case in changes.cases if case.kind in LISTED]
    for case in sorted(listed, key=lambda case: order.index(case.kind)):
        source, outputs = _sides(changes, case.case_id)
        judged = verdicts.get(case.kind, (str(case.old or ""), str(case.new or "")))
        answers = []
        for name, line, verdict, snapshot in zip(
            changes.names, outputs, judged, (changes.old, changes.new), strict=True
        ):
            reason = why(snapshot, case)
            lines = [line, Line("why", reason)] if reason else [line]
            answers.append(AnswerView(name, lines, verdict, verdict or "no output"))
        segment = segments.get(case.case_id)
        groups = view_of(run).groups_of(segment) if run and segment else []
        yield CaseView(case.case_id, source, answers, [case.kind, case.detector, *groups])
    yield from _moved(changes)


def _sides(changes: RunChanges, case_id: str) -> tuple[list[Line], list[Line]]:
    """Return the source of a case, and both outputs with their differences marked."""
    texts = case_texts(changes.old, changes.new, case_id)
    marks = differing(texts.old, texts.new) if texts.old and texts.new else ([], [])
    both = zip((texts.old, texts.new), marks, strict=True)
    outputs = [Line("output", "(no output)" if text is None else text, spans) for text, spans in both]
    return [Line("source", texts.source)] if texts.source else [], outputs


def _moved(changes: RunChanges) -> Iterable[CaseView]:
    """Return the units with worse and those with better scores by a metric."""
    if not changes.units:
        return
    name = changes.units[0].name
    score = next(change for change in changes.scores if change.name == name)
    good = 1 if score.higher_is_better else -1
    ranked = sorted((u for u in changes.units if u.name == name), key=lambda u: good * (u.after - u.before))
    segments = {s.id: s for s in (changes.new.record.segments if changes.new.record else ())}
    label = score.label or name
    for unit in ranked:
        source, outputs = _sides(changes, unit.unit)
        kind = "worse" if good * (unit.after - unit.before) < 0 else "better"
        segment = segments.get(unit.unit)
        lines = [*source, *(Line("reference", r) for r in (segment.references if segment else ()) if r)]
        values = [Line("scores", f"{label} {v:.{score.decimals}f}") for v in (unit.before, unit.after)]
        answers = [
            AnswerView(name, both, order=good * (unit.after - unit.before))
            for name, *both in zip(changes.names, outputs, values, strict=True)
        ]
        yield CaseView(unit.unit, lines, answers, [f"{kind} by {label}"])
