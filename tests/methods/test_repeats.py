"""Systems that answer differently each time: noise is in the intervals and no finding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mtassay.app.library import score, suite
from mtassay.app.runs import DryRun
from mtassay.data.errors import UsageError
from mtassay.data.formats.suite_items import Item, Rule, Suite
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Edit, Run, Segment
from mtassay.methods.behavior.behavior_method import BehaviorMethod
from mtassay.methods.behavior.pairs import BehaviorCase, segments_of
from mtassay.methods.engine import execute
from mtassay.methods.invariance.invariance_answers import variant_of
from mtassay.methods.invariance.invariance_method import InvarianceMethod
from mtassay.methods.repeats import beyond_noise, excesses, instabilities
from mtassay.systems.chat_translator import OpenAI
from tests.methods.behavior.fakes import Shared
from tests.systems.scripted import Script, scripted
from tests.systems.server import Server


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


NAMES = [f"n{a}{b}" for a in "abcdef" for b in "ghijk"]
LEVEL = 0.05


def at_most(n: int) -> int:
    """What a share of 5 % is not above in 999 of 1,000 draws of n."""
    return int(LEVEL * n + 3.1 * (n * LEVEL * (1 - LEVEL)) ** 0.5)


def noisy(server: Server, **options: object) -> OpenAI:
    return OpenAI(
        name="noisy",
        pair=parse_pair("en-pt"),
        model="noisy",
        url=f"{server.url}/v1",
        **options,  # type: ignore[arg-type]
    )


def swap_halves(text: str) -> str:
    words = text.split()
    return " ".join(words[4:] + words[:4])


NOISE = {"noisy": Script(noise=0.2, paraphrase=swap_halves)}


def variants() -> list[Segment]:
    segments = []
    for i, name in enumerate(NAMES):
        original = Segment(str(i), f"the small {name} sleeps in our old house today")
        edits = [Edit(4, 9, "small", word, "ADJ") for word in ("young", "brown", "quiet")]
        segments += [original, *(variant_of(original, edit, 1) for edit in edits)]
    return segments


def issues(server: Server, repeat: int) -> Run:
    method = InvarianceMethod("en-pt", structure="tokens", threshold=3, checks=(), repeat=repeat)
    return execute(method, variants(), [noisy(server)])


def failing(run: Run) -> int:
    return sum(finding.verdict == "fail" for finding in run.findings)


def test_noise_makes_issues_unless_it_is_asked_again() -> None:
    with scripted(**NOISE) as server:
        assert failing(issues(server, 1)) > len(NAMES) / 3
        assert failing(issues(server, 5)) <= at_most(len(NAMES))


def test_what_a_variant_changes_every_time_is_an_issue_under_noise() -> None:
    def breaks(text: str) -> str:
        return "NADA" if "brown" in text else text.upper()

    with scripted(noisy=Script(noise=0.2, paraphrase=swap_halves, translate=breaks)) as server:
        assert failing(issues(server, 5)) >= 0.9 * len(NAMES)


def cases() -> list[Segment]:
    made = []
    for i, name in enumerate(NAMES):
        text = f"the {name} sleeps in our old house today"
        edited = text.replace("sleeps", "walks")
        place = text.index("sleeps")
        edit = Edit(place, place + 6, "sleeps", "walks")
        reference_edit = edit._replace(before="SLEEPS", after="WALKS")
        made.append(
            BehaviorCase(
                str(i), str(i), "verb", text, text.upper(), edited, edited.upper(), (edit,), (reference_edit,)
            )
        )
    return [segment for case in made for segment in segments_of(case)]


def other_words(text: str) -> str:
    return " ".join([*text.split()[:4], "OUTRAS", "PALAVRAS"])


def failures(server: Server, repeat: int) -> Run:
    method = BehaviorMethod(
        "en-pt",
        {"shared": Shared()},
        min_quality=0.8,
        max_change=0.2,
        checks=("none",),
        direct=False,
        repeat=repeat,
    )
    return execute(method, cases(), [noisy(server)])


def test_noise_fails_cases_unless_it_is_asked_again() -> None:
    with scripted(noisy=Script(noise=0.2, paraphrase=other_words)) as server:
        assert failing(failures(server, 1)) > len(NAMES) / 5
        again = failures(server, 5)
        assert failing(again) <= at_most(len(NAMES))
        assert sum(finding.verdict == "pass" for finding in again.findings) > 0.5 * len(NAMES)


def test_a_single_sentence_needs_five_answers() -> None:
    with pytest.raises(UsageError, match="give 5 or more"):
        InvarianceMethod("en-pt", repeat=3)


def test_the_excess_is_what_is_far_across_less_what_is_far_within() -> None:
    # Answers 0 to 2 are to the sentence, 3 to 5 to its variant. 0 is far from all others, as 3 is.
    far = np.zeros((6, 6), dtype=bool)
    far[0, 1:] = far[1:, 0] = far[3, [0, 1, 2, 4, 5]] = far[[0, 1, 2, 4, 5], 3] = True
    assert excesses(far)[0] == pytest.approx(5 / 9 - (2 / 3 + 2 / 3) / 2)
    apart = np.array([[(i < 5) != (j < 5) for j in range(10)] for i in range(10)])
    assert beyond_noise([apart, np.zeros((10, 10), dtype=bool)]) == [True, False]


def test_intervals_are_as_wide_as_answers_vary_and_the_mean_is_stable() -> None:
    source = [f"the small {name} sleeps in our old house today" for name in NAMES]
    reference = [text.upper() for text in source]
    with scripted(noisy=NOISE["noisy"], still=Script()) as server:
        systems = {
            "noisy": noisy(server),
            "still": OpenAI(name="still", pair=parse_pair("en-pt"), model="still", url=f"{server.url}/v1"),
            "stored": reference,
        }
        run = score(systems, [reference], source, langpair="en-pt", metrics="chrf", repeat=6, samples=200)
    by_name = {entry.system: entry for entry in run.result.scores}
    each = run.result.basis["repeats"]["scores"]["chrf"]["noisy"]
    noisy_score = by_name["noisy"]
    assert len(each) == 6
    assert min(each) < max(each)
    assert noisy_score.value == pytest.approx(sum(each) / 6, abs=0.1)
    assert noisy_score.low < noisy_score.value < noisy_score.high  # type: ignore[operator]
    assert by_name["still"].value == by_name["stored"].value == 100
    assert run.result.basis["repeats"]["scores"]["chrf"].keys() == {"noisy", "still"}
    assert "repeats:6" in noisy_score.signature
    found = instabilities(run.outputs["noisy"])
    assert found[0].alike < found[-1].alike == 1.0
    table = next(table for table in run.tables() if table.title == "Asked again")
    assert [row[:2] for row in table.rows] == [["noisy", "6"], ["still", "6"]]
    assert "Least stable sentences" in str(run)


def test_a_suite_counts_the_share_of_right_answers() -> None:
    items = tuple(
        Item(name, "en-pt", "Order", "Words", f"the {name} sleeps", (Rule("^THE"),)) for name in NAMES
    )
    items = tuple(replace(item, negative_regex=(Rule("^SLEEPS"),)) for item in items)
    with scripted(noisy=Script(noise=0.2)) as server:
        run = suite(Suite(items, name="small"), {"noisy": noisy(server)}, repeat=10, checks="none")
    accuracy = next(s for s in run.result.scores if (s.name, s.group) == ("accuracy", "micro"))
    assert accuracy.n == len(NAMES)
    assert accuracy.value == pytest.approx(80, abs=7)
    assert accuracy.low < 80 < accuracy.high  # type: ignore[operator]


def test_the_price_of_asking_again_is_shown_before() -> None:
    with scripted(**NOISE) as server, pytest.raises(DryRun) as planned:
        score({"noisy": noisy(server)}, [["A."]], ["a."], metrics="chrf", repeat=5, dry_run=True)
    assert planned.value.plans["noisy"].calls == 5
    assert not server.seen
