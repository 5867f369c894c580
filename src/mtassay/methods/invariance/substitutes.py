"""Substituters propose words for a place in a sentence: `lexicon`, `fill-mask:MODEL` … …"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, cast

from mtassay.data.errors import UsageError
from mtassay.data.languages import Pair, parse_language
from mtassay.data.nouns import RunContext
from mtassay.data.registry import each, find, is_known
from mtassay.nlp.annotation import Annotation
from mtassay.nlp.chat_models import Message
from mtassay.nlp.language_models import (
    Gap,
    MaskedModel,
    Prediction,
    Row,
    Where,
    Words,
    by_length,
    choose_device,
    identity,
    open_masked,
    read_words,
    where,
)
from mtassay.systems.client import UnkeptContext
from mtassay.systems.conversations import (
    BadReplyError,
    Conversations,
    ask_until_usable,
    objection,
    only_object,
    open_chat,
)
from mtassay.systems.live import signature


class WordPlace(NamedTuple):
    """A word of a source that may be replaced; `token` is its number."""

    sentence: Annotation
    token: int


class Candidate(NamedTuple):
    """A proposed word, spelled for its place; higher scores are better, on the proposer's own scale."""

    word: str
    score: float


class Substituter(ABC):
    """Proposes words. Later checks of how they fit the sentence are the same for all substituters.

    `argument` names the text after `NAME:`, and `wants` describes it; both are empty without an argument.
    `has_matched` is false if the substituter knew none of the places.
    """

    name: str
    about: ClassVar[str]
    argument: ClassVar[str] = ""
    wants: ClassVar[str] = ""
    asks_models: ClassVar[bool] = False
    """Whether it asks live models, whose answers cost money and must be stored."""
    has_matched: bool = True

    @classmethod
    def open(cls, rest: str, language: str) -> Substituter:
        """Open the substituter for sources in a language; `rest` is the text after the colon."""
        return cls()

    def lent(self, context: RunContext) -> Substituter:
        """Return the substituter with the engine's tools if it asks live models; by default unchanged."""
        return self

    @property
    @abstractmethod
    def signature(self) -> str:
        """The signature; equal signatures mean equal proposals."""

    @abstractmethod
    def substitutes(self, places: Sequence[WordPlace], *, count: int) -> list[list[Candidate]]:
        """Return for each place, in order, at most `count` words, best first; `[]` if none is known."""


def substituter_names() -> list[str]:
    """All names, each with its argument: `fill-mask:MODEL`."""
    return [f"{kind.name}:{kind.argument}" if kind.argument else kind.name for kind in each("substitutes")]


def asks_models(text: str) -> bool:
    """Whether a named substituter asks live models.

    >>> asks_models("llm:openai:gpt-5-mini"), asks_models("lexicon")
    (True, False)
    """
    name = text.partition(":")[0]
    return is_known("substitutes", name) and bool(getattr(find("substitutes", name), "asks_models", False))


def open_substituter(text: str, language: str) -> Substituter:
    """Open the substituter with this name, for sources in a language.

    >>> open_substituter("lexicon", "en").name
    'lexicon'
    >>> open_substituter("thesaurus", "en")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: No substituter 'thesaurus'. Available: lexicon, fill-mask:MODEL, ...
    """
    code = parse_language(language).code
    name, colon, rest = text.partition(":")
    kind = cast("type[Substituter]", find("substitutes", name)) if is_known("substitutes", name) else None
    if kind is None or (colon and not kind.argument):
        raise UsageError(f"No substituter '{text}'. Available: {', '.join(substituter_names())}.")
    if kind.argument and not rest:
        raise UsageError(f"Substituter '{text}' needs more: {name}:{kind.argument}, {kind.wants}.")
    return kind.open(rest, code)


def with_case(word: str, like: str) -> str:
    """Return a word with the capitals of another word: all capitals, a first capital, or unchanged.

    >>> with_case("cat", "Dog"), with_case("cat", "DOG"), with_case("Monday", "day"), with_case("cat", "I")
    ('Cat', 'CAT', 'Monday', 'Cat')
    """
    if like.isupper() and len(like) > 1:
        return word.upper()
    if like[:1].isupper():
        return word[:1].upper() + word[1:]
    return word


