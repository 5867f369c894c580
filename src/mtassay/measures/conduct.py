"""Checks of conduct: whether a language model's answer is a translation and nothing else."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import ClassVar

from mtassay.data.languages import name_of, parse_language
from mtassay.measures import answer_signs as signs
from mtassay.measures.check import Alarm, Check, CheckContext, Mark, Severity, Unit
from mtassay.measures.left_words import Lengths, is_far_longer, lengths_of, size_of
from mtassay.measures.output_language import FileWords, file_words, fold, is_same_text
from mtassay.measures.talk import (
    begins_with_assent,
    closings,
    note_labels,
    refusal_in,
    says_yes_itself,
    sign,
    small_sign,
    small_words,
    speaks_of_translation,
    talk_tables,
)
from mtassay.nlp.identification import words_of

# The language that assistants use by default.
_ENGLISH = frozenset(words_of(small_words("assistants")["en"]))
# Whatever surrounds a text, and what begins an addition to it.
_MARKED = re.compile(r"[`<\[{#*\n\\▁(（「/]")
# Systems have many outputs in common.
_MOST_KEPT = 1 << 16
# A refusal is at the beginning.
_BEGINNING = 1_500
_CHUNK = re.compile(r"[.!?。！？\n`]+|\*\*|\) |\(")
# A transcription in Latin letters after a text: 無料（Muryō).
_LATIN_READING = re.compile(
    r"[^\x00-\u02ff][)）。.]?\s?[(（]([A-Za-zāīūēōǎǐǔěǒáíúéóàìùèòĀŌ' -]{5,200})[)）]\s*$"
)
# Alternative words (went/left/walked), and a source word with its meaning: overkill (zu viel).
_CHOICES = re.compile(r"(?<![\w/.])[^\W\d_]{3,} ?/ ?[^\W\d_]{3,} ?/ ?[^\W\d_]{3,}(?![\w/])")
# Two sentences with a slash between them.
_SENTENCES = re.compile(r"\w[.!?] ?/ ?[A-ZÀ-ÞА-Я][^/]{3,}[.!?]")
# A remark in brackets as the last paragraph.
_BRACKETED = re.compile(r"\S[^\S\n]*\n\s*[(（][^()（）\n]{15,}[)）]\s*$")
_GLOSS = re.compile(r"(?<![^\W\d_])([^\W\d_]{3,}+)[\"”“»]? [(（]([^()（）\d]{6,60})[)）]")


class Reading:
    """Alarms about conduct in a file's outputs, by check and index, computed once for all checks."""

    def __init__(self, context: CheckContext) -> None:
        self._context = context
        self._units: Sequence[Unit] | None = None
        self._alarms: dict[str, list[Alarm]] = {}
        self._foreign: frozenset[str] = frozenset()
        self._plain: dict[str, bool] = {}
        codes = [parse_language(tag).code if tag else None for tag in (context.source, context.target)]
        self.source, self.target = codes
        self.languages = tuple(
            dict.fromkeys(code for code in ("en", *codes) if code and code in talk_tables())
        )
        names = [name for code in self.languages for name in talk_tables()[code].names]
        names += [name_of(code).lower() for code in codes if code]
        names += sign("translation").pattern.split("|")
        self._labels = re.compile(
            rf"[\s*_\"]*(?:{'|'.join(map(re.escape, names))})(?: (?:translation|version))?[*_]*\s?[:：]"
        )

    def alarms(self, check: str, units: Sequence[Unit]) -> list[Alarm]:
        """Return the alarms of a check, in the order of the units."""
        if self._units is not units:
            self._units, self._alarms = units, {}
            lengths, words = lengths_of(units, self._context), file_words(units, self._context)
            foreign = (words.foreign | (_ENGLISH if self.target != "en" else frozenset())) - words.own
            if foreign != self._foreign or len(self._plain) > _MOST_KEPT:
                self._foreign, self._plain = foreign, {}
            for index, unit in enumerate(units):
                if unit.output.strip() or unit.facts:
                    for name, alarm in self._read(index, unit, lengths, words):
                        self._alarms.setdefault(name, []).append(alarm)
        return self._alarms.get(check, [])

    def _read(
        self, index: int, unit: Unit, lengths: Lengths, words: FileWords
    ) -> Iterator[tuple[str, Alarm]]:
        if unit.facts:
            yield from _facts(index, unit)
        if not unit.output.strip() or not unit.source or not unit.source.strip():
            return
        excess = lengths.excess(unit)
        if self._is_ordinary(unit.source, unit.output, excess):
            return
        signs = list(self._signs_in(index, unit, excess, lengths, words))
        if signs and not any(is_same_text(unit.output, text) for text in unit.references):
            yield from signs

    def _is_ordinary(self, source: str, output: str, excess: float) -> bool:
        """Whether none of the signs can be there; fast, and true for most outputs.

        The output has about the usual length, nothing that surrounds or adds, ends as a sentence, and the
        source asks for nothing.
        """
        if not -0.3 <= excess <= 0.2 or _may_be_answered(source) or output.startswith(source):
            return False
        if output not in self._plain:
            lowered = output.lower()
            self._plain[output] = (
                output[0].isalpha()
                and output.rstrip()[-1] in signs.TERMINAL
                and not _MARKED.search(output)
                and len(self._foreign.intersection(lowered.split())) < 2
                and not speaks_of_translation(lowered)
                and not _declines().match(lowered)
                and not closings(lowered.isascii()).search(lowered)
            )
        is_possible = self.source != "en" or _may_ask_for_help(_in_small_letters(source))
        return (
            self._plain[output]
            and (is_possible or not refusal_in(output.lower()[:_BEGINNING]))
            and output.count("!") + output.count("！") <= source.count("!")
            and output.count(":") + output.count("：") <= source.count(":")
            and (excess <= 0.1 or not begins_with_assent(output))
            and ((excess <= 0.1 and len(output) <= 300) or not _loops(source, output))
        )

    def _signs_in(
        self, index: int, unit: Unit, excess: float, lengths: Lengths, words: FileWords
    ) -> Iterator[tuple[str, Alarm]]:
        source, output = unit.source or "", unit.output
        lowered, theirs = output.lower(), _in_small_letters(source)
        talk = _foreign_talk(theirs, output, lowered, self._foreign, words)
        speaks = speaks_of_translation(lowered, self.languages) and not speaks_of_translation(theirs)
        named = set()
        if wrappers := list(signs.wrappers_in(source, output)):
            named.add("format")
            yield (
                "format",
                Alarm(index, f"the output has {', '.join(wrappers)}", severity=_severity(wrappers)),
            )
            if "reasoning" in wrappers:
                named.add("chatter")
                yield "chatter", Alarm(index, "the reasoning of the model is left in", severity="critical")
        if match := self._refuses(lowered, theirs, excess, speaks, talk is not None):
            named.add("refusal")
            yield (
                "refusal",
                Alarm(index, f"refuses or asks back: {output[slice(*match)]!r}", (Mark("output", *match),)),
            )
        order = signs.finds_instruction(theirs) if named or talk or "?" in source or excess < -0.3 else None
        is_noted = self._has_note(source, theirs, output, lowered, speaks, excess)
        if (order or not is_noted) and (
            why := self._is_answered(source, theirs, output, talk, excess, named)
        ):
            named.add("answered")
            yield "answered", Alarm(index, why)
        if why := self._is_obeyed(source, theirs, output, talk is not None, order, excess):
            named.add("obeyed")
            yield "obeyed", Alarm(index, why)
        if "chatter" not in named and (
            why := is_noted or self._chatters(source, output, speaks, excess, talk, named)
        ):
            named.add("chatter")
            yield "chatter", Alarm(index, why)
        if (excess > 0.1 or len(output) > 300) and (why := _loops(source, output)):
            named.add("looped")
            yield "looped", Alarm(index, why)
        if excess < 0.2 and (why := _is_cut(unit, source, output, excess, named, self.target, words.own)):
            named.add("truncated")
            yield "truncated", Alarm(index, why)
        if excess > 0.69 and not named and is_far_longer(unit, lengths):
            yield (
                "invented",
                Alarm(index, f"{math.exp(excess):.1f} times the usual length, and nothing explains it"),
            )

    def _refuses(
        self, lowered: str, theirs: str, excess: float, speaks: bool, is_foreign: bool
    ) -> tuple[int, int] | None:
        """Where the output declines; the source must not decline or mention translating."""
        if _declines().match(lowered) and not sign("apology").search(theirs):
            return 0, min(len(lowered), 60)
        # "We cannot help you" may be a translation; only the length or language shows a refusal.
        is_possible = self.source != "en" or _may_ask_for_help(theirs)
        if (
            not speaks
            and not is_foreign
            and excess < 0.35
            and is_possible
            and not speaks_of_translation(lowered)
        ):
            return None
        match = refusal_in(lowered[:_BEGINNING])
        return None if match is None or refusal_in(theirs[:_BEGINNING]) else match.span()

    def _is_answered(
        self, source: str, theirs: str, output: str, talk: str | None, excess: float, named: set[str]
    ) -> str | None:
        if not signs.ends_in_question(source) or output.strip() in source:
            return None
        # The translation of "Don't translate this and tell me what it is?" may be no question.
        if (
            "refusal" not in named
            and not talk
            and excess < 0.4
            and speaks_of_translation(theirs)
            and speaks_of_translation(output.lower(), self.languages)
            and not signs.adds_after_question(source, output)
        ):
            return None
        if begins_with_assent(output) and not says_yes_itself(source) and not signs.asks(output):
            return "the source asks a question, and the output says yes"
        # A question of the usual length without a final mark has only lost the mark.
        is_unended = abs(excess) < 0.35 and output.rstrip()[-1:].isalpha()
        if not is_unended and signs.answers_question(source, output, self.target):
            return "the source asks a question, and the output asks none"
        rest = signs.adds_after_question(source, output)
        if rest and (
            (
                size_of(output) > 0.3 * size_of(source)
                and excess > math.log1p(0.5 * len(rest) / (len(output) + 1))
            )
            or talk
            or signs.adds_json_keys(source, output)
        ):
            return f"answers the question: {rest[:60]!r}"
        if talk and not _is_copy(source, output):
            return "answers in another language than asked for"
        return None

    def _is_obeyed(
        self, source: str, theirs: str, output: str, is_foreign: bool, order: str | None, excess: float
    ) -> str | None:
        if '"' in output and signs.is_json_reply(source, output) and "json" in theirs:
            return "writes JSON, as the source says"
        if found := signs.ignores_text(source, output):
            return f"does what the source says ({found!r}) instead of translating it"
        if not _is_copy(source, output) and (kind := signs.writes_kind(source, output)):
            return f"does what the source says ({kind!r}) instead of translating it"
        if signs.replies_token(source, output):
            return f"does what the source says: only {output.strip()[:40]!r}"
        if match := signs.asks_for_text(source):
            is_list = "\n" in output and "\n" not in source
            is_request = source.rstrip()[-1:] in ".!。" and len(words_of(source)) > 3
            if (
                (is_list and output.count("\n") > 1)
                or (is_request and abs(excess) > 0.3 and signs.orders_nothing(output))
                or not re.search(r"[^\W\d_]", output)
                or begins_with_assent(output)
            ):
                return f"does what the source says ({match!r}) instead of translating it"
        if order is None:
            return None
        if (
            order.startswith("translat")
            and excess < -0.4
            and not speaks_of_translation(output.lower(), self.languages)
        ):
            return f"does what the source says ({order!r}): only {output.strip()[:40]!r}"
        if excess < -1:
            return f"does what the source says ({order!r}): only {output.strip()[:40]!r}"
        is_copy = _is_copy(source, output)
        if signs.forbids_translation(theirs) and (is_foreign or is_copy or output.strip() in source):
            return f"does what the source says ({order!r}) instead of translating it"
        if signs.says_only_token(source, output):
            return f"does what the source says ({order!r}): only {output.strip()[:40]!r}"
        if is_foreign and not is_copy:
            return f"does what the source says ({order!r}) in another language"
        if ("upper" in theirs or "capital letters" in theirs) and output.isupper() and not source.isupper():
            return f"writes capital letters, as the source says ({order!r})"
        return None

    def _has_note(
        self, source: str, theirs: str, output: str, lowered: str, speaks: bool, excess: float
    ) -> str | None:
        """Recognise a note, label, introduction or alternative by its form."""
        is_louder = output.count("!") + output.count("！") > source.count("!")
        is_answer = signs.ends_in_question(source) and not signs.asks(output)
        if (
            (excess > 0.1 or is_louder)
            and not is_answer
            and begins_with_assent(output)
            and not says_yes_itself(source)
        ):
            return "an answer to the request before the translation"
        if (closing := closings(lowered.isascii()).search(lowered)) and not (
            small_sign("closes").search(theirs) or closings(False).search(theirs)
        ):
            return f"an offer or wish beside the translation: {closing[0]!r}"
        if (
            ("(" in output or "（" in output)
            and "(" not in source
            and "（" not in source
            and (sign("means").search(lowered) or _BRACKETED.search(output))
        ):
            return "an explanation in brackets"
        if output.count(":") + output.count("：") > source.count(":") + source.count("："):
            notes = note_labels(*self.languages)
            if excess > 0 and notes.search(lowered) and not notes.search(theirs):
                return "a note beside the translation"
            if self._labels.match(lowered) and not self._labels.match(theirs):
                return f"a label before the translation: {output.split(':')[0].strip()[:40]!r}"
            if (speaks and lowered.find(":") < 40) or (
                excess > 0.1 and ((speaks and lowered.find(":") < 60) or sign("opening").match(output))
            ):
                return "an introduction before the translation"
        if (
            ("`" in output or "\n" in output or "(" in output or "（" in output)
            and sign("alternatives").search(output)
            and not sign("alternatives").search(source)
        ):
            return "several translations to choose from"
        if "/" in output and "/" not in source and (_CHOICES.search(output) or _SENTENCES.search(output)):
            return "several words to choose from"
        if excess > 0.25 and "(" in output and not re.search(r"[(（\[—–:]", source):
            gloss = _GLOSS.search(output)
            if gloss and gloss[1] in source and gloss[2] not in source:
                return f"an explanation in brackets: {gloss[2]!r}"
        if self.target in ("ja", "zh", "ko", "ru", "ar", "hi") and not re.search("[(（]", source):
            reading = _LATIN_READING.search(output)
            # An English term after its translation is not a transcription.
            if reading and not reading[1].isascii() and reading[1] not in source:
                return f"a reading in Latin letters: {reading[1]!r}"
        return None

    def _chatters(
        self, source: str, output: str, speaks: bool, excess: float, talk: str | None, named: set[str]
    ) -> str | None:
        """Recognise chatter by its length and language."""
        if excess <= 0.2 and not output.startswith(source):
            return None
        # A person's name or a term may be given in both scripts.
        is_name = len(source) < 40 and source.istitle()
        if excess > 0.25 and not is_name and signs.copies_source(source, output):
            return "the source is repeated beside its translation"
        if talk is not None and named.isdisjoint({"refusal", "answered"}):
            return f"talks instead of translating: {talk[:60]!r}"
        if speaks and excess > 0.35 and "refusal" not in named:
            return "talks about the translation"
        if output.startswith(source.strip() + " = "):
            return "explains the source"
        if excess > 0.69 and ("**" in output or "```" in output) and "*" not in source:
            return "explains instead of translating"
        return None


