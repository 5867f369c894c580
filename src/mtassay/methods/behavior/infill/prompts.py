"""What a language model is told: the prompts of Wu, Liu, Yeung (2023), tables 3 and 8, for any two languages.

Their templates are for English and Chinese, one masked place, and an answer after two labels. Several
places, the example, JSON answers and the objection to an earlier answer are ours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from mtassay.languages import Pair
from mtassay.methods.behavior.infill.base import MASK, Masked
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.tools.annotate.annotation import Annotation
from mtassay.tools.chat import Message

__all__ = ["SCHEMA", "SOURCE_KEY", "TRANSLATION_KEY", "labels", "messages"]

SOURCE_KEY, TRANSLATION_KEY = "filled_source", "filled_translation"

_WORDS_KEY, _TRANSLATED_KEY = "new_words", "new_words_translated"
_TEXT = {"type": "string"}

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        # Not read: a model that has to say what is new before it writes the sentences leaves fewer masks.
        _WORDS_KEY: _TEXT,
        _TRANSLATED_KEY: _TEXT,
        SOURCE_KEY: _TEXT,
        TRANSLATION_KEY: _TEXT,
    },
    "required": [_WORDS_KEY, _TRANSLATED_KEY, SOURCE_KEY, TRANSLATION_KEY],
    "additionalProperties": False,
}
"""The JSON that a server is asked to hold the model to."""

_SYSTEM = "You are a helpful assistant that translates {source} to {target}."
_TASK = (
    "You are given {a_source} sentence and its {target} translation. In each sentence, {masked} with"
    " {tokens}. Your task is to first fill in {the_mask} in the {source} sentence using {instruction}"
    " without modifying any of the unmasked tokens. Then, use the filled {source} sentence to fill in"
    " {the_mask} in its corresponding {target} translation{in_target}. If necessary, make modifications to"
    " the filled {target} translation to ensure {aim} while preserving the meaning."
)
_LABELLED = (
    " Finally, please output the filled {source} sentence and its filled {target} translation in the format"
    " of '{source_label}: \\n {target_label}:'."
)
_AS_JSON = (
    " Finally, please output nothing but JSON with what you filled in, in {source} and in {target}, the"
    ' filled {source} sentence and its filled {target} translation: {{"{words_key}": …,'
    ' "{translated_key}": …, "{source_key}": …, "{translation_key}": …}}.'
)
_WRONG = " An earlier answer was wrong: {objection}"
_PAIR = "\n{source} Sentence: {masked_source}\n{target} Translation: {masked_reference}"

# One sentence in several languages, what could fill it, and what stood there: small models copy a mask unless
# they have seen one filled.
_SENTENCES = {
    "de": (f"Gestern haben wir einen {MASK} gekauft.", "Tisch", "Stuhl"),
    "en": (f"We bought a {MASK} yesterday.", "table", "chair"),
    "es": (f"Ayer compramos una {MASK}.", "mesa", "silla"),
    "fr": (f"Hier, nous avons acheté une {MASK}.", "table", "chaise"),
    "it": (f"Ieri abbiamo comprato un {MASK}.", "tavolo", "letto"),
    "ja": (f"昨日、{MASK}を買いました。", "机", "椅子"),
    "pt": (f"Ontem compramos uma {MASK}.", "mesa", "cadeira"),
    "ru": (f"Вчера мы купили {MASK}.", "стол", "стул"),
    "zh": (f"我们昨天买了一张{MASK}。", "桌子", "床"),
}

# What differs in table 8: the kind of segment, and what is asked of the translation.
_MASKED_AS = {"tense": "a verb or verb phrase"}
_IN_TARGET = {"tense": " in the past perfect tense"}
_AIMS = {"tense": "the correctness of tense"}

_BEGINS_WITH_VOWEL = re.compile(r"(?!Uk|Uy|Ew)[AEIOU]")


def labels(pair: Pair) -> tuple[str, str]:
    """What stands before the two sentences of an answer that is not JSON.

    >>> from mtassay.languages import parse_pair
    >>> labels(parse_pair("en-zh"))
    ('Filled English', 'Filled Chinese')
    """
    source, target = pair.source.name, pair.target.name
    if source == target:
        source, target = "Source", "Translation"
    return f"Filled {source}", f"Filled {target}"


def messages(
    masked: Masked,
    pair: Pair,
    *,
    as_json: bool = True,
    example: bool = True,
    objections: Sequence[str] = (),
) -> list[Message]:
    """The conversation that asks for one masked pair to be filled.

    `example` shows one that was filled, where we have one in both languages. Objections are sentences about
    earlier answers; they stand before the pair, since a small model takes what comes last for the text to
    work on.
    """
    shown = example and {pair.source.code, pair.target.code} <= _SENTENCES.keys()
    return [
        {"role": "system", "content": _SYSTEM.format(source=pair.source.name, target=pair.target.name)},
        *(_example(pair, as_json) if shown else ()),
        {"role": "user", "content": _task(masked, pair, as_json, objections)},
    ]


def _task(masked: Masked, pair: Pair, as_json: bool, objections: Sequence[str]) -> str:
    names = {"source": pair.source.name, "target": pair.target.name}
    several = len(masked.spans) > 1
    count = f"{len(masked.spans)} segments have" if several else f"{_kind(masked)} has"
    source_label, target_label = labels(pair)
    text = (_TASK + (_AS_JSON if as_json else _LABELLED)).format(
        **names,
        a_source=_with_article(names["source"]),
        masked=f"{count} been masked",
        tokens="the tokens '<mask1>', '<mask2>' and so on" if several else f"the '{MASK}' token",
        the_mask="the masked tokens" if several else "the masked token",
        instruction=_instruction(masked),
        in_target=_IN_TARGET.get(masked.capability, ""),
        aim=_AIMS.get(masked.capability, "fluency"),
        source_label=source_label,
        target_label=target_label,
        words_key=_WORDS_KEY,
        translated_key=_TRANSLATED_KEY,
        source_key=SOURCE_KEY,
        translation_key=TRANSLATION_KEY,
    )
    complaints = [_WRONG.format(objection=objection) for objection in dict.fromkeys(objections)]
    source, reference = _numbered(masked)
    sentences = _PAIR.format(**names, masked_source=source, masked_reference=reference)
    return "".join([text, *complaints, sentences])


def _example(pair: Pair, as_json: bool) -> list[Message]:
    """The same task with our own sentence, and its answer."""
    texts, words, filled, spans = [], [], [], list[tuple[int, int]]()
    for language in (pair.source, pair.target):
        masked, word, original = _SENTENCES[language.code]
        start = masked.index(MASK)
        spans.append((start, start + len(original)))
        texts.append(Annotation(masked.replace(MASK, original)))
        words.append(word)
        filled.append(masked.replace(MASK, word))
    read = ReadPair("example", texts[0], texts[1], frozenset())
    original = _SENTENCES[pair.source.code][2]
    one = Masked(
        read, "noun", (AlignedSpan(*spans[0], *spans[1], "NOUN", 0),), (f'a noun other than "{original}"',)
    )
    answer = (
        json.dumps(dict(zip(SCHEMA["required"], [*words, *filled], strict=True)), ensure_ascii=False)
        if as_json
        else "\n".join(f"{label}: {text}" for label, text in zip(labels(pair), filled, strict=True))
    )
    return [
        {"role": "user", "content": _task(one, pair, as_json, ())},
        {"role": "assistant", "content": answer},
    ]


def _instruction(masked: Masked) -> str:
    if len(masked.instructions) == 1:
        return masked.instructions[0]
    return "; ".join(f"for <mask{i}> {what}" for i, what in enumerate(masked.instructions, 1))


def _kind(masked: Masked) -> str:
    """What has been masked: an instruction says it before its `other than`.

    >>> pair = ReadPair("1", Annotation("A shop"), Annotation("Uma loja"), frozenset())
    >>> _kind(Masked(pair, "noun", (AlignedSpan(2, 6, 4, 8, "NOUN", 1),), ('a noun other than "shop"',)))
    'a noun'
    """
    kind, other_than, _ = masked.instructions[0].partition(" other than ")
    return _MASKED_AS.get(masked.capability, kind if other_than else "a segment")


def _numbered(masked: Masked) -> tuple[str, str]:
    """Both masked texts; several masks are numbered, since a translation may have another order."""
    if len(masked.spans) == 1:
        return masked.source, masked.reference
    both = []
    for text, places in (
        (masked.pair.source.text, [(span.start, span.end) for span in masked.spans]),
        (masked.pair.reference.text, [(s.reference_start, s.reference_end) for s in masked.spans]),
    ):
        for number, (start, end) in sorted(enumerate(places, 1), key=lambda one: one[1], reverse=True):
            text = f"{text[:start]}<mask{number}>{text[end:]}"
        both.append(text)
    return both[0], both[1]


def _with_article(name: str) -> str:
    return f"{'an' if _BEGINS_WITH_VOWEL.match(name) else 'a'} {name}"
