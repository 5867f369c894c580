"""Checks of markup: HTML and XML tags, entities, Markdown."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from html.entities import html5
from itertools import pairwise
from typing import NamedTuple

from mtassay.measures.check import (
    CheckContext,
    FormProblem,
    Mark,
    Unit,
    UnitCheck,
    mark,
    mark_all,
    quoted,
    times,
    words,
)
from mtassay.measures.message_format import is_message
from mtassay.measures.talk import small_words

_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*+|\d++)((?:\s[^<>]*+)?)>|<([A-Za-z][\w:.-]*+|\d++)/>")
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]++)\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s"'>]++)""")
_HTML = words(small_words("markup")["html"])
_STYLES = words("b i u em strong tt code bold italic")
_VOID = words("br hr img wbr x bx ex ph")
# Attributes that people read or that depend on the language; programs read all others.
_TRANSLATABLE = words(small_words("markup")["translatable"])


class _Tag(NamedTuple):
    closing: bool
    name: str
    attributes: str
    alone: bool
    text: str
    start: int
    end: int

    @property
    def shown(self) -> str:
        """The tag without its attributes."""
        return f"</{self.name}>" if self.closing else f"<{self.name}/>" if self.alone else f"<{self.name}>"


def _tags(text: str) -> list[_Tag]:
    tags = []
    for match in _TAG.finditer(text):
        name = match[2] or match[4]
        attributes = match[3] or ""
        alone = bool(match[4]) or attributes.endswith("/") or name.lower() in _VOID
        tags.append(_Tag(bool(match[1]), name, attributes, alone, match[0], match.start(), match.end()))
    return tags


def _real_tags(tags: Sequence[_Tag]) -> list[_Tag]:
    """Find tags that are closed somewhere, known, or have attributes, unlike `<file>` in a command line."""
    closed = {tag.name for tag in tags if tag.closing}
    return [
        tag
        for tag in tags
        if tag.name in closed or tag.name.lower() in _HTML or tag.alone or "=" in tag.attributes
    ]


class Tags(UnitCheck):
    """HTML and XML tags that are not as often as in the source, badly nested, or have other attributes.

    >>> units = [Unit("1", "Klicken Sie <b>hier<b>", "Click <b>here</b>")]
    >>> [alarm.message for alarm in Tags().find(units, CheckContext("en", "de"))]
    ['</b> is missing', '<b> occurs 2 times, in the source once']
    """

    id = "tags"
    signs = "<["
    group = "form"
    severity = "critical"
    about = "HTML and XML tags that are missing, added, wrongly nested, or have other attributes"

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        return _tag_problems


def _tag_problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
    if "[/" in source and (problems := _bbcode_problems(source, output)):
        return problems
    if "<" not in source and "<" not in output:
        return ()
    expected = _real_tags(_tags(source))
    # In the output, a name counts if the source has it or it certainly is a tag.
    names = {tag.name.lower() for tag in expected}
    everything = _tags(output)
    found = [tag for tag in everything if tag.name.lower() in names]
    if expected:
        found = sorted({*found, *_real_tags(everything)}, key=lambda tag: tag.start)
    else:
        found = [tag for tag in _real_tags(everything) if tag.name.lower() in _HTML]
    if not expected and not found:
        return ()
    if unit.facts.get("plural") in ("zero", "one", "two") and not found:
        return ()
    if is_message(source):
        # A language with more plural forms repeats the tags of a branch.
        expected = list({(_key(tag), tag.attributes): tag for tag in expected}.values())
        found = list({(_key(tag), tag.attributes): tag for tag in found}.values())
    if _WIDE_LETTER.search(output) and any(tag.name in _SLANTED for tag in expected):
        # Chinese, Japanese and Korean have no italics, and use bold instead.
        expected, found = (
            [tag._replace(name="b") if tag.name in _SLANTED else tag for tag in own]
            for own in (expected, found)
        )
    return [*_compare_tags(expected, found, source, output)]


_SLANTED = words("i em italic b strong bold")
_WIDE_LETTER = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")


_BBCODE = re.compile(r"\[/?[a-z]{1,10}(?:=[^\[\]\n]{0,200})?\]")


