"""Calls of the library, right and wrong ones; a type checker reports each line that says WRONG, and no other.

It is read, never run.
"""

from pathlib import Path

import mtassay as mt
from mtassay.app import (
    campaign_work,
    history,
    judge_trust,
    method_reviews,
    rulebook,
    translation,
)

SYSTEMS = {"old": ["Oi."], "new": ["Olá."]}


def overlap(output: str, reference: str) -> float:
    return float(output == reference)


def right() -> None:
    mt.score({"a": iter(["Oi."])}, [("Olá.",)], metrics=["bleu", overlap])
    mt.score({"a": ("Oi.",)}, iter(["Olá."]), metrics=overlap)
    run = mt.score(
        SYSTEMS, [["Olá."]], ["Hi."], metrics="bleu,chrf", samples=100, save=True, workspace="w.db"
    )
    mt.score(["new.txt"], "ref.txt", Path("src.txt"), metrics=["bleu", "ter"], test="bootstrap", seed=None)
    mt.score(SYSTEMS, ("a.txt", "b.txt"), correction="holm", executor="processes", quiet=True, stream=False)
    mt.suite("en-pt", SYSTEMS, category="Negation", item=["a", "b"], public=None, items="both", test="z")
    mt.invariance(["Hi."], {"a": "fake:upper"}, langpair="en-pt", threshold=3, filters="none", max_calls=5)
    mt.behavior("a.txt", "b.txt", ["a=fake:"], langpair="en-pt", capabilities="noun", sample=3, quality="use")
    mt.run("score", mt.read(["Hi."], [["Olá."]]), SYSTEMS, samples=100)
    mt.run("mine", ["Hi."], SYSTEMS, langpair="en-pt", parameters={"anything": 1}, dry_run=True)
    mt.translate(["Hi."], "fake:upper", langpair="en-pt", fresh=True, max_seconds=1.5)
    mt.correlate(SYSTEMS, [["Olá."]], human_scores="da.tsv", metrics="chrf", cache=False)
    mt.compare("last", run, alpha=0.01)
    mt.gate(run, "bleu >= 30", baseline="old", systems=["new"])
    mt.history("new", scores=["bleu"])
    mt.find_themes(run, trials=99)
    mt.run_plan("mtassay.yaml", only=["score"], on_step=None)
    mt.write_report([run], "report.html", title="Ours")
    run.judge(threshold=7, workspace="w.db").tables(detail=True, cases=3)
    run.report("report.md", against="last")
    run.render("md", pairs=True)
    rulebook.check("en-pt", select=["error"], workspace="w.db")
    history.development({"2025": "1f0c", "2026": run}, alpha=0.1, alias={"old": "new"})
    judge_trust.calibrate("last", metrics="chrf", quiet=True)
    campaign_work.create("c", "last", reviewers="anna", sample=3)
    method_reviews.make("a.txt", "b.txt", langpair="en-pt", capabilities="noun")
    translation.translate_file("a.txt", ["a=fake:"], "b.txt", langpair="en-pt", max_calls=3)


def wrong() -> None:
    mt.scor(SYSTEMS, [["Olá."]])  # WRONG
    mt.score(SYSTEMS, [["Olá."]], metrcs="chrf")  # WRONG
    mt.score(SYSTEMS, [["Olá."]], smaples=100)  # WRONG
    mt.score(SYSTEMS, [["Olá."]], samples="100")  # WRONG
    mt.score(SYSTEMS, [["Olá."]], test="bootstarp")  # WRONG
    mt.score(SYSTEMS, [["Olá."]], sav=True)  # WRONG
    mt.score(SYSTEMS, [["Olá."]], category="Negation")  # WRONG
    mt.score(SYSTEMS, [["Olá."]], metrics=3)  # WRONG
    mt.suite("en-pt", SYSTEMS, categroy="Negation")  # WRONG
    mt.suite("en-pt", SYSTEMS, items="all")  # WRONG
    mt.invariance(["Hi."], SYSTEMS, langpair="en-pt", treshold=3)  # WRONG
    mt.invariance(["Hi."], SYSTEMS, langpair="en-pt", top="3")  # WRONG
    mt.behavior("a.txt", "b.txt", SYSTEMS, langpair="en-pt", capabilites="noun")  # WRONG
    mt.behavior("a.txt", "b.txt", SYSTEMS, langpair="en-pt", sample="3")  # WRONG
    mt.run("score", ["Hi."], SYSTEMS, smaples=100)  # WRONG
    mt.run("mine", ["Hi."], SYSTEMS, anything=1)  # WRONG
    mt.read(["Hi."], langpiar="en-pt")  # WRONG
    mt.load("last", workspce="w.db")  # WRONG
    mt.translate(["Hi."], "fake:upper", langpair="en-pt", frsh=True)  # WRONG
    mt.translate(["Hi."], "fake:upper", langpair="en-pt", max_calls="3")  # WRONG
    mt.correlate(SYSTEMS, [["Olá."]], human_socres="da.tsv")  # WRONG
    mt.correlate(SYSTEMS, [["Olá."]], human_scores="da.tsv", chache=False)  # WRONG
    mt.compare("last", alhpa=0.01)  # WRONG
    mt.gate("last", "bleu >= 30", basline="old")  # WRONG
    mt.history("new", score=["bleu"])  # WRONG
    mt.find_themes("last", trails=99)  # WRONG
    mt.run_plan("mtassay.yaml", onyl=["score"])  # WRONG
    mt.write_report("last", "report.html", titel="Ours")  # WRONG
    mt.load().judge(treshold=7)  # WRONG
    mt.load().judge(threshold="7")  # WRONG
    mt.load().tables(detial=True)  # WRONG
    mt.load().report("report.md", titel="Ours")  # WRONG
    rulebook.check("en-pt", workspce="w.db")  # WRONG
    rulebook.challenge("en-pt", SYSTEMS, categroy="Negation")  # WRONG
    history.development({"2025": "1f0c", "2026": "last"}, alhpa=0.1)  # WRONG
    judge_trust.calibrate("last", qiuet=True)  # WRONG
    campaign_work.create("c", "last", reviewers="anna", max_cals=3)  # WRONG
    method_reviews.make("a.txt", "b.txt", langpair="en-pt", capabilites="noun")  # WRONG
    translation.translate_file("a.txt", ["a=fake:"], langpair="en-pt", max_cals=3)  # WRONG