TRIES = 2
PROMPT = 2
"""Increase this number when the prompt or the reading of replies changes."""
_KEY = "words"
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {_KEY: {"type": "array", "items": {"type": "string"}}},
    "required": [_KEY],
    "additionalProperties": False,
}
_TASK = (
    "In the {language} sentence below, the {kind} between [[ and ]] is to be replaced. Give {count} other "
    "{language} words, the best first, each of which can be there alone: a single word, the same part of "
    "speech in the same grammatical form, none that is in the sentence already, so that the sentence is "
    'still grammatical and plausible. Answer with nothing but JSON: {{"words": [WORD, …]}}.\n\n{sentence}'
)
_KINDS = {
    "NOUN": "noun",
    "ADJ": "adjective",
    "VERB": "verb",
    "ADV": "adverb",
    "PROPN": "name",
    "NUM": "number",
}


@dataclass(frozen=True)
class ChatSubstitutes(Substituter):
    """Proposes words from a chat model, with one conversation for each place.

    `model` is a chat system, as in `llm:openai:gpt-5-mini`, and `language` is the language of the sources.
    The score only shows the model's order. Replies are stored if `lent` gave a store.
    """

    model: str
    language: str
    context: RunContext = field(default_factory=UnkeptContext, repr=False, compare=False)
    name: str = field(default="llm", init=False, repr=False)
    about: ClassVar[str] = "what a chat model says could be in the word's place"
    argument: ClassVar[str] = "MODEL"
    wants: ClassVar[str] = "a chat model as openai:gpt-5-mini or llama:MODEL.gguf"
    asks_models: ClassVar[bool] = True

    @classmethod
    def open(cls, rest: str, language: str) -> Substituter:
        substituter = cls(rest, language)
        _ = substituter._system  # report a mistake in the model at once
        return substituter

    def lent(self, context: RunContext) -> Substituter:
        return ChatSubstitutes(self.model, self.language, context)

    @property
    def signature(self) -> str:
        """The model's signature and the version of the prompt."""
        return f"{self._system.signature}|prompt:{PROMPT}|tries:{TRIES}"

    def substitutes(self, places: Sequence[WordPlace], *, count: int) -> list[list[Candidate]]:
        """Return for each place, in order, at most `count` words, best first; `[]` without a usable reply.

        Words are spelled for their place and differ from the present word. The number of places without a
        usable reply is noted.
        """
        if not places or count < 1:
            return [[] for _ in places]
        results = ask_until_usable(
            self.context,
            self._system,
            [self._messages(place, count) for place in places],
            lambda i, reply: _read(reply, places[i], count),
            tries=TRIES,
            object_to=objection,
        )
        reasons = Counter(answer.why for answer in results if answer.value is None)
        if reasons:
            why = ", ".join(f"{number:,} {reason}" for reason, number in reasons.most_common(3))
            self.context.note(
                f"{self._system.name}: no words for {reasons.total():,} of {len(places):,} places ({why})"
            )
        return [answer.value or [] for answer in results]

    @cached_property
    def _system(self) -> Conversations:
        language = parse_language(self.language)
        name = f"llm:{self.model.partition('?')[0]}"
        model = open_chat("substituter", self.model, Pair(language, language), name=name)
        return Conversations(name=model.name, pair=model.pair, model=model, form="words", schema=SCHEMA)

    def _messages(self, place: WordPlace, count: int) -> list[Message]:
        sentence, token = place.sentence, place.sentence.tokens[place.token]
        shown = f"{sentence.text[: token.start]}[[{token.text}]]{sentence.text[token.end :]}"
        text = _TASK.format(
            language=parse_language(self.language).name,
            kind=_KINDS.get(token.pos, "word"),
            count=count,
            sentence=shown,
        )
        return [{"role": "user", "content": text}]


def _read(reply: str, place: WordPlace, count: int) -> list[Candidate]:
    """Read the words of a reply, spelled for the place; whatever cannot be a single word is left out."""
    listed = only_object(reply, _KEY)
    if not isinstance(listed, list) or not all(isinstance(word, str) for word in listed):
        raise BadReplyError("not the JSON asked for", '"words" is no list of words')
    like = place.sentence.tokens[place.token].text
    words = dict.fromkeys(with_case(word.strip(), like) for word in listed if word.strip().isalpha())
    others = [word for word in words if word.casefold() != like.casefold()]
    if not others:
        raise BadReplyError("no other word", "there is no other single word in it")
    return [Candidate(word, float(-order)) for order, word in enumerate(others[:count])]


