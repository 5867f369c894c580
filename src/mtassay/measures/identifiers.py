"""Checks whether outputs keep names that programs read: options, paths, functions, addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from mtassay.measures.check import CheckContext, FormProblem, Mark, Unit, UnitCheck, mark_all, quoted

_MARKS = re.compile(r"--[a-z]|[a-z][A-Z]|\w_\w|/\w|\\\w|\.[a-z]|\(\)")
_NAME = re.compile(
    r"""
    (?:https?|ftp|mailto|file)://?[^\s<>"']++ | (?<![\w.+-])[\w.+-]{1,64}+@[\w.-]++ | <[^<>]*>
  | \{[^{}\n]{0,80}\} | [%$]\w*+[{(]?\w*+
  | (?P<option>(?<![\w-])--[a-z][a-z0-9]*+(?:-[a-z0-9]++)*+)
  | (?P<path>(?<![\w/.:<%{}$)*~"\\])(?:~|\.{1,2})?/(?:[A-Za-z0-9_.@-]++/)++[A-Za-z0-9_.@-]*[A-Za-z0-9_]
      | (?<!\w)[A-Z]:\\[\w\\.-]*\w)
  | (?P<function>(?<![\w.&])[A-Za-z_][A-Za-z0-9_]++\(\))
  | (?P<file>(?<![\w./*<%{}$-])[A-Za-z0-9_][A-Za-z0-9_-]*+
      \.(?:json|xml|txt|csv|py|js|ts|css|html?|ya?ml|toml|ini|conf|cfg|md|sh|exe|dll|so|zip|pdf|png|jpe?g|svg|log|db|sql)\b(?!\.?\w))
  | (?P<identifier>(?<![\w&%.$\[\\-])(?:[a-z][a-z0-9]*+(?:_[a-z0-9]++)++|[A-Z][A-Z0-9]*+(?:_[A-Z0-9]++)++
      |[a-z]++[A-Z][A-Za-z0-9]++|[A-Z][a-z]++(?:[A-Z][a-z]++)++)(?![\w(=]))
    """,
    re.VERBOSE,
)
_ACCESS_KEY = re.compile(r"(?<!\w)_(?=\w)|\(_\w\)")
_OPTION = re.compile(r"--|\[|(?<![^\s'\"])-\w")
_KINDS = {"option": "option", "path": "path", "function": "function", "file": "file", "identifier": "name"}


def find_identifiers(text: str) -> list[tuple[str, str, int]]:
    """Find the names in order, each with its kind and place.

    >>> [name for _, name, _ in find_identifiers("Run --dry-run on /etc/hosts or config.json with max_size")]
    ['--dry-run', '/etc/hosts', 'config.json', 'max_size']
    """
    return [(match.lastgroup, match[0], match.start()) for match in _NAME.finditer(text) if match.lastgroup]


class Identifiers(UnitCheck):
    """Options, paths, file names, functions and names such as `user_name` that are translated or lost.

    >>> units = [Unit("1", "Benutze --trocken", "Use --dry-run")]
    >>> [alarm.message for alarm in Identifiers().find(units, CheckContext("en", "de"))]
    ["The option '--dry-run' is missing or changed"]
    """

    id = "identifiers"
    group = "form"
    severity = "major"
    about = "options, paths, file names, functions and names of code that are translated or lost"

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        return _problems


def _may_change(kind: str, name: str, source: str, output: str) -> bool:
    """Whether a text only looks like a name: an access key, a variable of a usage line, a key as text."""
    if kind == "path":
        return source.startswith("/") and output.startswith("/") and " " in source  # a menu
    if kind == "file":
        return name == source.strip() or _EXAMPLE.match(name) is not None
    if kind != "identifier":
        return False
    if "_" in name:
        if name.replace("_", "") in output or name.replace("_", " ") in output:
            return True  # an access key, a name in words
        if name.isupper():
            return _OPTION.search(source) is not None or name == source.strip()
        first, _, rest = name.partition("_")
        moved = source.count("_") == 1 == output.count("_") and _ACCESS_KEY.search(output) is not None
        is_access_key = "_" not in rest and (min(len(first), len(rest)) < 3 or moved)
        return is_access_key or name[: len(first) + 2] in output or source.lstrip().startswith("-")
    # A label with few words: TreeMenu root row, BlockSize: %d.
    is_label = name[0].isupper() and len(source.split()) < 4 and source.startswith(name)
    return is_label or name == source.strip(" .:") or name.startswith(("Mc", "Mac"))


_EXAMPLE = re.compile(r"(?:example|sample|text|document|file|name)\.", re.IGNORECASE)


@lru_cache(maxsize=1 << 14)
def _names_in(source: str) -> Sequence[tuple[str, str, int]]:
    return find_identifiers(source) if _MARKS.search(source) else ()


def _problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
    problems = []
    folded = ""
    for kind, name, start in _names_in(source):
        if name in output or _may_change(kind, name, source, output):
            continue
        folded = folded or output.casefold()
        if kind in ("identifier", "file") and name.casefold() in folded:
            continue
        message = f"The {_KINDS[kind]} {quoted(name)} is missing or changed"
        problems.append(FormProblem(message, (Mark("source", start, start + len(name)),)))
    return problems


_URL = re.compile(
    r"(?:(?<![A-Za-z])(?i:https?|ftp|file|mailto|git|ssh)://?(?=\w)|(?<![\w./@])www\.(?=\w))[^\s<>\"'`{}|\\^一-龥，。、；：！？「」『』（）“”„«»’‘]++"
)
_HOST = re.compile(r"\.(?:(?:com|org|net|io|gov|edu|info)\b|(?<=\w\.)[a-z]{2}/)")
_DOMAIN = re.compile(
    r"(?<![\w@./:-])(?:[a-z0-9-]{2,40}\.){1,3}(?:(?:com|org|net|io|gov|edu|info)(?![\w@-]|\.\w)"
    r"(?:/[\w./?=&%#-]*[\w/])?|(?:de|fr|es|it|pt|nl|ch|at|uk|eu|br|pl|cz|ru|jp|cn)/[\w./?=&%#-]*[\w/])"
)
_EMAIL = re.compile(
    r"(?<![\w.+%-])[\w.+-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,24}(?![\w@])"
)
# /de/, de.html, ?hl=de, https://de.example.org: translators link to pages in the readers' language.
_LANGUAGE_PART = re.compile(r"(?<=[/._=-])[a-z]{2}(?:[-_][A-Za-z]{2,4})?(?![A-Za-z])")
_LANGUAGE_HOST = re.compile(r"^\w+://(?:www\.|[a-z]{2}\.)?")


class Urls(UnitCheck):
    """URLs and e-mail addresses.

    >>> units = [Unit("1", "Siehe https://exmaple.org/a.", "See https://example.org/a.")]
    >>> [alarm.message for alarm in Urls().find(units, CheckContext("en", "de"))]
    ["'https://example.org/a' was changed to 'https://exmaple.org/a'"]
    """

    id = "urls"
    group = "form"
    severity = "major"
    about = "URLs and e-mail addresses that are missing, changed or added"

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        return _link_problems


def _may_link(text: str) -> bool:
    is_marked = "@" in text or "://" in text or "www." in text or "mailto:" in text
    return is_marked or _HOST.search(text) is not None


def _link_problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
    if not (_may_link(source) or _may_link(output)):
        return ()
    wanted, given = _addresses(source), _addresses(output)
    spelled, expected = {_folded(url) for url in given}, {_folded(url) for url in wanted}
    missing = [url for url in wanted if _folded(url) not in spelled]
    added = [url for url in given if _folded(url) not in expected]
    problems = []
    for url in missing:
        if url.startswith("https://") and url.replace("https", "http", 1) in added:
            message = f"{quoted(url)} is no longer secure: http"
            problems.append(FormProblem(message, mark_all("source", source, url, most=1)))
        if any(_same_page(url, other) for other in added):
            added = [other for other in added if not _same_page(url, other)]
            continue
        partner = next((other for other in added if ("@" in other) == ("@" in url)), None)
        where = mark_all("source", source, url, most=1)
        if partner:
            added.remove(partner)
            where += mark_all("output", output, partner, most=1)
            problems.append(FormProblem(f"{quoted(url)} was changed to {quoted(partner)}", where))
        else:
            problems.append(FormProblem(f"{quoted(url)} is missing", where))
    problems += [
        FormProblem(f"{quoted(url)} is not in the source", mark_all("output", output, url, most=1))
        for url in added
        if not wanted and " " in source
    ]
    return problems


def _addresses(text: str) -> list[str]:
    urls = [match.rstrip(".,;:!?*_~)]" if "(" not in match else ".,;:!?*_~]") for match in _URL.findall(text)]
    others = [*(_EMAIL.findall(text) if "@" in text else []), *_DOMAIN.findall(text)]
    return list(dict.fromkeys([*urls, *(other for other in others if not any(other in url for url in urls))]))


def _folded(url: str) -> str:
    """Normalise an address: remove case, a final slash, and the scheme before `www`."""
    return re.sub(r"^https?://(?=www\.)", "", url.casefold()).rstrip("/")


def _without_language(url: str) -> str:
    """Return an address without its scheme, a final slash and language codes.

    >>> _without_language("https://www.example.org/en-us/") == _without_language("http://example.org")
    True
    >>> _without_language("https://example.org") == _without_language("https://example.de")
    False
    """
    if "@" in url:
        return url
    host, slash, path = _LANGUAGE_HOST.sub("", url).partition("/")
    return host + re.sub(r"/+", "/", _LANGUAGE_PART.sub("", slash + path)).rstrip("/")


# Codes of languages for which translators put that of theirs; /eu/, /us/ and /uk/ are places.
_LANGUAGES = frozenset(("en", "de", "fr", "es", "it", "pt", "ru", "zh", "ja", "cs", "pl", "nl"))
_PATH_LANGUAGE = re.compile(r"(?<=[^/]/)([a-z]{2})(?=/|$)")


def _same_page(url: str, other: str) -> bool:
    """Whether the other address is the same page in another language, or a page below it."""
    if "://" in url and "://" not in other and not other.startswith("www."):
        return False
    one, two = _without_language(url), _without_language(other)
    places = [
        part for part in _PATH_LANGUAGE.findall(url) if part not in other and not url.count(f"/{part}", 9) > 1
    ]
    if len(url) == len(other) and any(part not in _LANGUAGES for part in places):
        return False
    return one == two or (other.startswith(url) and other != url and url.endswith("/"))
