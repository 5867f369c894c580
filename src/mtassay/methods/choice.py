"""The system to choose: quality, price, time and failures in one table and one picture.

Times and tokens come from the answers, and prices from the systems' descriptions (`about`).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtassay.data.display import Cell, Figure, Headline, Leaderboard, Point, Series, Table
from mtassay.data.marks import plural
from mtassay.data.nouns import Ledger, Output, Run
from mtassay.data.run_view import RunView
from mtassay.stats.resampling import bootstrap_scores, interval

_MILLION = 1e6
_WIDEST = 12
TITLE = "The choice"


@dataclass(frozen=True, slots=True)
class Offer:
    """Quality, price, speed and failures of a system. `price` is per million characters; `None` is unknown.

    `middle` and `slow` are the median and the 95th percentile of the seconds per request. `failed` of the
    `asked` texts have no answer. `read` and `written` count tokens.
    """

    system: str
    quality: float | None = None
    shown: str = ""
    price: float | None = None
    currency: str = ""
    middle: float | None = None
    slow: float | None = None
    failed: int = 0
    asked: int = 0
    read: int = 0
    written: int = 0

    def loses_to(self, other: Offer) -> bool:
        """Whether another system is at least as good, cheap, fast and reliable, and better in one of these.

        Values that one of the two lacks are not compared. If one has no quality, the answer is `False`.

        >>> Offer("a", 30.0, price=2.0).loses_to(Offer("b", 31.0, price=1.0))
        True
        >>> Offer("a", 30.0, price=2.0).loses_to(Offer("b", 31.0, price=3.0))
        False
        """
        if self.quality is None or other.quality is None:
            return False
        costs = [
            (-self.quality, -other.quality),
            (self.price, other.price),
            (_steps(self.middle), _steps(other.middle)),
            (self.failed / max(self.asked, 1), other.failed / max(other.asked, 1)),
        ]
        known = [(a, b) for a, b in costs if a is not None and b is not None]
        return all(b <= a for a, b in known) and any(b < a for a, b in known)


def _steps(seconds: float | None) -> float | None:
    """A time on a logarithmic scale with steps of 10 %; smaller differences are noise of the network."""
    return None if seconds is None else round(math.log(max(seconds, 0.001)) / math.log(1.1))


def cost_of(price: Sequence[float], *, characters: float, read: float, written: float) -> float:
    """The cost, given a price for a million characters or two prices for a million tokens read and written.

    >>> cost_of([20.0], characters=500_000, read=0, written=0), cost_of([1, 2], characters=0, read=5e5, written=5e5)
    (10.0, 1.5)
    """  # noqa: E501
    if len(price) == 1:
        return price[0] * characters / _MILLION
    return (price[0] * read + price[1] * written) / _MILLION


def offers(run: Run, board: Leaderboard | None) -> list[Offer]:
    """Quality, price, speed and failures of each system in a run; the quality comes from the board."""
    values = [s.value for s in board.standings if s.value is not None] if board else []
    sign = -1 if values and values[0] < values[-1] else 1  # the best comes first
    about: Mapping[str, Mapping[str, Any]] = run.result.basis.get("systems", {})
    characters = {segment.id: len(segment.source or "") for segment in run.segments}
    found = []
    for system in run.systems:
        outputs = run.outputs.get(system, ())
        standing = board.standing(system) if board else None
        value = standing.value if standing else None
        facts = about.get(system, {})
        found.append(
            Offer(
                system,
                None if value is None else sign * value,
                standing.text if standing else "",
                _price(facts.get("price") or (), outputs, characters),
                str(facts.get("currency", "")),
                *_times(outputs),
                sum(output.text is None for output in outputs),
                len(outputs),
                *(sum(_tokens(o, key) for o in outputs) for key in ("prompt_tokens", "completion_tokens")),
            )
        )
    return found


def _price(price: Sequence[float], outputs: Sequence[Output], characters: Mapping[str, int]) -> float | None:
    """The price per million source characters; texts without an answer or token counts are left out."""
    answered = [o for o in outputs if o.text is not None and (len(price) == 1 or "usage" in o.meta)]
    size = sum(characters.get(output.id, 0) for output in answered)
    if not price or not size:
        return None
    read, written = (sum(_tokens(o, key) for o in answered) for key in ("prompt_tokens", "completion_tokens"))
    return cost_of(price, characters=size, read=read, written=written) * _MILLION / size


def _tokens(output: Output, key: str) -> int:
    return int(output.meta.get("usage", {}).get(key, 0)) if output.meta else 0


def _times(outputs: Sequence[Output]) -> tuple[float | None, float | None]:
    seconds = [float(o.meta["seconds"]) for o in outputs if "seconds" in o.meta]
    if not seconds:
        return None, None
    middle, slow = np.quantile(seconds, [0.5, 0.95]).tolist()
    return middle, slow


@dataclass(frozen=True, slots=True)
class MeasuredCosts:
    """The cost per million characters and the median seconds per request, by system."""

    prices: Mapping[str, float]
    latency: Mapping[str, float]
    currency: str = ""


def measured_costs(runs: Iterable[Run]) -> MeasuredCosts:
    """Return measured costs, each from the first run that has it."""
    prices: dict[str, float] = {}
    latency: dict[str, float] = {}
    currency = ""
    for offer in (offer for run in runs for offer in offers(run, None)):
        if offer.price is not None:
            prices.setdefault(offer.system, offer.price)
            currency = currency or offer.currency
        if offer.middle is not None and offer.read:
            latency.setdefault(offer.system, offer.middle)
    return MeasuredCosts(prices, latency, currency)


def has_choice(found: Sequence[Offer]) -> bool:
    """Whether a criterion besides quality is known: prices, or tokens of language models."""
    return len(found) > 1 and any(offer.price is not None or offer.read for offer in found)


def front(found: Sequence[Offer]) -> list[Offer]:
    """The Pareto front: the systems that lose to no other system, the best first."""
    kept = [o for o in found if o.quality is not None and not any(o.loses_to(other) for other in found)]
    return sorted(kept, key=lambda offer: -(offer.quality or 0.0))


def choice_headline(found: Sequence[Offer], label: str = "quality") -> Headline | None:
    """The Pareto front in one sentence; `None` without a criterion besides quality."""
    if not has_choice(found) or not (kept := front(found)):
        return None
    if len(kept) == 1:
        text = f"{kept[0].system} is as good, cheap, fast and reliable as every other system."
        return Headline(text, "choice")
    first = {key: [o for o in kept if _is_first(o, key, kept)] for key in ("quality", "price", "middle")}
    words = {"quality": f"best {label} ", "price": "cheapest, ", "middle": "fastest, "}
    told = []
    for offer in kept:
        won = [key for key, offers in first.items() if offer in offers]
        numbers = _numbers(offer)
        if won:
            shown = [key for key in numbers if key in won or key != "middle"]
            parts = [
                (words[key] if key in won else f"{label} " * (key == "quality")) + numbers[key]
                for key in shown
            ]
            left = [f"{plural(offer.failed, 'text')} without an answer"] * (offer.failed > 0)
            told.append(f"{offer.system}: {'; '.join([*parts, *left])}")
    return Headline(f"{'. '.join(told)}.", "choice")


def _numbers(offer: Offer) -> dict[str, str]:
    """The known ones of quality, price and time."""
    numbers = {"quality": offer.shown.partition(" [")[0].strip("()")}
    if offer.price is not None:
        numbers["price"] = f"{offer.price:,.2f} {offer.currency}".rstrip() + " for 1 M characters"
    if offer.middle is not None:
        numbers["middle"] = f"{offer.middle:.2f} s a text"
    return numbers


def _is_first(offer: Offer, key: str, among: Sequence[Offer]) -> bool:
    values = [value for other in among if (value := getattr(other, key)) is not None]
    own = getattr(offer, key)
    return len(values) > 1 and own is not None and own == (max(values) if key == "quality" else min(values))


def _joined(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def choice_table(found: Sequence[Offer], label: str) -> Table | None:
    """The table of all systems: quality, price, speed and failures; the Pareto front is bold."""
    if not has_choice(found):
        return None
    best = front(found)
    currency = next((offer.currency for offer in found if offer.currency), "")
    rows: list[list[Cell | str]] = []
    for offer in sorted(
        found, key=lambda o: (o not in best, -(o.quality if o.quality is not None else -math.inf))
    ):
        rows.append(
            [
                Cell(offer.system, strong=offer in best),
                offer.shown or "–",
                "–" if offer.price is None else f"{offer.price:,.2f}",
                "–" if offer.middle is None else f"{offer.middle:.2f}",
                "–" if offer.slow is None else f"{offer.slow:.2f}",
                f"{offer.failed:,} of {offer.asked:,}" if offer.failed else "0",
                f"{offer.read:,}/{offer.written:,}" if offer.read else "–",
            ]
        )
    quality = label if 0 < len(label) <= _WIDEST else "quality"
    header = ["System", quality, f"{currency or 'price'}/1M", "p50 s", "p95 s", "no answer", "tokens"]
    notes = [
        "Bold: no other system is at least as good, cheap, fast and reliable, and better in something. "
        f"{currency or 'price'}/1M: price of a million characters of source. Tokens: read/written."
        + (f" Quality: {label}." if label and quality != label else "")
    ]
    return Table(header, rows, title=TITLE, notes=notes)


def choice_figure(found: Sequence[Offer], label: str) -> Figure | None:
    """A figure of quality by price, or by time if no price is known; the Pareto front is highlighted."""
    key, axis = ("price", "price of a million characters")
    if sum(offer.price is not None for offer in found) < 2:
        key, axis = ("middle", "seconds of a request (median)")
    best = front(found)
    points = [
        Point(float(getattr(o, key)), abs(o.quality), strong=o in best, label=o.system)
        for o in found
        if o.quality is not None and getattr(o, key) is not None
    ]
    if len(points) < 2 or not has_choice(found):
        return None
    return Figure("scatter", [Series("systems", points)], TITLE, x_label=axis, y_label=label or "quality")


# Prompts ----------------------------------------------------------------------------------------------------


def prompt_table(run: Run, ledgers: Callable[[str], Sequence[Ledger]], label: str = "") -> Table | None:
    """The best prompt of each model, chosen on one half of the segments and measured on the other half.

    On the half where it was chosen, the score is too high, since the luckiest prompt was chosen. Segments of
    one document are in the same half. Only segments that count for all prompts of a model are compared.
    """
    about: Mapping[str, Mapping[str, Any]] = run.result.basis.get("systems", {})
    prompts: dict[str, dict[str, Ledger]] = {}
    for system, facts in about.items():
        if "prompt" in facts and system in run.systems and (own := ledgers(system)):
            prompts.setdefault(str(facts["model"]), {})[str(facts["prompt"])] = own[0]
    documents = {s.id: s.document or s.id for s in run.segments}
    labels = {score.name: score.label or score.name for score in run.result.scores}
    rows: list[list[Cell | str]] = []
    name = ""
    for model, by_prompt in prompts.items():
        if len(by_prompt) < 2 or (halves := _halves(by_prompt, documents)) is None:
            continue
        sign = 1 if next(iter(by_prompt.values())).higher_is_better else -1
        name = labels.get(next(iter(by_prompt.values())).name, "score")
        chosen = max(by_prompt, key=lambda prompt: sign * halves.first[prompt])
        first, second = halves.first[chosen], halves.second[chosen]
        for place, other in enumerate(prompt for prompt in by_prompt if prompt != chosen):
            low, high = map(float, interval(halves.drawn[chosen] - halves.drawn[other]))
            lead = f"{second - halves.second[other]:+.1f} [{low:.1f} to {high:.1f}]"
            same: list[Cell | str] = [model, chosen, f"{first:.1f}", f"{second:.1f}"]
            rows.append(
                [
                    *(same if not place else [""] * 4),
                    other,
                    Cell(lead, strong=low * high > 0),
                    f"{halves.n:,}",
                ]
            )
    if not rows:
        return None
    header = ["Model", "best prompt", "chosen on", "other half", "against", "difference there", "n"]
    notes = [
        f"By {label or name}. The best prompt was chosen on one half of the texts. Its lead is measured on "
        "the other half (95 % interval). Bold: significant."
    ]
    return Table(header, rows, title="Prompts", notes=notes)


@dataclass(frozen=True, slots=True)
class _Halves:
    """Each prompt's score on each half, and on 1,000 resamples of the second half, which has `n` units."""

    first: Mapping[str, float]
    second: Mapping[str, float]
    drawn: Mapping[str, NDArray[np.float64]]
    n: int


