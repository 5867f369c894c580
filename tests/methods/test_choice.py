"""Quality, price, time and failures together; what is planted comes out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from mtassay.app.library import score
from mtassay.app.runs import Run
from mtassay.data.languages import parse_pair
from mtassay.methods.choice import Offer, choice_headline, front, offers
from mtassay.systems.chat_translator import OpenAI
from tests.systems.scripted import Script, Scripted
from tests.systems.server import Server


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


SOURCE = [f"the small dog number {i} sleeps in our old house" for i in range(400)]


def openai(server: Server, model: str) -> OpenAI:
    return OpenAI(name=model, pair=parse_pair("en-pt"), model=model, url=f"{server.url}/v1")


def test_planted_prices_and_failures_come_out() -> None:
    models = {
        "good": Script(tokens=(40, 12), failures=0.0),
        "cheap": Script(tokens=(20, 10), failures=0.08, noise=0.3),
    }
    prices = {"good": (1.0, 4.0), "cheap": (0.1, 0.2)}
    scripted = Scripted(models)
    with Server(scripted) as server:
        run = score(
            {name: openai(server, name) for name in models},
            [[text.upper() for text in SOURCE]],
            SOURCE,
            langpair="en-pt",
            metrics="chrf",
            samples=100,
            checks="none",
            about={name: {"price": price, "currency": "EUR"} for name, price in prices.items()},
        )
    characters = sum(map(len, SOURCE))
    by_name = {offer.system: offer for offer in offers(run.record, board(run))}
    for name, (read, written) in prices.items():
        tokens = models[name].tokens
        planted = (tokens[0] * read + tokens[1] * written) * len(SOURCE) / characters
        assert by_name[name].price == pytest.approx(planted, rel=0.05)
        failed = sum(reply.startswith("fail") for reply in scripted.replies[name])
        assert by_name[name].failed == failed
        assert by_name[name].asked == len(SOURCE)
    assert by_name["cheap"].failed / len(SOURCE) == pytest.approx(0.08, abs=0.04)
    table = next(table for table in run.tables() if table.title == "The choice")
    assert table.header[2] == "EUR/1M"
    assert [figure.kind for figure in run.figures()][-1] == "scatter"
    assert any("good: best chrF2 " in headline.text for headline in headlines(run))


def headlines(run: Run) -> list:  # type: ignore[type-arg]
    from mtassay.data.method import view_of

    return view_of(run.record).headlines()


def board(run: Run):  # type: ignore[no-untyped-def]
    return next(headline.board for headline in headlines(run) if headline.board)


def test_planted_times_come_out() -> None:
    """The engine says how long it took, so that no test depends on a clock."""

    class Timed(OpenAI):
        def translate(self, requests):  # type: ignore[no-untyped-def]
            outputs = super().translate(requests)
            place = int(str(requests[0].text).split()[4])
            seconds = 2.0 if place % 10 == 0 else 0.5 + place / 1000
            return [o._replace(meta={**o.meta, "seconds": seconds}) for o in outputs]

    with Server(Scripted({"slow": Script(), "fast": Script()})) as server:
        slow = Timed(name="slow", pair=parse_pair("en-pt"), model="slow", url=f"{server.url}/v1")
        reference = [[text.upper() for text in SOURCE]]
        systems = {"slow": slow, "fast": openai(server, "fast")}
        run = score(systems, reference, SOURCE, langpair="en-pt", metrics="chrf", samples=100)
    offer = next(o for o in offers(run.record, None) if o.system == "slow")
    assert offer.middle == pytest.approx(0.722, rel=0.05)
    assert offer.slow == pytest.approx(2.0, rel=0.05)


def test_the_front_is_what_loses_to_nothing() -> None:
    found = [
        Offer("best", 40.0, "40.0 [39.0–41.0]", price=30.0, middle=2.0, asked=9),
        Offer("cheap", 35.0, "35.0", price=1.0, middle=3.0, asked=9),
        Offer("fast", 34.0, "34.0", price=5.0, middle=0.1, asked=9),
        Offer("worse", 34.0, price=31.0, middle=2.5, asked=9),
        Offer("unrated", None, price=0.1, asked=9),
    ]
    assert [offer.system for offer in front(found)] == ["best", "cheap", "fast"]
    headline = choice_headline(found, "BLEU")
    assert headline is not None
    assert headline.text == (
        "best: best BLEU 40.0; 30.00 for 1 M characters. "
        "cheap: BLEU 35.0; cheapest, 1.00 for 1 M characters. "
        "fast: BLEU 34.0; 5.00 for 1 M characters; fastest, 0.10 s a text."
    )


def test_a_price_of_one_number_is_for_characters() -> None:
    run = score(
        {"a": ["Um cão."], "b": ["Um gato."]},
        [["Um cão."]],
        ["A dog."],
        metrics="chrf",
        samples=100,
        about={"a": {"price": [20.0]}, "b": {"price": [10.0]}},
    )
    assert [offer.price for offer in offers(run.record, None)] == pytest.approx([20.0, 10.0])
    assert Counter(table.title for table in run.tables())["The choice"] == 1