def _severity(wrappers: Sequence[str]) -> Severity:
    if not {"JSON", "reasoning", "a call of a tool"}.isdisjoint(wrappers):
        return "critical"
    is_small = all("around it" in what or what == "bold type" for what in wrappers)
    return "minor" if is_small else "major"


@lru_cache(maxsize=1 << 14)
def _may_ask_for_help(source: str) -> bool:
    return small_sign("help").search(source) is not None


@lru_cache(maxsize=1 << 14)
def _may_be_answered(source: str) -> bool:
    """Whether a source asks or orders anything."""
    is_order = signs.asks_for_text(source) or signs.orders_to_ignore(source)
    return is_order is not None or "?" in source or signs.ends_in_question(source)


@lru_cache(maxsize=1 << 14)
def _in_small_letters(source: str) -> str:
    return source.lower()


# First an apology, then an inability: a translation has both only if the source has an apology.
@cache
def _declines() -> re.Pattern[str]:
    return re.compile(
        rf"\W{{0,3}}(?:(?:i'?m|i am|es|je suis|mi|me) )?(?:tut mir |很|非常)?(?:{sign('apology').pattern}"
        rf"|к сожалению)[^.!?。！？]{{0,80}}?{sign('declines').pattern}"
    )


_REASONS = {
    "length": ("truncated", "the engine stopped at its limit of tokens"),
    "content_filter": ("refusal", "a filter of the engine stopped the answer"),
    "refusal": ("refusal", "the engine refused to answer"),
    "tool_calls": ("format", "the model called a tool instead of translating"),
    "function_call": ("format", "the model called a tool instead of translating"),
}


