"""Finds outputs that are in another language than the target language.

A cascade: the test set's own words clear nearly every line in a few microseconds, and only what looks
foreign is handed to a language identifier, which must be sure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from mtassay.core import Segment
from mtassay.languages import parse_language
from mtassay.metrics.guards.identify import Guess, can_identify, identify, name_of, same_as, script_of
from mtassay.metrics.guards.vocabulary import Vocabulary, words_of

# Enough segments to know the words of a test set of any size.
_VOCABULARY_SEGMENTS = 20_000
# Distinct lines that are identified at most, all systems together; each takes 0.2 to 0.3 ms.
_MOST_IDENTIFIED = 2_000
# So many lines show the language of a whole file.
_FILE_LINES = 20

Hits = dict[int, dict[str, Any]]


class WrongLanguage:
    """Lines that are surely in another language, where no reference of the segment is in that one too."""

    def __init__(
        self,
        segments: Sequence[Segment],
        outputs: Mapping[str, Sequence[str]],
        *,
        pair: tuple[str, str] | None,
    ) -> None:
        self._segments = segments
        self._outputs = outputs
        self._references = [[text for text in s.references if text is not None] for s in segments]
        self._expected = parse_language(pair[1]).code if pair else None
        self._strangers = set() if any(self._references) else self._find_strangers()
        self.vocabulary = self._learn()
        self.unchecked: dict[str, int] = {}

    def hits(self, candidates: Mapping[str, Sequence[int]]) -> dict[str, Hits]:
        """Evidence by system and segment index; the candidates are lines that are doubtful at first sight."""
        suspects = {
            system: [i for i in indices if system in self._strangers or not self._accepts(system, i)]
            for system, indices in candidates.items()
        }
        lines = list(dict.fromkeys(self._outputs[s][i] for s, indices in suspects.items() for i in indices))
        if not lines:
            return {system: {} for system in suspects}
        target = self._target()
        n = min(len(lines), _MOST_IDENTIFIED)
        spread = [lines[k * len(lines) // n] for k in range(n)]
        guesses = {line: identify(line, target) for line in spread}
        found: dict[str, Hits] = {system: {} for system in suspects}
        for system, indices in suspects.items():
            for index in indices:
                guess = guesses.get(self._outputs[system][index])
                if guess is None:
                    self.unchecked[system] = self.unchecked.get(system, 0) + 1
                elif why := self._why(guess, target, system, index):
                    found[system][index] = {
                        "why": why,
                        "language": guess.code if guess.is_sure else None,
                        "expected": target,
                        "probability": round(guess.probability, 3),
                    }
        return found

    def _why(self, guess: Guess, target: str, system: str, index: int) -> str | None:
        """Why the line is in the wrong language, or `None` if it may be right."""
        if not guess.excludes(target):
            return None
        if guess.is_sure:
            if self._has_reference_in(guess.code, index, target):
                return None
            return f"looks like {name_of(guess.code)}, not {name_of(target)}"
        script = script_of(self._outputs[system][index])
        expected = {script_of(reference) for reference in self._references[index]}
        if not expected or script in expected:
            return None
        return f"is written in {script.title()} script and not in {name_of(target)}"

    def doubtful(self, system: str) -> Sequence[int]:
        """The segments whose output is not plainly in the target language."""
        lines = self._outputs[system]
        return range(len(lines)) if system in self._strangers else self.vocabulary.doubtful(lines)

    def _accepts(self, system: str, index: int) -> bool:
        """True if the words of the test set, or of what other systems made of the segment, clear the line."""
        line, source = self._outputs[system][index], self._segments[index].source
        references = self._references[index]
        if self.vocabulary.accepts(line, source, references):
            return True
        others = (texts[index] for name, texts in self._outputs.items() if name not in self._strangers)
        witnesses = [text for text in others if self.vocabulary.accepts(text, source, references)]
        return bool(witnesses) and self.vocabulary.accepts(line, source, [*references, *witnesses])

    def _learn(self) -> Vocabulary:
        """The words of the references, or else those that outputs of several segments have."""
        step = len(self._segments) // _VOCABULARY_SEGMENTS + 1
        sources = [segment.source for segment in self._segments[::step] if segment.source is not None]
        references = [texts[0] for texts in self._references[::step] if texts]
        if any(self._references):
            return Vocabulary(sources, references)
        pool = [texts[::step] for system, texts in self._outputs.items() if system not in self._strangers]
        # Each word once per segment: ten systems that leave the same name untranslated are one witness.
        pooled = [" ".join(set(words_of("\n".join(texts)))) for texts in zip(*pool, strict=True)]
        return Vocabulary(sources, pooled, fewest=2)

    def _find_strangers(self) -> set[str]:
        """Systems whose file as a whole is in another language; asked only where no reference shows it."""
        target = self._expected
        if target is None or not can_identify(target):
            return set()
        files = {system: _sample(texts) for system, texts in self._outputs.items()}
        return {system for system, text in files.items() if _is_foreign(identify(text, target), target)}

    def _target(self) -> str:
        """The target language as the identifier calls it."""
        if self._expected is not None and can_identify(self._expected):
            return self._expected
        references = [text for texts in self._references for text in texts]
        samples = [_sample(references)] if references else map(_sample, self._outputs.values())
        return Counter(identify(sample, "").code for sample in samples).most_common(1)[0][0]

    def _has_reference_in(self, code: str, index: int, target: str) -> bool:
        return any(
            not self.vocabulary.accepts(reference, self._segments[index].source, ())
            and identify(reference, target).code in same_as(code)
            for reference in self._references[index]
        )


def _is_foreign(guess: Guess, target: str) -> bool:
    return guess.is_sure and guess.excludes(target)


def _sample(lines: Sequence[str]) -> str:
    """Beginnings of lines from all over the file."""
    return "\n".join(line[:200] for line in lines[:: len(lines) // _FILE_LINES + 1])
