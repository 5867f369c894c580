"""Whether a theme of low-scoring outputs is as frequent among the best outputs of the same system.

usage: python bench/theme_tails.py

Every system of WMT22 de-en and WMT23 en-de by chrF, all scored together. Files from MTASSAY_DATA.
"""

from __future__ import annotations

from ranking import DATA, lines

import mtassay as mt
from mtassay.changes.themes import find_themes


def main() -> None:
    wmt22, wmt23 = DATA / "wmt22" / "de-en", DATA / "wmt23-mtme"
    sets = {
        "WMT22 de-en": (wmt22 / "source.txt", wmt22 / "references" / "A.txt", wmt22 / "outputs"),
        "WMT23 en-de": (
            wmt23 / "sources" / "en-de.txt",
            wmt23 / "references" / "en-de.refA.txt",
            wmt23 / "system-outputs" / "en-de",
        ),
    }
    print("| test set | systems | themes | as frequent among the best | short sources among the low |")
    print("|---|--:|--:|--:|--:|")
    for name, (source, reference, folder) in sets.items():
        texts = {f.stem: lines(f) for f in sorted(folder.glob("*.txt")) if "ref" not in f.stem}
        run = mt.score(
            texts,
            [lines(reference)],
            source=lines(source),
            langpair=name.split()[1],
            metrics="chrf",
            samples=100,
            trials=100,
            checks="none",
        )
        themes = find_themes([run.record])
        as_frequent = [t for t in themes if t.best * t.of >= t.failures * t.of_best and t.of_best]
        short = sum("short" in theme.sentence for theme in themes)
        print(f"| {name} | {len(texts)} | {len(themes)} | {len(as_frequent)} | {short} |", flush=True)
        for theme in themes:
            print(f"  {theme.system}: {theme.sentence}; best {theme.best} of {theme.of_best}")


if __name__ == "__main__":
    main()
