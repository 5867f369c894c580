"""Addresses, placeholders and tags: what is recognised, and what counts as carried over."""

from __future__ import annotations

import pytest

from tests.checks.build import alarms


@pytest.mark.parametrize(
    ("check", "text", "is_carried"),
    [
        ("urls", "Siehe https://a.example/b?c=d#e.", True),
        ("urls", "(www.a.example)", True),
        ("urls", "见https://a.example/x。然后", True),
        ("urls", "<https://a.example>", True),
        ("urls", "Mail: jane.doe+x@mail.a.example!", True),
        ("urls", "@handle, 3 @ 5, http://", False),
        *(
            ("placeholders", f"Wir sehen {item} heute.", True)
            for item in ("{0}", "{name}", "${HOME}", "{{x}}")
        ),
        *(
            ("placeholders", f"Wir sehen {item} heute.", True)
            for item in ("%s", "%d", "%1$s", "%(n)d", "%.2f", "%@")
        ),
        *(("placeholders", f"Wir sehen {item} heute.", True) for item in ("#NAME#", "[NAME]", "[PERSON7]")),
        ("placeholders", "100% sicher, 100%ig, 5 %", False),
        ("placeholders", "{Ein ganzer Satz, in Klammern.} [sic] [1] #hashtag", False),
        ("tags", "<b>a</b>", True),
        ("tags", '<g id="1">a</g>', True),
        ("tags", "a < b > c, <3, <me@a.example>, 1<2", False),
    ],
)
def test_what_must_be_carried_over_is_known(check: str, text: str, is_carried: bool) -> None:
    assert bool(alarms(check, text, "Nichts davon ist da.")) is is_carried
    assert alarms(check, text, text) == []


@pytest.mark.parametrize(
    ("check", "source", "output", "is_wrong"),
    [
        ("urls", "a http://www.x.example/ b", "b www.x.example a", False),
        ("urls", "a http://x.example b", "b http://y.example a", True),
        ("urls", "a http://x.example b", "b http: //x.example a", True),
        ("placeholders", "{a} {a} {b}", "{b} {a}", True),
        ("placeholders", "{{ a }}", "{{a}}", False),
        ("placeholders", "#NAME#", "#NAME #", True),
        ("tags", "<b>x</b>", "x", True),
        ("tags", "<b>x</b>", "<B>x</B>", False),
        ("tags", '<g id="1">x</g>', '<g id="2">x</g>', True),
    ],
)
def test_items_count_as_often_as_they_occur(check: str, source: str, output: str, is_wrong: bool) -> None:
    assert bool(alarms(check, source, output, source)) is is_wrong
