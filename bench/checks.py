"""Counts how often each check fires on wrong, on right and on human translations; writes table and page.

usage: python bench/checks.py [CHECK...]   (default: all checks; others keep the counts that they have)

Wrong is an output in which people marked a major or critical error, right one without any; outputs with minor
errors alone are left out. Which checks are on by default then follows from the table, by the rule in
`measures/check_records.py`. It takes about two minutes.

MTASSAY_DATA/people        bio-mqm, esa24, ted-mqm: errors that people marked, and human translations
MTASSAY_DATA/errors        MLQE-PE, en-de: catastrophic errors by the majority of three people
MTASSAY_DATA/wmt22, wmt23-mtme, wmt24, terminology, parallel   references
MTASSAY_CATALOGUES         catalogues of programs, LANGUAGE/LC_MESSAGES/*.mo (default: /usr/share/locale)

The table is src/mtassay/measures/data/checks.tsv, the page docs/checks.md.
"""

from __future__ import annotations

import gettext
import gzip
import json
import os
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from mtassay.data.registry import each_named, names
from mtassay.measures.check import CheckContext, Unit
from mtassay.measures.check_records import (
    MOST_ALARMS,
    PATH,
    QUIET,
    STRICTER,
    CheckRecord,
    is_on,
    read_records,
    record_of,
    write_records,
)
from mtassay.measures.check_run import choose_checks, id_of, run_checks

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
CATALOGUES = Path(os.environ.get("MTASSAY_CATALOGUES", "/usr/share/locale"))
LANGUAGES = ("cs", "de", "es", "fr", "it", "ja", "pt_BR", "ru", "zh_CN", "pl")
PAGE = PROJECT / "docs" / "checks.md"
MOST = 6000
"""So many human translations of each origin and pair are enough."""
SEED = 7
TOKENIZED = ("form", "style", "consistency")
"""Groups that cannot be counted where somebody put spaces around every mark, as in MLQE-PE."""


class Item(NamedTuple):
    """A translation, and what is known of it: wrong, right or human."""

    source: str
    output: str
    kind: str
    document: str = ""


def main() -> None:
    """Count, and write the table and the page."""
    chosen = sys.argv[1:] or names("check")
    records = [
        record for record in read_records() if record.check not in chosen and record.check in names("check")
    ]
    began = time.monotonic()
    for (pair, origin), items in sorted(everything().items()):
        records += count(chosen, pair, origin, items)
        print(f"{time.monotonic() - began:6.1f} s  {pair} {origin}: {len(items):,}", flush=True)
    write_records(records, PATH)
    read_records.cache_clear()
    PAGE.write_text(page(records), encoding="utf-8")


def everything() -> dict[tuple[str, str], list[Item]]:
    """All translations by pair and origin, each once, a sample of many."""
    found: defaultdict[tuple[str, str], dict[Item, None]] = defaultdict(dict)
    for pair, origin, item in (*people(), *mlqe(), *references(), *catalogues()):
        if item.source.strip() and item.output.strip():
            found[pair, origin][item] = None
    sampled = {}
    for key, items in found.items():
        human = [item for item in items if item.kind == "human"]
        some = set(random.Random(SEED).sample(human, min(MOST, len(human))))
        sampled[key] = [item for item in items if item.kind != "human" or item in some]
    return sampled


def people() -> Iterator[tuple[str, str, Item]]:
    """What people labelled; references are human translations even if nobody rated them."""
    for path in sorted((DATA / "people").glob("*/*.jsonl.gz")):
        pair, origin = path.name.removesuffix(".jsonl.gz"), path.parent.name
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                severities = {error["severity"] for error in row["errors"]}
                is_wrong = bool(severities & {"major", "critical"})
                document = str(row.get("doc", ""))
                if row["system"].startswith("ref") and origin == "bio-mqm":
                    continue
                if row["system"].startswith("ref"):
                    yield pair, origin, Item(row["source"], row["output"], "human", document)
                elif row["output"] and (is_wrong or not severities):
                    kind = "wrong" if is_wrong else "right"
                    yield pair, origin, Item(row["source"], row["output"], kind, document)
                # References of bio-mqm are of abstracts whose sentences do not match one by one.
                if row.get("reference") and origin != "bio-mqm":
                    yield pair, origin, Item(row["source"], row["reference"], "human", document)


