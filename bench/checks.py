"""Counts how often each check fires on wrong, on right and on human translations; writes table and page.

usage: python bench/checks.py [CHECK...]   (default: all checks; others keep the counts that they have;
                                            page: write the page alone)

Wrong is an output in which people marked a major or critical error, right one without any; outputs with minor
errors alone are left out. Which checks are on by default then follows from the table, by the rule in
`measures/check_run.py`. It takes about two minutes.

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
from mtassay.measures.check_run import (
    CATALOGUES,
    ENOUGH,
    MOST_ALARMS,
    PATH,
    QUIET,
    STRICTER,
    CheckRecord,
    choose_checks,
    id_of,
    is_on,
    read_records,
    record_of,
    run_checks,
    write_records,
)
from mtassay.stats.proportions import wilson

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
FOLDER = Path(os.environ.get("MTASSAY_CATALOGUES", "/usr/share/locale"))
LANGUAGES = ("cs", "de", "es", "fr", "it", "ja", "pt_BR", "ru", "zh_CN", "pl")
PAGE = PROJECT / "docs" / "checks.md"
MOST = 6000
"""So many human translations of each origin and pair are enough."""
MOST_OF_A_FILE = 800
SEED = 7
TOKENIZED = ("form", "style", "consistency")
"""Groups that cannot be counted where somebody put spaces around every mark, as in MLQE-PE."""


class Item(NamedTuple):
    """A translation, and what is known of it: wrong, right or human."""

    source: str
    output: str
    kind: str
    document: str = ""
    key: str = ""


def main() -> None:
    """Count, and write the table and the page."""
    chosen = sys.argv[1:] or names("check")
    if chosen == ["page"]:
        PAGE.write_text(page(list(read_records())), encoding="utf-8")
        return
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
        if key[1] == CATALOGUES:
            some = whole_files(human)
        else:
            some = set(random.Random(SEED).sample(human, min(MOST, len(human))))
        sampled[key] = [item for item in items if item.kind != "human" or item in some]
    return sampled


def whole_files(items: list[Item]) -> set[Item]:
    """Files drawn at random, large ones in part: what a file does throughout is its habit."""
    files: defaultdict[str, list[Item]] = defaultdict(list)
    for item in items:
        files[item.document].append(item)
    names_of_files = sorted(files)
    random.Random(SEED).shuffle(names_of_files)
    some: set[Item] = set()
    for name in names_of_files:
        if len(some) < MOST:
            some.update(files[name][:MOST_OF_A_FILE])
    return some


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
        for path in sorted((FOLDER / language / "LC_MESSAGES").glob("*.mo")):
            try:
                with path.open("rb") as file:
                    catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
            except (OSError, UnicodeDecodeError) as error:
                print(f"left out {path}: {error}")
                continue
            for key, output in catalogue.items():
                if isinstance(key, str) and key and isinstance(output, str):
                    context, _, source = key.rpartition("\x04")
                    yield (
                        f"en-{language.replace('_', '-')}",
                        CATALOGUES,
                        Item(source, output, "human", path.stem, f"{context}|{source}"),
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
            Unit(
                str(n),
                item.output,
                item.source,
                document=item.document or None,
                file=item.document if origin == CATALOGUES else "",
                key=item.key,
            )
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
    """The documentation of all checks with their counts, in few words."""
    pairs = sorted({record.pair for record in records})
    rows, labelled = [], []
    for name, check in each_named("check"):
        own = [record for record in records if record.check == name]
        total = record_of(name, None, records)
        off = ", ".join(pair for pair in pairs if not is_on(check, pair, records))
        wrong, right = (total.wrong_fired, total.wrong), (total.right_fired, total.right)
        human = (total.human_fired, total.human)
        cells = [percent(*wrong), percent(*right), percent(*human), worst(own), off]
        rows.append([f"`{name}`", check.group, check.severity, check.about, *cells])
        counts = by_pair(own)
        labelled += [[f"`{name}`", counts]] if counts else []
    head = ["check", "group", "severity", "reports", "wrong", "right", "human", "most in", "off in"]
    sizes = {
        pair: max((r.wrong, r.right) for r in summed([r for r in records if r.pair == pair]))
        for pair in pairs
    }
    n = ", ".join(f"{pair} {wrong:,}:{right:,}" for pair, (wrong, right) in sizes.items() if wrong)
    labels = f"{LABELS} Labelled: {n}."
    parts = [INTRODUCTION, table(head, rows), labels, table(["check", "pairs"], labelled), read_and_planted()]
    return "\n\n".join(parts) + "\n"


def read_and_planted() -> str:
    """What a reader said of alarms, and how many planted defects were found before any change."""
    bench = PROJECT / "bench"
    said = Counter(line.split("\t")[3] for line in lines_of(bench / "checks_read.tsv"))
    rows = [line.split("\t") for line in lines_of(bench / "planted" / "first.tsv")[1:]]
    shares = []
    for name, pairs, n, found, right, alarms in rows:
        low, high = wilson(int(found), int(n))
        share = f"{found} of {n} ({100 * int(found) / int(n):.0f} % [{100 * low:.0f}–{100 * high:.0f}])"
        shares.append([f"{name}: {pairs}", share, f"{alarms} of {right}" if right else "–"])
    return (
        f"## Read and planted\n\nOf {said.total()} alarms on catalogues, drawn at random, a language model "
        f"called {said['defect']} defects, {said['harmless']} harmless and {said['false']} false.\n\n"
        "Language models put defects into files (`bench/planted`). These models had not seen the checks. "
        "The table counts the defects that a check named for the right reason when it first saw them. "
        "The defects of `subtle` are smaller, often one word; most of those not found are omissions, "
        "additions and opposites.\n\n"
        + table(["set", "found at first look", "alarms on right translations"], shares)
    )


INTRODUCTION = "\n\n".join(
    [
        "# Checks",
        "A check looks at a source and its translation and says what is wrong, where, and how badly. "
        "[`mtassay check`](commands/check.md) and `invariance` run the checks that are on by default for the "
        "language pair. `score`, `suite` and `behavior` run only the critical ones of these. `--checks` "
        "chooses others.",
        f"A check is on if it fires on fewer than {100 * MOST_ALARMS:g} % of human translations into the "
        f"language ({', '.join(STRICTER)}: {100 * max(STRICTER.values()):g} %). A check of meaning must also "
        "fire three times as often on outputs that people labelled wrong as on right ones, and the "
        f"difference must be significant. If it fires on fewer than {100 * QUIET:g} % of human translations, "
        "it must only fire more often on wrong outputs. Checks of form, style and consistency are counted "
        "only on message catalogues of programs. `python bench/checks.py` counts again and writes this page.",
        "Numbers are percent. *wrong*: outputs with a major or critical error; *right*: outputs without such "
        "an error; *human*: human translations; *most in*: the target language with the most alarms on "
        "human translations.",
    ]
)
LABELS = (
    "## Outputs that people labelled\n\nNumber of alarms on wrong and on right outputs (`wrong:right`), for "
    "checks that fired on at least four outputs."
)


def summed(records: Iterable[CheckRecord]) -> list[CheckRecord]:
    """One record for each check and pair, of all origins."""
    groups: defaultdict[tuple[str, str], list[CheckRecord]] = defaultdict(list)
    for record in records:
        groups[record.check, record.pair].append(record)
    return [
        CheckRecord(check, pair, "", *(sum(column) for column in zip(*(row[3:] for row in own), strict=True)))
        for (check, pair), own in sorted(groups.items())
    ]


def percent(fired: int, n: int) -> str:
    return f"{100 * fired / n:.2f}" if n else "–"


def worst(records: list[CheckRecord]) -> str:
    """The target language with the highest share of alarms on human translations, with that share."""
    targets: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for record in records:
        counts = targets[record.pair.partition("-")[2].partition("-")[0]]
        counts[0] += record.human_fired
        counts[1] += record.human
    rates = {target: fired / n for target, (fired, n) in targets.items() if fired and n >= ENOUGH}
    most = max(rates, key=lambda target: rates[target], default="")
    return f"{most} {100 * rates[most]:.2f}" if most else ""


def by_pair(records: list[CheckRecord]) -> str:
    """Alarms on wrong and right outputs, by pair."""
    return ", ".join(
        f"{row.pair} {row.wrong_fired}:{row.right_fired}" for row in summed(records) if row.fired >= 4
    )


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    main()
