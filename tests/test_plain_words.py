"""Everything that a person reads is plain English: none of these mannered phrases is left."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.conftest import PROJECT

INSTEAD = {
    "stands": "is",
    "held against": "compared with",
    "hold against": "compare with",
    "told apart": "significantly different",
    "tell apart": "distinguish",
    "tells apart": "distinguishes",
    "oftener": "more often",
    "hardly": "rarely",
    "likelier": "more likely",
    "surer": "more certain",
    "anew": "again",
    "whoever": "anybody who",
    "whichever": "no matter which",
    "told of": "reported",
    "sought": "wanted",
    "heard": "read",
    "leash": "tied",
    "desk": "page",
    "kin": "similar",
    "dear": "slow, expensive",
    "goes by": "uses",
    "go by": "use",
    "came of": "resulted from",
    "come of": "result from",
    "what blanks part": "what spaces separate",
    "hard to hear": "seems to be untranslated",
    "at hand": "available",
    "and the like": "and similar",
    "for want of": "without",
    "for lack of": "without",
    "thus": "so",
    "lest": "so that not",
    "hence": "so",
    "albeit": "although",
    "thereof": "of it",
    "therein": "in it",
    "whence": "from where",
    "a line each": "one per line",
    "dealt out": "assigned",
    "looks on": "watches",
    "put right": "corrected",
    "sees to it": "makes sure",
    "mend": "fix",
    "mended": "fixed",
    "drips": "sends slowly",
    "in vain": "without effect",
    "but for": "except for",
    "that is none": "that is not one",
    "be it": "whether it is",
    "whilst": "while",
    "amongst": "among",
    "befall": "happen to",
    "ere": "before",
    "in the manner of": "like",
}
"""What we do not write, and what we write instead."""

_ANY = "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in INSTEAD)
WORD = re.compile(rf"(?<![\w-])({_ANY})(?![\w-])", re.IGNORECASE)
DATA = {
    "src/mtassay/data/languages.py": "names of languages",
    "src/mtassay/measures/interface_checks.py": "words that translators leave",
    "src/mtassay/measures/conduct.py": "what language models write",
    "src/mtassay/measures/polarity.py": "words that deny",
    "src/mtassay/measures/name_check.py": "names of places",
    "src/mtassay/methods/invariance/variant_places.py": "fixed phrases of English",
    "src/mtassay/measures/llm_prompts.py": "what models are told: another wording is another judge",
    "src/mtassay/methods/behavior/infill_prompts.py": "what models are told",
    "packs/en/src/mtassay_en/word_context.py": "words of English",
}
"""Files in which such a word is data, and why."""


def texts() -> Iterator[tuple[str, str]]:
    """The files that people read, or that print what they read."""
    listed = subprocess.run(
        ["git", "ls-files", "src", "packs", "docs", "README.md"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if name.endswith((".py", ".md", ".html")) and "/suites/" not in name:
            yield name, (PROJECT / name).read_text(encoding="utf-8")


def _instead(found: str) -> str:
    return INSTEAD[" ".join(found.lower().split())]


def test_the_list_is_long_enough() -> None:
    assert len(INSTEAD) >= 40


def test_no_mannered_phrase_is_left() -> None:
    if not (PROJECT / ".git").exists():
        pytest.skip("files are listed by git")
    found = [
        f"{name}:{text[: match.start()].count(chr(10)) + 1}: '{match[0]}'; write: {_instead(match[0])}"
        for name, text in texts()
        if name not in DATA
        for match in WORD.finditer(text)
    ]
    assert not found, "\n".join(found)