def mlqe() -> Iterator[tuple[str, str, Item]]:
    """Outputs with and without a catastrophic error."""
    for part in ("train", "dev"):
        for line in lines_of(DATA / "errors" / f"ende_majority_{part}.tsv"):
            _, source, output, _, label = line.split("\t")
            yield "en-de", "MLQE-PE", Item(source, output, "wrong" if label == "ERR" else "right")


def references() -> Iterator[tuple[str, str, Item]]:
    """References of test sets, and Tatoeba."""
    wmt22 = DATA / "wmt22" / "de-en"
    for path in sorted((wmt22 / "references").glob("*")):
        yield from side_by_side("de-en", "WMT22", wmt22 / "source.txt", path)
    mtme = DATA / "wmt23-mtme"
    yield from side_by_side(
        "en-de", "WMT23", mtme / "sources" / "en-de.txt", mtme / "references" / "en-de.refA.txt"
    )
    wmt24 = DATA / "wmt24" / "en-cs"
    yield from side_by_side("en-cs", "WMT24", wmt24 / "source.txt.gz", wmt24 / "reference.A.txt.gz")
    for folder in sorted((DATA / "terminology").glob("*-*")):
        for row in map(json.loads, lines_of(folder / "test.jsonl.gz")):
            yield folder.name, "WMT25 terminology", Item(row["source"], row["reference"], "human")
    for pair, name in (("en-pt", "tatoeba-test.eng-por"), ("en-zh", "tatoeba-train.eng-zho")):
        for line in lines_of(DATA / "parallel" / f"{name}.tsv.gz"):
            source, output = line.split("\t")[-2:]
            yield pair, "Tatoeba", Item(source, output, "human")


def side_by_side(pair: str, origin: str, source: Path, target: Path) -> Iterator[tuple[str, str, Item]]:
    for one, other in zip(lines_of(source), lines_of(target), strict=True):
        yield pair, origin, Item(one, other, "human")


def lines_of(path: Path) -> list[str]:
    with (
        gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as f
    ):
        return f.read().removesuffix("\n").split("\n")


def catalogues() -> Iterator[tuple[str, str, Item]]:
    """Texts of programs as their translators have them; plural forms are left out."""
    for language in LANGUAGES:
        for path in sorted((CATALOGUES / language / "LC_MESSAGES").glob("*.mo")):
            try:
                with path.open("rb") as file:
                    catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
            except (OSError, UnicodeDecodeError) as error:
                print(f"left out {path}: {error}")
                continue
            for key, output in catalogue.items():
                if isinstance(key, str) and key and isinstance(output, str):
                    source = key.rpartition("\x04")[2]
                    yield (
                        f"en-{language.replace('_', '-')}",
                        "catalogues",
                        Item(source, output, "human", path.stem),
                    )


def count(chosen: Iterable[str], pair: str, origin: str, items: list[Item]) -> list[CheckRecord]:
    """How often each check that knows the languages fires on these."""
    source, _, target = pair.partition("-")
    context = CheckContext(source, target)
    without = TOKENIZED if origin == "MLQE-PE" else ()
    checks = choose_checks(chosen, without, context).checks
    fired: Counter[tuple[str, str]] = Counter()
    sizes = Counter(item.kind for item in items)
    for kind in sizes:  # what compares units of one file must not compare systems with people
        own = [item for item in items if item.kind == kind]
        units = [
            Unit(str(n), item.output, item.source, document=item.document or None)
            for n, item in enumerate(own)
        ]
        for finding in run_checks(checks, {"": units}, context)[""]:
            fired[id_of(finding), kind] += 1
    kinds = ("wrong", "right", "human")
    return [
        CheckRecord(
            check.id, pair, origin, *(n for kind in kinds for n in (fired[check.id, kind], sizes[kind]))
        )
        for check in checks
    ]