def _bbcode_problems(source: str, output: str) -> list[FormProblem]:
    """Check tags in square brackets, as in forums and games: [b]…[/b], [url=…]."""
    wanted, given = Counter(_BBCODE.findall(source)), Counter(_BBCODE.findall(output))
    missing = [FormProblem(f"{tag} is missing", mark_all("source", source, tag)) for tag in wanted - given]
    return missing or [
        FormProblem(f"{tag} is not in the source", mark_all("output", output, tag)) for tag in given - wanted
    ]


def _key(tag: _Tag) -> str:
    name = tag.name.lower() if tag.name.lower() in _HTML else tag.name
    return ("/" if tag.closing else "") + name


def _compare_tags(expected: list[_Tag], found: list[_Tag], source: str, output: str) -> Iterator[FormProblem]:
    wanted, given = Counter(map(_key, expected)), Counter(map(_key, found))
    added = [tag for tag in found if _key(tag) not in wanted]
    for tag in {_key(tag): tag for tag in expected if _key(tag) not in given}.values():
        where = Mark("source", tag.start, tag.end)
        partner = next((other for other in added if other.closing == tag.closing), None)
        name = re.escape(tag.name)
        pattern = rf"<\s*/\s*{name}\s*>?" if tag.closing else rf"<\s+{name}\b[^<>]*>?|<{name}\b(?![^<>]*>)"
        broken = re.search(pattern, output, re.IGNORECASE)
        if partner:
            added.remove(partner)
            place = Mark("output", partner.start, partner.end)
            styles = tag.name in _STYLES and partner.name in _STYLES
            message = f"{tag.shown} was changed to {partner.shown}"
            yield FormProblem(message, (where, place), "minor" if styles else None)
        elif broken and broken[0] not in {other.text for other in found}:
            place = Mark("output", broken.start(), broken.end())
            yield FormProblem(f"{tag.shown} is broken: {quoted(broken[0])}", (where, place))
        else:
            yield FormProblem(f"{tag.shown} is missing", (where,))
    for tag in added:
        yield FormProblem(f"{tag.shown} is not in the source", mark("output", tag.start, tag.end))
    for key in wanted:
        if given[key] and given[key] != wanted[key]:
            shown = next(tag.shown for tag in expected if _key(tag) == key)
            marks = tuple(Mark("output", tag.start, tag.end) for tag in found if _key(tag) == key)
            message = f"{shown} occurs {times(given[key])}, in the source {times(wanted[key])}"
            yield FormProblem(message, marks, None if not shown.startswith("<br") else "minor")
    if wanted == given:
        overlap = _overlap(found)
        if overlap and not _overlap(expected):
            yield FormProblem(
                f"{overlap.shown} is in the wrong place", mark("output", overlap.start, overlap.end)
            )
        yield from _compare_attributes(expected, found)
        closed = {tag.name for tag in expected if tag.text.endswith("/>")} - _HTML
        for tag in found:
            if tag.name in closed and not tag.closing and not tag.text.endswith("/>"):
                yield FormProblem(f"{tag.shown} is not closed", mark("output", tag.start, tag.end))
        yield from _swapped_elements(expected, found, source)
        yield from _empty_elements(expected, found, source, output)
        yield from _changed_code(source, output)


# Words that join two things in an order that a translation keeps.
_JOINED = re.compile(
    r"\s*(?:,|/|\||&|,? ?\b(?:and|or|und|oder|et|ou|y|o|e)\b)(?: (?:the|our|a|an|die|le|la))?\s*"
)


def _swapped_elements(expected: Sequence[_Tag], found: Sequence[_Tag], source: str) -> Iterator[FormProblem]:
    """Numbered elements in another order, although the source only lists them: <0>a</0> and <1>b</1>."""
    for one, two in pairwise(expected):
        if not (one.closing and one.name.isdigit() and two.name.isdigit() and not two.closing):
            continue
        places = {(tag.name, tag.closing): tag for tag in found}
        first, second = places.get((one.name, True)), places.get((two.name, False))
        if first and second and second.start < first.start and _JOINED.fullmatch(source[one.end : two.start]):
            message = f"<{one.name}> and <{two.name}> changed places"
            yield FormProblem(message, mark("output", second.start, second.end))


