"""Addresses, placeholders and tags: what is recognised, and what counts as carried over."""

from __future__ import annotations

import pytest

from mtassay.data.nouns import Segment
from mtassay.measures.guards import Placeholders, Tags, Urls


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Siehe https://a.example/b?c=d#e.", ["https://a.example/b?c=d#e"]),
        ("(www.a.example), HTTP://B.example/", ["www.a.example", "HTTP://B.example/"]),
        ("见https://a.example/x。然后", ["https://a.example/x"]),
        ("<https://a.example>", ["https://a.example"]),
        ("Mail: jane.doe+x@mail.a.example!", ["jane.doe+x@mail.a.example"]),
        ("@handle, 3 @ 5, http://", []),
    ],
)
def test_addresses_end_where_the_sentence_goes_on(text: str, items: list[str]) -> None:
    assert Urls([]).items(text) == items


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("{0} {name} {user.name} ${HOME}", ["{0}", "{name}", "{user.name}", "${HOME}"]),
        ("{{x}} {{ y }}", ["{{x}}", "{{y}}"]),
        ("%s %d %1$s %(n)d %.2f %-5d %@", ["%s", "%d", "%1$s", "%(n)d", "%.2f", "%-5d", "%@"]),
        ("#NAME# [NAME] [PERSON7]", ["#NAME#", "[NAME]", "[PERSON7]"]),
        ("100% sicher, 100%ig, 5 %, %some, %20", []),
        ("{} {Ein ganzer Satz, in Klammern.} [sic] [1] #hashtag", []),
        ("https://a.example/%s/{id}", ["{id}"]),
    ],
)
def test_placeholders_of_the_usual_programs_are_known(text: str, items: list[str]) -> None:
    assert Placeholders([]).items(text) == items


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("<b>a</b> <br/> <br /> <BR>", ["<b>", "</b>", "<br>", "<br>", "<br>"]),
        ("<g id=\"1\">a</g> <x id='2'/>", ["<g id=1>", "</g>", "<x id=2>"]),
        ('<a href="https://a.example" title="Titel">x</a>', ["<a>", "</a>"]),
        ("a < b > c, <3, <me@a.example>, 1<2", []),
    ],
)
def test_tags_are_known_by_name_and_id(text: str, items: list[str]) -> None:
    assert Tags([]).items(text) == items


@pytest.mark.parametrize(
    ("check", "source", "output", "missing"),
    [
        (Urls, "a http://www.x.example/ b", "b www.x.example a", []),
        (Urls, "a http://x.example b", "b http://y.example a", ["http://x.example"]),
        (Urls, "a http://x.example b", "b http: //x.example a", ["http://x.example"]),
        (Placeholders, "{a} {a} {b}", "{b} {a}", ["{a}"]),
        (Placeholders, "{{ a }}", "{{a}}", []),
        (Placeholders, "#NAME#", "#NAME #", ["#NAME#"]),
        (Tags, "<b>x</b>", "x", ["</b>", "<b>"]),
        (Tags, "<b>x</b>", "<B>x</B>", []),
        (Tags, '<g id="1">x</g>', '<g id="2">x</g>', ["<g id=1>"]),
    ],
)
def test_items_count_as_often_as_they_occur(
    check: type[Urls | Placeholders | Tags], source: str, output: str, missing: list[str]
) -> None:
    hits = check([Segment("1", source, (source,))]).hits([output])
    assert hits.get(0, {"missing": []})["missing"] == missing
    if missing:
        assert hits[0]["why"].endswith(f"missing: {', '.join(missing)}")
