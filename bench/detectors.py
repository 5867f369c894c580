"""Measures the companion detectors of `mtassay invariance` on errors that people confirmed.

usage: python bench/detectors.py [pairs] [sweep] [relations] [phrases] [labels]  (all but sweep by default)

pairs      detectors of one source and its output: how many errors they flag, by kind of error, and beside it
           the share they flag on ordinary outputs and on outputs that people found right
sweep      the same by threshold, for the detectors of lost and added words
relations  detectors of an original and a variant, as far as the files have both outputs
phrases    `referential`, on sentences and phrases of them that both are in the files
labels     some detectors on outputs labelled wrong and right, and on ordinary outputs, in four language
           pairs; an interval here counts outputs, not families, as independent

Files: MTASSAY_DATA/sit (three lists of errors of Google Translate, en-zh) and MTASSAY_DATA/btpgbt/wmt2122
(WMT outputs of several engines, each on other sources); for ordinary pairs of an original and a variant,
MTASSAY_DATA/btpgbt/cases, where one word differs. Sources that differ by a few words are one family, and
intervals count families and not sentences as independent. Thresholds were chosen on one half of the families
and of the ordinary outputs; `pairs` shows both halves apart.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Edit
from mtassay.data.registry import names
from mtassay.measures.coverage import Counterparts, OverTranslation, UnderTranslation
from mtassay.measures.detector import (
    AnnotatedAnswer,
    ComparedPair,
    PairDetector,
    PhraseDetector,
    RelationDetector,
    open_detectors,
)
from mtassay.measures.traces import WordMeanings
from mtassay.nlp.annotation import Annotation
from mtassay.nlp.annotators import open_annotator
from mtassay.stats.proportions import effective_trials, small_sample_factor, wilson

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
PAIR = parse_pair("en-zh")
ENGINES = ("google", "deepl", "tencent")
SAMPLE = 300  # ordinary outputs of each engine
SEED = 7
KINDS = ("under", "over", "modification", "word/phrase", "logic")
HALVES = ("tuning", "reporting")
SYNONYMS = (
    "big large", "begin start", "quick fast", "buy purchase", "help assist", "car automobile",
    "doctor physician", "child kid", "answer reply", "show display", "sofa couch", "error mistake",
    "huge enormous", "choose select", "end finish", "shop store", "sad unhappy", "smart clever",
    "company firm", "picture image",
)  # fmt: skip
OPPOSITES = (
    "big small", "begin end", "quick slow", "buy sell", "rise fall", "hot cold", "rich poor", "legal illegal",
    "accept reject", "open close", "strong weak", "early late", "increase decrease", "win lose", "love hate",
    "happy unhappy", "cheap expensive", "young old", "safe dangerous", "public private",
)  # fmt: skip


@dataclass(frozen=True)
class Item:
    """A source and its output; `kinds` of error are `()` for an ordinary one, `right` where people say so."""

    origin: str
    kinds: tuple[str, ...]
    source: str
    output: str
    half: str = ""
    family: int = -1


def main() -> None:
    parts = {"pairs": pairs, "sweep": sweep, "relations": relations, "phrases": phrases, "labels": labels}
    for part in sys.argv[1:] or ["pairs", "relations", "phrases", "labels"]:
        parts[part]()


def tables(path: Path) -> list[list[str]]:
    """The cells of each one-column table, without the line below the head."""
    found: list[list[str]] = [[]]
    for line in path.read_text(encoding="utf-8").split("\n"):
        line = line.strip()
        if not line.startswith("|"):
            found.append([])
        elif not re.fullmatch(r"\|[\s:|-]+\|", line):
            found[-1].append(line.removeprefix("|").removesuffix("|").strip())
    return [rows for rows in found if rows]


def errors() -> list[Item]:
    """The confirmed errors with their kinds, each once."""
    found = []
    for origin, name in (("sit", "errors-google-sit.md"), ("rti", "errors-GoogleRTI.md")):
        for head, source, output, *_ in tables(DATA / "sit" / name):
            found.append(Item(origin, tuple(re.split(r"\s*\\?\|\s*", head)), source, output))
    return list(dict.fromkeys(found))


def invariant() -> list[tuple[str, str, str, str]]:
    """Original, variant, the output of both, and which is wrong: first, second or both."""
    rows = tables(DATA / "sit" / "errors-GooglePatInvChinese.md")
    return [(one, two, output, wrong) for _, one, two, output, wrong, *_ in rows]


def right() -> list[Item]:
    """Outputs of which people say that they fit this one of two sources."""
    found = []
    for one, two, output, wrong in invariant():
        if wrong in ("first", "second"):
            found.append(Item("right", ("right",), two if wrong == "first" else one, output))
    return list(dict.fromkeys(found))


def ordinary() -> list[Item]:
    folder = DATA / "btpgbt" / "wmt2122"
    sources = (folder / "test_en").read_text(encoding="utf-8").split("\n")
    numbers = random.Random(SEED).sample(range(6862), SAMPLE * len(ENGINES))
    found = []
    for first, engine in enumerate(ENGINES):
        outputs = (folder / engine).read_text(encoding="utf-8").split("\n")
        for place, number in enumerate(numbers[first :: len(ENGINES)]):
            half = HALVES[place % 2]
            found.append(Item(engine, (), sources[number], outputs[number], half, 10_000 + number))
    return found


def in_halves(items: Sequence[Item]) -> list[Item]:
    """Families of like sources go to one half together, in turns."""
    families: list[set[str]] = []
    found = []
    for item in items:
        words = set(item.source.lower().split())
        family = next((n for n, known in enumerate(families) if _alike(words, known)), len(families))
        if family == len(families):
            families.append(words)
        found.append(Item(item.origin, item.kinds, item.source, item.output, HALVES[family % 2], family))
    return found


def _alike(one: set[str], other: set[str]) -> bool:
    """A phrase counts as like its sentence."""
    return len(one & other) >= 0.7 * min(len(one), len(other))


def read(items: Sequence[Item]) -> list[AnnotatedAnswer]:
    english = open_annotator("en", needs=["pos", "entities", "dependencies"])
    chinese = open_annotator("zh", needs=["pos"])
    sources = english.annotate([item.source for item in items])
    outputs = chinese.annotate([item.output for item in items])
    both = zip(sources, outputs, strict=True)
    return [AnnotatedAnswer(str(number), source, output) for number, (source, output) in enumerate(both)]


def share(flagged: Sequence[bool], families: Sequence[int]) -> str:
    """The share with Wilson's interval for as many trials as the families are worth."""
    n = len(flagged)
    if not n:
        return "-"
    value = sum(flagged) / n
    off: dict[int, float] = {}
    for is_flagged, family in zip(flagged, families, strict=True):
        off[family] = off.get(family, 0.0) + is_flagged - value
    count = len(off)
    variance = sum(d * d for d in off.values()) / n**2 * count / max(count - 1, 1)
    trials = effective_trials(value, variance, least=1, most=n, otherwise=count) * small_sample_factor(count)
    low, high = wilson(value * trials, trials)
    return f"{value:5.1%} [{low:.0%}, {high:.0%}] n={n} in {count}"