def _overlap(tags: Sequence[_Tag]) -> _Tag | None:
    """The first closing tag that does not close the innermost open one."""
    opened: list[str] = []
    for tag in tags:
        if tag.closing:
            if not opened or opened.pop() != tag.name:
                return tag
        elif not tag.alone:
            opened.append(tag.name)
    return None


def _compare_attributes(expected: Sequence[_Tag], found: Sequence[_Tag]) -> Iterator[FormProblem]:
    if {tag.attributes.strip(" /") for tag in expected} == {tag.attributes.strip(" /") for tag in found}:
        return
    wanted, given = _attributes(expected), _attributes(found)
    missing = list((Counter(wanted) - Counter(given)).elements())
    added = list((Counter(given) - Counter(wanted)).elements())
    for name, attribute, value in missing:
        partner = next((item for item in added if item[:2] == (name, attribute)), None)
        where = next(Mark("source", t.start, t.end) for t in expected if t.name == name and value in t.text)
        if partner:
            added.remove(partner)
            tag = next(tag for tag in found if tag.name == name and partner[2] in tag.text)
            message = f"{attribute} of <{name}> was changed from {quoted(value)} to {quoted(partner[2])}"
            yield FormProblem(message, (where, Mark("output", tag.start, tag.end)), "major")
        else:
            yield FormProblem(f"<{name}> has lost {attribute}={quoted(value)}", (where,), "major")
    for name, attribute, value in added:
        tag = next(tag for tag in found if tag.name == name and value in tag.text)
        message = f"{attribute}={quoted(value)} of <{name}> is not in the source"
        yield FormProblem(message, mark("output", tag.start, tag.end), "major")


def _attributes(tags: Sequence[_Tag]) -> list[tuple[str, str, str]]:
    return [
        (tag.name, name, value.strip("\"'"))
        for tag in tags
        if "=" in tag.attributes
        for name, value in _ATTRIBUTE.findall(tag.attributes)
        if name.lower() not in _TRANSLATABLE and not name.lower().startswith("aria-")
    ]


def _empty_elements(
    expected: Sequence[_Tag], found: Sequence[_Tag], source: str, output: str
) -> Iterator[FormProblem]:
    before = {tag.name for tag in _empties(expected, source)}
    for tag in _empties(found, output):
        if tag.name not in before:
            yield FormProblem(
                f"Nothing is left inside <{tag.name}>", mark("output", tag.start, tag.end), "major"
            )


_CODE_ELEMENT = re.compile(r"<(code|pre|samp)(?:\s[^<>]*)?>([^<>]{1,300})</\1>")


def _changed_code(source: str, output: str) -> Iterator[FormProblem]:
    if "<code" not in source and "<pre" not in source and "<samp" not in source:
        return
    wanted = Counter(match[2].strip() for match in _CODE_ELEMENT.finditer(source))
    given = Counter(match[2].strip() for match in _CODE_ELEMENT.finditer(output))
    for before, after in zip((wanted - given).elements(), (given - wanted).elements(), strict=False):
        where = (*mark_all("source", source, before, most=1), *mark_all("output", output, after, most=1))
        yield FormProblem(f"The code {quoted(before)} was changed to {quoted(after)}", where, "major")


def _empties(tags: Sequence[_Tag], text: str) -> list[_Tag]:
    return [
        one
        for one, two in pairwise(tags)
        if not one.closing
        and not one.alone
        and two.closing
        and two.name == one.name
        and not text[one.end : two.start].strip()
    ]


_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,24}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_BROKEN_ENTITY = re.compile(
    r"&\s(?:amp|lt|gt|quot|apos|nbsp|#\d{2,5});|&(?:amp|lt|gt|quot|apos|nbsp|hellip|#\d{2,5})(?:\s;|(?![\w;=]))"
    r"|&amp;(?:amp|lt|gt|quot|nbsp|apos|#\d{2,5});"
)
_ESCAPED = re.compile(
    r"&(?:quot|apos|amp|lt|gt|nbsp|#\d{2,5}|#x[0-9a-fA-F]{2,5}|[aeiouAEIOUcnCN](?:acute|grave|uml|circ|tilde|cedil));"
)
_RAW = {"&amp;": "&", "&lt;": "<", "&gt;": ">"}


