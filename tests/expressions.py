"""Every regular expression of our own code, and texts of its own characters that should be hard for it."""

from __future__ import annotations

import ast
import importlib
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parent.parent / "src" / "mtassay"
FUNCTIONS = ("compile", "search", "match", "fullmatch", "sub", "split", "findall", "finditer", "subn")
_CALL = re.compile(rf"\bre\.(?:{'|'.join(FUNCTIONS)})\(")
PATIENCE = 1.0
"""Seconds for one text; only what grows without bounds takes so long."""


@dataclass(frozen=True)
class Expression:
    """One expression, where it is, and how it is used: `search`, `match` or `fullmatch`."""

    where: str
    pattern: re.Pattern[Any]
    use: str

    def run(self, text: str) -> None:
        """Use it on a text."""
        subject = text.encode() if isinstance(self.pattern.pattern, bytes) else text
        if self.use == "search":
            for _ in self.pattern.finditer(subject):
                pass
        else:
            getattr(self.pattern, self.use)(subject)


def own_expressions() -> Iterator[Expression]:
    """All that is written in our code; one that is put together at run time is left out."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not _CALL.search(text):
            continue
        name = ".".join(("mtassay", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(
            ".__init__"
        )
        module = None
        nodes = list(ast.walk(ast.parse(text)))
        names = {
            id(node.value): node.targets[0].id
            for node in nodes
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for node in nodes:
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            of, function = node.func.value, node.func.attr
            if not (isinstance(of, ast.Name) and of.id == "re" and function in FUNCTIONS):
                continue
            module = module or importlib.import_module(name)
            flags = [k.value for k in node.keywords if k.arg == "flags"]
            flags += node.args[1:2] if function == "compile" else node.args[2:3] if function != "sub" else []
            try:
                pattern = re.compile(_value(node.args[0], module), _value(flags[0], module) if flags else 0)
            except NameError:
                continue
            use = function if function in ("match", "fullmatch") else "search"
            if function == "compile":
                use = _use(names.get(id(node)), text)
            yield Expression(f"{path.relative_to(SOURCE)}:{node.lineno}", pattern, use)


def _value(node: ast.expr, module: Any) -> Any:
    return eval(compile(ast.Expression(node), "", "eval"), dict(vars(module)))


def _use(name: str | None, text: str) -> str:
    """How a compiled expression is used in its module; in doubt it is searched for."""
    uses = set(re.findall(rf"\b{name}\.(\w+)\(", text)) if name else set()
    passed_on = name and re.search(rf"\bmap\({name}\.(\w+)", text)
    uses |= {passed_on[1]} if passed_on else set()
    # A reader with a position of its own calls `self._match(NAME, ...)`.
    uses |= {"match"} if name and re.search(rf"\b_match\({name}\b", text) else set()
    return min(uses) if uses and uses <= {"match", "fullmatch"} and len(uses) == 1 else "search"


def hard_texts(expression: Expression, length: int) -> Iterator[str]:
    """Repetitions of what the expression asks for, after what it asks for before, with and without an end."""
    pattern = expression.pattern.pattern
    pattern = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    flags = expression.pattern.flags & ~re.UNICODE if isinstance(expression.pattern.pattern, bytes) else 0
    parser = importlib.import_module("re._parser")
    samples = list(_samples(parser.parse(pattern, (flags or expression.pattern.flags) & ~re.DEBUG)))
    pumps = dict.fromkeys("".join(samples[i : i + width]) for width in (1, 2, 3) for i in range(len(samples)))
    seen = set()
    for pump in pumps:
        if not pump:
            continue
        start = "".join(samples).find(pump)
        for before in {"", "".join(samples)[: max(start, 0)]}:
            for after in ("", "\x01"):
                text = before + pump * (length // len(pump)) + after
                if text not in seen:
                    seen.add(text)
                    yield text


def _samples(tree: Any) -> Iterator[str]:
    """A character, or a few, for each thing that an expression asks for, in order."""
    for operation, value in tree:
        name = str(operation)
        if name == "LITERAL":
            yield chr(value)
        elif name == "NOT_LITERAL":
            yield "x" if value != ord("x") else "y"
        elif name == "ANY":
            yield "x"
        elif name == "IN":
            yield from _of_class(value)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            yield from _samples(value[2])
        elif name == "SUBPATTERN":
            yield from _samples(value[-1])
        elif name == "ATOMIC_GROUP":
            yield from _samples(value)
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from _samples(value[1])
        elif name == "BRANCH":
            for branch in value[1]:
                yield from _samples(branch)


_CATEGORIES = {"SPACE": " ", "NOT_SPACE": "a", "DIGIT": "1", "NOT_DIGIT": "a", "WORD": "a", "NOT_WORD": "-"}


def _of_class(items: list[Any]) -> Iterator[str]:
    """Up to three characters of a class."""
    negated = str(items[0][0]) == "NEGATE"
    characters = []
    for operation, value in items[negated:]:
        if str(operation) == "LITERAL":
            characters.append(chr(value))
        elif str(operation) == "RANGE":
            characters.append(chr(value[0]))
        elif str(operation) == "CATEGORY":
            characters.append(_CATEGORIES[str(value).removeprefix("CATEGORY_").removeprefix("UNI_")])
    if not negated:
        yield from dict.fromkeys(characters[:2] + characters[-1:])
    else:
        yield next(c for c in "xy 1-\n" if c not in characters)


@contextmanager
def _patience(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def cost(expression: Expression, text: str) -> float:
    """Seconds of the processor that it takes for a text; the least of three times where it takes long."""
    times = []
    for _ in range(3):
        began = time.process_time()
        try:
            with _patience(PATIENCE):
                expression.run(text)
        except TimeoutError:
            return PATIENCE
        times.append(time.process_time() - began)
        if times[0] < 0.005:
            break
    return min(times)


def slow_text(expression: Expression) -> str | None:
    """A text that costs more than in proportion to its length; `None` if there is none.

    Of an expression with long lists of words, which give thousands of texts, a hundred are tried.
    """
    texts = list(zip(hard_texts(expression, 250), hard_texts(expression, 2000), strict=True))
    for short, long in texts[:: len(texts) // 100 + 1]:
        spent = cost(expression, long)
        if spent >= PATIENCE or (spent > 0.005 and spent > 24 * cost(expression, short)):
            return long
    return None