def groups() -> dict[str, Callable[[Item], bool]]:
    return {
        "ordinary": lambda item: not item.kinds,
        "found right": lambda item: "right" in item.kinds,
        "all errors": lambda item: item.origin in ("sit", "rti"),
        **{kind: lambda item, kind=kind: kind in item.kinds for kind in KINDS},
    }


def flags(detector: PairDetector, items: Sequence[Item], answers: Sequence[AnnotatedAnswer]) -> set[int]:
    """The numbers of the flagged items. Each origin is a run of its own, as outputs of one engine are."""
    found: set[int] = set()
    for origin in dict.fromkeys(item.origin for item in items):
        own = [answers[number] for number, item in enumerate(items) if item.origin == origin]
        found |= {int(suspicion.id) for suspicion in detector.suspects(own)}
    return found


def table(rows: Iterable[tuple[str, set[int]]], items: Sequence[Item]) -> None:
    for name, flagged in rows:
        for label, belongs in groups().items():
            cells = []
            for half in HALVES:
                numbers = [n for n, item in enumerate(items) if belongs(item) and item.half == half]
                families = [items[n].family for n in numbers]
                cells.append(f"{share([n in flagged for n in numbers], families):34}")
            print(f"{name:22} {label:13} {'  '.join(cells)}")