class Entities(UnitCheck):
    """Character entities such as `&amp;`.

    >>> units = [Unit("1", "Suche & finde", "Search &amp; find"), Unit("2", "A &amp ;B", "A &amp; B")]
    >>> [alarm.message for alarm in Entities().find(units, CheckContext("en", "de"))]
    ['& must be written &amp;, as in the source', "The entity '&amp ;' is broken"]
    """

    id = "entities"
    signs = "&"
    group = "form"
    severity = "major"
    about = "character entities such as &amp; that are broken, unknown, escaped twice, or lost"

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        return _entity_problems


def _entity_problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
    if "&" not in source and "&" not in output:
        return ()
    expected = _ENTITY.findall(source)
    found = _ENTITY.findall(output)
    if not expected and not found:
        return ()
    if not expected and (match := _ESCAPED.search(output)):
        return [FormProblem.at(match, f"{quoted(match[0])} is escaped", "minor", html.unescape(output))]
    problems: list[FormProblem] = []
    if expected:
        usual = _BROKEN_ENTITY.findall(source)
        for match in _BROKEN_ENTITY.finditer(output):
            if match[0] not in usual:
                message = f"The entity {quoted(match[0])} is broken"
                if match[0].startswith("&amp;"):
                    message = f"{quoted(match[0])} is escaped twice"
                problems.append(FormProblem.at(match, message))
    for entity in dict.fromkeys(found):
        if entity[1] != "#" and entity[1:] not in html5 and entity not in expected:
            problems.append(FormProblem(f"There is no entity {entity}", mark_all("output", output, entity)))
    if problems:
        return problems
    for entity, raw in _RAW.items():
        if entity in expected and entity not in found:
            if raw in (_ENTITY.sub("", output) if raw == "&" else _TAG.sub("", output)):
                message = f"{raw} must be written {entity}, as in the source"
                problems.append(FormProblem(message, mark_all("output", output, raw, most=1)))
            elif raw != "&":
                problems.append(FormProblem(f"{entity} is missing", mark_all("source", source, entity)))
    for entity in dict.fromkeys(expected):
        if entity not in found and (bare := re.search(rf"(?<![\w&]){re.escape(entity[1:])}", output)):
            problems.append(FormProblem.at(bare, f"{entity} has lost its &"))
    return problems


_CODE = re.compile(r"(?<![`A-Za-z0-9_\\])(`{1,3})(?![`\s])([^`\n]{1,200}?)(?<!\s)\1(?!`)")
_BLOCK = re.compile(r"^```[^\n`]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^\s{0,3}```", re.MULTILINE)
_STRONG = re.compile(r"(?<![\w*\\])\*\*(?=[^\s*])|(?<=[^\s*])\*\*(?![\w*])|(?<=[^\s*])\*\*(?!\*)")
_LINK = re.compile(r"(!?)\[([^\[\]\n]{0,300})\]\(([^()\s]{1,500}(?:\([^()\s]{0,80}\))?)(?:\s\"[^\"\n]*\")?\)")
_EMPHASIS = re.compile(r"(?<![\w*/.\\])\*(?=[^\W_])[\w -]{1,60}\b\*(?![\w*/]|\.\w)")
_HEADING = re.compile(r"^(#{1,6})\s", re.MULTILINE)
_ITEM = re.compile(r"^\s{0,8}(?:[-*+•]|\d{1,3}[.)])\s", re.MULTILINE)


class Markdown(UnitCheck):
    """Code spans, links, emphasis, headings and lists of Markdown.

    >>> units = [Unit("1", "Führe `installiere` aus", "Run `install` now")]
    >>> [alarm.message for alarm in Markdown().find(units, CheckContext("en", "de"))]
    ['The code `install` was changed to `installiere`']
    """

    id = "markdown"
    signs = "\n`*]#>|~"
    group = "form"
    severity = "major"
    about = "code, links, emphasis, headings or list items of Markdown that are lost or changed"

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Iterable[FormProblem]]:
        return _markdown_problems


