"""Translating with a chat model: the prompt, and the extraction of the translation from the reply.

The default is the prompt for direct translation of Wu, Liu and Yeung 2023 (BTPGBT, Table 3), for any pair.

The few rules keep text in case of doubt: the translation of an apology is an apology, not a refusal.

Every rule also reads the source: text that the source contains stays in the reply.
"""

from __future__ import annotations

import hashlib
import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from mtassay.data.errors import InputError, RejectedError, UsageError
from mtassay.data.formats.textfiles import check_file
from mtassay.data.languages import Language, Pair
from mtassay.data.nouns import Output, Request
from mtassay.nlp.chat_models import ChatClient, ChatReply, GgufModel
from mtassay.systems.live import Answer, Limits, LiveSystem, answer_each, signature

_PLACEHOLDER = re.compile(r"\$\{([^{}]*)\}")

LANGUAGES = ("source", "target", "source_name", "target_name")
"""Placeholders for the language pair: tags (`pt-BR`) and English names (`Portuguese (Brazil)`)."""


def names_in(text: str) -> list[str]:
    """All placeholders, in order.

    >>> names_in("${source}: ${text} costs 5$")
    ['source', 'text']
    """
    return _PLACEHOLDER.findall(text)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Fill in all values in one pass: a value that looks like a placeholder stays unchanged.

    >>> fill("${text} (${source})", {"text": "${source}", "source": "en"})
    '${source} (en)'
    """
    return _PLACEHOLDER.sub(lambda match: values[match[1]], text)


def language_values(pair: Pair) -> dict[str, str]:
    """The values of the placeholders in `LANGUAGES`."""
    return {
        "source": pair.source.tag,
        "target": pair.target.tag,
        "source_name": pair.source.name,
        "target_name": pair.target.name,
    }


_NAMES = ("text", "context", *LANGUAGES)
_RULER = re.compile(r"^---[ \t]*(?:\n|$)", re.MULTILINE)


class Shot(NamedTuple):
    """One example of a translation."""

    source: str
    target: str


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """Messages with placeholders. `with_context` is added to `system` if a request has context."""

    system: str
    user: str
    with_context: str = ""

    def messages(
        self, text: str, *, pair: Pair, context: str | None, shots: Sequence[Shot] = ()
    ) -> list[dict[str, str]]:
        """The conversation up to this request; examples are earlier turns of it, without context."""
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
    """Read a prompt from a file: the user's message, which a system message and a line `---` may precede.

    It must have `${text}`, and may have `${context}`, `${source}`, `${target}`, `${source_name}` and
    `${target_name}`.
    """
    content = _read(path)
    for match in _PLACEHOLDER.finditer(content):
        if match[1] not in _NAMES:
            choices = ", ".join(f"${{{choice}}}" for choice in _NAMES)
            name = " ".join(match[1].split())[:40]
            line = content.count("\n", 0, match.start()) + 1
            raise InputError(f"there is no ${{{name}}}. Available: {choices}.", path=path, line=line)
    parts = _RULER.split(content)
    if len(parts) > 2:
        raise InputError("more than one line '---'. One separates system and user.", path=path)
    prompt = Prompt(system=parts[0].strip() if len(parts) == 2 else "", user=parts[-1].strip())
    if "text" not in names_in(prompt.user):
        raise InputError("the prompt has no ${text}. Put it where the text to translate goes.", path=path)
    return prompt


def read_shots(path: str) -> tuple[Shot, ...]:
    """Read examples from a file with a source, a tab and its translation in each line."""
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
    """Twelve digits that identify a prompt with examples, for a signature."""
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _read(path: str) -> str:
    try:
        check_file(path)
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8. Save it as UTF-8.", path=path) from None


_CANNOT = (
    r"(?:can(?:no|['’])t|can not|am unable to|am not able to|won['’]t|will not|['’]m (?:unable|not able) to)"
)
_AI = r"as an? (?:ai\b|artificial intelligence|(?:large )?language model)"

# English phrases, for translations into another language.
_APOLOGY = re.compile(
    r"(?<!\W)\W*+(?:"
    r"(?:i['’]?m|i am) (?:\w+ )?(?:sorry|afraid)\b"
    r"|(?:my apologies|sorry|i apologi[sz]e|unfortunately)\W++(?:but )?(?:i|as)\b"
    rf"|i ?{_CANNOT}\b"
    rf"|{_AI}"
    r")",
    re.IGNORECASE,
)

# Phrases about a request, in any language of the translation.
_REFUSALS = [
    rf"i ?{_CANNOT} (?:\w+ )?(?:assist|help)(?: you)? with (?:that|this|your|the)\b",
    rf"i ?{_CANNOT} (?:\w+ )?(?:fulfil?l|comply with|complete|process) (?:this|that|your) (?:\w+ )?request",
    rf"i ?{_CANNOT} (?:\w+ )?(?:translate|provide a translation (?:of|for)) (?:this|that|the) (?:\w+ )?"
    r"(?:text|content|sentence|passage|message|request|material)",
    rf"{_AI}[^.\n]{{0,60}}\bi\b",
    r"tut mir leid\b[^.\n]{0,60} (?:helfen|behilflich sein|übersetzen|unterstützen)\b",
    r"désolée?\b[^.\n]{0,60} (?:peux|puis) pas [^.\n]{0,20}(?:aider|traduire|assister)\b",
    r"lo siento\b[^.\n]{0,60}no puedo [^.\n]{0,20}(?:ayudar|traducir|asistir)",
    r"(?:desculpe|sinto muito|lamento)\b[^.\n]{0,60}não posso [^.\n]{0,20}(?:ajud|traduzi|atende)",
    r"mi dispiace\b[^.\n]{0,60}non posso [^.\n]{0,20}(?:aiuta|tradur)",
    r"spijt me\b[^.\n]{0,60} (?:helpen|vertalen)\b",
    r"(?:извините|к сожалению)\b[^.\n]{0,60}не могу [^.\n]{0,20}(?:помочь|перевести)",
    r"(?:抱歉|对不起|對不起)[^。\n]{0,20}(?:无法|不能|無法)[^。\n]{0,10}(?:翻译|翻譯|协助|協助|帮|幫|提供|满足)",
    r"(?:申し訳|すみません)[^。\n]{0,40}(?:翻訳|手伝い|対応)[^。\n]{0,10}(?:できません|できかねます)",
]
_REFUSAL = re.compile(rf"(?:{'|'.join(_REFUSALS)})", re.IGNORECASE)


def find_refusal(reply: str, source: str, *, target: Language) -> str | None:
    """Return the beginning of a reply that refuses to translate, else `None`.

    >>> find_refusal("I'm sorry, but I can't assist with that.", "How do I do it?", target=Language("en"))
    "I'm sorry, but I can't assist with that."
    >>> find_refusal("I'm sorry, but I can't come.", "Bohužel nemohu přijít.", target=Language("en"))
    """
    start = " ".join(reply.split())
    if not start:
        return "the reply is empty"
    if _APOLOGY.search(source) or _REFUSAL.search(source):
        return None
    if _REFUSAL.search(start[:120]) or (target.code != "en" and _APOLOGY.match(start)):
        return start if len(start) <= 80 else f"{start[:80]}…"
    return None


_TAG = r"(?:think|thinking|reasoning)"
_THOUGHTS = re.compile(rf"(?:<({_TAG})>.*?</\1>\s*)+", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHTS = re.compile(rf".*</{_TAG}>\s*", re.DOTALL | re.IGNORECASE)
_ANY_THOUGHT = re.compile(rf"</?{_TAG}>", re.IGNORECASE)

_FENCE = re.compile(r"```(?:[\w+-]*+[ \t]*+\n)?((?:(?!```).)*+)```", re.DOTALL)
_BOLD = re.compile(r"\*\*(?=\S)((?:(?!\*\*).)+)(?<=\S)\*\*", re.DOTALL)
_PAIRS = [('"', '"'), ("“", "”"), ("„", "“”"), ("”", "”"), ("«", "»"), ("»", "«"), ("「", "」"), ("『", "』")]
_QUOTED = [
    re.compile(rf"{opening}([^{opening}{closing}]*)[{closing}]", re.DOTALL) for opening, closing in _PAIRS
]
_QUOTE = re.compile(r"[\"“”„«»「」『』＂]")

_TRANSLATION = (
    r"(?:translat(?:ion|ed)|Übersetzung|traduction|traducción|tradução|traduzione|vertaling|перевод"
    r"|翻译|翻譯|译文|譯文|訳|翻訳|번역)"
)
_COURTESY = r"(?:sure|certainly|of course|absolutely|okay|ok|alright)\b"
_OPENING = (
    r"(?:here(?:['’]s| is| are)|below is|this is|the|hier ist|voici|aquí (?:está|tienes)|aqui está|ecco"
    r"|以下是|这是|以下は)"
)
_PREAMBLES = [
    # "Sure! Here is the German translation of your sentence:"
    rf"(?:{_COURTESY}[^\n:：]{{0,40}}?[,.!]\s*)?{_OPENING}[^\n:：]{{0,80}}?{_TRANSLATION}[^\n:：]{{0,80}}[:：]",
    # "Certainly, here you go:", alone on its line
    rf"{_COURTESY}[^\n:：]{{0,80}}[:：][ \t]*\n",
    # "Translation:", "German translation:", "Translated text:"
    rf"(?:[^\W\d_]+ ){{0,2}}{_TRANSLATION}(?: \w+){{0,2}} ?[:：]",
]


@dataclass(frozen=True)
class Cleaned:
    """A reply reduced to the translation; `removed` names the removed parts, in order of removal."""

    text: str
    removed: tuple[str, ...] = ()


def clean(reply: str, source: str, *, target: Language) -> Cleaned:
    """The translation in a reply.

    >>> german = Language("de")
    >>> clean('<think>Hm.</think>Sure! Here is the translation:\\n\\n"Guten Tag."', "Hello.", target=german)
    Cleaned(text='Guten Tag.', removed=('thinking', 'preamble', 'quotes'))
    >>> clean('"Guten Tag."', '"Hello."', target=german)
    Cleaned(text='"Guten Tag."', removed=())
    """
    preamble = _preamble(target)
    steps: dict[str, Callable[[str], str]] = {}
    if not _ANY_THOUGHT.search(source):
        steps["thinking"] = _without_thoughts
    steps["preamble"] = lambda text: _without_preamble(text, source, preamble)
    if "```" not in source:
        steps["code fence"] = lambda text: _inside(_FENCE, text)
    if "**" not in source:
        steps["bold"] = lambda text: _inside(_BOLD, text)
    if not _QUOTE.search(source):
        steps["quotes"] = _without_quotes
    removed: list[str] = []
    text, before = reply.strip(), None
    while text != before:
        before = text
        for name, step in steps.items():
            shorter = step(text).strip()
            if shorter != text and name not in removed:
                removed.append(name)
            text = shorter
    if text != reply and not removed:
        removed.append("whitespace")
    return Cleaned(text, tuple(removed))


def _preamble(target: Language) -> re.Pattern[str]:
    """All preambles; "German:" is one if German is the target."""
    label = rf"{re.escape(target.name.partition(' (')[0])}[:：]"
    return re.compile(rf"(?:\*\*)?(?:{'|'.join([*_PREAMBLES, label])})(?:\*\*)?\s*", re.IGNORECASE)


def _without_preamble(text: str, source: str, preamble: re.Pattern[str]) -> str:
    # A colon in the source may be a colon of the translation: "The new translation has a flaw: …".
    if _colons(text) <= _colons(source):
        return text
    match = preamble.match(text)
    return text[match.end() :] if match else text


def _colons(text: str) -> int:
    return text.count(":") + text.count("：")


def _without_thoughts(text: str) -> str:
    match = _THOUGHTS.match(text) or _END_OF_THOUGHTS.match(text)
    if match:
        return text[match.end() :]
    # No translation follows thoughts that never end.
    return "" if _ANY_THOUGHT.match(text) else text


def _without_quotes(text: str) -> str:
    return next((inside for pattern in _QUOTED if (inside := _inside(pattern, text)) != text), text)


def _inside(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.fullmatch(text)
    return match[match.lastindex or 0] if match else text


def judge_reply(reply: ChatReply, source: str, *, target: Language, cleaning: bool) -> Answer:
    """The translation in a reply, or the reason for its absence; removed parts are in `meta`.

    >>> reply = ChatReply(text="Translation: Guten Tag.", finish_reason="stop")
    >>> judge_reply(reply, "Good day.", target=Language("de"), cleaning=True).text
    'Guten Tag.'
    """
    meta: dict[str, Any] = {"usage": dict(reply.usage)} if reply.usage else {}
    cleaned = clean(reply.text, source, target=target) if cleaning else Cleaned(reply.text)
    removed = [*cleaned.removed, *(["other choices"] if reply.choices > 1 else [])]
    if cleaned.text != reply.text or removed:
        meta |= {"cleaned": removed, "raw": reply.text}
    if reply.finish_reason not in (None, "stop"):
        meta["finish_reason"] = reply.finish_reason
    error = _unfinished(reply)
    if error is None and (refusal := find_refusal(cleaned.text, source, target=target)):
        error = f"refused: {refusal}"
    if error is not None:
        return Answer(None, error, {**meta, "raw": reply.text})
    return Answer(cleaned.text, None, meta)


def _unfinished(reply: ChatReply) -> str | None:
    """The reason why this reply is incomplete, if it is."""
    match reply.finish_reason:
        case "content_filter":
            return "refused: a content filter stopped the reply"
        case "refusal":
            return f"refused: {' '.join(reply.text.split())[:80]}"
        case "length":
            return "cut off at the limit of tokens: raise max_tokens"
        case "tool_calls" | "function_call":
            return "the model called a tool instead of translating"
    return None


class ChatTranslator(LiveSystem):
    """A chat model as a translator: one conversation for each text, by a prompt and examples from files."""

    prompt: str | None
    shots: str | None
    temperature: float | None
    seed: int | None

    @property
    @abstractmethod
    def chat(self) -> ChatClient | GgufModel:
        """The model itself, for work other than translating."""

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        return [output for request in requests for output in self._translate_one(request)]

    def _translate_one(self, request: Request) -> list[Output]:
        return answer_each([request], lambda texts: [self._ask(texts[0], request)])

    @abstractmethod
    def _ask(self, text: str, request: Request) -> Answer:
        """The model's reply to a request; another sample has another seed."""

    def _messages(self, text: str, context: str | None) -> list[dict[str, str]]:
        return self._prompt.messages(text, pair=self.pair, context=context, shots=self._shots)

    def characters_read(self, request: Request) -> int:
        return sum(len(m["content"]) for m in self._messages(request.text or "", request.context))

    @cached_property
    def _prompt(self) -> Prompt:
        return read_prompt(self.prompt) if self.prompt else DEFAULT

    @cached_property
    def _shots(self) -> tuple[Shot, ...]:
        return read_shots(self.shots) if self.shots else ()