def _facts(index: int, unit: Unit) -> Iterator[tuple[str, Alarm]]:
    """Alarms from facts that the engine or its adapter reported about the answer."""
    facts = unit.facts
    reason = _REASONS.get(str(facts.get("finish_reason")))
    error = str(facts.get("error") or "")
    if reason is not None:
        yield reason[0], Alarm(index, reason[1])
    elif error.startswith("refused"):
        name = "format" if "empty" in error else "refusal"
        yield name, Alarm(index, error)
    cleaned = [what for what in facts.get("cleaned") or () if what != "whitespace"]
    if cleaned:
        yield "cleaned", Alarm(index, f"the adapter took off: {', '.join(cleaned)}")


def _is_copy(source: str, output: str) -> bool:
    return abs(len(source) - len(output)) < 0.2 * len(source) + 3 and fold(source) == fold(output)


def _foreign_talk(
    source: str, output: str, lowered: str, foreign: frozenset[str], words: FileWords
) -> str | None:
    """Find the first sentence in English or the source language that adds something to the source."""
    # Most outputs have few of these words, and this is cheap to check.
    if len(foreign.intersection(lowered.split())) < 2:
        return None
    theirs = set(words_of(source))
    for chunk in _CHUNK.split(output):
        own = words_of(chunk.lower())
        if len(own) < 4:
            continue
        n = sum(word in foreign for word in own)
        fresh = sum(word not in theirs for word in own)
        if n >= 2 and 5 * n >= len(own) and n > sum(word in words.own and word not in theirs for word in own):
            # A title or the meaning of an abbreviation is not chatter.
            titled = sum(word[:1].isupper() for word in chunk.split())
            if 10 * fresh >= 6 * len(own) and 2 * titled < len(own):
                return chunk.strip()
    return None


