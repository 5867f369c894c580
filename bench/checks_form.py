"""How often the default checks fire on translations by people: the .mo catalogues of Debian packages.

Prepare a folder with a subfolder per package that holds LANGUAGE.DOMAIN.mo files:

    apt-get download git gimp-data …; dpkg -x PACKAGE.deb DIR
    cp DIR/usr/share/locale/de/LC_MESSAGES/x.mo F/PACKAGE/de.x.mo
    python bench/checks_form.py F --half tune     # half of the packages, to look at while you write a check
    python bench/checks_form.py F --half report   # the other half, to report
    python bench/checks_form.py F --half report --alarms alarms.jsonl --pofilter PATH/TO/pofilter

Prints alarms per check as a share of strings, in all and per language, and microseconds per string. With
`--pofilter`, runs translate-toolkit's checks on the same strings.
"""

from __future__ import annotations

import argparse
import json
import random
import struct
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mtassay.measures.check import CheckContext, Unit
from mtassay.measures.check_run import CREDITS, choose_checks
from mtassay.stats.proportions import wilson

PLURALS = {
    1: ("other",),
    2: ("one", "other"),
    3: ("one", "few", "many"),
    4: ("one", "few", "many", "other"),
    6: ("zero", "one", "two", "few", "many", "other"),
}
"""The forms of a catalogue in the languages measured here, by their number."""


def read_mo(path: Path) -> dict[str, str]:
    """All entries of a catalogue; plural forms and contexts are separated as in the file."""
    data = path.read_bytes()
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    _, _, n, originals, translations = struct.unpack(f"{order}5I", data[:20])
    entries = {}
    for i in range(n):
        texts = []
        for table in (originals, translations):
            length, offset = struct.unpack(f"{order}2I", data[table + 8 * i : table + 8 * i + 8])
            texts.append(data[offset : offset + length])
        try:
            entries[texts[0].decode()] = texts[1].decode()
        except UnicodeDecodeError:
            continue  # an older catalogue in another encoding
    return entries


def units_of(path: Path) -> Iterator[Unit]:
    """The strings of a catalogue, each plural form as one."""
    entries = read_mo(path)
    entries.pop("", None)
    for number, (original, translation) in enumerate(entries.items()):
        source = original.split("\x04")[-1].split("\0")
        if "wesnoth" in path.name:  # has a context before ^; elsewhere that is an access key, or text
            source = [text.rpartition("^")[2] for text in source]
        forms = translation.split("\0")
        for i, form in enumerate(forms):
            if not form.strip() or not source[0].strip() or source[0] in CREDITS:
                continue
            facts: dict[str, Any] = {}
            text = source[-1]
            if len(source) > 1:
                facts["plural"] = PLURALS[len(forms)][i]
                if len(forms) == 3 and path.name[:2] in ("ca", "es", "fr", "it", "pt"):
                    facts["plural"] = ("one", "many", "other")[i]
                elif len(forms) == 3 and path.name[:2] in ("cs", "sk", "ro", "lt"):
                    facts["plural"] = ("one", "few", "other")[i]
                text = source[0] if facts["plural"] == "one" else source[-1]
            yield Unit(f"{number}.{i}", form, text, file=str(path), key=original[:40], facts=facts)


def catalogues(folder: Path, half: str, languages: list[str], most: int) -> dict[tuple[str, str], list[Unit]]:
    packages = sorted(path.name for path in folder.iterdir() if path.is_dir())
    # Packages of one project share strings: neighbours in the alphabet stay together by their first letters.
    stems = sorted({name[:4] for name in packages})
    chosen = {
        stem for place, stem in enumerate(stems) if (place % 2 == 0) == (half == "tune") or half == "all"
    }
    random_order = random.Random(7)
    files: dict[tuple[str, str], list[Unit]] = {}
    for package in packages:
        if package[:4] not in chosen:
            continue
        for path in sorted((folder / package).glob("*.mo")):
            language = path.name.split(".")[0]
            if language in languages:
                units = list(units_of(path))
                if len(units) > most:
                    start = random_order.randrange(len(units) - most)
                    kept = {unit.id.split(".")[0] for unit in units[start : start + most]}
                    units = [unit for unit in units if unit.id.split(".")[0] in kept]
                files[package + "/" + path.name, language] = units
    return files


