"""Recall of the checks on planted defects, and their alarms on right translations beside them.

usage: python bench/planted.py FOLDER [--show PAIR...] [--pofilter PATH/TO/pofilter]

FOLDER holds PAIR.jsonl with the fields id, source, output, defect (null: the translation is right), kind,
facts and right (the translation without the defect), and may hold PAIR.terms.csv, a glossary, and
PAIR.style.json, rules of house style. Each pair is checked as two files, with the defects and with the right
translations, with the default checks for the pair.
A defect counts as found if any check fires, and as found for the right reason if a check fires that is listed
for its kind below. `--show` prints
the misses and the false alarms of these pairs; keep other pairs unread if you go on to change a check.
`--pofilter` counts what translate-toolkit's checks flag, for any reason, in the same two files.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from mtassay.data.formats.glossaries import read_glossaries
from mtassay.measures.check import CheckContext, Unit
from mtassay.measures.check_run import choose_checks, id_of, run_checks
from mtassay.stats.proportions import wilson

REASONS = {
    "placeholder": ("placeholders", "message-format"),
    "icu": ("message-format", "plural-forms", "placeholders"),
    "number": ("numbers",),
    "tag": ("tags",),
    "markup": ("markdown", "entities", "tags", "identifiers", "characters"),
    "term": ("term-missing", "term-forbidden", "do-not-translate", "term-drift"),
    "punctuation": ("end-punctuation", "characters", "spaces", "doubled-words"),
    "space": ("spaces", "characters"),
    "encoding": ("characters", "unicode-form", "entities"),
    "language": ("wrong-language", "mixed-language", "untranslated", "characters", "spelling-variant"),
    "format": ("format", "chatter"),
    "url": ("urls", "identifiers"),
    "linebreak": ("line-breaks",),
    "negation": ("negation",),
    "opposite": ("negation",),
    "name": ("names", "do-not-translate", "identifiers", "numbers"),
    "untranslated": ("untranslated", "untranslated-words", "mixed-language"),
    "chatter": ("chatter",),
    "quotes": ("quotes", "end-punctuation"),
    "accelerator": ("accelerators",),
    "case": ("letter-case",),
    "brackets": ("brackets",),
    "variant": ("spelling-variant",),
    "doubled": ("doubled-words", "looped"),
    "address": ("address-drift", "style"),
    "style": ("style", "address-drift", "spelling-variant", "quotes", "spaces", "end-punctuation"),
    "length": ("text-length",),
    "omission": ("omission", "truncated"),
    "addition": ("addition", "invented", "chatter"),
    "consistency": ("same-source", "same-target", "term-drift"),
    "refusal": ("refusal",),
    "answered": ("answered", "obeyed"),
    "obeyed": ("obeyed", "answered"),
    "truncated": ("truncated", "omission"),
    "looped": ("looped", "doubled-words"),
}
"""The checks that say what is wrong, by kind of defect."""


def main() -> None:
    """Print recall by kind, false alarms, and what was asked to be shown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", nargs="*", default=[], metavar="PAIR")
    parser.add_argument("--pofilter", help="the program, to run instead")
    given = parser.parse_args()
    if given.pofilter:
        run_pofilter(given.pofilter, given.folder)
        return
    found, named, of = Counter[str](), Counter[str](), Counter[str]()
    alarms, right = Counter[str](), 0
    by_pair: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted(given.folder.glob("*.jsonl")):
        pair = path.stem
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        glossary = path.with_name(f"{pair}.terms.csv")
        terms = read_glossaries([str(glossary)]) if glossary.exists() else None
        rules = path.with_name(f"{pair}.style.json")
        style = json.loads(rules.read_text(encoding="utf-8")) if rules.exists() else {}
        source, _, target = pair.partition("-")
        context = CheckContext(source, target, terms=terms, style=style)
        checks = choose_checks("default", (), context).checks
        units = {
            name: [
                Unit(row["id"], text, row["source"], file=name, key=row["id"], facts=row.get("facts") or {})
                for row in rows
                if (text := row.get("right" if name == "right" and row["defect"] else "output"))
            ]
            for name in ("defects", "right")
        }
        told: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        for name, findings in run_checks(checks, units, context).items():
            for finding in findings:
                told[name, finding.case_id][id_of(finding)] = finding.evidence["why"]
        for unit in units["right"]:
            own = told["right", unit.id]
            right += 1
            by_pair[pair]["right"] += 1
            by_pair[pair]["alarms"] += bool(own)
            alarms.update(list(own))
            if own and pair in given.show:
                print(f"false alarm  {unit.id}  {own}\n  {unit.source}\n  {unit.output}")
        for row in rows:
            own, kind = told["defects", row["id"]], row["kind"]
            if row["defect"] is None:
                continue
            if kind == "consistency":  # which one of two is wrong nobody can see
                own = {
                    check: why
                    for other in rows
                    if other["source"] == row["source"]
                    for check, why in told["defects", other["id"]].items()
                }
            is_named = any(check in REASONS.get(kind, ()) for check in own)
            of[kind] += 1
            found[kind] += bool(own)
            named[kind] += is_named
            by_pair[pair].update(defects=1, found=bool(own), named=is_named)
            if not is_named and pair in given.show:
                print(
                    f"missed  {row['id']}  {kind}: {row['defect']}  {own}\n"
                    f"  {row['source']}\n  {row['output']}"
                )
    for kind in sorted(of, key=lambda kind: (named[kind] / of[kind], kind)):
        print(f"{kind:28} found {found[kind]:3}  right reason {named[kind]:3}  of {of[kind]:3}")
    for pair, counts in by_pair.items():
        print(
            f"{pair}: right reason {counts['named']} of {counts['defects']}, found {counts['found']};"
            f" alarms on {counts['alarms']} of {counts['right']} right"
        )
    n, hits = of.total(), named.total()
    low, high = wilson(hits, n)
    print(
        f"found {found.total()} of {n}; for the right reason {hits} "
        f"({100 * hits / n:.1f} % [{100 * low:.1f}–{100 * high:.1f}])"
    )
    print(
        f"alarms on right translations: {sum(c['alarms'] for c in by_pair.values())} of {right};"
        f" {dict(alarms)}"
    )


