"""Counts what checks over documents find in real documents, and draws findings for somebody to read.

usage: python bench/document_checks.py                     count texts, documents and findings
       python bench/document_checks.py OUT N SEED [KEY]    write N findings for readers as JSON Lines

Documents of MTASSAY_DATA: WMT24 en-cs, WMT23 en-de, and people/ (bio-mqm, esa24, ted-mqm) by pair; of the
references of bio-mqm those that were rated: others are by abstract. A sample has at most three findings of a
check in a document, no output twice, and at most 45 of a check. KEY holds earlier samples, whose findings are
left out.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mtassay.data.registry import find
from mtassay.measures.check import Alarm, CheckContext, Unit
from mtassay.stats.proportions import wilson

DATA = Path(os.environ.get("MTASSAY_DATA", "../shared/data"))
CHECKS = [
    "name-drift",
    "address-drift",
    "gender-drift",
    "narration-drift",
    "number-drift",
    "list-drift",
    "spelling-variant",
    "same-source",
    "same-target",
    "repeated-sentence",
]
MOST_OF_A_CHECK, MOST_OF_A_DOCUMENT = 45, 3
AROUND = 700


def lines(path: Path) -> list[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    return opened(path, "rt", encoding="utf-8", newline="\n").read().rstrip("\n").split("\n")


def units(sources: list[str], documents: list[str], outputs: list[str]) -> list[Unit]:
    return [
        Unit(str(i), output, source, (), document)
        for i, (source, document, output) in enumerate(zip(sources, documents, outputs, strict=True))
    ]


def material() -> Iterator[tuple[str, str, bool, list[Unit]]]:
    """Pair, system, whether people translated, and the texts in the order of the document."""
    wmt24, wmt23 = DATA / "wmt24" / "en-cs", DATA / "wmt23-mtme"
    source, documents = lines(wmt24 / "source.txt.gz"), lines(wmt24 / "documents.txt.gz")
    for path in sorted((wmt24 / "outputs").iterdir()):
        yield "en-cs", path.name.partition(".")[0], False, units(source, documents, lines(path))
    yield "en-cs", "refA", True, units(source, documents, lines(wmt24 / "reference.A.txt.gz"))
    source = lines(wmt23 / "sources" / "en-de.txt")
    documents = lines(next((wmt23 / "documents").glob("en-de*")))
    for path in sorted((wmt23 / "system-outputs" / "en-de").glob("*.txt")):
        yield "en-de", path.stem, path.stem.startswith("ref"), units(source, documents, lines(path))
    for path in sorted((DATA / "people").glob("*/*.jsonl.gz")):
        rows: dict[str, dict[tuple[str, int, str], Unit]] = defaultdict(dict)
        for line in lines(path):
            row = json.loads(line)
            key = row["doc"], len(str(row["seg"])), str(row["seg"])
            name = f"{row['doc']}#{row['seg']}"
            rows[row["system"]][key] = Unit(name, row["output"], row["source"], (), row["doc"])
        for system, own in rows.items():
            is_human = system.lower().startswith("ref")
            yield path.name.partition(".")[0], system, is_human, [own[key] for key in sorted(own)]


def findings() -> Iterator[tuple[str, str, bool, str, list[Unit], list[Alarm]]]:
    """Of each system and check, one alarm for a text."""
    for pair, system, is_human, own in material():
        context = CheckContext(*pair.split("-"))
        for name in CHECKS:
            check = find("check", name)()
            if check.applies(context):
                alarms = {alarm.index: alarm for alarm in reversed(list(check.find(own, context)))}
                yield pair, system, is_human, name, own, list(alarms.values())


def count() -> None:
    texts, documents = Counter[bool](), Counter[bool]()
    found: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    flagged: dict[bool, set[tuple[str, str, str]]] = {True: set(), False: set()}
    for pair, system, is_human, name, own, alarms in findings():
        if name == CHECKS[0]:
            texts[is_human] += len(own)
            documents[is_human] += len({unit.document for unit in own})
        found[is_human][name] += len(alarms)
        flagged[is_human] |= {(pair, system, own[alarm.index].document or "") for alarm in alarms}
    for name in CHECKS:
        print(f"| `{name}` | {found[False][name]} | {found[True][name]} |")
    for is_human in (False, True):
        n, hits = documents[is_human], len(flagged[is_human])
        low, high = wilson(hits, n)
        who = "people" if is_human else "systems"
        rate = f"{100 * hits / n:.2f} % [{100 * low:.2f}–{100 * high:.2f}]"
        print(f"{who}: {texts[is_human]:,} texts, {n:,} documents, flagged {hits} ({rate})")


def marked(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]}[[{text[start:end]}]]{text[end:]}"
    at = max(text.find("[["), 0)
    low, high = max(at - AROUND, 0), at + AROUND
    return text if len(text) <= 2 * AROUND else f"{'…' * (low > 0)}{text[low:high]}{'…' * (high < len(text))}"


def sample(out: Path, size: int, seed: int, key: Path | None) -> None:
    pool = [
        (pair, system, name, own, alarm)
        for pair, system, is_human, name, own, alarms in findings()
        for alarm in alarms
        if not is_human and "ref" not in system.lower()
    ]
    random.Random(seed).shuffle(pool)
    earlier = {tuple(json.loads(line)["who"]) for line in key.open(encoding="utf-8")} if key else set()
    of_check, of_document, seen = Counter[str](), Counter[Any](), set[Any]()
    with (
        out.open("w", encoding="utf-8") as items,
        out.with_suffix(".key").open("w", encoding="utf-8") as keys,
    ):
        for pair, system, name, own, alarm in pool:
            unit = own[alarm.index]
            who, place, text = (name, pair, system, unit.id), (name, pair, unit.document), (name, unit.output)
            full = of_document[place] == MOST_OF_A_DOCUMENT or of_check[name] == MOST_OF_A_CHECK
            if who in earlier or text in seen or full or of_check.total() == size:
                continue
            of_document[place] += 1
            of_check[name] += 1
            seen.add(text)
            record: dict[str, Any] = {"id": of_check.total(), "languages": pair, "kind": name}
            record["claim"] = alarm.message
            here = [(m.start, m.end) for m in alarm.marks if m.side == "output" and m.index is None]
            record["here"] = {
                "source": marked(unit.source or "", []),
                "translation": marked(unit.output, here),
            }
            for mark in alarm.marks:
                if mark.index is not None:
                    other = own[mark.index]
                    told = {"source": marked(other.source or "", [])}
                    record["there"] = told | {"translation": marked(other.output, [(mark.start, mark.end)])}
            items.write(json.dumps(record, ensure_ascii=False) + "\n")
            keys.write(json.dumps({"id": record["id"], "kind": name, "who": who}) + "\n")
    print(dict(of_check), file=sys.stderr)


def main() -> None:
    if len(sys.argv) == 1:
        count()
    else:
        out, size, seed, *key = sys.argv[1:]
        sample(Path(out), int(size), int(seed), Path(key[0]) if key else None)


if __name__ == "__main__":
    main()