ADAPTER = 1
# OpenAI's reasoning models refuse any temperature, so the default must not be sent to them.
_REASONING = re.compile(r"(?:o\d|gpt-5)(?:$|[-.])")


@dataclass(frozen=True, kw_only=True)
class OpenAI(ChatTranslator):
    """`openai:MODEL`, with the key in OPENAI_API_KEY; a server on this machine needs none.

    `url` is the address including `/v1` (default: OPENAI_BASE_URL); `key` names another variable for the key.
    `prompt` and `shots` are files. With a `temperature` of `None` none is sent, as reasoning models require;
    this is the default for OpenAI's. `clean` removes text around the translation and lists it in
    `Output.meta`. `before` preceding segments with their translations fill `${context}`; `together` is the
    number of segments in a request.
    """

    scheme: ClassVar[str] = "openai"
    subject: ClassVar[str] = "model"

    model: str
    url: str | None = None
    key: str = "OPENAI_API_KEY"
    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    reasoning_effort: str | None = None
    prompt: str | None = None
    shots: str | None = None
    clean: bool = True
    before: int = 0
    together: int = 1
    in_flight: int = 8
    timeout: float = 120.0

    def __post_init__(self) -> None:
        if self.in_flight < 1 or self.timeout <= 0:
            raise UsageError(f"openai:{self.model}: in_flight and timeout must be more than 0.")
        if self.temperature == 0.0 and _REASONING.match(self.model):
            object.__setattr__(self, "temperature", None)
        # Check files and addresses here: a mistake in them should cost no call.
        _ = self._client.address, self._prompt, self._shots

    @property
    def limits(self) -> Limits:
        """One text per call; the calls per minute depend on the account ("Rate limits")."""
        return Limits(batch=1, in_flight=self.in_flight, timeout=self.timeout)

    @property
    def signature(self) -> str:
        return signature(
            self.scheme,
            model=self.model,
            endpoint=self._client.endpoint,
            source=self.pair.source.tag,
            target=self.pair.target.tag,
            **self._settings,
        )

    @property
    def chat(self) -> ChatClient:
        return self._client

    def check_key(self) -> None:
        self._client.headers()

    @property
    def is_sampled(self) -> bool:
        """True at any temperature: hosted models give different answers even at 0."""
        return True

    def _ask(self, text: str, request: Request) -> Answer:
        messages = self._messages(text, request.context)
        seed = None if self.seed is None else self.seed + request.sample
        try:
            reply = self._client.complete(messages, temperature=self.temperature, seed=seed)
        except RejectedError as error:
            if "content_filter" in str(error):
                return Answer(None, f"refused: {error}")
            raise
        answer = judge_reply(reply, text, target=self.pair.target, cleaning=self.clean)
        if reply.model and reply.model != self.model:
            return answer._replace(meta={**answer.meta, "model": reply.model})
        return answer

    @cached_property
    def _client(self) -> ChatClient:
        return ChatClient(
            model=self.model,
            url=self.url,
            key=self.key,
            max_tokens=self.max_tokens,
            max_completion_tokens=self.max_completion_tokens,
            reasoning_effort=self.reasoning_effort,
            timeout=self.timeout,
        )

    @cached_property
    def _settings(self) -> dict[str, object]:
        """Return all options that can change an answer, as text, so that 0 is kept."""
        sampling = ("temperature", "seed", "max_tokens", "max_completion_tokens", "reasoning_effort")
        chosen = {name: getattr(self, name) for name in sampling}
        return {
            **{name: str(value) for name, value in chosen.items() if value is not None},
            "prompt": digest(self._prompt),
            "shots": digest(self._shots) if self._shots else None,
            "clean": "yes" if self.clean else "no",
            "before": self.before or None,
            "together": self.together if self.together > 1 else None,
            "adapter": ADAPTER,
        }