def material() -> tuple[list[Item], list[AnnotatedAnswer]]:
    items = [*in_halves([*errors(), *right()]), *ordinary()]
    return items, read(items)


def pairs() -> None:
    items, answers = material()
    print(f"{'detector':22} {'outputs':13} {HALVES[0]:34}  {HALVES[1]}")
    detectors = [d for d in open_detectors(names("detector"), PAIR) if isinstance(d, PairDetector)]
    found = {}
    for detector in detectors:
        start = time.perf_counter()
        found[detector.name] = flags(detector, items, answers)
        took = time.perf_counter() - start
        table([(detector.name, found[detector.name])], items)
        print(f"{'':22} {took:.1f} s for {len(items)} pairs\n")
    table([("any of them", set().union(*found.values()))], items)
    for engine in ENGINES:
        numbers = {n for n, item in enumerate(items) if item.origin == engine}
        rates = [f"{name} {len(numbers & flagged) / len(numbers):.1%}" for name, flagged in found.items()]
        print(f"{engine:10} n={len(numbers)}: {', '.join(rates)}")


def sweep() -> None:
    """On the tuning half alone."""
    items, answers = material()
    kept = [n for n, item in enumerate(items) if item.half == HALVES[0]]
    items, answers = [items[n] for n in kept], [answers[n] for n in kept]
    answers = [AnnotatedAnswer(str(n), answer.source, answer.output) for n, answer in enumerate(answers)]
    labels = ("ordinary", "found right", "under", "over", "all errors")
    print(f"{'':34} {'  '.join(f'{label:>11}' for label in labels)}")
    for least in (0.5, 0.55, 0.6, 0.65):
        parts = Counterparts(PAIR, least=least)
        for limit in (0.1, 0.15, 0.2, 0.25, 0.3):
            for shorter in (0.8, 0.85, 0.9, 9):
                under = UnderTranslation(parts, lost=limit, shorter=shorter, lost_alone=9, short=0)
                _swept(f"under: cosine {least} share {limit} length {shorter}", under, items, answers, labels)
            for longer in (0, 1.2):
                over = OverTranslation(parts, added=limit, longer=longer, long=99)
                _swept(f"over: cosine {least} share {limit} length {longer}", over, items, answers, labels)
    nothing = Counterparts(PAIR)
    for short in (0.4, 0.5, 0.6, 0.7):
        _swept(
            f"short {short}",
            UnderTranslation(nothing, lost=9, lost_alone=9, short=short),
            items,
            answers,
            labels,
        )
    for long in (1.4, 1.6, 1.8, 2.0):
        _swept(f"long {long}", OverTranslation(nothing, added=9, long=long), items, answers, labels)


def _swept(
    name: str,
    detector: PairDetector,
    items: Sequence[Item],
    answers: Sequence[AnnotatedAnswer],
    labels: Sequence[str],
) -> None:
    flagged = flags(detector, items, answers)
    cells = []
    for label in labels:
        numbers = {n for n, item in enumerate(items) if groups()[label](item)}
        cells.append(
            f"{len(numbers & flagged):4}/{len(numbers):<4} {len(numbers & flagged) / len(numbers):4.0%}"
        )
    print(f"{name:44} {'  '.join(cells)}")