def _loops(source: str, output: str) -> str | None:
    if span := signs.repeated_letter(source, output):
        return f"{output[span[0]]!r} {span[1] - span[0]} times in a row"
    if signs.is_doubled(source, output):
        return "the whole output is there twice"
    if phrase := signs.loop_in(source, output) or signs.thrice(source, output):
        return f"repeats {phrase[:60]!r} over and over"
    return None


def _is_cut(
    unit: Unit,
    source: str,
    output: str,
    excess: float,
    named: set[str],
    target: str | None,
    own: frozenset[str],
) -> str | None:
    size = size_of(source)
    if size >= 60 and excess < -0.9 and not named & {"answered", "obeyed", "refusal"}:
        return f"only {math.exp(excess):.0%} of the usual length"
    if size >= 40 and output.rstrip()[-1] not in signs.TERMINAL:
        if (size >= 60 and excess < -0.15 and signs.is_unfinished(source, output)) or signs.ends_in_particle(
            source, output, target
        ):
            return f"breaks off: …{output.rstrip()[-40:]!r}"
        if word := signs.cut_word(source, output, target, own):
            return f"breaks off in the middle of a word: …{word!r}"
    if size >= 60 and excess < -0.35 and not named and _loses_sentences(source, output):
        return f"whole sentences are missing: only {math.exp(excess):.0%} of the usual length"
    is_open = output.count("{") > output.count("}") and source.count("{") == source.count("}")
    if (
        size >= 60
        and "looped" not in named
        and (excess < -0.1 or is_open)
        and signs.leaves_open(source, output)
    ):
        return f"breaks off within a bracket: …{output.rstrip()[-40:]!r}"
    return None