def run_pofilter(program: str, folder: Path) -> None:
    """Print how many defects and how many right translations pofilter flags."""
    flagged: dict[str, list[int]] = {"defects": [0, 0], "right": [0, 0]}
    for path in sorted(folder.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        language = path.stem.partition("-")[2].replace("-", "_")
        for name in flagged:
            texts = [
                (
                    row["id"],
                    row["source"],
                    row["output"] if name == "defects" or not row["defect"] else row["right"],
                )
                for row in rows
                if name == "right" or row["defect"]
            ]
            with tempfile.TemporaryDirectory() as place:
                before, after = Path(place, "in.po"), Path(place, "out.po")
                entries = [
                    f"msgctxt {json.dumps(key)}\nmsgid {json.dumps(one, ensure_ascii=False)}\n"
                    f"msgstr {json.dumps(two, ensure_ascii=False)}\n"
                    for key, one, two in texts
                ]
                head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
                before.write_text("\n".join([head, *entries]), encoding="utf-8")
                command = [program, "--language", language, "-i", str(before), "-o", str(after)]
                subprocess.run(command, check=True, capture_output=True)
                found = (
                    re.findall(r"^msgctxt", after.read_text("utf-8"), re.MULTILINE) if after.exists() else []
                )
            flagged[name][0] += len(found)
            flagged[name][1] += len(texts)
    for name, (hits, n) in flagged.items():
        low, high = wilson(hits, n)
        print(
            f"pofilter flags {hits} of {n} {name} ({100 * hits / n:.1f} % [{100 * low:.1f}–{100 * high:.1f}])"
        )


if __name__ == "__main__":
    main()
