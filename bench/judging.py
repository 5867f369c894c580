"""Trains the judge on people's labels, measures it, and writes its weights and docs/studies/judges.md.

usage: python bench/judging.py [--cache FOLDER]

Reads `people` of MTASSAY_DATA. Everything is measured on documents and systems that training did not see: the
documents of each source are in four folds, across language pairs, and the systems of a pair with four or more
are in two; of each of the eight combinations the model learns from the other documents of the other systems.
Human translations and copies of the reference are left out. Learned is how severe the errors of an output are
(the square root of five for each major and one for each minor one), less the rater's mean and by the rater's
spread, by ridge regression. A second sum, by logistic regression, says how often outputs such as this one
have any error by all raters. Logistic curves turn the sums into probabilities. A stricter test leaves out a
whole source of ratings, with its kind of text and its raters.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtassay.data.languages import parse_pair
from mtassay.measures.check import CheckContext, Unit
from mtassay.measures.check_run import choose_checks, run_checks
from mtassay.measures.clues import MOST_OTHERS, ClueFinder, JudgedAnswer
from mtassay.measures.judge import (
    MOST,
    PRECISION,
    SEVERITY,
    SURE,
    JudgeCalibration,
    Opinion,
    TranslationJudge,
    limit_of,
)
from mtassay.measures.polarity import find_polarity
from mtassay.nlp.encoder import one_thread_each, open_reader

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data")) / "people"
WEIGHTS = PROJECT / "src" / "mtassay" / "measures" / "judge_weights.json"
PAGE = PROJECT / "docs" / "studies" / "judges.md"
HUMANS = {"reference", "reference_r1", "ref", "refA", "refB"}
SOURCES = {
    "bio-mqm": ("biomedical", "experts"),
    "esa24": ("WMT24", "annotators"),
    "ted-mqm": ("talks", "experts"),
}
SEVERE = ("major", "critical")
DOCUMENT_FOLDS, SYSTEM_FOLDS = 4, 2
L2, LEVEL_L2 = 5000.0, 300.0
CHOSEN_ON = 2  # limits of what is called wrong were chosen on the documents of folds below this one
LEAST = 25  # major errors in a set that is counted
KINDS = (
    "encoder+reference+others", "encoder+reference", "encoder+others", "encoder",
    "reference+others", "reference", "others", "nothing",
)  # fmt: skip
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass
class Table:
    """Rated outputs as arrays, a row each; `clues` has a column for each of `names`, nan where not known."""

    names: list[str]
    clues: Floats
    sets: NDArray[Any]
    documents: NDArray[Any]
    raters: NDArray[Any]
    folds: NDArray[Any]
    system_folds: NDArray[Any]
    major: Flags
    any: Flags
    severity: Floats
    is_machine: Flags
    has_others: Flags
    double: list[tuple[int, int]]
    negated: Flags
    sure: Flags


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cache", type=Path, help="a folder for the clues, which take minutes")
    options = parser.parse_args()
    table = read_table(options.cache)
    models: dict[str, Any] = {}
    sums: dict[str, Floats] = {}
    odds: dict[str, Floats] = {}
    for kind in KINDS:
        rows = table.is_machine & (table.has_others | ("others" not in kind))
        columns = columns_of(table, kind)
        sums[kind], levels = cross_validated(table, columns, rows)
        weights, level, usual, spread = fit(table, columns, rows)
        odds[kind] = levels + SEVERITY * sums[kind]
        curves = {
            "any": logistic(odds[kind][rows], table.any[rows], np.ones(int(rows.sum()))),
            "major": logistic(sums[kind][rows], table.major[rows], weights_by_set(table.sets[rows])),
        }
        models[kind] = {
            "clues": {
                table.names[c]: [round(float(v), 5) for v in (usual[n], spread[n], weights[n], level[n])]
                for n, c in enumerate(columns)
            },
            **{name: [round(float(v), 4) for v in curve] for name, curve in curves.items()},
        }
        print(kind, "AUC", *(f"{v:.3f}" for v in mean_auc(table, sums[kind], rows)), flush=True)
    left_out = {kind: without_source(table, kind) for kind in KINDS[:4]}
    page = Report(table, sums, odds, models, left_out)
    written = {"kinds": models, "records": page.records()}
    written |= {
        name: page.among(flags)[1:] for name, flags in (("negated", table.negated), ("sure", table.sure))
    }
    WEIGHTS.write_text(json.dumps(written) + "\n", "utf-8")
    PAGE.write_text(page.text(), "utf-8")


def read_table(cache: Path | None) -> Table:
    """All ratings with their clues; these are computed once where a folder keeps them."""
    ratings = list(read_ratings())
    path = cache and cache / "clues.npz"
    if path is not None and path.exists():
        kept = np.load(path)
        names, clues = [str(name) for name in kept["names"]], kept["clues"].astype(float)
    else:
        names, clues = compute_clues(ratings)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            np.savez_compressed(path, names=names, clues=clues.astype(np.float32))
    sets = np.array([r["set"] for r in ratings])
    talks = sorted({r["doc"] for r in ratings if r["set"].startswith("ted")})
    folds = [
        talks.index(r["doc"]) % DOCUMENT_FOLDS
        if r["set"].startswith("ted")
        else _fold(f"{r['set'].partition('/')[0]}/{r['doc']}", DOCUMENT_FOLDS)
        for r in ratings
    ]
    teams = {s: {_team(r) for r in ratings if r["set"] == s and r["system"] not in HUMANS} for s in set(sets)}
    system_folds = [_fold(_team(r), SYSTEM_FOLDS) if len(teams[r["set"]]) >= 4 else -1 for r in ratings]
    severities = [[error.get("severity") for error in r["errors"]] for r in ratings]
    first: dict[tuple[str, ...], int] = {}
    double = []
    for n, r in enumerate(ratings):
        # Ids of segments are not unique in some documents, so the texts are part of the key.
        key = (r["set"], str(r["doc"]), str(r["seg"]), r["system"], r["source"], r["output"])
        if key in first and r["rater"] != ratings[first[key]]["rater"]:
            double.append((first[key], n))
        first.setdefault(key, n)
    major = np.array([any(s in SEVERE for s in own) for own in severities])
    minor = np.array([sum(s == "minor" for s in own) for own in severities])
    points = 5.0 * np.array([sum(s in SEVERE for s in own) for own in severities]) + minor
    copies = np.array([r["output"].strip() == (r.get("reference") or "").strip() for r in ratings])
    humans = np.array([r["system"] in HUMANS for r in ratings])
    return Table(
        names,
        clues,
        sets,
        np.array([f"{r['set'].partition('/')[0]}/{r['doc']}" for r in ratings]),
        np.unique([f"{r['set']}/{r['rater']}" for r in ratings], return_inverse=True)[1],
        np.array(folds),
        np.array(system_folds),
        major,
        major | (minor > 0),
        np.sqrt(points),
        ~humans & ~copies & ~np.isnan(clues[:, names.index("length")]),
        ~np.isnan(clues[:, names.index("others-grams")]),
        double,
        np.array([_is_negated(r) for r in ratings]),
        _surely_wrong(ratings),
    )


def _surely_wrong(ratings: Sequence[Mapping[str, Any]]) -> Flags:
    """What the checks flag that are sure of an error: refusals, other languages, untranslated outputs."""
    by_pair: defaultdict[str, list[Unit]] = defaultdict(list)
    for n, r in enumerate(ratings):
        references = (r["reference"],) if r.get("reference") else ()
        by_pair[r["set"].partition("/")[2]].append(Unit(str(n), r["output"], r["source"], references))
    flags = np.zeros(len(ratings), bool)
    for name, units in by_pair.items():
        pair = parse_pair(name)
        context = CheckContext(str(pair.source), str(pair.target))
        checks = choose_checks(SURE, (), context).checks
        for finding in run_checks(checks, {"": units}, context, processes=1)[""]:
            flags[int(finding.case_id)] = True
    return flags


def _is_negated(rating: Mapping[str, Any]) -> bool:
    polarity = find_polarity(parse_pair(rating["set"].partition("/")[2]))
    if polarity is None or not rating.get("reference"):
        return False
    return polarity.contradict(rating["source"], rating["output"], [rating["reference"]]) is not None


def read_ratings() -> Iterator[dict[str, Any]]:
    for path in sorted(DATA.glob("*/*.jsonl.gz")):
        name = f"{path.parent.name}/{path.name.partition('.')[0]}"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line) | {"set": name}


def compute_clues(ratings: Sequence[Mapping[str, Any]]) -> tuple[list[str], Floats]:
    """The clues of all outputs, with a reference and with other systems where there are any."""
    segments: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    for n, r in enumerate(ratings):
        segments[r["set"], r["doc"], r["seg"], r["source"]].append(n)
    answers = []
    for n, r in enumerate(ratings):
        if r["system"] in HUMANS:
            continue  # they are left out of everything
        rivals = [
            ratings[m]["output"]
            for m in segments[r["set"], r["doc"], r["seg"], r["source"]]
            if ratings[m]["system"] not in HUMANS and _team(ratings[m]) != _team(r)
        ]
        random.Random(n).shuffle(rivals)
        others = tuple(rivals[:MOST_OTHERS]) if len(rivals) > 1 else ()
        references = (r["reference"],) if r.get("reference") else ()
        answers.append(JudgedAnswer(str(n), r["source"], r["output"], references, others))
    with ProcessPoolExecutor(initializer=_one_thread) as pool:
        parts = pool.map(_find_clues, [answers[at : at + 400] for at in range(0, len(answers), 400)])
        found = [values for part in parts for values in part]
    names = sorted({name for values in found for name in values})
    table = np.full((len(ratings), len(names)), np.nan)
    for answer, values in zip(answers, found, strict=True):
        table[int(answer.id)] = [values.get(name, np.nan) for name in names]
    return names, table


def _one_thread() -> None:
    one_thread_each().__enter__()  # processes are what is spread over cores


def _find_clues(answers: Sequence[JudgedAnswer]) -> list[Mapping[str, float]]:
    return [clues.values for clues in ClueFinder(open_reader()).find(answers)]


def columns_of(table: Table, kind: str) -> list[int]:
    """The clues that an answer of this kind has."""
    answer = JudgedAnswer(
        "", "one", "two", ("three",) * ("reference" in kind), ("four",) * ("others" in kind)
    )
    own = ClueFinder(open_reader() if "encoder" in kind else None).find([answer])[0].values
    return [n for n, name in enumerate(table.names) if name in own]


def fit(table: Table, columns: Sequence[int], rows: Flags) -> tuple[Floats, Floats, Floats, Floats]:
    """Weights of clues per spread from the usual value, for severity and for level; usual values; spreads."""
    clues = table.clues[rows][:, columns]
    usual, spread = np.nanmean(clues, 0), np.nanstd(clues, 0) + 1e-6
    x = np.clip(np.nan_to_num((clues - usual) / spread), -4, 4)
    level = np.zeros(len(columns) + 1)
    padded, labels = np.hstack([x, np.ones((len(x), 1))]), table.any[rows]
    shrink = np.diag([LEVEL_L2] * len(columns) + [1e-6])
    for _ in range(5):
        p = 1 / (1 + np.exp(-padded @ level))
        hessian = (padded * (p * (1 - p))[:, None]).T @ padded + shrink
        level -= np.linalg.solve(hessian, padded.T @ (p - labels) + shrink @ level)
    y = table.severity[rows].copy()
    _, rater, counts = np.unique(table.raters[rows], return_inverse=True, return_counts=True)
    by_rater = np.argsort(rater, kind="stable")
    starts = np.cumsum(counts) - counts
    x -= (np.add.reduceat(x[by_rater], starts, axis=0) / counts[:, None])[rater]
    y -= (np.bincount(rater, y) / counts)[rater]
    y /= np.sqrt(np.bincount(rater, y * y) / counts)[rater] + 0.3
    w = weights_by_set(table.sets[rows])[:, None]
    weights = np.linalg.solve((x * w).T @ x + L2 * np.eye(len(columns)), (x * w).T @ y)
    return weights, level[:-1], usual, spread


def cross_validated(table: Table, columns: Sequence[int], rows: Flags) -> tuple[Floats, Floats]:
    """Severity and level of each row by a model that saw neither its document nor its system."""
    sums, levels = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    for learned, tested in splits(table):
        if (learned & rows).any() and (tested & rows).any():
            weights, level, usual, spread = fit(table, columns, learned & rows)
            x = np.clip(np.nan_to_num((table.clues[tested & rows][:, columns] - usual) / spread), -4, 4)
            sums[tested & rows], levels[tested & rows] = x @ weights, x @ level
    return sums, levels


def without_source(table: Table, kind: str) -> Floats:
    """Severity of each row by a model that saw nothing of its source of ratings."""
    rows = table.is_machine & (table.has_others | ("others" not in kind))
    columns = columns_of(table, kind)
    sums = np.full(len(rows), np.nan)
    for source in SOURCES:
        own = np.char.startswith(table.sets.astype(str), source)
        weights, _, usual, spread = fit(table, columns, rows & ~own)
        x = np.clip(np.nan_to_num((table.clues[rows & own][:, columns] - usual) / spread), -4, 4)
        sums[rows & own] = x @ weights
    return sums


def splits(table: Table) -> Iterator[tuple[Flags, Flags]]:
    for d in range(DOCUMENT_FOLDS):
        for s in range(SYSTEM_FOLDS):
            alone = (table.system_folds == -1) & (s == 0)
            yield (
                (table.folds != d) & (table.system_folds != s),
                (table.folds == d) & ((table.system_folds == s) | alone),
            )


def weights_by_set(sets: NDArray[Any]) -> Floats:
    """Rows of large sets count less, so that no pair rules."""
    _, place, counts = np.unique(sets, return_inverse=True, return_counts=True)
    weights = 1 / np.sqrt(counts)[place]
    scaled: Floats = weights / weights.mean()
    return scaled


def logistic(x: Floats, y: Flags, w: Floats) -> tuple[float, float]:
    """Shift and slope of the curve that turns a sum into a probability."""
    shift, slope = 0.0, 1.0
    for _ in range(50):
        p = 1 / (1 + np.exp(-(shift + slope * x)))
        v = w * p * (1 - p)
        hessian = np.array([[v.sum(), (v * x).sum()], [(v * x).sum(), (v * x * x).sum()]])
        step = np.linalg.solve(hessian, [(w * (p - y)).sum(), (w * (p - y) * x).sum()])
        shift, slope = shift - step[0], slope - step[1]
    return shift, slope


def auc(labels: Flags, scores: Floats, groups: NDArray[Any]) -> float:
    """How often a row with the label has the higher score, of all pairs of rows in one group."""
    won = pairs = 0.0
    for group in np.unique(groups):
        own = groups == group
        high, low = np.sort(scores[own & labels]), np.sort(scores[own & ~labels])
        if len(high) and len(low):
            below, up_to = np.searchsorted(low, high, "left"), np.searchsorted(low, high, "right")
            won += float((below + up_to).sum()) / 2
            pairs += len(high) * len(low)
    return won / pairs if pairs else np.nan


def counted_sets(table: Table, rows: Flags) -> list[str]:
    return [s for s in np.unique(table.sets) if table.major[rows & (table.sets == s)].sum() >= LEAST]


def mean_auc(table: Table, scores: Floats, rows: Flags) -> tuple[float, float]:
    """The means over sets, of all pairs of outputs of one fold and of those of one rater."""
    folds = fold_names(table)
    groups = folds + 100 * table.raters
    plain, within = [], []
    for name in counted_sets(table, rows):
        own = rows & (table.sets == name)
        plain.append(auc(table.major[own], scores[own], folds[own]))
        within.append(auc(table.major[own], scores[own], groups[own]))
    return float(np.mean(plain)), float(np.mean(within))


def fold_names(table: Table) -> NDArray[Any]:
    return 10 * table.folds + np.maximum(table.system_folds, 0)


def _team(rating: Mapping[str, Any]) -> str:
    return re.sub(r"_run\d$", "", rating["system"])


def _fold(text: str, folds: int) -> int:
    return int(hashlib.md5(text.encode()).hexdigest(), 16) % folds


class _Plain(TranslationJudge):
    """Decides as every judge does."""

    def judge(self, answers: Sequence[JudgedAnswer]) -> list[Opinion]:
        return []

    @property
    def signature(self) -> str:
        return ""

    def record(self, opinions: Sequence[Opinion]) -> str:
        return ""


class Report:
    """The figures of the page and the records that notes tell."""

    def __init__(
        self,
        table: Table,
        sums: Mapping[str, Floats],
        odds: Mapping[str, Floats],
        models: Mapping[str, Any],
        left_out: Mapping[str, Floats],
    ) -> None:
        self.table, self.sums, self.odds, self.models, self.left_out = table, sums, odds, models, left_out
        self.folds = fold_names(table)

    def probabilities(self, kind: str) -> Floats:
        shift, slope = self.models[kind]["any"]
        p: Floats = 1 / (1 + np.exp(-(shift + slope * self.odds[kind])))
        return p

    def reported(self, kind: str, rows: Flags, *, calibration: JudgeCalibration | None = None) -> Flags:
        """What the judge calls wrong of these rows, which are one file to it."""
        given = [Opinion("undecided", float(p)) for p in self.probabilities(kind)[rows]]
        decided = _Plain().decide(given, calibration=calibration)
        return np.array([opinion.verdict == "fail" for opinion in decided])

    def rows(self, kind: str, name: str) -> Flags:
        table = self.table
        rows = table.is_machine & (table.sets == name) & (table.has_others | ("others" not in kind))
        return rows & ~np.isnan(self.sums[kind])

    def records(self) -> list[list[Any]]:
        found: list[list[Any]] = []
        for kind in KINDS[:4]:
            for name in np.unique(self.table.sets):
                rows = self.rows(kind, name)
                if rows.sum() < 100:
                    continue
                source, _, pair = name.partition("/")
                wrong, fails = self.table.any[rows], self.reported(kind, rows)
                area = auc(self.table.major[rows], self.sums[kind][rows], self.folds[rows])
                counts = [int(rows.sum()), int(wrong.sum()), int(fails.sum()), int((fails & wrong).sum())]
                found.append([pair, *SOURCES[source], kind, *counts, round(float(np.nan_to_num(area)), 3)])
        return found

    def against(self, kind: str, scores: Floats) -> tuple[float, float, float]:
        """The mean difference in AUC to other scores over sets, with the interval by documents."""
        table, differences = self.table, []
        rng = np.random.default_rng(0)
        drawn: list[list[float]] = []
        every = table.is_machine & (table.has_others | ("others" not in kind)) & ~np.isnan(self.sums[kind])
        for name in counted_sets(table, every):
            rows = every & (table.sets == name)
            labels, ours, theirs = table.major[rows], self.sums[kind][rows], scores[rows]
            folds, documents = self.folds[rows], table.documents[rows]
            differences.append(auc(labels, ours, folds) - auc(labels, theirs, folds))
            places = [np.flatnonzero(documents == d) for d in np.unique(documents)]
            row = []
            for _ in range(50):
                some = np.concatenate([places[n] for n in rng.integers(0, len(places), len(places))])
                row.append(
                    auc(labels[some], ours[some], folds[some]) - auc(labels[some], theirs[some], folds[some])
                )
            drawn.append(row)
        low, high = np.nanquantile(np.nanmean(np.array(drawn), 0), (0.025, 0.975))
        return float(np.mean(differences)), float(low), float(high)

    def calibrated(self, kind: str, n: int = 50, draws: int = 10) -> dict[str, float]:
        """With answers to 50 outputs of a set, drawn at random: Brier skill and how honest precision is."""
        table, rng = self.table, np.random.default_rng(0)
        skill, slopes, close, inside, widths = [], [], [], [], []
        for name in np.unique(table.sets):
            rows = np.flatnonzero(self.rows(kind, name))
            if len(rows) < 200:
                continue
            own: list[tuple[float, float]] = []
            for _ in range(draws):
                asked = rng.choice(rows, n, replace=False)
                rest = np.setdiff1d(rows, asked)
                p = self.probabilities(kind)
                fitted = JudgeCalibration.of(list(p[asked]), list(table.any[asked]))
                said, wrong = np.array([fitted(float(v)) for v in p[rest]]), table.any[rest]
                constant = (table.any[asked].sum() + 0.5) / (n + 1)
                own.append((1 - ((said - wrong) ** 2).mean() / ((constant - wrong) ** 2).mean(), 0.0))
                logits = np.log(np.clip(said, 1e-4, 1 - 1e-4) / (1 - np.clip(said, 1e-4, 1 - 1e-4)))
                slopes.append(logistic(logits, wrong, np.ones(len(rest)))[1])
                fails = said >= limit_of(list(said))
                if fails.sum() >= 50:
                    observed = wrong[fails].mean()
                    close.append(abs(said[fails].mean() - observed) <= 0.10)
                    low, high = fitted.precision(list(p[rest][fails]))
                    inside.append(low <= observed <= high)
                    widths.append(high - low)
            skill.append(float(np.mean([s for s, _ in own])) > 0)
        return {
            "skill": float(np.mean(skill)), "sets": len(skill), "slope": float(np.median(slopes)),
            "close": float(np.mean(close)), "inside": float(np.mean(inside)), "reports": len(close),
            "width": float(np.median(widths)),
        }  # fmt: skip

    def default(self, kind: str) -> dict[str, float]:
        """Precision and recall of what is called wrong, over all sets, where limits were not chosen."""
        n = wrong = failed = caught = 0
        lifts = []
        for name in np.unique(self.table.sets):
            rows = self.rows(kind, name) & (self.table.folds >= CHOSEN_ON)
            if not rows.any():
                continue
            labels, fails = self.table.any[rows], self.reported(kind, rows)
            n, wrong = n + int(rows.sum()), wrong + int(labels.sum())
            failed, caught = failed + int(fails.sum()), caught + int((fails & labels).sum())
            if fails.sum() >= 30:
                lifts.append(labels[fails].mean() / labels.mean() >= 1.5)
        return {
            "n": n, "precision": caught / max(failed, 1), "recall": caught / max(wrong, 1), "failed": failed,
            "lifted": float(np.mean(lifts)) if lifts else float("nan"), "lifts": len(lifts),
        }  # fmt: skip

    def ceiling(self) -> str:
        """In how many sets any limit could reach 1.5 times the base rate, with hindsight, in a sentence."""
        sets = reached = common = 0
        for name in np.unique(self.table.sets):
            rows = self.rows("encoder+reference", name) & (self.table.folds >= CHOSEN_ON)
            if rows.sum() < 60:
                continue
            ranked = self.table.any[rows][np.argsort(-self.probabilities("encoder+reference")[rows])]
            precision = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
            sets, common = sets + 1, common + int(1.5 * ranked.mean() > 1)
            reached += bool(precision[29:].max() >= 1.5 * ranked.mean())
        return (
            f"In {common} of {sets} sets more than two thirds of the outputs have an error, so no set of "
            "reports can have 1.5 times as many. With the best limit for each set, 30 or more reports with a "
            f"reference reach 1.5 times the base rate in {reached} of {sets}."
        )

    def raters(self) -> str:
        """How far two raters of the same output agree, in a sentence."""
        table = self.table
        pairs = [pair for pair in table.double if table.is_machine[pair[0]]]
        areas = []
        for name in np.unique(table.sets[[a for a, _ in pairs]]):
            own = np.array([pair for pair in pairs if table.sets[pair[0]] == name])
            one, other = own[:, 0], own[:, 1]
            labels = np.concatenate([table.major[other], table.major[one]])
            said = np.concatenate([table.severity[one], table.severity[other]])
            if len(one) >= 50 and labels.sum() >= LEAST:
                areas.append(auc(labels, said, np.zeros(len(labels))))
        both = sum(table.major[a] and table.major[b] for a, b in pairs)
        either = sum(table.major[a] or table.major[b] for a, b in pairs)
        documents = len({table.documents[a] for a, _ in pairs})
        agreed, least, most = f"{100 * both / either:.0f} %", _dot(min(areas)), _dot(max(areas))
        return (
            f"Two raters saw {len(pairs):,} of these outputs, from only {documents} biomedical documents. "
            f"At least one rater marks a major error in {either} outputs; both do so in {agreed} of them. "
            f"If one rater's severity predicts the other's major errors, the AUC is {least} to {most} "
            f"({_dot(float(np.mean(areas)))} on average over {len(areas)} pairs)."
        )

    def among(self, flags: Flags) -> tuple[int, float, float]:
        """How many of these outputs there are, how often they have an error, and a major one."""
        rows = self.table.is_machine & flags
        any_error, major = self.table.any[rows].mean(), self.table.major[rows].mean()
        return int(rows.sum()), round(float(any_error), 2), round(float(major), 2)

    def told(self, flags: Flags) -> str:
        n, any_error, major = self.among(flags)
        majors = "all of these have" if major == any_error else _percent(major)
        return f"{n} such outputs {_percent(any_error)} have an error, and {majors} a major one"

    def sources(self, character: Floats) -> str:
        """What becomes of the AUC where the whole source of ratings is new."""
        table, lines = self.table, []
        for source, (text, _) in SOURCES.items():
            own = np.char.startswith(table.sets.astype(str), source)
            for kind in KINDS[:4]:
                rows = table.is_machine & own & (table.has_others | ("others" not in kind))
                seen = mean_auc(table, self.sums[kind], rows)
                plain, within = mean_auc(table, self.left_out[kind], rows)
                chrf = mean_auc(table, -character, rows)[0]
                lines.append(
                    f"| {text} | {kind} | {len(counted_sets(table, rows))} | {_dot(plain)} "
                    f"| {_dot(within)} | {_dot(seen[0])} | {_dot(chrf)} |"
                )
        return "\n".join(lines)

    def text(self) -> str:
        table = self.table
        character, cosine = (table.clues[:, table.names.index(name)] for name in ("grams-4", "cosine"))
        lines = []
        for name in np.unique(table.sets):
            rows = self.rows("encoder+reference", name)
            if table.major[rows].sum() < LEAST:
                continue
            cells = []
            for kind in ("encoder+reference+others", "encoder+reference", "encoder+others", "encoder"):
                own = self.rows(kind, name)
                cells.append(
                    _dot(auc(table.major[own], self.sums[kind][own], self.folds[own])) if own.any() else ""
                )
            labels, folds = table.major[rows], self.folds[rows]
            within = folds + 100 * table.raters[rows]
            fails, wrong = self.reported("encoder+reference", rows), table.any[rows]
            precision = (
                f"{100 * wrong[fails].mean():.0f} of {int(fails.sum())}" if fails.any() else "0 reports"
            )
            source, _, pair = name.partition("/")
            lines.append(
                f"| {pair} | {SOURCES[source][0]} | {int(rows.sum()):,} | {int(labels.sum()):,} | "
                + " | ".join(cells)
                + f" | {_dot(auc(labels, self.sums['encoder+reference'][rows], within))}"
                + f" | {_dot(auc(labels, -character[rows], folds))}"
                + f" | {_dot(auc(labels, -cosine[rows], folds))} | {100 * wrong.mean():.0f} | {precision}"
                + f" | {100 * (fails & wrong).sum() / wrong.sum():.0f}"
                + " |"
            )
        return _PAGE.format(
            table="\n".join(lines), means=self.means(character, cosine), defaults=self.defaults(),
            calibration=self.calibration(), sources=self.sources(character), raters=self.raters(),
            precision=_percent(PRECISION), most=_percent(MOST), negated=self.told(table.negated),
            sure=self.told(table.sure),
            ceiling=self.ceiling(),
        )  # fmt: skip

    def means(self, character: Floats, cosine: Floats) -> str:
        table, lines = self.table, []
        for kind in KINDS:
            rows = table.is_machine & (table.has_others | ("others" not in kind))
            plain, within = mean_auc(table, self.sums[kind], rows)
            chrf, difference = mean_auc(table, -character, rows)[0], self.against(kind, -character)
            lines.append(
                f"| {kind} | {len(counted_sets(table, rows))} | {_dot(plain)} | {_dot(within)} "
                f"| {_dot(chrf)} | "
                f"{difference[0]:+.3f} [{difference[1]:+.3f}, {difference[2]:+.3f}] |"
            )
        return "\n".join(lines)

    def defaults(self) -> str:
        lines = []
        for kind in KINDS[:4]:
            own = self.default(kind)
            lifted = f"{100 * own['lifted']:.0f} % of {own['lifts']}" if own["lifts"] else "no set"
            lines.append(
                f"| {kind} | {own['n']:,} | {own['failed']:,} | {100 * own['precision']:.0f} | "
                f"{100 * own['recall']:.0f} | {lifted} |"
            )
        return "\n".join(lines)

    def calibration(self) -> str:
        lines = []
        for kind in KINDS[:4]:
            own = self.calibrated(kind)
            lines.append(
                f"| {kind} | {100 * own['skill']:.0f} % of {own['sets']} | {own['slope']:.2f} "
                f"| {100 * own['close']:.0f} % of {own['reports']} | {100 * own['inside']:.0f} % "
                f"| {own['width']:.2f} |"
            )
        return "\n".join(lines)


def _dot(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2f}".removeprefix("0")


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


_PAGE = """# Judges: how well the judge agrees with people