DIGITS = 4
"""Decimals of a log-probability to keep, since the last bits depend on the rest of the batch."""


def gap_at(place: WordPlace) -> Gap:
    """The text around the word at a place."""
    token = place.sentence.tokens[place.token]
    return Gap(place.sentence.text[: token.start], place.sentence.text[token.end :])


def predict_words(
    model: MaskedModel, words: Words, places: Sequence[WordPlace], rows: Sequence[Row | None], *, count: int
) -> list[list[Candidate]]:
    """Return for each place, in order, at most `count` predicted words from its row; `[]` without a row.

    Words are spelled for their place and differ from the present word. Scores are log-probabilities. `words`
    has the words of the model's vocabulary.
    """
    # All words of a batch follow a space, or none does.
    alike: dict[Where, list[tuple[int, Row]]] = defaultdict(list)
    for number, (place, row) in enumerate(zip(places, rows, strict=True)):
        if row is not None:
            alike[where(gap_at(place).before)].append((number, row))
    predicted: dict[int, list[Prediction]] = {}
    for position, numbered in alike.items():
        among = words.among(position)
        for batch in by_length([len(row.tokens) for _, row in numbered], budget=model.budget):
            chosen = [numbered[member] for member in batch]
            # Ask for more than needed: the results include the present word, and words with other capitals.
            answers = model.predict([row for _, row in chosen], among=among, count=3 * (count + 1))
            predicted |= {number: answer for (number, _), answer in zip(chosen, answers, strict=True)}
    return [
        best(_spelled(place, predicted.get(number, []), words), count=count)
        for number, place in enumerate(places)
    ]


def _spelled(place: WordPlace, predictions: Sequence[Prediction], words: Words) -> list[Candidate]:
    like = place.sentence.tokens[place.token].text
    by_word: dict[str, Candidate] = {}
    for piece, score in predictions:
        word = with_case(words.spelled[piece], like)
        if word.casefold() != like.casefold():
            # Best first, so that a second spelling of a word is less probable.
            by_word.setdefault(word, Candidate(word, score))
    return list(by_word.values())


def best(candidates: Iterable[Candidate], *, count: int) -> list[Candidate]:
    """Return the `count` best words, best first, with rounded scores; ties in alphabetical order."""
    rounded = [Candidate(word, round(score, DIGITS)) for word, score in candidates]
    return sorted(rounded, key=lambda candidate: (-candidate.score, candidate.word))[:count]


ADAPTER = 1
_MASKED = "substitutes 'fill-mask'"


@dataclass(frozen=True)
class FillMask(Substituter):
    """Proposes words that a masked model of the transformers library predicts for the place of a word.

    `model` is a folder or a Hugging Face name (`bert-large-cased`, `xlm-roberta-base`), and `language` is the
    language of the sources. Words are single pieces of the model's vocabulary, so rare and long words are
    never proposed. The score is the natural log-probability of the piece. The default `device` is a GPU, if
    any.
    """

    model: str
    language: str
    device: str | None = field(default=None, kw_only=True)
    name: str = field(default="fill-mask", init=False, repr=False)
    about: ClassVar[str] = "what a masked language model predicts in the word's place, the paper's way"
    argument: ClassVar[str] = "MODEL"
    wants: ClassVar[str] = "a name or a folder"

    @classmethod
    def open(cls, rest: str, language: str) -> Substituter:
        return cls(rest, language)

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError(f"{_MASKED}: no model. Give a folder or a name, as fill-mask:bert-large-cased.")
        parse_language(self.language)

    @property
    def signature(self) -> str:
        """The model's name, a digest of its folder's content, the device and the library."""
        return signature(
            self.name,
            **identity(self.model, what=_MASKED),
            language=parse_language(self.language).tag,
            device=self.device or choose_device(what=_MASKED),
            adapter=ADAPTER,
        )

    def substitutes(self, places: Sequence[WordPlace], *, count: int) -> list[list[Candidate]]:
        """Return for each place, in order, up to `count` words, best first; `[]` if the text is too long."""
        if not places or count < 1:
            return [[] for _ in places]
        rows = self._model.read([gap_at(place) for place in places])
        return predict_words(self._model, self._words, places, rows, count=count)

    @cached_property
    def _model(self) -> MaskedModel:
        return open_masked(self.model, what=_MASKED, device=self.device)

    @cached_property
    def _words(self) -> Words:
        return read_words(self._model.pieces)