def run_pofilter(program: str, files: dict[tuple[str, str], list[Unit]]) -> tuple[Counter[str], int]:
    """How many strings each of pofilter's checks flags, and how many strings it flags at all."""
    counts: Counter[str] = Counter()
    flagged = 0
    with tempfile.TemporaryDirectory() as name:
        for number, ((_, language), units) in enumerate(files.items()):
            po, out = Path(name) / f"{number}.po", Path(name) / f"{number}.out.po"
            header = (
                f'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\nLanguage: {language}\\n"\n\n'
            )
            rows = [
                f'msgctxt "{i}"\nmsgid {po_text(unit.source or "")}\nmsgstr {po_text(unit.output)}\n'
                for i, unit in enumerate(units)
            ]
            po.write_text(header + "\n".join(rows), encoding="utf-8")
            subprocess.run(
                [program, "--progress=none", f"--language={language}", str(po), str(out)], capture_output=True
            )
            if not out.exists():
                continue
            for block in out.read_text(encoding="utf-8").split("\n\n"):
                tests = {
                    line[len("# (pofilter) ") :].split(":")[0]
                    for line in block.splitlines()
                    if line.startswith("# (pofilter)")
                }
                flagged += bool(tests) and "msgctxt" in block
                counts.update(tests)
    return counts, flagged


def po_text(text: str) -> str:
    for before, after in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        text = text.replace(before, after)
    return f'"{text}"'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=("tune", "report", "all"), default="tune")
    parser.add_argument("--languages", default="de,es,fr,ru,ja,zh_CN,pt_BR,it,pl,ar")
    parser.add_argument("--most", type=int, default=1000, help="strings per catalogue, taken in one piece")
    parser.add_argument("--checks", default="default", help="names or groups, separated by commas")
    parser.add_argument("--alarms", type=Path, help="write all alarms here as JSONL, in random order")
    parser.add_argument("--pofilter", help="the program, to run beside")
    arguments = parser.parse_args()
    languages = arguments.languages.split(",")
    files = catalogues(arguments.folder, arguments.half, languages, arguments.most)
    total = sum(map(len, files.values()))
    by_language = Counter()
    for (_, language), units in files.items():
        by_language[language] += len(units)
    flagged: dict[str, Counter[str]] = defaultdict(Counter)
    seconds: Counter[str] = Counter()
    alarms = []
    # One language after the other: dictionaries take long to read.
    for (name, language), units in sorted(files.items(), key=lambda item: item[0][1]):
        context = CheckContext("en", language.replace("_", "-"))
        anything = set()
        for check in choose_checks(arguments.checks, (), context).checks:
            start = time.process_time()
            found = list(check.find(units, context))
            seconds[check.id] += time.process_time() - start
            indexes = {alarm.index for alarm in found}
            anything |= indexes
            flagged[check.id][language] += len(indexes)
            for alarm in found:
                unit = units[alarm.index]
                alarms.append(
                    {
                        "check": check.id,
                        "file": name,
                        "message": alarm.message,
                        "source": unit.source,
                        "output": unit.output,
                    }
                )
        flagged["all together"][language] += len(anything)
    print(f"{total} strings, {len(files)} catalogues, {len(languages)} languages, half: {arguments.half}")
    print(
        "check".ljust(18),
        "alarms",
        "  share  95 % interval  ",
        "µs  ",
        " ".join(f"{x:>6}" for x in languages),
    )
    for name, counts in flagged.items():
        n = sum(counts.values())
        low, high = wilson(n, total)
        shares = " ".join(f"{100 * counts[x] / max(by_language[x], 1):6.2f}" for x in languages)
        print(
            f"{name:18} {n:6} {100 * n / total:6.2f} %  {100 * low:5.2f}–{100 * high:5.2f}  "
            f"{1e6 * seconds[name] / total:5.2f}  {shares}"
        )
    print(f"{1e6 * sum(seconds.values()) / total:.1f} µs per string for all checks")
    if arguments.alarms:
        random.Random(1).shuffle(alarms)
        with arguments.alarms.open("w", encoding="utf-8") as file:
            for row in alarms:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    if arguments.pofilter:
        counts, n = run_pofilter(arguments.pofilter, files)
        print(f"pofilter: {n} of {total} strings flagged ({100 * n / total:.1f} %)")
        for name, count in counts.most_common():
            print(f"  {name:18} {count:6} {100 * count / total:6.2f} %")


if __name__ == "__main__":
    main()