def _halves(ledgers: Mapping[str, Ledger], documents: Mapping[str, str]) -> _Halves | None:
    shared = set.intersection(*(set(ledger.ids) for ledger in ledgers.values()))
    clusters = next(iter(ledgers.values())).clusters
    keys = {id_: clusters.get(id_) or documents.get(id_, id_) for id_ in shared}
    # Sort by digests, so that the halves do not depend on the order and are the same in every run.
    order = sorted(set(keys.values()), key=lambda key: hashlib.sha256(key.encode()).digest())
    if len(order) < 2:
        return None
    place = {key: i // 2 if i % 2 else -1 for i, key in enumerate(order)}
    first, second, resampled = {}, {}, {}
    for prompt, ledger in ledgers.items():
        sums = np.zeros((len(order) // 2, ledger.values.shape[1]))
        rest = np.zeros(ledger.values.shape[1])
        for id_, row in zip(ledger.ids, ledger.values, strict=True):
            if id_ in shared:
                part = sums[place[keys[id_]]] if place[keys[id_]] >= 0 else rest
                part += row
        first[prompt], second[prompt] = (float(ledger.aggregate(part)) for part in (rest, sums.sum(axis=0)))
        resampled[prompt] = bootstrap_scores(sums, ledger.aggregate, seed=12345)
    return _Halves(first, second, resampled, sum(place[key] >= 0 for key in keys.values()))


# Together ---------------------------------------------------------------------------------------------------


def choice_headlines(run: Run, told: Sequence[Headline]) -> list[Headline]:
    """The Pareto front in one sentence, by the first reported measure; empty without a second criterion."""
    board = _board(told)
    headline = (
        choice_headline(offers(run, board), board.label if board else "")
        if has_choice(offers(run, None))
        else None
    )
    return [headline] if headline else []


def choice_tables(view: RunView) -> list[Table]:
    """The tables of systems and of prompts to choose from; empty without a criterion besides quality."""
    if not (view.run.result.basis.get("systems") or has_choice(offers(view.run, None))):
        return []  # imported late: headlines load slowly
    board = _board(view.headlines())
    label = board.label if board else ""
    tables = choice_table(offers(view.run, board), label), prompt_table(view.run, view.ledgers, label)
    return [table for table in tables if table]


def choice_figures(view: RunView) -> list[Figure]:
    """Figures of quality by price or time; empty without a criterion besides quality."""
    if not has_choice(offers(view.run, None)) or not (board := _board(view.headlines())):
        return []
    figure = choice_figure(offers(view.run, board), board.label)
    return [figure] if figure else []


def _board(told: Sequence[Headline]) -> Leaderboard | None:
    return next((headline.board for headline in told if headline.board), None)
