"""House style: rules that users set with `--style KEY=VALUE`, and the check that applies them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial

from mtassay.data.errors import UsageError
from mtassay.measures.address_forms import find_address, knows_address
from mtassay.measures.check import CheckContext, FormProblem, Unit, UnitCheck, code_of, mark, mark_all, quoted
from mtassay.measures.consistency import variant_of
from mtassay.measures.punctuation import end_of

STYLE_RULES = """
| rule | values | reports |
|---|---|---|
| `address` | `formal`, `informal` | texts that address the reader in the other way (de, es, fr, pt, ru …) |
| `variant` | `en-GB`, `en-US`, `pt-BR`, `pt-PT`, `zh-Hans`, `zh-Hant` | words of the other variant |
| `quotes` | the opening and the closing mark, `„“`, `«»`, `""` | other quotation marks |
| `apostrophe` | `’` or `'` | the other apostrophe inside words |
| `ellipsis` | `…`, `……` or `...` | the other ones |
| `dash` | `–` or `—` | the other one, and a hyphen between spaces |
| `punctuation-space` | `none`, `space`, `nbsp`, `narrow` | another space before `: ; ! ?` (French) |
| `end-punctuation` | `keep`, `none` | another end than the source has; any full stop at the end |
| `max-length` | `40`, `120%` | texts with more characters, or longer than this share of the source |
| `capitals` | `sentence` | Words In Capitals In The Middle of a text (not in German) |
| `forbidden` | words, separated by commas | these words, in any case |
"""
"""All style rules with their names, values and descriptions."""

_VALUES: Mapping[str, str] = {
    "address": "formal|informal",
    "variant": r"[a-z]{2}-(?:[A-Z]{2}|[A-Z][a-z]{3})",
    "quotes": r".\s?\s?.",
    "apostrophe": "[’']",
    "ellipsis": r"…{1,2}|\.\.\.",
    "dash": "[–—]",
    "punctuation-space": "none|space|nbsp|narrow",
    "end-punctuation": "keep|none",
    "max-length": r"\d{1,6}%?",
    "capitals": "sentence",
    "forbidden": ".+",
}

Rule = Callable[[str, str, str, str], Iterator[FormProblem]]
# In Brazil, nearly everybody is addressed as você.
_NEUTRAL = re.compile(r"vocês?", re.IGNORECASE)


def check_style(style: Mapping[str, str]) -> None:
    """Raise `UsageError` if a rule or its value is unknown.

    >>> check_style({"adress": "formal"})
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: No style rule 'adress'. Available: address, variant, quotes, apostrophe, \
ellipsis, dash, punctuation-space, end-punctuation, max-length, capitals, forbidden.
    """
    for name, value in style.items():
        if name not in _VALUES:
            raise UsageError(f"No style rule {name!r}. Available: {', '.join(_VALUES)}.")
        if not re.fullmatch(_VALUES[name], value):
            raise UsageError(f"Style rule {name} cannot be {value!r}. Values: {_values(name)}.")
        if name == "variant" and variant_of(value) != value:
            raise UsageError(f"Style rule variant cannot be {value!r}. Values: {_values('variant')}.")


def _values(name: str) -> str:
    line = next(line for line in STYLE_RULES.splitlines() if line.startswith(f"| `{name}`"))
    return line.split("|")[2].strip().replace("`", "")


class HouseStyle(UnitCheck):
    """Outputs that break a rule of the house style.

    >>> units = [Unit("1", 'Die Datei "a" fehlt.', "File a is missing.")]
    >>> context = CheckContext("en", "de", style={"quotes": "„“", "max-length": "15"})
    >>> [alarm.message for alarm in HouseStyle().find(units, context)]
    ['Style: quotation marks are „“, not "', 'Style: 20 characters, 15 are allowed']
    """

    id = "style"
    group = "style"
    severity = "minor"
    about = "rules of the house style, given with --style"
    needs = frozenset({"style"})

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        """Return a function for the rules of this run; `UsageError` if a rule is unknown."""
        check_style(context.style)
        rules = [
            partial(rule, value, context.target or "")
            for name, value in context.style.items()
            if (rule := _RULES.get(name)) is not None
        ]

        def problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
            return [problem for rule in rules for problem in rule(source, output)]

        return problems


def _address(value: str, target: str, source: str, output: str) -> Iterator[FormProblem]:
    code, is_neutral = code_of(target), target in ("pt", "pt-BR")
    for item in find_address(output, code) if knows_address(code) else ():
        if item.name != value and not (is_neutral and _NEUTRAL.fullmatch(item.text)):
            message = f"Style: {quoted(item.text)} is {item.name}, the style is {value}"
            yield FormProblem(message, mark("output", item.start, item.end))


# A straight quote in a tag belongs to the tag; after a digit it means an inch or a minute.
_QUOTE = re.compile(r"<[^<>]*>|(?<!\d)[\"“”„«»「」‟]|(?<=[^\W\d_])\"")


def _quotes(value: str, target: str, source: str, output: str) -> Iterator[FormProblem]:
    allowed = {value[0], value[-1]}
    for match in _QUOTE.finditer(output):
        if match[0][0] != "<" and match[0] not in allowed and not (match[0] == '"' and '{"' in source):
            yield FormProblem.at(match, f"Style: quotation marks are {value}, not {match[0]}")
            return


def _replaced(value: str, pattern: str, name: str, output: str) -> Iterator[FormProblem]:
    """Check that a sign is written in one way; the other way has a certain fix."""
    wrong = re.compile(pattern)
    match = wrong.search(output)
    if match:
        message = f"Style: the {name} is {value}, not {match[0].strip()}"
        fix = wrong.sub(lambda found: found[0].replace(found[0].strip(), value), output)
        yield FormProblem.at(match, message, fix=fix)


def _apostrophe(value: str, target: str, source: str, output: str) -> Iterator[FormProblem]:
    other = "'" if value == "’" else "’"
    return _replaced(value, rf"(?<=[^\W\d_]){other}(?=[^\W\d_])", "apostrophe", output)


def _ellipsis(value: str, target: str, source: str, output: str) -> Iterator[FormProblem]:
    others = (r"(?<!\.)\.\.\.(?!\.)", "(?<!…)…(?!…)", "……")
    pattern = "|".join(other for other in others if not re.search(other, value))
    return _replaced(value, pattern, "ellipsis", output)


def _dash(value: str, target: str, source: str, output: str) -> Iterator[FormProblem]:
    other = "—" if value == "–" else "–"
    return _replaced(value, rf"{other}|(?<=[^\W\d_]) (?:-|--) (?=[^\W\d_])", "dash", output)


_SPACED = re.compile(r"(?<=[^\W_])([ \u00a0\u202f]?)[:;!?](?=\s|$)")
_SPACES = {"none": "", "space": " ", "nbsp": "\u00a0", "narrow": "\u202f"}


def _punctuation_space(value: str, target: str, source: str, output: str) -> Iterator[FormProblem]:
    for match in _SPACED.finditer(output):
        if match[1] != _SPACES[value]:
            message = f"Style: before '{match[0][-1]}' comes {'no space' if value == 'none' else value}"
            fix = _SPACED.sub(lambda found: _SPACES[value] + found[0][-1], output)
            yield FormProblem.at(match, message, fix=fix)
            return


def _end_punctuation(value: str, target: str, source: str, output: str) -> Iterator[FormProblem]:
    end = end_of(output)
    where = mark("output", max(len(output.rstrip()) - 1, 0), len(output.rstrip()))
    if value == "none" and end == "period":
        yield FormProblem("Style: no full stop at the end", where)
    elif value == "keep" and end != end_of(source):
        yield FormProblem("Style: the end punctuation is that of the source", where)


def _max_length(value: str, target: str, source: str, output: str) -> Iterator[FormProblem]:
    limit = int(len(source) * int(value[:-1]) / 100) if value.endswith("%") else int(value)
    if len(output) > limit and (source or not value.endswith("%")):
        message = f"Style: {len(output)} characters, {limit} are allowed"
        yield FormProblem(message, mark("output", limit, len(output)), "major")


_TITLE = re.compile(r"(?<=[a-zß-ÿ] )[A-ZÀ-Þ][a-zß-ÿ]{3,}")


def _capitals(value: str, target: str, source: str, output: str) -> Iterator[FormProblem]:
    found = [match for match in _TITLE.finditer(output) if match[0] not in source]
    if code_of(target) not in ("de", "lb", "gsw") and len(found) >= 2:
        where = mark("output", found[0].start(), found[0].end())
        yield FormProblem(f"Style: {quoted(found[0][0])} needs no capital letter", where)


@cache
def _any_of(terms: str) -> re.Pattern[str]:
    each = sorted((term.strip() for term in terms.split(",") if term.strip()), key=len, reverse=True)
    return re.compile("|".join(rf"(?<!\w){re.escape(term)}(?!\w)" for term in each), re.IGNORECASE)


def _forbidden(value: str, target: str, source: str, output: str) -> Iterator[FormProblem]:
    for word in dict.fromkeys(match[0] for match in _any_of(value).finditer(output)):
        yield FormProblem(f"Style: {quoted(word)} is forbidden", mark_all("output", output, word))


# The check `spelling-variant` applies the rule `variant`.
_RULES: Mapping[str, Rule] = {
    "address": _address,
    "quotes": _quotes,
    "apostrophe": _apostrophe,
    "ellipsis": _ellipsis,
    "dash": _dash,
    "punctuation-space": _punctuation_space,
    "end-punctuation": _end_punctuation,
    "max-length": _max_length,
    "capitals": _capitals,
    "forbidden": _forbidden,
}