def relations() -> None:
    edits = [Edit(0, 0, *both.split()) for both in (*SYNONYMS, *OPPOSITES)]
    cosines = WordMeanings().similarities(edits)
    for name, values in (("synonyms", cosines[: len(SYNONYMS)]), ("opposites", cosines[len(SYNONYMS) :])):
        row = [f"{limit}: {sum(value < limit for value in values)}" for limit in (0.6, 0.7, 0.75, 0.8, 0.85)]
        print(f"{name}: of {len(values)} pairs of words, so many below a cosine of {', '.join(row)}")
    groups = {
        "ordinary": _compared(_ordinary_pairs()),
        "same output": _compared(_invariant_pairs()),
        "two errors": _compared(_error_pairs()),
    }
    for detector in open_detectors(names("detector"), PAIR):
        if isinstance(detector, RelationDetector):
            for name, some in groups.items():
                ids = {suspicion.id for suspicion in detector.suspects(some)}
                flagged = [pair.variant.id in ids for pair in some]
                families = [item.family for item in in_halves([_bare(pair.original) for pair in some])]
                print(f"{detector.name:22} {name:13} {share(flagged, families)}")
    print(f"{_found_originals()} errors differ by one word from a sentence in business.txt or politics.txt,")
    print("but their translations are not in the files: no relation can be measured on these.")


def _bare(answer: AnnotatedAnswer) -> Item:
    return Item("", (), answer.source.text, answer.output.text)


def _ordinary_pairs() -> list[tuple[Item, Item]]:
    """Google's outputs for an original and the same with another noun or adjective; nobody judged them."""
    folder = DATA / "btpgbt"
    sources = _lines(folder / "wmt2122" / "test_en")
    known = dict(zip(sources, _lines(folder / "wmt2122" / "google"), strict=True))
    found = []
    for part in ("noun", "adjective"):
        cases = folder / "cases" / part
        rows = zip(*(_lines(cases / name) for name in ("old_en", "test_en", "google")), strict=True)
        for old, new, output in rows:
            if old in known and _one_word(old, new):
                found.append((Item("", (), old, known[old]), Item("", (), new, output)))
    return random.Random(SEED).sample(found, SAMPLE)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def _invariant_pairs() -> list[tuple[Item, Item]]:
    rows = [(a, b, output) for a, b, output, _ in invariant() if _one_word(a, b)]
    return [(Item("", (), a, output), Item("", (), b, output)) for a, b, output in dict.fromkeys(rows)]


def _error_pairs() -> list[tuple[Item, Item]]:
    items = errors()
    return [(a, b) for n, a in enumerate(items) for b in items[n + 1 :] if _one_word(a.source, b.source)]


def _one_word(one: str, other: str) -> Edit | None:
    """The edit, if the two differ by exactly one word."""
    words, others = one.split(), other.split()
    if len(words) != len(others):
        return None
    places = [n for n, (a, b) in enumerate(zip(words, others, strict=True)) if a != b]
    if len(places) != 1:
        return None
    start = len(" ".join(words[: places[0]])) + (places[0] > 0)
    before, after = (side[places[0]].strip(".,;:!?") for side in (words, others))
    return Edit(start, start + len(before), before, after)


def _compared(both: Sequence[tuple[Item, Item]]) -> list[ComparedPair]:
    answers = read([item for pair in both for item in pair])
    found = []
    for n, (one, other) in enumerate(both):
        edit = _one_word(one.source, other.source)
        assert edit is not None
        found.append(ComparedPair(answers[2 * n], answers[2 * n + 1], edit))
    return found


def _found_originals() -> int:
    lines = [
        line
        for name in ("business.txt", "politics.txt")
        for line in (DATA / "sit" / name).read_text(encoding="utf-8").split("\n")
    ]
    return sum(any(_one_word(line, item.source) for line in lines) for item in errors())