def _markdown_problems(source: str, output: str, unit: Unit) -> Iterator[FormProblem]:
    if is_message(source):
        return  # Other plural forms repeat the content of a branch.
    has_lines = "\n" in source
    if not (
        has_lines
        or "`" in source
        or "*" in source
        or "](" in source
        or source[0] in "#>"
        or "|" in source
        or "~~" in source
    ):
        return
    # `this' is an older form of quotation, not code.
    if "`" in source and "'" not in source:
        yield from _code_problems(source, output)
    if "](" in source:
        wanted, given = _LINK.findall(source), _LINK.findall(output)
        if "![" in source and "![" not in output:
            yield FormProblem("An image became a link: ! is missing", mark_all("source", source, "!["))
        if len(wanted) != len(given):
            message = f"{_links(len(given))} in Markdown, in the source {_links(len(wanted))}"
            yield FormProblem(message, mark_all("source", source, "]("))
        else:
            lost = list((Counter(link[2] for link in wanted) - Counter(link[2] for link in given)).elements())
            new = list((Counter(link[2] for link in given) - Counter(link[2] for link in wanted)).elements())
            for before, after in zip(lost, new, strict=True):
                message = f"The link {quoted(before)} was changed to {quoted(after)}"
                yield FormProblem(message, mark_all("output", output, after))
            yield from [
                FormProblem("A link has no text", mark_all("output", output, f"]({link[2]})"))
                for link in given
                if not link[1].strip() and not link[0] and all(other[1].strip() for other in wanted)
            ]
    if "**" in source:
        marks, left = len(_STRONG.findall(source)), output.count("**")
        if marks and marks % 2 == 0 and marks != left:
            message = f"{left} of {marks} marks ** for bold text" if left < marks else "Marks ** are added"
            yield FormProblem(message, mark_all("source", source, "**"), "minor" if left % 2 == 0 else None)
    elif (
        "*" in source and (output.count("*") % 2 or "*" not in output) and (match := _EMPHASIS.search(source))
    ):
        where = mark("source", match.start(), match.end())
        yield FormProblem(f"{match[0]} is no longer emphasised", where, "minor")
    if "#" in source:
        headings, given_headings = _HEADING.findall(source), _HEADING.findall(output)
        if headings != given_headings and (headings and (len(headings) > 1 or source.startswith("#"))):
            yield FormProblem("The headings (#) are not those of the source", mark_all("source", source, "#"))
    # Vue separates plural forms by |; a context before a text has no space beside it: Menu|Open.
    for sign in ("~~", "|") if unit.facts.get("syntax") != "vue" and _BAR.search(source) else ("~~",):
        before, after = source.count(sign), output.count(sign)
        if before and before != after:
            message = f"{sign} occurs {times(after)}, in the source {times(before)}"
            yield FormProblem(message, mark_all("source", source, sign), "minor")
    if source[0] == ">" and source[1:2] == " " and not output.startswith(">"):
        yield FormProblem("> at the beginning is missing", mark("source", 0, 1), "minor")
    if not has_lines:
        return
    items, given_items = len(_ITEM.findall(source)), len(_ITEM.findall(output))
    if items > 1 and items != given_items:
        yield FormProblem(f"{given_items} list items, in the source {items}", (), "minor")


_BAR = re.compile(r"(?:^|\s)\|(?:\s|$)|\|.*\|")


def _links(n: int) -> str:
    return "no link" if n == 0 else "1 link" if n == 1 else f"{n} links"


def _code_problems(source: str, output: str) -> Iterator[FormProblem]:
    if len(_FENCE.findall(source)) != len(_FENCE.findall(output)):
        yield FormProblem(
            "A fence ``` of a code block is missing or added", mark_all("source", source, "```")
        )
        return
    blocks, given_blocks = _BLOCK.findall(source), _BLOCK.findall(output)
    if blocks != given_blocks:
        yield FormProblem("The text of a code block was changed", mark_all("source", source, "```"), "minor")
        return
    wanted = Counter(match[0] for match in _CODE.finditer(source))
    if not wanted:
        return
    given = Counter(match[0] for match in _CODE.finditer(output))
    missing, added = list((wanted - given).elements()), list((given - wanted).elements())
    for code in missing:
        if added:
            other = added.pop(0)
            where = (*mark_all("source", source, code, most=1), *mark_all("output", output, other, most=1))
            yield FormProblem(f"The code {code} was changed to {other}", where)
        elif code.strip("`") in output:
            yield FormProblem(f"{code} is no longer marked as code", mark_all("source", source, code))
        else:
            yield FormProblem(f"The code {code} is missing", mark_all("source", source, code))
    for code in added:
        yield FormProblem(f"The code {code} is not in the source", mark_all("output", output, code))