# The page ---------------------------------------------------------------------------------------------------


def page(records: list[CheckRecord]) -> str:
    """The documentation of all checks with their counts."""
    checks = dict(each_named("check"))
    pairs = sorted({record.pair for record in records})
    rows = []
    for name, check in checks.items():
        total = record_of(name, None, records)
        on = [pair for pair in pairs if is_on(check, pair, records)]
        where = "everywhere" if len(on) == len(pairs) else ", ".join(on) or "nowhere"
        where = (
            f"all but {', '.join(p for p in pairs if p not in on)}"
            if len(pairs) > len(on) > len(pairs) / 2
            else where
        )
        cells = [f"`{name}`", check.group, check.severity, check.about, *shares(total), where]
        rows.append(cells)
    head = ["check", "group", "severity", "reports", "wrong", "right", "human", "on by default"]
    parts = [
        INTRODUCTION,
        table(head, rows),
        HUMAN,
        human_table(checks, records),
        LABELS,
        label_table(checks, records),
    ]
    return "\n\n".join(parts) + "\n"


INTRODUCTION = "\n\n".join(
    [
        "# Checks",
        "A check looks at a source and its translation and says what is wrong, where, and how badly. "
        "[`mtassay check`](commands/check.md), `score` and `invariance` run the checks that are on by "
        "default for the language pair; `--checks` chooses others.",
        f"A check is on if it fires on fewer than {100 * MOST_ALARMS:g} % of human translations into the "
        f"language ({', '.join(STRICTER)}: {100 * max(STRICTER.values()):g} %). A check of meaning must also "
        "fire three times as often on wrong outputs as on right ones (people's labels, not by chance), or, "
        f"if it fires on fewer than {100 * QUIET:g} % of human translations, more often. Checks of form, "
        "style and consistency use catalogues of programs alone. `python bench/checks.py` counts again and "
        "writes this page.",
        "*wrong*: outputs with a major or critical error; *right*: outputs without any; *human*: human "
        "translations. Each cell has the share and n.",
    ]
)
HUMAN = "## Alarms on human translations, by target language"
LABELS = (
    "## Outputs that people labelled, by pair\n\nAlarms on wrong and on right outputs, where the check fired."
)


def shares(record: CheckRecord) -> list[str]:
    counted = ((record.wrong_fired, record.wrong), (record.right_fired, record.right))
    return [share(*both) for both in (*counted, (record.human_fired, record.human))]


def share(fired: int, n: int) -> str:
    return f"{100 * fired / n:.2f} % ({n:,})" if n else "–"


def human_table(checks: Iterable[str], records: list[CheckRecord]) -> str:
    targets = sorted({r.pair.partition("-")[2] for r in records if r.human})
    counts: Counter[tuple[str, str]] = Counter()
    sizes: Counter[tuple[str, str]] = Counter()
    for record in records:
        key = record.check, record.pair.partition("-")[2]
        counts[key] += record.human_fired
        sizes[key] += record.human
    n = {target: max(sizes[name, target] for name in checks) for target in targets}
    rows = [
        [
            f"`{name}`",
            *(f"{100 * counts[name, t] / sizes[name, t]:.2f}" if sizes[name, t] else "–" for t in targets),
        ]
        for name in checks
    ]
    return table(["%", *(f"{target} ({n[target]:,})" for target in targets)], rows)


def label_table(checks: Iterable[str], records: list[CheckRecord]) -> str:
    rows = []
    for name in checks:
        for pair in sorted({r.pair for r in records if r.check == name and r.fired}):
            own = [r for r in records if r.check == name and r.pair == pair]
            wrong_fired, wrong, right_fired, right = (
                sum(column) for column in zip(*(r[3:7] for r in own), strict=True)
            )
            rows.append([f"`{name}`", pair, f"{wrong_fired:,} of {wrong:,}", f"{right_fired:,} of {right:,}"])
    return table(["check", "pair", "wrong", "right"], rows)


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    main()