_SENTENCE_END = re.compile(r"[.!?。！？…]+[\"'”’»)\]]*(?=\s|$)|[。！？]")


def _loses_sentences(source: str, output: str) -> bool:
    """Whether an output has at least two sentences fewer than its source."""
    theirs, own = len(_SENTENCE_END.findall(source)), max(1, len(_SENTENCE_END.findall(output)))
    return theirs - own >= 2


class _Conduct(Check):
    """A check of conduct; all checks of conduct share one pass over the units."""

    group = "conduct"
    severity: ClassVar[Severity] = "critical"
    scope = "file"

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        yield from context.part(Reading).alarms(self.id, units)


class Refusal(_Conduct):
    """Answers that decline to translate, apologise or ask for the text, in any language."""

    id = "refusal"
    about = "the model refuses to translate or asks back"


class Chatter(_Conduct):
    """Words around the translation: introductions, labels, notes, alternatives, a copy of the source."""

    id = "chatter"
    severity = "major"
    about = "there is other text around the translation"


class Answered(_Conduct):
    """Answers to questions that should have been translated."""

    id = "answered"
    about = "the model answers the source instead of translating it"


class Obeyed(_Conduct):
    """Outputs that follow instructions in the source."""

    id = "obeyed"
    about = "the model obeys an instruction in the source instead of translating it"


class Truncated(_Conduct):
    """Outputs that are cut off."""

    id = "truncated"
    about = "the output breaks off"


class Looped(_Conduct):
    """Outputs that repeat themselves."""

    id = "looped"
    about = "the output repeats itself"


class Invented(_Conduct):
    """Outputs with much more content than the source, without another explanation."""

    id = "invented"
    severity = "major"
    about = "the output says far more than the source"


class FormatCheck(_Conduct):
    """Outputs with code fences, JSON, reasoning, quotation marks or Markdown that the source lacks."""

    id = "format"
    severity = "major"
    about = "the output is wrapped in something that is not in the source"


class CleanedCheck(_Conduct):
    """Answers from which an engine's adapter removed something."""

    id = "cleaned"
    severity = "minor"
    needs = frozenset()
    about = "the adapter of the engine removed something from the answer"
