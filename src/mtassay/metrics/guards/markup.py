"""Finds what every translation must carry over unchanged: addresses, placeholders and tags.

Every pattern runs in time linear in the text: repetitions are possessive, bounded, or start only where
a word starts.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar

from mtassay.core import Segment

# Only ASCII, so that an address ends where unspaced Chinese or Japanese text goes on.
_URL = re.compile(r"(?<![A-Za-z0-9])(?i:https?://|ftp://|www\.)[A-Za-z0-9][!#-;=?-Z^_a-z~\[\]]*+")
_EMAIL = re.compile(r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]++@[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)++")
_PLACEHOLDER = re.compile(
    r"\$?\{\{?\s?(?:[A-Za-z_][\w.:-]{0,60}|[0-9]{1,3})\s?\}\}?"  # {name} {0} {{name}} ${NAME}
    r"|(?<![\w%])%(?:\(\w{1,60}\)|[0-9]{1,2}\$)?[-+#0]?[0-9]{0,3}(?:\.[0-9]{1,3})?(?:l?[dux]|[sif@])(?![\w%])"
    r"|#[A-Z][A-Z0-9_]{1,60}#"  # #NAME#, as in customer-service data
    r"|\[[A-Z][A-Z0-9_]{2,60}\]"  # [NAME]
)
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]{0,40})((?:\s[^<>]{0,400})?)/?>")
_TAG_ID = re.compile(r"""\b(?:id|rid|x)\s{0,3}=\s{0,3}["']?([^"'\s/>]{1,60})""")
# A segment with more kinds of items is no sentence; the bound keeps look-up linear.
_MOST_ITEMS = 200


class _Carried(ABC):
    """Items that each source, and each of its references, has; counted as often as they occur."""

    marks: ClassVar[tuple[str, ...]]
    """A source without any of these has no item, which is cheap to see."""
    noun: ClassVar[tuple[str, str]]

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._wanted: list[tuple[int, Counter[str]]] = []
        for index, segment in enumerate(segments):
            source = segment.source
            if source is None or not _has_any(self.marks, source):
                continue
            wanted = Counter(dict(Counter(self.items(source)).most_common(_MOST_ITEMS)))
            for reference in segment.references:
                if reference is not None and wanted:
                    wanted &= self._found(reference, wanted)
            if wanted:
                self._wanted.append((index, wanted))

    def hits(self, outputs: Sequence[str]) -> dict[int, dict[str, Any]]:
        """Evidence by segment index."""
        hits = {}
        for index, wanted in self._wanted:
            missing = wanted - self._found(outputs[index], wanted)
            if missing:
                items = sorted(missing.elements())
                noun = self.noun[len(items) > 1]
                hits[index] = {"why": f"{noun} missing: {', '.join(items)}", "missing": items}
        return hits

    @abstractmethod
    def items(self, text: str) -> list[str]:
        """All items of a text, each in one spelling."""

    def _found(self, text: str, wanted: Counter[str]) -> Counter[str]:
        """How often the text has the wanted items; nearly always it has them letter by letter."""
        if all(text.count(item) >= n for item, n in wanted.items()):
            return wanted
        return self.found(text, wanted)

    def found(self, text: str, wanted: Counter[str]) -> Counter[str]:
        """How often the text has the wanted items, in any spelling."""
        return Counter(self.items(text))


class Urls(_Carried):
    """URLs and e-mail addresses; one occurrence is enough."""

    marks = ("://", "www.", "WWW.", "@")
    noun = ("address", "addresses")

    def items(self, text: str) -> list[str]:
        """URLs and e-mail addresses without closing punctuation, in order.

        >>> Urls([]).items("Siehe https://a.example/b_(c)?x=1, (www.a.example) oder info@a.example.")
        ['https://a.example/b_(c)?x=1', 'www.a.example', 'info@a.example']
        """
        urls = [_without_end(match) for match in _URL.findall(text)]
        return list(dict.fromkeys([*urls, *_EMAIL.findall(text)]))

    def found(self, text: str, wanted: Counter[str]) -> Counter[str]:
        """An address is found wherever its letters stand; before `www.` it needs no `http://`."""
        folded = text.casefold()
        return Counter([item for item in wanted if _core(item) in folded])


class Placeholders(_Carried):
    """What a program fills in later: `{name}`, `%s`, `%(name)s`, `${NAME}`, `#NAME#`, `[NAME]`."""

    marks = ("{", "%", "#", "[")
    noun = ("placeholder", "placeholders")

    def items(self, text: str) -> list[str]:
        """Placeholders in order.

        >>> Placeholders([]).items("{0} of {{ total }}: %s, %1$d and %(name)s in ${HOME}, 100%ig, [NAME]")
        ['{0}', '{{total}}', '%s', '%1$d', '%(name)s', '${HOME}', '[NAME]']
        """
        return [re.sub(r"\s", "", match) for match in _PLACEHOLDER.findall(_URL.sub(" ", text))]


class Tags(_Carried):
    """XML and HTML tags; name, direction and id count, other attributes may be translated."""

    marks = ("<",)
    noun = ("tag", "tags")

    def items(self, text: str) -> list[str]:
        """Tags in order; `<br>` and `<br/>` are the same.

        >>> Tags([]).items('<p class="x">a <G id="1">b</G> <br /> 3 <4> x</p>')
        ['<p>', '<g id=1>', '</g>', '<br>', '</p>']
        """
        items = []
        for closing, name, attributes in _TAG.findall(text):
            identity = _TAG_ID.search(attributes) if attributes else None
            shown = f" id={identity[1]}" if identity else ""
            items.append(f"<{closing}{name.lower()}{shown}>")
        return items


def _has_any(marks: tuple[str, ...], text: str) -> bool:
    # A plain loop: this runs on every source.
    for mark in marks:  # noqa: SIM110
        if mark in text:
            return True
    return False


def _core(url: str) -> str:
    url = url.casefold().rstrip("/")
    return re.sub(r"^https?://(?=www\.)", "", url)


def _without_end(url: str) -> str:
    """Leave out what closes the sentence, or a bracket that opened before the address."""
    return url.rstrip(".,;:!?'*_~" if "(" in url or "[" in url else ".,;:!?'*_~)]")
