"""A server of chat models whose translations, noise, speed, failures and tokens are scripted.

Everything follows from the model, the text and how often it was asked before, so a run can be repeated.
"""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.systems.server import Reply, Seen, Server, json_reply, status


@dataclass(frozen=True, kw_only=True)
class Script:
    """How one model behaves: `noise` and `failures` are probabilities, `seconds` the time of a call."""

    translate: Callable[[str], str] = str.upper
    paraphrase: Callable[[str], str] = lambda text: " ".join(reversed(text.split()))
    noise: float = 0.0
    failures: float = 0.0
    seconds: Callable[[random.Random], float] = lambda draw: 0.0
    tokens: tuple[int, int] = (10, 5)


@dataclass
class Scripted:
    """The behaviour of a `Server`: `Server(Scripted({"model": Script()}))`."""

    models: Mapping[str, Script]
    seed: int = 1
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    replies: dict[str, list[str]] = field(default_factory=dict)
    """What became of each call, by model: `fail`, or the translation."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, seen: Seen) -> Reply:
        script, text = self.models[seen.body["model"]], seen.body["messages"][-1]["content"]
        prompt = repr(seen.body["messages"][:-1])
        with self.lock:
            self.asked[seen.body["model"], prompt + text] += 1
            times = self.asked[seen.body["model"], prompt + text]
        draw = random.Random(f"{self.seed}|{seen.body['model']}|{prompt}|{text}|{times}")
        if draw.random() < script.failures:
            self._note(seen, "fail")
            return status(400, {"error": {"message": "scripted failure"}}, delay=script.seconds(draw))
        translated = script.translate(text)
        if draw.random() < script.noise:
            translated = script.paraphrase(translated)
        self._note(seen, translated)
        return json_reply(
            {
                "model": seen.body["model"],
                "choices": [{"message": {"content": translated}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": script.tokens[0], "completion_tokens": script.tokens[1]},
            },
            delay=script.seconds(draw),
        )

    def _note(self, seen: Seen, reply: str) -> None:
        with self.lock:
            self.replies.setdefault(seen.body["model"], []).append(reply)


def scripted(**models: Script) -> Server:
    """A server with these models."""
    return Server(Scripted(models))