`behavior`, `invariance` and `score --judge` ask a judge whether an output has an error. One judge serves all
language pairs. It was trained on errors that people marked: expert MQM of biomedical abstracts and talks, and
error spans of WMT24, 17 pairs in all. `python bench/judging.py` trains the judge, measures it and writes this
page. All figures are for documents and systems that were not used for training. Human translations, copies of
the reference, and sets with fewer than 25 major errors are left out. AUC is the probability that an output
with a major error is ranked above an output without one.

## What it has to compare with

The judge is better if it has more texts to compare with. Outputs of other systems help most; `score` uses
them if it compares several systems. "Within" compares only outputs of the same rater. "Difference" is the
AUC minus the AUC of character 4-gram F (chrF's main part) on the same outputs; its interval comes from
resampled documents.

| compared with | sets | AUC | within | 4-gram F | difference |
|---|---|---|---|---|---|
{means}

"encoder" is the sentence encoder; without it the judge counts characters, words and numbers. The encoder
was not made for Czech, Hindi or Basque. It still reads such texts, in small pieces of words; the rows below
show how well that works.

## Each pair

The columns from "R+O" to "cosine" are AUCs for major errors. The judge has the reference and other systems
(R+O), the reference (R), other systems (O), or only the source (S). "R within" compares outputs of the same
rater; "4-gram" and "cosine" are 4-gram F and the encoder's cosine. These three have the reference. The last
columns show the judge with the reference and default settings: "wrong" is the share of outputs with any error
(%), "right" the share of reports with an error (%) and the number of reports, and "recall" the share of wrong
outputs that are reported (%).

| pair | text | n | major | R+O | R | O | S | R within | 4-gram | cosine | wrong | right | recall |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
{table}

{raters} Outputs of one
document share their errors, so this is not an upper limit. On the news of WMT23, where three experts rated
many documents, this AUC is .75 to .76.

## Text and raters that it never saw

For each row, the judge was trained only on the other two kinds of text. "Usual" is the AUC on the same set if
other documents of this kind are in the training data.

| text left out | compared with | sets | AUC | within | usual | 4-gram F |
|---|---|---|---|---|---|---|
{sources}

## What it reports

The judge calls outputs wrong in the order of their probability of an error. It calls as many wrong as it can
while it expects an error in at least {precision} of them, and 1.5 times as often as in all outputs of the
file (at most {most}). An output with a probability of at most 25 % is right; the others are undecided. We
chose both limits on half of the documents, for the highest recall with a reference at a precision of 75 %.
The table shows the other half, without answers of people:

| compared with | n | reports | precision (any error), % | recall, % | 1.5 times the base rate in |
|---|---|---|---|---|---|
{defaults}

{ceiling}

If source and reference agree on a negation and the output says the opposite, the judge sets the probability
of an error to at least {precision}. This agrees with our data: of {negated}. The judge does the same if a
check finds a refusal, an answer instead of a translation, another language or an untranslated output.
Of {sure}.
If such an output is called wrong, the error is critical.

## With 50 answers

Raters differ: they find a major error in 2 to 67 % of the outputs. So without answers, a probability is
that of a usual rater. Fifty answers to random outputs of a set adapt it to this system and this reader. We
measured on the rest of the set, with 10 draws each. The first columns show in how many sets the Brier score
is better than with the constant share of the answers, and the median calibration slope. The others are for
draws with 50 or more reports: how often the mean probability of the reports is within .10 of the observed
precision, how often the printed range contains this precision, and how wide the range is.

| compared with | Brier skill above 0 | slope | within .10 | in the range | width |
|---|---|---|---|---|---|
{calibration}
"""


if __name__ == "__main__":
    main()
