"""Chooses who fills masked pairs: `lexicon`, `llm:SYSTEM` or `models:SOURCE_MODEL,TARGET_MODEL`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mtassay.errors import UsageError
from mtassay.languages import Pair, parse_pair
from mtassay.methods.behavior.infill.base import Infiller
from mtassay.methods.behavior.infill.conversations import Ask, ask_in_turn
from mtassay.methods.behavior.infill.llm import LLMInfiller

__all__ = ["WAYS", "never_edited", "open_infiller"]

WAYS = ("lexicon", "llm:SYSTEM", "models:SOURCE_MODEL,TARGET_MODEL")

OpenModel = Callable[[str, Pair], Any]
_SWITCHES = {"json": "as_json", "example": "example"}
_EXAMPLE = "as llm:openai:gpt-5-mini or llm:llama:MODEL.gguf"


def never_edited(text: str) -> frozenset[str]:
    """The capabilities, by name, that this infiller never edits, whatever the text.

    >>> "tense" in never_edited("lexicon"), "tense" in never_edited("llm:openai:gpt-5-mini")
    (True, False)
    """
    if text != "lexicon":
        return frozenset()
    from mtassay.methods.behavior.infill.lexicon.infiller import OTHER_EDITS

    return OTHER_EDITS


def open_infiller(
    text: str, pair: Pair | str, *, open_model: OpenModel | None = None, ask: Ask = ask_in_turn
) -> Infiller:
    """What a person asked for. An `llm` has the options of its system, and `tries`, `adapted`, `json` and
    `example`.

    `open_model` makes a system of the text after `llm:`; `ask` asks it, with limits, retries and a cache.

    >>> open_infiller("lexicon", "en-pt").name
    'lexicon'
    >>> open_infiller("thesaurus", "en-pt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    mtassay.errors.UsageError: No infiller 'thesaurus'. Available: lexicon, llm:SYSTEM, models:...
    """
    both = parse_pair(pair) if isinstance(pair, str) else pair
    way, _, rest = text.partition(":")
    if text == "lexicon":
        from mtassay.methods.behavior.infill.lexicon.infiller import LexiconInfiller

        return LexiconInfiller(both)
    if way not in ("llm", "models"):
        raise UsageError(f"No infiller '{text}'. Available: {', '.join(WAYS)}.")
    if way == "models":
        from mtassay.methods.behavior.infill.two_models import open_two_models

        return open_two_models(rest, both)
    if not rest or open_model is None:
        raise UsageError(f"Infiller '{text}' needs a chat model: {_EXAMPLE}.")
    system, own = _own_options(rest)
    model = open_model(system, both)
    if not hasattr(model, "chat"):
        raise UsageError(
            f"Infiller '{text}': system '{rest.partition(':')[0]}' is no chat model. {_EXAMPLE}."
        )
    return LLMInfiller(model, ask=ask, **own)


def _own_options(text: str) -> tuple[str, dict[str, Any]]:
    """The system's text, and the infiller's own options out of it.

    >>> _own_options("openai:m?url=http://localhost/v1&adapted=0.2&json=no")
    ('openai:m?url=http://localhost/v1', {'adapted': 0.2, 'as_json': False})
    """
    head, _, settings = text.partition("?")
    own: dict[str, Any] = {}
    left = []
    for setting in filter(None, settings.split("&")):
        key, _, value = setting.partition("=")
        try:
            if key == "tries":
                own["tries"] = int(value)
            elif key == "adapted":
                own["adapted"] = float(value)
            elif key in _SWITCHES:
                own[_SWITCHES[key]] = {"yes": True, "no": False}[value]
            else:
                left.append(setting)
        except (ValueError, KeyError):
            what = {"tries": "a whole number", "adapted": "a number"}.get(key, "yes or no")
            raise UsageError(f"llm: {key} is '{value}'. It must be {what}.") from None
    return (f"{head}?{'&'.join(left)}" if left else head), own
