"""Finds the clock times that stand on both sides of a pair, and other times that could stand there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mtassay.methods.behavior.infill.lexicon.entries import Substitute
from mtassay.methods.behavior.infill.lexicon.offers import Offer, head_of
from mtassay.methods.behavior.pairs import ReadPair

__all__ = ["Clock", "clocks", "time_offers", "written_time"]

_PATTERNS = {
    "en": re.compile(
        r"\b(?P<hour>\d{1,2})(?P<mark>:)?(?(mark)(?P<minute>\d\d))(?P<half> ?[ap]\.?m\b\.?)", re.I
    ),
    "pt": re.compile(r"\b(?P<hour>\d{1,2})(?P<mark>[h:])(?P<minute>\d\d)?\b(?P<half>)"),
    "de": re.compile(r"\b(?P<hour>\d{1,2})(?P<mark>[:.])?(?(mark)(?P<minute>\d\d))(?P<half> Uhr)\b"),
}


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock time at these characters, in minutes since midnight; `mark` and `half` are as it is written."""

    start: int
    end: int
    minutes: int
    mark: str
    half: str


def clocks(text: str, language: str) -> list[Clock]:
    """The clock times in a text, in order; English ones need `a.m.` or `p.m.` to be sure.

    >>> [(time.start, time.minutes) for time in clocks("from 8 a.m. to 6:45 p.m.", "en")]
    [(5, 480), (15, 1125)]
    """
    if language not in _PATTERNS:
        return []
    times = []
    for match in _PATTERNS[language].finditer(text):
        hour, minute, half = int(match["hour"]), int(match["minute"] or 0), match["half"]
        if "p" in half.lower() or "a" in half.lower():
            hour = hour % 12 + (12 if "p" in half.lower() else 0)
        if hour < 24 and minute < 60 and not (match["mark"] == ":" and not match["minute"]):
            times.append(Clock(match.start(), match.end(), hour * 60 + minute, match["mark"] or "", half))
    return times


def written_time(minutes: int, like: Clock, language: str) -> str:
    """A time in the style of another; whole hours only where the other is one.

    >>> english, portuguese = clocks("7:30 p.m.", "en")[0], clocks("19h30", "pt")[0]
    >>> written_time(1125, english, "en"), written_time(1125, portuguese, "pt")
    ('6:45 p.m.', '18h45')
    """
    hour, minute = divmod(minutes, 60)
    if language == "en":
        hour = (hour - 1) % 12 + 1
    if language == "pt" and like.mark == "h":
        return f"{hour}h{minute:02}" if like.minutes % 60 else f"{hour}h"
    return (f"{hour}{like.mark}{minute:02}" if like.mark else f"{hour}") + like.half


def time_offers(languages: tuple[str, str], pair: ReadPair) -> list[Offer]:
    """One offer for each time that stands once on either side, in order.

    The part of the day stays, and with it what the people in the sentence do; noon, midnight and one o'clock
    are left out, since they take other words around them.
    """
    sides = clocks(pair.source.text, languages[0]), clocks(pair.reference.text, languages[1])
    offers = []
    for clock in sides[0]:
        same = [[time for time in side if time.minutes == clock.minutes] for side in sides]
        if len(same[0]) != 1 or len(same[1]) != 1:
            continue
        partner, source_minutes = same[1][0], {time.minutes for time in sides[0]}
        substitutes = [
            Substitute(
                written_time(minutes, clock, languages[0]), written_time(minutes, partner, languages[1])
            )
            for minutes in _others(clock.minutes)
            if minutes not in source_minutes
            and all(
                (minutes < time.minutes) == (clock.minutes < time.minutes)
                for time in sides[0]
                if time is not clock
            )
        ]
        if substitutes and clock.minutes // 60 not in (0, 1, 12):
            head = head_of(pair.source, clock.start, clock.end)
            place = (clock.start, clock.end, partner.start, partner.end)
            offers.append(Offer(*place, head, "time", ("NUM", "TIME"), tuple(substitutes)))
    return offers


def _others(minutes: int) -> list[int]:
    """Times within three hours, as round as this one; morning, afternoon and evening stay what they are."""
    hours = next(part for part in (range(12), range(12, 18), range(18, 24)) if minutes // 60 in part)
    near = [hour for hour in hours if abs(hour - minutes // 60) <= 3 and hour not in (0, 1, 12)]
    if minutes % 60 == 0:
        return [hour * 60 for hour in near if hour * 60 != minutes]
    return [hour * 60 + minute for hour in near for minute in (15, 30, 45) if hour * 60 + minute != minutes]
