"""How a chat model is asked for a translation: the prompt, and examples before it.

The default is the prompt for direct translation of Wu, Liu and Yeung 2023 (BTPGBT, Table 3), for any pair.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from mtassay.errors import InputError
from mtassay.languages import Pair
from mtassay.systems.placeholders import LANGUAGES, fill, language_values, names_in

_NAMES = ("text", "context", *LANGUAGES)
_RULER = re.compile(r"^---[ \t]*(?:\n|$)", re.MULTILINE)


class Shot(NamedTuple):
    """One example of a translation."""

    source: str
    target: str


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """Messages with placeholders. `with_context` is added to `system` where a request has context."""

    system: str
    user: str
    with_context: str = ""

    def messages(
        self, text: str, *, pair: Pair, context: str | None, shots: Sequence[Shot] = ()
    ) -> list[dict[str, str]]:
        """The conversation so far; examples are earlier turns of it, without context."""
        values = {**language_values(pair), "context": context or ""}
        system = fill(self.system + (self.with_context if context else ""), {**values, "text": text})
        messages = [{"role": "system", "content": system}] if system else []
        for shot in shots:
            example = fill(self.user, {**values, "text": shot.source, "context": ""})
            messages.append({"role": "user", "content": example})
            messages.append({"role": "assistant", "content": shot.target})
        return [*messages, {"role": "user", "content": fill(self.user, {**values, "text": text})}]


DEFAULT = Prompt(
    system="You are a helpful assistant that translates ${source_name} to ${target_name}.",
    user="${text}",
    with_context=" The text follows this context, which is not to be translated:\n\n${context}",
)


def read_prompt(path: str) -> Prompt:
    """A prompt from a file: all of it is what the user says, or the part before a line `---` the system.

    It must have `${text}`, and may have `${context}`, `${source}`, `${target}`, `${source_name}` and
    `${target_name}`.
    """
    content = _read(path)
    for number, line in enumerate(content.split("\n"), 1):
        for name in names_in(line):
            if name not in _NAMES:
                known = ", ".join(f"${{{known}}}" for known in _NAMES)
                raise InputError(f"there is no ${{{name}}}. Available: {known}.", path=path, line=number)
    parts = _RULER.split(content)
    if len(parts) > 2:
        raise InputError("more than one line '---'. One separates system and user.", path=path)
    prompt = Prompt(system=parts[0].strip() if len(parts) == 2 else "", user=parts[-1].strip())
    if "text" not in names_in(prompt.user):
        raise InputError("the prompt has no ${text}. Put it where the text to translate goes.", path=path)
    return prompt


def read_shots(path: str) -> tuple[Shot, ...]:
    """Examples from a file with a source, a tab and its translation in each line."""
    shots = []
    for number, line in enumerate(_read(path).split("\n"), 1):
        columns = line.split("\t")
        if not line.strip():
            continue
        if len(columns) != 2 or not all(column.strip() for column in columns):
            raise InputError("write source, a tab, and its translation", path=path, line=number)
        shots.append(Shot(*columns))
    if not shots:
        raise InputError("there are no examples in it", path=path)
    return tuple(shots)


def digest(*parts: object) -> str:
    """Twelve digits that change with a prompt or examples, for a signature."""
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8. Save it as UTF-8.", path=path) from None