def phrases() -> None:
    items = errors()
    found = [
        (sentence, phrase)
        for sentence in items
        for phrase in items
        if len(phrase.source) < len(sentence.source) and _plain(phrase.source) in _plain(sentence.source)
    ]
    answers = read([item for both in found for item in both])
    halves = list(zip(answers[::2], answers[1::2], strict=True))
    [detector] = open_detectors(["referential"], PAIR)
    assert isinstance(detector, PhraseDetector)
    flagged = [bool(detector.suspects([both])) for both in halves]
    families = [item.family for item in in_halves([sentence for sentence, _ in found])]
    print(f"referential: {share(flagged, families)} (a sentence and a phrase of it, both with errors)")


READING = ("polarity", "repetition", "untranslated", "numbers")


def labels() -> None:
    """MLQE-PE's labels are people's, those of the demo language models'; ordinary outputs have none."""
    texts = [
        *_mlqe(),
        *_demo("invariance", "reviews.jsonl"),
        *_demo("behavior", "labels.jsonl"),
        *_sit(),
        *_wmt("de-en", DATA / "wmt22" / "de-en"),
        *_people("en-pt", DATA / "parallel" / "tatoeba-test.eng-por.tsv.gz"),
    ]
    for name in READING:
        for pair, origin, label in dict.fromkeys(row[:3] for row in texts):
            (detector,) = open_detectors([name], parse_pair(pair))
            assert isinstance(detector, PairDetector)
            own = [row[3:] for row in texts if row[:3] == (pair, origin, label)]
            tagger = (
                open_annotator("en", needs=["pos"]) if detector.needs_source and pair[:2] == "en" else None
            )
            if detector.needs_source and not tagger:
                continue
            read = tagger.annotate([s for s, _ in own]) if tagger else [Annotation(s) for s, _ in own]
            answers = [
                AnnotatedAnswer(str(n), source, Annotation(output))
                for n, (source, (_, output)) in enumerate(zip(read, own, strict=True))
            ]
            hits, n = len(detector.suspects(answers)), len(own)
            low, high = wilson(hits, n)
            rate = f"{hits:4}/{n:<6} {hits / n:6.2%} [{low:.2%}, {high:.2%}]"
            print(f"{name:14} {pair} {origin:20} {label:9} {rate}")


Labelled = tuple[str, str, str, str, str]
"""Pair, origin, label, source, output."""


def _mlqe() -> Iterable[Labelled]:
    for name in ("train", "dev"):
        for line in _lines(DATA / "errors" / f"ende_majority_{name}.tsv"):
            _, source, output, _, label = line.split("\t")
            yield "en-de", "MLQE-PE", {"ERR": "wrong", "NOT": "right"}[label], source, output


def _demo(folder: str, name: str) -> Iterable[Labelled]:
    answers: dict[tuple[str, str], str] = {}
    for line in _lines(PROJECT / "demo" / folder / name):
        review = json.loads(line)
        answers[review["sources"][0], review["outputs"][0]] = review["answer"]
    for (source, output), answer in answers.items():
        if answer != "unsure":
            yield "en-pt", f"demo/{folder}", "right" if answer == "correct" else "wrong", source, output


def _sit() -> Iterable[Labelled]:
    for item in errors():
        yield "en-zh", "sit", "wrong", item.source, item.output
    for item in ordinary():
        yield "en-zh", "WMT outputs", "ordinary", item.source, item.output


def _wmt(pair: str, folder: Path) -> Iterable[Labelled]:
    for path in sorted((folder / "outputs").glob("*.txt"))[:3]:
        for source, output in zip(_lines(folder / "source.txt"), _lines(path), strict=True):
            yield pair, "WMT22, 3 systems", "ordinary", source, output


def _people(pair: str, path: Path) -> Iterable[Labelled]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            source, output = line.rstrip("\n").split("\t")[-2:]
            yield pair, "Tatoeba, by people", "ordinary", source, output


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


if __name__ == "__main__":
    main()
